// SPDX-License-Identifier: MIT
/*
 * Executions on the loopback whose shapes or whose end depend on data: control flow, runs in parts,
 * state between runs.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "libnnaccel/support/clock.h"
#include "libnnaccel/runtime/buffer.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/variant.h"
#include "tests/unit/libnnaccel/loopback.h"

/* A length that the model leaves open. */
#define ANY 0u

/* ---- graphs */

/* A tensor of rank 1 with @n elements, ANY is unknown. */
static uint32_t tensor(struct nna_graph *g, uint32_t s, uint32_t type, uint32_t n)
{
	struct nna_operand_desc desc = { .type = type, .rank = 1, .dims = &n };
	int ret = nna_graph_add_operand(g, s, &desc);

	assert_true(ret >= 0);
	return ret;
}

static uint32_t constant(struct nna_graph *g, uint32_t s, uint32_t type, const void *data,
			 size_t size)
{
	struct nna_operand_desc desc = { .type = type };
	int ret = nna_graph_add_operand(g, s, &desc);

	assert_true(ret >= 0);
	assert_int_equal(nna_graph_set_constant(g, s, ret, data, size, false), 0);
	return ret;
}

static uint32_t scalar(struct nna_graph *g, uint32_t s, int32_t value)
{
	return constant(g, s, NNA_OPERAND_INT32, &value, sizeof(value));
}

/* A constant tensor of one element. */
static uint32_t one(struct nna_graph *g, uint32_t s, int32_t value)
{
	uint32_t o = tensor(g, s, NNA_OPERAND_TENSOR_INT32, 1);

	assert_int_equal(nna_graph_set_constant(g, s, o, &value, sizeof(value), false), 0);
	return o;
}

static uint32_t subgraph(struct nna_graph *g, uint32_t s, uint32_t which)
{
	struct nna_operand_desc desc = { .type = NNA_OPERAND_SUBGRAPH };
	int ret = nna_graph_add_operand(g, s, &desc);

	assert_true(ret >= 0);
	assert_int_equal(nna_graph_set_subgraph(g, s, ret, which), 0);
	return ret;
}

#define OPERATION(g, s, type, out, ...) \
	do { \
		uint32_t in_[] = { __VA_ARGS__ }; \
		uint32_t count_ = sizeof(in_) / sizeof(in_[0]); \
		assert_int_equal(nna_graph_add_operation(g, s, type, count_, in_, 1, \
							 &(uint32_t){ out }), \
				 0); \
	} while (0)

#define IO(g, s, ...) \
	do { \
		uint32_t list_[] = { __VA_ARGS__ }; \
		uint32_t n_ = sizeof(list_) / sizeof(list_[0]) - 1; \
		assert_int_equal(nna_graph_set_io(g, s, n_, list_, 1, &list_[n_]), 0); \
	} while (0)

/* A subgraph (count, list) -> count < limit; @limit 0: always true. */
static uint32_t condition(struct nna_graph *g, uint32_t n, int32_t limit)
{
	int s = nna_graph_add_subgraph(g);
	uint32_t count, list, out;

	assert_true(s > 0);
	count = tensor(g, s, NNA_OPERAND_TENSOR_INT32, 1);
	list = tensor(g, s, NNA_OPERAND_TENSOR_INT32, n);
	out = tensor(g, s, NNA_OPERAND_TENSOR_BOOL8, 1);
	if (limit)
		OPERATION(g, s, NNA_OPERATION_LESS, out, count, one(g, s, limit));
	else
		OPERATION(g, s, NNA_OPERATION_EQUAL, out, count, count);
	IO(g, s, count, list, out);
	return s;
}

/* A subgraph (count, list) -> (count + 1, list), or with @grows list with count at its end. */
static uint32_t body(struct nna_graph *g, uint32_t n, bool grows)
{
	int s = nna_graph_add_subgraph(g);
	uint32_t count, list, next, longer;

	assert_true(s > 0);
	count = tensor(g, s, NNA_OPERAND_TENSOR_INT32, 1);
	list = tensor(g, s, NNA_OPERAND_TENSOR_INT32, n);
	next = tensor(g, s, NNA_OPERAND_TENSOR_INT32, 1);
	longer = tensor(g, s, NNA_OPERAND_TENSOR_INT32, n);
	OPERATION(g, s, NNA_OPERATION_ADD, next, count, one(g, s, 1), scalar(g, s, 0));
	if (grows)
		OPERATION(g, s, NNA_OPERATION_CONCATENATION, longer, list, count, scalar(g, s, 0));
	else
		OPERATION(g, s, NNA_OPERATION_ADD, longer, list, count, scalar(g, s, 0));
	assert_int_equal(nna_graph_set_io(g, s, 2, (uint32_t[]){ count, list }, 2,
					  (uint32_t[]){ next, longer }), 0);
	return s;
}

/* Input: list; output: the list after counting from 0 up to @limit. */
static struct nna_graph *loop_graph(uint32_t n, int32_t limit, bool grows)
{
	uint32_t list, count, result, loop[4], outs[2];
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	list = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, n);
	count = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 1);
	result = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, n);
	loop[0] = subgraph(g, 0, condition(g, n, limit));
	loop[1] = subgraph(g, 0, body(g, n, grows));
	loop[2] = one(g, 0, 0);
	loop[3] = list;
	outs[0] = count;
	outs[1] = result;
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_WHILE, 4, loop, 2, outs), 0);
	IO(g, 0, list, result);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

struct run {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
};

static void run_begin(struct run *r, struct nna_device *device, struct nna_graph *g)
{
	r->graph = g;
	assert_int_equal(nna_program_create(device, g, NULL, &r->program), 0);
	assert_int_equal(nna_execution_create(r->program, &r->execution), 0);
}

static void run_end(struct run *r)
{
	nna_execution_destroy(r->execution);
	nna_program_destroy(r->program);
	nna_graph_unref(r->graph);
}

static void set_input(struct run *r, uint32_t index, uint32_t n, const void *data, size_t size)
{
	assert_int_equal(nna_execution_set_input(r->execution, index, 1, &n, data, size), 0);
}

static void set_output(struct run *r, void *data, size_t size)
{
	assert_int_equal(nna_execution_set_output(r->execution, 0, 0, NULL, data, size), 0);
}

static void check_length(struct run *r, int expected, uint32_t n)
{
	uint32_t rank, dims[NNACCEL_MAX_RANK];

	assert_int_equal(nna_execution_get_output_dims(r->execution, 0, &rank, dims), expected);
	assert_int_equal(rank, 1);
	assert_int_equal(dims[0], n);
}

/* ---- tests */

static void test_growing_loop(void **state)
{
	static const int32_t start[] = { 7, 8 }, expected[] = { 7, 8, 0, 1, 2 };
	int32_t out[8] = { 0 };
	struct run r;

	run_begin(&r, *state, loop_graph(ANY, 3, true));
	set_input(&r, 0, 2, start, sizeof(start));
	set_output(&r, out, sizeof(out));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nna_execution_compute(r.execution), 0);
		check_length(&r, 0, 5);
		assert_memory_equal(out, expected, sizeof(expected));
		memset(out, 0, sizeof(out));
	}
	/* Another length by the same execution. */
	set_input(&r, 0, 1, start, sizeof(start[0]));
	assert_int_equal(nna_execution_compute(r.execution), 0);
	check_length(&r, 0, 4);
	assert_int_equal(out[0], 7);
	assert_int_equal(out[3], 2);
	run_end(&r);
}

static void test_too_small(void **state)
{
	static const int32_t start[] = { 7, 8 };
	int32_t out[5] = { 1, 1, 1, 1, 1 };
	struct nna_fence *fence;
	struct run r;
	int fd = eventfd(1, EFD_CLOEXEC);

	run_begin(&r, *state, loop_graph(ANY, 3, true));
	set_input(&r, 0, 2, start, sizeof(start));
	set_output(&r, out, 4 * sizeof(out[0]));
	assert_int_equal(nna_execution_compute(r.execution), -ENOSPC);
	check_length(&r, -ENOSPC, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(out[i], 1);
	/*
	 * A program that has to run in parts has ended when the submission returns, unless there
	 * are in-fences.
	 */
	set_output(&r, out, sizeof(out));
	for (uint32_t count = 0; count < 2; count++) {
		out[4] = 1;
		assert_int_equal(nna_execution_submit(r.execution, &fd, count, &fence), 0);
		assert_int_equal(nna_fence_wait(fence, count ? -1 : 0), 0);
		check_length(&r, 0, 5);
		assert_int_equal(out[4], 2);
		assert_int_equal(nna_fence_export(fence), -ENOTSUP);
		nna_fence_destroy(fence);
	}
	close(fd);
	run_end(&r);
}

/* Loops that do not end: on the device or, because a shape grows, run in parts by the library. */
static void endless(struct nna_device *device, bool grows)
{
	int32_t start[1] = { 0 }, *out = calloc(1, 1 << 20);
	uint64_t begin;
	struct run r;

	assert_non_null(out);
	run_begin(&r, device, loop_graph(grows ? ANY : 1, 0, grows));
	set_input(&r, 0, 1, start, sizeof(start));
	set_output(&r, out, 1 << 20);
	assert_int_equal(nna_execution_set_loop_limit(r.execution, 100000000), 0);
	begin = nna_now_ns();
	assert_int_equal(nna_execution_compute(r.execution), -ETIMEDOUT);
	assert_true(nna_now_ns() - begin >= 100000000);
	/* A duration ends it before the loop limit does. */
	assert_int_equal(nna_execution_set_loop_limit(r.execution, 10000000000), 0);
	assert_int_equal(nna_execution_set_duration(r.execution, 50000000), 0);
	begin = nna_now_ns();
	assert_int_equal(nna_execution_compute(r.execution), -ETIMEDOUT);
	assert_true(nna_now_ns() - begin < 10000000000);
	run_end(&r);
	free(out);
}

static void test_endless(void **state)
{
	struct nna_device *device = *state;

	endless(*state, false);
	endless(*state, true);
	/* A job for each command: no job sees two rounds of the loop. */
	device->ws->slice_ns = 1;
	endless(*state, false);
}

/* The limit that holds when none is set. */
static void test_default_limit(void **state)
{
	int32_t value = 0;
	struct run r;

	run_begin(&r, *state, loop_graph(1, 0, false));
	set_input(&r, 0, 1, &value, sizeof(value));
	set_output(&r, &value, sizeof(value));
	assert_int_equal(nna_execution_compute(r.execution), -ETIMEDOUT);
	/* Of run time: on a busy machine it takes longer. */
	assert_in_range(r.execution->timing.run, 2000000000, 3000000000);
	run_end(&r);
}

/* out = IF(all of in are true, concat(data, data), data): the branches differ in their shapes. */
static void test_branches_of_two_shapes(void **state)
{
	static const int32_t data[] = { 1, 2, 3 };
	uint32_t flags, truth, in, out, branch[2];
	uint8_t value[2] = { 1, 1 }, yes = 1;
	int32_t result[6];
	struct nna_graph *g;
	struct run r;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	for (int b = 0; b < 2; b++) {
		int s = nna_graph_add_subgraph(g);
		uint32_t x = tensor(g, s, NNA_OPERAND_TENSOR_INT32, 3),
			 y = tensor(g, s, NNA_OPERAND_TENSOR_INT32, ANY);

		if (b)
			OPERATION(g, s, NNA_OPERATION_ADD, y, x, one(g, s, 1), scalar(g, s, 0));
		else
			OPERATION(g, s, NNA_OPERATION_CONCATENATION, y, x, x, scalar(g, s, 0));
		IO(g, s, x, y);
		branch[b] = s;
	}
	flags = tensor(g, 0, NNA_OPERAND_TENSOR_BOOL8, 2);
	in = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 3);
	truth = tensor(g, 0, NNA_OPERAND_TENSOR_BOOL8, 1);
	out = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, ANY);
	OPERATION(g, 0, NNA_OPERATION_REDUCE_ALL, truth, flags, one(g, 0, 0),
		  constant(g, 0, NNA_OPERAND_BOOL, &yes, 1));
	OPERATION(g, 0, NNA_OPERATION_IF, out, truth, subgraph(g, 0, branch[0]),
		  subgraph(g, 0, branch[1]), in);
	IO(g, 0, flags, in, out);
	assert_int_equal(nna_graph_finish(g), 0);
	run_begin(&r, *state, g);
	set_input(&r, 0, 2, value, sizeof(value));
	set_input(&r, 1, 3, data, sizeof(data));
	set_output(&r, result, sizeof(result));
	for (int i = 0; i < 4; i++) {
		value[1] = i & 1;
		assert_int_equal(nna_execution_compute(r.execution), 0);
		check_length(&r, 0, i & 1 ? 6 : 3);
		assert_int_equal(result[2], i & 1 ? 3 : 4);
		if (i & 1)
			assert_int_equal(result[5], 3);
	}
	run_end(&r);
}

/* out = data[0 : n + n], and n is an input: the size is computed by another operation. */
static void test_computed_size(void **state)
{
	static const int32_t data[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint32_t in, n, sum, out;
	int32_t result[8], value;
	struct nna_graph *g;
	struct run r;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 8);
	n = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 1);
	sum = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 1);
	out = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, ANY);
	OPERATION(g, 0, NNA_OPERATION_ADD, sum, n, n, scalar(g, 0, 0));
	OPERATION(g, 0, NNA_OPERATION_SLICE, out, in, one(g, 0, 0), sum);
	IO(g, 0, in, n, out);
	assert_int_equal(nna_graph_finish(g), 0);
	run_begin(&r, *state, g);
	set_input(&r, 0, 8, data, sizeof(data));
	set_input(&r, 1, 1, &value, sizeof(value));
	set_output(&r, result, sizeof(result));
	for (value = 1; value <= 4; value++) {
		memset(result, 0, sizeof(result));
		assert_int_equal(nna_execution_compute(r.execution), 0);
		check_length(&r, 0, 2 * value);
		assert_memory_equal(result, data, 2 * value * sizeof(result[0]));
	}
	/* Beyond the data. */
	assert_int_equal(nna_execution_compute(r.execution), -EINVAL);
	run_end(&r);
}

/* What comes before a size that depends on data is compiled when the program is prepared, once. */
static void test_first_part(void **state)
{
	static const float data[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint32_t in, n, sum, out;
	const struct nna_variant *first;
	const struct nna_part *part;
	float result[8], value;
	struct nna_graph *g;
	struct run r;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = tensor(g, 0, NNA_OPERAND_TENSOR_FLOAT32, 8);
	n = tensor(g, 0, NNA_OPERAND_TENSOR_FLOAT32, 1);
	sum = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 1);
	out = tensor(g, 0, NNA_OPERAND_TENSOR_FLOAT32, ANY);
	OPERATION(g, 0, NNA_OPERATION_CAST, sum, n);
	OPERATION(g, 0, NNA_OPERATION_SLICE, out, in, one(g, 0, 0), sum);
	IO(g, 0, in, n, out);
	assert_int_equal(nna_graph_finish(g), 0);
	run_begin(&r, *state, g);
	part = r.program->parts;
	assert_non_null(part);
	assert_null(part->next);
	assert_int_equal(part->from, 0);
	assert_int_equal(part->to, 1);
	first = part->program->stated;
	assert_non_null(first);
	assert_null(r.program->stated);
	assert_int_equal(r.program->variant_count, 1);
	set_input(&r, 0, 8, data, sizeof(data));
	set_input(&r, 1, 1, &value, sizeof(value));
	set_output(&r, result, sizeof(result));
	for (value = 2; value <= 4; value++) {
		assert_int_equal(nna_execution_compute(r.execution), 0);
		check_length(&r, 0, (uint32_t)value);
		assert_memory_equal(result, data, (uint32_t)value * sizeof(result[0]));
		/* The run has found both, and has compiled neither again. */
		assert_int_equal(r.program->variant_count, 1);
		assert_ptr_equal(part->program->variants, first);
		assert_int_equal(part->program->variant_count, 1);
	}
	run_end(&r);
}

/* A sum over all runs, beside a size that depends on data: state survives parts and runs. */
static void test_state_in_parts(void **state)
{
	static const int32_t data[] = { 1, 2, 3, 4 };
	uint32_t in, n, twice, slice, sum, out;
	int32_t result[4], value = 1;
	struct nna_graph *g;
	struct run r;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 4);
	n = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 1);
	twice = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 1);
	slice = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, ANY);
	sum = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 1);
	out = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, ANY);
	assert_int_equal(nna_graph_set_variable(g, 0, sum), 0);
	OPERATION(g, 0, NNA_OPERATION_ADD, twice, n, n, scalar(g, 0, 0));
	OPERATION(g, 0, NNA_OPERATION_SLICE, slice, in, one(g, 0, 0), twice);
	OPERATION(g, 0, NNA_OPERATION_ADD, sum, sum, n, scalar(g, 0, 0));
	OPERATION(g, 0, NNA_OPERATION_ADD, out, slice, sum, scalar(g, 0, 0));
	IO(g, 0, in, n, out);
	assert_int_equal(nna_graph_finish(g), 0);
	run_begin(&r, *state, g);
	set_input(&r, 0, 4, data, sizeof(data));
	set_input(&r, 1, 1, &value, sizeof(value));
	set_output(&r, result, sizeof(result));
	for (int i = 0, total = 0; i < 4; i++) {
		value = 1 + i % 2;
		total = i == 2 ? 0 : total;
		if (i == 2)
			assert_int_equal(nna_execution_reset_state(r.execution), 0);
		assert_int_equal(nna_execution_compute(r.execution), 0);
		check_length(&r, 0, 2 * value);
		total += value;
		assert_int_equal(result[0], 1 + total);
	}
	run_end(&r);
}

/*
 * How many boxes are kept is known when BOX_WITH_NMS_LIMIT has run, and NEG reads them. There are
 * three boxes, the second on the first, and two classes, the first of which is the background.
 */
static void test_boxes_read_by_another_operation(void **state)
{
	static const float scores[] = { 0, 0.9f, 0, 0.8f, 0, 0.7f },
			   box[] = { 0, 0, 10, 10, 0, 0, 10, 9, 20, 20, 30, 30 };
	static const uint32_t by2[] = { 3, 2 }, by8[] = { 3, 8 }, any4[] = { 0, 4 };
	static const int32_t batches[3];
	static const float threshold = 0.1f, overlap = 0.5f, sigma = 1, least = 0.1f;
	uint32_t in[9], out[4], negative, n = 3;
	float boxes[24] = { 0 }, result[3];
	struct nna_graph *g;
	struct run r;

	for (int i = 0; i < 3; i++)
		memcpy(&boxes[8 * i + 4], &box[4 * i], 4 * sizeof(box[0]));
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in[0] = nna_graph_add_operand(g, 0, &(struct nna_operand_desc){
		.type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 2, .dims = by2 });
	in[1] = nna_graph_add_operand(g, 0, &(struct nna_operand_desc){
		.type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 2, .dims = by8 });
	in[2] = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, 3);
	in[3] = constant(g, 0, NNA_OPERAND_FLOAT32, &threshold, sizeof(threshold));
	in[4] = scalar(g, 0, -1);
	in[5] = scalar(g, 0, 0);
	in[6] = constant(g, 0, NNA_OPERAND_FLOAT32, &overlap, sizeof(overlap));
	in[7] = constant(g, 0, NNA_OPERAND_FLOAT32, &sigma, sizeof(sigma));
	in[8] = constant(g, 0, NNA_OPERAND_FLOAT32, &least, sizeof(least));
	out[0] = tensor(g, 0, NNA_OPERAND_TENSOR_FLOAT32, ANY);
	out[1] = nna_graph_add_operand(g, 0, &(struct nna_operand_desc){
		.type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 2, .dims = any4 });
	out[2] = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, ANY);
	out[3] = tensor(g, 0, NNA_OPERAND_TENSOR_INT32, ANY);
	negative = tensor(g, 0, NNA_OPERAND_TENSOR_FLOAT32, ANY);
	assert_int_equal(
		nna_graph_add_operation(g, 0, NNA_OPERATION_BOX_WITH_NMS_LIMIT, 9, in, 4, out), 0);
	OPERATION(g, 0, NNA_OPERATION_NEG, negative, out[0]);
	assert_int_equal(nna_graph_set_io(g, 0, 3, in, 1, &negative), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	run_begin(&r, *state, g);
	assert_int_equal(nna_execution_set_input(r.execution, 0, 2, by2, scores, sizeof(scores)),
			 0);
	assert_int_equal(nna_execution_set_input(r.execution, 1, 2, by8, boxes, sizeof(boxes)), 0);
	assert_int_equal(nna_execution_set_input(r.execution, 2, 1, &n, batches, sizeof(batches)),
			 0);
	set_output(&r, result, sizeof(result));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nna_execution_compute(r.execution), 0);
		check_length(&r, 0, 2);
		assert_true(result[0] == -0.9f && result[1] == -0.7f);
	}
	set_output(&r, result, sizeof(result[0]));
	assert_int_equal(nna_execution_compute(r.execution), -ENOSPC);
	check_length(&r, -ENOSPC, 2);
	run_end(&r);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_growing_loop),
		TEST(test_too_small),
		TEST(test_endless),
		TEST(test_default_limit),
		TEST(test_branches_of_two_shapes),
		TEST(test_computed_size),
		TEST(test_first_part),
		TEST(test_state_in_parts),
		TEST(test_boxes_read_by_another_operation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* Variants: shapes, and values that decide about shapes, that come with the inputs. */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

/* Dimensions that come with the inputs: a variant per signature. */
static void test_unknown_dims(void **state)
{
	struct nna_graph *g = add_graph(0);
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	struct nna_program *p;
	struct nna_execution *e;
	struct nna_io_info info;
	float a[256], b[256], out[256];

	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	assert_int_equal(nna_program_get_input(p, 0, &info), 0);
	assert_int_equal(info.size, 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, a, 4), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, b, 4), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	assert_int_equal(nna_execution_compute(e), -EINVAL);
	for (uint32_t round = 0; round < 100; round++) {
		uint32_t n = 1 + round * 37 % 200;

		for (uint32_t i = 0; i < n; i++) {
			a[i] = round + i;
			b[i] = 2 * i;
		}
		assert_int_equal(nna_execution_set_input(e, 0, 1, &n, a, n * 4), 0);
		assert_int_equal(nna_execution_set_input(e, 1, 1, &n, b, n * 4), 0);
		assert_int_equal(nna_execution_compute(e), 0);
		assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), 0);
		assert_int_equal(dims[0], n);
		for (uint32_t i = 0; i < n; i++)
			assert_true(out[i] == a[i] + b[i]);
	}
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* A reshape whose shape is an input: its value is part of the signature. */
static void test_parameter_input(void **state)
{
	uint32_t twelve = 12, three = 2, unknown[2] = { 0, 0 };
	uint32_t in, shape, out, rank, dims[NNACCEL_MAX_RANK];
	static const int32_t wanted[][2] = { { 3, 4 }, { 2, 6 }, { 3, 4 }, { 12, 1 } };
	float data[12], result[12];
	struct nna_graph *g;
	struct nna_program *p;
	struct nna_execution *e;
	int32_t value[2];

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &twelve, 0, 0);
	shape = operand(g, NNA_OPERAND_TENSOR_INT32, 1, &three, 0, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, unknown, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_RESHAPE, 2,
						 (uint32_t[]){ in, shape }, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ in, shape }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	for (int i = 0; i < 12; i++)
		data[i] = i;
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, data, sizeof(data)), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, value, sizeof(value)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, result, sizeof(result)), 0);
	for (int i = 0; i < 4; i++) {
		memcpy(value, wanted[i], sizeof(value));
		memset(result, 0, sizeof(result));
		assert_int_equal(nna_execution_compute(e), 0);
		assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), 0);
		assert_int_equal(rank, 2);
		assert_int_equal(dims[0], wanted[i][0]);
		assert_int_equal(dims[1], wanted[i][1]);
		assert_memory_equal(result, data, sizeof(data));
	}
	value[0] = 5;
	value[1] = 5;
	assert_int_equal(nna_execution_compute(e), -EINVAL);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/**
 * struct change - a value that somebody else changes while a variant is compiled
 * @asked: how often the compiler has asked whether to go on, which it does before each operation
 * @value: of the shape
 */
struct change {
	int asked;
	int32_t value[2];
};

static bool change(void *user)
{
	struct change *c = user;

	if (++c->asked > 1) {
		c->value[0] = 2;
		c->value[1] = 6;
	}
	return false;
}

/* Two reshapes by one input, which may lie in memory that others write: both see one value. */
static void test_parameter_that_changes(void **state)
{
	uint32_t twelve = 12, two = 2, unknown[2] = { 0, 0 };
	struct change c = { .value = { 12, 1 } };
	const struct nna_compile_limit limit = { .is_cancelled = change, .user = &c };
	const void *data[2] = { NULL, c.value };
	struct nna_shape shapes[2];
	uint32_t in, shape, out[2], stop;
	struct nna_variant *v;
	struct nna_program *p;
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &twelve, 0, 0);
	shape = operand(g, NNA_OPERAND_TENSOR_INT32, 1, &two, 0, 0);
	for (int i = 0; i < 2; i++) {
		out[i] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, unknown, 0, 0);
		assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_RESHAPE, 2,
							 (uint32_t[]){ in, shape }, 1, &out[i]),
				 0);
	}
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ in, shape }, 2, out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	shapes[0] = p->graph->subgraphs[0].operands[in].shape;
	shapes[1] = p->graph->subgraphs[0].operands[shape].shape;
	/* From here on the input is known to decide about shapes. */
	assert_int_equal(nna_variant_get(p, shapes, data, NULL, &stop, &v), 0);
	nna_variant_put(p, v);
	c.value[0] = 3;
	c.value[1] = 4;
	assert_int_equal(nna_variant_get(p, shapes, data, &limit, &stop, &v), 0);
	assert_int_equal(c.value[0], 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(v->code->outputs[i].dims[0], 3);
		assert_int_equal(v->code->outputs[i].dims[1], 4);
	}
	nna_variant_put(p, v);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* ------------------------------------------------------------------------- what is given back */

/* Binds @data to input @i of float or INT32 elements; NULL leaves it out. */
static void bind(struct nna_execution *e, uint32_t i, uint32_t n, const void *data)
{
	if (data)
		assert_int_equal(nna_execution_set_input(e, i, 1, &n, data, n * 4), 0);
	else
		assert_int_equal(nna_execution_set_input(e, i, 0, NULL, NULL, 0), 0);
}

/* More shapes than a program keeps variants of. */
static void run_many_shapes(struct nna_device *device)
{
	struct nna_graph *g = add_graph(0);
	float a[40] = { 0 }, out[40];
	struct nna_execution *e;
	struct nna_program *p;
	uint64_t size;

	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	assert_int_equal(nna_program_saved_size(p, &size), -ENOTSUP);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	/* The last one a second time: a variant that is there already. */
	for (uint32_t n = 1; n <= 41; n++) {
		bind(e, 0, n < 40 ? n : 40, a);
		bind(e, 1, n < 40 ? n : 40, a);
		assert_int_equal(nna_execution_compute(e), 0);
	}
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

static int write_nothing(void *user, const void *data, size_t size)
{
	return 0;
}

static void run_stated(struct nna_device *device)
{
	const struct nna_blob_writer writer = { write_nothing, NULL };
	struct nna_graph *g = add_graph(16);
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);
	struct nna_program *p;
	uint64_t size;

	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	assert_int_equal(nna_program_saved_size(p, &size), 0);
	assert_int_equal(nna_program_save(p, &writer), 0);
	assert_int_equal(nna_program_dump(p, to), 0);
	fclose(to);
	free(text);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* An input that decides about shapes only where it is not left out: it drops earlier variants. */
static void run_late_parameter(struct nna_device *device)
{
	uint32_t dims[2] = { 2, 3 }, two = 2, unknown[2] = { 0, 0 }, in, order, out;
	static const int32_t same[] = { 0, 1 };
	float data[6] = { 0 }, result[6];
	struct nna_execution *e;
	struct nna_program *p;
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, unknown, 0, 0);
	order = operand(g, NNA_OPERAND_TENSOR_INT32, 1, &two, 0, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, unknown, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_TRANSPOSE, 2,
						 (uint32_t[]){ in, order }, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ in, order }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nna_execution_create(p, &e), 0);
		assert_int_equal(nna_execution_set_input(e, 0, 2, dims, data, sizeof(data)), 0);
		bind(e, 1, 2, i == 1 ? same : NULL);
		assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, result, sizeof(result)),
				 0);
		assert_int_equal(nna_execution_compute(e), 0);
		nna_execution_destroy(e);
	}
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* A shape that is computed: a variant without code, and parts. */
static void run_computed_shape(struct nna_device *device)
{
	uint32_t twelve = 12, two = 2, unknown[2] = { 0, 0 }, in, shape, sum, act, out;
	static const int32_t half[] = { 1, 3 };
	float data[12] = { 0 }, result[12];
	struct nna_execution *e;
	struct nna_program *p;
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &twelve, 0, 0);
	shape = operand(g, NNA_OPERAND_TENSOR_INT32, 1, &two, 0, 0);
	sum = operand(g, NNA_OPERAND_TENSOR_INT32, 1, &two, 0, 0);
	act = scalar(g, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, unknown, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ shape, shape, act }, 1, &sum),
			 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_RESHAPE, 2,
						 (uint32_t[]){ in, sum }, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ in, shape }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	bind(e, 0, 12, data);
	bind(e, 1, 2, half);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, result, sizeof(result)), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(nna_execution_compute(e), 0);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* What a program has compiled goes with it: after many programs there is no more than before. */
static void test_given_back(void **state)
{
	enum { ROUNDS = 100, LIMIT = 128 };
	static void (*const runs[])(struct nna_device *) = {
		run_many_shapes, run_stated, run_late_parameter, run_computed_shape,
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		size_t before = 0, after;

		for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
			if (round == ROUNDS)
				before = mallinfo2().uordblks;
			runs[i](*state);
		}
		after = mallinfo2().uordblks;
		if (after > before + ROUNDS * LIMIT)
			fail_msg("kind %zu: %zu bytes a program", i, (after - before) / ROUNDS);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_unknown_dims),
		TEST(test_parameter_input),
		TEST(test_parameter_that_changes),
		TEST(test_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

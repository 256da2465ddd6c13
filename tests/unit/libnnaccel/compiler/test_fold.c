// SPDX-License-Identifier: MIT
/*
 * Folding: how many jobs the compiler has run for it, what decides about them, and that the values
 * are right. Jobs run on the loopback.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/fold.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/runtime/variant.h"
#include "tests/unit/libnnaccel/loopback.h"

/* Operations on constants alone in a graph. */
#define COUNT 40u

/**
 * struct counted - one compilation
 * @program: what nna_fold_run() needs of one
 * @jobs: run so far
 * @results: of the last one
 */
struct counted {
	struct nna_program program;
	uint32_t jobs, results;
};

static int run(void *user, const struct nna_code *code, void *const *outputs)
{
	struct counted *c = user;

	c->jobs++;
	c->results = code->output_count;
	return nna_fold_run(&c->program, code, outputs);
}

/* Compiles a graph for the shapes that it states. */
static int compile(struct nna_device *device, struct nna_graph *g, struct counted *c,
		   struct nna_code **code)
{
	struct nna_shape inputs[4] = { 0 };
	struct nna_compile_options options = {
		.backend = device->backend,
		.inputs = inputs,
		.max_slots = device->info.max_slots,
		.log = &test_log,
		.run = run,
		.user = c,
	};
	const struct nna_subgraph *sub = &g->subgraphs[0];
	uint32_t stop;

	*c = (struct counted){ .program = { .device = device, .graph = g } };
	for (uint32_t i = 0; i < sub->input_count; i++)
		inputs[i] = sub->operands[sub->inputs[i]].shape;
	return nna_compile(g, &options, &stop, code);
}

static uint32_t operand(struct nna_graph *g, uint32_t type, uint32_t rank, const uint32_t *dims)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };
	int ret = nna_graph_add_operand(g, 0, &desc);

	assert_true(ret >= 0);
	return ret;
}

static uint32_t constant(struct nna_graph *g, uint32_t type, uint32_t n, const void *data)
{
	uint32_t o = operand(g, type, n ? 1 : 0, n ? &n : NULL);

	assert_int_equal(nna_graph_set_constant(g, 0, o, data, 4 * (n ? n : 1), true), 0);
	return o;
}

static uint32_t none(struct nna_graph *g)
{
	return constant(g, NNA_OPERAND_INT32, 0, &(int32_t){ 0 });
}

/* One more operation, with one result of @type and @n elements. */
static uint32_t binary(struct nna_graph *g, uint32_t operation, uint32_t type, uint32_t n,
		       uint32_t a, uint32_t b)
{
	uint32_t out = operand(g, type, 1, &n);

	assert_int_equal(nna_graph_add_operation(g, 0, operation, 3,
						 (uint32_t[]){ a, b, none(g) }, 1, &out), 0);
	return out;
}

static const float some[4] = { 1, -2, 3.5f, 4 };

static struct nna_graph *begin(uint32_t *x, const uint32_t *n)
{
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	*x = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, n);
	return g;
}

static void finish(struct nna_graph *g, uint32_t x, uint32_t out)
{
	assert_int_equal(nna_graph_set_io(g, 0, 1, &x, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
}

/* What the graph makes of @x. */
static void compute(struct nna_device *device, struct nna_graph *g, const float *x, size_t size,
		    float *out)
{
	struct nna_execution *e;
	struct nna_program *p;

	assert_int_equal(nna_program_create(device, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, x, size), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, size), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	nna_execution_destroy(e);
	nna_program_destroy(p);
}

/*
 * Sums of constants, sums of those, and between them operations that need an input: x + some, again
 * and again. All of the former are one job.
 */
static void test_one_job(void **state)
{
	uint32_t n = 4, x, y, sum, c;
	struct nna_graph *g = begin(&x, &n);
	float in[4] = { 10, 20, 30, 40 }, out[4], expected[4];
	struct counted counted;
	struct nna_code *code;

	c = constant(g, NNA_OPERAND_TENSOR_FLOAT32, n, some);
	sum = c;
	y = x;
	memcpy(expected, in, sizeof(expected));
	for (uint32_t i = 0; i < COUNT; i++) {
		sum = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_FLOAT32, n, sum, c);
		y = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_FLOAT32, n, y, sum);
		for (uint32_t k = 0; k < n; k++)
			expected[k] += (i + 2) * some[k];
	}
	finish(g, x, y);
	assert_int_equal(compile(*state, g, &counted, &code), 0);
	assert_int_equal(counted.jobs, 1);
	assert_int_equal(counted.results, COUNT);
	nna_code_destroy(code);
	compute(*state, g, in, sizeof(in), out);
	assert_memory_equal(out, expected, sizeof(out));
	nna_graph_unref(g);
}

/* Views between them: what a SPLIT makes of a result takes part in the same job. */
static void test_views(void **state)
{
	uint32_t n = 4, half = 2, x, c, sum, parts[2], low, y;
	struct nna_graph *g = begin(&x, &half);
	float in[2] = { 10, 20 }, out[2], expected[2];
	struct counted counted;
	struct nna_code *code;

	c = constant(g, NNA_OPERAND_TENSOR_FLOAT32, n, some);
	sum = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_FLOAT32, n, c, c);
	parts[0] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &half);
	parts[1] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &half);
	assert_int_equal(nna_graph_add_operation(
				 g, 0, NNA_OPERATION_SPLIT, 3,
				 (uint32_t[]){ sum, none(g),
					       constant(g, NNA_OPERAND_INT32, 0, &(int32_t){ 2 }) },
				 2, parts), 0);
	low = binary(g, NNA_OPERATION_MUL, NNA_OPERAND_TENSOR_FLOAT32, half, parts[0], parts[1]);
	y = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_FLOAT32, half, x, low);
	finish(g, x, y);
	assert_int_equal(compile(*state, g, &counted, &code), 0);
	assert_int_equal(counted.jobs, 1);
	nna_code_destroy(code);
	compute(*state, g, in, sizeof(in), out);
	for (uint32_t k = 0; k < half; k++)
		expected[k] = in[k] + 4 * some[k] * some[k + 2];
	assert_memory_equal(out, expected, sizeof(out));
	nna_graph_unref(g);
}

/*
 * A result decides about a shape: it and all that waits with it is computed at once. What needs
 * that shape is another job: here the twofold, which has to be [2, 2].
 */
static void test_on_demand(void **state)
{
	uint32_t n = 4, two = 2, dims[2] = { 2, 2 }, x, c, sum, shape, square, twofold, matrix, y;
	struct nna_graph *g = begin(&x, &n);
	float in[4] = { 10, 20, 30, 40 }, out[4], expected[4];
	struct counted counted;
	struct nna_code *code;

	c = constant(g, NNA_OPERAND_TENSOR_FLOAT32, n, some);
	sum = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_FLOAT32, n, c, c);
	shape = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_INT32, two,
		       constant(g, NNA_OPERAND_TENSOR_INT32, two, (int32_t[]){ 1, -1 }),
		       constant(g, NNA_OPERAND_TENSOR_INT32, two, (int32_t[]){ 1, 3 }));
	square = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 0, NULL);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_RESHAPE, 2,
						 (uint32_t[]){ sum, shape }, 1, &square), 0);
	twofold = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, dims);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ square, square, none(g) }, 1,
						 &twofold), 0);
	matrix = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, dims);
	assert_int_equal(nna_graph_add_operation(
				 g, 0, NNA_OPERATION_RESHAPE, 2,
				 (uint32_t[]){ x, constant(g, NNA_OPERAND_TENSOR_INT32, two,
							   dims) },
				 1, &matrix), 0);
	y = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, dims);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ matrix, twofold, none(g) }, 1, &y),
			 0);
	finish(g, x, y);
	assert_int_equal(compile(*state, g, &counted, &code), 0);
	assert_int_equal(counted.jobs, 2);
	assert_int_equal(counted.results, 1);
	nna_code_destroy(code);
	compute(*state, g, in, sizeof(in), out);
	for (uint32_t k = 0; k < n; k++)
		expected[k] = in[k] + 4 * some[k];
	assert_memory_equal(out, expected, sizeof(out));
	nna_graph_unref(g);
}

/* Results that would be too much memory at once are computed in several jobs. */
static void test_large(void **state)
{
	uint32_t n = 1u << 22, x, y, c, sum = 0;
	struct nna_graph *g = begin(&x, &n);
	float *data = malloc(n * sizeof(*data));
	struct counted counted;
	struct nna_code *code;

	assert_non_null(data);
	for (uint32_t i = 0; i < n; i++)
		data[i] = i % 1000;
	c = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n);
	assert_int_equal(nna_graph_set_constant(g, 0, c, data, n * sizeof(*data), false), 0);
	y = x;
	for (uint32_t i = 0; i < 6; i++) {
		sum = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_FLOAT32, n, sum ?: c, c);
		y = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_FLOAT32, n, y, sum);
	}
	finish(g, x, y);
	assert_int_equal(compile(*state, g, &counted, &code), 0);
	assert_int_equal(counted.jobs, 2);
	nna_code_destroy(code);
	nna_graph_unref(g);
	free(data);
}

/* The device says no to a constant operation: so does the compiler, and names it. */
static void test_failure(void **state)
{
	uint32_t n = 4, one = 1, x, c, out, y;
	struct nna_graph *g = begin(&x, &n);
	struct counted counted;
	struct nna_code *code;

	c = constant(g, NNA_OPERAND_TENSOR_FLOAT32, n, some);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &one);
	assert_int_equal(nna_graph_add_operation(
				 g, 0, NNA_OPERATION_GATHER, 3,
				 (uint32_t[]){ c, none(g), constant(g, NNA_OPERAND_TENSOR_INT32, 1,
								    &(int32_t){ 9 }) },
				 1, &out), 0);
	y = binary(g, NNA_OPERATION_ADD, NNA_OPERAND_TENSOR_FLOAT32, n, x, out);
	finish(g, x, y);
	assert_int_equal(compile(*state, g, &counted, &code), -ERANGE);
	assert_int_equal(counted.jobs, 1);
	if (!strstr(last_line, "GATHER (operation 0)"))
		fail_msg("the message is: %s", last_line);
	nna_graph_unref(g);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_one_job), TEST(test_views),	TEST(test_on_demand),
		TEST(test_large),   TEST(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

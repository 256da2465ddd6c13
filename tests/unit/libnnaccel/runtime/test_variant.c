// SPDX-License-Identifier: MIT
/* Variants: shapes, and values that decide about shapes, that come with the inputs. */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <errno.h>
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_unknown_dims),
		TEST(test_parameter_input),
		TEST(test_parameter_that_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

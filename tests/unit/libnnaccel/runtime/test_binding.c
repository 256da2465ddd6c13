// SPDX-License-Identifier: MIT
/* Bindings: what is refused, outputs that are too small, more inputs than slots. */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <errno.h>
#include <string.h>

static void test_bindings(void **state)
{
	struct nna_execution *e;
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	struct sum s;

	sum_begin(&s, *state, 64);
	assert_int_equal(nna_execution_create(s.program, &e), 0);
	/* Unbound, wrong index, wrong size, wrong dims. */
	assert_int_equal(nna_execution_compute(e), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 2, 0, NULL, s.a, 256), -EINVAL);
	assert_int_equal(nna_execution_set_output(e, 1, 0, NULL, s.out, 256), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 0, 1, (uint32_t[]){ 65 }, s.a, 260), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 0, 2, (uint32_t[]){ 8, 8 }, s.a, 256), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, NULL, 256), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 0, 1, (uint32_t[]){ 64 }, s.a, 256), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, s.b, 252), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, s.out, 256), 0);
	assert_int_equal(nna_execution_compute(e), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, s.b, 256), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	sum_check(&s);
	/* Too small an output. */
	memset(s.out, 0, 256);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, s.out, 255), 0);
	assert_int_equal(nna_execution_compute(e), -ENOSPC);
	assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), -ENOSPC);
	assert_int_equal(rank, 1);
	assert_int_equal(dims[0], 64);
	assert_true(s.out[1] == 0);
	/* More room than needed. */
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, s.out, 256), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), 0);
	sum_check(&s);
	nna_execution_destroy(e);
	sum_end(&s);
}

/* A new buffer may be where one was that is gone: for the device it is another one. */
static void test_replaced_buffer(void **state)
{
	struct nna_buffer *one, *other, content;
	struct sum s;

	sum_begin(&s, *state, 16);
	assert_int_equal(nna_buffer_create(*state, 4096, &one), 0);
	assert_int_equal(nna_buffer_create(*state, 4096, &other), 0);
	assert_int_equal(nna_execution_set_output_buffer(s.execution, 0, 0, NULL, one, 0, 64), 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	/* What destroying it and making another one at its address comes to. */
	content = *one;
	*one = *other;
	*other = content;
	assert_int_equal(nna_execution_set_output_buffer(s.execution, 0, 0, NULL, one, 0, 64), 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	memcpy(s.out, nna_buffer_map(one), 64);
	sum_check(&s);
	nna_buffer_destroy(one);
	nna_buffer_destroy(other);
	sum_end(&s);
}

/* More inputs than slots: the rest shares staging memory. */
static void test_many_inputs(void **state)
{
	enum { COUNT = 100 };
	uint32_t n = 3, inputs[COUNT + 1], out, dim = 3 * COUNT;
	float data[COUNT][3], result[3 * COUNT];
	struct nna_graph *g;
	struct nna_program *p;
	struct nna_execution *e;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	for (int i = 0; i < COUNT; i++) {
		inputs[i] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
		for (int k = 0; k < 3; k++)
			data[i][k] = 10 * i + k;
	}
	inputs[COUNT] = scalar(g, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &dim, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_CONCATENATION, COUNT + 1,
						 inputs, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, COUNT, inputs, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(nna_execution_set_input(e, i, 0, NULL, data[i], sizeof(data[i])),
				 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, result, sizeof(result)), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	assert_memory_equal(result, data, sizeof(data));
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_bindings),
		TEST(test_replaced_buffer),
		TEST(test_many_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

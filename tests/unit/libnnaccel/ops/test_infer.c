// SPDX-License-Identifier: MIT
/* Inference of shapes, from values that are bound too, and its comparison with stated ones. */
#include "tests/unit/libnnaccel/graph/fixture.h"

#include <errno.h>

#include "libnnaccel/ops/infer.h"

/* RESHAPE whose dims are an input: nothing is known until it is bound. */
static void bound_values_decide(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t dims[] = { 2, 6 }, two[] = { 2 };
	uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 2, dims);
	uint32_t wanted = tensor(graph, NNA_OPERAND_TENSOR_INT32, 1, two);
	uint32_t out = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 0, NULL);
	const int32_t value[] = { 3, -1 };
	struct nna_bound_value bound = { wanted, value, sizeof(value) };
	struct nna_shape shapes[3];
	uint32_t stop = 99;

	nna_graph_add_operation(graph, 0, NNA_OPERATION_RESHAPE, 2, (uint32_t[]){ a, wanted }, 1,
				&out);
	nna_graph_set_io(graph, 0, 2, (uint32_t[]){ a, wanted }, 1, &out);
	assert_int_equal(nna_graph_finish(graph), 0);
	nna_infer_begin(graph, 0, shapes);
	assert_int_equal(nna_infer_subgraph(graph, 0, shapes, NULL, 0, &stop, NULL), -EAGAIN);
	assert_int_equal(stop, 0);
	assert_int_equal(nna_infer_subgraph(graph, 0, shapes, &bound, 1, &stop, NULL), 0);
	assert_int_equal(shapes[out].rank, 2);
	assert_int_equal(shapes[out].dims[0], 3);
	assert_int_equal(shapes[out].dims[1], 4);
	nna_graph_unref(graph);
}

static void stated_dims_must_agree(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t dims[] = { 2, 3 }, other[] = { 2, 4 };
	uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 2, dims);
	uint32_t out = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 2, other);

	nna_graph_add_operation(graph, 0, NNA_OPERATION_RELU, 1, &a, 1, &out);
	nna_graph_set_io(graph, 0, 1, &a, 1, &out);
	assert_int_equal(nna_graph_finish(graph), -EINVAL);
	assert_non_null(strstr(record.last, "dimensions [2, 4]; expected [2, 3]"));
	nna_graph_unref(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bound_values_decide),
		cmocka_unit_test(stated_dims_must_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

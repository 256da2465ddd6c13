// SPDX-License-Identifier: MIT
/* Finishing a graph: operations are put in order, and what has no order or no writer is refused. */
#include "tests/unit/libnnaccel/graph/fixture.h"

#include <errno.h>

/* out = (a + b) + b, the operations in the wrong order. */
static void order_is_found(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t dims[] = { 2, 3 }, one[] = { 1, 3 }, unknown[] = { 0, 0 };
	uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 2, dims);
	uint32_t b = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 2, one);
	uint32_t sum = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 2, unknown);
	uint32_t out = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 0, NULL);
	uint32_t act = scalar(graph, 0);

	assert_int_equal(nna_graph_add_operation(graph, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ sum, b, act }, 1, &out),
			 0);
	assert_int_equal(nna_graph_add_operation(graph, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ a, b, act }, 1, &sum),
			 0);
	assert_int_equal(nna_graph_set_io(graph, 0, 2, (uint32_t[]){ a, b }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(graph), 0);
	assert_int_equal(graph->subgraphs[0].order[0], 1);
	assert_int_equal(graph->subgraphs[0].order[1], 0);
	assert_true(graph->subgraphs[0].operands[out].shape.final);
	assert_int_equal(graph->subgraphs[0].operands[out].shape.rank, 2);
	assert_int_equal(graph->subgraphs[0].operands[out].shape.dims[0], 2);
	assert_int_equal(graph->subgraphs[0].operands[out].shape.dims[1], 3);
	assert_int_equal(record.lines, 0);
	nna_graph_unref(graph);
}

static void cycle_is_refused(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t dims[] = { 4 };
	uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	uint32_t x = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	uint32_t y = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	uint32_t act = scalar(graph, 0);

	nna_graph_add_operation(graph, 0, NNA_OPERATION_ADD, 3, (uint32_t[]){ a, y, act }, 1, &x);
	nna_graph_add_operation(graph, 0, NNA_OPERATION_ADD, 3, (uint32_t[]){ a, x, act }, 1, &y);
	nna_graph_set_io(graph, 0, 1, &a, 1, &y);
	assert_int_equal(nna_graph_finish(graph), -EINVAL);
	assert_non_null(strstr(record.last, "cycle"));
	nna_graph_unref(graph);
}

static void two_writers_are_refused(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t dims[] = { 4 };
	uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	uint32_t x = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);

	nna_graph_add_operation(graph, 0, NNA_OPERATION_RELU, 1, &a, 1, &x);
	nna_graph_add_operation(graph, 0, NNA_OPERATION_TANH, 1, &a, 1, &x);
	nna_graph_set_io(graph, 0, 1, &a, 1, &x);
	assert_int_equal(nna_graph_finish(graph), -EINVAL);
	assert_non_null(strstr(record.last, "both write"));
	nna_graph_unref(graph);
}

static void unwritten_operand_is_refused(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t dims[] = { 4 };
	uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	uint32_t x = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);

	nna_graph_add_operation(graph, 0, NNA_OPERATION_RELU, 1, &a, 1, &x);
	nna_graph_set_io(graph, 0, 0, NULL, 1, &x);
	assert_int_equal(nna_graph_finish(graph), -EINVAL);
	assert_non_null(strstr(record.last, "no operation writes"));
	nna_graph_unref(graph);
}

static void recursion_is_refused(void **state)
{
	struct nna_graph *graph = new_graph();
	struct nna_operand_desc desc = { .type = NNA_OPERAND_SUBGRAPH };
	const uint32_t dims[] = { 4 };
	struct nna_operand_desc vector = { .type = NNA_OPERAND_TENSOR_FLOAT32,
					   .rank = 1,
					   .dims = dims };
	uint32_t numbers[2] = { 0, 1 };

	nna_graph_add_subgraph(graph);
	for (uint32_t s = 0; s < 2; s++) {
		nna_graph_add_operand(graph, s, &vector);
		nna_graph_add_operand(graph, s, &vector);
		nna_graph_add_operand(graph, s, &desc);
		nna_graph_set_subgraph(graph, s, 2, 1);
		nna_graph_add_operation(graph, s, NNA_OPERATION_RELU, 1, &numbers[0], 1,
					&numbers[1]);
		nna_graph_set_io(graph, s, 1, &numbers[0], 1, &numbers[1]);
	}
	assert_int_equal(nna_graph_finish(graph), -EINVAL);
	assert_non_null(strstr(record.last, "refers to itself"));
	nna_graph_unref(graph);
}

static void unknown_operation_is_no_error(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t dims[] = { 4 };
	uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	uint32_t x = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	uint32_t y = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	bool supported[2] = { true, false };

	nna_graph_add_operation(graph, 0, 0x2000, 1, &a, 1, &x);
	nna_graph_add_operation(graph, 0, NNA_OPERATION_RELU, 1, &x, 1, &y);
	nna_graph_set_io(graph, 0, 1, &a, 1, &y);
	assert_int_equal(nna_graph_finish(graph), 0);
	assert_int_equal(nna_graph_get_supported(graph, NULL, supported), 0);
	assert_false(supported[0]);
	assert_true(supported[1]);
	nna_graph_unref(graph);
}

/* out = ABS(a + b), where a and b do not go together: refused, or only not supported. */
static void lenient_finish_keeps_wrong_operations(void **state)
{
	const uint32_t four[] = { 4 }, five[] = { 5 };

	for (int lenient = 0; lenient < 2; lenient++) {
		struct nna_graph *graph = new_graph();
		uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, four);
		uint32_t b = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, five);
		uint32_t sum = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, four);
		uint32_t out = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 0, NULL);
		uint32_t act = scalar(graph, 0);
		bool supported[2] = { true, false };

		nna_graph_add_operation(graph, 0, NNA_OPERATION_ADD, 3,
					(uint32_t[]){ a, b, act }, 1, &sum);
		nna_graph_add_operation(graph, 0, NNA_OPERATION_ABS, 1, &sum, 1, &out);
		nna_graph_set_io(graph, 0, 2, (uint32_t[]){ a, b }, 1, &out);
		assert_int_equal(lenient ? nna_graph_finish_leniently(graph) :
					   nna_graph_finish(graph),
				 lenient ? 0 : -EINVAL);
		assert_non_null(strstr(record.last, "ADD"));
		assert_int_equal(nna_graph_get_supported(graph, NULL, supported),
				 lenient ? 0 : -EINVAL);
		assert_int_equal(supported[0], !lenient);
		/* What follows goes by the shape that the graph states. */
		assert_int_equal(supported[1], lenient);
		if (lenient)
			assert_int_equal(graph->subgraphs[0].operands[out].shape.dims[0], 4);
		nna_graph_unref(graph);
	}
}

/* What the library cannot hold has a place in a graph, but not in an operation. */
static void opaque_operands_are_not_supported(void **state)
{
	const struct nna_operand_desc opaque = { .type = NNA_OPERAND_OPAQUE };
	struct nna_graph *graph = new_graph();
	bool supported = true;
	int in, out;

	in = nna_graph_add_operand(graph, 0, &opaque);
	out = nna_graph_add_operand(graph, 0, &opaque);
	assert_true(in >= 0 && out >= 0);
	assert_int_equal(nna_graph_add_operation(graph, 0, NNA_OPERATION_ABS, 1,
						 (uint32_t[]){ in }, 1, (uint32_t[]){ out }),
			 0);
	assert_int_equal(nna_graph_set_io(graph, 0, 1, (uint32_t[]){ in }, 1, (uint32_t[]){ out }),
			 0);
	assert_int_equal(nna_graph_finish(graph), 0);
	assert_int_equal(nna_graph_get_supported(graph, NULL, &supported), 0);
	assert_false(supported);
	nna_graph_unref(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_found),
		cmocka_unit_test(lenient_finish_keeps_wrong_operations),
		cmocka_unit_test(opaque_operands_are_not_supported),
		cmocka_unit_test(cycle_is_refused),
		cmocka_unit_test(two_writers_are_refused),
		cmocka_unit_test(unwritten_operand_is_refused),
		cmocka_unit_test(recursion_is_refused),
		cmocka_unit_test(unknown_operation_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* Copying subgraphs between graphs: what is copied, and what is refused. */
#include "tests/unit/libnnaccel/graph/fixture.h"

#include <errno.h>

/* Subgraph 1 doubles [64]; the main one is IF with it as both branches, on constants. */
static struct nna_graph *new_source(const float *data, bool finish)
{
	const uint32_t one = 1, n = 64, io[] = { 0, 1 }, branches[] = { 0, 3, 3, 1 };
	const uint32_t sum[] = { 0, 2, 3 }, out = 2;
	const struct nna_operand_desc desc[] = {
		{ .type = NNA_OPERAND_TENSOR_BOOL8, .rank = 1, .dims = &one },
		{ .type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 1, .dims = &n },
		{ .type = NNA_OPERAND_SUBGRAPH },
		{ .type = NNA_OPERAND_INT32 },
	};
	struct nna_graph *graph = new_graph();
	const int32_t none = 0;

	assert_int_equal(nna_graph_add_subgraph(graph), 1);
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc[0]), 0);
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc[1]), 1);
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc[1]), 2);
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc[2]), 3);
	assert_int_equal(nna_graph_set_subgraph(graph, 0, 3, 1), 0);
	assert_int_equal(nna_graph_add_operation(graph, 0, NNA_OPERATION_IF, 4, branches, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(graph, 0, 2, io, 1, &out), 0);

	assert_int_equal(nna_graph_add_operand(graph, 1, &desc[1]), 0);
	assert_int_equal(nna_graph_add_operand(graph, 1, &desc[1]), 1);
	assert_int_equal(nna_graph_add_operand(graph, 1, &desc[1]), 2);
	assert_int_equal(nna_graph_add_operand(graph, 1, &desc[3]), 3);
	assert_int_equal(nna_graph_set_constant(graph, 1, 2, data, n * sizeof(*data), true), 0);
	assert_int_equal(nna_graph_set_constant(graph, 1, 3, &none, sizeof(none), false), 0);
	assert_int_equal(nna_graph_add_operation(graph, 1, NNA_OPERATION_ADD, 3, sum, 1, &io[1]),
			 0);
	assert_int_equal(nna_graph_set_io(graph, 1, 1, io, 1, &io[1]), 0);
	if (finish)
		assert_int_equal(nna_graph_finish(graph), 0);
	return graph;
}

/* The copy is whole without its source, refers to other numbers, and reads the caller's bytes. */
static void subgraphs_are_copied(void **state)
{
	static const float data[64];
	struct nna_graph *from = new_source(data, true), *graph = new_graph();
	const uint32_t numbers[] = { 0, 2 };
	const struct nna_subgraph *sub;

	assert_int_equal(nna_graph_add_subgraph(graph), 1);
	assert_int_equal(nna_graph_add_subgraph(graph), 2);
	assert_int_equal(nna_graph_copy_subgraph(graph, 0, from, 0, numbers), 0);
	assert_int_equal(nna_graph_copy_subgraph(graph, 1, from, 1, numbers), 0);
	assert_int_equal(nna_graph_copy_subgraph(graph, 2, from, 1, numbers), 0);
	nna_graph_unref(from);
	assert_int_equal(nna_graph_finish(graph), 0);
	assert_int_equal(graph->subgraphs[0].operands[3].subgraph, 2);
	sub = &graph->subgraphs[2];
	assert_int_equal(sub->operand_count, 4);
	assert_int_equal(sub->operation_count, 1);
	assert_ptr_equal(sub->operands[2].data, data);
	assert_false(sub->operands[2].owned);
	assert_true(sub->operands[3].owned);
	assert_int_equal(sub->input_count, 1);
	assert_int_equal(sub->outputs[0], 1);
	assert_int_equal(record.lines, 0);
	nna_graph_unref(graph);
}

static void bad_copies_are_refused(void **state)
{
	static const float data[64];
	struct nna_graph *raw = new_source(data, false), *from = new_source(data, true);
	const uint32_t numbers[] = { 0, 1 };
	struct nna_graph *graph = new_graph();

	assert_int_equal(nna_graph_copy_subgraph(graph, 0, raw, 1, numbers), -EINVAL);
	assert_int_equal(nna_graph_copy_subgraph(graph, 0, from, 2, numbers), -EINVAL);
	assert_int_equal(nna_graph_copy_subgraph(graph, 1, from, 1, numbers), -EINVAL);
	assert_int_equal(record.lines, 3);
	assert_int_equal(nna_graph_copy_subgraph(NULL, 0, from, 1, numbers), -EINVAL);
	assert_int_equal(nna_graph_copy_subgraph(graph, 0, NULL, 1, numbers), -EINVAL);
	assert_int_equal(nna_graph_copy_subgraph(graph, 0, from, 1, NULL), -EINVAL);
	assert_int_equal(nna_graph_copy_subgraph(graph, 0, from, 1, numbers), 0);
	assert_int_equal(nna_graph_copy_subgraph(graph, 0, from, 1, numbers), -EINVAL);
	assert_int_equal(record.lines, 6);
	assert_int_equal(nna_graph_copy_subgraph(from, 0, from, 1, numbers), -EINVAL);
	nna_graph_unref(graph);
	nna_graph_unref(from);
	nna_graph_unref(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subgraphs_are_copied),
		cmocka_unit_test(bad_copies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

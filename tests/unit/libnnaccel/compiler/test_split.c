// SPDX-License-Identifier: MIT
/* Splitting graphs: which operations come together, what flows between pieces, what is refused. */
#include "tests/unit/libnnaccel/graph/fixture.h"

#include <errno.h>

static const uint32_t four = 4;

/* Adds out = @a + @b; the result has @n elements, 0 is unknown. Return: its number. */
static int sum(struct nna_graph *graph, int a, int b, int activation, uint32_t n)
{
	const uint32_t in[] = { a, b, activation };
	uint32_t out = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, &n);

	assert_int_equal(nna_graph_add_operation(graph, 0, NNA_OPERATION_ADD, 3, in, 1, &out), 0);
	return out;
}

/*
 * x is operand 0, then t1 = x + x (3), t2 = t1 + c (4), t3 = t2 + x (5), t4 = t1 + t3 (6); outputs
 * t2 and t4. The constant c is operand 1, the activation 2.
 */
static struct nna_graph *chain(const float *c, uint32_t inner)
{
	struct nna_graph *graph = new_graph();
	uint32_t in = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, &four), out[2];
	int constant = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, &four), none, t1, t3;

	assert_int_equal(nna_graph_set_constant(graph, 0, constant, c, 4 * sizeof(*c), true), 0);
	none = scalar(graph, 0);
	t1 = sum(graph, in, in, none, inner);
	out[0] = sum(graph, t1, constant, none, inner);
	t3 = sum(graph, out[0], in, none, inner);
	out[1] = sum(graph, t1, t3, none, four);
	assert_int_equal(nna_graph_set_io(graph, 0, 1, &in, 2, out), 0);
	assert_int_equal(nna_graph_finish(graph), 0);
	return graph;
}

static void numbers_are(const uint32_t *numbers, uint32_t count, uint32_t a, uint32_t b)
{
	assert_int_equal(count, b == NNA_NONE ? 1 : 2);
	assert_int_equal(numbers[0], a);
	if (b != NNA_NONE)
		assert_int_equal(numbers[1], b);
}

/* An operand of the graph that several pieces need leaves its own once and enters the others. */
static void values_flow_between_pieces(void **state)
{
	static const float c[4];
	const uint32_t owners[] = { 0, 1, 0, 1 };
	struct nna_graph *graph = chain(c, 4);
	struct nna_graph_piece *pieces;
	uint32_t count = 0;

	assert_int_equal(nna_graph_split(graph, owners, 2, &pieces, &count), 0);
	assert_int_equal(count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(pieces[i].owner, i % 2);
		assert_int_equal(nna_graph_operation_count(pieces[i].graph, 0), 1);
		assert_true(pieces[i].graph->finished && !pieces[i].graph->failed);
	}
	numbers_are(pieces[0].inputs, pieces[0].input_count, 0, NNA_NONE);
	numbers_are(pieces[0].outputs, pieces[0].output_count, 3, NNA_NONE);
	numbers_are(pieces[1].inputs, pieces[1].input_count, 3, NNA_NONE);
	numbers_are(pieces[1].outputs, pieces[1].output_count, 4, NNA_NONE);
	numbers_are(pieces[2].inputs, pieces[2].input_count, 4, 0);
	numbers_are(pieces[2].outputs, pieces[2].output_count, 5, NNA_NONE);
	numbers_are(pieces[3].inputs, pieces[3].input_count, 3, 5);
	numbers_are(pieces[3].outputs, pieces[3].output_count, 6, NNA_NONE);
	/* The constant is read where the graph reads it. */
	for (uint32_t i = 0; i < pieces[1].graph->subgraphs[0].operand_count; i++)
		assert_true(pieces[1].graph->subgraphs[0].operands[i].size != sizeof(c) ||
			    pieces[1].graph->subgraphs[0].operands[i].owned);
	nna_graph_pieces_free(pieces, count);
	nna_graph_unref(graph);
}

/* An owner goes on as long as it can, whatever the order of the operations was. */
static void pieces_are_few(void **state)
{
	static const float c[4];
	const uint32_t owners[] = { 0, 1, 1, 0 }, one[] = { 1, 1, 1, 1 };
	struct nna_graph *graph = chain(c, 4);
	struct nna_graph_piece *pieces;
	uint32_t count = 0;

	assert_int_equal(nna_graph_split(graph, owners, 2, &pieces, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(nna_graph_operation_count(pieces[1].graph, 0), 2);
	numbers_are(pieces[1].inputs, pieces[1].input_count, 3, 0);
	numbers_are(pieces[1].outputs, pieces[1].output_count, 4, 5);
	nna_graph_pieces_free(pieces, count);

	assert_int_equal(nna_graph_split(graph, one, 2, &pieces, &count), 0);
	assert_int_equal(count, 1);
	numbers_are(pieces[0].outputs, pieces[0].output_count, 4, 6);
	nna_graph_pieces_free(pieces, count);
	nna_graph_unref(graph);
}

/* What the whole graph lets infer is stated in the pieces. */
static void inferred_shapes_are_stated(void **state)
{
	static const float c[4];
	const uint32_t owners[] = { 0, 1, 0, 1 };
	struct nna_graph *graph = chain(c, 0);
	struct nna_graph_piece *pieces;
	const struct nna_subgraph *sg;
	uint32_t count = 0;

	assert_int_equal(nna_graph_split(graph, owners, 2, &pieces, &count), 0);
	for (uint32_t i = 0; i < count; i++) {
		sg = &pieces[i].graph->subgraphs[0];
		for (uint32_t k = 0; k < sg->input_count; k++)
			assert_int_equal(sg->operands[sg->inputs[k]].stated.dims[0], 4);
	}
	nna_graph_pieces_free(pieces, count);
	nna_graph_unref(graph);
}

/* Operations whose results nobody reads are left out. */
static void unread_results_are_dropped(void **state)
{
	const uint32_t owners[] = { 0, 1 };
	struct nna_graph *graph = new_graph();
	uint32_t in = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, &four), out, count = 0;
	int none = scalar(graph, 0);
	struct nna_graph_piece *pieces;

	out = sum(graph, in, in, none, 4);
	sum(graph, out, in, none, 4);
	assert_int_equal(nna_graph_set_io(graph, 0, 1, &in, 1, &out), 0);
	assert_int_equal(nna_graph_finish(graph), 0);
	assert_int_equal(nna_graph_split(graph, owners, 2, &pieces, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(pieces[0].owner, 0);
	nna_graph_pieces_free(pieces, count);
	nna_graph_unref(graph);
}

static void what_cannot_be_split_is_refused(void **state)
{
	static const float c[4];
	const uint32_t owners[] = { 0, 1, 2, 1 };
	struct nna_graph *graph = chain(c, 4), *open = new_graph();
	struct nna_graph_piece *pieces;
	uint32_t count = 0;

	assert_int_equal(nna_graph_split(NULL, owners, 3, &pieces, &count), -EINVAL);
	assert_int_equal(nna_graph_split(open, owners, 3, &pieces, &count), -EINVAL);
	assert_int_equal(nna_graph_split(graph, owners, 2, &pieces, &count), -EINVAL);
	assert_int_equal(nna_graph_split(graph, NULL, 2, &pieces, &count), -EINVAL);
	nna_graph_unref(open);
	nna_graph_unref(graph);

	graph = new_graph();
	{
		uint32_t in = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, &four);
		uint32_t state_of = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, &four), out;
		int none = scalar(graph, 0);

		assert_int_equal(nna_graph_set_variable(graph, 0, state_of), 0);
		out = sum(graph, in, state_of, none, 4);
		assert_int_equal(nna_graph_set_io(graph, 0, 1, &in, 1, &out), 0);
	}
	assert_int_equal(nna_graph_finish(graph), 0);
	assert_int_equal(nna_graph_split(graph, owners, 3, &pieces, &count), -ENOTSUP);
	nna_graph_unref(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_flow_between_pieces),
		cmocka_unit_test(pieces_are_few),
		cmocka_unit_test(inferred_shapes_are_stated),
		cmocka_unit_test(unread_results_are_dropped),
		cmocka_unit_test(what_cannot_be_split_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

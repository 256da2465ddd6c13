// SPDX-License-Identifier: MIT
/* Building a graph: hostile calls are refused with a message. */
#include "tests/unit/libnnaccel/graph/fixture.h"

#include <errno.h>

static void bad_operands_are_refused(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t huge[] = { 65536, 65536, 65536 }, small[] = { 2 };
	const float negative = -1;
	struct nna_operand_desc desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
					 .rank = 3,
					 .dims = huge };

	assert_int_equal(nna_graph_add_operand(graph, 0, &desc), -EINVAL);
	desc.rank = NNACCEL_MAX_RANK + 1;
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc), -EINVAL);
	desc = (struct nna_operand_desc){ .type = 63 };
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc), -EINVAL);
	desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_QUANT8_ASYMM,
					  .rank = 1,
					  .dims = small };
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc), -EINVAL);
	desc.scale = 1;
	desc.zero_point = 256;
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc), -EINVAL);
	desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL,
					  .rank = 1,
					  .dims = small,
					  .channel_count = 1,
					  .channel_scales = &negative };
	assert_int_equal(nna_graph_add_operand(graph, 0, &desc), -EINVAL);
	assert_int_equal(nna_graph_add_operand(graph, 1, &desc), -EINVAL);
	assert_int_equal(nna_graph_set_constant(graph, 0, 0, "x", 1, false), -EINVAL);
	assert_int_equal(record.lines, 8);
	nna_graph_unref(graph);
}

static void constant_size_must_fit(void **state)
{
	struct nna_graph *graph = new_graph();
	const uint32_t dims[] = { 2 }, unknown[] = { 0 };
	const float data[2] = { 0 };
	uint32_t a = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, dims);
	uint32_t b = tensor(graph, NNA_OPERAND_TENSOR_FLOAT32, 1, unknown);

	assert_int_equal(nna_graph_set_constant(graph, 0, a, data, 7, false), -EINVAL);
	assert_int_equal(nna_graph_set_constant(graph, 0, b, data, 8, false), -EINVAL);
	assert_int_equal(nna_graph_set_constant(graph, 0, a, data, 8, false), 0);
	assert_int_equal(nna_graph_set_constant(graph, 0, a, data, 8, false), -EINVAL);
	nna_graph_unref(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_operands_are_refused),
		cmocka_unit_test(constant_size_must_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

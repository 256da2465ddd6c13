// SPDX-License-Identifier: MIT
/* The graph: hostile calls are refused with a message, order and shapes come out right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/graph/graph.h"
#include "libnnaccel/graph/infer.h"

struct record {
	unsigned int lines;
	char last[256];
};

static void record_line(void *user, enum nna_log_level level, const char *text)
{
	struct record *record = user;

	record->lines++;
	strncpy(record->last, text, sizeof(record->last) - 1);
}

static struct record record;

static struct nna_graph *new_graph(void)
{
	struct nna_log log = { record_line, &record };
	struct nna_graph *graph;

	memset(&record, 0, sizeof(record));
	assert_int_equal(nna_graph_create(&log, &graph), 0);
	return graph;
}

static int tensor(struct nna_graph *graph, uint32_t type, uint32_t rank, const uint32_t *dims)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };

	if (nna_type_is_quantised(type))
		desc.scale = 0.5f;
	return nna_graph_add_operand(graph, 0, &desc);
}

static int scalar(struct nna_graph *graph, int32_t value)
{
	int operand = tensor(graph, NNA_OPERAND_INT32, 0, NULL);

	assert_int_equal(nna_graph_set_constant(graph, 0, operand, &value, sizeof(value), false),
			 0);
	return operand;
}

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
	assert_non_null(strstr(record.last, "[2, 3], but the model says [2, 4]"));
	nna_graph_unref(graph);
}

static void names_are_complete(void **state)
{
	for (uint32_t type = 0; type <= 105; type++)
		assert_non_null(nna_operation_name(type));
	assert_null(nna_operation_name(106));
	assert_string_equal(nna_operation_name(NNA_OPERATION_CONV_2D), "CONV_2D");
	assert_string_equal(nna_operation_name(NNA_OPERATION_UNPACK), "UNPACK");
	assert_string_equal(nna_operation_name(NNA_OPERATION_GATHER_ND), "GATHER_ND");
	assert_string_equal(nna_operand_type_name(NNA_OPERAND_TENSOR_INT64), "TENSOR_INT64");
	assert_null(nna_operand_type_name(40));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_found),
		cmocka_unit_test(cycle_is_refused),
		cmocka_unit_test(two_writers_are_refused),
		cmocka_unit_test(unwritten_operand_is_refused),
		cmocka_unit_test(bad_operands_are_refused),
		cmocka_unit_test(constant_size_must_fit),
		cmocka_unit_test(recursion_is_refused),
		cmocka_unit_test(unknown_operation_is_no_error),
		cmocka_unit_test(bound_values_decide),
		cmocka_unit_test(stated_dims_must_agree),
		cmocka_unit_test(names_are_complete),
	};

	return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}

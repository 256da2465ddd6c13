// SPDX-License-Identifier: MIT
/*
 * GATHER, GATHER_ND and EMBEDDING_LOOKUP of tensors with more dimensions than an operation of the
 * ir has, most of them 1: each result element is computed here from its coordinates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nnaccel.h"

#define MOST 4096u

static struct nna_device *device;

static uint32_t count_of(uint32_t rank, const uint32_t *dims)
{
	uint32_t count = 1;

	for (uint32_t k = 0; k < rank; k++)
		count *= dims[k];
	return count;
}

/* Computes one operation of an input and indices; @axis is that of GATHER. */
static void run(enum nna_operation_type type, uint32_t rank, const uint32_t *dims, int32_t axis,
		uint32_t index_rank, const uint32_t *index_dims, const int32_t *indices,
		const int32_t *expected, uint32_t expected_rank, uint32_t expected_count)
{
	static int32_t in[MOST], out[MOST];
	const struct nna_operand_desc input = { .type = NNA_OPERAND_TENSOR_INT32, .rank = rank,
						.dims = dims },
				      index = { .type = NNA_OPERAND_TENSOR_INT32,
						.rank = index_rank, .dims = index_dims },
				      scalar = { .type = NNA_OPERAND_INT32 },
				      result = { .type = NNA_OPERAND_TENSOR_INT32 };
	const uint32_t gather[] = { 0, 2, 1 }, nd[] = { 0, 1 }, embedding[] = { 1, 0 };
	const uint32_t io[] = { 0, 1 };
	const uint32_t count = count_of(rank, dims);
	const bool has_axis = type == NNA_OPERATION_GATHER;
	const uint32_t *inputs = has_axis			   ? gather :
				 type == NNA_OPERATION_GATHER_ND ? nd : embedding;
	const uint32_t output = has_axis ? 3 : 2;
	struct nna_execution *execution;
	struct nna_program *program;
	struct nna_graph *graph;
	uint32_t got_rank, got[NNACCEL_MAX_RANK];

	for (uint32_t i = 0; i < count; i++)
		in[i] = (int32_t)(3 * i + 1);
	assert_int_equal(nna_graph_create(NULL, &graph), 0);
	assert_int_equal(nna_graph_add_operand(graph, 0, &input), 0);
	assert_int_equal(nna_graph_add_operand(graph, 0, &index), 1);
	if (has_axis) {
		assert_int_equal(nna_graph_add_operand(graph, 0, &scalar), 2);
		assert_int_equal(nna_graph_set_constant(graph, 0, 2, &axis, 4, false), 0);
	}
	assert_int_equal(nna_graph_add_operand(graph, 0, &result), output);
	assert_int_equal(nna_graph_add_operation(graph, 0, type, has_axis ? 3 : 2, inputs, 1,
						 &output), 0);
	assert_int_equal(nna_graph_set_io(graph, 0, 2, io, 1, &output), 0);
	assert_int_equal(nna_graph_finish(graph), 0);
	assert_int_equal(nna_program_create(device, graph, NULL, &program), 0);
	assert_int_equal(nna_execution_create(program, &execution), 0);
	assert_int_equal(nna_execution_set_input(execution, 0, 0, NULL, in, count * 4), 0);
	assert_int_equal(nna_execution_set_input(execution, 1, 0, NULL, indices,
						 count_of(index_rank, index_dims) * 4), 0);
	memset(out, 0xff, sizeof(out));
	assert_int_equal(nna_execution_set_output(execution, 0, 0, NULL, out, expected_count * 4),
			 0);
	assert_int_equal(nna_execution_compute(execution), 0);
	assert_int_equal(nna_execution_get_output_dims(execution, 0, &got_rank, got), 0);
	assert_int_equal(got_rank, expected_rank);
	assert_int_equal(count_of(got_rank, got), expected_count);
	assert_memory_equal(out, expected, expected_count * 4);
	nna_execution_destroy(execution);
	nna_program_destroy(program);
	nna_graph_unref(graph);
}

/* @index_rank dimensions of indices in place of @axis of @rank dimensions. */
static void gather(uint32_t rank, const uint32_t *dims, int32_t axis, uint32_t index_rank,
		   const uint32_t *index_dims)
{
	const uint32_t at = (uint32_t)(axis < 0 ? axis + (int32_t)rank : axis);
	const uint32_t before = count_of(at, dims), size = dims[at];
	const uint32_t after = count_of(rank - at - 1, dims + at + 1);
	const uint32_t indices = count_of(index_rank, index_dims);
	static int32_t index[MOST], expected[MOST];
	uint32_t n = 0;

	for (uint32_t i = 0; i < indices; i++)
		index[i] = (int32_t)((7 * i + 2) % size);
	for (uint32_t b = 0; b < before; b++)
		for (uint32_t i = 0; i < indices; i++)
			for (uint32_t a = 0; a < after; a++)
				expected[n++] = (int32_t)(3 * ((b * size + (uint32_t)index[i]) *
							       after + a) + 1);
	run(NNA_OPERATION_GATHER, rank, dims, axis, index_rank, index_dims, index, expected,
	    rank - 1 + index_rank, n);
}

static void many_dimensions(void **state)
{
	static const uint32_t ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint32_t two[16] = { 2, 1, 3, 1, 2, 1, 1, 4, 1, 1, 2, 1, 1, 1, 1, 1 };
	static const uint32_t small[4] = { 2, 5, 3, 2 };

	gather(4, small, 1, 2, (uint32_t[]){ 3, 2 });
	gather(4, small, 1, 6, two);
	gather(4, small, -1, 8, two);
	gather(4, small, 0, 8, ones);
	gather(8, two, 2, 8, two);
	gather(8, two, -8, 9, two);
	gather(11, two, 7, 2, (uint32_t[]){ 3, 2 });
	gather(16, two, 10, 1, (uint32_t[]){ 3 });
	gather(1, (uint32_t[]){ 6 }, 0, 16, two);
}

static void coordinates_and_rows(void **state)
{
	static const uint32_t table[11] = { 4, 1, 3, 1, 2, 1, 1, 2, 1, 1, 2 };
	static const uint32_t index_dims[10] = { 1, 2, 1, 1, 1, 3, 1, 1, 1, 1 };
	static const int32_t rows[] = { 3, 0, 2, 2, 1, 3 };
	static int32_t expected[MOST];

	/* 9 dimensions of indices, and the rest of 4; the same rows of 10 dimensions. */
	for (uint32_t rank = 4; rank <= 11; rank += 7) {
		const uint32_t size = count_of(rank - 1, table + 1);

		for (uint32_t i = 0; i < 6; i++)
			for (uint32_t k = 0; k < size; k++)
				expected[i * size + k] = 3 * (rows[i] * (int32_t)size +
							      (int32_t)k) + 1;
		if (rank == 4)
			run(NNA_OPERATION_GATHER_ND, rank, table, 0, 10, index_dims, rows, expected,
			    9 + rank - 1, 6 * size);
		run(NNA_OPERATION_GATHER_ND, rank, table, 0, 2, (uint32_t[]){ 6, 1 }, rows,
		    expected, rank, 6 * size);
		run(NNA_OPERATION_EMBEDDING_LOOKUP, rank, table, 0, 1, (uint32_t[]){ 6 }, rows,
		    expected, rank, 6 * size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_dimensions),
		cmocka_unit_test(coordinates_and_rows),
	};
	int failed;

	if (nna_device_open("loopback", NULL, &device))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	nna_device_close(device);
	return failed;
}

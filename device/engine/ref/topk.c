// SPDX-License-Identifier: MIT
/* TOPK, by definition: a heap of each row's indices, from which the first k are taken. */
#include "device/engine/kernel.h"

#define TILE_ELEMENTS 8192u

/* Whether element a of a row comes before element b. */
static bool before(const struct nnadev_engine_operand *input, int64_t row, int64_t step, uint32_t a,
		   uint32_t b)
{
	if (nnadev_type_is_float(input->desc.type)) {
		const float x = nnadev_load_float(input, row + a * step),
			    y = nnadev_load_float(input, row + b * step);

		return x > y || (x == x && y != y) || ((x == y || (x != x && y != y)) && a > b);
	} else {
		const int64_t x = nnadev_load_integer(input, row + a * step),
			      y = nnadev_load_integer(input, row + b * step);

		return x > y || (x == y && a > b);
	}
}

/* Moves the element at `at` down the heap until it comes before its children. */
static void sift(const struct nnadev_engine_operand *input, int64_t row, int64_t step,
		 uint32_t *heap, uint32_t at, uint32_t count)
{
	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		const uint32_t parent = heap[at];

		if (child + 1 < count && before(input, row, step, heap[child + 1], heap[child]))
			child++;
		if (before(input, row, step, parent, heap[child]))
			return;
		heap[at] = heap[child];
		heap[child] = parent;
	}
}

static uint32_t topk_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnadev_engine_operand *values = &cmd->operands[NNAHW_TOPK_VALUES],
					*indices = &cmd->operands[NNAHW_TOPK_INDICES],
					*input = &cmd->operands[NNAHW_TOPK_INPUT];
	const uint32_t last = input->desc.rank - 1, n = input->desc.dims[last],
		       k = values->desc.dims[last];
	const size_t size = nnahw_type_size(input->desc.type);
	const int64_t step = input->desc.strides[last];
	uint32_t *heap = scratch, index[NNAHW_MAX_RANK], begin, end;

	nnadev_tile_range(plan, tile, input->count / n, &begin, &end);
	nnadev_unflatten(input->desc.dims, last, begin, index);
	index[last] = 0;
	for (uint32_t i = begin; i < end; i++, nnadev_advance(input->desc.dims, last, index)) {
		const int64_t row = nnadev_offset(&input->desc, index),
			      to = nnadev_offset(&values->desc, index);
		const int64_t at = nnadev_offset(&indices->desc, index);

		for (uint32_t j = 0; j < n; j++)
			heap[j] = j;
		for (uint32_t j = n / 2; j-- > 0;)
			sift(input, row, step, heap, j, n);
		for (uint32_t j = 0; j < k; j++) {
			const uint32_t best = heap[0];

			memcpy((uint8_t *)values->data +
				       (int64_t)size *
					       (to + (int64_t)j * values->desc.strides[last]),
			       (const uint8_t *)input->data + (int64_t)size * (row + best * step),
			       size);
			nnadev_store_integer(indices, at + (int64_t)j * indices->desc.strides[last],
					     best);
			heap[0] = heap[n - 1 - j];
			sift(input, row, step, heap, 0, n - 1 - j);
		}
	}
	return NNAHW_STATUS_OK;
}

static uint32_t topk_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_tensor *values = &cmd->operands[NNAHW_TOPK_VALUES].desc,
				*indices = &cmd->operands[NNAHW_TOPK_INDICES].desc,
				*input = &cmd->operands[NNAHW_TOPK_INPUT].desc;
	const uint32_t last = input->rank - 1;

	if (values->type != input->type)
		return nnadev_bad_operand(plan, NNAHW_TOPK_VALUES);
	if (!input->rank || values->rank != input->rank || !nnadev_same_dims(values, indices) ||
	    memcmp(values->dims, input->dims, sizeof(input->dims[0]) * last) ||
	    values->dims[last] > input->dims[last])
		return NNAHW_STATUS_BAD_SHAPE;
	if (input->dims[last] > NNAHW_LIMIT_TOPK_LENGTH)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void topk_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_TOPK_INPUT];
	const uint32_t last = input->desc.rank - 1, n = input->desc.dims[last];

	plan->scratch_size = n * (uint32_t)sizeof(uint32_t);
	if (cmd->operands[NNAHW_TOPK_VALUES].desc.dims[last])
		nnadev_cut(plan, input->count / n, TILE_ELEMENTS / n);
}

NNADEV_KERNEL(topk) = { NNAHW_OP_TOPK, NNADEV_ENGINE_SCALAR, topk_accepts, topk_plan, topk_tile };

// SPDX-License-Identifier: MIT
/* TOPK, by definition: makes a heap of each row's indices and takes the first k from it. */
#include "device/nna/engine/kernel.h"

#define STEP_PARTS 2048u /* see topk_parts() */

/**
 * struct row - a row of the input
 * @input: the input
 * @at: offset of the row's first element
 * @step: distance of neighbouring elements
 * @lower_first: of equal elements, the one with the lower index comes first
 */
struct row {
	const struct nnadev_engine_operand *input;
	int64_t at, step;
	bool lower_first;
};

/* True if element a of a row comes before element b. */
static bool before(const struct row *row, uint32_t a, uint32_t b)
{
	const bool first = row->lower_first ? a < b : a > b;

	if (nnadev_type_is_float(row->input->desc.type)) {
		const float x = nnadev_load_float(row->input, row->at + a * row->step),
			    y = nnadev_load_float(row->input, row->at + b * row->step);

		return x > y || (x == x && y != y) || ((x == y || (x != x && y != y)) && first);
	} else {
		const int64_t x = nnadev_load_integer(row->input, row->at + a * row->step),
			      y = nnadev_load_integer(row->input, row->at + b * row->step);

		return x > y || (x == y && first);
	}
}

/* Moves the index at heap[@at] down until its element comes before those of its children. */
static void sift(const struct row *row, uint32_t *heap, uint32_t at, uint32_t count)
{
	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		const uint32_t parent = heap[at];

		if (child + 1 < count && before(row, heap[child + 1], heap[child]))
			child++;
		if (before(row, parent, heap[child]))
			return;
		heap[at] = heap[child];
		heap[child] = parent;
	}
}

/**
 * struct topk - state of a plan
 * @n: elements of a row
 * @k: elements taken from a row
 */
struct topk {
	uint32_t n, k;
};

/*
 * Return: parts of the work on a row. These are, in order: n indices stored, n / 2 sifts, k
 * elements taken.
 */
static uint32_t topk_parts(const struct topk *t)
{
	return t->n + t->n / 2 + t->k;
}

/* Does parts [begin, end) of a row's work. @index is that of the row's first element. */
static void topk_work(const struct nnadev_engine_command *cmd, const struct topk *t,
		      const uint32_t *index, uint32_t *heap, uint32_t begin, uint32_t end)
{
	const struct nnadev_engine_operand *values = &cmd->operands[NNAHW_TOPK_VALUES],
					*indices = &cmd->operands[NNAHW_TOPK_INDICES],
					*input = &cmd->operands[NNAHW_TOPK_INPUT];
	const uint32_t last = input->desc.rank - 1, n = t->n, sifts = n / 2;
	const size_t size = nnahw_type_size(input->desc.type);
	const struct row row = {
		.input = input,
		.at = nnadev_offset(&input->desc, index),
		.step = input->desc.strides[last],
		.lower_first = ((const struct nnahw_cmd_topk *)cmd->raw)->lower_first,
	};
	const int64_t to = nnadev_offset(&values->desc, index),
		      at = nnadev_offset(&indices->desc, index);

	for (; begin < end && begin < n; begin++)
		heap[begin] = begin;
	for (; begin < end && begin < n + sifts; begin++)
		sift(&row, heap, n + sifts - 1 - begin, n);
	for (; begin < end; begin++) {
		const uint32_t j = begin - n - sifts, best = heap[0];

		memcpy((uint8_t *)values->data +
			       (int64_t)size * (to + (int64_t)j * values->desc.strides[last]),
		       (const uint8_t *)input->data +
			       (int64_t)size * (row.at + best * row.step),
		       size);
		nnadev_store_integer(indices, at + (int64_t)j * indices->desc.strides[last], best);
		heap[0] = heap[n - 1 - j];
		sift(&row, heap, 0, n - 1 - j);
	}
}

static uint32_t topk_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnahw_tensor *input = &cmd->operands[NNAHW_TOPK_INPUT].desc;
	const struct topk *t = nnadev_state(plan);
	const uint32_t last = input->rank - 1, rows = cmd->operands[NNAHW_TOPK_INPUT].count / t->n,
		       parts = topk_parts(t);
	uint32_t index[NNAHW_MAX_RANK], begin, end, step;

	index[last] = 0;
	if (plan->steps) { /* a row is more than a tile */
		if (!nnadev_step_get(plan, tile, rows, &begin, &step))
			return NNAHW_STATUS_OK;
		nnadev_unflatten(input->dims, last, begin, index);
		begin = step * STEP_PARTS;
		topk_work(cmd, t, index, (uint32_t *)shared + (size_t)tile * t->n, begin,
			  parts - begin < STEP_PARTS ? parts : begin + STEP_PARTS);
		return NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, rows, &begin, &end);
	nnadev_unflatten(input->dims, last, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(input->dims, last, index))
		topk_work(cmd, t, index, scratch, 0, parts);
	return NNAHW_STATUS_OK;
}

static uint32_t topk_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_tensor *values = &cmd->operands[NNAHW_TOPK_VALUES].desc,
				*indices = &cmd->operands[NNAHW_TOPK_INDICES].desc,
				*input = &cmd->operands[NNAHW_TOPK_INPUT].desc;
	const uint32_t last = input->rank - 1;

	if (((const struct nnahw_cmd_topk *)cmd->raw)->lower_first > 1)
		return NNAHW_STATUS_BAD_COMMAND;
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
	const uint32_t last = input->desc.rank - 1;
	struct topk *t = nnadev_state_new(plan);
	uint32_t rows;

	t->n = input->desc.dims[last];
	t->k = cmd->operands[NNAHW_TOPK_VALUES].desc.dims[last];
	if (!t->k)
		return;
	rows = input->count / t->n;
	if (topk_parts(t) > STEP_PARTS) {
		nnadev_cut_steps(plan, rows, nnadev_div_up(topk_parts(t), STEP_PARTS),
				 t->n * sizeof(uint32_t));
		return;
	}
	plan->scratch_size = t->n * (uint32_t)sizeof(uint32_t);
	nnadev_cut(plan, rows, STEP_PARTS / topk_parts(t));
}

NNADEV_STATE_FITS(struct topk);
NNADEV_KERNEL(topk) = { NNAHW_OP_TOPK, NNADEV_ENGINE_SCALAR, topk_accepts, topk_plan, topk_tile };

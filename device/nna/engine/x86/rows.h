/* SPDX-License-Identifier: MIT */
/*
 * Element-by-element commands as loops over rows: neighbouring dims over which all operands advance
 * evenly become one, so that a contiguous tensor is a single row. Who can deal with an operand that
 * repeats a few elements over and over, as a value for each channel does, calls
 * nnadev_rows_repeat() to have such dims joined, too.
 */
#ifndef NNADEV_ROWS_H
#define NNADEV_ROWS_H

#include "device/nna/engine/kernel.h"

/**
 * struct nnadev_rows - the common shape of some operands after joining dims
 * @rank: at least 1; dims[rank - 1] is the length of a row
 * @operands: how many operands
 * @dims: outermost first
 * @strides: in elements, per operand
 * @period: per operand: a row repeats so many elements, which lie next to each other; 0: it does
 *	not
 */
struct nnadev_rows {
	uint32_t rank, operands;
	uint32_t period[4];
	uint32_t dims[NNAHW_MAX_RANK];
	int64_t strides[4][NNAHW_MAX_RANK];
};

/* Takes the first `operands` operands of a command; all have the dims of operand 0, none 0. */
static inline void nnadev_rows_get(struct nnadev_rows *r, const struct nnadev_engine_command *cmd,
				   uint32_t operands)
{
	const struct nnahw_tensor *t = &cmd->operands[0].desc;

	r->rank = 0;
	r->operands = operands;
	memset(r->period, 0, sizeof(r->period));
	for (uint32_t k = 0; k < t->rank; k++) {
		bool join = r->rank > 0;

		if (t->dims[k] == 1)
			continue;
		for (uint32_t i = 0; i < operands; i++)
			join = join && r->strides[i][r->rank - 1] ==
				       (int64_t)cmd->operands[i].desc.strides[k] * t->dims[k];
		if (join)
			r->dims[r->rank - 1] *= t->dims[k];
		else
			r->dims[r->rank++] = t->dims[k];
		for (uint32_t i = 0; i < operands; i++)
			r->strides[i][r->rank - 1] = cmd->operands[i].desc.strides[k];
	}
	if (!r->rank) {
		r->rank = 1;
		r->dims[0] = 1;
		for (uint32_t i = 0; i < operands; i++)
			r->strides[i][0] = 1;
	}
}

/*
 * Whether an operand's rows can be joined with those of the dim before: it advances evenly, or
 * repeats at most @most elements.
 */
static inline bool nnadev_rows_joins(const struct nnadev_rows *r, uint32_t operand, uint32_t most)
{
	const int64_t *stride = &r->strides[operand][r->rank - 2];
	const uint32_t length = r->dims[r->rank - 1];

	if (r->period[operand])
		return !stride[0];
	return stride[0] == stride[1] * length || (!stride[0] && stride[1] == 1 && length <= most);
}

/* Joins rows of at most @most elements with those before, where operands repeat them. */
static inline void nnadev_rows_repeat(struct nnadev_rows *r, uint32_t most)
{
	if (r->dims[r->rank - 1] > most)
		return;
	for (; r->rank > 1; r->rank--) {
		const uint32_t last = r->rank - 1;

		for (uint32_t i = 0; i < r->operands; i++)
			if (!nnadev_rows_joins(r, i, most))
				return;
		for (uint32_t i = 0; i < r->operands; i++) {
			int64_t *stride = &r->strides[i][last - 1];

			if (!r->period[i] && stride[0] != stride[1] * r->dims[last])
				r->period[i] = r->dims[last];
			stride[0] = stride[1];
		}
		r->dims[last - 1] *= r->dims[last];
	}
}

static inline uint32_t nnadev_rows_length(const struct nnadev_rows *r)
{
	return r->dims[r->rank - 1];
}

static inline int64_t nnadev_rows_step(const struct nnadev_rows *r, uint32_t operand)
{
	return r->strides[operand][r->rank - 1];
}

/**
 * struct nnadev_run - a walk over elements [at, end) of the rows, in pieces that do not cross rows
 * @at: number of the piece's first element
 * @end: number behind the last element of the walk
 * @count: length of the piece
 * @index: coordinates of the piece's first element
 * @row: of the row's first element, per operand
 * @offset: of the piece's first element, per operand; of one that repeats, that of the elements
 *	that it repeats
 * @phase: of an operand that repeats: which of them is the piece's first
 */
struct nnadev_run {
	uint32_t at, end, count;
	uint32_t index[NNAHW_MAX_RANK];
	int64_t row[4], offset[4];
	uint32_t phase[4];
};

/* Where the row of the coordinates begins. */
static inline void nnadev_run_find_row(struct nnadev_run *run, const struct nnadev_rows *r)
{
	for (uint32_t i = 0; i < r->operands; i++) {
		run->row[i] = 0;
		for (uint32_t k = 0; k + 1 < r->rank; k++)
			run->row[i] += run->index[k] * r->strides[i][k];
	}
}

static inline void nnadev_run_start(struct nnadev_run *run, const struct nnadev_rows *r,
				    uint32_t begin, uint32_t end)
{
	run->at = begin;
	run->end = end;
	run->count = 0;
	nnadev_unflatten(r->dims, r->rank, begin, run->index);
	nnadev_run_find_row(run, r);
}

/* Goes to the next piece, of at most `most` elements; false at the end. */
static inline bool nnadev_run_next(struct nnadev_run *run, const struct nnadev_rows *r,
				   uint32_t most)
{
	uint32_t left, last = r->rank - 1;

	run->at += run->count;
	run->index[last] += run->count;
	if (run->index[last] == r->dims[last]) {
		run->index[last] = 0;
		if (last > 0 && run->index[last - 1] + 1 < r->dims[last - 1]) {
			run->index[last - 1]++;
			for (uint32_t i = 0; i < r->operands; i++)
				run->row[i] += r->strides[i][last - 1];
		} else {
			nnadev_advance(r->dims, last, run->index);
			nnadev_run_find_row(run, r);
		}
	}
	if (run->at >= run->end)
		return false;
	left = run->end - run->at;
	run->count = r->dims[last] - run->index[last];
	run->count = run->count < left ? run->count : left;
	run->count = run->count < most ? run->count : most;
	for (uint32_t i = 0; i < r->operands; i++) {
		run->offset[i] = run->row[i];
		if (r->period[i])
			run->phase[i] = run->index[last] % r->period[i];
		else
			run->offset[i] += run->index[last] * r->strides[i][last];
	}
	return true;
}

/*
 * Makes the piece, where it is a whole row, so many rows as there are whole ones in the walk, of
 * the innermost dim of rows: they lie at even steps. Not for operands that repeat. Returns their
 * number.
 */
static inline uint32_t nnadev_run_rows(struct nnadev_run *run, const struct nnadev_rows *r)
{
	const uint32_t last = r->rank - 1, length = nnadev_rows_length(r);
	uint32_t rows, left;

	if (!last || run->count != length)
		return 1;
	rows = r->dims[last - 1] - run->index[last - 1];
	left = (run->end - run->at) / length;
	rows = rows < left ? rows : left;
	/* The next step goes on from the last one of them. */
	run->at += (rows - 1) * length;
	run->index[last - 1] += rows - 1;
	for (uint32_t i = 0; i < r->operands; i++)
		run->row[i] += (rows - 1) * r->strides[i][last - 1];
	return rows;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Element-by-element commands as loops over rows. Neighbouring dims over which all operands advance
 * evenly are joined, so that a contiguous tensor is a single row. A kernel that supports operands
 * which repeat a few elements, such as one value per channel, calls nnadev_rows_repeat() to join
 * these dims as well.
 */
#ifndef NNADEV_ROWS_H
#define NNADEV_ROWS_H

#include "device/nna/engine/kernel.h"

/**
 * struct nnadev_rows - the common shape of operands after joining dims
 * @rank: at least 1; dims[rank - 1] is the length of a row
 * @operands: number of operands
 * @period: for each operand, the number of contiguous elements that a row repeats; 0 if it does not
 *	repeat
 * @dims: outermost first
 * @strides: in elements, for each operand
 */
struct nnadev_rows {
	uint32_t rank, operands;
	uint32_t period[4];
	uint32_t dims[NNAHW_MAX_RANK];
	int64_t strides[4][NNAHW_MAX_RANK];
};

/*
 * Joins the dims of the first @operands operands of a command. All have the dims of operand 0, and
 * no dim is 0.
 */
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
 * True if an operand's rows can be joined with those of the next outer dim: the operand advances
 * evenly or repeats at most @most elements.
 */
static inline bool nnadev_rows_joins(const struct nnadev_rows *r, uint32_t operand, uint32_t most)
{
	const int64_t *stride = &r->strides[operand][r->rank - 2];
	const uint32_t length = r->dims[r->rank - 1];

	if (r->period[operand])
		return !stride[0];
	return stride[0] == stride[1] * length || (!stride[0] && stride[1] == 1 && length <= most);
}

/* Joins rows of at most @most elements with those of the outer dims if operands repeat them. */
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
 * @row: offset of the row's first element, for each operand
 * @offset: offset of the piece's first element, for each operand; if the operand repeats, offset of
 *	its repeated elements
 * @phase: for an operand that repeats, the index in its period of the piece's first element
 */
struct nnadev_run {
	uint32_t at, end, count;
	uint32_t index[NNAHW_MAX_RANK];
	int64_t row[4], offset[4];
	uint32_t phase[4];
};

/* Computes where the row at @run->index begins. */
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

/* Goes to the next piece, of at most @most elements. Return: false at the end. */
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
 * Extends a piece that is a whole row to all whole rows of the walk in the innermost dim of rows;
 * they are evenly spaced. Not for operands that repeat. Return: the number of rows.
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
	/* nnadev_run_next() continues from the last of these rows. */
	run->at += (rows - 1) * length;
	run->index[last - 1] += rows - 1;
	for (uint32_t i = 0; i < r->operands; i++)
		run->row[i] += (rows - 1) * r->strides[i][last - 1];
	return rows;
}

#endif

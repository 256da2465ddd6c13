/* SPDX-License-Identifier: MIT */
/*
 * Common parts of the vector kernels of EWISE: rows in which operands may repeat, tables, and the
 * factors of the estimates of 8-bit sums.
 */
#ifndef NNADEV_KERNELS_EWISE_H
#define NNADEV_KERNELS_EWISE_H

#include "device/nna/engine/ewise.h"
#include "device/nna/engine/shape/rows.h"

#define NNADEV_EWISE_TILE 32768u /* elements */
#define NNADEV_EWISE_SHORTEST_ROW 8u
#define NNADEV_EWISE_REPEATED_MOST 64u /* elements that an operand may repeat within a row */

/**
 * struct nnadev_ewise_table - state of kernels for a function of one byte
 * @rows: of output and input
 * @output: result for each input byte
 */
struct nnadev_ewise_table {
	struct nnadev_rows rows;
	uint8_t output[256];
};
NNADEV_STATE_FITS(struct nnadev_ewise_table);

/* Computes the rows of a command; operands may repeat. */
static inline void nnadev_ewise_rows_get(struct nnadev_rows *rows,
					 const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;

	nnadev_rows_get(rows, cmd, nnadev_ewise_inputs(p->op) + 1);
	nnadev_rows_repeat(rows, NNADEV_EWISE_REPEATED_MOST);
}

/* True if the elements of rows are contiguous; an input may be constant instead. */
static inline bool nnadev_ewise_rows_are_dense(const struct nnadev_rows *rows)
{
	bool dense = nnadev_rows_step(rows, 0) == 1;

	for (uint32_t i = 1; i < rows->operands; i++)
		dense = dense &&
			(nnadev_rows_step(rows, i) == 1 || nnadev_rows_step(rows, i) == 0);
	return dense;
}

/* Plans a kernel whose state is these rows. */
static inline void nnadev_ewise_rows_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
					  struct nnadev_engine_plan *plan)
{
	nnadev_ewise_rows_get(nnadev_state_new(plan), cmd);
	nnadev_cut(plan, cmd->operands[0].count, NNADEV_EWISE_TILE);
}

/* True if a command computes a sum or product of two inputs of bytes, as bytes. */
static inline bool nnadev_ewise_joins_bytes(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	bool bytes = p->op == NNAHW_EWISE_ADD || p->op == NNAHW_EWISE_SUB ||
		     p->op == NNAHW_EWISE_MUL;

	for (uint32_t i = 0; bytes && i <= 2; i++)
		bytes = nnadev_type_is_quant8(cmd->operands[i].desc.type);
	return bytes;
}

static inline double nnadev_magnitude(double x)
{
	return x < 0 ? -x : x;
}

/**
 * struct nnadev_ewise_sum - result of an integer rule of ADD or SUB, not yet rounded
 * @a, @b: x * a + y * b of numbers minus their zero points
 * @off: largest error due to rounding in the stages before the last
 */
struct nnadev_ewise_sum {
	double a, b, off;
};

/*
 * The two first stages round by at most 3/4 of a unit of the second stage each. The second stage
 * adds or subtracts 2^30 before its shift.
 */
static inline void nnadev_ewise_sum_get(struct nnadev_ewise_sum *sum,
					const struct nnahw_cmd_ewise *p)
{
	const double unit = 1 / (double)(1ull << p->shift), factor = p->multiplier * unit;

	sum->a = p->a_scale * unit;
	sum->b = p->b_scale * unit;
	sum->off = 0;
	if (p->staged) {
		sum->a = factor * (1 << 20) * p->a_scale / (double)(1ull << p->a_shift);
		sum->b = factor * (1 << 20) * p->b_scale / (double)(1ull << p->b_shift);
		sum->off = 1.5 * nnadev_magnitude(factor) + unit * (1 << 30);
	}
	if (p->op == NNAHW_EWISE_SUB)
		sum->b = -sum->b;
}

#endif

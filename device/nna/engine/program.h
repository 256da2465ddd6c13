/* SPDX-License-Identifier: MIT */
/* Common parts of the kernels of ROWS: the decoded program, and where rows lie in memory. */
#ifndef NNADEV_PROGRAM_H
#define NNADEV_PROGRAM_H

#include "device/nna/engine/ewise.h"

#define NNADEV_PROGRAM_OUTPUTS 3u
#define NNADEV_PROGRAM_INPUTS 6u
#define NNADEV_PROGRAM_OPERANDS (NNADEV_PROGRAM_OUTPUTS + NNADEV_PROGRAM_INPUTS)

/**
 * struct nnadev_program - a command
 * @params: parameters
 * @rank: number of dims of @dims, 1 at least
 * @dims: the dims along which rows are counted, outermost first; neighbours are merged
 * @strides: of each operand along @dims
 * @step: of each operand along a row; 0 if it has one value a row
 * @rows: product of @dims
 * @narrow: of each step: its result has one element a row
 */
struct nnadev_program {
	const struct nnahw_cmd_rows *params;
	uint32_t rank;
	uint32_t dims[NNAHW_MAX_RANK];
	int32_t strides[NNADEV_PROGRAM_OPERANDS][NNAHW_MAX_RANK];
	int32_t step[NNADEV_PROGRAM_OPERANDS];
	uint32_t rows;
	bool narrow[NNAHW_ROWS_STEPS];
};

static inline bool nnadev_program_reduces(uint32_t op)
{
	return op >= NNAHW_ROW_SUM && op <= NNAHW_ROW_MIN;
}

/* Return: number of arguments of an operation; 0 for what is no operation of a program. */
static inline uint32_t nnadev_program_arguments(uint32_t op)
{
	if (op >= NNAHW_ROW_SUM)
		return op <= NNAHW_ROW_ROUND;
	if (op > NNAHW_EWISE_ERF || op == NNAHW_EWISE_CAST || nnadev_ewise_needs_integers(op))
		return 0;
	return nnadev_ewise_inputs(op);
}

/* Return: argument @k of a step. */
static inline uint8_t nnadev_program_argument(const struct nnahw_cmd_rows *p, uint32_t step,
					      uint32_t k)
{
	return k == 0 ? p->x[step] : k == 1 ? p->y[step] : p->z[step];
}

/* True if an argument has one element a row. @narrow: of the steps before. */
static inline bool nnadev_program_is_narrow(const struct nnadev_engine_command *cmd,
					    const bool *narrow, uint32_t from)
{
	const struct nnahw_tensor *t;

	if (from < NNAHW_ROWS_INPUT)
		return narrow[from];
	if (from == NNAHW_ROWS_VALUE)
		return true;
	t = &cmd->operands[NNAHW_ROWS_A + from - NNAHW_ROWS_INPUT].desc;
	return t->dims[t->rank - 1] == 1;
}

/* Decides whether the result of a step has one element a row. @narrow: of the steps before. */
static inline bool nnadev_program_narrows(const struct nnadev_engine_command *cmd,
					  const bool *narrow, uint32_t step)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)cmd->raw;

	if (nnadev_program_reduces(p->op[step]))
		return true;
	for (uint32_t k = 0; k < nnadev_program_arguments(p->op[step]); k++)
		if (!nnadev_program_is_narrow(cmd, narrow, nnadev_program_argument(p, step, k)))
			return false;
	return true;
}

/* Decodes a checked command. */
static inline void nnadev_program_get(struct nnadev_program *s,
				      const struct nnadev_engine_command *cmd)
{
	const struct nnahw_tensor *shape = &cmd->operands[NNAHW_ROWS_OUTPUT].desc;
	const uint32_t last = shape->rank - 1u;

	memset(s, 0, sizeof(*s));
	s->params = (const struct nnahw_cmd_rows *)cmd->raw;
	s->rows = 1;
	for (uint32_t i = 0; i < s->params->count; i++)
		s->narrow[i] = nnadev_program_narrows(cmd, s->narrow, i);
	for (uint32_t k = 0; k < last; k++) {
		bool join = s->rank > 0;

		s->rows *= shape->dims[k];
		if (shape->dims[k] == 1)
			continue;
		for (uint32_t i = 0; i < NNADEV_PROGRAM_OPERANDS; i++)
			if (nnadev_present(&cmd->operands[i]))
				join = join && s->strides[i][s->rank - 1] ==
					       (int64_t)cmd->operands[i].desc.strides[k] *
						       shape->dims[k];
		if (join)
			s->dims[s->rank - 1] *= shape->dims[k];
		else
			s->dims[s->rank++] = shape->dims[k];
		for (uint32_t i = 0; i < NNADEV_PROGRAM_OPERANDS; i++)
			if (nnadev_present(&cmd->operands[i]))
				s->strides[i][s->rank - 1] = cmd->operands[i].desc.strides[k];
	}
	if (!s->rank)
		s->dims[s->rank++] = 1;
	for (uint32_t i = 0; i < NNADEV_PROGRAM_OPERANDS; i++)
		if (nnadev_present(&cmd->operands[i]) && cmd->operands[i].desc.dims[last] != 1)
			s->step[i] = cmd->operands[i].desc.strides[last];
}

/* Return: offset of a row's first element in an operand. */
static inline int64_t nnadev_program_row(const struct nnadev_program *s, uint32_t operand,
					 uint32_t row)
{
	int64_t at = 0;

	for (uint32_t k = s->rank; k-- > 1; row /= s->dims[k])
		at += (int64_t)(row % s->dims[k]) * s->strides[operand][k];
	return at + (int64_t)row * s->strides[operand][0];
}

/* The nearest integer, halves away from zero; 0 for NaN. */
static inline float nnadev_round_whole(float x)
{
	/* The largest number below 1/2: smaller fractions do not reach the next integer. */
	const float half = 0x1.fffffep-2f;

	if (x != x)
		return 0;
	return x < 0 ? 0.0f - nnadev_floorf(half - x) : nnadev_floorf(x + half);
}

#endif

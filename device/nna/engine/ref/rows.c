// SPDX-License-Identifier: MIT
/* ROWS, by definition: each step on all of a row, then the next step. */
#include "device/nna/engine/program.h"

#define TILE_STEPS 32768u /* elements times steps */

/**
 * struct row - a row
 * @s: the program
 * @cmd: the command
 * @values: results of steps, @s->params->length numbers each
 * @at: where the row begins in each operand
 */
struct row {
	const struct nnadev_program *s;
	const struct nnadev_engine_command *cmd;
	float *values;
	int64_t at[NNADEV_PROGRAM_OPERANDS];
};

/* Return: element @i of argument @k of a step. */
static float rows_argument(const struct row *w, uint32_t step, uint32_t k, uint32_t i)
{
	const struct nnadev_program *s = w->s;
	const uint32_t from = nnadev_program_argument(s->params, step, k);
	uint32_t operand;

	if (from == NNAHW_ROWS_VALUE)
		return s->params->number[step];
	if (from < NNAHW_ROWS_INPUT)
		return w->values[(size_t)from * s->params->length + (s->narrow[from] ? 0 : i)];
	operand = NNAHW_ROWS_A + from - NNAHW_ROWS_INPUT;
	return nnadev_load_value(&w->cmd->operands[operand],
				 w->at[operand] + (int64_t)i * s->step[operand]);
}

static float rows_reduce(const struct row *w, uint32_t step)
{
	const uint32_t op = w->s->params->op[step], n = w->s->params->length;
	float extreme = rows_argument(w, step, 0, 0);
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const float x = rows_argument(w, step, 0, i);

		sum += x;
		if (op == NNAHW_ROW_MAX ? x > extreme || x != x : x < extreme || x != x)
			extreme = x;
	}
	if (op == NNAHW_ROW_SUM)
		return (float)sum;
	return op == NNAHW_ROW_MEAN ? (float)(sum / n) : extreme;
}

static float rows_element(const struct row *w, uint32_t step, uint32_t i)
{
	const uint32_t op = w->s->params->op[step];
	float x[3] = { 0 };

	for (uint32_t k = 0; k < nnadev_program_arguments(op); k++)
		x[k] = rows_argument(w, step, k, i);
	if (op == NNAHW_ROW_ROUND)
		return nnadev_round_whole(x[0]);
	return nnadev_ewise_float(op, w->s->params->number[step], x[0], x[1], x[2]);
}

static void rows_compute(const struct row *w)
{
	const struct nnahw_cmd_rows *p = w->s->params;

	for (uint32_t step = 0; step < p->count; step++) {
		float *to = w->values + (size_t)step * p->length;

		if (nnadev_program_reduces(p->op[step])) {
			*to = rows_reduce(w, step);
			continue;
		}
		for (uint32_t i = 0; i < (w->s->narrow[step] ? 1 : p->length); i++)
			to[i] = rows_element(w, step, i);
	}
}

static void rows_store(const struct row *w, uint32_t k)
{
	const struct nnadev_engine_operand *o = &w->cmd->operands[k];
	const uint32_t from = w->s->params->result[k];
	const float *x = w->values + (size_t)from * w->s->params->length;

	for (uint32_t i = 0; i < o->desc.dims[o->desc.rank - 1]; i++)
		nnadev_store_value(o, w->at[k] + (int64_t)i * w->s->step[k],
				   x[w->s->narrow[from] ? 0 : i], INT32_MIN, INT32_MAX);
}

static uint32_t rows_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnadev_program *s = nnadev_state(plan);
	struct row w = { .s = s, .cmd = cmd, .values = scratch };
	uint32_t begin, end;

	nnadev_tile_range(plan, tile, s->rows, &begin, &end);
	for (uint32_t row = begin; row < end; row++) {
		for (uint32_t i = 0; i < NNADEV_PROGRAM_OPERANDS; i++)
			w.at[i] = nnadev_program_row(s, i, row);
		rows_compute(&w);
		for (uint32_t k = 0; k < NNADEV_PROGRAM_OUTPUTS; k++)
			if (nnadev_present(&cmd->operands[k]))
				rows_store(&w, k);
	}
	return NNAHW_STATUS_OK;
}

/* Checks the steps. @narrow: which of them give one element a row. */
static bool rows_steps_are_valid(const struct nnadev_engine_command *cmd, bool *narrow)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)cmd->raw;

	if (!p->count || p->count > NNAHW_ROWS_STEPS)
		return false;
	for (uint32_t i = p->count; i < NNAHW_ROWS_STEPS; i++)
		if (p->op[i] || p->x[i] || p->y[i] || p->z[i] || nnadev_float_bits(p->number[i]))
			return false;
	for (uint32_t i = 0; i < p->count; i++) {
		const uint32_t arguments = nnadev_program_arguments(p->op[i]);

		if (!arguments)
			return false;
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t from = nnadev_program_argument(p, i, k);

			if (k >= arguments ? from != 0 : from >= i && from < NNAHW_ROWS_INPUT)
				return false;
			if (k < arguments && from >= NNAHW_ROWS_INPUT && from != NNAHW_ROWS_VALUE &&
			    (from >= NNAHW_ROWS_INPUT + NNADEV_PROGRAM_INPUTS ||
			     !nnadev_present(&cmd->operands[NNAHW_ROWS_A + from -
							    NNAHW_ROWS_INPUT])))
				return false;
		}
		if (nnadev_program_reduces(p->op[i]) &&
		    nnadev_program_is_narrow(cmd, narrow, p->x[i]))
			return false;
		narrow[i] = nnadev_program_narrows(cmd, narrow, i);
	}
	return true;
}

static uint32_t rows_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)cmd->raw;
	const struct nnahw_tensor *shape = &cmd->operands[NNAHW_ROWS_OUTPUT].desc;
	bool narrow[NNAHW_ROWS_STEPS];

	if (!shape->rank || !p->length || p->length > NNAHW_LIMIT_ROWS_LENGTH)
		return NNAHW_STATUS_BAD_SHAPE;
	for (uint32_t i = 0; i < NNADEV_PROGRAM_OPERANDS; i++) {
		const struct nnahw_tensor *t = &cmd->operands[i].desc;

		if (!nnadev_present(&cmd->operands[i]))
			continue;
		if (t->scale != 0)
			return nnadev_bad_operand(plan, i);
		if (t->rank != shape->rank ||
		    memcmp(t->dims, shape->dims, sizeof(t->dims[0]) * (shape->rank - 1u)) ||
		    (t->dims[t->rank - 1] != p->length && t->dims[t->rank - 1] != 1))
			return NNAHW_STATUS_BAD_SHAPE;
	}
	if (!rows_steps_are_valid(cmd, narrow))
		return NNAHW_STATUS_BAD_COMMAND;
	if (p->length * p->count > NNAHW_LIMIT_ROWS_WORK)
		return NNAHW_STATUS_BAD_SHAPE;
	for (uint32_t k = 0; k < NNADEV_PROGRAM_OUTPUTS; k++) {
		const struct nnahw_tensor *t = &cmd->operands[k].desc;

		if (!nnadev_present(&cmd->operands[k]) ? p->result[k] != 0 :
							p->result[k] >= p->count)
			return NNAHW_STATUS_BAD_COMMAND;
		if (nnadev_present(&cmd->operands[k]) && t->dims[t->rank - 1] != p->length &&
		    !narrow[p->result[k]])
			return NNAHW_STATUS_BAD_SHAPE;
	}
	return NNAHW_STATUS_OK;
}

static void rows_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	struct nnadev_program *s = nnadev_state_new(plan);

	nnadev_program_get(s, cmd);
	plan->scratch_size = s->params->count * s->params->length * (uint32_t)sizeof(float);
	nnadev_cut(plan, s->rows, TILE_STEPS / ((s->params->length + 4) * (s->params->count + 4)));
}

NNADEV_STATE_FITS(struct nnadev_program);
NNADEV_KERNEL(rows) = { NNAHW_OP_ROWS, NNADEV_ENGINE_SCALAR, rows_accepts, rows_plan, rows_tile };

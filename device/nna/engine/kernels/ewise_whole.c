// SPDX-License-Identifier: MIT
/*
 * EWISE on integers by the integer rule, and CASTs to integers. Rows pass through buffers of PIECE
 * 64-bit elements: inputs are widened, computed by the scalar kernel's own functions, and narrowed
 * to the output. Each step is a loop for one type or one operation, so that type and operation are
 * not tested per element, and the compiler can vectorise the loop.
 */
#include "device/nna/engine/ewise.h"
#include "device/nna/engine/shape/rows.h"
#include "device/nna/engine/simd/simd.h"

#define PIECE 256u
#define TILE_ELEMENTS 8192u
#define SHORTEST_ROW 8u

#define LOAD(number, type) \
	case number: \
		for (uint32_t i = 0; i < n; i++) \
			to[i] = (int64_t)((const type *)o->data)[at + i * step]; \
		break

static void load(int64_t *to, const struct nnadev_engine_operand *o, int64_t at, int64_t step,
		 uint32_t n)
{
	switch (o->desc.type) {
	LOAD(NNAHW_TYPE_U8, uint8_t);
	LOAD(NNAHW_TYPE_S8, int8_t);
	LOAD(NNAHW_TYPE_U16, uint16_t);
	LOAD(NNAHW_TYPE_S16, int16_t);
	LOAD(NNAHW_TYPE_S32, int32_t);
	LOAD(NNAHW_TYPE_U32, uint32_t);
	LOAD(NNAHW_TYPE_S64, int64_t);
	default: /* BOOL8 */
		for (uint32_t i = 0; i < n; i++)
			to[i] = ((const uint8_t *)o->data)[at + i * step] != 0;
		break;
	}
}

/* Loads floats for a CAST: truncated, and clamped to the range of the output's type. */
static void load_floats(int64_t *to, const struct nnadev_engine_operand *o, int64_t at,
			int64_t step, uint32_t n, uint32_t type)
{
	int64_t min, max;

	nnadev_type_range(type, &min, &max);
	for (uint32_t i = 0; i < n; i++)
		to[i] = nnadev_clamp_s64(nnadev_truncate(((const float *)o->data)[at + i * step]),
					 min, max);
}

#define STORE(number, type, value) \
	case number: \
		for (uint32_t i = 0; i < n; i++) \
			((type *)o->data)[at + i] = (type)(value); \
		break

static void store(const struct nnadev_engine_operand *o, int64_t at, const int64_t *from,
		  uint32_t n, const struct nnahw_cmd_ewise *p)
{
	switch (o->desc.type) {
	STORE(NNAHW_TYPE_U8, uint8_t, from[i]);
	STORE(NNAHW_TYPE_S8, uint8_t, from[i]);
	STORE(NNAHW_TYPE_U16, uint16_t, from[i]);
	STORE(NNAHW_TYPE_S16, uint16_t, from[i]);
	STORE(NNAHW_TYPE_S32, uint32_t, from[i]);
	STORE(NNAHW_TYPE_U32, uint32_t, from[i]);
	STORE(NNAHW_TYPE_S64, int64_t, from[i]);
	STORE(NNAHW_TYPE_BOOL8, uint8_t, from[i] != 0);
	STORE(NNAHW_TYPE_F32, float,
	      nnadev_clamp_float((float)from[i], p->clamp_min, p->clamp_max));
	}
}

#define EACH(op) \
	case op: \
		for (uint32_t i = 0; i < n; i++) \
			x[i] = nnadev_ewise_integer(op, x[i], y[i], 0); \
		break

static void compute(uint32_t op, int64_t *x, const int64_t *y, uint32_t n)
{
	switch (op) {
	EACH(NNAHW_EWISE_ADD);
	EACH(NNAHW_EWISE_SUB);
	EACH(NNAHW_EWISE_MUL);
	EACH(NNAHW_EWISE_DIV);
	EACH(NNAHW_EWISE_FLOOR_DIV);
	EACH(NNAHW_EWISE_MAXIMUM);
	EACH(NNAHW_EWISE_MINIMUM);
	EACH(NNAHW_EWISE_EQUAL);
	EACH(NNAHW_EWISE_NOT_EQUAL);
	EACH(NNAHW_EWISE_LESS);
	EACH(NNAHW_EWISE_LESS_EQUAL);
	EACH(NNAHW_EWISE_GREATER);
	EACH(NNAHW_EWISE_GREATER_EQUAL);
	EACH(NNAHW_EWISE_ABS);
	EACH(NNAHW_EWISE_NEG);
	EACH(NNAHW_EWISE_SQUARED_DIFFERENCE);
	EACH(NNAHW_EWISE_BITWISE_XOR);
	EACH(NNAHW_EWISE_SHIFT_RIGHT);
	EACH(NNAHW_EWISE_TRUNCATE_DIV);
	EACH(NNAHW_EWISE_FLOOR_MOD);
	default: /* IDENTITY, CAST */
		break;
	}
}

static bool is_computed(uint32_t op)
{
	switch (op) {
	case NNAHW_EWISE_SELECT: /* the condition may be a float */
	case NNAHW_EWISE_LOGICAL_AND:
	case NNAHW_EWISE_LOGICAL_OR:
	case NNAHW_EWISE_LOGICAL_NOT:
		return false;
	default:
		return true;
	}
}

static uint32_t whole_tile(const struct nnadev_engine_command *cmd,
			   const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			   void *scratch, void *shared)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const struct nnadev_engine_operand *o = cmd->operands;
	const uint32_t inputs = nnadev_ewise_inputs(p->op);
	const struct nnadev_rows *rows = nnadev_state(plan);
	int64_t x[2][PIECE];
	uint32_t begin, end;
	struct nnadev_run run;

	/* Only if no second input is loaded: integer tensors are often short. */
	if (inputs < 2)
		memset(x[1], 0, sizeof(x[1]));
	nnadev_tile_range(plan, tile, o[0].count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, PIECE)) {
		for (uint32_t i = 0; i < inputs; i++) {
			const int64_t step = nnadev_rows_step(rows, i + 1);

			if (o[i + 1].desc.type == NNAHW_TYPE_F32)
				load_floats(x[i], &o[i + 1], run.offset[i + 1], step, run.count,
					    o[0].desc.type);
			else
				load(x[i], &o[i + 1], run.offset[i + 1], step, run.count);
		}
		compute(p->op, x[0], x[1], run.count);
		store(&o[0], run.offset[0], x[0], run.count, p);
	}
	return NNAHW_STATUS_OK;
}

/* True if the command computes integers and stores them unscaled. */
static bool is_whole(const struct nnadev_engine_command *cmd, const struct nnahw_cmd_ewise *p)
{
	const struct nnahw_tensor *out = &cmd->operands[0].desc;

	if (p->op == NNAHW_EWISE_CAST && cmd->operands[1].desc.type == NNAHW_TYPE_F32)
		return !nnadev_type_is_float(out->type) && out->type != NNAHW_TYPE_BOOL8;
	return nnadev_ewise_rule(cmd) == NNADEV_RULE_INTEGER && is_computed(p->op) &&
	       out->type != NNAHW_TYPE_F16 &&
	       (!nnadev_is_quantised(out) || p->op == NNAHW_EWISE_CAST);
}

/* Accepts outputs whose rows are contiguous and long enough. */
static uint32_t whole_accepts(const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const struct nnahw_tensor *out = &cmd->operands[0].desc;
	const uint32_t inputs = nnadev_ewise_inputs(p->op);
	struct nnadev_rows rows;

	if (!is_whole(cmd, p))
		return nnadev_accept(false);
	/* Functions from a byte to a byte belong to the table kernel. */
	if (inputs == 1 && nnahw_type_size(out->type) == 1 &&
	    nnahw_type_size(cmd->operands[1].desc.type) == 1)
		return nnadev_accept(false);
	nnadev_rows_get(&rows, cmd, inputs + 1);
	return nnadev_accept(nnadev_rows_step(&rows, 0) == 1 &&
			     nnadev_rows_length(&rows) >= SHORTEST_ROW);
}

static void whole_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		       struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;

	nnadev_rows_get(nnadev_state_new(plan), cmd, nnadev_ewise_inputs(p->op) + 1);
	nnadev_cut(plan, cmd->operands[0].count, TILE_ELEMENTS);
}

NNADEV_VECTOR_KERNEL(ewise_whole) = { NNAHW_OP_EWISE, NNADEV_SET_ISA, whole_accepts, whole_plan,
				      whole_tile };

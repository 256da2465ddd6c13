/* SPDX-License-Identifier: MIT */
/* For tests of ROWS: random programs. */
#ifndef TEST_ENGINE_PROGRAM_H
#define TEST_ENGINE_PROGRAM_H

#include "tests/unit/device/nna/engine/engine.h"

/* Appends a step. Return: its number. */
static inline uint8_t add_step(struct call *c, uint32_t op, uint32_t x, uint32_t y, uint32_t z,
			       float number)
{
	struct nnahw_cmd_rows *p = (struct nnahw_cmd_rows *)c->raw;
	const uint8_t i = p->count++;

	p->op[i] = (uint8_t)op;
	p->x[i] = (uint8_t)x;
	p->y[i] = (uint8_t)y;
	p->z[i] = (uint8_t)z;
	p->number[i] = number;
	return i;
}

/* A command without steps, with @inputs inputs of random shape among those that are allowed. */
static inline void rows_init(struct call *c, struct rng *r, uint32_t rank, const uint32_t *dims,
			     uint32_t inputs, int spread)
{
	call_init(c, NNAHW_OP_ROWS, sizeof(struct nnahw_cmd_rows), 9);
	((struct nnahw_cmd_rows *)c->raw)->length = dims[rank - 1];
	for (uint32_t i = 0; i <= inputs; i++) {
		const uint32_t k = i ? NNAHW_ROWS_A + i - 1 : NNAHW_ROWS_OUTPUT;
		uint32_t own[NNAHW_MAX_RANK];

		memcpy(own, dims, sizeof(own[0]) * rank);
		if (i > 1 && rng_next(r) % 4 == 0)
			own[rank - 1] = 1;
		call_operand(c, r, k, i > 1 && rng_next(r) % 6 == 0 ? NNAHW_TYPE_BOOL8 :
									NNAHW_TYPE_F32,
			     rank, own, i ? spread : 0);
		operand_floats(c, r, k, -4, 4);
		for (uint32_t d = 0; i > 1 && d + 1 < rank; d++)
			if (rng_next(r) % 3 == 0)
				c->cmd.operands[k].desc.strides[d] = 0;
	}
}

/* The argument @from has one element a row. @narrow: steps before that give one. */
static inline bool argument_is_narrow(const struct call *c, const bool *narrow, uint32_t from)
{
	const struct nnahw_tensor *t;

	if (from < NNAHW_ROWS_INPUT)
		return narrow[from];
	if (from == NNAHW_ROWS_VALUE)
		return true;
	t = &c->cmd.operands[NNAHW_ROWS_A + from - NNAHW_ROWS_INPUT].desc;
	return t->dims[t->rank - 1] == 1;
}

/* A random argument of step @i. */
static inline uint32_t random_argument(struct rng *r, uint32_t i, uint32_t inputs)
{
	const uint32_t n = (uint32_t)rng_range(r, 0, i + inputs);

	if (n == i + inputs)
		return NNAHW_ROWS_VALUE;
	return n < i ? n : NNAHW_ROWS_INPUT + n - i;
}

/* Appends steps of the operations of a list; the last one is the output. */
static inline void random_steps(struct call *c, struct rng *r, const uint8_t *ops,
				uint32_t op_count, uint32_t count, uint32_t inputs,
				uint32_t (*arguments)(uint32_t op))
{
	struct nnahw_cmd_rows *p = (struct nnahw_cmd_rows *)c->raw;
	bool narrow[NNAHW_ROWS_STEPS];

	while (p->count < count) {
		const uint32_t i = p->count, op = ops[rng_next(r) % op_count], n = arguments(op);
		const bool reduces = op >= NNAHW_ROW_SUM && op <= NNAHW_ROW_MIN;
		uint32_t from[3] = { 0 };

		narrow[i] = true;
		for (uint32_t k = 0; k < n; k++) {
			from[k] = random_argument(r, i, inputs);
			narrow[i] = narrow[i] && argument_is_narrow(c, narrow, from[k]);
		}
		if (reduces && narrow[i])
			continue;
		narrow[i] = narrow[i] || reduces;
		add_step(c, op, from[0], from[1], from[2], rng_float(r, -2, 2));
	}
	p->result[0] = (uint8_t)(p->count - 1);
}

#endif

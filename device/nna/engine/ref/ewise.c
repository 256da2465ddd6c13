// SPDX-License-Identifier: MIT
/* EWISE, by definition. */
#include "device/nna/engine/ewise.h"

#define TILE_ELEMENTS 8192u

/**
 * struct ewise - state of a plan
 * @rule: the rule by which the command is computed
 * @inputs: number of inputs
 */
struct ewise {
	enum nnadev_ewise_rule rule;
	uint32_t inputs;
};

/* Return: the operand without its quantisation, because CAST ignores it. */
static struct nnadev_engine_operand plain_operand(const struct nnadev_engine_operand *o)
{
	struct nnadev_engine_operand plain = *o;

	plain.desc.scale = 0;
	plain.desc.zero_point = 0;
	return plain;
}

static uint32_t ewise_tile(const struct nnadev_engine_command *cmd,
			   const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			   void *scratch, void *shared)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const struct ewise *s = nnadev_state(plan);
	const enum nnadev_ewise_rule rule = s->rule;
	const uint32_t inputs = s->inputs;
	struct nnadev_engine_operand o[4];
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	for (uint32_t i = 0; i <= inputs; i++)
		o[i] = p->op == NNAHW_EWISE_CAST ? plain_operand(&cmd->operands[i])
						 : cmd->operands[i];
	nnadev_tile_range(plan, tile, o[0].count, &begin, &end);
	nnadev_unflatten(o[0].desc.dims, o[0].desc.rank, begin, index);
	for (uint32_t e = begin; e < end;
	     e++, nnadev_advance(o[0].desc.dims, o[0].desc.rank, index)) {
		int64_t at[4], x[4] = { 0 };
		float f[4] = { 0 };

		for (uint32_t i = 0; i <= inputs; i++)
			at[i] = nnadev_offset(&o[i].desc, index);
		if (rule == NNADEV_RULE_QUANTISED) {
			for (uint32_t i = 1; i <= inputs; i++)
				x[i] = nnadev_load_centred(&o[i], at[i]);
			x[0] = nnadev_ewise_quantised(p, nnadev_ewise_staged_bits(&o[0].desc),
						      x[1], x[2], x[3]);
			nnadev_store_centred(&o[0], at[0], x[0], p->q_min, p->q_max);
			continue;
		}
		if (rule == NNADEV_RULE_INTEGER) {
			/* The condition of SELECT may be a float. */
			x[1] = p->op == NNAHW_EWISE_SELECT ? nnadev_load_float(&o[1], at[1]) != 0 :
							     nnadev_load_integer(&o[1], at[1]);
			for (uint32_t i = 2; i <= inputs; i++)
				x[i] = nnadev_load_integer(&o[i], at[i]);
			x[0] = nnadev_ewise_integer(p->op, x[1], x[2], x[3]);
			if (!nnadev_type_is_float(o[0].desc.type) &&
			    !nnadev_is_quantised(&o[0].desc)) {
				nnadev_store_integer(&o[0], at[0], x[0]);
				continue;
			}
			f[0] = (float)x[0];
		} else {
			for (uint32_t i = 1; i <= inputs; i++)
				f[i] = nnadev_load_value(&o[i], at[i]);
			f[0] = nnadev_ewise_float(p->op, p->p0, f[1], f[2], f[3]);
		}
		if (nnadev_type_is_float(o[0].desc.type))
			f[0] = nnadev_clamp_float(f[0], p->clamp_min, p->clamp_max);
		nnadev_store_value(&o[0], at[0], f[0], p->q_min, p->q_max);
	}
	return NNAHW_STATUS_OK;
}

static uint32_t ewise_accepts(const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_EWISE_OUTPUT];
	uint32_t inputs;

	if (p->op > NNAHW_EWISE_ERF)
		return NNAHW_STATUS_BAD_COMMAND;
	inputs = nnadev_ewise_inputs(p->op);
	for (uint32_t i = 1; i <= 3; i++)
		if (nnadev_present(&cmd->operands[i]) != (i <= inputs))
			return nnadev_bad_operand(plan, i);
	for (uint32_t i = 1; i <= inputs; i++)
		if (!nnadev_same_dims(&cmd->operands[i].desc, &output->desc))
			return NNAHW_STATUS_BAD_SHAPE;
	if (nnadev_ewise_needs_integers(p->op) && nnadev_ewise_rule(cmd) != NNADEV_RULE_INTEGER)
		return nnadev_bad_operand(plan, NNAHW_EWISE_A);
	if (nnadev_is_quantised(&output->desc) && p->op != NNAHW_EWISE_CAST && p->q_min > p->q_max)
		return NNAHW_STATUS_BAD_COMMAND;
	if (nnadev_ewise_rule(cmd) == NNADEV_RULE_QUANTISED && (p->shift < 1 || p->shift > 62))
		return NNAHW_STATUS_BAD_COMMAND;
	if (p->staged > 1 || (p->staged && nnadev_ewise_rule(cmd) != NNADEV_RULE_QUANTISED) ||
	    (!p->staged && (p->a_shift || p->b_shift || p->multiplier)))
		return NNAHW_STATUS_BAD_COMMAND;
	return NNAHW_STATUS_OK;
}

static void ewise_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		       struct nnadev_engine_plan *plan)
{
	struct ewise *s = nnadev_state_new(plan);

	s->rule = nnadev_ewise_rule(cmd);
	s->inputs = nnadev_ewise_inputs(((const struct nnahw_cmd_ewise *)cmd->raw)->op);
	nnadev_cut(plan, cmd->operands[NNAHW_EWISE_OUTPUT].count, TILE_ELEMENTS);
}

NNADEV_KERNEL(ewise) = { NNAHW_OP_EWISE, NNADEV_ENGINE_SCALAR, ewise_accepts, ewise_plan,
			 ewise_tile };

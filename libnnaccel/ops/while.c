// SPDX-License-Identifier: MIT
/*
 * WHILE: runs a subgraph, the body, as long as another subgraph, the condition, is true.
 *
 *	in 0		condition	SUBGRAPH	its output is one BOOL8 [1]
 *	in 1		body		SUBGRAPH	its outputs are the next state
 *	in 2 ...	inputs		any		first the state: the part that the operation
 *							returns, then the rest; then inputs that no
 *							iteration changes
 *	out 0 ...	outputs		any		the first part of the last state
 *
 * The loop runs on the device. The state lies in scratch memory of a fixed shape. The body writes
 * the next state to memory of its own, which is then copied to the state. If an iteration changes a
 * shape, or a shape inside a subgraph depends on data, infer() returns -EAGAIN, and the runtime
 * runs the loop itself (runtime/parts.c).
 */
#include "libnnaccel/ops/subgraph.h"

enum { CONDITION = 0, BODY = 1, INPUTS = 2 };

/* Return: the number of inputs that are the state. */
static uint32_t state_count(const struct nna_op_context *op)
{
	return op->graph->subgraphs[op->in_operand[BODY]->subgraph].output_count;
}

static int check(struct nna_op_context *op)
{
	const struct nna_subgraph *body, *condition;
	uint32_t inputs = op->operation->input_count - INPUTS;
	enum nna_operand_type type;
	int ret = nna_subgraph_check(op, CONDITION, INPUTS, 1);

	ret = ret ?: nna_subgraph_check_input(op, BODY);
	if (ret)
		return ret;
	ret = nna_subgraph_check(op, BODY, INPUTS, state_count(op));
	if (ret)
		return ret;
	condition = &op->graph->subgraphs[op->in_operand[CONDITION]->subgraph];
	body = &op->graph->subgraphs[op->in_operand[BODY]->subgraph];
	type = condition->operands[condition->outputs[0]].stated.type;
	if (type != NNA_OPERAND_TENSOR_BOOL8)
		return nna_op_refuse(op, NNA_IN(CONDITION), "the subgraph's output has type %s",
				     "TENSOR_BOOL8", nna_operand_type_name(type));
	if (body->output_count > inputs)
		return nna_op_refuse(op, NNA_IN(BODY), "the subgraph has %u outputs",
				     "%u at most, the inputs of the loop", body->output_count,
				     inputs);
	if (op->operation->output_count > body->output_count)
		return nna_op_refuse(op, NNA_OUTPUTS, "%u are given",
				     "%u at most, the outputs of the body",
				     op->operation->output_count, body->output_count);
	for (uint32_t i = 0; i < body->output_count && !ret; i++)
		ret = nna_check_in_type(op, INPUTS + i,
					body->operands[body->outputs[i]].stated.type);
	for (uint32_t i = 0; i < op->operation->output_count && !ret; i++)
		ret = nna_check_out_type(op, i, op->in[INPUTS + i].type);
	return ret;
}

/* Begins a subgraph with the shapes of the first state. */
static int begin(struct nna_subgraph_run *run, const struct nna_op_context *op, uint32_t which)
{
	uint32_t constant = op->operation->input_count - INPUTS - state_count(op);

	return nna_subgraph_begin(run, op, which, INPUTS, constant);
}

static int infer(struct nna_op_context *op)
{
	struct nna_subgraph_run body;
	int ret = begin(&body, op, BODY);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < body.subgraph->output_count && !ret; i++) {
		const struct nna_shape *in = &op->in[INPUTS + i],
				       *next = nna_subgraph_output(&body, i);

		if (in->rank != next->rank ||
		    memcmp(in->dims, next->dims, in->rank * sizeof(*in->dims)))
			ret = -EAGAIN;
	}
	nna_subgraph_end(&body);
	for (uint32_t i = 0; i < op->operation->output_count && !ret; i++)
		ret = nna_set_like(op, i, INPUTS + i);
	return ret;
}

static int64_t scratch_of(struct nna_lower *l, const struct nna_shape *shape)
{
	bool quantised = nna_operand_type_is_quantised(shape->type);

	return nna_lower_scratch(l, nna_lower_type(shape->type), shape->rank, shape->dims,
				 quantised ? shape->scale : 0, quantised ? shape->zero_point : 0);
}

static int move_all(struct nna_lower *l, uint32_t count, const uint32_t *out, const uint32_t *in)
{
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++)
		ret = nna_do_move(l, out[i], in[i]);
	return ret;
}

/* Emits the loop. @now: a value for each input, the state first. @next: receives the next state. */
static int loop(struct nna_op_context *op, struct nna_subgraph_run *condition,
		struct nna_subgraph_run *body, const uint32_t *now, const uint32_t *next)
{
	struct nna_lower *l = op->lower;
	int ret;

	NNA_VALUE(start, nna_lower_label(l));
	NNA_VALUE(end, nna_lower_label(l));
	NNA_VALUE(goes_on, scratch_of(l, nna_subgraph_output(condition, 0)));
	ret = nna_lower_place(l, start) ?: nna_subgraph_lower(condition, op, now, &goes_on) ?:
	      nna_emit_branch_unless(l, goes_on, end) ?: nna_subgraph_lower(body, op, now, next);
	return ret ?: move_all(l, body->subgraph->output_count, now, next) ?:
	       nna_emit_jump(l, start) ?: nna_lower_place(l, end);
}

static int lower_values(struct nna_op_context *op, struct nna_subgraph_run *condition,
			struct nna_subgraph_run *body, uint32_t *now, uint32_t *next)
{
	uint32_t count = op->operation->input_count - INPUTS, state = body->subgraph->output_count;
	struct nna_lower *l = op->lower;
	int ret;

	for (uint32_t i = 0; i < count; i++) {
		NNA_VALUE(in, nna_lower_in(op, INPUTS + i));
		now[i] = in;
		if (i >= state)
			continue;
		NNA_VALUE(kept, scratch_of(l, &op->in[INPUTS + i]));
		NNA_VALUE(fresh, scratch_of(l, &op->in[INPUTS + i]));
		ret = nna_do_move(l, kept, in);
		if (ret)
			return ret;
		now[i] = kept;
		next[i] = fresh;
	}
	ret = loop(op, condition, body, now, next);
	for (uint32_t i = 0; i < op->operation->output_count && !ret; i++) {
		NNA_VALUE(out, nna_lower_out(op, i));
		ret = nna_do_move(l, out, now[i]);
	}
	return ret;
}

static int lower(struct nna_op_context *op)
{
	uint32_t count = op->operation->input_count;
	uint32_t *values = malloc(2 * (size_t)count * sizeof(*values));
	struct nna_subgraph_run condition = { 0 }, body = { 0 };
	int ret = values ? 0 : -ENOMEM;

	if (!ret)
		ret = begin(&condition, op, CONDITION) ?: begin(&body, op, BODY);
	if (!ret)
		ret = lower_values(op, &condition, &body, values, values + count);
	nna_subgraph_end(&condition);
	nna_subgraph_end(&body);
	free(values);
	return ret;
}

const struct nna_op nna_op_while = {
	.type = NNA_OPERATION_WHILE,
	.asks_data = true, /* shapes inside the subgraphs do not follow from those of the outputs */
	.check = check, .infer = infer, .lower = lower,
};

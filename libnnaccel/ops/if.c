// SPDX-License-Identifier: MIT
/*
 * IF: one of two subgraphs.
 *
 *	in 0		condition	BOOL8 [1]
 *	in 1		then		SUBGRAPH	runs if the condition is true
 *	in 2		else		SUBGRAPH	runs if the condition is false
 *	in 3 ...	inputs		any		of both subgraphs
 *	out 0 ...	outputs		any		of the subgraph that runs; both have the
 *							same types
 *
 * Both subgraphs are lowered, behind a BRANCH, and write to the same values. If the condition is
 * known when the program is compiled, only the subgraph that runs is lowered. If the subgraphs have
 * different output shapes, the condition must be known: infer() returns -EAGAIN until it is.
 */
#include "libnnaccel/ops/subgraph.h"

enum { THEN = 1, ELSE = 2, INPUTS = 3 };

static int check(struct nna_op_context *op)
{
	uint32_t outputs = op->operation->output_count;
	int ret = nna_subgraph_check(op, THEN, INPUTS, outputs) ?:
		  nna_subgraph_check(op, ELSE, INPUTS, outputs);

	for (uint32_t b = THEN; b <= ELSE && !ret; b++) {
		const struct nna_subgraph *sg = &op->graph->subgraphs[op->in_operand[b]->subgraph];

		for (uint32_t i = 0; i < outputs && !ret; i++)
			ret = nna_check_out_type(op, i, sg->operands[sg->outputs[i]].stated.type);
	}
	return ret;
}

/* Return: 0 or 1, or -1 if the condition is not known. */
static int known_condition(const struct nna_op_context *op)
{
	const uint8_t *data = nna_op_data(op, 0);

	return data ? *data != 0 : -1;
}

static int set_outputs(struct nna_op_context *op, const struct nna_subgraph_run *run)
{
	int ret = 0;

	for (uint32_t i = 0; i < op->operation->output_count && !ret; i++)
		ret = nna_set_dims(op, i, nna_subgraph_output(run, i)->rank,
				   nna_subgraph_output(run, i)->dims);
	return ret;
}

static bool same_outputs(const struct nna_subgraph_run *a, const struct nna_subgraph_run *b)
{
	for (uint32_t i = 0; i < a->subgraph->output_count; i++) {
		const struct nna_shape *x = nna_subgraph_output(a, i),
				       *y = nna_subgraph_output(b, i);

		if (x->rank != y->rank || memcmp(x->dims, y->dims, x->rank * sizeof(*x->dims)))
			return false;
	}
	return true;
}

/* Begins the subgraph of one branch and infers its shapes. */
static int begin_branch(struct nna_subgraph_run *run, const struct nna_op_context *op,
			uint32_t branch)
{
	return nna_subgraph_begin(run, op, branch, INPUTS, UINT32_MAX - op->operation->input_count);
}

static int infer(struct nna_op_context *op)
{
	struct nna_subgraph_run a, b;
	char text[128];
	int known = known_condition(op), ret;

	if (op->in[0].final && (op->in[0].rank > 1 || (op->in[0].rank && op->in[0].dims[0] != 1)))
		return nna_op_refuse(op, NNA_IN(0), "dimensions %s", "one element",
				     nna_shape_text(&op->in[0], text, sizeof(text)));
	ret = begin_branch(&a, op, known == 0 ? ELSE : THEN);
	if (ret)
		return ret;
	ret = set_outputs(op, &a);
	if (!ret && known < 0) {
		ret = begin_branch(&b, op, ELSE);
		if (!ret) {
			ret = same_outputs(&a, &b) ? 0 : -EAGAIN;
			nna_subgraph_end(&b);
		}
	}
	nna_subgraph_end(&a);
	return ret;
}

static int lower_branch(struct nna_op_context *op, uint32_t branch, const uint32_t *inputs,
			const uint32_t *outputs)
{
	struct nna_subgraph_run run;
	int ret = begin_branch(&run, op, branch);

	if (ret)
		return ret;
	ret = nna_subgraph_lower(&run, op, inputs, outputs);
	nna_subgraph_end(&run);
	return ret;
}

static int lower_both(struct nna_op_context *op, const uint32_t *inputs, const uint32_t *outputs)
{
	struct nna_lower *l = op->lower;
	int ret;

	NNA_VALUE(condition, nna_lower_in(op, 0));
	NNA_VALUE(otherwise, nna_lower_label(l));
	NNA_VALUE(end, nna_lower_label(l));
	ret = nna_emit_branch_unless(l, condition, otherwise) ?:
	      lower_branch(op, THEN, inputs, outputs) ?: nna_emit_jump(l, end) ?:
	      nna_lower_place(l, otherwise);
	return ret ?: lower_branch(op, ELSE, inputs, outputs) ?: nna_lower_place(l, end);
}

static int lower_values(struct nna_op_context *op, uint32_t *inputs, uint32_t *outputs)
{
	int known = known_condition(op);

	for (uint32_t i = INPUTS; i < op->operation->input_count; i++) {
		NNA_VALUE(in, nna_lower_in(op, i));
		inputs[i - INPUTS] = in;
	}
	for (uint32_t i = 0; i < op->operation->output_count; i++) {
		NNA_VALUE(out, nna_lower_out(op, i));
		outputs[i] = out;
	}
	return known < 0 ? lower_both(op, inputs, outputs) :
			   lower_branch(op, known ? THEN : ELSE, inputs, outputs);
}

static int lower(struct nna_op_context *op)
{
	uint32_t count = op->operation->input_count + op->operation->output_count;
	uint32_t *values = malloc(count * sizeof(*values));
	int ret;

	if (!values)
		return -ENOMEM;
	ret = lower_values(op, values, values + op->operation->input_count);
	free(values);
	return ret;
}

const struct nna_op nna_op_if = {
	.type = NNA_OPERATION_IF,
	.asks_data = true, /* shapes inside the subgraphs do not follow from those of the outputs */
	.check = check, .infer = infer, .lower = lower,
};

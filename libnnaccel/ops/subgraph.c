// SPDX-License-Identifier: MIT
/* Lowers subgraphs in place of the operations that refer to them: see subgraph.h. */
#include "libnnaccel/ops/subgraph.h"

#include "libnnaccel/ir/ir.h"

void nna_subgraph_end(struct nna_subgraph_run *run)
{
	free(run->shapes);
	free(run->bound);
	*run = (struct nna_subgraph_run){ 0 };
}

/* Completes run->shapes. Return: 0, -EAGAIN if a shape depends on data, or another error. */
static int infer(struct nna_subgraph_run *run, const struct nna_op_context *op)
{
	int ret = nna_infer_subgraph(op->graph, run->number, run->shapes, run->bound,
				     run->bound_count, NULL, op->log);

	/* A run counts the rows of a bounded operand: the runtime runs the operation in parts. */
	for (uint32_t i = 0; i < run->subgraph->operand_count && !ret; i++)
		if (run->shapes[i].bounded)
			ret = -EAGAIN;
	return ret;
}

int nna_subgraph_begin(struct nna_subgraph_run *run, const struct nna_op_context *op, uint32_t i,
		       uint32_t first, uint32_t known)
{
	uint32_t number = op->in_operand[i]->subgraph, count;
	const struct nna_subgraph *sg = &op->graph->subgraphs[number];
	size_t bytes;
	int ret;

	*run = (struct nna_subgraph_run){ .subgraph = sg, .number = number };
	run->shapes = calloc((size_t)sg->operand_count + 1, sizeof(*run->shapes));
	run->bound = calloc((size_t)sg->input_count + 1, sizeof(*run->bound));
	if (!run->shapes || !run->bound) {
		nna_subgraph_end(run);
		return -ENOMEM;
	}
	nna_infer_begin(op->graph, number, run->shapes);
	count = sg->input_count;
	for (uint32_t k = 0; k < count; k++) {
		const struct nna_shape *in = &op->in[first + k];
		struct nna_shape *shape = &run->shapes[sg->inputs[k]];
		const void *data = k + known >= count ? nna_op_data(op, first + k) : NULL;

		shape->rank_known = in->rank_known;
		shape->final = in->final;
		shape->rank = in->rank;
		memcpy(shape->dims, in->dims, sizeof(shape->dims));
		if (data && nna_shape_bytes(in, &bytes))
			run->bound[run->bound_count++] =
				(struct nna_bound_value){ sg->inputs[k], data, bytes };
	}
	ret = infer(run, op);
	if (ret)
		nna_subgraph_end(run);
	return ret;
}

/* Return: 0, or -ENOTSUP with a message if an operation of the subgraph cannot be lowered. */
static int check_operations(const struct nna_op_context *op, uint32_t which)
{
	uint32_t number = op->in_operand[which]->subgraph;
	const struct nna_subgraph *sg = &op->graph->subgraphs[number];
	static const struct nna_log silent;
	struct nna_shape *shapes = malloc(((size_t)sg->operand_count + 1) * sizeof(*shapes));
	int ret = shapes ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < sg->operand_count; i++)
		shapes[i] = sg->operands[i].shape;
	for (uint32_t i = 0; !ret && i < sg->operation_count; i++) {
		const char *name = nna_operation_name(sg->operations[i].type);
		struct nna_op_context inner;

		ret = nna_op_context_begin(&inner, op->graph, number, i, shapes, NULL, 0, &silent);
		if (ret)
			break;
		ret = nna_op_check(&inner);
		nna_op_context_end(&inner);
		if (ret == -ENOTSUP || ret == -EINVAL)
			ret = nna_op_unsupported(op, NNA_IN(which),
						 "%s (operation %u of subgraph %u)",
						 "operations that compile on their own",
						 name ? name : "?", i, number);
		else if (ret != -ENOMEM)
			ret = 0;
	}
	free(shapes);
	return ret;
}

int nna_subgraph_check_input(const struct nna_op_context *op, uint32_t i)
{
	if (i < op->operation->input_count && op->in_operand[i]->lifetime == NNA_LIFETIME_SUBGRAPH)
		return 0;
	return nna_op_refuse(op, NNA_IN(i), "no subgraph", "an operand that refers to one");
}

int nna_subgraph_check(const struct nna_op_context *op, uint32_t i, uint32_t first,
		       uint32_t outputs)
{
	const struct nna_operand *operand;
	const struct nna_subgraph *sg;
	int ret = nna_subgraph_check_input(op, i);

	if (ret)
		return ret;
	operand = op->in_operand[i];
	sg = &op->graph->subgraphs[operand->subgraph];
	if (sg->input_count != op->operation->input_count - first)
		return nna_op_refuse(op, NNA_IN(i), "subgraph %u takes %u inputs",
				     "%u, the operation's inputs from %u on", operand->subgraph,
				     sg->input_count, op->operation->input_count - first, first);
	if (sg->output_count != outputs)
		return nna_op_refuse(op, NNA_IN(i), "subgraph %u has %u outputs", "%u",
				     operand->subgraph, sg->output_count, outputs);
	for (uint32_t k = 0; k < sg->input_count; k++) {
		const struct nna_shape *shape = &sg->operands[sg->inputs[k]].stated;
		ret = nna_check_in_type(op, first + k, shape->type);
		if (!ret && nna_operand_type_is_quantised(shape->type))
			ret = nna_check_quant(op, NNA_IN(first + k), shape->scale,
					      shape->zero_point);
		if (ret)
			return ret;
	}
	return check_operations(op, i);
}

/* Lowers one operation of the subgraph. */
static int lower_operation(struct nna_frame *frame, struct nna_subgraph_run *run,
			   const struct nna_op_context *outer, uint32_t index)
{
	const struct nna_op *what = nna_op_find(run->subgraph->operations[index].type);
	struct nna_op_context op;
	int ret;

	if (!what)
		return nna_op_unsupported(outer, NNA_INPUTS, "operation %u of subgraph %u",
					  "the types of nnaccel-operations(7)", index, run->number);
	ret = nna_op_context_begin(&op, outer->graph, run->number, index, run->shapes, run->bound,
				   run->bound_count, outer->log);
	if (ret)
		return ret;
	op.lower = outer->lower;
	op.frame = frame;
	ret = what->lower(&op);
	nna_op_context_end(&op);
	return ret;
}

int nna_subgraph_lower(struct nna_subgraph_run *run, const struct nna_op_context *op,
		       const uint32_t *inputs, const uint32_t *outputs)
{
	const struct nna_subgraph *sg = run->subgraph;
	struct nna_frame frame = {
		.subgraph = run->number,
		.values = malloc(((size_t)sg->operand_count + 1) * sizeof(*frame.values)),
		.shapes = run->shapes,
		.bound = run->bound,
		.bound_count = run->bound_count,
		.outer = op->frame,
	};
	int ret = 0;

	if (!frame.values)
		return -ENOMEM;
	for (uint32_t i = 0; i < sg->operand_count; i++)
		frame.values[i] = NNA_NO_VALUE;
	for (uint32_t i = 0; i < sg->input_count; i++)
		frame.values[sg->inputs[i]] = inputs[i];
	for (uint32_t i = 0; i < sg->output_count; i++)
		frame.values[sg->outputs[i]] = outputs[i];
	for (uint32_t i = 0; i < sg->operation_count && !ret; i++)
		ret = lower_operation(&frame, run, op, sg->order[i]);
	free(frame.values);
	return ret;
}

// SPDX-License-Identifier: MIT
/*
 * Tells which operations can be compiled: each operation is lowered alone into a struct nna_lower
 * that is thrown away, and the backend is asked about the resulting ir operations. Its inputs are
 * stand-ins in scratch memory, except constants.
 */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/compiler/passes.h"
#include "libnnaccel/ops/lower.h"
#include "libnnaccel/ops/op.h"

static const struct nna_log silent;

/* Adds stand-ins for inputs whose values other operations would compute. */
static int add_inputs(const struct nna_op_context *op)
{
	for (uint32_t i = 0; i < op->operation->input_count; i++) {
		uint32_t operand = op->operation->inputs[i];
		int ret;

		if (op->in_operand[i]->lifetime != NNA_LIFETIME_TEMPORARY &&
		    op->in_operand[i]->lifetime != NNA_LIFETIME_OUTPUT)
			continue;
		if (op->frame->values[operand] != NNA_NO_VALUE)
			continue;
		ret = nna_frame_stand_in(op->lower, op->frame, operand, &op->in[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Lowers a checked operation. Return: 0 (it can be compiled), -EAGAIN (not known), or an error. */
static int try_to_lower(struct nna_op_context *op, const struct nna_backend *backend,
			uint32_t configuration, struct nna_shape *shapes)
{
	const struct nna_subgraph *sg = &op->graph->subgraphs[op->subgraph];
	const struct nna_op *impl = nna_op_find(op->operation->type);
	struct nna_frame frame = { .subgraph = op->subgraph, .shapes = shapes };
	struct nna_lower *l;
	int ret;

	if (!op->complete)
		return -EAGAIN;
	ret = impl->infer(op);
	if (ret == -EAGAIN && nna_op_outputs_are_final(op))
		ret = 0;
	else if (!ret)
		ret = nna_infer_settle(op);
	if (ret)
		return ret;
	ret = nna_lower_create(op->graph, &silent, &l);
	if (ret)
		return ret;
	frame.values = malloc(sizeof(*frame.values) * ((size_t)sg->operand_count + 1));
	if (frame.values) {
		for (uint32_t i = 0; i < sg->operand_count; i++)
			frame.values[i] = NNA_NO_VALUE;
		l->origin = op->index;
		l->trial = true;
		l->configuration = configuration;
		op->lower = l;
		op->frame = &frame;
		ret = add_inputs(op);
		if (!ret)
			ret = impl->lower(op);
		if (!ret)
			ret = nna_pass_accept(l, backend, 0);
		op->lower = NULL;
		op->frame = NULL;
	} else {
		ret = -ENOMEM;
	}
	free(frame.values);
	nna_lower_destroy(l);
	return ret;
}

int nna_compile_get_supported(const struct nna_graph *graph, const struct nna_backend *backend,
			      uint32_t configuration, bool *supported)
{
	const struct nna_subgraph *sg = &graph->subgraphs[0];
	struct nna_shape *shapes = malloc((sg->operand_count ? sg->operand_count : 1) *
					  sizeof(*shapes));
	int ret = 0;

	if (!shapes)
		return -ENOMEM;
	for (uint32_t i = 0; i < sg->operand_count; i++)
		shapes[i] = sg->operands[i].shape;
	for (uint32_t i = 0; i < sg->operation_count && !ret; i++) {
		const struct nna_op *impl = nna_op_find(sg->operations[i].type);
		struct nna_op_context op;

		supported[i] = false;
		if (!impl || !impl->lower)
			continue;
		ret = nna_op_context_begin(&op, graph, 0, i, shapes, NULL, 0, &silent);
		if (ret)
			break;
		ret = nna_op_check(&op);
		if (!ret)
			ret = try_to_lower(&op, backend, configuration, shapes);
		supported[i] = !ret || (ret == -EAGAIN && backend->takes_unknown);
		if (ret != -ENOMEM)
			ret = 0;
		nna_op_context_end(&op);
	}
	free(shapes);
	return ret;
}

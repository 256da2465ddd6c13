// SPDX-License-Identifier: MIT
/*
 * Shape inference over a subgraph: see infer.h. Visits operations in execution order and compares
 * the shapes that they infer with those that the model states.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ops/infer.h"
#include "libnnaccel/ops/op.h"

void nna_infer_begin(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes)
{
	const struct nna_subgraph *sg = &graph->subgraphs[subgraph];

	for (uint32_t i = 0; i < sg->operand_count; i++)
		shapes[i] = sg->operands[i].stated;
}

/* Compares the inferred shape of output @i with the stated one, and makes it final. */
static int settle_output(struct nna_op_context *op, uint32_t i)
{
	const struct nna_shape *stated = &op->out_operand[i]->stated;
	struct nna_shape *shape = &op->out[i];
	bool same = !stated->rank_known || stated->rank == shape->rank;
	char computed[128], model[128];
	size_t bytes;

	for (uint32_t k = shape->bounded; same && k < stated->rank; k++)
		same = !stated->dims[k] || stated->dims[k] == shape->dims[k];
	if (!same)
		return nna_op_refuse(op, NNA_OUT(i), "the model states dimensions %s",
				     "%s, which follow from the inputs",
				     nna_shape_text(stated, model, sizeof(model)),
				     nna_shape_text(shape, computed, sizeof(computed)));
	shape->final = true;
	if (!nna_shape_bytes(shape, &bytes) || bytes > INT32_MAX)
		return nna_op_refuse(op, NNA_OUT(i), "dimensions %s", "2 GiB at most",
				     nna_shape_text(shape, computed, sizeof(computed)));
	return 0;
}

int nna_infer_settle(struct nna_op_context *op)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < op->operation->output_count; i++) {
		if (op->out_operand[i]->lifetime != NNA_LIFETIME_NO_VALUE)
			ret = settle_output(op, i);
	}
	return ret;
}

/* Checks an operation and infers the shapes of its outputs. */
static int infer_operation(struct nna_op_context *op)
{
	const struct nna_op *what = nna_op_find(op->operation->type);
	int ret = nna_op_check(op);

	if (ret)
		return ret;
	if (!op->complete)
		return -EAGAIN;
	ret = what->infer(op);
	return ret ? ret : nna_infer_settle(op);
}

/*
 * The operations that walk() passes over: none; those with unknown shapes, or not supported; or
 * those that break a rule as well.
 */
enum patience { NONE, UNKNOWN, WRONG };

/* Visits all operations in execution order. */
static int walk(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		const struct nna_bound_value *values, uint32_t value_count, uint32_t *stop,
		enum patience patience, const struct nna_log *log)
{
	const struct nna_subgraph *sg = &graph->subgraphs[subgraph];

	for (uint32_t k = 0; k < sg->operation_count; k++) {
		struct nna_op_context op;
		bool done;
		int ret;

		ret = nna_op_context_begin(&op, graph, subgraph, sg->order[k], shapes, values,
					   value_count, log);
		if (ret)
			return ret;
		ret = infer_operation(&op);
		done = !ret || (ret == -EAGAIN && op.complete && nna_op_outputs_are_final(&op));
		for (uint32_t i = 0; done && i < op.operation->output_count; i++)
			shapes[op.operation->outputs[i]] = op.out[i];
		nna_op_context_end(&op);
		if (done || (patience >= UNKNOWN && (ret == -EAGAIN || ret == -ENOTSUP)) ||
		    (patience == WRONG && ret == -EINVAL))
			continue;
		if (stop)
			*stop = k;
		return ret;
	}
	return 0;
}

int nna_infer_subgraph(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		       const struct nna_bound_value *values, uint32_t value_count, uint32_t *stop,
		       const struct nna_log *log)
{
	return walk(graph, subgraph, shapes, values, value_count, stop, NONE,
		    log ? log : &graph->log);
}

int nna_infer_known(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		    bool lenient, const struct nna_log *log)
{
	return walk(graph, subgraph, shapes, NULL, 0, NULL, lenient ? WRONG : UNKNOWN, log);
}

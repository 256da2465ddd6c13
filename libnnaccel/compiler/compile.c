// SPDX-License-Identifier: MIT
/*
 * The driver of the compiler, from a finished graph and final shapes of its inputs to a struct
 * nna_code:
 *
 *	1	make_interface(): a storage for each input and variable, in the order of the model
 *	2	lower_operation() in execution order: check, infer the shapes of the results, fold
 *		(fold.c) or lower, and ask the backend (accept.c)
 *	3	nna_fold_run_job(): operations that still wait to be folded
 *	4	write_outputs(): copies into those outputs that no operation has written in place
 *	5	the passes: fuse.c, join.c, elide.c, and the backend's select and pack
 *	6	nna_emit_code(): plan.c, and emit.c
 *
 * A struct nna_lower lives for the duration of nna_compile() only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/support/clock.h"
#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/compiler/fold.h"
#include "libnnaccel/compiler/passes.h"
#include "libnnaccel/ops/lower.h"

/**
 * struct nna_compile_state - one call of nna_compile()
 * @options: the caller's
 * @l: the lowering, owned
 * @fold: operations that wait to be folded
 * @stop: the operation that nna_compile() reports with -EAGAIN, else NNA_NONE
 */
struct nna_compile_state {
	const struct nna_compile_options *options;
	struct nna_lower *l;
	struct nna_frame *frame;
	struct nna_fold fold;
	uint32_t stop;
};

static uint64_t value_bytes(const struct nna_value *v)
{
	uint32_t count = 0;

	nna_value_count(v, &count);
	return (uint64_t)count * nna_type_size(v->type);
}

int nna_compile_check_limit(const struct nna_compile_limit *limit)
{
	if (limit->is_cancelled && limit->is_cancelled(limit->user))
		return -ECANCELED;
	return limit->deadline_ns && nna_now_ns() >= limit->deadline_ns ? -ETIMEDOUT : 0;
}

/* Keeps the shapes of the results, which agree with what the model states. */
static int take_shapes(struct nna_op_context *op, struct nna_frame *f)
{
	int ret = nna_infer_settle(op);

	for (uint32_t i = 0; !ret && i < op->operation->output_count; i++) {
		struct nna_shape *shape = &f->shapes[op->operation->outputs[i]];

		if (op->out_operand[i]->lifetime == NNA_LIFETIME_NO_VALUE)
			continue;
		*shape = op->out[i];
		shape->rank_known = true;
	}
	return ret;
}

static bool any_bounded(const struct nna_shape *shapes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (shapes[i].bounded)
			return true;
	return false;
}

/* Checks, infers and lowers (or folds) one operation of the main subgraph. */
static int lower_operation(struct nna_compile_state *c, struct nna_lower *l, uint32_t index)
{
	struct nna_frame *f = c->frame;
	const struct nna_operation *operation = &l->graph->subgraphs[f->subgraph].operations[index];
	const struct nna_op *impl = nna_op_find(operation->type);
	const char *name = nna_operation_name(operation->type);
	struct nna_op_context op;
	uint32_t before = l->op_count;
	int ret;

	if (!impl || !impl->lower) {
		nna_log_print(&l->log, NNA_LOG_ERROR, "operation %u: %s (%u) is not supported",
			      index, name ? name : "unknown", operation->type);
		return -ENOTSUP;
	}
	ret = nna_compile_check_limit(&c->options->limit);
	if (ret)
		return ret;
	ret = nna_op_context_begin(&op, l->graph, f->subgraph, index, f->shapes, f->bound,
				   f->bound_count, &l->log);
	if (ret)
		return ret;
	l->origin = index;
	op.lower = l;
	op.frame = f;
	op.demand = &c->fold.demand;
	ret = nna_op_check(&op);
	if (!ret)
		ret = any_bounded(op.in, operation->input_count) ? -EAGAIN : impl->infer(&op);
	if (ret == -EAGAIN && !any_bounded(op.in, operation->input_count) &&
	    nna_op_outputs_are_final(&op))
		ret = 0;
	if (!ret)
		ret = take_shapes(&op, f);
	if (!ret) {
		ret = nna_fold_add(&c->fold, impl, &op);
		if (!ret)
			ret = impl->lower(&op);
		else if (ret > 0)
			ret = 0;
	}
	if (!ret)
		ret = nna_pass_accept(l, c->options->backend, before);
	if (!ret)
		ret = nna_fold_bind_results(&c->fold, operation);
	/* The error of a value that could not be computed replaces the operation's own error. */
	if (c->fold.demand.error)
		ret = c->fold.demand.error;
	if (ret == -EAGAIN)
		c->stop = index;
	else if (ret)
		nna_log_print(&l->log, NNA_LOG_ERROR, "operation %u: %s cannot be compiled: %s",
			      index, name ? name : "unknown", strerror(-ret));
	if (l->debug & NNA_DEBUG_LOWER)
		nna_debug_print(l, "lower: operation %u %s: commands %u to %u", index,
				name ? name : "?", before, l->op_count);
	nna_op_context_end(&op);
	return ret;
}

/*
 * Copies to the outputs that no operation wrote in place: constants, inputs, and operands that are
 * listed as an output twice.
 */
static int write_outputs(struct nna_lower *l, struct nna_frame *f, const struct nna_subgraph *sub)
{
	for (uint32_t i = 0; i < sub->output_count; i++) {
		int64_t value = nna_frame_value(l, f, sub, sub->outputs[i],
						&f->shapes[sub->outputs[i]]);
		struct nna_value v;
		int64_t storage, out;
		int ret;

		if (value < 0 || value == NNA_NO_VALUE)
			return value < 0 ? value : -EINVAL;
		v = l->values[value];
		if (l->storages[v.storage].kind == NNA_STORAGE_OUTPUT &&
		    l->storages[v.storage].index == i)
			continue;
		storage = nna_storage_add(l, NNA_STORAGE_OUTPUT, value_bytes(&v), i, NULL, NULL);
		if (storage < 0)
			return storage;
		l->storages[storage].count = l->storages[v.storage].count;
		v.storage = storage;
		v.offset = 0;
		nna_value_set_strides(&v);
		out = nna_value_add(l, &v);
		if (out < 0)
			return out;
		ret = nna_emit_copy(l, out, value);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Gives inputs and variables their storages and values first, so that their order is that of the
 * model.
 */
static int make_interface(struct nna_compile_state *c, const struct nna_subgraph *sub)
{
	struct nna_lower *l = c->l;
	struct nna_frame *f = c->frame;

	for (uint32_t i = 0; i < sub->input_count; i++) {
		f->shapes[sub->inputs[i]] = c->options->inputs[i];
		f->shapes[sub->inputs[i]].final = true;
	}
	for (uint32_t i = 0; i < c->options->value_count; i++) {
		const struct nna_bound_value *v = &c->options->values[i];
		int ret = nna_frame_bind(f, v->operand, v->data, v->size);

		if (ret)
			return ret;
	}
	for (uint32_t i = 0; i < sub->input_count + sub->operand_count; i++) {
		uint32_t operand = i < sub->input_count ? sub->inputs[i] : i - sub->input_count;
		bool input = i < sub->input_count;
		int64_t value;

		if (!input && sub->operands[operand].lifetime != NNA_LIFETIME_VARIABLE)
			continue;
		value = nna_frame_value(l, f, sub, operand, &f->shapes[operand]);
		if (value < 0)
			return value;
	}
	return 0;
}

int nna_compile(const struct nna_graph *graph, const struct nna_compile_options *options,
		uint32_t *stop, struct nna_code **out)
{
	const struct nna_subgraph *sub = &graph->subgraphs[0];
	struct nna_compile_state c = { .options = options, .stop = NNA_NONE };
	struct nna_frame frame;
	struct nna_code *code;
	int ret;

	ret = nna_lower_create(graph, options->log, &c.l);
	if (ret)
		return ret;
	c.l->account = options->account;
	c.l->abi_minor = options->abi_minor;
	c.l->configuration = options->configuration;
	ret = nna_frame_begin(&frame, graph, 0, NULL);
	if (ret) {
		nna_lower_destroy(c.l);
		return ret;
	}
	c.frame = &frame;
	nna_fold_begin(&c.fold, options, c.l, &frame);
	ret = make_interface(&c, sub);
	for (uint32_t i = 0; !ret && i < sub->operation_count; i++)
		ret = lower_operation(&c, c.l, sub->order[i]);
	if (!ret)
		ret = nna_fold_run_job(&c.fold);
	if (!ret)
		ret = write_outputs(c.l, &frame, sub);
	if (!ret)
		ret = nna_compile_check_limit(&options->limit);
	if (!ret && !(c.l->debug & NNA_DEBUG_NO_REPEAT))
		ret = nna_pass_repeat(c.l);
	if (!ret && !(c.l->debug & NNA_DEBUG_NO_FUSE))
		ret = nna_pass_fuse(c.l, options->backend);
	if (!ret && !(c.l->debug & NNA_DEBUG_NO_MATCH))
		ret = nna_pass_match(c.l, options->backend);
	if (!ret && !(c.l->debug & NNA_DEBUG_NO_MATCH))
		ret = nna_pass_whole(c.l, options->backend);
	if (!ret && !(c.l->debug & NNA_DEBUG_NO_JOIN))
		ret = nna_pass_join(c.l, options->backend);
	if (!ret && !(c.l->debug & NNA_DEBUG_NO_ELIDE))
		ret = nna_pass_elide(c.l);
	if (!ret)
		ret = options->backend->select(c.l);
	if (!ret)
		ret = nna_compile_check_limit(&options->limit);
	if (!ret && options->backend->pack && !(c.l->debug & NNA_DEBUG_NO_PACK))
		ret = options->backend->pack(c.l);
	if (!ret)
		ret = nna_emit_code(c.l, options->backend, sub->input_count, sub->output_count,
				    options->max_slots, &code);
	if (!ret) {
		for (uint32_t i = 0; i < sub->input_count + sub->output_count; i++) {
			bool input = i < sub->input_count;
			uint32_t k = input ? i : i - sub->input_count;
			const struct nna_shape *shape =
				&frame.shapes[input ? sub->inputs[k] : sub->outputs[k]];
			struct nna_code_io *io = input ? &code->inputs[k] : &code->outputs[k];

			io->type = shape->type;
			io->rank = shape->rank;
			memcpy(io->dims, shape->dims, sizeof(io->dims));
		}
		*out = code;
	}
	if (stop)
		*stop = c.stop;
	nna_fold_end(&c.fold);
	nna_frame_end(&frame);
	nna_lower_destroy(c.l);
	return ret;
}

// SPDX-License-Identifier: MIT
/*
 * The driver of the compiler, from a finished graph and final shapes of its inputs to a struct
 * nna_code:
 *
 *	1	make_interface(): a storage for each input and variable, in the order of the model
 *	2	lower_operation() in execution order: check, infer the shapes of the results, fold
 *		or lower
 *	3	write_outputs(): copies into those outputs that no operation has written in place
 *	4	the passes: fuse.c, elide.c, pack.c
 *	5	nna_emit_code(): plan.c, and emit.c
 *
 * Constant folding: an operation on constants alone is lowered into a job of its own, which runs at
 * once on the device (no arithmetic runs in the library); its results are constants from then on,
 * and small ones may decide about the shapes of later operations.
 *
 * A struct nna_lower lives for the duration of nna_compile() only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/clock.h"
#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/compiler/passes.h"
#include "libnnaccel/ops/lower.h"

/*
 * A folded result is kept as a constant up to this many bytes, or if it has at most four times the
 * bytes of its inputs; else it is computed in every run.
 */
#define FOLD_LIMIT (64u << 10)
/* Folded results up to this many bytes may be parameters of later operations. */
#define BOUND_LIMIT 4096u

/**
 * struct nna_compile_state - one call of nna_compile()
 * @options: the caller's
 * @l: the lowering, owned
 * @stop: the operation that nna_compile() reports with -EAGAIN, else NNA_NONE
 */
struct nna_compile_state {
	const struct nna_compile_options *options;
	struct nna_lower *l;
	struct nna_frame *frame;
	uint32_t stop;
};

static void frame_end(struct nna_frame *f)
{
	free(f->values);
	free(f->shapes);
	free(f->bound);
}

/* A frame in which no operand has a value, and shapes are as the model states them. */
static int frame_begin(struct nna_frame *f, const struct nna_graph *graph, uint32_t subgraph,
		       struct nna_frame *outer)
{
	uint32_t count = graph->subgraphs[subgraph].operand_count;

	*f = (struct nna_frame){ .subgraph = subgraph, .outer = outer };
	f->values = malloc(sizeof(*f->values) * ((size_t)count + 1));
	f->shapes = calloc((size_t)count + 1, sizeof(*f->shapes));
	if (!f->values || !f->shapes) {
		frame_end(f);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		f->values[i] = NNA_NO_VALUE;
	nna_infer_begin(graph, subgraph, f->shapes);
	return 0;
}

/* Makes the bytes of an operand known; they stay where they are. */
static int frame_bind(struct nna_frame *f, uint32_t operand, const void *data, size_t size)
{
	if (f->bound_count == f->bound_room) {
		uint32_t room = f->bound_room ? f->bound_room * 2 : 16;
		struct nna_bound_value *grown = realloc(f->bound, sizeof(*grown) * room);

		if (!grown)
			return -ENOMEM;
		f->bound = grown;
		f->bound_room = room;
	}
	f->bound[f->bound_count++] = (struct nna_bound_value){ operand, data, size };
	return 0;
}

static uint64_t value_bytes(const struct nna_value *v)
{
	uint32_t count = 0;

	nna_value_count(v, &count);
	return (uint64_t)count * nna_type_size(v->type);
}

/* Results that are constants by now may decide about later operations. */
static int bind_constant_results(struct nna_lower *l, struct nna_frame *f,
				 const struct nna_operation *operation)
{
	for (uint32_t i = 0; i < operation->output_count; i++) {
		uint32_t value = f->values[operation->outputs[i]];
		const void *data;
		uint64_t bytes;
		int ret;

		if (value == NNA_NO_VALUE)
			continue;
		data = nna_lower_constant_data(l, value);
		bytes = value_bytes(&l->values[value]);
		if (!data || bytes > BOUND_LIMIT)
			continue;
		ret = frame_bind(f, operation->outputs[i], data, bytes);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Whether an operation can be folded: its inputs are constants, its outputs are temporaries, and
 * the same inputs always give the same outputs. @in_bytes: the size of its inputs.
 */
static bool can_fold(struct nna_op_context *op, uint64_t *in_bytes)
{
	bool any = false;

	*in_bytes = 0;
	if (op->operation->type == NNA_OPERATION_IF || op->operation->type == NNA_OPERATION_WHILE ||
	    op->operation->type == NNA_OPERATION_RANDOM_MULTINOMIAL)
		return false;
	for (uint32_t i = 0; i < op->operation->output_count; i++)
		if (op->out_operand[i]->lifetime != NNA_LIFETIME_TEMPORARY || op->out[i].bounded)
			return false;
	for (uint32_t i = 0; i < op->operation->input_count; i++) {
		uint32_t value = op->frame->values[op->operation->inputs[i]];

		switch (op->in_operand[i]->lifetime) {
		case NNA_LIFETIME_CONSTANT:
			*in_bytes += op->in_operand[i]->size;
			any = true;
			break;
		case NNA_LIFETIME_NO_VALUE:
			break;
		case NNA_LIFETIME_TEMPORARY:
			if (value == NNA_NO_VALUE || !nna_lower_constant_data(op->lower, value))
				return false;
			*in_bytes += value_bytes(&op->lower->values[value]);
			any = true;
			break;
		default:
			return false;
		}
	}
	return any;
}

/* Inputs of a folded operation are constants of its own lowering, over the same bytes. */
static int fold_inputs(struct nna_op_context *op, struct nna_lower *l, struct nna_lower *fold,
		       struct nna_frame *frame)
{
	for (uint32_t i = 0; i < op->operation->input_count; i++) {
		uint32_t operand = op->operation->inputs[i];
		uint32_t value = op->frame->values[operand];
		struct nna_value v;
		int64_t storage, copy;

		if (op->in_operand[i]->lifetime != NNA_LIFETIME_TEMPORARY ||
		    frame->values[operand] != NNA_NO_VALUE)
			continue;
		v = l->values[value];
		storage = nna_storage_add(fold, NNA_STORAGE_CONSTANT, value_bytes(&v), operand,
					  nna_lower_constant_data(l, value), NULL);
		if (storage < 0)
			return storage;
		v.storage = storage;
		v.offset = 0;
		copy = nna_value_add(fold, &v);
		if (copy < 0)
			return copy;
		frame->values[operand] = copy;
	}
	return 0;
}

/* Turns results into outputs of the folding job. */
static int fold_outputs(struct nna_op_context *op, struct nna_lower *fold,
			const struct nna_frame *frame, uint64_t *bytes)
{
	*bytes = 0;
	for (uint32_t i = 0; i < op->operation->output_count; i++) {
		uint32_t value = frame->values[op->operation->outputs[i]];
		struct nna_value v;
		int64_t storage, out;
		int ret;

		if (value == NNA_NO_VALUE)
			return -EINVAL;
		v = fold->values[value];
		*bytes += value_bytes(&v);
		if (fold->storages[v.storage].kind == NNA_STORAGE_SCRATCH &&
		    nna_value_whole(fold, &v)) {
			fold->storages[v.storage].kind = NNA_STORAGE_OUTPUT;
			fold->storages[v.storage].index = i;
			continue;
		}
		storage = nna_storage_add(fold, NNA_STORAGE_OUTPUT, value_bytes(&v), i, NULL, NULL);
		if (storage < 0)
			return storage;
		v.storage = storage;
		v.offset = 0;
		nna_value_set_strides(&v);
		out = nna_value_add(fold, &v);
		if (out < 0)
			return out;
		ret = nna_emit_copy(fold, out, value);
		if (ret)
			return ret;
	}
	return 0;
}

/* Runs the folding job and makes constants of @l from what it wrote. */
static int fold_run(struct nna_compile_state *c, struct nna_op_context *op, struct nna_lower *fold,
		    const struct nna_frame *frame)
{
	const struct nna_operation *operation = op->operation;
	void **outputs = calloc(operation->output_count, sizeof(*outputs));
	struct nna_code *code = NULL;
	int ret;

	if (!outputs)
		return -ENOMEM;
	ret = c->options->backend->select(fold) ?:
	      nna_emit_code(fold, c->options->backend, 0, operation->output_count,
			    c->options->max_slots, &code);
	for (uint32_t i = 0; !ret && i < operation->output_count; i++) {
		outputs[i] = calloc(1, code->outputs[i].size ? code->outputs[i].size : 1);
		if (!outputs[i])
			ret = -ENOMEM;
	}
	if (!ret)
		ret = c->options->run(c->options->user, code, outputs);
	for (uint32_t i = 0; !ret && i < operation->output_count; i++) {
		struct nna_value v = fold->values[frame->values[operation->outputs[i]]];
		int64_t storage, value;

		storage = nna_storage_add(op->lower, NNA_STORAGE_CONSTANT, code->outputs[i].size,
					  operation->outputs[i], outputs[i], outputs[i]);
		outputs[i] = NULL;
		if (storage < 0) {
			ret = storage;
			break;
		}
		v.storage = storage;
		v.offset = 0;
		nna_value_set_strides(&v);
		value = nna_value_add(op->lower, &v);
		if (value < 0)
			ret = value;
		else
			op->frame->values[operation->outputs[i]] = value;
	}
	for (uint32_t i = 0; i < operation->output_count; i++)
		free(outputs[i]);
	free(outputs);
	nna_code_destroy(code);
	return ret;
}

/* Asks the backend about the operations of @l from @from on. */
static int ask_backend(const struct nna_compile_state *c, const struct nna_lower *l, uint32_t from,
		       const char *name)
{
	char reason[256];

	for (uint32_t i = from; i < l->op_count; i++) {
		int ret = c->options->backend->accepts(l, &l->ops[i], reason, sizeof(reason));

		if (ret) {
			nna_log_print(&l->log, NNA_LOG_ERROR, "operation %u (%s): %s", l->origin,
				      name ? name : "?", reason);
			return ret;
		}
	}
	return 0;
}

/*
 * Folds an operation if that is possible and worthwhile. Return: 1 when it is done, 0 when the
 * operation is to be lowered as any other (its inputs are not all constant, it is a mere view, or
 * its result is too large to keep), or an error.
 */
static int fold_operation(struct nna_compile_state *c, const struct nna_op *impl,
			  struct nna_op_context *op)
{
	struct nna_lower *l = op->lower, *fold;
	struct nna_frame frame, *outer = op->frame;
	uint64_t in_bytes, out_bytes;
	int ret;

	if (!c->options->run || l->debug & NNA_DEBUG_NO_FOLD || !can_fold(op, &in_bytes))
		return 0;
	ret = nna_lower_create(l->graph, &l->log, &fold);
	if (ret)
		return ret;
	ret = frame_begin(&frame, l->graph, op->subgraph, NULL);
	if (ret) {
		nna_lower_destroy(fold);
		return ret;
	}
	fold->origin = l->origin;
	ret = fold_inputs(op, l, fold, &frame);
	op->lower = fold;
	op->frame = &frame;
	if (!ret)
		ret = impl->lower(op);
	op->lower = l;
	op->frame = outer;
	if (!ret)
		ret = ask_backend(c, fold, 0, nna_operation_name(op->operation->type));
	if (!ret && fold->op_count && !fold->synchronous) {
		ret = fold_outputs(op, fold, &frame, &out_bytes);
		if (!ret && (out_bytes <= FOLD_LIMIT || out_bytes <= 4 * in_bytes)) {
			ret = fold_run(c, op, fold, &frame);
			if (!ret)
				ret = 1;
		}
	}
	frame_end(&frame);
	nna_lower_destroy(fold);
	return ret;
}

static bool past_deadline(const struct nna_compile_options *options)
{
	return options->deadline_ns && nna_now_ns() >= options->deadline_ns;
}

/* Compares the inferred shapes of the results with what the model states; keeps them. */
static int take_shapes(struct nna_op_context *op, struct nna_frame *f)
{
	for (uint32_t i = 0; i < op->operation->output_count; i++) {
		const struct nna_shape *stated = &op->out_operand[i]->stated;
		struct nna_shape *shape = &f->shapes[op->operation->outputs[i]];

		if (op->out_operand[i]->lifetime == NNA_LIFETIME_NO_VALUE)
			continue;
		if (stated->rank_known && stated->rank) {
			if (stated->rank != op->out[i].rank)
				return nna_op_fail(op, "output %u has rank %u, the model says %u",
						   i, op->out[i].rank, stated->rank);
			for (uint32_t k = op->out[i].bounded; k < stated->rank; k++)
				if (stated->dims[k] && stated->dims[k] != op->out[i].dims[k])
					return nna_op_fail(op, "dimension %u of output %u is %u, "
							   "the model says %u", k, i,
							   op->out[i].dims[k], stated->dims[k]);
		}
		*shape = op->out[i];
		shape->rank_known = true;
		shape->final = true;
	}
	return 0;
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
	if (past_deadline(c->options))
		return -ETIMEDOUT;
	ret = nna_op_context_begin(&op, l->graph, f->subgraph, index, f->shapes, f->bound,
				   f->bound_count, &l->log);
	if (ret)
		return ret;
	l->origin = index;
	op.lower = l;
	op.frame = f;
	ret = nna_op_check(&op);
	if (!ret)
		ret = any_bounded(op.in, operation->input_count) ? -EAGAIN : impl->infer(&op);
	if (ret == -EAGAIN && !any_bounded(op.in, operation->input_count) &&
	    nna_op_outputs_are_final(&op))
		ret = 0;
	if (!ret)
		ret = take_shapes(&op, f);
	if (!ret) {
		ret = fold_operation(c, impl, &op);
		if (!ret)
			ret = impl->lower(&op);
		else if (ret > 0)
			ret = 0;
	}
	if (!ret)
		ret = ask_backend(c, l, before, name);
	if (!ret)
		ret = bind_constant_results(l, f, operation);
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
 * Gives inputs and variables their storages and values before anything else, so that the order is
 * that of the model.
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
		int ret = frame_bind(f, v->operand, v->data, v->size);

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
	ret = frame_begin(&frame, graph, 0, NULL);
	if (ret) {
		nna_lower_destroy(c.l);
		return ret;
	}
	c.frame = &frame;
	ret = make_interface(&c, sub);
	for (uint32_t i = 0; !ret && i < sub->operation_count; i++)
		ret = lower_operation(&c, c.l, sub->order[i]);
	if (!ret)
		ret = write_outputs(c.l, &frame, sub);
	if (!ret && !(c.l->debug & NNA_DEBUG_NO_FUSE))
		ret = nna_pass_fuse(c.l, options->backend);
	if (!ret && !(c.l->debug & NNA_DEBUG_NO_ELIDE))
		ret = nna_pass_elide(c.l);
	if (!ret)
		ret = options->backend->select(c.l);
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
	frame_end(&frame);
	nna_lower_destroy(c.l);
	return ret;
}

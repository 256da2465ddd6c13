// SPDX-License-Identifier: MIT
/*
 * Runs whose shapes depend on data. The graph is cut where compiling needs to know what only a run
 * tells; every part is a program of its own, and this thread runs one after the other. What IF and
 * WHILE decide is decided here where their subgraphs cannot be lowered in their place, by the value
 * that the device has written. Nothing is computed here.
 *
 * Between parts lie tensors: reference-counted, in device memory unless they are the caller's or
 * the model's. A frame holds those of one subgraph in use. All of it belongs to one run in one
 * thread; only the list of parts is shared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/runtime.h"

/* Buffers of tensors that are gone are kept for the next ones, so that loops make none. */
#define MAX_SPARE 16u

/* Operands of IF and WHILE. */
enum { IF_CONDITION, IF_THEN, IF_ELSE, IF_INPUTS };
enum { WHILE_CONDITION, WHILE_BODY, WHILE_INPUTS };

/**
 * struct tensor - what an operand holds
 * @omitted: nothing
 * @data: the caller's or the model's bytes; else they are in @buffer at @offset
 * @owned: @buffer goes with the tensor
 */
struct tensor {
	uint32_t references;
	bool omitted;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	size_t size;
	const void *data;
	struct nna_buffer *buffer;
	size_t offset;
	bool owned;
};

/**
 * struct parts_run - a run under way
 * @deadline_ns: absolute, 0 is none
 * @loop_end: when the time of the loop around is over, 0 outside of loops
 * @loop, @loop_subgraph: operation and subgraph of that loop
 * @spare: @spare_count buffers that can be used again
 */
struct parts_run {
	struct nna_execution *execution;
	struct nna_program *program;
	uint64_t deadline_ns, loop_end;
	uint32_t loop, loop_subgraph;
	struct nna_buffer *spare[MAX_SPARE];
	uint32_t spare_count;
};

/**
 * struct frame - a subgraph in use
 * @tensors: one per operand, NULL where there is none yet
 */
struct frame {
	uint32_t number;
	const struct nna_subgraph *subgraph;
	struct tensor **tensors;
};

static int run_frame(struct parts_run *run, struct frame *f, uint32_t stop);

static const struct nna_log *log_of(const struct parts_run *run)
{
	return &run->program->device->log;
}

/* -------------------------------------------------------------------------------------- tensors */

static struct tensor *tensor_ref(struct tensor *t)
{
	t->references++;
	return t;
}

static void tensor_put(struct parts_run *run, struct tensor *t)
{
	if (!t || --t->references)
		return;
	if (t->owned && run->spare_count < MAX_SPARE)
		run->spare[run->spare_count++] = t->buffer;
	else if (t->owned)
		nna_buffer_destroy(t->buffer);
	free(t);
}

/* A spare buffer of at least @size bytes and at most four times as many, or a new one. */
static int get_buffer(struct parts_run *run, size_t size, struct nna_buffer **out)
{
	if (!size)
		size = 1;
	for (uint32_t i = 0; i < run->spare_count; i++) {
		struct nna_buffer *b = run->spare[i];

		if (b->size < size || b->size / 4 > size)
			continue;
		run->spare[i] = run->spare[--run->spare_count];
		*out = b;
		return 0;
	}
	return nna_buffer_create(run->program->device, size, out);
}

/*
 * A tensor of @size bytes in device memory; without @size it holds nothing yet. NULL without
 * memory.
 */
static struct tensor *tensor_new(struct parts_run *run, const size_t *size)
{
	struct tensor *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->references = 1;
	if (size && get_buffer(run, *size, &t->buffer)) {
		free(t);
		return NULL;
	}
	t->size = size ? *size : 0;
	t->owned = size != NULL;
	return t;
}

static const void *tensor_data(const struct tensor *t)
{
	return t->data ? t->data : (const char *)nna_buffer_map(t->buffer) + t->offset;
}

static bool fits(const struct nna_shape *stated, const struct tensor *t)
{
	if (t->omitted || !stated->rank_known)
		return true;
	if (stated->rank != t->rank)
		return false;
	for (uint32_t k = 0; k < t->rank; k++)
		if (stated->dims[k] && stated->dims[k] != t->dims[k])
			return false;
	return true;
}

/* --------------------------------------------------------------------------------------- frames */

static void frame_end(struct parts_run *run, struct frame *f)
{
	for (uint32_t i = 0; f->tensors && i < f->subgraph->operand_count; i++)
		tensor_put(run, f->tensors[i]);
	free(f->tensors);
}

static int frame_begin(struct parts_run *run, struct frame *f, uint32_t number)
{
	*f = (struct frame){
		.number = number,
		.subgraph = &run->program->graph->subgraphs[number],
	};
	f->tensors = calloc((size_t)f->subgraph->operand_count + 1, sizeof(*f->tensors));
	return f->tensors ? 0 : -ENOMEM;
}

/* Takes over the caller's reference. */
static int frame_set(struct parts_run *run, struct frame *f, uint32_t operand, struct tensor *t)
{
	tensor_put(run, f->tensors[operand]);
	f->tensors[operand] = t;
	if (fits(&f->subgraph->operands[operand].stated, t))
		return 0;
	nna_log_print(
		log_of(run), NNA_LOG_ERROR,
		"operand %u of subgraph %u has other dimensions in this run than the model says",
		operand, f->number);
	return -EINVAL;
}

/* The tensor of an operand; constants get one when they are asked for. */
static int frame_get(struct parts_run *run, struct frame *f, uint32_t operand, struct tensor **out)
{
	const struct nna_operand *o = &f->subgraph->operands[operand];
	struct tensor *t = f->tensors[operand];

	if (!t) {
		if (o->lifetime != NNA_LIFETIME_CONSTANT && o->lifetime != NNA_LIFETIME_NO_VALUE) {
			nna_log_print(log_of(run), NNA_LOG_ERROR,
				      "operand %u of subgraph %u is state, and its shape depends "
				      "on data: not supported",
				      operand, f->number);
			return -ENOTSUP;
		}
		t = tensor_new(run, NULL);
		if (!t)
			return -ENOMEM;
		t->omitted = o->lifetime == NNA_LIFETIME_NO_VALUE;
		t->rank = o->stated.rank;
		memcpy(t->dims, o->stated.dims, sizeof(t->dims));
		t->data = o->data;
		t->size = o->size;
		f->tensors[operand] = t;
	}
	*out = t;
	return 0;
}

/* ---------------------------------------------------------------------------------------- parts */

void nna_parts_destroy(struct nna_part *parts)
{
	while (parts) {
		struct nna_part *next = parts->next;

		nna_program_destroy(parts->program);
		nna_graph_unref(parts->graph);
		free(parts);
		parts = next;
	}
}

static struct nna_part *find_part(struct nna_program *p, uint32_t subgraph, uint32_t from,
				  uint32_t to)
{
	struct nna_part *part;

	pthread_mutex_lock(&p->lock);
	for (part = p->parts; part; part = part->next)
		if (part->subgraph == subgraph && part->from == from && (!to || part->to == to))
			break;
	pthread_mutex_unlock(&p->lock);
	return part;
}

/*
 * The part from @from up to @to; with @to 0 as far as it went the last time, at first to the end.
 */
static int get_part(struct nna_program *p, uint32_t subgraph, uint32_t from, uint32_t to,
		    struct nna_part **out)
{
	struct nna_program_options options = { .priority = p->priority };
	struct nna_part *part = find_part(p, subgraph, from, to);
	int ret;

	*out = part;
	if (part)
		return 0;
	part = calloc(1, sizeof(*part));
	if (!part)
		return -ENOMEM;
	part->subgraph = subgraph;
	part->from = from;
	part->to = to ? to : p->graph->subgraphs[subgraph].operation_count;
	ret = nna_graph_create_part(p->graph, subgraph, from, part->to, &part->graph);
	if (!ret)
		ret = nna_program_create(p->device, part->graph, &options, &part->program);
	if (ret) {
		nna_parts_destroy(part);
		return ret;
	}
	pthread_mutex_lock(&p->lock);
	part->next = p->parts;
	p->parts = part;
	pthread_mutex_unlock(&p->lock);
	*out = part;
	return 0;
}

static int bind_inputs(struct parts_run *run, struct nna_execution *e,
		       const struct nna_subgraph *part, struct frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->input_count && !ret; i++) {
		struct tensor *t;

		ret = frame_get(run, f, part->inputs[i], &t);
		if (ret)
			break;
		if (t->omitted)
			ret = nna_execution_set_input(e, i, 0, NULL, NULL, 0);
		else if (t->data)
			ret = nna_execution_set_input(e, i, t->rank, t->dims, t->data, t->size);
		else
			ret = nna_execution_set_input_buffer(e, i, t->rank, t->dims, t->buffer,
							     t->offset, t->size);
	}
	return ret;
}

static int bind_outputs(struct parts_run *run, struct nna_execution *e,
			const struct nna_subgraph *part, struct frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->output_count && !ret; i++) {
		size_t size = e->variant->code->outputs[i].size;
		struct tensor *t = tensor_new(run, &size);

		if (!t)
			return -ENOMEM;
		tensor_put(run, f->tensors[part->outputs[i]]);
		f->tensors[part->outputs[i]] = t;
		ret = nna_execution_set_output_buffer(e, i, 0, NULL, t->buffer, 0, size);
	}
	return ret;
}

/* Shapes as the run has left them. */
static int take_shapes(struct parts_run *run, struct nna_execution *e,
		       const struct nna_subgraph *part, struct frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->output_count && !ret; i++) {
		struct tensor *t = f->tensors[part->outputs[i]];

		ret = nna_execution_get_output_dims(e, i, &t->rank, t->dims);
		t->size = nna_operand_type_size(part->operands[part->outputs[i]].stated.type);
		for (uint32_t k = 0; k < t->rank; k++)
			t->size *= t->dims[k];
	}
	return ret;
}

static void add_timing(struct nna_timing *sum, const struct nna_timing *part)
{
	if (!sum->commands) {
		sum->submit = part->submit;
		sum->begin = part->begin;
	}
	sum->end = part->end;
	sum->run += part->run;
	sum->commands += part->commands;
}

static int set_limits(struct parts_run *run, struct nna_execution *e)
{
	uint64_t limit = run->execution->loop_limit_ns, now = nna_now_ns();

	if (run->loop_end) {
		if (now >= run->loop_end) {
			nna_log_print(
				log_of(run), NNA_LOG_ERROR,
				"WHILE (operation %u of subgraph %u) took longer than %llu ms",
				run->loop, run->loop_subgraph, (unsigned long long)limit / 1000000);
			return -ETIMEDOUT;
		}
		limit = run->loop_end - now;
	}
	return nna_execution_set_deadline(e, run->deadline_ns)
		       ?: nna_execution_set_loop_limit(e, limit);
}

static int run_execution(struct parts_run *run, struct nna_execution *e,
			 const struct nna_subgraph *part, struct frame *f, uint32_t *stop)
{
	struct nna_timing timing;
	int ret = bind_inputs(run, e, part, f) ?: set_limits(run, e) ?:
		  nna_execution_choose_variant(e, true, stop);

	if (ret || !part->output_count)
		return ret;
	ret = bind_outputs(run, e, part, f) ?: nna_execution_compute(e);
	if (!nna_execution_get_timing(e, &timing))
		add_timing(&run->execution->timing, &timing);
	return ret ?: take_shapes(run, e, part, f);
}

/*
 * Runs the operations from @from on; how far is up to @part. -EAGAIN: only up to operation @stop is
 * possible.
 */
static int run_part(struct parts_run *run, struct frame *f, const struct nna_part *part,
		    uint32_t *stop)
{
	struct nna_execution *e;
	int ret = nna_execution_create(part->program, &e);

	if (ret)
		return ret;
	e->parent = run->execution;
	ret = run_execution(run, e, &part->graph->subgraphs[0], f, stop);
	nna_execution_destroy(e);
	return ret;
}

/* --------------------------------------------------------------------------------- control flow */

/*
 * Runs the subgraph that input @which refers to; @io: its inputs, and then its outputs, references.
 */
static int run_subgraph(struct parts_run *run, struct frame *outer,
			const struct nna_operation *operation, uint32_t which,
			struct tensor *const *inputs, struct tensor **outputs)
{
	struct frame f;
	int ret = frame_begin(run, &f,
			      outer->subgraph->operands[operation->inputs[which]].subgraph);

	for (uint32_t i = 0; !ret && i < f.subgraph->input_count; i++)
		ret = frame_set(run, &f, f.subgraph->inputs[i], tensor_ref(inputs[i]));
	if (!ret)
		ret = run_frame(run, &f, NNA_NONE);
	for (uint32_t i = 0; !ret && i < f.subgraph->output_count; i++)
		outputs[i] = tensor_ref(f.tensors[f.subgraph->outputs[i]]);
	frame_end(run, &f);
	return ret;
}

static int decide(struct parts_run *run, const struct tensor *condition, bool *truth)
{
	if (condition->omitted || condition->size != 1) {
		nna_log_print(log_of(run), NNA_LOG_ERROR, "a condition has not one element");
		return -EINVAL;
	}
	*truth = *(const uint8_t *)tensor_data(condition) != 0;
	return 0;
}

static int run_if(struct parts_run *run, struct frame *f, const struct nna_operation *operation,
		  struct tensor **inputs, struct tensor **outputs)
{
	struct tensor *condition;
	bool truth;
	int ret = frame_get(run, f, operation->inputs[IF_CONDITION], &condition) ?:
		  decide(run, condition, &truth);

	return ret ?: run_subgraph(run, f, operation, truth ? IF_THEN : IF_ELSE, inputs, outputs);
}

static int run_while(struct parts_run *run, struct frame *f, const struct nna_operation *operation,
		     struct tensor **inputs, struct tensor **outputs)
{
	uint32_t body = f->subgraph->operands[operation->inputs[WHILE_BODY]].subgraph;
	uint32_t count = run->program->graph->subgraphs[body].output_count;
	uint64_t outer = run->loop_end, end = nna_now_ns() + run->execution->loop_limit_ns;
	bool goes_on = true;
	int ret = 0;

	if (!outer || end < outer) {
		run->loop_end = end;
		run->loop = (uint32_t)(operation - f->subgraph->operations);
		run->loop_subgraph = f->number;
	}
	while (!ret && goes_on) {
		struct tensor *condition = NULL;

		ret = run_subgraph(run, f, operation, WHILE_CONDITION, inputs, &condition);
		if (!ret)
			ret = decide(run, condition, &goes_on);
		tensor_put(run, condition);
		if (ret || !goes_on)
			break;
		ret = run_subgraph(run, f, operation, WHILE_BODY, inputs, outputs);
		for (uint32_t i = 0; !ret && i < count; i++) {
			tensor_put(run, inputs[i]);
			inputs[i] = outputs[i];
			outputs[i] = NULL;
		}
	}
	for (uint32_t i = 0; !ret && i < operation->output_count; i++)
		outputs[i] = tensor_ref(inputs[i]);
	run->loop_end = outer;
	return ret;
}

/* IF or WHILE, from here. */
static int run_control(struct parts_run *run, struct frame *f, uint32_t index)
{
	const struct nna_operation *operation = &f->subgraph->operations[index];
	bool is_while = operation->type == NNA_OPERATION_WHILE;
	uint32_t first = is_while ? WHILE_INPUTS : IF_INPUTS, count = operation->input_count;
	struct tensor **inputs, **outputs, *t;
	int ret = 0;

	if (!is_while && operation->type != NNA_OPERATION_IF) {
		const char *name = nna_operation_name(operation->type);

		nna_log_print(log_of(run), NNA_LOG_ERROR,
			      "operation %u of subgraph %u: %s needs a value that is too large "
			      "to decide about shapes",
			      index, f->number, name ? name : "unknown");
		return -ENOTSUP;
	}
	/* A body gives no more than the operation has inputs. */
	inputs = calloc((size_t)count + 1, sizeof(*inputs));
	outputs = calloc((size_t)count + operation->output_count + 1, sizeof(*outputs));
	if (!inputs || !outputs)
		ret = -ENOMEM;
	for (uint32_t i = first; i < count && !ret; i++) {
		ret = frame_get(run, f, operation->inputs[i], &t);
		if (!ret)
			inputs[i - first] = tensor_ref(t);
	}
	if (!ret)
		ret = is_while ? run_while(run, f, operation, inputs, outputs) :
				 run_if(run, f, operation, inputs, outputs);
	for (uint32_t i = 0; i < operation->output_count && !ret; i++) {
		ret = frame_set(run, f, operation->outputs[i], outputs[i]);
		outputs[i] = NULL;
	}
	for (uint32_t i = 0; inputs && i < count; i++)
		tensor_put(run, inputs[i]);
	for (uint32_t i = 0; outputs && i < count + operation->output_count; i++)
		tensor_put(run, outputs[i]);
	free(inputs);
	free(outputs);
	return ret;
}

/* The place of operation @index in the execution order. */
static uint32_t place_of(const struct nna_subgraph *sg, uint32_t index)
{
	uint32_t place = 0;

	while (place < sg->operation_count && sg->order[place] != index)
		place++;
	return place;
}

/*
 * All operations of a frame whose inputs are set. @stop: the first part ends before this operation,
 * NNA_NONE is not known.
 */
static int run_frame(struct parts_run *run, struct frame *f, uint32_t stop)
{
	const struct nna_subgraph *sg = f->subgraph;
	uint32_t from = 0;
	int ret = 0;

	while (!ret && from < sg->operation_count) {
		uint32_t to = stop == NNA_NONE ? 0 : place_of(sg, stop);
		struct nna_part *part;

		if (stop != NNA_NONE && to == from) {
			ret = run_control(run, f, sg->order[from]);
			from++;
			stop = NNA_NONE;
			continue;
		}
		ret = get_part(run->program, f->number, from, to, &part);
		if (ret)
			break;
		stop = NNA_NONE;
		ret = run_part(run, f, part, &stop);
		if (ret == -EAGAIN)
			ret = 0;
		else
			from = part->to;
	}
	return ret;
}

/* -------------------------------------------------------------------------------- the whole run */

static int begin_main(struct parts_run *run, struct frame *f)
{
	int ret = frame_begin(run, f, 0);

	for (uint32_t i = 0; !ret && i < f->subgraph->input_count; i++) {
		const struct nna_binding *b = &run->execution->inputs[i];
		const struct nna_shape *shape =
			&f->subgraph->operands[f->subgraph->inputs[i]].shape;
		struct tensor *t = tensor_new(run, NULL);

		if (!t)
			return -ENOMEM;
		t->omitted = b->omitted;
		t->rank = b->has_dims ? b->rank : shape->rank;
		for (uint32_t k = 0; k < t->rank; k++)
			t->dims[k] = b->has_dims && b->dims[k] ? b->dims[k] : shape->dims[k];
		t->data = b->data;
		t->buffer = b->buffer;
		t->offset = b->offset;
		t->size = b->size;
		ret = frame_set(run, f, f->subgraph->inputs[i], t);
	}
	return ret;
}

static int give_results(struct nna_execution *e, const struct frame *f)
{
	uint32_t count = f->subgraph->output_count;
	int ret;

	e->results = calloc((size_t)count + 1, sizeof(*e->results));
	if (!e->results)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct tensor *t = f->tensors[f->subgraph->outputs[i]];
		struct nna_code_io *io = &e->results[i];

		io->size = t->size;
		io->rank = t->rank;
		memcpy(io->dims, t->dims, sizeof(io->dims));
	}
	ret = nna_bindings_check_outputs(e, e->results);
	for (uint32_t i = 0; i < count && (!ret || ret == -ENOSPC); i++) {
		const struct tensor *t = f->tensors[f->subgraph->outputs[i]];

		if (!e->outputs[i].short_of && t->size)
			memcpy((void *)nna_binding_data(&e->outputs[i]), tensor_data(t), t->size);
	}
	return ret;
}

int nna_parts_run(struct nna_execution *e, uint32_t stop, uint64_t deadline_ns)
{
	struct parts_run run = {
		.execution = e,
		.program = e->program,
		.deadline_ns = deadline_ns,
	};
	struct frame f = { 0 };
	int ret;

	ret = begin_main(&run, &f) ?: run_frame(&run, &f, stop) ?: give_results(e, &f);
	frame_end(&run, &f);
	while (run.spare_count)
		nna_buffer_destroy(run.spare[--run.spare_count]);
	return ret;
}

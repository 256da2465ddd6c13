// SPDX-License-Identifier: MIT
/* Parts: the list of them, running one, and running a graph by them (parts.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/parts.h"

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

/* A part that there is already, or NULL; @to 0 is any. */
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
 * The part from @from up to @to. With @to 0 it is the one that was made last, which went as far as
 * is possible; at first it is one that goes to the end of the subgraph. @limit: when compiling
 * gives up; NULL is never.
 */
static int get_part(struct nna_program *p, uint32_t subgraph, uint32_t from, uint32_t to,
		    const struct nna_compile_limit *limit, struct nna_part **out)
{
	struct nna_program_options options = {
		.priority = p->priority,
		.preference = p->preference,
		.deadline_ns = limit ? limit->deadline_ns : 0,
		.is_cancelled = limit ? limit->is_cancelled : NULL,
		.user = limit ? limit->user : NULL,
	};
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

/* Operands of a part have the numbers that they have in the subgraph, so in the frame, too. */
static int bind_inputs(struct nna_parts *run, struct nna_execution *e,
		       const struct nna_subgraph *part, struct nna_parts_frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->input_count && !ret; i++) {
		struct nna_parts_tensor *t;

		ret = nna_parts_frame_get(run, f, part->inputs[i], &t);
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

static int bind_outputs(struct nna_parts *run, struct nna_execution *e,
			const struct nna_subgraph *part, struct nna_parts_frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->output_count && !ret; i++) {
		size_t size = e->variant->code->outputs[i].size;
		struct nna_parts_tensor *t = nna_parts_tensor_create(run, &size);

		if (!t)
			return -ENOMEM;
		nna_parts_tensor_put(run, f->tensors[part->outputs[i]]);
		f->tensors[part->outputs[i]] = t;
		ret = nna_execution_set_output_buffer(e, i, 0, NULL, t->buffer, 0, size);
	}
	return ret;
}

/* Shapes as the run has left them. */
static int take_shapes(struct nna_parts *run, struct nna_execution *e,
		       const struct nna_subgraph *part, struct nna_parts_frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->output_count && !ret; i++) {
		struct nna_parts_tensor *t = f->tensors[part->outputs[i]];

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
	sum->span += part->span;
	sum->commands += part->commands;
}

/* The time that is left for the run, and for the loop around. */
static int set_limits(struct nna_parts *run, struct nna_execution *e)
{
	uint64_t limit = run->execution->loop_limit_ns, now = nna_now_ns();

	if (run->loop_end) {
		if (now >= run->loop_end) {
			nna_log_print(
				nna_parts_log(run), NNA_LOG_ERROR,
				"WHILE (operation %u of subgraph %u) took longer than %llu ms",
				run->loop, run->loop_subgraph, (unsigned long long)limit / 1000000);
			return -ETIMEDOUT;
		}
		limit = run->loop_end - now;
	}
	return nna_execution_set_deadline(e, run->deadline_ns) ?:
		       nna_execution_set_loop_limit(e, limit);
}

static int run_execution(struct nna_parts *run, struct nna_execution *e,
			 const struct nna_subgraph *part, struct nna_parts_frame *f, uint32_t *stop)
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

/* Runs a part in an execution of its own. -EAGAIN: it has to end before operation @stop. */
static int run_part(struct nna_parts *run, struct nna_parts_frame *f, const struct nna_part *part,
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

/* The place of operation @index in the execution order. */
static uint32_t place_of(const struct nna_subgraph *sg, uint32_t index)
{
	uint32_t place = 0;

	while (place < sg->operation_count && sg->order[place] != index)
		place++;
	return place;
}

int nna_parts_prepare(struct nna_program *program, uint32_t stop,
		      const struct nna_compile_limit *limit)
{
	uint32_t to = place_of(&program->graph->subgraphs[0], stop);
	struct nna_part *part;

	return to ? get_part(program, 0, 0, to, limit, &part) : 0;
}

int nna_parts_run_frame(struct nna_parts *run, struct nna_parts_frame *f, uint32_t stop)
{
	const struct nna_subgraph *sg = f->subgraph;
	uint32_t from = 0;
	int ret = 0;

	while (!ret && from < sg->operation_count) {
		uint32_t to = stop == NNA_NONE ? 0 : place_of(sg, stop);
		struct nna_part *part;

		if (stop != NNA_NONE && to == from) {
			ret = nna_parts_run_control(run, f, sg->order[from]);
			from++;
			stop = NNA_NONE;
			continue;
		}
		ret = get_part(run->program, f->number, from, to, NULL, &part);
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

/* A frame of the main subgraph, with what the execution's inputs are bound to. */
static int begin_main(struct nna_parts *run, struct nna_parts_frame *f)
{
	int ret = nna_parts_frame_begin(run, f, 0);

	for (uint32_t i = 0; !ret && i < f->subgraph->input_count; i++) {
		const struct nna_binding *b = &run->execution->inputs[i];
		const struct nna_shape *shape =
			&f->subgraph->operands[f->subgraph->inputs[i]].shape;
		struct nna_parts_tensor *t = nna_parts_tensor_create(run, NULL);

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
		ret = nna_parts_frame_set(run, f, f->subgraph->inputs[i], t);
	}
	return ret;
}

/* Shapes of the main subgraph's outputs, and the outputs themselves, which are always copied. */
static int give_results(struct nna_execution *e, const struct nna_parts_frame *f)
{
	uint32_t count = f->subgraph->output_count;
	int ret;

	e->results = calloc((size_t)count + 1, sizeof(*e->results));
	if (!e->results)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct nna_parts_tensor *t = f->tensors[f->subgraph->outputs[i]];
		struct nna_code_io *io = &e->results[i];

		io->size = t->size;
		io->rank = t->rank;
		memcpy(io->dims, t->dims, sizeof(io->dims));
	}
	ret = nna_bindings_check_outputs(e, e->results);
	for (uint32_t i = 0; i < count && (!ret || ret == -ENOSPC); i++) {
		const struct nna_parts_tensor *t = f->tensors[f->subgraph->outputs[i]];

		if (!e->outputs[i].short_of && t->size)
			memcpy((void *)nna_binding_data(&e->outputs[i]), nna_parts_tensor_data(t),
			       t->size);
	}
	return ret;
}

int nna_parts_run(struct nna_execution *e, uint32_t stop, uint64_t deadline_ns)
{
	struct nna_parts run = {
		.execution = e,
		.program = e->program,
		.deadline_ns = deadline_ns,
	};
	struct nna_parts_frame f = { 0 };
	int ret;

	ret = begin_main(&run, &f) ?: nna_parts_run_frame(&run, &f, stop) ?: give_results(e, &f);
	nna_parts_frame_end(&run, &f);
	while (run.spare_count)
		nna_buffer_destroy(run.spare[--run.spare_count]);
	return ret;
}

// SPDX-License-Identifier: MIT
/* One run of a program at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/gen/nnahw_command_table.h"
#include "libnnaccel/runtime/runtime.h"

#define DEFAULT_LOOP_LIMIT_NS 2000000000ull
#define MAX_LOOP_LIMIT_NS 15000000000ull
#define NOT_REPORTED UINT32_MAX

int nna_execution_create(struct nna_program *program, struct nna_execution **out)
{
	struct nna_execution *e;

	if (!program)
		return -EINVAL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->inputs = calloc((size_t)nna_program_input_count(program) + 1, sizeof(*e->inputs));
	e->outputs = calloc((size_t)nna_program_output_count(program) + 1, sizeof(*e->outputs));
	if (!e->inputs || !e->outputs) {
		free(e->inputs);
		free(e->outputs);
		free(e);
		return -ENOMEM;
	}
	e->program = program;
	e->dirty = true;
	e->loop_limit_ns = DEFAULT_LOOP_LIMIT_NS;
	pthread_mutex_init(&e->lock, NULL);
	*out = e;
	return 0;
}

/* Takes the end of a run that nobody has waited for. */
static void settle(struct nna_execution *e)
{
	struct nna_fence *fence = e->fence;

	if (!fence)
		return;
	nna_fence_wait(fence, -1);
	e->fence = NULL;
	nna_fence_put(fence);
}

static void drop_variant(struct nna_execution *e)
{
	if (!e->variant)
		return;
	nna_context_put(e->program, e->variant, e->context);
	nna_variant_put(e->program, e->variant);
	e->context = NULL;
	e->variant = NULL;
}

void nna_execution_destroy(struct nna_execution *execution)
{
	struct nna_winsys *ws;

	if (!execution)
		return;
	ws = execution->program->device->ws;
	settle(execution);
	drop_variant(execution);
	if (execution->state && !execution->parent)
		ws->ops->bo_destroy(ws, execution->state);
	free(execution->results);
	pthread_mutex_destroy(&execution->lock);
	free(execution->inputs);
	free(execution->outputs);
	free(execution);
}

/* ------------------------------------------------------------------------------------- bindings */

static bool is_running(struct nna_execution *e)
{
	bool running;

	/* A run that has ended without anyone looking. */
	if (e->fence)
		nna_fence_wait(e->fence, 0);
	pthread_mutex_lock(&e->lock);
	running = e->run == NNA_RUN_ACTIVE;
	pthread_mutex_unlock(&e->lock);
	return running;
}

/*
 * The one place where a route is decided (runtime.h says who asks for it). All that counts is
 * known when an argument is bound: which slots there are depends on the number of arguments, not on
 * the variant. There is one exception, for which the variant's @io is looked at, too, when there is
 * one: an output whose rows are counted by the run needs room for as many as there could be, or
 * it is copied. Such a program runs synchronously, so nobody has asked before.
 */
static enum nna_route route_of(const struct nna_execution *e, bool output, uint32_t index,
			       const struct nna_binding *b, const struct nna_code_io *io)
{
	uint32_t position = output ? nna_program_input_count(e->program) + index : index;

	if (position >= e->program->own_slots)
		return NNA_ROUTE_STAGED;
	if (!b->buffer || b->va % 64 || (io && b->size < io->size))
		return NNA_ROUTE_COPIED;
	return NNA_ROUTE_DIRECT;
}

static int bind(struct nna_execution *e, bool output, uint32_t index, uint32_t rank,
		const uint32_t *dims, void *data, struct nna_buffer *buffer, size_t offset,
		size_t size)
{
	const struct nna_subgraph *sub = &e->program->graph->subgraphs[0];
	const struct nna_shape *shape;
	struct nna_binding b = {
		.bound = true,
		.data = data,
		.buffer = buffer,
		.offset = offset,
		.size = size,
		.has_dims = dims != NULL,
		.rank = rank,
	};
	struct nna_binding *place;

	if (index >= (output ? sub->output_count : sub->input_count))
		return -EINVAL;
	if (is_running(e))
		return -EBUSY;
	shape = &sub->operands[output ? sub->outputs[index] : sub->inputs[index]].shape;
	place = output ? &e->outputs[index] : &e->inputs[index];
	if (buffer && (offset > buffer->size || size > buffer->size - offset ||
		       buffer->device != e->program->device))
		return -EINVAL;
	if (dims) {
		if (rank > NNACCEL_MAX_RANK ||
		    (shape->rank_known && shape->rank && shape->rank != rank))
			return -EINVAL;
		for (uint32_t k = 0; k < rank; k++) {
			b.dims[k] = dims[k];
			if (shape->rank == rank && shape->dims[k] && dims[k] &&
			    shape->dims[k] != dims[k])
				return -EINVAL;
		}
	}
	if (buffer)
		b.va = buffer->bo->va + offset;
	b.omitted = !output && !data && !buffer && !size;
	if (!data && !buffer && size)
		return -EINVAL;
	/* Only addresses of this kind of memory changed: the signature stays. */
	if (!place->bound || place->omitted != b.omitted || place->has_dims != b.has_dims ||
	    place->rank != b.rank || memcmp(place->dims, b.dims, sizeof(b.dims)) ||
	    place->size != b.size || place->buffer != buffer || place->va != b.va ||
	    !data != !place->data)
		e->dirty = true;
	b.route = route_of(e, output, index, &b, NULL);
	b.short_of = place->short_of;
	*place = b;
	return 0;
}

int nna_execution_set_input(struct nna_execution *execution, uint32_t index, uint32_t rank,
			    const uint32_t *dims, const void *data, size_t size)
{
	return bind(execution, false, index, rank, dims, (void *)data, NULL, 0, size);
}

int nna_execution_set_input_buffer(struct nna_execution *execution, uint32_t index, uint32_t rank,
				   const uint32_t *dims, struct nna_buffer *buffer, size_t offset,
				   size_t size)
{
	return buffer ? bind(execution, false, index, rank, dims, NULL, buffer, offset, size)
		      : -EINVAL;
}

int nna_execution_set_output(struct nna_execution *execution, uint32_t index, uint32_t rank,
			     const uint32_t *dims, void *data, size_t size)
{
	return bind(execution, true, index, rank, dims, data, NULL, 0, size);
}

int nna_execution_set_output_buffer(struct nna_execution *execution, uint32_t index, uint32_t rank,
				    const uint32_t *dims, struct nna_buffer *buffer, size_t offset,
				    size_t size)
{
	return buffer ? bind(execution, true, index, rank, dims, NULL, buffer, offset, size)
		      : -EINVAL;
}

int nna_execution_get_input_route(const struct nna_execution *execution, uint32_t index)
{
	if (index >= nna_program_input_count(execution->program) ||
	    !execution->inputs[index].bound)
		return -EINVAL;
	return execution->inputs[index].route;
}

int nna_execution_set_deadline(struct nna_execution *execution, uint64_t deadline_ns)
{
	if (is_running(execution))
		return -EBUSY;
	execution->deadline_ns = deadline_ns;
	return 0;
}

int nna_execution_set_duration(struct nna_execution *execution, uint64_t duration_ns)
{
	if (is_running(execution))
		return -EBUSY;
	execution->duration_ns = duration_ns;
	return 0;
}

int nna_execution_set_loop_limit(struct nna_execution *execution, uint64_t limit_ns)
{
	if (is_running(execution))
		return -EBUSY;
	execution->loop_limit_ns = limit_ns < MAX_LOOP_LIMIT_NS ? limit_ns : MAX_LOOP_LIMIT_NS;
	return 0;
}

int nna_execution_reset_state(struct nna_execution *execution)
{
	if (is_running(execution))
		return -EBUSY;
	if (execution->state)
		memset(execution->state->map, 0, execution->state->size);
	return 0;
}

/* ---------------------------------------------------------------------------------- preparation */

const void *nna_binding_data(const struct nna_binding *b)
{
	if (b->buffer)
		return (const char *)b->buffer->bo->map + b->offset;
	return b->data;
}

/* The shapes of inputs as bound, and their bytes. */
static int bound_shapes(struct nna_execution *e, struct nna_shape *shapes, const void **data)
{
	const struct nna_subgraph *sub = &e->program->graph->subgraphs[0];
	const struct nna_log *log = &e->program->device->log;

	for (uint32_t i = 0; i < sub->input_count; i++) {
		const struct nna_binding *b = &e->inputs[i];
		struct nna_shape *s = &shapes[i];
		uint64_t bytes;

		*s = sub->operands[sub->inputs[i]].shape;
		data[i] = nna_binding_data(b);
		if (!b->bound) {
			nna_log_print(log, NNA_LOG_ERROR, "input %u is not bound", i);
			return -EINVAL;
		}
		if (b->omitted) {
			s->omitted = true;
			s->final = true;
			continue;
		}
		if (b->has_dims) {
			/* What the caller leaves open is what the model states. */
			for (uint32_t k = 0; k < b->rank; k++)
				s->dims[k] = b->dims[k]		  ? b->dims[k]
					     : s->rank == b->rank ? s->dims[k]
								  : 0;
			s->rank = b->rank;
			s->rank_known = true;
			s->final = true;
		}
		bytes = nna_operand_type_size(s->type);
		for (uint32_t k = 0; s->final && k < s->rank; k++)
			if (__builtin_mul_overflow(bytes, (uint64_t)s->dims[k], &bytes))
				return -EINVAL;
		if (!s->final) {
			nna_log_print(log, NNA_LOG_ERROR, "input %u has unknown dimensions", i);
			return -EINVAL;
		}
		if (bytes != b->size) {
			nna_log_print(log, NNA_LOG_ERROR,
				      "input %u has %zu bytes, its dimensions ask for %llu", i,
				      b->size, (unsigned long long)bytes);
			return -EINVAL;
		}
	}
	return 0;
}

int nna_execution_check_outputs(struct nna_execution *e, const struct nna_code_io *wanted)
{
	const struct nna_log *log = &e->program->device->log;
	int ret = 0;

	for (uint32_t i = 0; i < nna_program_output_count(e->program); i++) {
		const struct nna_code_io *io = &wanted[i];
		struct nna_binding *b = &e->outputs[i];

		b->short_of = false;
		if (!b->bound) {
			nna_log_print(log, NNA_LOG_ERROR, "output %u is not bound", i);
			return -EINVAL;
		}
		for (uint32_t k = io->counted; b->has_dims && k < b->rank; k++) {
			if (b->rank != io->rank || (b->dims[k] && b->dims[k] != io->dims[k])) {
				nna_log_print(
					log, NNA_LOG_ERROR,
					"output %u is bound with other dimensions than it has", i);
				return -EINVAL;
			}
		}
		if (!io->counted && b->size < io->size) {
			b->short_of = true;
			ret = -ENOSPC;
		}
	}
	return ret;
}

static int need_staging(struct nna_execution *e)
{
	struct nna_winsys *ws = e->program->device->ws;

	if (e->context->staging)
		return 0;
	return ws->ops->bo_create(ws, e->variant->staging_size ? e->variant->staging_size : 64, 0,
				  &e->context->staging);
}

/*
 * Memory for the state: every variant and part of a graph has the same variables at the same
 * places.
 */
static int need_state(struct nna_execution *e)
{
	struct nna_winsys *ws = e->program->device->ws;
	struct nna_execution *owner = e->parent ? e->parent : e;
	uint64_t size = e->variant->code->variables_size;
	int ret = 0;

	if (owner->state && owner->state->size < size)
		return -EINVAL;
	if (size && !owner->state)
		ret = ws->ops->bo_create(ws, size, 0, &owner->state);
	e->state = owner->state;
	return ret;
}

/* Where a bound input or output lies for the device. */
static int place_binding(struct nna_execution *e, const struct nna_binding *b, uint64_t place,
			 uint64_t *va)
{
	int ret;

	if (b->route == NNA_ROUTE_DIRECT) {
		*va = b->va;
		return 0;
	}
	ret = need_staging(e);
	if (ret)
		return ret;
	*va = e->context->staging->va + place;
	return 0;
}

static int write_table(struct nna_execution *e)
{
	const struct nna_variant *v = e->variant;
	const struct nna_code *code = v->code;
	struct nna_context *c = e->context;
	struct nnahw_base *table = (void *)((char *)c->memory->map + NNA_CONTEXT_TABLE);

	for (uint32_t i = 0; i < code->input_count + code->output_count; i++) {
		bool input = i < code->input_count;
		uint32_t k = input ? i : i - code->input_count;
		const struct nna_code_io *io = input ? &code->inputs[k] : &code->outputs[k];
		struct nna_binding *b = input ? &e->inputs[k] : &e->outputs[k];
		uint64_t va;
		int ret;

		b->route = route_of(e, !input, k, b, io);
		ret = place_binding(e, b, v->places[i], &va);
		if (ret)
			return ret;
		if (b->route != NNA_ROUTE_STAGED)
			table[io->slot] = (struct nnahw_base){ io->size ? va : 0, io->size };
	}
	for (uint32_t i = 0; i < code->slot_count; i++) {
		const struct nna_slot *s = &code->slots[i];
		uint64_t va;

		switch (s->kind) {
		case NNA_SLOT_CONSTANTS:
			va = v->bo->va + code->constants;
			break;
		case NNA_SLOT_SCRATCH:
			va = c->memory->va + NNA_CONTEXT_SCRATCH;
			break;
		case NNA_SLOT_VARIABLES:
			va = s->size ? e->state->va : 0;
			break;
		case NNA_SLOT_STAGING:
			va = c->staging->va;
			break;
		default:
			continue;
		}
		table[i] = (struct nnahw_base){ s->size ? va : 0, s->size };
	}
	return 0;
}

/*
 * Values of parameters are part of the signature, and can change in the caller's memory without our
 * knowledge.
 */
static bool has_parameters(const struct nna_execution *e)
{
	return atomic_load_explicit(&e->program->has_parameters, memory_order_relaxed);
}

int nna_execution_choose_variant(struct nna_execution *e, bool readable, uint32_t *stop)
{
	uint32_t count = nna_program_input_count(e->program);
	struct nna_variant *variant;
	struct nna_shape *shapes;
	const void **data;
	int ret;

	if (!e->dirty && e->variant && !has_parameters(e))
		return 0;
	shapes = calloc((size_t)count + 1, sizeof(*shapes));
	data = calloc((size_t)count + 1, sizeof(*data));
	ret = shapes && data ? bound_shapes(e, shapes, data) : -ENOMEM;
	if (!ret)
		ret = nna_program_get_variant(e->program, shapes, readable ? data : NULL,
					      e->deadline_ns, stop, &variant);
	free(shapes);
	free(data);
	if (ret) {
		if (ret == -EAGAIN)
			drop_variant(e);
		return ret;
	}
	if (variant == e->variant) {
		nna_variant_put(e->program, variant);
		return 0;
	}
	drop_variant(e);
	e->variant = variant;
	e->dirty = true;
	return 0;
}

/* Makes everything ready that does not change while bindings stay. */
static int prepare(struct nna_execution *e, bool readable, uint32_t *stop)
{
	int ret = nna_execution_choose_variant(e, readable, stop);

	if (ret)
		return ret;
	if (!e->context) {
		ret = nna_context_get(e->program, e->variant, &e->context);
		if (ret)
			return ret;
		e->dirty = true;
	}
	if (!e->dirty)
		return 0;
	ret = nna_execution_check_outputs(e, e->variant->code->outputs);
	if (!ret)
		ret = need_state(e);
	if (!ret)
		ret = write_table(e);
	e->dirty = ret != 0;
	return ret;
}

static void copy_inputs(struct nna_execution *e)
{
	const struct nna_code *code = e->variant->code;

	for (uint32_t i = 0; i < code->input_count; i++)
		if (e->inputs[i].route != NNA_ROUTE_DIRECT && code->inputs[i].used &&
		    code->inputs[i].size && !e->inputs[i].omitted)
			memcpy((char *)e->context->staging->map + e->variant->places[i],
			       nna_binding_data(&e->inputs[i]), code->inputs[i].size);
}

/* How many rows the run gave an output, against what the model and the caller have room for. */
static int count_rows(struct nna_execution *e, uint32_t i, size_t *size)
{
	const struct nna_subgraph *sub = &e->program->graph->subgraphs[0];
	const struct nna_shape *stated = &sub->operands[sub->outputs[i]].stated;
	const struct nna_code_io *io = &e->variant->code->outputs[i];
	struct nna_binding *b = &e->outputs[i];
	uint32_t rows, want = b->has_dims && b->rank ? b->dims[0] : 0;

	memcpy(&rows, (char *)e->context->memory->map + NNA_CONTEXT_SCRATCH + io->count,
	       sizeof(rows));
	if (rows > io->dims[0])
		return -EIO;
	if (!want && stated->rank)
		want = stated->dims[0];
	b->rows = rows;
	*size = io->size / io->dims[0] * rows;
	b->short_of = b->size < *size;
	if (want && want != rows) {
		nna_log_print(&e->program->device->log, NNA_LOG_ERROR,
			      "output %u has %u rows instead of %u", i, rows, want);
		return -EINVAL;
	}
	return b->short_of ? -ENOSPC : 0;
}

/* Dimensions that depend on data, and outputs that are copied. */
static int take_outputs(struct nna_execution *e)
{
	const struct nna_code *code = e->variant->code;
	int ret = 0;

	for (uint32_t i = 0; i < code->output_count; i++) {
		size_t size = code->outputs[i].size;
		int error = code->outputs[i].counted ? count_rows(e, i, &size) : 0;

		if (error)
			ret = error;
		else if (e->outputs[i].route != NNA_ROUTE_DIRECT && size)
			memcpy((void *)nna_binding_data(&e->outputs[i]),
			       (char *)e->context->staging->map +
				       e->variant->places[code->input_count + i],
			       size);
	}
	return ret;
}

/* ------------------------------------------------------------------------------------------ run */

static struct nnahw_report *report_of(const struct nna_execution *e)
{
	return (void *)((char *)e->context->memory->map + NNA_CONTEXT_REPORT);
}

bool nna_execution_reported(const struct nna_execution *execution)
{
	return __atomic_load_n(&report_of(execution)->status, __ATOMIC_ACQUIRE) != NOT_REPORTED;
}

/* Submits e->job; a queue that another fault has banned is replaced once. */
static int submit(struct nna_execution *e)
{
	struct nna_winsys *ws = e->program->device->ws;
	struct nna_context *c = e->context;
	int ret;

	__atomic_store_n(&report_of(e)->status, NOT_REPORTED, __ATOMIC_RELEASE);
	for (int tries = 0; tries < 2; tries++) {
		if (!c->queue) {
			ret = ws->ops->queue_create(ws, e->program->priority, &c->queue);
			if (ret)
				return ret;
		}
		ret = ws->ops->queue_submit(ws, c->queue, &e->job, &e->ws_fence);
		if (ret != -ECANCELED)
			return ret;
		ws->ops->queue_destroy(ws, c->queue);
		c->queue = NULL;
	}
	return ret;
}

/*
 * Whether an input is in a buffer, so that in-fences may stand for its bytes; with @read only if
 * this process is known to read one of those.
 */
static bool has_buffers(const struct nna_execution *e, bool read)
{
	bool all = !read || has_parameters(e);

	for (uint32_t i = 0; i < nna_program_input_count(e->program); i++)
		if (e->inputs[i].buffer && (all || e->inputs[i].route != NNA_ROUTE_DIRECT))
			return true;
	return false;
}

/* The deadline of a run all of whose in-fences have signalled now. */
static uint64_t deadline_from_now(const struct nna_execution *e)
{
	uint64_t end;

	if (!e->duration_ns || __builtin_add_overflow(nna_now_ns(), e->duration_ns, &end))
		return e->deadline_ns;
	return e->deadline_ns && e->deadline_ns < end ? e->deadline_ns : end;
}

/*
 * Prepares a run, and waits for its in-fences if anything has to be read here that they stand for.
 * *deadline_ns is the run's then: a duration counts from the end of that wait. *ended: an in-fence
 * or the deadline has ended the run. -EAGAIN: it can only run in parts, and its in-fences have
 * signalled.
 */
static int prepare_behind(struct nna_execution *e, const int *fds, uint32_t count, uint32_t *stop,
			  uint64_t *deadline_ns, bool *ended)
{
	bool wait = count && has_buffers(e, true);
	int ret = wait ? -EAGAIN : prepare(e, !count || !has_buffers(e, false), stop);

	*deadline_ns = e->deadline_ns;
	if (ret != -EAGAIN || !count)
		return ret;
	ret = nna_fence_fds_wait(fds, count, e->deadline_ns);
	*ended = ret == -ECANCELED || ret == -ETIMEDOUT;
	if (ret)
		return ret;
	*deadline_ns = deadline_from_now(e);
	return prepare(e, true, stop);
}

/*
 * A run that can only be made in parts, or whose in-fences failed while they were waited for here,
 * has ended when this returns.
 */
static int start(struct nna_execution *e, const int *fds, uint32_t count)
{
	const struct nna_code *code;
	uint64_t deadline_ns;
	bool ended = false;
	uint32_t stop;
	int ret;

	if (is_running(e))
		return -EBUSY;
	if (e->fence) {
		nna_fence_put(e->fence);
		e->fence = NULL;
	}
	e->run = NNA_RUN_IDLE;
	e->timing = (struct nna_timing){ 0 };
	free(e->results);
	e->results = NULL;
	for (uint32_t i = 0; i < nna_program_output_count(e->program); i++)
		e->outputs[i].rows = 0;
	ret = prepare_behind(e, fds, count, &stop, &deadline_ns, &ended);
	if (ret == -EAGAIN) {
		ret = nna_parts_run(e, stop, count ? deadline_ns : deadline_from_now(e));
		ended = true;
	}
	if (ended) {
		e->error = ret;
		e->run = NNA_RUN_ENDED;
		return 0;
	}
	if (ret) {
		e->error = ret;
		if (ret == -ENOSPC)
			e->run = NNA_RUN_ENDED;
		return ret;
	}
	code = e->variant->code;
	copy_inputs(e);
	e->job = (struct nna_winsys_job){
		.stream_va = e->variant->bo->va,
		.stream_size = code->stream_size,
		.base_table_va = e->context->memory->va + NNA_CONTEXT_TABLE,
		.slot_count = code->slot_count,
		.report_va = e->context->memory->va + NNA_CONTEXT_REPORT,
		.deadline_ns = deadline_ns,
		.duration_ns = e->duration_ns,
		.loop_limit_ns = e->loop_limit_ns,
		.fence_fds = fds,
		.fence_count = count,
	};
	ret = submit(e);
	if (ret) {
		e->error = ret;
		return ret;
	}
	e->timing = (struct nna_timing){ .submit = nna_now_ns() };
	e->run = NNA_RUN_ACTIVE;
	return 0;
}

/* Goes on with a job that has set itself aside, as often as it does. */
static int resume(struct nna_execution *e)
{
	struct nna_winsys *ws = e->program->device->ws;
	struct nnahw_report *report = report_of(e);
	uint64_t run_time = 0, begin = report->begin;
	uint32_t commands = 0;
	int ret = 0;

	while (!ret && report->status == NNAHW_STATUS_YIELDED) {
		struct nna_winsys_fence *fence = e->ws_fence;

		run_time += report->run_time;
		commands += report->commands;
		if (report->loop_time >= e->loop_limit_ns)
			return -ETIMEDOUT;
		e->job.start = report->resume;
		e->job.loop_limit_ns = e->loop_limit_ns - report->loop_time;
		e->job.fence_fds = NULL;
		e->job.fence_count = 0;
		if (e->duration_ns) {
			/* From the first start on, not again from this one. */
			uint64_t end = ws->ops->tick_to_ns(ws, begin) + e->duration_ns;

			if (!e->job.deadline_ns || end < e->job.deadline_ns)
				e->job.deadline_ns = end;
			e->job.duration_ns = 0;
		}
		ret = submit(e);
		if (ret) {
			e->ws_fence = fence;
			return ret;
		}
		ret = ws->ops->fence_wait(ws, e->ws_fence, INT64_MAX);
		ws->ops->fence_destroy(ws, e->ws_fence);
		e->ws_fence = fence;
	}
	report->begin = begin;
	report->run_time += run_time;
	report->commands += commands;
	return ret;
}

/* Which operation the device could not do, and why. */
static void log_failure(const struct nna_execution *e, const struct nnahw_report *report)
{
	const struct nna_subgraph *sg = &e->program->graph->subgraphs[0];
	const struct nna_code *code = e->variant->code;
	const char *name = NULL, *status = nnahw_status_name(report->status);
	struct nnahw_command head = { 0 };

	if (report->command <= code->stream_size - sizeof(head)) {
		memcpy(&head, code->image + report->command, sizeof(head));
		if (head.origin < sg->operation_count)
			name = nna_operation_name(sg->operations[head.origin].type);
	}
	nna_log_print(
		&e->program->device->log, NNA_LOG_ERROR,
		"%s (operation %u): the device says %s (byte 0x%x of the stream, operand %d, address 0x%llx)",
		name ? name : "?", head.origin, status ? status : "?", report->command,
		(int32_t)report->operand, (unsigned long long)report->fault_address);
}

void nna_execution_finish(struct nna_execution *e, int error)
{
	struct nna_winsys *ws = e->program->device->ws;
	struct nnahw_report *report = report_of(e);

	if (!error && report->status == NNAHW_STATUS_YIELDED)
		error = resume(e);
	/* The report is the device's word; without one (aborted, lost) there is the fence's. */
	if (!error)
		error = nna_status_error(report->status);
	if (report->status != NOT_REPORTED) {
		e->timing.begin = ws->ops->tick_to_ns(ws, report->begin);
		e->timing.end = ws->ops->tick_to_ns(ws, report->end);
		e->timing.run = report->run_time;
		e->timing.commands = report->commands;
	}
	if (error) {
		/* The queue may be banned: a new one costs less than to ask. */
		ws->ops->queue_destroy(ws, e->context->queue);
		e->context->queue = NULL;
		if (report->status != NOT_REPORTED)
			log_failure(e, report);
	} else {
		error = take_outputs(e);
	}
	e->error = error;
	e->run = NNA_RUN_ENDED;
}

int nna_execution_compute(struct nna_execution *execution)
{
	struct nna_winsys *ws = execution->program->device->ws;
	int ret = start(execution, NULL, 0);

	if (ret)
		return ret;
	if (execution->run == NNA_RUN_ENDED)
		return execution->error;
	ret = ws->ops->fence_wait(ws, execution->ws_fence, INT64_MAX);
	pthread_mutex_lock(&execution->lock);
	nna_execution_finish(execution, ret);
	ret = execution->error;
	pthread_mutex_unlock(&execution->lock);
	ws->ops->fence_destroy(ws, execution->ws_fence);
	execution->ws_fence = NULL;
	return ret;
}

static bool outputs_are_direct(const struct nna_execution *e)
{
	for (uint32_t i = 0; i < nna_program_output_count(e->program); i++)
		if (e->outputs[i].route != NNA_ROUTE_DIRECT)
			return false;
	return true;
}

int nna_execution_submit(struct nna_execution *execution, const int *fds, uint32_t count,
			 struct nna_fence **out)
{
	struct nna_winsys *ws = execution->program->device->ws;
	struct nna_fence *fence = calloc(1, sizeof(*fence));
	int ret;

	if (!fence)
		return -ENOMEM;
	if (count && !fds) {
		free(fence);
		return -EINVAL;
	}
	ret = start(execution, fds, count);
	if (ret) {
		free(fence);
		return ret;
	}
	atomic_init(&fence->references, 1);
	atomic_init(&fence->done, false);
	pthread_mutex_init(&fence->lock, NULL);
	fence->device = execution->program->device;
	fence->exportable = outputs_are_direct(execution);
	if (execution->run == NNA_RUN_ENDED) {
		fence->error = execution->error;
		atomic_store(&fence->done, true);
	} else if (execution->variant->code->synchronous) {
		ret = ws->ops->fence_wait(ws, execution->ws_fence, INT64_MAX);
		pthread_mutex_lock(&execution->lock);
		nna_execution_finish(execution, ret);
		fence->error = execution->error;
		pthread_mutex_unlock(&execution->lock);
		ws->ops->fence_destroy(ws, execution->ws_fence);
		atomic_store(&fence->done, true);
	} else {
		fence->execution = execution;
		fence->ws_fence = execution->ws_fence;
		atomic_fetch_add(&fence->references, 1);
		execution->fence = fence;
	}
	execution->ws_fence = NULL;
	*out = fence;
	return 0;
}

/* -------------------------------------------------------------------------------------- results */

int nna_execution_get_output_dims(const struct nna_execution *execution, uint32_t index,
				  uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK])
{
	struct nna_execution *e = (struct nna_execution *)execution;
	const struct nna_code_io *io;

	if (index >= nna_program_output_count(e->program) || !(e->variant || e->results) ||
	    e->run != NNA_RUN_ENDED)
		return -EINVAL;
	io = e->results ? &e->results[index] : &e->variant->code->outputs[index];
	*rank = io->rank;
	memcpy(dims, io->dims, sizeof(io->dims));
	if (io->counted)
		dims[0] = e->outputs[index].rows;
	return e->outputs[index].short_of ? -ENOSPC : 0;
}

int nna_execution_get_timing(const struct nna_execution *execution, struct nna_timing *timing)
{
	struct nna_execution *e = (struct nna_execution *)execution;
	int ret = 0;

	pthread_mutex_lock(&e->lock);
	if (e->run != NNA_RUN_ENDED)
		ret = -EINVAL;
	else
		*timing = e->timing;
	pthread_mutex_unlock(&e->lock);
	return ret;
}

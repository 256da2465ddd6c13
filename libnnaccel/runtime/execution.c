// SPDX-License-Identifier: MIT
/*
 * Executions: one run of a program at a time.
 *
 * What has changed since the last run is prepared: the variant for the shapes of the inputs, a
 * context, state, the base table. Then the inputs are copied that have to be, and the job is
 * submitted. runtime.h says who takes the end of the run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/runtime.h"

#define DEFAULT_LOOP_LIMIT_NS 2000000000ull
#define MAX_LOOP_LIMIT_NS 15000000000ull

/* ----------------------------------------------------------------------------------------- life */

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
	pthread_mutex_init(&e->queue_lock, NULL);
	*out = e;
	return 0;
}

/* Takes the end of a run that nobody has waited for. */
static void settle(struct nna_execution *e)
{
	struct nna_fence *fence = e->fence;

	if (!fence)
		return;
	nna_execution_stop_waiting(e);
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
	ws->ops->bo_destroy(ws, execution->profile);
	free(execution->results);
	pthread_mutex_destroy(&execution->queue_lock);
	pthread_mutex_destroy(&execution->lock);
	free(execution->inputs);
	free(execution->outputs);
	free(execution);
}

/* ------------------------------------------------------------------------------------- settings */

int nna_execution_set_deadline(struct nna_execution *execution, uint64_t deadline_ns)
{
	if (nna_execution_is_running(execution))
		return -EBUSY;
	execution->deadline_ns = deadline_ns;
	return 0;
}

int nna_execution_set_duration(struct nna_execution *execution, uint64_t duration_ns)
{
	if (nna_execution_is_running(execution))
		return -EBUSY;
	execution->duration_ns = duration_ns;
	return 0;
}

int nna_execution_set_loop_limit(struct nna_execution *execution, uint64_t limit_ns)
{
	if (nna_execution_is_running(execution))
		return -EBUSY;
	execution->loop_limit_ns = limit_ns < MAX_LOOP_LIMIT_NS ? limit_ns : MAX_LOOP_LIMIT_NS;
	return 0;
}

int nna_execution_reset_state(struct nna_execution *execution)
{
	if (nna_execution_is_running(execution))
		return -EBUSY;
	if (execution->state)
		memset(execution->state->map, 0, execution->state->size);
	return 0;
}

/* ---------------------------------------------------------------------------------- preparation */

/*
 * Memory for the state. Every variant and every part of a graph has the same variables at the same
 * places, so that all of them can share it.
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

static bool is_cancelled(void *user)
{
	return nna_execution_is_cancelled(user);
}

int nna_execution_choose_variant(struct nna_execution *e, bool readable, uint32_t *stop)
{
	uint32_t count = nna_program_input_count(e->program);
	const struct nna_compile_limit limit = {
		.deadline_ns = e->deadline_ns,
		.is_cancelled = is_cancelled,
		.user = e,
	};
	struct nna_variant *variant;
	struct nna_shape *shapes;
	const void **data;
	int ret;

	if (!e->dirty && e->variant && !nna_execution_has_parameters(e))
		return 0;
	shapes = calloc((size_t)count + 1, sizeof(*shapes));
	data = calloc((size_t)count + 1, sizeof(*data));
	ret = shapes && data ? nna_bindings_get_shapes(e, shapes, data) : -ENOMEM;
	if (!ret)
		ret = nna_variant_get(e->program, shapes, readable ? data : NULL, &limit, stop,
				      &variant);
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

int nna_execution_prepare(struct nna_execution *e, bool readable, uint32_t *stop)
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
	ret = nna_bindings_check_outputs(e, e->variant->code->outputs);
	if (!ret)
		ret = need_state(e);
	if (!ret)
		ret = nna_bindings_write_table(e);
	e->dirty = ret != 0;
	return ret;
}

/* -------------------------------------------------------------------------------------- running */

static void read_report(const struct nna_execution *e, struct nna_report *report)
{
	nna_context_read_report(e->program->device, e->context, e->variant->code, report);
}

/* Submits e->submission; a queue that another fault has banned is replaced once. */
static int submit(struct nna_execution *e, struct nna_fence **out)
{
	struct nna_winsys *ws = e->program->device->ws;
	struct nna_context *c = e->context;
	int ret;

	nna_context_clear_report(e->program->device, c);
	for (int tries = 0; tries < 2; tries++) {
		if (!c->queue) {
			ret = ws->ops->queue_create(ws, e->program->priority, &c->queue);
			if (ret)
				return ret;
		}
		ret = nna_execution_queue_job(e, c->queue, out);
		if (ret != -ECANCELED || nna_execution_is_cancelled(e))
			return ret;
		ws->ops->queue_destroy(ws, c->queue);
		c->queue = NULL;
	}
	return ret;
}

uint64_t nna_execution_deadline_from_now(const struct nna_execution *e)
{
	uint64_t end;

	if (!e->duration_ns || __builtin_add_overflow(nna_now_ns(), e->duration_ns, &end))
		return e->deadline_ns;
	return e->deadline_ns && e->deadline_ns < end ? e->deadline_ns : end;
}

int nna_execution_begin(struct nna_execution *e)
{
	if (nna_execution_is_running(e))
		return -EBUSY;
	if (nna_execution_is_cancelled(e))
		return -ECANCELED;
	if (e->fence) {
		nna_fence_put(e->fence);
		e->fence = NULL;
	}
	e->run = NNA_RUN_IDLE;
	e->timing = (struct nna_timing){ 0 };
	e->begin_tick = 0;
	nna_profile_clear(e);
	free(e->results);
	e->results = NULL;
	for (uint32_t i = 0; i < nna_program_output_count(e->program); i++)
		e->outputs[i].rows = 0;
	return 0;
}

int nna_execution_launch(struct nna_execution *e, uint64_t deadline_ns, const int *fds,
			 uint32_t count, bool waited, struct nna_fence **out)
{
	const struct nna_code *code = e->variant->code;

	e->job = (struct nna_job){
		.stream_va = e->variant->bo->va,
		.stream_size = code->stream_size,
		.base_table_va = e->context->memory->va + NNA_CONTEXT_TABLE,
		.slot_count = code->slot_count,
		.report_va = e->context->memory->va + NNA_CONTEXT_REPORT,
		.profile_va = e->profile ? e->profile->va : 0,
		.profile_size = e->profile_size,
		.loop_limit_ns = e->loop_limit_ns,
	};
	e->submission = (struct nna_winsys_job){
		.job = &e->job,
		.deadline_ns = deadline_ns,
		.duration_ns = e->duration_ns,
		.fence_fds = fds,
		.fence_count = count,
		.waited = waited,
	};
	e->error = submit(e, out);
	if (!e->error)
		e->timing = (struct nna_timing){ .submit = nna_now_ns() };
	return e->error;
}

void nna_execution_end(struct nna_execution *e, int error)
{
	pthread_mutex_lock(&e->lock);
	e->error = error;
	e->run = NNA_RUN_ENDED;
	e->waiting = NULL;
	pthread_mutex_unlock(&e->lock);
}

/*
 * Submits a job again that has yielded, until it ends. It goes on where it stopped. @report is of
 * the first stretch, and comes to hold the sums of all of them; it is not @reported when the last
 * one has left no report.
 */
static int resume(struct nna_execution *e, struct nna_report *report)
{
	struct nna_device *d = e->program->device;
	struct nna_winsys *ws = d->ws;
	uint64_t run_time = 0, begin = report->begin;
	uint32_t commands = 0;
	int ret = 0;

	while (!ret && report->yielded) {
		struct nna_fence *fence;

		run_time += report->run_time;
		commands += report->commands;
		if (report->loop_time >= e->loop_limit_ns)
			return -ETIMEDOUT;
		e->job.start = report->resume;
		e->job.loop_limit_ns = e->loop_limit_ns - report->loop_time;
		e->submission.fence_fds = NULL;
		e->submission.fence_count = 0;
		e->submission.waited = true;
		if (e->duration_ns) {
			/* The duration counts from the job's first start, not from this one. */
			uint64_t end = ws->ops->tick_to_ns(ws, begin) + e->duration_ns;

			if (!e->submission.deadline_ns || end < e->submission.deadline_ns)
				e->submission.deadline_ns = end;
			e->submission.duration_ns = 0;
		}
		ret = submit(e, &fence);
		if (ret) {
			report->reported = false;
			return ret;
		}
		ret = ws->ops->fence_wait(ws, fence, INT64_MAX);
		if (!ret)
			ret = nna_context_job_error(d, e->context, fence);
		nna_fence_put(fence);
		read_report(e, report);
	}
	report->begin = begin;
	report->run_time += run_time;
	report->commands += commands;
	return ret;
}

void nna_execution_finish(struct nna_execution *e, struct nna_fence *fence, int error)
{
	struct nna_device *d = e->program->device;
	struct nna_report report;

	if (!error)
		error = nna_context_job_error(d, e->context, fence);
	read_report(e, &report);
	if (!error && report.yielded)
		error = resume(e, &report);
	nna_execution_forget_job(e);
	if (error && nna_execution_is_cancelled(e))
		error = -ECANCELED;
	if (report.reported) {
		e->begin_tick = report.begin;
		e->end_tick = report.end;
		e->timing.run = report.run_time;
		e->timing.commands = report.commands;
	}
	if (error) {
		/* The queue may be banned. To make a new one costs less than to ask. */
		d->ws->ops->queue_destroy(d->ws, e->context->queue);
		e->context->queue = NULL;
		if (report.reported && error != -ECANCELED)
			nna_context_log_failure(d, e->program->graph, &report);
	} else {
		error = nna_execution_take_outputs(e);
	}
	e->error = error;
	e->run = NNA_RUN_ENDED;
}

int nna_execution_wait(struct nna_execution *e, struct nna_fence *fence)
{
	struct nna_winsys *ws = e->program->device->ws;
	int ret = ws->ops->fence_wait(ws, fence, INT64_MAX);

	pthread_mutex_lock(&e->lock);
	nna_execution_finish(e, fence, ret);
	ret = e->error;
	pthread_mutex_unlock(&e->lock);
	return ret;
}

int nna_execution_compute(struct nna_execution *e)
{
	struct nna_fence *fence;
	uint32_t stop;
	int ret = nna_execution_begin(e);

	if (ret)
		return ret;
	ret = nna_execution_prepare(e, true, &stop);
	if (ret == -EAGAIN) {
		ret = nna_parts_run(e, stop, nna_execution_deadline_from_now(e));
		nna_execution_end(e, ret);
		return ret;
	}
	if (!ret) {
		nna_bindings_copy_inputs(e, NNA_INPUTS_OWN | NNA_INPUTS_BUFFERS);
		ret = nna_execution_launch(e, e->deadline_ns, NULL, 0, true, &fence);
	}
	if (ret) {
		e->error = ret;
		if (ret == -ENOSPC)
			e->run = NNA_RUN_ENDED;
		return ret;
	}
	ret = nna_execution_wait(e, fence);
	nna_fence_put(fence);
	return ret;
}

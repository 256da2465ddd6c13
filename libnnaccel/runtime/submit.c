// SPDX-License-Identifier: MIT
/* Submission: the job of a run, from its submission to its end (submit.h). */
#include <errno.h>

#include "libnnaccel/runtime/binding.h"
#include "libnnaccel/runtime/context.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/fence.h"
#include "libnnaccel/runtime/submit.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/support/clock.h"

/* ----------------------------------------------------------------------------------- submission */

/*
 * Submits the execution's submission. A queue that another job's fault has banned is replaced once.
 */
static int submit(struct nna_execution *e, struct nna_fence **out)
{
	struct nna_winsys *ws = e->program->device->ws;
	struct nna_execution *root = nna_execution_root(e);
	struct nna_context *c = e->context;
	bool cancelled;
	int ret;

	e->program->device->backend->clear_report(nna_context_report(c));
	for (int tries = 0; tries < 2; tries++) {
		if (!c->queue) {
			ret = ws->ops->queue_create(ws, e->program->priority, &c->queue);
			if (ret)
				return ret;
		}
		pthread_mutex_lock(&root->queue_lock);
		cancelled = atomic_load(&root->cancelled);
		ret = cancelled ? -ECANCELED :
				  ws->ops->queue_submit(ws, c->queue, &e->submission, out);
		/* A queue that refused the job is destroyed below. */
		root->queue = ret ? NULL : c->queue;
		pthread_mutex_unlock(&root->queue_lock);
		if (ret != -ECANCELED || cancelled)
			return ret;
		ws->ops->queue_destroy(ws, c->queue);
		c->queue = NULL;
	}
	return ret;
}

void nna_execution_forget_job(struct nna_execution *e)
{
	struct nna_execution *root = nna_execution_root(e);

	pthread_mutex_lock(&root->queue_lock);
	root->queue = NULL;
	pthread_mutex_unlock(&root->queue_lock);
}

uint64_t nna_execution_deadline_from_now(const struct nna_execution *e)
{
	uint64_t end;

	if (!e->duration_ns || __builtin_add_overflow(nna_now_ns(), e->duration_ns, &end))
		return e->deadline_ns;
	return e->deadline_ns && e->deadline_ns < end ? e->deadline_ns : end;
}

int nna_execution_launch(struct nna_execution *e, uint64_t deadline_ns, const int *fds,
			 uint32_t count, bool waited, bool own, struct nna_fence **out)
{
	const struct nna_winsys *ws = e->program->device->ws;
	const struct nna_code *code = e->variant->code;

	e->job = (struct nna_job){
		.stream_va = e->variant->bo->va,
		.stream_size = code->stream_size,
		.base_table_va = e->context->memory->va + NNA_CONTEXT_TABLE,
		.slot_count = code->slot_count,
		.report_va = e->context->memory->va + NNA_CONTEXT_REPORT,
		.profile_va = e->profile ? e->profile->va : 0,
		.profile_size = e->profile_size,
		.budget_ns = own ? ws->slice_ns : 0,
		.loop_limit_ns = e->loop_limit_ns,
		.slice = own && ws->slice_ns,
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

/**
 * struct loops - the time that a row of jobs has spent in loops
 * @time: so far, in ns
 * @rest: run time of the jobs since the last one that went back in the stream, in ns
 * @gone_back: a job has gone back
 */
struct loops {
	uint64_t time, rest;
	bool gone_back;
};

/*
 * Adds a job that has yielded, which began at @start. It knows the time between two jumps back if
 * it has made both. If it has made one and an earlier job the one before, the time between both
 * counts here: so a round of a loop may take longer than a job.
 */
static void loops_add(struct loops *loops, uint32_t start, const struct nna_report *report)
{
	const bool back = report->resume <= start;

	if (back && loops->gone_back)
		loops->time += loops->rest + report->run_time;
	else
		loops->time += report->loop_time;
	if (back)
		loops->rest = 0;
	else if (report->run_time > report->loop_time)
		loops->rest += report->run_time - report->loop_time;
	loops->gone_back = loops->gone_back || back;
}

int nna_execution_resume(struct nna_execution *e, struct nna_report *report)
{
	struct nna_device *d = e->program->device;
	struct nna_winsys *ws = d->ws;
	uint64_t run_time = 0, begin = report->begin;
	struct loops loops = { 0 };
	uint32_t commands = 0;
	int ret = 0;

	while (!ret && report->yielded) {
		struct nna_fence *fence;

		run_time += report->run_time;
		commands += report->commands;
		loops_add(&loops, e->job.start, report);
		if (loops.time && loops.time >= e->loop_limit_ns)
			return -ETIMEDOUT;
		e->job.start = report->resume;
		e->job.loop_limit_ns = e->loop_limit_ns - loops.time;
		e->submission.fence_fds = NULL;
		e->submission.fence_count = 0;
		e->submission.waited = true;
		if (e->duration_ns) {
			/* The duration counts from the first start of the job. */
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
		nna_context_read_report(d, e->context, e->variant->code, report);
	}
	report->begin = begin;
	report->run_time += run_time;
	report->commands += commands;
	return ret;
}

/* ----------------------------------------------------------------------------------- end of run */

void nna_execution_end(struct nna_execution *e, int error)
{
	pthread_mutex_lock(&e->lock);
	e->error = error;
	e->run = NNA_RUN_ENDED;
	e->waiting = NULL;
	pthread_mutex_unlock(&e->lock);
}

int nna_execution_fail(struct nna_execution *e, int error)
{
	e->error = error;
	if (error == -ENOSPC)
		e->run = NNA_RUN_ENDED;
	return error;
}

void nna_execution_finish(struct nna_execution *e, struct nna_fence *fence, int error)
{
	struct nna_device *d = e->program->device;
	struct nna_report report;

	if (!error)
		error = nna_context_job_error(d, e->context, fence);
	nna_context_read_report(d, e->context, e->variant->code, &report);
	if (!error && report.yielded)
		error = nna_execution_resume(e, &report);
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
		/* The queue may be banned. Creating a new one costs less than asking. */
		d->ws->ops->queue_destroy(d->ws, e->context->queue);
		e->context->queue = NULL;
		if (report.reported && error != -ECANCELED)
			nna_context_log_failure(d, e->program->graph, &report);
	} else {
		error = nna_bindings_take_outputs(e);
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

int nna_execution_run(struct nna_execution *e)
{
	struct nna_fence *fence;
	int ret;

	nna_bindings_copy_inputs(e, NNA_INPUTS_OWN | NNA_INPUTS_BUFFERS);
	ret = nna_execution_launch(e, e->deadline_ns, NULL, 0, true, true, &fence);
	if (ret)
		return ret;
	ret = nna_execution_wait(e, fence);
	nna_fence_put(fence);
	return ret;
}

int nna_fence_wait(struct nna_fence *fence, int64_t timeout_ns)
{
	int64_t deadline = INT64_MAX;
	int ret;

	if (atomic_load_explicit(&fence->done, memory_order_acquire))
		return fence->error;
	if (timeout_ns >= 0 &&
	    __builtin_add_overflow((int64_t)nna_now_ns(), timeout_ns, &deadline))
		deadline = INT64_MAX;
	if (!fence->ws)
		return nna_fence_wait_end(fence, deadline);
	ret = fence->ws->ops->fence_wait(fence->ws, fence, deadline);
	pthread_mutex_lock(&fence->lock);
	if (!atomic_load_explicit(&fence->done, memory_order_relaxed)) {
		struct nna_execution *e = fence->execution;

		if (ret == -ETIME) {
			pthread_mutex_unlock(&fence->lock);
			return -ETIME;
		}
		pthread_mutex_lock(&e->lock);
		nna_execution_finish(e, fence, ret);
		fence->error = e->error;
		pthread_mutex_unlock(&e->lock);
		fence->execution = NULL;
		atomic_store_explicit(&fence->done, true, memory_order_release);
	}
	pthread_mutex_unlock(&fence->lock);
	return fence->error;
}

bool nna_execution_is_running(struct nna_execution *e)
{
	bool running;

	/* Only a run that has given its fence away goes on after the call that began it. */
	if (!e->fence)
		return false;
	/* It may have ended while no thread waited for it. */
	nna_fence_wait(e->fence, 0);
	pthread_mutex_lock(&e->lock);
	running = e->run == NNA_RUN_ACTIVE;
	pthread_mutex_unlock(&e->lock);
	return running;
}

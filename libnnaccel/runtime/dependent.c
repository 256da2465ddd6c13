// SPDX-License-Identifier: MIT
/*
 * Dependent runs: those that wait in this process for their dependencies.
 *
 * The device waits for in-fences, except for these runs:
 *
 *	an input is to be copied out of a buffer, or its value decides about shapes
 *	the program runs synchronously
 *	it depends on a run by its fence rather than by an fd, or callbacks are asked for
 *
 * Such a run is a struct nna_dependent. The waiter of its device (waiter.h) executes its steps, so
 * that no thread of the caller waits, and no thread is created for it:
 *
 *	before	for everything that the run depends on; then its inputs are copied and its job is
 *		submitted. A run that may take long here (it has to be compiled, runs in parts or
 *		synchronously) is made to its end at once: such a wait is slow.
 *	after	for its job; then the end of the run is taken
 *
 * Between the steps only the waiter uses the execution; its owner may ask whether it still runs.
 * When the run has ended, the waiter does not use the execution any more, and signals the fence and
 * then calls the callback.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libnnaccel/runtime/binding.h"
#include "libnnaccel/runtime/dependent.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/fence.h"
#include "libnnaccel/runtime/parts.h"
#include "libnnaccel/runtime/prepare.h"
#include "libnnaccel/runtime/submit.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/runtime/waiter.h"
#include "libnnaccel/support/sized.h"

/**
 * struct nna_dependent - a run that waits here; allocated for the run
 * @before: the wait for the dependencies. Its fds are copies of the caller's, @fd_count of them and
 *	owned, and then those of @fences.
 * @after: the wait for @job; @after_fd is its only fd
 * @execution: the execution of the run
 * @fence: of the run, a reference
 * @job: the fence of its job, a reference; NULL before there is one
 * @fences: @fence_count fences that it depends on, references
 * @ready: of struct nna_dependencies, as are @ended and @user
 * @prepared: variant, context, state and base table are prepared
 * @copies: of enum nna_inputs: the inputs that are still to be copied to staging memory
 * @bytes: copies of the inputs in the caller's own memory, which cannot be in staging memory yet;
 *	NULL: none are needed
 * @data: with @bytes: the memory that the caller has bound the inputs to
 */
struct nna_dependent {
	struct nna_wait before, after;
	int after_fd;
	struct nna_execution *execution;
	struct nna_fence *fence, *job;
	uint32_t fd_count;
	struct nna_fence **fences;
	uint32_t fence_count;
	int (*ready)(void *user);
	void (*ended)(void *user, int error);
	void *user;
	bool prepared;
	uint32_t copies;
	char *bytes;
	void **data;
};

/* The struct nna_dependent that contains a wait. */
#define dependent_of(wait, member) \
	((struct nna_dependent *)((char *)(wait) - offsetof(struct nna_dependent, member)))

/* ----------------------------------------------------------------------------------- end of run */

/* Closes the fds, and drops the references to fences, of the dependencies. */
static void drop_dependencies(struct nna_dependent *d)
{
	while (d->fd_count) {
		int fd = d->before.fds[--d->fd_count];

		close(fd < 0 ? ~fd : fd);
	}
	while (d->fence_count)
		nna_fence_put(d->fences[--d->fence_count]);
}

static void dependent_free(struct nna_dependent *d)
{
	drop_dependencies(d);
	nna_fence_put(d->job);
	nna_fence_put(d->fence);
	free(d->before.fds);
	free(d->fences);
	free(d->bytes);
	free(d->data);
	free(d);
}

/* Restores the caller's bindings of the inputs. */
static void restore_inputs(struct nna_dependent *d)
{
	struct nna_execution *e = d->execution;

	for (uint32_t i = 0; d->data && i < nna_program_input_count(e->program); i++)
		if (!e->inputs[i].buffer)
			e->inputs[i].data = d->data[i];
}

/* The execution knows that the run has ended. From here on its owner may destroy it. */
static void tell_end(struct nna_dependent *d, int error)
{
	nna_fence_end(d->fence, error);
	if (d->ended)
		d->ended(d->user, error);
	dependent_free(d);
}

static void end_without_job(struct nna_dependent *d, int error)
{
	restore_inputs(d);
	nna_execution_end(d->execution, error);
	tell_end(d, error);
}

/* Takes the end of a run with a job. Waits for the job if it has not ended. */
static void end_with_job(struct nna_dependent *d)
{
	struct nna_execution *e = d->execution;
	struct nna_winsys *ws = e->program->device->ws;
	int ret = ws->ops->fence_wait(ws, d->job, INT64_MAX);

	restore_inputs(d);
	pthread_mutex_lock(&e->lock);
	nna_execution_finish(e, d->job, ret);
	ret = e->error;
	e->waiting = NULL;
	pthread_mutex_unlock(&e->lock);
	tell_end(d, ret);
}

/* ---------------------------------------------------------------------------------------- steps */

/* Completes the wait @after. The report, not the fd, tells the result of the job. */
static void after_done(struct nna_wait *wait, int error)
{
	end_with_job(dependent_of(wait, after));
}

/*
 * Checks whether all dependencies have ended without an error, and takes the end of runs among
 * them. Return: 0, -ECANCELED or -ETIMEDOUT.
 */
static int check_dependencies(struct nna_dependent *d, int error)
{
	if (error == -ETIMEDOUT)
		return error;
	for (uint32_t i = 0; i < d->fence_count && !error; i++)
		error = nna_fence_wait(d->fences[i], -1);
	return error ? -ECANCELED : 0;
}

/* Completes the wait @before: does the whole run, or submits its job. */
static void before_done(struct nna_wait *wait, int error)
{
	struct nna_dependent *d = dependent_of(wait, before);
	struct nna_execution *e = d->execution;
	uint64_t deadline_ns;
	uint32_t stop;

	error = check_dependencies(d, error);
	drop_dependencies(d);
	if (!error && d->ready)
		error = d->ready(d->user);
	deadline_ns = nna_execution_deadline_from_now(e);
	if (!error && !d->prepared) {
		error = nna_execution_prepare(e, true, &stop);
		if (error == -EAGAIN) {
			end_without_job(d, nna_parts_run(e, stop, deadline_ns));
			return;
		}
	}
	if (!error) {
		nna_bindings_copy_inputs(e, d->copies);
		error = nna_execution_launch(e, deadline_ns, NULL, 0, false, true,
					     &d->job);
	}
	if (error) {
		end_without_job(d, error);
		return;
	}
	d->after_fd = nna_fence_poll(d->job);
	/* Without an fd, or while the device is closed, no other thread waits for the job. */
	if (e->variant->synchronous || d->after_fd < 0 ||
	    nna_waiter_add(&e->program->device->waiter, &d->after))
		end_with_job(d);
}

/* ----------------------------------------------------------------------------------- submission */

/*
 * Prepares a run without reading inputs that its dependencies may still write. -EAGAIN: it has to
 * read some.
 */
static int prepare_early(struct nna_execution *e, bool late)
{
	bool readable = !late && !nna_bindings_have_buffers(e, false);
	uint32_t stop;

	if (!readable && nna_execution_has_parameters(e))
		return -EAGAIN;
	return nna_execution_prepare(e, readable, &stop);
}

/* Copies the inputs in the caller's own memory, and binds them to the copies for this run. */
static int keep_inputs(struct nna_dependent *d)
{
	struct nna_execution *e = d->execution;
	uint32_t count = nna_program_input_count(e->program);
	size_t size = 0;

	for (uint32_t i = 0; i < count; i++)
		if (e->inputs[i].data && __builtin_add_overflow(size, e->inputs[i].size, &size))
			return -ENOMEM;
	if (!size)
		return 0;
	d->bytes = malloc(size);
	d->data = calloc(count, sizeof(*d->data));
	if (!d->bytes || !d->data)
		return -ENOMEM;
	size = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct nna_binding *b = &e->inputs[i];

		d->data[i] = b->data;
		if (!b->data)
			continue;
		memcpy(d->bytes + size, b->data, b->size);
		b->data = d->bytes + size;
		size += b->size;
	}
	return 0;
}

/* Copies the fds, and takes references to the fences, that the run depends on. */
static int take_dependencies(struct nna_dependent *d, const struct nna_dependencies *what)
{
	d->before.fds = calloc((size_t)what->fd_count + what->fence_count + 1,
			       sizeof(*d->before.fds));
	d->fences = calloc((size_t)what->fence_count + 1, sizeof(struct nna_fence *));
	if (!d->before.fds || !d->fences)
		return -ENOMEM;
	for (uint32_t i = 0; i < what->fd_count; i++) {
		int fd = fcntl(what->fds[i], F_DUPFD_CLOEXEC, 0);

		if (fd < 0)
			return -errno;
		d->before.fds[d->fd_count++] = fd;
	}
	d->before.count = d->fd_count;
	for (uint32_t i = 0; i < what->fence_count; i++) {
		struct nna_fence *fence = what->fences[i];
		int fd;

		d->fences[d->fence_count++] = fence;
		nna_fence_get(fence);
		if (atomic_load_explicit(&fence->done, memory_order_acquire))
			continue;
		fd = nna_fence_poll(fence);
		if (fd < 0)
			return fd;
		d->before.fds[d->before.count++] = fd;
	}
	return 0;
}

/*
 * Does the part of a dependent run before the waiter gets it. The caller frees @d after a failure.
 */
static int dependent_make(struct nna_dependent *d, const struct nna_dependencies *what)
{
	struct nna_execution *e = d->execution;
	int ret;

	d->ready = what->ready;
	d->ended = what->ended;
	d->user = what->user;
	d->before.done = before_done;
	d->before.deadline_ns = e->deadline_ns;
	d->after = (struct nna_wait){ .fds = &d->after_fd, .count = 1, .done = after_done };
	d->copies = NNA_INPUTS_OWN | NNA_INPUTS_BUFFERS;
	d->fence = nna_fence_create();
	ret = d->fence ? take_dependencies(d, what) : -ENOMEM;
	if (ret)
		return ret;
	ret = prepare_early(e, what->read_late);
	if (ret && ret != -EAGAIN)
		return ret;
	d->prepared = !ret;
	d->before.slow = !d->prepared || e->variant->synchronous;
	if (what->read_late)
		return 0;
	if (!d->prepared)
		return keep_inputs(d);
	nna_bindings_copy_inputs(e, NNA_INPUTS_OWN);
	d->copies = NNA_INPUTS_BUFFERS;
	return 0;
}

/*
 * Gives the run to the waiter, which may end it before this function returns. Under the lock, so
 * that nna_execution_cancel() either finds the run in the waiter or is seen here.
 */
static int dependent_add(struct nna_dependent *d)
{
	struct nna_execution *e = d->execution;
	int ret = -ECANCELED;

	pthread_mutex_lock(&e->lock);
	e->fence = d->fence;
	e->waiting = &d->before;
	e->run = NNA_RUN_ACTIVE;
	if (!nna_execution_is_cancelled(e))
		ret = nna_waiter_add(&e->program->device->waiter, &d->before);
	if (ret) {
		e->run = NNA_RUN_IDLE;
		e->waiting = NULL;
		e->fence = NULL;
	}
	pthread_mutex_unlock(&e->lock);
	return ret;
}

int nna_dependent_start(struct nna_execution *e, const struct nna_dependencies *what,
			struct nna_fence **out)
{
	struct nna_dependent *d = calloc(1, sizeof(*d));
	struct nna_fence *fence;
	int ret;

	if (!d)
		return -ENOMEM;
	d->execution = e;
	ret = dependent_make(d, what);
	fence = d->fence;
	if (!ret) {
		/*
		 * One reference for the execution, one for the caller; taken first, because the run
		 * may end during the call.
		 */
		nna_fence_get(fence);
		nna_fence_get(fence);
		ret = dependent_add(d);
		if (!ret) {
			*out = fence;
			return 0;
		}
		nna_fence_put(fence);
		nna_fence_put(fence);
	}
	restore_inputs(d);
	dependent_free(d);
	return nna_execution_fail(e, ret);
}

int nna_execution_submit_after_sized(struct nna_execution *execution,
				     const struct nna_dependencies *dependencies, size_t size,
				     struct nna_fence **out)
{
	struct nna_dependencies own;
	int ret = nna_sized_read(&own, sizeof(own), dependencies, size);

	if (ret)
		return ret;
	if (!dependencies || (own.fd_count && !own.fds) || (own.fence_count && !own.fences)) {
		nna_log_print(&execution->program->device->log, NNA_LOG_ERROR,
			      !dependencies ?
			      "the dependencies are NULL: use nna_execution_submit() for a run "
			      "without any" :
			      "a list of dependencies is NULL, but its count is not 0: give @fds "
			      "and @fences, or counts of 0");
		return -EINVAL;
	}
	ret = nna_execution_begin(execution);
	return ret ? ret : nna_dependent_start(execution, &own, out);
}

// SPDX-License-Identifier: MIT
/*
 * Runs: the functions of nnaccel.h that begin a run. A run takes one of three ways:
 *
 *	one job		the usual way: prepare.c, submit.c
 *	in parts	the shapes depend on data (parts.c)
 *	dependent	the device cannot wait for the in-fences (dependent.c)
 */
#include <errno.h>

#include "libnnaccel/runtime/dependent.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/fence.h"
#include "libnnaccel/runtime/parts.h"
#include "libnnaccel/runtime/prepare.h"
#include "libnnaccel/runtime/submit.h"
#include "libnnaccel/runtime/variant.h"

/* Runs in parts, in this thread. Part one ends before operation @stop. Return: the run's error. */
static int run_in_parts(struct nna_execution *e, uint32_t stop)
{
	int ret = nna_parts_run(e, stop, nna_execution_deadline_from_now(e));

	nna_execution_end(e, ret);
	return ret;
}

int nna_execution_compute(struct nna_execution *e)
{
	uint32_t stop;
	int ret = nna_execution_begin(e);

	if (ret)
		return ret;
	ret = nna_execution_prepare(e, true, &stop);
	if (ret == -EAGAIN)
		return run_in_parts(e, stop);
	return ret ? nna_execution_fail(e, ret) : nna_execution_run(e);
}

/* Makes a fence of a run that has ended during the submission. */
static int submit_ended(int error, struct nna_fence **out)
{
	*out = nna_fence_create();
	if (!*out)
		return -ENOMEM;
	nna_fence_end(*out, error);
	return 0;
}

/* Submits a run that has been prepared, behind in-fences that the device waits for. */
static int submit_job(struct nna_execution *e, const int *fds, uint32_t count,
		      struct nna_fence **out)
{
	const bool synchronous = e->variant->synchronous;
	const bool exportable = nna_bindings_outputs_are_direct(e);
	struct nna_fence *fence;
	int ret;

	nna_bindings_copy_inputs(e, NNA_INPUTS_OWN | NNA_INPUTS_BUFFERS);
	ret = nna_execution_launch(e, e->deadline_ns, fds, count, synchronous,
				   synchronous || !exportable, &fence);
	if (ret)
		return ret;
	if (synchronous) {
		ret = nna_execution_wait(e, fence);
		nna_fence_put(fence);
		return submit_ended(ret, out);
	}
	e->run = NNA_RUN_ACTIVE;
	e->fence = fence;
	fence->execution = e;
	fence->exportable = exportable;
	nna_fence_get(fence);
	*out = fence;
	return 0;
}

int nna_execution_submit(struct nna_execution *execution, const int *fds, uint32_t count,
			 struct nna_fence **out)
{
	const struct nna_dependencies dependencies = { .fds = fds, .fd_count = count };
	struct nna_execution *e = execution;
	uint32_t stop;
	int ret;

	if (count && !fds) {
		nna_log_print(&e->program->device->log, NNA_LOG_ERROR,
			      "%u in-fences are given, but their list is NULL: give the fds, or a "
			      "count of 0", count);
		return -EINVAL;
	}
	ret = nna_execution_begin(e);
	if (ret)
		return ret;
	if (count && nna_bindings_have_buffers(e, true))
		return nna_dependent_start(e, &dependencies, out);
	ret = nna_execution_prepare(e, !count || !nna_bindings_have_buffers(e, false), &stop);
	if (count && (ret == -EAGAIN || (!ret && e->variant->synchronous)))
		return nna_dependent_start(e, &dependencies, out);
	if (ret == -EAGAIN)
		return submit_ended(run_in_parts(e, stop), out);
	return ret ? nna_execution_fail(e, ret) : submit_job(e, fds, count, out);
}

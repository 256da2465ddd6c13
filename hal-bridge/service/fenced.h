/* SPDX-License-Identifier: MIT */
/*
 * Fenced executions: runs that begin after other fences have signalled. They return a fence of
 * their own, and an object with their result (IFencedExecutionCallback).
 *
 * If the device makes sync_files and itself uses all memories of the request, the device waits for
 * the fences, and the caller gets the fence of the run. Otherwise the run is synchronous: it has
 * ended when the call returns, the fence is null, and an error of the run is the error of the call.
 * That is so of every run of a model whose inputs are parameters of operations, such as an axis:
 * they are read before a run can be submitted, and the commands of the next run may be other ones.
 *
 * The service waits for fences of a synchronous run for NNB_FENCE_NS at most, and not for those of
 * a dead client: a fence may be another process's and never signal.
 */
#ifndef NNB_FENCED_H
#define NNB_FENCED_H

#include "hal-bridge/service/run.h"

/* The methods of IFencedExecutionCallback, by their code - 1. */
extern const nnb_aidl_handler nnb_fenced_handlers[];

#define NNB_FENCE_NS 10000000000u /* what the kernel's drivers give one another */

/*
 * Implements IPreparedModel.executeFenced(). Return: 0 or an ErrorStatus; the call's arena owns the
 * contents of @result.
 */
int nnb_fenced_execute(struct nnb_prepared_model *model, struct nnb_aidl_call *call,
		       const struct nnb_aidl_request *request,
		       const struct nnb_run_options *options, const struct nnb_fds *wait_for,
		       int64_t deadline_ns, int64_t duration_ns,
		       struct nnb_aidl_fenced_execution_result *result);

/*
 * Implements IExecution.executeFenced(). The run stays the caller's, who must not use it meanwhile,
 * so the execution is always synchronous.
 */
int nnb_fenced_execute_run(struct nnb_run *run, struct nnb_aidl_call *call,
			   const struct nnb_fds *wait_for, int64_t deadline_ns, int64_t duration_ns,
			   struct nnb_aidl_fenced_execution_result *result);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Fenced executions: runs that begin when other fences have signalled, and that return a fence of
 * their own, and an object (IFencedExecutionCallback) that knows how they went.
 *
 * The device waits for the fences and the caller gets the run's, where the device has sync_files
 * and everything is in memory that it uses itself. Else the run is synchronous: it has ended when
 * the call returns, the fence is null, and what went wrong is the call's error.
 */
#ifndef NNB_FENCED_H
#define NNB_FENCED_H

#include "hal-bridge/service/run.h"

/*
 * IPreparedModel.executeFenced(). Return: 0 or an ErrorStatus; the call's arena owns what is in
 * @result.
 */
int nnb_fenced_execute(struct nnb_prepared_model *model, struct nnb_aidl_call *call,
		       const struct nnb_aidl_request *request,
		       const struct nnb_run_options *options, const struct nnb_fds *wait_for,
		       int64_t deadline_ns, int64_t duration_ns,
		       struct nnb_aidl_fenced_execution_result *result);

/*
 * IExecution.executeFenced(): the same with a run that stays the caller's, who does not use it at
 * the same time. So this is always synchronous.
 */
int nnb_fenced_execute_run(struct nnb_run *run, struct nnb_aidl_call *call,
			   const struct nnb_fds *wait_for, int64_t deadline_ns, int64_t duration_ns,
			   struct nnb_aidl_fenced_execution_result *result);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Submission: the job of a run, which is given to a queue of the device, and its end.
 *
 * The submission is the execution's @submission, which points to its @job. Both are written for
 * each run, and kept so that a job which yields can be resumed.
 *
 * A submission reads @cancelled under @queue_lock, under which nna_execution_cancel() looks
 * for a queue: so a job that is submitted at the same time as a cancellation is either refused or
 * found. An execution of a part submits for its parent, which is the one that can be cancelled.
 *
 * Any number of threads may wait for the end of a run. A thread first waits for the device, without
 * a lock. Then, under the fence's lock, the first thread takes the end and stores the error in the
 * fence. A dependent run (dependent.c) has a fence of the library's own, which nna_fence_end()
 * signals.
 */
#ifndef NNA_RUNTIME_SUBMIT_H
#define NNA_RUNTIME_SUBMIT_H

#include "libnnaccel/backend/backend.h"
#include "libnnaccel/runtime/execution.h"

/**
 * nna_execution_launch() - submit the job of a run
 * @execution: prepared, with its inputs copied
 * @deadline_ns: of the run, absolute CLOCK_MONOTONIC, 0 is none
 * @fds: @count in-fences
 * @count: length of @fds
 * @waited: this thread waits for the job's end next
 * @own: nobody but the library gets the fence of the job. So the job may yield before it reaches
 *	the job limit, and another one go on: a run may take any time. A fence that others wait for
 *	signals within the job limit, and says that the run has ended.
 * @out: the fence of the job, a reference
 *
 * Return: 0 or a negative errno, which is the execution's @error, too. -ECANCELED: the execution
 * was cancelled.
 */
int nna_execution_launch(struct nna_execution *execution, uint64_t deadline_ns, const int *fds,
			 uint32_t count, bool waited, bool own, struct nna_fence **out);
/**
 * nna_execution_resume() - submit a job that has yielded until it ends
 * @execution: the execution
 * @report: of the first stretch; returns the sums of all stretches. @reported is false when the
 *	last one has left no report
 *
 * Return: 0 or the error of the job.
 */
int nna_execution_resume(struct nna_execution *execution, struct nna_report *report);
/* The job has ended: nna_execution_cancel() must not use its queue any more. */
void nna_execution_forget_job(struct nna_execution *execution);
/* The deadline of a run if all its in-fences signal now; absolute, 0 is none. */
uint64_t nna_execution_deadline_from_now(const struct nna_execution *execution);

/* True if a run is under way. Takes the end of one that has ended while no thread waited for it. */
bool nna_execution_is_running(struct nna_execution *execution);
/* A run has ended with @error without a job of its own. */
void nna_execution_end(struct nna_execution *execution, int error);
/*
 * A run could not be prepared or submitted. -ENOSPC counts as a run that has ended, so that the
 * dimensions of its outputs can be asked for. Return: @error.
 */
int nna_execution_fail(struct nna_execution *execution, int error);
/*
 * Takes the end of a run whose job has @fence. @error: 0 when the job has ended, or why the thread
 * could not wait for it. The caller holds @lock.
 */
void nna_execution_finish(struct nna_execution *execution, struct nna_fence *fence, int error);
/*
 * Waits for the job with @fence, for which no other thread waits, and takes the run's end. Return:
 * the run's error.
 */
int nna_execution_wait(struct nna_execution *execution, struct nna_fence *fence);
/*
 * Runs an execution that has been prepared as one job, and waits for its end. Return: 0 or the
 * error of the submission or the run, which is the execution's @error, too.
 */
int nna_execution_run(struct nna_execution *execution);

#endif

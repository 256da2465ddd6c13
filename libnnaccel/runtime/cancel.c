// SPDX-License-Identifier: MIT
/*
 * Cancelling an execution: its run ends as soon as possible, whatever it waits for.
 *
 * The state of the run decides which code ends it:
 *
 *	it waits in the library (dependent.c)	this file takes it back from the waiter
 *	its job is in a queue			the winsys ends the jobs of the queue
 *	a thread prepares it, or runs parts	that thread, when it is about to submit a job
 *
 * The execution stays cancelled, so a run that begins at the same time is not missed. Code that
 * submits a job, or gives a run to the waiter, reads @cancelled under the same lock under which
 * nna_execution_cancel() looks for a job, or for a run in the waiter. An execution of a part
 * submits for its parent, which is the one that is cancelled.
 */
#include <errno.h>

#include "libnnaccel/runtime/cancel.h"
#include "libnnaccel/runtime/device.h"

void nna_execution_stop_waiting(struct nna_execution *e)
{
	struct nna_wait *wait;

	pthread_mutex_lock(&e->lock);
	wait = e->waiting;
	if (wait && !nna_waiter_cancel(&e->program->device->waiter, wait))
		wait = NULL;
	pthread_mutex_unlock(&e->lock);
	if (wait)
		wait->done(wait, -ECANCELED);
}

void nna_execution_cancel(struct nna_execution *execution)
{
	struct nna_winsys *ws = execution->program->device->ws;

	pthread_mutex_lock(&execution->queue_lock);
	atomic_store(&execution->cancelled, true);
	if (execution->queue)
		ws->ops->queue_cancel(ws, execution->queue);
	pthread_mutex_unlock(&execution->queue_lock);
	nna_execution_stop_waiting(execution);
}

// SPDX-License-Identifier: MIT
/*
 * Jobs. A submission makes a job, which has a reference to its queue. The ring's interrupt or the
 * worker ends it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libnnaccel/winsys/loopback/loopback.h"

static void close_fds(struct nna_loopback_job *job)
{
	for (uint32_t i = 0; i < job->fd_count; i++)
		if (job->fds[i] >= 0)
			close(job->fds[i]);
	free(job->fds);
	job->fds = NULL;
	job->fd_count = 0;
}

struct nna_loopback_job *nna_loopback_job_make(struct nna_loopback *lb)
{
	struct nna_loopback_job *job = lb->spare;

	if (job) {
		size_t base = sizeof(job->base);

		lb->spare = job->next;
		memset((char *)job + base, 0, sizeof(*job) - base);
	} else {
		job = calloc(1, sizeof(*job));
		if (!job)
			return NULL;
		nna_fence_init(&job->base, &lb->base);
	}
	nna_fence_reset(&job->base);
	return job;
}

void nna_loopback_job_put(struct nna_loopback *lb, struct nna_loopback_job *job)
{
	if (atomic_fetch_sub_explicit(&job->base.references, 1, memory_order_acq_rel) != 1)
		return;
	nna_fence_close_event(&job->base);
	job->next = lb->spare;
	lb->spare = job;
}

void nna_loopback_job_signal(struct nna_loopback_job *job)
{
	const uint64_t one = 1;

	while (job->base.event >= 0 && write(job->base.event, &one, sizeof(one)) < 0 &&
	       errno == EINTR)
		;
}

void nna_loopback_queue_put(struct nna_loopback_queue *q)
{
	if (!--q->references)
		free(q);
}

/* The reference that is dropped last keeps the memory valid until the waiters have been woken. */
void nna_loopback_job_end(struct nna_loopback *lb, struct nna_loopback_job *job, int error)
{
	if (job->older)
		job->older->newer = job->newer;
	else
		lb->oldest = job->newer;
	if (job->newer)
		job->newer->older = job->older;
	else
		lb->newest = job->older;
	job->error = error;
	close_fds(job);
	nna_loopback_queue_put(job->queue);
	job->queue = NULL;
	atomic_store_explicit(&job->ended, 1, memory_order_release);
	nna_loopback_leader_tell(lb);
	nna_loopback_job_signal(job);
	nna_loopback_job_put(lb, job);
}

// SPDX-License-Identifier: MIT
/* Queues, and the submission of jobs to them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "libnnaccel/winsys/loopback/loopback.h"

int nna_loopback_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			      struct nna_winsys_queue **out)
{
	struct nna_loopback_queue *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->references = 1;
	q->ring = priority <= NNA_PRIORITY_HIGH ? (uint32_t)priority : NNA_PRIORITY_HIGH;
	*out = (struct nna_winsys_queue *)q;
	return 0;
}

void nna_loopback_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	struct nna_loopback_queue *q = (struct nna_loopback_queue *)queue;

	if (!q)
		return;
	pthread_mutex_lock(&lb->jobs);
	nna_loopback_queue_put(q);
	pthread_mutex_unlock(&lb->jobs);
}

/* The worker ends those jobs of a banned queue that are not in a ring yet. */
void nna_loopback_queue_cancel(struct nna_winsys *ws, struct nna_winsys_queue *queue)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	struct nna_loopback_queue *q = (struct nna_loopback_queue *)queue;

	pthread_mutex_lock(&lb->jobs);
	q->banned = true;
	pthread_mutex_unlock(&lb->jobs);
	nna_loopback_worker_wake(lb);
}

int nna_loopback_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *queue,
			      const struct nna_winsys_job *what, struct nna_fence **out)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	struct nna_loopback_queue *q = (struct nna_loopback_queue *)queue;
	struct nna_loopback_job *job;
	int *fds = NULL;
	bool rung = false, wake = false;

	if (what->fence_count) {
		fds = malloc(sizeof(*fds) * what->fence_count);
		if (!fds)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < what->fence_count; i++) {
		fds[i] = fcntl(what->fence_fds[i], F_DUPFD_CLOEXEC, 0);
		if (fds[i] < 0) {
			int ret = -errno;

			while (i--)
				close(fds[i]);
			free(fds);
			return ret;
		}
	}
	pthread_mutex_lock(&lb->jobs);
	job = q->banned ? NULL : nna_loopback_job_make(lb);
	if (!job) {
		int ret = q->banned ? -ECANCELED : -ENOMEM;

		pthread_mutex_unlock(&lb->jobs);
		for (uint32_t i = 0; i < what->fence_count; i++)
			close(fds[i]);
		free(fds);
		return ret;
	}
	nna_fence_get(&job->base);
	job->queue = q;
	job->ticket = lb->next_ticket++;
	job->deadline_ns = what->deadline_ns;
	job->duration_ns = what->duration_ns;
	job->fds = fds;
	job->fd_count = what->fence_count;
	job->entry = (struct nnahw_ring_entry){
		.type = NNAHW_ENTRY_JOB,
		.asid = NNA_LOOPBACK_ASID,
		.flags = what->job->slice ? NNAHW_ENTRY_FLAG_SLICE : 0,
		.root = lb->root,
		.stream = what->job->stream_va,
		.stream_size = what->job->stream_size,
		.start = what->job->start,
		.base_table = what->job->base_table_va,
		.slot_count = what->job->slot_count,
		.report = what->job->report_va,
		.profile = what->job->profile_va,
		.profile_size = what->job->profile_size,
		.budget = what->job->budget_ns,
		.loop_limit = what->job->loop_limit_ns,
	};
	q->references++;
	job->older = lb->newest;
	if (lb->newest)
		lb->newest->newer = job;
	else
		lb->oldest = job;
	lb->newest = job;
	*out = &job->base;
	if (!q->first && !job->fd_count && !nna_loopback_ring_full(&lb->rings[q->ring])) {
		nna_loopback_ring_push(lb, job);
		rung = true;
	} else {
		if (q->last)
			q->last->next = job;
		else
			q->first = job;
		q->last = job;
		if (!q->listed) {
			q->listed = true;
			q->next = lb->waiting;
			lb->waiting = q;
		}
		wake = true;
	}
	pthread_mutex_unlock(&lb->jobs);
	if (wake)
		nna_loopback_worker_wake(lb);
	if (rung && !what->waited)
		nna_loopback_leader_call(lb);
	return 0;
}

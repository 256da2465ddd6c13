// SPDX-License-Identifier: MIT
/* Fences, which are jobs. They cannot be exported: sync_files come from kernel drivers. */
#include <errno.h>
#include <sys/eventfd.h>

#include "libnnaccel/winsys/loopback/loopback.h"

static bool has_ended(const void *job)
{
	return atomic_load_explicit(&((const struct nna_loopback_job *)job)->ended,
				    memory_order_acquire);
}

int nna_loopback_fence_wait(struct nna_winsys *ws, struct nna_fence *fence, int64_t deadline_ns)
{
	return nna_loopback_leader_wait((struct nna_loopback *)ws, has_ended, fence, deadline_ns);
}

int nna_loopback_fence_status(struct nna_winsys *ws, struct nna_fence *fence)
{
	return ((struct nna_loopback_job *)fence)->error;
}

int nna_loopback_fence_poll(struct nna_winsys *ws, struct nna_fence *fence)
{
	struct nna_loopback_job *job = (struct nna_loopback_job *)fence;
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	pthread_mutex_lock(&lb->jobs);
	fence->event = fd;
	if (atomic_load_explicit(&job->ended, memory_order_acquire))
		nna_loopback_job_signal(job);
	pthread_mutex_unlock(&lb->jobs);
	return 0;
}

int nna_loopback_fence_export(struct nna_winsys *ws, struct nna_fence *fence)
{
	return -ENOTSUP;
}

void nna_loopback_fence_release(struct nna_winsys *ws, struct nna_fence *fence)
{
	struct nna_loopback_job *job = (struct nna_loopback_job *)fence;
	struct nna_loopback *lb = (struct nna_loopback *)ws;

	nna_fence_close_event(fence);
	pthread_mutex_lock(&lb->jobs);
	job->next = lb->spare;
	lb->spare = job;
	pthread_mutex_unlock(&lb->jobs);
}

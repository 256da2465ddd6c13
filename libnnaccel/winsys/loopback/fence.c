// SPDX-License-Identifier: MIT
/* Fences, which are jobs. They cannot be exported: sync_files come from kernel drivers. */
#include <errno.h>
#include <linux/futex.h>
#include <sys/eventfd.h>

#include "libnnaccel/winsys/loopback/loopback.h"

int nna_loopback_fence_wait(struct nna_winsys *ws, struct nna_fence *fence, int64_t deadline_ns)
{
	struct nna_loopback_job *job = (struct nna_loopback_job *)fence;
	struct timespec deadline = { deadline_ns / 1000000000, deadline_ns % 1000000000 };

	while (!atomic_load_explicit(&job->ended, memory_order_acquire)) {
		if (nna_loopback_futex(&job->ended, FUTEX_WAIT_BITSET, 0,
				       deadline_ns == INT64_MAX ? NULL : &deadline) &&
		    errno == ETIMEDOUT)
			return atomic_load_explicit(&job->ended, memory_order_acquire) ? 0 : -ETIME;
	}
	return 0;
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

// SPDX-License-Identifier: MIT
/*
 * Queues and fences. The driver has one queue for all, without priorities, and ends no job before
 * its time: a queue is no more than the right to submit.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "libnnaccel/support/clock.h"
#include "libnnaccel/winsys/ethosu/device.h"

static struct nna_ethosu_fence *to_fence(struct nna_fence *fence)
{
	return (struct nna_ethosu_fence *)fence;
}

int nna_ethosu_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			    struct nna_winsys_queue **out)
{
	struct nna_ethosu_queue *queue = calloc(1, sizeof(*queue));

	*out = (struct nna_winsys_queue *)queue;
	return queue ? 0 : -ENOMEM;
}

void nna_ethosu_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue)
{
	free(queue);
}

void nna_ethosu_queue_cancel(struct nna_winsys *ws, struct nna_winsys_queue *queue)
{
	atomic_store(&((struct nna_ethosu_queue *)queue)->cancelled, true);
}

/* Return: a fence with one reference; NULL without memory. Under @lock. */
static struct nna_ethosu_fence *make_fence(struct nna_ethosu_device *d)
{
	struct nna_ethosu_fence *fence = d->spare;

	if (fence) {
		d->spare = fence->next;
	} else {
		fence = calloc(1, sizeof(*fence));
		if (!fence)
			return NULL;
		nna_fence_init(&fence->base, &d->base);
		fence->end = -1;
	}
	nna_fence_reset(&fence->base);
	return fence;
}

static void spare(struct nna_ethosu_device *d, struct nna_ethosu_fence *fence)
{
	fence->next = d->spare;
	d->spare = fence;
}

int nna_ethosu_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *queue,
			    const struct nna_winsys_job *what, struct nna_fence **out)
{
	struct nna_ethosu_device *d = to_ethosu(ws);
	struct nna_ethosu_fence *fence;
	struct nna_ethosu_job job;
	uint32_t written;
	int ret;

	if (atomic_load(&((struct nna_ethosu_queue *)queue)->cancelled))
		return -ECANCELED;
	/* The driver knows no deadline: one that has passed is all that can be kept. */
	if (what->deadline_ns && nna_now_ns() >= what->deadline_ns)
		return -ETIMEDOUT;
	pthread_mutex_lock(&d->lock);
	fence = make_fence(d);
	ret = fence ? nna_ethosu_link_get(d, what->job, &job, &written) : -ENOMEM;
	if (!ret) {
		ret = d->npu->ops->submit(d->npu, &job, written, what->fence_fds,
					  what->fence_count);
		if (ret >= 0) {
			fence->end = ret;
			*out = &fence->base;
			ret = 0;
		}
	}
	if (ret && fence)
		spare(d, fence);
	pthread_mutex_unlock(&d->lock);
	return ret;
}

/* ---- fences ---------------------------------------------------------------------------------- */

int nna_ethosu_fence_wait(struct nna_winsys *ws, struct nna_fence *fence, int64_t deadline_ns)
{
	struct pollfd poll_fd = { .fd = to_fence(fence)->end, .events = POLLIN };
	int ret;

	do {
		const int64_t left = deadline_ns - (int64_t)nna_now_ns();
		const struct timespec timeout = {
			.tv_sec = left > 0 ? left / 1000000000 : 0,
			.tv_nsec = left > 0 ? left % 1000000000 : 0,
		};

		ret = ppoll(&poll_fd, 1, deadline_ns == INT64_MAX ? NULL : &timeout, NULL);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -errno;
	return ret ? 0 : -ETIME;
}

int nna_ethosu_fence_status(struct nna_winsys *ws, struct nna_fence *fence)
{
	struct nna_ethosu_device *d = to_ethosu(ws);

	return d->npu->ops->status(d->npu, to_fence(fence)->end);
}

static int copy_end(struct nna_fence *fence)
{
	const int fd = fcntl(to_fence(fence)->end, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

int nna_ethosu_fence_poll(struct nna_winsys *ws, struct nna_fence *fence)
{
	const int fd = copy_end(fence);

	if (fd < 0)
		return fd;
	fence->event = fd;
	return 0;
}

int nna_ethosu_fence_export(struct nna_winsys *ws, struct nna_fence *fence)
{
	return to_ethosu(ws)->npu->ops->sync_files ? copy_end(fence) : -ENOTSUP;
}

void nna_ethosu_fence_release(struct nna_winsys *ws, struct nna_fence *base)
{
	struct nna_ethosu_fence *fence = to_fence(base);
	struct nna_ethosu_device *d = to_ethosu(ws);

	nna_fence_close_event(base);
	close(fence->end);
	fence->end = -1;
	pthread_mutex_lock(&d->lock);
	spare(d, fence);
	pthread_mutex_unlock(&d->lock);
}

void nna_ethosu_fences_free(struct nna_ethosu_device *d)
{
	while (d->spare) {
		struct nna_ethosu_fence *next = d->spare->next;

		nna_fence_fini(&d->spare->base);
		free(d->spare);
		d->spare = next;
	}
}

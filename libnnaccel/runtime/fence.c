// SPDX-License-Identifier: MIT
/* Fences of the library's own, which nna_fence_end() signals; and fds of fences. */
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>

#include "libnnaccel/runtime/fence.h"
#include "libnnaccel/winsys/winsys.h"

struct nna_fence *nna_fence_create(void)
{
	struct nna_fence *fence = calloc(1, sizeof(*fence));

	if (!fence)
		return NULL;
	nna_fence_init(fence, NULL);
	nna_fence_reset(fence);
	return fence;
}

void nna_fence_end(struct nna_fence *fence, int error)
{
	pthread_mutex_lock(&fence->lock);
	fence->error = error;
	atomic_store_explicit(&fence->done, true, memory_order_release);
	if (fence->event >= 0)
		eventfd_write(fence->event, 1);
	pthread_cond_broadcast(&fence->ended);
	pthread_mutex_unlock(&fence->lock);
}

int nna_fence_poll(struct nna_fence *fence)
{
	int ret = 0;

	pthread_mutex_lock(&fence->lock);
	if (fence->event < 0 && fence->ws) {
		ret = fence->ws->ops->fence_poll(fence->ws, fence);
	} else if (fence->event < 0) {
		fence->event = eventfd(atomic_load(&fence->done), EFD_CLOEXEC | EFD_NONBLOCK);
		ret = fence->event < 0 ? -errno : 0;
	}
	if (!ret)
		ret = fence->event;
	pthread_mutex_unlock(&fence->lock);
	return ret;
}

int nna_fence_wait_end(struct nna_fence *fence, int64_t deadline_ns)
{
	const struct timespec deadline = { deadline_ns / 1000000000, deadline_ns % 1000000000 };
	int ret = 0;

	pthread_mutex_lock(&fence->lock);
	while (!ret && !atomic_load_explicit(&fence->done, memory_order_relaxed)) {
		if (deadline_ns == INT64_MAX)
			pthread_cond_wait(&fence->ended, &fence->lock);
		else
			ret = pthread_cond_timedwait(&fence->ended, &fence->lock, &deadline);
	}
	ret = atomic_load_explicit(&fence->done, memory_order_relaxed) ? fence->error : -ETIME;
	pthread_mutex_unlock(&fence->lock);
	return ret;
}

int nna_fence_export(struct nna_fence *fence)
{
	if (!fence->ws || !fence->exportable)
		return -ENOTSUP;
	return fence->ws->ops->fence_export(fence->ws, fence);
}

int nna_fence_fd_status(int fd, short revents)
{
	struct sync_file_info info = { 0 };

	if (revents & POLLNVAL)
		return -EBADF;
	if (!ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return info.status < 0 ? -ECANCELED : 0;
	/* It is no sync_file. The loopback accepts any fd that polls readable when signalled. */
	return revents & POLLERR || !(revents & POLLIN) ? -ECANCELED : 0;
}

void nna_fence_destroy(struct nna_fence *fence)
{
	nna_fence_put(fence);
}

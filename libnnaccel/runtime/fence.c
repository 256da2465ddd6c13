// SPDX-License-Identifier: MIT
/*
 * Fences: the end of a run, for which any number of threads may wait; and in-fences, by fd.
 *
 * A thread that waits first waits for the device, without a lock. Then, under the fence's lock, the
 * first one takes the end of the run and keeps its error.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>

#include "libnnaccel/runtime/runtime.h"

struct nna_fence *nna_fence_create_ended(int error)
{
	struct nna_fence *fence = calloc(1, sizeof(*fence));

	if (!fence)
		return NULL;
	nna_fence_init(fence, NULL);
	nna_fence_reset(fence);
	fence->error = error;
	atomic_store(&fence->done, true);
	return fence;
}

int nna_fence_wait(struct nna_fence *fence, int64_t timeout_ns)
{
	int64_t deadline = INT64_MAX;
	int ret;

	if (atomic_load_explicit(&fence->done, memory_order_acquire))
		return fence->error;
	if (timeout_ns >= 0 &&
	    __builtin_add_overflow((int64_t)nna_now_ns(), timeout_ns, &deadline))
		deadline = INT64_MAX;
	ret = fence->ws->ops->fence_wait(fence->ws, fence, deadline);
	pthread_mutex_lock(&fence->lock);
	if (!atomic_load_explicit(&fence->done, memory_order_relaxed)) {
		struct nna_execution *e = fence->execution;

		if (ret == -ETIME) {
			pthread_mutex_unlock(&fence->lock);
			return -ETIME;
		}
		pthread_mutex_lock(&e->lock);
		nna_execution_finish(e, ret);
		fence->error = e->error;
		pthread_mutex_unlock(&e->lock);
		fence->execution = NULL;
		atomic_store_explicit(&fence->done, true, memory_order_release);
	}
	pthread_mutex_unlock(&fence->lock);
	return fence->error;
}

int nna_fence_export(struct nna_fence *fence)
{
	if (!fence->ws || !fence->exportable)
		return -ENOTSUP;
	return fence->ws->ops->fence_export(fence->ws, fence);
}

/* How an in-fence has ended that polls as @revents says: 0 or a negative errno. */
static int fence_fd_status(int fd, short revents)
{
	struct sync_file_info info = { 0 };

	if (revents & POLLNVAL)
		return -EBADF;
	if (!ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return info.status < 0 ? -ECANCELED : 0;
	/* It is no sync_file. The loopback takes anything that polls readable when signalled. */
	return revents & POLLERR || !(revents & POLLIN) ? -ECANCELED : 0;
}

static int fence_fd_wait(int fd, uint64_t deadline_ns)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t now = nna_now_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
		struct timespec timeout = { left / 1000000000, left % 1000000000 };
		int ret = ppoll(&p, 1, deadline_ns ? &timeout : NULL, NULL);

		if (ret > 0)
			return fence_fd_status(fd, p.revents);
		if (!ret)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

int nna_fence_fds_wait(const int *fds, uint32_t count, uint64_t deadline_ns)
{
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++)
		ret = fence_fd_wait(fds[i], deadline_ns);
	return ret;
}

void nna_fence_destroy(struct nna_fence *fence)
{
	nna_fence_put(fence);
}

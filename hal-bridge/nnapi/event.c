// SPDX-License-Identifier: MIT
/*
 * Events: the end of a run, or a sync fence of the caller; and waiting for the fd of a fence.
 *
 * A thread that waits for a run waits for its fence. The first waiter ends the execution, through
 * the function that the event was created with; later waiters get the result from the event. If a
 * run waits in the library (fenced.c), the library may be the first. Freeing an event waits for the
 * run as well, and so does destroying it after the library held the last reference.
 */
#include "hal-bridge/nnapi/event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/trace.h"

static void nnapi_event_destroy(void *object)
{
	ANeuralNetworksEvent *event = object;

	/*
	 * The run writes to the caller's memory, and the caller may free that memory after freeing
	 * its last handle. So the run has to end before.
	 */
	if (event->fence)
		nnapi_event_end(event, nna_fence_wait(event->fence, -1));
	nna_fence_destroy(event->fence);
	nnapi_object_unref(event->run);
	if (event->fd >= 0)
		close(event->fd);
	pthread_cond_destroy(&event->ended);
	pthread_mutex_destroy(&event->lock);
	free(event);
}

ANeuralNetworksEvent *nnapi_event_create(void *run, int (*end)(void *run, int error))
{
	ANeuralNetworksEvent *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	nnapi_object_init(&event->object, nnapi_event_destroy);
	event->fd = -1;
	pthread_mutex_init(&event->lock, NULL);
	pthread_cond_init(&event->ended, NULL);
	if (run)
		event->run = nnapi_object_ref(run);
	event->end = end;
	return event;
}

int nnapi_event_end(ANeuralNetworksEvent *event, int error)
{
	int result;

	pthread_mutex_lock(&event->lock);
	if (!event->done)
		event->result = event->end(event->run, error);
	event->done = true;
	result = event->result;
	pthread_cond_broadcast(&event->ended);
	pthread_mutex_unlock(&event->lock);
	return result;
}

uint64_t nnapi_fence_fd_get_time(int fd)
{
	struct sync_file_info info = { 0 };
	struct sync_fence_info *fences;
	uint64_t last = 0;

	/* The first call returns the number of fences. */
	if (ioctl(fd, SYNC_IOC_FILE_INFO, &info) || info.status <= 0 || !info.num_fences)
		return 0;
	fences = calloc(info.num_fences, sizeof(*fences));
	if (!fences)
		return 0;
	info.sync_fence_info = (uintptr_t)fences;
	if (!ioctl(fd, SYNC_IOC_FILE_INFO, &info)) {
		for (uint32_t i = 0; i < info.num_fences; i++)
			last = fences[i].timestamp_ns > last ? fences[i].timestamp_ns : last;
	}
	free(fences);
	return last;
}

int nnapi_fence_fd_wait(int fd, int timeout_ms, bool *signalled)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct sync_file_info info = { 0 };
	int ret;

	do {
		ret = poll(&poll_fd, 1, timeout_ms);
	} while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	*signalled = ret > 0;
	if (ret < 0 || poll_fd.revents & POLLNVAL)
		return nnapi_error(OP_FAILED, "a fence cannot be waited for");
	if (!ret)
		return ANEURALNETWORKS_NO_ERROR;
	/*
	 * The loopback accepts as a fence any file that polls readable. Such a file reports no
	 * error but a hang-up.
	 */
	if (ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return poll_fd.revents & POLLIN ?
			       ANEURALNETWORKS_NO_ERROR :
			       nnapi_error(OP_FAILED, "a fence was closed before it was signalled");
	if (info.status < 0)
		return nnapi_error(OP_FAILED, "a fence ended with: %s", strerror(-info.status));
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_event_wait_for_thread(ANeuralNetworksEvent *event)
{
	int result;

	pthread_mutex_lock(&event->lock);
	while (!event->done)
		pthread_cond_wait(&event->ended, &event->lock);
	result = event->result;
	pthread_mutex_unlock(&event->lock);
	return result;
}

NNAPI_EXPORT int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event)
{
	NNA_TRACE(RUNTIME, EXECUTION, __func__);
	bool signalled;

	if (!event)
		return nnapi_null(__func__);
	if (event->fd >= 0)
		return nnapi_fence_fd_wait(event->fd, -1, &signalled);
	if (event->threaded)
		return nnapi_event_wait_for_thread(event);
	/* Without a fence the run could not be submitted, and the event is done. */
	return nnapi_event_end(event, event->fence ? nna_fence_wait(event->fence, -1) : 0);
}

/*
 * Waits, as Android does: after freeing the event of a run the caller may free the memory that the
 * run writes to, even if dependent runs still hold the event.
 */
NNAPI_EXPORT void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event)
{
	if (event)
		ANeuralNetworksEvent_wait(event);
	nnapi_object_unref(event);
}

NNAPI_EXPORT int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd,
							    ANeuralNetworksEvent **event)
{
	ANeuralNetworksEvent *self;

	if (!event)
		return nnapi_null(__func__);
	*event = NULL;
	if (sync_fence_fd < 0)
		return nnapi_error(BAD_DATA, "%s: fd %d is no descriptor", __func__, sync_fence_fd);
	self = nnapi_event_create(NULL, NULL);
	if (!self)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	self->fd = fcntl(sync_fence_fd, F_DUPFD_CLOEXEC, 0);
	if (self->fd < 0) {
		int ret = nnapi_error(BAD_DATA, "%s: cannot duplicate fd %d: %s", __func__,
				      sync_fence_fd, strerror(errno));

		nnapi_object_unref(self);
		return ret;
	}
	*event = self;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event,
						     int *sync_fence_fd)
{
	int fd = -ENOTSUP;

	if (sync_fence_fd)
		*sync_fence_fd = -1;
	if (!event || !sync_fence_fd)
		return nnapi_null(__func__);
	/* No lock: these fields are constant after the caller got the event. */
	if (event->fd >= 0) {
		fd = fcntl(event->fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			fd = -errno;
	} else if (event->fence && event->fenced) {
		fd = nna_fence_export(event->fence);
	}
	if (fd == -ENOTSUP)
		return nnapi_error(
			BAD_DATA, "%s: the event has no sync fence: %s", __func__,
			event->fenced ? "the device or the program makes none, or an output is not "
					"in memory that the device writes itself" :
					"it is not of a fenced execution");
	if (fd < 0) {
		nna_message(EXECUTION, "%s: %s", __func__, strerror(-fd));
		return nnb_result_of_call(fd);
	}
	*sync_fence_fd = fd;
	return ANEURALNETWORKS_NO_ERROR;
}

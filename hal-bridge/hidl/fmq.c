// SPDX-License-Identifier: MIT
/* Fast message queues (fmq.h). */
#include "hal-bridge/hidl/fmq.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The grantors, in their order. */
enum { NNB_FMQ_READ, NNB_FMQ_WRITE, NNB_FMQ_RING, NNB_FMQ_EVENT };

#define NNB_FMQ_SYNCHRONIZED 1u /* the flag of a queue whose writer does not overwrite */

int nnb_fmq_fd(const struct nnb_hidl_queue *from)
{
	const struct nnb_hidl_grantor *grantors = from->grantors.data;

	if (from->grantors.count < NNB_FMQ_EVENT || from->grantors.count > NNB_FMQ_EVENT + 1 ||
	    !from->fds)
		return -1;
	for (uint32_t i = 0; i < from->grantors.count; i++) {
		if (grantors[i].fd_index != grantors[0].fd_index ||
		    grantors[i].fd_index >= from->fds->fd_count)
			return -1;
	}
	return from->fds->data[grantors[0].fd_index];
}

/* Whether a part lies inside of the file, aligned and of its size; a @size of 0 is any. */
static bool nnb_fmq_is_part(const struct nnb_hidl_grantor *grantor, size_t file_size, size_t align,
			    size_t size)
{
	return grantor->offset % align == 0 && grantor->extent <= file_size &&
	       grantor->offset <= file_size - grantor->extent && grantor->extent &&
	       (!size || grantor->extent == size);
}

int nnb_fmq_open(const struct nnb_hidl_queue *from, size_t file_size, size_t quantum, bool reads,
		 struct nnb_fmq *queue)
{
	const struct nnb_hidl_grantor *grantors = from->grantors.data;
	const bool has_event = from->grantors.count > NNB_FMQ_EVENT;
	const int fd = nnb_fmq_fd(from);
	int64_t ready;
	char *map;

	*queue = (struct nnb_fmq){.size = file_size, .quantum = quantum};
	if (fd < 0 || from->quantum != quantum || from->flags != NNB_FMQ_SYNCHRONIZED ||
	    !file_size || file_size > NNB_FMQ_LIMIT ||
	    !nnb_fmq_is_part(&grantors[NNB_FMQ_READ], file_size, 8, 8) ||
	    !nnb_fmq_is_part(&grantors[NNB_FMQ_WRITE], file_size, 8, 8) ||
	    !nnb_fmq_is_part(&grantors[NNB_FMQ_RING], file_size, 8, 0) ||
	    grantors[NNB_FMQ_RING].extent % quantum ||
	    (has_event && !nnb_fmq_is_part(&grantors[NNB_FMQ_EVENT], file_size, 4, 4)))
		return -EINVAL;
	map = mmap(NULL, file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	queue->map = map;
	queue->shared = (void *)(map + grantors[reads ? NNB_FMQ_READ : NNB_FMQ_WRITE].offset);
	queue->others = (void *)(map + grantors[reads ? NNB_FMQ_WRITE : NNB_FMQ_READ].offset);
	queue->ring = (unsigned char *)map + grantors[NNB_FMQ_RING].offset;
	queue->bytes = grantors[NNB_FMQ_RING].extent;
	if (has_event)
		queue->event = (void *)(map + grantors[NNB_FMQ_EVENT].offset);
	queue->own = atomic_load_explicit(queue->shared, memory_order_acquire);
	ready = reads ? nnb_fmq_readable(queue) : nnb_fmq_writable(queue);
	/* An element begins at a multiple of its size. */
	if (ready >= 0 && queue->own % quantum == 0)
		return 0;
	nnb_fmq_close(queue);
	return -EINVAL;
}

void nnb_fmq_close(struct nnb_fmq *queue)
{
	if (queue->map)
		munmap(queue->map, queue->size);
	queue->map = NULL;
}

int64_t nnb_fmq_readable(struct nnb_fmq *queue)
{
	const uint64_t bytes =
		atomic_load_explicit(queue->others, memory_order_acquire) - queue->own;

	return bytes > queue->bytes || bytes % queue->quantum ? -EPROTO : (int64_t)bytes;
}

int64_t nnb_fmq_writable(struct nnb_fmq *queue)
{
	const uint64_t bytes =
		queue->own - atomic_load_explicit(queue->others, memory_order_acquire);

	return bytes > queue->bytes || bytes % queue->quantum ? -EPROTO
							      : (int64_t)(queue->bytes - bytes);
}

void nnb_fmq_peek(const struct nnb_fmq *queue, void *to, size_t size)
{
	const size_t at = (size_t)(queue->own % queue->bytes);
	const size_t first = size < queue->bytes - at ? size : queue->bytes - at;

	memcpy(to, queue->ring + at, first);
	memcpy((char *)to + first, queue->ring, size - first);
}

void nnb_fmq_consume(struct nnb_fmq *queue, size_t size)
{
	queue->own += size;
	atomic_store_explicit(queue->shared, queue->own, memory_order_release);
	nnb_fmq_wake(queue, NNB_FMQ_NOT_FULL);
}

void nnb_fmq_write(struct nnb_fmq *queue, const void *from, size_t size)
{
	const size_t at = (size_t)(queue->own % queue->bytes);
	const size_t first = size < queue->bytes - at ? size : queue->bytes - at;

	memcpy(queue->ring + at, from, first);
	memcpy(queue->ring, (const char *)from + first, size - first);
	queue->own += size;
	atomic_store_explicit(queue->shared, queue->own, memory_order_release);
	nnb_fmq_wake(queue, NNB_FMQ_NOT_EMPTY);
}

void nnb_fmq_wait(struct nnb_fmq *queue, uint32_t bit, int ms)
{
	const struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	const struct timespec pause = {.tv_nsec = 1000000};
	uint32_t flags;

	if (!queue->event) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		return;
	}
	flags = atomic_fetch_and(queue->event, ~bit);
	if (flags & bit)
		return;
	/* FUTEX_WAIT_BITSET takes a moment, FUTEX_WAIT a duration; a wake of any bit ends both. */
	syscall(SYS_futex, queue->event, FUTEX_WAIT, flags, &limit, NULL, 0);
}

void nnb_fmq_wake(struct nnb_fmq *queue, uint32_t bit)
{
	if (queue->event && ~atomic_fetch_or(queue->event, bit) & bit)
		syscall(SYS_futex, queue->event, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, bit);
}

/* SPDX-License-Identifier: MIT */
/*
 * Fast message queues, whose memory a client has made. The descriptor has a grantor for each part
 * of it, in this order: the read counter and the write counter (8 bytes each), the ring, and an
 * event flag (4 bytes), which may be missing. Counters count bytes and never wrap; who reads owns
 * the one, who writes the other. The event flag is a futex: bit 1 says that there is room, bit 2
 * that there are data.
 *
 * The other side writes to this memory at any time. So this side keeps its own counter, which
 * nobody else can change, reads the other's once and checks the difference, and copies what it
 * reads before it looks at it. The file must not be able to shrink: the caller sees to that.
 */
#ifndef NNB_HIDL_FMQ_H
#define NNB_HIDL_FMQ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/hidl/codec.h"

#define NNB_FMQ_LIMIT (16u << 20) /* bytes of a queue's memory */

#define NNB_FMQ_NOT_FULL 1u
#define NNB_FMQ_NOT_EMPTY 2u

/**
 * struct nnb_fmq - an open queue
 * @map: @size bytes of the file
 * @size: bytes
 * @others: the counter of the other side
 * @shared: the counter of this side, as the other side sees it
 * @own: the counter of this side
 * @ring: @bytes bytes
 * @bytes: a multiple of @quantum
 * @quantum: bytes of an element
 * @event: the event flag; NULL for none
 */
struct nnb_fmq {
	void *map;
	size_t size;
	_Atomic uint64_t *others, *shared;
	uint64_t own;
	unsigned char *ring;
	size_t bytes, quantum;
	_Atomic uint32_t *event;
};

/* Return: the descriptor of a queue's memory; -1 if it has none, or more than one. */
int nnb_fmq_fd(const struct nnb_hidl_queue *from);
/*
 * Opens a queue of elements of @quantum bytes, to read or to write. @file_size: of its file, which
 * cannot become smaller. Return: 0, -EINVAL for a descriptor that is none, or an errno of mmap().
 */
int nnb_fmq_open(const struct nnb_hidl_queue *from, size_t file_size, size_t quantum, bool reads,
		 struct nnb_fmq *queue);
void nnb_fmq_close(struct nnb_fmq *queue);

/* Return: bytes that can be read, or -EPROTO if the other side's counter cannot be. */
int64_t nnb_fmq_readable(struct nnb_fmq *queue);
int64_t nnb_fmq_writable(struct nnb_fmq *queue);
/* Copies @size bytes, at most as many as there are, without moving on. */
void nnb_fmq_peek(const struct nnb_fmq *queue, void *to, size_t size);
/* Moves on by @size bytes, which have been read, and tells the other side. */
void nnb_fmq_consume(struct nnb_fmq *queue, size_t size);
/* Writes @size bytes, for which there is room, and tells the other side. */
void nnb_fmq_write(struct nnb_fmq *queue, const void *from, size_t size);
/* Waits for bit @bit of the event flag, for @ms at most; without a flag a millisecond. */
void nnb_fmq_wait(struct nnb_fmq *queue, uint32_t bit, int ms);
/* Ends the waits of this side. */
void nnb_fmq_wake(struct nnb_fmq *queue, uint32_t bit);

#endif

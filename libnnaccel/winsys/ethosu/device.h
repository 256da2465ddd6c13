/* SPDX-License-Identifier: MIT */
/*
 * The winsys of Ethos-U: devices, BOs, queues and fences over an NPU (npu.h).
 *
 *	device.c	opens and closes, properties of the device
 *	address.c	device addresses of BOs
 *	bo.c		BOs
 *	link.c		which stream and which buffers a job of the runtime is for the NPU
 *	queue.c		queues, submission, fences
 *	kernel.c	the NPU behind a node of the kernel's driver
 *
 * Data and ownership
 *
 * The NPU has regions and no address space, so device addresses are names: a BO has a range of
 * them, by which the areas of a job find it. A job names its areas in a table (backend.h) that the
 * runtime writes and only the winsys reads. An area may begin anywhere in a BO.
 *
 * A link is a stream of the runtime for areas in given places: its words with the places added, in
 * the kernel. Runs of a variant have the same places, so a link is made once, and kept by the BO of
 * the stream. An argument is direct only at the beginning of a BO, else each offset would be one
 * more link.
 *
 * A job has a marker behind its last command (backend/ethosu/marker.h), which goes to its report.
 *
 * A BO that is imported is memory of this process alone: arguments in it are staged.
 *
 * @lock guards BOs, links and spare fences, and is not held over a wait.
 */
#ifndef NNA_WINSYS_ETHOSU_DEVICE_H
#define NNA_WINSYS_ETHOSU_DEVICE_H

#include <pthread.h>

#include "libnnaccel/winsys/ethosu/npu.h"
#include "libnnaccel/winsys/winsys.h"

struct nna_ethosu_link;
struct nna_va;

/**
 * struct nna_ethosu_bo - a BO
 * @base: the part that users of the winsys see
 * @buffer: its memory; handle 0 for one that is imported
 * @va_size: bytes of addresses that it has
 * @links: of streams that lie in it
 */
struct nna_ethosu_bo {
	struct nna_winsys_bo base;
	struct nna_ethosu_buffer buffer;
	uint64_t va_size;
	struct nna_ethosu_link *links;
};

/**
 * struct nna_ethosu_fence - the end of a job
 * @end: of the NPU; -1 without a job
 * @next: of the spare ones
 */
struct nna_ethosu_fence {
	struct nna_fence base;
	int end;
	struct nna_ethosu_fence *next;
};

/**
 * struct nna_ethosu_queue - a queue
 * @cancelled: takes no jobs any more
 */
struct nna_ethosu_queue {
	atomic_bool cancelled;
};

/**
 * struct nna_ethosu_device - an open device
 * @base: the winsys
 * @npu: owned
 * @va: device addresses
 * @bos: @bo_count of them, by address; room for @bo_room
 * @spare: fences without references
 */
struct nna_ethosu_device {
	struct nna_winsys base;
	struct nna_ethosu_npu *npu;
	pthread_mutex_t lock;
	struct nna_va *va;
	struct nna_ethosu_bo **bos;
	uint32_t bo_count, bo_room;
	struct nna_ethosu_fence *spare;
};

static inline struct nna_ethosu_device *to_ethosu(struct nna_winsys *ws)
{
	return (struct nna_ethosu_device *)ws;
}

/* Makes the winsys of @npu, which it owns, also after a failure. */
int nna_ethosu_device_create(struct nna_ethosu_npu *npu, const struct nna_device_options *options,
			     struct nna_winsys **out);

/* Gives a BO an address. Under @lock. Return: 0 or -ENOMEM. */
int nna_ethosu_bo_insert(struct nna_ethosu_device *device, struct nna_ethosu_bo *bo);
void nna_ethosu_bo_remove(struct nna_ethosu_device *device, const struct nna_ethosu_bo *bo);
/* The BO at a device address; NULL where there is none. Under @lock. */
struct nna_ethosu_bo *nna_ethosu_bo_find(const struct nna_ethosu_device *device, uint64_t va);

/**
 * nna_ethosu_link_get() - the NPU's job for a job of the runtime
 * @written: the region that the marker is written to
 *
 * Under @lock. Return: 0, -EINVAL (a job whose areas are in no BO, or a stream that the driver
 * refuses), or another negative errno.
 */
int nna_ethosu_link_get(struct nna_ethosu_device *device, const struct nna_job *what,
			struct nna_ethosu_job *job, uint32_t *written);
/* Gives up the links of a BO. */
void nna_ethosu_links_destroy(struct nna_ethosu_device *device, struct nna_ethosu_bo *bo);

/* As the functions of struct nna_winsys_ops. */
int nna_ethosu_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			 struct nna_winsys_bo **out);
int nna_ethosu_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out);
int nna_ethosu_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *bo);
void nna_ethosu_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *bo);
bool nna_ethosu_bo_is_direct(struct nna_winsys *ws, const struct nna_winsys_bo *bo,
			     uint64_t offset);
int nna_ethosu_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			    struct nna_winsys_queue **out);
void nna_ethosu_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue);
void nna_ethosu_queue_cancel(struct nna_winsys *ws, struct nna_winsys_queue *queue);
int nna_ethosu_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *queue,
			    const struct nna_winsys_job *job, struct nna_fence **out);
int nna_ethosu_fence_wait(struct nna_winsys *ws, struct nna_fence *fence, int64_t deadline_ns);
int nna_ethosu_fence_status(struct nna_winsys *ws, struct nna_fence *fence);
int nna_ethosu_fence_poll(struct nna_winsys *ws, struct nna_fence *fence);
int nna_ethosu_fence_export(struct nna_winsys *ws, struct nna_fence *fence);
void nna_ethosu_fence_release(struct nna_winsys *ws, struct nna_fence *fence);
void nna_ethosu_fences_free(struct nna_ethosu_device *device);

#endif

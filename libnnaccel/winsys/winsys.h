/* SPDX-License-Identifier: MIT */
/*
 * The winsys: how the library reaches a device. drm.c speaks to nna.ko, loopback.c to a model in
 * this process.
 *
 * Data and ownership
 *
 * A winsys is one open device with one address space; all BOs are mapped into it when they are
 * made, so a BO is a VA. A queue is a context with a priority; its jobs run in order. A fence is
 * the end of one job. The creator destroys; destroying a BO or queue that jobs still use is safe
 * (the memory goes when they have ended).
 *
 * Thread-safety: all functions, from any thread; one object is destroyed once. Errors are negative
 * errno.
 */
#ifndef NNA_WINSYS_H
#define NNA_WINSYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnaccel.h"

struct nna_winsys;
struct nna_winsys_queue;
struct nna_winsys_fence;

/**
 * struct nna_winsys_bo - memory that device and process see
 * @va: device address, at least 4 KiB aligned (2 MiB for BOs of 2 MiB and more)
 * @size: bytes, a multiple of 4 KiB
 * @map: address in this process, page aligned, for the BO's life
 *
 * Backends embed it.
 */
struct nna_winsys_bo {
	uint64_t va;
	uint64_t size;
	void *map;
};

enum nna_winsys_bo_flags {
	NNA_WINSYS_BO_DEVICE_READ_ONLY = 1, /* programs and constants: a write faults */
	NNA_WINSYS_BO_SHAREABLE = 2, /* bo_export() will be called; DRM: any BO can be exported */
};

/**
 * struct nna_winsys_job - one run of a stream; fields as in the hardware's ring entry
 * @deadline_ns: absolute CLOCK_MONOTONIC, 0 none
 * @duration_ns: from when all in-fences have signalled, 0 none
 * @budget_ns: run time, 0 is the job limit
 * @loop_limit_ns: 0 is the job limit
 * @fence_fds: in-fences, @fence_count sync_file fds (loopback: pollable fds)
 * @want_fd: the fence will be exported: make it so in the same submission
 */
struct nna_winsys_job {
	uint64_t stream_va;
	uint32_t stream_size;
	uint32_t start;
	uint64_t base_table_va;
	uint32_t slot_count;
	uint64_t report_va;
	uint64_t deadline_ns;
	uint64_t duration_ns;
	uint64_t budget_ns;
	uint64_t loop_limit_ns;
	const int *fence_fds;
	uint32_t fence_count;
	bool want_fd;
};

struct nna_winsys_ops {
	void (*destroy)(struct nna_winsys *ws);
	void (*get_info)(struct nna_winsys *ws, struct nna_device_info *info);
	/* Device tick -> CLOCK_MONOTONIC ns of this machine. */
	uint64_t (*tick_to_ns)(struct nna_winsys *ws, uint64_t tick);

	int (*bo_create)(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			 struct nna_winsys_bo **out);
	/*
	 * Zeroed at creation. Import: dma-buf (loopback: a memfd of at least @size bytes); the fd
	 * stays the caller's.
	 */
	int (*bo_import)(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out);
	int (*bo_export)(struct nna_winsys *ws, struct nna_winsys_bo *bo); /* Return: a new fd */
	void (*bo_destroy)(struct nna_winsys *ws, struct nna_winsys_bo *bo);

	int (*queue_create)(struct nna_winsys *ws, enum nna_priority priority,
			    struct nna_winsys_queue **out);
	void (*queue_destroy)(struct nna_winsys *ws, struct nna_winsys_queue *queue);
	/*
	 * Never waits for a fence or for the job. -ECANCELED: the queue is banned, make a new one.
	 */
	int (*queue_submit)(struct nna_winsys *ws, struct nna_winsys_queue *queue,
			    const struct nna_winsys_job *job, struct nna_winsys_fence **out);

	/*
	 * @deadline_ns: absolute CLOCK_MONOTONIC, INT64_MAX for ever. Return: 0, -ETIME (not yet),
	 * the job's error.
	 */
	int (*fence_wait)(struct nna_winsys *ws, struct nna_winsys_fence *fence,
			  int64_t deadline_ns);
	/* new fd or -ENOTSUP */
	int (*fence_export)(struct nna_winsys *ws, struct nna_winsys_fence *fence);
	void (*fence_destroy)(struct nna_winsys *ws, struct nna_winsys_fence *fence);
};

/* Backends embed it as their first member. */
struct nna_winsys {
	const struct nna_winsys_ops *ops;
	struct nna_log log;
};

/* Makes the loopback. */
int nna_winsys_loopback_create(const struct nna_device_options *options, struct nna_winsys **out);
/*
 * Opens a DRM node; @path NULL takes the first node of the nna driver (-ENOENT when there is none).
 */
int nna_winsys_drm_create(const char *path, const struct nna_device_options *options,
			  struct nna_winsys **out);

#endif

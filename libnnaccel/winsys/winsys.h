/* SPDX-License-Identifier: MIT */
/*
 * The winsys: how the library reaches a device. There are two backends of one table of operations:
 *
 *	table.c    the table of backends
 *	winsys.c   which of them opens a device
 *	drm/       speaks to nna.ko
 *	loopback/  has the model of the device in this process
 *	none/      compiles for a backend, and has no device
 *	plugin.c   loads loopback/ from a file of its own, for the shared libraries
 *	job.h      a job for the NNA, which the winsys passes on
 *	fence.h    the end of a run
 *	va.h       the allocator of device addresses
 *
 * Data and ownership
 *
 * A winsys is one open device with one address space. A BO is mapped there when it is created and
 * keeps its address for life. A queue is a context with a priority, whose jobs run in the order of
 * submission. A fence is the end of one job, and reference-counted (fence.h). The creator of an
 * object destroys it, and the winsys last. A BO or a queue may be destroyed while jobs use it: its
 * memory goes when they have ended.
 *
 * A job is opaque here. A struct nna_job (job.h) describes it, which only the runtime and the
 * backend read. The device writes the result of the job to a report, which only the runtime reads.
 * The fence signals that the job has ended; its status is needed only for a job without a report.
 *
 * System calls of a run (DRM, and nothing had to be made for it; tests/calls/check counts them)
 *
 *	every job			SUBMIT, SYNCOBJ_WAIT; a run that yields has several jobs
 *	each in-fence			SYNCOBJ_FD_TO_HANDLE
 *	each of 128 or more		SYNC_IOC_MERGE or fcntl, SYNC_IOC_FILE_INFO, close; and a
 *					SYNCOBJ_FD_TO_HANDLE for each of the 127 that they become
 *	each fence_export()		SYNCOBJ_HANDLE_TO_FD
 *	a job without a report		SYNCOBJ_HANDLE_TO_FD, SYNC_IOC_FILE_INFO, close
 *	a job that failed		CTX_DESTROY, and CTX_CREATE before the next one
 *	tick_to_ns()			DEV_QUERY, when the last one is older than a second
 *
 *	a run that waits in the library	SYNCOBJ_HANDLE_TO_FD, SYNC_IOC_FILE_INFO for its job and for
 *					each in-fence, whose SYNCOBJ_FD_TO_HANDLE it does without
 *
 * For dependent runs (runtime/dependent.c) the waiter polls and is woken by further system calls,
 * fewer per run the more of them wait at a time.
 *
 * Thread-safety: any function may be called from any thread at any time, but destroying an object
 * is the last use of it. Functions that return int return a negative errno on failure.
 */
#ifndef NNA_WINSYS_H
#define NNA_WINSYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libnnaccel/support/account.h"
#include "libnnaccel/winsys/fence.h"
#include "nnaccel.h"

struct nna_winsys;
struct nna_winsys_queue;
struct nna_job;

/**
 * struct nna_winsys_bo - memory that device and process see
 * @va: device address, at least 4 KiB aligned (2 MiB for BOs of 2 MiB and more)
 * @size: bytes, a multiple of 4 KiB
 * @map: address in this process, page aligned, for the BO's life
 *
 * Backends embed it as their first member.
 */
struct nna_winsys_bo {
	uint64_t va;
	uint64_t size;
	void *map;
};

/**
 * enum nna_winsys_bo_flags - how a BO will be used
 * @NNA_WINSYS_BO_DEVICE_READ_ONLY: programs and constants; a job that writes there faults
 * @NNA_WINSYS_BO_SHAREABLE: bo_export() will be called; without it bo_export() may fail
 */
enum nna_winsys_bo_flags {
	NNA_WINSYS_BO_DEVICE_READ_ONLY = 1,
	NNA_WINSYS_BO_SHAREABLE = 2,
};

/**
 * struct nna_winsys_job - a submission to a queue
 * @job: the job for the device. Read during the submission, and only by the backend.
 * @deadline_ns: when the job must have ended, absolute CLOCK_MONOTONIC; 0: no deadline
 * @duration_ns: how long it may take from when all in-fences have signalled; 0: no limit
 * @fence_fds: in-fences: sync_files (loopback: any fds that can be polled). They stay the caller's.
 * @fence_count: their number
 * @waited: the submitting thread waits for the job's end next, by fence_wait()
 */
struct nna_winsys_job {
	const struct nna_job *job;
	uint64_t deadline_ns;
	uint64_t duration_ns;
	const int *fence_fds;
	uint32_t fence_count;
	bool waited;
};

/**
 * struct nna_winsys_ops - the functions of a backend
 * @destroy: closes the device, after everything else has been destroyed. Jobs that still run come
 *	to an end (DRM) or are dropped (loopback).
 * @get_info: gives the properties of the device
 * @check: returns -ENODEV when the device is gone for good, else 0
 * @tick_to_ns: converts a time of the device, as in reports, to CLOCK_MONOTONIC in ns
 * @bo_create: makes a BO of @size bytes, rounded up to pages, that is all zero. @flags are of enum
 *	nna_winsys_bo_flags.
 * @bo_import: makes a BO of the first @size bytes of a memfd or, with DRM, of a dma-buf. The fd
 *	stays the caller's. -EINVAL: too small; -ENOTSUP (loopback): no memfd that can be written.
 * @bo_export: returns a new fd for a BO, or -ENOTSUP
 * @bo_destroy: gives a BO up; NULL is allowed
 * @bo_is_direct: true if a job can work on an input or output that begins at byte @offset of a
 *	BO; else it is staged. NULL: it can at device addresses that are multiples of 64
 * @queue_create: makes a queue. -EMFILE: the device has no more of them for this process.
 * @queue_destroy: gives a queue up; NULL is allowed
 * @queue_cancel: bans a queue and ends its jobs: jobs that still wait, also for in-fences, end with
 *	an error at once. A job that the device has is aborted (DRM) or ends by itself (loopback).
 *	Does not wait for any of them. No other thread may submit to the queue meanwhile.
 * @queue_submit: appends a job and returns its fence, a reference. Waits neither for in-fences nor
 *	for the job. -ECANCELED: the queue is banned, because an earlier job has faulted or the
 *	queue was cancelled; create a new one.
 * @fence_wait: waits for the job's end, until @deadline_ns (absolute CLOCK_MONOTONIC, INT64_MAX for
 *	ever). Returns 0 when it has ended, with an error or without; -ETIME when it has not; or why
 *	the wait failed.
 * @fence_status: returns the result of a job for which fence_wait() has returned 0: 0 or a negative
 *	errno. It costs more than reading a report, so it is used for jobs without one.
 * @fence_poll: sets @event of the fence to an fd that polls readable when the job has ended. Called
 *	once while there are references, under the fence's @lock.
 * @fence_export: returns a new sync_file fd, or -ENOTSUP
 * @fence_release: takes back a fence without references, for nna_fence_put()
 */
struct nna_winsys_ops {
	void (*destroy)(struct nna_winsys *ws);
	void (*get_info)(struct nna_winsys *ws, struct nna_device_info *info);
	int (*check)(struct nna_winsys *ws);
	uint64_t (*tick_to_ns)(struct nna_winsys *ws, uint64_t tick);

	int (*bo_create)(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			 struct nna_winsys_bo **out);
	int (*bo_import)(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out);
	int (*bo_export)(struct nna_winsys *ws, struct nna_winsys_bo *bo);
	void (*bo_destroy)(struct nna_winsys *ws, struct nna_winsys_bo *bo);
	bool (*bo_is_direct)(struct nna_winsys *ws, const struct nna_winsys_bo *bo,
			     uint64_t offset);

	int (*queue_create)(struct nna_winsys *ws, enum nna_priority priority,
			    struct nna_winsys_queue **out);
	void (*queue_destroy)(struct nna_winsys *ws, struct nna_winsys_queue *queue);
	void (*queue_cancel)(struct nna_winsys *ws, struct nna_winsys_queue *queue);
	int (*queue_submit)(struct nna_winsys *ws, struct nna_winsys_queue *queue,
			    const struct nna_winsys_job *job, struct nna_fence **out);

	int (*fence_wait)(struct nna_winsys *ws, struct nna_fence *fence, int64_t deadline_ns);
	int (*fence_status)(struct nna_winsys *ws, struct nna_fence *fence);
	int (*fence_poll)(struct nna_winsys *ws, struct nna_fence *fence);
	int (*fence_export)(struct nna_winsys *ws, struct nna_fence *fence);
	void (*fence_release)(struct nna_winsys *ws, struct nna_fence *fence);
};

/**
 * struct nna_winsys - an open device
 * @ops: its backend
 * @accelerator: the kind of accelerator that the device is: the name of a struct nna_backend
 * @configuration: of that kind, a number of the backend's; 0 where there is only one
 * @tick_hz: frequency of the clock that reports count in
 * @profiles: jobs may have a profile
 * @compiles_only: it has no queues, so that nothing runs: constants are not folded
 * @slice_ns: run time after which a job yields that is a part of a run; 0: the device has no such
 *	jobs, and a run that takes longer than the job limit fails
 * @work_limit: work of a stream that ends within a slice for certain; 0: not known
 * @log: where the backend writes messages
 * @account: to which BOs are charged; nna_winsys_open() sets it
 *
 * Backends embed it as their first member.
 */
struct nna_winsys {
	const struct nna_winsys_ops *ops;
	const char *accelerator;
	uint32_t configuration;
	uint64_t tick_hz;
	bool profiles, compiles_only;
	uint64_t slice_ns, work_limit;
	struct nna_log log;
	struct nna_account account;
};

/*
 * Sets @slice_ns and @work_limit for a device that has slices, from its job limit and the work that
 * it does in a second. Inline, since the plug-in calls it.
 */
static inline void nna_winsys_set_limits(struct nna_winsys *ws, uint64_t job_limit_ns,
					 uint64_t work_rate)
{
	/* The other half is for the command in which the slice is used up. */
	const uint64_t slice_ns = job_limit_ns / 2;
	const unsigned __int128 work = (unsigned __int128)work_rate * slice_ns / 1000000000u;

	ws->slice_ns = slice_ns;
	ws->work_limit = work > UINT64_MAX ? UINT64_MAX : (uint64_t)work;
}

/**
 * struct nna_winsys_backend - a backend, a row of the table
 * @name: the name of its one device, as nna_device_open() takes it, or with a dash at its end what
 *	names of its devices begin with; NULL: its devices have paths
 * @open: opens the device @path, or the first one if @path is NULL; @options may be NULL. Returns 0
 *	or a negative errno, -ENOENT if there is no such device, -ENODEV if it is of another kind.
 * @find: as nna_winsys_find() for the devices of this backend; NULL: it has the one of @name
 */
struct nna_winsys_backend {
	const char *name;
	int (*open)(const char *path, const struct nna_device_options *options,
		    struct nna_winsys **out);
	int (*find)(uint32_t index, char *path, size_t size);
};

/* All backends, up to a row without @open (table.c). */
extern const struct nna_winsys_backend nna_winsys_backends[];

/*
 * Opens a device by the name that nna_device_open() takes. Return: 0 or a negative errno, of those
 * that it states.
 */
int nna_winsys_open(const char *name, const struct nna_device_options *options,
		    struct nna_winsys **out);

/*
 * Writes the path of device @index, of all that have one, to @path with room for @size bytes.
 * Return: 0, -ENOENT if there are not that many, -ENOSPC without room.
 */
int nna_winsys_find(uint32_t index, char *path, size_t size);

/*
 * The same as the operations of @ws, with the BO's bytes charged to its account for its life; so
 * the runtime calls these. -ENOMEM: the account refuses, too.
 */
int nna_winsys_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			 struct nna_winsys_bo **out);
int nna_winsys_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out);
/* NULL is allowed. */
void nna_winsys_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *bo);

/* The backends' @open and @find: */

/* Devices are nodes of the nna driver. -ENODEV: @path is another driver's. */
int nna_winsys_drm_create(const char *path, const struct nna_device_options *options,
			  struct nna_winsys **out);
int nna_winsys_drm_find(uint32_t index, char *path, size_t size);
/*
 * There is one device, and @path is ignored. In a shared library it comes from the plug-in
 * (plugin.h), else from loopback/. -ELIBACC: there is no plug-in; -ELIBBAD: not this library's.
 */
int nna_winsys_loopback_create(const char *path, const struct nna_device_options *options,
			       struct nna_winsys **out);
/* Devices are nodes of the kernel's driver for Ethos-U. */
int nna_winsys_ethosu_create(const char *path, const struct nna_device_options *options,
			     struct nna_winsys **out);
int nna_winsys_ethosu_find(uint32_t index, char *path, size_t size);
/*
 * A device is the model of an Ethos-U in this process, and @path its name, as "ethos-u65-256". It
 * comes from the plug-in, as the loopback does.
 */
int nna_winsys_model_create(const char *path, const struct nna_device_options *options,
			    struct nna_winsys **out);
/*
 * A device is a backend alone, and @path "backend-" with the name of the backend or of one of its
 * configurations, as "backend-ethos-u65-256".
 */
int nna_winsys_none_create(const char *path, const struct nna_device_options *options,
			   struct nna_winsys **out);

#endif

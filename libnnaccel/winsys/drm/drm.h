/* SPDX-License-Identifier: MIT */
/*
 * The DRM backend: nna.ko through its ioctls, and the syncobj ioctls of the DRM core.
 *
 *	device.c  opens and closes, answers what the device is, tells its time
 *	node.c    finds the device node
 *	vm.c      device addresses of BOs, and their mappings
 *	gem.c     GEM handles, which several BOs may share
 *	bo.c      BOs: create, import, export
 *	sync.c    syncobjs: the spare ones, and those of jobs that have not ended
 *	queue.c   contexts, and submission to them
 *	fence.c   how a job ended
 *	zombie.c  BOs and queues that were destroyed while jobs used them
 *
 * Data and ownership
 *
 * A struct nna_drm is one open file with one VM in it, and is its opener's. What it gives out (BOs,
 * queues, fences) is the caller's until destroyed; the struct nna_drm goes last.
 *
 * A BO is a GEM handle that is bound for as long as it lives. The kernel gives the same handle when
 * a dma-buf is imported twice, so handles are reference-counted. A queue is a context of the
 * kernel. A fence holds a reference on the syncobj that its job signals. Syncobjs are never given
 * back to the kernel before the end: without references they are spare, for the next job.
 *
 * The outstanding list has the syncobj of every job that is not known to have ended. The kernel
 * would unmap a BO and drop the jobs of a context at once. So a BO or queue that is destroyed while
 * there are outstanding jobs becomes a zombie: it holds references on all their syncobjs and is
 * freed when they have signalled, which whoever creates a BO, destroys something or waits next
 * finds out.
 *
 * Locks
 *
 * @lock of struct nna_drm guards all its lists, reference counts and the VM's addresses. Submission
 * holds it too, so that jobs of a queue are in the order of the calls. Waiting for a job is done
 * without it, except where memory is too short to wait later. @lock of a fence guards the fence's
 * status; @clock_lock guards @clock. No lock is taken while another one is held.
 */
#ifndef NNA_WINSYS_DRM_H
#define NNA_WINSYS_DRM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/nna_accel.h>

#include "libnnaccel/winsys/va.h"
#include "libnnaccel/winsys/winsys.h"

/**
 * struct nna_drm_gem - a GEM handle
 * @next: the next of nna_drm.gems
 * @handle: the kernel's name of it
 * @references: BOs that have it; the handle is closed with the last one
 */
struct nna_drm_gem {
	struct nna_drm_gem *next;
	uint32_t handle;
	uint32_t references;
};

/**
 * struct nna_drm_bo - a BO
 * @base: what users of the winsys see
 * @gem: its handle, a reference; NULL until there is one
 * @va_size: bytes of addresses that it has taken, from @base.va on; 0 until it has some
 */
struct nna_drm_bo {
	struct nna_winsys_bo base;
	struct nna_drm_gem *gem;
	uint64_t va_size;
};

/**
 * struct nna_drm_queue - a queue
 * @ctx_id: the kernel's name of the context
 */
struct nna_drm_queue {
	uint32_t ctx_id;
};

/**
 * struct nna_drm_sync - a syncobj
 * @next: the next spare one, or the next outstanding one in the order of submission
 * @handle: the kernel's name of it
 * @references: of the submission under way, the outstanding list, the fence and zombies
 * @signalled: it is known to have signalled, which saves asking again
 */
struct nna_drm_sync {
	struct nna_drm_sync *next;
	uint32_t handle;
	uint32_t references;
	bool signalled;
};

/**
 * struct nna_drm_fence - the end of one job
 * @sync: what the job signals, a reference
 * @lock: guards @done and @status
 * @done: the job has ended, and @status says how
 * @status: 0 or a negative errno
 */
struct nna_drm_fence {
	struct nna_drm_sync *sync;
	pthread_mutex_t lock;
	bool done;
	int status;
};

/**
 * struct nna_drm_zombie - a BO or a queue that was destroyed while jobs were outstanding
 * @next: the next of nna_drm.zombies
 * @bo: the BO, or NULL
 * @queue: the queue, or NULL
 * @count: length of @syncs
 * @syncs: references on the syncobjs of the jobs that have not ended yet
 */
struct nna_drm_zombie {
	struct nna_drm_zombie *next;
	struct nna_drm_bo *bo;
	struct nna_drm_queue *queue;
	uint32_t count;
	struct nna_drm_sync *syncs[];
};

/**
 * struct nna_drm - an open device
 * @base: what users of the winsys see
 * @fd: the device node; -1 until it is open
 * @path: its path, or the beginning of it
 * @driver: name and version of the kernel's driver
 * @vm_id: the kernel's name of the VM
 * @hw: what the driver says about the device
 * @lock: guards all from @gems to @zombies
 * @gems: all handles
 * @small_va: addresses for BOs below NNA_VA_LARGE_PAGE
 * @large_va: addresses for the others
 * @spare: syncobjs without references
 * @outstanding: syncobjs of jobs that are not known to have ended, the oldest first
 * @outstanding_end: where the next one is linked
 * @outstanding_count: their number
 * @zombies: BOs and queues that wait for jobs to end
 * @clock_lock: guards @clock
 * @clock: a device tick and the CLOCK_MONOTONIC time at which it was read
 */
struct nna_drm {
	struct nna_winsys base;
	int fd;
	char path[64];
	char driver[32];
	uint32_t vm_id;
	struct drm_nna_hw_info hw;

	pthread_mutex_t lock;
	struct nna_drm_gem *gems;
	struct nna_va *small_va, *large_va;
	struct nna_drm_sync *spare;
	struct nna_drm_sync *outstanding, **outstanding_end;
	uint32_t outstanding_count;
	struct nna_drm_zombie *zombies;

	pthread_mutex_t clock_lock;
	struct drm_nna_timestamp clock;
};

static inline struct nna_drm *to_nna_drm(struct nna_winsys *ws)
{
	return (struct nna_drm *)ws;
}

/* Return: 0 or a negative errno. */
int nna_drm_ioctl(int fd, unsigned long request, void *arg);

/*
 * Opens a node if the nna driver serves it, and writes the driver's name and version to @driver.
 * Return: an fd, -ENODEV (another driver's node), or a negative errno.
 */
int nna_drm_node_open(const char *path, char *driver, size_t size);
/*
 * Opens the node of the lowest number that the nna driver serves, and writes its path to @path.
 * Return: an fd, -ENOENT (there is none), or why one that is there could not be opened.
 */
int nna_drm_node_find(char *path, size_t path_size, char *driver, size_t driver_size);

/*
 * The functions from here to the operations of the winsys are called with @lock held, except where
 * it says so.
 */

/* Before anybody else knows @drm. Also after a failure nna_drm_vm_fini() is to be called. */
int nna_drm_vm_init(struct nna_drm *drm);
/* The last function of all on @drm, without @lock. */
void nna_drm_vm_fini(struct nna_drm *drm);
/*
 * Takes addresses for a BO that has a handle and a size, and binds it there. @flags are of enum
 * nna_winsys_bo_flags. After a failure the addresses may still be taken: nna_drm_bo_free() gives
 * them back.
 */
int nna_drm_vm_map(struct nna_drm *drm, struct nna_drm_bo *bo, uint32_t flags);
/* Unbinds a BO if it is @bound, and gives its addresses back, if it has any. */
void nna_drm_vm_unmap(struct nna_drm *drm, struct nna_drm_bo *bo, bool bound);

/*
 * Takes over a handle that the kernel has just returned, and closes it on failure. Return: a
 * reference, or NULL without memory.
 */
struct nna_drm_gem *nna_drm_gem_get(struct nna_drm *drm, uint32_t handle);
void nna_drm_gem_put(struct nna_drm *drm, struct nna_drm_gem *gem);

/* Frees a BO, or what there is of one that could not be completed; @bound: it is in the VM. */
void nna_drm_bo_free(struct nna_drm *drm, struct nna_drm_bo *bo, bool bound);
/* Destroys the context. */
void nna_drm_queue_free(struct nna_drm *drm, struct nna_drm_queue *queue);

/* Return: a reference on a syncobj that nobody else has; NULL without memory. */
struct nna_drm_sync *nna_drm_sync_get(struct nna_drm *drm);
void nna_drm_sync_put(struct nna_drm *drm, struct nna_drm_sync *sync);
bool nna_drm_sync_has_signalled(struct nna_drm *drm, struct nna_drm_sync *sync);
/* Appends what a submitted job signals, with a reference of the list's own. */
void nna_drm_outstanding_add(struct nna_drm *drm, struct nna_drm_sync *sync);
/* Takes jobs that have ended off the list. */
void nna_drm_outstanding_prune(struct nna_drm *drm);

/* Frees the BO or the queue, one of which is NULL: now, or when all outstanding jobs have ended. */
void nna_drm_zombie_retire(struct nna_drm *drm, struct nna_drm_bo *bo, struct nna_drm_queue *queue);
/* Frees the zombies whose jobs have ended. */
void nna_drm_zombie_reap(struct nna_drm *drm);
/* Frees a zombie that is on no list, and its BO or queue. */
void nna_drm_zombie_free(struct nna_drm *drm, struct nna_drm_zombie *zombie);

/* Operations of the winsys: winsys.h describes them. They take @lock themselves. */
int nna_drm_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
		      struct nna_winsys_bo **out);
int nna_drm_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out);
int nna_drm_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *base);
void nna_drm_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *base);
int nna_drm_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			 struct nna_winsys_queue **out);
void nna_drm_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue);
int nna_drm_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *base,
			 const struct nna_winsys_job *job, struct nna_winsys_fence **out);
int nna_drm_fence_wait(struct nna_winsys *ws, struct nna_winsys_fence *base, int64_t deadline_ns);
int nna_drm_fence_export(struct nna_winsys *ws, struct nna_winsys_fence *base);
void nna_drm_fence_destroy(struct nna_winsys *ws, struct nna_winsys_fence *base);

#endif

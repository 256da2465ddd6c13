/* SPDX-License-Identifier: MIT */
/*
 * The DRM backend: nna.ko through its ioctls, and the syncobj ioctls of the DRM core.
 *
 *	device.c     opens and closes, properties of the device, its clock
 *	node.c       finds the device node
 *	vm.c         device addresses of BOs, and their mappings
 *	gem.c        GEM handles, which several BOs may share
 *	bo.c         BOs: create, import, export
 *	queue.c      contexts, and submission to them
 *	sync_file.c  more in-fences than a submission takes
 *	fence.c      waiting for a job's end, and how it ended
 *	syncobj.c    syncobjs: the spare ones, and those of jobs that have not ended
 *	zombie.c     BOs and queues that were destroyed while jobs used them
 *
 * Data and ownership
 *
 * A struct nna_drm is one open file with one VM. Its opener owns it, and destroys it after all BOs,
 * queues and fences that it has created there.
 *
 * A BO is a GEM handle that is bound for as long as it lives. The kernel gives the same handle when
 * a dma-buf is imported twice, so handles are reference-counted. A queue is a context of the
 * kernel. A fence is the syncobj that a job signals. Without references it is spare: the next job,
 * or an in-fence during a submission, uses it. Syncobjs are destroyed only when the device is
 * closed.
 *
 * A fence is outstanding while its job is not known to have ended; the list of outstanding fences
 * has a reference to each. A fence enters the list before its job is submitted, and gets a ticket;
 * tickets grow. The kernel unmaps a destroyed BO and drops the jobs of a destroyed context at once.
 * So a BO or queue that is destroyed while jobs are outstanding becomes a zombie, with the ticket
 * of the next job. It is freed when no job with a smaller ticket is outstanding. The next call that
 * creates a BO, destroys an object or waits checks this.
 *
 * Locks
 *
 * @lock of struct nna_drm guards all its lists, the reference counts of handles, and the VM's
 * addresses; @clock_lock guards @clock. Neither is held over a system call that may take long:
 * SUBMIT, VM_BIND, imports, mmap, waits. (Syncobjs are created and handles are closed under @lock.)
 * Jobs that several threads submit to one queue at the same time run in any order.
 */
#ifndef NNA_WINSYS_DRM_H
#define NNA_WINSYS_DRM_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/nna_accel.h>
#include <xf86drm.h>

#include "libnnaccel/winsys/job.h"
#include "libnnaccel/winsys/va.h"
#include "libnnaccel/winsys/winsys.h"

struct nna_drm;

/**
 * struct nna_drm_gem - a GEM handle
 * @next: the next of nna_drm.gems
 * @handle: the kernel's name of it
 * @references: BOs that have it; the handle is closed without any
 */
struct nna_drm_gem {
	struct nna_drm_gem *next;
	uint32_t handle;
	uint32_t references;
};

/**
 * struct nna_drm_zombie - the part of a BO or queue that waits until jobs have ended
 * @next: the next of nna_drm.zombies
 * @ticket: jobs with smaller tickets may still use it
 * @free: frees the BO or queue, without @lock; set when it is made
 */
struct nna_drm_zombie {
	struct nna_drm_zombie *next;
	uint64_t ticket;
	void (*free)(struct nna_drm *drm, struct nna_drm_zombie *zombie);
};

/* The struct whose member @zombie this is. */
#define nna_drm_zombie_owner(ptr, type) ((type *)((char *)(ptr) - offsetof(type, zombie)))

/**
 * struct nna_drm_bo - a BO
 * @base: the part that users of the winsys see
 * @zombie: for when it is destroyed
 * @gem: its handle, a reference; NULL until there is one
 * @va_size: bytes of addresses that it has taken, from @base.va on; 0 until it has some
 */
struct nna_drm_bo {
	struct nna_winsys_bo base;
	struct nna_drm_zombie zombie;
	struct nna_drm_gem *gem;
	uint64_t va_size;
};

/**
 * struct nna_drm_queue - a queue
 * @zombie: for when it is destroyed
 * @ctx_id: the kernel's name of the context
 * @cancelled: there is no context any more; written when no thread submits
 */
struct nna_drm_queue {
	struct nna_drm_zombie zombie;
	uint32_t ctx_id;
	bool cancelled;
};

/**
 * struct nna_drm_fence - the end of a job: a syncobj
 * @base: the part that users of the winsys see
 * @handle: the kernel's name of it; constant
 * @ticket: numbers the jobs in the order of submission
 * @outstanding: it is in that list
 * @submitted: of an outstanding one: the syncobj has the job's fence
 * @older: the outstanding one before
 * @newer: the outstanding one after, or the next spare one
 */
struct nna_drm_fence {
	struct nna_fence base;
	uint32_t handle;
	uint64_t ticket;
	bool outstanding, submitted;
	struct nna_drm_fence *older, *newer;
};

/* A submission asks which jobs have ended only when at least this many are outstanding. */
#define NNA_DRM_POLL_MIN 64u

/**
 * struct nna_drm - an open device
 * @base: the part that users of the winsys see
 * @fd: the device node; -1 until it is open
 * @path: its path, or the beginning of it
 * @driver: name and version of the kernel's driver
 * @vm_id: the kernel's name of the VM
 * @hw: the driver's information about the device
 * @lock: guards all from @gems to @zombies
 * @gems: all handles
 * @small_va: addresses for BOs below NNA_VA_LARGE_PAGE
 * @large_va: addresses for the others
 * @imports: imports that are under way
 * @spare: fences without references
 * @oldest: the outstanding job with the smallest ticket
 * @newest: the one with the largest
 * @outstanding_count: their number
 * @poll_at: number of outstanding jobs from which on a submission asks which ones have ended
 * @next_ticket: of the next job
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
	uint32_t imports;
	struct nna_drm_fence *spare;
	struct nna_drm_fence *oldest, *newest;
	uint32_t outstanding_count, poll_at;
	uint64_t next_ticket;
	struct nna_drm_zombie *zombies;

	pthread_mutex_t clock_lock;
	struct drm_nna_timestamp clock;
};

static inline struct nna_drm *to_nna_drm(struct nna_winsys *ws)
{
	return (struct nna_drm *)ws;
}

/* Calls the driver. Return: 0 or a negative errno. */
static inline int nna_drm_ioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

/*
 * Opens a node if a driver with nna's kernel ABI serves it, and writes the driver's name and
 * version to @driver. *@accelerator: the kind of accelerator. Return: an fd, -ENODEV (another
 * driver's node), or a negative errno.
 */
int nna_drm_node_open(const char *path, char *driver, size_t size, const char **accelerator);
/*
 * Opens node @index, from 0, of those that such drivers serve and that can be opened: accel nodes
 * before render nodes, and each kind by number. Writes its path to @path. Return: an fd, -ENOENT
 * (there are not that many), or why one that is there could not be opened.
 */
int nna_drm_node_find(uint32_t index, char *path, size_t path_size, char *driver,
		      size_t driver_size, const char **accelerator);

/*
 * Called before other threads know @drm. The caller calls nna_drm_vm_fini() also after a failure.
 */
int nna_drm_vm_init(struct nna_drm *drm);
/* Must be the last call that uses @drm. */
void nna_drm_vm_fini(struct nna_drm *drm);
/*
 * Takes addresses for a BO that has a handle and a size, and binds it there. @flags are of enum
 * nna_winsys_bo_flags. After a failure the addresses may still be taken: nna_drm_vm_unmap() gives
 * them back. Takes @lock.
 */
int nna_drm_vm_map(struct nna_drm *drm, struct nna_drm_bo *bo, uint32_t flags);
/* Unbinds a BO if it is @bound, and gives its addresses back, if it has any. Takes @lock. */
void nna_drm_vm_unmap(struct nna_drm *drm, struct nna_drm_bo *bo, bool bound);

/*
 * A reference on a handle that the kernel has just made, which is closed on failure. Takes @lock.
 * Return: 0 or -ENOMEM.
 */
int nna_drm_gem_get(struct nna_drm *drm, uint32_t handle, struct nna_drm_gem **out);
/*
 * The same for the handle of a dma-buf. Return: 0 or a negative errno; -EINVAL: @fd is no dma-buf.
 */
int nna_drm_gem_import(struct nna_drm *drm, int fd, struct nna_drm_gem **out);
/* Gives a reference back; NULL is allowed. Takes @lock. */
void nna_drm_gem_put(struct nna_drm *drm, struct nna_drm_gem *gem);

/*
 * Merges @count sync_files into at most @room new ones, which fail if one of them fails; @count is
 * at least @room, and @room at least 2. Return: the number of @merged, or a negative errno.
 */
int nna_drm_sync_file_merge(const int *fds, uint32_t count, int *merged, uint32_t room);

/*
 * Takes a spare fence, or creates one. Return: its only reference, or NULL without memory. Under
 * @lock.
 */
struct nna_drm_fence *nna_drm_fence_make(struct nna_drm *drm);
/* nna_fence_put() for a caller that holds @lock. */
void nna_drm_fence_drop(struct nna_drm *drm, struct nna_drm_fence *fence);
/* Destroys the spare fences when the device is closed. Without @lock. */
void nna_drm_fence_destroy_spare(struct nna_drm *drm);

/* Appends the fence of a job that will be submitted, with a reference. Under @lock. */
void nna_drm_outstanding_add(struct nna_drm *drm, struct nna_drm_fence *fence);
/* Removes the fence of a job that has ended from the list, if it is there. Under @lock. */
void nna_drm_outstanding_remove(struct nna_drm *drm, struct nna_drm_fence *fence);
/*
 * Asks which outstanding jobs have ended, and removes them from the list: with @all every job is
 * asked about, else from the oldest one up to the first that has not ended. Takes @lock.
 */
void nna_drm_outstanding_poll(struct nna_drm *drm, bool all);

/* Frees a BO or a queue now, or when all outstanding jobs have ended. Takes @lock. */
void nna_drm_zombie_retire(struct nna_drm *drm, struct nna_drm_zombie *zombie);
/*
 * Removes the zombies that no job uses any more from the list. Return: a list of them, for
 * nna_drm_zombie_free(). Under @lock.
 */
struct nna_drm_zombie *nna_drm_zombie_take(struct nna_drm *drm);
/* Frees a list of zombies. Without @lock. */
void nna_drm_zombie_free(struct nna_drm *drm, struct nna_drm_zombie *list);
/*
 * If there are zombies, asks which jobs have ended, and frees the zombies that no job uses. Takes
 * @lock.
 */
void nna_drm_zombie_reap(struct nna_drm *drm);

/* Operations of the winsys: winsys.h describes them. They take @lock. */
int nna_drm_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
		      struct nna_winsys_bo **out);
int nna_drm_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out);
int nna_drm_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *base);
void nna_drm_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *base);
int nna_drm_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			 struct nna_winsys_queue **out);
void nna_drm_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue);
void nna_drm_queue_cancel(struct nna_winsys *ws, struct nna_winsys_queue *queue);
int nna_drm_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *base,
			 const struct nna_winsys_job *what, struct nna_fence **out);
int nna_drm_fence_wait(struct nna_winsys *ws, struct nna_fence *base, int64_t deadline_ns);
int nna_drm_fence_status(struct nna_winsys *ws, struct nna_fence *base);
int nna_drm_fence_poll(struct nna_winsys *ws, struct nna_fence *base);
int nna_drm_fence_export(struct nna_winsys *ws, struct nna_fence *base);
void nna_drm_fence_release(struct nna_winsys *ws, struct nna_fence *base);

#endif

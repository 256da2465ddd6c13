/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a device and the requests that every file of the driver may use. Only nna_hw.h lies
 * below; nna_user.h, nna_share.h, nna_pm.h, nna_clock.h and nna_fault.h are on the same layer. A
 * request, such as a reset, queues a work item whose function belongs to a higher layer.
 */
/**
 * DOC: Lifetimes and locks
 *
 * &struct nna_device exists once per accelerator. It is allocated with the DRM device, and freed
 * when the last file, the last exported buffer and the last fence are gone; until then the module
 * cannot be unloaded either. Unbind releases registers, interrupts and ring memory; after it no
 * ring runs.
 *
 * Locking, outer to inner:
 *
 *  1. drm_dev_enter() around register accesses;
 *  2. the lock of nna_sched.c: whether the schedulers are stopped. Its holder waits for their work,
 *     which takes leaf locks only;
 *  3. nna_ctx.lock: the order of one context's jobs;
 *  4. nna_vm.lock: binds of one address space;
 *  5. nna_device.bos_lock: the list of buffer objects, and their DMA mappings at unbind;
 *  6. dma_resv, one object at a time;
 *  7. nna_device.unneeded_lock: the list of objects that may be purged. Reclaim takes it, and then
 *     6 and 4, by trylock only;
 *  8. the lock of pushes of nna_gate.c, and inside it the locks of the scheduler;
 *  9. nna_ring.lock (interrupts off), nna_ctx.state_lock, nna_file.lock, the lock of nna_user.c,
 *     fence locks, and the lock of nna_gate.c, which may be taken with any of these held: leaf
 *     locks.
 *
 * Nothing allocates from the publication of a job's fence to its signal: the fence, and those of
 * the scheduler, are allocated before. Timeouts and resets run on one ordered workqueue, so they
 * never overlap. They take 1, 2 and leaf locks.
 */
#ifndef NNA_CORE_H
#define NNA_CORE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <drm/drm_device.h>
#include <drm/drm_print.h>
#include <drm/gpu_scheduler.h>

#include "nna_bus.h"
#include "nna_clock.h"
#include "nna_fault.h"
#include "nna_hw.h"
#include "nna_regs.h"

#define NNA_DRIVER_NAME		"nna"

/** NNA_RING_SIZE - Maximum entries of a ring: enough to keep the device busy; more jobs queue. */
#define NNA_RING_SIZE		64u

/** NNA_VA_START - First address that may be mapped, so that accesses near NULL fault. */
#define NNA_VA_START		0x10000ull

struct nna_coredump_data;
struct nna_gates;
struct nna_jobs;
struct nna_pages;
struct nna_reset;
struct nna_ring;
struct nna_sched;
struct nna_shrinker;
struct nna_users;
struct nna_vms;

/**
 * struct nna_device - One accelerator.
 *
 * A pointer to a structure that no header defines belongs to one file. That file defines the
 * structure and allocates it at probe; it is freed with @drm. So the pointer is valid whenever an
 * open file, an interrupt or a work item can reach the device.
 *
 * @drm: the DRM device; its reference count is the lifetime of all of this.
 * @hw: registers, and properties read from them.
 * @bus: the bus that the device is on; valid as long as the driver is bound.
 * @clock: converts between the device's clock and CLOCK_MONOTONIC.
 * @rings: NNA_RINGS of them: job rings by priority, then the control ring. Freed with @drm.
 * @progress: where the device counts how far the jobs have come; NULL if it does not. Managed by
 *	the device, as the memory of the rings is.
 * @progress_dma: its bus address.
 * @gates: the gates of each job ring; owned by nna_gate.c.
 * @sched: the schedulers; owned by nna_sched.c.
 * @jobs: state that the jobs of all contexts share; owned by nna_job.c.
 * @control_waitq: woken when an entry of the control ring has completed, and after a reset.
 * @vm_ops: of CPU mappings of buffer objects: those of the shmem helper, with one of nna_gem.c.
 * @bos: all buffer objects, so that unbind can undo their DMA mappings.
 * @bos_lock: protects @bos, and the mappings of the objects against unbind.
 * @unneeded: objects that reclaim may purge, by drm_gem_shmem_object.madv_list.
 * @unneeded_pages: number of their pages; read without the lock, too.
 * @unneeded_lock: protects these two; no memory is allocated with it held.
 * @shrinker: the shrinker's counts; owned by nna_shrinker.c.
 * @pages: the count of pinned pages; owned by nna_pages.c.
 * @users: the users of the device; owned by nna_user.c.
 * @vms: the address spaces by ASID; owned by nna_vm.c.
 * @submit_wq: the schedulers' work, which puts jobs on the rings and frees them.
 * @reset_wq: ordered; timeouts and resets.
 * @cleanup_wq: work that sleeps and is queued where sleeping is forbidden: release of address
 *	spaces, aborts, boosts, core dumps, uevents.
 * @reset_work: resets the device; on @reset_wq.
 * @reset_reason: for the log: why @reset_work was queued last.
 * @reset: resets by the bus, and reports of resets; owned by nna_reset.c.
 * @resets: resets done since the driver was bound.
 * @fault: the record of a fault.
 * @coredump: memory for a core dump; owned by nna_coredump.c.
 * @irqs: interrupts handled since the driver was bound.
 * @job_count: jobs that have been created and not freed.
 * @lost: the driver is unbound, or a reset has failed: no job runs any more. It stays set.
 * @suspended: the rings are disabled and the device has no translations.
 * @last_end_jiffies: when the last job ended.
 * @coherent: the device snoops the CPU's caches; constant after probe.
 * @job_limit_ms: run time after which the device ends a job.
 * @timeout_ms: timeout of the schedulers: longer than @job_limit_ms.
 */
struct nna_device {
	struct drm_device drm;
	struct nna_hw hw;
	struct nna_bus *bus;
	struct nna_clock clock;
	struct nna_ring *rings;
	const struct nna_progress *progress;
	dma_addr_t progress_dma;
	struct nna_gates *gates;
	struct nna_sched *sched;
	struct nna_jobs *jobs;
	wait_queue_head_t control_waitq;
	struct vm_operations_struct vm_ops;
	struct list_head bos;
	struct mutex bos_lock;
	struct list_head unneeded;
	unsigned long unneeded_pages;
	struct mutex unneeded_lock;
	struct nna_shrinker *shrinker;
	struct nna_pages *pages;
	struct nna_users *users;
	struct nna_vms *vms;
	struct workqueue_struct *submit_wq;
	struct workqueue_struct *reset_wq;
	struct workqueue_struct *cleanup_wq;
	struct work_struct reset_work;
	const char *reset_reason;
	struct nna_reset *reset;
	atomic_t resets;
	struct nna_fault fault;
	struct nna_coredump_data *coredump;
	atomic64_t irqs;
	atomic_t job_count;
	bool lost;
	bool suspended;
	unsigned long last_end_jiffies;
	bool coherent;
	unsigned int job_limit_ms;
	unsigned int timeout_ms;
};

/**
 * NNA_IOCTL_DBG() - Log an error of user space at debug level.
 * @drm: the DRM device.
 * @cond: the condition, true for an error: its text is logged with the name of the function.
 *
 * Return: @cond.
 */
#define NNA_IOCTL_DBG(drm, cond) ({ \
	bool __bad = !!(cond); \
	if (__bad) \
		drm_dbg_driver(drm, "%s: refused: %s\n", __func__, #cond); \
	__bad; \
})

static inline struct nna_device *to_nna_device(struct drm_device *drm)
{
	return container_of(drm, struct nna_device, drm);
}

/** nna_core_is_lost() - Whether the device is lost: unbound, or broken. No job runs any more. */
static inline bool nna_core_is_lost(struct nna_device *nna)
{
	return READ_ONCE(nna->lost);
}

/**
 * nna_core_schedule_reset() - Queue a reset; any context.
 * @nna: the device.
 * @reason: text for the log; a string constant.
 */
static inline void nna_core_schedule_reset(struct nna_device *nna, const char *reason)
{
	WRITE_ONCE(nna->reset_reason, reason);
	queue_work(nna->reset_wq, &nna->reset_work);
}

/**
 * nna_core_flush_reset() - Wait until a queued reset has been done or cancelled.
 * @nna: the device.
 *
 * May sleep; must not be called on the reset workqueue. The reset may have been cancelled: a caller
 * that needs it uses nna_control_reset_and_wait().
 */
static inline void nna_core_flush_reset(struct nna_device *nna)
{
	flush_work(&nna->reset_work);
}

#endif

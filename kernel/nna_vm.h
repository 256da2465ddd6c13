/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces: drm_gpuvm records what is mapped where, nna_pgtable is what the device reads.
 *
 * A bind works in three steps:
 *
 *  Prepare	everything that may fail, for all operations: look-ups, pages, page tables, nodes
 *  Apply	change the drm_gpuvm and the page tables; this cannot fail
 *  Retire	have the device drop old translations, and only then release what these led to: page
 *		tables, and references on objects
 *
 * Lifetime: ids, contexts and core dumps hold nna_vm.users; jobs do so through their context. When
 * the last reference is dropped a worker unmaps everything. That drops the references that mappings
 * hold on the embedded drm_gpuvm, whose release frees the address space.
 *
 * Reclaim takes translations of an object away without waiting for the device, from address spaces
 * that have no jobs: no old translation is used before the next job, for which somebody else waits.
 *
 * Locking: nna_vm.lock serialises binds and protects the drm_gpuvm and the page tables. The lists
 * that link mappings to objects are protected by the objects' reservation locks, taken inside it.
 */
#ifndef NNA_VM_H
#define NNA_VM_H

#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/kconfig.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <drm/drm_gpuvm.h>

#include "nna_pgtable.h"

struct drm_file;
struct drm_nna_vm_bind_op;
struct nna_device;
struct xarray;

/** nna_vm_max_mappings() - Most mappings of an address space that is created now. */
u32 nna_vm_max_mappings(void);

/**
 * struct nna_vm - An address space.
 * @base: what is mapped where; protected by @lock.
 * @nna: the device.
 * @users: references of ids, contexts and others that use it.
 * @lock: serialises binds.
 * @pgt: the page tables; protected by @lock.
 * @mappings: number of mappings; protected by @lock.
 * @max_mappings: most of them.
 * @asid: the device's tag of its translations; its key in the device's table.
 * @used: a job of it has been put on a ring, so that the device may have translations. See
 *	nna_vm_mark_used().
 * @jobs: jobs of it that have not been freed.
 * @stale: the device may have translations that the page tables have not any more, and which are to
 *	be invalidated before the next job; written with @lock held.
 * @release_work: unmaps everything when @users is 0.
 */
struct nna_vm {
	struct drm_gpuvm base;
	struct nna_device *nna;
	struct kref users;
	struct mutex lock;
	struct nna_pgtable pgt;
	u32 mappings;
	u32 max_mappings;
	u32 asid;
	bool used;
	atomic_t jobs;
	bool stale;
	struct work_struct release_work;
};

/**
 * struct nna_va - One mapping.
 * @base: addresses, object and offset.
 * @readonly: the device may not write.
 */
struct nna_va {
	struct drm_gpuva base;
	bool readonly;
};

/** nna_vm_init() - Allocate the table of address spaces, freed with @nna; 0 or -ENOMEM. */
int nna_vm_init(struct nna_device *nna);

/** nna_vm_create() - Create an empty address space: a reference, or an ERR_PTR (-ENOMEM). */
struct nna_vm *nna_vm_create(struct nna_device *nna);

static inline struct nna_vm *nna_vm_get(struct nna_vm *vm)
{
	kref_get(&vm->users);
	return vm;
}

/** nna_vm_put() - Drop a reference on @vm, which may be NULL; any context. */
void nna_vm_put(struct nna_vm *vm);

/**
 * nna_vm_next() - Find the next address space, for who visits all of them; any context.
 * @nna: the device.
 * @asid: in: the first ASID to look at; out: that of the address space.
 *
 * Address spaces that are being released are skipped.
 *
 * Return: a reference, or NULL if there is none.
 */
struct nna_vm *nna_vm_next(struct nna_device *nna, unsigned long *asid);

/**
 * nna_vm_free_tables() - Free the page tables of all address spaces, at unbind; may sleep.
 * @nna: the device, unplugged, with bus mastering disabled.
 *
 * Address spaces live as long as their files, but coherent memory must be freed before the driver
 * is unbound from the device that it was allocated for.
 */
void nna_vm_free_tables(struct nna_device *nna);

/** nna_vm_resv_obj() - The object whose reservation all objects that belong to @vm share. */
static inline struct drm_gem_object *nna_vm_resv_obj(struct nna_vm *vm)
{
	return vm->base.r_obj;
}

/** nna_vm_root_dma() - Bus address of the root page table. */
static inline dma_addr_t nna_vm_root_dma(const struct nna_vm *vm)
{
	return vm->pgt.root->dma;
}

/**
 * nna_vm_begin_job() - Note that there is one more job of @vm; may sleep.
 * @vm: the VM.
 *
 * Before the job is armed, inside drm_dev_enter().
 *
 * Return: 0, -EINTR.
 */
int nna_vm_begin_job(struct nna_vm *vm);

/** nna_vm_end_job() - Undo nna_vm_begin_job(): the device has ended the job. Any context. */
void nna_vm_end_job(struct nna_vm *vm);

/**
 * nna_vm_unmap_idle() - Take all translations of an object away, if no job can use them; from
 *	reclaim.
 * @obj: the object, its reservation locked.
 *
 * The mappings stay as they are, without translations: jobs that touch them end with a fault.
 * Allocates nothing, and waits neither for locks nor for the device. Inside drm_dev_enter().
 *
 * Return: whether that was done; not if an address space that maps it is being changed or has jobs.
 */
bool nna_vm_unmap_idle(struct drm_gem_object *obj);

/** nna_vm_mark_used() - Have binds invalidate from now on; before a job's doorbell. Any context. */
void nna_vm_mark_used(struct nna_vm *vm);

/**
 * nna_vm_read() - Copy what is mapped at an address, for core dumps; may sleep.
 * @vm: the address space.
 * @va: first address.
 * @to: destination.
 * @size: bytes.
 *
 * Return: bytes copied: fewer than @size if nothing is mapped there, or an imported object, which
 * only its exporter can map for the CPU.
 */
size_t nna_vm_read(struct nna_vm *vm, u64 va, void *to, size_t size);

/**
 * nna_vm_bind() - Do bind operations in order, all or none; may sleep.
 * @vm: the address space.
 * @file: the file that the handles belong to.
 * @ops: the operations; checked here.
 * @count: how many, more than 0.
 *
 * Inside drm_dev_enter(). When it returns no job can use a translation that was replaced.
 *
 * Return: 0, -EINVAL (malformed, outside the object, or the object belongs to another address
 * space), -ENOENT (no such handle), -EFAULT (user space has said that it does not need the object),
 * -ENOMEM, -EINTR, -ENOSPC (there might be more than
 * nna_vm.max_mappings mappings or NNA_MAX_TABLES page tables).
 */
int nna_vm_bind(struct nna_vm *vm, struct drm_file *file, const struct drm_nna_vm_bind_op *ops,
		u32 count);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_vm_asids() - All address spaces by ASID, also those being released; for tests. */
struct xarray *nna_vm_asids(struct nna_device *nna);

/** nna_vm_set_next_asid() - Say where the search for a free ASID begins; for tests. */
void nna_vm_set_next_asid(struct nna_device *nna, u32 asid);
#endif

#endif

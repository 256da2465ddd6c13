/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces (VM): drm_gpuvm records the mappings, nna_pgtable holds the tables that the device
 * reads.
 *
 * A bind works in three steps:
 *
 *  Prepare	do everything that may fail, for all operations: look-ups, pages, page tables, nodes
 *  Apply	change the drm_gpuvm and the page tables; this cannot fail
 *  Retire	make the device drop old translations, and only then release the page tables and
 *		the references on objects to which they led
 *
 * Lifetime: ids, contexts and core dumps hold nna_vm.users; a job holds it through its context.
 * When the last reference is dropped a worker unmaps everything. This drops the references of
 * mappings on the embedded drm_gpuvm, whose release frees the address space.
 *
 * Reclaim removes the translations of an object without an invalidation, from address spaces that
 * have no jobs: the device uses no old translation before the next job, and that job invalidates
 * all of them first (nna_vm.stale).
 *
 * Locking: nna_vm.lock serialises binds and protects the drm_gpuvm and the page tables. The
 * reservation locks of the objects, taken inside it, protect the lists that link mappings to
 * objects.
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
#include "nna_table_page.h"

struct drm_file;
struct drm_nna_vm_bind_op;
struct nna_device;
struct nna_user;
struct xarray;

/** nna_vm_max_mappings() - Maximum number of mappings of an address space that is created now. */
u32 nna_vm_max_mappings(void);

/**
 * struct nna_vm - An address space.
 * @base: the mappings; protected by @lock.
 * @nna: the device.
 * @user: the user of the file that has created it, for whom its page tables count; a reference.
 * @users: references of ids, contexts and core dumps.
 * @lock: serialises binds.
 * @pgt: the page tables; protected by @lock.
 * @table_pages: the pages of the CPU that hold them; protected by @lock.
 * @mappings: number of mappings; protected by @lock.
 * @max_mappings: maximum of @mappings.
 * @asid: address space identifier: the device's tag of its translations.
 * @used: a job has been put on a ring, so the device may have translations; see nna_vm_mark_used().
 * @jobs: number of its jobs that have not been freed.
 * @stale: reclaim may have removed translations that the device still has; the next job invalidates
 *	all of them. Written with @lock held.
 * @release_work: unmaps everything when @users is 0.
 */
struct nna_vm {
	struct drm_gpuvm base;
	struct nna_device *nna;
	struct nna_user *user;
	struct kref users;
	struct mutex lock;
	struct nna_pgtable pgt;
	struct nna_table_pages table_pages;
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

/** nna_vm_create() - Create an empty address space of a user; or an ERR_PTR (-ENOMEM). */
struct nna_vm *nna_vm_create(struct nna_user *user);

static inline struct nna_vm *nna_vm_get(struct nna_vm *vm)
{
	kref_get(&vm->users);
	return vm;
}

/** nna_vm_put() - Drop a reference on @vm, which may be NULL; any context. */
void nna_vm_put(struct nna_vm *vm);

/**
 * nna_vm_next() - Find the next address space, to visit all of them; any context.
 * @nna: the device.
 * @asid: in: the first ASID to look at; out: the ASID of the address space.
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
 * is unbound from its device.
 */
void nna_vm_free_tables(struct nna_device *nna);

/** nna_vm_resv_obj() - The object whose reservation is shared by all objects of this VM only. */
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
 * nna_vm_begin_job() - Count one more job of an address space; may sleep.
 * @vm: the address space.
 *
 * Must be called before the job is armed, inside drm_dev_enter().
 *
 * Return: 0, -EINTR.
 */
int nna_vm_begin_job(struct nna_vm *vm);

/** nna_vm_end_job() - Undo nna_vm_begin_job() when the device has ended the job; any context. */
void nna_vm_end_job(struct nna_vm *vm);

/**
 * nna_vm_unmap_idle() - Remove all translations of an object if no job can use them; from reclaim.
 * @obj: the object, its reservation locked.
 *
 * The mappings stay, without translations: a job that accesses them ends with a fault. Allocates
 * nothing, and waits neither for locks nor for the device. Must be called inside drm_dev_enter().
 *
 * Return: true if it was done; false if an address space that maps the object is being changed or
 * has jobs.
 */
bool nna_vm_unmap_idle(struct drm_gem_object *obj);

/** nna_vm_mark_used() - Make binds invalidate from now on; before a doorbell. Any context. */
void nna_vm_mark_used(struct nna_vm *vm);

/**
 * nna_vm_read() - Copy memory that is mapped at an address, for core dumps; may sleep.
 * @vm: the address space.
 * @va: first address.
 * @to: destination.
 * @size: bytes.
 *
 * Return: number of bytes copied. It is less than @size if a part is not mapped or belongs to an
 * imported object, which only its exporter can map for the CPU.
 */
size_t nna_vm_read(struct nna_vm *vm, u64 va, void *to, size_t size);

/**
 * nna_vm_bind() - Do bind operations in order, all of them or none; may sleep.
 * @vm: the address space.
 * @file: the file that the handles belong to.
 * @ops: the operations; checked here.
 * @count: number of operations, more than 0.
 *
 * Must be called inside drm_dev_enter(). When it returns no job can use a replaced translation.
 *
 * Return: 0, -EINVAL (malformed, outside the object, or the object belongs to another address
 * space), -ENOENT (no such handle), -EACCES (a map without READONLY of a handle without the right
 * to write), -EFAULT (user space has marked the object as not needed), -ENOMEM, -EINTR, -ENOSPC
 * (the bind might exceed nna_vm.max_mappings or NNA_MAX_TABLES).
 */
int nna_vm_bind(struct nna_vm *vm, struct drm_file *file, const struct drm_nna_vm_bind_op *ops,
		u32 count);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_vm_asids() - All address spaces by ASID, including those being released; for tests. */
struct xarray *nna_vm_asids(struct nna_device *nna);

/** nna_vm_set_next_asid() - Set the start of the search for a free ASID; for tests. */
void nna_vm_set_next_asid(struct nna_device *nna, u32 asid);
#endif

#endif

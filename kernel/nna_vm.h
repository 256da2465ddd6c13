/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces: drm_gpuvm for what is mapped where, nna_pgtable for what the device sees.
 *
 * A bind works in three steps. Prepare: everything that may fail (lookups, pages, page tables,
 * mapping nodes) for all operations. Apply: change the tree and the page tables; cannot fail.
 * Retire: have the device forget old translations, and only then drop what they led to (pages, page
 * tables).
 *
 * Lifetime: handles, contexts and jobs hold nna_vm.users. With the last one a worker unmaps
 * everything, which drops the references that mappings hold on the embedded drm_gpuvm, and that
 * frees the address space.
 *
 * Locking: nna_vm.lock serialises binds and protects the tree and the page tables; the lists that
 * link mappings to objects are protected by the objects' reservation locks, taken inside it.
 */
#ifndef NNA_VM_H
#define NNA_VM_H

#include <linux/container_of.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <drm/drm_gpuvm.h>

#include "nna_pgtable.h"

struct drm_file;
struct drm_nna_vm_bind_op;
struct nna_device;

/**
 * struct nna_vm - An address space.
 * @base: what is mapped where.
 * @nna: the device.
 * @users: handles, contexts, jobs.
 * @lock: serialises binds.
 * @pgt: what the device sees.
 * @asid: tag of its translations.
 * @used: a job has been handed to the device, so that it may hold translations.
 * @release_work: unmaps everything.
 */
struct nna_vm {
	struct drm_gpuvm base;
	struct nna_device *nna;
	struct kref users;
	struct mutex lock;
	struct nna_pgtable pgt;
	u32 asid;
	bool used;
	struct work_struct release_work;
};

/**
 * struct nna_va - One mapping.
 * @base: where, and of which object.
 * @readonly: the device may not write.
 */
struct nna_va {
	struct drm_gpuva base;
	bool readonly;
};

/** nna_vm_create() - Make an empty address space with one user, or an ERR_PTR. */
struct nna_vm *nna_vm_create(struct nna_device *nna);

static inline struct nna_vm *nna_vm_get(struct nna_vm *vm)
{
	kref_get(&vm->users);
	return vm;
}

/** nna_vm_put() - Drop a user; may be NULL. */
void nna_vm_put(struct nna_vm *vm);

/**
 * nna_vm_free_tables() - Free the page tables of all address spaces, which live as long as their
 * files do.
 * @nna: an unplugged device that reaches no memory any more.
 *
 * DMA memory belongs to the device: once it has been taken off its bus, no one can give it back.
 */
void nna_vm_free_tables(struct nna_device *nna);

/** nna_vm_resv_obj() - The object whose reservation the objects that belong to @vm share. */
static inline struct drm_gem_object *nna_vm_resv_obj(struct nna_vm *vm)
{
	return vm->base.r_obj;
}

/** nna_vm_root_dma() - Bus address of the root table. */
static inline dma_addr_t nna_vm_root_dma(const struct nna_vm *vm)
{
	return vm->pgt.root->dma;
}

/** nna_vm_mark_used() - To be called before a job's doorbell. */
void nna_vm_mark_used(struct nna_vm *vm);

/**
 * nna_vm_read() - Copy what is mapped at an address, as far as the CPU can see it; for dumps.
 * @vm: the address space.
 * @va: first address.
 * @to: where to.
 * @size: bytes.
 *
 * Return: bytes copied, which are fewer where nothing is mapped or another driver's memory.
 */
size_t nna_vm_read(struct nna_vm *vm, u64 va, void *to, size_t size);

/**
 * nna_vm_bind() - Do bind operations, all or none.
 * @vm: the address space.
 * @file: whose handles the operations name.
 * @ops: the operations.
 * @count: how many, more than 0.
 *
 * Return: 0, -EINVAL, -ENOENT, -ENOMEM, -EINTR.
 */
int nna_vm_bind(struct nna_vm *vm, struct drm_file *file, const struct drm_nna_vm_bind_op *ops,
		u32 count);

#endif

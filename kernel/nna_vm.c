// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces and binds: see nna_vm.h. */

#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/limits.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/xarray.h>
#include <drm/drm_gem.h>
#include <drm/drm_managed.h>
#include <drm/nna_accel.h>

#include "nna_control.h"
#include "nna_core.h"
#include "nna_gem.h"
#include "nna_pages.h"
#include "nna_user.h"
#include "nna_vm.h"

/* The default of the parameter max_mappings. */
#define NNA_MAX_MAPPINGS	16384

static unsigned int nna_vm_mappings_limit;
module_param_named(max_mappings, nna_vm_mappings_limit, uint, 0644);
MODULE_PARM_DESC(max_mappings, "Mappings that a new address space may have (0, the default: "
		 __stringify(NNA_MAX_MAPPINGS) ")");

/* A map inside an old mapping needs three nodes: its own, and one for each remaining side. */
#define NNA_BIND_NODES	3

/**
 * struct nna_bind - One operation with all its resources, so that applying it cannot fail.
 * @type: DRM_NNA_VM_BIND_OP_*.
 * @readonly: map: the device may not write.
 * @va: first address.
 * @size: bytes.
 * @bo: map: the object; a reference.
 * @bo_offset: map: first byte of the object.
 * @vm_bo: map: links object and address space; a reference.
 * @sgt: map: the object's DMA addresses; the object owns them, and keeps them while an address
 *	space that maps it is locked.
 * @nodes: nodes for mappings; NULL once used.
 */
struct nna_bind {
	u32 type;
	bool readonly;
	u64 va;
	u64 size;
	struct nna_bo *bo;
	u64 bo_offset;
	struct drm_gpuvm_bo *vm_bo;
	struct sg_table *sgt;
	struct nna_va *nodes[NNA_BIND_NODES];
};

/**
 * struct nna_retired - Resources that may be released only after an invalidation.
 * @tables: unlinked page tables.
 * @vas: mappings that have left the drm_gpuvm's tree but are still in their object's list, and so
 *	hold a reference on the object; linked by drm_gpuva.rb.entry.
 * @first: first address that was unmapped.
 * @end: end of the last range that was unmapped; below @first if none was.
 */
struct nna_retired {
	struct list_head tables;
	struct list_head vas;
	u64 first;
	u64 end;
};

/**
 * struct nna_vms - The address spaces of a device.
 * @asids: ASID -> address space; an ASID is freed only after its invalidation.
 * @next: start of the search for a free ASID; protected by the lock of @asids.
 */
struct nna_vms {
	struct xarray asids;
	u32 next;
};

static void nna_vms_release(struct drm_device *drm, void *vms)
{
	xa_destroy(&((struct nna_vms *)vms)->asids);
}

int nna_vm_init(struct nna_device *nna)
{
	struct nna_vms *vms = drmm_kzalloc(&nna->drm, sizeof(*vms), GFP_KERNEL);

	if (!vms)
		return -ENOMEM;
	xa_init_flags(&vms->asids, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	nna->vms = vms;
	return drmm_add_action_or_reset(&nna->drm, nna_vms_release, vms);
}

u32 nna_vm_max_mappings(void)
{
	return READ_ONCE(nna_vm_mappings_limit) ?: NNA_MAX_MAPPINGS;
}

static struct nna_vm *to_nna_vm(struct drm_gpuvm *gpuvm)
{
	return container_of(gpuvm, struct nna_vm, base);
}

static struct nna_va *to_nna_va(struct drm_gpuva *va)
{
	return container_of(va, struct nna_va, base);
}

static bool nna_vm_table_page_alloc(void *cookie, struct nna_table_page *page)
{
	struct nna_vm *vm = cookie;

	if (nna_pages_take(vm->user, 1))
		return false;
	/*
	 * Charge the page to the memory control group of the client, which decides how many there
	 * are.
	 */
	page->cpu = dma_alloc_coherent(vm->nna->drm.dev, PAGE_SIZE, &page->dma, GFP_KERNEL_ACCOUNT);
	if (page->cpu)
		return true;
	nna_pages_give(vm->user, 1);
	return false;
}

static void nna_vm_table_page_free(void *cookie, struct nna_table_page *page)
{
	struct nna_vm *vm = cookie;

	dma_free_coherent(vm->nna->drm.dev, PAGE_SIZE, page->cpu, page->dma);
	nna_pages_give(vm->user, 1);
}

static const struct nna_table_page_ops nna_vm_table_page_ops = {
	.alloc = nna_vm_table_page_alloc,
	.free = nna_vm_table_page_free,
};

static bool nna_vm_table_alloc(void *cookie, struct nna_pt *pt)
{
	return nna_table_pages_take(&((struct nna_vm *)cookie)->table_pages, pt);
}

static void nna_vm_table_free(void *cookie, struct nna_pt *pt)
{
	nna_table_pages_give(&((struct nna_vm *)cookie)->table_pages, pt);
}

static const struct nna_pgtable_ops nna_vm_pgtable_ops = {
	.alloc = nna_vm_table_alloc,
	.free = nna_vm_table_free,
};

static void nna_vm_free(struct drm_gpuvm *gpuvm)
{
	struct nna_vm *vm = to_nna_vm(gpuvm);

	nna_pgtable_fini(&vm->pgt);
	nna_user_put(vm->user);
	mutex_destroy(&vm->lock);
	kfree(vm);
}

static void nna_retired_init(struct nna_retired *retired)
{
	INIT_LIST_HEAD(&retired->tables);
	INIT_LIST_HEAD(&retired->vas);
	retired->first = U64_MAX;
	retired->end = 0;
}

static void nna_retired_add_va(struct nna_retired *retired, struct drm_gpuva *va)
{
	/* The list head shares memory with the tree's node, which is no longer in use. */
	list_add(&va->rb.entry, &retired->vas);
}

static void nna_vm_unmap_range(struct nna_vm *vm, u64 va, u64 size, struct nna_retired *retired)
{
	lockdep_assert_held(&vm->lock);
	if (!nna_pgtable_unmap(&vm->pgt, va, size, &retired->tables))
		return;
	retired->first = min(retired->first, va);
	retired->end = max(retired->end, va + size);
}

/* Invalidates retired translations (@all: of the whole address space), then releases resources. */
static void nna_vm_retire(struct nna_vm *vm, struct nna_retired *retired, bool all)
{
	struct drm_gpuva *va, *tmp;

	/*
	 * Pairs with nna_vm_mark_used(): this sees the mark, or the job sees the new page tables.
	 */
	smp_mb();
	if (READ_ONCE(vm->used) && (all || retired->first < retired->end))
		nna_control_invalidate(vm->nna, vm->asid, retired->first,
				       all ? 0 : retired->end - retired->first);

	list_for_each_entry_safe(va, tmp, &retired->vas, rb.entry) {
		struct drm_gem_object *obj = va->gem.obj;

		list_del_init(&va->rb.entry);
		/* Hold the object: unlinking may drop its last reference while its lock is held. */
		drm_gem_object_get(obj);
		dma_resv_lock(obj->resv, NULL);
		drm_gpuva_unlink(va);
		dma_resv_unlock(obj->resv);
		drm_gem_object_put(obj);
		kfree(to_nna_va(va));
	}
	nna_pgtable_recycle(&vm->pgt, &retired->tables);
}

int nna_vm_begin_job(struct nna_vm *vm)
{
	int ret;

	atomic_inc(&vm->jobs);
	/* Pairs with nna_vm_trylock_idle(): that sees the job, or this sees @stale. */
	smp_mb__after_atomic();
	if (likely(!READ_ONCE(vm->stale)))
		return 0;
	ret = mutex_lock_interruptible(&vm->lock);
	if (ret) {
		nna_vm_end_job(vm);
		return ret;
	}
	if (vm->stale && READ_ONCE(vm->used))
		nna_control_invalidate(vm->nna, vm->asid, 0, 0);
	WRITE_ONCE(vm->stale, false);
	mutex_unlock(&vm->lock);
	return 0;
}

void nna_vm_end_job(struct nna_vm *vm)
{
	/* Release: the job's accesses come before. */
	atomic_dec_return_release(&vm->jobs);
}

/* Locks an address space that has no jobs. A job that begins waits until it is unlocked. */
static bool nna_vm_trylock_idle(struct nna_vm *vm)
{
	if (!mutex_trylock(&vm->lock))
		return false;
	WRITE_ONCE(vm->stale, true);
	/* Pairs with nna_vm_begin_job(). */
	smp_mb();
	if (!atomic_read_acquire(&vm->jobs))
		return true;
	mutex_unlock(&vm->lock);
	return false;
}

/* Needs no invalidation, which the next job does first. So the tables can be freed at once. */
static void nna_vm_unmap_bo(struct drm_gpuvm_bo *vm_bo)
{
	struct nna_vm *vm = to_nna_vm(vm_bo->vm);
	struct drm_gpuva *va;
	LIST_HEAD(tables);

	drm_gpuvm_bo_for_each_va(va, vm_bo)
		nna_pgtable_unmap(&vm->pgt, va->va.addr, va->va.range, &tables);
	nna_pgtable_recycle(&vm->pgt, &tables);
	nna_pgtable_release(&vm->pgt);
}

bool nna_vm_unmap_idle(struct drm_gem_object *obj)
{
	struct drm_gpuvm_bo *vm_bo, *busy = NULL;

	drm_gem_for_each_gpuvm_bo(vm_bo, obj) {
		if (!nna_vm_trylock_idle(to_nna_vm(vm_bo->vm))) {
			busy = vm_bo;
			break;
		}
	}
	drm_gem_for_each_gpuvm_bo(vm_bo, obj) {
		if (vm_bo == busy)
			break;
		if (!busy)
			nna_vm_unmap_bo(vm_bo);
		mutex_unlock(&to_nna_vm(vm_bo->vm)->lock);
	}
	return !busy;
}

void nna_vm_mark_used(struct nna_vm *vm)
{
	if (!READ_ONCE(vm->used))
		WRITE_ONCE(vm->used, true);
	/* Pairs with nna_vm_retire(). */
	smp_mb();
}

static void nna_vm_release_work(struct work_struct *work)
{
	struct nna_vm *vm = container_of(work, struct nna_vm, release_work);
	struct nna_retired retired;
	struct drm_gpuva *va, *tmp;

	nna_retired_init(&retired);
	mutex_lock(&vm->lock);
	drm_gpuvm_for_each_va_safe(va, tmp, &vm->base) {
		if (va == &vm->base.kernel_alloc_node)
			continue;
		drm_gpuva_remove(va);
		nna_retired_add_va(&retired, va);
		cond_resched();
	}
	/* nna_vm_free() frees the page tables, after the invalidation. */
	nna_vm_retire(vm, &retired, true);
	mutex_unlock(&vm->lock);

	xa_erase(&vm->nna->vms->asids, vm->asid);
	drm_gpuvm_put(&vm->base);
}

struct nna_vm *nna_vm_next(struct nna_device *nna, unsigned long *asid)
{
	struct xarray *asids = &nna->vms->asids;
	struct nna_vm *vm;

	xa_lock(asids);
	vm = xa_find(asids, asid, ULONG_MAX, XA_PRESENT);
	while (vm && !kref_get_unless_zero(&vm->users))
		vm = xa_find_after(asids, asid, ULONG_MAX, XA_PRESENT);
	xa_unlock(asids);
	return vm;
}

void nna_vm_free_tables(struct nna_device *nna)
{
	struct xarray *asids = &nna->vms->asids;
	unsigned long asid;
	struct nna_vm *vm;

	xa_lock(asids);
	xa_for_each(asids, asid, vm) {
		/*
		 * Valid: nna_vm_release_work() removes it from the table before it drops its
		 * reference.
		 */
		drm_gpuvm_get(&vm->base);
		xa_unlock(asids);
		mutex_lock(&vm->lock);
		nna_pgtable_fini(&vm->pgt);
		mutex_unlock(&vm->lock);
		drm_gpuvm_put(&vm->base);
		xa_lock(asids);
	}
	xa_unlock(asids);
}

static void nna_vm_release(struct kref *kref)
{
	struct nna_vm *vm = container_of(kref, struct nna_vm, users);

	/* In a work item, since it sleeps and the last reference may be dropped in any context. */
	queue_work(vm->nna->cleanup_wq, &vm->release_work);
}

void nna_vm_put(struct nna_vm *vm)
{
	if (vm)
		kref_put(&vm->users, nna_vm_release);
}

static struct nna_va *nna_bind_take_node(struct nna_bind *bind)
{
	unsigned int i;

	for (i = 0; i < NNA_BIND_NODES; i++)
		if (bind->nodes[i])
			return no_free_ptr(bind->nodes[i]);
	WARN_ON_ONCE(1);
	return NULL;
}

static void nna_va_link(struct nna_va *va, struct drm_gpuvm_bo *vm_bo)
{
	dma_resv_lock(vm_bo->obj->resv, NULL);
	drm_gpuva_link(&va->base, vm_bo);
	dma_resv_unlock(vm_bo->obj->resv);
}

/* The argument of drm_gpuvm's callbacks for one operation. */
struct nna_bind_step {
	struct nna_vm *vm;
	struct nna_bind *bind;
	struct nna_retired *retired;
};

static void nna_bind_map_pages(struct nna_vm *vm, struct nna_bind *bind)
{
	u64 va = bind->va, left = bind->size, skip = bind->bo_offset;
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(bind->sgt, sg, i) {
		dma_addr_t dma = sg_dma_address(sg);
		u64 len = sg_dma_len(sg);

		if (skip >= len) {
			skip -= len;
			continue;
		}
		len = min(len - skip, left);
		nna_pgtable_map(&vm->pgt, va, dma + skip, len, !bind->readonly);
		skip = 0;
		va += len;
		left -= len;
		if (!left)
			break;
	}
	WARN_ON_ONCE(left);
}

static int nna_vm_step_map(struct drm_gpuva_op *op, void *priv)
{
	struct nna_bind_step *step = priv;
	struct nna_bind *bind = step->bind;
	struct nna_va *va = nna_bind_take_node(bind);

	va->readonly = bind->readonly;
	step->vm->mappings++;
	drm_gpuva_map(&step->vm->base, &va->base, &op->map);
	nna_va_link(va, bind->vm_bo);
	nna_bind_map_pages(step->vm, bind);
	return 0;
}

static int nna_vm_step_remap(struct drm_gpuva_op *op, void *priv)
{
	struct nna_bind_step *step = priv;
	struct nna_va *old = to_nna_va(op->remap.unmap->va);
	struct nna_va *prev = NULL, *next = NULL;
	u64 va, size;

	drm_gpuva_op_remap_to_unmap_range(&op->remap, &va, &size);
	nna_vm_unmap_range(step->vm, va, size, step->retired);

	if (op->remap.prev) {
		prev = nna_bind_take_node(step->bind);
		prev->readonly = old->readonly;
	}
	if (op->remap.next) {
		next = nna_bind_take_node(step->bind);
		next->readonly = old->readonly;
	}
	step->vm->mappings += !!prev + !!next - 1;
	drm_gpuva_remap(prev ? &prev->base : NULL, next ? &next->base : NULL, &op->remap);
	if (prev)
		nna_va_link(prev, old->base.vm_bo);
	if (next)
		nna_va_link(next, old->base.vm_bo);
	nna_retired_add_va(step->retired, &old->base);
	return 0;
}

static int nna_vm_step_unmap(struct drm_gpuva_op *op, void *priv)
{
	struct nna_bind_step *step = priv;
	struct drm_gpuva *va = op->unmap.va;

	nna_vm_unmap_range(step->vm, va->va.addr, va->va.range, step->retired);
	step->vm->mappings--;
	drm_gpuva_unmap(&op->unmap);
	nna_retired_add_va(step->retired, va);
	return 0;
}

static const struct drm_gpuvm_ops nna_vm_ops = {
	.vm_free = nna_vm_free,
	.sm_step_map = nna_vm_step_map,
	.sm_step_remap = nna_vm_step_remap,
	.sm_step_unmap = nna_vm_step_unmap,
};

struct nna_vm *nna_vm_create(struct nna_user *user)
{
	struct nna_device *nna = user->nna;
	struct drm_gem_object *resv_obj;
	struct nna_vm *vm;
	int ret;

	vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	if (!vm)
		return ERR_PTR(-ENOMEM);
	vm->nna = nna;
	vm->user = nna_user_get(user);
	vm->max_mappings = nna_vm_max_mappings();
	kref_init(&vm->users);
	mutex_init(&vm->lock);
	INIT_WORK(&vm->release_work, nna_vm_release_work);

	nna_table_pages_init(&vm->table_pages, &nna_vm_table_page_ops, vm, PAGE_SIZE);
	ret = nna_pgtable_init(&vm->pgt, &nna_vm_pgtable_ops, vm);
	if (ret)
		goto err_free;
	resv_obj = drm_gpuvm_resv_object_alloc(&nna->drm);
	if (!resv_obj) {
		ret = -ENOMEM;
		goto err_pgtable;
	}
	drm_gpuvm_init(&vm->base, "nna-vm", 0, &nna->drm, resv_obj, NNA_VA_START,
		       NNA_VA_END - NNA_VA_START, 0, 0, &nna_vm_ops);
	/* The drm_gpuvm holds a reference of its own. */
	drm_gem_object_put(resv_obj);

	/* From here on debugfs and unbind find the address space. */
	ret = xa_alloc_cyclic(&nna->vms->asids, &vm->asid, vm, xa_limit_32b, &nna->vms->next,
			      GFP_KERNEL);
	if (ret < 0) {
		drm_gpuvm_put(&vm->base);
		return ERR_PTR(ret);
	}
	return vm;

err_pgtable:
	nna_pgtable_fini(&vm->pgt);
err_free:
	nna_user_put(vm->user);
	mutex_destroy(&vm->lock);
	kfree(vm);
	return ERR_PTR(ret);
}

size_t nna_vm_read(struct nna_vm *vm, u64 va, void *to, size_t size)
{
	size_t done = 0;

	mutex_lock(&vm->lock);
	while (done < size) {
		struct drm_gpuva *gpuva = drm_gpuva_find_first(&vm->base, va + done, 1);
		struct drm_gem_shmem_object *shmem;
		u64 at;
		size_t n;

		if (!gpuva || drm_gem_is_imported(gpuva->gem.obj))
			break;
		shmem = to_drm_gem_shmem_obj(gpuva->gem.obj);
		at = gpuva->gem.offset + (va + done - gpuva->va.addr);
		n = min(size - done, PAGE_SIZE - offset_in_page(at));
		if (!shmem->pages)
			break;
		nna_bo_begin_read(to_nna_bo(gpuva->gem.obj), at, n);
		memcpy_from_page(to + done, shmem->pages[at >> PAGE_SHIFT], offset_in_page(at), n);
		done += n;
	}
	mutex_unlock(&vm->lock);
	return done;
}

static void nna_bind_fini(struct nna_bind *bind)
{
	unsigned int i;

	for (i = 0; i < NNA_BIND_NODES; i++)
		kfree(bind->nodes[i]);
	if (bind->vm_bo) {
		struct drm_gem_object *obj = &bind->bo->base.base;

		dma_resv_lock(obj->resv, NULL);
		drm_gpuvm_bo_put(bind->vm_bo);
		dma_resv_unlock(obj->resv);
	}
	if (bind->bo)
		drm_gem_object_put(&bind->bo->base.base);
}

static int nna_bind_check(struct nna_vm *vm, struct nna_bind *bind,
			  const struct drm_nna_vm_bind_op *op)
{
	struct drm_device *drm = &vm->nna->drm;
	u64 end;

	if (NNA_IOCTL_DBG(drm, op->pad || op->type > DRM_NNA_VM_BIND_OP_UNMAP) ||
	    NNA_IOCTL_DBG(drm, !op->size) ||
	    NNA_IOCTL_DBG(drm, !IS_ALIGNED(op->va | op->size | op->bo_offset, NNA_PAGE_SIZE)))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, check_add_overflow(op->va, op->size, &end) ||
			  op->va < NNA_VA_START || end > NNA_VA_END))
		return -EINVAL;
	if (op->type == DRM_NNA_VM_BIND_OP_MAP) {
		if (NNA_IOCTL_DBG(drm, op->flags & ~DRM_NNA_VM_BIND_OP_READONLY))
			return -EINVAL;
	} else if (NNA_IOCTL_DBG(drm, op->flags || op->bo_handle || op->bo_offset)) {
		return -EINVAL;
	}

	bind->type = op->type;
	bind->readonly = op->flags & DRM_NNA_VM_BIND_OP_READONLY;
	bind->va = op->va;
	bind->size = op->size;
	bind->bo_offset = op->bo_offset;
	return 0;
}

static int nna_bind_prepare_map(struct nna_vm *vm, struct drm_file *file, struct nna_bind *bind,
				u32 handle)
{
	struct drm_device *drm = &vm->nna->drm;
	struct drm_gem_object *obj;
	int ret;
	u64 end;

	obj = drm_gem_object_lookup(file, handle);
	if (NNA_IOCTL_DBG(drm, !obj))
		return -ENOENT;
	bind->bo = to_nna_bo(obj);
	if (NNA_IOCTL_DBG(drm, bind->bo->resv_obj && bind->bo->resv_obj != nna_vm_resv_obj(vm)))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, check_add_overflow(bind->bo_offset, bind->size, &end) ||
			  end > obj->size))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, !bind->readonly && !nna_bo_may_write(bind->bo, file))) {
		/*
		 * A handle that was closed meanwhile took its right with it. Another object may
		 * have its number now.
		 */
		obj = drm_gem_object_lookup(file, handle);
		if (obj)
			drm_gem_object_put(obj);
		return obj == &bind->bo->base.base ? -EACCES : -ENOENT;
	}

	ret = nna_bo_get_pages(bind->bo);
	if (ret)
		return ret;
	ret = dma_resv_lock_interruptible(obj->resv, NULL);
	if (ret)
		return ret;
	/* The object may have been purged meanwhile. */
	bind->sgt = bind->bo->base.sgt;
	bind->vm_bo = bind->sgt ? drm_gpuvm_bo_obtain_locked(&vm->base, obj) : ERR_PTR(-EFAULT);
	dma_resv_unlock(obj->resv);
	if (IS_ERR(bind->vm_bo)) {
		ret = PTR_ERR(bind->vm_bo);
		bind->vm_bo = NULL;
		return ret;
	}
	return nna_pgtable_reserve_map(&vm->pgt, bind->va, bind->size);
}

static int nna_bind_prepare(struct nna_vm *vm, struct drm_file *file, struct nna_bind *bind,
			    const struct drm_nna_vm_bind_op *op)
{
	unsigned int i;
	int ret;

	ret = nna_bind_check(vm, bind, op);
	if (ret)
		return ret;
	for (i = 0; i < NNA_BIND_NODES; i++) {
		bind->nodes[i] = kzalloc(sizeof(*bind->nodes[i]), GFP_KERNEL_ACCOUNT);
		if (!bind->nodes[i])
			return -ENOMEM;
	}
	ret = nna_pgtable_reserve_unmap(&vm->pgt);
	if (ret)
		return ret;
	if (bind->type == DRM_NNA_VM_BIND_OP_MAP)
		ret = nna_bind_prepare_map(vm, file, bind, op->bo_handle);
	return ret;
}

/*
 * Returns the maximum number of mappings that the operation adds. For the first operation of a bind
 * (@first) it is exact if that is an unmap, so that an address space at its limit can still unmap.
 */
static u32 nna_bind_growth(struct nna_vm *vm, const struct nna_bind *bind, bool first)
{
	struct drm_gpuva *va;

	if (bind->type == DRM_NNA_VM_BIND_OP_MAP)
		return 2;
	va = first ? drm_gpuva_find_first(&vm->base, bind->va, bind->size) : NULL;
	return !first || (va && va->va.addr < bind->va &&
			  va->va.addr + va->va.range > bind->va + bind->size);
}

static int nna_bind_apply(struct nna_vm *vm, struct nna_bind *bind, struct nna_retired *retired)
{
	struct nna_bind_step step = { .vm = vm, .bind = bind, .retired = retired };

	if (bind->type == DRM_NNA_VM_BIND_OP_MAP) {
		struct drm_gpuvm_map_req req = {
			.map.va.addr = bind->va,
			.map.va.range = bind->size,
			.map.gem.obj = &bind->bo->base.base,
			.map.gem.offset = bind->bo_offset,
		};

		return drm_gpuvm_sm_map(&vm->base, &step, &req);
	}
	return drm_gpuvm_sm_unmap(&vm->base, &step, bind->va, bind->size);
}

int nna_vm_bind(struct nna_vm *vm, struct drm_file *file, const struct drm_nna_vm_bind_op *ops,
		u32 count)
{
	struct nna_retired retired;
	struct nna_bind *binds;
	u32 i, prepared, growth = 0;
	int ret = 0;

	binds = kvcalloc(count, sizeof(*binds), GFP_KERNEL_ACCOUNT);
	if (!binds)
		return -ENOMEM;

	ret = mutex_lock_interruptible(&vm->lock);
	if (ret) {
		kvfree(binds);
		return ret;
	}
	for (prepared = 0; prepared < count && !ret; prepared++) {
		ret = nna_bind_prepare(vm, file, &binds[prepared], &ops[prepared]);
		if (!ret)
			growth += nna_bind_growth(vm, &binds[prepared], !prepared);
		if (NNA_IOCTL_DBG(&vm->nna->drm,
				  growth && vm->mappings + growth > vm->max_mappings))
			ret = -ENOSPC;
		cond_resched();
		/* A large bind spends most of its time here, in allocations. */
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
	}
	if (ret)
		goto out;

	nna_retired_init(&retired);
	for (i = 0; i < count; i++) {
		/* Cannot fail: all checks and allocations have been done. */
		WARN_ON(nna_bind_apply(vm, &binds[i], &retired));
		cond_resched();
	}
	nna_vm_retire(vm, &retired, false);
out:
	nna_pgtable_release(&vm->pgt);
	while (prepared--)
		nna_bind_fini(&binds[prepared]);
	mutex_unlock(&vm->lock);
	kvfree(binds);
	return ret;
}

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
struct xarray *nna_vm_asids(struct nna_device *nna)
{
	return &nna->vms->asids;
}

void nna_vm_set_next_asid(struct nna_device *nna, u32 asid)
{
	nna->vms->next = asid;
}
#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Buffer objects: see nna_gem.h for their lifetime and locks. */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_prime.h>
#include <drm/nna_accel.h>

#include "nna_core.h"
#include "nna_gem.h"
#include "nna_pages.h"
#include "nna_user.h"
#include "nna_vm.h"

#ifndef nna_shmem_page_users
#define nna_shmem_page_users(shmem) refcount_read(&(shmem)->pages_use_count)
#endif

/*
 * Removes the attachment of an imported object, not only its mapping: some exporters cache the
 * mapping for as long as the attachment exists. The object keeps a reference on the dma-buf, whose
 * reservation it uses.
 */
static void nna_gem_detach(struct nna_bo *bo, struct sg_table *sgt)
{
	struct dma_buf_attachment *attach = bo->base.base.import_attach;

	bo->dmabuf = attach->dmabuf;
	bo->base.base.import_attach = NULL;
	dma_buf_unmap_attachment_unlocked(attach, sgt, DMA_BIDIRECTIONAL);
	dma_buf_detach(bo->dmabuf, attach);
}

/* Removes the DMA mapping. The lock makes unbind wait for an object that is being freed. */
static void nna_gem_unmap_locked(struct nna_device *nna, struct nna_bo *bo)
{
	struct sg_table *sgt = bo->base.sgt;

	lockdep_assert_held(&nna->bos_lock);
	if (!sgt)
		return;
	bo->base.sgt = NULL;
	if (drm_gem_is_imported(&bo->base.base)) {
		nna_gem_detach(bo, sgt);
	} else {
		dma_unmap_sgtable(nna->drm.dev, sgt, DMA_BIDIRECTIONAL, 0);
		sg_free_table(sgt);
		kfree(sgt);
	}
}

static void nna_gem_free(struct drm_gem_object *obj)
{
	struct nna_device *nna = to_nna_device(obj->dev);
	struct nna_bo *bo = to_nna_bo(obj);
	struct drm_gem_object *resv_obj = bo->resv_obj;
	struct dma_buf *dmabuf;

	mutex_lock(&nna->unneeded_lock);
	nna_bo_unlist(bo);
	mutex_unlock(&nna->unneeded_lock);
	mutex_lock(&nna->bos_lock);
	nna_gem_unmap_locked(nna, bo);
	list_del(&bo->node);
	dmabuf = bo->dmabuf;
	mutex_unlock(&nna->bos_lock);
	kfree(bo->label);
	if (bo->counted)
		nna_pages_give(bo->user, bo->base.base.size >> PAGE_SHIFT);
	nna_user_put(bo->user);
	drm_gem_shmem_free(&bo->base);
	/* Last, since the object has used the dma-buf's reservation until here. */
	if (dmabuf)
		dma_buf_put(dmabuf);
	if (resv_obj)
		drm_gem_object_put(resv_obj);
}

static struct dma_buf *nna_gem_export(struct drm_gem_object *obj, int flags)
{
	struct nna_bo *bo = to_nna_bo(obj);
	struct dma_buf *dmabuf;

	/*
	 * Its reservation is shared with its address space: other drivers must not wait for that.
	 */
	if (bo->resv_obj)
		return ERR_PTR(-EPERM);
	dmabuf = drm_gem_prime_export(obj, flags);
	/* Before anybody can import it. */
	if (!IS_ERR(dmabuf))
		WRITE_ONCE(bo->dmabuf_writable, dmabuf->file->f_mode & FMODE_WRITE);
	return dmabuf;
}

/* The file closes its handle of the object. If it gets another one, that comes by a dma-buf. */
static void nna_gem_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct nna_bo *bo = to_nna_bo(obj);

	if (READ_ONCE(bo->creator) == file)
		WRITE_ONCE(bo->creator, NULL);
}

bool nna_bo_may_write(struct nna_bo *bo, const struct drm_file *file)
{
	return READ_ONCE(bo->creator) == file || READ_ONCE(bo->dmabuf_writable);
}

/* The pages do not count any more. */
static void nna_gem_uncount_locked(struct nna_bo *bo)
{
	dma_resv_assert_held(bo->base.base.resv);
	if (bo->counted)
		nna_pages_give(bo->user, bo->base.base.size >> PAGE_SHIFT);
	bo->counted = false;
	bo->allocated = false;
}

/*
 * Counts the object's pages, before a call that may allocate them. If this succeeds,
 * nna_gem_end_get_locked() must follow that call. The exporter accounts for the pages of an
 * imported object. Fails for an object that is marked as not needed.
 */
static int nna_gem_begin_get_locked(struct nna_bo *bo)
{
	int ret;

	dma_resv_assert_held(bo->base.base.resv);
	if (bo->base.madv)
		return -EFAULT;
	if (drm_gem_is_imported(&bo->base.base))
		return 0;
	if (!bo->counted) {
		ret = nna_pages_take(bo->user, bo->base.base.size >> PAGE_SHIFT);
		if (ret)
			return ret;
		bo->counted = true;
	}
	bo->getting++;
	return 0;
}

static enum drm_gem_object_status nna_gem_status(struct drm_gem_object *obj)
{
	struct nna_bo *bo = to_nna_bo(obj);
	enum drm_gem_object_status status = 0;

	/* Racy snapshot for fdinfo, which holds no lock of the object. */
	if (drm_gem_is_imported(obj) || data_race(bo->base.pages))
		status |= DRM_GEM_OBJECT_RESIDENT;
	/* Likewise. */
	if (data_race(bo->base.madv) > 0)
		status |= DRM_GEM_OBJECT_PURGEABLE;
	return status;
}

/* Puts an object that may be purged last on the list of these, and takes any other off it. */
static void nna_gem_list_locked(struct nna_bo *bo)
{
	struct nna_device *nna = to_nna_device(bo->base.base.dev);
	bool purgeable = nna_bo_is_purgeable(bo);

	dma_resv_assert_held(bo->base.base.resv);
	mutex_lock(&nna->unneeded_lock);
	nna_bo_unlist(bo);
	if (purgeable) {
		list_add_tail(&bo->base.madv_list, &nna->unneeded);
		WRITE_ONCE(nna->unneeded_pages,
			   nna->unneeded_pages + (bo->base.base.size >> PAGE_SHIFT));
	}
	mutex_unlock(&nna->unneeded_lock);
}

/* Ends what nna_gem_begin_get_locked() has begun, whether the call between has failed or not. */
static void nna_gem_end_get_locked(struct nna_bo *bo)
{
	dma_resv_assert_held(bo->base.base.resv);
	if (drm_gem_is_imported(&bo->base.base))
		return;
	bo->getting--;
	if (bo->base.pages)
		bo->allocated = true;
	if (!bo->allocated && !bo->getting) {
		/* Those that were allocated before the failure; nobody has seen them. */
		shmem_truncate_range(file_inode(bo->base.base.filp), 0, (loff_t)-1);
		nna_gem_uncount_locked(bo);
	}
	/* User space may have marked it as not needed meanwhile. */
	if (bo->base.madv)
		nna_gem_list_locked(bo);
}

static int nna_gem_begin_get(struct nna_bo *bo)
{
	struct dma_resv *resv = bo->base.base.resv;
	int ret;

	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return ret;
	ret = nna_gem_begin_get_locked(bo);
	dma_resv_unlock(resv);
	return ret;
}

static void nna_gem_end_get(struct nna_bo *bo)
{
	dma_resv_lock(bo->base.base.resv, NULL);
	nna_gem_end_get_locked(bo);
	dma_resv_unlock(bo->base.base.resv);
}

/* An object that the CPU no longer maps may be purged. */
static void nna_gem_vm_close(struct vm_area_struct *vma)
{
	struct drm_gem_object *obj = vma->vm_private_data;

	/* The mapping holds a reference, and may hold the last one. */
	drm_gem_object_get(obj);
	drm_gem_shmem_vm_ops.close(vma);
	dma_resv_lock(obj->resv, NULL);
	nna_gem_list_locked(to_nna_bo(obj));
	dma_resv_unlock(obj->resv);
	drm_gem_object_put(obj);
}

/*
 * Checks the right to write of a mapping of the device's file: that of the file's handle. The VFS
 * has checked that of a mapping of a dma-buf.
 */
static int nna_gem_check_vma(struct nna_bo *bo, struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;

	if (file->f_op != bo->base.base.dev->driver->fops ||
	    nna_bo_may_write(bo, file->private_data))
		return 0;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	vm_flags_clear(vma, VM_MAYWRITE);
	return 0;
}

static int nna_gem_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct nna_bo *bo = to_nna_bo(obj);
	int ret;

	if (bo->flags & DRM_NNA_BO_NO_MMAP)
		return -EPERM;
	ret = nna_gem_check_vma(bo, vma) ?: nna_gem_begin_get(bo);
	if (ret)
		return ret;
	ret = drm_gem_shmem_object_mmap(obj, vma);
	nna_gem_end_get(bo);
	if (!ret && !drm_gem_is_imported(obj))
		vma->vm_ops = &to_nna_device(obj->dev)->vm_ops;
	return ret;
}

/* The core calls this and the next with the reservation locked. */
static int nna_gem_pin(struct drm_gem_object *obj)
{
	struct nna_bo *bo = to_nna_bo(obj);
	int ret = nna_gem_begin_get_locked(bo);

	if (ret)
		return ret;
	ret = drm_gem_shmem_object_pin(obj);
	nna_gem_end_get_locked(bo);
	return ret;
}

static int nna_gem_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct nna_bo *bo = to_nna_bo(obj);
	int ret = nna_gem_begin_get_locked(bo);

	if (ret)
		return ret;
	ret = drm_gem_shmem_object_vmap(obj, map);
	nna_gem_end_get_locked(bo);
	return ret;
}

static const struct drm_gem_object_funcs nna_gem_funcs = {
	.free = nna_gem_free,
	.close = nna_gem_close,
	.export = nna_gem_export,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = nna_gem_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = nna_gem_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = nna_gem_mmap,
	.status = nna_gem_status,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

struct drm_gem_object *nna_gem_create_object(struct drm_device *drm, size_t size)
{
	struct nna_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->base.base.funcs = &nna_gem_funcs;
	bo->base.map_wc = !to_nna_device(drm)->coherent;
	INIT_LIST_HEAD(&bo->node);
	return &bo->base.base;
}

int nna_gem_init(struct nna_device *nna)
{
	nna->vm_ops = drm_gem_shmem_vm_ops;
	nna->vm_ops.close = nna_gem_vm_close;
	INIT_LIST_HEAD(&nna->bos);
	INIT_LIST_HEAD(&nna->unneeded);
	return drmm_mutex_init(&nna->drm, &nna->bos_lock) ?:
	       drmm_mutex_init(&nna->drm, &nna->unneeded_lock);
}

static void nna_gem_add(struct nna_device *nna, struct nna_bo *bo)
{
	mutex_lock(&nna->bos_lock);
	list_add_tail(&bo->node, &nna->bos);
	mutex_unlock(&nna->bos_lock);
}

/* An import maps the dma-buf for DMA; no mapping may be made after nna_gem_unmap_all(). */
struct drm_gem_object *nna_gem_prime_import(struct drm_device *drm, struct dma_buf *dmabuf)
{
	struct drm_gem_object *obj;
	int idx;

	if (!drm_dev_enter(drm, &idx))
		return ERR_PTR(-ENODEV);
	obj = drm_gem_prime_import(drm, dmabuf);
	drm_dev_exit(idx);
	return obj;
}

/* Whether page tables can map a dma-buf: it consists of device pages and covers its size. */
static bool nna_gem_can_map(struct sg_table *sgt, u64 size)
{
	struct scatterlist *sg;
	unsigned int i;
	u64 total = 0;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (!IS_ALIGNED(sg_dma_address(sg) | sg_dma_len(sg), NNA_PAGE_SIZE))
			return false;
		total += sg_dma_len(sg);
	}
	return total >= size;
}

struct drm_gem_object *nna_gem_prime_import_sg_table(struct drm_device *drm,
						     struct dma_buf_attachment *attach,
						     struct sg_table *sgt)
{
	struct drm_gem_object *obj;

	if (!nna_gem_can_map(sgt, PAGE_ALIGN(attach->dmabuf->size))) {
		drm_dbg_driver(drm, "import refused: the dma-buf does not consist of whole device pages\n");
		return ERR_PTR(-EINVAL);
	}
	obj = drm_gem_shmem_prime_import_sg_table(drm, attach, sgt);
	if (!IS_ERR(obj)) {
		to_nna_bo(obj)->dmabuf_writable = attach->dmabuf->file->f_mode & FMODE_WRITE;
		nna_gem_add(to_nna_device(drm), to_nna_bo(obj));
	}
	return obj;
}

void nna_gem_unmap_all(struct nna_device *nna)
{
	struct nna_bo *bo;

	/* No new mapping can appear: only ioctls make them, and the device is unplugged. */
	mutex_lock(&nna->bos_lock);
	list_for_each_entry(bo, &nna->bos, node)
		nna_gem_unmap_locked(nna, bo);
	mutex_unlock(&nna->bos_lock);
}

int nna_bo_create(struct drm_file *file, struct nna_user *user, struct nna_vm *vm, u64 *size,
		  u32 flags, u32 *handle)
{
	struct drm_device *drm = file->minor->dev;
	struct drm_gem_shmem_object *shmem;
	struct nna_bo *bo;
	int ret;

	if (NNA_IOCTL_DBG(drm, !*size || *size > NNA_MAX_BO_SIZE || *size > SIZE_MAX - PAGE_SIZE))
		return -EINVAL;

	shmem = drm_gem_shmem_create(drm, PAGE_ALIGN(*size));
	/* shmem reports -ENOSPC when it cannot allocate an inode. */
	if (IS_ERR(shmem))
		return PTR_ERR(shmem) == -ENOSPC ? -ENOMEM : PTR_ERR(shmem);
	bo = to_nna_bo(&shmem->base);
	bo->creator = file;
	bo->user = nna_user_get(user);
	bo->flags = flags;
	if (flags & DRM_NNA_BO_CACHED)
		shmem->map_wc = false;
	if (vm) {
		bo->resv_obj = nna_vm_resv_obj(vm);
		drm_gem_object_get(bo->resv_obj);
		shmem->base.resv = bo->resv_obj->resv;
	}
	nna_gem_add(to_nna_device(drm), bo);
	*size = shmem->base.size;
	ret = drm_gem_handle_create(file, &shmem->base, handle);
	/* The handle holds the reference from here on. */
	drm_gem_object_put(&shmem->base);
	return ret;
}

int nna_bo_get_pages(struct nna_bo *bo)
{
	struct dma_resv *resv = bo->base.base.resv;
	bool has_pages;
	int ret;

	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return ret;
	has_pages = bo->base.sgt;
	ret = has_pages && bo->base.madv ? -EFAULT : 0;
	if (!has_pages)
		ret = nna_gem_begin_get_locked(bo);
	dma_resv_unlock(resv);
	if (ret || has_pages)
		return ret;
	ret = PTR_ERR_OR_ZERO(drm_gem_shmem_get_pages_sgt(&bo->base));
	nna_gem_end_get(bo);
	/* shmem reports -ENOSPC when the system's limit for committed memory is reached. */
	return ret == -ENOSPC ? -ENOMEM : ret;
}

int nna_bo_advise(struct nna_bo *bo, bool needed, bool *retained)
{
	struct dma_resv *resv = bo->base.base.resv;
	int ret;

	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return ret;
	*retained = drm_gem_shmem_madvise_locked(&bo->base, !needed);
	nna_gem_list_locked(bo);
	dma_resv_unlock(resv);
	return 0;
}

bool nna_bo_is_purgeable(struct nna_bo *bo)
{
	/*
	 * The table is the only user of the pages: pages that the CPU maps would not be freed. Nor
	 * is somebody about to use them, who has seen that the object was needed.
	 */
	return drm_gem_shmem_is_purgeable(&bo->base) && nna_shmem_page_users(&bo->base) == 1 &&
	       !bo->getting;
}

void nna_bo_unlist(struct nna_bo *bo)
{
	struct nna_device *nna = to_nna_device(bo->base.base.dev);

	lockdep_assert_held(&nna->unneeded_lock);
	if (list_empty(&bo->base.madv_list))
		return;
	list_del_init(&bo->base.madv_list);
	WRITE_ONCE(nna->unneeded_pages,
		   nna->unneeded_pages - (bo->base.base.size >> PAGE_SHIFT));
}

void nna_bo_purge(struct nna_bo *bo)
{
	drm_gem_shmem_purge_locked(&bo->base);
	nna_bo_unlist(bo);
	nna_gem_uncount_locked(bo);
}

/* Cleans or invalidates the CPU's caches. The table of addresses stays during the call. */
static void nna_bo_sync_range(struct nna_bo *bo, bool to_device, u64 offset, u64 end)
{
	struct nna_hw *hw = &to_nna_device(bo->base.base.dev)->hw;
	struct scatterlist *sg;
	unsigned int i;
	u64 at = 0;

	for_each_sgtable_dma_sg(bo->base.sgt, sg, i) {
		u64 len = sg_dma_len(sg);
		u64 from = max(at, offset), to = min(at + len, end);

		if (from < to)
			nna_hw_sync(hw, to_device, sg_dma_address(sg) + from - at, to - from);
		at += len;
	}
}

int nna_bo_sync(struct nna_bo *bo, bool to_device, u64 offset, u64 size)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct nna_device *nna = to_nna_device(obj->dev);
	u64 end;
	int ret;

	if (NNA_IOCTL_DBG(obj->dev, check_add_overflow(offset, size, &end) || end > obj->size))
		return -EINVAL;
	if (!size || nna->coherent || !(bo->flags & DRM_NNA_BO_CACHED))
		return 0;

	ret = nna_bo_get_pages(bo) ?: dma_resv_lock_interruptible(obj->resv, NULL);
	if (ret)
		return ret;
	if (bo->base.sgt)
		nna_bo_sync_range(bo, to_device, offset, end);
	else
		ret = -EFAULT;
	dma_resv_unlock(obj->resv);
	return ret;
}

void nna_bo_begin_read(struct nna_bo *bo, u64 offset, u64 size)
{
	if (bo->base.sgt && !to_nna_device(bo->base.base.dev)->coherent)
		nna_bo_sync_range(bo, false, offset, offset + size);
}

void nna_bo_set_label(struct nna_bo *bo, char *label)
{
	struct dma_resv *resv = bo->base.base.resv;

	dma_resv_lock(resv, NULL);
	swap(bo->label, label);
	dma_resv_unlock(resv);
	kfree(label);
}

// SPDX-License-Identifier: MIT
/* Device addresses of BOs: this file allocates them, and the kernel binds. */
#include <errno.h>

#include "libnnaccel/winsys/drm/drm.h"

int nna_drm_vm_init(struct nna_drm *drm)
{
	uint64_t end = drm->hw.va_end < NNA_VA_END ? drm->hw.va_end : NNA_VA_END;

	drm->small_va = nna_va_create(NNA_VA_SMALL_START, NNA_VA_LARGE_START - NNA_VA_SMALL_START);
	drm->large_va = nna_va_create(NNA_VA_LARGE_START, end - NNA_VA_LARGE_START);
	return drm->small_va && drm->large_va ? 0 : -ENOMEM;
}

void nna_drm_vm_fini(struct nna_drm *drm)
{
	nna_va_destroy(drm->small_va);
	nna_va_destroy(drm->large_va);
}

static struct nna_va *va_of(struct nna_drm *drm, uint64_t size)
{
	return size >= NNA_VA_LARGE_PAGE ? drm->large_va : drm->small_va;
}

static int va_alloc(struct nna_drm *drm, struct nna_drm_bo *bo)
{
	uint64_t unit = bo->base.size >= NNA_VA_LARGE_PAGE ? NNA_VA_LARGE_PAGE : NNA_VA_PAGE;
	uint64_t size = (bo->base.size + unit - 1) & ~(unit - 1);
	int ret;

	pthread_mutex_lock(&drm->lock);
	ret = nna_va_take(va_of(drm, size), size, unit, &bo->base.va);
	pthread_mutex_unlock(&drm->lock);

	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	bo->va_size = size;
	return 0;
}

static void va_free(struct nna_drm *drm, struct nna_drm_bo *bo)
{
	pthread_mutex_lock(&drm->lock);
	nna_va_give(va_of(drm, bo->va_size), bo->base.va, bo->va_size);
	pthread_mutex_unlock(&drm->lock);
}

static int vm_bind(struct nna_drm *drm, uint32_t type, uint32_t flags, uint32_t handle, uint64_t va,
		   uint64_t size)
{
	struct drm_nna_vm_bind_op op = {
		.type = type, .flags = flags, .bo_handle = handle, .va = va, .size = size
	};
	struct drm_nna_vm_bind bind = { .vm_id = drm->vm_id, .ops = DRM_NNA_OBJ_ARRAY(1, &op) };

	return nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_VM_BIND, &bind);
}

int nna_drm_vm_map(struct nna_drm *drm, struct nna_drm_bo *bo, uint32_t flags)
{
	int ret = va_alloc(drm, bo);

	if (ret)
		return ret;
	return vm_bind(drm, DRM_NNA_VM_BIND_OP_MAP,
		       flags & NNA_WINSYS_BO_DEVICE_READ_ONLY ? DRM_NNA_VM_BIND_OP_READONLY : 0,
		       bo->gem->handle, bo->base.va, bo->base.size);
}

void nna_drm_vm_unmap(struct nna_drm *drm, struct nna_drm_bo *bo, bool bound)
{
	/* Addresses that are still bound must not be allocated again. */
	if (bound && vm_bind(drm, DRM_NNA_VM_BIND_OP_UNMAP, 0, 0, bo->base.va, bo->base.size))
		bo->va_size = 0;
	if (bo->va_size)
		va_free(drm, bo);
}

// SPDX-License-Identifier: MIT
/* BOs: memory of the kernel, or an imported dma-buf, that process and device see. */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

/* Frees a BO, also one that is incomplete after a failure. @bound: it is bound in the VM. */
static void bo_free(struct nna_drm *drm, struct nna_drm_bo *bo, bool bound)
{
	nna_drm_vm_unmap(drm, bo, bound);
	nna_drm_gem_put(drm, bo->gem);
	if (bo->base.map)
		munmap(bo->base.map, bo->base.size);
	free(bo);
}

static void zombie_free(struct nna_drm *drm, struct nna_drm_zombie *zombie)
{
	bo_free(drm, nna_drm_zombie_owner(zombie, struct nna_drm_bo), true);
}

/*
 * Maps a BO that has a handle and a size into this process (@fd at @offset) and binds it in the VM.
 */
static int bo_map(struct nna_drm *drm, struct nna_drm_bo *bo, int fd, uint64_t offset,
		  uint32_t flags)
{
	bo->zombie.free = zombie_free;
	bo->base.map = mmap(NULL, bo->base.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    (off_t)offset);
	if (bo->base.map == MAP_FAILED) {
		bo->base.map = NULL;
		return -errno;
	}
	return nna_drm_vm_map(drm, bo, flags);
}

int nna_drm_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
		      struct nna_winsys_bo **out)
{
	struct nna_drm *drm = to_nna_drm(ws);
	struct drm_nna_bo_create create = {
		.size = size,
		/*
		 * A submission does not visit BOs that belong to the VM, but the kernel refuses to
		 * export them.
		 */
		.vm_id = flags & NNA_WINSYS_BO_SHAREABLE ? 0 : drm->vm_id,
	};
	struct drm_nna_bo_mmap_offset offset = { 0 };
	struct nna_drm_bo *bo;
	int ret;

	nna_drm_zombie_reap(drm);
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	ret = nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_BO_CREATE, &create);
	if (ret)
		goto err;
	ret = nna_drm_gem_get(drm, create.handle, &bo->gem);
	if (ret)
		goto err;
	bo->base.size = create.size;
	offset.handle = create.handle;
	ret = nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &offset);
	if (!ret)
		ret = bo_map(drm, bo, drm->fd, offset.offset, flags);
	if (ret)
		goto err;
	*out = &bo->base;
	return 0;
err:
	bo_free(drm, bo, false);
	return ret;
}

/*
 * Makes a dma-buf of a memfd with udmabuf, which accepts only memfds that are sealed against
 * shrinking and not against writing. Return: a new fd, or a negative errno.
 */
static int memfd_to_dmabuf(int fd, uint64_t size)
{
	struct udmabuf_create create = { .memfd = (uint32_t)fd,
					 .flags = UDMABUF_FLAGS_CLOEXEC,
					 .size = size };
	int seals = fcntl(fd, F_GET_SEALS), udmabuf, ret;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || (seals & F_SEAL_WRITE))
		return -EINVAL;
	udmabuf = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (udmabuf < 0)
		return -errno;
	ret = ioctl(udmabuf, UDMABUF_CREATE, &create);
	if (ret < 0)
		ret = -errno;
	close(udmabuf);
	return ret;
}

/* Imports a dma-buf, or a memfd that udmabuf can turn into one. */
static int gem_import(struct nna_drm *drm, int fd, uint64_t size, struct nna_drm_gem **out)
{
	int ret = nna_drm_gem_import(drm, fd, out), dmabuf;

	if (ret != -EINVAL)
		return ret;
	dmabuf = memfd_to_dmabuf(fd, size);
	if (dmabuf < 0)
		return ret;
	ret = nna_drm_gem_import(drm, dmabuf, out);
	close(dmabuf);
	return ret;
}

int nna_drm_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out)
{
	struct nna_drm *drm = to_nna_drm(ws);
	struct nna_drm_bo *bo;
	off_t end;
	int ret;

	if (!size || size > SIZE_MAX - NNA_VA_PAGE)
		return -EINVAL;
	size = (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	end = lseek(fd, 0, SEEK_END);
	if (end >= 0 && (uint64_t)end < size)
		return -EINVAL;
	nna_drm_zombie_reap(drm);
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->base.size = size;
	ret = gem_import(drm, fd, size, &bo->gem);
	if (!ret)
		ret = bo_map(drm, bo, fd, 0, 0);
	if (ret) {
		bo_free(drm, bo, false);
		return ret;
	}
	*out = &bo->base;
	return 0;
}

int nna_drm_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct nna_drm_bo *bo = (struct nna_drm_bo *)base;
	int fd;

	if (drmPrimeHandleToFD(to_nna_drm(ws)->fd, bo->gem->handle, DRM_CLOEXEC | DRM_RDWR, &fd))
		return errno == EPERM ? -ENOTSUP : -errno;
	return fd;
}

void nna_drm_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct nna_drm_bo *bo = (struct nna_drm_bo *)base;

	if (bo)
		nna_drm_zombie_retire(to_nna_drm(ws), &bo->zombie);
}

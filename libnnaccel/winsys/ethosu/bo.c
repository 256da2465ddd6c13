// SPDX-License-Identifier: MIT
/* BOs: memory of the NPU, or memory of others that is mapped here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libnnaccel/winsys/ethosu/device.h"
#include "libnnaccel/winsys/va.h"

#define SIZE_LIMIT (1ull << 40)

static void release(struct nna_ethosu_device *d, struct nna_ethosu_bo *bo)
{
	if (bo->buffer.handle)
		d->npu->ops->buffer_destroy(d->npu, &bo->buffer);
	else
		munmap(bo->base.map, bo->base.size);
	free(bo);
}

/* Frees @bo on failure. */
static int finish(struct nna_ethosu_device *d, struct nna_ethosu_bo *bo,
		  struct nna_winsys_bo **out)
{
	int ret;

	pthread_mutex_lock(&d->lock);
	ret = nna_ethosu_bo_insert(d, bo);
	pthread_mutex_unlock(&d->lock);
	if (ret)
		release(d, bo);
	else
		*out = &bo->base;
	return ret;
}

int nna_ethosu_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			 struct nna_winsys_bo **out)
{
	struct nna_ethosu_device *d = to_ethosu(ws);
	struct nna_ethosu_bo *bo;
	int ret;

	if (!size || size > SIZE_LIMIT)
		return size ? -ENOMEM : -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->base.size = (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	ret = d->npu->ops->buffer_create(d->npu, bo->base.size, &bo->buffer);
	if (ret) {
		free(bo);
		return ret;
	}
	bo->base.map = bo->buffer.memory;
	return finish(d, bo, out);
}

int nna_ethosu_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out)
{
	const off_t end = lseek(fd, 0, SEEK_END);
	struct nna_ethosu_bo *bo;
	int ret;

	if (!size || size > SIZE_LIMIT || (end >= 0 && (uint64_t)end < size))
		return -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->base.size = (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	bo->base.map = mmap(NULL, bo->base.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bo->base.map == MAP_FAILED) {
		ret = -errno;
		free(bo);
		return ret == -EACCES || ret == -EPERM || ret == -ENODEV ? -ENOTSUP : ret;
	}
	return finish(to_ethosu(ws), bo, out);
}

int nna_ethosu_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *bo)
{
	return -ENOTSUP;
}

void nna_ethosu_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct nna_ethosu_bo *bo = (struct nna_ethosu_bo *)base;
	struct nna_ethosu_device *d = to_ethosu(ws);

	if (!bo)
		return;
	pthread_mutex_lock(&d->lock);
	nna_ethosu_links_destroy(d, bo);
	nna_ethosu_bo_remove(d, bo);
	pthread_mutex_unlock(&d->lock);
	release(d, bo);
}

bool nna_ethosu_bo_is_direct(struct nna_winsys *ws, const struct nna_winsys_bo *bo,
			     uint64_t offset)
{
	return ((const struct nna_ethosu_bo *)bo)->buffer.handle && !offset;
}

// SPDX-License-Identifier: MIT
/* BOs: their memory, their device addresses, and sharing them with other processes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libnnaccel/winsys/loopback/loopback.h"

static struct nna_va *va_of(struct nna_loopback *lb, const struct nna_loopback_bo *bo)
{
	return bo->base.size >= NNA_VA_LARGE_PAGE ? lb->large_va : lb->small_va;
}

static void va_give(struct nna_loopback *lb, const struct nna_loopback_bo *bo)
{
	pthread_mutex_lock(&lb->memory);
	nna_va_give(va_of(lb, bo), bo->base.va, bo->va_size);
	pthread_mutex_unlock(&lb->memory);
}

/* Gives @bo addresses and maps it there. After a failure it has none. */
static int bo_map(struct nna_loopback *lb, struct nna_loopback_bo *bo, uint32_t flags)
{
	uint64_t unit = bo->base.size >= NNA_VA_LARGE_PAGE ? NNA_VA_LARGE_PAGE : NNA_VA_PAGE;
	int ret;

	bo->va_size = (bo->base.size + unit - 1) & ~(unit - 1);
	pthread_mutex_lock(&lb->memory);
	ret = nna_va_take(va_of(lb, bo), bo->va_size, unit, &bo->base.va);
	pthread_mutex_unlock(&lb->memory);
	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	ret = nna_loopback_pgtable_map(lb, bo->base.va, bo->chunk->iova + bo->offset, bo->base.size,
				       !(flags & NNA_WINSYS_BO_DEVICE_READ_ONLY));
	if (ret)
		va_give(lb, bo);
	return ret;
}

/* Frees @bo and its memory on failure. */
static int bo_finish(struct nna_loopback *lb, struct nna_loopback_bo *bo, uint32_t flags,
		     struct nna_winsys_bo **out)
{
	int ret;

	bo->base.map = bo->chunk->map + bo->offset;
	ret = bo_map(lb, bo, flags);
	if (ret) {
		nna_loopback_memory_give(lb, bo->chunk, bo->offset, bo->base.size);
		free(bo);
		return ret;
	}
	*out = &bo->base;
	return 0;
}

int nna_loopback_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			   struct nna_winsys_bo **out)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	struct nna_loopback_bo *bo;
	int ret;

	if (!size || size > (1ull << 40))
		return size ? -ENOMEM : -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->base.size = (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	if (flags & NNA_WINSYS_BO_SHAREABLE)
		ret = nna_loopback_chunk_create(lb, bo->base.size, &bo->chunk);
	else
		ret = nna_loopback_memory_take(
			lb, bo->base.size,
			bo->base.size >= NNA_VA_LARGE_PAGE ? NNA_VA_LARGE_PAGE : NNA_VA_PAGE,
			&bo->chunk, &bo->offset);
	if (ret)
		free(bo);
	else
		ret = bo_finish(lb, bo, flags, out);
	return ret;
}

int nna_loopback_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	struct stat st;
	struct nna_loopback_bo *bo;
	int copy, ret;

	if (!size || size > (1ull << 40))
		return -EINVAL;
	if (fstat(fd, &st))
		return -errno;
	/*
	 * Only memfds: other files are written back to a disk, and devices have no pages to share.
	 */
	if (!S_ISREG(st.st_mode) || fcntl(fd, F_GET_SEALS) < 0)
		return -ENOTSUP;
	if ((uint64_t)st.st_size < size)
		return -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0) {
		ret = -errno;
		free(bo);
		return ret;
	}
	bo->base.size = (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	ret = nna_loopback_chunk_add(lb, copy, bo->base.size, &bo->chunk);
	if (ret)
		free(bo);
	else
		ret = bo_finish(lb, bo, 0, out);
	/* The memfd is sealed against writing, or @fd is open for reading only. */
	return ret == -EPERM || ret == -EACCES ? -ENOTSUP : ret;
}

int nna_loopback_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct nna_loopback_bo *bo = (struct nna_loopback_bo *)base;
	int fd;

	if (bo->chunk->fd < 0)
		return -ENOTSUP;
	fd = fcntl(bo->chunk->fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

void nna_loopback_bo_free(struct nna_loopback *lb, struct nna_loopback_bo *bo)
{
	nna_loopback_pgtable_unmap(lb, bo->base.va, bo->base.size,
				   bo->base.size >= NNA_VA_LARGE_PAGE);
	va_give(lb, bo);
	nna_loopback_memory_give(lb, bo->chunk, bo->offset, bo->base.size);
	free(bo);
}

void nna_loopback_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *base)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	struct nna_loopback_bo *bo = (struct nna_loopback_bo *)base;
	bool busy;

	if (!bo)
		return;
	pthread_mutex_lock(&lb->jobs);
	busy = lb->oldest;
	if (busy) {
		bo->ticket = lb->next_ticket;
		bo->next = lb->zombies;
		lb->zombies = bo;
	}
	pthread_mutex_unlock(&lb->jobs);
	if (!busy)
		nna_loopback_bo_free(lb, bo);
}

// SPDX-License-Identifier: MIT
/*
 * Chunks, and memory out of them. Chunks that several BOs share are searched one after the other; a
 * new one is made when no range of any is large enough.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libnnaccel/winsys/loopback/loopback.h"

/* A shared chunk is a multiple of it. Pages that nobody has written cost nothing. */
#define CHUNK (64ull << 20)

static void chunk_free(struct nna_loopback *lb, struct nna_loopback_chunk *c)
{
	struct nna_loopback_chunk **link = &lb->chunks;

	while (*link && *link != c)
		link = &(*link)->next;
	if (*link)
		*link = c->next;
	nnadev_dma_unmap(lb->dev, c->iova, c->size);
	munmap(c->map, c->size);
	close(c->fd);
	nna_va_destroy(c->free);
	free(c);
}

int nna_loopback_chunk_add(struct nna_loopback *lb, int fd, uint64_t size, bool own,
			   struct nna_loopback_chunk **out)
{
	struct nna_loopback_chunk *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		goto fail;
	c->fd = fd;
	c->size = size;
	c->own = own;
	c->iova = lb->next_iova;
	c->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (c->map == MAP_FAILED) {
		ret = -errno;
		goto fail;
	}
	if (!own) {
		c->free = nna_va_create(0, size);
		if (!c->free) {
			munmap(c->map, size);
			goto fail;
		}
	}
	ret = nnadev_dma_map(lb->dev, c->iova, size, fd, 0, NNADEV_PROT_READ | NNADEV_PROT_WRITE);
	if (ret) {
		munmap(c->map, size);
		nna_va_destroy(c->free);
		goto fail;
	}
	lb->next_iova += (size + NNA_VA_LARGE_PAGE - 1) & ~(NNA_VA_LARGE_PAGE - 1);
	c->next = lb->chunks;
	lb->chunks = c;
	*out = c;
	return 0;
fail:
	free(c);
	close(fd);
	return ret;
}

int nna_loopback_chunk_create(struct nna_loopback *lb, uint64_t size, bool own,
			      struct nna_loopback_chunk **out)
{
	int fd = memfd_create("nna", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (size > INT64_MAX || ftruncate(fd, size)) {
		int ret = size > INT64_MAX ? -ENOMEM : -errno;

		close(fd);
		return ret;
	}
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	return nna_loopback_chunk_add(lb, fd, size, own, out);
}

int nna_loopback_memory_take(struct nna_loopback *lb, uint64_t size, uint64_t align,
			     struct nna_loopback_chunk **chunk, uint64_t *offset)
{
	uint64_t room = (size + CHUNK - 1) & ~(CHUNK - 1);
	struct nna_loopback_chunk *c;
	int ret;

	for (c = lb->chunks; c; c = c->next) {
		if (c->own)
			continue;
		ret = nna_va_take(c->free, size, align, offset);
		if (!ret) {
			*chunk = c;
			return 0;
		}
		if (ret != -ENOSPC)
			return ret;
	}
	if (room < size)
		return -ENOMEM;
	ret = nna_loopback_chunk_create(lb, room, false, &c);
	if (ret)
		return ret;
	*chunk = c;
	return nna_va_take(c->free, size, align, offset);
}

void nna_loopback_memory_give(struct nna_loopback *lb, struct nna_loopback_chunk *c,
			      uint64_t offset, uint64_t size)
{
	if (c->own) {
		chunk_free(lb, c);
		return;
	}
	/* Large ranges are returned to the kernel, whose next pages are zero. */
	if (size < NNA_VA_LARGE_PAGE ||
	    fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size))
		memset(c->map + offset, 0, size);
	nna_va_give(c->free, offset, size);
}

void *nna_loopback_memory_of_bus(struct nna_loopback *lb, uint64_t address)
{
	for (struct nna_loopback_chunk *c = lb->chunks; c; c = c->next)
		if (address >= c->iova && address - c->iova < c->size)
			return c->map + (address - c->iova);
	return NULL;
}

// SPDX-License-Identifier: MIT
/*
 * Chunks, and allocation from them. Chunks that several BOs share are searched one after the other;
 * a new chunk is created when no chunk has a free range that is large enough.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/host/pages.h"
#include "libnnaccel/winsys/loopback/loopback.h"

/*
 * The size of a shared chunk is a multiple of this. Pages that were never written take no memory.
 */
#define CHUNK (64ull << 20)
/* The part of a shared chunk for small BOs, so that they lie together and share large pages. */
#define SMALL (2ull << 20)
/*
 * The size from which on a BO is not small: faulting in this many bytes of small pages takes as
 * long as faulting in one large page.
 */
#define NOT_SMALL (256ull << 10)

void nna_loopback_chunk_destroy(struct nna_loopback_chunk *c)
{
	if (c->fd >= 0) {
		munmap(c->map, c->size);
		close(c->fd);
	} else {
		nnadev_pages_destroy(c->map, c->size);
	}
	nna_va_destroy(c->free);
	free(c);
}

static void chunk_free(struct nna_loopback *lb, struct nna_loopback_chunk *c)
{
	struct nna_loopback_chunk **link = &lb->chunks;

	pthread_mutex_lock(&lb->memory);
	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	pthread_mutex_unlock(&lb->memory);
	nnadev_dma_unmap(lb->dev, c->iova, c->size);
	nna_loopback_chunk_destroy(c);
}

/*
 * Takes a range of a chunk. A small BO lies among the large ones when the part for small BOs is
 * full.
 */
static int take_range(struct nna_loopback_chunk *c, uint64_t size, uint64_t align, uint64_t *offset)
{
	return nna_va_take_from(c->free, size < NOT_SMALL ? 0 : SMALL, size, align, offset);
}

static uint64_t take_iova(struct nna_loopback *lb, uint64_t size)
{
	return atomic_fetch_add(&lb->next_iova,
				(size + NNA_VA_LARGE_PAGE - 1) & ~(NNA_VA_LARGE_PAGE - 1));
}

/*
 * Makes a chunk over @fd, which it owns from here on, also after a failure. The caller calls
 * chunk_link() next.
 */
static int chunk_make_own(struct nna_loopback *lb, int fd, uint64_t size,
			  struct nna_loopback_chunk **out)
{
	struct nna_loopback_chunk *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		goto fail;
	c->fd = fd;
	c->size = size;
	c->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (c->map == MAP_FAILED) {
		ret = -errno;
		goto fail;
	}
	c->iova = take_iova(lb, size);
	ret = nnadev_dma_map(lb->dev, c->iova, size, fd, 0, NNADEV_PROT_READ | NNADEV_PROT_WRITE);
	if (ret) {
		munmap(c->map, size);
		goto fail;
	}
	*out = c;
	return 0;
fail:
	free(c);
	close(fd);
	return ret;
}

/*
 * Makes a chunk that several BOs share; its size is a multiple of CHUNK. The caller calls
 * chunk_link() next.
 */
static int chunk_make_shared(struct nna_loopback *lb, uint64_t size,
			     struct nna_loopback_chunk **out)
{
	struct nna_loopback_chunk *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		return -ENOMEM;
	c->fd = -1;
	c->size = size;
	c->free = nna_va_create(0, size);
	/* Packed weights and activations have thousands of pages. */
	c->map = nnadev_pages_create(size, false);
	if (c->free && c->map) {
		c->iova = take_iova(lb, size);
		ret = nnadev_dma_map_memory(lb->dev, c->iova, size, c->map);
	}
	if (!ret) {
		*out = c;
		return 0;
	}
	nna_loopback_chunk_destroy(c);
	return ret;
}

static void chunk_link(struct nna_loopback *lb, struct nna_loopback_chunk *c)
{
	pthread_mutex_lock(&lb->memory);
	c->next = lb->chunks;
	lb->chunks = c;
	pthread_mutex_unlock(&lb->memory);
}

int nna_loopback_chunk_add(struct nna_loopback *lb, int fd, uint64_t size,
			   struct nna_loopback_chunk **out)
{
	int ret = chunk_make_own(lb, fd, size, out);

	if (!ret)
		chunk_link(lb, *out);
	return ret;
}

int nna_loopback_chunk_create(struct nna_loopback *lb, uint64_t size,
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
	return nna_loopback_chunk_add(lb, fd, size, out);
}

/* The same from existing chunks; -ENOSPC: no free range is large enough. */
static int take_there(struct nna_loopback *lb, uint64_t size, uint64_t align,
		      struct nna_loopback_chunk **chunk, uint64_t *offset)
{
	int ret = -ENOSPC;

	pthread_mutex_lock(&lb->memory);
	for (*chunk = lb->chunks; *chunk && ret == -ENOSPC;) {
		if ((*chunk)->free)
			ret = take_range(*chunk, size, align, offset);
		if (ret == -ENOSPC)
			*chunk = (*chunk)->next;
	}
	pthread_mutex_unlock(&lb->memory);
	return ret;
}

int nna_loopback_memory_take(struct nna_loopback *lb, uint64_t size, uint64_t align,
			     struct nna_loopback_chunk **chunk, uint64_t *offset)
{
	uint64_t room = (size + SMALL + CHUNK - 1) & ~(CHUNK - 1);
	int ret = take_there(lb, size, align, chunk, offset);

	if (ret != -ENOSPC)
		return ret;
	if (room < size)
		return -ENOMEM;
	ret = chunk_make_shared(lb, room, chunk);
	if (ret)
		return ret;
	/* Before other threads see the chunk, so that they do not take its room. */
	ret = take_range(*chunk, size, align, offset);
	chunk_link(lb, *chunk);
	return ret;
}

void nna_loopback_memory_give(struct nna_loopback *lb, struct nna_loopback_chunk *c,
			      uint64_t offset, uint64_t size)
{
	if (!c->free) {
		chunk_free(lb, c);
		return;
	}
	/* Large ranges are returned to the kernel, whose next pages are zero. */
	if (size < NNA_VA_LARGE_PAGE || madvise(c->map + offset, size, MADV_DONTNEED))
		memset(c->map + offset, 0, size);
	pthread_mutex_lock(&lb->memory);
	nna_va_give(c->free, offset, size);
	pthread_mutex_unlock(&lb->memory);
}

void *nna_loopback_memory_of_bus(struct nna_loopback *lb, uint64_t address)
{
	for (struct nna_loopback_chunk *c = lb->chunks; c; c = c->next)
		if (address >= c->iova && address - c->iova < c->size)
			return c->map + (address - c->iova);
	return NULL;
}

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

	pthread_mutex_lock(&lb->memory);
	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	pthread_mutex_unlock(&lb->memory);
	munmap(c->map, c->size);
	nnadev_dma_unmap(lb->dev, c->iova, c->size);
	close(c->fd);
	nna_va_destroy(c->free);
	free(c);
}

/* A chunk that nobody else knows yet; chunk_link() is to come. It takes @fd over, as below. */
static int chunk_make(struct nna_loopback *lb, int fd, uint64_t size, bool own,
		      struct nna_loopback_chunk **out)
{
	struct nna_loopback_chunk *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		goto fail;
	c->fd = fd;
	c->size = size;
	c->own = own;
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
	c->iova = atomic_fetch_add(&lb->next_iova,
				   (size + NNA_VA_LARGE_PAGE - 1) & ~(NNA_VA_LARGE_PAGE - 1));
	ret = nnadev_dma_map(lb->dev, c->iova, size, fd, 0, NNADEV_PROT_READ | NNADEV_PROT_WRITE);
	if (ret) {
		munmap(c->map, size);
		nna_va_destroy(c->free);
		goto fail;
	}
	*out = c;
	return 0;
fail:
	free(c);
	close(fd);
	return ret;
}

static int chunk_make_memfd(struct nna_loopback *lb, uint64_t size, bool own,
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
	return chunk_make(lb, fd, size, own, out);
}

static void chunk_link(struct nna_loopback *lb, struct nna_loopback_chunk *c)
{
	pthread_mutex_lock(&lb->memory);
	c->next = lb->chunks;
	lb->chunks = c;
	pthread_mutex_unlock(&lb->memory);
}

int nna_loopback_chunk_add(struct nna_loopback *lb, int fd, uint64_t size, bool own,
			   struct nna_loopback_chunk **out)
{
	int ret = chunk_make(lb, fd, size, own, out);

	if (!ret)
		chunk_link(lb, *out);
	return ret;
}

int nna_loopback_chunk_create(struct nna_loopback *lb, uint64_t size, bool own,
			      struct nna_loopback_chunk **out)
{
	int ret = chunk_make_memfd(lb, size, own, out);

	if (!ret)
		chunk_link(lb, *out);
	return ret;
}

/* The same from chunks that there are; -ENOSPC: no range of any is large enough. */
static int take_there(struct nna_loopback *lb, uint64_t size, uint64_t align,
		      struct nna_loopback_chunk **chunk, uint64_t *offset)
{
	int ret = -ENOSPC;

	pthread_mutex_lock(&lb->memory);
	for (*chunk = lb->chunks; *chunk && ret == -ENOSPC;) {
		if (!(*chunk)->own)
			ret = nna_va_take((*chunk)->free, size, align, offset);
		if (ret == -ENOSPC)
			*chunk = (*chunk)->next;
	}
	pthread_mutex_unlock(&lb->memory);
	return ret;
}

int nna_loopback_memory_take(struct nna_loopback *lb, uint64_t size, uint64_t align,
			     struct nna_loopback_chunk **chunk, uint64_t *offset)
{
	uint64_t room = (size + CHUNK - 1) & ~(CHUNK - 1);
	int ret = take_there(lb, size, align, chunk, offset);

	if (ret != -ENOSPC)
		return ret;
	if (room < size)
		return -ENOMEM;
	ret = chunk_make_memfd(lb, room, false, chunk);
	if (ret)
		return ret;
	/* Before others see it, so that there is room. */
	ret = nna_va_take((*chunk)->free, size, align, offset);
	chunk_link(lb, *chunk);
	return ret;
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

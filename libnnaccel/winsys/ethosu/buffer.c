// SPDX-License-Identifier: MIT
/* Buffers and streams of a node. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/ethosu/node.h"
#include "libnnaccel/winsys/ethosu/uapi.h"

int nna_ethosu_buffer_create(const struct nna_ethosu_node *node, uint64_t size,
			     struct nna_ethosu_buffer *buffer)
{
	struct ethosu_bo_create create = { .size = size };
	struct ethosu_bo_offset offset = { 0 };
	int ret;

	*buffer = (struct nna_ethosu_buffer){ 0 };
	if (size > SIZE_MAX / 2)
		return -ENOMEM;
	if (drmIoctl(node->fd, ETHOSU_BO_CREATE, &create))
		return -errno;
	offset.handle = create.handle;
	if (drmIoctl(node->fd, ETHOSU_BO_OFFSET, &offset)) {
		ret = -errno;
		goto fail;
	}
	buffer->memory = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, node->fd,
			      (off_t)offset.offset);
	if (buffer->memory == MAP_FAILED) {
		ret = -errno;
		buffer->memory = NULL;
		goto fail;
	}
	buffer->handle = create.handle;
	buffer->size = create.size;
	memset(buffer->memory, 0, buffer->size);
	return 0;
fail:
	drmCloseBufferHandle(node->fd, create.handle);
	return ret;
}

void nna_ethosu_buffer_destroy(const struct nna_ethosu_node *node,
			       struct nna_ethosu_buffer *buffer)
{
	if (!buffer->handle)
		return;
	munmap(buffer->memory, buffer->size);
	drmCloseBufferHandle(node->fd, buffer->handle);
	*buffer = (struct nna_ethosu_buffer){ 0 };
}

int nna_ethosu_stream_create(const struct nna_ethosu_node *node, const uint32_t *words,
			     uint32_t count, uint32_t *handle)
{
	struct ethosu_stream_create create = {
		.size = count * 4,
		.data = (uintptr_t)words,
	};

	if (drmIoctl(node->fd, ETHOSU_STREAM_CREATE, &create))
		return -errno;
	*handle = create.handle;
	return 0;
}

void nna_ethosu_stream_destroy(const struct nna_ethosu_node *node, uint32_t handle)
{
	if (handle)
		drmCloseBufferHandle(node->fd, handle);
}

// SPDX-License-Identifier: MIT
/* Buffers: memory that the device shares with this process, and perhaps with others. */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/runtime/buffer.h"
#include "libnnaccel/runtime/device.h"

static int buffer_wrap(struct nna_device *device, size_t size, struct nna_buffer **out)
{
	struct nna_buffer *b;

	if (!device)
		return -EINVAL;
	if (!size) {
		nna_log_print(&device->log, NNA_LOG_ERROR,
			      "a buffer of 0 bytes is asked for: it needs at least 1");
		return -EINVAL;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->device = device;
	b->size = size;
	*out = b;
	return 0;
}

int nna_buffer_create(struct nna_device *device, size_t size, struct nna_buffer **out)
{
	struct nna_buffer *b;
	int ret = buffer_wrap(device, size, &b);

	if (ret)
		return ret;
	ret = nna_winsys_bo_create(device->ws, size, NNA_WINSYS_BO_SHAREABLE, &b->bo);
	if (ret) {
		free(b);
		return ret;
	}
	*out = b;
	return 0;
}

int nna_buffer_import(struct nna_device *device, int fd, size_t size, struct nna_buffer **out)
{
	struct nna_buffer *b;
	int ret = buffer_wrap(device, size, &b);

	if (ret)
		return ret;
	ret = nna_winsys_bo_import(device->ws, fd, size, &b->bo);
	if (ret) {
		if (ret == -EINVAL)
			nna_log_print(&device->log, NNA_LOG_ERROR,
				      "fd %d cannot be imported: it must be a dma-buf (loopback: a "
				      "memfd) of at least %zu bytes", fd, size);
		free(b);
		return ret;
	}
	*out = b;
	return 0;
}

int nna_buffer_export(struct nna_buffer *buffer)
{
	return buffer->device->ws->ops->bo_export(buffer->device->ws, buffer->bo);
}

void *nna_buffer_map(struct nna_buffer *buffer)
{
	return buffer->bo->map;
}

size_t nna_buffer_size(const struct nna_buffer *buffer)
{
	return buffer->size;
}

void nna_buffer_destroy(struct nna_buffer *buffer)
{
	if (!buffer)
		return;
	nna_winsys_bo_destroy(buffer->device->ws, buffer->bo);
	free(buffer);
}

// SPDX-License-Identifier: MIT
/* Buffers of our kind (buffer.h). */
#include "frontend/litert/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/litert/device.h"
#include "frontend/litert/shared.h"
#include "libnnaccel/support/message.h"

/* The descriptor of a buffer that is made here, not imported. */
#define NO_FD (-1)

static int make(int fd, size_t bytes, struct LiteRtHwMemoryInfo **out)
{
	struct LiteRtHwMemoryInfo *info = calloc(1, sizeof(*info));
	struct nna_device *device;
	struct nna_buffer *buffer;
	int ret;

	if (!info)
		return LITERT_NO_MEMORY;
	ret = litert_shared_get(&device);
	if (ret)
		goto fail;
	ret = fd == NO_FD ? nna_buffer_create(device, bytes, &buffer) :
	      nna_buffer_import(device, fd, bytes, &buffer);
	if (ret) {
		nna_message_insist(NNA_MESSAGE_EXECUTION, "no buffer of %zu bytes: %s", bytes,
				   strerror(-ret));
		litert_shared_put();
		goto fail;
	}
	info->memory_handle = buffer;
	*out = info;
	return LITERT_OK;
fail:
	free(info);
	return litert_status(ret);
}

static int create(void *device, void *queue, const struct LiteRtRankedTensorType *type,
		  int buffer_type, size_t bytes, size_t packed_bytes,
		  struct LiteRtHwMemoryInfo **out)
{
	if (buffer_type != LITERT_NNA_BUFFER || !out)
		return LITERT_INVALID_ARGUMENT;
	return make(NO_FD, bytes ?: 1, out);
}

static int import(void *device, void *queue, const struct LiteRtRankedTensorType *type,
		  int buffer_type, void *handle, size_t bytes, size_t packed_bytes,
		  struct LiteRtHwMemoryInfo **out)
{
	intptr_t fd = (intptr_t)handle;
	int status;

	if (buffer_type != LITERT_NNA_BUFFER || !out || fd < 0 || fd > INT32_MAX)
		return LITERT_INVALID_ARGUMENT;
	status = make((int)fd, bytes, out);
	if (!status)
		(*out)->raw_handle = handle;
	return status;
}

static int destroy(struct LiteRtHwMemoryInfo *info)
{
	if (!info)
		return LITERT_INVALID_ARGUMENT;
	nna_buffer_destroy(info->memory_handle);
	litert_shared_put();
	free(info);
	return LITERT_OK;
}

/* The memory is coherent, and LiteRT mixes up the modes, so @mode does not matter. */
static int lock(struct LiteRtHwMemoryInfo *info, int mode, void **memory)
{
	if (!info || !memory)
		return LITERT_INVALID_ARGUMENT;
	*memory = nna_buffer_map(info->memory_handle);
	return *memory ? LITERT_OK : LITERT_RUNTIME_FAILURE;
}

static int unlock(struct LiteRtHwMemoryInfo *info)
{
	return info ? LITERT_OK : LITERT_INVALID_ARGUMENT;
}

static int clear(struct LiteRtHwMemoryInfo *info)
{
	void *memory;

	if (lock(info, 0, &memory))
		return LITERT_RUNTIME_FAILURE;
	memset(memory, 0, nna_buffer_size(info->memory_handle));
	return LITERT_OK;
}

const struct LiteRtBufferHandlers LITERT_BUFFER_HANDLERS = {
	.header = { sizeof(LITERT_BUFFER_HANDLERS), LITERT_ABI_MAJOR, 0, 0 },
	.create = create,
	.destroy = destroy,
	.lock = lock,
	.unlock = unlock,
	.clear = clear,
	.import = import,
	.device_tag = LITERT_NO_TAG,
	.queue_tag = LITERT_NO_TAG,
	.count = 1,
	.types = { LITERT_NNA_BUFFER },
};

// SPDX-License-Identifier: MIT
/* Device contexts and registered buffers (context.h). */
#include "frontend/litert/context.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/litert/buffer.h"
#include "frontend/litert/device.h"
#include "frontend/litert/shared.h"
#include "libnnaccel/support/message.h"

int litert_context_create(const struct LiteRtRuntimeContext *runtime, struct litert_context **out)
{
	struct litert_context *context = calloc(1, sizeof(*context));
	int ret;

	if (!context)
		return LITERT_NO_MEMORY;
	context->runtime = runtime;
	ret = litert_shared_get(&context->device);
	if (ret) {
		free(context);
		return litert_status(ret);
	}
	pthread_mutex_init(&context->lock, NULL);
	*out = context;
	return LITERT_OK;
}

static void free_memory(struct litert_memory *memory)
{
	if (memory->imported)
		nna_buffer_destroy(memory->buffer);
	free(memory);
}

void litert_context_destroy(struct litert_context *context)
{
	struct litert_memory *memory, *next;

	for (memory = context->memories; memory; memory = next) {
		next = memory->next;
		free_memory(memory);
	}
	pthread_mutex_destroy(&context->lock);
	litert_shared_put();
	free(context);
}

/* Finds the memory of a buffer of a kind. Return: LiteRT's status. */
static int find_memory(struct litert_context *context, struct LiteRtTensorBufferT *buffer, int type,
		       size_t offset, struct litert_memory *memory)
{
	const struct LiteRtRuntimeContext *r = context->runtime;
	void *handle = NULL;
	int fd = -1, ret, status;

	switch (type) {
	case LITERT_HOST_MEMORY:
		status = r->get_tensor_buffer_host_memory(buffer, &memory->host);
		if (!status && !memory->host)
			return LITERT_INVALID_ARGUMENT;
		memory->host = (char *)memory->host + offset;
		return status;
	case LITERT_NNA_BUFFER:
		status = r->get_tensor_buffer_custom_tensor_buffer_handle(buffer, &handle);
		memory->buffer = handle;
		return status ?: memory->buffer ? LITERT_OK : LITERT_INVALID_ARGUMENT;
	case LITERT_DMA_BUF:
		if (!r->get_tensor_buffer_dma_buf_buffer)
			return LITERT_UNSUPPORTED;
		status = r->get_tensor_buffer_dma_buf_buffer(buffer, &handle, &fd);
		if (status)
			return status;
		ret = nna_buffer_import(context->device, fd, offset + memory->size,
					&memory->buffer);
		memory->imported = !ret;
		return litert_status(ret);
	default:
		nna_message_insist(NNA_MESSAGE_EXECUTION,
				   "a tensor buffer of type %d is not supported: make it of type "
				   "%d (host memory), %d (dma-buf) or %d, which "
				   "create_input_buffers() gives", type, LITERT_HOST_MEMORY,
				   LITERT_DMA_BUF, LITERT_NNA_BUFFER);
		return LITERT_UNSUPPORTED;
	}
}

int litert_context_register(struct litert_context *context, struct LiteRtTensorBufferT *buffer,
			    uint64_t *handle)
{
	const struct LiteRtRuntimeContext *r = context->runtime;
	struct litert_memory *memory = calloc(1, sizeof(*memory));
	size_t offset = 0;
	int type = 0, status;

	if (!memory)
		return LITERT_NO_MEMORY;
	status = r->get_tensor_buffer_type(buffer, &type) ?:
		 r->get_tensor_buffer_tensor_type(buffer, &memory->type) ?:
		 r->get_tensor_buffer_size(buffer, &memory->size) ?:
		 r->get_tensor_buffer_offset(buffer, &offset);
	if (!status && (memory->size > SIZE_MAX / 2 || offset > SIZE_MAX / 2))
		status = LITERT_INVALID_ARGUMENT;
	if (!status)
		status = find_memory(context, buffer, type, offset, memory);
	if (!status && memory->buffer &&
	    (offset || memory->size > nna_buffer_size(memory->buffer))) {
		nna_message_insist(NNA_MESSAGE_EXECUTION,
				   "%zu bytes at offset %zu are not all of a buffer of %zu bytes",
				   memory->size, offset, nna_buffer_size(memory->buffer));
		status = LITERT_INVALID_ARGUMENT;
	}
	if (status) {
		free_memory(memory);
		return status;
	}
	memory->references = 1;
	pthread_mutex_lock(&context->lock);
	memory->handle = ++context->last;
	memory->next = context->memories;
	context->memories = memory;
	*handle = memory->handle;
	pthread_mutex_unlock(&context->lock);
	return LITERT_OK;
}

/* With the lock held. Return: the link to the buffer with a handle, or to NULL. */
static struct litert_memory **find(struct litert_context *context, uint64_t handle)
{
	struct litert_memory **link = &context->memories;

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

int litert_context_unregister(struct litert_context *context, uint64_t handle)
{
	struct litert_memory **link, *memory;

	pthread_mutex_lock(&context->lock);
	link = find(context, handle);
	memory = *link;
	if (memory)
		*link = memory->next;
	pthread_mutex_unlock(&context->lock);
	if (!memory)
		return LITERT_NOT_FOUND;
	litert_memory_put(context, memory);
	return LITERT_OK;
}

struct litert_memory *litert_memory_get(struct litert_context *context, uint64_t handle)
{
	struct litert_memory *memory;

	pthread_mutex_lock(&context->lock);
	memory = *find(context, handle);
	if (memory)
		memory->references++;
	pthread_mutex_unlock(&context->lock);
	return memory;
}

void litert_memory_put(struct litert_context *context, struct litert_memory *memory)
{
	uint32_t left;

	if (!memory)
		return;
	pthread_mutex_lock(&context->lock);
	left = --memory->references;
	pthread_mutex_unlock(&context->lock);
	if (!left)
		free_memory(memory);
}

// SPDX-License-Identifier: MIT
/* Buffers of the delegate and their handles (buffer.h). */
#include "frontend/delegate/buffer.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/delegate/delegate.h"
#include "frontend/delegate/nnaccel_delegate.h"
#include "libnnaccel/support/array.h"

void delegate_buffers_init(struct delegate_buffers *buffers)
{
	*buffers = (struct delegate_buffers){ .lock = PTHREAD_MUTEX_INITIALIZER };
}

void delegate_buffers_destroy(struct delegate_buffers *buffers)
{
	for (int i = 0; i < buffers->count; i++)
		nna_buffer_destroy(buffers->list[i]);
	free(buffers->list);
	pthread_mutex_destroy(&buffers->lock);
}

struct nna_buffer *delegate_buffer_find(struct delegate_buffers *buffers, int handle)
{
	struct nna_buffer *buffer = NULL;

	pthread_mutex_lock(&buffers->lock);
	if (handle >= 0 && handle < buffers->count)
		buffer = buffers->list[handle];
	pthread_mutex_unlock(&buffers->lock);
	return buffer;
}

/* Return: the new handle, or -ENOMEM. */
static int add(struct delegate_buffers *buffers, struct nna_buffer *buffer)
{
	struct nna_buffer **list = NULL;
	int handle = -ENOMEM;

	pthread_mutex_lock(&buffers->lock);
	if (buffers->count < INT_MAX)
		list = nna_array_reserve(buffers->list, (uint64_t)buffers->count + 1,
					 &buffers->room, sizeof(struct nna_buffer *));
	if (list) {
		buffers->list = list;
		handle = buffers->count++;
		list[handle] = buffer;
	}
	pthread_mutex_unlock(&buffers->lock);
	return handle;
}

DELEGATE_API int nnaccel_delegate_add_buffer(struct TfLiteDelegate *base, int fd, size_t size)
{
	struct delegate *delegate = base->data_;
	struct nna_buffer *buffer;
	int ret;

	if (!delegate->device)
		return -ENODEV;
	ret = fd < 0 ? nna_buffer_create(delegate->device, size, &buffer)
		     : nna_buffer_import(delegate->device, fd, size, &buffer);
	if (ret)
		return ret;
	ret = add(&delegate->buffers, buffer);
	if (ret < 0)
		nna_buffer_destroy(buffer);
	return ret;
}

DELEGATE_API void *nnaccel_delegate_map_buffer(struct TfLiteDelegate *base, int handle)
{
	struct delegate *delegate = base->data_;
	struct nna_buffer *buffer = delegate_buffer_find(&delegate->buffers, handle);

	return buffer ? nna_buffer_map(buffer) : NULL;
}

DELEGATE_API int nnaccel_delegate_remove_buffer(struct TfLiteDelegate *base, int handle)
{
	struct delegate_buffers *buffers = &((struct delegate *)base->data_)->buffers;
	struct nna_buffer *buffer = NULL;

	pthread_mutex_lock(&buffers->lock);
	if (handle >= 0 && handle < buffers->count) {
		buffer = buffers->list[handle];
		buffers->list[handle] = NULL;
	}
	pthread_mutex_unlock(&buffers->lock);
	if (!buffer)
		return -ENOENT;
	nna_buffer_destroy(buffer);
	return 0;
}

/* Copies a tensor's bytes from its buffer, or to it. Return: TFLite's status. */
static int copy(struct TfLiteContext *context, struct TfLiteDelegate *base, int handle,
		struct TfLiteTensor *tensor, bool from_buffer)
{
	struct delegate *delegate = base->data_;
	struct nna_buffer *buffer = delegate_buffer_find(&delegate->buffers, handle);
	void *bytes = buffer ? nna_buffer_map(buffer) : NULL;

	if (!bytes || tensor->bytes > nna_buffer_size(buffer) || !tensor->data) {
		context->ReportError(context, "nnaccel: buffer %d %s", handle,
				     !bytes ? "is unknown" : "and its tensor do not fit");
		return TFLITE_STATUS_ERROR;
	}
	memcpy(from_buffer ? tensor->data : bytes, from_buffer ? bytes : tensor->data,
	       tensor->bytes);
	return TFLITE_STATUS_OK;
}

int delegate_buffer_read(struct TfLiteContext *context, struct TfLiteDelegate *base, int handle,
			 struct TfLiteTensor *tensor)
{
	return copy(context, base, handle, tensor, true);
}

int delegate_buffer_write(struct TfLiteContext *context, struct TfLiteDelegate *base, int handle,
			  struct TfLiteTensor *tensor)
{
	return copy(context, base, handle, tensor, false);
}

void delegate_buffer_forget(struct TfLiteContext *context, struct TfLiteDelegate *base, int *handle)
{
	*handle = DELEGATE_NO_HANDLE;
}

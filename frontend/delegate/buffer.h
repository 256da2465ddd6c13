/* SPDX-License-Identifier: MIT */
/*
 * Buffers, and the handles by which programs give them to tensors (nnaccel_delegate.h).
 *
 * A handle is the index of a buffer in the delegate's list, in the order of addition. The list has
 * a lock, because interpreters of several threads look buffers up.
 */
#ifndef DELEGATE_BUFFER_H
#define DELEGATE_BUFFER_H

#include <nnaccel.h>
#include <pthread.h>

#include "frontend/delegate/tflite_abi.h"

/* TFLite's value for a tensor without a handle. */
#define DELEGATE_NO_HANDLE (-1)

/**
 * struct delegate_buffers - the buffers of a delegate
 * @lock: guards the fields below
 * @list: @count buffers, indexed by handle; NULL for a removed one
 * @room: allocated entries of @list
 */
struct delegate_buffers {
	pthread_mutex_t lock;
	struct nna_buffer **list;
	int count;
	uint32_t room;
};

void delegate_buffers_init(struct delegate_buffers *buffers);
/* Frees all remaining buffers. */
void delegate_buffers_destroy(struct delegate_buffers *buffers);

/* Return: the buffer of a handle, NULL for an unknown one. */
struct nna_buffer *delegate_buffer_find(struct delegate_buffers *buffers, int handle);

/* Members of struct TfLiteDelegate: copy a tensor's bytes from its buffer, and to it. */
int delegate_buffer_read(struct TfLiteContext *context, struct TfLiteDelegate *base, int handle,
			 struct TfLiteTensor *tensor);
int delegate_buffer_write(struct TfLiteContext *context, struct TfLiteDelegate *base, int handle,
			  struct TfLiteTensor *tensor);
/* The tensor gives up the handle. The buffer stays. */
void delegate_buffer_forget(struct TfLiteContext *context, struct TfLiteDelegate *base,
			    int *handle);

#endif

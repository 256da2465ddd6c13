/* SPDX-License-Identifier: MIT */
/*
 * The buffers behind the handles that programs give to tensors (nnaccel_delegate.h).
 *
 * A handle is the number of a buffer, in the order in which they were added. They are kept in a
 * list of the delegate, under its lock: interpreters of several threads look them up.
 */
#ifndef DELEGATE_BUFFER_H
#define DELEGATE_BUFFER_H

#include <nnaccel.h>
#include <pthread.h>

#include "frontend/delegate/tflite_abi.h"

/* What a tensor has for a handle where it has none. */
#define DELEGATE_NO_HANDLE (-1)

/**
 * struct delegate_buffers - the buffers of a delegate
 * @lock: of what follows
 * @list: @count buffers by their handles, NULL where one was removed
 * @room: entries that @list has memory for
 */
struct delegate_buffers {
	pthread_mutex_t lock;
	struct nna_buffer **list;
	int count, room;
};

void delegate_buffers_init(struct delegate_buffers *buffers);
/* Frees all buffers that are left. */
void delegate_buffers_destroy(struct delegate_buffers *buffers);

/* The buffer of a handle, NULL for an unknown one. */
struct nna_buffer *delegate_buffer_find(struct delegate_buffers *buffers, int handle);

/* TfLiteDelegate's functions of handles: the tensor's bytes from the buffer, and to it. */
int delegate_buffer_read(struct TfLiteContext *context, struct TfLiteDelegate *base, int handle,
			 struct TfLiteTensor *tensor);
int delegate_buffer_write(struct TfLiteContext *context, struct TfLiteDelegate *base, int handle,
			  struct TfLiteTensor *tensor);
/* The tensor no longer has the handle, whose buffer stays. */
void delegate_buffer_forget(struct TfLiteContext *context, struct TfLiteDelegate *base,
			    int *handle);

#endif

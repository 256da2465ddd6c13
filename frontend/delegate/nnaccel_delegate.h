/* SPDX-License-Identifier: MIT */
/*
 * Buffer handles of the delegate: tensors in memory that the accelerator reaches.
 *
 * A program that loads libnnaccel_delegate.so itself, with dlopen() or by linking, can give tensors
 * handles of buffers, such as the dma-bufs of a camera. Runs then use the buffers without a copy:
 *
 *	delegate = tflite_plugin_create_delegate(keys, values, count, NULL);
 *	interpreter->ModifyGraphWithDelegate(delegate);
 *	handle = nnaccel_delegate_add_buffer(delegate, fd, size);
 *	interpreter->SetBufferHandle(interpreter->inputs()[0], handle, delegate);
 *	interpreter->SetAllowBufferHandleOutput(true);
 *	interpreter->Invoke();
 *
 * A run reads an input from its buffer, not from TFLite's own memory. It writes an output to its
 * buffer; without SetAllowBufferHandleOutput(true), TFLite then copies the output to its own memory
 * as well. TFLite's external delegate (load_delegate(), TfLiteExternalDelegateCreate()) hides the
 * delegate from the program, so its tensors cannot have handles and are copied once each way.
 */
#ifndef NNACCEL_DELEGATE_H
#define NNACCEL_DELEGATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TfLiteDelegate;

/**
 * nnaccel_delegate_add_buffer() - create a handle for memory
 * @delegate: the return value of tflite_plugin_create_delegate()
 * @fd: a dma-buf (loopback: a memfd), which the caller keeps; -1 for new memory of zeros
 * @size: bytes; at least the size of each tensor that gets the handle
 *
 * Any thread may call this function and the ones below at any time. A handle may be given to any
 * tensor of any interpreter that has the delegate, and TFLite may take it back. The buffer lives
 * until nnaccel_delegate_remove_buffer(), or until the delegate is destroyed.
 *
 * Return: a handle, 0 or more, which is never reused in this delegate; -ENODEV without a device,
 * -ENOTSUP for memory that the device cannot reach, or another negative errno.
 */
int nnaccel_delegate_add_buffer(struct TfLiteDelegate *delegate, int fd, size_t size);

/*
 * Return: the buffer's bytes, mapped in this process until it is removed; NULL for an unknown
 * handle.
 */
void *nnaccel_delegate_map_buffer(struct TfLiteDelegate *delegate, int handle);

/*
 * Removes a handle and its buffer. No run may be using it; a later run fails if a tensor still has
 * the handle. Return: 0, or -ENOENT.
 */
int nnaccel_delegate_remove_buffer(struct TfLiteDelegate *delegate, int handle);

#ifdef __cplusplus
}
#endif

#endif

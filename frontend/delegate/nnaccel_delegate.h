/* SPDX-License-Identifier: MIT */
/*
 * Tensors in memory that the accelerator reaches: buffer handles of the delegate.
 *
 * A program that takes libnnaccel_delegate.so by itself, with dlopen() or by linking, gives tensors
 * handles of buffers, such as dma-bufs of a camera; runs then work in these without a copy:
 *
 *	delegate = tflite_plugin_create_delegate(keys, values, count, NULL);
 *	interpreter->ModifyGraphWithDelegate(delegate);
 *	handle = nnaccel_delegate_add_buffer(delegate, fd, size);
 *	interpreter->SetBufferHandle(interpreter->inputs()[0], handle, delegate);
 *	interpreter->SetAllowBufferHandleOutput(true);
 *	interpreter->Invoke();
 *
 * The buffer of an input counts, not TFLite's own memory for it. An output is in its buffer; unless
 * SetAllowBufferHandleOutput() says that this will do, TFLite copies it into its own memory, too.
 * TFLite's external delegate (load_delegate(), TfLiteExternalDelegateCreate()) hides the delegate,
 * whose tensors are then copied once each way.
 */
#ifndef NNACCEL_DELEGATE_H
#define NNACCEL_DELEGATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TfLiteDelegate;

/**
 * nnaccel_delegate_add_buffer() - a handle for memory
 * @delegate: as tflite_plugin_create_delegate() has returned it
 * @fd: of a dma-buf (loopback: of a memfd), which stays the caller's; -1 for new memory of zeros
 * @size: bytes; at least those of the tensors that it will be given to
 *
 * Any thread may call this and the following, at any time. A handle can be given to any tensors of
 * any interpreters that have the delegate, and taken back by TFLite: the buffer stays until
 * nnaccel_delegate_remove_buffer(), or until the delegate is destroyed.
 *
 * Return: a handle, 0 or more, that no other buffer of the delegate ever had; -ENODEV without a
 * device, -ENOTSUP for memory that the device cannot reach, or another negative errno.
 */
int nnaccel_delegate_add_buffer(struct TfLiteDelegate *delegate, int fd, size_t size);

/* The bytes of a buffer in this process, for as long as it lives; NULL for an unknown handle. */
void *nnaccel_delegate_map_buffer(struct TfLiteDelegate *delegate, int handle);

/*
 * Ends a handle. No run may be under way with it; a run that meets it in a tensor later fails.
 * Return: 0, or -ENOENT.
 */
int nnaccel_delegate_remove_buffer(struct TfLiteDelegate *delegate, int handle);

#ifdef __cplusplus
}
#endif

#endif

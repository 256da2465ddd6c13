/* SPDX-License-Identifier: MIT */
/* Buffers: memory that the device, this process and perhaps other processes share. */
#ifndef NNA_RUNTIME_BUFFER_H
#define NNA_RUNTIME_BUFFER_H

#include "libnnaccel/winsys/winsys.h"

/**
 * struct nna_buffer - memory of a device; constant
 * @device: the device that can read and write it; borrowed
 * @bo: the memory; owned
 * @size: bytes that the caller asked for; @bo may have more
 */
struct nna_buffer {
	struct nna_device *device;
	struct nna_winsys_bo *bo;
	size_t size;
};

#endif

/* SPDX-License-Identifier: MIT */
/* Memories: what arguments and constants lie in. */
#ifndef NNAPI_MEMORY_H
#define NNAPI_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"
#include "nnaccel.h"

/**
 * struct nnapi_memory_type - what device memory holds
 * @type: enum nna_operand_type
 * @scale: of quantised types, else 0, as @zero_point is
 * @rank: 0 for scalars, and while it is unknown
 * @dims: @rank of them, 0 is unknown
 */
struct nnapi_memory_type {
	uint32_t type;
	float scale;
	int32_t zero_point;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
};

/**
 * struct ANeuralNetworksMemory - memory
 * @map: its bytes; NULL for PROT_NONE
 * @size: bytes
 * @protect: PROT_READ and PROT_WRITE: what @map allows
 * @fd: of the file, owned; -1 for device memory
 * @offset: of the first byte in the file
 * @device_memory: made from a descriptor, else a part of a file
 * @desc: of device memory: the descriptor that it was made from, a reference; only its count
 *	concerns memory.c
 * @type: of device memory: what it holds
 * @lock: of what follows
 * @device: that @buffer is of
 * @buffer: the memory as that device knows it; NULL when it has to be copied
 * @import_tried: @buffer will not change any more
 * @initialized: of device memory: a run or a copy has filled it
 */
struct ANeuralNetworksMemory {
	struct nnapi_object object;
	uint8_t *map;
	size_t size;
	int protect;
	int fd;
	size_t offset;
	bool device_memory;
	ANeuralNetworksMemoryDesc *desc;
	struct nnapi_memory_type type;
	pthread_mutex_t lock;
	struct ANeuralNetworksDevice *device;
	struct nna_buffer *buffer;
	bool import_tried;
	bool initialized;
};

/* A pointer to it is a pointer to its count. */
_Static_assert(!offsetof(struct ANeuralNetworksMemory, object), "the count of a memory is first");

/*
 * Memory of @size bytes for a value of @type on @device. It takes a reference to @desc. Return: 0
 * or a negative errno of the library; -ENOENT when there is no such device.
 */
int nnapi_memory_create_on_device(const ANeuralNetworksMemoryDesc *desc,
				  struct ANeuralNetworksDevice *device,
				  const struct nnapi_memory_type *type, size_t size,
				  ANeuralNetworksMemory **memory);

/*
 * The buffer for @device, which is the memory's; NULL when that cannot share the memory, or another
 * device was the first to. @offset receives where the memory begins in it.
 */
struct nna_buffer *nnapi_memory_get_buffer(ANeuralNetworksMemory *memory,
					   struct ANeuralNetworksDevice *device, size_t *offset);

/*
 * Whether device memory can hold a value of this shape, of which 0, as rank or dimension, says
 * nothing. As many bytes in another shape are another value.
 */
bool nnapi_memory_fits_shape(const ANeuralNetworksMemory *memory, uint32_t rank,
			     const uint32_t *dims);

/* Whether there is something to be read; that is always so in a file. */
bool nnapi_memory_is_initialized(ANeuralNetworksMemory *memory);
/* Whether device memory holds something: a run that fails leaves nothing in its outputs. */
void nnapi_memory_set_initialized(ANeuralNetworksMemory *memory, bool initialized);

#endif

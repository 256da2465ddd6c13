/* SPDX-License-Identifier: MIT */
/* Memories: the bytes of arguments and constants. */
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
 * struct nnapi_memory_type - the type of the value in device memory
 * @type: enum nna_operand_type
 * @scale: of quantised types, otherwise 0
 * @zero_point: of quantised types, otherwise 0
 * @rank: 0 for scalars, and while it is unknown
 * @dims: @rank of them, 0 for an unknown one
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
 * @shrinks: a file whose owner can truncate it: its bytes are read and written by system calls, as
 *	an access to a mapping beyond the end kills the process
 * @map: its bytes; NULL if it @shrinks
 * @size: bytes
 * @protect: PROT_READ and PROT_WRITE, as allowed for @map
 * @fd: of the file, owned; -1 for device memory
 * @offset: of the first byte in the file
 * @device_memory: created from a descriptor; otherwise a range of a file
 * @desc: of device memory: its descriptor, a reference; memory.c uses only its count
 * @type: of device memory: the type of its value
 * @lock: guards the fields below
 * @device: the device of @buffer
 * @buffer: the device's view of the memory; NULL if it has to be copied
 * @import_tried: @buffer will not change any more
 * @initialized: of device memory: a run or a copy has filled it
 */
struct ANeuralNetworksMemory {
	struct nnapi_object object;
	bool shrinks;
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

/* The reference count is the first member (object.h). */
_Static_assert(!offsetof(struct ANeuralNetworksMemory, object), "the count of a memory is first");

/*
 * Creates memory of @size bytes for a value of @type on @device, with a reference to @desc. Return:
 * 0 or a negative errno of the library; -ENOENT if @device is NULL.
 */
int nnapi_memory_create_on_device(const ANeuralNetworksMemoryDesc *desc,
				  struct ANeuralNetworksDevice *device,
				  const struct nnapi_memory_type *type, size_t size,
				  ANeuralNetworksMemory **memory);

/*
 * Return: the memory's buffer for @device, owned by the memory; NULL if the device cannot share the
 * memory, or another device was the first to share it. @offset: receives the memory's start in it.
 */
struct nna_buffer *nnapi_memory_get_buffer(ANeuralNetworksMemory *memory,
					   struct ANeuralNetworksDevice *device, size_t *offset);

/*
 * Return: true if device memory can hold a value of this shape; a rank or dimension of 0 is
 * unknown. The same number of bytes in another shape is another value.
 */
bool nnapi_memory_fits_shape(const ANeuralNetworksMemory *memory, uint32_t rank,
			     const uint32_t *dims);

/*
 * Copies bytes of memory that can shrink. Return: 0, -ENODATA if the file has been truncated, or
 * the error of the file.
 */
int nnapi_memory_read(const ANeuralNetworksMemory *memory, size_t offset, void *to, size_t size);
int nnapi_memory_write(const ANeuralNetworksMemory *memory, size_t offset, const void *from,
		       size_t size);

/* Return: true if the memory has a value; always true for a file. */
bool nnapi_memory_is_initialized(ANeuralNetworksMemory *memory);
/* Sets whether device memory has a value. After a failed run its outputs have none. */
void nnapi_memory_set_initialized(ANeuralNetworksMemory *memory, bool initialized);

#endif

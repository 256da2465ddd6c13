// SPDX-License-Identifier: MIT
/*
 * Memories: ranges of files or dma-bufs, and device memory, which is created from a descriptor
 * (desc.c).
 *
 * The first binding tries to share a range of a file with the device. If that fails, the range is
 * copied at each run. A file that can shrink is neither shared nor mapped: each run reads and
 * writes it.
 */
#include "hal-bridge/nnapi/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hal-bridge/common/backing.h"
#include "hal-bridge/nnapi/device.h"
#include "hal-bridge/nnapi/nnapi.h"

static void nnapi_memory_destroy(void *object)
{
	ANeuralNetworksMemory *memory = object;

	if (!memory->device_memory && memory->map)
		munmap(memory->map, memory->size);
	nna_buffer_destroy(memory->buffer);
	if (memory->fd >= 0)
		close(memory->fd);
	nnapi_object_unref(memory->desc);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
}

static ANeuralNetworksMemory *nnapi_memory_create(void)
{
	ANeuralNetworksMemory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	nnapi_object_init(&memory->object, nnapi_memory_destroy);
	memory->fd = -1;
	pthread_mutex_init(&memory->lock, NULL);
	return memory;
}

NNAPI_EXPORT int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
						    ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemory *self;
	size_t end;
	struct stat st;
	int ret, seals;

	if (!memory)
		return nnapi_null(__func__);
	*memory = NULL;
	if (!size || fd < 0 || protect & ~(PROT_READ | PROT_WRITE) ||
	    __builtin_add_overflow(offset, size, &end) || end > INT64_MAX ||
	    offset % sysconf(_SC_PAGESIZE))
		return nnapi_error(BAD_DATA, "%s: invalid range of %zu bytes at offset %zu of fd "
				   "%d, protection %#x", __func__, size, offset, fd, protect);
	/* Before the size: a seal then guarantees that the size does not shrink. */
	seals = fcntl(fd, F_GET_SEALS);
	if (fstat(fd, &st))
		return nnapi_error(BAD_DATA, "%s: fd %d: %s", __func__, fd, strerror(errno));
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size < end)
		return nnapi_error(BAD_DATA, "%s: the file has %lld bytes, but %zu are needed",
				   __func__, (long long)st.st_size, end);
	self = nnapi_memory_create();
	if (!self)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	self->size = size;
	self->protect = protect;
	self->offset = offset;
	self->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (self->fd >= 0)
		self->map = mmap(NULL, size, protect, MAP_SHARED, self->fd, offset);
	if (self->fd < 0 || self->map == MAP_FAILED) {
		ret = nnapi_error(UNMAPPABLE, "%s: fd %d: %s", __func__, fd, strerror(errno));
		self->map = NULL;
		nnapi_object_unref(self);
		return ret;
	}
	self->shrinks = S_ISREG(st.st_mode) && !nnb_backing_is_fixed(fd, seals, &st, true);
	if (self->shrinks) {
		/* The mapping has shown that the accesses are allowed. */
		munmap(self->map, size);
		self->map = NULL;
		self->import_tried = true;
	}
	*memory = self;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb,
								 ANeuralNetworksMemory **memory)
{
	if (!ahwb || !memory)
		return nnapi_null(__func__);
	*memory = NULL;
	return nnapi_error(BAD_DATA,
			   "%s: this system has no AHardwareBuffer; use the fd of a dma-buf",
			   __func__);
}

int nnapi_memory_create_on_device(const ANeuralNetworksMemoryDesc *desc,
				  struct ANeuralNetworksDevice *device,
				  const struct nnapi_memory_type *type, size_t size,
				  ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemory *self = nnapi_memory_create();
	int ret;

	if (!self)
		return -ENOMEM;
	self->device_memory = true;
	self->protect = PROT_READ | PROT_WRITE;
	self->size = size;
	self->import_tried = true;
	self->desc = nnapi_object_ref(desc);
	self->type = *type;
	self->device = device;
	ret = nnapi_device_open(device) ?
		      nna_buffer_create(device->device, size, &self->buffer) : -ENOENT;
	if (!ret) {
		self->map = nna_buffer_map(self->buffer);
		if (!self->map)
			ret = -ENOMEM;
	}
	if (ret) {
		nnapi_object_unref(self);
		return ret;
	}
	*memory = self;
	return 0;
}

NNAPI_EXPORT void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory)
{
	nnapi_object_unref(memory);
}

struct nna_buffer *nnapi_memory_get_buffer(ANeuralNetworksMemory *memory,
					   struct ANeuralNetworksDevice *device, size_t *offset)
{
	struct nna_buffer *buffer;

	pthread_mutex_lock(&memory->lock);
	if (!memory->import_tried) {
		memory->import_tried = true;
		/* No error: memory that cannot be shared is copied. */
		if (nna_buffer_import(device->device, memory->fd, memory->offset + memory->size,
				      &memory->buffer))
			memory->buffer = NULL;
		memory->device = device;
	}
	buffer = memory->device == device ? memory->buffer : NULL;
	pthread_mutex_unlock(&memory->lock);
	*offset = memory->device_memory ? 0 : memory->offset;
	return buffer;
}

bool nnapi_memory_fits_shape(const ANeuralNetworksMemory *memory, uint32_t rank,
			     const uint32_t *dims)
{
	if (rank && rank != memory->type.rank)
		return false;
	for (uint32_t i = 0; i < rank; i++) {
		if (dims[i] && dims[i] != memory->type.dims[i])
			return false;
	}
	return true;
}

void nnapi_memory_set_initialized(ANeuralNetworksMemory *memory, bool initialized)
{
	pthread_mutex_lock(&memory->lock);
	memory->initialized = initialized;
	pthread_mutex_unlock(&memory->lock);
}

bool nnapi_memory_is_initialized(ANeuralNetworksMemory *memory)
{
	bool initialized;

	if (!memory->device_memory)
		return true;
	pthread_mutex_lock(&memory->lock);
	initialized = memory->initialized;
	pthread_mutex_unlock(&memory->lock);
	return initialized;
}

int nnapi_memory_read(const ANeuralNetworksMemory *memory, size_t offset, void *to, size_t size)
{
	return nnb_backing_read(memory->fd, memory->offset + offset, to, size);
}

int nnapi_memory_write(const ANeuralNetworksMemory *memory, size_t offset, const void *from,
		       size_t size)
{
	return nnb_backing_replace(memory->fd, memory->offset + offset, from, size);
}

/* Copies all bytes between memories of one size. Return: 0 or a negative errno. */
static int nnapi_memory_copy_bytes(const ANeuralNetworksMemory *src,
				   const ANeuralNetworksMemory *dst)
{
	void *between;
	int ret;

	if (src->map && dst->map) {
		/* Two mappings of one file may overlap. */
		memmove(dst->map, src->map, src->size);
		return 0;
	}
	if (src->map)
		return nnapi_memory_write(dst, 0, src->map, src->size);
	if (dst->map)
		return nnapi_memory_read(src, 0, dst->map, src->size);
	between = malloc(src->size);
	if (!between)
		return -ENOMEM;
	ret = nnapi_memory_read(src, 0, between, src->size);
	if (!ret)
		ret = nnapi_memory_write(dst, 0, between, src->size);
	free(between);
	return ret;
}

NNAPI_EXPORT int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src,
					    const ANeuralNetworksMemory *dst)
{
	ANeuralNetworksMemory *from = (ANeuralNetworksMemory *)src;
	ANeuralNetworksMemory *to = (ANeuralNetworksMemory *)dst;
	bool same = true;
	int ret;

	if (!src || !dst)
		return nnapi_null(__func__);
	if (src == dst)
		return ANEURALNETWORKS_NO_ERROR;
	if (!nnapi_memory_is_initialized(from))
		return nnapi_error(BAD_DATA, "%s: nothing has written the source yet", __func__);
	if (src->device_memory && dst->device_memory) {
		same = src->type.type == dst->type.type && src->type.rank == dst->type.rank &&
		       src->type.scale == dst->type.scale &&
		       src->type.zero_point == dst->type.zero_point &&
		       !memcmp(src->type.dims, dst->type.dims,
			       src->type.rank * sizeof(src->type.dims[0]));
	}
	if (!same || src->size != dst->size) {
		if (dst->device_memory)
			nnapi_memory_set_initialized(to, false);
		return nnapi_error(BAD_DATA, "%s: %zu bytes into %zu, or types differ", __func__,
				   src->size, dst->size);
	}
	if (!(src->protect & PROT_READ) || !(dst->protect & PROT_WRITE))
		return nnapi_error(UNMAPPABLE,
				   "%s: the source must be readable, the destination writable",
				   __func__);
	ret = nnapi_memory_copy_bytes(src, dst);
	if (dst->device_memory)
		nnapi_memory_set_initialized(to, !ret);
	if (ret == -ENOMEM)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	return ret ? nnapi_error(OP_FAILED, "%s: %zu bytes of a file cannot be copied: %s", __func__,
				 src->size,
				 ret == -ENODATA ? "it has been truncated" : strerror(-ret)) :
		     ANEURALNETWORKS_NO_ERROR;
}

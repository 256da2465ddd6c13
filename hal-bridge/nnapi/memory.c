// SPDX-License-Identifier: MIT
/*
 * Memories: ranges of files or dma-bufs, and device memory, which is made from a descriptor.
 *
 * A descriptor collects the roles (an input or output of a compilation) that one piece of device
 * memory will serve in turn; they have to agree in type, and what each knows of the dimensions is
 * combined. The memory is then as large as these say and keeps a copy of the roles: it may be bound
 * to nothing else, and always as a whole.
 *
 * A range of a file is shared with the device when it is first bound, if that is possible, and
 * copied otherwise.
 */
#include "hal-bridge/nnapi/nnapi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------- descriptors */

static void nnapi_desc_fini(struct ANeuralNetworksMemoryDesc *desc)
{
	for (uint32_t i = 0; i < desc->role_count; i++)
		nnapi_object_unref(desc->roles[i].compilation);
	free(desc->roles);
}

NNAPI_EXPORT int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc)
{
	if (!desc)
		return nnapi_null(__func__);
	*desc = calloc(1, sizeof(**desc));
	return *desc ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY;
}

NNAPI_EXPORT void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc)
{
	if (!desc)
		return;
	nnapi_desc_fini(desc);
	free(desc);
}

/* Adds to the descriptor's dimensions what @dims says. Return: false when they contradict. */
static bool nnapi_desc_combine(struct ANeuralNetworksMemoryDesc *desc, uint32_t rank,
			       const uint32_t *dims)
{
	if (!rank)
		return true;
	if (rank > NNACCEL_MAX_RANK || (desc->rank && desc->rank != rank))
		return false;
	for (uint32_t i = 0; i < rank && desc->rank; i++) {
		if (desc->dims[i] && dims[i] && desc->dims[i] != dims[i])
			return false;
	}
	for (uint32_t i = 0; i < rank; i++) {
		if (!desc->rank || !desc->dims[i])
			desc->dims[i] = dims[i];
	}
	desc->rank = rank;
	return true;
}

/* True when device memory may serve @operand as well as what @desc is for already. */
static bool nnapi_desc_matches(const struct ANeuralNetworksMemoryDesc *desc,
			       const struct nnb_operand *operand)
{
	const struct nnb_operand *first;

	if (!desc->role_count)
		return nnb_type_is_tensor(operand->type) || !desc->rank;
	first = nnapi_compilation_operand(desc->roles[0].compilation, desc->roles[0].output,
					  desc->roles[0].index);
	return first->type == operand->type && first->scale == operand->scale &&
	       first->zero_point == operand->zero_point &&
	       first->channel_dim == operand->channel_dim &&
	       first->scale_count == operand->scale_count &&
	       (!first->scale_count || !memcmp(first->scales, operand->scales,
					       first->scale_count * sizeof(*first->scales)));
}

/* NO_ERROR while the descriptor can be changed. @given: no other argument is NULL wrongly. */
static int nnapi_desc_open(const struct ANeuralNetworksMemoryDesc *desc, bool given,
			   const char *function)
{
	if (!desc || !given)
		return nnapi_null(function);
	if (desc->finished)
		return nnapi_error(BAD_STATE, "%s: the descriptor is finished", function);
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_desc_add_role(struct ANeuralNetworksMemoryDesc *desc,
			       const ANeuralNetworksCompilation *compilation, bool output,
			       uint32_t index, float frequency, const char *function)
{
	int ret = nnapi_desc_open(desc, compilation, function);
	const struct nnb_operand *operand;
	struct nnapi_role *roles;

	if (ret)
		return ret;
	if (!compilation->program)
		return nnapi_error(BAD_DATA, "%s: the compilation is not finished", function);
	operand = nnapi_compilation_operand(compilation, output, index);
	if (!operand)
		return nnapi_error(BAD_DATA, "%s: there is no %s %u", function,
				   output ? "output" : "input", index);
	if (!(frequency > 0.0f && frequency <= 1.0f))
		return nnapi_error(BAD_DATA, "%s: frequency %g is not in (0, 1]", function,
				   frequency);
	for (uint32_t i = 0; i < desc->role_count; i++) {
		if (desc->roles[i].compilation == compilation && desc->roles[i].index == index &&
		    desc->roles[i].output == output)
			return nnapi_error(BAD_DATA, "%s: the role is there already", function);
	}
	if (!nnapi_desc_matches(desc, operand))
		return nnapi_error(BAD_DATA, "%s: types or scales of the roles differ", function);
	roles = reallocarray(desc->roles, desc->role_count + 1, sizeof(*roles));
	if (!roles)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	desc->roles = roles;
	if (!nnapi_desc_combine(desc, operand->rank, operand->dims))
		return nnapi_error(BAD_DATA, "%s: dimensions of the roles differ", function);
	roles[desc->role_count].compilation = nnapi_object_ref(compilation);
	roles[desc->role_count].index = index;
	roles[desc->role_count++].output = output;
	desc->type = operand->type;
	desc->scale = operand->scale;
	desc->zero_point = operand->zero_point;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int
ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
				       const ANeuralNetworksCompilation *compilation,
				       uint32_t index, float frequency)
{
	return nnapi_desc_add_role(desc, compilation, false, index, frequency, __func__);
}

NNAPI_EXPORT int
ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
					const ANeuralNetworksCompilation *compilation,
					uint32_t index, float frequency)
{
	return nnapi_desc_add_role(desc, compilation, true, index, frequency, __func__);
}

NNAPI_EXPORT int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc,
							 uint32_t rank, const uint32_t *dimensions)
{
	int ret = nnapi_desc_open(desc, !rank || dimensions, __func__);

	if (ret)
		return ret;
	if ((rank && desc->role_count && !nnb_type_is_tensor(desc->type)) ||
	    !nnapi_desc_combine(desc, rank, dimensions))
		return nnapi_error(BAD_DATA, "%s: the dimensions contradict the roles", __func__);
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc)
{
	int ret = nnapi_desc_open(desc, true, __func__);

	if (ret)
		return ret;
	if (!desc->role_count)
		return nnapi_error(BAD_DATA, "%s: the descriptor has no roles", __func__);
	desc->finished = true;
	return ANEURALNETWORKS_NO_ERROR;
}

/* --------------------------------------------------------------------------------------- memory */

static void nnapi_memory_destroy(void *object)
{
	ANeuralNetworksMemory *memory = object;

	if (!memory->device_memory && memory->map)
		munmap(memory->map, memory->size);
	nna_buffer_destroy(memory->buffer);
	if (memory->fd >= 0)
		close(memory->fd);
	nnapi_desc_fini(&memory->desc);
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
	int ret;

	if (!memory)
		return nnapi_null(__func__);
	*memory = NULL;
	if (!size || fd < 0 || protect & ~(PROT_READ | PROT_WRITE) ||
	    __builtin_add_overflow(offset, size, &end) || end > INT64_MAX ||
	    offset % sysconf(_SC_PAGESIZE))
		return nnapi_error(BAD_DATA, "%s: %zu bytes at %zu of fd %d with protection %#x",
				   __func__, size, offset, fd, protect);
	if (fstat(fd, &st))
		return nnapi_error(BAD_DATA, "%s: fd %d: %s", __func__, fd, strerror(errno));
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size < end)
		return nnapi_error(BAD_DATA, "%s: the file has %lld bytes, %zu are wanted",
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

NNAPI_EXPORT int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
						      ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemory *self;
	size_t size;
	int ret;

	if (!memory || !desc)
		return nnapi_null(__func__);
	*memory = NULL;
	if (!desc->finished)
		return nnapi_error(BAD_STATE, "%s: the descriptor is not finished", __func__);
	if (!nnb_type_bytes(desc->type, desc->rank, desc->dims, &size))
		return nnapi_error(OP_FAILED, "%s: dimensions are unknown", __func__);
	if (!nnapi_device_get())
		return nnapi_error(UNAVAILABLE_DEVICE, "%s: there is no device", __func__);
	self = nnapi_memory_create();
	if (!self)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	self->device_memory = true;
	self->protect = PROT_READ | PROT_WRITE;
	self->size = size;
	self->import_tried = true;
	self->desc = *desc;
	self->desc.role_count = 0;
	self->desc.roles = calloc(desc->role_count, sizeof(*desc->roles));
	if (!self->desc.roles) {
		nnapi_object_unref(self);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	for (uint32_t i = 0; i < desc->role_count; i++) {
		self->desc.roles[i] = desc->roles[i];
		nnapi_object_ref(desc->roles[i].compilation);
		self->desc.role_count++;
	}
	ret = nna_buffer_create(nnapi_device_get()->device, size, &self->buffer);
	if (!ret) {
		self->map = nna_buffer_map(self->buffer);
		if (!self->map)
			ret = -ENOMEM;
	}
	if (ret) {
		nnapi_object_unref(self);
		nnb_log("%s: %zu bytes: %s", __func__, size, strerror(-ret));
		return nnb_result_of_call(ret);
	}
	*memory = self;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory)
{
	nnapi_object_unref(memory);
}

struct nna_buffer *nnapi_memory_get_buffer(ANeuralNetworksMemory *memory, size_t *offset)
{
	struct nna_buffer *buffer;

	pthread_mutex_lock(&memory->lock);
	if (!memory->import_tried) {
		memory->import_tried = true;
		/* No error: what is in a memory that cannot be shared is copied. */
		if (nna_buffer_import(nnapi_device_get()->device, memory->fd,
				      memory->offset + memory->size, &memory->buffer))
			memory->buffer = NULL;
	}
	buffer = memory->buffer;
	pthread_mutex_unlock(&memory->lock);
	*offset = memory->device_memory ? 0 : memory->offset;
	return buffer;
}

bool nnapi_memory_has_role(const ANeuralNetworksMemory *memory,
			   const ANeuralNetworksCompilation *compilation, bool output,
			   uint32_t index)
{
	for (uint32_t i = 0; i < memory->desc.role_count; i++) {
		const struct nnapi_role *role = &memory->desc.roles[i];

		if (role->compilation == compilation && role->output == output &&
		    role->index == index)
			return true;
	}
	return false;
}

void nnapi_memory_set_initialized(ANeuralNetworksMemory *memory, bool initialized)
{
	pthread_mutex_lock(&memory->lock);
	memory->initialized = initialized;
	pthread_mutex_unlock(&memory->lock);
}

static bool nnapi_memory_is_initialized(ANeuralNetworksMemory *memory)
{
	bool initialized;

	pthread_mutex_lock(&memory->lock);
	initialized = memory->initialized || !memory->device_memory;
	pthread_mutex_unlock(&memory->lock);
	return initialized;
}

NNAPI_EXPORT int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src,
					    const ANeuralNetworksMemory *dst)
{
	ANeuralNetworksMemory *from = (ANeuralNetworksMemory *)src;
	ANeuralNetworksMemory *to = (ANeuralNetworksMemory *)dst;
	bool same = true;

	if (!src || !dst)
		return nnapi_null(__func__);
	if (src == dst)
		return ANEURALNETWORKS_NO_ERROR;
	if (!nnapi_memory_is_initialized(from))
		return nnapi_error(BAD_DATA, "%s: the source has not been written yet", __func__);
	if (src->device_memory && dst->device_memory) {
		same = src->desc.type == dst->desc.type && src->desc.rank == dst->desc.rank &&
		       src->desc.scale == dst->desc.scale &&
		       src->desc.zero_point == dst->desc.zero_point &&
		       !memcmp(src->desc.dims, dst->desc.dims,
			       src->desc.rank * sizeof(src->desc.dims[0]));
	}
	if (!same || src->size != dst->size) {
		if (dst->device_memory)
			nnapi_memory_set_initialized(to, false);
		return nnapi_error(BAD_DATA, "%s: %zu bytes into %zu, or types differ", __func__,
				   src->size, dst->size);
	}
	if (!(src->protect & PROT_READ) || !(dst->protect & PROT_WRITE))
		return nnapi_error(UNMAPPABLE, "%s: not readable or not writable", __func__);
	/* Two mappings of one file may overlap. */
	memmove(dst->map, src->map, src->size);
	if (dst->device_memory)
		nnapi_memory_set_initialized(to, true);
	return ANEURALNETWORKS_NO_ERROR;
}

// SPDX-License-Identifier: MIT
/* Memory of clients (memory.h). */
#include "hal-bridge/service/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hal-bridge/common/backing.h"
#include "hal-bridge/service/file.h"
#include "hal-bridge/service/service.h"

#define NNB_ASHMEM_GET_SIZE _IO(0x77, 4)

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
#define EXHAUSTED NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT

int nnb_memory_find_range(struct nnb_aidl_call *call, const struct nnb_aidl_memory *from,
			  struct nnb_memory_range *range)
{
	const struct nnb_aidl_hardware_buffer *hardware = &from->hardware_buffer;
	int64_t offset = 0, size, end;

	*range = (struct nnb_memory_range){.protect = PROT_READ | PROT_WRITE};
	switch (from->tag) {
	case NNB_AIDL_MEMORY_ASHMEM:
		range->fd = from->ashmem.fd;
		range->ashmem = true;
		size = from->ashmem.size;
		break;
	case NNB_AIDL_MEMORY_MAPPABLE_FILE:
		range->fd = from->mappable_file.fd;
		range->protect = from->mappable_file.prot;
		offset = from->mappable_file.offset;
		size = from->mappable_file.length;
		break;
	default:
		if (hardware->description.format != NNB_AIDL_PIXEL_FORMAT_BLOB ||
		    hardware->description.height != 1 || hardware->description.layers != 1 ||
		    !hardware->handle.fds.count)
			return nnb_aidl_fail(
				call, INVALID,
				"a hardware buffer of format %d, %d rows, %d layers, %u fds: "
				"only a BLOB with 1, 1, and at least 1 is memory",
				hardware->description.format, hardware->description.height,
				hardware->description.layers, hardware->handle.fds.count);
		range->fd = hardware->handle.fds.data[0];
		size = hardware->description.width;
		break;
	}
	if (range->fd < 0 || offset < 0 || size <= 0 ||
	    __builtin_add_overflow(offset, size, &end) ||
	    range->protect & ~(PROT_READ | PROT_WRITE))
		return nnb_aidl_fail(call, INVALID,
				     "invalid memory of %lld bytes at offset %lld, protection %#x",
				     (long long)size, (long long)offset, range->protect);
	range->offset = (size_t)offset;
	range->size = (size_t)size;
	return 0;
}

static int nnb_memory_refuse(const struct nnb_memory *memory, struct nnb_aidl_call *call)
{
	return nnb_aidl_fail(call, EXHAUSTED, "%zu bytes of memory at offset %zu exceed what the "
			     "client's user may have", memory->size, memory->offset);
}

/* Examines the descriptor. Return: 0 or an ErrorStatus. */
static int nnb_memory_look_at(struct nnb_memory *memory, struct nnb_aidl_call *call, int fd,
			      struct stat *st)
{
	const dev_t dmabufs = memory->client->service->dmabufs;
	int ret;

	/* Before the size: a seal then guarantees that the size does not shrink. */
	memory->seals = fcntl(fd, F_GET_SEALS);
	ret = nnb_file_stat(fd, st);
	if (ret)
		return nnb_aidl_fail(call, INVALID, "cannot use the memory: %s", strerror(-ret));
	memory->device = st->st_dev;
	memory->inode = st->st_ino;
	/* Older kernels give dma-bufs no type. */
	memory->fixed = nnb_backing_is_fixed(fd, memory->seals, st,
					     (dmabufs && st->st_dev == dmabufs) ||
						     !(st->st_mode & S_IFMT));
	memory->foreign = memory->seals < 0 && !memory->fixed;
	if (S_ISREG(st->st_mode) && (uint64_t)st->st_size < memory->offset + memory->size)
		return nnb_aidl_fail(call, INVALID, "memory of %zu bytes at offset %zu exceeds its "
				     "file of %lld bytes", memory->size, memory->offset,
				     (long long)st->st_size);
	return 0;
}

/* Removes accesses that the descriptor's access mode does not allow. */
static void nnb_memory_limit_access(struct nnb_memory *memory, int fd)
{
	int mode = fcntl(fd, F_GETFL) & O_ACCMODE;

	if (mode == O_WRONLY)
		memory->readable = false;
	if (mode == O_RDONLY)
		memory->writable = false;
}

/*
 * Shares the memory with the device, if possible. Return: 0, also if it is not possible, or an
 * ErrorStatus without memory for it.
 */
static int nnb_memory_share(struct nnb_memory *memory, struct nnb_aidl_call *call, int fd)
{
	int ret;

	/* The device maps a buffer for reading and writing. */
	if (!memory->fixed || !memory->readable || !memory->writable)
		return 0;
	ret = nna_buffer_import(memory->client->device, fd, memory->offset + memory->size,
				&memory->buffer);
	if (ret)
		memory->buffer = NULL;
	return ret == -ENOMEM ? nnb_memory_refuse(memory, call) : 0;
}

/*
 * Maps memory that is long enough and cannot shrink. Return: 0, also if it cannot be mapped, or an
 * ErrorStatus without memory for it.
 */
static int nnb_memory_map(struct nnb_memory *memory, struct nnb_aidl_call *call, int fd)
{
	const int protect =
		(memory->readable ? PROT_READ : 0) | (memory->writable ? PROT_WRITE : 0);
	const size_t size = memory->offset + memory->size;
	void *map;

	if (!nnb_client_charge(memory->client, size))
		return nnb_memory_refuse(memory, call);
	map = mmap(NULL, size, protect, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		nnb_client_discharge(memory->client, size);
	else
		memory->map = map;
	return 0;
}

/* Maps ashmem. Return: 0 or an ErrorStatus. */
static int nnb_memory_map_ashmem(struct nnb_memory *memory, struct nnb_aidl_call *call, int fd)
{
	int size = ioctl(fd, NNB_ASHMEM_GET_SIZE), ret = 0;

	if (size >= 0 && (size_t)size >= memory->offset + memory->size)
		ret = nnb_memory_map(memory, call, fd);
	return ret || memory->map
		       ? ret
		       : nnb_aidl_fail(call, INVALID, "the ashmem is too small, or no ashmem");
}

/* Return: the address of bytes that are mapped in this process; NULL for a file. */
static unsigned char *nnb_memory_at(const struct nnb_memory *memory, size_t offset)
{
	unsigned char *map = memory->map;

	if (memory->buffer)
		map = nna_buffer_map(memory->buffer);
	return map ? map + memory->offset + offset : NULL;
}

/* Accepts memory that is neither shared nor ashmem. Return: 0 or an ErrorStatus. */
static int nnb_memory_take_file(struct nnb_memory *memory, struct nnb_aidl_call *call, int fd,
				const struct stat *st, bool borrow)
{
	int ret = 0;

	if (!S_ISREG(st->st_mode))
		return nnb_aidl_fail(call, INVALID, "the memory is neither a file nor can it be "
				     "shared with the device");
	memory->borrowed = borrow;
	if (borrow)
		memory->fd = fd;
	else if (memory->fixed)
		ret = nnb_memory_map(memory, call, fd);
	if (ret)
		return ret;
	if (!borrow && !memory->map)
		memory->fd = nnb_file_keep(memory->client, fd);
	if (memory->fd < 0 && !memory->map) {
		ret = memory->fd;
		memory->fd = -1;
		return nnb_aidl_fail(call, EXHAUSTED, "cannot use the memory: %s", strerror(-ret));
	}
	return 0;
}

/* Decides how the range is accessed. Return: 0 or an ErrorStatus. */
static int nnb_memory_take(struct nnb_memory *memory, struct nnb_aidl_call *call,
			   const struct nnb_memory_range *range, bool borrow)
{
	struct stat st;
	int ret;

	nnb_memory_limit_access(memory, range->fd);
	ret = nnb_memory_look_at(memory, call, range->fd, &st);
	if (ret)
		return ret;
	ret = nnb_memory_share(memory, call, range->fd);
	if (ret || memory->buffer)
		return ret;
	return range->ashmem && S_ISCHR(st.st_mode)
		       ? nnb_memory_map_ashmem(memory, call, range->fd)
		       : nnb_memory_take_file(memory, call, range->fd, &st, borrow);
}

int nnb_memory_open(struct nnb_client *client, struct nnb_aidl_call *call,
		    const struct nnb_memory_range *range, bool borrow, struct nnb_memory **out)
{
	struct nnb_memory *memory = calloc(1, sizeof(*memory));
	int ret;

	*out = NULL;
	if (!memory)
		return EXHAUSTED;
	atomic_init(&memory->refs, 1);
	memory->client = client;
	memory->fd = -1;
	memory->offset = range->offset;
	memory->size = range->size;
	memory->readable = range->protect & PROT_READ;
	memory->writable = range->protect & PROT_WRITE;
	ret = nnb_memory_take(memory, call, range, borrow);
	if (ret)
		nnb_memory_unref(memory);
	else
		*out = memory;
	return ret;
}

int nnb_memory_borrow(struct nnb_client *client, struct nnb_aidl_call *call,
		      const struct nnb_aidl_memory *from, struct nnb_memory **out)
{
	struct nnb_memory_range range;
	int ret = nnb_memory_find_range(call, from, &range);

	*out = NULL;
	return ret ? ret : nnb_memory_open(client, call, &range, true, out);
}

struct nnb_memory *nnb_memory_of_buffer(struct nna_buffer *buffer)
{
	struct nnb_memory *memory = calloc(1, sizeof(*memory));

	if (!memory) {
		nna_buffer_destroy(buffer);
		return NULL;
	}
	atomic_init(&memory->refs, 1);
	memory->buffer = buffer;
	memory->fd = -1;
	memory->size = nna_buffer_size(buffer);
	memory->readable = true;
	memory->writable = true;
	return memory;
}

struct nnb_memory *nnb_memory_ref(struct nnb_memory *memory)
{
	atomic_fetch_add_explicit(&memory->refs, 1, memory_order_relaxed);
	return memory;
}

void nnb_memory_unref(struct nnb_memory *memory)
{
	if (!memory || atomic_fetch_sub_explicit(&memory->refs, 1, memory_order_acq_rel) != 1)
		return;
	nna_buffer_destroy(memory->buffer);
	if (memory->map) {
		munmap(memory->map, memory->offset + memory->size);
		nnb_client_discharge(memory->client, memory->offset + memory->size);
	}
	if (memory->fd >= 0 && !memory->borrowed)
		nnb_file_close(memory->client, memory->fd);
	free(memory);
}

/* Return: true if the memory is read and written by a helper. */
static bool nnb_memory_needs_helper(const struct nnb_memory *memory)
{
	return memory->foreign && memory->client->service->options.helpers;
}

static int nnb_memory_transfer(const struct nnb_memory *memory, enum nnb_helper_op op,
			       size_t offset, void *data, size_t size)
{
	const struct nnb_transfer transfer = {
		.op = op,
		.fd = memory->fd,
		.offset = memory->offset + offset,
		.size = size,
		.data = data,
		.dead = &memory->client->dead,
	};

	return nnb_helper_transfer(memory->client->service, memory->client->user, &transfer);
}

int nnb_memory_read(const struct nnb_memory *memory, size_t offset, void *to, size_t size)
{
	if (offset > memory->size || size > memory->size - offset)
		return -EINVAL;
	if (!memory->readable)
		return -EACCES;
	if (nnb_memory_at(memory, offset)) {
		memcpy(to, nnb_memory_at(memory, offset), size);
		return 0;
	}
	if (nnb_memory_needs_helper(memory))
		return nnb_memory_transfer(memory, NNB_HELPER_READ, offset, to, size);
	return nnb_backing_read(memory->fd, memory->offset + offset, to, size);
}

int nnb_memory_write(const struct nnb_memory *memory, size_t offset, const void *from, size_t size)
{
	if (offset > memory->size || size > memory->size - offset)
		return -EINVAL;
	if (!memory->writable)
		return -EACCES;
	if (nnb_memory_at(memory, offset)) {
		memcpy(nnb_memory_at(memory, offset), from, size);
		return 0;
	}
	if (nnb_memory_needs_helper(memory))
		return nnb_memory_transfer(memory, NNB_HELPER_WRITE, offset, (void *)from, size);
	return memory->fixed ? nnb_backing_write(memory->fd, memory->offset + offset, from, size)
			     : nnb_backing_replace(memory->fd, memory->offset + offset, from, size);
}

// SPDX-License-Identifier: MIT
/* Parcels in memory (flat.h). */
#include "hal-bridge/binder/flat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/object.h"
#include "hal-bridge/binder/utf.h"
#include "libnnaccel/support/array.h"

#define NNB_FLAT_OBJECT 24 /* bytes of a flat_binder_object */
#define NNB_FLAT_FD 0x66642a85u
#define NNB_FLAT_BINDER 0x73622a85u
#define NNB_FLAT_FD_FLAGS 0x17fu
#define NNB_FLAT_BINDER_FLAGS 0x100u
#define NNB_FLAT_STABILITY 0x3f /* VINTF stability, of interfaces that vendors implement */
#define NNB_FLAT_ROOM 1024 /* initial bytes: enough for a request */
#define NNB_FLAT_LIMIT (64u << 20) /* bytes of a parcel; the limit of binder itself is 1 MiB */

#define to_flat(pointer, member) \
	((struct nnb_flat *)((char *)(pointer) - offsetof(struct nnb_flat, member)))

/* -------------------------------------------------------------------------------------- reading */

static size_t nnb_flat_read_position(const struct nnb_reader *reader)
{
	return to_flat(reader, reader)->at;
}

static size_t nnb_flat_left(const struct nnb_reader *reader)
{
	const struct nnb_flat *flat = to_flat(reader, reader);

	return flat->size - flat->at;
}

/* Return: the next @bytes, and moves past them; NULL if there are fewer. */
static inline const unsigned char *nnb_flat_take(struct nnb_reader *reader, size_t bytes)
{
	struct nnb_flat *flat = to_flat(reader, reader);

	if (bytes > flat->size - flat->at)
		return NULL;
	flat->at += bytes;
	return flat->data + flat->at - bytes;
}

/* Reads @size bytes: not 0, and a multiple of 4. */
static inline int nnb_flat_get(struct nnb_reader *reader, void *to, size_t size)
{
	const unsigned char *from = nnb_flat_take(reader, size);

	if (!from)
		return -ENODATA;
	memcpy(to, from, size);
	return 0;
}

static int nnb_flat_read_int(struct nnb_reader *reader, int32_t *value)
{
	return nnb_flat_get(reader, value, sizeof(*value));
}

static int nnb_flat_read_long(struct nnb_reader *reader, int64_t *value)
{
	return nnb_flat_get(reader, value, sizeof(*value));
}

static int nnb_flat_read_words(struct nnb_reader *reader, uint32_t count, void *values)
{
	return count ? nnb_flat_get(reader, values, (size_t)count * 4) : 0;
}

static int nnb_flat_skip(struct nnb_reader *reader, size_t bytes)
{
	struct nnb_flat *flat = to_flat(reader, reader);

	if (bytes > flat->size - flat->at)
		return -ENODATA;
	flat->at += bytes;
	return 0;
}

static int nnb_flat_read_bytes(struct nnb_reader *reader, uint32_t *count, const uint8_t **data)
{
	struct nnb_flat *flat = to_flat(reader, reader);
	int32_t value;
	int ret = nnb_flat_read_int(reader, &value);

	if (ret)
		return ret;
	*count = 0;
	*data = NULL;
	if (value == -1)
		return 0;
	if (value < 0)
		return -EINVAL;
	*data = flat->data + flat->at;
	*count = (uint32_t)value;
	return nnb_flat_skip(reader, ((size_t)value + 3) & ~(size_t)3);
}

static int nnb_flat_read_string(struct nnb_reader *reader, struct nnb_arena *arena,
				const char **value)
{
	struct nnb_flat *flat = to_flat(reader, reader);
	const unsigned char *from;
	int32_t units;
	size_t bytes;
	char *text;
	int ret = nnb_flat_read_int(reader, &units);

	*value = NULL;
	if (ret || units == -1)
		return ret;
	if (units < 0)
		return -EINVAL;
	bytes = ((size_t)units + 1) * 2;
	from = flat->data + flat->at;
	ret = nnb_flat_skip(reader, (bytes + 3) & ~(size_t)3);
	if (ret)
		return ret;
	if (from[bytes - 2] || from[bytes - 1])
		return -EINVAL;
	text = nnb_arena_alloc(arena, nnb_utf8_room((size_t)units), 1);
	if (!text)
		return -ENOMEM;
	*value = text;
	return nnb_utf8_of_16(from, (size_t)units, text);
}

/* Return: the object at the reader's position; moves past it. */
static const struct nnb_flat_entry *nnb_flat_entry(struct nnb_reader *reader)
{
	struct nnb_flat *flat = to_flat(reader, reader);
	uint32_t low = 0, high = flat->entry_count, middle;

	if (flat->size - flat->at < NNB_FLAT_OBJECT)
		return NULL;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (flat->entries[middle].offset < flat->at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == flat->entry_count || flat->entries[low].offset != flat->at)
		return NULL;
	flat->at += NNB_FLAT_OBJECT;
	return &flat->entries[low];
}

static int nnb_flat_read_fd(struct nnb_reader *reader, int *fd)
{
	const struct nnb_flat_entry *entry;
	int32_t there, channel;
	int ret = nnb_flat_read_int(reader, &there);

	*fd = -1;
	if (ret || !there)
		return ret;
	ret = nnb_flat_read_int(reader, &channel);
	if (ret)
		return ret;
	entry = channel ? NULL : nnb_flat_entry(reader);
	if (!entry || entry->fd < 0)
		return -EINVAL;
	*fd = entry->fd;
	return 0;
}

static int nnb_flat_read_object(struct nnb_reader *reader, struct nnb_object **object)
{
	struct nnb_flat *flat = to_flat(reader, reader);
	const struct nnb_flat_entry *entry;
	static const unsigned char zeros[16];
	int32_t stability;

	*object = NULL;
	/* A null object has no entry in the list, because the driver has nothing to translate. */
	if (flat->size - flat->at < NNB_FLAT_OBJECT)
		return -ENODATA;
	if (!memcmp(flat->data + flat->at + 8, zeros, sizeof(zeros))) {
		flat->at += NNB_FLAT_OBJECT;
		return nnb_flat_read_int(reader, &stability);
	}
	entry = nnb_flat_entry(reader);
	if (!entry || !entry->object)
		return -EINVAL;
	*object = entry->object;
	return nnb_flat_read_int(reader, &stability);
}

const struct nnb_reader_ops nnb_flat_reader_ops = {
	.position = nnb_flat_read_position,
	.left = nnb_flat_left,
	.read_int = nnb_flat_read_int,
	.read_long = nnb_flat_read_long,
	.read_words = nnb_flat_read_words,
	.read_bytes = nnb_flat_read_bytes,
	.read_string = nnb_flat_read_string,
	.read_fd = nnb_flat_read_fd,
	.read_object = nnb_flat_read_object,
	.skip = nnb_flat_skip,
};

/* -------------------------------------------------------------------------------------- writing */

/* Makes room for @bytes more bytes. */
static bool nnb_flat_grow(struct nnb_flat *flat, size_t bytes)
{
	size_t room = flat->room ? flat->room : NNB_FLAT_ROOM;
	unsigned char *grown;

	if (bytes > NNB_FLAT_LIMIT - flat->size)
		return false;
	while (room < flat->size + bytes)
		room *= 2;
	grown = realloc(flat->data, room);
	if (!grown)
		return false;
	flat->data = grown;
	flat->room = room;
	return true;
}

/*
 * Appends @bytes bytes, a multiple of 4, for the caller to fill. Return: their address, NULL
 * without memory.
 */
static inline unsigned char *nnb_flat_add(struct nnb_flat *flat, size_t bytes)
{
	if (bytes > flat->room - flat->size && !nnb_flat_grow(flat, bytes))
		return NULL;
	flat->size += bytes;
	return flat->data + flat->size - bytes;
}

/* Appends @size bytes for the caller to fill, and zeros up to @end and the next multiple of 4. */
static unsigned char *nnb_flat_add_padded(struct nnb_flat *flat, size_t size, size_t end)
{
	size_t padded = (end + 3) & ~(size_t)3;
	unsigned char *to = nnb_flat_add(flat, padded);

	if (to)
		memset(to + size, 0, padded - size);
	return to;
}

static int nnb_flat_put(struct nnb_writer *writer, const void *from, size_t size)
{
	unsigned char *to = size ? nnb_flat_add_padded(to_flat(writer, writer), size, size) : NULL;

	if (!to)
		return size ? -ENOMEM : 0;
	memcpy(to, from, size);
	return 0;
}

/* Appends @size bytes, which is not 0 and a multiple of 4, so that it needs no padding. */
static inline int nnb_flat_put_whole(struct nnb_writer *writer, const void *from, size_t size)
{
	unsigned char *to = nnb_flat_add(to_flat(writer, writer), size);

	if (!to)
		return -ENOMEM;
	memcpy(to, from, size);
	return 0;
}

static size_t nnb_flat_write_position(const struct nnb_writer *writer)
{
	return to_flat(writer, writer)->size;
}

static int nnb_flat_write_int(struct nnb_writer *writer, int32_t value)
{
	return nnb_flat_put_whole(writer, &value, sizeof(value));
}

static int nnb_flat_write_long(struct nnb_writer *writer, int64_t value)
{
	return nnb_flat_put_whole(writer, &value, sizeof(value));
}

static int nnb_flat_write_words(struct nnb_writer *writer, uint32_t count, const void *values)
{
	return nnb_flat_put(writer, values, (size_t)count * 4);
}

static int nnb_flat_write_bytes(struct nnb_writer *writer, uint32_t count, const void *data)
{
	int ret = count > INT32_MAX ? -EINVAL : nnb_flat_write_int(writer, (int32_t)count);

	return ret ? ret : nnb_flat_put(writer, data, count);
}

static int nnb_flat_write_string(struct nnb_writer *writer, const char *value)
{
	size_t units;
	unsigned char *to;
	int ret;

	if (!value)
		return nnb_flat_write_int(writer, -1);
	ret = nnb_utf16_units(value, &units);
	if (!ret)
		ret = units >= INT32_MAX ? -EINVAL : nnb_flat_write_int(writer, (int32_t)units);
	if (ret)
		return ret;
	to = nnb_flat_add_padded(to_flat(writer, writer), units * 2, (units + 1) * 2);
	if (!to)
		return -ENOMEM;
	nnb_utf16_of_8(value, to);
	return 0;
}

/* Appends an object of 24 bytes, and its entry unless it is null (@fd is -1 and @object NULL). */
static int nnb_flat_write_entry(struct nnb_flat *flat, uint32_t type, uint32_t flags,
				uint64_t handle, int fd, struct nnb_object *object)
{
	size_t offset = flat->size;
	unsigned char *to = nnb_flat_add(flat, NNB_FLAT_OBJECT);

	if (!to)
		return -ENOMEM;
	memset(to, 0, NNB_FLAT_OBJECT);
	memcpy(to, &type, sizeof(type));
	memcpy(to + 4, &flags, sizeof(flags));
	memcpy(to + 8, &handle, sizeof(handle));
	return fd < 0 && !object ? 0 : nnb_flat_place(flat, offset, fd, object);
}

static int nnb_flat_write_fd(struct nnb_writer *writer, int fd)
{
	int ret = nnb_flat_write_int(writer, fd < 0 ? 0 : 1);

	if (ret || fd < 0)
		return ret;
	ret = nnb_flat_write_int(writer, 0);
	return ret ? ret : nnb_flat_write_entry(to_flat(writer, writer), NNB_FLAT_FD,
						NNB_FLAT_FD_FLAGS, (uint64_t)fd, fd, NULL);
}

static int nnb_flat_write_object(struct nnb_writer *writer, struct nnb_object *object)
{
	int ret = nnb_flat_write_entry(to_flat(writer, writer), NNB_FLAT_BINDER,
				       object ? NNB_FLAT_BINDER_FLAGS : 0,
				       (uint64_t)(uintptr_t)object, -1, object);

	return ret ? ret : nnb_flat_write_int(writer, object ? NNB_FLAT_STABILITY : 0);
}

static int nnb_flat_patch_int(struct nnb_writer *writer, size_t position, int32_t value)
{
	struct nnb_flat *flat = to_flat(writer, writer);

	if (flat->size < 4 || position > flat->size - 4)
		return -EINVAL;
	memcpy(flat->data + position, &value, sizeof(value));
	return 0;
}

static const struct nnb_writer_ops nnb_flat_writer_ops = {
	.position = nnb_flat_write_position,
	.write_int = nnb_flat_write_int,
	.write_long = nnb_flat_write_long,
	.write_words = nnb_flat_write_words,
	.write_bytes = nnb_flat_write_bytes,
	.write_string = nnb_flat_write_string,
	.write_fd = nnb_flat_write_fd,
	.write_object = nnb_flat_write_object,
	.patch_int = nnb_flat_patch_int,
};

/* --------------------------------------------------------------------------------------- parcel */

void nnb_flat_init(struct nnb_flat *flat)
{
	*flat = (struct nnb_flat){
		.reader.ops = &nnb_flat_reader_ops,
		.writer.ops = &nnb_flat_writer_ops,
	};
}

void nnb_flat_fini(struct nnb_flat *flat)
{
	for (uint32_t i = 0; i < flat->entry_count; i++) {
		if (flat->entries[i].fd >= 0 && !flat->lent)
			close(flat->entries[i].fd);
		nnb_object_unref(flat->entries[i].object);
	}
	free(flat->entries);
	free(flat->data);
	nnb_flat_init(flat);
}

int nnb_flat_set(struct nnb_flat *flat, const void *data, size_t size)
{
	nnb_flat_fini(flat);
	return nnb_flat_put(&flat->writer, data, size & ~(size_t)3);
}

int nnb_flat_place(struct nnb_flat *flat, size_t offset, int fd, struct nnb_object *object)
{
	struct nnb_flat_entry entry = { .offset = offset, .fd = -1 }, *grown;

	if (offset % 4 || flat->size < NNB_FLAT_OBJECT || offset > flat->size - NNB_FLAT_OBJECT ||
	    (flat->entry_count &&
	     offset < flat->entries[flat->entry_count - 1].offset + NNB_FLAT_OBJECT))
		return -EINVAL;
	grown = nna_array_reserve(flat->entries, (uint64_t)flat->entry_count + 1,
				  &flat->entry_room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	flat->entries = grown;
	if (fd >= 0) {
		entry.fd = flat->lent ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (entry.fd < 0)
			return -errno;
	} else {
		entry.object = nnb_object_ref(object);
	}
	grown[flat->entry_count++] = entry;
	return 0;
}

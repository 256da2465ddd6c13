// SPDX-License-Identifier: MIT
/* AParcels (parcel.h). */
#include "hal-bridge/binder/ndk/parcel.h"

#include <errno.h>
#include <string.h>

#include "hal-bridge/binder/arena.h"

/* -------------------------------------------------------------------------------------- reading */

static struct nnb_ndk_reader *to_reader(struct nnb_reader *reader)
{
	return (struct nnb_ndk_reader *)reader;
}

static const AParcel *nnb_ndk_source(const struct nnb_reader *reader)
{
	return ((const struct nnb_ndk_reader *)reader)->parcel;
}

int nnb_ndk_error(binder_status_t status)
{
	switch (status) {
	case STATUS_OK:
		return 0;
	case STATUS_NOT_ENOUGH_DATA:
		return -ENODATA;
	case STATUS_NO_MEMORY:
		return -ENOMEM;
	default:
		return -EINVAL;
	}
}

static size_t nnb_ndk_read_position(const struct nnb_reader *reader)
{
	return (size_t)AParcel_getDataPosition(nnb_ndk_source(reader));
}

static size_t nnb_ndk_left(const struct nnb_reader *reader)
{
	const size_t size = (size_t)AParcel_getDataSize(nnb_ndk_source(reader));
	const size_t position = nnb_ndk_read_position(reader);

	return position < size ? size - position : 0;
}

static int nnb_ndk_read_int(struct nnb_reader *reader, int32_t *value)
{
	return nnb_ndk_error(AParcel_readInt32(nnb_ndk_source(reader), value));
}

static int nnb_ndk_read_long(struct nnb_reader *reader, int64_t *value)
{
	return nnb_ndk_error(AParcel_readInt64(nnb_ndk_source(reader), value));
}

static int nnb_ndk_read_words(struct nnb_reader *reader, uint32_t count, void *values)
{
	int32_t value;
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++) {
		ret = nnb_ndk_read_int(reader, &value);
		if (!ret)
			memcpy((unsigned char *)values + (size_t)i * 4, &value, 4);
	}
	return ret;
}

/**
 * struct nnb_ndk_array - the target of libbinder's allocation callbacks
 * @arena: owns the memory
 * @count: elements; 0 for null
 * @data: the elements; NULL for null
 */
struct nnb_ndk_array {
	struct nnb_arena *arena;
	uint32_t count;
	void *data;
};

static bool nnb_ndk_allocate_bytes(void *data, int32_t length, int8_t **out)
{
	struct nnb_ndk_array *array = data;

	if (length < 0)
		return true;
	array->data = nnb_arena_alloc(array->arena, (size_t)length, 1);
	array->count = (uint32_t)length;
	*out = array->data;
	return array->data;
}

static int nnb_ndk_read_bytes(struct nnb_reader *reader, uint32_t *count, const uint8_t **data)
{
	struct nnb_ndk_array array = { .arena = to_reader(reader)->arena };
	const int32_t start = AParcel_getDataPosition(nnb_ndk_source(reader));
	int32_t length;
	int ret = nnb_ndk_read_int(reader, &length);

	if (ret)
		return ret;
	/* Checked before memory is allocated, because the sender may claim any length. */
	if (length > 0 && (size_t)length > nnb_ndk_left(reader))
		return -ENODATA;
	AParcel_setDataPosition(nnb_ndk_source(reader), start);
	ret = nnb_ndk_error(AParcel_readByteArray(nnb_ndk_source(reader), &array,
						  nnb_ndk_allocate_bytes));
	*count = array.count;
	*data = array.data;
	return ret;
}

/* @length includes the terminating zero. */
static bool nnb_ndk_allocate_string(void *data, int32_t length, char **out)
{
	struct nnb_ndk_array *array = data;

	if (length < 0)
		return true;
	array->data = nnb_arena_alloc(array->arena, (size_t)length, 1);
	*out = array->data;
	return array->data;
}

static int nnb_ndk_read_string(struct nnb_reader *reader, struct nnb_arena *arena,
			       const char **value)
{
	struct nnb_ndk_array array = { .arena = arena };
	int ret = nnb_ndk_error(AParcel_readString(nnb_ndk_source(reader), &array,
						   nnb_ndk_allocate_string));

	*value = ret ? NULL : array.data;
	return ret;
}

/* libbinder returns a duplicate. */
static int nnb_ndk_read_fd(struct nnb_reader *reader, int *fd)
{
	int ret;

	*fd = -1;
	ret = nnb_ndk_error(AParcel_readParcelFileDescriptor(nnb_ndk_source(reader), fd));
	if (!ret && *fd >= 0)
		ret = nnb_arena_own_fd(to_reader(reader)->arena, *fd);
	if (ret)
		*fd = -1;
	return ret;
}

static int nnb_ndk_skip(struct nnb_reader *reader, size_t bytes)
{
	const AParcel *parcel = nnb_ndk_source(reader);

	if (bytes > nnb_ndk_left(reader))
		return -ENODATA;
	return nnb_ndk_error(AParcel_setDataPosition(parcel, AParcel_getDataPosition(parcel) +
							     (int32_t)bytes));
}

void nnb_ndk_reader_ops(struct nnb_reader_ops *ops)
{
	*ops = (struct nnb_reader_ops){
		.position = nnb_ndk_read_position,
		.left = nnb_ndk_left,
		.read_int = nnb_ndk_read_int,
		.read_long = nnb_ndk_read_long,
		.read_words = nnb_ndk_read_words,
		.read_bytes = nnb_ndk_read_bytes,
		.read_string = nnb_ndk_read_string,
		.read_fd = nnb_ndk_read_fd,
		.skip = nnb_ndk_skip,
	};
}

void nnb_ndk_reader_init(struct nnb_ndk_reader *reader, struct nnb_ndk *link,
			 struct nnb_arena *arena, const AParcel *parcel)
{
	*reader = (struct nnb_ndk_reader){ { &link->reader_ops }, parcel, link, arena };
}

/* -------------------------------------------------------------------------------------- writing */

static AParcel *nnb_ndk_target(const struct nnb_writer *writer)
{
	return ((const struct nnb_ndk_writer *)writer)->parcel;
}

static size_t nnb_ndk_write_position(const struct nnb_writer *writer)
{
	return (size_t)AParcel_getDataPosition(nnb_ndk_target(writer));
}

static int nnb_ndk_write_int(struct nnb_writer *writer, int32_t value)
{
	return nnb_ndk_error(AParcel_writeInt32(nnb_ndk_target(writer), value));
}

static int nnb_ndk_write_long(struct nnb_writer *writer, int64_t value)
{
	return nnb_ndk_error(AParcel_writeInt64(nnb_ndk_target(writer), value));
}

static int nnb_ndk_write_words(struct nnb_writer *writer, uint32_t count, const void *values)
{
	int32_t value;
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++) {
		memcpy(&value, (const unsigned char *)values + (size_t)i * 4, 4);
		ret = nnb_ndk_write_int(writer, value);
	}
	return ret;
}

static int nnb_ndk_write_bytes(struct nnb_writer *writer, uint32_t count, const void *data)
{
	/* For libbinder a NULL pointer is a null array, not an empty one. */
	static const int8_t none;

	if (count > INT32_MAX)
		return -EINVAL;
	return nnb_ndk_error(AParcel_writeByteArray(nnb_ndk_target(writer), data ? data : &none,
						    (int32_t)count));
}

static int nnb_ndk_write_string(struct nnb_writer *writer, const char *value)
{
	const size_t length = value ? strlen(value) : 0;

	if (length > INT32_MAX)
		return -EINVAL;
	return nnb_ndk_error(AParcel_writeString(nnb_ndk_target(writer), value,
						 value ? (int32_t)length : -1));
}

static int nnb_ndk_write_fd(struct nnb_writer *writer, int fd)
{
	return nnb_ndk_error(AParcel_writeParcelFileDescriptor(nnb_ndk_target(writer), fd));
}

static int nnb_ndk_patch_int(struct nnb_writer *writer, size_t position, int32_t value)
{
	AParcel *parcel = nnb_ndk_target(writer);
	const int32_t end = AParcel_getDataPosition(parcel);
	int ret;

	if (end < 4 || position > (size_t)end - 4)
		return -EINVAL;
	ret = nnb_ndk_error(AParcel_setDataPosition(parcel, (int32_t)position));
	if (!ret)
		ret = nnb_ndk_write_int(writer, value);
	AParcel_setDataPosition(parcel, end);
	return ret;
}

void nnb_ndk_writer_ops(struct nnb_writer_ops *ops)
{
	*ops = (struct nnb_writer_ops){
		.position = nnb_ndk_write_position,
		.write_int = nnb_ndk_write_int,
		.write_long = nnb_ndk_write_long,
		.write_words = nnb_ndk_write_words,
		.write_bytes = nnb_ndk_write_bytes,
		.write_string = nnb_ndk_write_string,
		.write_fd = nnb_ndk_write_fd,
		.patch_int = nnb_ndk_patch_int,
	};
}

void nnb_ndk_writer_init(struct nnb_ndk_writer *writer, struct nnb_ndk *link, AParcel *parcel)
{
	*writer = (struct nnb_ndk_writer){ { &link->writer_ops }, parcel, link };
}

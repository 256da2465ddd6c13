/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing parcels, independent of the backend. The codec (aidl/codec.h) uses only these
 * primitives. Each backend of binder has its own reader and writer; flat.h has those of a parcel in
 * memory.
 *
 * Positions and sizes are in bytes, and multiples of 4. A reader trusts no data: each primitive
 * returns -ENODATA if the parcel is too short, and -EINVAL if it holds something else. After an
 * error the position is undefined.
 *
 * The parcel owns what a reader returns (bytes, descriptors, objects), and it is valid until the
 * call is over. To keep it longer, make a copy, a duplicate or take a reference. A writer
 * duplicates descriptors and takes references to objects.
 */
#ifndef NNB_PARCEL_H
#define NNB_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nnb_arena;
struct nnb_object;
struct nnb_reader;
struct nnb_writer;

/**
 * struct nnb_reader_ops - reading; functions that return int give 0 or a negative errno
 * @position: the number of bytes read
 * @left: the number of bytes left
 * @read_int: 4 bytes
 * @read_long: 8 bytes
 * @read_words: @count values of 4 bytes each
 * @read_bytes: a byte array, which may be null: then *data is NULL and *count 0
 * @read_string: a string as UTF-8 in the arena, NULL for null; -EINVAL if it is no UTF-16
 * @read_fd: a ParcelFileDescriptor, -1 for null
 * @read_object: a binder object, NULL for null
 * @skip: moves past bytes of unknown meaning
 */
struct nnb_reader_ops {
	size_t (*position)(const struct nnb_reader *reader);
	size_t (*left)(const struct nnb_reader *reader);
	int (*read_int)(struct nnb_reader *reader, int32_t *value);
	int (*read_long)(struct nnb_reader *reader, int64_t *value);
	int (*read_words)(struct nnb_reader *reader, uint32_t count, void *values);
	int (*read_bytes)(struct nnb_reader *reader, uint32_t *count, const uint8_t **data);
	int (*read_string)(struct nnb_reader *reader, struct nnb_arena *arena, const char **value);
	int (*read_fd)(struct nnb_reader *reader, int *fd);
	int (*read_object)(struct nnb_reader *reader, struct nnb_object **object);
	int (*skip)(struct nnb_reader *reader, size_t bytes);
};

/**
 * struct nnb_writer_ops - writing; functions that return int give 0 or a negative errno
 * @position: the number of bytes written
 * @write_int: 4 bytes
 * @write_long: 8 bytes
 * @write_words: @count values of 4 bytes each
 * @write_bytes: a byte array; never null
 * @write_string: UTF-8, or NULL for null
 * @write_fd: a ParcelFileDescriptor, -1 for null
 * @write_object: a binder object, NULL for null
 * @patch_int: replaces an int that was written at @position
 */
struct nnb_writer_ops {
	size_t (*position)(const struct nnb_writer *writer);
	int (*write_int)(struct nnb_writer *writer, int32_t value);
	int (*write_long)(struct nnb_writer *writer, int64_t value);
	int (*write_words)(struct nnb_writer *writer, uint32_t count, const void *values);
	int (*write_bytes)(struct nnb_writer *writer, uint32_t count, const void *data);
	int (*write_string)(struct nnb_writer *writer, const char *value);
	int (*write_fd)(struct nnb_writer *writer, int fd);
	int (*write_object)(struct nnb_writer *writer, struct nnb_object *object);
	int (*patch_int)(struct nnb_writer *writer, size_t position, int32_t value);
};

/* The first member of every reader and writer. */
struct nnb_reader {
	const struct nnb_reader_ops *ops;
};

struct nnb_writer {
	const struct nnb_writer_ops *ops;
};

#endif

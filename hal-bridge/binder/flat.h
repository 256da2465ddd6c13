/* SPDX-License-Identifier: MIT */
/*
 * A parcel in memory, in the form that binder's driver carries: bytes, and the positions of the
 * objects among them. Tests, fuzzers and calls within the process use it.
 *
 * An object takes 24 bytes, as a flat_binder_object does. Its bytes are written in binder's format
 * but ignored when read. The list of objects counts; the sender of the bytes cannot write it, here
 * as in the kernel.
 */
#ifndef NNB_FLAT_H
#define NNB_FLAT_H

#include "hal-bridge/binder/parcel.h"

/**
 * struct nnb_flat_entry - an object of a parcel
 * @offset: position of its 24 bytes
 * @fd: a descriptor, owned unless it is lent; -1 for a binder object
 * @object: a reference, owned; NULL for a descriptor
 */
struct nnb_flat_entry {
	size_t offset;
	int fd;
	struct nnb_object *object;
};

/**
 * struct nnb_flat - a parcel in memory; nnb_flat_init() makes an empty one
 * @reader: reads at @at
 * @writer: writes at the end
 * @data: @size bytes, owned
 * @size: bytes, a multiple of 4
 * @room: allocated bytes
 * @at: position of the reader
 * @lent: the writer keeps the descriptors open while the parcel exists; to be set before the first
 *	one
 * @entries: by ascending offset, owned
 * @entry_count: entries of @entries
 * @entry_room: allocated entries of @entries
 */
struct nnb_flat {
	struct nnb_reader reader;
	struct nnb_writer writer;
	unsigned char *data;
	size_t size, room, at;
	bool lent;
	struct nnb_flat_entry *entries;
	uint32_t entry_count, entry_room;
};

/*
 * The functions of @reader, most of which serve other backends with the same layout in memory too.
 */
extern const struct nnb_reader_ops nnb_flat_reader_ops;

void nnb_flat_init(struct nnb_flat *flat);
/* Frees the bytes, closes descriptors, drops references. */
void nnb_flat_fini(struct nnb_flat *flat);

/*
 * Replaces the bytes, for tests and fuzzers; @size is rounded down to a multiple of 4. Objects are
 * added afterwards. Return: 0 or -ENOMEM.
 */
int nnb_flat_set(struct nnb_flat *flat, const void *data, size_t size);
/*
 * Adds an entry for an object at @offset, which ascends from call to call: a duplicate of @fd, or a
 * reference to @object if @fd is -1. Return: 0, -EINVAL or -ENOMEM.
 */
int nnb_flat_place(struct nnb_flat *flat, size_t offset, int fd, struct nnb_object *object);

#endif

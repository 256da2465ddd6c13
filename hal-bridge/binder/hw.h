/* SPDX-License-Identifier: MIT */
/*
 * Parcels of HIDL, in the form that binder's driver carries: a stream of bytes, a list of the
 * objects in it, and buffers that some of these objects refer to.
 *
 *	buffer		40 bytes in the stream: address, size, and the place of the pointer to
 *			it in an earlier buffer, its parent, if it has one
 *	descriptors	32 bytes: a range of an earlier buffer, its parent, that holds descriptors
 *	object		24 bytes: a binder object; null is 24 bytes that are in no list
 *
 * The driver copies the buffers to the receiver, writes the address of each one into its parent,
 * and replaces descriptors by the receiver's. It does nothing else: a pointer for which there is no
 * buffer, a number of a descriptor for which there is no range, and every size are as the sender
 * has written them. So a reader goes along the list of objects, not along pointers, and compares.
 *
 * nnb_hw_deliver() does the driver's part in memory, for tests, fuzzers and calls in the process. A
 * backend makes a parcel of what it has received.
 */
#ifndef NNB_HW_H
#define NNB_HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nnb_arena;
struct nnb_object;

#define NNB_HW_NO_PARENT UINT32_MAX

/* A native handle: descriptors, then integers. The layout is Android's. */
struct nnb_hidl_fds {
	uint32_t version; /* NNB_HIDL_FDS_VERSION */
	uint32_t fd_count, int_count;
	int32_t data[];
};

#define NNB_HIDL_FDS_VERSION 12 /* bytes before @data */
#define NNB_HIDL_FDS_LIMIT 1024 /* Android's limit of each count */

/* What an entry is. */
enum nnb_hw_kind {
	NNB_HW_BUFFER,
	NNB_HW_FDS,
	NNB_HW_OBJECT,
	NNB_HW_OTHER, /* of a parcel that was received: an object that no method has */
};

/**
 * struct nnb_hw_entry - an object of a parcel
 * @kind: enum nnb_hw_kind
 * @offset: in the stream
 * @parent: number of the entry of the parent; NNB_HW_NO_PARENT for none
 * @parent_offset: bytes from the start of the parent
 * @data: of a buffer; of descriptors of a parcel that owns them, their numbers
 * @size: of a buffer, bytes; of descriptors, their number
 * @object: of an object, a reference unless the parcel is borrowed
 */
struct nnb_hw_entry {
	enum nnb_hw_kind kind;
	size_t offset;
	uint32_t parent;
	size_t parent_offset;
	const void *data;
	size_t size;
	struct nnb_object *object;
};

/**
 * struct nnb_hw - a parcel; nnb_hw_init() makes an empty one
 * @data: the stream, @size bytes; owned unless @borrowed
 * @size: bytes, a multiple of 4
 * @room: allocated bytes
 * @at: position of the reader
 * @entries: in the order of the stream, owned
 * @count: entries of @entries
 * @entry_room: allocated entries
 * @next: the next entry that the reader comes to
 * @owner: the parcel owns the buffers, and the descriptors in them
 * @borrowed: the stream and objects are another's
 */
struct nnb_hw {
	unsigned char *data;
	size_t size, room, at;
	struct nnb_hw_entry *entries;
	uint32_t count, entry_room, next;
	bool owner, borrowed;
};

void nnb_hw_init(struct nnb_hw *hw);
/* Frees what the parcel owns. */
void nnb_hw_fini(struct nnb_hw *hw);
/*
 * Carries @from, which is written, to the empty parcel @to, which is read and owns its buffers and
 * duplicates of the descriptors. Return: 0, -EINVAL for what the driver would refuse, -ENOMEM, or
 * an errno of a descriptor.
 */
int nnb_hw_deliver(const struct nnb_hw *from, struct nnb_hw *to);

/* Appends an entry whose bytes are in the stream, for backends. Return: 0 or -ENOMEM. */
int nnb_hw_list(struct nnb_hw *hw, const struct nnb_hw_entry *entry);
/* Whether @size bytes at the entry's place in its parent are inside of a buffer of the parcel. */
bool nnb_hw_fits(const struct nnb_hw *hw, const struct nnb_hw_entry *entry, size_t size);

/* Reading. Return: 0, -ENODATA at the end, or -EINVAL if something else is there. */
int nnb_hw_read_int(struct nnb_hw *hw, int32_t *value);
int nnb_hw_read_long(struct nnb_hw *hw, int64_t *value);
/*
 * Reads a buffer of @size bytes whose address stands at @offset of the entry @parent.
 * @data: its bytes, aligned to 8
 * @index: its entry
 */
int nnb_hw_read_buffer(struct nnb_hw *hw, uint64_t size, uint32_t parent, size_t offset,
		       const void **data, uint32_t *index);
/* Reads a handle. @fds: NULL for null. The descriptors are the parcel's, and open. */
int nnb_hw_read_fds(struct nnb_hw *hw, uint32_t parent, size_t offset,
		    const struct nnb_hidl_fds **fds);
/* Reads a binder object, which is the parcel's; NULL for null. */
int nnb_hw_read_object(struct nnb_hw *hw, struct nnb_object **object);

/*
 * Writing. What buffers and handles point to has to stay as it is until the parcel has been
 * delivered. Return: 0 or -ENOMEM.
 */
int nnb_hw_write_int(struct nnb_hw *hw, int32_t value);
int nnb_hw_write_long(struct nnb_hw *hw, int64_t value);
int nnb_hw_write_buffer(struct nnb_hw *hw, const void *data, uint64_t size, uint32_t parent,
			size_t offset, uint32_t *index);
int nnb_hw_write_fds(struct nnb_hw *hw, const struct nnb_hidl_fds *fds, uint32_t parent,
		     size_t offset);
int nnb_hw_write_object(struct nnb_hw *hw, struct nnb_object *object);

/* Return: the bytes of a native handle. */
static inline size_t nnb_hidl_fds_size(const struct nnb_hidl_fds *fds)
{
	return sizeof(*fds) + ((size_t)fds->fd_count + fds->int_count) * sizeof(fds->data[0]);
}

#endif

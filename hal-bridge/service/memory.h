/* SPDX-License-Identifier: MIT */
/*
 * Memory of clients, for constants, inputs and outputs.
 *
 *	shared	a dma-buf, or a memfd that is sealed against shrinking, which the device can use:
 *		nothing is copied
 *	mapped	a sealed memfd that the device cannot use because it is not of whole pages; and
 *		ashmem of older Android kernels, whose size is fixed after the first mapping
 *		(Debian's kernels have no ashmem, so the tests here have never used it)
 *	file	any other descriptor: read by pread(), written by pwrite(), and never mapped. Its
 *		owner may truncate the file at any time, which would kill a process that touches
 *		the mapping. Each write checks the size again, unless the file cannot shrink.
 *		A file that is not in memory is read and written by a helper (helper.h), and only
 *		calls that its file system does not see are made on it here
 *
 * Memory that is borrowed for a call is not mapped: a mapping costs more than one read and one
 * write. Memory that calls bring repeatedly is kept (memory_cache.h).
 *
 * Shared and mapped memory is charged to its client by its size, from the start of the file: to pin
 * or to touch a hole of a sparse file fills it.
 *
 * A memory is a range. Its offset and size come from the client, and are checked against the
 * descriptor when it is opened. It is reference-counted. Any thread may read and write at any time,
 * in any order.
 */
#ifndef NNB_MEMORY_H
#define NNB_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "nnaccel.h"

/**
 * struct nnb_memory_range - a client's description of memory, with checked numbers
 * @fd: the parcel's
 * @ashmem: the client describes it as ashmem
 * @offset: of the first byte
 * @size: bytes, at least 1
 * @protect: PROT_READ, PROT_WRITE
 */
struct nnb_memory_range {
	int fd;
	bool ashmem;
	size_t offset, size;
	int protect;
};

struct nnb_client;

/**
 * struct nnb_memory - memory of a client
 * @refs: references
 * @client: its owner, who outlives it; NULL for a wrapped buffer
 * @buffer: of shared memory, owned; NULL for others
 * @map: of mapped memory, @offset + @size bytes from the start of the file; NULL for others
 * @fd: of a file; otherwise -1
 * @borrowed: @fd is the parcel's
 * @fixed: nobody can remove bytes
 * @foreign: not in memory: its file system may not answer
 * @seals: of the descriptor, when it was opened; -1 for a file without seals, such as a dma-buf
 * @device: st_dev of the file
 * @inode: st_ino of the file; the number may be reused after the file is gone
 * @offset: of the first byte in the buffer or file
 * @size: bytes
 * @readable: its bytes may be read
 * @writable: its bytes may be written
 */
struct nnb_memory {
	atomic_uint refs;
	struct nnb_client *client;
	struct nna_buffer *buffer;
	unsigned char *map;
	int fd;
	bool borrowed, fixed, foreign;
	int seals;
	dev_t device;
	ino_t inode;
	size_t offset, size;
	bool readable, writable;
};

/* Checks the description @from. Return: 0 or an ErrorStatus, with a message. */
int nnb_memory_find_range(struct nnb_aidl_call *call, const struct nnb_aidl_memory *from,
			  struct nnb_memory_range *range);
/*
 * Opens a range for use on the device of @client, who has to outlive the memory. With @borrow the
 * descriptor may stay @call's, and the memory must not outlive @call. Return: 0 or an ErrorStatus,
 * with a message.
 */
int nnb_memory_open(struct nnb_client *client, struct nnb_aidl_call *call,
		    const struct nnb_memory_range *range, bool borrow, struct nnb_memory **out);
/*
 * Opens the memory @from, which must not outlive @call. Return: 0 or an ErrorStatus, with a
 * message.
 */
int nnb_memory_borrow(struct nnb_client *client, struct nnb_aidl_call *call,
		      const struct nnb_aidl_memory *from, struct nnb_memory **out);
/* Wraps a buffer and takes it over. Return: NULL without memory; then the buffer is destroyed. */
struct nnb_memory *nnb_memory_of_buffer(struct nna_buffer *buffer);
struct nnb_memory *nnb_memory_ref(struct nnb_memory *memory);
/* NULL is allowed. */
void nnb_memory_unref(struct nnb_memory *memory);

/*
 * Copies bytes. Return: 0, -EINVAL outside of the memory, -EACCES if the access is not allowed,
 * -ENODATA if the file has been truncated, -ECANCELED if the client is dead, -EAGAIN if its user
 * has too many helpers, or the error of the file.
 */
int nnb_memory_read(const struct nnb_memory *memory, size_t offset, void *to, size_t size);
int nnb_memory_write(const struct nnb_memory *memory, size_t offset, const void *from, size_t size);

#endif

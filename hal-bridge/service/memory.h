/* SPDX-License-Identifier: MIT */
/*
 * Memory of clients: constants, inputs and outputs lie in it.
 *
 *	shared	a dma-buf, or a memfd that is sealed against shrinking, which the device can use:
 *		nothing is copied
 *	mapped	a memfd that is sealed, too, but that the device does not take, since it is not of
 *		whole pages; and ashmem of older Android kernels, whose size is fixed once anybody
 *		has mapped it (no kernel of Debian has it, so no test here has seen any)
 *	file	anything else with a descriptor: read by pread() and written by pwrite(), never
 *		mapped, since its owner may truncate it at any moment, which would kill whoever
 *		touches the mapping. Every write checks the size anew, unless it cannot shrink
 *
 * Memory that is borrowed for a call is not mapped: that costs more than to read and write once.
 * What calls bring again and again is kept (memory_cache.h).
 *
 * A memory is a range: offset and size are the client's word, checked against the descriptor when
 * it is opened. It is counted; anybody may read and write at any time, in whatever order.
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
 * struct nnb_memory_range - what a client says of its memory, as numbers that are in range
 * @fd: the parcel's
 * @ashmem: it says to be that
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

/**
 * struct nnb_memory - memory of a client
 * @refs: references
 * @buffer: of shared memory, owned; NULL for others
 * @map: of mapped memory, from its beginning, @offset + @size bytes; NULL for others
 * @fd: of a file; else -1
 * @borrowed: @fd is the parcel's
 * @fixed: nobody can take bytes away
 * @seals: of the descriptor, when it was opened; -1 where there are none, as of a dma-buf
 * @device: st_dev of the file
 * @inode: st_ino of the file; the number may be another file's once this one is gone
 * @offset: of the first byte in the buffer or file
 * @size: bytes
 * @readable: its bytes may be read
 * @writable: its bytes may be written
 */
struct nnb_memory {
	atomic_uint refs;
	struct nna_buffer *buffer;
	unsigned char *map;
	int fd;
	bool borrowed, fixed;
	int seals;
	dev_t device;
	ino_t inode;
	size_t offset, size;
	bool readable, writable;
};

/* Which range @from says. Return: 0 or an ErrorStatus, with a message. */
int nnb_memory_find_range(struct nnb_aidl_call *call, const struct nnb_aidl_memory *from,
			  struct nnb_memory_range *range);
/*
 * Opens it; @device is where it will be used, and has to stay open. Where @borrow is set the
 * descriptor may go on to belong to @call, which the memory must not outlive. Return: likewise.
 */
int nnb_memory_open(struct nna_device *device, struct nnb_aidl_call *call,
		    const struct nnb_memory_range *range, bool borrow, struct nnb_memory **out);
/* Opens what @from says for no longer than @call. Return: likewise. */
int nnb_memory_borrow(struct nna_device *device, struct nnb_aidl_call *call,
		      const struct nnb_aidl_memory *from, struct nnb_memory **out);
/* Wraps a buffer, which it owns from now on. Return: NULL without memory; then it is destroyed. */
struct nnb_memory *nnb_memory_of_buffer(struct nna_buffer *buffer);
struct nnb_memory *nnb_memory_ref(struct nnb_memory *memory);
/* NULL is allowed. */
void nnb_memory_unref(struct nnb_memory *memory);

/*
 * Copies bytes. Return: 0, -EINVAL outside the memory, -EACCES when it may not be read or written,
 * -ENODATA when the file has become shorter, or the error of the file.
 */
int nnb_memory_read(const struct nnb_memory *memory, size_t offset, void *to, size_t size);
int nnb_memory_write(const struct nnb_memory *memory, size_t offset, const void *from, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A file that DMA mappings reach. It is mapped into this process as a whole. Memory of this process
 * can stand for a file. Uses are counted; after the last one the file goes to nnadev_file_free(),
 * which unmaps it.
 */
#ifndef NNADEV_FILE_H
#define NNADEV_FILE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct nnadev_file - a mapped file
 * @fd: own descriptor; -1: memory of this process, which its owner unmaps
 * @dev: device number; with @ino it identifies the file
 * @ino: inode number
 * @data: the mapping, page aligned
 * @length: bytes of the mapping; may reach beyond the end of the file
 * @size: bytes of the file when fstat() was last called, rounded up to pages. Nothing beyond it is
 *	touched.
 * @writable: mapped for writing
 * @broken: it was truncated while in use; none of it is reached any more
 * @refs: number of uses; guarded by the owner's lock
 * @next: the owner's list
 */
struct nnadev_file {
	int fd;
	uint64_t dev;
	uint64_t ino;
	uint8_t *data;
	uint64_t length;
	uint64_t size;
	bool writable;
	_Atomic bool broken;
	uint32_t refs;
	struct nnadev_file *next;
};

/**
 * nnadev_file_open() - find or map a file
 * @list: head of the owner's list, searched and extended
 * @fd: duplicated
 * @length: bytes that must be reachable
 * @writable: whether it must be writable
 * @out: the file with one more user, to be given to nnadev_file_close()
 *
 * Return: 0 or a negative errno.
 */
int nnadev_file_open(struct nnadev_file **list, int fd, uint64_t length, bool writable,
		     struct nnadev_file **out);

/* The same for memory of this process: page aligned, writable, not mapped from a file. */
int nnadev_file_wrap(struct nnadev_file **list, void *data, uint64_t length,
		     struct nnadev_file **out);

/*
 * Drop one use. After the last one @file is moved to the list @gone: munmap() can take long, so the
 * caller unmaps it when it holds no lock.
 */
void nnadev_file_close(struct nnadev_file **list, struct nnadev_file *file,
		       struct nnadev_file **gone);

/* Unmap and free all files of a list that nnadev_file_close() has filled; it may be empty. */
void nnadev_file_free(struct nnadev_file *gone);

/*
 * Whether the file has at least @length bytes. If @size says no, the size is read again, since the
 * file may have grown.
 */
bool nnadev_file_reaches(struct nnadev_file *file, uint64_t length);

/*
 * Map a page of zeros over the page of @address, which the file has lost. Async-signal-safe.
 * Return: whether it was done.
 */
bool nnadev_file_mend(void *address);

#endif

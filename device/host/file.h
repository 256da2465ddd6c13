/* SPDX-License-Identifier: MIT */
/*
 * A file that DMA mappings reach, mapped into this process as a whole, or memory of this process's
 * as if it were one. Its users are counted; the last one hands it to nnadev_file_free(), which
 * unmaps it.
 */
#ifndef NNADEV_FILE_H
#define NNADEV_FILE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct nnadev_file - a mapped file
 * @fd: own descriptor; -1: memory that is its owner's, who unmaps it
 * @dev: with @ino names the file
 * @ino: see @dev
 * @data: the mapping, page aligned
 * @length: bytes of the mapping; may reach beyond the end of the file
 * @size: bytes of the file when last asked for, rounded up to pages: nothing beyond it may be
 *	touched
 * @writable: mapped for writing
 * @broken: it became shorter while it was in use; nothing of it is reached any more
 * @refs: users; not atomic, the owner's lock guards it
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

/* The same for memory of this process's, which is page aligned and writable, and no file's. */
int nnadev_file_wrap(struct nnadev_file **list, void *data, uint64_t length,
		     struct nnadev_file **out);

/*
 * One user less. After the last one @file is moved to @gone: to unmap it may take long, so that is
 * for when no lock is held.
 */
void nnadev_file_close(struct nnadev_file **list, struct nnadev_file *file,
		       struct nnadev_file **gone);

/* Unmap and free all files of a list that nnadev_file_close() has filled; may be empty. */
void nnadev_file_free(struct nnadev_file *gone);

/* Whether the first @length bytes lie within the file; asks again when it seems too short. */
bool nnadev_file_reaches(struct nnadev_file *file, uint64_t length);

/*
 * Put a page of zeros where @address lies and the file has none. Async-signal-safe. Return: whether
 * it was done.
 */
bool nnadev_file_mend(void *address);

#endif

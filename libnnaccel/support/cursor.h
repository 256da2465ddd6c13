/* SPDX-License-Identifier: MIT */
/*
 * A place in memory that a program is saved to or loaded from: the functions are for struct
 * nna_blob_writer and struct nna_blob_reader, with the cursor as their @user.
 *
 * Ownership: the memory is the user's. Locking: none; a cursor belongs to one thread.
 */
#ifndef NNA_CURSOR_H
#define NNA_CURSOR_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct nna_cursor - a place in memory
 * @at: the next byte; only nna_cursor_write() writes to it
 * @left: bytes from there to the end
 */
struct nna_cursor {
	uint8_t *at;
	size_t left;
};

/* Writes @size bytes. Return: 0, or -ENOSPC where they do not fit. */
static inline int nna_cursor_write(void *user, const void *data, size_t size)
{
	struct nna_cursor *cursor = user;

	if (size > cursor->left)
		return -ENOSPC;
	memcpy(cursor->at, data, size);
	cursor->at += size;
	cursor->left -= size;
	return 0;
}

/* Reads @size bytes. Return: 0, or -EBADMSG where there are fewer. */
static inline int nna_cursor_read(void *user, void *data, size_t size)
{
	struct nna_cursor *cursor = user;

	if (size > cursor->left)
		return -EBADMSG;
	memcpy(data, cursor->at, size);
	cursor->at += size;
	cursor->left -= size;
	return 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Public structs that grow: a program that was built with another nnaccel.h has them shorter or
 * longer than this library. It hands over the size that it knows, and these copy what both know.
 */
#ifndef NNA_SIZED_H
#define NNA_SIZED_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

/*
 * From the caller's struct of @from_size bytes, which may be NULL, into the library's of @size.
 * What the caller does not know becomes 0. Return: 0, or -E2BIG where something is set that the
 * library does not know.
 */
static inline int nna_sized_read(void *to, size_t size, const void *from, size_t from_size)
{
	const unsigned char *bytes = (const unsigned char *)from;
	size_t common;

	if (!from)
		from_size = 0;
	common = from_size < size ? from_size : size;
	memset(to, 0, size);
	if (common)
		memcpy(to, from, common);
	for (size_t i = size; i < from_size; i++)
		if (bytes[i])
			return -E2BIG;
	return 0;
}

/* The other way: what the library does not know becomes 0 in the caller's struct. */
static inline void nna_sized_write(void *to, size_t to_size, const void *from, size_t size)
{
	size_t common = to_size < size ? to_size : size;

	memcpy(to, from, common);
	memset((char *)to + common, 0, to_size - common);
}

#endif

/* SPDX-License-Identifier: MIT */
/* Strings: UTF-16 in parcels, UTF-8 in C. Malformed strings are refused in both directions. */
#ifndef NNB_UTF_H
#define NNB_UTF_H

#include <stddef.h>

/* The most bytes of UTF-8 for @units of UTF-16, with the terminating zero. */
static inline size_t nnb_utf8_room(size_t units)
{
	return units * 3 + 1;
}

/*
 * Converts @units of UTF-16 at @from, which may be unaligned, to UTF-8 with a terminating zero at
 * @to. Return: 0, or -EINVAL for a lone surrogate or a zero unit.
 */
int nnb_utf8_of_16(const void *from, size_t units, char *to);

/* Counts the UTF-16 units of @text, without a terminating zero. Return: 0, or -EINVAL. */
int nnb_utf16_units(const char *text, size_t *units);
/* Writes @text, for which nnb_utf16_units() has succeeded, as UTF-16 without a terminating zero. */
void nnb_utf16_of_8(const char *text, void *to);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Strings: UTF-16 in parcels, UTF-8 in C. Whatever is not well formed is refused, in both
 * directions.
 */
#ifndef NNB_UTF_H
#define NNB_UTF_H

#include <stddef.h>

/* Bytes that @units of UTF-16 need at most as UTF-8, with the zero at the end. */
static inline size_t nnb_utf8_room(size_t units)
{
	return units * 3 + 1;
}

/*
 * Writes @units of UTF-16 at @from, which need not be aligned, to @to as UTF-8 with a zero at the
 * end. Return: 0, or -EINVAL for a lone surrogate or a zero among them.
 */
int nnb_utf8_of_16(const void *from, size_t units, char *to);

/* Units of UTF-16 that @text has, without a zero at the end. Return: 0, or -EINVAL. */
int nnb_utf16_units(const char *text, size_t *units);
/* Writes @text, for which nnb_utf16_units() has succeeded, as UTF-16 without a zero. */
void nnb_utf16_of_8(const char *text, void *to);

#endif

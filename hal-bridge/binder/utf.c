// SPDX-License-Identifier: MIT
/* Conversion between UTF-8 and UTF-16 (utf.h). */
#include "hal-bridge/binder/utf.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

int nnb_utf8_of_16(const void *from, size_t units, char *to)
{
	const unsigned char *at = from;

	for (size_t i = 0; i < units; i++) {
		uint32_t code = at[2 * i] | (uint32_t)at[2 * i + 1] << 8, low;

		if (!code || code >> 10 == 0x37)
			return -EINVAL;
		if (code >> 10 == 0x36) {
			if (++i == units)
				return -EINVAL;
			low = at[2 * i] | (uint32_t)at[2 * i + 1] << 8;
			if (low >> 10 != 0x37)
				return -EINVAL;
			code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
		}
		if (code < 0x80) {
			*to++ = (char)code;
		} else if (code < 0x800) {
			*to++ = (char)(0xc0 | code >> 6);
			*to++ = (char)(0x80 | (code & 0x3f));
		} else if (code < 0x10000) {
			*to++ = (char)(0xe0 | code >> 12);
			*to++ = (char)(0x80 | (code >> 6 & 0x3f));
			*to++ = (char)(0x80 | (code & 0x3f));
		} else {
			*to++ = (char)(0xf0 | code >> 18);
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
			*to++ = (char)(0x80 | (code >> 6 & 0x3f));
			*to++ = (char)(0x80 | (code & 0x3f));
		}
	}
	*to = 0;
	return 0;
}

/*
 * Return: the code point at *text, and moves past it; 0 at the end, UINT32_MAX for invalid UTF-8.
 */
static uint32_t nnb_utf8_next(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	unsigned int more;
	uint32_t code;

	if (*at < 0x80) {
		*text += *at != 0;
		return *at;
	}
	if (*at < 0xc0 || *at >= 0xf8)
		return UINT32_MAX;
	more = *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
	code = *at & (0x3f >> more);
	for (unsigned int i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return UINT32_MAX;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (code < least[more] || code > 0x10ffff || code >> 11 == 0x1b)
		return UINT32_MAX;
	*text += more + 1;
	return code;
}

int nnb_utf16_units(const char *text, size_t *units)
{
	uint32_t code;

	*units = 0;
	while ((code = nnb_utf8_next(&text))) {
		if (code == UINT32_MAX)
			return -EINVAL;
		*units += code < 0x10000 ? 1 : 2;
	}
	return 0;
}

static unsigned char *nnb_utf16_put(unsigned char *to, uint32_t unit)
{
	*to++ = (unsigned char)unit;
	*to++ = (unsigned char)(unit >> 8);
	return to;
}

void nnb_utf16_of_8(const char *text, void *to)
{
	unsigned char *at = to;
	uint32_t code;

	while ((code = nnb_utf8_next(&text)) && code != UINT32_MAX) {
		if (code < 0x10000) {
			at = nnb_utf16_put(at, code);
		} else {
			at = nnb_utf16_put(at, 0xd800 + ((code - 0x10000) >> 10));
			at = nnb_utf16_put(at, 0xdc00 + ((code - 0x10000) & 0x3ff));
		}
	}
}

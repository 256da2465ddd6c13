/* SPDX-License-Identifier: MIT */
/* Types of elements in the ir. */
#ifndef NNA_IR_TYPE_H
#define NNA_IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

enum nna_type {
	NNA_TYPE_NONE,
	NNA_TYPE_U8,
	NNA_TYPE_S8,
	NNA_TYPE_U16,
	NNA_TYPE_S16,
	NNA_TYPE_S32,
	NNA_TYPE_S64,
	NNA_TYPE_F16,
	NNA_TYPE_F32,
	NNA_TYPE_BOOL8, /* one byte: 0 is false, other numbers are true */
	NNA_TYPE_U32,
};

/* Return: bytes of an element, 0 for NNA_TYPE_NONE. */
static inline uint32_t nna_type_size(uint8_t type)
{
	static const uint8_t sizes[] = { 0, 1, 1, 2, 2, 4, 8, 2, 4, 1, 4 };

	return type < sizeof(sizes) ? sizes[type] : 0;
}

static inline bool nna_type_is_float(uint8_t type)
{
	return type == NNA_TYPE_F32 || type == NNA_TYPE_F16;
}

/* Gives the range of the numbers that a type stores; that of s32 for wider types. */
void nna_type_limits(uint8_t type, int32_t *low, int32_t *high);

#endif

// SPDX-License-Identifier: MIT
#include "frontend/tflite/packed.h"

#include <string.h>

#include "frontend/tflite/type.h"

uint32_t tflite_packed_bits(uint32_t type)
{
	switch (type) {
	case TFLITE_BFLOAT16:
		return 16;
	case TFLITE_INT4:
		return 4;
	case TFLITE_INT2:
		return 2;
	default:
		return 0;
	}
}

uint32_t tflite_unpacked_type(uint32_t bits)
{
	return bits == 16 ? TFLITE_FLOAT32 : TFLITE_INT8;
}

/* The bytes of a BFLOAT16 are the upper half of a FLOAT32's. */
static void widen(const uint8_t *from, uint64_t elements, float *to)
{
	for (uint64_t i = 0; i < elements; i++) {
		uint32_t bits = (uint32_t)from[2 * i] << 16 | (uint32_t)from[2 * i + 1] << 24;

		memcpy(&to[i], &bits, sizeof(bits));
	}
}

/* Signed numbers of @bits. Layers have millions of them, so no number costs a division. */
static inline void unpack_bytes(const uint8_t *from, uint32_t bits, uint64_t elements, int8_t *to)
{
	const uint32_t per_byte = 8 / bits, mask = (1u << bits) - 1;
	const uint64_t whole = elements - elements % per_byte;
	const int sign = 1 << (bits - 1);

	for (uint64_t i = 0; i < whole; i += per_byte, from++)
		for (uint32_t k = 0; k < per_byte; k++)
			to[i + k] = (int8_t)(((int)(*from >> k * bits & mask) ^ sign) - sign);
	for (uint32_t k = 0; k < elements - whole; k++)
		to[whole + k] = (int8_t)(((int)(*from >> k * bits & mask) ^ sign) - sign);
}

void tflite_unpack(const uint8_t *from, uint32_t bits, uint64_t elements, void *to)
{
	if (bits == 16)
		widen(from, elements, to);
	else if (bits == 4)
		unpack_bytes(from, 4, elements, to);
	else
		unpack_bytes(from, 2, elements, to);
}

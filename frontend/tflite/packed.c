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

void tflite_unpack(const uint8_t *from, uint32_t bits, uint64_t elements, void *to)
{
	const uint32_t mask = (1u << bits) - 1;
	const int sign = 1 << (bits - 1);
	int8_t *bytes = to;
	uint32_t per_byte;

	if (bits == 16) {
		widen(from, elements, to);
		return;
	}
	per_byte = 8 / bits;
	for (uint64_t i = 0; i < elements; i++) {
		int value = (int)(from[i / per_byte] >> (i % per_byte * bits) & mask);

		bytes[i] = (int8_t)((value ^ sign) - sign);
	}
}

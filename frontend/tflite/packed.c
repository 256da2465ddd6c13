// SPDX-License-Identifier: MIT
#include "frontend/tflite/packed.h"

#include "frontend/tflite/type.h"

uint32_t tflite_packed_bits(uint32_t type)
{
	return type == TFLITE_INT4 ? 4 : type == TFLITE_INT2 ? 2 : 0;
}

void tflite_unpack(const uint8_t *from, uint32_t bits, uint64_t elements, int8_t *to)
{
	const uint32_t per_byte = 8 / bits, mask = (1u << bits) - 1;
	const int sign = 1 << (bits - 1);

	for (uint64_t i = 0; i < elements; i++) {
		int value = (int)(from[i / per_byte] >> (i % per_byte * bits) & mask);

		to[i] = (int8_t)((value ^ sign) - sign);
	}
}

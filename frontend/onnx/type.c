// SPDX-License-Identifier: MIT
#include "frontend/onnx/type.h"

#include <stddef.h>

static const struct {
	const char *name;
	uint32_t bits;
} TYPES[] = {
	[ONNX_FLOAT] = { "FLOAT", 32 },
	[ONNX_UINT8] = { "UINT8", 8 },
	[ONNX_INT8] = { "INT8", 8 },
	[ONNX_UINT16] = { "UINT16", 16 },
	[ONNX_INT16] = { "INT16", 16 },
	[ONNX_INT32] = { "INT32", 32 },
	[ONNX_INT64] = { "INT64", 64 },
	[ONNX_STRING] = { "STRING", 0 },
	[ONNX_BOOL] = { "BOOL", 8 },
	[ONNX_FLOAT16] = { "FLOAT16", 16 },
	[ONNX_DOUBLE] = { "DOUBLE", 64 },
	[ONNX_UINT32] = { "UINT32", 32 },
	[ONNX_UINT64] = { "UINT64", 64 },
	[ONNX_BFLOAT16] = { "BFLOAT16", 16 },
	[ONNX_UINT4] = { "UINT4", 4 },
	[ONNX_INT4] = { "INT4", 4 },
};

#define COUNT (sizeof(TYPES) / sizeof(*TYPES))

const char *onnx_type_name(uint32_t type)
{
	return type < COUNT && TYPES[type].name ? TYPES[type].name : "an unknown type";
}

uint32_t onnx_type_bits(uint32_t type)
{
	return type < COUNT ? TYPES[type].bits : 0;
}

uint64_t onnx_type_bytes(uint32_t type, uint64_t count)
{
	const uint32_t bits = onnx_type_bits(type);

	return bits < 8 ? (count * bits + 7) / 8 : count * (bits / 8);
}

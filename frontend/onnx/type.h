/* SPDX-License-Identifier: MIT */
/* Types of ONNX' tensors, as the format and ONNX Runtime number them. */
#ifndef ONNX_TYPE_H
#define ONNX_TYPE_H

#include <stdbool.h>
#include <stdint.h>

enum onnx_type {
	ONNX_NONE = 0,
	ONNX_FLOAT = 1,
	ONNX_UINT8 = 2,
	ONNX_INT8 = 3,
	ONNX_UINT16 = 4,
	ONNX_INT16 = 5,
	ONNX_INT32 = 6,
	ONNX_INT64 = 7,
	ONNX_STRING = 8,
	ONNX_BOOL = 9,
	ONNX_FLOAT16 = 10,
	ONNX_DOUBLE = 11,
	ONNX_UINT32 = 12,
	ONNX_UINT64 = 13,
	ONNX_BFLOAT16 = 16,
	ONNX_UINT4 = 21,
	ONNX_INT4 = 22,
};

/* "FLOAT"; "type 99" is "an unknown type". */
const char *onnx_type_name(uint32_t type);

/* Bits of an element; 0 for strings and for types that are not known. */
uint32_t onnx_type_bits(uint32_t type);

/* Bytes of @count elements; 4-bit ones are packed in pairs. */
uint64_t onnx_type_bytes(uint32_t type, uint64_t count);

static inline bool onnx_type_is_float(uint32_t type)
{
	return type == ONNX_FLOAT || type == ONNX_FLOAT16;
}

static inline bool onnx_type_is_int8(uint32_t type)
{
	return type == ONNX_INT8 || type == ONNX_UINT8;
}

#endif

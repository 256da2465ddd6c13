/* SPDX-License-Identifier: MIT */
/* Types of the elements of TFLite's tensors. */
#ifndef TFLITE_TYPE_H
#define TFLITE_TYPE_H

#include <stdint.h>

/* The schema's numbers of element types; a few more have a name only (tflite_type_name()). */
enum tflite_type {
	TFLITE_FLOAT32 = 0,
	TFLITE_FLOAT16 = 1,
	TFLITE_INT32 = 2,
	TFLITE_UINT8 = 3,
	TFLITE_INT64 = 4,
	TFLITE_STRING = 5,
	TFLITE_BOOL = 6,
	TFLITE_INT16 = 7,
	TFLITE_COMPLEX64 = 8,
	TFLITE_INT8 = 9,
	TFLITE_FLOAT64 = 10,
	TFLITE_UINT32 = 15,
	TFLITE_INT4 = 17,
	TFLITE_BFLOAT16 = 18,
	TFLITE_INT2 = 19,
};

/* "FLOAT32"; "?" for a type that is not in the schema. */
const char *tflite_type_name(uint32_t type);

/*
 * The schema's number of a type that the runtimes have in memory, TfLiteType or LiteRtElementType;
 * UINT32_MAX for one that is not in the schema.
 */
uint32_t tflite_runtime_type(int type);

/* Bytes of an element; 0 for strings, packed types (packed.h) and what enum tflite_type lacks. */
uint32_t tflite_type_size(uint32_t type);

#endif

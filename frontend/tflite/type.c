// SPDX-License-Identifier: MIT
/* Names and sizes of element types (type.h). */
#include "frontend/tflite/type.h"

uint32_t tflite_type_size(uint32_t type)
{
	switch (type) {
	case TFLITE_UINT8:
	case TFLITE_INT8:
	case TFLITE_BOOL:
		return 1;
	case TFLITE_FLOAT16:
	case TFLITE_INT16:
		return 2;
	case TFLITE_FLOAT32:
	case TFLITE_INT32:
	case TFLITE_UINT32:
		return 4;
	case TFLITE_INT64:
	case TFLITE_FLOAT64:
	case TFLITE_COMPLEX64:
		return 8;
	default:
		return 0;
	}
}

const char *tflite_type_name(uint32_t type)
{
	static const char *const names[] = {
		"FLOAT32", "FLOAT16", "INT32", "UINT8", "INT64", "STRING", "BOOL", "INT16",
		"COMPLEX64", "INT8", "FLOAT64", "COMPLEX128", "UINT64", "RESOURCE", "VARIANT",
		"UINT32", "UINT16", "INT4", "BFLOAT16", "INT2", "UINT4",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "?";
}

uint32_t tflite_runtime_type(int type)
{
	/*
	 * Indexed by the runtimes' number, from 1 on. FLOAT16 was added late, so its number differs
	 * from the schema.
	 */
	static const uint8_t types[] = {
		TFLITE_FLOAT32, TFLITE_INT32, TFLITE_UINT8, TFLITE_INT64, TFLITE_STRING,
		TFLITE_BOOL, TFLITE_INT16, TFLITE_COMPLEX64, TFLITE_INT8, TFLITE_FLOAT16,
		TFLITE_FLOAT64,
	};

	if (type >= 1 && type <= (int)sizeof(types))
		return types[type - 1];
	return type > (int)sizeof(types) ? (uint32_t)type - 1 : UINT32_MAX;
}

/* SPDX-License-Identifier: MIT */
/*
 * Constants that are read as those of a wider type. Of 4 and 2 bits the first element of a byte
 * lies in its lowest bits, and the elements are signed; the reader unpacks each constant once to
 * INT8, which all kernels of TFLite do, too. BFLOAT16 becomes FLOAT32.
 */
#ifndef TFLITE_PACKED_H
#define TFLITE_PACKED_H

#include <stdint.h>

/* Bits of an element of a packed type; 0 for other types. */
uint32_t tflite_packed_bits(uint32_t type);

/* The type that elements of @bits, those of a packed type, become. */
uint32_t tflite_unpacked_type(uint32_t bits);

/* Unpacks @elements of @bits each to that type; @from has all of their bytes. */
void tflite_unpack(const uint8_t *from, uint32_t bits, uint64_t elements, void *to);

#endif

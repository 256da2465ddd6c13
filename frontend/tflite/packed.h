/* SPDX-License-Identifier: MIT */
/*
 * Constants of 4 and 2 bits. The first element of a byte lies in its lowest bits, and the elements
 * are signed. The reader unpacks each constant once to INT8, which all kernels of TFLite do, too.
 */
#ifndef TFLITE_PACKED_H
#define TFLITE_PACKED_H

#include <stdint.h>

/* Bits of an element of a packed type; 0 for other types. */
uint32_t tflite_packed_bits(uint32_t type);

/* Unpacks @elements numbers of @bits, 4 or 2, each; @from has all of their bytes. */
void tflite_unpack(const uint8_t *from, uint32_t bits, uint64_t elements, int8_t *to);

#endif

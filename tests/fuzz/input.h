/* SPDX-License-Identifier: MIT */
/* A fuzzer's input, taken byte by byte as the numbers that the fuzzer asks for. */
#ifndef TEST_FUZZ_INPUT_H
#define TEST_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct input - what is left of the input
 * @data: its bytes, libFuzzer's
 * @size: how many
 */
struct input {
	const uint8_t *data;
	size_t size;
};

/* A number of at most 8 bytes, the lowest first. Bytes beyond the end are 0. */
static inline uint64_t take(struct input *in, uint32_t bytes)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < bytes && in->size; i++, in->size--)
		v |= (uint64_t)*in->data++ << (8 * i);
	return v;
}

#endif

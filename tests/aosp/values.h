/* SPDX-License-Identifier: MIT */
/* Values of the NN HAL's types at random, encoded by our codec, for a comparison in C++. */
#ifndef TESTS_AOSP_VALUES_H
#define TESTS_AOSP_VALUES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of type @index as in the .aidl; NULL beyond the last. */
const char *values_name(uint32_t index);

/*
 * Encodes a value of type @index, chosen by @seed, into *@data, which the caller frees. Descriptors
 * are encoded with handle 0, objects are null. Return: bytes, 0 after an error.
 */
size_t values_encode(uint32_t index, uint64_t seed, unsigned char **data);

#ifdef __cplusplus
}
#endif

#endif

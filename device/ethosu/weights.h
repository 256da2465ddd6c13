/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the compressed weight stream, to 9-bit values in the order of the stream.
 *
 * Two formats. The common one is a series of slices, read from the least significant bit on. A
 * slice has a header, an optional palette and chunks of unary codes; between weights there may be
 * runs of zeros. FWD, of the U85, has a header of 32 bytes, then indices of a fixed width.
 */
#ifndef ETHOSU_WEIGHTS_H
#define ETHOSU_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * ethosu_weights_decode() - decode a stream
 * @data: the stream
 * @size: bytes of it
 * @fast: it is of the FWD format
 * @values: written
 * @count: values wanted; the rest of the stream is not read
 * @go_on: called after at most some 65536 values, or bytes of the stream. Return: false to end. May
 *	be NULL.
 * @context: handed to it
 *
 * Return: the number of values written, which is less than @count when the stream ends before or is
 * not one.
 */
size_t ethosu_weights_decode(const uint8_t *data, size_t size, bool fast, int16_t *values,
			     size_t count, bool (*go_on)(void *context), void *context);

#endif

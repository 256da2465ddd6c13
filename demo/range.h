/* SPDX-License-Identifier: MIT */
/* The values that each tensor of a network takes, as runs on the loopback show them. */
#ifndef RANGE_H
#define RANGE_H

#include "demo/network.h"

/**
 * struct range - the least and the greatest value; the former is above the latter of what no run
 *	has computed
 */
struct range {
	float low, high;
};

/**
 * range_measure() - run a network of floats, with all that it computes as outputs
 * @network: with one input
 * @inputs: @count times the elements of the input
 * @ranges: for each operand of the network
 * @error: TFLITE_ERROR_SIZE bytes
 *
 * Return: 0 or a negative errno, with one line in @error.
 */
int range_measure(const struct network *network, const float *const *inputs, uint32_t count,
		  struct range *ranges, char *error);

/**
 * range_save() - write ranges to a file, as text
 * @path: of the file, which is replaced
 * @ranges: @count of them
 *
 * Return: 0 or a negative errno.
 */
int range_save(const char *path, const struct range *ranges, uint32_t count);
/**
 * range_load() - read a file that range_save() wrote
 * @ranges: room for @count, which the file has to have exactly
 *
 * Return: 0, -EBADMSG for another file, or a negative errno.
 */
int range_load(const char *path, struct range *ranges, uint32_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What libLiteRtCompilerPlugin_NNAccel.so offers programs, beside what LiteRT calls: which
 * operators of a model the NNA takes, and why not the others. LiteRT does not say that.
 */
#ifndef NNACCEL_LITERT_H
#define NNACCEL_LITERT_H

#include <stddef.h>
#include <stdint.h>

/**
 * nnaccel_litert_report() - which operators of a model the device takes
 * @path: of a TFLite file
 * @tell: called for each operator of each subgraph that LiteRT compiles: the numbers of both, its
 *	name, and why it is left to LiteRT, or NULL; the strings are valid during the call
 * @user: handed to @tell
 * @error: @size bytes for a line that says what is wrong
 * @size: bytes at @error
 *
 * The device is the one that $NNACCEL_DEVICE names.
 *
 * Return: 0 or a negative errno.
 */
int nnaccel_litert_report(const char *path,
			  void (*tell)(void *user, uint32_t subgraph, uint32_t operator,
				       const char *name, const char *reason),
			  void *user, char *error, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The custom operator "ethos-u", into which Vela compiles those operators of a model that the NPU
 * takes.
 *
 * Inputs
 *
 *	0	the command stream, in a payload with the driver's header; a constant
 *	1	what the stream reads only, region 0; a constant, or without elements
 *	2	the scratch memory, region 1; only its size counts
 *	3	the fast scratch memory, region 2; likewise
 *	4...	values that the stream reads
 *
 * Outputs are values that it writes. Values lie in the scratch memory, at the offsets that the
 * model's metadata give (offsets.h). All operators of a model share the scratch memory, and may
 * leave values in it for later ones that appear in no list.
 */
#ifndef VELA_OPERATOR_H
#define VELA_OPERATOR_H

#include "frontend/tflite/tflite.h"

/**
 * struct vela_operator - such an operator
 * @number: in its subgraph
 * @payload: @payload_size bytes, in the model
 * @constants: @constants_size bytes, in the model; NULL for none
 * @scratch_size: bytes of region 1
 * @fast_size: bytes of region 2
 * @inputs: tensors that it reads
 * @outputs: tensors that it writes
 */
struct vela_operator {
	uint32_t number;
	const void *payload, *constants;
	size_t payload_size, constants_size;
	uint64_t scratch_size, fast_size;
	struct tflite_ints inputs, outputs;
};

/* Writes a line that names operator @number to @error. Return: @ret. */
int vela_refuse(uint32_t number, int ret, char *error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

bool vela_is_operator(const struct tflite_operator *op);
/* Whether the main subgraph has one. */
bool vela_is_model(const struct tflite_model *model);

/**
 * vela_operator_read() - operator @number of the main subgraph
 * @error: TFLITE_ERROR_SIZE bytes for a line that names the operator
 *
 * Return: 0 or -EINVAL.
 */
int vela_operator_read(const struct tflite_model *model, uint32_t number,
		       struct vela_operator *out, char *error);

#endif

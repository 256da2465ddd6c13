// SPDX-License-Identifier: MIT
#include "frontend/vela/operator.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define INPUT_PAYLOAD 0u
#define INPUT_CONSTANTS 1u
#define INPUT_SCRATCH 2u
#define INPUT_FAST 3u
#define INPUT_FIRST 4u

int vela_refuse(uint32_t number, int ret, char *error, const char *format, ...)
{
	va_list args;
	int n;

	n = snprintf(error, TFLITE_ERROR_SIZE, "operator %u (ethos-u): ", number);
	va_start(args, format);
	vsnprintf(error + n, TFLITE_ERROR_SIZE - (size_t)n, format, args);
	va_end(args);
	return ret;
}

bool vela_is_operator(const struct tflite_operator *op)
{
	return op->code == TFLITE_CUSTOM && !strcmp(op->custom, "ethos-u");
}

bool vela_is_model(const struct tflite_model *model)
{
	const struct tflite_subgraph *sub = tflite_main(model);

	for (uint32_t i = 0; i < sub->operator_count; i++)
		if (vela_is_operator(&sub->operators[i]))
			return true;
	return false;
}

/* Bytes of an input; 0 for one that is omitted. */
static uint64_t bytes_of(const struct tflite_subgraph *sub, const struct tflite_operator *op,
			 uint32_t input)
{
	const int32_t at = op->inputs.at[input];

	return at < 0 ? 0 : sub->tensors[at].elements * tflite_type_size(sub->tensors[at].type);
}

int vela_operator_read(const struct tflite_model *model, uint32_t number,
		       struct vela_operator *out, char *error)
{
	const struct tflite_subgraph *sub = tflite_main(model);
	const struct tflite_operator *op = &sub->operators[number];
	const struct tflite_tensor *payload, *constants;

	if (op->inputs.count < INPUT_FIRST)
		return vela_refuse(number, -EINVAL, error, "it has %u inputs, expected %u or more: the "
				       "command stream, constants, and two memories",
				       op->inputs.count, INPUT_FIRST);
	for (uint32_t i = 0; i < op->inputs.count; i++)
		if (op->inputs.at[i] < 0 && i != INPUT_CONSTANTS && i != INPUT_FAST)
			return vela_refuse(number, -EINVAL, error, "input %u is left out", i);
	payload = &sub->tensors[op->inputs.at[INPUT_PAYLOAD]];
	if (!payload->data)
		return vela_refuse(number, -EINVAL, error, "its command stream is no constant");
	*out = (struct vela_operator){
		.number = number,
		.payload = payload->data,
		.payload_size = payload->size,
		.scratch_size = bytes_of(sub, op, INPUT_SCRATCH),
		.fast_size = bytes_of(sub, op, INPUT_FAST),
		.inputs = { op->inputs.at + INPUT_FIRST, op->inputs.count - INPUT_FIRST },
		.outputs = op->outputs,
	};
	if (!bytes_of(sub, op, INPUT_CONSTANTS))
		return 0;
	constants = &sub->tensors[op->inputs.at[INPUT_CONSTANTS]];
	if (!constants->data)
		return vela_refuse(number, -EINVAL, error, "its memory for constants is no constant");
	out->constants = constants->data;
	out->constants_size = constants->size;
	return 0;
}

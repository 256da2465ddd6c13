// SPDX-License-Identifier: MIT
/* Names of operators and tensors in messages. */
#include "frontend/tflite/label.h"

#include <stdio.h>
#include <string.h>

const char *tflite_operator_label(const struct tflite_operator *op, char *text)
{
	const char *name = tflite_code_name(op->code);
	char custom[48], composite[48];
	size_t n;

	if (op->code == TFLITE_CUSTOM)
		name = tflite_printable(op->custom, custom, sizeof(custom));
	if (name)
		n = (size_t)snprintf(text, TFLITE_LABEL_SIZE, "operator %u (%s)", op->number, name);
	else
		n = (size_t)snprintf(text, TFLITE_LABEL_SIZE, "operator %u (code %u)", op->number,
				     op->code);
	if (op->composite)
		snprintf(text + n, TFLITE_LABEL_SIZE - n, " of subgraph %u%s%s", op->subgraph,
			 *op->composite ? ", " : "",
			 tflite_printable(op->composite, composite, sizeof(composite)));
	return text;
}

/* Writes "input 1" or "output 0". Return: whether the operator has tensor @number. */
static bool write_role(const struct tflite_operator *op, uint32_t number, char *text, size_t size)
{
	const struct tflite_ints lists[] = { op->inputs, op->outputs };
	static const char *const roles[] = { "input", "output" };

	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < lists[k].count; i++)
			if (lists[k].at[i] == (int32_t)number) {
				snprintf(text, size, "%s %u", roles[k], i);
				return true;
			}
	return false;
}

/* Writes "INT8 [8, 3, 3, 16]". */
static void write_shape(const struct tflite_tensor *x, char *text, size_t size)
{
	const char *type = x->disguised ? "INT16" : tflite_type_name(x->type);
	size_t n;

	if (*type == '?')
		n = (size_t)snprintf(text, size, "type %u [", x->type);
	else
		n = (size_t)snprintf(text, size, "%s [", type);
	for (uint32_t i = 0; i < x->rank; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%u", i ? ", " : "", x->dims[i]);
	snprintf(text + n, size - n, "]");
}

const char *tflite_tensor_label(const struct tflite_subgraph *sub, const struct tflite_operator *op,
				const struct tflite_tensor *x, char *text)
{
	/* A type has 10 characters and a dimension 12, with its comma, at most. */
	char name[48], shape[32 + 12 * TFLITE_MAX_RANK], role[24];
	uint32_t number;

	tflite_printable(x->name ? x->name : "", name, sizeof(name));
	write_shape(x, shape, sizeof(shape));
	if (x < sub->tensors || x >= sub->tensors + sub->tensor_count) {
		snprintf(text, TFLITE_LABEL_SIZE, "a tensor (%s)", shape);
		return text;
	}
	number = (uint32_t)(x - sub->tensors);
	if (op && write_role(op, number, role, sizeof(role)))
		snprintf(text, TFLITE_LABEL_SIZE, "%s (tensor %u%s%s%s, %s)", role, number,
			 *name ? " \"" : "", name, *name ? "\"" : "", shape);
	else
		snprintf(text, TFLITE_LABEL_SIZE, "tensor %u%s%s%s (%s)", number,
			 *name ? " \"" : "", name, *name ? "\"" : "", shape);
	return text;
}

// SPDX-License-Identifier: MIT
/*
 * Operators whose result follows from shapes and constants: SHAPE, RANK, ZEROS_LIKE, RANGE,
 * DENSIFY. The translation computes it and makes the output a constant. FILL is an operation of
 * NNAPI.
 */
#include "frontend/tflite/translation.h"

#include <string.h>

/* Makes output @index a constant, a copy of @data. */
static void define(struct tflite_translation *t, uint32_t index, const void *data, size_t size)
{
	void *copy = t->ret ? NULL : tflite_derive(t->model, size);

	if (!t->ret && !copy)
		tflite_no_memory(t);
	if (t->ret)
		return;
	memcpy(copy, data, size);
	tflite_define(t, index, copy, size);
}

void tflite_translate_shape(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *y;
	int32_t narrow[TFLITE_MAX_RANK];
	int64_t wide[TFLITE_MAX_RANK];
	uint32_t i;

	tflite_need(t, 1, 1);
	x = tflite_input(t, 0);
	y = tflite_output(t, 0);
	for (i = 0; i < x->rank; i++) {
		narrow[i] = (int32_t)x->dims[i];
		wide[i] = x->dims[i];
	}
	tflite_need_elements(t, y, x->rank, "the dimensions of the input");
	tflite_need_type(t, y, y->type == TFLITE_INT32 || y->type == TFLITE_INT64,
			 "INT32 or INT64");
	if (y->type == TFLITE_INT64)
		define(t, 0, wide, x->rank * sizeof(*wide));
	else
		define(t, 0, narrow, x->rank * sizeof(*narrow));
}

void tflite_translate_rank(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *y = tflite_output(t, 0);
	int32_t rank;

	tflite_need(t, 1, 1);
	rank = (int32_t)tflite_input(t, 0)->rank;
	tflite_need_elements(t, y, 1, "a number of dimensions");
	tflite_need_type(t, y, y->type == TFLITE_INT32, "INT32");
	define(t, 0, &rank, sizeof(rank));
}

void tflite_translate_zeros_like(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *y = tflite_output(t, 0);
	void *zeros;

	tflite_need(t, 1, 1);
	tflite_need_type(t, y, tflite_type_size(y->type) && !tflite_is_quant8(y->type),
			 "FLOAT32, FLOAT16, INT16, INT32, INT64 or BOOL");
	if (t->ret)
		return;
	zeros = tflite_derive(t->model, y->elements * tflite_type_size(y->type));
	if (!zeros)
		tflite_no_memory(t);
	else
		tflite_define(t, 0, zeros, y->elements * tflite_type_size(y->type));
}

/* The shape of the output has the number of values, so the limit is not read. */
void tflite_translate_range(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *y = tflite_output(t, 0);
	int32_t start, step, *values;

	tflite_need(t, 3, 1);
	start = tflite_constant_int(t, 0);
	step = tflite_constant_int(t, 2);
	tflite_need_type(t, y, y->type == TFLITE_INT32, "INT32");
	if (t->ret)
		return;
	values = tflite_derive(t->model, y->elements * sizeof(*values));
	if (!values) {
		tflite_no_memory(t);
		return;
	}
	for (uint64_t i = 0; i < y->elements; i++)
		values[i] = (int32_t)((uint32_t)start + (uint32_t)i * (uint32_t)step);
	tflite_define(t, 0, values, y->elements * sizeof(*values));
}

/* The reader has made sparse constants dense already (sparse.h). */
void tflite_translate_densify(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);

	tflite_need(t, 1, 1);
	tflite_need_constant(t, x);
	tflite_need_type(t, y, x->type == y->type, "the type of the input");
	tflite_need_elements(t, y, x->elements, "those of the input");
	tflite_define(t, 0, x->data, x->size);
}

void tflite_translate_fill(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_push_ints(t, 0);
	tflite_push_value(t, 1);
	tflite_emit_outputs(t, type);
}

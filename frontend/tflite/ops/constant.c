// SPDX-License-Identifier: MIT
/*
 * Operators whose result follows from shapes and constants: SHAPE, RANK, ZEROS_LIKE, RANGE,
 * DENSIFY. The translation computes it and makes the output a constant. FILL is an operation of
 * NNAPI, or repeats its value.
 */
#include "frontend/tflite/compose.h"

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

/*
 * The shape of the output has the number of values, so the limit is not read. TFLite adds the step
 * to the value before it.
 */
void tflite_translate_range(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *first = tflite_input(t, 0), *step = tflite_input(t, 2);
	const struct tflite_tensor *y = tflite_output(t, 0);
	uint64_t size = y->elements * tflite_type_size(y->type), i;
	void *values;

	tflite_need(t, 3, 1);
	tflite_need_type(t, y, y->type == TFLITE_INT32 || y->type == TFLITE_INT64 ||
			       y->type == TFLITE_FLOAT32, "INT32, INT64 or FLOAT32");
	tflite_need_constant(t, first);
	tflite_need_constant(t, step);
	tflite_need_elements(t, first, 1, "a start");
	tflite_need_elements(t, step, 1, "a step");
	if (first->type != y->type || step->type != y->type)
		tflite_refuse(t, y, "another type than its start or step", "the same type");
	tflite_make_room(t, y->elements);
	values = t->ret ? NULL : tflite_derive(t->model, size);
	if (!values) {
		tflite_no_memory(t);
		return;
	}
	for (i = 0; i < y->elements; i++) {
		if (y->type == TFLITE_INT32)
			((uint32_t *)values)[i] = i ? ((uint32_t *)values)[i - 1] +
						      *(const uint32_t *)step->data
						    : *(const uint32_t *)first->data;
		else if (y->type == TFLITE_INT64)
			((uint64_t *)values)[i] = i ? ((uint64_t *)values)[i - 1] +
						      *(const uint64_t *)step->data
						    : *(const uint64_t *)first->data;
		else
			((float *)values)[i] = i ? ((float *)values)[i - 1] +
						   *(const float *)step->data
						 : *(const float *)first->data;
	}
	tflite_define(t, 0, values, size);
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

/*
 * NNAPI's FILL has numbers of 32 bits that are known when the model is translated. Other values are
 * repeated in the shape of the output.
 */
void tflite_translate_fill(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *dims = tflite_input(t, 0), *v = tflite_input(t, 1),
				   *y = tflite_output(t, 0);
	struct tflite_value value;

	tflite_need(t, 2, 1);
	if (t->ret)
		return;
	if ((dims->data || dims->invariant || !dims->elements) &&
	    (!v->data || !y->rank || (v->type != TFLITE_INT32 && !tflite_is_float(v->type)))) {
		tflite_need_elements(t, v, 1, "a value");
		tflite_need_type(t, y, v->type == y->type, "the type of the value");
		value = tflite_reshaped(t, tflite_value(t, 1), 1, (uint32_t[]){ 1 });
		if (y->rank)
			value = tflite_broadcast(t, value, y->rank, y->dims);
		tflite_result(t, value, 0);
		return;
	}
	tflite_push_ints(t, 0);
	tflite_push_value(t, 1);
	tflite_emit_outputs(t, type);
}

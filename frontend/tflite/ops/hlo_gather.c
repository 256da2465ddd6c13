// SPDX-License-Identifier: MIT
/*
 * STABLEHLO_GATHER: an index, a list of numbers, says where a slice of the operand begins; a begin
 * that would leave no place for the slice moves inwards, as in TFLite. The output has the
 * dimensions of the indices, without the one that holds an index, and those of a slice, without the
 * ones of size 1 that the options name, in any order.
 *
 * The last dimensions of the operand, which slices have whole, are one row. The rows of a slice lie
 * at fixed distances from its first one, whose number the indices give: a GATHER takes them all.
 */
#include "frontend/tflite/compose.h"

#include "frontend/tflite/shapes.h"

/* The distance of each row of a slice from the first one, [1, rows]. */
static struct tflite_value distances(struct tflite_translation *t, const struct tflite_slices *s)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	struct tflite_value none = { .operand = TFLITE_NO_OPERAND };
	const uint32_t dims[2] = { 1, s->rows };
	int32_t *list;

	tflite_make_room(t, s->rows);
	list = t->ret ? NULL : tflite_derive(t->model, (size_t)s->rows * sizeof(*list));
	if (!list) {
		tflite_no_memory(t);
		return none;
	}
	for (uint32_t i = 0; i < s->rows; i++) {
		uint32_t left = i, stride = 1;

		for (uint32_t k = s->kept; k--;) {
			list[i] += (int32_t)(left % s->size[k] * stride);
			left /= s->size[k];
			stride *= x->dims[k];
		}
	}
	return tflite_int_tensor(t, 2, dims, list);
}

/* A number of the type of the indices. */
static struct tflite_value bound(struct tflite_translation *t, int64_t value)
{
	static const uint32_t one = 1;

	return tflite_input(t, 1)->type == TFLITE_INT64 ?
	       tflite_long_tensor(t, 1, &one, &value) : tflite_int(t, (int32_t)value);
}

/* Where each slice begins in dimension @k of the operand, [slices, 1]. */
static struct tflite_value begins(struct tflite_translation *t, const struct tflite_slices *s,
				  uint32_t k)
{
	const struct tflite_tensor *from = tflite_input(t, 1);
	struct tflite_value v = tflite_value(t, 1);

	if (s->vector < from->rank)
		v = tflite_part(t, v, s->vector, (uint32_t)s->start[k], 1);
	v = tflite_reshaped(t, v, 2, (uint32_t[]){ s->count, 1 });
	v = tflite_binary(t, NNA_OPERATION_MINIMUM, v,
			  bound(t, (int64_t)tflite_input(t, 0)->dims[k] - s->size[k]));
	v = tflite_binary(t, NNA_OPERATION_MAXIMUM, v, bound(t, 0));
	return tflite_cast(t, v, NNA_OPERAND_TENSOR_INT32);
}

/* The number of each row of each slice, [slices, rows]. */
static struct tflite_value row_numbers(struct tflite_translation *t,
				       const struct tflite_slices *s)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	struct tflite_value row = distances(t, s);
	int32_t stride = 1;

	for (uint32_t k = s->kept; k-- && !t->ret; stride *= (int32_t)x->dims[k])
		if (s->start[k] >= 0)
			row = tflite_binary(t, NNA_OPERATION_ADD,
					    tflite_binary(t, NNA_OPERATION_MUL, begins(t, s, k),
							  tflite_int(t, stride)), row);
	return tflite_broadcast(t, row, 2, (uint32_t[]){ s->count, s->rows });
}

void tflite_translate_hlo_gather(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *from = tflite_input(t, 1);
	const struct tflite_tensor *y = tflite_output(t, 0);
	const struct tflite_span_error *wrong;
	uint32_t dims[TFLITE_MAX_RANK], k, n;
	struct tflite_slices s = { 0 };
	int32_t axes[TFLITE_MAX_RANK];
	struct tflite_value v;
	bool sorted = true;

	tflite_need(t, 2, 1);
	tflite_need_options(t);
	tflite_need_type(t, from, from->type == TFLITE_INT32 || from->type == TFLITE_INT64,
			 "INT32 or INT64");
	wrong = t->ret ? NULL : tflite_find_slices(&t->op->options, x, from, &s);
	if (wrong)
		tflite_unsupported(t, x, "slices with %s", "%s", wrong->wrong, wrong->expected);
	tflite_need_rank(t, y, s.rank);
	for (k = 0; k < s.rank && !t->ret; k++)
		if (y->dims[k] != s.dims[k])
			tflite_refuse(t, y, "%u elements of dimension %u", "%u", y->dims[k], k,
				      s.dims[k]);
	if (!t->ret && !y->elements)
		tflite_unsupported(t, y, "slices without elements", "an element or more");
	if (t->ret)
		return;
	v = tflite_reshaped(t, tflite_value(t, 0), 2,
			    (uint32_t[]){ (uint32_t)(x->elements / s.inner), s.inner });
	v = tflite_gathered(t, v, 0, row_numbers(t, &s));
	/* The dimensions of the indices, then those of slices. */
	for (k = 0, n = 0; k < s.rank; k++)
		if (!s.of_slice[k])
			axes[k] = (int32_t)n++;
	for (k = 0; k < s.rank; k++)
		if (s.of_slice[k])
			axes[k] = (int32_t)n++;
	for (k = 0; k < s.rank; k++) {
		dims[axes[k]] = s.dims[k];
		sorted &= axes[k] == (int32_t)k;
	}
	v = tflite_reshaped(t, v, s.rank, dims);
	tflite_result(t, sorted ? v : tflite_transposed(t, v, axes), 0);
}

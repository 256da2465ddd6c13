// SPDX-License-Identifier: MIT
/* Parts of a tensor with steps; SLICE itself is plain (plain.c). */
#include "tools/tflite/translation.h"

#include <errno.h>

#include "tools/tflite/shapes.h"

static int32_t clamp(int64_t value, int64_t low, int64_t high)
{
	return (int32_t)(value < low ? low : value > high ? high : value);
}

/* Return: the number of dimensions, 0 after an error. */
static uint32_t find_spans(struct tflite_translation *t, struct tflite_span *spans)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	int32_t begin[32], end[32], step[32];
	uint32_t count = tflite_constant_ints(t, 1, begin, 32);
	const char *wrong = NULL;

	if (tflite_constant_ints(t, 2, end, 32) != count ||
	    tflite_constant_ints(t, 3, step, 32) != count)
		tflite_fail(t, -EINVAL, "begins, ends and strides differ in number");
	if (!t->ret)
		wrong = tflite_find_spans(&t->op->options, x, count, begin, end, step, spans);
	if (wrong)
		tflite_fail(t, -EINVAL, "%s", wrong);
	return t->ret ? 0 : x->rank;
}

/* NNAPI's operation shrinks less and inserts nothing: a RESHAPE does that. */
void tflite_translate_strided_slice(struct tflite_translation *t, uint32_t type)
{
	int32_t begin[TFLITE_MAX_RANK], end[TFLITE_MAX_RANK], step[TFLITE_MAX_RANK];
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	struct tflite_span spans[TFLITE_MAX_RANK];
	struct tflite_operand_desc o;
	uint64_t elements = 1;
	uint32_t rank, k;
	int32_t open = 0;

	tflite_need(t, 4, 1);
	rank = find_spans(t, spans);
	if (!t->ret && !rank)
		tflite_fail(t, -EINVAL, "a scalar has no slices");
	if (t->ret)
		return;
	tflite_describe(t, x, &o);
	for (k = 0; k < rank; k++) {
		int64_t stop = spans[k].start + (int64_t)spans[k].step * spans[k].count;

		begin[k] = spans[k].start;
		step[k] = spans[k].step;
		/* A slice backwards to the first element ends before it, which only a mask says. */
		if (stop < 0 && spans[k].count)
			open |= 1 << k;
		end[k] = stop < 0 ? 0 : clamp(stop, 0, INT32_MAX);
		if (!spans[k].count)
			begin[k] = end[k] = 0;
		o.dims[k] = (uint32_t)spans[k].count;
		elements *= o.dims[k];
	}
	if (elements != y->elements) {
		tflite_fail(t, -EINVAL, "the slice has %llu elements, the output %llu",
			    (unsigned long long)elements, (unsigned long long)y->elements);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_list(t, begin, rank);
	tflite_push_list(t, end, rank);
	tflite_push_list(t, step, rank);
	tflite_push_i32(t, 0);
	tflite_push_i32(t, open);
	tflite_push_i32(t, 0);
	if (y->rank == rank && !t->op->options.shrink_axis_mask && !t->op->options.new_axis_mask)
		tflite_emit_outputs(t, type);
	else
		tflite_finish_reshaped(t, type, &o);
}

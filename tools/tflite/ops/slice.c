// SPDX-License-Identifier: MIT
/* Parts of a tensor with steps; SLICE itself is plain (plain.c). */
#include "tools/tflite/translation.h"

#include <errno.h>

/* What begin, end and stride of a dimension take: @start, @start + @step, ..., @count of them. */
struct span {
	int32_t start, step, count;
	bool shrink;
};

static int32_t clamp(int64_t value, int64_t low, int64_t high)
{
	return (int32_t)(value < low ? low : value > high ? high : value);
}

/*
 * One dimension of @size elements. @bit is the one of the masks; for a dimension that shrinks TFLite
 * looks at begin alone.
 */
static void find_span(struct tflite_translation *t, int64_t size, int64_t begin, int64_t end,
		      int32_t step, uint32_t bit, struct span *s)
{
	const struct tflite_options *o = &t->op->options;
	int64_t first = step > 0 ? 0 : -1, last = step > 0 ? size : size - 1;

	if (!step) {
		tflite_fail(t, -EINVAL, "a stride is 0");
		return;
	}
	*s = (struct span){ .step = step, .shrink = (uint32_t)o->shrink_axis_mask >> bit & 1 };
	if (o->end_is_offset)
		end += begin;
	begin += begin < 0 ? size : 0;
	end += end < 0 && !o->end_is_offset ? size : 0;
	if (s->shrink) {
		if (begin < 0 || begin >= size) {
			tflite_fail(t, -EINVAL, "index %lld of %lld elements", (long long)begin,
				    (long long)size);
			return;
		}
		*s = (struct span){ (int32_t)begin, 1, 1, true };
		return;
	}
	begin = (uint32_t)o->begin_mask >> bit & 1 ? (step > 0 ? 0 : size - 1)
						   : clamp(begin, first, last);
	end = (uint32_t)o->end_mask >> bit & 1 ? (step > 0 ? size : -1) : clamp(end, first, last);
	s->start = (int32_t)begin;
	if (step > 0)
		s->count = end > begin ? (int32_t)((end - begin + step - 1) / step) : 0;
	else
		s->count = begin > end ? (int32_t)((begin - end - (int64_t)step - 1) / -(int64_t)step)
				       : 0;
}

/*
 * The slices of all dimensions. An ellipsis stands for as many whole dimensions as are left, a new
 * axis for none. Return: the number of dimensions, 0 after an error.
 */
static uint32_t find_spans(struct tflite_translation *t, struct span *spans)
{
	const struct tflite_options *o = &t->op->options;
	const struct tflite_tensor *x = tflite_input(t, 0);
	int32_t begin[32], end[32], step[32];
	uint32_t count, taken = 0, k, dim = 0;
	bool whole = false;

	count = tflite_constant_ints(t, 1, begin, 32);
	if (tflite_constant_ints(t, 2, end, 32) != count ||
	    tflite_constant_ints(t, 3, step, 32) != count)
		tflite_fail(t, -EINVAL, "begins, ends and strides differ in number");
	for (k = 0; k < count; k++)
		taken += !((uint32_t)(o->new_axis_mask | o->ellipsis_mask) >> k & 1);
	if (taken > x->rank)
		tflite_fail(t, -EINVAL, "slices of %u dimensions, there are %u", taken, x->rank);
	for (k = 0; k < count && !t->ret; k++) {
		if ((uint32_t)o->ellipsis_mask >> k & 1) {
			for (uint32_t n = x->rank - taken; n && !whole; n--, dim++)
				spans[dim] = (struct span){ 0, 1, (int32_t)x->dims[dim], false };
			whole = true;
			continue;
		}
		if ((uint32_t)o->new_axis_mask >> k & 1)
			continue;
		find_span(t, x->dims[dim], begin[k], end[k], step[k], k, &spans[dim]);
		dim++;
	}
	for (; dim < x->rank && !t->ret; dim++)
		spans[dim] = (struct span){ 0, 1, (int32_t)x->dims[dim], false };
	return t->ret ? 0 : x->rank;
}

/* NNAPI's operation shrinks less and inserts nothing: a RESHAPE does that. */
void tflite_translate_strided_slice(struct tflite_translation *t, uint32_t type)
{
	int32_t begin[TFLITE_MAX_RANK], end[TFLITE_MAX_RANK], step[TFLITE_MAX_RANK];
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	struct span spans[TFLITE_MAX_RANK];
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

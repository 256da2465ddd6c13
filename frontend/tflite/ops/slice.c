// SPDX-License-Identifier: MIT
/* SLICE and STRIDED_SLICE. */
#include "frontend/tflite/compose.h"

#include <errno.h>

#include "frontend/tflite/shapes.h"

/* @count elements of @axis from @begin on, one number that is known at run time. */
static struct tflite_value part_from(struct tflite_translation *t, struct tflite_value x,
				     uint32_t axis, struct tflite_value begin, uint32_t count)
{
	int32_t *numbers;

	tflite_make_room(t, count);
	numbers = t->ret ? NULL : tflite_derive(t->model, (size_t)count * sizeof(*numbers));
	if (!numbers) {
		tflite_no_memory(t);
		return x;
	}
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = (int32_t)i;
	begin = tflite_binary(t, NNA_OPERATION_ADD, begin,
			      tflite_int_tensor(t, 1, &count, numbers));
	return tflite_gathered(t, x, axis, begin);
}

/*
 * Whether the begin of a SLICE depends on the data and its size does not. A size of -1 ("up to the
 * end") counts as known if the slice takes the whole dimension: its begin must be 0.
 */
static bool only_begin_is_open(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *begin = tflite_input(t, 1),
				   *size = tflite_input(t, 2), *y = tflite_output(t, 0);
	int32_t sizes[TFLITE_MAX_RANK];

	if (t->ret || begin->data || begin->invariant || !(size->data || size->invariant) ||
	    begin->rank != 1 || begin->elements != x->rank || y->rank != x->rank ||
	    tflite_constant_ints(t, 2, sizes, TFLITE_MAX_RANK) != x->rank)
		return false;
	for (uint32_t k = 0; k < x->rank; k++)
		if (sizes[k] < 0 ? y->dims[k] != x->dims[k] : (uint32_t)sizes[k] != y->dims[k])
			return false;
	return true;
}

/*
 * A slice with a begin that depends on the data and a known size becomes a GATHER: the library
 * compiles that into one program with the operations after it, also in the body of a loop. For any
 * other begin that depends on the data the library splits the program.
 */
void tflite_translate_slice(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	struct tflite_value v, first;

	tflite_need(t, 3, 1);
	if (!only_begin_is_open(t)) {
		tflite_push_input(t, 0);
		tflite_push_ints(t, 1);
		tflite_push_ints(t, 2);
		tflite_emit_outputs(t, type);
		return;
	}
	v = tflite_value(t, 0);
	first = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_INT32);
	for (uint32_t k = 0; k < x->rank && !t->ret; k++)
		if (y->dims[k] != x->dims[k])
			v = part_from(t, v, k, tflite_part(t, first, 0, k, 1), y->dims[k]);
	if (tflite_is_quantised(y->type)) {
		tflite_push(t, v.operand);
		tflite_emit_outputs(t, NNA_OPERATION_BITCAST);
		return;
	}
	tflite_result(t, v, 0);
}

static int32_t clamp(int64_t value, int64_t low, int64_t high)
{
	return (int32_t)(value < low ? low : value > high ? high : value);
}

/* Return: number of dimensions of the input, 0 after an error. */
static uint32_t find_spans(struct tflite_translation *t, struct tflite_span *spans)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	int32_t begin[32], end[32], step[32];
	uint32_t count = tflite_constant_ints(t, 1, begin, 32);
	const struct tflite_span_error *wrong = NULL;

	tflite_exact_ints(t, 2, end, count, "the begins");
	if (tflite_exact_ints(t, 3, step, count, "the begins"))
		wrong = tflite_find_spans(&t->op->options, x, count, begin, end, step, spans);
	if (wrong)
		tflite_refuse(t, x, "a strided slice with %s", "%s", wrong->wrong, wrong->expected);
	return t->ret ? 0 : x->rank;
}

/* NNAPI's operation inserts no dimension and cannot drop all of them: a RESHAPE does both. */
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
		tflite_need_least_rank(t, x, 1);
	if (t->ret)
		return;
	tflite_describe(t, x, &o);
	for (k = 0; k < rank; k++) {
		int64_t stop = spans[k].start + (int64_t)spans[k].step * spans[k].count;

		begin[k] = spans[k].start;
		step[k] = spans[k].step;
		/* A backward slice up to element 0 ends before it, which needs the end mask. */
		if (stop < 0 && spans[k].count)
			open |= 1 << k;
		end[k] = stop < 0 ? 0 : clamp(stop, 0, INT32_MAX);
		if (!spans[k].count)
			begin[k] = end[k] = 0;
		o.dims[k] = (uint32_t)spans[k].count;
		elements *= o.dims[k];
	}
	tflite_need_elements(t, y, elements, "those of the slice");
	if (t->ret)
		return;
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

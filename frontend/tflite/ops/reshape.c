// SPDX-License-Identifier: MIT
/*
 * Operators that change the shape of a tensor; BROADCAST_TO, which repeats its elements, and
 * REVERSE_V2 and TRANSPOSE, which order them.
 */
#include "frontend/tflite/compose.h"

static void reshape(struct tflite_translation *t, bool copies)
{
	const struct tflite_tensor *x, *y;
	struct tflite_operand_desc o;

	tflite_need(t, 1, 1);
	x = tflite_input(t, 0);
	y = tflite_output(t, 0);
	if (t->ret)
		return;
	tflite_need_elements(t, y, x->elements, "those of the input");
	if (copies && tflite_is_quantised(y->type) && !tflite_same_quantisation(x, y)) {
		tflite_push_input(t, 0);
		tflite_emit_outputs(t, NNA_OPERATION_BITCAST);
		return;
	}
	tflite_describe(t, y, &o);
	tflite_emit_reshape(t, tflite_input_operand(t, 0), tflite_output_operand(t, 0), &o);
}

/* RESHAPE, SQUEEZE and EXPAND_DIMS: the output has its shape from the file or from inference. */
void tflite_translate_reshape(struct tflite_translation *t, uint32_t type)
{
	reshape(t, false);
}

/* What the reader leaves of a composite: the output takes the stored numbers of the input. */
void tflite_translate_copy(struct tflite_translation *t, uint32_t type)
{
	reshape(t, true);
}

/* A RESHAPE adds dimensions of size 1 in front, a TILE repeats the elements. */
void tflite_translate_broadcast_to(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	int32_t dims[TFLITE_MAX_RANK] = { 1 }, times[TFLITE_MAX_RANK] = { 1 };
	uint32_t more = y->rank - x->rank, i, wide;
	struct tflite_operand_desc o;

	tflite_need(t, 2, 1);
	tflite_need_least_rank(t, y, x->rank ? x->rank : 1);
	for (i = 0; i < y->rank && !t->ret; i++) {
		dims[i] = i < more ? 1 : (int32_t)x->dims[i - more];
		times[i] = dims[i] ? (int32_t)y->dims[i] / dims[i] : 1;
		if ((uint32_t)(times[i] * dims[i]) != y->dims[i] || (times[i] != 1 && dims[i] != 1))
			tflite_refuse(t, y, "%u elements of dimension %u",
				      "%d, as in the input; only 1 broadcasts", y->dims[i], i,
				      dims[i]);
	}
	if (t->ret)
		return;
	tflite_describe(t, x, &o);
	o.desc.rank = y->rank;
	for (i = 0; i < y->rank; i++)
		o.dims[i] = (uint32_t)dims[i];
	wide = tflite_add_operand(t, &o);
	tflite_push_input(t, 0);
	tflite_push_list(t, dims, y->rank);
	tflite_emit_to(t, NNA_OPERATION_RESHAPE, wide);
	tflite_push(t, wide);
	tflite_push_list(t, times, y->rank);
	tflite_emit_to(t, type, tflite_output_operand(t, 0));
}

/* NNAPI's REVERSE has one axis: each axis is an operation. */
void tflite_translate_reverse(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	struct tflite_value v = tflite_value(t, 0);
	int32_t axes[TFLITE_MAX_RANK];
	uint32_t count;

	tflite_need(t, 2, 1);
	count = tflite_constant_ints(t, 1, axes, TFLITE_MAX_RANK);
	for (uint32_t i = 0; i < count && !t->ret; i++) {
		int32_t axis = tflite_axis(t, axes[i], x->rank);
		uint32_t to = i + 1 < count ? tflite_add_operand(t, &v.o) :
					      tflite_output_operand(t, 0);

		tflite_push(t, v.operand);
		tflite_push_list(t, &axis, 1);
		tflite_emit_to(t, type, to);
		v.operand = to;
	}
	if (!count)
		tflite_result(t, v, 0);
}

/* NNAPI does not count axes from the end. */
void tflite_translate_transpose(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *order = tflite_input(t, 1);
	int32_t axes[TFLITE_MAX_RANK];
	uint32_t count;

	tflite_need(t, 2, 1);
	tflite_push_input(t, 0);
	if (order->data || order->invariant) {
		count = tflite_constant_ints(t, 1, axes, TFLITE_MAX_RANK);
		for (uint32_t i = 0; i < count; i++)
			axes[i] = tflite_axis(t, axes[i], x->rank);
		tflite_push_list(t, axes, count);
	} else {
		tflite_push_ints(t, 1);
	}
	tflite_emit_outputs(t, type);
}

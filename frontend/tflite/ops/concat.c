// SPDX-License-Identifier: MIT
/* Operators that join tensors, and those that split a tensor. */
#include "frontend/tflite/compose.h"

#include <stdlib.h>

#include "frontend/tflite/shapes.h"

/* Replaces one row of a list: (0, 1, 2, ...) == number of the row ? row : list */
static void update_list(struct tflite_translation *t, const struct tflite_list_update *u)
{
	struct tflite_value list = { 0 }, row = { 0 }, at = { 0 }, rows;
	uint32_t dims[TFLITE_MAX_RANK], k;
	int32_t *numbers;

	tflite_describe(t, &t->sub->tensors[u->list], &list.o);
	tflite_describe(t, &t->sub->tensors[u->row], &row.o);
	tflite_describe(t, &t->sub->tensors[u->sizes], &at.o);
	list.operand = tflite_tensor_operand(t, (uint32_t)u->list);
	row.operand = tflite_tensor_operand(t, (uint32_t)u->row);
	at.operand = tflite_tensor_operand(t, (uint32_t)u->sizes);
	numbers = t->ret ? NULL : tflite_derive(t->model, (size_t)list.o.dims[0] * 4 + 4);
	if (!numbers) {
		tflite_no_memory(t);
		return;
	}
	for (k = 0; k < list.o.dims[0]; k++)
		numbers[k] = (int32_t)k;
	dims[0] = list.o.dims[0];
	for (k = 1; k < list.o.desc.rank; k++)
		dims[k] = 1;
	rows = tflite_int_tensor(t, list.o.desc.rank, dims, numbers);
	rows = tflite_binary(t, NNA_OPERATION_EQUAL, rows, tflite_part(t, at, 0, 0, 1));
	tflite_result(t, tflite_select(t, rows, row, list), 0);
}

/* More dimensions than NNAPI's operation has are folded. */
static void concatenate_folded(struct tflite_translation *t, uint32_t type, uint32_t axis)
{
	struct tflite_value y;
	uint32_t *parts = calloc(t->op->inputs.count, sizeof(*parts));

	if (!parts) {
		tflite_no_memory(t);
		return;
	}
	if (t->op->options.activation > TFLITE_ACT_RELU6)
		tflite_unsupported(t, NULL, "fused activation %d of more than 4 dimensions", "none",
				   t->op->options.activation);
	for (uint32_t i = 0; i < t->op->inputs.count && !t->ret; i++) {
		tflite_need_rank(t, tflite_input(t, i), tflite_output(t, 0)->rank);
		parts[i] = tflite_folded(t, tflite_value(t, i), axis).operand;
	}
	tflite_describe(t, tflite_output(t, 0), &y.o);
	y.o.desc.rank = 3;
	y.o.dims[1] = tflite_output(t, 0)->dims[axis];
	y.o.dims[0] = y.o.dims[2] = 1;
	for (uint32_t i = 0; i < tflite_output(t, 0)->rank; i++)
		if (i != axis)
			y.o.dims[i < axis ? 0 : 2] *= tflite_output(t, 0)->dims[i];
	for (uint32_t i = 0; i < t->op->inputs.count && !t->ret; i++)
		tflite_push(t, parts[i]);
	tflite_push_i32(t, 1);
	tflite_finish_reshaped(t, type, &y.o);
	free(parts);
}

void tflite_translate_concatenation(struct tflite_translation *t, uint32_t type)
{
	struct tflite_list_update update;
	int32_t axis;
	uint32_t i;

	tflite_need(t, 1, 1);
	tflite_need_options(t);
	if (!t->ret && tflite_find_list_update(t->sub, t->op_index, &update)) {
		update_list(t, &update);
		return;
	}
	axis = tflite_axis(t, t->op->options.axis, tflite_output(t, 0)->rank);
	if (tflite_output(t, 0)->rank > 4) {
		concatenate_folded(t, type, (uint32_t)axis);
		return;
	}
	for (i = 0; i < t->op->inputs.count; i++)
		tflite_push_input(t, i);
	tflite_push_i32(t, axis);
	tflite_finish(t, type);
}

void tflite_translate_pack(struct tflite_translation *t, uint32_t type)
{
	bool scalars;
	uint32_t i;

	tflite_need(t, 1, 1);
	tflite_need_options(t);
	scalars = !tflite_input(t, 0)->rank;
	if (!scalars)
		tflite_push_i32(t, tflite_axis(t, t->op->options.axis, tflite_output(t, 0)->rank));
	for (i = 0; i < t->op->inputs.count; i++)
		tflite_push_input(t, i);
	/* Scalars are tensors of one element here, so CONCATENATION computes their PACK. */
	if (scalars)
		tflite_push_i32(t, 0);
	tflite_emit_outputs(t, scalars ? NNA_OPERATION_CONCATENATION : type);
}

void tflite_translate_unpack(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0);

	tflite_need(t, 1, t->op->outputs.count);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_i32(t, tflite_axis(t, t->op->options.axis, x->rank));
	tflite_emit_outputs(t, type);
}

void tflite_translate_split(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x;

	tflite_need(t, 2, t->op->outputs.count);
	x = tflite_input(t, 1);
	tflite_push_input(t, 1);
	tflite_push_i32(t, tflite_axis(t, tflite_constant_int(t, 0), x->rank));
	tflite_push_i32(t, (int32_t)t->op->outputs.count);
	tflite_emit_outputs(t, type);
}

/* NNAPI's SPLIT makes pieces of equal size: here a SLICE makes each piece. */
void tflite_translate_split_v(struct tflite_translation *t, uint32_t type)
{
	int32_t begin[TFLITE_MAX_RANK] = { 0 }, size[TFLITE_MAX_RANK];
	const struct tflite_tensor *x;
	uint32_t i, k;
	int32_t axis;

	tflite_need(t, 3, t->op->outputs.count);
	x = tflite_input(t, 0);
	axis = tflite_axis(t, tflite_constant_int(t, 2), x->rank);
	for (i = 0; i < t->op->outputs.count && !t->ret; i++) {
		const struct tflite_tensor *y = tflite_output(t, i);

		tflite_need_rank(t, y, x->rank);
		for (k = 0; k < x->rank; k++)
			size[k] = (int32_t)y->dims[k];
		tflite_push_input(t, 0);
		tflite_push_list(t, begin, x->rank);
		tflite_push_list(t, size, x->rank);
		tflite_emit_to(t, type, tflite_output_operand(t, i));
		if (__builtin_add_overflow(begin[axis], size[axis], &begin[axis]))
			tflite_refuse(t, y, "it ends beyond element %d of the axis",
				      "outputs of %u elements together, those of the input",
				      INT32_MAX, x->dims[axis]);
	}
}

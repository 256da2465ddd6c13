// SPDX-License-Identifier: MIT
/*
 * Operators that move, choose or order stored numbers. TFLite's kernels ignore the scales there,
 * even if those of the tensors differ; NNAPI's operations requantise, or refuse them. While such an
 * operator is translated, all its tensors have the quantisation of output 0, since PAD pads with
 * the zero point of its output. A BITCAST before or after the operation relabels the bytes.
 */
#include "frontend/tflite/compose.h"

#include <stdlib.h>

#include "frontend/tflite/shapes.h"

/** struct relabelled - a tensor with a temporary quantisation, and its own operand and contents */
struct relabelled {
	uint32_t tensor, operand;
	struct tflite_tensor was;
};

/* Whether TFLite's kernel of the operator copies or compares stored numbers. */
static bool takes_stored(const struct tflite_translation *t, uint32_t type)
{
	struct tflite_list_update update;

	switch (t->op->code) {
	case TFLITE_CONCATENATION:
		/* 8-bit numbers are requantised: UINT8 as in TFLite, INT8 in this library alone. */
		return type == TFLITE_INT16 &&
		       !tflite_find_list_update(t->sub, t->op_index, &update);
	case TFLITE_BATCH_TO_SPACE_ND:
	case TFLITE_BROADCAST_TO:
	case TFLITE_DEPTH_TO_SPACE:
	case TFLITE_DILATE:
	case TFLITE_GATHER:
	case TFLITE_GATHER_ND:
	case TFLITE_MAXIMUM:
	case TFLITE_MINIMUM:
	case TFLITE_PAD:
	case TFLITE_PADV2:
	case TFLITE_RESHAPE:
	case TFLITE_REVERSE_SEQUENCE:
	case TFLITE_REVERSE_V2:
	case TFLITE_SELECT:
	case TFLITE_SELECT_V2:
	case TFLITE_SLICE:
	case TFLITE_SPACE_TO_BATCH_ND:
	case TFLITE_SPACE_TO_DEPTH:
	case TFLITE_SPLIT:
	case TFLITE_SPLIT_V:
	case TFLITE_SQUEEZE:
	case TFLITE_STABLEHLO_GATHER:
	case TFLITE_STABLEHLO_PAD:
	case TFLITE_STABLEHLO_SCATTER:
	case TFLITE_STRIDED_SLICE:
	case TFLITE_TILE:
	case TFLITE_TOPK_V2:
	case TFLITE_TRANSPOSE:
		return true;
	default:
		return false;
	}
}

/* Whether @x has the type of @y and another quantisation. */
static bool differs(const struct tflite_tensor *x, const struct tflite_tensor *y)
{
	return x->type == y->type && x->scale_count <= 1 && !tflite_same_quantisation(x, y);
}

bool tflite_is_stored(const struct tflite_translation *t)
{
	const struct tflite_ints *lists[] = { &t->op->inputs, &t->op->outputs };
	const struct tflite_tensor *y;

	if (!t->op->outputs.count || t->op->outputs.at[0] < 0)
		return false;
	y = &t->sub->tensors[t->op->outputs.at[0]];
	if (!tflite_is_quantised(y->type) || y->scale_count > 1 || !takes_stored(t, y->type))
		return false;
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < lists[k]->count; i++)
			if (lists[k]->at[i] >= 0 && differs(&t->sub->tensors[lists[k]->at[i]], y))
				return true;
	return false;
}

/* Gives a tensor the quantisation of @y; the next use of the tensor adds an operand for it. */
static void relabel(struct tflite_translation *t, uint32_t tensor, const struct tflite_tensor *y,
		    struct relabelled *r)
{
	struct tflite_tensor *x = &t->sub->tensors[tensor];

	*r = (struct relabelled){ tensor, t->operands[tensor], *x };
	x->scale_count = y->scale_count;
	x->scales = y->scales;
	x->zero_point_count = y->zero_point_count;
	x->zero_points = y->zero_points;
	t->operands[tensor] = TFLITE_NO_OPERAND;
}

void tflite_translate_stored(struct tflite_translation *t,
			     void (*translate)(struct tflite_translation *t))
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;
	const struct tflite_tensor *y = tflite_output(t, 0);
	struct relabelled *list = calloc((size_t)in.count + out.count, sizeof(*list));
	uint32_t count = 0, inputs, i;

	if (!list) {
		tflite_no_memory(t);
		return;
	}
	for (i = 0; i < in.count && !t->ret; i++) {
		struct tflite_operand_desc o;
		uint32_t from;

		if (in.at[i] < 0 || !differs(&t->sub->tensors[in.at[i]], y))
			continue;
		/* A relabelled constant becomes another constant of the same bytes. */
		if (t->sub->tensors[in.at[i]].data) {
			relabel(t, (uint32_t)in.at[i], y, &list[count++]);
			continue;
		}
		from = tflite_input_operand(t, i);
		relabel(t, (uint32_t)in.at[i], y, &list[count++]);
		tflite_describe(t, &t->sub->tensors[in.at[i]], &o);
		t->operands[in.at[i]] = tflite_add_operand(t, &o);
		tflite_push(t, from);
		tflite_emit_to(t, NNA_OPERATION_BITCAST, t->operands[in.at[i]]);
	}
	inputs = count;
	for (i = 1; i < out.count && !t->ret; i++)
		if (out.at[i] >= 0 && differs(&t->sub->tensors[out.at[i]], y))
			relabel(t, (uint32_t)out.at[i], y, &list[count++]);
	if (!t->ret)
		translate(t);
	while (count-- > 0) {
		const struct relabelled *r = &list[count];
		uint32_t made = t->operands[r->tensor];

		t->sub->tensors[r->tensor] = r->was;
		t->operands[r->tensor] = r->operand;
		if (count < inputs || t->ret)
			continue;
		tflite_push(t, made);
		tflite_emit_to(t, NNA_OPERATION_BITCAST, tflite_tensor_operand(t, r->tensor));
	}
	free(list);
}

// SPDX-License-Identifier: MIT
/*
 * Operators on INT16. TFLite's kernels compute them with 64-bit sums and tables; NNAPI has hardly
 * any operation for them. Here the inputs are dequantised, the operation runs in FLOAT32, and its
 * result is quantised to INT16: the nearest number that the output can hold, up to the rounding of
 * FLOAT32. Operators for which that differs from TFLite have a translation of their own
 * (ops/table.c, ops/wide.c).
 *
 * While the operator is translated, its INT16 tensors are disguised as FLOAT32 tensors; afterwards
 * they are restored.
 */
#include "frontend/tflite/rescale.h"

/* Limit of disguised tensors of one operator. */
#define MAX_DISGUISED 64

bool tflite_needs_reals(const struct tflite_translation *t)
{
	const struct tflite_ints *lists[] = { &t->op->inputs, &t->op->outputs };

	if (tflite_is_wide(t) || tflite_is_arithmetic16(t) || tflite_is_matmul16(t) ||
	    tflite_is_full16(t) || tflite_is_stored_short(t) || tflite_is_sum16(t) ||
	    tflite_is_resize16(t) || tflite_is_prelu16(t))
		return false;
	switch (t->op->code) {
	case TFLITE_PAD:
	case TFLITE_PADV2:
	case TFLITE_MIRROR_PAD:
	case TFLITE_SPACE_TO_BATCH_ND:
	case TFLITE_BATCH_TO_SPACE_ND:
	case TFLITE_SPACE_TO_DEPTH:
	case TFLITE_DEPTH_TO_SPACE:
	case TFLITE_FILL:
		/* Android's operations do not take INT16. */
		if (t->ops->requantizes)
			return false;
		break;
	case TFLITE_QUANTIZE:
	case TFLITE_DEQUANTIZE:
	case TFLITE_CAST:
	case TFLITE_SHAPE:
	case TFLITE_RANK:
	case TFLITE_RESHAPE:
	case TFLITE_SQUEEZE:
	case TFLITE_EXPAND_DIMS:
	case TFLITE_BROADCAST_TO:
	case TFLITE_TILE:
	case TFLITE_TRANSPOSE:
	case TFLITE_REVERSE_V2:
	case TFLITE_SLICE:
	case TFLITE_STRIDED_SLICE:
	case TFLITE_GATHER:
	case TFLITE_GATHER_ND:
	case TFLITE_SPLIT:
	case TFLITE_SPLIT_V:
	case TFLITE_PACK:
	case TFLITE_UNPACK:
	case TFLITE_CONCATENATION:
	case TFLITE_BITCAST:
	case TFLITE_BITWISE_XOR:
	case TFLITE_RIGHT_SHIFT:
	case TFLITE_DILATE:
	case TFLITE_REDUCE_WINDOW:
	case TFLITE_STABLEHLO_AND:
	case TFLITE_STABLEHLO_CASE:
	case TFLITE_STABLEHLO_GATHER:
	case TFLITE_STABLEHLO_PAD:
	case TFLITE_STABLEHLO_SHIFT_LEFT:
	case TFLITE_STABLEHLO_ADD:
	case TFLITE_STABLEHLO_MULTIPLY:
	case TFLITE_STABLEHLO_MAXIMUM:
	case TFLITE_STABLEHLO_MINIMUM:
	case TFLITE_STABLEHLO_REDUCE_WINDOW:
	case TFLITE_STABLEHLO_SCATTER:
	case TFLITE_IF:
	case TFLITE_WHILE:
	case TFLITE_CALL_ONCE:
	case TFLITE_VAR_HANDLE:
	case TFLITE_READ_VARIABLE:
	case TFLITE_ASSIGN_VARIABLE:
	case TFLITE_LSTM:
	case TFLITE_SVDF:
	case TFLITE_UNIDIRECTIONAL_SEQUENCE_LSTM:
	case TFLITE_CUSTOM:
		return false;
	default:
		break;
	}
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < lists[k]->count; i++)
			if (lists[k]->at[i] >= 0 &&
			    t->sub->tensors[lists[k]->at[i]].type == TFLITE_INT16)
				return true;
	return false;
}

/** struct disguise - a tensor that looks like FLOAT32, with its own operand and contents */
struct disguise {
	uint32_t tensor, operand;
	struct tflite_tensor was;
};

/* Makes a tensor look like FLOAT32 with the operand @real. */
static void disguise(struct tflite_translation *t, uint32_t tensor, uint32_t real,
		     struct disguise *d)
{
	struct tflite_tensor *x = &t->sub->tensors[tensor];

	*d = (struct disguise){ tensor, t->operands[tensor], *x };
	x->type = TFLITE_FLOAT32;
	x->disguised = true;
	x->scale_count = 0;
	x->zero_point_count = 0;
	x->data = NULL;
	x->size = 0;
	t->operands[tensor] = real;
}

/* Averages are computed of stored numbers: a scale would round their halves up or down. */
static bool by_stored_numbers(const struct tflite_translation *t)
{
	return t->op->code == TFLITE_AVERAGE_POOL_2D &&
	       t->op->options.activation <= TFLITE_ACT_RELU6;
}

void tflite_translate_on_reals(struct tflite_translation *t,
			       void (*translate)(struct tflite_translation *t, uint32_t type),
			       uint32_t type)
{
	const struct tflite_operator *op = t->op;
	struct tflite_operator plain = *op;
	struct disguise list[MAX_DISGUISED];
	uint32_t inputs = t->op->inputs.count, outputs = t->op->outputs.count, count = 0, made, i;

	if (inputs + outputs > MAX_DISGUISED) {
		tflite_unsupported(t, NULL, "%u inputs and outputs", "%u or fewer with INT16",
				   inputs + outputs, MAX_DISGUISED);
		return;
	}
	for (i = 0; i < inputs && !t->ret; i++) {
		struct tflite_value real;

		if (!tflite_has_input(t, i) || tflite_input(t, i)->type != TFLITE_INT16)
			continue;
		real = by_stored_numbers(t) ? tflite_cast(t, tflite_value(t, i),
							  NNA_OPERAND_TENSOR_FLOAT32) :
					      tflite_real(t, i);
		disguise(t, (uint32_t)t->op->inputs.at[i], real.operand, &list[count++]);
	}
	made = count;
	for (i = 0; i < outputs && !t->ret; i++)
		if (tflite_output(t, i)->type == TFLITE_INT16)
			disguise(t, (uint32_t)t->op->outputs.at[i], TFLITE_NO_OPERAND,
				 &list[count++]);
	t->real = true;
	if (by_stored_numbers(t))
		plain.options.activation = TFLITE_ACT_NONE;
	t->op = &plain;
	if (!t->ret)
		translate(t, type);
	t->op = op;
	t->real = false;
	while (count-- > 0) {
		struct disguise *d = &list[count];
		uint32_t real = t->operands[d->tensor];

		t->sub->tensors[d->tensor] = d->was;
		t->operands[d->tensor] = d->operand;
		if (count < made || t->ret)
			continue;
		if (by_stored_numbers(t)) {
			tflite_store_rounded(t, real);
			continue;
		}
		tflite_push(t, real);
		tflite_emit_to(t, NNA_OPERATION_QUANTIZE, tflite_tensor_operand(t, d->tensor));
	}
}

// SPDX-License-Identifier: MIT
#include "frontend/tflite/bfloat.h"

/* Bits of a FLOAT32 that a BFLOAT16 lacks. */
#define LOST 16

/* What TFLite's kernels do with BFLOAT16. */
enum use {
	REFUSED,
	CHOSEN,		/* results are numbers of inputs, up to their sign, or whole ones of them */
	ROUNDED,
};

static enum use use_of(uint32_t code)
{
	switch (code) {
	case TFLITE_BATCH_TO_SPACE_ND:
	case TFLITE_CONCATENATION:
	case TFLITE_DYNAMIC_UPDATE_SLICE:
	case TFLITE_EXPAND_DIMS:
	case TFLITE_FILL:
	case TFLITE_FLOOR:
	case TFLITE_GATHER:
	case TFLITE_GATHER_ND:
	case TFLITE_GREATER:
	case TFLITE_LESS:
	case TFLITE_MAXIMUM:
	case TFLITE_MINIMUM:
	case TFLITE_MIRROR_PAD:
	case TFLITE_NEG:
	case TFLITE_PAD:
	case TFLITE_PADV2:
	case TFLITE_RANK:
	case TFLITE_RESHAPE:
	case TFLITE_RESIZE_NEAREST_NEIGHBOR:
	case TFLITE_REVERSE_V2:
	case TFLITE_ROUND:
	case TFLITE_SELECT:
	case TFLITE_SELECT_V2:
	case TFLITE_SHAPE:
	case TFLITE_SLICE:
	case TFLITE_SPACE_TO_BATCH_ND:
	case TFLITE_SQUEEZE:
	case TFLITE_STRIDED_SLICE:
	case TFLITE_TILE:
	case TFLITE_TRANSPOSE:
	case TFLITE_UNPACK:
		return CHOSEN;
	case TFLITE_ATAN2:
	case TFLITE_CAST:
	case TFLITE_LOGISTIC:
	case TFLITE_TANH:
		return ROUNDED;
	default:
		return REFUSED;
	}
}

bool tflite_has_bfloat(const struct tflite_translation *t)
{
	const struct tflite_ints *lists[] = { &t->op->inputs, &t->op->outputs };

	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < lists[k]->count; i++)
			if (lists[k]->at[i] >= 0 && t->sub->tensors[lists[k]->at[i]].bfloat)
				return true;
	return false;
}

static struct tflite_value as_type(struct tflite_translation *t, struct tflite_value x,
				   uint32_t type)
{
	struct tflite_value y = tflite_like(t, &x, type);

	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_BITCAST, y.operand);
	return y;
}

struct tflite_value tflite_rounded_bfloat(struct tflite_translation *t, struct tflite_value x)
{
	struct tflite_value bits = as_type(t, x, NNA_OPERAND_TENSOR_INT32), odd, high;

	/* Above half of the last bit that stays, or at half where it is odd, it grows by one. */
	high = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, bits, tflite_int(t, LOST + 1));
	high = tflite_binary(t, NNA_OPERATION_MUL, high, tflite_int(t, 2));
	odd = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, bits, tflite_int(t, LOST));
	odd = tflite_binary(t, NNA_OPERATION_SUB, odd, high);
	bits = tflite_binary(t, NNA_OPERATION_ADD, bits, tflite_int(t, (1 << (LOST - 1)) - 1));
	bits = tflite_binary(t, NNA_OPERATION_ADD, bits, odd);
	bits = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, bits, tflite_int(t, LOST));
	bits = tflite_binary(t, NNA_OPERATION_MUL, bits, tflite_int(t, 1 << LOST));
	/* NaN would become another number. */
	return tflite_select(t, tflite_binary(t, NNA_OPERATION_EQUAL, x, x),
			     as_type(t, bits, NNA_OPERAND_TENSOR_FLOAT32), x);
}

void tflite_translate_bfloat(struct tflite_translation *t,
			     void (*translate)(struct tflite_translation *t))
{
	const enum use use = use_of(t->op->code);
	uint32_t tensor, operand;
	struct tflite_value y;

	if (use == REFUSED) {
		tflite_unsupported(t, NULL, "BFLOAT16",
				   "the operators of BFLOAT16 in docs/tflite.md");
		return;
	}
	if (use == CHOSEN || t->op->outputs.count != 1 || !tflite_output(t, 0)->bfloat) {
		translate(t);
		return;
	}
	tensor = (uint32_t)t->op->outputs.at[0];
	operand = t->operands[tensor];
	t->operands[tensor] = TFLITE_NO_OPERAND;
	translate(t);
	tflite_describe(t, tflite_output(t, 0), &y.o);
	y.operand = t->operands[tensor];
	t->operands[tensor] = operand;
	if (!t->ret)
		tflite_result(t, tflite_rounded_bfloat(t, y), 0);
}

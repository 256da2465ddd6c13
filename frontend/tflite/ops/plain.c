// SPDX-License-Identifier: MIT
/*
 * Operators with the inputs of the NNAPI operation, in the same order and without parameters, such
 * as most element-wise ones. Operators with a list of integers as a further input (PAD, TILE)
 * differ in one point: a list of INT64 constants is converted to INT32.
 */
#include "frontend/tflite/rescale.h"

void tflite_plain(struct tflite_translation *t, uint32_t type, uint32_t inputs)
{
	uint32_t i;

	tflite_need(t, inputs, 1);
	for (i = 0; i < inputs; i++)
		tflite_push_input(t, i);
	tflite_emit_outputs(t, type);
}

void tflite_translate_unary(struct tflite_translation *t, uint32_t type)
{
	tflite_plain(t, type, 1);
}

bool tflite_is_stored_short(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs;
	uint32_t a, b;

	if (in.count != 2 || in.at[0] < 0 || in.at[1] < 0)
		return false;
	a = t->sub->tensors[in.at[0]].type;
	b = t->sub->tensors[in.at[1]].type;
	switch (t->op->code) {
	case TFLITE_FLOOR_DIV:
	case TFLITE_FLOOR_MOD:
		return a == b && (a == TFLITE_INT16 || a == TFLITE_INT8);
	case TFLITE_EQUAL:
	case TFLITE_NOT_EQUAL:
	case TFLITE_LESS:
	case TFLITE_LESS_EQUAL:
	case TFLITE_GREATER:
	case TFLITE_GREATER_EQUAL:
		return a == TFLITE_INT16 && b == TFLITE_INT16;
	default:
		return false;
	}
}

/*
 * The numbers that TFLite compares for INT16. EQUAL and NOT_EQUAL compare stored number * scale *
 * 2^8 in fixed point; the other comparisons compare the stored numbers.
 */
static struct tflite_value compared(struct tflite_translation *t, uint32_t index)
{
	const struct nna_operand_desc desc = { .type = NNA_OPERAND_TENSOR_INT32 };
	const struct tflite_factor factor =
		tflite_factor_of((double)tflite_scale(tflite_input(t, index)));
	struct tflite_value x = tflite_value(t, index);
	int32_t *table;

	if (t->op->code != TFLITE_EQUAL && t->op->code != TFLITE_NOT_EQUAL)
		return tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32);
	table = tflite_derive(t->model, (UINT16_MAX + 1) * sizeof(*table));
	if (!table) {
		tflite_no_memory(t);
		return x;
	}
	for (int32_t q = INT16_MIN; q <= INT16_MAX; q++)
		table[q - INT16_MIN] = tflite_scaled(q * 256, factor);
	return tflite_looked_up(t, x, &desc, INT16_MIN, UINT16_MAX + 1, table,
				(UINT16_MAX + 1) * sizeof(*table));
}

void tflite_translate_binary(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	if (!t->ret && tflite_is_stored_short(t)) {
		struct tflite_value a = compared(t, 0), b = compared(t, 1);

		if (t->op->code != TFLITE_FLOOR_DIV) {
			tflite_push(t, a.operand);
			tflite_push(t, b.operand);
			tflite_emit_outputs(t, type);
			return;
		}
		tflite_push(t, tflite_binary(t, type, a, b).operand);
		tflite_emit_outputs(t, NNA_OPERATION_CAST);
		return;
	}
	tflite_plain(t, type, 2);
}

/* Inputs are broadcast, but for a SELECT by a list of conditions: that one chooses whole rows. */
void tflite_translate_select(struct tflite_translation *t, uint32_t type)
{
	uint32_t dims[TFLITE_MAX_RANK + 1] = { 0 };
	struct tflite_value condition, a, b;

	tflite_need(t, 3, 1);
	condition = tflite_value(t, 0);
	a = tflite_value(t, 1);
	b = tflite_value(t, 2);
	if (t->op->code == TFLITE_SELECT && condition.o.desc.rank == 1 &&
	    condition.o.dims[0] != 1 && a.o.desc.rank > 1) {
		dims[0] = condition.o.dims[0];
		for (uint32_t i = 1; i < a.o.desc.rank; i++)
			dims[i] = 1;
		condition = tflite_reshaped(t, condition, a.o.desc.rank, dims);
	}
	tflite_result(t, tflite_select(t, condition, a, b), 0);
}

void tflite_translate_with_list(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_push_input(t, 0);
	tflite_push_ints(t, 1);
	tflite_emit_outputs(t, type);
}

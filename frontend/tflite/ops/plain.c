// SPDX-License-Identifier: MIT
/*
 * Operators whose inputs are those of the NNAPI operation, in the same order and without
 * parameters; most of the element-wise ones are. Operators with tensors of integers behind their
 * input (one list: PAD, TRANSPOSE, TILE, REVERSE_V2; two: SPACE_TO_BATCH_ND and most SLICEs) differ
 * only in that constants of INT64 are narrowed.
 */
#include "frontend/tflite/translation.h"

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

void tflite_translate_binary(struct tflite_translation *t, uint32_t type)
{
	tflite_plain(t, type, 2);
}

void tflite_translate_ternary(struct tflite_translation *t, uint32_t type)
{
	tflite_plain(t, type, 3);
}

static void with_ints(struct tflite_translation *t, uint32_t type, uint32_t lists)
{
	const struct tflite_tensor *x, *y;
	struct tflite_operand_desc o;
	uint32_t i, moved;

	tflite_need(t, 1 + lists, 1);
	tflite_push_input(t, 0);
	for (i = 0; i < lists; i++)
		tflite_push_ints(t, 1 + i);
	/* These move bytes, in TFLite even between quantisations that differ. */
	x = tflite_input(t, 0);
	y = tflite_output(t, 0);
	if (!tflite_is_quantised(y->type) || tflite_same_quantisation(x, y)) {
		tflite_emit_outputs(t, type);
		return;
	}
	moved = tflite_add_as_input(t, &o);
	tflite_emit_to(t, type, moved);
	tflite_push(t, moved);
	tflite_emit_to(t, NNA_OPERATION_BITCAST, tflite_output_operand(t, 0));
}

void tflite_translate_with_list(struct tflite_translation *t, uint32_t type)
{
	with_ints(t, type, 1);
}

void tflite_translate_with_lists(struct tflite_translation *t, uint32_t type)
{
	with_ints(t, type, 2);
}

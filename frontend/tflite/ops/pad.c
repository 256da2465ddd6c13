// SPDX-License-Identifier: MIT
/* PADV2 pads with a value, MIRROR_PAD with mirrored elements; PAD is plain (plain.c). */
#include "frontend/tflite/compose.h"

#include <string.h>

#include "frontend/tflite/shapes.h"

/* Whether input 2 is a number that the scalar of a PAD_V2, of 32 bits, does not hold. */
static bool is_long(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 2);
	int64_t value = 0;

	if (x->type == TFLITE_INT64 && x->elements == 1 && x->data)
		memcpy(&value, x->data, sizeof(value));
	return value != (int32_t)value;
}

/* Pads INT64 with a number of 64 bits, dimension by dimension. */
static void pad_long(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	int32_t pads[2 * TFLITE_MAX_RANK];
	struct tflite_value v, number;
	bool fits = y->rank == x->rank;

	if (!tflite_exact_ints(t, 1, pads, 2 * x->rank, "the edges of input 0"))
		return;
	for (uint32_t k = 0; k < x->rank && fits; k++)
		fits = pads[2 * k] >= 0 && pads[2 * k + 1] >= 0 && x->dims[k] &&
		       y->dims[k] == (uint64_t)x->dims[k] + (uint32_t)pads[2 * k] +
				     (uint32_t)pads[2 * k + 1];
	if (!fits) {
		tflite_refuse(t, y, "its shape", "that of input 0 with paddings of 0 or more");
		return;
	}
	v = tflite_value(t, 0);
	number = tflite_reshaped(t, tflite_value(t, 2), 3, (uint32_t[]){ 1, 1, 1 });
	for (uint32_t k = 0; k < x->rank && !t->ret; k++) {
		const struct tflite_gap gap = { .before = pads[2 * k], .after = pads[2 * k + 1],
						.count = y->dims[k] };

		if (gap.before || gap.after)
			v = tflite_spread(t, v, k, &gap, number);
	}
	tflite_result(t, v, 0);
}

void tflite_translate_pad_v2(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 3, 1);
	if (!t->ret && is_long(t) && tflite_input(t, 0)->type == TFLITE_INT64) {
		pad_long(t);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_ints(t, 1);
	tflite_push_value(t, 2);
	tflite_emit_outputs(t, type);
}

void tflite_translate_mirror_pad(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_push_input(t, 0);
	tflite_push_ints(t, 1);
	tflite_push_i32(t, t->op->options.mirror_mode);
	tflite_emit_outputs(t, type);
}

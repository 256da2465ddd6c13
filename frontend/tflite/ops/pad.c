// SPDX-License-Identifier: MIT
/* PADV2 pads with a value, MIRROR_PAD with mirrored elements; PAD is plain (plain.c). */
#include "frontend/tflite/translation.h"

void tflite_translate_pad_v2(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 3, 1);
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

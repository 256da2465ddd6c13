// SPDX-License-Identifier: MIT
/* Normalisation along the channels. */
#include "frontend/tflite/translation.h"

void tflite_translate_l2_normalization(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_push_input(t, 0);
	tflite_push_i32(t, -1);
	tflite_finish(t, type);
}

void tflite_translate_response_normalization(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;

	tflite_need(t, 1, 1);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_i32(t, o->radius);
	tflite_push_f32(t, o->bias);
	tflite_push_f32(t, o->alpha);
	tflite_push_f32(t, o->beta);
	tflite_emit_outputs(t, type);
}

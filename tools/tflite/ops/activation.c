// SPDX-License-Identifier: MIT
/* Activations with a parameter; those without one are unary operators (plain.c). */
#include "tools/tflite/translation.h"

void tflite_translate_softmax(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_f32(t, t->op->options.beta);
	tflite_emit_outputs(t, type);
}

void tflite_translate_log_softmax(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_push_input(t, 0);
	tflite_push_f32(t, 1.0f);
	tflite_push_i32(t, -1);
	tflite_emit_outputs(t, type);
}

void tflite_translate_elu(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_push_input(t, 0);
	tflite_push_f32(t, 1.0f);
	tflite_emit_outputs(t, type);
}

void tflite_translate_leaky_relu(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_f32(t, t->op->options.alpha);
	tflite_emit_outputs(t, type);
}

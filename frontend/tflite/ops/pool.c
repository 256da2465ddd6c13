// SPDX-License-Identifier: MIT
/* Pooling over a window: average, maximum and L2. */
#include "frontend/tflite/translation.h"

void tflite_translate_pool(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;

	tflite_need(t, 1, 1);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_window(t, o);
	tflite_push_i32(t, o->filter_w);
	tflite_push_i32(t, o->filter_h);
	tflite_push_i32(t, tflite_fused(t));
	tflite_finish(t, type);
}

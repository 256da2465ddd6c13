// SPDX-License-Identifier: MIT
/* Resizing pictures; the new size is that of the output, as the file states it. */
#include "tools/tflite/translation.h"

void tflite_translate_resize(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *y;

	tflite_need(t, 1, 1);
	y = tflite_output(t, 0);
	tflite_need_rank(t, y, 4);
	tflite_push_input(t, 0);
	tflite_push_i32(t, (int32_t)y->dims[2]);
	tflite_push_i32(t, (int32_t)y->dims[1]);
	tflite_push_bool(t, false);
	tflite_push_bool(t, t->op->options.align_corners);
	tflite_push_bool(t, t->op->options.half_pixel_centers);
	tflite_emit_outputs(t, type);
}

// SPDX-License-Identifier: MIT
/* Parts of a tensor with steps; SLICE itself is plain (plain.c). */
#include "tools/tflite/translation.h"

#include <errno.h>

void tflite_translate_strided_slice(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;

	tflite_need(t, 4, 1);
	if (o->ellipsis_mask || o->new_axis_mask || o->end_is_offset)
		tflite_fail(t, -ENOTSUP,
			    "an ellipsis, new axes and relative ends are not supported");
	tflite_push_input(t, 0);
	tflite_push_ints(t, 1);
	tflite_push_ints(t, 2);
	tflite_push_ints(t, 3);
	tflite_push_i32(t, o->begin_mask);
	tflite_push_i32(t, o->end_mask);
	tflite_push_i32(t, o->shrink_axis_mask);
	tflite_emit_outputs(t, type);
}

// SPDX-License-Identifier: MIT
/* Picking slices of a tensor by index; GATHER_ND and EMBEDDING_LOOKUP are plain. */
#include "tools/tflite/translation.h"

#include <errno.h>

void tflite_translate_gather(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *indices;
	struct tflite_operand_desc o;
	int32_t axis;

	tflite_need(t, 2, 1);
	if (t->op->options.batch_dims)
		tflite_fail(t, -ENOTSUP, "batch dimensions are not supported");
	x = tflite_input(t, 0);
	indices = tflite_input(t, 1);
	axis = tflite_axis(t, t->op->options.axis, x->rank);
	tflite_push_input(t, 0);
	tflite_push_i32(t, axis);
	tflite_push_ints(t, 1);
	if (indices->rank) {
		tflite_emit_outputs(t, type);
		return;
	}
	tflite_describe(t, x, &o);
	o.dims[axis] = 1;
	tflite_finish_reshaped(t, type, &o);
}

// SPDX-License-Identifier: MIT
/* Products of matrices: FULLY_CONNECTED and BATCH_MATMUL. */
#include "tools/tflite/translation.h"

#include <errno.h>

void tflite_translate_fully_connected(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *w, *y;
	struct tflite_operand_desc o;

	tflite_need(t, 2, 1);
	x = tflite_input(t, 0);
	w = tflite_input(t, 1);
	y = tflite_output(t, 0);
	tflite_need_rank(t, w, 2);
	if (t->op->options.weights_format)
		tflite_fail(t, -ENOTSUP, "shuffled weights are not supported");
	if (t->ret)
		return;
	tflite_push_input(t, 0);
	tflite_push_weights(t, 1, x);
	tflite_push_bias(t, 2, x, w, w->dims[0]);
	tflite_push_i32(t, tflite_fused(t));
	if (y->rank == 2) {
		tflite_finish(t, type);
		return;
	}
	if (t->op->options.activation != tflite_fused(t) || !w->dims[0]) {
		tflite_fail(t, -ENOTSUP, "fused activation %d is not supported",
			    t->op->options.activation);
		return;
	}
	tflite_describe(t, y, &o);
	o.desc.rank = 2;
	o.dims[0] = (uint32_t)(y->elements / w->dims[0]);
	o.dims[1] = w->dims[0];
	tflite_finish_reshaped(t, type, &o);
}

void tflite_translate_batch_matmul(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_push_input(t, 0);
	tflite_push_input(t, 1);
	tflite_push_bool(t, t->op->options.adj_x);
	tflite_push_bool(t, t->op->options.adj_y);
	tflite_emit_outputs(t, type);
}

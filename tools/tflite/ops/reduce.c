// SPDX-License-Identifier: MIT
/* Reductions over axes, and the positions of extreme values. */
#include "tools/tflite/translation.h"

#include <errno.h>

/* NNAPI wants keep_dims as INT32 from MEAN, and as BOOL from the other reductions. */
void tflite_translate_reduce(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_push_input(t, 0);
	tflite_push_ints(t, 1);
	if (type == NNA_OPERATION_MEAN)
		tflite_push_i32(t, t->op->options.keep_dims);
	else
		tflite_push_bool(t, t->op->options.keep_dims);
	tflite_emit_outputs(t, type);
}

void tflite_translate_arg(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_push_input(t, 0);
	tflite_push_i32(t, tflite_constant_int(t, 1));
	if (tflite_output(t, 0)->type == TFLITE_INT64) {
		if (type == NNA_OPERATION_ARGMIN)
			tflite_fail(t, -ENOTSUP, "an output of INT64 is not supported");
		type = NNA_OPERATION_ARGMAX_INT64;
	}
	tflite_emit_outputs(t, type);
}

void tflite_translate_topk(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 2);
	tflite_push_input(t, 0);
	tflite_push_i32(t, tflite_constant_int(t, 1));
	tflite_emit_outputs(t, type);
}

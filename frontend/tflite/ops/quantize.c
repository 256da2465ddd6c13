// SPDX-License-Identifier: MIT
/* Changes between quantised and float values, and of the quantisation. */
#include "frontend/tflite/translation.h"

#include <errno.h>

void tflite_translate_dequantize(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	const uint16_t *halves;
	float *wide;
	uint64_t i;

	tflite_need(t, 1, 1);
	if (t->ret)
		return;
	if (x->type != TFLITE_FLOAT16) {
		tflite_translate_unary(t, type);
		return;
	}
	if (!x->data) {
		tflite_translate_unary(t, NNA_OPERATION_CAST);
		return;
	}
	/* Weights that are stored as FLOAT16 are widened here, once, which loses nothing. */
	if (y->type != TFLITE_FLOAT32 || x->elements != y->elements) {
		tflite_fail(t, -EINVAL, "input and output do not fit each other");
		return;
	}
	wide = tflite_derive(t->model, x->elements * sizeof(*wide));
	if (!wide) {
		tflite_fail(t, -ENOMEM, "out of memory");
		return;
	}
	halves = x->data;
	for (i = 0; i < x->elements; i++)
		wide[i] = tflite_half_to_float(halves[i]);
	tflite_define(t, 0, wide, x->elements * sizeof(*wide));
}

/* NNAPI's QUANTIZE takes floats only: quantised values go through them to their new scale. */
void tflite_translate_quantize(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	struct tflite_operand_desc o;
	uint32_t wide;

	tflite_need(t, 1, 1);
	if (t->ret || tflite_is_float(x->type) ||
	    (t->ops->requantizes && tflite_is_quant8(x->type))) {
		tflite_translate_unary(t, type);
		return;
	}
	tflite_describe(t, x, &o);
	o.desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_FLOAT32,
					    .rank = o.desc.rank };
	wide = tflite_add_operand(t, &o);
	tflite_push_input(t, 0);
	tflite_emit_to(t, NNA_OPERATION_DEQUANTIZE, wide);
	tflite_push(t, wide);
	tflite_emit_to(t, type, tflite_output_operand(t, 0));
}

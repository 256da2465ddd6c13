// SPDX-License-Identifier: MIT
/* Activations with a parameter; those without one are unary operators (plain.c). */
#include "frontend/tflite/compose.h"

void tflite_translate_softmax(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_f32(t, t->op->options.beta);
	tflite_emit_outputs(t, type);
}

/* An operation with a parameter of 1, and with @axis where that is not NULL, on real numbers. */
static void on_reals(struct tflite_translation *t, uint32_t type, const int32_t *axis)
{
	struct tflite_value x, y;

	tflite_need(t, 1, 1);
	x = tflite_real(t, 0);
	y = tflite_like(t, &x, x.o.desc.type);
	tflite_push(t, x.operand);
	tflite_push_f32(t, 1.0f);
	if (axis)
		tflite_push_i32(t, *axis);
	tflite_emit_to(t, type, y.operand);
	tflite_result(t, y, 0);
}

void tflite_translate_log_softmax(struct tflite_translation *t, uint32_t type)
{
	const int32_t last = -1;

	on_reals(t, type, &last);
}

void tflite_translate_elu(struct tflite_translation *t, uint32_t type)
{
	on_reals(t, type, NULL);
}

/*
 * NNAPI's keep the quantisation, TFLite's may change it: a QUANTIZE before, which rounds as
 * TFLite's RELU does.
 */
void tflite_translate_relu(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	struct tflite_operand_desc o;
	uint32_t scaled;

	tflite_need(t, 1, 1);
	if (x->type != y->type || !tflite_is_quantised(y->type) || tflite_same_quantisation(x, y)) {
		tflite_plain(t, type, 1);
		return;
	}
	tflite_describe(t, y, &o);
	scaled = tflite_add_operand(t, &o);
	tflite_push_input(t, 0);
	tflite_emit_to(t, NNA_OPERATION_QUANTIZE, scaled);
	tflite_push(t, scaled);
	tflite_emit_to(t, type, tflite_output_operand(t, 0));
}

void tflite_translate_leaky_relu(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_f32(t, t->op->options.alpha);
	tflite_emit_outputs(t, type);
}

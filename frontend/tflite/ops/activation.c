// SPDX-License-Identifier: MIT
/* Activations with a parameter, and RELU; other ones are unary operators (plain.c). */
#include "frontend/tflite/rescale.h"

void tflite_translate_softmax(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_need_options(t);
	tflite_push_input(t, 0);
	tflite_push_f32(t, t->op->options.beta);
	tflite_emit_outputs(t, type);
}

/* An operation on real numbers with a parameter of 1, and with *@axis unless @axis is NULL. */
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

	tflite_need(t, 1, 1);
	if (!t->ret && tflite_is_log_softmax8(t)) {
		tflite_translate_log_softmax8(t);
		return;
	}
	on_reals(t, type, &last);
}

void tflite_translate_elu(struct tflite_translation *t, uint32_t type)
{
	on_reals(t, type, NULL);
}

/*
 * NNAPI's operations keep the quantisation, TFLite's may change it: then a QUANTIZE comes first,
 * which rounds as TFLite's RELU does.
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

bool tflite_is_prelu16(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;
	const struct tflite_tensor *alpha;

	if (t->op->code != TFLITE_PRELU || in.count != 2 || in.at[0] < 0 || in.at[1] < 0 ||
	    out.count != 1)
		return false;
	alpha = &t->sub->tensors[in.at[1]];
	return tflite_is_symmetric16(&t->sub->tensors[in.at[0]]) &&
	       tflite_is_symmetric16(&t->sub->tensors[out.at[0]]) && alpha->type == TFLITE_INT8 &&
	       alpha->scale_count == 1;
}

/* max(x, 0) times one factor, plus min(x, 0) * alpha times another. */
static void prelu16(struct tflite_translation *t)
{
	const float x_scale = tflite_scale(tflite_input(t, 0)),
		    alpha_scale = tflite_scale(tflite_input(t, 1)),
		    y_scale = tflite_scale(tflite_output(t, 0));
	const struct tflite_factor above = tflite_factor_of((double)(x_scale / y_scale)),
				   below = tflite_factor_of(
					   (double)(x_scale * alpha_scale / y_scale));
	const int32_t zero = tflite_zero_point(tflite_input(t, 1));
	struct tflite_value x, alpha, high, low;

	x = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT64);
	alpha = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_INT64);
	alpha = tflite_binary(t, NNA_OPERATION_SUB, alpha, tflite_long(t, zero));
	high = tflite_binary(t, NNA_OPERATION_MAXIMUM, x, tflite_long(t, 0));
	low = tflite_binary(t, NNA_OPERATION_MINIMUM, x, tflite_long(t, 0));
	high = tflite_rescaled(t, high, &above, 1, TFLITE_RULE_32);
	low = tflite_rescaled(t, tflite_binary(t, NNA_OPERATION_MUL, low, alpha), &below, 1,
			      TFLITE_RULE_32);
	tflite_store(t, tflite_binary(t, NNA_OPERATION_ADD, high, low));
}

void tflite_translate_prelu(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	if (!t->ret && tflite_is_prelu16(t))
		prelu16(t);
	else
		tflite_plain(t, type, 2);
}

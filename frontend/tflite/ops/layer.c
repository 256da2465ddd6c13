// SPDX-License-Identifier: MIT
/*
 * Weights, bias, padding and strides as inputs of an operation: convolutions, poolings and
 * FULLY_CONNECTED share these functions.
 */
#include "frontend/tflite/compose.h"

#include <stdlib.h>

/*
 * NNAPI's float layers take float weights only: a DEQUANTIZE converts the quantised weights of a
 * hybrid layer of TFLite.
 */
void tflite_push_weights(struct tflite_translation *t, uint32_t index,
			 const struct tflite_tensor *x)
{
	const struct tflite_tensor *w = tflite_input(t, index);
	uint32_t *saved, count, wide;
	struct tflite_operand_desc o;

	if (t->ret || !tflite_is_float(x->type) || !tflite_is_quant8(w->type)) {
		tflite_push_input(t, index);
		return;
	}
	tflite_describe(t, w, &o);
	o.desc = (struct nna_operand_desc){
		.type = x->type == TFLITE_FLOAT16 ? NNA_OPERAND_TENSOR_FLOAT16
						  : NNA_OPERAND_TENSOR_FLOAT32,
		.rank = w->rank,
	};
	wide = tflite_add_operand(t, &o);
	/* The layer's list of inputs is saved while the DEQUANTIZE is built. */
	saved = t->in;
	count = t->in_count;
	t->in = NULL;
	t->in_count = 0;
	t->in_room = 0;
	tflite_push_input(t, index);
	tflite_emit_to(t, NNA_OPERATION_DEQUANTIZE, wide);
	free(t->in);
	t->in = saved;
	t->in_count = count;
	/* The saved list has room for at least its inputs; its true room is not saved. */
	t->in_room = count;
	tflite_push(t, wide);
}

/* An integer bias of a layer on real numbers: the bias times its scale. */
static void push_real_bias(struct tflite_translation *t, uint32_t index, uint32_t units)
{
	const struct tflite_tensor *b = tflite_input(t, index);
	struct tflite_value bias, scales;
	uint32_t *saved, count;

	tflite_need_constant(t, b);
	tflite_need_elements(t, b, units, "the output channels");
	tflite_need_scales(t, b, units);
	if (t->ret)
		return;
	/* The layer's list of inputs is saved while the bias is built. */
	saved = t->in;
	count = t->in_count;
	t->in = NULL;
	t->in_count = 0;
	t->in_room = 0;
	tflite_describe(t, b, &bias.o);
	bias.o.desc.scale = 0;
	bias.operand = tflite_add_operand(t, &bias.o);
	tflite_set_constant(t, bias.operand, b->data, b->size);
	bias = tflite_cast(t, bias, NNA_OPERAND_TENSOR_FLOAT32);
	scales = tflite_float_tensor(t, 1, &b->scale_count, b->scales);
	bias = tflite_binary(t, NNA_OPERATION_MUL, bias, scales);
	free(t->in);
	t->in = saved;
	t->in_count = count;
	t->in_room = count;
	tflite_push(t, bias.operand);
}

/*
 * A bias is optional in TFLite and required in NNAPI: a missing one becomes zeros. In a quantised
 * layer NNAPI requires the scale of the accumulator, scale of input * scale of weights, so the
 * file's scale is not used.
 */
void tflite_push_bias(struct tflite_translation *t, uint32_t index, const struct tflite_tensor *x,
		      const struct tflite_tensor *w, uint32_t units)
{
	const struct tflite_tensor *b = tflite_has_input(t, index) ? tflite_input(t, index) : NULL;
	struct tflite_operand_desc o = { .desc.rank = 1, .dims = { units } };
	uint32_t size = 4;

	if (t->ret)
		return;
	if (tflite_is_float(x->type)) {
		if (b && (b->type == TFLITE_INT32 || b->type == TFLITE_INT64)) {
			push_real_bias(t, index, units);
			return;
		}
		if (b) {
			tflite_push_input(t, index);
			return;
		}
		o.desc.type = x->type == TFLITE_FLOAT16 ? NNA_OPERAND_TENSOR_FLOAT16
							: NNA_OPERAND_TENSOR_FLOAT32;
		size = tflite_type_size(x->type);
	} else {
		o.desc.type = NNA_OPERAND_TENSOR_INT32;
		o.desc.scale = w->scale_count > 1 ? 0 : tflite_scale(x) * tflite_scale(w);
		if (b) {
			tflite_need_type(t, b, b->type == TFLITE_INT32, "INT32");
			tflite_need_constant(t, b);
			tflite_need_elements(t, b, units, "the output channels");
		}
	}
	if (t->ret)
		return;
	if (b) {
		uint32_t operand = tflite_add_operand(t, &o);

		tflite_set_constant(t, operand, b->data, b->size);
		tflite_push(t, operand);
		return;
	}
	if (units > UINT32_MAX / 4) {
		tflite_unsupported(t, w, "%u output channels", "%u or fewer", units,
				   UINT32_MAX / 4);
		return;
	}
	tflite_push(t, tflite_add_constant(t, &o, NULL, (size_t)units * size));
}

/* The schema numbers the padding schemes from 0, NNAPI from 1. */
void tflite_push_window(struct tflite_translation *t, const struct tflite_options *o)
{
	if (o->padding != TFLITE_SAME && o->padding != TFLITE_VALID)
		tflite_refuse(t, NULL, "padding scheme %d", "0 (SAME) or 1 (VALID)", o->padding);
	if (o->stride_w < 1 || o->stride_h < 1)
		tflite_refuse(t, NULL, "strides %d and %d", "1 or more", o->stride_w,
			      o->stride_h);
	tflite_push_i32(t, o->padding + 1);
	tflite_push_i32(t, o->stride_w);
	tflite_push_i32(t, o->stride_h);
}

// SPDX-License-Identifier: MIT
/* Conversions between quantised and float values, between quantisations, and CAST. */
#include "frontend/tflite/rescale.h"

/* Whether constant INT8 weights have zero points of channels, which no type of NNAPI has. */
static bool has_channel_zeros(const struct tflite_tensor *x)
{
	for (uint32_t i = 0; i < x->zero_point_count && x->scale_count > 1; i++)
		if (tflite_zero_point_at(x, i) && x->type == TFLITE_INT8 && x->data)
			return true;
	return false;
}

/* (x - zero point of the channel) * scale of the channel. */
static void dequantize_channels(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	float *zeros = tflite_derive(t->model, x->scale_count * sizeof(*zeros));
	uint32_t dims[TFLITE_MAX_RANK];
	struct tflite_value v;

	if (!zeros) {
		tflite_no_memory(t);
		return;
	}
	/* One zero point may stand for all channels. */
	for (uint32_t i = 0; i < x->scale_count; i++)
		zeros[i] = (float)tflite_zero_point_at(x, x->zero_point_count > 1 ? i : 0);
	for (uint32_t i = 0; i < x->rank; i++)
		dims[i] = i == x->channel_dim ? x->scale_count : 1;
	v = tflite_binary(t, NNA_OPERATION_SUB, tflite_hybrid_weights(t, 0),
			  tflite_float_tensor(t, x->rank, dims, zeros));
	tflite_push(t, v.operand);
	tflite_push(t, tflite_float_tensor(t, x->rank, dims, x->scales).operand);
	tflite_push_i32(t, 0);
	tflite_emit_outputs(t, NNA_OPERATION_MUL);
}

void tflite_translate_dequantize(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	const uint16_t *halves;
	float *wide;
	uint64_t i;

	tflite_need(t, 1, 1);
	if (t->ret)
		return;
	if (has_channel_zeros(x)) {
		dequantize_channels(t);
		return;
	}
	if (x->type != TFLITE_FLOAT16) {
		tflite_translate_unary(t, type);
		return;
	}
	if (!x->data) {
		tflite_translate_unary(t, NNA_OPERATION_CAST);
		return;
	}
	/* FLOAT16 weights become a FLOAT32 constant here, which is exact. */
	tflite_need_type(t, y, y->type == TFLITE_FLOAT32, "FLOAT32");
	tflite_need_elements(t, y, x->elements, "those of the input");
	if (t->ret)
		return;
	wide = tflite_derive(t->model, x->elements * sizeof(*wide));
	if (!wide) {
		tflite_no_memory(t);
		return;
	}
	halves = x->data;
	for (i = 0; i < x->elements; i++)
		wide[i] = tflite_half_to_float(halves[i]);
	tflite_define(t, 0, wide, x->elements * sizeof(*wide));
}

/* QUANTIZE of an INT32 tensor with a scale, by a fixed-point factor. */
static void requantize32(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	const struct tflite_factor factor =
		tflite_factor_of((double)tflite_scale(x) / (double)tflite_scale(y));
	struct tflite_value sum = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT64);

	if (tflite_zero_point(x))
		sum = tflite_binary(t, NNA_OPERATION_SUB, sum,
				    tflite_long(t, tflite_zero_point(x)));
	tflite_store(t, tflite_rescaled(t, sum, &factor, 1, TFLITE_RULE_32));
}

/* NNAPI's QUANTIZE takes floats only: a DEQUANTIZE comes before that of a quantised tensor. */
void tflite_translate_quantize(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	struct tflite_operand_desc o;
	uint32_t wide;

	tflite_need(t, 1, 1);
	if (!t->ret && x->type == TFLITE_INT32 && x->scale_count == 1) {
		requantize32(t);
		return;
	}
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

/* The bits of a type that NNAPI's CAST saturates to; 0 for any other type. */
static uint32_t narrow_bits(uint32_t type)
{
	return type == TFLITE_INT8 || type == TFLITE_UINT8 ? 8 : type == TFLITE_INT16 ? 16 : 0;
}

/* One whole number of the type of @x. */
static struct tflite_value number(struct tflite_translation *t, struct tflite_value x,
				  int64_t value)
{
	static const uint32_t one = 1;

	return x.o.desc.type == NNA_OPERAND_TENSOR_INT64 ? tflite_long_tensor(t, 1, &one, &value) :
							   tflite_int(t, (int32_t)value);
}

/*
 * TFLite's CAST keeps the low bits of a wider integer; NNAPI's saturates. The low @bits of x are x
 * - (x >> bits << bits), an unsigned number. A signed one is the low bits of x + half, minus half.
 * Sums and products wrap, so the result is also right at the ends of the wide type's range.
 */
struct tflite_value tflite_wrapped(struct tflite_translation *t, struct tflite_value x,
				   uint32_t type)
{
	const uint32_t bits = narrow_bits(type);
	const bool is_signed = type != TFLITE_UINT8;
	struct tflite_value half, high;

	if (!bits)
		return x;
	half = number(t, x, (int64_t)1 << (bits - 1));
	if (is_signed)
		x = tflite_binary(t, NNA_OPERATION_ADD, x, half);
	high = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, x, number(t, x, bits));
	high = tflite_binary(t, NNA_OPERATION_MUL, high, number(t, x, (int64_t)1 << bits));
	x = tflite_binary(t, NNA_OPERATION_SUB, x, high);
	return is_signed ? tflite_binary(t, NNA_OPERATION_SUB, x, half) : x;
}

void tflite_sums_result(struct tflite_translation *t, struct tflite_value x)
{
	const struct tflite_tensor *y = tflite_output(t, 0);

	if (t->ret)
		return;
	if (x.o.desc.type != NNA_OPERAND_TENSOR_INT32 || !tflite_is_quantised(y->type)) {
		tflite_result(t, x, 0);
		return;
	}
	x = tflite_reshaped(t, tflite_wrapped(t, x, y->type), y->rank, y->dims);
	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, tflite_output_operand(t, 0));
}

void tflite_translate_cast(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);

	tflite_need(t, 1, 1);
	if (t->ret || !narrow_bits(y->type) ||
	    (x->type != TFLITE_INT32 && x->type != TFLITE_INT64)) {
		tflite_translate_unary(t, type);
		return;
	}
	tflite_push(t, tflite_wrapped(t, tflite_value(t, 0), y->type).operand);
	tflite_emit_outputs(t, type);
}

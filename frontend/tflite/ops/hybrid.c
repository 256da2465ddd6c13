// SPDX-License-Identifier: MIT
/*
 * Layers with quantised weights and a float input ("dynamic range"), as TFLite's kernels compute
 * them: each row of the input (of a convolution each image) is quantised to 8 bits by its own
 * range, integers are multiplied and summed, and the sums are scaled back.
 *
 *	scale, zero	from the minimum and maximum of the row and 0, or symmetric
 *	q		x / scale, rounded, + zero, in 8 bits
 *	y		layer(q - zero, weights as integers) * scale * scale of the weights + bias
 *
 * The integers are held in FLOAT32, which is exact for sums up to 2^24.
 */
#include "frontend/tflite/compose.h"

#include <string.h>

bool tflite_is_hybrid(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);

	return !t->ret && !t->real && x->type == TFLITE_FLOAT32 && w->type == TFLITE_INT8 &&
	       w->data && w->scale_count;
}

bool tflite_has_scales(const struct tflite_tensor *w)
{
	for (uint32_t i = 1; i < w->scale_count; i++)
		if (w->scales[i] != w->scales[0])
			return true;
	return false;
}

/* Rounds to the whole numbers of a type with scale 1; halves away from zero, as TFLite rounds. */
static struct tflite_value rounded(struct tflite_translation *t, struct tflite_value x,
				   uint32_t type)
{
	struct tflite_value q = { .o = x.o }, wide;

	q.o.desc.type = type;
	q.o.desc.scale = 1;
	q.operand = tflite_add_operand(t, &q.o);
	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_QUANTIZE, q.operand);
	wide = tflite_like(t, &q, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, q.operand);
	tflite_emit_to(t, NNA_OPERATION_DEQUANTIZE, wide.operand);
	return wide;
}

/*
 * @x [rows, n] as integers minus the zero point; @scale gets [rows, 1]. The scale is the float that
 * TFLite's kernels have, and so is its inverse: with the next one a number between two steps goes
 * to the other one. A row of zeros is divided by 1.
 */
struct tflite_value tflite_hybrid_rows(struct tflite_translation *t, struct tflite_value x,
				       bool asymmetric, struct tflite_value *scale)
{
	struct tflite_value zero = tflite_float(t, 0), one = tflite_float(t, 1), low, high, inverse,
			    offset, empty;

	if (!asymmetric) {
		high = tflite_reduced(t, NNA_OPERATION_REDUCE_MAX,
				      tflite_unary(t, NNA_OPERATION_ABS, x), 1);
		empty = tflite_binary(t, NNA_OPERATION_EQUAL, high, zero);
		high = tflite_select(t, empty, one, high);
		*scale = tflite_binary(t, NNA_OPERATION_DIV, high, tflite_float(t, 127));
		inverse = tflite_binary(t, NNA_OPERATION_DIV, tflite_float(t, 127), high);
		return rounded(t, tflite_binary(t, NNA_OPERATION_MUL, x, inverse),
			       NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED);
	}
	low = tflite_reduced(t, NNA_OPERATION_REDUCE_MIN, x, 1);
	low = tflite_binary(t, NNA_OPERATION_MINIMUM, low, zero);
	high = tflite_reduced(t, NNA_OPERATION_REDUCE_MAX, x, 1);
	high = tflite_binary(t, NNA_OPERATION_MAXIMUM, high, zero);
	*scale = tflite_binary(t, NNA_OPERATION_SUB, high, low);
	empty = tflite_binary(t, NNA_OPERATION_EQUAL, *scale, zero);
	*scale = tflite_binary(t, NNA_OPERATION_DIV, *scale, tflite_float(t, 255));
	*scale = tflite_select(t, empty, one, *scale);
	inverse = tflite_binary(t, NNA_OPERATION_DIV, one, *scale);
	x = tflite_binary(t, NNA_OPERATION_MUL, x, inverse);
	/* A number is rounded first, and the zero point added to that. */
	x = rounded(t, x, NNA_OPERAND_TENSOR_QUANT16_SYMM);
	offset = tflite_binary(t, NNA_OPERATION_DIV, low, *scale);
	offset = tflite_binary(t, NNA_OPERATION_SUB, tflite_float(t, -128), offset);
	offset = rounded(t, offset, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED);
	low = tflite_binary(t, NNA_OPERATION_SUB, tflite_float(t, -128), offset);
	high = tflite_binary(t, NNA_OPERATION_SUB, tflite_float(t, 127), offset);
	x = tflite_binary(t, NNA_OPERATION_MAXIMUM, x, low);
	return tflite_binary(t, NNA_OPERATION_MINIMUM, x, high);
}

struct tflite_value tflite_hybrid_input(struct tflite_translation *t, uint32_t rows,
					bool asymmetric, struct tflite_value *scale)
{
	struct tflite_value x = tflite_value(t, 0), q;
	uint64_t elements = tflite_input(t, 0)->elements;

	if (!rows || !elements || elements % rows) {
		tflite_refuse(t, tflite_input(t, 0), "%llu elements", "%u rows of 1 or more",
			      (unsigned long long)elements, rows);
		return x;
	}
	q = tflite_reshaped(t, x, 2, (uint32_t[]){ rows, (uint32_t)(elements / rows) });
	return tflite_hybrid_rows(t, q, asymmetric, scale);
}

struct tflite_value tflite_hybrid_weights(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *w = tflite_input(t, index);
	struct tflite_value v = { 0 }, wide;

	memcpy(v.o.dims, w->dims, w->rank * sizeof(w->dims[0]));
	v.o.desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED,
					      .rank = w->rank,
					      .scale = 1 };
	v.operand = tflite_add_operand(t, &v.o);
	tflite_set_constant(t, v.operand, w->data, w->size);
	wide = tflite_like(t, &v, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, v.operand);
	tflite_emit_to(t, NNA_OPERATION_DEQUANTIZE, wide.operand);
	return wide;
}

void tflite_finish_biased(struct tflite_translation *t, struct tflite_value sum)
{
	struct tflite_value bias = tflite_has_input(t, 2) ? tflite_value(t, 2) : tflite_float(t, 0);
	struct tflite_operand_desc o;

	tflite_describe(t, tflite_output(t, 0), &o);
	sum = tflite_reshaped(t, sum, o.desc.rank, o.dims);
	tflite_push(t, sum.operand);
	tflite_push(t, bias.operand);
	tflite_push_i32(t, tflite_fused(t));
	tflite_finish(t, NNA_OPERATION_ADD);
}

void tflite_finish_hybrid(struct tflite_translation *t, struct tflite_value sum,
			  struct tflite_value scale)
{
	const struct tflite_tensor *w = tflite_input(t, 1);
	struct tflite_value factor = tflite_float_tensor(t, 1, &w->scale_count, w->scales);

	/* A convolution by channels multiplies by one factor after the other. */
	if (t->op->code == TFLITE_CONV_2D && tflite_has_scales(w)) {
		sum = tflite_binary(t, NNA_OPERATION_MUL, sum, factor);
		factor = scale;
	} else {
		factor = tflite_binary(t, NNA_OPERATION_MUL, scale, factor);
	}
	tflite_finish_biased(t, tflite_binary(t, NNA_OPERATION_MUL, sum, factor));
}

struct tflite_value tflite_hybrid_product(struct tflite_translation *t, struct tflite_value x,
					  struct tflite_value scale,
					  struct tflite_value weights, uint32_t index)
{
	struct tflite_operand_desc bias = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						      .rank = 1 },
					    .dims = { weights.o.dims[0] } };
	struct tflite_value y = x, factor = tflite_float(t, tflite_scale(tflite_input(t, index)));

	y.o.dims[1] = weights.o.dims[0];
	y.operand = tflite_add_operand(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push(t, weights.operand);
	tflite_push(t, tflite_add_constant(t, &bias, NULL, (size_t)bias.dims[0] * 4));
	tflite_push_i32(t, 0);
	tflite_emit_to(t, NNA_OPERATION_FULLY_CONNECTED, y.operand);
	factor = tflite_binary(t, NNA_OPERATION_MUL, scale, factor);
	return tflite_binary(t, NNA_OPERATION_MUL, y, factor);
}

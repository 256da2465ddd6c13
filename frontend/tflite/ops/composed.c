// SPDX-License-Identifier: MIT
/*
 * Element-wise functions that become several operations. A quantised tensor is dequantised first
 * and quantised afterwards; TFLite's tables hold the same rounded values of the real function.
 */
#include "frontend/tflite/rescale.h"

#include <math.h>
#include <string.h>

/* Limit of elements along the axis of a CUMSUM, which becomes an operation for each. */
#define MAX_SUMS 1024

/* An operation on a float tensor, or on the dequantised numbers of a quantised one. */
void tflite_translate_real_unary(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_result(t, tflite_unary(t, type, tflite_real(t, 0)), 0);
}

/*
 * erf(x) by a rational function of |x| times e^(-x^2), whose error is below 1.5e-7 (Abramowitz and
 * Stegun, 7.1.26).
 */
static struct tflite_value error_function(struct tflite_translation *t, struct tflite_value x)
{
	static const float factors[] = { 1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f,
					 0.254829592f };
	struct tflite_value size, k, sum, square, one = tflite_float(t, 1), sign;

	size = tflite_unary(t, NNA_OPERATION_ABS, x);
	k = tflite_binary(t, NNA_OPERATION_MUL, size, tflite_float(t, 0.3275911f));
	k = tflite_binary(t, NNA_OPERATION_DIV, one, tflite_binary(t, NNA_OPERATION_ADD, k, one));
	sum = tflite_binary(t, NNA_OPERATION_MUL, k, tflite_float(t, factors[0]));
	for (int i = 1; i < 5; i++) {
		sum = tflite_binary(t, NNA_OPERATION_ADD, sum, tflite_float(t, factors[i]));
		sum = tflite_binary(t, NNA_OPERATION_MUL, sum, k);
	}
	square = tflite_binary(t, NNA_OPERATION_MUL, x, x);
	square = tflite_unary(t, NNA_OPERATION_EXP, tflite_unary(t, NNA_OPERATION_NEG, square));
	sum = tflite_binary(t, NNA_OPERATION_MUL, sum, square);
	sum = tflite_binary(t, NNA_OPERATION_SUB, one, sum);
	sign = tflite_binary(t, NNA_OPERATION_LESS, x, tflite_float(t, 0));
	return tflite_select(t, sign, tflite_unary(t, NNA_OPERATION_NEG, sum), sum);
}

/* x / 2 * (1 + erf(x / sqrt(2))), or an approximation of that by tanh. */
void tflite_translate_gelu(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value x, y, one;

	tflite_need(t, 1, 1);
	x = tflite_real(t, 0);
	one = tflite_float(t, 1);
	if (t->op->options.approximate) {
		y = tflite_binary(t, type, x, x);
		y = tflite_binary(t, type, y, x);
		y = tflite_binary(t, type, y, tflite_float(t, 0.044715f));
		y = tflite_binary(t, NNA_OPERATION_ADD, y, x);
		y = tflite_binary(t, type, y, tflite_float(t, 0.7978845608f));
		y = tflite_unary(t, NNA_OPERATION_TANH, y);
	} else {
		y = error_function(t, tflite_binary(t, type, x, tflite_float(t, 0.7071067812f)));
	}
	y = tflite_binary(t, NNA_OPERATION_ADD, y, one);
	y = tflite_binary(t, type, y, tflite_binary(t, type, x, tflite_float(t, 0.5f)));
	tflite_result(t, y, 0);
}

/* (x > 0) - (x < 0); of NaN NaN. */
void tflite_translate_sign(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value x, above, below;

	tflite_need(t, 1, 1);
	x = tflite_value(t, 0);
	if (x.o.desc.type == NNA_OPERAND_TENSOR_INT32) {
		above = tflite_binary(t, NNA_OPERATION_GREATER, x, tflite_int(t, 0));
		below = tflite_binary(t, NNA_OPERATION_LESS, x, tflite_int(t, 0));
	} else {
		above = tflite_binary(t, NNA_OPERATION_GREATER, x, tflite_float(t, 0));
		below = tflite_binary(t, NNA_OPERATION_LESS, x, tflite_float(t, 0));
	}
	above = tflite_cast(t, above, x.o.desc.type);
	below = tflite_cast(t, below, x.o.desc.type);
	above = tflite_binary(t, type, above, below);
	if (x.o.desc.type != NNA_OPERAND_TENSOR_INT32)
		above = tflite_select(t, tflite_binary(t, NNA_OPERATION_EQUAL, x, x), above, x);
	tflite_result(t, above, 0);
}

/*
 * Rounds to the nearest, halves to even: floor(x), plus 1 if x - floor(x) is more than 1/2, or if
 * it is 1/2 and floor(x) is odd.
 */
void tflite_translate_round(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value x, low, rest, half, odd, up;

	tflite_need(t, 1, 1);
	x = tflite_value(t, 0);
	half = tflite_float(t, 0.5f);
	low = tflite_unary(t, type, x);
	rest = tflite_binary(t, NNA_OPERATION_SUB, x, low);
	odd = tflite_binary(t, NNA_OPERATION_MUL, low, half);
	odd = tflite_binary(t, NNA_OPERATION_NOT_EQUAL, odd, tflite_unary(t, type, odd));
	odd = tflite_binary(t, NNA_OPERATION_LOGICAL_AND, odd,
			    tflite_binary(t, NNA_OPERATION_EQUAL, rest, half));
	up = tflite_binary(t, NNA_OPERATION_GREATER, rest, half);
	up = tflite_binary(t, NNA_OPERATION_LOGICAL_OR, up, odd);
	up = tflite_cast(t, up, x.o.desc.type);
	tflite_result(t, tflite_binary(t, NNA_OPERATION_ADD, low, up), 0);
}

/* max(0, min(1, x)) */
void tflite_translate_relu_0_to_1(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value x;

	tflite_need(t, 1, 1);
	x = tflite_binary(t, NNA_OPERATION_MINIMUM, tflite_real(t, 0), tflite_float(t, 1));
	tflite_result(t, tflite_binary(t, type, x, tflite_float(t, 0)), 0);
}

/* One 0 of the type of @x. */
static struct tflite_value zero_like(struct tflite_translation *t, const struct tflite_value *x)
{
	switch (x->o.desc.type) {
	case NNA_OPERAND_TENSOR_INT32:
		return tflite_int(t, 0);
	case NNA_OPERAND_TENSOR_INT64:
		return tflite_long(t, 0);
	default:
		return tflite_float(t, 0);
	}
}

/* Each sum is the one before it and one element more. */
void tflite_translate_cumsum(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;
	struct tflite_value x, sum = { 0 }, part;
	uint32_t sums[MAX_SUMS], axis, count, i;
	bool folded;

	tflite_need(t, 2, 1);
	x = tflite_value(t, 0);
	axis = (uint32_t)tflite_axis(t, tflite_constant_int(t, 1), tflite_input(t, 0)->rank);
	folded = x.o.desc.rank > 4;
	if (folded) {
		x = tflite_folded(t, x, axis);
		axis = 1;
	}
	count = x.o.dims[axis];
	if (!count || count > MAX_SUMS)
		tflite_unsupported(t, tflite_input(t, 0), "%u elements along the axis", "1 to %u",
				   count, MAX_SUMS);
	for (i = 0; i < count && !t->ret; i++) {
		uint32_t at = o->reverse ? count - 1 - i : i;
		/* Of an exclusive sum the element before; the first one is 0. */
		uint32_t from = !o->exclusive ? at : o->reverse ? at + 1 : at - 1;

		if (o->exclusive && !i) {
			part = x;
			part.o.dims[axis] = 1;
			sum = tflite_broadcast(t, zero_like(t, &x), part.o.desc.rank, part.o.dims);
		} else {
			part = tflite_part(t, x, axis, from, 1);
			sum = i ? tflite_binary(t, NNA_OPERATION_ADD, sum, part) : part;
		}
		sums[at] = sum.operand;
	}
	for (i = 0; i < count && !t->ret; i++)
		tflite_push(t, sums[i]);
	tflite_push_i32(t, (int32_t)axis);
	if (folded)
		tflite_finish_reshaped(t, type, &x.o);
	else
		tflite_emit_outputs(t, type);
}

/* Simulated quantisation: rounds to the nearest of 2^bits steps between two limits. */
void tflite_translate_fake_quant(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;
	float low = o->narrow_range, high, scale, zero, nudged;
	struct tflite_value x, least;

	tflite_need(t, 1, 1);
	tflite_need_options(t);
	if (o->num_bits < 2 || o->num_bits > 16 || !(o->min <= 0 && o->max >= 0 && o->min < o->max))
		tflite_refuse(t, NULL, "%d bits from %g to %g",
			      "2 to 16 bits, and a range that includes 0", o->num_bits,
			      (double)o->min, (double)o->max);
	if (t->ret)
		return;
	high = (float)((1 << o->num_bits) - 1);
	scale = (o->max - o->min) / (high - low);
	zero = low - o->min / scale;
	nudged = zero < low ? low : zero > high ? high : roundf(zero);
	x = tflite_value(t, 0);
	least = tflite_float(t, (low - nudged) * scale);
	/* NaN is the least number. */
	x = tflite_select(t, tflite_binary(t, NNA_OPERATION_GREATER, x, least), x, least);
	x = tflite_binary(t, NNA_OPERATION_MINIMUM, x, tflite_float(t, (high - nudged) * scale));
	x = tflite_binary(t, NNA_OPERATION_SUB, x, least);
	x = tflite_binary(t, NNA_OPERATION_MUL, x, tflite_float(t, 1 / scale));
	x = tflite_binary(t, NNA_OPERATION_ADD, x, tflite_float(t, 0.5f));
	x = tflite_binary(t, NNA_OPERATION_MUL, tflite_unary(t, type, x), tflite_float(t, scale));
	tflite_result(t, tflite_binary(t, NNA_OPERATION_ADD, x, least), 0);
}

/* How many boundaries are not above the value: all but those; of NaN all. */
void tflite_translate_bucketize(struct tflite_translation *t, uint32_t type)
{
	struct tflite_ints bounds = t->op->options.ints;
	struct tflite_value x, limits;
	uint32_t dims[TFLITE_MAX_RANK + 1], rank;
	float *values;

	tflite_need(t, 1, 1);
	x = tflite_value(t, 0);
	rank = x.o.desc.rank;
	if (!bounds.count)
		tflite_unsupported(t, NULL, "no boundaries", "1 or more");
	if (rank == TFLITE_MAX_RANK)
		tflite_unsupported(t, tflite_input(t, 0), "%u dimensions", "%u or fewer", rank,
				   TFLITE_MAX_RANK - 1);
	values = t->ret ? NULL : tflite_derive(t->model, (size_t)bounds.count * sizeof(*values));
	if (!values) {
		tflite_no_memory(t);
		return;
	}
	memcpy(values, bounds.at, bounds.count * sizeof(*values));
	limits = tflite_float_tensor(t, 1, &bounds.count, values);
	memcpy(dims, x.o.dims, sizeof(dims));
	dims[rank] = 1;
	x = tflite_reshaped(t, tflite_cast(t, x, NNA_OPERAND_TENSOR_FLOAT32), rank + 1, dims);
	x = tflite_binary(t, type, x, limits);
	x = tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32);
	x = tflite_reduced(t, NNA_OPERATION_REDUCE_SUM, x, rank);
	tflite_result(t, tflite_binary(t, NNA_OPERATION_SUB, tflite_int(t, (int32_t)bounds.count),
				       x), 0);
}

/* Whether the sign bit of a FLOAT32 is set, which -0 has as well. */
static struct tflite_value is_negative(struct tflite_translation *t, struct tflite_value x)
{
	struct tflite_value bits = tflite_like(t, &x, NNA_OPERAND_TENSOR_INT32);

	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_BITCAST, bits.operand);
	return tflite_binary(t, NNA_OPERATION_LESS, bits, tflite_int(t, 0));
}

/*
 * The angle of (x, y): atan(z) of z = smaller / larger, from 0 to 1, by a polynomial whose error is
 * below 2e-8 (Abramowitz and Stegun, 4.4.49), then by the octant and the quadrant. A zero has the
 * quadrant of its sign; two infinities are as large as each other.
 */
void tflite_translate_atan2(struct tflite_translation *t, uint32_t type)
{
	static const float factors[] = {
		-0.3333314528f, 0.1999355085f, -0.1420889944f, 0.1065626393f,
		-0.0752896400f, 0.0429096138f, -0.0161657367f, 0.0028662257f,
	};
	struct tflite_value x, y, ax, ay, small, large, z, square, sum, one, steep;

	tflite_need(t, 2, 1);
	y = tflite_value(t, 0);
	x = tflite_value(t, 1);
	tflite_need_type(t, tflite_input(t, 1), x.o.desc.type == NNA_OPERAND_TENSOR_FLOAT32,
			 "FLOAT32");
	if (t->ret)
		return;
	one = tflite_float(t, 1);
	ax = tflite_unary(t, NNA_OPERATION_ABS, x);
	ay = tflite_unary(t, NNA_OPERATION_ABS, y);
	small = tflite_binary(t, NNA_OPERATION_MINIMUM, ax, ay);
	large = tflite_binary(t, NNA_OPERATION_MAXIMUM, ax, ay);
	/* The angle of (0, 0) is 0. */
	large = tflite_select(t, tflite_binary(t, NNA_OPERATION_EQUAL, large, tflite_float(t, 0)),
			      one, large);
	z = tflite_binary(t, NNA_OPERATION_DIV, small, large);
	z = tflite_select(t, tflite_binary(t, NNA_OPERATION_EQUAL, small,
					   tflite_float(t, INFINITY)), one, z);
	square = tflite_binary(t, NNA_OPERATION_MUL, z, z);
	sum = tflite_float(t, factors[7]);
	for (int i = 6; i >= 0; i--)
		sum = tflite_binary(t, NNA_OPERATION_ADD,
				    tflite_binary(t, NNA_OPERATION_MUL, square, sum),
				    tflite_float(t, factors[i]));
	sum = tflite_binary(t, NNA_OPERATION_MUL, tflite_binary(t, NNA_OPERATION_MUL, square, sum),
			    z);
	sum = tflite_binary(t, NNA_OPERATION_ADD, sum, z);
	steep = tflite_binary(t, NNA_OPERATION_GREATER, ay, ax);
	sum = tflite_select(t, steep, tflite_binary(t, NNA_OPERATION_SUB,
						    tflite_float(t, (float)M_PI_2), sum), sum);
	sum = tflite_select(t, is_negative(t, x),
			    tflite_binary(t, NNA_OPERATION_SUB, tflite_float(t, (float)M_PI), sum),
			    sum);
	tflite_result(t, tflite_select(t, is_negative(t, y),
				       tflite_unary(t, NNA_OPERATION_NEG, sum), sum), 0);
}

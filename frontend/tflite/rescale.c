// SPDX-License-Identifier: MIT
/* TFLite's fixed-point factors; rescale.h states the rules. */
#include "frontend/tflite/rescale.h"

#include <math.h>
#include <stdlib.h>

struct tflite_factor tflite_factor_of(double value)
{
	struct tflite_factor f = { 0 };
	int exponent;
	int64_t q = llround(frexp(value, &exponent) * 0x1p31);

	if (q == (int64_t)1 << 31 || q == -((int64_t)1 << 31)) {
		q /= 2;
		exponent++;
	}
	if (!isfinite(value) || exponent < -31 || !q)
		return f;
	f.multiplier = (int32_t)q;
	f.shift = exponent;
	return f;
}

int32_t tflite_halved(int32_t x, int32_t bits)
{
	int64_t half = bits ? (int64_t)1 << (bits - 1) : 0;

	return (int32_t)((x >= 0 || !bits ? x + half : x + half - 1) >> bits);
}

int32_t tflite_scaled(int32_t x, struct tflite_factor factor)
{
	int32_t left = factor.shift > 0 ? factor.shift : 0, right = left - factor.shift;
	int64_t wide = left > 31 ? 0 : (int32_t)((uint32_t)x << left);
	int64_t product = (wide * factor.multiplier + (1 << 30)) >> 31;

	return tflite_halved((int32_t)product, right);
}

struct tflite_value tflite_long(struct tflite_translation *t, int64_t value)
{
	return tflite_long_tensor(t, 1, (uint32_t[]){ 1 }, &value);
}

/* The multiplier, the rounding term and the shift to the right of a factor. */
static void numbers_of(struct tflite_factor f, enum tflite_rule rule, int64_t *multiplier,
		       int64_t *rounding, int64_t *shift)
{
	*multiplier = f.multiplier;
	*shift = 31 - f.shift;
	if (rule == TFLITE_RULE_64) {
		*multiplier = f.multiplier < 0x7fff0000 ? (f.multiplier + (1 << 15)) >> 16 : 0x7fff;
		*shift = 15 - f.shift;
	}
	if (rule == TFLITE_RULE_64_LONG)
		*shift -= 16;
	/* A factor with a shift beyond these saturates every product. */
	*shift = *shift < 1 ? 1 : *shift > 62 ? 62 : *shift;
	*rounding = (int64_t)1 << (*shift - 1);
	if ((rule == TFLITE_RULE_32 || rule == TFLITE_RULE_32_UP) && *shift > 31)
		*rounding += 1 << 30;
}

/*
 * @x times multipliers of 31 bits, without the lowest 16 bits of the product, which the rounding of
 * the rest does not reach.
 */
static struct tflite_value upper_product(struct tflite_translation *t, struct tflite_value x,
					 const int64_t *multipliers, uint32_t count)
{
	int64_t *parts = t->ret ? NULL : calloc((size_t)count * 2, sizeof(*parts));
	struct tflite_value low;

	if (!parts) {
		tflite_no_memory(t);
		return x;
	}
	for (uint32_t i = 0; i < count; i++) {
		parts[i] = multipliers[i] >> 16;
		parts[count + i] = multipliers[i] & 0xffff;
	}
	low = tflite_binary(t, NNA_OPERATION_MUL, x,
			    tflite_long_tensor(t, 1, &count, parts + count));
	low = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, low, tflite_long(t, 16));
	x = tflite_binary(t, NNA_OPERATION_MUL, x, tflite_long_tensor(t, 1, &count, parts));
	free(parts);
	return tflite_binary(t, NNA_OPERATION_ADD, x, low);
}

struct tflite_value tflite_rescaled(struct tflite_translation *t, struct tflite_value x,
				    const struct tflite_factor *factors, uint32_t count,
				    enum tflite_rule rule)
{
	int64_t *lists = t->ret ? NULL : calloc((size_t)count * 4, sizeof(*lists));
	struct tflite_value sign;
	bool twice = false;

	if (!lists) {
		tflite_no_memory(t);
		return x;
	}
	for (uint32_t i = 0; i < count; i++) {
		numbers_of(factors[i], rule, &lists[i], &lists[count + i], &lists[2 * count + i]);
		/* The rounding term of a negative product is 2^31 less. */
		if (rule == TFLITE_RULE_32 && lists[2 * count + i] > 31) {
			lists[3 * count + i] = (int64_t)1 << 31;
			twice = true;
		}
	}
	if (rule == TFLITE_RULE_64_LONG)
		x = upper_product(t, x, lists, count);
	else
		x = tflite_binary(t, NNA_OPERATION_MUL, x,
				  tflite_long_tensor(t, 1, &count, lists));
	sign = x;
	x = tflite_binary(t, NNA_OPERATION_ADD, x,
			  tflite_long_tensor(t, 1, &count, lists + count));
	if (twice) {
		sign = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, sign, tflite_long(t, 63));
		sign = tflite_binary(t, NNA_OPERATION_MUL, sign,
				     tflite_long_tensor(t, 1, &count, lists + 3 * (size_t)count));
		x = tflite_binary(t, NNA_OPERATION_ADD, x, sign);
	}
	x = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, x,
			  tflite_long_tensor(t, 1, &count, lists + 2 * (size_t)count));
	free(lists);
	return x;
}

static struct tflite_value constant_like(struct tflite_translation *t,
					 const struct tflite_value *x, int64_t value)
{
	return x->o.desc.type == NNA_OPERAND_TENSOR_INT64 ? tflite_long(t, value) :
							    tflite_int(t, (int32_t)value);
}

/* The range of a type. */
static bool limits_of(uint32_t type, int64_t *low, int64_t *high)
{
	switch (type) {
	case TFLITE_INT16:
		*low = INT16_MIN;
		*high = INT16_MAX;
		return true;
	case TFLITE_INT8:
		*low = INT8_MIN;
		*high = INT8_MAX;
		return true;
	case TFLITE_UINT8:
		*low = 0;
		*high = UINT8_MAX;
		return true;
	case TFLITE_INT32:
		*low = INT32_MIN;
		*high = INT32_MAX;
		return true;
	default:
		return false;
	}
}

static int64_t bound(double value, float scale, int64_t zero, int64_t low, int64_t high)
{
	double q = round(value / (double)scale) + (double)zero;

	return q < (double)low ? low : q > (double)high ? high : (int64_t)q;
}

void tflite_store(struct tflite_translation *t, struct tflite_value x)
{
	const struct tflite_tensor *y = tflite_output(t, 0);
	int8_t act = t->op->options.activation;
	struct tflite_operand_desc o;
	int64_t low, high, least, most, zero = tflite_zero_point(y);

	if (!limits_of(y->type, &least, &most) || act > TFLITE_ACT_RELU6) {
		tflite_need_type(t, y, limits_of(y->type, &least, &most),
				 "INT8, UINT8, INT16 or INT32");
		tflite_unsupported(t, NULL, "fused activation %d of integers",
				   "0 (NONE) to 3 (RELU6)", act);
		return;
	}
	low = least;
	high = most;
	if (act == TFLITE_ACT_RELU_N1_TO_1)
		low = bound(-1, tflite_scale(y), zero, low, high);
	else if (act != TFLITE_ACT_NONE)
		low = bound(0, tflite_scale(y), zero, low, high);
	if (act == TFLITE_ACT_RELU_N1_TO_1 || act == TFLITE_ACT_RELU6)
		high = bound(act == TFLITE_ACT_RELU6 ? 6 : 1, tflite_scale(y), zero, low, high);
	if (zero)
		x = tflite_binary(t, NNA_OPERATION_ADD, x, constant_like(t, &x, zero));
	/* CAST saturates at the ends of a quantised type. */
	if (low != least || y->type == TFLITE_INT32)
		x = tflite_binary(t, NNA_OPERATION_MAXIMUM, x, constant_like(t, &x, low));
	if (high != most || y->type == TFLITE_INT32)
		x = tflite_binary(t, NNA_OPERATION_MINIMUM, x, constant_like(t, &x, high));
	tflite_describe(t, y, &o);
	x = tflite_reshaped(t, x, o.desc.rank, o.dims);
	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, tflite_output_operand(t, 0));
}

void tflite_store_rounded(struct tflite_translation *t, uint32_t real)
{
	struct tflite_value plain = { 0 };

	tflite_describe(t, tflite_output(t, 0), &plain.o);
	plain.o.desc.scale = 1;
	plain.operand = tflite_add_operand(t, &plain.o);
	tflite_push(t, real);
	tflite_emit_to(t, NNA_OPERATION_QUANTIZE, plain.operand);
	tflite_store(t, tflite_cast(t, plain, NNA_OPERAND_TENSOR_INT32));
}

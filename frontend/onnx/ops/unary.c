// SPDX-License-Identifier: MIT
/* Functions of one element: NNAPI's operations, and small expressions of them. */
#include "frontend/onnx/translation.h"

#include <math.h>
#include <string.h>

/* Input 0, which is of floats, in the order in which it is there. */
static struct onnx_operand real(struct onnx_translation *t, enum onnx_order *order)
{
	onnx_need_float(t, 0);
	*order = onnx_order_of(t, 0);
	return onnx_in_order(t, 0, *order);
}

static void plain(struct onnx_translation *t, uint32_t type)
{
	enum onnx_order order;
	const struct onnx_operand x = real(t, &order);

	onnx_set(t, 0, onnx_unary(t, type, x), order);
}

/* Of integers, too. */
static void number(struct onnx_translation *t, uint32_t type)
{
	const enum onnx_order order = onnx_order_of(t, 0);
	const uint32_t of = onnx_tensor(t, 0)->type;

	if (!onnx_type_is_float(of) && of != ONNX_INT32 && of != ONNX_INT64)
		onnx_unsupported(t, "a tensor of %s", onnx_type_name(of));
	onnx_set(t, 0, onnx_unary(t, type, onnx_in_order(t, 0, order)), order);
}

#define ADD NNA_OPERATION_ADD
#define SUB NNA_OPERATION_SUB
#define MUL NNA_OPERATION_MUL
#define DIV NNA_OPERATION_DIV

#define PLAIN(name, type) \
	void onnx_translate_##name(struct onnx_translation *t) \
	{ \
		plain(t, type); \
	}

PLAIN(floor, NNA_OPERATION_FLOOR)
PLAIN(exp, NNA_OPERATION_EXP)
PLAIN(log, NNA_OPERATION_LOG)
PLAIN(sqrt, NNA_OPERATION_SQRT)
PLAIN(sin, NNA_OPERATION_SIN)
PLAIN(cos, NNA_OPERATION_COS)
PLAIN(tanh, NNA_OPERATION_TANH)
PLAIN(sigmoid, NNA_OPERATION_LOGISTIC)
PLAIN(hard_swish, NNA_OPERATION_HARD_SWISH)

void onnx_translate_abs(struct onnx_translation *t)
{
	number(t, NNA_OPERATION_ABS);
}

void onnx_translate_neg(struct onnx_translation *t)
{
	number(t, NNA_OPERATION_NEG);
}

void onnx_translate_not(struct onnx_translation *t)
{
	const enum onnx_order order = onnx_order_of(t, 0);

	if (!t->ret && onnx_tensor(t, 0)->type != ONNX_BOOL)
		onnx_wrong(t, "its input is of %s", onnx_type_name(onnx_tensor(t, 0)->type));
	onnx_set(t, 0, onnx_unary(t, NNA_OPERATION_LOGICAL_NOT, onnx_in_order(t, 0, order)),
		 order);
}

void onnx_translate_relu(struct onnx_translation *t)
{
	const enum onnx_order order = onnx_order_of(t, 0);
	struct onnx_operand x;

	if (onnx_type_is_float(onnx_tensor(t, 0)->type)) {
		plain(t, NNA_OPERATION_RELU);
		return;
	}
	x = onnx_in_order(t, 0, order);
	if (!t->ret && x.type != NNA_OPERAND_TENSOR_INT32 && x.type != NNA_OPERAND_TENSOR_INT64)
		onnx_unsupported(t, "a tensor of %s", onnx_type_name(onnx_tensor(t, 0)->type));
	onnx_set(t, 0, onnx_binary(t, NNA_OPERATION_MAXIMUM, x, onnx_number(t, &x, 0)), order);
}

void onnx_translate_ceil(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);

	x = onnx_unary(t, NNA_OPERATION_FLOOR, onnx_unary(t, NNA_OPERATION_NEG, x));
	onnx_set(t, 0, onnx_unary(t, NNA_OPERATION_NEG, x), order);
}

/*
 * To the nearest, halves to even: a sum with 1.5 * 2^23 has no bits behind the point. Numbers of
 * 2^22 or more have none already.
 */
void onnx_translate_round(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order), y, small, large;
	const uint32_t type = x.type;

	x = onnx_cast(t, x, NNA_OPERAND_TENSOR_FLOAT32);
	large = onnx_number(t, &x, 0x1.8p23);
	y = onnx_binary(t, SUB, onnx_binary(t, ADD, x, large), large);
	small = onnx_binary(t, NNA_OPERATION_LESS, onnx_unary(t, NNA_OPERATION_ABS, x),
			    onnx_number(t, &x, 0x1p22));
	onnx_set(t, 0, onnx_cast(t, onnx_select(t, small, y, x), type), order);
}

void onnx_translate_sign(struct onnx_translation *t)
{
	const enum onnx_order order = onnx_order_of(t, 0);
	struct onnx_operand x = onnx_in_order(t, 0, order), above, below, zero;

	if (!t->ret && x.type != NNA_OPERAND_TENSOR_INT32 && x.type != NNA_OPERAND_TENSOR_INT64)
		onnx_need_float(t, 0);
	zero = onnx_number(t, &x, 0);
	above = onnx_cast(t, onnx_binary(t, NNA_OPERATION_GREATER, x, zero), x.type);
	below = onnx_cast(t, onnx_binary(t, NNA_OPERATION_LESS, x, zero), x.type);
	above = onnx_binary(t, SUB, above, below);
	/* What is not equal to itself is no number, and stays that. */
	if (onnx_type_is_float(onnx_tensor(t, 0)->type))
		above = onnx_select(t, onnx_binary(t, NNA_OPERATION_EQUAL, x, x), above, x);
	onnx_set(t, 0, above, order);
}

void onnx_translate_reciprocal(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);

	onnx_set(t, 0, onnx_binary(t, DIV, onnx_number(t, &x, 1), x), order);
}

/*
 * erf(x) by a rational function of |x| times e^(-x^2), whose error is below 1.5e-7 (Abramowitz and
 * Stegun, 7.1.26). Near 0 that error is large beside the result, which is 2 x / sqrt(pi) there.
 */
static struct onnx_operand error_function(struct onnx_translation *t, struct onnx_operand x)
{
	static const double factors[] = { 1.061405429, -1.453152027, 1.421413741, -0.284496736,
					  0.254829592 };
	struct onnx_operand one = onnx_number(t, &x, 1), size, k, sum, square, negative;

	size = onnx_unary(t, NNA_OPERATION_ABS, x);
	k = onnx_binary(t, MUL, size, onnx_number(t, &x, 0.3275911));
	k = onnx_binary(t, DIV, one, onnx_binary(t, ADD, k, one));
	sum = onnx_binary(t, MUL, k, onnx_number(t, &x, factors[0]));
	for (int i = 1; i < 5; i++) {
		sum = onnx_binary(t, ADD, sum, onnx_number(t, &x, factors[i]));
		sum = onnx_binary(t, MUL, sum, k);
	}
	square = onnx_unary(t, NNA_OPERATION_NEG, onnx_binary(t, MUL, x, x));
	sum = onnx_binary(t, MUL, sum, onnx_unary(t, NNA_OPERATION_EXP, square));
	sum = onnx_binary(t, SUB, one, sum);
	negative = onnx_binary(t, NNA_OPERATION_LESS, x, onnx_number(t, &x, 0));
	return onnx_select(t, negative, onnx_unary(t, NNA_OPERATION_NEG, sum), sum);
}

void onnx_translate_erf(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);
	const uint32_t type = x.type;

	x = error_function(t, onnx_cast(t, x, NNA_OPERAND_TENSOR_FLOAT32));
	onnx_set(t, 0, onnx_cast(t, x, type), order);
}

/* x / 2 * (1 + erf(x / sqrt(2))), or an approximation of that by tanh. */
void onnx_translate_gelu(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order), y, one;
	const uint32_t type = x.type;

	x = onnx_cast(t, x, NNA_OPERAND_TENSOR_FLOAT32);
	one = onnx_number(t, &x, 1);
	if (!strcmp(onnx_attribute_text(t, "approximate", "none"), "tanh")) {
		y = onnx_binary(t, MUL, onnx_binary(t, MUL, x, x), x);
		y = onnx_binary(t, ADD, onnx_binary(t, MUL, y, onnx_number(t, &x, 0.044715)), x);
		y = onnx_binary(t, MUL, y, onnx_number(t, &x, 0.7978845608028654));
		y = onnx_unary(t, NNA_OPERATION_TANH, y);
	} else {
		y = error_function(t, onnx_binary(t, MUL, x, onnx_number(t, &x, M_SQRT1_2)));
	}
	y = onnx_binary(t, MUL, onnx_binary(t, ADD, y, one),
			onnx_binary(t, MUL, x, onnx_number(t, &x, 0.5)));
	onnx_set(t, 0, onnx_cast(t, y, type), order);
}

void onnx_translate_leaky_relu(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);

	onnx_push(t, x.number);
	onnx_push_f32(t, onnx_attribute_float(t, "alpha", 0.01f));
	onnx_set(t, 0, onnx_emit(t, NNA_OPERATION_LEAKY_RELU, onnx_like(&x, x.type)), order);
}

void onnx_translate_thresholded_relu(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order), above;

	above = onnx_number(t, &x, (double)onnx_attribute_float(t, "alpha", 1));
	above = onnx_binary(t, NNA_OPERATION_GREATER, x, above);
	onnx_set(t, 0, onnx_select(t, above, x, onnx_number(t, &x, 0)), order);
}

static struct onnx_operand elu(struct onnx_translation *t, struct onnx_operand x, float alpha)
{
	onnx_push(t, x.number);
	onnx_push_f32(t, alpha);
	return onnx_emit(t, NNA_OPERATION_ELU, onnx_like(&x, x.type));
}

void onnx_translate_elu(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);

	onnx_set(t, 0, elu(t, x, onnx_attribute_float(t, "alpha", 1)), order);
}

void onnx_translate_selu(struct onnx_translation *t)
{
	const double gamma = (double)onnx_attribute_float(t, "gamma", 1.05070102214813232421875f);
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);

	x = elu(t, x, onnx_attribute_float(t, "alpha", 1.67326319217681884765625f));
	onnx_set(t, 0, onnx_binary(t, MUL, x, onnx_number(t, &x, gamma)), order);
}

/* max(0, x) + min(0, alpha * (e^(x / alpha) - 1)) */
void onnx_translate_celu(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order), alpha;

	alpha = onnx_number(t, &x, (double)onnx_attribute_float(t, "alpha", 1));
	x = elu(t, onnx_binary(t, DIV, x, alpha), 1);
	onnx_set(t, 0, onnx_binary(t, MUL, x, alpha), order);
}

void onnx_translate_hard_sigmoid(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);

	x = onnx_binary(t, MUL, x,
			onnx_number(t, &x, (double)onnx_attribute_float(t, "alpha", 0.2f)));
	x = onnx_binary(t, ADD, x,
			onnx_number(t, &x, (double)onnx_attribute_float(t, "beta", 0.5f)));
	x = onnx_binary(t, NNA_OPERATION_MINIMUM, x, onnx_number(t, &x, 1));
	onnx_set(t, 0, onnx_binary(t, NNA_OPERATION_MAXIMUM, x, onnx_number(t, &x, 0)), order);
}

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), in which nothing is too large. */
static struct onnx_operand softplus(struct onnx_translation *t, struct onnx_operand x)
{
	struct onnx_operand y;

	y = onnx_unary(t, NNA_OPERATION_NEG, onnx_unary(t, NNA_OPERATION_ABS, x));
	y = onnx_binary(t, ADD, onnx_unary(t, NNA_OPERATION_EXP, y), onnx_number(t, &x, 1));
	return onnx_binary(t, ADD, onnx_unary(t, NNA_OPERATION_RELU, x),
			   onnx_unary(t, NNA_OPERATION_LOG, y));
}

void onnx_translate_softplus(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);

	onnx_set(t, 0, softplus(t, x), order);
}

void onnx_translate_mish(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order);

	onnx_set(t, 0, onnx_binary(t, MUL, x, onnx_unary(t, NNA_OPERATION_TANH, softplus(t, x))),
		 order);
}

void onnx_translate_softsign(struct onnx_translation *t)
{
	enum onnx_order order;
	struct onnx_operand x = real(t, &order), y;

	y = onnx_binary(t, ADD, onnx_unary(t, NNA_OPERATION_ABS, x), onnx_number(t, &x, 1));
	onnx_set(t, 0, onnx_binary(t, DIV, x, y), order);
}

/* A limit of Clip: a number if it is a constant. Return: false for none. */
static bool limit(struct onnx_translation *t, uint32_t input, bool *known, double *value)
{
	if (!onnx_has(t, input))
		return false;
	*known = onnx_tensor(t, input)->data && onnx_elements(onnx_tensor(t, input)) == 1;
	if (*known)
		*value = onnx_real_at(onnx_tensor(t, input), 0);
	return !t->ret;
}

void onnx_translate_clip(struct onnx_translation *t)
{
	const enum onnx_order order = onnx_order_of(t, 0);
	struct onnx_operand x = onnx_in_order(t, 0, order);
	bool low_known = false, high_known = false, has_low, has_high;
	double low = 0, high = 0;

	if (t->ret)
		return;
	if (x.type != NNA_OPERAND_TENSOR_INT32 && x.type != NNA_OPERAND_TENSOR_INT64)
		onnx_need_float(t, 0);
	has_low = limit(t, 1, &low_known, &low);
	has_high = limit(t, 2, &high_known, &high);
	if (onnx_type_is_float(onnx_tensor(t, 0)->type) && low_known && low == 0 &&
	    (!has_high || (high_known && high == 6))) {
		plain(t, has_high ? NNA_OPERATION_RELU6 : NNA_OPERATION_RELU);
		return;
	}
	if (has_low)
		x = onnx_binary(t, NNA_OPERATION_MAXIMUM, x, onnx_plain(t, 1));
	if (has_high)
		x = onnx_binary(t, NNA_OPERATION_MINIMUM, x, onnx_plain(t, 2));
	onnx_set(t, 0, x, order);
}

static uint32_t bits_of(uint32_t type)
{
	return type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ||
	       type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED ? 8 :
	       type == NNA_OPERAND_TENSOR_QUANT16_SYMM ? 16 : 0;
}

/* Integers as those of @to that have the same low bits; CAST saturates. */
static struct onnx_operand wrapped(struct onnx_translation *t, struct onnx_operand x, uint32_t to)
{
	const double range = (double)(1u << bits_of(to));
	struct onnx_operand all, half;

	if (bits_of(x.type))
		x = onnx_cast(t, x, NNA_OPERAND_TENSOR_INT32);
	all = onnx_number(t, &x, range);
	half = onnx_number(t, &x, range / 2);
	x = onnx_binary(t, NNA_OPERATION_FLOOR_MOD, x, all);
	if (to == NNA_OPERAND_TENSOR_QUANT8_ASYMM)
		return x;
	x = onnx_binary(t, NNA_OPERATION_FLOOR_MOD, onnx_binary(t, ADD, x, half), all);
	return onnx_binary(t, SUB, x, half);
}

/* The number of a type that is none of ours is refused by its name. */
void onnx_translate_cast(struct onnx_translation *t)
{
	const uint32_t to = onnx_operand_type(t, (uint32_t)onnx_attribute_int(t, "to", 0));
	const enum onnx_order order = onnx_order_of(t, 0);
	struct onnx_operand x = onnx_in_order(t, 0, order);

	if (t->ret)
		return;
	if (to == NNA_OPERAND_TENSOR_BOOL8 && x.type != to) {
		if (x.type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ||
		    x.type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED)
			x = onnx_cast(t, x, NNA_OPERAND_TENSOR_INT32);
		x = onnx_binary(t, NNA_OPERATION_NOT_EQUAL, x, onnx_number(t, &x, 0));
	} else if (bits_of(to) && x.type != to &&
		   (bits_of(x.type) || x.type == NNA_OPERAND_TENSOR_INT32 ||
		    x.type == NNA_OPERAND_TENSOR_INT64)) {
		x = wrapped(t, x, to);
	}
	onnx_set(t, 0, onnx_cast(t, x, to), order);
}

// SPDX-License-Identifier: MIT
/*
 * Arithmetic with a fused activation, and operators that become several arithmetic operations of
 * NNAPI.
 */
#include "frontend/tflite/rescale.h"

#include <math.h>

bool tflite_is_arithmetic16(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;

	if ((t->op->code != TFLITE_ADD && t->op->code != TFLITE_SUB && t->op->code != TFLITE_MUL) ||
	    !t->ops->requantizes || in.count != 2 || in.at[0] < 0 || in.at[1] < 0 || out.count != 1)
		return false;
	return tflite_is_symmetric16(&t->sub->tensors[in.at[0]]) &&
	       tflite_is_symmetric16(&t->sub->tensors[in.at[1]]) &&
	       tflite_is_symmetric16(&t->sub->tensors[out.at[0]]);
}

/* Whether TFLite treats the scale of @x as a power of two; *exponent gets its logarithm. */
static bool is_power(const struct tflite_tensor *x, int32_t *exponent)
{
	double logarithm = log2((double)tflite_scale(x));

	*exponent = (int32_t)round(logarithm);
	return fabs(logarithm - *exponent) < 1e-3;
}

/*
 * TFLite's rule for an ADD or SUB of INT16 whose scales are powers of two: it shifts the inputs to
 * the right, if one of them has the scale of the output and the other has no larger one. *shifts
 * gets the bits of input 0 and 1. Return: whether the rule applies.
 */
static bool find_shifts(struct tflite_translation *t, int32_t *shifts)
{
	int32_t out;

	if (t->op->code == TFLITE_MUL || !t->op->options.power_scales ||
	    !is_power(tflite_output(t, 0), &out))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		if (!is_power(tflite_input(t, i), &shifts[i]))
			return false;
		shifts[i] = out - shifts[i];
		if (shifts[i] < 0)
			return false;
	}
	return !shifts[0] || !shifts[1];
}

/* Input @index with the output's scale: shifted to the right, halves away from zero. */
static struct tflite_value shifted(struct tflite_translation *t, uint32_t index, int32_t shift)
{
	struct tflite_value x = tflite_value(t, index), y = { .o = x.o };
	struct tflite_operand_desc o;
	int16_t *table;

	tflite_describe(t, tflite_output(t, 0), &o);
	y.o.desc.scale = o.desc.scale;
	if (!shift) {
		/* TFLite treats a scale that is nearly a power of two as one. */
		if (x.o.desc.scale == y.o.desc.scale)
			return x;
		y.operand = tflite_add_operand(t, &y.o);
		tflite_push(t, x.operand);
		tflite_emit_to(t, NNA_OPERATION_BITCAST, y.operand);
		return y;
	}
	table = tflite_derive(t->model, (UINT16_MAX + 1) * sizeof(*table));
	if (!table) {
		tflite_no_memory(t);
		return x;
	}
	for (int32_t q = INT16_MIN; q <= INT16_MAX; q++)
		table[q - INT16_MIN] = (int16_t)tflite_halved(q, shift < 31 ? shift : 31);
	return tflite_looked_up(t, x, &y.o.desc, INT16_MIN, UINT16_MAX + 1, table,
				(UINT16_MAX + 1) * sizeof(*table));
}

/* The fused activation of integers. */
static struct tflite_value activated(struct tflite_translation *t, struct tflite_value x)
{
	const bool wide = x.o.desc.type == NNA_OPERAND_TENSOR_INT64;
	const int8_t act = t->op->options.activation;
	const int32_t low = act == TFLITE_ACT_RELU_N1_TO_1 ? -1 : 0,
		      high = act == TFLITE_ACT_RELU6 ? 6 : 1;

	if (act > TFLITE_ACT_RELU6)
		tflite_unsupported(t, NULL, "fused activation %d of integers",
				   "RELU, RELU_N1_TO_1 and RELU6", act);
	x = tflite_binary(t, NNA_OPERATION_MAXIMUM, x,
			  wide ? tflite_long(t, low) : tflite_int(t, low));
	if (act != TFLITE_ACT_RELU)
		x = tflite_binary(t, NNA_OPERATION_MINIMUM, x,
				  wide ? tflite_long(t, high) : tflite_int(t, high));
	return x;
}

void tflite_translate_arithmetic(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value a, b;
	int32_t shifts[2];

	tflite_need(t, 2, 1);
	/* NNAPI has no DIV of quantised numbers: divide the real numbers. */
	if (type == NNA_OPERATION_DIV && tflite_is_quant8(tflite_output(t, 0)->type)) {
		tflite_result(t, tflite_binary(t, type, tflite_real(t, 0), tflite_real(t, 1)), 0);
		return;
	}
	/* NNAPI has no activation of integers. */
	if (!tflite_is_quantised(tflite_output(t, 0)->type) &&
	    !tflite_is_float(tflite_output(t, 0)->type) &&
	    t->op->options.activation != TFLITE_ACT_NONE) {
		a = tflite_binary(t, type, tflite_value(t, 0), tflite_value(t, 1));
		tflite_result(t, activated(t, a), 0);
		return;
	}
	if (!t->ret && tflite_is_arithmetic16(t) && find_shifts(t, shifts)) {
		/* With one scale the sum is exact under either rule, until it saturates. */
		a = shifted(t, 0, shifts[0]);
		b = shifted(t, 1, shifts[1]);
		tflite_push(t, a.operand);
		tflite_push(t, b.operand);
	} else {
		tflite_push_input(t, 0);
		tflite_push_input(t, 1);
	}
	tflite_push_i32(t, tflite_fused(t));
	tflite_finish(t, type);
}

/*
 * POW of INT32 by squares: the product of base^(2^k) over the bits k of the exponent, which wraps.
 * From 32 on an exponent counts as 30 or 31: then a base other than 0, 1 and -1 overflows anyhow.
 * TFLite has no negative exponents.
 */
static void integer_power(struct tflite_translation *t)
{
	struct tflite_value base = tflite_value(t, 0), exponent = tflite_value(t, 1);
	struct tflite_value one = tflite_int(t, 1), bit, odd, y;

	odd = tflite_binary(t, NNA_OPERATION_FLOOR_MOD, exponent, tflite_int(t, 2));
	exponent = tflite_select(t, tflite_binary(t, NNA_OPERATION_GREATER, exponent,
						  tflite_int(t, 31)),
				 tflite_binary(t, NNA_OPERATION_ADD, odd, tflite_int(t, 30)),
				 exponent);
	y = one;
	for (int k = 0; k < 5; k++) {
		bit = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, exponent, tflite_int(t, k));
		bit = tflite_binary(t, NNA_OPERATION_FLOOR_MOD, bit, tflite_int(t, 2));
		bit = tflite_binary(t, NNA_OPERATION_EQUAL, bit, one);
		y = tflite_binary(t, NNA_OPERATION_MUL, y, tflite_select(t, bit, base, one));
		if (k < 4)
			base = tflite_binary(t, NNA_OPERATION_MUL, base, base);
	}
	tflite_result(t, y, 0);
}

void tflite_translate_pow(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	if (!t->ret && tflite_output(t, 0)->type == TFLITE_INT32 &&
	    tflite_input(t, 0)->type == TFLITE_INT32 && tflite_input(t, 1)->type == TFLITE_INT32)
		integer_power(t);
	else
		tflite_plain(t, type, 2);
}

void tflite_translate_square(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_push_input(t, 0);
	tflite_push_input(t, 0);
	tflite_push_i32(t, 0);
	tflite_emit_outputs(t, type);
}

/* Adds an operand with the type and shape of the output. */
static uint32_t inner(struct tflite_translation *t)
{
	struct tflite_operand_desc o;

	tflite_describe(t, tflite_output(t, 0), &o);
	return tflite_add_operand(t, &o);
}

/* Adds an arithmetic operation without activation. */
static void combine(struct tflite_translation *t, uint32_t type, uint32_t a, uint32_t b,
		    uint32_t to)
{
	tflite_push(t, a);
	tflite_push(t, b);
	tflite_push_i32(t, 0);
	tflite_emit_to(t, type, to);
}

void tflite_translate_squared_difference(struct tflite_translation *t, uint32_t type)
{
	uint32_t difference;

	tflite_need(t, 2, 1);
	if (tflite_is_quant8(tflite_output(t, 0)->type)) {
		tflite_plain(t, NNA_OPERATION_SQUARED_DIFFERENCE, 2);
		return;
	}
	difference = inner(t);
	combine(t, NNA_OPERATION_SUB, tflite_input_operand(t, 0), tflite_input_operand(t, 1),
		difference);
	combine(t, type, difference, difference, tflite_output_operand(t, 0));
}

/* The remainder, which NNAPI only has as a - floor(a / b) * b, rounded three times. */
void tflite_translate_floor_mod(struct tflite_translation *t, uint32_t type)
{
	uint32_t quotient, product;

	tflite_need(t, 2, 1);
	if (!t->ret && tflite_is_stored_short(t)) {
		struct tflite_value a = tflite_cast(t, tflite_value(t, 0),
						    NNA_OPERAND_TENSOR_INT32);
		struct tflite_value b = tflite_cast(t, tflite_value(t, 1),
						    NNA_OPERAND_TENSOR_INT32), c;

		c = tflite_binary(t, NNA_OPERATION_MUL, tflite_binary(t, type, a, b), b);
		tflite_store(t, tflite_binary(t, NNA_OPERATION_SUB, a, c));
		return;
	}
	if (t->ops->requantizes) {
		tflite_plain(t, NNA_OPERATION_FLOOR_MOD, 2);
		return;
	}
	quotient = inner(t);
	product = inner(t);
	tflite_push_input(t, 0);
	tflite_push_input(t, 1);
	tflite_emit_to(t, type, quotient);
	combine(t, NNA_OPERATION_MUL, quotient, tflite_input_operand(t, 1), product);
	combine(t, NNA_OPERATION_SUB, tflite_input_operand(t, 0), product,
		tflite_output_operand(t, 0));
}

/* -floor(-a) */
void tflite_translate_ceiling(struct tflite_translation *t, uint32_t type)
{
	uint32_t negative, below;

	tflite_need(t, 1, 1);
	negative = inner(t);
	below = inner(t);
	tflite_push_input(t, 0);
	tflite_emit_to(t, NNA_OPERATION_NEG, negative);
	tflite_push(t, negative);
	tflite_emit_to(t, type, below);
	tflite_push(t, below);
	tflite_emit_to(t, NNA_OPERATION_NEG, tflite_output_operand(t, 0));
}

void tflite_translate_add_n(struct tflite_translation *t, uint32_t type)
{
	uint32_t sum, i, count = t->op->inputs.count;

	tflite_need(t, 2, 1);
	sum = tflite_input_operand(t, 0);
	for (i = 1; i < count && !t->ret; i++) {
		uint32_t next = i + 1 < count ? inner(t) : tflite_output_operand(t, 0);

		combine(t, type, sum, tflite_input_operand(t, i), next);
		sum = next;
	}
}

/*
 * BITWISE_XOR and RIGHT_SHIFT. Types of 8 and 16 bits are computed in INT32. That changes one case,
 * a UINT8 shifted by 8 bits or more: TFLite shifts it by 7.
 */
void tflite_translate_bits(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	struct tflite_value a, b;

	tflite_need(t, 2, 1);
	if (!tflite_is_quantised(x->type)) {
		tflite_plain(t, type, 2);
		return;
	}
	a = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	b = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_INT32);
	if (type == NNA_OPERATION_RIGHT_SHIFT && x->type == TFLITE_UINT8)
		b = tflite_binary(t, NNA_OPERATION_MINIMUM, b, tflite_int(t, 7));
	tflite_push(t, tflite_binary(t, type, a, b).operand);
	tflite_emit_outputs(t, NNA_OPERATION_CAST);
}

/*
 * Operators of StableHLO take two inputs of one shape, and stored numbers whatever they mean: sums
 * and products wrap. @type is a comparison where one of the two is the result, as of C's std::max.
 */
void tflite_translate_hlo_binary(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	const bool chooses = type == NNA_OPERATION_GREATER || type == NNA_OPERATION_LESS;
	struct tflite_value a, b;

	tflite_need(t, 2, 1);
	tflite_need_type(t, tflite_input(t, 1), tflite_input(t, 1)->type == x->type,
			 "the type of input 0");
	tflite_need_type(t, tflite_output(t, 0), tflite_output(t, 0)->type == x->type,
			 "the type of input 0");
	tflite_need_elements(t, tflite_input(t, 1), x->elements, "the elements of input 0");
	if (t->ret)
		return;
	a = tflite_value(t, 0);
	b = tflite_value(t, 1);
	if (x->type == TFLITE_BOOL) {
		bool either = type == NNA_OPERATION_ADD || type == NNA_OPERATION_GREATER;

		type = either ? NNA_OPERATION_LOGICAL_OR : NNA_OPERATION_LOGICAL_AND;
		tflite_result(t, tflite_binary(t, type, a, b), 0);
		return;
	}
	if (tflite_is_quantised(x->type)) {
		a = tflite_cast(t, a, NNA_OPERAND_TENSOR_INT32);
		b = tflite_cast(t, b, NNA_OPERAND_TENSOR_INT32);
	}
	tflite_sums_result(t, chooses ? tflite_select(t, tflite_binary(t, type, b, a), b, a) :
					tflite_binary(t, type, a, b));
}

// SPDX-License-Identifier: MIT
/*
 * Functions of 8-bit numbers, bit-exact with TFLite: the translation computes the 256 results as
 * TFLite's kernel does, and a GATHER looks them up.
 *
 *	EXP, LOG, ELU, GELU,	the real function in FLOAT32, rounded
 *	LOGISTIC, TANH
 *	SQRT			the same, rounded towards zero
 *	RSQRT			in fixed point, the root by Newton's method; the result for 0 is the
 *				largest number
 *	HARD_SWISH		in fixed point of 16 bits
 *	ABS, RELU_0_TO_1	scaled by a fixed-point factor (rescale.h)
 *	NEG			of the stored number
 *	EQUAL, LESS, ...	both inputs are scaled to steps of 1/256, rounded, and compared
 *	DIV			a table of 65536 quotients, by a reciprocal in fixed point
 */
#include "frontend/tflite/rescale.h"

#include <math.h>
#include <stdlib.h>

#define NUMBERS 256u

/** struct numbers - the numbers of a quantised tensor of 8 bits */
struct numbers {
	int32_t low, high, zero;
	float scale;
};

static struct numbers numbers_of(const struct tflite_tensor *x)
{
	const bool is_signed = x->type == TFLITE_INT8;

	return (struct numbers){
		.low = is_signed ? INT8_MIN : 0,
		.high = is_signed ? INT8_MAX : UINT8_MAX,
		.zero = tflite_zero_point(x),
		.scale = tflite_scale(x),
	};
}

static int32_t clamp(int64_t x, int64_t low, int64_t high)
{
	return (int32_t)(x < low ? low : x > high ? high : x);
}

/* ------------------------------------------------------------------------------- real functions */

static float gelu(float x)
{
	return 0.5f * x * erfcf(x * -(float)M_SQRT1_2);
}

static float gelu_by_tanh(float x)
{
	const float factor = (float)(M_2_SQRTPI * M_SQRT1_2);

	return 0.5f * x * (1 + tanhf(factor * (x + 0.044715f * x * x * x)));
}

/* A function of real numbers; the LOG of x <= 0 is the lowest number of the output. */
static float real_function(const struct tflite_operator *op, float x, const struct numbers *out)
{
	switch (op->code) {
	case TFLITE_EXP:
		return expf(x);
	case TFLITE_LOG:
		return x > 0 ? logf(x) : (float)(out->low - out->zero) * out->scale;
	case TFLITE_ELU:
		return x < 0 ? expf(x) - 1 : x;
	case TFLITE_LOGISTIC:
		return 1 / (1 + expf(-x));
	case TFLITE_TANH:
		return tanhf(x);
	default:
		return op->options.approximate ? gelu_by_tanh(x) : gelu(x);
	}
}

static int32_t by_reals(const struct tflite_operator *op, int32_t x, const struct numbers *in,
			const struct numbers *out)
{
	const float value = real_function(op, in->scale * (float)x, out) * (1 / out->scale);
	const float rounded = roundf(value) + (float)out->zero;

	return rounded < (float)out->low ? out->low :
	       rounded > (float)out->high ? out->high : (int32_t)rounded;
}

static int32_t root_of(int32_t x, const struct numbers *in, const struct numbers *out)
{
	const float root = x > 0 ? sqrtf(in->scale * (float)x) / out->scale : 0;

	return root < 512 ? (int32_t)root : 512;
}

/* ---------------------------------------------------------------------------------- fixed point */

/* A product of numbers with 31 bits of fraction. */
static int32_t times(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

static int32_t raised(int64_t a, uint32_t bits)
{
	return clamp(a * (1ll << bits), INT32_MIN, INT32_MAX);
}

/* 1 / sqrt(x) of a number from 1 to 2^29; intermediate numbers have 3 integer bits. */
static struct tflite_factor inverse_root(int32_t x)
{
	const int32_t one = 1 << 28, half_root_2 = 1518500250;
	int32_t y = one, shift = 11, half;

	if (x == 1)
		return (struct tflite_factor){ INT32_MAX, 0 };
	for (; x < 1 << 27; x *= 4)
		shift--;
	half = ((x >> 1) + 1) >> 1;
	for (int i = 0; i < 5; i++) {
		const int32_t cube = raised(times(times(y, y), y), 6);

		y = raised((int64_t)times(one + one / 2, y) - times(half, cube), 3);
	}
	y = times(y, half_root_2);
	return shift < 0 ? (struct tflite_factor){ raised(y, (uint32_t)-shift), 0 } :
			   (struct tflite_factor){ y, -shift };
}

static int32_t inverse_root_of(int32_t x, const struct numbers *in, const struct numbers *out)
{
	const uint32_t bits = 20;
	struct tflite_factor root, scale;

	if (x <= 0)
		return out->high - out->zero;
	root = inverse_root(x);
	root.shift += (int32_t)bits;
	scale = tflite_factor_of(1 / (double)(sqrtf(in->scale) * out->scale));
	scale.shift -= (int32_t)bits;
	return tflite_scaled(tflite_scaled(1, root), scale);
}

/* A product of 16-bit numbers with 15 bits of fraction, rounded to the nearest, halves up. */
static int32_t times16(int32_t a, int32_t b)
{
	return clamp(((int64_t)a * b + (1 << 14)) >> 15, INT16_MIN, INT16_MAX);
}

/* The upper 15 bits of a multiplier. */
static int32_t upper_half(int32_t multiplier)
{
	return multiplier >= INT32_MAX - (1 << 15) ? INT16_MAX : (multiplier + (1 << 15)) >> 16;
}

/*
 * x * relu6(x + 3) / 6. relu6(x + 3) / 6 is part / 2 + 1/2, where part is x / 3 clamped to [-1, 1],
 * a number of 16 bits.
 */
static int32_t hard_swish_of(int32_t x, const struct numbers *in, const struct numbers *out)
{
	const float fine = in->scale / 128;
	const struct tflite_factor to_out = tflite_factor_of((double)(fine / out->scale));
	const struct tflite_factor to_part = tflite_factor_of((double)(fine / (3.0f / 32768)));
	const int32_t wide = x * 128, product = times16(wide, upper_half(to_out.multiplier));
	int32_t part = wide;

	if (to_part.shift > 0)
		part = clamp((int64_t)part << (to_part.shift - 1 < 31 ? to_part.shift - 1 : 31),
			     INT16_MIN, INT16_MAX);
	part = times16(part, upper_half(to_part.multiplier));
	if (to_part.shift > 0)
		part = clamp(2 * part, INT16_MIN, INT16_MAX);
	else
		part = tflite_halved(part, -to_part.shift < 31 ? -to_part.shift : 31);
	part = (part + (1 << 15)) >> 1;
	return tflite_halved(part * product / (1 << 15),
			     to_out.shift < 0 ? -to_out.shift < 31 ? -to_out.shift : 31 : 0);
}

static int32_t scaled(int32_t x, const struct numbers *in, const struct numbers *out)
{
	if (in->scale == out->scale)
		return x;
	return tflite_scaled(x, tflite_factor_of((double)(in->scale / out->scale)));
}

static int32_t relu_0_to_1_of(int32_t x, const struct numbers *in, const struct numbers *out)
{
	const int32_t one = clamp((int64_t)roundf(fminf(1 / out->scale, 512)), 0, 512);

	return clamp(tflite_scaled(x, tflite_factor_of((double)(in->scale / out->scale))), 0, one);
}

/* The result for the number @q. */
static int32_t result_of(const struct tflite_operator *op, int32_t q, const struct numbers *in,
			 const struct numbers *out)
{
	const int32_t x = q - in->zero;
	int32_t y;

	switch (op->code) {
	case TFLITE_SQRT:
		y = root_of(x, in, out);
		break;
	case TFLITE_RSQRT:
		y = inverse_root_of(x, in, out);
		break;
	case TFLITE_HARD_SWISH:
		y = hard_swish_of(x, in, out);
		break;
	case TFLITE_ABS:
		y = scaled(abs(x), in, out);
		break;
	case TFLITE_RELU_0_TO_1:
		y = relu_0_to_1_of(x, in, out);
		break;
	case TFLITE_NEG:
		return (int8_t)(uint8_t)-q;
	default:
		return by_reals(op, x, in, out);
	}
	return clamp((int64_t)y + out->zero, out->low, out->high);
}

/* ------------------------------------------------------------------------------------ operators */

/* Whether @x is an 8-bit tensor with one scale. */
static bool is_byte(const struct tflite_tensor *x)
{
	return tflite_is_quant8(x->type) && x->scale_count == 1 && tflite_scale(x) > 0;
}

static bool is_comparison(uint32_t code)
{
	switch (code) {
	case TFLITE_EQUAL:
	case TFLITE_NOT_EQUAL:
	case TFLITE_LESS:
	case TFLITE_LESS_EQUAL:
	case TFLITE_GREATER:
	case TFLITE_GREATER_EQUAL:
		return true;
	default:
		return false;
	}
}

bool tflite_has_lookup(const struct tflite_translation *t)
{
	const uint32_t code = t->op->code, inputs = t->op->inputs.count;
	const struct tflite_tensor *x, *y;

	/* NNAPI's GATHER takes no 8-bit indices. */
	if (!t->ops->requantizes || !inputs || t->op->outputs.count != 1)
		return false;
	for (uint32_t i = 0; i < inputs; i++)
		if (t->op->inputs.at[i] < 0)
			return false;
	x = &t->sub->tensors[t->op->inputs.at[0]];
	y = &t->sub->tensors[t->op->outputs.at[0]];
	if (!is_byte(x))
		return false;
	switch (code) {
	case TFLITE_EXP:
	case TFLITE_LOG:
	case TFLITE_ELU:
	case TFLITE_GELU:
	case TFLITE_LOGISTIC:
	case TFLITE_TANH:
	case TFLITE_SQRT:
	case TFLITE_RSQRT:
	case TFLITE_HARD_SWISH:
	case TFLITE_ABS:
	case TFLITE_RELU_0_TO_1:
		return inputs == 1 && is_byte(y) && x->type == y->type;
	case TFLITE_NEG:
		return inputs == 1 && x->type == TFLITE_INT8 && y->type == TFLITE_INT8;
	case TFLITE_DIV:
		return inputs == 2 && is_byte(y) && x->type == TFLITE_UINT8 &&
		       y->type == TFLITE_UINT8 && is_byte(&t->sub->tensors[t->op->inputs.at[1]]) &&
		       t->sub->tensors[t->op->inputs.at[1]].type == TFLITE_UINT8;
	default:
		return is_comparison(code) && inputs == 2 && y->type == TFLITE_BOOL &&
		       is_byte(&t->sub->tensors[t->op->inputs.at[1]]);
	}
}

/*
 * Looks up @index in a table of @count elements of type @o. @index is INT32, or 8-bit, which counts
 * from the least number of its type.
 */
static struct tflite_value entries(struct tflite_translation *t,
				   const struct tflite_operand_desc *o, const void *values,
				   uint32_t count, struct tflite_value index)
{
	struct tflite_value table = { .o = *o };

	table.o.desc.rank = 1;
	table.o.dims[0] = count;
	table.operand = tflite_add_constant(t, &table.o, values,
					    (size_t)count * nna_operand_type_size(o->desc.type));
	return tflite_gathered(t, table, 0, index);
}

static void look_up(struct tflite_translation *t)
{
	const struct numbers in = numbers_of(tflite_input(t, 0)),
			     out = numbers_of(tflite_output(t, 0));
	struct tflite_operand_desc o;
	uint8_t table[NUMBERS];

	for (uint32_t i = 0; i < NUMBERS; i++)
		table[i] = (uint8_t)result_of(t->op, in.low + (int32_t)i, &in, &out);
	tflite_describe(t, tflite_output(t, 0), &o);
	tflite_result(t, entries(t, &o, table, NUMBERS, tflite_value(t, 0)), 0);
}

/* Input @index in steps of 1/256. */
static struct tflite_value in_steps(struct tflite_translation *t, uint32_t index)
{
	const struct numbers in = numbers_of(tflite_input(t, index));
	const struct tflite_factor factor = tflite_factor_of((double)in.scale);
	struct tflite_operand_desc o = { .desc.type = NNA_OPERAND_TENSOR_INT32 };
	int32_t table[NUMBERS];

	for (uint32_t i = 0; i < NUMBERS; i++)
		table[i] = tflite_scaled((in.low + (int32_t)i - in.zero) * 256, factor);
	return entries(t, &o, table, NUMBERS, tflite_value(t, index));
}

/*
 * The quotient of two UINT8. TFLite shifts the dividend to the left until it fills 31 bits,
 * multiplies it by the 31-bit reciprocal of the divisor, and scales the product. A division by zero
 * gives 0 here; TFLite leaves it undefined.
 */
static int32_t quotient(int32_t a, int32_t b, struct tflite_factor factor)
{
	const int32_t one = 1 << 29;
	struct tflite_factor scale = factor;
	int32_t size = abs(b), bits = 0, ahead = 0, half, x;
	int64_t dividend = b < 0 ? -(int64_t)a : a;

	if (!b || !a)
		return 0;
	/* Newton's method: x = 48/17 - 32/17 * half, half = (the divisor scaled to [1, 2)) / 2. */
	while (size >> bits)
		bits++;
	half = (int32_t)(((uint32_t)size << (32 - bits)) - (1u << 31));
	half = (int32_t)(((int64_t)half + INT32_MAX + 1) / 2);
	x = (int32_t)(1515870810 + times(half, -1010580540));
	for (int i = 0; i < 3; i++) {
		const int32_t rest = one - times(half, x);

		x += raised(times(x, rest), 2);
	}
	x = raised(x, 1);
	while (dividend < 1 << 30 && dividend >= -(1 << 30)) {
		dividend *= 2;
		ahead++;
	}
	scale.shift -= (bits - 1) + ahead;
	if (scale.shift < -31)
		return 0;
	return tflite_scaled(times((int32_t)dividend, x), scale);
}

static void divide(struct tflite_translation *t)
{
	const struct numbers a = numbers_of(tflite_input(t, 0)), b = numbers_of(tflite_input(t, 1)),
			     out = numbers_of(tflite_output(t, 0));
	const struct tflite_factor factor =
		tflite_factor_of((double)(a.scale / (b.scale * out.scale)));
	const int8_t act = t->op->options.activation;
	struct tflite_value index, divisor;
	struct tflite_operand_desc o;
	int32_t low = 0, high = UINT8_MAX;
	uint8_t *table = t->ret ? NULL : malloc((size_t)NUMBERS * NUMBERS);

	if (!table) {
		tflite_no_memory(t);
		return;
	}
	if (act == TFLITE_ACT_RELU || act == TFLITE_ACT_RELU6)
		low = out.zero;
	else if (act == TFLITE_ACT_RELU_N1_TO_1)
		low = clamp(out.zero + (int64_t)roundf(fmaxf(-1 / out.scale, -512)), 0, 255);
	if (act == TFLITE_ACT_RELU6 || act == TFLITE_ACT_RELU_N1_TO_1)
		high = clamp(out.zero + (int64_t)roundf(fminf((act == TFLITE_ACT_RELU6 ? 6 : 1) /
							      out.scale, 512)), 0, 255);
	for (int32_t i = 0; i < (int32_t)(NUMBERS * NUMBERS); i++)
		table[i] = (uint8_t)clamp((int64_t)quotient(i / 256 - a.zero, i % 256 - b.zero,
							    factor) + out.zero, low, high);
	tflite_describe(t, tflite_output(t, 0), &o);
	index = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	divisor = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_INT32);
	index = tflite_binary(t, NNA_OPERATION_MUL, index, tflite_int(t, 256));
	index = tflite_binary(t, NNA_OPERATION_ADD, index, divisor);
	tflite_result(t, entries(t, &o, table, NUMBERS * NUMBERS, index), 0);
	free(table);
}

void tflite_translate_lookup(struct tflite_translation *t, uint32_t type)
{
	if (t->op->code == TFLITE_DIV)
		divide(t);
	else if (is_comparison(t->op->code))
		tflite_result(t, tflite_binary(t, type, in_steps(t, 0), in_steps(t, 1)), 0);
	else
		look_up(t);
}

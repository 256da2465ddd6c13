// SPDX-License-Identifier: MIT
/*
 * Functions of one INT16, bit-exact with TFLite: the translation computes all 65536 results in the
 * integers of TFLite's kernels, and a GATHER looks them up.
 *
 *	LOGISTIC, TANH		TFLite interpolates a table of 256 points of the sigmoid of positive
 *				numbers:
 *
 *	z = (q * multiplier + rounding) >> shift	the input in steps of 1 / (3 * 4096)
 *	s = 1 / (1 + e^(-i / 24))
 *	sigmoid[i] = round(2^16 * (s - s'' / (16 * 24^2)))	the point; TANH is 2 * sigmoid - 1
 *
 *	The middle of a straight line between two points of the function is off by
 *	s'' / (8 * 24^2); the table splits that error between the points and the middle.
 *
 *	EXP, LOG, RSQRT, GELU	TFLite interpolates between the ends of 512 equal parts of the range
 *				of the input (points.h); inputs outside the domain of RSQRT and LOG
 *				have the results that TFLite puts into its table
 *	SQRT			by FLOAT32, rounded towards zero
 *	RELU, RELU6,		scaled by a fixed-point factor (rescale.h)
 *	LEAKY_RELU, ABS,
 *	QUANTIZE
 *	NEG			of the stored number
 *
 * QUANTIZE of INT8 and UINT8 to INT16 is a table of 256.
 */
#include "frontend/tflite/points.h"
#include "frontend/tflite/rescale.h"

#include <math.h>
#include <stdlib.h>

/**
 * struct scaling - how TFLite scales an input to the steps of its table
 */
struct scaling {
	int32_t multiplier;
	uint32_t shift;
};

/**
 * struct function - a function and its parameters
 * @code: enum tflite_code
 * @low, @high: least and greatest number of the output
 * @in_zero, @out_zero: zero points
 * @in_scale, @out_scale: of one step
 * @factor: factor of an input; LEAKY_RELU: of one that is not negative
 * @below: LEAKY_RELU: factor of a negative input
 * @rescaled: ABS applies @factor
 * @sigmoid: LOGISTIC, TANH: the scaling of an input
 * @points: the points of an interpolated function
 */
struct function {
	uint32_t code;
	int64_t low, high;
	int32_t in_zero, out_zero;
	float in_scale, out_scale;
	struct tflite_factor factor, below;
	bool rescaled;
	struct scaling sigmoid;
	int16_t points[TFLITE_POINTS];
};

/* Input scales of 2^-12 and 2^-11, exact or nearly so, need no rounding. */
static struct scaling find_scaling(double scale)
{
	double exponent = log2(scale), whole = round(exponent), multiplier = scale * 4096 * 3;
	struct scaling s = { 0 };

	if (fabs(exponent - whole) < 1e-3 && (whole == -12 || whole == -11))
		return (struct scaling){ .multiplier = whole == -12 ? 3 : 6 };
	while (multiplier <= 32767.0 / 2 && s.shift <= 30) {
		s.shift++;
		multiplier *= 2;
	}
	s.multiplier = multiplier < INT32_MAX / 32768 ? (int32_t)multiplier : INT32_MAX / 32768;
	return s;
}

static uint32_t sigmoid_at(uint32_t i)
{
	double s = 1 / (1 + exp(-(double)i / 24)), second = s * (1 - s) * (1 - 2 * s);
	double value = round(65536 * (s - second / (16 * 24 * 24)));

	/* Beyond the last point the sigmoid is 1. */
	return i < 255 && value < 65535 ? (uint32_t)value : 65535;
}

/* 2^bits times the table's value between two of its entries; @at has @bits of fraction. */
static int64_t interpolate(uint32_t at, uint32_t bits)
{
	uint32_t index = at >> bits, rest = at & ((1u << bits) - 1);
	int64_t low = sigmoid_at(index), high = sigmoid_at(index + 1);

	return (low << bits) + rest * (high - low);
}

static int16_t sigmoid_of(int32_t z)
{
	uint32_t size = (uint32_t)abs(z);
	int64_t y = size >> 9 >= 255 ? 0x7fff << 10 : interpolate(size, 9);

	y = z >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1;
	return (int16_t)(y >> 10);
}

static int16_t tanh_of(int32_t z)
{
	uint32_t size = (uint32_t)abs(z);
	int64_t y = size >> 8 >= 255 ? 0xffff << 8 : interpolate(size, 8);

	y = z >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1;
	return (int16_t)(y >> 8);
}

static float exp_at(float x, float out_scale)
{
	return expf(x);
}

/* The result for x <= 0 is the lowest number of the output. */
static float log_at(float x, float out_scale)
{
	return x > 0 ? logf(x) : out_scale * INT16_MIN;
}

static float rsqrt_at(float x, float out_scale)
{
	return x > 0 ? 1 / sqrtf(x) : out_scale * INT16_MAX;
}

static float gelu_at(float x, float out_scale)
{
	return 0.5f * x * erfcf(x * -(float)M_SQRT1_2);
}

static float gelu_by_tanh_at(float x, float out_scale)
{
	const float factor = (float)(M_2_SQRTPI * M_SQRT1_2);

	return 0.5f * x * (1 + tanhf(factor * (x + 0.044715f * x * x * x)));
}

static float (*interpolated(const struct tflite_operator *op))(float x, float out_scale)
{
	switch (op->code) {
	case TFLITE_EXP:
		return exp_at;
	case TFLITE_LOG:
		return log_at;
	case TFLITE_RSQRT:
		return rsqrt_at;
	case TFLITE_GELU:
		return op->options.approximate ? gelu_by_tanh_at : gelu_at;
	default:
		return NULL;
	}
}

/* Bounds of the output within the range of its type. */
static void find_bounds(struct function *f, uint32_t type)
{
	f->low = type == TFLITE_INT8 ? INT8_MIN : type == TFLITE_INT32 ? INT32_MIN : INT16_MIN;
	f->high = type == TFLITE_INT8 ? INT8_MAX : type == TFLITE_INT32 ? INT32_MAX : INT16_MAX;
	if (f->code == TFLITE_RELU || f->code == TFLITE_RELU6)
		f->low = 0;
	if (f->code == TFLITE_RELU6 && roundf(6 / f->out_scale) < INT16_MAX)
		f->high = (int64_t)roundf(6 / f->out_scale);
}

static void find_function(struct tflite_translation *t, struct function *f)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);

	*f = (struct function){
		.code = t->op->code,
		.in_zero = tflite_zero_point(x),
		.out_zero = tflite_zero_point(y),
		.in_scale = tflite_scale(x),
		.out_scale = tflite_scale(y),
		.sigmoid = find_scaling((double)tflite_scale(x)),
	};
	f->rescaled = f->in_scale != f->out_scale;
	/* TFLite's QUANTIZE divides in FLOAT64, the others in FLOAT32. */
	f->factor = tflite_factor_of(f->code == TFLITE_QUANTIZE ?
					     (double)f->in_scale / (double)f->out_scale :
					     (double)(f->in_scale / f->out_scale));
	f->below = tflite_factor_of((double)(f->in_scale * t->op->options.alpha / f->out_scale));
	find_bounds(f, y->type);
	if (interpolated(t->op))
		tflite_points_make(&(struct tflite_points_range){ (double)f->in_scale,
								  (double)f->out_scale, 0 },
				   interpolated(t->op), f->points);
}

static int64_t sqrt_of(const struct function *f, int32_t x)
{
	float root = x > 0 ? sqrtf(f->in_scale * (float)x) / f->out_scale : 0;

	return root < INT16_MAX ? (int64_t)root : INT16_MAX;
}

static int64_t result_of(const struct function *f, int32_t q)
{
	int32_t z = (int32_t)((q * (int64_t)f->sigmoid.multiplier +
			       (f->sigmoid.shift ? 1ll << (f->sigmoid.shift - 1) : 0)) >>
			      f->sigmoid.shift);
	int32_t x = q - f->in_zero;

	switch (f->code) {
	case TFLITE_TANH:
		return tanh_of(z);
	case TFLITE_LOGISTIC:
		return sigmoid_of(z);
	case TFLITE_NEG:
		return (int16_t)(uint16_t)-q;
	case TFLITE_ABS:
		return f->rescaled ? tflite_scaled(abs(x), f->factor) : abs(x);
	case TFLITE_SQRT:
		return sqrt_of(f, x);
	case TFLITE_RELU:
	case TFLITE_RELU6:
		return tflite_scaled(x, f->factor);
	case TFLITE_LEAKY_RELU:
		return tflite_scaled(x, x < 0 ? f->below : f->factor);
	case TFLITE_QUANTIZE:
		return (int64_t)tflite_scaled(x, f->factor) + f->out_zero;
	default:
		return tflite_points_look_up(f->points, (int16_t)q);
	}
}

/* The least number and the number of values of an input type; false if it has no table. */
static bool numbers_of(uint32_t type, int32_t *least, uint32_t *count)
{
	*least = type == TFLITE_INT16 ? INT16_MIN : type == TFLITE_INT8 ? INT8_MIN : 0;
	*count = type == TFLITE_INT16 ? UINT16_MAX + 1 : UINT8_MAX + 1;
	return type == TFLITE_INT16 || type == TFLITE_INT8 || type == TFLITE_UINT8;
}

/* The results for all numbers of the input, in the type of the output; *size gets the bytes. */
static void *make_table(struct tflite_translation *t, size_t *size)
{
	const uint32_t type = tflite_output(t, 0)->type;
	uint32_t count, bytes = type == TFLITE_INT8 ? 1 : type == TFLITE_INT32 ? 4 : 2;
	struct function f;
	int32_t least;
	void *table;

	numbers_of(tflite_input(t, 0)->type, &least, &count);
	*size = (size_t)count * bytes;
	table = tflite_derive(t->model, *size);
	if (!table)
		return NULL;
	find_function(t, &f);
	for (uint32_t i = 0; i < count; i++) {
		int64_t y = result_of(&f, least + (int32_t)i);

		y = y < f.low ? f.low : y > f.high ? f.high : y;
		if (bytes == 1)
			((int8_t *)table)[i] = (int8_t)y;
		else if (bytes == 2)
			((int16_t *)table)[i] = (int16_t)y;
		else
			((int32_t *)table)[i] = (int32_t)y;
	}
	return table;
}

bool tflite_has_table(const struct tflite_translation *t)
{
	const struct tflite_tensor *x, *y;

	if (t->op->inputs.count != 1 || t->op->inputs.at[0] < 0 || t->op->outputs.count != 1)
		return false;
	x = &t->sub->tensors[t->op->inputs.at[0]];
	y = &t->sub->tensors[t->op->outputs.at[0]];
	switch (t->op->code) {
	case TFLITE_LOGISTIC:
	case TFLITE_TANH:
		/* TFLite's kernel has no output with another scale. */
		return tflite_is_symmetric16(x) && tflite_is_symmetric16(y) &&
		       tflite_scale(y) == 0x1p-15f;
	case TFLITE_EXP:
	case TFLITE_LOG:
	case TFLITE_SQRT:
	case TFLITE_RSQRT:
	case TFLITE_GELU:
	case TFLITE_RELU:
	case TFLITE_RELU6:
	case TFLITE_LEAKY_RELU:
	case TFLITE_ABS:
	case TFLITE_NEG:
		return tflite_is_symmetric16(x) && tflite_is_symmetric16(y);
	case TFLITE_QUANTIZE:
		if (tflite_is_symmetric16(x))
			return tflite_is_symmetric16(y) || ((y->type == TFLITE_INT8 ||
						    y->type == TFLITE_INT32) &&
						   y->scale_count == 1 && tflite_scale(y) > 0);
		return (x->type == TFLITE_INT8 || x->type == TFLITE_UINT8) &&
		       x->scale_count == 1 && tflite_scale(x) > 0 && tflite_is_symmetric16(y);
	default:
		return false;
	}
}

struct tflite_value tflite_looked_up(struct tflite_translation *t, struct tflite_value x,
				     const struct nna_operand_desc *desc, int32_t least,
				     uint32_t count, const void *values, size_t size)
{
	struct tflite_value table = { .o.desc = *desc };

	table.o.desc.rank = 1;
	table.o.dims[0] = count;
	table.operand = tflite_add_operand(t, &table.o);
	tflite_set_constant(t, table.operand, values, size);
	x = tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32);
	if (least)
		x = tflite_binary(t, NNA_OPERATION_ADD, x, tflite_int(t, -least));
	return tflite_gathered(t, table, 0, x);
}

void tflite_translate_table(struct tflite_translation *t)
{
	struct tflite_operand_desc o;
	uint32_t count;
	int32_t least;
	void *values;
	size_t size;

	numbers_of(tflite_input(t, 0)->type, &least, &count);
	values = make_table(t, &size);
	if (!values) {
		tflite_no_memory(t);
		return;
	}
	tflite_describe(t, tflite_output(t, 0), &o);
	tflite_result(t, tflite_looked_up(t, tflite_value(t, 0), &o.desc, least, count, values,
					  size), 0);
}

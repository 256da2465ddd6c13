// SPDX-License-Identifier: MIT
/*
 * LOGISTIC and TANH of INT16, to the bit: TFLite interpolates between 256 values of the function of
 * positive numbers, in whole numbers. Here all 65536 results are made beforehand, for a GATHER.
 *
 *	z = (q * multiplier + rounding) >> shift	the input in steps of 1 / (3 * 4096)
 *	s = 1 / (1 + e^(-i / 24))
 *	sigmoid[i] = round(2^16 * (s - s'' / (16 * 24^2)))	what is interpolated; TANH is 2 * it - 1
 *
 * A straight line between two points of the function is off by s'' / (8 * 24^2) in its middle; the
 * table splits that between its points and the middle.
 */
#include "frontend/tflite/compose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define TABLE_SIZE 65536u

/**
 * struct scaling - how TFLite brings an input to the steps of its table
 */
struct scaling {
	int32_t multiplier;
	uint32_t shift;
};

/* Scales that are a power of two, or nearly so, need no rounding. */
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

	/* What lies beyond the last point is 1. */
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

/* The results for -32768 to 32767. */
static int16_t *make_table(struct tflite_translation *t, double scale)
{
	int16_t *table = tflite_derive(t->model, TABLE_SIZE * sizeof(*table));
	struct scaling s = find_scaling(scale);
	int32_t rounding = s.shift ? 1 << (s.shift - 1) : 0;

	for (uint32_t i = 0; table && i < TABLE_SIZE; i++) {
		int32_t z = (((int32_t)i - 32768) * s.multiplier + rounding) >> s.shift;

		table[i] = t->op->code == TFLITE_TANH ? tanh_of(z) : sigmoid_of(z);
	}
	return table;
}

bool tflite_has_table(const struct tflite_translation *t)
{
	const struct tflite_tensor *x, *y;

	if ((t->op->code != TFLITE_LOGISTIC && t->op->code != TFLITE_TANH) ||
	    t->op->inputs.count != 1 || t->op->inputs.at[0] < 0 || t->op->outputs.count != 1)
		return false;
	x = &t->sub->tensors[t->op->inputs.at[0]];
	y = &t->sub->tensors[t->op->outputs.at[0]];
	/* TFLite has no other output, and wants no zero points. */
	return x->type == TFLITE_INT16 && y->type == TFLITE_INT16 && x->scale_count &&
	       tflite_scale(x) > 0 && !tflite_zero_point(x) && !tflite_zero_point(y) &&
	       tflite_scale(y) == 0x1p-15f;
}

void tflite_translate_sigmoid(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	struct tflite_value table, index;
	int16_t *values;

	tflite_need(t, 1, 1);
	if (t->ret)
		return;
	if (!tflite_has_table(t)) {
		tflite_plain(t, type, 1);
		return;
	}
	values = make_table(t, (double)tflite_scale(x));
	if (!values) {
		tflite_fail(t, -ENOMEM, "out of memory");
		return;
	}
	tflite_describe(t, y, &table.o);
	table.o.desc.rank = 1;
	table.o.dims[0] = TABLE_SIZE;
	table.operand = tflite_add_operand(t, &table.o);
	tflite_set_constant(t, table.operand, values, TABLE_SIZE * sizeof(*values));
	index = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	index = tflite_binary(t, NNA_OPERATION_ADD, index, tflite_int(t, 32768));
	tflite_result(t, tflite_gathered(t, table, 0, index), 0);
}

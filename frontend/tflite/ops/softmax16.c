// SPDX-License-Identifier: MIT
/*
 * SOFTMAX of INT16 along the last axis, bit-exact with TFLite:
 *
 *	e		e^(x - max), in 1 / 32768: from 513 points (points.h) of e^x for -10 to 0
 *	k		floor(log2(sum of e over a row))
 *	r		1 / sum, in 2^(15 - k) / 32768: from 513 points of 1 / (1 + x) for 0 to 1
 *	y		(e * r + 2^(k - 1)) >> k
 *
 * The difference x - max has 65536 values, and the sum rounded to 17 bits has about as many: so e
 * and r are looked up in tables of all results.
 */
#include <math.h>

#include "frontend/tflite/points.h"
#include "frontend/tflite/rescale.h"

#define DIFFERENCES 65536u
/* Sums of 17 bits, from 2^16 to 2^17. */
#define SUMS 65537u
#define SUM_BITS 30

bool tflite_is_softmax16(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;

	return t->op->code == TFLITE_SOFTMAX && in.count == 1 && in.at[0] >= 0 && out.count == 1 &&
	       tflite_is_symmetric16(&t->sub->tensors[in.at[0]]) &&
	       tflite_is_symmetric16(&t->sub->tensors[out.at[0]]) &&
	       t->sub->tensors[in.at[0]].rank >= 1;
}

static double exp_at(double x)
{
	return exp(x);
}

static double reciprocal_at(double x)
{
	return 1 / (1 + x);
}

static int16_t clamped(int64_t x)
{
	return x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : (int16_t)x;
}

static const struct nna_operand_desc INTEGERS = { .type = NNA_OPERAND_TENSOR_INT32 };

/* A table of INT32 that lives as long as the model; NULL after an error. */
static int32_t *new_table(struct tflite_translation *t, uint32_t count)
{
	int32_t *table = t->ret ? NULL : tflite_derive(t->model, count * sizeof(*table));

	if (!table)
		tflite_no_memory(t);
	return table;
}

/* e of @x minus the largest number of its row. */
static struct tflite_value exponentials(struct tflite_translation *t, struct tflite_value x)
{
	const struct tflite_points_range range = { 10.0 / UINT16_MAX, 2.0 / UINT16_MAX, INT16_MAX };
	const double scale = (double)(tflite_scale(tflite_input(t, 0)) * t->op->options.beta);
	const struct tflite_factor factor = tflite_factor_of(scale / (10.0 / UINT16_MAX));
	int32_t *table = new_table(t, DIFFERENCES);
	int16_t points[TFLITE_POINTS];

	if (!table)
		return x;
	tflite_points_make_double(&range, exp_at, points);
	for (uint32_t i = 0; i < DIFFERENCES; i++) {
		int64_t at = tflite_scaled((int32_t)i - UINT16_MAX, factor);

		table[i] = tflite_points_look_up(points, clamped(at + INT16_MAX));
	}
	return tflite_looked_up(t, x, &INTEGERS, -UINT16_MAX, DIFFERENCES, table,
				DIFFERENCES * sizeof(*table));
}

/* r of @sum, from 2^16 to 2^17. */
static struct tflite_value reciprocals(struct tflite_translation *t, struct tflite_value sum)
{
	const struct tflite_points_range range = { 1.0 / UINT16_MAX, 2.0 / UINT16_MAX, INT16_MIN };
	int32_t *table = new_table(t, SUMS);
	int16_t points[TFLITE_POINTS];

	if (!table)
		return sum;
	tflite_points_make_double(&range, reciprocal_at, points);
	for (uint32_t i = 0; i < SUMS; i++)
		table[i] = tflite_points_look_up(points, clamped((int64_t)i + INT16_MIN));
	return tflite_looked_up(t, sum, &INTEGERS, 1 << 16, SUMS, table, SUMS * sizeof(*table));
}

/* k: the number of powers of two from 2^1 to 2^30 that are at most @sum, a tensor [..., 1]. */
static struct tflite_value bits_of(struct tflite_translation *t, struct tflite_value sum,
				   uint32_t axis)
{
	int32_t powers[SUM_BITS];
	struct tflite_value x;

	for (uint32_t i = 0; i < SUM_BITS; i++)
		powers[i] = 2 << i;
	x = tflite_binary(t, NNA_OPERATION_GREATER_EQUAL, sum,
			  tflite_int_tensor(t, 1, (uint32_t[]){ SUM_BITS }, powers));
	x = tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32);
	return tflite_reduced(t, NNA_OPERATION_REDUCE_SUM, x, axis);
}

void tflite_translate_softmax16(struct tflite_translation *t)
{
	const uint32_t axis = tflite_input(t, 0)->rank - 1;
	struct tflite_value x, e, sum, k, r, half;

	x = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	x = tflite_binary(t, NNA_OPERATION_SUB, x,
			  tflite_reduced(t, NNA_OPERATION_REDUCE_MAX, x, axis));
	e = exponentials(t, x);
	sum = tflite_reduced(t, NNA_OPERATION_REDUCE_SUM, e, axis);
	k = bits_of(t, sum, axis);
	/* sum * 2^(30 - k), rounded to 17 bits */
	sum = tflite_cast(t, sum, NNA_OPERAND_TENSOR_INT64);
	sum = tflite_binary(t, NNA_OPERATION_MUL, sum, tflite_long(t, 1 << 30));
	sum = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, sum,
			    tflite_cast(t, k, NNA_OPERAND_TENSOR_INT64));
	sum = tflite_binary(t, NNA_OPERATION_ADD, sum, tflite_long(t, 1 << 13));
	sum = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, sum, tflite_long(t, 14));
	r = reciprocals(t, sum);
	half = tflite_binary(t, NNA_OPERATION_SUB, tflite_int(t, 31), k);
	half = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, tflite_int(t, 1 << 30), half);
	e = tflite_binary(t, NNA_OPERATION_MUL, e, r);
	e = tflite_binary(t, NNA_OPERATION_ADD, e, half);
	tflite_store(t, tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, e, k));
}

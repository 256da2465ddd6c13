// SPDX-License-Identifier: MIT
/*
 * Layers with INT16 activations and INT8 weights, to the bit: TFLite sums the products in 64 bits
 * and scales the sum, of convolutions by a multiplier of 15 bits, of FULLY_CONNECTED since LiteRT 2
 * by one of 31.
 *
 *	high, low	x = 256 * high + low, both from -128 to 128
 *	sums		layer(high), layer(low) in FLOAT32, which is exact up to 2^24
 *	sum		256 * high + low + bias in INT64
 *	y		floor((sum * multiplier + 2^(shift - 1)) / 2^shift), within the activation
 *
 * A FULLY_CONNECTED too long for 31 bits takes 15, which may be a step beside.
 */
#include "frontend/tflite/compose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Products of 128 * 127 whose sum FLOAT32 holds exactly, whatever they are. */
#define MAX_TERMS 1032u
/* Products of INT16 and INT8 whose sum times 31 bits stays in 64, with room for a bias. */
#define MAX_FULL_TERMS 900u

bool tflite_is_wide(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs;
	const struct tflite_tensor *x, *w, *y, *b;
	uint64_t terms;

	if (t->op->code != TFLITE_CONV_2D && t->op->code != TFLITE_DEPTHWISE_CONV_2D &&
	    t->op->code != TFLITE_FULLY_CONNECTED)
		return false;
	if (in.count < 2 || in.at[0] < 0 || in.at[1] < 0 || t->op->outputs.count != 1)
		return false;
	x = &t->sub->tensors[in.at[0]];
	w = &t->sub->tensors[in.at[1]];
	y = &t->sub->tensors[t->op->outputs.at[0]];
	b = in.count > 2 && in.at[2] >= 0 ? &t->sub->tensors[in.at[2]] : NULL;
	if (x->type != TFLITE_INT16 || w->type != TFLITE_INT8 || y->type != TFLITE_INT16 ||
	    !w->data || !w->scale_count || !w->elements || (b && b->type != TFLITE_INT64) ||
	    (b && !b->data) || t->op->options.activation > TFLITE_ACT_RELU6)
		return false;
	if (t->op->code == TFLITE_FULLY_CONNECTED)
		terms = w->rank == 2 ? w->dims[1] : UINT64_MAX;
	else if (w->rank != 4 || x->rank != 4)
		return false;
	else if (t->op->code == TFLITE_DEPTHWISE_CONV_2D)
		terms = (uint64_t)w->dims[1] * w->dims[2];
	else
		terms = w->elements / w->dims[0];
	/* Larger sums are exact but for the rarest data: then by real numbers, where not. */
	return terms <= 4 * MAX_TERMS &&
	       (t->op->code != TFLITE_CONV_2D || w->dims[3] == x->dims[3]);
}

struct tflite_value tflite_wide_input(struct tflite_translation *t, bool high)
{
	struct tflite_value x = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32), upper;

	upper = tflite_binary(t, NNA_OPERATION_ADD, x, tflite_int(t, 128));
	upper = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, upper, tflite_int(t, 8));
	if (!high) {
		upper = tflite_binary(t, NNA_OPERATION_MUL, upper, tflite_int(t, 256));
		upper = tflite_binary(t, NNA_OPERATION_SUB, x, upper);
	}
	return tflite_cast(t, upper, NNA_OPERAND_TENSOR_FLOAT32);
}

/* A real factor as 31 bits, or as 15 of them, and a shift to the right. */
static void multiplier_of(double factor, bool full, int64_t *multiplier, int *shift)
{
	int exponent;
	int64_t q = llround(frexp(factor, &exponent) * 0x1p31);

	if (q == (int64_t)1 << 31) {
		q /= 2;
		exponent++;
	}
	if (!(factor > 0) || exponent < -31) {
		q = 0;
		exponent = 0;
	}
	if (full) {
		*multiplier = q;
		*shift = exponent > 7 ? 24 : 31 - exponent;
		return;
	}
	*multiplier = q < 0x7fff0000 ? (q + (1 << 15)) >> 16 : 0x7fff;
	*shift = exponent > 7 ? 8 : 15 - exponent;
}

static struct tflite_value long_value(struct tflite_translation *t, int64_t value)
{
	return tflite_long_tensor(t, 1, (uint32_t[]){ 1 }, &value);
}

/* The numbers that stand for the bounds of the activation. */
static struct tflite_value activated(struct tflite_translation *t, struct tflite_value sum)
{
	int8_t act = t->op->options.activation;
	double scale = (double)tflite_scale(tflite_output(t, 0));

	if (act == TFLITE_ACT_RELU_N1_TO_1)
		sum = tflite_binary(t, NNA_OPERATION_MAXIMUM, sum,
				    long_value(t, llround(-1 / scale)));
	else if (act != TFLITE_ACT_NONE)
		sum = tflite_binary(t, NNA_OPERATION_MAXIMUM, sum, long_value(t, 0));
	if (act == TFLITE_ACT_RELU_N1_TO_1 || act == TFLITE_ACT_RELU6)
		sum = tflite_binary(t, NNA_OPERATION_MINIMUM, sum,
				    long_value(t, llround((act == TFLITE_ACT_RELU6 ? 6 : 1) /
							  scale)));
	return sum;
}

void tflite_finish_wide(struct tflite_translation *t, struct tflite_value high,
			struct tflite_value low, uint32_t units)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1),
				   *y = tflite_output(t, 0);
	struct tflite_operand_desc o;
	struct tflite_value sum;
	int64_t *lists;
	uint32_t i;
	bool full = t->op->code == TFLITE_FULLY_CONNECTED && w->dims[1] <= MAX_FULL_TERMS;

	if (w->scale_count > 1 && w->scale_count != units)
		tflite_fail(t, -ENOTSUP, "%u scales of %u channels", w->scale_count, units);
	lists = t->ret ? NULL : calloc((size_t)units * 3, sizeof(*lists));
	if (!lists) {
		tflite_fail(t, -ENOMEM, "out of memory");
		return;
	}
	for (i = 0; i < units; i++) {
		float ws = w->scales[w->scale_count > 1 ? i : 0];
		double factor = (double)tflite_scale(x) * (double)ws;
		int shift;

		/* Of one scale a FULLY_CONNECTED rounds the product of both to a float. */
		if (t->op->code == TFLITE_FULLY_CONNECTED && w->scale_count == 1)
			factor = (double)(tflite_scale(x) * ws);
		multiplier_of(factor / (double)tflite_scale(y), full, &lists[i], &shift);
		lists[units + i] = (int64_t)1 << (shift - 1);
		lists[2 * units + i] = shift;
	}
	high = tflite_cast(t, high, NNA_OPERAND_TENSOR_INT64);
	low = tflite_cast(t, low, NNA_OPERAND_TENSOR_INT64);
	sum = tflite_binary(t, NNA_OPERATION_MUL, high, long_value(t, 256));
	sum = tflite_binary(t, NNA_OPERATION_ADD, sum, low);
	if (tflite_has_input(t, 2))
		sum = tflite_binary(t, NNA_OPERATION_ADD, sum, tflite_value(t, 2));
	sum = tflite_binary(t, NNA_OPERATION_MUL, sum, tflite_long_tensor(t, 1, &units, lists));
	sum = tflite_binary(t, NNA_OPERATION_ADD, sum,
			    tflite_long_tensor(t, 1, &units, lists + units));
	sum = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, sum,
			    tflite_long_tensor(t, 1, &units, lists + 2 * (size_t)units));
	free(lists);
	sum = activated(t, sum);
	tflite_describe(t, y, &o);
	sum = tflite_reshaped(t, sum, o.desc.rank, o.dims);
	tflite_push(t, sum.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, tflite_output_operand(t, 0));
}

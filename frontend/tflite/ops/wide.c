// SPDX-License-Identifier: MIT
/*
 * Layers and products of matrices on INT16, bit-exact with TFLite, which sums the products in 64
 * bits and scales the sum (rescale.h) by a multiplier of 15 bits. FULLY_CONNECTED scales by 31 bits
 * since LiteRT 2, and a layer with an INT32 bias by the 32-bit rule.
 *
 *	high, low	x = 256 * high + low, both from -128 to 128
 *	sums		layer(high), layer(low) in FLOAT32, exact up to 2^24
 *	sum		256 * high + low + bias in INT64
 *	y		the sum times a factor, within the activation
 *
 * A BATCH_MATMUL of two INT16 has four such sums.
 */
#include "frontend/tflite/rescale.h"

#include <stdlib.h>

/* Number of products of up to 128 * 127 whose sum is always exact in FLOAT32. */
#define MAX_TERMS 1032u
/* Number of products INT16 * INT8 whose sum, plus a bias, times 31 bits fits in 64 bits. */
#define MAX_FULL_TERMS 900u

/* The number of the layer's input; the weights are input 1, the bias follows. */
static uint32_t input_index(const struct tflite_translation *t)
{
	return t->op->code == TFLITE_TRANSPOSE_CONV ? 2 : 0;
}

static uint32_t bias_index(const struct tflite_translation *t)
{
	return t->op->code == TFLITE_TRANSPOSE_CONV ? 3 : 2;
}

bool tflite_is_wide(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs;
	const struct tflite_tensor *x, *w, *y, *b;
	uint32_t at = input_index(t), behind = bias_index(t);
	uint64_t terms;

	if (t->op->code != TFLITE_CONV_2D && t->op->code != TFLITE_DEPTHWISE_CONV_2D &&
	    t->op->code != TFLITE_FULLY_CONNECTED && t->op->code != TFLITE_TRANSPOSE_CONV)
		return false;
	if (in.count < at + 1 || in.count < 2 || in.at[at] < 0 || in.at[1] < 0 ||
	    t->op->outputs.count != 1)
		return false;
	x = &t->sub->tensors[in.at[at]];
	w = &t->sub->tensors[in.at[1]];
	y = &t->sub->tensors[t->op->outputs.at[0]];
	b = in.count > behind && in.at[behind] >= 0 ? &t->sub->tensors[in.at[behind]] : NULL;
	if (x->type != TFLITE_INT16 || w->type != TFLITE_INT8 || y->type != TFLITE_INT16 ||
	    !w->data || !w->scale_count || !w->elements ||
	    (b && b->type != TFLITE_INT64 && b->type != TFLITE_INT32) ||
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
	/*
	 * Up to 4 * MAX_TERMS sums are inexact for extreme data alone; larger ones use real
	 * numbers.
	 */
	return terms <= 4 * MAX_TERMS;
}

struct tflite_value tflite_wide_part(struct tflite_translation *t, struct tflite_value x,
				     bool high)
{
	struct tflite_value upper;

	x = tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32);
	upper = tflite_binary(t, NNA_OPERATION_ADD, x, tflite_int(t, 128));
	upper = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, upper, tflite_int(t, 8));
	if (!high) {
		upper = tflite_binary(t, NNA_OPERATION_MUL, upper, tflite_int(t, 256));
		upper = tflite_binary(t, NNA_OPERATION_SUB, x, upper);
	}
	return tflite_cast(t, upper, NNA_OPERAND_TENSOR_FLOAT32);
}

struct tflite_value tflite_wide_input(struct tflite_translation *t, bool high)
{
	return tflite_wide_part(t, tflite_value(t, input_index(t)), high);
}

struct tflite_value tflite_wide_sum(struct tflite_translation *t, struct tflite_value high,
				    struct tflite_value low)
{
	high = tflite_cast(t, high, NNA_OPERAND_TENSOR_INT64);
	low = tflite_cast(t, low, NNA_OPERAND_TENSOR_INT64);
	high = tflite_binary(t, NNA_OPERATION_MUL, high, tflite_long(t, 256));
	return tflite_binary(t, NNA_OPERATION_ADD, high, low);
}

/* The rule by which TFLite scales the operator's sums. */
static enum tflite_rule rule_of(struct tflite_translation *t)
{
	uint32_t behind = bias_index(t);
	uint32_t type = tflite_has_input(t, behind) ? tflite_input(t, behind)->type :
						     (uint32_t)t->op->options.bias_type;

	if (type == TFLITE_INT32)
		return TFLITE_RULE_32;
	if (t->op->code != TFLITE_FULLY_CONNECTED)
		return TFLITE_RULE_64;
	return tflite_input(t, 1)->dims[1] <= MAX_FULL_TERMS ? TFLITE_RULE_64_FULL :
							       TFLITE_RULE_64_LONG;
}

void tflite_finish_wide(struct tflite_translation *t, struct tflite_value high,
			struct tflite_value low, uint32_t units)
{
	const struct tflite_tensor *x = tflite_input(t, input_index(t)), *w = tflite_input(t, 1),
				   *y = tflite_output(t, 0);
	struct tflite_factor *factors;
	struct tflite_value sum, bias;

	tflite_need_scales(t, w, units);
	factors = t->ret ? NULL : calloc(units, sizeof(*factors));
	if (!factors) {
		tflite_no_memory(t);
		return;
	}
	for (uint32_t i = 0; i < units; i++) {
		float ws = w->scales[w->scale_count > 1 ? i : 0];
		double factor = (double)tflite_scale(x) * (double)ws;

		/* A FULLY_CONNECTED with one scale rounds the product of the scales to a float. */
		if (t->op->code == TFLITE_FULLY_CONNECTED && w->scale_count == 1)
			factor = (double)(tflite_scale(x) * ws);
		factors[i] = tflite_factor_of(factor / (double)tflite_scale(y));
	}
	sum = tflite_wide_sum(t, high, low);
	if (tflite_has_input(t, bias_index(t))) {
		bias = tflite_cast(t, tflite_value(t, bias_index(t)), NNA_OPERAND_TENSOR_INT64);
		sum = tflite_binary(t, NNA_OPERATION_ADD, sum, bias);
	}
	sum = tflite_rescaled(t, sum, factors, units, rule_of(t));
	free(factors);
	tflite_store(t, sum);
}

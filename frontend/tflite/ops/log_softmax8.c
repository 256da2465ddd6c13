// SPDX-License-Identifier: MIT
/*
 * LOG_SOFTMAX of 8-bit numbers by the fixed point of TFLite's reference kernels:
 *
 *	d = x - max			numbers of the input
 *	q = d * scale			with 26 bits of fraction
 *	sum = sum of e^q		with 19 bits of fraction
 *	y = (q - log(sum)) * 16		rounded, halves away from zero; from the highest number down
 *
 * A d below -31 * 2^26 / 2^shift, of the shift of the factor of @scale, counts for nothing in the
 * sum and has the lowest result. q and e^q of the 256 numbers are tables. The logarithm is LOG of
 * FLOAT32, where TFLite has a polynomial in fixed point.
 */
#include "frontend/tflite/rescale.h"

#define NUMBERS 256u
/* Bits of fraction of q, of e^q in the sum, and what a number of the output has fewer than q. */
#define DIFF_BITS 26
#define SUM_BITS 19
#define OUT_SHIFT 22

/* A product of numbers with 31 bits of fraction, rounded halves up. */
static int32_t times(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

/* e^@a of @a from -1/4 to 0, both with 31 bits of fraction: four terms around -1/8. */
static int32_t exp_of_quarter(int32_t a)
{
	const int32_t around = 1895147668 /* e^(-1/8) */, third = 715827883;
	const int32_t x = a + (1 << 28), x2 = times(x, x), x3 = times(x2, x), x4 = times(x2, x2);
	const int32_t rest = tflite_halved(times(tflite_halved(x4, 2) + x3, third) + x2, 1);

	return around + times(around, x + rest);
}

/* e^@a of @a <= 0 with DIFF_BITS of fraction; the result has 31 bits of fraction. */
static int32_t exp_of(int32_t a)
{
	/* e^(-1/4), e^(-1/2), e^-1 ... e^-16 */
	static const int32_t factors[] = { 1672461947, 1302514674, 790015084, 290630308,
					   39332535,   720401,	   242 };
	const int32_t quarter = 1 << (DIFF_BITS - 2), part = (a & (quarter - 1)) - quarter;
	const int32_t rest = part - a;
	int32_t y;

	if (!a)
		return INT32_MAX;
	y = exp_of_quarter(part * (1 << (31 - DIFF_BITS)));
	for (int i = 0; i < 7; i++)
		if (rest & 1 << (DIFF_BITS - 2 + i))
			y = times(y, factors[i]);
	return y;
}

bool tflite_is_log_softmax8(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;
	const struct tflite_tensor *x, *y;

	if (t->op->code != TFLITE_LOG_SOFTMAX || !t->ops->requantizes || in.count != 1 ||
	    in.at[0] < 0 || out.count != 1)
		return false;
	x = &t->sub->tensors[in.at[0]];
	y = &t->sub->tensors[out.at[0]];
	/* TFLite has no other output. */
	return tflite_is_quant8(x->type) && x->type == y->type && x->elements &&
	       tflite_scale(y) == 1.0f / 16 &&
	       tflite_zero_point(y) == (y->type == TFLITE_INT8 ? INT8_MAX : UINT8_MAX);
}

/* The tables of q and e^q by -d. From -16 down a result is the lowest number, whatever the sum. */
static void make_tables(float scale, int32_t *q, int32_t *e)
{
	const int32_t lowest = -16 * (1 << DIFF_BITS);
	const struct tflite_factor factor = tflite_factor_of((double)scale * (1 << DIFF_BITS));
	const int64_t limit = factor.shift < 0	? NUMBERS :
			      factor.shift > 62 ? 0 :
						  (31ll << DIFF_BITS) / (1ll << factor.shift);

	for (int32_t i = 0; i < (int32_t)NUMBERS; i++) {
		q[i] = i <= limit ? tflite_scaled(-i, factor) : lowest;
		e[i] = i <= limit ? tflite_halved(exp_of(q[i]), 31 - SUM_BITS) : 0;
		if (q[i] < lowest)
			q[i] = lowest;
	}
}

void tflite_translate_log_softmax8(struct tflite_translation *t)
{
	const struct nna_operand_desc whole = { .type = NNA_OPERAND_TENSOR_INT32 };
	const struct tflite_tensor *in = tflite_input(t, 0);
	const uint32_t last = in->rank ? in->dims[in->rank - 1] : 1;
	int32_t *q = tflite_derive(t->model, 2 * NUMBERS * sizeof(*q)), *e;
	struct tflite_value x, most, sum;

	if (!q) {
		tflite_no_memory(t);
		return;
	}
	e = q + NUMBERS;
	make_tables(tflite_scale(in), q, e);
	x = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	x = tflite_reshaped(t, x, 2, (uint32_t[]){ (uint32_t)(in->elements / last), last });
	most = tflite_reduced(t, NNA_OPERATION_REDUCE_MAX, x, 1);
	x = tflite_binary(t, NNA_OPERATION_SUB, most, x);
	sum = tflite_looked_up(t, x, &whole, 0, NUMBERS, e, NUMBERS * sizeof(*e));
	sum = tflite_cast(t, tflite_reduced(t, NNA_OPERATION_REDUCE_SUM, sum, 1),
			  NNA_OPERAND_TENSOR_FLOAT32);
	sum = tflite_binary(t, NNA_OPERATION_MUL, sum, tflite_float(t, 1.0f / (1 << SUM_BITS)));
	sum = tflite_unary(t, NNA_OPERATION_LOG, sum);
	sum = tflite_binary(t, NNA_OPERATION_MUL, sum, tflite_float(t, (float)(1 << DIFF_BITS)));
	sum = tflite_cast(t, sum, NNA_OPERAND_TENSOR_INT32);
	x = tflite_looked_up(t, x, &whole, 0, NUMBERS, q, NUMBERS * sizeof(*q));
	x = tflite_binary(t, NNA_OPERATION_SUB, x, sum);
	/* Nothing is above 0 here: halves go down. */
	x = tflite_binary(t, NNA_OPERATION_ADD, x, tflite_int(t, (1 << (OUT_SHIFT - 1)) - 1));
	x = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, x, tflite_int(t, OUT_SHIFT));
	tflite_store(t, x);
}

// SPDX-License-Identifier: MIT
/* Reductions over axes, ARG_MAX, ARG_MIN and TOPK_V2. */
#include "frontend/tflite/rescale.h"

#include <float.h>

/*
 * Emits a MEAN. NNAPI's keeps the quantisation, TFLite's may change it: then an ADD of 0
 * requantises the mean, as in TFLite's NNAPI delegate.
 */
static void emit_mean(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	struct tflite_operand_desc o, zero;
	uint32_t mean;

	if (t->ops->requantizes || t->ret || !tflite_is_quant8(y->type) ||
	    tflite_same_quantisation(x, y)) {
		tflite_emit_outputs(t, NNA_OPERATION_MEAN);
		return;
	}
	mean = tflite_add_as_input(t, &o);
	tflite_emit_to(t, NNA_OPERATION_MEAN, mean);
	zero = (struct tflite_operand_desc){
		.desc = { .type = o.desc.type, .rank = 1, .scale = 1 }, .dims = { 1 },
	};
	tflite_push(t, mean);
	tflite_push(t, tflite_add_constant(t, &zero, NULL, 1));
	tflite_push_i32(t, 0);
	tflite_emit_to(t, NNA_OPERATION_ADD, tflite_output_operand(t, 0));
}

bool tflite_is_sum16(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;

	return (t->op->code == TFLITE_MEAN || t->op->code == TFLITE_SUM) && in.count == 2 &&
	       in.at[0] >= 0 && out.count == 1 &&
	       tflite_is_symmetric16(&t->sub->tensors[in.at[0]]) &&
	       tflite_is_symmetric16(&t->sub->tensors[out.at[0]]);
}

/*
 * Sums in INT32, which wraps as in TFLite. A SUM is scaled in FLOAT32. A MEAN is scaled by a
 * fixed-point factor: the multiplier is shifted to the left to keep its bits, and divided by the
 * number of elements.
 */
static void sum16(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	struct tflite_factor factor = tflite_factor_of((double)tflite_scale(x) /
						       (double)tflite_scale(y));
	int64_t count = y->elements ? (int64_t)(x->elements / y->elements) : 0;
	struct tflite_value wide, sum;
	int shift = 0;

	if (count < 1) {
		tflite_unsupported(t, x, "%llu elements", "1 or more for each of the output's %llu",
				   (unsigned long long)x->elements,
				   (unsigned long long)y->elements);
		return;
	}
	while (count >> (shift + 1) && shift < 32 && shift < 31 + factor.shift)
		shift++;
	factor.multiplier = (int32_t)(((int64_t)factor.multiplier << shift) / count);
	factor.shift -= shift;
	wide = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	tflite_describe(t, y, &sum.o);
	sum = tflite_like(t, &sum, NNA_OPERAND_TENSOR_INT32);
	tflite_push(t, wide.operand);
	tflite_push_ints(t, 1);
	tflite_push_bool(t, t->op->options.keep_dims);
	tflite_emit_to(t, NNA_OPERATION_REDUCE_SUM, sum.operand);
	if (t->op->code == TFLITE_SUM) {
		sum = tflite_cast(t, sum, NNA_OPERAND_TENSOR_FLOAT32);
		sum = tflite_binary(t, NNA_OPERATION_MUL, sum,
				    tflite_float(t, tflite_scale(x) / tflite_scale(y)));
		tflite_store_rounded(t, sum.operand);
		return;
	}
	sum = tflite_cast(t, sum, NNA_OPERAND_TENSOR_INT64);
	tflite_store(t, tflite_rescaled(t, sum, &factor, 1, TFLITE_RULE_32));
}

static uint64_t elements_of(const struct tflite_operand_desc *o)
{
	uint64_t n = 1;

	for (uint32_t i = 0; i < o->desc.rank; i++)
		n *= o->dims[i];
	return n;
}

/* Sums of the stored numbers, an INT32 tensor in the shape of the output. */
static struct tflite_value stored_sums(struct tflite_translation *t)
{
	struct tflite_value x, y;

	x = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	tflite_describe(t, tflite_output(t, 0), &y.o);
	y = tflite_like(t, &y, NNA_OPERAND_TENSOR_INT32);
	tflite_push(t, x.operand);
	tflite_push_ints(t, 1);
	tflite_push_bool(t, t->op->options.keep_dims);
	tflite_emit_to(t, NNA_OPERATION_REDUCE_SUM, y.operand);
	return y;
}

/*
 * SUM of INT8 as LiteRT's optimised kernel computes it, since the reference kernel is wrong: the
 * sum of stored numbers is scaled in FLOAT32, then the zero points of all elements are subtracted.
 */
static void sum_int8(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	const float scale = tflite_scale(x) / tflite_scale(y);
	struct tflite_value sum = stored_sums(t), in = tflite_value(t, 0);
	uint64_t count = elements_of(&sum.o);
	struct tflite_operand_desc o;
	uint32_t stored;
	float bias;

	count = count ? elements_of(&in.o) / count : 0;
	bias = (float)-tflite_zero_point(x) * scale * (float)count;
	sum = tflite_cast(t, sum, NNA_OPERAND_TENSOR_FLOAT32);
	sum = tflite_binary(t, NNA_OPERATION_MUL, sum, tflite_float(t, scale));
	sum = tflite_binary(t, NNA_OPERATION_ADD, sum, tflite_float(t, bias));
	tflite_describe(t, y, &o);
	o.desc.scale = 1;
	stored = tflite_add_operand(t, &o);
	tflite_push(t, sum.operand);
	tflite_emit_to(t, NNA_OPERATION_QUANTIZE, stored);
	tflite_push(t, stored);
	tflite_emit_to(t, NNA_OPERATION_BITCAST, tflite_output_operand(t, 0));
}

/* MEAN of integers: the quotient of the sum and the number of elements, rounded towards zero. */
static void mean_of_integers(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	struct tflite_value sum;

	if (!y->elements || !x->elements) {
		tflite_unsupported(t, x, "no elements", "1 or more");
		return;
	}
	tflite_describe(t, y, &sum.o);
	sum.operand = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT64).operand;
	tflite_push(t, sum.operand);
	tflite_push_ints(t, 1);
	tflite_push_bool(t, t->op->options.keep_dims);
	sum = tflite_like(t, &sum, NNA_OPERAND_TENSOR_INT64);
	tflite_emit_to(t, NNA_OPERATION_REDUCE_SUM, sum.operand);
	sum = tflite_binary(t, NNA_OPERATION_DIV, sum,
			    tflite_long(t, (int64_t)(x->elements / y->elements)));
	if (y->type == TFLITE_INT32)
		sum = tflite_cast(t, sum, NNA_OPERAND_TENSOR_INT32);
	tflite_result(t, sum, 0);
}

/* Whether the operator is an extreme of no floats: NNAPI's is infinite, TFLite's is not. */
static bool is_extreme_of_none(struct tflite_translation *t, uint32_t type)
{
	return !t->ret && !tflite_input(t, 0)->elements && tflite_output(t, 0)->elements &&
	       tflite_input(t, 0)->type == TFLITE_FLOAT32 &&
	       (type == NNA_OPERATION_REDUCE_MAX || type == NNA_OPERATION_REDUCE_MIN);
}

/* Emits that, and clamps it to the least or the largest float. */
static void emit_extreme_of_none(struct tflite_translation *t, uint32_t type)
{
	const bool least = type == NNA_OPERATION_REDUCE_MAX;
	struct tflite_value y;

	tflite_describe(t, tflite_output(t, 0), &y.o);
	y.operand = tflite_add_operand(t, &y.o);
	tflite_emit_to(t, type, y.operand);
	tflite_result(t, tflite_binary(t, least ? NNA_OPERATION_MAXIMUM : NNA_OPERATION_MINIMUM, y,
				       tflite_float(t, least ? -FLT_MAX : FLT_MAX)), 0);
}

/* NNAPI's MEAN takes keep_dims as INT32, the other reductions take it as BOOL. */
void tflite_translate_reduce(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value x, y;

	tflite_need(t, 2, 1);
	/* Over no axes a tensor remains as it is. */
	if (!t->ret && !tflite_input(t, 1)->elements &&
	    tflite_same_quantisation(tflite_input(t, 0), tflite_output(t, 0))) {
		tflite_result(t, tflite_value(t, 0), 0);
		return;
	}
	if (!t->ret && tflite_is_sum16(t)) {
		sum16(t);
		return;
	}
	if (type == NNA_OPERATION_MEAN && (tflite_input(t, 0)->type == TFLITE_INT32 ||
					   tflite_input(t, 0)->type == TFLITE_INT64)) {
		mean_of_integers(t);
		return;
	}
	if (type == NNA_OPERATION_REDUCE_SUM && t->ops->requantizes && !t->ret &&
	    tflite_input(t, 0)->type == TFLITE_INT8 && tflite_output(t, 0)->type == TFLITE_INT8) {
		sum_int8(t);
		return;
	}
	if (type == NNA_OPERATION_REDUCE_PROD && tflite_is_quantised(tflite_input(t, 0)->type) &&
	    !(t->ops->requantizes && tflite_is_quant8(tflite_input(t, 0)->type))) {
		x = tflite_real(t, 0);
		tflite_describe(t, tflite_output(t, 0), &y.o);
		y = tflite_like(t, &y, NNA_OPERAND_TENSOR_FLOAT32);
		tflite_push(t, x.operand);
		tflite_push_ints(t, 1);
		tflite_push_bool(t, t->op->options.keep_dims);
		tflite_emit_to(t, type, y.operand);
		tflite_result(t, y, 0);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_ints(t, 1);
	if (type == NNA_OPERATION_MEAN) {
		tflite_push_i32(t, t->op->options.keep_dims);
		emit_mean(t);
		return;
	}
	tflite_push_bool(t, t->op->options.keep_dims);
	if (is_extreme_of_none(t, type))
		emit_extreme_of_none(t, type);
	else
		tflite_emit_outputs(t, type);
}

static void arg_min_int64(struct tflite_translation *t)
{
	struct tflite_value y;

	tflite_describe(t, tflite_output(t, 0), &y.o);
	y = tflite_like(t, &y, NNA_OPERAND_TENSOR_INT32);
	tflite_emit_to(t, NNA_OPERATION_ARGMIN, y.operand);
	tflite_push(t, y.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, tflite_output_operand(t, 0));
}

void tflite_translate_arg(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_push_input(t, 0);
	tflite_push_i32(t, tflite_constant_int(t, 1));
	if (tflite_output(t, 0)->type == TFLITE_INT64) {
		if (type == NNA_OPERATION_ARGMIN) {
			arg_min_int64(t);
			return;
		}
		type = NNA_OPERATION_ARGMAX_INT64;
	}
	tflite_emit_outputs(t, type);
}

void tflite_translate_topk(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 2);
	tflite_push_input(t, 0);
	tflite_push_i32(t, tflite_constant_int(t, 1));
	tflite_emit_outputs(t, type);
}

// SPDX-License-Identifier: MIT
/*
 * UNARY, RESCALE and CLAMP from 8 bits to 8 bits: a lookup table of 256 results.
 *
 * select makes the table, which becomes a further operand; the command copies it into the NPU and
 * passes the elements through it. The table is the ir's rule for each of the 256 numbers: the value
 * in fp32, its function, the result rounded with halves away from zero.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "libnnaccel/backend/ethosu/walk.h"

#define TABLE 2u /* operand */

static bool is_byte(const struct nna_value *v)
{
	return v->type == NNA_TYPE_U8 || v->type == NNA_TYPE_S8;
}

static bool is_quantised_byte(const struct nna_value *v)
{
	return is_byte(v) && v->scale > 0;
}

/* Shifted right with halves up, and with halves away from zero. */
static int64_t shift_up(int64_t n, uint32_t shift)
{
	return shift ? (n + ((int64_t)1 << (shift - 1))) >> shift : n;
}

static int64_t shift_away(int64_t n, uint32_t shift)
{
	return n < 0 ? -shift_up(-n, shift) : shift_up(n, shift);
}

/* @n times a factor, by the rule; @n has 9 bits. */
static int64_t rescale(int64_t n, int32_t multiplier, int32_t shift, uint8_t rounding)
{
	const int64_t product = n * multiplier;

	if (rounding == NNA_IR_ROUNDS_AS_NNAPI)
		return shift_away(product, (uint32_t)shift);
	if (shift <= 31)
		return shift_up(product, (uint32_t)shift);
	return shift_away(shift_up(product, 31), (uint32_t)shift - 31);
}

static bool has_function(uint8_t function)
{
	switch (function) {
	case NNA_FN_IDENTITY:
	case NNA_FN_ABS:
	case NNA_FN_NEG:
	case NNA_FN_EXP:
	case NNA_FN_LOG:
	case NNA_FN_SQRT:
	case NNA_FN_RSQRT:
	case NNA_FN_SIN:
	case NNA_FN_COS:
	case NNA_FN_FLOOR:
	case NNA_FN_TANH:
	case NNA_FN_LOGISTIC:
	case NNA_FN_ELU:
	case NNA_FN_HARD_SWISH:
	case NNA_FN_LEAKY_RELU:
		return true;
	default:
		return false;
	}
}

static float compute(uint8_t function, float alpha, float x)
{
	switch (function) {
	case NNA_FN_ABS:
		return fabsf(x);
	case NNA_FN_NEG:
		return -x;
	case NNA_FN_EXP:
		return (float)exp((double)x);
	case NNA_FN_LOG:
		return (float)log((double)x);
	case NNA_FN_SQRT:
		return (float)sqrt((double)x);
	case NNA_FN_RSQRT:
		return 1 / (float)sqrt((double)x);
	case NNA_FN_SIN:
		return (float)sin((double)x);
	case NNA_FN_COS:
		return (float)cos((double)x);
	case NNA_FN_FLOOR:
		return floorf(x);
	case NNA_FN_TANH:
		return (float)tanh((double)x);
	case NNA_FN_LOGISTIC:
		return (float)(1 / (1 + exp(-(double)x)));
	case NNA_FN_ELU:
		return x >= 0 ? x : alpha * (float)expm1((double)x);
	case NNA_FN_HARD_SWISH:
		return x * fminf(fmaxf(x + 3, 0), 6) / 6;
	case NNA_FN_LEAKY_RELU:
		return x >= 0 ? x : alpha * x;
	default:
		return x;
	}
}

/* TFLite's LEAKY_RELU, in integers; false where a factor is out of range, and the values count. */
static bool leaky(const struct nna_value *out, const struct nna_value *in, float alpha, int64_t n,
		  uint8_t rounding, int64_t *result)
{
	const double factor = n < 0 ? (double)(in->scale * alpha / out->scale) :
				      (double)(in->scale / out->scale);
	int32_t multiplier, shift;

	nna_requantize_from(fabs(factor), &multiplier, &shift);
	if (!multiplier)
		return false;
	*result = rescale(n, factor < 0 ? -multiplier : multiplier, shift, rounding);
	return true;
}

/* The result for the stored number @q, without zero point and bounds. */
static double result_of(const struct nna_ir_op *op, const struct nna_value *out,
			const struct nna_value *in, int32_t q)
{
	const int64_t n = (int64_t)q - in->zero_point;
	int64_t exact;
	float value;

	if (op->kind == NNA_IR_CLAMP)
		return (double)n;
	if (op->kind == NNA_IR_RESCALE && op->rescale.multiplier)
		return (double)rescale(n, op->rescale.multiplier, op->rescale.shift, op->rounding);
	if (op->kind == NNA_IR_UNARY && op->elementwise.function == NNA_FN_LEAKY_RELU &&
	    op->rounding != NNA_IR_ROUNDS_AS_NNAPI &&
	    leaky(out, in, op->elementwise.alpha, n, op->rounding, &exact))
		return (double)exact;
	value = in->scale * (float)n;
	if (op->kind == NNA_IR_UNARY)
		value = compute(op->elementwise.function, op->elementwise.alpha, value);
	return (double)roundf(value / out->scale);
}

/* As nna_type_limits() of the type. */
static int32_t bounded(double result, const struct nna_ir_op *op, const struct nna_value *out)
{
	const double sum = result + out->zero_point;

	if (isnan(sum))
		return out->zero_point < op->bounds.q_min ? op->bounds.q_min :
		       out->zero_point > op->bounds.q_max ? op->bounds.q_max :
							    out->zero_point;
	if (sum < op->bounds.q_min)
		return op->bounds.q_min;
	return sum > op->bounds.q_max ? op->bounds.q_max : (int32_t)sum;
}

static int unary_accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
			 const struct nna_ir_op *op, char *reason, size_t size)
{
	const struct nna_value *out = &l->values[op->values[NNA_IR_OUT]];
	const struct nna_value *in = &l->values[op->values[NNA_IR_IN]];
	const struct nna_value *const values[2] = { out, in };
	struct nna_ethosu_walk walk;

	if (!is_quantised_byte(out) || !is_quantised_byte(in))
		return nna_ethosu_refuse(reason, size, "operands that are not both quantised, of 8 "
					 "bits");
	if (op->kind == NNA_IR_UNARY && !has_function(op->elementwise.function))
		return nna_ethosu_refuse(reason, size, "no table is made for such a function");
	if (op->rounding != NNA_IR_ROUNDS_AS_NNAPI && op->rounding != NNA_IR_ROUNDS_AS_TFLITE &&
	    op->rounding != NNA_IR_ROUNDS_AS_TFLITE_ONCE)
		return nna_ethosu_refuse(reason, size, "a rule of rounding of integer LSTMs");
	if (!nna_ethosu_walk_begin(&walk, values, 2, 0, false))
		return nna_ethosu_refuse(reason, size, "an order of elements that takes more than %u "
					 "commands", NNA_ETHOSU_WALK_PIECES);
	return 0;
}

static int unary_pack(struct nna_lower *l, const struct nna_ethosu_target *target, uint32_t index)
{
	const struct nna_ir_op op = l->ops[index];
	const struct nna_value out = l->values[op.values[NNA_IR_OUT]];
	const struct nna_value in = l->values[op.values[NNA_IR_IN]];
	const uint32_t dims[1] = { NNA_ETHOSU_TABLE_SIZE };
	const int32_t first = in.type == NNA_TYPE_S8 ? INT8_MIN : 0;
	uint8_t table[NNA_ETHOSU_TABLE_SIZE];
	int64_t value;

	for (uint32_t i = 0; i < NNA_ETHOSU_TABLE_SIZE; i++)
		table[i] = (uint8_t)bounded(result_of(&op, &out, &in, first + (int32_t)i), &op,
					    &out);
	value = nna_lower_constant(l, NNA_TYPE_U8, 1, dims, 0, 0, table);
	if (value < 0)
		return (int)value;
	l->ops[index].values[TABLE] = (uint32_t)value;
	l->ops[index].operand_count = TABLE + 1;
	return 0;
}

static int unary_emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		      const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	const struct nna_value *const values[2] = { &l->values[op->values[NNA_IR_OUT]],
						    &l->values[op->values[NNA_IR_IN]] };
	struct nna_ethosu_map table = { .offset = l->values[op->values[TABLE]].offset };
	struct nna_ethosu_walk walk;

	if (!nna_ethosu_walk_begin(&walk, values, 2, 0, false))
		return -ENOTSUP;
	nna_ethosu_map_place(l, op->values[TABLE], 1, &table);
	nna_ethosu_writer_copy(w, NNA_ETHOSU_INTERNAL, target->tables, table.region, table.offset,
			       NNA_ETHOSU_TABLE_SIZE);
	for (uint64_t i = 0; i < walk.pieces; i++) {
		struct nna_ethosu_operation pass;

		nna_ethosu_pass(&pass);
		nna_ethosu_walk_map(&walk, i, 0, &pass.ofm);
		nna_ethosu_walk_map(&walk, i, 1, &pass.ifm);
		nna_ethosu_map_place(l, op->values[NNA_IR_OUT], 0, &pass.ofm);
		nna_ethosu_map_place(l, op->values[NNA_IR_IN], 0, &pass.ifm);
		/* What the table is asked for has the input's type; its bytes are the result's. */
		pass.ofm.is_signed = pass.ifm.is_signed;
		pass.min = pass.ifm.is_signed ? INT8_MIN : 0;
		pass.max = pass.ifm.is_signed ? INT8_MAX : UINT8_MAX;
		pass.table = true;
		nna_ethosu_block_choose(target, &pass);
		nna_ethosu_writer_operation(w, &pass);
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_unary = { unary_accepts, unary_pack, unary_emit };

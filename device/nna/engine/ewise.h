/* SPDX-License-Identifier: MIT */
/*
 * Common parts of the kernels of EWISE: inputs of an operation, and the rule by which it is
 * computed.
 */
#ifndef NNADEV_EWISE_H
#define NNADEV_EWISE_H

#include "device/nna/engine/epilogue.h"

/* Return: number of inputs of an operation. */
static inline uint32_t nnadev_ewise_inputs(uint32_t op)
{
	switch (op) {
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
	case NNAHW_EWISE_MUL:
	case NNAHW_EWISE_DIV:
	case NNAHW_EWISE_MAXIMUM:
	case NNAHW_EWISE_MINIMUM:
	case NNAHW_EWISE_POW:
	case NNAHW_EWISE_EQUAL:
	case NNAHW_EWISE_NOT_EQUAL:
	case NNAHW_EWISE_LESS:
	case NNAHW_EWISE_LESS_EQUAL:
	case NNAHW_EWISE_GREATER:
	case NNAHW_EWISE_GREATER_EQUAL:
	case NNAHW_EWISE_LOGICAL_AND:
	case NNAHW_EWISE_LOGICAL_OR:
	case NNAHW_EWISE_PRELU:
	case NNAHW_EWISE_FLOOR_DIV:
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
	case NNAHW_EWISE_BITWISE_XOR:
	case NNAHW_EWISE_SHIFT_RIGHT:
	case NNAHW_EWISE_TRUNCATE_DIV:
	case NNAHW_EWISE_FLOOR_MOD:
		return 2;
	case NNAHW_EWISE_SELECT:
	case NNAHW_EWISE_MUL_ADD:
		return 3;
	default:
		return 1;
	}
}

/* True if the integer rule defines the operation. */
static inline bool nnadev_ewise_has_integer_form(uint32_t op)
{
	switch (op) {
	case NNAHW_EWISE_POW:
	case NNAHW_EWISE_PRELU:
	case NNAHW_EWISE_EXP:
	case NNAHW_EWISE_LOG:
	case NNAHW_EWISE_SQRT:
	case NNAHW_EWISE_RSQRT:
	case NNAHW_EWISE_SIN:
	case NNAHW_EWISE_COS:
	case NNAHW_EWISE_FLOOR:
	case NNAHW_EWISE_TANH:
	case NNAHW_EWISE_LOGISTIC:
	case NNAHW_EWISE_ELU:
	case NNAHW_EWISE_HARD_SWISH:
	case NNAHW_EWISE_LEAKY_RELU:
	case NNAHW_EWISE_MUL_ADD:
	case NNAHW_EWISE_ERF:
		return false;
	default:
		return true;
	}
}

/* True if no other rule than the integer rule defines the operation. */
static inline bool nnadev_ewise_needs_integers(uint32_t op)
{
	return op == NNAHW_EWISE_BITWISE_XOR || op == NNAHW_EWISE_SHIFT_RIGHT ||
	       op == NNAHW_EWISE_TRUNCATE_DIV;
}

/* The rules of EWISE in hw/nna.toml, in that order. */
enum nnadev_ewise_rule { NNADEV_RULE_QUANTISED, NNADEV_RULE_INTEGER, NNADEV_RULE_FLOAT };

static inline bool nnadev_is_quantised_16(const struct nnahw_tensor *t)
{
	return nnadev_is_quantised(t) && (t->type == NNAHW_TYPE_U8 || t->type == NNAHW_TYPE_S8 ||
					  t->type == NNAHW_TYPE_U16 || t->type == NNAHW_TYPE_S16);
}

/* Return: the rule that holds for a command. The condition of SELECT does not count. */
static inline enum nnadev_ewise_rule nnadev_ewise_rule(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const uint32_t inputs = nnadev_ewise_inputs(p->op),
		       first = p->op == NNAHW_EWISE_SELECT ? 2 : 1;
	bool integers = nnadev_ewise_has_integer_form(p->op),
	     quantised = nnadev_is_quantised_16(&cmd->operands[0].desc);

	for (uint32_t i = first; i <= inputs; i++) {
		const struct nnahw_tensor *t = &cmd->operands[i].desc;

		quantised = quantised && nnadev_is_quantised_16(t);
		integers = integers && !nnadev_type_is_float(t->type) &&
			   (p->op == NNAHW_EWISE_CAST || !nnadev_is_quantised(t));
	}
	if (quantised && p->a_scale &&
	    (p->op == NNAHW_EWISE_ADD || p->op == NNAHW_EWISE_SUB || p->op == NNAHW_EWISE_MUL ||
	     p->op == NNAHW_EWISE_MUL_ADD || p->op == NNAHW_EWISE_IDENTITY ||
	     (p->staged && (p->op == NNAHW_EWISE_LEAKY_RELU || p->op == NNAHW_EWISE_PRELU ||
			    p->op == NNAHW_EWISE_SQUARED_DIFFERENCE))))
		return NNADEV_RULE_QUANTISED;
	return integers ? NNADEV_RULE_INTEGER : NNADEV_RULE_FLOAT;
}

/* The quotient of INT64_MIN and -1 wraps; C leaves it undefined. */
static inline int64_t nnadev_truncate_div(int64_t a, int64_t b)
{
	return b == 0 ? 0 : b == -1 ? (int64_t)-(uint64_t)a : a / b;
}

static inline int64_t nnadev_floor_div(int64_t a, int64_t b)
{
	const int64_t q = nnadev_truncate_div(a, b);

	return q - (b != 0 && b != -1 && a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t nnadev_floor_mod(int64_t a, int64_t b)
{
	const int64_t rest = b == 0 || b == -1 ? 0 : a % b;

	return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Shifts the complement of negative numbers, because C does not define >> for them. */
static inline int64_t nnadev_shift_right(int64_t a, int64_t b)
{
	const uint32_t bits = (uint32_t)nnadev_clamp_s64(b, 0, 63);

	return a < 0 ? ~(int64_t)(~(uint64_t)a >> bits) : (int64_t)((uint64_t)a >> bits);
}

/* The integer rule: a, b, c are in two's complement; sums and products wrap. */
static inline int64_t nnadev_ewise_integer(uint32_t op, int64_t a, int64_t b, int64_t c)
{
	const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (op) {
	case NNAHW_EWISE_ADD:
		return (int64_t)(ua + ub);
	case NNAHW_EWISE_SUB:
		return (int64_t)(ua - ub);
	case NNAHW_EWISE_MUL:
		return (int64_t)(ua * ub);
	case NNAHW_EWISE_DIV:
	case NNAHW_EWISE_FLOOR_DIV:
		return nnadev_floor_div(a, b);
	case NNAHW_EWISE_TRUNCATE_DIV:
		return nnadev_truncate_div(a, b);
	case NNAHW_EWISE_FLOOR_MOD:
		return nnadev_floor_mod(a, b);
	case NNAHW_EWISE_MAXIMUM:
		return a > b ? a : b;
	case NNAHW_EWISE_MINIMUM:
		return a < b ? a : b;
	case NNAHW_EWISE_EQUAL:
		return a == b;
	case NNAHW_EWISE_NOT_EQUAL:
		return a != b;
	case NNAHW_EWISE_LESS:
		return a < b;
	case NNAHW_EWISE_LESS_EQUAL:
		return a <= b;
	case NNAHW_EWISE_GREATER:
		return a > b;
	case NNAHW_EWISE_GREATER_EQUAL:
		return a >= b;
	case NNAHW_EWISE_LOGICAL_AND:
		return a && b;
	case NNAHW_EWISE_LOGICAL_OR:
		return a || b;
	case NNAHW_EWISE_LOGICAL_NOT:
		return !a;
	case NNAHW_EWISE_SELECT:
		return a ? b : c;
	case NNAHW_EWISE_ABS:
		return a < 0 ? (int64_t)-ua : a;
	case NNAHW_EWISE_NEG:
		return (int64_t)-ua;
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		return (int64_t)((ua - ub) * (ua - ub));
	case NNAHW_EWISE_BITWISE_XOR:
		return (int64_t)(ua ^ ub);
	case NNAHW_EWISE_SHIFT_RIGHT:
		return nnadev_shift_right(a, b);
	default: /* IDENTITY, CAST */
		return a;
	}
}

/* The rule in fp32. @p0: parameter of the operation. */
static inline float nnadev_ewise_float(uint32_t op, float p0, float a, float b, float c)
{
	switch (op) {
	case NNAHW_EWISE_ADD:
		return a + b;
	case NNAHW_EWISE_SUB:
		return a - b;
	case NNAHW_EWISE_MUL:
		return a * b;
	case NNAHW_EWISE_DIV:
		return a / b;
	case NNAHW_EWISE_MAXIMUM:
		return a > b || a != a ? a : b;
	case NNAHW_EWISE_MINIMUM:
		return a < b || a != a ? a : b;
	case NNAHW_EWISE_POW:
		return nnadev_powf(a, b);
	case NNAHW_EWISE_EQUAL:
		return a == b;
	case NNAHW_EWISE_NOT_EQUAL:
		return a != b;
	case NNAHW_EWISE_LESS:
		return a < b;
	case NNAHW_EWISE_LESS_EQUAL:
		return a <= b;
	case NNAHW_EWISE_GREATER:
		return a > b;
	case NNAHW_EWISE_GREATER_EQUAL:
		return a >= b;
	case NNAHW_EWISE_LOGICAL_AND:
		return a != 0 && b != 0;
	case NNAHW_EWISE_LOGICAL_OR:
		return a != 0 || b != 0;
	case NNAHW_EWISE_LOGICAL_NOT:
		return a == 0;
	case NNAHW_EWISE_SELECT:
		return a != 0 ? b : c;
	case NNAHW_EWISE_PRELU:
		return a >= 0 ? a : a * b;
	case NNAHW_EWISE_ABS:
		return nnadev_bits_float(nnadev_float_bits(a) & 0x7fffffffu);
	case NNAHW_EWISE_NEG:
		return -a;
	case NNAHW_EWISE_EXP:
		return nnadev_expf(a);
	case NNAHW_EWISE_LOG:
		return nnadev_logf(a);
	case NNAHW_EWISE_SQRT:
		return nnadev_sqrtf(a);
	case NNAHW_EWISE_RSQRT:
		return 1 / nnadev_sqrtf(a);
	case NNAHW_EWISE_SIN:
		return nnadev_sinf(a);
	case NNAHW_EWISE_COS:
		return nnadev_cosf(a);
	case NNAHW_EWISE_FLOOR:
		return nnadev_floorf(a);
	case NNAHW_EWISE_TANH:
		return nnadev_tanhf(a);
	case NNAHW_EWISE_LOGISTIC:
		return nnadev_logisticf(a);
	case NNAHW_EWISE_ELU:
		return a >= 0 ? a : p0 * nnadev_expm1f(a);
	case NNAHW_EWISE_HARD_SWISH:
		return a * nnadev_clamp_float(a + 3, 0, 6) / 6;
	case NNAHW_EWISE_FLOOR_DIV:
		return nnadev_floorf(a / b);
	case NNAHW_EWISE_FLOOR_MOD: {
		const float rest = nnadev_fmodf(a, b);

		return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
	}
	case NNAHW_EWISE_LEAKY_RELU:
		return a >= 0 ? a : p0 * a;
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		return (a - b) * (a - b);
	case NNAHW_EWISE_MUL_ADD: {
		float product = a * b;

		return product + c;
	}
	case NNAHW_EWISE_ERF:
		return nnadev_erff(a);
	default: /* IDENTITY, CAST */
		return a;
	}
}

/* Return: bits by which a staged sum shifts its numbers, by the type of the output. */
static inline uint32_t nnadev_ewise_staged_bits(const struct nnahw_tensor *output)
{
	return nnadev_type_is_quant8(output->type) ? NNADEV_STAGED_BITS8 : NNADEV_STAGED_BITS16;
}

/*
 * The integer rules that round in stages, on numbers minus their zero points. @bits: from
 * nnadev_ewise_staged_bits().
 */
static inline int64_t nnadev_ewise_staged(const struct nnahw_cmd_ewise *p, uint32_t bits, int64_t x,
					  int64_t y)
{
	uint32_t a, b;

	switch (p->op) {
	case NNAHW_EWISE_ADD:
		return nnadev_staged_sum(bits, x, p->a_scale, p->a_shift, y, p->b_scale,
					 p->b_shift, p->multiplier, p->shift);
	case NNAHW_EWISE_SUB:
		a = (uint32_t)nnadev_requantize((int32_t)((uint32_t)x << bits), p->a_scale,
					       p->a_shift);
		b = (uint32_t)nnadev_requantize((int32_t)((uint32_t)y << bits), p->b_scale,
					       p->b_shift);
		return nnadev_requantize((int32_t)(a - b), p->multiplier, p->shift);
	case NNAHW_EWISE_MUL:
	case NNAHW_EWISE_MUL_ADD: /* the caller adds the third number */
		return nnadev_requantize((int32_t)(x * y), p->a_scale, p->shift);
	case NNAHW_EWISE_LEAKY_RELU:
		if (x < 0)
			return nnadev_requantize((int32_t)x, p->b_scale, p->b_shift);
		return nnadev_requantize((int32_t)x, p->a_scale, p->shift);
	case NNAHW_EWISE_PRELU:
		if (x < 0)
			return nnadev_requantize((int32_t)(x * y), p->b_scale, p->b_shift);
		return nnadev_requantize((int32_t)x, p->a_scale, p->shift);
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		a = (uint32_t)nnadev_requantize((int32_t)((uint32_t)x << 7), p->a_scale,
					       p->a_shift);
		b = (uint32_t)nnadev_requantize((int32_t)((uint32_t)y << 7), p->b_scale,
					       p->b_shift);
		return nnadev_requantize((int32_t)((a - b) * (a - b)), p->multiplier, p->shift);
	default:
		return nnadev_requantize((int32_t)x, p->a_scale, p->shift);
	}
}

/*
 * The rule of quantised types, on numbers minus their zero points. Return: result minus the
 * output's zero point.
 */
static inline int64_t nnadev_ewise_quantised(const struct nnahw_cmd_ewise *p, uint32_t bits,
					     int64_t x, int64_t y, int64_t z)
{
	if (p->op != NNAHW_EWISE_MUL_ADD)
		z = 0;
	if (p->staged)
		return nnadev_ewise_staged(p, bits, x, y) + z;
	switch (p->op) {
	case NNAHW_EWISE_ADD:
		return nnadev_scale_sum(x, p->a_scale, y, p->b_scale, p->shift);
	case NNAHW_EWISE_SUB:
		return nnadev_scale_sum(x, p->a_scale, -y, p->b_scale, p->shift);
	case NNAHW_EWISE_MUL:
	case NNAHW_EWISE_MUL_ADD:
		return nnadev_scale_s64(x * y, p->a_scale, p->shift) + z;
	default:
		return nnadev_scale_s64(x, p->a_scale, p->shift);
	}
}

#endif

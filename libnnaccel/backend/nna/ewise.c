// SPDX-License-Identifier: MIT
/*
 * Writes element-wise operations as EWISE commands, and derives the integer constants of their
 * rules from the real scales of the operands.
 */
#include <math.h>
#include <stdlib.h>

#include "libnnaccel/backend/nna/nna.h"

static const uint8_t functions[NNA_FN_COUNT] = {
	[NNA_FN_IDENTITY] = NNAHW_EWISE_IDENTITY,
	[NNA_FN_CAST] = NNAHW_EWISE_CAST,
	[NNA_FN_ABS] = NNAHW_EWISE_ABS,
	[NNA_FN_NEG] = NNAHW_EWISE_NEG,
	[NNA_FN_EXP] = NNAHW_EWISE_EXP,
	[NNA_FN_LOG] = NNAHW_EWISE_LOG,
	[NNA_FN_SQRT] = NNAHW_EWISE_SQRT,
	[NNA_FN_RSQRT] = NNAHW_EWISE_RSQRT,
	[NNA_FN_SIN] = NNAHW_EWISE_SIN,
	[NNA_FN_COS] = NNAHW_EWISE_COS,
	[NNA_FN_FLOOR] = NNAHW_EWISE_FLOOR,
	[NNA_FN_TANH] = NNAHW_EWISE_TANH,
	[NNA_FN_LOGISTIC] = NNAHW_EWISE_LOGISTIC,
	[NNA_FN_ELU] = NNAHW_EWISE_ELU,
	[NNA_FN_HARD_SWISH] = NNAHW_EWISE_HARD_SWISH,
	[NNA_FN_LEAKY_RELU] = NNAHW_EWISE_LEAKY_RELU,
	[NNA_FN_LOGICAL_NOT] = NNAHW_EWISE_LOGICAL_NOT,
	[NNA_FN_ADD] = NNAHW_EWISE_ADD,
	[NNA_FN_SUB] = NNAHW_EWISE_SUB,
	[NNA_FN_MUL] = NNAHW_EWISE_MUL,
	[NNA_FN_DIV] = NNAHW_EWISE_DIV,
	[NNA_FN_MAXIMUM] = NNAHW_EWISE_MAXIMUM,
	[NNA_FN_MINIMUM] = NNAHW_EWISE_MINIMUM,
	[NNA_FN_POW] = NNAHW_EWISE_POW,
	[NNA_FN_EQUAL] = NNAHW_EWISE_EQUAL,
	[NNA_FN_NOT_EQUAL] = NNAHW_EWISE_NOT_EQUAL,
	[NNA_FN_LESS] = NNAHW_EWISE_LESS,
	[NNA_FN_LESS_EQUAL] = NNAHW_EWISE_LESS_EQUAL,
	[NNA_FN_GREATER] = NNAHW_EWISE_GREATER,
	[NNA_FN_GREATER_EQUAL] = NNAHW_EWISE_GREATER_EQUAL,
	[NNA_FN_LOGICAL_AND] = NNAHW_EWISE_LOGICAL_AND,
	[NNA_FN_LOGICAL_OR] = NNAHW_EWISE_LOGICAL_OR,
	[NNA_FN_PRELU] = NNAHW_EWISE_PRELU,
	[NNA_FN_FLOOR_DIV] = NNAHW_EWISE_FLOOR_DIV,
	[NNA_FN_SQUARED_DIFFERENCE] = NNAHW_EWISE_SQUARED_DIFFERENCE,
	[NNA_FN_BITWISE_XOR] = NNAHW_EWISE_BITWISE_XOR,
	[NNA_FN_SHIFT_RIGHT] = NNAHW_EWISE_SHIFT_RIGHT,
	[NNA_FN_TRUNCATE_DIV] = NNAHW_EWISE_TRUNCATE_DIV,
	[NNA_FN_FLOOR_MOD] = NNAHW_EWISE_FLOOR_MOD,
	[NNA_FN_ERF] = NNAHW_EWISE_ERF,
	[NNA_FN_SELECT] = NNAHW_EWISE_SELECT,
	[NNA_FN_MUL_ADD] = NNAHW_EWISE_MUL_ADD,
};

uint8_t nna_hw_function(uint8_t function)
{
	return functions[function];
}

/*
 * Computes the factors of ADD and SUB: fa and fb as integers over a common power of two, the larger
 * with 30 bits. Operands have at most 17 bits, so a sum has 48 bits and the rounding term at most
 * 61. Return: false if they do not fit; then the fp32 rule serves.
 */
static bool common_shift(double fa, double fb, int32_t *a_scale, int32_t *b_scale, int32_t *shift)
{
	double largest = fmax(fabs(fa), fabs(fb));
	int exponent;
	int64_t a, b;
	int s;

	if (!(largest > 0) || isinf(largest))
		return false;
	frexp(largest, &exponent); /* largest < 2^exponent */
	s = 30 - exponent;
	if (s > 62)
		s = 62;
	if (s < 1)
		return false;
	a = llround(ldexp(fa, s));
	b = llround(ldexp(fb, s));
	if (!a || llabs(a) > INT32_MAX || llabs(b) > INT32_MAX)
		return false;
	*a_scale = a;
	*b_scale = b;
	*shift = s;
	return true;
}

/* As nna_requantize_from(), for a factor of any sign; the shift fits into 8 bits. */
static void signed_requantize_from(double factor, int32_t *multiplier, uint8_t *shift)
{
	int32_t s;

	nna_requantize_from(fabs(factor), multiplier, &s);
	if (factor < 0)
		*multiplier = -*multiplier;
	*shift = s;
}

/*
 * TFLite's rules, in the precision in which TFLite computes their factors. Sums are in units of
 * 2^-20 (16 bits: 2^-15) of twice the larger scale, squared differences in units of 2^-7 of that;
 * all other functions have one factor.
 */
static void staged_rule(struct nnahw_cmd_ewise *c, const struct nna_value *out,
			const struct nna_value *a, const struct nna_value *b)
{
	const double units = nna_type_size(out->type) == 2 ? 0x1p15 : 0x1p20;
	double twice;

	switch (c->op) {
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
		twice = 2 * (double)fmaxf(a->scale, b->scale);
		signed_requantize_from(a->scale / twice, &c->a_scale, &c->a_shift);
		signed_requantize_from(b->scale / twice, &c->b_scale, &c->b_shift);
		nna_requantize_from(twice / (units * (double)out->scale), &c->multiplier,
				    &c->shift);
		break;
	case NNAHW_EWISE_MUL:
		nna_requantize_from((double)(a->scale * b->scale / out->scale), &c->a_scale,
				    &c->shift);
		break;
	case NNAHW_EWISE_LEAKY_RELU:
		nna_requantize_from((double)(a->scale / out->scale), &c->a_scale, &c->shift);
		signed_requantize_from((double)(a->scale * c->p0 / out->scale), &c->b_scale,
				       &c->b_shift);
		break;
	case NNAHW_EWISE_PRELU:
		nna_requantize_from((double)(a->scale / out->scale), &c->a_scale, &c->shift);
		signed_requantize_from((double)(a->scale * b->scale / out->scale), &c->b_scale,
				       &c->b_shift);
		break;
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		twice = 2 * (double)fmaxf(a->scale, b->scale);
		signed_requantize_from(a->scale / twice, &c->a_scale, &c->a_shift);
		signed_requantize_from(b->scale / twice, &c->b_scale, &c->b_shift);
		nna_requantize_from(twice * twice / (double)(0x1p14f * out->scale),
				    &c->multiplier, &c->shift);
		break;
	default:
		break;
	}
	c->staged = c->a_scale != 0;
	if (!c->staged) /* the factor is out of range: the fp32 rule serves */
		c->a_shift = c->b_shift = c->b_scale = c->multiplier = 0;
}

/*
 * Products of integer LSTMs (enum nna_ir_rounding). Return: true if @rounding is one of their
 * rules.
 */
static bool product_rule(struct nnahw_cmd_ewise *c, const struct nna_value *const *v,
			 uint8_t rounding)
{
	float factor;

	if (!v[2] || (c->op != NNAHW_EWISE_MUL && c->op != NNAHW_EWISE_MUL_ADD))
		return false;
	factor = v[1]->scale * v[2]->scale / v[0]->scale;
	switch (rounding) {
	case NNA_IR_ROUNDS_IN_TWO:
		nna_requantize_from((double)factor, &c->a_scale, &c->shift);
		c->staged = c->a_scale != 0;
		return true;
	case NNA_IR_ROUNDS_BY_SHIFT:
		/*
		 * It leaves bits to spare, by which an engine can tell that results fit into 32
		 * bits.
		 */
		c->a_scale = 1 << 27;
		c->shift = 27 - ilogbf(factor);
		return true;
	case NNA_IR_ROUNDS_IN_Q15:
		c->a_scale = 1 << 16;
		c->shift = 16 - ilogbf(factor);
		c->staged = true;
		return true;
	default:
		return false;
	}
}

/*
 * Sets the constants of the integer rules, which need a scale of every operand. @v: out, a, b, c;
 * NULL for an operand that the operation does not have.
 */
static void integer_rule(struct nnahw_cmd_ewise *c, const struct nna_value *const *v,
			 uint8_t rounding)
{
	bool wide = false;
	double factor;

	for (int i = 0; i < 4; i++) {
		if (v[i] && !nna_value_is_quantised(v[i]))
			return;
		if (v[i] && nna_type_size(v[i]->type) == 2)
			wide = true;
	}
	if (product_rule(c, v, rounding) || !v[1] || v[3])
		return;
	/* Operations on 16 bits have TFLite's rounding only if they ask for it themselves. */
	if (rounding != NNA_IR_ROUNDS_AS_NNAPI &&
	    (v[2] ? c->op == NNAHW_EWISE_ADD || c->op == NNAHW_EWISE_SUB ||
			     c->op == NNAHW_EWISE_MUL || c->op == NNAHW_EWISE_PRELU ||
			     c->op == NNAHW_EWISE_SQUARED_DIFFERENCE :
		    c->op == NNAHW_EWISE_LEAKY_RELU)) {
		staged_rule(c, v[0], v[1], v[2]);
		return;
	}
	switch (c->op) {
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
		if (!v[2])
			return;
		if (!common_shift((double)v[1]->scale / v[0]->scale,
				  (double)v[2]->scale / v[0]->scale, &c->a_scale, &c->b_scale,
				  &c->shift))
			c->a_scale = 0;
		break;
	case NNAHW_EWISE_MUL:
		if (!v[2])
			return;
		/* A float, because models are calibrated with floats. */
		factor = (double)(v[1]->scale * v[2]->scale / v[0]->scale);
		nna_requantize_from(factor, &c->a_scale, &c->shift);
		if (wide) {
			/* A product of 34 bits leaves 29 bits for the multiplier. */
			if (c->shift < 4) {
				c->a_scale = 0;
				break;
			}
			c->a_scale = (c->a_scale + 4) >> 3;
			c->shift -= 3;
		}
		break;
	default:
		break;
	}
}

void nna_hw_sum(struct nnahw_cmd_ewise *command, const struct nna_value *out,
		const struct nna_value *a, const struct nna_value *b, uint8_t rounding)
{
	const struct nna_value *const v[4] = { out, a, b, NULL };

	*command = (struct nnahw_cmd_ewise){ .op = NNAHW_EWISE_ADD, .shift = 1 };
	/* Only LSTMs have residuals of 16 bits. */
	integer_rule(command, v, nna_type_size(out->type) == 2 ? NNA_IR_ROUNDS_AS_NNAPI : rounding);
}

bool nna_hw_ewise(const struct nna_lower *l, const struct nna_ir_op *op,
		  struct nnahw_cmd_ewise *command)
{
	const struct nna_value *v[4] = { NULL };

	*command = (struct nnahw_cmd_ewise){
		.head.opcode = NNAHW_OP_EWISE,
		.shift = 1,
		.q_min = op->bounds.q_min,
		.q_max = op->bounds.q_max,
		.clamp_min = op->bounds.min,
		.clamp_max = op->bounds.max,
	};
	for (uint32_t i = 0; i < op->operand_count && i < 4; i++)
		if (op->values[i] != NNA_NO_VALUE)
			v[i] = &l->values[op->values[i]];
	switch (op->kind) {
	case NNA_IR_CLAMP:
		command->op = NNAHW_EWISE_IDENTITY;
		if (nna_value_is_quantised(v[0]) && nna_value_is_quantised(v[1]))
			nna_requantize_from(1, &command->a_scale, &command->shift);
		return true;
	case NNA_IR_RESCALE:
		command->op = NNAHW_EWISE_IDENTITY;
		command->a_scale = op->rescale.multiplier;
		command->shift = op->rescale.shift;
		/* The factor is out of range: the fp32 rule serves. */
		command->staged = op->rounding != NNA_IR_ROUNDS_AS_NNAPI && command->a_scale;
		return true;
	case NNA_IR_UNARY:
	case NNA_IR_BINARY:
		command->op = functions[op->elementwise.function];
		command->p0 = op->elementwise.alpha;
		break;
	case NNA_IR_SELECT:
		command->op = NNAHW_EWISE_SELECT;
		break;
	case NNA_IR_MUL_ADD:
		command->op = NNAHW_EWISE_MUL_ADD;
		break;
	default:
		return false;
	}
	integer_rule(command, v, op->rounding);
	return true;
}

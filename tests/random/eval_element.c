// SPDX-License-Identifier: MIT
/* Operations on one element at a time, broadcast as the HAL says; casts and quantisation. */
#include <errno.h>
#include <float.h>
#include <string.h>

#include "tests/random/eval.h"

#define U NNR_EVAL_U

struct point {
	double v, err;
};

/*
 * Off by @ulps of the value and @absolute; results below the smallest normal number may be flushed
 * to zero.
 */
static struct point near_to(double v, double ulps, double absolute)
{
	return (struct point){ v, 2 * U * ulps * fabs(v) + absolute + 0x1p-126 };
}

static struct point exactly(double v)
{
	return (struct point){ v, 0 };
}

static struct point open(void)
{
	return (struct point){ 0, INFINITY };
}

static struct point hard_swish(double x)
{
	double inner = fmin(fmax(x + 3, 0), 6);

	return near_to(x * inner / 6, 2, fabs(x) < 8 ? 4 * U * fabs(x) : 0);
}

static struct point unary(uint32_t type, double x, double p)
{
	switch (type) {
	case NNA_OPERATION_FLOOR:
		return exactly(floor(x));
	case NNA_OPERATION_RELU:
		return exactly(nnr_eval_activate(1, x));
	case NNA_OPERATION_RELU1:
		return exactly(nnr_eval_activate(2, x));
	case NNA_OPERATION_RELU6:
		return exactly(nnr_eval_activate(3, x));
	case NNA_OPERATION_TANH:
		return near_to(tanh(x), 3, 0);
	case NNA_OPERATION_LOGISTIC:
		return near_to(1 / (1 + exp(-x)), 3, 0);
	case NNA_OPERATION_ABS:
		return exactly(fabs(x));
	case NNA_OPERATION_NEG:
		return exactly(-x);
	case NNA_OPERATION_EXP:
		return near_to(exp(x), 2, 0);
	case NNA_OPERATION_LOG:
		return near_to(log(x), 2, 0);
	case NNA_OPERATION_SQRT:
		return near_to(sqrt(x), 1, 0);
	case NNA_OPERATION_RSQRT:
		return near_to(1 / sqrt(x), 2, 0);
	case NNA_OPERATION_SIN:
		return near_to(sin(x), 2, 0);
	case NNA_OPERATION_COS:
		return near_to(cos(x), 2, 0);
	case NNA_OPERATION_LOGICAL_NOT:
		return exactly(x == 0);
	case NNA_OPERATION_HARD_SWISH:
		return hard_swish(x);
	case NNA_OPERATION_ELU:
		return x >= 0 ? exactly(x) : near_to(p * expm1(x), 2, 4 * U * fabs(p));
	default: /* LEAKY_RELU */
		return x >= 0 ? exactly(x) : near_to(p * x, 1, 0);
	}
}

static bool is_unary(uint32_t type)
{
	switch (type) {
	case NNA_OPERATION_FLOOR:
	case NNA_OPERATION_RELU:
	case NNA_OPERATION_RELU1:
	case NNA_OPERATION_RELU6:
	case NNA_OPERATION_TANH:
	case NNA_OPERATION_LOGISTIC:
	case NNA_OPERATION_ABS:
	case NNA_OPERATION_NEG:
	case NNA_OPERATION_EXP:
	case NNA_OPERATION_LOG:
	case NNA_OPERATION_SQRT:
	case NNA_OPERATION_RSQRT:
	case NNA_OPERATION_SIN:
	case NNA_OPERATION_COS:
	case NNA_OPERATION_LOGICAL_NOT:
	case NNA_OPERATION_HARD_SWISH:
	case NNA_OPERATION_ELU:
	case NNA_OPERATION_LEAKY_RELU:
		return true;
	default:
		return false;
	}
}

static int eval_unary(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	struct nnr_eval_tensor *out = &e->out[0];
	double p = nnr_eval_scalar(e, 1, 0);
	int ret = nnr_eval_out(e, 0, in->rank, in->dims);

	for (size_t i = 0; !ret && i < out->count; i++) {
		struct point r = unary(e->type, in->v[i], p);

		out->v[i] = r.v;
		out->err[i] = r.err;
	}
	return ret;
}

/* Whether fixed-point or fp32 arithmetic may take @a and @b, of different scales, for equal. */
static bool too_close(const struct nnr_eval *e, double a, double b)
{
	const struct nnr_eval_tensor *x = &e->in[0], *y = &e->in[1];

	if (!nnr_is_quantised(x->type) || (x->scale == y->scale && x->zero_point == y->zero_point))
		return false;
	return fabs(a - b) <= 1e-5 * (256 * (double)x->scale + 256 * (double)y->scale);
}

static struct point divide(const struct nnr_eval *e, double a, double b)
{
	double q;

	if (e->in[0].type == NNA_OPERAND_TENSOR_INT32)
		return b == 0 ? open() :
		       exactly(e->graph->as_tflite && e->type == NNA_OPERATION_DIV ? trunc(a / b) :
										     floor(a / b));
	if (e->type == NNA_OPERATION_DIV)
		return near_to(a / b, 1, 0);
	q = floor(a / b);
	/* In fp32 the quotient may become 0. */
	if (a != 0 && fabs(a / b) < 1e-36)
		return open();
	/* The quotient's rounding may reach the next whole number. */
	if (!(fabs(a / b - round(a / b)) > 4 * U * fabs(a / b)))
		return fmod(a, b) == 0 && fabs(q) < 0x1p24 ? exactly(q) : open();
	return exactly(q);
}

static struct point floor_mod(const struct nnr_eval *e, double a, double b)
{
	const bool whole = e->in[0].type == NNA_OPERAND_TENSOR_INT32;
	const double rest = fmod(a, b);

	if (b == 0)
		return whole ? open() : exactly((double)NAN);
	if (rest == 0 || isnan(rest) || (rest < 0) == (b < 0))
		return exactly(rest);
	return whole ? exactly(rest + b) : near_to(rest + b, 1, 0);
}

/*
 * TFLite rounds both quantised operands of SQUARED_DIFFERENCE to 2^-7 of twice the larger scale, so
 * a difference @d may be off by two of these units.
 */
static double squared_error(const struct nnr_eval *e, double d)
{
	double unit = 2 * fmax((double)e->in[0].scale, (double)e->in[1].scale) / 128;

	if (!e->graph->as_tflite || !nnr_is_quantised(e->in[0].type))
		return 0;
	return 4 * fabs(d) * unit + 4 * unit * unit;
}

static struct point binary(const struct nnr_eval *e, double a, double b)
{
	switch (e->type) {
	case NNA_OPERATION_ADD:
		return exactly(a + b);
	case NNA_OPERATION_SUB:
		return exactly(a - b);
	case NNA_OPERATION_MUL:
		return exactly(a * b);
	case NNA_OPERATION_DIV:
	case NNA_OPERATION_FLOOR_DIV:
		return divide(e, a, b);
	case NNA_OPERATION_FLOOR_MOD:
		return floor_mod(e, a, b);
	case NNA_OPERATION_MAXIMUM:
		return isnan(a) || isnan(b) ? open() : exactly(fmax(a, b));
	case NNA_OPERATION_MINIMUM:
		return isnan(a) || isnan(b) ? open() : exactly(fmin(a, b));
	case NNA_OPERATION_POW:
		return near_to(pow(a, b), 2, 0);
	case NNA_OPERATION_PRELU:
		return exactly(a >= 0 ? a : a * b);
	case NNA_OPERATION_SQUARED_DIFFERENCE:
		if (e->in[0].type == NNA_OPERAND_TENSOR_INT32)
			return exactly((a - b) * (a - b));
		return near_to((a - b) * (a - b), 2, squared_error(e, a - b));
	case NNA_OPERATION_BITWISE_XOR:
		return exactly((int32_t)a ^ (int32_t)b);
	case NNA_OPERATION_RIGHT_SHIFT:
		return exactly(floor(ldexp(a, -(int)fmin(fmax(b, 0), 63))));
	case NNA_OPERATION_LOGICAL_AND:
		return exactly(a != 0 && b != 0);
	case NNA_OPERATION_LOGICAL_OR:
		return exactly(a != 0 || b != 0);
	}
	if (too_close(e, a, b))
		return open();
	switch (e->type) {
	case NNA_OPERATION_EQUAL:
		return exactly(a == b);
	case NNA_OPERATION_NOT_EQUAL:
		return exactly(a != b);
	case NNA_OPERATION_LESS:
		return exactly(a < b);
	case NNA_OPERATION_LESS_EQUAL:
		return exactly(a <= b);
	case NNA_OPERATION_GREATER:
		return exactly(a > b);
	default:
		return exactly(a >= b);
	}
}

static bool is_binary(uint32_t type)
{
	switch (type) {
	case NNA_OPERATION_ADD:
	case NNA_OPERATION_SUB:
	case NNA_OPERATION_MUL:
	case NNA_OPERATION_DIV:
	case NNA_OPERATION_FLOOR_DIV:
	case NNA_OPERATION_FLOOR_MOD:
	case NNA_OPERATION_MAXIMUM:
	case NNA_OPERATION_MINIMUM:
	case NNA_OPERATION_POW:
	case NNA_OPERATION_PRELU:
	case NNA_OPERATION_SQUARED_DIFFERENCE:
	case NNA_OPERATION_BITWISE_XOR:
	case NNA_OPERATION_RIGHT_SHIFT:
	case NNA_OPERATION_LOGICAL_AND:
	case NNA_OPERATION_LOGICAL_OR:
	case NNA_OPERATION_EQUAL:
	case NNA_OPERATION_NOT_EQUAL:
	case NNA_OPERATION_LESS:
	case NNA_OPERATION_LESS_EQUAL:
	case NNA_OPERATION_GREATER:
	case NNA_OPERATION_GREATER_EQUAL:
		return true;
	default:
		return false;
	}
}

static int broadcast(const struct nnr_eval_tensor *a, const struct nnr_eval_tensor *b,
		     uint32_t *rank, uint32_t *dims)
{
	*rank = a->rank > b->rank ? a->rank : b->rank;
	for (uint32_t k = 1; k <= *rank; k++) {
		uint32_t x = k <= a->rank ? a->dims[a->rank - k] : 1;
		uint32_t y = k <= b->rank ? b->dims[b->rank - k] : 1;

		if (x != y && x != 1 && y != 1)
			return -EINVAL;
		dims[*rank - k] = x == 1 ? y : x;
	}
	return 0;
}

/* Number of the element of @t that goes with @index of the result, whose rank is @rank. */
static size_t broadcast_at(const struct nnr_eval_tensor *t, uint32_t rank, const uint32_t *index)
{
	size_t flat = 0;

	for (uint32_t k = 0; k < t->rank; k++)
		flat = flat * t->dims[k] + (t->dims[k] == 1 ? 0 : index[rank - t->rank + k]);
	return flat;
}

static int eval_binary(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *a = &e->in[0], *b = &e->in[1];
	struct nnr_eval_tensor *out = &e->out[0];
	uint32_t rank, dims[NNACCEL_MAX_RANK], index[NNACCEL_MAX_RANK];
	int64_t activation = e->type <= NNA_OPERATION_SUB ? nnr_eval_int(e, 2, 0) : 0;
	int ret = broadcast(a, b, &rank, dims);

	if (!ret)
		ret = nnr_eval_out(e, 0, rank, dims);
	for (size_t i = 0; !ret && i < out->count; i++) {
		struct point r;

		nnr_eval_unravel(i, rank, dims, index);
		r = binary(e, a->v[broadcast_at(a, rank, index)],
			   b->v[broadcast_at(b, rank, index)]);
		out->v[i] = nnr_eval_activate(activation, r.v);
		out->err[i] = r.err;
	}
	return ret;
}

static bool same_numbers(const struct nnr_eval_tensor *a, const struct nnr_eval_tensor *b)
{
	return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point;
}

static int eval_select(struct nnr_eval *e)
{
	struct nnr_eval_tensor *out = &e->out[0];
	int ret = nnr_eval_out(e, 0, e->in[0].rank, e->in[0].dims);

	if (ret || e->in[1].count != out->count || e->in[2].count != out->count)
		return ret ? ret : -EINVAL;
	out->exact = same_numbers(&e->in[1], out) && same_numbers(&e->in[2], out);
	for (size_t i = 0; i < out->count; i++)
		out->v[i] = e->in[e->in[0].v[i] != 0 ? 1 : 2].v[i];
	return 0;
}

/* A cast is of the stored number, whatever its scale and zero point. */
static int eval_cast(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	struct nnr_eval_tensor *out = &e->out[0];
	int ret = nnr_eval_out(e, 0, in->rank, in->dims);
	int64_t low, high;

	nnr_type_range(out->type, &low, &high);
	for (size_t i = 0; !ret && i < out->count; i++) {
		double v = in->v[i];

		if (nnr_is_quantised(in->type))
			v = round(v / (double)in->scale) + in->zero_point;
		if (!nnr_is_float(out->type)) {
			if (out->type == NNA_OPERAND_TENSOR_BOOL8)
				v = v != 0;
			v = trunc(v);
			if (!(v >= (double)low && v <= (double)high))
				out->err[i] = INFINITY;
		}
		if (nnr_is_quantised(out->type)) {
			v = (v - out->zero_point) * (double)out->scale;
			out->exact = true;
		}
		out->v[i] = v;
	}
	return ret;
}

static int eval_requantise(struct nnr_eval *e)
{
	int ret = nnr_eval_out(e, 0, e->in[0].rank, e->in[0].dims);

	/* Halves may fall to either side of the division in fp32. */
	e->out[0].steps = 0.501;
	for (size_t i = 0; !ret && i < e->out[0].count; i++)
		e->out[0].v[i] = e->in[0].v[i];
	return ret;
}

int nnr_eval_element(struct nnr_eval *e)
{
	if (is_unary(e->type))
		return eval_unary(e);
	if (is_binary(e->type))
		return eval_binary(e);
	switch (e->type) {
	case NNA_OPERATION_SELECT:
		return eval_select(e);
	case NNA_OPERATION_CAST:
		return eval_cast(e);
	case NNA_OPERATION_QUANTIZE:
	case NNA_OPERATION_DEQUANTIZE:
		return eval_requantise(e);
	default:
		return -ENOTSUP;
	}
}

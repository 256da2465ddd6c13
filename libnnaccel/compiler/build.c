// SPDX-License-Identifier: MIT
/*
 * Shorthands for the frequent commands (nna_emit_*, see lower.h): they fill in parameters from the
 * types and quantisation of values, and choose integer rules where the description has them.
 *
 * They take a lowering under construction and append to it; what has no elements emits no command.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/ir.h"

void nna_requantize_from(double factor, int32_t *multiplier, int32_t *shift)
{
	int exponent;
	double mantissa;
	int64_t m;
	int s;

	*multiplier = 0;
	*shift = 1;
	if (!(factor > 0) || isinf(factor))
		return;
	mantissa = frexp(factor, &exponent); /* [0.5, 1) */
	m = llround(ldexp(mantissa, 31));
	s = 31 - exponent;
	if (m == (int64_t)1 << 31) {
		m >>= 1;
		s--;
	}
	if (s < 1) {
		/* No accumulator can be scaled by that much: every result saturates. */
		m = INT32_MAX;
		s = 1;
	} else if (s > 62) {
		/*
		 * So small a factor gives 0 for most accumulators; the multiplier loses low bits.
		 */
		m = s - 62 < 31 ? m >> (s - 62) : 0;
		s = 62;
	}
	*multiplier = m;
	*shift = s;
}

/* The lowest and highest number that a type stores; those of S32 for wider types and floats. */
static void type_range(uint8_t type, int32_t *low, int32_t *high)
{
	switch (type) {
	case NNAHW_TYPE_U8:
		*low = 0;
		*high = UINT8_MAX;
		break;
	case NNAHW_TYPE_S8:
		*low = INT8_MIN;
		*high = INT8_MAX;
		break;
	case NNAHW_TYPE_U16:
		*low = 0;
		*high = UINT16_MAX;
		break;
	case NNAHW_TYPE_S16:
		*low = INT16_MIN;
		*high = INT16_MAX;
		break;
	case NNAHW_TYPE_BOOL8:
		*low = 0;
		*high = 1;
		break;
	default:
		*low = INT32_MIN;
		*high = INT32_MAX;
		break;
	}
}

void nna_activation_range(const struct nna_lower *l, uint32_t value, enum nna_activation act,
			  float *fmin, float *fmax, int32_t *qmin, int32_t *qmax)
{
	const struct nna_value *v = &l->values[value];
	float low = -INFINITY, high = INFINITY;

	switch (act) {
	case NNA_ACT_RELU:
		low = 0;
		break;
	case NNA_ACT_RELU1:
		low = -1;
		high = 1;
		break;
	case NNA_ACT_RELU6:
		low = 0;
		high = 6;
		break;
	default:
		break;
	}
	*fmin = low;
	*fmax = high;
	type_range(v->type, qmin, qmax);
	if (v->scale > 0) {
		float at_low = roundf(low / v->scale) + v->zero_point;
		float at_high = roundf(high / v->scale) + v->zero_point;

		/* Compared as floats, as they may lie far outside of S32. */
		if (at_low > *qmin)
			*qmin = at_low >= *qmax ? *qmax : (int32_t)at_low;
		if (at_high < *qmax)
			*qmax = at_high <= *qmin ? *qmin : (int32_t)at_high;
	}
}

static bool is_quantised_integer(const struct nna_value *v)
{
	return v->scale != 0 && nnahw_type_size(v->type) <= 2 && v->type != NNAHW_TYPE_F16;
}

static bool is_float(const struct nna_value *v)
{
	return v->type == NNAHW_TYPE_F32 || v->type == NNAHW_TYPE_F16;
}

/*
 * Views of one dims list with more dims than commands take become views with fewer, where their
 * strides allow it. @b may be @a.
 */
static int fold_views(struct nna_lower *l, uint32_t *a, uint32_t *b)
{
	struct nna_value x = l->values[*a], y = l->values[*b];
	int64_t first, second;

	if (x.rank <= NNAHW_MAX_RANK)
		return 0;
	nna_value_fold(&x, &y);
	first = nna_value_add(l, &x);
	if (first < 0)
		return first;
	second = nna_value_add(l, &y);
	if (second < 0)
		return second;
	*a = first;
	*b = second;
	return 0;
}

int nna_emit_copy(struct nna_lower *l, uint32_t out, uint32_t in)
{
	struct nnahw_cmd_copy c = { .head.opcode = NNAHW_OP_COPY };
	uint32_t values[] = { out, in };
	uint32_t count;

	if (out >= l->value_count || in >= l->value_count)
		return -EINVAL;
	if (!nna_value_same_dims(&l->values[out], &l->values[in]) ||
	    nnahw_type_size(l->values[out].type) != nnahw_type_size(l->values[in].type))
		return -EINVAL;
	if (!nna_value_count(&l->values[out], &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	return fold_views(l, &values[0], &values[1]) ?: nna_lower_command(l, &c, values);
}

int nna_emit_fill(struct nna_lower *l, uint32_t out, uint64_t bits)
{
	struct nnahw_cmd_fill c = { .head.opcode = NNAHW_OP_FILL };
	uint32_t size, count;

	if (out >= l->value_count)
		return -EINVAL;
	if (!nna_value_count(&l->values[out], &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	size = nnahw_type_size(l->values[out].type);
	c.value = size < 8 ? bits & ((1ull << (8 * size)) - 1) : bits;
	return fold_views(l, &out, &(uint32_t){ out }) ?: nna_lower_command(l, &c, &out);
}

/*
 * The factors of ADD and SUB as integers over a common power of two, the larger one with 30 bits:
 * operands have 17 bits at most, so a sum has 48 and the rounding term at most 61. False where they
 * do not fit; then the command computes in fp32.
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

/* Whether the graph asks for the rounding of TFLite. */
static bool rounds_as_tflite(const struct nna_lower *l)
{
	return l->graph && l->graph->rounding == NNA_ROUNDING_TFLITE;
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
 * TFLite's rules for 8-bit types, in the precision in which TFLite computes their factors: sums in
 * units of 2^-20 of twice the larger scale, everything else by one factor.
 */
static void staged_rule(struct nnahw_cmd_ewise *c, const struct nna_value *out,
			const struct nna_value *a, const struct nna_value *b)
{
	double twice;

	switch (c->op) {
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
		twice = 2 * (double)fmaxf(a->scale, b->scale);
		signed_requantize_from(a->scale / twice, &c->a_scale, &c->a_shift);
		signed_requantize_from(b->scale / twice, &c->b_scale, &c->b_shift);
		nna_requantize_from(twice / (0x1p20 * (double)out->scale), &c->multiplier,
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
	default: /* IDENTITY */
		nna_requantize_from((double)a->scale / out->scale, &c->a_scale, &c->shift);
		break;
	}
	c->staged = c->a_scale != 0;
	if (!c->staged) /* a factor beyond all scales: by value */
		c->a_shift = c->b_shift = c->b_scale = c->multiplier = 0;
}

/*
 * Fills in the integer rule of an EWISE whose operands are all quantised; the rounding of the graph
 * decides which rule.
 */
static void integer_rule(const struct nna_lower *l, struct nnahw_cmd_ewise *c,
			 const uint32_t *values)
{
	const struct nna_value *v[4];
	bool wide = false;
	double factor;

	for (int i = 0; i < 4; i++) {
		v[i] = values[i] == NNA_NO_VALUE ? NULL : &l->values[values[i]];
		if (v[i] && !is_quantised_integer(v[i]))
			return;
		if (v[i] && nnahw_type_size(v[i]->type) == 2)
			wide = true;
	}
	if (!v[1] || v[3])
		return;
	if (rounds_as_tflite(l) && !wide &&
	    (v[2] ? c->op == NNAHW_EWISE_ADD || c->op == NNAHW_EWISE_SUB ||
			     c->op == NNAHW_EWISE_MUL :
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
		/* In fp32, as in the kernels that quantised models are calibrated with. */
		factor = (double)(v[1]->scale * v[2]->scale / v[0]->scale);
		nna_requantize_from(factor, &c->a_scale, &c->shift);
		if (wide) {
			/* 34 bits of product leave 29 for the multiplier. */
			if (c->shift < 4) {
				c->a_scale = 0;
				break;
			}
			c->a_scale = (c->a_scale + 4) >> 3;
			c->shift -= 3;
		}
		break;
	case NNAHW_EWISE_IDENTITY:
		if (v[2])
			return;
		factor = (double)v[1]->scale / v[0]->scale;
		nna_requantize_from(factor, &c->a_scale, &c->shift);
		break;
	default:
		break;
	}
}

int nna_emit_requantize(struct nna_lower *l, uint32_t out, uint32_t in)
{
	struct nnahw_cmd_ewise cmd = { .head.opcode = NNAHW_OP_EWISE, .op = NNAHW_EWISE_IDENTITY };
	uint32_t values[4] = { out, in, NNA_NO_VALUE, NNA_NO_VALUE };
	const struct nna_value *o, *i;

	if (out >= l->value_count || in >= l->value_count)
		return -EINVAL;
	o = &l->values[out];
	i = &l->values[in];
	if (!rounds_as_tflite(l) || !is_quantised_integer(o) || !is_quantised_integer(i) ||
	    nnahw_type_size(o->type) != 1 || nnahw_type_size(i->type) != 1)
		return nna_emit_ewise(l, NNAHW_EWISE_IDENTITY, out, in, NNA_NO_VALUE, NNA_NO_VALUE,
				      NNA_ACT_NONE, 0, 0);
	nna_activation_range(l, out, NNA_ACT_NONE, &cmd.clamp_min, &cmd.clamp_max, &cmd.q_min,
			     &cmd.q_max);
	staged_rule(&cmd, o, i, NULL);
	return nna_lower_command(l, &cmd, values);
}

int nna_emit_ewise(struct nna_lower *l, uint8_t op, uint32_t out, uint32_t a, uint32_t b,
		   uint32_t c, enum nna_activation act, float p0, float p1)
{
	struct nnahw_cmd_ewise cmd = { .head.opcode = NNAHW_OP_EWISE, .op = op, .shift = 1 };
	uint32_t values[4] = { out, a, b, c };
	uint32_t count;

	if (out >= l->value_count)
		return -EINVAL;
	for (int i = 1; i < 4; i++) {
		const struct nna_value *o = &l->values[out];
		uint32_t dims[NNACCEL_MAX_RANK];
		int64_t view;

		if (values[i] == NNA_NO_VALUE)
			continue;
		if (values[i] >= l->value_count)
			return -EINVAL;
		if (nna_value_same_dims(&l->values[values[i]], o))
			continue;
		memcpy(dims, o->dims, sizeof(dims));
		view = nna_view_broadcast(l, values[i], o->rank, dims);
		if (view < 0)
			return view;
		values[i] = view;
	}
	if (!nna_value_count(&l->values[out], &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	nna_activation_range(l, out, act, &cmd.clamp_min, &cmd.clamp_max, &cmd.q_min, &cmd.q_max);
	cmd.p0 = p0;
	cmd.p1 = p1;
	integer_rule(l, &cmd, values);
	return nna_lower_command(l, &cmd, values);
}

/*
 * TFLite's rule for SUM and MEAN of 8-bit types: the factor in.scale / out.scale as multiplier and
 * shift. For MEAN the multiplier, shifted up to keep its bits, is divided by the number of elements
 * as an integer.
 */
static void tflite_reduce(const struct nna_lower *l, struct nnahw_cmd_reduce *c,
			  const uint32_t *values)
{
	const struct nna_value *out = &l->values[values[0]], *in = &l->values[values[1]];
	int64_t size = 1;
	int32_t shift;
	int up;

	if (!rounds_as_tflite(l) || !is_quantised_integer(out) || !is_quantised_integer(in) ||
	    nnahw_type_size(in->type) != 1 || nnahw_type_size(out->type) != 1 ||
	    (c->kind != NNAHW_REDUCTION_MEAN && c->kind != NNAHW_REDUCTION_SUM))
		return;
	for (uint32_t k = 0; k < in->rank; k++)
		if (c->kind == NNAHW_REDUCTION_MEAN && c->axes & (1u << k))
			size *= in->dims[k];
	nna_requantize_from((double)in->scale / out->scale, &c->multiplier, &shift);
	if (!size)
		return;
	up = 63 - __builtin_clzll(size);
	if (up > 62 - shift)
		up = 62 - shift; /* the largest shift that the device takes */
	c->multiplier = ((int64_t)c->multiplier << up) / size;
	c->shift = shift + up;
}

int nna_emit_reduce(struct nna_lower *l, uint8_t kind, uint32_t out, uint32_t in, uint32_t axes)
{
	struct nnahw_cmd_reduce c = { .head.opcode = NNAHW_OP_REDUCE, .kind = kind, .axes = axes };
	uint32_t values[2] = { out, in };
	uint32_t dims[NNACCEL_MAX_RANK];
	const struct nna_value *v;
	uint32_t count;

	if (out >= l->value_count || in >= l->value_count)
		return -EINVAL;
	v = &l->values[in];
	if (axes >> v->rank)
		return -EINVAL;
	for (uint32_t k = 0; k < v->rank; k++)
		dims[k] = axes & (1u << k) ? 1 : v->dims[k];
	if (!nna_value_count(&l->values[out], &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	if (l->values[out].rank != v->rank ||
	    memcmp(l->values[out].dims, dims, sizeof(dims[0]) * v->rank)) {
		uint32_t before = l->command_count;
		int64_t view = nna_view_reshape(l, out, v->rank, dims);

		if (view < 0)
			return view;
		/* The view is one to write to: a copy would be of no use. */
		if (l->command_count != before)
			return -EINVAL;
		values[0] = view;
	}
	type_range(l->values[out].type, &c.q_min, &c.q_max);
	tflite_reduce(l, &c, values);
	return nna_lower_command(l, &c, values);
}

/* The epilogue for an activation, without a residual. */
static void epilogue(const struct nna_lower *l, struct nnahw_epilogue *e, uint32_t out,
		     enum nna_activation act)
{
	nna_activation_range(l, out, act, &e->clamp_min, &e->clamp_max, &e->q_min, &e->q_max);
	e->residual_min = -INFINITY;
	e->residual_max = INFINITY;
	type_range(l->values[out].type, &e->residual_q_min, &e->residual_q_max);
	e->zero_point = l->values[out].zero_point;
	e->add_shift = 1;
}

/*
 * The channels table of @n entries, whose factors are scales of in * weights / out; scales per
 * channel run along @axis of the weights.
 */
static int64_t channels_table(struct nna_lower *l, const struct nna_value *in,
			      const struct nna_value *weights, const struct nna_value *out,
			      uint32_t axis, uint32_t n, bool once)
{
	bool exact = rounds_as_tflite(l) && (once || weights->type == NNAHW_TYPE_S8);
	uint32_t dims[2] = { n, 4 };
	struct nnahw_channel *table;
	int64_t value;

	/* A scale of 0 would be a multiplier of 0 too. */
	if (weights->channel_scales ?
		    weights->channel_count != n || (n > 1 && weights->channel_dim != axis) :
		    !(weights->scale > 0))
		return -EINVAL;
	table = calloc(n ? n : 1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (uint32_t c = 0; c < n; c++) {
		/*
		 * With one scale, the product is in fp32, as the scale of the bias is: models are
		 * calibrated against that. TFLite does so for u8 convolutions only.
		 */
		double product = weights->channel_scales ?
					 (double)in->scale * weights->channel_scales[c] :
				 exact ? (double)in->scale * weights->scale :
					 (double)(in->scale * weights->scale);

		nna_requantize_from(product / out->scale, &table[c].multiplier, &table[c].shift);
	}
	value = nna_lower_constant(l, NNAHW_TYPE_S32, 2, dims, 0, 0, table);
	free(table);
	return value;
}

const struct nna_conv_params nna_conv_plain = {
	.groups = 1,
	.multiplier = 1,
	.stride_h = 1,
	.stride_w = 1,
	.dilation_h = 1,
	.dilation_w = 1,
};

int nna_emit_conv(struct nna_lower *l, bool depthwise, uint32_t out, uint32_t in, uint32_t weights,
		  uint32_t bias, const struct nna_conv_params *params)
{
	struct nnahw_cmd_conv c = { .head.opcode = depthwise ? NNAHW_OP_DWCONV : NNAHW_OP_CONV };
	uint32_t values[6] = { out, in, weights, bias, NNA_NO_VALUE, NNA_NO_VALUE };
	struct nna_value vo, vi, vw;
	uint32_t n, count;

	/* DWCONV is CONV with the multiplier in the place of the groups. */
	_Static_assert(sizeof(struct nnahw_cmd_conv) == sizeof(struct nnahw_cmd_dwconv),
		       "conv and dwconv");
	_Static_assert(offsetof(struct nnahw_cmd_conv, groups) ==
			       offsetof(struct nnahw_cmd_dwconv, multiplier),
		       "groups and multiplier");
	if (out >= l->value_count || in >= l->value_count || weights >= l->value_count ||
	    (bias != NNA_NO_VALUE && bias >= l->value_count))
		return -EINVAL;
	vo = l->values[out];
	vi = l->values[in];
	vw = l->values[weights];
	if (vo.rank != 4 || vi.rank != 4 || vw.rank != 4)
		return -EINVAL;
	if (!nna_value_count(&vo, &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	n = depthwise ? vw.dims[3] : vw.dims[0];
	c.layout = NNAHW_LAYOUT_PLAIN;
	c.groups = depthwise ? params->multiplier : params->groups;
	c.kernel_h = vw.dims[1];
	c.kernel_w = vw.dims[2];
	c.stride_h = params->stride_h;
	c.stride_w = params->stride_w;
	c.dilation_h = params->dilation_h;
	c.dilation_w = params->dilation_w;
	c.pad_top = params->pad_top;
	c.pad_left = params->pad_left;
	epilogue(l, &c.epilogue, out, params->act);
	if (!is_float(&vo)) {
		int64_t channels = channels_table(l, &vi, &vw, &vo, depthwise ? 3 : 0, n,
						   params->once);

		if (channels < 0)
			return channels;
		values[NNAHW_CONV_CHANNELS] = channels;
		c.epilogue.once = params->once && rounds_as_tflite(l);
	}
	return nna_lower_command(l, &c, values);
}

int nna_emit_matmul(struct nna_lower *l, uint32_t out, uint32_t a, uint32_t b)
{
	struct nnahw_cmd_matmul c = { .head.opcode = NNAHW_OP_MATMUL };
	uint32_t values[6] = { out, a, b, NNA_NO_VALUE, NNA_NO_VALUE, NNA_NO_VALUE };
	struct nna_value vo, va, vb;
	uint32_t count;

	if (out >= l->value_count || a >= l->value_count || b >= l->value_count)
		return -EINVAL;
	vo = l->values[out];
	va = l->values[a];
	vb = l->values[b];
	if (vo.rank != 3 || va.rank != 3 || vb.rank != 3)
		return -EINVAL;
	if (!nna_value_count(&vo, &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	epilogue(l, &c.epilogue, out, NNA_ACT_NONE);
	if (!is_float(&vo)) {
		int64_t channels = channels_table(l, &va, &vb, &vo, 2,
						  vb.channel_scales ? vo.dims[2] : 1, false);

		if (channels < 0)
			return channels;
		values[NNAHW_MATMUL_CHANNELS] = channels;
	}
	return nna_lower_command(l, &c, values);
}

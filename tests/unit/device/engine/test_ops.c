// SPDX-License-Identifier: MIT
/*
 * POOL, EWISE, COPY, FILL, REDUCE, ARG, SOFTMAX, RESIZE and GATHER on random shapes: every kernel
 * that the machine has against computations in double and libm, and the vector kernels' integers
 * against the scalar ones bit for bit.
 */
#include "tests/unit/device/engine/engine.h"

static struct call c; /* the command under test */
static struct rng r;

static uint32_t pick(const uint32_t *list, size_t n)
{
	return list[rng_next(&r) % n];
}

#define PICK(...)                                                                                  \
	pick((uint32_t[]){ __VA_ARGS__ },                                                          \
	     sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static int spread(void)
{
	return rng_next(&r) % 3 == 0;
}

static int is_float(uint32_t type)
{
	return type == NNAHW_TYPE_F16 || type == NNAHW_TYPE_F32;
}

static void range_of(uint32_t type, int64_t *low, int64_t *high)
{
	*low = type == NNAHW_TYPE_S8  ? -128 :
	       type == NNAHW_TYPE_S16 ? -32768 :
	       type == NNAHW_TYPE_S32 ? INT32_MIN :
					0;
	*high = type == NNAHW_TYPE_S8	 ? 127 :
		type == NNAHW_TYPE_U8	 ? 255 :
		type == NNAHW_TYPE_S16	 ? 32767 :
		type == NNAHW_TYPE_U16	 ? 65535 :
		type == NNAHW_TYPE_BOOL8 ? 1 :
		type == NNAHW_TYPE_U32	 ? UINT32_MAX :
					   INT32_MAX;
	if (type == NNAHW_TYPE_S64)
		*low = INT64_MIN, *high = INT64_MAX;
}

static void quantise(uint32_t i, float scale)
{
	int64_t low, high;

	range_of(c.cmd.operands[i].desc.type, &low, &high);
	operand_quantise(&c.cmd.operands[i], scale, (int32_t)rng_range(&r, low, high));
}

static uint32_t random_dims(uint32_t *dims, uint32_t low_rank, uint32_t largest)
{
	uint32_t rank = (uint32_t)rng_range(&r, low_rank, 5);

	for (uint32_t k = 0; k < rank; k++)
		dims[k] = (uint32_t)rng_range(&r, 1, k + 1 == rank ? largest : 5);
	return rank;
}

/*
 * Whether `got` is what `want` becomes in the type of `out`, with an error of `slack` in the value
 * and one last place for floats; quantised: exact unless the value lies within slack of a rounding
 * boundary.
 */
static void check(const struct nnadev_engine_operand *out, const uint32_t *index, double want,
		  double slack, const char *what)
{
	double got = number(out, index), scale = out->desc.scale != 0 && !is_float(out->desc.type)
							 ? (double)out->desc.scale
							 : 0;
	int64_t low, high;

	range_of(out->desc.type, &low, &high);
	if (isnan(want)) {
		assert_true(is_float(out->desc.type) ? isnan(got) : 1);
		return;
	}
	if (out->desc.type == NNAHW_TYPE_F32 || out->desc.type == NNAHW_TYPE_F16) {
		double last = fabs(want) * (out->desc.type == NNAHW_TYPE_F32 ? 0x1p-22 : 0x1p-11);

		if (out->desc.type == NNAHW_TYPE_F16 && fabs(want) > 65500)
			return;
		slack += last + (out->desc.type == NNAHW_TYPE_F32 ? 1e-44 : 0x1p-25);
		if (!(fabs(got - want) <= slack) && got != want)
			fail_msg("%s: got %.9g, not %.9g", what, got, want);
		return;
	}
	if (scale != 0) {
		double q = fmin(fmax(want / scale + out->desc.zero_point, (double)low),
				(double)high);

		if (!(fabs(got - q) <= 0.5 + slack / scale + 1e-3))
			fail_msg("%s: got %g, not %g", what, got, q);
		return;
	}
	if (out->desc.type == NNAHW_TYPE_BOOL8)
		want = want != 0;
	want = fmin(fmax(want, (double)low), (double)high);
	if (!(fabs(got - trunc(want)) <= (slack > 0 ? 1 + fabs(want) * 0x1p-22 : 0)))
		fail_msg("%s: got %g, not %g", what, got, want);
}

/* Runs with every kernel set; `verify` looks at each result. Integer outputs must not differ. */
static void run_all(void (*verify)(void))
{
	const enum nnadev_engine_isa best = nnadev_engine_isa_detect();
	const struct nnadev_engine_operand *out = &c.cmd.operands[0];
	void *scalar = malloc(c.sizes[0] + 1), *before = malloc(c.sizes[0] + 1);

	memcpy(before, c.buffers[0], c.sizes[0]);
	for (enum nnadev_engine_isa isa = NNADEV_ENGINE_SCALAR; isa <= best; isa++) {
		memcpy(c.buffers[0], before, c.sizes[0]);
		assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_OK);
		verify();
		if (isa == NNADEV_ENGINE_SCALAR)
			memcpy(scalar, c.buffers[0], c.sizes[0]);
		else if (!is_float(out->desc.type) && memcmp(scalar, c.buffers[0], c.sizes[0]))
			fail_msg("opcode %u kind %u types %u -> %u: isa %d differs from scalar",
				 c.cmd.raw->opcode, c.raw[16 + 96 * c.cmd.operand_count],
				 c.cmd.operands[1].desc.type, out->desc.type, isa);
	}
	free(scalar);
	free(before);
}

/* POOL */

static void verify_pool(void)
{
	const struct nnahw_cmd_pool *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[4] = { 0 };

	do {
		int64_t top = (int64_t)index[1] * p->stride_h - p->pad_top,
			left = (int64_t)index[2] * p->stride_w - p->pad_left;
		double sum = 0, squares = 0, largest = -INFINITY, n = 0, want;

		for (uint32_t y = 0; y < in->desc.dims[1]; y++)
			for (uint32_t x = 0; x < in->desc.dims[2]; x++) {
				double v = number(in, (uint32_t[]){ index[0], y, x, index[3] });

				if (y < top || x < left || y >= top + p->kernel_h ||
				    x >= left + p->kernel_w)
					continue;
				sum += v;
				squares += v * v;
				largest = fmax(largest, v);
				n++;
			}
		if (!is_float(out->desc.type)) {
			want = p->kind == NNAHW_POOL_MAX ? largest :
							   floor((sum + floor(n / 2)) / n);
			if (p->away && sum < 0)
				want = -floor((floor(n / 2) - sum) / n);
			want = fmin(fmax(want, p->q_min), p->q_max);
			if (number(out, index) != want)
				fail_msg("pool: got %g, not %g", number(out, index), want);
		} else {
			want = p->kind == NNAHW_POOL_MAX	     ? largest
			       : p->kind == NNAHW_POOL_AVERAGE ? sum / n
							       : sqrt(squares / n);
			check(out, index,
			      fmin(fmax(want, (double)p->clamp_min), (double)p->clamp_max), 1e-5,
			      "pool");
		}
	} while (next_index(&out->desc, index));
}

static void test_pool(void **state)
{
	struct nnahw_cmd_pool *p = (struct nnahw_cmd_pool *)c.raw;

	r.state = 21;
	for (int i = 0; i < 1500; i++) {
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F16, NNAHW_TYPE_F32),
			 b = (uint32_t)rng_range(&r, 1, 2);
		uint32_t h = (uint32_t)rng_range(&r, 1, 14), w = (uint32_t)rng_range(&r, 1, 14),
			 ch = (uint32_t)rng_range(&r, 1, 70);
		uint32_t oh, ow;
		int64_t low, high;

		call_init(&c, NNAHW_OP_POOL, sizeof(*p), 2);
		p->kind = (uint8_t)rng_range(&r, 0, is_float(type) ? 2 : 1);
		p->kernel_h = (uint32_t)rng_range(&r, 1, rng_next(&r) % 5 ? 4 : 20);
		p->kernel_w = (uint32_t)rng_range(&r, 1, rng_next(&r) % 5 ? 4 : 20);
		p->stride_h = (uint32_t)rng_range(&r, 1, 3);
		p->stride_w = (uint32_t)rng_range(&r, 1, 3);
		p->pad_top = (uint32_t)rng_range(&r, 0, p->kernel_h - 1);
		p->pad_left = (uint32_t)rng_range(&r, 0, p->kernel_w - 1);
		oh = (uint32_t)rng_range(&r, 1, (h + p->pad_top - 1) / p->stride_h + 1);
		ow = (uint32_t)rng_range(&r, 1, (w + p->pad_left - 1) / p->stride_w + 1);
		p->clamp_min = rng_next(&r) & 1 ? -INFINITY : 0;
		p->clamp_max = rng_next(&r) & 1 ? INFINITY : 1;
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ b, oh, ow, ch }, spread());
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ b, h, w, ch }, spread());
		operand_floats(&c, &r, 1, -3, 3);
		if (!is_float(type)) {
			quantise(0, 0.5f);
			operand_quantise(&c.cmd.operands[1], 0.5f,
					 c.cmd.operands[0].desc.zero_point);
			p->away = p->kind == NNAHW_POOL_AVERAGE && rng_next(&r) & 1;
			range_of(type, &low, &high);
			p->q_min = (int32_t)(rng_next(&r) & 1 ? low : rng_range(&r, low, low + 90));
			p->q_max = (int32_t)(rng_next(&r) & 1 ? high
							      : rng_range(&r, high - 90, high));
		}
		run_all(verify_pool);
		/* For the mean of 8-bit types only. */
		p->away = is_float(type) || p->kind != NNAHW_POOL_AVERAGE ? 1 : 2;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		call_free(&c);
	}
}

/* EWISE on floats and by value */

static double exact(uint32_t op, double a, double b, double d, double p0)
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
		return fmax(a, b);
	case NNAHW_EWISE_MINIMUM:
		return fmin(a, b);
	case NNAHW_EWISE_POW:
		return pow(a, b);
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
		return a != 0 ? b : d;
	case NNAHW_EWISE_PRELU:
		return a >= 0 ? a : a * b;
	case NNAHW_EWISE_ABS:
		return fabs(a);
	case NNAHW_EWISE_NEG:
		return -a;
	case NNAHW_EWISE_EXP:
		return exp(a);
	case NNAHW_EWISE_LOG:
		return log(a);
	case NNAHW_EWISE_SQRT:
		return sqrt(a);
	case NNAHW_EWISE_RSQRT:
		return 1 / sqrt(a);
	case NNAHW_EWISE_SIN:
		return sin(a);
	case NNAHW_EWISE_COS:
		return cos(a);
	case NNAHW_EWISE_FLOOR:
		return floor(a);
	case NNAHW_EWISE_TANH:
		return tanh(a);
	case NNAHW_EWISE_LOGISTIC:
		return 1 / (1 + exp(-a));
	case NNAHW_EWISE_ELU:
		return a >= 0 ? a : p0 * expm1(a);
	case NNAHW_EWISE_HARD_SWISH:
		return a * fmin(fmax(a + 3, 0), 6) / 6;
	case NNAHW_EWISE_FLOOR_DIV:
		return floor(a / b);
	case NNAHW_EWISE_LEAKY_RELU:
		return a >= 0 ? a : p0 * a;
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		return (a - b) * (a - b);
	case NNAHW_EWISE_MUL_ADD:
		return a * b + d;
	default:
		return a;
	}
}

static uint32_t inputs_of(uint32_t op)
{
	if (op == NNAHW_EWISE_SELECT || op == NNAHW_EWISE_MUL_ADD)
		return 3;
	if ((op >= NNAHW_EWISE_ADD && op <= NNAHW_EWISE_LOGICAL_OR) || op == NNAHW_EWISE_PRELU ||
	    op == NNAHW_EWISE_FLOOR_DIV || op == NNAHW_EWISE_SQUARED_DIFFERENCE)
		return 2;
	return 1;
}

static int is_comparison(uint32_t op)
{
	return op >= NNAHW_EWISE_EQUAL && op <= NNAHW_EWISE_LOGICAL_NOT;
}

static void verify_ewise_value(void)
{
	const struct nnahw_cmd_ewise *p = (const void *)c.raw;
	const struct nnadev_engine_operand *o = c.cmd.operands;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		double x[4] = { 0 }, want;

		for (uint32_t i = 1; i <= inputs_of(p->op); i++) {
			x[i] = p->op == NNAHW_EWISE_CAST ? number(&o[i], index) :
							   value(&o[i], index);
			x[i] = (double)(float)x[i];
		}
		want = exact(p->op, x[1], x[2], x[3], (double)p->p0);
		if (p->op == NNAHW_EWISE_FLOOR_DIV) {
			/* the quotient is rounded before its floor is taken */
			want = (double)floorf((float)x[1] / (float)x[2]);
		}
		if (is_float(o[0].desc.type) && !isnan(want))
			want = fmin(fmax(want, (double)p->clamp_min), (double)p->clamp_max);
		check(&o[0], index, want, (fabs(x[1]) + fabs(x[2] * x[1]) + fabs(x[2])) * 0x1p-22,
		      "ewise");
	} while (next_index(&o[0].desc, index));
}

/* Random broadcast: some strides become 0. */
static void broadcast(uint32_t i)
{
	struct nnadev_engine_operand *o = &c.cmd.operands[i];

	for (uint32_t k = 0; k < o->desc.rank; k++)
		if (rng_next(&r) % 5 == 0 && o->desc.dims[k] > 1)
			o->desc.strides[k] = 0, o->contiguous = false;
}

static void test_ewise_value(void **state)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;

	r.state = 22;
	for (int i = 0; i < 4000; i++) {
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 80),
					       op = (uint32_t)rng_range(&r, 0, NNAHW_EWISE_MUL_ADD);
		uint32_t in = PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8,
				   NNAHW_TYPE_S16, NNAHW_TYPE_U16),
			 out = in;
		int64_t low, high;

		if (op == NNAHW_EWISE_IDENTITY || op == NNAHW_EWISE_CAST || rng_next(&r) % 6 == 0)
			out = PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8,
				   NNAHW_TYPE_S16, NNAHW_TYPE_S32, NNAHW_TYPE_BOOL8);
		if (is_comparison(op))
			out = NNAHW_TYPE_BOOL8;
		if (op == NNAHW_EWISE_CAST && !is_float(in) && !is_float(out) &&
		    out != NNAHW_TYPE_S32)
			out = NNAHW_TYPE_F32; /* wraps: test_ewise_integer */
		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		p->op = (uint8_t)op;
		call_operand(&c, &r, 0, out, rank, dims, spread());
		for (uint32_t k = 1; k <= inputs_of(op); k++) {
			uint32_t type = op == NNAHW_EWISE_SELECT && k == 1 ? NNAHW_TYPE_BOOL8 : in;

			call_operand(&c, &r, k, type, rank, dims, spread());
			operand_floats(&c, &r, k, op == NNAHW_EWISE_POW && k == 1 ? 0 : -9, 9);
			if (type != NNAHW_TYPE_BOOL8 && !is_float(type))
				quantise(k, type == NNAHW_TYPE_S16 || type == NNAHW_TYPE_U16 ?
						    0.0001f :
						    0.04f);
			broadcast(k);
		}
		if (out == NNAHW_TYPE_U8 || out == NNAHW_TYPE_S8 || out == NNAHW_TYPE_S16 ||
		    out == NNAHW_TYPE_U16)
			quantise(0, rng_float(&r, 0.01f, 0.1f));
		range_of(out, &low, &high);
		p->q_min = (int32_t)low;
		p->q_max = (int32_t)high;
		p->clamp_min = rng_next(&r) & 1 ? -INFINITY : -2;
		p->clamp_max = rng_next(&r) & 1 ? INFINITY : 2;
		p->p0 = rng_float(&r, 0, 2);
		if (op == NNAHW_EWISE_CAST) {
			for (uint32_t k = 0; k < 2; k++) /* values without quantisation */
				c.cmd.operands[k].desc.scale = 0,
				c.cmd.operands[k].desc.zero_point = 0;
		}
		if (op == NNAHW_EWISE_EQUAL || op == NNAHW_EWISE_NOT_EQUAL ||
		    op == NNAHW_EWISE_DIV || op == NNAHW_EWISE_POW || op == NNAHW_EWISE_FLOOR_DIV ||
		    is_comparison(op))
			if (!is_float(in)) { /* ties by rounding of values: same quantisation */
				operand_quantise(&c.cmd.operands[2], c.cmd.operands[1].desc.scale,
						 c.cmd.operands[1].desc.zero_point);
				if (inputs_of(op) < 2 || op == NNAHW_EWISE_DIV ||
				    op == NNAHW_EWISE_POW || op == NNAHW_EWISE_FLOOR_DIV) {
					call_free(&c);
					continue; /* infinite and huge results: floats show it */
				}
			}
		run_all(verify_ewise_value);
		call_free(&c);
	}
}

/*
 * A number of 32 bits times a multiplier, rounded to 31 fewer bits, halves up, and then to the rest
 * of the shift, halves away from zero; in numbers wide enough.
 */
static int64_t in_stages(int64_t x, int32_t multiplier, int32_t shift)
{
	__int128 p = (__int128)(int32_t)(uint32_t)x * multiplier, half;
	int first = shift < 31 ? shift : 31;
	bool below;

	p = (p + ((__int128)1 << (first - 1))) >> first; /* rounds down: the sum rounds halves up */
	if (shift == first)
		return (int64_t)p;
	half = (__int128)1 << (shift - 32);
	below = p < 0;
	p = ((below ? -p : p) + half) / (2 * half);
	return (int64_t)(below ? -p : p);
}

static int64_t ewise_in_stages(const struct nnahw_cmd_ewise *p, int64_t x, int64_t y)
{
	int64_t a, b;

	switch (p->op) {
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
		a = in_stages(x * (1 << 20), p->a_scale, p->a_shift);
		b = in_stages(y * (1 << 20), p->b_scale, p->b_shift);
		return in_stages(p->op == NNAHW_EWISE_ADD ? a + b : a - b, p->multiplier, p->shift);
	case NNAHW_EWISE_MUL:
		return in_stages(x * y, p->a_scale, p->shift);
	case NNAHW_EWISE_LEAKY_RELU:
		return x < 0 ? in_stages(x, p->b_scale, p->b_shift)
			     : in_stages(x, p->a_scale, p->shift);
	default:
		return in_stages(x, p->a_scale, p->shift);
	}
}

/* EWISE, the integer rules on quantised numbers: exact */

static void verify_ewise_quantised(void)
{
	const struct nnahw_cmd_ewise *p = (const void *)c.raw;
	const struct nnadev_engine_operand *o = c.cmd.operands;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		__int128 x = (int64_t)number(&o[1], index) - o[1].desc.zero_point, y = 0, s,
			 half = (__int128)1 << (p->shift - 1);
		int64_t low, high;

		if (inputs_of(p->op) == 2)
			y = (int64_t)number(&o[2], index) - o[2].desc.zero_point;
		s = p->op == NNAHW_EWISE_ADD ? x * p->a_scale + y * p->b_scale :
		    p->op == NNAHW_EWISE_SUB ? x * p->a_scale - y * p->b_scale :
		    p->op == NNAHW_EWISE_MUL ? x * y * p->a_scale : x * p->a_scale;
		s = (s < 0 ? -(-s + half) : s + half) / (2 * half);
		if (p->staged)
			s = ewise_in_stages(p, (int64_t)x, (int64_t)y);
		s += o[0].desc.zero_point;
		s = s < p->q_min ? p->q_min : s > p->q_max ? p->q_max : s;
		range_of(o[0].desc.type, &low, &high);
		s = s < low ? low : s > high ? high : s;
		if (number(&o[0], index) != (double)s)
			fail_msg("ewise %u: got %g, not %g", p->op, number(&o[0], index),
				 (double)s);
	} while (next_index(&o[0].desc, index));
}

static void test_ewise_quantised(void **state)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;

	r.state = 23;
	for (int i = 0; i < 3000; i++) {
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 100);
		bool staged = rng_next(&r) & 1;
		uint32_t op = staged ? PICK(NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL,
					    NNAHW_EWISE_IDENTITY, NNAHW_EWISE_LEAKY_RELU) :
				       PICK(NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL,
					    NNAHW_EWISE_IDENTITY);
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_S16, NNAHW_TYPE_U16);
		int64_t low, high;
		int bits;

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		p->op = (uint8_t)op;
		for (uint32_t k = 0; k <= inputs_of(op); k++) {
			call_operand(&c, &r, k,
				     rng_next(&r) % 4
					     ? type
					     : PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_S16),
				     rank, dims, spread());
			quantise(k, 0.1f);
			if (k)
				broadcast(k);
		}
		bits = type == NNAHW_TYPE_S16 || type == NNAHW_TYPE_U16 ? 16 : 8;
		p->shift = (int32_t)rng_range(&r, 20, 30 + (op == NNAHW_EWISE_MUL ? bits : 0));
		p->a_scale = (int32_t)rng_range(&r, 1, 1ll << (p->shift > 30 ? 30 : p->shift));
		p->b_scale = (int32_t)rng_range(&r, 0, 1ll << (p->shift > 30 ? 30 : p->shift));
		if (rng_next(&r) % 16 == 0) {
			p->a_scale = rng_next(&r) & 1 ? INT32_MIN : INT32_MAX;
			p->b_scale = rng_next(&r) & 1 ? INT32_MIN : INT32_MAX;
			p->shift = (int32_t)rng_range(&r, 1, 40);
			if (op == NNAHW_EWISE_MUL)
				p->a_scale >>= 1;
		}
		if (staged) {
			bool sum = op == NNAHW_EWISE_ADD || op == NNAHW_EWISE_SUB;
			int32_t *const scales[] = { &p->a_scale, &p->b_scale, &p->multiplier };

			p->staged = 1;
			for (uint32_t k = 0; k < (sum ? 3 : 2); k++)
				*scales[k] = (int32_t)(rng_next(&r) % 3 ?
						       rng_range(&r, 1 << 30, INT32_MAX) :
						       1 << 30) * (rng_next(&r) % 4 ? 1 : -1);
			p->shift = (int32_t)(rng_next(&r) % 8 ? rng_range(&r, sum ? 48 : 30,
									  sum ? 53 : 40) :
								rng_range(&r, 1, 62));
			p->a_shift = sum ? (uint8_t)rng_range(&r, 31, 36) : 0;
			p->b_shift = (uint8_t)(rng_next(&r) % 8 ? rng_range(&r, 31, 36)
								: rng_range(&r, 1, 62));
		}
		range_of(c.cmd.operands[0].desc.type, &low, &high);
		p->q_min = (int32_t)(rng_next(&r) & 1 ? low : rng_range(&r, low, low + 90));
		p->q_max = (int32_t)(rng_next(&r) & 1 ? high : rng_range(&r, high - 90, high));
		run_all(verify_ewise_quantised);
		/* No such stages, an operation without them, fields of them without the mark. */
		p->staged = 2;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		if (inputs_of(op) == 1) {
			p->staged = 1;
			p->op = NNAHW_EWISE_EXP;
			assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR),
					 NNAHW_STATUS_BAD_COMMAND);
		}
		p->op = (uint8_t)op;
		p->staged = 0;
		p->b_shift = 1;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		call_free(&c);
	}
}

/* EWISE on integers: 64-bit wrapping, here with 128 bits and a cut */

static __int128 wide(const struct nnadev_engine_operand *o, const uint32_t *index)
{
	if (o->desc.type == NNAHW_TYPE_S64)
		return *(const int64_t *)element(o, index);
	return (__int128)number(o, index);
}

static void verify_ewise_integer(void)
{
	const struct nnahw_cmd_ewise *p = (const void *)c.raw;
	const struct nnadev_engine_operand *o = c.cmd.operands;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		__int128 a = wide(&o[1], index), b = 0, d = 0, x, q;
		uint64_t got = 0, mask, size = nnahw_type_size(o[0].desc.type);

		if (inputs_of(p->op) >= 2)
			b = wide(&o[2], index);
		if (inputs_of(p->op) >= 3)
			d = wide(&o[3], index);
		switch (p->op) {
		case NNAHW_EWISE_ADD:
			x = a + b;
			break;
		case NNAHW_EWISE_SUB:
			x = a - b;
			break;
		case NNAHW_EWISE_MUL:
			x = (__int128)((unsigned __int128)a * (unsigned __int128)b);
			break;
		case NNAHW_EWISE_DIV:
		case NNAHW_EWISE_FLOOR_DIV:
			q = b ? a / b : 0;
			x = b && q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
			break;
		case NNAHW_EWISE_MAXIMUM:
			x = a > b ? a : b;
			break;
		case NNAHW_EWISE_MINIMUM:
			x = a < b ? a : b;
			break;
		case NNAHW_EWISE_ABS:
			x = a < 0 ? -a : a;
			break;
		case NNAHW_EWISE_NEG:
			x = -a;
			break;
		case NNAHW_EWISE_SELECT:
			x = a ? b : d;
			break;
		case NNAHW_EWISE_SQUARED_DIFFERENCE:
			x = (__int128)((unsigned __int128)(a - b) * (unsigned __int128)(a - b));
			break;
		case NNAHW_EWISE_IDENTITY:
		case NNAHW_EWISE_CAST:
			x = a;
			break;
		case NNAHW_EWISE_EQUAL:
			x = a == b;
			break;
		case NNAHW_EWISE_LESS:
			x = a < b;
			break;
		case NNAHW_EWISE_GREATER_EQUAL:
			x = a >= b;
			break;
		default:
			x = a && b;
			break;
		}
		memcpy(&got, element(&o[0], index), size);
		mask = size == 8 ? UINT64_MAX : (1ull << 8 * size) - 1;
		if (o[0].desc.type == NNAHW_TYPE_BOOL8)
			x = (uint64_t)x != 0;
		if (got != ((uint64_t)x & mask))
			fail_msg("ewise %u type %u: got %llx, not %llx", p->op, o[0].desc.type,
				 (unsigned long long)got, (unsigned long long)((uint64_t)x & mask));
	} while (next_index(&o[0].desc, index));
}

static void test_ewise_integer(void **state)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;

	r.state = 24;
	for (int i = 0; i < 3000; i++) {
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 60);
		uint32_t op = PICK(NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL,
				   NNAHW_EWISE_DIV, NNAHW_EWISE_FLOOR_DIV, NNAHW_EWISE_MAXIMUM,
				   NNAHW_EWISE_MINIMUM, NNAHW_EWISE_ABS, NNAHW_EWISE_NEG,
				   NNAHW_EWISE_SELECT, NNAHW_EWISE_SQUARED_DIFFERENCE,
				   NNAHW_EWISE_IDENTITY, NNAHW_EWISE_CAST, NNAHW_EWISE_EQUAL,
				   NNAHW_EWISE_LESS, NNAHW_EWISE_GREATER_EQUAL,
				   NNAHW_EWISE_LOGICAL_AND);
		uint32_t type = PICK(NNAHW_TYPE_S32, NNAHW_TYPE_S32, NNAHW_TYPE_S64, NNAHW_TYPE_U32,
				     NNAHW_TYPE_BOOL8, NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_S16,
				     NNAHW_TYPE_U16);

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		p->op = (uint8_t)op;
		for (uint32_t k = 0; k <= inputs_of(op); k++) {
			uint32_t mine = k == 0 && rng_next(&r) % 3 == 0 ?
						PICK(NNAHW_TYPE_S64, NNAHW_TYPE_U8,
						     NNAHW_TYPE_BOOL8, NNAHW_TYPE_S32) :
						type;

			call_operand(&c, &r, k,
				     op == NNAHW_EWISE_SELECT && k == 1 ? NNAHW_TYPE_BOOL8 : mine,
				     rank, dims, spread());
			/* special numbers */
			for (size_t z = 0; z < c.sizes[k] / 8 && rng_next(&r) & 1; z++)
				((int64_t *)c.buffers[k])[z] = rng_next(&r) & 1	  ? -1
							       : rng_next(&r) & 1 ? 0
										  : INT64_MIN;
			if (k)
				broadcast(k);
		}
		run_all(verify_ewise_integer);
		call_free(&c);
	}
}

/* COPY and FILL */

static void verify_copy(void)
{
	const struct nnadev_engine_operand *o = c.cmd.operands;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		if (memcmp(element(&o[0], index), element(&o[1], index),
			   nnahw_type_size(o[0].desc.type)))
			fail_msg("copy differs");
	} while (next_index(&o[0].desc, index));
}

static void test_copy(void **state)
{
	r.state = 25;
	for (int i = 0; i < 1500; i++) {
		static const uint32_t same[][2] = { { NNAHW_TYPE_U8, NNAHW_TYPE_S8 },
						    { NNAHW_TYPE_F16, NNAHW_TYPE_U16 },
						    { NNAHW_TYPE_F32, NNAHW_TYPE_F32 },
						    { NNAHW_TYPE_S64, NNAHW_TYPE_S64 },
						    { NNAHW_TYPE_BOOL8, NNAHW_TYPE_U8 } };
		const uint32_t *types = same[rng_next(&r) % 5];
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 300);

		call_init(&c, NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2);
		call_operand(&c, &r, 0, types[0], rank, dims, spread());
		call_operand(&c, &r, 1, types[1], rank, dims, spread());
		broadcast(1);
		run_all(verify_copy);
		call_free(&c);
	}
}

static void verify_fill(void)
{
	const struct nnahw_cmd_fill *p = (const void *)c.raw;
	const struct nnadev_engine_operand *o = c.cmd.operands;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		assert_memory_equal(element(&o[0], index), &p->value,
				    nnahw_type_size(o[0].desc.type));
	} while (next_index(&o[0].desc, index));
}

static void test_fill(void **state)
{
	r.state = 26;
	for (int i = 0; i < 300; i++) {
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 300);

		call_init(&c, NNAHW_OP_FILL, sizeof(struct nnahw_cmd_fill), 1);
		call_operand(&c, &r, 0,
			     PICK(NNAHW_TYPE_U8, NNAHW_TYPE_F16, NNAHW_TYPE_F32, NNAHW_TYPE_S64),
			     rank, dims, spread());
		((struct nnahw_cmd_fill *)c.raw)->value = rng_next(&r);
		run_all(verify_fill);
		call_free(&c);
	}
}

/* REDUCE: the reference adds each input element to its output */

static void verify_reduce(void)
{
	const struct nnahw_cmd_reduce *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	const int quantised = in->desc.scale != 0 && !is_float(in->desc.type);
	double *x = malloc((size_t)out->count * sizeof(*x)),
	       n = out->count ? (double)in->count / out->count : 0;
	double *magnitude = calloc(out->count, sizeof(*x));
	uint32_t index[NNAHW_MAX_RANK] = { 0 }, i = 0;

	for (uint32_t k = 0; k < out->count; k++)
		x[k] = p->kind == NNAHW_REDUCTION_PROD || p->kind == NNAHW_REDUCTION_ALL ? 1
		       : p->kind == NNAHW_REDUCTION_MAX				     ? -INFINITY
		       : p->kind == NNAHW_REDUCTION_MIN				     ? INFINITY
										     : 0;
	if (in->count) {
		do {
			double v = p->kind == NNAHW_REDUCTION_ALL || p->kind == NNAHW_REDUCTION_ANY
					   ? number(in, index)
					   : value(in, index);
			uint32_t at = 0;

			for (uint32_t k = 0; k < in->desc.rank; k++)
				at = at * out->desc.dims[k] + (p->axes >> k & 1 ? 0 : index[k]);
			magnitude[at] += fabs(v);
			switch (p->kind) {
			case NNAHW_REDUCTION_PROD:
				x[at] *= v;
				break;
			case NNAHW_REDUCTION_MAX:
				x[at] = fmax(x[at], v);
				break;
			case NNAHW_REDUCTION_MIN:
				x[at] = fmin(x[at], v);
				break;
			case NNAHW_REDUCTION_ALL:
				x[at] = x[at] != 0 && v != 0;
				break;
			case NNAHW_REDUCTION_ANY:
				x[at] = x[at] != 0 || v != 0;
				break;
			default:
				x[at] += v;
				break;
			}
		} while (next_index(&in->desc, index));
	}
	memset(index, 0, sizeof(index));
	do {
		double want = p->kind == NNAHW_REDUCTION_MEAN ? x[i] / n : x[i],
		       slack = magnitude[i] * 0x1p-16 *
			       (p->kind == NNAHW_REDUCTION_MEAN ? 1 / n : 1);

		if (!is_float(in->desc.type) && !quantised)
			slack = 0;
		/* Sums have more bits than what is stored. */
		if (is_float(in->desc.type))
			slack = magnitude[i] * 0x1p-40;
		if (p->kind == NNAHW_REDUCTION_PROD)
			slack = fabs(want) * n * 0x1p-20;
		if (!isinf(want) &&
		    (p->kind != NNAHW_REDUCTION_PROD || (fabs(want) > 1e-30 && n < 20)) &&
		    fabs(want) < 1e30)
			check(out, index,
			      p->kind == NNAHW_REDUCTION_MEAN && slack == 0 ? trunc(want) : want,
			      slack,
			      p->kind == 0   ? "sum"
			      : p->kind == 1 ? "mean"
			      : p->kind == 2 ? "product"
					     : "reduce");
		i++;
	} while (next_index(&out->desc, index));
	free(x);
	free(magnitude);
}

static void reduce_case(uint32_t type, uint32_t rank, const uint32_t *in, uint32_t axes,
			uint32_t kind)
{
	struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;
	uint32_t out[NNAHW_MAX_RANK];
	int64_t low, high;

	for (uint32_t k = 0; k < rank; k++)
		out[k] = axes >> k & 1 ? 1 : in[k];
	call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
	p->kind = (uint8_t)kind;
	p->axes = axes;
	call_operand(&c, &r, 0, kind >= NNAHW_REDUCTION_ALL ? NNAHW_TYPE_BOOL8 : type, rank, out,
		     spread());
	call_operand(&c, &r, 1, type, rank, in, spread());
	operand_floats(&c, &r, 1, -2, 2);
	if (type == NNAHW_TYPE_S32)
		for (size_t k = 0; k < c.sizes[1] / 4; k++)
			((int32_t *)c.buffers[1])[k] = (int32_t)(rng_next(&r) % 7) - 3;
	if ((type == NNAHW_TYPE_U8 || type == NNAHW_TYPE_S8) && kind < NNAHW_REDUCTION_ALL) {
		quantise(0, kind == NNAHW_REDUCTION_SUM	 ? 3.f
			    : kind == NNAHW_REDUCTION_PROD ? 1
							   : 0.125f);
		quantise(1, 0.1f);
	}
	range_of(type, &low, &high);
	p->q_min = (int32_t)low;
	p->q_max = (int32_t)high;
	run_all(verify_reduce);
	call_free(&c);
}

/* SUM and MEAN with a multiplier. */
static void verify_reduce_scaled(void)
{
	const struct nnahw_cmd_reduce *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[NNAHW_MAX_RANK] = { 0 }, i = 0;
	int64_t *sums = calloc(out->count, sizeof(*sums));

	do {
		uint32_t at = 0;

		for (uint32_t k = 0; k < in->desc.rank; k++)
			at = at * out->desc.dims[k] + (p->axes >> k & 1 ? 0 : index[k]);
		sums[at] += (int64_t)number(in, index) - in->desc.zero_point;
	} while (next_index(&in->desc, index));
	memset(index, 0, sizeof(index));
	do {
		double q = (double)in_stages(sums[i++], p->multiplier, p->shift);

		q = fmin(fmax(q + out->desc.zero_point, p->q_min), p->q_max);
		if (number(out, index) != q)
			fail_msg("sum %lld: got %g, not %g", (long long)sums[i - 1],
				 number(out, index), q);
	} while (next_index(&out->desc, index));
	free(sums);
}

static void test_reduce_scaled(void **state)
{
	struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;

	r.state = 29;
	for (int i = 0; i < 1000; i++) {
		uint32_t dims[NNAHW_MAX_RANK], one[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 40);
		uint32_t axes = (uint32_t)rng_next(&r) & ((1u << rank) - 1);
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8);
		int64_t low, high;

		for (uint32_t k = 0; k < rank; k++)
			one[k] = axes >> k & 1 ? 1 : dims[k];
		call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
		p->kind = PICK(NNAHW_REDUCTION_SUM, NNAHW_REDUCTION_MEAN);
		p->axes = axes;
		p->multiplier = rng_next(&r) & 1 ? 1 << 30 : (int32_t)rng_range(&r, 1, INT32_MAX);
		p->shift = (int32_t)rng_range(&r, 29, 38);
		call_operand(&c, &r, 0, type, rank, one, spread());
		call_operand(&c, &r, 1, type, rank, dims, spread());
		quantise(0, 0.5f);
		quantise(1, 0.1f);
		range_of(type, &low, &high);
		p->q_min = (int32_t)low;
		p->q_max = (int32_t)high;
		if (c.cmd.operands[1].count)
			run_all(verify_reduce_scaled);
		p->kind = NNAHW_REDUCTION_PROD;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_COMMAND);
		p->kind = NNAHW_REDUCTION_SUM;
		c.cmd.operands[1].desc.scale = 0;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_OPERAND);
		call_free(&c);
	}
}

static void test_reduce(void **state)
{
	r.state = 27;
	for (int i = 0; i < 2000; i++) {
		uint32_t dims[NNAHW_MAX_RANK],
			rank = random_dims(dims, 0, 40),
			kind = (uint32_t)rng_range(&r, 0, NNAHW_REDUCTION_ANY);
		uint32_t type = kind >= NNAHW_REDUCTION_ALL ?
					NNAHW_TYPE_BOOL8 :
					PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8,
					     NNAHW_TYPE_S8, NNAHW_TYPE_S32);

		if (type == NNAHW_TYPE_S32 && kind == NNAHW_REDUCTION_PROD)
			kind = NNAHW_REDUCTION_SUM;
		reduce_case(type, rank, dims, (uint32_t)rng_next(&r) & ((1u << rank) - 1), kind);
	}
	/* phases: more than 16 blocks of 4096 */
	reduce_case(NNAHW_TYPE_F32, 3, (uint32_t[]){ 2, 300, 301 }, 6, NNAHW_REDUCTION_SUM);
	reduce_case(NNAHW_TYPE_F32, 2, (uint32_t[]){ 70000, 2 }, 1, NNAHW_REDUCTION_MEAN);
	reduce_case(NNAHW_TYPE_U8, 1, (uint32_t[]){ 200001 }, 1, NNAHW_REDUCTION_MEAN);
	reduce_case(NNAHW_TYPE_S32, 1, (uint32_t[]){ 65537 }, 1, NNAHW_REDUCTION_SUM);
	reduce_case(NNAHW_TYPE_F16, 2, (uint32_t[]){ 3, 80000 }, 2, NNAHW_REDUCTION_MAX);
	/* nothing to reduce */
	reduce_case(NNAHW_TYPE_S32, 2, (uint32_t[]){ 3, 0 }, 2, NNAHW_REDUCTION_SUM);
	reduce_case(NNAHW_TYPE_F32, 2, (uint32_t[]){ 3, 0 }, 2, NNAHW_REDUCTION_PROD);
}

/* ARG */

static void verify_arg(void)
{
	const struct nnahw_cmd_arg *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		uint32_t at[NNAHW_MAX_RANK], best = 0;
		double found = 0;

		memcpy(at, index, sizeof(at));
		for (uint32_t k = in->desc.dims[p->axis]; k-- > 0;) {
			double v;

			at[p->axis] = k;
			v = number(in, at);
			if (k + 1 == in->desc.dims[p->axis] ||
			    (p->minimum ? v <= found : v >= found))
				best = k, found = v;
		}
		if (number(out, index) != best)
			fail_msg("arg: got %g, not %u", number(out, index), best);
	} while (next_index(&out->desc, index));
}

static void test_arg(void **state)
{
	struct nnahw_cmd_arg *p = (struct nnahw_cmd_arg *)c.raw;

	r.state = 28;
	for (int i = 0; i < 800; i++) {
		uint32_t in[NNAHW_MAX_RANK], out[NNAHW_MAX_RANK], rank = random_dims(in, 1, 50);

		call_init(&c, NNAHW_OP_ARG, sizeof(*p), 2);
		p->axis = (uint32_t)rng_range(&r, 0, rank - 1);
		p->minimum = rng_next(&r) & 1;
		memcpy(out, in, sizeof(out));
		out[p->axis] = 1;
		call_operand(&c, &r, 0, PICK(NNAHW_TYPE_S32, NNAHW_TYPE_S64), rank, out, spread());
		call_operand(&c, &r, 1,
			     PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8,
				  NNAHW_TYPE_S32),
			     rank, in, spread());
		operand_floats(&c, &r, 1, -2, 2);
		run_all(verify_arg);
		call_free(&c);
	}
}

/* SOFTMAX */

static void verify_softmax(void)
{
	const struct nnahw_cmd_softmax *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		uint32_t at[NNAHW_MAX_RANK];
		double sum = 0, want, max = -INFINITY, slack;

		if (index[p->axis] > 3 && index[p->axis] % 101)
			continue;
		memcpy(at, index, sizeof(at));
		for (at[p->axis] = 0; at[p->axis] < in->desc.dims[p->axis]; at[p->axis]++)
			max = fmax(max, value(in, at));
		for (at[p->axis] = 0; at[p->axis] < in->desc.dims[p->axis]; at[p->axis]++)
			sum += exp((value(in, at) - max) * (double)p->beta);
		want = (value(in, index) - max) * (double)p->beta;
		/* exponent, sum */
		slack = (fabs(want) + 8) * 0x1p-22 + in->desc.dims[p->axis] * 0x1p-26;
		want = p->log ? want - log(sum) : exp(want) / sum;
		check(out, index, want, p->log ? slack : fabs(want) * slack, "softmax");
	} while (next_index(&out->desc, index));
}

static void softmax_case(uint32_t in, uint32_t out, uint32_t rank, const uint32_t *dims,
			 uint32_t axis)
{
	struct nnahw_cmd_softmax *p = (struct nnahw_cmd_softmax *)c.raw;

	call_init(&c, NNAHW_OP_SOFTMAX, sizeof(*p), 2);
	p->axis = axis;
	p->log = rng_next(&r) & 1;
	p->beta = rng_float(&r, 0.1f, 2);
	call_operand(&c, &r, 0, out, rank, dims, spread());
	call_operand(&c, &r, 1, in, rank, dims, spread());
	operand_floats(&c, &r, 1, -5, 5);
	if (!is_float(in))
		quantise(1, 0.05f);
	if (!is_float(out)) {
		quantise(0, 1 / 256.f);
		p->log = 0;
	}
	run_all(verify_softmax);
	call_free(&c);
}

static void test_softmax(void **state)
{
	r.state = 29;
	for (int i = 0; i < 600; i++) {
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 1, 60);

		softmax_case(PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8),
			     PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8),
			     rank, dims, (uint32_t)rng_range(&r, 0, rank - 1));
	}
	softmax_case(NNAHW_TYPE_F32, NNAHW_TYPE_F32, 2, (uint32_t[]){ 2, 4097 }, 1);
	softmax_case(NNAHW_TYPE_F32, NNAHW_TYPE_F32, 2, (uint32_t[]){ 9000, 2 }, 0);
	softmax_case(NNAHW_TYPE_U8, NNAHW_TYPE_U8, 1, (uint32_t[]){ 4096 }, 0);
}

/* RESIZE */

static void verify_resize(void)
{
	const struct nnahw_cmd_resize *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[4] = { 0 };

	do {
		double at[2], low[2], v[4], want;

		for (int k = 0; k < 2; k++) {
			float scale = k ? p->scale_w : p->scale_h, x = (float)index[1 + k],
			      last = (float)(in->desc.dims[1 + k] - 1);
			float half = p->half_pixel_centers ? 0.5f : 0;

			x = (x + half) * scale;
			if (p->kind == NNAHW_RESAMPLE_NEAREST)
				at[k] = (double)floorf(p->align_corners ? x + 0.5f : x);
			else
				at[k] = (double)(x - half);
			at[k] = fmin(fmax(at[k], 0), (double)last);
			low[k] = floor(at[k]);
		}
		for (int k = 0; k < 4; k++)
			v[k] = number(in, (uint32_t[]){ index[0],
							(uint32_t)fmin(low[0] + (k >> 1),
								       in->desc.dims[1] - 1.0),
							(uint32_t)fmin(low[1] + (k & 1),
								       in->desc.dims[2] - 1.0),
							index[3] });
		want = (v[0] * (1 - at[1] + low[1]) + v[1] * (at[1] - low[1])) *
			       (1 - at[0] + low[0]) +
		       (v[2] * (1 - at[1] + low[1]) + v[3] * (at[1] - low[1])) * (at[0] - low[0]);
		if (is_float(out->desc.type))
			check(out, index, want, 1e-5, "resize");
		else if (fabs(number(out, index) - want) > 0.501)
			fail_msg("resize: got %g, not %g", number(out, index), want);
	} while (next_index(&out->desc, index));
}

static void test_resize(void **state)
{
	struct nnahw_cmd_resize *p = (struct nnahw_cmd_resize *)c.raw;

	r.state = 30;
	for (int i = 0; i < 800; i++) {
		uint32_t type = PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8),
			 b = (uint32_t)rng_range(&r, 1, 2);
		uint32_t h = (uint32_t)rng_range(&r, 1, 9), w = (uint32_t)rng_range(&r, 1, 9),
			 ch = (uint32_t)rng_range(&r, 1, 20);
		uint32_t oh = (uint32_t)rng_range(&r, 1, 15), ow = (uint32_t)rng_range(&r, 1, 15);

		call_init(&c, NNAHW_OP_RESIZE, sizeof(*p), 2);
		p->kind = rng_next(&r) & 1;
		p->align_corners = rng_next(&r) & 1;
		p->half_pixel_centers = !p->align_corners && rng_next(&r) & 1;
		p->scale_h = p->align_corners && oh > 1 ? (float)(h - 1) / (float)(oh - 1)
							: (float)h / (float)oh;
		p->scale_w = p->align_corners && ow > 1 ? (float)(w - 1) / (float)(ow - 1)
							: (float)w / (float)ow;
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ b, oh, ow, ch }, spread());
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ b, h, w, ch }, spread());
		operand_floats(&c, &r, 1, -2, 2);
		if (!is_float(type)) {
			quantise(0, 0.5f);
			operand_quantise(&c.cmd.operands[1], 0.5f,
					 c.cmd.operands[0].desc.zero_point);
		}
		run_all(verify_resize);
		call_free(&c);
	}
}

/* GATHER */

static void verify_gather(void)
{
	const struct nnahw_cmd_gather *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1],
					*at = &c.cmd.operands[2];
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		uint32_t from[NNAHW_MAX_RANK], n = 0;

		for (uint32_t k = 0; k < in->desc.rank; k++) {
			if (k == p->axis) {
				from[k] = (uint32_t)number(at, index + n);
				n += at->desc.rank;
			} else {
				from[k] = index[n++];
			}
		}
		assert_memory_equal(element(out, index), element(in, from),
				    nnahw_type_size(out->desc.type));
	} while (next_index(&out->desc, index));
}

static void test_gather(void **state)
{
	struct nnahw_cmd_gather *p = (struct nnahw_cmd_gather *)c.raw;

	r.state = 31;
	for (int i = 0; i < 800; i++) {
		uint32_t in[NNAHW_MAX_RANK], at[NNAHW_MAX_RANK], out[NNAHW_MAX_RANK],
			rank = (uint32_t)rng_range(&r, 1, 4), n = 0;
		uint32_t picked = (uint32_t)rng_range(&r, 0, 3),
			 type = PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S64);
		uint32_t index_type = PICK(NNAHW_TYPE_S32, NNAHW_TYPE_S64),
			 axis = (uint32_t)rng_range(&r, 0, rank - 1);
		size_t size = nnahw_type_size(index_type);
		int64_t bad;

		for (uint32_t k = 0; k < 4; k++)
			in[k] = (uint32_t)rng_range(&r, 1, 7),
			at[k] = (uint32_t)rng_range(&r, 1, 5);
		for (uint32_t k = 0; k < rank; k++) {
			if (k == axis)
				for (uint32_t j = 0; j < picked; j++)
					out[n++] = at[j];
			else
				out[n++] = in[k];
		}
		call_init(&c, NNAHW_OP_GATHER, sizeof(*p), 3);
		p->axis = axis;
		call_operand(&c, &r, 0, type, n, out, spread());
		call_operand(&c, &r, 1, type, rank, in, spread());
		call_operand(&c, &r, 2, index_type, picked, at, 0);
		for (size_t k = 0; k < c.sizes[2] / size; k++) {
			int64_t v = rng_range(&r, 0, in[axis] - 1);

			memcpy((uint8_t *)c.buffers[2] + k * size, &v, size);
		}
		run_all(verify_gather);
		bad = rng_next(&r) & 1 ? in[axis] : -rng_range(&r, 1, 5);
		memcpy((uint8_t *)c.buffers[2] + rng_next(&r) % (c.sizes[2] / size) * size, &bad,
		       size);
		for (enum nnadev_engine_isa isa = NNADEV_ENGINE_SCALAR;
		     isa <= nnadev_engine_isa_detect(); isa++)
			assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_BAD_INDEX);
		call_free(&c);
	}
}

/*
 * Random parameters and dims for every command: nothing may be read or written outside the
 * operands.
 */
static void test_hostile(void **state)
{
	static const struct {
		uint16_t opcode, size, operands;
	} commands[] = {
		{ NNAHW_OP_POOL, sizeof(struct nnahw_cmd_pool), 2 },
		{ NNAHW_OP_EWISE, sizeof(struct nnahw_cmd_ewise), 4 },
		{ NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2 },
		{ NNAHW_OP_REDUCE, sizeof(struct nnahw_cmd_reduce), 2 },
		{ NNAHW_OP_ARG, sizeof(struct nnahw_cmd_arg), 2 },
		{ NNAHW_OP_SOFTMAX, sizeof(struct nnahw_cmd_softmax), 2 },
		{ NNAHW_OP_RESIZE, sizeof(struct nnahw_cmd_resize), 2 },
		{ NNAHW_OP_GATHER, sizeof(struct nnahw_cmd_gather), 3 },
		{ NNAHW_OP_MATMUL, sizeof(struct nnahw_cmd_matmul), 6 },
		{ NNAHW_OP_TOPK, sizeof(struct nnahw_cmd_topk), 3 },
		{ NNAHW_OP_NORM16, sizeof(struct nnahw_cmd_norm16), 4 },
		{ NNAHW_OP_LSH, sizeof(struct nnahw_cmd_lsh), 4 },
		{ NNAHW_OP_KEYPOINT, sizeof(struct nnahw_cmd_keypoint), 4 },
		{ NNAHW_OP_MULTINOMIAL, sizeof(struct nnahw_cmd_multinomial), 3 },
	};
	static const uint32_t odd[] = { 0,	  1,	      2,	  3,
					16,	  0x7fffffff, 0x80000000, 0xffffffff,
					0x100000, 0x3f800000, 0x7fc00000 };
	int ok = 0, refused = 0;

	r.state = 32;
	for (int i = 0; i < 20000; i++) {
		size_t which = rng_next(&r) % (sizeof(commands) / sizeof(commands[0]));
		uint32_t dims[NNAHW_MAX_RANK],
			rank = rng_next(&r) & 1 ? 4 : random_dims(dims, 0, 9), status;
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F32, NNAHW_TYPE_F16,
				     NNAHW_TYPE_S32, NNAHW_TYPE_S64);
		uint32_t start = 16 + 96u * commands[which].operands;
		const enum nnadev_engine_isa best = nnadev_engine_isa_detect();

		call_init(&c, commands[which].opcode, commands[which].size,
			  commands[which].operands);
		for (uint32_t at = start; at + 4 <= commands[which].size; at += 4) {
			uint32_t v = rng_next(&r) % 3 ? (uint32_t)rng_range(&r, 0, 3)
						      : odd[rng_next(&r) % 11];

			memcpy(c.raw + at, &v, 4);
		}
		for (uint32_t k = 0; k < commands[which].operands; k++) {
			struct nnadev_engine_operand *o;

			if (k >= 2 && rng_next(&r) & 1)
				continue;
			for (uint32_t d = 0; d < 4 && rank == 4; d++)
				dims[d] = k == 0 || rng_next(&r) % 8 == 0
						  ? (uint32_t)rng_range(&r, 0, 6)
						  : dims[d];
			o = call_operand(&c, &r, k,
					 rng_next(&r) % 8 ? type :
							    PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S32,
								 NNAHW_TYPE_BOOL8),
					 rank, dims, spread());
			if (rng_next(&r) & 1)
				operand_quantise(o, rng_next(&r) & 1 ? 0.5f : NAN,
						 rng_next(&r) & 1 ? 0 : (int32_t)rng_next(&r));
			if (rng_next(&r) % 8 == 0) {
				free(c.buffers[k]);
				c.buffers[k] = o->data = NULL;
				o->count = 0;
				for (uint32_t d = 0; d < rank; d++)
					o->desc.dims[d] = odd[rng_next(&r) % 11];
				if (rank)
					o->desc.dims[rng_next(&r) % rank] = 0;
				else
					call_operand(&c, &r, k, type, 0, dims, 0);
			}
		}
		for (enum nnadev_engine_isa isa = NNADEV_ENGINE_SCALAR; isa <= best; isa++) {
			status = call_run(&c, &r, isa);
			ok += status == NNAHW_STATUS_OK;
			refused += status != NNAHW_STATUS_OK;
		}
		call_free(&c);
	}
	print_message("%d ran, %d refused\n", ok, refused);
	assert_true(ok > 500 && refused > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_ewise_value),
		cmocka_unit_test(test_ewise_quantised),
		cmocka_unit_test(test_ewise_integer),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_reduce_scaled),
		cmocka_unit_test(test_arg),
		cmocka_unit_test(test_softmax),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_gather),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

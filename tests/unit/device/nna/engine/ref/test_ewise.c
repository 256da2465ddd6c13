// SPDX-License-Identifier: MIT
/*
 * EWISE on random shapes: every kernel that the machine has, against double, libm and 128-bit
 * integers.
 */
#include "tests/unit/device/nna/engine/case.h"

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
	    op == NNAHW_EWISE_FLOOR_DIV || op == NNAHW_EWISE_SQUARED_DIFFERENCE ||
	    op == NNAHW_EWISE_BITWISE_XOR || op == NNAHW_EWISE_SHIFT_RIGHT ||
	    op == NNAHW_EWISE_TRUNCATE_DIV || op == NNAHW_EWISE_FLOOR_MOD)
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

static int64_t ewise_in_stages(const struct nnahw_cmd_ewise *p, int64_t x, int64_t y)
{
	const uint32_t type = c.cmd.operands[0].desc.type;
	const int64_t units = type == NNAHW_TYPE_U8 || type == NNAHW_TYPE_S8 ? 1 << 20 : 1 << 15;
	int64_t a, b;

	switch (p->op) {
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
		a = in_stages(x * units, p->a_scale, p->a_shift);
		b = in_stages(y * units, p->b_scale, p->b_shift);
		return in_stages(p->op == NNAHW_EWISE_ADD ? a + b : a - b, p->multiplier, p->shift);
	case NNAHW_EWISE_MUL:
	case NNAHW_EWISE_MUL_ADD:
		return in_stages(x * y, p->a_scale, p->shift);
	case NNAHW_EWISE_LEAKY_RELU:
	case NNAHW_EWISE_PRELU:
		y = p->op == NNAHW_EWISE_PRELU ? (int32_t)(x * y) : x;
		return x < 0 ? in_stages(y, p->b_scale, p->b_shift)
			     : in_stages(x, p->a_scale, p->shift);
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		a = in_stages(x * 128, p->a_scale, p->a_shift) -
		    in_stages(y * 128, p->b_scale, p->b_shift);
		return in_stages((int32_t)(uint32_t)(uint64_t)((__int128)a * a), p->multiplier,
				 p->shift);
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

		if (inputs_of(p->op) > 1)
			y = (int64_t)number(&o[2], index) - o[2].desc.zero_point;
		s = p->op == NNAHW_EWISE_ADD ? x * p->a_scale + y * p->b_scale :
		    p->op == NNAHW_EWISE_SUB ? x * p->a_scale - y * p->b_scale :
		    p->op == NNAHW_EWISE_MUL || p->op == NNAHW_EWISE_MUL_ADD ? x * y * p->a_scale :
									       x * p->a_scale;
		s = (s < 0 ? -(-s + half) : s + half) / (2 * half);
		if (p->staged)
			s = ewise_in_stages(p, (int64_t)x, (int64_t)y);
		if (p->op == NNAHW_EWISE_MUL_ADD)
			s += (int64_t)number(&o[3], index) - o[3].desc.zero_point;
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
					    NNAHW_EWISE_MUL_ADD, NNAHW_EWISE_IDENTITY,
					    NNAHW_EWISE_LEAKY_RELU, NNAHW_EWISE_PRELU,
					    NNAHW_EWISE_SQUARED_DIFFERENCE) :
				       PICK(NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL,
					    NNAHW_EWISE_MUL_ADD, NNAHW_EWISE_IDENTITY);
		const bool product = op == NNAHW_EWISE_MUL || op == NNAHW_EWISE_MUL_ADD;
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
		p->shift = (int32_t)rng_range(&r, 20, 30 + (product ? bits : 0));
		p->a_scale = (int32_t)rng_range(&r, 1, 1ll << (p->shift > 30 ? 30 : p->shift));
		p->b_scale = (int32_t)rng_range(&r, 0, 1ll << (p->shift > 30 ? 30 : p->shift));
		if (rng_next(&r) % 16 == 0) {
			p->a_scale = rng_next(&r) & 1 ? INT32_MIN : INT32_MAX;
			p->b_scale = rng_next(&r) & 1 ? INT32_MIN : INT32_MAX;
			p->shift = (int32_t)rng_range(&r, 1, 40);
			if (product)
				p->a_scale >>= 1;
		}
		if (staged) {
			bool square = op == NNAHW_EWISE_SQUARED_DIFFERENCE,
			     sum = op == NNAHW_EWISE_ADD || op == NNAHW_EWISE_SUB || square;
			int32_t *const scales[] = { &p->a_scale, &p->b_scale, &p->multiplier };

			p->staged = 1;
			for (uint32_t k = 0; k < (sum ? 3 : 2); k++)
				*scales[k] = (int32_t)(rng_next(&r) % 3 ?
						       rng_range(&r, 1 << 30, INT32_MAX) :
						       1 << 30) * (rng_next(&r) % 4 ? 1 : -1);
			p->shift = (int32_t)(rng_next(&r) % 8 ? rng_range(&r, sum ? 48 : 30,
									  sum ? 53 : 40) -
									(square ? 2 : 0) :
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
		case NNAHW_EWISE_TRUNCATE_DIV:
			q = (a < 0 ? -a : a) / (b ? b < 0 ? -b : b : 1);
			x = !b ? 0 : (a < 0) != (b < 0) ? -q : q;
			break;
		case NNAHW_EWISE_FLOOR_MOD:
			x = b ? (a % b + b) % b : 0;
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
		case NNAHW_EWISE_BITWISE_XOR:
			x = (a | b) - (a & b);
			break;
		case NNAHW_EWISE_SHIFT_RIGHT:
			q = (__int128)1 << (b < 0 ? 0 : b > 63 ? 63 : (int)b);
			x = a / q - (a % q < 0);
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
				   NNAHW_EWISE_LOGICAL_AND, NNAHW_EWISE_BITWISE_XOR,
				   NNAHW_EWISE_SHIFT_RIGHT, NNAHW_EWISE_TRUNCATE_DIV,
				   NNAHW_EWISE_FLOOR_MOD);
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

static void verify_floor_mod(void)
{
	const struct nnadev_engine_operand *o = c.cmd.operands;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		const float a = *(const float *)element(&o[1], index),
			    b = *(const float *)element(&o[2], index),
			    got = *(const float *)element(&o[0], index);
		float want = fmodf(a, b);

		if (want != 0 && (want < 0) != (b < 0))
			want += b;
		if (isnan(want) ? !isnan(got) : memcmp(&got, &want, sizeof(got)) != 0)
			fail_msg("floor_mod(%a, %a) = %a, not %a", (double)a, (double)b,
				 (double)got, (double)want);
	} while (next_index(&o[0].desc, index));
}

/* Remainders are exact, however large the quotient is. */
static void test_ewise_floor_mod(void **state)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;

	r.state = 26;
	for (int i = 0; i < 200; i++) {
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 60);

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		p->op = NNAHW_EWISE_FLOOR_MOD;
		p->clamp_min = -INFINITY;
		p->clamp_max = INFINITY;
		for (uint32_t k = 0; k <= 2; k++) {
			call_operand(&c, &r, k, NNAHW_TYPE_F32, rank, dims, spread());
			for (size_t z = 0; k && z < c.sizes[k] / 4; z++)
				((float *)c.buffers[k])[z] = ldexpf(rng_float(&r, -9, 9),
								    (int)rng_range(&r, 0, 60) - 30);
			if (k)
				broadcast(k);
		}
		run_all(verify_floor_mod);
		call_free(&c);
	}
}

/* Functions of bits are refused on floats and on quantised numbers. */
static void test_ewise_bits_of_numbers(void **state)
{
	static const uint32_t dims[] = { 4 }, types[] = { NNAHW_TYPE_F32, NNAHW_TYPE_S8 };

	r.state = 25;
	for (uint32_t i = 0; i < 6; i++) {
		static const uint8_t ops[] = { NNAHW_EWISE_BITWISE_XOR, NNAHW_EWISE_SHIFT_RIGHT,
					       NNAHW_EWISE_TRUNCATE_DIV };
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		struct nnadev_engine_plan plan;

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		p->op = ops[i % 3];
		for (uint32_t k = 0; k <= 2; k++) {
			call_operand(&c, &r, k, types[i / 3], 1, dims, 0);
			c.cmd.operands[k].desc.scale = 0.5f;
		}
		call_finish(&c);
		assert_int_equal(nnadev_engine_prepare(NNADEV_ENGINE_SCALAR, 1, &c.cmd, &plan),
				 NNAHW_STATUS_BAD_OPERAND);
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ewise_value),
		cmocka_unit_test(test_ewise_quantised),
		cmocka_unit_test(test_ewise_integer),
		cmocka_unit_test(test_ewise_floor_mod),
		cmocka_unit_test(test_ewise_bits_of_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

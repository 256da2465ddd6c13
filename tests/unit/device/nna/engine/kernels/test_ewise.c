// SPDX-License-Identifier: MIT
/* EWISE with vectors: the bits of the scalar kernel. */
#include "tests/unit/device/nna/engine/vector/compare.h"

static uint32_t inputs_of(uint32_t op)
{
	call_init(&c, NNAHW_OP_EWISE, sizeof(struct nnahw_cmd_ewise), 4);
	((struct nnahw_cmd_ewise *)c.raw)->op = (uint8_t)op;
	/* The engine says how many by what it refuses. */
	for (uint32_t n = 1; n <= 3; n++) {
		struct nnadev_engine_plan plan;
		uint32_t one = 8;

		call_operand(&c, &r, 0, NNAHW_TYPE_F32, 1, &one, 0);
		call_operand(&c, &r, n, NNAHW_TYPE_F32, 1, &one, 0);
		call_finish(&c);
		if (nnadev_engine_prepare(NNADEV_ENGINE_SCALAR, 1, &c.cmd, &plan) ==
		    NNAHW_STATUS_OK) {
			call_free(&c);
			return n;
		}
	}
	fail_msg("operation %u takes no number of inputs", op);
	return 0;
}

/*
 * Element-wise functions of numbers that are no ordinary ones: no arithmetic is reordered, so all
 * are the same.
 */
static void test_ewise_special(void **state)
{
	uint32_t taken = 0;

	r.state = 51;
	for (uint32_t i = 0; i < 60 * (NNAHW_EWISE_MUL_ADD + 1); i++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		uint32_t op = i % (NNAHW_EWISE_MUL_ADD + 1), inputs = inputs_of(op),
			 type = NNAHW_TYPE_F16 + (i / 64 & 1);
		uint32_t dims[2] = { (uint32_t)rng_range(&r, 1, 3),
				     (uint32_t)rng_range(&r, 1, 700) };
		char what[64];

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		p->op = (uint8_t)op;
		p->clamp_min = rng_next(&r) & 1 ? -INFINITY : 0;
		p->clamp_max = rng_next(&r) & 1 ? INFINITY : 6;
		p->p0 = rng_float(&r, 0, 2);
		call_operand(&c, &r, 0, type, 2, dims, 0);
		for (uint32_t k = 1; k <= inputs; k++) {
			call_operand(&c, &r, k, type, 2, dims, 0);
			special_floats(k);
		}
		snprintf(what, sizeof(what), "EWISE %u of type %u", op, type);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 1000);
}

/* Integers in sizes beyond every block, with tails: tables, quantised sums. */
static void test_large(void **state)
{
	static const struct {
		uint8_t op, inputs;
	} commands[] = {
		{ NNAHW_EWISE_LOGISTIC, 1 },
		{ NNAHW_EWISE_ADD, 2 },
		{ NNAHW_EWISE_MUL, 2 },
	};
	uint32_t taken[3] = { 0 };

	r.state = 53;
	for (uint32_t i = 0; i < shapes(90); i++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		const uint32_t which = i % 3, type = NNAHW_TYPE_U8 + (i / 3 & 1);
		const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
		uint32_t dims[2] = { (uint32_t)rng_range(&r, 1, 40),
				     (uint32_t)rng_range(&r, 500, 5000) };
		char what[64];

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		for (uint32_t k = 0; k <= commands[which].inputs; k++) {
			call_operand(&c, &r, k, type, 2, dims, 0);
			operand_quantise(&c.cmd.operands[k], 0.05f,
					 (int32_t)rng_range(&r, low, low + 255));
		}
		p->op = commands[which].op;
		p->shift = 30;
		p->a_scale = p->op == NNAHW_EWISE_LOGISTIC ? 0
							   : (int32_t)rng_range(&r, 1, 1 << 30);
		p->b_scale = (int32_t)rng_range(&r, 1, 1 << 30);
		p->q_min = low;
		p->q_max = low + 255;
		snprintf(what, sizeof(what), "EWISE %u of type %u", p->op, type);
		taken[which] += compare_all(what);
		call_free(&c);
	}
	for (uint32_t k = 0; k < 3 && nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR; k++)
		assert_true(taken[k] > 10);
}

/*
 * Functions of one byte, in rows of any length: those of the input may be further apart than those
 * of the output, and so may their elements be.
 */
static void test_tables(void **state)
{
	static const uint8_t ops[] = { NNAHW_EWISE_IDENTITY,   NNAHW_EWISE_LOGISTIC,
				       NNAHW_EWISE_TANH,       NNAHW_EWISE_HARD_SWISH,
				       NNAHW_EWISE_ABS,	       NNAHW_EWISE_ELU,
				       NNAHW_EWISE_LOG };
	uint32_t taken = 0;

	r.state = 60;
	for (uint32_t i = 0; i < shapes(400); i++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		const uint32_t dims[] = { (uint32_t)rng_range(&r, 32, 40),
					  (uint32_t)rng_range(&r, 8, rng_next(&r) & 1 ? 40 : 900) },
			       step = rng_next(&r) % 4 ? 1 : 2,
			       apart = step * dims[1] + (uint32_t)rng_range(&r, 0, 3);
		char what[64];

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		for (uint32_t k = 0; k < 2; k++) {
			const uint32_t type = rng_next(&r) & 1 ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8;
			const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
			struct nnadev_engine_operand *o = call_operand(
				&c, &r, k, type, 2, k ? (uint32_t[]){ dims[0], apart } : dims, 0);

			o->desc.dims[1] = dims[1];
			o->count = dims[0] * dims[1];
			if (k) {
				o->desc.strides[1] = (int32_t)step;
				o->contiguous = apart == dims[1];
			}
			operand_quantise(o, rng_float(&r, 0.001f, 0.1f),
					 (int32_t)rng_range(&r, low, low + 255));
		}
		p->op = ops[i % sizeof(ops)];
		p->p0 = 1;
		p->shift = 1;
		if (p->op == NNAHW_EWISE_IDENTITY && rng_next(&r) & 1) {
			p->staged = 1;
			p->a_scale = (int32_t)rng_range(&r, 1, INT32_MAX);
			p->shift = (int32_t)rng_range(&r, 29, 34);
		}
		p->q_min = rng_next(&r) & 1 ? INT32_MIN : -100;
		p->q_max = rng_next(&r) & 1 ? INT32_MAX : 100;
		snprintf(what, sizeof(what), "EWISE %u of %ux%u", p->op, dims[0], dims[1]);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(400));
}

/* Inputs that repeat a few elements in a row, or in all rows of a plane. */
static void test_repeated(void **state)
{
	static const uint8_t ops[] = { NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL };
	static const uint8_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F32,
					 NNAHW_TYPE_F16 };
	uint32_t taken = 0;

	r.state = 57;
	for (uint32_t i = 0; i < shapes(600); i++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		const uint32_t type = types[i % 4], repeats = 1 + (uint32_t)rng_range(&r, 0, 2);
		const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
		uint32_t dims[3] = { (uint32_t)rng_range(&r, 1, 9), (uint32_t)rng_range(&r, 1, 60),
				     (uint32_t)rng_range(&r, 1, 70) };
		char what[80];

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		for (uint32_t k = 0; k < 3; k++) {
			struct nnahw_tensor *t = &c.cmd.operands[k].desc;

			call_operand(&c, &r, k, type, 3, dims, 0);
			if (!is_float(type))
				operand_quantise(&c.cmd.operands[k], 0.05f,
						 (int32_t)rng_range(&r, low, low + 255));
			else
				special_floats(k);
			if (k && repeats & k)
				t->strides[rng_next(&r) & 1] = 0;
			if (k && repeats & k && rng_next(&r) & 1)
				t->strides[0] = t->strides[1] = 0;
		}
		p->op = ops[i / 4 % 3];
		p->clamp_min = -INFINITY;
		p->clamp_max = INFINITY;
		if (!is_float(type)) {
			p->shift = 30;
			p->a_scale = (int32_t)rng_range(&r, 1, 1 << 30);
			p->b_scale = (int32_t)rng_range(&r, 1, 1 << 30);
			p->q_min = low;
			p->q_max = low + 255;
		}
		snprintf(what, sizeof(what), "EWISE %u of type %u, %u x %u x %u", p->op, type,
			 dims[0], dims[1], dims[2]);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 400);
}

/* The ends of a type's range, and what is near them, among the random numbers of an operand. */
static void extreme_numbers(uint32_t k)
{
	const uint32_t size = nnahw_type_size(c.cmd.operands[k].desc.type);

	uint8_t *bytes = c.buffers[k];

	for (size_t i = 0; i < c.sizes[k]; i += 2 * size)
		memset(bytes + i, rng_next(&r) & 1 ? 0xff : 0, size - 1);
	for (size_t i = size - 1; i < c.sizes[k]; i += 3 * size)
		bytes[i] = rng_next(&r) & 1 ? 0x7f : 0x80;
}

/* The integer rules between types of 8 and 16 bits, in rows with tails, up to where 32 bits end. */
static void test_wide(void **state)
{
	static const uint8_t ops[] = { NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL,
				       NNAHW_EWISE_IDENTITY, NNAHW_EWISE_PRELU,
				       NNAHW_EWISE_SQUARED_DIFFERENCE };
	static const uint8_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_U16,
					 NNAHW_TYPE_S16, NNAHW_TYPE_S16 };
	uint32_t taken = 0;

	r.state = 59;
	for (uint32_t i = 0; i < shapes(4000); i++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		const uint32_t op = ops[i % 6];
		uint32_t dims[2] = { (uint32_t)rng_range(&r, 1, 5),
				     (uint32_t)rng_range(&r, 8, 90) };
		char what[64];

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		for (uint32_t k = 0; k <= (op == NNAHW_EWISE_IDENTITY ? 1 : 2); k++) {
			const uint32_t type = types[rng_next(&r) % 5],
				       bits = 8 * nnahw_type_size(type);
			const bool is_signed = type == NNAHW_TYPE_S8 || type == NNAHW_TYPE_S16;
			const int32_t low = is_signed ? -(1 << (bits - 1)) : 0,
				      high = low + (1 << bits) - 1;

			call_operand(&c, &r, k, type, 2, dims, 0);
			operand_quantise(&c.cmd.operands[k], 0.01f,
					 rng_next(&r) & 1 ? 0 : (int32_t)rng_range(&r, low, high));
			if (k)
				extreme_numbers(k);
			if (k && rng_next(&r) % 8 == 0)
				c.cmd.operands[k].desc.strides[0] = 0;
		}
		p->op = (uint8_t)op;
		p->staged = i % 6 > 3 || rng_next(&r) & 1;
		p->a_scale = (int32_t)rng_next(&r) | 1;
		p->b_scale = (int32_t)rng_next(&r);
		p->shift = (int32_t)rng_range(&r, 8, 62);
		p->q_min = rng_next(&r) & 1 ? INT32_MIN : -100;
		p->q_max = rng_next(&r) & 1 ? INT32_MAX : 100;
		if (p->staged && op != NNAHW_EWISE_MUL && op != NNAHW_EWISE_IDENTITY) {
			p->multiplier = (int32_t)rng_next(&r);
			p->a_shift = (uint8_t)rng_range(&r, 30, 62);
			p->b_shift = (uint8_t)rng_range(&r, 30, 62);
		}
		snprintf(what, sizeof(what), "EWISE %u of types %u, %u, %u", op,
			 c.cmd.operands[0].desc.type, c.cmd.operands[1].desc.type,
			 c.cmd.operands[2].desc.type);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 2000);
}

/* Numbers that are halves of a scale or lie next to one, whole ones, and any. */
static float near_half(float scale)
{
	const float x = ((float)rng_range(&r, -300, 300) + (rng_next(&r) % 4 ? 0.5f : 0)) * scale;

	switch (rng_next(&r) % 8) {
	case 0:
		return nextafterf(x, INFINITY);
	case 1:
		return nextafterf(x, -INFINITY);
	case 2:
		return x + x * rng_float(&r, -0x1p-12f, 0x1p-12f);
	case 3:
		return rng_float(&r, -300, 300) * scale;
	default:
		return x;
	}
}

/* Floats that become quantised numbers, with scales of every size and clamps. */
static void test_quantise(void **state)
{
	static const uint8_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_S16 };
	static const float scales[] = { 1,	    0x1p-7f,  0x1p-149f, 0x1p-130f, 0x1p-100f,
					0x1p-101f, 0x1p100f, 0x1p101f,  3e38f,     1e-38f };
	uint32_t taken = 0;

	r.state = 61;
	for (uint32_t i = 0; i < shapes(1500); i++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		const uint32_t type = types[i % 3], n = (uint32_t)rng_range(&r, 8, 700);
		const float scale = rng_next(&r) % 3 ? rng_float(&r, 0.001f, 0.1f) :
						       scales[rng_next(&r) % 10];
		const int32_t low = type == NNAHW_TYPE_U8 ? 0 : -128;
		char what[64];

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		call_operand(&c, &r, 0, type, 1, &n, 0);
		operand_quantise(&c.cmd.operands[0], scale, (int32_t)rng_range(&r, low, low + 255));
		call_operand(&c, &r, 1, NNAHW_TYPE_F32, 1, &n, 0);
		if (rng_next(&r) % 4 == 0)
			special_floats(1);
		for (uint32_t k = 0; k < n; k++)
			if (rng_next(&r) % 16)
				((float *)c.buffers[1])[k] = near_half(scale);
		p->op = rng_next(&r) & 1 ? NNAHW_EWISE_IDENTITY : NNAHW_EWISE_NEG;
		p->shift = 1;
		p->q_min = rng_next(&r) & 1 ? INT32_MIN : (int32_t)rng_range(&r, -140, 40);
		p->q_max = rng_next(&r) & 1 ? INT32_MAX : (int32_t)rng_range(&r, 40, 270);
		snprintf(what, sizeof(what), "EWISE %u to type %u of scale %g", p->op, type,
			 (double)scale);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(1500));
}

/* CAST to floats, of numbers that mean something else where they are quantised. */
static void test_casts(void **state)
{
	static const uint8_t types[] = { NNAHW_TYPE_U8,	 NNAHW_TYPE_S8,	  NNAHW_TYPE_U16,
					 NNAHW_TYPE_S16, NNAHW_TYPE_BOOL8, NNAHW_TYPE_F16,
					 NNAHW_TYPE_F32 };
	uint32_t taken = 0;

	r.state = 58;
	for (uint32_t i = 0; i < shapes(140); i++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		const uint32_t from = types[i % 7], n = (uint32_t)rng_range(&r, 8, 1000);
		char what[64];

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		call_operand(&c, &r, 0, i & 1 ? NNAHW_TYPE_F32 : NNAHW_TYPE_F16, 1, &n, 0);
		call_operand(&c, &r, 1, from, 1, &n, 0);
		special_floats(1);
		if (from != NNAHW_TYPE_BOOL8 && !is_float(from))
			operand_quantise(&c.cmd.operands[1], 0.5f, (int32_t)rng_range(&r, 0, 100));
		p->op = NNAHW_EWISE_CAST;
		p->shift = 1;
		p->clamp_min = rng_next(&r) & 1 ? -INFINITY : 3;
		p->clamp_max = INFINITY;
		snprintf(what, sizeof(what), "CAST of type %u", from);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(140));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_quantise),
		cmocka_unit_test(test_casts),
		cmocka_unit_test(test_ewise_special),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

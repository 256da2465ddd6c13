// SPDX-License-Identifier: MIT
/* NORM16 on random rows against double, and on rows whose norms can be computed by hand. */
#include "tests/unit/device/nna/engine/case.h"

static void norm16_init(uint32_t rows, uint32_t n)
{
	call_init(&c, NNAHW_OP_NORM16, sizeof(struct nnahw_cmd_norm16), 4);
	call_operand(&c, &r, 0, NNAHW_TYPE_S16, 2, (uint32_t[]){ rows, n }, spread());
	call_operand(&c, &r, 1, NNAHW_TYPE_S16, 2, (uint32_t[]){ rows, n }, spread());
	call_operand(&c, &r, 2, NNAHW_TYPE_S16, 1, &n, spread());
	call_operand(&c, &r, 3, NNAHW_TYPE_S32, 1, &n, spread());
}

static void verify_norm16(void)
{
	const struct nnahw_cmd_norm16 *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1],
					*weights = &c.cmd.operands[2], *bias = &c.cmd.operands[3];
	uint32_t index[2] = { 0 }, n = in->desc.dims[1];

	do {
		double mean = 0, variance = 0, want, slack, w = number(weights, index + 1);

		for (uint32_t k = 0; k < n; k++)
			mean += number(in, (uint32_t[]){ index[0], k }) / n;
		for (uint32_t k = 0; k < n; k++)
			variance += pow(number(in, (uint32_t[]){ index[0], k }) - mean, 2) / n;
		want = (number(in, index) - mean) / sqrt(fmax(variance, 1)) * w;
		/*
		 * Newton's method, the variance without its fraction, z in 1/1024, a whole number.
		 */
		slack = fabs(want) * (1e-4 + 1 / fmax(variance, 1)) + fabs(w) / 1024 + 1;
		want += number(bias, index + 1) / 1024;
		slack = ldexp(slack * p->multiplier, -p->shift) + 1;
		want = fmin(fmax(ldexp(want * p->multiplier, -p->shift), INT16_MIN), INT16_MAX);
		if (!(fabs(number(out, index) - want) <= slack))
			fail_msg("norm16: got %g, not %g (+- %g)", number(out, index), want, slack);
	} while (next_index(&out->desc, index));
}

static void test_norm16(void **state)
{
	struct nnahw_cmd_norm16 *p = (struct nnahw_cmd_norm16 *)c.raw;

	r.state = 40;
	for (int i = 0; i < 400; i++) {
		uint32_t n = 1u << rng_range(&r, 0, 9);
		int width = (int)rng_range(&r, 4, 16);

		norm16_init((uint32_t)rng_range(&r, 1, 4), n);
		for (size_t k = 0; k < c.sizes[1] / 2; k++)
			((int16_t *)c.buffers[1])[k] = (int16_t)rng_range(&r, -(1 << (width - 1)),
									  (1 << (width - 1)) - 1);
		p->multiplier = (int32_t)rng_range(&r, 1 << 30, INT32_MAX);
		p->shift = (int32_t)rng_range(&r, 32, 40);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		verify_norm16();
		call_free(&c);
	}
}

/* Rows whose norms can be computed by hand. */
static void test_norm16_exact(void **state)
{
	static const int16_t in[] = { 7, 7, 7, 7, -4, 4, -4, 4 },
			     weights[] = { 1000, 2000, -3000, 32767 };
	static const int32_t bias[] = { 1024, -1536, 0, 10240 };
	/* no variance: bias / 1024, halves away from zero; else -+weight and the bias */
	static const int16_t want[] = { 1, -2, 0, 10, -999, 1999, 3000, 32767 };
	struct nnahw_cmd_norm16 *p = (struct nnahw_cmd_norm16 *)c.raw;
	const uint32_t n = 4;

	call_init(&c, NNAHW_OP_NORM16, sizeof(*p), 4);
	call_operand(&c, &r, 0, NNAHW_TYPE_S16, 2, (uint32_t[]){ 2, n }, 0);
	call_operand(&c, &r, 1, NNAHW_TYPE_S16, 2, (uint32_t[]){ 2, n }, 0);
	call_operand(&c, &r, 2, NNAHW_TYPE_S16, 1, &n, 0);
	call_operand(&c, &r, 3, NNAHW_TYPE_S32, 1, &n, 0);
	memcpy(c.buffers[1], in, sizeof(in));
	memcpy(c.buffers[2], weights, sizeof(weights));
	memcpy(c.buffers[3], bias, sizeof(bias));
	p->multiplier = 1 << 30;
	p->shift = 30;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	assert_memory_equal(c.buffers[0], want, sizeof(want));
	call_free(&c);

	norm16_init(3, 5);
	c.cmd.operands[3].desc.dims[0] = 4;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
	norm16_init(3, 0);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_norm16),
		cmocka_unit_test(test_norm16_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

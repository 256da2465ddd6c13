// SPDX-License-Identifier: MIT
/* NORM8 on random rows against double, on rows whose lengths are whole, and what it refuses. */
#include "tests/unit/device/nna/engine/case.h"

static void norm8_init(uint32_t type, uint32_t rows, uint32_t n)
{
	call_init(&c, NNAHW_OP_NORM8, sizeof(struct nnahw_cmd_norm8), 2);
	for (uint32_t k = 0; k < 2; k++)
		call_operand(&c, &r, k, type, 2, (uint32_t[]){ rows, n }, spread());
	operand_quantise(&c.cmd.operands[0], 0x1p-7f, type == NNAHW_TYPE_S8 ? 0 : 128);
	quantise(1, 0.1f);
}

static void verify_norm8(void)
{
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[2] = { 0 }, n = in->desc.dims[1];
	int64_t low, high;

	range_of(out->desc.type, &low, &high);
	do {
		double squares = 0, want;

		for (uint32_t k = 0; k < n; k++)
			squares += pow(number(in, (uint32_t[]){ index[0], k }) -
				       in->desc.zero_point, 2);
		want = (number(in, index) - in->desc.zero_point) * 128 / sqrt(fmax(squares, 1)) +
		       out->desc.zero_point;
		want = fmin(fmax(want, (double)low), (double)high);
		/* Rounded to half a step or less of a half one, then to a whole one. */
		if (!(fabs(number(out, index) - want) <= 0.75 + 128 * 1e-4))
			fail_msg("norm8: got %g, not %g", number(out, index), want);
	} while (next_index(&out->desc, index));
}

static void test_norm8(void **state)
{
	r.state = 41;
	for (int i = 0; i < 600; i++) {
		norm8_init(i & 1 ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8, (uint32_t)rng_range(&r, 1, 5),
			   (uint32_t)rng_range(&r, 1, i % 16 ? 40 : 3000));
		run_all(verify_norm8);
		call_free(&c);
	}
}

/*
 * By hand: 3 and 4 over 5, the limits, a row of zeros. 5 * 128 / 13 is 49.23, 12 * 128 / 13 118.15;
 * 1 * 128 is beyond a signed byte.
 */
static void test_norm8_exact(void **state)
{
	static const uint8_t in[] = { 103, 104, 100, 105, 112, 100, 100, 100, 100, 100, 99, 100 };
	static const uint8_t want[] = { 205, 230, 128, 177, 246, 128, 128, 128, 128, 128, 0, 128 };
	static const int8_t signed_want[] = { 77, 102, 0, 49, 118, 0, 0, 0, 0, 0, -128, 0 };

	for (int k = 0; k < 2; k++) {
		const uint32_t type = k ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8, dims[] = { 4, 3 };

		call_init(&c, NNAHW_OP_NORM8, sizeof(struct nnahw_cmd_norm8), 2);
		call_operand(&c, &r, 0, type, 2, dims, 0);
		call_operand(&c, &r, 1, type, 2, dims, 0);
		operand_quantise(&c.cmd.operands[0], 0x1p-7f, k ? 0 : 128);
		operand_quantise(&c.cmd.operands[1], 0.5f, 100);
		memcpy(c.buffers[1], in, sizeof(in));
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		if (k)
			assert_memory_equal(c.buffers[0], signed_want, sizeof(want));
		else
			assert_memory_equal(c.buffers[0], want, sizeof(want));
		call_free(&c);
	}
}

static void test_norm8_refused(void **state)
{
	norm8_init(NNAHW_TYPE_U8, 3, 5);
	c.cmd.operands[1].desc.dims[1] = 4;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	c.cmd.operands[1].desc.dims[1] = 5;
	c.cmd.operands[1].desc.type = NNAHW_TYPE_S8;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_OPERAND);
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_norm8),
		cmocka_unit_test(test_norm8_exact),
		cmocka_unit_test(test_norm8_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

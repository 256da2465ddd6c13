// SPDX-License-Identifier: MIT
/* EWISE on bytes with AVX-512, in stages: what all operations have in common is in ref/. */
#include "tests/unit/device/engine/x86/compare.h"

/* Lets an operand repeat its rows, stand still in each row, or be one number. */
static void still(uint32_t i)
{
	int32_t *strides = c.cmd.operands[i].desc.strides;
	const uint32_t how = (uint32_t)rng_next(&r) % 6;

	if (how < 3)
		strides[0] = how == 1 ? 1 : 0;
	if (how == 1 || how == 2)
		strides[1] = 0;
}

static int32_t factor(void)
{
	/* One that halves, as that of the operand with the larger scale does. */
	return rng_next(&r) % 4 ? (int32_t)rng_next(&r) : 1 << 30;
}

/* Any rows, factors and shifts; numbers of both ends. */
static void staged(uint32_t op)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
	const uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 9), (uint32_t)rng_range(&r, 8, 90) },
		       inputs = op == NNAHW_EWISE_IDENTITY ? 1 : 2;
	bool unscaled;
	char what[64];

	call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
	for (uint32_t i = 0; i <= inputs; i++) {
		const uint32_t type = rng_next(&r) & 1 ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8;
		const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;

		call_operand(&c, &r, i, type, 2, dims, 0);
		operand_quantise(&c.cmd.operands[i], 0.01f,
				 rng_next(&r) & 1 ? low : (int32_t)rng_range(&r, low, low + 255));
		if (i)
			still(i);
	}
	p->op = (uint8_t)op;
	p->staged = 1;
	p->a_scale = factor() | (op == NNAHW_EWISE_ADD || op == NNAHW_EWISE_SUB ? 0 : 1);
	p->a_scale = p->a_scale ? p->a_scale : 1;
	p->shift = (int32_t)rng_range(&r, 31, rng_next(&r) & 1 ? 40 : 62);
	p->q_min = rng_next(&r) & 1 ? INT32_MIN : -100;
	p->q_max = rng_next(&r) & 1 ? INT32_MAX : 100;
	if (op == NNAHW_EWISE_ADD || op == NNAHW_EWISE_SUB) {
		p->b_scale = factor();
		p->multiplier = factor();
		p->a_shift = (uint8_t)rng_range(&r, 31, rng_next(&r) & 1 ? 31 : 62);
		p->b_shift = (uint8_t)rng_range(&r, 31, rng_next(&r) & 1 ? 31 : 62);
		p->shift = (int32_t)rng_range(&r, 44, 62);
	}
	/* What is not scaled at all is left to the scalar kernel by AVX2. */
	unscaled = p->b_scale == 0 && p->multiplier == 0 && rng_next(&r) % 4 == 0;
	if (unscaled) {
		p->a_scale = 1 << 30;
		p->shift = 30;
	}
	snprintf(what, sizeof(what), "EWISE %u of %ux%u", op, dims[0], dims[1]);
	assert_true(compare_all(what) || unscaled);
	assert_true(kernels_differ(NNADEV_ENGINE_AVX512, NNADEV_ENGINE_AVX2));
	call_free(&c);
}

static void test_staged(void **state)
{
	static const uint8_t ops[] = { NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL,
				       NNAHW_EWISE_IDENTITY };

	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX512)
		skip();
	r.state = 59;
	for (uint32_t i = 0; i < 4000; i++)
		staged(ops[i % 4]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_staged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

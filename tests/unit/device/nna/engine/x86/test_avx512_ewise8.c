// SPDX-License-Identifier: MIT
/* EWISE on bytes with AVX-512, in stages: what all operations have in common is in ref/. */
#define LEAST_VECTOR FIRST_NATIVE
#include "tests/unit/device/nna/engine/vector/compare.h"

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
	switch (rng_next(&r) % 4) {
	case 0:
		/* One that halves, as that of the operand with the larger scale does. */
		return 1 << 30;
	case 1:
		return (int32_t)rng_next(&r);
	default:
		/* What a compiler makes of scales. */
		return (int32_t)rng_range(&r, 1 << 30, INT32_MAX);
	}
}

/* Any rows, factors and shifts; numbers of both ends. */
static void staged(uint32_t op)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
	/* Some rows are long enough for a table, where an operand stands still. */
	const uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 9),
				  (uint32_t)rng_range(&r, 8, rng_next(&r) % 8 ? 90 : 1500) };
	char what[64];

	call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
	for (uint32_t i = 0; i <= 2; i++) {
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
		/* About 50 leads to results as large as bytes. */
		p->shift = (int32_t)(rng_next(&r) & 1 ? rng_range(&r, 48, 51) :
							rng_range(&r, 44, 62));
	}
	snprintf(what, sizeof(what), "EWISE %u of %ux%u", op, dims[0], dims[1]);
	assert_true(compare_all(what));
	assert_true(kernels_differ(NNADEV_ENGINE_AVX512, NNADEV_ENGINE_AVX2));
	call_free(&c);
}

static void test_staged(void **state)
{
	static const uint8_t ops[] = { NNAHW_EWISE_ADD, NNAHW_EWISE_SUB, NNAHW_EWISE_MUL };

	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX512)
		skip();
	r.state = 59;
	for (uint32_t i = 0; i < shapes(4000); i++)
		staged(ops[i % 3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_staged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

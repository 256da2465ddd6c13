// SPDX-License-Identifier: MIT
/* EWISE with AVX-512: functions of one byte. */
#define LEAST_VECTOR FIRST_NATIVE
#include "tests/unit/device/nna/engine/vector/compare.h"

/* All bytes, in rows of any length, of which the input's may be further apart. */
static void one_byte(uint32_t op)
{
	struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
	const uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 5),
				  (uint32_t)rng_range(&r, 256, 900) },
		       apart = dims[1] + (uint32_t)rng_range(&r, 0, 3);
	char what[64];

	call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t type = rng_next(&r) & 1 ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8;
		const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;

		call_operand(&c, &r, i, type, 2, i ? (uint32_t[]){ dims[0], apart } : dims, 0);
		c.cmd.operands[i].desc.dims[1] = dims[1];
		c.cmd.operands[i].count = dims[0] * dims[1];
		c.cmd.operands[i].contiguous = !i || apart == dims[1];
		operand_quantise(&c.cmd.operands[i], rng_float(&r, 0.001f, 0.1f),
				 (int32_t)rng_range(&r, low, low + 255));
	}
	p->op = (uint8_t)op;
	p->p0 = 1;
	p->shift = 1;
	if (op == NNAHW_EWISE_IDENTITY && rng_next(&r) & 1) {
		p->staged = 1;
		p->a_scale = (int32_t)rng_range(&r, 1, INT32_MAX);
		p->shift = (int32_t)rng_range(&r, 29, 34);
	}
	p->q_min = rng_next(&r) & 1 ? INT32_MIN : -100;
	p->q_max = rng_next(&r) & 1 ? INT32_MAX : 100;
	snprintf(what, sizeof(what), "EWISE %u of %ux%u", op, dims[0], dims[1]);
	assert_true(compare_all(what));
	assert_true(kernels_differ(NNADEV_ENGINE_AVX512, NNADEV_ENGINE_AVX2));
	call_free(&c);
}

static void test_one_byte(void **state)
{
	static const uint8_t ops[] = { NNAHW_EWISE_IDENTITY, NNAHW_EWISE_LOGISTIC,
				       NNAHW_EWISE_TANH,     NNAHW_EWISE_HARD_SWISH,
				       NNAHW_EWISE_ABS,	     NNAHW_EWISE_LOG };

	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX512)
		skip();
	r.state = 61;
	for (uint32_t i = 0; i < shapes(600); i++)
		one_byte(ops[i % sizeof(ops)]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

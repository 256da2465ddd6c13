// SPDX-License-Identifier: MIT
/* ARG with AVX-512, along other axes than the innermost one. */
#include "tests/unit/device/engine/x86/compare.h"

/* The first of the largest and smallest: of few numbers, so that there are many as good. */
static void test_columns(void **state)
{
	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX512)
		skip();
	r.state = 62;
	for (uint32_t i = 0; i < shapes(600); i++) {
		struct nnahw_cmd_arg *p = (struct nnahw_cmd_arg *)c.raw;
		const uint32_t type = i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8,
			       spread = i % 3 ? 255 : 3,
			       length = (uint32_t)rng_range(&r, 1, i % 8 ? 40 : 400);
		uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 3), length,
				    (uint32_t)rng_range(&r, 8, 100) };
		char what[64];

		call_init(&c, NNAHW_OP_ARG, sizeof(*p), 2);
		p->axis = 1;
		p->minimum = rng_next(&r) & 1;
		call_operand(&c, &r, 1, type, 3, dims, 0);
		dims[1] = 1;
		call_operand(&c, &r, 0, i & 2 ? NNAHW_TYPE_S32 : NNAHW_TYPE_S64, 3, dims, 0);
		for (size_t k = 0; k < c.sizes[1]; k++)
			((uint8_t *)c.buffers[1])[k] &= spread;
		snprintf(what, sizeof(what), "ARG of type %u, %u of %u by %u", type, p->minimum,
			 length, dims[2]);
		/* AVX2 leaves these to the scalar kernel. */
		compare_all(what);
		assert_true(is_vector(NNADEV_ENGINE_AVX512));
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* ARG with AVX2. */
#include "tests/unit/device/engine/vector/compare.h"

/* The first of the largest and smallest: of few numbers, so that there are many as good. */
static void test_arg(void **state)
{
	uint32_t taken = 0;

	r.state = 56;
	for (uint32_t i = 0; i < shapes(600); i++) {
		struct nnahw_cmd_arg *p = (struct nnahw_cmd_arg *)c.raw;
		const uint32_t type = i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8,
			       spread = i % 3 ? 255 : 3, rows = (uint32_t)rng_range(&r, 1, 50),
			       length = (uint32_t)rng_range(&r, 1, i % 8 ? 40 : 400);
		char what[64];

		call_init(&c, NNAHW_OP_ARG, sizeof(*p), 2);
		p->axis = 2;
		p->minimum = rng_next(&r) & 1;
		call_operand(&c, &r, 0, i & 2 ? NNAHW_TYPE_S32 : NNAHW_TYPE_S64, 3,
			     (uint32_t[]){ 2, rows, 1 }, 0);
		call_operand(&c, &r, 1, type, 3, (uint32_t[]){ 2, rows, length }, 0);
		for (size_t k = 0; k < c.sizes[1]; k++)
			((uint8_t *)c.buffers[1])[k] &= spread;
		snprintf(what, sizeof(what), "ARG of type %u, %u of %u", type, p->minimum, length);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

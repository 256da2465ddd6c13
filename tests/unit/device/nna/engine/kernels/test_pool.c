// SPDX-License-Identifier: MIT
/* POOL with vectors. */
#include "tests/unit/device/nna/engine/vector/compare.h"

/* Pooling of such numbers: sums run in the order of the window in all kernels. */
static void test_pool_special(void **state)
{
	uint32_t taken = 0;

	r.state = 52;
	for (uint32_t i = 0; i < shapes(600); i++) {
		struct nnahw_cmd_pool *p = (struct nnahw_cmd_pool *)c.raw;
		uint32_t type = NNAHW_TYPE_F16 + (i & 1), h = (uint32_t)rng_range(&r, 3, 12),
			 w = (uint32_t)rng_range(&r, 3, 12);
		uint32_t ch = (uint32_t)rng_range(&r, 1, 70);
		char what[64];

		call_init(&c, NNAHW_OP_POOL, sizeof(*p), 2);
		p->kind = (uint8_t)rng_range(&r, 0, 2);
		p->kernel_h = (uint32_t)rng_range(&r, 1, 3);
		p->kernel_w = (uint32_t)rng_range(&r, 1, 3);
		p->stride_h = p->stride_w = 1;
		p->pad_top = (uint32_t)rng_range(&r, 0, p->kernel_h - 1);
		p->pad_left = (uint32_t)rng_range(&r, 0, p->kernel_w - 1);
		p->clamp_min = rng_next(&r) & 1 ? -INFINITY : 0;
		p->clamp_max = rng_next(&r) & 1 ? INFINITY : 6;
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ 1, h, w, ch }, 0);
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ 1, h, w, ch }, 0);
		special_floats(1);
		snprintf(what, sizeof(what), "POOL %u of type %u", p->kind, type);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_special),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* ARG with AVX-512. */
#define LEAST_VECTOR FIRST_NATIVE
#include "tests/unit/device/nna/engine/vector/compare.h"

/*
 * The first of the largest and smallest of the middle axis or the last one: of few numbers, so that
 * there are many as good.
 */
static void compare(uint32_t i, uint32_t axis, uint32_t length, uint32_t others)
{
	struct nnahw_cmd_arg *p = (struct nnahw_cmd_arg *)c.raw;
	const uint32_t type = i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, spread = i % 3 ? 255 : 3;
	uint32_t dims[] = { (uint32_t)rng_range(&r, 1, 3), others, others };
	char what[64];

	call_init(&c, NNAHW_OP_ARG, sizeof(*p), 2);
	p->axis = (uint8_t)axis;
	p->minimum = rng_next(&r) & 1;
	dims[axis] = length;
	call_operand(&c, &r, 1, type, 3, dims, 0);
	dims[axis] = 1;
	call_operand(&c, &r, 0, i & 2 ? NNAHW_TYPE_S32 : NNAHW_TYPE_S64, 3, dims, 0);
	for (size_t k = 0; k < c.sizes[1]; k++)
		((uint8_t *)c.buffers[1])[k] &= spread;
	snprintf(what, sizeof(what), "ARG of type %u, %u of %u by %u", type, p->minimum, length,
		 others);
	assert_true(compare_all(what));
	assert_true(kernels_differ(NNADEV_ENGINE_AVX512, NNADEV_ENGINE_AVX2));
	call_free(&c);
}

static void test_columns(void **state)
{
	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX512)
		skip();
	r.state = 62;
	for (uint32_t i = 0; i < shapes(600); i++)
		compare(i, 1, (uint32_t)rng_range(&r, 1, i % 8 ? 40 : 400),
			(uint32_t)rng_range(&r, 8, 100));
}

static void test_short_rows(void **state)
{
	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX512)
		skip();
	r.state = 63;
	for (uint32_t i = 0; i < shapes(600); i++)
		compare(i, 2, (uint32_t)rng_range(&r, 2, 32), (uint32_t)rng_range(&r, 2, 60));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_short_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

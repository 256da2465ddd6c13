// SPDX-License-Identifier: MIT
/* ARG with AVX2. */
#define LEAST_VECTOR FIRST_NATIVE
#include "tests/unit/device/nna/engine/vector/compare.h"

/*
 * The first of the largest and smallest along an axis: of few numbers, so that there are many as
 * good. Rows of input are @apart more than their length.
 */
static bool compare(uint32_t axis, const uint32_t *dims, uint32_t apart)
{
	struct nnahw_cmd_arg *p = (struct nnahw_cmd_arg *)c.raw;
	const uint32_t room[] = { dims[0], dims[1], dims[2] + apart };
	const uint32_t spread = rng_next(&r) % 3 ? 255 : 3;
	uint32_t out[] = { dims[0], dims[1], dims[2] };
	char what[80];
	bool taken;

	call_init(&c, NNAHW_OP_ARG, sizeof(*p), 2);
	p->axis = axis;
	p->minimum = rng_next(&r) & 1;
	out[axis] = 1;
	call_operand(&c, &r, 0, rng_next(&r) & 1 ? NNAHW_TYPE_S32 : NNAHW_TYPE_S64, 3, out, 0);
	call_operand(&c, &r, 1, rng_next(&r) & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, 3, room, 0);
	c.cmd.operands[1].desc.dims[2] = dims[2];
	c.cmd.operands[1].count = dims[0] * dims[1] * dims[2];
	c.cmd.operands[1].contiguous = !apart;
	for (size_t k = 0; k < c.sizes[1]; k++)
		((uint8_t *)c.buffers[1])[k] &= spread;
	snprintf(what, sizeof(what), "ARG %u of axis %u of %u x %u x %u", p->minimum, axis, dims[0],
		 dims[1], dims[2]);
	taken = compare_all(what);
	call_free(&c);
	return taken;
}

/* Along the innermost axis, of any length. */
static void test_rows(void **state)
{
	uint32_t taken = 0;

	r.state = 56;
	for (uint32_t i = 0; i < shapes(1200); i++)
		taken += compare(2,
				 (uint32_t[]){ 2, (uint32_t)rng_range(&r, 1, 90),
					       (uint32_t)rng_range(&r, 1, i % 8 ? 40 : 400) },
				 (uint32_t)rng_next(&r) % 3);
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(1200));
}

/* Along another axis: neighbours are at least 8, or 1. */
static void test_columns(void **state)
{
	uint32_t taken = 0;

	r.state = 57;
	for (uint32_t i = 0; i < shapes(1200); i++)
		taken += compare(1,
				 (uint32_t[]){ (uint32_t)rng_range(&r, 1, 3),
					       (uint32_t)rng_range(&r, 1, i % 8 ? 40 : 400),
					       i % 8 == 1 ? 1 : (uint32_t)rng_range(&r, 8, 100) },
				 i % 8 == 1 ? 0 : (uint32_t)rng_next(&r) % 3);
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(1200));
}

/* Columns so long that tiles end within neighbours. */
static void test_long_columns(void **state)
{
	r.state = 58;
	for (uint32_t i = 0; i < shapes(30); i++) {
		const uint32_t dims[] = { 1, (uint32_t)rng_range(&r, 5000, 16384),
					  (uint32_t)rng_range(&r, 8, 120) };
		const bool taken = compare(1, dims, 0);

		assert_true(taken || nnadev_engine_isa_detect() == NNADEV_ENGINE_SCALAR);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_long_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* The builder: factors as multiplier and shift, and what it refuses of tensors of many dims. */
#include "tests/unit/libnnaccel/ir.h"

#include <errno.h>
#include <math.h>

static void test_requantize(void **state)
{
	int32_t multiplier, shift;

	nna_requantize_from(1, &multiplier, &shift);
	assert_int_equal(multiplier, 1 << 30);
	assert_int_equal(shift, 30);
	nna_requantize_from(0.5, &multiplier, &shift);
	assert_int_equal(shift, 31);
	nna_requantize_from(0, &multiplier, &shift);
	assert_int_equal(multiplier, 0);
	nna_requantize_from(NAN, &multiplier, &shift);
	assert_int_equal(multiplier, 0);
	nna_requantize_from(INFINITY, &multiplier, &shift);
	assert_int_equal(multiplier, 0);
	nna_requantize_from(1e30, &multiplier, &shift);
	assert_int_equal(multiplier, INT32_MAX);
	assert_int_equal(shift, 1);
	nna_requantize_from(1e-30, &multiplier, &shift);
	assert_true(shift == 62 && multiplier == 0);
	/* Just below a power of two: the mantissa rounds up to the next. */
	nna_requantize_from(nextafter(1, 0), &multiplier, &shift);
	assert_int_equal(multiplier, 1 << 30);
	assert_int_equal(shift, 30);
	for (int i = 0; i < 10000; i++) {
		double factor = ldexp(1 + next(1 << 20) / 1048576.0, (int)next(60) - 31);
		double back;

		nna_requantize_from(factor, &multiplier, &shift);
		assert_in_range(shift, 1, 62);
		back = ldexp(multiplier, -shift);
		if (shift < 62 && shift > 1) {
			assert_true(multiplier >= 1 << 30);
			assert_true(fabs(back - factor) <= factor * ldexp(1, -31));
		}
	}
}

/* With ten dims there are copies and fills, where dims fold, and no other command. */
static void test_many_dims(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[10] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, wide[10];
	uint32_t a = scratch(l, NNA_TYPE_F32, 10, dims), b = scratch(l, NNA_TYPE_F32, 10, dims),
		 c;

	assert_int_equal(nna_emit_copy(l, b, a), 0);
	assert_int_equal(l->values[l->ops[l->op_count - 1].values[0]].rank, 1);
	assert_int_equal(nna_emit_fill(l, b, 0), 0);
	assert_int_equal(
		nna_emit_ewise(l, NNA_FN_MAXIMUM, b, a, a, NNA_NO_VALUE, NNA_ACT_NONE, 0),
		-ENOTSUP);
	for (uint32_t k = 0; k < 10; k++)
		wide[k] = 3;
	c = scratch(l, NNA_TYPE_F32, 10, wide);
	for (uint32_t k = 0; k < 10; k++)
		c = ok(nna_view_slice(l, c, k, 0, 1, 2));
	assert_int_equal(nna_emit_copy(l, b, c), -ENOTSUP);
	assert_int_equal(nna_emit_fill(l, c, 0), -ENOTSUP);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_requantize),
		TEST(test_many_dims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

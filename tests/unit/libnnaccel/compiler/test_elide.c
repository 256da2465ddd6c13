// SPDX-License-Identifier: MIT
/* Which copies are left out, and which have to stay. */
#include "tests/unit/libnnaccel/ir.h"

/* Two tensors that are copied into parts of a third are written there at once. */
static void test_elide(void **state)
{
	struct nna_lower *l = *state;
	uint32_t part[2], whole = scratch(l, NNA_TYPE_F32, 4, (uint32_t[]){ 1, 3, 3, 10 });
	uint32_t out = scratch(l, NNA_TYPE_F32, 1, (uint32_t[]){ 90 });

	for (uint32_t i = 0; i < 2; i++) {
		part[i] = scratch(l, NNA_TYPE_F32, 4, (uint32_t[]){ 1, 3, 3, i ? 6 : 4 });
		assert_int_equal(nna_emit_fill(l,
					       ok(nna_view_reshape(l, part[i], 2,
								   (uint32_t[]){ 9, i ? 6 : 4 })),
					       i),
				 0);
	}
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(nna_emit_copy(l,
					       ok(nna_view_slice(l, whole, 3, i * 4, 1, i ? 6 : 4)),
					       part[i]),
				 0);
	assert_int_equal(nna_emit_ewise(l, NNA_FN_EXP, out,
					ok(nna_view_reshape(l, whole, 1, (uint32_t[]){ 90 })),
					NNA_NO_VALUE, NNA_NO_VALUE, 0, 0),
			 0);
	assert_int_equal(nna_pass_elide(l), 0);
	assert_true(l->ops[2].dead && l->ops[3].dead);
	for (uint32_t i = 0; i < 2; i++) {
		const struct nna_value *v = nna_lower_value(l, l->ops[i].values[0]);
		uint32_t width = i ? 6 : 4;

		assert_int_equal(v->storage, nna_lower_value(l, whole)->storage);
		for (uint32_t at = 0; at < 9 * width; at++)
			assert_int_equal(address(v, at), at / width * 10 + i * 4 + at % width);
	}
}

/* The same, but the place is read in between, or the part is written again: the copy stays. */
static void test_elide_not(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[1] = { 10 };
	uint32_t part = scratch(l, NNA_TYPE_F32, 1, dims),
		 place = scratch(l, NNA_TYPE_F32, 1, dims);
	uint32_t other = scratch(l, NNA_TYPE_F32, 1, dims),
		 third = scratch(l, NNA_TYPE_F32, 1, dims);

	assert_int_equal(nna_emit_fill(l, place, 1), 0);
	assert_int_equal(nna_emit_fill(l, part, 2), 0);
	assert_int_equal(nna_emit_ewise(l, NNA_FN_EXP, other, place, NNA_NO_VALUE,
					NNA_NO_VALUE, 0, 0),
			 0);
	assert_int_equal(nna_emit_copy(l, place, part), 0);
	assert_int_equal(nna_emit_fill(l, third, 3), 0);
	assert_int_equal(nna_emit_copy(l, other, third), 0);
	assert_int_equal(nna_emit_fill(l, third, 4), 0);
	assert_int_equal(
		nna_emit_ewise(l, NNA_FN_ADD, place, third, other, NNA_NO_VALUE, 0, 0), 0);
	assert_int_equal(nna_pass_elide(l), 0);
	assert_false(l->ops[3].dead);
	assert_false(l->ops[5].dead);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_elide),
		TEST(test_elide_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* The uses of storages, as a pass keeps them. */
#include <stdlib.h>

#include "tests/unit/libnnaccel/ir.h"

/* What is kept while operations change is what a fresh count finds. */
static void test_uses(void **state)
{
	struct nna_lower *l = *state;
	const uint32_t dims[1] = { 10 };
	uint32_t v[3], s[3];
	struct nna_ir_use *uses, *fresh;

	for (uint32_t i = 0; i < 3; i++) {
		v[i] = scratch(l, NNA_TYPE_F32, 1, dims);
		s[i] = nna_lower_value(l, v[i])->storage;
	}
	assert_int_equal(nna_emit_fill(l, v[0], 1), 0);
	assert_int_equal(nna_emit_copy(l, v[1], v[0]), 0);
	assert_int_equal(nna_emit_ewise(l, NNA_FN_ADD, v[2], v[0], v[1], NNA_NO_VALUE, 0, 0), 0);
	uses = nna_ir_uses_get(l);
	assert_non_null(uses);
	assert_int_equal(uses[s[0]].reads, 2);
	assert_int_equal(uses[s[1]].reads, 1);
	assert_int_equal(uses[s[2]].reads, 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(nna_ir_only_writer(l, uses, s[i]), i);

	/* The copy writes the sum's storage instead: that has two writers, its own none. */
	nna_ir_uses_remove(l, uses, 1);
	l->ops[1].values[0] = v[2];
	nna_ir_uses_add(l, uses, 1);
	assert_int_equal(nna_ir_only_writer(l, uses, s[1]), NNA_NONE);
	assert_int_equal(nna_ir_only_writer(l, uses, s[2]), NNA_NONE);
	/* The sum goes: the copy is the only writer that is left. */
	nna_ir_uses_remove(l, uses, 2);
	l->ops[2].dead = true;
	assert_int_equal(nna_ir_only_writer(l, uses, s[2]), 1);
	assert_int_equal(uses[s[0]].reads, 1);

	fresh = nna_ir_uses_get(l);
	assert_non_null(fresh);
	assert_memory_equal(uses, fresh, l->storage_count * sizeof(*uses));
	free(fresh);
	free(uses);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_uses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* Where the memory plan puts scratch values. */
#include "tests/unit/libnnaccel/ir.h"

#include <errno.h>

/* Storages that live at the same time do not share bytes; memory is reused, though. */
static void test_plan(void **state)
{
	struct nna_lower *l = *state;
	enum { COUNT = 200 };
	uint32_t values[COUNT], first[COUNT], last[COUNT];
	struct nna_areas areas;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		values[i] = scratch(l, NNA_TYPE_U8, 1, (uint32_t[]){ 1 + next(5000) });
		first[i] = UINT32_MAX;
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		/* Each is written once, from one of the last ten, by what cannot work in place. */
		struct nna_ir_op c = { .kind = NNA_IR_REDUCE };
		uint32_t in = i ? i - 1 - next(i < 10 ? i : 10) : 0;

		if (!i) {
			assert_int_equal(nna_emit_fill(l, values[0], 0), 0);
		} else {
			assert_int_equal(
				nna_ir_add(l, &c, (uint32_t[]){ values[i], values[in] }), 0);
		}
		first[i] = last[i] = l->op_count - 1;
		last[in] = l->op_count - 1;
	}
	assert_int_equal(nna_pass_plan(l, nna_backend_find("nna"), &areas), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct nna_storage *a = &l->storages[l->values[values[i]].storage];

		sum += a->size;
		assert_int_equal(a->offset % 64, 0);
		assert_true(a->offset + a->size <= areas.scratch);
		for (uint32_t j = 0; j < i; j++) {
			const struct nna_storage *b = &l->storages[l->values[values[j]].storage];

			if (last[i] < first[j] || last[j] < first[i])
				continue;
			assert_true(a->offset + a->size <= b->offset ||
				    b->offset + b->size <= a->offset);
		}
	}
	assert_true(areas.scratch * 4 < sum);
}

/* A chain of values, each of which is made of the one before by what cannot work in place. */
static void chain(struct nna_lower *l, const uint32_t *sizes, uint32_t count, uint64_t *middles)
{
	struct nna_areas areas;
	uint32_t values[16];

	for (uint32_t i = 0; i < count; i++) {
		struct nna_ir_op c = { .kind = NNA_IR_REDUCE };

		values[i] = scratch(l, NNA_TYPE_U8, 1, &sizes[i]);
		if (i)
			assert_int_equal(
				nna_ir_add(l, &c, (uint32_t[]){ values[i], values[i - 1] }), 0);
		else
			assert_int_equal(nna_emit_fill(l, values[0], 0), 0);
	}
	assert_int_equal(nna_pass_plan(l, nna_backend_find("nna"), &areas), 0);
	for (uint32_t i = 0; i < count; i++) {
		const struct nna_storage *s = &l->storages[l->values[values[i]].storage];

		middles[i] = s->offset + s->size / 2;
	}
	middles[count] = areas.scratch;
}

/* Each second value has the same middle, where two of them take no more memory. */
static void test_plan_middles(void **state)
{
	static const uint32_t sizes[] = { 65536, 65536, 131072, 32768, 65536, 65536, 16384, 8192 };
	enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
	uint64_t middles[COUNT + 1];

	chain(*state, sizes, COUNT, middles);
	for (uint32_t i = 2; i < COUNT; i++)
		assert_int_equal(middles[i], middles[i - 2]);
	assert_int_equal(middles[COUNT], 131072 + 65536);
}

/* Where a third middle would take more memory, the places are others. */
static void test_plan_middles_cost(void **state)
{
	static const uint32_t sizes[] = { 65536, 65536, 65536, 131072, 65536, 65536, 65536 };
	enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
	uint64_t middles[COUNT + 1];

	chain(*state, sizes, COUNT, middles);
	assert_int_equal(middles[COUNT], 131072 + 65536);
}

static void test_plan_in_place(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[1] = { 1000 }, v[5];
	struct nna_areas areas;

	for (int i = 0; i < 5; i++)
		v[i] = scratch(l, NNA_TYPE_F32, 1, dims);
	assert_int_equal(nna_emit_fill(l, v[0], 0), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(nna_emit_ewise(l, NNA_FN_EXP, v[i + 1], v[i], NNA_NO_VALUE,
						NNA_NO_VALUE, 0, 0),
				 0);
	/* The first is read again at the end, so that it has to stay. */
	assert_int_equal(
		nna_emit_ewise(l, NNA_FN_ADD, v[4], v[4], v[0], NNA_NO_VALUE, 0, 0), 0);
	assert_int_equal(nna_pass_plan(l, nna_backend_find("nna"), &areas), 0);
	assert_int_equal(areas.scratch, 2 * 4032);
}

/* What a loop reads may have been written in the round before: it keeps its place. */
static void test_plan_loop(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[1] = { 256 }, carried, inside, after, condition, top, out;
	struct nna_areas areas;
	const struct nna_storage *a, *b;

	carried = scratch(l, NNA_TYPE_F32, 1, dims);
	inside = scratch(l, NNA_TYPE_F32, 1, dims);
	after = scratch(l, NNA_TYPE_F32, 1, dims);
	condition = scratch(l, NNA_TYPE_BOOL8, 0, NULL);
	assert_int_equal(nna_emit_fill(l, carried, 0), 0);
	assert_int_equal(nna_emit_fill(l, condition, 1), 0);
	top = ok(nna_lower_label(l));
	out = ok(nna_lower_label(l));
	assert_int_equal(nna_lower_place(l, top), 0);
	assert_int_equal(nna_emit_branch_unless(l, condition, out), 0);
	assert_int_equal(nna_emit_ewise(l, NNA_FN_EXP, inside, carried, NNA_NO_VALUE,
					NNA_NO_VALUE, 0, 0),
			 0);
	assert_int_equal(nna_emit_copy(l, carried, inside), 0);
	assert_int_equal(nna_emit_jump(l, top), 0);
	assert_int_equal(nna_lower_place(l, out), 0);
	assert_int_equal(nna_lower_place(l, out), -EINVAL);
	assert_int_equal(nna_emit_copy(l, after, carried), 0);
	assert_true(l->synchronous);
	assert_int_equal(nna_pass_elide(l), 0);
	assert_int_equal(nna_pass_plan(l, nna_backend_find("nna"), &areas), 0);
	a = &l->storages[l->values[carried].storage];
	b = &l->storages[l->values[inside].storage];
	assert_true(a->offset != b->offset);
	for (uint32_t i = 0; i < l->op_count; i++)
		assert_false(l->ops[i].dead && l->ops[i].kind != NNA_IR_COPY);
	/* The copy that closes the loop stays. */
	assert_false(l->ops[4].dead);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_plan),
		TEST(test_plan_middles),
		TEST(test_plan_middles_cost),
		TEST(test_plan_in_place),
		TEST(test_plan_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

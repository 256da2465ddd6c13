// SPDX-License-Identifier: MIT
/* TOPK on random shapes, NaNs and equal numbers: the place of an element is counted. */
#include "tests/unit/device/nna/engine/case.h"

/* Whether a comes before b; @lower_first as in the command. */
static bool before(double x, uint32_t a, double y, uint32_t b, bool lower_first)
{
	const bool first = lower_first ? a < b : a > b;

	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y) ? first : isnan(y);
	return x > y || (x == y && first);
}

static void verify_topk(void)
{
	const struct nnadev_engine_operand *values = &c.cmd.operands[0],
					   *indices = &c.cmd.operands[1], *in = &c.cmd.operands[2];
	uint32_t index[NNAHW_MAX_RANK] = { 0 }, last = in->desc.rank - 1;
	const bool lower_first = ((const struct nnahw_cmd_topk *)c.raw)->lower_first;

	/* The place of an element is how many come before it. */
	do {
		uint32_t at[NNAHW_MAX_RANK], place = 0;
		double x = number(in, index);

		memcpy(at, index, sizeof(at));
		for (at[last] = 0; at[last] < in->desc.dims[last]; at[last]++)
			place += before(number(in, at), at[last], x, index[last],
					lower_first);
		at[last] = place;
		if (place >= values->desc.dims[last])
			continue;
		assert_int_equal((int64_t)number(indices, at), index[last]);
		assert_memory_equal(element(values, at), element(in, index),
				    nnahw_type_size(in->desc.type));
	} while (next_index(&in->desc, index));
}

static void test_topk(void **state)
{
	static const uint32_t types[] = { NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8,
					  NNAHW_TYPE_S8,	NNAHW_TYPE_S32, NNAHW_TYPE_S64 };

	r.state = 41;
	for (int i = 0; i < 600; i++) {
		uint32_t dims[4], k[4], rank = (uint32_t)rng_range(&r, 1, 4),
					type = types[rng_next(&r) % 6];
		const struct nnadev_engine_operand *in;

		for (uint32_t d = 0; d < rank; d++)
			k[d] = dims[d] = (uint32_t)rng_range(&r, 1, d + 1 == rank ? 40 : 3);
		k[rank - 1] = (uint32_t)rng_range(&r, 1, dims[rank - 1]);
		call_init(&c, NNAHW_OP_TOPK, sizeof(struct nnahw_cmd_topk), 3);
		((struct nnahw_cmd_topk *)c.raw)->lower_first = i / 2 % 2;
		call_operand(&c, &r, 0, type, rank, k, spread());
		call_operand(&c, &r, 1, NNAHW_TYPE_S32, rank, k, spread());
		in = call_operand(&c, &r, 2, type, rank, dims, spread());
		/* Floats keep their random bits: NaNs of all kinds. Now and then many are equal. */
		if (i % 2)
			memset(c.buffers[2], (int)rng_next(&r), c.sizes[2] / 2);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		assert_true(in->count);
		verify_topk();
		c.cmd.operands[1].desc.dims[rank - 1]++;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
		((struct nnahw_cmd_topk *)c.raw)->lower_first = 2;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR),
				 NNAHW_STATUS_BAD_COMMAND);
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_topk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* REDUCE with vectors: the same as the scalar kernel gives. */
#include "tests/unit/device/nna/engine/vector/compare.h"

/* Puts a gap behind each of the rows of an operand, which is large enough for the larger dims. */
static void leave_gaps(uint32_t i, const uint32_t *dims, const uint32_t *larger)
{
	call_operand(&c, &r, i, c.cmd.operands[i].desc.type, 4, larger, 0);
	memcpy(c.cmd.operands[i].desc.dims, dims, 4 * sizeof(dims[0]));
	c.cmd.operands[i].count = dims[0] * dims[1] * dims[2] * dims[3];
	c.cmd.operands[i].contiguous = false;
}

/* Sums and means over any axes but the innermost, with and without scales and multipliers. */
static void test_reduce(void **state)
{
	static const uint32_t out_types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_S32,
					      NNAHW_TYPE_F32 };
	uint32_t taken = 0;

	r.state = 71;
	for (uint32_t i = 0; i < shapes(3000); i++) {
		struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;
		const uint32_t type = i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, form = i / 2 % 3,
			       out_type = out_types[rng_next(&r) % (form == 2 ? 2 : 4)];
		uint32_t dims[4], out[4], larger[4];
		char what[96];

		call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
		p->kind = rng_next(&r) & 1 ? NNAHW_REDUCTION_SUM : NNAHW_REDUCTION_MEAN;
		p->axes = (uint32_t)rng_range(&r, 0, 7);
		for (uint32_t k = 0; k < 4; k++) {
			dims[k] = (uint32_t)rng_range(&r, k == 3 ? 8 : 1, k == 3 ? 200 : 9);
			larger[k] = dims[k] + (uint32_t)rng_range(&r, 0, 2);
			out[k] = p->axes >> k & 1 ? 1 : dims[k];
		}
		p->q_min = out_type == NNAHW_TYPE_U8 ? 3 : -120;
		p->q_max = 117;
		call_operand(&c, &r, 0, out_type, 4, out, 0);
		call_operand(&c, &r, 1, type, 4, dims, 0);
		if (rng_next(&r) & 1)
			leave_gaps(1, dims, larger);
		if (form) {
			const bool is_float = out_type == NNAHW_TYPE_F32;

			operand_quantise(&c.cmd.operands[0], is_float ? 0 : 0.7f, is_float ? 0 : 5);
			operand_quantise(&c.cmd.operands[1], 0.1f,
					 (int32_t)rng_range(&r, 0, 127));
		}
		if (form == 2) {
			p->multiplier = (int32_t)rng_range(&r, 1 << 30, INT32_MAX);
			p->shift = (int32_t)rng_range(&r, 29, 40);
		}
		if (c.cmd.operands[0].desc.type == NNAHW_TYPE_S32)
			operand_quantise(&c.cmd.operands[0], 0, 0);
		snprintf(what, sizeof(what), "REDUCE %u of type %u to %u, axes %x, row of %u",
			 p->kind, type, out_type, p->axes, dims[3]);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken == shapes(3000));
}

/*
 * Floats, in the order of the scalar kernel: sums whose parts cancel show another order. Some are
 * longer than a block.
 */
static void test_reduce_floats(void **state)
{
	uint32_t taken = 0;

	r.state = 72;
	for (uint32_t i = 0; i < shapes(300); i++) {
		struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;
		const uint32_t type = i & 1 ? NNAHW_TYPE_F16 : NNAHW_TYPE_F32,
			       most = i % 50 ? 9 : 80,
			       axes = i % 50 ? (uint32_t)rng_range(&r, 0, 7) : 6;
		uint32_t dims[4], out[4], larger[4];
		char what[96];

		call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
		p->kind = rng_next(&r) & 1 ? NNAHW_REDUCTION_SUM : NNAHW_REDUCTION_MEAN;
		p->axes = axes;
		for (uint32_t k = 0; k < 4; k++) {
			dims[k] = (uint32_t)rng_range(&r, k == 3 ? 8 : k && i % 50 == 0 ? 65 : 1,
						      k == 3 ? 100 : k ? most : 3);
			larger[k] = dims[k] + (uint32_t)rng_range(&r, 0, 2);
			out[k] = p->axes >> k & 1 ? 1 : dims[k];
		}
		call_operand(&c, &r, 0, rng_next(&r) & 1 ? type : NNAHW_TYPE_F32, 4, out, 0);
		call_operand(&c, &r, 1, type, 4, dims, 0);
		if (rng_next(&r) & 1)
			leave_gaps(1, dims, larger);
		operand_floats(&c, &r, 1, -100, 100);
		if (rng_next(&r) % 4 == 0)
			special_floats(1);
		snprintf(what, sizeof(what), "REDUCE %u of type %u, axes %x, %ux%ux%ux%u", p->kind,
			 type, p->axes, dims[0], dims[1], dims[2], dims[3]);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken == shapes(300));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_reduce_floats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* REDUCE of numbers that lie together: what the scalar kernel gives, to the bit. */
#include "tests/unit/device/nna/engine/vector/compare.h"

static void test_runs(void **state)
{
	static const uint32_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_U16,
					  NNAHW_TYPE_S16, NNAHW_TYPE_S32 },
			      kinds[] = { NNAHW_REDUCTION_SUM, NNAHW_REDUCTION_MEAN,
					  NNAHW_REDUCTION_MAX, NNAHW_REDUCTION_MIN };
	uint32_t taken = 0;

	r.state = 93;
	for (uint32_t i = 0; i < shapes(2000); i++) {
		struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;
		const uint32_t type = types[i % 5], first = (uint32_t)rng_range(&r, 0, 3);
		uint32_t dims[4], out[4], to = rng_next(&r) % 3 ? type : NNAHW_TYPE_F32;
		const bool quantised = rng_next(&r) & 1;
		char what[96];

		call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
		p->kind = kinds[rng_next(&r) % 4];
		p->q_min = type == NNAHW_TYPE_U8 || type == NNAHW_TYPE_U16 ? 3 : -120;
		p->q_max = 117;
		for (uint32_t k = 0; k < 4; k++) {
			dims[k] = (uint32_t)rng_range(&r, k == 3 ? 4 : 1, k == 3 ? 90 : 7);
			out[k] = k >= first ? 1 : dims[k];
			p->axes |= k >= first ? 1u << k : 0;
		}
		call_operand(&c, &r, 0, to, 4, out, 0);
		call_operand(&c, &r, 1, type, 4, dims, 0);
		if (quantised) {
			operand_quantise(&c.cmd.operands[1], 0.1f, type == NNAHW_TYPE_S32 ? 0 : 7);
			if (to != NNAHW_TYPE_F32)
				operand_quantise(&c.cmd.operands[0], 0.7f,
						 to == NNAHW_TYPE_S32 ? 0 : 5);
		}
		snprintf(what, sizeof(what), "REDUCE %u of type %u to %u, axes %x, case %u",
			 p->kind, type, to, p->axes, i);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(2000));
}

/* Extremes of floats, NaN and infinities included. */
static void test_extremes(void **state)
{
	uint32_t taken = 0;

	r.state = 91;
	for (uint32_t i = 0; i < shapes(1000); i++) {
		struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;
		const uint32_t first = (uint32_t)rng_range(&r, 0, 3);
		uint32_t dims[4], out[4];
		char what[96];

		call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
		p->kind = i & 1 ? NNAHW_REDUCTION_MAX : NNAHW_REDUCTION_MIN;
		for (uint32_t k = 0; k < 4; k++) {
			dims[k] = (uint32_t)rng_range(&r, k == 3 ? 4 : 1, k == 3 ? 90 : 7);
			out[k] = k >= first ? 1 : dims[k];
			p->axes |= k >= first ? 1u << k : 0;
		}
		call_operand(&c, &r, 0, NNAHW_TYPE_F32, 4, out, 0);
		call_operand(&c, &r, 1, NNAHW_TYPE_F32, 4, dims, 0);
		if (i % 3)
			operand_floats(&c, &r, 1, -4, 4);
		else
			special_floats(1);
		snprintf(what, sizeof(what), "REDUCE %u, axes %x, row of %u, case %u", p->kind,
			 p->axes, dims[3], i);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(1000));
}

/* Axes that do not lie together, and other reductions. */
static void test_left(void **state)
{
	static const struct {
		uint32_t kind, axes, type;
	} left[] = {
		{ NNAHW_REDUCTION_MAX, 1, NNAHW_TYPE_S32 },
		{ NNAHW_REDUCTION_MAX, 5, NNAHW_TYPE_S32 },
		{ NNAHW_REDUCTION_PROD, 4, NNAHW_TYPE_S32 },
		{ NNAHW_REDUCTION_MAX, 1, NNAHW_TYPE_F32 },
		{ NNAHW_REDUCTION_MAX, 5, NNAHW_TYPE_F32 },
		{ NNAHW_REDUCTION_SUM, 4, NNAHW_TYPE_F32 },
		{ NNAHW_REDUCTION_PROD, 4, NNAHW_TYPE_F32 },
	};

	r.state = 94;
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		struct nnahw_cmd_reduce *p = (struct nnahw_cmd_reduce *)c.raw;
		uint32_t dims[] = { 3, 4, 16 }, out[3];

		call_init(&c, NNAHW_OP_REDUCE, sizeof(*p), 2);
		p->kind = left[i].kind;
		p->axes = left[i].axes;
		for (uint32_t k = 0; k < 3; k++)
			out[k] = p->axes >> k & 1 ? 1 : dims[k];
		call_operand(&c, &r, 0, left[i].type, 3, out, 0);
		call_operand(&c, &r, 1, left[i].type, 3, dims, 0);
		assert_false(is_vector(nnadev_engine_isa_detect()));
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

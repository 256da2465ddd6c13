// SPDX-License-Identifier: MIT
/* SOFTMAX: the bits of the scalar kernel, also for numbers that are no ordinary ones. */
#include "tests/unit/device/nna/engine/vector/compare.h"

static void test_rows(void **state)
{
	static const uint8_t types[] = { NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8,
					 NNAHW_TYPE_S8, NNAHW_TYPE_S16 };
	uint32_t taken = 0;

	r.state = 61;
	for (uint32_t i = 0; i < shapes(600); i++) {
		struct nnahw_cmd_softmax *p = (struct nnahw_cmd_softmax *)c.raw;
		const uint32_t in = types[i % 5], out = types[i / 5 % 5];
		/* Few rows of many numbers, or many of few, which are computed together. */
		const bool is_short = i % 3 == 0;
		uint32_t dims[3] = { (uint32_t)rng_range(&r, 1, 3),
				     (uint32_t)rng_range(&r, 1, is_short ? 400 : 5),
				     (uint32_t)rng_range(&r, 1, is_short ? 20 :
								i % 10	 ? 100 :
									   4096) };
		char what[64];

		call_init(&c, NNAHW_OP_SOFTMAX, sizeof(*p), 2);
		p->axis = 2;
		p->log = is_float(out) && rng_next(&r) & 1;
		p->beta = rng_float(&r, 0.1f, 2);
		call_operand(&c, &r, 0, out, 3, dims, 0);
		/* Rows with gaps between them are not. */
		call_operand(&c, &r, 1, in, 3, dims, 0);
		if (i % 7 == 0 && dims[1] > 1) {
			c.cmd.operands[1].desc.strides[1] = 0;
			c.cmd.operands[1].contiguous = false;
		}
		if (i & 1)
			operand_floats(&c, &r, 1, -9, 9);
		else
			special_floats(1);
		for (uint32_t k = 0; k < 2; k++)
			if (!is_float(c.cmd.operands[k].desc.type))
				operand_quantise(&c.cmd.operands[k], k ? 0.05f : 1 / 256.f,
						 (int32_t)rng_range(&r, 0, 100));
		snprintf(what, sizeof(what), "SOFTMAX of type %u to %u, %u numbers", in, out,
			 dims[2]);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(600));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

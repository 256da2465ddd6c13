// SPDX-License-Identifier: MIT
/* ARG on random shapes: every kernel that the machine has, against a search from the end. */
#include "tests/unit/device/nna/engine/case.h"

static void verify_arg(void)
{
	const struct nnahw_cmd_arg *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1];
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		uint32_t at[NNAHW_MAX_RANK], best = 0;
		double found = 0;

		memcpy(at, index, sizeof(at));
		for (uint32_t k = in->desc.dims[p->axis]; k-- > 0;) {
			double v;

			at[p->axis] = k;
			v = number(in, at);
			if (k + 1 == in->desc.dims[p->axis] ||
			    (p->minimum ? v <= found : v >= found))
				best = k, found = v;
		}
		if (number(out, index) != best)
			fail_msg("arg: got %g, not %u", number(out, index), best);
	} while (next_index(&out->desc, index));
}

static void test_arg(void **state)
{
	struct nnahw_cmd_arg *p = (struct nnahw_cmd_arg *)c.raw;

	r.state = 28;
	for (int i = 0; i < 800; i++) {
		uint32_t in[NNAHW_MAX_RANK], out[NNAHW_MAX_RANK], rank = random_dims(in, 1, 50);

		call_init(&c, NNAHW_OP_ARG, sizeof(*p), 2);
		p->axis = (uint32_t)rng_range(&r, 0, rank - 1);
		p->minimum = rng_next(&r) & 1;
		memcpy(out, in, sizeof(out));
		out[p->axis] = 1;
		call_operand(&c, &r, 0, PICK(NNAHW_TYPE_S32, NNAHW_TYPE_S64), rank, out, spread());
		call_operand(&c, &r, 1,
			     PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S8,
				  NNAHW_TYPE_S32),
			     rank, in, spread());
		operand_floats(&c, &r, 1, -2, 2);
		run_all(verify_arg);
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

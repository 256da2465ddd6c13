// SPDX-License-Identifier: MIT
/* MATMUL on random shapes: every kernel that the machine has, against integers or double. */
#include "tests/unit/device/nna/engine/epilogue.h"

static void test_matmul(void **state)
{
	static struct call c;
	struct rng r = { 15 };

	for (int i = 0; i < CASES; i++) {
		struct nnahw_cmd_matmul *p = (struct nnahw_cmd_matmul *)c.raw;
		uint32_t b = (uint32_t)rng_range(&r, 1, 3), m = (uint32_t)rng_range(&r, 1, 20),
			 n = (uint32_t)rng_range(&r, 1, 40);
		uint32_t k = (uint32_t)rng_range(&r, 1, 60), channels = rng_next(&r) & 1 ? n : 1,
			 index[4] = { 0 };
		int quantised = rng_next(&r) & 1, residual = rng_next(&r) % 3 == 0,
		    bias = rng_next(&r) & 1, low, sums = quantised && rng_next(&r) % 3 == 0;
		uint32_t type = quantised ? NNAHW_TYPE_U8 + (uint32_t)(rng_next(&r) & 1)
					  : NNAHW_TYPE_F16 + (uint32_t)(rng_next(&r) & 1);
		struct nnadev_engine_operand *o = c.cmd.operands;

		call_init(&c, NNAHW_OP_MATMUL, sizeof(*p), 6);
		low = type == NNAHW_TYPE_S8 ? -128 : 0;
		residual = residual && !sums;
		call_operand(&c, &r, NNAHW_MATMUL_OUTPUT, sums ? NNAHW_TYPE_F32 : type, 3,
			     (uint32_t[]){ b, m, n }, rng_next(&r) % 3 == 0);
		call_operand(&c, &r, NNAHW_MATMUL_A, type, 3, (uint32_t[]){ b, m, k },
			     rng_next(&r) % 3 == 0);
		call_operand(&c, &r, NNAHW_MATMUL_B, type, 3, (uint32_t[]){ b, k, n },
			     rng_next(&r) % 2 == 0);
		operand_floats(&c, &r, NNAHW_MATMUL_A, -2, 2);
		operand_floats(&c, &r, NNAHW_MATMUL_B, -2, 2);
		if (bias) {
			call_operand(&c, &r, NNAHW_MATMUL_BIAS, quantised ? NNAHW_TYPE_S32 : type,
				     1, &n, 0);
			operand_floats(&c, &r, NNAHW_MATMUL_BIAS, -2, 2);
		}
		if (quantised) {
			struct nnahw_channel *ch = call_operand(&c, &r, NNAHW_MATMUL_CHANNELS,
								NNAHW_TYPE_S32, 2,
								(uint32_t[]){ channels, 4 }, 0)
							   ->data;

			for (uint32_t j = 0; j < channels; j++)
				ch[j] = (struct nnahw_channel){
					0, (int32_t)rng_range(&r, 1 << 30, INT32_MAX),
					(int32_t)rng_range(&r, 34, 46), 0
				};
			if (!sums)
				operand_quantise(&o[0], 1, (int32_t)rng_range(&r, low, low + 255));
			operand_quantise(&o[1], 1, (int32_t)rng_range(&r, low, low + 255));
			operand_quantise(&o[2], 1, (int32_t)rng_range(&r, low, low + 255));
		}
		if (residual) {
			call_operand(&c, &r, NNAHW_MATMUL_RESIDUAL, type, 3,
				     (uint32_t[]){ b, m, n }, 0);
			operand_floats(&c, &r, NNAHW_MATMUL_RESIDUAL, -2, 2);
		}
		random_epilogue(&p->epilogue, &r, quantised && !sums, residual,
				type == NNAHW_TYPE_S8);
		for_each_isa(isa, NNADEV_ENGINE_SCALAR) {
			assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_OK);
			do {
				const struct nnahw_channel *ch = o[NNAHW_MATMUL_CHANNELS].data;
				double acc = bias ? number(&o[NNAHW_MATMUL_BIAS], &index[2]) : 0,
				       magnitude = fabs(acc);

				for (uint32_t z = k; z-- > 0;) {
					double x = number(&o[1],
							  (uint32_t[]){ index[0], index[1], z }) -
						   o[1].desc.zero_point;
					double y = number(&o[2],
							  (uint32_t[]){ index[0], z, index[2] }) -
						   o[2].desc.zero_point;

					acc += x * y;
					magnitude += fabs(x * y);
				}
				check_output("matmul", &o[0], index, number(&o[0], index),
					     after(&p->epilogue, acc,
						   ch ? &ch[channels == 1 ? 0 : index[2]] : NULL,
						   &o[0], &o[NNAHW_MATMUL_RESIDUAL], index),
					     quantised ? 0 : magnitude);
			} while (next_index(&o[0].desc, index));
		}
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matmul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

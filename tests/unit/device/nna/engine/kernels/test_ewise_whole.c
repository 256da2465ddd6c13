// SPDX-License-Identifier: MIT
/* EWISE on whole numbers: the same as the scalar kernel gives, which is what it calls. */
#include "tests/unit/device/nna/engine/vector/compare.h"

static const uint8_t one_input[] = { NNAHW_EWISE_IDENTITY, NNAHW_EWISE_CAST, NNAHW_EWISE_ABS,
				     NNAHW_EWISE_NEG };
static const uint8_t two_inputs[] = {
	NNAHW_EWISE_ADD,	NNAHW_EWISE_SUB,	   NNAHW_EWISE_MUL,
	NNAHW_EWISE_DIV,	NNAHW_EWISE_FLOOR_DIV,	   NNAHW_EWISE_MAXIMUM,
	NNAHW_EWISE_MINIMUM,	NNAHW_EWISE_EQUAL,	   NNAHW_EWISE_NOT_EQUAL,
	NNAHW_EWISE_LESS,	NNAHW_EWISE_LESS_EQUAL,	   NNAHW_EWISE_GREATER,
	NNAHW_EWISE_SHIFT_RIGHT, NNAHW_EWISE_GREATER_EQUAL, NNAHW_EWISE_BITWISE_XOR,
	NNAHW_EWISE_SQUARED_DIFFERENCE, NNAHW_EWISE_TRUNCATE_DIV,
	NNAHW_EWISE_FLOOR_MOD,
};
static const uint32_t types[] = { NNAHW_TYPE_S64, NNAHW_TYPE_S32, NNAHW_TYPE_U32, NNAHW_TYPE_S16,
				  NNAHW_TYPE_U16, NNAHW_TYPE_S8, NNAHW_TYPE_U8, NNAHW_TYPE_BOOL8 };

/* Every operation with every type of input and every other type of output, rows of any length. */
static void test_operations(void **state)
{
	uint32_t taken = 0, count = 0;

	r.state = 61;
	for (uint32_t i = 0; i < sizeof(one_input) + sizeof(two_inputs); i++) {
		const bool one = i < sizeof(one_input);
		const uint32_t op = one ? one_input[i] : two_inputs[i - sizeof(one_input)];

		for (uint32_t k = 0; k < 8 * 9; k++, count++) {
			struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
			const uint32_t in = types[k / 9],
				       out = k % 9 == 8 ? (uint32_t)NNAHW_TYPE_F32 : types[k % 9];
			uint32_t dims[2] = { (uint32_t)rng_range(&r, 1, 5),
					     (uint32_t)rng_range(&r, 8, 600) };
			char what[64];

			call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
			p->op = (uint8_t)op;
			p->clamp_min = rng_next(&r) & 1 ? -INFINITY : -100;
			p->clamp_max = INFINITY;
			call_operand(&c, &r, 0, out, 2, dims, 0);
			for (uint32_t n = 1; n <= (one ? 1 : 2); n++) {
				call_operand(&c, &r, n, in, 2, dims, 0);
				if (n == 2 && rng_next(&r) & 1)
					c.cmd.operands[n].desc.strides[rng_next(&r) & 1] = 0;
			}
			snprintf(what, sizeof(what), "EWISE %u of type %u to %u", op, in, out);
			taken += compare_all(what);
			call_free(&c);
		}
	}
	/* The rest are tables of bytes. */
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > count * 8 / 10);
}

/* Floats of any size and sign, infinities and NaNs, as whole numbers of every type. */
static void test_casts_of_floats(void **state)
{
	static const float special[] = { NAN, INFINITY, -INFINITY, 0x1p63f, -0x1p63f, 0x1p40f,
					 -0x1p40f, 300, -300, 0.99f, -0.99f, -0.0f };
	uint32_t taken = 0;

	r.state = 62;
	for (uint32_t k = 0; k < 7 * 8; k++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		uint32_t dims[1] = { (uint32_t)rng_range(&r, 12, 600) };
		float *in;

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		p->op = NNAHW_EWISE_CAST;
		call_operand(&c, &r, 0, types[k % 7], 1, dims, 0);
		call_operand(&c, &r, 1, NNAHW_TYPE_F32, 1, dims, 0);
		in = c.buffers[1];
		for (uint32_t i = 0; i < dims[0]; i++)
			in[i] = i < 12 ? special[i] : rng_float(&r, -70000, 70000);
		taken += compare_all("CAST of floats");
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken >= 7 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_casts_of_floats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

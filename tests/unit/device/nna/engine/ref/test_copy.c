// SPDX-License-Identifier: MIT
/* COPY and FILL on random shapes and strides: every kernel that the machine has. */
#include "tests/unit/device/nna/engine/case.h"

/* Each element has the bytes of the one that it was copied from. */
static void verify_copy(void)
{
	const struct nnadev_engine_operand *o = c.cmd.operands;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		if (memcmp(element(&o[0], index), element(&o[1], index),
			   nnahw_type_size(o[0].desc.type)))
			fail_msg("copy differs");
	} while (next_index(&o[0].desc, index));
}

/* Between types of one size, from inputs that are broadcast or have strides of their own. */
static void test_copy(void **state)
{
	r.state = 25;
	for (int i = 0; i < 1500; i++) {
		static const uint32_t same[][2] = { { NNAHW_TYPE_U8, NNAHW_TYPE_S8 },
						    { NNAHW_TYPE_F16, NNAHW_TYPE_U16 },
						    { NNAHW_TYPE_F32, NNAHW_TYPE_F32 },
						    { NNAHW_TYPE_S64, NNAHW_TYPE_S64 },
						    { NNAHW_TYPE_BOOL8, NNAHW_TYPE_U8 } };
		const uint32_t *types = same[rng_next(&r) % 5];
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 300);

		call_init(&c, NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2);
		call_operand(&c, &r, 0, types[0], rank, dims, spread());
		call_operand(&c, &r, 1, types[1], rank, dims, spread());
		broadcast(1);
		run_all(verify_copy);
		call_free(&c);
	}
}

/* Each element has the value of the command, cut to the size of its type. */
static void verify_fill(void)
{
	const struct nnahw_cmd_fill *p = (const void *)c.raw;
	const struct nnadev_engine_operand *o = c.cmd.operands;
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		assert_memory_equal(element(&o[0], index), &p->value,
				    nnahw_type_size(o[0].desc.type));
	} while (next_index(&o[0].desc, index));
}

static void test_fill(void **state)
{
	r.state = 26;
	for (int i = 0; i < 300; i++) {
		uint32_t dims[NNAHW_MAX_RANK], rank = random_dims(dims, 0, 300);

		call_init(&c, NNAHW_OP_FILL, sizeof(struct nnahw_cmd_fill), 1);
		call_operand(&c, &r, 0,
			     PICK(NNAHW_TYPE_U8, NNAHW_TYPE_F16, NNAHW_TYPE_F32, NNAHW_TYPE_S64),
			     rank, dims, spread());
		((struct nnahw_cmd_fill *)c.raw)->value = rng_next(&r);
		run_all(verify_fill);
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_fill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* COPY and FILL by rows. */
#include "tests/unit/device/engine/x86/compare.h"

/* Sizes beyond every block, with tails. */
static void test_large(void **state)
{
	static const struct {
		uint16_t opcode, size;
		uint8_t operands;
	} commands[] = {
		{ NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2 },
		{ NNAHW_OP_FILL, sizeof(struct nnahw_cmd_fill), 1 },
	};
	uint32_t taken[2] = { 0 };

	r.state = 53;
	for (uint32_t i = 0; i < shapes(60); i++) {
		const uint32_t which = i % 2, type = NNAHW_TYPE_U8 + (i / 2 & 1);
		uint32_t dims[2] = { (uint32_t)rng_range(&r, 1, 40),
				     (uint32_t)rng_range(&r, 500, 5000) };
		char what[64];

		call_init(&c, commands[which].opcode, commands[which].size,
			  commands[which].operands);
		for (uint32_t k = 0; k < commands[which].operands; k++)
			call_operand(&c, &r, k, type, 2, dims, 0);
		if (commands[which].opcode == NNAHW_OP_FILL) {
			/* Half of them with all bytes alike, as those of zeros are. */
			((struct nnahw_cmd_fill *)c.raw)->value =
				rng_next(&r) & 1 ? rng_next(&r) :
						   (rng_next(&r) & 255) * 0x0101010101010101ull;
		}
		snprintf(what, sizeof(what), "command %u of type %u", which, type);
		taken[which] += compare_all(what);
		call_free(&c);
	}
	for (uint32_t k = 0; k < 2 && nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR; k++)
		assert_true(taken[k] > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* COPY and FILL by rows. */
#include "tests/unit/device/nna/engine/vector/compare.h"

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

/* The first @length elements of rows that are farther apart. */
static void shorten_rows(uint32_t i, uint32_t length)
{
	struct nnadev_engine_operand *o = &c.cmd.operands[i];

	o->count = o->count / o->desc.dims[2] * length;
	o->desc.dims[2] = length;
	o->contiguous = false;
}

/* Rows of a few bytes, with others between them, which stay as they are. */
static void test_short_rows(void **state)
{
	static const uint32_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_F16, NNAHW_TYPE_F32,
					  NNAHW_TYPE_S64 };
	uint32_t taken = 0;

	r.state = 54;
	for (uint32_t i = 0; i < shapes(400); i++) {
		const uint32_t type = types[i % 4], size = nnahw_type_size(type);
		/* Of up to 300 bytes; the whole is of one tile, or of a few. */
		const uint32_t length = (uint32_t)rng_range(&r, 1, 300 / size);
		uint32_t dims[3] = { (uint32_t)rng_range(&r, 1, 6),
				     (uint32_t)rng_range(&r, 1, rng_next(&r) & 1 ? 9 : 900) };
		char what[64];

		call_init(&c, NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2);
		for (uint32_t k = 0; k < 2; k++) {
			dims[2] = length + (uint32_t)rng_range(&r, 0, 40);
			call_operand(&c, &r, k, type, 3, dims, 0);
			shorten_rows(k, length);
		}
		memset(c.buffers[0], 0x5a, c.sizes[0]);
		snprintf(what, sizeof(what), "rows of %u elements of type %u", length, type);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_short_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* GATHER of single elements. */
#include "tests/unit/device/nna/engine/vector/compare.h"

/* A look-up of @count random elements in a table of @entries, some of it backwards. */
static void make(uint32_t type, uint32_t index_type, uint32_t entries, uint32_t count)
{
	call_init(&c, NNAHW_OP_GATHER, sizeof(struct nnahw_cmd_gather), 3);
	call_operand(&c, &r, NNAHW_GATHER_OUTPUT, type, 1, &count, 0);
	call_operand(&c, &r, NNAHW_GATHER_INPUT, type, 1, &entries, 0);
	call_operand(&c, &r, NNAHW_GATHER_INDICES, index_type, 1, &count, 0);
	if (rng_next(&r) & 1) {
		struct nnadev_engine_operand *input = &c.cmd.operands[NNAHW_GATHER_INPUT];

		input->data = (uint8_t *)input->data +
			      (size_t)(entries - 1) * nnahw_type_size(type);
		input->desc.strides[0] = -1;
	}
	for (uint32_t k = 0; k < count; k++) {
		const uint64_t at = rng_next(&r) % entries;

		if (index_type == NNAHW_TYPE_S64)
			((int64_t *)c.buffers[NNAHW_GATHER_INDICES])[k] = (int64_t)at;
		else
			((int32_t *)c.buffers[NNAHW_GATHER_INDICES])[k] = (int32_t)at;
	}
}

static void test_elements(void **state)
{
	static const uint32_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S16, NNAHW_TYPE_F32,
					  NNAHW_TYPE_S64 };
	uint32_t taken = 0;

	r.state = 8;
	for (uint32_t i = 0; i < shapes(200); i++) {
		const uint32_t index_type = i / 4 & 1 ? NNAHW_TYPE_S64 : NNAHW_TYPE_S32;
		char what[64];

		make(types[i % 4], index_type, (uint32_t)rng_range(&r, 1, 70000),
		     (uint32_t)rng_range(&r, 1, 70000));
		snprintf(what, sizeof(what), "type %u by type %u", types[i % 4], index_type);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(200));
}

/* A function of bytes: long enough for a table, and shorter; forwards and backwards. */
static void test_bytes(void **state)
{
	const uint32_t entries = 256;
	uint32_t taken = 0;

	r.state = 10;
	for (uint32_t i = 0; i < shapes(200); i++) {
		const uint32_t type = i & 1 ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8,
			       count = (uint32_t)rng_range(&r, 1, i & 2 ? 70000 : 1500);
		struct nnadev_engine_operand *input = &c.cmd.operands[NNAHW_GATHER_INPUT];

		call_init(&c, NNAHW_OP_GATHER, sizeof(struct nnahw_cmd_gather), 3);
		call_operand(&c, &r, NNAHW_GATHER_OUTPUT, NNAHW_TYPE_S8, 1, &count, 0);
		call_operand(&c, &r, NNAHW_GATHER_INPUT, NNAHW_TYPE_S8, 1, &entries, 0);
		call_operand(&c, &r, NNAHW_GATHER_INDICES, type, 1, &count, 0);
		if (i & 4) {
			input->data = (uint8_t *)input->data + entries - 1;
			input->desc.strides[0] = -1;
		}
		taken += compare_all("bytes by bytes");
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_int_equal(taken, shapes(200));
}

/* An index beyond either end of the table ends the command. */
static void test_range(void **state)
{
	static const int64_t bad[] = { -1, 100, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX };

	r.state = 9;
	for (uint32_t i = 0; i < 2 * sizeof(bad) / sizeof(bad[0]); i++) {
		const int64_t at = bad[i / 2];

		if (!(i & 1) && at != (int32_t)at)
			continue;
		make(NNAHW_TYPE_S16, i & 1 ? NNAHW_TYPE_S64 : NNAHW_TYPE_S32, 100, 50);
		if (i & 1)
			((int64_t *)c.buffers[NNAHW_GATHER_INDICES])[49] = at;
		else
			((int32_t *)c.buffers[NNAHW_GATHER_INDICES])[49] = (int32_t)at;
		for (enum nnadev_engine_isa isa = NNADEV_ENGINE_SCALAR;
		     isa <= nnadev_engine_isa_detect(); isa++)
			assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_BAD_INDEX);
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

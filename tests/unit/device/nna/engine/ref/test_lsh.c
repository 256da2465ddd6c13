// SPDX-License-Identifier: MIT
/* LSH against fingerprints that FarmHash computed. */
#include "device/nna/engine/math.h"
#include "tests/unit/device/nna/engine/case.h"

/*
 * Signs of the fingerprints of items of `size` bytes, byte i being 37 i + 11, by the seeds j / 4 -
 * 3.
 */
static const struct {
	uint32_t size, signs;
} prints[] = {
	{ 0, 0x8dbf69b7 },   { 1, 0x970dbab0 },	  { 3, 0x06c79c32 },	{ 4, 0x13bce52a },
	{ 5, 0x5f449cdf },   { 8, 0xfa43f6ea },	  { 11, 0xcefa2c7b },	{ 12, 0xd72144a6 },
	{ 13, 0xa6ab76f9 },  { 28, 0xaa7e76e1 },  { 29, 0x9aac13cf },	{ 60, 0x12000310 },
	{ 61, 0xb7015f82 },  { 64, 0xd7d3785c },  { 124, 0xde2459cd },	{ 125, 0xa996df29 },
	{ 188, 0x2bbe9cb2 }, { 200, 0x0c15ab94 }, { 1000, 0xb9f1212a },
};

static void lsh_case(uint32_t size, uint32_t signs, uint32_t seed_type, bool inverted)
{
	const uint32_t one = 1;

	call_init(&c, NNAHW_OP_LSH, sizeof(struct nnahw_cmd_lsh), 4);
	call_operand(&c, &r, 0, NNAHW_TYPE_S32, 2, (uint32_t[]){ 4, 8 }, spread());
	call_operand(&c, &r, 1, seed_type, 2, (uint32_t[]){ 4, 8 }, 0);
	call_operand(&c, &r, 2, NNAHW_TYPE_U8, 2, (uint32_t[]){ 1, size }, 0);
	for (uint32_t j = 0; j < 32; j++) {
		if (seed_type == NNAHW_TYPE_F16)
			((uint16_t *)c.buffers[1])[j] = nnadev_float_to_half((float)j / 4 - 3);
		else
			((float *)c.buffers[1])[j] = (float)j / 4 - 3;
	}
	for (uint32_t i = 0; i < size; i++)
		((uint8_t *)c.buffers[2])[i] = (uint8_t)(37 * i + 11);
	if (inverted) {
		call_operand(&c, &r, 3, NNAHW_TYPE_F32, 1, &one, 0);
		*(float *)c.buffers[3] = -0.5f;
	}
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	for (uint32_t j = 0; j < 32; j++)
		assert_int_equal((int)number(&c.cmd.operands[0], (uint32_t[]){ j / 8, j % 8 }),
				 (signs >> j & 1) != inverted);
	call_free(&c);
}

static void test_lsh(void **state)
{
	r.state = 42;
	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		lsh_case(prints[i].size, prints[i].signs, NNAHW_TYPE_F32, false);
		lsh_case(prints[i].size, prints[i].signs, NNAHW_TYPE_F16, false);
		lsh_case(prints[i].size, prints[i].signs, NNAHW_TYPE_F32, true);
	}
}

/* Of many items the heaviest decides. */
static void test_lsh_items(void **state)
{
	const uint32_t n = 5;

	call_init(&c, NNAHW_OP_LSH, sizeof(struct nnahw_cmd_lsh), 4);
	call_operand(&c, &r, 0, NNAHW_TYPE_S32, 2, (uint32_t[]){ 1, 3 }, 0);
	call_operand(&c, &r, 1, NNAHW_TYPE_F32, 2, (uint32_t[]){ 1, 3 }, 0);
	call_operand(&c, &r, 2, NNAHW_TYPE_U8, 2, (uint32_t[]){ n, 12 }, 0);
	call_operand(&c, &r, 3, NNAHW_TYPE_F32, 1, &n, 0);
	for (uint32_t heavy = 0; heavy < n; heavy++) {
		for (uint32_t j = 0; j < 3; j++)
			((float *)c.buffers[1])[j] = (float)j / 4 - 3;
		for (uint32_t i = 0; i < n; i++)
			((float *)c.buffers[3])[i] = i == heavy ? 1e20f : 1e-20f;
		for (uint32_t i = 0; i < 12; i++)
			((uint8_t *)c.buffers[2])[12 * heavy + i] = (uint8_t)(37 * i + 11);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t j = 0; j < 3; j++)
			assert_int_equal(((int32_t *)c.buffers[0])[j], 0xd72144a6 >> j & 1);
	}
	c.cmd.operands[2].contiguous = false;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_OPERAND);
	c.cmd.operands[2].contiguous = true;
	c.cmd.operands[3].desc.dims[0] = 4;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lsh),
		cmocka_unit_test(test_lsh_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

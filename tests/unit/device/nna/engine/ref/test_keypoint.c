// SPDX-License-Identifier: MIT
/* KEYPOINT on paraboloids whose tops are known, on flat maps and on malformed boxes. */
#include "tests/unit/device/nna/engine/case.h"

static void keypoint_init(uint32_t n, uint32_t height, uint32_t width, uint32_t channels)
{
	call_init(&c, NNAHW_OP_KEYPOINT, sizeof(struct nnahw_cmd_keypoint), 4);
	((struct nnahw_cmd_keypoint *)c.raw)->tolerance = 1e-5f;
	call_operand(&c, &r, 0, NNAHW_TYPE_F32, 2, (uint32_t[]){ n, channels }, spread());
	call_operand(&c, &r, 1, NNAHW_TYPE_F32, 3, (uint32_t[]){ n, channels, 2 }, spread());
	call_operand(&c, &r, 2, NNAHW_TYPE_F32, 4, (uint32_t[]){ n, height, width, channels },
		     spread());
	call_operand(&c, &r, 3, NNAHW_TYPE_F32, 2, (uint32_t[]){ n, 4 }, spread());
}

static void set(uint32_t operand, const uint32_t *index, float x)
{
	*(float *)element(&c.cmd.operands[operand], index) = x;
}

/* The top of a paraboloid is found wherever it is, but at the edge. */
static void test_keypoint(void **state)
{
	r.state = 44;
	for (int i = 0; i < 300; i++) {
		uint32_t n = (uint32_t)rng_range(&r, 1, 3), h = (uint32_t)rng_range(&r, 5, 9),
			 w = (uint32_t)rng_range(&r, 5, 9);
		uint32_t channels = (uint32_t)rng_range(&r, 1, 4), index[4] = { 0 };
		float top[3][4][2];

		keypoint_init(n, h, w, channels);
		for (uint32_t k = 0; k < n * channels; k++) {
			top[k / channels][k % channels][0] = rng_float(&r, 1, (float)w - 2);
			top[k / channels][k % channels][1] = rng_float(&r, 1, (float)h - 2);
		}
		do {
			const float *t = top[index[0]][index[3]], x = (float)index[2] - t[0],
				    y = (float)index[1] - t[1];

			set(2, index, 3 + (float)index[3] - x * x - 0.5f * y * y - 0.25f * x * y);
		} while (next_index(&c.cmd.operands[2].desc, index));
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = 0; j < 4; j++)
				set(3, (uint32_t[]){ k, j },
				    j < 2 ? 10.f * (float)k : 10.f * (float)k + 50);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = 0; j < channels; j++) {
				const float *t = top[k][j];

				assert_true(fabs(number(&c.cmd.operands[0], (uint32_t[]){ k, j }) -
						 3 - j) < 1e-4);
				assert_true(
					fabs(number(&c.cmd.operands[1], (uint32_t[]){ k, j, 0 }) -
					     (10 * k + 50 * (t[0] + 0.5) / w)) < 1e-3);
				assert_true(
					fabs(number(&c.cmd.operands[1], (uint32_t[]){ k, j, 1 }) -
					     (10 * k + 50 * (t[1] + 0.5) / h)) < 1e-3);
			}
		call_free(&c);
	}
}

static void test_keypoint_flat(void **state)
{
	uint32_t index[4] = { 0 };

	keypoint_init(1, 4, 8, 1);
	do {
		set(2, index, index[2] == 6 && index[1] == 2 ? NAN : 2);
	} while (next_index(&c.cmd.operands[2].desc, index));
	for (uint32_t j = 0; j < 4; j++)
		set(3, (uint32_t[]){ 0, j }, j < 2 ? 1.f : 9.f);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	assert_true(number(&c.cmd.operands[0], (uint32_t[]){ 0, 0 }) == 2);
	assert_true(number(&c.cmd.operands[1], (uint32_t[]){ 0, 0, 0 }) == 1.5);
	assert_true(number(&c.cmd.operands[1], (uint32_t[]){ 0, 0, 1 }) == 2);
	set(3, (uint32_t[]){ 0, 3 }, 0.5f);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_INDEX);
	set(3, (uint32_t[]){ 0, 3 }, NAN);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_INDEX);
	call_free(&c);
	keypoint_init(1, 1, 4, 1);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keypoint),
		cmocka_unit_test(test_keypoint_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

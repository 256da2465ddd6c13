// SPDX-License-Identifier: MIT
/* Slices by index, with indices of each type, on the loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static const int32_t in[] = { 0, 1, 2, 10, 11, 12, 20, 21, 22 };

/* Picks rows 2 and 0 of [3, 3], or elements (2, 1) and (0, 2). */
static void check_picked(int32_t code, uint8_t type, const void *indices, const int32_t *want)
{
	const bool rows = code == TFLITE_GATHER;
	const struct one_operator m = {
		.code = code,
		.tensors = { S32(2, { 3, 3 }), { type, rows ? 1 : 2, { 2, 2 } },
			     S32(rows ? 2 : 1, { 2, 3 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = rows ? 23 : 0,
	};
	int32_t out[6];

	run(&m, (const void *[]){ in, indices }, (void *[]){ out });
	assert_memory_equal(out, want, rows ? 24 : 8);
}

static void test_gather(void **state)
{
	static const int32_t want[] = { 20, 21, 22, 0, 1, 2 };

	check_picked(TFLITE_GATHER, TFLITE_INT32, (const int32_t[]){ 2, 0 }, want);
	check_picked(TFLITE_GATHER, TFLITE_INT64, (const int64_t[]){ 2, 0 }, want);
	check_picked(TFLITE_GATHER, TFLITE_INT16, (const int16_t[]){ 2, 0 }, want);
}

static void test_gather_nd(void **state)
{
	static const int32_t want[] = { 21, 2 };

	check_picked(TFLITE_GATHER_ND, TFLITE_INT32, (const int32_t[]){ 2, 1, 0, 2 }, want);
	check_picked(TFLITE_GATHER_ND, TFLITE_INT64, (const int64_t[]){ 2, 1, 0, 2 }, want);
	check_picked(TFLITE_GATHER_ND, TFLITE_INT16, (const int16_t[]){ 2, 1, 0, 2 }, want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gather),
		cmocka_unit_test(test_gather_nd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

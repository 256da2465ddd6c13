// SPDX-License-Identifier: MIT
/*
 * Operators of two numbers, of rows and of products on INT16, on the loopback. What is expected is
 * what LiteRT 2.3's reference kernels give: limits, both signs, ties.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

/* Numbers of the schema's union of options. */
#define SOFTMAX_OPTIONS 9
#define REDUCER_OPTIONS 27
#define BATCH_MATMUL_OPTIONS 101

/* Rows that are flat, steep and of equal numbers. */
static void test_softmax(void **state)
{
	static const int16_t in[] = { -32768, 32767, 30000, 32700, 32000, 0, 1, -1,
				      500,    -2000, 7,	    7,	   7,	  7, 7 };
	static const int16_t want[] = { 1,    13615, 649,  12648, 5856, 6765, 6772, 6757,
					11724, 750,  6554, 6554,  6554, 6554, 6554 };
	const float beta = 1;
	struct one_operator m = {
		.code = TFLITE_SOFTMAX,
		.tensors = { { TFLITE_INT16, 2, { 3, 5 }, NULL, 0, 0.0011f, 0 },
			     { TFLITE_INT16, 2, { 3, 5 }, NULL, 0, 0x1p-15f, 0 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = SOFTMAX_OPTIONS,
		.field_count = 1,
	};
	int16_t out[15];

	memcpy(m.fields, &beta, sizeof(beta));
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* Of 7 numbers, with another scale and with the same. */
static void test_mean(void **state)
{
	static const int16_t in[] = { 1, 2, 4, -9, 32767, -32768, 5, -1, -2, -4, 9,
				      -32767, -32768, 7, 32767, 32767, 32767, 32767, 32767, 32767,
				      32767 };
	static const int16_t want[] = { 1, -14710, 32767 }, same[] = { 1, -9361, 32767 };
	static const int32_t axis = 1;
	struct one_operator m = {
		.code = TFLITE_MEAN,
		.tensors = { { TFLITE_INT16, 2, { 3, 7 }, NULL, 0, 0.0011f, 0 },
			     { TFLITE_INT32, 1, { 1 }, &axis, sizeof(axis), 0, 0 },
			     { TFLITE_INT16, 1, { 3 }, NULL, 0, 0.0007f, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = REDUCER_OPTIONS,
	};
	int16_t out[3];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
	m.tensors[0].scale = m.tensors[2].scale = 0.0005f;
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, same, sizeof(out));
}

/* Sums whose upper and lower halves cancel, by INT16 and by INT8. */
static void test_batch_matmul(void **state)
{
	static const int16_t a[] = { 32767, -32768, 100, -3, 7, -20000 };
	static const int16_t b[] = { 32767, 1, -32768, -5, 77, 12345 };
	static const int8_t bytes[] = { 127, 0, -128, -1, 0, 47 };
	static const int16_t want[] = { 22548, 15, -20, -2592 }, want8[] = { 8773, 39, -1, -987 };
	struct one_operator m = {
		.code = TFLITE_BATCH_MATMUL,
		.tensors = { { TFLITE_INT16, 2, { 2, 3 }, NULL, 0, 0.0003f, 0 },
			     { TFLITE_INT16, 2, { 3, 2 }, NULL, 0, 0.0007f, 0 },
			     { TFLITE_INT16, 2, { 2, 2 }, NULL, 0, 0.02f, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = BATCH_MATMUL_OPTIONS,
	};
	int16_t out[4];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
	m.tensors[1].type = TFLITE_INT8;
	m.tensors[1].scale = 0.07f;
	run(&m, (const void *[]){ a, bytes }, (void *[]){ out });
	assert_memory_equal(out, want8, sizeof(out));
}

static void test_prelu(void **state)
{
	static const int16_t in[] = { -32768, -20001, -5, -1, 0, 1, 32767, -7 };
	static const int8_t alpha[] = { -128, 3, 127, -1, 9, 9, 9, 50 };
	static const int16_t want[] = { 30427, -143, -4, 0, 0, 1, 23405, -2 };
	const struct one_operator m = {
		.code = TFLITE_PRELU,
		.tensors = { { TFLITE_INT16, 2, { 1, 8 }, NULL, 0, 0.0005f, 0 },
			     { TFLITE_INT8, 1, { 8 }, NULL, 0, 0.01f, 2 },
			     { TFLITE_INT16, 2, { 1, 8 }, NULL, 0, 0.0007f, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int16_t out[8];

	run(&m, (const void *[]){ in, alpha }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* EQUAL sees what numbers mean; LESS, FLOOR_DIV and FLOOR_MOD those that are stored. */
static void test_stored(void **state)
{
	static const int16_t a[] = { -32768, -5, 7, 100, -77, 3 }, b[] = { -16384, -3, -2, 50, -77,
									   2 };
	static const uint8_t equal[] = { 1, 1, 0, 1, 0, 0 }, less[] = { 1, 1, 0, 0, 0, 0 };
	static const int16_t quotients[] = { 2, 1, -4, 2, 1, 1 }, rests[] = { 0, -2, -1, 0, 0, 1 };
	struct one_operator m = {
		.code = TFLITE_EQUAL,
		.tensors = { { TFLITE_INT16, 1, { 6 }, NULL, 0, 0.0005f, 0 },
			     { TFLITE_INT16, 1, { 6 }, NULL, 0, 0.001f, 0 },
			     { TFLITE_BOOL, 1, { 6 }, NULL, 0, 0, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int16_t numbers[6];
	uint8_t flags[6];

	run(&m, (const void *[]){ a, b }, (void *[]){ flags });
	assert_memory_equal(flags, equal, sizeof(flags));
	m.code = TFLITE_LESS;
	run(&m, (const void *[]){ a, b }, (void *[]){ flags });
	assert_memory_equal(flags, less, sizeof(flags));
	m.tensors[2].type = TFLITE_INT16;
	m.tensors[2].scale = 0.1f;
	m.code = TFLITE_FLOOR_DIV;
	run(&m, (const void *[]){ a, b }, (void *[]){ numbers });
	assert_memory_equal(numbers, quotients, sizeof(numbers));
	m.code = TFLITE_FLOOR_MOD;
	run(&m, (const void *[]){ a, b }, (void *[]){ numbers });
	assert_memory_equal(numbers, rests, sizeof(numbers));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_softmax), cmocka_unit_test(test_mean),
		cmocka_unit_test(test_batch_matmul), cmocka_unit_test(test_prelu),
		cmocka_unit_test(test_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

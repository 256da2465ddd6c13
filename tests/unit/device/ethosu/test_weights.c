// SPDX-License-Identifier: MIT
/*
 * The decoder of weights: streams that Vela's mlw_codec (5.2.0) has written of values that are
 * drawn at random, such that each way to write them is used; FWD; and streams that end early.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/ethosu/weights.h"

#define VALUES_MAX 1024u

/* wide values, no palette */
static const int16_t values0[] = {
	227, 64, 94, 203, 40, 141, 170, -140, -227, -102, -110, 191, 211, -253, 0, 164, -188,
	152, -195, -16, 162, -101, -81, -113, 112, -125, 251, -28, -11, 2, 42, 27, 5, 253, 157,
	150, 102, 62, -81, 250, -17, -145, 176, -174, 183, 58, -197, -233, -28, -237, -183, 8,
	240, -17, 158, 213, 165, 66, -30, 7, -119, -2, -62, -129,
};
static const uint8_t stream0[] = {
	0xfe, 0x01, 0x5c, 0x00, 0x6e, 0x1c, 0x10, 0x2f, 0xcb, 0x50, 0x34, 0x52, 0xcd, 0x78,
	0xbc, 0x59, 0x37, 0xbf, 0xa6, 0xf7, 0x07, 0x40, 0x9a, 0x17, 0xe6, 0xe1, 0x10, 0x44,
	0x97, 0x8d, 0x1a, 0x07, 0x6e, 0x9f, 0xfd, 0x1c, 0x17, 0x08, 0x50, 0xb1, 0xa1, 0x40,
	0xbf, 0x4e, 0x96, 0xcc, 0xf8, 0x8c, 0xa2, 0x3f, 0x62, 0x24, 0xd8, 0xae, 0x6e, 0xe9,
	0x2c, 0x9e, 0x9e, 0x63, 0xfb, 0x5b, 0x08, 0xe0, 0x47, 0xf0, 0x54, 0xad, 0x94, 0x50,
	0x0f, 0x07, 0xef, 0x0a, 0xf4, 0x19, 0xf8, 0xff, 0xff, 0xff,
};

/* small values, palette */
static const int16_t values1[] = {
	1, -4, -3, 4, -3, 0, 4, -2, 0, 0, 0, -5, 0, 5, -6, 3, 0, -3, 8, 3, -5, 0, 2, -1, 3, 0,
	3, 6, -3, 1, -2, 1, -5, -2, -1, 4, 5, -5, -3, 3, -8, -2, 0, 5, 3, -1, -1, -1, 6, -2, -1,
	1, 0, -1, -4, 0, -2, 5, 3, 0, 3, -1, 4, 0, 2, -5, 1, -7, -8, -1, -4, 1, 9, -3, -2, 1, 2,
	-1, -1, 3, 2, -4, 0, 0, -4, 1, -3, 4, 1, 0, -2, 0, -8, -5, 1, -9,
};
static const uint8_t stream1[] = {
	0xfe, 0x02, 0x48, 0x10, 0x07, 0x86, 0x30, 0xe5, 0xac, 0x84, 0x14, 0x89, 0x6c, 0x4a,
	0xf8, 0x9a, 0xab, 0x50, 0x6a, 0xec, 0x7a, 0x04, 0x40, 0x05, 0x33, 0xa4, 0xa6, 0x5a,
	0x85, 0xbd, 0xd8, 0x4c, 0x15, 0x68, 0xa2, 0x44, 0x1e, 0x5a, 0xd8, 0x43, 0x57, 0x90,
	0xba, 0x90, 0x34, 0x54, 0x7a, 0x8b, 0x39, 0x50, 0x43, 0x69, 0xb8, 0x35, 0x1c, 0x55,
	0xd5, 0xda, 0x61, 0x03, 0x40, 0x08, 0xac, 0xfd,
};

/* few values, uncompressed */
static const int16_t values2[] = {
	-3, -3, 7, 7, 7, -200, -200, 100, -200, 7, -3, 7, -3, -200, -3, 7, -3, -200, -3, 100,
	-200, 100, -200, -200, -200, 100, 100, 100, -200, 7, -200, -200, 7, 7, 100, -200, -3,
	-3, -3, 7, -3, 100, 100, -200, 100, 7, -200, -200, 100, 100, 7, 100, -3, 100, -200,
	-200, 7, 7, 100, 7, 100, -3, -3, -3,
};
static const uint8_t stream2[] = {
	0xfe, 0x01, 0xdc, 0x33, 0x1e, 0x19, 0x99, 0x83, 0x03, 0xaf, 0x42, 0xb8, 0xb3, 0x73,
	0x04, 0x54, 0x08, 0x1a, 0xbf, 0x17, 0x09, 0x65, 0x07, 0x9a, 0xfd, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff,
};

/* runs of zeros */
static const int16_t values3[] = {
	0, 0, 0, 2, 8, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, -7, 0, 0, 0, 0, -3, 0, 0, 0, 0, 0,
	0, 4, 2, 0, -8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -7, -10, 0, 0, 0, 0, 0, 0,
	0, 0, -1, 0, 0, -9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -3, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0,
	-8, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
static const uint8_t stream3[] = {
	0x82, 0x00, 0xe8, 0xb1, 0x36, 0xe2, 0x3b, 0xa4, 0x4e, 0xe8, 0x14, 0x32, 0xc3, 0x84,
	0x29, 0xa4, 0x02, 0x9c, 0xd9, 0x0c, 0x2e, 0x19, 0x13, 0x21, 0xf7, 0xe3, 0x54, 0x83,
	0xfe, 0x80, 0xef, 0x00, 0x00, 0x2a, 0x00, 0x02, 0xbe, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

/* zeros alone */
static const int16_t values4[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
static const uint8_t stream4[] = {
	0x03, 0x00, 0x40, 0x00, 0x10, 0x00, 0xfe, 0x3e, 0xb0, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff,
};

/* one value */
static const int16_t values5[] = {
	-255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255,
	-255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255,
	-255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255, -255,
};
static const uint8_t stream5[] = {
	0x3e, 0x01, 0xc0, 0x1f, 0xfe, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, 0xff,
	0xff, 0xff,
};

/* two slices, other palettes */
static const int16_t values6[] = {
	1, 2, 2, 3, 2, 2, 1, 2, 3, 2, 1, 2, 3, 3, 1, 3, 3, 2, 2, 1, 1, 3, 1, 2, 3, 3, 1, 1, 1,
	3, 1, 1, 2, 2, 1, 1, 3, 2, 1, 3, 2, 3, 1, 2, 3, 3, 3, 2, 3, 2, 2, 2, 1, 1, 2, 1, 2, 3,
	3, 3, 2, 1, 1, 3, 2, 3, 2, 2, 1, 1, 1, 3, 2, 1, 2, 2, 2, 2, 1, 2, 3, 1, 1, 2, 1, 2, 3,
	2, 1, 1, 1, 3, 2, 1, 3, 1, 1, 1, 2, 1, 2, 2, 3, 3, 2, 3, 3, 1, 1, 1, 1, 1, 3, 3, 2, 2,
	3, 3, 1, 2, 2, 2, 3, 3, 2, 3, 1, 2, 1, 1, 3, 2, 1, 2, 1, 1, 2, 2, 1, 2, 2, 1, 3, 1, 2,
	1, 3, 1, 3, 3, 1, 1, 1, 1, 2, 1, 3, 2, 3, 1, 1, 2, 1, 1, 1, 1, 3, 3, 2, 1, 2, 2, 1, 2,
	3, 2, 2, 3, 3, 1, 2, 3, 1, 3, 2, 3, 1, 1, 1, 2, 3, 2, 2, 3, 3, 1, 1, 3, 1, 3, 1, 1, 1,
	1, 1, 1, 3, 3, 3, 3, 3, 3, 2, 2, 3, 2, 3, 3, 2, 2, 1, 3, 3, 2, 3, 2, 2, 2, 1, 1, 2, 3,
	1, 3, 2, 2, 3, 3, 3, 3, 1, 2, 2, 1, 2, 1, 2, 1, 1, 1, 3, 2, 2, 3, 1, 1, 2, 3, 3, 3, 2,
	3, 1, 2, 2, 1, 1, 3, 3, 1, 1, 1, 1, 3, 1, 3, 3, 1, 1, 1, 3, 3, 3, 1, 3, 3, 2, 1, 1, 3,
	2, 1, 3, 2, 2, 1, 2, 2, 1, 3, 2, 1, 1, 1, 3, 3, 3, 2, 3, 1, 2, 2, 2, 2, 3, 3, 3, 1, 3,
	3, 3, 2, 1, 3, 1, 2, 2, 3, 1, 3, 1, 2, 1, 1, 1, 3, 2, 3, 1, 1, 3, 3, 2, 1, 3, 2, 1, 3,
	2, 2, 2, 1, 2, 1, 2, 1, 3, 1, 2, 1, 1, 1, 3, 1, 3, 2, 2, 1, 2, 3, 3, 3, 2, 1, 1, 2, 2,
	2, 2, 1, 2, 1, 3, 3, 3, 2, 3, 3, 2, 1, 3, 2, 2, 3, 3, 3, 1, 1, 2, 2, 1, 2, 2, 3, 3, 1,
	2, 1, 1, 3, 2, 2, 3, 2, 3, 3, 3, 1, 2, 1, 3, 2, 1, 1, 1, 1, 1, 2, 1, 3, 2, 2, 2, 2, 3,
	1, 2, 2, 3, 3, 3, 2, 1, 3, 3, 2, 2, 1, 2, 2, 3, 2, 1, 1, 2, 2, 3, 3, 2, 1, 3, 2, 3, 3,
	1, 2, 2, 1, 3, 2, 3, 2, 2, 3, 1, 2, 1, 1, 3, 3, 3, 3, 2, 1, 2, 1, 3, 1, 2, 3, 1, 3, 3,
	1, 2, 1, 3, 1, 2, 2, 2, 3, 3, 1, 3, 1, 1, 2, 3, 2, 2, 3, 2, 2, 3, 1, 3, 2, 2, 3, 3, 3,
	3, 1, 2, 3, 1, 1, 3, 3, 1, 1, 2, 3, 2, 1, 2, 2, 2, 2, 1, 2, 2, 1, 2, 1, 1, 1, 3, 1, 3,
	1, 3, 1, 2, 2, 1, 2, 2, 2, 3, 1, 2, 1, 1, 1, 3, 3, 3, 1, 1, 2, 2, 3, 3, 2, 1, 3, 2, 3,
	2, 1, 1, 3, 2, 1, 2, 1, 3, 2, 1, 2, 3, 3, 3, 1, 2, 3, 3, 2, 180, -188, -80, 242, -155,
	100, -148, -190, -174, 207, 245, -203, 106, -208, 163, -86, -231, 224, 215, -239, -56,
	214, -76, 57, 189, -221, -4, 35, 217, -21, 172, 33, -34, 121, 177, 91, 61, 254, 52,
	-175,
};
static const uint8_t stream6[] = {
	0x9e, 0x12, 0x60, 0x31, 0x2e, 0x80, 0x80, 0x01, 0xb4, 0xbe, 0x4b, 0x64, 0x4f, 0x9f,
	0x46, 0xe6, 0xec, 0x7e, 0x75, 0x4f, 0x1f, 0x3c, 0x1f, 0x95, 0xbd, 0x09, 0xe4, 0x58,
	0x2a, 0xfd, 0x61, 0xc3, 0xef, 0xec, 0x97, 0x59, 0xc9, 0x16, 0x58, 0x43, 0xee, 0x84,
	0xeb, 0xf6, 0x83, 0xbc, 0xe3, 0x56, 0xa7, 0xe0, 0xf9, 0xff, 0xa7, 0xf7, 0x9f, 0x05,
	0xfb, 0x9b, 0xb7, 0x62, 0x68, 0x7e, 0x75, 0x65, 0xa8, 0x8f, 0xbb, 0x9f, 0xdd, 0x16,
	0xc6, 0xb7, 0xcb, 0xf7, 0xf2, 0xeb, 0x8a, 0xec, 0xdc, 0xba, 0x5e, 0x15, 0x88, 0xee,
	0xc7, 0xf3, 0x1a, 0xf8, 0xfb, 0x5b, 0xce, 0x5e, 0x30, 0xff, 0x4a, 0x37, 0xe8, 0xc9,
	0xfd, 0x92, 0x7b, 0xcf, 0x21, 0xee, 0x6d, 0xcd, 0x2f, 0x97, 0xbe, 0xda, 0xe9, 0xea,
	0x2b, 0xce, 0xbf, 0x92, 0x7f, 0x93, 0x77, 0xee, 0x17, 0x58, 0x14, 0x6e, 0xaf, 0x20,
	0xce, 0x3f, 0xf3, 0xac, 0xca, 0x1e, 0xe4, 0x26, 0x00, 0x9c, 0xb4, 0x6d, 0x02, 0xb8,
	0x09, 0x1c, 0x2e, 0xa6, 0xed, 0x2e, 0x7f, 0x81, 0xa4, 0x4b, 0xb5, 0x72, 0x78, 0xc7,
	0xcb, 0x30, 0xf7, 0x24, 0x65, 0xfc, 0x76, 0x69, 0xeb, 0x68, 0x46, 0x43, 0x4a, 0x13,
	0x57, 0x36, 0x80, 0x1e, 0xa9, 0x45, 0x3c, 0xcd, 0xc1, 0x23, 0x5d, 0xd6, 0x56, 0x71,
	0xe6, 0x7f, 0xb1, 0xfa, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

static const struct {
	const uint8_t *stream;
	size_t size;
	const int16_t *values;
	size_t count;
} cases[] = {
#define CASE(n) { stream##n, sizeof(stream##n), values##n, sizeof(values##n) / sizeof(int16_t) }
	CASE(0), CASE(1), CASE(2), CASE(3), CASE(4), CASE(5), CASE(6),
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

static void test_codec(void **state)
{
	int16_t got[VALUES_MAX];

	for (size_t i = 0; i < CASES; i++) {
		assert_int_equal(ethosu_weights_decode(cases[i].stream, cases[i].size, false, got,
						       cases[i].count, NULL, NULL),
				 cases[i].count);
		assert_memory_equal(got, cases[i].values, cases[i].count * sizeof(*got));
	}
}

/* A stream that is cut gives fewer values, and those are the first ones. */
static void test_cut(void **state)
{
	int16_t got[VALUES_MAX];

	for (size_t i = 0; i < CASES; i++) {
		size_t n = ethosu_weights_decode(cases[i].stream, 1, false, got, cases[i].count,
						 NULL, NULL);

		assert_true(n < cases[i].count);
		n = ethosu_weights_decode(cases[i].stream, 0, false, got, cases[i].count, NULL,
					  NULL);
		assert_int_equal(n, 0);
	}
	/* The first bits of a whole slice are its own. */
	assert_int_equal(ethosu_weights_decode(stream6, sizeof(stream6), false, got, 10, NULL,
					       NULL),
			 10);
	assert_memory_equal(got, values6, 10 * sizeof(*got));
}

/* FWD: raw bytes less an adjustment; indices of a table, of 4 and of 2 bits. */
static void test_fast(void **state)
{
	uint8_t stream[64] = { 1 };
	int16_t got[8];

	stream[13] = 3;
	stream[32] = 10;
	stream[33] = 0x80;
	assert_int_equal(ethosu_weights_decode(stream, 34, true, got, 8, NULL, NULL), 2);
	assert_int_equal(got[0], 7);
	assert_int_equal(got[1], -131);
	/* Entries 0 and 1 of the table: 5, and -6, whose sign is bit 0; 9 bits from bit 112 on. */
	memset(stream, 0, sizeof(stream));
	stream[14] = 10;
	stream[15] = 13 << 1;
	stream[32] = 0x10;
	assert_int_equal(ethosu_weights_decode(stream, 33, true, got, 8, NULL, NULL), 2);
	assert_int_equal(got[0], 5);
	assert_int_equal(got[1], -6);
	stream[0] = 2;
	stream[32] = 0x44;
	assert_int_equal(ethosu_weights_decode(stream, 33, true, got, 8, NULL, NULL), 4);
	assert_int_equal(got[0], 5);
	assert_int_equal(got[1], -6);
	assert_int_equal(got[3], -6);
}

static uint32_t asked;

static bool go_on(void *context)
{
	return ++asked < 3;
}

/* Bytes that are no weights: the end of a stream, again and again. The caller can stop it. */
static void test_stop(void **state)
{
	static uint8_t stream[1u << 20];
	int16_t got[8];

	memset(stream, 0xff, sizeof(stream));
	asked = 0;
	assert_int_equal(ethosu_weights_decode(stream, sizeof(stream), false, got, 8, go_on, NULL),
			 0);
	assert_int_equal(asked, 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codec),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_fast),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* Comparison of results: tolerances, numbers of all types, shares of random samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/case.h"

static void test_tolerances(void **state)
{
	struct nnv_case item = { 0 };
	struct nnv_tolerance t;

	t = nnv_case_tolerance(&item, NNA_OPERAND_TENSOR_FLOAT32);
	assert_true(t.absolute == 1e-5 && t.relative == 5.0 / 8388608);
	assert_true(nnv_case_tolerance(&item, NNA_OPERAND_TENSOR_FLOAT16).absolute == 5.0 / 1024);
	item.flags = NNV_CASE_RELAXED;
	assert_true(nnv_case_tolerance(&item, NNA_OPERAND_TENSOR_FLOAT32).relative == 5.0 / 1024);
	item.flags = NNV_CASE_QUANT8_TOLERANCE_3;
	assert_int_equal(nnv_case_tolerance(&item, NNA_OPERAND_TENSOR_QUANT8_ASYMM).steps, 3);
	item.flags = 0;
	assert_int_equal(nnv_case_tolerance(&item, NNA_OPERAND_TENSOR_INT32).steps, 1);
	assert_int_equal(nnv_case_tolerance(&item, NNA_OPERAND_TENSOR_BOOL8).steps, 0);
}

static void test_compare(void **state)
{
	const struct nnv_tolerance t = { .absolute = 1e-5, .relative = 0, .steps = 1 };
	const float inf = __builtin_inff(), nan = __builtin_nanf("");
	const float e[] = { 1.0f, inf, nan, 0.0f }, g[] = { 1.1f, inf, nan, 9e-6f };
	const float bad[] = { 1.0f, -inf, 0.0f, nan };
	const uint16_t he[] = { 0x3c00, 0x7c00, 0x0001 }, hg[] = { 0x3c01, 0x7c00, 0x0001 };
	const int8_t se[] = { -128, 127, 0 }, sg[] = { -127, -128, 2 };
	const uint8_t ue[] = { 0, 255, 7 }, ug[] = { 1, 254, 9 };
	const int32_t ie[] = { INT32_MIN, 5 }, ig[] = { INT32_MAX, 4 };
	char text[200] = "";

	assert_int_equal(nnv_compare(NNA_OPERAND_TENSOR_FLOAT32, e, g, 4, &t, text, sizeof(text)),
			 1);
	assert_non_null(strstr(text, "element 0: expected 1, got 1.1"));
	assert_int_equal(nnv_compare(NNA_OPERAND_TENSOR_FLOAT32, e, bad, 4, &t, text, sizeof(text)),
			 3);
	assert_int_equal(nnv_compare(NNA_OPERAND_TENSOR_FLOAT16, he, hg, 3, &t, text, sizeof(text)),
			 1);
	assert_int_equal(
		nnv_compare(NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, se, sg, 3, &t, text, 200), 2);
	assert_int_equal(nnv_compare(NNA_OPERAND_TENSOR_QUANT8_ASYMM, ue, ug, 3, &t, text, 200), 1);
	assert_non_null(strstr(text, "element 2: expected 7, got 9"));
	assert_int_equal(nnv_compare(NNA_OPERAND_TENSOR_INT32, ie, ig, 2, &t, text, 200), 1);
}

static void test_multinomial(void **state)
{
	const float logits[] = { 0.0f, 0.0f, -100.0f };
	const int32_t even[] = { 0, 1, 0, 1 }, odd[] = { 0, 0, 0, 2 }, wild[] = { 0, 1, 3, -1 };
	char text[200] = "";

	assert_int_equal(nnv_compare_multinomial(NNA_OPERAND_TENSOR_FLOAT32, logits, 1, 3, even, 4,
						 0.1, text, sizeof(text)),
			 0);
	assert_true(nnv_compare_multinomial(NNA_OPERAND_TENSOR_FLOAT32, logits, 1, 3, odd, 4, 0.1,
					    text, sizeof(text)) > 0);
	assert_true(nnv_compare_multinomial(NNA_OPERAND_TENSOR_FLOAT32, logits, 1, 3, wild, 4, 0.9,
					    text, sizeof(text)) >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tolerances),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_multinomial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

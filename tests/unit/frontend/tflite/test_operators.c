// SPDX-License-Identifier: MIT
/* The table of operators in docs/tflite.md is the list of operators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/tflite.h"

static const char *const mapped[] = {
#define TFLITE_OP(code, name, translation, operation, shape) #name,
#define TFLITE_MADE(code, name, translation, operation, shape)
#define TFLITE_NAME(code, name)
#include "frontend/tflite/operator_list.h"
	NULL,
};

static const char *const composed[] = {
#define TFLITE_OP(code, name, translation, operation, shape)
#define TFLITE_MADE(code, name, translation, operation, shape) #name,
#define TFLITE_NAME(code, name)
#include "frontend/tflite/operator_list.h"
	NULL,
};

static const char *const left[] = {
#define TFLITE_OP(code, name, translation, operation, shape)
#define TFLITE_MADE(code, name, translation, operation, shape)
#define TFLITE_NAME(code, name) #name,
#include "frontend/tflite/operator_list.h"
	NULL,
};

/* The row that begins with @title, which counts and names @names in order. */
static void check_row(const char *page, const char *title, const char *const *names)
{
	char *row = malloc(1 << 16), *found;
	size_t n = 0, length;

	assert_non_null(row);
	while (names[n])
		n++;
	length = (size_t)snprintf(row, 1 << 16, "| %s (%zu) | ", title, n);
	for (size_t i = 0; i < n; i++)
		length += (size_t)snprintf(row + length, (1 << 16) - length, "%s%s",
					   i ? ", " : "", names[i]);
	snprintf(row + length, (1 << 16) - length, " |\n");
	found = strstr(page, row);
	if (!found)
		fail_msg("docs/tflite.md lacks this row:\n%s", row);
	free(row);
}

static void test_page_lists_operators(void **state)
{
	char *page = calloc(1, 1 << 20);
	FILE *file = fopen("docs/tflite.md", "re");

	assert_non_null(file);
	assert_non_null(page);
	assert_true(fread(page, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	check_row(page, "one operation each", mapped);
	check_row(page, "composed of several, or known when the model is translated", composed);
	check_row(page, "left", left);
	free(page);
}

/* Every code has a name, and the codes have no gap. */
static void test_codes_have_names(void **state)
{
	uint32_t count = 0;

	for (const char *const *list = mapped; list; list = list == mapped ? composed :
							    list == composed ? left : NULL)
		for (size_t i = 0; list[i]; i++)
			count++;
	for (uint32_t code = 0; code < count; code++)
		assert_non_null(tflite_code_name(code));
	assert_null(tflite_code_name(count));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_lists_operators),
		cmocka_unit_test(test_codes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* The choice between branches, on the loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

#define BRANCHES "|ADD@11 f[2] %0 -> f[2]|MUL@21 f[2] %0 -> f[2]|ABS f[2] -> f[2]|NEG f[2] -> f[2]"

static void check(const char *list, int32_t index, const float *want)
{
	static const float in[] = { -3, 5 };
	struct writer *w = calloc(1, sizeof(*w));
	char text[256];
	float out[2];

	assert_non_null(w);
	snprintf(text, sizeof(text), "STABLEHLO_CASE@151:[%s] i[1] f[2] -> f[2]%s", list, BRANCHES);
	write_text(w, text);
	run_written(w, 0, (const void *[]){ &index, in }, (void *[]){ out }, 1);
	check_floats(out, want, 2);
	free(w);
}

/* A number of no branch stands for the last one. */
static void test_case(void **state)
{
	static const int32_t numbers[] = { 0, 1, 2, 3, 4, 5, -1, INT32_MAX, INT32_MIN };
	static const float twice[] = { -6, 10 }, squares[] = { 9, 25 }, least[] = { 3, 5 };
	static const float negative[] = { 3, -5 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int32_t n = numbers[i];

		check("1", n, twice);
		check("2 4", n, n == 0 ? squares : negative);
		check("3 2 1", n, n == 0 ? least : n == 1 ? squares : twice);
		check("1 2 3 4 1", n, n == 0 ? twice : n == 1 ? squares : n == 2 ? least :
				      n == 3 ? negative : twice);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

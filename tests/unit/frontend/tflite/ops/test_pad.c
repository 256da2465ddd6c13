// SPDX-License-Identifier: MIT
/* PADV2 with a number of 64 bits, on the loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

#define FAR 8589934592 /* 2^33 */

static void test_long(void **state)
{
	static const int64_t in[] = { 1, 2, 3, 4 };
	static const int64_t want[] = { FAR, 1, 2, FAR, 3, 4, FAR, FAR, FAR };
	struct writer *w = calloc(1, sizeof(*w));
	int64_t out[9];

	assert_non_null(w);
	write_text(w, "PADV2 l[2,2] i[2,2]={0,1,1,0} l={8589934592} -> l[3,3]");
	run_written(w, 0, (const void *[]){ in }, (void *[]){ out }, 1);
	free(w);
	assert_memory_equal(out, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

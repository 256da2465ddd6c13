// SPDX-License-Identifier: MIT
/* The walk over a model: what has no translation, and any operator on tensors not made for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/conv_model.h"

static void test_names_an_unsupported_operator(void **state)
{
	static const struct {
		int32_t code;
		const char *name;
	} cases[] = { { 103, "operator 0 (UNIQUE)" },
		      { 32, "operator 0 ()" },
		      { 5000, "operator 0 (code 5000)" } };
	char error[TFLITE_ERROR_SIZE];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record *r = calloc(1, sizeof(*r));
		struct writer *w = conv_model(cases[i].code);
		struct tflite_model *model;

		assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
		assert_int_equal(tflite_translate(model, &SINK, r, NULL, error), -ENOTSUP);
		assert_non_null(strstr(error, cases[i].name));
		tflite_free(model);
		free(w);
		free(r);
	}
}

/* Several words at once, from a fixed sequence, on models of all operators. */
static void test_survives_noise(void **state)
{
	uint32_t seed = 12345, round, i;
	int ret;

	for (round = 0; round < 4000; round++) {
		struct writer *w = conv_model((int32_t)(round % 210));

		for (i = 0; i < 1 + round % 7; i++) {
			seed = seed * 1664525 + 1013904223;
			set32(w, seed % (w->size - 4) / 4 * 4,
			      seed >> 16 & (round % 2 ? 0x1f : 0xffffff));
		}
		free(record_of(w->bytes, w->size, &ret));
		free(w);
	}
}

/* Each translation that takes other tensors than a convolution's refuses these; none may crash. */
static void test_every_code(void **state)
{
	int32_t code;
	int ret;

	for (code = 1; code < 210; code++) {
		struct writer *w = conv_model(code);

		free(record_of(w->bytes, w->size, &ret));
		free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_an_unsupported_operator),
		cmocka_unit_test(test_survives_noise),
		cmocka_unit_test(test_every_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

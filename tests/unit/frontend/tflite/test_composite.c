// SPDX-License-Identifier: MIT
/* Composites, whose decompositions the reader puts in their place. */
#include "tests/unit/frontend/tflite/run_text.h"

#include "frontend/tflite/label.h"

static struct tflite_model *parse_text(const char *text)
{
	struct writer *w = calloc(1, sizeof(*w));
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *model;

	assert_non_null(w);
	write_text(w, text);
	if (tflite_parse(w->bytes, w->size, &model, error))
		fail_msg("%s", error);
	free(w);
	return model;
}

static const float x[] = { 1, -2, 3 };

/* One decomposition serves two composites, and has one in itself. */
static void test_nested(void **state)
{
	static const float want[] = { -4, 8, -12 };
	float out[3];

	run_text("STABLEHLO_COMPOSITE@149:,1 f[3] -> f[3]; STABLEHLO_COMPOSITE@149:,1 %1 -> f[3];"
		 "NEG %2 -> f[3]|"
		 "STABLEHLO_COMPOSITE@149:,2 f[3] f[3]={0,0,0} -> f[3]|"
		 "ADD@11 f[3] f[3] -> f[3]; ADD@11 %0 %2 -> f[3]",
		 (const void *[]){ x }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
}

/* Results that are an input, a constant, and one tensor twice. */
static void test_results_without_operator(void **state)
{
	static const float want_constant[] = { 7, 8, 9 }, want_sum[] = { 8, 6, 12 };
	float same[3], constant[3], sum[3], again[3];

	run_text("STABLEHLO_COMPOSITE@149:,1 f[3] -> f[3] f[3] f[3] f[3]|"
		 "ADD@11 f[3] f[3]={7,8,9} -> f[3]; RETURN %0 %1 %2 %2",
		 (const void *[]){ x }, (void *[]){ same, constant, sum, again });
	assert_memory_equal(same, x, sizeof(x));
	assert_memory_equal(constant, want_constant, sizeof(constant));
	assert_memory_equal(sum, want_sum, sizeof(sum));
	assert_memory_equal(again, want_sum, sizeof(sum));
}

/* The decomposition reads the stored numbers by its own scales. */
static void test_other_scales(void **state)
{
	static const int8_t in[] = { 4, -6, 8 }, want[] = { 3, -5, 7 };
	int8_t out[3];

	run_text("STABLEHLO_COMPOSITE@149:,1 a[3]*0.25+2 -> a[3]*4.0|"
		 "ADD@11 a[3]*0.5 a[3]={-1,1,-1}*0.5 -> a[3]*0.5",
		 (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* Operators keep the numbers that they have in the file. */
static void test_labels(void **state)
{
	struct tflite_model *model =
		parse_text("ABS f[1] -> f[1]; STABLEHLO_COMPOSITE@149:,1 %1 -> f[1];"
			   "NEG %2 -> f[1]|EXP f[1] -> f[1]; SQUARE %1 -> f[1]");
	const struct tflite_subgraph *sub = tflite_main(model);
	char label[TFLITE_LABEL_SIZE];

	assert_int_equal(sub->operator_count, 4);
	assert_string_equal(tflite_operator_label(&sub->operators[0], label), "operator 0 (ABS)");
	assert_string_equal(tflite_operator_label(&sub->operators[2], label),
			    "operator 1 (SQUARE) of subgraph 1");
	assert_string_equal(tflite_operator_label(&sub->operators[3], label), "operator 2 (NEG)");
	/* The composite's output is that of its last operator. */
	assert_int_equal(sub->operators[2].outputs.at[0], sub->operators[3].inputs.at[0]);
	tflite_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_results_without_operator),
		cmocka_unit_test(test_other_scales),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

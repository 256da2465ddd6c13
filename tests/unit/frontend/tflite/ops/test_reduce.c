// SPDX-License-Identifier: MIT
/* Reductions and positions of extreme values, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

static void test_int64_output(void **state)
{
	static const float in[] = { 1, 5, 3, 9, 2, 4 };
	static const int32_t axis = -1;
	static const int64_t want[] = { 1, 0 };
	const struct one_operator m = {
		.code = TFLITE_ARG_MAX,
		.tensors = { F32(2, { 2, 3 }), S32(1, { 1 }, &axis, sizeof(axis)),
			     { TFLITE_INT64, 1, { 2 } } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int64_t out[2];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/*
 * The mean of an axis, from numbers less the zero point, of 2: the multiplier is 2^30 and the shift
 * 31, so halves go up. Of 4: the shift is 32, -1.5 is -3 * 2^31 in the first rounding and goes away
 * from zero in the second.
 */
static void test_mean_rounding(void **state)
{
	static const int32_t axis = 1;
	static const int8_t in[] = { -3, 0, 3, 0, -3, -3, 0, 0 }, want2[] = { -1, 2, -3, 0 },
			    want4[] = { 0, -2 };

	for (int32_t n = 2; n <= 4; n += 2) {
		const struct one_operator m = {
			.code = TFLITE_MEAN,
			.tensors = { { TFLITE_INT8, 2, { 8 / n, n }, NULL, 0, 0.5f, 0 },
				     S32(1, { 1 }, &axis, sizeof(axis)),
				     { TFLITE_INT8, 1, { 8 / n }, NULL, 0, 0.5f, 0 } },
			.tensor_count = 3,
			.inputs = { 0, 1, -1 },
			.outputs = { 2, -1 },
			.options = 27,
		};
		int8_t out[4];

		run(&m, (const void *[]){ in }, (void *[]){ out });
		assert_memory_equal(out, n == 2 ? want2 : want4, (size_t)(8 / n));
	}
}

/*
 * Steps of 0.1 to steps of 0.4: the multiplier is 2^30, the shift 32. The first rounding makes 0.25
 * (1 * 2^30 of 2^31) a half, the second 1.
 */
static void test_sum_rounding(void **state)
{
	static const int32_t axis = 1;
	static const uint8_t in[] = { 10, 11, 7, 18, 15, 14 }, want[] = { 21, 22, 23 };
	const struct one_operator m = {
		.code = TFLITE_SUM,
		.tensors = { { TFLITE_UINT8, 2, { 3, 2 }, NULL, 0, 0.1f, 10 },
			     S32(1, { 1 }, &axis, sizeof(axis)),
			     { TFLITE_UINT8, 1, { 3 }, NULL, 0, 0.4f, 20 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 27,
	};
	uint8_t out[3];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* A MEAN into another quantisation is two operations of NNAPI, and one of TFLite. */
static void test_mean_for_nnapi(void **state)
{
	static const int32_t axis = 1;
	const struct one_operator m = {
		.code = TFLITE_MEAN,
		.tensors = { { TFLITE_INT8, 2, { 2, 4 }, NULL, 0, 0.5f, 3 },
			     S32(1, { 1 }, &axis, sizeof(axis)),
			     { TFLITE_INT8, 1, { 2 }, NULL, 0, 0.25f, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 27,
	};
	struct writer *w = calloc(1, sizeof(*w));
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *model;
	struct nna_graph *graph;

	assert_non_null(w);
	write_one(w, &m);
	for (enum nna_rounding k = NNA_ROUNDING_NNAPI; k <= NNA_ROUNDING_TFLITE; k++) {
		assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
		assert_int_equal(tflite_to_rounded_graph(model, k, NULL, &graph, NULL, error), 0);
		assert_int_equal(nna_graph_operation_count(graph, 0),
				 k == NNA_ROUNDING_NNAPI ? 2 : 1);
		nna_graph_unref(graph);
		tflite_free(model);
	}
	free(w);
}

/* Of equal elements that with the lower index comes first. */
static void test_topk_ties(void **state)
{
	static const int32_t in[] = { 5, 9, 5, 9, 1, 5 }, k = 5;
	static const int32_t want[] = { 9, 9, 5, 5, 5 }, places[] = { 1, 3, 0, 2, 5 };
	const struct one_operator m = {
		.code = TFLITE_TOPK_V2,
		.tensors = { S32(1, { 6 }), S32(1, { 1 }, &k, sizeof(k)), S32(1, { 5 }),
			     S32(1, { 5 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, 3, -1 },
	};
	int32_t values[5], indices[5];

	run(&m, (const void *[]){ in }, (void *[]){ values, indices });
	assert_memory_equal(values, want, sizeof(want));
	assert_memory_equal(indices, places, sizeof(places));
}

/* Integers of 64 bits; a MEAN rounds towards zero, and its sum does not wrap at 32 bits. */
static void test_integers(void **state)
{
	static const int32_t axis = 1, narrow[] = { INT32_MAX, INT32_MAX, -3, -4 },
			     means[] = { INT32_MAX, -3 };
	static const int64_t in[] = { 1ll << 40, 3, -5, 7 };
	static const struct {
		int32_t code;
		int64_t want[2];
	} rows[] = {
		{ TFLITE_SUM, { (1ll << 40) + 3, 2 } }, { TFLITE_REDUCE_MAX, { 1ll << 40, 7 } },
		{ TFLITE_REDUCE_MIN, { 3, -5 } }, { TFLITE_REDUCE_PROD, { 3ll << 40, -35 } },
		{ TFLITE_MEAN, { ((1ll << 40) + 3) / 2, 1 } },
	};
	struct one_operator m = {
		.tensors = { { TFLITE_INT64, 2, { 2, 2 } }, S32(1, { 1 }, &axis, sizeof(axis)),
			     { TFLITE_INT64, 1, { 2 } } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 27,
	};
	int64_t out[2];
	int32_t short_out[2];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		m.code = rows[i].code;
		run(&m, (const void *[]){ in }, (void *[]){ out });
		assert_memory_equal(out, rows[i].want, sizeof(out));
	}
	m.tensors[0].type = m.tensors[2].type = TFLITE_INT32;
	run(&m, (const void *[]){ narrow }, (void *[]){ short_out });
	assert_memory_equal(short_out, means, sizeof(means));
}

/* The largest of no floats is the least one, as in TFLite, and not an infinity. */
static void test_extremes_of_none(void **state)
{
	static const char *const names[] = { "REDUCE_MAX", "REDUCE_MIN" };
	static const float in[] = { 1, 2 }, want[] = { -FLT_MAX, FLT_MAX };
	struct writer *w = calloc(1, sizeof(*w));
	char text[128];
	float out[2];

	assert_non_null(w);
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "SLICE f[1,2] i[2]={0,0} i[2]={0,2} -> f[0,2];"
			 "%s@27 %%3 i[1]={0} -> f[2]", names[i]);
		write_text(w, text);
		run_written(w, 0, (const void *[]){ in }, (void *[]){ out }, 1);
		assert_true(out[0] == want[i] && out[1] == want[i]);
	}
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int64_output),
		cmocka_unit_test(test_mean_rounding),
		cmocka_unit_test(test_sum_rounding),
		cmocka_unit_test(test_mean_for_nnapi),
		cmocka_unit_test(test_topk_ties),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_extremes_of_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

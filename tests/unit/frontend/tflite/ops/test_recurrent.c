// SPDX-License-Identifier: MIT
/* The state of a recurrent layer, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

/* A variable tensor: RNN h' = relu(x * 1 + h * 1 + 0), so the output is the sum over all runs. */
static void test_variable(void **state)
{
	static const float one = 1, zero = 0, in[] = { 2.5f };
	const struct one_operator m = {
		.code = TFLITE_RNN,
		.tensors = { F32(2, { 1, 1 }), F32(2, { 1, 1 }, &one, 4), F32(2, { 1, 1 }, &one, 4),
			     F32(1, { 1 }, &zero, 4), F32(2, { 1, 1 }, .variable = true),
			     F32(2, { 1, 1 }) },
		.tensor_count = 6,
		.inputs = { 0, 1, 2, 3, 4, -1 },
		.outputs = { 5, -1 },
		.options = 7,
		.fields = { TFLITE_ACT_RELU },
		.field_count = 1,
	};
	float out[1];

	run_times(&m, (const void *[]){ in }, (void *[]){ out }, 3);
	check_floats(out, (float[]){ 7.5f }, 1);
}

#define WEIGHTS "a[2,2]={90,-70,50,110}*0.05 "
#define GATES WEIGHTS WEIGHTS "%2 %1 " WEIGHTS "%2 %1 %3 - - - " \
	"i[2]={900,-400} i[2]={100,300} i[2]={0,0} i[2]={-50,700} - - "
#define STATES "a[1,2]!*0.0078125 w[1,2]!*0.00048828125 "
#define INNER "w[1]*0.000244140625 "
#define INNERS "// " INNER INNER INNER INNER "a[1]*0.0078125"

/* A LSTM of INT8 is one step of a sequence, and keeps its state as well. */
static void test_int8_lstm(void **state)
{
	static const char *const models[] = {
		"UNIDIRECTIONAL_SEQUENCE_LSTM@71:4 a[1,1,2]*0.1 " GATES STATES
		"-> a[1,1,2]*0.0078125 " INNERS,
		"LSTM@14:4 a[1,2]*0.1 " GATES STATES "-> a[1,2]*0.0078125 " INNERS,
	};
	static const int8_t in[] = { 60, -20 };
	struct writer *w = calloc(1, sizeof(*w));
	int8_t out[2][3][2];

	assert_non_null(w);
	for (int i = 0; i < 2; i++) {
		write_text(w, models[i]);
		for (int runs = 1; runs <= 3; runs++)
			run_written(w, 0, (const void *[]){ in }, (void *[]){ out[i][runs - 1] },
				    runs);
	}
	free(w);
	assert_memory_equal(out[0], out[1], sizeof(out[0]));
	assert_memory_not_equal(out[0][0], out[0][1], 2);
	assert_memory_not_equal(out[0][1], out[0][2], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variable),
		cmocka_unit_test(test_int8_lstm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* A model as a graph of libnnaccel, with the operators that its operations came from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <nnaccel.h>

#include "tests/unit/frontend/tflite/conv_model.h"

static void test_runs_into_a_graph(void **state)
{
	char error[TFLITE_ERROR_SIZE];
	struct tflite_origin origin;
	struct tflite_model *model;
	struct writer *w = conv_model(0);
	struct nna_graph *graph;

	assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
	assert_int_equal(tflite_to_graph(model, NULL, &graph, &origin, error), 0);
	assert_int_equal(nna_graph_operation_count(graph, 0), 2);
	assert_int_equal(origin.count, 2);
	assert_int_equal(origin.operators[1], 1);
	tflite_origin_free(&origin);
	nna_graph_unref(graph);
	tflite_free(model);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_into_a_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * Operators that move, choose or order stored numbers of tensors with different quantisations
 * (frontend/tflite/stored.c), run on the loopback. A model of one operator is a line of text; its
 * results are the bytes that TFLite's kernels give, which ignore the scales.
 */
#include "tests/unit/frontend/tflite/model_text.h"

#include <errno.h>
#include <stdio.h>

#include "tests/unit/frontend/tflite/one_operator.h"

/**
 * struct stored_row - an operator and its results
 * @model: model_text.h
 * @in: elements of all inputs, one input after the other
 * @out: elements of all outputs, likewise
 */
struct stored_row {
	const char *model;
	int8_t in[16], out[16];
};

static const struct stored_row rows[] = {
	/* The larger number, not the larger value: 1.5 and -5 against 0 and -1. */
	{ "MAXIMUM a[2]*0.5+3 a[2]*0.25+2 -> a[2]*1+9", { 6, -7, 2, -2 }, { 6, -2 } },
	{ "MINIMUM a[2]*0.5+3 a[2]*0.25+2 -> a[2]*1+9", { 6, -7, 2, -2 }, { 2, -7 } },
	{ "MAXIMUM a[2]*0.5+3 a[2]={3,-9}*0.25+2 -> a[2]*0.5+3", { 2, -7 }, { 3, -7 } },
	/* PAD pads with the zero point of the output, MIRROR_PAD is none of these operators. */
	{ "PAD a[2]*0.5+3 i[1,2]={1,2} -> a[5]*0.25-7", { 1, 2 }, { -7, 1, 2, -7, -7 } },
	{ "RESHAPE a[4]*0.5 -> a[2,2]*0.25+1", { 1, 2, 3, 4 }, { 1, 2, 3, 4 } },
	{ "TRANSPOSE a[2,2]*0.5 i[2]={1,0} -> a[2,2]*0.25+1", { 1, 2, 3, 4 }, { 1, 3, 2, 4 } },
	{ "TILE a[2]*0.5 i[1]={2} -> a[4]*0.25+1", { 1, 2 }, { 1, 2, 1, 2 } },
	{ "REVERSE_V2 a[3]*0.5 i[1]={0} -> a[3]*0.25+1", { 1, 2, 3 }, { 3, 2, 1 } },
	{ "SLICE a[4]*0.5 i[1]={1} i[1]={2} -> a[2]*0.25+1", { 1, 2, 3, 4 }, { 2, 3 } },
	{ "GATHER@23:0 a[3]*0.5 i[2]={2,0} -> a[2]*0.25+1", { 1, 2, 3 }, { 3, 1 } },
	{ "SELECT b[2]={1,0} a[2]*0.5 a[2]*0.25+1 -> a[2]*1", { 1, 2, 3, 4 }, { 1, 4 } },
	/* The second output has a quantisation of its own. */
	{ "SPLIT@35:2 i={0} a[4]*0.5 -> a[2]*0.25+1 a[2]*2-1", { 1, 2, 3, 4 }, { 1, 2, 3, 4 } },
	{ "SPACE_TO_DEPTH@19:2 a[1,2,2,1]*0.5 -> a[1,1,1,4]*0.25+1", { 1, 2, 3, 4 },
	  { 1, 2, 3, 4 } },
	/* All quantisations are the same: the operator is an ordinary one. */
	{ "MAXIMUM a[2]*0.5+3 a[2]*0.5+3 -> a[2]*0.5+3", { 6, -7, 2, -2 }, { 6, -2 } },
	/* 8 bits: CONCATENATION requantises, 1 * 0.5 is 2 * 0.25. */
	{ "CONCATENATION@10:0 a[1]*0.5 a[1]*0.25 -> a[2]*0.25", { 1, 3 }, { 2, 3 } },
	/* INT16, as pairs of bytes: CONCATENATION copies. */
	{ "CONCATENATION@10:0 w[1]*0.5 w[1]*0.25 -> w[2]*0.25", { 1, 0, 3, 0 }, { 1, 0, 3, 0 } },
};

static void test_rows(void **state)
{
	struct writer *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tflite_subgraph *sub;
		int8_t in[16], out[16] = { 0 };
		const void *inputs[4];
		void *outputs[4];
		char error[TFLITE_ERROR_SIZE];
		struct tflite_model *model;
		size_t at = 0;

		memcpy(in, rows[i].in, sizeof(in));
		write_text(w, rows[i].model);
		if (tflite_parse(w->bytes, w->size, &model, error))
			fail_msg("%s: %s", rows[i].model, error);
		sub = &model->subgraphs[0];
		for (uint32_t k = 0; k < sub->inputs.count; k++) {
			const struct tflite_tensor *x = &sub->tensors[sub->inputs.at[k]];

			inputs[k] = in + at;
			at += x->elements * tflite_type_size(x->type);
		}
		at = 0;
		for (uint32_t k = 0; k < sub->outputs.count; k++) {
			const struct tflite_tensor *y = &sub->tensors[sub->outputs.at[k]];

			outputs[k] = out + at;
			at += y->elements * tflite_type_size(y->type);
		}
		tflite_free(model);
		run_written(w, 0, inputs, outputs, 1);
		if (memcmp(out, rows[i].out, at)) {
			for (size_t k = 0; k < at; k++)
				print_error("byte %zu is %d, expected %d\n", k, out[k],
					    rows[i].out[k]);
			fail_msg("%s", rows[i].model);
		}
	}
	free(w);
}

/* TOPK_V2: the positions are INT32 and keep their meaning. */
static void test_topk(void **state)
{
	static const int8_t in[] = { 1, 9, 5 };
	struct writer *w = calloc(1, sizeof(*w));
	int8_t values[2];
	int32_t positions[2];

	assert_non_null(w);
	write_text(w, "TOPK_V2 a[3]*0.5 i={2} -> a[2]*0.25+1 i[2]");
	run_written(w, 0, (const void *[]){ in }, (void *[]){ values, positions }, 1);
	assert_int_equal(values[0], 9);
	assert_int_equal(values[1], 5);
	assert_int_equal(positions[0], 1);
	assert_int_equal(positions[1], 2);
	free(w);
}

/* The model is as before after the translation, so that it can be translated again. */
static void test_tensors_are_restored(void **state)
{
	static const char text[] = "SPLIT@35:2 i={0} a[4]*0.5+3 -> a[2]*0.25+1 a[2]*2-1";
	static const float scales[] = { 1, 0.5f, 0.25f, 2 };
	static const int64_t zeros[] = { 0, 3, 1, -1 };
	struct writer *w = calloc(1, sizeof(*w));
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *model;
	struct nna_graph *graph;

	assert_non_null(w);
	write_text(w, text);
	assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
	for (int run = 0; run < 2; run++) {
		assert_int_equal(tflite_to_graph(model, NULL, &graph, NULL, error), 0);
		nna_graph_unref(graph);
		for (uint32_t i = 1; i < 4; i++) {
			const struct tflite_tensor *x = &model->subgraphs[0].tensors[i];

			assert_true(x->scales[0] == scales[i]);
			assert_int_equal(tflite_zero_point_at(x, 0), zeros[i]);
		}
	}
	tflite_free(model);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_topk),
		cmocka_unit_test(test_tensors_are_restored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

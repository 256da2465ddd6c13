// SPDX-License-Identifier: MIT
/* The TFLite reader: a model made here, and what is left of it and of real ones after damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "frontend/tflite/signature.h"
#include "tests/unit/frontend/tflite/conv_model.h"

static void test_reads_a_model(void **state)
{
	char error[TFLITE_ERROR_SIZE];
	struct writer *w = conv_model(0);
	const struct tflite_operator *op;
	struct tflite_model *model;

	assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
	free(w);
	assert_int_equal(model->subgraph_count, 1);
	assert_int_equal(model->subgraphs[0].tensor_count, 6);
	assert_int_equal(model->subgraphs[0].operator_count, 2);
	op = &model->subgraphs[0].operators[0];
	assert_int_equal(op->code, TFLITE_CONV_2D);
	assert_int_equal(op->inputs.count, 3);
	assert_int_equal(op->inputs.at[2], 2);
	assert_int_equal(op->options.stride_w, 2);
	assert_int_equal(op->options.dilation_w, 1);
	assert_int_equal(op->options.padding, TFLITE_SAME);
	assert_int_equal(op->options.activation, TFLITE_ACT_RELU6);
	assert_int_equal(model->subgraphs[0].tensors[0].dims[3], 2);
	assert_null(model->subgraphs[0].tensors[0].data);
	assert_int_equal(model->subgraphs[0].tensors[1].size, 54);
	assert_int_equal(((const uint8_t *)model->subgraphs[0].tensors[1].data)[2], 3);
	assert_true(model->subgraphs[0].tensors[1].scales[0] == 0.25f);
	assert_int_equal(tflite_zero_point_at(&model->subgraphs[0].tensors[0], 0), 128);
	tflite_free(model);
}

static void test_reads_signatures(void **state)
{
	char error[TFLITE_ERROR_SIZE] = "";
	struct writer *w = conv_model(0);
	const struct tflite_signature *s;
	struct tflite_model *model;

	if (tflite_parse(w->bytes, w->size, &model, error))
		fail_msg("%s", error);
	free(w);
	assert_int_equal(model->signature_count, 1);
	s = tflite_find_signature(model, "serve");
	assert_non_null(s);
	assert_ptr_equal(tflite_signature_of(model, 0), s);
	assert_string_equal(tflite_signature_name(s, true, 0), "x");
	assert_string_equal(tflite_signature_name(s, false, 5), "y");
	assert_null(tflite_signature_name(s, true, 5));
	assert_null(tflite_find_signature(model, "serv"));
	tflite_free(model);
}

/* What a signature refers to must exist. */
static void test_refuses_signatures(void **state)
{
	static const struct {
		struct signature_spec spec;
		const char *error;
	} rows[] = {
		{ { "a", 1, 0, 0 }, "signature 0 runs subgraph 1; expected less than 1" },
		{ { "a", 0, 6, 0 }, "signature 0: input 0 is tensor 6; expected less than 6, the "
				    "tensors of subgraph 0" },
		{ { "a", 0, 0, UINT32_MAX }, "signature 0: output 0 is tensor 4294967295; expected "
					     "less than 6, the tensors of subgraph 0" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct writer *w = conv_model(0);
		char error[TFLITE_ERROR_SIZE];
		struct tflite_model *model;
		uint32_t root;

		memcpy(&root, w->bytes, 4);
		write_signatures(w, root, &rows[i].spec, 1);
		assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), -EINVAL);
		assert_string_equal(error, rows[i].error);
		free(w);
	}
}

/* Signatures may share vectors: a small file must not ask for many names. */
static void test_refuses_shared_names(void **state)
{
	enum { SIGNATURES = 200, NAMES = 2000 };
	struct writer *w = conv_model(0);
	size_t root, list, names, name, tables[SIGNATURES];
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *model;
	uint32_t from, count = NAMES;

	memcpy(&from, w->bytes, 4);
	root = from;
	list = vector(w, root, 7, SIGNATURES, 4, NULL);
	for (int i = 0; i < SIGNATURES; i++) {
		tables[i] = table(w, 5);
		refer(w, list + 4 * (size_t)i, tables[i]);
	}
	align(w, 4);
	names = put_bytes(w, &count, 4);
	put_bytes(w, NULL, 4 * NAMES);
	for (int i = 0; i < SIGNATURES; i++)
		refer(w, field(w, tables[i], 0), names);
	name = table(w, 2);
	text(w, name, 0, "x");
	for (size_t i = 0; i < NAMES; i++)
		refer(w, names + 4 + 4 * i, name);
	assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), -EINVAL);
	assert_non_null(strstr(error, "a truncated or damaged file (signatures)"));
	free(w);
}

/* Files whose vectors are aligned to 4 bytes are sound, whatever their elements are. */
static void test_reads_unaligned_vectors(void **state)
{
	struct writer *w = calloc(1, sizeof(*w));
	char error[TFLITE_ERROR_SIZE] = "";
	struct tflite_model *model;

	assert_non_null(w);
	w->skew = 4;
	write_model(w, 0);
	if (tflite_parse(w->bytes, w->size, &model, error))
		fail_msg("%s", error);
	free(w);
	assert_int_equal(tflite_zero_point_at(&model->subgraphs[0].tensors[0], 0), 128);
	assert_int_equal(((const int32_t *)model->subgraphs[0].tensors[2].data)[2], 30);
	tflite_free(model);
}

static void test_refuses_other_files(void **state)
{
	static const char *const texts[] = { "", "TFL3", "\x10\0\0\0TFL3",
					     "This is not a model at all." };
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *model;
	size_t i;

	for (i = 0; i < 4; i++) {
		assert_int_equal(
			tflite_parse(texts[i], i == 2 ? 8 : strlen(texts[i]), &model, error),
			-EINVAL);
		assert_true(error[0]);
	}
	assert_int_equal(tflite_load("/nonexistent.tflite", &model, error), -ENOENT);
	assert_int_equal(tflite_load("/dev", &model, error), -EINVAL);
}

/* Every length and every byte: nothing may be read outside, and an error has a text. */
static void test_survives_truncation(void **state)
{
	struct writer *w = conv_model(0);
	size_t n;
	int ret;

	for (n = 0; n < w->size; n++)
		free(record_of(w->bytes, n, &ret));
	free(w);
}

static void test_survives_changed_bytes(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct writer *w = conv_model(0);
	size_t i, k;
	int ret;

	for (i = 0; i < w->size; i++) {
		uint8_t old = w->bytes[i];

		for (k = 0; k < sizeof(values); k++) {
			w->bytes[i] = values[k];
			free(record_of(w->bytes, w->size, &ret));
		}
		w->bytes[i] = old ^ 0x10;
		free(record_of(w->bytes, w->size, &ret));
		w->bytes[i] = old;
	}
	free(w);
}

/*
 * Real models, where there are any: whole, cut, and with words changed in the part that is
 * structure.
 */
static void test_survives_damaged_real_models(void **state)
{
	static const char *const names[] = { "keras_lstm_mnist_ptq", "mobilenet_v1_0.25_128_quant",
					     "movenet_single_pose_lightning_ptq" };
	char error[TFLITE_ERROR_SIZE], path[256];
	uint32_t seed = 99, round;
	size_t i, tried = 0;
	int ret;

	for (i = 0; i < 3; i++) {
		struct tflite_model *model;
		uint8_t *bytes;
		size_t size;

		snprintf(path, sizeof(path), "../shared/models/%s.tflite", names[i]);
		if (tflite_load(path, &model, error))
			continue;
		tried++;
		size = model->size;
		bytes = malloc(size);
		assert_non_null(bytes);
		memcpy(bytes, model->bytes, size);
		tflite_free(model);
		free(record_of(bytes, size, &ret));
		assert_int_equal(ret, 0);
		for (round = 0; round < 300; round++) {
			size_t at;
			uint32_t old;

			seed = seed * 1664525 + 1013904223;
			/* The tables are at the end of some files and at the start of others. */
			at = (round % 2 ? seed % 30000 : size - 4 - seed % 30000 % size) %
			     (size - 4) / 4 * 4;
			memcpy(&old, bytes + at, 4);
			seed = seed * 1664525 + 1013904223;
			memcpy(bytes + at, &seed, 2 + seed % 3);
			free(record_of(bytes, round % 5 ? size : seed % size, &ret));
			memcpy(bytes + at, &old, 4);
		}
		free(bytes);
	}
	if (!tried)
		print_message("no ../shared/models: skipped\n");
	if (!tried)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_a_model),
		cmocka_unit_test(test_reads_signatures),
		cmocka_unit_test(test_refuses_signatures),
		cmocka_unit_test(test_refuses_shared_names),
		cmocka_unit_test(test_reads_unaligned_vectors),
		cmocka_unit_test(test_refuses_other_files),
		cmocka_unit_test(test_survives_truncation),
		cmocka_unit_test(test_survives_changed_bytes),
		cmocka_unit_test(test_survives_damaged_real_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * The TFLite reader and the translation: models made here, and what is left of them after damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <nnaccel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/tools/tflite/writer.h"
#include "tools/tflite/translate.h"

/*
 * input u8 [1, 4, 4, 2] -> CONV_2D 3x3, 3 filters, SAME, stride 2, RELU6 -> [1, 2, 2, 3] -> RESHAPE
 * -> [1, 12]; with @code in place of CONV_2D's when it is not 0.
 */
static void write_model(struct writer *w, int32_t code)
{
	static const uint8_t weights[3 * 3 * 3 * 2] = { 1, 2, 3 };
	static const int32_t bias[3] = { 10, 20, 30 }, shape[2] = { 1, 12 };
	const struct tensor_spec tensors[] = {
		{ TFLITE_UINT8, 4, { 1, 4, 4, 2 }, NULL, 0, 0.5f, 128, .variable = false },
		{ TFLITE_UINT8, 4, { 3, 3, 3, 2 }, weights, sizeof(weights), 0.25f, 3,
		  .variable = false },
		{ TFLITE_INT32, 1, { 3 }, bias, sizeof(bias), 0.125f, 0, .variable = false },
		{ TFLITE_UINT8, 4, { 1, 2, 2, 3 }, NULL, 0, 1.0f, 0, .variable = false },
		{ TFLITE_INT32, 1, { 2 }, shape, sizeof(shape), 0, 0, .variable = false },
		{ TFLITE_UINT8, 2, { 1, 12 }, NULL, 0, 1.0f, 0, .variable = false },
	};
	const uint32_t tensor_count = sizeof(tensors) / sizeof(tensors[0]);
	static const int32_t in0[] = { 0, 1, 2 }, out0[] = { 3 }, in1[] = { 3, 4 }, out1[] = { 5 };
	size_t root, list, at, sub, op, options;
	uint32_t i;

	root = model_begin(w);
	list = vector(w, root, 1, 2, 4, NULL);
	for (i = 0; i < 2; i++) {
		at = table(w, 4);
		refer(w, list + 4 * i, at);
		scalar(w, at, 3, i ? TFLITE_RESHAPE : code ? code : TFLITE_CONV_2D, 4);
		scalar(w, at, 2, 1, 4);
	}
	list = vector(w, root, 2, 1, 4, NULL);
	sub = table(w, 5);
	refer(w, list, sub);
	write_tensors(w, sub, tensors, tensor_count);
	vector(w, sub, 1, 1, 4, in0);
	vector(w, sub, 2, 1, 4, out1);
	list = vector(w, sub, 3, 2, 4, NULL);
	op = table(w, 9);
	refer(w, list, op);
	scalar(w, op, 0, 0, 4);
	vector(w, op, 1, 3, 4, in0);
	vector(w, op, 2, 1, 4, out0);
	scalar(w, op, 3, 1, 1);
	options = table(w, 6);
	refer(w, field(w, op, 4), options);
	scalar(w, options, 0, TFLITE_SAME, 1);
	scalar(w, options, 1, 2, 4);
	scalar(w, options, 2, 2, 4);
	scalar(w, options, 3, TFLITE_ACT_RELU6, 1);
	op = table(w, 9);
	refer(w, list + 4, op);
	scalar(w, op, 0, 1, 4);
	vector(w, op, 1, 2, 4, in1);
	vector(w, op, 2, 1, 4, out1);
	write_buffers(w, root, tensors, tensor_count);
}

/* ------------------------------------------------------------------------ a sink that remembers */

#define MAX_THINGS 4096

struct record {
	int operands, operations, constants;
	uint32_t types[MAX_THINGS];
	uint32_t operand_types[MAX_THINGS];
	float scales[MAX_THINGS];
	int64_t values[MAX_THINGS];
	uint32_t inputs[MAX_THINGS][16];
	uint32_t input_counts[MAX_THINGS];
	uint64_t bytes;
};

static int sink_subgraph(void *opaque)
{
	return 1;
}

static int sink_operand(void *opaque, uint32_t subgraph, const struct nna_operand_desc *desc)
{
	struct record *r = opaque;
	uint32_t i;

	for (i = 0; i < desc->rank; i++)
		r->bytes += desc->dims[i] != 0;
	for (i = 0; i < desc->channel_count; i++)
		r->bytes += desc->channel_scales[i] > 0;
	if (r->operands < MAX_THINGS) {
		r->operand_types[r->operands] = desc->type;
		r->scales[r->operands] = desc->scale;
	}
	return r->operands++;
}

static int sink_constant(void *opaque, uint32_t subgraph, uint32_t operand, const void *data,
			 size_t size)
{
	struct record *r = opaque;
	const uint8_t *bytes = data;
	int64_t value = 0;
	size_t i;

	/* Touch all of it: a range that is not there is found out. */
	for (i = 0; i < size; i++)
		r->bytes += bytes[i];
	if (size <= 4)
		memcpy(&value, data, size);
	if (operand < MAX_THINGS)
		r->values[operand] = value;
	r->constants++;
	return 0;
}

static int sink_mark(void *opaque, uint32_t subgraph, uint32_t operand)
{
	return 0;
}

static int sink_ref(void *opaque, uint32_t subgraph, uint32_t operand, uint32_t which)
{
	return 0;
}

static int sink_operation(void *opaque, uint32_t subgraph, uint32_t type, uint32_t input_count,
			  const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	struct record *r = opaque;
	uint32_t i;

	for (i = 0; i < output_count; i++)
		if (outputs[i] >= (uint32_t)r->operands)
			return -EINVAL;
	if (r->operations < MAX_THINGS) {
		r->types[r->operations] = type;
		r->input_counts[r->operations] = input_count;
		for (i = 0; i < input_count && i < 16; i++)
			r->inputs[r->operations][i] = inputs[i];
	}
	r->operations++;
	return 0;
}

static int sink_io(void *opaque, uint32_t subgraph, uint32_t input_count, const uint32_t *inputs,
		   uint32_t output_count, const uint32_t *outputs)
{
	return 0;
}

static const struct tflite_sink SINK = {
	.add_subgraph = sink_subgraph, .add_operand = sink_operand, .set_constant = sink_constant,
	.set_no_value = sink_mark, .set_variable = sink_mark, .set_subgraph = sink_ref,
	.add_operation = sink_operation, .set_io = sink_io,
};

static struct record *record_of(const void *data, size_t size, int *ret)
{
	struct record *r = calloc(1, sizeof(*r));
	char error[TFLITE_ERROR_SIZE];
	struct tflite_origin origin;
	struct tflite_model *model;

	assert_non_null(r);
	*ret = tflite_parse(data, size, &model, error);
	if (*ret) {
		assert_true(*ret == -EINVAL);
		assert_true(error[0]);
		return r;
	}
	*ret = tflite_translate(model, &SINK, r, &origin, error);
	if (*ret)
		assert_true(error[0]);
	else
		tflite_origin_free(&origin);
	tflite_free(model);
	return r;
}

/* ---------------------------------------------------------------------------------------- tests */

static struct writer *made(int32_t code)
{
	struct writer *w = malloc(sizeof(*w));

	assert_non_null(w);
	write_model(w, code);
	return w;
}

static void test_reads_a_model(void **state)
{
	char error[TFLITE_ERROR_SIZE];
	struct writer *w = made(0);
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
	assert_int_equal(model->subgraphs[0].tensors[0].zero_points[0], 128);
	tflite_free(model);
}

static void test_translates_a_convolution(void **state)
{
	struct writer *w = made(0);
	struct record *r;
	int ret;

	r = record_of(w->bytes, w->size, &ret);
	free(w);
	assert_int_equal(ret, 0);
	assert_int_equal(r->operations, 2);
	assert_int_equal(r->types[0], NNA_OPERATION_CONV_2D);
	assert_int_equal(r->types[1], NNA_OPERATION_RESHAPE);
	/* input, filter, bias, padding, strides, activation, layout, dilations */
	assert_int_equal(r->input_counts[0], 10);
	assert_int_equal(r->operand_types[r->inputs[0][2]], NNA_OPERAND_TENSOR_INT32);
	assert_true(r->scales[r->inputs[0][2]] == 0.125f);
	assert_int_equal(r->values[r->inputs[0][3]], 1);
	assert_int_equal(r->values[r->inputs[0][4]], 2);
	assert_int_equal(r->values[r->inputs[0][6]], 3);
	assert_int_equal(r->operand_types[r->inputs[0][7]], NNA_OPERAND_BOOL);
	free(r);
}

static void test_names_an_unsupported_operator(void **state)
{
	static const struct {
		int32_t code;
		const char *name;
	} cases[] = { { 128, "operator 0 (CUMSUM)" },
		      { 32, "operator 0 ()" },
		      { 5000, "operator 0 (unknown)" } };
	char error[TFLITE_ERROR_SIZE];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record *r = calloc(1, sizeof(*r));
		struct writer *w = made(cases[i].code);
		struct tflite_model *model;

		assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
		assert_int_equal(tflite_translate(model, &SINK, r, NULL, error), -ENOTSUP);
		assert_non_null(strstr(error, cases[i].name));
		tflite_free(model);
		free(w);
		free(r);
	}
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
	struct writer *w = made(0);
	size_t n;
	int ret;

	for (n = 0; n < w->size; n++)
		free(record_of(w->bytes, n, &ret));
	free(w);
}

static void test_survives_changed_bytes(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct writer *w = made(0);
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

/* Several words at once, from a fixed sequence, on models of all operators. */
static void test_survives_noise(void **state)
{
	uint32_t seed = 12345, round, i;
	int ret;

	for (round = 0; round < 4000; round++) {
		struct writer *w = made((int32_t)(round % 210));

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
		struct writer *w = made(code);

		free(record_of(w->bytes, w->size, &ret));
		free(w);
	}
}

static void test_runs_into_a_graph(void **state)
{
	char error[TFLITE_ERROR_SIZE];
	struct tflite_origin origin;
	struct tflite_model *model;
	struct writer *w = made(0);
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
		cmocka_unit_test(test_translates_a_convolution),
		cmocka_unit_test(test_names_an_unsupported_operator),
		cmocka_unit_test(test_refuses_other_files),
		cmocka_unit_test(test_survives_truncation),
		cmocka_unit_test(test_survives_changed_bytes),
		cmocka_unit_test(test_survives_noise),
		cmocka_unit_test(test_every_code),
		cmocka_unit_test(test_runs_into_a_graph),
		cmocka_unit_test(test_survives_damaged_real_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

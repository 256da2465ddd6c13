// SPDX-License-Identifier: MIT
/* A model on two devices: the NPU in this process, and the loopback for what it does not do. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontend/split/program.h"
#include "tests/unit/frontend/tflite/small_model.h"

#define MODEL "../shared/models/mobilenet_v1_0.25_128_quant.tflite"
#define INPUT (128u * 128u * 3u)
#define OUTPUT 1001u

static struct tflite_model *load(void)
{
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *model;

	if (access(MODEL, R_OK))
		skip();
	if (tflite_load(MODEL, &model, error))
		fail_msg("%s", error);
	return model;
}

static struct nna_device *open_device(const char *name)
{
	struct nna_device *device;

	assert_int_equal(nna_device_open(name, NULL, &device), 0);
	return device;
}

static void run_split(struct split_program *program, uint8_t *output)
{
	static uint8_t input[INPUT];
	char error[TFLITE_ERROR_SIZE];
	const void *inputs[1] = { input };
	void *outputs[1] = { output };

	for (uint32_t i = 0; i < INPUT; i++)
		input[i] = (uint8_t)(i * 7919 >> 4);
	memset(output, 0x5a, OUTPUT);
	if (split_program_run(program, inputs, outputs, error))
		fail_msg("%s", error);
}

/* Operators that the devices do: all that are said to be, but for one that the NPU refuses. */
static void test_two_devices(void **state)
{
	struct tflite_model *model = load();
	const uint32_t count = tflite_main(model)->operator_count;
	bool *takes = calloc(count, sizeof(*takes));
	struct split_program_options options = {
		.first = open_device("ethos-u65-256"),
		.takes = takes,
		.rest = open_device("loopback"),
		.rest_name = "loopback",
		.rounding = NNA_ROUNDING_TFLITE,
	};
	uint8_t expected[OUTPUT], got[OUTPUT];
	char error[TFLITE_ERROR_SIZE] = "";
	struct split_program *program;
	struct split_timing timing;

	assert_non_null(takes);
	assert_int_equal(split_program_create(model, &options, &program, error), 0);
	assert_int_equal(split_program_left(program), count);
	run_split(program, expected);
	split_program_timing(program, &timing);
	assert_int_equal(timing.jobs, 0);
	assert_true(timing.commands > 0);
	split_program_destroy(program);

	/* SOFTMAX is among them: it goes to the rest nevertheless. */
	memset(takes, true, count);
	assert_int_equal(split_program_create(model, &options, &program, error), 0);
	assert_int_equal(split_program_left(program), 1);
	run_split(program, got);
	assert_memory_equal(got, expected, OUTPUT);
	split_program_timing(program, &timing);
	assert_int_equal(timing.jobs, 1);
	split_program_destroy(program);

	for (uint32_t i = 0; i < count; i++)
		takes[i] = i % 3 != 0;
	assert_int_equal(split_program_create(model, &options, &program, error), 0);
	run_split(program, got);
	assert_memory_equal(got, expected, OUTPUT);
	split_program_destroy(program);

	nna_device_close(options.first);
	nna_device_close(options.rest);
	free(takes);
	tflite_free(model);
}

/* What nobody does is told by its operator. */
static void test_nobody(void **state)
{
	struct tflite_model *model = load();
	bool *takes = calloc(tflite_main(model)->operator_count, sizeof(*takes));
	struct split_program_options options = {
		.first = open_device("ethos-u65-256"),
		.takes = takes,
		.rest_name = "none was asked for",
		.rounding = NNA_ROUNDING_TFLITE,
	};
	char error[TFLITE_ERROR_SIZE] = "";
	struct split_program *program;

	assert_non_null(takes);
	memset(takes, true, tflite_main(model)->operator_count);
	assert_int_equal(split_program_create(model, &options, &program, error), -ENODEV);
	assert_string_equal(error, "operator 30 (SOFTMAX): there is no NNA that runs it (none was "
				   "asked for)");
	/* The second device may be one that cannot, either. */
	options.rest = options.first;
	assert_int_equal(split_program_create(model, &options, &program, error), -ENOTSUP);
	assert_string_equal(error, "operator 30 (SOFTMAX): ethos-u65-256 cannot run it");
	nna_device_close(options.first);
	free(takes);
	tflite_free(model);
}

/* A tensor between two parts that the file states smaller than the writer makes it. */
static void test_contradiction(void **state)
{
	struct tflite_model *model = load();
	struct tflite_subgraph *sub = tflite_main(model);
	const uint32_t last = sub->operator_count - 1;
	bool *takes = calloc(sub->operator_count, sizeof(*takes));
	struct split_program_options options = {
		.first = open_device("loopback"),
		.takes = takes,
		.rest_name = "loopback",
		.rounding = NNA_ROUNDING_TFLITE,
	};
	char error[TFLITE_ERROR_SIZE] = "";
	struct split_program *program;

	assert_non_null(takes);
	/* Shapes are inferred next to the inputs of a part: RESHAPE is one. */
	takes[last - 1] = true;
	options.rest = options.first;
	for (uint32_t i = last - 1; i <= last; i++) {
		struct tflite_tensor *x = &sub->tensors[sub->operators[i].outputs.at[0]];

		assert_int_equal(x->elements, OUTPUT);
		x->dims[x->rank - 1] = OUTPUT / 2;
		x->elements = OUTPUT / 2;
	}
	if (split_program_create(model, &options, &program, error) != -ENOTSUP ||
	    !strstr(error, "another one than the file states"))
		fail_msg("%s", error);
	nna_device_close(options.first);
	free(takes);
	tflite_free(model);
}

#define HANDLE(tensor) \
	{ .code = TFLITE_VAR_HANDLE, .inputs = { -1 }, .outputs = { tensor, -1 }, \
	  .options = 111, .text = "total", .text_field = 1 }

/* A variable whose first value one part has, and which another one reads. */
static void test_variable(void **state)
{
	static const float first[2] = { 10, 20 };
	const struct small_graph graphs[2] = {
		{
			.tensors = { F32(1, { 2 }), { 13, 0, { 0 } }, F32(1, { 2 }), F32(1, { 2 }),
				     F32(1, { 2 }) },
			.tensor_count = 5,
			.inputs = { 0, -1 },
			.outputs = { 4, -1 },
			.operators = {
				{ .code = TFLITE_CALL_ONCE, .inputs = { -1 }, .outputs = { -1 },
				  .options = 103, .fields = { 1 }, .field_count = 1 },
				{ .code = TFLITE_ABS, .inputs = { 0, -1 }, .outputs = { 2, -1 } },
				HANDLE(1),
				{ .code = TFLITE_READ_VARIABLE, .inputs = { 1, -1 },
				  .outputs = { 3, -1 } },
				{ .code = TFLITE_ADD, .inputs = { 2, 3, -1 },
				  .outputs = { 4, -1 } },
			},
			.operator_count = 5,
		},
		{
			.tensors = { { 13, 0, { 0 } }, F32(1, { 2 }, first, sizeof(first)) },
			.tensor_count = 2,
			.inputs = { -1 },
			.outputs = { -1 },
			.operators = { HANDLE(0),
				       { .code = TFLITE_ASSIGN_VARIABLE, .inputs = { 0, 1, -1 },
					 .outputs = { -1 } } },
			.operator_count = 2,
		},
	};
	const bool together[5] = { true, true, true, true, true }, apart[5] = { true, true };
	struct split_program_options options = {
		.first = open_device("loopback"),
		.rest_name = "loopback",
		.rounding = NNA_ROUNDING_TFLITE,
	};
	struct writer *w = write_graphs(graphs, 2);
	const float in[2] = { -1, 2 };
	const void *inputs[1] = { in };
	char error[TFLITE_ERROR_SIZE] = "";
	struct split_program *program;
	struct tflite_model *model;
	float out[2] = { 0 };
	void *outputs[1] = { out };

	options.rest = options.first;
	assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
	free(w);
	options.takes = together;
	if (split_program_create(model, &options, &program, error))
		fail_msg("%s", error);
	assert_int_equal(split_program_run(program, inputs, outputs, error), 0);
	assert_true(out[0] == 11 && out[1] == 22);
	split_program_destroy(program);
	options.takes = apart;
	assert_int_equal(split_program_create(model, &options, &program, error), -ENOTSUP);
	if (!strstr(error, "resource variables are used in 2 parts"))
		fail_msg("%s", error);
	nna_device_close(options.first);
	tflite_free(model);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_devices),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

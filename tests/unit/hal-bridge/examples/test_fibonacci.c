// SPDX-License-Identifier: MIT
/*
 * The extension com.example.fibonacci: its numbers, what is refused and when, its client, and who
 * may use it. The last two run the client, in a namespace with an /etc of its own.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "hal-bridge/include/fibonacci_extension.h"
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#define FLOATS (-1) /* instead of a type of the extension */
#define INTS (-2)

/**
 * struct wanted - a model of one operation
 * @in: the type of n
 * @out: the type of the numbers
 * @size: of the numbers, 0 leaves it open
 * @params: extension data of the numbers, NULL for none
 */
struct wanted {
	int in, out;
	uint32_t size;
	const ExampleQuant64AsymmParams *params;
};

static int32_t type_of(ANeuralNetworksModel *model, int type)
{
	int32_t code = ANEURALNETWORKS_TENSOR_FLOAT32;

	if (type == INTS)
		return ANEURALNETWORKS_TENSOR_INT32;
	if (type != FLOATS)
		OK(ANeuralNetworksModel_getExtensionOperandType(
			model, EXAMPLE_FIBONACCI_EXTENSION_NAME, (uint16_t)type, &code));
	return code;
}

static ANeuralNetworksOperationType operation_of(ANeuralNetworksModel *model, uint16_t number)
{
	ANeuralNetworksOperationType code;

	OK(ANeuralNetworksModel_getExtensionOperationType(
		model, EXAMPLE_FIBONACCI_EXTENSION_NAME, number, &code));
	return code;
}

/* Operand 0 is n, 1 the numbers. */
static ANeuralNetworksModel *begin_model(const struct wanted *wanted)
{
	ANeuralNetworksModel *model = NULL;
	const uint32_t one = 1;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, type_of(model, wanted->in), wanted->in != EXAMPLE_INT64,
		   wanted->in == EXAMPLE_INT64 ? NULL : &one);
	add_tensor(model, type_of(model, wanted->out), 1, &wanted->size);
	if (wanted->params)
		OK(ANeuralNetworksModel_setOperandExtensionData(model, 1, wanted->params,
								sizeof(*wanted->params)));
	return model;
}

static ANeuralNetworksModel *make_model(const struct wanted *wanted)
{
	ANeuralNetworksModel *model = begin_model(wanted);
	const uint32_t in = 0, out = 1;

	OK(ANeuralNetworksModel_addOperation(model, operation_of(model, EXAMPLE_FIBONACCI), 1, &in,
					     1, &out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* Runs a model, which this frees. Return: the result; @size has the bytes of the numbers. */
static int run(ANeuralNetworksModel *model, const void *n, size_t n_size, void *out, size_t size)
{
	ANeuralNetworksCompilation *compilation = compile(model);
	ANeuralNetworksExecution *execution = NULL;
	int result;

	OK(ANeuralNetworksExecution_create(compilation, &execution));
	OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, n, n_size));
	OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, size));
	result = ANeuralNetworksExecution_compute(execution);
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	return result;
}

static void integers(void **state)
{
	const double scales[] = { 0.5, 1, 4 };

	for (int k = 0; k < 6; k++) {
		const ExampleQuant64AsymmParams params = { scales[k % 3], 10 };
		/* Every other time the number of numbers is known when they are computed only. */
		const struct wanted wanted = { EXAMPLE_INT64, EXAMPLE_TENSOR_QUANT64_ASYMM,
					       k < 3 ? 93 : 0, &params };
		uint64_t numbers[93], a = 1, b = 1;
		const int64_t n = 93;

		OK(run(make_model(&wanted), &n, sizeof(n), numbers, sizeof(numbers)));
		/* Beyond 2^63 a quotient would be another one; without a scale all are exact. */
		for (int i = 0; i < (params.scale == 1 ? 93 : 90); i++) {
			uint64_t next = a + b;

			assert_int_equal(numbers[i], (params.scale == 0.5 ? a * 2 :
						      params.scale == 4 ? a / 4 : a) + 10);
			a = b;
			b = next;
		}
	}
}

/* Floats, between sums of NNAPI's, which the reference computes. */
static void floats(void **state)
{
	const uint32_t one = 1, ten = 10, in = 0, out = 6;
	const uint32_t first[] = { 0, 1, 2 }, n = 3, fibonacci = 4, last[] = { 4, 5, 2 };
	ANeuralNetworksDevice *devices[2] = { NULL };
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksExecution *execution = NULL;
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	const float zeros[10] = { 0 }, count = 10;
	ANeuralNetworksModel *model = NULL;
	float numbers[10];
	bool supported[3];

	OK(ANeuralNetworks_getDevice(1, &devices[0]));
	devices[1] = the_device();
	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &one);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &one);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &one);
	for (int i = 0; i < 3; i++)
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &ten);
	OK(ANeuralNetworksModel_setOperandValue(model, 1, zeros, sizeof(*zeros)));
	OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	OK(ANeuralNetworksModel_setOperandValue(model, 5, zeros, sizeof(zeros)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, first, 1, &n));
	OK(ANeuralNetworksModel_addOperation(model, operation_of(model, EXAMPLE_FIBONACCI), 1, &n,
					     1, &fibonacci));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, last, 1, &out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
	OK(ANeuralNetworksModel_finish(model));
	OK(ANeuralNetworksModel_getSupportedOperationsForDevices(
		model, (const ANeuralNetworksDevice *const *)devices, 1, supported));
	assert_true(supported[0] && !supported[1] && supported[2]);
	OK(ANeuralNetworksCompilation_createForDevices(
		model, (const ANeuralNetworksDevice *const *)devices, 2, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	OK(ANeuralNetworksExecution_create(compilation, &execution));
	OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, &count, sizeof(count)));
	OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, numbers, sizeof(numbers)));
	OK(ANeuralNetworksExecution_compute(execution));
	assert_true(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 2 && numbers[9] == 55);
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

static void wrong_numbers_fail_the_run(void **state)
{
	const struct wanted known = { FLOATS, FLOATS, 3, NULL }, open = { FLOATS, FLOATS, 0, NULL };
	const float counts[] = { -1, 0, 4097, NAN, 2 };
	const float three = 3;
	float numbers[3];

	OK(run(make_model(&known), &three, sizeof(three), numbers, sizeof(numbers)));
	assert_true(numbers[2] == 2);
	for (size_t i = 0; i < 5; i++) {
		IS(OP_FAILED, run(make_model(&known), &counts[i], sizeof(float), numbers,
				  sizeof(numbers)));
		if (i < 4)
			IS(OP_FAILED, run(make_model(&open), &counts[i], sizeof(float), numbers,
					  sizeof(numbers)));
	}
}

/* A finished model that no device supports; freed. */
static void check_unsupported(ANeuralNetworksModel *model)
{
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksCompilation *compilation = NULL;
	bool supported = true;

	OK(ANeuralNetworksModel_finish(model));
	OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &supported));
	assert_false(supported);
	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	IS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* What an operation of an extension takes its device alone knows: it is not supported. */
static void wrong_types_are_not_supported(void **state)
{
	const ExampleQuant64AsymmParams odd = { 0.3, 0 }, negative = { -1, 0 };
	const struct wanted models[] = {
		{ INTS, FLOATS, 1, NULL },
		{ FLOATS, INTS, 1, NULL },
		{ EXAMPLE_INT64, EXAMPLE_TENSOR_QUANT64_ASYMM, 1, &odd },
		{ EXAMPLE_INT64, EXAMPLE_TENSOR_QUANT64_ASYMM, 1, &negative },
	};
	const uint32_t in = 0, out = 1;

	for (size_t i = 0; i < 4; i++) {
		ANeuralNetworksModel *model = begin_model(&models[i]);

		OK(ANeuralNetworksModel_addOperation(model, operation_of(model, EXAMPLE_FIBONACCI),
						     1, &in, 1, &out));
		OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
		check_unsupported(model);
	}
}

static void wrong_counts_are_not_supported(void **state)
{
	const struct wanted wanted = { FLOATS, FLOATS, 1, NULL };
	const uint32_t one = 1, operands[] = { 0, 1, 2 };

	for (int i = 0; i < 3; i++) {
		/* Two inputs, two outputs, and an operation that there is not. */
		uint32_t inputs = i ? 1 : 2, outputs = i == 1 ? 2 : 1;
		ANeuralNetworksModel *model = begin_model(&wanted);

		if (i < 2)
			add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &one);
		OK(ANeuralNetworksModel_addOperation(model, operation_of(model, i == 2), inputs,
						     operands, outputs, operands + inputs));
		OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, inputs, operands, outputs,
								 operands + inputs));
		check_unsupported(model);
	}
}

static void data_has_the_types_size(void **state)
{
	const struct wanted wanted = { EXAMPLE_INT64, EXAMPLE_TENSOR_QUANT64_ASYMM, 1, NULL };
	ExampleQuant64AsymmParams params = { 1, 0 };
	ANeuralNetworksModel *model = begin_model(&wanted);

	IS(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, 0, &params, 16));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, 1, &params, 8));
	for (int i = 0; i < 2; i++)
		OK(ANeuralNetworksModel_setOperandExtensionData(model, 1, &params, sizeof(params)));
	OK(ANeuralNetworksModel_setOperandExtensionData(model, 1, NULL, 0));
	ANeuralNetworksModel_free(model);
}

/* ---------------------------------------------------------------------------------- the client */

static char client[PATH_MAX];

/* Beside this program's tests/ there is bin/. */
static void find_client(void)
{
	char program[PATH_MAX] = "";
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *tests;

	assert_true(length > 0);
	tests = strstr(program, "/tests/unit/");
	assert_non_null(tests);
	snprintf(client, sizeof(client), "%.*s/bin/nnapi-fibonacci", (int)(tests - program),
		 program);
}

static void write_list(const char *line)
{
	FILE *file = fopen("/etc/nnaccel/extensions_allowlist", "we");

	if (!file || fprintf(file, "# who may\n%s\n", line) < 0 || fclose(file))
		_exit(99);
}

/* In a child: an /etc that has nothing but the list. Exits with 77 where that may not be made. */
static void make_etc(const char *line)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("etc", "/etc", "tmpfs", 0, NULL))
		_exit(77);
	if (mkdir("/etc/nnaccel", 0755))
		_exit(99);
	write_list(line);
}

/* Runs the client. @line: of an allow-list, NULL for none. Return: its status; @said: its words */
static int run_client(const char *line, char *said, size_t size)
{
	size_t at = 0;
	int status, pipes[2];
	ssize_t got;
	pid_t child;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (line)
			make_etc(line);
		dup2(pipes[1], STDOUT_FILENO);
		dup2(pipes[1], STDERR_FILENO);
		execl(client, client, "10", NULL);
		_exit(98);
	}
	close(pipes[1]);
	while (at + 1 < size && (got = read(pipes[0], said + at, size - 1 - at)) > 0)
		at += (size_t)got;
	said[at] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void the_client_prints_them(void **state)
{
	char said[256];

	assert_int_equal(run_client(NULL, said, sizeof(said)), 0);
	assert_string_equal(said, "1 1 2 3 5 8 13 21 34 55\n");
}

static void the_list_says_who_may(void **state)
{
	char said[256];
	int status = run_client("/usr/bin/another", said, sizeof(said));

	if (status == 77)
		skip();
	assert_int_equal(status, 1);
	assert_non_null(strstr(said, "no device has com.example.fibonacci"));
	assert_int_equal(run_client(client, said, sizeof(said)), 0);
	assert_string_equal(said, "1 1 2 3 5 8 13 21 34 55\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(floats),
		cmocka_unit_test(wrong_numbers_fail_the_run),
		cmocka_unit_test(wrong_types_are_not_supported),
		cmocka_unit_test(wrong_counts_are_not_supported),
		cmocka_unit_test(data_has_the_types_size),
		cmocka_unit_test(the_client_prints_them),
		cmocka_unit_test(the_list_says_who_may),
	};

	use_loopback();
	find_client();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

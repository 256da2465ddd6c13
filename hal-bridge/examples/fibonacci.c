// SPDX-License-Identifier: MIT
/*
 * A client of a vendor extension: Fibonacci numbers in steps of one half, on the NNA.
 *
 *	nnapi-fibonacci N		prints the first N of them
 *	NNACCEL_LOG=1 nnapi-fibonacci N	says why something fails
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <NeuralNetworks.h>

#include "fibonacci_extension.h"

static const ExampleQuant64AsymmParams halves = { .scale = 0.5, .zeroPoint = 0 };

static void check(int result, const char *what)
{
	if (result == ANEURALNETWORKS_NO_ERROR)
		return;
	fprintf(stderr, "nnapi-fibonacci: %s: result %d (NNACCEL_LOG=1 says more)\n", what, result);
	exit(1);
}

/* Return: the device that has the extension. */
static ANeuralNetworksDevice *find_device(void)
{
	uint32_t count;

	check(ANeuralNetworks_getDeviceCount(&count), "devices");
	for (uint32_t i = 0; i < count; i++) {
		ANeuralNetworksDevice *device;
		bool supported;

		check(ANeuralNetworks_getDevice(i, &device), "device");
		check(ANeuralNetworksDevice_getExtensionSupport(
			      device, EXAMPLE_FIBONACCI_EXTENSION_NAME, &supported), "extension");
		if (supported)
			return device;
	}
	fprintf(stderr, "nnapi-fibonacci: no device has " EXAMPLE_FIBONACCI_EXTENSION_NAME "\n");
	exit(1);
}

static ANeuralNetworksModel *make_model(uint32_t count)
{
	ANeuralNetworksOperandType n = { 0 }, numbers = { .dimensionCount = 1,
							  .dimensions = &count };
	const uint32_t in = 0, out = 1;
	ANeuralNetworksOperationType operation;
	ANeuralNetworksModel *model;

	check(ANeuralNetworksModel_create(&model), "model");
	check(ANeuralNetworksModel_getExtensionOperandType(
		      model, EXAMPLE_FIBONACCI_EXTENSION_NAME, EXAMPLE_INT64, &n.type), "type");
	check(ANeuralNetworksModel_getExtensionOperandType(
		      model, EXAMPLE_FIBONACCI_EXTENSION_NAME, EXAMPLE_TENSOR_QUANT64_ASYMM,
		      &numbers.type), "type");
	check(ANeuralNetworksModel_getExtensionOperationType(
		      model, EXAMPLE_FIBONACCI_EXTENSION_NAME, EXAMPLE_FIBONACCI, &operation),
	      "operation type");
	check(ANeuralNetworksModel_addOperand(model, &n), "operand 0");
	check(ANeuralNetworksModel_addOperand(model, &numbers), "operand 1");
	check(ANeuralNetworksModel_setOperandExtensionData(model, 1, &halves, sizeof(halves)),
	      "scale");
	check(ANeuralNetworksModel_addOperation(model, operation, 1, &in, 1, &out), "operation");
	check(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out), "arguments");
	check(ANeuralNetworksModel_finish(model), "finish");
	return model;
}

static void run(ANeuralNetworksCompilation *compilation, int64_t n, uint64_t *numbers)
{
	ANeuralNetworksExecution *execution;

	check(ANeuralNetworksExecution_create(compilation, &execution), "execution");
	check(ANeuralNetworksExecution_setInput(execution, 0, NULL, &n, sizeof(n)), "input");
	check(ANeuralNetworksExecution_setOutput(execution, 0, NULL, numbers,
						 (size_t)n * sizeof(*numbers)), "output");
	check(ANeuralNetworksExecution_compute(execution), "compute");
	ANeuralNetworksExecution_free(execution);
}

int main(int argc, char **argv)
{
	long n = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	const ANeuralNetworksDevice *device;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksModel *model;
	uint64_t *numbers;

	/* A double represents the first 78 numbers exactly. */
	if (n < 1 || n > 78) {
		fprintf(stderr, "usage: nnapi-fibonacci N, where N is 1 to 78\n");
		return 2;
	}
	numbers = calloc((size_t)n, sizeof(*numbers));
	if (!numbers)
		return 1;
	device = find_device();
	model = make_model((uint32_t)n);
	check(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation),
	      "compilation");
	check(ANeuralNetworksCompilation_finish(compilation), "compile");
	run(compilation, n, numbers);
	for (long i = 0; i < n; i++)
		printf("%.0f%c", (double)(int64_t)numbers[i] * halves.scale,
		       i + 1 < n ? ' ' : '\n');
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	free(numbers);
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * A TFLite model through the NNAPI C API: each operation on the accelerator if that runs it, else
 * on nnapi-reference.
 *
 *	ethosu_nnapi MODEL IN OUT
 *
 * NNACCEL_DEVICE names the accelerator. IN has the bytes of all inputs, one after the other, OUT
 * gets those of all outputs. A line says how many operations the accelerator takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/tflite_nnapi.h"

#define OPERATIONS_MAX 65536u

static void check(int result, const char *what)
{
	if (result == ANEURALNETWORKS_NO_ERROR)
		return;
	fprintf(stderr, "ethosu_nnapi: %s: result %d (NNACCEL_LOG=1 says more)\n", what, result);
	exit(1);
}

static void fail(const char *path, const char *why)
{
	fprintf(stderr, "ethosu_nnapi: %s: %s\n", path, why);
	exit(1);
}

static size_t size_of(const struct tflite_model *model, int32_t tensor)
{
	const struct tflite_tensor *t = &tflite_main(model)->tensors[tensor];

	return t->elements * tflite_type_size(t->type);
}

/* The accelerator, and the reference for the rest; operations that the former takes. */
static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model)
{
	static bool takes[OPERATIONS_MAX];
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksDevice *device;
	const ANeuralNetworksDevice *devices[1];
	const char *name;
	uint32_t taken = 0;

	check(ANeuralNetworks_getDevice(0, &device), "device");
	check(ANeuralNetworksDevice_getName(device, &name), "its name");
	devices[0] = device;
	check(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, 1, takes),
	      "operations");
	for (uint32_t i = 0; i < OPERATIONS_MAX; i++)
		taken += takes[i];
	printf("%u operations on %s\n", taken, name);
	check(ANeuralNetworksCompilation_create(model, &compilation), "compilation");
	check(ANeuralNetworksCompilation_finish(compilation), "compile");
	return compilation;
}

int main(int argc, char **argv)
{
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksModel *network;
	char error[TFLITE_ERROR_SIZE];
	const struct tflite_ints *list;
	struct tflite_model *model;
	FILE *in, *out;

	if (argc != 4)
		fail("MODEL IN OUT", "three files are wanted");
	if (tflite_load(argv[1], &model, error) || tflite_to_nnapi(model, NULL, &network, error))
		fail(argv[1], error);
	in = fopen(argv[2], "r");
	out = fopen(argv[3], "w");
	if (!in || !out)
		fail(in ? argv[3] : argv[2], "cannot be opened");
	compilation = compile(network);
	check(ANeuralNetworksExecution_create(compilation, &execution), "execution");
	list = &tflite_main(model)->inputs;
	for (uint32_t i = 0; i < list->count; i++) {
		const size_t size = size_of(model, list->at[i]);
		void *data = malloc(size);

		if (!data || fread(data, 1, size, in) != size)
			fail(argv[2], "too few bytes");
		check(ANeuralNetworksExecution_setInput(execution, (int32_t)i, NULL, data, size),
		      "input");
	}
	list = &tflite_main(model)->outputs;
	void *outputs[list->count];

	for (uint32_t i = 0; i < list->count; i++) {
		const size_t size = size_of(model, list->at[i]);

		outputs[i] = calloc(1, size);
		if (!outputs[i])
			fail(argv[3], "out of memory");
		check(ANeuralNetworksExecution_setOutput(execution, (int32_t)i, NULL, outputs[i],
							 size), "output");
	}
	check(ANeuralNetworksExecution_compute(execution), "run");
	for (uint32_t i = 0; i < list->count; i++)
		if (fwrite(outputs[i], 1, size_of(model, list->at[i]), out) !=
		    size_of(model, list->at[i]))
			fail(argv[3], "cannot be written");
	return fclose(out) != 0;
}

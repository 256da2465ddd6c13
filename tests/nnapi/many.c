// SPDX-License-Identifier: MIT
/*
 * many: the NNAPI C API on a machine with several accelerators, of which some go away.
 *
 *	many COUNT	accelerators that have to be listed, beside the reference
 *
 * Computes on each, prints "ready", and reads a line: the numbers of accelerators that have gone
 * meanwhile, from 0, with spaces between. Those have to fail, and the others to compute as before,
 * and so has what is compiled without a list of devices. Prints "N passed, N failed" last.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/include/NeuralNetworks.h"

#define MOST 8

static int passed, failed;

static void tell(bool right, const char *what, const char *name)
{
	printf("%s %s: %s\n", right ? "ok" : "not ok", name, what);
	passed += right;
	failed += !right;
}

/* out[4] = in[4] + in[4] */
static ANeuralNetworksModel *make_model(void)
{
	static const uint32_t four[] = { 4 }, in[] = { 0, 0, 1 }, out[] = { 2 };
	const ANeuralNetworksOperandType vector = {
		.type = ANEURALNETWORKS_TENSOR_FLOAT32,
		.dimensionCount = 1,
		.dimensions = four,
	};
	const ANeuralNetworksOperandType scalar = { .type = ANEURALNETWORKS_INT32 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksModel *model;

	if (ANeuralNetworksModel_create(&model) ||
	    ANeuralNetworksModel_addOperand(model, &vector) ||
	    ANeuralNetworksModel_addOperand(model, &scalar) ||
	    ANeuralNetworksModel_addOperand(model, &vector) ||
	    ANeuralNetworksModel_setOperandValue(model, 1, &none, sizeof(none)) ||
	    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out) ||
	    ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out) ||
	    ANeuralNetworksModel_finish(model))
		return NULL;
	return model;
}

/* Compiles for @device, or without a list if it is NULL. Return: NULL after an error. */
static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model,
					   const ANeuralNetworksDevice *device)
{
	ANeuralNetworksCompilation *compilation = NULL;
	int ret = device ? ANeuralNetworksCompilation_createForDevices(model, &device, 1,
								       &compilation) :
			   ANeuralNetworksCompilation_create(model, &compilation);

	if (!ret)
		ret = ANeuralNetworksCompilation_finish(compilation);
	if (!ret)
		return compilation;
	ANeuralNetworksCompilation_free(compilation);
	return NULL;
}

/* Return: whether a run gives the right sum. */
static bool computes(ANeuralNetworksCompilation *compilation)
{
	const float in[] = { 1, 2, 3, 4 };
	ANeuralNetworksExecution *execution = NULL;
	float out[4] = { 0 };
	int ret;

	if (!compilation || ANeuralNetworksExecution_create(compilation, &execution))
		return false;
	ret = ANeuralNetworksExecution_setInput(execution, 0, NULL, in, sizeof(in));
	if (!ret)
		ret = ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof(out));
	if (!ret)
		ret = ANeuralNetworksExecution_compute(execution);
	ANeuralNetworksExecution_free(execution);
	return !ret && out[0] == 2 && out[3] == 8;
}

int main(int argc, char **argv)
{
	const uint32_t wanted = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	ANeuralNetworksCompilation *compilations[MOST], *free_choice;
	ANeuralNetworksModel *model = make_model();
	ANeuralNetworksDevice *devices[MOST];
	const char *names[MOST];
	bool gone[MOST] = { false };
	char line[64] = "", *number, *rest;
	uint32_t count = 0;

	if (!wanted || wanted > MOST || !model) {
		fputs("usage: many COUNT, of 1 to 8\n", stderr);
		return 2;
	}
	ANeuralNetworks_getDeviceCount(&count);
	tell(count == wanted + 1, "so many devices", argv[1]);
	if (count != wanted + 1)
		return 1;
	for (uint32_t i = 0; i < wanted; i++) {
		char name[32] = "nnaccel-nna";

		if (i)
			snprintf(name, sizeof(name), "nnaccel-nna-%u", i + 1);
		if (ANeuralNetworks_getDevice(i, &devices[i]) ||
		    ANeuralNetworksDevice_getName(devices[i], &names[i]))
			return 1;
		tell(!strcmp(names[i], name), "has its name", names[i]);
		compilations[i] = compile(model, devices[i]);
		tell(computes(compilations[i]), "computes", names[i]);
	}
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (number = strtok_r(line, " \n", &rest); number; number = strtok_r(NULL, " \n", &rest))
		gone[strtoul(number, NULL, 10) % MOST] = true;
	for (uint32_t i = 0; i < wanted; i++) {
		ANeuralNetworksCompilation *again;

		tell(computes(compilations[i]) == !gone[i], "what was compiled before", names[i]);
		again = compile(model, devices[i]);
		tell(computes(again) == !gone[i], "what is compiled now", names[i]);
		ANeuralNetworksCompilation_free(again);
		ANeuralNetworksCompilation_free(compilations[i]);
	}
	ANeuralNetworks_getDeviceCount(&count);
	tell(count == wanted + 1, "the list is the same", argv[1]);
	free_choice = compile(model, NULL);
	tell(computes(free_choice), "computes", "a compilation without a list");
	ANeuralNetworksCompilation_free(free_choice);
	ANeuralNetworksModel_free(model);
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}

// SPDX-License-Identifier: MIT
/*
 * The smallest NNAPI client: out = a + b on the NNA.
 *
 *	nnapi-add		takes /dev/accel/accelN, or the loopback when there is none
 *	NNACCEL_LOG=1 nnapi-add	says why something fails
 */
#include <stdio.h>
#include <stdlib.h>

#include <NeuralNetworks.h>

static void check(int result, const char *what)
{
	if (result == ANEURALNETWORKS_NO_ERROR)
		return;
	fprintf(stderr, "nnapi-add: %s: result %d (NNACCEL_LOG=1 says more)\n", what, result);
	exit(1);
}

static ANeuralNetworksModel *make_model(void)
{
	static const uint32_t dims[] = { 4 }, inputs[] = { 0, 1, 2 }, outputs[] = { 3 };
	const ANeuralNetworksOperandType tensor = {
		.type = ANEURALNETWORKS_TENSOR_FLOAT32,
		.dimensionCount = 1,
		.dimensions = dims,
	};
	const ANeuralNetworksOperandType scalar = { .type = ANEURALNETWORKS_INT32 };
	const int32_t activation = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksModel *model;

	check(ANeuralNetworksModel_create(&model), "model");
	check(ANeuralNetworksModel_addOperand(model, &tensor), "operand 0");
	check(ANeuralNetworksModel_addOperand(model, &tensor), "operand 1");
	check(ANeuralNetworksModel_addOperand(model, &scalar), "operand 2");
	check(ANeuralNetworksModel_addOperand(model, &tensor), "operand 3");
	check(ANeuralNetworksModel_setOperandValue(model, 2, &activation, sizeof(activation)),
	      "value");
	check(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, outputs),
	      "operation");
	check(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, outputs),
	      "inputs and outputs");
	check(ANeuralNetworksModel_finish(model), "finish");
	return model;
}

int main(void)
{
	const float a[] = { 1, 2, 3, 4 }, b[] = { 10, 20, 30, 40 };
	ANeuralNetworksDevice *device;
	const ANeuralNetworksDevice *devices[1];
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksEvent *event;
	const char *name;
	float out[4];

	check(ANeuralNetworks_getDevice(0, &device), "device");
	check(ANeuralNetworksDevice_getName(device, &name), "name");
	devices[0] = device;
	model = make_model();
	check(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &compilation),
	      "compilation");
	check(ANeuralNetworksCompilation_finish(compilation), "compile");
	check(ANeuralNetworksExecution_create(compilation, &execution), "execution");
	check(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof(a)), "input 0");
	check(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof(b)), "input 1");
	check(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof(out)), "output 0");
	check(ANeuralNetworksExecution_startCompute(execution, &event), "start");
	check(ANeuralNetworksEvent_wait(event), "wait");
	printf("%s: %g %g %g %g\n", name, out[0], out[1], out[2], out[3]);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* What the tests of the NNAPI C API share: small models on the loopback. */
#ifndef TEST_NNAPI_FIXTURE_H
#define TEST_NNAPI_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/include/NeuralNetworks.h"

#define OK(call) assert_int_equal((call), ANEURALNETWORKS_NO_ERROR)
#define IS(code, call) assert_int_equal((call), ANEURALNETWORKS_##code)

static inline void use_loopback(void)
{
	setenv("NNACCEL_DEVICE", "loopback", 1);
}

static inline ANeuralNetworksDevice *the_device(void)
{
	ANeuralNetworksDevice *device = NULL;

	OK(ANeuralNetworks_getDevice(0, &device));
	return device;
}

static inline void add_tensor(ANeuralNetworksModel *model, int32_t type, uint32_t rank,
			      const uint32_t *dims)
{
	const ANeuralNetworksOperandType t = {
		.type = type,
		.dimensionCount = rank,
		.dimensions = dims,
	};

	OK(ANeuralNetworksModel_addOperand(model, &t));
}

/* out[n] = a[n] + b[n], float32, inputs a and b; n of 0 leaves the dimension unknown. */
static inline ANeuralNetworksModel *add_model(uint32_t n)
{
	const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
	OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

static inline ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model)
{
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksCompilation *compilation = NULL;

	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	return compilation;
}

/* One run of one input and one output. */
static inline void compute(ANeuralNetworksCompilation *compilation, const void *x, size_t x_size,
			   void *y, size_t y_size)
{
	ANeuralNetworksExecution *execution = NULL;

	OK(ANeuralNetworksExecution_create(compilation, &execution));
	OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, x, x_size));
	OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, y, y_size));
	OK(ANeuralNetworksExecution_compute(execution));
	ANeuralNetworksExecution_free(execution);
}

/* ADD of tensors of a type, with the activation as an input, too. */
static inline ANeuralNetworksCompilation *compile_type(const ANeuralNetworksOperandType *type,
						       ANeuralNetworksModel **model)
{
	const ANeuralNetworksOperandType scalar = { .type = ANEURALNETWORKS_INT32 };
	static const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;

	OK(ANeuralNetworksModel_create(model));
	OK(ANeuralNetworksModel_addOperand(*model, type));
	OK(ANeuralNetworksModel_addOperand(*model, type));
	OK(ANeuralNetworksModel_addOperand(*model, &scalar));
	OK(ANeuralNetworksModel_addOperand(*model, type));
	OK(ANeuralNetworksModel_setOperandValue(*model, 2, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(*model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(*model, 2, in, 1, out));
	OK(ANeuralNetworksModel_finish(*model));
	return compile(*model);
}

/* Memory in a file that the device cannot share. */
static inline ANeuralNetworksMemory *file_memory(size_t size)
{
	int fd = memfd_create("copies", MFD_CLOEXEC);
	ANeuralNetworksMemory *memory = NULL;

	assert_int_equal(ftruncate(fd, size), 0);
	OK(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &memory));
	close(fd);
	return memory;
}

#endif

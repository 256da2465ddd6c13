// SPDX-License-Identifier: MIT
/* Models of the NNAPI C API: operands, values, operations, what is refused when. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include <sys/mman.h>
#include <unistd.h>

static void test_operand_types(void **state)
{
	static const uint32_t two[] = { 2, 2 }, huge[] = { 65536, 65536, 65536 };
	static const uint32_t large[] = { 3, 1u << 30 }, larger[] = { 1u << 31, 2 };
	static const uint32_t ones[17] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const struct {
		ANeuralNetworksOperandType type;
		int result;
	} cases[] = {
		{ { ANEURALNETWORKS_TENSOR_FLOAT32, 2, two, 0, 0 }, ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_TENSOR_FLOAT32, 0, NULL, 0, 0 }, ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_FLOAT32, 0, NULL, 0, 0 }, ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, two, 0.5, 255 },
		  ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 2, two, 1, -128 },
		  ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_MODEL, 0, NULL, 0, 0 }, ANEURALNETWORKS_NO_ERROR },
		{ { -1, 0, NULL, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { 16, 0, NULL, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { 64, 2, two, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		/* OEM types, more dimensions and bytes than the device has: only unsupported. */
		{ { 10000, 0, NULL, 0, 0 }, ANEURALNETWORKS_NO_ERROR },
		{ { 10001, 2, two, 0, 0 }, ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_TENSOR_FLOAT32, 17, ones, 0, 0 }, ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_TENSOR_BOOL8, 2, large, 0, 0 }, ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_TENSOR_BOOL8, 2, larger, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_FLOAT32, 0, two, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { 10002, 0, NULL, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_FLOAT32, 2, two, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_FLOAT32, 2, NULL, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_FLOAT32, 3, huge, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_FLOAT32, 2, two, 1, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, two, 0, 0 }, ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, two, -1, 0 },
		  ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, two, 1, 256 },
		  ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, two, 1, -1 },
		  ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 2, two, 1, 128 },
		  ANEURALNETWORKS_BAD_DATA },
		{ { ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 2, two, 1, 1 }, ANEURALNETWORKS_BAD_DATA },
		/* Android's runtime looks at neither. */
		{ { ANEURALNETWORKS_TENSOR_INT32, 2, two, 1, 1 }, ANEURALNETWORKS_NO_ERROR },
		{ { ANEURALNETWORKS_TENSOR_INT32, 2, two, -1, 0 }, ANEURALNETWORKS_NO_ERROR },
	};
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("type %d\n", cases[i].type.type);
		assert_int_equal(ANeuralNetworksModel_addOperand(model, &cases[i].type),
				 cases[i].result);
	}
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_addOperand(model, NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_addOperand(NULL, &cases[0].type));
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(NULL);
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_create(NULL));
}

static void test_values(void **state)
{
	static const uint32_t four[] = { 4 }, big[] = { 64 }, unknown[] = { 0 };
	static const float scales[] = { 1, 2, 3, 4 }, wrong[] = { 1, 0, 3, 4 };
	ANeuralNetworksSymmPerChannelQuantParams params = { 0, 4, scales };
	ANeuralNetworksMemory *memory = NULL;
	ANeuralNetworksModel *model = NULL, *other = NULL;
	static float data[64];
	int fd = memfd_create("values", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	OK(ANeuralNetworksMemory_createFromFd(4096, PROT_READ, fd, 0, &memory));
	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, big);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, unknown);
	add_tensor(model, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, four);
	add_tensor(model, ANEURALNETWORKS_MODEL, 0, NULL);

	OK(ANeuralNetworksModel_setOperandValue(model, 0, data, 16));
	OK(ANeuralNetworksModel_setOperandValue(model, 0, data, 16));
	OK(ANeuralNetworksModel_setOperandValue(model, 1, data, 256));
	OK(ANeuralNetworksModel_setOperandValue(model, 2, NULL, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandValue(NULL, 0, data, 16));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandValue(model, 0, NULL, 16));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, data, 15));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 2, data, 4));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 5, data, 4));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, -1, data, 4));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 4, data, 4));

	OK(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, 128, 256));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandValueFromMemory(model, 1, NULL, 0, 256));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, 4000, 256));
	IS(BAD_DATA,
	   ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, SIZE_MAX, 256));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, 0, 255));

	OK(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 3, &params));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 0, &params));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 3, NULL));
	params.channelDim = 1;
	IS(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 3, &params));
	params.channelDim = 0;
	params.scaleCount = 3;
	IS(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 3, &params));
	params.scaleCount = 4;
	params.scales = wrong;
	IS(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 3, &params));
	params.scales = NULL;
	IS(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 3, &params));

	OK(ANeuralNetworksModel_create(&other));
	IS(BAD_STATE, ANeuralNetworksModel_setOperandValueFromModel(model, 4, other));
	ANeuralNetworksModel_free(other);
	other = add_model(2);
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandValueFromModel(model, 4, NULL));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(model, 0, other));
	OK(ANeuralNetworksModel_setOperandValueFromModel(model, 4, other));
	/* The model holds it although the caller frees it. */
	ANeuralNetworksModel_free(other);
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksModel_free(model);
	close(fd);
}

static void test_operations(void **state)
{
	static const uint32_t four[] = { 4 }, in[] = { 0, 1 }, far[] = { 0, 9 }, out[] = { 2 };
	const float value[4] = { 0 };
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	for (int i = 0; i < 4; i++)
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_addOperation(NULL, ANEURALNETWORKS_MAXIMUM, 2, in, 1, out));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MAXIMUM, 2, NULL, 1, out));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MAXIMUM, 2, in, 1, NULL));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MAXIMUM, 0, NULL, 1, out));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MAXIMUM, 2, in, 0, NULL));
	IS(BAD_DATA, ANeuralNetworksModel_addOperation(model, 106, 2, in, 1, out));
	IS(BAD_DATA, ANeuralNetworksModel_addOperation(model, -1, 2, in, 1, out));
	IS(BAD_DATA, ANeuralNetworksModel_addOperation(model, 10001, 2, in, 1, out));
	IS(BAD_DATA,
	   ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MAXIMUM, 2, far, 1, out));
	IS(BAD_DATA,
	   ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MAXIMUM, 2, in, 0, out));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MAXIMUM, 2, in, 1, out));

	IS(UNEXPECTED_NULL, ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, NULL, 1, out));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_identifyInputsAndOutputs(model, 0, NULL, 1, out));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, NULL));
	IS(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (uint32_t[]){ 1, 1 },
								   1, out));
	IS(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 2,
								   (uint32_t[]){ 2, 2 }));
	IS(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, far, 1, out));
	IS(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 0, out));
	IS(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, in));
	OK(ANeuralNetworksModel_setOperandValue(model, 3, value, sizeof(value)));
	IS(BAD_DATA,
	   ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, (uint32_t[]){ 3 }));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	ANeuralNetworksModel_free(model);
}

static void test_finished_models_are_frozen(void **state)
{
	static const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	const ANeuralNetworksOperandType type = { .type = ANEURALNETWORKS_FLOAT32 };
	const float data[2] = { 0 };
	ANeuralNetworksModel *model = add_model(2);

	IS(BAD_STATE, ANeuralNetworksModel_addOperand(model, &type));
	IS(BAD_STATE, ANeuralNetworksModel_setOperandValue(model, 0, data, sizeof(data)));
	IS(BAD_STATE, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	IS(BAD_STATE, ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	IS(BAD_STATE, ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
	IS(BAD_STATE, ANeuralNetworksModel_finish(model));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_finish(NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_relaxComputationFloat32toFloat16(NULL, true));
	ANeuralNetworksModel_free(model);
}

static void test_invalid_models_are_refused(void **state)
{
	static const uint32_t four[] = { 4 }, in[] = { 0, 1, 2 }, out[] = { 3 };
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksModel *model = NULL;

	/* No inputs and outputs. */
	OK(ANeuralNetworksModel_create(&model));
	IS(BAD_STATE, ANeuralNetworksCompilation_create(model, &compilation));
	IS(BAD_DATA, ANeuralNetworksModel_finish(model));
	IS(BAD_STATE, ANeuralNetworksCompilation_create(model, &compilation));
	assert_null(compilation);
	ANeuralNetworksModel_free(model);

	/* An operation with too few inputs. */
	OK(ANeuralNetworksModel_create(&model));
	for (int i = 0; i < 4; i++)
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	IS(BAD_DATA, ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 1, in, 1, out));
	ANeuralNetworksModel_free(model);
}

/* What a value or a shape makes wrong is no error of the model: it is not supported. */
static void test_wrong_operations_are_not_supported(void **state)
{
	static const uint32_t four[] = { 4 }, five[] = { 5 }, in[] = { 0, 1, 2 }, out[] = { 3 };
	static const struct {
		const uint32_t *b, *out;
		int32_t activation;
		bool supported;
	} cases[] = {
		{ four, four, 0, true },
		{ five, four, 0, false }, /* do not broadcast */
		{ four, five, 0, false }, /* another shape than is inferred */
		{ four, four, 999, false }, /* no activation */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const ANeuralNetworksDevice *device = the_device();
		ANeuralNetworksCompilation *compilation = NULL;
		bool supported = !cases[i].supported;
		ANeuralNetworksModel *model = NULL;

		OK(ANeuralNetworksModel_create(&model));
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, cases[i].b);
		add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, cases[i].out);
		OK(ANeuralNetworksModel_setOperandValue(model, 2, &cases[i].activation, 4));
		OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
		OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
		OK(ANeuralNetworksModel_finish(model));
		OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1,
									 &supported));
		assert_int_equal(supported, cases[i].supported);
		OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
		if (supported)
			OK(ANeuralNetworksCompilation_finish(compilation));
		else
			IS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
		ANeuralNetworksCompilation_free(compilation);
		ANeuralNetworksModel_free(model);
	}
}

static void add_quantised(ANeuralNetworksModel *model, int32_t type, uint32_t rank,
			  const uint32_t *dims, float scale, int32_t zero_point)
{
	const ANeuralNetworksOperandType t = { type, rank, dims, scale, zero_point };

	OK(ANeuralNetworksModel_addOperand(model, &t));
}

/* TANH, LOGISTIC or SOFTMAX whose output has a scale that only the other ones have. */
static ANeuralNetworksModel *fixed_scale_model(int operation)
{
	static const uint32_t four[] = { 1, 4 }, in[] = { 0, 2 }, out[] = { 1 };
	bool tanh = operation == ANEURALNETWORKS_TANH;
	uint32_t count = operation == ANEURALNETWORKS_SOFTMAX ? 2 : 1;
	ANeuralNetworksModel *model = NULL;
	const float beta = 1;

	OK(ANeuralNetworksModel_create(&model));
	add_quantised(model, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, four, 0.5f, 3);
	add_quantised(model, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, four,
		      tanh ? 1 / 256.f : 1 / 128.f, tanh ? 0 : 128);
	add_tensor(model, ANEURALNETWORKS_FLOAT32, 0, NULL);
	OK(ANeuralNetworksModel_setOperandValue(model, 2, &beta, sizeof(beta)));
	OK(ANeuralNetworksModel_addOperation(model, operation, count, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	return model;
}

/* FULLY_CONNECTED whose bias has another scale than input and weights together. */
static ANeuralNetworksModel *bias_scale_model(void)
{
	static const uint32_t x[] = { 1, 2 }, weights[] = { 2, 2 }, bias[] = { 2 };
	static const uint32_t in[] = { 0, 1, 2, 3 }, out[] = { 4 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE, zeros[2] = { 0 };
	ANeuralNetworksModel *model = NULL;
	const uint8_t w[4] = { 1, 2, 3, 4 };

	OK(ANeuralNetworksModel_create(&model));
	add_quantised(model, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, x, 0.5f, 0);
	add_quantised(model, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, weights, 0.5f, 0);
	add_quantised(model, ANEURALNETWORKS_TENSOR_INT32, 1, bias, 7.0f, 0);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_quantised(model, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, x, 1.0f, 0);
	OK(ANeuralNetworksModel_setOperandValue(model, 1, w, sizeof(w)));
	OK(ANeuralNetworksModel_setOperandValue(model, 2, zeros, sizeof(zeros)));
	OK(ANeuralNetworksModel_setOperandValue(model, 3, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FULLY_CONNECTED, 4, in, 1,
					     out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	return model;
}

/* STRIDED_SLICE that is to drop a dimension of which it keeps nothing: it begins at its end. */
static ANeuralNetworksModel *slice_model(void)
{
	static const uint32_t four[] = { 4 }, one[] = { 1 }, unknown[] = { 0 };
	static const uint32_t in[] = { 0, 1, 2, 3, 4, 5, 6 }, out[] = { 7 };
	const int32_t begin = 4, end = 4, stride = 1, no_mask = 0, shrink = 1;
	const int32_t *const values[] = { &begin, &end, &stride, &no_mask, &no_mask, &shrink };
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	for (int i = 0; i < 3; i++)
		add_tensor(model, ANEURALNETWORKS_TENSOR_INT32, 1, one);
	for (int i = 0; i < 3; i++)
		add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, unknown);
	for (uint32_t i = 0; i < 6; i++)
		OK(ANeuralNetworksModel_setOperandValue(model, i + 1, values[i], 4));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_STRIDED_SLICE, 7, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	return model;
}

/*
 * Values, fixed scales and the scale of a bias are no errors of a model: the accelerator does not
 * support it, and without a list of devices the execution fails.
 */
static void test_values_are_no_errors(void **state)
{
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksModel *models[] = {
		fixed_scale_model(ANEURALNETWORKS_TANH),
		fixed_scale_model(ANEURALNETWORKS_LOGISTIC),
		fixed_scale_model(ANEURALNETWORKS_SOFTMAX),
		bias_scale_model(),
		slice_model(),
	};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		ANeuralNetworksCompilation *compilation = NULL;
		ANeuralNetworksExecution *execution = NULL;
		bool supported = true, floats = i == 4;
		uint8_t x[16] = { 0 }, y[16];
		size_t size = floats ? 16 : i == 3 ? 2 : 4;

		print_message("model %zu\n", i);
		OK(ANeuralNetworksModel_finish(models[i]));
		OK(ANeuralNetworksModel_getSupportedOperationsForDevices(models[i], &device, 1,
									 &supported));
		assert_false(supported);
		OK(ANeuralNetworksCompilation_createForDevices(models[i], &device, 1,
							       &compilation));
		IS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
		ANeuralNetworksCompilation_free(compilation);
		OK(ANeuralNetworksCompilation_create(models[i], &compilation));
		OK(ANeuralNetworksCompilation_finish(compilation));
		OK(ANeuralNetworksExecution_create(compilation, &execution));
		OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, x, size));
		OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, y, size));
		IS(OP_FAILED, ANeuralNetworksExecution_compute(execution));
		ANeuralNetworksExecution_free(execution);
		ANeuralNetworksCompilation_free(compilation);
		ANeuralNetworksModel_free(models[i]);
	}
}

/*
 * What the library cannot hold: OEM operands and operations, 17 dimensions, and tensors of 2 GiB
 * and more. All go into a model, beside an operation that is supported.
 */
static void test_opaque_operands(void **state)
{
	static const uint32_t dims[17] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint32_t four[] = { 4 }, large[] = { 3, 1u << 30 };
	static const uint32_t in[] = { 0, 2 }, out[] = { 1, 3 };
	static const struct {
		ANeuralNetworksOperandType type;
		int operation;
	} cases[] = {
		{ { 10000, 0, NULL, 0.5f, 3 }, 10000 },
		{ { 10001, 1, four, 0, 0 }, 10000 },
		{ { ANEURALNETWORKS_TENSOR_FLOAT32, 17, dims, 0, 0 }, ANEURALNETWORKS_ABS },
		{ { ANEURALNETWORKS_TENSOR_BOOL8, 2, large, 0, 0 }, ANEURALNETWORKS_LOGICAL_NOT },
	};

	ANeuralNetworksMemory *memory = NULL;
	int fd = memfd_create("large", MFD_CLOEXEC);

	/* 3 GiB, none of which are ever touched. */
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 3ll << 30), 0);
	OK(ANeuralNetworksMemory_createFromFd(3ull << 30, PROT_READ, fd, 0, &memory));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int constant = 0; constant < 2; constant++) {
			const ANeuralNetworksDevice *device = the_device();
			ANeuralNetworksCompilation *compilation = NULL;
			bool supported[2] = { true, false };
			ANeuralNetworksModel *model = NULL;
			static char value[17];

			OK(ANeuralNetworksModel_create(&model));
			OK(ANeuralNetworksModel_addOperand(model, &cases[i].type));
			OK(ANeuralNetworksModel_addOperand(model, &cases[i].type));
			add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
			add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
			/* An OEM scalar may have any size. */
			if (constant && i == 3)
				OK(ANeuralNetworksModel_setOperandValueFromMemory(model, 0, memory,
										  0, 3ull << 30));
			else if (constant)
				OK(ANeuralNetworksModel_setOperandValue(model, 0, value,
									i == 0 ? 17 : 4));
			OK(ANeuralNetworksModel_addOperation(model, cases[i].operation, 1, &in[0],
							     1, &out[0]));
			OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ABS, 1, &in[1],
							     1, &out[1]));
			OK(ANeuralNetworksModel_identifyInputsAndOutputs(
				model, constant ? 1 : 2, constant ? in + 1 : in, 2, out));
			OK(ANeuralNetworksModel_finish(model));
			OK(ANeuralNetworksModel_getSupportedOperationsForDevices(
				model, &device, 1, supported));
			assert_false(supported[0]);
			assert_true(supported[1]);
			OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1,
								       &compilation));
			IS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
			ANeuralNetworksCompilation_free(compilation);
			ANeuralNetworksModel_free(model);
		}
	}
	ANeuralNetworksMemory_free(memory);
	close(fd);
}

/* With more dimensions than the device's commands have only copies are supported. */
static void test_many_dimensions(void **state)
{
	static const uint32_t dims[10] = { 1, 2, 1, 2, 1, 2, 1, 2, 1, 2 }, pairs[2] = { 10, 2 };
	static const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	const ANeuralNetworksDevice *device = the_device();
	const int32_t padding[20] = { 0 }, reflect = 0;

	for (int pad = 0; pad < 2; pad++) {
		ANeuralNetworksModel *model = NULL;
		bool supported = !pad;

		OK(ANeuralNetworksModel_create(&model));
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 10, dims);
		if (pad)
			add_tensor(model, ANEURALNETWORKS_TENSOR_INT32, 2, pairs);
		else
			add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 10, dims);
		add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 10, dims);
		OK(ANeuralNetworksModel_setOperandValue(model, 2, &reflect, sizeof(reflect)));
		if (pad)
			OK(ANeuralNetworksModel_setOperandValue(model, 1, padding,
								sizeof(padding)));
		OK(ANeuralNetworksModel_addOperation(
			model, pad ? ANEURALNETWORKS_MIRROR_PAD : ANEURALNETWORKS_MAXIMUM,
			pad ? 3 : 2, in, 1, out));
		OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, pad ? 1 : 2, in, 1, out));
		OK(ANeuralNetworksModel_finish(model));
		OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1,
									 &supported));
		assert_int_equal(supported, pad);
		ANeuralNetworksModel_free(model);
	}
}

/* LOGISTICs between tensors: pairs of input and output; the model's input is 0. */
static int finish_logistics(const uint32_t (*pairs)[2], uint32_t count, uint32_t tensors,
			    uint32_t output)
{
	static const uint32_t four[] = { 4 }, input[] = { 0 };
	ANeuralNetworksModel *model = NULL;
	int ret;

	OK(ANeuralNetworksModel_create(&model));
	for (uint32_t i = 0; i < tensors; i++)
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	for (uint32_t i = 0; i < count; i++)
		OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LOGISTIC, 1,
						     &pairs[i][0], 1, &pairs[i][1]));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, input, 1, &output));
	ret = ANeuralNetworksModel_finish(model);
	ANeuralNetworksModel_free(model);
	return ret;
}

static void test_order_of_operations(void **state)
{
	/* Any order will do, */
	OK(finish_logistics((const uint32_t[][2]){ { 2, 1 }, { 0, 2 } }, 2, 3, 1));
	/* but no cycle, */
	IS(BAD_DATA, finish_logistics((const uint32_t[][2]){ { 2, 1 }, { 1, 2 } }, 2, 3, 1));
	/* nothing that is read or just there and never written, */
	IS(BAD_DATA, finish_logistics((const uint32_t[][2]){ { 2, 1 } }, 1, 3, 1));
	IS(BAD_DATA, finish_logistics((const uint32_t[][2]){ { 0, 1 } }, 1, 3, 1));
	/* and nothing that is written twice, or by an operation although it is the input. */
	IS(BAD_DATA, finish_logistics((const uint32_t[][2]){ { 0, 1 }, { 0, 1 } }, 2, 2, 1));
	IS(BAD_DATA, finish_logistics((const uint32_t[][2]){ { 0, 1 }, { 1, 0 } }, 2, 2, 1));
}

/* A model as an operand's value: it must be finished, and the operand of type MODEL. */
static void test_referenced_models(void **state)
{
	const ANeuralNetworksOperandType type = { .type = ANEURALNETWORKS_MODEL };
	ANeuralNetworksModel *value = add_model(2), *raw = NULL, *model = NULL;

	OK(ANeuralNetworksModel_create(&raw));
	OK(ANeuralNetworksModel_create(&model));
	OK(ANeuralNetworksModel_addOperand(model, &type));
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandValueFromModel(NULL, 0, value));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandValueFromModel(model, 0, NULL));
	IS(BAD_STATE, ANeuralNetworksModel_setOperandValueFromModel(model, 0, raw));
	IS(BAD_STATE, ANeuralNetworksModel_setOperandValueFromModel(model, 0, model));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(model, 1, value));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(model, 2, value));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(model, -1, value));
	OK(ANeuralNetworksModel_setOperandValueFromModel(model, 0, value));
	/* The model keeps it. */
	ANeuralNetworksModel_free(value);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(raw);
}

static void test_supported_operations(void **state)
{
	const ANeuralNetworksDevice *device = the_device();
	const ANeuralNetworksDevice *twice[] = { device, device }, *none[] = { NULL };
	ANeuralNetworksModel *model = NULL;
	bool supported = false;

	OK(ANeuralNetworksModel_create(&model));
	IS(BAD_STATE,
	   ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &supported));
	ANeuralNetworksModel_free(model);
	model = add_model(4);
	OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &supported));
	assert_true(supported);
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_getSupportedOperationsForDevices(NULL, &device, 1, &supported));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_getSupportedOperationsForDevices(model, NULL, 1, &supported));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, NULL));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_getSupportedOperationsForDevices(model, none, 1, &supported));
	IS(BAD_DATA,
	   ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 0, &supported));
	IS(BAD_DATA,
	   ANeuralNetworksModel_getSupportedOperationsForDevices(model, twice, 2, &supported));
	ANeuralNetworksModel_free(model);
}

/*
 * Inputs and outputs can be stated again, but not with operands that are one already; what was
 * stated last counts. An INT32 tensor with a scale and a zero point is computed as one without.
 */
static void test_arguments_are_stated_again(void **state)
{
	static const uint32_t two[] = { 2 }, in[] = { 0, 1, 2 };
	static const uint32_t first[] = { 0, 3 }, second[] = { 1, 4 };
	const ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_INT32, 1, two, -3.0f, 7 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE, seven[2] = { 7, 7 };
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksModel *model = NULL;
	int32_t x[2] = { 1, 2 }, y[2] = { 0 };

	OK(ANeuralNetworksModel_create(&model));
	OK(ANeuralNetworksModel_addOperand(model, &type));
	OK(ANeuralNetworksModel_addOperand(model, &type));
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	OK(ANeuralNetworksModel_addOperand(model, &type));
	OK(ANeuralNetworksModel_addOperand(model, &type));
	OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, &second[1]));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, first, 1, first + 1));
	IS(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, first, 1, first + 1));
	IS(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, first, 1, second + 1));
	OK(ANeuralNetworksModel_setOperandValue(model, 0, seven, sizeof(seven)));
	OK(ANeuralNetworksModel_setOperandValue(model, 3, seven, sizeof(seven)));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, second, 1, second + 1));
	OK(ANeuralNetworksModel_finish(model));
	OK(ANeuralNetworksCompilation_create(model, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	compute(compilation, x, sizeof(x), y, sizeof(y));
	assert_true(y[0] == 8 && y[1] == 9);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operand_types),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_arguments_are_stated_again),
		cmocka_unit_test(test_finished_models_are_frozen),
		cmocka_unit_test(test_invalid_models_are_refused),
		cmocka_unit_test(test_wrong_operations_are_not_supported),
		cmocka_unit_test(test_values_are_no_errors),
		cmocka_unit_test(test_opaque_operands),
		cmocka_unit_test(test_many_dimensions),
		cmocka_unit_test(test_order_of_operations),
		cmocka_unit_test(test_referenced_models),
		cmocka_unit_test(test_supported_operations),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

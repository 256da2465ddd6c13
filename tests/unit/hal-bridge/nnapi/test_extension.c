// SPDX-License-Identifier: MIT
/* Vendor extensions of the NNAPI C API: names, codes, types, operations, and who computes them. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include "hal-bridge/include/nnaccel_ops.h"

static ANeuralNetworksDevice *the_reference(void)
{
	ANeuralNetworksDevice *device = NULL;

	OK(ANeuralNetworks_getDevice(1, &device));
	return device;
}

static int32_t operand_type(ANeuralNetworksModel *model, uint16_t number)
{
	int32_t type = 0;

	OK(ANeuralNetworksModel_getExtensionOperandType(model, NNACCEL_OPS_NAME, number, &type));
	return type;
}

static ANeuralNetworksOperationType operation_type(ANeuralNetworksModel *model, uint16_t number)
{
	ANeuralNetworksOperationType type = 0;

	OK(ANeuralNetworksModel_getExtensionOperationType(model, NNACCEL_OPS_NAME, number, &type));
	return type;
}

static void names_and_codes(void **state)
{
	ANeuralNetworksModel *model = NULL;
	int32_t type = 0;
	bool supported;

	OK(ANeuralNetworksDevice_getExtensionSupport(the_device(), NNACCEL_OPS_NAME, &supported));
	assert_true(supported);
	OK(ANeuralNetworksDevice_getExtensionSupport(the_reference(), NNACCEL_OPS_NAME,
						     &supported));
	assert_false(supported);
	OK(ANeuralNetworksDevice_getExtensionSupport(the_device(), "com.example", &supported));
	assert_false(supported);
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksDevice_getExtensionSupport(NULL, NNACCEL_OPS_NAME, &supported));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksDevice_getExtensionSupport(the_device(), NULL, &supported));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksDevice_getExtensionSupport(the_device(), NNACCEL_OPS_NAME, NULL));

	OK(ANeuralNetworksModel_create(&model));
	IS(BAD_DATA, ANeuralNetworksModel_getExtensionOperandType(model, "com.example", 0, &type));
	IS(BAD_DATA,
	   ANeuralNetworksModel_getExtensionOperationType(model, "com.example", 0, &type));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_getExtensionOperandType(NULL, NNACCEL_OPS_NAME, 0, &type));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_getExtensionOperandType(model, NULL, 0, &type));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksModel_getExtensionOperationType(model, NNACCEL_OPS_NAME, 0, NULL));
	/* Codes lie above all of NNAPI's, and are the same each time. */
	assert_true(operand_type(model, 0) >= 1 << 16);
	assert_int_equal(operand_type(model, 0), operand_type(model, 0));
	assert_int_equal(operation_type(model, 5), operation_type(model, 0) + 5);
	ANeuralNetworksModel_free(model);
}

static void wrong_types_and_operations_are_refused(void **state)
{
	const uint32_t four = 4, in[] = { 0, 1 }, out[] = { 2 };
	ANeuralNetworksOperandType type = { .dimensionCount = 1, .dimensions = &four };
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	/* The library's own number of the type is no type of NNAPI's. */
	type.type = 64;
	IS(BAD_DATA, ANeuralNetworksModel_addOperand(model, &type));
	type.type = operand_type(model, 1);
	IS(BAD_DATA, ANeuralNetworksModel_addOperand(model, &type));
	type.type = 7 << 16;
	IS(BAD_DATA, ANeuralNetworksModel_addOperand(model, &type));
	type.type = operand_type(model, NNACCEL_OPS_TENSOR_INT64);
	type.scale = 1.0f;
	IS(BAD_DATA, ANeuralNetworksModel_addOperand(model, &type));
	type.scale = 0;
	for (int i = 0; i < 3; i++)
		OK(ANeuralNetworksModel_addOperand(model, &type));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four);
	IS(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, 0, &four, sizeof(four)));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, 3, NULL, 0));
	IS(BAD_DATA, ANeuralNetworksModel_setOperandExtensionData(model, 9, NULL, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandExtensionData(NULL, 0, NULL, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksModel_setOperandExtensionData(model, 0, NULL, 4));
	OK(ANeuralNetworksModel_setOperandExtensionData(model, 0, NULL, 0));

	IS(BAD_DATA, ANeuralNetworksModel_addOperation(model, 0x1000, 2, in, 1, out));
	IS(BAD_DATA, ANeuralNetworksModel_addOperation(model, 7 << 16, 2, in, 1, out));
	/* An operation of NNAPI's has no signature with the type. */
	IS(BAD_DATA,
	   ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MAXIMUM, 2, in, 1, out));
	ANeuralNetworksModel_free(model);
}

/* out = floor(a / b) of 64-bit integers. */
static ANeuralNetworksModel *floor_div(uint32_t n)
{
	const uint32_t in[] = { 0, 1 }, out = 2;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	for (int i = 0; i < 3; i++)
		add_tensor(model, operand_type(model, NNACCEL_OPS_TENSOR_INT64), 1, &n);
	OK(ANeuralNetworksModel_addOperation(model, operation_type(model, NNACCEL_OPS_FLOOR_DIV), 2,
					     in, 1, &out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, &out));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* cos(x), with a sum of NNAPI's before it. */
static ANeuralNetworksModel *cosine(void)
{
	const uint32_t four = 4, sum[] = { 0, 0, 1 }, twice = 2, out = 3, in = 0;
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four);
	OK(ANeuralNetworksModel_setOperandValue(model, 1, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, sum, 1, &twice));
	OK(ANeuralNetworksModel_addOperation(model, operation_type(model, NNACCEL_OPS_COS), 1,
					     &twice, 1, &out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

static void the_accelerator_computes(void **state)
{
	ANeuralNetworksModel *model = cosine();
	ANeuralNetworksCompilation *compilation = NULL;
	const float x[4] = { 0.0f, 0.78539816f, 1.57079633f, 3.14159265f };
	float y[4] = { 0 };

	OK(ANeuralNetworksCompilation_create(model, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	compute(compilation, x, sizeof(x), y, sizeof(y));
	assert_float_equal(y[0], 1, 1e-5);
	assert_float_equal(y[1], 0, 1e-5);
	assert_float_equal(y[2], -1, 1e-5);
	assert_float_equal(y[3], 1, 1e-5);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* 64-bit integers travel through arguments with and without a type. */
static void integers_have_64_bits(void **state)
{
	const int64_t a[2] = { 7000000000, -7000000000 }, b[2] = { 2000000000, 2000000000 };
	const uint32_t two = 2;
	ANeuralNetworksOperandType type = { .dimensionCount = 1, .dimensions = &two };

	for (uint32_t n = 0; n <= 2; n += 2) {
		ANeuralNetworksModel *model = floor_div(n);
		ANeuralNetworksCompilation *compilation = compile(model);
		ANeuralNetworksExecution *execution = NULL;
		int64_t q[2] = { 0 };

		type.type = ANEURALNETWORKS_TENSOR_INT32;
		OK(ANeuralNetworksExecution_create(compilation, &execution));
		IS(BAD_DATA,
		   ANeuralNetworksExecution_setInput(execution, 0, &type, a, sizeof(a)));
		type.type = operand_type(model, NNACCEL_OPS_TENSOR_INT64);
		OK(ANeuralNetworksExecution_setInput(execution, 0, &type, a, sizeof(a)));
		OK(ANeuralNetworksExecution_setInput(execution, 1, &type, b, sizeof(b)));
		OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, q, sizeof(q)));
		OK(ANeuralNetworksExecution_compute(execution));
		assert_true(q[0] == 3 && q[1] == -4);
		ANeuralNetworksExecution_free(execution);
		ANeuralNetworksCompilation_free(compilation);
		ANeuralNetworksModel_free(model);
	}
}

/* The reference has no extensions: it gets what it can, alone or beside the accelerator. */
static void the_reference_does_not_compute(void **state)
{
	ANeuralNetworksDevice *both[] = { the_reference(), the_device() };
	ANeuralNetworksModel *model = cosine();
	ANeuralNetworksCompilation *compilation = NULL;
	const float x[4] = { 0 };
	bool supported[2];
	float y[4] = { 0 };

	OK(ANeuralNetworksModel_getSupportedOperationsForDevices(
		model, (const ANeuralNetworksDevice *const *)both, 1, supported));
	assert_true(supported[0] && !supported[1]);
	OK(ANeuralNetworksModel_getSupportedOperationsForDevices(
		model, (const ANeuralNetworksDevice *const *)both, 2, supported));
	assert_true(supported[0] && supported[1]);
	OK(ANeuralNetworksCompilation_createForDevices(
		model, (const ANeuralNetworksDevice *const *)both, 1, &compilation));
	IS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
	ANeuralNetworksCompilation_free(compilation);

	/* The sum goes to the first device, and the cosine to the second. */
	OK(ANeuralNetworksCompilation_createForDevices(
		model, (const ANeuralNetworksDevice *const *)both, 2, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	compute(compilation, x, sizeof(x), y, sizeof(y));
	assert_true(y[0] == 1 && y[3] == 1);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* twice = x + x; out = IF(yes, then, then) of it. */
static ANeuralNetworksModel *branch(const ANeuralNetworksModel *then, bool yes)
{
	const uint32_t four = 4, one = 1, sum[] = { 0, 0, 1 }, twice = 2, out = 6, in = 0;
	const uint32_t choice[] = { 3, 4, 5, 2 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	const uint8_t condition = yes;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four);
	add_tensor(model, ANEURALNETWORKS_TENSOR_BOOL8, 1, &one);
	add_tensor(model, ANEURALNETWORKS_MODEL, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_MODEL, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &four);
	OK(ANeuralNetworksModel_setOperandValue(model, 1, &none, sizeof(none)));
	OK(ANeuralNetworksModel_setOperandValue(model, 3, &condition, sizeof(condition)));
	OK(ANeuralNetworksModel_setOperandValueFromModel(model, 4, then));
	OK(ANeuralNetworksModel_setOperandValueFromModel(model, 5, then));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, sum, 1, &twice));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, choice, 1, &out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

/*
 * IF goes to one device that supports all inside, which the first one does not, although it
 * supports IF and the sum in both branches.
 */
static void branches_go_to_one_device(void **state)
{
	ANeuralNetworksDevice *both[] = { the_reference(), the_device() };
	const ANeuralNetworksDevice *const *devices = (const ANeuralNetworksDevice *const *)both;
	ANeuralNetworksModel *then = cosine();
	const float x[4] = { 0, 0.78539816f, 0, 0 };

	for (int yes = 0; yes < 2; yes++) {
		ANeuralNetworksModel *model = branch(then, yes);
		ANeuralNetworksCompilation *compilation = NULL;
		bool supported[2];
		float y[4] = { 0 };

		OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, 1,
									 supported));
		assert_true(supported[0] && !supported[1]);
		OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices + 1, 1,
									 supported));
		assert_true(supported[0] && supported[1]);
		OK(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &compilation));
		IS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
		ANeuralNetworksCompilation_free(compilation);
		OK(ANeuralNetworksCompilation_createForDevices(model, devices, 2, &compilation));
		OK(ANeuralNetworksCompilation_finish(compilation));
		compute(compilation, x, sizeof(x), y, sizeof(y));
		assert_float_equal(y[0], 1, 1e-5);
		assert_float_equal(y[1], -1, 1e-5);
		ANeuralNetworksCompilation_free(compilation);
		ANeuralNetworksModel_free(model);
	}
	ANeuralNetworksModel_free(then);
}

static void there_are_no_attributes(void **state)
{
	ANeuralNetworksModel *model = add_model(4);
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksExecution *execution = NULL;
	const int value = 1;

	OK(ANeuralNetworksCompilation_create(model, &compilation));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_addExtensionAttribute(
				    NULL, NNACCEL_OPS_NAME, 0, &value, sizeof(value)));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_addExtensionAttribute(
				    compilation, NULL, 0, &value, sizeof(value)));
	IS(BAD_DATA, ANeuralNetworksCompilation_addExtensionAttribute(
			     compilation, NNACCEL_OPS_NAME, 0, &value, sizeof(value)));
	OK(ANeuralNetworksCompilation_finish(compilation));
	IS(BAD_STATE, ANeuralNetworksCompilation_addExtensionAttribute(
			      compilation, NNACCEL_OPS_NAME, 0, &value, sizeof(value)));
	OK(ANeuralNetworksExecution_create(compilation, &execution));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_addExtensionAttribute(
				    NULL, NNACCEL_OPS_NAME, 0, &value, sizeof(value)));
	IS(BAD_DATA, ANeuralNetworksExecution_addExtensionAttribute(execution, NNACCEL_OPS_NAME, 0,
								    &value, sizeof(value)));
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_codes),
		cmocka_unit_test(wrong_types_and_operations_are_refused),
		cmocka_unit_test(the_accelerator_computes),
		cmocka_unit_test(integers_have_64_bits),
		cmocka_unit_test(the_reference_does_not_compute),
		cmocka_unit_test(branches_go_to_one_device),
		cmocka_unit_test(there_are_no_attributes),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/* Compilations of the NNAPI C API: states, preferences, a deadline that is over. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

static void test_compilation(void **state)
{
	const ANeuralNetworksDevice *device = the_device();
	const ANeuralNetworksDevice *twice[] = { device, device };
	const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 0 };
	ANeuralNetworksCompilation *c = NULL, *plain = NULL;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksBurst *burst = NULL;
	ANeuralNetworksModel *model = add_model(4);
	uint32_t value = 0;

	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_create(NULL, &c));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_create(model, NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_createForDevices(model, NULL, 1, &c));
	IS(BAD_DATA, ANeuralNetworksCompilation_createForDevices(model, &device, 0, &c));
	IS(BAD_DATA, ANeuralNetworksCompilation_createForDevices(model, twice, 2, &c));
	assert_null(c);

	OK(ANeuralNetworksCompilation_create(model, &plain));
	IS(BAD_DATA, ANeuralNetworksCompilation_setTimeout(plain, 1));
	OK(ANeuralNetworksCompilation_finish(plain));
	ANeuralNetworksCompilation_free(plain);
	ANeuralNetworksCompilation_free(NULL);

	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &c));
	/* The model is kept by what was made from it. */
	ANeuralNetworksModel_free(model);
	OK(ANeuralNetworksCompilation_setPreference(c, ANEURALNETWORKS_PREFER_SUSTAINED_SPEED));
	IS(BAD_DATA, ANeuralNetworksCompilation_setPreference(c, 3));
	IS(BAD_DATA, ANeuralNetworksCompilation_setPreference(c, -1));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setPreference(NULL, 1));
	OK(ANeuralNetworksCompilation_setPriority(c, ANEURALNETWORKS_PRIORITY_HIGH));
	IS(BAD_DATA, ANeuralNetworksCompilation_setPriority(c, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setPriority(NULL, 100));
	OK(ANeuralNetworksCompilation_setTimeout(c, 60000000000ull));
	OK(ANeuralNetworksCompilation_setTimeout(c, UINT64_MAX));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setTimeout(NULL, 1));
	OK(ANeuralNetworksCompilation_setCaching(c, "/tmp", token));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setCaching(c, NULL, token));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setCaching(c, "/tmp", NULL));
	IS(BAD_STATE, ANeuralNetworksExecution_create(c, &execution));
	assert_null(execution);
	IS(BAD_STATE, ANeuralNetworksBurst_create(c, &burst));
	IS(BAD_STATE, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(c, 0, &value));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_finish(NULL));
	OK(ANeuralNetworksCompilation_finish(c));

	IS(BAD_STATE, ANeuralNetworksCompilation_finish(c));
	IS(BAD_STATE, ANeuralNetworksCompilation_setPreference(c, 1));
	IS(BAD_STATE, ANeuralNetworksCompilation_setPriority(c, 100));
	IS(BAD_STATE, ANeuralNetworksCompilation_setTimeout(c, 1));
	IS(BAD_STATE, ANeuralNetworksCompilation_setCaching(c, "/tmp", token));

	OK(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(c, 1, &value));
	assert_true(value && !(value & (value - 1)));
	OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(c, 0, &value));
	assert_true(value && !(value & (value - 1)));
	OK(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(c, 0, &value));
	OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(c, 0, &value));
	IS(BAD_DATA, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(c, 2, &value));
	IS(BAD_DATA, ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(c, 2, &value));
	IS(BAD_DATA, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(c, 1, &value));
	IS(BAD_DATA, ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(c, 1, &value));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(c, 0, NULL));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(NULL, 0, &value));
	ANeuralNetworksCompilation_free(c);
}

/* A compilation whose deadline has passed before it begins. */
static void test_compilation_deadline(void **state)
{
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksCompilation *c = NULL;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksModel *model = add_model(4);

	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &c));
	OK(ANeuralNetworksCompilation_setTimeout(c, 1));
	IS(MISSED_DEADLINE_PERSISTENT, ANeuralNetworksCompilation_finish(c));
	IS(BAD_STATE, ANeuralNetworksExecution_create(c, &execution));
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
}

/*
 * Without a list of devices a model that the device does not support can be compiled, and fails
 * when it is executed. With the list it cannot.
 */
static void test_unsupported_model(void **state)
{
	static const uint32_t four[] = { 4 }, in[] = { 0, 0, 1 }, out[] = { 2 };
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksModel *model = NULL;
	const int32_t activation = 999;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	OK(ANeuralNetworksModel_setOperandValue(model, 1, &activation, sizeof(activation)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	OK(ANeuralNetworksModel_finish(model));
	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	IS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
	ANeuralNetworksCompilation_free(compilation);

	OK(ANeuralNetworksCompilation_create(model, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	for (int way = 0; way < 4; way++) {
		ANeuralNetworksExecution *execution = NULL;
		ANeuralNetworksEvent *event = NULL;
		ANeuralNetworksBurst *burst = NULL;
		float a[4] = { 0 }, sum[4];
		int ret;

		OK(ANeuralNetworksExecution_create(compilation, &execution));
		OK(ANeuralNetworksExecution_setLoopTimeout(execution, 1000));
		OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof(a)));
		OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum, sizeof(sum)));
		OK(ANeuralNetworksBurst_create(compilation, &burst));
		if (way == 0)
			ret = ANeuralNetworksExecution_compute(execution);
		else if (way == 1)
			ret = ANeuralNetworksExecution_burstCompute(execution, burst);
		else if (way == 2)
			ret = ANeuralNetworksExecution_startCompute(execution, &event);
		else
			ret = ANeuralNetworksExecution_startComputeWithDependencies(
				execution, NULL, 0, 0, &event);
		if (!ret && event)
			ret = ANeuralNetworksEvent_wait(event);
		assert_int_equal(ret, ANEURALNETWORKS_OP_FAILED);
		ANeuralNetworksEvent_free(event);
		ANeuralNetworksBurst_free(burst);
		ANeuralNetworksExecution_free(execution);
	}
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compilation),
		cmocka_unit_test(test_compilation_deadline),
		cmocka_unit_test(test_unsupported_model),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

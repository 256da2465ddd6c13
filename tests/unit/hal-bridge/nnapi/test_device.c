// SPDX-License-Identifier: MIT
/* Devices of the NNAPI C API, and what it says of itself. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

static void test_runtime(void **state)
{
	assert_int_equal(ANeuralNetworks_getRuntimeFeatureLevel(), 1000008);
	assert_true(ANeuralNetworks_getDefaultLoopTimeout() == 2000000000ull);
	assert_true(ANeuralNetworks_getMaximumLoopTimeout() == 15000000000ull);
}

static void test_device(void **state)
{
	ANeuralNetworksDevice *device = NULL, *again = NULL;
	const char *text = NULL;
	uint32_t count = 0;
	int64_t level = 0;
	int32_t type = 0;

	IS(UNEXPECTED_NULL, ANeuralNetworks_getDeviceCount(NULL));
	OK(ANeuralNetworks_getDeviceCount(&count));
	assert_int_equal(count, 1);
	IS(UNEXPECTED_NULL, ANeuralNetworks_getDevice(0, NULL));
	IS(BAD_DATA, ANeuralNetworks_getDevice(1, &device));
	assert_null(device);
	OK(ANeuralNetworks_getDevice(0, &device));
	OK(ANeuralNetworks_getDevice(0, &again));
	assert_ptr_equal(device, again);

	IS(UNEXPECTED_NULL, ANeuralNetworksDevice_getName(NULL, &text));
	IS(UNEXPECTED_NULL, ANeuralNetworksDevice_getName(device, NULL));
	OK(ANeuralNetworksDevice_getName(device, &text));
	assert_string_equal(text, "nnaccel-loopback");
	IS(UNEXPECTED_NULL, ANeuralNetworksDevice_getVersion(device, NULL));
	OK(ANeuralNetworksDevice_getVersion(device, &text));
	assert_true(strlen(text) > 0);
	IS(UNEXPECTED_NULL, ANeuralNetworksDevice_getType(device, NULL));
	OK(ANeuralNetworksDevice_getType(device, &type));
	assert_int_equal(type, ANEURALNETWORKS_DEVICE_ACCELERATOR);
	IS(UNEXPECTED_NULL, ANeuralNetworksDevice_getFeatureLevel(NULL, &level));
	OK(ANeuralNetworksDevice_getFeatureLevel(device, &level));
	assert_int_equal(level, ANEURALNETWORKS_FEATURE_LEVEL_8);
	IS(UNEXPECTED_NULL, ANeuralNetworksDevice_wait(NULL));
	OK(ANeuralNetworksDevice_wait(device));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtime),
		cmocka_unit_test(test_device),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

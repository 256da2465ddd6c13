// SPDX-License-Identifier: MIT
/* Devices of the NNAPI C API, and what it says of itself. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

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
	assert_int_equal(count, 2);
	IS(UNEXPECTED_NULL, ANeuralNetworks_getDevice(0, NULL));
	IS(BAD_DATA, ANeuralNetworks_getDevice(2, &device));
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

/* The reference is the last device, a CPU that takes what the accelerator does not. */
static void test_reference(void **state)
{
	static const uint32_t four[] = { 4 }, in[] = { 0, 0, 1 }, out[] = { 2 };
	const ANeuralNetworksDevice *devices[2] = { the_device(), NULL };
	ANeuralNetworksDevice *reference = NULL;
	const char *text = NULL;
	int64_t level = 0;
	int32_t type = 0;

	OK(ANeuralNetworks_getDevice(1, &reference));
	OK(ANeuralNetworksDevice_getName(reference, &text));
	assert_string_equal(text, "nnapi-reference");
	OK(ANeuralNetworksDevice_getVersion(reference, &text));
	assert_non_null(strstr(text, "build "));
	OK(ANeuralNetworksDevice_getType(reference, &type));
	assert_int_equal(type, ANEURALNETWORKS_DEVICE_CPU);
	OK(ANeuralNetworksDevice_getFeatureLevel(reference, &level));
	assert_int_equal(level, ANEURALNETWORKS_FEATURE_LEVEL_8);
	OK(ANeuralNetworksDevice_wait(reference));
	devices[1] = reference;

	/* A right sum, and one with an activation that there is not. */
	for (int32_t activation = 0; activation < 1000; activation += 999) {
		ANeuralNetworksModel *model = NULL;
		bool supported = false;

		OK(ANeuralNetworksModel_create(&model));
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
		add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
		OK(ANeuralNetworksModel_setOperandValue(model, 1, &activation, 4));
		OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
		OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
		OK(ANeuralNetworksModel_finish(model));
		OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &devices[1], 1,
									 &supported));
		assert_true(supported);
		for (int both = 0; both < 2; both++) {
			ANeuralNetworksCompilation *compilation = NULL;
			ANeuralNetworksExecution *execution = NULL;
			float a[4] = { 1, 2, 3, 4 }, sum[4] = { 0 };
			int ret;

			OK(ANeuralNetworksCompilation_createForDevices(
				model, both ? devices : &devices[1], both ? 2 : 1, &compilation));
			OK(ANeuralNetworksCompilation_finish(compilation));
			OK(ANeuralNetworksExecution_create(compilation, &execution));
			ret = ANeuralNetworksExecution_setMeasureTiming(execution, true);
			assert_int_equal(ret, both ? ANEURALNETWORKS_BAD_DATA :
						     ANEURALNETWORKS_NO_ERROR);
			OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof(a)));
			OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum,
							      sizeof(sum)));
			ret = ANeuralNetworksExecution_compute(execution);
			assert_int_equal(ret, activation ? ANEURALNETWORKS_OP_FAILED :
							   ANEURALNETWORKS_NO_ERROR);
			assert_true(activation || sum[3] == 8);
			ANeuralNetworksExecution_free(execution);
			ANeuralNetworksCompilation_free(compilation);
		}
		ANeuralNetworksModel_free(model);
	}
}

/* Whether a file whose name ends like this is part of the process. */
static bool is_loaded(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	bool found = false;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, name) != NULL;
	fclose(maps);
	return found;
}

/* Compiles for the first device, or without a list. Return: the code of finish. */
static int try_compile(ANeuralNetworksModel *model, bool listed)
{
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksCompilation *compilation = NULL;
	int ret;

	if (listed)
		OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	else
		OK(ANeuralNetworksCompilation_create(model, &compilation));
	ret = ANeuralNetworksCompilation_finish(compilation);
	ANeuralNetworksCompilation_free(compilation);
	return ret;
}

/* Without an accelerator the reference is the only device, and stands for itself. */
static void check_alone(void)
{
	uint32_t count = 0;
	const char *name;
	int32_t type;

	OK(ANeuralNetworks_getDeviceCount(&count));
	assert_int_equal(count, 1);
	OK(ANeuralNetworksDevice_getName(the_device(), &name));
	assert_string_equal(name, "nnapi-reference");
	OK(ANeuralNetworksDevice_getType(the_device(), &type));
	assert_int_equal(type, ANEURALNETWORKS_DEVICE_CPU);
}

/* The loopback is part of the process from the first compilation on that uses the reference. */
static void test_reference_is_loaded_late(void **state)
{
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksModel *model = add_model(4);
	bool supported = false;

	check_alone();
	OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &supported));
	assert_true(supported);
	assert_false(is_loaded("libnnaccel-loopback.so"));
	OK(try_compile(model, false));
	assert_true(is_loaded("libnnaccel-loopback.so"));
	OK(try_compile(model, true));
	ANeuralNetworksModel_free(model);
}

/* What the process writes to standard error meanwhile. */
struct log {
	FILE *file;
	int err;
};

static void log_begin(struct log *log)
{
	log->file = tmpfile();
	log->err = dup(STDERR_FILENO);
	assert_non_null(log->file);
	assert_true(log->err >= 0);
	assert_int_equal(dup2(fileno(log->file), STDERR_FILENO), STDERR_FILENO);
}

static void log_end(struct log *log, char *text, size_t size)
{
	size_t length;

	fflush(stderr);
	assert_int_equal(dup2(log->err, STDERR_FILENO), STDERR_FILENO);
	rewind(log->file);
	length = fread(text, 1, size - 1, log->file);
	assert_true(length > 0);
	text[length] = 0;
	fclose(log->file);
	close(log->err);
}

/* Where the loopback is not installed the reference is listed, and compiling says what is wrong. */
static void test_reference_is_not_installed(void **state)
{
	ANeuralNetworksModel *model = add_model(4);
	char text[4096];
	struct log log;

	check_alone();
	log_begin(&log);
	for (int listed = 0; listed < 2; listed++)
		IS(UNAVAILABLE_DEVICE, try_compile(model, listed));
	log_end(&log, text, sizeof(text));
	assert_non_null(strstr(text, "nnapi-reference: the loopback cannot be opened"));
	ANeuralNetworksModel_free(model);
}

/*
 * A named accelerator that is not there is told without NNACCEL_LOG, and nothing computes in its
 * place but what a client asks for by its list.
 */
static void test_named_device_is_missing(void **state)
{
	ANeuralNetworksModel *model;
	char text[4096];
	struct log log;

	unsetenv("NNACCEL_LOG");
	log_begin(&log);
	check_alone();
	log_end(&log, text, sizeof(text));
	assert_string_equal(text, "nnaccel: manager: no accelerator: /dev/accel/nothing: "
				  "No such file or directory\n");
	model = add_model(4);
	IS(UNAVAILABLE_DEVICE, try_compile(model, false));
	OK(try_compile(model, true));
	ANeuralNetworksModel_free(model);
}

/* Two accelerators and the reference, in this order and by stable names; each computes. */
static void test_several_devices(void **state)
{
	static const char *const names[] = { "nnaccel-loopback", "nnaccel-loopback-2",
					     "nnapi-reference" };
	const ANeuralNetworksDevice *list[3];
	ANeuralNetworksModel *model = add_model(4);
	uint32_t count = 0;

	OK(ANeuralNetworks_getDeviceCount(&count));
	assert_int_equal(count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		ANeuralNetworksDevice *device;
		const char *name;

		OK(ANeuralNetworks_getDevice(i, &device));
		OK(ANeuralNetworksDevice_getName(device, &name));
		assert_string_equal(name, names[i]);
		list[2 - i] = device;
	}
	IS(BAD_DATA, ANeuralNetworks_getDevice(3, &(ANeuralNetworksDevice *){ NULL }));
	for (uint32_t from = 0; from < 3; from++) {
		const float a[] = { 1, 2, 3, 4 }, b[] = { 10, 20, 30, 40 };
		ANeuralNetworksCompilation *compilation = NULL;
		ANeuralNetworksExecution *execution = NULL;
		float sum[4] = { 0 };

		OK(ANeuralNetworksCompilation_createForDevices(model, list + from, 3 - from,
							       &compilation));
		OK(ANeuralNetworksCompilation_finish(compilation));
		OK(ANeuralNetworksExecution_create(compilation, &execution));
		OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof(a)));
		OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof(b)));
		OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum, sizeof(sum)));
		OK(ANeuralNetworksExecution_compute(execution));
		assert_true(sum[0] == 11 && sum[3] == 44);
		ANeuralNetworksExecution_free(execution);
		ANeuralNetworksCompilation_free(compilation);
	}
	list[0] = list[1];
	IS(BAD_DATA, ANeuralNetworksCompilation_createForDevices(
			     model, list, 2, &(ANeuralNetworksCompilation *){ NULL }));
	ANeuralNetworksModel_free(model);
}

/* An Ethos-U says nothing about time: what is not known is no time of 0. */
static void test_device_without_times(void **state)
{
	const uint32_t four = 4, in[] = { 0 }, out[] = { 1 };
	const ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &four,
						  0.5f, 128 };
	uint8_t from[4] = { 0, 127, 129, 255 }, to[4] = { 0 };
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksModel *model;
	uint64_t times[4];

	OK(ANeuralNetworksModel_create(&model));
	OK(ANeuralNetworksModel_addOperand(model, &type));
	OK(ANeuralNetworksModel_addOperand(model, &type));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	OK(ANeuralNetworksModel_finish(model));
	compilation = compile(model);
	for (int fenced = 0; fenced < 2; fenced++) {
		ANeuralNetworksEvent *event;

		OK(ANeuralNetworksExecution_create(compilation, &execution));
		OK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
		OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, from, sizeof(from)));
		OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, to, sizeof(to)));
		if (fenced) {
			ANeuralNetworksEvent *gate;
			int fd = eventfd(0, EFD_CLOEXEC);

			OK(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &gate));
			OK(ANeuralNetworksExecution_startComputeWithDependencies(
				execution, (const ANeuralNetworksEvent *const[]){ gate }, 1, 0,
				&event));
			assert_int_equal(eventfd_write(fd, 1), 0);
			OK(ANeuralNetworksEvent_wait(event));
			ANeuralNetworksEvent_free(event);
			ANeuralNetworksEvent_free(gate);
			close(fd);
		} else {
			OK(ANeuralNetworksExecution_compute(execution));
		}
		assert_int_equal(to[0], 128);
		assert_int_equal(to[3], 255);
		for (int code = 0; code < 4; code++)
			OK(ANeuralNetworksExecution_getDuration(execution, code, &times[code]));
		assert_true(times[ANEURALNETWORKS_DURATION_ON_HARDWARE] == UINT64_MAX);
		assert_true(times[ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE] == UINT64_MAX);
		assert_true(times[ANEURALNETWORKS_DURATION_IN_DRIVER] < 60000000000ull);
		if (fenced)
			assert_true(times[ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER] == UINT64_MAX);
		ANeuralNetworksExecution_free(execution);
	}
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/*
 * Runs one test in a process of its own, with these accelerators. @plugins: where plug-ins are.
 */
static int run_alone(const struct CMUnitTest *test, const char *devices, const char *plugins)
{
	const struct CMUnitTest tests[] = { *test };
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		setenv("NNACCEL_DEVICE", devices, 1);
		setenv("NNACCEL_LOG", "all", 1);
		if (plugins)
			setenv("NNACCEL_PLUGIN_DIR", plugins, 1);
		exit(cmocka_run_group_tests_name(test->name, tests, NULL, NULL));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return status;
}

int main(void)
{
	const struct CMUnitTest late = cmocka_unit_test(test_reference_is_loaded_late);
	const struct CMUnitTest several = cmocka_unit_test(test_several_devices);
	const struct CMUnitTest missing = cmocka_unit_test(test_reference_is_not_installed);
	const struct CMUnitTest untimed = cmocka_unit_test(test_device_without_times);
	const struct CMUnitTest named = cmocka_unit_test(test_named_device_is_missing);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtime),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_reference),
	};

	int failed;

	/* The devices are opened once in a process: each of these has its own, made before. */
	failed = run_alone(&late, "nnapi-reference", NULL);
	failed |= run_alone(&missing, "nnapi-reference", "/nowhere");
	failed |= run_alone(&named, "/dev/accel/nothing", NULL);
	failed |= run_alone(&untimed, "ethos-u65-256", NULL);
	failed |= run_alone(&several, "loopback,loopback", NULL);
	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL) + !!failed;
}

// SPDX-License-Identifier: MIT
/* The support library's table: its functions, devices, caches in files, and diagnostics. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include <sys/stat.h>

#include "hal-bridge/nnapi/nnaccel_ops.h"
#include "hal-bridge/nnapi/support_library.h"

static const NnApiSLDriverImplFL8 *table(void)
{
	return (const NnApiSLDriverImplFL8 *)ANeuralNetworks_getSLDriverImpl();
}

/* No entry is missing, and a table of a lower level is the beginning of this one. */
static void every_function_is_there(void **state)
{
	const NnApiSLDriverImplFL8 *sl = table();
	void *const *entries = (void *const *)sl;

	assert_int_equal(sl->base.base.implFeatureLevel, ANEURALNETWORKS_FEATURE_LEVEL_8);
	assert_int_equal(sizeof(*sl), sizeof(int64_t) + (104 + 2) * sizeof(void *));
	assert_int_equal(offsetof(NnApiSLDriverImplFL8,
				  ANeuralNetworksCompilation_addExtensionAttribute),
			 sizeof(NnApiSLDriverImplFL5));
	assert_int_equal(offsetof(NnApiSLDriverImplFL5, ANeuralNetworksBurst_create), 8);
	for (size_t i = 1; i < sizeof(*sl) / sizeof(void *); i++)
		assert_non_null(entries[i]);
	assert_ptr_equal(sl->base.ANeuralNetworksModel_create, ANeuralNetworksModel_create);
	assert_int_equal(sl->base.ANeuralNetworks_getRuntimeFeatureLevel(),
			 ANEURALNETWORKS_FEATURE_LEVEL_8);
}

static void there_are_accelerators_only(void **state)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;
	ANeuralNetworksDevice *device = NULL;
	uint32_t count = 0;

	OK(sl->ANeuralNetworks_getDeviceCount(&count));
	assert_int_equal(count, 1);
	OK(sl->ANeuralNetworks_getDevice(0, &device));
	assert_ptr_equal(device, the_device());
	IS(BAD_DATA, sl->ANeuralNetworks_getDevice(1, &device));
	assert_null(device);
	IS(UNEXPECTED_NULL, sl->ANeuralNetworks_getDevice(0, NULL));
	IS(UNEXPECTED_NULL, sl->ANeuralNetworks_getDeviceCount(NULL));
}

static void count_performance(SL_ANeuralNetworksOperandPerformanceInfo info, void *context)
{
	int *next = context;

	assert_int_equal(info.operandType, (*next)++);
	assert_true(info.performanceInfo.execTime > 0 && info.performanceInfo.powerUsage > 0);
}

static void count_types(SL_ANeuralNetworksExtensionOperandTypeInformation info, void *context)
{
	int *next = context;

	assert_int_equal(info.type, (*next)++);
	assert_true(info.isTensor && info.byteSize == 8);
}

static void capabilities_are_told(void **state)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;
	SL_ANeuralNetworksPerformanceInfo info;
	ANeuralNetworksModel *model = NULL;
	uint32_t count = 0, models = 0, data = 9;
	const char *name = NULL;
	bool supported = false;
	int32_t type = 0;
	int next = 0;

	for (int i = 0; i < 4; i++)
		OK(sl->SL_ANeuralNetworksDevice_getPerformanceInfo(the_device(), i, &info));
	IS(BAD_DATA, sl->SL_ANeuralNetworksDevice_getPerformanceInfo(the_device(), 4, &info));
	OK(sl->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(the_device(), &next,
								      count_performance));
	assert_int_equal(next, ANEURALNETWORKS_MODEL);

	OK(sl->SL_ANeuralNetworksDevice_getVendorExtensionCount(the_device(), &count));
	assert_true(count >= 1);
	OK(sl->SL_ANeuralNetworksDevice_getVendorExtensionName(the_device(), 0, &name));
	assert_string_equal(name, NNACCEL_OPS_NAME);
	IS(BAD_DATA,
	   sl->SL_ANeuralNetworksDevice_getVendorExtensionName(the_device(), count, &name));
	next = 0;
	OK(sl->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
		the_device(), 0, &next, count_types));
	assert_int_equal(next, 1);
	IS(BAD_DATA, sl->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
			     the_device(), count, &next, count_types));
	OK(sl->ANeuralNetworksDevice_getExtensionSupport(the_device(), NNACCEL_OPS_NAME,
							 &supported));
	assert_true(supported);
	OK(sl->ANeuralNetworksModel_create(&model));
	OK(sl->ANeuralNetworksModel_getExtensionOperandType(model, NNACCEL_OPS_NAME, 0, &type));
	assert_true(type >= 1 << 16);
	OK(sl->ANeuralNetworksModel_getExtensionOperationType(model, NNACCEL_OPS_NAME, 0, &type));
	sl->ANeuralNetworksModel_free(model);

	OK(sl->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(the_device(), &models, &data));
	assert_int_equal(models, 1);
	assert_int_equal(data, 0);
}

/* What is told of compilations and executions that have ended, by the last of each. */
static struct told {
	int compilations, executions;
	int32_t error;
	ANeuralNetworksDiagnosticExecutionMode mode;
	uint8_t arch[32];
	char devices[64];
	uint64_t compilation_ns, hardware_ns, driver_ns;
	bool caching, dynamic, control_flow;
	ANeuralNetworksDiagnosticDataClass input, output;
} told;

static void on_compilation(const void *context,
			   const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;

	assert_ptr_equal(context, &told);
	told.compilations++;
	told.error = sl->SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode(info);
	told.compilation_ns =
		sl->SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos(info);
	told.caching = sl->SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled(info);
	told.dynamic = sl->SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed(info);
	told.control_flow =
		sl->SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed(info);
	told.input = sl->SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass(info);
	told.output = sl->SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass(info);
	memcpy(told.arch, sl->SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash(info),
	       sizeof(told.arch));
	strncpy(told.devices, sl->SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds(info),
		sizeof(told.devices) - 1);
	assert_int_equal(sl->SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId(info),
			 getpid());
	assert_int_equal(sl->SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion(info),
			 ANEURALNETWORKS_FEATURE_LEVEL_8);
}

static void on_execution(const void *context, const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;

	assert_ptr_equal(context, &told);
	told.executions++;
	told.error = (int32_t)sl->SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode(info);
	told.mode = sl->SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode(info);
	told.driver_ns =
		sl->SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos(info);
	told.hardware_ns =
		sl->SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos(info);
	assert_memory_equal(told.arch,
			    sl->SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash(info),
			    sizeof(told.arch));
}

static ANeuralNetworksCompilation *compile_to(ANeuralNetworksModel *model, int fd)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;
	const ANeuralNetworksDevice *device = the_device();
	const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 1 };
	ANeuralNetworksCompilation *compilation = NULL;

	OK(sl->ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	if (fd >= 0)
		OK(sl->SL_ANeuralNetworksCompilation_setCachingFromFds(compilation, &fd, 1, NULL, 0,
								       token));
	OK(sl->ANeuralNetworksCompilation_finish(compilation));
	return compilation;
}

static void run(ANeuralNetworksCompilation *compilation, int way)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;
	float a[4] = { 1, 2, 3, 4 }, b[4] = { 10, 20, 30, 40 }, out[4] = { 0 };
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksEvent *event = NULL;
	ANeuralNetworksBurst *burst = NULL;

	OK(sl->ANeuralNetworksExecution_create(compilation, &execution));
	OK(sl->ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof(a)));
	OK(sl->ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof(b)));
	OK(sl->ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof(out)));
	if (way == ANNDIAG_EXECUTION_MODE_SYNC) {
		OK(sl->ANeuralNetworksExecution_compute(execution));
	} else if (way == ANNDIAG_EXECUTION_MODE_BURST) {
		OK(sl->ANeuralNetworksBurst_create(compilation, &burst));
		OK(sl->ANeuralNetworksExecution_burstCompute(execution, burst));
		sl->ANeuralNetworksBurst_free(burst);
	} else if (way == ANNDIAG_EXECUTION_MODE_ASYNC) {
		OK(ANeuralNetworksExecution_startCompute(execution, &event));
		OK(sl->ANeuralNetworksEvent_wait(event));
	} else {
		OK(sl->ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0,
									     &event));
		OK(sl->ANeuralNetworksEvent_wait(event));
	}
	sl->ANeuralNetworksEvent_free(event);
	for (int i = 0; i < 4; i++)
		assert_true(out[i] == a[i] + b[i]);
	sl->ANeuralNetworksExecution_free(execution);
}

/* A program is written into the client's file, and read from there the next time. */
static void caches_are_files(void **state)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;
	const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 1 };
	int fd = memfd_create("cache", MFD_CLOEXEC), closed = 1000000, two[2] = { fd, fd };
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksModel *model = add_model(4);
	struct stat first, second;
	uint8_t *bytes;

	OK(sl->ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	IS(UNEXPECTED_NULL, sl->SL_ANeuralNetworksCompilation_setCachingFromFds(
				    NULL, &fd, 1, NULL, 0, token));
	IS(UNEXPECTED_NULL, sl->SL_ANeuralNetworksCompilation_setCachingFromFds(
				    compilation, NULL, 1, NULL, 0, token));
	IS(UNEXPECTED_NULL, sl->SL_ANeuralNetworksCompilation_setCachingFromFds(
				    compilation, &fd, 1, NULL, 0, NULL));
	IS(BAD_DATA, sl->SL_ANeuralNetworksCompilation_setCachingFromFds(compilation, two, 2, NULL,
									 0, token));
	IS(BAD_DATA, sl->SL_ANeuralNetworksCompilation_setCachingFromFds(compilation, &fd, 1, &fd,
									 1, token));
	IS(BAD_DATA, sl->SL_ANeuralNetworksCompilation_setCachingFromFds(compilation, &closed, 1,
									 NULL, 0, token));
	OK(sl->SL_ANeuralNetworksCompilation_setCachingFromFds(compilation, &fd, 1, NULL, 0,
							       token));
	sl->ANeuralNetworksCompilation_free(compilation);

	compilation = compile_to(model, fd);
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC);
	ANeuralNetworksCompilation_free(compilation);
	assert_int_equal(fstat(fd, &first), 0);
	assert_true(first.st_size > 0);
	/* Used: it is not written again. */
	compilation = compile_to(model, fd);
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC);
	ANeuralNetworksCompilation_free(compilation);
	assert_int_equal(fstat(fd, &second), 0);
	assert_int_equal(first.st_size, second.st_size);
	assert_memory_equal(&first.st_mtim, &second.st_mtim, sizeof(first.st_mtim));

	/* A damaged one is replaced. */
	bytes = mmap(NULL, first.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bytes[first.st_size / 2] ^= 1;
	munmap(bytes, first.st_size);
	compilation = compile_to(model, fd);
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC);
	ANeuralNetworksCompilation_free(compilation);
	compilation = compile_to(model, fd);
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	close(fd);
}

static void diagnostics_are_told(void **state)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;
	ANeuralNetworksModel *model = add_model(4), *dynamic = add_model(0);
	int fd = memfd_create("cache", MFD_CLOEXEC);
	ANeuralNetworksCompilation *compilation;
	uint8_t arch[32];

	sl->SL_ANeuralNetworksDiagnostic_registerCallbacks(on_compilation, on_execution, &told);
	compilation = compile_to(model, -1);
	assert_int_equal(told.compilations, 1);
	assert_int_equal(told.error, 0);
	assert_true(told.compilation_ns > 0);
	assert_true(!told.caching && !told.dynamic && !told.control_flow);
	assert_int_equal(told.input, ANNDIAG_DATA_CLASS_FLOAT32);
	assert_int_equal(told.output, ANNDIAG_DATA_CLASS_FLOAT32);
	assert_string_equal(told.devices, "nnaccel-loopback");
	memcpy(arch, told.arch, sizeof(arch));
	for (int way = ANNDIAG_EXECUTION_MODE_ASYNC; way <= ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS;
	     way++) {
		run(compilation, way);
		assert_int_equal(told.mode, way);
		assert_int_equal(told.executions, way);
		assert_int_equal(told.error, 0);
		assert_true(told.hardware_ns <= told.driver_ns);
	}
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksCompilation_free(compile_to(dynamic, fd));
	assert_true(told.caching && told.dynamic);
	assert_memory_not_equal(arch, told.arch, sizeof(arch));
	ANeuralNetworksCompilation_free(compile_to(model, -1));
	assert_memory_equal(arch, told.arch, sizeof(arch));
	assert_int_equal(told.compilations, 3);
	/* What others do with the API is none of this client's business. */
	OK(ANeuralNetworksCompilation_createForDevices(
		model, (const ANeuralNetworksDevice *[]){ the_device() }, 1, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC);
	ANeuralNetworksCompilation_free(compilation);
	assert_int_equal(told.compilations, 3);
	assert_int_equal(told.executions, ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS);
	sl->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, NULL, NULL);
	ANeuralNetworksCompilation_free(compile_to(model, -1));
	assert_int_equal(told.compilations, 3);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(dynamic);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function_is_there),
		cmocka_unit_test(there_are_accelerators_only),
		cmocka_unit_test(capabilities_are_told),
		cmocka_unit_test(caches_are_files),
		cmocka_unit_test(diagnostics_are_told),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

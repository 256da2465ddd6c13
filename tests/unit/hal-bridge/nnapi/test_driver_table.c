// SPDX-License-Identifier: MIT
/* The support library's table: its functions, devices, caches in files, and diagnostics. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include <stdio.h>
#include <sys/stat.h>

#include "hal-bridge/include/nnaccel_ops.h"
#include "hal-bridge/include/support_library.h"

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

#define AT(name) { #name, offsetof(NnApiSLDriverImplFL5, name) }
#define A(name) AT(ANeuralNetworks##name)
#define SL(name) AT(SL_ANeuralNetworks##name)
#define LAST(name) { #name, offsetof(NnApiSLDriverImplFL8, ANeuralNetworks##name) }

/*
 * The order of Android's table (NeuralNetworksSupportLibraryImpl.h): it is the interface of clients
 * that were compiled with that header, of whatever level.
 */
static const struct place {
	const char *name;
	size_t offset;
} places[] = {
	A(Burst_create), A(Burst_free),
	A(Compilation_createForDevices), A(Compilation_finish), A(Compilation_free),
	A(Compilation_getPreferredMemoryAlignmentForInput),
	A(Compilation_getPreferredMemoryAlignmentForOutput),
	A(Compilation_getPreferredMemoryPaddingForInput),
	A(Compilation_getPreferredMemoryPaddingForOutput),
	A(Compilation_setCaching), A(Compilation_setPreference), A(Compilation_setPriority),
	A(Compilation_setTimeout),
	A(Device_getExtensionSupport), A(Device_getFeatureLevel), A(Device_getName),
	A(Device_getType), A(Device_getVersion), A(Device_wait),
	A(Event_createFromSyncFenceFd), A(Event_free), A(Event_getSyncFenceFd), A(Event_wait),
	A(Execution_burstCompute), A(Execution_compute), A(Execution_create),
	A(Execution_enableInputAndOutputPadding), A(Execution_free), A(Execution_getDuration),
	A(Execution_getOutputOperandDimensions), A(Execution_getOutputOperandRank),
	A(Execution_setInput), A(Execution_setInputFromMemory), A(Execution_setLoopTimeout),
	A(Execution_setMeasureTiming), A(Execution_setOutput), A(Execution_setOutputFromMemory),
	A(Execution_setReusable), A(Execution_setTimeout),
	A(Execution_startComputeWithDependencies),
	A(MemoryDesc_addInputRole), A(MemoryDesc_addOutputRole), A(MemoryDesc_create),
	A(MemoryDesc_finish), A(MemoryDesc_free), A(MemoryDesc_setDimensions),
	A(Memory_copy), A(Memory_createFromAHardwareBuffer), A(Memory_createFromDesc),
	A(Memory_createFromFd), A(Memory_free),
	A(Model_addOperand), A(Model_addOperation), A(Model_create), A(Model_finish),
	A(Model_free), A(Model_getExtensionOperandType), A(Model_getExtensionOperationType),
	A(Model_getSupportedOperationsForDevices), A(Model_identifyInputsAndOutputs),
	A(Model_relaxComputationFloat32toFloat16), A(Model_setOperandExtensionData),
	A(Model_setOperandSymmPerChannelQuantParams), A(Model_setOperandValue),
	A(Model_setOperandValueFromMemory), A(Model_setOperandValueFromModel),
	A(_getDefaultLoopTimeout), A(_getDevice), A(_getDeviceCount), A(_getMaximumLoopTimeout),
	A(_getRuntimeFeatureLevel),
	SL(Compilation_setCachingFromFds), SL(Device_getNumberOfCacheFilesNeeded),
	SL(Device_getPerformanceInfo), SL(Device_forEachOperandPerformanceInfo),
	SL(Device_getVendorExtensionCount), SL(Device_getVendorExtensionName),
	SL(Device_forEachVendorExtensionOperandTypeInformation),
	SL(DiagnosticCompilationInfo_getSessionId), SL(DiagnosticCompilationInfo_getNnApiVersion),
	SL(DiagnosticCompilationInfo_getModelArchHash),
	SL(DiagnosticCompilationInfo_getDeviceIds), SL(DiagnosticCompilationInfo_getErrorCode),
	SL(DiagnosticCompilationInfo_getInputDataClass),
	SL(DiagnosticCompilationInfo_getOutputDataClass),
	SL(DiagnosticCompilationInfo_getCompilationTimeNanos),
	SL(DiagnosticCompilationInfo_isCachingEnabled),
	SL(DiagnosticCompilationInfo_isControlFlowUsed),
	SL(DiagnosticCompilationInfo_areDynamicTensorsUsed),
	SL(DiagnosticExecutionInfo_getSessionId), SL(DiagnosticExecutionInfo_getNnApiVersion),
	SL(DiagnosticExecutionInfo_getModelArchHash), SL(DiagnosticExecutionInfo_getDeviceIds),
	SL(DiagnosticExecutionInfo_getExecutionMode),
	SL(DiagnosticExecutionInfo_getInputDataClass),
	SL(DiagnosticExecutionInfo_getOutputDataClass), SL(DiagnosticExecutionInfo_getErrorCode),
	SL(DiagnosticExecutionInfo_getRuntimeExecutionTimeNanos),
	SL(DiagnosticExecutionInfo_getDriverExecutionTimeNanos),
	SL(DiagnosticExecutionInfo_getHardwareExecutionTimeNanos),
	SL(DiagnosticExecutionInfo_isCachingEnabled),
	SL(DiagnosticExecutionInfo_isControlFlowUsed),
	SL(DiagnosticExecutionInfo_areDynamicTensorsUsed),
	SL(Diagnostic_registerCallbacks),
	LAST(Compilation_addExtensionAttribute), LAST(Execution_addExtensionAttribute),
};

/* Each function stands where clients look for it, and there are no others. */
static void the_order_is_androids(void **state)
{
	size_t at = sizeof(NnApiSLDriverImpl);

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++, at += sizeof(void *)) {
		if (places[i].offset != at)
			fail_msg("%s stands at %zu, not %zu", places[i].name, places[i].offset, at);
	}
	assert_int_equal(at, sizeof(NnApiSLDriverImplFL8));
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

	for (int i = 0; i < 4; i++) {
		info = (SL_ANeuralNetworksPerformanceInfo){ 0 };
		OK(sl->SL_ANeuralNetworksDevice_getPerformanceInfo(the_device(), i, &info));
		assert_true(info.execTime > 0 && info.powerUsage > 0);
	}
	IS(BAD_DATA, sl->SL_ANeuralNetworksDevice_getPerformanceInfo(the_device(), -1, &info));
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
	char devices[512];
	uint64_t compilation_ns, hardware_ns, driver_ns, runtime_ns;
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
	told.runtime_ns =
		sl->SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos(info);
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

static void run(ANeuralNetworksCompilation *compilation, int way, bool measured)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;
	float a[4] = { 1, 2, 3, 4 }, b[4] = { 10, 20, 30, 40 }, out[4] = { 0 };
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksEvent *event = NULL;
	ANeuralNetworksBurst *burst = NULL;

	OK(sl->ANeuralNetworksExecution_create(compilation, &execution));
	OK(sl->ANeuralNetworksExecution_setMeasureTiming(execution, measured));
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
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC, false);
	ANeuralNetworksCompilation_free(compilation);
	assert_int_equal(fstat(fd, &first), 0);
	assert_true(first.st_size > 0);
	/* Used: it is not written again. */
	compilation = compile_to(model, fd);
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC, false);
	ANeuralNetworksCompilation_free(compilation);
	assert_int_equal(fstat(fd, &second), 0);
	assert_int_equal(first.st_size, second.st_size);
	assert_memory_equal(&first.st_mtim, &second.st_mtim, sizeof(first.st_mtim));

	/* A damaged one is replaced. */
	bytes = mmap(NULL, first.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bytes[first.st_size / 2] ^= 1;
	munmap(bytes, first.st_size);
	compilation = compile_to(model, fd);
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC, false);
	ANeuralNetworksCompilation_free(compilation);
	compilation = compile_to(model, fd);
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC, false);
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
	const char *version = NULL;
	uint8_t arch[32];
	char id[512];

	sl->SL_ANeuralNetworksDiagnostic_registerCallbacks(on_compilation, on_execution, &told);
	compilation = compile_to(model, -1);
	assert_int_equal(told.compilations, 1);
	assert_int_equal(told.error, 0);
	assert_true(told.compilation_ns > 0);
	assert_true(!told.caching && !told.dynamic && !told.control_flow);
	assert_int_equal(told.input, ANNDIAG_DATA_CLASS_FLOAT32);
	assert_int_equal(told.output, ANNDIAG_DATA_CLASS_FLOAT32);
	/* Identifiers of devices, with commas between them, so that none can be in a version. */
	OK(sl->ANeuralNetworksDevice_getVersion(the_device(), &version));
	assert_null(strchr(version, ','));
	snprintf(id, sizeof(id), "nnaccel-loopback=%s", version);
	assert_string_equal(told.devices, id);
	memcpy(arch, told.arch, sizeof(arch));
	for (int i = 0; i < 2 * ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS; i++) {
		int way = ANNDIAG_EXECUTION_MODE_ASYNC + i / 2;
		bool measured = i % 2;

		run(compilation, way, measured);
		assert_int_equal(told.mode, way);
		assert_int_equal(told.executions, i + 1);
		assert_int_equal(told.error, 0);
		assert_true(told.hardware_ns <= told.driver_ns);
		/* Times of driver and device are told to those who have asked for them. */
		assert_int_equal(told.hardware_ns == UINT64_MAX, !measured);
		assert_int_equal(told.driver_ns == UINT64_MAX, !measured);
		/* Whoever waits for a fenced run may come long after its end. */
		assert_int_equal(told.runtime_ns == UINT64_MAX,
				 way == ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS);
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
	run(compilation, ANNDIAG_EXECUTION_MODE_SYNC, false);
	ANeuralNetworksCompilation_free(compilation);
	assert_int_equal(told.compilations, 3);
	assert_int_equal(told.executions, 2 * ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS);
	sl->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, NULL, NULL);
	ANeuralNetworksCompilation_free(compile_to(model, -1));
	assert_int_equal(told.compilations, 3);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(dynamic);
	close(fd);
}

#define FLOATS ANEURALNETWORKS_TENSOR_FLOAT32
#define BYTES ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define INTEGERS ANEURALNETWORKS_TENSOR_INT32

/* A model of @count casts, whose inputs are of the types @from and whose outputs are of @to. */
static void compile_casts(uint32_t count, const int32_t *from, const int32_t *to)
{
	const uint32_t in[] = { 0, 2, 4 }, out[] = { 1, 3, 5 }, four = 4;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	for (uint32_t i = 0; i < 2 * count; i++) {
		const int32_t type = (i & 1 ? to : from)[i / 2];
		const ANeuralNetworksOperandType tensor = { type, 1, &four,
							    type == BYTES ? 0.5f : 0, 0 };

		OK(ANeuralNetworksModel_addOperand(model, &tensor));
	}
	for (uint32_t i = 0; i < count; i++) {
		OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CAST, 1, &in[i], 1,
						     &out[i]));
	}
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, count, in, count, out));
	OK(ANeuralNetworksModel_finish(model));
	ANeuralNetworksCompilation_free(compile_to(model, -1));
	ANeuralNetworksModel_free(model);
}

/* Integers do not count beside data that has a class; two classes are mixed. */
static void classes_are_androids(void **state)
{
	const NnApiSLDriverImplFL5 *sl = &table()->base;

	sl->SL_ANeuralNetworksDiagnostic_registerCallbacks(on_compilation, on_execution, &told);
	compile_casts(1, (int32_t[]){ INTEGERS }, (int32_t[]){ INTEGERS });
	assert_int_equal(told.input, ANNDIAG_DATA_CLASS_OTHER);
	assert_int_equal(told.output, ANNDIAG_DATA_CLASS_OTHER);
	compile_casts(2, (int32_t[]){ INTEGERS, FLOATS }, (int32_t[]){ BYTES, INTEGERS });
	assert_int_equal(told.input, ANNDIAG_DATA_CLASS_FLOAT32);
	assert_int_equal(told.output, ANNDIAG_DATA_CLASS_QUANT);
	compile_casts(3, (int32_t[]){ FLOATS, BYTES, INTEGERS },
		      (int32_t[]){ INTEGERS, BYTES, FLOATS });
	assert_int_equal(told.input, ANNDIAG_DATA_CLASS_MIXED);
	assert_int_equal(told.output, ANNDIAG_DATA_CLASS_MIXED);
	sl->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function_is_there),
		cmocka_unit_test(the_order_is_androids),
		cmocka_unit_test(there_are_accelerators_only),
		cmocka_unit_test(capabilities_are_told),
		cmocka_unit_test(caches_are_files),
		cmocka_unit_test(diagnostics_are_told),
		cmocka_unit_test(classes_are_androids),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

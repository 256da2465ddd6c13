// SPDX-License-Identifier: MIT
/*
 * The support library's table (support_library.h): the API's functions, and its own where these
 * differ. A program that is compiled with files of the client is saved in one file. The file holds
 * commands and constants together, so one check covers both.
 */
#define NNAPI_TAG NNA_MESSAGE_MANAGER

#include "hal-bridge/include/support_library.h"

#include <string.h>

#include "hal-bridge/common/extension.h"
#include "hal-bridge/common/performance.h"
#include "hal-bridge/nnapi/compilation.h"
#include "hal-bridge/nnapi/device.h"
#include "hal-bridge/nnapi/diagnostic.h"
#include "hal-bridge/nnapi/nnapi.h"

/* ---------------------------------------------------------------------------- the accelerators */

static int nnapi_sl_get_device_count(uint32_t *numDevices)
{
	if (!numDevices)
		return nnapi_null(__func__);
	*numDevices = nnapi_device_count();
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_sl_get_device(uint32_t devIndex, ANeuralNetworksDevice **device)
{
	if (!device)
		return nnapi_null(__func__);
	*device = nnapi_device_at(devIndex);
	return *device ? ANEURALNETWORKS_NO_ERROR :
			 nnapi_error(BAD_DATA, "%s: there is no device %u", __func__, devIndex);
}

static SL_ANeuralNetworksPerformanceInfo nnapi_sl_performance(float figure)
{
	return (SL_ANeuralNetworksPerformanceInfo){ .execTime = figure, .powerUsage = figure };
}

static int nnapi_sl_get_performance(const ANeuralNetworksDevice *device, int32_t kind,
				    SL_ANeuralNetworksPerformanceInfo *info)
{
	const float figures[] = {
		[SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR] =
			nnb_performance_types[ANEURALNETWORKS_FLOAT32],
		[SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR] =
			nnb_performance_types[ANEURALNETWORKS_TENSOR_FLOAT32],
		[SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF] = nnb_performance_if,
		[SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE] = nnb_performance_while,
	};

	if (!device || !info)
		return nnapi_null(__func__);
	if (kind < 0 || (size_t)kind >= sizeof(figures) / sizeof(*figures))
		return nnapi_error(BAD_DATA, "%s: there is no performance %d", __func__, kind);
	*info = nnapi_sl_performance(figures[kind]);
	return ANEURALNETWORKS_NO_ERROR;
}

static int
nnapi_sl_for_each_performance(const ANeuralNetworksDevice *device, void *context,
			      void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void *))
{
	if (!device || !callback)
		return nnapi_null(__func__);
	for (int32_t type = 0; type < NNB_PERFORMANCE_TYPES; type++) {
		const SL_ANeuralNetworksOperandPerformanceInfo info = {
			.operandType = type,
			.performanceInfo = nnapi_sl_performance(nnb_performance_types[type]),
		};

		callback(info, context);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---------------------------------------------------------------------------------- extensions */

static int nnapi_sl_get_extension_support(const ANeuralNetworksDevice *device, const char *name,
					  bool *supported)
{
	if (!device || !name || !supported)
		return nnapi_null(__func__);
	*supported = !device->reference && nnb_extension_code(name, 0);
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_sl_get_operand_type(ANeuralNetworksModel *model, const char *name, uint16_t number,
				     int32_t *type)
{
	uint32_t code;

	if (!model || !name || !type)
		return nnapi_null(__func__);
	code = nnb_extension_code(name, number);
	if (!code)
		return nnapi_error(BAD_DATA, "%s: no device has the extension %s", __func__, name);
	*type = (int32_t)code;
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_sl_get_operation_type(ANeuralNetworksModel *model, const char *name,
				       uint16_t number, ANeuralNetworksOperationType *type)
{
	return nnapi_sl_get_operand_type(model, name, number, type);
}

static int nnapi_sl_get_extension_count(const ANeuralNetworksDevice *device, uint32_t *count)
{
	if (!device || !count)
		return nnapi_null(__func__);
	*count = nnb_extension_count();
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_sl_get_extension_name(const ANeuralNetworksDevice *device, uint32_t index,
				       const char **name)
{
	if (!device || !name)
		return nnapi_null(__func__);
	*name = nnb_extension_name(index);
	return *name ? ANEURALNETWORKS_NO_ERROR :
		       nnapi_error(BAD_DATA, "%s: there is no extension %u", __func__, index);
}

static int nnapi_sl_for_each_type(
	const ANeuralNetworksDevice *device, uint32_t index, void *context,
	void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void *))
{
	const char *name = nnb_extension_name(index);

	if (!device || !callback)
		return nnapi_null(__func__);
	if (!name)
		return nnapi_error(BAD_DATA, "%s: there is no extension %u", __func__, index);
	for (uint16_t i = 0; i < nnb_extension_operand_count(index); i++) {
		const struct nnb_extension_operand *operand =
			nnb_extension_operand(nnb_extension_code(name, i));
		const SL_ANeuralNetworksExtensionOperandTypeInformation info = {
			.byteSize = operand->size,
			.type = i,
			.isTensor = operand->tensor,
		};

		callback(info, context);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

/* -------------------------------------------------------------------------------- compilations */

/*
 * Diagnostics report only compilations that were created through the table: a client that registers
 * callbacks may not know of other users of the API in its process.
 */
static int nnapi_sl_compilation_create(ANeuralNetworksModel *model,
				       const ANeuralNetworksDevice *const *devices, uint32_t count,
				       ANeuralNetworksCompilation **compilation)
{
	int ret = ANeuralNetworksCompilation_createForDevices(model, devices, count, compilation);

	if (!ret)
		(*compilation)->diagnosed = true;
	return ret;
}

/* ------------------------------------------------------------------------------------- caching */

static int nnapi_sl_get_cache_files(const ANeuralNetworksDevice *device, uint32_t *model,
				    uint32_t *data)
{
	if (!device || !model || !data)
		return nnapi_null(__func__);
	*model = NNAPI_CACHE_FILES;
	*data = 0;
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_sl_set_caching(ANeuralNetworksCompilation *compilation, const int *model_fds,
				const uint32_t model_count, const int *data_fds,
				const uint32_t data_count, const uint8_t *token)
{
	if (!compilation || !token || (!model_fds && model_count) || (!data_fds && data_count))
		return nnapi_null(__func__);
	if (model_count != NNAPI_CACHE_FILES || data_count)
		return nnapi_error(BAD_DATA,
				   "%s: %u model and %u data cache files instead of 1 and 0",
				   __func__, model_count, data_count);
	return nnapi_compilation_set_cache_fd(compilation, model_fds[0], token, __func__);
}

/* --------------------------------------------------------------------------------- diagnostics */

#define NNAPI_SL_INFO(type, kind, name, value) \
	static type nnapi_sl_##kind##_##name(const ANeuralNetworksDiagnostic##kind##Info *info) \
	{ \
		return value; \
	}
#define NNAPI_SL_BOTH(type, name, value) \
	NNAPI_SL_INFO(type, Compilation, name, value) \
	NNAPI_SL_INFO(type, Execution, name, value)

NNAPI_SL_BOTH(int32_t, session, nnapi_diagnostic_session())
NNAPI_SL_BOTH(int64_t, version, ANEURALNETWORKS_FEATURE_LEVEL_8)
NNAPI_SL_BOTH(const uint8_t *, arch, info->model.arch)
NNAPI_SL_BOTH(const char *, devices, info->model.devices)
NNAPI_SL_BOTH(ANeuralNetworksDiagnosticDataClass, input, info->model.input)
NNAPI_SL_BOTH(ANeuralNetworksDiagnosticDataClass, output, info->model.output)
NNAPI_SL_BOTH(bool, caching, info->model.caching)
NNAPI_SL_BOTH(bool, control_flow, info->model.control_flow)
NNAPI_SL_BOTH(bool, dynamic, info->model.dynamic)
NNAPI_SL_INFO(int32_t, Compilation, error, info->error)
NNAPI_SL_INFO(uint64_t, Compilation, time, info->time_ns)
NNAPI_SL_INFO(uint32_t, Execution, error, info->error)
NNAPI_SL_INFO(ANeuralNetworksDiagnosticExecutionMode, Execution, mode, info->mode)
NNAPI_SL_INFO(uint64_t, Execution, runtime_time, info->runtime_ns)
NNAPI_SL_INFO(uint64_t, Execution, driver_time, info->driver_ns)
NNAPI_SL_INFO(uint64_t, Execution, hardware_time, info->hardware_ns)

/* ----------------------------------------------------------------------------------- the table */

#define NNAPI_SL_SAME(name) .name = name

static const NnApiSLDriverImplFL8 nnapi_sl_table = {
	.base = {
		.base.implFeatureLevel = ANEURALNETWORKS_FEATURE_LEVEL_8,
		NNAPI_SL_SAME(ANeuralNetworksBurst_create),
		NNAPI_SL_SAME(ANeuralNetworksBurst_free),
		.ANeuralNetworksCompilation_createForDevices = nnapi_sl_compilation_create,
		NNAPI_SL_SAME(ANeuralNetworksCompilation_finish),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_free),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_setCaching),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_setPreference),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_setPriority),
		NNAPI_SL_SAME(ANeuralNetworksCompilation_setTimeout),
		.ANeuralNetworksDevice_getExtensionSupport = nnapi_sl_get_extension_support,
		NNAPI_SL_SAME(ANeuralNetworksDevice_getFeatureLevel),
		NNAPI_SL_SAME(ANeuralNetworksDevice_getName),
		NNAPI_SL_SAME(ANeuralNetworksDevice_getType),
		NNAPI_SL_SAME(ANeuralNetworksDevice_getVersion),
		NNAPI_SL_SAME(ANeuralNetworksDevice_wait),
		NNAPI_SL_SAME(ANeuralNetworksEvent_createFromSyncFenceFd),
		NNAPI_SL_SAME(ANeuralNetworksEvent_free),
		NNAPI_SL_SAME(ANeuralNetworksEvent_getSyncFenceFd),
		NNAPI_SL_SAME(ANeuralNetworksEvent_wait),
		NNAPI_SL_SAME(ANeuralNetworksExecution_burstCompute),
		NNAPI_SL_SAME(ANeuralNetworksExecution_compute),
		NNAPI_SL_SAME(ANeuralNetworksExecution_create),
		NNAPI_SL_SAME(ANeuralNetworksExecution_enableInputAndOutputPadding),
		NNAPI_SL_SAME(ANeuralNetworksExecution_free),
		NNAPI_SL_SAME(ANeuralNetworksExecution_getDuration),
		NNAPI_SL_SAME(ANeuralNetworksExecution_getOutputOperandDimensions),
		NNAPI_SL_SAME(ANeuralNetworksExecution_getOutputOperandRank),
		NNAPI_SL_SAME(ANeuralNetworksExecution_setInput),
		NNAPI_SL_SAME(ANeuralNetworksExecution_setInputFromMemory),
		NNAPI_SL_SAME(ANeuralNetworksExecution_setLoopTimeout),
		NNAPI_SL_SAME(ANeuralNetworksExecution_setMeasureTiming),
		NNAPI_SL_SAME(ANeuralNetworksExecution_setOutput),
		NNAPI_SL_SAME(ANeuralNetworksExecution_setOutputFromMemory),
		NNAPI_SL_SAME(ANeuralNetworksExecution_setReusable),
		NNAPI_SL_SAME(ANeuralNetworksExecution_setTimeout),
		NNAPI_SL_SAME(ANeuralNetworksExecution_startComputeWithDependencies),
		NNAPI_SL_SAME(ANeuralNetworksMemoryDesc_addInputRole),
		NNAPI_SL_SAME(ANeuralNetworksMemoryDesc_addOutputRole),
		NNAPI_SL_SAME(ANeuralNetworksMemoryDesc_create),
		NNAPI_SL_SAME(ANeuralNetworksMemoryDesc_finish),
		NNAPI_SL_SAME(ANeuralNetworksMemoryDesc_free),
		NNAPI_SL_SAME(ANeuralNetworksMemoryDesc_setDimensions),
		NNAPI_SL_SAME(ANeuralNetworksMemory_copy),
		NNAPI_SL_SAME(ANeuralNetworksMemory_createFromAHardwareBuffer),
		NNAPI_SL_SAME(ANeuralNetworksMemory_createFromDesc),
		NNAPI_SL_SAME(ANeuralNetworksMemory_createFromFd),
		NNAPI_SL_SAME(ANeuralNetworksMemory_free),
		NNAPI_SL_SAME(ANeuralNetworksModel_addOperand),
		NNAPI_SL_SAME(ANeuralNetworksModel_addOperation),
		NNAPI_SL_SAME(ANeuralNetworksModel_create),
		NNAPI_SL_SAME(ANeuralNetworksModel_finish),
		NNAPI_SL_SAME(ANeuralNetworksModel_free),
		.ANeuralNetworksModel_getExtensionOperandType = nnapi_sl_get_operand_type,
		.ANeuralNetworksModel_getExtensionOperationType = nnapi_sl_get_operation_type,
		NNAPI_SL_SAME(ANeuralNetworksModel_getSupportedOperationsForDevices),
		NNAPI_SL_SAME(ANeuralNetworksModel_identifyInputsAndOutputs),
		NNAPI_SL_SAME(ANeuralNetworksModel_relaxComputationFloat32toFloat16),
		NNAPI_SL_SAME(ANeuralNetworksModel_setOperandExtensionData),
		NNAPI_SL_SAME(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams),
		NNAPI_SL_SAME(ANeuralNetworksModel_setOperandValue),
		NNAPI_SL_SAME(ANeuralNetworksModel_setOperandValueFromMemory),
		NNAPI_SL_SAME(ANeuralNetworksModel_setOperandValueFromModel),
		NNAPI_SL_SAME(ANeuralNetworks_getDefaultLoopTimeout),
		.ANeuralNetworks_getDevice = nnapi_sl_get_device,
		.ANeuralNetworks_getDeviceCount = nnapi_sl_get_device_count,
		NNAPI_SL_SAME(ANeuralNetworks_getMaximumLoopTimeout),
		NNAPI_SL_SAME(ANeuralNetworks_getRuntimeFeatureLevel),
		.SL_ANeuralNetworksCompilation_setCachingFromFds = nnapi_sl_set_caching,
		.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded = nnapi_sl_get_cache_files,
		.SL_ANeuralNetworksDevice_getPerformanceInfo = nnapi_sl_get_performance,
		.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo =
			nnapi_sl_for_each_performance,
		.SL_ANeuralNetworksDevice_getVendorExtensionCount = nnapi_sl_get_extension_count,
		.SL_ANeuralNetworksDevice_getVendorExtensionName = nnapi_sl_get_extension_name,
		.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation =
			nnapi_sl_for_each_type,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId =
			nnapi_sl_Compilation_session,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion =
			nnapi_sl_Compilation_version,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash =
			nnapi_sl_Compilation_arch,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds =
			nnapi_sl_Compilation_devices,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode =
			nnapi_sl_Compilation_error,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass =
			nnapi_sl_Compilation_input,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass =
			nnapi_sl_Compilation_output,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos =
			nnapi_sl_Compilation_time,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled =
			nnapi_sl_Compilation_caching,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed =
			nnapi_sl_Compilation_control_flow,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed =
			nnapi_sl_Compilation_dynamic,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId =
			nnapi_sl_Execution_session,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion =
			nnapi_sl_Execution_version,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash =
			nnapi_sl_Execution_arch,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds =
			nnapi_sl_Execution_devices,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode =
			nnapi_sl_Execution_mode,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass =
			nnapi_sl_Execution_input,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass =
			nnapi_sl_Execution_output,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode = nnapi_sl_Execution_error,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos =
			nnapi_sl_Execution_runtime_time,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos =
			nnapi_sl_Execution_driver_time,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos =
			nnapi_sl_Execution_hardware_time,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled =
			nnapi_sl_Execution_caching,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed =
			nnapi_sl_Execution_control_flow,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed =
			nnapi_sl_Execution_dynamic,
		.SL_ANeuralNetworksDiagnostic_registerCallbacks = nnapi_diagnostic_register,
	},
	NNAPI_SL_SAME(ANeuralNetworksCompilation_addExtensionAttribute),
	NNAPI_SL_SAME(ANeuralNetworksExecution_addExtensionAttribute),
};

/* The public header lacks const; the table is in read-only memory, and no client writes to it. */
NNAPI_EXPORT NnApiSLDriverImpl *ANeuralNetworks_getSLDriverImpl(void)
{
	return (NnApiSLDriverImpl *)&nnapi_sl_table;
}

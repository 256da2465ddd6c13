// SPDX-License-Identifier: MIT
/* Results of a run: dimensions of outputs, and durations. */
#include <string.h>

#include "hal-bridge/nnapi/event.h"
#include "hal-bridge/nnapi/execution.h"
#include "hal-bridge/nnapi/nnapi.h"

/* Return: NO_ERROR if a run has ended with dimensions of outputs. */
static int nnapi_result_check(ANeuralNetworksExecution *execution, const char *function)
{
	enum nnapi_state state;
	int result;

	pthread_mutex_lock(&execution->lock);
	state = execution->state;
	result = execution->result;
	pthread_mutex_unlock(&execution->lock);
	if (state != NNAPI_COMPLETED)
		return nnapi_error(BAD_STATE, "%s: the execution has not completed", function);
	if (result != ANEURALNETWORKS_NO_ERROR &&
	    result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
		return nnapi_error(BAD_STATE, "%s: the execution failed", function);
	return ANEURALNETWORKS_NO_ERROR;
}

/*
 * Gets the dimensions of an output. Return: OUTPUT_INSUFFICIENT_SIZE, with the dimensions, for an
 * output that did not fit.
 */
static int nnapi_result_get_dims(ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank,
				 uint32_t dims[NNACCEL_MAX_RANK], const char *function)
{
	int ret = nnapi_result_check(execution, function);

	if (ret)
		return ret;
	if (index < 0 || (uint32_t)index >= execution->output_count)
		return nnapi_error(BAD_DATA, "%s: there is no output %d", function, index);
	return nnb_result_of_call(
		nnapi_execution_get_output_dims(execution, index, rank, dims));
}

NNAPI_EXPORT int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
							       int32_t index, uint32_t *rank)
{
	uint32_t dims[NNACCEL_MAX_RANK];

	if (!execution || !rank)
		return nnapi_null(__func__);
	*rank = 0;
	return nnapi_result_get_dims(execution, index, rank, dims, __func__);
}

NNAPI_EXPORT int
ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
						    int32_t index, uint32_t *dimensions)
{
	uint32_t dims[NNACCEL_MAX_RANK] = { 0 }, rank = 0;
	int ret;

	if (!execution || !dimensions)
		return nnapi_null(__func__);
	ret = nnapi_result_get_dims(execution, index, &rank, dims, __func__);
	if (ret && ret != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
		return ret;
	if (!rank)
		return nnapi_error(BAD_DATA, "%s: output %d is a scalar", __func__, index);
	memcpy(dimensions, dims, rank * sizeof(*dims));
	return ret;
}

/*
 * Return: ns from the moment when the last dependency of the run had ended to the end of the run on
 * the device. That moment is execution->ready_ns if the library waited for dependencies, else the
 * start of the run, or a later signal of a fence. It is never later than the start on the device.
 * If the time of a signal is unknown, the start on the device is taken. For a run without
 * dependencies the result is execution->driver_ns. UINT64_MAX if the device does not say when a run
 * has ended.
 */
static uint64_t nnapi_result_fenced_ns(const ANeuralNetworksExecution *execution,
				       const struct nna_timing *timing)
{
	uint64_t from = execution->ready_ns ? execution->ready_ns : execution->began_ns;

	if (!execution->ready_ns && !execution->waited_count)
		return execution->driver_ns;
	if (!timing->begin)
		return UINT64_MAX;
	for (uint32_t i = 0; i < execution->waited_count; i++) {
		uint64_t time = nnapi_fence_fd_get_time(execution->waited[i]);

		if (!time)
			return timing->end - timing->begin;
		from = time > from ? time : from;
	}
	return timing->end - (from < timing->begin ? from : timing->begin);
}

NNAPI_EXPORT int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
						      int32_t durationCode, uint64_t *duration)
{
	ANeuralNetworksExecution *self = (ANeuralNetworksExecution *)execution;
	struct nna_timing timing;

	if (!execution || !duration)
		return nnapi_null(__func__);
	*duration = UINT64_MAX;
	if (durationCode < ANEURALNETWORKS_DURATION_ON_HARDWARE ||
	    durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
		return nnapi_error(BAD_DATA, "%s: there is no duration %d", __func__, durationCode);
	if (nnapi_execution_state(self) != NNAPI_COMPLETED)
		return nnapi_error(BAD_STATE, "%s: the execution has not completed", __func__);
	if (execution->result != ANEURALNETWORKS_NO_ERROR)
		return nnapi_error(BAD_STATE, "%s: the execution failed", __func__);
	if (!execution->measure)
		return nnapi_error(BAD_STATE,
				   "%s: call ANeuralNetworksExecution_setMeasureTiming() before "
				   "the run", __func__);
	if (nna_execution_get_timing(execution->execution, &timing))
		return ANEURALNETWORKS_NO_ERROR;
	switch (durationCode) {
	case ANEURALNETWORKS_DURATION_ON_HARDWARE:
	case ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE:
		if (timing.begin)
			*duration = timing.span;
		break;
	case ANEURALNETWORKS_DURATION_IN_DRIVER:
		*duration = execution->driver_ns;
		break;
	default:
		*duration = nnapi_result_fenced_ns(execution, &timing);
		break;
	}
	return ANEURALNETWORKS_NO_ERROR;
}

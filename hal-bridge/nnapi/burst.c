// SPDX-License-Identifier: MIT
/*
 * Bursts: runs of one compilation in quick succession. On Android a burst saves the set-up of each
 * submission. This library has no such set-up, so a burst only enforces the API's rules.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "hal-bridge/nnapi/compilation.h"
#include "hal-bridge/nnapi/execution.h"
#include "hal-bridge/nnapi/nnapi.h"

/**
 * struct ANeuralNetworksBurst - a burst
 * @compilation: a reference
 * @busy: an execution is under way; a burst allows one at a time
 */
struct ANeuralNetworksBurst {
	ANeuralNetworksCompilation *compilation;
	atomic_bool busy;
};

NNAPI_EXPORT int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
					     ANeuralNetworksBurst **burst)
{
	if (!compilation || !burst)
		return nnapi_null(__func__);
	*burst = NULL;
	if (!nnapi_compilation_is_ready(compilation))
		return nnapi_error(BAD_STATE, "%s: the compilation is not finished, or failed",
				   __func__);
	*burst = calloc(1, sizeof(**burst));
	if (!*burst)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	(*burst)->compilation = nnapi_object_ref(compilation);
	atomic_init(&(*burst)->busy, false);
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst)
{
	if (!burst)
		return;
	nnapi_object_unref(burst->compilation);
	free(burst);
}

NNAPI_EXPORT int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
						       ANeuralNetworksBurst *burst)
{
	int ret;

	if (!execution || !burst)
		return nnapi_null(__func__);
	if (execution->compilation != burst->compilation)
		return nnapi_error(BAD_DATA, "%s: the burst belongs to another compilation",
				   __func__);
	if (atomic_exchange(&burst->busy, true))
		return nnapi_error(BAD_STATE, "%s: the burst's execution is still under way",
				   __func__);
	ret = nnapi_execution_run(execution, ANNDIAG_EXECUTION_MODE_BURST, __func__);
	atomic_store(&burst->busy, false);
	return ret;
}

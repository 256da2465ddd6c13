/* SPDX-License-Identifier: MIT */
/* Runs that have a thread of their own. */
#ifndef NNAPI_ASYNC_H
#define NNAPI_ASYNC_H

#include <stdint.h>

#include "hal-bridge/nnapi/event.h"
#include "hal-bridge/nnapi/execution.h"
#include "hal-bridge/include/NeuralNetworks.h"

/*
 * Starts a thread for the run of @execution, which has begun and ends with @event. The thread first
 * waits for @count dependencies. From then on the run may take @duration ns, 0 for no limit.
 * Return: 0 or a negative errno; after an error there is no thread.
 */
int nnapi_async_start(ANeuralNetworksExecution *execution, ANeuralNetworksEvent *event,
		      const ANeuralNetworksEvent *const *dependencies, uint32_t count,
		      uint64_t duration);

#endif

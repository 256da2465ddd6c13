/* SPDX-License-Identifier: MIT */
/* Runs that a thread of their own computes. */
#ifndef NNAPI_ASYNC_H
#define NNAPI_ASYNC_H

#include <stdint.h>

#include "hal-bridge/nnapi/event.h"
#include "hal-bridge/nnapi/execution.h"
#include "hal-bridge/include/NeuralNetworks.h"

/*
 * Gives the run of @execution, which has begun and ends with @event, to a thread, which waits for
 * @count dependencies first. The run may take @duration ns from then on, 0 is no limit. Return: 0
 * or a negative errno; then there is no thread.
 */
int nnapi_async_start(ANeuralNetworksExecution *execution, ANeuralNetworksEvent *event,
		      const ANeuralNetworksEvent *const *dependencies, uint32_t count,
		      uint64_t duration);

#endif

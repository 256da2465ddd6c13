/* SPDX-License-Identifier: MIT */
/* The device, and the limits of the runtime. */
#ifndef NNAPI_DEVICE_H
#define NNAPI_DEVICE_H

#include <stdint.h>

#include "hal-bridge/nnapi/NeuralNetworks.h"
#include "nnaccel.h"

#define NNAPI_LOOP_DEFAULT_NS 2000000000ull
#define NNAPI_LOOP_MAXIMUM_NS 15000000000ull

/**
 * struct ANeuralNetworksDevice - the device
 * @name: "nnaccel-" and the last part of the node's path
 * @version: of driver and ABI
 */
struct ANeuralNetworksDevice {
	struct nna_device *device;
	struct nna_device_info info;
	char name[80];
	char version[64];
};

/* The device; NULL when none could be opened. Thread-safe. */
struct ANeuralNetworksDevice *nnapi_device_get(void);

/* NO_ERROR when @devices is the device and nothing else. */
int nnapi_device_check_list(const ANeuralNetworksDevice *const *devices, uint32_t count,
			    const char *function);

#endif

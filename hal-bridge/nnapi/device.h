/* SPDX-License-Identifier: MIT */
/*
 * The devices, and the limits of the runtime.
 *
 *	0	the accelerator, when there is one: what NNACCEL_DEVICE names
 *	last	nnapi-reference, always: the loopback with its scalar kernels, in this process. It
 *		takes every operation that a model can have, but a vendor's
 *
 * The reference is the C API's own, as Android's runtime has one; HALs know nothing of it. Its
 * device is opened by the first compilation for it.
 */
#ifndef NNAPI_DEVICE_H
#define NNAPI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "nnaccel.h"

#define NNAPI_LOOP_DEFAULT_NS 2000000000ull
#define NNAPI_LOOP_MAXIMUM_NS 15000000000ull

/**
 * struct ANeuralNetworksDevice - a device
 * @device: the library's; of the reference: NULL until it is opened, or when it is not installed
 * @reference: nnapi-reference
 * @name: the same whatever the number of the node is
 * @version: of driver, ABI and build, without commas: diagnostics put them between devices
 */
struct ANeuralNetworksDevice {
	struct nna_device *device;
	struct nna_device_info info;
	bool reference;
	char name[80];
	char version[96];
};

/* The accelerator; NULL when none could be opened. Thread-safe, as what follows is. */
struct ANeuralNetworksDevice *nnapi_device_get(void);
/* The reference, opened or not. */
struct ANeuralNetworksDevice *nnapi_device_get_reference(void);
/* The library's device; the reference is opened by the first call. NULL with a line in the log. */
struct nna_device *nnapi_device_open(struct ANeuralNetworksDevice *device);

/* NO_ERROR when @devices are devices, each named once. */
int nnapi_device_check_list(const ANeuralNetworksDevice *const *devices, uint32_t count,
			    const char *function);

#endif

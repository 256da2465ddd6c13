/* SPDX-License-Identifier: MIT */
/*
 * The devices, and the limits of the runtime.
 *
 *	0 ...	the accelerators of NNACCEL_DEVICE, if there are any
 *	last	nnapi-reference, always: the loopback with its scalar kernels, in this process. It
 *		takes every operation that is no vendor's
 *
 * The accelerators are those that are there when the first of them is needed; later the list does
 * not change. One that is unplugged stays in it, and what runs there fails with DEAD_OBJECT.
 *
 * The reference belongs to the C API, as in Android's runtime; the HAL does not have it. The first
 * compilation for it opens its device.
 */
#ifndef NNAPI_DEVICE_H
#define NNAPI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "nnaccel.h"

/* Accelerators at most, and all devices. */
#define NNAPI_ACCELERATORS 8u
#define NNAPI_DEVICES (NNAPI_ACCELERATORS + 1)

#define NNAPI_LOOP_DEFAULT_NS 2000000000ull
#define NNAPI_LOOP_MAXIMUM_NS 15000000000ull

/**
 * struct ANeuralNetworksDevice - a device
 * @device: the library's; of the reference: NULL until it is opened, or if it is not installed
 * @reference: it is nnapi-reference
 * @name: "nnaccel-nna" of the first accelerator, "nnaccel-nna-2" of the second: does not depend on
 *	the number of the device node
 * @version: of driver, ABI and build, without commas, because diagnostics separate devices by
 *	commas
 */
struct ANeuralNetworksDevice {
	struct nna_device *device;
	struct nna_device_info info;
	bool reference;
	char name[80];
	char version[96];
};

/* Return: the number of accelerators. Thread-safe, as the functions below are. */
uint32_t nnapi_device_count(void);
/* Return: accelerator @index; NULL if there are not that many. */
struct ANeuralNetworksDevice *nnapi_device_at(uint32_t index);
/*
 * Return: the accelerator of compilations without a list: the first that has not been unplugged, or
 * else the first; NULL if none could be opened.
 */
struct ANeuralNetworksDevice *nnapi_device_get(void);
/* Return: true if NNACCEL_DEVICE names accelerators, and none of them could be opened. */
bool nnapi_device_is_missing(void);
/* Return: the reference, opened or not. */
struct ANeuralNetworksDevice *nnapi_device_get_reference(void);
/*
 * Return: the library's device. The first call opens the reference. NULL, with a line in the log,
 * if it cannot be opened.
 */
struct nna_device *nnapi_device_open(struct ANeuralNetworksDevice *device);

/* Return: NO_ERROR if @devices are valid and distinct. */
int nnapi_device_check_list(const ANeuralNetworksDevice *const *devices, uint32_t count,
			    const char *function);

#endif

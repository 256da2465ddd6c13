// SPDX-License-Identifier: MIT
/*
 * The devices (the accelerators of NNACCEL_DEVICE and the reference), and the API's queries of them
 * and of the runtime. The first user of an accelerator opens all of them, and the first user of the
 * reference opens that. They stay open until the process ends.
 */
#define NNAPI_TAG NNA_MESSAGE_MANAGER

#include "hal-bridge/nnapi/device.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/common/extension.h"
#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/environment.h"
#include "nna_build_id.h"

static pthread_once_t nnapi_device_once = PTHREAD_ONCE_INIT;
static pthread_once_t nnapi_reference_once = PTHREAD_ONCE_INIT;
static struct ANeuralNetworksDevice nnapi_accelerators[NNAPI_ACCELERATORS];
static uint32_t nnapi_accelerator_count;
static bool nnapi_accelerators_missing; /* accelerators are named, and none could be opened */
static struct ANeuralNetworksDevice nnapi_reference = {
	.reference = true,
	.name = "nnapi-reference",
	.version = "build " NNA_BUILD_ID,
};

/* Opens one more accelerator. */
static void nnapi_accelerator_open(const char *wanted)
{
	struct ANeuralNetworksDevice *self = &nnapi_accelerators[nnapi_accelerator_count];
	const struct nna_device_options options = { .log = nna_message_log };
	struct nna_device_info info;
	char number[16] = "";
	int ret;

	if (nnapi_accelerator_count == NNAPI_ACCELERATORS) {
		nna_message(MANAGER, "%s: there are %u accelerators already, which is the most",
			    wanted, NNAPI_ACCELERATORS);
		return;
	}
	ret = nna_device_open(wanted, &options, &self->device);
	if (ret) {
		self->device = NULL;
		nna_message_insist(NNAPI_TAG, "no accelerator: %s: %s", wanted, strerror(-ret));
		return;
	}
	nna_device_get_info(self->device, &info);
	if (nnapi_accelerator_count)
		snprintf(number, sizeof(number), "-%u", nnapi_accelerator_count + 1);
	snprintf(self->name, sizeof(self->name), "nnaccel-%s%s", info.loopback ? "loopback" : "nna",
		 number);
	snprintf(self->version, sizeof(self->version), "%.31s ABI %u.%u build " NNA_BUILD_ID,
		 info.driver, info.abi_major, info.abi_minor);
	self->info = info;
	nna_message(MANAGER, "%s is %s", self->name, wanted);
	nnapi_accelerator_count++;
}

/* Opens all accelerators of the machine, or else what "auto" stands for. */
static void nnapi_accelerators_find(void)
{
	char name[64];

	for (uint32_t i = 0; !nna_device_find(i, name, sizeof(name)); i++)
		nnapi_accelerator_open(name);
	if (!nnapi_accelerator_count)
		nnapi_accelerator_open("auto");
}

static void nnapi_accelerators_open(void)
{
	const char *wanted = nna_environment_get("NNACCEL_DEVICE");
	char *copy, *name, *rest;

	if (!wanted || !strcmp(wanted, "auto")) {
		nnapi_accelerators_find();
		return;
	}
	if (!strcmp(wanted, nnapi_reference.name))
		return;
	copy = strdup(wanted);
	if (!copy) {
		nna_message_insist(NNAPI_TAG, "no accelerator: %s", strerror(ENOMEM));
		return;
	}
	/* Who names a device does not want another one in its place. */
	for (name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		nnapi_accelerator_open(name);
	nnapi_accelerators_missing = !nnapi_accelerator_count;
	free(copy);
}

static void nnapi_reference_open(void)
{
	struct ANeuralNetworksDevice *self = &nnapi_reference;
	const struct nna_device_options options = { .log = nna_message_log, .isa = NNA_ISA_SCALAR };
	int ret = nna_device_open("loopback", &options, &self->device);

	if (ret) {
		self->device = NULL;
		nna_message(MANAGER, "%s: the loopback cannot be opened: %s", self->name,
			    strerror(-ret));
		return;
	}
	nna_device_get_info(self->device, &self->info);
}

uint32_t nnapi_device_count(void)
{
	pthread_once(&nnapi_device_once, nnapi_accelerators_open);
	return nnapi_accelerator_count;
}

struct ANeuralNetworksDevice *nnapi_device_at(uint32_t index)
{
	return index < nnapi_device_count() ? &nnapi_accelerators[index] : NULL;
}

struct ANeuralNetworksDevice *nnapi_device_get(void)
{
	const uint32_t count = nnapi_device_count();

	/* With one there is no choice, and no need to ask the driver. */
	for (uint32_t i = 0; count > 1 && i < count; i++) {
		if (!nna_device_check(nnapi_accelerators[i].device))
			return &nnapi_accelerators[i];
	}
	return nnapi_device_at(0);
}

bool nnapi_device_is_missing(void)
{
	return !nnapi_device_count() && nnapi_accelerators_missing;
}

struct ANeuralNetworksDevice *nnapi_device_get_reference(void)
{
	return &nnapi_reference;
}

struct nna_device *nnapi_device_open(struct ANeuralNetworksDevice *device)
{
	if (device->reference)
		pthread_once(&nnapi_reference_once, nnapi_reference_open);
	return device->device;
}

static bool nnapi_device_is_listed(const ANeuralNetworksDevice *device)
{
	const uint32_t count = nnapi_device_count();

	for (uint32_t i = 0; i < count; i++) {
		if (device == &nnapi_accelerators[i])
			return true;
	}
	return device == &nnapi_reference;
}

int nnapi_device_check_list(const ANeuralNetworksDevice *const *devices, uint32_t count,
			    const char *function)
{
	if (!devices)
		return nnapi_null(function);
	if (!count)
		return nnapi_error(BAD_DATA, "%s: the list of devices is empty", function);
	for (uint32_t i = 0; i < count; i++) {
		if (!devices[i])
			return nnapi_null(function);
		if (!nnapi_device_is_listed(devices[i]))
			return nnapi_error(BAD_DATA, "%s: entry %u is no device of this library",
					   function, i);
		for (uint32_t k = 0; k < i; k++) {
			if (devices[k] == devices[i])
				return nnapi_error(BAD_DATA, "%s: the list has a device twice",
						   function);
		}
	}
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int64_t ANeuralNetworks_getRuntimeFeatureLevel(void)
{
	return ANEURALNETWORKS_FEATURE_LEVEL_8;
}

NNAPI_EXPORT uint64_t ANeuralNetworks_getDefaultLoopTimeout(void)
{
	return NNAPI_LOOP_DEFAULT_NS;
}

NNAPI_EXPORT uint64_t ANeuralNetworks_getMaximumLoopTimeout(void)
{
	return NNAPI_LOOP_MAXIMUM_NS;
}

NNAPI_EXPORT int ANeuralNetworks_getDeviceCount(uint32_t *numDevices)
{
	if (!numDevices)
		return nnapi_null(__func__);
	*numDevices = nnapi_device_count() + 1;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device)
{
	if (!device)
		return nnapi_null(__func__);
	*device = NULL;
	if (devIndex > nnapi_device_count())
		return nnapi_error(BAD_DATA, "%s: there is no device %u", __func__, devIndex);
	*device = devIndex < nnapi_device_count() ? nnapi_device_at(devIndex) : &nnapi_reference;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device,
					       const char **name)
{
	if (!device || !name)
		return nnapi_null(__func__);
	*name = device->name;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type)
{
	if (!device || !type)
		return nnapi_null(__func__);
	*type = device->reference ? ANEURALNETWORKS_DEVICE_CPU : ANEURALNETWORKS_DEVICE_ACCELERATOR;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device,
						  const char **version)
{
	if (!device || !version)
		return nnapi_null(__func__);
	*version = device->version;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
						       int64_t *featureLevel)
{
	if (!device || !featureLevel)
		return nnapi_null(__func__);
	*featureLevel = ANEURALNETWORKS_FEATURE_LEVEL_8;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice *device,
							   const char *extensionName,
							   bool *isExtensionSupported)
{
	if (!device || !extensionName || !isExtensionSupported)
		return nnapi_null(__func__);
	*isExtensionSupported = !device->reference && nnb_extension_code(extensionName, 0) &&
				nnb_extension_is_allowed();
	return ANEURALNETWORKS_NO_ERROR;
}

/*
 * A device is ready at once, or it is gone and does not come back under the same handle. So there
 * is no wait: creating a buffer shows which of both is true.
 */
NNAPI_EXPORT int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device)
{
	struct nna_buffer *probe = NULL;
	int ret;

	if (!device)
		return nnapi_null(__func__);
	if (device->reference)
		return ANEURALNETWORKS_NO_ERROR;
	ret = nna_buffer_create(device->device, 1, &probe);
	nna_buffer_destroy(probe);
	return nnb_result_of_call(ret);
}

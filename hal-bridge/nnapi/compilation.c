// SPDX-License-Identifier: MIT
/* Compilations: a model compiled for the device, and how it is to be compiled and run. */
#include "hal-bridge/nnapi/compilation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/common/cache.h"
#include "hal-bridge/common/deadline.h"
#include "hal-bridge/nnapi/device.h"
#include "hal-bridge/nnapi/nnapi.h"

_Static_assert(NNB_CACHE_TOKEN_SIZE == ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN,
	       "a token is one of NNAPI's");

#define NNAPI_ALIGNMENT 64 /* bytes; an offset that is no multiple of it takes a copy (nna_route) */
#define NNAPI_PADDING 1 /* bytes; the size of an argument's memory need not be rounded up */

static void nnapi_compilation_destroy(void *object)
{
	ANeuralNetworksCompilation *compilation = object;

	nna_program_destroy(compilation->program);
	nnapi_object_unref(compilation->model);
	free(compilation->cache_dir);
	free(compilation);
}

bool nnapi_compilation_is_ready(const ANeuralNetworksCompilation *compilation)
{
	return compilation->program || compilation->cannot_compute;
}

const struct nnb_operand *nnapi_compilation_operand(const ANeuralNetworksCompilation *compilation,
						    bool output, uint32_t index)
{
	return nnb_model_argument(&compilation->model->model, output, index);
}

static int nnapi_compilation_create(ANeuralNetworksModel *model,
				    const ANeuralNetworksDevice *const *devices, uint32_t count,
				    ANeuralNetworksCompilation **compilation, const char *function)
{
	if (!model->finished || !model->model.graph)
		return nnapi_error(BAD_STATE, "%s: the model is not finished, or invalid",
				   function);
	*compilation = calloc(1, sizeof(**compilation));
	if (!*compilation)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	nnapi_object_init(&(*compilation)->object, nnapi_compilation_destroy);
	(*compilation)->model = nnapi_object_ref(model);
	for (uint32_t i = 0; i < count; i++)
		(*compilation)->listed[i] = (ANeuralNetworksDevice *)devices[i];
	(*compilation)->listed_count = count;
	(*compilation)->explicit_device = count == 1;
	(*compilation)->priority = NNA_PRIORITY_MEDIUM;
	(*compilation)->preference = ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
						   ANeuralNetworksCompilation **compilation)
{
	if (!model || !compilation)
		return nnapi_null(__func__);
	*compilation = NULL;
	return nnapi_compilation_create(model, NULL, 0, compilation, __func__);
}

NNAPI_EXPORT int ANeuralNetworksCompilation_createForDevices(
	ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
	uint32_t numDevices, ANeuralNetworksCompilation **compilation)
{
	int ret;

	if (!model || !compilation)
		return nnapi_null(__func__);
	*compilation = NULL;
	ret = nnapi_device_check_list(devices, numDevices, __func__);
	if (ret)
		return ret;
	return nnapi_compilation_create(model, devices, numDevices, compilation, __func__);
}

NNAPI_EXPORT void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation)
{
	nnapi_object_unref(compilation);
}

/* NO_ERROR while the compilation can be changed. */
static int nnapi_compilation_open(const ANeuralNetworksCompilation *compilation,
				  const char *function)
{
	if (!compilation)
		return nnapi_null(function);
	if (compilation->finished)
		return nnapi_error(BAD_STATE, "%s: the compilation is finished", function);
	return ANEURALNETWORKS_NO_ERROR;
}

/* What can be done with the directory is found out when it is used: no error of the compilation. */
NNAPI_EXPORT int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation,
						       const char *cacheDir, const uint8_t *token)
{
	char *dir;
	int ret;

	if (!compilation || !cacheDir || !token)
		return nnapi_null(__func__);
	ret = nnapi_compilation_open(compilation, __func__);
	if (ret)
		return ret;
	dir = strdup(cacheDir);
	if (!dir)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	free(compilation->cache_dir);
	compilation->cache_dir = dir;
	memcpy(compilation->cache_token, token, sizeof(compilation->cache_token));
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation,
							  int32_t preference)
{
	int ret = nnapi_compilation_open(compilation, __func__);

	if (ret)
		return ret;
	if (preference < ANEURALNETWORKS_PREFER_LOW_POWER ||
	    preference > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED)
		return nnapi_error(BAD_DATA, "%s: there is no preference %d", __func__, preference);
	/* The device has one way to run a program: only caches tell preferences apart. */
	compilation->preference = preference;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation,
							int priority)
{
	int ret = nnapi_compilation_open(compilation, __func__);

	if (ret)
		return ret;
	switch (priority) {
	case ANEURALNETWORKS_PRIORITY_LOW:
		compilation->priority = NNA_PRIORITY_LOW;
		break;
	case ANEURALNETWORKS_PRIORITY_MEDIUM:
		compilation->priority = NNA_PRIORITY_MEDIUM;
		break;
	case ANEURALNETWORKS_PRIORITY_HIGH:
		compilation->priority = NNA_PRIORITY_HIGH;
		break;
	default:
		return nnapi_error(BAD_DATA, "%s: there is no priority %d", __func__, priority);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation,
						       uint64_t duration)
{
	int ret = nnapi_compilation_open(compilation, __func__);

	if (ret)
		return ret;
	if (!compilation->explicit_device)
		return nnapi_error(BAD_DATA, "%s: needs a compilation for one device", __func__);
	compilation->timeout_ns = duration;
	return ANEURALNETWORKS_NO_ERROR;
}

/*
 * Makes the program: out of the cache, or of the model, and then the cache gets it. Problems of the
 * cache are lines in the log.
 */
static int nnapi_compilation_make(ANeuralNetworksCompilation *compilation,
				  const struct ANeuralNetworksDevice *device,
				  struct nna_device *opened,
				  const struct nna_program_options *options)
{
	struct nna_graph *graph = compilation->model->model.graph;
	char *path = NULL;
	int ret = -ENOENT;

	if (compilation->cache_dir)
		path = nnb_cache_path(compilation->cache_dir, compilation->cache_token,
				      device->name, options->preference);
	if (path)
		ret = nnb_cache_load(path, NNB_CACHE_LIMIT, opened, graph, options,
				     &compilation->program);
	if (!ret)
		nnb_log("cache: %s: used", path);
	if (ret) {
		ret = nna_program_create(opened, graph, options, &compilation->program);
		if (!ret && path && !nnb_cache_save(path, NNB_CACHE_LIMIT, compilation->program))
			nnb_log("cache: %s: written", path);
	}
	free(path);
	return ret;
}

/* Compiles the model for one device. Return: 0, also after @cannot_compute, or a negative errno. */
static int nnapi_compilation_compile(ANeuralNetworksCompilation *compilation,
				     struct ANeuralNetworksDevice *device, uint64_t deadline_ns)
{
	const struct nna_program_options options = {
		.priority = compilation->priority,
		.deadline_ns = deadline_ns,
		.preference = compilation->preference,
	};
	struct nna_device *opened = nnapi_device_open(device);
	int ret;

	if (!opened)
		return -ENOENT;
	ret = nnapi_compilation_make(compilation, device, opened, &options);
	if (ret)
		compilation->program = NULL;
	else
		compilation->device = device;
	/* The reference takes every operation but a vendor's; what it cannot compute fails then. */
	if (device->reference && nnb_result_of_call(ret) == ANEURALNETWORKS_BAD_DATA &&
	    !compilation->model->model.vendor) {
		nnb_log("%s: the model cannot be computed, executions will fail", device->name);
		compilation->device = device;
		compilation->cannot_compute = true;
		return 0;
	}
	return ret;
}

/*
 * Devices in the order in which they are asked: those that are listed, or the accelerator and the
 * reference. The first that can compile the model gets all of it.
 */
NNAPI_EXPORT int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation)
{
	struct ANeuralNetworksDevice *devices[2] = { nnapi_device_get(),
						     nnapi_device_get_reference() };
	struct nnb_deadline deadline;
	int ret = nnapi_compilation_open(compilation, __func__);
	uint32_t count = 2, first = !devices[0];
	uint64_t deadline_ns;

	if (ret)
		return ret;
	if (compilation->listed_count) {
		count = compilation->listed_count;
		first = 0;
		memcpy(devices, compilation->listed, sizeof(devices));
	}
	compilation->finished = true;
	deadline_ns = nnb_deadline_begin(&deadline, compilation->timeout_ns);
	for (uint32_t i = first; i < count; i++) {
		ret = nnapi_compilation_compile(compilation, devices[i], deadline_ns);
		if (!ret)
			return ANEURALNETWORKS_NO_ERROR;
		nnb_log("%s: %s: %s", __func__, devices[i]->name, strerror(-ret));
		/* With a list there is no way around a device that is listed and fails. */
		if (compilation->listed_count &&
		    nnb_result_of_call(ret) != ANEURALNETWORKS_BAD_DATA)
			break;
	}
	return ret == -ETIMEDOUT ? nnb_deadline_result(&deadline, 0) : nnb_result_of_call(ret);
}

/*
 * Writes what is preferred for the memory of an input or output, which is the same for all of them.
 */
static int nnapi_compilation_prefer(const ANeuralNetworksCompilation *compilation, bool output,
				    uint32_t index, uint32_t preferred, uint32_t *value,
				    const char *function)
{
	if (!compilation || !value)
		return nnapi_null(function);
	if (!nnapi_compilation_is_ready(compilation))
		return nnapi_error(BAD_STATE, "%s: the compilation is not finished", function);
	if (!nnapi_compilation_operand(compilation, output, index))
		return nnapi_error(BAD_DATA, "%s: there is no %s %u", function,
				   output ? "output" : "input", index);
	*value = preferred;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment)
{
	return nnapi_compilation_prefer(compilation, false, index, NNAPI_ALIGNMENT, alignment,
					__func__);
}

NNAPI_EXPORT int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding)
{
	return nnapi_compilation_prefer(compilation, false, index, NNAPI_PADDING, padding,
					__func__);
}

NNAPI_EXPORT int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment)
{
	return nnapi_compilation_prefer(compilation, true, index, NNAPI_ALIGNMENT, alignment,
					__func__);
}

NNAPI_EXPORT int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding)
{
	return nnapi_compilation_prefer(compilation, true, index, NNAPI_PADDING, padding, __func__);
}

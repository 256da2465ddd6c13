// SPDX-License-Identifier: MIT
/*
 * Compilations: a model compiled for its devices, and the options of compiling and running it.
 *
 * The first device tries to compile the whole model. If it cannot, each operation goes to the first
 * device that supports it, which makes a plan (plan.h). The devices are the caller's list, or the
 * accelerator and the reference. In the second case the whole model goes to the reference if the
 * accelerator fails to compile operations that it supports.
 */
#define NNAPI_TAG NNA_MESSAGE_COMPILATION

#include "hal-bridge/nnapi/compilation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hal-bridge/common/deadline.h"
#include "hal-bridge/common/dot.h"
#include "hal-bridge/nnapi/device.h"
#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/cache_file.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/trace.h"

_Static_assert(NNA_CACHE_FILE_TOKEN_SIZE == ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN,
	       "a token is one of NNAPI's");

#define NNAPI_ALIGNMENT 64 /* bytes; memory at another offset is copied (nna_route) */
#define NNAPI_PADDING 1 /* bytes; the size of an argument's memory need not be rounded up */

static void nnapi_compilation_destroy(void *object)
{
	ANeuralNetworksCompilation *compilation = object;

	nna_program_destroy(compilation->program);
	nnapi_plan_destroy(compilation->plan);
	nnapi_plan_destroy(compilation->fallback);
	pthread_mutex_destroy(&compilation->lock);
	nnapi_object_unref(compilation->model);
	free(compilation->cache_dir);
	if (compilation->cache_fd >= 0)
		close(compilation->cache_fd);
	free(compilation);
}

bool nnapi_compilation_is_ready(const ANeuralNetworksCompilation *compilation)
{
	return compilation->program || compilation->plan || compilation->cannot_compute;
}

bool nnapi_compilation_get_output(const ANeuralNetworksCompilation *compilation, uint32_t index,
				  struct nna_io_info *info)
{
	const struct nna_program *program = compilation->program;

	if (compilation->plan)
		program = nnapi_plan_find_output(compilation->plan, index, &index);
	return program && !nna_program_get_output(program, index, info);
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
	pthread_mutex_init(&(*compilation)->lock, NULL);
	(*compilation)->model = nnapi_object_ref(model);
	for (uint32_t i = 0; i < count; i++)
		(*compilation)->listed[i] = (ANeuralNetworksDevice *)devices[i];
	(*compilation)->listed_count = count;
	(*compilation)->cache_fd = -1;
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

/* Return: NO_ERROR while the compilation can be changed. */
static int nnapi_compilation_open(const ANeuralNetworksCompilation *compilation,
				  const char *function)
{
	if (!compilation)
		return nnapi_null(function);
	if (compilation->finished)
		return nnapi_error(BAD_STATE, "%s: the compilation is finished", function);
	return ANEURALNETWORKS_NO_ERROR;
}

/* A directory that cannot be used is no error of the compilation; its use logs the problem. */
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

int nnapi_compilation_set_cache_fd(ANeuralNetworksCompilation *compilation, int fd,
				   const uint8_t *token, const char *function)
{
	int ret = nnapi_compilation_open(compilation, function), copy;

	if (ret)
		return ret;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return nnapi_error(BAD_DATA, "%s: fd %d: %s", function, fd, strerror(errno));
	if (compilation->cache_fd >= 0)
		close(compilation->cache_fd);
	compilation->cache_fd = copy;
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
	/* The preference changes no program. It selects a cache file and spare memory. */
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

NNAPI_EXPORT int
ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation,
						 const char *extensionName,
						 uint16_t attributeCodeWithinExtension,
						 const void *data, size_t length)
{
	int ret;

	if (!compilation || !extensionName || (!data && length))
		return nnapi_null(__func__);
	ret = nnapi_compilation_open(compilation, __func__);
	if (ret)
		return ret;
	return nnapi_error(BAD_DATA, "%s: %s has no attribute %u", __func__, extensionName,
			   attributeCodeWithinExtension);
}

/* Loads the program from the client's file. Return: -ENOENT if the file is empty. */
static int nnapi_compilation_load_fd(ANeuralNetworksCompilation *compilation,
				     struct nna_device *opened,
				     const struct nna_program_options *options)
{
	struct stat stat;

	if (fstat(compilation->cache_fd, &stat) || lseek(compilation->cache_fd, 0, SEEK_SET))
		return -errno;
	if (!stat.st_size)
		return -ENOENT;
	return nna_cache_file_load_fd(compilation->cache_fd, NNA_CACHE_FILE_LIMIT, opened,
				      compilation->model->model.graph, options,
				      &compilation->program);
}

static int nnapi_compilation_save_fd(const ANeuralNetworksCompilation *compilation)
{
	if (ftruncate(compilation->cache_fd, 0) || lseek(compilation->cache_fd, 0, SEEK_SET))
		return -errno;
	return nna_cache_file_save_fd(compilation->cache_fd, NNA_CACHE_FILE_LIMIT,
				      compilation->program);
}

/*
 * Loads the program from the cache. If it is not there, compiles the model and saves the program in
 * the cache. Problems of the cache are only logged.
 */
static int nnapi_compilation_make(ANeuralNetworksCompilation *compilation,
				  const struct ANeuralNetworksDevice *device,
				  struct nna_device *opened,
				  const struct nna_program_options *options)
{
	NNA_TRACE(DRIVER, COMPILATION, device->name);
	struct nna_graph *graph = compilation->model->model.graph;
	char *path = NULL;
	int ret = -ENOENT;

	if (compilation->cache_fd < 0) {
		if (compilation->cache_dir)
			path = nna_cache_file_path(compilation->cache_dir, compilation->cache_token,
						   device->name, options->preference);
		ret = nna_cache_file_make(path, opened, graph, options, &compilation->program);
		free(path);
		return ret;
	}
	ret = nnapi_compilation_load_fd(compilation, opened, options);
	if (!ret) {
		nna_message(COMPILATION, "cache: loaded from the client's file");
		return 0;
	}
	ret = nna_program_create(opened, graph, options, &compilation->program);
	if (!ret && nnapi_compilation_save_fd(compilation))
		nna_message(COMPILATION, "cache: the program is not saved to the client's file");
	return ret;
}

/* Return: the options of all programs of the compilation. */
static struct nna_program_options
nnapi_compilation_options(const ANeuralNetworksCompilation *compilation, uint64_t deadline_ns)
{
	return (struct nna_program_options){
		.priority = compilation->priority,
		.deadline_ns = deadline_ns,
		.preference = compilation->preference,
	};
}

/*
 * Return: true if an error of compiling shows that the model cannot be computed at all; then the
 * compilation succeeds and its executions fail. The reference takes every operation that is no
 * vendor's, so only its errors show this.
 */
static bool nnapi_compilation_is_hopeless(ANeuralNetworksCompilation *compilation,
					  struct ANeuralNetworksDevice *device, int error)
{
	if (!device || !device->reference || nnb_result_of_call(error) != ANEURALNETWORKS_BAD_DATA)
		return false;
	nna_message(COMPILATION, "%s: the model cannot be computed, executions will fail",
		    device->name);
	compilation->device = device;
	compilation->cannot_compute = true;
	return true;
}

/*
 * Compiles the model for one device. Return: 0, also with @cannot_compute set, or a negative errno.
 */
static int nnapi_compilation_compile(ANeuralNetworksCompilation *compilation,
				     struct ANeuralNetworksDevice *device, uint64_t deadline_ns)
{
	const struct nna_program_options options =
		nnapi_compilation_options(compilation, deadline_ns);
	struct nna_device *opened = nnapi_device_open(device);
	int ret;

	if (!opened)
		return -ENOENT;
	if (device->reference && compilation->model->model.vendor) {
		nna_message(COMPILATION,
			    "%s: does not support the vendor's operations of the model",
			    device->name);
		return -ENOTSUP;
	}
	ret = nnapi_compilation_make(compilation, device, opened, &options);
	if (ret)
		compilation->program = NULL;
	else
		compilation->device = device;
	if (ret && nnapi_compilation_is_hopeless(compilation, device, ret))
		return 0;
	return ret;
}

/* Finds the operations that a device supports. The reference supports all that are no vendor's. */
static int nnapi_compilation_get_supported(const ANeuralNetworksCompilation *compilation,
					   struct ANeuralNetworksDevice *device, uint32_t count,
					   bool *supported)
{
	const struct nnb_model *model = &compilation->model->model;

	if (!device->reference)
		return nna_graph_get_supported(model->graph, device->device, supported);
	for (uint32_t i = 0; i < count; i++)
		supported[i] = !nnb_model_operation_is_vendors(model, i);
	return 0;
}

/*
 * Assigns each operation to the first device that supports it, or to a random one under
 * NNACCEL_DEAL. Return: 0, -ENOTSUP if no device supports an operation, or another error.
 */
static int nnapi_compilation_choose(const ANeuralNetworksCompilation *compilation,
				    struct ANeuralNetworksDevice *const *devices,
				    uint32_t device_count, uint32_t *owners, uint32_t count)
{
	bool *supported = calloc((size_t)count * device_count + 1, sizeof(*supported));
	int ret = supported ? 0 : -ENOMEM;

	for (uint32_t d = 0; d < device_count && !ret; d++)
		ret = nnapi_compilation_get_supported(compilation, devices[d], count,
						      supported + (size_t)d * count);
	for (uint32_t i = 0; i < count && !ret; i++) {
		uint32_t first = nnapi_plan_deals() ? nnapi_plan_deal(i, device_count) : 0;
		uint32_t tried = 0;

		owners[i] = first;
		while (tried < device_count && !supported[(size_t)owners[i] * count + i]) {
			owners[i] = (first + ++tried) % device_count;
		}
		if (tried == device_count) {
			nna_message(COMPILATION, "operation %u: no device supports it", i);
			ret = -ENOTSUP;
		}
	}
	free(supported);
	return ret;
}

/*
 * Draws the model with the device of each operation: @devices[@owners[i]], or the only device if
 * @owners is NULL.
 */
static void nnapi_compilation_draw(const ANeuralNetworksCompilation *compilation,
				   struct ANeuralNetworksDevice *const *devices,
				   const uint32_t *owners)
{
	const struct nnb_model *model = &compilation->model->model;
	uint32_t count = nna_graph_operation_count(model->graph, 0);
	const char **names;

	if (!nnb_dot_is_wanted())
		return;
	names = calloc((size_t)count + 1, sizeof(*names));
	if (!names)
		return;
	for (uint32_t i = 0; i < count; i++)
		names[i] = owners ? devices[owners[i]]->name : compilation->device->name;
	nnb_dot_write(model, names, count);
	free(names);
}

/*
 * Divides the model among the devices. If all operations go to one device, sets *@only to it and
 * compiles nothing. Return: 0, also with @cannot_compute set, or a negative errno.
 */
static int nnapi_compilation_divide(ANeuralNetworksCompilation *compilation,
				    struct ANeuralNetworksDevice *const *devices,
				    uint32_t device_count, uint64_t deadline_ns,
				    struct ANeuralNetworksDevice **only)
{
	const struct nna_program_options options =
		nnapi_compilation_options(compilation, deadline_ns);
	struct nna_graph *graph = compilation->model->model.graph;
	uint32_t count = nna_graph_operation_count(graph, 0), same = 1;
	uint32_t *owners = calloc((size_t)count + 1, sizeof(*owners));
	const struct nnapi_plan_cache cache = { compilation->cache_dir, compilation->cache_token };
	struct ANeuralNetworksDevice *failed = NULL;
	int ret = -ENOMEM;

	*only = NULL;
	if (owners)
		ret = nnapi_compilation_choose(compilation, devices, device_count, owners, count);
	while (!ret && same < count && owners[same] == owners[0])
		same++;
	if (!ret && same == count) {
		*only = devices[owners[0]];
	} else if (!ret) {
		ret = nnapi_plan_create(graph, owners, devices, device_count, &options, &cache,
					&compilation->plan, &failed);
		if (ret) {
			compilation->plan = NULL;
		} else {
			compilation->device = compilation->plan->steps[0].device;
			nnapi_compilation_draw(compilation, devices, owners);
		}
		if (!ret && compilation->cache_fd >= 0)
			nna_message(COMPILATION, "cache: a client's file cannot hold the programs "
				    "of several devices");
		if (ret && nnapi_compilation_is_hopeless(compilation, failed, ret))
			ret = 0;
	}
	free(owners);
	return ret;
}

/* Compiles the model for these devices: all of it for the first, if that can compute it. */
static int nnapi_compilation_build(ANeuralNetworksCompilation *compilation,
				   struct ANeuralNetworksDevice *const *devices,
				   uint32_t device_count, uint64_t deadline_ns)
{
	struct ANeuralNetworksDevice *only = NULL;
	int ret = -ENOTSUP, first = -ENOTSUP;

	if (device_count == 1 || !nnapi_plan_deals()) {
		ret = nnapi_compilation_compile(compilation, devices[0], deadline_ns);
		if (ret)
			nna_message(COMPILATION, "%s: %s", devices[0]->name, strerror(-ret));
		first = ret;
	}
	if (!ret || device_count == 1 || nnb_result_of_call(ret) != ANEURALNETWORKS_BAD_DATA)
		return ret;
	ret = nnapi_compilation_divide(compilation, devices, device_count, deadline_ns, &only);
	if (!ret && only == devices[0] && !nnapi_plan_deals())
		return first;
	if (!ret && only)
		ret = nnapi_compilation_compile(compilation, only, deadline_ns);
	return ret;
}

/* For qsort(): by name. */
static int nnapi_device_compare(const void *a, const void *b)
{
	const struct ANeuralNetworksDevice *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/*
 * Writes the devices of the compilation in the format of Android's runtime: name=version of each,
 * in alphabetical order, separated by commas.
 */
static void nnapi_compilation_name_devices(const ANeuralNetworksCompilation *compilation,
					   char *text, size_t size)
{
	struct ANeuralNetworksDevice *listed[NNAPI_DEVICES];
	_Static_assert(sizeof(((struct nnapi_diagnostic_model *)0)->devices) >=
		       NNAPI_DEVICES * (sizeof(listed[0]->name) + sizeof(listed[0]->version)),
		       "room for all devices");
	const uint32_t count = compilation->listed_count;
	size_t length = 0;

	memcpy(listed, compilation->listed, sizeof(listed));
	qsort(listed, count, sizeof(*listed), nnapi_device_compare);
	text[0] = 0;
	for (uint32_t i = 0; i < count && length < size; i++)
		length += snprintf(text + length, size - length, "%s%s=%s", i ? "," : "",
				   listed[i]->name, listed[i]->version);
}

void nnapi_compilation_describe(const ANeuralNetworksCompilation *compilation,
				struct nnapi_diagnostic_model *out)
{
	nnapi_diagnostic_describe(&compilation->model->model, out);
	nnapi_compilation_name_devices(compilation, out->devices, sizeof(out->devices));
	out->caching = compilation->cache_dir || compilation->cache_fd >= 0;
}

/* Reports the end of a compilation to the registered diagnostics. */
static int nnapi_compilation_tell(const ANeuralNetworksCompilation *compilation, int result,
				  uint64_t began_ns)
{
	ANeuralNetworksDiagnosticCompilationInfo info = { .error = result };

	if (compilation->diagnosed && nnapi_diagnostic_is_wanted()) {
		info.time_ns = nna_now_ns() - began_ns;
		nnapi_compilation_describe(compilation, &info.model);
		nnapi_diagnostic_compiled(&info);
	}
	return result;
}

NNAPI_EXPORT int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation)
{
	NNA_TRACE(RUNTIME, COMPILATION, __func__);
	struct ANeuralNetworksDevice *devices[NNAPI_DEVICES] = {
		nnapi_device_get(),
		nnapi_device_get_reference(),
	};
	struct nnb_deadline deadline;
	int ret = nnapi_compilation_open(compilation, __func__);
	uint64_t deadline_ns, began_ns = nna_now_ns();
	uint32_t count = 2;

	if (ret)
		return ret;
	if (compilation->listed_count) {
		count = compilation->listed_count;
		memcpy(devices, compilation->listed, sizeof(devices));
	} else if (nnapi_device_is_missing()) {
		compilation->finished = true;
		ret = nnapi_error(UNAVAILABLE_DEVICE, "%s: none of the accelerators that "
				  "NNACCEL_DEVICE names is there", __func__);
		return nnapi_compilation_tell(compilation, ret, began_ns);
	} else if (!devices[0]) {
		devices[0] = devices[1];
		count = 1;
	}
	compilation->finished = true;
	deadline_ns = nnb_deadline_begin(&deadline, compilation->timeout_ns);
	ret = nnapi_compilation_build(compilation, devices, count, deadline_ns);
	if (ret && !compilation->listed_count && count == 2 && ret != -ENOMEM &&
	    !compilation->model->model.vendor) {
		nna_message(COMPILATION, "%s: %s: all of the model goes to %s", __func__,
			    strerror(-ret), devices[1]->name);
		ret = nnapi_compilation_compile(compilation, devices[1], deadline_ns);
	}
	if (ret)
		nna_message(COMPILATION, "%s: %s", __func__, strerror(-ret));
	else if (!compilation->plan)
		nnapi_compilation_draw(compilation, NULL, NULL);
	if (ret == -ETIMEDOUT)
		ret = nnb_deadline_result(&deadline, 0);
	else
		ret = nnb_result_of_call(ret);
	return nnapi_compilation_tell(compilation, ret, began_ns);
}

const struct nnapi_plan *nnapi_compilation_fall_back(ANeuralNetworksCompilation *compilation)
{
	const struct nna_program_options options = nnapi_compilation_options(compilation, 0);
	const struct nnb_model *model = &compilation->model->model;
	struct ANeuralNetworksDevice *reference = nnapi_device_get_reference();
	const struct nnapi_plan *plan;

	if (compilation->listed_count || model->vendor ||
	    (compilation->program && compilation->device == reference))
		return NULL;
	pthread_mutex_lock(&compilation->lock);
	if (!compilation->fallback && !compilation->fallback_error) {
		compilation->fallback_error =
			nnapi_plan_create_whole(model->graph, model->input_count,
						model->output_count, reference, &options,
						&compilation->fallback);
		if (compilation->fallback_error)
			nna_message(COMPILATION, "%s: %s", reference->name,
				    strerror(-compilation->fallback_error));
	}
	plan = compilation->fallback;
	pthread_mutex_unlock(&compilation->lock);
	return plan;
}

/*
 * Writes the preferred alignment or padding of an argument's memory, which is the same for all
 * arguments.
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

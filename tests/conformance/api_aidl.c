// SPDX-License-Identifier: MIT
/*
 * Conformance cases through the NN HAL: a service in this process, called by parcels in memory, so
 * everything but binder's driver is on the way; or, with the device "binder:NAME", the service that
 * is registered as IDevice/NAME.
 *
 * What Android's runtime does before it calls a driver is done here: operations are put into the
 * order of execution, constants into pools, arguments into memory.
 *
 *	heap		files: memfds that may shrink, so the service reads and writes them
 *	shared		sealed memfds, which the device works on
 *	device		device buffers, filled and read by copies; fenced executions, too, where the
 *			device has fences
 *	asynchronous	there is no such thing in the HAL: a reusable execution is run twice
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/service/hidl/face.h"
#include "hal-bridge/service/service.h"
#include "tests/conformance/binder.h"
#include "tests/conformance/case.h"
#include "tests/conformance/hal_mutation.h"
#include "tests/conformance/hidl_client.h"

#define NNV_BURST_TOKEN 77

/**
 * struct nnv_hal_callback - who is told that a model is prepared
 * @object: IPreparedModelCallback
 * @lock: of what follows
 * @changed: it has been told
 * @told: how often
 * @status: ErrorStatus
 * @model: IPreparedModel, a reference
 */
struct nnv_hal_callback {
	struct nnb_object object;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int told;
	int status;
	struct nnb_object *model;
};

/**
 * struct nnv_hal - a case under way
 * @arena: what the model and the request point to
 * @model: what is sent
 * @order: operation i of what is sent is order[i] of the file
 * @supported: the answer, in the order of what is sent
 * @callback: a reference
 * @prepared: IPreparedModel, owned by @callback
 * @fd: of the arguments' memory, -1 for none
 * @request: of all executions
 * @buffers: IBuffer of each slot in device memory
 * @results: arenas that keep what the executions returned
 * @shapes: of the last run of execution 0
 * @shape_count: entries of @shapes
 * @fences: of fenced executions, -1 for none
 * @infos: IFencedExecutionCallback of those
 * @version: HIDL's, 0 to 3 for 1.0 to 1.3
 */
struct nnv_hal {
	struct nnb_arena arena;
	struct nnb_aidl_model model;
	uint32_t *order;
	const bool *supported;
	struct nnv_hal_callback *callback;
	struct nnb_object *prepared;
	int fd;
	struct nnb_aidl_request request;
	struct nnb_object **buffers;
	struct nnb_arena results[2];
	const struct nnb_aidl_output_shape *shapes;
	uint32_t shape_count;
	int fences[2];
	struct nnb_object *infos[2];
	int version;
};

static struct nnb_caller nnv_hal_me(void)
{
	return (struct nnb_caller){.euid = geteuid(), .pid = getpid()};
}

/* What the runner expects of an answer. */
static int nnv_hal_error(int status)
{
	switch (status) {
	case NNB_AIDL_ERROR_STATUS_DEVICE_UNAVAILABLE:
		return -ENODEV;
	case NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE:
		return -ENOSPC;
	case NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT:
		return -EINVAL;
	case NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_TRANSIENT:
	case NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT:
		return -ETIMEDOUT;
	case NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT:
	case NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_PERSISTENT:
		return -EAGAIN;
	default:
		return status > 0 ? -EIO : status;
	}
}

/* Calls a method of an object by its code, or what HIDL has in its place. */
static int nnv_hal_call(struct nnv_run *run, struct nnb_object *object,
			const struct nnb_aidl_interface *interface, uint32_t code, const void *in,
			struct nnb_arena *arena, void *out)
{
	const struct nnb_caller me = nnv_hal_me();
	const struct nnv_hal *self = run->state;

	if (run->runner->device->hidl)
		return nnv_hal_error(nnv_hidl_call(self->version, object, &me, interface, code, in,
						   arena, out));

	return nnv_hal_error(
		nnb_aidl_call(object, &me, &interface->methods[code - 1], in, arena, out));
}

/* What is tested: IDevice, a reference; and the service when it is in this process, else NULL. */
struct nnv_hal_open {
	struct nnb_object *object;
	struct nnb_service *service;
};

static struct nnb_object *nnv_hal_device(const struct nnv_run *run)
{
	return ((struct nnv_hal_open *)run->runner->device->handle)->object;
}

/* -------------------------------------------------------------------------------------- service */

/* The service has to claim the version that was asked for. */
static int nnv_hal_open_remote(const char *name, struct nnv_device *device,
			       struct nnv_hal_open *opened)
{
	const struct nnb_caller me = nnv_hal_me();
	int version, ret = nnv_binder_connect(name, device->hidl, &opened->object);

	/* HIDL's service has been found by the name of a version. */
	if (!ret && !device->hidl)
		ret = nnb_aidl_get_version(opened->object, &me, &nnb_aidl_device, &version);
	if (ret)
		return ret;
	if (!device->hidl &&
	    version != (device->version ? (int)device->version : NNB_AIDL_VERSION))
		return -EPROTO;
	/* The HAL does not tell; where there are none no fence is returned. */
	device->sync_files = true;
	snprintf(device->name, sizeof(device->name), "IDevice/%s", name);
	return 0;
}

static int nnv_hal_open_here(const char *name, struct nnv_device *device,
			     struct nnv_hal_open *opened)
{
	const struct nnb_service_options options = {
		.device = name,
		.version = device->version ? (int)device->version : NNB_AIDL_VERSION,
		.workers = 4,
	};
	struct nna_device_info info;
	int ret = nnb_service_create(&options, &opened->service);

	if (ret)
		return ret;
	opened->object = device->hidl ? nnb_hidl_device_create(&opened->service->devices[0])
				      : nnb_object_ref(&opened->service->devices[0].object);
	if (!opened->object)
		return -ENOMEM;
	nnb_device_get_info(opened->service->devices, &info);
	device->sync_files = info.sync_files;
	snprintf(device->name, sizeof(device->name), "%s", info.name);
	return 0;
}

static int nnv_hal_open(const char *name, uint32_t threads, struct nnv_device *device)
{
	static const char binder[] = "binder:";
	struct nnv_hal_open *opened = calloc(1, sizeof(*opened));
	int ret;

	if (!opened)
		return -ENOMEM;
	device->handle = opened;
	ret = strncmp(name, binder, strlen(binder))
		      ? nnv_hal_open_here(name, device, opened)
		      : nnv_hal_open_remote(name + strlen(binder), device, opened);
	if (ret)
		free(opened);
	return ret;
}

static void nnv_hal_close(struct nnv_device *device)
{
	struct nnv_hal_open *opened = device->handle;

	nnb_object_unref(opened->object);
	nnb_service_destroy(opened->service);
	free(opened);
}

/* ------------------------------------------------------------------------------------- callback */

static int nnv_hal_on_notify(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			     void *out)
{
	const struct nnb_aidl_prepared_model_callback_notify_in *args = in;
	struct nnv_hal_callback *self = (struct nnv_hal_callback *)object;

	pthread_mutex_lock(&self->lock);
	if (!self->told++) {
		self->status = args->status;
		self->model = args->prepared_model ? nnb_object_ref(args->prepared_model) : NULL;
	}
	pthread_cond_broadcast(&self->changed);
	pthread_mutex_unlock(&self->lock);
	return 0;
}

static int nnv_hal_callback_transact(struct nnb_object *object, const struct nnb_caller *caller,
				     uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
				     struct nnb_writer *out)
{
	static const nnb_aidl_handler handlers[] = {nnv_hal_on_notify};

	return nnb_aidl_answer(object, &nnb_aidl_prepared_model_callback, NNB_AIDL_VERSION,
			       handlers, caller, code, in, arena, out);
}

static void nnv_hal_callback_release(struct nnb_object *object)
{
	struct nnv_hal_callback *self = (struct nnv_hal_callback *)object;

	nnb_object_unref(self->model);
	pthread_cond_destroy(&self->changed);
	pthread_mutex_destroy(&self->lock);
	free(self);
}

static struct nnv_hal_callback *nnv_hal_callback_create(void)
{
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks.IPreparedModelCallback",
		.release = nnv_hal_callback_release,
		.transact = nnv_hal_callback_transact,
	};
	struct nnv_hal_callback *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	nnb_object_init(&self->object, &ops);
	pthread_mutex_init(&self->lock, NULL);
	pthread_cond_init(&self->changed, NULL);
	return self;
}

/* ---------------------------------------------------------------------------------------- model */

/* Adds @size bytes to a pool; each value begins at a multiple of 8. */
static int nnv_hal_add_bytes(struct nnb_bytes *pool, size_t *room, const void *data, uint32_t size,
			     struct nnb_aidl_data_location *at)
{
	uint32_t offset = (pool->count + 7u) & ~7u;
	uint8_t *bytes = (uint8_t *)pool->data;

	if (offset + size > *room) {
		*room = (offset + size) * 2;
		bytes = realloc(bytes, *room);
		if (!bytes)
			return -ENOMEM;
		pool->data = bytes;
	}
	memset(bytes + pool->count, 0, offset - pool->count);
	memcpy(bytes + offset, data, size);
	pool->count = offset + size;
	at->offset = offset;
	at->length = size;
	return 0;
}

/**
 * struct nnv_hal_pools - constants while a model is made
 * @values: what is sent along
 * @shared: what is sent as memory
 */
struct nnv_hal_pools {
	struct nnb_bytes values, shared;
	size_t values_room, shared_room;
};

static int nnv_hal_add_constant(struct nnv_run *run, struct nnv_hal_pools *pools,
				const struct nnv_operand *operand, struct nnb_aidl_operand *to)
{
	const bool copy = operand->lifetime == NNV_CONSTANT_COPY;
	uint8_t *bytes = malloc(operand->data_size + 1);
	int ret;

	if (!bytes)
		return -ENOMEM;
	nnv_run_copy_data(run, operand, bytes);
	ret = copy ? nnv_hal_add_bytes(&pools->values, &pools->values_room, bytes,
				       operand->data_size, &to->location)
		   : nnv_hal_add_bytes(&pools->shared, &pools->shared_room, bytes,
				       operand->data_size, &to->location);
	free(bytes);
	return ret;
}

static int nnv_hal_add_operand(struct nnv_run *run, struct nnv_hal *self,
			       struct nnv_hal_pools *pools, uint32_t subgraph,
			       const struct nnv_operand *operand, struct nnb_aidl_operand *to)
{
	struct nnb_aidl_operand_extra_params *extra;
	uint32_t which;

	to->type = (int32_t)nnv_run_type(run, operand);
	to->dimensions.count = operand->rank;
	to->dimensions.data = (const int32_t *)nnv_run_dims(run, subgraph, operand);
	to->scale = operand->scale;
	to->zero_point = nnv_run_zero_point(run, operand);
	to->lifetime = (int32_t)operand->lifetime;
	if (operand->channel_scale_count) {
		extra = nnb_arena_alloc(&self->arena, 1, sizeof(*extra));
		if (!extra)
			return -ENOMEM;
		extra->tag = NNB_AIDL_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT;
		extra->channel_quant.channel_dim = (int32_t)operand->channel_dim;
		extra->channel_quant.scales.count = operand->channel_scale_count;
		extra->channel_quant.scales.data =
			nnv_file_at(run->file, operand->channel_scales_off);
		to->extra_params = extra;
	}
	switch (operand->lifetime) {
	case NNV_CONSTANT_COPY:
	case NNV_CONSTANT_REFERENCE:
		return nnv_hal_add_constant(run, pools, operand, to);
	case NNV_SUBGRAPH:
		memcpy(&which, nnv_file_at(run->file, operand->data_off), sizeof(which));
		to->location.offset = which;
		return 0;
	default:
		return 0;
	}
}

/* Whether nothing that an operation reads is still to be written. */
static bool nnv_hal_is_ready(const struct nnv_run *run, const struct nnv_operation *operation,
			     const bool *pending)
{
	const uint32_t *inputs = nnv_file_at(run->file, operation->inputs_off);

	for (uint32_t i = 0; i < operation->input_count; i++) {
		if (pending[inputs[i]])
			return false;
	}
	return true;
}

/*
 * Operations in the order of execution. What is in a circle stays where it is, for the service to
 * refuse.
 */
static int nnv_hal_sort(const struct nnv_run *run, const struct nnv_subgraph *subgraph,
			uint32_t *order)
{
	const struct nnv_operation *operations = nnv_file_at(run->file, subgraph->operations_off);
	bool *pending = calloc(subgraph->operand_count + 1, sizeof(*pending));
	bool *done = calloc(subgraph->operation_count + 1, sizeof(*done));
	uint32_t count = 0;
	bool progress = true;

	if (!pending || !done) {
		free(pending);
		free(done);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < subgraph->operation_count; i++) {
		const uint32_t *outputs = nnv_file_at(run->file, operations[i].outputs_off);

		for (uint32_t k = 0; k < operations[i].output_count; k++)
			pending[outputs[k]] = true;
	}
	while (progress) {
		progress = false;
		for (uint32_t i = 0; i < subgraph->operation_count; i++) {
			const uint32_t *outputs = nnv_file_at(run->file, operations[i].outputs_off);

			if (done[i] || !nnv_hal_is_ready(run, &operations[i], pending))
				continue;
			for (uint32_t k = 0; k < operations[i].output_count; k++)
				pending[outputs[k]] = false;
			done[i] = true;
			order[count++] = i;
			progress = true;
		}
	}
	for (uint32_t i = 0; i < subgraph->operation_count; i++) {
		if (!done[i])
			order[count++] = i;
	}
	free(pending);
	free(done);
	return 0;
}

static int nnv_hal_add_subgraph(struct nnv_run *run, struct nnv_hal *self,
				struct nnv_hal_pools *pools, uint32_t number,
				struct nnb_aidl_subgraph *to)
{
	const struct nnv_subgraph *subgraph = nnv_run_subgraph(run, number);
	const struct nnv_operand *operands = nnv_file_at(run->file, subgraph->operands_off);
	const struct nnv_operation *operations = nnv_file_at(run->file, subgraph->operations_off);
	uint32_t *order = nnb_arena_alloc(&self->arena, subgraph->operation_count, sizeof(*order));
	int ret;

	to->operands.data =
		nnb_arena_alloc(&self->arena, subgraph->operand_count, sizeof(*to->operands.data));
	to->operations.data = nnb_arena_alloc(&self->arena, subgraph->operation_count,
					      sizeof(*to->operations.data));
	if (!order || !to->operands.data || !to->operations.data)
		return -ENOMEM;
	to->operands.count = subgraph->operand_count;
	to->operations.count = subgraph->operation_count;
	for (uint32_t i = 0; i < subgraph->operand_count; i++) {
		ret = nnv_hal_add_operand(run, self, pools, number, &operands[i],
					  &to->operands.data[i]);
		if (ret)
			return ret;
	}
	ret = nnv_hal_sort(run, subgraph, order);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < subgraph->operation_count; i++) {
		const struct nnv_operation *operation = &operations[order[i]];
		struct nnb_aidl_operation *sent = &to->operations.data[i];

		sent->type = (int32_t)operation->type;
		sent->inputs.count = operation->input_count;
		sent->inputs.data = nnv_file_at(run->file, operation->inputs_off);
		sent->outputs.count = operation->output_count;
		sent->outputs.data = nnv_file_at(run->file, operation->outputs_off);
	}
	to->input_indexes.count = subgraph->input_count;
	to->input_indexes.data = nnv_file_at(run->file, subgraph->inputs_off);
	to->output_indexes.count = subgraph->output_count;
	to->output_indexes.data = nnv_file_at(run->file, subgraph->outputs_off);
	if (!number)
		self->order = order;
	return 0;
}

static void nnv_hal_free(void *data)
{
	free(data);
}

/* A memfd of @size bytes, which cannot shrink when it is @sealed. */
static int nnv_hal_memfd(size_t size, bool sealed)
{
	int fd = memfd_create("nnv_run", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) || (sealed && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)))
		ret = -errno;
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

static void nnv_hal_describe_memory(struct nnb_aidl_memory *memory, int fd, size_t size)
{
	memory->tag = NNB_AIDL_MEMORY_MAPPABLE_FILE;
	memory->mappable_file.fd = fd;
	memory->mappable_file.length = (int64_t)size;
	memory->mappable_file.prot = PROT_READ | PROT_WRITE;
	memory->mappable_file.offset = 0;
}

/* The pool of constants, if there are any. */
static int nnv_hal_add_pool(struct nnv_hal *self, const struct nnb_bytes *shared)
{
	int fd, ret;

	if (!shared->count)
		return 0;
	fd = nnv_hal_memfd(shared->count, false);
	if (fd < 0)
		return fd;
	ret = nnb_arena_own_fd(&self->arena, fd);
	if (!ret && pwrite(fd, shared->data, shared->count, 0) != (ssize_t)shared->count)
		ret = -EIO;
	self->model.pools.data = nnb_arena_alloc(&self->arena, 1, sizeof(*self->model.pools.data));
	if (ret || !self->model.pools.data)
		return ret ? ret : -ENOMEM;
	self->model.pools.count = 1;
	nnv_hal_describe_memory(&self->model.pools.data[0], fd, shared->count);
	return 0;
}

static int nnv_hal_make_model(struct nnv_run *run, struct nnv_hal *self,
			      struct nnv_hal_pools *pools)
{
	const uint32_t count = run->item->subgraph_count - 1;
	int ret;

	self->model.referenced.data =
		nnb_arena_alloc(&self->arena, count, sizeof(*self->model.referenced.data));
	if (!self->model.referenced.data)
		return -ENOMEM;
	self->model.referenced.count = count;
	ret = nnv_hal_add_subgraph(run, self, pools, 0, &self->model.main);
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = nnv_hal_add_subgraph(run, self, pools, i + 1,
					   &self->model.referenced.data[i]);
	if (!ret)
		ret = nnv_hal_add_pool(self, &pools->shared);
	self->model.operand_values = pools->values;
	self->model.relax_computation_float32to_float16 = run->item->flags & NNV_CASE_RELAXED;
	return ret;
}

/* A model with one thing wrong: refused as such by both calls, and the callback told, once. */
static int nnv_hal_check_mutation(struct nnv_hal_mutation *mutation,
				  const struct nnb_aidl_model *model)
{
	struct nnb_aidl_device_get_supported_operations_out out;
	struct nnv_run *run = mutation->data;
	struct nnv_hal_callback *callback = nnv_hal_callback_create();
	struct nnb_aidl_device_prepare_model_in in = {
		.model = *model,
		.preference = NNB_AIDL_EXECUTION_PREFERENCE_FAST_SINGLE_ANSWER,
		.priority = NNB_AIDL_PRIORITY_MEDIUM,
		.deadline_ns = -1,
	};
	struct nnb_arena arena = { 0 };
	int asked, prepared;
	bool right;

	if (!callback)
		return -ENOMEM;
	asked = nnv_hal_call(run, nnv_hal_device(run), &nnb_aidl_device,
			     NNB_AIDL_DEVICE_GET_SUPPORTED_OPERATIONS, model, &arena, &out);
	in.callback = &callback->object;
	prepared = nnv_hal_call(run, nnv_hal_device(run), &nnb_aidl_device,
				NNB_AIDL_DEVICE_PREPARE_MODEL, &in, &arena, NULL);
	nnb_arena_fini(&arena);
	pthread_mutex_lock(&callback->lock);
	right = asked == -EINVAL && prepared == -EINVAL && callback->told == 1 &&
		callback->status == NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT && !callback->model;
	pthread_mutex_unlock(&callback->lock);
	nnb_object_unref(&callback->object);
	if (!right) {
		char text[128];

		snprintf(text, sizeof(text), "%s: asked %d, prepared %d", mutation->name, asked,
			 prepared);
		nnv_runner_log(text);
		return -EBADE;
	}
	atomic_fetch_add(&run->runner->device->refused, 1);
	return 0;
}

/*
 * The interface of a case: the one that its folder is of, or a later one if the model or the mode
 * needs it. What is of later versions than HIDL is sent to 1.3, which has to refuse it.
 */
static int nnv_hal_choose_version(struct nnv_run *run, const struct nnb_aidl_model *model)
{
	const int group = (int)run->item->group_version - 1;
	const enum nnv_mode mode = run->runner->mode;
	int version = nnv_hidl_version_of(model, group < 0 ? 0 : group > 3 ? 3 : group);

	if (version < run->runner->device->first)
		version = run->runner->device->first;
	if (mode == NNV_MODE_FENCED || mode == NNV_MODE_DEVICE_MEMORY)
		version = 3;
	if ((mode == NNV_MODE_BURST || mode == NNV_MODE_DYNAMIC_OUTPUT ||
	     mode == NNV_MODE_INSUFFICIENT) && version < 2)
		version = 2;
	atomic_fetch_add(&run->runner->device->interfaces[version], 1);
	return version;
}

static int nnv_hal_build(struct nnv_run *run)
{
	struct nnb_aidl_device_get_supported_operations_out out;
	struct nnv_hal *self = calloc(1, sizeof(*self));
	struct nnv_hal_pools pools = {0};
	int ret;

	run->state = self;
	if (!self)
		return -ENOMEM;
	self->arena.limit = SIZE_MAX / 2;
	self->fd = -1;
	self->fences[0] = -1;
	self->fences[1] = -1;
	ret = nnv_hal_make_model(run, self, &pools);
	free((void *)pools.shared.data);
	if (pools.values.data &&
	    nnb_arena_defer(&self->arena, nnv_hal_free, (void *)pools.values.data))
		ret = -ENOMEM;
	if (ret)
		return ret;
	if (run->runner->device->hidl)
		self->version = nnv_hal_choose_version(run, &self->model);
	/* A parameter of one struct is that struct. */
	ret = nnv_hal_call(run, nnv_hal_device(run), &nnb_aidl_device,
			   NNB_AIDL_DEVICE_GET_SUPPORTED_OPERATIONS, &self->model, &self->arena,
			   &out);
	if (!ret && out.result.count != self->model.main.operations.count)
		ret = -EPROTO;
	if (!ret)
		self->supported = out.result.data;
	if (!ret && run->runner->device->mutate) {
		struct nnv_hal_mutation mutation = { .check = nnv_hal_check_mutation, .data = run };

		ret = nnv_hal_mutate(&mutation, &self->model);
	}
	return ret;
}

static int nnv_hal_supported(struct nnv_run *run, bool *supported)
{
	const struct nnv_hal *self = run->state;

	for (uint32_t i = 0; i < self->model.main.operations.count; i++)
		supported[self->order[i]] = self->supported[i];
	return 0;
}

static int nnv_hal_compile(struct nnv_run *run)
{
	struct nnb_aidl_device_prepare_model_in in = {
		.preference = NNB_AIDL_EXECUTION_PREFERENCE_FAST_SINGLE_ANSWER,
		.priority = NNB_AIDL_PRIORITY_MEDIUM,
		.deadline_ns = -1,
	};
	struct nnv_hal *self = run->state;
	static const uint8_t token[32];
	struct nnv_hal_callback *callback;
	int ret;

	callback = nnv_hal_callback_create();
	if (!callback)
		return -ENOMEM;
	self->callback = callback;
	in.model = self->model;
	in.token = (struct nnb_bytes){sizeof(token), token};
	in.callback = &callback->object;
	ret = nnv_hal_call(run, nnv_hal_device(run), &nnb_aidl_device,
			   NNB_AIDL_DEVICE_PREPARE_MODEL, &in, &self->arena, NULL);
	if (ret == -EINVAL && callback->told != 1)
		return -EPROTO;
	if (ret)
		return ret;
	pthread_mutex_lock(&callback->lock);
	while (!callback->told)
		pthread_cond_wait(&callback->changed, &callback->lock);
	ret = nnv_hal_error(callback->status);
	self->prepared = callback->model;
	pthread_mutex_unlock(&callback->lock);
	return !ret && !self->prepared ? -EPROTO : ret;
}

/* ------------------------------------------------------------------------------------ execution */

/* A device buffer for each slot; inputs are filled when the executions are prepared. */
static int nnv_hal_allocate_buffers(struct nnv_run *run, struct nnv_hal *self)
{
	struct nnb_aidl_i_prepared_model_parcel model = {self->prepared};

	self->buffers = nnb_arena_alloc(&self->arena, run->slot_count, sizeof(struct nnb_object *));
	if (!self->buffers)
		return -ENOMEM;
	for (uint32_t i = 0; i < run->slot_count; i++) {
		const struct nnv_slot *slot = &run->slots[i];
		struct nnb_aidl_buffer_role role = {0, (int32_t)slot->number, 1.0f};
		struct nnb_aidl_device_allocate_in in = {
			.prepared_models = {1, &model},
		};
		struct nnb_aidl_device_allocate_out out;
		struct nnb_aidl_request_memory_pool *pool;
		int ret;

		if (slot->omitted)
			continue;
		if (slot->output) {
			in.output_roles.count = 1;
			in.output_roles.data = &role;
		} else {
			in.input_roles.count = 1;
			in.input_roles.data = &role;
		}
		ret = nnv_hal_call(run, nnv_hal_device(run), &nnb_aidl_device,
				   NNB_AIDL_DEVICE_ALLOCATE, &in, &self->arena, &out);
		if (ret)
			return ret;
		self->buffers[i] = nnb_object_ref(out.result.buffer);
		pool = &self->request.pools.data[self->request.pools.count++];
		pool->tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;
		pool->token = out.result.token;
	}
	return 0;
}

static int nnv_hal_allocate(struct nnv_run *run)
{
	struct nnv_hal *self = run->state;
	/* Only what the device uses itself can have a fence. */
	const bool device =
		run->kind == NNV_MEMORY_DEVICE ||
		(run->runner->mode == NNV_MODE_FENCED && run->runner->device->sync_files);
	const uint32_t pools = device ? run->slot_count : 1;

	self->request.pools.data =
		nnb_arena_alloc(&self->arena, pools, sizeof(*self->request.pools.data));
	if (!self->request.pools.data)
		return -ENOMEM;
	self->request.pools.count = device ? 0 : 1;
	self->fd = nnv_hal_memfd(run->size, run->kind == NNV_MEMORY_SHARED);
	if (self->fd < 0)
		return self->fd;
	run->memory = mmap(NULL, run->size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	if (run->memory == MAP_FAILED) {
		run->memory = NULL;
		return -errno;
	}
	if (device)
		return nnv_hal_allocate_buffers(run, self);
	self->request.pools.data[0].tag = NNB_AIDL_REQUEST_MEMORY_POOL_POOL;
	nnv_hal_describe_memory(&self->request.pools.data[0].pool, self->fd, run->size);
	return 0;
}

/* Where a slot lies in the memory that is mapped here, for copies to and from a device buffer. */
static int nnv_hal_copy(struct nnv_run *run, uint32_t index)
{
	struct nnv_hal *self = run->state;
	const struct nnv_slot *slot = &run->slots[index];
	struct nnb_aidl_buffer_copy_from_in from = {0};
	struct nnb_aidl_buffer_copy_to_in to = {0};
	struct nnb_aidl_memory *memory = slot->output ? &to.dst : &from.src;

	nnv_hal_describe_memory(memory, self->fd, slot->size);
	memory->mappable_file.offset = (int64_t)slot->offset;
	return slot->output ? nnv_hal_call(run, self->buffers[index], &nnb_aidl_buffer,
					   NNB_AIDL_BUFFER_COPY_TO, &to, &self->arena, NULL)
			    : nnv_hal_call(run, self->buffers[index], &nnb_aidl_buffer,
					   NNB_AIDL_BUFFER_COPY_FROM, &from, &self->arena, NULL);
}

static int nnv_hal_prepare(struct nnv_run *run, uint32_t which)
{
	struct nnv_hal *self = run->state;
	struct nnb_aidl_request *request = &self->request;
	uint32_t inputs = run->main->input_count, outputs = run->main->output_count;
	int32_t pool = 0;
	int ret = 0;

	request->inputs.data = nnb_arena_alloc(&self->arena, inputs, sizeof(*request->inputs.data));
	request->outputs.data =
		nnb_arena_alloc(&self->arena, outputs, sizeof(*request->outputs.data));
	if (!request->inputs.data || !request->outputs.data)
		return -ENOMEM;
	request->inputs.count = inputs;
	request->outputs.count = outputs;
	for (uint32_t i = 0; i < run->slot_count && !ret; i++) {
		const struct nnv_slot *slot = &run->slots[i];
		struct nnb_aidl_request_argument *argument =
			slot->output ? &request->outputs.data[slot->number]
				     : &request->inputs.data[slot->number];

		argument->has_no_value = slot->omitted;
		if (slot->omitted)
			continue;
		if (self->buffers) {
			argument->location.pool_index = pool++;
			ret = slot->output ? 0 : nnv_hal_copy(run, i);
			continue;
		}
		argument->location.offset = (int64_t)slot->offset;
		argument->location.length = (int64_t)slot->bound;
	}
	return ret;
}

static int64_t nnv_hal_deadline(const struct nnv_run *run)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + (int64_t)run->runner->timeout_ns;
}

/* What execution 0 returned. */
static int nnv_hal_take_result(struct nnv_hal *self, const struct nnb_aidl_execution_result *result)
{
	self->shapes = result->output_shapes.data;
	self->shape_count = result->output_shapes.count;
	return result->output_sufficient_size ? 0 : -ENOSPC;
}

static int nnv_hal_compute_burst(struct nnv_run *run, struct nnv_hal *self)
{
	const int64_t token = NNV_BURST_TOKEN;
	struct nnb_aidl_prepared_model_configure_execution_burst_out burst;
	struct nnb_aidl_burst_execute_synchronously_in in = {
		.request = self->request,
		.memory_identifier_tokens = {1, &token},
		.deadline_ns = nnv_hal_deadline(run),
		.loop_timeout_duration_ns = (int64_t)nnv_run_loop_limit_ns(run),
	};
	struct nnb_aidl_burst_execute_synchronously_out out;
	const struct nnb_caller me = nnv_hal_me();
	unsigned int asked;
	int ret;

	if (run->runner->device->hidl) {
		/* With an event flag and without one, in turns. */
		ret = nnv_hidl_execute_burst(self->prepared, &me, &self->request,
					     run->slot_count & 1, &self->results[0],
					     &out.result, &asked);
		/* A result in a queue has a status of 1.0, where a loop that is too long fails. */
		if (ret == NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE &&
		    run->item->flags & NNV_CASE_INFINITE_LOOP)
			ret = NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT;
		/* The memories are fetched and kept, and once more when they have been freed. */
		if (!ret && asked != 2)
			return -EBADE;
		return ret ? nnv_hal_error(ret) : nnv_hal_take_result(self, &out.result);
	}
	ret = nnv_hal_call(run, self->prepared, &nnb_aidl_prepared_model,
			   NNB_AIDL_PREPARED_MODEL_CONFIGURE_EXECUTION_BURST, NULL, &self->arena,
			   &burst);
	for (int i = 0; i < 2 && !ret; i++) {
		ret = nnv_hal_call(run, burst.result, &nnb_aidl_burst,
				   NNB_AIDL_BURST_EXECUTE_SYNCHRONOUSLY, &in, &self->results[0],
				   &out);
		if (!ret)
			ret = nnv_hal_take_result(self, &out.result);
	}
	return ret;
}

static int nnv_hal_compute(struct nnv_run *run)
{
	struct nnv_hal *self = run->state;
	struct nnb_aidl_prepared_model_execute_synchronously_in in = {
		.request = self->request,
		.measure_timing = true,
		.deadline_ns = nnv_hal_deadline(run),
		.loop_timeout_duration_ns = (int64_t)nnv_run_loop_limit_ns(run),
	};
	struct nnb_aidl_prepared_model_execute_synchronously_out out;
	int ret;

	if (run->runner->mode == NNV_MODE_BURST)
		return nnv_hal_compute_burst(run, self);
	ret = nnv_hal_call(run, self->prepared, &nnb_aidl_prepared_model,
			   NNB_AIDL_PREPARED_MODEL_EXECUTE_SYNCHRONOUSLY, &in, &self->results[0],
			   &out);
	return ret ? ret : nnv_hal_take_result(self, &out.result);
}

/* A reusable execution, twice. */
static int nnv_hal_compute_reusable(struct nnv_run *run, struct nnv_hal *self)
{
	const struct nnb_caller me = nnv_hal_me();
	struct nnb_aidl_execution_result result;
	struct nnb_aidl_prepared_model_create_reusable_execution_in create = {
		.request = self->request,
		.config.loop_timeout_duration_ns = (int64_t)nnv_run_loop_limit_ns(run),
	};
	struct nnb_aidl_prepared_model_create_reusable_execution_out created;
	struct nnb_aidl_execution_execute_synchronously_in in = {nnv_hal_deadline(run)};
	struct nnb_aidl_execution_execute_synchronously_out out;
	int ret;

	if (run->runner->device->hidl) {
		ret = nnv_hidl_execute_async(self->version, self->prepared, &me, &self->request,
					     in.deadline_ns,
					     create.config.loop_timeout_duration_ns,
					     &self->results[0], &result);
		return ret ? nnv_hal_error(ret) : nnv_hal_take_result(self, &result);
	}
	ret = nnv_hal_call(run, self->prepared, &nnb_aidl_prepared_model,
			   NNB_AIDL_PREPARED_MODEL_CREATE_REUSABLE_EXECUTION, &create, &self->arena,
			   &created);
	for (int i = 0; i < 2 && !ret; i++) {
		ret = nnv_hal_call(run, created.result, &nnb_aidl_execution,
				   NNB_AIDL_EXECUTION_EXECUTE_SYNCHRONOUSLY, &in, &self->results[0],
				   &out);
		if (!ret)
			ret = nnv_hal_take_result(self, &out.result);
	}
	return ret;
}

static int nnv_hal_submit(struct nnv_run *run, uint32_t which, int fence)
{
	struct nnv_hal *self = run->state;
	struct nnb_aidl_prepared_model_execute_fenced_in in = {
		.request = self->request,
		.wait_for = {fence >= 0, &fence},
		.measure_timing = true,
		.deadline_ns = nnv_hal_deadline(run),
		.loop_timeout_duration_ns = (int64_t)nnv_run_loop_limit_ns(run),
		.duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_execute_fenced_out out;
	int ret;

	if (run->runner->mode == NNV_MODE_ASYNC)
		return nnv_hal_compute_reusable(run, self);
	ret = nnv_hal_call(run, self->prepared, &nnb_aidl_prepared_model,
			   NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED, &in, &self->results[which],
			   &out);
	if (ret)
		return ret;
	self->infos[which] = out.result.callback;
	self->fences[which] = out.result.sync_fence;
	return 0;
}

static int nnv_hal_export_fence(struct nnv_run *run, uint32_t which)
{
	const struct nnv_hal *self = run->state;
	int fd;

	if (self->fences[which] < 0)
		return -ENOTSUP;
	fd = fcntl(self->fences[which], F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

static int nnv_hal_wait(struct nnv_run *run, uint32_t which)
{
	struct nnv_hal *self = run->state;
	struct nnb_aidl_fenced_execution_callback_get_execution_info_out out;
	struct pollfd poll_fd = {.fd = self->fences[which], .events = POLLIN};
	int ret;

	if (run->runner->mode == NNV_MODE_ASYNC)
		return 0;
	if (!self->infos[which])
		return -EIO;
	if (poll_fd.fd >= 0 && poll(&poll_fd, 1, (int)(run->runner->timeout_ns / 1000000)) != 1)
		return -ETIME;
	ret = nnv_hal_call(run, self->infos[which], &nnb_aidl_fenced_execution_callback,
			   NNB_AIDL_FENCED_EXECUTION_CALLBACK_GET_EXECUTION_INFO, NULL,
			   &self->results[which], &out);
	return ret ? ret : nnv_hal_error(out.result);
}

static int nnv_hal_fetch(struct nnv_run *run)
{
	struct nnv_hal *self = run->state;
	int ret = 0;

	for (uint32_t i = 0; self->buffers && i < run->slot_count && !ret; i++) {
		if (run->slots[i].output && !run->slots[i].omitted)
			ret = nnv_hal_copy(run, i);
	}
	return ret;
}

static int nnv_hal_output_dims(struct nnv_run *run, uint32_t index, uint32_t *rank, uint32_t *dims)
{
	const struct nnv_hal *self = run->state;
	const struct nnb_aidl_output_shape *shape;
	const struct nnv_subgraph *main = run->main;
	const uint32_t *outputs = nnv_file_at(run->file, main->outputs_off);
	const struct nnv_operand *operands = nnv_file_at(run->file, main->operands_off);

	/* A fenced execution tells none, nor does 1.0: all dimensions were known. */
	if (run->runner->mode == NNV_MODE_FENCED ||
	    (run->runner->device->hidl && self->version < 2)) {
		const struct nnv_operand *operand = &operands[outputs[index]];

		*rank = operand->rank;
		if (*rank)
			memcpy(dims, nnv_run_dims(run, 0, operand), *rank * sizeof(*dims));
		return 0;
	}
	if (index >= self->shape_count)
		return -EPROTO;
	shape = &self->shapes[index];
	*rank = shape->dimensions.count;
	if (*rank > NNACCEL_MAX_RANK)
		return -EPROTO;
	memcpy(dims, shape->dimensions.data, *rank * sizeof(*dims));
	return shape->is_sufficient ? 0 : -ENOSPC;
}

static void nnv_hal_release(struct nnv_run *run)
{
	struct nnv_hal *self = run->state;

	if (!self)
		return;
	for (uint32_t i = 0; self->buffers && i < run->slot_count; i++)
		nnb_object_unref(self->buffers[i]);
	nnb_arena_fini(&self->results[0]);
	nnb_arena_fini(&self->results[1]);
	nnb_arena_fini(&self->arena);
	if (self->callback)
		nnb_object_unref(&self->callback->object);
	if (run->memory)
		munmap(run->memory, run->size);
	if (self->fd >= 0)
		close(self->fd);
	free(self);
}

const struct nnv_api nnv_api_aidl = {
	.name = "the NN HAL",
	.open = nnv_hal_open,
	.close = nnv_hal_close,
	.build = nnv_hal_build,
	.supported = nnv_hal_supported,
	.compile = nnv_hal_compile,
	.allocate = nnv_hal_allocate,
	.prepare = nnv_hal_prepare,
	.compute = nnv_hal_compute,
	.submit = nnv_hal_submit,
	.export_fence = nnv_hal_export_fence,
	.wait = nnv_hal_wait,
	.fetch = nnv_hal_fetch,
	.output_dims = nnv_hal_output_dims,
	.release = nnv_hal_release,
};

/* The same over HIDL: each call is one of the interface that the case is of. */
static int nnv_hidl_open(const char *name, uint32_t threads, struct nnv_device *device)
{
	device->hidl = true;
	device->version = 1; /* AIDL's first version has what HIDL 1.3 has */
	return nnv_hal_open(name, threads, device);
}

const struct nnv_api nnv_api_hidl = {
	.name = "the NN HAL in HIDL",
	.open = nnv_hidl_open,
	.close = nnv_hal_close,
	.build = nnv_hal_build,
	.supported = nnv_hal_supported,
	.compile = nnv_hal_compile,
	.allocate = nnv_hal_allocate,
	.prepare = nnv_hal_prepare,
	.compute = nnv_hal_compute,
	.submit = nnv_hal_submit,
	.export_fence = nnv_hal_export_fence,
	.wait = nnv_hal_wait,
	.fetch = nnv_hal_fetch,
	.output_dims = nnv_hal_output_dims,
	.release = nnv_hal_release,
};

// SPDX-License-Identifier: MIT
/*
 * libLiteRtDispatch_NNAccel.so: the functions by which LiteRT runs partitions, in the struct that
 * LiteRT 2.2 and 2.3 ask for, and in the tables of 2.4.
 *
 * There is no graph interface: a partition is a program already.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/litert/buffer.h"
#include "frontend/litert/device.h"
#include "frontend/litert/invocation.h"
#include "frontend/litert/shared.h"
#include "frontend/tflite/type.h"
#include "libnnaccel/support/message.h"
#include "nna_build_id.h"

/* wait_event() is the last one. LiteRT has dma-bufs and sync_files on some systems only. */
static bool is_usable(const struct LiteRtRuntimeContext *runtime)
{
	if (runtime && litert_is_known(&runtime->header) && LITERT_HAS(runtime, wait_event) &&
	    runtime->create_tensor_buffer_requirements && runtime->get_tensor_buffer_type &&
	    runtime->get_tensor_buffer_tensor_type && runtime->get_tensor_buffer_size &&
	    runtime->get_tensor_buffer_offset && runtime->get_tensor_buffer_host_memory &&
	    runtime->get_tensor_buffer_custom_tensor_buffer_handle && runtime->get_event_event_type)
		return true;
	nna_message_insist(NNA_MESSAGE_MANAGER,
			   "this LiteRT has another interface for devices than 2.2 to 2.4: its models "
			   "do not run on the NNA");
	return false;
}

static int initialize(const struct LiteRtRuntimeContext *runtime,
		      struct LiteRtEnvironmentT *environment, struct LiteRtOptionsT *options)
{
	return is_usable(runtime) ? LITERT_OK : LITERT_WRONG_VERSION;
}

static int get_vendor_id(const char **id)
{
	if (!id)
		return LITERT_INVALID_ARGUMENT;
	*id = "NNAccel";
	return LITERT_OK;
}

static int get_build_id(const char **id)
{
	if (!id)
		return LITERT_INVALID_ARGUMENT;
	*id = NNA_BUILD_ID;
	return LITERT_OK;
}

/* Events are sync_files, which the loopback cannot make. */
static int get_capabilities(int *capabilities)
{
	struct nna_device *device;
	struct nna_device_info info;
	int ret;

	if (!capabilities)
		return LITERT_INVALID_ARGUMENT;
	ret = litert_shared_get(&device);
	if (ret)
		return litert_status(ret);
	nna_device_get_info(device, &info);
	litert_shared_put();
	*capabilities = LITERT_CAN_BASIC | (info.sync_files ? LITERT_CAN_ASYNC : 0);
	return LITERT_OK;
}

static int create_context(const struct LiteRtRuntimeContext *runtime,
			  struct LiteRtOptionsT *options, struct litert_context **out)
{
	if (!out)
		return LITERT_INVALID_ARGUMENT;
	return is_usable(runtime) ? litert_context_create(runtime, out) : LITERT_WRONG_VERSION;
}

static int destroy_context(struct litert_context *context)
{
	if (!context)
		return LITERT_INVALID_ARGUMENT;
	litert_context_destroy(context);
	return LITERT_OK;
}

/* Bytes of a tensor with a shape; 0 if the shape is open. */
static size_t size_of(const struct LiteRtRankedTensorType *type)
{
	size_t size = tflite_type_size(tflite_runtime_type(type->element_type));

	for (uint32_t i = 0; i < type->rank && i < 8; i++)
		if (type->dimensions[i] < 0 ||
		    __builtin_mul_overflow(size, (size_t)type->dimensions[i], &size))
			return 0;
	return size;
}

/*
 * LiteRT makes buffers of the first kind. 2.2, whose table is shorter, knows our kind only in the
 * process's first environment: there a model of a second one would get no buffers.
 */
static const int *get_types(const struct LiteRtRuntimeContext *runtime)
{
	static const int ours_first[] = { LITERT_NNA_BUFFER, LITERT_HOST_MEMORY, LITERT_DMA_BUF };
	static const int host_first[] = { LITERT_HOST_MEMORY, LITERT_NNA_BUFFER, LITERT_DMA_BUF };

	return runtime->header.struct_size > 400 ? ours_first : host_first;
}

static int get_requirements(const struct litert_invocation *v, const struct litert_io *ios,
			    uint32_t count, int index, const struct LiteRtRankedTensorType *type,
			    struct LiteRtTensorBufferRequirementsT **out)
{
	if (index < 0 || (uint32_t)index >= count || !type || !out)
		return LITERT_INVALID_ARGUMENT;
	return v->context->runtime->create_tensor_buffer_requirements(
		3, get_types(v->context->runtime), ios[index].info.size ?: size_of(type), 0, NULL,
		out);
}

static int get_input_requirements(struct litert_invocation *v, int index,
				  const struct LiteRtRankedTensorType *type,
				  struct LiteRtTensorBufferRequirementsT **out)
{
	return v ? get_requirements(v, v->inputs, v->input_count, index, type, out) :
	       LITERT_INVALID_ARGUMENT;
}

static int get_output_requirements(struct litert_invocation *v, int index,
				   const struct LiteRtRankedTensorType *type,
				   struct LiteRtTensorBufferRequirementsT **out)
{
	return v ? get_requirements(v, v->outputs, v->output_count, index, type, out) :
	       LITERT_INVALID_ARGUMENT;
}

static int register_buffer(struct litert_context *context, struct LiteRtTensorBufferT *buffer,
			   uint64_t *handle)
{
	if (!context || !buffer || !handle)
		return LITERT_INVALID_ARGUMENT;
	return litert_context_register(context, buffer, handle);
}

static int unregister_buffer(struct litert_context *context, uint64_t handle)
{
	return context ? litert_context_unregister(context, handle) : LITERT_INVALID_ARGUMENT;
}

static int create_invocation(const struct LiteRtRuntimeContext *runtime,
			     struct litert_context *context, int exec_type,
			     const struct LiteRtMemBuffer *bytes, const char *function,
			     int input_count, int output_count, struct litert_invocation **out)
{
	if (!context || !bytes || !out)
		return LITERT_INVALID_ARGUMENT;
	if (exec_type != LITERT_EXECUTABLE_BYTES)
		return LITERT_UNSUPPORTED;
	return litert_invocation_create(context, bytes, function, input_count, output_count, out);
}

static int destroy_invocation(struct litert_invocation *v)
{
	if (!v)
		return LITERT_INVALID_ARGUMENT;
	litert_invocation_destroy(v);
	return LITERT_OK;
}

/* LiteRT's priorities are 0, the highest, to 1000; a third of them is each of ours. */
static int set_scheduling_info(struct litert_invocation *v, const struct LiteRtSchedulingInfo *info)
{
	if (!v)
		return LITERT_INVALID_ARGUMENT;
	v->priority = NNA_PRIORITY_MEDIUM;
	if (info && info->fields_mask & LITERT_HAS_PRIORITY)
		v->priority = info->job_priority < 334 ? NNA_PRIORITY_HIGH :
			      info->job_priority < 667 ? NNA_PRIORITY_MEDIUM : NNA_PRIORITY_LOW;
	return LITERT_OK;
}

static int attach_input(struct litert_invocation *v, int index, uint64_t handle)
{
	return v ? litert_invocation_attach(v, true, index, handle) : LITERT_INVALID_ARGUMENT;
}

static int attach_output(struct litert_invocation *v, int index, uint64_t handle)
{
	return v ? litert_invocation_attach(v, false, index, handle) : LITERT_INVALID_ARGUMENT;
}

static int detach_input(struct litert_invocation *v, int index, uint64_t handle)
{
	return v ? litert_invocation_detach(v, true, index) : LITERT_INVALID_ARGUMENT;
}

static int detach_output(struct litert_invocation *v, int index, uint64_t handle)
{
	return v ? litert_invocation_detach(v, false, index) : LITERT_INVALID_ARGUMENT;
}

static int invoke(struct litert_invocation *v)
{
	return v ? litert_invocation_run(v, 0, NULL) : LITERT_INVALID_ARGUMENT;
}

static int start_metrics(struct litert_invocation *v, int level)
{
	if (!v || level < 0)
		return LITERT_INVALID_ARGUMENT;
	v->collecting = true;
	v->runs = 0;
	v->device_ns = 0;
	return LITERT_OK;
}

static int stop_metrics(struct litert_invocation *v, struct litert_metrics **out)
{
	struct litert_metrics *metrics;

	if (!v || !out)
		return LITERT_INVALID_ARGUMENT;
	metrics = calloc(1, sizeof(*metrics));
	if (!metrics)
		return LITERT_NO_MEMORY;
	*metrics = (struct litert_metrics){
		.runs = v->runs,
		.device_ns = v->device_ns,
		.all = v->module.head.all,
		.taken = v->module.head.taken,
		.operators = v->part.operators,
	};
	v->collecting = false;
	*out = metrics;
	return LITERT_OK;
}

#define METRICS 5

static int count_metrics(struct litert_metrics *metrics, int *count)
{
	if (!metrics || !count)
		return LITERT_INVALID_ARGUMENT;
	*count = METRICS;
	return LITERT_OK;
}

static int get_metric(struct litert_metrics *metrics, int index, struct LiteRtMetric *metric)
{
	static const char *const names[METRICS] = {
		"nnaccel_runs", "nnaccel_device_ns", "nnaccel_operators_of_model",
		"nnaccel_operators_on_npu", "nnaccel_operators_of_partition",
	};
	uint64_t values[METRICS];

	if (!metrics || index < 0 || index >= METRICS || !metric)
		return LITERT_INVALID_ARGUMENT;
	values[0] = metrics->runs;
	values[1] = metrics->device_ns;
	values[2] = metrics->all;
	values[3] = metrics->taken;
	values[4] = metrics->operators;
	metric->name = names[index];
	metric->value.type = LITERT_ANY_INT;
	metric->value.int_value = (int64_t)values[index];
	return LITERT_OK;
}

static int destroy_metrics(struct litert_metrics *metrics)
{
	free(metrics);
	return LITERT_OK;
}

static int check_compatibility(struct LiteRtApiVersion version,
			       struct LiteRtEnvironmentOptionsT *environment,
			       struct LiteRtOptionsT *options)
{
	return LITERT_OK;
}

static int set_options(struct litert_invocation *v, struct LiteRtOptionsT *options)
{
	return LITERT_OK;
}

static int attach_input_event(struct litert_invocation *v, int index, struct LiteRtEventT *event)
{
	return v && event ? litert_invocation_add_event(v, event) : LITERT_INVALID_ARGUMENT;
}

static int invoke_async(struct litert_invocation *v, int count, struct LiteRtEventT **events)
{
	return v && events ? litert_invocation_run(v, count, events) : LITERT_INVALID_ARGUMENT;
}

#define BASIC { \
	.initialize = initialize, \
	.get_vendor_id = get_vendor_id, \
	.get_build_id = get_build_id, \
	.get_capabilities = get_capabilities, \
	.device_context_create = create_context, \
	.device_context_destroy = destroy_context, \
	.get_input_requirements = get_input_requirements, \
	.get_output_requirements = get_output_requirements, \
	.register_tensor_buffer = register_buffer, \
	.unregister_tensor_buffer = unregister_buffer, \
	.invocation_context_create = create_invocation, \
	.invocation_context_destroy = destroy_invocation, \
	.invocation_context_set_scheduling_info = set_scheduling_info, \
	.attach_input = attach_input, \
	.attach_output = attach_output, \
	.detach_input = detach_input, \
	.detach_output = detach_output, \
	.invoke = invoke, \
	.start_metrics_collection = start_metrics, \
	.stop_metrics_collection = stop_metrics, \
	.get_num_metrics = count_metrics, \
	.get_metric = get_metric, \
	.destroy_metrics = destroy_metrics, \
	.check_runtime_compatibility = check_compatibility, \
	.invocation_context_set_options = set_options, \
}
#define ASYNC { \
	.attach_input_event = attach_input_event, \
	.invoke_async = invoke_async, \
}

/* Of LiteRT 2.2 and 2.3, which know no sizes: there is room with zeros behind each. */
static const struct LiteRtDispatchInterface BASIC_FUNCTIONS = BASIC;
static const struct LiteRtDispatchAsyncInterface ASYNC_FUNCTIONS = ASYNC;

/* The same for 2.4. */
static const struct {
	struct LiteRtAbiHeader header;
	struct LiteRtDispatchInterface functions;
} BASIC_TABLE = {
	.header = { sizeof(struct LiteRtAbiHeader) + offsetof(struct LiteRtDispatchInterface,
		    get_hooks), LITERT_ABI_MAJOR, 0, 0 },
	.functions = BASIC,
};
static const struct {
	struct LiteRtAbiHeader header;
	struct LiteRtDispatchAsyncInterface functions;
} ASYNC_TABLE = {
	.header = { sizeof(struct LiteRtAbiHeader) + offsetof(struct LiteRtDispatchAsyncInterface,
		    rest), LITERT_ABI_MAJOR, 0, 0 },
	.functions = ASYNC,
};

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int LiteRtDispatchGetApi(struct LiteRtDispatchApi *api);
EXPORTED int LiteRtDispatchQueryInterface(int id, struct LiteRtApiVersion version,
					  const void **out);

int LiteRtDispatchGetApi(struct LiteRtDispatchApi *api)
{
	if (!api || !litert_is_known(&api->header) || api->header.struct_size < sizeof(*api)) {
		nna_message_insist(NNA_MESSAGE_MANAGER,
				   "this LiteRT has another interface for devices than 2.2 to 2.4: "
				   "its models do not run on the NNA");
		return LITERT_WRONG_VERSION;
	}
	api->version = (struct LiteRtApiVersion)LITERT_API_VERSION;
	api->interface = &BASIC_FUNCTIONS;
	api->async = &ASYNC_FUNCTIONS;
	api->graph = NULL;
	api->buffers = &LITERT_BUFFER_HANDLERS;
	return LITERT_OK;
}

int LiteRtDispatchQueryInterface(int id, struct LiteRtApiVersion version, const void **out)
{
	if (!out)
		return LITERT_INVALID_ARGUMENT;
	switch (id) {
	case LITERT_BASIC_TABLE:
		*out = &BASIC_TABLE;
		return LITERT_OK;
	case LITERT_ASYNC_TABLE:
		*out = &ASYNC_TABLE;
		return LITERT_OK;
	case LITERT_BUFFER_TABLE:
		*out = &LITERT_BUFFER_HANDLERS;
		return LITERT_OK;
	default:
		*out = NULL;
		return LITERT_UNSUPPORTED;
	}
}

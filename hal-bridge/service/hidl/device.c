// SPDX-License-Identifier: MIT
/* IDevice 1.0 to 1.3 (face.h). */
#include "hal-bridge/service/hidl/face.h"

#include <errno.h>
#include <string.h>

#include "hal-bridge/service/capabilities.h"
#include "hal-bridge/service/device.h"
#include "libnnaccel/support/message.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT

/* Calls a method of the core's IDevice. Return: 0 or an ErrorStatus. */
static int nnb_hidl_device_core(struct nnb_object *object, const struct nnb_hidl_call *call,
				struct nnb_aidl_call *core, uint32_t code, const void *in,
				void *out)
{
	core->method = &nnb_aidl_device.methods[code - 1];
	return nnb_hidl_log(
		call, core,
		nnb_device_handlers[code - 1](nnb_hidl_face_core(object), core, in, out));
}

/* ------------------------------------------------------------------------------------ questions */

static struct nnb_hidl_1_0_performance_info
nnb_hidl_performance(const struct nnb_aidl_performance_info *from)
{
	return (struct nnb_hidl_1_0_performance_info){from->exec_time, from->power_usage};
}

/* The figures for a type in the core's list, which has all types in order. */
static struct nnb_hidl_1_0_performance_info
nnb_hidl_performance_of(const struct nnb_aidl_capabilities *from, int32_t type)
{
	return nnb_hidl_performance(&from->operand_performance.data[type].info);
}

static int nnb_hidl_on_capabilities(struct nnb_object *object, struct nnb_hidl_call *call,
				    const void *in, void *out)
{
	struct nnb_hidl_1_0_device_get_capabilities_out *results = out;
	struct nnb_hidl_1_0_capabilities *to = nnb_arena_alloc(call->arena, 1, sizeof(*to));
	struct nnb_aidl_capabilities from = {0};

	if (!to || nnb_capabilities_get(call->arena, &from))
		return -ENOMEM;
	to->float32_performance =
		nnb_hidl_performance_of(&from, NNB_AIDL_OPERAND_TYPE_TENSOR_FLOAT32);
	to->quantized8_performance =
		nnb_hidl_performance_of(&from, NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_ASYMM);
	results->capabilities = to;
	return 0;
}

static int nnb_hidl_on_capabilities_1_1(struct nnb_object *object, struct nnb_hidl_call *call,
					const void *in, void *out)
{
	struct nnb_hidl_1_1_device_get_capabilities_1_1_out *results = out;
	struct nnb_hidl_1_1_capabilities *to = nnb_arena_alloc(call->arena, 1, sizeof(*to));
	struct nnb_aidl_capabilities from = {0};

	if (!to || nnb_capabilities_get(call->arena, &from))
		return -ENOMEM;
	to->float32_performance =
		nnb_hidl_performance_of(&from, NNB_AIDL_OPERAND_TYPE_TENSOR_FLOAT32);
	to->quantized8_performance =
		nnb_hidl_performance_of(&from, NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_ASYMM);
	to->relaxed_float32to_float16_performance =
		nnb_hidl_performance(&from.relaxed_float32to_float16_performance_tensor);
	results->capabilities = to;
	return 0;
}

/*
 * The figures of types up to @last; an entry is the same in 1.2 and 1.3. Return: NULL or the list.
 */
static struct nnb_hidl_1_3_capabilities_operand_performance *
nnb_hidl_performances(struct nnb_arena *arena, const struct nnb_aidl_capabilities *from,
		      int32_t last)
{
	struct nnb_hidl_1_3_capabilities_operand_performance *to =
		nnb_arena_alloc(arena, (size_t)last + 1, sizeof(*to));

	for (int32_t i = 0; to && i <= last; i++) {
		to[i].type = i;
		to[i].info = nnb_hidl_performance_of(from, i);
	}
	return to;
}

static int nnb_hidl_on_capabilities_1_2(struct nnb_object *object, struct nnb_hidl_call *call,
					const void *in, void *out)
{
	const int32_t last = NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_SYMM;
	struct nnb_hidl_1_2_device_get_capabilities_1_2_out *results = out;
	struct nnb_hidl_1_2_capabilities *to = nnb_arena_alloc(call->arena, 1, sizeof(*to));
	struct nnb_aidl_capabilities from = {0};

	if (!to || nnb_capabilities_get(call->arena, &from))
		return -ENOMEM;
	to->relaxed_float32to_float16_performance_scalar =
		nnb_hidl_performance(&from.relaxed_float32to_float16_performance_scalar);
	to->relaxed_float32to_float16_performance_tensor =
		nnb_hidl_performance(&from.relaxed_float32to_float16_performance_tensor);
	to->operand_performance.data =
		(const void *)nnb_hidl_performances(call->arena, &from, last);
	to->operand_performance.count = (uint32_t)last + 1;
	results->capabilities = to;
	return to->operand_performance.data ? 0 : -ENOMEM;
}

static int nnb_hidl_on_capabilities_1_3(struct nnb_object *object, struct nnb_hidl_call *call,
					const void *in, void *out)
{
	const int32_t last = NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_ASYMM_SIGNED;
	struct nnb_hidl_1_3_device_get_capabilities_1_3_out *results = out;
	struct nnb_hidl_1_3_capabilities *to = nnb_arena_alloc(call->arena, 1, sizeof(*to));
	struct nnb_aidl_capabilities from = {0};

	if (!to || nnb_capabilities_get(call->arena, &from))
		return -ENOMEM;
	to->relaxed_float32to_float16_performance_scalar =
		nnb_hidl_performance(&from.relaxed_float32to_float16_performance_scalar);
	to->relaxed_float32to_float16_performance_tensor =
		nnb_hidl_performance(&from.relaxed_float32to_float16_performance_tensor);
	to->operand_performance.data = nnb_hidl_performances(call->arena, &from, last);
	to->operand_performance.count = (uint32_t)last + 1;
	to->if_performance = nnb_hidl_performance(&from.if_performance);
	to->while_performance = nnb_hidl_performance(&from.while_performance);
	results->capabilities = to;
	return to->operand_performance.data ? 0 : -ENOMEM;
}

static int nnb_hidl_on_status(struct nnb_object *object, struct nnb_hidl_call *call, const void *in,
			      void *out)
{
	struct nnb_hidl_1_0_device_get_status_out *results = out;

	results->status = NNB_HIDL_1_0_DEVICE_STATUS_AVAILABLE;
	return 0;
}

static int nnb_hidl_on_version(struct nnb_object *object, struct nnb_hidl_call *call,
			       const void *in, void *out)
{
	struct nnb_hidl_1_2_device_get_version_string_out *results = out;
	struct nnb_aidl_device_get_version_string_out from = {0};
	struct nnb_hidl_string *to = nnb_arena_alloc(call->arena, 1, sizeof(*to));
	struct nnb_aidl_call core = nnb_hidl_core_call(call);

	if (!to)
		return -ENOMEM;
	results->status = nnb_hidl_device_core(object, call, &core,
					       NNB_AIDL_DEVICE_GET_VERSION_STRING, NULL, &from);
	*to = nnb_hidl_string_of(from.result, strlen(from.result));
	results->version = to;
	return 0;
}

static int nnb_hidl_on_type(struct nnb_object *object, struct nnb_hidl_call *call, const void *in,
			    void *out)
{
	struct nnb_hidl_1_2_device_get_type_out *results = out;
	struct nnb_aidl_device_get_type_out from = {0};
	struct nnb_aidl_call core = nnb_hidl_core_call(call);

	results->status =
		nnb_hidl_device_core(object, call, &core, NNB_AIDL_DEVICE_GET_TYPE, NULL, &from);
	results->type = from.result;
	return 0;
}

static int nnb_hidl_on_extensions(struct nnb_object *object, struct nnb_hidl_call *call,
				  const void *in, void *out)
{
	struct nnb_hidl_1_2_device_get_supported_extensions_out *results = out;
	struct nnb_aidl_device_get_supported_extensions_out from = {0};
	struct nnb_hidl_vec *vec = nnb_arena_alloc(call->arena, 1, sizeof(*vec));
	struct nnb_hidl_1_2_extension_operand_type_information *types;
	struct nnb_hidl_1_2_extension *to;
	struct nnb_aidl_call core = nnb_hidl_core_call(call);

	if (!vec)
		return -ENOMEM;
	results->extensions = vec;
	results->status = nnb_hidl_device_core(
		object, call, &core, NNB_AIDL_DEVICE_GET_SUPPORTED_EXTENSIONS, NULL, &from);
	if (results->status)
		return 0;
	to = nnb_arena_alloc(call->arena, from.result.count, sizeof(*to));
	if (!to)
		return -ENOMEM;
	vec->data = to;
	vec->count = from.result.count;
	for (uint32_t i = 0; i < from.result.count; i++) {
		const struct nnb_aidl_extension *extension = &from.result.data[i];

		types = nnb_arena_alloc(call->arena, extension->operand_types.count,
					sizeof(*types));
		if (!types)
			return -ENOMEM;
		for (uint32_t k = 0; k < extension->operand_types.count; k++) {
			types[k].type = extension->operand_types.data[k].type;
			types[k].is_tensor = extension->operand_types.data[k].is_tensor;
			types[k].byte_size = (uint32_t)extension->operand_types.data[k].byte_size;
		}
		to[i].name = nnb_hidl_string_of(extension->name, strlen(extension->name));
		to[i].operand_types.data = types;
		to[i].operand_types.count = extension->operand_types.count;
	}
	return 0;
}

static int nnb_hidl_on_cache_files(struct nnb_object *object, struct nnb_hidl_call *call,
				   const void *in, void *out)
{
	struct nnb_hidl_1_2_device_get_number_of_cache_files_needed_out *results = out;
	struct nnb_aidl_device_get_number_of_cache_files_needed_out from = {0};
	struct nnb_aidl_call core = nnb_hidl_core_call(call);

	results->status = nnb_hidl_device_core(
		object, call, &core, NNB_AIDL_DEVICE_GET_NUMBER_OF_CACHE_FILES_NEEDED, NULL, &from);
	results->num_model_cache = (uint32_t)from.result.num_model_cache;
	results->num_data_cache = (uint32_t)from.result.num_data_cache;
	return 0;
}

/* The results are alike in all versions. */
static int nnb_hidl_supported(struct nnb_object *object, struct nnb_hidl_call *call,
			      enum nnb_hidl_version version, const void *model, void *out)
{
	struct nnb_hidl_1_3_device_get_supported_operations_1_3_out *results = out;
	struct nnb_aidl_call core = nnb_hidl_core_call(call);
	struct nnb_aidl_device_get_supported_operations_in args;
	struct nnb_aidl_device_get_supported_operations_out from = {0};
	struct nnb_hidl_vec *vec = nnb_arena_alloc(call->arena, 1, sizeof(*vec));
	int ret;

	if (!vec)
		return -ENOMEM;
	results->supported_operations = vec;
	ret = nnb_hidl_log(call, &core, nnb_hidl_to_model(&core, version, model, &args.model));
	if (!ret)
		ret = nnb_hidl_device_core(object, call, &core,
					   NNB_AIDL_DEVICE_GET_SUPPORTED_OPERATIONS, &args, &from);
	results->status = nnb_hidl_status(version, ret);
	if (!ret) {
		/* A bool of C is a byte that is 0 or 1, as HIDL's. */
		vec->data = from.result.data;
		vec->count = from.result.count;
	}
	return 0;
}

static int nnb_hidl_on_supported(struct nnb_object *object, struct nnb_hidl_call *call,
				 const void *in, void *out)
{
	const struct nnb_hidl_1_0_device_get_supported_operations_in *args = in;

	return nnb_hidl_supported(object, call, NNB_HIDL_1_0, args->model, out);
}

static int nnb_hidl_on_supported_1_1(struct nnb_object *object, struct nnb_hidl_call *call,
				     const void *in, void *out)
{
	const struct nnb_hidl_1_1_device_get_supported_operations_1_1_in *args = in;

	return nnb_hidl_supported(object, call, NNB_HIDL_1_1, args->model, out);
}

static int nnb_hidl_on_supported_1_2(struct nnb_object *object, struct nnb_hidl_call *call,
				     const void *in, void *out)
{
	const struct nnb_hidl_1_2_device_get_supported_operations_1_2_in *args = in;

	return nnb_hidl_supported(object, call, NNB_HIDL_1_2, args->model, out);
}

static int nnb_hidl_on_supported_1_3(struct nnb_object *object, struct nnb_hidl_call *call,
				     const void *in, void *out)
{
	const struct nnb_hidl_1_3_device_get_supported_operations_1_3_in *args = in;

	return nnb_hidl_supported(object, call, NNB_HIDL_1_3, args->model, out);
}

/* ------------------------------------------------------------------------------------ preparing */

/**
 * struct nnb_hidl_preparation - the arguments of a call that prepares a model, in any version
 * @version: of the call
 * @model: of the version; NULL to load it from the cache
 * @preference: ExecutionPreference
 * @priority: Priority
 * @deadline: in ns of AIDL's clock, -1 for none
 * @model_cache: handles; NULL for none
 * @data_cache: handles; NULL for none
 * @token: of the cache; NULL for none
 * @callback: of the client
 */
struct nnb_hidl_preparation {
	enum nnb_hidl_version version;
	const void *model;
	int32_t preference, priority;
	int64_t deadline;
	const struct nnb_hidl_vec *model_cache, *data_cache;
	const uint8_t *token;
	struct nnb_object *callback;
};

/* Return: 0 or an ErrorStatus. */
static int nnb_hidl_to_caches(struct nnb_aidl_call *core, const struct nnb_hidl_preparation *args,
			      struct nnb_fds *models, struct nnb_fds *data)
{
	int ret = nnb_hidl_to_fds(core, "model cache file", args->model_cache, models);

	return ret ? ret : nnb_hidl_to_fds(core, "data cache file", args->data_cache, data);
}

/* Tells the callback, for which no core has been called. */
static void nnb_hidl_refuse(struct nnb_object *callback, const struct nnb_caller *caller,
			    struct nnb_arena *arena, int status)
{
	const struct nnb_aidl_prepared_model_callback_notify_in in = {.status = status};

	nnb_aidl_call(callback, caller, &nnb_aidl_prepared_model_callback.methods[0], &in, arena,
		      NULL);
}

/* Loads a model from the cache. Return: 0 or an ErrorStatus. */
static int nnb_hidl_load(struct nnb_object *object, struct nnb_hidl_call *call,
			 struct nnb_aidl_call *core, const struct nnb_hidl_preparation *args,
			 struct nnb_object *callback)
{
	struct nnb_aidl_device_prepare_model_from_cache_in in = {
		.deadline_ns = args->deadline,
		.token = {32, args->token},
		.callback = callback,
	};
	int ret = nnb_hidl_to_caches(core, args, &in.model_cache, &in.data_cache);

	if (ret) {
		nnb_hidl_refuse(callback, call->caller, call->arena, ret);
		return nnb_hidl_log(call, core, ret);
	}
	return nnb_hidl_device_core(object, call, core, NNB_AIDL_DEVICE_PREPARE_MODEL_FROM_CACHE,
				    &in, NULL);
}

/* Return: 0 or an ErrorStatus. */
static int nnb_hidl_compile(struct nnb_object *object, struct nnb_hidl_call *call,
			    struct nnb_aidl_call *core, const struct nnb_hidl_preparation *args,
			    struct nnb_object *callback)
{
	struct nnb_aidl_device_prepare_model_in in = {
		.preference = args->preference,
		.priority = args->priority,
		.deadline_ns = args->deadline,
		.token = {args->token ? 32 : 0, args->token},
		.callback = callback,
	};
	int ret = nnb_hidl_to_model(core, args->version, args->model, &in.model);

	if (ret) {
		nnb_hidl_refuse(callback, call->caller, call->arena, ret);
		return nnb_hidl_log(call, core, ret);
	}
	/* A cache that is no cache is no reason not to prepare the model. */
	if (nnb_hidl_to_caches(core, args, &in.model_cache, &in.data_cache)) {
		nna_message(DRIVER, "hal: %s: the model is not saved", core->message);
		core->message[0] = '\0';
		in.model_cache = (struct nnb_fds){0};
		in.data_cache = (struct nnb_fds){0};
	}
	return nnb_hidl_device_core(object, call, core, NNB_AIDL_DEVICE_PREPARE_MODEL, &in, NULL);
}

/* The result of all versions is a status. */
static int nnb_hidl_prepare(struct nnb_object *object, struct nnb_hidl_call *call,
			    const struct nnb_hidl_preparation *args, void *out)
{
	struct nnb_hidl_1_3_device_prepare_model_1_3_out *results = out;
	struct nnb_aidl_call core = nnb_hidl_core_call(call);
	struct nnb_object *callback;
	int ret;

	if (!args->callback) {
		ret = nnb_hidl_log(call, &core,
				   nnb_aidl_fail(&core, INVALID, "the callback is null"));
		results->status = nnb_hidl_status(args->version, ret);
		return 0;
	}
	callback = nnb_hidl_callback_create(args->callback, args->version);
	if (!callback)
		return -ENOMEM;
	ret = args->model ? nnb_hidl_compile(object, call, &core, args, callback)
			  : nnb_hidl_load(object, call, &core, args, callback);
	nnb_object_unref(callback);
	results->status = nnb_hidl_status(args->version, ret);
	return 0;
}

static int nnb_hidl_on_prepare(struct nnb_object *object, struct nnb_hidl_call *call,
			       const void *in, void *out)
{
	const struct nnb_hidl_1_0_device_prepare_model_in *args = in;
	const struct nnb_hidl_preparation preparation = {
		.version = NNB_HIDL_1_0,
		.model = args->model,
		.preference = NNB_AIDL_EXECUTION_PREFERENCE_FAST_SINGLE_ANSWER,
		.priority = NNB_AIDL_PRIORITY_MEDIUM,
		.deadline = -1,
		.callback = args->callback,
	};

	return nnb_hidl_prepare(object, call, &preparation, out);
}

static int nnb_hidl_on_prepare_1_1(struct nnb_object *object, struct nnb_hidl_call *call,
				   const void *in, void *out)
{
	const struct nnb_hidl_1_1_device_prepare_model_1_1_in *args = in;
	const struct nnb_hidl_preparation preparation = {
		.version = NNB_HIDL_1_1,
		.model = args->model,
		.preference = args->preference,
		.priority = NNB_AIDL_PRIORITY_MEDIUM,
		.deadline = -1,
		.callback = args->callback,
	};

	return nnb_hidl_prepare(object, call, &preparation, out);
}

static int nnb_hidl_on_prepare_1_2(struct nnb_object *object, struct nnb_hidl_call *call,
				   const void *in, void *out)
{
	const struct nnb_hidl_1_2_device_prepare_model_1_2_in *args = in;
	const struct nnb_hidl_preparation preparation = {
		.version = NNB_HIDL_1_2,
		.model = args->model,
		.preference = args->preference,
		.priority = NNB_AIDL_PRIORITY_MEDIUM,
		.deadline = -1,
		.model_cache = args->model_cache,
		.data_cache = args->data_cache,
		.token = args->token,
		.callback = args->callback,
	};

	return nnb_hidl_prepare(object, call, &preparation, out);
}

static int nnb_hidl_on_prepare_1_3(struct nnb_object *object, struct nnb_hidl_call *call,
				   const void *in, void *out)
{
	const struct nnb_hidl_1_3_device_prepare_model_1_3_in *args = in;
	const struct nnb_hidl_preparation preparation = {
		.version = NNB_HIDL_1_3,
		.model = args->model,
		.preference = args->preference,
		.priority = args->priority,
		.deadline = nnb_hidl_to_deadline(args->deadline),
		.model_cache = args->model_cache,
		.data_cache = args->data_cache,
		.token = args->token,
		.callback = args->callback,
	};

	return nnb_hidl_prepare(object, call, &preparation, out);
}

static int nnb_hidl_on_load(struct nnb_object *object, struct nnb_hidl_call *call, const void *in,
			    void *out)
{
	const struct nnb_hidl_1_2_device_prepare_model_from_cache_in *args = in;
	const struct nnb_hidl_preparation preparation = {
		.version = NNB_HIDL_1_2,
		.deadline = -1,
		.model_cache = args->model_cache,
		.data_cache = args->data_cache,
		.token = args->token,
		.callback = args->callback,
	};

	return nnb_hidl_prepare(object, call, &preparation, out);
}

static int nnb_hidl_on_load_1_3(struct nnb_object *object, struct nnb_hidl_call *call,
				const void *in, void *out)
{
	const struct nnb_hidl_1_3_device_prepare_model_from_cache_1_3_in *args = in;
	const struct nnb_hidl_preparation preparation = {
		.version = NNB_HIDL_1_3,
		.deadline = nnb_hidl_to_deadline(args->deadline),
		.model_cache = args->model_cache,
		.data_cache = args->data_cache,
		.token = args->token,
		.callback = args->callback,
	};

	return nnb_hidl_prepare(object, call, &preparation, out);
}

/* ------------------------------------------------------------------------------------- allocate */

static struct nnb_aidl_buffer_role *nnb_hidl_to_roles(struct nnb_arena *arena,
						      const struct nnb_hidl_vec *from)
{
	const struct nnb_hidl_1_3_buffer_role *roles = from->data;
	struct nnb_aidl_buffer_role *to = nnb_arena_alloc(arena, from->count, sizeof(*to));

	for (uint32_t i = 0; to && i < from->count; i++)
		to[i] = (struct nnb_aidl_buffer_role){(int32_t)roles[i].model_index,
						      (int32_t)roles[i].io_index,
						      roles[i].frequency};
	return to;
}

static int nnb_hidl_on_allocate(struct nnb_object *object, struct nnb_hidl_call *call,
				const void *in, void *out)
{
	const struct nnb_hidl_1_3_device_allocate_in *args = in;
	struct nnb_hidl_1_3_device_allocate_out *results = out;
	const uint32_t count = args->prepared_models.count;
	struct nnb_aidl_i_prepared_model_parcel *models =
		nnb_arena_alloc(call->arena, count, sizeof(*models));
	struct nnb_aidl_device_allocate_in core_in = {
		.desc.dimensions = {args->desc->dimensions.count,
				    (const int32_t *)args->desc->dimensions.data},
		.prepared_models = {count, models},
		.input_roles = {args->input_roles->count,
				nnb_hidl_to_roles(call->arena, args->input_roles)},
		.output_roles = {args->output_roles->count,
				 nnb_hidl_to_roles(call->arena, args->output_roles)},
	};
	struct nnb_aidl_device_allocate_out core_out = {0};
	struct nnb_aidl_call core = nnb_hidl_core_call(call);

	if (!models || !core_in.input_roles.data || !core_in.output_roles.data)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct nnb_prepared_model *model = nnb_hidl_model_of(args->prepared_models.data[i]);

		models[i].prepared_model = model ? &model->object : NULL;
	}
	results->status = nnb_hidl_device_core(object, call, &core, NNB_AIDL_DEVICE_ALLOCATE,
					       &core_in, &core_out);
	if (results->status)
		return 0;
	results->buffer = nnb_hidl_buffer_create(nnb_object_ref(core_out.result.buffer));
	if (!results->buffer)
		return -ENOMEM;
	results->token = (uint32_t)core_out.result.token;
	return nnb_arena_own_object(call->arena, results->buffer);
}

/* --------------------------------------------------------------------------------------- object */

static const nnb_hidl_handler nnb_hidl_1_0_device_list[] = {
	nnb_hidl_on_capabilities,
	nnb_hidl_on_supported,
	nnb_hidl_on_prepare,
	nnb_hidl_on_status,
};

static const nnb_hidl_handler nnb_hidl_1_1_device_list[] = {
	nnb_hidl_on_capabilities_1_1,
	nnb_hidl_on_supported_1_1,
	nnb_hidl_on_prepare_1_1,
};

static const nnb_hidl_handler nnb_hidl_1_2_device_list[] = {
	nnb_hidl_on_version,	 nnb_hidl_on_type,	    nnb_hidl_on_capabilities_1_2,
	nnb_hidl_on_extensions,	 nnb_hidl_on_supported_1_2, nnb_hidl_on_cache_files,
	nnb_hidl_on_prepare_1_2, nnb_hidl_on_load,
};

static const nnb_hidl_handler nnb_hidl_1_3_device_list[] = {
	nnb_hidl_on_capabilities_1_3, nnb_hidl_on_supported_1_3, nnb_hidl_on_prepare_1_3,
	nnb_hidl_on_load_1_3,	      nnb_hidl_on_allocate,
};

static int nnb_hidl_device_answer(struct nnb_object *object, const struct nnb_caller *caller,
				  const char *descriptor, uint32_t code, struct nnb_hw *in,
				  struct nnb_arena *arena, struct nnb_hw *out)
{
	static const struct nnb_hidl_handlers handlers[] = {
		{&nnb_hidl_1_3_device, nnb_hidl_1_3_device_list},
		{&nnb_hidl_1_2_device, nnb_hidl_1_2_device_list},
		{&nnb_hidl_1_1_device, nnb_hidl_1_1_device_list},
		{&nnb_hidl_1_0_device, nnb_hidl_1_0_device_list},
	};
	struct nnb_device *device = nnb_device_of(nnb_hidl_face_core(object));

	/* A service manager asks for the chain before the service is started. */
	if (strcmp(descriptor, NNB_HIDL_BASE))
		nnb_service_wait(device->service);
	return nnb_hidl_answer(object, handlers, caller, descriptor, code, in, arena, out);
}

static void nnb_hidl_device_dump(struct nnb_object *object, const struct nnb_caller *caller, int fd)
{
	nnb_device_ops.dump(nnb_hidl_face_core(object), caller, fd);
}

struct nnb_object *nnb_hidl_device_create(struct nnb_device *device)
{
	static const char *const chain[] = {
		"android.hardware.neuralnetworks@1.3::IDevice",
		"android.hardware.neuralnetworks@1.2::IDevice",
		"android.hardware.neuralnetworks@1.1::IDevice",
		"android.hardware.neuralnetworks@1.0::IDevice",
		NULL,
	};
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks@1.3::IDevice",
		.chain = chain,
		.release = nnb_hidl_face_release,
		.answer = nnb_hidl_device_answer,
		.dump = nnb_hidl_device_dump,
	};

	return nnb_hidl_face_create(&ops, nnb_object_ref(&device->object));
}

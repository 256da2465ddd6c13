// SPDX-License-Identifier: MIT
/*
 * IDevice (device.h).
 *
 * Preparing a model: the call checks the client's model and makes a graph of it, and then returns.
 * A worker compiles the graph and calls the callback. Each call that has a callback gets exactly
 * one callback. A refused argument is reported twice, by the callback and by the call's error; a
 * deadline that has passed is no such argument, and the callback alone reports it.
 */
#include "hal-bridge/service/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/common/deadline.h"
#include "hal-bridge/service/buffer.h"
#include "hal-bridge/service/cache.h"
#include "hal-bridge/service/capabilities.h"
#include "hal-bridge/service/extension.h"
#include "hal-bridge/service/file.h"
#include "hal-bridge/service/graph.h"
#include "hal-bridge/service/prepared_model.h"
#include "hal-bridge/service/service.h"
#include "hal-bridge/service/status.h"
#include "hal-bridge/service/validate.h"
#include "libnnaccel/support/message.h"
#include "libnnaccel/support/trace.h"
#include "nna_version.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
#define FAILURE NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE
#define NNB_DEADLINE_PAST UINT64_MAX /* in place of a deadline that has passed */

struct nnb_device *nnb_device_of(struct nnb_object *object)
{
	return (struct nnb_device *)((char *)object - offsetof(struct nnb_device, object));
}

/* ------------------------------------------------------------------------------------ questions */

static int nnb_on_get_capabilities(struct nnb_object *object, struct nnb_aidl_call *call,
				   const void *in, void *out)
{
	struct nnb_aidl_device_get_capabilities_out *results = out;

	return nnb_status(nnb_capabilities_get(call->arena, &results->result));
}

static int nnb_on_get_cache_files(struct nnb_object *object, struct nnb_aidl_call *call,
				  const void *in, void *out)
{
	struct nnb_aidl_device_get_number_of_cache_files_needed_out *results = out;

	results->result.num_model_cache = NNB_MODEL_CACHE_FILES;
	results->result.num_data_cache = NNB_DATA_CACHE_FILES;
	return 0;
}

static int nnb_on_get_extensions(struct nnb_object *object, struct nnb_aidl_call *call,
				 const void *in, void *out)
{
	return nnb_status(nnb_extensions_get(call->arena, out));
}

/* Gets the calling client, with a reference. Return: 0 or an ErrorStatus. */
static int nnb_client_of_call(struct nnb_object *object, struct nnb_aidl_call *call,
			      struct nnb_client **out)
{
	int ret = nnb_client_get(nnb_device_of(object), call->caller, out);

	return ret ? nnb_aidl_fail(call, nnb_status(ret), "cannot open the device: %s",
				   strerror(-ret)) : 0;
}

static int nnb_on_get_supported(struct nnb_object *object, struct nnb_aidl_call *call,
				const void *in, void *out)
{
	const struct nnb_aidl_device_get_supported_operations_in *args = in;
	struct nnb_aidl_device_get_supported_operations_out *results = out;
	const uint32_t count = args->model.main.operations.count;
	struct nnb_quota charged;
	struct nnb_client *client;
	struct nna_graph *graph;
	bool *supported;
	int ret;

	NNA_TRACE(DRIVER, COMPILATION, "getSupportedOperations");
	ret = nnb_client_of_call(object, call, &client);
	if (ret)
		return ret;
	ret = nnb_graph_create(client, call, &args->model, &charged, &graph);
	if (ret) {
		nnb_client_put(client);
		return ret;
	}
	supported = nnb_arena_alloc(call->arena, count, sizeof(*supported));
	ret = supported ? 0 : -ENOMEM;
	if (!ret)
		ret = nna_graph_get_supported(graph, client->device, supported);
	nna_graph_unref(graph);
	nnb_quota_discharge(client, &charged);
	nnb_client_put(client);
	if (ret)
		return nnb_aidl_fail(call, nnb_status(ret),
				     "cannot find the supported operations: %s", strerror(-ret));
	results->result = (struct nnb_bools){count, supported};
	return 0;
}

static int nnb_on_get_type(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			   void *out)
{
	((struct nnb_aidl_device_get_type_out *)out)->result = NNB_AIDL_DEVICE_TYPE_ACCELERATOR;
	return 0;
}

static int nnb_on_get_version(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			      void *out)
{
	((struct nnb_aidl_device_get_version_string_out *)out)->result = "nnaccel " NNA_VERSION;
	return 0;
}

/* ------------------------------------------------------------------------------------ preparing */

/**
 * struct nnb_preparation - a model to be compiled, or loaded
 * @task: of the workers
 * @client: a reference
 * @charged: the charge of its user for one model and @graph, until the model takes it over
 * @graph: a reference; NULL if the model is to be loaded, and once the model has been made
 * @options: for the library
 * @callback: gets the result, a reference
 * @cache: the file to load from or save to, owned; -1 for none
 * @token: of @cache
 */
struct nnb_preparation {
	struct nnb_task task;
	struct nnb_client *client;
	struct nnb_quota charged;
	struct nna_graph *graph;
	struct nna_program_options options;
	struct nnb_object *callback;
	int cache;
	uint8_t token[NNB_TOKEN_BYTES];
};

/* Calls the callback. @model may be NULL; the caller keeps its reference. */
static void nnb_preparation_notify(struct nnb_object *callback, int status,
				   struct nnb_prepared_model *model)
{
	static const struct nnb_caller self;
	struct nnb_aidl_prepared_model_callback_notify_in in = {
		.status = status,
		.prepared_model = model ? &model->object : NULL,
	};
	struct nnb_arena arena = {0};
	int ret;

	ret = nnb_aidl_call(callback, &self, &nnb_aidl_prepared_model_callback.methods[0], &in,
			    &arena, NULL);
	nnb_arena_fini(&arena);
	if (ret)
		nna_message(DRIVER, "hal: a callback for a prepared model failed with status %d",
			    ret);
}

/* Ends the preparation of valid arguments whose deadline has passed. */
static void nnb_preparation_miss(struct nnb_object *callback)
{
	nna_message(DRIVER, "hal: the deadline of a preparation has passed");
	nnb_preparation_notify(callback, NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT, NULL);
}

static void nnb_preparation_free(struct nnb_preparation *preparation)
{
	nna_graph_unref(preparation->graph);
	nnb_object_unref(preparation->callback);
	nnb_file_close(preparation->client, preparation->cache);
	nnb_client_put(preparation->client);
	free(preparation);
}

static int nnb_preparation_load(const struct nnb_preparation *preparation,
				struct nnb_prepared_model **out)
{
	struct nnb_client *client = preparation->client;
	struct nna_program *program;
	int ret = nnb_model_cache_load(client, preparation->cache, preparation->token,
				       &preparation->options, &program);

	if (ret) {
		nnb_quota_discharge(client, &preparation->charged);
		return ret;
	}
	return nnb_prepared_model_wrap(client, &preparation->charged, program, out);
}

/* Return: true if the client that requested the model is dead. */
static bool nnb_preparation_is_cancelled(void *user)
{
	struct nnb_client *client = user;

	return atomic_load(&client->dead);
}

static int nnb_preparation_make(const struct nnb_preparation *preparation,
				struct nnb_prepared_model **out)
{
	int ret;

	*out = NULL;
	if (!preparation->graph)
		return nnb_preparation_load(preparation, out);
	ret = nnb_prepared_model_create(preparation->client, &preparation->charged,
					preparation->graph, &preparation->options, out);
	/* A failure to save does not matter to the model. */
	if (!ret && preparation->cache >= 0)
		nnb_model_cache_save(preparation->client, preparation->cache, preparation->token,
				     (*out)->program);
	return ret;
}

static int nnb_preparation_status(const struct nnb_preparation *preparation, int error)
{
	struct nnb_deadline deadline = {.past = false};

	switch (-error) {
	/*
	 * The model, or the file, is valid as an argument: failing to compile or load it is a
	 * failure.
	 */
	case EINVAL:
	case ENOTSUP:
	case EFBIG:
		return FAILURE;
	/* The compilation waited for others, so another try may meet its deadline. */
	case ETIMEDOUT:
		return nnb_status_missed(&deadline, 0);
	default:
		return nnb_status(error);
	}
}

static void nnb_preparation_run(struct nnb_task *task)
{
	struct nnb_preparation *preparation = (struct nnb_preparation *)task;
	struct nnb_prepared_model *model;
	int ret;

	NNA_TRACE(DRIVER, COMPILATION, preparation->graph ? "compile" : "load");
	ret = nnb_preparation_make(preparation, &model);
	if (ret != -ECANCELED)
		nnb_preparation_notify(preparation->callback,
				       nnb_preparation_status(preparation, ret), model);
	if (model)
		nnb_object_unref(&model->object);
	nnb_preparation_free(preparation);
}

/* Return: 0, also for a deadline that has passed, which *@deadline shows; or INVALID_ARGUMENT. */
static int nnb_prepare_check_deadline(struct nnb_aidl_call *call, int64_t deadline_ns,
				      uint64_t *deadline)
{
	int ret = nnb_status_deadline(deadline_ns, deadline);

	if (ret == INVALID)
		return nnb_aidl_fail(call, ret, "the deadline of %lld ns is invalid",
				     (long long)deadline_ns);
	if (ret)
		*deadline = NNB_DEADLINE_PAST;
	return 0;
}

/* The arguments of the three ways to prepare a model, in the form of the newest. */
static int nnb_prepare_check(struct nnb_aidl_call *call,
			     const struct nnb_aidl_prepare_model_config *config, uint64_t *deadline)
{
	int ret = nnb_validate_priority(call, config->priority, config->preference);

	if (!ret)
		ret = nnb_validate_extensions(call, config->extension_name_to_prefix.data,
					      config->extension_name_to_prefix.count);
	return ret ? ret : nnb_prepare_check_deadline(call, config->deadline_ns, deadline);
}

/*
 * Return: a duplicate of the file to save a model to; -1 for none. Unusable files are only logged.
 */
static int nnb_prepare_cache(struct nnb_client *client,
			     const struct nnb_aidl_prepare_model_config *config)
{
	int fd, mode;

	if (!config->model_cache.count && !config->data_cache.count)
		return -1;
	if (config->model_cache.count != NNB_MODEL_CACHE_FILES ||
	    config->data_cache.count != NNB_DATA_CACHE_FILES) {
		nna_message(DRIVER, "hal: %u model and %u data cache files instead of %d and %d: "
			    "the model is not saved", config->model_cache.count,
			    config->data_cache.count, NNB_MODEL_CACHE_FILES, NNB_DATA_CACHE_FILES);
		return -1;
	}
	mode = fcntl(config->model_cache.data[0], F_GETFL);
	if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY) {
		nna_message(DRIVER, "hal: a cache file is not writable: the model is not saved");
		return -1;
	}
	fd = nnb_file_keep(client, config->model_cache.data[0]);
	if (fd < 0)
		nna_message(DRIVER, "hal: cannot use a cache file: %s", strerror(-fd));
	return fd < 0 ? -1 : fd;
}

/*
 * Queues a compilation, or a load if @graph is NULL. Takes over the reference @graph, its charge
 * @bytes, and @cache, also after an error. Return: 0 or an ErrorStatus.
 */
static int nnb_prepare_queue(struct nnb_client *client, struct nnb_aidl_call *call,
			     struct nna_graph *graph, uint64_t bytes, int32_t priority,
			     uint64_t deadline, struct nnb_object *callback, int cache,
			     const uint8_t *token)
{
	/*
	 * A client's priorities order its own models. The device's priorities apply to all clients:
	 * HIGH would go before all models of other clients. So HIGH is mapped to MEDIUM, which
	 * gains nothing, and LOW gives way. Clients of one priority take turns.
	 */
	static const enum nna_priority priorities[] = {
		[NNB_AIDL_PRIORITY_LOW] = NNA_PRIORITY_LOW,
		[NNB_AIDL_PRIORITY_MEDIUM] = NNA_PRIORITY_MEDIUM,
		[NNB_AIDL_PRIORITY_HIGH] = NNA_PRIORITY_MEDIUM,
	};
	const struct nnb_quota one_model = {.models = 1}, of_graph = {.bytes = bytes};
	struct nnb_preparation *preparation;
	int ret;

	nnb_client_watch(client, callback);
	preparation = calloc(1, sizeof(*preparation));
	ret = preparation ? nnb_quota_charge(client, &one_model) : -ENOMEM;
	if (ret) {
		free(preparation);
		nna_graph_unref(graph);
		nnb_quota_discharge(client, &of_graph);
		nnb_file_close(client, cache);
		return nnb_aidl_fail(call, nnb_status(ret),
				     "the client's user has too many prepared models");
	}
	preparation->cache = cache;
	memcpy(preparation->token, token, sizeof(preparation->token));
	preparation->task.run = nnb_preparation_run;
	preparation->task.key = call->caller->euid;
	preparation->client = nnb_client_ref(client);
	preparation->charged = (struct nnb_quota){.models = 1, .bytes = bytes};
	preparation->graph = graph;
	preparation->options.priority = priorities[priority];
	preparation->options.deadline_ns = deadline;
	preparation->options.is_cancelled = nnb_preparation_is_cancelled;
	preparation->options.user = client;
	preparation->callback = nnb_object_ref(callback);
	nnb_workers_add(&client->service->workers, &preparation->task);
	return 0;
}

static int nnb_prepare(struct nnb_object *object, struct nnb_aidl_call *call,
		       const struct nnb_aidl_model *model,
		       const struct nnb_aidl_prepare_model_config *config,
		       struct nnb_object *callback)
{
	struct nnb_client *client = NULL;
	struct nna_graph *graph = NULL;
	struct nnb_quota charged;
	uint64_t deadline = 0;
	int ret;

	NNA_TRACE(DRIVER, COMPILATION, "prepareModel");
	if (!callback)
		return nnb_aidl_fail(call, INVALID, "the callback is null");
	ret = nnb_prepare_check(call, config, &deadline);
	if (!ret)
		ret = nnb_client_of_call(object, call, &client);
	if (!ret)
		ret = nnb_graph_create(client, call, model, &charged, &graph);
	if (!ret && deadline == NNB_DEADLINE_PAST) {
		nna_graph_unref(graph);
		nnb_quota_discharge(client, &charged);
		nnb_client_put(client);
		nnb_preparation_miss(callback);
		return 0;
	}
	if (!ret)
		ret = nnb_prepare_queue(client, call, graph, charged.bytes, config->priority,
					deadline, callback, nnb_prepare_cache(client, config),
					config->cache_token);
	nnb_client_put(client);
	if (ret)
		nnb_preparation_notify(callback, ret, NULL);
	return ret;
}

static int nnb_on_prepare(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			  void *out)
{
	const struct nnb_aidl_device_prepare_model_in *args = in;
	struct nnb_aidl_prepare_model_config config = {
		.preference = args->preference,
		.priority = args->priority,
		.deadline_ns = args->deadline_ns,
	};

	if (args->token.count == NNB_TOKEN_BYTES) {
		memcpy(config.cache_token, args->token.data, NNB_TOKEN_BYTES);
		config.model_cache = args->model_cache;
		config.data_cache = args->data_cache;
	} else if (args->model_cache.count) {
		nna_message(DRIVER, "hal: a cache token has %u bytes: the model is not saved",
			    args->token.count);
	}
	return nnb_prepare(object, call, &args->model, &config, args->callback);
}

static int nnb_on_prepare_with_config(struct nnb_object *object, struct nnb_aidl_call *call,
				      const void *in, void *out)
{
	const struct nnb_aidl_device_prepare_model_with_config_in *args = in;

	return nnb_prepare(object, call, &args->model, &args->config, args->callback);
}

/* Gets the file to load a model from, a duplicate in *@fd. Return: 0 or an ErrorStatus. */
static int nnb_prepare_open_cache(struct nnb_client *client, struct nnb_aidl_call *call,
				  const struct nnb_aidl_device_prepare_model_from_cache_in *args,
				  int *fd)
{
	int mode;

	if (args->token.count != NNB_TOKEN_BYTES ||
	    args->model_cache.count != NNB_MODEL_CACHE_FILES ||
	    args->data_cache.count != NNB_DATA_CACHE_FILES)
		return nnb_aidl_fail(call, INVALID, "%u model and %u data cache files, and a token "
				     "of %u bytes, do not fit", args->model_cache.count,
				     args->data_cache.count, args->token.count);
	mode = fcntl(args->model_cache.data[0], F_GETFL);
	if (mode < 0 || (mode & O_ACCMODE) == O_WRONLY)
		return nnb_aidl_fail(call, INVALID, "the cache file is not readable");
	*fd = nnb_file_keep(client, args->model_cache.data[0]);
	return *fd < 0 ? nnb_aidl_fail(call, nnb_status(*fd), "cannot use the cache file: %s",
				       strerror(-*fd))
		       : 0;
}

static int nnb_on_prepare_from_cache(struct nnb_object *object, struct nnb_aidl_call *call,
				     const void *in, void *out)
{
	const struct nnb_aidl_device_prepare_model_from_cache_in *args = in;
	struct nnb_client *client = NULL;
	uint64_t deadline;
	int ret, fd = -1;

	if (!args->callback)
		return nnb_aidl_fail(call, INVALID, "the callback is null");
	ret = nnb_prepare_check_deadline(call, args->deadline_ns, &deadline);
	if (!ret)
		ret = nnb_client_of_call(object, call, &client);
	if (!ret)
		ret = nnb_prepare_open_cache(client, call, args, &fd);
	if (!ret && deadline == NNB_DEADLINE_PAST) {
		nnb_file_close(client, fd);
		nnb_client_put(client);
		nnb_preparation_miss(args->callback);
		return 0;
	}
	if (!ret)
		ret = nnb_prepare_queue(client, call, NULL, 0, NNB_AIDL_PRIORITY_MEDIUM, deadline,
					args->callback, fd, args->token.data);
	nnb_client_put(client);
	if (ret)
		nnb_preparation_notify(args->callback, ret, NULL);
	return ret;
}

static int nnb_on_allocate(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			   void *out)
{
	const struct nnb_aidl_device_allocate_in *args = in;
	struct nnb_aidl_device_allocate_out *results = out;
	struct nnb_prepared_model **models;
	struct nnb_client *client;
	int ret;

	models = nnb_arena_alloc(call->arena, args->prepared_models.count, sizeof(*models));
	if (!models)
		return nnb_status(-ENOMEM);
	for (uint32_t i = 0; i < args->prepared_models.count; i++)
		models[i] = nnb_prepared_model_of(args->prepared_models.data[i].prepared_model);
	ret = nnb_client_of_call(object, call, &client);
	if (ret)
		return ret;
	ret = nnb_buffer_allocate(client, call, args, models, &results->result);
	nnb_client_put(client);
	return ret;
}

const nnb_aidl_handler nnb_device_handlers[] = {
	nnb_on_allocate,	   nnb_on_get_capabilities,
	nnb_on_get_cache_files,	   nnb_on_get_extensions,
	nnb_on_get_supported,	   nnb_on_get_type,
	nnb_on_get_version,	   nnb_on_prepare,
	nnb_on_prepare_from_cache, nnb_on_prepare_with_config,
};

static int nnb_device_transact(struct nnb_object *object, const struct nnb_caller *caller,
			       uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
			       struct nnb_writer *out)
{
	const struct nnb_service_options *options = &nnb_device_of(object)->service->options;

	nnb_service_wait(nnb_device_of(object)->service);
	return nnb_aidl_answer(object, &nnb_aidl_device, options->version, nnb_device_handlers,
			       caller, code, in, arena, out);
}

static void nnb_device_dump(struct nnb_object *object, const struct nnb_caller *caller, int fd)
{
	nnb_service_wait(nnb_device_of(object)->service);
	nnb_service_dump(nnb_device_of(object)->service, caller, fd);
}

/* The service owns this object and frees it. */
static void nnb_device_release(struct nnb_object *object)
{
}

const struct nnb_object_ops nnb_device_ops = {
	.descriptor = "android.hardware.neuralnetworks.IDevice",
	.release = nnb_device_release,
	.transact = nnb_device_transact,
	.dump = nnb_device_dump,
};

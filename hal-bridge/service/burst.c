// SPDX-License-Identifier: MIT
/* IBurst (burst.h). */
#include "hal-bridge/service/burst.h"

#include <errno.h>
#include <stdlib.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/service/memory.h"
#include "hal-bridge/service/run.h"
#include "libnnaccel/support/array.h"

static const struct nnb_quota nnb_one_object = {.objects = 1};

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT

/* The most memories that a burst keeps. */
#define NNB_BURST_MEMORIES 256u

/**
 * struct nnb_burst_entry - a kept memory
 * @token: the client's identifier, 0 or more
 * @memory: a reference
 */
struct nnb_burst_entry {
	int64_t token;
	struct nnb_memory *memory;
};

/**
 * struct nnb_burst - a burst
 * @object: IBurst
 * @model: a reference to its object
 * @lock: guards the fields below
 * @busy: an execution is under way; a burst allows one at a time
 * @entries: @count of them, owned
 * @count: entries of @entries
 * @room: allocated entries of @entries
 */
struct nnb_burst {
	struct nnb_object object;
	struct nnb_prepared_model *model;
	pthread_mutex_t lock;
	bool busy;
	struct nnb_burst_entry *entries;
	uint32_t count, room;
};

static void nnb_burst_release(struct nnb_object *object)
{
	struct nnb_burst *burst = (struct nnb_burst *)object;
	const struct nnb_quota objects = {.objects = 1 + burst->count};

	nnb_quota_discharge(burst->model->client, &objects);
	for (uint32_t i = 0; i < burst->count; i++)
		nnb_memory_unref(burst->entries[i].memory);
	free(burst->entries);
	nnb_object_unref(&burst->model->object);
	pthread_mutex_destroy(&burst->lock);
	free(burst);
}

/* Called with the lock. */
static struct nnb_burst_entry *nnb_burst_find(struct nnb_burst *burst, int64_t token)
{
	for (uint32_t i = 0; i < burst->count; i++) {
		if (burst->entries[i].token == token)
			return &burst->entries[i];
	}
	return NULL;
}

/* Gets the kept memories, with a reference each; NULL for others. */
static void nnb_burst_look_up(struct nnb_burst *burst, const struct nnb_longs *tokens,
			      struct nnb_memory **memories)
{
	struct nnb_burst_entry *entry;

	pthread_mutex_lock(&burst->lock);
	for (uint32_t i = 0; i < tokens->count; i++) {
		entry = nnb_burst_find(burst, tokens->data[i]);
		if (entry)
			memories[i] = nnb_memory_ref(entry->memory);
	}
	pthread_mutex_unlock(&burst->lock);
}

/* Keeps the memories that the run opened. Without room or quota, the next run opens them again. */
static void nnb_burst_keep(struct nnb_burst *burst, const struct nnb_longs *tokens,
			   const struct nnb_run *run)
{
	struct nnb_burst_entry *grown;

	pthread_mutex_lock(&burst->lock);
	for (uint32_t i = 0; i < tokens->count; i++) {
		if (tokens->data[i] < 0 || !run->pools[i].memory ||
		    burst->count == NNB_BURST_MEMORIES || nnb_burst_find(burst, tokens->data[i]))
			continue;
		grown = nna_array_reserve(burst->entries, (uint64_t)burst->count + 1, &burst->room,
					  sizeof(*grown));
		if (!grown)
			break;
		burst->entries = grown;
		if (nnb_quota_charge(burst->model->client, &nnb_one_object))
			break;
		grown[burst->count++] = (struct nnb_burst_entry){
			.token = tokens->data[i],
			.memory = nnb_memory_ref(run->pools[i].memory),
		};
	}
	pthread_mutex_unlock(&burst->lock);
}

static bool nnb_burst_begin(struct nnb_burst *burst)
{
	bool busy;

	pthread_mutex_lock(&burst->lock);
	busy = burst->busy;
	burst->busy = true;
	pthread_mutex_unlock(&burst->lock);
	return !busy;
}

static void nnb_burst_end(struct nnb_burst *burst)
{
	pthread_mutex_lock(&burst->lock);
	burst->busy = false;
	pthread_mutex_unlock(&burst->lock);
}

static int nnb_burst_execute(struct nnb_burst *burst, struct nnb_aidl_call *call,
			     const struct nnb_aidl_request *request, const struct nnb_longs *tokens,
			     const struct nnb_run_options *options, int64_t deadline_ns,
			     struct nnb_aidl_execution_result *result)
{
	struct nnb_memory **memories;
	struct nnb_run run;
	int ret;

	if (tokens->count != request->pools.count)
		return nnb_aidl_fail(call, INVALID, "%u memory tokens for %u pools", tokens->count,
				     request->pools.count);
	for (uint32_t i = 0; i < tokens->count; i++) {
		if (tokens->data[i] < -1)
			return nnb_aidl_fail(call, INVALID, "memory token %lld is invalid",
					     (long long)tokens->data[i]);
	}
	memories = nnb_arena_alloc(call->arena, tokens->count, sizeof(struct nnb_memory *));
	if (!memories)
		return NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
	if (!nnb_burst_begin(burst))
		return nnb_aidl_fail(call, NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE,
				     "the burst's execution is still under way");
	nnb_burst_look_up(burst, tokens, memories);
	ret = nnb_run_init(&run, burst->model, call, request, memories, options);
	for (uint32_t i = 0; i < tokens->count; i++)
		nnb_memory_unref(memories[i]);
	if (!ret) {
		nnb_burst_keep(burst, tokens, &run);
		ret = nnb_run_execute(&run, call, deadline_ns, result);
	}
	nnb_run_fini(&run);
	nnb_burst_end(burst);
	return ret;
}

static int nnb_on_execute(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			  void *out)
{
	const struct nnb_aidl_burst_execute_synchronously_in *args = in;
	struct nnb_aidl_burst_execute_synchronously_out *results = out;
	const struct nnb_run_options options = {
		.measure = args->measure_timing,
		.loop_timeout_ns = args->loop_timeout_duration_ns,
	};

	return nnb_burst_execute((struct nnb_burst *)object, call, &args->request,
				 &args->memory_identifier_tokens, &options, args->deadline_ns,
				 &results->result);
}

static int nnb_on_release_memory(struct nnb_object *object, struct nnb_aidl_call *call,
				 const void *in, void *out)
{
	const struct nnb_aidl_burst_release_memory_resource_in *args = in;
	struct nnb_burst *burst = (struct nnb_burst *)object;
	struct nnb_memory *memory = NULL;
	struct nnb_burst_entry *entry;

	if (args->memory_identifier_token < 0)
		return nnb_aidl_fail(call, INVALID, "memory token %lld is invalid",
				     (long long)args->memory_identifier_token);
	pthread_mutex_lock(&burst->lock);
	entry = nnb_burst_find(burst, args->memory_identifier_token);
	if (entry) {
		memory = entry->memory;
		*entry = burst->entries[--burst->count];
	}
	pthread_mutex_unlock(&burst->lock);
	if (memory)
		nnb_quota_discharge(burst->model->client, &nnb_one_object);
	nnb_memory_unref(memory);
	return 0;
}

static int nnb_on_execute_with_config(struct nnb_object *object, struct nnb_aidl_call *call,
				      const void *in, void *out)
{
	const struct nnb_aidl_burst_execute_synchronously_with_config_in *args = in;
	struct nnb_aidl_burst_execute_synchronously_with_config_out *results = out;
	const struct nnb_run_options options = {
		.measure = args->config.measure_timing,
		.loop_timeout_ns = args->config.loop_timeout_duration_ns,
	};
	int ret = nnb_run_check_config(call, &args->config);

	return ret ? ret
		   : nnb_burst_execute((struct nnb_burst *)object, call, &args->request,
				       &args->memory_identifier_tokens, &options, args->deadline_ns,
				       &results->result);
}

const nnb_aidl_handler nnb_burst_handlers[] = {
	nnb_on_execute,
	nnb_on_release_memory,
	nnb_on_execute_with_config,
};

static int nnb_burst_transact(struct nnb_object *object, const struct nnb_caller *caller,
			      uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
			      struct nnb_writer *out)
{
	struct nnb_burst *burst = (struct nnb_burst *)object;

	return nnb_aidl_answer(object, &nnb_aidl_burst,
			       burst->model->client->service->options.version, nnb_burst_handlers,
			       caller, code, in, arena, out);
}

static const struct nnb_object_ops nnb_burst_ops = {
	.descriptor = "android.hardware.neuralnetworks.IBurst",
	.release = nnb_burst_release,
	.transact = nnb_burst_transact,
};

int nnb_burst_create(struct nnb_prepared_model *model, struct nnb_object **out)
{
	struct nnb_burst *burst = calloc(1, sizeof(*burst));
	int ret = burst ? nnb_quota_charge(model->client, &nnb_one_object) : -ENOMEM;

	*out = NULL;
	if (ret) {
		free(burst);
		return ret;
	}
	nnb_object_init(&burst->object, &nnb_burst_ops);
	pthread_mutex_init(&burst->lock, NULL);
	burst->model = model;
	nnb_object_ref(&model->object);
	*out = &burst->object;
	return 0;
}

bool nnb_burst_has(struct nnb_object *object, int64_t token)
{
	struct nnb_burst *burst = (struct nnb_burst *)object;
	bool has;

	pthread_mutex_lock(&burst->lock);
	has = nnb_burst_find(burst, token);
	pthread_mutex_unlock(&burst->lock);
	return has;
}

// SPDX-License-Identifier: MIT
/* IBuffer (buffer.h). */
#include "hal-bridge/service/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/common/model.h"
#include "hal-bridge/service/status.h"
#include "libnnaccel/support/array.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
#define FAILURE NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE
#define EXHAUSTED NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT

/* ----------------------------------------------------------------------------------------- life */

static void nnb_buffer_forget_token(struct nnb_buffer *buffer)
{
	pthread_mutex_lock(&buffer->client->lock);
	if (buffer->token)
		buffer->client->buffers[buffer->token - 1] = NULL;
	pthread_mutex_unlock(&buffer->client->lock);
}

static void nnb_buffer_release(struct nnb_object *object)
{
	struct nnb_buffer *buffer = (struct nnb_buffer *)object;

	nnb_buffer_forget_token(buffer);
	nnb_memory_unref(buffer->memory);
	nnb_quota_discharge(buffer->client, &buffer->charged);
	nnb_client_put(buffer->client);
	pthread_mutex_destroy(&buffer->lock);
	free(buffer->roles);
	free(buffer);
}

static int nnb_buffer_transact(struct nnb_object *object, const struct nnb_caller *caller,
			       uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
			       struct nnb_writer *out);

static const struct nnb_object_ops nnb_buffer_ops = {
	.descriptor = "android.hardware.neuralnetworks.IBuffer",
	.release = nnb_buffer_release,
	.transact = nnb_buffer_transact,
};

/* Assigns the first free token. */
static int nnb_buffer_take_token(struct nnb_buffer *buffer)
{
	struct nnb_client *client = buffer->client;
	struct nnb_buffer **grown;
	uint32_t i = 0;
	int ret = 0;

	pthread_mutex_lock(&client->lock);
	while (i < client->buffer_count && client->buffers[i])
		i++;
	if (i == client->buffer_count) {
		grown = nna_array_reserve(client->buffers, (uint64_t)i + 1, &client->buffer_room,
					  sizeof(struct nnb_buffer *));
		if (grown) {
			client->buffers = grown;
			client->buffer_count = i + 1;
		} else {
			ret = -ENOMEM;
		}
	}
	if (!ret) {
		client->buffers[i] = buffer;
		buffer->token = (int32_t)i + 1;
	}
	pthread_mutex_unlock(&client->lock);
	return ret;
}

struct nnb_buffer *nnb_buffer_find(struct nnb_client *client, int32_t token)
{
	struct nnb_buffer *buffer = NULL;
	unsigned int refs;

	pthread_mutex_lock(&client->lock);
	if (token > 0 && (uint32_t)token <= client->buffer_count)
		buffer = client->buffers[token - 1];
	/* A buffer without references is being released, and its release waits for the lock. */
	refs = buffer ? atomic_load(&buffer->object.refs) : 0;
	while (refs && !atomic_compare_exchange_weak(&buffer->object.refs, &refs, refs + 1))
		;
	pthread_mutex_unlock(&client->lock);
	return refs ? buffer : NULL;
}

/* ----------------------------------------------------------------------------------- allocation */

/* Adds a role. All roles must have the same type; their known dimensions complete each other. */
static int nnb_buffer_add_role(struct nnb_buffer *buffer, struct nnb_aidl_call *call,
			       const struct nnb_aidl_device_allocate_in *in,
			       struct nnb_prepared_model *const *models,
			       const struct nnb_aidl_buffer_role *role, bool output)
{
	struct nna_io_info *info = &buffer->info;
	const struct nna_io_info *other;
	const struct nnb_prepared_model *model;
	uint32_t count;

	if (role->model_index < 0 || (uint32_t)role->model_index >= in->prepared_models.count)
		return nnb_aidl_fail(call, INVALID, "there is no prepared model %d",
				     role->model_index);
	model = models[role->model_index];
	if (!model || model->client != buffer->client)
		return nnb_aidl_fail(call, INVALID,
				     "prepared model %d does not belong to this client",
				     role->model_index);
	count = output ? model->output_count : model->input_count;
	if (role->io_index < 0 || (uint32_t)role->io_index >= count)
		return nnb_aidl_fail(call, INVALID, "the model has no argument %d", role->io_index);
	if (!(role->probability > 0.0f && role->probability <= 1.0f))
		return nnb_aidl_fail(call, INVALID,
				     "a role's probability is %g instead of above 0 and at most 1",
				     role->probability);
	if (nnb_buffer_has_role(buffer, model, output, (uint32_t)role->io_index))
		return nnb_aidl_fail(call, INVALID, "the list has a role twice");
	other = &(output ? model->outputs : model->inputs)[role->io_index];
	if (!buffer->role_count) {
		*info = *other;
	} else if (info->type != other->type || info->scale != other->scale ||
		   info->zero_point != other->zero_point ||
		   (info->rank && other->rank && info->rank != other->rank)) {
		return nnb_aidl_fail(call, INVALID,
				     "all roles must have the same type, scale and zero point");
	} else if (!info->rank) {
		*info = *other;
	}
	for (uint32_t i = 0; i < other->rank; i++) {
		if (info->dims[i] && other->dims[i] && info->dims[i] != other->dims[i])
			return nnb_aidl_fail(call, INVALID,
					     "the dimensions of the roles contradict each other");
		info->dims[i] = info->dims[i] ? info->dims[i] : other->dims[i];
	}
	buffer->roles[buffer->role_count++] = (struct nnb_buffer_role){
		.model = model->id,
		.index = (uint32_t)role->io_index,
		.output = output,
	};
	return 0;
}

/* Adds the dimensions that the client requests. */
static int nnb_buffer_add_dims(struct nnb_buffer *buffer, struct nnb_aidl_call *call,
			       const struct nnb_ints *dims)
{
	struct nna_io_info *info = &buffer->info;

	if (!dims->count)
		return 0;
	if ((info->rank && dims->count != info->rank) || dims->count > NNACCEL_MAX_RANK ||
	    !nnb_type_is_tensor(info->type))
		return nnb_aidl_fail(call, INVALID, "%u dimensions for an argument of rank %u",
				     dims->count, info->rank);
	info->rank = dims->count;
	for (uint32_t i = 0; i < dims->count; i++) {
		if (dims->data[i] < 0 ||
		    (info->dims[i] && dims->data[i] && info->dims[i] != (uint32_t)dims->data[i]))
			return nnb_aidl_fail(call, INVALID, "dimension %u is %d, not %u", i,
					     dims->data[i], info->dims[i]);
		info->dims[i] = info->dims[i] ? info->dims[i] : (uint32_t)dims->data[i];
	}
	return 0;
}

static int nnb_buffer_fill_in(struct nnb_buffer *buffer, struct nnb_aidl_call *call,
			      const struct nnb_aidl_device_allocate_in *in,
			      struct nnb_prepared_model *const *models)
{
	struct nna_buffer *memory;
	size_t size;
	int ret = 0;

	for (uint32_t i = 0; i < in->input_roles.count && !ret; i++)
		ret = nnb_buffer_add_role(buffer, call, in, models, &in->input_roles.data[i],
					  false);
	for (uint32_t i = 0; i < in->output_roles.count && !ret; i++)
		ret = nnb_buffer_add_role(buffer, call, in, models, &in->output_roles.data[i],
					  true);
	if (!ret)
		ret = nnb_buffer_add_dims(buffer, call, &in->desc.dimensions);
	if (ret)
		return ret;
	if (!nnb_type_bytes(buffer->info.type, buffer->info.rank, buffer->info.dims, &size))
		return nnb_aidl_fail(call, FAILURE,
				     "the dimensions of the memory are unknown");
	ret = nna_buffer_create(buffer->client->device, size, &memory);
	if (!ret) {
		buffer->memory = nnb_memory_of_buffer(memory);
		ret = buffer->memory ? nnb_buffer_take_token(buffer) : -ENOMEM;
	}
	return ret ? nnb_aidl_fail(call, nnb_status(ret), "cannot create device memory: %s",
				   strerror(-ret)) : 0;
}

int nnb_buffer_allocate(struct nnb_client *client, struct nnb_aidl_call *call,
			const struct nnb_aidl_device_allocate_in *in,
			struct nnb_prepared_model *const *models,
			struct nnb_aidl_device_buffer *out)
{
	const uint64_t roles = (uint64_t)in->input_roles.count + in->output_roles.count;
	const struct nnb_quota charged = {
		.objects = 1,
		.bytes = sizeof(struct nnb_buffer) + roles * sizeof(struct nnb_buffer_role),
	};
	struct nnb_buffer *buffer;
	int ret;

	if (!roles)
		return nnb_aidl_fail(call, INVALID, "the memory needs a role");
	if (nnb_quota_charge(client, &charged))
		return nnb_aidl_fail(call, EXHAUSTED, "the client's user has too many objects or "
				     "bytes");
	buffer = calloc(1, sizeof(*buffer));
	if (!buffer) {
		nnb_quota_discharge(client, &charged);
		return EXHAUSTED;
	}
	buffer->charged = charged;
	nnb_object_init(&buffer->object, &nnb_buffer_ops);
	pthread_mutex_init(&buffer->lock, NULL);
	buffer->client = nnb_client_ref(client);
	ret = nnb_status(nnb_arena_own_object(call->arena, &buffer->object));
	if (ret)
		return ret;
	buffer->roles = calloc(roles, sizeof(*buffer->roles));
	ret = buffer->roles ? nnb_buffer_fill_in(buffer, call, in, models) : EXHAUSTED;
	if (ret)
		return ret;
	out->buffer = &buffer->object;
	out->token = buffer->token;
	return 0;
}

/* -------------------------------------------------------------------------------------- content */

bool nnb_buffer_has_role(const struct nnb_buffer *buffer, const struct nnb_prepared_model *model,
			 bool output, uint32_t index)
{
	for (uint32_t i = 0; i < buffer->role_count; i++) {
		if (buffer->roles[i].model == model->id && buffer->roles[i].output == output &&
		    buffer->roles[i].index == index)
			return true;
	}
	return false;
}

bool nnb_buffer_fits(const struct nnb_buffer *buffer, uint32_t rank, const uint32_t *dims)
{
	return rank == buffer->info.rank &&
	       !memcmp(dims, buffer->info.dims, rank * sizeof(*dims));
}

bool nnb_buffer_get(struct nnb_buffer *buffer, uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK])
{
	bool filled;

	pthread_mutex_lock(&buffer->lock);
	filled = buffer->filled;
	*rank = buffer->rank;
	memcpy(dims, buffer->dims, sizeof(buffer->dims));
	pthread_mutex_unlock(&buffer->lock);
	return filled;
}

void nnb_buffer_set(struct nnb_buffer *buffer, bool filled, uint32_t rank, const uint32_t *dims)
{
	pthread_mutex_lock(&buffer->lock);
	buffer->filled = filled;
	if (filled) {
		buffer->rank = rank;
		memcpy(buffer->dims, dims, rank * sizeof(*dims));
	}
	pthread_mutex_unlock(&buffer->lock);
}

/* Copies the whole buffer from or to memory of the client. */
static int nnb_buffer_copy(struct nnb_buffer *buffer, struct nnb_aidl_call *call,
			   const struct nnb_aidl_memory *with, size_t size, bool from)
{
	struct nnb_memory *memory;
	void *map = nna_buffer_map(buffer->memory->buffer);
	int ret = nnb_memory_borrow(buffer->client, call, with, &memory);

	if (ret)
		return ret;
	if (memory->size != size)
		ret = nnb_aidl_fail(call, INVALID, "the memory has %zu bytes instead of %zu",
				    memory->size, size);
	else
		ret = from ? nnb_memory_read(memory, 0, map, size)
			   : nnb_memory_write(memory, 0, map, size);
	if (ret < 0)
		ret = nnb_aidl_fail(call, ret == -EACCES ? INVALID : FAILURE, "cannot copy: %s",
				    strerror(-ret));
	nnb_memory_unref(memory);
	return ret;
}

static int nnb_on_copy_from(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			    void *out)
{
	const struct nnb_aidl_buffer_copy_from_in *args = in;
	struct nnb_buffer *buffer = (struct nnb_buffer *)object;
	const uint32_t *dims = (const uint32_t *)args->dimensions.data;
	uint32_t rank = args->dimensions.count;
	size_t size;
	int ret;

	if (!rank) {
		rank = buffer->info.rank;
		dims = buffer->info.dims;
	}
	if (rank != buffer->info.rank || !nnb_type_bytes(buffer->info.type, rank, dims, &size))
		return nnb_aidl_fail(call, INVALID, "the dimensions differ from the buffer's");
	for (uint32_t i = 0; i < rank; i++) {
		if (dims[i] != buffer->info.dims[i])
			return nnb_aidl_fail(call, INVALID, "dimension %u is %u, not %u", i,
					     dims[i], buffer->info.dims[i]);
	}
	ret = nnb_buffer_copy(buffer, call, &args->src, size, true);
	nnb_buffer_set(buffer, !ret, rank, dims);
	return ret;
}

static int nnb_on_copy_to(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			  void *out)
{
	const struct nnb_aidl_buffer_copy_to_in *args = in;
	struct nnb_buffer *buffer = (struct nnb_buffer *)object;
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	size_t size;

	if (!nnb_buffer_get(buffer, &rank, dims))
		return nnb_aidl_fail(call, FAILURE, "the buffer holds no value yet");
	if (!nnb_value_bytes(buffer->info.type, rank, dims, &size))
		return FAILURE;
	return nnb_buffer_copy(buffer, call, &args->dst, size, false);
}

const nnb_aidl_handler nnb_buffer_handlers[] = {nnb_on_copy_from, nnb_on_copy_to};

static int nnb_buffer_transact(struct nnb_object *object, const struct nnb_caller *caller,
			       uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
			       struct nnb_writer *out)
{
	struct nnb_buffer *buffer = (struct nnb_buffer *)object;

	return nnb_aidl_answer(object, &nnb_aidl_buffer, buffer->client->service->options.version,
			       nnb_buffer_handlers, caller, code, in, arena, out);
}

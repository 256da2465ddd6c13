/* SPDX-License-Identifier: MIT */
/*
 * IBuffer: memory of the device that executions of certain models use as certain inputs and
 * outputs (its roles). Requests name it by its token, which is the client's own numbering.
 *
 * What is in it has dimensions, which may be more exact than those that it was made with: those of
 * the output or copy that filled it. It cannot be read before something has filled it, and not
 * after a run that was to fill it has failed.
 */
#ifndef NNB_BUFFER_H
#define NNB_BUFFER_H

#include <pthread.h>
#include <stdbool.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/service/memory.h"
#include "hal-bridge/service/prepared_model.h"

/**
 * struct nnb_buffer_role - what a buffer may be used as
 * @model: nnb_prepared_model.id
 * @index: of the input or output
 * @output: which of both
 */
struct nnb_buffer_role {
	uint64_t model;
	uint32_t index;
	bool output;
};

/**
 * struct nnb_buffer - memory of the device
 * @object: IBuffer
 * @client: whose it is, a reference; charged with @memory->size bytes
 * @token: what requests name it by, from 1
 * @memory: a reference
 * @info: type, quantisation and dimensions (0 is unknown) that all roles agree on
 * @roles: @role_count of them, owned
 * @role_count: entries of @roles
 * @lock: of what follows
 * @filled: something is in it
 * @rank: of what is in it
 * @dims: of what is in it
 */
struct nnb_buffer {
	struct nnb_object object;
	struct nnb_client *client;
	int32_t token;
	struct nnb_memory *memory;
	struct nna_io_info info;
	struct nnb_buffer_role *roles;
	uint32_t role_count;
	pthread_mutex_t lock;
	bool filled;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
};

/*
 * Bytes of a value that is there: unlike in a model, a dimension of 0 is no unknown one but none.
 * Return: false on overflow.
 */
bool nnb_value_bytes(uint32_t type, uint32_t rank, const uint32_t *dims, size_t *bytes);

/*
 * IDevice.allocate(). @models: for each of @in->prepared_models the model that it is, NULL where it
 * is none of this service's. Return: 0 or an ErrorStatus; the call's arena owns the buffer's object.
 */
int nnb_buffer_allocate(struct nnb_client *client, struct nnb_aidl_call *call,
			const struct nnb_aidl_device_allocate_in *in,
			struct nnb_prepared_model *const *models,
			struct nnb_aidl_device_buffer *out);

/* The client's buffer of a token, with a reference to its object; NULL when there is none. */
struct nnb_buffer *nnb_buffer_find(struct nnb_client *client, int32_t token);
/* Whether it has that role. */
bool nnb_buffer_has_role(const struct nnb_buffer *buffer, const struct nnb_prepared_model *model,
			 bool output, uint32_t index);
/* Dimensions of what is in it. Return: false when there is nothing. */
bool nnb_buffer_get(struct nnb_buffer *buffer, uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK]);
/* Something is in it now, of these dimensions; nothing, with @filled false. */
void nnb_buffer_set(struct nnb_buffer *buffer, bool filled, uint32_t rank, const uint32_t *dims);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * IBuffer: memory of the device, for certain inputs and outputs of certain models (its roles).
 * Requests name a buffer by its token, a number within the client.
 *
 * The value in a buffer has dimensions of its own, from the output or copy that filled it. They may
 * be more exact than the buffer's. A buffer cannot be read before it has been filled, nor after a
 * run that was to fill it has failed.
 */
#ifndef NNB_BUFFER_H
#define NNB_BUFFER_H

#include <pthread.h>
#include <stdbool.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/service/memory.h"
#include "hal-bridge/service/prepared_model.h"

/**
 * struct nnb_buffer_role - an input or output for which a buffer may be used
 * @model: nnb_prepared_model.id
 * @index: of the input or output
 * @output: true for an output
 */
struct nnb_buffer_role {
	uint64_t model;
	uint32_t index;
	bool output;
};

/**
 * struct nnb_buffer - memory of the device
 * @object: IBuffer
 * @client: its owner, a reference
 * @charged: the charge of its client's user for the object and its roles
 * @token: its number in requests, from 1
 * @memory: a reference
 * @info: the common type, quantisation and dimensions (0 for an unknown one) of all roles
 * @roles: @role_count of them, owned
 * @role_count: entries of @roles
 * @lock: guards the fields below
 * @filled: it holds a value
 * @rank: of the value
 * @dims: of the value
 */
struct nnb_buffer {
	struct nnb_object object;
	struct nnb_client *client;
	struct nnb_quota charged;
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

/* The methods of IBuffer, by their code - 1. */
extern const nnb_aidl_handler nnb_buffer_handlers[];

/*
 * Implements IDevice.allocate(). @models: for each entry of @in->prepared_models the model, NULL if
 * the entry is no model of this service. Return: 0 or an ErrorStatus; the call's arena owns the
 * buffer's object.
 */
int nnb_buffer_allocate(struct nnb_client *client, struct nnb_aidl_call *call,
			const struct nnb_aidl_device_allocate_in *in,
			struct nnb_prepared_model *const *models,
			struct nnb_aidl_device_buffer *out);

/* Return: the client's buffer of a token, with a reference to its object; NULL if there is none. */
struct nnb_buffer *nnb_buffer_find(struct nnb_client *client, int32_t token);
/* Return: true if the buffer has this role. */
bool nnb_buffer_has_role(const struct nnb_buffer *buffer, const struct nnb_prepared_model *model,
			 bool output, uint32_t index);
/* Return: true if the buffer is for values of these dimensions. */
bool nnb_buffer_fits(const struct nnb_buffer *buffer, uint32_t rank, const uint32_t *dims);
/* Gets the dimensions of the buffer's value. Return: false if it holds none. */
bool nnb_buffer_get(struct nnb_buffer *buffer, uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK]);
/*
 * Records that the buffer holds a value of these dimensions; with @filled false, that it holds
 * none.
 */
void nnb_buffer_set(struct nnb_buffer *buffer, bool filled, uint32_t rank, const uint32_t *dims);

#endif

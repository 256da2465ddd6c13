/* SPDX-License-Identifier: MIT */
/*
 * A device context: what LiteRT makes for a compiled model.
 *
 *	litert_context	a use of the process's device, and the buffers that LiteRT has registered
 *	  litert_memory	a registered buffer; invocations that have it attached hold it as well
 *
 * LiteRT calls the functions of one context from one thread at a time, but registers buffers of
 * several models from several threads; each context has a lock for its list.
 */
#ifndef LITERT_CONTEXT_H
#define LITERT_CONTEXT_H

#include <pthread.h>

#include <nnaccel.h>

#include "frontend/litert/litert_abi.h"

/**
 * struct litert_memory - a registered buffer
 * @references: the list's, and those of attachments
 * @type: shape of the tensor
 * @buffer: the device memory; NULL for host memory
 * @imported: @buffer was made for this registration
 * @host: host memory
 * @size: of either
 */
struct litert_memory {
	struct litert_memory *next;
	uint64_t handle;
	uint32_t references;
	struct LiteRtRankedTensorType type;
	struct nna_buffer *buffer;
	bool imported;
	void *host;
	size_t size;
};

/**
 * struct litert_context - a device context
 * @lock: of the list and of references
 * @memories: list
 * @last: the handle that was given last
 */
struct litert_context {
	const struct LiteRtRuntimeContext *runtime;
	struct nna_device *device;
	pthread_mutex_t lock;
	struct litert_memory *memories;
	uint64_t last;
};

/* The functions below return LiteRT's status. */
int litert_context_create(const struct LiteRtRuntimeContext *runtime, struct litert_context **out);
void litert_context_destroy(struct litert_context *context);
int litert_context_register(struct litert_context *context, struct LiteRtTensorBufferT *buffer,
			    uint64_t *handle);
int litert_context_unregister(struct litert_context *context, uint64_t handle);

/* Return: a reference to the buffer with a handle, or NULL. */
struct litert_memory *litert_memory_get(struct litert_context *context, uint64_t handle);
void litert_memory_put(struct litert_context *context, struct litert_memory *memory);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A call of an object: a request and its reply.
 *
 * Calling an object that is served here works too, without a kernel: the parcels lie in memory
 * (flat.h), everything else is as over binder. This is how tests and fuzzers reach the service.
 */
#ifndef NNB_EXCHANGE_H
#define NNB_EXCHANGE_H

#include <stdint.h>

struct nnb_arena;
struct nnb_caller;
struct nnb_object;
struct nnb_reader;
struct nnb_writer;

/**
 * struct nnb_exchange - what a call writes and reads
 * @descriptor: the full name of the interface that is called
 * @write: writes the request. Return: 0 or a negative errno, which ends the call
 * @read: reads the reply, which lies in the arena of the call. Return: what the call returns
 * @data: for both
 */
struct nnb_exchange {
	const char *descriptor;
	int (*write)(void *data, struct nnb_writer *request);
	int (*read)(void *data, struct nnb_reader *reply);
	void *data;
};

/**
 * nnb_exchange_call() - call an object and wait for its reply
 * @object: here or elsewhere
 * @caller: whom an object that is served here sees as caller; elsewhere the kernel says
 * @code: of the transaction
 * @arena: keeps the reply
 * @exchange: writes the request and reads the reply
 *
 * Return: what @exchange returns, or a negative status when there was no reply, among them
 * NNB_UNKNOWN_TRANSACTION and NNB_DEAD_OBJECT.
 */
int nnb_exchange_call(struct nnb_object *object, const struct nnb_caller *caller, uint32_t code,
		      struct nnb_arena *arena, const struct nnb_exchange *exchange);

#endif

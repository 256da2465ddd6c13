/* SPDX-License-Identifier: MIT */
/*
 * A call of an object: a request and its reply.
 *
 * An object of this process can be called as well, without a kernel: its parcels lie in memory
 * (flat.h), all else is as over binder. Tests and fuzzers call the service this way.
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
 * struct nnb_exchange - the contents of a call
 * @descriptor: the full name of the called interface
 * @write: writes the request. Return: 0 or a negative errno, which ends the call
 * @read: reads the reply, which lies in the arena of the call. Return: the result of the call
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
 * @object: in this process or another
 * @caller: the caller that an object of this process sees; for another process the kernel tells it
 * @code: of the transaction
 * @arena: owns the reply
 * @exchange: writes the request and reads the reply
 *
 * Return: the return value of @exchange->read, or a negative status if there was no reply, among
 * them NNB_UNKNOWN_TRANSACTION and NNB_DEAD_OBJECT.
 */
int nnb_exchange_call(struct nnb_object *object, const struct nnb_caller *caller, uint32_t code,
		      struct nnb_arena *arena, const struct nnb_exchange *exchange);

#endif

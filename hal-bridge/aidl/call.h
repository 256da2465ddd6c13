/* SPDX-License-Identifier: MIT */
/*
 * Calls methods, and answers calls, by the generated tables: the reply's status, AIDL's own two
 * methods (version and hash), and the methods of each version.
 *
 * A reply begins with 0, followed by the method's results. If the method failed, it begins with -8
 * (a service-specific error), followed by a text, the size 0 of a part that Java uses, and the
 * ErrorStatus. A call of an unknown method, or with a malformed parcel, has no reply: the
 * transaction itself fails.
 */
#ifndef NNB_AIDL_CALL_H
#define NNB_AIDL_CALL_H

#include "hal-bridge/aidl/codec.h"
#include "hal-bridge/binder/object.h"

/* Transactions that every versioned interface answers. */
#define NNB_AIDL_GET_VERSION 16777215
#define NNB_AIDL_GET_HASH 16777214

/**
 * struct nnb_aidl_call - a call that is being answered
 * @caller: the calling process
 * @method: the called method
 * @arena: lives until the reply has been sent, and owns the results
 * @message: the text of the error, for the caller's log; empty for none
 */
struct nnb_aidl_call {
	const struct nnb_caller *caller;
	const struct nnb_aidl_method *method;
	struct nnb_arena *arena;
	char message[256];
};

/*
 * Sets the message of a failed call; a text that is too long is cut. Return: @status, an
 * ErrorStatus other than NONE.
 */
int nnb_aidl_fail(struct nnb_aidl_call *call, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Answers a method. @in: the C struct of method->in; @out: the C struct of method->out, all zero at
 * first, to be filled completely. Return: 0, or an ErrorStatus.
 */
typedef int (*nnb_aidl_handler)(struct nnb_object *object, struct nnb_aidl_call *call,
				const void *in, void *out);

/**
 * nnb_aidl_answer() - answer a transaction
 * @object: the called object
 * @interface: of the object
 * @version: the interface version that the service announces
 * @handlers: one for each method, in the order of their codes
 * @caller: the calling process
 * @code: of the transaction
 * @reader: the request
 * @arena: lives until the reply has been sent
 * @writer: the reply
 *
 * Return: 0 if there is a reply, which may be an error; otherwise a negative status.
 */
int nnb_aidl_answer(struct nnb_object *object, const struct nnb_aidl_interface *interface,
		    int version, const nnb_aidl_handler *handlers, const struct nnb_caller *caller,
		    uint32_t code, struct nnb_reader *reader, struct nnb_arena *arena,
		    struct nnb_writer *writer);

/**
 * nnb_aidl_call() - call a method and wait for its reply
 * @object: in this process or another
 * @caller: see nnb_exchange_call()
 * @method: of the object's interface
 * @in: the C struct of @method->in, NULL if it has none
 * @arena: owns the memory that @out points to
 * @out: the C struct of @method->out, NULL if it has none
 *
 * Return: 0; a positive ErrorStatus if the object answered with a service-specific error; a
 * negative status if there was no reply, or a malformed one.
 */
int nnb_aidl_call(struct nnb_object *object, const struct nnb_caller *caller,
		  const struct nnb_aidl_method *method, const void *in, struct nnb_arena *arena,
		  void *out);

/* Calls the object's methods for the version and the hash of its interface. */
int nnb_aidl_get_version(struct nnb_object *object, const struct nnb_caller *caller,
			 const struct nnb_aidl_interface *interface, int *version);
int nnb_aidl_get_hash(struct nnb_object *object, const struct nnb_caller *caller,
		      const struct nnb_aidl_interface *interface, struct nnb_arena *arena,
		      const char **hash);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Calling methods, and answering calls, by the tables: the reply's status, AIDL's own two methods
 * (version and hash), and which methods a version has.
 *
 * A reply begins with 0 and the method's results; or, when the method failed, with -8 (a
 * service-specific error), a text, the size 0 of a part that Java uses, and the ErrorStatus. A call
 * of a method that is not there, or with a parcel that does not hold its parameters, has no reply:
 * the transaction itself fails.
 */
#ifndef NNB_AIDL_CALL_H
#define NNB_AIDL_CALL_H

#include "hal-bridge/aidl/codec.h"
#include "hal-bridge/binder/object.h"

/* Transactions that every interface with versions answers. */
#define NNB_AIDL_GET_VERSION 16777215
#define NNB_AIDL_GET_HASH 16777214

/**
 * struct nnb_aidl_call - a call that is being answered
 * @caller: who calls
 * @method: which method
 * @arena: what lives until the reply has been sent; results are handed to it
 * @message: the text of the error, for the caller's log; empty for none
 */
struct nnb_aidl_call {
	const struct nnb_caller *caller;
	const struct nnb_aidl_method *method;
	struct nnb_arena *arena;
	char message[256];
};

/*
 * Says why a call fails. Return: @status, which is an ErrorStatus other than NONE. Cuts what is
 * longer than the message has room.
 */
int nnb_aidl_fail(struct nnb_aidl_call *call, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Answers a method: @in is the C struct of method->in, @out that of method->out, zeros at first
 * (and to be filled whole). Return: 0, or an ErrorStatus.
 */
typedef int (*nnb_aidl_handler)(struct nnb_object *object, struct nnb_aidl_call *call,
				const void *in, void *out);

/**
 * nnb_aidl_answer() - answer a transaction
 * @object: whose method it is
 * @interface: of the object
 * @version: of the interface that the service claims to have
 * @handlers: one for each method, in the order of their codes
 * @caller: who calls
 * @code: of the transaction
 * @reader: the request
 * @arena: lives until the reply has been sent
 * @writer: the reply
 *
 * Return: 0 when there is a reply, which may be an error; else a negative status.
 */
int nnb_aidl_answer(struct nnb_object *object, const struct nnb_aidl_interface *interface,
		    int version, const nnb_aidl_handler *handlers, const struct nnb_caller *caller,
		    uint32_t code, struct nnb_reader *reader, struct nnb_arena *arena,
		    struct nnb_writer *writer);

/**
 * nnb_aidl_call() - call a method and wait for its end
 * @object: here or elsewhere
 * @caller: see nnb_exchange_call()
 * @method: of the object's interface
 * @in: the C struct of @method->in, NULL when it has none
 * @arena: keeps what @out points to
 * @out: the C struct of @method->out, NULL when it has none
 *
 * Return: 0; a positive ErrorStatus when the object answered with a service-specific error; a
 * negative status when there was no answer, or one that nobody can read.
 */
int nnb_aidl_call(struct nnb_object *object, const struct nnb_caller *caller,
		  const struct nnb_aidl_method *method, const void *in, struct nnb_arena *arena,
		  void *out);

/* The same for the version and the hash of an object's interface. */
int nnb_aidl_get_version(struct nnb_object *object, const struct nnb_caller *caller,
			 const struct nnb_aidl_interface *interface, int *version);
int nnb_aidl_get_hash(struct nnb_object *object, const struct nnb_caller *caller,
		      const struct nnb_aidl_interface *interface, struct nnb_arena *arena,
		      const char **hash);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Calls methods, and answers calls, by the generated tables: the status at the start of a reply,
 * the methods of IBase, which every object has, and those of the interface and of all that it
 * extends.
 *
 * A method of HIDL returns its status as a result like any other, so a reply begins with 0 and the
 * results follow. A call of an unknown method, or with a malformed parcel, has no reply: the
 * transaction itself fails.
 */
#ifndef NNB_HIDL_CALL_H
#define NNB_HIDL_CALL_H

#include "hal-bridge/binder/object.h"
#include "hal-bridge/hidl/codec.h"

/* IBase: what every object answers. */
#define NNB_HIDL_BASE "android.hidl.base@1.0::IBase"

enum {
	NNB_HIDL_BASE_CHAIN = 0x0f43484e,
	NNB_HIDL_BASE_DEBUG = 0x0f444247,
	NNB_HIDL_BASE_DESCRIPTOR = 0x0f445343,
	NNB_HIDL_BASE_HASHES = 0x0f485348,
	NNB_HIDL_BASE_INSTRUMENT = 0x0f494e54,
	NNB_HIDL_BASE_LINK = 0x0f4c5444,
	NNB_HIDL_BASE_PING = 0x0f504e47,
	NNB_HIDL_BASE_INFO = 0x0f524546,
	NNB_HIDL_BASE_SYSPROPS = 0x0f535950,
	NNB_HIDL_BASE_UNLINK = 0x0f555444,
};

#define NNB_HIDL_CHAIN 8 /* entries of a chain of interfaces, at least with IBase */

/*
 * The results of IBase.interfaceChain(), getHashChain(), interfaceDescriptor() and getDebugInfo().
 */
struct nnb_hidl_base_chain_out {
	const struct nnb_hidl_vec *descriptors; /* of struct nnb_hidl_string */
};

struct nnb_hidl_base_hashes_out {
	const struct nnb_hidl_vec *hashes; /* of 32 bytes each */
};

struct nnb_hidl_base_descriptor_out {
	const struct nnb_hidl_string *descriptor;
};

/* The parameters of IBase.debug(): where to write, and what is asked for. */
struct nnb_hidl_base_debug_in {
	const struct nnb_hidl_fds *fd;
	const struct nnb_hidl_vec *options; /* of struct nnb_hidl_string */
};

struct nnb_hidl_debug_info {
	int32_t pid;
	uint64_t pointer;
	int32_t architecture; /* 1: 64 bits */
};

struct nnb_hidl_base_info_out {
	const struct nnb_hidl_debug_info *info;
};

/* The methods of IBase that have results or parameters, by their codes. */
extern const struct nnb_hidl_method nnb_hidl_base_chain, nnb_hidl_base_hashes,
	nnb_hidl_base_descriptor, nnb_hidl_base_info, nnb_hidl_base_ping, nnb_hidl_base_debug;

/**
 * struct nnb_hidl_call - a call that is being answered
 * @caller: the calling process
 * @method: the called method
 * @arena: lives until the reply has been sent, and owns the results
 */
struct nnb_hidl_call {
	const struct nnb_caller *caller;
	const struct nnb_hidl_method *method;
	struct nnb_arena *arena;
};

/*
 * Answers a method. @in: the C struct of method->in; @out: the C struct of method->out, all zero at
 * first, in which every pointer to a buffer has to be set. Return: 0, or a negative status, which
 * ends the transaction without a reply.
 */
typedef int (*nnb_hidl_handler)(struct nnb_object *object, struct nnb_hidl_call *call,
				const void *in, void *out);

/**
 * struct nnb_hidl_handlers - the methods that an interface declares itself
 * @interface: the interface
 * @list: in the order of their codes
 */
struct nnb_hidl_handlers {
	const struct nnb_hidl_interface *interface;
	const nnb_hidl_handler *list;
};

/**
 * nnb_hidl_answer() - answer a transaction
 * @object: the called object, whose dump answers IBase.debug()
 * @handlers: of its interface, then of that which it extends, and so on
 * @caller: the calling process
 * @descriptor: of the interface that the caller means
 * @code: of the transaction
 * @reader: the request
 * @arena: lives until the reply has been sent
 * @writer: the reply
 *
 * Return: 0 if there is a reply, or none is wanted; otherwise a negative status.
 */
int nnb_hidl_answer(struct nnb_object *object, const struct nnb_hidl_handlers *handlers,
		    const struct nnb_caller *caller, const char *descriptor, uint32_t code,
		    struct nnb_hw *reader, struct nnb_arena *arena, struct nnb_hw *writer);

/**
 * nnb_hidl_call() - call a method, and wait for its reply unless it has none
 * @object: in this process or another
 * @caller: the caller that an object of this process sees
 * @method: of the object's interface, or of one that it extends
 * @in: the C struct of @method->in, NULL if it has none
 * @arena: owns the memory that @out points to
 * @out: the C struct of @method->out, NULL if it has none
 *
 * Return: 0; a negative status if there was no reply, or a malformed one.
 */
int nnb_hidl_call(struct nnb_object *object, const struct nnb_caller *caller,
		  const struct nnb_hidl_method *method, const void *in, struct nnb_arena *arena,
		  void *out);

/* Return: a string for a result, which points to @text. */
static inline struct nnb_hidl_string nnb_hidl_string_of(const char *text, size_t size)
{
	return (struct nnb_hidl_string){ .data = text, .size = (uint32_t)size };
}

#endif

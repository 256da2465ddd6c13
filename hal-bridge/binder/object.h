/* SPDX-License-Identifier: MIT */
/*
 * Binder objects, in this process or another.
 *
 * An object of this process has @transact. When it is first written to a parcel, the backend makes
 * a node for it, which holds a reference as long as another process does. An object of another
 * process has @call, which the backend that received it provides. Objects are reference-counted and
 * may be used from any thread.
 */
#ifndef NNB_OBJECT_H
#define NNB_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct nnb_arena;
struct nnb_exchange;
struct nnb_hw;
struct nnb_object;
struct nnb_reader;
struct nnb_writer;

/* Return values of a call besides the codec's errors. They are binder's own numbers on the wire. */
#define NNB_UNKNOWN_TRANSACTION (-74) /* no such method: -EBADMSG */
#define NNB_DEAD_OBJECT (-32) /* the other process is gone: -EPIPE */
#define NNB_BAD_TYPE (INT32_MIN + 1) /* the object has another interface */

/**
 * struct nnb_caller - the calling process, from the kernel
 * @euid: its effective user id
 * @pid: its process id
 */
struct nnb_caller {
	uid_t euid;
	pid_t pid;
};

/**
 * struct nnb_death - a callback for the end of an object's process
 * @died: called once, from a thread of the backend, and must not block
 * @id: the backend's
 */
struct nnb_death {
	void (*died)(struct nnb_death *death);
	unsigned long id;
};

/**
 * struct nnb_object_ops - the functions of an object
 * @descriptor: the full name of its interface; NULL for objects of other processes
 * @release: called after the last reference was dropped
 * @transact: answers transaction @code: reads @in, writes the whole reply to @out. @arena owns the
 *	memory that the reply points to, and is released after the reply has been sent. Return: 0,
 *	or a negative status that the caller gets instead of a reply. NULL for objects of other
 *	processes
 * @dump: writes the present state of the object, and of all that belongs to it, as text: as much of
 *	it as @caller may know; NULL for none
 * @call: calls a method of an object of another process, as nnb_exchange_call(); otherwise NULL
 * @answer: of HIDL, in place of @transact: @descriptor names the interface that the caller means,
 *	which may be one that the object's extends; a call without a reply gets an empty one
 * @send: of HIDL, in place of @call: sends a request, and waits for the reply unless it is @oneway
 * @chain: of HIDL: the names of its interface and of those that it extends, NULL at the end
 * @watch: see nnb_object_watch(); NULL for objects of this process
 * @unwatch: see nnb_object_unwatch(); NULL for objects of this process
 */
struct nnb_object_ops {
	const char *descriptor;
	void (*release)(struct nnb_object *object);
	int (*transact)(struct nnb_object *object, const struct nnb_caller *caller, uint32_t code,
			struct nnb_reader *in, struct nnb_arena *arena, struct nnb_writer *out);
	void (*dump)(struct nnb_object *object, const struct nnb_caller *caller, int fd);
	int (*call)(struct nnb_object *object, uint32_t code, struct nnb_arena *arena,
		    const struct nnb_exchange *exchange);
	int (*answer)(struct nnb_object *object, const struct nnb_caller *caller,
		      const char *descriptor, uint32_t code, struct nnb_hw *in,
		      struct nnb_arena *arena, struct nnb_hw *out);
	int (*send)(struct nnb_object *object, const char *descriptor, uint32_t code, bool oneway,
		    const struct nnb_hw *request, struct nnb_arena *arena, struct nnb_hw *reply);
	const char *const *chain;
	int (*watch)(struct nnb_object *object, struct nnb_death *death);
	void (*unwatch)(struct nnb_object *object, struct nnb_death *death);
};

/**
 * struct nnb_object - the first member of every object
 * @ops: constant
 * @refs: references
 * @node: the backend's data for an object of this process, used by the backend only; NULL for none
 */
struct nnb_object {
	const struct nnb_object_ops *ops;
	atomic_uint refs;
	void *node;
};

/* Sets the count to one reference. */
void nnb_object_init(struct nnb_object *object, const struct nnb_object_ops *ops);
/* Return: @object. */
struct nnb_object *nnb_object_ref(struct nnb_object *object);
/* NULL is allowed. */
void nnb_object_unref(struct nnb_object *object);

/*
 * Requests a callback when the object's process ends. The caller keeps a reference until it calls
 * nnb_object_unwatch(). Return: 0, NNB_DEAD_OBJECT if the process has already ended, -ENOTSUP for
 * an object of this process.
 */
int nnb_object_watch(struct nnb_object *object, struct nnb_death *death);
/* @death is not called after this. Must not be called from @death. */
void nnb_object_unwatch(struct nnb_object *object, struct nnb_death *death);

#endif

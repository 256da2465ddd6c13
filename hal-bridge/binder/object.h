/* SPDX-License-Identifier: MIT */
/*
 * Binder objects: what answers transactions, here or in another process.
 *
 * An object that is served here has @transact; a backend of binder makes a node of it when it is
 * written to a parcel for the first time, and holds a reference for as long as another process
 * does. An object of another process has @call, which the backend that received it provides.
 * Objects are counted; they may be used from any thread.
 */
#ifndef NNB_OBJECT_H
#define NNB_OBJECT_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

struct nnb_arena;
struct nnb_exchange;
struct nnb_object;
struct nnb_reader;
struct nnb_writer;

/*
 * What a call may return beside errors of the codec. binder's own numbers are the same on the wire.
 */
#define NNB_UNKNOWN_TRANSACTION (-74) /* there is no such method: -EBADMSG */
#define NNB_DEAD_OBJECT (-32) /* the other process is gone: -EPIPE */
#define NNB_BAD_TYPE (INT32_MIN + 1) /* the object has another interface */

/**
 * struct nnb_caller - who calls, as the kernel says
 * @euid: effective user id of the calling process
 * @pid: its process id
 */
struct nnb_caller {
	uid_t euid;
	pid_t pid;
};

/**
 * struct nnb_death - who wants to know that the process of an object has ended
 * @died: called once, from a thread of the backend's, which it must not hold up
 * @id: the backend's
 */
struct nnb_death {
	void (*died)(struct nnb_death *death);
	unsigned long id;
};

/**
 * struct nnb_object_ops - what an object does
 * @descriptor: the full name of the interface that it serves; NULL for objects that are elsewhere
 * @release: the last reference is gone
 * @transact: answers transaction @code: reads @in, writes the whole reply to @out. What the reply
 *	points to is handed to @arena, which is given back after the reply has been sent. Return: 0,
 *	or a negative status that the caller sees instead of a reply. NULL for objects that are
 *	elsewhere
 * @dump: writes for people to read what the object and all that belongs to it does at the moment;
 *	NULL for nothing
 * @call: calls a method of an object that is elsewhere, as nnb_exchange_call(); else NULL
 * @watch: see nnb_object_watch(); NULL for objects that are served here
 * @unwatch: likewise
 */
struct nnb_object_ops {
	const char *descriptor;
	void (*release)(struct nnb_object *object);
	int (*transact)(struct nnb_object *object, const struct nnb_caller *caller, uint32_t code,
			struct nnb_reader *in, struct nnb_arena *arena, struct nnb_writer *out);
	void (*dump)(struct nnb_object *object, int fd);
	int (*call)(struct nnb_object *object, uint32_t code, struct nnb_arena *arena,
		    const struct nnb_exchange *exchange);
	int (*watch)(struct nnb_object *object, struct nnb_death *death);
	void (*unwatch)(struct nnb_object *object, struct nnb_death *death);
};

/**
 * struct nnb_object - what an object begins with
 * @ops: constant
 * @refs: references
 * @node: what the backend made of an object that is served here, which it alone touches; NULL
 */
struct nnb_object {
	const struct nnb_object_ops *ops;
	atomic_uint refs;
	void *node;
};

/* Begins with one reference. */
void nnb_object_init(struct nnb_object *object, const struct nnb_object_ops *ops);
/* Return: @object. */
struct nnb_object *nnb_object_ref(struct nnb_object *object);
/* NULL is allowed. */
void nnb_object_unref(struct nnb_object *object);

/*
 * Asks to be told when the process of an object ends; the caller keeps a reference until it takes
 * that back. Return: 0, NNB_DEAD_OBJECT when it has ended already, -ENOTSUP for an object that is
 * served here.
 */
int nnb_object_watch(struct nnb_object *object, struct nnb_death *death);
/* After this @death is not called any more. Not to be called from there. */
void nnb_object_unwatch(struct nnb_object *object, struct nnb_death *death);

#endif

/* SPDX-License-Identifier: MIT */
/* Reference-counted objects. */
#ifndef NNAPI_OBJECT_H
#define NNAPI_OBJECT_H

#include <stdatomic.h>

/**
 * struct nnapi_object - the start of a reference-counted object
 * @refs: references to it
 * @destroy: called once, with the object, after the last reference was dropped; it drops the
 *	references of the object and frees it
 *
 * It is the first member, so a pointer to the whole object can be passed to the functions below.
 */
struct nnapi_object {
	atomic_uint refs;
	void (*destroy)(void *object);
};

/* Sets the count to one reference, the caller's. */
void nnapi_object_init(struct nnapi_object *object, void (*destroy)(void *object));
/* Takes another reference. Return: @object. Thread-safe, as unref is. */
void *nnapi_object_ref(const void *object);
/* Drops a reference. NULL is allowed. */
void nnapi_object_unref(void *object);

#endif

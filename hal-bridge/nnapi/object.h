/* SPDX-License-Identifier: MIT */
/* What is reference-counted. */
#ifndef NNAPI_OBJECT_H
#define NNAPI_OBJECT_H

#include <stdatomic.h>

/**
 * struct nnapi_object - what is reference-counted
 * @refs: references to it
 * @destroy: called once, with the object, when the last reference is gone; it drops the references
 *	that the object holds and frees it
 *
 * It is the first member of what is counted, so that a pointer to that can be handed to the
 * functions below.
 */
struct nnapi_object {
	atomic_uint refs;
	void (*destroy)(void *object);
};

/* One reference, the caller's. */
void nnapi_object_init(struct nnapi_object *object, void (*destroy)(void *object));
/* Takes another reference. Return: @object. Thread-safe, as unref is. */
void *nnapi_object_ref(const void *object);
/* Gives a reference back; NULL does nothing. */
void nnapi_object_unref(void *object);

#endif

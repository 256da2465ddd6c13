// SPDX-License-Identifier: MIT
/* Reference counts of the structures that begin with a struct nnapi_object. */
#include "hal-bridge/nnapi/object.h"

void nnapi_object_init(struct nnapi_object *object, void (*destroy)(void *object))
{
	atomic_init(&object->refs, 1);
	object->destroy = destroy;
}

void *nnapi_object_ref(const void *object)
{
	struct nnapi_object *self = (struct nnapi_object *)object;

	atomic_fetch_add(&self->refs, 1);
	return self;
}

void nnapi_object_unref(void *object)
{
	struct nnapi_object *self = object;

	if (self && atomic_fetch_sub(&self->refs, 1) == 1)
		self->destroy(self);
}

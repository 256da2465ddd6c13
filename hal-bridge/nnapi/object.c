// SPDX-License-Identifier: MIT
/* Objects: counting the references to whatever begins with a struct nnapi_object (nnapi.h). */
#include "hal-bridge/nnapi/nnapi.h"

/* A pointer to one of them is a pointer to its count. */
_Static_assert(!offsetof(struct ANeuralNetworksMemory, object), "the count of a memory is first");
_Static_assert(!offsetof(struct ANeuralNetworksModel, object), "the count of a model is first");
_Static_assert(!offsetof(struct ANeuralNetworksCompilation, object), "of a compilation, too");
_Static_assert(!offsetof(struct ANeuralNetworksExecution, object), "of an execution, too");
_Static_assert(!offsetof(struct ANeuralNetworksEvent, object), "of an event, too");

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

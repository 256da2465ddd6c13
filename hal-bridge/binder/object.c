// SPDX-License-Identifier: MIT
/* References to objects (object.h). */
#include "hal-bridge/binder/object.h"

#include <errno.h>
#include <stddef.h>

void nnb_object_init(struct nnb_object *object, const struct nnb_object_ops *ops)
{
	object->ops = ops;
	object->node = NULL;
	atomic_init(&object->refs, 1);
}

struct nnb_object *nnb_object_ref(struct nnb_object *object)
{
	atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
	return object;
}

void nnb_object_unref(struct nnb_object *object)
{
	if (object && atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1)
		object->ops->release(object);
}

int nnb_object_watch(struct nnb_object *object, struct nnb_death *death)
{
	return object->ops->watch ? object->ops->watch(object, death) : -ENOTSUP;
}

void nnb_object_unwatch(struct nnb_object *object, struct nnb_death *death)
{
	if (object->ops->unwatch)
		object->ops->unwatch(object, death);
}

// SPDX-License-Identifier: MIT
/* References to objects, and calls that stay in the process (object.h). */
#include "hal-bridge/binder/object.h"

#include <errno.h>
#include <stddef.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/flat.h"

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

static void nnb_object_drop_reply(void *data)
{
	nnb_flat_fini(data);
}

/* A call that stays in the process. */
static int nnb_object_call_here(struct nnb_object *object, const struct nnb_caller *caller,
				uint32_t code, struct nnb_arena *arena,
				const struct nnb_exchange *exchange)
{
	struct nnb_flat *reply = nnb_arena_alloc(arena, 1, sizeof(*reply));
	struct nnb_arena inner = { 0 };
	struct nnb_flat request;
	int ret;

	if (!reply)
		return -ENOMEM;
	nnb_flat_init(reply);
	ret = nnb_arena_defer(arena, nnb_object_drop_reply, reply);
	if (ret)
		return ret;
	nnb_flat_init(&request);
	ret = exchange->write(exchange->data, &request.writer);
	if (!ret)
		ret = object->ops->transact(object, caller, code, &request.reader, &inner,
					    &reply->writer);
	nnb_flat_fini(&request);
	nnb_arena_fini(&inner);
	return ret ? ret : exchange->read(exchange->data, &reply->reader);
}

int nnb_object_call(struct nnb_object *object, const struct nnb_caller *caller, uint32_t code,
		    struct nnb_arena *arena, const struct nnb_exchange *exchange)
{
	if (object->ops->call)
		return object->ops->call(object, code, arena, exchange);
	return nnb_object_call_here(object, caller, code, arena, exchange);
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

// SPDX-License-Identifier: MIT
/* Calls of objects, and the path of a call within the process (exchange.h). */
#include "hal-bridge/binder/exchange.h"

#include <errno.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/flat.h"
#include "hal-bridge/binder/object.h"

static void nnb_exchange_drop_reply(void *data)
{
	nnb_flat_fini(data);
}

/* Calls an object of this process. */
static int nnb_exchange_call_here(struct nnb_object *object, const struct nnb_caller *caller,
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
	ret = nnb_arena_defer(arena, nnb_exchange_drop_reply, reply);
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

int nnb_exchange_call(struct nnb_object *object, const struct nnb_caller *caller, uint32_t code,
		      struct nnb_arena *arena, const struct nnb_exchange *exchange)
{
	if (object->ops->call)
		return object->ops->call(object, code, arena, exchange);
	return nnb_exchange_call_here(object, caller, code, arena, exchange);
}

// SPDX-License-Identifier: MIT
/* Objects of other processes (link.h). Each time one is received it is another proxy of it. */
#include <errno.h>
#include <stdlib.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/ndk/link.h"

/**
 * struct nnb_ndk_proxy - an object of another process
 * @object: ours
 * @link: a reference
 * @binder: a reference
 */
struct nnb_ndk_proxy {
	struct nnb_object object;
	struct nnb_ndk *link;
	AIBinder *binder;
};

static void nnb_ndk_proxy_release(struct nnb_object *object)
{
	struct nnb_ndk_proxy *proxy = (struct nnb_ndk_proxy *)object;

	AIBinder_decStrong(proxy->binder);
	free(proxy);
}

/* ---------------------------------------------------------------------------------------- calls */

static int nnb_ndk_proxy_status(binder_status_t status)
{
	switch (status) {
	case STATUS_OK:
	case STATUS_DEAD_OBJECT: /* NNB_DEAD_OBJECT */
	case STATUS_UNKNOWN_TRANSACTION: /* NNB_UNKNOWN_TRANSACTION */
	case STATUS_BAD_TYPE: /* NNB_BAD_TYPE */
		return status;
	case STATUS_FAILED_TRANSACTION:
		return -EIO; /* the driver could not deliver it: too large, or no room there */
	default:
		return status > 0 || status < -4095 ? -EPROTO : status;
	}
}

static void nnb_ndk_proxy_drop_reply(void *data)
{
	AParcel_delete(data);
}

/* libbinder writes the name of the interface itself, out of the object's class. */
static int nnb_ndk_proxy_associate(struct nnb_ndk_proxy *proxy, const char *descriptor)
{
	const AIBinder_Class *class;

	pthread_mutex_lock(&proxy->link->lock);
	class = nnb_ndk_class(proxy->link, descriptor);
	pthread_mutex_unlock(&proxy->link->lock);
	if (!class)
		return -ENOMEM;
	if (AIBinder_associateClass(proxy->binder, class))
		return 0;
	return AIBinder_isAlive(proxy->binder) ? NNB_BAD_TYPE : NNB_DEAD_OBJECT;
}

static int nnb_ndk_proxy_call(struct nnb_object *object, uint32_t code, struct nnb_arena *arena,
			      const struct nnb_exchange *exchange)
{
	struct nnb_ndk_proxy *proxy = (struct nnb_ndk_proxy *)object;
	struct nnb_ndk_reader *reader = nnb_arena_alloc(arena, 1, sizeof(*reader));
	AParcel *request = NULL, *reply = NULL;
	struct nnb_ndk_writer writer;
	int ret;

	if (!reader)
		return -ENOMEM;
	ret = nnb_ndk_proxy_associate(proxy, exchange->descriptor);
	if (!ret)
		ret = nnb_ndk_proxy_status(AIBinder_prepareTransaction(proxy->binder, &request));
	if (ret)
		return ret;
	nnb_ndk_writer_init(&writer, proxy->link, request);
	ret = exchange->write(exchange->data, &writer.writer);
	if (ret) {
		AParcel_delete(request);
		return ret;
	}
	/* The request is libbinder's from here on. */
	ret = nnb_ndk_proxy_status(AIBinder_transact(proxy->binder, code, &request, &reply, 0));
	if (!ret)
		ret = nnb_arena_defer(arena, nnb_ndk_proxy_drop_reply, reply);
	if (ret)
		return ret;
	nnb_ndk_reader_init(reader, proxy->link, arena, reply);
	return exchange->read(exchange->data, &reader->reader);
}

int nnb_ndk_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd)
{
	AIBinder *remote = nnb_ndk_proxy_binder(object);

	return remote ? nnb_ndk_proxy_status(AIBinder_dump(remote, fd, NULL, 0)) : -EINVAL;
}

/* --------------------------------------------------------------------------------------- deaths */

/**
 * struct nnb_ndk_watch - a struct nnb_death that libbinder knows
 * @refs: libbinder's until it has unlinked it, and the watcher's
 * @lock: held while somebody is told, so that nobody is after it has been taken back
 * @death: who is told; NULL when that was taken back
 */
struct nnb_ndk_watch {
	atomic_uint refs;
	pthread_mutex_t lock;
	struct nnb_death *death;
};

static void nnb_ndk_watch_put(struct nnb_ndk_watch *watch)
{
	if (atomic_fetch_sub(&watch->refs, 1) != 1)
		return;
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}

void nnb_ndk_watch_died(void *cookie)
{
	struct nnb_ndk_watch *watch = cookie;

	pthread_mutex_lock(&watch->lock);
	if (watch->death)
		watch->death->died(watch->death);
	pthread_mutex_unlock(&watch->lock);
}

void nnb_ndk_watch_unlinked(void *cookie)
{
	nnb_ndk_watch_put(cookie);
}

static int nnb_ndk_proxy_watch(struct nnb_object *object, struct nnb_death *death)
{
	struct nnb_ndk_proxy *proxy = (struct nnb_ndk_proxy *)object;
	struct nnb_ndk_watch *watch = calloc(1, sizeof(*watch));
	binder_status_t status;

	if (!watch)
		return -ENOMEM;
	watch->refs = 2;
	watch->death = death;
	pthread_mutex_init(&watch->lock, NULL);
	death->id = (unsigned long)watch;
	/* After an error libbinder says at once that it is unlinked. */
	status = AIBinder_linkToDeath(proxy->binder, proxy->link->recipient, watch);
	if (status != STATUS_OK)
		nnb_ndk_watch_put(watch);
	return nnb_ndk_proxy_status(status);
}

static void nnb_ndk_proxy_unwatch(struct nnb_object *object, struct nnb_death *death)
{
	struct nnb_ndk_proxy *proxy = (struct nnb_ndk_proxy *)object;
	struct nnb_ndk_watch *watch = (struct nnb_ndk_watch *)death->id;

	pthread_mutex_lock(&watch->lock);
	watch->death = NULL;
	pthread_mutex_unlock(&watch->lock);
	death->id = 0;
	/* An error says that it has died meanwhile. */
	AIBinder_unlinkToDeath(proxy->binder, proxy->link->recipient, watch);
	nnb_ndk_watch_put(watch);
}

static const struct nnb_object_ops nnb_ndk_proxy_ops = {
	.release = nnb_ndk_proxy_release,
	.call = nnb_ndk_proxy_call,
	.watch = nnb_ndk_proxy_watch,
	.unwatch = nnb_ndk_proxy_unwatch,
};

struct nnb_object *nnb_ndk_proxy_create(struct nnb_ndk *link, AIBinder *binder)
{
	struct nnb_ndk_proxy *proxy = calloc(1, sizeof(*proxy));

	if (!proxy) {
		AIBinder_decStrong(binder);
		return NULL;
	}
	nnb_object_init(&proxy->object, &nnb_ndk_proxy_ops);
	proxy->link = link;
	proxy->binder = binder;
	return &proxy->object;
}

AIBinder *nnb_ndk_proxy_binder(struct nnb_object *object)
{
	return object->ops == &nnb_ndk_proxy_ops ? ((struct nnb_ndk_proxy *)object)->binder : NULL;
}

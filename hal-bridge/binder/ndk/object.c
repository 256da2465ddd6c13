// SPDX-License-Identifier: MIT
/*
 * Nodes, proxies, and their form in parcels (object.h).
 *
 * A node is the user data of the AIBinder that represents an object in libbinder. It is made when
 * the object is first written to a parcel, and holds a reference to the object. It is freed with
 * the AIBinder, which parcels and other processes keep alive.
 *
 * Each received object of another process becomes a new proxy.
 */
#include "hal-bridge/binder/ndk/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/exchange.h"
#include "hal-bridge/binder/ndk/parcel.h"
#include "libnnaccel/support/message.h"

/* This function has C linkage, but binder_stability.h, which declares it, is C++. */
void AIBinder_markVintfStability(AIBinder *binder);

/**
 * struct nnb_ndk_node - an object of this process that other processes may hold
 * @link: a reference
 * @object: a reference
 * @weak: the AIBinder; NULL until there is one
 */
struct nnb_ndk_node {
	struct nnb_ndk *link;
	struct nnb_object *object;
	AIBinder_Weak *weak;
};

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

/**
 * struct nnb_ndk_class - an interface's class, which libbinder never frees
 * @next: of the link's list
 * @descriptor: its name
 * @class: what libbinder knows
 */
struct nnb_ndk_class {
	struct nnb_ndk_class *next;
	const char *descriptor;
	AIBinder_Class *class;
};

static const struct nnb_object_ops nnb_ndk_proxy_ops;

/* ---------------------------------------------------------------------------- calls of others */

static void *nnb_ndk_on_create(void *node)
{
	return node;
}

static void nnb_ndk_on_destroy(void *data)
{
	struct nnb_ndk_node *node = data;

	pthread_mutex_lock(&node->link->lock);
	if (node->object->node == node)
		node->object->node = NULL;
	pthread_mutex_unlock(&node->link->lock);
	AIBinder_Weak_delete(node->weak);
	nnb_object_unref(node->object);
	free(node);
}

static binder_status_t nnb_ndk_on_transact(AIBinder *binder, transaction_code_t code,
					   const AParcel *in, AParcel *out)
{
	struct nnb_ndk_node *node = AIBinder_getUserData(binder);
	const struct nnb_object_ops *ops = node->object->ops;
	const struct nnb_caller caller = {
		.euid = AIBinder_getCallingUid(),
		.pid = AIBinder_getCallingPid(),
	};
	struct nnb_arena arena = { 0 };
	struct nnb_ndk_reader reader;
	struct nnb_ndk_writer writer;
	int ret;

	if (!nnb_ndk_enter(node->link, caller.euid)) {
		nna_message(DRIVER, "binder: uid %u, pid %d has too many calls under way",
			    (unsigned int)caller.euid, (int)caller.pid);
		return STATUS_WOULD_BLOCK;
	}
	nnb_ndk_reader_init(&reader, node->link, &arena, in);
	nnb_ndk_writer_init(&writer, node->link, out);
	ret = ops->transact(node->object, &caller, code, &reader.reader, &arena, &writer.writer);
	nnb_arena_fini(&arena);
	nnb_ndk_leave(node->link, caller.euid);
	return ret;
}

static binder_status_t nnb_ndk_on_dump(AIBinder *binder, int fd, const char **arguments,
				       uint32_t count)
{
	const struct nnb_ndk_node *node = AIBinder_getUserData(binder);
	const struct nnb_caller caller = {
		.euid = AIBinder_getCallingUid(),
		.pid = AIBinder_getCallingPid(),
	};

	if (node->object->ops->dump)
		node->object->ops->dump(node->object, &caller, fd);
	return STATUS_OK;
}

/* ------------------------------------------------------------------------------------ classes */

static AIBinder_Class *nnb_ndk_class_define(const char *descriptor)
{
	AIBinder_Class *class = AIBinder_Class_define(descriptor, nnb_ndk_on_create,
						      nnb_ndk_on_destroy, nnb_ndk_on_transact);

	if (class)
		AIBinder_Class_setOnDump(class, nnb_ndk_on_dump);
	return class;
}

/*
 * Return: the class of an interface, for nodes and proxies; NULL without memory. @descriptor must
 * stay valid. Called with the lock.
 */
static const AIBinder_Class *nnb_ndk_class(struct nnb_ndk *link, const char *descriptor)
{
	struct nnb_ndk_class *entry = link->classes;

	while (entry && strcmp(entry->descriptor, descriptor))
		entry = entry->next;
	if (entry)
		return entry->class;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->descriptor = descriptor;
	entry->class = nnb_ndk_class_define(descriptor);
	if (!entry->class) {
		free(entry);
		return NULL;
	}
	entry->next = link->classes;
	link->classes = entry;
	return entry->class;
}

/* -------------------------------------------------------------------------------------- nodes */

/* Called with the lock. */
static AIBinder *nnb_ndk_node_create(struct nnb_ndk *link, struct nnb_object *object)
{
	const AIBinder_Class *class = nnb_ndk_class(link, object->ops->descriptor);
	struct nnb_ndk_node *node = class ? calloc(1, sizeof(*node)) : NULL;
	AIBinder *binder;

	if (!node)
		return NULL;
	binder = AIBinder_new(class, node);
	if (!binder) {
		free(node);
		return NULL;
	}
	AIBinder_markVintfStability(binder);
	node->link = link;
	node->object = nnb_object_ref(object);
	node->weak = AIBinder_Weak_new(binder);
	object->node = node;
	return binder;
}

AIBinder *nnb_ndk_node_get(struct nnb_ndk *link, struct nnb_object *object)
{
	const struct nnb_ndk_node *node;
	AIBinder *binder = NULL;

	pthread_mutex_lock(&link->lock);
	node = object->node;
	/* If the AIBinder is being destroyed, make a new one. */
	if (node)
		binder = AIBinder_Weak_promote(node->weak);
	if (!binder)
		binder = nnb_ndk_node_create(link, object);
	pthread_mutex_unlock(&link->lock);
	return binder;
}

/* Return: the object of this process that @binder represents; a reference. */
static struct nnb_object *nnb_ndk_node_object(AIBinder *binder)
{
	const struct nnb_ndk_node *node = AIBinder_getUserData(binder);

	return nnb_object_ref(node->object);
}

/* ------------------------------------------------------------------------------------ proxies */

/* Return: the AIBinder of a proxy, not a reference; NULL for a node. */
static AIBinder *nnb_ndk_proxy_binder(struct nnb_object *object)
{
	return object->ops == &nnb_ndk_proxy_ops ? ((struct nnb_ndk_proxy *)object)->binder : NULL;
}

static void nnb_ndk_proxy_release(struct nnb_object *object)
{
	struct nnb_ndk_proxy *proxy = (struct nnb_ndk_proxy *)object;

	AIBinder_decStrong(proxy->binder);
	free(proxy);
}

/* -------------------------------------------------------------------------------------- calls */

static int nnb_ndk_proxy_status(binder_status_t status)
{
	switch (status) {
	case STATUS_OK:
	case STATUS_DEAD_OBJECT: /* NNB_DEAD_OBJECT */
	case STATUS_UNKNOWN_TRANSACTION: /* NNB_UNKNOWN_TRANSACTION */
	case STATUS_BAD_TYPE: /* NNB_BAD_TYPE */
		return status;
	case STATUS_FAILED_TRANSACTION:
		return -EIO; /* not delivered: too large, or no room at the receiver */
	default:
		return status > 0 || status < -4095 ? -EPROTO : status;
	}
}

static void nnb_ndk_proxy_drop_reply(void *data)
{
	AParcel_delete(data);
}

/* libbinder writes the name of the interface itself, from the class of the object. */
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
	/* libbinder owns the request from here on. */
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

/* ------------------------------------------------------------------------------------- deaths */

/**
 * struct nnb_ndk_watch - a struct nnb_death that is registered with libbinder
 * @refs: one of libbinder until it has unlinked the watch, and one of the watcher
 * @lock: held during the callback, so that the callback does not run after unwatch
 * @death: the callback; NULL after unwatch
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
	/* After an error libbinder calls nnb_ndk_watch_unlinked() at once. */
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
	/* An error means that the process has died meanwhile. */
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

/* ------------------------------------------------------------------------------------ parcels */

static int nnb_ndk_read_object(struct nnb_reader *reader, struct nnb_object **object)
{
	struct nnb_ndk_reader *self = (struct nnb_ndk_reader *)reader;
	AIBinder *binder = NULL;
	int ret = nnb_ndk_error(AParcel_readStrongBinder(self->parcel, &binder));

	*object = NULL;
	if (ret || !binder)
		return ret;
	if (AIBinder_isRemote(binder)) {
		*object = nnb_ndk_proxy_create(self->link, binder);
	} else {
		*object = nnb_ndk_node_object(binder);
		AIBinder_decStrong(binder);
	}
	ret = *object ? nnb_arena_own_object(self->arena, *object) : -ENOMEM;
	if (ret)
		*object = NULL;
	return ret;
}

static int nnb_ndk_write_object(struct nnb_writer *writer, struct nnb_object *object)
{
	const struct nnb_ndk_writer *self = (const struct nnb_ndk_writer *)writer;
	AIBinder *binder = object ? nnb_ndk_proxy_binder(object) : NULL;
	int ret;

	if (binder || !object)
		return nnb_ndk_error(AParcel_writeStrongBinder(self->parcel, binder));
	binder = nnb_ndk_node_get(self->link, object);
	if (!binder)
		return -ENOMEM;
	ret = nnb_ndk_error(AParcel_writeStrongBinder(self->parcel, binder));
	AIBinder_decStrong(binder);
	return ret;
}

void nnb_ndk_object_ops(struct nnb_reader_ops *reader, struct nnb_writer_ops *writer)
{
	nnb_ndk_reader_ops(reader);
	reader->read_object = nnb_ndk_read_object;
	nnb_ndk_writer_ops(writer);
	writer->write_object = nnb_ndk_write_object;
}

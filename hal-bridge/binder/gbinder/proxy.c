// SPDX-License-Identifier: MIT
/* Objects of other processes (link.h). Each time one is received it is another proxy of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/gbinder/link.h"

/**
 * struct nnb_proxy - an object of another process
 * @object: ours
 * @link: the connection
 * @remote: a reference
 * @user: who has sent it
 */
struct nnb_proxy {
	struct nnb_object object;
	struct nnb_link *link;
	GBinderRemoteObject *remote;
	uint64_t user;
};

static void nnb_proxy_release(struct nnb_object *object)
{
	struct nnb_proxy *proxy = (struct nnb_proxy *)object;

	gbinder_remote_object_unref(proxy->remote);
	free(proxy);
}

/* ---------------------------------------------------------------------------------------- calls */

static void nnb_proxy_drop_reply(void *data)
{
	gbinder_remote_reply_unref(data);
}

static int nnb_proxy_status(int status)
{
	switch (status) {
	case GBINDER_STATUS_DEAD_OBJECT:
		return NNB_DEAD_OBJECT;
	case GBINDER_STATUS_FAILED:
		return -EIO; /* the driver could not deliver it: too large, or no room there */
	default:
		return status > 0 ? -EPROTO : status;
	}
}

/* Sends the request. *@out is a reference, when there is a reply. */
static int nnb_proxy_send(struct nnb_proxy *proxy, uint32_t code,
			  const struct nnb_exchange *exchange, GBinderRemoteReply **out)
{
	GBinderLocalRequest *request = NULL;
	GBinderClient *client = NULL;
	struct nnb_flat flat;
	GBinderWriter writer;
	int ret, status = 0;

	*out = NULL;
	nnb_flat_init(&flat);
	/* libgbinder makes duplicates before the caller goes on. */
	flat.lent = true;
	ret = exchange->write(exchange->data, &flat.writer);
	if (!ret) {
		client = gbinder_client_new(proxy->remote, exchange->descriptor);
		request = client ? gbinder_client_new_request(client) : NULL;
		ret = request ? 0 : NNB_DEAD_OBJECT;
	}
	if (!ret) {
		gbinder_local_request_init_writer(request, &writer);
		ret = nnb_gb_write(proxy->link, &flat, &writer, proxy->user);
	}
	nnb_flat_fini(&flat);
	if (!ret) {
		*out = gbinder_client_transact_sync_reply(client, code, request, &status);
		ret = nnb_proxy_status(status);
		/* Once libgbinder has heard of a death it does not even ask. */
		if (!ret && !*out)
			ret = gbinder_remote_object_is_dead(proxy->remote) ? NNB_DEAD_OBJECT
									   : -EPROTO;
	}
	gbinder_local_request_unref(request);
	gbinder_client_unref(client);
	return ret;
}

static int nnb_proxy_call(struct nnb_object *object, uint32_t code, struct nnb_arena *arena,
			  const struct nnb_exchange *exchange)
{
	struct nnb_proxy *proxy = (struct nnb_proxy *)object;
	struct nnb_gb_reader *reader;
	GBinderRemoteReply *reply;
	GBinderReader source;
	int ret;

	reader = nnb_arena_alloc(arena, 1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	ret = nnb_proxy_send(proxy, code, exchange, &reply);
	if (ret) {
		gbinder_remote_reply_unref(reply);
		return ret;
	}
	ret = nnb_arena_defer(arena, nnb_proxy_drop_reply, reply);
	if (ret)
		return ret;
	gbinder_remote_reply_init_reader(reply, &source);
	nnb_gb_reader_init(reader, proxy->link, arena, &source, proxy->user);
	return exchange->read(exchange->data, &reader->flat.reader);
}

/* A descriptor and no arguments, without a header. */
int nnb_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd)
{
	GBinderRemoteObject *remote = nnb_proxy_remote(object);
	GBinderClient *client = remote ? gbinder_client_new(remote, NULL) : NULL;
	GBinderLocalRequest *request = client ? gbinder_client_new_request(client) : NULL;
	GBinderRemoteReply *reply = NULL;
	GBinderWriter writer;
	int status = -EINVAL;

	if (request) {
		gbinder_local_request_init_writer(request, &writer);
		gbinder_writer_append_fd(&writer, fd);
		gbinder_writer_append_int32(&writer, 0);
		reply = gbinder_client_transact_sync_reply(client, NNB_DUMP_TRANSACTION, request,
							   &status);
	}
	gbinder_remote_reply_unref(reply);
	gbinder_local_request_unref(request);
	gbinder_client_unref(client);
	return nnb_proxy_status(status);
}

/* --------------------------------------------------------------------------------------- deaths */

/**
 * struct nnb_proxy_watch - what is done on the main thread, where deaths are told
 * @proxy: whose
 * @death: who
 */
struct nnb_proxy_watch {
	struct nnb_proxy *proxy;
	struct nnb_death *death;
};

static void nnb_proxy_died(GBinderRemoteObject *remote, void *data)
{
	struct nnb_death *death = data;

	death->died(death);
}

static void nnb_proxy_add_handler(void *data)
{
	const struct nnb_proxy_watch *watch = data;

	watch->death->id = gbinder_remote_object_add_death_handler(watch->proxy->remote,
								   nnb_proxy_died, watch->death);
}

static void nnb_proxy_remove_handler(void *data)
{
	const struct nnb_proxy_watch *watch = data;

	gbinder_remote_object_remove_handler(watch->proxy->remote, watch->death->id);
	watch->death->id = 0;
}

static int nnb_proxy_watch(struct nnb_object *object, struct nnb_death *death)
{
	struct nnb_proxy_watch watch = { (struct nnb_proxy *)object, death };

	death->id = 0;
	if (gbinder_remote_object_is_dead(watch.proxy->remote))
		return NNB_DEAD_OBJECT;
	nnb_link_invoke(watch.proxy->link, nnb_proxy_add_handler, &watch);
	/* It may have died in between, unheard. */
	if (!gbinder_remote_object_is_dead(watch.proxy->remote))
		return 0;
	nnb_link_invoke(watch.proxy->link, nnb_proxy_remove_handler, &watch);
	return NNB_DEAD_OBJECT;
}

static void nnb_proxy_unwatch(struct nnb_object *object, struct nnb_death *death)
{
	struct nnb_proxy_watch watch = { (struct nnb_proxy *)object, death };

	nnb_link_invoke(watch.proxy->link, nnb_proxy_remove_handler, &watch);
}

static const struct nnb_object_ops nnb_proxy_ops = {
	.release = nnb_proxy_release,
	.call = nnb_proxy_call,
	.watch = nnb_proxy_watch,
	.unwatch = nnb_proxy_unwatch,
};

struct nnb_object *nnb_proxy_create(struct nnb_link *link, GBinderRemoteObject *remote,
				    uint64_t user)
{
	struct nnb_proxy *proxy = calloc(1, sizeof(*proxy));

	if (!proxy) {
		gbinder_remote_object_unref(remote);
		return NULL;
	}
	nnb_object_init(&proxy->object, &nnb_proxy_ops);
	proxy->link = link;
	proxy->remote = remote;
	proxy->user = user;
	return &proxy->object;
}

GBinderRemoteObject *nnb_proxy_remote(struct nnb_object *object)
{
	return object->ops == &nnb_proxy_ops ? ((struct nnb_proxy *)object)->remote : NULL;
}

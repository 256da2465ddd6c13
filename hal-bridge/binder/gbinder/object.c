// SPDX-License-Identifier: MIT
/*
 * Nodes, proxies, and their form in parcels (object.h).
 *
 * A node joins an object of this process and the GBinderLocalObject that represents it in
 * libgbinder. It is made when the object is first written to a parcel, and holds a reference to the
 * object. The parcels that contain the GBinderLocalObject, and other processes, keep it alive. When
 * the last of them drops it, the node is freed and drops its reference.
 *
 * Each received object of another process becomes a new proxy.
 */
#include "hal-bridge/binder/gbinder/object.h"

#include <errno.h>
#include <linux/android/binder.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/exchange.h"
#include "hal-bridge/binder/gbinder/descriptor.h"
#include "hal-bridge/binder/gbinder/hw.h"
#include "hal-bridge/binder/gbinder/parcel.h"
#include "libnnaccel/support/message.h"

/**
 * struct nnb_node - an object of this process that other processes may hold
 * @task: drops the reference, which may take long. It is work of the user for whom the node was
 *	made, so it delays no other user
 * @link: the connection
 * @object: a reference
 * @local: not owned; cleared as soon as it is being destroyed
 */
struct nnb_node {
	struct nnb_task task;
	struct nnb_link *link;
	struct nnb_object *object;
	GWeakRef local;
};

/**
 * struct nnb_proxy - an object of another process
 * @object: ours
 * @link: the connection
 * @remote: a reference
 * @user: the sender
 */
struct nnb_proxy {
	struct nnb_object object;
	struct nnb_link *link;
	GBinderRemoteObject *remote;
	uint64_t user;
};

static const struct nnb_object_ops nnb_proxy_ops;

/* ------------------------------------------------------------------------------------ writing */

static GBinderRemoteObject *nnb_proxy_remote(struct nnb_object *object)
{
	return object->ops == &nnb_proxy_ops ? ((struct nnb_proxy *)object)->remote : NULL;
}

static void nnb_gb_drop_local(gpointer local)
{
	gbinder_local_object_unref(local);
}

/* Appends an object, and its stability in the format of libgbinder's protocol. */
static int nnb_gb_write_object(struct nnb_link *link, struct nnb_object *object,
			       GBinderWriter *writer, uint64_t user)
{
	GBinderRemoteObject *remote = nnb_proxy_remote(object);
	GBinderLocalObject *local;

	if (remote) {
		gbinder_writer_append_remote_object(writer, remote);
		return 0;
	}
	local = nnb_node_get(link, object, user);
	if (!local)
		return -ENOMEM;
	gbinder_writer_append_local_object(writer, local);
	/* The parcel keeps the object until the driver has taken a reference of its own. */
	gbinder_writer_add_cleanup(writer, nnb_gb_drop_local, local);
	return 0;
}

/* See struct nnb_gb_hw_ops. */
static struct nnb_object *nnb_gb_hw_read_object(struct nnb_gb_reader *reader,
						const struct flat_binder_object *flat);
static const struct nnb_gb_hw_ops nnb_gb_hw_ops = {
	.read = nnb_gb_hw_read_object,
	.write = nnb_gb_write_object,
};

/* Appends a parcel for @user. Return: 0 or -ENOMEM. */
static int nnb_gb_write(struct nnb_link *link, const struct nnb_flat *flat, GBinderWriter *writer,
			uint64_t user)
{
	size_t at = 0;
	int ret = 0;

	for (uint32_t i = 0; i < flat->entry_count && !ret; i++) {
		const struct nnb_flat_entry *entry = &flat->entries[i];

		gbinder_writer_append_bytes(writer, flat->data + at, entry->offset - at);
		at = entry->offset + NNB_GB_OBJECT;
		if (entry->object) {
			ret = nnb_gb_write_object(link, entry->object, writer, user);
			at += NNB_GB_STABILITY;
		} else {
			gbinder_writer_append_fd(writer, entry->fd);
		}
	}
	if (!ret && at < flat->size)
		gbinder_writer_append_bytes(writer, flat->data + at, flat->size - at);
	return ret;
}

/* ---------------------------------------------------------------------------- calls of others */

/**
 * struct nnb_incoming - a call of another process
 * @task: answers it
 * @link: the connection
 * @object: the called object, a reference; NULL after the answer
 * @local: the object's GBinderLocalObject, a reference
 * @request: a reference
 * @hw: of HIDL, the request
 * @code: of the transaction
 * @oneway: the caller does not wait for a reply
 * @reply: a reference; NULL for none
 * @status: of the transaction if there is no reply
 */
struct nnb_incoming {
	struct nnb_task task;
	struct nnb_link *link;
	struct nnb_object *object;
	GBinderLocalObject *local;
	GBinderRemoteRequest *request;
	struct nnb_hw hw;
	guint code;
	bool oneway;
	GBinderLocalReply *reply;
	int status;
};

/* Answers Android's dumpsys, which sends a descriptor and arguments. The arguments are ignored. */
static int nnb_node_dump(struct nnb_incoming *call, const struct nnb_caller *caller)
{
	GBinderReader reader;
	int fd;

	gbinder_remote_request_init_reader(call->request, &reader);
	fd = gbinder_reader_read_fd(&reader);
	if (fd < 0)
		return -EINVAL;
	if (call->object->ops->dump)
		call->object->ops->dump(call->object, caller, fd);
	call->reply = gbinder_local_object_new_reply(call->local);
	return call->reply ? 0 : -ENOMEM;
}

/* Answers a call of HIDL. A reply that nobody waits for is not made. */
static int nnb_node_answer_hidl(struct nnb_incoming *call, const struct nnb_caller *caller)
{
	const char *descriptor = gbinder_remote_request_interface(call->request);
	struct nnb_arena arena = { 0 };
	struct nnb_hw reply;
	GBinderWriter writer;
	GBinderReader source;
	int ret;

	nnb_hw_init(&reply);
	gbinder_remote_request_init_reader(call->request, &source);
	ret = nnb_gb_hw_read(call->link, &nnb_gb_hw_ops, &arena, &source, caller->euid, &call->hw);
	if (!ret)
		ret = call->object->ops->answer(call->object, caller, descriptor ? descriptor : "",
						call->code, &call->hw, &arena, &reply);
	if (!ret && !call->oneway) {
		call->reply = gbinder_local_object_new_reply(call->local);
		ret = call->reply ? 0 : -ENOMEM;
	}
	if (call->reply) {
		gbinder_local_reply_init_writer(call->reply, &writer);
		ret = nnb_gb_hw_write(call->link, &nnb_gb_hw_ops, &reply, &writer, caller->euid,
				      false);
	}
	if (ret) {
		gbinder_local_reply_unref(call->reply);
		call->reply = NULL;
	}
	nnb_hw_fini(&reply);
	nnb_arena_fini(&arena);
	return ret;
}

static int nnb_node_answer(struct nnb_incoming *call)
{
	const struct nnb_caller caller = {
		.euid = gbinder_remote_request_sender_euid(call->request),
		.pid = gbinder_remote_request_sender_pid(call->request),
	};
	const char *descriptor = gbinder_remote_request_interface(call->request);
	struct nnb_arena arena = { 0 };
	struct nnb_gb_reader reader;
	struct nnb_flat reply;
	GBinderWriter writer;
	GBinderReader source;
	int ret;

	if (call->link->hidl)
		return nnb_node_answer_hidl(call, &caller);
	if (call->code == NNB_DUMP_TRANSACTION)
		return nnb_node_dump(call, &caller);
	if (!descriptor || strcmp(descriptor, call->object->ops->descriptor)) {
		nna_message(DRIVER, "binder: uid %u, pid %d calls interface %s of an object of %s",
			    (unsigned int)caller.euid, (int)caller.pid,
			    descriptor ? descriptor : "nothing", call->object->ops->descriptor);
		return NNB_BAD_TYPE;
	}
	nnb_flat_init(&reply);
	/* The arena outlives the reply, and owns the memory that the reply points to. */
	reply.lent = true;
	gbinder_remote_request_init_reader(call->request, &source);
	nnb_gb_reader_init(&reader, call->link, &arena, &source, caller.euid);
	ret = call->object->ops->transact(call->object, &caller, call->code,
					  &reader.flat.reader, &arena, &reply.writer);
	if (!ret) {
		call->reply = gbinder_local_object_new_reply(call->local);
		ret = call->reply ? 0 : -ENOMEM;
	}
	if (!ret) {
		gbinder_local_reply_init_writer(call->reply, &writer);
		ret = nnb_gb_write(call->link, &reply, &writer, caller.euid);
	}
	if (ret) {
		gbinder_local_reply_unref(call->reply);
		call->reply = NULL;
	}
	nnb_flat_fini(&reply);
	nnb_arena_fini(&arena);
	return ret;
}

/*
 * Answers the call and drops its reference to the object. The node, which @local keeps alive, holds
 * another one. So a worker drops the last reference, never the main thread, which frees the call.
 */
static void nnb_incoming_answer(struct nnb_incoming *call)
{
	call->status = nnb_node_answer(call);
	nnb_object_unref(call->object);
	call->object = NULL;
}

static void nnb_incoming_free(struct nnb_incoming *call)
{
	nnb_hw_fini(&call->hw);
	gbinder_local_reply_unref(call->reply);
	gbinder_remote_request_unref(call->request);
	gbinder_local_object_unref(call->local);
	free(call);
}

/* Runs on the main thread. */
static gboolean nnb_incoming_complete(gpointer data)
{
	struct nnb_incoming *call = data;

	gbinder_remote_request_complete(call->request, call->reply, call->status);
	nnb_incoming_free(call);
	return G_SOURCE_REMOVE;
}

/* Return: the request of HIDL, NULL of AIDL. */
static const struct nnb_hw *nnb_incoming_hw(const struct nnb_incoming *call)
{
	return call->link->hidl ? &call->hw : NULL;
}

/* Closes the caller's files, which may wait for their file system, and completes the call. */
static void nnb_incoming_close(struct nnb_task *task)
{
	struct nnb_incoming *call = (struct nnb_incoming *)task;
	GBinderReader source;

	gbinder_remote_request_init_reader(call->request, &source);
	nnb_gb_close_waiting(call->link, &source, nnb_incoming_hw(call));
	nnb_link_post(call->link, nnb_incoming_complete, call);
}

/* The call waits for its files, but no thread that other users need does. */
static void nnb_incoming_run(struct nnb_task *task)
{
	struct nnb_incoming *call = (struct nnb_incoming *)task;
	GBinderReader source;

	nnb_incoming_answer(call);
	gbinder_remote_request_init_reader(call->request, &source);
	if (nnb_gb_closing_waits(call->link, &source, nnb_incoming_hw(call))) {
		call->task.run = nnb_incoming_close;
		nnb_workers_add(&call->link->closers, &call->task);
		return;
	}
	nnb_link_post(call->link, nnb_incoming_complete, call);
}

/* Receives a transaction for an object of this process, usually on the main thread. */
static GBinderLocalReply *nnb_node_transact(GBinderLocalObject *local,
					    GBinderRemoteRequest *request, guint code,
					    guint flags, int *status, void *data)
{
	struct nnb_node *node = data;
	struct nnb_incoming *call = calloc(1, sizeof(*call));
	GBinderLocalReply *reply;
	GBinderReader source;

	if (!call) {
		*status = -ENOMEM;
		return NULL;
	}
	call->link = node->link;
	call->object = nnb_object_ref(node->object);
	call->local = gbinder_local_object_ref(local);
	call->request = gbinder_remote_request_ref(request);
	call->code = code;
	call->oneway = flags & GBINDER_TX_FLAG_ONEWAY;
	nnb_hw_init(&call->hw);
	if (pthread_equal(pthread_self(), node->link->thread)) {
		call->task.run = nnb_incoming_run;
		call->task.key = gbinder_remote_request_sender_euid(request);
		gbinder_remote_request_block(request);
		nnb_workers_add(&node->link->workers, &call->task);
		return NULL;
	}
	/* A process that one of our threads is calling calls back. Only this thread may answer. */
	nnb_incoming_answer(call);
	gbinder_remote_request_init_reader(call->request, &source);
	nnb_gb_close_waiting(call->link, &source, nnb_incoming_hw(call));
	*status = call->status;
	reply = gbinder_local_reply_ref(call->reply);
	nnb_incoming_free(call);
	return reply;
}

/* -------------------------------------------------------------------------------------- nodes */

static void nnb_node_free(struct nnb_task *task)
{
	struct nnb_node *node = (struct nnb_node *)task;

	nnb_object_unref(node->object);
	g_weak_ref_clear(&node->local);
	free(node);
}

/* Called when libgbinder's object is being destroyed. */
static void nnb_node_gone(gpointer data, GObject *local)
{
	struct nnb_node *node = data;
	struct nnb_link *link = node->link;

	pthread_mutex_lock(&link->lock);
	g_hash_table_remove(link->nodes, local);
	if (node->object->node == node)
		node->object->node = NULL;
	pthread_mutex_unlock(&link->lock);
	nnb_workers_add(&link->workers, &node->task);
}

/* Called with the lock. */
static GBinderLocalObject *nnb_node_create(struct nnb_link *link, struct nnb_object *object,
					   uint64_t user)
{
	const char *const alone[] = {object->ops->descriptor, NULL};
	struct nnb_node *node = calloc(1, sizeof(*node));
	GBinderLocalObject *local;

	if (!node)
		return NULL;
	local = gbinder_servicemanager_new_local_object2(link->manager,
							 object->ops->chain ? object->ops->chain
									    : alone,
							 nnb_node_transact, node);
	if (!local) {
		free(node);
		return NULL;
	}
	gbinder_local_object_set_stability(local, GBINDER_STABILITY_VINTF);
	node->link = link;
	node->task.run = nnb_node_free;
	node->task.key = user;
	node->object = nnb_object_ref(object);
	g_weak_ref_init(&node->local, local);
	g_object_weak_ref(G_OBJECT(local), nnb_node_gone, node);
	g_hash_table_insert(link->nodes, local, node);
	object->node = node;
	return local;
}

GBinderLocalObject *nnb_node_get(struct nnb_link *link, struct nnb_object *object, uint64_t user)
{
	GBinderLocalObject *local = NULL;
	struct nnb_node *node;

	pthread_mutex_lock(&link->lock);
	node = object->node;
	if (node)
		local = g_weak_ref_get(&node->local);
	if (!local)
		local = nnb_node_create(link, object, user);
	pthread_mutex_unlock(&link->lock);
	return local;
}

/* ------------------------------------------------------------------------------------ reading */

/*
 * Return: the object of a local object, a reference; NULL if there is none. @local need not be a
 * valid pointer: a client may have sent it.
 */
static struct nnb_object *nnb_node_find(struct nnb_link *link, const void *local)
{
	struct nnb_object *object = NULL;
	struct nnb_node *node;

	pthread_mutex_lock(&link->lock);
	node = g_hash_table_lookup(link->nodes, local);
	if (node)
		object = nnb_object_ref(node->object);
	pthread_mutex_unlock(&link->lock);
	return object;
}

/*
 * Reads an object of this process that comes back, which libgbinder cannot read. Its list of
 * objects does not tell whether the driver or the client wrote these bytes. So the users of the
 * object check that it belongs to the client.
 */
static int nnb_gb_read_local(struct nnb_gb_reader *self, const struct flat_binder_object *flat,
			     struct nnb_object **object)
{
	if (!flat->binder) {
		/* Only some senders list null objects. */
		gbinder_reader_skip_object(&self->source);
		return 0;
	}
	*object = nnb_node_find(self->link, (const void *)(uintptr_t)flat->binder);
	return *object ? nnb_arena_own_object(self->arena, *object) : -EINVAL;
}

static int nnb_gb_read_object(struct nnb_reader *reader, struct nnb_object **object)
{
	struct nnb_gb_reader *self = (struct nnb_gb_reader *)reader;
	GBinderRemoteObject *remote = NULL;
	struct flat_binder_object flat;
	int ret = 0;

	*object = NULL;
	if (self->flat.size - self->flat.at < NNB_GB_OBJECT + NNB_GB_STABILITY)
		return -ENODATA;
	memcpy(&flat, self->flat.data + self->flat.at, sizeof(flat));
	nnb_gb_reader_follow(self);
	if (flat.hdr.type == BINDER_TYPE_BINDER) {
		ret = nnb_gb_read_local(self, &flat, object);
	} else if (gbinder_reader_read_nullable_object(&self->source, &remote) && remote) {
		*object = nnb_proxy_create(self->link, remote, self->user);
		ret = *object ? nnb_arena_own_object(self->arena, *object) : -ENOMEM;
	} else {
		ret = -EINVAL;
	}
	if (ret)
		*object = NULL;
	else
		self->flat.at += NNB_GB_OBJECT + NNB_GB_STABILITY;
	return ret;
}

static struct nnb_object *nnb_gb_hw_read_object(struct nnb_gb_reader *reader,
						const struct flat_binder_object *flat)
{
	GBinderRemoteObject *remote = NULL;
	struct nnb_object *object = NULL;

	/* The driver's list has it, so the driver has made it of our own number. */
	if (flat->hdr.type == BINDER_TYPE_BINDER)
		object = nnb_node_find(reader->link, (const void *)(uintptr_t)flat->binder);
	else if (gbinder_reader_read_nullable_object(&reader->source, &remote) && remote)
		object = nnb_proxy_create(reader->link, remote, reader->user);
	if (object && nnb_arena_own_object(reader->arena, object))
		object = NULL;
	return object;
}

void nnb_gb_object_reader_ops(struct nnb_reader_ops *ops)
{
	nnb_gb_reader_ops(ops);
	ops->read_object = nnb_gb_read_object;
}

/* ------------------------------------------------------------------------------------ proxies */

static void nnb_proxy_release(struct nnb_object *object)
{
	struct nnb_proxy *proxy = (struct nnb_proxy *)object;

	gbinder_remote_object_unref(proxy->remote);
	free(proxy);
}

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
		return -EIO; /* not delivered: too large, or no room at the receiver */
	default:
		return status > 0 ? -EPROTO : status;
	}
}

static int nnb_proxy_reply_status(const struct nnb_proxy *proxy, const GBinderRemoteReply *reply,
				  int status)
{
	/* After a death that libgbinder knows of, it does not even send the request. */
	if (!status && !reply)
		return gbinder_remote_object_is_dead(proxy->remote) ? NNB_DEAD_OBJECT : -EPROTO;
	return nnb_proxy_status(status);
}

/* Sends the request. *@out receives a reference to the reply, if there is one. */
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
	/* libgbinder duplicates descriptors before this function returns. */
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
		ret = nnb_proxy_reply_status(proxy, *out, status);
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

/* Sends a request of HIDL. *@out receives a reference to the reply, if there is one. */
static int nnb_proxy_transact(struct nnb_proxy *proxy, const char *descriptor, uint32_t code,
			      bool oneway, const struct nnb_hw *hw, GBinderRemoteReply **out)
{
	GBinderClient *client = gbinder_client_new(proxy->remote, descriptor);
	GBinderLocalRequest *request = client ? gbinder_client_new_request(client) : NULL;
	GBinderWriter writer;
	int ret = NNB_DEAD_OBJECT, status = 0;

	if (request) {
		gbinder_local_request_init_writer(request, &writer);
		ret = nnb_gb_hw_write(proxy->link, &nnb_gb_hw_ops, hw, &writer, proxy->user, true);
	}
	if (!ret && oneway) {
		ret = nnb_proxy_status(gbinder_client_transact_sync_oneway(client, code, request));
	} else if (!ret) {
		*out = gbinder_client_transact_sync_reply(client, code, request, &status);
		ret = nnb_proxy_reply_status(proxy, *out, status);
	}
	gbinder_local_request_unref(request);
	gbinder_client_unref(client);
	return ret;
}

static int nnb_proxy_send_hidl(struct nnb_object *object, const char *descriptor, uint32_t code,
			       bool oneway, const struct nnb_hw *request, struct nnb_arena *arena,
			       struct nnb_hw *reply)
{
	struct nnb_proxy *proxy = (struct nnb_proxy *)object;
	GBinderRemoteReply *received = NULL;
	GBinderReader source;
	int ret = nnb_proxy_transact(proxy, descriptor, code, oneway, request, &received);

	if (ret || !received) {
		gbinder_remote_reply_unref(received);
		return ret;
	}
	ret = nnb_arena_defer(arena, nnb_proxy_drop_reply, received);
	if (ret)
		return ret;
	gbinder_remote_reply_init_reader(received, &source);
	return nnb_gb_hw_read(proxy->link, &nnb_gb_hw_ops, arena, &source, proxy->user, reply);
}

/* The request is a descriptor and no arguments, without a header. */
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

/* ------------------------------------------------------------------------------------- deaths */

/**
 * struct nnb_proxy_watch - arguments of a function on the main thread, which reports deaths
 * @proxy: the watched object
 * @death: the callback
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
	/* The process may have died before the handler was added. */
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
	.send = nnb_proxy_send_hidl,
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

// SPDX-License-Identifier: MIT
/*
 * Objects that are served here (link.h). A node joins an object and the GBinderLocalObject that
 * stands for it in libgbinder. It is made when the object is written for the first time and holds a
 * reference to the object. libgbinder's object is kept by the parcels that it is written to and by
 * other processes; when the last of them is gone, so is the node, and the object loses the node's
 * reference.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/gbinder/link.h"
#include "libnnaccel/support/message.h"

/**
 * struct nnb_node - an object that other processes may have
 * @task: gives back the reference, which may take long: among the work of the user for whom the
 *	node was made, so that nobody else waits for it, nor it for anybody else
 * @link: the connection
 * @object: a reference
 * @local: not owned; cleared as soon as it cannot be had any more
 */
struct nnb_node {
	struct nnb_task task;
	struct nnb_link *link;
	struct nnb_object *object;
	GWeakRef local;
};

/**
 * struct nnb_incoming - a call of another process
 * @task: answers it
 * @link: the connection
 * @object: which is called, a reference; NULL once it has been answered
 * @local: likewise
 * @request: a reference
 * @code: of the transaction
 * @reply: a reference; NULL for none
 * @status: the transaction's, when there is no reply
 */
struct nnb_incoming {
	struct nnb_task task;
	struct nnb_link *link;
	struct nnb_object *object;
	GBinderLocalObject *local;
	GBinderRemoteRequest *request;
	guint code;
	GBinderLocalReply *reply;
	int status;
};

/* ------------------------------------------------------------------------------------ answering */

/* Android's dumpsys calls this with a descriptor and arguments, which are passed over. */
static int nnb_node_dump(struct nnb_incoming *call)
{
	GBinderReader reader;
	int fd;

	gbinder_remote_request_init_reader(call->request, &reader);
	fd = gbinder_reader_read_fd(&reader);
	if (fd < 0)
		return -EINVAL;
	if (call->object->ops->dump)
		call->object->ops->dump(call->object, fd);
	call->reply = gbinder_local_object_new_reply(call->local);
	return call->reply ? 0 : -ENOMEM;
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

	if (call->code == NNB_DUMP_TRANSACTION)
		return nnb_node_dump(call);
	if (!descriptor || strcmp(descriptor, call->object->ops->descriptor)) {
		nna_message(DRIVER, "binder: uid %u, pid %d calls %s of a %s",
			    (unsigned int)caller.euid, (int)caller.pid,
			    descriptor ? descriptor : "nothing", call->object->ops->descriptor);
		return NNB_BAD_TYPE;
	}
	nnb_flat_init(&reply);
	/* The arena keeps what the reply points to for longer than that. */
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
 * Answers the call and gives back the object. The node, which @local keeps, has another reference,
 * so the last one is given back by a worker: never by the main thread, which frees the call.
 */
static void nnb_incoming_answer(struct nnb_incoming *call)
{
	call->status = nnb_node_answer(call);
	nnb_object_unref(call->object);
	call->object = NULL;
}

static void nnb_incoming_free(struct nnb_incoming *call)
{
	gbinder_local_reply_unref(call->reply);
	gbinder_remote_request_unref(call->request);
	gbinder_local_object_unref(call->local);
	free(call);
}

/* On the main thread. */
static gboolean nnb_incoming_complete(gpointer data)
{
	struct nnb_incoming *call = data;

	gbinder_remote_request_complete(call->request, call->reply, call->status);
	nnb_incoming_free(call);
	return G_SOURCE_REMOVE;
}

static void nnb_incoming_run(struct nnb_task *task)
{
	struct nnb_incoming *call = (struct nnb_incoming *)task;

	nnb_incoming_answer(call);
	nnb_link_post(call->link, nnb_incoming_complete, call);
}

/* A transaction for one of our objects; as a rule on the main thread. */
static GBinderLocalReply *nnb_node_transact(GBinderLocalObject *local,
					    GBinderRemoteRequest *request, guint code,
					    guint flags, int *status, void *data)
{
	struct nnb_node *node = data;
	struct nnb_incoming *call = calloc(1, sizeof(*call));
	GBinderLocalReply *reply;

	if (!call) {
		*status = -ENOMEM;
		return NULL;
	}
	call->link = node->link;
	call->object = nnb_object_ref(node->object);
	call->local = gbinder_local_object_ref(local);
	call->request = gbinder_remote_request_ref(request);
	call->code = code;
	if (pthread_equal(pthread_self(), node->link->thread)) {
		call->task.run = nnb_incoming_run;
		call->task.key = gbinder_remote_request_sender_euid(request);
		gbinder_remote_request_block(request);
		nnb_workers_add(&node->link->workers, &call->task);
		return NULL;
	}
	/* Whom one of our threads is calling calls back, and this thread is all that may answer. */
	nnb_incoming_answer(call);
	*status = call->status;
	reply = gbinder_local_reply_ref(call->reply);
	nnb_incoming_free(call);
	return reply;
}

/* ---------------------------------------------------------------------------------------- nodes */

static void nnb_node_free(struct nnb_task *task)
{
	struct nnb_node *node = (struct nnb_node *)task;

	nnb_object_unref(node->object);
	g_weak_ref_clear(&node->local);
	free(node);
}

/* libgbinder's object is on its way out. */
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

/* With the lock. */
static GBinderLocalObject *nnb_node_create(struct nnb_link *link, struct nnb_object *object,
					   uint64_t user)
{
	struct nnb_node *node = calloc(1, sizeof(*node));
	GBinderLocalObject *local;

	if (!node)
		return NULL;
	local = gbinder_servicemanager_new_local_object(link->manager, object->ops->descriptor,
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

struct nnb_object *nnb_node_find(struct nnb_link *link, const void *local)
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

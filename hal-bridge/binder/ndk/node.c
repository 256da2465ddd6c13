// SPDX-License-Identifier: MIT
/*
 * Objects that are served here (link.h). A node is the user data of the AIBinder that stands for an
 * object in libbinder. It is made when the object is written for the first time and holds a
 * reference to the object; it goes with the AIBinder, which parcels and other processes keep.
 */
#include <stdlib.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/ndk/link.h"
#include "libnnaccel/support/message.h"

/**
 * struct nnb_ndk_node - an object that other processes may have
 * @link: a reference
 * @object: a reference
 * @weak: the AIBinder; NULL until there is one
 */
struct nnb_ndk_node {
	struct nnb_ndk *link;
	struct nnb_object *object;
	AIBinder_Weak *weak;
};

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

	if (node->object->ops->dump)
		node->object->ops->dump(node->object, fd);
	return STATUS_OK;
}

AIBinder_Class *nnb_ndk_class_define(const char *descriptor)
{
	AIBinder_Class *class = AIBinder_Class_define(descriptor, nnb_ndk_on_create,
						      nnb_ndk_on_destroy, nnb_ndk_on_transact);

	if (class)
		AIBinder_Class_setOnDump(class, nnb_ndk_on_dump);
	return class;
}

/* With the lock. */
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
	/* The AIBinder may be on its way out; then there is a new one. */
	if (node)
		binder = AIBinder_Weak_promote(node->weak);
	if (!binder)
		binder = nnb_ndk_node_create(link, object);
	pthread_mutex_unlock(&link->lock);
	return binder;
}

struct nnb_object *nnb_ndk_node_object(AIBinder *binder)
{
	const struct nnb_ndk_node *node = AIBinder_getUserData(binder);

	return nnb_object_ref(node->object);
}

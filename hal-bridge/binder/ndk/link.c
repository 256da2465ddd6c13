// SPDX-License-Identifier: MIT
/* The connection by libbinder_ndk (link.h). */
#include "hal-bridge/binder/ndk/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <android/binder_process.h>

#define NNB_NDK_DEVICE "/dev/binder"
#define NNB_NDK_THREADS 256
#define NNB_NDK_PER_USER 32

#define to_link(pointer) ((struct nnb_ndk *)(pointer))

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

const AIBinder_Class *nnb_ndk_class(struct nnb_ndk *link, const char *descriptor)
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

bool nnb_ndk_enter(struct nnb_ndk *link, uid_t user)
{
	uint32_t calls = 0;
	bool ok;

	pthread_mutex_lock(&link->lock);
	for (uint32_t i = 0; i < link->calls; i++)
		calls += link->users[i] == user;
	ok = calls < link->per_user && link->calls < link->threads;
	if (ok)
		link->users[link->calls++] = user;
	pthread_mutex_unlock(&link->lock);
	return ok;
}

void nnb_ndk_leave(struct nnb_ndk *link, uid_t user)
{
	uint32_t i = 0;

	pthread_mutex_lock(&link->lock);
	while (link->users[i] != user)
		i++;
	link->users[i] = link->users[--link->calls];
	pthread_mutex_unlock(&link->lock);
}

/* ---------------------------------------------------------------------------------------- names */

static int nnb_ndk_add(struct nnb_binder *binder, const char *name, struct nnb_object *object)
{
	AIBinder *node = nnb_ndk_node_get(to_link(binder), object);
	binder_exception_t exception;

	if (!node)
		return -ENOMEM;
	exception = AServiceManager_addService(node, name);
	AIBinder_decStrong(node);
	return exception == EX_NONE ? 0 : exception == EX_SECURITY ? -EPERM : -EIO;
}

static int nnb_ndk_get(struct nnb_binder *binder, const char *name, struct nnb_object **out)
{
	AIBinder *found = AServiceManager_checkService(name);

	*out = NULL;
	if (!found)
		return -ENOENT;
	*out = nnb_ndk_proxy_create(to_link(binder), found);
	return *out ? 0 : -ENOMEM;
}

/* ----------------------------------------------------------------------------------------- open */

static const struct nnb_binder_ops nnb_ndk_ops = {
	.add = nnb_ndk_add,
	.get = nnb_ndk_get,
	.dump = nnb_ndk_proxy_dump,
};

int nnb_binder_open(const struct nnb_binder_options *options, struct nnb_binder **out)
{
	struct nnb_ndk *link;

	*out = NULL;
	/* The library is the platform's: it knows the level, and which node is whose. */
	if (options->api_level || (options->device && strcmp(options->device, NNB_NDK_DEVICE)))
		return -EINVAL;
	/* Without it libbinder would end the process. */
	if (access(NNB_NDK_DEVICE, R_OK | W_OK))
		return -ENODEV;
	link = calloc(1, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->binder.ops = &nnb_ndk_ops;
	link->threads = options->threads ? options->threads : NNB_NDK_THREADS;
	link->per_user = options->threads_per_user ? options->threads_per_user : NNB_NDK_PER_USER;
	pthread_mutex_init(&link->lock, NULL);
	link->users = calloc(link->threads, sizeof(*link->users));
	link->recipient = AIBinder_DeathRecipient_new(nnb_ndk_watch_died);
	if (!link->users || !link->recipient) {
		if (link->recipient)
			AIBinder_DeathRecipient_delete(link->recipient);
		pthread_mutex_destroy(&link->lock);
		free(link->users);
		free(link);
		return -ENOMEM;
	}
	AIBinder_DeathRecipient_setOnUnlinked(link->recipient, nnb_ndk_watch_unlinked);
	ABinderProcess_setThreadPoolMaxThreadCount(link->threads);
	ABinderProcess_startThreadPool();
	*out = &link->binder;
	return 0;
}

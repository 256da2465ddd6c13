// SPDX-License-Identifier: MIT
/* The connection by libbinder_ndk: opening it, and the names of the service manager (binder.h). */
#include "hal-bridge/binder/binder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <android/binder_process.h>

#include "hal-bridge/binder/ndk/link.h"
#include "hal-bridge/binder/ndk/object.h"
#include "libnnaccel/support/thread.h"

/* These functions have C linkage, but binder_manager.h, which declares them, is C++. */
binder_exception_t AServiceManager_addService(AIBinder *binder, const char *instance);
AIBinder *AServiceManager_checkService(const char *instance);

#define NNB_NDK_DEVICE "/dev/binder"
#define NNB_NDK_THREADS 256
#define NNB_NDK_PER_USER 32

#define to_link(pointer) ((struct nnb_ndk *)(pointer))

/* ---------------------------------------------------------------------------------------- names */

/* libbinder waits for the service manager when the process first needs it. */
static bool nnb_ndk_present(struct nnb_binder *binder)
{
	return true;
}

/**
 * struct nnb_ndk_name - a registered object
 * @link: the connection
 * @object: a reference
 * @name: owned
 */
struct nnb_ndk_name {
	struct nnb_ndk *link;
	struct nnb_object *object;
	char *name;
};

static int nnb_ndk_register(struct nnb_binder *binder, const char *name, struct nnb_object *object)
{
	AIBinder *node = nnb_ndk_node_get(to_link(binder), object);
	binder_exception_t exception;

	if (!node)
		return -ENOMEM;
	exception = AServiceManager_addService(node, name);
	AIBinder_decStrong(node);
	return exception == EX_NONE ? 0 : exception == EX_SECURITY ? -EPERM : -EIO;
}

/*
 * Looks from time to time whether the service manager still knows the name: libbinder_ndk tells
 * nobody when it dies. libbinder may keep its dead one for good; then registering fails, and what
 * starts the service has to start it again.
 */
static void *nnb_ndk_look_after(void *data)
{
	static const struct timespec pause = {.tv_sec = 2};
	struct nnb_ndk_name *entry = data;
	AIBinder *found;
	int ret = 0;

	while (!ret) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		found = AServiceManager_checkService(entry->name);
		if (found)
			AIBinder_decStrong(found);
		else
			ret = nnb_ndk_register(&entry->link->binder, entry->name, entry->object);
	}
	entry->link->lost(entry->name, ret);
	return NULL;
}

static int nnb_ndk_add(struct nnb_binder *binder, const char *name, struct nnb_object *object)
{
	struct nnb_ndk_name *entry;
	pthread_t thread;
	int ret = nnb_ndk_register(binder, name, object);

	if (ret || !to_link(binder)->lost)
		return ret;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->link = to_link(binder);
	entry->object = nnb_object_ref(object);
	entry->name = strdup(name);
	ret = entry->name ? nna_thread_start(&thread, NULL, nnb_ndk_look_after, entry) : -ENOMEM;
	if (ret) {
		nnb_object_unref(object);
		free(entry->name);
		free(entry);
		return ret;
	}
	pthread_detach(thread);
	return 0;
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
	.present = nnb_ndk_present,
	.add = nnb_ndk_add,
	.get = nnb_ndk_get,
	.dump = nnb_ndk_proxy_dump,
};

int nnb_binder_open(const struct nnb_binder_options *options, struct nnb_binder **out)
{
	struct nnb_ndk *link;

	*out = NULL;
	/* libbinder_ndk belongs to the platform, which fixes the API level and the node. */
	if (options->hidl || options->api_level ||
	    (options->device && strcmp(options->device, NNB_NDK_DEVICE)))
		return -EINVAL;
	/* libbinder aborts the process if it cannot open the node. */
	if (access(NNB_NDK_DEVICE, R_OK | W_OK))
		return -ENODEV;
	link = calloc(1, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->binder.ops = &nnb_ndk_ops;
	link->lost = options->lost;
	link->threads = options->threads ? options->threads : NNB_NDK_THREADS;
	link->per_user = options->threads_per_user ? options->threads_per_user : NNB_NDK_PER_USER;
	nnb_ndk_object_ops(&link->reader_ops, &link->writer_ops);
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

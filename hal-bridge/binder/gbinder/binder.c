// SPDX-License-Identifier: MIT
/* The connection by libgbinder: opening it, and the names of the service manager (binder.h). */
#include "hal-bridge/binder/binder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <gutil_log.h>

#include "hal-bridge/binder/gbinder/link.h"
#include "hal-bridge/binder/gbinder/object.h"
#include "libnnaccel/support/message.h"
#include "libnnaccel/support/thread.h"

#define NNB_GB_CONFIG "/etc/gbinder.conf"
#define NNB_GB_API_LEVEL 34

/* The protocols of the service manager and of parcels, by the first API level that has them. */
static const struct nnb_gb_protocol {
	int api_level;
	const char *manager, *parcel;
} nnb_gb_protocols[] = {
	{ 36, "aidl6", "aidl3" },
	{ 35, "aidl5", "aidl3" },
	{ 34, "aidl4", "aidl3" },
	{ 31, "aidl4", "aidl4" },
	{ 30, "aidl3", "aidl3" },
};

#define to_link(pointer) ((struct nnb_link *)(pointer))

/* ---------------------------------------------------------------------------------------- names */

/**
 * struct nnb_link_request - a request to the service manager
 * @link: the connection
 * @name: of a service
 * @object: to be registered; or the result of a query, a reference or NULL
 * @status: the service manager's answer
 */
struct nnb_link_request {
	struct nnb_link *link;
	const char *name;
	struct nnb_object *object;
	int status;
};

/* Checks a registration, because libgbinder does not report a refusal. Return: 0 or -EPERM. */
static int nnb_link_check(struct nnb_link *link, const char *name)
{
	char **names = gbinder_servicemanager_list_sync(link->manager);
	/* Without the right to list services the check is not possible. */
	int ret = names ? -EPERM : 0;

	for (char **at = names; at && *at && ret; at++)
		ret = strcmp(*at, name) ? ret : 0;
	g_strfreev(names);
	return ret;
}

/**
 * struct nnb_link_name - a registered object
 * @next: of the connection's list
 * @object: a reference
 * @name: owned
 */
struct nnb_link_name {
	struct nnb_link_name *next;
	struct nnb_object *object;
	char *name;
};

/*
 * Registers an object once. HIDL's service manager takes the instance alone. Return: 0 or a
 * negative errno.
 */
static int nnb_link_register(struct nnb_link *link, const char *name, struct nnb_object *object)
{
	GBinderLocalObject *local = nnb_node_get(link, object, NNB_GB_NOBODY);
	const char *instance = link->hidl ? strchr(name, '/') : NULL;
	int status;

	if (!local)
		return -ENOMEM;
	status = gbinder_servicemanager_add_service_sync(link->manager,
							 instance ? instance + 1 : name, local);
	gbinder_local_object_unref(local);
	if (status)
		return status > 0 ? -EIO : status;
	return nnb_link_check(link, name);
}

static void nnb_link_add_here(void *data)
{
	struct nnb_link_request *request = data;
	struct nnb_link *link = request->link;
	struct nnb_link_name *entry = calloc(1, sizeof(*entry));

	request->status = -ENOMEM;
	if (!entry)
		return;
	entry->name = strdup(request->name);
	if (entry->name)
		request->status = nnb_link_register(link, request->name, request->object);
	if (request->status) {
		free(entry->name);
		free(entry);
		return;
	}
	entry->object = nnb_object_ref(request->object);
	entry->next = link->names;
	link->names = entry;
}

static int nnb_link_add(struct nnb_binder *binder, const char *name, struct nnb_object *object)
{
	struct nnb_link_request request = { to_link(binder), name, object, 0 };

	nnb_link_invoke(request.link, nnb_link_add_here, &request);
	return request.status;
}

static bool nnb_link_present(struct nnb_binder *binder)
{
	return gbinder_servicemanager_is_present(to_link(binder)->manager);
}

/*
 * The service manager has died or returned. A new one knows none of our names. It may also refuse
 * what the last one has accepted, because the process has another user by now.
 */
static void nnb_link_presence(GBinderServiceManager *manager, void *data)
{
	struct nnb_link *link = data;
	int ret;

	if (!link->names)
		return;
	if (!gbinder_servicemanager_is_present(manager)) {
		nna_message(DRIVER, "binder: the service manager has ended: waiting for another");
		return;
	}
	for (struct nnb_link_name *entry = link->names; entry; entry = entry->next) {
		ret = nnb_link_register(link, entry->name, entry->object);
		/* One that has died meanwhile is reported again. */
		if (ret && !gbinder_servicemanager_is_present(manager))
			return;
		if (ret && link->lost)
			link->lost(entry->name, ret);
		nna_message(DRIVER, "binder: %s is registered again: %s", entry->name,
			    ret ? strerror(-ret) : "done");
	}
}

static void nnb_link_get_here(void *data)
{
	struct nnb_link_request *request = data;
	GBinderRemoteObject *remote;

	/* libgbinder drops its own reference later. */
	remote = gbinder_servicemanager_get_service_sync(request->link->manager, request->name,
							 &request->status);
	if (remote)
		request->object = nnb_proxy_create(request->link,
						   gbinder_remote_object_ref(remote),
						   NNB_GB_NOBODY);
}

static int nnb_link_get(struct nnb_binder *binder, const char *name, struct nnb_object **out)
{
	struct nnb_link_request request = { to_link(binder), name, NULL, 0 };

	nnb_link_invoke(request.link, nnb_link_get_here, &request);
	*out = request.object;
	if (*out)
		return 0;
	return request.status > 0 ? -EIO : request.status < 0 ? request.status : -ENOENT;
}

/* ----------------------------------------------------------------------------------------- open */

/*
 * libgbinder looks up a local object for each command of the driver. The driver sends BR_RELEASE
 * and then BR_DECREFS when the last holder of an object is gone. libgbinder frees the object for
 * the first one, on its main thread, so that the second one may find it or not. It has nothing to
 * do then, but warns. With a busy client that is a line for each object, so this one warning is
 * left out. No other command can name an object that is not there: the driver sends those only
 * while it holds a reference that BR_RELEASE has not given back.
 */
static void nnb_link_log(const char *name, int level, const char *format, va_list arguments)
{
	static const char harmless[] = "Unknown local object";
	char text[256];

	vsnprintf(text, sizeof(text), format, arguments);
	if (level == GLOG_LEVEL_WARN && !strncmp(text, harmless, strlen(harmless)))
		return;
	nna_message(DRIVER, "%s: %s", name ? name : "libgbinder", text);
}

/* The library's log is one of the process. */
static void nnb_link_filter_log(void)
{
	gutil_log_func = nnb_link_log;
}

static void *nnb_link_run(void *data)
{
	g_main_loop_run(to_link(data)->loop);
	return NULL;
}

static void nnb_link_free(struct nnb_link *link)
{
	if (link->manager)
		gbinder_servicemanager_unref(link->manager);
	if (link->nodes)
		g_hash_table_unref(link->nodes);
	if (link->loop)
		g_main_loop_unref(link->loop);
	if (link->stand_in >= 0)
		close(link->stand_in);
	pthread_mutex_destroy(&link->lock);
	free(link);
}

static const struct nnb_binder_ops nnb_link_ops = {
	.present = nnb_link_present,
	.add = nnb_link_add,
	.get = nnb_link_get,
	.dump = nnb_proxy_dump,
};

static int nnb_link_connect(struct nnb_link *link, const struct nnb_binder_options *options)
{
	static const struct nnb_gb_protocol hidl = { 0, "hidl", "hidl" };
	const struct nnb_gb_protocol *protocol = options->hidl ? &hidl : NULL;
	const char *device = options->hidl ? GBINDER_DEFAULT_HWBINDER : GBINDER_DEFAULT_BINDER;
	int level = options->hidl ? 0 : options->api_level;

	device = options->device ? options->device : device;

	if (access(device, R_OK | W_OK))
		return -ENODEV;
	if (!protocol && !level && access(NNB_GB_CONFIG, R_OK))
		level = NNB_GB_API_LEVEL;
	for (size_t i = 0; level && i < G_N_ELEMENTS(nnb_gb_protocols) && !protocol; i++) {
		if (level >= nnb_gb_protocols[i].api_level)
			protocol = &nnb_gb_protocols[i];
	}
	if (level && !protocol)
		return -EINVAL;
	link->manager = protocol ? gbinder_servicemanager_new2(device, protocol->manager,
							       protocol->parcel)
				 : gbinder_servicemanager_new(device);
	if (!link->manager)
		return -ENODEV;
	gbinder_servicemanager_add_presence_handler(link->manager, nnb_link_presence, link);
	return 0;
}

int nnb_binder_open(const struct nnb_binder_options *options, struct nnb_binder **out)
{
	const struct nnb_worker_limits limits = {
		.threads = options->threads ? options->threads : 256,
		.per_key = options->threads_per_user ? options->threads_per_user : 32,
	};
	static const struct nnb_worker_limits closers = { .threads = 64, .per_key = 4 };
	struct nnb_link *link = calloc(1, sizeof(*link));
	int ret;

	*out = NULL;
	if (!link)
		return -ENOMEM;
	link->binder.ops = &nnb_link_ops;
	pthread_mutex_init(&link->lock, NULL);
	nnb_gb_object_reader_ops(&link->reader_ops);
	link->nodes = g_hash_table_new(g_direct_hash, g_direct_equal);
	link->loop = g_main_loop_new(NULL, FALSE);
	link->hidl = options->hidl;
	link->dmabufs = options->dmabufs;
	link->lost = options->lost;
	nnb_link_filter_log();
	link->stand_in = eventfd(0, EFD_CLOEXEC);
	ret = link->stand_in < 0 ? -errno : nnb_link_connect(link, options);
	if (!ret)
		ret = nnb_workers_init(&link->workers, &limits);
	if (!ret) {
		ret = nnb_workers_init(&link->closers, &closers);
		if (!ret) {
			ret = nna_thread_start(&link->thread, NULL, nnb_link_run, link);
			if (ret)
				nnb_workers_fini(&link->closers);
		}
		if (ret)
			nnb_workers_fini(&link->workers);
	}
	if (ret)
		nnb_link_free(link);
	else
		*out = &link->binder;
	return ret;
}

// SPDX-License-Identifier: MIT
/* The connection by libgbinder: opening it, and the names of the service manager (binder.h). */
#include "hal-bridge/binder/binder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hal-bridge/binder/gbinder/link.h"
#include "hal-bridge/binder/gbinder/object.h"
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

static void nnb_link_add_here(void *data)
{
	struct nnb_link_request *request = data;
	GBinderLocalObject *local = nnb_node_get(request->link, request->object,
						 NNB_GB_NOBODY);

	request->status = -ENOMEM;
	if (!local)
		return;
	request->status = gbinder_servicemanager_add_service_sync(request->link->manager,
								  request->name, local);
	gbinder_local_object_unref(local);
	if (!request->status)
		request->status = nnb_link_check(request->link, request->name);
}

static int nnb_link_add(struct nnb_binder *binder, const char *name, struct nnb_object *object)
{
	struct nnb_link_request request = { to_link(binder), name, object, 0 };

	nnb_link_invoke(request.link, nnb_link_add_here, &request);
	return request.status > 0 ? -EIO : request.status;
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
	.add = nnb_link_add,
	.get = nnb_link_get,
	.dump = nnb_proxy_dump,
};

static int nnb_link_connect(struct nnb_link *link, const struct nnb_binder_options *options)
{
	const char *device = options->device ? options->device : GBINDER_DEFAULT_BINDER;
	const struct nnb_gb_protocol *protocol = NULL;
	int level = options->api_level;

	if (access(device, R_OK | W_OK))
		return -ENODEV;
	if (!level && access(NNB_GB_CONFIG, R_OK))
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
	return link->manager ? 0 : -ENODEV;
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
	link->dmabufs = options->dmabufs;
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

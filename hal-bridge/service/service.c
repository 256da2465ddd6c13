// SPDX-License-Identifier: MIT
/* The service, and its clients (service.h). */
#include "hal-bridge/service/service.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/service/device.h"
#include "hal-bridge/service/namer.h"
#include "libnnaccel/support/message.h"

static const struct nnb_quota nnb_default_quota = {
	.models = 256,
	.bytes = UINT64_C(1) << 30,
	.objects = NNB_QUOTA_OBJECTS,
	.jobs = 256,
	.kept = 128,
};

/* -------------------------------------------------------------------------------------- service */

/* Why the driver was not told for whom a file is. */
static const char *nnb_namer_error(int error)
{
	switch (-error) {
	case EACCES:
		return "the service was started without CAP_SYS_NICE";
	case EINVAL:
	case ENOTTY:
		return "the driver is older than version 1.3, which has FILE_SET_USER";
	case EPIPE:
	case ECONNRESET:
		return "the process that tells the driver has ended: restart the service";
	default:
		return strerror(-error);
	}
}

/*
 * Tells the driver that a fresh file is for the client's user. Otherwise the file is the service's
 * user's, and all clients together have the share of one user.
 */
static int nnb_client_name_file(void *arg, int fd)
{
	const struct nnb_client *client = arg;
	struct nnb_service *service = client->service;
	bool first;
	int ret;

	pthread_mutex_lock(&service->namer_lock);
	ret = nnb_namer_tell(service->options.namer, fd, client->caller.euid);
	first = ret && !service->unnamed;
	service->unnamed |= first;
	pthread_mutex_unlock(&service->namer_lock);
	if (first)
		nna_message(DRIVER, "hal: the device takes all clients for one user, and shares its "
			    "time among processes instead of uids: %s", nnb_namer_error(ret));
	return 0;
}

/* Return: true if @name is the node of another device. Called with the service's lock. */
static bool nnb_device_is_others(const struct nnb_device *device, const char *name)
{
	const struct nnb_service *service = device->service;

	for (uint32_t i = 0; i < service->device_count; i++) {
		if (&service->devices[i] != device && !strcmp(service->devices[i].info.name, name))
			return true;
	}
	return false;
}

/*
 * Opens an accelerator by the node that it had. If that is gone, and the service may choose, opens
 * a node that no other device has: an unplugged accelerator comes back under any free number.
 */
static int nnb_device_open_node(struct nnb_device *device, const struct nna_device_options *options,
				struct nna_device **out)
{
	struct nnb_service *service = device->service;
	char name[sizeof(device->info.name)];
	bool others;
	int ret;

	pthread_mutex_lock(&service->lock);
	snprintf(name, sizeof(name), "%s", device->info.name);
	pthread_mutex_unlock(&service->lock);
	ret = nna_device_open(service->any && *name ? name : device->name, options, out);
	for (uint32_t i = 0; ret && service->any && !nna_device_find(i, name, sizeof(name)); i++) {
		pthread_mutex_lock(&service->lock);
		others = nnb_device_is_others(device, name);
		pthread_mutex_unlock(&service->lock);
		if (!others)
			ret = nna_device_open(name, options, out);
	}
	return ret;
}

/* Opens @device for @client, which is charged with its memory; NULL opens it for nobody. */
static int nnb_device_open(struct nnb_device *device, struct nnb_client *client,
			   struct nna_device **out)
{
	struct nnb_service *service = device->service;
	const struct nna_device_options options = {
		.log = nna_message_log,
		.charge = client ? nnb_client_charge : NULL,
		.discharge = client ? nnb_client_discharge : NULL,
		.account = client,
		.opened = client && service->options.namer ? nnb_client_name_file : NULL,
	};
	struct nna_device_info info;
	int ret = nnb_device_open_node(device, &options, out);

	if (ret)
		return ret;
	nna_device_get_info(*out, &info);
	pthread_mutex_lock(&service->lock);
	/*
	 * Never replace an accelerator by the loopback, which computes on the CPU, or the other way
	 * round.
	 */
	if (device->info.name[0] && device->info.loopback != info.loopback)
		ret = -ENODEV;
	else
		device->info = info;
	pthread_mutex_unlock(&service->lock);
	if (ret)
		nna_device_close(*out);
	return ret;
}

/* Finds which file system dma-bufs are of, by one of the device's own. */
static dev_t nnb_service_find_dmabufs(struct nna_device *device)
{
	struct nna_buffer *buffer;
	struct stat st = {0};
	int fd;

	if (nna_buffer_create(device, 1, &buffer))
		return 0;
	fd = nna_buffer_export(buffer);
	if (fd >= 0) {
		if (nnb_file_stat(fd, &st))
			st.st_dev = 0;
		close(fd);
	}
	nna_buffer_destroy(buffer);
	return st.st_dev;
}

void nnb_device_get_info(struct nnb_device *device, struct nna_device_info *info)
{
	pthread_mutex_lock(&device->service->lock);
	*info = device->info;
	pthread_mutex_unlock(&device->service->lock);
}

/* Adds a device, and tests whether it can be opened: each client opens a file of its own. */
static int nnb_service_add_device(struct nnb_service *service, const char *name)
{
	struct nnb_device *device = &service->devices[service->device_count];
	struct nna_device *opened;
	int ret;

	if (service->device_count == NNB_DEVICES)
		return -E2BIG;
	nnb_object_init(&device->object, &nnb_device_ops);
	device->service = service;
	device->name = strdup(name);
	if (!device->name)
		return -ENOMEM;
	ret = nnb_device_open(device, NULL, &opened);
	if (ret) {
		free(device->name);
		return ret;
	}
	if (!service->device_count)
		service->dmabufs = nnb_service_find_dmabufs(opened);
	nna_device_close(opened);
	service->device_count++;
	return 0;
}

/* Adds all accelerators of the machine, or else what "auto" stands for. */
static int nnb_service_find_devices(struct nnb_service *service)
{
	char name[64];
	int ret;

	for (uint32_t i = 0; !nna_device_find(i, name, sizeof(name)); i++) {
		ret = nnb_service_add_device(service, name);
		if (ret)
			nna_message(DRIVER, "hal: %s is not offered: %s", name, strerror(-ret));
	}
	ret = service->device_count ? 0 : nnb_service_add_device(service, "auto");
	service->any = true;
	return ret;
}

/* Adds the devices that are listed in @names; NULL or "auto" for those of the machine. */
static int nnb_service_add_devices(struct nnb_service *service, const char *names)
{
	char *copy, *name, *rest;
	int ret = -ENODEV;

	if (!names || !strcmp(names, "auto"))
		return nnb_service_find_devices(service);
	copy = strdup(names);
	if (!copy)
		return -ENOMEM;
	name = strtok_r(copy, ",", &rest);
	for (; name; name = strtok_r(NULL, ",", &rest)) {
		ret = nnb_service_add_device(service, name);
		if (ret)
			break;
	}
	free(copy);
	return ret;
}

static void nnb_service_free(struct nnb_service *service)
{
	for (uint32_t i = 0; i < service->device_count; i++)
		free(service->devices[i].name);
	pthread_cond_destroy(&service->changed);
	pthread_mutex_destroy(&service->quota_lock);
	pthread_mutex_destroy(&service->namer_lock);
	pthread_mutex_destroy(&service->lock);
	free(service);
}

int nnb_service_create(const struct nnb_service_options *options, struct nnb_service **out)
{
	struct nnb_worker_limits limits = {0};
	struct nnb_service *service;
	struct nnb_quota *quota;
	int ret;

	*out = NULL;
	if (options->version < 1 || options->version > NNB_AIDL_VERSION)
		return -EINVAL;
	service = calloc(1, sizeof(*service));
	if (!service)
		return -ENOMEM;
	service->options = *options;
	service->options.device = NULL;
	quota = &service->options.quota;
	quota->models = quota->models ? quota->models : nnb_default_quota.models;
	quota->bytes = quota->bytes ? quota->bytes : nnb_default_quota.bytes;
	quota->objects = quota->objects ? quota->objects : nnb_default_quota.objects;
	quota->jobs = quota->jobs ? quota->jobs : nnb_default_quota.jobs;
	quota->kept = quota->kept ? quota->kept : nnb_default_quota.kept;
	pthread_mutex_init(&service->lock, NULL);
	pthread_mutex_init(&service->namer_lock, NULL);
	pthread_mutex_init(&service->quota_lock, NULL);
	pthread_cond_init(&service->changed, NULL);
	service->started = !options->held;
	ret = nnb_service_add_devices(service, options->device);
	if (!ret) {
		limits.threads = options->workers ? options->workers : 32;
		limits.per_key = (limits.threads + 3) / 4;
		ret = nnb_workers_init(&service->workers, &limits);
	}
	if (!ret) {
		limits.threads = 64;
		limits.per_key = 4;
		ret = nnb_workers_init(&service->closers, &limits);
		if (ret)
			nnb_workers_fini(&service->workers);
	}
	if (ret) {
		nnb_service_free(service);
		return ret;
	}
	nnb_idle_init(&service->idle);
	*out = service;
	return 0;
}

void nnb_service_start(struct nnb_service *service)
{
	pthread_mutex_lock(&service->lock);
	atomic_store(&service->started, true);
	pthread_cond_broadcast(&service->changed);
	pthread_mutex_unlock(&service->lock);
}

void nnb_service_wait(struct nnb_service *service)
{
	if (atomic_load(&service->started))
		return;
	pthread_mutex_lock(&service->lock);
	while (!atomic_load(&service->started))
		pthread_cond_wait(&service->changed, &service->lock);
	pthread_mutex_unlock(&service->lock);
}

/* Frees a user without clients, and closes the pipes of its helpers. Called with the lock. */
static void nnb_user_forget(struct nnb_service *service, struct nnb_user *user)
{
	struct nnb_user **at = &service->users;

	for (uint32_t i = 0; i < user->helper_count; i++)
		close(user->helpers[i].alive);
	service->helper_count -= user->helper_count;
	while (*at != user)
		at = &(*at)->next;
	*at = user->next;
	free(user);
}

/* Cancels the client's runs, and keeps new ones from beginning. */
static void nnb_client_give_up(struct nnb_client *client)
{
	pthread_mutex_lock(&client->runs_lock);
	atomic_store(&client->dead, true);
	for (struct nnb_client_run *run = client->runs; run; run = run->next)
		nna_execution_cancel(run->execution);
	pthread_mutex_unlock(&client->runs_lock);
}

void nnb_service_destroy(struct nnb_service *service)
{
	if (!service)
		return;
	nnb_workers_fini(&service->workers);
	/* A cancelled run keeps its client until it has ended. */
	pthread_mutex_lock(&service->lock);
	for (struct nnb_client *client = service->clients; client; client = client->next)
		nnb_client_give_up(client);
	while (service->clients || service->closing)
		pthread_cond_wait(&service->changed, &service->lock);
	pthread_mutex_unlock(&service->lock);
	nnb_idle_fini(&service->idle);
	nnb_workers_fini(&service->closers);
	while (service->users)
		nnb_user_forget(service, service->users);
	nnb_service_free(service);
}

uint32_t nnb_service_count_clients(struct nnb_service *service)
{
	uint32_t count = 0;

	pthread_mutex_lock(&service->lock);
	for (struct nnb_client *client = service->clients; client; client = client->next)
		count++;
	pthread_mutex_unlock(&service->lock);
	return count;
}

bool nnb_service_sweep(struct nnb_service *service)
{
	struct nnb_memory_entry unused[NNB_MEMORY_CACHE_ENTRIES];
	struct nnb_quota unkept = {0};
	struct nnb_client *client;
	bool left = false;
	uint32_t count;

	pthread_mutex_lock(&service->lock);
	service->sweeps++;
	client = service->clients;
	while (client) {
		if (client->swept == service->sweeps) {
			client = client->next;
			continue;
		}
		client->swept = service->sweeps;
		count = nnb_memory_cache_begin_sweep(&client->memories, unused);
		left |= client->memories.count;
		unkept.kept = count;
		nnb_quota_discharge(client, &unkept);
		pthread_mutex_unlock(&service->lock);
		nnb_memory_cache_end_sweep(&client->memories, unused, count);
		pthread_mutex_lock(&service->lock);
		client = service->clients;
	}
	pthread_mutex_unlock(&service->lock);
	return left;
}

/* The watchdog's thread. */
static void *nnb_service_look_after(void *arg)
{
	struct nnb_service *service = arg;

	while (nnb_idle_wait(&service->idle))
		nnb_idle_tell(&service->idle, nnb_service_sweep(service));
	return NULL;
}

/* Writes what a user holds, and its limits. Called with the service's lock. */
static void nnb_user_dump(struct nnb_service *service, const struct nnb_user *user, FILE *out)
{
	const struct nnb_quota *limit = &service->options.quota;
	struct nnb_quota used;

	pthread_mutex_lock(&service->quota_lock);
	used = user->used;
	pthread_mutex_unlock(&service->quota_lock);
	fprintf(out,
		"user %u: %u clients, %llu of %llu models, %llu of %llu bytes, "
		"%llu of %llu objects, %llu of %llu executions, %llu of %llu kept\n",
		(unsigned int)user->uid, user->clients, (unsigned long long)used.models,
		(unsigned long long)limit->models, (unsigned long long)used.bytes,
		(unsigned long long)limit->bytes, (unsigned long long)used.objects,
		(unsigned long long)limit->objects, (unsigned long long)used.jobs,
		(unsigned long long)limit->jobs, (unsigned long long)used.kept,
		(unsigned long long)limit->kept);
}

static struct nnb_user *nnb_user_get(struct nnb_service *service, uid_t uid);
static void nnb_user_put(struct nnb_service *service, struct nnb_user *user);

/*
 * Writes a text to a descriptor of the caller's. The reader of a pipe, and a file system, may let a
 * write wait for ever, so a helper does it.
 */
static void nnb_service_write(struct nnb_service *service, const struct nnb_caller *caller, int fd,
			      char *text, size_t size)
{
	const struct nnb_transfer transfer = {
		.op = NNB_HELPER_APPEND,
		.fd = fd,
		.size = size,
		.data = text,
	};
	struct nnb_user *user;

	if (!service->options.helpers || nnb_file_is_memory(fd)) {
		dprintf(fd, "%s", text);
		return;
	}
	pthread_mutex_lock(&service->lock);
	user = nnb_user_get(service, caller->euid);
	pthread_mutex_unlock(&service->lock);
	if (!user)
		return;
	nnb_helper_transfer(service, user, &transfer);
	pthread_mutex_lock(&service->lock);
	nnb_user_put(service, user);
	pthread_mutex_unlock(&service->lock);
}

void nnb_service_versions(const struct nnb_service_options *options, char *text, size_t size)
{
	if (options->hidl)
		snprintf(text, size, "HIDL 1.0 to 1.3");
	else
		snprintf(text, size, "AIDL version %d", options->version);
}

void nnb_service_dump(struct nnb_service *service, const struct nnb_caller *caller, int fd)
{
	const bool all = !caller->euid || caller->euid == geteuid();
	char versions[32], *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	nnb_service_versions(&service->options, versions, sizeof(versions));
	pthread_mutex_lock(&service->lock);
	for (uint32_t i = 0; i < service->device_count; i++)
		fprintf(out, "%s, driver %s, %s\n", service->devices[i].info.name,
			service->devices[i].info.driver, versions);
	for (const struct nnb_user *user = service->users; user; user = user->next) {
		if (all || user->uid == caller->euid)
			nnb_user_dump(service, user, out);
	}
	for (const struct nnb_client *client = service->clients; client; client = client->next) {
		if (all || client->caller.euid == caller->euid)
			fprintf(out, "client uid %u, pid %d: %u references on %s%s\n",
				(unsigned int)client->caller.euid, (int)client->caller.pid,
				client->refs, client->accelerator->info.name,
				atomic_load(&client->dead) ? ", dead" : "");
	}
	pthread_mutex_unlock(&service->lock);
	if (all) {
		fputs("last messages:\n", out);
		nna_message_print_recent(out);
	}
	/* Without the lock: the descriptor is another process's, and a write may block. */
	if (!fclose(out))
		nnb_service_write(service, caller, fd, text, size);
	free(text);
}

/* -------------------------------------------------------------------------------------- clients */

/* Called with the service's lock. */
static struct nnb_user *nnb_user_get(struct nnb_service *service, uid_t uid)
{
	struct nnb_user *user, *next;

	/* Users whose last helpers have ended since their clients did. */
	for (user = service->users; user; user = next) {
		next = user->next;
		nnb_helpers_reap(service, user);
		if (!user->clients && !user->helper_count && user->uid != uid)
			nnb_user_forget(service, user);
	}
	user = service->users;
	while (user && user->uid != uid)
		user = user->next;
	if (!user) {
		user = calloc(1, sizeof(*user));
		if (!user)
			return NULL;
		user->uid = uid;
		user->next = service->users;
		service->users = user;
	}
	user->clients++;
	return user;
}

/* Helpers stay counted until they are gone. Called with the service's lock. */
static void nnb_user_put(struct nnb_service *service, struct nnb_user *user)
{
	if (--user->clients)
		return;
	nnb_helpers_reap(service, user);
	if (!user->helper_count)
		nnb_user_forget(service, user);
}

/* Creates a client without a device. Called with the service's lock. */
static struct nnb_client *nnb_client_create(struct nnb_device *device,
					    const struct nnb_caller *caller)
{
	struct nnb_client *client = calloc(1, sizeof(*client));
	struct nnb_service *service = device->service;

	if (!client)
		return NULL;
	client->service = service;
	client->accelerator = device;
	client->caller = *caller;
	client->user = nnb_user_get(service, caller->euid);
	if (!client->user) {
		free(client);
		return NULL;
	}
	pthread_mutex_init(&client->lock, NULL);
	pthread_mutex_init(&client->runs_lock, NULL);
	nnb_memory_cache_init(&client->memories);
	nnb_idle_start(&service->idle, nnb_service_look_after, service);
	client->next = service->clients;
	service->clients = client;
	return client;
}

/* Return: the client of @caller on @device, a reference; NULL without memory. */
static struct nnb_client *nnb_client_find(struct nnb_device *device,
					  const struct nnb_caller *caller)
{
	struct nnb_service *service = device->service;
	struct nnb_client *client;

	pthread_mutex_lock(&service->lock);
	client = service->clients;
	/* The process id of a process that has ended may have been reused. */
	while (client && (client->accelerator != device || client->lost ||
			  atomic_load(&client->dead) ||
			  client->caller.euid != caller->euid ||
			  client->caller.pid != caller->pid))
		client = client->next;
	if (!client)
		client = nnb_client_create(device, caller);
	if (client)
		client->refs++;
	pthread_mutex_unlock(&service->lock);
	return client;
}

/*
 * Opens the client's device, or checks that it still exists; sets *@lost if it does not. Opening
 * blocks only this client.
 */
static int nnb_client_open(struct nnb_client *client, bool *lost)
{
	struct nna_device *device = NULL;
	int ret;

	*lost = false;
	pthread_mutex_lock(&client->lock);
	if (client->device) {
		ret = nna_device_check(client->device);
		*lost = ret;
	} else {
		ret = nnb_device_open(client->accelerator, client, &device);
		client->device = ret ? NULL : device;
	}
	pthread_mutex_unlock(&client->lock);
	return ret;
}

int nnb_client_get(struct nnb_device *device, const struct nnb_caller *caller,
		   struct nnb_client **out)
{
	struct nnb_service *service = device->service;
	struct nnb_client *client;
	bool lost;
	int ret;

	do {
		client = nnb_client_find(device, caller);
		if (!client)
			return -ENOMEM;
		ret = nnb_client_open(client, &lost);
		if (!ret) {
			*out = client;
			return 0;
		}
		pthread_mutex_lock(&service->lock);
		client->lost |= lost;
		pthread_mutex_unlock(&service->lock);
		nnb_client_put(client);
	} while (lost);
	return ret;
}

struct nnb_client *nnb_client_ref(struct nnb_client *client)
{
	pthread_mutex_lock(&client->service->lock);
	client->refs++;
	pthread_mutex_unlock(&client->service->lock);
	return client;
}

void nnb_client_put(struct nnb_client *client)
{
	struct nnb_service *service;
	struct nnb_client **at;
	struct nnb_user *user;
	struct nnb_quota kept = {0};

	if (!client)
		return;
	service = client->service;
	pthread_mutex_lock(&service->lock);
	if (--client->refs) {
		pthread_mutex_unlock(&service->lock);
		return;
	}
	at = &service->clients;
	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	service->closing++;
	pthread_mutex_unlock(&service->lock);
	if (client->watched) {
		nnb_object_unwatch(client->watched, &client->death);
		nnb_object_unref(client->watched);
	}
	kept.kept = nnb_memory_cache_fini(&client->memories);
	nnb_quota_discharge(client, &kept);
	nna_device_close(client->device);
	pthread_mutex_destroy(&client->runs_lock);
	pthread_mutex_destroy(&client->lock);
	user = client->user;
	free(client->buffers);
	free(client);
	pthread_mutex_lock(&service->lock);
	nnb_user_put(service, user);
	service->closing--;
	pthread_cond_broadcast(&service->changed);
	pthread_mutex_unlock(&service->lock);
}

static void nnb_client_died(struct nnb_death *death)
{
	struct nnb_client *client =
		(struct nnb_client *)((char *)death - offsetof(struct nnb_client, death));

	nnb_client_give_up(client);
}

void nnb_client_watch(struct nnb_client *client, struct nnb_object *object)
{
	int ret;

	pthread_mutex_lock(&client->lock);
	if (!client->watched) {
		client->death.died = nnb_client_died;
		ret = nnb_object_watch(object, &client->death);
		if (!ret)
			client->watched = nnb_object_ref(object);
		else if (ret == NNB_DEAD_OBJECT)
			nnb_client_give_up(client);
	}
	pthread_mutex_unlock(&client->lock);
}

int nnb_client_begin_run(struct nnb_client *client, struct nnb_client_run *run,
			 struct nna_execution *execution)
{
	int ret = -ECANCELED;

	pthread_mutex_lock(&client->runs_lock);
	if (!atomic_load(&client->dead)) {
		run->execution = execution;
		run->next = client->runs;
		client->runs = run;
		ret = 0;
	}
	pthread_mutex_unlock(&client->runs_lock);
	return ret;
}

void nnb_client_end_run(struct nnb_client *client, struct nnb_client_run *run)
{
	struct nnb_client_run **at = &client->runs;

	if (!run->execution)
		return;
	pthread_mutex_lock(&client->runs_lock);
	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
	pthread_mutex_unlock(&client->runs_lock);
	run->execution = NULL;
}

// SPDX-License-Identifier: MIT
#include "tools/nnactl/clients.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/nnactl/nnactl.h"

/**
 * struct memory - the keys that drivers state memory by; one is enough
 * @resident: drm-resident-REGION, of all regions
 * @old: drm-memory-REGION, which is its old name
 * @total: drm-total-REGION
 */
struct memory {
	uint64_t resident, old, total;
};

/* Bytes of a text like "12 KiB". */
static uint64_t parse_size(const char *text)
{
	char *unit;
	uint64_t n = strtoull(text, &unit, 10);

	if (strstr(unit, "KiB"))
		return n << 10;
	if (strstr(unit, "MiB"))
		return n << 20;
	if (strstr(unit, "GiB"))
		return n << 30;
	return n;
}

/* What stands behind @prefix in @key; NULL where it has another beginning. */
static const char *behind(const char *key, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(key, prefix, length) ? NULL : key + length;
}

/* The engine of that name, which is added; NULL where there is no room. */
static struct nnactl_engine *engine_of(struct nnactl_client *client, const char *name)
{
	struct nnactl_engine *engine;

	for (uint32_t i = 0; i < client->engine_count; i++)
		if (!strncmp(client->engines[i].name, name, sizeof(engine->name) - 1))
			return &client->engines[i];
	if (client->engine_count == NNACTL_MAX_ENGINES)
		return NULL;
	engine = &client->engines[client->engine_count++];
	*engine = (struct nnactl_engine){ .capacity = 1 };
	snprintf(engine->name, sizeof(engine->name), "%s", name);
	return engine;
}

static void parse_engine(struct nnactl_client *client, const char *key, const char *value)
{
	const uint64_t n = strtoull(value, NULL, 10);
	struct nnactl_engine *engine;
	const char *name;

	name = behind(key, "drm-engine-capacity-");
	if (name) {
		engine = engine_of(client, name);
		if (engine && n && n < UINT32_MAX)
			engine->capacity = (uint32_t)n;
		return;
	}
	name = behind(key, "drm-engine-");
	if (name) {
		engine = engine_of(client, name);
		if (engine)
			engine->ns = n;
		return;
	}
	name = behind(key, "drm-cycles-");
	if (name) {
		engine = engine_of(client, name);
		if (engine)
			engine->cycles = n;
		return;
	}
	name = behind(key, "drm-total-cycles-");
	engine = name ? engine_of(client, name) : NULL;
	if (engine)
		engine->total_cycles = n;
}

static void parse_line(struct nnactl_client *client, struct memory *memory, const char *key,
		       const char *value)
{
	if (!strcmp(key, "drm-driver"))
		snprintf(client->driver, sizeof(client->driver), "%s", value);
	else if (!strcmp(key, "drm-pdev"))
		snprintf(client->device, sizeof(client->device), "%s", value);
	else if (!strcmp(key, "drm-client-id"))
		client->id = strtoull(value, NULL, 10);
	else if (behind(key, "drm-engine-") || behind(key, "drm-cycles-") ||
		 behind(key, "drm-total-cycles-"))
		parse_engine(client, key, value);
	else if (behind(key, "drm-resident-"))
		memory->resident += parse_size(value);
	else if (behind(key, "drm-memory-"))
		memory->old += parse_size(value);
	else if (behind(key, "drm-total-"))
		memory->total += parse_size(value);
}

/* Return: 1 for a file of a driver, 0 for another one, -EACCES where that may not be seen. */
static int parse_fdinfo(const char *path, struct nnactl_client *client)
{
	FILE *f = fopen(path, "re");
	struct memory memory = { 0 };
	char line[256];

	if (!f)
		return errno == EACCES || errno == EPERM ? -EACCES : 0;
	memset(client, 0, sizeof(*client));
	while (fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		*value++ = 0;
		value += strspn(value, " \t");
		value[strcspn(value, "\n")] = 0;
		parse_line(client, &memory, line, value);
	}
	fclose(f);
	client->memory = memory.resident ?: memory.old ?: memory.total;
	/* A file of a display's driver alone has no engine. */
	return client->driver[0] && client->engine_count;
}

static void read_name(long pid, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	f = fopen(path, "re");
	if (!f || !fgets(name, (int)size, f))
		snprintf(name, size, "?");
	name[strcspn(name, "\n")] = 0;
	/* A process names itself: nothing of that controls a terminal. */
	for (char *at = name; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	if (f)
		fclose(f);
}

bool nnactl_client_same_device(const struct nnactl_client *a, const struct nnactl_client *b)
{
	return !strcmp(a->driver, b->driver) && !strcmp(a->device, b->device);
}

static const struct nnactl_client *find(const struct nnactl_clients *in,
					const struct nnactl_client *client)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->at[i].id == client->id && nnactl_client_same_device(&in->at[i], client))
			return &in->at[i];
	return NULL;
}

/* Return: 0 or -ENOMEM. */
static int add(struct nnactl_clients *to, const struct nnactl_client *client)
{
	if (to->count == to->room) {
		size_t room = to->room ? 2 * to->room : 64;
		struct nnactl_client *more = reallocarray(to->at, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		to->at = more;
		to->room = room;
	}
	to->at[to->count++] = *client;
	return 0;
}

/* Return: 0 or -ENOMEM; a process that is gone, or may not be seen, is no error. */
static int add_process(struct nnactl_clients *to, long pid)
{
	struct nnactl_client client;
	bool hidden = false;
	struct dirent *e;
	char path[300];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fdinfo", pid);
	dir = opendir(path);
	if (!dir) {
		to->hidden += errno == EACCES || errno == EPERM;
		return 0;
	}
	while (!ret && (e = readdir(dir))) {
		int is_client;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/fdinfo/%s", pid, e->d_name);
		is_client = parse_fdinfo(path, &client);
		hidden |= is_client < 0;
		/* A file that several descriptors or processes share counts once. */
		if (is_client <= 0 || find(to, &client))
			continue;
		client.pid = pid;
		read_name(pid, client.name, sizeof(client.name));
		ret = add(to, &client);
	}
	closedir(dir);
	to->hidden += hidden;
	return ret;
}

int nnactl_clients_take(struct nnactl_clients *clients)
{
	struct dirent *e;
	int ret = 0;
	DIR *dir;

	dir = opendir("/proc");
	if (!dir)
		return -errno;
	clients->count = 0;
	clients->hidden = 0;
	clients->when = nnactl_now();
	while (!ret && (e = readdir(dir))) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);

		if (pid > 0 && !*end)
			ret = add_process(clients, pid);
	}
	closedir(dir);
	return ret;
}

/* A counter may go back where an engine was reset. */
static double since(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

static double use_of(const struct nnactl_engine *now, const struct nnactl_engine *before,
		     double elapsed)
{
	double use = since(now->ns, before->ns);

	if (now->total_cycles) {
		use = since(now->cycles, before->cycles);
		elapsed = since(now->total_cycles, before->total_cycles);
	}
	return elapsed > 0 ? use / elapsed / now->capacity : 0;
}

static int compare_devices(const struct nnactl_client *a, const struct nnactl_client *b)
{
	const int a_is_nna = !strcmp(a->driver, "nna"), b_is_nna = !strcmp(b->driver, "nna");

	return (b_is_nna - a_is_nna) ?: strcmp(a->driver, b->driver) ?:
	       strcmp(a->device, b->device);
}

static int compare(const void *first, const void *second)
{
	const struct nnactl_client *a = first, *b = second;

	return compare_devices(a, b) ?: (a->busy < b->busy) - (a->busy > b->busy) ?:
	       (a->memory < b->memory) - (a->memory > b->memory) ?:
	       (a->pid > b->pid) - (a->pid < b->pid);
}

void nnactl_clients_compare(struct nnactl_clients *now, const struct nnactl_clients *before)
{
	const double elapsed = (double)(now->when - before->when);

	for (size_t i = 0; i < now->count; i++) {
		struct nnactl_client *client = &now->at[i];
		const struct nnactl_client *old = find(before, client);

		client->busy = 0;
		for (uint32_t k = 0; k < client->engine_count; k++) {
			struct nnactl_engine *engine = &client->engines[k];

			engine->use = 0;
			for (uint32_t j = 0; old && j < old->engine_count; j++)
				if (!strcmp(old->engines[j].name, engine->name))
					engine->use = use_of(engine, &old->engines[j], elapsed);
			if (engine->use > client->busy)
				client->busy = engine->use;
		}
	}
	if (now->count)
		qsort(now->at, now->count, sizeof(now->at[0]), compare);
}

void nnactl_clients_free(struct nnactl_clients *clients)
{
	free(clients->at);
	*clients = (struct nnactl_clients){ 0 };
}

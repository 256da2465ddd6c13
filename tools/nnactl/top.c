// SPDX-License-Identifier: MIT
/*
 * nnactl top: which processes use the accelerator. The driver tells in the fdinfo of each of its
 * open files how long the rings have run jobs of that file (the kernel's drm-usage-stats); two
 * snapshots of /proc give the share of the time between them.
 */
#include "tools/nnactl/nnactl.h"
#include "tools/nnactl/nodes.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENGINES 4
#define CLIENTS_MAX 1024

static const char *const ENGINE_NAMES[ENGINES] = { "low", "medium", "high", "realtime" };

/**
 * struct client - an open file of the driver
 * @id: drm-client-id
 * @pid: one process that has it open
 * @name: of that process
 * @ns: run time on each engine, in nanoseconds
 * @memory: bytes of its buffers
 */
struct client {
	uint64_t id;
	long pid;
	char name[64];
	uint64_t ns[ENGINES];
	uint64_t memory;
};

/**
 * struct snapshot - all clients at one moment
 * @count: clients
 * @when: nnactl_now()
 */
struct snapshot {
	struct client clients[CLIENTS_MAX];
	size_t count;
	uint64_t when;
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

/* Return: whether the file is one of the driver's. */
static bool parse_fdinfo(const char *path, struct client *client)
{
	FILE *f = fopen(path, "r");
	bool ours = false;
	char line[256];

	if (!f)
		return false;
	memset(client, 0, sizeof(*client));
	while (fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		*value++ = 0;
		value += strspn(value, " \t");
		value[strcspn(value, "\n")] = 0;
		if (!strcmp(line, "drm-driver"))
			ours = !strcmp(value, "nna");
		else if (!strcmp(line, "drm-client-id"))
			client->id = strtoull(value, NULL, 10);
		else if (!strcmp(line, "drm-resident-memory"))
			client->memory = parse_size(value);
		else if (!strncmp(line, "drm-engine-", 11))
			for (size_t i = 0; i < ENGINES; i++)
				if (!strcmp(line + 11, ENGINE_NAMES[i]))
					client->ns[i] = strtoull(value, NULL, 10);
	}
	fclose(f);
	return ours;
}

static void read_name(long pid, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	f = fopen(path, "r");
	if (!f || !fgets(name, (int)size, f))
		snprintf(name, size, "?");
	name[strcspn(name, "\n")] = 0;
	if (f)
		fclose(f);
}

static void add_process(struct snapshot *to, long pid)
{
	char path[300];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fdinfo", pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((e = readdir(dir)) && to->count < CLIENTS_MAX) {
		struct client *c = &to->clients[to->count];
		bool known = false;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/fdinfo/%s", pid, e->d_name);
		if (!parse_fdinfo(path, c))
			continue;
		/* A file that several descriptors or processes share counts once. */
		for (size_t i = 0; i < to->count; i++)
			known |= to->clients[i].id == c->id;
		if (known)
			continue;
		c->pid = pid;
		read_name(pid, c->name, sizeof(c->name));
		to->count++;
	}
	closedir(dir);
}

static int take(struct snapshot *to)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	if (!dir)
		return nnactl_error("/proc: %s", strerror(errno));
	to->count = 0;
	to->when = nnactl_now();
	while ((e = readdir(dir))) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);

		if (pid > 0 && !*end)
			add_process(to, pid);
	}
	closedir(dir);
	return 0;
}

static const struct client *find_client(const struct snapshot *in, uint64_t id)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->clients[i].id == id)
			return &in->clients[i];
	return NULL;
}

static void print(const struct snapshot *before, const struct snapshot *after)
{
	double elapsed = (double)(after->when - before->when);

	printf("%8s %10s", "PID", "MEMORY");
	for (size_t k = 0; k < ENGINES; k++)
		printf(" %9s", ENGINE_NAMES[k]);
	printf("  NAME\n");
	for (size_t i = 0; i < after->count; i++) {
		const struct client *c = &after->clients[i], *old = find_client(before, c->id);

		printf("%8ld %6" PRIu64 " KiB", c->pid, c->memory >> 10);
		for (size_t k = 0; k < ENGINES; k++)
			printf(" %8.1f%%",
			       old ? 100.0 * (double)(c->ns[k] - old->ns[k]) / elapsed : 0.0);
		printf("  %s\n", c->name);
	}
	if (!after->count)
		printf("nobody uses an accelerator\n");
	fflush(stdout);
}

/* For --json: one value for each interval. */
static int print_json(const struct snapshot *before, const struct snapshot *after)
{
	double elapsed = (double)(after->when - before->when);
	json_t *list = json_array();

	for (size_t i = 0; i < after->count; i++) {
		const struct client *c = &after->clients[i], *old = find_client(before, c->id);
		json_t *use = json_object();

		for (size_t k = 0; k < ENGINES; k++)
			json_object_set_new(use, ENGINE_NAMES[k],
					    json_real(old ? (double)(c->ns[k] - old->ns[k]) /
							    elapsed : 0));
		json_array_append_new(list, json_pack("{s:I, s:o?, s:I, s:o}", "pid",
						      (json_int_t)c->pid, "name",
						      nnactl_json_text(c->name), "memory",
						      (json_int_t)c->memory, "use", use));
	}
	return nnactl_json_print(json_pack("{s:f, s:o}", "seconds", elapsed / 1e9, "clients",
					   list));
}

static int watch(uint32_t interval, uint32_t count)
{
	struct snapshot *shots = calloc(2, sizeof(*shots));
	int ret;

	if (!shots)
		return nnactl_error("out of memory");
	ret = take(&shots[0]);
	for (uint32_t i = 0; !ret && (!count || i < count); i++) {
		const struct snapshot *before = &shots[i % 2], *after = &shots[(i + 1) % 2];

		usleep(interval * 1000);
		ret = take(&shots[(i + 1) % 2]);
		if (!ret && nnactl_json())
			ret = print_json(before, after);
		else if (!ret)
			print(before, after);
		fflush(stdout);
	}
	free(shots);
	return ret;
}

static int top_main(int argc, char **argv)
{
	uint32_t interval = 1000, count = 0;
	int c, status = 0;

	while ((c = nnactl_option(&NNACTL_TOP, argc, argv, &status)) > 0) {
		if (c == 'i' && !nnactl_number("--interval", optarg, 10, 3600000, &interval))
			return 2;
		if (c == 'n' && !nnactl_number("--count", optarg, 1, 1000000, &count))
			return 2;
	}
	if (!c)
		return status;
	if (optind != argc)
		return nnactl_misuse("top takes no argument '%s'", argv[optind]);
	if (!nnactl_nodes_any())
		return nnactl_error("there is no NNA accelerator on this machine: load the driver "
				    "(nnactl load nna.ko); the loopback runs in its own process");
	return watch(interval, count);
}

static const struct option OPTIONS[] = {
	{ "interval", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_TOP = {
	.name = "top",
	.arguments = "[--interval MS] [--count N]",
	.what = "print who uses the accelerator",
	.help = "nnactl top [--interval MS] [--count N] [--json]\n\n"
		"Prints who uses the accelerator: how much of the time its rings ran jobs of each\n"
		"process, and the memory of its buffers. Other users' processes are seen by root.",
	.options = OPTIONS,
	.main = top_main,
};

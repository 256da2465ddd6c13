// SPDX-License-Identifier: MIT
/*
 * Nodes are accel nodes, or render nodes where the kernel has no DRM accelerators: see nodes.h.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/nnactl/nodes.h"

/* Where nodes are, what their names begin with, and where sysfs has them. */
static const struct place {
	const char *dir, *prefix, *class;
} places[] = {
	{ "/dev/accel", "accel", "/sys/class/accel" },
	{ "/dev/dri", "renderD", "/sys/class/drm" },
};

/* Whether sysfs says that the nna driver has the node. */
static bool is_ours(const struct place *place, const char *name)
{
	char path[128], target[256];
	const char *driver;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%.40s/device/driver", place->class, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = 0;
	driver = strrchr(target, '/');
	return !strcmp(driver ? driver + 1 : target, "nna");
}

/**
 * struct search - what is looked for in sysfs
 * @device: "auto" or a path; NULL to count only
 * @path: receives the path of the first node of that name, of @size bytes
 * @nodes: all nodes; @ours of them the nna driver has
 * @found: @path has been filled in
 */
struct search {
	const char *device;
	char *path;
	size_t size;
	uint32_t nodes, ours;
	bool found;
};

static void see_node(const struct place *place, const char *name, struct search *search)
{
	char path[64];

	if (strncmp(name, place->prefix, strlen(place->prefix)))
		return;
	search->nodes++;
	if (!is_ours(place, name))
		return;
	search->ours++;
	snprintf(path, sizeof(path), "%s/%.40s", place->dir, name);
	if (search->found || !search->device ||
	    (strcmp(search->device, "auto") && strcmp(search->device, path)))
		return;
	snprintf(search->path, search->size, "%s", path);
	search->found = true;
}

static void search_place(const struct place *place, struct search *search)
{
	struct dirent **names;
	int count;

	count = scandir(place->class, &names, NULL, versionsort);
	for (int i = 0; i < count; i++) {
		see_node(place, names[i]->d_name, search);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

static void search_all(struct search *search)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		search_place(&places[i], search);
}

bool nnactl_nodes_name(const char *device, char *path, size_t size)
{
	struct search search = { .device = device, .path = path, .size = size };

	snprintf(path, size, "%s", device);
	search_all(&search);
	return search.found;
}

uint32_t nnactl_nodes_count(void)
{
	struct search search = { 0 };

	search_all(&search);
	return search.ours;
}

bool nnactl_nodes_any(void)
{
	struct search search = { 0 };

	search_all(&search);
	return search.nodes;
}

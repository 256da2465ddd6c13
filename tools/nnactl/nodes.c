// SPDX-License-Identifier: MIT
/* The nodes that an accelerator may have: see nodes.h. */
#include <dirent.h>
#include <errno.h>
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

/* What sysfs says of a node's driver: 1 it is nna, 0 it is another one, -1 nothing. */
static int has_driver(const struct place *place, const char *name)
{
	char path[128], target[256];
	const char *driver;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%.40s/device/driver", place->class, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return -1;
	target[n] = 0;
	driver = strrchr(target, '/');
	return !strcmp(driver ? driver + 1 : target, "nna");
}

static bool is_node(const struct place *place, const char *name)
{
	return !strncmp(name, place->prefix, strlen(place->prefix));
}

static int visit_place(const struct place *place,
		       int (*visit)(const struct nnactl_node *node, void *user), void *user)
{
	struct dirent **names;
	int count, ret = 0;

	count = scandir(place->dir, &names, NULL, versionsort);
	if (count < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < count; i++) {
		struct nnactl_node node = { .name = names[i]->d_name };

		if (!ret && is_node(place, node.name)) {
			const int driver = has_driver(place, node.name);

			snprintf(node.path, sizeof(node.path), "%s/%.40s", place->dir, node.name);
			node.ours = driver == 1;
			ret = driver ? visit(&node, user) : 0;
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

int nnactl_nodes_each(int (*visit)(const struct nnactl_node *node, void *user), void *user)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !ret; i++)
		ret = visit_place(&places[i], visit, user);
	return ret;
}

/* What nnactl_nodes_name() looks for. */
struct search {
	const char *device;
	char *path;
	size_t size;
};

static int compare_node(const struct nnactl_node *node, void *user)
{
	const struct search *search = user;

	if (!node->ours ||
	    (strcmp(search->device, "auto") && strcmp(search->device, node->path)))
		return 0;
	snprintf(search->path, search->size, "%s", node->path);
	return 1;
}

bool nnactl_nodes_name(const char *device, char *path, size_t size)
{
	struct search search = { device, path, size };

	snprintf(path, size, "%s", device);
	return nnactl_nodes_each(compare_node, &search) == 1;
}

bool nnactl_nodes_any(void)
{
	bool any = false;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		DIR *dir = opendir(places[i].class);

		for (struct dirent *e = dir ? readdir(dir) : NULL; e && !any; e = readdir(dir))
			any = is_node(&places[i], e->d_name) &&
			      has_driver(&places[i], e->d_name) == 1;
		if (dir)
			closedir(dir);
	}
	return any;
}

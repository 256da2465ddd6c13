// SPDX-License-Identifier: MIT
/* Device nodes: finds those of drivers that have nna's kernel ABI. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

/*
 * Where nodes are. The driver has an accel node, or, on kernels without CONFIG_DRM_ACCEL, a render
 * node; then there is a card node, too, which nothing here needs.
 *
 * @dir: the folder
 * @prefix: what names of nodes begin with
 * @class: its entries in sysfs, for a folder where most nodes are those of GPUs; else NULL
 */
static const struct node_place {
	const char *dir, *prefix, *class;
} places[] = {
	{ "/dev/accel", "accel", NULL },
	{ "/dev/dri", "renderD", "/sys/class/drm" },
};

/* Drivers with nna's kernel ABI. An accelerator has its driver's name. */
static const char *const drivers[] = { "nna" };

static const char *find_driver(const char *name)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(drivers[i], name))
			return drivers[i];
	return NULL;
}

int nna_drm_node_open(const char *path, char *driver, size_t size, const char **accelerator)
{
	drmVersionPtr version;
	int fd, ret = -ENODEV;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	version = drmGetVersion(fd);
	*accelerator = version && version->name ? find_driver(version->name) : NULL;
	if (*accelerator) {
		snprintf(driver, size, "%s %d.%d", version->name, version->version_major,
			 version->version_minor);
		ret = fd;
	}
	drmFreeVersion(version);
	if (ret < 0)
		close(fd);
	return ret;
}

/*
 * Whether another driver has the node, as far as sysfs says so: a GPU need not be opened, which may
 * wake it up, and permission for it is not missed.
 */
static bool is_foreign(const struct node_place *place, const char *name)
{
	char path[128], target[256];
	const char *driver;
	ssize_t n;

	if (!place->class)
		return false;
	snprintf(path, sizeof(path), "%s/%.40s/device/driver", place->class, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = 0;
	driver = strrchr(target, '/');
	return !find_driver(driver ? driver + 1 : target);
}

/* Counts @index down by the nodes that it passes over. */
static int find_in(const struct node_place *place, uint32_t *index, char *path, size_t path_size,
		   char *driver, size_t driver_size, const char **accelerator)
{
	struct dirent **names;
	int count, ret = -ENOENT;

	count = scandir(place->dir, &names, NULL, versionsort);
	if (count < 0)
		return -ENOENT;
	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;

		if (ret < 0 && !strncmp(name, place->prefix, strlen(place->prefix)) &&
		    !is_foreign(place, name)) {
			int fd;

			snprintf(path, path_size, "%s/%.40s", place->dir, name);
			fd = nna_drm_node_open(path, driver, driver_size, accelerator);
			if (fd >= 0 && *index) {
				close(fd);
				--*index;
			} else if (fd >= 0 || (fd != -ENODEV && ret == -ENOENT)) {
				ret = fd;
			}
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

int nna_drm_node_find(uint32_t index, char *path, size_t path_size, char *driver,
		      size_t driver_size, const char **accelerator)
{
	int first = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int ret = find_in(&places[i], &index, path, path_size, driver, driver_size,
				  accelerator);

		if (ret >= 0)
			return ret;
		if (first == -ENOENT)
			first = ret;
	}
	return first;
}

int nna_winsys_drm_find(uint32_t index, char *path, size_t size)
{
	char node[64], driver[64];
	const char *accelerator;
	int fd = nna_drm_node_find(index, node, sizeof(node), driver, sizeof(driver), &accelerator);
	size_t length;

	if (fd < 0)
		return -ENOENT;
	close(fd);
	length = strlen(node);
	if (length >= size)
		return -ENOSPC;
	memcpy(path, node, length + 1);
	return 0;
}

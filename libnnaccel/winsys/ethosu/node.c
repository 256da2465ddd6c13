// SPDX-License-Identifier: MIT
#include "libnnaccel/winsys/ethosu/node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/ethosu/uapi.h"

#define ACCEL_DIR "/dev/accel"
#define DRIVER "ethosu"
/* The first kernel that has the driver. */
#define KERNEL_MAJOR 6
#define KERNEL_MINOR 19

/*
 * Return: a descriptor of the node, -ENODEV for another driver's, or a negative errno. @driver:
 * room for its name and version.
 */
static int open_path(const char *path, char *driver, size_t size)
{
	drmVersionPtr version;
	bool ours;
	int fd;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	version = drmGetVersion(fd);
	ours = version && version->name && !strcmp(version->name, DRIVER);
	if (ours)
		snprintf(driver, size, "%s %d.%d", version->name, version->version_major,
			 version->version_minor);
	drmFreeVersion(version);
	if (ours)
		return fd;
	close(fd);
	return -ENODEV;
}

/*
 * Return: a descriptor of node @index of those that are ours, whose path it writes; or the best
 * reason for none.
 */
static int find(uint32_t index, char *path, size_t size, char *driver, size_t driver_size)
{
	struct dirent **names;
	int count, ret = -ENOENT;

	count = scandir(ACCEL_DIR, &names, NULL, versionsort);
	if (count < 0)
		return -ENOENT;
	for (int i = 0; i < count; i++) {
		if (ret < 0 && !strncmp(names[i]->d_name, "accel", 5)) {
			char at[64];
			int fd;

			snprintf(at, sizeof(at), ACCEL_DIR "/%.40s", names[i]->d_name);
			fd = open_path(at, driver, driver_size);
			if (fd >= 0 && index) {
				close(fd);
				index--;
			} else if (fd >= 0 || (fd != -ENODEV && ret == -ENOENT)) {
				ret = fd;
				snprintf(path, size, "%s", at);
			}
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

int nna_ethosu_node_find(uint32_t index, char *path, size_t size)
{
	char found[64], driver[32];
	const int fd = find(index, found, sizeof(found), driver, sizeof(driver));

	if (fd < 0)
		return -ENOENT;
	close(fd);
	return snprintf(path, size, "%s", found) >= (int)size ? -ENOSPC : 0;
}

/* Whether the running kernel is too old for the driver. */
static bool is_old(const char *release)
{
	unsigned int major, minor;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < KERNEL_MAJOR || (major == KERNEL_MAJOR && minor < KERNEL_MINOR));
}

static void explain(int ret, const char *path, char *error)
{
	struct utsname kernel;

	if (ret == -ENODEV)
		snprintf(error, NNA_ETHOSU_NODE_ERROR, "%s is no Ethos-U: its driver is not "
			 DRIVER, path);
	else if (ret != -ENOENT)
		snprintf(error, NNA_ETHOSU_NODE_ERROR, "%s: %s%s", path, strerror(-ret),
			 ret == -EACCES ? ": join the group that owns it, or be root" : "");
	else if (!uname(&kernel) && is_old(kernel.release))
		snprintf(error, NNA_ETHOSU_NODE_ERROR, "no Ethos-U: Linux %.64s is too old for it, "
			 "%u.%u or newer with CONFIG_DRM_ACCEL_ARM_ETHOSU is needed",
			 kernel.release, KERNEL_MAJOR, KERNEL_MINOR);
	else
		snprintf(error, NNA_ETHOSU_NODE_ERROR, "no Ethos-U: %s%s: load the kernel's driver "
			 "(modprobe " DRIVER "; CONFIG_DRM_ACCEL_ARM_ETHOSU)",
			 path[0] ? "there is no " : "no node in " ACCEL_DIR " is one", path);
}

int nna_ethosu_node_open(struct nna_ethosu_node *node, const char *path, char *error)
{
	struct ethosu_npu_info info = { 0 };
	struct ethosu_query query = { .size = sizeof(info), .pointer = (uintptr_t)&info };
	int ret;

	*node = (struct nna_ethosu_node){ .fd = -1 };
	if (path)
		snprintf(node->path, sizeof(node->path), "%s", path);
	ret = path ? open_path(path, node->driver, sizeof(node->driver)) :
		     find(0, node->path, sizeof(node->path), node->driver, sizeof(node->driver));
	if (ret < 0) {
		explain(ret, node->path, error);
		return ret;
	}
	node->fd = ret;
	if (drmIoctl(node->fd, ETHOSU_QUERY, &query)) {
		ret = -errno;
		snprintf(error, NNA_ETHOSU_NODE_ERROR, "%s: DEV_QUERY: %s", node->path,
			 strerror(-ret));
		nna_ethosu_node_close(node);
		return ret;
	}
	node->id = info.id;
	node->config = info.config;
	node->sram_size = info.sram_size;
	return 0;
}

void nna_ethosu_node_close(struct nna_ethosu_node *node)
{
	if (node->fd >= 0)
		close(node->fd);
	node->fd = -1;
}

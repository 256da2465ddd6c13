// SPDX-License-Identifier: MIT
/* Device nodes: finds those of drivers that have nna's kernel ABI. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

#define ACCEL_DIR "/dev/accel"

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

int nna_drm_node_find(char *path, size_t path_size, char *driver, size_t driver_size,
		      const char **accelerator)
{
	struct dirent **names;
	int count, ret = -ENOENT;

	count = scandir(ACCEL_DIR, &names, NULL, versionsort);
	if (count < 0)
		return -ENOENT;
	for (int i = 0; i < count; i++) {
		if (ret < 0 && !strncmp(names[i]->d_name, "accel", 5)) {
			int fd;

			snprintf(path, path_size, ACCEL_DIR "/%.40s", names[i]->d_name);
			fd = nna_drm_node_open(path, driver, driver_size, accelerator);
			if (fd >= 0 || (fd != -ENODEV && ret == -ENOENT))
				ret = fd;
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

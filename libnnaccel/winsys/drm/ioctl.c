// SPDX-License-Identifier: MIT
/* Calls of the driver. */
#include <errno.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

int nna_drm_ioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

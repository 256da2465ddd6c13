// SPDX-License-Identifier: MIT
/* A process that tells the driver for whom a file is (namer.h). */
#include "hal-bridge/service/namer.h"

#include <drm/nna_accel.h>
#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hal-bridge/service/process.h"

static int nnb_namer_set_user(int fd, uint32_t uid)
{
	struct drm_nna_file_set_user user = {.type = DRM_NNA_USER_UID, .id = uid};

	return ioctl(fd, DRM_IOCTL_NNA_FILE_SET_USER, &user) ? -errno : 0;
}

/* Answers requests until the service is gone. */
static void nnb_namer_run(int requests)
{
	int32_t status = 0;
	uint32_t uid;
	int fd;

	while (!status && !nnb_process_receive(requests, &uid, sizeof(uid), &fd, 1, 0)) {
		status = nnb_namer_set_user(fd, uid);
		close(fd);
		status = nnb_process_send(requests, &status, sizeof(status), NULL, 0);
	}
}

int nnb_namer_start(int (*enter)(void))
{
	return nnb_process_start(nnb_namer_run, enter);
}

int nnb_namer_tell(int namer, int fd, uid_t uid)
{
	uint32_t number = uid;
	int32_t status;
	int ret = nnb_process_send(namer, &number, sizeof(number), &fd, 1);

	if (!ret)
		ret = nnb_process_receive(namer, &status, sizeof(status), NULL, 0, 0);
	return ret ? ret : status;
}

// SPDX-License-Identifier: MIT
/* Jobs of a node. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/ethosu/node.h"
#include "libnnaccel/winsys/ethosu/uapi.h"

/* The fence of what a buffer's last job does. Return: a sync_file, or a negative errno. */
static int export_fence(const struct nna_ethosu_node *node, uint32_t handle)
{
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	int buf, ret;

	if (drmPrimeHandleToFD(node->fd, handle, DRM_CLOEXEC | DRM_RDWR, &buf))
		return -errno;
	ret = ioctl(buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export) ? -errno : export.fd;
	close(buf);
	return ret;
}

int nna_ethosu_job_wait_for(const struct nna_ethosu_node *node, uint32_t handle, int fence)
{
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_WRITE, .fd = fence };
	int buf, ret;

	if (drmPrimeHandleToFD(node->fd, handle, DRM_CLOEXEC | DRM_RDWR, &buf))
		return -errno;
	ret = ioctl(buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import) ? -errno : 0;
	close(buf);
	return ret;
}

int nna_ethosu_job_submit(const struct nna_ethosu_node *node, const struct nna_ethosu_job *job,
			  uint32_t written)
{
	struct ethosu_submit_job one = { .stream = job->stream, .sram_size = job->sram_size };
	struct ethosu_submit submit = { .jobs = (uintptr_t)&one, .count = 1 };

	memcpy(one.regions, job->regions, sizeof(one.regions));
	if (drmIoctl(node->fd, ETHOSU_SUBMIT, &submit))
		return -errno;
	return export_fence(node, written);
}

int nna_ethosu_end_status(int end)
{
	struct sync_file_info info = { 0 };

	if (ioctl(end, SYNC_IOC_FILE_INFO, &info))
		return -errno;
	return info.status < 0 ? info.status : info.status ? 0 : -EIO;
}

/* Wait for a sync_file. Return: 0, or the error that it has. */
static int wait(int fence)
{
	struct pollfd poll_fd = { .fd = fence, .events = POLLIN };
	int ret;

	do
		ret = poll(&poll_fd, 1, -1);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : nna_ethosu_end_status(fence);
}

int nna_ethosu_job_run(const struct nna_ethosu_node *node, const struct nna_ethosu_job *job,
		       uint32_t written)
{
	const int fence = nna_ethosu_job_submit(node, job, written);
	int ret;

	if (fence < 0)
		return fence;
	ret = wait(fence);
	close(fence);
	return ret;
}

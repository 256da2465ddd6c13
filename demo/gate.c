// SPDX-License-Identifier: MIT
/* vgem through its ioctls and libdrm; sync_files and dma-bufs through the kernel's. */
#include "demo/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <xf86drm.h>

/* vgem's two ioctls; its header is not packaged. */
#define VGEM_FENCE_ATTACH 0x01
#define VGEM_FENCE_SIGNAL 0x02
#define VGEM_FENCE_WRITE 0x1

struct vgem_fence_attach {
	uint32_t handle;
	uint32_t flags;
	uint32_t out_fence;
	uint32_t pad;
};

struct vgem_fence_signal {
	uint32_t fence;
	uint32_t flags;
};

#define MAX_NODES 64
#define PAGE 4096u

int gate_open_vgem(void)
{
	char path[32];
	int i, fd;

	for (i = 0; i < MAX_NODES; i++) {
		drmVersionPtr version;
		bool match;

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		version = drmGetVersion(fd);
		match = version && !strcmp(version->name, "vgem");
		drmFreeVersion(version);
		if (match)
			return fd;
		close(fd);
	}
	return -ENODEV;
}

static int create_buffer(int vgem, size_t size, uint32_t *handle, int *fd)
{
	/* Of the width and height of a dumb buffer only the product matters here. */
	struct drm_mode_create_dumb dumb = {
		.width = PAGE / 4, .height = (uint32_t)((size + PAGE - 1) / PAGE), .bpp = 32,
	};

	*fd = -1;
	if (!size || size > UINT32_MAX - PAGE)
		return -EINVAL;
	if (drmIoctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		return -errno;
	*handle = dumb.handle;
	if (drmPrimeHandleToFD(vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR, fd)) {
		int ret = -errno;

		drmCloseBufferHandle(vgem, dumb.handle);
		return ret;
	}
	return 0;
}

int gate_buffer(int vgem, size_t size)
{
	uint32_t handle;
	int fd, ret;

	ret = create_buffer(vgem, size, &handle, &fd);
	if (ret)
		return ret;
	drmCloseBufferHandle(vgem, handle);
	return fd;
}

int gate_create(struct gate *gate, int vgem)
{
	struct vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	int ret, buffer;

	*gate = (struct gate){ .vgem = vgem, .fd = -1 };
	if (vgem < 0) {
		gate->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		return gate->fd < 0 ? -errno : 0;
	}
	ret = create_buffer(vgem, PAGE, &attach.handle, &buffer);
	if (ret)
		return ret;
	if (drmIoctl(vgem, DRM_IOWR(DRM_COMMAND_BASE + VGEM_FENCE_ATTACH, struct vgem_fence_attach),
		     &attach) ||
	    drmIoctl(buffer, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export))
		ret = -errno;
	close(buffer);
	drmCloseBufferHandle(vgem, attach.handle);
	gate->fence = attach.out_fence;
	gate->fd = export.fd;
	return ret;
}

int gate_open(struct gate *gate)
{
	struct vgem_fence_signal signal = { .fence = gate->fence };
	uint64_t one = 1;

	if (gate->vgem < 0)
		return write(gate->fd, &one, sizeof(one)) == sizeof(one) ? 0 : -errno;
	return drmIoctl(gate->vgem, DRM_IOW(DRM_COMMAND_BASE + VGEM_FENCE_SIGNAL,
					    struct vgem_fence_signal), &signal) ? -errno : 0;
}

void gate_destroy(struct gate *gate)
{
	if (gate->fd >= 0)
		close(gate->fd);
	gate->fd = -1;
}

bool gate_is_signalled(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

uint64_t gate_time(int fd)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = {
		.num_fences = 1, .sync_fence_info = (uintptr_t)&fence,
	};

	if (drmIoctl(fd, SYNC_IOC_FILE_INFO, &info) || info.status <= 0)
		return 0;
	return fence.timestamp_ns;
}

int gate_cpu_access(int fd, bool begin)
{
	struct dma_buf_sync sync = {
		.flags = DMA_BUF_SYNC_RW | (begin ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END),
	};

	return drmIoctl(fd, DMA_BUF_IOCTL_SYNC, &sync) ? -errno : 0;
}

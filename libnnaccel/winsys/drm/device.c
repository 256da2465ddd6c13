// SPDX-License-Identifier: MIT
/* The device: opening and closing, its properties, its clock. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/support/clock.h"
#include "libnnaccel/winsys/drm/drm.h"

/*
 * The device's clock drifts against CLOCK_MONOTONIC, so the pair of times is read again after this
 * age.
 */
#define CLOCK_MAX_AGE_NS 1000000000ull

static int query(int fd, uint32_t type, void *data, uint32_t size)
{
	struct drm_nna_dev_query q = { .type = type, .size = size, .pointer = (uintptr_t)data };

	return nna_drm_ioctl(fd, DRM_IOCTL_NNA_DEV_QUERY, &q);
}

static void drm_get_info(struct nna_winsys *ws, struct nna_device_info *info)
{
	struct nna_drm *drm = to_nna_drm(ws);

	*info = (struct nna_device_info){
		.sync_files = true,
		.abi_major = drm->hw.abi_major,
		.abi_minor = drm->hw.abi_minor,
		.stream_version = drm->hw.stream_version,
		.layout_version = drm->hw.layout_version,
		.job_rings = drm->hw.job_rings,
		.va_bits = drm->hw.va_bits,
		.max_slots = drm->hw.max_slots,
		.job_limit_ns = drm->hw.job_limit_ns,
	};
	snprintf(info->name, sizeof(info->name), "%s", drm->path);
	snprintf(info->driver, sizeof(info->driver), "%s", drm->driver);
}

static int drm_check(struct nna_winsys *ws)
{
	struct drm_nna_timestamp time;

	return query(to_nna_drm(ws)->fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &time, sizeof(time)) ==
			       -ENODEV ? -ENODEV : 0;
}

static uint64_t drm_tick_to_ns(struct nna_winsys *ws, uint64_t tick)
{
	struct nna_drm *drm = to_nna_drm(ws);
	struct drm_nna_timestamp t;
	double delta;

	pthread_mutex_lock(&drm->clock_lock);
	t = drm->clock;
	pthread_mutex_unlock(&drm->clock_lock);
	if (nna_now_ns() - t.monotonic_ns > CLOCK_MAX_AGE_NS &&
	    !query(drm->fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &t, sizeof(t))) {
		pthread_mutex_lock(&drm->clock_lock);
		drm->clock = t;
		pthread_mutex_unlock(&drm->clock_lock);
	}

	if (drm->hw.tick_hz == 1000000000u)
		return tick - t.tick + t.monotonic_ns;
	delta = (double)(int64_t)(tick - t.tick) * 1e9 / (double)drm->hw.tick_hz;
	return t.monotonic_ns + (uint64_t)(int64_t)delta;
}

static void drm_destroy(struct nna_winsys *ws)
{
	struct nna_drm *drm = to_nna_drm(ws);

	/* No thread uses @drm any more, but jobs may: they must end before the VM is destroyed. */
	while (drm->oldest) {
		drmSyncobjWait(drm->fd, &drm->oldest->handle, 1, INT64_MAX, 0, NULL);
		nna_drm_outstanding_remove(drm, drm->oldest);
	}
	nna_drm_zombie_free(drm, nna_drm_zombie_take(drm));
	nna_drm_fence_destroy_spare(drm);
	nna_drm_vm_fini(drm);
	if (drm->fd >= 0)
		close(drm->fd);
	pthread_mutex_destroy(&drm->lock);
	pthread_mutex_destroy(&drm->clock_lock);
	free(drm);
}

static const struct nna_winsys_ops drm_ops = {
	.destroy = drm_destroy,
	.get_info = drm_get_info,
	.check = drm_check,
	.tick_to_ns = drm_tick_to_ns,
	.bo_create = nna_drm_bo_create,
	.bo_import = nna_drm_bo_import,
	.bo_export = nna_drm_bo_export,
	.bo_destroy = nna_drm_bo_destroy,
	.queue_create = nna_drm_queue_create,
	.queue_destroy = nna_drm_queue_destroy,
	.queue_cancel = nna_drm_queue_cancel,
	.queue_submit = nna_drm_queue_submit,
	.fence_wait = nna_drm_fence_wait,
	.fence_status = nna_drm_fence_status,
	.fence_poll = nna_drm_fence_poll,
	.fence_export = nna_drm_fence_export,
	.fence_release = nna_drm_fence_release,
};

int nna_winsys_drm_create(const char *path, const struct nna_device_options *options,
			  struct nna_winsys **out)
{
	struct drm_nna_vm_create vm = { 0 };
	struct nna_drm *drm;
	int ret;

	drm = calloc(1, sizeof(*drm));
	if (!drm)
		return -ENOMEM;
	drm->base.ops = &drm_ops;
	if (options)
		drm->base.log = options->log;
	drm->poll_at = NNA_DRM_POLL_MIN;
	drm->fd = -1;
	pthread_mutex_init(&drm->lock, NULL);
	pthread_mutex_init(&drm->clock_lock, NULL);

	if (path) {
		snprintf(drm->path, sizeof(drm->path), "%s", path);
		ret = nna_drm_node_open(path, drm->driver, sizeof(drm->driver),
					&drm->base.accelerator);
	} else {
		ret = nna_drm_node_find(0, drm->path, sizeof(drm->path), drm->driver,
					sizeof(drm->driver), &drm->base.accelerator);
	}
	if (ret < 0)
		goto err;
	drm->fd = ret;
	ret = query(drm->fd, DRM_NNA_DEV_QUERY_HW_INFO, &drm->hw, sizeof(drm->hw));
	if (ret)
		goto err;
	drm->base.tick_hz = drm->hw.tick_hz;
	drm->base.profiles = drm->hw.flags & DRM_NNA_HW_PROFILES;
	if (drm->hw.flags & DRM_NNA_HW_SLICES)
		nna_winsys_set_limits(&drm->base, drm->hw.job_limit_ns, drm->hw.work_rate);
	ret = query(drm->fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &drm->clock, sizeof(drm->clock));
	if (ret)
		goto err;
	ret = nna_drm_vm_init(drm);
	if (ret)
		goto err;
	/* The first object makes the file's user final. */
	if (options && options->opened)
		ret = options->opened(options->account, drm->fd);
	if (!ret)
		ret = nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_VM_CREATE, &vm);
	if (ret)
		goto err;
	drm->vm_id = vm.id;
	*out = &drm->base;
	return 0;
err:
	drm_destroy(&drm->base);
	return ret;
}

// SPDX-License-Identifier: MIT
/* Devices: opening and closing, properties. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libnnaccel/backend/ethosu/stream.h"
#include "libnnaccel/winsys/ethosu/device.h"
#include "libnnaccel/winsys/va.h"

/* Of the backend's versions; the NPU has none. */
#define VERSION 1u
#define ADDRESS_BITS 40u

/* What the driver gives a job before it looks whether it is stuck. */
#define JOB_LIMIT_NS 500000000u

static void device_destroy(struct nna_winsys *ws)
{
	struct nna_ethosu_device *d = to_ethosu(ws);

	d->npu->ops->close(d->npu);
	nna_ethosu_fences_free(d);
	nna_va_destroy(d->va);
	free(d->bos);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static void device_get_info(struct nna_winsys *ws, struct nna_device_info *info)
{
	const struct nna_ethosu_npu *npu = to_ethosu(ws)->npu;
	char name[NNA_ETHOSU_NAME_SIZE];

	*info = (struct nna_device_info){
		.loopback = !npu->ops->sync_files,
		.sync_files = npu->ops->sync_files,
		.abi_major = VERSION,
		.stream_version = VERSION,
		.layout_version = VERSION,
		.job_rings = 1,
		.va_bits = ADDRESS_BITS,
		.max_slots = NNA_ETHOSU_REGIONS,
		.job_limit_ns = JOB_LIMIT_NS,
	};
	snprintf(info->name, sizeof(info->name), "%s", npu->name);
	snprintf(info->driver, sizeof(info->driver), "%s", npu->driver);
	/* "ethos-u65-256" is spelled Ethos-U65-256. */
	nna_ethosu_name(npu->config, name);
	name[0] = 'E';
	name[6] = 'U';
	snprintf(info->engine, sizeof(info->engine), "%.15s", name);
}

static int device_check(struct nna_winsys *ws)
{
	return 0;
}

static uint64_t device_tick_to_ns(struct nna_winsys *ws, uint64_t tick)
{
	return tick;
}

static const struct nna_winsys_ops device_ops = {
	.destroy = device_destroy,
	.get_info = device_get_info,
	.check = device_check,
	.tick_to_ns = device_tick_to_ns,
	.bo_create = nna_ethosu_bo_create,
	.bo_import = nna_ethosu_bo_import,
	.bo_export = nna_ethosu_bo_export,
	.bo_destroy = nna_ethosu_bo_destroy,
	.bo_is_direct = nna_ethosu_bo_is_direct,
	.queue_create = nna_ethosu_queue_create,
	.queue_destroy = nna_ethosu_queue_destroy,
	.queue_cancel = nna_ethosu_queue_cancel,
	.queue_submit = nna_ethosu_queue_submit,
	.fence_wait = nna_ethosu_fence_wait,
	.fence_status = nna_ethosu_fence_status,
	.fence_poll = nna_ethosu_fence_poll,
	.fence_export = nna_ethosu_fence_export,
	.fence_release = nna_ethosu_fence_release,
};

int nna_ethosu_device_create(struct nna_ethosu_npu *npu, const struct nna_device_options *options,
			     struct nna_winsys **out)
{
	struct nna_ethosu_device *d = calloc(1, sizeof(*d));

	if (!d) {
		npu->ops->close(npu);
		return -ENOMEM;
	}
	d->base.ops = &device_ops;
	d->base.accelerator = "ethosu";
	d->base.configuration = npu->config;
	d->base.tick_hz = 1000000000u;
	if (options)
		d->base.log = options->log;
	d->npu = npu;
	pthread_mutex_init(&d->lock, NULL);
	d->va = nna_va_create(NNA_VA_SMALL_START, NNA_VA_END - NNA_VA_SMALL_START);
	if (!d->va) {
		device_destroy(&d->base);
		return -ENOMEM;
	}
	*out = &d->base;
	return 0;
}

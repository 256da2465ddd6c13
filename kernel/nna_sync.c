// SPDX-License-Identifier: GPL-2.0-only
/* Sync arrays: see nna_sync.h. */

#include <linux/dma-fence-chain.h>
#include <linux/slab.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <drm/nna_accel.h>

#include "nna_core.h"
#include "nna_sync.h"

static int nna_sync_check(struct drm_device *drm, const struct drm_nna_sync *sync)
{
	u32 type = sync->flags & DRM_NNA_SYNC_TYPE_MASK;

	if (NNA_IOCTL_DBG(drm, sync->flags & ~(DRM_NNA_SYNC_TYPE_MASK | DRM_NNA_SYNC_SIGNAL)) ||
	    NNA_IOCTL_DBG(drm, type > DRM_NNA_SYNC_TYPE_TIMELINE) ||
	    NNA_IOCTL_DBG(drm, type == DRM_NNA_SYNC_TYPE_SYNCOBJ && sync->point) ||
	    NNA_IOCTL_DBG(drm, type == DRM_NNA_SYNC_TYPE_TIMELINE && !sync->point))
		return -EINVAL;
	return 0;
}

static int nna_sync_out_init(struct nna_sync_out *out, struct drm_file *file,
			     const struct drm_nna_sync *sync)
{
	out->point = sync->point;
	out->syncobj = drm_syncobj_find(file, sync->handle);
	if (!out->syncobj)
		return -ENOENT;
	if (sync->point) {
		out->chain = dma_fence_chain_alloc();
		if (!out->chain)
			return -ENOMEM;
	}
	return 0;
}

int nna_syncs_init(struct nna_syncs *syncs, struct drm_file *file,
		   const struct drm_nna_sync *array, u32 count)
{
	struct drm_device *drm = file->minor->dev;
	u32 i, outs = 0;
	int ret;

	memset(syncs, 0, sizeof(*syncs));
	syncs->in = syncs->inline_in;
	syncs->out = syncs->inline_out;
	for (i = 0; i < count; i++) {
		ret = nna_sync_check(drm, &array[i]);
		if (ret)
			return ret;
		outs += !!(array[i].flags & DRM_NNA_SYNC_SIGNAL);
	}
	if (count - outs > NNA_INLINE_SYNCS)
		syncs->in = kcalloc(count - outs, sizeof(*syncs->in), GFP_KERNEL_ACCOUNT);
	if (outs > NNA_INLINE_SYNCS)
		syncs->out = kcalloc(outs, sizeof(*syncs->out), GFP_KERNEL_ACCOUNT);
	if (!syncs->in || !syncs->out) {
		ret = -ENOMEM;
		goto err;
	}

	for (i = 0; i < count; i++) {
		if (array[i].flags & DRM_NNA_SYNC_SIGNAL) {
			ret = nna_sync_out_init(&syncs->out[syncs->out_count++], file, &array[i]);
		} else {
			ret = drm_syncobj_find_fence(file, array[i].handle, array[i].point, 0,
						     &syncs->in[syncs->in_count].fence);
			if (!ret)
				syncs->in_count++;
		}
		if (ret) {
			drm_dbg_driver(drm, "sync %u: no syncobj %u, or it has no fence (%d)\n", i,
				       array[i].handle, ret);
			goto err;
		}
	}
	return 0;

err:
	nna_syncs_fini(syncs);
	return ret;
}

static void nna_syncs_drop(struct nna_syncs *syncs)
{
	if (atomic_dec_and_test(&syncs->pending))
		syncs->done(syncs);
}

static void nna_sync_in_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	nna_syncs_drop(container_of(cb, struct nna_sync_in, cb)->syncs);
}

void nna_syncs_wait(struct nna_syncs *syncs, void (*done)(struct nna_syncs *syncs))
{
	u32 i;

	if (!syncs->in_count) {
		done(syncs);
		return;
	}
	syncs->done = done;
	/* One more, so that @done is not called before all callbacks have been added. */
	atomic_set(&syncs->pending, syncs->in_count + 1);
	for (i = 0; i < syncs->in_count; i++) {
		syncs->in[i].syncs = syncs;
		if (dma_fence_add_callback(syncs->in[i].fence, &syncs->in[i].cb,
					   nna_sync_in_signalled))
			nna_syncs_drop(syncs);
	}
	nna_syncs_drop(syncs);
}

void nna_syncs_fini(struct nna_syncs *syncs)
{
	u32 i;

	for (i = 0; i < syncs->in_count; i++) {
		/* When this returns the callback is not running. */
		if (syncs->in[i].syncs)
			dma_fence_remove_callback(syncs->in[i].fence, &syncs->in[i].cb);
		dma_fence_put(syncs->in[i].fence);
	}
	for (i = 0; i < syncs->out_count; i++) {
		dma_fence_chain_free(syncs->out[i].chain);
		if (syncs->out[i].syncobj)
			drm_syncobj_put(syncs->out[i].syncobj);
	}
	if (syncs->in != syncs->inline_in)
		kfree(syncs->in);
	if (syncs->out != syncs->inline_out)
		kfree(syncs->out);
	memset(syncs, 0, sizeof(*syncs));
}

void nna_syncs_signal(struct nna_syncs *syncs, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < syncs->out_count; i++) {
		struct nna_sync_out *out = &syncs->out[i];

		if (out->chain)
			drm_syncobj_add_point(out->syncobj, out->chain, fence, out->point);
		else
			drm_syncobj_replace_fence(out->syncobj, fence);
		/* The syncobj owns the chain node now. */
		out->chain = NULL;
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sync array of SUBMIT: which fences a job waits for, and which syncobjs get its fence.
 *
 * nna_syncs_init() looks up and allocates all that is needed, so that nna_syncs_signal(), after the
 * job has been armed, cannot fail. The job owns the struct nna_syncs.
 */
#ifndef NNA_SYNC_H
#define NNA_SYNC_H

#include <linux/types.h>

struct dma_fence;
struct drm_file;
struct drm_nna_sync;
struct dma_fence_chain;
struct drm_syncobj;

/** NNA_MAX_SYNCS - Most elements of the array. */
#define NNA_MAX_SYNCS	128u

/** NNA_INLINE_SYNCS - Number of in-fences and of syncobjs to signal that need no allocation. */
#define NNA_INLINE_SYNCS	2u

/**
 * struct nna_sync_out - A syncobj to signal.
 * @syncobj: the syncobj; a reference.
 * @chain: timeline: the chain node of the new point, owned until it is signalled; else NULL.
 * @point: timeline: the point; else 0.
 */
struct nna_sync_out {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/**
 * struct nna_syncs - A sync array after look-up. It points into itself, so it cannot be copied.
 * @in: fences to wait for; a reference each. @inline_in, or allocated.
 * @in_count: how many.
 * @out: syncobjs to signal. @inline_out, or allocated.
 * @out_count: how many.
 * @inline_in: storage of @in for at most NNA_INLINE_SYNCS fences.
 * @inline_out: storage of @out for at most NNA_INLINE_SYNCS syncobjs.
 */
struct nna_syncs {
	struct dma_fence **in;
	u32 in_count;
	struct nna_sync_out *out;
	u32 out_count;
	struct dma_fence *inline_in[NNA_INLINE_SYNCS];
	struct nna_sync_out inline_out[NNA_INLINE_SYNCS];
};

/**
 * nna_syncs_init() - Check a sync array and look up its handles; may sleep.
 * @syncs: filled in; empty after an error.
 * @file: the file that the handles belong to.
 * @array: the array.
 * @count: its elements.
 *
 * Return: 0, -EINVAL (malformed, or a syncobj to wait for has no fence yet), -ENOENT (no such
 * handle), -ENOMEM.
 */
int nna_syncs_init(struct nna_syncs *syncs, struct drm_file *file,
		   const struct drm_nna_sync *array, u32 count);

/** nna_syncs_fini() - Drop all references and free what nna_syncs_signal() has not used. */
void nna_syncs_fini(struct nna_syncs *syncs);

/** nna_syncs_signal() - Put @fence into all syncobjs to signal. To be called once; cannot fail. */
void nna_syncs_signal(struct nna_syncs *syncs, struct dma_fence *fence);

#endif

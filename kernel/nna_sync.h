/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sync array of SUBMIT: which fences a job waits for, and which syncobjs get its fence.
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

/** NNA_INLINE_SYNCS - So many of each direction need no allocation. */
#define NNA_INLINE_SYNCS	2u

/**
 * struct nna_sync_out - A syncobj to signal.
 * @syncobj: the syncobj; a reference.
 * @chain: timeline: the node of the new point; else NULL.
 * @point: timeline: the point.
 */
struct nna_sync_out {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/**
 * struct nna_syncs - A sync array that has been looked up; nothing about it can fail any more.
 * @in: fences to wait for; a reference on each.
 * @in_count: how many.
 * @out: syncobjs to signal.
 * @out_count: how many.
 * @inline_in: where @in points to when there are few.
 * @inline_out: the same for @out.
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
 * nna_syncs_init() - Check and look up.
 * @syncs: filled in.
 * @file: whose handles they are.
 * @array: the array.
 * @count: elements.
 *
 * Return: 0, -EINVAL (malformed, or nothing to wait for there yet), -ENOENT, -ENOMEM.
 */
int nna_syncs_init(struct nna_syncs *syncs, struct drm_file *file,
		   const struct drm_nna_sync *array, u32 count);

/** nna_syncs_fini() - Drop what is left. */
void nna_syncs_fini(struct nna_syncs *syncs);

/** nna_syncs_signal() - Put @fence into all syncobjs to signal; cannot fail, to be called once. */
void nna_syncs_signal(struct nna_syncs *syncs, struct dma_fence *fence);

#endif

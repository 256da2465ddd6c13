/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sync array of SUBMIT: the fences for which a job waits, and the syncobjs that get its fence.
 *
 * nna_syncs_init() does all look-ups and allocations. So nna_syncs_wait() and nna_syncs_signal(),
 * after which a job cannot be taken back, cannot fail. The job owns the struct nna_syncs.
 */
#ifndef NNA_SYNC_H
#define NNA_SYNC_H

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/types.h>

struct dma_fence_chain;
struct drm_file;
struct drm_nna_sync;
struct drm_syncobj;
struct nna_syncs;

/** NNA_MAX_SYNCS - Maximum number of elements of the array. */
#define NNA_MAX_SYNCS	128u

/** NNA_INLINE_SYNCS - This many in-fences, and this many syncobjs to signal, need no allocation. */
#define NNA_INLINE_SYNCS	2u

/**
 * struct nna_sync_in - A fence to wait for.
 * @fence: the fence; a reference.
 * @cb: called when the fence signals, after nna_syncs_wait().
 * @syncs: the sync array that contains this element.
 */
struct nna_sync_in {
	struct dma_fence *fence;
	struct dma_fence_cb cb;
	struct nna_syncs *syncs;
};

/**
 * struct nna_sync_out - A syncobj to signal.
 * @syncobj: the syncobj; a reference.
 * @chain: timeline: the chain node of the new point, owned until nna_syncs_signal(); else NULL.
 * @point: timeline: the point; else 0.
 */
struct nna_sync_out {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/**
 * struct nna_syncs - A sync array after look-up. It points into itself, so it cannot be copied.
 * @in: fences to wait for; @inline_in, or allocated.
 * @in_count: number of elements of @in.
 * @pending: number of fences that have not signalled.
 * @done: called when @pending becomes 0; see nna_syncs_wait().
 * @out: syncobjs to signal; @inline_out, or allocated.
 * @out_count: number of elements of @out.
 * @inline_in: storage of @in for at most NNA_INLINE_SYNCS fences.
 * @inline_out: storage of @out for at most NNA_INLINE_SYNCS syncobjs.
 */
struct nna_syncs {
	struct nna_sync_in *in;
	u32 in_count;
	atomic_t pending;
	void (*done)(struct nna_syncs *syncs);
	struct nna_sync_out *out;
	u32 out_count;
	struct nna_sync_in inline_in[NNA_INLINE_SYNCS];
	struct nna_sync_out inline_out[NNA_INLINE_SYNCS];
};

/**
 * nna_syncs_init() - Check a sync array and look up its handles; may sleep.
 * @syncs: filled in; empty after an error.
 * @file: the file that the handles belong to.
 * @array: the array.
 * @count: its elements.
 *
 * Return: 0, -EINVAL (malformed, or a syncobj to wait for has no fence), -ENOENT (no such handle),
 * -ENOMEM.
 */
int nna_syncs_init(struct nna_syncs *syncs, struct drm_file *file,
		   const struct drm_nna_sync *array, u32 count);

/**
 * nna_syncs_wait() - Add callbacks to the in-fences; does not sleep. Called once; cannot fail.
 * @syncs: the sync array.
 * @done: called once, when all in-fences have signalled: before this function returns, or later in
 *	any context with the lock of a fence held. It is not called after nna_syncs_fini().
 */
void nna_syncs_wait(struct nna_syncs *syncs, void (*done)(struct nna_syncs *syncs));

/** nna_syncs_fini() - Drop all references, and free chain nodes that were not used. */
void nna_syncs_fini(struct nna_syncs *syncs);

/** nna_syncs_signal() - Put @fence into all syncobjs to signal. Called once; cannot fail. */
void nna_syncs_signal(struct nna_syncs *syncs, struct dma_fence *fence);

#endif

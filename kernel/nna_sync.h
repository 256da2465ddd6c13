/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sync array of SUBMIT: which fences a job waits for, and which syncobjs get its fence.
 *
 * nna_syncs_init() looks up and allocates all that is needed, so that nna_syncs_wait() and
 * nna_syncs_signal(), from which on the job cannot be taken back, cannot fail. The job owns the
 * struct nna_syncs.
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

/** NNA_MAX_SYNCS - Most elements of the array. */
#define NNA_MAX_SYNCS	128u

/** NNA_INLINE_SYNCS - Number of in-fences and of syncobjs to signal that need no allocation. */
#define NNA_INLINE_SYNCS	2u

/**
 * struct nna_sync_in - A fence to wait for.
 * @fence: the fence; a reference.
 * @cb: called when it signals; from nna_syncs_wait() on.
 * @syncs: the sync array that it is an element of.
 */
struct nna_sync_in {
	struct dma_fence *fence;
	struct dma_fence_cb cb;
	struct nna_syncs *syncs;
};

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
 * @in: fences to wait for. @inline_in, or allocated.
 * @in_count: how many.
 * @pending: how many of them have not signalled.
 * @done: called when all have; see nna_syncs_wait().
 * @out: syncobjs to signal. @inline_out, or allocated.
 * @out_count: how many.
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
 * Return: 0, -EINVAL (malformed, or a syncobj to wait for has no fence yet), -ENOENT (no such
 * handle), -ENOMEM.
 */
int nna_syncs_init(struct nna_syncs *syncs, struct drm_file *file,
		   const struct drm_nna_sync *array, u32 count);

/**
 * nna_syncs_wait() - Wait for the in-fences, without sleeping. To be called once; cannot fail.
 * @syncs: the sync array.
 * @done: called once, when all in-fences have signalled: perhaps before this function returns, else
 *	in any context and with the lock of a fence held. Not after nna_syncs_fini().
 */
void nna_syncs_wait(struct nna_syncs *syncs, void (*done)(struct nna_syncs *syncs));

/** nna_syncs_fini() - Drop all references and free what nna_syncs_signal() has not used. */
void nna_syncs_fini(struct nna_syncs *syncs);

/** nna_syncs_signal() - Put @fence into all syncobjs to signal. To be called once; cannot fail. */
void nna_syncs_signal(struct nna_syncs *syncs, struct dma_fence *fence);

#endif

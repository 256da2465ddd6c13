/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts: an ordered stream of jobs in one address space, at one priority.
 *
 * A ban is for good: it is set by a completion, in an interrupt, and seen by SUBMIT and by run_job.
 */
#ifndef NNA_CTX_H
#define NNA_CTX_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <drm/gpu_scheduler.h>
#include <drm/nna_accel.h>

#include "nna_regs.h"

struct file;
struct nna_device;
struct nna_vm;

/**
 * struct nna_usage - What the jobs of one file have used; outlives the file with its contexts.
 * @refs: the file and its contexts.
 * @keepalive: a file that nobody opens; holds the DRM device and the module. A reference, as every
 *	fence of the jobs has one.
 * @pid: who opened the file.
 * @comm: that one's name.
 * @ticks: run time per ring.
 */
struct nna_usage {
	struct kref refs;
	struct file *keepalive;
	pid_t pid;
	char comm[TASK_COMM_LEN];
	atomic64_t ticks[NNA_JOB_RINGS];
};

/** nna_usage_create() - All zero, with one reference, or an ERR_PTR. */
struct nna_usage *nna_usage_create(struct nna_device *nna);

/** nna_usage_put() - Drop a reference. */
void nna_usage_put(struct nna_usage *usage);

/**
 * struct nna_ctx - A context.
 * @nna: the device.
 * @usage: of its file; a reference.
 * @vm: its address space; holds a user.
 * @refs: handle and jobs.
 * @ring: index of its ring, which is its priority.
 * @entity: its queue in the ring's scheduler.
 * @lock: keeps arm and push of one job together, and protects @closed.
 * @closed: no more jobs: the handle is gone.
 * @state_lock: protects what follows; taken in interrupts.
 * @state: DRM_NNA_CTX_STATE_*.
 * @fault_address: of the job that banned the context.
 * @fault_status: its status.
 * @fault_command: byte offset of the command that was malformed.
 * @reset_count: jobs lost to resets.
 * @abort_work: ends its jobs that are on the ring.
 */
struct nna_ctx {
	struct nna_device *nna;
	struct nna_usage *usage;
	struct nna_vm *vm;
	struct kref refs;
	u32 ring;
	struct drm_sched_entity entity;
	struct mutex lock;
	bool closed;
	spinlock_t state_lock;
	u32 state;
	u64 fault_address;
	u32 fault_status;
	u32 fault_command;
	u32 reset_count;
	struct work_struct abort_work;
};

/** nna_ctx_create() - Make a context in @vm at @priority, with one reference, or an ERR_PTR. */
struct nna_ctx *nna_ctx_create(struct nna_device *nna, struct nna_vm *vm, struct nna_usage *usage,
			       u32 priority);

static inline struct nna_ctx *nna_ctx_get(struct nna_ctx *ctx)
{
	kref_get(&ctx->refs);
	return ctx;
}

/** nna_ctx_put() - Drop a reference; may be NULL. Not in interrupts. */
void nna_ctx_put(struct nna_ctx *ctx);

/** nna_ctx_close() - Take no more jobs and drop those that have not started. */
void nna_ctx_close(struct nna_ctx *ctx);

/** nna_ctx_is_banned() - Whether it takes no more jobs. */
static inline bool nna_ctx_is_banned(const struct nna_ctx *ctx)
{
	return READ_ONCE(ctx->state) & DRM_NNA_CTX_STATE_BANNED;
}

/**
 * nna_ctx_ban() - Ban because of a job's status; any context.
 * @ctx: the context.
 * @status: an &enum nna_status.
 * @detail: of the completion.
 *
 * Return: whether it had not been banned before.
 */
bool nna_ctx_ban(struct nna_ctx *ctx, u32 status, u64 detail);

/** nna_ctx_mark_guilty() - Ban because a job of the context hung the device; any context. */
void nna_ctx_mark_guilty(struct nna_ctx *ctx);

/** nna_ctx_mark_innocent() - Note that a job was lost to a reset it did not cause; any context. */
void nna_ctx_mark_innocent(struct nna_ctx *ctx);

/** nna_ctx_get_state() - Fill in what CTX_GET_STATE returns. */
void nna_ctx_get_state(struct nna_ctx *ctx, struct drm_nna_ctx_get_state *state);

#endif

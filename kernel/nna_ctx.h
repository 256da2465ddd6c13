/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts: an ordered stream of jobs in one address space, at one priority. A context has an
 * entity of its ring's scheduler. Its id and its jobs hold references on it, so the entity has no
 * jobs when the last reference is dropped. Jobs wait outside of the scheduler (nna_gate.h) and are
 * never taken out of it: those of a closed or banned context that wait end at once, and run_job
 * ends those that it gets.
 *
 * A context is banned when one of its jobs faults, is malformed, exceeds its budget or hangs the
 * device. The completion of that job bans it, in an interrupt; SUBMIT and run_job check the ban. A
 * ban is permanent.
 *
 * struct nna_usage is the state that a file and its contexts share and that outlives the file: run
 * times, the name of the process, and the keepalive. The keepalive is an anonymous file without a
 * descriptor that holds a reference on the DRM device and, through the owner of its file
 * operations, on the module. A fence may be the last user of both, and be freed in any context.
 * Code of the module cannot drop the last reference on the module. fput() can: it is deferred, and
 * the VFS drops the module after the release function has returned.
 */
#ifndef NNA_CTX_H
#define NNA_CTX_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <drm/gpu_scheduler.h>
#include <drm/nna_accel.h>

#include "nna_gate.h"
#include "nna_regs.h"
#include "nna_share.h"

struct file;
struct nna_device;
struct nna_user;
struct nna_vm;

/** NNA_MAX_USER_CTXS - Maximum number of contexts of one user, those whose jobs end included. */
#define NNA_MAX_USER_CTXS	4096u
/** NNA_MAX_CTX_JOBS - Job quota of a context: its jobs that have not ended. */
#define NNA_MAX_CTX_JOBS	1024u
/** NNA_MAX_FILE_JOBS - Job quota of a file: jobs of all its contexts that have not ended. */
#define NNA_MAX_FILE_JOBS	4096u

/**
 * struct nna_usage - Use of the device by one file.
 * @refs: references of the file and its contexts.
 * @keepalive: holds the DRM device and the module; a reference. Each job's fence holds one, too.
 * @user: the user that the file belongs to; a reference. Constant once the file has a context.
 * @pid: process that opened the file, in the initial namespace.
 * @comm: name of that process.
 * @jobs: jobs that the device has ended.
 * @faults: of these, jobs with a status other than OK or YIELDED.
 * @lost: jobs on the rings that a reset or the loss of the device ended.
 * @ticks: run time of jobs that have ended, per ring.
 * @quota_used: jobs that have not ended, and calls of SUBMIT that hold quota for one.
 * @shares: the file's share of each job ring; protected by the lock of the ring's gates.
 * @quota_waitq: woken when @quota_used falls, or when a context is closed or banned.
 */
struct nna_usage {
	struct kref refs;
	struct file *keepalive;
	struct nna_user *user;
	pid_t pid;
	char comm[TASK_COMM_LEN];
	atomic64_t jobs;
	atomic64_t faults;
	atomic64_t lost;
	atomic64_t ticks[NNA_JOB_RINGS];
	atomic_t quota_used;
	wait_queue_head_t quota_waitq;
	struct nna_share shares[NNA_JOB_RINGS];
};

/** nna_usage_create() - Create the usage of a new file of the current process; or an ERR_PTR. */
struct nna_usage *nna_usage_create(struct nna_device *nna);

/**
 * nna_usage_set_user() - Make a file without contexts belong to another user.
 * @usage: its usage.
 * @user: the user; takes over a reference.
 *
 * Return: the former user; the caller gets the reference.
 */
struct nna_user *nna_usage_set_user(struct nna_usage *usage, struct nna_user *user);

/** nna_usage_put() - Drop a reference; any context. */
void nna_usage_put(struct nna_usage *usage);

/**
 * struct nna_ctx - A context.
 * @nna: the device.
 * @usage: usage of its file; a reference.
 * @vm: its address space; a reference.
 * @refs: references of its id, its jobs and @abort_work.
 * @ring: index of its ring, which is its priority.
 * @entity: its queue in the ring's scheduler.
 * @gates: the queue of its jobs' gates.
 * @quota_used: as nna_usage.quota_used, of this context.
 * @lock: held while a job's fence is published and the job put into @gates, so that jobs start in
 *	the order of their publication; protects @closed.
 * @closed: user space has destroyed it, and it takes no more jobs; run_job reads it without the
 *	lock.
 * @state_lock: protects the fields up to @reset_count; taken in interrupts.
 * @state: DRM_NNA_CTX_STATE_*; may be read without the lock.
 * @fault_address: the address of the fault that banned the context first, or 0.
 * @fault_status: the status of that job, an &enum nna_status.
 * @fault_command: byte offset of the malformed command of that job, or 0.
 * @reset_count: jobs that resets ended.
 * @abort_work: aborts its jobs that are on the ring; holds a reference while it is queued.
 */
struct nna_ctx {
	struct nna_device *nna;
	struct nna_usage *usage;
	struct nna_vm *vm;
	struct kref refs;
	u32 ring;
	struct drm_sched_entity entity;
	struct nna_gate_queue gates;
	atomic_t quota_used;
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

/** nna_ctx_create() - Create a context in @vm; or an ERR_PTR (-ENOMEM, -ENOSPC). May sleep. */
struct nna_ctx *nna_ctx_create(struct nna_device *nna, struct nna_vm *vm, struct nna_usage *usage,
			       u32 priority);

static inline struct nna_ctx *nna_ctx_get(struct nna_ctx *ctx)
{
	kref_get(&ctx->refs);
	return ctx;
}

/** nna_ctx_put() - Drop a reference on @ctx, which may be NULL; not in interrupts. */
void nna_ctx_put(struct nna_ctx *ctx);

/** nna_ctx_close() - Take no more jobs, abort those on the ring, end the others. May sleep. */
void nna_ctx_close(struct nna_ctx *ctx);

/** nna_ctx_is_banned() - Whether the context is banned; any context. */
static inline bool nna_ctx_is_banned(const struct nna_ctx *ctx)
{
	return READ_ONCE(ctx->state) & DRM_NNA_CTX_STATE_BANNED;
}

/** nna_ctx_is_over() - Whether the context is closed or banned; any context. */
static inline bool nna_ctx_is_over(const struct nna_ctx *ctx)
{
	return nna_ctx_is_banned(ctx) || READ_ONCE(ctx->closed);
}

/**
 * nna_ctx_take_quota() - Charge one more job to the job quotas, or wait for room; may sleep.
 * @ctx: the context.
 * @nonblock: do not wait.
 *
 * The quotas are NNA_MAX_CTX_JOBS of the context and NNA_MAX_FILE_JOBS of its file.
 *
 * Must not be called inside drm_dev_enter(): unbind waits for that, and has to end this wait.
 *
 * Return: 0, -EAGAIN (@nonblock, and a quota is used up), -ERESTARTSYS, -ENOENT (the context is
 * closed), -ECANCELED (it is banned), -ENODEV (the device is lost).
 */
int nna_ctx_take_quota(struct nna_ctx *ctx, bool nonblock);

/** nna_ctx_give_quota() - Give back what nna_ctx_take_quota() has charged; any context. */
void nna_ctx_give_quota(struct nna_ctx *ctx);

/** nna_ctx_abort() - Queue work that aborts the jobs of the context on the ring; any context. */
void nna_ctx_abort(struct nna_ctx *ctx);

/**
 * nna_ctx_ban() - Ban the context for a job's status, and abort its other jobs; any context.
 * @ctx: the context.
 * @status: status of the job's completion, an &enum nna_status.
 * @detail: detail of the completion: an address, or the offset of a command.
 *
 * Return: true if the context was not banned before.
 */
bool nna_ctx_ban(struct nna_ctx *ctx, u32 status, u64 detail);

/** nna_ctx_mark_guilty() - Ban the context because its job hung the device; any context. */
void nna_ctx_mark_guilty(struct nna_ctx *ctx);

/** nna_ctx_mark_innocent() - Note that a reset ended a job that did not cause it; any context. */
void nna_ctx_mark_innocent(struct nna_ctx *ctx);

/** nna_ctx_get_state() - Fill in the result of CTX_GET_STATE; not in interrupts. */
void nna_ctx_get_state(struct nna_ctx *ctx, struct drm_nna_ctx_get_state *state);

#endif

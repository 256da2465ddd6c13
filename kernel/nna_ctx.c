// SPDX-License-Identifier: GPL-2.0-only
/* Contexts, and the usage of files: see nna_ctx.h. */

#include <linux/anon_inodes.h>
#include <linux/cred.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <kunit/static_stub.h>
#include <drm/drm_drv.h>
#include <drm/nna_accel.h>

#include "nna_control.h"
#include "nna_core.h"
#include "nna_ctx.h"
#include "nna_gate.h"
#include "nna_ring.h"
#include "nna_sched.h"
#include "nna_share.h"
#include "nna_trace.h"
#include "nna_user.h"
#include "nna_vm.h"

static void nna_ctx_abort_work(struct work_struct *work)
{
	struct nna_ctx *ctx = container_of(work, struct nna_ctx, abort_work);
	u32 seqnos[NNA_RING_SIZE];
	u32 count, i;

	count = nna_ring_find(&ctx->nna->rings[ctx->ring], ctx, seqnos);
	for (i = 0; i < count; i++)
		if (nna_control_abort(ctx->nna, ctx->ring, seqnos[i]))
			break;
	nna_ctx_put(ctx);
}

void nna_ctx_abort(struct nna_ctx *ctx)
{
	nna_ctx_get(ctx);
	/* If the work is already queued, it holds another reference: this is not the last one. */
	if (!queue_work(ctx->nna->cleanup_wq, &ctx->abort_work))
		nna_ctx_put(ctx);
}

static int nna_keepalive_release(struct inode *inode, struct file *keepalive)
{
	drm_dev_put(keepalive->private_data);
	return 0;
}

/* .owner makes the keepalive hold the module, see nna_ctx.h. */
static const struct file_operations nna_keepalive_fops = {
	.owner = THIS_MODULE,
	.release = nna_keepalive_release,
};

struct nna_usage *nna_usage_create(struct nna_device *nna)
{
	struct nna_user_key key = nna_user_key_of(current_cred());
	struct nna_usage *usage;
	struct file *keepalive;
	unsigned int i;

	KUNIT_STATIC_STUB_REDIRECT(nna_usage_create, nna);
	usage = kzalloc(sizeof(*usage), GFP_KERNEL_ACCOUNT);
	if (!usage)
		return ERR_PTR(-ENOMEM);
	usage->user = nna_user_find(nna, &key);
	if (IS_ERR(usage->user)) {
		void *err = usage->user;

		kfree(usage);
		return err;
	}
	keepalive = anon_inode_getfile("[nna]", &nna_keepalive_fops, &nna->drm, O_RDONLY);
	if (IS_ERR(keepalive)) {
		nna_user_put(usage->user);
		kfree(usage);
		return ERR_CAST(keepalive);
	}
	drm_dev_get(&nna->drm);
	usage->keepalive = keepalive;
	kref_init(&usage->refs);
	init_waitqueue_head(&usage->quota_waitq);
	for (i = 0; i < NNA_JOB_RINGS; i++)
		nna_share_init(&usage->shares[i], &usage->user->shares[i]);
	usage->pid = task_tgid_nr(current);
	get_task_comm(usage->comm, current);
	return usage;
}

struct nna_user *nna_usage_set_user(struct nna_usage *usage, struct nna_user *user)
{
	struct nna_user *old = usage->user;
	unsigned int i;

	usage->user = user;
	for (i = 0; i < NNA_JOB_RINGS; i++)
		usage->shares[i].user = &user->shares[i];
	return old;
}

static void nna_usage_release(struct kref *kref)
{
	struct nna_usage *usage = container_of(kref, struct nna_usage, refs);

	/* Before the keepalive, which holds the device with its table of users. */
	nna_user_put(usage->user);
	fput(usage->keepalive);
	kfree(usage);
}

void nna_usage_put(struct nna_usage *usage)
{
	kref_put(&usage->refs, nna_usage_release);
}

struct nna_ctx *nna_ctx_create(struct nna_device *nna, struct nna_vm *vm, struct nna_usage *usage,
			       u32 priority)
{
	struct drm_gpu_scheduler *sched = nna_sched_of_ring(nna, priority);
	struct nna_ctx *ctx;
	int ret;

	if (NNA_IOCTL_DBG(&nna->drm, !atomic_add_unless(&usage->user->ctxs, 1, NNA_MAX_USER_CTXS)))
		return ERR_PTR(-ENOSPC);
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx) {
		atomic_dec(&usage->user->ctxs);
		return ERR_PTR(-ENOMEM);
	}
	ctx->nna = nna;
	ctx->ring = priority;
	kref_init(&ctx->refs);
	mutex_init(&ctx->lock);
	spin_lock_init(&ctx->state_lock);
	INIT_WORK(&ctx->abort_work, nna_ctx_abort_work);
	nna_gate_queue_init(&ctx->gates, nna, priority, &usage->shares[priority]);

	ret = drm_sched_entity_init(&ctx->entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1, NULL);
	if (ret) {
		mutex_destroy(&ctx->lock);
		kfree(ctx);
		atomic_dec(&usage->user->ctxs);
		return ERR_PTR(ret);
	}
	ctx->vm = nna_vm_get(vm);
	ctx->usage = usage;
	kref_get(&usage->refs);
	return ctx;
}

static void nna_ctx_release(struct kref *kref)
{
	struct nna_ctx *ctx = container_of(kref, struct nna_ctx, refs);

	/* The last job has ended, and the scheduler does not use the entity after that. */
	drm_sched_entity_fini(&ctx->entity);
	atomic_dec(&ctx->usage->user->ctxs);
	nna_usage_put(ctx->usage);
	nna_vm_put(ctx->vm);
	mutex_destroy(&ctx->lock);
	kfree(ctx);
}

void nna_ctx_put(struct nna_ctx *ctx)
{
	if (ctx)
		kref_put(&ctx->refs, nna_ctx_release);
}

static bool nna_ctx_try_quota(struct nna_ctx *ctx)
{
	if (!atomic_add_unless(&ctx->quota_used, 1, NNA_MAX_CTX_JOBS))
		return false;
	if (atomic_add_unless(&ctx->usage->quota_used, 1, NNA_MAX_FILE_JOBS))
		return true;
	atomic_dec(&ctx->quota_used);
	return false;
}

int nna_ctx_take_quota(struct nna_ctx *ctx, bool nonblock)
{
	bool taken = false;
	int ret;

	if (!nna_ctx_is_over(ctx) && !nna_core_is_lost(ctx->nna)) {
		taken = nna_ctx_try_quota(ctx);
		if (!taken && nonblock)
			return -EAGAIN;
	}
	ret = wait_event_interruptible(ctx->usage->quota_waitq,
				       taken || nna_ctx_is_over(ctx) ||
				       nna_core_is_lost(ctx->nna) ||
				       (taken = nna_ctx_try_quota(ctx)));
	if (ret || taken)
		return ret;
	if (nna_core_is_lost(ctx->nna))
		return -ENODEV;
	return nna_ctx_is_banned(ctx) ? -ECANCELED : -ENOENT;
}

void nna_ctx_give_quota(struct nna_ctx *ctx)
{
	struct nna_usage *usage = ctx->usage;

	atomic_dec(&ctx->quota_used);
	atomic_dec(&usage->quota_used);
	if (wq_has_sleeper(&usage->quota_waitq))
		wake_up_all(&usage->quota_waitq);
}

/* Ends what waits in a context that is over: its jobs, and calls of SUBMIT. Any context. */
static void nna_ctx_doom(struct nna_ctx *ctx)
{
	nna_gate_queue_doom(&ctx->gates);
	wake_up_all(&ctx->usage->quota_waitq);
	nna_ctx_abort(ctx);
}

void nna_ctx_close(struct nna_ctx *ctx)
{
	mutex_lock(&ctx->lock);
	WRITE_ONCE(ctx->closed, true);
	mutex_unlock(&ctx->lock);

	nna_ctx_doom(ctx);
}

static void nna_ctx_ban_locked(struct nna_ctx *ctx, u32 state)
{
	lockdep_assert_held(&ctx->state_lock);
	WRITE_ONCE(ctx->state, ctx->state | state | DRM_NNA_CTX_STATE_BANNED);
}

bool nna_ctx_ban(struct nna_ctx *ctx, u32 status, u64 detail)
{
	bool fault = status == NNA_STATUS_FAULT_MMU || status == NNA_STATUS_FAULT_BUS;
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&ctx->state_lock, flags);
	first = !nna_ctx_is_banned(ctx);
	if (first) {
		ctx->fault_status = status;
		ctx->fault_address = fault ? detail : 0;
		ctx->fault_command = fault || status == NNA_STATUS_BUDGET ? 0 : detail;
	}
	nna_ctx_ban_locked(ctx, status == NNA_STATUS_BUDGET ? DRM_NNA_CTX_STATE_TIMEDOUT :
			   DRM_NNA_CTX_STATE_FAULTED);
	spin_unlock_irqrestore(&ctx->state_lock, flags);
	if (first) {
		trace_nna_fault(ctx->vm->asid, status, ctx->fault_address, ctx->fault_command);
		nna_ctx_doom(ctx);
	}
	return first;
}

void nna_ctx_mark_guilty(struct nna_ctx *ctx)
{
	unsigned long flags;

	spin_lock_irqsave(&ctx->state_lock, flags);
	nna_ctx_ban_locked(ctx, DRM_NNA_CTX_STATE_TIMEDOUT);
	ctx->reset_count++;
	spin_unlock_irqrestore(&ctx->state_lock, flags);
	nna_ctx_doom(ctx);
}

void nna_ctx_mark_innocent(struct nna_ctx *ctx)
{
	unsigned long flags;

	spin_lock_irqsave(&ctx->state_lock, flags);
	/* A banned context is not innocent. */
	if (!nna_ctx_is_banned(ctx))
		WRITE_ONCE(ctx->state, ctx->state | DRM_NNA_CTX_STATE_INNOCENT);
	ctx->reset_count++;
	spin_unlock_irqrestore(&ctx->state_lock, flags);
}

void nna_ctx_get_state(struct nna_ctx *ctx, struct drm_nna_ctx_get_state *state)
{
	spin_lock_irq(&ctx->state_lock);
	state->state = ctx->state;
	state->fault_address = ctx->fault_address;
	state->fault_status = ctx->fault_status;
	state->fault_command = ctx->fault_command;
	state->reset_count = ctx->reset_count;
	state->pad = 0;
	spin_unlock_irq(&ctx->state_lock);
}

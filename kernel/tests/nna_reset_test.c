// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices that hang, lose interrupts, write wrong completions, cannot be reset or are unplugged,
 * with jobs on their rings.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/ktime.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>

#include "nna_fake.h"
#include "../nna_control.h"
#include "../nna_ctx.h"
#include "../nna_gem.h"
#include "../nna_job.h"
#include "../nna_reset.h"
#include "../nna_vm.h"

#define NNA_TEST_RING	DRM_NNA_CTX_PRIORITY_MEDIUM

static struct nna_ctx *nna_reset_ctx(struct kunit *test, u32 priority)
{
	u32 vm;

	nna_fake_vm(to_nna_fake(test), &vm);
	return nna_fake_ctx(to_nna_fake(test), vm, priority, NULL);
}

static u32 nna_reset_state(struct nna_ctx *ctx, u32 *resets)
{
	struct drm_nna_ctx_get_state state = {};

	nna_ctx_get_state(ctx, &state);
	*resets = state.reset_count;
	return state.state;
}

/* The end of every test: the next job runs without error. */
static void nna_reset_works_again(struct kunit *test, struct nna_ctx *ctx)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	KUNIT_ASSERT_EQ(test, 1u, nna_fake_pending(fake, ctx->ring));
	nna_fake_complete(fake, ctx->ring, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

/* A job hangs and can be aborted: only that job ends, without a reset. */
static void nna_reset_hang_aborted(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_ctx *same = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_ctx *other = nna_reset_ctx(test, NNA_TEST_RING + 1);
	struct dma_fence *hung, *behind, *aside;
	u32 resets;

	hung = nna_fake_start(fake, ctx, 0);
	behind = nna_fake_start(fake, same, 0);
	aside = nna_fake_start(fake, other, 0);
	nna_fake_complete(fake, NNA_TEST_RING + 1, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(aside));
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(hung));
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_BANNED | DRM_NNA_CTX_STATE_TIMEDOUT,
			nna_reset_state(ctx, &resets));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(behind));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(behind));
	KUNIT_EXPECT_EQ(test, 0u, nna_reset_state(same, &resets));
	nna_reset_works_again(test, same);
}

/*
 * A job hangs and cannot be aborted: the device is reset. Completed jobs keep their results, jobs
 * that had been begun are lost, the others run afterwards.
 */
static void nna_reset_hang(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *before = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_ctx *guilty = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_ctx *same = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_ctx *preempted = nna_reset_ctx(test, NNA_TEST_RING - 1);
	struct nna_ctx *waiting = nna_reset_ctx(test, NNA_TEST_RING + 1);
	struct dma_fence *done, *hung, *behind, *lost, *aside;
	u32 resets;

	fake->ignore_aborts = true;
	done = nna_fake_start(fake, before, 0);
	hung = nna_fake_start(fake, guilty, 0);
	behind = nna_fake_start(fake, same, 0);
	lost = nna_fake_start(fake, preempted, 0);
	fake->rings[NNA_TEST_RING + 1].begun = 0;
	aside = nna_fake_start(fake, waiting, 0);
	/* Completed, but without an interrupt. */
	nna_fake_write_completion(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);

	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(hung));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(done));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(lost));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(behind));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(aside));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_complete(fake, NNA_TEST_RING + 1, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(behind));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(aside));

	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_BANNED | DRM_NNA_CTX_STATE_TIMEDOUT,
			nna_reset_state(guilty, &resets));
	KUNIT_EXPECT_EQ(test, 1u, resets);
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_INNOCENT, nna_reset_state(preempted, &resets));
	KUNIT_EXPECT_EQ(test, 1u, resets);
	KUNIT_EXPECT_EQ(test, 0u, nna_reset_state(same, &resets));
	KUNIT_EXPECT_EQ(test, 0u, nna_reset_state(waiting, &resets));
	KUNIT_EXPECT_EQ(test, 0u, nna_reset_state(before, &resets));
	KUNIT_EXPECT_EQ(test, 0u, resets);
	nna_reset_works_again(test, same);
	nna_reset_works_again(test, preempted);
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

/* A job is resubmitted once, so that all jobs end even if resets repeat. */
static void nna_reset_twice(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence;
	u32 resets;

	fake->rings[NNA_TEST_RING].begun = 0;
	fence = nna_fake_start(fake, ctx, 0);
	nna_control_reset_and_wait(fake->nna, "a test");
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
	fake->rings[NNA_TEST_RING].begun = 0;
	nna_control_reset_and_wait(fake->nna, "a test");
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_INNOCENT, nna_reset_state(ctx, &resets));
	nna_reset_works_again(test, ctx);
}

/* Jobs of a banned context are not resubmitted. */
static void nna_reset_banned_is_not_resubmitted(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *hung = nna_fake_start(fake, ctx, 0);
	struct dma_fence *behind = nna_fake_start(fake, ctx, 0);
	u32 resets;

	fake->ignore_aborts = true;
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(hung));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(behind));
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, NNA_TEST_RING));
	/* The second job was also lost, but a guilty context is not innocent. */
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_BANNED | DRM_NNA_CTX_STATE_TIMEDOUT,
			nna_reset_state(ctx, &resets));
	KUNIT_EXPECT_EQ(test, 2u, resets);
}

/* jiffies has wrapped since the last job ended. */
static void nna_reset_hang_after_ages(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);

	fake->nna->last_end_jiffies = jiffies + LONG_MAX / 2;
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(nna_fake_start(fake, ctx, 0)));
}

/* Jobs that end before they begin do not hide a hang. */
static void nna_reset_hang_beside_late_jobs(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *other = nna_reset_ctx(test, NNA_TEST_RING);
	struct drm_nna_submit late = nna_fake_submit_args();
	struct dma_fence *hung, *fence;
	unsigned int i;

	late.deadline_ns = 1;
	hung = nna_fake_start(fake, nna_reset_ctx(test, NNA_TEST_RING), 0);
	for (i = 0; i < 10 && !dma_fence_is_signaled(hung); i++) {
		KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, other, 0, &late, &fence));
		KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_fake_fence_error(fence));
		msleep(fake->nna->timeout_ms / 3);
	}
	KUNIT_EXPECT_TRUE(test, dma_fence_is_signaled(hung));
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(hung));
}

/* Jobs of other rings end, and one job does not: only that job is aborted. */
static void nna_reset_ring_is_hung(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *low = nna_reset_ctx(test, DRM_NNA_CTX_PRIORITY_LOW);
	struct nna_ctx *high = nna_reset_ctx(test, DRM_NNA_CTX_PRIORITY_HIGH);
	struct dma_fence *stuck = nna_fake_start(fake, low, 0), *fence;
	unsigned int i;

	for (i = 0; i < 10 && !dma_fence_is_signaled(stuck); i++) {
		fence = nna_fake_start(fake, high, 0);
		msleep(3000);
		fake->rings[DRM_NNA_CTX_PRIORITY_LOW].run_time += (3ull * NSEC_PER_SEC) >>
								  NNA_RUN_TIME_SHIFT;
		nna_fake_complete(fake, DRM_NNA_CTX_PRIORITY_HIGH, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	}
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(stuck));
	KUNIT_EXPECT_TRUE(test, nna_ctx_is_banned(low));
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(high));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

/* A job hangs and cannot be preempted: the jobs of higher rings are begun, but not guilty. */
static void nna_reset_hung_below(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *low = nna_reset_ctx(test, DRM_NNA_CTX_PRIORITY_LOW);
	struct nna_ctx *high = nna_reset_ctx(test, DRM_NNA_CTX_PRIORITY_HIGH);
	struct dma_fence *aside = nna_fake_start(fake, high, 0);
	struct dma_fence *stuck = nna_fake_start(fake, low, 0);
	u32 resets;

	fake->rings[DRM_NNA_CTX_PRIORITY_HIGH].run_time = NSEC_PER_SEC >> NNA_RUN_TIME_SHIFT;
	/* Less than what nna_ring_is_hung() would find. */
	fake->rings[DRM_NNA_CTX_PRIORITY_LOW].run_time = 5ull * NSEC_PER_SEC >> NNA_RUN_TIME_SHIFT;
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(stuck));
	KUNIT_EXPECT_TRUE(test, nna_ctx_is_banned(low));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(aside));
	nna_fake_complete(fake, DRM_NNA_CTX_PRIORITY_HIGH, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(aside));
	KUNIT_EXPECT_EQ(test, 0u, nna_reset_state(high, &resets));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

static void nna_reset_hang_again_and_again(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *good = nna_reset_ctx(test, DRM_NNA_CTX_PRIORITY_LOW);
	unsigned int i;

	fake->ignore_aborts = true;
	for (i = 0; i < NNA_JOB_RINGS; i++) {
		struct nna_ctx *bad = nna_reset_ctx(test, i);

		KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(nna_fake_start(fake, bad, 0)));
		KUNIT_EXPECT_EQ(test, i + 1, atomic_read(&fake->nna->resets));
		nna_reset_works_again(test, good);
	}
}

static void nna_reset_all_rings_full(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctxs[NNA_JOB_RINGS];
	struct dma_fence **fences;
	unsigned int i, n = NNA_JOB_RINGS * (NNA_RING_SIZE + 8);

	fences = kunit_kcalloc(test, n, sizeof(*fences), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fences);
	for (i = 0; i < NNA_JOB_RINGS; i++)
		ctxs[i] = nna_reset_ctx(test, i);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctxs[i % NNA_JOB_RINGS], 0, NULL,
							 &fences[i]));
	nna_fake_settle(fake);
	nna_control_reset_and_wait(fake->nna, "a test");
	nna_fake_settle(fake);
	/* The first job of each ring had been begun. */
	for (i = 0; i < n; i++) {
		unsigned int ring = i % NNA_JOB_RINGS;

		if (i >= NNA_JOB_RINGS) {
			nna_fake_wait(test, nna_fake_pending(fake, ring));
			nna_fake_complete(fake, ring, NNA_STATUS_OK, 0);
		}
		KUNIT_EXPECT_EQ(test, i < NNA_JOB_RINGS ? -EIO : 0,
				nna_fake_fence_error(fences[i]));
	}
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

/* A job that waits for other rings does not count as hanging, for any time. */
static void nna_reset_starved_is_not_hung(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *low = nna_reset_ctx(test, DRM_NNA_CTX_PRIORITY_LOW);
	struct nna_ctx *high = nna_reset_ctx(test, DRM_NNA_CTX_PRIORITY_HIGH);
	struct dma_fence *starved = nna_fake_start(fake, low, 0), *fence;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		fence = nna_fake_start(fake, high, 0);
		msleep(3000);
		nna_fake_complete(fake, DRM_NNA_CTX_PRIORITY_HIGH, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	}
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(starved));
	nna_fake_complete(fake, DRM_NNA_CTX_PRIORITY_LOW, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(starved));
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(low));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

/*
 * A job that takes long but comes forward is not hanging, for any time; when it has stood still for
 * two seconds it is.
 */
static void nna_reset_slow_is_not_hung(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);
	unsigned int logged = fake->logged;

	KUNIT_EXPECT_NE(test, 0ull, fake->progress);
	fake->comes_forward = true;
	msleep(fake->nna->timeout_ms * 10);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	KUNIT_EXPECT_EQ(test, logged, fake->logged);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	fence = nna_fake_start(fake, ctx, 0);
	fake->comes_forward = false;
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

/* A device that counts no progress: it hangs when no job has ended in time. */
static void nna_reset_hang_without_progress(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);

	fake->nna->progress = NULL;
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(nna_fake_start(fake, ctx, 0)));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

/* The process of the device stands still while the driver asks whether it hangs, and goes on. */
static void nna_reset_stopped_is_not_hung(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	fake->stall_at = NNA_REG_ID;
	fake->stall_ms = 20000;
	nna_fake_wait(test, !READ_ONCE(fake->stall_ms));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(ctx));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
	nna_reset_works_again(test, ctx);
}

/* It stands still in a reset, or in an entry of the control ring: the time does not count. */
static void nna_reset_stopped_meanwhile(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);

	fake->slow_reset = 100;
	fake->stall_at = NNA_REG_STATUS;
	fake->stall_ms = 20000;
	nna_control_reset_and_wait(fake->nna, "a test");
	KUNIT_EXPECT_EQ(test, 0u, fake->slow_reset);
	KUNIT_EXPECT_FALSE(test, nna_core_is_lost(fake->nna));
	KUNIT_EXPECT_NE(test, 0ull, fake->progress);
	nna_reset_works_again(test, ctx);
	fake->slow_reset = UINT_MAX;
	nna_control_reset_and_wait(fake->nna, "a test");
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
}

/* A device that completes its control entries a moment after it goes on. */
struct nna_late_ack {
	struct work_struct work;
	struct nna_fake *fake;
};

static void nna_reset_late_ack(struct work_struct *work)
{
	struct nna_fake *fake = container_of(work, struct nna_late_ack, work)->fake;

	while (READ_ONCE(fake->stall_ms))
		msleep(20);
	nna_fake_resume_control(fake);
}

static void nna_reset_stopped_before_ack(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_late_ack ack = { .fake = fake };

	fake->control_stopped = true;
	fake->stall_at = NNA_REG_ID;
	fake->stall_ms = 20000;
	INIT_WORK_ONSTACK(&ack.work, nna_reset_late_ack);
	queue_work(system_unbound_wq, &ack.work);
	nna_control_invalidate(fake->nna, 1, 0x10000, 0x1000);
	flush_work(&ack.work);
	destroy_work_on_stack(&ack.work);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

static void nna_reset_lost_interrupt(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	fake->drop_irqs = 1;
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(ctx));
	nna_reset_works_again(test, ctx);
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

/* An interrupt is lost; the interrupt of the next job serves for both. */
static void nna_reset_lost_interrupt_made_up(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *a = nna_fake_start(fake, ctx, 0), *b = nna_fake_start(fake, ctx, 0);

	fake->drop_irqs = 1;
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_BAD_INDEX, 0);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, -ERANGE, nna_fake_fence_error(a));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(b));
}

static void nna_reset_lost_control_interrupt(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	fake->drop_irqs = 1;
	KUNIT_EXPECT_EQ(test, 0, nna_control_ping(fake->nna));
	fake->drop_irqs = 1;
	nna_control_invalidate(fake->nna, 1, 0x10000, 0x1000);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

static void nna_reset_spurious_interrupts(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence;
	unsigned int i;

	for (i = 0; i < NNA_RINGS; i++)
		nna_fake_irq(fake, i);
	fence = nna_fake_start(fake, ctx, 0);
	for (i = 0; i < 50; i++)
		nna_fake_irq(fake, i % NNA_RINGS);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

static void nna_reset_corrupt_completion(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);
	u32 resets;

	nna_fake_corrupt(fake, NNA_TEST_RING);
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&fake->nna->resets));
	/* The device failed, not the job. */
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_INNOCENT, nna_reset_state(ctx, &resets));
	nna_reset_works_again(test, ctx);
}

/*
 * The device fails on one ring: completed jobs keep their results; jobs that had been begun end
 * with -EIO, or with -ECANCELED if their context was banned or destroyed; the others run
 * afterwards.
 */
static void nna_reset_no_job_to_blame(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *failed = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_ctx *before = nna_reset_ctx(test, NNA_TEST_RING - 1);
	struct nna_ctx *running = nna_reset_ctx(test, NNA_TEST_RING - 1);
	struct nna_ctx *behind = nna_reset_ctx(test, NNA_TEST_RING - 1);
	struct nna_ctx *bad = nna_reset_ctx(test, NNA_TEST_RING + 1);
	struct dma_fence *corrupt, *done, *lost, *waiting, *fault, *banned;
	u32 resets;

	/* The ban's ABORT comes too late. */
	fake->ignore_aborts = true;
	corrupt = nna_fake_start(fake, failed, 0);
	done = nna_fake_start(fake, before, 0);
	lost = nna_fake_start(fake, running, 0);
	waiting = nna_fake_start(fake, behind, 0);
	fault = nna_fake_start(fake, bad, 0);
	banned = nna_fake_start(fake, bad, 0);
	nna_fake_complete(fake, NNA_TEST_RING + 1, NNA_STATUS_FAULT_MMU, 0);
	KUNIT_EXPECT_EQ(test, -EFAULT, nna_fake_fence_error(fault));
	nna_fake_write_completion(fake, NNA_TEST_RING - 1, NNA_STATUS_BAD_INDEX, 0);
	nna_fake_corrupt(fake, NNA_TEST_RING);

	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(corrupt));
	KUNIT_EXPECT_EQ(test, -ERANGE, nna_fake_fence_error(done));
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(lost));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(banned));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(waiting));
	nna_fake_complete(fake, NNA_TEST_RING - 1, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(waiting));
	KUNIT_EXPECT_EQ(test, 0u, nna_reset_state(before, &resets));
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_INNOCENT, nna_reset_state(running, &resets));
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_INNOCENT, nna_reset_state(failed, &resets));
}

/*
 * The device fetches no entry: the jobs run after a reset, or end with -EIO if it still does not.
 */
static void nna_reset_nothing_begun(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence;
	u32 resets;

	fake->rings[NNA_TEST_RING].begun = 0;
	fence = nna_fake_start(fake, ctx, 0);
	nna_fake_wait(test, atomic_read(&fake->nna->resets) == 1);
	nna_fake_settle(fake);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	fake->rings[NNA_TEST_RING].begun = 0;
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_INNOCENT, nna_reset_state(ctx, &resets));
	nna_reset_works_again(test, ctx);
}

/* The device does not complete an invalidation: no memory may be freed before a reset. */
static void nna_reset_invalidation_ignored(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	fake->control_stopped = true;
	nna_control_invalidate(fake->nna, ctx->vm->asid, 0x10000, 0x1000);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(fence));
	fake->control_stopped = false;
	nna_reset_works_again(test, ctx);
}

struct nna_reset_invalidation {
	struct work_struct work;
	struct nna_device *nna;
	bool done;
};

static void nna_reset_invalidate(struct work_struct *work)
{
	struct nna_reset_invalidation *i = container_of(work, struct nna_reset_invalidation, work);

	nna_control_invalidate(i->nna, 1, 0x10000, 0x1000);
	WRITE_ONCE(i->done, true);
}

/*
 * The same when a suspend cancels the reset: no memory may be freed before the suspend has reset
 * the device.
 */
static void nna_reset_invalidation_before_sleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_reset_invalidation i = { .nna = fake->nna };

	fake->control_stopped = true;
	/* The first step of nna_reset_suspend(). */
	WRITE_ONCE(fake->nna->suspended, true);
	INIT_WORK_ONSTACK(&i.work, nna_reset_invalidate);
	queue_work(fake->nna->cleanup_wq, &i.work);
	msleep(5000);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(i.done));
	nna_reset_suspend(fake->nna);
	flush_work(&i.work);
	destroy_work_on_stack(&i.work);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
	fake->control_stopped = false;
	nna_reset_resume(fake->nna);
	nna_reset_works_again(test, ctx);
}

/* The first completion of the device is wrong: probe fails and leaks nothing. */
static void nna_reset_corrupt_at_probe(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	nna_fake_close(fake);
	nna_fake_unbind(fake);
	fake->bus_master_disables = 0;
	fake->corrupt_control = 1;
	KUNIT_EXPECT_LT(test, nna_fake_bind(fake), 0);
	KUNIT_EXPECT_EQ(test, 0u, fake->control);
	KUNIT_EXPECT_GE(test, fake->bus_master_disables, 1u);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_open(fake));
	nna_reset_works_again(test, nna_reset_ctx(test, NNA_TEST_RING));
}

static void nna_reset_control_times_out(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	fake->control_stopped = true;
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_control_ping(fake->nna));
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_control_abort(fake->nna, 0, 1));
	/* Completions that come now have no request. */
	nna_fake_resume_control(fake);
	KUNIT_EXPECT_EQ(test, 0, nna_control_ping(fake->nna));
}

static void nna_reset_control_latency(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	u64 before, ns = 0;

	before = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, 0, nna_control_latency(fake->nna, &ns));
	KUNIT_EXPECT_GT(test, ns, 0);
	KUNIT_EXPECT_LE(test, ns, ktime_get_ns() - before);

	fake->control_stopped = true;
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_control_latency(fake->nna, &ns));
	nna_fake_resume_control(fake);
	KUNIT_EXPECT_EQ(test, 0, nna_control_latency(fake->nna, &ns));

	nna_ring_disable(&fake->nna->rings[NNA_CONTROL_RING], -ECANCELED);
	KUNIT_EXPECT_EQ(test, -EIO, nna_control_latency(fake->nna, &ns));
}

struct nna_reset_ping {
	struct work_struct work;
	struct nna_device *nna;
	int error;
};

static void nna_reset_ping(struct work_struct *work)
{
	struct nna_reset_ping *ping = container_of(work, struct nna_reset_ping, work);

	ping->error = nna_control_ping(ping->nna);
}

/* All at once: without time travel, one after the other would take a minute. */
struct nna_reset_blocker {
	struct work_struct work;
	bool done;
};

static void nna_reset_block(struct work_struct *work)
{
	msleep(5000);
	WRITE_ONCE(container_of(work, struct nna_reset_blocker, work)->done, true);
}

/* The work runs after the waiter's time limit: the waiter must not leave it on its stack. */
static void nna_reset_control_latency_late(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_reset_blocker blocker = {};
	u64 ns = 0;

	workqueue_set_max_active(fake->nna->submit_wq, 1);
	INIT_WORK_ONSTACK(&blocker.work, nna_reset_block);
	queue_work(fake->nna->submit_wq, &blocker.work);
	KUNIT_EXPECT_EQ(test, 0, nna_control_latency(fake->nna, &ns));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(blocker.done));
	flush_work(&blocker.work);
	destroy_work_on_stack(&blocker.work);
}

static void nna_reset_control_ring_full(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct workqueue_struct *wq;
	struct nna_reset_ping *pings;
	unsigned int i;

	pings = kunit_kcalloc(test, NNA_RING_SIZE, sizeof(*pings), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pings);
	wq = alloc_workqueue("nna_pings", WQ_UNBOUND, NNA_RING_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, wq);
	fake->control_stopped = true;
	for (i = 0; i < NNA_RING_SIZE; i++) {
		pings[i].nna = fake->nna;
		INIT_WORK(&pings[i].work, nna_reset_ping);
		queue_work(wq, &pings[i].work);
	}
	destroy_workqueue(wq);
	for (i = 0; i < NNA_RING_SIZE; i++)
		KUNIT_EXPECT_EQ(test, -ETIMEDOUT, pings[i].error);
	KUNIT_EXPECT_EQ(test, NNA_RING_SIZE, nna_fake_pending(fake, NNA_CONTROL_RING));
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_control_ping(fake->nna));
	nna_fake_resume_control(fake);
	KUNIT_EXPECT_EQ(test, 0, nna_control_ping(fake->nna));
}

/* Causes of the loss of a device. */
struct nna_loss {
	const char *name;
	void (*spoil)(struct nna_fake *fake);
};

static void nna_loss_refuses_reset(struct nna_fake *fake)
{
	fake->refuse_reset = UINT_MAX;
}

static void nna_loss_refuses_ring(struct nna_fake *fake)
{
	fake->refuse_ring = DRM_NNA_CTX_PRIORITY_HIGH;
}

static void nna_loss_gone(struct nna_fake *fake)
{
	fake->gone = true;
}

static const struct nna_loss nna_losses[] = {
	{ "does not reset", nna_loss_refuses_reset },
	{ "refuses a ring afterwards", nna_loss_refuses_ring },
	{ "is gone", nna_loss_gone },
};
KUNIT_ARRAY_PARAM_DESC(nna_loss, nna_losses, name);

static void nna_reset_lost(struct kunit *test)
{
	const struct nna_loss *loss = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	/* The hanging job has preempted it. */
	struct nna_ctx *other = nna_reset_ctx(test, NNA_TEST_RING - 1);
	struct dma_fence *hung = nna_fake_start(fake, ctx, 0), *aside, *queued, *gate, *fence;
	bool ring = loss->spoil == nna_loss_refuses_ring, gone = loss->spoil == nna_loss_gone;
	u32 in;

	gate = nna_fake_fence(fake, &in);
	aside = nna_fake_start(fake, other, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, other, in, NULL, &queued));
	fake->ignore_aborts = true;
	fake->control_stopped = true;
	loss->spoil(fake);
	/*
	 * A device that does not answer names no guilty job. Where the reset has succeeded, and
	 * only the rings were refused, the jobs have ended by the reset.
	 */
	KUNIT_EXPECT_EQ(test, gone ? -ENODEV : -ETIME, nna_fake_fence_error(hung));
	KUNIT_EXPECT_EQ(test, ring ? -ECANCELED : -ENODEV, nna_fake_fence_error(aside));
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
	KUNIT_EXPECT_GE(test, fake->bus_master_disables, 1u);
	dma_fence_signal(gate);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(queued));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_submit(fake, other, 0, NULL, &fence));
	/* Binds and release work without the device. */
	nna_control_invalidate(fake->nna, 1, 0x10000, 0x1000);
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
	nna_control_reset_and_wait(fake->nna, "a test");
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
}

static void nna_reset_lost_then_bound_again(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	fake->refuse_reset = 1;
	nna_control_reset_and_wait(fake->nna, "a test");
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
	nna_fake_close(fake);
	nna_fake_unbind(fake);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_open(fake));
	nna_reset_works_again(test, nna_reset_ctx(test, NNA_TEST_RING));
}

/* Unplug while jobs run, wait for a ring entry, and wait for an in-fence. */
static void nna_reset_unplug_busy(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_device *nna = fake->nna;
	struct dma_fence *fences[NNA_RING_SIZE + 5];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fences); i++)
		KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, 0, NULL, &fences[i]));
	nna_fake_settle(fake);
	nna_fake_unbind(fake);
	for (i = 0; i < ARRAY_SIZE(fences); i++)
		KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(fences[i]));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nna->job_count));
	KUNIT_EXPECT_GE(test, fake->bus_master_disables, 1u);
	/* Interrupts that were raised before unbind. */
	for (i = 0; i < NNA_RINGS; i++)
		generic_handle_irq_safe(fake->bus.irqs[i]);
}

/* Completions count that were written and whose interrupts the driver has not handled. */
static void nna_reset_unplug_completed(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *done = nna_fake_start(fake, ctx, 0);
	struct dma_fence *failed = nna_fake_start(fake, ctx, 0);
	struct dma_fence *running = nna_fake_start(fake, ctx, 0);

	nna_fake_write_completion(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_write_completion(fake, NNA_TEST_RING, NNA_STATUS_BAD_INDEX, 0);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(done));
	KUNIT_EXPECT_EQ(test, -ERANGE, nna_fake_fence_error(failed));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(running));
}

static void nna_reset_unplug_gone(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_fake_start(fake, nna_reset_ctx(test, NNA_TEST_RING), 0);

	/* The device is gone: its registers read as all ones. */
	fake->gone = true;
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(fence));
}

/* Puts the device into its state after a function level reset. */
static void nna_reset_by_bus(struct nna_fake *fake)
{
	spin_lock_irq(&fake->lock);
	fake->control = 0;
	memset(fake->rings, 0, sizeof(fake->rings));
	spin_unlock_irq(&fake->lock);
}

/*
 * The bus resets the device: completed jobs keep their results, jobs that had been begun end with
 * -EIO, and the others run afterwards, with jobs that were submitted meanwhile.
 */
static void nna_reset_bus(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *done, *begun, *waiting, *meanwhile;
	unsigned int resets;
	u32 lost;

	done = nna_fake_start(fake, ctx, 0);
	begun = nna_fake_start(fake, ctx, 0);
	waiting = nna_fake_start(fake, ctx, 0);
	nna_fake_write_completion(fake, NNA_TEST_RING, NNA_STATUS_BAD_INDEX, 0);
	nna_reset_bus_begin(fake->nna);
	KUNIT_EXPECT_EQ(test, 0u, fake->control);
	meanwhile = nna_fake_start(fake, ctx, 0);
	KUNIT_EXPECT_EQ(test, 2u, nna_fake_pending(fake, NNA_TEST_RING));
	/* The device might still use the memory of the job that it had begun. */
	msleep(fake->nna->timeout_ms * 2);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(begun));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
	resets = fake->resets;
	nna_reset_by_bus(fake);
	nna_reset_bus_end(fake->nna);
	KUNIT_EXPECT_FALSE(test, nna_reset_bus_is_timed(fake->nna));

	KUNIT_EXPECT_EQ(test, -ERANGE, nna_fake_fence_error(done));
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(begun));
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 2u, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(waiting));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(meanwhile));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_EQ(test, resets + 1, fake->resets);
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_INNOCENT, nna_reset_state(ctx, &lost));
	KUNIT_EXPECT_EQ(test, 1u, lost);
	/* The driver can reset the device again: it does not take it for suspended. */
	nna_reset_now(fake->nna, "test", -EIO);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_EQ(test, resets + 2, fake->resets);
}

/* No job is guilty of a hang because the bus takes long to reset the device. */
static void nna_reset_bus_timeout(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *begun = nna_fake_start(fake, ctx, 0);
	unsigned int logged = fake->logged;
	u32 lost;

	nna_reset_bus_begin(fake->nna);
	msleep(fake->nna->timeout_ms * 3);
	KUNIT_EXPECT_EQ(test, logged, fake->logged);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(begun));
	nna_reset_by_bus(fake);
	nna_reset_bus_end(fake->nna);
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(begun));
	KUNIT_EXPECT_EQ(test, DRM_NNA_CTX_STATE_INNOCENT, nna_reset_state(ctx, &lost));
	KUNIT_EXPECT_EQ(test, 1u, lost);
	nna_reset_works_again(test, ctx);
}

/* A bus error during which the registers do not answer. */
static void nna_reset_bus_frozen(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *begun = nna_fake_start(fake, ctx, 0);

	fake->gone = true;
	nna_reset_bus_begin(fake->nna);
	nna_reset_bus_begin(fake->nna);
	fake->gone = false;
	nna_reset_by_bus(fake);
	nna_reset_bus_end(fake->nna);
	nna_reset_bus_end(fake->nna);
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(begun));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&fake->nna->resets));
	KUNIT_EXPECT_FALSE(test, nna_core_is_lost(fake->nna));
	nna_reset_works_again(test, ctx);
}

/* The bus does not recover: it reports this, or reports nothing until the time limit. */
static void nna_reset_bus_lost(struct kunit *test)
{
	const bool *says = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *begun = nna_fake_start(fake, ctx, 0), *queued, *fence;

	fake->gone = true;
	nna_reset_bus_begin(fake->nna);
	queued = nna_fake_start(fake, ctx, 0);
	if (*says)
		nna_reset_bus_lose(fake->nna);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(begun));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(queued));
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
	KUNIT_EXPECT_GE(test, fake->bus_master_disables, 1u);
	/* After the time limit. */
	fake->gone = false;
	nna_reset_bus_end(fake->nna);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_submit(fake, ctx, 0, NULL, &fence));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

static const bool nna_bus_losses[] = { false, true };

static void nna_bus_loss_desc(const bool *says, char *desc)
{
	strscpy(desc, *says ? "permanent failure" : "no recovery", KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(nna_bus_loss, nna_bus_losses, nna_bus_loss_desc);

/* The bus loses a device without an attempt to recover, while a job runs. */
static void nna_reset_bus_lost_at_once(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_fake_start(fake, nna_reset_ctx(test, NNA_TEST_RING), 0);

	fake->gone = true;
	nna_reset_bus_lose(fake->nna);
	KUNIT_EXPECT_FALSE(test, nna_reset_bus_is_timed(fake->nna));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(fence));
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
}

/* An invalidation during a reset by the bus: no memory may be freed before its end. */
static void nna_reset_bus_invalidation(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_reset_invalidation i = { .nna = fake->nna };

	nna_reset_bus_begin(fake->nna);
	fake->control_stopped = true;
	INIT_WORK_ONSTACK(&i.work, nna_reset_invalidate);
	queue_work(fake->nna->cleanup_wq, &i.work);
	msleep(5000);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(i.done));
	nna_reset_by_bus(fake);
	fake->control_stopped = false;
	nna_reset_bus_end(fake->nna);
	flush_work(&i.work);
	destroy_work_on_stack(&i.work);
	nna_reset_works_again(test, nna_reset_ctx(test, NNA_TEST_RING));
}

/* Blocks the reset workqueue by a work item that runs until the test ends it. */
struct nna_reset_hold {
	struct work_struct work;
	struct completion end;
};

static void nna_reset_hold_work(struct work_struct *work)
{
	wait_for_completion(&container_of(work, struct nna_reset_hold, work)->end);
}

static void nna_reset_hold_queue(struct nna_device *nna, struct nna_reset_hold *hold)
{
	init_completion(&hold->end);
	INIT_WORK_ONSTACK(&hold->work, nna_reset_hold_work);
	queue_work(nna->reset_wq, &hold->work);
}

static void nna_reset_let_go(struct nna_reset_hold *hold)
{
	complete(&hold->end);
	flush_work(&hold->work);
	destroy_work_on_stack(&hold->work);
}

/* A suspend cancels a reset that has not begun. */
static void nna_reset_not_asleep(struct kunit *test)
{
	struct nna_device *nna = to_nna_fake(test)->nna;
	struct nna_reset_hold hold;

	nna_reset_hold_queue(nna, &hold);
	nna_core_schedule_reset(nna, "a test");
	nna_reset_suspend(nna);
	KUNIT_EXPECT_FALSE(test, work_pending(&nna->reset_work));
	nna_reset_let_go(&hold);
	nna_reset_resume(nna);
	nna_reset_works_again(test, nna_reset_ctx(test, NNA_TEST_RING));
}

/* Unbind cancels a reset that has not begun. */
static void nna_reset_not_unbound(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_device *nna = fake->nna;
	struct nna_reset_hold hold;

	nna_reset_hold_queue(nna, &hold);
	nna_core_schedule_reset(nna, "a test");
	nna_fake_unbind(fake);
	KUNIT_EXPECT_FALSE(test, work_pending(&nna->reset_work));
	nna_reset_let_go(&hold);
}

struct nna_reset_beginning {
	struct work_struct work;
	struct nna_device *nna;
	bool begun;
};

static void nna_reset_begin_work(struct work_struct *work)
{
	struct nna_reset_beginning *b = container_of(work, struct nna_reset_beginning, work);

	nna_reset_bus_begin(b->nna);
	WRITE_ONCE(b->begun, true);
}

/* A reset by the bus waits for timeout handlers, which read registers. */
static void nna_reset_bus_waits_for_timeouts(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_reset_beginning beginning = { .nna = fake->nna };
	struct nna_reset_hold timeout;

	nna_reset_hold_queue(fake->nna, &timeout);
	INIT_WORK_ONSTACK(&beginning.work, nna_reset_begin_work);
	schedule_work(&beginning.work);
	msleep(1000);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(beginning.begun));
	nna_reset_let_go(&timeout);
	flush_work(&beginning.work);
	destroy_work_on_stack(&beginning.work);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(beginning.begun));
	nna_reset_by_bus(fake);
	nna_reset_bus_end(fake->nna);
	nna_reset_works_again(test, nna_reset_ctx(test, NNA_TEST_RING));
}

/* Unbind before the bus has recovered. */
static void nna_reset_bus_unplug(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *begun = nna_fake_start(fake, ctx, 0), *queued;
	int usage = atomic_read(&fake->dev->power.usage_count);

	nna_reset_bus_begin(fake->nna);
	queued = nna_fake_start(fake, ctx, 0);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(begun));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(queued));
	/* The job has dropped its reference, and pm_runtime_forbid() has taken one. */
	KUNIT_EXPECT_EQ(test, usage, atomic_read(&fake->dev->power.usage_count));
}

struct nna_reset_later {
	struct work_struct work;
	struct dma_fence *fence;
};

static void nna_reset_signal_later(struct work_struct *work)
{
	msleep(2000);
	dma_fence_signal(container_of(work, struct nna_reset_later, work)->fence);
}

static void nna_reset_unplug_waiting(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct nna_reset_later later;
	struct dma_fence *fence;
	u32 in;

	/* A fence of another driver signals during unbind. */
	later.fence = nna_fake_fence(fake, &in);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, in, NULL, &fence));
	INIT_WORK_ONSTACK(&later.work, nna_reset_signal_later);
	queue_work(fake->wq, &later.work);
	nna_fake_unbind(fake);
	flush_work(&later.work);
	destroy_work_on_stack(&later.work);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(fence));
}

static void nna_reset_unplug_during_timeout(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_fake_start(fake, nna_reset_ctx(test, NNA_TEST_RING), 0);

	/* The timeout handler waits for progress, and then for an ABORT that is not completed. */
	fake->control_stopped = true;
	msleep(fake->nna->timeout_ms + 2700);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	nna_fake_unbind(fake);
	KUNIT_EXPECT_LT(test, nna_fake_fence_error(fence), 0);
}

/* Unplug leaves no DMA mapping of an object that lives on. */
static void nna_reset_unplug_unmaps(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_vm_bind_op op = {
		.type = DRM_NNA_VM_BIND_OP_MAP, .va = SZ_1M, .size = SZ_64K,
	};
	struct drm_gem_object *obj;
	struct nna_vm *vm;
	struct nna_bo *bo;
	u32 id;

	vm = nna_fake_vm(fake, &id);
	op.bo_handle = nna_fake_bo(fake, SZ_64K, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_bind(vm, fake->file, &op, 1));
	obj = drm_gem_object_lookup(fake->file, op.bo_handle);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	bo = to_nna_bo(obj);
	KUNIT_EXPECT_NOT_NULL(test, bo->base.sgt);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_NULL(test, bo->base.sgt);
	KUNIT_EXPECT_NOT_NULL(test, bo->base.pages);
	drm_gem_object_put(obj);
}

static void nna_reset_unplug_then_use(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *fence;

	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_submit(fake, ctx, 0, NULL, &fence));
	nna_fake_close(fake);
}

static void nna_reset_unplug_after_ban(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_reset_ctx(test, NNA_TEST_RING);
	struct dma_fence *a = nna_fake_start(fake, ctx, 0), *b = nna_fake_start(fake, ctx, 0);

	/* The ban queues an ABORT of the second job; unbind does not wait for it. */
	fake->control_stopped = true;
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_FAULT_MMU, 0);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, -EFAULT, nna_fake_fence_error(a));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(b));
}

static void nna_reset_close_during_hang(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_fake_start(fake, nna_reset_ctx(test, NNA_TEST_RING), 0);

	fake->ignore_aborts = true;
	nna_fake_close(fake);
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(fence));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&fake->nna->resets));
}

static struct kunit_case nna_reset_cases[] = {
	KUNIT_CASE(nna_reset_hang_aborted),
	KUNIT_CASE(nna_reset_hang),
	KUNIT_CASE(nna_reset_twice),
	KUNIT_CASE(nna_reset_banned_is_not_resubmitted),
	KUNIT_CASE(nna_reset_slow_is_not_hung),
	KUNIT_CASE(nna_reset_hang_without_progress),
	KUNIT_CASE(nna_reset_stopped_is_not_hung),
	KUNIT_CASE(nna_reset_stopped_meanwhile),
	KUNIT_CASE(nna_reset_stopped_before_ack),
	KUNIT_CASE(nna_reset_hang_after_ages),
	KUNIT_CASE(nna_reset_hang_beside_late_jobs),
	KUNIT_CASE(nna_reset_ring_is_hung),
	KUNIT_CASE(nna_reset_hung_below),
	KUNIT_CASE(nna_reset_hang_again_and_again),
	KUNIT_CASE(nna_reset_all_rings_full),
	KUNIT_CASE(nna_reset_starved_is_not_hung),
	KUNIT_CASE(nna_reset_lost_interrupt),
	KUNIT_CASE(nna_reset_lost_interrupt_made_up),
	KUNIT_CASE(nna_reset_lost_control_interrupt),
	KUNIT_CASE(nna_reset_spurious_interrupts),
	KUNIT_CASE(nna_reset_corrupt_completion),
	KUNIT_CASE(nna_reset_no_job_to_blame),
	KUNIT_CASE(nna_reset_nothing_begun),
	KUNIT_CASE(nna_reset_invalidation_ignored),
	KUNIT_CASE(nna_reset_invalidation_before_sleep),
	KUNIT_CASE(nna_reset_corrupt_at_probe),
	KUNIT_CASE(nna_reset_control_times_out),
	KUNIT_CASE(nna_reset_control_latency),
	KUNIT_CASE(nna_reset_control_latency_late),
	KUNIT_CASE(nna_reset_control_ring_full),
	KUNIT_CASE_PARAM(nna_reset_lost, nna_loss_gen_params),
	KUNIT_CASE(nna_reset_lost_then_bound_again),
	KUNIT_CASE(nna_reset_unplug_busy),
	KUNIT_CASE(nna_reset_unplug_completed),
	KUNIT_CASE(nna_reset_unplug_gone),
	KUNIT_CASE(nna_reset_unplug_waiting),
	KUNIT_CASE(nna_reset_unplug_during_timeout),
	KUNIT_CASE(nna_reset_unplug_unmaps),
	KUNIT_CASE(nna_reset_unplug_then_use),
	KUNIT_CASE(nna_reset_unplug_after_ban),
	KUNIT_CASE(nna_reset_close_during_hang),
	KUNIT_CASE(nna_reset_bus),
	KUNIT_CASE_SLOW(nna_reset_bus_timeout),
	KUNIT_CASE(nna_reset_bus_frozen),
	KUNIT_CASE_PARAM(nna_reset_bus_lost, nna_bus_loss_gen_params),
	KUNIT_CASE(nna_reset_bus_lost_at_once),
	KUNIT_CASE(nna_reset_bus_invalidation),
	KUNIT_CASE(nna_reset_not_asleep),
	KUNIT_CASE(nna_reset_not_unbound),
	KUNIT_CASE(nna_reset_bus_waits_for_timeouts),
	KUNIT_CASE(nna_reset_bus_unplug),
	{}
};

static struct kunit_suite nna_reset_suite = {
	.name = "nna_reset",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_reset_cases,
};
kunit_test_suite(nna_reset_suite);

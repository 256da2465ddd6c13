// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runtime suspend and system sleep, with jobs on rings, in schedulers and waiting for fences.
 */

#include <linux/delay.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>

#include "nna_fake.h"
#include "../nna_control.h"
#include "../nna_ctx.h"
#include "../nna_job.h"
#include "../nna_pm.h"
#include "../nna_reset.h"
#include "../nna_sched.h"
#include "../nna_suspend.h"
#include "../nna_vm.h"

#define NNA_TEST_RING	DRM_NNA_CTX_PRIORITY_MEDIUM

/* A time longer than the autosuspend delay. */
#define NNA_LONG_IDLE_MS	1000

static int nna_pm_test_init(struct kunit *test)
{
	struct nna_fake *fake = nna_fake_create(test);
	int ret;

	/* The PCI core does this around probe. */
	pm_runtime_set_active(fake->dev);
	pm_runtime_enable(fake->dev);
	pm_runtime_get_noresume(fake->dev);
	ret = nna_fake_bind(fake) ?: nna_fake_open(fake);
	pm_runtime_put_autosuspend(fake->dev);
	return ret;
}

static void nna_pm_test_exit(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	pm_runtime_get_noresume(fake->dev);
	nna_fake_exit(test);
	pm_runtime_disable(fake->dev);
	pm_runtime_put_noidle(fake->dev);
}

static struct nna_ctx *nna_pm_ctx(struct kunit *test)
{
	u32 vm;

	nna_fake_vm(to_nna_fake(test), &vm);
	return nna_fake_ctx(to_nna_fake(test), vm, NNA_TEST_RING, NULL);
}

static bool nna_pm_asleep(struct nna_fake *fake)
{
	unsigned int i;

	for (i = 0; i < NNA_RINGS; i++)
		if (fake->nna->rings[i].running != !fake->nna->suspended)
			return false;
	return fake->nna->suspended;
}

static void nna_pm_fall_asleep(struct kunit *test)
{
	nna_fake_wait(test, !atomic_read(&to_nna_fake(test)->nna->job_count));
	nna_fake_wait(test, nna_pm_asleep(to_nna_fake(test)));
}

/* The end of every test: a job runs without error. */
static void nna_pm_works(struct kunit *test, struct nna_ctx *ctx)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	nna_fake_succeed(fake, NNA_TEST_RING, fence);
}

static void nna_pm_idle(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	unsigned int i, resets;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_FALSE(test, fake->nna->suspended);
		resets = fake->resets;
		nna_pm_fall_asleep(test);
		KUNIT_EXPECT_EQ(test, resets + 1, fake->resets);
		nna_pm_works(test, ctx);
	}
	/* A suspend does not count as a reset. */
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

/* Every query drops its PM reference, also one that resumes the device. */
static void nna_pm_queries(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	u32 type;

	for (type = 0; type <= DRM_NNA_DEV_QUERY_FILE_COUNTERS; type++) {
		struct drm_nna_dev_query query = {
			.type = type, .size = 512,
			.pointer = (unsigned long)nna_fake_user(fake, NULL, 512),
		};
		int usage = atomic_read(&fake->dev->power.usage_count);

		nna_pm_fall_asleep(test);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &query));
		KUNIT_ASSERT_EQ_MSG(test, usage, atomic_read(&fake->dev->power.usage_count),
				    "query %u", type);
	}
}

static void nna_pm_awake_with_a_job(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	msleep(3 * NNA_LONG_IDLE_MS);
	KUNIT_EXPECT_FALSE(test, fake->nna->suspended);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	nna_pm_fall_asleep(test);
}

/* Binds need no invalidation while the device is suspended: it has no translations. */
static void nna_pm_bind_asleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_vm_bind_op op = {
		.type = DRM_NNA_VM_BIND_OP_MAP, .va = SZ_1M, .size = SZ_64K,
	};
	struct nna_ctx *ctx = nna_pm_ctx(test);
	unsigned int logged;

	nna_pm_works(test, ctx);
	op.bo_handle = nna_fake_bo(fake, SZ_64K, 0);
	nna_pm_fall_asleep(test);
	logged = fake->logged;
	KUNIT_EXPECT_EQ(test, 0, nna_vm_bind(ctx->vm, fake->file, &op, 1));
	op.type = DRM_NNA_VM_BIND_OP_UNMAP;
	op.bo_handle = 0;
	KUNIT_EXPECT_EQ(test, 0, nna_vm_bind(ctx->vm, fake->file, &op, 1));
	KUNIT_EXPECT_TRUE(test, nna_pm_asleep(fake));
	KUNIT_EXPECT_EQ(test, logged, fake->logged);
	nna_pm_works(test, ctx);
}

static void nna_pm_reset_asleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);

	nna_pm_fall_asleep(test);
	nna_control_reset_and_wait(fake->nna, "a test");
	KUNIT_EXPECT_TRUE(test, nna_pm_asleep(fake));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
	nna_pm_works(test, ctx);
}

/* The device's clock may stop or restart while the device is suspended. */
static void nna_pm_clock_after_sleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct nna_ring_entry e;
	struct dma_fence *fence;

	nna_pm_fall_asleep(test);
	fake->tick = 1000ull * NSEC_PER_SEC;
	args.deadline_ns = ktime_get_ns() + 10ull * NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, 0, &args, &fence));
	nna_fake_settle(fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	KUNIT_EXPECT_LT(test, abs((s64)(le64_to_cpu(e.deadline) - args.deadline_ns - fake->tick)),
			NSEC_PER_MSEC);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
}

/* A device that cannot be suspended or resumed is lost. */
static void nna_pm_no_sleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *fence;

	fake->refuse_reset = UINT_MAX;
	nna_fake_wait(test, nna_core_is_lost(fake->nna));
	KUNIT_EXPECT_EQ(test, 1u, fake->bus_master_disables);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_submit(fake, ctx, 0, NULL, &fence));
}

/* The job that has resumed the device ends, even if its in-fence has not signalled. */
static void nna_pm_no_waking(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *fence;
	u32 in;

	nna_fake_fence(fake, &in);
	nna_pm_fall_asleep(test);
	fake->refuse_ring = NNA_TEST_RING;
	fence = nna_fake_start(fake, ctx, in);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 1u, fake->bus_master_disables);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_submit(fake, ctx, 0, NULL, &fence));
}

/* If the device cannot be resumed, SUBMIT returns -ENODEV and not the error of runtime PM. */
static void nna_pm_cannot_wake(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_pm_ctx(test);

	nna_pm_fall_asleep(test);
	fake->dev->power.runtime_error = -EIO;
	nna_fake_watch_memory(test, 0);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_push(fake, ctx, &args, NULL, 0));
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_kept_memory(test));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->job_count));
	fake->dev->power.runtime_error = 0;
	nna_pm_works(test, ctx);
}

static void nna_pm_system(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		nna_pm_works(test, ctx);
		KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
		KUNIT_EXPECT_TRUE(test, nna_pm_asleep(fake));
		KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
		KUNIT_EXPECT_FALSE(test, fake->nna->suspended);
	}
	nna_pm_works(test, ctx);
}

/* A suspended device stays suspended over system sleep, until a job comes. */
static void nna_pm_system_asleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	unsigned int resets;

	nna_pm_fall_asleep(test);
	resets = fake->resets;
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	KUNIT_EXPECT_TRUE(test, nna_pm_asleep(fake));
	KUNIT_EXPECT_EQ(test, resets, fake->resets);
	nna_pm_works(test, ctx);
}

struct nna_pm_suspend {
	struct work_struct work;
	struct device *dev;
	bool done;
	int ret;
};

static void nna_pm_suspend_work(struct work_struct *work)
{
	struct nna_pm_suspend *s = container_of(work, struct nna_pm_suspend, work);

	s->ret = nna_suspend_ops.suspend(s->dev);
	WRITE_ONCE(s->done, true);
}

/* Suspends the system in a work item, so that the test can complete jobs meanwhile. */
static void nna_pm_suspend_beside(struct nna_fake *fake, struct nna_pm_suspend *s)
{
	s->dev = fake->dev;
	s->done = false;
	INIT_WORK_ONSTACK(&s->work, nna_pm_suspend_work);
	queue_work(fake->nna->cleanup_wq, &s->work);
	nna_fake_wait(fake->test, nna_sched_is_stopped(fake->nna));
}

/* Waits for that, and returns the result of the suspend. */
static int nna_pm_suspended_beside(struct nna_pm_suspend *s)
{
	flush_work(&s->work);
	destroy_work_on_stack(&s->work);
	return s->ret;
}

/* A device from before YIELD: system sleep waits for the jobs on the rings. */
static void nna_pm_age(struct nna_fake *fake)
{
	fake->nna->hw.abi_minor = NNA_YIELD_ABI_MINOR - 1;
}

/* Jobs on the rings run before system sleep, the others after it; none ends with an error. */
static void nna_pm_system_busy(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *running, *in, *waiting, *late;
	struct nna_ctx *ctx = nna_pm_ctx(test), *other = nna_pm_ctx(test);
	struct nna_pm_suspend s;
	u32 handle;

	nna_pm_age(fake);
	running = nna_fake_start(fake, ctx, 0);
	in = nna_fake_fence(fake, &handle);
	waiting = nna_fake_start(fake, other, handle);
	nna_pm_suspend_beside(fake, &s);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(s.done));
	late = nna_fake_start(fake, ctx, 0);
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(running));
	KUNIT_ASSERT_EQ(test, 0, nna_pm_suspended_beside(&s));
	KUNIT_EXPECT_TRUE(test, nna_pm_asleep(fake));

	dma_fence_signal(in);
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, NNA_TEST_RING));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(waiting) || dma_fence_is_signaled(late));

	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING) == 2);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(waiting));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(late));
}

/* A reset during system suspend does not start the schedulers. */
static void nna_pm_system_reset(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *kept, *late;
	struct nna_pm_suspend s;

	nna_pm_age(fake);
	fake->rings[NNA_TEST_RING].begun = 0;
	kept = nna_fake_start(fake, ctx, 0);
	nna_pm_suspend_beside(fake, &s);
	late = nna_fake_start(fake, ctx, 0);
	nna_control_reset_and_wait(fake->nna, "a test");
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
	KUNIT_EXPECT_FALSE(test, READ_ONCE(s.done));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_pm_suspended_beside(&s));
	KUNIT_EXPECT_TRUE(test, nna_pm_asleep(fake));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(kept));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(late));
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING) == 1);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(late));
}

/* A deadline from before a system sleep, which resets the device's clock. */
static void nna_pm_system_deadline(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *in, *fence;
	struct nna_ring_entry e;
	u32 handle;

	in = nna_fake_fence(fake, &handle);
	args.deadline_ns = ktime_get_ns() + 100ull * NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, handle, &args, &fence));
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
	fake->tick = 1000ull * NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	dma_fence_signal(in);
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING) == 1);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	KUNIT_EXPECT_LT(test, abs((s64)(le64_to_cpu(e.deadline) - args.deadline_ns - fake->tick)),
			NSEC_PER_SEC);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

/* Jobs that take too long make system suspend fail with -EBUSY, and continue. */
static void nna_pm_system_too_busy(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *jobs[4];
	struct nna_pm_suspend s;
	unsigned int i;

	nna_pm_age(fake);
	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		jobs[i] = nna_fake_start(fake, ctx, 0);
	nna_pm_suspend_beside(fake, &s);
	for (i = 0; i < 2; i++) {
		msleep(fake->nna->job_limit_ms - 500);
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	}
	KUNIT_EXPECT_EQ(test, -EBUSY, nna_pm_suspended_beside(&s));
	KUNIT_EXPECT_FALSE(test, fake->nna->suspended);
	for (; i < ARRAY_SIZE(jobs); i++)
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(jobs[i]));
	nna_pm_works(test, ctx);
}

/* Number of entries of a type that the control ring has had. */
static unsigned int nna_pm_logged(struct nna_fake *fake, u32 type)
{
	unsigned int i, n = 0;

	for (i = 0; i < fake->logged; i++)
		n += le32_to_cpu(fake->log[i].type) == type;
	return n;
}

static void nna_pm_suspend(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(to_nna_fake(test)->dev));
	KUNIT_EXPECT_TRUE(test, nna_pm_asleep(to_nna_fake(test)));
}

/* Resumes the system, after which so many jobs are on the test ring. */
static void nna_pm_resume(struct kunit *test, u32 jobs)
{
	struct nna_fake *fake = to_nna_fake(test);

	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	nna_fake_settle(fake);
	KUNIT_ASSERT_EQ(test, jobs, nna_fake_pending(fake, NNA_TEST_RING));
}

/*
 * Jobs yield at system sleep: after it the first goes on with what is left of it, and the others
 * follow in their order. Their run time is that of all parts, and is counted once.
 */
static void nna_pm_yield(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_pm_ctx(test);
	const u64 ms = nna_fake_ticks(fake, NSEC_PER_MSEC);
	struct dma_fence *fences[2];
	struct nna_ring_entry e;
	unsigned int i;
	u64 used;

	used = ctx->usage->shares[NNA_TEST_RING].used;
	args.budget_ns = 4ull * NSEC_PER_SEC;
	for (i = 0; i < ARRAY_SIZE(fences); i++)
		KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, 0, &args, &fences[i]));
	nna_fake_settle(fake);
	fake->rest.start = cpu_to_le32(0x1c0);
	fake->rest.budget = cpu_to_le64(12345);
	fake->rest.loop_limit = cpu_to_le64(54321);
	fake->rest_detail = 3000 * ms;
	for (i = 0; i < 2; i++) {
		nna_pm_suspend(test);
		KUNIT_EXPECT_EQ(test, i + 1, nna_pm_logged(fake, NNA_ENTRY_YIELD));
		nna_pm_resume(test, 2);
		KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
		KUNIT_EXPECT_EQ(test, 0x1c0, le32_to_cpu(e.start));
		KUNIT_EXPECT_EQ(test, 12345, le64_to_cpu(e.budget));
		KUNIT_EXPECT_EQ(test, 54321, le64_to_cpu(e.loop_limit));
		fake->rest_detail = 500 * ms;
	}
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fences[0]));
	KUNIT_EXPECT_EQ(test, 3500 * ms, atomic64_read(&ctx->usage->ticks[NNA_TEST_RING]));
	KUNIT_EXPECT_EQ(test, 0, atomic64_read(&ctx->usage->jobs));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 200 * ms);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[0]));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fences[1]));
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	KUNIT_EXPECT_EQ(test, 0, le32_to_cpu(e.start));
	KUNIT_EXPECT_EQ(test, 4000 * ms, le64_to_cpu(e.budget));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 100 * ms);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[1]));
	KUNIT_EXPECT_EQ(test, 3800 * ms, atomic64_read(&ctx->usage->ticks[NNA_TEST_RING]));
	KUNIT_EXPECT_EQ(test, 2, atomic64_read(&ctx->usage->jobs));
	KUNIT_EXPECT_EQ(test, used + 3800ull * NSEC_PER_MSEC,
			ctx->usage->shares[NNA_TEST_RING].used);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

/* All rings are told, and nothing is asked of rings without jobs. */
static void nna_pm_yield_rings(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fences[2];
	struct nna_ctx *ctx, *low;
	u32 vm;

	nna_fake_vm(fake, &vm);
	ctx = nna_fake_ctx(fake, vm, NNA_TEST_RING, NULL);
	low = nna_fake_ctx(fake, vm, DRM_NNA_CTX_PRIORITY_LOW, NULL);
	nna_pm_suspend(test);
	nna_pm_resume(test, 0);
	KUNIT_EXPECT_EQ(test, 0u, nna_pm_logged(fake, NNA_ENTRY_YIELD));
	fences[0] = nna_fake_start(fake, ctx, 0);
	fences[1] = nna_fake_start(fake, low, 0);
	nna_pm_suspend(test);
	KUNIT_EXPECT_EQ(test, 2u, nna_pm_logged(fake, NNA_ENTRY_YIELD));
	nna_pm_resume(test, 1);
	nna_fake_succeed(fake, NNA_TEST_RING, fences[0]);
	nna_fake_succeed(fake, DRM_NNA_CTX_PRIORITY_LOW, fences[1]);
}

/* The deadline of a job that has yielded is told by the clock of the device after the resume. */
static void nna_pm_yield_deadline(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct nna_ring_entry e;
	struct dma_fence *fence;
	u64 deadline;

	args.duration_ns = 100ull * NSEC_PER_SEC;
	deadline = ktime_get_ns() + args.duration_ns;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, 0, &args, &fence));
	nna_fake_settle(fake);
	nna_pm_suspend(test);
	fake->tick = 1000ull * NSEC_PER_SEC;
	nna_pm_resume(test, 1);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	KUNIT_EXPECT_LT(test, abs((s64)(le64_to_cpu(e.deadline) - deadline - fake->tick)),
			NSEC_PER_SEC);
	nna_fake_succeed(fake, NNA_TEST_RING, fence);
}

/* A job that does not yield is aborted, no other, and its context goes on. */
static void nna_pm_yield_not(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test), *other = nna_pm_ctx(test);
	struct dma_fence *held, *behind, *next;
	unsigned long since = jiffies;

	held = nna_fake_start(fake, ctx, 0);
	behind = nna_fake_start(fake, other, 0);
	next = nna_fake_start(fake, ctx, 0);
	fake->hold_jobs = true;
	nna_pm_suspend(test);
	KUNIT_EXPECT_GE(test, jiffies_to_msecs(jiffies - since), NNA_YIELD_MS);
	KUNIT_EXPECT_EQ(test, 1u, nna_pm_logged(fake, NNA_ENTRY_ABORT));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(held));
	nna_pm_resume(test, 2);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(behind));
	nna_fake_succeed(fake, NNA_TEST_RING, next);
	nna_pm_works(test, ctx);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

/* Of several jobs that do not yield, the one that has run longest is aborted first. */
static void nna_pm_yield_not_longest(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fences[2];
	struct nna_ctx *ctx, *low;
	struct nna_pm_suspend s;
	u32 vm;

	nna_fake_vm(fake, &vm);
	ctx = nna_fake_ctx(fake, vm, NNA_TEST_RING, NULL);
	low = nna_fake_ctx(fake, vm, DRM_NNA_CTX_PRIORITY_LOW, NULL);
	fences[0] = nna_fake_start(fake, ctx, 0);
	fences[1] = nna_fake_start(fake, low, 0);
	fake->rings[DRM_NNA_CTX_PRIORITY_LOW].run_time = 2000;
	fake->rings[NNA_TEST_RING].run_time = 1000;
	fake->hold_jobs = true;
	nna_pm_suspend_beside(fake, &s);
	nna_fake_wait(test, dma_fence_is_signaled(fences[1]));
	/* The other has time to yield, and does so. */
	fake->hold_jobs = false;
	fake->rest.start = cpu_to_le32(0x80);
	nna_fake_write_completion(fake, NNA_TEST_RING, NNA_STATUS_YIELDED, 0);
	nna_fake_irq(fake, NNA_TEST_RING);
	KUNIT_EXPECT_EQ(test, 0, nna_pm_suspended_beside(&s));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(fences[1]));
	nna_pm_resume(test, 1);
	nna_fake_succeed(fake, NNA_TEST_RING, fences[0]);
}

/* The device ignores the control ring: its reset ends the job that it has begun, and no other. */
static void nna_pm_yield_deaf(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *begun, *next;

	begun = nna_fake_start(fake, ctx, 0);
	next = nna_fake_start(fake, ctx, 0);
	fake->control_stopped = true;
	nna_pm_suspend(test);
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(begun));
	fake->control_stopped = false;
	nna_pm_resume(test, 1);
	nna_fake_succeed(fake, NNA_TEST_RING, next);
	nna_pm_works(test, ctx);
}

/* The same, if it neither lets the job yield nor aborts it. */
static void nna_pm_yield_stuck(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *begun, *next;

	begun = nna_fake_start(fake, ctx, 0);
	next = nna_fake_start(fake, ctx, 0);
	fake->hold_jobs = true;
	fake->ignore_aborts = true;
	nna_pm_suspend(test);
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(begun));
	nna_pm_resume(test, 1);
	nna_fake_succeed(fake, NNA_TEST_RING, next);
}

/* A reset meanwhile puts a job on the ring again: the ring is told again. */
static void nna_pm_yield_reset(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *begun, *next;
	struct nna_pm_suspend s;

	begun = nna_fake_start(fake, ctx, 0);
	next = nna_fake_start(fake, ctx, 0);
	fake->hold_jobs = true;
	nna_pm_suspend_beside(fake, &s);
	nna_fake_wait(test, nna_pm_logged(fake, NNA_ENTRY_YIELD));
	fake->hold_jobs = false;
	nna_control_reset_and_wait(fake->nna, "a test");
	KUNIT_EXPECT_EQ(test, 0, nna_pm_suspended_beside(&s));
	KUNIT_EXPECT_EQ(test, 2u, nna_pm_logged(fake, NNA_ENTRY_YIELD));
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(begun));
	nna_pm_resume(test, 1);
	nna_fake_succeed(fake, NNA_TEST_RING, next);
}

/* The control ring does not run for a moment, as during a reset: the ring is told afterwards. */
static void nna_pm_yield_later(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ring *control = &fake->nna->rings[NNA_CONTROL_RING];
	struct dma_fence *fence = nna_fake_start(fake, nna_pm_ctx(test), 0);
	struct nna_pm_suspend s;

	WRITE_ONCE(control->running, false);
	nna_pm_suspend_beside(fake, &s);
	msleep(100);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(s.done));
	WRITE_ONCE(control->running, true);
	KUNIT_EXPECT_EQ(test, 0, nna_pm_suspended_beside(&s));
	KUNIT_EXPECT_EQ(test, 1u, nna_pm_logged(fake, NNA_ENTRY_YIELD));
	KUNIT_EXPECT_EQ(test, 0u, nna_pm_logged(fake, NNA_ENTRY_ABORT));
	nna_pm_resume(test, 1);
	nna_fake_succeed(fake, NNA_TEST_RING, fence);
}

/* A job fails instead of yielding and bans its context: the next one does not go on. */
static void nna_pm_yield_banned(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *faulty, *next;
	struct nna_pm_suspend s;

	faulty = nna_fake_start(fake, ctx, 0);
	next = nna_fake_start(fake, ctx, 0);
	fake->hold_jobs = true;
	nna_pm_suspend_beside(fake, &s);
	nna_fake_wait(test, nna_pm_logged(fake, NNA_ENTRY_YIELD));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_FAULT_MMU, 0x1000);
	KUNIT_EXPECT_EQ(test, 0, nna_pm_suspended_beside(&s));
	KUNIT_EXPECT_EQ(test, -EFAULT, nna_fake_fence_error(faulty));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(next));
	nna_pm_resume(test, 0);
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(next));
}

/* A job that has yielded ends if its device is unplugged, or does not wake. */
static void nna_pm_yield_unplug(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	nna_pm_suspend(test);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(fence));
}

static void nna_pm_yield_lost(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	nna_pm_suspend(test);
	fake->refuse_ring = NNA_TEST_RING;
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(fence));
}

/* Unbind between system suspend and resume, as when the device is unplugged. */
static void nna_pm_unplug_asleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *in, *waiting;
	u32 handle;

	in = nna_fake_fence(fake, &handle);
	waiting = nna_fake_start(fake, ctx, handle);
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
	dma_fence_signal(in);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(waiting));
}

/* A slow work function, to replace one of the driver. */
static bool nna_pm_slow_done;

static void nna_pm_slow_work(struct work_struct *work)
{
	msleep(3000);
	WRITE_ONCE(nna_pm_slow_done, true);
}

/* System sleep waits for timeout handlers, which read registers. */
static void nna_pm_system_after_timeouts(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct work_struct handler;

	nna_pm_works(test, ctx);
	nna_pm_slow_done = false;
	INIT_WORK_ONSTACK(&handler, nna_pm_slow_work);
	queue_work(fake->nna->reset_wq, &handler);
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(nna_pm_slow_done));
	flush_work(&handler);
	destroy_work_on_stack(&handler);
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	nna_pm_works(test, ctx);
}

/* System sleep waits for the work that makes a core dump. */
static void nna_pm_system_after_coredump(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_device *nna = fake->nna;
	struct nna_ctx *ctx = nna_pm_ctx(test);
	work_func_t func = nna->fault.work.func;

	nna_pm_works(test, ctx);
	nna_pm_slow_done = false;
	nna->fault.work.func = nna_pm_slow_work;
	KUNIT_ASSERT_TRUE(test, nna_fault_begin(nna, DRM_NNA_COREDUMP_FAULT));
	nna_fault_end(nna);
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(nna_pm_slow_done));
	flush_work(&nna->fault.work);
	nna->fault.work.func = func;
	nna_fault_end(nna);
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	nna_pm_works(test, ctx);
}

/* The bus resets a suspended device: it stays suspended, and works after its resume. */
static void nna_pm_bus_reset_asleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);

	nna_pm_fall_asleep(test);
	nna_reset_bus_begin(fake->nna);
	nna_reset_bus_end(fake->nna);
	KUNIT_EXPECT_TRUE(test, nna_pm_asleep(fake));
	nna_pm_works(test, ctx);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
	nna_pm_fall_asleep(test);
}

/* The same with a resume before the reset has ended, when the registers do not answer. */
static void nna_pm_bus_reset_wakes(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *fence;

	nna_pm_fall_asleep(test);
	nna_reset_bus_begin(fake->nna);
	fake->gone = true;
	fence = nna_fake_start(fake, ctx, 0);
	fake->gone = false;
	KUNIT_EXPECT_TRUE(test, nna_pm_asleep(fake));
	nna_reset_bus_end(fake->nna);
	nna_fake_settle(fake);
	nna_fake_succeed(fake, NNA_TEST_RING, fence);
	nna_pm_fall_asleep(test);
}

/*
 * Where the driver switches the power of the device. It comes out of reset a while after it has
 * got power.
 */
static void nna_pm_power(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	unsigned int i;

	nna_fake_switch_power(fake);
	for (i = 1; i <= 3; i++) {
		nna_pm_fall_asleep(test);
		nna_fake_wait(test, fake->unpowered);
		fake->slow_reset = 5;
		nna_pm_works(test, ctx);
		KUNIT_EXPECT_FALSE(test, fake->unpowered);
		KUNIT_EXPECT_EQ(test, i, fake->power_ons);
	}
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
	KUNIT_EXPECT_TRUE(test, fake->unpowered);
	fake->slow_reset = 5;
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	KUNIT_EXPECT_FALSE(test, fake->unpowered);
	nna_pm_works(test, ctx);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

/* System sleep leaves a device alone that has no power. */
static void nna_pm_power_asleep(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);

	nna_fake_switch_power(fake);
	nna_pm_fall_asleep(test);
	nna_fake_wait(test, fake->unpowered);
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.resume(fake->dev));
	KUNIT_EXPECT_EQ(test, 0u, fake->power_ons);
	nna_pm_works(test, ctx);
}

/* What can go wrong when a device is to get its power back. */
static const struct nna_pm_blackout {
	const char *name;
	int power_error;
	unsigned int refuse_reset;
	int error;
} nna_pm_blackouts[] = {
	{ "no power", -EIO, 0, -EIO },
	{ "stays in reset", 0, 1, -ETIMEDOUT },
};

static void nna_pm_blackout_desc(const struct nna_pm_blackout *b, char *desc)
{
	strscpy(desc, b->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(nna_pm_blackout, nna_pm_blackouts, nna_pm_blackout_desc);

/* A device without power is lost, and its registers are left alone until unbind. */
static void nna_pm_blackout_asleep(struct kunit *test)
{
	const struct nna_pm_blackout *b = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_pm_ctx(test);

	nna_fake_switch_power(fake);
	nna_pm_fall_asleep(test);
	nna_fake_wait(test, fake->unpowered);
	fake->power_error = b->power_error;
	fake->refuse_reset = b->refuse_reset;
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_push(fake, ctx, &args, NULL, 0));
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
	KUNIT_EXPECT_TRUE(test, fake->unpowered);
	KUNIT_EXPECT_EQ(test, 1u, fake->bus_master_disables);
	/* Once lost it stays off. */
	fake->power_error = 0;
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_push(fake, ctx, &args, NULL, 0));
	KUNIT_EXPECT_TRUE(test, fake->unpowered);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_TRUE(test, fake->unpowered);
}

/* The same after system sleep: a job that has yielded ends. */
static void nna_pm_blackout_system(struct kunit *test)
{
	const struct nna_pm_blackout *b = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_pm_ctx(test);
	struct dma_fence *fence = nna_fake_start(fake, ctx, 0);

	nna_fake_switch_power(fake);
	KUNIT_ASSERT_EQ(test, 0, nna_suspend_ops.suspend(fake->dev));
	KUNIT_EXPECT_TRUE(test, fake->unpowered);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	fake->power_error = b->power_error;
	fake->refuse_reset = b->refuse_reset;
	KUNIT_EXPECT_EQ(test, b->error, nna_suspend_ops.resume(fake->dev));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(fence));
	KUNIT_EXPECT_TRUE(test, nna_core_is_lost(fake->nna));
	KUNIT_EXPECT_TRUE(test, fake->unpowered);
	KUNIT_EXPECT_FALSE(test, nna_sched_is_stopped(fake->nna));
	nna_fake_unbind(fake);
	KUNIT_EXPECT_TRUE(test, fake->unpowered);
}

static struct kunit_case nna_pm_cases[] = {
	KUNIT_CASE(nna_pm_idle),
	KUNIT_CASE(nna_pm_queries),
	KUNIT_CASE(nna_pm_awake_with_a_job),
	KUNIT_CASE(nna_pm_bind_asleep),
	KUNIT_CASE(nna_pm_reset_asleep),
	KUNIT_CASE(nna_pm_clock_after_sleep),
	KUNIT_CASE(nna_pm_no_sleep),
	KUNIT_CASE(nna_pm_no_waking),
	KUNIT_CASE(nna_pm_cannot_wake),
	KUNIT_CASE(nna_pm_system),
	KUNIT_CASE(nna_pm_system_asleep),
	KUNIT_CASE(nna_pm_system_busy),
	KUNIT_CASE(nna_pm_system_reset),
	KUNIT_CASE(nna_pm_system_deadline),
	KUNIT_CASE(nna_pm_system_too_busy),
	KUNIT_CASE(nna_pm_yield),
	KUNIT_CASE(nna_pm_yield_rings),
	KUNIT_CASE(nna_pm_yield_deadline),
	KUNIT_CASE(nna_pm_yield_not),
	KUNIT_CASE(nna_pm_yield_not_longest),
	KUNIT_CASE(nna_pm_yield_deaf),
	KUNIT_CASE(nna_pm_yield_stuck),
	KUNIT_CASE(nna_pm_yield_reset),
	KUNIT_CASE(nna_pm_yield_later),
	KUNIT_CASE(nna_pm_yield_banned),
	KUNIT_CASE(nna_pm_yield_unplug),
	KUNIT_CASE(nna_pm_yield_lost),
	KUNIT_CASE(nna_pm_unplug_asleep),
	KUNIT_CASE(nna_pm_system_after_timeouts),
	KUNIT_CASE(nna_pm_system_after_coredump),
	KUNIT_CASE(nna_pm_bus_reset_asleep),
	KUNIT_CASE(nna_pm_bus_reset_wakes),
	KUNIT_CASE(nna_pm_power),
	KUNIT_CASE(nna_pm_power_asleep),
	KUNIT_CASE_PARAM(nna_pm_blackout_asleep, nna_pm_blackout_gen_params),
	KUNIT_CASE_PARAM(nna_pm_blackout_system, nna_pm_blackout_gen_params),
	{}
};

static struct kunit_suite nna_pm_suite = {
	.name = "nna_pm",
	.init = nna_pm_test_init,
	.exit = nna_pm_test_exit,
	.test_cases = nna_pm_cases,
};
kunit_test_suite(nna_pm_suite);

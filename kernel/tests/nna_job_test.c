// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs: order, ring entries, the fence's error for each status, deadlines, bans, and the close of
 * contexts and files while jobs wait or run.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/sizes.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "nna_fake.h"
#include "../nna_ctx.h"
#include "../nna_device.h"
#include "../nna_job.h"
#include "../nna_sched.h"
#include "../nna_user.h"
#include "../nna_vm.h"

#define NNA_TEST_RING	DRM_NNA_CTX_PRIORITY_MEDIUM

static struct nna_ctx *nna_job_ctx(struct kunit *test)
{
	u32 vm;

	nna_fake_vm(to_nna_fake(test), &vm);
	return nna_fake_ctx(to_nna_fake(test), vm, NNA_TEST_RING, NULL);
}

static struct dma_fence *nna_job_submit_one(struct kunit *test, struct nna_ctx *ctx,
					    const struct drm_nna_submit *args)
{
	struct dma_fence *fence;

	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(to_nna_fake(test), ctx, 0, args, &fence));
	return fence;
}

static void nna_job_completes(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_job_submit_one(test, nna_job_ctx(test), NULL);

	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 5);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

/* Durations are rounded up: a job gets at least the requested time. */
static u64 nna_job_ticks_up(const struct nna_fake *fake, u64 ns)
{
	return DIV_ROUND_UP_ULL(ns * fake->tick_hz, NSEC_PER_SEC);
}

static void nna_job_entry(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct drm_nna_submit args = {
		.stream_va = 0x123440, .stream_size = 0x280, .start = 0x40,
		.base_table_va = 0x777770, .slot_count = 64, .report_va = 0x10040,
		.budget_ns = 123456, .loop_limit_ns = 654321,
	};
	struct nna_ring_entry e;

	nna_job_submit_one(test, ctx, &args);
	nna_fake_settle(fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	KUNIT_EXPECT_EQ(test, NNA_ENTRY_JOB, le32_to_cpu(e.type));
	KUNIT_EXPECT_EQ(test, ctx->vm->asid, le32_to_cpu(e.asid));
	KUNIT_EXPECT_EQ(test, nna_vm_root_dma(ctx->vm), le64_to_cpu(e.root));
	KUNIT_EXPECT_EQ(test, 0u, le32_to_cpu(e.flags));
	KUNIT_EXPECT_EQ(test, args.stream_va, le64_to_cpu(e.stream));
	KUNIT_EXPECT_EQ(test, args.stream_size, le32_to_cpu(e.stream_size));
	KUNIT_EXPECT_EQ(test, args.start, le32_to_cpu(e.start));
	KUNIT_EXPECT_EQ(test, args.base_table_va, le64_to_cpu(e.base_table));
	KUNIT_EXPECT_EQ(test, args.slot_count, le32_to_cpu(e.slot_count));
	KUNIT_EXPECT_EQ(test, args.report_va, le64_to_cpu(e.report));
	KUNIT_EXPECT_EQ(test, nna_job_ticks_up(fake, args.budget_ns), le64_to_cpu(e.budget));
	KUNIT_EXPECT_EQ(test, nna_job_ticks_up(fake, args.loop_limit_ns),
			le64_to_cpu(e.loop_limit));
	KUNIT_EXPECT_EQ(test, 0ull, le64_to_cpu(e.deadline));
	KUNIT_EXPECT_EQ(test, 0u, le32_to_cpu(e.target));
	KUNIT_EXPECT_EQ(test, 0ull, le64_to_cpu(e.address) | le64_to_cpu(e.length));
	KUNIT_EXPECT_EQ(test, 0ull, le64_to_cpu(e.profile | e.profile_size | e.reserved));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
}

/* A job that yields at the end of its slice has ended: its fence has no error, its time counts. */
static void nna_job_slice(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_job_ctx(test);
	u64 ticks = atomic64_read(&ctx->usage->ticks[NNA_TEST_RING]);
	struct dma_fence *fence;

	args.flags = DRM_NNA_SUBMIT_SLICE;
	args.budget_ns = 1000000;
	fence = nna_job_submit_one(test, ctx, &args);
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_YIELDED, 1234);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, ticks + 1234, atomic64_read(&ctx->usage->ticks[NNA_TEST_RING]));
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(ctx));
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, NNA_TEST_RING));
}

/* Profiles of any size, up to the end of the address range. */
static void nna_job_profile(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_job_ctx(test);
	static const u32 sizes[] = { 64, 65, 64 + 160, SZ_2G, U32_MAX };
	struct nna_ring_entry e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		args.profile_size = sizes[i];
		args.profile_va = ALIGN_DOWN(NNA_VA_END - sizes[i], 64);
		nna_job_submit_one(test, ctx, &args);
		nna_fake_settle(fake);
		KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
		KUNIT_EXPECT_EQ(test, args.profile_va, le64_to_cpu(e.profile));
		KUNIT_EXPECT_EQ(test, args.profile_size, le64_to_cpu(e.profile_size));
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	}
}

static void nna_job_limits_saturate(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ring_entry e;

	args.budget_ns = U64_MAX;
	args.loop_limit_ns = NNA_JOB_LIMIT_NS + 1;
	nna_job_submit_one(test, nna_job_ctx(test), &args);
	nna_fake_settle(fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	KUNIT_EXPECT_EQ(test, fake->job_limit, le64_to_cpu(e.budget));
	KUNIT_EXPECT_EQ(test, fake->job_limit, le64_to_cpu(e.loop_limit));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
}

static const u32 nna_priorities[] = {
	DRM_NNA_CTX_PRIORITY_LOW, DRM_NNA_CTX_PRIORITY_MEDIUM, DRM_NNA_CTX_PRIORITY_HIGH,
	DRM_NNA_CTX_PRIORITY_REALTIME,
};

static void nna_priority_desc(const u32 *priority, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "priority %u", *priority);
}
KUNIT_ARRAY_PARAM(nna_priority, nna_priorities, nna_priority_desc);

static void nna_job_priority_is_ring(struct kunit *test)
{
	u32 priority = *(const u32 *)test->param_value, vm, i;
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence;

	nna_fake_vm(fake, &vm);
	fence = nna_job_submit_one(test, nna_fake_ctx(fake, vm, priority, NULL), NULL);
	nna_fake_settle(fake);
	for (i = 0; i < NNA_JOB_RINGS; i++)
		KUNIT_EXPECT_EQ(test, i == priority, nna_fake_pending(fake, i));
	nna_fake_complete(fake, priority, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

/* A job that does not end delays no other ring. */
static void nna_job_rings_are_independent(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fences[NNA_JOB_RINGS];
	u32 vm, i;

	nna_fake_vm(fake, &vm);
	for (i = 0; i < NNA_JOB_RINGS; i++)
		fences[i] = nna_job_submit_one(test, nna_fake_ctx(fake, vm, i, NULL), NULL);
	nna_fake_settle(fake);
	for (i = NNA_JOB_RINGS; i-- > 0;) {
		nna_fake_complete(fake, i, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[i]));
		KUNIT_EXPECT_FALSE(test, i && dma_fence_is_signaled(fences[i - 1]));
	}
}

static void nna_job_order_in_ctx(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *fences[20];
	unsigned int i, k;

	for (i = 0; i < 20; i++) {
		args.report_va = 0x100000 + 64 * i;
		fences[i] = nna_job_submit_one(test, ctx, &args);
	}
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 20u, nna_fake_pending(fake, NNA_TEST_RING));
	for (i = 0; i < 20; i++) {
		struct nna_ring_entry e;

		KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
		KUNIT_EXPECT_EQ(test, 0x100000 + 64 * i, le64_to_cpu(e.report));
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[i]));
		for (k = i + 1; k < 20; k++)
			KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fences[k]));
	}
}

/* Jobs of different contexts of a ring run in the order of their submission. */
static void nna_job_ctxs_in_order_of_arrival(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctxs[3] = { nna_job_ctx(test), nna_job_ctx(test), nna_job_ctx(test) };
	struct dma_fence *last = NULL;
	struct nna_ring_entry e;
	unsigned int i;

	for (i = 0; i < 90; i++) {
		last = nna_job_submit_one(test, ctxs[i % 3], NULL);
		msleep(1);
	}
	for (i = 0; i < 90; i++) {
		nna_fake_wait(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
		KUNIT_EXPECT_EQ(test, ctxs[i % 3]->vm->asid, le32_to_cpu(e.asid));
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	}
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(last));
}

struct nna_status_case {
	const char *name;
	u16 status;
	int error;
	bool ban;
};

/* An independent table: the driver's own is generated from the hardware description. */
static const struct nna_status_case nna_statuses[] = {
	{ "OK", NNA_STATUS_OK, 0, false },
	{ "YIELDED", NNA_STATUS_YIELDED, 0, false },
	{ "DEADLINE", NNA_STATUS_DEADLINE, -ETIMEDOUT, false },
	{ "LOOP_LIMIT", NNA_STATUS_LOOP_LIMIT, -ETIMEDOUT, false },
	{ "ABORTED", NNA_STATUS_ABORTED, -ECANCELED, false },
	{ "BUDGET", NNA_STATUS_BUDGET, -ETIME, true },
	{ "FAULT_MMU", NNA_STATUS_FAULT_MMU, -EFAULT, true },
	{ "FAULT_BUS", NNA_STATUS_FAULT_BUS, -EFAULT, true },
	{ "BAD_ENTRY", NNA_STATUS_BAD_ENTRY, -EINVAL, true },
	{ "BAD_STREAM", NNA_STATUS_BAD_STREAM, -EINVAL, true },
	{ "BAD_COMMAND", NNA_STATUS_BAD_COMMAND, -EINVAL, true },
	{ "BAD_OPERAND", NNA_STATUS_BAD_OPERAND, -EINVAL, true },
	{ "BAD_SHAPE", NNA_STATUS_BAD_SHAPE, -EINVAL, true },
	{ "BAD_INDEX", NNA_STATUS_BAD_INDEX, -ERANGE, false },
	{ "OUTPUT_SIZE", NNA_STATUS_OUTPUT_SIZE, -ENOSPC, false },
	{ "NO_MEMORY", NNA_STATUS_NO_MEMORY, -ENOMEM, false },
	{ "INTERNAL", NNA_STATUS_INTERNAL, -EIO, false },
	{ "unknown", 99, -EIO, false },
	{ "unknown, the highest", U16_MAX, -EIO, false },
};
KUNIT_ARRAY_PARAM_DESC(nna_status, nna_statuses, name);

static void nna_job_status(struct kunit *test)
{
	const struct nna_status_case *c = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test), *other = nna_job_ctx(test);
	bool fault = c->status == NNA_STATUS_FAULT_MMU || c->status == NNA_STATUS_FAULT_BUS;
	bool budget = c->status == NNA_STATUS_BUDGET;
	struct drm_nna_ctx_get_state state = {};
	struct dma_fence *fence, *next;
	u32 expected = 0;
	u64 ticks = 0;

	fence = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, c->status, 0x12340);
	KUNIT_EXPECT_EQ(test, c->error, nna_fake_fence_error(fence));
	/* fdinfo shows the run time, for each status that has one. */
	if (c->status == NNA_STATUS_OK || c->status == NNA_STATUS_YIELDED)
		ticks = 0x12340;
	else if (budget)
		ticks = fake->job_limit;
	KUNIT_EXPECT_EQ(test, ticks, atomic64_read(&ctx->usage->ticks[NNA_TEST_RING]));

	if (c->ban)
		expected = DRM_NNA_CTX_STATE_BANNED | (budget ? DRM_NNA_CTX_STATE_TIMEDOUT :
						       DRM_NNA_CTX_STATE_FAULTED);
	nna_ctx_get_state(ctx, &state);
	KUNIT_EXPECT_EQ(test, expected, state.state);
	KUNIT_EXPECT_EQ(test, c->ban ? c->status : 0, state.fault_status);
	KUNIT_EXPECT_EQ(test, fault ? 0x12340 : 0, state.fault_address);
	KUNIT_EXPECT_EQ(test, c->ban && !fault && !budget ? 0x12340 : 0, state.fault_command);
	KUNIT_EXPECT_EQ(test, 0u, state.reset_count);
	KUNIT_EXPECT_EQ(test, c->ban ? -ECANCELED : 0, nna_fake_submit(fake, ctx, 0, NULL, &next));
	nna_fake_settle(fake);
	if (!c->ban)
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);

	/* Another context is not affected. */
	fence = nna_job_submit_one(test, other, NULL);
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(other));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->resets));
}

static void nna_job_first_ban_counts(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct drm_nna_ctx_get_state state = {};
	struct dma_fence *a, *b;

	fake->control_stopped = true;
	a = nna_job_submit_one(test, ctx, NULL);
	b = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_FAULT_MMU, 0xabc000);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_BAD_COMMAND, 0x40);
	KUNIT_EXPECT_EQ(test, -EFAULT, nna_fake_fence_error(a));
	KUNIT_EXPECT_EQ(test, -EINVAL, nna_fake_fence_error(b));
	nna_ctx_get_state(ctx, &state);
	KUNIT_EXPECT_EQ(test, NNA_STATUS_FAULT_MMU, state.fault_status);
	KUNIT_EXPECT_EQ(test, 0xabc000ull, state.fault_address);
	KUNIT_EXPECT_EQ(test, 0u, state.fault_command);
}

/* A ban aborts the context's jobs on the ring; its other jobs never get there. */
static void nna_job_ban_ends_the_rest(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test), *other = nna_job_ctx(test);
	struct dma_fence *bad, *on_ring, *neighbour, *queued, *gate;
	u32 in;

	gate = nna_fake_fence(fake, &in);
	bad = nna_job_submit_one(test, ctx, NULL);
	on_ring = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	neighbour = nna_job_submit_one(test, other, NULL);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, in, NULL, &queued));
	nna_fake_settle(fake);
	KUNIT_ASSERT_EQ(test, 3u, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_FAULT_MMU, 0x5000);
	KUNIT_EXPECT_EQ(test, -EFAULT, nna_fake_fence_error(bad));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(on_ring));
	dma_fence_signal(gate);
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(queued));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(neighbour));
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(neighbour));
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(other));
}

/* The times that determine a job's deadline. */
enum nna_deadline_end {
	NNA_END_NEVER,
	NNA_END_DEADLINE,
	/* The duration, from the signal of the in-fence. */
	NNA_END_DURATION,
};

struct nna_deadline_case {
	const char *name;
	/*
	 * In seconds from now on; 0 for none. They are long, so that none passes before the test
	 * has looked, however slow the kernel is: nobody waits for them.
	 */
	int deadline;
	int duration;
	enum nna_deadline_end end;
};

/* The timestamp of the in-fence lies this long after now; the duration begins there. */
#define NNA_TEST_IN_FENCE_S	1000

static const struct nna_deadline_case nna_deadlines[] = {
	{ "none", 0, 0, NNA_END_NEVER },
	{ "deadline", 10000, 0, NNA_END_DEADLINE },
	{ "duration counts from the in-fence on", 0, 10000, NNA_END_DURATION },
	{ "duration shorter than the wait", 0, 900, NNA_END_DURATION },
	{ "deadline before duration's end", 6000, 10000, NNA_END_DEADLINE },
	{ "duration's end before deadline", 20000, 6000, NNA_END_DURATION },
	{ "deadline in the far future", INT_MAX, 0, NNA_END_DEADLINE },
};
KUNIT_ARRAY_PARAM_DESC(nna_deadline, nna_deadlines, name);

/* Exact up to the uncertainty of the pair of clock readings and rounding. */
static void nna_job_expect_deadline(struct nna_fake *fake, const struct nna_ring_entry *e, u64 ns)
{
	u64 sampled_ns, tick, uncertainty;

	nna_clock_get(&fake->nna->clock, &sampled_ns, &tick, &uncertainty);
	KUNIT_EXPECT_LE(fake->test, abs((s64)(le64_to_cpu(e->deadline) - fake->tick -
					      nna_fake_ticks(fake, ns))),
			nna_fake_ticks(fake, uncertainty) + 2);
}

static void nna_job_deadline(struct kunit *test)
{
	const struct nna_deadline_case *c = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	const u64 now = ktime_get_ns();
	const u64 in_end = now + (u64)NNA_TEST_IN_FENCE_S * NSEC_PER_SEC;
	u64 end;
	struct dma_fence *gate, *fence;
	struct nna_ring_entry e;
	u32 in;

	gate = nna_fake_fence(fake, &in);
	if (c->deadline)
		args.deadline_ns = now + (u64)c->deadline * NSEC_PER_SEC;
	args.duration_ns = (u64)c->duration * NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, nna_job_ctx(test), in, &args, &fence));
	dma_fence_signal_timestamp(gate, ns_to_ktime(in_end));
	nna_fake_settle(fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	if (c->end == NNA_END_NEVER) {
		KUNIT_EXPECT_EQ(test, 0ull, le64_to_cpu(e.deadline));
	} else {
		end = c->end == NNA_END_DURATION ? in_end + args.duration_ns : args.deadline_ns;
		nna_job_expect_deadline(fake, &e, end);
	}
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_DEADLINE, 0);
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_fake_fence_error(fence));
}

struct nna_past_case {
	const char *name;
	/* In ms from now. The in-fence signals at the end. */
	int deadline;
};

static const struct nna_past_case nna_past_deadlines[] = {
	{ "has passed", -5 },
	{ "passes while waiting", 90 },
};
KUNIT_ARRAY_PARAM_DESC(nna_past_deadline, nna_past_deadlines, name);

/* A job whose deadline has passed must not be put on the ring. */
static void nna_job_past_deadline(struct kunit *test)
{
	const struct nna_past_case *c = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct dma_fence *gate, *fence;
	u32 in;

	gate = nna_fake_fence(fake, &in);
	args.deadline_ns = ktime_get_ns() + c->deadline * NSEC_PER_MSEC;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, nna_job_ctx(test), in, &args, &fence));
	nna_fake_wait(test, ktime_get_ns() > args.deadline_ns);
	dma_fence_signal(gate);
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 0u, fake->rings[NNA_TEST_RING].doorbell);
}

static void nna_job_longest_duration(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ring_entry e;

	args.duration_ns = U64_MAX;
	nna_job_submit_one(test, nna_job_ctx(test), &args);
	nna_fake_settle(fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	KUNIT_EXPECT_GT(test, le64_to_cpu(e.deadline),
			fake->tick_hz < NSEC_PER_SEC ? nna_fake_ticks(fake, U64_MAX / 2) :
						       U64_MAX / 2);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
}

/* A deadline in ticks, with a device clock that differs from CLOCK_MONOTONIC. */
static void nna_job_deadline_in_ticks(struct kunit *test)
{
	struct nna_fake *fake = nna_fake_create(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	u64 deadline = ktime_get_ns() + 10ull * NSEC_PER_SEC;
	struct nna_ring_entry e;

	fake->tick = 77ull * NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_open(fake));
	args.deadline_ns = deadline;
	nna_job_submit_one(test, nna_job_ctx(test), &args);
	nna_fake_settle(fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	nna_job_expect_deadline(fake, &e, deadline);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
}

/* Number of BOOST entries for the test ring. */
static unsigned int nna_job_boosts(struct nna_fake *fake)
{
	unsigned int i, count = 0;

	nna_fake_settle(fake);
	for (i = 0; i < fake->logged; i++)
		if (le32_to_cpu(fake->log[i].type) == NNA_ENTRY_BOOST &&
		    le32_to_cpu(fake->log[i].target) == NNA_TEST_RING)
			count++;
	return count;
}

static ktime_t nna_job_in_ms(unsigned int ms)
{
	return ktime_add_ms(ktime_get(), ms);
}

/* The deadline of a waiter boosts the ring. */
static void nna_job_waiters_deadline(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_job_submit_one(test, nna_job_ctx(test), NULL);
	struct nna_ring_entry e;

	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 0u, nna_job_boosts(fake));
	dma_fence_set_deadline(fence, nna_job_in_ms(50));
	nna_fake_wait(test, nna_job_boosts(fake) == 1);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &e));
	KUNIT_EXPECT_EQ(test, (u64)le32_to_cpu(e.seqno),
			le64_to_cpu(fake->log[fake->logged - 1].address));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

/* The ring is boosted once, shortly before the earliest deadline of its waiters. */
static void nna_job_waiters_deadlines(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_job_submit_one(test, nna_job_ctx(test), NULL);
	ktime_t first;

	nna_fake_settle(fake);
	dma_fence_set_deadline(fence, nna_job_in_ms(3000000));
	KUNIT_EXPECT_EQ(test, 0u, nna_job_boosts(fake));
	first = nna_job_in_ms(1000);
	dma_fence_set_deadline(fence, first);
	dma_fence_set_deadline(fence, nna_job_in_ms(2000));
	nna_fake_wait(test, nna_job_boosts(fake));
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), first), -NNA_BOOST_MS);
	msleep(2000);
	KUNIT_EXPECT_EQ(test, 1u, nna_job_boosts(fake));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

/* The deadline of a job that ends before keeps no reference. */
static void nna_job_deadline_is_dropped(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *plain = nna_job_submit_one(test, ctx, NULL);
	struct dma_fence *fence = nna_job_submit_one(test, ctx, NULL);
	unsigned int i;

	/* The scheduler keeps a reference on the last fence of an entity. */
	nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	dma_fence_set_deadline(fence, nna_job_in_ms(50000));
	dma_fence_set_deadline(fence, nna_job_in_ms(40000));
	for (i = 0; i < 3; i++)
		nna_fake_complete(fake, ctx->ring, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
	/* The work's reference has gone, as there is none on the fence without a deadline. */
	KUNIT_EXPECT_EQ(test, kref_read(&plain->refcount), kref_read(&fence->refcount));
}

/* A context is closed after the scheduler has taken a job from its queue. */
static void nna_job_of_closed_ctx_does_not_run(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *fence, *in;
	u32 handle;

	in = nna_fake_fence(fake, &handle);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, handle, NULL, &fence));
	/* The first step of nna_ctx_close(). */
	mutex_lock(&ctx->lock);
	ctx->closed = true;
	mutex_unlock(&ctx->lock);
	dma_fence_signal(in);
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, ctx->ring));
	KUNIT_EXPECT_EQ(test, -ESRCH, nna_fake_fence_error(fence));
}

/* A job that has ended gets no boost, whether its deadline was set before or after the end. */
static void nna_job_deadline_of_the_done(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence = nna_job_submit_one(test, nna_job_ctx(test), NULL);
	const unsigned int later = 1000 * nna_fake_slowness();

	nna_fake_settle(fake);
	dma_fence_set_deadline(fence, nna_job_in_ms(later));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	dma_fence_set_deadline(fence, nna_job_in_ms(1));
	msleep(later);
	KUNIT_EXPECT_EQ(test, 0u, nna_job_boosts(fake));
}

/* A deadline that is set before the job is on the ring takes effect when the job gets there. */
static void nna_job_deadline_of_the_waiting(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *in, *fence;
	u32 handle;

	in = nna_fake_fence(fake, &handle);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, nna_job_ctx(test), handle, NULL, &fence));
	dma_fence_set_deadline(fence, nna_job_in_ms(50));
	KUNIT_EXPECT_EQ(test, 0u, nna_job_boosts(fake));
	dma_fence_signal(in);
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_wait(test, nna_job_boosts(fake) == 1);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

/* A job's deadline is passed to its in-fences. */
static void nna_job_deadline_is_handed_on(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct drm_nna_sync out = { .flags = DRM_NNA_SYNC_SIGNAL };
	struct nna_ctx *first = nna_job_ctx(test), *second;
	struct dma_fence *fence;
	unsigned int boosts;
	u32 vm;

	nna_fake_vm(fake, &vm);
	second = nna_fake_ctx(fake, vm, NNA_TEST_RING + 1, NULL);
	nna_fake_syncobj(fake, &out.handle);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_push(fake, first, &args, &out, 1));
	nna_fake_settle(fake);
	args.deadline_ns = ktime_to_ns(nna_job_in_ms(1000 * nna_fake_slowness()));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, second, out.handle, &args, &fence));
	boosts = nna_job_boosts(fake);
	/* On a slow kernel the deadline may have passed. */
	if (ktime_get_ns() < args.deadline_ns - NNA_BOOST_MS * NSEC_PER_MSEC)
		KUNIT_EXPECT_EQ(test, 0u, boosts);
	nna_fake_wait(test, nna_job_boosts(fake) == 1);
	nna_fake_wait(test, ktime_get_ns() > args.deadline_ns);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_fake_fence_error(fence));
}

static void nna_job_accounts_run_time(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *fence;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		fence = nna_job_submit_one(test, ctx, NULL);
		nna_fake_settle(fake);
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 1000);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	}
	/* The detail of other statuses is no run time. */
	fence = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_BAD_INDEX, 0x40);
	KUNIT_EXPECT_EQ(test, -ERANGE, nna_fake_fence_error(fence));
	for (i = 0; i < NNA_JOB_RINGS; i++)
		KUNIT_EXPECT_EQ(test, i == NNA_TEST_RING ? 3000 : 0,
				atomic64_read(&ctx->usage->ticks[i]));
}

/* A job costs one interrupt and no register read. */
static void nna_job_cost(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	s64 reads = atomic64_read(&fake->nna->hw.reads), irqs = atomic64_read(&fake->nna->irqs);
	struct dma_fence *fence;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		fence = nna_job_submit_one(test, ctx, NULL);
		nna_fake_settle(fake);
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	}
	KUNIT_EXPECT_EQ(test, reads, atomic64_read(&fake->nna->hw.reads));
	KUNIT_EXPECT_EQ(test, irqs + 10, atomic64_read(&fake->nna->irqs));
}

/* The scheduler fills the ring, and adds jobs as others end. */
static void nna_job_more_than_a_ring(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence **fences = kunit_kcalloc(test, 3 * NNA_RING_SIZE, sizeof(*fences),
						  GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, fences);
	for (i = 0; i < 3 * NNA_RING_SIZE; i++)
		fences[i] = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, NNA_RING_SIZE, nna_fake_pending(fake, NNA_TEST_RING));
	for (i = 0; i < 3 * NNA_RING_SIZE; i++) {
		nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[i]));
	}
}

/* When a ring is full the next free entry is for a user that was idle. */
static void nna_job_late_user(struct kunit *test)
{
	const struct nna_user_key key = { .uid = 1000 };
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_usage *usage = nna_usage_create(fake->nna);
	struct nna_ctx *ctx = nna_job_ctx(test), *late;
	struct nna_ring_entry entry;
	struct dma_fence *fence;
	struct nna_user *user;
	unsigned int i;
	u32 id;

	KUNIT_ASSERT_FALSE(test, IS_ERR(usage));
	user = nna_user_find(fake->nna, &key);
	KUNIT_ASSERT_FALSE(test, IS_ERR(user));
	nna_user_put(nna_usage_set_user(usage, user));
	late = nna_ctx_create(fake->nna, nna_fake_vm(fake, &id), usage, NNA_TEST_RING);
	KUNIT_ASSERT_FALSE(test, IS_ERR(late));
	for (i = 0; i < 2 * NNA_RING_SIZE; i++)
		nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	fence = nna_job_submit_one(test, late, NULL);
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, NNA_RING_SIZE, nna_fake_pending(fake, NNA_TEST_RING));

	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, NNA_RING_SIZE, nna_fake_pending(fake, NNA_TEST_RING));
	for (i = 1; i < NNA_RING_SIZE; i++)
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &entry));
	KUNIT_EXPECT_EQ(test, late->vm->asid, le32_to_cpu(entry.asid));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	nna_ctx_put(late);
	nna_usage_put(usage);
}

struct nna_counted {
	struct dma_fence_cb cb;
	unsigned int signals;
};

static void nna_count_signal(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	container_of(cb, struct nna_counted, cb)->signals++;
}

/* A fence signals once, whatever follows: a spurious interrupt, a timeout, close, unbind. */
static void nna_job_signals_once(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct nna_counted counted[4] = {};
	struct dma_fence *fences[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		fences[i] = nna_job_submit_one(test, ctx, NULL);
		KUNIT_ASSERT_EQ(test, 0, dma_fence_add_callback(fences[i], &counted[i].cb,
								nna_count_signal));
	}
	nna_fake_settle(fake);
	for (i = 0; i < 2; i++) {
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
		nna_fake_irq(fake, NNA_TEST_RING);
	}
	nna_fake_settle(fake);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, i < 2, counted[i].signals);
	nna_fake_close(fake);
	nna_fake_unbind(fake);
	for (i = 0; i < 4; i++) {
		nna_fake_fence_error(fences[i]);
		KUNIT_EXPECT_EQ(test, 1u, counted[i].signals);
	}
}

static void nna_job_ctx_destroyed(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_ctx_destroy destroy = {};
	struct dma_fence *gate, *on_ring, *queued;
	struct nna_ctx *ctx;
	u32 vm, in;

	gate = nna_fake_fence(fake, &in);
	nna_fake_vm(fake, &vm);
	ctx = nna_fake_ctx(fake, vm, NNA_TEST_RING, &destroy.id);
	on_ring = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, in, NULL, &queued));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_CTX_DESTROY, &destroy));
	/* The job on the ring is aborted, the other one never starts. */
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(on_ring));
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, NNA_TEST_RING));
	/* It does not wait for its in-fence. */
	KUNIT_EXPECT_EQ(test, -ESRCH, nna_fake_fence_error(queued));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(gate));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

/* The fences of a context signal in order, even if a job will not run and could end at once. */
static void nna_job_destroyed_in_order(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_ctx_destroy destroy = {};
	struct dma_fence *on_ring, *queued;
	struct nna_ctx *ctx;
	u32 vm, in;

	nna_fake_fence(fake, &in);
	nna_fake_vm(fake, &vm);
	ctx = nna_fake_ctx(fake, vm, NNA_TEST_RING, &destroy.id);
	fake->control_stopped = true;
	on_ring = nna_job_submit_one(test, ctx, NULL);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, in, NULL, &queued));
	nna_fake_settle(fake);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_CTX_DESTROY, &destroy));
	nna_fake_settle(fake);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(queued));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(on_ring));
	KUNIT_EXPECT_EQ(test, -ESRCH, nna_fake_fence_error(queued));
}

struct nna_closing {
	struct work_struct work;
	struct nna_ctx *ctx;
	bool closed;
};

static void nna_closing_work(struct work_struct *work)
{
	struct nna_closing *closing = container_of(work, struct nna_closing, work);

	nna_ctx_close(closing->ctx);
	WRITE_ONCE(closing->closed, true);
}

/* Closing a context stops no scheduler: they run the jobs of other contexts. */
static void nna_job_close_stops_no_scheduler(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_closing closing = { .ctx = nna_job_ctx(test) };
	unsigned int tries = 5000 * nna_fake_slowness();
	u32 in;
	struct dma_fence *queued;

	nna_fake_fence(fake, &in);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, closing.ctx, in, NULL, &queued));
	nna_fake_settle(fake);
	INIT_WORK_ONSTACK(&closing.work, nna_closing_work);
	mutex_lock(nna_sched_lock(fake->nna));
	schedule_work(&closing.work);
	while (!READ_ONCE(closing.closed) && --tries)
		msleep(1);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(closing.closed));
	mutex_unlock(nna_sched_lock(fake->nna));
	flush_work(&closing.work);
	destroy_work_on_stack(&closing.work);
	KUNIT_EXPECT_EQ(test, -ESRCH, nna_fake_fence_error(queued));
}

/* A context has a quota of jobs that have not ended, and its file one for all its contexts. */
static void nna_job_room(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct nna_ctx *ctxs[NNA_MAX_FILE_JOBS / NNA_MAX_CTX_JOBS + 1];
	unsigned int i, k;

	args.flags = DRM_NNA_SUBMIT_NONBLOCK;
	for (i = 0; i < ARRAY_SIZE(ctxs); i++)
		ctxs[i] = nna_job_ctx(test);
	for (i = 0; i + 1 < ARRAY_SIZE(ctxs); i++) {
		for (k = 0; k < NNA_MAX_CTX_JOBS; k++)
			KUNIT_ASSERT_EQ(test, 0, nna_fake_push(fake, ctxs[i], &args, NULL, 0));
		KUNIT_EXPECT_EQ(test, -EAGAIN, nna_fake_push(fake, ctxs[i], &args, NULL, 0));
	}
	KUNIT_EXPECT_EQ(test, -EAGAIN, nna_fake_push(fake, ctxs[i], &args, NULL, 0));
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
	/*
	 * End the first context's first job: the file and that context have quota, the others not.
	 */
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, -EAGAIN, nna_fake_push(fake, ctxs[1], &args, NULL, 0));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_push(fake, ctxs[i], &args, NULL, 0));
	KUNIT_EXPECT_EQ(test, -EAGAIN, nna_fake_push(fake, ctxs[0], &args, NULL, 0));
	/* A failed submission uses no quota. */
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, -ENOENT,
			nna_fake_push(fake, ctxs[i], &args,
				      &(struct drm_nna_sync){ .handle = 4711 }, 1));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_push(fake, ctxs[i], &args, NULL, 0));
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ctxs[0]->usage->quota_used));
	for (i = 0; i < ARRAY_SIZE(ctxs); i++)
		KUNIT_EXPECT_EQ(test, 0, atomic_read(&ctxs[i]->quota_used));
}

/* A call of SUBMIT that waits for quota. */
struct nna_job_waiter {
	struct work_struct work;
	struct completion done;
	struct nna_ctx *ctx;
	int ret;
};

static void nna_job_wait_for_quota(struct work_struct *work)
{
	struct nna_job_waiter *waiter = container_of(work, struct nna_job_waiter, work);

	waiter->ret = nna_ctx_take_quota(waiter->ctx, false);
	complete(&waiter->done);
}

/* Returns whether @end wakes a call that waits for quota. */
static bool nna_job_wakes(struct kunit *test, struct nna_job_waiter *waiter,
			  void (*end)(struct nna_ctx *ctx))
{
	wait_queue_head_t *waitq = &waiter->ctx->usage->quota_waitq;
	bool woken;

	INIT_WORK(&waiter->work, nna_job_wait_for_quota);
	init_completion(&waiter->done);
	queue_work(system_unbound_wq, &waiter->work);
	nna_fake_wait(test, wq_has_sleeper(waitq));
	end(waiter->ctx);
	woken = wait_for_completion_timeout(&waiter->done, 10 * HZ);
	/* End it in any case, as the memory is that of the test. */
	wake_up_all(waitq);
	flush_work(&waiter->work);
	return woken;
}

/* A call that waits for quota is woken when there is some, and when its context is destroyed. */
static void nna_job_wakes_waiters(struct kunit *test)
{
	struct nna_job_waiter *waiter = kunit_kzalloc(test, sizeof(*waiter), GFP_KERNEL);
	struct nna_ctx *ctx = nna_job_ctx(test);

	KUNIT_ASSERT_NOT_NULL(test, waiter);
	waiter->ctx = ctx;
	atomic_add(NNA_MAX_CTX_JOBS, &ctx->quota_used);
	atomic_add(NNA_MAX_CTX_JOBS, &ctx->usage->quota_used);
	KUNIT_EXPECT_TRUE(test, nna_job_wakes(test, waiter, nna_ctx_give_quota));
	KUNIT_EXPECT_EQ(test, 0, waiter->ret);
	KUNIT_EXPECT_TRUE(test, nna_job_wakes(test, waiter, nna_ctx_close));
	KUNIT_EXPECT_EQ(test, -ENOENT, waiter->ret);
	atomic_sub(NNA_MAX_CTX_JOBS, &ctx->quota_used);
	atomic_sub(NNA_MAX_CTX_JOBS, &ctx->usage->quota_used);
}

/* Shutdown stops the device and ends all jobs, also those that wait for foreign fences. */
static void nna_job_shutdown(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test), *other = nna_job_ctx(test);
	struct drm_nna_submit args = nna_fake_submit_args();
	struct dma_fence *running, *waiting, *in;
	const unsigned int disables = fake->bus_master_disables;
	u32 handle;

	running = nna_job_submit_one(test, ctx, NULL);
	in = nna_fake_fence(fake, &handle);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, other, handle, NULL, &waiting));
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, ctx->ring));
	nna_device_shutdown(fake->dev);
	KUNIT_EXPECT_LT(test, disables, fake->bus_master_disables);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(running));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(waiting));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(in));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_push(fake, ctx, &args, NULL, 0));
	dma_fence_signal(in);
}

/* Unbind does not wait for foreign fences. */
static void nna_job_unbind_while_waiting(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *gate, *first, *second;
	u32 in;

	gate = nna_fake_fence(fake, &in);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, in, NULL, &first));
	second = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(gate));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(first));
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_fake_fence_error(second));
}

/* A job ends at once if its context is banned while it waits. */
static void nna_job_banned_while_waiting(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *gate, *bad, *queued;
	u32 in;

	gate = nna_fake_fence(fake, &in);
	bad = nna_job_submit_one(test, ctx, NULL);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, in, NULL, &queued));
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_FAULT_MMU, 0x5000);
	KUNIT_EXPECT_EQ(test, -EFAULT, nna_fake_fence_error(bad));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(queued));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(gate));
}

/* Nothing of the context holds quota, its own or its file's. */
static void nna_job_expect_no_quota(struct kunit *test, const struct nna_ctx *ctx)
{
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ctx->quota_used));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ctx->usage->quota_used));
}

/*
 * A context ends between two steps of a submission. The place that the submission has is free
 * again: its quota, and its ring entry. There are more contexts than the ring has entries.
 */
static void nna_job_over_in_between(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	const struct drm_nna_submit args = nna_fake_submit_args();
	struct dma_fence *fence;
	struct nna_ctx *ctx;
	unsigned int i;
	u32 vm;

	/* SUBMIT has the quota. */
	nna_fake_vm(fake, &vm);
	for (i = 0; i < 2; i++) {
		ctx = nna_fake_ctx(fake, vm, NNA_TEST_RING, NULL);
		KUNIT_ASSERT_EQ(test, 0, nna_job_reserve(ctx, &args));
		KUNIT_EXPECT_EQ(test, 1, atomic_read(&ctx->quota_used));
		if (i)
			nna_ctx_close(ctx);
		else
			nna_ctx_ban(ctx, NNA_STATUS_FAULT_MMU, 0);
		KUNIT_EXPECT_EQ(test, i ? -ENOENT : -ECANCELED,
				nna_job_submit(fake->file, ctx, &args, NULL, 0));
		nna_job_expect_no_quota(test, ctx);
	}
	/* The scheduler has the job, which has a ring entry, and has not started it. */
	for (i = 0; i < 2 * (NNA_RING_SIZE + 1); i++) {
		ctx = nna_fake_ctx(fake, vm, NNA_TEST_RING, NULL);
		nna_sched_stop(fake->nna, NNA_STOPPED_BY_SUSPEND);
		fence = nna_job_submit_one(test, ctx, NULL);
		if (i & 1)
			nna_ctx_close(ctx);
		else
			nna_ctx_ban(ctx, NNA_STATUS_BUDGET, 0);
		nna_sched_start(fake->nna, NNA_STOPPED_BY_SUSPEND);
		KUNIT_EXPECT_EQ(test, i & 1 ? -ESRCH : -ECANCELED, nna_fake_fence_error(fence));
		nna_job_expect_no_quota(test, ctx);
	}
	fence = nna_job_submit_one(test, nna_fake_ctx(fake, vm, NNA_TEST_RING, NULL), NULL);
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

static void nna_job_destroy_spares_others(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_ctx_destroy destroy = {};
	struct dma_fence *mine, *other;
	struct nna_ctx *ctx;
	u32 vm;

	nna_fake_vm(fake, &vm);
	ctx = nna_fake_ctx(fake, vm, NNA_TEST_RING, &destroy.id);
	mine = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	other = nna_job_submit_one(test, nna_fake_ctx(fake, vm, NNA_TEST_RING, NULL), NULL);
	nna_fake_settle(fake);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_CTX_DESTROY, &destroy));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(mine));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(other));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(other));
}

static void nna_job_file_closed(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *gate, *on_ring, *queued;
	u32 in;

	gate = nna_fake_fence(fake, &in);
	on_ring = nna_job_submit_one(test, ctx, NULL);
	nna_fake_settle(fake);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, in, NULL, &queued));
	nna_fake_close(fake);
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(on_ring));
	KUNIT_EXPECT_EQ(test, -ESRCH, nna_fake_fence_error(queued));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(gate));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

/* An abort of a job that has ended has no effect. */
static void nna_job_abort_too_late(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_ctx_destroy destroy = {};
	struct dma_fence *fence;
	u32 vm;

	nna_fake_vm(fake, &vm);
	fake->control_stopped = true;
	fence = nna_job_submit_one(test, nna_fake_ctx(fake, vm, NNA_TEST_RING, &destroy.id), NULL);
	nna_fake_settle(fake);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_CTX_DESTROY, &destroy));
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_resume_control(fake);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

static void nna_job_in_banned_ctx_of_closed_file(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *a = nna_job_submit_one(test, ctx, NULL);
	struct dma_fence *b = nna_job_submit_one(test, ctx, NULL);

	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_BAD_STREAM, 0);
	nna_fake_close(fake);
	KUNIT_EXPECT_EQ(test, -EINVAL, nna_fake_fence_error(a));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(b));
}

/* The fences of all jobs hold the device, whether the jobs have run or not. */
static void nna_job_fences_keep_the_device(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_device *nna = fake->nna;
	struct drm_nna_submit late = nna_fake_submit_args();
	struct dma_fence *gate, *fences[3];
	struct file *keepalive;
	u32 in;

	late.deadline_ns = 1;
	fences[0] = nna_job_submit_one(test, nna_job_ctx(test), NULL);
	fences[1] = nna_job_submit_one(test, nna_job_ctx(test), &late);
	gate = nna_fake_fence(fake, &in);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, nna_job_ctx(test), in, NULL, &fences[2]));
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[0]));
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nna_fake_fence_error(fences[1]));
	nna_fake_close(fake);
	dma_fence_signal(gate);
	KUNIT_EXPECT_EQ(test, -ESRCH, nna_fake_fence_error(fences[2]));
	nna_fake_unbind(fake);
	flush_delayed_fput();
	keepalive = container_of(fences[0], struct nna_fence, base)->keepalive;
	KUNIT_EXPECT_EQ(test, (long)ARRAY_SIZE(fences), file_count(keepalive));
	/* The test's reference, and the one of the closed file's keepalive. */
	KUNIT_EXPECT_EQ(test, 2u, kref_read(&nna->drm.ref));
}

/* The jobs that the scheduler has of these contexts and has not put on the ring. */
static unsigned int nna_job_scheduled(struct nna_ctx **ctxs, unsigned int count)
{
	unsigned int i, jobs = 0;

	for (i = 0; i < count; i++)
		jobs += spsc_queue_count(&ctxs[i]->entity.job_queue);
	return jobs;
}

#define NNA_TEST_WAITERS	(2 * NNA_RING_SIZE)

/* However many jobs wait for fences, the scheduler has none of them to look at. */
static void nna_job_waits_outside(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *in, *first = NULL, *fence;
	struct nna_ctx **ctxs;
	unsigned int i;
	u32 handle, vm;

	nna_fake_vm(fake, &vm);
	ctxs = kunit_kcalloc(test, NNA_TEST_WAITERS, sizeof(*ctxs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctxs);
	in = nna_fake_fence(fake, &handle);
	for (i = 0; i < NNA_TEST_WAITERS; i++) {
		ctxs[i] = nna_fake_ctx(fake, vm, NNA_TEST_RING, NULL);
		KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctxs[i], handle, NULL, &fence));
		if (!i)
			first = fence;
		/* And a job behind it. */
		nna_job_submit_one(test, ctxs[i], NULL);
	}
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 0u, nna_job_scheduled(ctxs, NNA_TEST_WAITERS));
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, NNA_TEST_RING));
	KUNIT_EXPECT_EQ(test, 2 * NNA_TEST_WAITERS, (u32)atomic_read(&fake->nna->job_count));

	/* Stopped, so that the scheduler keeps what it gets: no more than the ring has room for. */
	nna_sched_stop(fake->nna, NNA_STOPPED_BY_SUSPEND);
	dma_fence_signal(in);
	nna_fake_wait(test, nna_job_scheduled(ctxs, NNA_TEST_WAITERS) == NNA_RING_SIZE);
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, NNA_RING_SIZE, nna_job_scheduled(ctxs, NNA_TEST_WAITERS));
	nna_sched_start(fake->nna, NNA_STOPPED_BY_SUSPEND);
	for (i = 0; i < 2 * NNA_TEST_WAITERS; i++) {
		nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	}
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(first));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

/* The fence is the driver's own, the same before and after the scheduler gets the job. */
static void nna_job_publishes_its_fence(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *in, *fence;
	u32 handle;

	in = nna_fake_fence(fake, &handle);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, handle, NULL, &fence));
	KUNIT_EXPECT_NULL(test, to_drm_sched_fence(fence));
	KUNIT_EXPECT_STREQ(test, NNA_DRIVER_NAME, fence->ops->get_driver_name(fence));
	KUNIT_EXPECT_STREQ(test, "nna-medium", fence->ops->get_timeline_name(fence));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	dma_fence_signal(in);
	nna_fake_settle(fake);
	nna_fake_succeed(fake, NNA_TEST_RING, fence);
}

/*
 * Waiting jobs of a context that is closed end in their order, behind the one on the ring, and by
 * more than one run of the work.
 */
static void nna_job_waiting_ones_end_in_order(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_job_ctx(test);
	struct dma_fence *in, *on_ring, *fences[3 * NNA_GATES_BATCH];
	unsigned int i;
	u32 handle;

	on_ring = nna_fake_start(fake, ctx, 0);
	in = nna_fake_fence(fake, &handle);
	for (i = 0; i < ARRAY_SIZE(fences); i++)
		KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, handle, NULL, &fences[i]));
	fake->ignore_aborts = true;
	nna_ctx_close(ctx);
	nna_fake_settle(fake);
	for (i = 0; i < ARRAY_SIZE(fences); i++)
		KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fences[i]));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_ABORTED, 0);
	KUNIT_EXPECT_EQ(test, -ECANCELED, nna_fake_fence_error(on_ring));
	for (i = 0; i < ARRAY_SIZE(fences); i++) {
		KUNIT_EXPECT_EQ(test, -ESRCH, nna_fake_fence_error(fences[i]));
		if (i)
			KUNIT_EXPECT_LE(test, ktime_to_ns(dma_fence_timestamp(fences[i - 1])),
					ktime_to_ns(dma_fence_timestamp(fences[i])));
	}
	nna_fake_wait(test, !nna_fake_pending(fake, NNA_TEST_RING));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(in));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ctx->quota_used));
}

static struct kunit_case nna_job_cases[] = {
	KUNIT_CASE(nna_job_waits_outside),
	KUNIT_CASE(nna_job_publishes_its_fence),
	KUNIT_CASE(nna_job_waiting_ones_end_in_order),
	KUNIT_CASE(nna_job_completes),
	KUNIT_CASE(nna_job_entry),
	KUNIT_CASE(nna_job_slice),
	KUNIT_CASE(nna_job_profile),
	KUNIT_CASE(nna_job_limits_saturate),
	KUNIT_CASE_PARAM(nna_job_priority_is_ring, nna_priority_gen_params),
	KUNIT_CASE(nna_job_rings_are_independent),
	KUNIT_CASE(nna_job_order_in_ctx),
	KUNIT_CASE(nna_job_ctxs_in_order_of_arrival),
	KUNIT_CASE_PARAM(nna_job_status, nna_status_gen_params),
	KUNIT_CASE(nna_job_first_ban_counts),
	KUNIT_CASE(nna_job_ban_ends_the_rest),
	KUNIT_CASE_PARAM(nna_job_deadline, nna_deadline_gen_params),
	KUNIT_CASE_PARAM(nna_job_past_deadline, nna_past_deadline_gen_params),
	KUNIT_CASE(nna_job_longest_duration),
	KUNIT_CASE(nna_job_waiters_deadline),
	KUNIT_CASE(nna_job_waiters_deadlines),
	KUNIT_CASE(nna_job_deadline_is_dropped),
	KUNIT_CASE(nna_job_deadline_of_the_done),
	KUNIT_CASE(nna_job_of_closed_ctx_does_not_run),
	KUNIT_CASE(nna_job_deadline_of_the_waiting),
	KUNIT_CASE(nna_job_deadline_is_handed_on),
	KUNIT_CASE(nna_job_accounts_run_time),
	KUNIT_CASE(nna_job_cost),
	KUNIT_CASE(nna_job_more_than_a_ring),
	KUNIT_CASE(nna_job_late_user),
	KUNIT_CASE(nna_job_signals_once),
	KUNIT_CASE(nna_job_ctx_destroyed),
	KUNIT_CASE(nna_job_destroyed_in_order),
	KUNIT_CASE(nna_job_close_stops_no_scheduler),
	KUNIT_CASE_SLOW(nna_job_room),
	KUNIT_CASE(nna_job_wakes_waiters),
	KUNIT_CASE(nna_job_shutdown),
	KUNIT_CASE(nna_job_unbind_while_waiting),
	KUNIT_CASE(nna_job_banned_while_waiting),
	KUNIT_CASE(nna_job_over_in_between),
	KUNIT_CASE(nna_job_destroy_spares_others),
	KUNIT_CASE(nna_job_file_closed),
	KUNIT_CASE(nna_job_abort_too_late),
	KUNIT_CASE(nna_job_in_banned_ctx_of_closed_file),
	KUNIT_CASE(nna_job_fences_keep_the_device),
	{}
};

static struct kunit_suite nna_job_suite = {
	.name = "nna_job",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_job_cases,
};

/* The same with other clocks: two in which few durations are whole ticks, and a faster one. */
static int nna_job_init_19m2(struct kunit *test)
{
	return nna_fake_init_at(test, 19200000);
}

static int nna_job_init_24m(struct kunit *test)
{
	return nna_fake_init_at(test, 24000000);
}

static int nna_job_init_2g(struct kunit *test)
{
	return nna_fake_init_at(test, 2ull * NSEC_PER_SEC);
}

static struct kunit_suite nna_job_19m2_suite = {
	.name = "nna_job_19m2",
	.init = nna_job_init_19m2,
	.exit = nna_fake_exit,
	.test_cases = nna_job_cases,
};

static struct kunit_suite nna_job_24m_suite = {
	.name = "nna_job_24m",
	.init = nna_job_init_24m,
	.exit = nna_fake_exit,
	.test_cases = nna_job_cases,
};

static struct kunit_suite nna_job_2g_suite = {
	.name = "nna_job_2g",
	.init = nna_job_init_2g,
	.exit = nna_fake_exit,
	.test_cases = nna_job_cases,
};

/* Cases that change the device before the driver is bound. */
static struct kunit_case nna_job_bare_cases[] = {
	KUNIT_CASE(nna_job_deadline_in_ticks),
	{}
};

static struct kunit_suite nna_job_bare_suite = {
	.name = "nna_job_bare",
	.exit = nna_fake_exit,
	.test_cases = nna_job_bare_cases,
};
kunit_test_suites(&nna_job_suite, &nna_job_19m2_suite, &nna_job_24m_suite, &nna_job_2g_suite,
		  &nna_job_bare_suite);

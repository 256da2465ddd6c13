// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sync array: the fences for which a job waits, the syncobjs that get its fence, and errors of
 * in-fences.
 */

#include <linux/dma-fence-chain.h>
#include <drm/drm_syncobj.h>

#include "nna_fake.h"
#include "../nna_ctx.h"
#include "../nna_job.h"
#include "../nna_sync.h"

#define NNA_TEST_RING	DRM_NNA_CTX_PRIORITY_MEDIUM

static struct nna_ctx *nna_sync_ctx(struct kunit *test, u32 priority)
{
	struct nna_fake *fake = to_nna_fake(test);
	u32 vm;

	nna_fake_vm(fake, &vm);
	return nna_fake_ctx(fake, vm, priority, NULL);
}

static int nna_sync_submit(struct kunit *test, struct nna_ctx *ctx,
			   const struct drm_nna_sync *syncs, u32 count)
{
	struct drm_nna_submit args = nna_fake_submit_args();

	return nna_fake_push(to_nna_fake(test), ctx, &args, syncs, count);
}

/* Returns the fence of a syncobj's point (0: binary), referenced until the test's end, or NULL. */
static struct dma_fence *nna_sync_fence(struct kunit *test, u32 handle, u64 point)
{
	struct dma_fence *fence;

	if (drm_syncobj_find_fence(to_nna_fake(test)->file, handle, point, 0, &fence))
		return NULL;
	nna_fake_keep_fence(to_nna_fake(test), fence);
	return fence;
}

static void nna_sync_none(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);

	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, nna_sync_ctx(test, NNA_TEST_RING), NULL, 0));
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

static void nna_sync_waits_for_binary(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *in, *fence;
	u32 handle;

	in = nna_fake_fence(fake, &handle);
	KUNIT_ASSERT_EQ(test, 0,
			nna_fake_submit(fake, nna_sync_ctx(test, NNA_TEST_RING), handle, NULL,
					&fence));
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, NNA_TEST_RING));
	dma_fence_signal(in);
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

static void nna_sync_waits_for_all(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_sync syncs[5] = {};
	struct dma_fence *in[5];
	unsigned int i;

	for (i = 0; i < 5; i++)
		in[i] = nna_fake_fence(fake, &syncs[i].handle);
	KUNIT_ASSERT_EQ(test, 0,
			nna_sync_submit(test, nna_sync_ctx(test, NNA_TEST_RING), syncs, 5));
	for (i = 5; i-- > 0;) {
		nna_fake_settle(fake);
		KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, NNA_TEST_RING));
		dma_fence_signal(in[i]);
	}
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
}

/* A job that has ended holds none of its in-fences, whether few or many. */
static void nna_sync_keeps_no_fence(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_sync_ctx(test, NNA_TEST_RING);
	struct drm_nna_sync syncs[NNA_INLINE_SYNCS + 1] = {};
	struct dma_fence *in[ARRAY_SIZE(syncs)];
	unsigned int refs, count, i;

	for (i = 0; i < ARRAY_SIZE(in); i++) {
		in[i] = nna_fake_fence(fake, &syncs[i].handle);
		dma_fence_signal(in[i]);
	}
	refs = kref_read(&in[0]->refcount);
	for (count = 1; count <= ARRAY_SIZE(in); count++) {
		KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, ctx, syncs, count));
		nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
		for (i = 0; i < count; i++)
			KUNIT_EXPECT_EQ(test, refs + 1, kref_read(&in[i]->refcount));
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
		nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
		for (i = 0; i < count; i++)
			KUNIT_EXPECT_EQ(test, refs, kref_read(&in[i]->refcount));
	}
}

static void nna_sync_signals_binary(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_sync sync = { .flags = DRM_NNA_SYNC_SIGNAL };
	struct dma_fence *fence;

	nna_fake_syncobj(fake, &sync.handle);
	KUNIT_ASSERT_EQ(test, 0,
			nna_sync_submit(test, nna_sync_ctx(test, NNA_TEST_RING), &sync, 1));
	fence = nna_sync_fence(test, sync.handle, 0);
	KUNIT_ASSERT_NOT_NULL(test, fence);
	nna_fake_settle(fake);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

static void nna_sync_signals_points(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_sync_ctx(test, NNA_TEST_RING);
	struct drm_nna_sync sync = { .flags = DRM_NNA_SYNC_SIGNAL | DRM_NNA_SYNC_TYPE_TIMELINE };
	struct dma_fence *fences[3];
	unsigned int i;

	nna_fake_syncobj(fake, &sync.handle);
	for (i = 0; i < 3; i++) {
		sync.point = (i + 1) * 10;
		KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, ctx, &sync, 1));
	}
	for (i = 0; i < 3; i++) {
		fences[i] = nna_sync_fence(test, sync.handle, (i + 1) * 10);
		KUNIT_ASSERT_NOT_NULL(test, fences[i]);
	}
	KUNIT_EXPECT_NULL(test, nna_sync_fence(test, sync.handle, 31));
	nna_fake_settle(fake);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fences[i]));
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[i]));
	}
}

static void nna_sync_waits_for_point(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *low = nna_sync_ctx(test, DRM_NNA_CTX_PRIORITY_LOW);
	struct nna_ctx *high = nna_sync_ctx(test, DRM_NNA_CTX_PRIORITY_HIGH);
	struct drm_nna_sync sync = { .flags = DRM_NNA_SYNC_SIGNAL | DRM_NNA_SYNC_TYPE_TIMELINE };
	struct drm_nna_sync in = { .flags = DRM_NNA_SYNC_TYPE_TIMELINE };

	nna_fake_syncobj(fake, &sync.handle);
	sync.point = 5;
	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, low, &sync, 1));
	in.handle = sync.handle;
	/* A point between two others has the fence of the later one. */
	in.point = 4;
	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, high, &in, 1));
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, DRM_NNA_CTX_PRIORITY_HIGH));
	nna_fake_complete(fake, DRM_NNA_CTX_PRIORITY_LOW, NNA_STATUS_OK, 0);
	nna_fake_wait(test, nna_fake_pending(fake, DRM_NNA_CTX_PRIORITY_HIGH));
	nna_fake_complete(fake, DRM_NNA_CTX_PRIORITY_HIGH, NNA_STATUS_OK, 0);
}

static void nna_sync_point_not_there_yet(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_sync_ctx(test, NNA_TEST_RING);
	struct drm_nna_sync sync = {
		.flags = DRM_NNA_SYNC_SIGNAL | DRM_NNA_SYNC_TYPE_TIMELINE, .point = 5,
	};

	nna_fake_syncobj(fake, &sync.handle);
	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, ctx, &sync, 1));
	sync.flags = DRM_NNA_SYNC_TYPE_TIMELINE;
	sync.point = 6;
	KUNIT_EXPECT_EQ(test, -EINVAL, nna_sync_submit(test, ctx, &sync, 1));
	nna_fake_settle(fake);
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
}

/* A syncobj to wait for and to signal: the job waits for the old fence. */
static void nna_sync_same_in_and_out(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_sync syncs[2] = { {}, { .flags = DRM_NNA_SYNC_SIGNAL } };
	struct dma_fence *in, *out;

	in = nna_fake_fence(fake, &syncs[0].handle);
	syncs[1].handle = syncs[0].handle;
	KUNIT_ASSERT_EQ(test, 0,
			nna_sync_submit(test, nna_sync_ctx(test, NNA_TEST_RING), syncs, 2));
	out = nna_sync_fence(test, syncs[0].handle, 0);
	KUNIT_EXPECT_PTR_NE(test, in, out);
	dma_fence_signal(in);
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(out));
}

static void nna_sync_most(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_sync *syncs = kunit_kcalloc(test, NNA_MAX_SYNCS, sizeof(*syncs), GFP_KERNEL);
	struct dma_fence *in = NULL, *fence;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, syncs);
	for (i = 0; i < NNA_MAX_SYNCS; i++) {
		if (i & 1) {
			nna_fake_syncobj(fake, &syncs[i].handle);
			syncs[i].flags = DRM_NNA_SYNC_SIGNAL;
			if (i & 2) {
				syncs[i].flags |= DRM_NNA_SYNC_TYPE_TIMELINE;
				syncs[i].point = i;
			}
		} else if (i) {
			syncs[i].handle = syncs[0].handle;
		} else {
			in = nna_fake_fence(fake, &syncs[i].handle);
		}
	}
	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, nna_sync_ctx(test, NNA_TEST_RING), syncs,
						 NNA_MAX_SYNCS));
	dma_fence_signal(in);
	nna_fake_wait(test, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	for (i = 1; i < NNA_MAX_SYNCS; i += 2) {
		fence = nna_sync_fence(test, syncs[i].handle, syncs[i].point);
		KUNIT_ASSERT_NOT_NULL(test, fence);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	}
}

/* If the last handle is wrong, the syncobjs before it are unchanged. */
static void nna_sync_all_or_none(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_sync_ctx(test, NNA_TEST_RING);
	struct drm_nna_sync syncs[6] = {};
	unsigned int i;

	for (i = 0; i < 5; i++) {
		nna_fake_syncobj(fake, &syncs[i].handle);
		syncs[i].flags = DRM_NNA_SYNC_SIGNAL;
		if (i & 1) {
			syncs[i].flags |= DRM_NNA_SYNC_TYPE_TIMELINE;
			syncs[i].point = 1;
		}
	}
	syncs[5].handle = 4711;
	KUNIT_EXPECT_EQ(test, -ENOENT, nna_sync_submit(test, ctx, syncs, 6));
	syncs[5].flags = DRM_NNA_SYNC_SIGNAL;
	KUNIT_EXPECT_EQ(test, -ENOENT, nna_sync_submit(test, ctx, syncs, 6));
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_NULL(test, nna_sync_fence(test, syncs[i].handle, syncs[i].point));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->job_count));
}

static const int nna_errors[] = { -EIO, -ETIMEDOUT, -ECANCELED, -ENODEV, -EHWPOISON };

static void nna_error_desc(const int *error, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%d", *error);
}
KUNIT_ARRAY_PARAM(nna_error, nna_errors, nna_error_desc);

/* An in-fence fails: the job does not run, and its fence has the same error. */
static void nna_sync_error_travels(struct kunit *test)
{
	int error = *(const int *)test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *in, *fence;
	u32 handle;

	in = nna_fake_fence(fake, &handle);
	KUNIT_ASSERT_EQ(test, 0,
			nna_fake_submit(fake, nna_sync_ctx(test, NNA_TEST_RING), handle, NULL,
					&fence));
	nna_fake_settle(fake);
	dma_fence_set_error(in, error);
	dma_fence_signal(in);
	KUNIT_EXPECT_EQ(test, error, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 0u, fake->rings[NNA_TEST_RING].doorbell);
}

/* The same with an in-fence that has failed before SUBMIT. */
static void nna_sync_error_from_before(struct kunit *test)
{
	int error = *(const int *)test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *in, *fence;
	u32 handle;

	in = nna_fake_fence(fake, &handle);
	dma_fence_set_error(in, error);
	dma_fence_signal(in);
	KUNIT_ASSERT_EQ(test, 0,
			nna_fake_submit(fake, nna_sync_ctx(test, NNA_TEST_RING), handle, NULL,
					&fence));
	KUNIT_EXPECT_EQ(test, error, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 0u, fake->rings[NNA_TEST_RING].doorbell);
}

static void nna_sync_error_of_one_of_many(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_sync syncs[4] = { {}, {}, {}, { .flags = DRM_NNA_SYNC_SIGNAL } };
	struct dma_fence *in[3], *fence;
	unsigned int i;

	for (i = 0; i < 3; i++)
		in[i] = nna_fake_fence(fake, &syncs[i].handle);
	nna_fake_syncobj(fake, &syncs[3].handle);
	KUNIT_ASSERT_EQ(test, 0,
			nna_sync_submit(test, nna_sync_ctx(test, NNA_TEST_RING), syncs, 4));
	fence = nna_sync_fence(test, syncs[3].handle, 0);
	dma_fence_set_error(in[1], -EREMOTEIO);
	for (i = 0; i < 3; i++)
		dma_fence_signal(in[i]);
	KUNIT_EXPECT_EQ(test, -EREMOTEIO, nna_fake_fence_error(fence));
}

/* A timeline point has the error of its own fence, not of earlier points. */
static void nna_sync_error_of_point(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *low = nna_sync_ctx(test, DRM_NNA_CTX_PRIORITY_LOW);
	struct nna_ctx *high = nna_sync_ctx(test, DRM_NNA_CTX_PRIORITY_HIGH);
	struct drm_nna_sync out = {
		.flags = DRM_NNA_SYNC_SIGNAL | DRM_NNA_SYNC_TYPE_TIMELINE, .point = 1,
	};
	struct drm_nna_sync syncs[2] = {
		{ .flags = DRM_NNA_SYNC_TYPE_TIMELINE, .point = 1 },
		{ .flags = DRM_NNA_SYNC_SIGNAL },
	};
	struct dma_fence *fence;

	nna_fake_syncobj(fake, &out.handle);
	nna_fake_syncobj(fake, &syncs[1].handle);
	syncs[0].handle = out.handle;
	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, low, &out, 1));
	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, high, syncs, 2));
	fence = nna_sync_fence(test, syncs[1].handle, 0);
	nna_fake_wait(test, nna_fake_pending(fake, DRM_NNA_CTX_PRIORITY_LOW));
	nna_fake_complete(fake, DRM_NNA_CTX_PRIORITY_LOW, NNA_STATUS_BAD_INDEX, 0);
	KUNIT_EXPECT_EQ(test, -ERANGE, nna_fake_fence_error(fence));
	KUNIT_EXPECT_EQ(test, 0u, fake->rings[DRM_NNA_CTX_PRIORITY_HIGH].doorbell);
	/* The second context is not banned. */
	KUNIT_EXPECT_FALSE(test, nna_ctx_is_banned(high));
}

/* A job waits for a job of the same context, of the same ring, and of another ring. */
struct nna_chain {
	const char *name;
	bool same_ctx;
	bool same_ring;
};

static const struct nna_chain nna_chains[] = {
	{ "one context", true, true },
	{ "two contexts of a ring", false, true },
	{ "two rings", false, false },
};
KUNIT_ARRAY_PARAM_DESC(nna_chain, nna_chains, name);

static void nna_sync_chain_setup(struct kunit *test, struct nna_ctx **a, struct nna_ctx **b)
{
	const struct nna_chain *c = test->param_value;

	*a = nna_sync_ctx(test, NNA_TEST_RING);
	*b = c->same_ctx ? *a : nna_sync_ctx(test, NNA_TEST_RING + (c->same_ring ? 0 : 1));
}

static void nna_sync_chain_error(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_sync out = { .flags = DRM_NNA_SYNC_SIGNAL };
	struct nna_ctx *a, *b;
	struct dma_fence *second;

	nna_sync_chain_setup(test, &a, &b);
	nna_fake_syncobj(fake, &out.handle);
	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, a, &out, 1));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, b, out.handle, NULL, &second));
	nna_fake_settle(fake);
	/*
	 * The second job is not put on the ring before the first has ended, even if it is the same
	 * ring.
	 */
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_NO_MEMORY, 0);
	KUNIT_EXPECT_EQ(test, -ENOMEM, nna_fake_fence_error(second));
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_pending(fake, b->ring));
}

static void nna_sync_chain_success(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_sync out = { .flags = DRM_NNA_SYNC_SIGNAL };
	struct nna_ctx *a, *b;
	struct dma_fence *second;

	nna_sync_chain_setup(test, &a, &b);
	nna_fake_syncobj(fake, &out.handle);
	KUNIT_ASSERT_EQ(test, 0, nna_sync_submit(test, a, &out, 1));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, b, out.handle, NULL, &second));
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_wait(test, nna_fake_pending(fake, b->ring));
	nna_fake_complete(fake, b->ring, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(second));
}

/* Fences outlive the file, the jobs and the binding of the driver. */
static void nna_sync_fence_outlives_all(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence;

	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, nna_sync_ctx(test, NNA_TEST_RING), 0, NULL,
						 &fence));
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_close(fake);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	KUNIT_EXPECT_TRUE(test, dma_fence_is_signaled(fence));
}

static struct kunit_case nna_sync_cases[] = {
	KUNIT_CASE(nna_sync_none),
	KUNIT_CASE(nna_sync_waits_for_binary),
	KUNIT_CASE(nna_sync_waits_for_all),
	KUNIT_CASE(nna_sync_keeps_no_fence),
	KUNIT_CASE(nna_sync_signals_binary),
	KUNIT_CASE(nna_sync_signals_points),
	KUNIT_CASE(nna_sync_waits_for_point),
	KUNIT_CASE(nna_sync_point_not_there_yet),
	KUNIT_CASE(nna_sync_same_in_and_out),
	KUNIT_CASE(nna_sync_most),
	KUNIT_CASE(nna_sync_all_or_none),
	KUNIT_CASE_PARAM(nna_sync_error_travels, nna_error_gen_params),
	KUNIT_CASE_PARAM(nna_sync_error_from_before, nna_error_gen_params),
	KUNIT_CASE(nna_sync_error_of_one_of_many),
	KUNIT_CASE(nna_sync_error_of_point),
	KUNIT_CASE_PARAM(nna_sync_chain_error, nna_chain_gen_params),
	KUNIT_CASE_PARAM(nna_sync_chain_success, nna_chain_gen_params),
	KUNIT_CASE(nna_sync_fence_outlives_all),
	{}
};

static struct kunit_suite nna_sync_suite = {
	.name = "nna_sync",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_sync_cases,
};
kunit_test_suite(nna_sync_suite);

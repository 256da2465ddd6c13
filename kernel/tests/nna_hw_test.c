// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe of devices that are no NNA, have impossible register values, or do not answer.
 */

#include "nna_fake.h"
#include "../nna_ctx.h"

struct nna_probe_case {
	const char *name;
	void (*spoil)(struct nna_fake *fake);
	int error;
};

static void nna_spoil_id(struct nna_fake *fake)
{
	fake->id ^= 1;
}

static void nna_spoil_gone(struct nna_fake *fake)
{
	fake->gone = true;
}

static void nna_spoil_major(struct nna_fake *fake)
{
	fake->version = (NNA_ABI_MAJOR + 1) << 16;
}

static void nna_spoil_major_zero(struct nna_fake *fake)
{
	fake->version = 0;
}

static void nna_spoil_rings_none(struct nna_fake *fake)
{
	fake->job_rings = 0;
}

static void nna_spoil_rings_more(struct nna_fake *fake)
{
	fake->job_rings = NNA_JOB_RINGS + 1;
}

static void nna_spoil_ring_size(struct nna_fake *fake)
{
	fake->ring_size_limit = NNA_RING_SIZE_MIN - 1;
}

static void nna_spoil_ring_size_odd(struct nna_fake *fake)
{
	fake->ring_size_limit = 48;
}

static void nna_spoil_msix(struct nna_fake *fake)
{
	fake->msix_count = 0;
}

static void nna_spoil_limit(struct nna_fake *fake)
{
	fake->job_limit = 0;
}

static void nna_spoil_limit_long(struct nna_fake *fake)
{
	fake->job_limit = U64_MAX;
	fake->tick_hz = 1;
}

static void nna_spoil_tick(struct nna_fake *fake)
{
	fake->tick_hz = 0;
}

static void nna_spoil_reset(struct nna_fake *fake)
{
	fake->refuse_reset = 1;
}

static void nna_spoil_control(struct nna_fake *fake)
{
	fake->control_stopped = true;
}

static void nna_spoil_first_ring(struct nna_fake *fake)
{
	fake->refuse_ring = 0;
}

static void nna_spoil_control_ring(struct nna_fake *fake)
{
	fake->refuse_ring = NNA_CONTROL_RING;
}

static const struct nna_probe_case nna_probe_cases[] = {
	{ "not an NNA", nna_spoil_id, -ENODEV },
	{ "nothing there", nna_spoil_gone, -ENODEV },
	{ "newer interface", nna_spoil_major, -ENODEV },
	{ "older interface", nna_spoil_major_zero, -ENODEV },
	{ "no rings", nna_spoil_rings_none, -EIO },
	{ "too many rings", nna_spoil_rings_more, -EIO },
	{ "rings too small", nna_spoil_ring_size, -EIO },
	{ "ring size not a power of two", nna_spoil_ring_size_odd, -EIO },
	{ "no interrupts", nna_spoil_msix, -EIO },
	{ "no job limit", nna_spoil_limit, -EIO },
	{ "absurd job limit", nna_spoil_limit_long, -EIO },
	{ "clock stands", nna_spoil_tick, -EIO },
	{ "does not reset", nna_spoil_reset, -ETIMEDOUT },
	{ "does not answer", nna_spoil_control, -ETIMEDOUT },
	{ "refuses the first ring", nna_spoil_first_ring, -EIO },
	{ "refuses the control ring", nna_spoil_control_ring, -EIO },
};
KUNIT_ARRAY_PARAM_DESC(nna_probe, nna_probe_cases, name);

static void nna_hw_probe_fails(struct kunit *test)
{
	const struct nna_probe_case *c = test->param_value;
	struct nna_fake *fake = nna_fake_create(test);

	c->spoil(fake);
	KUNIT_EXPECT_EQ(test, c->error, nna_fake_bind(fake));
	/* The command processor is stopped. */
	KUNIT_EXPECT_EQ(test, 0u, fake->control);
}

static void nna_hw_newer_minor(struct kunit *test)
{
	struct nna_fake *fake = nna_fake_create(test);

	fake->version += 7;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	KUNIT_EXPECT_EQ(test, NNA_ABI_MINOR + 7, fake->nna->hw.abi_minor);
}

static void nna_hw_properties(struct kunit *test)
{
	struct nna_fake *fake = nna_fake_create(test);

	fake->job_limit = 3ull * NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	KUNIT_EXPECT_EQ(test, 4000u, fake->nna->timeout_ms);
	KUNIT_EXPECT_EQ(test, NNA_RING_SIZE, fake->nna->rings[0].size);
	KUNIT_EXPECT_EQ(test, NNA_REG_CONTROL_ENABLE, fake->control);
	KUNIT_EXPECT_EQ(test, 1u, fake->resets);
	/* Bus mastering was enabled only after the reset. */
	KUNIT_EXPECT_EQ(test, 1u, fake->bus_master_resets);
}

static void nna_hw_slow_clock(struct kunit *test)
{
	struct nna_fake *fake = nna_fake_create(test);

	fake->tick_hz = 1000;
	fake->job_limit = 2500;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	KUNIT_EXPECT_EQ(test, 3500u, fake->nna->timeout_ms);
}

static void nna_hw_unbind_quiets(struct kunit *test)
{
	struct nna_fake *fake = nna_fake_create(test);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, 0u, fake->control);
	KUNIT_EXPECT_GE(test, fake->bus_master_disables, 1u);
	for (i = 0; i < NNA_RINGS; i++)
		KUNIT_EXPECT_EQ(test, 0u, fake->rings[i].status);
}

/* Rings share vectors if there are few; the jobs of each ring still end. */
static const u32 nna_vectors[] = { 1, 2, 4, 5, 32 };

static void nna_vectors_desc(const u32 *n, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u vectors", *n);
}
KUNIT_ARRAY_PARAM(nna_vectors, nna_vectors, nna_vectors_desc);

static void nna_hw_vectors(struct kunit *test)
{
	struct nna_fake *fake = nna_fake_create(test);
	struct dma_fence *fences[NNA_JOB_RINGS];
	unsigned int i, count;
	u32 vm;

	fake->msix_count = *(const u32 *)test->param_value;
	count = min(fake->msix_count, NNA_RINGS);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_open(fake));
	nna_fake_vm(fake, &vm);
	for (i = 0; i < NNA_JOB_RINGS; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, nna_fake_ctx(fake, vm, i, NULL), 0,
							 NULL, &fences[i]));
	nna_fake_settle(fake);
	for (i = 0; i < NNA_JOB_RINGS; i++) {
		KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fences[i]));
		KUNIT_EXPECT_EQ(test, fake->rings[i].vector, i % count);
		nna_fake_complete(fake, i, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[i]));
	}
}

static const u32 nna_ring_sizes[] = { 8, 16, 64, 1024 };

static void nna_ring_size_desc(const u32 *n, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "at most %u entries", *n);
}
KUNIT_ARRAY_PARAM(nna_ring_size, nna_ring_sizes, nna_ring_size_desc);

static void nna_hw_ring_sizes(struct kunit *test)
{
	struct nna_fake *fake = nna_fake_create(test);
	struct dma_fence *fences[70];
	struct nna_ctx *ctx;
	unsigned int i;
	u32 vm;

	fake->ring_size_limit = *(const u32 *)test->param_value;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_bind(fake));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_open(fake));
	nna_fake_vm(fake, &vm);
	ctx = nna_fake_ctx(fake, vm, DRM_NNA_CTX_PRIORITY_LOW, NULL);
	for (i = 0; i < ARRAY_SIZE(fences); i++)
		KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, 0, NULL, &fences[i]));
	nna_fake_settle(fake);
	/* The ring is full, and the other jobs wait in the scheduler. */
	KUNIT_EXPECT_EQ(test, min(fake->ring_size_limit, NNA_RING_SIZE), nna_fake_pending(fake, 0));
	for (i = 0; i < ARRAY_SIZE(fences); i++) {
		nna_fake_wait(test, nna_fake_pending(fake, 0));
		nna_fake_complete(fake, 0, NNA_STATUS_OK, 0);
		KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fences[i]));
	}
}

static struct kunit_case nna_hw_cases[] = {
	KUNIT_CASE_PARAM(nna_hw_probe_fails, nna_probe_gen_params),
	KUNIT_CASE(nna_hw_newer_minor),
	KUNIT_CASE(nna_hw_properties),
	KUNIT_CASE(nna_hw_slow_clock),
	KUNIT_CASE(nna_hw_unbind_quiets),
	KUNIT_CASE_PARAM(nna_hw_vectors, nna_vectors_gen_params),
	KUNIT_CASE_PARAM(nna_hw_ring_sizes, nna_ring_size_gen_params),
	{}
};

static struct kunit_suite nna_hw_suite = {
	.name = "nna_hw",
	.exit = nna_fake_exit,
	.test_cases = nna_hw_cases,
};
kunit_test_suite(nna_hw_suite);

// SPDX-License-Identifier: GPL-2.0-only

#include "nna_fake.h"
#include "../nna_ctx.h"
#include "../nna_regs.h"

static void nna_job_completes(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence;
	struct nna_ctx *ctx;
	u32 vm;

	nna_fake_vm(fake, &vm);
	ctx = nna_fake_ctx(fake, vm, DRM_NNA_CTX_PRIORITY_MEDIUM, NULL);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, 0, NULL, &fence));
	nna_fake_settle(fake);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	nna_fake_complete(fake, 1, NNA_STATUS_OK, 5);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
}

static struct kunit_case nna_job_cases[] = {
	KUNIT_CASE(nna_job_completes),
	{}
};

static struct kunit_suite nna_job_suite = {
	.name = "nna_job",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_job_cases,
};
kunit_test_suite(nna_job_suite);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core dumps: their contents, and that a device has one at a time.
 */

#include <linux/devcoredump.h>
#include <linux/highmem.h>
#include <linux/sizes.h>

#include "nna_fake.h"
#include "../nna_coredump.h"
#include "../nna_ctx.h"
#include "../nna_fault.h"
#include "../nna_gem.h"
#include "../nna_job.h"
#include "../nna_vm.h"

#define NNA_TEST_RING	DRM_NNA_CTX_PRIORITY_MEDIUM
#define NNA_TEST_VA	SZ_1M
#define NNA_TEST_REPORT	0x8000u
#define NNA_TEST_STREAM_SIZE	0x280u

/* A context with a report and a stream in which each byte is the number of its command. */
static struct nna_ctx *nna_coredump_ctx(struct kunit *test, const struct nna_report *report)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_vm_bind_op op = {
		.type = DRM_NNA_VM_BIND_OP_MAP, .va = NNA_TEST_VA, .size = SZ_64K,
	};
	struct drm_gem_object *obj;
	struct page **pages;
	struct nna_vm *vm;
	unsigned int i;
	u32 id;

	vm = nna_fake_vm(fake, &id);
	op.bo_handle = nna_fake_bo(fake, SZ_64K, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_bind(vm, fake->file, &op, 1));
	obj = drm_gem_object_lookup(fake->file, op.bo_handle);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	pages = to_nna_bo(obj)->base.pages;
	for (i = 0; i < NNA_TEST_STREAM_SIZE / NNA_COMMAND_ALIGN; i++)
		memset_page(pages[0], i * NNA_COMMAND_ALIGN, i, NNA_COMMAND_ALIGN);
	memcpy_to_page(pages[NNA_TEST_REPORT / PAGE_SIZE], offset_in_page(NNA_TEST_REPORT),
		       (const char *)report, sizeof(*report));
	drm_gem_object_put(obj);
	return nna_fake_ctx(fake, id, NNA_TEST_RING, NULL);
}

static struct drm_nna_submit nna_coredump_args(void)
{
	return (struct drm_nna_submit) {
		.stream_va = NNA_TEST_VA,
		.stream_size = NNA_TEST_STREAM_SIZE,
		.report_va = NNA_TEST_VA + NNA_TEST_REPORT,
	};
}

static struct dma_fence *nna_coredump_submit(struct kunit *test, struct nna_ctx *ctx,
					     const struct drm_nna_submit *args)
{
	struct dma_fence *fence;

	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(to_nna_fake(test), ctx, 0, args, &fence));
	nna_fake_settle(to_nna_fake(test));
	return fence;
}

/* Waits until the dump is complete. */
static const struct drm_nna_coredump *nna_coredump_get(struct kunit *test)
{
	struct nna_device *nna = to_nna_fake(test)->nna;
	const struct drm_nna_coredump *dump = (const void *)nna->coredump;

	nna_device_flush_cleanup(nna);
	KUNIT_ASSERT_EQ(test, 1, atomic_read(&nna->fault.busy));
	KUNIT_ASSERT_STREQ(test, DRM_NNA_COREDUMP_MAGIC, (const char *)dump->magic);
	KUNIT_ASSERT_EQ(test, DRM_NNA_COREDUMP_VERSION, dump->version);
	KUNIT_ASSERT_EQ(test, NNA_RINGS, dump->ring_count);
	return dump;
}

static const struct drm_nna_coredump_ring *nna_coredump_ring(const struct drm_nna_coredump *dump,
							     unsigned int ring)
{
	return (const void *)dump + dump->rings_offset + ring * dump->ring_stride;
}

/* The command that a dump names, for each status and each kind of report. */
struct nna_coredump_case {
	const char *name;
	u16 status;
	u64 detail;
	u64 stream_va;
	u64 report_va;
	u16 report_status;
	u32 report_command;
	u32 report_valid;
	u32 command;
	u32 command_size;
};

#define NNA_CASE_REPORT	(NNA_TEST_VA + NNA_TEST_REPORT)

static const struct nna_coredump_case nna_coredump_commands[] = {
	{ "the report says", NNA_STATUS_FAULT_MMU, 0x1234000, NNA_TEST_VA, NNA_CASE_REPORT,
	  NNA_STATUS_FAULT_MMU, 0x80, 1, 0x80, 0x200 },
	{ "the last command", NNA_STATUS_FAULT_MMU, 0x1234000, NNA_TEST_VA, NNA_CASE_REPORT,
	  NNA_STATUS_FAULT_MMU, 0x240, 1, 0x240, 0x40 },
	{ "a report beyond the stream", NNA_STATUS_FAULT_MMU, 0, NNA_TEST_VA, NNA_CASE_REPORT,
	  NNA_STATUS_FAULT_MMU, NNA_TEST_STREAM_SIZE, 1, NNA_TEST_STREAM_SIZE, 0 },
	{ "another job's report", NNA_STATUS_FAULT_MMU, 0x80, NNA_TEST_VA, NNA_CASE_REPORT,
	  NNA_STATUS_OK, 0x80, 1, U32_MAX, 0 },
	{ "another job's report, the completion says", NNA_STATUS_BAD_SHAPE, 0xc0, NNA_TEST_VA,
	  NNA_CASE_REPORT, NNA_STATUS_OK, 0x80, 1, 0xc0, 0x1c0 },
	{ "no report, the completion says", NNA_STATUS_BAD_COMMAND, 0x40, NNA_TEST_VA, 0,
	  NNA_STATUS_OK, 0, 0, 0x40, 0x240 },
	{ "no report, a fault", NNA_STATUS_FAULT_MMU, 0x40, NNA_TEST_VA, 0,
	  NNA_STATUS_OK, 0, 0, U32_MAX, 0 },
	{ "a report that is not mapped", NNA_STATUS_BAD_COMMAND, 0x40, NNA_TEST_VA, SZ_16M,
	  NNA_STATUS_OK, 0, 0, 0x40, 0x240 },
	{ "a stream that is not mapped", NNA_STATUS_BAD_STREAM, 0, SZ_16M, 0,
	  NNA_STATUS_OK, 0, 0, 0, 0 },
	{ "a stream that ends where no memory is", NNA_STATUS_BUDGET, 0x40,
	  NNA_TEST_VA + SZ_64K - 0x100, 0, NNA_STATUS_OK, 0, 0, 0x40, 0xc0 },
};

static void nna_coredump_case_desc(const struct nna_coredump_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(nna_coredump_command, nna_coredump_commands, nna_coredump_case_desc);

static void nna_coredump_command(struct kunit *test)
{
	const struct nna_coredump_case *c = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_coredump_args();
	struct nna_report report = {
		.status = cpu_to_le32(c->report_status),
		.command = cpu_to_le32(c->report_command),
	};
	const struct drm_nna_coredump *dump;
	u32 i;

	args.stream_va = c->stream_va;
	args.report_va = c->report_va;
	nna_coredump_submit(test, nna_coredump_ctx(test, &report), &args);
	nna_fake_complete(fake, NNA_TEST_RING, c->status, c->detail);
	dump = nna_coredump_get(test);
	KUNIT_EXPECT_EQ(test, (u32)DRM_NNA_COREDUMP_FAULT, dump->reason);
	KUNIT_EXPECT_EQ(test, (u32)c->status, dump->status);
	KUNIT_EXPECT_EQ(test, c->detail, dump->detail);
	KUNIT_EXPECT_EQ(test, c->report_valid, dump->report_valid);
	if (c->report_valid)
		KUNIT_EXPECT_MEMEQ(test, dump->report, &report, sizeof(report));
	KUNIT_EXPECT_EQ(test, c->command, dump->command);
	KUNIT_ASSERT_EQ(test, c->command_size, dump->command_size);
	for (i = 0; i < dump->command_size && c->stream_va == NNA_TEST_VA; i++)
		KUNIT_ASSERT_EQ(test, (c->command + i) / NNA_COMMAND_ALIGN,
				((const u8 *)dump)[dump->command_offset + i]);
}

/* A fault: the dump has the job and the entries that follow it on the ring. */
static void nna_coredump_of_a_fault(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_coredump_args();
	struct nna_ctx *ctx = nna_coredump_ctx(test, &(struct nna_report) {});
	struct nna_ctx *other = nna_coredump_ctx(test, &(struct nna_report) {});
	const struct drm_nna_coredump_ring *ring;
	const struct drm_nna_coredump *dump;
	struct nna_ring_entry faulty, next;

	nna_coredump_submit(test, ctx, &args);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &faulty));
	nna_coredump_submit(test, other, &args);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_FAULT_MMU, 0xabc000);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &next));
	dump = nna_coredump_get(test);
	KUNIT_EXPECT_EQ(test, (u32)NNA_TEST_RING, dump->ring);
	KUNIT_EXPECT_EQ(test, 0u, dump->resets);
	KUNIT_EXPECT_EQ(test, (u32)task_tgid_nr(current), dump->pid);
	KUNIT_EXPECT_STREQ(test, current->comm, (const char *)dump->comm);
	KUNIT_EXPECT_MEMEQ(test, dump->entry, &faulty, sizeof(faulty));
	ring = nna_coredump_ring(dump, NNA_TEST_RING);
	KUNIT_EXPECT_EQ(test, 1u, ring->running);
	KUNIT_EXPECT_EQ(test, 2u, ring->tail);
	KUNIT_EXPECT_EQ(test, 2u, ring->reg_doorbell);
	KUNIT_EXPECT_EQ(test, 1u, ring->done);
	KUNIT_ASSERT_EQ(test, 1u, ring->entry_count);
	KUNIT_EXPECT_MEMEQ(test, (const u8 *)dump + ring->entries_offset, &next, sizeof(next));
	KUNIT_EXPECT_EQ(test, 0u, nna_coredump_ring(dump, NNA_TEST_RING + 1)->entry_count);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
}

/* A hang: the dump has the state of the rings before the reset. */
static void nna_coredump_of_a_hang(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_coredump_args();
	struct nna_ctx *ctx = nna_coredump_ctx(test, &(struct nna_report) {});
	const struct drm_nna_coredump *dump;
	struct nna_ring_entry hung;
	struct dma_fence *fence;

	fake->ignore_aborts = true;
	fence = nna_coredump_submit(test, ctx, &args);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(fake, NNA_TEST_RING, &hung));
	KUNIT_EXPECT_EQ(test, -ETIME, nna_fake_fence_error(fence));
	nna_fake_wait(test, atomic_read(&fake->nna->resets) == 1);
	flush_workqueue(fake->nna->reset_wq);
	dump = nna_coredump_get(test);
	KUNIT_EXPECT_EQ(test, (u32)DRM_NNA_COREDUMP_HANG, dump->reason);
	KUNIT_EXPECT_EQ(test, (u32)NNA_TEST_RING, dump->ring);
	KUNIT_EXPECT_EQ(test, 0u, dump->status);
	KUNIT_EXPECT_MEMEQ(test, dump->entry, &hung, sizeof(hung));
	KUNIT_EXPECT_EQ(test, 1u, nna_coredump_ring(dump, NNA_TEST_RING)->entry_count);
}

/* A wrong completion: the device is reset, and the dump names no job. */
static void nna_coredump_of_a_reset(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_coredump_args();
	const struct drm_nna_coredump *dump;
	struct dma_fence *fence;

	fence = nna_coredump_submit(test, nna_coredump_ctx(test, &(struct nna_report) {}), &args);
	nna_fake_corrupt(fake, NNA_TEST_RING);
	KUNIT_EXPECT_EQ(test, -EIO, nna_fake_fence_error(fence));
	flush_workqueue(fake->nna->reset_wq);
	dump = nna_coredump_get(test);
	KUNIT_EXPECT_EQ(test, (u32)DRM_NNA_COREDUMP_RESET, dump->reason);
	KUNIT_EXPECT_EQ(test, DRM_NNA_COREDUMP_NO_JOB, dump->ring);
	KUNIT_EXPECT_EQ(test, U32_MAX, dump->command);
	KUNIT_EXPECT_EQ(test, 0u, dump->command_size | dump->report_valid | dump->pid);
}

/* A second dump is made only after the first one has been removed. */
static void nna_coredump_first_stays(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_submit args = nna_coredump_args();
	unsigned int i;

	for (i = 1; i <= 3; i++) {
		if (i == 3)
			dev_coredump_put(fake->dev);
		nna_coredump_submit(test, nna_coredump_ctx(test, &(struct nna_report) {}), &args);
		nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_FAULT_MMU, i * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, (i == 3 ? 3 : 1) * PAGE_SIZE, nna_coredump_get(test)->detail);
	}
}

/* An error that does not ban the context makes no dump. */
static void nna_coredump_of_nothing(struct kunit *test)
{
	static const u16 statuses[] = {
		NNA_STATUS_OK, NNA_STATUS_YIELDED, NNA_STATUS_DEADLINE, NNA_STATUS_LOOP_LIMIT,
		NNA_STATUS_ABORTED,
	};
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ctx *ctx = nna_coredump_ctx(test, &(struct nna_report) {});
	struct drm_nna_submit args = nna_coredump_args();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		nna_coredump_submit(test, ctx, &args);
		nna_fake_complete(fake, NNA_TEST_RING, statuses[i], 0);
	}
	nna_device_flush_cleanup(fake->nna);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&fake->nna->fault.busy));
}

/* Unbind also drops a dump that is still queued: it would hold the device and the module. */
static void nna_coredump_dropped_early(struct kunit *test)
{
	struct nna_device *nna = to_nna_fake(test)->nna;
	unsigned int refs = kref_read(&nna->drm.ref);

	KUNIT_ASSERT_TRUE(test, nna_fault_begin(nna, DRM_NNA_COREDUMP_FAULT));
	nna_fault_end(nna);
	nna_coredump_drop(nna);
	flush_workqueue(nna->cleanup_wq);
	KUNIT_EXPECT_EQ(test, refs, kref_read(&nna->drm.ref));
}

static struct kunit_case nna_coredump_cases[] = {
	KUNIT_CASE_PARAM(nna_coredump_command, nna_coredump_command_gen_params),
	KUNIT_CASE(nna_coredump_of_a_fault),
	KUNIT_CASE(nna_coredump_of_a_hang),
	KUNIT_CASE(nna_coredump_of_a_reset),
	KUNIT_CASE(nna_coredump_first_stays),
	KUNIT_CASE(nna_coredump_of_nothing),
	KUNIT_CASE(nna_coredump_dropped_early),
	{}
};

static struct kunit_suite nna_coredump_suite = {
	.name = "nna_coredump",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_coredump_cases,
};
kunit_test_suite(nna_coredump_suite);

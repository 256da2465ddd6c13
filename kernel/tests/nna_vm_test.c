// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces: binds, compared with a model, an array of pages; and memory that must not be
 * freed before an invalidation has completed.
 */

#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_prime.h>

#include "nna_fake.h"
#include "../nna_ctx.h"
#include "../nna_gem.h"
#include "../nna_ioctl.h"
#include "../nna_vm.h"

/* The pages that the tests map: across a boundary between two page tables. */
#define NNA_TEST_PAGES	96u
#define NNA_TEST_BASE	(NNA_LARGE_PAGE_SIZE - 48 * NNA_PAGE_SIZE)
#define NNA_TEST_BOS	3u
#define NNA_TEST_RING	DRM_NNA_CTX_PRIORITY_MEDIUM

struct nna_test_page {
	/* The object's index plus 1; 0 for none. */
	u8 bo;
	u8 page;
	bool readonly;
};

struct nna_vm_test {
	struct nna_fake *fake;
	struct nna_vm *vm;
	u32 id;
	u32 handles[NNA_TEST_BOS];
	struct drm_gem_object *objs[NNA_TEST_BOS];
	dma_addr_t dma[NNA_TEST_BOS][NNA_TEST_PAGES];
	struct nna_test_page model[NNA_TEST_PAGES];
};

static void nna_vm_put_object(void *obj)
{
	drm_gem_object_put(obj);
}

static struct nna_vm_test *nna_vm_test(struct kunit *test)
{
	struct nna_vm_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i, k;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->fake = to_nna_fake(test);
	t->vm = nna_fake_vm(t->fake, &t->id);
	for (i = 0; i < NNA_TEST_BOS; i++) {
		struct sg_dma_page_iter iter;
		struct sg_table *sgt;

		t->handles[i] = nna_fake_bo(t->fake, NNA_TEST_PAGES * NNA_PAGE_SIZE, i ? 0 : t->id);
		t->objs[i] = drm_gem_object_lookup(t->fake->file, t->handles[i]);
		KUNIT_ASSERT_NOT_NULL(test, t->objs[i]);
		KUNIT_ASSERT_EQ(test, 0,
				kunit_add_action_or_reset(test, nna_vm_put_object, t->objs[i]));
		sgt = drm_gem_shmem_get_pages_sgt(&to_nna_bo(t->objs[i])->base);
		KUNIT_ASSERT_FALSE(test, IS_ERR(sgt));
		k = 0;
		for_each_sgtable_dma_page(sgt, &iter, 0) {
			u64 at;

			/* A page of the CPU may be several of the device. */
			for (at = 0; at < PAGE_SIZE && k < NNA_TEST_PAGES; at += NNA_PAGE_SIZE)
				t->dma[i][k++] = sg_page_iter_dma_address(&iter) + at;
		}
		KUNIT_ASSERT_EQ(test, NNA_TEST_PAGES, k);
	}
	return t;
}

static struct drm_nna_vm_bind_op nna_vm_op(struct nna_vm_test *t, u32 type, u32 first, u32 count,
					   u32 bo, u32 page, bool readonly)
{
	struct drm_nna_vm_bind_op op = {
		.type = type,
		.va = NNA_TEST_BASE + first * NNA_PAGE_SIZE,
		.size = count * NNA_PAGE_SIZE,
	};

	if (type == DRM_NNA_VM_BIND_OP_MAP) {
		op.bo_handle = t->handles[bo];
		op.bo_offset = page * NNA_PAGE_SIZE;
		op.flags = readonly ? DRM_NNA_VM_BIND_OP_READONLY : 0;
	}
	return op;
}

static struct drm_nna_vm_bind_op nna_vm_map(struct nna_vm_test *t, u32 first, u32 count, u32 bo,
					    u32 page)
{
	return nna_vm_op(t, DRM_NNA_VM_BIND_OP_MAP, first, count, bo, page, false);
}

static struct drm_nna_vm_bind_op nna_vm_unmap(struct nna_vm_test *t, u32 first, u32 count)
{
	return nna_vm_op(t, DRM_NNA_VM_BIND_OP_UNMAP, first, count, 0, 0, false);
}

static int nna_vm_do(struct nna_vm_test *t, const struct drm_nna_vm_bind_op *ops, u32 count)
{
	struct drm_nna_vm_bind bind = {
		.vm_id = t->id,
		.ops = {
			.stride = sizeof(*ops), .count = count,
			.array = (unsigned long)nna_fake_user(t->fake, ops, sizeof(*ops) * count),
		},
	};

	return nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_VM_BIND, &bind);
}

static void nna_vm_model(struct nna_vm_test *t, const struct drm_nna_vm_bind_op *op)
{
	u64 first = (op->va - NNA_TEST_BASE) >> NNA_PAGE_SHIFT, i;

	for (i = 0; i < op->size >> NNA_PAGE_SHIFT; i++) {
		struct nna_test_page *p = &t->model[first + i];

		*p = (struct nna_test_page) {};
		if (op->type == DRM_NNA_VM_BIND_OP_UNMAP)
			continue;
		while (t->handles[p->bo++] != op->bo_handle)
			;
		p->page = (op->bo_offset >> NNA_PAGE_SHIFT) + i;
		p->readonly = op->flags;
	}
}

/*
 * Compares page tables and drm_gpuvm with the model, page by page. Returns the number of mappings.
 */
static unsigned int nna_vm_compare(struct kunit *test, struct nna_vm_test *t)
{
	struct nna_test_page tree[NNA_TEST_PAGES] = {};
	struct drm_gpuva *va;
	unsigned int i, k, mappings = 0;

	for (i = 0; i < NNA_TEST_PAGES; i++) {
		const struct nna_test_page *p = &t->model[i];
		u64 entry = nna_pgtable_lookup(&t->vm->pgt, NNA_TEST_BASE + i * NNA_PAGE_SIZE,
					       NULL);
		u64 expected = !p->bo ? 0 : t->dma[p->bo - 1][p->page] | NNA_PTE_VALID |
			       (p->readonly ? 0 : NNA_PTE_WRITE);

		KUNIT_EXPECT_EQ_MSG(test, expected, entry, "page %u", i);
	}
	drm_gpuvm_for_each_va(va, &t->vm->base) {
		u64 first = (va->va.addr - NNA_TEST_BASE) >> NNA_PAGE_SHIFT;
		u64 count = va->va.range >> NNA_PAGE_SHIFT;

		KUNIT_ASSERT_LE(test, first + count, NNA_TEST_PAGES);
		mappings++;
		for (i = first; i < first + count; i++) {
			for (k = 0; k < NNA_TEST_BOS; k++)
				if (t->objs[k] == va->gem.obj)
					tree[i].bo = k + 1;
			tree[i].page = (va->gem.offset >> NNA_PAGE_SHIFT) + i - first;
			tree[i].readonly = container_of(va, struct nna_va, base)->readonly;
		}
	}
	KUNIT_EXPECT_MEMEQ(test, t->model, tree, sizeof(tree));
	KUNIT_EXPECT_EQ(test, mappings, t->vm->mappings);
	return mappings;
}

/* Operations over a mapping of pages 32 to 63, to which pages 8 to 39 of an object are mapped. */
struct nna_vm_split {
	const char *name;
	u32 first;
	u32 count;
	/* Number of mappings that remain of the old one. */
	u32 remain;
};

static const struct nna_vm_split nna_vm_splits[] = {
	{ "first page", 32, 1, 1 },
	{ "last page", 63, 1, 1 },
	{ "a page amid", 40, 1, 2 },
	{ "first half", 32, 16, 1 },
	{ "second half", 48, 16, 1 },
	{ "middle", 36, 20, 2 },
	{ "all", 32, 32, 0 },
	{ "more than all", 20, 60, 0 },
	{ "over its start", 20, 20, 1 },
	{ "over its end", 60, 20, 1 },
	{ "up to it", 10, 22, 1 },
	{ "from its end on", 64, 20, 1 },
};
KUNIT_ARRAY_PARAM_DESC(nna_vm_split, nna_vm_splits, name);

static void nna_vm_split_by(struct kunit *test, u32 type, bool readonly)
{
	const struct nna_vm_split *s = test->param_value;
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[2];
	unsigned int i;

	ops[0] = nna_vm_op(t, DRM_NNA_VM_BIND_OP_MAP, 32, 32, 0, 8, readonly);
	ops[1] = nna_vm_op(t, type, s->first, s->count, 1, 5, !readonly);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &ops[i], 1));
		nna_vm_model(t, &ops[i]);
	}
	KUNIT_EXPECT_EQ(test, s->remain + (type == DRM_NNA_VM_BIND_OP_MAP),
			nna_vm_compare(test, t));
}

static void nna_vm_unmap_splits(struct kunit *test)
{
	nna_vm_split_by(test, DRM_NNA_VM_BIND_OP_UNMAP, false);
}

static void nna_vm_unmap_splits_readonly(struct kunit *test)
{
	nna_vm_split_by(test, DRM_NNA_VM_BIND_OP_UNMAP, true);
}

static void nna_vm_map_splits(struct kunit *test)
{
	nna_vm_split_by(test, DRM_NNA_VM_BIND_OP_MAP, false);
}

static void nna_vm_map_splits_readonly(struct kunit *test)
{
	nna_vm_split_by(test, DRM_NNA_VM_BIND_OP_MAP, true);
}

/* The same operations in one call. */
static void nna_vm_splits_in_one_call(struct kunit *test)
{
	const struct nna_vm_split *s = test->param_value;
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[4];
	unsigned int i;

	ops[0] = nna_vm_map(t, 32, 32, 0, 8);
	ops[1] = nna_vm_map(t, s->first, s->count, 1, 5);
	ops[2] = nna_vm_unmap(t, s->first, (s->count + 1) / 2);
	ops[3] = nna_vm_map(t, s->first, 1, 2, 95);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, ops, 4));
	for (i = 0; i < 4; i++)
		nna_vm_model(t, &ops[i]);
	nna_vm_compare(test, t);
}

static void nna_vm_same_again(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op op = nna_vm_map(t, 3, 40, 2, 1);
	unsigned int i;

	nna_vm_model(t, &op);
	for (i = 0; i < 5; i++) {
		KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &op, 1));
		KUNIT_EXPECT_EQ(test, 1u, nna_vm_compare(test, t));
	}
}

/* The maximum number of operations of a call; each replaces the mapping of the one before. */
static void nna_vm_most_ops(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op *ops = kunit_kcalloc(test, NNA_MAX_BIND_OPS, sizeof(*ops),
						       GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	for (i = 0; i < NNA_MAX_BIND_OPS; i++) {
		ops[i] = nna_vm_map(t, i % NNA_TEST_PAGES, 1, i % NNA_TEST_BOS,
				    i * 7 % NNA_TEST_PAGES);
		nna_vm_model(t, &ops[i]);
	}
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, ops, NNA_MAX_BIND_OPS));
	KUNIT_EXPECT_EQ(test, NNA_TEST_PAGES, nna_vm_compare(test, t));
}

/* A fatal signal ends a large bind early, and it has changed nothing. */
static void nna_vm_killed(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[2];
	int ret;

	ops[0] = nna_vm_map(t, 0, 8, 0, 0);
	ops[1] = nna_vm_map(t, 16, 8, 1, 0);
	sigaddset(&current->pending.signal, SIGKILL);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	ret = nna_vm_do(t, ops, 2);
	sigdelset(&current->pending.signal, SIGKILL);
	clear_tsk_thread_flag(current, TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, -EINTR, ret);
	KUNIT_EXPECT_EQ(test, 0u, nna_vm_compare(test, t));
	KUNIT_EXPECT_EQ(test, 0, nna_vm_do(t, ops, 2));
}

static void nna_vm_all_or_none(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[4];

	ops[0] = nna_vm_map(t, 10, 40, 0, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, ops, 1));
	nna_vm_model(t, &ops[0]);
	ops[0] = nna_vm_unmap(t, 20, 3);
	ops[1] = nna_vm_map(t, 11, 60, 1, 0);
	ops[2] = nna_vm_map(t, 0, 1, 2, 0);
	ops[3] = nna_vm_map(t, 0, 1, 2, 0);
	ops[3].bo_handle = 4711;
	KUNIT_EXPECT_EQ(test, -ENOENT, nna_vm_do(t, ops, 4));
	KUNIT_EXPECT_EQ(test, 1u, nna_vm_compare(test, t));
	ops[3] = nna_vm_map(t, 0, 2, 2, NNA_TEST_PAGES - 1);
	KUNIT_EXPECT_EQ(test, -EINVAL, nna_vm_do(t, ops, 4));
	KUNIT_EXPECT_EQ(test, 1u, nna_vm_compare(test, t));
	KUNIT_EXPECT_EQ(test, 0, nna_vm_do(t, ops, 3));
	nna_vm_model(t, &ops[0]);
	nna_vm_model(t, &ops[1]);
	nna_vm_model(t, &ops[2]);
	nna_vm_compare(test, t);
}

static const unsigned int nna_vm_seeds[] = { 11, 12, 13, 14, 15, 0 };

static void nna_vm_seed_desc(const unsigned int *seed, char *desc)
{
	if (*seed)
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %u", *seed);
	else
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed of the day");
}
KUNIT_ARRAY_PARAM(nna_vm_seed, nna_vm_seeds, nna_vm_seed_desc);

static void nna_vm_random(struct kunit *test)
{
	unsigned int seed = *(const unsigned int *)test->param_value, i, k, n;
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[5];
	struct rnd_state rnd;

	if (!seed) {
		seed = nna_fake_seed();
		kunit_info(test, "nna.test_seed=%u repeats this\n", seed);
	}
	prandom_seed_state(&rnd, seed);
	for (i = 0; i < 120 / nna_fake_slowness(); i++) {
		n = 1 + prandom_u32_state(&rnd) % ARRAY_SIZE(ops);
		for (k = 0; k < n; k++) {
			u32 first = prandom_u32_state(&rnd) % NNA_TEST_PAGES;
			u32 count = 1 + prandom_u32_state(&rnd) % min(NNA_TEST_PAGES - first, 30u);
			u32 page = prandom_u32_state(&rnd) % (NNA_TEST_PAGES - count + 1);

			ops[k] = nna_vm_op(t, prandom_u32_state(&rnd) % 3 ? DRM_NNA_VM_BIND_OP_MAP :
					   DRM_NNA_VM_BIND_OP_UNMAP, first, count,
					   prandom_u32_state(&rnd) % NNA_TEST_BOS, page,
					   prandom_u32_state(&rnd) & 1);
			nna_vm_model(t, &ops[k]);
		}
		KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, ops, n));
		nna_vm_compare(test, t);
		if (test->status == KUNIT_FAILURE)
			break;
	}
}

static void nna_vm_ends_of_the_space(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[2];

	ops[0] = nna_vm_map(t, 0, 1, 0, 3);
	ops[0].va = NNA_VA_START;
	ops[1] = nna_vm_map(t, 0, 1, 1, 4);
	ops[1].va = NNA_VA_END - NNA_PAGE_SIZE;
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, ops, 2));
	KUNIT_EXPECT_EQ(test, t->dma[0][3] | NNA_PTE_VALID | NNA_PTE_WRITE,
			nna_pgtable_lookup(&t->vm->pgt, NNA_VA_START, NULL));
	KUNIT_EXPECT_EQ(test, t->dma[1][4] | NNA_PTE_VALID | NNA_PTE_WRITE,
			nna_pgtable_lookup(&t->vm->pgt, NNA_VA_END - 1, NULL));
	ops[0] = nna_vm_unmap(t, 0, 1);
	ops[0].va = NNA_VA_START;
	ops[0].size = NNA_VA_END - NNA_VA_START;
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, ops, 1));
	KUNIT_EXPECT_EQ(test, 1u, t->vm->pgt.tables);
}

static void nna_vm_private_object(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op op = nna_vm_map(t, 0, 4, 0, 0);
	struct dma_buf *dmabuf;

	/* The first object belongs to the first address space. */
	nna_fake_vm(t->fake, &t->id);
	KUNIT_EXPECT_EQ(test, -EINVAL, nna_vm_do(t, &op, 1));
	op = nna_vm_map(t, 0, 4, 1, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_vm_do(t, &op, 1));
	dmabuf = t->objs[0]->funcs->export(t->objs[0], O_RDWR);
	KUNIT_EXPECT_EQ(test, -EPERM, PTR_ERR_OR_ZERO(dmabuf));
}

/* Runs a job, so that the device may have translations. */
static void nna_vm_use(struct kunit *test, struct nna_vm_test *t)
{
	struct nna_ctx *ctx = nna_fake_ctx(t->fake, t->id, NNA_TEST_RING, NULL);
	struct dma_fence *fence;

	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(t->fake, ctx, 0, NULL, &fence));
	nna_fake_settle(t->fake);
	nna_fake_complete(t->fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_fence_error(fence));
}

static unsigned int nna_vm_invalidations(struct nna_fake *fake, struct nna_ring_entry *last)
{
	unsigned int i, n = 0;

	for (i = 0; i < fake->logged; i++) {
		if (le32_to_cpu(fake->log[i].type) != NNA_ENTRY_INVALIDATE)
			continue;
		*last = fake->log[i];
		n++;
	}
	return n;
}

static void nna_vm_unused_needs_no_invalidation(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[2] = { nna_vm_map(t, 0, 9, 0, 0), nna_vm_unmap(t, 2, 3) };
	struct nna_ring_entry e;

	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &ops[0], 1));
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &ops[1], 1));
	KUNIT_EXPECT_EQ(test, 0u, nna_vm_invalidations(t->fake, &e));
}

static void nna_vm_new_mapping_needs_no_invalidation(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op op = nna_vm_map(t, 0, 9, 0, 0);
	struct nna_ring_entry e;

	nna_vm_use(test, t);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &op, 1));
	op = nna_vm_unmap(t, 20, 9);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &op, 1));
	KUNIT_EXPECT_EQ(test, 0u, nna_vm_invalidations(t->fake, &e));
}

static void nna_vm_one_invalidation_per_call(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[3];
	struct nna_ring_entry e;
	u64 from, to;

	ops[0] = nna_vm_map(t, 0, 90, 0, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, ops, 1));
	nna_vm_use(test, t);
	ops[0] = nna_vm_unmap(t, 10, 2);
	ops[1] = nna_vm_unmap(t, 70, 5);
	ops[2] = nna_vm_map(t, 30, 2, 1, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, ops, 3));
	KUNIT_ASSERT_EQ(test, 1u, nna_vm_invalidations(t->fake, &e));
	from = le64_to_cpu(e.address);
	to = from + le64_to_cpu(e.length);
	KUNIT_EXPECT_EQ(test, t->vm->asid, le32_to_cpu(e.asid));
	KUNIT_EXPECT_EQ(test, 0u, le32_to_cpu(e.target));
	/* One invalidation covers all three, and nothing around them. */
	KUNIT_EXPECT_EQ(test, ops[0].va, from);
	KUNIT_EXPECT_EQ(test, ops[1].va + ops[1].size, to);
}

struct nna_vm_later {
	struct work_struct work;
	struct kunit *test;
	struct nna_vm_test *t;
	struct drm_nna_vm_bind_op op;
	int ret;
};

static void nna_vm_bind_later(struct work_struct *work)
{
	struct nna_vm_later *later = container_of(work, struct nna_vm_later, work);

	int idx;

	/* The ioctl does this. */
	if (!drm_dev_enter(&later->t->fake->nna->drm, &idx))
		return;
	later->ret = nna_vm_bind(later->t->vm, later->t->fake->file, &later->op, 1);
	drm_dev_exit(idx);
}

/* Pages and page tables are freed only after the invalidation has completed. */
static void nna_vm_waits_for_the_device(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op op = nna_vm_map(t, 0, 4, 1, 0);
	unsigned int refs = kref_read(&t->objs[1]->refcount), free;
	struct nna_vm_later later = { .test = test, .t = t, .op = nna_vm_unmap(t, 0, 4), .ret = 1 };

	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &op, 1));
	KUNIT_EXPECT_GT(test, kref_read(&t->objs[1]->refcount), refs);
	nna_vm_use(test, t);
	t->fake->control_stopped = true;
	free = t->vm->pgt.leaf.count;
	INIT_WORK_ONSTACK(&later.work, nna_vm_bind_later);
	queue_work(t->fake->nna->cleanup_wq, &later.work);
	nna_fake_wait(test, nna_fake_pending(t->fake, NNA_CONTROL_RING));
	/* The entries are cleared, and no memory has been freed. */
	KUNIT_EXPECT_EQ(test, 0ull, nna_pgtable_lookup(&t->vm->pgt, NNA_TEST_BASE, NULL));
	KUNIT_EXPECT_GT(test, kref_read(&t->objs[1]->refcount), refs);
	KUNIT_EXPECT_LE(test, t->vm->pgt.leaf.count, free + 2);
	KUNIT_EXPECT_EQ(test, 1, later.ret);
	nna_fake_resume_control(t->fake);
	flush_work(&later.work);
	destroy_work_on_stack(&later.work);
	KUNIT_EXPECT_EQ(test, 0, later.ret);
	KUNIT_EXPECT_EQ(test, refs, kref_read(&t->objs[1]->refcount));
}

static struct kref *nna_vm_cut_off_kref;
static unsigned int nna_vm_cut_off_refs;

static void nna_vm_disable_bus_master(struct nna_bus *bus)
{
	if (!nna_vm_cut_off_refs)
		nna_vm_cut_off_refs = kref_read(nna_vm_cut_off_kref);
}

/*
 * A device that does not complete an invalidation is reset. During unbind, which waits for the
 * bind, there is no reset: bus mastering must be disabled before the pages are freed.
 */
static void nna_vm_unbound_while_it_waits(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op op = nna_vm_map(t, 0, 4, 1, 0);
	unsigned int refs = kref_read(&t->objs[1]->refcount);
	struct nna_vm_later later = { .test = test, .t = t, .op = nna_vm_unmap(t, 0, 4), .ret = 1 };

	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &op, 1));
	nna_vm_use(test, t);
	nna_vm_cut_off_refs = 0;
	nna_vm_cut_off_kref = &t->objs[1]->refcount;
	t->fake->bus_ops.disable_bus_master = nna_vm_disable_bus_master;
	t->fake->control_stopped = true;
	INIT_WORK_ONSTACK(&later.work, nna_vm_bind_later);
	queue_work(t->fake->nna->cleanup_wq, &later.work);
	nna_fake_wait(test, nna_fake_pending(t->fake, NNA_CONTROL_RING));
	nna_fake_unbind(t->fake);
	KUNIT_EXPECT_EQ(test, 0, later.ret);
	destroy_work_on_stack(&later.work);
	KUNIT_EXPECT_EQ(test, refs, kref_read(&t->objs[1]->refcount));
	KUNIT_EXPECT_GT(test, nna_vm_cut_off_refs, refs);
}

static void nna_vm_mapping_keeps_object(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[2] = { nna_vm_map(t, 0, 4, 1, 0), nna_vm_unmap(t, 1, 2) };

	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &ops[0], 1));
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &ops[1], 1));
	KUNIT_ASSERT_EQ(test, 0, drm_gem_handle_delete(t->fake->file, t->handles[1]));
	KUNIT_EXPECT_GT(test, kref_read(&t->objs[1]->refcount), 1u);
	ops[0] = nna_vm_unmap(t, 0, 4);
	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &ops[0], 1));
	KUNIT_EXPECT_EQ(test, 1u, kref_read(&t->objs[1]->refcount));
}

static void nna_vm_destroy_drops_mappings(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_destroy destroy = { .id = t->id };
	struct drm_nna_vm_bind_op op = nna_vm_map(t, 0, 4, 1, 0);
	unsigned int refs = kref_read(&t->objs[1]->refcount);
	u32 asid = t->vm->asid;

	KUNIT_ASSERT_EQ(test, 0, nna_vm_do(t, &op, 1));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_VM_DESTROY, &destroy));
	nna_device_flush_cleanup(t->fake->nna);
	KUNIT_EXPECT_EQ(test, refs, kref_read(&t->objs[1]->refcount));
	KUNIT_EXPECT_NULL(test, xa_load(nna_vm_asids(t->fake->nna), asid));
}

/* A context keeps its address space when the address space's id is destroyed. */
static void nna_vm_ctx_keeps_it(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_destroy destroy = { .id = t->id };
	struct drm_nna_ctx_destroy ctx_destroy = {};
	struct nna_ctx *ctx = nna_fake_ctx(t->fake, t->id, NNA_TEST_RING, &ctx_destroy.id);
	u32 asid = t->vm->asid;
	struct dma_fence *fence;

	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_VM_DESTROY, &destroy));
	nna_device_flush_cleanup(t->fake->nna);
	KUNIT_EXPECT_PTR_EQ(test, xa_load(nna_vm_asids(t->fake->nna), asid), t->vm);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(t->fake, ctx, 0, NULL, &fence));
	nna_fake_settle(t->fake);
	nna_fake_complete(t->fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_CTX_DESTROY, &ctx_destroy));
	nna_fake_wait(test, !atomic_read(&t->fake->nna->job_count));
	nna_device_flush_cleanup(t->fake->nna);
	KUNIT_EXPECT_NULL(test, xa_load(nna_vm_asids(t->fake->nna), asid));
}

static void nna_vm_asid_after_invalidation(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_destroy destroy = {};
	struct nna_ring_entry e;
	u32 asid, ctx_id;
	struct drm_nna_ctx_destroy ctx_destroy;
	struct dma_fence *fence;
	struct nna_vm *vm;

	vm = nna_fake_vm(t->fake, &destroy.id);
	asid = vm->asid;
	KUNIT_ASSERT_EQ(test, 0,
			nna_fake_submit(t->fake,
					nna_fake_ctx(t->fake, destroy.id, NNA_TEST_RING, &ctx_id),
					0, NULL, &fence));
	nna_fake_settle(t->fake);
	nna_fake_complete(t->fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	nna_fake_wait(test, !atomic_read(&t->fake->nna->job_count));
	ctx_destroy = (struct drm_nna_ctx_destroy) { .id = ctx_id };
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_CTX_DESTROY, &ctx_destroy));
	t->fake->control_stopped = true;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_VM_DESTROY, &destroy));
	nna_fake_wait(test, nna_fake_pending(t->fake, NNA_CONTROL_RING));
	KUNIT_EXPECT_PTR_EQ(test, xa_load(nna_vm_asids(t->fake->nna), asid), vm);
	nna_fake_resume_control(t->fake);
	nna_device_flush_cleanup(t->fake->nna);
	KUNIT_EXPECT_NULL(test, xa_load(nna_vm_asids(t->fake->nna), asid));
	KUNIT_ASSERT_EQ(test, 1u, nna_vm_invalidations(t->fake, &e));
	KUNIT_EXPECT_EQ(test, NNA_ENTRY_ALL, le32_to_cpu(e.target));
	KUNIT_EXPECT_EQ(test, asid, le32_to_cpu(e.asid));
}

struct nna_vm_resume {
	struct delayed_work work;
	struct nna_fake *fake;
};

static void nna_vm_resume_control(struct work_struct *work)
{
	nna_fake_resume_control(container_of(work, struct nna_vm_resume, work.work)->fake);
}

/*
 * The abort of a closed context may drop the last reference on its address space.
 * nna_device_flush_cleanup() also waits for the release that this queues, however long the device
 * takes.
 */
static void nna_vm_cleanup_of_cleanup(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct nna_vm_resume resume = { .fake = t->fake };
	struct drm_nna_ctx_destroy ctx_destroy = {};
	struct drm_nna_vm_destroy destroy = {};
	struct dma_fence *fence;
	struct nna_ctx *ctx;
	u32 asid;

	asid = nna_fake_vm(t->fake, &destroy.id)->asid;
	ctx = nna_fake_ctx(t->fake, destroy.id, NNA_TEST_RING, &ctx_destroy.id);
	fence = nna_fake_start(t->fake, ctx, 0);
	nna_fake_succeed(t->fake, NNA_TEST_RING, fence);
	nna_fake_wait(test, !atomic_read(&t->fake->nna->job_count));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_VM_DESTROY, &destroy));

	t->fake->control_stopped = true;
	INIT_DELAYED_WORK_ONSTACK(&resume.work, nna_vm_resume_control);
	schedule_delayed_work(&resume.work, msecs_to_jiffies(100));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_CTX_DESTROY, &ctx_destroy));
	nna_device_flush_cleanup(t->fake->nna);
	KUNIT_EXPECT_NULL(test, xa_load(nna_vm_asids(t->fake->nna), asid));
	flush_delayed_work(&resume.work);
	destroy_delayed_work_on_stack(&resume.work);
}

/* nna_vm_next() returns each address space once, except those that are being released. */
static void nna_vm_visits_all(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_destroy destroy = {};
	struct nna_vm *gone, *last, *vm;
	unsigned long asid = 0;
	unsigned int seen = 0;

	gone = nna_fake_vm(t->fake, &destroy.id);
	last = nna_fake_vm(t->fake, NULL);
	/* The state after the last reference was dropped and before the release work runs. */
	KUNIT_ASSERT_PTR_EQ(test, gone, xa_load(nna_vm_asids(t->fake->nna), gone->asid));
	refcount_set(&gone->users.refcount, 0);
	for (vm = nna_vm_next(t->fake->nna, &asid); vm; vm = nna_vm_next(t->fake->nna, &asid)) {
		KUNIT_EXPECT_PTR_NE(test, gone, vm);
		KUNIT_EXPECT_EQ(test, asid, vm->asid);
		seen += vm == t->vm || vm == last;
		nna_vm_put(vm);
		asid++;
	}
	KUNIT_EXPECT_EQ(test, 2u, seen);
	refcount_set(&gone->users.refcount, 1);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_VM_DESTROY, &destroy));
}

/* ASIDs are handed out in ascending order, except those that are in use. */
static void nna_vm_asids_recycle(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_vm_destroy destroy = {};
	u32 kept, asid, last = 0;
	struct nna_vm *vm;
	unsigned int i;

	kept = nna_fake_vm(fake, NULL)->asid;
	nna_vm_set_next_asid(fake->nna, U32_MAX - 5);
	for (i = 0; i < 20; i++) {
		vm = nna_fake_vm(fake, &destroy.id);
		asid = vm->asid;
		KUNIT_EXPECT_NE(test, 0u, asid);
		KUNIT_EXPECT_NE(test, kept, asid);
		KUNIT_EXPECT_NE(test, last, asid);
		last = asid;
		KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_VM_DESTROY, &destroy));
		nna_device_flush_cleanup(fake->nna);
	}
	KUNIT_EXPECT_LT(test, last, 30u);
}

static void nna_vm_no_ops(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind bind = { .vm_id = t->id };

	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_VM_BIND, &bind));
	KUNIT_EXPECT_EQ(test, 0u, nna_vm_compare(test, t));
}

/*
 * At the limit of mappings a map, and an unmap that splits a mapping, fail; other unmaps succeed.
 */
static void nna_vm_most_mappings(struct kunit *test)
{
	struct nna_vm_test *t = nna_vm_test(test);
	struct drm_nna_vm_bind_op ops[2];
	const u32 others = t->vm->max_mappings - 2;

	t->vm->mappings = others;
	ops[0] = nna_vm_map(t, 0, 32, 1, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_vm_do(t, ops, 1));
	/* There is room for this mapping, but it might split another one. */
	ops[0] = nna_vm_map(t, 32, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_vm_do(t, ops, 1));
	ops[0] = nna_vm_unmap(t, 8, 8);
	KUNIT_EXPECT_EQ(test, 0, nna_vm_do(t, ops, 1));
	KUNIT_EXPECT_EQ(test, t->vm->max_mappings, t->vm->mappings);
	ops[0] = nna_vm_unmap(t, 2, 1);
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_vm_do(t, ops, 1));
	/* Only the first of several operations is counted exactly. */
	ops[0] = nna_vm_unmap(t, 0, 1);
	ops[1] = nna_vm_unmap(t, 1, 1);
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_vm_do(t, ops, 2));
	KUNIT_EXPECT_EQ(test, 0, nna_vm_do(t, ops, 1));
	ops[0] = nna_vm_unmap(t, 0, 32);
	KUNIT_EXPECT_EQ(test, 0, nna_vm_do(t, ops, 1));
	KUNIT_EXPECT_EQ(test, others, t->vm->mappings);
	t->vm->mappings = 0;
	KUNIT_EXPECT_EQ(test, 0, nna_vm_compare(test, t));
}

static struct kunit_case nna_vm_cases[] = {
	KUNIT_CASE_PARAM(nna_vm_unmap_splits, nna_vm_split_gen_params),
	KUNIT_CASE_PARAM(nna_vm_unmap_splits_readonly, nna_vm_split_gen_params),
	KUNIT_CASE_PARAM(nna_vm_map_splits, nna_vm_split_gen_params),
	KUNIT_CASE_PARAM(nna_vm_map_splits_readonly, nna_vm_split_gen_params),
	KUNIT_CASE_PARAM(nna_vm_splits_in_one_call, nna_vm_split_gen_params),
	KUNIT_CASE(nna_vm_same_again),
	KUNIT_CASE(nna_vm_most_ops),
	KUNIT_CASE(nna_vm_killed),
	KUNIT_CASE(nna_vm_all_or_none),
	KUNIT_CASE_PARAM(nna_vm_random, nna_vm_seed_gen_params),
	KUNIT_CASE(nna_vm_ends_of_the_space),
	KUNIT_CASE(nna_vm_private_object),
	KUNIT_CASE(nna_vm_unused_needs_no_invalidation),
	KUNIT_CASE(nna_vm_new_mapping_needs_no_invalidation),
	KUNIT_CASE(nna_vm_one_invalidation_per_call),
	KUNIT_CASE(nna_vm_waits_for_the_device),
	KUNIT_CASE(nna_vm_unbound_while_it_waits),
	KUNIT_CASE(nna_vm_mapping_keeps_object),
	KUNIT_CASE(nna_vm_destroy_drops_mappings),
	KUNIT_CASE(nna_vm_ctx_keeps_it),
	KUNIT_CASE(nna_vm_asid_after_invalidation),
	KUNIT_CASE(nna_vm_cleanup_of_cleanup),
	KUNIT_CASE(nna_vm_visits_all),
	KUNIT_CASE(nna_vm_asids_recycle),
	KUNIT_CASE(nna_vm_no_ops),
	KUNIT_CASE(nna_vm_most_mappings),
	{}
};

static struct kunit_suite nna_vm_suite = {
	.name = "nna_vm",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_vm_cases,
};
kunit_test_suite(nna_vm_suite);

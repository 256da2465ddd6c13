// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shrinker: which objects it purges and which it skips, with locks held and jobs running. The
 * tests call it as reclaim does, so that lockdep complains if it allocates or waits.
 */

#include <linux/dma-buf.h>
#include <linux/sched/mm.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <drm/drm_gem.h>

#include "nna_fake.h"
#include "../nna_gem.h"
#include "../nna_job.h"
#include "../nna_pages.h"
#include "../nna_pgtable.h"
#include "../nna_shrinker.h"
#include "../nna_user.h"
#include "../nna_vm.h"

#define NNA_TEST_RING	DRM_NNA_CTX_PRIORITY_MEDIUM
#define NNA_TEST_VA	(2 * NNA_LARGE_PAGE_SIZE)
#define NNA_TEST_SIZE	SZ_64K
#define NNA_TEST_PAGES	(NNA_TEST_SIZE >> PAGE_SHIFT)
#define NNA_TEST_MAPPED	(NNA_TEST_SIZE >> NNA_PAGE_SHIFT)
#define NNA_TEST_MANY	300u

/* An object, mapped in two address spaces, one of which has a context. */
struct nna_shrinker_test {
	struct nna_bo *bo;
	u32 handle;
	struct nna_vm *vms[2];
	struct nna_ctx *ctx;
};

static int nna_shrinker_bind(struct kunit *test, struct nna_vm *vm, u32 handle, u64 va)
{
	const struct drm_nna_vm_bind_op op = {
		.type = DRM_NNA_VM_BIND_OP_MAP, .bo_handle = handle, .va = va,
		.size = NNA_TEST_SIZE,
	};

	return nna_vm_bind(vm, to_nna_fake(test)->file, &op, 1);
}

static struct nna_shrinker_test *nna_shrinker_test(struct kunit *test)
{
	struct nna_shrinker_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_gem_object *obj;
	unsigned int i;
	u32 vm;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->handle = nna_fake_bo(fake, NNA_TEST_SIZE, 0);
	obj = drm_gem_object_lookup(fake->file, t->handle);
	t->bo = to_nna_bo(obj);
	for (i = 0; i < ARRAY_SIZE(t->vms); i++) {
		t->vms[i] = nna_fake_vm(fake, &vm);
		KUNIT_ASSERT_EQ(test, 0,
				nna_shrinker_bind(test, t->vms[i], t->handle, NNA_TEST_VA));
	}
	t->ctx = nna_fake_ctx(fake, vm, NNA_TEST_RING, NULL);
	drm_gem_object_put(obj);
	return t;
}

static bool nna_shrinker_advise(struct kunit *test, struct nna_bo *bo, bool needed)
{
	bool retained;

	KUNIT_ASSERT_EQ(test, 0, nna_bo_advise(bo, needed, &retained));
	return retained;
}

/* Returns the number of pages that reclaim frees. */
static unsigned long nna_shrinker_reclaim(struct kunit *test, unsigned long pages)
{
	struct nna_device *nna = to_nna_fake(test)->nna;
	unsigned long freed;

	fs_reclaim_acquire(GFP_KERNEL);
	freed = nna_shrinker_scan(nna, pages);
	fs_reclaim_release(GFP_KERNEL);
	return freed;
}

/* Returns how many of the device's pages of the object it can access, over all address spaces. */
static unsigned int nna_shrinker_reachable(struct nna_shrinker_test *t)
{
	unsigned int i, count = 0;
	u64 va;

	for (i = 0; i < ARRAY_SIZE(t->vms); i++)
		for (va = NNA_TEST_VA; va < NNA_TEST_VA + NNA_TEST_SIZE; va += NNA_PAGE_SIZE)
			count += !!nna_pgtable_lookup(&t->vms[i]->pgt, va, NULL);
	return count;
}

static void nna_shrinker_run_job(struct kunit *test, struct nna_ctx *ctx)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *fence;

	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, ctx, 0, NULL, &fence));
	nna_fake_settle(fake);
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));
}

/* An object that is needed, or needed again, is not purged. */
static void nna_shrinker_needed(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);
	struct nna_device *nna = to_nna_fake(test)->nna;

	KUNIT_EXPECT_EQ(test, 0ul, nna_shrinker_count(nna));
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));
	KUNIT_EXPECT_TRUE(test, nna_shrinker_advise(test, t->bo, false));
	KUNIT_EXPECT_TRUE(test, nna_shrinker_advise(test, t->bo, false));
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_count(nna));
	KUNIT_EXPECT_TRUE(test, nna_shrinker_advise(test, t->bo, true));
	KUNIT_EXPECT_EQ(test, 0ul, nna_shrinker_count(nna));
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));
	KUNIT_EXPECT_EQ(test, 2u * NNA_TEST_MAPPED, nna_shrinker_reachable(t));
	KUNIT_EXPECT_EQ(test, 0, nna_shrinker_bind(test, t->vms[0], t->handle, SZ_1M));
}

/* An object that is not needed is purged for good; its mappings can still be changed. */
static void nna_shrinker_purges(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);
	struct drm_gem_object *obj = &t->bo->base.base;
	struct nna_device *nna = to_nna_fake(test)->nna;
	struct drm_nna_vm_bind_op unmap = {
		.type = DRM_NNA_VM_BIND_OP_UNMAP, .va = NNA_TEST_VA + NNA_PAGE_SIZE,
		.size = NNA_PAGE_SIZE,
	};
	unsigned long pinned = nna_pages_pinned(nna), own = atomic_long_read(&t->bo->user->pages);
	char *page;

	nna_shrinker_advise(test, t->bo, false);
	KUNIT_EXPECT_NE(test, 0, obj->funcs->status(obj) & DRM_GEM_OBJECT_PURGEABLE);
	/* It cannot be mapped, even before it is purged. */
	KUNIT_EXPECT_EQ(test, -EFAULT, nna_shrinker_bind(test, t->vms[0], t->handle, SZ_1M));
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_reclaim(test, 1));
	/* Its pages do not count any more; page tables may have become free, too. */
	KUNIT_EXPECT_FALSE(test, t->bo->counted);
	KUNIT_EXPECT_LE(test, nna_pages_pinned(nna), pinned - NNA_TEST_PAGES);
	KUNIT_EXPECT_LE(test, (unsigned long)atomic_long_read(&t->bo->user->pages),
			own - NNA_TEST_PAGES);
	KUNIT_EXPECT_NULL(test, t->bo->base.pages);
	KUNIT_EXPECT_NULL(test, t->bo->base.sgt);
	KUNIT_EXPECT_EQ(test, 0u, nna_shrinker_reachable(t));
	KUNIT_EXPECT_EQ(test, 0, (int)obj->funcs->status(obj));
	KUNIT_EXPECT_EQ(test, 0ul, nna_shrinker_count(nna));
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));

	KUNIT_EXPECT_FALSE(test, nna_shrinker_advise(test, t->bo, true));
	KUNIT_EXPECT_FALSE(test, nna_shrinker_advise(test, t->bo, false));
	KUNIT_EXPECT_EQ(test, 0ul, nna_shrinker_count(nna));
	KUNIT_EXPECT_EQ(test, -EFAULT, nna_shrinker_bind(test, t->vms[0], t->handle, SZ_1M));
	dma_resv_lock(obj->resv, NULL);
	KUNIT_EXPECT_EQ(test, -EFAULT, obj->funcs->pin(obj));
	dma_resv_unlock(obj->resv);

	/* Map other objects over a page in the middle of its mapping, and over all of it. */
	page = kunit_kzalloc(test, NNA_PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, 0, (int)nna_vm_read(t->vms[0], NNA_TEST_VA, page, NNA_PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, 0, nna_vm_bind(t->vms[0], to_nna_fake(test)->file, &unmap, 1));
	KUNIT_EXPECT_EQ(test, 0,
			nna_shrinker_bind(test, t->vms[0],
					  nna_fake_bo(to_nna_fake(test), NNA_TEST_SIZE, 0),
					  NNA_TEST_VA));
	KUNIT_EXPECT_EQ(test, (unsigned int)NNA_TEST_MAPPED, nna_shrinker_reachable(t));
}

/* Purges as few objects as possible, the one that has not been needed for longest first. */
static void nna_shrinker_order(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_gem_object *objs[3];
	struct nna_vm *vm;
	unsigned int i;
	u32 id;

	vm = nna_fake_vm(fake, &id);
	for (i = 0; i < ARRAY_SIZE(objs); i++) {
		u32 handle = nna_fake_bo(fake, NNA_TEST_SIZE, 0);

		objs[i] = drm_gem_object_lookup(fake->file, handle);
		/* The handle holds it. */
		drm_gem_object_put(objs[i]);
		KUNIT_ASSERT_EQ(test, 0,
				nna_shrinker_bind(test, vm, handle, NNA_TEST_VA + i * SZ_1M));
	}
	nna_shrinker_advise(test, to_nna_bo(objs[1]), false);
	nna_shrinker_advise(test, to_nna_bo(objs[0]), false);
	nna_shrinker_advise(test, to_nna_bo(objs[2]), false);
	KUNIT_EXPECT_EQ(test, 2ul * NNA_TEST_PAGES,
			nna_shrinker_reclaim(test, NNA_TEST_PAGES + 1));
	KUNIT_EXPECT_FALSE(test, nna_shrinker_advise(test, to_nna_bo(objs[0]), true));
	KUNIT_EXPECT_FALSE(test, nna_shrinker_advise(test, to_nna_bo(objs[1]), true));
	KUNIT_EXPECT_TRUE(test, nna_shrinker_advise(test, to_nna_bo(objs[2]), true));
}

/* An object in an address space with jobs is skipped. The next job after a purge invalidates. */
static void nna_shrinker_jobs(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);
	struct nna_fake *fake = to_nna_fake(test);
	struct dma_fence *in, *fence;
	unsigned int logged;
	u32 handle;

	nna_shrinker_run_job(test, t->ctx);
	in = nna_fake_fence(fake, &handle);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_submit(fake, t->ctx, handle, NULL, &fence));
	nna_shrinker_advise(test, t->bo, false);
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));
	dma_fence_signal(in);
	nna_fake_settle(fake);
	KUNIT_ASSERT_EQ(test, 1u, nna_fake_pending(fake, NNA_TEST_RING));
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));
	KUNIT_EXPECT_EQ(test, 2u * NNA_TEST_MAPPED, nna_shrinker_reachable(t));
	nna_fake_complete(fake, NNA_TEST_RING, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_fence_error(fence));
	nna_fake_wait(test, !atomic_read(&fake->nna->job_count));

	logged = fake->logged;
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_reclaim(test, 1));
	KUNIT_EXPECT_EQ(test, logged, fake->logged);
	nna_shrinker_run_job(test, t->ctx);
	KUNIT_ASSERT_EQ(test, logged + 1, fake->logged);
	KUNIT_EXPECT_EQ(test, (u32)NNA_ENTRY_INVALIDATE, le32_to_cpu(fake->log[logged].type));
	KUNIT_EXPECT_EQ(test, t->vms[1]->asid, le32_to_cpu(fake->log[logged].asid));
	KUNIT_EXPECT_EQ(test, (u32)NNA_ENTRY_ALL, le32_to_cpu(fake->log[logged].target));
	/* Once. */
	nna_shrinker_run_job(test, t->ctx);
	KUNIT_EXPECT_EQ(test, logged + 1, fake->logged);
}

/* Reclaim waits for no lock of the driver. */
static void nna_shrinker_locks(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);
	struct nna_device *nna = to_nna_fake(test)->nna;
	unsigned int i;

	nna_shrinker_advise(test, t->bo, false);
	for (i = 0; i < ARRAY_SIZE(t->vms); i++) {
		mutex_lock(&t->vms[i]->lock);
		KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_scan(nna, ULONG_MAX));
		mutex_unlock(&t->vms[i]->lock);
	}
	dma_resv_lock(t->bo->base.base.resv, NULL);
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_scan(nna, ULONG_MAX));
	dma_resv_unlock(t->bo->base.base.resv);
	mutex_lock(&nna->unneeded_lock);
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_scan(nna, ULONG_MAX));
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_count(nna));
	mutex_unlock(&nna->unneeded_lock);
	KUNIT_EXPECT_EQ(test, 2u * NNA_TEST_MAPPED, nna_shrinker_reachable(t));
	/* All locks are released. */
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_reclaim(test, 1));
}

/* Memory that other devices may use, or that the kernel has mapped, is not purged. */
static void nna_shrinker_shared(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);
	struct drm_gem_object *obj = &t->bo->base.base;
	struct dma_buf *dmabuf;

	dmabuf = obj->funcs->export(obj, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dmabuf));
	/* drm_gem_prime_handle_to_fd() does this. */
	obj->dma_buf = dmabuf;
	nna_shrinker_advise(test, t->bo, false);
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));
	KUNIT_EXPECT_EQ(test, 2u * NNA_TEST_MAPPED, nna_shrinker_reachable(t));
	obj->dma_buf = NULL;
	dma_buf_put(dmabuf);
	nna_shrinker_advise(test, t->bo, false);
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_reclaim(test, 1));
}

/*
 * Memory that the CPU maps would stay if it were purged, so it is not. It may be purged once the
 * CPU has unmapped it, whether it was marked as not needed before it was mapped or after that.
 */
static void nna_shrinker_cpu_mapped(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);
	struct nna_device *nna = to_nna_fake(test)->nna;
	struct drm_gem_object *obj = &t->bo->base.base;
	struct vm_area_struct vma = { .vm_private_data = obj };

	/* A mapping has a reference on the object and is a user of its pages. */
	nna->vm_ops.open(&vma);
	nna_shrinker_advise(test, t->bo, false);
	KUNIT_EXPECT_EQ(test, 0ul, nna_shrinker_count(nna));
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));

	nna->vm_ops.close(&vma);
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_count(nna));
	/* The CPU maps it while it is on the list. */
	nna->vm_ops.open(&vma);
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));
	KUNIT_EXPECT_EQ(test, 0ul, nna_shrinker_count(nna));
	KUNIT_EXPECT_EQ(test, 2u * NNA_TEST_MAPPED, nna_shrinker_reachable(t));
	nna->vm_ops.close(&vma);
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_reclaim(test, 1));
}

/* Nor is an object purged that somebody is about to use, who has seen that it was needed. */
static void nna_shrinker_getting(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);

	t->bo->getting++;
	nna_shrinker_advise(test, t->bo, false);
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_reclaim(test, ULONG_MAX));
	t->bo->getting--;
	nna_shrinker_advise(test, t->bo, false);
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_reclaim(test, 1));
}

/* Returns how many objects a call of the shrinker looks at. */
static u64 nna_shrinker_seen(struct kunit *test, unsigned long pages, unsigned long *freed)
{
	struct nna_device *nna = to_nna_fake(test)->nna;
	struct nna_shrinker_counts before, after;

	nna_shrinker_read(nna, &before);
	*freed = nna_shrinker_reclaim(test, pages);
	nna_shrinker_read(nna, &after);
	KUNIT_EXPECT_EQ(test, before.calls + 1, after.calls);
	return after.seen - before.seen;
}

/* Objects that have no pages are not looked at, however many there are. */
static void nna_shrinker_without_pages(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_gem_object *obj;
	unsigned long freed;
	unsigned int i;
	u32 handle;

	for (i = 0; i < NNA_TEST_MANY; i++) {
		handle = nna_fake_bo(fake, PAGE_SIZE, 0);
		obj = drm_gem_object_lookup(fake->file, handle);
		KUNIT_EXPECT_TRUE(test, nna_shrinker_advise(test, to_nna_bo(obj), false));
		drm_gem_object_put(obj);
	}
	KUNIT_EXPECT_EQ(test, 0ul, nna_shrinker_count(fake->nna));
	KUNIT_EXPECT_EQ(test, 0ull, nna_shrinker_seen(test, ULONG_MAX, &freed));
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, freed);
}

/* A call looks at a bounded number of objects that it cannot purge, and the next at others. */
static void nna_shrinker_batch(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);
	struct nna_fake *fake = to_nna_fake(test);
	unsigned int i, calls = 0;
	unsigned long freed;
	struct nna_vm *vm;
	u32 handle, id;
	u64 seen;

	vm = nna_fake_vm(fake, &id);
	for (i = 0; i < NNA_TEST_MANY; i++) {
		struct drm_gem_object *obj;

		handle = nna_fake_bo(fake, NNA_TEST_SIZE, 0);
		KUNIT_ASSERT_EQ(test, 0,
				nna_shrinker_bind(test, vm, handle, NNA_TEST_VA + i * SZ_64K));
		obj = drm_gem_object_lookup(fake->file, handle);
		nna_shrinker_advise(test, to_nna_bo(obj), false);
		drm_gem_object_put(obj);
	}
	nna_shrinker_advise(test, t->bo, false);
	/* As if a job of this address space had not ended: no object in it can be purged. */
	atomic_inc(&vm->jobs);
	do {
		seen = nna_shrinker_seen(test, ULONG_MAX, &freed);
		KUNIT_EXPECT_LE(test, seen, 128ull);
	} while (freed == SHRINK_STOP && ++calls < NNA_TEST_MANY);
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, freed);
	KUNIT_EXPECT_EQ(test, NNA_TEST_MANY / 128u, calls);
	atomic_dec(&vm->jobs);
	/* It looks at no more objects than it needs. */
	KUNIT_EXPECT_EQ(test, 2ull, nna_shrinker_seen(test, NNA_TEST_PAGES + 1, &freed));
	KUNIT_EXPECT_EQ(test, 2ul * NNA_TEST_PAGES, freed);
	KUNIT_EXPECT_EQ(test, (NNA_TEST_MANY - 2ul) * NNA_TEST_PAGES,
			nna_shrinker_count(fake->nna));
}

/* Freeing an object, needed or not, before or after unbind, leaks nothing. */
static void nna_shrinker_freed(struct kunit *test)
{
	struct nna_shrinker_test *t = nna_shrinker_test(test);
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_device *nna = fake->nna;
	u32 handle = nna_fake_bo(fake, NNA_TEST_SIZE, 0);
	struct drm_gem_object *obj = drm_gem_object_lookup(fake->file, handle);

	KUNIT_ASSERT_EQ(test, 0, nna_bo_get_pages(to_nna_bo(obj)));
	nna_shrinker_advise(test, to_nna_bo(obj), false);
	KUNIT_ASSERT_EQ(test, 0, drm_gem_handle_delete(fake->file, handle));
	KUNIT_EXPECT_EQ(test, (unsigned long)NNA_TEST_PAGES, nna_shrinker_count(nna));
	drm_gem_object_put(obj);
	KUNIT_EXPECT_EQ(test, 0ul, nna_shrinker_count(nna));

	nna_shrinker_advise(test, t->bo, false);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, SHRINK_STOP, nna_shrinker_scan(nna, ULONG_MAX));
}

static struct kunit_case nna_shrinker_cases[] = {
	KUNIT_CASE(nna_shrinker_needed),
	KUNIT_CASE(nna_shrinker_purges),
	KUNIT_CASE(nna_shrinker_order),
	KUNIT_CASE(nna_shrinker_jobs),
	KUNIT_CASE(nna_shrinker_locks),
	KUNIT_CASE(nna_shrinker_shared),
	KUNIT_CASE(nna_shrinker_cpu_mapped),
	KUNIT_CASE(nna_shrinker_getting),
	KUNIT_CASE(nna_shrinker_without_pages),
	KUNIT_CASE_SLOW(nna_shrinker_batch),
	KUNIT_CASE(nna_shrinker_freed),
	{}
};

static struct kunit_suite nna_shrinker_suite = {
	.name = "nna_shrinker",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_shrinker_cases,
};
kunit_test_suite(nna_shrinker_suite);

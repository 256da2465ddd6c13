// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffer objects: an import refuses dma-bufs that do not consist of whole pages, and unbind removes
 * DMA mappings.
 */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/iosys-map.h>
#include <linux/scatterlist.h>
#include <drm/drm_gem.h>

#include "nna_fake.h"
#include "../nna_file.h"
#include "../nna_gem.h"
#include "../nna_pages.h"
#include "../nna_user.h"
#include "../nna_vm.h"

#define NNA_TEST_PIECES	3u

/* The exporter of a dma-buf of 4 pages; the test chooses the DMA addresses of its segments. */
struct nna_gem_export {
	const char *name;
	struct {
		u64 address;
		u32 size;
	} pieces[NNA_TEST_PIECES];
	int error;
};

static const struct nna_gem_export nna_gem_exports[] = {
	{ "one piece", { { SZ_1M, 4 * PAGE_SIZE } }, 0 },
	{ "three pieces",
	  { { SZ_1M, PAGE_SIZE }, { SZ_4M, 2 * PAGE_SIZE }, { SZ_2M, PAGE_SIZE } }, 0 },
	{ "more than it says", { { SZ_1M, 4 * PAGE_SIZE }, { SZ_2M, PAGE_SIZE } }, 0 },
	{ "less than it says", { { SZ_1M, 3 * PAGE_SIZE } }, -EINVAL },
	{ "nothing", {}, -EINVAL },
	{ "not where a page begins", { { SZ_1M + 0x40, 4 * PAGE_SIZE } }, -EINVAL },
	{ "a later piece not where a page begins",
	  { { SZ_1M, 2 * PAGE_SIZE }, { SZ_4M + 0x800, 2 * PAGE_SIZE } }, -EINVAL },
	{ "not whole pages",
	  { { SZ_1M, PAGE_SIZE + 0x800 }, { SZ_4M, 3 * PAGE_SIZE - 0x800 } }, -EINVAL },
	{ "not a whole page at the end",
	  { { SZ_1M, 3 * PAGE_SIZE }, { SZ_4M, PAGE_SIZE + 1 } }, -EINVAL },
};
KUNIT_ARRAY_PARAM_DESC(nna_gem_export, nna_gem_exports, name);

static unsigned int nna_gem_mapped;

static struct sg_table *nna_gem_map(struct dma_buf_attachment *attach, enum dma_data_direction dir)
{
	const struct nna_gem_export *export = attach->dmabuf->priv;
	struct sg_table *sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	struct scatterlist *sg;
	unsigned int i;

	if (!sgt)
		return ERR_PTR(-ENOMEM);
	if (sg_alloc_table(sgt, NNA_TEST_PIECES, GFP_KERNEL)) {
		kfree(sgt);
		return ERR_PTR(-ENOMEM);
	}
	sgt->nents = 0;
	for_each_sgtable_sg(sgt, sg, i) {
		if (!export->pieces[i].size)
			break;
		sg_dma_address(sg) = export->pieces[i].address;
		sg_dma_len(sg) = export->pieces[i].size;
		sgt->nents++;
	}
	nna_gem_mapped++;
	return sgt;
}

static void nna_gem_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			  enum dma_data_direction dir)
{
	nna_gem_mapped--;
	sg_free_table(sgt);
	kfree(sgt);
}

static void nna_gem_release(struct dma_buf *dmabuf)
{
}

static const struct dma_buf_ops nna_gem_dmabuf_ops = {
	.map_dma_buf = nna_gem_map,
	.unmap_dma_buf = nna_gem_unmap,
	.release = nna_gem_release,
};

static struct dma_buf *nna_gem_dmabuf(struct kunit *test, const struct nna_gem_export *export)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;

	info.ops = &nna_gem_dmabuf_ops;
	info.size = 4 * PAGE_SIZE;
	info.priv = (void *)export;
	dmabuf = dma_buf_export(&info);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dmabuf);
	nna_gem_mapped = 0;
	return dmabuf;
}

static void nna_gem_import(struct kunit *test)
{
	const struct nna_gem_export *export = test->param_value;
	struct dma_buf *dmabuf = nna_gem_dmabuf(test, export);
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_gem_object *obj = nna_gem_prime_import(&fake->nna->drm, dmabuf);

	KUNIT_EXPECT_EQ(test, export->error, PTR_ERR_OR_ZERO(obj));
	KUNIT_EXPECT_EQ(test, !export->error, nna_gem_mapped);
	if (!IS_ERR(obj))
		drm_gem_object_put(obj);
	KUNIT_EXPECT_EQ(test, 0u, nna_gem_mapped);
	KUNIT_EXPECT_TRUE(test, list_empty(&dmabuf->attachments));
	KUNIT_EXPECT_TRUE(test, list_empty(&fake->nna->bos));
	KUNIT_EXPECT_EQ(test, 1, file_count(dmabuf->file));
	dma_buf_put(dmabuf);
}

/* An imported object has the right to write if the dma-buf was exported for it. */
static void nna_gem_import_may_write(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct dma_buf *dmabuf = nna_gem_dmabuf(test, &nna_gem_exports[0]);
		struct drm_gem_object *obj;

		if (i)
			dmabuf->file->f_mode |= FMODE_WRITE;
		obj = nna_gem_prime_import(&fake->nna->drm, dmabuf);
		KUNIT_ASSERT_FALSE(test, IS_ERR(obj));
		KUNIT_EXPECT_EQ(test, (bool)i, nna_bo_may_write(to_nna_bo(obj), fake->file));
		drm_gem_object_put(obj);
		dma_buf_put(dmabuf);
	}
}

/* The right is that of a handle: of the creator's, as long as it is open, and of the dma-buf's. */
static void nna_gem_handle_may_write(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	u32 handle = nna_fake_bo(fake, PAGE_SIZE, 0);
	struct drm_gem_object *obj = drm_gem_object_lookup(fake->file, handle);
	struct drm_file *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct nna_bo *bo = to_nna_bo(obj);
	struct dma_buf *dmabuf;

	KUNIT_ASSERT_NOT_NULL(test, other);
	dmabuf = obj->funcs->export(obj, O_RDONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dmabuf));
	KUNIT_EXPECT_TRUE(test, nna_bo_may_write(bo, fake->file));
	KUNIT_EXPECT_FALSE(test, nna_bo_may_write(bo, other));
	obj->funcs->close(obj, other);
	KUNIT_EXPECT_TRUE(test, nna_bo_may_write(bo, fake->file));
	dma_buf_put(dmabuf);
	dmabuf = obj->funcs->export(obj, O_RDWR);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dmabuf));
	KUNIT_EXPECT_TRUE(test, nna_bo_may_write(bo, other));
	dma_buf_put(dmabuf);
	dmabuf = obj->funcs->export(obj, O_RDONLY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dmabuf));
	KUNIT_ASSERT_EQ(test, 0, drm_gem_handle_delete(fake->file, handle));
	KUNIT_EXPECT_FALSE(test, nna_bo_may_write(bo, fake->file));
	dma_buf_put(dmabuf);
	drm_gem_object_put(obj);
}

/* Unbind removes the attachment; the object lives until its last reference is dropped. */
static void nna_gem_import_outlives_the_device(struct kunit *test)
{
	struct dma_buf *dmabuf = nna_gem_dmabuf(test, &nna_gem_exports[0]);
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_device *nna = fake->nna;
	struct drm_gem_object *obj = nna_gem_prime_import(&nna->drm, dmabuf);

	KUNIT_ASSERT_FALSE(test, IS_ERR(obj));
	nna_fake_unbind(fake);
	KUNIT_EXPECT_EQ(test, 0u, nna_gem_mapped);
	KUNIT_EXPECT_TRUE(test, list_empty(&dmabuf->attachments));
	KUNIT_EXPECT_EQ(test, -ENODEV,
			PTR_ERR_OR_ZERO(nna_gem_prime_import(&nna->drm, dmabuf)));
	drm_gem_object_put(obj);
	KUNIT_EXPECT_EQ(test, 0u, nna_gem_mapped);
	KUNIT_EXPECT_EQ(test, 1, file_count(dmabuf->file));
	dma_buf_put(dmabuf);
}

static void nna_gem_pages_are_got_once(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	u32 handle = nna_fake_bo(fake, 0x4000, 0);
	struct drm_gem_object *obj = drm_gem_object_lookup(fake->file, handle);
	struct nna_bo *bo = to_nna_bo(obj);
	struct sg_table *sgt;

	KUNIT_EXPECT_EQ(test, 0, obj->funcs->status(obj) & DRM_GEM_OBJECT_RESIDENT);
	KUNIT_EXPECT_EQ(test, 0, nna_bo_get_pages(bo));
	sgt = bo->base.sgt;
	KUNIT_EXPECT_NOT_NULL(test, sgt);
	KUNIT_EXPECT_EQ(test, 0, nna_bo_get_pages(bo));
	KUNIT_EXPECT_PTR_EQ(test, sgt, bo->base.sgt);
	KUNIT_EXPECT_NE(test, 0, obj->funcs->status(obj) & DRM_GEM_OBJECT_RESIDENT);
	nna_fake_unbind(fake);
	/* The pages stay, for CPU mappings; the DMA mapping is gone. */
	KUNIT_EXPECT_NULL(test, bo->base.sgt);
	KUNIT_EXPECT_NOT_NULL(test, bo->base.pages);
	drm_gem_object_put(obj);
}

static void nna_gem_restore_limit(void *arg)
{
	nna_pages_limit = 0;
}

static struct nna_user *nna_gem_user(struct kunit *test, u32 uid)
{
	const struct nna_user_key key = { .uid = uid };
	struct nna_user *user = nna_user_find(to_nna_fake(test)->nna, &key);

	KUNIT_ASSERT_FALSE(test, IS_ERR(user));
	return user;
}

/* The device limits the pages of objects, from their allocation on, and of page tables. */
static void nna_gem_pages_limit(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_device *nna = fake->nna;
	struct drm_gem_object *obj[2];
	struct nna_user *user;
	struct nna_vm *vm;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(nna));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, nna_gem_restore_limit, NULL));
	nna_pages_limit = 4;
	for (i = 0; i < ARRAY_SIZE(obj); i++) {
		u32 handle = nna_fake_bo(fake, 3 * PAGE_SIZE, 0);

		obj[i] = drm_gem_object_lookup(fake->file, handle);
		KUNIT_ASSERT_EQ(test, 0, drm_gem_handle_delete(fake->file, handle));
	}
	/* An object without pages costs nothing. */
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(nna));
	KUNIT_EXPECT_EQ(test, 0, nna_bo_get_pages(to_nna_bo(obj[0])));
	KUNIT_EXPECT_EQ(test, 0, nna_bo_get_pages(to_nna_bo(obj[0])));
	KUNIT_EXPECT_EQ(test, 3l, nna_pages_pinned(nna));
	KUNIT_EXPECT_EQ(test, -ENOMEM, nna_bo_get_pages(to_nna_bo(obj[1])));
	dma_resv_lock(obj[1]->resv, NULL);
	KUNIT_EXPECT_EQ(test, -ENOMEM, obj[1]->funcs->pin(obj[1]));
	dma_resv_unlock(obj[1]->resv);
	/* The root of another user's page tables has the last one. */
	user = nna_gem_user(test, 1);
	vm = nna_vm_create(user);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vm));
	KUNIT_EXPECT_EQ(test, 4l, nna_pages_pinned(nna));
	KUNIT_EXPECT_EQ(test, -ENOMEM, PTR_ERR_OR_ZERO(nna_vm_create(user)));
	nna_vm_put(vm);
	flush_workqueue(nna->cleanup_wq);
	drm_gem_object_put(obj[0]);
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(nna));
	KUNIT_EXPECT_EQ(test, 0, nna_bo_get_pages(to_nna_bo(obj[1])));
	drm_gem_object_put(obj[1]);
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(nna));
	nna_user_put(user);
}

/* One user takes three quarters of the limit at most, and the next the same part of the rest. */
static void nna_gem_pages_of_users(struct kunit *test)
{
	struct nna_device *nna = to_nna_fake(test)->nna;
	struct nna_user *users[5];
	unsigned long taken, sum = 0;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, nna_gem_restore_limit, NULL));
	nna_pages_limit = 4000;
	for (i = 0; i < ARRAY_SIZE(users); i++) {
		users[i] = nna_gem_user(test, 1000 + i);
		for (taken = 0; !nna_pages_take(users[i], 1); taken++)
			;
		KUNIT_EXPECT_GT(test, taken, 0ul);
		if (!i) {
			KUNIT_EXPECT_GE(test, taken, 3000ul);
			KUNIT_EXPECT_LE(test, taken, 3002ul);
			/* All at once, or one by one. */
			nna_pages_give(users[i], taken);
			KUNIT_EXPECT_EQ(test, -ENOMEM, nna_pages_take(users[i], taken + 1));
			KUNIT_EXPECT_EQ(test, 0, nna_pages_take(users[i], taken));
		}
		KUNIT_EXPECT_EQ(test, (long)taken, atomic_long_read(&users[i]->pages));
		sum += taken;
		/* At least a quarter of what was left is left for the next one. */
		KUNIT_EXPECT_LE(test, sum, 4000ul - (4000 >> (2 * (i + 1))) + 4);
	}
	KUNIT_EXPECT_EQ(test, (long)sum, (long)nna_pages_pinned(nna));
	for (i = 0; i < ARRAY_SIZE(users); i++) {
		nna_pages_give(users[i], atomic_long_read(&users[i]->pages));
		nna_user_put(users[i]);
	}
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(nna));
}

/* Pages do not count, and are not kept, if getting them has failed, by whatever path. */
static void nna_gem_pages_are_given_back(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	u32 handle = nna_fake_bo(fake, 3 * PAGE_SIZE, 0);
	struct drm_gem_object *obj = drm_gem_object_lookup(fake->file, handle);
	struct inode *inode = file_inode(obj->filp);
	struct nna_bo *bo = to_nna_bo(obj);
	struct iosys_map map;

	/* The second page cannot be allocated. */
	i_size_write(inode, PAGE_SIZE);
	KUNIT_EXPECT_GT(test, 0, nna_bo_get_pages(bo));
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(fake->nna));
	KUNIT_EXPECT_EQ(test, 0ul, inode->i_mapping->nrpages);
	dma_resv_lock(obj->resv, NULL);
	KUNIT_EXPECT_GT(test, 0, obj->funcs->pin(obj));
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(fake->nna));
	KUNIT_EXPECT_GT(test, 0, obj->funcs->vmap(obj, &map));
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(fake->nna));

	/* They count as long as they are in memory, and if a later call fails, too. */
	i_size_write(inode, 3 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 0, obj->funcs->pin(obj));
	KUNIT_EXPECT_EQ(test, 3l, nna_pages_pinned(fake->nna));
	obj->funcs->unpin(obj);
	i_size_write(inode, PAGE_SIZE);
	KUNIT_EXPECT_GT(test, 0, obj->funcs->pin(obj));
	KUNIT_EXPECT_EQ(test, 3l, nna_pages_pinned(fake->nna));
	dma_resv_unlock(obj->resv);
	i_size_write(inode, 3 * PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, 0, drm_gem_handle_delete(fake->file, handle));
	drm_gem_object_put(obj);
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(fake->nna));
}

/* A page table whose allocation fails is not counted. */
static void nna_gem_no_table(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_vm *vm;

	/* No page has an address that fits. */
	fake->dev->coherent_dma_mask = 1;
	vm = nna_vm_create(nna_file_user(fake->file->driver_priv));
	fake->dev->coherent_dma_mask = DMA_BIT_MASK(52);
	KUNIT_EXPECT_EQ(test, -ENOMEM, PTR_ERR_OR_ZERO(vm));
	KUNIT_EXPECT_EQ(test, 0l, nna_pages_pinned(fake->nna));
}

struct nna_gem_mapping {
	const char *name;
	bool coherent;
	u32 flags;
	bool wc;
};

static const struct nna_gem_mapping nna_gem_mappings[] = {
	{ "the device snoops", true, 0, false },
	{ "the device snoops, cached", true, DRM_NNA_BO_CACHED, false },
	{ "the device does not snoop", false, 0, true },
	{ "the device does not snoop, cached", false, DRM_NNA_BO_CACHED, false },
};
KUNIT_ARRAY_PARAM_DESC(nna_gem_mapping, nna_gem_mappings, name);

/* How the CPU maps an object: past its caches if the device does not see those, unless asked. */
static void nna_gem_cpu_mapping(struct kunit *test)
{
	const struct nna_gem_mapping *param = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_bo_create create = { .size = PAGE_SIZE, .flags = param->flags };
	struct drm_gem_object *obj;

	fake->nna->coherent = param->coherent;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_BO_CREATE, &create));
	obj = drm_gem_object_lookup(fake->file, create.handle);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_EXPECT_EQ(test, param->wc, (bool)to_nna_bo(obj)->base.map_wc);
	drm_gem_object_put(obj);
}

/* One of two operations on the CPU's caches, of a part that begins and ends within a page. */
static void nna_gem_one_sync(struct kunit *test, u32 handle, u32 type, const struct nna_bo *bo)
{
	struct drm_nna_bo_sync_op op = {
		.handle = handle, .type = type, .offset = 0x123, .size = PAGE_SIZE,
	};
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_bo_sync args = {
		.ops = {
			.stride = sizeof(op), .count = 1,
			.array = (unsigned long)nna_fake_user(fake, &op, sizeof(op)),
		},
	};
	struct scatterlist *sg;
	unsigned int i;
	u64 size = 0;

	fake->sync_count = 0;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_BO_SYNC, &args));
	for (i = 0; i < fake->sync_count; i++) {
		KUNIT_EXPECT_EQ(test, type == DRM_NNA_BO_SYNC_TO_DEVICE, fake->syncs[i].to_device);
		size += fake->syncs[i].size;
	}
	if (!bo) {
		KUNIT_EXPECT_EQ(test, 0u, fake->sync_count);
		return;
	}
	KUNIT_EXPECT_EQ(test, (u64)PAGE_SIZE, size);
	KUNIT_ASSERT_NE(test, 0u, fake->sync_count);
	sg = bo->base.sgt->sgl;
	KUNIT_EXPECT_EQ(test, (u64)sg_dma_address(sg) + 0x123, fake->syncs[0].address);
}

/*
 * BO_SYNC cleans the caches before the device reads, and invalidates them before the CPU does, for
 * objects that the CPU has in its caches and a device that does not see these; for no others.
 */
static void nna_gem_sync(struct kunit *test)
{
	const struct nna_gem_mapping *param = test->param_value;
	const bool needed = !param->coherent && (param->flags & DRM_NNA_BO_CACHED);
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_bo_create create = { .size = 4 * PAGE_SIZE, .flags = param->flags };
	struct drm_gem_object *obj;
	struct nna_bo *bo;

	fake->nna->coherent = param->coherent;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_BO_CREATE, &create));
	obj = drm_gem_object_lookup(fake->file, create.handle);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	bo = needed ? to_nna_bo(obj) : NULL;
	nna_gem_one_sync(test, create.handle, DRM_NNA_BO_SYNC_TO_DEVICE, bo);
	nna_gem_one_sync(test, create.handle, DRM_NNA_BO_SYNC_TO_CPU, bo);
	drm_gem_object_put(obj);
}

/* A core dump reads what the device has written, whatever the client has synchronised. */
static void nna_gem_dump_sync(struct kunit *test)
{
	const struct nna_gem_mapping *param = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_bo_create create = { .size = 4 * PAGE_SIZE, .flags = param->flags };
	struct drm_nna_vm_bind_op op = {
		.type = DRM_NNA_VM_BIND_OP_MAP, .va = SZ_1M, .size = 4 * PAGE_SIZE,
	};
	struct nna_vm *vm = nna_fake_vm(fake, NULL);
	char read[16];

	fake->nna->coherent = param->coherent;
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_BO_CREATE, &create));
	op.bo_handle = create.handle;
	KUNIT_ASSERT_EQ(test, 0, nna_vm_bind(vm, fake->file, &op, 1));
	KUNIT_EXPECT_EQ(test, 0u, fake->sync_count);
	KUNIT_EXPECT_EQ(test, sizeof(read), nna_vm_read(vm, SZ_1M + 0x40, read, sizeof(read)));
	KUNIT_EXPECT_EQ(test, param->coherent ? 0u : 1u, fake->sync_count);
	KUNIT_EXPECT_FALSE(test, fake->syncs[0].to_device);
	KUNIT_EXPECT_EQ(test, param->coherent ? 0u : sizeof(read), fake->syncs[0].size);
}

/* The limit applies to every path of mmap(), also through a dma-buf. */
static void nna_gem_no_mmap(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_bo_create create = { .size = PAGE_SIZE, .flags = DRM_NNA_BO_NO_MMAP };
	struct drm_gem_object *obj;

	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_BO_CREATE, &create));
	obj = drm_gem_object_lookup(fake->file, create.handle);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	/* It looks at no more than the object. */
	KUNIT_EXPECT_EQ(test, -EPERM, obj->funcs->mmap(obj, NULL));
	drm_gem_object_put(obj);
}

static struct kunit_case nna_gem_cases[] = {
	KUNIT_CASE_PARAM(nna_gem_import, nna_gem_export_gen_params),
	KUNIT_CASE(nna_gem_import_may_write),
	KUNIT_CASE(nna_gem_handle_may_write),
	KUNIT_CASE(nna_gem_import_outlives_the_device),
	KUNIT_CASE(nna_gem_pages_are_got_once),
	KUNIT_CASE(nna_gem_pages_limit),
	KUNIT_CASE(nna_gem_pages_of_users),
	KUNIT_CASE(nna_gem_pages_are_given_back),
	KUNIT_CASE(nna_gem_no_table),
	KUNIT_CASE_PARAM(nna_gem_cpu_mapping, nna_gem_mapping_gen_params),
	KUNIT_CASE_PARAM(nna_gem_sync, nna_gem_mapping_gen_params),
	KUNIT_CASE_PARAM(nna_gem_dump_sync, nna_gem_mapping_gen_params),
	KUNIT_CASE(nna_gem_no_mmap),
	{}
};

static struct kunit_suite nna_gem_suite = {
	.name = "nna_gem",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_gem_cases,
};
kunit_test_suite(nna_gem_suite);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open files: neither a successful nor a failed open() leaks anything.
 */

#include <linux/err.h>
#include <linux/file.h>
#include <linux/xarray.h>
#include <kunit/static_stub.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "nna_fake.h"
#include "../nna_ctx.h"
#include "../nna_file.h"
#include "../nna_vm.h"

static void nna_file_keeps_nothing(struct kunit *test)
{
	struct drm_device *drm = &to_nna_fake(test)->nna->drm;
	unsigned int refs = kref_read(&drm->ref);
	struct drm_file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, file);
	/* Of a size that nothing else has. */
	nna_fake_watch_memory(test, sizeof(struct nna_usage));
	KUNIT_ASSERT_EQ(test, 0, nna_file_open(drm, file));
	KUNIT_EXPECT_EQ(test, 1u, nna_fake_kept_memory(test));
	KUNIT_EXPECT_EQ(test, refs + 1, kref_read(&drm->ref));
	nna_file_close(drm, file);
	flush_delayed_fput();
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_kept_memory(test));
	KUNIT_EXPECT_EQ(test, refs, kref_read(&drm->ref));
}

static struct nna_usage *nna_file_no_usage(struct nna_device *nna)
{
	return ERR_PTR(-ENFILE);
}

static void nna_file_fails(struct kunit *test)
{
	struct drm_device *drm = &to_nna_fake(test)->nna->drm;
	struct drm_file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, file);
	kunit_activate_static_stub(test, nna_usage_create, nna_file_no_usage);
	nna_fake_watch_memory(test, 0);
	KUNIT_EXPECT_EQ(test, -ENFILE, nna_file_open(drm, file));
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_kept_memory(test));
	KUNIT_EXPECT_NULL(test, file->driver_priv);
}

/* Unbind does not wait for objects of open files, so close() waits for their release. */
static void nna_file_outlives_unbind(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_device *nna = fake->nna;
	struct drm_file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);
	struct nna_file *nfile;
	struct nna_vm *vm;
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_ASSERT_EQ(test, 0, nna_file_open(&nna->drm, file));
	nfile = file->driver_priv;
	vm = nna_vm_create(nna_file_user(nfile));
	KUNIT_ASSERT_FALSE(test, IS_ERR(vm));
	KUNIT_ASSERT_EQ(test, 0, xa_alloc(&nfile->vms, &id, vm, xa_limit_32b, GFP_KERNEL));

	drm_dev_get(&nna->drm);
	nna_fake_unbind(fake);
	KUNIT_EXPECT_FALSE(test, xa_empty(nna_vm_asids(nna)));
	nna_file_close(&nna->drm, file);
	KUNIT_EXPECT_TRUE(test, xa_empty(nna_vm_asids(nna)));
	nna_fake_close(fake);
	drm_dev_put(&nna->drm);
}

static struct kunit_case nna_file_cases[] = {
	KUNIT_CASE(nna_file_keeps_nothing),
	KUNIT_CASE(nna_file_outlives_unbind),
	KUNIT_CASE(nna_file_fails),
	{}
};

static struct kunit_suite nna_file_suite = {
	.name = "nna_file",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_file_cases,
};
kunit_test_suite(nna_file_suite);

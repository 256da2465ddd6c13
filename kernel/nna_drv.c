// SPDX-License-Identifier: GPL-2.0-only
/* The DRM driver, and opening and closing its files: see nna_drv.h. */

#include <linux/module.h>
#include <linux/slab.h>
#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_ioctl.h>
#include <drm/nna_accel.h>

#include "nna_core.h"
#include "nna_ctx.h"
#include "nna_device.h"
#include "nna_drv.h"
#include "nna_fdinfo.h"
#include "nna_gem.h"
#include "nna_ioctl.h"
#include "nna_vm.h"

static int nna_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct nna_file *nfile = kzalloc(sizeof(*nfile), GFP_KERNEL);
	int ret;

	if (!nfile)
		return -ENOMEM;
	nfile->nna = to_nna_device(drm);
	nfile->usage = nna_usage_create(nfile->nna);
	if (IS_ERR(nfile->usage)) {
		ret = PTR_ERR(nfile->usage);
		kfree(nfile);
		return ret;
	}
	xa_init_flags(&nfile->vms, XA_FLAGS_ALLOC1);
	xa_init_flags(&nfile->ctxs, XA_FLAGS_ALLOC1);
	file->driver_priv = nfile;
	return 0;
}

static void nna_file_close(struct drm_device *drm, struct drm_file *file)
{
	struct nna_file *nfile = file->driver_priv;
	struct nna_ctx *ctx;
	unsigned long id;
	struct nna_vm *vm;

	xa_for_each(&nfile->ctxs, id, ctx) {
		nna_ctx_close(ctx);
		nna_ctx_put(ctx);
	}
	xa_for_each(&nfile->vms, id, vm)
		nna_vm_put(vm);
	xa_destroy(&nfile->ctxs);
	xa_destroy(&nfile->vms);

	/*
	 * Unbind waits for the cleanup that it has caused. After it nobody but us does, and the
	 * device may be freed once we return.
	 */
	if (drm_dev_is_unplugged(drm))
		nna_device_flush_cleanup(nfile->nna);
	nna_usage_put(nfile->usage);
	kfree(nfile);
}

struct nna_vm *nna_file_get_vm(struct nna_file *nfile, u32 id)
{
	struct nna_vm *vm;

	xa_lock(&nfile->vms);
	vm = xa_load(&nfile->vms, id);
	if (vm)
		nna_vm_get(vm);
	xa_unlock(&nfile->vms);
	return vm;
}

struct nna_ctx *nna_file_get_ctx(struct nna_file *nfile, u32 id)
{
	struct nna_ctx *ctx;

	xa_lock(&nfile->ctxs);
	ctx = xa_load(&nfile->ctxs, id);
	if (ctx)
		nna_ctx_get(ctx);
	xa_unlock(&nfile->ctxs);
	return ctx;
}

static const struct file_operations nna_drm_fops = {
	.owner = THIS_MODULE,
	DRM_ACCEL_FOPS,
	.show_fdinfo = drm_show_fdinfo,
};

/*
 * Versions of the interface:
 *
 * 1.0 the first one
 */
const struct drm_driver nna_drm_driver = {
	.driver_features = DRIVER_COMPUTE_ACCEL | DRIVER_GEM | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = nna_file_open,
	.postclose = nna_file_close,
	.ioctls = nna_ioctls,
	.num_ioctls = NNA_IOCTL_COUNT,
	.fops = &nna_drm_fops,
	.show_fdinfo = nna_fdinfo_show,
	.gem_create_object = nna_gem_create_object,
	.gem_prime_import = nna_gem_prime_import,
	.gem_prime_import_sg_table = nna_gem_prime_import_sg_table,
	.name = NNA_DRIVER_NAME,
	.desc = "NNA accelerator",
	.major = 1,
	.minor = 0,
};

// SPDX-License-Identifier: GPL-2.0-only
/* Open files: see nna_file.h. */

#include <linux/slab.h>
#include <linux/xarray.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "nna_core.h"
#include "nna_ctx.h"
#include "nna_device.h"
#include "nna_file.h"
#include "nna_user.h"
#include "nna_vm.h"

int nna_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct nna_file *nfile = kzalloc(sizeof(*nfile), GFP_KERNEL_ACCOUNT);
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
	spin_lock_init(&nfile->lock);
	xa_init_flags(&nfile->vms, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&nfile->ctxs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	file->driver_priv = nfile;
	return 0;
}

void nna_file_close(struct drm_device *drm, struct drm_file *file)
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
	 * Unbind waits for the cleanup work that was queued before it. The work queued here after
	 * an unbind must end before this function returns, since the device may be freed then.
	 */
	if (drm_dev_is_unplugged(drm))
		nna_device_flush_cleanup(nfile->nna);
	nna_usage_put(nfile->usage);
	kfree(nfile);
}

struct nna_user *nna_file_user(struct nna_file *nfile)
{
	struct nna_user *user;

	spin_lock(&nfile->lock);
	nfile->user_used = true;
	user = nfile->usage->user;
	spin_unlock(&nfile->lock);
	return user;
}

int nna_file_set_user(struct nna_file *nfile, const struct nna_user_key *key)
{
	struct nna_user *user = nna_user_find(nfile->nna, key);
	int ret = -EBUSY;

	if (IS_ERR(user))
		return PTR_ERR(user);
	spin_lock(&nfile->lock);
	if (!nfile->user_used) {
		nfile->user_used = true;
		user = nna_usage_set_user(nfile->usage, user);
		ret = 0;
	}
	spin_unlock(&nfile->lock);
	nna_user_put(user);
	return ret;
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

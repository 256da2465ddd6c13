// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls: see nna_ioctl.h. */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/nna_accel.h>

#include "nna_core.h"
#include "nna_ctx.h"
#include "nna_file.h"
#include "nna_gem.h"
#include "nna_ioctl.h"
#include "nna_job.h"
#include "nna_pm.h"
#include "nna_ring.h"
#include "nna_sync.h"
#include "nna_uobj.h"
#include "nna_user.h"
#include "nna_vm.h"

/* Size of an array's element in version 1.0 of the interface, up to its last member. */
#define NNA_STRIDE(type, last)	offsetofend(struct drm_nna_##type, last)

/* drm_dev_enter() for ioctls that need a working device: it fails for a lost device, too. */
static bool nna_ioctl_enter(struct drm_device *drm, int *idx)
{
	if (!drm_dev_enter(drm, idx))
		return false;
	if (!nna_core_is_lost(to_nna_device(drm)))
		return true;
	drm_dev_exit(*idx);
	return false;
}

/* The answer to a DEV_QUERY. */
union nna_query_result {
	struct drm_nna_hw_info hw_info;
	struct drm_nna_sched_info sched_info;
	struct drm_nna_timestamp timestamp;
	struct drm_nna_counters counters;
	struct drm_nna_file_counters file_counters;
};

static u32 nna_query_hw_flags(const struct nna_device *nna)
{
	return (nna->coherent ? DRM_NNA_HW_COHERENT : 0) |
	       (nna_hw_has_profiles(&nna->hw) ? DRM_NNA_HW_PROFILES : 0) |
	       (nna_hw_has_slices(&nna->hw) ? DRM_NNA_HW_SLICES : 0);
}

static void nna_query_hw_info(struct nna_device *nna, struct drm_nna_hw_info *info)
{
	const struct nna_hw *hw = &nna->hw;

	*info = (struct drm_nna_hw_info) {
		.abi_major = hw->abi_major,
		.abi_minor = hw->abi_minor,
		.stream_version = hw->stream_version,
		.layout_version = hw->layout_version,
		.flags = nna_query_hw_flags(nna),
		.job_rings = hw->job_rings,
		.ring_size = nna->rings[0].size,
		.workers = hw->workers,
		.va_bits = NNA_VA_BITS,
		.max_slots = NNA_MAX_SLOTS,
		.va_start = NNA_VA_START,
		.va_end = NNA_VA_END,
		.page_sizes = NNA_PAGE_SIZE | NNA_LARGE_PAGE_SIZE,
		.job_limit_ns = nna_clock_ticks_to_ns(hw, hw->job_limit),
		.tick_hz = hw->tick_hz,
		.max_stream_size = NNA_MAX_STREAM_SIZE,
		.max_bo_size = NNA_MAX_BO_SIZE,
		.max_syncs = NNA_MAX_SYNCS,
		.max_bind_ops = NNA_MAX_BIND_OPS,
		.max_bo_sync_ops = NNA_MAX_BO_SYNC_OPS,
		.max_vms = NNA_MAX_VMS,
		.max_ctxs = NNA_MAX_CTXS,
		.max_label = NNA_MAX_LABEL,
		.max_ctx_jobs = NNA_MAX_CTX_JOBS,
		.max_file_jobs = NNA_MAX_FILE_JOBS,
		.max_mappings = nna_vm_max_mappings(),
		.max_tables = NNA_MAX_TABLES,
		.max_user_ctxs = NNA_MAX_USER_CTXS,
		.work_rate = hw->work_rate,
	};
}

static bool nna_priority_permitted(u32 priority)
{
	return priority < DRM_NNA_CTX_PRIORITY_REALTIME || capable(CAP_SYS_NICE);
}

static void nna_query_sched_info(struct nna_device *nna, struct drm_nna_sched_info *info)
{
	u32 i;

	info->timeout_ns = (u64)nna->timeout_ms * NSEC_PER_MSEC;
	for (i = 0; i < NNA_JOB_RINGS; i++)
		if (nna_priority_permitted(i))
			info->priority_mask |= BIT(i);
}

static int nna_query_resume(struct nna_device *nna)
{
	return nna_core_is_lost(nna) ? -ENODEV : nna_pm_get(nna);
}

static int nna_query_timestamp(struct nna_device *nna, struct drm_nna_timestamp *ts)
{
	int ret = nna_query_resume(nna);

	if (ret)
		return ret;
	nna_clock_sample(&nna->clock, &nna->hw);
	/* Read the pair before the PM reference is dropped: a suspend invalidates it. */
	nna_clock_get(&nna->clock, &ts->monotonic_ns, &ts->tick, &ts->uncertainty_ns);
	nna_pm_put(nna);
	return 0;
}

static int nna_query_counters(struct nna_device *nna, struct drm_nna_counters *counters)
{
	unsigned int i;
	int ret;

	if (!perfmon_capable())
		return -EACCES;
	ret = nna_query_resume(nna);
	if (ret)
		return ret;
	nna_hw_read_counters(&nna->hw, counters);
	nna_pm_put(nna);
	counters->driver_irqs = atomic64_read(&nna->irqs);
	counters->driver_resets = atomic_read(&nna->resets);
	for (i = 0; i < NNA_RINGS; i++)
		counters->driver_completions += READ_ONCE(nna->rings[i].completions);
	return 0;
}

static void nna_query_file_counters(struct nna_usage *usage, struct drm_nna_file_counters *counters)
{
	unsigned int i;

	counters->jobs = atomic64_read(&usage->jobs);
	counters->faults = atomic64_read(&usage->faults);
	counters->lost = atomic64_read(&usage->lost);
	for (i = 0; i < NNA_JOB_RINGS; i++)
		counters->busy_ticks[i] = atomic64_read(&usage->ticks[i]);
}

/* Returns the size of the answer, or an error. If not @wanted, reads no register. */
static int nna_query(struct nna_file *nfile, u32 type, bool wanted, union nna_query_result *result)
{
	struct nna_device *nna = nfile->nna;
	int ret = 0;

	switch (type) {
	case DRM_NNA_DEV_QUERY_HW_INFO:
		nna_query_hw_info(nna, &result->hw_info);
		return sizeof(result->hw_info);
	case DRM_NNA_DEV_QUERY_SCHED_INFO:
		nna_query_sched_info(nna, &result->sched_info);
		return sizeof(result->sched_info);
	case DRM_NNA_DEV_QUERY_TIMESTAMP:
		if (wanted)
			ret = nna_query_timestamp(nna, &result->timestamp);
		return ret ?: sizeof(result->timestamp);
	case DRM_NNA_DEV_QUERY_COUNTERS:
		if (wanted)
			ret = nna_query_counters(nna, &result->counters);
		return ret ?: sizeof(result->counters);
	case DRM_NNA_DEV_QUERY_FILE_COUNTERS:
		nna_query_file_counters(nfile->usage, &result->file_counters);
		return sizeof(result->file_counters);
	default:
		return -EINVAL;
	}
}

static int nna_ioctl_dev_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_dev_query *args = data;
	union nna_query_result result = {};
	int size, idx;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	size = nna_query(file->driver_priv, args->type, args->pointer, &result);
	drm_dev_exit(idx);
	if (NNA_IOCTL_DBG(drm, size < 0))
		return size;
	/*
	 * Outside drm_dev_enter(), since unbind waits for that and a page fault may take for ever.
	 */
	return nna_uobj_set(args->pointer, &args->size, &result, size);
}

static int nna_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_bo_create *args = data;
	struct nna_vm *vm = NULL;
	u32 handle;
	u64 size;
	int ret;

	if (NNA_IOCTL_DBG(drm, args->pad || args->handle || (args->flags & ~DRM_NNA_BO_FLAGS)))
		return -EINVAL;
	if (args->vm_id) {
		vm = nna_file_get_vm(file->driver_priv, args->vm_id);
		if (NNA_IOCTL_DBG(drm, !vm))
			return -ENOENT;
	}
	size = args->size;
	ret = nna_bo_create(file, nna_file_user(file->driver_priv), vm, &size, args->flags,
			    &handle);
	nna_vm_put(vm);
	if (ret)
		return ret;
	args->size = size;
	args->handle = handle;
	return 0;
}

static int nna_ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_bo_mmap_offset *args = data;
	struct drm_gem_object *obj;
	int ret;

	if (NNA_IOCTL_DBG(drm, args->pad || args->offset))
		return -EINVAL;
	obj = drm_gem_object_lookup(file, args->handle);
	if (NNA_IOCTL_DBG(drm, !obj))
		return -ENOENT;
	if (NNA_IOCTL_DBG(drm, drm_gem_is_imported(obj) ||
			  (to_nna_bo(obj)->flags & DRM_NNA_BO_NO_MMAP))) {
		ret = -EPERM;
	} else {
		ret = drm_gem_create_mmap_offset(obj);
		if (!ret)
			args->offset = drm_vma_node_offset_addr(&obj->vma_node);
	}
	drm_gem_object_put(obj);
	return ret;
}

static int nna_ioctl_bo_sync(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_bo_sync *args = data;
	struct drm_nna_bo_sync_op *ops;
	int ret = 0, idx;
	u32 i;

	ops = nna_uobj_get_array(&args->ops, NNA_STRIDE(bo_sync_op, size), sizeof(*ops),
				 NNA_MAX_BO_SYNC_OPS);
	if (NNA_IOCTL_DBG(drm, IS_ERR(ops)))
		return PTR_ERR(ops);
	if (!drm_dev_enter(drm, &idx)) {
		kvfree(ops);
		return -ENODEV;
	}
	for (i = 0; i < args->ops.count && !ret; i++) {
		struct drm_gem_object *obj;

		if (NNA_IOCTL_DBG(drm, ops[i].type > DRM_NNA_BO_SYNC_TO_CPU)) {
			ret = -EINVAL;
			break;
		}
		obj = drm_gem_object_lookup(file, ops[i].handle);
		if (NNA_IOCTL_DBG(drm, !obj)) {
			ret = -ENOENT;
			break;
		}
		ret = nna_bo_sync(to_nna_bo(obj), ops[i].type == DRM_NNA_BO_SYNC_TO_DEVICE,
				  ops[i].offset, ops[i].size);
		drm_gem_object_put(obj);
	}
	drm_dev_exit(idx);
	kvfree(ops);
	return ret;
}

static int nna_ioctl_bo_set_label(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_bo_set_label *args = data;
	struct drm_gem_object *obj;
	char *label = NULL;

	if (NNA_IOCTL_DBG(drm, args->pad))
		return -EINVAL;
	obj = drm_gem_object_lookup(file, args->handle);
	if (NNA_IOCTL_DBG(drm, !obj))
		return -ENOENT;
	if (args->label) {
		label = strndup_user(u64_to_user_ptr(args->label), NNA_MAX_LABEL);
		if (NNA_IOCTL_DBG(drm, IS_ERR(label))) {
			drm_gem_object_put(obj);
			return PTR_ERR(label) == -EINVAL ? -E2BIG : PTR_ERR(label);
		}
	}
	nna_bo_set_label(to_nna_bo(obj), label);
	drm_gem_object_put(obj);
	return 0;
}

static int nna_ioctl_bo_madvise(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_bo_madvise *args = data;
	struct drm_gem_object *obj;
	bool retained = true;
	int ret = 0;

	if (NNA_IOCTL_DBG(drm, args->pad || args->retained || args->madv > DRM_NNA_MADV_DONTNEED))
		return -EINVAL;
	obj = drm_gem_object_lookup(file, args->handle);
	if (NNA_IOCTL_DBG(drm, !obj))
		return -ENOENT;
	/* The exporter owns the memory of an imported object. */
	if (NNA_IOCTL_DBG(drm, !nna_bo_may_write(to_nna_bo(obj), file)))
		ret = -EACCES;
	else if (!drm_gem_is_imported(obj))
		ret = nna_bo_advise(to_nna_bo(obj), args->madv == DRM_NNA_MADV_WILLNEED, &retained);
	drm_gem_object_put(obj);
	args->retained = retained;
	return ret;
}

static int nna_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nna_file *nfile = file->driver_priv;
	struct drm_nna_vm_create *args = data;
	struct nna_vm *vm;
	int ret, idx;
	u32 id;

	if (NNA_IOCTL_DBG(drm, args->flags || args->id))
		return -EINVAL;
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	vm = nna_vm_create(nna_file_user(nfile));
	drm_dev_exit(idx);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	ret = xa_alloc(&nfile->vms, &id, vm, XA_LIMIT(1, NNA_MAX_VMS), GFP_KERNEL);
	if (ret) {
		nna_vm_put(vm);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	args->id = id;
	return 0;
}

static int nna_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nna_file *nfile = file->driver_priv;
	struct drm_nna_vm_destroy *args = data;
	struct nna_vm *vm;

	if (NNA_IOCTL_DBG(drm, args->pad))
		return -EINVAL;
	vm = xa_erase(&nfile->vms, args->id);
	if (NNA_IOCTL_DBG(drm, !vm))
		return -ENOENT;
	nna_vm_put(vm);
	return 0;
}

static int nna_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_vm_bind *args = data;
	struct drm_nna_vm_bind_op *ops;
	struct nna_vm *vm;
	int ret = 0, idx;

	if (NNA_IOCTL_DBG(drm, args->flags || memchr_inv(&args->syncs, 0, sizeof(args->syncs))))
		return -EINVAL;
	vm = nna_file_get_vm(file->driver_priv, args->vm_id);
	if (NNA_IOCTL_DBG(drm, !vm))
		return -ENOENT;
	ops = nna_uobj_get_array(&args->ops, NNA_STRIDE(vm_bind_op, size), sizeof(*ops),
				 NNA_MAX_BIND_OPS);
	if (NNA_IOCTL_DBG(drm, IS_ERR(ops))) {
		ret = PTR_ERR(ops);
	} else if (!nna_ioctl_enter(drm, &idx)) {
		ret = -ENODEV;
		kvfree(ops);
	} else {
		if (args->ops.count)
			ret = nna_vm_bind(vm, file, ops, args->ops.count);
		drm_dev_exit(idx);
		kvfree(ops);
	}
	nna_vm_put(vm);
	return ret;
}

static int nna_ioctl_ctx_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nna_file *nfile = file->driver_priv;
	struct drm_nna_ctx_create *args = data;
	struct nna_ctx *ctx;
	struct nna_vm *vm;
	u32 id;
	int ret;

	if (NNA_IOCTL_DBG(drm, args->flags || args->id || args->priority >= NNA_JOB_RINGS))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, !nna_priority_permitted(args->priority)))
		return -EACCES;
	vm = nna_file_get_vm(nfile, args->vm_id);
	if (NNA_IOCTL_DBG(drm, !vm))
		return -ENOENT;
	nna_file_user(nfile);
	ctx = nna_ctx_create(nfile->nna, vm, nfile->usage, args->priority);
	nna_vm_put(vm);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	ret = xa_alloc(&nfile->ctxs, &id, ctx, XA_LIMIT(1, NNA_MAX_CTXS), GFP_KERNEL);
	if (ret) {
		nna_ctx_close(ctx);
		nna_ctx_put(ctx);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	args->id = id;
	return 0;
}

static int nna_ioctl_ctx_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nna_file *nfile = file->driver_priv;
	struct drm_nna_ctx_destroy *args = data;
	struct nna_ctx *ctx;

	if (NNA_IOCTL_DBG(drm, args->pad))
		return -EINVAL;
	ctx = xa_erase(&nfile->ctxs, args->id);
	if (NNA_IOCTL_DBG(drm, !ctx))
		return -ENOENT;
	nna_ctx_close(ctx);
	nna_ctx_put(ctx);
	return 0;
}

static int nna_ioctl_ctx_get_state(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_ctx_get_state *args = data;
	struct nna_ctx *ctx;

	if (NNA_IOCTL_DBG(drm, args->pad))
		return -EINVAL;
	ctx = nna_file_get_ctx(file->driver_priv, args->id);
	if (NNA_IOCTL_DBG(drm, !ctx))
		return -ENOENT;
	nna_ctx_get_state(ctx, args);
	nna_ctx_put(ctx);
	return 0;
}

static int nna_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_submit *args = data;
	struct drm_nna_sync inline_syncs[2 * NNA_INLINE_SYNCS], *syncs;
	struct nna_ctx *ctx;
	int ret, idx;

	ctx = nna_file_get_ctx(file->driver_priv, args->ctx_id);
	if (NNA_IOCTL_DBG(drm, !ctx))
		return -ENOENT;
	ret = nna_job_reserve(ctx, args);
	if (ret)
		goto out_ctx;
	syncs = nna_uobj_get_array_into(&args->syncs, NNA_STRIDE(sync, point), sizeof(*syncs),
					NNA_MAX_SYNCS, inline_syncs, ARRAY_SIZE(inline_syncs));
	if (NNA_IOCTL_DBG(drm, IS_ERR(syncs))) {
		ret = PTR_ERR(syncs);
		nna_ctx_give_quota(ctx);
		goto out_ctx;
	}
	if (nna_ioctl_enter(drm, &idx)) {
		ret = nna_job_submit(file, ctx, args, syncs, args->syncs.count);
		if (ret)
			drm_dbg_driver(drm, "submit: refused with error %d\n", ret);
		drm_dev_exit(idx);
	} else {
		ret = -ENODEV;
		nna_ctx_give_quota(ctx);
	}
	if (syncs != inline_syncs)
		kvfree(syncs);
out_ctx:
	nna_ctx_put(ctx);
	return ret;
}

static int nna_ioctl_file_set_user(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nna_file_set_user *args = data;
	struct nna_user_key key = {};
	kuid_t uid;
	int ret;

	if (NNA_IOCTL_DBG(drm, args->pad || args->type > DRM_NNA_USER_KEY))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, !capable(CAP_SYS_NICE)))
		return -EACCES;
	if (args->type == DRM_NNA_USER_UID) {
		uid = make_kuid(current_user_ns(), args->id);
		if (NNA_IOCTL_DBG(drm, args->id > U32_MAX || !uid_valid(uid)))
			return -EINVAL;
		key.uid = __kuid_val(uid);
	} else {
		key = nna_user_key_of(current_cred());
		key.is_key = true;
		key.key = args->id;
	}
	ret = nna_file_set_user(file->driver_priv, &key);
	NNA_IOCTL_DBG(drm, ret);
	return ret;
}

/* A client of an accel node may call all of them, and so may one of a render node. */
#define NNA_IOCTL(name, func) \
	DRM_IOCTL_DEF_DRV(NNA_##name, nna_ioctl_##func, DRM_RENDER_ALLOW)

const struct drm_ioctl_desc nna_ioctls[NNA_IOCTL_COUNT] = {
	NNA_IOCTL(DEV_QUERY, dev_query),
	NNA_IOCTL(BO_CREATE, bo_create),
	NNA_IOCTL(BO_MMAP_OFFSET, bo_mmap_offset),
	NNA_IOCTL(BO_SYNC, bo_sync),
	NNA_IOCTL(BO_SET_LABEL, bo_set_label),
	NNA_IOCTL(VM_CREATE, vm_create),
	NNA_IOCTL(VM_DESTROY, vm_destroy),
	NNA_IOCTL(VM_BIND, vm_bind),
	NNA_IOCTL(CTX_CREATE, ctx_create),
	NNA_IOCTL(CTX_DESTROY, ctx_destroy),
	NNA_IOCTL(CTX_GET_STATE, ctx_get_state),
	NNA_IOCTL(SUBMIT, submit),
	NNA_IOCTL(BO_MADVISE, bo_madvise),
	NNA_IOCTL(FILE_SET_USER, file_set_user),
};

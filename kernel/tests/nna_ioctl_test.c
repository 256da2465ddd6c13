// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every rule of every ioctl: a call with one wrong value is refused with the right error and has
 * changed nothing; the same call with a valid value succeeds.
 */

#include <linux/cred.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_syncobj.h>

#include "nna_fake.h"
#include "../nna_control.h"
#include "../nna_ctx.h"
#include "../nna_file.h"
#include "../nna_gem.h"
#include "../nna_ioctl.h"
#include "../nna_sync.h"
#include "../nna_user.h"
#include "../nna_vm.h"

#define NNA_TEST_UNKNOWN	4711u
#define NNA_TEST_BO_SIZE	0x10000u

/* The objects that exist before a call. */
struct nna_ioctl_test {
	struct nna_fake *fake;
	struct nna_vm *vm;
	u32 vm_id;
	u32 ctx_id;
	u32 bo;
	u32 in;
	u32 out;
	struct nna_ctx *ctx;
	struct drm_syncobj *in_syncobj;
	struct drm_syncobj *out_syncobj;
};

/* A call: its argument, and one element of its array if it has one. */
struct nna_call {
	unsigned int cmd;
	union {
		u8 bytes[256];
		struct drm_nna_dev_query dev_query;
		struct drm_nna_bo_create bo_create;
		struct drm_nna_bo_mmap_offset bo_mmap_offset;
		struct drm_nna_bo_sync bo_sync;
		struct drm_nna_bo_set_label bo_set_label;
		struct drm_nna_bo_madvise bo_madvise;
		struct drm_nna_vm_create vm_create;
		struct drm_nna_vm_destroy vm_destroy;
		struct drm_nna_vm_bind vm_bind;
		struct drm_nna_ctx_create ctx_create;
		struct drm_nna_ctx_destroy ctx_destroy;
		struct drm_nna_ctx_get_state ctx_get_state;
		struct drm_nna_submit submit;
		struct drm_nna_file_set_user file_set_user;
	} arg;
	union {
		u8 bytes[64];
		struct drm_nna_bo_sync_op bo_sync_op;
		struct drm_nna_vm_bind_op vm_bind_op;
		struct drm_nna_sync sync;
	} element;
	u32 element_size;
	struct drm_nna_obj_array *array;
};

struct nna_rule {
	const char *name;
	unsigned int nr;
	bool element;
	u32 offset;
	u32 size;
	u64 value;
	int error;
};

#define NNA_RULE(nr, type, field, value, error) { \
	#type "." #field " = " #value, DRM_NNA_##nr, false, \
	offsetof(struct drm_nna_##type, field), sizeof_field(struct drm_nna_##type, field), \
	value, error }
#define NNA_RULE_ELEMENT(nr, type, field, value, error) { \
	#type "." #field " = " #value, DRM_NNA_##nr, true, \
	offsetof(struct drm_nna_##type, field), sizeof_field(struct drm_nna_##type, field), \
	value, error }

/* Variants of a call with rules of their own; their numbers follow the ioctls. */
enum {
	DRM_NNA_VM_BIND_UNMAP = 0x100,
	DRM_NNA_SUBMIT_SIGNAL,
	DRM_NNA_SUBMIT_TIMELINE,
	DRM_NNA_SUBMIT_BARE,
};

static void nna_call_array(struct nna_call *call, struct drm_nna_obj_array *array, u32 size)
{
	array->stride = size;
	array->count = 1;
	call->array = array;
	call->element_size = size;
}

static void nna_call_submit(struct nna_ioctl_test *t, struct nna_call *call, unsigned int nr)
{
	struct drm_nna_sync *sync = &call->element.sync;

	call->cmd = DRM_IOCTL_NNA_SUBMIT;
	call->arg.submit = nna_fake_submit_args();
	call->arg.submit.ctx_id = t->ctx_id;
	call->arg.submit.profile_va = 0x400000;
	call->arg.submit.profile_size = 0x1000;
	if (nr == DRM_NNA_SUBMIT_BARE) {
		call->arg.submit.slot_count = 0;
		call->arg.submit.base_table_va = 0;
		call->arg.submit.profile_size = 0;
		call->arg.submit.profile_va = 0;
		return;
	}
	nna_call_array(call, &call->arg.submit.syncs, sizeof(*sync));
	sync->handle = t->in;
	if (nr == DRM_NNA_SUBMIT_SIGNAL) {
		sync->handle = t->out;
		sync->flags = DRM_NNA_SYNC_SIGNAL;
	} else if (nr == DRM_NNA_SUBMIT_TIMELINE) {
		sync->handle = t->out;
		sync->flags = DRM_NNA_SYNC_TYPE_TIMELINE | DRM_NNA_SYNC_SIGNAL;
		sync->point = 3;
	}
}

static void nna_call_bind(struct nna_ioctl_test *t, struct nna_call *call, unsigned int nr)
{
	call->cmd = DRM_IOCTL_NNA_VM_BIND;
	call->arg.vm_bind.vm_id = t->vm_id;
	nna_call_array(call, &call->arg.vm_bind.ops, sizeof(call->element.vm_bind_op));
	call->element.vm_bind_op.va = 0x400000;
	call->element.vm_bind_op.size = NNA_TEST_BO_SIZE / 2;
	if (nr == DRM_NNA_VM_BIND_UNMAP)
		call->element.vm_bind_op.type = DRM_NNA_VM_BIND_OP_UNMAP;
	else
		call->element.vm_bind_op.bo_handle = t->bo;
}

/* Fills in a valid call. */
static void nna_call_make(struct nna_ioctl_test *t, struct nna_call *call, unsigned int nr)
{
	memset(call, 0, sizeof(*call));
	switch (nr) {
	case DRM_NNA_DEV_QUERY:
		call->cmd = DRM_IOCTL_NNA_DEV_QUERY;
		call->arg.dev_query.size = 512;
		call->arg.dev_query.pointer = (unsigned long)nna_fake_user(t->fake, NULL, 512);
		break;
	case DRM_NNA_BO_CREATE:
		call->cmd = DRM_IOCTL_NNA_BO_CREATE;
		call->arg.bo_create.size = 12345;
		call->arg.bo_create.vm_id = t->vm_id;
		break;
	case DRM_NNA_BO_MMAP_OFFSET:
		call->cmd = DRM_IOCTL_NNA_BO_MMAP_OFFSET;
		call->arg.bo_mmap_offset.handle = t->bo;
		break;
	case DRM_NNA_BO_SYNC:
		call->cmd = DRM_IOCTL_NNA_BO_SYNC;
		nna_call_array(call, &call->arg.bo_sync.ops, sizeof(call->element.bo_sync_op));
		call->element.bo_sync_op.handle = t->bo;
		call->element.bo_sync_op.offset = 0x1000;
		call->element.bo_sync_op.size = NNA_TEST_BO_SIZE - 0x1000;
		break;
	case DRM_NNA_BO_SET_LABEL:
		call->cmd = DRM_IOCTL_NNA_BO_SET_LABEL;
		call->arg.bo_set_label.handle = t->bo;
		call->arg.bo_set_label.label = (unsigned long)nna_fake_user(t->fake, "label", 6);
		break;
	case DRM_NNA_BO_MADVISE:
		call->cmd = DRM_IOCTL_NNA_BO_MADVISE;
		call->arg.bo_madvise.handle = t->bo;
		break;
	case DRM_NNA_FILE_SET_USER:
		call->cmd = DRM_IOCTL_NNA_FILE_SET_USER;
		break;
	case DRM_NNA_VM_CREATE:
		call->cmd = DRM_IOCTL_NNA_VM_CREATE;
		break;
	case DRM_NNA_VM_DESTROY:
		call->cmd = DRM_IOCTL_NNA_VM_DESTROY;
		call->arg.vm_destroy.id = t->vm_id;
		break;
	case DRM_NNA_VM_BIND:
	case DRM_NNA_VM_BIND_UNMAP:
		nna_call_bind(t, call, nr);
		break;
	case DRM_NNA_CTX_CREATE:
		call->cmd = DRM_IOCTL_NNA_CTX_CREATE;
		call->arg.ctx_create.vm_id = t->vm_id;
		call->arg.ctx_create.priority = DRM_NNA_CTX_PRIORITY_REALTIME;
		break;
	case DRM_NNA_CTX_DESTROY:
		call->cmd = DRM_IOCTL_NNA_CTX_DESTROY;
		call->arg.ctx_destroy.id = t->ctx_id;
		break;
	case DRM_NNA_CTX_GET_STATE:
		call->cmd = DRM_IOCTL_NNA_CTX_GET_STATE;
		call->arg.ctx_get_state.id = t->ctx_id;
		break;
	default:
		nna_call_submit(t, call, nr);
	}
}

static void nna_call_put_element(struct nna_ioctl_test *t, struct nna_call *call)
{
	if (call->array)
		call->array->array = (unsigned long)nna_fake_user(t->fake, call->element.bytes,
								  call->element_size);
}

static int nna_call_do(struct nna_ioctl_test *t, struct nna_call *call)
{
	return nna_fake_ioctl(t->fake, call->cmd, &call->arg);
}

/* State that a refused call might have changed. */
struct nna_snapshot {
	unsigned int vms;
	unsigned int ctxs;
	unsigned int handles;
	unsigned int mappings;
	unsigned int tables;
	unsigned int vm_users;
	unsigned int vm_refs;
	unsigned int ctx_refs;
	unsigned int bo_refs;
	unsigned int in_refs;
	unsigned int out_refs;
	int jobs;
	struct dma_fence *fence;
	char *label;
};

static int nna_count_handle(int id, void *p, void *data)
{
	++*(unsigned int *)data;
	return 0;
}

static void nna_snapshot_take(struct nna_ioctl_test *t, struct nna_snapshot *s)
{
	struct nna_file *nfile = t->fake->file->driver_priv;
	struct drm_gem_object *obj = drm_gem_object_lookup(t->fake->file, t->bo);
	struct drm_gpuva *va;
	unsigned long id;
	void *entry;

	memset(s, 0, sizeof(*s));
	xa_for_each(&nfile->vms, id, entry)
		s->vms++;
	xa_for_each(&nfile->ctxs, id, entry)
		s->ctxs++;
	idr_for_each(&t->fake->file->object_idr, nna_count_handle, &s->handles);
	drm_gpuvm_for_each_va(va, &t->vm->base)
		s->mappings++;
	s->tables = t->vm->pgt.tables;
	s->vm_users = kref_read(&t->vm->users);
	s->vm_refs = kref_read(&t->vm->base.kref);
	s->ctx_refs = kref_read(&t->ctx->refs);
	s->in_refs = kref_read(&t->in_syncobj->refcount);
	s->out_refs = kref_read(&t->out_syncobj->refcount);
	s->jobs = atomic_read(&t->fake->nna->job_count);
	s->fence = rcu_access_pointer(t->out_syncobj->fence);
	if (obj) {
		s->bo_refs = kref_read(&obj->refcount);
		s->label = to_nna_bo(obj)->label;
		drm_gem_object_put(obj);
	}
}

static struct nna_ioctl_test *nna_ioctl_test(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_ioctl_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct dma_fence *stub = dma_fence_get_stub();

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->fake = fake;
	t->vm = nna_fake_vm(fake, &t->vm_id);
	t->ctx = nna_fake_ctx(fake, t->vm_id, DRM_NNA_CTX_PRIORITY_MEDIUM, &t->ctx_id);
	t->bo = nna_fake_bo(fake, NNA_TEST_BO_SIZE, 0);
	t->in_syncobj = nna_fake_syncobj(fake, &t->in);
	drm_syncobj_replace_fence(t->in_syncobj, stub);
	dma_fence_put(stub);
	t->out_syncobj = nna_fake_syncobj(fake, &t->out);
	return t;
}

static const struct nna_rule nna_rules[] = {
	NNA_RULE(DEV_QUERY, dev_query, type, 5, -EINVAL),
	NNA_RULE(DEV_QUERY, dev_query, type, U32_MAX, -EINVAL),
	NNA_RULE(DEV_QUERY, dev_query, pointer, 8, -EFAULT),
	NNA_RULE(BO_CREATE, bo_create, size, 0, -EINVAL),
	NNA_RULE(BO_CREATE, bo_create, size, NNA_MAX_BO_SIZE + 1, -EINVAL),
	NNA_RULE(BO_CREATE, bo_create, size, U64_MAX, -EINVAL),
	NNA_RULE(BO_CREATE, bo_create, flags, DRM_NNA_BO_FLAGS + 1, -EINVAL),
	NNA_RULE(BO_CREATE, bo_create, flags, BIT(31), -EINVAL),
	NNA_RULE(BO_CREATE, bo_create, vm_id, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(BO_CREATE, bo_create, handle, 1, -EINVAL),
	NNA_RULE(BO_CREATE, bo_create, pad, 1, -EINVAL),
	NNA_RULE(BO_MMAP_OFFSET, bo_mmap_offset, handle, 0, -ENOENT),
	NNA_RULE(BO_MMAP_OFFSET, bo_mmap_offset, handle, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(BO_MMAP_OFFSET, bo_mmap_offset, pad, 1, -EINVAL),
	NNA_RULE(BO_MMAP_OFFSET, bo_mmap_offset, offset, 4096, -EINVAL),
	NNA_RULE(BO_SYNC, bo_sync, ops.stride, 23, -EINVAL),
	NNA_RULE(BO_SYNC, bo_sync, ops.count, NNA_MAX_BO_SYNC_OPS + 1, -E2BIG),
	NNA_RULE(BO_SYNC, bo_sync, ops.array, 0, -EFAULT),
	NNA_RULE_ELEMENT(BO_SYNC, bo_sync_op, handle, 0, -ENOENT),
	NNA_RULE_ELEMENT(BO_SYNC, bo_sync_op, handle, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE_ELEMENT(BO_SYNC, bo_sync_op, type, 2, -EINVAL),
	NNA_RULE_ELEMENT(BO_SYNC, bo_sync_op, offset, 0x1001, -EINVAL),
	NNA_RULE_ELEMENT(BO_SYNC, bo_sync_op, offset, U64_MAX, -EINVAL),
	NNA_RULE_ELEMENT(BO_SYNC, bo_sync_op, size, NNA_TEST_BO_SIZE, -EINVAL),
	NNA_RULE_ELEMENT(BO_SYNC, bo_sync_op, size, U64_MAX, -EINVAL),
	NNA_RULE(BO_SET_LABEL, bo_set_label, handle, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(BO_SET_LABEL, bo_set_label, pad, 1, -EINVAL),
	NNA_RULE(BO_SET_LABEL, bo_set_label, label, 8, -EFAULT),
	NNA_RULE(BO_MADVISE, bo_madvise, handle, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(BO_MADVISE, bo_madvise, madv, 2, -EINVAL),
	NNA_RULE(BO_MADVISE, bo_madvise, retained, 1, -EINVAL),
	NNA_RULE(BO_MADVISE, bo_madvise, pad, 1, -EINVAL),
	NNA_RULE(VM_CREATE, vm_create, flags, 1, -EINVAL),
	NNA_RULE(VM_CREATE, vm_create, id, 1, -EINVAL),
	NNA_RULE(VM_DESTROY, vm_destroy, id, 0, -ENOENT),
	NNA_RULE(VM_DESTROY, vm_destroy, id, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(VM_DESTROY, vm_destroy, pad, 1, -EINVAL),
	NNA_RULE(VM_BIND, vm_bind, vm_id, 0, -ENOENT),
	NNA_RULE(VM_BIND, vm_bind, vm_id, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(VM_BIND, vm_bind, flags, 1, -EINVAL),
	NNA_RULE(VM_BIND, vm_bind, ops.stride, 39, -EINVAL),
	NNA_RULE(VM_BIND, vm_bind, ops.count, NNA_MAX_BIND_OPS + 1, -E2BIG),
	NNA_RULE(VM_BIND, vm_bind, ops.array, 8, -EFAULT),
	NNA_RULE(VM_BIND, vm_bind, syncs.stride, 16, -EINVAL),
	NNA_RULE(VM_BIND, vm_bind, syncs.count, 1, -EINVAL),
	NNA_RULE(VM_BIND, vm_bind, syncs.array, 8, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, type, 2, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, flags, BIT(1), -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, flags, BIT(31), -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, bo_handle, 0, -ENOENT),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, bo_handle, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, pad, 1, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, bo_offset, 0x800, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, bo_offset, NNA_TEST_BO_SIZE / 2 + 0x1000, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, bo_offset, -0x1000ull, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, va, 0, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, va, NNA_VA_START - 0x1000, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, va, 0x400010, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, va, NNA_VA_END - 0x1000, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, va, -0x1000ull, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, size, 0, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, size, 0x800, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, size, NNA_TEST_BO_SIZE + 0x1000, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND, vm_bind_op, size, -0x1000ull, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND_UNMAP, vm_bind_op, flags, 1, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND_UNMAP, vm_bind_op, bo_handle, 1, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND_UNMAP, vm_bind_op, pad, 1, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND_UNMAP, vm_bind_op, bo_offset, 0x1000, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND_UNMAP, vm_bind_op, va, 0, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND_UNMAP, vm_bind_op, size, 0, -EINVAL),
	NNA_RULE_ELEMENT(VM_BIND_UNMAP, vm_bind_op, size, NNA_VA_END, -EINVAL),
	NNA_RULE(CTX_CREATE, ctx_create, vm_id, 0, -ENOENT),
	NNA_RULE(CTX_CREATE, ctx_create, vm_id, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(CTX_CREATE, ctx_create, flags, 1, -EINVAL),
	NNA_RULE(CTX_CREATE, ctx_create, priority, 4, -EINVAL),
	NNA_RULE(CTX_CREATE, ctx_create, priority, U32_MAX, -EINVAL),
	NNA_RULE(CTX_CREATE, ctx_create, id, 1, -EINVAL),
	NNA_RULE(CTX_DESTROY, ctx_destroy, id, 0, -ENOENT),
	NNA_RULE(CTX_DESTROY, ctx_destroy, id, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(CTX_DESTROY, ctx_destroy, pad, 1, -EINVAL),
	NNA_RULE(CTX_GET_STATE, ctx_get_state, id, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(CTX_GET_STATE, ctx_get_state, pad, 1, -EINVAL),
	NNA_RULE(SUBMIT, submit, ctx_id, 0, -ENOENT),
	NNA_RULE(SUBMIT, submit, ctx_id, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE(SUBMIT, submit, flags, DRM_NNA_SUBMIT_FLAGS + 1, -EINVAL),
	NNA_RULE(SUBMIT, submit, flags, BIT(31), -EINVAL),
	NNA_RULE(SUBMIT, submit, stream_va, 0, -EINVAL),
	NNA_RULE(SUBMIT, submit, stream_va, 0x100020, -EINVAL),
	NNA_RULE(SUBMIT, submit, stream_va, NNA_VA_END - 64, -EINVAL),
	NNA_RULE(SUBMIT, submit, stream_va, -64ull, -EINVAL),
	NNA_RULE(SUBMIT, submit, stream_size, 0, -EINVAL),
	NNA_RULE(SUBMIT, submit, stream_size, 32, -EINVAL),
	NNA_RULE(SUBMIT, submit, stream_size, NNA_MAX_STREAM_SIZE + 64, -EINVAL),
	NNA_RULE(SUBMIT, submit, start, 32, -EINVAL),
	NNA_RULE(SUBMIT, submit, start, 0x1000, -EINVAL),
	NNA_RULE(SUBMIT, submit, base_table_va, 0, -EINVAL),
	NNA_RULE(SUBMIT, submit, base_table_va, 0x200008, -EINVAL),
	NNA_RULE(SUBMIT, submit, base_table_va, NNA_VA_END - 16, -EINVAL),
	NNA_RULE(SUBMIT, submit, slot_count, 0, -EINVAL),
	NNA_RULE(SUBMIT, submit, slot_count, NNA_MAX_SLOTS + 1, -EINVAL),
	NNA_RULE(SUBMIT, submit, report_va, 64, -EINVAL),
	NNA_RULE(SUBMIT, submit, report_va, 0x300020, -EINVAL),
	NNA_RULE(SUBMIT, submit, report_va, NNA_VA_END - 64, -EINVAL),
	NNA_RULE(SUBMIT, submit, profile_va, 0, -EINVAL),
	NNA_RULE(SUBMIT, submit, profile_va, 64, -EINVAL),
	NNA_RULE(SUBMIT, submit, profile_va, 0x400020, -EINVAL),
	NNA_RULE(SUBMIT, submit, profile_va, NNA_VA_END - 64, -EINVAL),
	NNA_RULE(SUBMIT, submit, profile_va, -64ull, -EINVAL),
	NNA_RULE(SUBMIT, submit, profile_size, 0, -EINVAL),
	NNA_RULE(SUBMIT, submit, profile_size, 63, -EINVAL),
	NNA_RULE(SUBMIT_BARE, submit, profile_va, 0x400000, -EINVAL),
	NNA_RULE(SUBMIT_BARE, submit, profile_size, 64, -EINVAL),
	NNA_RULE(SUBMIT_BARE, submit, base_table_va, 0x200000, -EINVAL),
	NNA_RULE(SUBMIT, submit, syncs.stride, 15, -EINVAL),
	NNA_RULE(SUBMIT, submit, syncs.count, NNA_MAX_SYNCS + 1, -E2BIG),
	NNA_RULE(SUBMIT, submit, syncs.array, 8, -EFAULT),
	NNA_RULE_ELEMENT(SUBMIT, sync, handle, 0, -ENOENT),
	NNA_RULE_ELEMENT(SUBMIT, sync, handle, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE_ELEMENT(SUBMIT, sync, flags, 2, -EINVAL),
	NNA_RULE_ELEMENT(SUBMIT, sync, flags, BIT(8), -EINVAL),
	NNA_RULE_ELEMENT(SUBMIT, sync, flags, BIT(30), -EINVAL),
	NNA_RULE_ELEMENT(SUBMIT, sync, flags, DRM_NNA_SYNC_TYPE_TIMELINE, -EINVAL),
	NNA_RULE_ELEMENT(SUBMIT, sync, point, 1, -EINVAL),
	NNA_RULE_ELEMENT(SUBMIT_SIGNAL, sync, handle, NNA_TEST_UNKNOWN, -ENOENT),
	NNA_RULE_ELEMENT(SUBMIT_SIGNAL, sync, point, 1, -EINVAL),
	/* It waits for a syncobj that has no fence yet. */
	NNA_RULE_ELEMENT(SUBMIT_SIGNAL, sync, flags, 0, -EINVAL),
	NNA_RULE_ELEMENT(SUBMIT_TIMELINE, sync, point, 0, -EINVAL),
	NNA_RULE_ELEMENT(SUBMIT_TIMELINE, sync, flags, DRM_NNA_SYNC_TYPE_TIMELINE, -EINVAL),
};

/* Name of a rule: with the name of the call, since calls have fields of the same name. */
static void nna_rule_desc(const struct nna_rule *rule, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s%s",
		 rule->nr == DRM_NNA_VM_BIND_UNMAP ? "unmap: " :
		 rule->nr == DRM_NNA_SUBMIT_SIGNAL ? "signal: " :
		 rule->nr == DRM_NNA_SUBMIT_TIMELINE ? "timeline: " : "", rule->name);
}
KUNIT_ARRAY_PARAM(nna_rule, nna_rules, nna_rule_desc);

static void nna_ioctl_rule(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	const struct nna_rule *rule = test->param_value;
	struct nna_snapshot before, after;
	struct nna_call call;

	nna_call_make(t, &call, rule->nr);
	if (rule->element)
		memcpy(call.element.bytes + rule->offset, &rule->value, rule->size);
	nna_call_put_element(t, &call);
	if (!rule->element)
		memcpy(call.arg.bytes + rule->offset, &rule->value, rule->size);
	nna_snapshot_take(t, &before);
	KUNIT_EXPECT_EQ(test, rule->error, nna_call_do(t, &call));
	nna_snapshot_take(t, &after);
	KUNIT_EXPECT_MEMEQ(test, &before, &after, sizeof(before));

	nna_call_make(t, &call, rule->nr);
	nna_call_put_element(t, &call);
	KUNIT_EXPECT_EQ(test, 0, nna_call_do(t, &call));
}

static const unsigned int nna_numbers[] = {
	DRM_NNA_DEV_QUERY, DRM_NNA_BO_CREATE, DRM_NNA_BO_MMAP_OFFSET, DRM_NNA_BO_SYNC,
	DRM_NNA_BO_SET_LABEL, DRM_NNA_VM_CREATE, DRM_NNA_VM_DESTROY, DRM_NNA_VM_BIND,
	DRM_NNA_CTX_CREATE, DRM_NNA_CTX_DESTROY, DRM_NNA_CTX_GET_STATE, DRM_NNA_SUBMIT,
	DRM_NNA_BO_MADVISE, DRM_NNA_FILE_SET_USER,
};

static void nna_number_desc(const unsigned int *nr, char *desc)
{
	strscpy(desc, nna_ioctls[*nr].name, KUNIT_PARAM_DESC_SIZE);
}
KUNIT_ARRAY_PARAM(nna_number, nna_numbers, nna_number_desc);

static void nna_ioctl_unplugged(struct kunit *test)
{
	unsigned int nr = *(const unsigned int *)test->param_value;
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct nna_call call;

	nna_call_make(t, &call, nr);
	nna_call_put_element(t, &call);
	nna_fake_unbind(t->fake);
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_call_do(t, &call));
}

/* Those that use the device, when DRM has let them through before the driver is unbound. */
static const unsigned int nna_device_numbers[] = {
	DRM_NNA_DEV_QUERY, DRM_NNA_BO_SYNC, DRM_NNA_VM_CREATE, DRM_NNA_VM_BIND, DRM_NNA_SUBMIT,
};
KUNIT_ARRAY_PARAM(nna_device_number, nna_device_numbers, nna_number_desc);

static void nna_ioctl_unplugged_meanwhile(struct kunit *test)
{
	unsigned int nr = *(const unsigned int *)test->param_value;
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct drm_device *drm = &t->fake->nna->drm;
	struct nna_call call;

	nna_call_make(t, &call, nr);
	nna_call_put_element(t, &call);
	nna_fake_unbind(t->fake);
	/* The open file keeps the DRM device. */
	KUNIT_EXPECT_EQ(test, -ENODEV, nna_ioctls[nr].func(drm, &call.arg, t->fake->file));
}

static void nna_ioctl_bad_argument(struct kunit *test)
{
	unsigned int nr = *(const unsigned int *)test->param_value;
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct nna_snapshot before, after;
	struct nna_call call;

	nna_call_make(t, &call, nr);
	nna_snapshot_take(t, &before);
	KUNIT_EXPECT_EQ(test, -EFAULT,
			drm_ioctl(t->fake->filp, call.cmd,
				  (unsigned long)nna_fake_user_end(t->fake) - 4));
	nna_snapshot_take(t, &after);
	KUNIT_EXPECT_MEMEQ(test, &before, &after, sizeof(before));
}

static const u32 nna_queries[] = {
	sizeof(struct drm_nna_hw_info), sizeof(struct drm_nna_sched_info),
	sizeof(struct drm_nna_timestamp), sizeof(struct drm_nna_counters),
	sizeof(struct drm_nna_file_counters),
};

static void nna_query_desc(const u32 *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "type %zu", size - nna_queries);
}
KUNIT_ARRAY_PARAM(nna_query, nna_queries, nna_query_desc);

static void nna_ioctl_query_sizes(struct kunit *test)
{
	const u32 *known = test->param_value;
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_dev_query query = { .type = known - nna_queries };
	u8 *answer = kunit_kzalloc(test, 1024, GFP_KERNEL);
	u32 size, i, others = 0;

	KUNIT_ASSERT_NOT_NULL(test, answer);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &query));
	KUNIT_EXPECT_EQ(test, *known, query.size);
	for (size = 4; size <= 512; size *= 8) {
		memset(answer, 0xa5, 1024);
		query.size = size;
		query.pointer = (unsigned long)nna_fake_user(fake, answer, 1024);
		KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &query));
		KUNIT_EXPECT_EQ(test, *known, query.size);
		KUNIT_ASSERT_EQ(test, 0,
				copy_from_user(answer, u64_to_user_ptr(query.pointer), 1024));
		for (i = 0; i < 1024; i++) {
			if (i >= size)
				KUNIT_EXPECT_EQ(test, 0xa5, answer[i]);
			else if (i >= *known)
				KUNIT_EXPECT_EQ(test, 0, answer[i]);
			else
				others += answer[i] != 0xa5;
		}
	}
	KUNIT_EXPECT_GT(test, others, 0u);
}

static void nna_ioctl_get_hw_info(struct kunit *test, struct drm_nna_hw_info *info)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_dev_query query = {
		.type = DRM_NNA_DEV_QUERY_HW_INFO, .size = sizeof(*info),
		.pointer = (unsigned long)nna_fake_user(fake, NULL, sizeof(*info)),
	};

	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &query));
	KUNIT_ASSERT_EQ(test, 0,
			copy_from_user(info, u64_to_user_ptr(query.pointer), sizeof(*info)));
}

static u32 nna_ioctl_hw_flags(struct kunit *test)
{
	struct drm_nna_hw_info info = {};

	nna_ioctl_get_hw_info(test, &info);
	return info.flags;
}

static void nna_ioctl_hw_info(struct kunit *test)
{
	struct drm_nna_hw_info info = {};

	nna_ioctl_get_hw_info(test, &info);
	KUNIT_EXPECT_EQ(test, NNA_ABI_MAJOR, info.abi_major);
	KUNIT_EXPECT_EQ(test, NNA_JOB_RINGS, info.job_rings);
	KUNIT_EXPECT_EQ(test, NNA_RING_SIZE, info.ring_size);
	KUNIT_EXPECT_EQ(test, NNA_VA_START, info.va_start);
	KUNIT_EXPECT_EQ(test, NNA_VA_END, info.va_end);
	KUNIT_EXPECT_EQ(test, SZ_4K | SZ_2M, info.page_sizes);
	KUNIT_EXPECT_EQ(test, NNA_JOB_LIMIT_NS, info.job_limit_ns);
	KUNIT_EXPECT_EQ(test, NNA_MAX_SYNCS, info.max_syncs);
	KUNIT_EXPECT_EQ(test, NNA_MAX_BIND_OPS, info.max_bind_ops);
	KUNIT_EXPECT_EQ(test, NNA_MAX_VMS, info.max_vms);
	KUNIT_EXPECT_EQ(test, NNA_MAX_CTXS, info.max_ctxs);
	KUNIT_EXPECT_EQ(test, NNA_FAKE_WORK_RATE, info.work_rate);
}

static int nna_ioctl_submit_profile(struct nna_ioctl_test *t, u64 va, u32 size)
{
	struct nna_call call;

	nna_call_make(t, &call, DRM_NNA_SUBMIT);
	nna_call_put_element(t, &call);
	call.arg.submit.profile_va = va;
	call.arg.submit.profile_size = size;
	return nna_call_do(t, &call);
}

/* Checks the profile of the last submitted job. */
static void nna_ioctl_expect_profile(struct nna_ioctl_test *t, u64 va, u32 size)
{
	struct kunit *test = t->fake->test;
	struct nna_ring_entry entry;

	nna_fake_settle(t->fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(t->fake, DRM_NNA_CTX_PRIORITY_MEDIUM, &entry));
	KUNIT_EXPECT_EQ(test, va, le64_to_cpu(entry.profile));
	KUNIT_EXPECT_EQ(test, size, le64_to_cpu(entry.profile_size));
	nna_fake_complete(t->fake, DRM_NNA_CTX_PRIORITY_MEDIUM, NNA_STATUS_OK, 0);
}

static void nna_ioctl_profiles_before_their_version(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct nna_device *nna = t->fake->nna;

	nna->hw.abi_minor = NNA_PROFILE_ABI_MINOR - 1;
	KUNIT_EXPECT_EQ(test, 0, nna_ioctl_hw_flags(test) & DRM_NNA_HW_PROFILES);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, nna_ioctl_submit_profile(t, 0x400000, 0x1000));
	/* What is malformed is so on any device. */
	KUNIT_EXPECT_EQ(test, -EINVAL, nna_ioctl_submit_profile(t, 0x400020, 0x1000));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nna->job_count));
	KUNIT_EXPECT_EQ(test, 0, nna_ioctl_submit_profile(t, 0, 0));
	nna_ioctl_expect_profile(t, 0, 0);
}

static void nna_ioctl_profiles_of_their_version(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);

	t->fake->nna->hw.abi_minor = NNA_PROFILE_ABI_MINOR;
	KUNIT_EXPECT_EQ(test, DRM_NNA_HW_PROFILES, nna_ioctl_hw_flags(test) & DRM_NNA_HW_PROFILES);
	KUNIT_EXPECT_EQ(test, 0, nna_ioctl_submit_profile(t, 0x400000, 0x1000));
	nna_ioctl_expect_profile(t, 0x400000, 0x1000);
	KUNIT_EXPECT_EQ(test, 0, nna_ioctl_submit_profile(t, 0, 0));
	nna_ioctl_expect_profile(t, 0, 0);
}

/* A slice needs a device that knows it; the entry then has its flag. */
static void nna_ioctl_slices(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct nna_call *call = kunit_kzalloc(test, sizeof(*call), GFP_KERNEL);
	struct nna_ring_entry entry;

	KUNIT_ASSERT_NOT_NULL(test, call);
	KUNIT_EXPECT_EQ(test, DRM_NNA_HW_SLICES, nna_ioctl_hw_flags(test) & DRM_NNA_HW_SLICES);
	nna_call_make(t, call, DRM_NNA_SUBMIT);
	nna_call_put_element(t, call);
	call->arg.submit.flags = DRM_NNA_SUBMIT_SLICE;
	KUNIT_EXPECT_EQ(test, 0, nna_call_do(t, call));
	nna_fake_settle(t->fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(t->fake, DRM_NNA_CTX_PRIORITY_MEDIUM, &entry));
	KUNIT_EXPECT_EQ(test, NNA_ENTRY_FLAG_SLICE, le32_to_cpu(entry.flags));
	nna_fake_complete(t->fake, DRM_NNA_CTX_PRIORITY_MEDIUM, NNA_STATUS_OK, 0);
	t->fake->nna->hw.abi_minor = NNA_SLICE_ABI_MINOR - 1;
	KUNIT_EXPECT_EQ(test, 0, nna_ioctl_hw_flags(test) & DRM_NNA_HW_SLICES);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, nna_call_do(t, call));
}

static void nna_ioctl_bo_rounds_up(struct kunit *test)
{
	struct drm_nna_bo_create create = { .size = 4097 };

	KUNIT_ASSERT_EQ(test, 0,
			nna_fake_ioctl(to_nna_fake(test), DRM_IOCTL_NNA_BO_CREATE, &create));
	KUNIT_EXPECT_EQ(test, (u64)PAGE_ALIGN(4097), create.size);
	KUNIT_EXPECT_NE(test, 0u, create.handle);
}

static void nna_ioctl_no_mmap(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_bo_create create = { .size = 4096, .flags = DRM_NNA_BO_NO_MMAP };
	struct drm_nna_bo_mmap_offset offset = {};

	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_BO_CREATE, &create));
	offset.handle = create.handle;
	KUNIT_EXPECT_EQ(test, -EPERM, nna_fake_ioctl(fake, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &offset));
	KUNIT_EXPECT_EQ(test, 0ull, offset.offset);
}

static void nna_ioctl_label_length(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct drm_nna_bo_set_label arg = { .handle = t->bo };
	struct drm_gem_object *obj = drm_gem_object_lookup(t->fake->file, t->bo);
	char label[NNA_MAX_LABEL + 1];

	memset(label, 'x', sizeof(label));
	label[NNA_MAX_LABEL] = 0;
	arg.label = (unsigned long)nna_fake_user(t->fake, label, sizeof(label));
	KUNIT_EXPECT_EQ(test, -E2BIG, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_BO_SET_LABEL, &arg));
	KUNIT_EXPECT_NULL(test, to_nna_bo(obj)->label);
	label[NNA_MAX_LABEL - 1] = 0;
	arg.label = (unsigned long)nna_fake_user(t->fake, label, sizeof(label));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_BO_SET_LABEL, &arg));
	KUNIT_EXPECT_STREQ(test, label, to_nna_bo(obj)->label);
	arg.label = 0;
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_BO_SET_LABEL, &arg));
	KUNIT_EXPECT_NULL(test, to_nna_bo(obj)->label);
	drm_gem_object_put(obj);
}

static void nna_ioctl_vm_limit(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_vm_destroy destroy = {};
	struct drm_nna_vm_create create;
	u32 id, i;

	for (i = 0; i < NNA_MAX_VMS; i++)
		nna_fake_vm(fake, &id);
	create = (struct drm_nna_vm_create) {};
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_fake_ioctl(fake, DRM_IOCTL_NNA_VM_CREATE, &create));
	KUNIT_EXPECT_EQ(test, 0u, create.id);
	destroy.id = id;
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_VM_DESTROY, &destroy));
	KUNIT_EXPECT_EQ(test, -ENOENT, nna_fake_ioctl(fake, DRM_IOCTL_NNA_VM_DESTROY, &destroy));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_VM_CREATE, &create));
}

static void nna_ioctl_ctx_limit(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct drm_nna_ctx_create create = { .vm_id = t->vm_id };
	struct drm_nna_ctx_destroy destroy = {};
	u32 i;

	/* One context exists already. */
	for (i = 1; i < NNA_MAX_CTXS; i++)
		nna_fake_ctx(t->fake, t->vm_id, i % NNA_JOB_RINGS, &destroy.id);
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_CTX_CREATE, &create));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_CTX_DESTROY, &destroy));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_CTX_DESTROY, &destroy));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_CTX_CREATE, &create));
}

/* Runs without CAP_SYS_NICE. */
static int nna_ioctl_set_user(struct kunit *test, struct drm_nna_file_set_user args)
{
	return nna_fake_ioctl(to_nna_fake(test), DRM_IOCTL_NNA_FILE_SET_USER, &args);
}

/* The user of a fresh file, without making it belong to this user. */
static struct nna_user_key nna_ioctl_user(struct kunit *test)
{
	struct nna_file *nfile = to_nna_fake(test)->file->driver_priv;

	return nfile->usage->user->key;
}

static void nna_ioctl_user_is_checked(struct kunit *test)
{
	static const struct drm_nna_file_set_user bad[] = {
		{ .type = DRM_NNA_USER_KEY + 1 },
		{ .pad = 1 },
		/* No uid, and a number that is one in its lower half only. */
		{ .id = U32_MAX },
		{ .id = (1ull << 32) + 1000 },
	};
	const struct drm_nna_file_set_user good = { .id = 1000 };
	struct cred *cred = prepare_creds();
	const struct cred *old;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, nna_ioctl_set_user(test, bad[i]), "%u", i);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	KUNIT_EXPECT_EQ(test, -EACCES, nna_ioctl_set_user(test, good));
	revert_creds(old);
	put_cred(cred);
	KUNIT_EXPECT_EQ(test, 0u, nna_ioctl_user(test).uid);
	KUNIT_EXPECT_EQ(test, 0, nna_ioctl_set_user(test, good));
	KUNIT_EXPECT_EQ(test, 1000u, nna_ioctl_user(test).uid);
	KUNIT_EXPECT_FALSE(test, nna_ioctl_user(test).is_key);
	KUNIT_EXPECT_EQ(test, -EBUSY, nna_ioctl_set_user(test, good));
}

static void nna_ioctl_user_key(struct kunit *test)
{
	const struct drm_nna_file_set_user key = { .type = DRM_NNA_USER_KEY, .id = U64_MAX };

	KUNIT_EXPECT_EQ(test, 0, nna_ioctl_set_user(test, key));
	KUNIT_EXPECT_EQ(test, 0u, nna_ioctl_user(test).uid);
	KUNIT_EXPECT_TRUE(test, nna_ioctl_user(test).is_key);
	KUNIT_EXPECT_EQ(test, U64_MAX, nna_ioctl_user(test).key);
}

/* What has been charged to a user stays charged to this one. */
static void nna_ioctl_user_too_late(struct kunit *test)
{
	const struct drm_nna_file_set_user user = { .id = 1000 };
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_vm_create vm = {};

	nna_fake_bo(fake, PAGE_SIZE, 0);
	KUNIT_EXPECT_EQ(test, -EBUSY, nna_ioctl_set_user(test, user));
	nna_fake_close(fake);
	KUNIT_ASSERT_EQ(test, 0, nna_fake_open(fake));
	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_VM_CREATE, &vm));
	KUNIT_EXPECT_EQ(test, -EBUSY, nna_ioctl_set_user(test, user));
	KUNIT_EXPECT_EQ(test, 0u, nna_ioctl_user(test).uid);
}

static void nna_ioctl_realtime(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct drm_nna_sched_info info = {};
	struct drm_nna_dev_query query = {
		.type = DRM_NNA_DEV_QUERY_SCHED_INFO, .size = sizeof(info),
		.pointer = (unsigned long)nna_fake_user(t->fake, NULL, sizeof(info)),
	};
	struct cred *cred = prepare_creds();
	const struct cred *old;
	u32 priority;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	for (priority = 0; priority < NNA_JOB_RINGS; priority++) {
		struct drm_nna_ctx_create create = { .vm_id = t->vm_id, .priority = priority };

		KUNIT_EXPECT_EQ(test, priority == DRM_NNA_CTX_PRIORITY_REALTIME ? -EACCES : 0,
				nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_CTX_CREATE, &create));
	}
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(t->fake, DRM_IOCTL_NNA_DEV_QUERY, &query));
	revert_creds(old);
	put_cred(cred);
	KUNIT_ASSERT_EQ(test, 0,
			copy_from_user(&info, u64_to_user_ptr(query.pointer), sizeof(info)));
	KUNIT_EXPECT_EQ(test, 7u, info.priority_mask);
	KUNIT_EXPECT_EQ(test, t->fake->nna->timeout_ms * (u64)NSEC_PER_MSEC, info.timeout_ns);
}

static void nna_ioctl_counters_unprivileged(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_dev_query device = {
		.type = DRM_NNA_DEV_QUERY_COUNTERS, .size = sizeof(struct drm_nna_counters),
		.pointer = (unsigned long)nna_fake_user(fake, NULL, 1024),
	};
	struct drm_nna_dev_query own = {
		.type = DRM_NNA_DEV_QUERY_FILE_COUNTERS,
		.size = sizeof(struct drm_nna_file_counters), .pointer = device.pointer,
	};
	struct drm_nna_dev_query size = { .type = DRM_NNA_DEV_QUERY_COUNTERS };
	struct cred *cred = prepare_creds();
	const struct cred *old;
	s64 reads;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	reads = atomic64_read(&fake->nna->hw.reads);
	KUNIT_EXPECT_EQ(test, -EACCES, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &device));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &size));
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &own));
	KUNIT_EXPECT_EQ(test, reads, atomic64_read(&fake->nna->hw.reads));
	cap_raise(cred->cap_effective, CAP_PERFMON);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &device));
	revert_creds(old);
	put_cred(cred);
}

static struct drm_nna_file_counters nna_ioctl_file_counters(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct drm_nna_file_counters c = {};
	struct drm_nna_dev_query query = {
		.type = DRM_NNA_DEV_QUERY_FILE_COUNTERS, .size = sizeof(c),
		.pointer = (unsigned long)nna_fake_user(fake, NULL, sizeof(c)),
	};

	KUNIT_ASSERT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_DEV_QUERY, &query));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(&c, u64_to_user_ptr(query.pointer), sizeof(c)));
	return c;
}

static void nna_ioctl_file_counts(struct kunit *test)
{
	static const struct {
		u16 status;
		u64 ticks, jobs, faults, busy;
	} steps[] = {
		{ NNA_STATUS_OK, 100, 1, 0, 100 },
		{ NNA_STATUS_YIELDED, 10, 2, 0, 110 },
		{ NNA_STATUS_DEADLINE, 7, 3, 1, 110 },
		{ NNA_STATUS_ABORTED, 7, 4, 2, 110 },
		{ NNA_STATUS_FAULT_MMU, PAGE_SIZE, 5, 3, 110 },
	};
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	const u32 ring = DRM_NNA_CTX_PRIORITY_MEDIUM;
	struct drm_nna_file_counters c;
	struct nna_call call;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		nna_call_make(t, &call, DRM_NNA_SUBMIT);
		nna_call_put_element(t, &call);
		KUNIT_ASSERT_EQ(test, 0, nna_call_do(t, &call));
		nna_fake_settle(t->fake);
		nna_fake_complete(t->fake, ring, steps[i].status, steps[i].ticks);
		c = nna_ioctl_file_counters(test);
		KUNIT_EXPECT_EQ_MSG(test, steps[i].jobs, c.jobs, "step %u", i);
		KUNIT_EXPECT_EQ_MSG(test, steps[i].faults, c.faults, "step %u", i);
		KUNIT_EXPECT_EQ_MSG(test, steps[i].busy, c.busy_ticks[ring], "step %u", i);
		KUNIT_EXPECT_EQ_MSG(test, 0ull, c.lost, "step %u", i);
	}
	KUNIT_EXPECT_EQ(test, 0ull, c.busy_ticks[ring + 1]);
}

static void nna_ioctl_file_lost(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct drm_nna_file_counters c;
	struct nna_call call;

	nna_call_make(t, &call, DRM_NNA_SUBMIT);
	nna_call_put_element(t, &call);
	KUNIT_ASSERT_EQ(test, 0, nna_call_do(t, &call));
	nna_fake_settle(t->fake);
	nna_control_reset_and_wait(t->fake->nna, "a test");
	c = nna_ioctl_file_counters(test);
	KUNIT_EXPECT_EQ(test, 1ull, c.lost);
	KUNIT_EXPECT_EQ(test, 0ull, c.jobs);
}

/* Callers whose structure is shorter or longer than the driver's. */
static void nna_ioctl_older_submit(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	unsigned int cmd = DRM_IOW(DRM_COMMAND_BASE + DRM_NNA_SUBMIT,
				   u8[offsetof(struct drm_nna_submit, deadline_ns)]);
	struct nna_ring_entry entry;
	struct nna_call call;

	nna_call_make(t, &call, DRM_NNA_SUBMIT);
	call.arg.submit.profile_size = 0;
	/* The driver must not read beyond the structure. */
	memset(call.arg.bytes + _IOC_SIZE(cmd), 0xff, sizeof(call.arg) - _IOC_SIZE(cmd));
	call.cmd = cmd;
	KUNIT_ASSERT_EQ(test, 0, nna_call_do(t, &call));
	nna_fake_settle(t->fake);
	KUNIT_ASSERT_TRUE(test, nna_fake_entry(t->fake, DRM_NNA_CTX_PRIORITY_MEDIUM, &entry));
	KUNIT_EXPECT_EQ(test, 0ull, le64_to_cpu(entry.deadline));
	KUNIT_EXPECT_EQ(test, 0ull, le64_to_cpu(entry.budget));
	KUNIT_EXPECT_EQ(test, 0ull, le64_to_cpu(entry.profile | entry.profile_size));
	nna_fake_complete(t->fake, DRM_NNA_CTX_PRIORITY_MEDIUM, NNA_STATUS_OK, 0);
}

static void nna_ioctl_older_bind(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct nna_call call;

	nna_call_make(t, &call, DRM_NNA_VM_BIND);
	nna_call_put_element(t, &call);
	memset(&call.arg.vm_bind.syncs, 0xff, sizeof(call.arg.vm_bind.syncs));
	call.cmd = DRM_IOW(DRM_COMMAND_BASE + DRM_NNA_VM_BIND,
			   u8[offsetof(struct drm_nna_vm_bind, syncs)]);
	KUNIT_EXPECT_EQ(test, 0, nna_call_do(t, &call));
	KUNIT_EXPECT_NE(test, 0ull, nna_pgtable_lookup(&t->vm->pgt, 0x400000, NULL));
}

static void nna_ioctl_newer_state(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct nna_call call;

	nna_call_make(t, &call, DRM_NNA_CTX_GET_STATE);
	call.cmd = DRM_IOWR(DRM_COMMAND_BASE + DRM_NNA_CTX_GET_STATE,
			    u8[sizeof(struct drm_nna_ctx_get_state) + 16]);
	KUNIT_EXPECT_EQ(test, 0, nna_call_do(t, &call));
	KUNIT_EXPECT_EQ(test, 0u, call.arg.ctx_get_state.state);
}

static void nna_ioctl_unknown_number(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	u8 arg[16] = {};

	KUNIT_EXPECT_EQ(test, -EINVAL,
			nna_fake_ioctl(fake, DRM_IOWR(DRM_COMMAND_BASE + NNA_IOCTL_COUNT, u8[16]),
				       arg));
	/* Reserved, so not in the table. */
	KUNIT_EXPECT_EQ(test, -EINVAL,
			nna_fake_ioctl(fake,
				       DRM_IOWR(DRM_COMMAND_BASE + DRM_NNA_BO_FROM_USERPTR, u8[16]),
				       arg));
}

/* Ids and handles of one file are invalid in another file. */
static void nna_ioctl_other_file(struct kunit *test)
{
	struct nna_ioctl_test *t = nna_ioctl_test(test);
	struct file *filp = t->fake->filp;
	struct drm_file *file = t->fake->file;
	struct nna_call call;
	unsigned int i;
	static const unsigned int nrs[] = {
		DRM_NNA_BO_MMAP_OFFSET, DRM_NNA_BO_SYNC, DRM_NNA_BO_SET_LABEL, DRM_NNA_VM_DESTROY,
		DRM_NNA_VM_BIND, DRM_NNA_CTX_CREATE, DRM_NNA_CTX_DESTROY, DRM_NNA_CTX_GET_STATE,
		DRM_NNA_SUBMIT, DRM_NNA_BO_MADVISE,
	};

	KUNIT_ASSERT_EQ(test, 0, nna_fake_open(t->fake));
	for (i = 0; i < ARRAY_SIZE(nrs); i++) {
		nna_call_make(t, &call, nrs[i]);
		nna_call_put_element(t, &call);
		KUNIT_EXPECT_EQ_MSG(test, -ENOENT, nna_call_do(t, &call), "%s",
				    nna_ioctls[nrs[i]].name);
	}
	nna_fake_close(t->fake);
	t->fake->filp = filp;
	t->fake->file = file;
}

static struct kunit_case nna_ioctl_cases[] = {
	KUNIT_CASE_PARAM(nna_ioctl_rule, nna_rule_gen_params),
	KUNIT_CASE_PARAM(nna_ioctl_unplugged, nna_number_gen_params),
	KUNIT_CASE_PARAM(nna_ioctl_unplugged_meanwhile, nna_device_number_gen_params),
	KUNIT_CASE_PARAM(nna_ioctl_bad_argument, nna_number_gen_params),
	KUNIT_CASE_PARAM(nna_ioctl_query_sizes, nna_query_gen_params),
	KUNIT_CASE(nna_ioctl_hw_info),
	KUNIT_CASE(nna_ioctl_profiles_before_their_version),
	KUNIT_CASE(nna_ioctl_profiles_of_their_version),
	KUNIT_CASE(nna_ioctl_slices),
	KUNIT_CASE(nna_ioctl_bo_rounds_up),
	KUNIT_CASE(nna_ioctl_no_mmap),
	KUNIT_CASE(nna_ioctl_label_length),
	KUNIT_CASE(nna_ioctl_vm_limit),
	KUNIT_CASE(nna_ioctl_ctx_limit),
	KUNIT_CASE(nna_ioctl_user_is_checked),
	KUNIT_CASE(nna_ioctl_user_key),
	KUNIT_CASE(nna_ioctl_user_too_late),
	KUNIT_CASE(nna_ioctl_realtime),
	KUNIT_CASE(nna_ioctl_counters_unprivileged),
	KUNIT_CASE(nna_ioctl_file_counts),
	KUNIT_CASE(nna_ioctl_file_lost),
	KUNIT_CASE(nna_ioctl_older_submit),
	KUNIT_CASE(nna_ioctl_older_bind),
	KUNIT_CASE(nna_ioctl_newer_state),
	KUNIT_CASE(nna_ioctl_unknown_number),
	KUNIT_CASE(nna_ioctl_other_file),
	{}
};

static struct kunit_suite nna_ioctl_suite = {
	.name = "nna_ioctl",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_ioctl_cases,
};
kunit_test_suite(nna_ioctl_suite);

// SPDX-License-Identifier: MIT
/*
 * The interface as uapi/drm/nna_accel.h has it: the layout of the structures is frozen, and the
 * examples in their documentation, which module.mk extracts, work.
 */

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

#define SIZE(type, size) \
	_Static_assert(sizeof(struct drm_nna_##type) == (size), "drm_nna_" #type " is frozen")
#define AT(type, field, offset) \
	_Static_assert(offsetof(struct drm_nna_##type, field) == (offset), \
		       "struct drm_nna_" #type "." #field " is frozen")
#define NUMBER(name, number) \
	_Static_assert(DRM_IOCTL_NNA_##name == (number), "DRM_IOCTL_NNA_" #name " is frozen")

SIZE(obj_array, 16);
AT(obj_array, stride, 0);
AT(obj_array, count, 4);
AT(obj_array, array, 8);

SIZE(dev_query, 16);
AT(dev_query, type, 0);
AT(dev_query, size, 4);
AT(dev_query, pointer, 8);

/* It grows at its end; in the first version it had 112 bytes. */
SIZE(hw_info, 144);
AT(hw_info, abi_major, 0);
AT(hw_info, abi_minor, 2);
AT(hw_info, stream_version, 4);
AT(hw_info, layout_version, 6);
AT(hw_info, flags, 8);
AT(hw_info, job_rings, 12);
AT(hw_info, ring_size, 16);
AT(hw_info, workers, 20);
AT(hw_info, va_bits, 24);
AT(hw_info, max_slots, 28);
AT(hw_info, va_start, 32);
AT(hw_info, va_end, 40);
AT(hw_info, page_sizes, 48);
AT(hw_info, job_limit_ns, 56);
AT(hw_info, tick_hz, 64);
AT(hw_info, max_stream_size, 72);
AT(hw_info, max_bo_size, 80);
AT(hw_info, max_syncs, 88);
AT(hw_info, max_bind_ops, 92);
AT(hw_info, max_bo_sync_ops, 96);
AT(hw_info, max_vms, 100);
AT(hw_info, max_ctxs, 104);
AT(hw_info, max_label, 108);
AT(hw_info, max_ctx_jobs, 112);
AT(hw_info, max_file_jobs, 116);
AT(hw_info, max_mappings, 120);
AT(hw_info, max_tables, 124);
AT(hw_info, max_user_ctxs, 128);
AT(hw_info, pad, 132);
AT(hw_info, work_rate, 136);

SIZE(sched_info, 16);
AT(sched_info, priority_mask, 0);
AT(sched_info, pad, 4);
AT(sched_info, timeout_ns, 8);

SIZE(timestamp, 24);
AT(timestamp, monotonic_ns, 0);
AT(timestamp, tick, 8);
AT(timestamp, uncertainty_ns, 16);

SIZE(counters, 112);
AT(counters, jobs, 0);
AT(counters, commands, 8);
AT(counters, irqs, 16);
AT(counters, mmio_reads, 24);
AT(counters, mmio_writes, 32);
AT(counters, preemptions, 40);
AT(counters, faults, 48);
AT(counters, busy_ticks, 56);
AT(counters, walks, 64);
AT(counters, longest_tile_ticks, 72);
AT(counters, driver_irqs, 80);
AT(counters, driver_completions, 88);
AT(counters, driver_mmio_reads, 96);
AT(counters, driver_resets, 104);

SIZE(file_counters, 56);
AT(file_counters, jobs, 0);
AT(file_counters, faults, 8);
AT(file_counters, lost, 16);
AT(file_counters, busy_ticks, 24);

SIZE(bo_create, 24);
AT(bo_create, size, 0);
AT(bo_create, flags, 8);
AT(bo_create, vm_id, 12);
AT(bo_create, handle, 16);
AT(bo_create, pad, 20);

SIZE(bo_mmap_offset, 16);
AT(bo_mmap_offset, handle, 0);
AT(bo_mmap_offset, pad, 4);
AT(bo_mmap_offset, offset, 8);

SIZE(bo_sync_op, 24);
AT(bo_sync_op, handle, 0);
AT(bo_sync_op, type, 4);
AT(bo_sync_op, offset, 8);
AT(bo_sync_op, size, 16);

SIZE(bo_sync, 16);
AT(bo_sync, ops, 0);

SIZE(bo_set_label, 16);
AT(bo_set_label, handle, 0);
AT(bo_set_label, pad, 4);
AT(bo_set_label, label, 8);

SIZE(bo_madvise, 16);
AT(bo_madvise, handle, 0);
AT(bo_madvise, madv, 4);
AT(bo_madvise, retained, 8);
AT(bo_madvise, pad, 12);

SIZE(vm_create, 8);
AT(vm_create, flags, 0);
AT(vm_create, id, 4);

SIZE(vm_destroy, 8);
AT(vm_destroy, id, 0);
AT(vm_destroy, pad, 4);

SIZE(vm_bind_op, 40);
AT(vm_bind_op, type, 0);
AT(vm_bind_op, flags, 4);
AT(vm_bind_op, bo_handle, 8);
AT(vm_bind_op, pad, 12);
AT(vm_bind_op, bo_offset, 16);
AT(vm_bind_op, va, 24);
AT(vm_bind_op, size, 32);

SIZE(vm_bind, 40);
AT(vm_bind, vm_id, 0);
AT(vm_bind, flags, 4);
AT(vm_bind, ops, 8);
AT(vm_bind, syncs, 24);

SIZE(ctx_create, 16);
AT(ctx_create, vm_id, 0);
AT(ctx_create, flags, 4);
AT(ctx_create, priority, 8);
AT(ctx_create, id, 12);

SIZE(ctx_destroy, 8);
AT(ctx_destroy, id, 0);
AT(ctx_destroy, pad, 4);

SIZE(ctx_get_state, 32);
AT(ctx_get_state, id, 0);
AT(ctx_get_state, state, 4);
AT(ctx_get_state, fault_address, 8);
AT(ctx_get_state, fault_status, 16);
AT(ctx_get_state, fault_command, 20);
AT(ctx_get_state, reset_count, 24);
AT(ctx_get_state, pad, 28);

SIZE(sync, 16);
AT(sync, handle, 0);
AT(sync, flags, 4);
AT(sync, point, 8);

/* It grows at its end; in the first version it had 96 bytes, and a pad for @profile_size. */
SIZE(submit, 104);
AT(submit, ctx_id, 0);
AT(submit, flags, 4);
AT(submit, stream_va, 8);
AT(submit, stream_size, 16);
AT(submit, start, 20);
AT(submit, base_table_va, 24);
AT(submit, slot_count, 32);
AT(submit, profile_size, 36);
AT(submit, report_va, 40);
AT(submit, deadline_ns, 48);
AT(submit, duration_ns, 56);
AT(submit, budget_ns, 64);
AT(submit, loop_limit_ns, 72);
AT(submit, syncs, 80);
AT(submit, profile_va, 96);

SIZE(coredump_ring, 64);
AT(coredump_ring, reg_control, 0);
AT(coredump_ring, reg_status, 4);
AT(coredump_ring, reg_head, 8);
AT(coredump_ring, reg_done, 12);
AT(coredump_ring, reg_doorbell, 16);
AT(coredump_ring, reg_run_time, 20);
AT(coredump_ring, size, 24);
AT(coredump_ring, running, 28);
AT(coredump_ring, tail, 32);
AT(coredump_ring, done, 36);
AT(coredump_ring, seqno, 40);
AT(coredump_ring, entry_count, 44);
AT(coredump_ring, entries_offset, 48);
AT(coredump_ring, pad, 52);
AT(coredump_ring, completions, 56);

SIZE(coredump, 368);
AT(coredump, magic, 0);
AT(coredump, version, 8);
AT(coredump, size, 12);
AT(coredump, monotonic_ns, 16);
AT(coredump, tick, 24);
AT(coredump, reason, 32);
AT(coredump, resets, 36);
AT(coredump, device_status, 40);
AT(coredump, abi, 44);
AT(coredump, ring, 48);
AT(coredump, status, 52);
AT(coredump, detail, 56);
AT(coredump, pid, 64);
AT(coredump, report_valid, 68);
AT(coredump, comm, 72);
AT(coredump, entry, 88);
AT(coredump, report, 216);
AT(coredump, command, 344);
AT(coredump, command_offset, 348);
AT(coredump, command_size, 352);
AT(coredump, rings_offset, 356);
AT(coredump, ring_count, 360);
AT(coredump, ring_stride, 364);

SIZE(file_set_user, 16);
AT(file_set_user, type, 0);
AT(file_set_user, pad, 4);
AT(file_set_user, id, 8);

NUMBER(DEV_QUERY, 0xc0106440u);
NUMBER(BO_CREATE, 0xc0186441u);
NUMBER(BO_MMAP_OFFSET, 0xc0106442u);
NUMBER(BO_SYNC, 0x40106443u);
NUMBER(BO_SET_LABEL, 0x40106444u);
NUMBER(VM_CREATE, 0xc0086446u);
NUMBER(VM_DESTROY, 0x40086447u);
NUMBER(VM_BIND, 0x40286448u);
NUMBER(CTX_CREATE, 0xc0106449u);
NUMBER(CTX_DESTROY, 0x4008644au);
NUMBER(CTX_GET_STATE, 0xc020644bu);
/* With the size of 1.0, 0x4060644c, it is the same call: DRM looks at the lowest byte only. */
NUMBER(SUBMIT, 0x4068644cu);
NUMBER(BO_MADVISE, 0xc010644du);
NUMBER(FILE_SET_USER, 0x4010644eu);

/* The variables that the examples use and set. */
static int fd;
static uid_t client_uid = 1000;
static uint32_t vm_id, ctx_id, handle, in, out;
static uint64_t size, stream, table, report;
static uint8_t *p;

static int example_calls;

/* Replaces ioctl() in the examples: the call must succeed. */
static int example_ioctl(unsigned long request, void *arg)
{
	EQ(xioctl(fd, request, arg), 0);
	example_calls++;
	return 0;
}

#define ioctl(fd_, request, arg) ((void)(fd_), example_ioctl(request, arg))
#include "nna_examples.h"
#undef ioctl

static void example(void (*run)(void))
{
	int before = example_calls;

	run();
	EQ(example_calls, before + 1);
}

/* All examples, in the order in which a client would use them. */
TEST(examples)
{
	struct env env = { 0 };

	fd = nna_open();
	size = 65536;
	example(example_dev_query);
	example(example_file_set_user);
	example(example_vm_create);
	CHECK(vm_id);
	example(example_bo_create);
	CHECK(handle);
	example(example_bo_mmap_offset);
	CHECK(p && p != MAP_FAILED);
	example(example_bo_set_label);
	example(example_bo_madvise);
	example(example_vm_bind);
	example(example_ctx_create);
	CHECK(ctx_id);
	example(example_ctx_get_state);

	env.map = p;
	stream_null(&env);
	/* The example's stream_size is 4096, so the stream's header must say the same. */
	((struct nnahw_stream_header *)p)->size = 4096;
	example(example_bo_sync);
	stream = 0x200000 + ENV_STREAM;
	table = 0x200000 + ENV_TABLE;
	report = 0x200000 + ENV_REPORT;
	in = syncobj_create(fd);
	out = syncobj_create(fd);
	EQ(drmSyncobjSignal(fd, &in, 1), 0);
	example(example_submit);
	EQ(timeline_wait(fd, out, 7, LONG_WAIT), 0);
	EQ(env_report(&env)->status, NNAHW_STATUS_OK);

	example(example_ctx_destroy);
	EQ(ctx_destroy(fd, ctx_id), -ENOENT);
	example(example_vm_destroy);
	EQ(vm_destroy(fd, vm_id), -ENOENT);
}

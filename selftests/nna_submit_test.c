// SPDX-License-Identifier: MIT
/* Contexts and submissions: results, validation, limits in time. */

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

TEST(null_job)
{
	struct env env;

	env_init(&env);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	EQ(env_report(&env)->status, NNAHW_STATUS_OK);
	EQ(env_report(&env)->commands, 1);
	CHECK(env_report(&env)->end >= env_report(&env)->begin);
}

TEST(report_times_are_monotonic_time)
{
	struct drm_nna_timestamp ts;
	uint64_t before = now_ns(), begin;
	struct env env;

	env_init(&env);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	EQ(query(env.fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &ts, sizeof(ts)), 0);
	begin = ts.monotonic_ns +
		(uint64_t)ticks_to_ns(env.fd, (int64_t)(env_report(&env)->begin - ts.tick));
	CHECK(begin + ts.uncertainty_ns >= before && begin <= now_ns() + ts.uncertainty_ns);
}

TEST(fill)
{
	struct env env;

	env_init(&env);
	stream_begin(&env);
	stream_fill(&env, 100, 5000, 0xa5);
	stream_end(&env);
	stream_finish(&env);
	EQ(submit_and_wait(&env), 0);
	EQ(env.map[ENV_DATA + 99], 0);
	EQ(env.map[ENV_DATA + 100], 0xa5);
	EQ(env.map[ENV_DATA + 5099], 0xa5);
	EQ(env.map[ENV_DATA + 5100], 0);
}

TEST(without_report)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_null(&env);
	args = env_submit(&env);
	args.report_va = 0;
	EQ(submit_args_and_wait(&env, &args), 0);
	EQ(env_report(&env)->status, 0xffffffffu);
}

TEST(without_slots)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_null(&env);
	args = env_submit(&env);
	args.slot_count = 0;
	args.base_table_va = 0;
	EQ(submit_args_and_wait(&env, &args), 0);
}

TEST(start_in_the_middle)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_begin(&env);
	stream_fill(&env, 0, 64, 1);
	uint32_t second = stream_fill(&env, 64, 64, 2);

	stream_end(&env);
	stream_finish(&env);
	args = env_submit(&env);
	args.start = second;
	EQ(submit_args_and_wait(&env, &args), 0);
	EQ(env.map[ENV_DATA], 0);
	EQ(env.map[ENV_DATA + 64], 2);
}

/* A row of jobs, of which each yields when it has run a command: the same as one job. */
TEST(slices)
{
	struct drm_nna_submit args;
	uint32_t jobs = 0, done = 0;
	struct env env;

	env_init(&env);
	if (!(hw_info(env.fd).flags & DRM_NNA_HW_SLICES))
		SKIP("the device has no slices");
	stream_begin(&env);
	for (uint8_t i = 0; i < 3; i++)
		stream_fill(&env, 64 * i, 64, 7 + i);
	stream_end(&env);
	stream_finish(&env);
	args = env_submit(&env);
	args.flags = DRM_NNA_SUBMIT_SLICE;
	args.budget_ns = 1;
	do {
		EQ(submit_args_and_wait(&env, &args), 0);
		jobs++;
		done += env_report(&env)->commands;
		EQ(env.map[ENV_DATA], 7);
		EQ(env.map[ENV_DATA + 128], done > 2 ? 9 : 0);
		CHECK(env_report(&env)->status == NNAHW_STATUS_OK ||
		      env_report(&env)->resume > args.start);
		args.start = env_report(&env)->resume;
	} while (env_report(&env)->status == NNAHW_STATUS_YIELDED && jobs < 10);
	EQ(env_report(&env)->status, NNAHW_STATUS_OK);
	EQ(done, 4);
	CHECK(jobs >= 3);
	EQ(env.map[ENV_DATA + 64], 8);
}

TEST(thousand_jobs_in_order)
{
	struct env env;
	uint32_t out;

	env_init(&env);
	out = syncobj_create(env.fd);
	stream_null(&env);
	for (int i = 0; i < 1000; i++)
		EQ(submit(&env, 0, out), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), 1);
}

TEST(all_priorities)
{
	struct env env;

	env_init(&env);
	stream_null(&env);
	for (uint32_t p = DRM_NNA_CTX_PRIORITY_LOW; p <= DRM_NNA_CTX_PRIORITY_HIGH; p++) {
		EQ(ctx_create(env.fd, env.vm, p, &env.ctx), 0);
		EQ(submit_and_wait(&env), 0);
	}
	if (geteuid() == 0) {
		EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_REALTIME, &env.ctx), 0);
		EQ(submit_and_wait(&env), 0);
	}
}

TEST(realtime_needs_a_privilege)
{
	int fd = nna_open();
	uint32_t vm = vm_create(fd), ctx;

	if (geteuid() == 0 && setuid(65534))
		SKIP("cannot become nobody");
	EQ(ctx_create(fd, vm, DRM_NNA_CTX_PRIORITY_REALTIME, &ctx), -EACCES);
	EQ(ctx_create(fd, vm, DRM_NNA_CTX_PRIORITY_HIGH, &ctx), 0);
}

TEST(ctx_bad_priority)
{
	int fd = nna_open();
	uint32_t vm = vm_create(fd), ctx;

	EQ(ctx_create(fd, vm, 4, &ctx), -EINVAL);
}

TEST(ctx_flags)
{
	int fd = nna_open();
	struct drm_nna_ctx_create args = { .vm_id = vm_create(fd), .flags = 1 };

	EQ(xioctl(fd, DRM_IOCTL_NNA_CTX_CREATE, &args), -EINVAL);
}

TEST(ctx_id_not_zero)
{
	int fd = nna_open();
	struct drm_nna_ctx_create args = { .vm_id = vm_create(fd), .id = 1 };

	EQ(xioctl(fd, DRM_IOCTL_NNA_CTX_CREATE, &args), -EINVAL);
}

TEST(ctx_state_unknown)
{
	struct drm_nna_ctx_get_state args = { .id = 3 };

	EQ(xioctl(nna_open(), DRM_IOCTL_NNA_CTX_GET_STATE, &args), -ENOENT);
}

TEST(ctx_unknown_vm)
{
	uint32_t ctx;

	EQ(ctx_create(nna_open(), 3, 0, &ctx), -ENOENT);
}

TEST(ctx_too_many)
{
	int fd = nna_open();
	uint32_t vm = vm_create(fd), ctx, max = hw_info(fd).max_ctxs;

	for (uint32_t i = 0; i < max; i++)
		EQ(ctx_create(fd, vm, 0, &ctx), 0);
	EQ(ctx_create(fd, vm, 0, &ctx), -ENOSPC);
	EQ(ctx_destroy(fd, 1), 0);
	EQ(ctx_create(fd, vm, 0, &ctx), 0);
}

TEST(ctx_destroy_unknown)
{
	EQ(ctx_destroy(nna_open(), 1), -ENOENT);
}

TEST(ctx_destroy_pad)
{
	struct drm_nna_ctx_destroy args = { .pad = 1 };
	struct env env;

	env_init(&env);
	args.id = env.ctx;
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_CTX_DESTROY, &args), -EINVAL);
}

TEST(ctx_state_pad)
{
	struct drm_nna_ctx_get_state args = { .pad = 1 };
	struct env env;

	env_init(&env);
	args.id = env.ctx;
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_CTX_GET_STATE, &args), -EINVAL);
}

TEST(ctx_state_clean)
{
	struct env env;

	env_init(&env);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	EQ(ctx_state(env.fd, env.ctx).reset_count, 0);
}

/* Submissions that are valid but for one value, and their errors; nothing is banned. */
#define BAD_SUBMIT(test_name, change, error) \
	TEST(test_name) \
	{ \
		struct env env; \
		struct drm_nna_submit args; \
		env_init(&env); \
		stream_null(&env); \
		args = env_submit(&env); \
		change; \
		EQ(submit_args(&env, &args, 0, 0), error); \
		EQ(ctx_state(env.fd, env.ctx).state, 0); \
		EQ(submit_and_wait(&env), 0); \
	}

BAD_SUBMIT(submit_unknown_ctx, args.ctx_id = 99, -ENOENT)
BAD_SUBMIT(submit_ctx_zero, args.ctx_id = 0, -ENOENT)
BAD_SUBMIT(submit_flags, args.flags = DRM_NNA_SUBMIT_FLAGS + 1, -EINVAL)
BAD_SUBMIT(submit_stream_misaligned, args.stream_va += 32, -EINVAL)
BAD_SUBMIT(submit_stream_zero, args.stream_va = 0, -EINVAL)
BAD_SUBMIT(submit_stream_beyond_end, args.stream_va = hw_info(env.fd).va_end, -EINVAL)
BAD_SUBMIT(submit_stream_wraps, args.stream_va = 0ull - 64, -EINVAL)
BAD_SUBMIT(submit_stream_empty, args.stream_size = 0, -EINVAL)
BAD_SUBMIT(submit_stream_size_misaligned, args.stream_size -= 4, -EINVAL)
BAD_SUBMIT(submit_stream_too_large,
	   args.stream_size = (uint32_t)hw_info(env.fd).max_stream_size + 64, -EINVAL)
BAD_SUBMIT(submit_start_misaligned, args.start = 4, -EINVAL)
BAD_SUBMIT(submit_start_beyond, args.start = args.stream_size, -EINVAL)
BAD_SUBMIT(submit_table_misaligned, args.base_table_va += 8, -EINVAL)
BAD_SUBMIT(submit_table_zero, args.base_table_va = 0, -EINVAL)
BAD_SUBMIT(submit_table_without_slots, args.slot_count = 0, -EINVAL)
BAD_SUBMIT(submit_too_many_slots, args.slot_count = 65, -EINVAL)
BAD_SUBMIT(submit_table_beyond_end, args.base_table_va = hw_info(env.fd).va_end, -EINVAL)
BAD_SUBMIT(submit_report_misaligned, args.report_va += 16, -EINVAL)
BAD_SUBMIT(submit_report_beyond_end, args.report_va = hw_info(env.fd).va_end - 64, -EINVAL)

TEST(submit_syncs_short_stride)
{
	struct drm_nna_sync sync = { .flags = DRM_NNA_SYNC_SIGNAL };
	struct drm_nna_submit args;
	struct env env;

	env_init(&env);
	stream_null(&env);
	args = env_submit(&env);
	sync.handle = syncobj_create(env.fd);
	args.syncs = (struct drm_nna_obj_array)DRM_NNA_OBJ_ARRAY(1, &sync);
	args.syncs.stride -= 8;
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_SUBMIT, &args), -EINVAL);
	args.syncs.stride += 8;
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_SUBMIT, &args), 0);
}

TEST(ctx_of_another_file)
{
	struct env a, b;

	env_init(&a);
	env_init(&b);
	EQ(ctx_create(a.fd, a.vm, 0, &a.ctx), 0);
	stream_null(&b);
	b.ctx = a.ctx;
	EQ(submit(&b, 0, 0), -ENOENT);
}

TEST(deadline_in_the_past)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_null(&env);
	args = env_submit(&env);
	args.deadline_ns = now_ns() - 1;
	EQ(submit_args_and_wait(&env, &args), -ETIMEDOUT);
	EQ(env_report(&env)->status, 0xffffffffu);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	EQ(submit_and_wait(&env), 0);
}

TEST(deadline_far)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_null(&env);
	args = env_submit(&env);
	args.deadline_ns = now_ns() + 100 * SECOND;
	EQ(submit_args_and_wait(&env, &args), 0);
	args.deadline_ns = UINT64_MAX;
	EQ(submit_args_and_wait(&env, &args), 0);
	args.deadline_ns = 0;
	args.duration_ns = UINT64_MAX;
	EQ(submit_args_and_wait(&env, &args), 0);
}

TEST(deadline_passes_while_running)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_endless(&env);
	args = env_submit(&env);
	args.deadline_ns = now_ns() + SECOND / 5;
	EQ(submit_args_and_wait(&env, &args), -ETIMEDOUT);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
}

TEST(duration_passes_while_running)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_endless(&env);
	args = env_submit(&env);
	args.duration_ns = SECOND / 5;
	EQ(submit_args_and_wait(&env, &args), -ETIMEDOUT);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
}

TEST(loop_limit)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_endless(&env);
	args = env_submit(&env);
	args.loop_limit_ns = SECOND / 20;
	EQ(submit_args_and_wait(&env, &args), -ETIMEDOUT);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
}

/* A job that has ended makes room, before its fence signals. */
TEST(submit_finds_room)
{
	struct drm_nna_submit args;
	struct env env;
	uint32_t max, out;

	env_init(&env);
	stream_null(&env);
	out = syncobj_create(env.fd);
	max = hw_info(env.fd).max_ctx_jobs;
	/* Waits when there is no room. */
	for (uint32_t i = 0; i < 2 * max; i++)
		EQ(submit(&env, 0, out), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	args = env_submit(&env);
	args.flags = DRM_NNA_SUBMIT_NONBLOCK;
	EQ(submit_args(&env, &args, 0, out), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), 1);
}

TEST(ctx_destroyed_with_jobs)
{
	struct env env;
	uint32_t out;

	env_init(&env);
	out = syncobj_create(env.fd);
	stream_endless(&env);
	for (int i = 0; i < 5; i++)
		EQ(submit(&env, 0, out), 0);
	EQ(ctx_destroy(env.fd, env.ctx), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	CHECK(syncobj_status(env.fd, out) < 0);
}

TEST(closed_with_jobs)
{
	struct env env, other;

	env_init(&env);
	env_init(&other);
	stream_endless(&env);
	for (int i = 0; i < 100; i++)
		EQ(submit(&env, 0, 0), 0);
	env_fini(&env);
	/* The jobs are aborted, so that the next client need not wait for a hundred job limits. */
	stream_null(&other);
	EQ(submit_and_wait(&other), 0);
}

TEST(one_interrupt_and_no_register_read_per_job)
{
	uint64_t end = now_ns() + LONG_WAIT / 2;
	struct drm_nna_counters a, b, c;
	uint32_t control;
	struct env env;
	const int jobs = 100;

	env_init(&env);
	/* A resume would read registers. */
	device_keep_awake(env.fd, true);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	/*
	 * What others have left is ended behind their backs: entries of the control ring, which
	 * have interrupts, abort their jobs and invalidate their mappings. Once more in that case.
	 */
	do {
		if (now_ns() >= end)
			FAIL("the driver does not leave the control ring alone");
		for (unsigned int i = 0; i <= NNAHW_CONTROL_RING; i++)
			ring_wait(env.fd, i, 0);
		control = ring_state(env.fd, NNAHW_CONTROL_RING).seqno;
		EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &a, sizeof(a)), 0);
		EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &b, sizeof(b)), 0);
		for (int i = 0; i < jobs; i++)
			EQ(submit_and_wait(&env), 0);
		EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &c, sizeof(c)), 0);
	} while (ring_state(env.fd, NNAHW_CONTROL_RING).seqno != control);
	EQ(c.jobs - b.jobs, jobs);
	CHECK(c.irqs - b.irqs <= (uint64_t)jobs);
	CHECK(c.driver_irqs - b.driver_irqs <= (uint64_t)jobs);
	EQ(c.mmio_writes - b.mmio_writes, jobs);
	/* Only as many reads as a query of the counters itself makes. */
	EQ(c.driver_mmio_reads - b.driver_mmio_reads, b.driver_mmio_reads - a.driver_mmio_reads);
	EQ(c.mmio_reads - b.mmio_reads, b.mmio_reads - a.mmio_reads);
	device_keep_awake(env.fd, false);
}

// SPDX-License-Identifier: MIT
/*
 * Profiles of jobs: what the device records by way of the driver, what there is no room for, and
 * addresses that a client should not have given, which hurt no other.
 */

#include <errno.h>
#include <string.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

#define HEADER sizeof(struct nnahw_profile_header)
#define RECORD sizeof(struct nnahw_profile_record)
/* The profile's offset in the environment's buffer object, behind what the jobs fill. */
#define PROFILE (ENV_DATA + 0x8000)
#define FILLS 3u

/* A context with a stream of FILLS commands, and a submission of it with room for @records. */
static struct drm_nna_submit profile_init(struct env *env, uint32_t records)
{
	struct drm_nna_submit args;

	env_init(env);
	if (!(hw_info(env->fd).flags & DRM_NNA_HW_PROFILES))
		SKIP("the device has no profiles");
	stream_begin(env);
	for (uint32_t i = 0; i < FILLS; i++)
		stream_fill(env, 0x1000 * i, 0x1000, 1 + i);
	stream_end(env);
	stream_finish(env);
	args = env_submit(env);
	args.profile_va = ENV_VA + PROFILE;
	args.profile_size = (uint32_t)(HEADER + records * RECORD);
	return args;
}

static struct nnahw_profile_header *profile_header(struct env *env)
{
	return (struct nnahw_profile_header *)(env->map + PROFILE);
}

static const struct nnahw_profile_record *profile_record(struct env *env, uint32_t i)
{
	return (const struct nnahw_profile_record *)(profile_header(env) + 1) + i;
}

static void expect_counts(struct env *env, uint32_t written, uint32_t dropped)
{
	EQ(profile_header(env)->written, written);
	EQ(profile_header(env)->dropped, dropped);
}

TEST(records_of_a_job)
{
	const uint32_t stride = sizeof(struct nnahw_cmd_fill);
	const struct nnahw_report *report;
	struct env env;
	struct drm_nna_submit args = profile_init(&env, FILLS + 5);
	uint64_t last;

	EQ(submit_args_and_wait(&env, &args), 0);
	expect_counts(&env, FILLS, 0);
	report = env_report(&env);
	last = report->begin;
	for (uint32_t i = 0; i < FILLS; i++) {
		const struct nnahw_profile_record *r = profile_record(&env, i);

		EQ(r->command, sizeof(struct nnahw_stream_header) + i * stride);
		CHECK(r->tiles > 0);
		CHECK(r->begin >= last && r->end >= r->begin && r->run_time <= r->end - r->begin);
		last = r->end;
	}
	CHECK(report->end >= last);
	EQ(profile_record(&env, FILLS)->end, 0);
	EQ(env.map[ENV_DATA + 0x1000 * FILLS - 1], FILLS);
}

TEST(no_profile_is_written_unasked)
{
	struct env env;
	struct drm_nna_submit args = profile_init(&env, FILLS);

	args.profile_va = 0;
	args.profile_size = 0;
	memset(env.map + PROFILE, 0x5a, HEADER + FILLS * RECORD);
	EQ(submit_args_and_wait(&env, &args), 0);
	for (uint32_t i = 0; i < HEADER + FILLS * RECORD; i++)
		EQ(env.map[PROFILE + i], 0x5a);
}

/* Room for no record, and for one but for a byte, for one, and for all but one. */
TEST(what_there_is_no_room_for_is_counted)
{
	const uint32_t sizes[] = { HEADER, HEADER + RECORD - 1, HEADER + RECORD,
				   HEADER + FILLS * RECORD - 1 };
	struct env env;
	struct drm_nna_submit args = profile_init(&env, 0);

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t room = (uint32_t)((sizes[i] - HEADER) / RECORD);

		memset(env.map + PROFILE, 0, HEADER);
		memset(env.map + PROFILE + HEADER, 0x5a, FILLS * RECORD);
		args.profile_size = sizes[i];
		EQ(submit_args_and_wait(&env, &args), 0);
		expect_counts(&env, room, FILLS - room);
		for (uint32_t k = HEADER + room * RECORD; k < HEADER + FILLS * RECORD; k++)
			EQ(env.map[PROFILE + k], 0x5a);
	}
}

/* As for a job that goes on where one has yielded; from the middle, too. */
TEST(jobs_append)
{
	struct env env;
	struct drm_nna_submit args = profile_init(&env, 2 * FILLS);

	EQ(submit_args_and_wait(&env, &args), 0);
	args.start = profile_record(&env, 1)->command;
	EQ(submit_args_and_wait(&env, &args), 0);
	expect_counts(&env, 2 * FILLS - 1, 0);
	EQ(profile_record(&env, FILLS)->command, args.start);
	CHECK(profile_record(&env, FILLS)->begin >= profile_record(&env, FILLS - 1)->end);
	EQ(submit_args_and_wait(&env, &args), 0);
	expect_counts(&env, 2 * FILLS, FILLS - 2);
}

/* Counts are what the client writes there; they take the device nowhere else. */
TEST(counts_that_lie)
{
	struct env env;
	struct drm_nna_submit args = profile_init(&env, FILLS);

	memset(env.map + PROFILE + HEADER, 0x5a, 4 * FILLS * RECORD);
	profile_header(&env)->written = UINT32_MAX;
	profile_header(&env)->dropped = UINT32_MAX - 1;
	EQ(submit_args_and_wait(&env, &args), 0);
	expect_counts(&env, UINT32_MAX, UINT32_MAX);
	for (uint32_t i = HEADER; i < HEADER + 4 * FILLS * RECORD; i++)
		EQ(env.map[PROFILE + i], 0x5a);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
}

/* A job that faults leaves the records of what it has done. */
TEST(records_before_a_fault)
{
	struct env env;
	struct drm_nna_submit args = profile_init(&env, FILLS);
	struct nnahw_cmd_fill *fill;

	fill = (struct nnahw_cmd_fill *)(env.map + ENV_STREAM + sizeof(struct nnahw_stream_header));
	fill[1].output.slot = 1;
	EQ(submit_args_and_wait(&env, &args), -EINVAL);
	expect_counts(&env, 1, 0);
}

/* Submissions that are refused; the context goes on. */
#define BAD_PROFILE(test_name, change) \
	TEST(test_name) \
	{ \
		struct env env; \
		struct drm_nna_submit args = profile_init(&env, FILLS); \
		change; \
		EQ(submit_args(&env, &args, 0, 0), -EINVAL); \
		EQ(ctx_state(env.fd, env.ctx).state, 0); \
		EQ(submit_and_wait(&env), 0); \
		expect_counts(&env, 0, 0); \
	}

BAD_PROFILE(address_without_size, args.profile_size = 0)
BAD_PROFILE(size_without_address, args.profile_va = 0)
BAD_PROFILE(size_below_the_header, args.profile_size = HEADER - 1)
BAD_PROFILE(address_misaligned, args.profile_va += 32)
BAD_PROFILE(address_below_the_first, args.profile_va = 64)
BAD_PROFILE(beyond_the_last_address, args.profile_va = hw_info(env.fd).va_end - 64)
BAD_PROFILE(address_wraps, args.profile_va = 0ull - 64)

/* Where each of these is, the device reads the counts or writes a record, and faults. */
static void expect_fault(struct drm_nna_submit *args, struct env *env, uint64_t address)
{
	struct env other;

	env_init_sibling(&other, env);
	EQ(submit_args_and_wait(env, args), -EFAULT);
	EQ(env_report(env)->status, NNAHW_STATUS_FAULT_MMU);
	EQ(env_report(env)->fault_address, address);
	EQ(ctx_state(env->fd, env->ctx).state,
	   DRM_NNA_CTX_STATE_BANNED | DRM_NNA_CTX_STATE_FAULTED);
	EQ(ctx_state(env->fd, env->ctx).fault_address, address);
	expect_result(&other);
	expect_inference();
}

TEST(counts_that_are_not_mapped)
{
	struct env env;
	struct drm_nna_submit args = profile_init(&env, FILLS);

	args.profile_va = ENV_VA + ENV_SIZE;
	expect_fault(&args, &env, args.profile_va);
	EQ(env_report(&env)->commands, 0);
}

TEST(records_that_are_not_mapped)
{
	struct env env;
	struct drm_nna_submit args = profile_init(&env, FILLS);

	args.profile_va = ENV_VA + ENV_SIZE - HEADER;
	expect_fault(&args, &env, ENV_VA + ENV_SIZE);
}

TEST(read_only_profile)
{
	struct env env;
	struct drm_nna_submit args = profile_init(&env, FILLS);
	const uint64_t va = ENV_VA + 2 * ENV_SIZE;

	EQ(vm_map(env.fd, env.vm, env.bo, PROFILE, va, 0x1000, DRM_NNA_VM_BIND_OP_READONLY), 0);
	args.profile_va = va;
	expect_fault(&args, &env, va + HEADER);
	EQ(env_report(&env)->fault, NNAHW_FAULT_KIND_READ_ONLY);
	expect_counts(&env, 0, 0);
}

/* The profile lies on the job's own stream: it is what the client wants to ruin. */
TEST(profile_on_the_stream)
{
	struct env env;
	struct drm_nna_submit args = profile_init(&env, FILLS);
	int ret;

	args.profile_va = args.stream_va;
	ret = submit_args_and_wait(&env, &args);
	CHECK(ret == 0 || ret == -EINVAL || ret == -EFAULT);
	expect_inference();
}

/* Profiles that fault, between the jobs of a neighbour, who has one, too. */
TEST(neighbour_keeps_its_profile)
{
	struct env bad, good;
	struct drm_nna_submit bad_args = profile_init(&bad, FILLS);
	struct drm_nna_submit good_args = profile_init(&good, 8 * FILLS);
	uint32_t outs[8], bad_out = syncobj_create(bad.fd);

	bad_args.profile_va = ENV_VA + ENV_SIZE - HEADER;
	for (int i = 0; i < 8; i++) {
		outs[i] = syncobj_create(good.fd);
		EQ(submit_args(&good, &good_args, 0, outs[i]), 0);
		if (i == 3)
			EQ(submit_args(&bad, &bad_args, 0, bad_out), 0);
	}
	for (int i = 0; i < 8; i++) {
		EQ(syncobj_wait(good.fd, outs[i], LONG_WAIT), 0);
		EQ(syncobj_status(good.fd, outs[i]), 1);
	}
	EQ(syncobj_wait(bad.fd, bad_out, LONG_WAIT), 0);
	EQ(syncobj_status(bad.fd, bad_out), -EFAULT);
	expect_counts(&good, 8 * FILLS, 0);
}

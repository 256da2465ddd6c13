// SPDX-License-Identifier: MIT
/*
 * Jobs that fault, loop or are malformed: each ends with its error and gets its context banned, and
 * no other context is affected.
 */

#include <errno.h>
#include <string.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

/* A job that writes to an address that is not mapped. */
static void stream_fault(struct env *env)
{
	struct nnahw_base *table = (struct nnahw_base *)(env->map + ENV_TABLE);

	table[1].address = 0x7000000000;
	table[1].size = 4096;
	stream_begin(env);
	((struct nnahw_cmd_fill *)(env->map + stream_fill(env, 0, 64, 1)))->output.slot = 1;
	stream_end(env);
	stream_finish(env);
}

static struct drm_nna_submit fault_submit(struct env *env)
{
	struct drm_nna_submit args = env_submit(env);

	args.slot_count = 2;
	return args;
}

static void expect_banned(struct env *env, uint32_t state)
{
	EQ(ctx_state(env->fd, env->ctx).state, state | DRM_NNA_CTX_STATE_BANNED);
	EQ(submit(env, 0, 0), -ECANCELED);
}

static void expect_works(struct env *env)
{
	stream_null(env);
	EQ(submit_and_wait(env), 0);
	EQ(ctx_state(env->fd, env->ctx).state, 0);
}

TEST(mmu_fault_bans)
{
	struct drm_nna_submit args;
	struct env env;

	env_init(&env);
	stream_fault(&env);
	args = fault_submit(&env);
	EQ(submit_args_and_wait(&env, &args), -EFAULT);
	EQ(env_report(&env)->status, NNAHW_STATUS_FAULT_MMU);
	EQ(env_report(&env)->fault, NNAHW_FAULT_KIND_UNMAPPED);
	EQ(env_report(&env)->fault_address, 0x7000000000);
	expect_banned(&env, DRM_NNA_CTX_STATE_FAULTED);
	EQ(ctx_state(env.fd, env.ctx).fault_address, 0x7000000000);
	EQ(ctx_state(env.fd, env.ctx).fault_status, NNAHW_STATUS_FAULT_MMU);
}

TEST(new_context_after_a_ban)
{
	struct drm_nna_submit args;
	struct env env;

	env_init(&env);
	stream_fault(&env);
	args = fault_submit(&env);
	EQ(submit_args_and_wait(&env, &args), -EFAULT);
	EQ(ctx_destroy(env.fd, env.ctx), 0);
	EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env.ctx), 0);
	expect_works(&env);
}

/* Jobs of a neighbour before, between and behind those that fault, on the same ring. */
TEST(neighbour_survives)
{
	struct env bad, good;
	struct drm_nna_submit args;
	uint32_t outs[30], bad_out;

	env_init(&bad);
	env_init(&good);
	bad_out = syncobj_create(bad.fd);
	stream_fault(&bad);
	args = fault_submit(&bad);
	stream_begin(&good);
	stream_fill(&good, 0, 0x8000, 0x11);
	stream_end(&good);
	stream_finish(&good);
	for (int i = 0; i < 30; i++) {
		outs[i] = syncobj_create(good.fd);
		EQ(submit(&good, 0, outs[i]), 0);
		if (i == 10)
			EQ(submit_args(&bad, &args, 0, bad_out), 0);
	}
	for (int i = 0; i < 30; i++) {
		EQ(syncobj_wait(good.fd, outs[i], LONG_WAIT), 0);
		EQ(syncobj_status(good.fd, outs[i]), 1);
	}
	EQ(syncobj_wait(bad.fd, bad_out, LONG_WAIT), 0);
	EQ(syncobj_status(bad.fd, bad_out), -EFAULT);
	EQ(good.map[ENV_DATA + 0x7fff], 0x11);
	EQ(ctx_state(good.fd, good.ctx).state, 0);
	expect_banned(&bad, DRM_NNA_CTX_STATE_FAULTED);
}

TEST(other_context_of_the_same_vm_survives)
{
	struct drm_nna_submit args;
	struct env env;
	uint32_t ctx;

	env_init(&env);
	EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &ctx), 0);
	stream_fault(&env);
	args = fault_submit(&env);
	EQ(submit_args_and_wait(&env, &args), -EFAULT);
	env.ctx = ctx;
	expect_works(&env);
}

/* What is queued behind a fault in the same context does not succeed. */
TEST(queue_behind_a_fault_is_cancelled)
{
	struct drm_nna_submit args;
	uint32_t first, last;
	struct env env;

	env_init(&env);
	first = syncobj_create(env.fd);
	last = syncobj_create(env.fd);
	stream_fault(&env);
	args = fault_submit(&env);
	EQ(submit_args(&env, &args, 0, first), 0);
	for (int i = 0; i < 200; i++) {
		int ret = submit_args(&env, &args, 0, last);

		if (ret == -ECANCELED)
			break;
		EQ(ret, 0);
	}
	EQ(syncobj_wait(env.fd, first, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, first), -EFAULT);
	if (!syncobj_wait(env.fd, last, LONG_WAIT))
		CHECK(syncobj_status(env.fd, last) < 0);
	expect_banned(&env, DRM_NNA_CTX_STATE_FAULTED);
}

TEST(budget)
{
	struct drm_nna_submit args;
	struct env env, other;

	env_init(&env);
	env_init_sibling(&other, &env);
	stream_endless(&env);
	args = env_submit(&env);
	args.budget_ns = SECOND / 20;
	EQ(submit_args_and_wait(&env, &args), -ETIME);
	EQ(env_report(&env)->status, NNAHW_STATUS_BUDGET);
	expect_banned(&env, DRM_NNA_CTX_STATE_TIMEDOUT);
	expect_works(&other);
}

/* A budget above the job limit gives no more than the job limit. */
TEST(job_limit)
{
	struct drm_nna_counters before, after;
	struct drm_nna_submit args;
	struct env env, other;

	env_init(&env);
	env_init_sibling(&other, &env);
	EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &before, sizeof(before)), 0);
	stream_endless(&env);
	args = env_submit(&env);
	args.budget_ns = 1000 * SECOND;
	args.loop_limit_ns = 1000 * SECOND;
	CHECK(submit_args_and_wait(&env, &args) < 0);
	expect_works(&other);
	EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &after, sizeof(after)), 0);
	EQ(after.driver_resets, before.driver_resets);
}

/* A job of low priority that does not end does not keep one of high priority waiting. */
TEST(endless_job_is_preempted)
{
	struct env low, high;
	uint32_t out;

	env_init(&low);
	env_init_sibling(&high, &low);
	EQ(ctx_create(low.fd, low.vm, DRM_NNA_CTX_PRIORITY_LOW, &low.ctx), 0);
	EQ(ctx_create(high.fd, high.vm, DRM_NNA_CTX_PRIORITY_HIGH, &high.ctx), 0);
	out = syncobj_create(low.fd);
	stream_held(&low);
	EQ(submit(&low, 0, out), 0);
	for (int i = 0; i < 10; i++)
		expect_works(&high);
	EQ(syncobj_wait(low.fd, out, 0), -ETIME);
	stream_release(&low);
	EQ(syncobj_wait(low.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(low.fd, out), 1);
}

/* A malformed stream: -EINVAL, a ban, and the offset of the command in CTX_GET_STATE. */
#define BAD_STREAM(test_name, change, device_status) \
	TEST(test_name) \
	{ \
		struct env env, other; \
		uint32_t fill; \
		env_init(&env); \
		env_init_sibling(&other, &env); \
		stream_begin(&env); \
		fill = stream_fill(&env, 0, 64, 1); \
		stream_end(&env); \
		stream_finish(&env); \
		struct nnahw_stream_header *header = (struct nnahw_stream_header *)env.map; \
		struct nnahw_cmd_fill *command = (struct nnahw_cmd_fill *)(env.map + fill); \
		(void)header; \
		(void)command; \
		change; \
		EQ(submit_and_wait(&env), -EINVAL); \
		EQ(env_report(&env)->status, device_status); \
		EQ(ctx_state(env.fd, env.ctx).fault_status, device_status); \
		EQ(ctx_state(env.fd, env.ctx).fault_address, 0); \
		expect_banned(&env, DRM_NNA_CTX_STATE_FAULTED); \
		EQ(env.map[ENV_DATA], 0); \
		expect_works(&other); \
	}

BAD_STREAM(bad_magic, header->magic++, NNAHW_STATUS_BAD_STREAM)
BAD_STREAM(bad_version, header->version++, NNAHW_STATUS_BAD_STREAM)
BAD_STREAM(bad_stream_size, header->size += 64, NNAHW_STATUS_BAD_STREAM)
BAD_STREAM(bad_header_reserved, header->reserved[3] = 1, NNAHW_STATUS_BAD_STREAM)
BAD_STREAM(bad_opcode, command->head.opcode = 0x7777, NNAHW_STATUS_BAD_COMMAND)
BAD_STREAM(bad_command_flags, command->head.flags = 1, NNAHW_STATUS_BAD_COMMAND)
BAD_STREAM(bad_operand_slot, command->output.slot = 9, NNAHW_STATUS_BAD_OPERAND)
BAD_STREAM(bad_operand_beyond_slot, command->output.offset = ENV_SIZE, NNAHW_STATUS_BAD_OPERAND)

TEST(unmapped_stream)
{
	struct env env;
	struct drm_nna_submit args;

	env_init(&env);
	stream_null(&env);
	args = env_submit(&env);
	args.stream_va = 0x600000000;
	EQ(submit_args_and_wait(&env, &args), -EFAULT);
	expect_banned(&env, DRM_NNA_CTX_STATE_FAULTED);
}

/* Many faults of many contexts in short succession do not affect the device. */
TEST(hundred_faults)
{
	struct drm_nna_counters before, after;
	struct drm_nna_submit args;
	struct env env, good;

	env_init(&env);
	env_init(&good);
	EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &before, sizeof(before)), 0);
	stream_fault(&env);
	for (int i = 0; i < 100; i++) {
		args = fault_submit(&env);
		EQ(submit_args_and_wait(&env, &args), -EFAULT);
		EQ(ctx_destroy(env.fd, env.ctx), 0);
		EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env.ctx), 0);
		expect_works(&good);
	}
	EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &after, sizeof(after)), 0);
	EQ(after.driver_resets, before.driver_resets);
}

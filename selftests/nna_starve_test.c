// SPDX-License-Identifier: MIT
/*
 * Jobs that wait for others for as long as the device may let them wait: none of them is taken for
 * one that hangs.
 */

#include <errno.h>
#include <xf86drm.h>

/* Eight seconds on an idle machine; on a busy one as long as the waits below may take. */
#define KSFT_TIMEOUT_S 400
#include "ksft.h"
#include "nna_test.h"

#define RINGS 3
/*
 * The budgets of all jobs together are longer than the scheduler's timeout. They are half of the
 * time after which, with jobs on so many rings, the device is taken to hang: a guest's device that
 * its host has run for less than that looks as if it did.
 */
#define BUDGET (5 * SECOND / 2)

static void expect_no_reset(int fd, uint64_t before)
{
	struct drm_nna_counters c;

	EQ(query(fd, DRM_NNA_DEV_QUERY_COUNTERS, &c, sizeof(c)), 0);
	EQ(c.driver_resets, before);
}

static uint64_t resets(int fd)
{
	struct drm_nna_counters c;

	EQ(query(fd, DRM_NNA_DEV_QUERY_COUNTERS, &c, sizeof(c)), 0);
	return c.driver_resets;
}

/* An endless job on each ring, with a job of another context behind it: each ends by its budget. */
TEST(long_jobs_share_the_device)
{
	struct env env[RINGS], behind[RINGS];
	uint32_t out[RINGS], behind_out[RINGS];
	uint64_t before;

	for (uint32_t i = 0; i < RINGS; i++) {
		env_init(&env[i]);
		env_init(&behind[i]);
		EQ(ctx_create(env[i].fd, env[i].vm, i, &env[i].ctx), 0);
		EQ(ctx_create(behind[i].fd, behind[i].vm, i, &behind[i].ctx), 0);
		stream_endless(&env[i]);
		stream_null(&behind[i]);
		out[i] = syncobj_create(env[i].fd);
		behind_out[i] = syncobj_create(behind[i].fd);
	}
	before = resets(env[0].fd);
	for (uint32_t i = 0; i < RINGS; i++) {
		struct drm_nna_submit args = env_submit(&env[i]);

		args.budget_ns = BUDGET;
		EQ(submit_args(&env[i], &args, 0, out[i]), 0);
		EQ(submit(&behind[i], 0, behind_out[i]), 0);
	}
	for (uint32_t i = 0; i < RINGS; i++) {
		EQ(syncobj_wait(env[i].fd, out[i], LONG_WAIT), 0);
		EQ(syncobj_status(env[i].fd, out[i]), -ETIME);
		EQ(env_report(&env[i])->status, NNAHW_STATUS_BUDGET);
		/* The report's ticks have been rounded down. */
		CHECK(ticks_to_ns(env[i].fd, (int64_t)env_report(&env[i])->run_time + 1) >=
		      (int64_t)BUDGET);
		EQ(syncobj_wait(behind[i].fd, behind_out[i], LONG_WAIT), 0);
		EQ(syncobj_status(behind[i].fd, behind_out[i]), 1);
		EQ(ctx_state(behind[i].fd, behind[i].ctx).state, 0);
	}
	expect_no_reset(env[0].fd, before);
}

/*
 * A job of a high priority that runs for seconds makes way for lower ones within it, at a tile:
 * each of them begins and ends while it is under way. The device's clock in the reports says so.
 */
TEST(lower_priorities_run_within_a_high_job)
{
	struct env high, low[2];
	uint32_t out, low_out[2];
	struct drm_nna_submit args;

	env_init(&high);
	EQ(ctx_create(high.fd, high.vm, DRM_NNA_CTX_PRIORITY_HIGH, &high.ctx), 0);
	stream_endless(&high);
	out = syncobj_create(high.fd);
	args = env_submit(&high);
	args.budget_ns = 4 * SECOND;
	for (uint32_t i = 0; i < 2; i++) {
		env_init(&low[i]);
		EQ(ctx_create(low[i].fd, low[i].vm, i, &low[i].ctx), 0);
		stream_null(&low[i]);
		low_out[i] = syncobj_create(low[i].fd);
	}
	EQ(submit_args(&high, &args, 0, out), 0);
	for (uint32_t i = 0; i < 2; i++)
		EQ(submit(&low[i], 0, low_out[i]), 0);
	EQ(syncobj_wait(high.fd, out, LONG_WAIT), 0);
	EQ(env_report(&high)->status, NNAHW_STATUS_BUDGET);
	for (uint32_t i = 0; i < 2; i++) {
		EQ(syncobj_wait(low[i].fd, low_out[i], LONG_WAIT), 0);
		EQ(syncobj_status(low[i].fd, low_out[i]), 1);
		CHECK(env_report(&low[i])->end < env_report(&high)->end);
	}
}

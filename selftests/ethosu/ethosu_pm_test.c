// SPDX-License-Identifier: MIT
/* Runtime power management: the NPU sleeps 50 ms after its last job, and wakes with a reset. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

static bool sleeps(const struct npu *npu)
{
	char *text = read_file(npu_file(npu, "power/runtime_status"));
	bool is = !strncmp(text, "suspended", 9);

	free(text);
	return is;
}

TEST(sleeps_after_a_job)
{
	struct npu npu;

	npu_init(&npu);
	npu_expect_copy(&npu);
	CHECK(npu_reaches(&npu, "suspended"));
}

/* A reset forgets all registers: each job writes what it needs. */
TEST(jobs_wake_it)
{
	struct npu npu;

	npu_init(&npu);
	for (int i = 0; i < 5; i++) {
		CHECK(npu_reaches(&npu, "suspended"));
		npu_expect_copy(&npu);
	}
}

TEST(is_awake_during_a_job)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	CHECK(npu_reaches(&npu, "suspended"));
	inject("slow 400000000");
	EQ(npu_submit(&npu, &job), 0);
	while (npu_bo_wait(&npu, npu.out, 10000000))
		CHECK(!sleeps(&npu) || !npu_bo_wait(&npu, npu.out, 0));
	inject("slow 0");
	EQ(memcmp(npu.in_map, npu.out_map, NPU_SIZE), 0);
}

/* Buffers, streams and questions leave it asleep. */
TEST(other_calls_do_not_wake_it)
{
	struct npu_script s = npu_copy(NPU_SIZE);
	struct npu npu, other;
	uint32_t stream;

	npu_init(&npu);
	CHECK(npu_reaches(&npu, "suspended"));
	npu_init_beside(&other);
	EQ(npu_stream(&other, &s, &stream), 0);
	EQ(npu_bo_wait(&other, other.out, 0), 0);
	close(other.fd);
	CHECK(sleeps(&npu));
}

TEST(control_on_keeps_it_awake)
{
	struct npu npu;

	npu_init(&npu);
	write_file(npu_file(&npu, "power/control"), "on");
	CHECK(npu_reaches(&npu, "active"));
	npu_expect_copy(&npu);
	/* Twice the delay of its suspension. */
	usleep(100000);
	CHECK(!sleeps(&npu));
	write_file(npu_file(&npu, "power/control"), "auto");
	CHECK(npu_reaches(&npu, "suspended"));
	npu_expect_copy(&npu);
}

/* The reset of a resume does not end: SUBMIT says so, and the next one tries again. */
TEST(resume_fails)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	CHECK(npu_reaches(&npu, "suspended"));
	inject("refuse-reset 1");
	EQ(npu_submit(&npu, &job), -ETIMEDOUT);
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	EQ(memcmp(npu.in_map, npu.out_map, NPU_SIZE), 0);
}

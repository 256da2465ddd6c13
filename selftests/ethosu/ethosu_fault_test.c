// SPDX-License-Identifier: MIT
/*
 * An NPU that fails: jobs that hang, an interrupt that is lost, errors of the bus and of the
 * stream, slow jobs, a reset that does not end. The fence has an error, and the next job its
 * result.
 *
 * Faults are injected through the control socket of nna-device, so the tests want the NPU for
 * themselves.
 */
#define KSFT_TIMEOUT_S 180

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

#define TIMEOUT_NS 500000000ull /* after which the driver looks at a job */

TEST(hang)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);
	uint64_t begin = now_ns();

	inject("hang 1");
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_fence_wait(npu_fence(&npu, npu.out)), -ECANCELED);
	CHECK(now_ns() - begin >= TIMEOUT_NS);
	EQ(npu.out_map[0], 0);
	npu_expect_copy(&npu);
}

TEST(wait_tells_of_a_hang)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);
	int ret;

	inject("hang 1");
	EQ(npu_submit(&npu, &job), 0);
	ret = npu_bo_wait(&npu, npu.out, LONG_WAIT);
	npu_expect_copy(&npu);
	npu_defect(ret == 0, NULL, "BO_WAIT returns 0 after an error");
}

/* The job is done and nobody says so: its time runs out. */
TEST(lost_interrupt)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	inject("drop-irq 1");
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_fence_wait(npu_fence(&npu, npu.out)), -ECANCELED);
	npu_expect_copy(&npu);
}

static void error(const char *fault)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	for (int i = 0; i < 3; i++) {
		inject("%s 1", fault);
		EQ(npu_run_held(&npu, &job), -ECANCELED);
	}
	npu_expect_copy(&npu);
}

TEST(bus_error)
{
	error("bus-error");
}

TEST(parse_error)
{
	error("parse-error");
}

/* A word that is no command, which the driver lets pass. */
TEST(stream_that_is_none)
{
	struct npu npu;
	struct npu_script s = { .count = 0 };
	struct ethosu_submit_job job;
	uint32_t stream;
	int ret;

	npu_init(&npu);
	npu_copy_settings(&s, 16);
	npu_op(&s, ETHOSU_OP_DMA_START, 0);
	npu_op(&s, 0x8000, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	ret = npu_stream(&npu, &s, &stream);
	if (ret == -EINVAL)
		SKIP("the driver refuses it");
	EQ(ret, 0);
	job = npu_job(&npu, stream);
	EQ(npu_run_held(&npu, &job), -ECANCELED);
	npu_expect_copy(&npu);
}

/* A job that takes longer than the driver's time, and moves on. */
TEST(slow)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	inject("slow 1800000000");
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_fence_wait(npu_fence(&npu, npu.out)), 1);
	inject("slow 0");
	EQ(memcmp(npu.in_map, npu.out_map, NPU_SIZE), 0);
}

/* Jobs behind the one that hangs, of the same client and of another. */
TEST(others_go_on)
{
	struct npu npu, other;
	struct ethosu_submit_job job = npu_init_job(&npu), theirs;
	struct npu_script s = npu_copy(NPU_SIZE);
	uint32_t mine = npu_bo(&npu, NPU_SIZE), stream;
	int fences[2];

	npu_init_beside(&other);
	EQ(npu_stream(&other, &s, &stream), 0);
	theirs = npu_job(&other, stream);
	inject("hang 1");
	EQ(npu_submit(&npu, &job), 0);
	job.regions[1] = mine;
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_submit(&other, &theirs), 0);
	fences[0] = npu_fence(&npu, mine);
	fences[1] = npu_fence(&other, other.out);
	EQ(npu_fence_wait(npu_fence(&npu, npu.out)), -ECANCELED);
	EQ(npu_fence_wait(fences[0]), 1);
	EQ(npu_fence_wait(fences[1]), 1);
	EQ(memcmp(other.in_map, other.out_map, NPU_SIZE), 0);
}

TEST(many_hangs)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	inject("hang 5");
	for (int i = 0; i < 5; i++) {
		EQ(npu_submit(&npu, &job), 0);
		EQ(npu_fence_wait(npu_fence(&npu, npu.out)), -ECANCELED);
	}
	npu_expect_copy(&npu);
}

/* The reset after a hang does not end. The next job begins with another one. */
TEST(reset_does_not_end)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	/* The reset of the resume before the job must not be the one. */
	write_file(npu_file(&npu, "power/control"), "on");
	inject("refuse-reset 1");
	inject("hang 1");
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_fence_wait(npu_fence(&npu, npu.out)), -ECANCELED);
	write_file(npu_file(&npu, "power/control"), "auto");
	npu_expect_copy(&npu);
}

/* While the driver resets the NPU, which takes a second and fails here, others submit. */
TEST(submit_during_a_reset)
{
	struct npu npu, other;
	struct ethosu_submit_job job = npu_init_job(&npu), theirs;
	struct npu_script s = npu_copy(NPU_SIZE);
	uint32_t stream;
	int fence;

	npu_init_beside(&other);
	EQ(npu_stream(&other, &s, &stream), 0);
	theirs = npu_job(&other, stream);
	write_file(npu_file(&npu, "power/control"), "on");
	inject("refuse-reset 1");
	inject("hang 1");
	EQ(npu_submit(&npu, &job), 0);
	fence = npu_fence(&npu, npu.out);
	while (!sync_file_status(fence)) {
		EQ(npu_submit(&other, &theirs), 0);
		usleep(100000);
	}
	EQ(npu_fence_wait(fence), -ECANCELED);
	write_file(npu_file(&npu, "power/control"), "auto");
	EQ(npu_bo_wait(&other, other.out, LONG_WAIT), 0);
	npu_expect_copy(&other);
}

/* A client is killed whose job hangs. */
TEST(killed_client)
{
	struct npu npu;
	pid_t child;
	int status;

	npu_init(&npu);
	child = fork();
	if (!child) {
		struct ethosu_submit_job job = npu_init_job(&npu);

		inject("hang 1");
		EQ(npu_submit(&npu, &job), 0);
		_exit(0);
	}
	EQ(waitpid(child, &status, 0), child);
	EQ(status, 0);
	npu_expect_copy(&npu);
}

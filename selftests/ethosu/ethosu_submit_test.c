// SPDX-License-Identifier: MIT
/* Jobs: what SUBMIT refuses, results, order, fences. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

TEST(copies)
{
	struct npu npu;

	npu_init(&npu);
	npu_expect_copy(&npu);
}

/* The stream's buffer may go once the job is submitted, and so may the others. */
TEST(job_keeps_its_buffers)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);
	int fence;

	inject("slow 200000000");
	EQ(npu_submit(&npu, &job), 0);
	fence = npu_fence(&npu, npu.out);
	EQ(drmCloseBufferHandle(npu.fd, job.stream), 0);
	EQ(drmCloseBufferHandle(npu.fd, npu.in), 0);
	EQ(drmCloseBufferHandle(npu.fd, npu.out), 0);
	EQ(npu_fence_wait(fence), 1);
	inject("slow 0");
	EQ(memcmp(npu.in_map, npu.out_map, NPU_SIZE), 0);
}

TEST(no_jobs)
{
	struct npu npu;

	npu_init(&npu);
	EQ(npu_submit_many(&npu, NULL, 0, 0), 0);
}

TEST(jobs_in_bad_memory)
{
	struct npu npu;

	npu_init(&npu);
	EQ(npu_submit_many(&npu, NULL, 1, 0), -EFAULT);
}

TEST(count_that_no_memory_holds)
{
	unsigned long taint = npu_taint();
	struct npu npu;
	int ret;

	npu_init(&npu);
	/* 40 bytes each: more than 2 GiB. */
	ret = npu_submit_many(&npu, NULL, 0x10000000, 0);
	CHECK(ret == -ENOMEM || ret == -EFAULT || ret == -EINVAL || ret == -E2BIG);
	if (taint & 1ul << 9)
		SKIP("the kernel has warned before");
	npu_defect(npu_taint() & 1ul << 9, "submit-count", "a count of jobs makes the kernel warn");
}

TEST(stream_must_be_one)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);
	uint32_t stream = job.stream;

	job.stream = 1000;
	EQ(npu_submit(&npu, &job), -ENOENT);
	job.stream = 0;
	EQ(npu_submit(&npu, &job), -ENOENT);
	job.stream = npu.in;
	EQ(npu_submit(&npu, &job), -EINVAL);
	job.stream = stream;
	job.regions[1] = stream;
	EQ(npu_submit(&npu, &job), -EINVAL);
}

TEST(regions_must_be_there)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	job.regions[0] = 0;
	EQ(npu_submit(&npu, &job), -ENOENT);
	job.regions[0] = 1000;
	EQ(npu_submit(&npu, &job), -ENOENT);
}

TEST(regions_must_be_used)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	job.regions[7] = npu.in;
	EQ(npu_submit(&npu, &job), -EINVAL);
}

TEST(regions_must_be_large_enough)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	job.regions[0] = npu_bo(&npu, NPU_SIZE - 4096);
	EQ(npu_submit(&npu, &job), -EOVERFLOW);
	job.regions[0] = npu.in;
	job.regions[1] = npu_bo(&npu, NPU_SIZE - 4096);
	EQ(npu_submit(&npu, &job), -EOVERFLOW);
}

/* Region 2 is memory on the chip, of which there is none here: a buffer stands for it. */
TEST(region_of_sram)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);
	struct npu_script s = { .count = 0 };

	job.sram_size = 4096;
	EQ(npu_submit(&npu, &job), -EINVAL);
	npu_copy_settings(&s, 4096);
	npu_op(&s, ETHOSU_SET_DMA_TARGET_REGION, 2);
	npu_op(&s, ETHOSU_OP_DMA_START, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	EQ(npu_stream(&npu, &s, &job.stream), 0);
	job.sram_size = 0;
	job.regions[1] = 0;
	EQ(npu_submit(&npu, &job), -EINVAL);
	job.regions[2] = npu.out;
	job.sram_size = 4096;
	EQ(npu_submit(&npu, &job), -EINVAL);
	job.sram_size = 0;
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	EQ(npu.out_map[4095], NPU_INPUT);
}

/* The jobs before the one that is refused run. */
TEST(second_job_is_refused)
{
	struct npu npu;
	struct ethosu_submit_job jobs[2] = { npu_init_job(&npu) };

	jobs[1] = jobs[0];
	jobs[1].stream = 1000;
	EQ(npu_submit_many(&npu, jobs, 2, 0), -ENOENT);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	EQ(npu.out_map[0], NPU_INPUT);
}

/* A chain of jobs, each of which reads what the one before has written. */
TEST(jobs_run_in_order)
{
	struct ethosu_submit_job jobs[17];
	uint32_t bos[18];
	struct npu npu;
	uint8_t *last;

	jobs[0] = npu_init_job(&npu);
	bos[0] = npu.in;
	for (int i = 0; i < 17; i++) {
		bos[i + 1] = npu_bo(&npu, NPU_SIZE);
		jobs[i] = jobs[0];
		jobs[i].regions[0] = bos[i];
		jobs[i].regions[1] = bos[i + 1];
	}
	EQ(npu_submit_many(&npu, jobs, 17, 0), 0);
	EQ(npu_bo_wait(&npu, bos[17], LONG_WAIT), 0);
	last = npu_map(&npu, bos[17], NPU_SIZE);
	EQ(memcmp(last, npu.in_map, NPU_SIZE), 0);
}

TEST(wait_ends_before_the_job)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);

	inject("slow 1000000000");
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_bo_wait(&npu, npu.out, 0), -ETIME);
	EQ(npu_bo_wait(&npu, npu.out, 1000000), -ETIME);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	inject("slow 0");
	EQ(npu.out_map[NPU_SIZE - 1], NPU_INPUT);
}

/* Who waits for a buffer that a job reads may change it: the job must be over. */
TEST(wait_for_an_input)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);
	int ret;

	inject("slow 1000000000");
	EQ(npu_submit(&npu, &job), 0);
	ret = npu_bo_wait(&npu, npu.in, 0);
	CHECK(ret == 0 || ret == -ETIME);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	inject("slow 0");
	npu_defect(ret == 0, "read-fence", "a job puts no fence on buffers that it reads");
}

TEST(monitor_that_is_none)
{
	struct npu npu;
	struct ethosu_submit_job job = npu_init_job(&npu);
	int ret = npu_submit_many(&npu, &job, 1, 77);

	CHECK(ret == 0 || ret == -EINVAL || ret == -ENOENT);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	npu_defect(ret == 0, NULL, "SUBMIT takes the id of a perfmon that there is not");
}

/* Clients of several processes, each with its own bytes. */
TEST(clients_at_once)
{
	pid_t children[4];
	struct npu npu;

	npu_init(&npu);
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		CHECK(children[i] >= 0);
		if (children[i])
			continue;
		npu_init_beside(&npu);
		for (int k = 0; k < 50; k++) {
			memset(npu.in_map, 16 * i + k % 16, NPU_SIZE);
			npu_expect_copy(&npu);
		}
		_exit(0);
	}
	for (int i = 0; i < 4; i++) {
		int status;

		EQ(waitpid(children[i], &status, 0), children[i]);
		EQ(status, 0);
	}
}

/* A client that ends leaves its jobs; others go on. */
TEST(client_ends_with_jobs)
{
	struct npu npu;
	pid_t child;
	int status;

	npu_init(&npu);
	child = fork();
	if (!child) {
		struct npu_script s = npu_copy(NPU_SIZE);
		struct ethosu_submit_job jobs[8];

		npu_init_beside(&npu);
		inject("slow 100000000");
		EQ(npu_stream(&npu, &s, &jobs[0].stream), 0);
		for (int i = 7; i >= 0; i--)
			jobs[i] = npu_job(&npu, jobs[0].stream);
		EQ(npu_submit_many(&npu, jobs, 8, 0), 0);
		_exit(0);
	}
	EQ(waitpid(child, &status, 0), child);
	EQ(status, 0);
	inject("slow 0");
	npu_expect_copy(&npu);
}

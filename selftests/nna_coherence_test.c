// SPDX-License-Identifier: MIT
/*
 * Memory that the CPU has in its caches, for a device that does not see these. An emulator has no
 * caches, so the tests look at what was done and in which order: the trace has the calls by which
 * the kernel cleans and invalidates them, and the jobs. For a device that sees the caches there
 * must be no such call. `vm/run --arch arm64 --incoherent` has a device of the first kind, and says
 * so in NNA_INCOHERENT.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ksft.h"
#include "nna_test.h"

#define VA (ENV_VA + (1ull << 30))
#define SIZE 0x20000u
/* A part that begins and ends within a page, and has whole pages of every size between. */
#define OFFSET 0x800u
#define PART 0x1f000u

static bool coherent(int fd)
{
	return hw_info(fd).flags & DRM_NNA_HW_COHERENT;
}

static int bo_sync(int fd, uint32_t bo, uint32_t type)
{
	struct drm_nna_bo_sync_op op = {
		.handle = bo, .type = type, .offset = OFFSET, .size = PART,
	};
	struct drm_nna_bo_sync args = { .ops = DRM_NNA_OBJ_ARRAY(1, &op) };

	return xioctl(fd, DRM_IOCTL_NNA_BO_SYNC, &args);
}

TEST(what_vm_run_has_asked_for)
{
	const char *asked = getenv("NNA_INCOHERENT");

	if (!asked || !*asked)
		SKIP("NNA_INCOHERENT is not set");
	EQ(coherent(nna_open()), false);
}

/*
 * The CPU writes, the device reads and writes, the CPU reads. The caches are cleaned after the
 * first and before the doorbell, and invalidated after the end of the job and before the last.
 */
TEST(cpu_device_cpu)
{
	char *text, *run, *done;
	struct nnahw_base *table;
	unsigned long long expected;
	struct env env;
	uint32_t bo;
	uint8_t *map;

	env_init(&env);
	expected = coherent(env.fd) ? 0 : PART;
	bo = bo_create(env.fd, SIZE, 0, DRM_NNA_BO_CACHED);
	EQ(vm_map(env.fd, env.vm, bo, 0, VA, SIZE, 0), 0);
	map = bo_map(env.fd, bo, SIZE);
	table = (struct nnahw_base *)(env.map + ENV_TABLE);
	table->address = VA;
	table->size = SIZE;
	stream_begin(&env);
	stream_fill(&env, OFFSET, PART, 0x5a);
	stream_end(&env);
	stream_finish(&env);

	trace_begin();
	memset(map, 1, SIZE);
	EQ(bo_sync(env.fd, bo, DRM_NNA_BO_SYNC_TO_DEVICE), 0);
	EQ(submit_and_wait(&env), 0);
	EQ(bo_sync(env.fd, bo, DRM_NNA_BO_SYNC_TO_CPU), 0);
	EQ(map[OFFSET], 0x5a);
	EQ(map[OFFSET + PART - 1], 0x5a);
	EQ(map[OFFSET - 1], 1);
	EQ(map[OFFSET + PART], 1);
	text = trace_end();

	run = trace_find(text, "nna_job_run: ");
	done = trace_find(run, "nna_job_done: ");
	EQ(trace_sum(text, run, "dma_sync_single_for_device: "), expected);
	EQ(trace_sum(run, text + strlen(text), "dma_sync_single_for_device: "), 0);
	EQ(trace_sum(text, done, "dma_sync_single_for_cpu: "), 0);
	EQ(trace_sum(done, text + strlen(text), "dma_sync_single_for_cpu: "), expected);
	free(text);
}

/* What the CPU maps without its caches needs no call. */
TEST(uncached)
{
	struct env env;
	uint32_t bo;
	char *text;

	env_init(&env);
	bo = bo_create(env.fd, SIZE, 0, 0);
	EQ(vm_map(env.fd, env.vm, bo, 0, VA, SIZE, 0), 0);
	trace_begin();
	EQ(bo_sync(env.fd, bo, DRM_NNA_BO_SYNC_TO_DEVICE), 0);
	expect_result(&env);
	EQ(bo_sync(env.fd, bo, DRM_NNA_BO_SYNC_TO_CPU), 0);
	text = trace_end();
	trace_find(text, "nna_job_done: ");
	EQ(trace_sum(text, text + strlen(text), "dma_sync_single_for_"), 0);
	free(text);
}

/*
 * The kernel has zeroed the pages of an object by its own mapping, which is cached. The DMA mapping
 * cleans them, unless the driver forbids it, before a job can see them.
 */
TEST(new_pages_are_cleaned)
{
	char *text, *map, *run;
	struct env env;
	uint32_t bo;

	env_init(&env);
	bo = bo_create(env.fd, SIZE, 0, 0);
	trace_begin();
	EQ(vm_map(env.fd, env.vm, bo, 0, VA, SIZE, 0), 0);
	expect_result(&env);
	text = trace_end();
	run = trace_find(text, "nna_job_run: ");
	map = trace_find(text, "dma_map_sg: ");
	CHECK(map < run);
	*strchr(map, '\n') = 0;
	CHECK(strstr(map, "dir=BIDIRECTIONAL"));
	CHECK(!strstr(map, "SKIP_CPU_SYNC"));
	free(text);
}

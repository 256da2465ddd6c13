// SPDX-License-Identifier: MIT
/*
 * A performance monitor that goes while its job waits. Memory that was freed is written to where
 * the driver is wrong, so this wants a kernel that checks its slabs: --append slub_debug=FZP.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

#define SLABS "/sys/kernel/slab"

/* Has the kernel look at all free objects of a size class; what it finds taints it. */
static void validate_slabs(void)
{
	DIR *dir = opendir(SLABS);
	struct dirent *entry;
	char path[512];
	int found = 0;

	CHECK(dir);
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, "kmalloc-", 8))
			continue;
		snprintf(path, sizeof(path), SLABS "/%s/validate", entry->d_name);
		if (access(path, W_OK))
			continue;
		write_file(path, "1");
		found++;
	}
	closedir(dir);
	if (!found)
		SKIP("the kernel does not check its slabs");
}

TEST(monitor_goes_before_its_job)
{
	struct ethosu_perfmon_create args = { .ncounters = 3, .counters = { 0x11, 0x20, 0x23 } };
	struct ethosu_perfmon_destroy gone;
	struct npu_script s = npu_copy(NPU_SIZE);
	struct ethosu_submit_job job;
	unsigned long taint = npu_taint();
	struct npu npu;
	uint32_t stream;

	npu_init(&npu);
	write_file(npu_file(&npu, "power/control"), "on");
	EQ(npu_stream(&npu, &s, &stream), 0);
	job = npu_job(&npu, stream);
	EQ(xioctl(npu.fd, ETHOSU_PERFMON_CREATE, &args), 0);
	gone = (struct ethosu_perfmon_destroy){ .id = args.id };
	/* The first job holds the second one back until its monitor has gone. */
	inject("slow 1000000000");
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_submit_many(&npu, &job, 1, args.id), 0);
	EQ(xioctl(npu.fd, ETHOSU_PERFMON_DESTROY, &gone), 0);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	inject("slow 0");
	/* Until the job has been freed, and the monitor with it. */
	for (int i = 0; i < 10; i++) {
		npu_expect_copy(&npu);
		usleep(100000);
	}
	write_file(npu_file(&npu, "power/control"), "auto");
	validate_slabs();
	npu_defect(npu_taint() != taint, "perfmon-reference",
		   "a monitor is used after it was freed");
}

// SPDX-License-Identifier: MIT
/*
 * ethosu_drive: run a command stream through the kernel's driver for Ethos-U.
 *
 *	--device PATH	the node (/dev/accel/accel0)
 *	--repeat N	runs (1)
 *	--info		print what the driver says of the NPU; needs no stream
 *
 * and what arguments.h lists. After each run "run: STATUS" is printed: "done" or the error that the
 * run's fence has. The ABI reports no errors: BO_WAIT returns 0 after a hang. So the fence is
 * exported from a buffer of the job right after SUBMIT, as a sync_file, whose status is the job's.
 *
 * Exit status: 0 when all runs are done, 1 when one has failed or the driver has refused something,
 * 2 for a wrong command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "tests/ethosu/arguments.h"
#include "libnnaccel/winsys/ethosu/uapi.h"

#define WAIT_NS 600000000000ll /* far more than the driver's time-out */

static struct ethosu_arguments arguments = { .program = "ethosu_drive" };

static void command(int fd, unsigned long request, void *argument, const char *name)
{
	if (drmIoctl(fd, request, argument)) {
		fprintf(stderr, "ethosu_drive: %s: %s\n", name, strerror(errno));
		exit(1);
	}
}

static void print_info(int fd)
{
	struct ethosu_npu_info info = { 0 };
	struct ethosu_query query = { .size = sizeof(info), .pointer = (uintptr_t)&info };

	command(fd, ETHOSU_QUERY, &query, "DEV_QUERY");
	printf("id 0x%08x config 0x%08x sram %u counters %u\n", info.id, info.config,
	       info.sram_size, info.pmu_counters);
}

/* A buffer that this process maps. Return: its handle. */
static uint32_t buffer(int fd, uint64_t size, uint8_t **memory)
{
	struct ethosu_bo_create create = { .size = size };
	struct ethosu_bo_offset offset = { 0 };

	command(fd, ETHOSU_BO_CREATE, &create, "BO_CREATE");
	offset.handle = create.handle;
	command(fd, ETHOSU_BO_OFFSET, &offset, "BO_MMAP_OFFSET");
	*memory = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)offset.offset);
	if (*memory == MAP_FAILED) {
		fprintf(stderr, "ethosu_drive: mmap of %llu bytes: %s\n",
			(unsigned long long)create.size, strerror(errno));
		exit(1);
	}
	return create.handle;
}

static uint32_t stream(int fd)
{
	struct ethosu_stream_create create = { 0 };
	void *words;

	create.size = (uint32_t)ethosu_arguments_size_of(&arguments, arguments.stream);
	words = malloc(create.size);
	if (!words)
		ethosu_arguments_fail(&arguments, "out of memory for", arguments.stream);
	ethosu_arguments_load(&arguments, arguments.stream, words, create.size);
	create.data = (uintptr_t)words;
	command(fd, ETHOSU_STREAM_CREATE, &create, "CMDSTREAM_BO_CREATE");
	free(words);
	return create.handle;
}

/* The fence of what the buffer's last job does. Return: a sync_file's descriptor. */
static int fence_of(int fd, uint32_t handle)
{
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	int buf;

	if (drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &buf) ||
	    ioctl(buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export)) {
		fprintf(stderr, "ethosu_drive: no sync_file of a buffer: %s\n", strerror(errno));
		exit(1);
	}
	close(buf);
	return export.fd;
}

/* Return: 1, the job is done; 0, it is under way; or the negative errno of its error. */
static int status_of(int fence)
{
	struct sync_file_info info = { 0 };

	if (ioctl(fence, SYNC_IOC_FILE_INFO, &info)) {
		fprintf(stderr, "ethosu_drive: SYNC_IOC_FILE_INFO: %s\n", strerror(errno));
		exit(1);
	}
	return info.status;
}

static bool run(int fd, uint32_t cmd, const uint32_t *handles, uint32_t shared)
{
	struct ethosu_submit_job job = { .stream = cmd };
	struct ethosu_submit submit = { .jobs = (uintptr_t)&job, .count = 1 };
	struct ethosu_bo_wait wait = { .handle = shared };
	struct timespec now;
	int fence, status;

	memcpy(job.regions, handles, sizeof(job.regions));
	command(fd, ETHOSU_SUBMIT, &submit, "SUBMIT");
	fence = fence_of(fd, shared);
	clock_gettime(CLOCK_MONOTONIC, &now);
	wait.timeout_ns = now.tv_sec * 1000000000ll + now.tv_nsec + WAIT_NS;
	command(fd, ETHOSU_BO_WAIT, &wait, "BO_WAIT");
	status = status_of(fence);
	close(fence);
	printf("run: %s\n", status > 0 ? "done" : status < 0 ? strerror(-status) : "not over");
	return status > 0;
}

int main(int argc, char **argv)
{
	struct ethosu_arguments *a = &arguments;
	const char *path = "/dev/accel/accel0";
	uint32_t handles[ETHOSU_REGIONS] = { 0 }, cmd, shared = 0;
	bool info = false, done = true;
	int fd, repeat = 1;

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--info")) {
			info = true;
			continue;
		}
		if (!strcmp(argv[i], "--device"))
			path = value;
		else if (!strcmp(argv[i], "--repeat"))
			repeat = atoi(value);
		else if (!ethosu_arguments_take(a, argv[i], value))
			ethosu_arguments_fail(a, "unknown option", argv[i]);
		i++;
	}
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		ethosu_arguments_fail(a, strerror(errno), path);
	if (info)
		print_info(fd);
	if (!a->stream)
		return info ? 0 : 2;
	ethosu_arguments_regions(a);
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++) {
		if (!a->size[i])
			continue;
		handles[i] = buffer(fd, a->size[i], &a->memory[i]);
		shared = handles[i];
	}
	ethosu_arguments_fill(a);
	cmd = stream(fd);
	for (int i = 0; done && i < repeat; i++) {
		ethosu_arguments_write(a);
		done = run(fd, cmd, handles, shared);
	}
	ethosu_arguments_read(a);
	close(fd);
	return !done;
}

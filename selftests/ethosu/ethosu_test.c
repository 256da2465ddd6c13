// SPDX-License-Identifier: MIT
/* What the tests of the kernel's driver for Ethos-U share: see ethosu_test.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xf86drm.h>

#include "selftests/ethosu/ethosu_test.h"
#include "selftests/nna_test.h"

#define HELD_NS 1000000000ull

static void __attribute__((noreturn)) end(int status, const char *kind, const char *text)
{
	printf("# %s: %s\n", kind, text);
	fflush(stdout);
	_exit(status);
}

int npu_open(void)
{
	for (int i = 0; i < 16; i++) {
		drmVersionPtr version;
		char path[32];
		bool match;
		int fd;

		snprintf(path, sizeof(path), "/dev/accel/accel%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		version = drmGetVersion(fd);
		match = version && !strcmp(version->name, "ethosu");
		drmFreeVersion(version);
		if (match)
			return fd;
		close(fd);
	}
	end(4, "skipped", "no device of driver ethosu");
}

static void must(int ret, const char *what)
{
	if (ret)
		die(what, ret);
}

uint32_t npu_bo(const struct npu *npu, uint64_t size)
{
	struct ethosu_bo_create create = { .size = size };

	must(xioctl(npu->fd, ETHOSU_BO_CREATE, &create), "BO_CREATE");
	return create.handle;
}

void *npu_map(const struct npu *npu, uint32_t handle, uint64_t size)
{
	struct ethosu_bo_offset offset = { .handle = handle };
	void *map;

	must(xioctl(npu->fd, ETHOSU_BO_OFFSET, &offset), "BO_MMAP_OFFSET");
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, npu->fd, (off_t)offset.offset);
	if (map == MAP_FAILED)
		die("mmap", -errno);
	return map;
}

void npu_init_beside(struct npu *npu)
{
	struct ethosu_query query = { .size = sizeof(npu->info) };

	npu->fd = npu_open();
	query.pointer = (uintptr_t)&npu->info;
	must(xioctl(npu->fd, ETHOSU_QUERY, &query), "DEV_QUERY");
	npu->u65 = npu->info.id >> 28 == 1;
	npu->in = npu_bo(npu, NPU_SIZE);
	npu->out = npu_bo(npu, NPU_SIZE);
	npu->in_map = npu_map(npu, npu->in, NPU_SIZE);
	npu->out_map = npu_map(npu, npu->out, NPU_SIZE);
	memset(npu->in_map, NPU_INPUT, NPU_SIZE);
	memset(npu->out_map, 0, NPU_SIZE);
}

void npu_init(struct npu *npu)
{
	static const char *const faults[] = {
		"hang", "drop-irq", "bus-error", "parse-error", "slow", "refuse-reset",
	};

	if (getenv("NNA_CONTROL"))
		for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
			inject("%s 0", faults[i]);
	npu_init_beside(npu);
}

void npu_fini(struct npu *npu)
{
	munmap(npu->in_map, NPU_SIZE);
	munmap(npu->out_map, NPU_SIZE);
	close(npu->fd);
}

void npu_op(struct npu_script *s, uint32_t code, uint32_t parameter)
{
	if (s->count + 1 > NPU_WORDS)
		die("a script is too long", -ENOSPC);
	s->words[s->count++] = code | parameter << 16;
}

void npu_long(struct npu_script *s, uint32_t code, uint64_t value)
{
	npu_op(s, code | NPU_LONG_WORD, (uint32_t)(value >> 32) & 0xff);
	if (s->count + 1 > NPU_WORDS)
		die("a script is too long", -ENOSPC);
	s->words[s->count++] = (uint32_t)value;
}

void npu_copy_settings(struct npu_script *s, uint64_t length)
{
	npu_op(s, ETHOSU_SET_DMA_SOURCE_REGION, 0);
	npu_op(s, ETHOSU_SET_DMA_TARGET_REGION, 1);
	npu_long(s, ETHOSU_SET_DMA_SOURCE, 0);
	npu_long(s, ETHOSU_SET_DMA_TARGET, 0);
	npu_long(s, ETHOSU_SET_DMA_LENGTH, length);
}

struct npu_script npu_copy(uint64_t length)
{
	struct npu_script s = { .count = 0 };

	npu_copy_settings(&s, length);
	npu_op(&s, ETHOSU_OP_DMA_START, 0);
	npu_op(&s, ETHOSU_OP_DMA_WAIT, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0xffff);
	return s;
}

int npu_stream(const struct npu *npu, const struct npu_script *s, uint32_t *handle)
{
	struct ethosu_stream_create create = { .size = s->count * 4, .data = (uintptr_t)s->words };
	int ret = xioctl(npu->fd, ETHOSU_STREAM_CREATE, &create);

	*handle = create.handle;
	return ret;
}

struct ethosu_submit_job npu_job(const struct npu *npu, uint32_t stream)
{
	return (struct ethosu_submit_job){ .stream = stream, .regions = { npu->in, npu->out } };
}

struct ethosu_submit_job npu_copy_job(const struct npu *npu)
{
	struct npu_script s = npu_copy(NPU_SIZE);
	uint32_t stream;

	must(npu_stream(npu, &s, &stream), "CMDSTREAM_BO_CREATE");
	return npu_job(npu, stream);
}

struct ethosu_submit_job npu_init_job(struct npu *npu)
{
	npu_init(npu);
	return npu_copy_job(npu);
}

int npu_submit_many(const struct npu *npu, const struct ethosu_submit_job *jobs, uint32_t count,
		    uint32_t perfmon)
{
	struct ethosu_submit submit = { .jobs = (uintptr_t)jobs, .count = count,
					.perfmon = perfmon };

	return xioctl(npu->fd, ETHOSU_SUBMIT, &submit);
}

int npu_submit(const struct npu *npu, const struct ethosu_submit_job *job)
{
	return npu_submit_many(npu, job, 1, 0);
}

int npu_bo_wait(const struct npu *npu, uint32_t handle, int64_t ns)
{
	struct ethosu_bo_wait wait = { .handle = handle,
				       .timeout_ns = ns ? (int64_t)now_ns() + ns : 0 };

	return xioctl(npu->fd, ETHOSU_BO_WAIT, &wait);
}

int npu_fence(const struct npu *npu, uint32_t handle)
{
	struct dma_buf_export_sync_file args = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	int buf;

	if (drmPrimeHandleToFD(npu->fd, handle, DRM_CLOEXEC | DRM_RDWR, &buf))
		die("PRIME_HANDLE_TO_FD", -errno);
	must(xioctl(buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &args), "EXPORT_SYNC_FILE");
	close(buf);
	return args.fd;
}

int npu_fence_wait(int fence)
{
	struct pollfd p = { .fd = fence, .events = POLLIN };
	int ret = poll(&p, 1, (int)(LONG_WAIT / 1000000));

	if (ret != 1)
		die("a fence does not signal", -ETIME);
	ret = sync_file_status(fence);
	close(fence);
	return ret;
}

int npu_run_held(const struct npu *npu, const struct ethosu_submit_job *job)
{
	int ret;

	inject("slow %llu", HELD_NS);
	ret = npu_submit(npu, job);
	if (!ret)
		ret = npu_fence_wait(npu_fence(npu, npu->out));
	inject("slow 0");
	return ret;
}

void npu_expect_copy(const struct npu *npu)
{
	struct ethosu_submit_job job = npu_copy_job(npu);

	memset(npu->out_map, 0, NPU_SIZE);
	must(npu_submit(npu, &job), "SUBMIT");
	must(npu_bo_wait(npu, npu->out, (int64_t)LONG_WAIT), "BO_WAIT");
	if (memcmp(npu->in_map, npu->out_map, NPU_SIZE))
		end(1, "failed", "a job has not written its output");
	drmCloseBufferHandle(npu->fd, job.stream);
}

const char *npu_device(const struct npu *npu)
{
	static char target[256];
	char path[64];
	struct stat st;
	ssize_t n;

	if (fstat(npu->fd, &st))
		die("fstat", -errno);
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		die(path, -errno);
	target[n] = 0;
	return strrchr(target, '/') + 1;
}

const char *npu_file(const struct npu *npu, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/%s", npu_device(npu), name);
	return path;
}

bool npu_reaches(const struct npu *npu, const char *status)
{
	for (uint64_t end = now_ns() + LONG_WAIT; now_ns() < end; usleep(10000)) {
		char *text = read_file(npu_file(npu, "power/runtime_status"));
		bool is = !strncmp(text, status, strlen(status));

		free(text);
		if (is)
			return true;
	}
	return false;
}

unsigned long npu_taint(void)
{
	char *text = read_file("/proc/sys/kernel/tainted");
	unsigned long taint = strtoul(text, NULL, 10);

	free(text);
	return taint;
}

void npu_defect(bool seen, const char *patch, const char *text)
{
	bool patched = patch && getenv("ETHOSU_PATCHED");

	if (patched) {
		if (seen)
			end(1, "failed", text);
		return;
	}
	if (!seen)
		end(1, "a defect of the driver is gone", text);
	end(2, "a defect of the driver", text);
}

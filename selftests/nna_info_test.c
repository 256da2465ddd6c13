// SPDX-License-Identifier: MIT
/*
 * What the driver shows: fdinfo as Documentation/gpu/drm-usage-stats.rst has it, debugfs,
 * tracepoints and the log. Needs root.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

static long long fdinfo(int fd, const char *key)
{
	char *text = fdinfo_read(fd);
	long long value = text_value(text, key);

	free(text);
	return value;
}

/* A memory statistic of fdinfo in KiB, whatever its unit. */
static long long fdinfo_memory(int fd, const char *region)
{
	char *text = fdinfo_read(fd), *at, key[64], unit[8] = "";
	long long value = -1;

	snprintf(key, sizeof(key), "drm-%s-memory:", region);
	at = strstr(text, key);
	if (at)
		sscanf(at + strlen(key), "%lld %7s", &value, unit);
	free(text);
	if (!strcmp(unit, "MiB"))
		return value << 10;
	return strcmp(unit, "KiB") && value ? -1 : value;
}

static void need_debugfs(int fd)
{
	char path[128];

	debugfs_path(path, sizeof(path), fd, "");
	if (access(path, X_OK))
		SKIP("no %s", path);
}

/* Runs a job of medium priority that takes a while; returns its run time by its report. */
static uint64_t long_job(struct env *env)
{
	stream_begin(env);
	for (int i = 0; i < 200; i++)
		stream_fill(env, 0, ENV_SIZE - ENV_DATA, (uint8_t)i);
	stream_end(env);
	stream_finish(env);
	EQ(submit_and_wait(env), 0);
	return env_report(env)->run_time;
}

TEST(fdinfo_names)
{
	int fd = nna_open();
	char *text = fdinfo_read(fd), pdev[96];

	CHECK(strstr(text, "drm-driver:\tnna\n"));
	snprintf(pdev, sizeof(pdev), "drm-pdev:\t%s\n", device_name(fd));
	EQ(!!strstr(text, pdev), device_is_pci(fd));
	CHECK(text_value(text, "drm-client-id:") > 0);
	free(text);
}

TEST(fdinfo_clients_differ)
{
	int a = nna_open(), b = nna_open();

	CHECK(fdinfo(a, "drm-client-id:") != fdinfo(b, "drm-client-id:"));
}

TEST(fdinfo_engines)
{
	static const char *const names[] = { "low", "medium", "high", "realtime" };
	long long before[4], after[4], sum = 0;
	struct env env, other;
	uint64_t took;
	char key[64];

	env_init(&env);
	env_init(&other);
	for (int i = 0; i < 4; i++) {
		snprintf(key, sizeof(key), "nna-time-%s:", names[i]);
		before[i] = fdinfo(env.fd, key);
		EQ(before[i], 0);
	}
	EQ(fdinfo(env.fd, "drm-engine-npu:"), 0);
	took = long_job(&env);
	for (int i = 0; i < 4; i++) {
		snprintf(key, sizeof(key), "nna-time-%s:", names[i]);
		after[i] = fdinfo(env.fd, key);
		sum += after[i];
		if (i != DRM_NNA_CTX_PRIORITY_MEDIUM)
			EQ(after[i], 0);
		EQ(fdinfo(other.fd, key), 0);
	}
	EQ(fdinfo(env.fd, "drm-engine-npu:"), sum);
	EQ(fdinfo(other.fd, "drm-engine-npu:"), 0);
	/* In ns. */
	took = took * SECOND / hw_info(env.fd).tick_hz;
	CHECK(after[1] > (long long)took / 2 && after[1] < (long long)took * 2);
	/* The time of a destroyed context still counts. */
	EQ(ctx_destroy(env.fd, env.ctx), 0);
	CHECK(fdinfo(env.fd, "nna-time-medium:") >= after[1]);
}

/* The time of a job that runs is seen before it ends, by nobody else, and without its priority. */
TEST(fdinfo_of_a_running_job)
{
	struct drm_nna_submit args;
	struct env env, other;
	long long first;
	uint32_t out;

	env_init(&env);
	env_init(&other);
	stream_endless(&env);
	args = env_submit(&env);
	args.budget_ns = 3 * SECOND;
	out = syncobj_create(env.fd);
	EQ(submit_args(&env, &args, 0, out), 0);
	do {
		first = fdinfo(env.fd, "drm-engine-npu:");
		EQ(syncobj_status(env.fd, out), 0);
	} while (!first);
	EQ(fdinfo(other.fd, "drm-engine-npu:"), 0);
	EQ(fdinfo(env.fd, "nna-time-high:"), 0);
	while (fdinfo(env.fd, "drm-engine-npu:") <= first)
		EQ(syncobj_status(env.fd, out), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), -ETIME);
	CHECK(fdinfo(env.fd, "drm-engine-npu:") >= 3 * (long long)SECOND);
}

/*
 * Each line is one that drm-usage-stats.rst defines, or has the driver's name before its key. One
 * engine, since the rings share one command processor.
 */
TEST(fdinfo_is_as_defined)
{
	struct env env;
	char *text, *line, *rest;
	int engines = 0, regions = 0;

	env_init(&env);
	expect_result(&env);
	text = fdinfo_read(env.fd);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		static const char *const memory[] = { "drm-total-", "drm-shared-", "drm-resident-",
						      "drm-purgeable-", "drm-active-" };
		unsigned long long value;
		char unit[8] = "", *colon = strchr(line, ':');

		CHECK(colon);
		EQ(sscanf(colon + 1, "%llu %7s", &value, unit) >= 0, true);
		if (!strncmp(line, "drm-engine-", 11)) {
			EQ(strcmp(unit, "ns"), 0);
			CHECK(memcmp(line + 11, "capacity-", 9));
			engines++;
		}
		for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
			if (strncmp(line, memory[i], strlen(memory[i])))
				continue;
			/* No unit: bytes. */
			CHECK(!unit[0] || !strcmp(unit, "KiB") || !strcmp(unit, "MiB"));
			regions++;
		}
		if (!strncmp(line, "drm-", 4))
			CHECK(!strncmp(line + 4, "driver:", 7) || !strncmp(line + 4, "pdev:", 5) ||
			      !strncmp(line + 4, "client-", 7) ||
			      !strncmp(line + 4, "engine-", 7) ||
			      !strncmp(line + 4, "total-", 6) || !strncmp(line + 4, "shared-", 7) ||
			      !strncmp(line + 4, "resident-", 9) ||
			      !strncmp(line + 4, "purgeable-", 10) ||
			      !strncmp(line + 4, "active-", 7));
		else
			CHECK(!strncmp(line, "nna-time-", 9) || !strncmp(line, "pos:", 4) ||
			      !strncmp(line, "flags:", 6) || !strncmp(line, "mnt_id:", 7) ||
			      !strncmp(line, "ino:", 4));
	}
	free(text);
	EQ(engines, 1);
	CHECK(regions >= 1);
}

/* The time of a job that is ended because it has used up its budget counts, too. */
TEST(fdinfo_engine_of_a_budget)
{
	struct drm_nna_submit args;
	struct env env;

	env_init(&env);
	stream_endless(&env);
	args = env_submit(&env);
	args.budget_ns = SECOND / 10;
	EQ(submit_args_and_wait(&env, &args), -ETIME);
	CHECK(fdinfo(env.fd, "nna-time-medium:") >= (long long)(SECOND / 10));
}

TEST(fdinfo_memory)
{
	int fd = nna_open(), dmabuf;
	long long total = fdinfo_memory(fd, "total");
	uint32_t bo, vm = vm_create(fd);

	EQ(total, 0);
	bo = bo_create(fd, 1 << 20, 0, 0);
	EQ(fdinfo_memory(fd, "total"), 1024);
	/* Newer kernels have no line for 0. */
	CHECK(fdinfo_memory(fd, "resident") <= 0);
	EQ(fdinfo_memory(fd, "shared"), 0);
	EQ(vm_map(fd, vm, bo, 0, ENV_VA, 1 << 20, 0), 0);
	EQ(fdinfo_memory(fd, "resident"), 1024);
	EQ(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC, &dmabuf), 0);
	EQ(fdinfo_memory(fd, "shared"), 1024);
	bo_close(fd, bo);
	EQ(fdinfo_memory(fd, "total"), 0);
}

TEST(debugfs_counters)
{
	struct env env;
	char *text;
	long long jobs;

	env_init(&env);
	need_debugfs(env.fd);
	text = debugfs_read(env.fd, "counters");
	jobs = text_value(text, "jobs ");
	CHECK(jobs >= 0);
	CHECK(text_value(text, "mmio_reads ") > 0);
	CHECK(text_value(text, "driver_irqs ") > 0);
	free(text);
	stream_null(&env);
	for (int i = 0; i < 10; i++)
		EQ(submit_and_wait(&env), 0);
	text = debugfs_read(env.fd, "counters");
	EQ(text_value(text, "jobs "), jobs + 10);
	free(text);
}

TEST(debugfs_rings)
{
	int fd = nna_open(), rings = 0;
	char *text, *line, *save;

	need_debugfs(fd);
	text = debugfs_read(fd, "rings");
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		int index, running;

		if (sscanf(line, "%d %d", &index, &running) != 2)
			continue;
		EQ(index, rings);
		EQ(running, 1);
		rings++;
	}
	EQ(rings, NNAHW_RINGS);
	free(text);
}

TEST(debugfs_gpuvas)
{
	struct env env;
	char *text, asid[32];
	bool there = true;

	env_init(&env);
	need_debugfs(env.fd);
	text = debugfs_read(env.fd, "gpuvas");
	/* DRM prints ranges as hexadecimal numbers of 16 digits. */
	snprintf(asid, sizeof(asid), "%016llx", ENV_VA);
	CHECK(strstr(text, "asid "));
	CHECK(strstr(text, asid));
	free(text);
	EQ(vm_unmap(env.fd, env.vm, ENV_VA, ENV_SIZE), 0);
	EQ(vm_map(env.fd, env.vm, env.bo, 0, 0x123456000, 0x1000, 0), 0);
	text = debugfs_read(env.fd, "gpuvas");
	CHECK(strstr(text, "0000000123456000"));
	free(text);
	/* Whoever has read it does not keep the address space. */
	EQ(ctx_destroy(env.fd, env.ctx), 0);
	EQ(vm_destroy(env.fd, env.vm), 0);
	for (uint64_t end = now_ns() + LONG_WAIT; there; usleep(10000)) {
		CHECK(now_ns() < end);
		text = debugfs_read(env.fd, "gpuvas");
		there = strstr(text, "0000000123456000");
		free(text);
	}
}

static void label(int fd, uint32_t bo, const char *text)
{
	struct drm_nna_bo_set_label args = { .handle = bo, .label = (uintptr_t)text };

	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_SET_LABEL, &args), 0);
}

TEST(debugfs_gems)
{
	int fd = nna_open(), dmabuf;
	unsigned int flags, private, imported, exported, pages, mapped;
	unsigned long long size, refs, handles;
	uint32_t vm = vm_create(fd), a, b;
	char *text, *line;

	need_debugfs(fd);
	a = bo_create(fd, 5 * cpu_page(), 0, 0);
	b = bo_create(fd, 7 * cpu_page(), vm, DRM_NNA_BO_NO_MMAP);
	EQ(drmPrimeHandleToFD(fd, a, DRM_CLOEXEC, &dmabuf), 0);
	EQ(vm_map(fd, vm, b, 0, ENV_VA, 7 * cpu_page(), 0), 0);
	label(fd, a, "weights of a test");
	label(fd, b, "two\nlines");
	text = debugfs_read(fd, "gems");
	line = strstr(text, "weights of a test");
	CHECK(line);
	while (line > text && line[-1] != '\n')
		line--;
	EQ(sscanf(line, "%llu %llu %llu %x %u %u %u %u %u", &size, &refs, &handles, &flags,
		  &private, &imported, &exported, &pages, &mapped), 9);
	EQ(size, 5 * cpu_page());
	EQ(handles, 1);
	EQ(flags | private | imported | pages | mapped, 0);
	EQ(exported, 1);
	line = strstr(text, "two\\012lines");
	CHECK(line);
	while (line > text && line[-1] != '\n')
		line--;
	EQ(sscanf(line, "%llu %llu %llu %x %u %u %u %u %u", &size, &refs, &handles, &flags,
		  &private, &imported, &exported, &pages, &mapped), 9);
	EQ(size, 7 * cpu_page());
	EQ(flags, DRM_NNA_BO_NO_MMAP);
	EQ(private & pages & mapped, 1);
	CHECK(refs >= 2);
	EQ(imported | exported, 0);
	free(text);
	label(fd, a, NULL);
	bo_close(fd, b);
	EQ(vm_unmap(fd, vm, ENV_VA, 7 * cpu_page()), 0);
	text = debugfs_read(fd, "gems");
	CHECK(!strstr(text, "weights of a test"));
	CHECK(!strstr(text, "two"));
	free(text);
}

TEST(debugfs_latency)
{
	int fd = nna_open();
	uint64_t before;
	char *text;

	need_debugfs(fd);
	before = counters(fd).irqs;
	text = debugfs_read(fd, "latency");
	CHECK(strtoull(text, NULL, 10) > 0);
	EQ(counters(fd).irqs, before + 1);
	free(text);
}

/* Many readers, while jobs run and address spaces are created and destroyed. */
TEST(debugfs_while_busy)
{
	struct env env;
	pid_t pid;
	int status;

	env_init(&env);
	need_debugfs(env.fd);
	pid = fork();
	if (!pid) {
		for (unsigned int i = 0; i < 200 / test_slowness(); i++) {
			struct env own;

			env_init(&own);
			stream_null(&own);
			EQ(submit_and_wait(&own), 0);
			env_fini(&own);
		}
		_exit(0);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		free(debugfs_read(env.fd, "gpuvas"));
		free(debugfs_read(env.fd, "rings"));
		free(debugfs_read(env.fd, "counters"));
		free(fdinfo_read(env.fd));
	}
	EQ(status, 0);
}

TEST(trace_job)
{
	struct env env;
	char *text;

	env_init(&env);
	stream_null(&env);
	trace_begin();
	EQ(submit_and_wait(&env), 0);
	text = trace_end();
	CHECK(strstr(text, "nna_job_submit: ring=1"));
	CHECK(strstr(text, "nna_job_run: ring=1"));
	CHECK(strstr(text, "nna_job_done: ring=1"));
	CHECK(strstr(text, "status=0"));
	CHECK(!strstr(text, "nna_fault"));
	free(text);
}

TEST(trace_fault)
{
	struct drm_nna_submit args;
	struct env env;
	char *text;

	env_init(&env);
	stream_null(&env);
	args = env_submit(&env);
	args.stream_va = 0x600000000;
	trace_begin();
	EQ(submit_args_and_wait(&env, &args), -EFAULT);
	text = trace_end();
	CHECK(strstr(text, "nna_fault: "));
	CHECK(strstr(text, "address=0x600000000"));
	CHECK(strstr(text, "error=-14"));
	free(text);
}

/* Errors of clients write nothing to the kernel's log, nor do faults but the one that is dumped. */
TEST(log_is_quiet)
{
	struct drm_nna_submit args;
	struct env env;

	env_init(&env);
	log_begin();
	stream_null(&env);
	args = env_submit(&env);
	args.stream_size = 3;
	EQ(submit_args(&env, &args, 0, 0), -EINVAL);
	EQ(vm_unmap(env.fd, 99, ENV_VA, 4096), -ENOENT);
	args = env_submit(&env);
	args.stream_va = 0x600000000;
	EQ(submit_args_and_wait(&env, &args), -EFAULT);
	EQ(log_lines(), 0);
}

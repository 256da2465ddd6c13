// SPDX-License-Identifier: MIT
/*
 * Core dumps: one at a time, of the job that got its context banned or made a reset necessary.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

/* Not /sys/class/devcoredump: from there a dump disappears before it has been released. */
#define DUMPS "/sys/devices/virtual/devcoredump"
#define BAD_VA 0x7000000000ull

/* Finds the file of the dump; false if there is none. */
static bool dump_path(char *path, size_t size)
{
	struct dirent *e;
	DIR *dir = opendir(DUMPS);
	bool found = false;

	if (access("/sys/class/devcoredump", X_OK))
		SKIP("no device core dumps in this kernel");
	if (!dir)
		return false;
	while ((e = readdir(dir)))
		if (!strncmp(e->d_name, "devcd", 5)) {
			snprintf(path, size, DUMPS "/%s/data", e->d_name);
			found = true;
		}
	closedir(dir);
	return found;
}

static bool dump_drop(void)
{
	char path[300];
	bool dropped;
	int fd;

	if (!dump_path(path, sizeof(path)))
		return false;
	fd = open(path, O_WRONLY);
	dropped = fd >= 0 && write(fd, "1", 1) == 1;
	if (fd >= 0)
		close(fd);
	return dropped;
}

/* Waits until the dump has been removed, so that another can be made. */
static void expect_dropped(void)
{
	char path[300];

	for (uint64_t end = now_ns() + LONG_WAIT; now_ns() < end; usleep(10000)) {
		dump_drop();
		if (!dump_path(path, sizeof(path)))
			return;
	}
	FAIL("the dump does not go");
}

/* Waits for a dump and reads it; the caller frees it. */
static struct drm_nna_coredump *dump_read(size_t *size)
{
	uint8_t *data = malloc(1 << 20);
	char path[300];
	ssize_t n = 0;
	int fd = -1;

	for (uint64_t end = now_ns() + LONG_WAIT; fd < 0; usleep(10000)) {
		if (now_ns() > end)
			FAIL("no dump");
		if (dump_path(path, sizeof(path)))
			fd = open(path, O_RDONLY);
	}
	CHECK(data);
	for (*size = 0; *size < 1 << 20; *size += (size_t)n) {
		n = read(fd, data + *size, (1 << 20) - *size);
		if (n <= 0)
			break;
	}
	close(fd);
	EQ(n, 0);
	CHECK(*size >= sizeof(struct drm_nna_coredump));
	return (struct drm_nna_coredump *)data;
}

static void fault(struct env *env, uint32_t *command)
{
	struct nnahw_base *table = (struct nnahw_base *)(env->map + ENV_TABLE);
	struct drm_nna_submit args;

	table[1].address = BAD_VA;
	table[1].size = 4096;
	stream_begin(env);
	stream_fill(env, 0, 64, 1);
	*command = stream_fill(env, 0, 64, 1);
	((struct nnahw_cmd_fill *)(env->map + *command))->output.slot = 1;
	stream_end(env);
	stream_finish(env);
	args = env_submit(env);
	args.slot_count = 2;
	EQ(submit_args_and_wait(env, &args), -EFAULT);
}

static const struct nnahw_ring_entry *entry_of(const struct drm_nna_coredump *dump)
{
	return (const struct nnahw_ring_entry *)dump->entry;
}

TEST(fault_is_dumped)
{
	struct drm_nna_coredump *dump;
	const struct nnahw_cmd_fill *fill;
	const struct nnahw_report *report;
	uint32_t command;
	struct env env;
	size_t size;

	env_init(&env);
	expect_dropped();
	log_begin();
	fault(&env, &command);
	dump = dump_read(&size);
	EQ(log_dumps(), 1);
	EQ(memcmp(dump->magic, DRM_NNA_COREDUMP_MAGIC, sizeof(dump->magic)), 0);
	EQ(dump->version, DRM_NNA_COREDUMP_VERSION);
	EQ(dump->size, size);
	EQ(dump->reason, DRM_NNA_COREDUMP_FAULT);
	EQ(dump->ring, DRM_NNA_CTX_PRIORITY_MEDIUM);
	EQ(dump->status, NNAHW_STATUS_FAULT_MMU);
	EQ(dump->detail, BAD_VA);
	CHECK(!strncmp((char *)dump->comm, "nna_coredump_test", sizeof(dump->comm) - 1));
	EQ(entry_of(dump)->stream, ENV_VA + ENV_STREAM);
	EQ(entry_of(dump)->slot_count, 2);
	EQ(dump->report_valid, 1);
	report = (const struct nnahw_report *)dump->report;
	EQ(report->fault_address, BAD_VA);
	EQ(dump->command, command);
	CHECK(dump->command_size >= sizeof(*fill));
	fill = (const struct nnahw_cmd_fill *)((uint8_t *)dump + dump->command_offset);
	EQ(memcmp(fill, env.map + command, sizeof(*fill)), 0);
	free(dump);
	expect_dropped();
}

/*
 * The kernel reads the report by its own mapping, which is cached. For a device that does not see
 * the CPU's caches it invalidates them first; see nna_coherence_test.c.
 */
TEST(dump_has_what_the_device_has_written)
{
	struct drm_nna_coredump *dump;
	char *text, *done, *end;
	uint32_t command;
	struct env env;
	size_t size;

	env_init(&env);
	expect_dropped();
	trace_begin();
	fault(&env, &command);
	dump = dump_read(&size);
	text = trace_end();
	EQ(dump->report_valid, 1);
	done = trace_find(text, "nna_job_done: ");
	end = done + strlen(done);
	if (hw_info(env.fd).flags & DRM_NNA_HW_COHERENT)
		EQ(trace_sum(text, end, "dma_sync_single_for_cpu: "), 0);
	else
		CHECK(trace_sum(done, end, "dma_sync_single_for_cpu: ") >=
		      sizeof(struct nnahw_report) + dump->command_size);
	free(text);
	free(dump);
	expect_dropped();
}

TEST(rings_are_dumped)
{
	struct drm_nna_coredump *dump;
	uint32_t command;
	struct env env;
	size_t size;

	env_init(&env);
	expect_dropped();
	fault(&env, &command);
	dump = dump_read(&size);
	EQ(dump->device_status, NNAHW_REG_STATUS_READY);
	EQ(dump->ring_count, NNAHW_RINGS);
	CHECK(dump->tick > 0);
	for (uint32_t i = 0; i < dump->ring_count; i++) {
		const struct drm_nna_coredump_ring *ring = (const struct drm_nna_coredump_ring *)
			((uint8_t *)dump + dump->rings_offset + i * dump->ring_stride);

		EQ(ring->running, 1);
		EQ(ring->reg_control, NNAHW_RING_REG_CONTROL_ENABLE);
		EQ(ring->reg_status, NNAHW_RING_REG_STATUS_RUNNING);
		EQ(ring->entry_count, ring->tail - ring->done);
		CHECK(ring->entries_offset + ring->entry_count * 128 <= size);
	}
	free(dump);
	expect_dropped();
}

/* While there is a dump no other is made: the first failure is the one to look at. */
TEST(first_dump_stays)
{
	struct drm_nna_coredump *first, *second;
	uint32_t command;
	struct env env;
	size_t size;

	env_init(&env);
	expect_dropped();
	log_begin();
	fault(&env, &command);
	first = dump_read(&size);
	for (int i = 0; i < 20; i++) {
		EQ(ctx_destroy(env.fd, env.ctx), 0);
		EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_LOW, &env.ctx), 0);
		fault(&env, &command);
	}
	second = dump_read(&size);
	EQ(second->monotonic_ns, first->monotonic_ns);
	EQ(second->ring, DRM_NNA_CTX_PRIORITY_MEDIUM);
	/* Clients do not fill the log. */
	EQ(log_dumps(), 1);
	expect_dropped();
	free(second);
	EQ(ctx_destroy(env.fd, env.ctx), 0);
	EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_LOW, &env.ctx), 0);
	fault(&env, &command);
	second = dump_read(&size);
	CHECK(second->monotonic_ns > first->monotonic_ns);
	EQ(second->ring, DRM_NNA_CTX_PRIORITY_LOW);
	expect_dropped();
}

static int module_references(void)
{
	char *text = read_file("/sys/module/nna/refcnt");
	int n = atoi(text);

	free(text);
	return n;
}

/* The driver's functions read and free a dump, so it holds the module. */
TEST(dump_holds_the_module)
{
	struct drm_nna_coredump *dump;
	uint32_t command;
	struct env env;
	size_t size;
	int with;

	env_init(&env);
	expect_dropped();
	fault(&env, &command);
	dump = dump_read(&size);
	free(dump);
	with = module_references();
	expect_dropped();
	/* It is released just after it has disappeared. */
	for (uint64_t end = now_ns() + LONG_WAIT;
	     module_references() == with && now_ns() < end;)
		usleep(10000);
	EQ(module_references(), with - 1);
}

TEST(budget_is_dumped)
{
	struct drm_nna_coredump *dump;
	struct drm_nna_submit args;
	struct env env;
	size_t size;

	env_init(&env);
	expect_dropped();
	stream_endless(&env);
	args = env_submit(&env);
	args.budget_ns = SECOND / 20;
	EQ(submit_args_and_wait(&env, &args), -ETIME);
	dump = dump_read(&size);
	EQ(dump->status, NNAHW_STATUS_BUDGET);
	CHECK(dump->command < env.stream_size);
	expect_dropped();
}

/* A missed deadline bans nobody, so it makes no dump. */
TEST(deadline_is_not_dumped)
{
	struct drm_nna_submit args;
	char path[300];
	struct env env;

	env_init(&env);
	expect_dropped();
	stream_endless(&env);
	args = env_submit(&env);
	args.duration_ns = SECOND / 20;
	EQ(submit_args_and_wait(&env, &args), -ETIMEDOUT);
	usleep(200000);
	CHECK(!dump_path(path, sizeof(path)));
}

TEST(hang_is_dumped)
{
	struct drm_nna_coredump *dump;
	struct env env;
	uint32_t out;
	size_t size;

	env_init(&env);
	out = syncobj_create(env.fd);
	expect_dropped();
	inject("stuck 1");
	stream_null(&env);
	EQ(submit(&env, 0, out), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), -ETIME);
	dump = dump_read(&size);
	EQ(dump->reason, DRM_NNA_COREDUMP_HANG);
	EQ(dump->ring, DRM_NNA_CTX_PRIORITY_MEDIUM);
	EQ(dump->status, 0);
	EQ(entry_of(dump)->stream, ENV_VA + ENV_STREAM);
	const struct drm_nna_coredump_ring *ring = (const struct drm_nna_coredump_ring *)
		((uint8_t *)dump + dump->rings_offset + dump->ring * dump->ring_stride);
	/* The ring as it was before the reset. */
	CHECK(ring->entry_count >= 1);
	CHECK(ring->reg_run_time > 0);
	EQ(((struct nnahw_ring_entry *)((uint8_t *)dump + ring->entries_offset))->stream,
	   ENV_VA + ENV_STREAM);
	expect_dropped();
}

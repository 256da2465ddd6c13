// SPDX-License-Identifier: MIT
/* Runtime suspend: an idle device is suspended, and resumed when it is needed, without errors. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

/* A file of the PCI device's directory in sysfs. */
static const char *device_file(int fd, const char *name)
{
	static char path[256];
	struct stat st;

	EQ(fstat(fd, &st), 0);
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/%s", major(st.st_rdev),
		 minor(st.st_rdev), name);
	return path;
}

static bool file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return true;
}

static bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)strlen(text);
}

static bool status_is(int fd, const char *status)
{
	char text[64];

	return file_read(device_file(fd, "power/runtime_status"), text, sizeof(text)) &&
	       !strcmp(text, status);
}

static bool reaches(int fd, const char *status)
{
	for (uint64_t end = now_ns() + LONG_WAIT; now_ns() < end; usleep(10000))
		if (status_is(fd, status))
			return true;
	return false;
}

static void fall_asleep(int fd)
{
	CHECK(file_write(device_file(fd, "power/control"), "auto"));
	CHECK(file_write(device_file(fd, "power/autosuspend_delay_ms"), "50"));
	CHECK(reaches(fd, "suspended"));
}

TEST(sleeps_when_idle)
{
	struct env env;

	env_init(&env);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	fall_asleep(env.fd);
}

TEST(job_wakes_it)
{
	struct env env;

	env_init(&env);
	stream_begin(&env);
	stream_fill(&env, 0, 4096, 0x5a);
	stream_end(&env);
	stream_finish(&env);
	for (int i = 0; i < 5; i++) {
		memset(env.map + ENV_DATA, 0, 4096);
		fall_asleep(env.fd);
		EQ(submit_and_wait(&env), 0);
		EQ(env.map[ENV_DATA + 4095], 0x5a);
	}
}

/* Whoever reads a file of debugfs wakes the device, and does not keep it awake. */
TEST(sleeps_after_debugfs)
{
	static const char *const files[] = { "rings", "counters", "gems", "gpuvas", "latency" };
	int fd = nna_open();

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		fall_asleep(fd);
		free(debugfs_read(fd, files[i]));
	}
	fall_asleep(fd);
}

/* A job that waits for a fence keeps the device from being suspended. */
TEST(no_sleep_with_a_job)
{
	struct drm_nna_submit args;
	struct env env;
	uint32_t out;

	env_init(&env);
	out = syncobj_create(env.fd);
	fall_asleep(env.fd);
	stream_endless(&env);
	args = env_submit(&env);
	args.budget_ns = SECOND;
	EQ(submit_args(&env, &args, 0, out), 0);
	for (int i = 0; i < 50; i++) {
		CHECK(!status_is(env.fd, "suspended") || syncobj_wait(env.fd, out, 0) == 0);
		usleep(10000);
	}
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	CHECK(reaches(env.fd, "suspended"));
}

/* Binds do not resume the device; after a resume it sees what they have changed. */
TEST(bind_while_asleep)
{
	struct drm_nna_submit args;
	struct env env;
	uint32_t bo;
	uint8_t *p;

	env_init(&env);
	stream_begin(&env);
	stream_fill(&env, 0, 64, 0x77);
	stream_end(&env);
	stream_finish(&env);
	EQ(submit_and_wait(&env), 0);
	bo = bo_create(env.fd, ENV_SIZE, env.vm, 0);
	p = bo_map(env.fd, bo, ENV_SIZE);
	fall_asleep(env.fd);
	memcpy(p, env.map, ENV_DATA);
	EQ(vm_map(env.fd, env.vm, bo, 0, ENV_VA, ENV_SIZE, 0), 0);
	CHECK(status_is(env.fd, "suspended"));
	memset(env.map + ENV_DATA, 0, 64);
	EQ(submit_and_wait(&env), 0);
	EQ(p[ENV_DATA], 0x77);
	EQ(env.map[ENV_DATA], 0);
	fall_asleep(env.fd);
	EQ(vm_unmap(env.fd, env.vm, ENV_VA, ENV_SIZE), 0);
	CHECK(status_is(env.fd, "suspended"));
	args = env_submit(&env);
	EQ(submit_args_and_wait(&env, &args), -EFAULT);
}

TEST(counters_survive_sleep)
{
	struct drm_nna_counters before, after;
	struct env env;

	env_init(&env);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &before, sizeof(before)), 0);
	CHECK(before.jobs > 0);
	fall_asleep(env.fd);
	EQ(query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &after, sizeof(after)), 0);
	CHECK(after.jobs >= before.jobs);
	EQ(after.driver_resets, before.driver_resets);
}

TEST(deadlines_hold_after_sleep)
{
	struct drm_nna_submit args;
	struct env env;
	uint64_t begin;

	env_init(&env);
	fall_asleep(env.fd);
	stream_endless(&env);
	args = env_submit(&env);
	begin = now_ns();
	args.deadline_ns = begin + SECOND;
	EQ(submit_args_and_wait(&env, &args), -ETIMEDOUT);
	/* The two clocks are compared as exactly as the device's can be read. */
	CHECK(now_ns() >= begin + SECOND / 2);
	CHECK(in_time(begin, 4 * SECOND));
}

TEST(control_on_keeps_it_awake)
{
	int fd = nna_open();

	fall_asleep(fd);
	CHECK(file_write(device_file(fd, "power/control"), "on"));
	CHECK(reaches(fd, "active"));
	usleep(300000);
	CHECK(status_is(fd, "active"));
	CHECK(file_write(device_file(fd, "power/control"), "auto"));
	CHECK(reaches(fd, "suspended"));
}

// SPDX-License-Identifier: MIT
/* Opening and querying. */

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

TEST(version)
{
	int fd = nna_open();
	drmVersionPtr v = drmGetVersion(fd);

	CHECK(v);
	EQ(v->version_major, 1);
	EQ(v->version_minor, 4);
	CHECK(!strcmp(v->name, "nna"));
	drmFreeVersion(v);
	close(fd);
}

TEST(hw_info)
{
	int fd = nna_open();
	struct drm_nna_hw_info info = hw_info(fd);

	EQ(info.abi_major, NNAHW_ABI_MAJOR);
	EQ(info.stream_version, NNAHW_STREAM_ABI);
	EQ(info.layout_version, NNAHW_LAYOUT_ABI);
	EQ(info.job_rings, NNAHW_JOB_RINGS);
	EQ(info.va_bits, NNAHW_VA_BITS);
	EQ(info.max_slots, NNAHW_MAX_SLOTS);
	EQ(info.page_sizes, (1u << NNAHW_PAGE_SHIFT) | (1u << NNAHW_LARGE_PAGE_SHIFT));
	CHECK(info.job_limit_ns > 0 && info.job_limit_ns < 10 * SECOND);
	CHECK(info.tick_hz && info.ring_size && info.workers && info.max_syncs &&
	      info.max_bind_ops);
	CHECK(info.va_start < info.va_end && info.va_end <= 1ull << info.va_bits);
}

TEST(query_size_only)
{
	struct drm_nna_dev_query q = { .type = DRM_NNA_DEV_QUERY_HW_INFO };
	int fd = nna_open();

	EQ(xioctl(fd, DRM_IOCTL_NNA_DEV_QUERY, &q), 0);
	EQ(q.size, sizeof(struct drm_nna_hw_info));
}

TEST(query_short)
{
	uint8_t buffer[8];
	struct drm_nna_dev_query q = {
		.type = DRM_NNA_DEV_QUERY_HW_INFO, .size = 2, .pointer = (uintptr_t)buffer,
	};
	int fd = nna_open();

	memset(buffer, 0xaa, sizeof(buffer));
	EQ(xioctl(fd, DRM_IOCTL_NNA_DEV_QUERY, &q), 0);
	EQ(buffer[0], NNAHW_ABI_MAJOR);
	EQ(buffer[2], 0xaa);
	EQ(q.size, sizeof(struct drm_nna_hw_info));
}

TEST(query_long_is_cleared)
{
	struct {
		struct drm_nna_sched_info info;
		uint8_t more[16];
	} big;
	int fd = nna_open();

	memset(&big, 0xaa, sizeof(big));
	EQ(query(fd, DRM_NNA_DEV_QUERY_SCHED_INFO, &big, sizeof(big)), 0);
	for (unsigned int i = 0; i < sizeof(big.more); i++)
		EQ(big.more[i], 0);
}

TEST(query_bad_pointer)
{
	int fd = nna_open();

	EQ(query(fd, DRM_NNA_DEV_QUERY_HW_INFO, (void *)8, 64), -EFAULT);
}

TEST(query_unknown_type)
{
	uint64_t x;
	int fd = nna_open();

	EQ(query(fd, 77, &x, sizeof(x)), -EINVAL);
}

TEST(sched_info)
{
	struct drm_nna_sched_info info;
	int fd = nna_open();

	EQ(query(fd, DRM_NNA_DEV_QUERY_SCHED_INFO, &info, sizeof(info)), 0);
	EQ(info.priority_mask & 7, 7);
	EQ(!!(info.priority_mask & 8), geteuid() == 0);
	CHECK(info.timeout_ns > hw_info(fd).job_limit_ns);
}

TEST(timestamp)
{
	struct drm_nna_timestamp a, b;
	int fd = nna_open();
	uint64_t before = now_ns();

	EQ(query(fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &a, sizeof(a)), 0);
	EQ(query(fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &b, sizeof(b)), 0);
	CHECK(a.monotonic_ns >= before && b.monotonic_ns >= a.monotonic_ns);
	CHECK(b.monotonic_ns <= now_ns());
	CHECK(b.tick > a.tick);
}

/*
 * A second of the device's clock is one of the system's. A virtual machine that measured its TSC
 * on a busy host may count too fast. Then every limit of the driver comes too early, and jobs that
 * need no more time than they may are taken to hang.
 */
TEST(clocks_run_alike)
{
	const struct timespec nap = { .tv_nsec = SECOND / 10 };
	struct drm_nna_timestamp a, b;
	int fd = nna_open();
	int64_t system, device, apart;

	EQ(query(fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &a, sizeof(a)), 0);
	do {
		nanosleep(&nap, NULL);
		EQ(query(fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &b, sizeof(b)), 0);
		system = (int64_t)(b.monotonic_ns - a.monotonic_ns);
	} while (system < (int64_t)SECOND || b.uncertainty_ns > SECOND / 10);
	device = ticks_to_ns(fd, (int64_t)(b.tick - a.tick));
	apart = (int64_t)(a.uncertainty_ns + b.uncertainty_ns) + system / 20;
	printf("# the system counted %lld ns, the device %lld\n", (long long)system,
	       (long long)device);
	CHECK(device >= system - apart && device <= system + apart);
}

TEST(counters)
{
	struct drm_nna_counters a, b;
	int fd = nna_open();

	EQ(query(fd, DRM_NNA_DEV_QUERY_COUNTERS, &a, sizeof(a)), 0);
	EQ(query(fd, DRM_NNA_DEV_QUERY_COUNTERS, &b, sizeof(b)), 0);
	CHECK(b.mmio_reads > a.mmio_reads);
	CHECK(b.driver_mmio_reads > a.driver_mmio_reads);
	EQ(b.driver_resets, a.driver_resets);
}

/* What other clients do is nobody's business. */
TEST(counters_need_a_privilege)
{
	struct drm_nna_file_counters own;
	struct drm_nna_counters c = { 0 };
	int fd = nna_open();

	if (geteuid() == 0 && setuid(65534))
		SKIP("cannot become nobody");
	EQ(query(fd, DRM_NNA_DEV_QUERY_COUNTERS, &c, sizeof(c)), -EACCES);
	EQ(query(fd, DRM_NNA_DEV_QUERY_COUNTERS, NULL, 0), 0);
	EQ(query(fd, DRM_NNA_DEV_QUERY_FILE_COUNTERS, &own, sizeof(own)), 0);
}

static struct drm_nna_file_counters file_counters(int fd)
{
	struct drm_nna_file_counters c;

	EQ(query(fd, DRM_NNA_DEV_QUERY_FILE_COUNTERS, &c, sizeof(c)), 0);
	return c;
}

/* They count the file's jobs alone, and no register is read for them. */
TEST(file_counters)
{
	struct drm_nna_file_counters c, none = { 0 };
	struct env env, low, other;
	struct drm_nna_submit args;
	uint64_t reads, alone, expected, ticks = 0;
	int idle = nna_open(), tries = 100;

	env_init(&env);
	env_init_sibling(&low, &env);
	env_init(&other);
	EQ(ctx_create(low.fd, low.vm, DRM_NNA_CTX_PRIORITY_LOW, &low.ctx), 0);
	c = file_counters(env.fd);
	CHECK(!memcmp(&c, &none, sizeof(c)));

	stream_null(&env);
	stream_null(&other);
	for (int i = 1; i <= 3; i++) {
		EQ(submit_and_wait(&env), 0);
		ticks += env_report(&env)->run_time;
		EQ(submit_and_wait(&other), 0);
		EQ(file_counters(env.fd).jobs, i);
	}
	other.map[ENV_STREAM] ^= 1;
	CHECK(submit_and_wait(&other) < 0);
	stream_endless(&low);
	args = env_submit(&low);
	args.budget_ns = SECOND / 20;
	EQ(submit_args_and_wait(&low, &args), -ETIME);

	c = file_counters(env.fd);
	EQ(c.jobs, 4);
	EQ(c.faults, 1);
	EQ(c.lost, 0);
	CHECK(ticks_to_ns(env.fd, (int64_t)c.busy_ticks[DRM_NNA_CTX_PRIORITY_LOW]) >=
	      (int64_t)args.budget_ns);
	EQ(c.busy_ticks[DRM_NNA_CTX_PRIORITY_MEDIUM], ticks);
	EQ(c.busy_ticks[DRM_NNA_CTX_PRIORITY_HIGH], 0);
	c = file_counters(other.fd);
	EQ(c.jobs, 4);
	EQ(c.faults, 1);
	c = file_counters(idle);
	CHECK(!memcmp(&c, &none, sizeof(c)));

	/* A device that falls asleep meanwhile is read, too: not every try counts. */
	do {
		reads = counters(env.fd).driver_mmio_reads;
		alone = counters(env.fd).driver_mmio_reads - reads;
		expected = reads + 2 * alone;
		file_counters(env.fd);
		reads = counters(env.fd).driver_mmio_reads;
	} while (reads != expected && --tries);
	EQ(reads, expected);
}

TEST(reserved_ioctl)
{
	struct drm_nna_vm_create create = { 0 };
	int fd = nna_open();

	/* BO_FROM_USERPTR is reserved. */
	EQ(xioctl(fd,
		  DRM_IOWR(DRM_COMMAND_BASE + DRM_NNA_BO_FROM_USERPTR, struct drm_nna_vm_create),
		  &create),
	   -EINVAL);
}

TEST(open_many)
{
	for (int i = 0; i < 200; i++) {
		int fd = nna_open();
		uint32_t vm = vm_create(fd), ctx;

		EQ(ctx_create(fd, vm, DRM_NNA_CTX_PRIORITY_LOW, &ctx), 0);
		close(fd);
	}
}

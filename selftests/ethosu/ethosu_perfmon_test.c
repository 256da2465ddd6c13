// SPDX-License-Identifier: MIT
/* Performance monitors: events of jobs, of one client or of all. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

#define EVENT_CYCLE 0x11
#define EVENT_IDLE 0x20
#define EVENT_ACTIVE 0x23

static int create(const struct npu *npu, struct ethosu_perfmon_create *args)
{
	return xioctl(npu->fd, ETHOSU_PERFMON_CREATE, args);
}

/* A client, and a monitor of cycles, idle and active time. */
static uint32_t monitor(struct npu *npu)
{
	struct ethosu_perfmon_create args = {
		.ncounters = 3, .counters = { EVENT_CYCLE, EVENT_IDLE, EVENT_ACTIVE }
	};

	EQ(create(npu, &args), 0);
	CHECK(args.id);
	return args.id;
}

static int values(const struct npu *npu, uint32_t id, uint64_t *to)
{
	struct ethosu_perfmon_values args = { .id = id, .pointer = (uintptr_t)to };

	return xioctl(npu->fd, ETHOSU_PERFMON_VALUES, &args);
}

static int destroy(const struct npu *npu, uint32_t id)
{
	struct ethosu_perfmon_destroy args = { .id = id };

	return xioctl(npu->fd, ETHOSU_PERFMON_DESTROY, &args);
}

static int set_global(const struct npu *npu, uint32_t id, uint32_t flags)
{
	struct ethosu_perfmon_global args = { .id = id, .flags = flags };

	return xioctl(npu->fd, ETHOSU_PERFMON_GLOBAL, &args);
}

/* A client on an NPU that does not sleep until stay_awake(false). */
static void stay_awake(const struct npu *npu, bool awake)
{
	write_file(npu_file(npu, "power/control"), awake ? "on" : "auto");
	if (awake)
		CHECK(npu_reaches(npu, "active"));
}

static void run(const struct npu *npu, uint32_t id)
{
	struct npu_script s = npu_copy(NPU_SIZE);
	struct ethosu_submit_job job = npu_job(npu, 0);

	EQ(npu_stream(npu, &s, &job.stream), 0);
	EQ(npu_submit_many(npu, &job, 1, id), 0);
	EQ(npu_bo_wait(npu, npu->out, LONG_WAIT), 0);
}

TEST(events)
{
	struct ethosu_perfmon_create args = { .ncounters = 0 };
	uint32_t most;
	struct npu npu;

	npu_init(&npu);
	most = npu.u65 ? 433 : 671;
	EQ(create(&npu, &args), 0);
	args = (struct ethosu_perfmon_create){ .ncounters = npu.info.pmu_counters };
	EQ(create(&npu, &args), 0);
	args = (struct ethosu_perfmon_create){ .ncounters = npu.info.pmu_counters + 1 };
	EQ(create(&npu, &args), -EINVAL);
	args = (struct ethosu_perfmon_create){ .ncounters = 1, .counters = { (__u16)most } };
	EQ(create(&npu, &args), 0);
	args = (struct ethosu_perfmon_create){ .ncounters = 1, .counters = { (__u16)(most + 1) } };
	EQ(create(&npu, &args), -EINVAL);
	args.ncounters = ~0u;
	EQ(create(&npu, &args), -EINVAL);
}

TEST(create_leaves_its_arguments)
{
	struct ethosu_perfmon_create args = { .ncounters = 2 };
	struct npu npu;

	npu_init(&npu);
	EQ(create(&npu, &args), 0);
	npu_defect(args.ncounters != 2, NULL, "PERFMON_CREATE gives one counter more back");
}

TEST(counts_a_job)
{
	uint64_t got[4] = { 0 }, more[4] = { 0 };
	struct npu npu;
	uint32_t id;

	npu_init(&npu);
	id = monitor(&npu);
	stay_awake(&npu, true);
	run(&npu, id);
	EQ(values(&npu, id, got), 0);
	run(&npu, id);
	EQ(values(&npu, id, more), 0);
	stay_awake(&npu, false);
	CHECK(got[0] > 0 && got[2] > 0 && got[2] <= got[0]);
	CHECK(got[3] >= got[0]);
	/* The sums go on. */
	CHECK(more[0] > got[0] && more[2] > got[2]);
	EQ(destroy(&npu, id), 0);
}

/* Without a monitor nothing is counted. */
TEST(counts_its_own_jobs)
{
	uint64_t got[4] = { 0 }, more[4] = { 0 };
	struct npu npu;
	uint32_t id;

	npu_init(&npu);
	id = monitor(&npu);
	stay_awake(&npu, true);
	run(&npu, id);
	run(&npu, 0);
	EQ(values(&npu, id, got), 0);
	run(&npu, 0);
	EQ(values(&npu, id, more), 0);
	stay_awake(&npu, false);
	CHECK(got[2] > 0);
	EQ(more[2], got[2]);
}

TEST(counts_survive_sleep)
{
	uint64_t got[4] = { 0 };
	struct npu npu;
	uint32_t id;

	npu_init(&npu);
	id = monitor(&npu);
	run(&npu, id);
	CHECK(npu_reaches(&npu, "suspended"));
	EQ(values(&npu, id, got), 0);
	npu_defect(!got[2], NULL, "counts are lost when the NPU sleeps before they are asked for");
}

TEST(counts_again_after_sleep)
{
	uint64_t got[4] = { 0 };
	struct npu npu;
	uint32_t id;

	npu_init(&npu);
	id = monitor(&npu);
	run(&npu, id);
	CHECK(npu_reaches(&npu, "suspended"));
	/* Awake from before the job on until after the question. */
	stay_awake(&npu, true);
	run(&npu, id);
	EQ(values(&npu, id, got), 0);
	stay_awake(&npu, false);
	npu_defect(!got[2], NULL,
		   "a monitor that was active when the NPU slept counts no further jobs");
}

TEST(ids)
{
	uint64_t got[4];
	struct npu npu, other;
	struct ethosu_perfmon_values args;
	uint32_t id;

	npu_init(&npu);
	npu_init_beside(&other);
	id = monitor(&npu);
	EQ(values(&npu, id + 1, got), -EINVAL);
	EQ(values(&other, id, got), -EINVAL);
	EQ(destroy(&other, id), -EINVAL);
	args = (struct ethosu_perfmon_values){ .id = id, .pad = 1, .pointer = (uintptr_t)got };
	EQ(xioctl(npu.fd, ETHOSU_PERFMON_VALUES, &args), -EINVAL);
	EQ(values(&npu, id, NULL), -EFAULT);
	EQ(values(&npu, id, got), 0);
	EQ(destroy(&npu, id), 0);
	EQ(destroy(&npu, id), -EINVAL);
	EQ(values(&npu, id, got), -EINVAL);
}

/* One monitor counts the jobs of all clients. */
TEST(global)
{
	uint64_t got[4] = { 0 };
	struct npu npu, other;
	uint32_t id, second;

	npu_init(&npu);
	npu_init_beside(&other);
	id = monitor(&npu);
	second = monitor(&npu);
	EQ(set_global(&npu, id, 2), -EINVAL);
	EQ(set_global(&npu, 77, 0), -EINVAL);
	EQ(set_global(&npu, id, ETHOSU_PERFMON_CLEAR_GLOBAL), -EINVAL);
	stay_awake(&npu, true);
	EQ(set_global(&npu, id, 0), 0);
	EQ(set_global(&npu, second, 0), -EBUSY);
	run(&other, 0);
	EQ(set_global(&npu, id, ETHOSU_PERFMON_CLEAR_GLOBAL), 0);
	EQ(values(&npu, id, got), 0);
	stay_awake(&npu, false);
	CHECK(got[2] > 0);
	EQ(set_global(&npu, second, 0), 0);
	/* One that goes is global no more. */
	EQ(destroy(&npu, second), 0);
	EQ(set_global(&npu, id, 0), 0);
	EQ(set_global(&npu, id, ETHOSU_PERFMON_CLEAR_GLOBAL), 0);
}

TEST(global_excludes_others)
{
	struct npu npu;
	struct npu_script s = npu_copy(16);
	struct ethosu_submit_job job;
	uint32_t id, own, stream;
	int ret;

	npu_init(&npu);
	id = monitor(&npu);
	own = monitor(&npu);
	EQ(npu_stream(&npu, &s, &stream), 0);
	job = npu_job(&npu, stream);
	EQ(set_global(&npu, id, 0), 0);
	ret = npu_submit_many(&npu, &job, 1, own);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	EQ(set_global(&npu, id, ETHOSU_PERFMON_CLEAR_GLOBAL), 0);
	npu_defect(ret == 0, NULL,
		   "beside a global monitor jobs with one of their own are taken, which the header "
		   "says they are not");
}

/* A file that closes takes its monitors along, also a global one and one that counts. */
TEST(closed_file)
{
	struct npu npu, other;
	uint32_t id;

	npu_init(&npu);
	npu_init_beside(&other);
	id = monitor(&other);
	EQ(set_global(&other, id, 0), 0);
	run(&npu, 0);
	npu_fini(&other);
	npu_expect_copy(&npu);
	id = monitor(&npu);
	run(&npu, id);
	EQ(set_global(&npu, id, ETHOSU_PERFMON_CLEAR_GLOBAL), -EINVAL);
	EQ(destroy(&npu, id), 0);
	npu_expect_copy(&npu);
}

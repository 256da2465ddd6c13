// SPDX-License-Identifier: MIT
/*
 * A device that fails: jobs that hang, interrupts that are lost or spurious, completions that are
 * wrong, resets that fail, a device that dies. The guilty context is banned, other contexts go on,
 * and in the end the next inference succeeds.
 *
 * Faults are injected through the control socket of nna-device. Needs root and no other user of the
 * device; a short job limit (nna-device --job-limit) makes it quick.
 */
#define KSFT_TIMEOUT_S 300

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/pci_regs.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

#define FEW 8

/* An environment on a device without faults, whatever state the last test has left it in. */
static void set_up(struct env *env)
{
	device_restore();
	device_wait_released();
	env_init(env);
	stream_null(env);
}

/* After how long the scheduler looks for a job that has not ended. */
static uint64_t timeout(int fd)
{
	struct drm_nna_sched_info info;

	EQ(query(fd, DRM_NNA_DEV_QUERY_SCHED_INFO, &info, sizeof(info)), 0);
	return info.timeout_ns;
}

/* More than a job may take that hangs. */
static uint64_t hang_time(int fd)
{
	/* Two timeouts of the scheduler, then an abort (1 s) and a reset (2 s), and much more. */
	return 2 * timeout(fd) + LONG_WAIT;
}

/* Submits a null job that will not end; its fence is in the syncobj that is returned. */
static uint32_t submit_bad(struct env *env, const char *how)
{
	uint32_t out = syncobj_create(env->fd);
	unsigned int before = entries_begun(env->fd);
	uint64_t end = now_ns() + LONG_WAIT;

	inject("%s 1", how);
	stream_null(env);
	EQ(submit(env, 0, out), 0);
	/* Until the device has begun it, as the fault is injected into the next job that begins. */
	while (entries_begun(env->fd) == before) {
		CHECK(now_ns() < end);
		usleep(10000);
	}
	return out;
}

static int wait_status(struct env *env, uint32_t out, uint64_t limit)
{
	int ret = syncobj_wait(env->fd, out, limit);

	return ret ? ret : syncobj_status(env->fd, out);
}

/* ---- jobs that hang -------------------------------------------------------------------------- */

TEST(hung_job_ends_by_its_budget)
{
	struct drm_nna_submit args;
	struct env env;
	uint64_t resets;

	set_up(&env);
	resets = counters(env.fd).driver_resets;
	inject("hang 1");
	args = env_submit(&env);
	args.budget_ns = SECOND / 10;
	EQ(submit_args_and_wait(&env, &args), -ETIME);
	EQ(ctx_state(env.fd, env.ctx).state, DRM_NNA_CTX_STATE_BANNED | DRM_NNA_CTX_STATE_TIMEDOUT);
	EQ(submit(&env, 0, 0), -ECANCELED);
	EQ(counters(env.fd).driver_resets, resets);
	expect_inference();
}

TEST(hung_job_ends_by_the_job_limit)
{
	struct env env;
	uint64_t resets, limit, begin;

	set_up(&env);
	limit = hw_info(env.fd).job_limit_ns;
	resets = counters(env.fd).driver_resets;
	begin = now_ns();
	EQ(wait_status(&env, submit_bad(&env, "hang"), hang_time(env.fd)), -ETIME);
	CHECK(in_time(begin, limit + SECOND));
	EQ(counters(env.fd).driver_resets, resets);
	expect_inference();
}

TEST(hung_job_ends_by_its_deadline)
{
	struct drm_nna_submit args;
	struct env env;

	set_up(&env);
	inject("hang 1");
	args = env_submit(&env);
	/* Before the device's own limit. On a slow machine the job may not have begun by then. */
	args.deadline_ns = now_ns() + hw_info(env.fd).job_limit_ns / 2;
	EQ(submit_args_and_wait(&env, &args), -ETIMEDOUT);
	inject("hang 0");
	/* The job is only late, and its context not guilty. */
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	EQ(submit_and_wait(&env), 0);
}

TEST(hung_job_of_a_closed_file)
{
	struct env env;
	uint64_t begin;

	set_up(&env);
	submit_bad(&env, "hang");
	begin = now_ns();
	env_fini(&env);
	expect_inference();
	/* The hung job was aborted. */
	CHECK(in_time(begin, SECOND));
}

TEST(hung_job_of_a_killed_process)
{
	struct env env;
	uint64_t begin;
	int ready[2];
	pid_t pid;
	char c;

	set_up(&env);
	CHECK(!pipe(ready));
	pid = fork();
	if (!pid) {
		env_init(&env);
		submit_bad(&env, "hang");
		_exit(write(ready[1], "", 1) == 1 && pause());
	}
	EQ(read(ready[0], &c, 1), 1);
	begin = now_ns();
	kill(pid, SIGKILL);
	EQ(waitpid(pid, NULL, 0), pid);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	CHECK(in_time(begin, SECOND));
}

/* A bind in the address space of a job that hangs. */
TEST(unmap_behind_a_hung_job)
{
	struct env env;
	uint64_t begin;
	uint32_t out;

	set_up(&env);
	out = submit_bad(&env, "hang");
	begin = now_ns();
	EQ(vm_unmap(env.fd, env.vm, ENV_VA + ENV_DATA, ENV_SIZE - ENV_DATA), 0);
	CHECK(in_time(begin, SECOND / 2));
	EQ(wait_status(&env, out, hang_time(env.fd)), -ETIME);
	expect_inference();
}

TEST(hundred_hangs)
{
	struct drm_nna_submit args;
	struct env env, good;
	uint64_t resets;

	set_up(&env);
	env_init(&good);
	stream_null(&good);
	resets = counters(env.fd).driver_resets;
	for (int i = 0; i < 100; i++) {
		inject("hang 1");
		args = env_submit(&env);
		args.budget_ns = SECOND / 200;
		EQ(submit_args_and_wait(&env, &args), -ETIME);
		EQ(ctx_destroy(env.fd, env.ctx), 0);
		EQ(ctx_create(env.fd, env.vm, (uint32_t)i % 3, &env.ctx), 0);
		EQ(submit_and_wait(&good), 0);
	}
	EQ(counters(env.fd).driver_resets, resets);
	EQ(ctx_state(good.fd, good.ctx).state, 0);
}

/* ---- a device that does not even react to an abort: reset ------------------------------------ */

TEST(stuck_job_is_reset)
{
	struct drm_nna_ctx_get_state state;
	struct env env;
	uint64_t resets;

	set_up(&env);
	resets = counters(env.fd).driver_resets;
	EQ(wait_status(&env, submit_bad(&env, "stuck"), hang_time(env.fd)), -ETIME);
	state = ctx_state(env.fd, env.ctx);
	EQ(state.state, DRM_NNA_CTX_STATE_BANNED | DRM_NNA_CTX_STATE_TIMEDOUT);
	EQ(state.reset_count, 1);
	EQ(submit(&env, 0, 0), -ECANCELED);
	EQ(counters(env.fd).driver_resets, resets + 1);
	/* A new context in the same address space. */
	EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env.ctx), 0);
	EQ(submit_and_wait(&env), 0);
	expect_inference();
}

/* Jobs of others on the same ring: each ends with its result or -ECANCELED, and no ban. */
TEST(stuck_job_and_its_neighbours)
{
	struct drm_nna_ctx_get_state state;
	struct env env, others[FEW];
	uint32_t bad, outs[FEW];
	int canceled = 0, status;

	set_up(&env);
	for (int i = 0; i < FEW; i++)
		env_init(&others[i]);
	bad = submit_bad(&env, "stuck");
	for (int i = 0; i < FEW; i++) {
		stream_begin(&others[i]);
		stream_fill(&others[i], 0, 64, 0x31);
		stream_end(&others[i]);
		stream_finish(&others[i]);
		outs[i] = syncobj_create(others[i].fd);
		EQ(submit(&others[i], 0, outs[i]), 0);
	}
	EQ(wait_status(&env, bad, hang_time(env.fd)), -ETIME);
	for (int i = 0; i < FEW; i++) {
		status = wait_status(&others[i], outs[i], LONG_WAIT);
		state = ctx_state(others[i].fd, others[i].ctx);
		if (status == 1) {
			EQ(others[i].map[ENV_DATA], 0x31);
			EQ(state.state, 0);
		} else {
			EQ(status, -ECANCELED);
			EQ(state.state, DRM_NNA_CTX_STATE_INNOCENT);
			EQ(state.reset_count, 1);
			canceled++;
		}
		others[i].map[ENV_DATA] = 0;
		EQ(submit_and_wait(&others[i]), 0);
		EQ(others[i].map[ENV_DATA], 0x31);
		EQ(ctx_state(others[i].fd, others[i].ctx).reset_count, status == 1 ? 0 : 1);
	}
	printf("# %d of %d neighbours lost a job\n", canceled, FEW);
}

/* Jobs behind a stuck one in the same context never run. */
TEST(stuck_job_and_its_queue)
{
	struct env env;
	uint32_t bad, outs[FEW];

	set_up(&env);
	bad = submit_bad(&env, "stuck");
	for (int i = 0; i < FEW; i++) {
		outs[i] = syncobj_create(env.fd);
		EQ(submit(&env, 0, outs[i]), 0);
	}
	EQ(wait_status(&env, bad, hang_time(env.fd)), -ETIME);
	for (int i = 0; i < FEW; i++)
		EQ(wait_status(&env, outs[i], LONG_WAIT), -ECANCELED);
	expect_inference();
}

/* Jobs of higher priority run all the time. */
TEST(stuck_job_and_the_rings_above)
{
	struct env low, high;
	uint32_t bad, n = 0;
	int ret;

	set_up(&low);
	env_init(&high);
	EQ(ctx_create(low.fd, low.vm, DRM_NNA_CTX_PRIORITY_LOW, &low.ctx), 0);
	EQ(ctx_create(high.fd, high.vm, DRM_NNA_CTX_PRIORITY_HIGH, &high.ctx), 0);
	stream_null(&high);
	bad = submit_bad(&low, "stuck");
	while ((ret = syncobj_wait(low.fd, bad, 0)) == -ETIME) {
		uint64_t begin = now_ns();

		ret = submit_and_wait(&high);
		/* Only a job that was running at the moment of the reset. */
		if (ret)
			EQ(ret, -ECANCELED);
		CHECK(in_time(begin, 2 * SECOND));
		n++;
		usleep(10000);
	}
	EQ(ret, 0);
	EQ(syncobj_status(low.fd, bad), -ETIME);
	CHECK(n > 1);
	CHECK(ctx_state(high.fd, high.ctx).reset_count <= 1);
	EQ(submit_and_wait(&high), 0);
	printf("# %u jobs above\n", n);
}

TEST(stuck_job_of_a_closed_file)
{
	struct env env;

	set_up(&env);
	submit_bad(&env, "stuck");
	env_fini(&env);
	/* Behind the stuck job on the same ring: it runs after the reset. */
	env_init(&env);
	stream_null(&env);
	uint32_t out = syncobj_create(env.fd);

	EQ(submit(&env, 0, out), 0);
	int status = wait_status(&env, out, hang_time(env.fd));

	if (status != 1)
		EQ(status, -ECANCELED);
	expect_inference();
}

TEST(two_stuck_contexts)
{
	struct env a, b;
	uint32_t out_a, out_b;

	set_up(&a);
	env_init(&b);
	EQ(ctx_create(b.fd, b.vm, DRM_NNA_CTX_PRIORITY_LOW, &b.ctx), 0);
	out_b = submit_bad(&b, "stuck");
	out_a = submit_bad(&a, "stuck");
	/* One reset ends both; which one is guilty depends on whose timeout was first. */
	CHECK(wait_status(&a, out_a, 2 * hang_time(a.fd)) < 0);
	CHECK(wait_status(&b, out_b, 2 * hang_time(b.fd)) < 0);
	CHECK((ctx_state(a.fd, a.ctx).state | ctx_state(b.fd, b.ctx).state) &
	      DRM_NNA_CTX_STATE_BANNED);
	expect_inference();
}

/* A job that waits for longer than the timeout, behind jobs of higher priority, is not hung. */
TEST(starved_job_is_not_hung)
{
	struct env low, high;
	uint64_t resets, end;
	uint32_t out;

	set_up(&low);
	env_init(&high);
	EQ(ctx_create(low.fd, low.vm, DRM_NNA_CTX_PRIORITY_LOW, &low.ctx), 0);
	EQ(ctx_create(high.fd, high.vm, DRM_NNA_CTX_PRIORITY_HIGH, &high.ctx), 0);
	resets = counters(low.fd).driver_resets;
	stream_null(&low);
	stream_null(&high);
	out = syncobj_create(low.fd);
	inject("slow %llu", SECOND / 20);
	for (int i = 0; i < 20; i++)
		EQ(submit(&high, 0, 0), 0);
	for (int i = 0; i < 20; i++)
		EQ(submit(&low, 0, out), 0);
	end = now_ns() + timeout(low.fd) + 5 * SECOND / 2;
	while (now_ns() < end && syncobj_wait(low.fd, out, 0) == -ETIME)
		EQ(submit_and_wait(&high), 0);
	inject("clear");
	EQ(wait_status(&low, out, LONG_WAIT), 1);
	EQ(ctx_state(low.fd, low.ctx).state, 0);
	EQ(counters(low.fd).driver_resets, resets);
}

TEST(slow_device)
{
	struct drm_nna_submit args;
	struct env env;

	set_up(&env);
	inject("slow %llu", SECOND / 4);
	args = env_submit(&env);
	args.duration_ns = SECOND / 20;
	EQ(submit_args_and_wait(&env, &args), -ETIMEDOUT);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	EQ(submit_and_wait(&env), 0);
	args.duration_ns = 0;
	args.budget_ns = SECOND / 20;
	EQ(submit_args_and_wait(&env, &args), -ETIME);
	inject("clear");
	expect_inference();
}

/* ---- interrupts ------------------------------------------------------------------------------ */

TEST(lost_interrupt)
{
	struct env env;
	uint64_t resets;

	set_up(&env);
	resets = counters(env.fd).driver_resets;
	inject("drop-irq 1");
	/* The timeout handler finds the completion, and the job ends as usual. */
	EQ(submit_and_wait(&env), 0);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	EQ(counters(env.fd).driver_resets, resets);
	expect_inference();
}

/* The next is another user's: one of which little is known has a single job on the ring. */
TEST(lost_interrupt_is_made_up_for_by_the_next)
{
	struct env env, other;
	uint64_t begin;
	uint32_t out;

	set_up(&env);
	env_init_apart(&other);
	stream_null(&other);
	out = syncobj_create(env.fd);
	inject("drop-irq 1");
	EQ(submit(&env, 0, out), 0);
	usleep(100000);
	begin = now_ns();
	EQ(submit_and_wait(&other), 0);
	EQ(syncobj_wait(env.fd, out, 0), 0);
	EQ(syncobj_status(env.fd, out), 1);
	CHECK(in_time(begin, SECOND));
}

TEST(lost_interrupt_of_an_unmap)
{
	struct env env;
	uint64_t begin = now_ns(), resets;

	set_up(&env);
	EQ(submit_and_wait(&env), 0);
	resets = counters(env.fd).driver_resets;
	inject("drop-irq 1");
	EQ(vm_unmap(env.fd, env.vm, ENV_VA + ENV_DATA, 4096), 0);
	CHECK(in_time(begin, 5 * SECOND));
	EQ(counters(env.fd).driver_resets, resets);
	inject("clear");
	EQ(submit_and_wait(&env), 0);
}

TEST(spurious_interrupts)
{
	struct env env;
	struct drm_nna_counters before;

	set_up(&env);
	EQ(submit_and_wait(&env), 0);
	before = counters(env.fd);
	inject("spurious-irq 1000");
	for (int i = 0; i < 50; i++) {
		inject("spurious-irq 3");
		EQ(submit_and_wait(&env), 0);
	}
	CHECK(counters(env.fd).driver_irqs > before.driver_irqs + 50);
	EQ(counters(env.fd).driver_resets, before.driver_resets);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
}

/* ---- wrong completions ----------------------------------------------------------------------- */

TEST(corrupt_completion)
{
	struct env env;
	uint64_t resets;
	int ret;

	set_up(&env);
	EQ(submit_and_wait(&env), 0);
	resets = counters(env.fd).driver_resets;
	inject("corrupt 1");
	ret = submit_and_wait(&env);
	EQ(ret, -EIO);
	/* The client is not guilty. */
	EQ(ctx_state(env.fd, env.ctx).state, DRM_NNA_CTX_STATE_INNOCENT);
	EQ(counters(env.fd).driver_resets, resets + 1);
	EQ(submit_and_wait(&env), 0);
	expect_inference();
}

TEST(corrupt_completion_of_an_unmap)
{
	struct env env;

	set_up(&env);
	EQ(submit_and_wait(&env), 0);
	inject("corrupt 1");
	EQ(vm_unmap(env.fd, env.vm, ENV_VA + ENV_DATA, 4096), 0);
	EQ(submit_and_wait(&env), 0);
	expect_inference();
}

TEST(twenty_resets)
{
	struct env env;
	uint64_t resets;

	set_up(&env);
	resets = counters(env.fd).driver_resets;
	for (int i = 0; i < 20; i++) {
		EQ(submit_and_wait(&env), 0);
		inject("corrupt 1");
		EQ(submit_and_wait(&env), -EIO);
	}
	EQ(counters(env.fd).driver_resets, resets + 20);
	EQ(ctx_state(env.fd, env.ctx).reset_count, 20);
	expect_inference();
}

/* ---- tests that fail ------------------------------------------------------------------------- */

/* Whatever a test leaves behind when it ends in its midst, the next one has a device that works. */
TEST(device_is_restored)
{
	static const char *const faults[] = {
		"dead 1", "stuck 100", "refuse-reset 100", "drop-irq 100",
	};
	struct env env;

	for (unsigned int i = 0; i < 2 * sizeof(faults) / sizeof(faults[0]); i++) {
		set_up(&env);
		if (i & 1) {
			device_unbind(env.fd);
			inject("%s", faults[i / 2]);
		} else {
			inject("%s", faults[i / 2]);
			submit(&env, 0, 0);
		}
		env_fini(&env);
		device_restore();
		expect_inference();
	}
}

/* ---- resets that user space asks the bus for ------------------------------------------------- */

static void function_level_reset(int fd)
{
	char path[128];

	if (!device_is_pci(fd))
		SKIP("no bus resets a device that is part of a SoC");
	pci_path(path, sizeof(path), fd, "reset_method");
	write_file(path, "flr");
	pci_path(path, sizeof(path), fd, "reset");
	write_file(path, "1");
}

/* The driver knows of the reset, rather than to find out by the next job that does not end. */
TEST(function_level_reset_idle)
{
	struct env env;
	uint64_t resets;

	set_up(&env);
	resets = counters(env.fd).driver_resets;
	for (int i = 1; i <= 5; i++) {
		function_level_reset(env.fd);
		EQ(counters(env.fd).driver_resets, resets + i);
		EQ(submit_and_wait(&env), 0);
		EQ(counters(env.fd).driver_resets, resets + i);
	}
	EQ(ctx_state(env.fd, env.ctx).state, 0);
	expect_inference();
}

/* The job that runs is lost, without a ban; those that wait run afterwards. */
TEST(function_level_reset_busy)
{
	struct env env, others[FEW];
	uint32_t running, outs[FEW];
	uint64_t resets;

	set_up(&env);
	resets = counters(env.fd).driver_resets;
	for (int i = 0; i < FEW; i++) {
		env_init(&others[i]);
		stream_begin(&others[i]);
		stream_fill(&others[i], 0, 64, 0x31);
		stream_end(&others[i]);
		stream_finish(&others[i]);
		outs[i] = syncobj_create(others[i].fd);
	}
	/* From here on little is done, as the driver blames the job after its time limit. */
	running = submit_bad(&env, "hang");
	for (int i = 0; i < FEW; i++)
		EQ(submit(&others[i], 0, outs[i]), 0);
	function_level_reset(env.fd);
	EQ(wait_status(&env, running, LONG_WAIT), -EIO);
	EQ(ctx_state(env.fd, env.ctx).state, DRM_NNA_CTX_STATE_INNOCENT);
	for (int i = 0; i < FEW; i++) {
		EQ(wait_status(&others[i], outs[i], LONG_WAIT), 1);
		EQ(others[i].map[ENV_DATA], 0x31);
		EQ(ctx_state(others[i].fd, others[i].ctx).state, 0);
	}
	EQ(submit_and_wait(&env), 0);
	EQ(counters(env.fd).driver_resets, resets + 1);
	expect_inference();
}

/* ---- the kernel's log ------------------------------------------------------------------------ */

TEST(one_line_per_event)
{
	struct env env, other;
	uint32_t bad;

	set_up(&env);
	env_init(&other);
	stream_null(&other);

	log_begin();
	EQ(wait_status(&env, submit_bad(&env, "hang"), hang_time(env.fd)), -ETIME);
	EQ(log_lines(), 0);

	log_begin();
	inject("drop-irq 1");
	EQ(submit_and_wait(&other), 0);
	log_expect(1);

	log_begin();
	inject("corrupt 1");
	EQ(submit_and_wait(&other), -EIO);
	EQ(submit_and_wait(&other), 0);
	log_expect(1);

	log_begin();
	EQ(wait_status(&other, submit_bad(&other, "stuck"), hang_time(env.fd)), -ETIME);
	expect_inference();
	log_expect(1);

	env_init(&other);
	log_begin();
	bad = submit_bad(&other, "stuck");
	inject("refuse-reset 1");
	CHECK(wait_status(&other, bad, hang_time(env.fd)) < 0);
	log_expect(1);
	inject("clear");
	device_unbind(env.fd);
	device_bind();
	expect_inference();
}

/* ---- a device that is lost ------------------------------------------------------------------- */

/* Every call on an open file returns -ENODEV, and none hangs. */
static void expect_lost(struct env *env)
{
	uint64_t end = now_ns() + LONG_WAIT;
	int ret;

	/* What has ended its jobs may not have come to its end itself. */
	while ((ret = submit(env, 0, 0)) != -ENODEV && now_ns() < end)
		usleep(10000);
	EQ(ret, -ENODEV);
	EQ(vm_unmap(env->fd, env->vm, ENV_VA + ENV_DATA, 4096), -ENODEV);
	env->map[ENV_DATA] = 1;
	EQ(env->map[ENV_DATA], 1);
}

static void rebind(struct env *env)
{
	inject("clear");
	device_unbind(env->fd);
	device_bind();
	expect_inference();
	/* Files from before stay unusable. */
	EQ(submit(env, 0, 0), -ENODEV);
}

TEST(refused_reset)
{
	struct env env, other;
	uint32_t bad, out;
	int status;

	set_up(&env);
	env_init(&other);
	stream_null(&other);
	bad = submit_bad(&env, "stuck");
	out = syncobj_create(other.fd);
	EQ(submit(&other, 0, out), 0);
	inject("refuse-reset 1");
	CHECK(wait_status(&env, bad, hang_time(env.fd)) < 0);
	status = wait_status(&other, out, LONG_WAIT);
	EQ(status, -ENODEV);
	expect_lost(&other);
	rebind(&env);
}

/* A socket that receives the kernel's uevents. */
static int uevent_open(void)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	CHECK(fd >= 0);
	CHECK(!bind(fd, (struct sockaddr *)&to, sizeof(to)));
	return fd;
}

/* Waits for a change event of the device's node with WEDGED=, and returns its value. */
static const char *uevent_wedged(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	static char text[4096];

	while (poll(&p, 1, LONG_WAIT / 1000000) == 1) {
		ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

		CHECK(n > 0);
		text[n] = 0;
		if (strncmp(text, "change@", 7) ||
		    (!strstr(text, "/accel/accel") && !strstr(text, "/drm/renderD")))
			continue;
		for (char *s = text; s < text + n; s += strlen(s) + 1)
			if (!strncmp(s, "WEDGED=", 7))
				return s + 7;
	}
	FAIL("no event");
}

TEST(reset_is_announced)
{
	struct env env;
	int fd;

	set_up(&env);
	fd = uevent_open();
	EQ(wait_status(&env, submit_bad(&env, "stuck"), hang_time(env.fd)), -ETIME);
	CHECK(!strcmp(uevent_wedged(fd), "none"));
	expect_inference();
}

TEST(refused_reset_is_announced)
{
	struct env env;
	uint32_t bad;
	int fd;

	set_up(&env);
	fd = uevent_open();
	bad = submit_bad(&env, "stuck");
	inject("refuse-reset 1");
	CHECK(wait_status(&env, bad, hang_time(env.fd)) < 0);
	CHECK(!strcmp(uevent_wedged(fd), "rebind,bus-reset"));
	rebind(&env);
	expect_inference();
}

TEST(dies_idle)
{
	struct env env;
	uint32_t out;

	set_up(&env);
	EQ(submit_and_wait(&env), 0);
	out = syncobj_create(env.fd);
	inject("dead 1");
	EQ(submit(&env, 0, out), 0);
	CHECK(wait_status(&env, out, hang_time(env.fd)) < 0);
	expect_lost(&env);
	rebind(&env);
}

TEST(dies_busy)
{
	struct env envs[FEW];
	uint32_t outs[FEW];

	set_up(&envs[0]);
	inject("hang 1000");
	for (int i = 0; i < FEW; i++) {
		if (i)
			env_init(&envs[i]);
		EQ(ctx_create(envs[i].fd, envs[i].vm, (uint32_t)i % 3, &envs[i].ctx), 0);
		outs[i] = syncobj_create(envs[i].fd);
		stream_null(&envs[i]);
		EQ(submit(&envs[i], 0, outs[i]), 0);
	}
	usleep(100000);
	inject("stuck 1000");
	inject("dead 1");
	for (int i = 0; i < FEW; i++)
		CHECK(wait_status(&envs[i], outs[i], 3 * hang_time(envs[0].fd)) < 0);
	rebind(&envs[0]);
}

TEST(dies_under_an_unmap)
{
	struct env env;

	set_up(&env);
	EQ(submit_and_wait(&env), 0);
	inject("dead 1");
	/* The invalidation cannot complete; instead bus mastering is disabled. */
	EQ(vm_unmap(env.fd, env.vm, ENV_VA + ENV_DATA, 4096), 0);
	rebind(&env);
}

TEST(unbound_while_dead)
{
	struct env env;
	uint32_t out;

	set_up(&env);
	out = submit_bad(&env, "hang");
	inject("dead 1");
	device_unbind(env.fd);
	EQ(wait_status(&env, out, LONG_WAIT), -ENODEV);
	inject("clear");
	device_bind();
	expect_inference();
}

TEST(unbound_while_stuck)
{
	struct env env;
	uint64_t begin;
	uint32_t out;

	set_up(&env);
	out = submit_bad(&env, "stuck");
	begin = now_ns();
	device_unbind(env.fd);
	EQ(wait_status(&env, out, LONG_WAIT), -ENODEV);
	CHECK(in_time(begin, 5 * SECOND));
	device_bind();
	expect_inference();
}

/* Probe of a device that does not answer fails, and succeeds once the device is back. */
TEST(bound_while_dead)
{
	struct env env;
	char path[64];

	set_up(&env);
	device_unbind(env.fd);
	driver_path(path, sizeof(path), "bind");
	inject("dead 1");
	CHECK(access(path, W_OK) == 0);
	if (!fork()) {
		/* Ends this process with status 1, as the write fails. */
		device_bind();
		_exit(0);
	}
	int status;

	wait(&status);
	EQ(WEXITSTATUS(status), 1);
	inject("clear");
	device_bind();
	expect_inference();
}

/*
 * Bus mastering is disabled behind the driver's back: no job can end, the device is lost, and it
 * works again after the driver has been bound anew.
 */
TEST(bus_mastering_off)
{
	uint16_t command;
	char path[128];
	struct env env;
	int config;

	set_up(&env);
	EQ(submit_and_wait(&env), 0);
	pci_path(path, sizeof(path), env.fd, "config");
	config = open(path, O_RDWR | O_CLOEXEC);
	CHECK(config >= 0);
	EQ(pread(config, &command, 2, PCI_COMMAND), 2);
	CHECK(command & PCI_COMMAND_MASTER);
	command &= (uint16_t)~PCI_COMMAND_MASTER;
	EQ(pwrite(config, &command, 2, PCI_COMMAND), 2);
	CHECK(submit_and_wait(&env) < 0);
	device_unbind(env.fd);
	device_bind();
	expect_inference();
}

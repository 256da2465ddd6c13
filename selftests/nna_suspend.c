// SPDX-License-Identifier: MIT
/*
 * System sleep and resume, with jobs on the ring and in the scheduler. Started by
 * selftests/suspend. The guest's file system does not work after a resume, so everything is opened
 * and in memory before, results go to the console, and in the end the program powers the guest off.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <unistd.h>
#include <xf86drm.h>

#include "nna_test.h"

#define ROUNDS 3
/* More than fit on a ring. */
#define JOBS 100

static unsigned int passed, failed;

static void check(bool ok, const char *what, int round)
{
	if (ok)
		passed++;
	else
		failed++;
	printf("nna_suspend: %s %s, round %d\n", ok ? "ok" : "not ok", what, round);
}

/* A failure here is one of the test's environment. */
static int must_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0) {
		printf("nna_suspend: no %s\nnna_suspend: 0 passed, 0 failed, 1 skipped\n", path);
		fflush(stdout);
		reboot(RB_POWER_OFF);
	}
	return fd;
}

static void one_round(struct env *busy, struct env *queue, struct env *work, int state, int round)
{
	uint64_t resets = counters(work->fd).driver_resets, t;
	uint32_t first = syncobj_create(busy->fd), outs[JOBS];
	struct drm_nna_submit args = env_submit(busy);
	bool ok = true;

	/* A job that runs when the system is suspended, and others behind it on the ring. */
	args.duration_ns = SECOND / 2;
	ok = !submit_args(busy, &args, 0, first);
	for (int i = 0; i < JOBS; i++) {
		outs[i] = syncobj_create(queue->fd);
		ok = ok && !submit(queue, 0, outs[i]);
	}
	check(ok, "jobs are taken", round);
	memset(work->map + ENV_DATA, 0, 4096);
	check(pwrite(state, "freeze", 6, 0) == 6, "sleeps and wakes", round);

	ok = !syncobj_wait(busy->fd, first, LONG_WAIT) &&
	     syncobj_status(busy->fd, first) == -ETIMEDOUT;
	check(ok, "the job that ran has its result", round);
	ok = true;
	for (int i = 0; i < JOBS; i++) {
		ok = ok && !syncobj_wait(queue->fd, outs[i], LONG_WAIT) &&
		     syncobj_status(queue->fd, outs[i]) == 1;
		drmSyncobjDestroy(queue->fd, outs[i]);
	}
	check(ok, "the jobs that waited have run", round);
	check(!submit_and_wait(work) && work->map[ENV_DATA + 4095] == 0x5a, "the next job runs",
	      round);
	check(counters(work->fd).driver_resets == resets, "nothing was reset", round);
	args.duration_ns = 0;
	t = now_ns();
	args.deadline_ns = t + SECOND;
	/* The two clocks are compared as exactly as the device's can be read. */
	check(submit_args_and_wait(busy, &args) == -ETIMEDOUT && now_ns() >= t + SECOND / 2,
	      "deadlines hold", round);
	drmSyncobjDestroy(busy->fd, first);
}

/* Whether the kernel is tainted by a warning, an oops or a lockup. */
static bool is_tainted(int tainted)
{
	char text[32] = "";

	return pread(tainted, text, sizeof(text) - 1, 0) <= 0 ||
	       strtoul(text, NULL, 10) & (1 << 7 | 1 << 9 | 1 << 14);
}

int main(void)
{
	struct env busy, queue, work;
	int console, test, delay, state, tainted;

	console = must_open("/dev/ttyS0", O_WRONLY);
	dup2(console, STDOUT_FILENO);
	setvbuf(stdout, NULL, _IOLBF, 0);
	test = must_open("/sys/power/pm_test", O_WRONLY);
	delay = must_open("/sys/module/suspend/parameters/pm_test_delay", O_WRONLY);
	state = must_open("/sys/power/state", O_WRONLY);
	tainted = must_open("/proc/sys/kernel/tainted", O_RDONLY);
	/* Suspend devices only: nothing would wake the processor. */
	if (write(test, "devices", 7) != 7 || write(delay, "1", 1) != 1)
		printf("nna_suspend: no tests of sleep: %s\n", strerror(errno));

	env_init(&busy);
	env_init(&queue);
	env_init(&work);
	stream_endless(&busy);
	stream_null(&queue);
	stream_begin(&work);
	stream_fill(&work, 0, 4096, 0x5a);
	stream_end(&work);
	stream_finish(&work);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		printf("nna_suspend: not in memory: %s\n", strerror(errno));
	for (int i = 1; i <= ROUNDS; i++)
		one_round(&busy, &queue, &work, state, i);
	check(!is_tainted(tainted), "no warning", ROUNDS);
	printf("nna_suspend: %u passed, %u failed, 0 skipped\n", passed, failed);
	fflush(stdout);
	usleep(200000);
	reboot(RB_POWER_OFF);
	return 1;
}

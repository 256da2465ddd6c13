// SPDX-License-Identifier: MIT
/*
 * System sleep and resume, with jobs on the rings and in the scheduler: jobs that run yield and go
 * on afterwards, and one that does not yield is aborted. Started by selftests/suspend. The guest's
 * file system does not work after a resume, so everything is opened and in memory before, results
 * go to the console, and in the end the program powers the guest off. NNA_LOOP_MS is how long each
 * loop takes, a second without it; a job may take 5 s.
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

/* Clients whose jobs are loops. */
#define LOOPS 12
/* Iterations that measure how long one takes. */
#define LOOP_SAMPLE 200
#define LOOP_FACTOR 1103515245
#define LOOP_VALUES 16384u
/* Byte offset of the values in the data. */
#define LOOP_OFFSET 0x1000

static unsigned int passed, failed;
/* How long each loop runs. */
static uint64_t loop_ns = SECOND;

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

/* The scalars of a loop, at the start of its data. */
struct loop {
	int32_t count, one, limit, factor;
	uint8_t more;
};

static struct loop *loop_of(struct env *env)
{
	return (struct loop *)(env->map + ENV_DATA);
}

static int32_t *loop_values(struct env *env)
{
	return (int32_t *)(env->map + ENV_DATA + LOOP_OFFSET);
}

static void *command(struct env *env, uint16_t opcode, uint32_t size)
{
	struct nnahw_command *c = (void *)(env->map + ENV_STREAM + env->stream_size);

	c->opcode = opcode;
	c->size = size;
	env->stream_size += size;
	return c;
}

/* An operand in slot 0: @count elements, or one that repeats. */
static struct nnahw_tensor tensor(uint8_t type, uint64_t offset, uint32_t count, int32_t stride)
{
	return (struct nnahw_tensor){
		.type = type, .rank = 1, .offset = offset, .dims[0] = count, .strides[0] = stride,
	};
}

static struct nnahw_tensor scalar(uint64_t offset)
{
	return tensor(NNAHW_TYPE_S32, offset, 1, 1);
}

static void ewise(struct env *env, uint8_t op, struct nnahw_tensor output, struct nnahw_tensor a,
		  struct nnahw_tensor b)
{
	struct nnahw_cmd_ewise *c = command(env, NNAHW_OP_EWISE, sizeof(*c));

	c->op = op;
	c->output = output;
	c->a = a;
	c->b = b;
	c->c.slot = NNAHW_SLOT_NONE;
}

/* While count < limit: each value = value * factor + count; count = count + one. */
static void stream_loop(struct env *env)
{
	const uint64_t count = offsetof(struct loop, count), more = offsetof(struct loop, more);
	struct nnahw_tensor values = tensor(NNAHW_TYPE_S32, LOOP_OFFSET, LOOP_VALUES, 1);
	struct nnahw_cmd_branch *branch;

	stream_begin(env);
	ewise(env, NNAHW_EWISE_MUL, values, values,
	      tensor(NNAHW_TYPE_S32, offsetof(struct loop, factor), LOOP_VALUES, 0));
	ewise(env, NNAHW_EWISE_ADD, values, values,
	      tensor(NNAHW_TYPE_S32, count, LOOP_VALUES, 0));
	ewise(env, NNAHW_EWISE_ADD, scalar(count), scalar(count),
	      scalar(offsetof(struct loop, one)));
	ewise(env, NNAHW_EWISE_LESS, tensor(NNAHW_TYPE_BOOL8, more, 1, 1), scalar(count),
	      scalar(offsetof(struct loop, limit)));
	branch = command(env, NNAHW_OP_BRANCH, sizeof(*branch));
	branch->condition = tensor(NNAHW_TYPE_BOOL8, more, 1, 1);
	branch->target = env->stream_size + NNAHW_COMMAND_ALIGN;
	stream_jump(env, sizeof(struct nnahw_stream_header));
	stream_end(env);
	stream_finish(env);
}

static void loop_prepare(struct env *env, int32_t limit)
{
	*loop_of(env) = (struct loop){ .one = 1, .limit = limit, .factor = LOOP_FACTOR };
	for (uint32_t i = 0; i < LOOP_VALUES; i++)
		loop_values(env)[i] = (int32_t)i;
}

/* Whether a loop has run all of its iterations, each once. */
static bool loop_is_right(struct env *env)
{
	const struct loop *loop = loop_of(env);
	uint32_t factor = 1, sum = 0;

	for (int32_t i = 0; i < loop->limit; i++) {
		factor *= LOOP_FACTOR;
		sum = sum * LOOP_FACTOR + (uint32_t)i;
	}
	for (uint32_t i = 0; i < LOOP_VALUES; i++)
		if ((uint32_t)loop_values(env)[i] != i * factor + sum)
			return false;
	return loop->count == loop->limit && !loop->more;
}

/* Iterations that take about loop_ns. */
static int32_t loop_measure(struct env *env)
{
	int64_t ns;

	stream_loop(env);
	loop_prepare(env, LOOP_SAMPLE);
	check(!submit_and_wait(env) && loop_is_right(env), "a loop runs", 0);
	ns = ticks_to_ns(env->fd, (int64_t)env_report(env)->run_time);
	return (int32_t)(loop_ns * LOOP_SAMPLE / (uint64_t)(ns > 0 ? ns : 1));
}

/* Sleeps and wakes; prints how long that has taken. */
static bool sleep_and_wake(int state)
{
	uint64_t begin = now_ns();
	bool ok = pwrite(state, "freeze", 6, 0) == 6;

	printf("nna_suspend: %s after %llu ms\n", ok ? "awake" : strerror(errno),
	       (unsigned long long)(now_ns() - begin) / 1000000);
	return ok;
}

/* Whether the driver's log, from where it has been read to, has a line with @text. */
static bool log_has(int log, const char *text)
{
	char line[1024];
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		if (strstr(line, text))
			return true;
	}
	return false;
}

/* A job that the device has begun, and that does not end or yield. */
static uint32_t begin_hanging(struct env *env)
{
	uint32_t out = syncobj_create(env->fd);
	unsigned int before = entries_begun(env->fd);

	stream_null(env);
	if (ctx_create(env->fd, env->vm, DRM_NNA_CTX_PRIORITY_LOW, &env->ctx))
		die("a context", -errno);
	inject("hang 1");
	check(!submit(env, 0, out), "a job that hangs is taken", 0);
	while (entries_begun(env->fd) == before)
		usleep(1000);
	return out;
}

/*
 * Two sleeps while a dozen clients have loops on the ring, the first one beside a job
 * that does not yield. The file system and the control socket are in use before the first sleep.
 */
static void loops(int state, int log)
{
	uint32_t hanging, outs[LOOPS];
	struct env hang, envs[LOOPS];
	uint64_t resets;
	int32_t limit;
	bool ok = true;

	env_init(&hang);
	resets = counters(hang.fd).driver_resets;
	for (int i = 0; i < LOOPS; i++) {
		env_init_apart(&envs[i]);
		stream_loop(&envs[i]);
		outs[i] = syncobj_create(envs[i].fd);
	}
	limit = loop_measure(&envs[0]);
	hanging = begin_hanging(&hang);
	for (int i = 0; i < LOOPS; i++) {
		loop_prepare(&envs[i], limit);
		ok = ok && !submit(&envs[i], 0, outs[i]);
	}
	check(ok, "loops are taken", 0);
	ring_wait(hang.fd, DRM_NNA_CTX_PRIORITY_MEDIUM, LOOPS);
	while (!__atomic_load_n(&loop_of(&envs[0])->count, __ATOMIC_ACQUIRE))
		usleep(1000);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		printf("nna_suspend: not in memory: %s\n", strerror(errno));

	check(sleep_and_wake(state), "sleeps beside loops and a job that hangs", 0);
	check(!syncobj_wait(hang.fd, hanging, LONG_WAIT) &&
	      syncobj_status(hang.fd, hanging) == -ECANCELED,
	      "the job that hangs is aborted", 0);
	check(!(ctx_state(hang.fd, hang.ctx).state & DRM_NNA_CTX_STATE_BANNED),
	      "and its context is not banned", 0);
	check(log_has(log, " of nna_suspend["), "and the log names its process", 0);
	check(!syncobj_status(envs[LOOPS - 1].fd, outs[LOOPS - 1]), "loops are left", 0);
	check(sleep_and_wake(state), "sleeps beside loops", 0);
	check(!log_has(log, "is aborted"), "and aborts none", 0);
	ok = true;
	for (int i = 0; i < LOOPS; i++)
		ok = ok && !syncobj_wait(envs[i].fd, outs[i], LONG_WAIT + 10 * LOOPS * loop_ns) &&
		     syncobj_status(envs[i].fd, outs[i]) == 1 && loop_is_right(&envs[i]);
	check(ok, "the loops have run to their end", 0);
	check(!submit_and_wait(&hang), "the client whose job was aborted goes on", 0);
	check(counters(hang.fd).driver_resets == resets, "nothing was reset", 0);
	env_fini(&hang);
	for (int i = 0; i < LOOPS; i++)
		env_fini(&envs[i]);
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
	check(sleep_and_wake(state), "sleeps and wakes", round);

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
	const char *loop_ms = getenv("NNA_LOOP_MS");
	struct env busy, queue, work;
	int console, test, delay, state, tainted, log;

	console = must_open("/dev/ttyS0", O_WRONLY);
	dup2(console, STDOUT_FILENO);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (loop_ms)
		loop_ns = strtoull(loop_ms, NULL, 10) * (SECOND / 1000);
	printf("nna_suspend: loops of %llu ms\n", (unsigned long long)loop_ns / 1000000);
	test = must_open("/sys/power/pm_test", O_WRONLY);
	delay = must_open("/sys/module/suspend/parameters/pm_test_delay", O_WRONLY);
	state = must_open("/sys/power/state", O_WRONLY);
	tainted = must_open("/proc/sys/kernel/tainted", O_RDONLY);
	log = must_open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	lseek(log, 0, SEEK_END);
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
	loops(state, log);
	for (int i = 1; i <= ROUNDS; i++)
		one_round(&busy, &queue, &work, state, i);
	check(!is_tainted(tainted), "no warning", ROUNDS);
	printf("nna_suspend: %u passed, %u failed, 0 skipped\n", passed, failed);
	fflush(stdout);
	usleep(200000);
	reboot(RB_POWER_OFF);
	return 1;
}

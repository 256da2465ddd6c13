// SPDX-License-Identifier: MIT
/*
 * nna_bench: what the driver costs, as ratios to what the machine can do, which do not depend on
 * how fast the machine is. It prints:
 *
 *  - medians of a ping-pong of two threads over eventfds, of a null job, and of the driver's floor
 *    (from a doorbell until the waiter runs, without a job). One of each in turn, so that each
 *    finds the caches as the others have left them; then each in a loop, with the caches to itself;
 *  - the throughput with many contexts, and what the device counted for each job;
 *  - how long a job of high priority waits behind a long one of low priority, against the device's
 *    longest tile;
 *  - what two neighbours do to a context: one that submits null jobs, one whose jobs fault;
 *  - how the clients of one priority share the device, and how long a null job waits among them.
 *
 * `nna_bench shares` prints the last of these only.
 *
 * With `vm/run --pin CPU` guest and device share a core; then the figures depend least on the
 * machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xf86drm.h>

#include "nna_test.h"

#define LOOP 100
#define SAMPLES 2000
#define MANY 64
#define ROUNDS 5
/* Samples of one round, of the measurements with neighbours and with high jobs. */
#define BESIDE 400
#define AHEAD 200

static int ping_fd, pong_fd;
/* The debugfs file that measures the floor; -1 if there is none. */
static int floor_fd;

struct samples {
	uint64_t pings[SAMPLES], nulls[SAMPLES], floors[SAMPLES];
};

static void *pong(void *arg)
{
	uint64_t v;

	while (read(ping_fd, &v, sizeof(v)) == sizeof(v) && v == 1) {
		if (write(pong_fd, &v, sizeof(v)) != sizeof(v))
			break;
	}
	return NULL;
}

static void must(int ret, const char *what)
{
	if (ret) {
		fprintf(stderr, "nna_bench: %s: %s\n", what, strerror(-ret));
		exit(1);
	}
}

static uint64_t ping_pong(void)
{
	uint64_t v = 1, t = now_ns();

	if (write(ping_fd, &v, sizeof(v)) != sizeof(v) || read(pong_fd, &v, sizeof(v)) != sizeof(v))
		must(-EIO, "eventfd");
	return now_ns() - t;
}

static uint64_t null_job(struct env *env, uint32_t out)
{
	uint64_t t = now_ns();

	must(submit(env, 0, out), "submit");
	must(syncobj_wait(env->fd, out, LONG_WAIT), "wait");
	return now_ns() - t;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The q-th percentile in microseconds; sorts. */
static double at(uint64_t *samples, size_t count, unsigned int q)
{
	qsort(samples, count, sizeof(*samples), compare);
	return (double)samples[(count - 1) * q / 100] / 1000;
}

/* Each read makes the driver measure. */
static uint64_t driver_floor(void)
{
	char text[32];
	ssize_t n = pread(floor_fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		must(n ? -errno : -EIO, "debugfs");
	text[n] = 0;
	return strtoull(text, NULL, 10);
}

/* Takes each samples of one kind, then as many of the next, until there are count of each. */
static void rounds(struct env *env, uint32_t out, unsigned int each, unsigned int count,
		   struct samples *s)
{
	for (unsigned int n = 0; n < count; n += each) {
		for (unsigned int i = 0; i < each; i++)
			s->pings[n + i] = ping_pong();
		for (unsigned int i = 0; i < each; i++)
			s->nulls[n + i] = null_job(env, out);
		for (unsigned int i = 0; i < each && floor_fd >= 0; i++)
			s->floors[n + i] = driver_floor();
	}
}

static void report(const char *how, struct samples *s)
{
	double ping = at(s->pings, SAMPLES, 50), job = at(s->nulls, SAMPLES, 50);

	printf("%s: eventfd ping-pong: median %.1f us, p99 %.1f us\n", how, ping,
	       at(s->pings, SAMPLES, 99));
	printf("%s: null job, submit to fence: median %.1f us, p99 %.1f us\n", how, job,
	       at(s->nulls, SAMPLES, 99));
	if (floor_fd >= 0) {
		double floor = at(s->floors, SAMPLES, 50);

		printf("%s: doorbell to waking up in the driver: median %.1f us, p99 %.1f us\n",
		       how, floor, at(s->floors, SAMPLES, 99));
		printf("%s: null job: %.2f ping-pongs, %.2f times the driver's floor\n", how,
		       job / ping, job / floor);
	} else {
		printf("%s: null job: %.2f ping-pongs\n", how, job / ping);
	}
}

/* Jobs per second with many contexts, each of which always has a few jobs queued. */
static double throughput(struct env *env, unsigned int contexts)
{
	uint32_t ctx[MANY], out[MANY];
	const unsigned int jobs = 4096;
	uint64_t t;

	for (unsigned int i = 0; i < contexts; i++) {
		must(ctx_create(env->fd, env->vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &ctx[i]), "context");
		out[i] = syncobj_create(env->fd);
	}
	t = now_ns();
	for (unsigned int i = 0; i < jobs; i++) {
		struct drm_nna_submit args = env_submit(env);

		args.ctx_id = ctx[i % contexts];
		must(submit_args(env, &args, 0, out[i % contexts]), "submit");
	}
	for (unsigned int i = 0; i < contexts; i++)
		must(syncobj_wait(env->fd, out[i], LONG_WAIT), "wait");
	t = now_ns() - t;
	for (unsigned int i = 0; i < contexts; i++) {
		ctx_destroy(env->fd, ctx[i]);
		drmSyncobjDestroy(env->fd, out[i]);
	}
	return jobs * 1e9 / (double)t;
}

static void bind_cost(struct env *env, uint64_t size, const char *name)
{
	uint32_t bo = bo_create(env->fd, size, env->vm, 0);
	uint64_t map[200], unmap[200], t;

	for (int i = 0; i < 200; i++) {
		t = now_ns();
		must(vm_map(env->fd, env->vm, bo, 0, 0x40000000, size, 0), "map");
		map[i] = now_ns() - t;
		t = now_ns();
		must(vm_unmap(env->fd, env->vm, 0x40000000, size), "unmap");
		unmap[i] = now_ns() - t;
	}
	printf("bind %s: map %.1f us, unmap with invalidation %.1f us\n", name, at(map, 200, 50),
	       at(unmap, 200, 50));
	bo_close(env->fd, bo);
}

/* Medians of rounds of all three in turn, so that other load on the machine affects them alike. */
static void throughputs(struct env *env)
{
	static const unsigned int contexts[] = { 1, 8, 64 };
	double rate[3][ROUNDS], low, high;

	for (unsigned int r = 0; r < ROUNDS; r++)
		for (unsigned int i = 0; i < 3; i++)
			rate[i][r] = throughput(env, contexts[i]);
	for (unsigned int i = 0; i < 3; i++)
		qsort(rate[i], ROUNDS, sizeof(rate[i][0]), compare_doubles);
	low = rate[0][ROUNDS / 2];
	high = low;
	for (unsigned int i = 0; i < 3; i++) {
		double m = rate[i][ROUNDS / 2];

		low = m < low ? m : low;
		high = m > high ? m : high;
		printf("jobs per second with %u contexts: %.0f\n", contexts[i], m);
	}
	printf("jobs per second: the lowest is %.0f %% of the highest\n", 100 * low / high);
}

/* Time of a job of high priority on an idle device, and while a long one of low priority runs. */
static void priority_cost(void)
{
	static uint64_t idle[ROUNDS * AHEAD], behind[ROUNDS * AHEAD];
	struct drm_nna_submit args;
	struct env low, high;
	double tile, a, b;
	uint32_t out, end;
	size_t n = 0;

	env_init(&low);
	env_init(&high);
	stream_null(&high);
	stream_begin(&low);
	stream_fill(&low, 0, 0x20000, 1);
	stream_jump(&low, sizeof(struct nnahw_stream_header));
	stream_finish(&low);
	ctx_destroy(low.fd, low.ctx);
	ctx_destroy(high.fd, high.ctx);
	must(ctx_create(low.fd, low.vm, DRM_NNA_CTX_PRIORITY_LOW, &low.ctx), "context");
	must(ctx_create(high.fd, high.vm, DRM_NNA_CTX_PRIORITY_HIGH, &high.ctx), "context");
	out = syncobj_create(high.fd);
	end = syncobj_create(low.fd);
	for (unsigned int r = 0; r < ROUNDS; r++) {
		for (unsigned int i = 0; i < AHEAD; i++)
			idle[n + i] = null_job(&high, out);
		args = env_submit(&low);
		args.duration_ns = SECOND;
		must(submit_args(&low, &args, 0, end), "submit");
		usleep(2000);
		for (unsigned int i = 0; i < AHEAD; i++)
			behind[n + i] = null_job(&high, out);
		/* No sample if the low job had ended before the high one. */
		if (syncobj_status(low.fd, end))
			must(-ETIME, "the low job ended too early");
		must(syncobj_wait(low.fd, end, LONG_WAIT), "wait");
		n += AHEAD;
	}
	tile = (double)counters(high.fd).longest_tile_ticks * 1e6 /
	       (double)hw_info(high.fd).tick_hz;
	a = at(idle, n, 50);
	b = at(behind, n, 50);
	printf("high job: idle device %.1f us, within a long low job %.1f us; ", a, b);
	printf("two longest tiles %.1f us\n", 2 * tile);
	printf("high job: waits %.2f times idle time and two longest tiles; ", b / (a + 2 * tile));
	printf("p99 %.1f us, idle %.1f us\n", at(behind, n, 99), at(idle, n, 99));
	env_fini(&low);
	env_fini(&high);
}

enum neighbour {
	NOBODY,
	NULL_JOBS,
	FAULTS,
};

struct beside {
	_Atomic bool stop;
	enum neighbour kind;
	unsigned int jobs;
};

/*
 * A neighbour's thread, with a file of its own. Jobs that fault ban their context: each has a new
 * one.
 */
static void *beside(void *arg)
{
	struct beside *b = arg;
	struct drm_nna_submit args;
	struct env env;

	env_init(&env);
	stream_null(&env);
	for (; !b->stop; b->jobs++) {
		args = env_submit(&env);
		if (b->kind == FAULTS) {
			ctx_destroy(env.fd, env.ctx);
			must(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env.ctx),
			     "context");
			args = env_submit(&env);
			args.stream_va = 0x70000000;
		}
		if (submit_args_and_wait(&env, &args) != (b->kind == FAULTS ? -EFAULT : 0))
			must(-EIO, "neighbour");
	}
	env_fini(&env);
	return NULL;
}

static void neighbours(struct env *env, uint32_t out)
{
	static const char *const names[] = { "alone", "beside null jobs", "beside faults" };
	static uint64_t samples[3][ROUNDS * BESIDE];
	double p99[3];

	for (unsigned int r = 0; r < ROUNDS; r++) {
		for (enum neighbour kind = NOBODY; kind <= FAULTS; kind++) {
			struct beside b = { .kind = kind };
			pthread_t thread;

			if (kind != NOBODY && pthread_create(&thread, NULL, beside, &b))
				must(-EAGAIN, "thread");
			usleep(20000);
			for (unsigned int i = 0; i < BESIDE; i++)
				samples[kind][r * BESIDE + i] = null_job(env, out);
			b.stop = true;
			if (kind != NOBODY)
				pthread_join(thread, NULL);
		}
	}
	for (enum neighbour kind = NOBODY; kind <= FAULTS; kind++) {
		p99[kind] = at(samples[kind], ROUNDS * BESIDE, 99);
		printf("null job %s: median %.1f us, p99 %.1f us\n", names[kind],
		       at(samples[kind], ROUNDS * BESIDE, 50), p99[kind]);
	}
	printf("faults change the p99 by %.2f times what null jobs do\n",
	       (p99[FAULTS] - p99[NOBODY]) / (p99[NULL_JOBS] - p99[NOBODY]));
}

/* Jobs of a client that are queued at any time. */
#define QUEUED 256

/* A client that always has jobs queued, all of the same size. */
struct client {
	_Atomic bool *stop;
	_Atomic unsigned int *begun;
	pthread_t thread;
	struct env env;
	unsigned int size;
	struct drm_nna_file_counters before;
};

static void *client_main(void *arg)
{
	struct client *c = arg;
	uint32_t out[QUEUED];

	for (unsigned int i = 0; i < QUEUED; i++) {
		out[i] = syncobj_create(c->env.fd);
		must(submit(&c->env, 0, out[i]), "submit");
	}
	++*c->begun;
	for (unsigned int i = 0; !*c->stop; i++) {
		must(syncobj_wait(c->env.fd, out[i % QUEUED], LONG_WAIT), "wait");
		must(submit(&c->env, 0, out[i % QUEUED]), "submit");
	}
	return NULL;
}

static struct drm_nna_file_counters file_counters(int fd)
{
	struct drm_nna_file_counters f;

	must(query(fd, DRM_NNA_DEV_QUERY_FILE_COUNTERS, &f, sizeof(f)), "counters");
	return f;
}

/* The commands of the clients' jobs that have ended. */
static uint64_t clients_commands(const struct client *clients, unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += file_counters(clients[i].env.fd).jobs * clients[i].size;
	return sum;
}

/* A thread that has to wait for the clients' threads would seem to wait for the driver. */
static void before_all_threads(bool before)
{
	struct sched_param param = { .sched_priority = before };

	must(sched_setscheduler(0, before ? SCHED_FIFO : SCHED_OTHER, &param) ? -errno : 0,
	     "priority");
}

/*
 * Clients whose jobs are one to eight times as long as those of the first: what each gets of two
 * seconds, and how long a null job of another one waits. As a ring is a queue, what the device runs
 * of others meanwhile was ahead of it, which is up to the driver. That is counted in commands, all
 * of which take the same time, as the device takes longer when its host does something else. So is
 * the rest of the wait up to the machine: the guest and the device may share a core.
 */
static void shares(struct env *env, uint32_t out, unsigned int count)
{
	const unsigned int ring = DRM_NNA_CTX_PRIORITY_MEDIUM;
	struct client *clients = calloc(count, sizeof(*clients));
	double sum = 0, low = 1e18, high = 0, command;
	uint64_t end, most = 0, ahead = 0, each = 0, commands;
	_Atomic unsigned int begun = 0;
	_Atomic bool stop = false;

	if (!clients)
		must(-ENOMEM, "clients");
	for (unsigned int i = 0; i < count; i++) {
		struct client *c = &clients[i];

		env_init(&c->env);
		stream_begin(&c->env);
		for (c->size = 0; c->size < 25 * (1 + i % 8); c->size++)
			stream_fill(&c->env, 0, 0x20000, 1);
		stream_end(&c->env);
		stream_finish(&c->env);
		each += c->size;
		c->stop = &stop;
		c->begun = &begun;
		if (pthread_create(&c->thread, NULL, client_main, c))
			must(-EAGAIN, "thread");
	}
	while (begun < count)
		usleep(10000);
	before_all_threads(true);
	for (unsigned int i = 0; i < count; i++)
		clients[i].before = file_counters(clients[i].env.fd);
	commands = clients_commands(clients, count);
	end = now_ns() + 2 * SECOND;
	while (now_ns() < end) {
		uint64_t before = clients_commands(clients, count);
		uint64_t t = null_job(env, out);

		before = clients_commands(clients, count) - before;
		most = t > most ? t : most;
		ahead = before > ahead ? before : ahead;
		usleep(10000);
	}
	commands = clients_commands(clients, count) - commands;
	for (unsigned int i = 0; i < count; i++) {
		struct drm_nna_file_counters f = file_counters(clients[i].env.fd);
		double ran = (double)ticks_to_ns(env->fd, (int64_t)(f.busy_ticks[ring] -
						 clients[i].before.busy_ticks[ring]));

		sum += ran;
		low = ran < low ? ran : low;
		high = ran > high ? ran : high;
	}
	command = sum / (double)commands;
	stop = true;
	before_all_threads(false);
	for (unsigned int i = 0; i < count; i++) {
		pthread_join(clients[i].thread, NULL);
		env_fini(&clients[i].env);
	}
	printf("%u clients: device busy %.0f %%, each gets %.0f to %.0f %% of its share; ", count,
	       sum / (2e7), 100 * low * count / sum, 100 * high * count / sum);
	printf("a null job waits at most %.1f ms, for at most %.1f ms of others' jobs; ",
	       (double)most / 1e6, (double)ahead * command / 1e6);
	printf("two jobs of each and 20 ms are %.1f ms\n", 2 * (double)each * command / 1e6 + 20);
	free(clients);
}

/* A null job among many jobs that end by their loop limit after 0.9 s. */
static void long_jobs(struct env *env, uint32_t out)
{
	struct drm_nna_submit args;
	struct env other;
	uint64_t most = 0;

	env_init(&other);
	stream_endless(&other);
	args = env_submit(&other);
	args.loop_limit_ns = SECOND * 9 / 10;
	for (unsigned int i = 0; i < 500; i++)
		must(submit_args(&other, &args, 0, 0), "submit");
	for (unsigned int i = 0; i < 5; i++) {
		uint64_t t = null_job(env, out);

		most = t > most ? t : most;
	}
	printf("500 jobs of 0.9 s: a null job of another client waits at most %.0f ms\n",
	       (double)most / 1e6);
	env_fini(&other);
}

static void all_shares(struct env *env, uint32_t out)
{
	shares(env, out, 1);
	shares(env, out, 4);
	shares(env, out, 16);
	shares(env, out, 64);
	long_jobs(env, out);
}

int main(int argc, char **argv)
{
	static struct samples samples;
	struct drm_nna_counters a, b, c;
	char path[128];
	pthread_t thread;
	struct env env;
	uint32_t out;
	uint64_t v = 2;

	printf("guest CPUs: %ld, %s\n", sysconf(_SC_NPROCESSORS_ONLN),
	       getenv("NNA_PINNED") ? "on one core together with the device" :
				      "not pinned: they move between cores");
	env_init(&env);
	stream_null(&env);
	out = syncobj_create(env.fd);
	if (argc > 1 && !strcmp(argv[1], "shares")) {
		all_shares(&env, out);
		return 0;
	}
	ping_fd = eventfd(0, 0);
	pong_fd = eventfd(0, 0);
	if (ping_fd < 0 || pong_fd < 0 || pthread_create(&thread, NULL, pong, NULL))
		must(-EIO, "eventfd");
	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/latency", device_name(env.fd));
	floor_fd = open(path, O_RDONLY | O_CLOEXEC);

	rounds(&env, out, 1, LOOP, &samples);
	rounds(&env, out, 1, SAMPLES, &samples);
	report("in turn", &samples);
	rounds(&env, out, LOOP, SAMPLES, &samples);
	report("in loops", &samples);

	query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &a, sizeof(a));
	query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &b, sizeof(b));
	for (unsigned int i = 0; i < SAMPLES; i++)
		null_job(&env, out);
	query(env.fd, DRM_NNA_DEV_QUERY_COUNTERS, &c, sizeof(c));
	printf("per job: %.3f interrupts, %.3f register reads, %.3f register writes\n",
	       (double)(c.irqs - b.irqs) / SAMPLES,
	       (double)((c.mmio_reads - b.mmio_reads) - (b.mmio_reads - a.mmio_reads)) / SAMPLES,
	       (double)(c.mmio_writes - b.mmio_writes) / SAMPLES);
	throughputs(&env);
	bind_cost(&env, 4096, "4 KiB");
	bind_cost(&env, 2 << 20, "2 MiB");
	priority_cost();
	neighbours(&env, out);
	all_shares(&env, out);
	if (write(ping_fd, &v, sizeof(v)) == sizeof(v))
		pthread_join(thread, NULL);
	env_fini(&env);
	return 0;
}

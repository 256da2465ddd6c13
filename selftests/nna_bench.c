// SPDX-License-Identifier: MIT
/*
 * nna_bench [PART...]: what the driver costs, as ratios to what the machine can do, which do not
 * depend on how fast the machine is. It measures these parts, or those that are named:
 *
 *  null	medians of a ping-pong of two threads over eventfds, of a null job, and of the
 *		driver's floor (from a doorbell until the waiter runs, without a job). One of each
 *		in turn, so that each finds the caches as the others have left them; then each in a
 *		loop, with the caches to itself. And what the device counts for each job
 *  fenced	null jobs, and jobs that write 128 KiB, that wait for a sync_file and end in one:
 *		what of them SUBMIT would save if it took fds beside syncobjs
 *  contexts	the throughput with many contexts
 *  bind	mapping, and unmapping with the invalidation
 *  priority	how long a job of high priority waits behind a long one of low priority, against
 *		the device's longest tile
 *  waits	the longest way of a null job of each priority beside endless jobs of all others
 *  neighbours	what two neighbours do to a context: one that submits null jobs, one whose jobs
 *		fault
 *  shares	how the clients of one priority share the device, and how long a null job waits
 *		among them
 *
 * With `vm/run --pin CPU` guest and device share a core; then the figures depend least on the
 * machine. But for shares, where the device should have a core of its own: a job that gives its
 * core to the guest for a while takes several times as long. No driver can give each client its
 * share of two seconds, less than a fifth of it, if one job takes more than that fifth: with 64
 * clients 6 ms. Therefore shares prints how long the longest job took.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
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
static void throughputs(struct env *env, uint32_t out)
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

/* Jobs that keep the device busy: each for SPAN of run time, which WAITS null jobs do not take. */
#define PRIORITIES (DRM_NNA_CTX_PRIORITY_REALTIME + 1)
#define SPAN (9 * SECOND / 2)
/* What a priority waits for run time at most, beside a tile of each of the others (uapi). */
#define PRIORITY_WAIT_NS (175 * SECOND / 1000)
#define WAITS 4

static void env_of_priority(struct env *env, uint32_t priority)
{
	env_init(env);
	ctx_destroy(env->fd, env->ctx);
	must(ctx_create(env->fd, env->vm, priority, &env->ctx), "context");
}

/*
 * The longest way of a null job of each priority beside endless jobs of all others, against the
 * bound of the ABI and the same job alone. (Beside jobs of its own priority it waits for its turn:
 * see shares.)
 */
static void priority_waits(struct env *env, uint32_t out)
{
	for (uint32_t p = 0; p < PRIORITIES; p++) {
		struct env busy[PRIORITIES], null;
		uint64_t alone = 0, longest = 0, bound;

		env_of_priority(&null, p);
		stream_null(&null);
		out = syncobj_create(null.fd);
		for (unsigned int i = 0; i < WAITS; i++)
			alone += null_job(&null, out) / WAITS;
		for (uint32_t other = 0; other < PRIORITIES; other++) {
			struct drm_nna_submit args;

			env_of_priority(&busy[other], other);
			stream_endless(&busy[other]);
			args = env_submit(&busy[other]);
			args.budget_ns = SPAN;
			if (other != p)
				must(submit_args(&busy[other], &args, 0,
						 syncobj_create(busy[other].fd)), "submit");
		}
		for (unsigned int i = 0; i < WAITS; i++) {
			uint64_t t = null_job(&null, out);

			longest = t > longest ? t : longest;
		}
		bound = (uint64_t)ticks_to_ns(null.fd,
					      (int64_t)counters(null.fd).longest_tile_ticks);
		bound = PRIORITY_WAIT_NS + alone + (PRIORITIES - 1) * bound;
		printf("beside endless jobs of all others: null job of priority %u: ", p);
		printf("at most %.1f ms, of at most %.1f ms: %s; %.0f times one alone\n",
		       (double)longest / 1e6, (double)bound / 1e6,
		       longest <= bound ? "within its bound" : "late",
		       (double)longest / (double)alone);
		for (uint32_t other = 0; other < PRIORITIES; other++)
			env_fini(&busy[other]);
		env_fini(&null);
	}
}

/* Time of a job of high priority on an idle device, and while a long one of low priority runs. */
static void priority_cost(struct env *env, uint32_t unused)
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
/* Where their reports are, in the data, behind what they fill. */
#define REPORTS (ENV_DATA + 0x20000)
/* How long clients are watched, and the time of which each shall have its share. */
#define WATCHED (4 * SECOND)
#define WINDOW (2 * SECOND)
#define STEP (WINDOW / 20)

/* When the device has run a job, by its clock. */
struct span {
	uint64_t begin, end;
};

/* A client that always has jobs queued, all of the same size. Its thread writes @spans. */
struct client {
	_Atomic bool *stop;
	_Atomic unsigned int *begun;
	pthread_t thread;
	struct env env;
	struct span *spans;
	size_t count, room;
};

/* A null job among the clients': submitted and woken up for at these ticks. */
struct wait {
	uint64_t submitted, woken;
	struct span span;
};

static struct nnahw_report *client_report(struct client *c, unsigned int i)
{
	return (struct nnahw_report *)(c->env.map + REPORTS) + i % QUEUED;
}

static void client_submit(struct client *c, unsigned int i, uint32_t out)
{
	struct drm_nna_submit args = env_submit(&c->env);

	args.report_va = ENV_VA + REPORTS + i % QUEUED * sizeof(struct nnahw_report);
	must(submit_args(&c->env, &args, 0, out), "submit");
}

/* Notes when the device has run the i-th job, which has ended. */
static void client_note(struct client *c, unsigned int i)
{
	const struct nnahw_report *r = client_report(c, i);

	if (c->count == c->room) {
		c->room = 2 * c->room + 1024;
		c->spans = realloc(c->spans, c->room * sizeof(*c->spans));
		if (!c->spans)
			must(-ENOMEM, "spans");
	}
	c->spans[c->count++] = (struct span){ r->begin, r->end };
}

static void *client_main(void *arg)
{
	struct client *c = arg;
	uint32_t out[QUEUED];
	unsigned int i;

	for (i = 0; i < QUEUED; i++) {
		out[i] = syncobj_create(c->env.fd);
		client_submit(c, i, out[i]);
	}
	++*c->begun;
	for (i = 0; !*c->stop; i++) {
		must(syncobj_wait(c->env.fd, out[i % QUEUED], LONG_WAIT), "wait");
		client_note(c, i);
		client_submit(c, i, out[i % QUEUED]);
	}
	/* With many threads one may be behind with what it has noted. */
	for (unsigned int n = 0; n < QUEUED && syncobj_status(c->env.fd, out[i % QUEUED]); n++)
		client_note(c, i++);
	return NULL;
}

/* Clients whose jobs are one to eight times as long as those of the first. */
static struct client *clients_start(unsigned int count, _Atomic bool *stop)
{
	struct client *clients = calloc(count, sizeof(*clients));
	_Atomic unsigned int begun = 0;

	if (!clients)
		must(-ENOMEM, "clients");
	for (unsigned int i = 0; i < count; i++) {
		struct client *c = &clients[i];

		env_init(&c->env);
		stream_begin(&c->env);
		for (unsigned int n = 0; n < 25 * (1 + i % 8); n++)
			stream_fill(&c->env, 0, 0x20000, 1);
		stream_end(&c->env);
		stream_finish(&c->env);
		c->stop = stop;
		c->begun = &begun;
		if (pthread_create(&c->thread, NULL, client_main, c))
			must(-EAGAIN, "thread");
	}
	while (begun < count)
		usleep(10000);
	return clients;
}

static void clients_join(struct client *clients, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		pthread_join(clients[i].thread, NULL);
}

static void clients_free(struct client *clients, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		env_fini(&clients[i].env);
		free(clients[i].spans);
	}
	free(clients);
}

/* A thread that has to wait for the clients' threads would seem to wait for the driver. */
static void before_all_threads(bool before)
{
	struct sched_param param = { .sched_priority = before };

	must(sched_setscheduler(0, before ? SCHED_FIFO : SCHED_OTHER, &param) ? -errno : 0,
	     "priority");
}

/* What of the span is within the other, in ticks. */
static uint64_t within(struct span span, struct span other)
{
	uint64_t begin = span.begin > other.begin ? span.begin : other.begin;
	uint64_t end = span.end < other.end ? span.end : other.end;

	return begin < end ? end - begin : 0;
}

/* How long the device has run the client's jobs within the window, in ticks. */
static uint64_t client_ran(const struct client *c, struct span window)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->count; i++)
		sum += within(c->spans[i], window);
	return sum;
}

/* The client's longest job and the mean of all, in ticks. */
static uint64_t client_longest(const struct client *c)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->spans[i].end - c->spans[i].begin > longest)
			longest = c->spans[i].end - c->spans[i].begin;
	return longest;
}

static double client_mean(const struct client *c)
{
	return (double)client_ran(c, (struct span){ 0, UINT64_MAX }) / (double)c->count;
}

static double ms(const struct env *env, double ticks)
{
	return (double)ticks_to_ns(env->fd, (int64_t)ticks) / 1e6;
}

/*
 * What each client gets of any window, in parts of its share: of the time in which the device ran
 * their jobs. A job is not divided, so a share is not kept better than to a client's longest job.
 */
static void shares_report(const struct env *env, const struct client *clients, unsigned int count,
			  struct span watched, uint64_t tick_hz)
{
	const uint64_t length = WINDOW / 1000 * tick_hz / (SECOND / 1000);
	const uint64_t step = STEP / 1000 * tick_hz / (SECOND / 1000);
	double low = 1e18, high = 0, busy = 1, longest = 0;

	for (uint64_t at = watched.begin; at + length <= watched.end; at += step) {
		struct span window = { at, at + length };
		double sum = 0, least = 1e18, most = 0;

		for (unsigned int i = 0; i < count; i++) {
			double ran = (double)client_ran(&clients[i], window);

			sum += ran;
			least = ran < least ? ran : least;
			most = ran > most ? ran : most;
		}
		low = least * count / sum < low ? least * count / sum : low;
		high = most * count / sum > high ? most * count / sum : high;
		busy = sum / (double)length < busy ? sum / (double)length : busy;
	}
	for (unsigned int i = 0; i < count; i++) {
		double job = (double)client_longest(&clients[i]);

		longest = job > longest ? job : longest;
	}
	printf("%u clients: of any 2 s, of which the device runs their jobs for %.0f %% or more, ",
	       count, 100 * busy);
	printf("each gets %.0f to %.0f %% of its share; ", 100 * low, 100 * high);
	printf("the longest job, of %.2f ms, is %.1f %% of one\n", ms(env, longest),
	       100 * longest * count / (busy * (double)length));
}

/*
 * The null job that has waited longest, and what the device did meanwhile. As a ring is a queue,
 * what it ran of others was ahead, which is up to the driver: two jobs of each client and 20 ms at
 * most. But jobs take longer than usual when the host does something else. So is the rest of the
 * wait up to the machine: the guest and the device may share a core.
 */
static void waits_report(const struct env *env, const struct client *clients, unsigned int count,
			 const struct wait *waits, size_t waited)
{
	double bound = 0, ahead = 0, usual = 0, longest = 0, own = 0, wait;
	const struct wait *worst = &waits[0];
	unsigned int jobs = 0;
	struct span before;

	for (size_t i = 0; i < waited; i++)
		if (waits[i].woken - waits[i].submitted > worst->woken - worst->submitted)
			worst = &waits[i];
	before = (struct span){ worst->submitted, worst->span.begin };
	for (unsigned int i = 0; i < count; i++) {
		const struct client *c = &clients[i];
		double mean = client_mean(c);

		bound += 2 * mean;
		for (size_t n = 0; n < c->count; n++) {
			double ran = (double)within(c->spans[n], before);

			if (!ran)
				continue;
			jobs++;
			ahead += ran;
			usual += ran < mean ? ran : mean;
			longest = ran > longest ? ran : longest;
		}
	}
	/* Who has had more than a share waits for the others, also if the host is to blame. */
	for (const struct wait *w = waits; w < worst; w++)
		if ((double)(w->span.end - w->span.begin) > own)
			own = (double)(w->span.end - w->span.begin);
	wait = (double)(worst->woken - worst->submitted);
	printf("%u clients: of %zu null jobs one waits for %.1f ms, of at most %.1f ms: ", count,
	       waited, ms(env, wait), ms(env, bound) + 20);
	printf("for %u jobs of others, %.1f ms, the longest %.1f ms, ", jobs, ms(env, ahead),
	       ms(env, longest));
	printf("%.1f ms if none took longer than its client's usually do; ", ms(env, usual));
	printf("for the rest of the way to the device and back, %.1f ms; ", ms(env, wait - ahead));
	printf("of the null jobs before it the longest took %.1f ms\n", ms(env, own));
}

static uint64_t tick_now(const struct env *env)
{
	struct drm_nna_timestamp t;

	must(query(env->fd, DRM_NNA_DEV_QUERY_TIMESTAMP, &t, sizeof(t)), "timestamp");
	return t.tick;
}

static struct wait null_job_among(struct env *env, uint32_t out)
{
	struct wait w = { .submitted = tick_now(env) };

	null_job(env, out);
	w.woken = tick_now(env);
	w.span = (struct span){ env_report(env)->begin, env_report(env)->end };
	return w;
}

/*
 * How clients of one priority share the device, and how long a null job of another one waits. Taken
 * from the reports of all jobs: when the device has begun and ended each, by its own clock.
 */
static void shares(struct env *env, uint32_t out, unsigned int count)
{
	static struct wait waits[WATCHED / 10000000];
	_Atomic bool stop = false;
	struct client *clients = clients_start(count, &stop);
	struct span watched;
	size_t waited = 0;
	uint64_t end;

	before_all_threads(true);
	watched.begin = tick_now(env);
	for (end = now_ns() + WATCHED; now_ns() < end; usleep(10000))
		waits[waited++] = null_job_among(env, out);
	watched.end = tick_now(env);
	stop = true;
	before_all_threads(false);
	clients_join(clients, count);
	shares_report(env, clients, count, watched, hw_info(env->fd).tick_hz);
	waits_report(env, clients, count, waits, waited);
	clients_free(clients, count);
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

/* What a null job costs, by itself. */
static void null_jobs(struct env *env, uint32_t out)
{
	static struct samples samples;
	struct drm_nna_counters a, b, c;
	char path[128];
	pthread_t thread;
	uint64_t v = 2;

	ping_fd = eventfd(0, 0);
	pong_fd = eventfd(0, 0);
	if (ping_fd < 0 || pong_fd < 0 || pthread_create(&thread, NULL, pong, NULL))
		must(-EIO, "eventfd");
	debugfs_path(path, sizeof(path), env->fd, "latency");
	floor_fd = open(path, O_RDONLY | O_CLOEXEC);

	rounds(env, out, 1, LOOP, &samples);
	rounds(env, out, 1, SAMPLES, &samples);
	report("in turn", &samples);
	rounds(env, out, LOOP, SAMPLES, &samples);
	report("in loops", &samples);

	query(env->fd, DRM_NNA_DEV_QUERY_COUNTERS, &a, sizeof(a));
	query(env->fd, DRM_NNA_DEV_QUERY_COUNTERS, &b, sizeof(b));
	for (unsigned int i = 0; i < SAMPLES; i++)
		null_job(env, out);
	query(env->fd, DRM_NNA_DEV_QUERY_COUNTERS, &c, sizeof(c));
	printf("per job: %.3f interrupts, %.3f register reads, %.3f register writes\n",
	       (double)(c.irqs - b.irqs) / SAMPLES,
	       (double)((c.mmio_reads - b.mmio_reads) - (b.mmio_reads - a.mmio_reads)) / SAMPLES,
	       (double)(c.mmio_writes - b.mmio_writes) / SAMPLES);
	if (write(ping_fd, &v, sizeof(v)) == sizeof(v))
		pthread_join(thread, NULL);
}

/*
 * A chain of jobs: each waits for the sync_file of the one before, by way of a syncobj, and ends in
 * one. SUBMIT with fds would look the same files up and make the same ones, within one call in
 * place of three. So of the time of import and export it saves what remains without the making of a
 * file, which is measured as a call that makes one of two others.
 */
static void fenced_chain(struct env *env, const char *name)
{
	static uint64_t all[SAMPLES], conversions[SAMPLES], files[SAMPLES];
	uint32_t in = syncobj_create(env->fd), out = syncobj_create(env->fd);
	struct sync_merge_data merge = { 0 };
	double job, most, file;
	int fd, next;

	must(submit(env, 0, out), "submit");
	must(drmSyncobjExportSyncFile(env->fd, out, &fd), "export");
	for (unsigned int i = 0; i < LOOP + SAMPLES; i++) {
		unsigned int n = i < LOOP ? i : i - LOOP;
		uint64_t begin = now_ns(), imported, submitted, exported, end, made;
		struct pollfd pollfd;

		must(drmSyncobjImportSyncFile(env->fd, in, fd), "import");
		imported = now_ns();
		must(submit(env, in, out), "submit");
		submitted = now_ns();
		must(drmSyncobjExportSyncFile(env->fd, out, &next), "export");
		exported = now_ns();
		pollfd = (struct pollfd){ .fd = next, .events = POLLIN };
		if (poll(&pollfd, 1, -1) != 1)
			must(-errno, "poll");
		end = now_ns();
		close(fd);
		fd = next;
		merge.fd2 = fd;
		made = now_ns();
		if (ioctl(fd, SYNC_IOC_MERGE, &merge))
			must(-errno, "SYNC_IOC_MERGE");
		files[n] = now_ns() - made;
		close(merge.fence);
		all[n] = end - begin;
		conversions[n] = imported - begin + exported - submitted;
	}
	close(fd);
	drmSyncobjDestroy(env->fd, in);
	drmSyncobjDestroy(env->fd, out);
	job = at(all, SAMPLES, 50);
	most = at(conversions, SAMPLES, 50);
	file = at(files, SAMPLES, 50);
	printf("%s, sync_file to sync_file: median %.1f us; import and export %.1f us, %.1f %%; ",
	       name, job, most, 100 * most / job);
	printf("without the making of a file, %.1f us, %.1f us, %.1f %%\n", file, most - file,
	       100 * (most - file) / job);
}

static void fenced_jobs(struct env *env, uint32_t out)
{
	struct env fill;

	fenced_chain(env, "null job");
	env_init(&fill);
	stream_begin(&fill);
	stream_fill(&fill, 0, 0x20000, 1);
	stream_finish(&fill);
	fenced_chain(&fill, "job of 128 KiB");
	env_fini(&fill);
}

static void bind_costs(struct env *env, uint32_t out)
{
	bind_cost(env, 4096, "4 KiB");
	bind_cost(env, 2 << 20, "2 MiB");
}

static void all_shares(struct env *env, uint32_t out)
{
	/* First: clients that have closed leave thousands of jobs, which the driver has to end. */
	long_jobs(env, out);
	shares(env, out, 1);
	shares(env, out, 4);
	shares(env, out, 16);
	shares(env, out, 64);
}

static const struct {
	const char *name;
	void (*measure)(struct env *env, uint32_t out);
} parts[] = {
	{ "null", null_jobs },
	{ "fenced", fenced_jobs },
	{ "contexts", throughputs },
	{ "bind", bind_costs },
	{ "priority", priority_cost },
	{ "waits", priority_waits },
	{ "neighbours", neighbours },
	{ "shares", all_shares },
};

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

int main(int argc, char **argv)
{
	struct env env;
	uint32_t out;

	printf("guest CPUs: %ld, %s\n", sysconf(_SC_NPROCESSORS_ONLN),
	       getenv("NNA_PINNED") ? "on one core together with the device" :
				      "not pinned: they move between cores");
	env_init(&env);
	stream_null(&env);
	out = syncobj_create(env.fd);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (wanted(parts[i].name, argc, argv))
			parts[i].measure(&env, out);
	env_fini(&env);
	return 0;
}

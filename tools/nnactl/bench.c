// SPDX-License-Identifier: MIT
/*
 * nnactl bench: how long runs of a model take, one after the other or several at once. The first
 * runs, in which caches and pages warm up, do not count; the very first, which is all that some
 * users wait for, is told apart. Ctrl-C ends it with what there is.
 */
#include "tools/nnactl/inputs.h"
#include "tools/nnactl/measure.h"
#include "tools/nnactl/outputs.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define DEFAULT_RUNS 100
#define MOST_RUNS 1000000
#define WARM_UP_RUNS 5
/* Of the histogram. Fewer samples than these have none. */
#define BUCKETS 10
#define LEAST_SAMPLES 20
#define BAR_SIZE 40

/* SIGINT came: no run is begun any more. */
static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	stopped = 1;
}

/* A second SIGINT ends the process. */
static void watch_for_interrupt(void)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESETHAND | SA_RESTART };

	sigaction(SIGINT, &action, NULL);
}

/* ------------------------------------------------------------------------------------ running */

/**
 * struct bench - all runs of a model
 * @samples: of @runs runs
 * @next: the run that the next free stream takes
 * @done: runs that have ended well
 * @failed: a stream has ended with an error, which is printed
 */
struct bench {
	struct nnactl_session *session;
	struct nnactl_times *samples;
	uint32_t runs;
	atomic_uint next, done;
	atomic_bool failed;
};

/**
 * struct stream - what runs one after the other
 * @first: ns of the very first run
 */
struct stream {
	struct bench *bench;
	struct nnactl_execution execution;
	struct nnactl_outputs outputs;
	struct nnactl_inputs inputs;
	uint64_t first;
	pthread_t thread;
};

/* Make a stream and warm it up. Return: 0, or 1 with the error printed. */
static int stream_begin(struct stream *s, struct bench *bench, bool shared)
{
	struct nnactl_times times;
	int ret;

	s->bench = bench;
	ret = nnactl_execution_create(bench->session, &s->execution) ?:
	      nnactl_inputs_bind(&s->inputs, &s->execution, shared) ?:
	      nnactl_outputs_bind(&s->outputs, &s->execution, shared);
	for (uint32_t i = 0; i < WARM_UP_RUNS && !ret && !stopped; i++) {
		ret = nnactl_execution_run(&s->execution, &times);
		if (!i)
			s->first = times.wall;
	}
	return ret;
}

static void stream_end(struct stream *s)
{
	nnactl_execution_destroy(&s->execution);
	nnactl_outputs_free(&s->outputs);
	nnactl_inputs_free(&s->inputs);
}

static void *stream_run(void *data)
{
	struct stream *s = data;
	struct bench *b = s->bench;

	while (!stopped && !atomic_load(&b->failed)) {
		const uint32_t i = atomic_fetch_add(&b->next, 1);
		struct nnactl_times times;

		if (i >= b->runs)
			break;
		if (nnactl_execution_run(&s->execution, &times)) {
			atomic_store(&b->failed, true);
			break;
		}
		/* Runs that are begun end: those that have ended lie together, in any order. */
		b->samples[atomic_fetch_add(&b->done, 1)] = times;
		nnactl_progress_at(atomic_load(&b->done), b->runs);
	}
	return NULL;
}

/* All streams, the first of them in this thread. Return: 0, or 1 with the error printed. */
static int run_streams(struct bench *b, struct stream *streams, uint32_t count, uint64_t *elapsed)
{
	const uint64_t start = nnactl_now();
	uint32_t begun = 1;
	int ret = 0;

	while (begun < count && !ret) {
		ret = pthread_create(&streams[begun].thread, NULL, stream_run, &streams[begun]);
		begun += !ret;
	}
	if (ret)
		atomic_store(&b->failed, true);
	else
		stream_run(&streams[0]);
	for (uint32_t i = 1; i < begun; i++)
		pthread_join(streams[i].thread, NULL);
	*elapsed = nnactl_now() - start;
	if (ret)
		return nnactl_error("%u streams: %s", count, strerror(ret));
	return atomic_load(&b->failed);
}

/* ---------------------------------------------------------------------------------- reporting */

/**
 * struct summary - of one of the times of all runs, in ms
 * @sorted: all of them in ns, which the caller frees
 */
struct summary {
	double min, median, p90, p95, p99, max;
	uint64_t *sorted;
};

/* The time that @percent of the runs do not exceed. */
static double percentile(const uint64_t *sorted, uint32_t count, uint32_t percent)
{
	return (double)sorted[(uint64_t)(count - 1) * percent / 100] / 1e6;
}

/* Of one member of the samples. Return: false without memory. */
static bool summarise(struct summary *s, const struct nnactl_times *samples, uint32_t count,
		      size_t member)
{
	s->sorted = calloc(count, sizeof(*s->sorted));
	if (!s->sorted)
		return false;
	for (uint32_t i = 0; i < count; i++)
		memcpy(&s->sorted[i], (const char *)&samples[i] + member, sizeof(s->sorted[i]));
	s->median = nnactl_times_sort(s->sorted, count) / 1e6;
	s->min = percentile(s->sorted, count, 0);
	s->p90 = percentile(s->sorted, count, 90);
	s->p95 = percentile(s->sorted, count, 95);
	s->p99 = percentile(s->sorted, count, 99);
	s->max = percentile(s->sorted, count, 100);
	return true;
}

/**
 * struct report - what there is to say
 * @runs: that have ended, at least one
 * @compile: ns from the file to the program
 * @first: ns of the very first run
 * @elapsed: ns of all runs
 * @memory: most bytes that the process had
 */
struct report {
	const struct nnactl_session *session;
	const struct nnactl_measure *measure;
	uint32_t runs;
	uint64_t compile, first, elapsed, memory;
	struct summary wall, device, submit;
};

/* Buckets of the same width from the least time to the 99th percentile; the rest is in the last. */
static uint32_t fill_buckets(const struct report *r, uint32_t counts[BUCKETS + 1], double *width)
{
	uint32_t most = 0;

	memset(counts, 0, (BUCKETS + 1) * sizeof(*counts));
	*width = (r->wall.p99 - r->wall.min) / BUCKETS;
	for (uint32_t i = 0; i < r->runs; i++) {
		const double at = (double)r->wall.sorted[i] / 1e6 - r->wall.min;
		const uint32_t bucket = at >= *width * BUCKETS ? BUCKETS : (uint32_t)(at / *width);

		counts[bucket]++;
	}
	for (uint32_t i = 0; i <= BUCKETS; i++)
		most = counts[i] > most ? counts[i] : most;
	return most;
}

static bool has_histogram(const struct report *r)
{
	return r->runs >= LEAST_SAMPLES && r->wall.p99 > r->wall.min;
}

static json_t *histogram_json(const struct report *r)
{
	json_t *list = json_array();
	uint32_t counts[BUCKETS + 1];
	double width;

	if (!has_histogram(r))
		return list;
	fill_buckets(r, counts, &width);
	for (uint32_t i = 0; i <= BUCKETS; i++)
		json_array_append_new(list, json_pack("{s:f, s:i}", "from_ms",
						      r->wall.min + i * width, "count",
						      (int)counts[i]));
	return list;
}

static void print_histogram(const struct report *r)
{
	uint32_t counts[BUCKETS + 1], most;
	double width;

	if (!has_histogram(r))
		return;
	most = fill_buckets(r, counts, &width);
	printf("wall from ms\n");
	for (uint32_t i = 0; i <= BUCKETS; i++) {
		uint32_t length = (uint32_t)((uint64_t)counts[i] * BAR_SIZE / most);

		printf("%8.3f ", r->wall.min + i * width);
		for (length = length ? length : counts[i] > 0; length; length--)
			putchar('|');
		printf(" %u\n", counts[i]);
	}
}

static json_t *summary_json(const struct summary *s)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "min", s->min, "median", s->median,
			 "p90", s->p90, "p95", s->p95, "p99", s->p99, "max", s->max);
}

static void print_summary(const char *name, const struct summary *s)
{
	printf("%-6s %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f\n", name, s->min, s->median, s->p90,
	       s->p95, s->p99, s->max);
}

static double throughput_of(const struct report *r)
{
	return r->elapsed ? r->runs * 1e9 / (double)r->elapsed : 0;
}

static int print_json(const struct report *r)
{
	const struct nnactl_measure *m = r->measure;
	json_t *all = json_pack(
		"{s:o?, s:s, s:i, s:i, s:i, s:b, s:b, s:f, s:f}", "model",
		nnactl_json_text(r->session->path), "device", r->session->device_name, "threads",
		(int)m->threads, "streams", (int)m->streams, "runs", (int)r->runs, "interrupted",
		(int)stopped, "shared", m->shared, "load_ms", (double)r->compile / 1e6, "first_ms",
		(double)r->first / 1e6);

	json_object_set_new(all, "wall_ms", summary_json(&r->wall));
	json_object_set_new(all, "device_ms", summary_json(&r->device));
	json_object_set_new(all, "submit_ms",
			    r->session->split ? json_null() : summary_json(&r->submit));
	json_object_set_new(all, "runs_per_second", json_real(throughput_of(r)));
	json_object_set_new(all, "peak_memory", json_integer((json_int_t)r->memory));
	json_object_set_new(all, "histogram", histogram_json(r));
	return nnactl_json_print(all);
}

static void print_text(const struct report *r)
{
	const uint32_t threads = r->measure->threads, streams = r->measure->streams;

	printf("%s on %s, ", r->session->path, r->session->device_name);
	if (threads)
		printf("%u thread%s, ", threads, threads == 1 ? "" : "s");
	if (streams > 1)
		printf("%u streams, ", streams);
	printf("%u run%s%s; file to ready %.1f ms, first run %.3f ms\n", r->runs,
	       r->runs == 1 ? "" : "s", stopped ? " until it was interrupted" : "",
	       (double)r->compile / 1e6, (double)r->first / 1e6);
	printf("%-6s %9s %9s %9s %9s %9s %9s  ms\n", "", "min", "median", "p90", "p95", "p99",
	       "max");
	print_summary("wall", &r->wall);
	print_summary("device", &r->device);
	if (!r->session->split)
		print_summary("submit", &r->submit);
	printf("%.1f runs a second; the process had %.1f MiB of memory at most\n",
	       throughput_of(r), (double)r->memory / 0x1p20);
	print_histogram(r);
}

static int report(const struct bench *b, const struct nnactl_measure *m, uint64_t compile,
		  uint64_t first, uint64_t elapsed)
{
	struct report r = {
		.session = b->session, .measure = m, .runs = atomic_load(&b->done),
		.compile = compile, .first = first, .elapsed = elapsed,
	};
	struct rusage usage;
	int ret = 0;

	if (!r.runs)
		return nnactl_error("%s: interrupted before the first run ended", b->session->path);
	if (!getrusage(RUSAGE_SELF, &usage))
		r.memory = (uint64_t)usage.ru_maxrss << 10;
	if (!summarise(&r.wall, b->samples, r.runs, offsetof(struct nnactl_times, wall)) ||
	    !summarise(&r.device, b->samples, r.runs, offsetof(struct nnactl_times, device)) ||
	    !summarise(&r.submit, b->samples, r.runs, offsetof(struct nnactl_times, submit)))
		ret = nnactl_error("out of memory");
	else if (nnactl_json())
		ret = print_json(&r);
	else
		print_text(&r);
	free(r.wall.sorted);
	free(r.device.sorted);
	free(r.submit.sorted);
	return ret;
}

static int measure(struct nnactl_session *session, const struct nnactl_measure *m, uint64_t compile)
{
	struct bench b = { .session = session, .runs = m->runs };
	struct stream *streams;
	uint64_t elapsed = 0;
	int ret = 0;

	if (session->split && m->streams > 1)
		return nnactl_error("%s runs on %s: that is possible in one stream only",
				    session->path, session->device_name);
	b.samples = calloc(m->runs, sizeof(*b.samples));
	streams = calloc(m->streams, sizeof(*streams));
	if (!b.samples || !streams)
		ret = nnactl_error("out of memory");
	for (uint32_t i = 0; i < m->streams && !ret; i++)
		ret = stream_begin(&streams[i], &b, m->shared);
	if (!ret) {
		nnactl_progress("%s: running", session->path);
		ret = run_streams(&b, streams, m->streams, &elapsed);
		nnactl_progress_end();
	}
	if (!ret)
		ret = report(&b, m, compile, streams[0].first, elapsed);
	for (uint32_t i = 0; streams && i < m->streams; i++)
		stream_end(&streams[i]);
	free(b.samples);
	free(streams);
	return ret;
}

static int bench_main(int argc, char **argv)
{
	struct nnactl_measure m = {
		.device = "auto", .runs = DEFAULT_RUNS, .most_runs = MOST_RUNS, .streams = 1,
	};
	struct nnactl_session session;
	uint64_t start;
	int status;

	if (!nnactl_measure_read(&NNACTL_BENCH, argc, argv, &m, &status))
		return status;
	start = nnactl_now();
	status = nnactl_session_load(&session, m.path, m.signature);
	session.takes_vela = true;
	session.fallback = m.fallback;
	status = status ?: nnactl_session_compile(&session, m.device, m.threads);
	watch_for_interrupt();
	if (!status)
		status = measure(&session, &m, nnactl_now() - start);
	nnactl_session_close(&session);
	/* Who started this, such as a shell in a loop, has to see what ended it. */
	if (stopped && !fflush(stdout))
		raise(SIGINT);
	return status;
}

static const struct option OPTIONS[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "fallback", required_argument, NULL, 'F' },
	{ "threads", required_argument, NULL, 't' },
	{ "runs", required_argument, NULL, 'r' },
	{ "signature", required_argument, NULL, 'g' },
	{ "shared", no_argument, NULL, 's' },
	{ "streams", required_argument, NULL, 'S' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_BENCH = {
	.name = "bench",
	.arguments = "MODEL [--runs N] [--streams N] [--threads N] [--shared] [--device D]",
	.what = "measure a network",
	.help = "nnactl bench MODEL [--device auto|loopback|/dev/accel/accelN]\n"
		"             [--fallback none|loopback] [--threads N] [--runs N] [--streams N]\n"
		"             [--shared] [--signature S] [--json]\n\n"
		"Runs the model after a warm-up and prints minimum, median, percentiles and\n"
		"maximum of the time from submission to completion (wall), of the device's own\n"
		"time, and of the submission alone; how long it took until the model was ready,\n"
		"and its first run; runs a second, the memory of the process, and how the times\n"
		"are spread. Ctrl-C ends it with what there is. --streams runs the model several\n"
		"times at once, each in a thread of its own. --threads sets the loopback's threads\n"
		"(default: one per CPU).\n"
		"With --shared, inputs and outputs lie in buffers that the device works on itself,\n"
		"as those of cameras do; else each run copies them from and to this process's\n"
		"memory. --signature names one of the model's signatures.\n"
		"A model that Arm's Vela has compiled, and one of which the loopback runs a part\n"
		"(--fallback), run as by nnactl run; they have no time of the submission alone, no\n"
		"--shared and one stream.",
	.options = OPTIONS,
	.main = bench_main,
};

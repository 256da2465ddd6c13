// SPDX-License-Identifier: MIT
/*
 * nnactl bench: how long runs of a model take, one after the other. The first runs, in which caches
 * and pages warm up, do not count; the very first, which is all that some users wait for, is told
 * apart.
 */
#include "tools/nnactl/inputs.h"
#include "tools/nnactl/measure.h"
#include "tools/nnactl/outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RUNS 100
#define MOST_RUNS 1000000
#define WARM_UP_RUNS 5

/* Minimum, median and 90th percentile of one member of the samples. */
static void summarise(const struct nnactl_times *samples, uint32_t count, size_t member,
		      uint64_t *sorted, double ms[3])
{
	uint32_t i;

	for (i = 0; i < count; i++)
		memcpy(&sorted[i], (const char *)&samples[i] + member, sizeof(sorted[i]));
	ms[1] = nnactl_times_sort(sorted, count) / 1e6;
	ms[0] = (double)sorted[0] / 1e6;
	ms[2] = (double)sorted[(count - 1) * 9 / 10] / 1e6;
}

static json_t *times_json(const double ms[3])
{
	return json_pack("{s:f, s:f, s:f}", "min", ms[0], "median", ms[1], "p90", ms[2]);
}

static int report(struct nnactl_session *s, const struct nnactl_times *samples,
		  const struct nnactl_measure *m, uint64_t compile, uint64_t first,
		  uint64_t *sorted)
{
	const uint32_t runs = m->runs, threads = m->threads;
	double wall[3], submit[3], device[3];

	summarise(samples, runs, offsetof(struct nnactl_times, wall), sorted, wall);
	summarise(samples, runs, offsetof(struct nnactl_times, submit), sorted, submit);
	summarise(samples, runs, offsetof(struct nnactl_times, device), sorted, device);
	if (nnactl_json())
		return nnactl_json_print(json_pack(
			"{s:o?, s:s, s:i, s:i, s:b, s:f, s:f, s:o?, s:o?, s:o?}", "model",
			nnactl_json_text(s->path), "device", s->device_name, "threads", threads,
			"runs", runs, "shared", m->shared, "load_ms", (double)compile / 1e6,
			"first_ms", (double)first / 1e6, "wall_ms", times_json(wall), "device_ms",
			times_json(device), "submit_ms",
			s->vela ? json_null() : times_json(submit)));
	printf("%s on %s, ", s->path, s->device_name);
	if (threads)
		printf("%u thread%s, ", threads, threads == 1 ? "" : "s");
	printf("%u runs; file to ready %.1f ms, first run %.3f ms\n", runs, (double)compile / 1e6,
	       (double)first / 1e6);
	printf("             min    median       p90  ms\n");
	printf("wall    %8.3f  %8.3f  %8.3f\n", wall[0], wall[1], wall[2]);
	printf("device  %8.3f  %8.3f  %8.3f\n", device[0], device[1], device[2]);
	if (!s->vela)
		printf("submit  %8.3f  %8.3f  %8.3f\n", submit[0], submit[1], submit[2]);
	return 0;
}

static int measure(struct nnactl_session *s, const struct nnactl_measure *m, uint64_t compile)
{
	const uint32_t runs = m->runs;
	struct nnactl_execution execution = { 0 };
	struct nnactl_outputs outputs = { 0 };
	struct nnactl_inputs inputs = { 0 };
	struct nnactl_times *samples, warm[WARM_UP_RUNS] = { 0 };
	uint64_t *sorted;
	uint32_t i;
	int ret;

	samples = calloc(runs, sizeof(*samples));
	sorted = calloc(runs, sizeof(*sorted));
	if (!samples || !sorted) {
		ret = nnactl_error("out of memory");
		goto out;
	}
	ret = nnactl_execution_create(s, &execution) ?:
	      nnactl_inputs_bind(&inputs, &execution, m->shared) ?:
	      nnactl_outputs_bind(&outputs, &execution, m->shared);
	for (i = 0; i < WARM_UP_RUNS && !ret; i++)
		ret = nnactl_execution_run(&execution, &warm[i]);
	nnactl_progress("%s: running", s->path);
	for (i = 0; i < runs && !ret; i++) {
		nnactl_progress_at(i, runs);
		ret = nnactl_execution_run(&execution, &samples[i]);
	}
	nnactl_progress_end();
	if (!ret)
		ret = report(s, samples, m, compile, warm[0].wall, sorted);
out:
	nnactl_execution_destroy(&execution);
	nnactl_outputs_free(&outputs);
	nnactl_inputs_free(&inputs);
	free(samples);
	free(sorted);
	return ret;
}

static int bench_main(int argc, char **argv)
{
	struct nnactl_measure m = {
		.device = "auto", .runs = DEFAULT_RUNS, .most_runs = MOST_RUNS,
	};
	struct nnactl_session session;
	uint64_t start;
	int status;

	if (!nnactl_measure_read(&NNACTL_BENCH, argc, argv, &m, &status))
		return status;
	start = nnactl_now();
	status = nnactl_session_load(&session, m.path, m.signature);
	session.takes_vela = true;
	status = status ?: nnactl_session_compile(&session, m.device, m.threads);
	if (!status)
		status = measure(&session, &m, nnactl_now() - start);
	nnactl_session_close(&session);
	return status;
}

static const struct option OPTIONS[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "threads", required_argument, NULL, 't' },
	{ "runs", required_argument, NULL, 'r' },
	{ "signature", required_argument, NULL, 'g' },
	{ "shared", no_argument, NULL, 's' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_BENCH = {
	.name = "bench",
	.arguments = "MODEL.tflite [--threads N] [--device D] [--runs N] [--shared] [--signature S]",
	.what = "measure a network",
	.help = "nnactl bench MODEL.tflite [--device auto|loopback|/dev/accel/accelN]\n"
		"             [--threads N] [--runs N] [--shared] [--signature S] [--json]\n\n"
		"Runs the model after a warm-up and prints minimum, median and 90th percentile of\n"
		"the time from submission to completion (wall), of the device's own time, and of\n"
		"the submission alone; and how long it took until the model was ready, and its\n"
		"first run. --threads sets the loopback's threads (default: one per CPU).\n"
		"With --shared, inputs and outputs lie in buffers that the device works on itself,\n"
		"as those of cameras do; else each run copies them from and to this process's\n"
		"memory. --signature names one of the model's signatures.\n"
		"A model that Arm's Vela has compiled runs as by nnactl run; it has no time of the\n"
		"submission alone, and no --shared.",
	.options = OPTIONS,
	.main = bench_main,
};

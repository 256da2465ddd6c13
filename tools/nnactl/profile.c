// SPDX-License-Identifier: MIT
/*
 * nnactl profile: what each command of a model takes on the device, by the records that the device
 * itself appends to a profile. What a command has to do (multiplications, bytes) is worked out from
 * the listing of the program; a command in a loop has its runs added up.
 */
#include "tools/nnactl/inputs.h"
#include "tools/nnactl/listing.h"
#include "tools/nnactl/measure.h"
#include "tools/nnactl/outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RUNS 20
#define MOST_RUNS 10000
#define WARM_UP_RUNS 3
#define MOST_RECORDS (1u << 16)

/**
 * struct line - a command of the program
 * @command: of the listing
 * @place: byte offset in the stream
 * @macs: multiplications that are added up; 0 for what is no sum of products
 * @bytes: of its operands
 * @ran: how often it ran in the last run
 * @tiles: of the last run
 * @busy: ns that workers have spent on it, in all runs
 * @run_sum: ns that it has taken, in all runs
 * @run: of each run
 * @median: of @run
 */
struct line {
	const json_t *command;
	uint64_t place, macs, bytes;
	uint32_t ran, tiles;
	uint64_t busy, run_sum;
	uint64_t *run;
	double median;
};

/**
 * struct profile - of a model
 * @lines: of the program, @line_count of them
 * @records: of the last run, @record_count of them
 * @runs: that were measured
 * @workers: the most that have worked
 * @submit, @wake: when the last run was submitted and when its end was known, in ns
 * @timing: of the last run
 * @total: the medians of all commands, in ns
 */
struct profile {
	struct line *lines;
	size_t line_count;
	struct nna_profile_command *records;
	uint32_t record_count, runs, workers;
	uint64_t submit, wake;
	struct nna_timing timing;
	double total;
};

static const json_t *operand_of(const json_t *command, const char *name)
{
	const json_t *operand;
	size_t i;

	json_array_foreach(json_object_get(command, "operands"), i, operand)
		if (!strcmp(json_string_value(json_object_get(operand, "name")), name))
			return operand;
	return NULL;
}

static uint64_t last_dim(const json_t *operand)
{
	const json_t *dims = json_object_get(operand, "dims");
	size_t rank = json_array_size(dims);

	return rank ? (uint64_t)json_integer_value(json_array_get(dims, rank - 1)) : 1;
}

static uint64_t field(const json_t *command, const char *name)
{
	const char *text =
		json_string_value(json_object_get(json_object_get(command, "fields"), name));

	return text ? strtoull(text, NULL, 10) : 1;
}

static uint64_t elements_of(const json_t *operand)
{
	uint64_t n = 1;
	json_t *dim;
	size_t i;

	json_array_foreach(json_object_get(operand, "dims"), i, dim)
		n *= (uint64_t)json_integer_value(dim);
	return n;
}

static uint64_t macs_of(const json_t *command)
{
	const char *name = json_string_value(json_object_get(command, "name"));
	uint64_t outputs = elements_of(operand_of(command, "output")),
		 window = field(command, "kernel_h") * field(command, "kernel_w");

	if (!strcmp(name, "MATMUL"))
		return outputs * last_dim(operand_of(command, "a"));
	if (!strcmp(name, "DWCONV"))
		return outputs * window;
	if (!strcmp(name, "CONV"))
		return outputs * window * last_dim(operand_of(command, "input")) /
		       field(command, "groups");
	return 0;
}

/* The line of a place; lines are in the order of places. */
static struct line *line_at(struct profile *p, uint64_t place)
{
	size_t low = 0, high = p->line_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->lines[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->line_count && p->lines[low].place == place ? &p->lines[low] : NULL;
}

/* A line for each command of the listing's one part. Return: 0, or 1 with the error printed. */
static int make_lines(struct profile *p, const json_t *listing, const char *path)
{
	const json_t *commands, *command, *operand;
	size_t i, k;

	if (json_array_size(listing) != 1)
		return nnactl_error("%s: its shapes depend on data, so that it has no single "
				    "program to profile", path);
	commands = json_object_get(json_array_get(listing, 0), "commands");
	p->line_count = json_array_size(commands);
	p->lines = calloc(p->line_count + 1, sizeof(*p->lines));
	if (!p->lines)
		return nnactl_error("out of memory");
	json_array_foreach(commands, i, command) {
		struct line *l = &p->lines[i];

		l->command = command;
		l->place = (uint64_t)json_integer_value(json_object_get(command, "at"));
		l->run = calloc(p->runs, sizeof(*l->run));
		if (!l->run)
			return nnactl_error("out of memory");
		l->macs = macs_of(command);
		json_array_foreach(json_object_get(command, "operands"), k, operand)
			l->bytes += nnactl_listing_bytes(operand);
	}
	return 0;
}

/* Adds the records of run @run to the lines. */
static void take_run(struct profile *p, uint32_t run)
{
	for (size_t i = 0; i < p->line_count; i++)
		p->lines[i].ran = p->lines[i].tiles = 0;
	for (uint32_t i = 0; i < p->record_count; i++) {
		const struct nna_profile_command *r = &p->records[i];
		struct line *l = line_at(p, r->place);

		if (!l)
			continue;
		l->ran++;
		l->tiles += r->tiles;
		l->run[run] += r->run;
		l->run_sum += r->run;
		for (uint32_t w = 0; w < NNA_PROFILE_WORKERS; w++) {
			l->busy += r->busy[w];
			if (r->busy[w] && w >= p->workers)
				p->workers = w + 1;
		}
	}
}

static int run_once(struct nnactl_session *s, struct nna_execution *execution, struct profile *p)
{
	uint32_t dropped;
	int ret;

	p->submit = nnactl_now();
	ret = nna_execution_compute(execution);
	p->wake = nnactl_now();
	if (!ret)
		ret = nna_execution_get_timing(execution, &p->timing);
	if (!ret)
		ret = nna_execution_get_profile(execution, p->records, MOST_RECORDS,
						&p->record_count, &dropped);
	if (ret)
		return nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret));
	if (dropped)
		return nnactl_error("%s: it runs more than %u commands", s->path, MOST_RECORDS);
	return 0;
}

static int measure(struct nnactl_session *s, struct profile *p)
{
	struct nna_execution *execution = NULL;
	struct nnactl_outputs outputs = { 0 };
	struct nnactl_inputs inputs = { 0 };
	int ret;

	p->records = calloc(MOST_RECORDS, sizeof(*p->records));
	if (!p->records)
		return nnactl_error("out of memory");
	ret = nna_execution_create(s->program, &execution);
	if (!ret)
		ret = nna_execution_set_profile(execution, MOST_RECORDS);
	if (ret == -ENOTSUP)
		ret = nnactl_error("%s records no profiles; --device loopback does",
				   s->device_name);
	else if (ret)
		ret = nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret));
	else
		ret = nnactl_inputs_bind(&inputs, s, execution) ?:
		      nnactl_outputs_bind(&outputs, s, execution);
	for (uint32_t i = 0; i < WARM_UP_RUNS && !ret; i++)
		ret = run_once(s, execution, p);
	for (uint32_t i = 0; i < p->runs && !ret; i++) {
		ret = run_once(s, execution, p);
		if (!ret)
			take_run(p, i);
	}
	for (size_t i = 0; i < p->line_count && !ret; i++) {
		struct line *l = &p->lines[i];

		l->median = nnactl_times_sort(l->run, p->runs);
		p->total += l->median;
	}
	nna_execution_destroy(execution);
	nnactl_outputs_free(&outputs);
	nnactl_inputs_free(&inputs);
	return ret;
}

/* How much of the time of a command its workers had something to do. */
static double balance_of(const struct profile *p, const struct line *l)
{
	return l->run_sum && p->workers ?
		       (double)l->busy / ((double)l->run_sum * p->workers) : 0;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static json_t *line_json(const struct profile *p, const struct line *l)
{
	json_t *value = json_pack(
		"{s:I, s:O, s:f, s:f, s:i, s:i, s:I, s:f, s:I, s:f, s:f}", "at",
		(json_int_t)l->place, "name", json_object_get(l->command, "name"), "ms",
		l->median / 1e6, "share", ratio(l->median, p->total), "runs", (int)l->ran, "tiles",
		(int)l->tiles, "macs", (json_int_t)(l->macs * l->ran), "gops",
		ratio(2 * (double)(l->macs * l->ran), l->median), "bytes",
		(json_int_t)(l->bytes * l->ran), "gb_s",
		ratio((double)(l->bytes * l->ran), l->median), "balance", balance_of(p, l));

	json_object_set(value, "operator", json_object_get(l->command, "operator"));
	json_object_set(value, "tensor", json_object_get(l->command, "tensor"));
	return value;
}

/* The sum of all lines with the name of @first, which is the first one. */
static struct line sum_of(const struct profile *p, size_t first)
{
	const json_t *name = json_object_get(p->lines[first].command, "name");
	struct line sum = { .command = p->lines[first].command };

	for (size_t i = first; i < p->line_count; i++) {
		const struct line *l = &p->lines[i];

		if (!json_equal(json_object_get(l->command, "name"), name))
			continue;
		sum.ran += l->ran;
		sum.macs += l->macs * l->ran;
		sum.bytes += l->bytes * l->ran;
		sum.busy += l->busy;
		sum.run_sum += l->run_sum;
		sum.median += l->median;
	}
	return sum;
}

/* Whether no line before has the same name. */
static bool is_first(const struct profile *p, size_t at)
{
	const json_t *name = json_object_get(p->lines[at].command, "name");

	for (size_t i = 0; i < at; i++)
		if (json_equal(json_object_get(p->lines[i].command, "name"), name))
			return false;
	return true;
}

static int print_json(const struct nnactl_session *s, const struct profile *p)
{
	json_t *commands = json_array(), *kinds = json_array();

	for (size_t i = 0; i < p->line_count; i++) {
		struct line sum;

		if (p->lines[i].ran)
			json_array_append_new(commands, line_json(p, &p->lines[i]));
		if (!is_first(p, i))
			continue;
		sum = sum_of(p, i);
		if (sum.ran)
			json_array_append_new(kinds, json_pack(
				"{s:O, s:i, s:f, s:f, s:I, s:I}", "name",
				json_object_get(sum.command, "name"), "runs", (int)sum.ran, "ms",
				sum.median / 1e6, "share", ratio(sum.median, p->total), "macs",
				(json_int_t)sum.macs, "bytes", (json_int_t)sum.bytes));
	}
	return nnactl_json_print(json_pack(
		"{s:o?, s:s, s:i, s:i, s:f, s:o, s:o}", "model", nnactl_json_text(s->path), "device",
		s->device_name, "workers", (int)p->workers, "runs", (int)p->runs, "ms",
		p->total / 1e6, "commands", commands, "kinds", kinds));
}

static void print_numbers(const struct profile *p, const struct line *l, uint64_t macs,
			  uint64_t bytes)
{
	printf("%9.1f %5.1f %8.2f %6.1f %8.1f %6.1f %4.0f  ", l->median / 1e3,
	       100 * ratio(l->median, p->total), (double)macs / 1e6,
	       ratio(2 * (double)macs, l->median), (double)bytes / 1e3,
	       ratio((double)bytes, l->median), 100 * balance_of(p, l));
}

static void print_text(const struct nnactl_session *s, const struct profile *p)
{
	printf("%s on %s, %u worker%s, medians of %u runs\n", s->path, s->device_name, p->workers,
	       p->workers == 1 ? "" : "s", p->runs);
	printf("%-8s %9s %5s %8s %6s %8s %6s %4s  command\n", "at", "us", "%", "MMAC", "GOPS", "kB",
	       "GB/s", "busy");
	for (size_t i = 0; i < p->line_count; i++) {
		const struct line *l = &p->lines[i];
		const char *operator = json_string_value(json_object_get(l->command, "operator"));

		if (!l->ran)
			continue;
		printf("%06" PRIx64 "   ", l->place);
		print_numbers(p, l, l->macs * l->ran, l->bytes * l->ran);
		printf("%s%s%s", json_string_value(json_object_get(l->command, "name")),
		       operator ? " for " : "", operator ? operator : "");
		printf(l->ran > 1 ? " x %u\n" : "\n", l->ran);
	}
	for (size_t i = 0; i < p->line_count; i++) {
		struct line sum;

		if (!is_first(p, i))
			continue;
		sum = sum_of(p, i);
		if (!sum.ran)
			continue;
		printf("%-8s ", "all");
		print_numbers(p, &sum, sum.macs, sum.bytes);
		printf("%u x %s\n", sum.ran,
		       json_string_value(json_object_get(sum.command, "name")));
	}
	printf("%-8s %9.1f us in commands, of %.1f us of the last run on the device, %.1f us for "
	       "its client\n", "total", p->total / 1e3, (double)p->timing.run / 1e3,
	       (double)(p->wake - p->submit) / 1e3);
}

/* An event of Chrome's trace format, from @begin to @end in ns; takes @arguments. */
static void add_event(json_t *events, const char *name, int track, uint64_t begin, uint64_t end,
		      json_t *arguments)
{
	json_array_append_new(events, json_pack("{s:s, s:s, s:f, s:f, s:i, s:i, s:o?}", "name",
						name, "ph", "X", "ts", (double)begin / 1e3, "dur",
						(double)(end - begin) / 1e3, "pid", 1, "tid", track,
						"args", arguments));
}

static void name_track(json_t *events, int track, const char *name)
{
	json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name",
						"thread_name", "ph", "M", "pid", 1, "tid", track,
						"args", "name", name));
}

/* The last run, as ui.perfetto.dev opens it. All times are of one clock. */
static int write_trace(const struct nnactl_session *s, struct profile *p, const char *path)
{
	json_t *events = json_array(), *trace;
	int ret;

	name_track(events, 1, "client");
	name_track(events, 2, "job");
	name_track(events, 3, "commands");
	add_event(events, "run", 1, p->submit, p->wake, json_object());
	add_event(events, "job", 2, p->timing.begin, p->timing.end, json_object());
	for (uint32_t i = 0; i < p->record_count; i++) {
		const struct nna_profile_command *r = &p->records[i];
		const struct line *l = line_at(p, r->place);
		json_t *arguments = json_object();

		if (l)
			arguments = line_json(p, l);
		add_event(events, l ? json_string_value(json_object_get(l->command, "name")) : "?",
			  3, r->begin, r->end, arguments);
	}
	trace = json_pack("{s:o, s:s}", "traceEvents", events, "displayTimeUnit", "ns");
	ret = trace ? json_dump_file(trace, path, JSON_REAL_PRECISION(15)) : -1;
	json_decref(trace);
	return ret ? nnactl_error("%s: the trace cannot be written", path) : 0;
}

static int profile(struct nnactl_session *s, uint32_t runs, const char *trace)
{
	struct profile p = { .runs = runs };
	json_t *listing = nnactl_listing_get(s);
	int ret = 1;

	if (listing)
		ret = make_lines(&p, listing, s->path) ?: measure(s, &p);
	if (!ret && trace)
		ret = write_trace(s, &p, trace);
	if (!ret && nnactl_json())
		ret = print_json(s, &p);
	else if (!ret)
		print_text(s, &p);
	for (size_t i = 0; p.lines && i < p.line_count; i++)
		free(p.lines[i].run);
	free(p.lines);
	free(p.records);
	json_decref(listing);
	return ret;
}

static int profile_main(int argc, char **argv)
{
	struct nnactl_measure m = {
		.device = "auto", .runs = DEFAULT_RUNS, .most_runs = MOST_RUNS,
	};
	struct nnactl_session session;
	int status;

	if (!nnactl_measure_read(&NNACTL_PROFILE, argc, argv, &m, &status))
		return status;
	status = nnactl_session_open(&session, m.path, m.device, m.threads, NULL) ?:
		 profile(&session, m.runs, m.trace);
	nnactl_session_close(&session);
	return status;
}

static const struct option OPTIONS[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "threads", required_argument, NULL, 't' },
	{ "runs", required_argument, NULL, 'r' },
	{ "trace", required_argument, NULL, 'T' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_PROFILE = {
	.name = "profile",
	.arguments = "MODEL.tflite [--threads N] [--runs N] [--trace FILE] [--device D]",
	.what = "what each command of a network takes",
	.help = "nnactl profile MODEL.tflite [--device auto|loopback|/dev/accel/accelN]\n"
		"               [--threads N] [--runs N] [--trace FILE] [--json]\n\n"
		"Prints for each command of the compiled model the median of its time, its share,\n"
		"multiplications, bytes of its operands, and how much of the time the device's\n"
		"workers had something to do; then the sums of each kind of command. --trace\n"
		"writes the last run as Chrome JSON, which ui.perfetto.dev opens.",
	.options = OPTIONS,
	.main = profile_main,
};

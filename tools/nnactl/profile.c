// SPDX-License-Identifier: MIT
/*
 * nnactl profile: what each command of a model takes on the device, by the records that the device
 * itself appends to a profile. What a command has to do is worked out from the listing of the
 * program (cost.h), and compared to what the machine can do (peaks.h); a command in a loop has its
 * runs added up. The peaks are measured where the device is this process: those of another one come
 * from a file that `nnactl profile --device loopback --json` has written on its machine.
 */
#include "tools/nnactl/cost.h"
#include "tools/nnactl/inputs.h"
#include "tools/nnactl/listing.h"
#include "tools/nnactl/measure.h"
#include "tools/nnactl/outputs.h"
#include "tools/nnactl/page.h"
#include "tools/nnactl/peaks_file.h"
#include "tools/nnactl/text.h"
#include "tools/nnactl/traced_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RUNS 20
#define MOST_RUNS 10000
#define WARM_UP_RUNS 3
#define MOST_RECORDS (1u << 16)
#define BAR_SIZE 10
/* Of a row, before the name. */
#define NUMBER_COLUMNS 94u

/**
 * struct line - a command of the program
 * @command: of the listing
 * @place: byte offset in the stream
 * @cost: of one run of it
 * @ran: how often it ran in the last run
 * @tiles: of the last run
 * @busy: ns that workers have spent on it, in all runs
 * @run_sum: ns that it has taken, in all runs
 * @run: of each run
 * @median: of @run
 */
struct line {
	const json_t *command;
	uint64_t place;
	struct nnactl_cost cost;
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
 * @traced: the run after all others, if there is to be a trace
 * @total: the medians of all commands, in ns
 * @peaks: of the machine that the device computes on, by @workers threads
 */
struct profile {
	struct line *lines;
	size_t line_count;
	struct nna_profile_command *records;
	uint32_t record_count, runs, workers;
	uint64_t submit, wake;
	struct nna_timing timing;
	struct nnactl_traced_run traced;
	double total;
	struct nnactl_peaks peaks;
};

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
	const json_t *commands, *command;
	size_t i;

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
		l->cost = nnactl_cost_of(command);
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

/* Records and times of the run that has ended. */
static int get_records(struct nnactl_session *s, struct nna_execution *execution, struct profile *p)
{
	uint32_t dropped;
	int ret;

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

static int run_once(struct nnactl_session *s, struct nna_execution *execution, struct profile *p)
{
	int ret;

	p->submit = nnactl_now();
	ret = nna_execution_compute(execution);
	p->wake = nnactl_now();
	if (ret)
		return nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret));
	return get_records(s, execution, p);
}

static int measure(struct nnactl_session *s, struct profile *p, bool trace)
{
	struct nnactl_execution run = { .session = s };
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
		ret = nnactl_error("%s has no profiles, as it or its driver is too old; "
				   "--device loopback has", s->device_name);
	else if (ret)
		ret = nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret));
	run.nna = execution;
	if (!ret)
		ret = nnactl_inputs_bind(&inputs, &run, false) ?:
		      nnactl_outputs_bind(&outputs, &run, false);
	for (uint32_t i = 0; i < WARM_UP_RUNS && !ret; i++)
		ret = run_once(s, execution, p);
	for (uint32_t i = 0; i < p->runs && !ret; i++) {
		ret = run_once(s, execution, p);
		if (!ret)
			take_run(p, i);
	}
	if (!ret && trace) {
		ret = nnactl_traced_run(&p->traced, s, execution) ?: get_records(s, execution, p);
		p->submit = p->traced.submit;
		p->wake = p->traced.wake;
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

/**
 * struct sum - what is printed of a command, or of all commands of a kind
 * @first: the command, or the first of them
 * @ran, @tiles, @busy, @run_sum, @median: as of lines, added up
 * @macs, @bytes: of all runs
 * @peak: ns that the multiply-adds take at the peak; 0: unknown, or there are none
 * @roofline: ns that all that takes at least; 0: unknown
 */
struct sum {
	const struct line *first;
	uint32_t ran, tiles;
	uint64_t macs, bytes, busy, run_sum;
	double median, peak, roofline;
};

static void add_line(struct sum *sum, const struct line *l, const struct nnactl_peaks *peaks)
{
	sum->ran += l->ran;
	sum->tiles += l->tiles;
	sum->macs += l->cost.macs * l->ran;
	sum->bytes += l->cost.bytes * l->ran;
	sum->busy += l->busy;
	sum->run_sum += l->run_sum;
	sum->median += l->median;
	sum->peak += l->ran * nnactl_cost_at_peak(&l->cost, peaks);
	sum->roofline += l->ran * nnactl_cost_roofline(&l->cost, peaks);
}

static struct sum sum_of_line(const struct profile *p, const struct line *l)
{
	struct sum sum = { .first = l };

	add_line(&sum, l, &p->peaks);
	return sum;
}

/* Of a command: its "name", or the "operator" of the model; the name where it is for none. */
static const char *key_of(const struct line *l, const char *key)
{
	const char *text = json_string_value(json_object_get(l->command, key));

	return text ? text : json_string_value(json_object_get(l->command, "name"));
}

/* The sum of all lines with the same @key as @first, which is the first one. */
static struct sum sum_of_kind(const struct profile *p, size_t first, const char *key)
{
	const char *name = key_of(&p->lines[first], key);
	struct sum sum = { .first = &p->lines[first] };

	for (size_t i = first; i < p->line_count; i++)
		if (!strcmp(key_of(&p->lines[i], key), name))
			add_line(&sum, &p->lines[i], &p->peaks);
	return sum;
}

/* Whether no line before has the same @key. */
static bool is_first(const struct profile *p, size_t at, const char *key)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(key_of(&p->lines[i], key), key_of(&p->lines[at], key)))
			return false;
	return true;
}

static int compare_sums(const void *first, const void *second)
{
	const struct sum *a = first, *b = second;

	return (a->median < b->median) - (a->median > b->median) ?:
	       (a->first > b->first) - (a->first < b->first);
}

/* Sums by @key, what takes longest first; @count of them, which the caller frees. */
static struct sum *sums_by(const struct profile *p, const char *key, size_t *count)
{
	struct sum *sums = calloc(p->line_count + 1, sizeof(*sums));

	*count = 0;
	for (size_t i = 0; sums && i < p->line_count; i++) {
		if (!is_first(p, i, key))
			continue;
		sums[*count] = sum_of_kind(p, i, key);
		*count += sums[*count].ran > 0;
	}
	if (sums)
		qsort(sums, *count, sizeof(*sums), compare_sums);
	return sums;
}

static int compare_lines(const void *first, const void *second)
{
	const struct line *a = *(const struct line *const *)first;
	const struct line *b = *(const struct line *const *)second;

	return (a->median < b->median) - (a->median > b->median) ?:
	       (a->place > b->place) - (a->place < b->place);
}

/* The lines that ran, by time or as they stand; @count of them, which the caller frees. */
static const struct line **order_lines(const struct profile *p, bool by_time, size_t *count)
{
	const struct line **list = calloc(p->line_count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < p->line_count; i++)
		if (p->lines[i].ran)
			list[(*count)++] = &p->lines[i];
	if (list && by_time)
		qsort(list, *count, sizeof(*list), compare_lines);
	return list;
}

/* What the whole program takes at least, in ns; 0: unknown. */
static void bound_of(const struct profile *p, double *low, double *high)
{
	*low = *high = 0;
	for (size_t i = 0; i < p->line_count; i++) {
		double best, good;

		nnactl_cost_bound(&p->lines[i].cost, &p->peaks, &best, &good);
		*low += p->lines[i].ran * best;
		*high += p->lines[i].ran * good;
	}
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

/* How much of the time its workers had something to do. */
static double balance_of(const struct profile *p, const struct sum *s)
{
	return ratio((double)s->busy, (double)s->run_sum * p->workers);
}

static json_t *sum_json(const struct profile *p, const struct sum *s)
{
	json_t *value = json_pack(
		"{s:O, s:f, s:f, s:i, s:i, s:I, s:f, s:I, s:f, s:f}", "name",
		json_object_get(s->first->command, "name"), "ms", s->median / 1e6, "share",
		ratio(s->median, p->total), "runs", (int)s->ran, "tiles", (int)s->tiles, "macs",
		(json_int_t)s->macs, "gops", ratio(2 * (double)s->macs, s->median), "bytes",
		(json_int_t)s->bytes, "gb_s", ratio((double)s->bytes, s->median), "balance",
		balance_of(p, s));

	if (s->peak > 0)
		json_object_set_new(value, "peak", json_real(ratio(s->peak, s->median)));
	if (s->roofline > 0)
		json_object_set_new(value, "roofline", json_real(ratio(s->roofline, s->median)));
	return value;
}

static json_t *line_json(const struct profile *p, const struct line *l)
{
	const struct sum sum = sum_of_line(p, l);
	json_t *value = sum_json(p, &sum);

	json_object_set_new(value, "at", json_integer((json_int_t)l->place));
	json_object_set(value, "number", json_object_get(l->command, "number"));
	json_object_set(value, "operator", json_object_get(l->command, "operator"));
	json_object_set(value, "tensor", json_object_get(l->command, "tensor"));
	return value;
}

/* Sums by @key as a list, what takes longest first. */
static json_t *sums_json(const struct profile *p, const char *key)
{
	json_t *list = json_array(), *value;
	size_t count;
	struct sum *sums = sums_by(p, key, &count);

	for (size_t i = 0; i < count; i++) {
		value = sum_json(p, &sums[i]);
		json_object_set_new(value, key, json_string(key_of(sums[i].first, key)));
		json_array_append_new(list, value);
	}
	free(sums);
	return list;
}

/* All of it; NULL for no memory. */
static json_t *profile_json(const struct nnactl_session *s, const struct profile *p, bool by_time)
{
	json_t *commands = json_array(), *all;
	double low, high;
	size_t count;
	const struct line **lines = order_lines(p, by_time, &count);

	for (size_t i = 0; lines && i < count; i++)
		json_array_append_new(commands, line_json(p, lines[i]));
	free(lines);
	all = json_pack("{s:o?, s:s, s:i, s:i, s:f, s:o, s:o, s:o}", "model",
			nnactl_json_text(s->path), "device", s->device_name, "workers",
			(int)p->workers, "runs", (int)p->runs, "ms", p->total / 1e6, "commands",
			commands, "kinds", sums_json(p, "name"), "operators",
			sums_json(p, "operator"));
	bound_of(p, &low, &high);
	if (all && *p->peaks.isa) {
		json_object_set_new(all, "bound_ms", json_pack("[f, f]", low / 1e6, high / 1e6));
		json_object_set_new(all, "peaks", nnactl_peaks_json(&p->peaks));
	}
	return all;
}

/* The number of a line among those that ran, in the order of the program. */
static int position_of(const struct profile *p, const struct line *l)
{
	int position = 0;

	for (const struct line *at = p->lines; at < l; at++)
		position += at->ran > 0;
	return position;
}

/* The page, whose timeline is the last run. Return: 0, or 1 with the error printed. */
static int write_page(const struct nnactl_session *s, struct profile *p, const char *path)
{
	json_t *all = profile_json(s, p, false), *timeline = json_array();
	int ret;

	if (!all) {
		json_decref(timeline);
		return nnactl_error("out of memory");
	}
	for (uint32_t i = 0; i < p->record_count; i++) {
		const struct nna_profile_command *r = &p->records[i];
		const struct line *l = line_at(p, r->place);

		if (l && l->ran)
			json_array_append_new(timeline, json_pack(
				"{s:i, s:f, s:f}", "command", position_of(p, l), "begin_us",
				(double)(r->begin - p->records[0].begin) / 1e3, "end_us",
				(double)(r->end - p->records[0].begin) / 1e3));
	}
	json_object_set_new(all, "timeline", timeline);
	ret = nnactl_page_write(all, path);
	json_decref(all);
	return ret;
}

/* A share in percent, or a dash where @whole is not known. */
static void print_share(double part, double whole)
{
	if (part > 0)
		printf(" %4.0f", 100 * ratio(part, whole));
	else
		printf(" %4s", "-");
}

static void print_numbers(const struct profile *p, const struct sum *s)
{
	printf("%9.1f %5.1f %8.2f %6.1f", s->median / 1e3, 100 * ratio(s->median, p->total),
	       (double)s->macs / 1e6, ratio(2 * (double)s->macs, s->median));
	print_share(s->peak, s->median);
	printf(" %8.1f %6.1f", (double)s->bytes / 1e3, ratio((double)s->bytes, s->median));
	print_share(s->roofline, s->median);
	printf(" %4.0f  ", 100 * balance_of(p, s));
}

static const char *name_of(const struct line *l)
{
	return json_string_value(json_object_get(l->command, "name"));
}

static void print_bar(double share)
{
	int length = (int)(share * BAR_SIZE + .5);

	length = length > BAR_SIZE ? BAR_SIZE : length;
	printf(" %.*s%*s ", length, "||||||||||", BAR_SIZE - length, "");
}

/* Columns that are left for the names of what runs: of a terminal those behind the numbers. */
static uint32_t name_room(void)
{
	const uint32_t columns = nnactl_columns();

	if (!nnactl_is_terminal(stdout))
		return UINT32_MAX;
	return columns > NUMBER_COLUMNS + 20 ? columns - NUMBER_COLUMNS : 20;
}

/* "CONV for CONV_2D x 2, .../expand", of which the end stands where there is no room for all. */
static void print_name(const struct line *l, uint32_t room)
{
	const char *operator = json_string_value(json_object_get(l->command, "operator"));
	const char *tensor = json_string_value(json_object_get(l->command, "tensor"));
	char name[160], layer[256];
	uint32_t n;

	n = (uint32_t)snprintf(name, sizeof(name), "%s%s%s", name_of(l), operator ? " for " : "",
			       operator ? operator : "");
	if (l->ran > 1 && n < sizeof(name))
		n += (uint32_t)snprintf(name + n, sizeof(name) - n, " x %u", l->ran);
	printf("%.*s", (int)(room < sizeof(name) ? room : sizeof(name)), name);
	if (tensor && *tensor && room > n + 12) {
		const size_t left = room - n - 2;

		tensor = nnactl_layer(tensor, layer, sizeof(layer));
		if (strlen(tensor) <= left)
			printf(", %s", tensor);
		else
			printf(", ...%s", nnactl_tail(tensor, left - 3));
	}
	putchar('\n');
}

static void print_line(const struct profile *p, const struct line *l, double most)
{
	const json_t *number = json_object_get(l->command, "number");
	const struct sum sum = sum_of_line(p, l);

	if (json_is_integer(number))
		printf("%4lld", (long long)json_integer_value(number));
	else
		printf("%4s", "");
	printf(" %06" PRIx64 "", l->place);
	print_bar(ratio(l->median, most));
	print_numbers(p, &sum);
	print_name(l, name_room());
}

/* The sums by @key, what takes longest first. */
static void print_sums(const struct profile *p, const char *title, const char *key)
{
	size_t count;
	struct sum *sums = sums_by(p, key, &count);

	printf("%s\n", title);
	for (size_t i = 0; i < count; i++) {
		printf("%4s %6s", "", "all");
		print_bar(ratio(sums[i].median, sums[0].median));
		print_numbers(p, &sums[i]);
		printf("%u x %s\n", sums[i].ran, key_of(sums[i].first, key));
	}
	free(sums);
}

static void print_peaks(const struct profile *p)
{
	const struct nnactl_peaks *k = &p->peaks;
	double low, high;

	if (!*k->isa) {
		printf("no peaks are known of the device's machine: see nnactl help profile\n");
		return;
	}
	bound_of(p, &low, &high);
	printf("peaks    %s, %u thread%s: 8-bit %.1f GOPS, fp32 %.1f GFLOPS, requantisation %.3f "
	       "ns,\n         memory", k->isa, k->threads, k->threads == 1 ? "" : "s",
	       2e-9 * k->integer, 2e-9 * k->real, ratio(1e9, k->requantised));
	for (uint32_t i = 0; i < NNACTL_PEAKS_MEMORY; i++)
		printf("%s %.1f GB/s in %" PRIu64 " kB", i ? "," : "", 1e-9 * k->memory[i].rate,
		       k->memory[i].bytes / 1000);
	printf("\nbound    %.1f to %.1f us, %.0f to %.0f %% of what the commands take\n", low / 1e3,
	       high / 1e3, 100 * ratio(low, p->total), 100 * ratio(high, p->total));
}

static void print_text(const struct nnactl_session *s, const struct profile *p, bool by_time)
{
	size_t count;
	const struct line **lines = order_lines(p, by_time, &count);
	double most = 0;

	for (size_t i = 0; lines && i < count; i++)
		most = lines[i]->median > most ? lines[i]->median : most;
	printf("%s on %s, %u worker%s, medians of %u runs\n", s->path, s->device_name, p->workers,
	       p->workers == 1 ? "" : "s", p->runs);
	printf("%4s %-6s %-*s %9s %5s %8s %6s %4s %8s %6s %4s %4s  command\n", "op", "at",
	       BAR_SIZE, "time", "us", "%", "MMAC", "GOPS", "peak", "kB", "GB/s", "roof", "busy");
	for (size_t i = 0; lines && i < count; i++)
		print_line(p, lines[i], most);
	free(lines);
	print_sums(p, "by command", "name");
	print_sums(p, "by operator", "operator");
	printf("%-8s %9.1f us in commands, of %.1f us of the last run on the device, %.1f us for "
	       "its client\n", "total", p->total / 1e3, (double)p->timing.run / 1e3,
	       (double)(p->wake - p->submit) / 1e3);
	print_peaks(p);
}

/* The traced run, whose records are the last ones. */
static int write_trace(struct profile *p, const char *path)
{
	json_t *trace = nnactl_trace_new();

	nnactl_traced_run_add(&p->traced, trace);
	nnactl_trace_add(trace, NNACTL_TRACK_JOB, "job", p->timing.begin, p->timing.end, NULL);
	for (uint32_t i = 0; i < p->record_count; i++) {
		const struct nna_profile_command *r = &p->records[i];
		const struct line *l = line_at(p, r->place);

		nnactl_trace_add(trace, NNACTL_TRACK_COMMANDS, l ? name_of(l) : "?", r->begin,
				 r->end, l ? line_json(p, l) : NULL);
	}
	return nnactl_trace_write(trace, path);
}

/* Measured here, or of @file, for as many threads as the device has. */
static int get_peaks(const struct nnactl_session *s, struct profile *p, const char *file)
{
	int ret;

	if (file)
		return nnactl_peaks_load(file, p->workers, &p->peaks);
	if (!s->loopback)
		return 0;
	ret = nnactl_peaks_measure(p->workers, &p->peaks);
	return ret ? nnactl_error("the machine's peaks: %s", strerror(-ret)) : 0;
}

static int profile(struct nnactl_session *s, const struct nnactl_measure *m)
{
	struct profile p = { .runs = m->runs };
	json_t *listing = nnactl_listing_get(s);
	int ret = 1;

	if (listing)
		ret = make_lines(&p, listing, s->path) ?: measure(s, &p, m->trace) ?:
		      get_peaks(s, &p, m->peaks);
	if (!ret && m->trace)
		ret = write_trace(&p, m->trace);
	if (!ret && m->output)
		ret = write_page(s, &p, m->output);
	if (!ret && nnactl_json())
		ret = nnactl_json_print(profile_json(s, &p, m->sorted));
	else if (!ret)
		print_text(s, &p, m->sorted);
	for (size_t i = 0; p.lines && i < p.line_count; i++)
		free(p.lines[i].run);
	nnactl_traced_run_free(&p.traced);
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
	if (m.output && !nnactl_page_can_write(m.output))
		return nnactl_misuse("--output %s: pages are written as .svg or .html", m.output);
	status = nnactl_session_load(&session, m.path, m.signature);
	session.fallback = m.fallback;
	status = status ?: nnactl_session_compile(&session, m.device, m.threads);
	if (!status && session.split)
		status = nnactl_error("%s: on %s it has no single program to profile: "
				      "--device loopback has one", m.path, session.device_name);
	status = status ?: profile(&session, &m);
	nnactl_session_close(&session);
	return status;
}

static const struct option OPTIONS[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "fallback", required_argument, NULL, 'F' },
	{ "threads", required_argument, NULL, 't' },
	{ "runs", required_argument, NULL, 'r' },
	{ "signature", required_argument, NULL, 'g' },
	{ "trace", required_argument, NULL, 'T' },
	{ "peaks", required_argument, NULL, 'P' },
	{ "sort", required_argument, NULL, 'k' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_PROFILE = {
	.name = "profile",
	.arguments = "MODEL [--sort time] [--output F.html] [--runs N] [--trace FILE] "
		     "[--device D]",
	.what = "what each command of a network takes",
	.help = "nnactl profile MODEL [--device auto|loopback|/dev/accel/accelN]\n"
		"               [--fallback none|loopback] [--threads N] [--runs N]\n"
		"               [--trace FILE] [--peaks FILE]\n"
		"               [--sort order|time] [--output F.html|F.svg] [--signature S]\n"
		"               [--json]\n\n"
		"Prints for each command of the compiled model the number, name and result of\n"
		"the model's operator, the median of its time, its share, multiplications and\n"
		"their share of the machine's peak, bytes of its operands, the share of the\n"
		"roofline (what takes longer of both, at the machine's peaks), and how much of\n"
		"the time the device's workers had something to do; then the sums of each kind of\n"
		"command and of operator, and the bound of the model: what it would take with\n"
		"matrix products at 95 to 80 % of the peak, depthwise ones at 25 % (fp32: 50 %),\n"
		"exact requantisation, memory where it is slower, and a microsecond for each\n"
		"command. --sort time has the commands that take longest first. --output writes a\n"
		"page with the timeline of a run, the roofline and the table. --trace writes one\n"
		"more run as Chrome JSON, which ui.perfetto.dev opens: what the client, the\n"
		"driver (the time of its fence; its tracepoints, for root) and the device did, on\n"
		"one clock.\n\n"
		"The peaks are measured, for a device in this process. For another one --peaks\n"
		"takes them from what nnactl profile --device loopback --json has printed on the\n"
		"machine that the device computes on. --signature names one of the model's\n"
		"signatures. --fallback says what --fallback of nnactl run does; a model of which\n"
		"the loopback runs a part has no profile.",
	.options = OPTIONS,
	.main = profile_main,
};

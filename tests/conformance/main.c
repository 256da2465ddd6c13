// SPDX-License-Identifier: MIT
/*
 * nnv_run: runs conformance vectors (.nnv) on an NNA, through libnnaccel or the NNAPI C API.
 *
 * All files are mapped and checked first, their cases form one list, and threads take cases from
 * it. Reports follow the list's order, whatever the threads' was. A case that does not end within
 * its time is given up: its thread is left behind (nothing can end it safely), another takes its
 * place, and the process leaves with _exit().
 */
#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/conformance/case.h"
#include "tests/conformance/clock.h"

#define NNV_MAX_JOBS 64
#define NNV_TICK_NS (100u * 1000 * 1000)

/**
 * struct nnv_item - a case in the list
 * @text: the message of a failed or skipped case, owned
 * @operation: what it is about, owned
 * @given_up: it ran out of time
 */
struct nnv_item {
	const struct nnv_file *file;
	const struct nnv_case *item;
	enum nnv_status status;
	bool done, given_up;
	uint64_t elapsed_ns;
	char *text;
	char *operation;
};

struct nnv_worker {
	struct nnv_suite *suite;
	pthread_t thread;
	size_t current; /* SIZE_MAX: none */
	uint64_t since_ns;
	bool started, ended, abandoned;
};

/**
 * struct nnv_suite - everything
 * @lock: of @next, the workers' fields and the items' results
 */
struct nnv_suite {
	struct nnv_file *files;
	size_t file_count;
	struct nnv_item *items;
	size_t item_count;
	struct nnv_device device;
	enum nnv_mode mode;
	uint64_t timeout_ns;
	bool verbose;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next;
	struct nnv_worker workers[2 * NNV_MAX_JOBS];
	size_t worker_count;
};

static _Thread_local const struct nnv_item *nnv_crashing;

static const char *nnv_item_name(const struct nnv_item *item)
{
	return nnv_file_string(item->file, item->item->name);
}

static const char *nnv_item_spec(const struct nnv_item *item)
{
	return nnv_file_string(item->file, nnv_file_header(item->file)->spec_name);
}

static const char *nnv_item_dir(const struct nnv_item *item)
{
	return nnv_file_string(item->file, nnv_file_header(item->file)->spec_dir);
}

/* Says which case a crash belongs to, then lets it happen. */
static void nnv_on_crash(int signal_number)
{
	static const char text[] = "nnv_run: crashed in case ";

	if (nnv_crashing) {
		const char *name = nnv_item_name(nnv_crashing);

		if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ||
		    write(STDERR_FILENO, name, strlen(name)) < 0 ||
		    write(STDERR_FILENO, "\n", 1) < 0)
			_exit(128 + signal_number);
	}
	raise(signal_number);
}

static __attribute__((unused)) void nnv_catch_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction action = { .sa_handler = nnv_on_crash,
				    .sa_flags = SA_RESETHAND | SA_NODEFER };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

static void nnv_record(struct nnv_suite *suite, struct nnv_worker *worker, struct nnv_item *item,
		       const struct nnv_result *result, uint64_t elapsed)
{
	const char *text = result->status == NNV_FAILED ? result->message : result->missing;

	pthread_mutex_lock(&suite->lock);
	worker->current = SIZE_MAX;
	if (!item->given_up) {
		item->status = result->status;
		item->elapsed_ns = elapsed;
		item->done = true;
		item->operation = strdup(result->operation);
		if (result->status == NNV_FAILED || result->status == NNV_SKIPPED)
			item->text = strdup(text);
	}
	pthread_mutex_unlock(&suite->lock);
	if (suite->verbose && result->status != NNV_NOT_IN_MODE) {
		static const char *const word[] = { "ok", "FAIL", "skip" };

		fprintf(stderr, "%s %s %s (%.1f ms)\n", word[result->status], nnv_item_spec(item),
			nnv_item_name(item), elapsed / 1e6);
	}
}

static void *nnv_work(void *arg)
{
	struct nnv_worker *worker = arg;
	struct nnv_suite *suite = worker->suite;
	struct nnv_result *result = malloc(sizeof(*result));
	struct nnv_runner runner;
	int ret = -ENOMEM;

	if (result)
		ret = nnv_runner_init(&runner, &suite->device, suite->mode, suite->timeout_ns);
	for (;;) {
		struct nnv_item *item = NULL;
		uint64_t begin = nnv_clock_now();

		pthread_mutex_lock(&suite->lock);
		if (!ret && !worker->abandoned && suite->next < suite->item_count) {
			worker->current = suite->next++;
			worker->since_ns = begin;
			item = &suite->items[worker->current];
		}
		pthread_mutex_unlock(&suite->lock);
		if (!item)
			break;
		nnv_crashing = item;
		nnv_case_run(&runner, item->file, item->item, result);
		nnv_crashing = NULL;
		nnv_record(suite, worker, item, result, nnv_clock_now() - begin);
	}
	if (ret)
		fprintf(stderr, "nnv_run: a thread could not start: %s\n", strerror(-ret));
	else
		nnv_runner_fini(&runner);
	free(result);
	pthread_mutex_lock(&suite->lock);
	worker->ended = true;
	pthread_cond_broadcast(&suite->changed);
	pthread_mutex_unlock(&suite->lock);
	return NULL;
}

static bool nnv_start_worker(struct nnv_suite *suite)
{
	struct nnv_worker *worker;

	if (suite->worker_count == sizeof(suite->workers) / sizeof(suite->workers[0]))
		return false;
	worker = &suite->workers[suite->worker_count];
	worker->suite = suite;
	worker->current = SIZE_MAX;
	worker->started = !pthread_create(&worker->thread, NULL, nnv_work, worker);
	suite->worker_count += worker->started;
	return worker->started;
}

/* Called with the lock held. Return: workers that still run. */
static size_t nnv_watch(struct nnv_suite *suite)
{
	uint64_t now = nnv_clock_now();
	size_t running = 0, replace = 0;

	for (size_t i = 0; i < suite->worker_count; i++) {
		struct nnv_worker *worker = &suite->workers[i];
		struct nnv_item *item;

		if (worker->ended || worker->abandoned)
			continue;
		/* The device's deadline comes first; this is for what does not keep it. */
		if (worker->current == SIZE_MAX ||
		    now - worker->since_ns < suite->timeout_ns + suite->timeout_ns / 2) {
			running++;
			continue;
		}
		item = &suite->items[worker->current];
		item->status = NNV_FAILED;
		item->done = item->given_up = true;
		item->elapsed_ns = now - worker->since_ns;
		item->text = strdup("did not end in time and was given up");
		worker->abandoned = true;
		replace++;
	}
	while (replace-- && suite->next < suite->item_count && nnv_start_worker(suite))
		running++;
	return running;
}

/* Return: true when no thread was left behind. */
static bool nnv_run_all(struct nnv_suite *suite, unsigned int jobs)
{
	bool clean = true;

	pthread_mutex_lock(&suite->lock);
	for (unsigned int i = 0; i < jobs && i < suite->item_count; i++)
		nnv_start_worker(suite);
	while (nnv_watch(suite))
		nnv_clock_wait(&suite->changed, &suite->lock, nnv_clock_now() + NNV_TICK_NS);
	pthread_mutex_unlock(&suite->lock);
	for (size_t i = 0; i < suite->worker_count; i++) {
		if (suite->workers[i].abandoned)
			clean = false;
		else
			pthread_join(suite->workers[i].thread, NULL);
	}
	return clean;
}

/* ------------------------------------------------------------------------------------- the list */

static int nnv_add_file(struct nnv_suite *suite, const char *path)
{
	struct nnv_file *files;
	char error[256] = "";

	files = realloc(suite->files, (suite->file_count + 1) * sizeof(*files));
	if (!files)
		return -ENOMEM;
	suite->files = files;
	if (nnv_file_open(path, &files[suite->file_count], error, sizeof(error))) {
		fprintf(stderr, "nnv_run: %s: %s\n", path, error);
		return -EINVAL;
	}
	suite->file_count++;
	return 0;
}

static int nnv_compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int nnv_add_path(struct nnv_suite *suite, char *path)
{
	char *paths[] = { path, NULL };
	int ret = 0;
	FTSENT *entry;
	FTS *walk;

	walk = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, nnv_compare_names);
	if (!walk)
		return -errno;
	while (!ret && (entry = fts_read(walk))) {
		size_t length = strlen(entry->fts_path);

		if (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR ||
		    entry->fts_info == FTS_DNR) {
			fprintf(stderr, "nnv_run: %s: %s\n", entry->fts_path,
				strerror(entry->fts_errno));
			ret = -entry->fts_errno;
		} else if (entry->fts_info == FTS_F &&
			   (entry->fts_level == FTS_ROOTLEVEL ||
			    (length > 4 && !strcmp(entry->fts_path + length - 4, ".nnv")))) {
			ret = nnv_add_file(suite, entry->fts_path);
		}
	}
	fts_close(walk);
	return ret;
}

static bool nnv_matches(const struct nnv_item *item, const char *filter)
{
	char full[PATH_MAX];

	if (!filter)
		return true;
	snprintf(full, sizeof(full), "%s/%s", nnv_item_dir(item), nnv_item_spec(item));
	return !fnmatch(filter, nnv_item_name(item), 0) ||
	       !fnmatch(filter, nnv_item_spec(item), 0) || !fnmatch(filter, full, 0);
}

static int nnv_list_cases(struct nnv_suite *suite, const char *filter)
{
	size_t total = 0;

	for (size_t i = 0; i < suite->file_count; i++)
		total += nnv_file_header(&suite->files[i])->case_count;
	suite->items = calloc(total + 1, sizeof(*suite->items));
	if (!suite->items)
		return -ENOMEM;
	for (size_t i = 0; i < suite->file_count; i++) {
		for (uint32_t j = 0; j < nnv_file_header(&suite->files[i])->case_count; j++) {
			struct nnv_item *item = &suite->items[suite->item_count];

			item->file = &suite->files[i];
			item->item = nnv_file_case(&suite->files[i], j);
			suite->item_count += nnv_matches(item, filter);
		}
	}
	/* The slot behind the last match may hold the last that did not match. */
	return 0;
}

/* -------------------------------------------------------------------------------------- reports */

/* How often each line of text occurs. */
struct nnv_tally {
	struct nnv_tally_line {
		char *text;
		size_t count;
	} * lines;
	size_t count, room;
};

static void nnv_tally_add(struct nnv_tally *tally, const char *text, size_t length)
{
	for (size_t i = 0; i < tally->count; i++) {
		if (!strncmp(tally->lines[i].text, text, length) && !tally->lines[i].text[length]) {
			tally->lines[i].count++;
			return;
		}
	}
	if (tally->count == tally->room) {
		size_t room = tally->room ? 2 * tally->room : 64;
		void *lines = realloc(tally->lines, room * sizeof(*tally->lines));

		if (!lines)
			return;
		tally->lines = lines;
		tally->room = room;
	}
	tally->lines[tally->count].text = strndup(text, length);
	if (tally->lines[tally->count].text)
		tally->lines[tally->count++].count = 1;
}

static int nnv_tally_order(const void *a, const void *b)
{
	const struct nnv_tally_line *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->text, y->text);
}

static void nnv_tally_print(struct nnv_tally *tally, const char *title)
{
	if (tally->count)
		qsort(tally->lines, tally->count, sizeof(*tally->lines), nnv_tally_order);
	if (tally->count)
		printf("%s\n", title);
	for (size_t i = 0; i < tally->count; i++) {
		printf("  %6zu  %s\n", tally->lines[i].count, tally->lines[i].text);
		free(tally->lines[i].text);
	}
	free(tally->lines);
	memset(tally, 0, sizeof(*tally));
}

static void nnv_print_failures(const struct nnv_suite *suite)
{
	struct nnv_tally failed = { 0 }, missing = { 0 };

	for (size_t i = 0; i < suite->item_count; i++) {
		const struct nnv_item *item = &suite->items[i];

		if (!item->done || !item->text)
			continue;
		if (item->status == NNV_FAILED) {
			printf("FAIL %s/%s %s: %s: %s\n", nnv_item_dir(item), nnv_item_spec(item),
			       nnv_item_name(item), item->operation ? item->operation : "?",
			       item->text);
			if (item->operation)
				nnv_tally_add(&failed, item->operation, strlen(item->operation));
		} else if (item->status == NNV_SKIPPED) {
			for (const char *line = item->text; *line;) {
				size_t length = strcspn(line, "\n");

				nnv_tally_add(&missing, line, length);
				line += length + (line[length] == '\n');
			}
		}
	}
	nnv_tally_print(&missing, "missing (cases, operation, type):");
	nnv_tally_print(&failed, "failed (cases, operation, type):");
}

/* Writes text for XML, or without the characters that end a TAP line. */
static void nnv_write_text(FILE *out, const char *text, bool xml)
{
	for (; text && *text; text++) {
		unsigned char c = *text;

		if (c == '\n')
			fputs(", ", out);
		else if (c < 0x20)
			fputc(' ', out);
		else if (xml && c == '&')
			fputs("&amp;", out);
		else if (xml && c == '<')
			fputs("&lt;", out);
		else if (xml && c == '>')
			fputs("&gt;", out);
		else if (xml && c == '"')
			fputs("&quot;", out);
		else if (!xml && c == '#')
			fputs("\\#", out);
		else
			fputc(c, out);
	}
}

static void nnv_write_tap(const struct nnv_suite *suite, FILE *out, size_t count)
{
	size_t number = 0;

	fprintf(out, "TAP version 13\n1..%zu\n", count);
	for (size_t i = 0; i < suite->item_count; i++) {
		const struct nnv_item *item = &suite->items[i];

		if (!item->done || item->status == NNV_NOT_IN_MODE)
			continue;
		fprintf(out, "%sok %zu - %s/%s %s", item->status == NNV_FAILED ? "not " : "",
			++number, nnv_item_dir(item), nnv_item_spec(item), nnv_item_name(item));
		if (item->status == NNV_SKIPPED)
			fputs(" # SKIP missing ", out);
		if (item->status == NNV_FAILED) {
			fputs("\n# ", out);
			nnv_write_text(out, item->operation, false);
			fputs(": ", out);
		}
		nnv_write_text(out, item->text, false);
		fputc('\n', out);
	}
}

static void nnv_write_junit(const struct nnv_suite *suite, FILE *out, size_t count, size_t failed,
			    size_t skipped)
{
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	fprintf(out,
		"<testsuite name=\"nnv_run\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
		count, failed, skipped);
	for (size_t i = 0; i < suite->item_count; i++) {
		const struct nnv_item *item = &suite->items[i];

		if (!item->done || item->status == NNV_NOT_IN_MODE)
			continue;
		fprintf(out, "  <testcase classname=\"%s.%s\" name=\"%s\" time=\"%.6f\"",
			nnv_item_dir(item), nnv_item_spec(item), nnv_item_name(item),
			item->elapsed_ns / 1e9);
		if (item->status == NNV_PASSED) {
			fputs("/>\n", out);
			continue;
		}
		fprintf(out, "><%s message=\"", item->status == NNV_FAILED ? "failure" : "skipped");
		nnv_write_text(out, item->operation, true);
		fputs(": ", out);
		nnv_write_text(out, item->text, true);
		fputs("\"/></testcase>\n", out);
	}
	fputs("</testsuite>\n", out);
}

/* ----------------------------------------------------------------------------------------- main */

static void nnv_usage(FILE *out)
{
	fputs("usage: nnv_run [options] DIR|FILE...\n"
	      "Runs NNAPI conformance vectors (.nnv) on an NNA.\n"
	      "  --device=NAME       auto, loopback (default) or /dev/accel/accelN; nnapi only:\n"
	      "                      nnapi-reference; nnv_hal with --api=aidl or hidl: binder:NAME\n"
	      "  --filter=GLOB       cases whose name, or whose specification's, matches\n"
	      "  --jobs=N            threads that run cases (default: one per CPU)\n"
	      "  --api=NAME          nnaccel: the library itself; nnapi: libneuralnetworks.so;\n"
	      "                      aidl: the NN HAL, in this process; hidl: the same in HIDL,\n"
	      "                      each case in the version that it is of\n"
	      "                      (default: nnapi for --device-memory, else nnaccel)\n"
	      "  --aidl-version=N    aidl: what the service claims to have, 1 to 4 (default);\n"
	      "                      cases of later operations have to be refused\n"
	      "  --hidl-version=N    hidl: the first version that a case may use, 0 (default) to 3\n"
	      "                      for 1.0 to 1.3\n"
	      "  --threads=N         loopback: threads that compute (default: one per CPU);\n"
	      "                      nnaccel only\n"
	      "  --isa=NAME          loopback: kernels, auto (default), scalar, vector, avx2,\n"
	      "                      avxvnni, avx512, neon, dotprod or i8mm; nnaccel only\n"
	      "  --timeout=SECONDS   of one case (default 60)\n"
	      "  --tap=FILE          write TAP version 13; - is standard output\n"
	      "  --junit=FILE        write JUnit XML\n"
	      "  --verbose           a line for each case\n"
	      "  --cache=DIR         compile each case twice, with its cache in DIR: what was\n"
	      "                      loaded is run; nnapi only\n"
	      "  --deal=NUMBER       operations go to the device and to nnapi-reference at\n"
	      "                      random, by this number; nnapi only\n"
	      "  --mutate            aidl: also send models of each case in which one thing is\n"
	      "                      wrong; all have to be refused as INVALID_ARGUMENT\n"
	      "modes, one of\n"
	      "  --sync              compute (default)\n"
	      "  --async             submit and wait; aidl: a reusable execution, twice\n"
	      "  --fenced            submit behind a fence that is not signalled yet\n"
	      "  --burst             two runs of one execution; nnapi: in a burst\n"
	      "  --dynamic-output    output dimensions unknown to the model\n"
	      "  --quant-coupling    QUANT8_ASYMM as QUANT8_ASYMM_SIGNED\n"
	      "  --device-memory     inputs and outputs in device memory; nnapi: memory domains\n"
	      "  --shared-memory     in a buffer; nnapi: in memory from an fd\n"
	      "  --insufficient      too small an output\n"
	      "A mode that varies the model or needs a fence runs the cases that carry its flag.\n"
	      "Exit status: 0 nothing failed, 1 something failed, 2 could not run.\n",
	      out);
}

static const struct nnv_api *nnv_find_api(const char *name)
{
	if (!strcmp(name, "nnaccel"))
		return &nnv_api_nnaccel;
	if (!strcmp(name, "nnapi"))
		return &nnv_api_nnapi;
	if (!strcmp(name, "aidl"))
		return &nnv_api_aidl;
	if (!strcmp(name, "hidl"))
		return &nnv_api_hidl;
	fprintf(stderr, "nnv_run: --api=%s: it is nnaccel, nnapi, aidl or hidl\n", name);
	return NULL;
}

static bool nnv_find_isa(const char *name, enum nna_isa *isa)
{
	static const char *const names[] = { [NNA_ISA_AUTO] = "auto",
					     [NNA_ISA_SCALAR] = "scalar",
					     [NNA_ISA_AVX2] = "avx2",
					     [NNA_ISA_AVX512] = "avx512",
					     [NNA_ISA_NEON] = "neon",
					     [NNA_ISA_DOTPROD] = "dotprod",
					     [NNA_ISA_AVXVNNI] = "avxvnni",
					     [NNA_ISA_I8MM] = "i8mm",
					     [NNA_ISA_VECTOR] = "vector" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] && !strcmp(name, names[i])) {
			*isa = (enum nna_isa)i;
			return true;
		}
	fprintf(stderr,
		"nnv_run: --isa=%s: it is auto, scalar, vector, avx2, avxvnni, avx512, neon, "
		"dotprod or i8mm\n",
		name);
	return false;
}

static FILE *nnv_open_report(const char *path)
{
	FILE *out = strcmp(path, "-") ? fopen(path, "we") : stdout;

	if (!out)
		fprintf(stderr, "nnv_run: %s: %s\n", path, strerror(errno));
	return out;
}

static bool nnv_close_report(FILE *out, const char *path)
{
	bool ok = !ferror(out);

	if (out == stdout)
		ok = !fflush(out) && ok;
	else
		ok = !fclose(out) && ok;
	if (!ok)
		fprintf(stderr, "nnv_run: %s: %s\n", path, strerror(errno));
	return ok;
}

static bool nnv_number(const char *text, unsigned long low, unsigned long high, unsigned long *out)
{
	char *end;

	errno = 0;
	*out = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *out >= low && *out <= high;
}

enum {
	OPT_DEVICE = 256,
	OPT_API,
	OPT_AIDL_VERSION,
	OPT_HIDL_VERSION,
	OPT_FILTER,
	OPT_JOBS,
	OPT_THREADS,
	OPT_ISA,
	OPT_TIMEOUT,
	OPT_TAP,
	OPT_JUNIT,
	OPT_VERBOSE,
	OPT_CACHE,
	OPT_MUTATE,
	OPT_DEAL,
	OPT_HELP,
	OPT_MODE
};

static const struct option nnv_options[] = {
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "api", required_argument, NULL, OPT_API },
	{ "aidl-version", required_argument, NULL, OPT_AIDL_VERSION },
	{ "hidl-version", required_argument, NULL, OPT_HIDL_VERSION },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "jobs", required_argument, NULL, OPT_JOBS },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "isa", required_argument, NULL, OPT_ISA },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "tap", required_argument, NULL, OPT_TAP },
	{ "junit", required_argument, NULL, OPT_JUNIT },
	{ "verbose", no_argument, NULL, OPT_VERBOSE },
	{ "cache", required_argument, NULL, OPT_CACHE },
	{ "mutate", no_argument, NULL, OPT_MUTATE },
	{ "deal", required_argument, NULL, OPT_DEAL },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "sync", no_argument, NULL, OPT_MODE + NNV_MODE_SYNC },
	{ "async", no_argument, NULL, OPT_MODE + NNV_MODE_ASYNC },
	{ "fenced", no_argument, NULL, OPT_MODE + NNV_MODE_FENCED },
	{ "burst", no_argument, NULL, OPT_MODE + NNV_MODE_BURST },
	{ "dynamic-output", no_argument, NULL, OPT_MODE + NNV_MODE_DYNAMIC_OUTPUT },
	{ "quant-coupling", no_argument, NULL, OPT_MODE + NNV_MODE_QUANT_COUPLING },
	{ "device-memory", no_argument, NULL, OPT_MODE + NNV_MODE_DEVICE_MEMORY },
	{ "shared-memory", no_argument, NULL, OPT_MODE + NNV_MODE_SHARED_MEMORY },
	{ "insufficient", no_argument, NULL, OPT_MODE + NNV_MODE_INSUFFICIENT },
	{ 0 },
};

int main(int argc, char **argv)
{
	const char *device = "loopback", *filter = NULL, *tap = NULL, *junit = NULL;
	unsigned long jobs = sysconf(_SC_NPROCESSORS_ONLN), threads = 0, timeout = 60, version = 0;
	unsigned long first = 0;
	size_t count[NNV_NOT_IN_MODE + 1] = { 0 }, total;
	static struct nnv_suite suite;
	FILE *tap_out = NULL, *junit_out = NULL;
	bool clean, ok = true;
	uint64_t begin;
	int option, ret;

	if (jobs < 1 || jobs > NNV_MAX_JOBS)
		jobs = jobs < 1 ? 1 : NNV_MAX_JOBS;
	while ((option = getopt_long(argc, argv, "", nnv_options, NULL)) != -1) {
		ok = true;
		switch (option) {
		case OPT_DEVICE:
			device = optarg;
			break;
		case OPT_API:
			suite.device.api = nnv_find_api(optarg);
			if (!suite.device.api)
				return 2;
			break;
		case OPT_AIDL_VERSION:
			ok = nnv_number(optarg, 1, 4, &version);
			break;
		case OPT_HIDL_VERSION:
			ok = nnv_number(optarg, 0, 3, &first);
			break;
		case OPT_FILTER:
			filter = optarg;
			break;
		case OPT_JOBS:
			ok = nnv_number(optarg, 1, NNV_MAX_JOBS, &jobs);
			break;
		case OPT_THREADS:
			ok = nnv_number(optarg, 0, 1024, &threads);
			break;
		case OPT_ISA:
			if (!nnv_find_isa(optarg, &suite.device.isa))
				return 2;
			break;
		case OPT_TIMEOUT:
			ok = nnv_number(optarg, 1, 3600, &timeout);
			break;
		case OPT_TAP:
			tap = optarg;
			break;
		case OPT_JUNIT:
			junit = optarg;
			break;
		case OPT_VERBOSE:
			suite.verbose = true;
			break;
		case OPT_CACHE:
			suite.device.cache = optarg;
			break;
		case OPT_DEAL:
			suite.device.deal = optarg;
			break;
		case OPT_MUTATE:
			suite.device.mutate = true;
			break;
		case OPT_HELP:
			nnv_usage(stdout);
			return 0;
		case '?':
			fprintf(stderr, "nnv_run --help lists the options\n");
			return 2;
		default:
			suite.mode = option - OPT_MODE;
			break;
		}
		if (!ok) {
			fprintf(stderr, "nnv_run: bad number: %s\n", optarg);
			return 2;
		}
	}
	if (!suite.device.api)
		suite.device.api = suite.mode == NNV_MODE_DEVICE_MEMORY ? &nnv_api_nnapi :
									  &nnv_api_nnaccel;
	if (version && (suite.device.api != &nnv_api_aidl ||
			(version < 4 && (suite.mode == NNV_MODE_ASYNC)))) {
		fprintf(stderr, "nnv_run: --aidl-version needs --api=aidl%s\n",
			suite.mode == NNV_MODE_ASYNC ? ", and --async version 4" : "");
		return 2;
	}
	if (first && suite.device.api != &nnv_api_hidl) {
		fprintf(stderr, "nnv_run: --hidl-version needs --api=hidl\n");
		return 2;
	}
	suite.device.version = (uint32_t)version;
	suite.device.first = (int)first;
	if ((threads || suite.device.isa) && suite.device.api != &nnv_api_nnaccel) {
		fprintf(stderr, "nnv_run: --threads and --isa need --api=nnaccel\n");
		return 2;
	}
	if (suite.device.cache && suite.device.api != &nnv_api_nnapi) {
		fprintf(stderr, "nnv_run: --cache needs --api=nnapi\n");
		return 2;
	}
	if (suite.device.deal && (suite.device.api != &nnv_api_nnapi || suite.device.cache ||
				  !strcmp(device, "nnapi-reference"))) {
		fprintf(stderr, "nnv_run: --deal needs --api=nnapi, an accelerator and no cache\n");
		return 2;
	}
	if (suite.device.mutate && suite.device.api != &nnv_api_aidl &&
	    suite.device.api != &nnv_api_hidl) {
		fprintf(stderr, "nnv_run: --mutate needs --api=aidl or hidl\n");
		return 2;
	}
	if (optind == argc) {
		nnv_usage(stderr);
		return 2;
	}
	for (int i = optind; i < argc; i++) {
		if (nnv_add_path(&suite, argv[i]))
			return 2;
	}
	if (nnv_list_cases(&suite, filter))
		return 2;
	if (!suite.item_count) {
		fprintf(stderr, "nnv_run: no case %s%s\n", filter ? "matches " : "found",
			filter ? filter : "");
		return 2;
	}
	tap_out = tap ? nnv_open_report(tap) : NULL;
	junit_out = junit ? nnv_open_report(junit) : NULL;
	if ((tap && !tap_out) || (junit && !junit_out))
		return 2;

	ret = suite.device.api->open(device, threads, &suite.device);
	if (ret) {
		fprintf(stderr, "nnv_run: %s: %s\n", device, strerror(-ret));
		return 2;
	}
	suite.timeout_ns = timeout * 1000000000;
	pthread_mutex_init(&suite.lock, NULL);
	nnv_clock_init_cond(&suite.changed);
#ifndef __SANITIZE_ADDRESS__ /* which has a handler of its own that says more */
	nnv_catch_crashes();
#endif

	begin = nnv_clock_now();
	clean = nnv_run_all(&suite, jobs);

	pthread_mutex_lock(&suite.lock);
	for (size_t i = 0; i < suite.item_count; i++) {
		if (suite.items[i].done)
			count[suite.items[i].status]++;
		else
			count[NNV_FAILED]++;
	}
	total = count[NNV_PASSED] + count[NNV_FAILED] + count[NNV_SKIPPED];
	nnv_print_failures(&suite);
	if (tap_out) {
		nnv_write_tap(&suite, tap_out, total);
		ok = nnv_close_report(tap_out, tap) && ok;
	}
	if (junit_out) {
		nnv_write_junit(&suite, junit_out, total, count[NNV_FAILED], count[NNV_SKIPPED]);
		ok = nnv_close_report(junit_out, junit) && ok;
	}
	printf("%zu cases of %zu files through %s on %s in %.1f s\n", suite.item_count,
	       suite.file_count, suite.device.api->name, suite.device.name,
	       (nnv_clock_now() - begin) / 1e9);
	if (count[NNV_NOT_IN_MODE])
		printf("%zu cases have no such variation\n", count[NNV_NOT_IN_MODE]);
	if (suite.device.mutate)
		printf("%zu models with one thing wrong were refused\n",
		       atomic_load(&suite.device.refused));
	if (suite.device.hidl)
		printf("%zu cases of 1.0, %zu of 1.1, %zu of 1.2, %zu of 1.3\n",
		       atomic_load(&suite.device.interfaces[0]),
		       atomic_load(&suite.device.interfaces[1]),
		       atomic_load(&suite.device.interfaces[2]),
		       atomic_load(&suite.device.interfaces[3]));
	if (suite.device.cache)
		printf("%zu cases ran what was loaded from %s\n",
		       atomic_load(&suite.device.cached), suite.device.cache);
	printf("%zu passed, %zu failed, %zu skipped\n", count[NNV_PASSED], count[NNV_FAILED],
	       count[NNV_SKIPPED]);
	fflush(stdout);
	pthread_mutex_unlock(&suite.lock);
	ret = count[NNV_FAILED] ? 1 : ok ? 0 : 2;
	/* A cache that nothing is ever written to makes no case fail. */
	if (!ret && suite.device.cache && !atomic_load(&suite.device.cached)) {
		fprintf(stderr, "nnv_run: no case was loaded from %s\n", suite.device.cache);
		ret = 1;
	}
	if (!clean)
		_exit(ret);
	for (size_t i = 0; i < suite.item_count; i++) {
		free(suite.items[i].text);
		free(suite.items[i].operation);
	}
	free(suite.items);
	suite.device.api->close(&suite.device);
	for (size_t i = 0; i < suite.file_count; i++)
		nnv_file_close(&suite.files[i]);
	free(suite.files);
	return ret;
}

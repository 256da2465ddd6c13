// SPDX-License-Identifier: MIT
/*
 * nnv_random: random graphs on an NNA, judged by an evaluator of the specification (random.h).
 *
 * Graph number i of a run is made from the seed SEED + i alone: `nnv_random --seed THAT --count 1`
 * makes it again.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/random/random.h"
#include "tests/random/reach.h"

#define MAX_JOBS 64
#define MAX_REPORTS 25
/* How long one graph may take, shrinking included. */
#define GRAPH_SECONDS 120

struct suite {
	const char *device;
	uint64_t seed, count;
	uint32_t jobs;
	enum nna_isa isa;
	bool verbose, mutants, limits;
	const char *save;
	struct nnr_options options;

	pthread_mutex_t lock;
	uint64_t next, failed, skipped, checked, unchecked, operations;
	struct nnr_reach reach;
};

static volatile uint64_t running[MAX_JOBS];
static _Thread_local uint64_t current_seed;

static void say_seed(uint64_t seed)
{
	static const char text[] = "nnv_random: in the graph of seed ";
	char digits[24];
	int n = sizeof(digits);

	digits[--n] = '\n';
	do {
		digits[--n] = (char)('0' + seed % 10);
		seed /= 10;
	} while (seed);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ||
	    write(STDERR_FILENO, digits + n, sizeof(digits) - (size_t)n) < 0)
		_exit(3);
}

static __attribute__((unused)) void on_crash(int number)
{
	say_seed(current_seed);
	raise(number);
}

static void on_alarm(int number)
{
	for (int i = 0; i < MAX_JOBS; i++) {
		if (running[i])
			say_seed(running[i] - 1);
	}
	_exit(124);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &action, NULL);
#if !defined(__SANITIZE_ADDRESS__)
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

	action.sa_handler = on_crash;
	action.sa_flags = SA_RESETHAND | SA_NODEFER;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		sigaction(crashes[i], &action, NULL);
#endif
}

static const char *verdict_text(enum nnr_verdict verdict)
{
	static const char *const texts[] = { "agrees",	"senseless", "unknown",
					     "refused", "differs",   "shape",
					     "fused",	"accepted",  "silent" };

	return texts[verdict];
}

/* Prints a failure, and its shrunk graph, which is also written as a vector. */
static void report_failure(struct suite *suite, const struct nnr_device *device,
			   const struct nnr_graph *graph, const struct nnr_report *report)
{
	struct nnr_report last = *report;
	bool all = report->verdict == NNR_DIFFERS || report->verdict == NNR_SHAPE;
	struct nnr_graph *small =
		suite->mutants ? NULL : nnr_shrink(device, graph, &suite->options, &last);
	char path[512] = "", name[64];

	if (small && suite->save) {
		snprintf(name, sizeof(name), "random_%" PRIu64, graph->seed);
		snprintf(path, sizeof(path), "%s/%s.nnv", suite->save, name);
		/* What fusing changed is right without it; of all else the evaluator knows. */
		if (report->verdict != NNR_FUSED)
			nnr_reinfer(small);
		if (nnr_save(small, all, path, name))
			snprintf(path, sizeof(path), "not written");
	}
	pthread_mutex_lock(&suite->lock);
	printf("FAIL seed %" PRIu64 " %s: %s%s%s\n", graph->seed, verdict_text(report->verdict),
	       report->text, report->log[0] ? "; log: " : "", report->log);
	if (suite->mutants)
		nnr_print(graph, stdout);
	if (small) {
		printf("  smallest (%u of %u operations%s%s): %s\n", small->operation_count,
		       graph->operation_count, path[0] ? "; " : "", path, last.text);
		nnr_print(small, stdout);
	}
	fflush(stdout);
	pthread_mutex_unlock(&suite->lock);
	nnr_graph_free(small);
}

/* --flip and --bias must be seen, unless a result is left open, empty or saturated. */
static bool is_self_test(const struct suite *suite)
{
	return suite->options.flip || suite->options.biased;
}

/* Every 16th graph is not changed: what ran before must not have harmed the device. */
static void run_mutant(struct suite *suite, const struct nnr_device *device,
		       struct nnr_graph *graph, struct nnr_report *report)
{
	struct nnr_random random = { .state = ~graph->seed };
	const char *what;
	bool invalid;

	if (graph->seed % 16 == 0) {
		nnr_judge(device, graph, &suite->options, report);
		return;
	}
	invalid = nnr_mutate(graph, &random, &what);
	nnr_judge_mutant(device, graph, invalid, what, report);
	if (suite->verbose) {
		pthread_mutex_lock(&suite->lock);
		printf("seed %" PRIu64 " %s%s%s\n", graph->seed, report->text,
		       report->log[0] ? "; log: " : "", report->log);
		pthread_mutex_unlock(&suite->lock);
	}
}

static void run_one(struct suite *suite, const struct nnr_device *device, uint64_t seed)
{
	struct nnr_graph *graph = nnr_make(seed, &suite->options);
	struct nnr_report report;
	bool failed = false, passed_over = false, loud;

	if (!graph)
		return;
	if (suite->verbose && !suite->mutants) {
		pthread_mutex_lock(&suite->lock);
		printf("seed %" PRIu64 "\n", seed);
		nnr_print(graph, stdout);
		fflush(stdout);
		pthread_mutex_unlock(&suite->lock);
	}
	if (suite->mutants)
		run_mutant(suite, device, graph, &report);
	else
		nnr_judge(device, graph, &suite->options, &report);
	if (report.verdict == NNR_UNKNOWN)
		passed_over = true;
	else if (is_self_test(suite))
		passed_over = report.verdict != NNR_DIFFERS;
	else
		failed = report.verdict != NNR_AGREES;
	pthread_mutex_lock(&suite->lock);
	suite->checked += report.checked;
	suite->unchecked += report.unchecked;
	suite->operations += graph->operation_count;
	suite->skipped += passed_over;
	suite->failed += failed;
	if (suite->limits && report.verdict == NNR_AGREES)
		nnr_reach_add(&suite->reach, graph);
	loud = failed && suite->failed <= MAX_REPORTS;
	pthread_mutex_unlock(&suite->lock);
	if (loud)
		report_failure(suite, device, graph, &report);
	nnr_graph_free(graph);
}

struct job {
	struct suite *suite;
	uint32_t number;
	pthread_t thread;
	int error;
};

/* Opens the device and, if it is the loopback, a second one with the scalar kernels. */
static int open_devices(const struct suite *suite, struct nnr_device *device)
{
	struct nna_device_options options = { .log = { .line = nnr_log_line },
					      .threads = 1,
					      .isa = suite->isa };
	struct nna_device_info info;
	int ret = nna_device_open(suite->device, &options, &device->main);

	device->plain = NULL;
	if (ret)
		return ret;
	nna_device_get_info(device->main, &info);
	if (!info.loopback)
		return 0;
	options.isa = NNA_ISA_SCALAR;
	ret = nna_device_open(suite->device, &options, &device->plain);
	if (ret)
		nna_device_close(device->main);
	return ret;
}

static void *work(void *arg)
{
	struct job *job = arg;
	struct suite *suite = job->suite;
	struct nnr_device device;

	job->error = open_devices(suite, &device);
	if (job->error)
		return NULL;
	for (;;) {
		uint64_t i;

		pthread_mutex_lock(&suite->lock);
		i = suite->next < suite->count ? suite->next++ : UINT64_MAX;
		pthread_mutex_unlock(&suite->lock);
		if (i == UINT64_MAX)
			break;
		current_seed = suite->seed + i;
		running[job->number] = current_seed + 1;
		alarm(GRAPH_SECONDS);
		run_one(suite, &device, current_seed);
	}
	running[job->number] = 0;
	nna_device_close(device.plain);
	nna_device_close(device.main);
	return NULL;
}

static int run_all(struct suite *suite)
{
	struct job jobs[MAX_JOBS];
	uint32_t started = 0;
	int error = 0;

	for (; started < suite->jobs; started++) {
		jobs[started] = (struct job){ .suite = suite, .number = started };
		if (pthread_create(&jobs[started].thread, NULL, work, &jobs[started]))
			break;
	}
	for (uint32_t i = 0; i < started; i++) {
		pthread_join(jobs[i].thread, NULL);
		error = jobs[i].error ? jobs[i].error : error;
	}
	return started ? error : -EAGAIN;
}

/* Names or parts of names, separated by commas. */
static bool read_operations(struct suite *suite, const char *list)
{
	struct nnr_options *o = &suite->options;
	char *copy = strdup(list), *save = NULL;
	bool found = true;

	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		uint32_t before = o->allowed_count;

		for (uint32_t i = 0; i < nnr_maker_count; i++) {
			if (strcmp(nna_operation_name(nnr_maker_type(i)), name))
				continue;
			if (o->allowed_count < sizeof(o->allowed) / sizeof(o->allowed[0]))
				o->allowed[o->allowed_count++] = nnr_maker_type(i);
		}
		if (o->allowed_count == before) {
			fprintf(stderr, "nnv_random: no operation %s can be made\n", name);
			found = false;
		}
	}
	free(copy);
	return found;
}

static bool can_be_made(uint32_t type)
{
	for (uint32_t i = 0; i < nnr_maker_count; i++) {
		if (nnr_maker_type(i) == type)
			return true;
	}
	return false;
}

/* Prints all operations that the library names, the HAL's first. */
static int list_operations(void)
{
	static const uint32_t first[] = { 0, NNA_OPERATION_EXTENSION };
	uint32_t missing = 0;

	for (int k = 0; k < 2; k++) {
		uint32_t made = 0, type = first[k];

		for (; nna_operation_name(type); type++) {
			bool can = can_be_made(type);

			printf("%s %s\n", can ? "+" : "-", nna_operation_name(type));
			made += can;
			missing += !can;
		}
		printf("%u of %u %s\n", made, type - first[k],
		       k ? "beyond the HAL" : "operations of the HAL");
	}
	return missing ? 1 : 0;
}

static int usage(int status)
{
	fputs("usage: nnv_random [options]\n"
	      "  --seed N        of the first graph (1); the others follow\n"
	      "  --count N       graphs (1000)\n"
	      "  --device=NAME   loopback (default), auto, or a node\n"
	      "  --isa N         loopback: kernels, see enum nna_isa (0: the best there are)\n"
	      "  --ops A,B       only these operations, as the HAL names them\n"
	      "  --operations    print which operations can be made, and which cannot\n"
	      "  --save-dir DIR  failing graphs, made small, as .nnv files for nnv_run\n"
	      "  --jobs N        threads (2)\n"
	      "  --flip          a test of the test: a bit of each graph's first result is\n"
	      "                  flipped, which must be seen in nine graphs of ten\n"
	      "  --bias          the same: every expected value is a little off\n"
	      "  --mutants       change each graph: it must be refused with a message, or run\n"
	      "  --limits        print how often quantised results reach the limits of their\n"
	      "                  types; those that never do, of operations made often, fail\n"
	      "  --verbose       print every graph\n",
	      status ? stderr : stdout);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "count", required_argument, NULL, 'n' },
		{ "device", required_argument, NULL, 'd' },
		{ "isa", required_argument, NULL, 'i' },
		{ "ops", required_argument, NULL, 'o' },
		{ "operations", no_argument, NULL, 'l' },
		{ "save-dir", required_argument, NULL, 'D' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "flip", no_argument, NULL, 'f' },
		{ "bias", no_argument, NULL, 'b' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "mutants", no_argument, NULL, 'm' },
		{ "limits", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct suite suite = { .device = "loopback",
			       .seed = 1,
			       .count = 1000,
			       .jobs = 2,
			       .lock = PTHREAD_MUTEX_INITIALIZER };
	int option, ret;

	while ((option = getopt_long(argc, argv, "vh", long_options, NULL)) != -1) {
		switch (option) {
		case 's':
			suite.seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			suite.count = strtoull(optarg, NULL, 0);
			break;
		case 'd':
			suite.device = optarg;
			break;
		case 'i':
			suite.isa = (enum nna_isa)strtoul(optarg, NULL, 0);
			break;
		case 'o':
			if (!read_operations(&suite, optarg))
				return 2;
			break;
		case 'l':
			return list_operations();
		case 'D':
			suite.save = optarg;
			break;
		case 'j':
			suite.jobs = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'f':
			suite.options.flip = true;
			break;
		case 'b':
			suite.options.biased = true;
			break;
		case 'm':
			suite.mutants = true;
			break;
		case 'r':
			suite.limits = true;
			break;
		case 'v':
			suite.verbose = true;
			break;
		case 'h':
			return usage(0);
		default:
			return usage(2);
		}
	}
	if (optind != argc || !suite.jobs || suite.jobs > MAX_JOBS || !suite.count)
		return usage(2);
	catch_signals();
	ret = run_all(&suite);
	if (ret) {
		fprintf(stderr, "nnv_random: %s: %s\n", suite.device, strerror(-ret));
		return 2;
	}
	if (is_self_test(&suite) && suite.skipped > suite.count / 10)
		suite.failed = 1;
	if (suite.limits) {
		uint32_t blind = nnr_reach_print(&suite.reach, stdout);

		printf("%u operations and types have not reached their limits\n", blind);
		suite.failed += blind;
	}
	printf("%" PRIu64 " graphs from seed %" PRIu64 ", %" PRIu64 " operations, %" PRIu64
	       " elements compared, %" PRIu64 " left open\n",
	       suite.count, suite.seed, suite.operations, suite.checked, suite.unchecked);
	printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped\n",
	       suite.count - suite.failed - suite.skipped, suite.failed, suite.skipped);
	return suite.failed ? 1 : 0;
}

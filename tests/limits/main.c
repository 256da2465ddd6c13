// SPDX-License-Identifier: MIT
/*
 * Runs that take longer than the job limit, beside a second client with short jobs.
 *
 *   limits DEVICE [--operations N] [--size N]
 *
 * The graph is a chain of N (1) convolutions of SIZE x SIZE pixels (64), of 3 x 3 and 1024 channels
 * each: SIZE * SIZE * 9.4 MMAC, so 155 GMAC for 128. Its results are compared with sums made here,
 * and those of a chain with as many runs of one operation. Ends with "N passed, N failed".
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnaccel.h"

#define DEPTH 1024u
#define TAPS 9u
#define PLACES 500u

#define CHECK(what) check(what, #what)

static int check(int ret, const char *what)
{
	if (ret < 0) {
		fprintf(stderr, "%s: %s\n", what, strerror(-ret));
		exit(1);
	}
	return ret;
}

static void *make(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		fprintf(stderr, "no memory for %zu bytes\n", count * size);
		exit(1);
	}
	return memory;
}

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	fprintf(stderr, "%s\n", text);
}

static const struct nna_log log_to = { log_line, NULL };
static unsigned int passed, failed;

static void expect(bool good, const char *what)
{
	passed += good;
	failed += !good;
	printf("%s %s\n", good ? "ok" : "not ok", what);
	fflush(stdout);
}

static uint32_t operand(struct nna_graph *g, uint32_t type, uint32_t rank, const uint32_t *dims)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };

	return CHECK(nna_graph_add_operand(g, 0, &desc));
}

static uint32_t scalar(struct nna_graph *g, int32_t value)
{
	uint32_t o = operand(g, NNA_OPERAND_INT32, 0, NULL);

	CHECK(nna_graph_set_constant(g, 0, o, &value, sizeof(value), true));
	return o;
}

/* ------------------------------------------------------------------------------- the long runs */

/**
 * struct layers - a chain of convolutions with the same weights
 * @weights: small integers, so that every sum is exact in any order
 */
struct layers {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	uint32_t size;
	size_t bytes;
	const float *weights;
};

static void layers_make(struct layers *l, struct nna_device *device, uint32_t count, uint32_t size,
			const float *weights)
{
	const uint32_t dims[] = { 1, size, size, DEPTH }, n = DEPTH;
	const uint32_t weights_dims[] = { DEPTH, 3, 3, DEPTH };
	static const float bias[DEPTH];
	uint32_t in[7], first, out = 0;
	struct nna_graph *g;

	CHECK(nna_graph_create(&log_to, &l->graph));
	g = l->graph;
	l->size = size;
	l->bytes = (size_t)size * size * DEPTH * sizeof(float);
	l->weights = weights;
	first = in[0] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 4, dims);
	in[1] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 4, weights_dims);
	in[2] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n);
	CHECK(nna_graph_set_constant(g, 0, in[1], weights, sizeof(float) * DEPTH * TAPS * DEPTH,
				     false));
	CHECK(nna_graph_set_constant(g, 0, in[2], bias, sizeof(bias), false));
	in[3] = in[4] = in[5] = scalar(g, 1); /* padding SAME, strides of 1 */
	in[6] = scalar(g, 3);		      /* RELU6: the next layer's input is as small */
	for (uint32_t i = 0; i < count; i++) {
		out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 4, dims);
		CHECK(nna_graph_add_operation(g, 0, NNA_OPERATION_CONV_2D, 7, in, 1, &out));
		in[0] = out;
	}
	CHECK(nna_graph_set_io(g, 0, 1, &first, 1, &out));
	CHECK(nna_graph_finish(g));
	CHECK(nna_program_create(device, g, NULL, &l->program));
	CHECK(nna_execution_create(l->program, &l->execution));
}

/* Return: the run time in ns, 0 for a run that failed. */
static uint64_t layers_run(struct layers *l, float *in, float *out)
{
	struct nna_timing timing;
	int ret;

	CHECK(nna_execution_set_input(l->execution, 0, 0, NULL, in, l->bytes));
	CHECK(nna_execution_set_output(l->execution, 0, 0, NULL, out, l->bytes));
	ret = nna_execution_compute(l->execution);
	if (ret) {
		printf("# the run ended with: %s\n", strerror(-ret));
		return 0;
	}
	CHECK(nna_execution_get_timing(l->execution, &timing));
	printf("# %u commands, run time %.1f s\n", timing.commands, (double)timing.run * 1e-9);
	return timing.run;
}

static void layers_destroy(struct layers *l)
{
	nna_execution_destroy(l->execution);
	nna_program_destroy(l->program);
	nna_graph_unref(l->graph);
}

static float sum_at(const struct layers *l, const float *in, uint32_t place, uint32_t n)
{
	const uint32_t y = place / l->size, x = place % l->size;
	float sum = 0;

	for (uint32_t k = 0; k < TAPS; k++) {
		const uint32_t row = y + k / 3 - 1, column = x + k % 3 - 1;

		for (uint32_t c = 0; c < DEPTH && row < l->size && column < l->size; c++)
			sum += in[((size_t)row * l->size + column) * DEPTH + c] *
			       l->weights[((size_t)n * TAPS + k) * DEPTH + c];
	}
	return sum < 0 ? 0 : sum > 6 ? 6 : sum;
}

/* ----------------------------------------------------------------------------- the short jobs */

/**
 * struct beside - a client of short jobs of a higher priority
 * @stop: it is to end
 * @runs: how many have ended well
 * @error: of the first that has not, or 0
 */
struct beside {
	struct nna_device *device;
	atomic_bool stop;
	_Atomic uint64_t runs;
	_Atomic int error;
};

static void *beside_run(void *arg)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_HIGH };
	const uint32_t width = 64;
	float in[64] = { 1 }, out[64];
	struct beside *b = arg;
	struct nna_execution *e;
	struct nna_program *p;
	struct nna_graph *g;
	uint32_t a, act, sum;

	CHECK(nna_graph_create(&log_to, &g));
	a = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &width);
	act = scalar(g, 0);
	sum = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &width);
	CHECK(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3, (uint32_t[]){ a, a, act }, 1,
				      &sum));
	CHECK(nna_graph_set_io(g, 0, 1, &a, 1, &sum));
	CHECK(nna_graph_finish(g));
	CHECK(nna_program_create(b->device, g, &options, &p));
	CHECK(nna_execution_create(p, &e));
	CHECK(nna_execution_set_input(e, 0, 0, NULL, in, sizeof(in)));
	CHECK(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)));
	while (!atomic_load(&b->stop)) {
		int ret = nna_execution_compute(e);

		if (!ret && out[0] != 2)
			ret = -EIO;
		if (ret && !atomic_load(&b->error))
			atomic_store(&b->error, ret);
		else if (!ret)
			atomic_fetch_add(&b->runs, 1);
	}
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
	return NULL;
}

/* ----------------------------------------------------------------------------------------- main */

static uint32_t number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !value || value > 10000) {
		fprintf(stderr, "%s: a number from 1 to 10000 is wanted\n", text);
		exit(2);
	}
	return (uint32_t)value;
}

int main(int argc, char **argv)
{
	const struct nna_device_options options = { .log = log_to };
	const size_t weights_count = (size_t)DEPTH * TAPS * DEPTH;
	float *weights = make(weights_count, sizeof(float)), *in, *out, *again;
	uint32_t count = 1, size = 64;
	struct beside beside = { 0 };
	struct nna_device_info info;
	struct layers chain, one;
	uint64_t ran, most = 0;
	pthread_t thread;
	bool same = true;

	for (int i = 2; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--operations"))
			count = number(argv[i + 1]);
		else if (!strcmp(argv[i], "--size"))
			size = number(argv[i + 1]);
		else
			argc = 0;
	}
	if (argc < 2 || argc % 2) {
		fprintf(stderr, "usage: limits DEVICE [--operations N] [--size N]\n");
		return 2;
	}
	/* Few are not 0, so that not every sum is beyond RELU6's bounds. */
	for (size_t i = 0; i < weights_count; i++)
		weights[i] = i * 2246822519u >> 7 & 511 ? 0 : (float)(i >> 3 & 3) - 1;
	CHECK(nna_device_open(argv[1], &options, &beside.device));
	nna_device_get_info(beside.device, &info);
	layers_make(&chain, beside.device, count, size, weights);
	in = make(chain.bytes, 1);
	out = make(chain.bytes, 1);
	again = make(chain.bytes, 1);
	for (size_t i = 0; i < chain.bytes / sizeof(float); i++)
		in[i] = (float)(i * 2654435761u >> 20 & 3);
	memcpy(again, in, chain.bytes);
	CHECK(-pthread_create(&thread, NULL, beside_run, &beside));
	printf("# %u operations of %.1f GMAC on %s, whose job limit is %.1f s\n", count,
	       (double)size * size * weights_count * 1e-9, info.name,
	       (double)info.job_limit_ns * 1e-9);
	most = layers_run(&chain, in, out);
	expect(most, "a long run ends well");
	layers_make(&one, beside.device, 1, size, weights);
	for (uint32_t i = 0; i < count && most; i++) {
		ran = layers_run(&one, again, in);
		for (uint32_t k = 0; k < PLACES / count + 1 && ran; k++) {
			const uint32_t place = (k * 7919u + i) % (size * size);
			const uint32_t n = (k * 31u + i * 7u) % DEPTH;

			same = same && in[(size_t)place * DEPTH + n] ==
					       sum_at(&one, again, place, n);
		}
		same = same && ran;
		memcpy(again, in, chain.bytes);
	}
	expect(same, "the results of each operation are those computed here");
	expect(most && !memcmp(again, out, chain.bytes), "the chain has the results of its operations");
	atomic_store(&beside.stop, true);
	pthread_join(thread, NULL);
	printf("# %llu short jobs\n", (unsigned long long)atomic_load(&beside.runs));
	expect(!atomic_load(&beside.error), "the short jobs beside it end well");
	expect(atomic_load(&beside.runs) > count, "more than one for each operation");
	layers_destroy(&chain);
	layers_destroy(&one);
	nna_device_close(beside.device);
	free(weights);
	free(in);
	free(out);
	free(again);
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}

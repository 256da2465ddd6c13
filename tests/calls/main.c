// SPDX-License-Identifier: MIT
/*
 * Runs of every kind on a device, each many times after a few that warm up, for tests/calls/check
 * to count their system calls.
 *
 *   calls DEVICE
 *
 * What is to be counted lies between two writes to no file, which say what and how often:
 *
 *	write(-1, "begin KIND COUNT")
 *	write(-1, "end")
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnaccel.h"

#define WARM_UP 5u
#define COUNT 20u
#define WIDTH 64u
#define MANY 130u

#define CHECK(what) check(what, #what)

static int check(int ret, const char *what)
{
	if (ret < 0) {
		fprintf(stderr, "%s: %s\n", what, strerror(-ret));
		exit(1);
	}
	return ret;
}

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	fprintf(stderr, "%s\n", text);
}

static void mark(const char *text)
{
	if (write(-1, text, strlen(text)) >= 0)
		exit(1);
}

/**
 * struct chain - one sum of floats
 * @in: the input, direct
 * @out: the output, direct
 * @fence: of the last run
 */
struct chain {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	struct nna_buffer *in, *out;
	struct nna_fence *fence;
};

static uint32_t operand(struct nna_graph *g, uint32_t type, uint32_t rank)
{
	const uint32_t width = WIDTH;
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = &width };

	return CHECK(nna_graph_add_operand(g, 0, &desc));
}

static void chain_make(struct chain *c, struct nna_device *device)
{
	const struct nna_log log = { log_line, NULL };
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	const int32_t none = 0;
	uint32_t in, act, out;
	struct nna_graph *g;

	CHECK(nna_graph_create(&log, &c->graph));
	g = c->graph;
	in = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1);
	act = operand(g, NNA_OPERAND_INT32, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1);
	CHECK(nna_graph_set_constant(g, 0, act, &none, sizeof(none), false));
	CHECK(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3, (uint32_t[]){ in, in, act }, 1,
				      &out));
	CHECK(nna_graph_set_io(g, 0, 1, &in, 1, &out));
	CHECK(nna_graph_finish(g));
	CHECK(nna_program_create(device, g, &options, &c->program));
	CHECK(nna_execution_create(c->program, &c->execution));
	CHECK(nna_buffer_create(device, WIDTH * 4, &c->in));
	CHECK(nna_buffer_create(device, WIDTH * 4, &c->out));
	CHECK(nna_execution_set_input_buffer(c->execution, 0, 0, NULL, c->in, 0, WIDTH * 4));
	CHECK(nna_execution_set_output_buffer(c->execution, 0, 0, NULL, c->out, 0, WIDTH * 4));
}

static void chain_destroy(struct chain *c)
{
	nna_execution_destroy(c->execution);
	nna_program_destroy(c->program);
	nna_graph_unref(c->graph);
	nna_buffer_destroy(c->in);
	nna_buffer_destroy(c->out);
}

/* A sync_file that has signalled, of a run before; and one that has failed. */
static int in_fence = -1, failed_fence = -1;

/* The sync_file of a run that has ended; with a deadline of 1 ns it failed. */
static int past_run(struct chain *c, uint64_t deadline_ns)
{
	int fd, ret;

	CHECK(nna_execution_set_deadline(c->execution, deadline_ns));
	CHECK(nna_execution_submit(c->execution, NULL, 0, &c->fence));
	fd = CHECK(nna_fence_export(c->fence));
	ret = nna_fence_wait(c->fence, -1);
	if (ret != (deadline_ns ? -ETIMEDOUT : 0)) {
		fprintf(stderr, "a run ended with %d\n", ret);
		exit(1);
	}
	nna_fence_destroy(c->fence);
	CHECK(nna_execution_set_deadline(c->execution, 0));
	return fd;
}

static void run_compute(struct chain *c)
{
	CHECK(nna_execution_compute(c->execution));
}

static void run_timed(struct chain *c)
{
	struct nna_timing timing;

	CHECK(nna_execution_compute(c->execution));
	CHECK(nna_execution_get_timing(c->execution, &timing));
}

static void run_submit(struct chain *c)
{
	CHECK(nna_execution_submit(c->execution, NULL, 0, &c->fence));
	CHECK(nna_fence_wait(c->fence, -1));
	nna_fence_destroy(c->fence);
}

static void run_fenced(struct chain *c)
{
	const int fds[2] = { in_fence, in_fence };

	CHECK(nna_execution_submit(c->execution, fds, 2, &c->fence));
	CHECK(nna_fence_wait(c->fence, -1));
	nna_fence_destroy(c->fence);
}

/* The fd is the caller's: that it is closed is counted too, and expected. */
static void run_exported(struct chain *c)
{
	int fd;

	CHECK(nna_execution_submit(c->execution, NULL, 0, &c->fence));
	fd = CHECK(nna_fence_export(c->fence));
	CHECK(nna_fence_wait(c->fence, -1));
	nna_fence_destroy(c->fence);
	close(fd);
}

/* More in-fences than a submission takes. */
static void run_merged(struct chain *c)
{
	int fds[MANY];

	for (uint32_t i = 0; i < MANY; i++)
		fds[i] = in_fence;
	CHECK(nna_execution_submit(c->execution, fds, MANY, &c->fence));
	CHECK(nna_fence_wait(c->fence, -1));
	nna_fence_destroy(c->fence);
}

/* The library waits, and a thread of its own takes the end of the run. */
static void run_dependent(struct chain *c)
{
	const struct nna_dependencies after = { .fds = &in_fence, .fd_count = 1 };

	CHECK(nna_execution_submit_after(c->execution, &after, &c->fence));
	CHECK(nna_fence_wait(c->fence, -1));
	nna_fence_destroy(c->fence);
}

/* The job does not run, so the device writes no report. */
static void run_unreported(struct chain *c)
{
	CHECK(nna_execution_submit(c->execution, &failed_fence, 1, &c->fence));
	if (nna_fence_wait(c->fence, -1) >= 0) {
		fprintf(stderr, "a run behind a fence that has failed did not fail\n");
		exit(1);
	}
	nna_fence_destroy(c->fence);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct chain *c);
	} kinds[] = {
		{ "compute", run_compute },   { "timed", run_timed },
		{ "submit", run_submit },     { "fenced", run_fenced },
		{ "exported", run_exported }, { "unreported", run_unreported },
		{ "merged", run_merged },     { "dependent", run_dependent },
	};
	const struct nna_device_options options = { .log = { log_line, NULL } };
	struct nna_device *device;
	struct chain c = { 0 };
	char text[64];

	if (argc != 2) {
		fprintf(stderr, "usage: calls DEVICE\n");
		return 2;
	}
	CHECK(nna_device_open(argv[1], &options, &device));
	chain_make(&c, device);
	in_fence = past_run(&c, 0);
	failed_fence = past_run(&c, 1);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (uint32_t i = 0; i < WARM_UP; i++)
			kinds[k].run(&c);
		snprintf(text, sizeof(text), "begin %s %u", kinds[k].name, COUNT);
		mark(text);
		for (uint32_t i = 0; i < COUNT; i++)
			kinds[k].run(&c);
		mark("end");
	}
	close(in_fence);
	close(failed_fence);
	chain_destroy(&c);
	nna_device_close(device);
	return 0;
}

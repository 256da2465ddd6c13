/* SPDX-License-Identifier: MIT */
/* For tests of the NNAPI C API: an execution of a sum, and the ways to run one. */
#ifndef TEST_NNAPI_RUN_H
#define TEST_NNAPI_RUN_H

#include <unistd.h>

#include "tests/unit/hal-bridge/nnapi/fixture.h"

/* An ADD of four floats, bound to a, b and out. */
struct run {
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	float a[4], b[4], out[4];
};

/* An execution of add_model(@n), nothing bound yet; run_stop() frees all of it. */
static inline void run_start(struct run *run, uint32_t n)
{
	*run = (struct run){ .a = { 1, 2, 3, 4 }, .b = { 10, 20, 30, 40 } };
	run->model = add_model(n);
	run->compilation = compile(run->model);
	OK(ANeuralNetworksExecution_create(run->compilation, &run->execution));
}

static inline void run_bind(struct run *run)
{
	OK(ANeuralNetworksExecution_setInput(run->execution, 0, NULL, run->a, sizeof(run->a)));
	OK(ANeuralNetworksExecution_setInput(run->execution, 1, NULL, run->b, sizeof(run->b)));
	OK(ANeuralNetworksExecution_setOutput(run->execution, 0, NULL, run->out, sizeof(run->out)));
}

static inline void run_check(struct run *run)
{
	for (int i = 0; i < 4; i++)
		assert_true(run->out[i] == run->a[i] + run->b[i]);
}

static inline void run_stop(struct run *run)
{
	ANeuralNetworksExecution_free(run->execution);
	ANeuralNetworksCompilation_free(run->compilation);
	ANeuralNetworksModel_free(run->model);
}

/* The four ways to run an execution. */
enum way { COMPUTE, START, BURST, FENCED, WAYS };

/* Runs it in one of these ways. *event is NULL for the synchronous ones, else the caller's. */
static inline int start(struct run *run, enum way way, ANeuralNetworksEvent **event)
{
	ANeuralNetworksBurst *burst = NULL;
	int ret;

	*event = NULL;
	switch (way) {
	case COMPUTE:
		return ANeuralNetworksExecution_compute(run->execution);
	case START:
		return ANeuralNetworksExecution_startCompute(run->execution, event);
	case BURST:
		OK(ANeuralNetworksBurst_create(run->compilation, &burst));
		ret = ANeuralNetworksExecution_burstCompute(run->execution, burst);
		ANeuralNetworksBurst_free(burst);
		return ret;
	default:
		return ANeuralNetworksExecution_startComputeWithDependencies(run->execution, NULL,
									     0, 0, event);
	}
}

static inline int start_and_wait(struct run *run, enum way way)
{
	ANeuralNetworksEvent *event;
	int ret = start(run, way, &event);

	if (event) {
		assert_int_equal(ret, ANEURALNETWORKS_NO_ERROR);
		ret = ANeuralNetworksEvent_wait(event);
	}
	ANeuralNetworksEvent_free(event);
	return ret;
}

/* Signals a fence that is an eventfd. */
static inline void signal_fd(int fd)
{
	const uint64_t one = 1;

	assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
}

#endif

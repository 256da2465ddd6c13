// SPDX-License-Identifier: MIT
/* Executions of the NNAPI C API: arguments, states, results, events and fences. */
#include "tests/unit/nnapi_fixture.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* An ADD of four floats, bound to a, b and out. */
struct run {
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	float a[4], b[4], out[4];
};

static void run_start(struct run *run, uint32_t n)
{
	*run = (struct run){ .a = { 1, 2, 3, 4 }, .b = { 10, 20, 30, 40 } };
	run->model = add_model(n);
	run->compilation = compile(run->model);
	OK(ANeuralNetworksExecution_create(run->compilation, &run->execution));
}

static void run_bind(struct run *run)
{
	OK(ANeuralNetworksExecution_setInput(run->execution, 0, NULL, run->a, sizeof(run->a)));
	OK(ANeuralNetworksExecution_setInput(run->execution, 1, NULL, run->b, sizeof(run->b)));
	OK(ANeuralNetworksExecution_setOutput(run->execution, 0, NULL, run->out, sizeof(run->out)));
}

static void run_check(struct run *run)
{
	for (int i = 0; i < 4; i++)
		assert_true(run->out[i] == run->a[i] + run->b[i]);
}

static void run_stop(struct run *run)
{
	ANeuralNetworksExecution_free(run->execution);
	ANeuralNetworksCompilation_free(run->compilation);
	ANeuralNetworksModel_free(run->model);
}

static void test_compute(void **state)
{
	uint32_t rank = 0, dims[1] = { 0 };
	uint64_t hardware = 0, driver = 0;
	struct run run;

	run_start(&run, 4);
	OK(ANeuralNetworksExecution_setMeasureTiming(run.execution, true));
	IS(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(run.execution, 0, &rank));
	IS(BAD_STATE, ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, dims));
	IS(BAD_STATE, ANeuralNetworksExecution_getDuration(run.execution, 0, &hardware));
	IS(BAD_DATA, ANeuralNetworksExecution_compute(run.execution));
	run_bind(&run);
	OK(ANeuralNetworksExecution_compute(run.execution));
	run_check(&run);
	OK(ANeuralNetworksExecution_getOutputOperandRank(run.execution, 0, &rank));
	assert_int_equal(rank, 1);
	OK(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, dims));
	assert_int_equal(dims[0], 4);
	IS(BAD_DATA, ANeuralNetworksExecution_getOutputOperandRank(run.execution, 1, &rank));
	IS(BAD_DATA, ANeuralNetworksExecution_getOutputOperandRank(run.execution, -1, &rank));
	IS(BAD_DATA, ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 1, dims));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_getOutputOperandRank(run.execution, 0, NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_getOutputOperandDimensions(NULL, 0, dims));
	OK(ANeuralNetworksExecution_getDuration(run.execution, ANEURALNETWORKS_DURATION_ON_HARDWARE,
						&hardware));
	OK(ANeuralNetworksExecution_getDuration(run.execution, ANEURALNETWORKS_DURATION_IN_DRIVER,
						&driver));
	assert_true(hardware <= driver && driver < UINT64_MAX);
	IS(BAD_DATA, ANeuralNetworksExecution_getDuration(run.execution, 4, &driver));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_getDuration(run.execution, 0, NULL));
	/* It is not reusable, and no longer in preparation. */
	IS(BAD_STATE, ANeuralNetworksExecution_compute(run.execution));
	IS(BAD_STATE,
	   ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, sizeof(run.a)));
	IS(BAD_STATE,
	   ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, sizeof(run.out)));
	IS(BAD_STATE, ANeuralNetworksExecution_setTimeout(run.execution, 1));
	IS(BAD_STATE, ANeuralNetworksExecution_setLoopTimeout(run.execution, 1));
	IS(BAD_STATE, ANeuralNetworksExecution_setMeasureTiming(run.execution, true));
	IS(BAD_STATE, ANeuralNetworksExecution_setReusable(run.execution, true));
	IS(BAD_STATE, ANeuralNetworksExecution_enableInputAndOutputPadding(run.execution, true));
	run_stop(&run);
}

static void test_null(void **state)
{
	ANeuralNetworksEvent *event = NULL;
	ANeuralNetworksExecution *execution = NULL;

	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_create(NULL, &execution));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_compute(NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_startCompute(NULL, &event));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksExecution_startComputeWithDependencies(NULL, NULL, 0, 0, &event));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_burstCompute(NULL, NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setInput(NULL, 0, NULL, NULL, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setInputFromMemory(NULL, 0, NULL, NULL, 0, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setOutput(NULL, 0, NULL, NULL, 0));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksExecution_setOutputFromMemory(NULL, 0, NULL, NULL, 0, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setTimeout(NULL, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setLoopTimeout(NULL, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setMeasureTiming(NULL, true));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setReusable(NULL, true));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_enableInputAndOutputPadding(NULL, true));
	IS(UNEXPECTED_NULL, ANeuralNetworksBurst_create(NULL, NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksEvent_wait(NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksEvent_createFromSyncFenceFd(0, NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksEvent_getSyncFenceFd(NULL, NULL));
	ANeuralNetworksExecution_free(NULL);
	ANeuralNetworksBurst_free(NULL);
	ANeuralNetworksEvent_free(NULL);
}

static void test_arguments(void **state)
{
	static const uint32_t four[] = { 4 }, five[] = { 5 }, unknown[] = { 0 }, two[] = { 4, 1 };
	ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_FLOAT32, 1, four, 0, 0 };
	struct run run;

	run_start(&run, 4);
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.dimensions = unknown;
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, &type, run.out, 16));
	type.dimensions = five;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 20));
	type.dimensions = two;
	type.dimensionCount = 2;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.dimensions = NULL;
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.dimensions = four;
	type.dimensionCount = 1;
	type.scale = 1;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.scale = 0;
	type.type = ANEURALNETWORKS_TENSOR_INT32;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, 15));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, 17));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 2, NULL, run.a, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, -1, NULL, run.a, 16));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, NULL, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, 12));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, 20));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 1, NULL, run.out, 16));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, NULL, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_enableInputAndOutputPadding(run.execution, true));
	run_stop(&run);
}

static void test_padding(void **state)
{
	float a[8] = { 1, 2, 3, 4, 99 }, b[8] = { 10, 20, 30, 40, 99 }, out[8] = { 0 };
	struct run run;

	run_start(&run, 4);
	OK(ANeuralNetworksExecution_enableInputAndOutputPadding(run.execution, true));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, a, 12));
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, NULL, a, sizeof(a)));
	OK(ANeuralNetworksExecution_setInput(run.execution, 1, NULL, b, sizeof(b)));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, out, sizeof(out)));
	OK(ANeuralNetworksExecution_compute(run.execution));
	assert_true(out[0] == 11 && out[3] == 44 && out[4] == 0);
	run_stop(&run);
}

static void test_reusable(void **state)
{
	struct run run;

	run_start(&run, 4);
	OK(ANeuralNetworksExecution_setReusable(run.execution, true));
	run_bind(&run);
	for (int i = 0; i < 3; i++) {
		run.a[0] = i;
		OK(ANeuralNetworksExecution_compute(run.execution));
		run_check(&run);
	}
	IS(BAD_STATE,
	   ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, sizeof(run.a)));
	run_stop(&run);
}

/* Sizes that only the execution knows, and an output that is too small. */
static void test_dynamic(void **state)
{
	static const uint32_t four[] = { 4 };
	const ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_FLOAT32, 1, four, 0, 0 };
	ANeuralNetworksEvent *event = NULL;
	uint32_t dims[1] = { 0 };
	struct run run;

	run_start(&run, 0);
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, sizeof(run.a)));
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, sizeof(run.a)));
	OK(ANeuralNetworksExecution_setInput(run.execution, 1, &type, run.b, sizeof(run.b)));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, 8));
	/* A fenced execution needs to know its outputs. */
	IS(BAD_DATA, ANeuralNetworksExecution_startComputeWithDependencies(run.execution, NULL, 0,
									   0, &event));
	assert_null(event);
	IS(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(run.execution));
	IS(OUTPUT_INSUFFICIENT_SIZE,
	   ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, dims));
	assert_int_equal(dims[0], 4);
	ANeuralNetworksExecution_free(run.execution);

	OK(ANeuralNetworksExecution_create(run.compilation, &run.execution));
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, sizeof(run.a)));
	OK(ANeuralNetworksExecution_setInput(run.execution, 1, &type, run.b, sizeof(run.b)));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, sizeof(run.out)));
	OK(ANeuralNetworksExecution_compute(run.execution));
	run_check(&run);
	OK(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, dims));
	assert_int_equal(dims[0], 4);
	run_stop(&run);
}

static void test_start_compute(void **state)
{
	ANeuralNetworksEvent *event = NULL;
	struct run run;
	int fd = 7;

	run_start(&run, 4);
	IS(BAD_DATA, ANeuralNetworksExecution_startCompute(run.execution, &event));
	assert_null(event);
	run_bind(&run);
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_startCompute(run.execution, NULL));
	OK(ANeuralNetworksExecution_startCompute(run.execution, &event));
	IS(BAD_STATE, ANeuralNetworksExecution_compute(run.execution));
	/* Outputs in user pointers are ready when the wait returns, which no fence can promise. */
	IS(BAD_DATA, ANeuralNetworksEvent_getSyncFenceFd(event, &fd));
	assert_int_equal(fd, -1);
	OK(ANeuralNetworksEvent_wait(event));
	OK(ANeuralNetworksEvent_wait(event));
	run_check(&run);
	ANeuralNetworksEvent_free(event);
	run_stop(&run);
}

/* Freed in the wrong order, and never waited for. */
static void test_wrong_order(void **state)
{
	ANeuralNetworksEvent *event = NULL;
	struct run run;

	run_start(&run, 4);
	run_bind(&run);
	OK(ANeuralNetworksExecution_startCompute(run.execution, &event));
	run_stop(&run);
	ANeuralNetworksEvent_free(event);
	run_check(&run);
}

static void test_burst(void **state)
{
	ANeuralNetworksBurst *burst = NULL, *other = NULL;
	struct run run, second;

	run_start(&run, 4);
	run_start(&second, 4);
	OK(ANeuralNetworksBurst_create(run.compilation, &burst));
	OK(ANeuralNetworksBurst_create(second.compilation, &other));
	run_bind(&run);
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_burstCompute(run.execution, NULL));
	IS(BAD_DATA, ANeuralNetworksExecution_burstCompute(run.execution, other));
	OK(ANeuralNetworksExecution_burstCompute(run.execution, burst));
	run_check(&run);
	ANeuralNetworksBurst_free(burst);
	ANeuralNetworksBurst_free(other);
	run_stop(&run);
	run_stop(&second);
}

static void test_timeouts(void **state)
{
	ANeuralNetworksCompilation *plain = NULL;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksEvent *event = NULL;
	struct run run;

	run_start(&run, 4);
	run_bind(&run);
	OK(ANeuralNetworksExecution_setLoopTimeout(run.execution, UINT64_MAX));
	OK(ANeuralNetworksExecution_setTimeout(run.execution, 1));
	IS(MISSED_DEADLINE_PERSISTENT, ANeuralNetworksExecution_compute(run.execution));
	ANeuralNetworksExecution_free(run.execution);
	OK(ANeuralNetworksExecution_create(run.compilation, &run.execution));
	run_bind(&run);
	OK(ANeuralNetworksExecution_setTimeout(run.execution, 60000000000ull));
	OK(ANeuralNetworksExecution_compute(run.execution));
	run_check(&run);

	/* Without a device of its own choice, there is nobody to keep a timeout. */
	OK(ANeuralNetworksCompilation_create(run.model, &plain));
	OK(ANeuralNetworksCompilation_finish(plain));
	OK(ANeuralNetworksExecution_create(plain, &execution));
	IS(BAD_DATA, ANeuralNetworksExecution_setTimeout(execution, 1));
	IS(BAD_DATA, ANeuralNetworksExecution_setMeasureTiming(execution, true));
	IS(BAD_DATA,
	   ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 1, &event));
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(plain);
	run_stop(&run);
}

static void signal_fd(int fd)
{
	const uint64_t one = 1;

	assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
}

static void test_fence_events(void **state)
{
	ANeuralNetworksEvent *event = NULL;
	struct pollfd poll_fd = { .events = POLLIN };
	int fence = eventfd(0, EFD_CLOEXEC), copy = -1, pipe_fds[2];

	IS(BAD_DATA, ANeuralNetworksEvent_createFromSyncFenceFd(-1, &event));
	IS(BAD_DATA, ANeuralNetworksEvent_createFromSyncFenceFd(100000, &event));
	assert_null(event);
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &event));
	OK(ANeuralNetworksEvent_getSyncFenceFd(event, &copy));
	assert_true(copy >= 0 && copy != fence);
	signal_fd(fence);
	close(fence);
	poll_fd.fd = copy;
	assert_int_equal(poll(&poll_fd, 1, 0), 1);
	OK(ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
	close(copy);

	/* A fence whose other end went away without signalling. */
	assert_int_equal(pipe(pipe_fds), 0);
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(pipe_fds[0], &event));
	close(pipe_fds[1]);
	IS(OP_FAILED, ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
	close(pipe_fds[0]);
}

static void test_fenced(void **state)
{
	ANeuralNetworksEvent *before = NULL, *event = NULL, *second_event = NULL;
	const ANeuralNetworksEvent *dependencies[2];
	int fence = eventfd(0, EFD_CLOEXEC);
	struct run run, second;

	run_start(&run, 4);
	run_bind(&run);
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &before));
	dependencies[0] = before;
	dependencies[1] = NULL;
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_startComputeWithDependencies(
				    run.execution, dependencies, 2, 0, &event));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_startComputeWithDependencies(
				    run.execution, NULL, 1, 0, &event));
	OK(ANeuralNetworksExecution_startComputeWithDependencies(run.execution, dependencies, 1,
								 10000000000ull, &event));
	/* A second one that needs the first one's result, out of the first one's user pointer. */
	run_start(&second, 4);
	OK(ANeuralNetworksExecution_setInput(second.execution, 0, NULL, run.out, sizeof(run.out)));
	OK(ANeuralNetworksExecution_setInput(second.execution, 1, NULL, second.b,
					     sizeof(second.b)));
	OK(ANeuralNetworksExecution_setOutput(second.execution, 0, NULL, second.out,
					      sizeof(second.out)));
	dependencies[0] = event;
	OK(ANeuralNetworksExecution_startComputeWithDependencies(second.execution, dependencies, 1,
								 0, &second_event));
	usleep(20000);
	assert_true(run.out[0] == 0 && second.out[0] == 0);
	signal_fd(fence);
	OK(ANeuralNetworksEvent_wait(second_event));
	OK(ANeuralNetworksEvent_wait(event));
	run_check(&run);
	for (int i = 0; i < 4; i++)
		assert_true(second.out[i] == run.a[i] + 2 * run.b[i]);
	ANeuralNetworksEvent_free(second_event);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksEvent_free(before);
	close(fence);
	run_stop(&run);
	run_stop(&second);
}

/* An execution that waits for a failed one fails, at once or later. */
static void test_failed_dependency(void **state)
{
	ANeuralNetworksEvent *broken = NULL, *event = NULL;
	const ANeuralNetworksEvent *dependency;
	int pipe_fds[2];
	struct run run;

	assert_int_equal(pipe(pipe_fds), 0);
	close(pipe_fds[1]);
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(pipe_fds[0], &broken));
	run_start(&run, 4);
	run_bind(&run);
	dependency = broken;
	IS(OP_FAILED, ANeuralNetworksExecution_startComputeWithDependencies(
			      run.execution, &dependency, 1, 0, &event));
	assert_null(event);
	assert_true(run.out[0] == 0);
	ANeuralNetworksEvent_free(broken);
	close(pipe_fds[0]);
	run_stop(&run);
}

struct waiter {
	ANeuralNetworksEvent *event;
	int result;
};

static void *wait_for_event(void *arg)
{
	struct waiter *waiter = arg;

	waiter->result = ANeuralNetworksEvent_wait(waiter->event);
	return NULL;
}

static void test_many_waiters(void **state)
{
	int fence = eventfd(0, EFD_CLOEXEC);
	ANeuralNetworksEvent *before = NULL, *event = NULL;
	const ANeuralNetworksEvent *dependency;
	struct waiter waiters[4];
	pthread_t threads[4];
	struct run run;

	run_start(&run, 4);
	run_bind(&run);
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &before));
	dependency = before;
	OK(ANeuralNetworksExecution_startComputeWithDependencies(run.execution, &dependency, 1, 0,
								 &event));
	for (int i = 0; i < 4; i++) {
		waiters[i] = (struct waiter){ event, -1 };
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for_event, &waiters[i]), 0);
	}
	signal_fd(fence);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(waiters[i].result, ANEURALNETWORKS_NO_ERROR);
	}
	run_check(&run);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksEvent_free(before);
	close(fence);
	run_stop(&run);
}

/* A convolution with weights in memory and by pointer: 1 x 1, two channels, quantised. */
static void test_convolution(void **state)
{
	static const uint32_t in_dims[] = { 1, 2, 2, 2 }, weight_dims[] = { 1, 1, 1, 2 };
	static const uint32_t bias_dims[] = { 1 }, out_dims[] = { 1, 2, 2, 1 };
	const uint32_t inputs[] = { 0, 1, 2, 3, 4, 5, 6 }, outputs[] = { 7 };
	const int32_t valid = ANEURALNETWORKS_PADDING_VALID, one = 1, none = 0, bias = 4;
	const uint8_t weights[] = { 2, 3 }, image[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	ANeuralNetworksOperandType q = { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4, in_dims, 1.0f, 0 };
	ANeuralNetworksOperandType w = { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4, weight_dims, 1.0f,
					 0 };
	ANeuralNetworksOperandType b = { ANEURALNETWORKS_TENSOR_INT32, 1, bias_dims, 1.0f, 0 };
	ANeuralNetworksOperandType o = { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4, out_dims, 2.0f,
					 0 };
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksModel *model = NULL;
	ANeuralNetworksMemory *memory = NULL;
	int fd = memfd_create("weights", MFD_CLOEXEC);
	uint8_t out[4] = { 0 };

	assert_int_equal(write(fd, weights, sizeof(weights)), sizeof(weights));
	OK(ANeuralNetworksMemory_createFromFd(sizeof(weights), PROT_READ, fd, 0, &memory));
	OK(ANeuralNetworksModel_create(&model));
	OK(ANeuralNetworksModel_addOperand(model, &q));
	OK(ANeuralNetworksModel_addOperand(model, &w));
	OK(ANeuralNetworksModel_addOperand(model, &b));
	for (int i = 0; i < 4; i++)
		add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	OK(ANeuralNetworksModel_addOperand(model, &o));
	OK(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, 0, sizeof(weights)));
	ANeuralNetworksMemory_free(memory);
	close(fd);
	OK(ANeuralNetworksModel_setOperandValue(model, 2, &bias, sizeof(bias)));
	OK(ANeuralNetworksModel_setOperandValue(model, 3, &valid, sizeof(valid)));
	OK(ANeuralNetworksModel_setOperandValue(model, 4, &one, sizeof(one)));
	OK(ANeuralNetworksModel_setOperandValue(model, 5, &one, sizeof(one)));
	OK(ANeuralNetworksModel_setOperandValue(model, 6, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 7, inputs, 1,
					     outputs));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, inputs, 1, outputs));
	OK(ANeuralNetworksModel_finish(model));
	compilation = compile(model);
	OK(ANeuralNetworksExecution_create(compilation, &execution));
	OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, image, sizeof(image)));
	OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof(out)));
	OK(ANeuralNetworksExecution_compute(execution));
	/* (2 a + 3 b + 4) / 2 */
	assert_int_equal(out[0], 6);
	assert_int_equal(out[1], 11);
	assert_int_equal(out[2], 16);
	assert_int_equal(out[3], 21);
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compute),
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_reusable),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_start_compute),
		cmocka_unit_test(test_wrong_order),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_fence_events),
		cmocka_unit_test(test_fenced),
		cmocka_unit_test(test_failed_dependency),
		cmocka_unit_test(test_many_waiters),
		cmocka_unit_test(test_convolution),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

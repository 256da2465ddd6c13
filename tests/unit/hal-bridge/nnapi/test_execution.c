// SPDX-License-Identifier: MIT
/* Executions of the NNAPI C API: states, timeouts, threads, loops. */
#include "tests/unit/hal-bridge/nnapi/run.h"

#include <pthread.h>
#include <sys/mman.h>

#include "libnnaccel/support/clock.h"

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

static void test_reusable(void **state)
{
	struct run run;

	run_start(&run, 4);
	OK(ANeuralNetworksExecution_setReusable(run.execution, true));
	run_bind(&run);
	for (int i = 0; i < 8; i++) {
		run.a[0] = i;
		OK(start_and_wait(&run, i % WAYS));
		run_check(&run);
	}
	IS(BAD_STATE,
	   ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, sizeof(run.a)));
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

/* Objects are freed in the wrong order, and an event is not waited for. */
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

	/* Timeouts need a compilation for a device that was chosen. */
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

/* Calls that an execution refuses once it runs or has run, unless it is reusable. */
static void check_too_late(struct run *run)
{
	ANeuralNetworksExecution *e = run->execution;
	ANeuralNetworksMemory *memory = NULL;
	ANeuralNetworksEvent *event = NULL;
	int fd = memfd_create("late", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, 16), 0);
	OK(ANeuralNetworksMemory_createFromFd(16, PROT_READ | PROT_WRITE, fd, 0, &memory));
	IS(BAD_STATE, ANeuralNetworksExecution_setLoopTimeout(e, 1));
	IS(BAD_STATE, ANeuralNetworksExecution_setTimeout(e, 1));
	IS(BAD_STATE, ANeuralNetworksExecution_setMeasureTiming(e, false));
	IS(BAD_STATE, ANeuralNetworksExecution_setReusable(e, true));
	IS(BAD_STATE, ANeuralNetworksExecution_enableInputAndOutputPadding(e, false));
	IS(BAD_STATE, ANeuralNetworksExecution_setInput(e, 0, NULL, run->a, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setOutput(e, 0, NULL, run->out, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 0, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, memory, 0, 16));
	for (int way = 0; way < WAYS; way++) {
		IS(BAD_STATE, start(run, way, &event));
		assert_null(event);
	}
	ANeuralNetworksMemory_free(memory);
	close(fd);
}

static void test_states(void **state)
{
	for (int way = 0; way < WAYS; way++) {
		ANeuralNetworksEvent *event;
		struct run run;

		run_start(&run, 4);
		run_bind(&run);
		OK(start(&run, way, &event));
		check_too_late(&run);
		if (event)
			OK(ANeuralNetworksEvent_wait(event));
		check_too_late(&run);
		run_check(&run);
		ANeuralNetworksEvent_free(event);
		run_stop(&run);
	}
}

/* ---- threads */

struct job {
	struct run *run;
	enum way way;
	int result;
};

static void *run_job(void *arg)
{
	struct job *job = arg;

	job->result = start_and_wait(job->run, job->way);
	return NULL;
}

/* Two threads run one execution: one of them may be told that it is busy. */
static void test_same_execution(void **state)
{
	for (int i = 0; i < 2 * WAYS * WAYS; i++) {
		struct job jobs[2];
		pthread_t threads[2];
		bool reusable = i & 1;
		struct run run;
		int ran = 0;

		run_start(&run, 4);
		run_bind(&run);
		OK(ANeuralNetworksExecution_setReusable(run.execution, reusable));
		for (int j = 0; j < 2; j++) {
			jobs[j] = (struct job){ &run, i / 2 / (j ? WAYS : 1) % WAYS, -1 };
			assert_int_equal(pthread_create(&threads[j], NULL, run_job, &jobs[j]), 0);
		}
		for (int j = 0; j < 2; j++) {
			pthread_join(threads[j], NULL);
			ran += jobs[j].result == ANEURALNETWORKS_NO_ERROR;
			assert_true(jobs[j].result == ANEURALNETWORKS_NO_ERROR ||
				    jobs[j].result == ANEURALNETWORKS_BAD_STATE);
		}
		assert_true(ran == 1 || (reusable && ran == 2));
		run_check(&run);
		run_stop(&run);
	}
}

static void *run_many(void *arg)
{
	struct job *job = arg;
	struct run own = { .model = job->run->model, .compilation = job->run->compilation };

	job->result = -1;
	for (int i = 0; i < 50; i++) {
		if (ANeuralNetworksExecution_create(own.compilation, &own.execution))
			return NULL;
		for (int k = 0; k < 4; k++) {
			own.a[k] = 1000 * (job->way + 1) + i;
			own.b[k] = k;
			own.out[k] = -1;
		}
		if (ANeuralNetworksExecution_setInput(own.execution, 0, NULL, own.a, 16) ||
		    ANeuralNetworksExecution_setInput(own.execution, 1, NULL, own.b, 16) ||
		    ANeuralNetworksExecution_setOutput(own.execution, 0, NULL, own.out, 16) ||
		    start_and_wait(&own, (job->way + i) % WAYS))
			return NULL;
		for (int k = 0; k < 4; k++) {
			if (own.out[k] != own.a[k] + own.b[k])
				return NULL;
		}
		ANeuralNetworksExecution_free(own.execution);
	}
	job->result = 0;
	return NULL;
}

/* Threads with executions of their own share a compilation. */
static void test_same_compilation(void **state)
{
	struct job jobs[3];
	pthread_t threads[3];
	struct run run;

	run_start(&run, 4);
	for (int j = 0; j < 3; j++) {
		jobs[j] = (struct job){ &run, j, -1 };
		assert_int_equal(pthread_create(&threads[j], NULL, run_many, &jobs[j]), 0);
	}
	for (int j = 0; j < 3; j++) {
		pthread_join(threads[j], NULL);
		assert_int_equal(jobs[j].result, 0);
	}
	run_stop(&run);
}

/* ---- loops */

/* while (x == x) x = x + 1, which never ends; x is [1]. */
static ANeuralNetworksModel *endless_model(ANeuralNetworksModel *parts[2])
{
	static const uint32_t one[] = { 1 }, in[] = { 0 }, out[] = { 1 }, twice[] = { 0, 0 };
	static const uint32_t add[] = { 0, 1, 2 }, sum[] = { 3 }, loop[] = { 0, 1, 2 };
	const ANeuralNetworksOperandType part = { .type = ANEURALNETWORKS_MODEL };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	const float step = 1;
	ANeuralNetworksModel *model;

	OK(ANeuralNetworksModel_create(&parts[0]));
	add_tensor(parts[0], ANEURALNETWORKS_TENSOR_FLOAT32, 1, one);
	add_tensor(parts[0], ANEURALNETWORKS_TENSOR_BOOL8, 1, one);
	OK(ANeuralNetworksModel_addOperation(parts[0], ANEURALNETWORKS_EQUAL, 2, twice, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(parts[0], 1, in, 1, out));
	OK(ANeuralNetworksModel_finish(parts[0]));

	OK(ANeuralNetworksModel_create(&parts[1]));
	add_tensor(parts[1], ANEURALNETWORKS_TENSOR_FLOAT32, 1, one);
	add_tensor(parts[1], ANEURALNETWORKS_TENSOR_FLOAT32, 1, one);
	add_tensor(parts[1], ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(parts[1], ANEURALNETWORKS_TENSOR_FLOAT32, 1, one);
	OK(ANeuralNetworksModel_setOperandValue(parts[1], 1, &step, sizeof(step)));
	OK(ANeuralNetworksModel_setOperandValue(parts[1], 2, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(parts[1], ANEURALNETWORKS_ADD, 3, add, 1, sum));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(parts[1], 1, in, 1, sum));
	OK(ANeuralNetworksModel_finish(parts[1]));

	OK(ANeuralNetworksModel_create(&model));
	OK(ANeuralNetworksModel_addOperand(model, &part));
	OK(ANeuralNetworksModel_addOperand(model, &part));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, one);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, one);
	OK(ANeuralNetworksModel_setOperandValueFromModel(model, 0, parts[0]));
	OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, parts[1]));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_WHILE, 3, loop, 1, sum));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (uint32_t[]){ 2 }, 1, sum));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* The limit is of an execution: that of one does not count for the next. */
static void test_loop_timeout(void **state)
{
	static const uint64_t limits[] = { 0, 300000000, 1000000 };
	ANeuralNetworksModel *parts[2];
	ANeuralNetworksModel *model = endless_model(parts);
	ANeuralNetworksCompilation *compilation = compile(model);
	ANeuralNetworksExecution *alone = NULL;
	float in = 0, out = -1;
	int result;

	assert_true(ANeuralNetworks_getDefaultLoopTimeout() == 2000000000);
	assert_true(ANeuralNetworks_getMaximumLoopTimeout() == 15000000000);
	for (int i = 0; i < 3; i++) {
		ANeuralNetworksExecution *execution = NULL;
		uint64_t begin;

		OK(ANeuralNetworksExecution_create(compilation, &execution));
		OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, &in, sizeof(in)));
		OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, &out, sizeof(out)));
		OK(ANeuralNetworksExecution_setLoopTimeout(execution, limits[i]));
		begin = nna_now_ns();
		IS(MISSED_DEADLINE_TRANSIENT, ANeuralNetworksExecution_compute(execution));
		assert_true(nna_now_ns() - begin >= limits[i]);
		assert_true(out == -1);
		ANeuralNetworksExecution_free(execution);
	}
	/*
	 * Alone on the device, it is the job itself that needs longer than the timeout, unless the
	 * machine gives the device no time to compute: the time of a job is that of its threads.
	 */
	OK(ANeuralNetworksExecution_create(compilation, &alone));
	OK(ANeuralNetworksExecution_setInput(alone, 0, NULL, &in, sizeof(in)));
	OK(ANeuralNetworksExecution_setOutput(alone, 0, NULL, &out, sizeof(out)));
	OK(ANeuralNetworksExecution_setTimeout(alone, 500000000));
	result = ANeuralNetworksExecution_compute(alone);
	assert_true(result == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT ||
		    result == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
	assert_true(out == -1);
	ANeuralNetworksExecution_free(alone);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(parts[0]);
	ANeuralNetworksModel_free(parts[1]);
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
		cmocka_unit_test(test_reusable),
		cmocka_unit_test(test_start_compute),
		cmocka_unit_test(test_wrong_order),
		cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_same_execution),
		cmocka_unit_test(test_same_compilation),
		cmocka_unit_test(test_loop_timeout),
		cmocka_unit_test(test_convolution),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

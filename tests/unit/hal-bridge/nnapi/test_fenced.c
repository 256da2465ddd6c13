// SPDX-License-Identifier: MIT
/*
 * Fenced executions of the NNAPI C API: dependencies, and arguments that have to be copied.
 *
 *	test_fenced [--device NAME]
 *
 * On the loopback, which makes no sync fences, no event has one. On a node in-fences and memory are
 * vgem's, and the cases whose in-fences are eventfds, which only the loopback takes, are left out.
 */
#include "tests/unit/hal-bridge/nnapi/run.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demo/gate.h"
#include "tests/unit/libnnaccel/runtime/produce.h"
#include "tests/unit/libnnaccel/runtime/threads.h"

/* Floats of an argument: 64 bytes, so that one after the other need not be copied. */
#define WIDTH 16u
#define SIZE (WIDTH * sizeof(float))
/* More inputs, or outputs, than a device has slots; and as many as it has, with one input. */
#define MANY 70u
#define FEW 60u
/* The most dependencies that a run may have. */
#define MOST 65536u
/*
 * Runs that wait for the same gate, and as many that wait for these. A file of the driver has 256
 * contexts, one for each run.
 */
#define CROWD_LOOPBACK 300u
#define CROWD_NODE 100u

static bool loopback = true;
static int vgem = -1;

/* Outputs of @n floats, each the sum of an input, one after the other, and its own number. */
static ANeuralNetworksModel *sum_model(uint32_t n, uint32_t input_count, uint32_t output_count)
{
	const uint32_t one = 1, act = 0;
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	uint32_t inputs[MANY], outputs[MANY], next = 1;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	OK(ANeuralNetworksModel_setOperandValue(model, act, &none, sizeof(none)));
	for (uint32_t i = 0; i < input_count; i++) {
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
		inputs[i] = next++;
	}
	for (uint32_t i = 0; i < output_count; i++) {
		uint32_t number = next++;
		float value = i;

		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &one);
		OK(ANeuralNetworksModel_setOperandValue(model, number, &value, sizeof(value)));
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
		outputs[i] = next++;
		OK(ANeuralNetworksModel_addOperation(
			model, ANEURALNETWORKS_ADD, 3,
			(uint32_t[]){ inputs[i % input_count], number, act }, 1, &outputs[i]));
	}
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, input_count, inputs, output_count,
							 outputs));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

struct network {
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
};

static void network_begin(struct network *w, ANeuralNetworksModel *model)
{
	w->model = model;
	w->compilation = compile(model);
	OK(ANeuralNetworksExecution_create(w->compilation, &w->execution));
}

static void network_end(struct network *w)
{
	ANeuralNetworksExecution_free(w->execution);
	ANeuralNetworksCompilation_free(w->compilation);
	ANeuralNetworksModel_free(w->model);
}

/* Memory that the device can share. */
struct memory {
	ANeuralNetworksMemory *memory;
	float *map;
	size_t size;
	int fd;
};

static void memory_begin(struct memory *m, size_t size)
{
	m->size = size;
	if (loopback) {
		m->fd = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		assert_int_equal(ftruncate(m->fd, size), 0);
		assert_int_equal(fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	} else {
		m->fd = gate_buffer(vgem, size);
	}
	assert_true(m->fd >= 0);
	m->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	assert_ptr_not_equal(m->map, MAP_FAILED);
	OK(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, m->fd, 0, &m->memory));
}

static void memory_end(struct memory *m)
{
	ANeuralNetworksMemory_free(m->memory);
	munmap(m->map, m->size);
	close(m->fd);
}

/* An event behind a gate that is shut. */
static ANeuralNetworksEvent *gate_event(struct gate *gate)
{
	ANeuralNetworksEvent *event = NULL;

	assert_int_equal(gate_create(gate, vgem), 0);
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(gate->fd, &event));
	return event;
}

/* More inputs than slots: none of them is read before the dependency has signalled. */
static void test_staged_inputs(void **state)
{
	ANeuralNetworksEvent *before, *event = NULL;
	float out[MANY][WIDTH];
	struct gate gate;
	struct network w;
	struct memory m;
	uint32_t wrong = 0;

	network_begin(&w, sum_model(WIDTH, MANY, MANY));
	memory_begin(&m, MANY * SIZE);
	for (uint32_t i = 0; i < MANY; i++) {
		OK(ANeuralNetworksExecution_setInputFromMemory(w.execution, i, NULL, m.memory,
							       i * SIZE, SIZE));
		OK(ANeuralNetworksExecution_setOutput(w.execution, i, NULL, out[i], SIZE));
	}
	before = gate_event(&gate);
	OK(ANeuralNetworksExecution_startComputeWithDependencies(
		w.execution, (const ANeuralNetworksEvent *const *)&before, 1, 0, &event));
	for (uint32_t i = 0; i < MANY * WIDTH; i++)
		m.map[i] = 1000 + i;
	assert_int_equal(gate_open(&gate), 0);
	OK(ANeuralNetworksEvent_wait(event));
	for (uint32_t i = 0; i < MANY; i++)
		wrong += out[i][0] != m.map[i * WIDTH] + i;
	assert_int_equal(wrong, 0);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksEvent_free(before);
	gate_destroy(&gate);
	memory_end(&m);
	network_end(&w);
}

/* The event's fence, once it has signalled, if it has one. */
static bool wait_fence(const ANeuralNetworksEvent *event)
{
	struct pollfd p = { .events = POLLIN };
	int ret = ANeuralNetworksEvent_getSyncFenceFd(event, &p.fd);

	assert_true(ret == ANEURALNETWORKS_NO_ERROR || ret == ANEURALNETWORKS_BAD_DATA);
	assert_int_equal(p.fd >= 0, ret == ANEURALNETWORKS_NO_ERROR);
	if (p.fd < 0)
		return false;
	assert_int_equal(poll(&p, 1, -1), 1);
	close(p.fd);
	return true;
}

/* An output that the device cannot write itself has no fence; another has one that is true. */
static void check_offset(size_t offset)
{
	ANeuralNetworksEvent *event = NULL;
	float in[WIDTH], *out;
	struct network w;
	struct memory m;

	for (uint32_t i = 0; i < WIDTH; i++)
		in[i] = 1 + i;
	network_begin(&w, sum_model(WIDTH, 1, 1));
	memory_begin(&m, 4096);
	out = m.map + offset / sizeof(*out);
	OK(ANeuralNetworksExecution_setInput(w.execution, 0, NULL, in, SIZE));
	OK(ANeuralNetworksExecution_setOutputFromMemory(w.execution, 0, NULL, m.memory, offset,
							SIZE));
	OK(ANeuralNetworksExecution_startComputeWithDependencies(w.execution, NULL, 0, 0, &event));
	assert_int_equal(wait_fence(event), !loopback && offset % 64 == 0);
	if (!loopback && offset % 64 == 0)
		assert_memory_equal(out, in, SIZE);
	OK(ANeuralNetworksEvent_wait(event));
	assert_memory_equal(out, in, SIZE);
	ANeuralNetworksEvent_free(event);
	memory_end(&m);
	network_end(&w);
}

static void test_output_offsets(void **state)
{
	check_offset(0);
	check_offset(32);
	check_offset(64);
	check_offset(4);
}

/* A network with @count outputs, and one that depends on it and reads them all. */
static void chain(uint32_t count, bool fence)
{
	ANeuralNetworksEvent *before, *between = NULL, *event = NULL;
	float in[WIDTH], *out = calloc(count, SIZE);
	struct network first, second;
	struct gate gate;
	struct memory m;
	uint32_t wrong = 0;

	assert_non_null(out);
	for (uint32_t i = 0; i < WIDTH; i++)
		in[i] = 1 + i;
	network_begin(&first, sum_model(WIDTH, 1, count));
	network_begin(&second, sum_model(count * WIDTH, 1, 1));
	memory_begin(&m, count * SIZE);
	OK(ANeuralNetworksExecution_setInput(first.execution, 0, NULL, in, SIZE));
	for (uint32_t i = 0; i < count; i++)
		OK(ANeuralNetworksExecution_setOutputFromMemory(first.execution, i, NULL, m.memory,
								i * SIZE, SIZE));
	OK(ANeuralNetworksExecution_setInputFromMemory(second.execution, 0, NULL, m.memory, 0,
						       count * SIZE));
	OK(ANeuralNetworksExecution_setOutput(second.execution, 0, NULL, out, count * SIZE));
	before = gate_event(&gate);
	OK(ANeuralNetworksExecution_startComputeWithDependencies(
		first.execution, (const ANeuralNetworksEvent *const *)&before, 1, 0, &between));
	OK(ANeuralNetworksExecution_startComputeWithDependencies(
		second.execution, (const ANeuralNetworksEvent *const *)&between, 1, 0, &event));
	assert_int_equal(gate_open(&gate), 0);
	OK(ANeuralNetworksEvent_wait(event));
	for (uint32_t i = 0; i < count; i++)
		wrong += out[i * WIDTH] != in[0] + i;
	assert_int_equal(wrong, 0);
	assert_int_equal(wait_fence(between), fence);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksEvent_free(between);
	ANeuralNetworksEvent_free(before);
	gate_destroy(&gate);
	memory_end(&m);
	network_end(&first);
	network_end(&second);
	free(out);
}

static void test_chained_outputs(void **state)
{
	chain(FEW, !loopback);
	chain(66, false);
}

/*
 * Half of the runs read memory that has to be copied, behind a gate, and one each of the other half
 * reads what one of these writes. One thread waits for all of them.
 */
static void test_crowd(void **state)
{
	static float in[CROWD_LOOPBACK][WIDTH], between[CROWD_LOOPBACK][WIDTH];
	static float out[CROWD_LOOPBACK][WIDTH];
	static struct network first[CROWD_LOOPBACK], second[CROWD_LOOPBACK];
	static ANeuralNetworksEvent *events[CROWD_LOOPBACK], *last[CROWD_LOOPBACK];
	const uint32_t crowd = loopback ? CROWD_LOOPBACK : CROWD_NODE;
	ANeuralNetworksModel *model = sum_model(WIDTH, 1, 1);
	ANeuralNetworksCompilation *compilation = compile(model);
	ANeuralNetworksEvent *before;
	uint32_t threads, wrong = 0;
	struct gate gate;
	struct memory m;

	memory_begin(&m, crowd * SIZE + 4);
	for (uint32_t i = 0; i < crowd; i++) {
		OK(ANeuralNetworksExecution_create(compilation, &first[i].execution));
		OK(ANeuralNetworksExecution_create(compilation, &second[i].execution));
		OK(ANeuralNetworksExecution_setInputFromMemory(first[i].execution, 0, NULL,
							       m.memory, i * SIZE + 4, SIZE));
		OK(ANeuralNetworksExecution_setOutput(first[i].execution, 0, NULL, between[i],
						      SIZE));
		OK(ANeuralNetworksExecution_setInput(second[i].execution, 0, NULL, between[i],
						     SIZE));
		OK(ANeuralNetworksExecution_setOutput(second[i].execution, 0, NULL, out[i], SIZE));
	}
	/* A gate of vgem fails after ten seconds, so that all else is done before. */
	before = gate_event(&gate);
	threads = thread_count();
	for (uint32_t i = 0; i < crowd; i++) {
		const ANeuralNetworksEvent *dependency = before;

		OK(ANeuralNetworksExecution_startComputeWithDependencies(
			first[i].execution, &dependency, 1, 0, &events[i]));
		dependency = events[i];
		OK(ANeuralNetworksExecution_startComputeWithDependencies(
			second[i].execution, &dependency, 1, 0, &last[i]));
	}
	threads = thread_count() - threads;
	for (uint32_t i = 0; i < crowd; i++)
		for (uint32_t k = 0; k < WIDTH; k++)
			in[i][k] = 1 + i * WIDTH + k;
	produce_bytes((char *)m.map + 4, in, crowd * SIZE);
	assert_int_equal(gate_open(&gate), 0);
	for (uint32_t i = 0; i < crowd; i++) {
		OK(ANeuralNetworksEvent_wait(last[i]));
		wrong += memcmp(out[i], in[i], SIZE) != 0;
	}
	assert_int_equal(wrong, 0);
	assert_true(threads <= 1);
	for (uint32_t i = 0; i < crowd; i++) {
		ANeuralNetworksEvent_free(last[i]);
		ANeuralNetworksEvent_free(events[i]);
		ANeuralNetworksExecution_free(first[i].execution);
		ANeuralNetworksExecution_free(second[i].execution);
	}
	ANeuralNetworksEvent_free(before);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	gate_destroy(&gate);
	memory_end(&m);
}

/* ---- in-fences that only the loopback takes */

/* Whether @value is 0 still. Nothing orders this read, so ThreadSanitizer leaves it out. */
static __attribute__((no_sanitize_thread, noipa)) bool untouched(const float *value)
{
	return *value == 0;
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
	/* A second one reads the result of the first one from its user pointer. */
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
	assert_true(untouched(run.out) && untouched(second.out));
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

/*
 * A run that fails before all of its dependencies have ended may be the last to hold one of them;
 * others do not have to wait until that has ended, too.
 */
static void test_early_failure(void **state)
{
	ANeuralNetworksEvent *broken = NULL, *gates[2] = { NULL }, *held = NULL, *event = NULL;
	int pipe_fds[2], fences[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) };
	const ANeuralNetworksEvent *dependencies[2];
	static struct run runs[3];
	struct memory m;

	memory_begin(&m, 4096);
	assert_int_equal(pipe(pipe_fds), 0);
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(pipe_fds[0], &broken));
	for (int i = 0; i < 2; i++)
		OK(ANeuralNetworksEvent_createFromSyncFenceFd(fences[i], &gates[i]));
	for (int i = 0; i < 3; i++) {
		run_start(&runs[i], 4);
		if (i < 2)
			run_bind(&runs[i]);
	}
	/* The device waits with the first run; the second one depends on its end. */
	dependencies[0] = gates[0];
	OK(ANeuralNetworksExecution_startComputeWithDependencies(runs[0].execution, dependencies, 1,
								 0, &held));
	dependencies[0] = broken;
	dependencies[1] = held;
	OK(ANeuralNetworksExecution_startComputeWithDependencies(runs[1].execution, dependencies, 2,
								 0, &event));
	close(pipe_fds[1]);
	IS(OP_FAILED, ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
	OK(ANeuralNetworksExecution_setInputFromMemory(runs[2].execution, 0, NULL, m.memory, 4,
						       sizeof(float[4])));
	OK(ANeuralNetworksExecution_setInput(runs[2].execution, 1, NULL, runs[2].b,
					     sizeof(runs[2].b)));
	OK(ANeuralNetworksExecution_setOutput(runs[2].execution, 0, NULL, runs[2].out,
					      sizeof(runs[2].out)));
	memset(runs[2].a, 0, sizeof(runs[2].a));
	dependencies[0] = gates[1];
	OK(ANeuralNetworksExecution_startComputeWithDependencies(runs[2].execution, dependencies, 1,
								 0, &event));
	signal_fd(fences[1]);
	OK(ANeuralNetworksEvent_wait(event));
	run_check(&runs[2]);
	ANeuralNetworksEvent_free(event);
	signal_fd(fences[0]);
	/* The first one has not suffered. */
	ANeuralNetworksEvent_free(held);
	run_check(&runs[0]);
	for (int i = 0; i < 3; i++)
		run_stop(&runs[i]);
	for (int i = 0; i < 2; i++) {
		ANeuralNetworksEvent_free(gates[i]);
		close(fences[i]);
	}
	ANeuralNetworksEvent_free(broken);
	memory_end(&m);
	close(pipe_fds[0]);
}

/* The longest timeout there is, and the shortest in a fenced run that has to wait. */
static void test_fenced_timeouts(void **state)
{
	ANeuralNetworksEvent *before = NULL, *event = NULL;
	int fence = eventfd(0, EFD_CLOEXEC);
	const ANeuralNetworksEvent *dependency;
	const uint64_t one = 1;
	uint64_t times[4];
	struct run run;

	for (int way = 0; way < WAYS; way++) {
		run_start(&run, 4);
		OK(ANeuralNetworksExecution_setTimeout(run.execution, UINT64_MAX));
		run_bind(&run);
		OK(start_and_wait(&run, way));
		run_check(&run);
		run_stop(&run);
	}
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &before));
	dependency = before;
	run_start(&run, 4);
	run_bind(&run);
	OK(ANeuralNetworksExecution_setMeasureTiming(run.execution, true));
	/* A duration counts from the signal on; the wait before it is free. */
	OK(ANeuralNetworksExecution_startComputeWithDependencies(run.execution, &dependency, 1,
								 5000000000ull, &event));
	usleep(10000);
	assert_int_equal(write(fence, &one, sizeof(one)), sizeof(one));
	OK(ANeuralNetworksEvent_wait(event));
	run_check(&run);
	for (int code = 0; code < 4; code++)
		OK(ANeuralNetworksExecution_getDuration(run.execution, code, &times[code]));
	assert_true(times[2] == times[0] && times[2] <= times[3] && times[3] <= times[1]);
	ANeuralNetworksEvent_free(event);
	run_stop(&run);

	run_start(&run, 4);
	run_bind(&run);
	OK(ANeuralNetworksExecution_startComputeWithDependencies(run.execution, &dependency, 1, 1,
								 &event));
	IS(MISSED_DEADLINE_TRANSIENT, ANeuralNetworksEvent_wait(event));
	assert_true(run.out[0] == 0);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksEvent_free(before);
	close(fence);
	run_stop(&run);
}

/* What is refused for its number is refused before any of the dependencies is looked at. */
static void test_dependency_count(void **state)
{
	const long page = sysconf(_SC_PAGESIZE);
	const ANeuralNetworksEvent **dependencies;
	ANeuralNetworksEvent *ended = NULL, *event = NULL;
	struct run run;
	char *map;
	int fence = eventfd(1, EFD_CLOEXEC);

	/* The last page is not readable: whoever reads more than there are is caught. */
	map = mmap(NULL, MOST * sizeof(*dependencies) + page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(mprotect(map + MOST * sizeof(*dependencies), page, PROT_NONE), 0);
	dependencies = (const ANeuralNetworksEvent **)map;
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &ended));
	for (uint32_t i = 0; i < MOST; i++)
		dependencies[i] = ended;
	run_start(&run, 4);
	run_bind(&run);
	IS(BAD_DATA, ANeuralNetworksExecution_startComputeWithDependencies(
			     run.execution, dependencies, UINT32_MAX, 0, &event));
	assert_null(event);
	IS(BAD_DATA, ANeuralNetworksExecution_startComputeWithDependencies(
			     run.execution, dependencies, MOST + 1, 0, &event));
	assert_null(event);
	/* The execution has not been started by these, and the most that there may be are fine. */
	OK(ANeuralNetworksExecution_startComputeWithDependencies(run.execution, dependencies, MOST,
								 0, &event));
	OK(ANeuralNetworksEvent_wait(event));
	run_check(&run);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksEvent_free(ended);
	close(fence);
	munmap(map, MOST * sizeof(*dependencies) + page);
	run_stop(&run);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_staged_inputs),
		cmocka_unit_test(test_output_offsets),
		cmocka_unit_test(test_chained_outputs),
		cmocka_unit_test(test_crowd),
	};
	const struct CMUnitTest loopback_tests[] = {
		cmocka_unit_test(test_fenced),
		cmocka_unit_test(test_failed_dependency),
		cmocka_unit_test(test_early_failure),
		cmocka_unit_test(test_fenced_timeouts),
		cmocka_unit_test(test_dependency_count),
	};
	int failed;

	use_loopback();
	if (argc == 3 && !strcmp(argv[1], "--device")) {
		setenv("NNACCEL_DEVICE", argv[2], 1);
		loopback = !strcmp(argv[2], "loopback");
	}
	if (!loopback)
		vgem = gate_open_vgem();
	if (!loopback && vgem < 0) {
		fprintf(stderr, "%s: no vgem for in-fences: modprobe vgem\n", argv[0]);
		return 1;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (loopback)
		failed += cmocka_run_group_tests(loopback_tests, NULL, NULL);
	return failed;
}

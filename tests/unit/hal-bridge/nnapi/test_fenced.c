// SPDX-License-Identifier: MIT
/*
 * Fenced executions of the NNAPI C API whose arguments have to be copied.
 *
 *   test_fenced [--device NAME]
 *
 * On the loopback, which makes no sync fences, no event has one. On a node in-fences and memory are
 * vgem's.
 */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demo/gate.h"

/* Floats of an argument: 64 bytes, so that one after the other need not be copied. */
#define WIDTH 16u
#define SIZE (WIDTH * sizeof(float))
/* More inputs, or outputs, than a device has slots; and as many as it has, with one input. */
#define MANY 70u
#define FEW 60u

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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_staged_inputs),
		cmocka_unit_test(test_output_offsets),
		cmocka_unit_test(test_chained_outputs),
	};

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
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * Executions behind in-fences and ahead of others: what is copied must be read after the one and
 * before the other.
 *
 *	test_fence [--device NAME]
 *
 * The loopback makes no sync_files. Here it is given fds that signal when the device's job has
 * ended, which is what a sync_file does, so that everything but the kernel is the same on both.
 * On a node in-fences are sync_files of vgem.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/support/clock.h"
#include "tests/unit/libnnaccel/loopback.h"
#include "tests/unit/libnnaccel/runtime/gated.h"
#include "tests/unit/libnnaccel/runtime/produce.h"

/* Floats of an argument: 64 bytes, so that one after the other can be direct. */
#define WIDTH 16u
/* More inputs, or outputs, than a device has slots. */
#define MANY 70u
/* More in-fences than a submission to the driver may have, and those that fit with one too many. */
#define MANY_FENCES 300u
#define MOST_FENCES 127u

static bool loopback = true;

/* ------------------------------------------------------------------- sync_files of the loopback */

#define MAX_EXPORTS 64u

static const struct nna_winsys_ops *real_ops;
static struct nna_winsys_ops ops;
static struct exported {
	struct nna_winsys *ws;
	struct nna_fence *fence;
	pthread_t thread;
	int fd;
} exports[MAX_EXPORTS];

static void *signal_export(void *arg)
{
	struct exported *e = arg;

	real_ops->fence_wait(e->ws, e->fence, INT64_MAX);
	eventfd_write(e->fd, 1);
	return NULL;
}

static int export_fence(struct nna_winsys *ws, struct nna_fence *fence)
{
	struct exported *e = exports;

	while (e->fence)
		assert_true(++e < exports + MAX_EXPORTS);
	*e = (struct exported){ .ws = ws, .fence = fence, .fd = eventfd(0, EFD_CLOEXEC) };
	nna_fence_get(fence);
	assert_int_equal(pthread_create(&e->thread, NULL, signal_export, e), 0);
	return dup(e->fd);
}

static int open_fenced(void **state)
{
	struct nna_device *device;

	if (open_named(state))
		return -1;
	device = *state;
	if (loopback) {
		real_ops = device->ws->ops;
		ops = *real_ops;
		ops.fence_export = export_fence;
		device->ws->ops = &ops;
	}
	return 0;
}

static int close_fenced(void **state)
{
	for (struct exported *e = exports; e < exports + MAX_EXPORTS && e->fence; e++) {
		pthread_join(e->thread, NULL);
		close(e->fd);
		nna_fence_put(e->fence);
		e->fence = NULL;
	}
	return close_device(state);
}

/* --------------------------------------------------------------------------------------- graphs */

static uint32_t operand(struct nna_graph *g, uint32_t type, uint32_t rank, const uint32_t *dims)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };
	int ret = nna_graph_add_operand(g, 0, &desc);

	assert_true(ret >= 0);
	return ret;
}

/* Outputs of @n floats, each the sum of an input, one after the other, and its own number. */
static struct nna_graph *sum_graph(uint32_t n, uint32_t input_count, uint32_t output_count)
{
	const uint32_t one = 1;
	const int32_t none = 0;
	uint32_t inputs[MANY], outputs[MANY], act;
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	act = operand(g, NNA_OPERAND_INT32, 0, NULL);
	assert_int_equal(nna_graph_set_constant(g, 0, act, &none, sizeof(none), false), 0);
	for (uint32_t i = 0; i < input_count; i++)
		inputs[i] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n);
	for (uint32_t i = 0; i < output_count; i++) {
		uint32_t number = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &one);
		float value = i;

		outputs[i] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n);
		assert_int_equal(
			nna_graph_set_constant(g, 0, number, &value, sizeof(value), false), 0);
		assert_int_equal(nna_graph_add_operation(
					 g, 0, NNA_OPERATION_ADD, 3,
					 (uint32_t[]){ inputs[i % input_count], number, act }, 1,
					 &outputs[i]),
				 0);
	}
	assert_int_equal(nna_graph_set_io(g, 0, input_count, inputs, output_count, outputs), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

struct network {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
};

static void network_begin(struct network *w, struct nna_device *device, struct nna_graph *graph)
{
	w->graph = graph;
	assert_int_equal(nna_program_create(device, graph, NULL, &w->program), 0);
	assert_int_equal(nna_execution_create(w->program, &w->execution), 0);
}

static void network_end(struct network *w)
{
	nna_execution_destroy(w->execution);
	nna_program_destroy(w->program);
	nna_graph_unref(w->graph);
}

/* --------------------------------------------------------------------------------------- fences */

/*
 * A producer on the CPU: it writes and opens its gate as soon as the submission behind that gate
 * has returned, or sleeps because it waits for it. Both are events; no time is involved.
 */
struct producer {
	struct gate gate;
	pthread_t thread;
	pid_t consumer;
	atomic_bool submitted;
	void *to;
	const void *from;
	size_t size;
};

/* Whether a thread of ours sleeps. */
static bool sleeps(pid_t thread)
{
	char path[64], stat[256] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(stat, 1, sizeof(stat) - 1, file) > 0);
	fclose(file);
	state = strrchr(stat, ')');
	return state && !strncmp(state, ") S", 3);
}

static void *produce(void *arg)
{
	struct producer *p = arg;

	while (!atomic_load(&p->submitted) && !sleeps(p->consumer))
		sched_yield();
	produce_bytes(p->to, p->from, p->size);
	gate_open(&p->gate);
	return NULL;
}

static void producer_begin(struct producer *p, void *to, const void *from, size_t size)
{
	*p = (struct producer){ .to = to, .from = from, .size = size };
	p->consumer = syscall(SYS_gettid);
	assert_int_equal(gate_create(&p->gate, vgem), 0);
	assert_int_equal(pthread_create(&p->thread, NULL, produce, p), 0);
}

static void producer_end(struct producer *p)
{
	atomic_store(&p->submitted, true);
	pthread_join(p->thread, NULL);
	gate_destroy(&p->gate);
}

static void wait_fd(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (poll(&p, 1, -1) < 0)
		assert_int_equal(errno, EINTR);
}

/* ---------------------------------------------------------------------------------------- tests */

/*
 * More inputs than slots, in the first run: none of them is read before the in-fence has signalled.
 */
static void test_staged_inputs(void **state)
{
	float numbers[MANY][WIDTH], out[MANY][WIDTH];
	struct nna_buffer *buffer;
	struct nna_fence *fence;
	struct producer p;
	struct network w;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < MANY * WIDTH; i++)
		numbers[i / WIDTH][i % WIDTH] = 1000 + i;
	network_begin(&w, *state, sum_graph(WIDTH, MANY, MANY));
	assert_int_equal(nna_buffer_create(*state, sizeof(numbers), &buffer), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(nna_execution_set_input_buffer(w.execution, i, 0, NULL, buffer,
								i * sizeof(numbers[0]),
								sizeof(numbers[0])),
				 0);
		assert_int_equal(nna_execution_set_output(w.execution, i, 0, NULL, out[i],
							  sizeof(out[0])),
				 0);
	}
	producer_begin(&p, nna_buffer_map(buffer), numbers, sizeof(numbers));
	assert_int_equal(nna_execution_submit(w.execution, &p.gate.fd, 1, &fence), 0);
	producer_end(&p);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	for (uint32_t i = 0; i < MANY; i++)
		wrong += out[i][0] != numbers[i][0] + i ||
			 out[i][WIDTH - 1] != numbers[i][WIDTH - 1] + i;
	assert_int_equal(wrong, 0);
	nna_fence_destroy(fence);
	network_end(&w);
	nna_buffer_destroy(buffer);
}

/*
 * When the exported fd is signalled, the output is where it belongs. Where that would take a copy,
 * there is no fd.
 */
static void test_output_offsets(void **state)
{
	static const size_t offsets[] = { 0, 32, 64, 4, 128 };
	float in[WIDTH], *out;
	struct nna_buffer *buffer;
	struct network w;

	for (uint32_t i = 0; i < WIDTH; i++)
		in[i] = 1 + i;
	network_begin(&w, *state, sum_graph(WIDTH, 1, 1));
	assert_int_equal(nna_buffer_create(*state, 4096, &buffer), 0);
	assert_int_equal(nna_execution_set_input(w.execution, 0, 0, NULL, in, sizeof(in)), 0);
	for (uint32_t k = 0; k < sizeof(offsets) / sizeof(offsets[0]); k++) {
		struct nna_fence *fence;
		int fd;

		out = (float *)((char *)nna_buffer_map(buffer) + offsets[k]);
		memset(nna_buffer_map(buffer), 0, 4096);
		assert_int_equal(nna_execution_set_output_buffer(w.execution, 0, 0, NULL, buffer,
								 offsets[k], sizeof(in)),
				 0);
		assert_int_equal(nna_execution_submit(w.execution, NULL, 0, &fence), 0);
		fd = nna_fence_export(fence);
		if (fd >= 0) {
			wait_fd(fd);
			assert_memory_equal(out, in, sizeof(in));
			close(fd);
		}
		assert_int_equal(fd >= 0 ? 0 : fd, offsets[k] % 64 ? -ENOTSUP : 0);
		assert_int_equal(nna_fence_wait(fence, -1), 0);
		assert_memory_equal(out, in, sizeof(in));
		nna_fence_destroy(fence);
	}
	network_end(&w);
	nna_buffer_destroy(buffer);
}

/* A network with @count outputs, and behind it one that reads them all. */
static void chain(struct nna_device *device, uint32_t count, int expected)
{
	size_t size = count * WIDTH * sizeof(float);
	float in[WIDTH], *out = calloc(1, size);
	struct nna_fence *first_fence, *fence;
	struct network first, second;
	struct nna_buffer *buffer;
	uint32_t wrong = 0;
	int fd;

	assert_non_null(out);
	for (uint32_t i = 0; i < WIDTH; i++)
		in[i] = 1 + i;
	network_begin(&first, device, sum_graph(WIDTH, 1, count));
	network_begin(&second, device, sum_graph(count * WIDTH, 1, 1));
	assert_int_equal(nna_buffer_create(device, size, &buffer), 0);
	assert_int_equal(nna_execution_set_input(first.execution, 0, 0, NULL, in, sizeof(in)), 0);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(nna_execution_set_output_buffer(first.execution, i, 0, NULL,
								 buffer, i * sizeof(in),
								 sizeof(in)),
				 0);
	assert_int_equal(nna_execution_set_input_buffer(second.execution, 0, 0, NULL, buffer, 0,
							size),
			 0);
	assert_int_equal(nna_execution_set_output(second.execution, 0, 0, NULL, out, size), 0);
	assert_int_equal(nna_execution_submit(first.execution, NULL, 0, &first_fence), 0);
	fd = nna_fence_export(first_fence);
	/* Without a fence the outputs are there when the run has been waited for. */
	if (fd < 0)
		assert_int_equal(nna_fence_wait(first_fence, -1), 0);
	assert_int_equal(nna_execution_submit(second.execution, &fd, fd >= 0, &fence), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	for (uint32_t i = 0; i < count; i++)
		wrong += out[i * WIDTH] != in[0] + i;
	assert_int_equal(wrong, 0);
	assert_int_equal(fd >= 0 ? 0 : fd, expected);
	assert_int_equal(nna_fence_wait(first_fence, -1), 0);
	if (fd >= 0)
		close(fd);
	nna_fence_destroy(first_fence);
	nna_fence_destroy(fence);
	network_end(&first);
	network_end(&second);
	nna_buffer_destroy(buffer);
	free(out);
}

static void test_chained_outputs(void **state)
{
	struct nna_device_info info;

	nna_device_get_info(*state, &info);
	/* With the input as many as there are slots, besides three of the program's own. */
	chain(*state, info.max_slots - 4, 0);
	chain(*state, info.max_slots - 3, -ENOTSUP);
	chain(*state, 66, -ENOTSUP);
}

/* out = the input in the shape that a second input has, of which nothing is known before a run. */
static struct nna_graph *reshape_graph(void)
{
	const uint32_t unknown[2] = { 0, 0 }, two = 2;
	uint32_t io[2], out;
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	io[0] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, unknown);
	io[1] = operand(g, NNA_OPERAND_TENSOR_INT32, 1, &two);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, unknown);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_RESHAPE, 2, io, 1, &out), 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, io, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

/* An input that decides about shapes is read by the compiler: behind the in-fence, too. */
static void test_shape_input(void **state)
{
	const int32_t shapes[][2] = { { 4, 4 }, { 2, 8 }, { 4, 4 } };
	const uint32_t width = WIDTH;
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	float in[WIDTH] = { 1, 2, 3 }, out[WIDTH];
	struct nna_buffer *buffer;
	struct nna_fence *fence;
	struct gate gate;
	struct network w;
	int32_t shape[2];

	network_begin(&w, *state, reshape_graph());
	assert_int_equal(nna_buffer_create(*state, 64, &buffer), 0);
	assert_int_equal(nna_execution_set_input(w.execution, 0, 1, &width, in, sizeof(in)), 0);
	assert_int_equal(nna_execution_set_input_buffer(w.execution, 1, 0, NULL, buffer, 0, 8), 0);
	assert_int_equal(nna_execution_set_output(w.execution, 0, 0, NULL, out, sizeof(out)), 0);
	for (uint32_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		struct producer p;

		producer_begin(&p, nna_buffer_map(buffer), shapes[k], sizeof(shapes[k]));
		assert_int_equal(nna_execution_submit(w.execution, &p.gate.fd, 1, &fence), 0);
		producer_end(&p);
		assert_int_equal(nna_fence_wait(fence, -1), 0);
		assert_int_equal(nna_execution_get_output_dims(w.execution, 0, &rank, dims), 0);
		assert_int_equal(dims[0], shapes[k][0]);
		assert_memory_equal(out, in, sizeof(in));
		nna_fence_destroy(fence);
	}
	/* What is in the caller's memory is read at the submission, which waits for nothing. */
	memset(out, 0, sizeof(out));
	memcpy(shape, shapes[1], sizeof(shape));
	assert_int_equal(nna_execution_set_input(w.execution, 1, 0, NULL, shape, sizeof(shape)), 0);
	assert_int_equal(gate_create(&gate, vgem), 0);
	assert_int_equal(nna_execution_submit(w.execution, &gate.fd, 1, &fence), 0);
	memset(shape, 0, sizeof(shape));
	assert_int_equal(gate_open(&gate), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	assert_int_equal(nna_execution_get_output_dims(w.execution, 0, &rank, dims), 0);
	assert_int_equal(dims[0], shapes[1][0]);
	assert_memory_equal(out, in, sizeof(in));
	nna_fence_destroy(fence);
	gate_destroy(&gate);
	network_end(&w);
	nna_buffer_destroy(buffer);
}

/* An fd that says that what it stands for has failed. */
static int failed_fence(struct nna_device *device)
{
	float in[WIDTH] = { 0 };
	struct nna_buffer *buffer;
	struct nna_fence *fence;
	struct network w;
	int fds[2], fd;

	if (loopback) {
		/* Writing to nobody is an error. */
		assert_int_equal(pipe(fds), 0);
		close(fds[0]);
		return fds[1];
	}
	network_begin(&w, device, sum_graph(WIDTH, 1, 1));
	assert_int_equal(nna_buffer_create(device, 4096, &buffer), 0);
	assert_int_equal(nna_execution_set_input(w.execution, 0, 0, NULL, in, sizeof(in)), 0);
	assert_int_equal(nna_execution_set_output_buffer(w.execution, 0, 0, NULL, buffer, 0,
							 sizeof(in)),
			 0);
	assert_int_equal(nna_execution_set_deadline(w.execution, 1), 0);
	assert_int_equal(nna_execution_submit(w.execution, NULL, 0, &fence), 0);
	fd = nna_fence_export(fence);
	assert_true(fd >= 0);
	assert_int_equal(nna_fence_wait(fence, -1), -ETIMEDOUT);
	nna_fence_destroy(fence);
	network_end(&w);
	nna_buffer_destroy(buffer);
	return fd;
}

/*
 * In-fences that fail, are no fences, or do not signal before the deadline: a run whose input is
 * copied (@offset 4) ends as one whose input is not (0), and the next one is a run like any other.
 */
static void check_failures(struct nna_device *device, size_t offset)
{
	float in[WIDTH], out[WIDTH] = { 0 };
	struct nna_buffer *buffer;
	struct nna_fence *fence;
	struct network w;
	struct gate gate;
	int fd = failed_fence(device), not_open = 1000000;

	for (uint32_t i = 0; i < WIDTH; i++)
		in[i] = 1 + i;
	network_begin(&w, device, sum_graph(WIDTH, 1, 1));
	assert_int_equal(nna_buffer_create(device, 4096, &buffer), 0);
	memcpy((char *)nna_buffer_map(buffer) + offset, in, sizeof(in));
	assert_int_equal(nna_execution_get_input_route(w.execution, 0), -EINVAL);
	assert_int_equal(nna_execution_set_input_buffer(w.execution, 0, 0, NULL, buffer, offset,
							sizeof(in)),
			 0);
	assert_int_equal(nna_execution_get_input_route(w.execution, 0),
			 offset ? NNA_ROUTE_STAGED_OWN : NNA_ROUTE_DIRECT);
	assert_int_equal(nna_execution_get_input_route(w.execution, 1), -EINVAL);
	assert_int_equal(nna_execution_set_output(w.execution, 0, 0, NULL, out, sizeof(out)), 0);

	assert_int_equal(nna_execution_submit(w.execution, &fd, 1, &fence), 0);
	assert_true(nna_fence_wait(fence, -1) < 0);
	assert_int_equal(nna_fence_export(fence), -ENOTSUP);
	assert_true(out[0] == 0);
	nna_fence_destroy(fence);
	close(fd);

	assert_true(nna_execution_submit(w.execution, &not_open, 1, &fence) < 0);

	assert_int_equal(gate_create(&gate, vgem), 0);
	assert_int_equal(nna_execution_set_deadline(w.execution, nna_now_ns() + 10000000), 0);
	assert_int_equal(nna_execution_submit(w.execution, &gate.fd, 1, &fence), 0);
	/* A run that the device is to wait with ends behind the gate. */
	while (nna_now_ns() < w.execution->deadline_ns)
		sched_yield();
	gate_open(&gate);
	assert_int_equal(nna_fence_wait(fence, -1), -ETIMEDOUT);
	assert_true(out[0] == 0);
	nna_fence_destroy(fence);
	gate_destroy(&gate);

	assert_int_equal(nna_execution_set_deadline(w.execution, 0), 0);
	assert_int_equal(nna_execution_submit(w.execution, NULL, 0, &fence), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	assert_memory_equal(out, in, sizeof(in));
	nna_fence_destroy(fence);
	network_end(&w);
	nna_buffer_destroy(buffer);
}

/* A run behind @count in-fences: it ends when the last has signalled, or if one has failed. */
static void check_many(struct nna_device *device, uint32_t count)
{
	const uint32_t bad[] = { 0, count / 2, count - 1 };
	struct gate gates[MANY_FENCES];
	float in[WIDTH], out[WIDTH] = { 0 };
	int fds[MANY_FENCES], failed = failed_fence(device);
	struct nna_fence *fence;
	struct network w;

	for (uint32_t i = 0; i < WIDTH; i++)
		in[i] = 1 + i;
	network_begin(&w, device, sum_graph(WIDTH, 1, 1));
	assert_int_equal(nna_execution_set_input(w.execution, 0, 0, NULL, in, sizeof(in)), 0);
	assert_int_equal(nna_execution_set_output(w.execution, 0, 0, NULL, out, sizeof(out)), 0);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(gate_create(&gates[i], vgem), 0);
		fds[i] = gates[i].fd;
	}
	assert_int_equal(nna_execution_submit(w.execution, fds, count, &fence), 0);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(nna_fence_wait(fence, 0), -ETIME);
		assert_int_equal(gate_open(&gates[(i + count / 2) % count]), 0);
	}
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	assert_memory_equal(out, in, sizeof(in));
	nna_fence_destroy(fence);
	/* One that has failed, among those that have signalled. */
	memset(out, 0, sizeof(out));
	for (uint32_t k = 0; k < 3; k++) {
		fds[bad[k]] = failed;
		assert_int_equal(nna_execution_submit(w.execution, fds, count, &fence), 0);
		assert_true(nna_fence_wait(fence, -1) < 0);
		assert_true(out[0] == 0);
		nna_fence_destroy(fence);
		fds[bad[k]] = gates[bad[k]].fd;
	}
	for (uint32_t i = 0; i < count; i++)
		gate_destroy(&gates[i]);
	close(failed);
	network_end(&w);
}

static void test_many_fences(void **state)
{
	check_many(*state, MOST_FENCES);
	check_many(*state, MOST_FENCES + 1);
	check_many(*state, MANY_FENCES);
}

static void test_failed_fences(void **state)
{
	check_failures(*state, 0);
	check_failures(*state, 4);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fenced, close_fenced)
	const struct CMUnitTest tests[] = {
		TEST(test_staged_inputs), TEST(test_output_offsets), TEST(test_chained_outputs),
		TEST(test_shape_input),	  TEST(test_failed_fences),  TEST(test_many_fences),
	};

	if (!gated_begin(argc, argv))
		return 1;
	loopback = !strcmp(device_name, "loopback");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

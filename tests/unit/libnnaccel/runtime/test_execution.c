// SPDX-License-Identifier: MIT
/* Executions on the loopback: results, bindings, fences, errors, state. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "libnnaccel/runtime/runtime.h"
#include "tests/unit/libnnaccel/loopback.h"

static uint32_t operand(struct nna_graph *g, uint32_t type, uint32_t rank, const uint32_t *dims,
			float scale, int32_t zero_point)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims, .scale = scale,
					 .zero_point = zero_point };
	int ret = nna_graph_add_operand(g, 0, &desc);

	assert_true(ret >= 0);
	return ret;
}

static uint32_t scalar(struct nna_graph *g, int32_t value)
{
	uint32_t o = operand(g, NNA_OPERAND_INT32, 0, NULL, 0, 0);

	assert_int_equal(nna_graph_set_constant(g, 0, o, &value, sizeof(value), false), 0);
	return o;
}

/* out = a + b on float vectors of @n, or of unknown length for 0. */
static struct nna_graph *add_graph(uint32_t n)
{
	struct nna_graph *g;
	uint32_t a, b, act, out;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	a = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	b = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	act = scalar(g, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ a, b, act }, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ a, b }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

static void test_add(void **state)
{
	struct nna_graph *g = add_graph(100);
	struct nna_program *p;
	struct nna_execution *e;
	struct nna_timing timing;
	float a[100], b[100], out[100];

	for (int i = 0; i < 100; i++) {
		a[i] = i;
		b[i] = 0.5f * i;
	}
	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, a, sizeof(a)), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, b, sizeof(b)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	for (int run = 0; run < 3; run++) {
		a[0] = run;
		memset(out, 0xff, sizeof(out));
		assert_int_equal(nna_execution_compute(e), 0);
		for (int i = 0; i < 100; i++)
			assert_true(out[i] == a[i] + b[i]);
	}
	assert_int_equal(nna_execution_get_timing(e, &timing), 0);
	assert_true(timing.begin <= timing.end && timing.commands >= 1);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* An execution of a + b on @n floats, with everything bound. */
struct sum {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	uint32_t n;
	float *a, *b, *out;
};

static void sum_begin(struct sum *s, struct nna_device *device, uint32_t n)
{
	s->n = n;
	s->graph = add_graph(n);
	s->a = calloc(n, sizeof(float));
	s->b = calloc(n, sizeof(float));
	s->out = calloc(n, sizeof(float));
	for (uint32_t i = 0; i < n; i++) {
		s->a[i] = i % 1000;
		s->b[i] = 0.25f * (i % 77);
	}
	assert_int_equal(nna_program_create(device, s->graph, NULL, &s->program), 0);
	assert_int_equal(nna_execution_create(s->program, &s->execution), 0);
	assert_int_equal(nna_execution_set_input(s->execution, 0, 0, NULL, s->a, n * sizeof(float)),
			 0);
	assert_int_equal(nna_execution_set_input(s->execution, 1, 0, NULL, s->b, n * sizeof(float)),
			 0);
	assert_int_equal(
		nna_execution_set_output(s->execution, 0, 0, NULL, s->out, n * sizeof(float)), 0);
}

static void sum_check(const struct sum *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		assert_true(s->out[i] == s->a[i] + s->b[i]);
}

static void sum_end(struct sum *s)
{
	nna_execution_destroy(s->execution);
	nna_program_destroy(s->program);
	nna_graph_unref(s->graph);
	free(s->a);
	free(s->b);
	free(s->out);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}

static void test_submit(void **state)
{
	struct nna_fence *fence;
	struct sum s;

	sum_begin(&s, *state, 5000);
	for (int i = 0; i < 3; i++) {
		memset(s.out, 0, s.n * sizeof(float));
		assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
		assert_int_equal(nna_fence_wait(fence, -1), 0);
		assert_int_equal(nna_fence_wait(fence, 0), 0);
		assert_int_equal(nna_fence_export(fence), -ENOTSUP);
		sum_check(&s);
		nna_fence_destroy(fence);
	}
	sum_end(&s);
}

/* Nothing runs before the in-fences have signalled; the execution is busy until the end. */
static void test_in_fences(void **state)
{
	int fds[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) };
	struct nna_fence *fence, *second;
	struct nna_timing timing;
	uint64_t before;
	struct sum s;

	sum_begin(&s, *state, 300);
	assert_int_equal(nna_execution_submit(s.execution, fds, 2, &fence), 0);
	assert_int_equal(nna_fence_wait(fence, 0), -ETIME);
	assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &second), -EBUSY);
	assert_int_equal(nna_execution_compute(s.execution), -EBUSY);
	assert_int_equal(nna_execution_set_output(s.execution, 0, 0, NULL, s.out, 1200), -EBUSY);
	assert_int_equal(eventfd_write(fds[0], 1), 0);
	assert_int_equal(nna_fence_wait(fence, 20000000), -ETIME);
	before = now_ns();
	assert_int_equal(eventfd_write(fds[1], 1), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	sum_check(&s);
	assert_int_equal(nna_execution_get_timing(s.execution, &timing), 0);
	assert_true(timing.begin + 1000000 >= before && timing.submit < before);
	nna_fence_destroy(fence);
	close(fds[0]);
	close(fds[1]);
	sum_end(&s);
}

/* Destroying waits and delivers; the fence stays good. */
static void test_destroy_running(void **state)
{
	struct nna_fence *fence;
	struct sum s;

	sum_begin(&s, *state, 100000);
	assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
	nna_execution_destroy(s.execution);
	s.execution = NULL;
	assert_int_equal(nna_fence_wait(fence, 0), 0);
	sum_check(&s);
	nna_fence_destroy(fence);
	/* A fence that nobody looks at. */
	assert_int_equal(nna_execution_create(s.program, &s.execution), 0);
	assert_int_equal(nna_execution_set_input(s.execution, 0, 0, NULL, s.a, s.n * 4), 0);
	assert_int_equal(nna_execution_set_input(s.execution, 1, 0, NULL, s.b, s.n * 4), 0);
	assert_int_equal(nna_execution_set_output(s.execution, 0, 0, NULL, s.out, s.n * 4), 0);
	assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
	nna_fence_destroy(fence);
	/* The next run starts when that one has ended. */
	for (;;) {
		int ret = nna_execution_compute(s.execution);

		if (ret != -EBUSY) {
			assert_int_equal(ret, 0);
			break;
		}
		usleep(1000);
	}
	assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
	nna_fence_destroy(fence);
	sum_end(&s);
}

static void *wait_thread(void *fence)
{
	return (void *)(intptr_t)nna_fence_wait(fence, -1);
}

static void test_many_waiters(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	pthread_t threads[4];
	struct nna_fence *fence;
	struct sum s;

	sum_begin(&s, *state, 1000);
	assert_int_equal(nna_execution_submit(s.execution, &fd, 1, &fence), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_thread, fence), 0);
	assert_int_equal(eventfd_write(fd, 1), 0);
	for (int i = 0; i < 4; i++) {
		void *ret;

		pthread_join(threads[i], &ret);
		assert_null(ret);
	}
	sum_check(&s);
	nna_fence_destroy(fence);
	close(fd);
	sum_end(&s);
}

static void test_deadline(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct nna_fence *fence;
	struct sum s;

	sum_begin(&s, *state, 100);
	assert_int_equal(nna_execution_set_deadline(s.execution, now_ns() - 1), 0);
	assert_int_equal(nna_execution_compute(s.execution), -ETIMEDOUT);
	/* Nobody is banned, and the next run is a run like any other. */
	assert_int_equal(nna_execution_set_deadline(s.execution, now_ns() + 60000000000ull), 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	sum_check(&s);
	/* A duration counts from the in-fences on. */
	assert_int_equal(nna_execution_set_deadline(s.execution, 0), 0);
	assert_int_equal(nna_execution_set_duration(s.execution, 30000000000ull), 0);
	assert_int_equal(nna_execution_submit(s.execution, &fd, 1, &fence), 0);
	assert_int_equal(eventfd_write(fd, 1), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	nna_fence_destroy(fence);
	assert_int_equal(nna_execution_set_duration(s.execution, 1), 0);
	assert_int_equal(nna_execution_compute(s.execution), -ETIMEDOUT);
	close(fd);
	sum_end(&s);
}

static void test_bindings(void **state)
{
	struct nna_execution *e;
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	struct sum s;

	sum_begin(&s, *state, 64);
	assert_int_equal(nna_execution_create(s.program, &e), 0);
	/* Unbound, wrong index, wrong size, wrong dims. */
	assert_int_equal(nna_execution_compute(e), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 2, 0, NULL, s.a, 256), -EINVAL);
	assert_int_equal(nna_execution_set_output(e, 1, 0, NULL, s.out, 256), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 0, 1, (uint32_t[]){ 65 }, s.a, 260), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 0, 2, (uint32_t[]){ 8, 8 }, s.a, 256), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, NULL, 256), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 0, 1, (uint32_t[]){ 64 }, s.a, 256), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, s.b, 252), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, s.out, 256), 0);
	assert_int_equal(nna_execution_compute(e), -EINVAL);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, s.b, 256), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	sum_check(&s);
	/* Too small an output. */
	memset(s.out, 0, 256);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, s.out, 255), 0);
	assert_int_equal(nna_execution_compute(e), -ENOSPC);
	assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), -ENOSPC);
	assert_int_equal(rank, 1);
	assert_int_equal(dims[0], 64);
	assert_true(s.out[1] == 0);
	/* More room than needed. */
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, s.out, 256), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), 0);
	sum_check(&s);
	nna_execution_destroy(e);
	sum_end(&s);
}

/* Dimensions that come with the inputs: a variant per signature. */
static void test_unknown_dims(void **state)
{
	struct nna_graph *g = add_graph(0);
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	struct nna_program *p;
	struct nna_execution *e;
	struct nna_io_info info;
	float a[256], b[256], out[256];

	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	assert_int_equal(nna_program_get_input(p, 0, &info), 0);
	assert_int_equal(info.size, 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, a, 4), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, b, 4), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	assert_int_equal(nna_execution_compute(e), -EINVAL);
	for (uint32_t round = 0; round < 100; round++) {
		uint32_t n = 1 + round * 37 % 200;

		for (uint32_t i = 0; i < n; i++) {
			a[i] = round + i;
			b[i] = 2 * i;
		}
		assert_int_equal(nna_execution_set_input(e, 0, 1, &n, a, n * 4), 0);
		assert_int_equal(nna_execution_set_input(e, 1, 1, &n, b, n * 4), 0);
		assert_int_equal(nna_execution_compute(e), 0);
		assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), 0);
		assert_int_equal(dims[0], n);
		for (uint32_t i = 0; i < n; i++)
			assert_true(out[i] == a[i] + b[i]);
	}
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* Device memory without copies, at aligned offsets and others; shared by fd. */
static void test_buffers(void **state)
{
	struct nna_device *device = *state;
	struct nna_buffer *in, *out, *other;
	float *mapped, *result;
	struct sum s;
	int fd;

	sum_begin(&s, device, 100);
	assert_int_equal(nna_buffer_create(device, 4096, &in), 0);
	assert_int_equal(nna_buffer_create(device, 8192, &out), 0);
	assert_int_equal(nna_buffer_size(in), 4096);
	mapped = nna_buffer_map(in);
	result = nna_buffer_map(out);
	for (size_t offset = 0; offset <= 128; offset += 32) {
		memcpy((char *)mapped + offset, s.a, 400);
		assert_int_equal(
			nna_execution_set_input_buffer(s.execution, 0, 0, NULL, in, offset, 400),
			0);
		assert_int_equal(
			nna_execution_set_output_buffer(s.execution, 0, 0, NULL, out, offset, 400),
			0);
		assert_int_equal(nna_execution_compute(s.execution), 0);
		for (uint32_t i = 0; i < 100; i++)
			assert_true(result[offset / 4 + i] == s.a[i] + s.b[i]);
		memset(result, 0, 8192);
	}
	assert_int_equal(nna_execution_set_input_buffer(s.execution, 0, 0, NULL, in, 4000, 400),
			 -EINVAL);
	assert_int_equal(nna_execution_set_input_buffer(s.execution, 0, 0, NULL, in, SIZE_MAX, 400),
			 -EINVAL);
	/* What the exported fd shows is what the device wrote. */
	fd = nna_buffer_export(out);
	assert_true(fd >= 0);
	assert_int_equal(nna_buffer_import(device, fd, 8192, &other), 0);
	close(fd);
	assert_int_equal(nna_execution_set_output_buffer(s.execution, 0, 0, NULL, other, 64, 400),
			 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	for (uint32_t i = 0; i < 100; i++)
		assert_true(result[16 + i] == s.a[i] + s.b[i]);
	nna_buffer_destroy(other);
	nna_buffer_destroy(in);
	nna_buffer_destroy(out);
	fd = memfd_create("small", MFD_CLOEXEC);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(nna_buffer_import(device, fd, 4096, &other), -EINVAL);
	close(fd);
	assert_int_equal(nna_buffer_import(device, -1, 4096, &other), -EBADF);
	assert_int_equal(nna_buffer_create(device, 0, &other), -EINVAL);
	sum_end(&s);
}

/* A new buffer may be where one was that is gone: for the device it is another one. */
static void test_replaced_buffer(void **state)
{
	struct nna_buffer *one, *other, content;
	struct sum s;

	sum_begin(&s, *state, 16);
	assert_int_equal(nna_buffer_create(*state, 4096, &one), 0);
	assert_int_equal(nna_buffer_create(*state, 4096, &other), 0);
	assert_int_equal(nna_execution_set_output_buffer(s.execution, 0, 0, NULL, one, 0, 64), 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	/* What destroying it and making another one at its address comes to. */
	content = *one;
	*one = *other;
	*other = content;
	assert_int_equal(nna_execution_set_output_buffer(s.execution, 0, 0, NULL, one, 0, 64), 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	memcpy(s.out, nna_buffer_map(one), 64);
	sum_check(&s);
	nna_buffer_destroy(one);
	nna_buffer_destroy(other);
	sum_end(&s);
}

/* A program shared by threads, each with executions of its own. */
struct shared {
	struct nna_program *program;
	bool by_shape;
	int failures;
};

static void *run_shared(void *user)
{
	struct shared *shared = user;
	float a[128], b[128], out[128];
	int failures = 0;

	for (int round = 0; round < 40; round++) {
		uint32_t n = shared->by_shape ? 1 + round * 7 % 100 : 128;
		struct nna_execution *e;
		struct nna_fence *fence;

		for (uint32_t i = 0; i < n; i++) {
			a[i] = round * i;
			b[i] = i;
			out[i] = 0;
		}
		failures += nna_execution_create(shared->program, &e) != 0;
		failures += nna_execution_set_input(e, 0, 1, &n, a, n * 4) != 0;
		failures += nna_execution_set_input(e, 1, 1, &n, b, n * 4) != 0;
		failures += nna_execution_set_output(e, 0, 0, NULL, out, n * 4) != 0;
		if (round % 2) {
			failures += nna_execution_compute(e) != 0;
		} else {
			failures += nna_execution_submit(e, NULL, 0, &fence) != 0;
			failures += nna_fence_wait(fence, -1) != 0;
			nna_fence_destroy(fence);
		}
		for (uint32_t i = 0; i < n; i++)
			failures += out[i] != a[i] + b[i];
		nna_execution_destroy(e);
	}
	__atomic_fetch_add(&shared->failures, failures, __ATOMIC_RELAXED);
	return NULL;
}

static void run_threads(struct nna_device *device, uint32_t n)
{
	struct nna_graph *g = add_graph(n);
	struct shared shared = { .by_shape = !n };
	pthread_t threads[4];

	assert_int_equal(nna_program_create(device, g, NULL, &shared.program), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_shared, &shared), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(shared.failures, 0);
	nna_program_destroy(shared.program);
	nna_graph_unref(g);
}

static void test_threads(void **state)
{
	run_threads(*state, 128);
	run_threads(*state, 0);
}

/* A reshape whose shape is an input: its value is part of the signature. */
static void test_parameter_input(void **state)
{
	uint32_t twelve = 12, three = 2, unknown[2] = { 0, 0 };
	uint32_t in, shape, out, rank, dims[NNACCEL_MAX_RANK];
	static const int32_t wanted[][2] = { { 3, 4 }, { 2, 6 }, { 3, 4 }, { 12, 1 } };
	float data[12], result[12];
	struct nna_graph *g;
	struct nna_program *p;
	struct nna_execution *e;
	int32_t value[2];

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &twelve, 0, 0);
	shape = operand(g, NNA_OPERAND_TENSOR_INT32, 1, &three, 0, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, unknown, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_RESHAPE, 2,
						 (uint32_t[]){ in, shape }, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ in, shape }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	for (int i = 0; i < 12; i++)
		data[i] = i;
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, data, sizeof(data)), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, value, sizeof(value)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, result, sizeof(result)), 0);
	for (int i = 0; i < 4; i++) {
		memcpy(value, wanted[i], sizeof(value));
		memset(result, 0, sizeof(result));
		assert_int_equal(nna_execution_compute(e), 0);
		assert_int_equal(nna_execution_get_output_dims(e, 0, &rank, dims), 0);
		assert_int_equal(rank, 2);
		assert_int_equal(dims[0], wanted[i][0]);
		assert_int_equal(dims[1], wanted[i][1]);
		assert_memory_equal(result, data, sizeof(data));
	}
	value[0] = 5;
	value[1] = 5;
	assert_int_equal(nna_execution_compute(e), -EINVAL);
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

/* More inputs than slots: the rest shares staging memory. */
static void test_many_inputs(void **state)
{
	enum { COUNT = 100 };
	uint32_t n = 3, inputs[COUNT + 1], out, dim = 3 * COUNT;
	float data[COUNT][3], result[3 * COUNT];
	struct nna_graph *g;
	struct nna_program *p;
	struct nna_execution *e;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	for (int i = 0; i < COUNT; i++) {
		inputs[i] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
		for (int k = 0; k < 3; k++)
			data[i][k] = 10 * i + k;
	}
	inputs[COUNT] = scalar(g, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &dim, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_CONCATENATION, COUNT + 1,
						 inputs, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, COUNT, inputs, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(*state, g, NULL, &p), 0);
	assert_int_equal(nna_execution_create(p, &e), 0);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(nna_execution_set_input(e, i, 0, NULL, data[i], sizeof(data[i])),
				 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, result, sizeof(result)), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	assert_memory_equal(result, data, sizeof(data));
	nna_execution_destroy(e);
	nna_program_destroy(p);
	nna_graph_unref(g);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_add),		 TEST(test_submit),	   TEST(test_in_fences),
		TEST(test_destroy_running), TEST(test_many_waiters), TEST(test_deadline),
		TEST(test_bindings),	 TEST(test_unknown_dims),  TEST(test_buffers),
		TEST(test_threads),	 TEST(test_parameter_input), TEST(test_many_inputs),
		TEST(test_replaced_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

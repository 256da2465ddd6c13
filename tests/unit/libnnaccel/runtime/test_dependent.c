// SPDX-License-Identifier: MIT
/*
 * Dependent runs: what they wait for, who waits, and how they end when it does not come.
 *
 *	test_dependent [--device NAME]
 *
 * Everything here happens in one thread of the test's: a call that waited for a gate would never
 * come back. On a node the gates are sync_files of vgem.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/libnnaccel/runtime/gated.h"
#include "tests/unit/libnnaccel/runtime/produce.h"
#include "tests/unit/libnnaccel/runtime/sum.h"
#include "tests/unit/libnnaccel/runtime/threads.h"

/* Runs that wait at the same time. A file of the driver has 256 contexts, one for each of them. */
#define MANY_LOOPBACK 300u
#define MANY_NODE 200u

/* A sum with its first input in a buffer, where it has to be copied from. */
struct copied {
	struct sum sum;
	struct nna_buffer *buffer;
};

static float *copied_input(struct copied *c)
{
	return (float *)((char *)nna_buffer_map(c->buffer) + 4);
}

static void copied_begin(struct copied *c, struct nna_device *device)
{
	const size_t size = 16 * sizeof(float);

	sum_begin(&c->sum, device, 16);
	assert_int_equal(nna_buffer_create(device, 4096, &c->buffer), 0);
	assert_int_equal(nna_execution_set_input_buffer(c->sum.execution, 0, 0, NULL, c->buffer, 4,
							size),
			 0);
}

/* The producer of the input, which is late. */
static void copied_fill(struct copied *c)
{
	produce_bytes(copied_input(c), c->sum.a, 16 * sizeof(float));
}

static void copied_end(struct copied *c)
{
	sum_end(&c->sum);
	nna_buffer_destroy(c->buffer);
}

/*
 * The submission returns before the in-fence, with what is in the caller's memory; the run reads
 * the rest behind it. While it waits the execution is busy.
 */
static void test_returns(void **state)
{
	struct nna_fence *fence, *other;
	float b[16];
	struct copied c;
	struct gate gate;

	copied_begin(&c, *state);
	for (int round = 0; round < 2; round++) {
		memset(copied_input(&c), 0, 16 * sizeof(float));
		assert_int_equal(gate_create(&gate, vgem), 0);
		assert_int_equal(nna_execution_submit(c.sum.execution, &gate.fd, 1, &fence), 0);
		memcpy(b, c.sum.b, sizeof(b));
		memset(c.sum.b, 0, sizeof(b));
		assert_int_equal(nna_fence_wait(fence, 0), -ETIME);
		assert_int_equal(nna_fence_wait(fence, 1000), -ETIME);
		assert_int_equal(nna_fence_export(fence), -ENOTSUP);
		assert_int_equal(nna_execution_submit(c.sum.execution, NULL, 0, &other), -EBUSY);
		assert_int_equal(nna_execution_compute(c.sum.execution), -EBUSY);
		assert_int_equal(nna_execution_set_duration(c.sum.execution, 0), -EBUSY);
		copied_fill(&c);
		assert_int_equal(gate_open(&gate), 0);
		assert_int_equal(nna_fence_wait(fence, -1), 0);
		memcpy(c.sum.b, b, sizeof(b));
		sum_check(&c.sum);
		memset(c.sum.out, 0, sizeof(b));
		nna_fence_destroy(fence);
		gate_destroy(&gate);
	}
	copied_end(&c);
}

/* Each run depends on the one before by its fence; one thread does for all of them. */
static void test_many(void **state)
{
	static struct copied runs[MANY_LOOPBACK];
	static struct nna_fence *fences[MANY_LOOPBACK];
	const uint32_t many = vgem < 0 ? MANY_LOOPBACK : MANY_NODE;
	struct nna_dependencies after = { 0 };
	uint32_t threads;
	struct gate gate;

	for (uint32_t i = 0; i < many; i++)
		copied_begin(&runs[i], *state);
	/* The gate signals by itself after a while, so all else has been done before. */
	assert_int_equal(gate_create(&gate, vgem), 0);
	threads = thread_count();
	for (uint32_t i = 0; i < many; i++) {
		after.fds = i % 2 ? NULL : &gate.fd;
		after.fd_count = i % 2 ? 0 : 1;
		after.fences = i % 2 ? &fences[i - 1] : NULL;
		after.fence_count = i % 2;
		assert_int_equal(nna_execution_submit_after(runs[i].sum.execution, &after,
							    &fences[i]),
				 0);
	}
	assert_int_equal(thread_count(), threads + 1);
	for (uint32_t i = 0; i < many; i++)
		copied_fill(&runs[i]);
	assert_int_equal(gate_open(&gate), 0);
	for (uint32_t i = many; i--;) {
		assert_int_equal(nna_fence_wait(fences[i], -1), 0);
		sum_check(&runs[i].sum);
		nna_fence_destroy(fences[i]);
		copied_end(&runs[i]);
	}
	gate_destroy(&gate);
}

/* What the callbacks have seen. */
struct seen {
	struct nna_execution *destroy;
	atomic_int ready, ended;
	int refuse, error;
};

static int seen_ready(void *user)
{
	struct seen *s = user;

	atomic_fetch_add(&s->ready, 1);
	return s->refuse;
}

static void seen_ended(void *user, int error)
{
	struct seen *s = user;

	s->error = error;
	nna_execution_destroy(s->destroy);
	atomic_fetch_add(&s->ended, 1);
}

static void wait_ended(struct seen *s)
{
	while (!atomic_load(&s->ended))
		sched_yield();
}

/* A chain that ends at its beginning: nothing is run, and everyone is told. */
static void test_failure(void **state)
{
	struct seen seen[3] = { { .refuse = -ENODATA } };
	struct nna_fence *fences[3];
	struct copied runs[3];

	for (int i = 0; i < 3; i++) {
		const struct nna_dependencies after = {
			.fences = i ? &fences[i - 1] : NULL,
			.fence_count = i ? 1 : 0,
			.ready = seen_ready,
			.ended = seen_ended,
			.user = &seen[i],
		};

		copied_begin(&runs[i], *state);
		assert_int_equal(nna_execution_submit_after(runs[i].sum.execution, &after,
							    &fences[i]),
				 0);
	}
	for (int i = 0; i < 3; i++) {
		const int error = i ? -ECANCELED : -ENODATA;

		assert_int_equal(nna_fence_wait(fences[i], -1), error);
		wait_ended(&seen[i]);
		assert_int_equal(seen[i].error, error);
		assert_int_equal(atomic_load(&seen[i].ready), !i);
		assert_true(runs[i].sum.out[1] == 0);
		nna_fence_destroy(fences[i]);
		/* The next one is a run like any other. */
		copied_fill(&runs[i]);
		assert_int_equal(nna_execution_compute(runs[i].sum.execution), 0);
		sum_check(&runs[i].sum);
		copied_end(&runs[i]);
	}
}

/* With @read_late even the caller's own memory is read when all dependencies have ended. */
static void test_late(void **state)
{
	struct nna_dependencies after = { .read_late = true };
	struct nna_fence *fences[2];
	struct copied first, second;
	struct gate gate;

	copied_begin(&first, *state);
	copied_begin(&second, *state);
	assert_int_equal(nna_execution_set_input(second.sum.execution, 0, 0, NULL, first.sum.out,
						 16 * sizeof(float)),
			 0);
	assert_int_equal(gate_create(&gate, vgem), 0);
	after.fds = &gate.fd;
	after.fd_count = 1;
	assert_int_equal(nna_execution_submit_after(first.sum.execution, &after, &fences[0]), 0);
	after = (struct nna_dependencies){ .read_late = true, .fences = fences, .fence_count = 1 };
	assert_int_equal(nna_execution_submit_after(second.sum.execution, &after, &fences[1]), 0);
	copied_fill(&first);
	assert_int_equal(gate_open(&gate), 0);
	assert_int_equal(nna_fence_wait(fences[1], -1), 0);
	sum_check(&first.sum);
	for (uint32_t i = 0; i < 16; i++)
		assert_true(second.sum.out[i] == first.sum.out[i] + second.sum.b[i]);
	nna_fence_destroy(fences[0]);
	nna_fence_destroy(fences[1]);
	gate_destroy(&gate);
	copied_end(&first);
	copied_end(&second);
}

/*
 * What is destroyed while it waits does not run, whoever depends on it fails, and the device can be
 * closed. A child of fork() that closes it disturbs nobody.
 */
static void test_destroyed(void **state)
{
	struct nna_fence *fences[2];
	struct seen seen[2] = { 0 };
	struct copied runs[2], other;
	struct nna_dependencies after = { .ready = seen_ready, .ended = seen_ended };
	struct nna_fence *fence;
	struct gate gate;
	int status = -1;
	pid_t child;

	copied_begin(&other, *state);
	assert_int_equal(gate_create(&gate, vgem), 0);
	assert_int_equal(nna_execution_submit(other.sum.execution, &gate.fd, 1, &fence), 0);
	after.fds = &gate.fd;
	after.fd_count = 1;
	for (int i = 0; i < 2; i++) {
		copied_begin(&runs[i], *state);
		after.user = &seen[i];
		assert_int_equal(nna_execution_submit_after(runs[i].sum.execution, &after,
							    &fences[i]),
				 0);
		after.fds = NULL;
		after.fd_count = 0;
		after.fences = fences;
		after.fence_count = 1;
	}
	child = fork();
	if (!child) {
		nna_device_close(*state);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	copied_end(&runs[0]);
	assert_int_equal(nna_fence_wait(fences[0], 0), -ECANCELED);
	assert_int_equal(nna_fence_wait(fences[1], -1), -ECANCELED);
	wait_ended(&seen[1]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(atomic_load(&seen[i].ended), 1);
		assert_int_equal(atomic_load(&seen[i].ready), 0);
		assert_int_equal(seen[i].error, -ECANCELED);
	}
	copied_end(&runs[1]);
	assert_int_equal(nna_fence_wait(fence, 0), -ETIME);
	copied_fill(&other);
	assert_int_equal(gate_open(&gate), 0);
	assert_int_equal(nna_fence_wait(fence, -1), 0);
	sum_check(&other.sum);
	nna_fence_destroy(fence);
	copied_end(&other);
	gate_destroy(&gate);
	/* Fences outlive the device. */
	nna_device_close(*state);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nna_fence_wait(fences[i], -1), -ECANCELED);
		nna_fence_destroy(fences[i]);
	}
	assert_int_equal(open_named(state), 0);
}

/* The end of a run may be the end of its execution. */
static void test_destroys_itself(void **state)
{
	struct seen seen = { 0 };
	const struct nna_dependencies after = { .ended = seen_ended, .user = &seen };
	struct nna_fence *fence;
	struct copied c;

	copied_begin(&c, *state);
	copied_fill(&c);
	seen.destroy = c.sum.execution;
	c.sum.execution = NULL;
	assert_int_equal(nna_execution_submit_after(seen.destroy, &after, &fence), 0);
	wait_ended(&seen);
	assert_int_equal(seen.error, 0);
	assert_int_equal(nna_fence_wait(fence, 0), 0);
	sum_check(&c.sum);
	nna_fence_destroy(fence);
	copied_end(&c);
}

/* Arguments that cannot be, and fds that are none: refused, and nobody is called. */
static void test_refused(void **state)
{
	const int not_open = 1000000;
	struct seen seen = { 0 };
	struct nna_dependencies after = { .ready = seen_ready, .ended = seen_ended, .user = &seen };
	struct nna_fence *fence;
	struct copied c;

	copied_begin(&c, *state);
	assert_int_equal(nna_execution_submit_after(c.sum.execution, NULL, &fence), -EINVAL);
	after.fd_count = 1;
	assert_int_equal(nna_execution_submit_after(c.sum.execution, &after, &fence), -EINVAL);
	after.fds = &not_open;
	assert_int_equal(nna_execution_submit_after(c.sum.execution, &after, &fence), -EBADF);
	after.fd_count = 0;
	after.fence_count = 1;
	assert_int_equal(nna_execution_submit_after(c.sum.execution, &after, &fence), -EINVAL);
	assert_int_equal(atomic_load(&seen.ready) + atomic_load(&seen.ended), 0);
	copied_fill(&c);
	assert_int_equal(nna_execution_compute(c.sum.execution), 0);
	sum_check(&c.sum);
	copied_end(&c);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_named, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_returns),   TEST(test_many),		  TEST(test_failure),
		TEST(test_late),      TEST(test_destroyed),	  TEST(test_destroys_itself),
		TEST(test_refused),
	};

	if (!gated_begin(argc, argv))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * Cancelled executions: wherever the run is, it ends, and what it waits for never comes.
 *
 *	test_cancel [--device NAME]
 *
 * On a node the gates are sync_files of vgem.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/libnnaccel/runtime/gated.h"
#include "tests/unit/libnnaccel/runtime/sum.h"

/* It does not run again, and has written nothing. */
static void check_cancelled(const struct sum *s)
{
	struct nna_fence *fence;

	assert_int_equal(nna_execution_compute(s->execution), -ECANCELED);
	assert_int_equal(nna_execution_submit(s->execution, NULL, 0, &fence), -ECANCELED);
	for (uint32_t i = 0; i < s->n; i++)
		assert_true(s->out[i] == 0);
}

/* The device waits for the in-fence. Other executions of the program notice nothing. */
static void test_behind_fence(void **state)
{
	struct nna_execution *other;
	struct nna_fence *fence;
	struct gate gate;
	struct sum s;

	sum_begin(&s, *state, 16);
	assert_int_equal(gate_create(&gate, vgem), 0);
	assert_int_equal(nna_execution_submit(s.execution, &gate.fd, 1, &fence), 0);
	assert_int_equal(nna_fence_wait(fence, 0), -ETIME);
	nna_execution_cancel(s.execution);
	assert_int_equal(nna_fence_wait(fence, -1), -ECANCELED);
	assert_false(gate_is_signalled(gate.fd));
	nna_execution_cancel(s.execution);
	check_cancelled(&s);
	assert_int_equal(nna_execution_create(s.program, &other), 0);
	assert_int_equal(nna_execution_set_input(other, 0, 0, NULL, s.a, 64), 0);
	assert_int_equal(nna_execution_set_input(other, 1, 0, NULL, s.b, 64), 0);
	assert_int_equal(nna_execution_set_output(other, 0, 0, NULL, s.out, 64), 0);
	assert_int_equal(nna_execution_compute(other), 0);
	sum_check(&s);
	nna_execution_destroy(other);
	nna_fence_destroy(fence);
	gate_destroy(&gate);
	sum_end(&s);
}

/* A run that is destroyed before anyone has looked at its end. */
static void test_destroyed(void **state)
{
	struct nna_fence *fence;
	struct gate gate;
	struct sum s;

	sum_begin(&s, *state, 16);
	assert_int_equal(gate_create(&gate, vgem), 0);
	assert_int_equal(nna_execution_submit(s.execution, &gate.fd, 1, &fence), 0);
	nna_execution_cancel(s.execution);
	sum_end(&s);
	assert_int_equal(nna_fence_wait(fence, 0), -ECANCELED);
	nna_fence_destroy(fence);
	gate_destroy(&gate);
}

static void count_end(void *user, int error)
{
	assert_int_equal(error, -ECANCELED);
	atomic_fetch_add((atomic_uint *)user, 1);
}

/* The library waits for the in-fence, and for a run that depends on that one. */
static void test_in_library(void **state)
{
	atomic_uint ended = 0;
	struct nna_dependencies after = { .fd_count = 1, .ended = count_end, .user = &ended };
	struct nna_fence *fences[2];
	struct sum runs[2];
	struct gate gate;

	assert_int_equal(gate_create(&gate, vgem), 0);
	after.fds = &gate.fd;
	for (int i = 0; i < 2; i++) {
		sum_begin(&runs[i], *state, 16);
		assert_int_equal(nna_execution_submit_after(runs[i].execution, &after, &fences[i]),
				 0);
		after = (struct nna_dependencies){ .fences = fences, .fence_count = 1 };
	}
	nna_execution_cancel(runs[0].execution);
	assert_int_equal(nna_fence_wait(fences[0], 0), -ECANCELED);
	assert_int_equal(atomic_load(&ended), 1);
	assert_int_equal(nna_fence_wait(fences[1], -1), -ECANCELED);
	assert_false(gate_is_signalled(gate.fd));
	check_cancelled(&runs[0]);
	for (int i = 0; i < 2; i++) {
		nna_fence_destroy(fences[i]);
		sum_end(&runs[i]);
	}
	gate_destroy(&gate);
}

/* Nobody runs yet. */
static void test_before_run(void **state)
{
	struct sum s;

	sum_begin(&s, *state, 16);
	nna_execution_cancel(s.execution);
	check_cancelled(&s);
	sum_end(&s);
}

static atomic_uint cancels;

static void count_cancel(struct nna_winsys *ws, struct nna_winsys_queue *queue)
{
	atomic_fetch_add(&cancels, 1);
}

/*
 * A run that has ended has no queue any more: another execution may use that now, or it is gone.
 * However the run has ended, a cancellation that comes after it cancels no queue.
 */
static void test_after_run(void **state)
{
	struct nna_device *device = *state;
	const struct nna_winsys_ops *ops = device->ws->ops;
	struct nna_winsys_ops counting = *ops;

	counting.queue_cancel = count_cancel;
	for (int how = 0; how < 4; how++) {
		struct nna_fence *fence;
		struct gate gate;
		struct sum s;

		sum_begin(&s, device, 16);
		device->ws->ops = &counting;
		atomic_store(&cancels, 0);
		if (how == 0) {
			assert_int_equal(nna_execution_compute(s.execution), 0);
		} else if (how == 1) {
			assert_int_equal(nna_execution_submit(s.execution, NULL, 0, &fence), 0);
			assert_int_equal(nna_fence_wait(fence, -1), 0);
			nna_fence_destroy(fence);
		} else if (how == 2) {
			const int none = INT_MAX;

			/* The job is refused: its in-fence is no file. */
			assert_true(nna_execution_submit(s.execution, &none, 1, &fence) < 0);
		} else {
			/* Cancelled once while it waits, and once more when that has ended it. */
			assert_int_equal(gate_create(&gate, vgem), 0);
			assert_int_equal(nna_execution_submit(s.execution, &gate.fd, 1, &fence), 0);
			device->ws->ops = ops;
			nna_execution_cancel(s.execution);
			device->ws->ops = &counting;
			assert_int_equal(nna_fence_wait(fence, -1), -ECANCELED);
			nna_fence_destroy(fence);
			gate_destroy(&gate);
		}
		nna_execution_cancel(s.execution);
		assert_int_equal(atomic_load(&cancels), 0);
		device->ws->ops = ops;
		sum_end(&s);
	}
}

/**
 * struct submitter - a thread that submits behind an in-fence and waits
 * @sum: what it runs
 * @gate: the in-fence
 * @started: it is about to submit
 * @late: the library waits for the in-fence, instead of the device
 * @error: how that has ended
 */
struct submitter {
	struct sum sum;
	struct gate gate;
	pthread_barrier_t started;
	bool late;
	int error;
};

static void *submit_and_wait(void *arg)
{
	struct submitter *t = arg;
	const struct nna_dependencies after = { .fds = &t->gate.fd, .fd_count = 1 };
	struct nna_fence *fence;

	pthread_barrier_wait(&t->started);
	t->error = t->late ? nna_execution_submit_after(t->sum.execution, &after, &fence)
			   : nna_execution_submit(t->sum.execution, &t->gate.fd, 1, &fence);
	if (t->error)
		return NULL;
	t->error = nna_fence_wait(fence, -1);
	nna_fence_destroy(fence);
	return NULL;
}

/* The run begins at the time when it is cancelled: it is not missed, or it would wait for ever. */
static void test_race(void **state)
{
	for (int round = 0; round < 200; round++) {
		struct submitter t = { .late = round & 1 };
		pthread_t thread;

		sum_begin(&t.sum, *state, 16);
		assert_int_equal(gate_create(&t.gate, vgem), 0);
		pthread_barrier_init(&t.started, NULL, 2);
		assert_int_equal(pthread_create(&thread, NULL, submit_and_wait, &t), 0);
		pthread_barrier_wait(&t.started);
		nna_execution_cancel(t.sum.execution);
		pthread_join(thread, NULL);
		assert_int_equal(t.error, -ECANCELED);
		check_cancelled(&t.sum);
		pthread_barrier_destroy(&t.started);
		gate_destroy(&t.gate);
		sum_end(&t.sum);
	}
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_named, close_device)
	const struct CMUnitTest tests[] = {
		TEST(test_behind_fence), TEST(test_destroyed), TEST(test_in_library),
		TEST(test_before_run),	 TEST(test_after_run),	TEST(test_race),
	};

	if (!gated_begin(argc, argv))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

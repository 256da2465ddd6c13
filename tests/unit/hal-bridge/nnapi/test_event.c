// SPDX-License-Identifier: MIT
/* Events of the NNAPI C API: from fences, with many that wait, and being freed. */
#include "tests/unit/hal-bridge/nnapi/run.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>

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

/* A thread that frees an event whose run waits for a fence. */
struct freeing {
	ANeuralNetworksEvent *event;
	const struct run *run;
	atomic_int thread, returned;
	bool ended;
};

static void *free_event(void *arg)
{
	struct freeing *self = arg;

	atomic_store(&self->thread, (int)gettid());
	ANeuralNetworksEvent_free(self->event);
	self->ended = !self->run || self->run->out[0] == self->run->a[0] + self->run->b[0];
	atomic_store(&self->returned, 1);
	return NULL;
}

/* Whether a thread of this process sleeps, in whatever it waits for. */
static bool is_asleep(int thread)
{
	char path[64], text[256] = "", *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

/* Frees @event in a thread, and signals @fence when that waits or is done. */
static void free_and_signal(ANeuralNetworksEvent *event, const struct run *run, int fence)
{
	struct freeing freeing = { .event = event, .run = run };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, free_event, &freeing), 0);
	while (!atomic_load(&freeing.thread) ||
	       (!atomic_load(&freeing.returned) && !is_asleep(freeing.thread)))
		sched_yield();
	assert_false(atomic_load(&freeing.returned));
	signal_fd(fence);
	pthread_join(thread, NULL);
	assert_true(freeing.ended);
}

/*
 * Freeing an event waits for the end of its run, whoever else holds the event: afterwards nothing
 * is written to the outputs, and the caller may free them.
 */
static void test_free_waits(void **state)
{
	ANeuralNetworksEvent *before = NULL, *first = NULL, *second = NULL;
	const ANeuralNetworksEvent *dependency;
	int fence = eventfd(0, EFD_CLOEXEC);
	struct run a, b;

	run_start(&a, 4);
	run_bind(&a);
	run_start(&b, 4);
	run_bind(&b);
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &before));
	dependency = before;
	OK(ANeuralNetworksExecution_startComputeWithDependencies(a.execution, &dependency, 1, 0,
								 &first));
	dependency = first;
	OK(ANeuralNetworksExecution_startComputeWithDependencies(b.execution, &dependency, 1, 0,
								 &second));
	free_and_signal(first, &a, fence);
	run_check(&a);
	OK(ANeuralNetworksEvent_wait(second));
	run_check(&b);
	ANeuralNetworksEvent_free(second);
	ANeuralNetworksEvent_free(before);
	close(fence);
	run_stop(&a);
	run_stop(&b);
}

/* So does freeing the event of a sync fence. */
static void test_free_waits_for_fence(void **state)
{
	ANeuralNetworksEvent *event = NULL;
	int fence = eventfd(0, EFD_CLOEXEC);

	OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &event));
	free_and_signal(event, NULL, fence);
	close(fence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fence_events),
		cmocka_unit_test(test_many_waiters),
		cmocka_unit_test(test_free_waits),
		cmocka_unit_test(test_free_waits_for_fence),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

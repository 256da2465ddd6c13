// SPDX-License-Identifier: MIT
/* Events of the NNAPI C API: from fences, and with many that wait. */
#include "tests/unit/hal-bridge/nnapi/run.h"

#include <poll.h>
#include <pthread.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fence_events),
		cmocka_unit_test(test_many_waiters),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

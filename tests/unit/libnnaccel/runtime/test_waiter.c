// SPDX-License-Identifier: MIT
/* The waiter by itself: fds that signal, fail or do not, from several threads. */
#include "libnnaccel/runtime/waiter.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libnnaccel/support/clock.h"
#include "tests/unit/libnnaccel/runtime/threads.h"

#define MANY 400u
#define THREADS 4u
#define ROUNDS 300u

/* A wait for eventfds, and how it has ended. */
struct test_wait {
	struct nna_wait wait;
	int fds[2], polled[2];
	sem_t ended;
	int error;
	pthread_t thread;
};

static void test_done(struct nna_wait *wait, int error)
{
	struct test_wait *t = (struct test_wait *)wait;

	t->error = error;
	t->thread = pthread_self();
	sem_post(&t->ended);
}

static void begin(struct test_wait *t, uint32_t count)
{
	*t = (struct test_wait){ .wait = { .count = count, .done = test_done } };
	t->wait.fds = t->polled;
	for (uint32_t i = 0; i < count; i++) {
		t->fds[i] = eventfd(0, EFD_CLOEXEC);
		t->polled[i] = t->fds[i];
	}
	sem_init(&t->ended, 0, 0);
}

static void end(struct test_wait *t)
{
	for (uint32_t i = 0; i < t->wait.count; i++)
		close(t->fds[i]);
	sem_destroy(&t->ended);
}

static void signal_one(struct test_wait *t, uint32_t i)
{
	eventfd_write(t->fds[i], 1);
}

static void wait_for(struct test_wait *t)
{
	while (sem_wait(&t->ended))
		assert_int_equal(errno, EINTR);
}

static void *do_nothing(void *arg)
{
	return arg;
}

static int setup(void **state)
{
	pthread_t thread;

	struct nna_waiter *waiter = calloc(1, sizeof(*waiter));

	nna_waiter_init(waiter);
	*state = waiter;
	/* ThreadSanitizer has a thread of its own from the first one on. */
	pthread_create(&thread, NULL, do_nothing, NULL);
	pthread_join(thread, NULL);
	return 0;
}

static int teardown(void **state)
{
	nna_waiter_fini(*state);
	free(*state);
	return 0;
}

/* A device that never waits has no thread, and many waits have one. */
static void test_one_thread(void **state)
{
	static struct test_wait waits[MANY];
	uint32_t before = thread_count();

	for (uint32_t i = 0; i < MANY; i++) {
		begin(&waits[i], 2);
		assert_int_equal(nna_waiter_add(*state, &waits[i].wait), 0);
	}
	assert_int_equal(thread_count(), before + 1);
	for (uint32_t i = 0; i < MANY; i++)
		signal_one(&waits[i], i % 2);
	for (uint32_t i = MANY; i--;)
		signal_one(&waits[i], !(i % 2));
	for (uint32_t i = 0; i < MANY; i++) {
		wait_for(&waits[i]);
		assert_int_equal(waits[i].error, 0);
		end(&waits[i]);
	}
}

/* Nothing to wait for, something that has failed, that is not open, and that never comes. */
static void test_errors(void **state)
{
	struct test_wait nothing, failed, closed, late;
	int pipe_fds[2];

	begin(&nothing, 0);
	assert_int_equal(nna_waiter_add(*state, &nothing.wait), 0);
	wait_for(&nothing);
	assert_int_equal(nothing.error, 0);
	end(&nothing);

	begin(&failed, 2);
	close(failed.fds[1]);
	assert_int_equal(pipe(pipe_fds), 0);
	close(pipe_fds[0]);
	failed.fds[1] = pipe_fds[1]; /* writing to nobody is an error */
	failed.polled[1] = pipe_fds[1];
	assert_int_equal(nna_waiter_add(*state, &failed.wait), 0);
	wait_for(&failed);
	assert_int_equal(failed.error, -ECANCELED);
	end(&failed);

	begin(&closed, 1);
	close(closed.fds[0]);
	closed.polled[0] = closed.fds[0];
	assert_int_equal(nna_waiter_add(*state, &closed.wait), 0);
	wait_for(&closed);
	assert_int_equal(closed.error, -EBADF);
	end(&closed);

	begin(&late, 1);
	late.wait.deadline_ns = nna_now_ns() + 1000000;
	assert_int_equal(nna_waiter_add(*state, &late.wait), 0);
	wait_for(&late);
	assert_int_equal(late.error, -ETIMEDOUT);
	assert_true(nna_now_ns() >= late.wait.deadline_ns);
	end(&late);
}

/* What is taken back is not called; its fd may be closed and its number used again at once. */
static void test_cancel(void **state)
{
	struct test_wait kept, taken;

	begin(&kept, 1);
	assert_int_equal(nna_waiter_add(*state, &kept.wait), 0);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		begin(&taken, 1);
		assert_int_equal(nna_waiter_add(*state, &taken.wait), 0);
		assert_true(nna_waiter_cancel(*state, &taken.wait));
		assert_false(nna_waiter_cancel(*state, &taken.wait));
		signal_one(&taken, 0);
		assert_int_equal(sem_trywait(&taken.ended), -1);
		end(&taken);
	}
	signal_one(&kept, 0);
	wait_for(&kept);
	assert_int_equal(kept.error, 0);
	assert_false(nna_waiter_cancel(*state, &kept.wait));
	end(&kept);
}

static void *use(void *arg)
{
	struct nna_waiter *waiter = arg;
	uintptr_t called = 0;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct test_wait t;

		begin(&t, 1 + i % 2);
		t.wait.slow = i % 3 == 0;
		if (nna_waiter_add(waiter, &t.wait))
			return NULL;
		for (uint32_t k = 0; k < t.wait.count; k++)
			signal_one(&t, k);
		if (i % 4 || !nna_waiter_cancel(waiter, &t.wait)) {
			while (sem_wait(&t.ended))
				;
			called += !t.error;
		} else {
			called++;
		}
		end(&t);
	}
	return (void *)called;
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];

	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use, *state), 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		void *called;

		pthread_join(threads[i], &called);
		assert_int_equal((uintptr_t)called, ROUNDS);
	}
}

/* A wait whose end takes until it is told to go on. */
struct slow_wait {
	struct test_wait base;
	sem_t begun, go_on;
};

static void slow_done(struct nna_wait *wait, int error)
{
	struct slow_wait *s = (struct slow_wait *)wait;

	sem_post(&s->begun);
	while (sem_wait(&s->go_on))
		;
	test_done(wait, error);
}

/* What takes long holds up none but those that may take long, too. */
static void test_slow(void **state)
{
	struct test_wait quick, other;
	struct slow_wait slow;

	begin(&slow.base, 1);
	slow.base.wait.done = slow_done;
	slow.base.wait.slow = true;
	sem_init(&slow.begun, 0, 0);
	sem_init(&slow.go_on, 0, 0);
	assert_int_equal(nna_waiter_add(*state, &slow.base.wait), 0);
	signal_one(&slow.base, 0);
	while (sem_wait(&slow.begun))
		;
	begin(&other, 1);
	other.wait.slow = true;
	assert_int_equal(nna_waiter_add(*state, &other.wait), 0);
	signal_one(&other, 0);
	begin(&quick, 1);
	assert_int_equal(nna_waiter_add(*state, &quick.wait), 0);
	signal_one(&quick, 0);
	wait_for(&quick);
	assert_int_equal(sem_trywait(&other.ended), -1);
	sem_post(&slow.go_on);
	wait_for(&slow.base);
	wait_for(&other);
	assert_true(pthread_equal(slow.base.thread, other.thread));
	assert_false(pthread_equal(slow.base.thread, quick.thread));
	end(&quick);
	end(&other);
	end(&slow.base);
}

/* The end of the waiter is the end of what it waits for. */
static void test_end(void **state)
{
	static struct test_wait waits[MANY];
	struct nna_waiter waiter;
	struct test_wait after;
	uint32_t before = thread_count();
	int status = -1;
	pid_t child;

	nna_waiter_init(&waiter);
	for (uint32_t i = 0; i < MANY; i++) {
		begin(&waits[i], 1);
		waits[i].wait.slow = i % 2;
		assert_int_equal(nna_waiter_add(&waiter, &waits[i].wait), 0);
	}
	nna_waiter_fini(&waiter);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(sem_trywait(&waits[i].ended), 0);
		assert_int_equal(waits[i].error, -ECANCELED);
		end(&waits[i]);
	}
	/* A thread that has been joined may be listed a moment longer. */
	while (thread_count() != before)
		sched_yield();

	/* In a child there are no threads: nothing can be added, and the end waits for none. */
	nna_waiter_init(&waiter);
	begin(&after, 1);
	assert_int_equal(nna_waiter_add(&waiter, &after.wait), 0);
	child = fork();
	if (!child) {
		struct test_wait t;

		begin(&t, 1);
		status = nna_waiter_add(&waiter, &t.wait) != -ECHILD;
		status |= nna_waiter_cancel(&waiter, &after.wait) ? 0 : 2;
		nna_waiter_fini(&waiter);
		_exit(status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	signal_one(&after, 0);
	wait_for(&after);
	assert_int_equal(after.error, 0);
	end(&after);
	nna_waiter_fini(&waiter);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_one_thread), TEST(test_errors), TEST(test_cancel),
		TEST(test_threads),    TEST(test_slow),	  TEST(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

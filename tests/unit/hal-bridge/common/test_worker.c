// SPDX-License-Identifier: MIT
/* Worker threads: order, limits, and that nobody waits for another key's tasks. */
#include "hal-bridge/common/worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/**
 * struct gate - what tasks wait for
 * @lock: of what follows
 * @changed: any of it
 * @open: tasks may end
 * @inside: tasks that have begun and not ended
 * @most: the highest @inside was
 * @ended: tasks that have ended
 */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool open;
	unsigned int inside, most, ended;
};

struct job {
	struct nnb_task task;
	struct gate *gate;
};

static void pass(struct nnb_task *task)
{
	struct gate *gate = ((struct job *)task)->gate;

	pthread_mutex_lock(&gate->lock);
	if (++gate->inside > gate->most)
		gate->most = gate->inside;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	gate->inside--;
	gate->ended++;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
	free(task);
}

static void add(struct nnb_workers *workers, struct gate *gate, uint64_t key)
{
	struct job *job = calloc(1, sizeof(*job));

	assert_non_null(job);
	job->task.run = pass;
	job->task.key = key;
	job->gate = gate;
	nnb_workers_add(workers, &job->task);
}

static void gate_init(struct gate *gate)
{
	*gate = (struct gate){ .open = false };
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->changed, NULL);
}

static void gate_open(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->open = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

static void gate_wait(struct gate *gate, unsigned int *value, unsigned int count)
{
	pthread_mutex_lock(&gate->lock);
	while (*value < count)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

/* As many at a time as there are threads, although each is added while one is idle or ending. */
static void test_all_at_once(void **state)
{
	const struct nnb_worker_limits limits = { .threads = 8, .per_key = 8 };
	struct nnb_workers workers;
	struct gate gate;

	gate_init(&gate);
	assert_int_equal(nnb_workers_init(&workers, &limits), 0);
	for (int i = 0; i < 20; i++)
		add(&workers, &gate, 1);
	gate_wait(&gate, &gate.inside, 8);
	gate_open(&gate);
	nnb_workers_drain(&workers);
	assert_int_equal(gate.ended, 20);
	assert_int_equal(gate.most, 8);
	nnb_workers_fini(&workers);
}

/* One key's tasks never end; another's do all the same. */
static void test_stuck_key(void **state)
{
	const struct nnb_worker_limits limits = { .threads = 4, .per_key = 2 };
	struct nnb_workers workers;
	struct gate stuck, fine;

	gate_init(&stuck);
	gate_init(&fine);
	fine.open = true;
	assert_int_equal(nnb_workers_init(&workers, &limits), 0);
	for (int i = 0; i < 50; i++)
		add(&workers, &stuck, 1);
	for (int i = 0; i < 50; i++)
		add(&workers, &fine, 2);
	gate_wait(&fine, &fine.ended, 50);
	gate_wait(&stuck, &stuck.inside, 2);
	assert_int_equal(stuck.most, 2);
	gate_open(&stuck);
	nnb_workers_fini(&workers);
	assert_int_equal(stuck.ended, 50);
	assert_int_equal(stuck.most, 2);
}

/* A key's tasks cause no more threads than may run them, however many of them wait. */
static void test_threads_of_a_key(void **state)
{
	const struct nnb_worker_limits limits = { .threads = 64, .per_key = 2 };
	struct nnb_workers workers;
	struct gate gate;

	gate_init(&gate);
	assert_int_equal(nnb_workers_init(&workers, &limits), 0);
	for (int i = 0; i < 50; i++)
		add(&workers, &gate, 1);
	gate_wait(&gate, &gate.inside, 2);
	/* The first thread, which was there before, may have been too late for both. */
	assert_in_range(workers.threads, 2, 3);
	gate_open(&gate);
	nnb_workers_drain(&workers);
	assert_int_equal(gate.ended, 50);
	nnb_workers_fini(&workers);
}

static uint32_t threads_of(struct nnb_workers *workers)
{
	uint32_t threads;

	pthread_mutex_lock(&workers->lock);
	threads = workers->threads;
	pthread_mutex_unlock(&workers->lock);
	return threads;
}

/* Threads without tasks end, all but one, which takes what comes later. */
static void test_idle_threads_end(void **state)
{
	const struct nnb_worker_limits limits = { .threads = 8, .per_key = 8, .idle_ns = 1000000 };
	struct nnb_workers workers;
	struct gate gate;

	assert_int_equal(nnb_workers_init(&workers, &limits), 0);
	for (int round = 0; round < 3; round++) {
		gate_init(&gate);
		for (int i = 0; i < 20; i++)
			add(&workers, &gate, 1);
		gate_wait(&gate, &gate.inside, 8);
		assert_int_equal(threads_of(&workers), 8);
		gate_open(&gate);
		nnb_workers_drain(&workers);
		assert_int_equal(gate.ended, 20);
		while (threads_of(&workers) > 1)
			usleep(1000);
	}
	/* It does not end, however long nothing comes. */
	usleep(20000);
	assert_int_equal(threads_of(&workers), 1);
	nnb_workers_fini(&workers);
}

/**
 * struct question - who runs it
 * @task: of a pool
 * @runner: the thread, written
 */
struct question {
	struct nnb_task task;
	pthread_t runner;
};

static void answer(struct nnb_task *task)
{
	((struct question *)task)->runner = pthread_self();
}

/* Tasks that come one after the other are all of one thread's, although many threads wait. */
static void test_one_thread_for_one_task(void **state)
{
	const struct nnb_worker_limits limits = { .threads = 8, .per_key = 8 };
	struct question question = { .task.run = answer };
	struct nnb_workers workers;
	pthread_t first;
	struct gate gate;

	gate_init(&gate);
	assert_int_equal(nnb_workers_init(&workers, &limits), 0);
	for (int i = 0; i < 8; i++)
		add(&workers, &gate, 1);
	gate_wait(&gate, &gate.inside, 8);
	gate_open(&gate);
	nnb_workers_drain(&workers);
	for (int i = 0; i < 20; i++) {
		nnb_workers_add(&workers, &question.task);
		nnb_workers_drain(&workers);
		if (!i)
			first = question.runner;
		assert_true(pthread_equal(question.runner, first));
	}
	nnb_workers_fini(&workers);
}

static void *end(void *workers)
{
	nnb_workers_fini(workers);
	return NULL;
}

/* Threads that had nothing to do when the end was called for, since a key was full, end as well. */
static void test_end_behind_a_stuck_key(void **state)
{
	const struct nnb_worker_limits limits = { .threads = 4, .per_key = 2 };
	struct nnb_workers workers;
	struct gate stuck;
	pthread_t thread;
	bool stop;

	gate_init(&stuck);
	assert_int_equal(nnb_workers_init(&workers, &limits), 0);
	for (int i = 0; i < 10; i++)
		add(&workers, &stuck, 1);
	gate_wait(&stuck, &stuck.inside, 2);
	assert_int_equal(pthread_create(&thread, NULL, end, &workers), 0);
	do {
		/* Time for those that wait to be woken by the call for the end. */
		usleep(20000);
		pthread_mutex_lock(&workers.lock);
		stop = workers.stop;
		pthread_mutex_unlock(&workers.lock);
	} while (!stop);
	usleep(20000);
	gate_open(&stuck);
	pthread_join(thread, NULL);
	assert_int_equal(stuck.ended, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_at_once),
		cmocka_unit_test(test_stuck_key),
		cmocka_unit_test(test_threads_of_a_key),
		cmocka_unit_test(test_idle_threads_end),
		cmocka_unit_test(test_one_thread_for_one_task),
		cmocka_unit_test(test_end_behind_a_stuck_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

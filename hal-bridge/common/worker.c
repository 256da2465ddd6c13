// SPDX-License-Identifier: MIT
/* A pool of worker threads (worker.h). */
#include "hal-bridge/common/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/thread.h"

#define NNB_WORKER_IDLE_NS UINT64_C(10000000000)

/**
 * struct nnb_worker - a thread, on its own stack
 * @next: of the idle ones
 * @woken: signalled when the thread gets a task, and at the end
 * @task: to be run, already counted; NULL while the thread is idle
 */
struct nnb_worker {
	struct nnb_worker *next;
	pthread_cond_t woken;
	struct nnb_task *task;
};

/**
 * struct nnb_worker_start - what a new thread is told
 * @workers: the pool
 * @task: its first one, already counted; NULL for none
 */
struct nnb_worker_start {
	struct nnb_workers *workers;
	struct nnb_task *task;
};

/* ---------------------------------------------------------------------------------------- queue */

/* Return: true if a key has its limit of tasks under way. Called with the lock. */
static bool nnb_workers_is_full(const struct nnb_workers *workers, uint64_t key)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < workers->busy; i++)
		count += workers->keys[i] == key;
	return count >= workers->limits.per_key;
}

/*
 * Removes the first task that may begin from the queue, and counts it. Return: NULL if there is
 * none. Called with the lock.
 */
static struct nnb_task *nnb_workers_take(struct nnb_workers *workers)
{
	struct nnb_task *before = NULL, *task = workers->first;

	while (task && nnb_workers_is_full(workers, task->key)) {
		before = task;
		task = task->next;
	}
	if (!task)
		return NULL;
	if (before)
		before->next = task->next;
	else
		workers->first = task->next;
	if (workers->last == task)
		workers->last = before;
	workers->keys[workers->busy++] = task->key;
	return task;
}

/* Called with the lock. */
static void nnb_workers_forget(struct nnb_workers *workers, uint64_t key)
{
	uint32_t i = 0;

	while (workers->keys[i] != key)
		i++;
	workers->keys[i] = workers->keys[--workers->busy];
}

/* Puts a task that cannot begin back to the head of the queue. Called with the lock. */
static void nnb_workers_return(struct nnb_workers *workers, struct nnb_task *task)
{
	nnb_workers_forget(workers, task->key);
	task->next = workers->first;
	workers->first = task;
	if (!workers->last)
		workers->last = task;
}

/* -------------------------------------------------------------------------------------- threads */

/* Called with the lock. */
static void nnb_workers_remove_idle(struct nnb_workers *workers, const struct nnb_worker *worker)
{
	struct nnb_worker **at = &workers->idle;

	while (*at != worker)
		at = &(*at)->next;
	*at = worker->next;
}

/*
 * Waits for a task, which the thread that gives it has counted. Return: NULL if the thread shall
 * end. Called with the lock.
 */
static struct nnb_task *nnb_worker_wait(struct nnb_workers *workers, struct nnb_worker *self)
{
	const uint64_t end = nna_now_ns() + workers->limits.idle_ns;
	const struct timespec until = {
		.tv_sec = (time_t)(end / 1000000000),
		.tv_nsec = (long)(end % 1000000000),
	};
	bool late = false;

	self->task = NULL;
	self->next = workers->idle;
	workers->idle = self;
	/* The last thread waits for ever: it is idle when a first task comes. */
	while (!self->task && !workers->stop && !(late && workers->threads > 1)) {
		if (late)
			pthread_cond_wait(&self->woken, &workers->lock);
		else
			late = pthread_cond_timedwait(&self->woken, &workers->lock, &until) ==
			       ETIMEDOUT;
	}
	if (!self->task)
		nnb_workers_remove_idle(workers, self);
	return self->task;
}

/* Leaves the pool, and joins the thread that has left before. Called with the lock; drops it. */
static void nnb_worker_leave(struct nnb_workers *workers)
{
	const pthread_t before = workers->gone;
	const bool has_before = workers->has_gone;

	workers->gone = pthread_self();
	workers->has_gone = true;
	workers->threads--;
	pthread_cond_broadcast(&workers->ended);
	pthread_mutex_unlock(&workers->lock);
	if (has_before)
		pthread_join(before, NULL);
}

static void *nnb_worker_run(void *arg)
{
	const struct nnb_worker_start start = *(struct nnb_worker_start *)arg;
	struct nnb_workers *workers = start.workers;
	struct nnb_task *task = start.task;
	struct nnb_worker self;
	uint64_t key;

	free(arg);
	nna_cond_init(&self.woken);
	pthread_mutex_lock(&workers->lock);
	for (;;) {
		if (!task)
			task = nnb_workers_take(workers);
		/* What cannot begin at the end begins on the threads of its key. */
		if (!task && !workers->stop)
			task = nnb_worker_wait(workers, &self);
		if (!task)
			break;
		key = task->key;
		pthread_mutex_unlock(&workers->lock);
		task->run(task);
		pthread_mutex_lock(&workers->lock);
		task = NULL;
		nnb_workers_forget(workers, key);
		pthread_cond_broadcast(&workers->ended);
	}
	pthread_cond_destroy(&self.woken);
	nnb_worker_leave(workers);
	return NULL;
}

/* Starts a thread with a task, or NULL. Called with the lock. Return: 0 or a negative errno. */
static int nnb_workers_grow(struct nnb_workers *workers, struct nnb_task *task)
{
	struct nnb_worker_start *start = malloc(sizeof(*start));
	pthread_t thread;
	int ret;

	if (!start)
		return -ENOMEM;
	*start = (struct nnb_worker_start){ workers, task };
	ret = nna_thread_start(&thread, NULL, nnb_worker_run, start);
	if (ret)
		free(start);
	else
		workers->threads++;
	return ret;
}

/* ----------------------------------------------------------------------------------------- pool */

int nnb_workers_init(struct nnb_workers *workers, const struct nnb_worker_limits *limits)
{
	int ret = -ENOMEM;

	*workers = (struct nnb_workers){ .limits = *limits };
	if (!workers->limits.idle_ns)
		workers->limits.idle_ns = NNB_WORKER_IDLE_NS;
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->ended, NULL);
	workers->keys = calloc(limits->threads, sizeof(*workers->keys));
	if (workers->keys) {
		pthread_mutex_lock(&workers->lock);
		ret = nnb_workers_grow(workers, NULL);
		pthread_mutex_unlock(&workers->lock);
	}
	if (ret)
		nnb_workers_fini(workers);
	return ret;
}

void nnb_workers_fini(struct nnb_workers *workers)
{
	pthread_mutex_lock(&workers->lock);
	workers->stop = true;
	for (struct nnb_worker *worker = workers->idle; worker; worker = worker->next)
		pthread_cond_signal(&worker->woken);
	while (workers->threads)
		pthread_cond_wait(&workers->ended, &workers->lock);
	pthread_mutex_unlock(&workers->lock);
	if (workers->has_gone)
		pthread_join(workers->gone, NULL);
	free(workers->keys);
	pthread_cond_destroy(&workers->ended);
	pthread_mutex_destroy(&workers->lock);
}

void nnb_workers_add(struct nnb_workers *workers, struct nnb_task *task)
{
	struct nnb_worker *worker;

	task->next = NULL;
	pthread_mutex_lock(&workers->lock);
	if (workers->last)
		workers->last->next = task;
	else
		workers->first = task;
	workers->last = task;
	worker = workers->idle;
	task = worker || workers->threads < workers->limits.threads ? nnb_workers_take(workers)
								     : NULL;
	if (task && worker) {
		workers->idle = worker->next;
		worker->task = task;
		pthread_cond_signal(&worker->woken);
	} else if (task && nnb_workers_grow(workers, task)) {
		/* If no thread can be started, the task waits for one of the others. */
		nnb_workers_return(workers, task);
	}
	pthread_mutex_unlock(&workers->lock);
}

void nnb_workers_drain(struct nnb_workers *workers)
{
	pthread_mutex_lock(&workers->lock);
	while (workers->first || workers->busy)
		pthread_cond_wait(&workers->ended, &workers->lock);
	pthread_mutex_unlock(&workers->lock);
}

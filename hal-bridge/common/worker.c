// SPDX-License-Identifier: MIT
/* A pool of worker threads (worker.h). */
#include "hal-bridge/common/worker.h"

#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/support/thread.h"

/* Return: true if a key has its limit of tasks under way. Called with the lock. */
static bool nnb_workers_is_full(const struct nnb_workers *workers, uint64_t key)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < workers->busy; i++)
		count += workers->keys[i] == key;
	return count >= workers->limits.per_key;
}

/*
 * Removes the first task that may begin from the queue. Return: NULL if there is none. Called with
 * the lock.
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
static void nnb_workers_end(struct nnb_workers *workers, uint64_t key)
{
	uint32_t i = 0;

	while (workers->keys[i] != key)
		i++;
	workers->keys[i] = workers->keys[--workers->busy];
	pthread_cond_broadcast(&workers->ended);
	/*
	 * A thread that waits because all queued keys were full looks again; it ends if the queue
	 * is empty.
	 */
	if (workers->stop)
		pthread_cond_broadcast(&workers->added);
}

static void *nnb_worker_run(void *arg)
{
	struct nnb_workers *workers = arg;
	struct nnb_task *task;
	uint64_t key;

	pthread_mutex_lock(&workers->lock);
	for (;;) {
		task = nnb_workers_take(workers);
		if (!task) {
			if (workers->stop && !workers->first)
				break;
			workers->idle++;
			pthread_cond_wait(&workers->added, &workers->lock);
			workers->idle--;
			continue;
		}
		key = task->key;
		pthread_mutex_unlock(&workers->lock);
		task->run(task);
		pthread_mutex_lock(&workers->lock);
		nnb_workers_end(workers, key);
	}
	pthread_mutex_unlock(&workers->lock);
	return NULL;
}

/* Return: true if more tasks could begin than threads wait. Called with the lock. */
static bool nnb_workers_lack(const struct nnb_workers *workers)
{
	uint32_t ready = 0;

	for (const struct nnb_task *task = workers->first; task && ready <= workers->idle;
	     task = task->next)
		ready += !nnb_workers_is_full(workers, task->key);
	return ready > workers->idle;
}

/* Starts one more thread, up to the limit. Called with the lock. Return: 0 or a negative errno. */
static int nnb_workers_grow(struct nnb_workers *workers)
{
	int ret;

	if (workers->thread_count == workers->limits.threads)
		return -EAGAIN;
	ret = nna_thread_start(&workers->threads[workers->thread_count], NULL, nnb_worker_run,
			       workers);
	if (!ret)
		workers->thread_count++;
	return ret;
}

int nnb_workers_init(struct nnb_workers *workers, const struct nnb_worker_limits *limits)
{
	int ret = -ENOMEM;

	*workers = (struct nnb_workers){ .limits = *limits };
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->added, NULL);
	pthread_cond_init(&workers->ended, NULL);
	workers->threads = calloc(limits->threads, sizeof(*workers->threads));
	workers->keys = calloc(limits->threads, sizeof(*workers->keys));
	if (workers->threads && workers->keys) {
		pthread_mutex_lock(&workers->lock);
		ret = nnb_workers_grow(workers);
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
	pthread_cond_broadcast(&workers->added);
	pthread_mutex_unlock(&workers->lock);
	for (uint32_t i = 0; i < workers->thread_count; i++)
		pthread_join(workers->threads[i], NULL);
	free(workers->threads);
	free(workers->keys);
	pthread_cond_destroy(&workers->added);
	pthread_cond_destroy(&workers->ended);
	pthread_mutex_destroy(&workers->lock);
}

void nnb_workers_add(struct nnb_workers *workers, struct nnb_task *task)
{
	task->next = NULL;
	pthread_mutex_lock(&workers->lock);
	if (workers->last)
		workers->last->next = task;
	else
		workers->first = task;
	workers->last = task;
	/* If no thread can be started, the task waits for one of the others. */
	if (nnb_workers_lack(workers))
		nnb_workers_grow(workers);
	pthread_cond_signal(&workers->added);
	pthread_mutex_unlock(&workers->lock);
}

void nnb_workers_drain(struct nnb_workers *workers)
{
	pthread_mutex_lock(&workers->lock);
	while (workers->first || workers->busy)
		pthread_cond_wait(&workers->ended, &workers->lock);
	pthread_mutex_unlock(&workers->lock);
}

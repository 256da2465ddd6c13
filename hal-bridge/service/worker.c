// SPDX-License-Identifier: MIT
/* Worker threads (worker.h). */
#include "hal-bridge/service/worker.h"

#include <errno.h>
#include <stdlib.h>

static void *nnb_worker_run(void *arg)
{
	struct nnb_workers *workers = arg;
	struct nnb_task *task;

	pthread_mutex_lock(&workers->lock);
	for (;;) {
		while (!workers->first && !workers->stop)
			pthread_cond_wait(&workers->changed, &workers->lock);
		task = workers->first;
		if (!task)
			break;
		workers->first = task->next;
		if (!workers->first)
			workers->last = NULL;
		workers->busy++;
		pthread_mutex_unlock(&workers->lock);
		task->run(task);
		pthread_mutex_lock(&workers->lock);
		workers->busy--;
		pthread_cond_broadcast(&workers->changed);
	}
	pthread_mutex_unlock(&workers->lock);
	return NULL;
}

int nnb_workers_init(struct nnb_workers *workers, uint32_t count)
{
	*workers = (struct nnb_workers){.stop = false};
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->changed, NULL);
	workers->threads = calloc(count, sizeof(*workers->threads));
	for (; workers->threads && workers->thread_count < count; workers->thread_count++) {
		if (pthread_create(&workers->threads[workers->thread_count], NULL, nnb_worker_run,
				   workers))
			break;
	}
	if (workers->thread_count)
		return 0;
	nnb_workers_fini(workers);
	return -ENOMEM;
}

void nnb_workers_fini(struct nnb_workers *workers)
{
	pthread_mutex_lock(&workers->lock);
	workers->stop = true;
	pthread_cond_broadcast(&workers->changed);
	pthread_mutex_unlock(&workers->lock);
	for (uint32_t i = 0; i < workers->thread_count; i++)
		pthread_join(workers->threads[i], NULL);
	free(workers->threads);
	pthread_cond_destroy(&workers->changed);
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
	pthread_cond_broadcast(&workers->changed);
	pthread_mutex_unlock(&workers->lock);
}

void nnb_workers_drain(struct nnb_workers *workers)
{
	pthread_mutex_lock(&workers->lock);
	while (workers->first || workers->busy)
		pthread_cond_wait(&workers->changed, &workers->lock);
	pthread_mutex_unlock(&workers->lock);
}

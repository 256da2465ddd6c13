/* SPDX-License-Identifier: MIT */
/*
 * Threads for what a call must not wait for: compiling, above all. Tasks are done in the order in
 * which they were added, as many at a time as there are threads.
 */
#ifndef NNB_WORKER_H
#define NNB_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct nnb_task - something to do; the caller embeds it
 * @next: of the queue
 * @run: does it, and frees what the task lies in
 */
struct nnb_task {
	struct nnb_task *next;
	void (*run)(struct nnb_task *task);
};

/**
 * struct nnb_workers - threads and their queue
 * @lock: of all that follows
 * @changed: a task was added, one has ended, or the end has come
 * @first: the queue; NULL for none
 * @last: its end
 * @busy: threads that do a task
 * @stop: threads end when the queue is empty
 * @threads: @thread_count of them, owned
 * @thread_count: entries of @threads
 */
struct nnb_workers {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct nnb_task *first, *last;
	uint32_t busy;
	bool stop;
	pthread_t *threads;
	uint32_t thread_count;
};

/* Starts @count threads. Return: 0 or a negative errno. */
int nnb_workers_init(struct nnb_workers *workers, uint32_t count);
/* Does what is queued, and ends the threads. */
void nnb_workers_fini(struct nnb_workers *workers);
void nnb_workers_add(struct nnb_workers *workers, struct nnb_task *task);
/* Waits until nothing is queued or under way. */
void nnb_workers_drain(struct nnb_workers *workers);

#endif

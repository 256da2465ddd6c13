/* SPDX-License-Identifier: MIT */
/*
 * Threads for what somebody must not wait for: calls of clients, compiling, telling a client. Tasks
 * begin in the order in which they were added, but a key (a client's user) has only so many under
 * way at a time: whoever is slow, or never ends, holds up nobody but itself.
 *
 * Threads are made when there is something to do and none is free, and stay until the end.
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
 * @key: whose it is
 */
struct nnb_task {
	struct nnb_task *next;
	void (*run)(struct nnb_task *task);
	uint64_t key;
};

/**
 * struct nnb_worker_limits - how much at a time
 * @threads: in all
 * @per_key: tasks of a key
 */
struct nnb_worker_limits {
	uint32_t threads, per_key;
};

/**
 * struct nnb_workers - threads and their queue
 * @limits: constant
 * @lock: of all that follows
 * @added: a task was added, or the end has come
 * @ended: a task has ended
 * @first: the queue; NULL for none
 * @last: its end
 * @keys: of what is under way, @busy entries; room for @limits.threads, owned
 * @busy: threads that do a task
 * @idle: threads that wait
 * @stop: threads end when the queue is empty
 * @threads: @thread_count of them, owned
 * @thread_count: entries of @threads
 */
struct nnb_workers {
	struct nnb_worker_limits limits;
	pthread_mutex_t lock;
	pthread_cond_t added, ended;
	struct nnb_task *first, *last;
	uint64_t *keys;
	uint32_t busy, idle;
	bool stop;
	pthread_t *threads;
	uint32_t thread_count;
};

/* Starts the first thread. Return: 0 or a negative errno. */
int nnb_workers_init(struct nnb_workers *workers, const struct nnb_worker_limits *limits);
/* Does what is queued, and ends the threads. */
void nnb_workers_fini(struct nnb_workers *workers);
void nnb_workers_add(struct nnb_workers *workers, struct nnb_task *task);
/* Waits until nothing is queued or under way. */
void nnb_workers_drain(struct nnb_workers *workers);

#endif

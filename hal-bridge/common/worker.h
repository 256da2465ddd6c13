/* SPDX-License-Identifier: MIT */
/*
 * A pool of threads for work that its caller must not wait for: calls of clients, compilations,
 * callbacks. Tasks begin in the order of addition, but each key (a client's user) has a limit of
 * tasks under way: a slow or endless task delays only tasks of its own key.
 *
 * A thread is started when a task can begin and no thread is free, so a key never causes more
 * threads than its limit. The thread that was busy last takes the next task, so a steady load uses
 * few threads, with their stacks and their caches of malloc(). A thread that has had nothing to do
 * for a while ends; one stays.
 */
#ifndef NNB_WORKER_H
#define NNB_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct nnb_worker;

/**
 * struct nnb_task - a piece of work; the caller embeds it
 * @next: of the queue
 * @run: does the work, and frees the structure that embeds the task
 * @key: whose tasks are limited together
 */
struct nnb_task {
	struct nnb_task *next;
	void (*run)(struct nnb_task *task);
	uint64_t key;
};

/**
 * struct nnb_worker_limits - the limits of a pool
 * @threads: all threads
 * @per_key: tasks of a key that are under way
 * @idle_ns: for how long a thread waits for a task before it ends; 0 for ten seconds
 */
struct nnb_worker_limits {
	uint32_t threads, per_key;
	uint64_t idle_ns;
};

/**
 * struct nnb_workers - a pool of threads and its queue
 * @limits: constant
 * @lock: guards the fields below
 * @ended: signalled when a task has ended, and when a thread has
 * @first: head of the queue; NULL for none. While a thread is idle, no task of the queue may begin
 * @last: tail of the queue
 * @keys: keys of the tasks under way, @busy entries; room for @limits.threads, owned
 * @busy: tasks that are under way
 * @idle: threads that wait, the one that was busy last first
 * @stop: threads end when the queue is empty
 * @threads: threads that have not ended
 * @gone: the thread that has ended last, to be joined if @has_gone
 * @has_gone: @gone is a thread
 */
struct nnb_workers {
	struct nnb_worker_limits limits;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct nnb_task *first, *last;
	uint64_t *keys;
	uint32_t busy;
	struct nnb_worker *idle;
	bool stop;
	uint32_t threads;
	pthread_t gone;
	bool has_gone;
};

/* Starts the first thread. Return: 0 or a negative errno. */
int nnb_workers_init(struct nnb_workers *workers, const struct nnb_worker_limits *limits);
/* Runs the queued tasks, and ends the threads. */
void nnb_workers_fini(struct nnb_workers *workers);
void nnb_workers_add(struct nnb_workers *workers, struct nnb_task *task);
/* Waits until no task is queued or under way. */
void nnb_workers_drain(struct nnb_workers *workers);

#endif

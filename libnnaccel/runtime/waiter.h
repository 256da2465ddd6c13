/* SPDX-License-Identifier: MIT */
/*
 * The waiter of a device: it waits for fds, and calls back when they have signalled. It serves
 * dependent runs (dependent.c), and does not know their type.
 *
 * Data and ownership
 *
 *	waiter	part of the device. Its thread is started by the first wait and joined when the
 *		device is closed; a device that never waits has none.
 *	wait	part of what the owner waits for. It is the waiter's from nna_waiter_add() until
 *		@done is called or nna_waiter_cancel() has taken it back. Its fds stay the owner's,
 *		and open until then.
 *
 * Threads
 *
 *	the poller	polls the fds of all waits and calls @done of those that are not @slow. No
 *			other wait ends meanwhile, so such a @done may submit, copy and take short
 *			locks, but must not wait for anything that takes time.
 *	the runner	calls @done of slow waits, and of those that end before all of their fds
 *			have signalled, one after the other: it may compile, run a program to its
 *			end, and drop references to runs that have not ended. It is started when
 *			it is first needed.
 *
 * Any thread may add and cancel waits, also in @done. Both threads block all signals.
 *
 * Locks: no thread waits or calls @done while it holds @lock. @lock is taken last.
 *
 * fork(): the threads belong to the parent. In a child no wait can be added, and nna_waiter_fini()
 * does nothing. The waiter uses poll() rather than an epoll set, because a child would share the
 * set.
 */
#ifndef NNA_RUNTIME_WAITER_H
#define NNA_RUNTIME_WAITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pollfd;

/**
 * struct nna_wait - fds to wait for
 * @fds: @count fds that poll readable when signalled. The waiter replaces each fd that has
 *	signalled by ~fd.
 * @count: length of @fds; may be 0
 * @deadline_ns: when to give up, absolute CLOCK_MONOTONIC; 0 is never
 * @slow: @done may take long
 * @done: called once, without locks. @error: 0: all fds have signalled; -ECANCELED: one has failed,
 *	or the device is being closed; -EBADF: one is not open; -ETIMEDOUT: the deadline has passed.
 *	The owner may free the wait or add it again.
 * @next: the waiter's: the next in a list
 * @left: the waiter's: fds that have not signalled
 * @error: the waiter's: for @done
 */
struct nna_wait {
	int *fds;
	uint32_t count;
	uint64_t deadline_ns;
	bool slow;
	void (*done)(struct nna_wait *wait, int error);
	struct nna_wait *next;
	uint32_t left;
	int error;
};

/**
 * struct nna_wait_list - waits, the first added first
 */
struct nna_wait_list {
	struct nna_wait *first, **end;
};

/**
 * struct nna_waiter - the waiter of a device
 * @lock: guards all other members
 * @pid: the process that the threads belong to
 * @wake: an eventfd that the poller polls; -1 until there is a poller
 * @poller_runs: there is a @poller
 * @runner_runs: there is a @runner
 * @stop: the threads shall end
 * @removed: counts the waits that were cancelled, so that the poller knows that the list has
 *	changed since it was collected
 * @polled: waits whose fds are polled
 * @ready: slow waits for the runner
 * @ready_changed: signalled when @ready or @stop changes
 */
struct nna_waiter {
	pthread_mutex_t lock;
	pid_t pid;
	int wake;
	pthread_t poller, runner;
	bool poller_runs, runner_runs;
	bool stop;
	uint64_t removed;
	struct nna_wait_list polled, ready;
	pthread_cond_t ready_changed;
};

void nna_waiter_init(struct nna_waiter *waiter);
/*
 * Ends the threads, and then calls @done of all waits with -ECANCELED in the calling thread, which
 * must not be one of them. Does nothing in a child of fork().
 */
void nna_waiter_fini(struct nna_waiter *waiter);

/*
 * Adds a wait. Return: 0; or a negative errno, and @done will not be called: -ECANCELED (the device
 * is being closed), -ECHILD (the parent process opened the device), or the error of starting a
 * thread.
 */
int nna_waiter_add(struct nna_waiter *waiter, struct nna_wait *wait);
/*
 * Cancels a wait. Return: true if @done will not be called; false if it was called, or is about to
 * be.
 */
bool nna_waiter_cancel(struct nna_waiter *waiter, struct nna_wait *wait);

#endif

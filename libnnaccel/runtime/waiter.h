/* SPDX-License-Identifier: MIT */
/*
 * The waiter of a device: it waits for fds, and calls back when they have signalled. Runs that the
 * device cannot wait with (dependent.c) are what it is for; it knows nothing of them.
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
 *			end, and give back what has not ended. It is started when first needed.
 *
 * Any thread may add and cancel, @done too. Both threads block all signals.
 *
 * Locks: @lock is held over nothing that waits, and never over @done. It is the last one to be
 * taken.
 *
 * fork(): the threads are the parent's. In a child nothing can be added, and the end does nothing.
 * The fds are polled rather than put into an epoll set, which a child would share.
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
 * @fds: @count fds that poll readable when signalled. The waiter turns those that have signalled
 *	into ~fd.
 * @count: length of @fds; may be 0
 * @deadline_ns: when to give up, absolute CLOCK_MONOTONIC; 0 is never
 * @slow: @done may take long
 * @done: called once, without locks. @error: 0: all have signalled; -ECANCELED: one has failed, or
 *	the device is closed; -EBADF: one is not open; -ETIMEDOUT: the deadline has passed. The wait
 *	is the owner's again, which may free it or add it anew.
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
 * @lock: guards all the rest but @polls
 * @pid: the process that the threads belong to
 * @wake: an eventfd that the poller polls; -1 until there is a poller
 * @poller_runs: there is a @poller
 * @runner_runs: there is a @runner
 * @stop: the threads shall end
 * @removed: counts the waits that were taken back, so that the poller knows that what it has polled
 *	is not the list any more
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
 * Ends the threads, and then calls @done of all waits with -ECANCELED in this one, which must not
 * be of them. In a child of fork() it does nothing.
 */
void nna_waiter_fini(struct nna_waiter *waiter);

/*
 * Waits for @wait. Return: 0; or a negative errno, and @done will not be called: -ECANCELED (the
 * device is being closed), -ECHILD (the device is the parent process's), or why there is no thread.
 */
int nna_waiter_add(struct nna_waiter *waiter, struct nna_wait *wait);
/*
 * Takes a wait back. Return: false when @done has been called, or is about to be; true when it will
 * not be.
 */
bool nna_waiter_cancel(struct nna_waiter *waiter, struct nna_wait *wait);

#endif

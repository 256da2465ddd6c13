/* SPDX-License-Identifier: MIT */
/*
 * A thread that gives back what nobody has used for some seconds: the start, the sleep and the end
 * of one. What it looks after is its owner's, who puts a struct nna_watchdog beside it and guards
 * both with its lock. Every folder may include this file.
 *
 * The thread is made when there is something to look after for the first time.
 */
#ifndef NNA_WATCHDOG_H
#define NNA_WATCHDOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A time for nna_watchdog_sleep() that does not come. */
#define NNA_WATCHDOG_NEVER UINT64_MAX

/**
 * struct nna_watchdog - a thread that sleeps most of the time
 * @lock: of what follows, and of what the owner wants it to be of
 * @changed: whoever signals it ends a sleep
 * @thread: when @runs
 * @runs: there is a thread
 * @sleeps: it sleeps without a time
 * @stop: it shall end
 */
struct nna_watchdog {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool runs, sleeps, stop;
};

void nna_watchdog_init(struct nna_watchdog *watchdog);
/* Ends the thread, without the lock. */
void nna_watchdog_fini(struct nna_watchdog *watchdog);

/**
 * nna_watchdog_wake() - have it look at what there is; with the lock
 * @watchdog: the watchdog; one whose end has begun stays as it is
 * @run: its thread, which this starts unless there is one. It takes the lock, and returns
 *	without it once @watchdog->stop is set.
 * @arg: handed to @run
 *
 * A thread that sleeps for a time sleeps on: what is new is due later than what it waits for.
 * Without memory for a thread there is none, and the next call tries again.
 */
void nna_watchdog_wake(struct nna_watchdog *watchdog, void *(*run)(void *arg), void *arg);

/**
 * nna_watchdog_sleep() - wait, as the thread; with the lock, which is not held meanwhile
 * @watchdog: the watchdog
 * @until_ns: of CLOCK_MONOTONIC, or NNA_WATCHDOG_NEVER
 *
 * Return: false when the time has come, true when it was woken before, maybe for nothing.
 */
bool nna_watchdog_sleep(struct nna_watchdog *watchdog, uint64_t until_ns);

#endif

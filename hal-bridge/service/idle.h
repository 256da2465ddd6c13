/* SPDX-License-Identifier: MIT */
/*
 * The service's watchdog tells when to give back the memories that are kept for calls that may come
 * (memory_cache.h) and that no call has used for some seconds. Its thread is the service's, which
 * starts it with the first client (libnnaccel/support/watchdog.h). The thread sleeps without a time
 * limit while nothing is kept.
 */
#ifndef NNB_IDLE_H
#define NNB_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "libnnaccel/support/watchdog.h"

/* Between two sweeps, each of which gives back what has not been used since the one before. */
#define NNB_IDLE_NS 2500000000ull

/**
 * struct nnb_idle - the watchdog of a service
 * @period_ns: between two sweeps; only tests change it
 * @watchdog: the thread; its lock is of @kept, too
 * @kept: there may be something to be given back
 */
struct nnb_idle {
	uint64_t period_ns;
	struct nna_watchdog watchdog;
	bool kept;
};

void nnb_idle_init(struct nnb_idle *idle);
/* Ends the thread. */
void nnb_idle_fini(struct nnb_idle *idle);
/*
 * Starts the thread @run(@arg), unless it runs. Without memory for a thread there is none, and the
 * next call tries again.
 */
void nnb_idle_start(struct nnb_idle *idle, void *(*run)(void *arg), void *arg);
/* Something is kept. */
void nnb_idle_watch(struct nnb_idle *idle);

/* For the thread: waits until a sweep is due. Return: false when the thread has to end. */
bool nnb_idle_wait(struct nnb_idle *idle);
/* For the thread: something is @left after a sweep, or nothing is. */
void nnb_idle_tell(struct nnb_idle *idle, bool left);

#endif

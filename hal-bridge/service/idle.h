/* SPDX-License-Identifier: MIT */
/*
 * The service's watchdog. It decides when to release memories that are kept for later calls
 * (memory_cache.h) and that no call has used for some seconds. Its thread belongs to the service,
 * which starts it with the first client (libnnaccel/support/watchdog.h). The thread sleeps without
 * a time limit while no memory is kept.
 */
#ifndef NNB_IDLE_H
#define NNB_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "libnnaccel/support/watchdog.h"

/*
 * The time between two sweeps. A sweep releases memories that were not used since the previous one.
 */
#define NNB_IDLE_NS 2500000000ull

/**
 * struct nnb_idle - the watchdog of a service
 * @period_ns: the time between two sweeps; only tests change it
 * @watchdog: the thread; its lock also guards @kept
 * @kept: there may be memories to release
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
 * Starts the thread @run(@arg), unless it runs. If the thread cannot be created, the service goes
 * on without it, and the next call tries again.
 */
void nnb_idle_start(struct nnb_idle *idle, void *(*run)(void *arg), void *arg);
/* Reports that a memory is kept. */
void nnb_idle_watch(struct nnb_idle *idle);

/* For the thread: waits until a sweep is due. Return: false if the thread has to end. */
bool nnb_idle_wait(struct nnb_idle *idle);
/* For the thread: reports whether a sweep has left any kept memory. */
void nnb_idle_tell(struct nnb_idle *idle, bool left);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The service's watchdog: what is kept for calls that may come, and has not been used for some
 * seconds, is given back. It is a thread (libnnaccel/support/watchdog.h), started when something is
 * kept for the first time, that sleeps without a time while nothing is.
 */
#ifndef NNB_IDLE_H
#define NNB_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "libnnaccel/support/watchdog.h"

struct nnb_service;

/* Between two sweeps, each of which gives back what has not been used since the one before. */
#define NNB_IDLE_NS 2500000000ull

/**
 * struct nnb_idle - the watchdog of a service
 * @service: what is swept
 * @period_ns: between two sweeps; only tests change it
 * @watchdog: the thread; its lock is of @kept, too
 * @kept: there may be something to be given back
 */
struct nnb_idle {
	struct nnb_service *service;
	uint64_t period_ns;
	struct nna_watchdog watchdog;
	bool kept;
};

void nnb_idle_init(struct nnb_idle *idle, struct nnb_service *service);
/* Ends the thread. */
void nnb_idle_fini(struct nnb_idle *idle);
/* Something is kept. */
void nnb_idle_watch(struct nnb_idle *idle);

#endif

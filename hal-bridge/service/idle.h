/* SPDX-License-Identifier: MIT */
/*
 * The service's watchdog: what is kept for calls that may come, and has not been used for some
 * seconds, is given back. It is a thread, started when something is kept for the first time, that
 * sleeps without a time while nothing is.
 */
#ifndef NNB_IDLE_H
#define NNB_IDLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct nnb_service;

/* Between two sweeps, each of which gives back what has not been used since the one before. */
#define NNB_IDLE_NS 2500000000ull

/**
 * struct nnb_idle - the watchdog of a service
 * @service: what is swept
 * @period_ns: between two sweeps; only tests change it
 * @lock: of what follows
 * @changed: @stop is set, or @kept is
 * @thread: when @runs
 * @runs: there is a thread
 * @kept: there may be something to be given back
 * @stop: it shall end
 */
struct nnb_idle {
	struct nnb_service *service;
	uint64_t period_ns;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool runs, kept, stop;
};

void nnb_idle_init(struct nnb_idle *idle, struct nnb_service *service);
/* Ends the thread. */
void nnb_idle_fini(struct nnb_idle *idle);
/* Something is kept. */
void nnb_idle_watch(struct nnb_idle *idle);

#endif

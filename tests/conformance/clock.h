/* SPDX-License-Identifier: MIT */
/* The clock that deadlines and durations are of, CLOCK_MONOTONIC, and waits that end by it. */
#ifndef NNV_CLOCK_H
#define NNV_CLOCK_H

#include <pthread.h>
#include <stdint.h>

/* Now, in ns. */
uint64_t nnv_clock_now(void);

/* A condition that nnv_clock_wait() can wait for. */
void nnv_clock_init_cond(pthread_cond_t *cond);

/**
 * nnv_clock_wait() - wait for a condition, at most until a point in time
 * @cond: of nnv_clock_init_cond()
 * @lock: held
 * @until_ns: as nnv_clock_now() counts
 *
 * Return: 0, or ETIMEDOUT; the condition may also be woken without a reason.
 */
int nnv_clock_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until_ns);

#endif

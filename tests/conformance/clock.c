// SPDX-License-Identifier: MIT
#include "tests/conformance/clock.h"

#include <time.h>

#define SECOND_NS 1000000000u

uint64_t nnv_clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

void nnv_clock_init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

int nnv_clock_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until_ns)
{
	const struct timespec until = { .tv_sec = (time_t)(until_ns / SECOND_NS),
					.tv_nsec = (long)(until_ns % SECOND_NS) };

	return pthread_cond_timedwait(cond, lock, &until);
}

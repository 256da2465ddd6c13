/* SPDX-License-Identifier: MIT */
/*
 * The clock that all deadlines of the library are told in. Every folder may include this file.
 */
#ifndef NNA_CLOCK_H
#define NNA_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return: CLOCK_MONOTONIC in nanoseconds, as the kernel and nnaccel.h take absolute deadlines. */
static inline uint64_t nna_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}

#endif

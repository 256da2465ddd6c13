// SPDX-License-Identifier: MIT
/* The clock by which runs are measured and jobs' shares of the time are told. */
#include "tools/nnactl/nnactl.h"

#include <time.h>

uint64_t nnactl_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// SPDX-License-Identifier: MIT
#include "libnnaccel/support/coverage.h"

#include <stdio.h>

const char *nna_coverage_describe(uint32_t taken, uint32_t all, const char *device,
				  const char *others, char *to)
{
	const uint32_t rest = all - taken;

	if (!rest)
		snprintf(to, NNA_COVERAGE_SIZE, "%u of %u operator%s on %.100s", taken, all,
			 all == 1 ? "" : "s", device);
	else
		snprintf(to, NNA_COVERAGE_SIZE, "%u of %u operator%s on %.100s, the other%s %.80s",
			 taken, all, all == 1 ? "" : "s", device, rest == 1 ? "" : "s",
			 others ? others : "nowhere");
	return to;
}

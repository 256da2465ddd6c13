/* SPDX-License-Identifier: MIT */
/* The counts in memory by which a driver tells a slow job from one that hangs. */
#ifndef NNADEV_PROGRESS_H
#define NNADEV_PROGRESS_H

#include "device/nna/core/base.h"

#define NNADEV_PROGRESS_NS 20000000u /* a count is written no more often than that */

/**
 * struct nnadev_progress - the counts of the job rings; the command processor's
 * @counts: as written last
 * @due: nnadev_clock_now() time from which on a count may be written again
 */
struct nnadev_progress {
	uint64_t counts[NNAHW_JOB_RINGS];
	uint64_t due[NNAHW_JOB_RINGS];
};

/* The job of @ring has come forward, by @now. */
void nnadev_progress_note(struct nnadev_base *base, struct nnadev_progress *progress, uint32_t ring,
			  uint64_t now);

#endif

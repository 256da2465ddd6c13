/* SPDX-License-Identifier: MIT */
/*
 * Deadlines: of a miss, front ends say whether another try could be in time.
 *
 *	PERSISTENT	the deadline was past at the call, or the job itself needs longer than it
 *			was given, whatever else the device does
 *	TRANSIENT	anything else: the job waited for others, or its loop ran over its limit
 *
 * The device ends a job at its deadline, so the job's own time does not come to more than what was
 * left of it when the job began. The job is taken to need longer if it had the device for nine
 * tenths of its limit.
 *
 * A struct nnb_deadline belongs to one run or one compilation; nothing here locks.
 */
#ifndef NNB_DEADLINE_H
#define NNB_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct nnb_deadline - how long a run or a compilation was given
 * @limit_ns: from the call, or from when it could begin; 0 is no limit
 * @past: it was over at the call
 */
struct nnb_deadline {
	uint64_t limit_ns;
	bool past;
};

/*
 * Begins with @limit_ns from now; 0, or what is beyond the clock, is none. Return: the absolute
 * CLOCK_MONOTONIC time in ns, 0 is none.
 */
uint64_t nnb_deadline_begin(struct nnb_deadline *deadline, uint64_t limit_ns);
/* The same with an absolute time, 0 is none. */
void nnb_deadline_begin_at(struct nnb_deadline *deadline, uint64_t at_ns);
/* A limit besides, which counts if it is the shorter one; 0 is none. */
void nnb_deadline_limit(struct nnb_deadline *deadline, uint64_t limit_ns);

/*
 * The code of a miss: ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT or _TRANSIENT. @run_ns: how long
 * the device worked on it, suspension not counted; 0 for a compilation.
 */
int nnb_deadline_result(const struct nnb_deadline *deadline, uint64_t run_ns);

#endif

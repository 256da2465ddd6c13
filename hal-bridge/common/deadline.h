/* SPDX-License-Identifier: MIT */
/*
 * Deadlines. After a miss, a front end tells its client whether another try could succeed.
 *
 *	PERSISTENT	the deadline was past at the call, or the job needs more time than its
 *			limit even on an idle device
 *	TRANSIENT	any other miss: the job waited for others, or its loop ran over its limit
 *
 * The device ends a job at its deadline, so the job's run time cannot exceed the time that was left
 * when the job began. A job counts as too slow if it had the device for nine tenths of its limit.
 *
 * A struct nnb_deadline belongs to one run or one compilation and has no lock.
 */
#ifndef NNB_DEADLINE_H
#define NNB_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct nnb_deadline - the time limit of a run or a compilation
 * @limit_ns: from the call, or from the moment when it could begin; 0 for no limit
 * @past: the deadline was past at the call
 */
struct nnb_deadline {
	uint64_t limit_ns;
	bool past;
};

/*
 * Starts a deadline @limit_ns from now. 0, or a time that overflows the clock, means no deadline.
 * Return: the absolute CLOCK_MONOTONIC time in ns, 0 for none.
 */
uint64_t nnb_deadline_begin(struct nnb_deadline *deadline, uint64_t limit_ns);
/* Starts a deadline at an absolute CLOCK_MONOTONIC time in ns, 0 for none. */
void nnb_deadline_begin_at(struct nnb_deadline *deadline, uint64_t at_ns);
/* Adds a second limit; the shorter one counts. 0 for none. */
void nnb_deadline_limit(struct nnb_deadline *deadline, uint64_t limit_ns);

/*
 * Return: the result code of a miss, ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT or _TRANSIENT.
 * @run_ns: the device's run time without suspension; 0 for a compilation.
 */
int nnb_deadline_result(const struct nnb_deadline *deadline, uint64_t run_ns);

#endif

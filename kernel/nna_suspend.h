/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suspend and resume, called by the driver core.
 *
 * Suspend resets the device and leaves the rings disabled. Then the device has no translations, so
 * binds need not resume it. Runtime suspend follows when no reference is held (nna_pm.h).
 *
 * System suspend takes the jobs off the device, whatever they do, and goes through these states:
 *
 *  running	jobs go on the rings and end.
 *		suspend: stop the schedulers, so that no job goes on a ring -> yielding
 *  yielding	each ring with jobs is told to yield (YIELD of the device, see nna_ring.h). A job
 *		that has begun yields before its next command, one that has not yields at once.
 *		- a reset has put jobs on a ring again: tell it again
 *		- no job has ended or yielded for NNA_YIELD_MS: abort the one that the device has
 *		  run longest (-ECANCELED), and log its process
 *		- the rings are empty, or the device takes no YIELD or ABORT -> suspended
 *  suspended	the device has been reset. The rings keep the jobs that have yielded, and those
 *		that the device had not begun. A job that it had begun and has not given back has
 *		ended with -ECANCELED.
 *		resume: write the kept jobs to their rings, in their order, with what is left of
 *		their budgets and loop limits, and with deadlines by a new reading of the device's
 *		clock; start the schedulers -> running
 *
 * A job goes on behind the last command that it has run. Its fence, its reserved ring entry and its
 * job quota stay as they are; its run time is the sum of all parts. Jobs in the gates and the
 * schedulers wait for the resume. So suspend takes at most NNA_YIELD_MS and the time of an abort
 * for each ring, and a reset, and cannot fail.
 *
 * A device before ABI 1.2 knows no YIELD. Then suspend waits until the jobs on the rings have
 * ended, and fails with -EBUSY if that takes longer than the timeout of jobs. It does the same
 * while the bus recovers from an error.
 */
#ifndef NNA_SUSPEND_H
#define NNA_SUSPEND_H

#include <linux/pm.h>

/**
 * NNA_YIELD_MS - How long a command may run after YIELD. If no job has ended or yielded for this
 * time, system suspend aborts one.
 */
#define NNA_YIELD_MS	2000

/** nna_suspend_ops - &device_driver.pm. */
extern const struct dev_pm_ops nna_suspend_ops;

#endif

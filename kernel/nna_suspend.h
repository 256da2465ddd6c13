/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suspend and resume, called by the driver core.
 *
 * Suspend resets the device and leaves the rings disabled. Then the device has no translations, so
 * binds need not resume it. Runtime suspend follows when no reference is held (nna_pm.h).
 *
 * System suspend stops the schedulers, waits until the jobs on the rings have ended (-EBUSY if they
 * take too long) and suspends the device; jobs in the schedulers wait for the resume.
 */
#ifndef NNA_SUSPEND_H
#define NNA_SUSPEND_H

#include <linux/pm.h>

/** nna_suspend_ops - &device_driver.pm. */
extern const struct dev_pm_ops nna_suspend_ops;

#endif

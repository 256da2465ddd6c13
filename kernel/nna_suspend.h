/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suspend and resume, as the driver core calls them.
 *
 * To suspend is to reset and to leave the rings disabled: the device has no translations then, so
 * that binds need not resume it. Runtime suspend comes when nobody holds a reference (nna_pm.h).
 *
 * System sleep stops the schedulers, waits until the jobs on the rings have ended (-EBUSY if they
 * take too long) and suspends the device; jobs in the schedulers wait until after the resume.
 */
#ifndef NNA_SUSPEND_H
#define NNA_SUSPEND_H

#include <linux/pm.h>

/** nna_suspend_ops - &device_driver.pm. */
extern const struct dev_pm_ops nna_suspend_ops;

#endif

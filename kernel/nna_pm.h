/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runtime power management and system sleep.
 *
 * A job holds a runtime PM reference from SUBMIT until it is freed, and so does whoever reads
 * registers. Half a second after the last reference was dropped the device is suspended. To suspend
 * is to reset and to leave the rings disabled: the device has no translations then, so that binds
 * need not resume it.
 *
 * System sleep stops the schedulers, waits until the jobs on the rings have ended (-EBUSY if they
 * take too long) and suspends the device; jobs in the schedulers wait until after the resume.
 */
#ifndef NNA_PM_H
#define NNA_PM_H

struct dev_pm_ops;
struct nna_device;

extern const struct dev_pm_ops nna_pm_ops;

/** nna_pm_init() - Allow runtime suspend, with autosuspend. */
void nna_pm_init(struct nna_device *nna);

/** nna_pm_fini() - Resume the device and forbid runtime suspend. May sleep. */
void nna_pm_fini(struct nna_device *nna);

/**
 * nna_pm_get() - Resume the device and take a runtime PM reference; may sleep and allocate.
 * @nna: the device.
 *
 * Return: 0, -ENODEV (it cannot be resumed, for whatever reason; no reference is taken).
 */
int nna_pm_get(struct nna_device *nna);

/** nna_pm_put() - Drop a runtime PM reference; any context. */
void nna_pm_put(struct nna_device *nna);

#endif

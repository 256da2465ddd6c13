/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runtime PM references. A job holds one from SUBMIT until it is freed; code that reads registers
 * holds one while it does so. The device is suspended half a second after the last reference was
 * dropped (nna_suspend.h).
 */
#ifndef NNA_PM_H
#define NNA_PM_H

struct nna_device;

/** nna_pm_init() - Allow runtime suspend, with autosuspend. */
void nna_pm_init(struct nna_device *nna);

/** nna_pm_fini() - Resume the device and forbid runtime suspend. May sleep. */
void nna_pm_fini(struct nna_device *nna);

/**
 * nna_pm_get() - Resume the device and take a runtime PM reference; may sleep and allocate.
 * @nna: the device.
 *
 * Return: 0, -ENODEV (the device cannot be resumed; no reference is taken).
 */
int nna_pm_get(struct nna_device *nna);

/** nna_pm_put() - Drop a runtime PM reference; any context. */
void nna_pm_put(struct nna_device *nna);

#endif

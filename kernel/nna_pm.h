/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Power management. Every job keeps the device awake from SUBMIT until it is freed; some time after
 * the last one the device is put to sleep. A device that sleeps has been reset: it holds no
 * translations, so binds need not wake it.
 */
#ifndef NNA_PM_H
#define NNA_PM_H

struct dev_pm_ops;
struct nna_device;

extern const struct dev_pm_ops nna_pm_ops;

/** nna_pm_init() - Let the device sleep when nobody needs it. */
void nna_pm_init(struct nna_device *nna);

/** nna_pm_fini() - Wake it and keep it awake from now on. */
void nna_pm_fini(struct nna_device *nna);

/** nna_pm_get() - Wake the device and keep it awake; may sleep. 0, or -ENODEV if it sleeps on. */
int nna_pm_get(struct nna_device *nna);

/** nna_pm_put() - Undo one nna_pm_get(); any context. */
void nna_pm_put(struct nna_device *nna);

#endif

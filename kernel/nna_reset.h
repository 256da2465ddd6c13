/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reset: what happens when the device does not do what it should. Everything here runs on
 * nna_device.reset_wq but the functions that only queue work there.
 */
#ifndef NNA_RESET_H
#define NNA_RESET_H

struct nna_device;

/** nna_reset_init() - Prepare; no failure. */
void nna_reset_init(struct nna_device *nna);

/** nna_reset_schedule() - Have the device reset soon, saying why, in a constant; any context. */
void nna_reset_schedule(struct nna_device *nna, const char *reason);

/**
 * nna_reset_and_wait() - Have the device reset; not from the reset workqueue.
 * @nna: the device.
 * @reason: a constant for the log.
 *
 * When it returns the device has been reset since, by whomever, or cut off from memory, or did not
 * serve its rings.
 */
void nna_reset_and_wait(struct nna_device *nna, const char *reason);

/**
 * nna_reset_now() - Reset the device; on the reset workqueue.
 * @nna: the device.
 * @reason: for the log.
 *
 * Jobs that the device had begun end: the one that was blamed with -ETIME, others with -ECANCELED.
 * Those that wait on the rings stay there and run afterwards. A device that cannot be reset is
 * lost.
 */
void nna_reset_now(struct nna_device *nna, const char *reason);

/** nna_reset_suspend() - Have an idle device do nothing until nna_reset_resume(). May sleep. */
void nna_reset_suspend(struct nna_device *nna);

/** nna_reset_resume() - Serve the rings again. A device that does not come up is lost. */
void nna_reset_resume(struct nna_device *nna);

/** nna_reset_unplug() - Give the device up: fail everything with -ENODEV, cut it off. May sleep. */
void nna_reset_unplug(struct nna_device *nna);

#endif

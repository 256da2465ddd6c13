/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reset, suspend and the end of a device: all that takes the rings from the device and gives them
 * back.
 *
 * Resets run on nna_device.reset_wq, which is ordered and also runs the schedulers' timeouts, so
 * neither overlaps with the other. nna_reset_schedule() and nna_reset_and_wait() queue work there.
 * Suspend, resume and unplug run where power management and the driver core call them; they cancel
 * a reset that is queued.
 *
 * A reset: record the core dump, stop the schedulers, stop the device, note how far each ring has
 * come, reset the device, complete the requests of entries that it had begun, enable the rings with
 * the others. Fences are signalled on the way, so nothing in between may allocate or wait for a
 * fence. When a step fails the device is lost: bus mastering is disabled, then all jobs end with
 * -ENODEV.
 */
#ifndef NNA_RESET_H
#define NNA_RESET_H

struct nna_device;

/** nna_reset_init() - Initialise the work of resets. */
void nna_reset_init(struct nna_device *nna);

/**
 * nna_reset_schedule() - Queue a reset; any context.
 * @nna: the device.
 * @reason: for the log; a string constant.
 */
void nna_reset_schedule(struct nna_device *nna, const char *reason);

/**
 * nna_reset_and_wait() - Queue a reset and wait for it; may sleep, not on the reset workqueue.
 * @nna: the device.
 * @reason: for the log; a string constant.
 *
 * When it returns, the device has no translations from before the call: it has been reset since
 * (also if by somebody else), bus mastering has been disabled, or its rings were not running.
 */
void nna_reset_and_wait(struct nna_device *nna, const char *reason);

/**
 * nna_reset_now() - Reset the device; on the reset workqueue only.
 * @nna: the device.
 * @reason: for the log.
 *
 * Jobs that the device had begun end: the guilty one with -ETIME, others with -ECANCELED. Those
 * that it had not begun are put on their rings again. A device that cannot be reset is lost.
 * Nothing happens while the device is suspended, lost or unplugged.
 */
void nna_reset_now(struct nna_device *nna, const char *reason);

/** nna_reset_suspend() - Reset an idle device and leave its rings disabled. May sleep. */
void nna_reset_suspend(struct nna_device *nna);

/** nna_reset_resume() - Enable the rings again. A device that refuses is lost. May sleep. */
void nna_reset_resume(struct nna_device *nna);

/**
 * nna_reset_unplug() - Stop the device for good, and end all jobs on its rings with -ENODEV.
 * @nna: the device, from now on lost.
 *
 * May sleep. When it returns, bus mastering is disabled, no reset is queued, and the schedulers
 * run, so that they end and free the jobs that wait in them.
 */
void nna_reset_unplug(struct nna_device *nna);

#endif

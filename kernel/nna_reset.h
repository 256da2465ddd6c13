/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reset, suspend and the end of a device: all that takes the rings from the device and gives them
 * back.
 *
 * The bus may reset the device as well, on request of user space or after an error of its own:
 * nna_reset_bus_begin() notes how far the rings have come, and nna_reset_bus_end() does the rest.
 *
 * Resets run on nna_device.reset_wq, which is ordered and also runs the schedulers' timeouts, so
 * neither overlaps with the other. nna_core_schedule_reset() queues one from anywhere.
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

#include <linux/kconfig.h>
#include <linux/types.h>

struct nna_device;

/** nna_reset_init() - Initialise the work of resets, freed with the DRM device; 0 or -ENOMEM. */
int nna_reset_init(struct nna_device *nna);

/** nna_reset_enable_rings() - Enable all rings of a device that has just been reset; 0 or -EIO. */
int nna_reset_enable_rings(struct nna_device *nna);

/**
 * nna_reset_now() - Reset the device; on the reset workqueue only.
 * @nna: the device.
 * @reason: for the log.
 * @error: what jobs end with that are lost and not guilty: -ECANCELED if a guilty one has been
 *	marked, -EIO if the device itself has failed.
 *
 * Jobs that the device had begun end: the guilty one with -ETIME, others with @error. Those that it
 * had not begun are put on their rings again. A device that cannot be reset is lost. Nothing
 * happens while the device is suspended, lost or unplugged.
 */
void nna_reset_now(struct nna_device *nna, const char *reason, int error);

/** nna_reset_suspend() - Reset an idle device and leave its rings disabled. May sleep. */
void nna_reset_suspend(struct nna_device *nna);

/** nna_reset_resume() - Enable the rings again. A device that refuses is lost. May sleep. */
void nna_reset_resume(struct nna_device *nna);

/**
 * nna_reset_bus_begin() - Leave the device alone: the bus is about to reset it, or is in error.
 * @nna: the device; its registers may not answer any more.
 *
 * No job is put on the rings, and no memory that the device may use is freed, until one of
 * nna_reset_bus_end(), nna_reset_bus_lose() and nna_reset_unplug() follows. If none does for half a
 * minute the device is lost, so that all fences signal. Begins once; may sleep.
 */
void nna_reset_bus_begin(struct nna_device *nna);

/**
 * nna_reset_bus_end() - The bus has reset the device or is well again: continue with the jobs.
 * @nna: the device, with its bus configuration restored.
 *
 * As nna_reset_now() with -EIO, after another reset. Without nna_reset_bus_begin() nothing happens.
 * May sleep.
 */
void nna_reset_bus_end(struct nna_device *nna);

/** nna_reset_bus_lose() - The bus will not reach the device any more: it is lost. May sleep. */
void nna_reset_bus_lose(struct nna_device *nna);

/**
 * nna_reset_unplug() - Stop the device for good, and end all jobs on its rings with -ENODEV.
 * @nna: the device, from now on lost.
 *
 * Jobs whose completions have been written keep their results.
 *
 * May sleep. When it returns, bus mastering is disabled, no reset is queued, and the schedulers
 * run, so that they end and free the jobs that wait in them.
 */
void nna_reset_unplug(struct nna_device *nna);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_reset_bus_is_timed() - Whether the time limit of a reset by the bus runs; for tests. */
bool nna_reset_bus_is_timed(struct nna_device *nna);
#endif

#endif

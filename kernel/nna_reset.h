/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reset, suspend and unplug: all paths that disable and enable the rings.
 *
 * Resets run on nna_device.reset_wq. It is ordered and also runs the schedulers' timeouts, so no
 * two of them overlap. nna_core_schedule_reset() queues a reset in any context. Suspend, resume and
 * unplug run in the calls of power management and the driver core; they cancel a queued reset.
 *
 * The steps of a reset:
 *
 *  1. stop the schedulers
 *  2. record registers and rings for the core dump
 *  3. stop the device, and read how many entries of each ring it has fetched
 *  4. reset the device
 *  5. complete the requests of entries that it had begun
 *  6. enable the rings with the other entries
 *
 * Fences signal from step 2 on, so these steps must neither allocate nor wait for a fence. If a
 * step fails the device is lost: bus mastering is disabled, then all jobs end with -ENODEV.
 *
 * The bus may also reset the device, on request of user space or after a bus error. Then
 * nna_reset_bus_begin() does steps 1 and 3, and nna_reset_bus_end() steps 4 to 6.
 */
#ifndef NNA_RESET_H
#define NNA_RESET_H

#include <linux/kconfig.h>
#include <linux/types.h>

struct nna_device;

/** nna_reset_init() - Allocate the state of resets, freed with the DRM device; 0 or -ENOMEM. */
int nna_reset_init(struct nna_device *nna);

/** nna_reset_enable_rings() - Enable all rings of a device that has just been reset; 0 or -EIO. */
int nna_reset_enable_rings(struct nna_device *nna);

/**
 * nna_reset_now() - Reset the device; on the reset workqueue only.
 * @nna: the device.
 * @reason: text for the log.
 * @error: error of lost jobs that are not guilty: -ECANCELED if a guilty job has been marked, -EIO
 *	if the device itself has failed.
 *
 * Jobs that the device had begun end: the guilty one with -ETIME, others with @error. Jobs that it
 * had not begun are put on their rings again. A device that cannot be reset is lost. The function
 * does nothing while the device is suspended, lost or unplugged.
 */
void nna_reset_now(struct nna_device *nna, const char *reason, int error);

/**
 * nna_reset_suspend() - Reset the device and leave its rings disabled; may sleep.
 * @nna: the device, without a job that runs. One that runs nevertheless ends with -ECANCELED.
 *
 * The rings keep jobs that have yielded or have not been begun for nna_reset_resume(). Where the
 * driver switches the device's power, it is off afterwards.
 */
void nna_reset_suspend(struct nna_device *nna);

/**
 * nna_reset_resume() - Enable the rings, and write the kept jobs to them; may sleep.
 * @nna: the device, which is lost if that fails.
 *
 * Return: 0, also for a device whose rings do not start; an errno for one without power, whose
 * registers are not there.
 */
int nna_reset_resume(struct nna_device *nna);

/**
 * nna_reset_bus_begin() - Stop using the device: the bus is about to reset it, or has an error.
 * @nna: the device; its registers may not answer.
 *
 * No job is put on the rings, and no memory that the device may use is freed, until
 * nna_reset_bus_end(), nna_reset_bus_lose() or nna_reset_unplug() is called. If none of them is
 * called within half a minute the device is lost, so that all fences signal. A second call does
 * nothing. May sleep.
 */
void nna_reset_bus_begin(struct nna_device *nna);

/**
 * nna_reset_bus_end() - Continue after a reset or an error of the bus.
 * @nna: the device, with its bus configuration restored.
 *
 * Resets the device again, with the same effect on jobs as nna_reset_now() with -EIO. Does nothing
 * without nna_reset_bus_begin(). May sleep.
 */
void nna_reset_bus_end(struct nna_device *nna);

/** nna_reset_bus_lose() - Lose the device, which the bus cannot reach any more. May sleep. */
void nna_reset_bus_lose(struct nna_device *nna);

/**
 * nna_reset_unplug() - Stop the device for good, and end all jobs on its rings with -ENODEV.
 * @nna: the device, lost from now on.
 *
 * Jobs whose completions have been written keep their results. May sleep. When it returns, bus
 * mastering is disabled, no reset is queued, and the schedulers run, so that they end and free the
 * jobs that wait in them.
 */
void nna_reset_unplug(struct nna_device *nna);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_reset_bus_is_timed() - Whether the time limit of a reset by the bus runs; for tests. */
bool nna_reset_bus_is_timed(struct nna_device *nna);
#endif

#endif

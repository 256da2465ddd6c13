/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reset: what happens when the device does not do what it should. Everything here runs on nna_device.reset_wq
 * but the functions that only queue work there.
 */
#ifndef NNA_RESET_H
#define NNA_RESET_H

struct drm_sched_job;
struct nna_device;

/** nna_reset_init() - Prepare; no failure. */
void nna_reset_init(struct nna_device *nna);

/** nna_reset_schedule() - Have the device reset soon; any context. */
void nna_reset_schedule(struct nna_device *nna);

/** nna_reset_and_wait() - Have the device reset and wait until that is done; not from the reset workqueue. */
void nna_reset_and_wait(struct nna_device *nna);

/**
 * nna_reset_now() - Reset the device; on the reset workqueue.
 * @nna: the device.
 * @bad: the job whose timeout led here, taken off its scheduler's list, or NULL.
 *
 * All jobs on rings end: @bad with -ETIME, others with -ECANCELED. A device that cannot be reset is lost.
 */
void nna_reset_now(struct nna_device *nna, struct drm_sched_job *bad);

/** nna_reset_lose() - Give the device up: fail everything with -ENODEV and cut it off. May sleep. */
void nna_reset_lose(struct nna_device *nna);

#endif

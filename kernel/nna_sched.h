/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The DRM schedulers, one for each job ring. They are stopped while the device cannot take jobs. A
 * set of NNA_STOPPED_BY_* says for whom, and they start when it is empty.
 */
#ifndef NNA_SCHED_H
#define NNA_SCHED_H

#include <linux/bits.h>
#include <linux/kconfig.h>
#include <linux/types.h>

struct drm_gpu_scheduler;
struct drm_sched_backend_ops;
struct mutex;
struct nna_device;

/**
 * nna_sched_init() - Initialise the schedulers; they are freed with the DRM device.
 * @nna: the device, with its rings.
 * @ops: what the schedulers do with jobs; must stay valid as long as the module is loaded.
 *
 * Return: 0 or a negative errno.
 */
int nna_sched_init(struct nna_device *nna, const struct drm_sched_backend_ops *ops);

/** nna_sched_of_ring() - The scheduler of a job ring; valid as long as the DRM device. */
struct drm_gpu_scheduler *nna_sched_of_ring(struct nna_device *nna, unsigned int ring);

/** NNA_STOPPED_BY_RESET - The schedulers are stopped while the device is being reset. */
#define NNA_STOPPED_BY_RESET	BIT(0)
/** NNA_STOPPED_BY_SUSPEND - The schedulers are stopped while the system sleeps. */
#define NNA_STOPPED_BY_SUSPEND	BIT(1)
/** NNA_STOPPED_BY_BUS - The schedulers are stopped while the bus resets the device. */
#define NNA_STOPPED_BY_BUS	BIT(2)

/**
 * nna_sched_stop() - Stop all schedulers: they put no jobs on the rings and free none.
 * @nna: the device.
 * @by: NNA_STOPPED_BY_*: for whom.
 *
 * May sleep: when it returns, none of their work is running. Takes the lock of the schedulers.
 */
void nna_sched_stop(struct nna_device *nna, u32 by);

/**
 * nna_sched_start() - Start the schedulers again, once nobody has them stopped any more.
 * @nna: the device.
 * @by: NNA_STOPPED_BY_*: for whom they need not be stopped any more.
 *
 * Takes the lock of the schedulers.
 */
void nna_sched_start(struct nna_device *nna, u32 by);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_sched_is_stopped() - Whether the schedulers are stopped; for tests. Takes their lock. */
bool nna_sched_is_stopped(struct nna_device *nna);

/** nna_sched_lock() - The lock of the schedulers; for tests. */
struct mutex *nna_sched_lock(struct nna_device *nna);
#endif

#endif

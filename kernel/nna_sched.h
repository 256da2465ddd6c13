/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The DRM schedulers, one for each job ring. They are stopped while the device cannot take jobs.
 * The reasons are a set of NNA_STOPPED_BY_*; the schedulers start again when the set is empty.
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
 * @ops: the operations of jobs; must stay valid as long as the module is loaded.
 *
 * Return: 0 or a negative errno.
 */
int nna_sched_init(struct nna_device *nna, const struct drm_sched_backend_ops *ops);

/** nna_sched_of_ring() - The scheduler of a job ring; valid as long as the DRM device. */
struct drm_gpu_scheduler *nna_sched_of_ring(struct nna_device *nna, unsigned int ring);

/** nna_sched_name() - The name of a job ring's scheduler; constant. */
const char *nna_sched_name(unsigned int ring);

/** NNA_STOPPED_BY_RESET - The device is being reset. */
#define NNA_STOPPED_BY_RESET	BIT(0)
/** NNA_STOPPED_BY_SUSPEND - The system sleeps. */
#define NNA_STOPPED_BY_SUSPEND	BIT(1)
/** NNA_STOPPED_BY_BUS - The bus is resetting the device. */
#define NNA_STOPPED_BY_BUS	BIT(2)

/**
 * nna_sched_stop() - Stop all schedulers: they put no jobs on the rings and free none.
 * @nna: the device.
 * @by: the reasons to add, NNA_STOPPED_BY_*.
 *
 * May sleep. When it returns, none of their work is running. Takes the lock of the schedulers.
 */
void nna_sched_stop(struct nna_device *nna, u32 by);

/**
 * nna_sched_start() - Remove reasons, and start the schedulers if none is left.
 * @nna: the device.
 * @by: the reasons to remove, NNA_STOPPED_BY_*.
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

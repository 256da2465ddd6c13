/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of the driver to the device, as entries of the control ring: invalidations, aborts,
 * boosts, yields.
 *
 * Each function sleeps until the device or a reset has completed the entry, or until a second has
 * passed. It must not be called in an interrupt or with a spinlock held.
 */
#ifndef NNA_CONTROL_H
#define NNA_CONTROL_H

#include <linux/types.h>

struct nna_device;

/**
 * nna_control_invalidate() - Make the device drop cached translations.
 * @nna: the device.
 * @asid: address space.
 * @va: first address.
 * @size: bytes; 0 for the whole address space, whose ASID may be reused afterwards.
 *
 * When it returns, no job can use an old translation, so pages and page tables may be freed. To
 * guarantee this, a device that does not complete the entry is reset; if the reset fails, bus
 * mastering is disabled. Must not be called on the reset workqueue.
 */
void nna_control_invalidate(struct nna_device *nna, u32 asid, u64 va, u64 size);

/**
 * nna_control_reset_and_wait() - Queue a reset and wait until the device has no old translations.
 * @nna: the device.
 * @reason: for the log; a string constant.
 *
 * May sleep; must not be called on the reset workqueue. When it returns, the device has no
 * translations from before the call: it has been reset since, by this reset or another, or bus
 * mastering has been disabled, or its rings were not running.
 */
void nna_control_reset_and_wait(struct nna_device *nna, const char *reason);

/**
 * nna_control_abort() - Tell the device to end a job with status ABORTED.
 * @nna: the device.
 * @ring: index of the job's ring.
 * @seqno: sequence number of its entry; an entry that has completed is ignored.
 *
 * Return: 0 (the device has taken the command; the job may still be running), -EIO (the control
 * ring is not running), -ECANCELED (a reset dropped the entry), -ENODEV (the device is lost),
 * -ETIMEDOUT.
 */
int nna_control_abort(struct nna_device *nna, unsigned int ring, u32 seqno);

/**
 * nna_control_boost() - Shorten a ring's waits until all jobs that are now on it have ended.
 * @nna: the device.
 * @ring: index of the ring.
 *
 * A ring that higher rings preempt gets its share of the device's time in time slices. A boost
 * makes the slices shorter and more frequent; the share stays the same.
 *
 * Return: as nna_control_abort(); -EIO also if the device does not know BOOST.
 */
int nna_control_boost(struct nna_device *nna, unsigned int ring);

/**
 * nna_control_yield() - Tell the device to take jobs off a ring: they complete as YIELDED.
 * @nna: the device; nna_hw_has_yield().
 * @ring: index of the ring.
 * @seqno: sequence number of the last of these jobs, from nna_ring_yield().
 *
 * Return: as nna_control_abort().
 */
int nna_control_yield(struct nna_device *nna, unsigned int ring, u32 seqno);

/**
 * nna_control_ping() - Check that the device serves its control ring.
 * @nna: the device.
 *
 * Return: as nna_control_abort().
 */
int nna_control_ping(struct nna_device *nna);

/**
 * nna_control_latency() - Measure the time from a doorbell until the waiter runs, without a job.
 * @nna: the device.
 * @ns: out: that time.
 *
 * A worker of the submit workqueue rings the doorbell while the caller sleeps, as for a job.
 *
 * Return: as nna_control_abort(), -ENOSPC (the ring is full).
 */
int nna_control_latency(struct nna_device *nna, u64 *ns);

#endif

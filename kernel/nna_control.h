/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's own entries to the device, on the control ring: invalidations, aborts, boosts.
 *
 * All functions sleep until the device has completed the entry, a second has passed, or a reset has
 * completed it. None of them may be called with a spinlock held or in an interrupt.
 */
#ifndef NNA_CONTROL_H
#define NNA_CONTROL_H

#include <linux/types.h>

struct nna_device;

/**
 * nna_control_invalidate() - Have the device drop cached translations.
 * @nna: the device.
 * @asid: address space.
 * @va: first address.
 * @size: bytes; 0 for the whole address space, whose ASID may be used for another one afterwards.
 *
 * When it returns, no job can use an old translation any more, so the pages and page tables may be
 * freed: a device that does not complete the entry is reset, and bus mastering is disabled where
 * that fails. Not to be called on the reset workqueue.
 */
void nna_control_invalidate(struct nna_device *nna, u32 asid, u64 va, u64 size);

/**
 * nna_control_reset_and_wait() - Queue a reset and wait until the device has no old translations.
 * @nna: the device.
 * @reason: for the log; a string constant.
 *
 * May sleep; not on the reset workqueue. When it returns, the device has no translations from
 * before the call: it has been reset since (also if by somebody else), bus mastering has been
 * disabled, or its rings were not running.
 */
void nna_control_reset_and_wait(struct nna_device *nna, const char *reason);

/**
 * nna_control_abort() - Tell the device to end a job, which then completes as aborted.
 * @nna: the device.
 * @ring: index of the job's ring.
 * @seqno: sequence number of its entry; nothing happens if it has ended.
 *
 * Return: 0 (the device knows; the job may still be running), -EIO (the control ring is not
 * running), -ECANCELED or -ENODEV (a reset, or the end of the device), -ETIMEDOUT.
 */
int nna_control_abort(struct nna_device *nna, unsigned int ring, u32 seqno);

/**
 * nna_control_boost() - Have a ring's turns come sooner until all its present jobs have ended.
 * @nna: the device.
 * @ring: index of the ring.
 *
 * A ring that others keep waiting gets its share of the device's time in shorter turns that come
 * more often.
 *
 * Return: as nna_control_abort(); -EIO also from a device that does not know the entry.
 */
int nna_control_boost(struct nna_device *nna, unsigned int ring);

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
 * @ns: that time.
 *
 * As for a job, a worker of the submit workqueue rings the doorbell while the caller sleeps.
 *
 * Return: as nna_control_abort(), -ENOSPC (the ring is full).
 */
int nna_control_latency(struct nna_device *nna, u64 *ns);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's own commands to the device, on the control ring. All of them sleep until the device
 * has acknowledged or a reset has made the acknowledgement unnecessary.
 */
#ifndef NNA_CONTROL_H
#define NNA_CONTROL_H

#include <linux/types.h>

struct nna_device;

/**
 * nna_control_invalidate() - Make the device forget translations.
 * @nna: the device.
 * @asid: address space.
 * @va: first address.
 * @size: bytes; 0 means the whole address space, and forget the ASID as well.
 *
 * When it returns, no job uses an old translation any more: a device that does not acknowledge is
 * reset, and one that cannot be reset is cut off from memory.
 */
void nna_control_invalidate(struct nna_device *nna, u32 asid, u64 va, u64 size);

/**
 * nna_control_abort() - End a job if it has not ended; returns when the device has taken note.
 * @nna: the device.
 * @ring: the job's ring.
 * @seqno: of its entry.
 *
 * Return: 0, -EIO (not served), -ETIMEDOUT.
 */
int nna_control_abort(struct nna_device *nna, unsigned int ring, u32 seqno);

/**
 * nna_control_boost() - Somebody waits for what a ring has been given up to now.
 * @nna: the device.
 * @ring: the ring.
 *
 * Return: 0, -EIO (not served, or a device that does not know how), -ETIMEDOUT.
 */
int nna_control_boost(struct nna_device *nna, unsigned int ring);

/**
 * nna_control_ping() - Ask for a sign of life.
 * @nna: the device.
 *
 * Return: 0, -EIO (not served), -ETIMEDOUT.
 */
int nna_control_ping(struct nna_device *nna);

/**
 * nna_control_latency() - How long from a doorbell to waking up, without a job.
 * @nna: the device.
 * @ns: that time.
 *
 * The caller sleeps while a worker rings, one of those that do so for jobs.
 *
 * Return: 0, -EIO (not served), -ENOSPC (the ring is full), -ETIMEDOUT.
 */
int nna_control_latency(struct nna_device *nna, u64 *ns);

#endif

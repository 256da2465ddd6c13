/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files in the device's debugfs directory, for people who debug:
 *
 *  rings	each ring: the driver's state, and the ring's registers
 *  counters	counters of the device and the driver
 *  gems	a line for each buffer object
 *  gpuvas	the mappings of each address space
 *  latency	time from doorbell to wake-up for an entry that does nothing; measured by each read
 *  shrinker	pages that may be purged; calls, objects that they looked at and purged
 *  scheduled	each job ring: jobs that the scheduler has, so without those that wait for a fence
 */
#ifndef NNA_DEBUGFS_H
#define NNA_DEBUGFS_H

struct nna_device;

#ifdef CONFIG_DEBUG_FS
/** nna_debugfs_init() - Add the files; before the device is registered. */
void nna_debugfs_init(struct nna_device *nna);
#else
static inline void nna_debugfs_init(struct nna_device *nna)
{
}
#endif

#endif

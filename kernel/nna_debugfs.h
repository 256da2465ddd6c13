/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files in the device's debugfs directory, for people:
 *
 *  rings	the driver's state of each ring beside the ring's registers
 *  counters	counters of device and driver
 *  gems	a line for each buffer object
 *  gpuvas	what is mapped where, for each address space
 *  latency	time that the device takes for an entry that does nothing; each read measures it
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

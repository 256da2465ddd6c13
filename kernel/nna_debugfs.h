/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs, for people: rings, counters, what is mapped where, how fast the device answers.
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

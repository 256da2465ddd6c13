/* SPDX-License-Identifier: GPL-2.0-only */
/* The DRM driver: the callbacks of the DRM core, and the probe function for a bus driver. */
#ifndef NNA_DRV_H
#define NNA_DRV_H

struct nna_bus;

/**
 * nna_drv_probe() - Probe an accelerator and register its DRM device; nna_device_remove() ends it.
 * @bus: the bus with the device, which has power. The driver data of the device is set.
 *
 * All resources are managed by the device or the DRM device. After an error bus mastering may be
 * enabled: the caller disables it.
 *
 * Return: 0 or a negative errno.
 */
int nna_drv_probe(struct nna_bus *bus);

#endif

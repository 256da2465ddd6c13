/* SPDX-License-Identifier: GPL-2.0-only */
/* The DRM driver: the callbacks of the DRM core, and the probe function for a bus driver. */
#ifndef NNA_DRV_H
#define NNA_DRV_H

#include <linux/compiler_types.h>

struct device;
struct nna_bus_ops;

/**
 * nna_drv_probe() - Probe an accelerator and register its DRM device; nna_device_remove() ends it.
 * @dev: the device on its bus, with DMA masks set; its driver data is set.
 * @bus: operations of that bus; must stay valid as long as the module is loaded.
 * @regs: its mapped registers.
 * @irqs: Linux interrupt numbers of its vectors.
 * @irq_count: number of elements of @irqs, at least 1.
 *
 * All resources are managed by @dev or the DRM device. After an error bus mastering may be enabled:
 * the caller disables it.
 *
 * Return: 0 or a negative errno.
 */
int nna_drv_probe(struct device *dev, const struct nna_bus_ops *bus, void __iomem *regs,
		  const int *irqs, unsigned int irq_count);

#endif

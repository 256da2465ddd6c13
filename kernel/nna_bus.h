/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver knows of the bus that the device is on. nna_pci.c and nna_platform.c find the
 * device, fill in a struct nna_bus and probe the device with it; no other file calls a bus.
 *
 * On a bus whose core switches power, as that of PCI does, a device has power whenever runtime PM
 * says that it is active. Elsewhere the driver switches clocks and the reset line: power_on() and
 * power_off() do it, and @off says that there are none. Then an access to the registers could stop
 * the CPU for good, so nna_hw.c makes none: reads return all ones, as those of a PCI device that is
 * gone, and writes are lost.
 *
 * Ownership: the bus driver allocates the structure, managed by the device. It is valid as long as
 * the driver is bound.
 *
 * Locking: none. power_on() and power_off() are called by probe, remove and power management, which
 * the driver core serialises, and disable_bus_master() may be called by a reset beside them.
 */
#ifndef NNA_BUS_H
#define NNA_BUS_H

#include <linux/compiler_types.h>
#include <linux/kconfig.h>
#include <linux/types.h>

#include "nna_regs.h"

struct device;
struct nna_bus;

/** struct nna_bus_ops - Operations of the bus. */
struct nna_bus_ops {
	/** @enable_bus_master: allow DMA by the device; called after its reset. NULL: it is. */
	void (*enable_bus_master)(struct nna_bus *bus);
	/**
	 * @disable_bus_master: forbid DMA by the device, for good; may be called again, and inside
	 * dma_fence_begin_signalling().
	 */
	void (*disable_bus_master)(struct nna_bus *bus);
	/**
	 * @power_on: give the device its clocks and end its reset; may sleep. 0 or an errno, with
	 * which the device stays off. NULL: the bus does it, before it calls the driver.
	 */
	int (*power_on)(struct nna_bus *bus);
	/** @power_off: undo that; may sleep, and may be called again. NULL: the same. */
	void (*power_off)(struct nna_bus *bus);
};

/**
 * struct nna_bus - A device as its bus has found it.
 * @ops: what the bus can do.
 * @dev: the device on the bus, for messages and DMA.
 * @regs: its mapped registers; unmapped with @dev's other managed resources.
 * @irqs: Linux interrupt numbers of its vectors.
 * @irq_count: number of elements of @irqs that are set, at least 1.
 * @off: registers must not be accessed.
 */
struct nna_bus {
	const struct nna_bus_ops *ops;
	struct device *dev;
	void __iomem *regs;
	int irqs[NNA_RINGS];
	unsigned int irq_count;
	bool off;
};

/** nna_bus_enable_master() - Allow DMA by the device. */
static inline void nna_bus_enable_master(struct nna_bus *bus)
{
	if (bus->ops->enable_bus_master)
		bus->ops->enable_bus_master(bus);
}

/** nna_bus_disable_master() - Forbid DMA by the device for good. */
static inline void nna_bus_disable_master(struct nna_bus *bus)
{
	bus->ops->disable_bus_master(bus);
}

/** nna_bus_switches_power() - Whether the driver switches the device's power, not the bus. */
static inline bool nna_bus_switches_power(const struct nna_bus *bus)
{
	return bus->ops->power_on;
}

/** nna_bus_power_on() - Switch power on, if it is the driver that does it; 0 or an errno. */
static inline int nna_bus_power_on(struct nna_bus *bus)
{
	return bus->ops->power_on ? bus->ops->power_on(bus) : 0;
}

/** nna_bus_power_off() - Switch power off, if it is the driver that does it. */
static inline void nna_bus_power_off(struct nna_bus *bus)
{
	if (bus->ops->power_off)
		bus->ops->power_off(bus);
}

/*
 * The drivers of the buses, for nna_module.c: register and unregister them. A kernel without PCI
 * has the platform driver alone.
 */
#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_PCI)
int nna_pci_register(void);
void nna_pci_unregister(void);
#else
static inline int nna_pci_register(void)
{
	return 0;
}

static inline void nna_pci_unregister(void)
{
}
#endif

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_PLATFORM)
int nna_platform_register(void);
void nna_platform_unregister(void);
#else
static inline int nna_platform_register(void)
{
	return 0;
}

static inline void nna_platform_unregister(void)
{
}
#endif

#endif

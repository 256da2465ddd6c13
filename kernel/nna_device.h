/* SPDX-License-Identifier: GPL-2.0-only */
/* Probe, interrupts and remove of a device. See nna_core.h for its state and locks. */
#ifndef NNA_DEVICE_H
#define NNA_DEVICE_H

struct device;
struct drm_driver;
struct nna_bus;
struct nna_device;

/**
 * nna_device_probe() - Initialise an accelerator and start it.
 * @bus: the bus with the device, which has power. The driver data of the device is set.
 * @driver: the DRM driver; its callbacks belong to higher layers.
 *
 * All resources are managed by the device or the DRM device. After an error bus mastering may be
 * enabled: the caller disables it.
 *
 * Return: the device, for nna_device_register(), or an ERR_PTR.
 */
struct nna_device *nna_device_probe(struct nna_bus *bus, const struct drm_driver *driver);

/** nna_device_register() - Register the DRM device; stops the device if it fails. May sleep. */
int nna_device_register(struct nna_device *nna);

/**
 * nna_device_remove() - Unregister the DRM device, and end all jobs with -ENODEV; may sleep.
 * @dev: the device that was probed.
 *
 * When it returns, all jobs have been freed, no DMA mapping is left and bus mastering is disabled.
 * Files, buffer objects and fences may still exist.
 */
void nna_device_remove(struct device *dev);

/**
 * nna_device_shutdown() - Stop the device before a reboot or a kexec; may sleep.
 * @dev: the device that was probed.
 *
 * The device is reset and bus mastering is disabled, so that it does not write to memory of the
 * next kernel. All jobs end with -ENODEV. Processes may continue; for them the device is lost.
 */
void nna_device_shutdown(struct device *dev);

/** nna_device_flush_cleanup() - Wait for all work on @cleanup_wq and for work that it queues. */
void nna_device_flush_cleanup(struct nna_device *nna);

#endif

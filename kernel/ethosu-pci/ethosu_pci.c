// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PCI function for the platform driver of Arm's Ethos-U.
 *
 * The NPU is part of a SoC, and its driver (drivers/accel/ethosu) binds a platform device.
 * nna-device serves a model of the NPU as a PCI function: the registers in BAR 0, one interrupt.
 * This driver binds that function and registers a platform device on the same registers and
 * interrupt, so that the driver runs as it is.
 *
 * DMA: the function does it, the platform device asks for it. So the platform device's DMA
 * operations are the function's, forwarded by dma_parent.h.
 *
 * Ownership: the function's device data is the platform device, from probe() to remove().
 */

#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#include "dma_parent.h"

/* device/ethosu/models.h: the vendor of QEMU's own devices, and the device of the models. */
#define ETHOSU_PCI_VENDOR	0x1234
#define ETHOSU_PCI_DEVICE	0x4555

static int ethosu_pci_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct resource resources[2] = {};
	struct platform_device *npu;
	int ret;

	ret = pcim_enable_device(pci);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(40));
	if (ret)
		return ret;
	pci_set_master(pci);
	ret = pci_alloc_irq_vectors(pci, 1, 1, PCI_IRQ_ALL_TYPES);
	if (ret < 0)
		return ret;

	resources[0] = DEFINE_RES_MEM(pci_resource_start(pci, 0), pci_resource_len(pci, 0));
	resources[0].parent = pci_resource_n(pci, 0);
	resources[1] = DEFINE_RES_IRQ(pci_irq_vector(pci, 0));

	/* In two steps: the operations must be there before the driver probes. */
	npu = platform_device_alloc("ethosu", PLATFORM_DEVID_AUTO);
	if (!npu) {
		ret = -ENOMEM;
		goto err_vectors;
	}
	npu->dev.parent = &pci->dev;
	npu->dev.dma_mask = &npu->platform_dma_mask;
	npu->platform_dma_mask = DMA_BIT_MASK(40);
	npu->dev.coherent_dma_mask = DMA_BIT_MASK(40);
	set_dma_ops(&npu->dev, &dma_parent_ops);
	ret = platform_device_add_resources(npu, resources, ARRAY_SIZE(resources));
	if (!ret)
		ret = platform_device_add(npu);
	if (ret) {
		platform_device_put(npu);
		goto err_vectors;
	}
	pci_set_drvdata(pci, npu);
	return 0;

err_vectors:
	pci_free_irq_vectors(pci);
	return ret;
}

static void ethosu_pci_remove(struct pci_dev *pci)
{
	platform_device_unregister(pci_get_drvdata(pci));
	pci_free_irq_vectors(pci);
}

static const struct pci_device_id ethosu_pci_ids[] = {
	{ PCI_DEVICE(ETHOSU_PCI_VENDOR, ETHOSU_PCI_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, ethosu_pci_ids);

static struct pci_driver ethosu_pci_driver = {
	.name = "ethosu_pci",
	.id_table = ethosu_pci_ids,
	.probe = ethosu_pci_probe,
	.remove = ethosu_pci_remove,
};
module_pci_driver(ethosu_pci_driver);

MODULE_DESCRIPTION("PCI function for the Ethos-U platform driver");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PCI function for the platform driver of Arm's Ethos-U.
 *
 * The NPU is part of a SoC, and its driver (drivers/accel/ethosu) binds a platform device.
 * nna-device serves a model of the NPU as a PCI function: the registers in BAR 0, one interrupt.
 * This driver binds that function and registers a platform device on the same registers and
 * interrupt, so that the driver runs as it is.
 *
 * DMA: the function does it, the platform device asks for it. An IOMMU knows the function alone, so
 * the platform device's DMA operations are the function's, forwarded.
 *
 * Ownership: the function's device data is the platform device, from probe() to remove().
 */

#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

/* device/ethosu/models.h: the vendor of QEMU's own devices, and the device of the models. */
#define ETHOSU_PCI_VENDOR	0x1234
#define ETHOSU_PCI_DEVICE	0x4555

static void *ethosu_pci_alloc(struct device *dev, size_t size, dma_addr_t *address, gfp_t gfp,
			      unsigned long attrs)
{
	return dma_alloc_attrs(dev->parent, size, address, gfp, attrs);
}

static void ethosu_pci_free(struct device *dev, size_t size, void *cpu_address, dma_addr_t address,
			    unsigned long attrs)
{
	dma_free_attrs(dev->parent, size, cpu_address, address, attrs);
}

static int ethosu_pci_mmap(struct device *dev, struct vm_area_struct *vma, void *cpu_address,
			   dma_addr_t address, size_t size, unsigned long attrs)
{
	return dma_mmap_attrs(dev->parent, vma, cpu_address, address, size, attrs);
}

static int ethosu_pci_get_sgtable(struct device *dev, struct sg_table *sgt, void *cpu_address,
				  dma_addr_t address, size_t size, unsigned long attrs)
{
	return dma_get_sgtable_attrs(dev->parent, sgt, cpu_address, address, size, attrs);
}

static int ethosu_pci_map_sg(struct device *dev, struct scatterlist *sg, int nents,
			     enum dma_data_direction dir, unsigned long attrs)
{
	int count = dma_map_sg_attrs(dev->parent, sg, nents, dir, attrs);

	return count ?: -EIO;
}

static void ethosu_pci_unmap_sg(struct device *dev, struct scatterlist *sg, int nents,
				enum dma_data_direction dir, unsigned long attrs)
{
	dma_unmap_sg_attrs(dev->parent, sg, nents, dir, attrs);
}

static void ethosu_pci_sync_sg_for_cpu(struct device *dev, struct scatterlist *sg, int nents,
				       enum dma_data_direction dir)
{
	dma_sync_sg_for_cpu(dev->parent, sg, nents, dir);
}

static void ethosu_pci_sync_sg_for_device(struct device *dev, struct scatterlist *sg, int nents,
					  enum dma_data_direction dir)
{
	dma_sync_sg_for_device(dev->parent, sg, nents, dir);
}

static int ethosu_pci_dma_supported(struct device *dev, u64 mask)
{
	return dma_set_mask_and_coherent(dev->parent, mask) == 0;
}

static size_t ethosu_pci_max_mapping_size(struct device *dev)
{
	return dma_max_mapping_size(dev->parent);
}

/* What the driver and the GEM DMA helper use; they map no single pages. */
static const struct dma_map_ops ethosu_pci_dma_ops = {
	.alloc = ethosu_pci_alloc,
	.free = ethosu_pci_free,
	.mmap = ethosu_pci_mmap,
	.get_sgtable = ethosu_pci_get_sgtable,
	.map_sg = ethosu_pci_map_sg,
	.unmap_sg = ethosu_pci_unmap_sg,
	.sync_sg_for_cpu = ethosu_pci_sync_sg_for_cpu,
	.sync_sg_for_device = ethosu_pci_sync_sg_for_device,
	.dma_supported = ethosu_pci_dma_supported,
	.max_mapping_size = ethosu_pci_max_mapping_size,
};

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
	set_dma_ops(&npu->dev, &ethosu_pci_dma_ops);
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

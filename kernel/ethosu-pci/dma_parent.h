/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DMA operations of a platform device that a PCI function's driver has registered: the function
 * does the DMA, and an IOMMU knows the function alone. So each operation is that of the parent.
 *
 * For ethosu_pci.c, and for the tests of NNA's platform driver (selftests/soc).
 */
#ifndef DMA_PARENT_H
#define DMA_PARENT_H

#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>

static void *dma_parent_alloc(struct device *dev, size_t size, dma_addr_t *address, gfp_t gfp,
			      unsigned long attrs)
{
	return dma_alloc_attrs(dev->parent, size, address, gfp, attrs);
}

static void dma_parent_free(struct device *dev, size_t size, void *cpu_address, dma_addr_t address,
			    unsigned long attrs)
{
	dma_free_attrs(dev->parent, size, cpu_address, address, attrs);
}

static int dma_parent_mmap(struct device *dev, struct vm_area_struct *vma, void *cpu_address,
			   dma_addr_t address, size_t size, unsigned long attrs)
{
	return dma_mmap_attrs(dev->parent, vma, cpu_address, address, size, attrs);
}

static int dma_parent_get_sgtable(struct device *dev, struct sg_table *sgt, void *cpu_address,
				  dma_addr_t address, size_t size, unsigned long attrs)
{
	return dma_get_sgtable_attrs(dev->parent, sgt, cpu_address, address, size, attrs);
}

/* Newer kernels map physical addresses, older ones pages. */
#ifdef DMA_PARENT_MAPS_PHYS
static dma_addr_t dma_parent_map(struct device *dev, phys_addr_t phys, size_t size,
				 enum dma_data_direction dir, unsigned long attrs)
{
	return dma_map_phys(dev->parent, phys, size, dir, attrs);
}

static void dma_parent_unmap(struct device *dev, dma_addr_t address, size_t size,
			     enum dma_data_direction dir, unsigned long attrs)
{
	dma_unmap_phys(dev->parent, address, size, dir, attrs);
}

#define DMA_PARENT_MAP \
	.map_phys = dma_parent_map, \
	.unmap_phys = dma_parent_unmap
#else
static dma_addr_t dma_parent_map(struct device *dev, struct page *page, unsigned long offset,
				 size_t size, enum dma_data_direction dir, unsigned long attrs)
{
	return dma_map_page_attrs(dev->parent, page, offset, size, dir, attrs);
}

static void dma_parent_unmap(struct device *dev, dma_addr_t address, size_t size,
			     enum dma_data_direction dir, unsigned long attrs)
{
	dma_unmap_page_attrs(dev->parent, address, size, dir, attrs);
}

#define DMA_PARENT_MAP \
	.map_page = dma_parent_map, \
	.unmap_page = dma_parent_unmap
#endif

static int dma_parent_map_sg(struct device *dev, struct scatterlist *sg, int nents,
			     enum dma_data_direction dir, unsigned long attrs)
{
	int count = dma_map_sg_attrs(dev->parent, sg, nents, dir, attrs);

	return count ?: -EIO;
}

static void dma_parent_unmap_sg(struct device *dev, struct scatterlist *sg, int nents,
				enum dma_data_direction dir, unsigned long attrs)
{
	dma_unmap_sg_attrs(dev->parent, sg, nents, dir, attrs);
}

static int dma_parent_dma_supported(struct device *dev, u64 mask)
{
	return dma_set_mask_and_coherent(dev->parent, mask) == 0;
}

static size_t dma_parent_max_mapping_size(struct device *dev)
{
	return dma_max_mapping_size(dev->parent);
}

/*
 * Without operations that synchronise: the functions are those of a machine whose caches are
 * coherent, and a device that has such operations counts as one that is not.
 */
static const struct dma_map_ops dma_parent_ops = {
	.alloc = dma_parent_alloc,
	.free = dma_parent_free,
	.mmap = dma_parent_mmap,
	.get_sgtable = dma_parent_get_sgtable,
	DMA_PARENT_MAP,
	.map_sg = dma_parent_map_sg,
	.unmap_sg = dma_parent_unmap_sg,
	.dma_supported = dma_parent_dma_supported,
	.max_mapping_size = dma_parent_max_mapping_size,
};

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Probe, remove and interrupts of the device: see nna_device.h. */

#include <linux/bitops.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/sizes.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "nna_control.h"
#include "nna_core.h"
#include "nna_coredump.h"
#include "nna_device.h"
#include "nna_gem.h"
#include "nna_job.h"
#include "nna_pages.h"
#include "nna_pm.h"
#include "nna_recovery.h"
#include "nna_reset.h"
#include "nna_ring.h"
#include "nna_shrinker.h"
#include "nna_user.h"
#include "nna_vm.h"

/* The schedulers' timeout exceeds the job limit of the device by this. */
#define NNA_TIMEOUT_MARGIN_MS	1000

static const struct nna_job_ops nna_device_job_ops = {
	.timeout = nna_recovery_timeout,
};

/**
 * struct nna_vector - One interrupt vector.
 * @nna: the device.
 * @rings: bit n is set if the completions of ring n raise it.
 */
struct nna_vector {
	struct nna_device *nna;
	unsigned long rings;
};

static irqreturn_t nna_device_irq(int irq, void *data)
{
	struct nna_vector *vector = data;
	struct nna_device *nna = vector->nna;
	unsigned int i;
	bool cookie;

	atomic64_inc(&nna->irqs);
	cookie = dma_fence_begin_signalling();
	for_each_set_bit(i, &vector->rings, NNA_RINGS)
		if (nna_ring_process(&nna->rings[i]) < 0)
			nna_core_schedule_reset(nna, "a completion has a wrong sequence number");
	dma_fence_end_signalling(cookie);

	/* Vectors are not shared. If there was no new record, an earlier interrupt has read it. */
	return IRQ_HANDLED;
}

void nna_device_flush_cleanup(struct nna_device *nna)
{
	/*
	 * Twice: an abort may drop the last reference on an address space and so queue its release.
	 */
	flush_workqueue(nna->cleanup_wq);
	flush_workqueue(nna->cleanup_wq);
}

static void nna_device_wq_release(struct drm_device *drm, void *wq)
{
	destroy_workqueue(wq);
}

static int nna_device_wq_init(struct nna_device *nna, struct workqueue_struct **out,
			      struct workqueue_struct *wq)
{
	if (!wq)
		return -ENOMEM;
	*out = wq;
	return drmm_add_action_or_reset(&nna->drm, nna_device_wq_release, wq);
}

static int nna_device_init_sw(struct nna_device *nna)
{
	int ret;

	nna_clock_init(&nna->clock);
	init_waitqueue_head(&nna->control_waitq);
	ret = nna_reset_init(nna);
	if (ret)
		return ret;
	ret = nna_users_init(nna);
	if (ret)
		return ret;
	ret = nna_pages_init(nna);
	if (ret)
		return ret;
	ret = nna_vm_init(nna);
	if (ret)
		return ret;
	ret = nna_gem_init(nna);
	if (ret)
		return ret;

	/*
	 * Per CPU, since the caches of the CPU that submits hold the job. Without WQ_HIGHPRI: the
	 * work that frees a job would run before the client that waits for the job, and the
	 * scheduler would wake up for one job instead of several. Measured, this makes a null job a
	 * tenth faster and doubles the throughput of many contexts. The name is short because a
	 * worker copies it for each work item.
	 */
	ret = nna_device_wq_init(nna, &nna->submit_wq,
				 alloc_workqueue("nna", WQ_MEM_RECLAIM | WQ_PERCPU, 0));
	if (ret)
		return ret;
	ret = nna_device_wq_init(nna, &nna->reset_wq,
				 alloc_ordered_workqueue("nna-reset", WQ_MEM_RECLAIM));
	if (ret)
		return ret;

	nna->rings = drmm_kcalloc(&nna->drm, NNA_RINGS, sizeof(*nna->rings), GFP_KERNEL);
	if (!nna->rings)
		return -ENOMEM;
	ret = nna_coredump_init(nna);
	if (ret)
		return ret;

	return nna_device_wq_init(nna, &nna->cleanup_wq,
				  alloc_workqueue("nna-cleanup", WQ_UNBOUND, 0));
}

/* Allocates the rings and requests the interrupts that their completions raise. */
static int nna_device_init_rings(struct nna_device *nna)
{
	const u32 vector_count = min3(nna->bus->irq_count, nna->hw.msix_count, NNA_RINGS);
	const u32 size = min(NNA_RING_SIZE, nna->hw.ring_size_limit);
	struct device *dev = nna->drm.dev;
	struct nna_vector *vectors;
	unsigned int i;
	int ret;

	if (nna_hw_has_progress(&nna->hw)) {
		nna->progress = dmam_alloc_coherent(dev, sizeof(*nna->progress), &nna->progress_dma,
						    GFP_KERNEL);
		if (!nna->progress)
			return -ENOMEM;
	}
	/* Managed by the device, as the interrupts are, which are freed first. */
	vectors = devm_kcalloc(dev, vector_count, sizeof(*vectors), GFP_KERNEL);
	if (!vectors)
		return -ENOMEM;
	for (i = 0; i < NNA_RINGS; i++) {
		u32 vector = i % vector_count;

		ret = nna_ring_init(&nna->rings[i], nna, i, size, vector);
		if (ret)
			return ret;
		vectors[vector].rings |= BIT(i);
	}
	for (i = 0; i < vector_count; i++) {
		vectors[i].nna = nna;
		ret = devm_request_irq(dev, nna->bus->irqs[i], nna_device_irq, 0, NNA_DRIVER_NAME,
				       &vectors[i]);
		if (ret)
			return dev_err_probe(dev, ret, "cannot request interrupt %d of vector %u\n",
					     nna->bus->irqs[i], i);
	}
	return 0;
}

/* Stops the device for good, and waits until no part of the driver uses it. */
static void nna_device_unplug(struct nna_device *nna)
{
	nna_reset_unplug(nna);
	nna_job_drain(nna);
	nna_coredump_drop(nna);
	nna_device_flush_cleanup(nna);
}

/*
 * Finds out whether the device sees the CPU's caches: by a mapping such as those of objects, since
 * what is known of the device alone is for the DMA core only.
 */
static int nna_device_init_coherent(struct nna_device *nna)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	struct device *dev = nna->drm.dev;
	dma_addr_t dma;
	int ret;

	if (!page)
		return -ENOMEM;
	dma = dma_map_page(dev, page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	ret = dma_mapping_error(dev, dma);
	if (!ret) {
		nna->coherent = !dma_need_sync(dev, dma);
		dma_unmap_page(dev, dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	}
	__free_page(page);
	return ret;
}

struct nna_device *nna_device_probe(struct nna_bus *bus, const struct drm_driver *driver)
{
	struct device *dev = bus->dev;
	struct nna_device *nna;
	int ret;

	nna = devm_drm_dev_alloc(dev, driver, struct nna_device, drm);
	if (IS_ERR(nna))
		return nna;
	dev_set_drvdata(dev, nna);
	nna->bus = bus;

	/* Page table entries hold bus addresses of 52 bits. */
	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(52));
	if (ret)
		return ERR_PTR(dev_err_probe(dev, ret, "no DMA with addresses of 52 bits\n"));
	dma_set_max_seg_size(dev, SZ_2G);
	ret = nna_device_init_coherent(nna) ?: nna_hw_init(&nna->hw, bus);
	if (ret)
		return ERR_PTR(ret);
	nna->job_limit_ms = div_u64(nna_clock_ticks_to_ns(&nna->hw, nna->hw.job_limit),
				    NSEC_PER_MSEC);
	nna->timeout_ms = nna->job_limit_ms + NNA_TIMEOUT_MARGIN_MS;

	ret = nna_device_init_sw(nna);
	if (ret)
		return ERR_PTR(ret);

	/* Reset before bus mastering, so that jobs of a former driver cannot write to memory. */
	ret = nna_hw_reset(&nna->hw);
	if (ret)
		return ERR_PTR(dev_err_probe(dev, ret, "the device does not complete a reset\n"));
	nna_bus_enable_master(bus);

	ret = nna_device_init_rings(nna);
	if (ret)
		return ERR_PTR(ret);
	ret = nna_shrinker_init(nna);
	if (ret)
		return ERR_PTR(ret);
	ret = nna_job_init(nna, &nna_device_job_ops);
	if (ret)
		return ERR_PTR(ret);

	nna_clock_sample(&nna->clock, &nna->hw);
	ret = nna_reset_enable_rings(nna);
	if (ret) {
		dev_err_probe(dev, ret, "the device does not enable its rings\n");
		goto err_lose;
	}
	ret = nna_control_ping(nna);
	if (ret) {
		dev_err_probe(dev, ret, "the device does not answer on its control ring\n");
		goto err_lose;
	}

	nna_pm_init(nna);
	return nna;

err_lose:
	/* Interrupts are enabled, so a reset or a core dump may be queued. */
	nna_device_unplug(nna);
	return ERR_PTR(ret);
}

int nna_device_register(struct nna_device *nna)
{
	int ret = drm_dev_register(&nna->drm, 0);

	if (ret) {
		nna_pm_fini(nna);
		nna_device_unplug(nna);
		return ret;
	}
	drm_info(&nna->drm, "NNA %u.%u, %u workers, job limit %u ms\n", nna->hw.abi_major,
		 nna->hw.abi_minor, nna->hw.workers, nna->job_limit_ms);
	return 0;
}

void nna_device_shutdown(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);
	int idx;

	if (!drm_dev_enter(&nna->drm, &idx))
		return;
	nna_reset_unplug(nna);
	drm_dev_exit(idx);
}

void nna_device_remove(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);

	/* From here on ioctls fail with -ENODEV, and no section of drm_dev_enter() is left. */
	drm_dev_unplug(&nna->drm);
	nna_pm_fini(nna);
	nna_device_unplug(nna);
	nna_vm_free_tables(nna);
	nna_gem_unmap_all(nna);
}

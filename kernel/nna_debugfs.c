// SPDX-License-Identifier: GPL-2.0-only
/* debugfs: see nna_debugfs.h for the files. */

#include <linux/dma-resv.h>
#include <linux/seq_file.h>
#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/nna_accel.h>

#include "nna_control.h"
#include "nna_core.h"
#include "nna_debugfs.h"
#include "nna_gate.h"
#include "nna_gem.h"
#include "nna_pm.h"
#include "nna_ring.h"
#include "nna_shrinker.h"
#include "nna_vm.h"

static struct nna_device *nna_debugfs_device(struct seq_file *m)
{
	struct drm_debugfs_entry *entry = m->private;

	return to_nna_device(entry->dev);
}

/* Enters the device and resumes it, so that registers can be read; false if that fails. */
static bool nna_debugfs_enter(struct nna_device *nna, int *idx)
{
	if (!drm_dev_enter(&nna->drm, idx))
		return false;
	if (!nna_pm_get(nna))
		return true;
	drm_dev_exit(*idx);
	return false;
}

static void nna_debugfs_exit(struct nna_device *nna, int idx)
{
	nna_pm_put(nna);
	drm_dev_exit(idx);
}

static int nna_debugfs_rings(struct seq_file *m, void *data)
{
	struct nna_device *nna = nna_debugfs_device(m);
	struct nna_hw_ring_regs regs = {};
	unsigned int i;
	int idx;

	seq_puts(m, "ring running size   tail   done  seqno completions | status   head   done doorbell\n");
	for (i = 0; i < NNA_RINGS; i++) {
		struct nna_ring *ring = &nna->rings[i];

		if (nna_debugfs_enter(nna, &idx)) {
			nna_hw_ring_dump(&nna->hw, i, &regs);
			nna_debugfs_exit(nna, idx);
		}
		spin_lock_irq(&ring->lock);
		seq_printf(m, "%4u %7u %4u %6u %6u %6u %11llu | %6x %6u %6u %8u\n", i,
			   ring->running, ring->size, ring->tail, ring->done, ring->seqno,
			   ring->completions, regs.status, regs.head, regs.done, regs.doorbell);
		spin_unlock_irq(&ring->lock);
	}
	return 0;
}

static int nna_debugfs_scheduled(struct seq_file *m, void *data)
{
	struct nna_device *nna = nna_debugfs_device(m);
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS; i++)
		seq_printf(m, "%u %u\n", i, nna_gates_entries(nna, i));
	return 0;
}

static int nna_debugfs_counters(struct seq_file *m, void *data)
{
	struct nna_device *nna = nna_debugfs_device(m);
	struct drm_nna_counters c = {};
	int idx;

	if (!nna_debugfs_enter(nna, &idx))
		return -ENODEV;
	nna_hw_read_counters(&nna->hw, &c);
	nna_debugfs_exit(nna, idx);
	seq_printf(m, "jobs %llu\ncommands %llu\nirqs %llu\nmmio_reads %llu\nmmio_writes %llu\n",
		   c.jobs, c.commands, c.irqs, c.mmio_reads, c.mmio_writes);
	seq_printf(m, "preemptions %llu\nfaults %llu\nbusy_ticks %llu\nwalks %llu\nlongest_tile %llu\n",
		   c.preemptions, c.faults, c.busy_ticks, c.walks, c.longest_tile_ticks);
	seq_printf(m, "driver_irqs %lld\ndriver_mmio_reads %lld\nresets %d\njobs_alive %d\n",
		   atomic64_read(&nna->irqs), atomic64_read(&nna->hw.reads),
		   atomic_read(&nna->resets), atomic_read(&nna->job_count));
	return 0;
}

static int nna_debugfs_gpuvas(struct seq_file *m, void *data)
{
	struct nna_device *nna = nna_debugfs_device(m);
	unsigned long asid = 0;
	struct nna_vm *vm;

	for (vm = nna_vm_next(nna, &asid); vm; asid++, vm = nna_vm_next(nna, &asid)) {
		mutex_lock(&vm->lock);
		seq_printf(m, "asid %lu, %u tables\n", asid, vm->pgt.tables);
		drm_debugfs_gpuva_info(m, &vm->base);
		mutex_unlock(&vm->lock);
		nna_vm_put(vm);
	}
	return 0;
}

static int nna_debugfs_gems(struct seq_file *m, void *data)
{
	struct nna_device *nna = nna_debugfs_device(m);
	struct nna_bo *bo;

	seq_puts(m, "          size refs handles flags private imported exported pages mapped label\n");
	mutex_lock(&nna->bos_lock);
	list_for_each_entry(bo, &nna->bos, node) {
		struct drm_gem_object *obj = &bo->base.base;
		/* Racy snapshot: the core's lock of this count may not be taken here. */
		unsigned int handles = data_race(obj->handle_count);
		/* Likewise. */
		bool shared = data_race(obj->dma_buf);

		dma_resv_lock(obj->resv, NULL);
		seq_printf(m, "%14zu %4u %7u %5x %7u %8u %8u %5u %6u ", obj->size,
			   kref_read(&obj->refcount), handles, bo->flags, !!bo->resv_obj,
			   drm_gem_is_imported(obj), shared && !drm_gem_is_imported(obj),
			   !!bo->base.pages, !!bo->base.sgt);
		/* Escape the label, so that user space cannot add lines to the file. */
		if (bo->label)
			seq_escape(m, bo->label, "\n\\");
		seq_putc(m, '\n');
		dma_resv_unlock(obj->resv);
	}
	mutex_unlock(&nna->bos_lock);
	return 0;
}

/* Measures the lower bound of a submission's latency, without a job. */
static int nna_debugfs_latency(struct seq_file *m, void *data)
{
	struct nna_device *nna = nna_debugfs_device(m);
	int ret, idx;
	u64 ns;

	if (!nna_debugfs_enter(nna, &idx))
		return -ENODEV;
	ret = nna_control_latency(nna, &ns);
	nna_debugfs_exit(nna, idx);
	if (!ret)
		seq_printf(m, "%llu ns\n", ns);
	return ret;
}

static int nna_debugfs_shrinker(struct seq_file *m, void *data)
{
	struct nna_device *nna = nna_debugfs_device(m);
	struct nna_shrinker_counts c;

	nna_shrinker_read(nna, &c);
	seq_printf(m, "pages %lu\ncalls %llu\nseen %llu\npurged %llu\n", nna_shrinker_count(nna),
		   c.calls, c.seen, c.purged);
	return 0;
}

static const struct drm_debugfs_info nna_debugfs_files[] = {
	{ "rings", nna_debugfs_rings },
	{ "counters", nna_debugfs_counters },
	{ "gems", nna_debugfs_gems },
	{ "gpuvas", nna_debugfs_gpuvas },
	{ "latency", nna_debugfs_latency },
	{ "shrinker", nna_debugfs_shrinker },
	{ "scheduled", nna_debugfs_scheduled },
};

void nna_debugfs_init(struct nna_device *nna)
{
	drm_debugfs_add_files(&nna->drm, nna_debugfs_files, ARRAY_SIZE(nna_debugfs_files));
}

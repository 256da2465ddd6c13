// SPDX-License-Identifier: GPL-2.0-only
/* Register access: see nna_hw.h. */

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <drm/nna_accel.h>

#include "nna_bus.h"
#include "nna_hw.h"
#include "nna_regs.h"

/* Probe refuses a device with a longer job limit, since fences must signal in bounded time. */
#define NNA_JOB_LIMIT_MAX_S	60
/*
 * A reset may take this number of reads of the status, two seconds at least. Reads are counted and
 * not time, since a device whose process stands still answers none.
 */
#define NNA_RESET_POLLS		1000
#define NNA_RESET_POLL_US	2000

/*
 * Unit tests replace the registers by a fake, their test->priv; other builds have no code for it.
 */
#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
#include <kunit/test-bug.h>
#include <kunit/test.h>

static void nna_hw_init_fake(struct nna_hw *hw)
{
	struct kunit *test = kunit_get_current_test();

	hw->fake = test ? test->priv : NULL;
}

static struct nna_hw_fake *nna_hw_fake(struct nna_hw *hw)
{
	return hw->fake;
}
#else
static void nna_hw_init_fake(struct nna_hw *hw)
{
}

static struct nna_hw_fake *nna_hw_fake(struct nna_hw *hw)
{
	return NULL;
}
#endif

/* See nna_bus.h. Whoever switches power off has made sure that no access is under way. */
static bool nna_hw_is_off(const struct nna_hw *hw)
{
	return READ_ONCE(hw->bus->off);
}

static u32 nna_hw_read32(struct nna_hw *hw, u32 offset)
{
	struct nna_hw_fake *fake = nna_hw_fake(hw);

	if (nna_hw_is_off(hw))
		return U32_MAX;
	atomic64_inc(&hw->reads);
	if (fake)
		return fake->read(fake, offset, 4);
	return readl(hw->bus->regs + offset);
}

/* On 32-bit machines readq() is two reads, low half first: that read latches the high half. */
static u64 nna_hw_read64(struct nna_hw *hw, u32 offset)
{
	struct nna_hw_fake *fake = nna_hw_fake(hw);

	if (nna_hw_is_off(hw))
		return U64_MAX;
	atomic64_inc(&hw->reads);
	if (fake)
		return fake->read(fake, offset, 8);
	return readq(hw->bus->regs + offset);
}

static void nna_hw_write32(struct nna_hw *hw, u32 offset, u32 value)
{
	struct nna_hw_fake *fake = nna_hw_fake(hw);

	if (nna_hw_is_off(hw))
		return;
	if (fake)
		fake->write(fake, offset, 4, value);
	else
		writel(value, hw->bus->regs + offset);
}

static void nna_hw_write64(struct nna_hw *hw, u32 offset, u64 value)
{
	struct nna_hw_fake *fake = nna_hw_fake(hw);

	if (nna_hw_is_off(hw))
		return;
	if (fake)
		fake->write(fake, offset, 8, value);
	else
		lo_hi_writeq(value, hw->bus->regs + offset);
}

static u32 nna_hw_ring_reg(unsigned int ring, u32 offset)
{
	return NNA_RING_REGS + ring * NNA_RING_STRIDE + offset;
}

int nna_hw_init(struct nna_hw *hw, const struct nna_bus *bus)
{
	struct device *dev = bus->dev;
	u32 id, v;

	hw->bus = bus;
	atomic64_set(&hw->reads, 0);
	nna_hw_init_fake(hw);

	id = nna_hw_read32(hw, NNA_REG_ID);
	if (id != NNA_ID_MAGIC)
		return dev_err_probe(dev, -ENODEV, "not an NNA: register ID is %#x, not %#x\n", id,
				     NNA_ID_MAGIC);

	v = nna_hw_read32(hw, NNA_REG_VERSION);
	hw->abi_major = v >> 16;
	hw->abi_minor = v & 0xffff;
	if (hw->abi_major != NNA_ABI_MAJOR)
		return dev_err_probe(dev, -ENODEV,
				     "ABI %u.%u of the device needs another driver: this one knows %u\n",
				     hw->abi_major, hw->abi_minor, NNA_ABI_MAJOR);

	v = nna_hw_read32(hw, NNA_REG_STREAM_VERSION);
	hw->stream_version = v & 0xffff;
	hw->layout_version = v >> 16;
	hw->job_rings = nna_hw_read32(hw, NNA_REG_JOB_RING_COUNT);
	hw->ring_size_limit = nna_hw_read32(hw, NNA_REG_RING_SIZE_LIMIT);
	hw->msix_count = nna_hw_read32(hw, NNA_REG_MSIX_COUNT);
	hw->workers = nna_hw_read32(hw, NNA_REG_WORKERS);
	hw->job_limit = nna_hw_read64(hw, NNA_REG_JOB_LIMIT);
	hw->tick_hz = nna_hw_read64(hw, NNA_REG_TIMESTAMP_HZ);
	hw->work_rate = nna_hw_has_slices(hw) ? nna_hw_read64(hw, NNA_REG_WORK_RATE) : 0;

	if (hw->job_rings != NNA_JOB_RINGS || hw->ring_size_limit < NNA_RING_SIZE_MIN ||
	    !is_power_of_2(hw->ring_size_limit) || !hw->msix_count || !hw->tick_hz ||
	    !hw->job_limit || div64_u64(hw->job_limit, hw->tick_hz) > NNA_JOB_LIMIT_MAX_S)
		return dev_err_probe(dev, -EIO,
				     "bad registers: %u job rings of %u, %u vectors, job limit %llu at %llu Hz\n",
				     hw->job_rings, hw->ring_size_limit, hw->msix_count,
				     hw->job_limit, hw->tick_hz);
	return 0;
}

bool nna_hw_is_alive(struct nna_hw *hw)
{
	return nna_hw_read32(hw, NNA_REG_ID) == NNA_ID_MAGIC;
}

int nna_hw_reset(struct nna_hw *hw)
{
	unsigned int i;
	u32 status;

	if (!nna_hw_is_alive(hw))
		return -ENODEV;

	nna_hw_write32(hw, NNA_REG_RESET, NNA_RESET_MAGIC);
	for (i = 0; i < NNA_RESET_POLLS; i++) {
		status = nna_hw_read32(hw, NNA_REG_STATUS);
		if ((status & NNA_REG_STATUS_READY) && !(status & NNA_REG_STATUS_RESETTING))
			return nna_hw_is_alive(hw) ? 0 : -ENODEV;
		usleep_range(NNA_RESET_POLL_US, NNA_RESET_POLL_US + NNA_RESET_POLL_US / 4);
	}
	return -ETIMEDOUT;
}

void nna_hw_set_progress(struct nna_hw *hw, dma_addr_t progress)
{
	nna_hw_write64(hw, NNA_REG_PROGRESS, progress);
}

void nna_hw_sync(struct nna_hw *hw, bool to_device, dma_addr_t address, size_t size)
{
	struct nna_hw_fake *fake = nna_hw_fake(hw);

	if (to_device)
		dma_sync_single_for_device(hw->bus->dev, address, size, DMA_TO_DEVICE);
	else
		dma_sync_single_for_cpu(hw->bus->dev, address, size, DMA_FROM_DEVICE);
	if (fake)
		fake->sync(fake, to_device, address, size);
}

void nna_hw_start(struct nna_hw *hw)
{
	nna_hw_write32(hw, NNA_REG_CONTROL, NNA_REG_CONTROL_ENABLE);
}

void nna_hw_stop(struct nna_hw *hw)
{
	unsigned int i;

	nna_hw_write32(hw, NNA_REG_CONTROL, 0);
	for (i = 0; i <= hw->job_rings; i++)
		nna_hw_write32(hw, nna_hw_ring_reg(i, NNA_RING_REG_CONTROL), 0);
}

int nna_hw_ring_enable(struct nna_hw *hw, unsigned int ring, dma_addr_t base, dma_addr_t cq_base,
		       u32 size, u32 vector)
{
	u32 status;

	nna_hw_write32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_CONTROL), 0);
	nna_hw_write64(hw, nna_hw_ring_reg(ring, NNA_RING_REG_BASE), base);
	nna_hw_write64(hw, nna_hw_ring_reg(ring, NNA_RING_REG_CQ_BASE), cq_base);
	nna_hw_write32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_SIZE), size);
	nna_hw_write32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_VECTOR), vector);
	nna_hw_write32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_CONTROL),
		       NNA_RING_REG_CONTROL_ENABLE);

	status = nna_hw_read32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_STATUS));
	if ((status & NNA_RING_REG_STATUS_ERROR) || !(status & NNA_RING_REG_STATUS_RUNNING))
		return -EIO;
	return 0;
}

void nna_hw_doorbell(struct nna_hw *hw, unsigned int ring, u32 tail)
{
	/* writel() orders this write after the writes to the ring's coherent memory. */
	nna_hw_write32(hw, NNA_DOORBELLS + 4 * ring, tail);
}

u32 nna_hw_ring_head(struct nna_hw *hw, unsigned int ring)
{
	return nna_hw_read32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_HEAD));
}

u64 nna_hw_ring_run_ms(struct nna_hw *hw, unsigned int ring)
{
	u64 ticks = nna_hw_read32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_RUN_TIME));

	return mul_u64_u64_div_u64(ticks << NNA_RUN_TIME_SHIFT, MSEC_PER_SEC, hw->tick_hz);
}

u32 nna_hw_status(struct nna_hw *hw)
{
	return nna_hw_read32(hw, NNA_REG_STATUS);
}

u64 nna_hw_timestamp(struct nna_hw *hw)
{
	return nna_hw_read64(hw, NNA_REG_TIMESTAMP);
}

void nna_hw_save_counters(struct nna_hw *hw)
{
	struct drm_nna_counters counters = {};

	if (!nna_hw_is_alive(hw))
		return;
	nna_hw_read_counters(hw, &counters);
	hw->saved_counters = counters;
}

void nna_hw_read_counters(struct nna_hw *hw, struct drm_nna_counters *counters)
{
	const struct drm_nna_counters *saved = &hw->saved_counters;

	counters->jobs = saved->jobs + nna_hw_read64(hw, NNA_REG_COUNT_JOBS);
	counters->commands = saved->commands + nna_hw_read64(hw, NNA_REG_COUNT_COMMANDS);
	counters->irqs = saved->irqs + nna_hw_read64(hw, NNA_REG_COUNT_IRQS);
	counters->mmio_writes = saved->mmio_writes + nna_hw_read64(hw, NNA_REG_COUNT_MMIO_WRITES);
	counters->preemptions = saved->preemptions + nna_hw_read64(hw, NNA_REG_COUNT_PREEMPTIONS);
	counters->faults = saved->faults + nna_hw_read64(hw, NNA_REG_COUNT_FAULTS);
	counters->busy_ticks = saved->busy_ticks + nna_hw_read64(hw, NNA_REG_COUNT_BUSY);
	counters->walks = saved->walks + nna_hw_read64(hw, NNA_REG_COUNT_WALKS);
	counters->longest_tile_ticks = max(saved->longest_tile_ticks,
					   nna_hw_read64(hw, NNA_REG_LONGEST_TILE));
	counters->mmio_reads = saved->mmio_reads + nna_hw_read64(hw, NNA_REG_COUNT_MMIO_READS);
	counters->driver_mmio_reads = atomic64_read(&hw->reads);
}

void nna_hw_ring_dump(struct nna_hw *hw, unsigned int ring, struct nna_hw_ring_regs *regs)
{
	regs->control = nna_hw_read32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_CONTROL));
	regs->status = nna_hw_read32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_STATUS));
	regs->head = nna_hw_ring_head(hw, ring);
	regs->done = nna_hw_read32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_DONE));
	regs->doorbell = nna_hw_read32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_DOORBELL_SHADOW));
	regs->run_time = nna_hw_read32(hw, nna_hw_ring_reg(ring, NNA_RING_REG_RUN_TIME));
}

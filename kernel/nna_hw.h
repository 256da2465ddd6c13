/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers. Nothing else in the driver touches them, and nothing here is called once per job
 * but nna_hw_doorbell(): a register read stalls the CPU until the device has answered.
 */
#ifndef NNA_HW_H
#define NNA_HW_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <drm/nna_accel.h>

struct device;

/** struct nna_hw_fake - What stands in for the registers in unit tests; @size is 4 or 8. */
struct nna_hw_fake {
	/** @read: of a register; may be called with spinlocks held. */
	u64 (*read)(struct nna_hw_fake *fake, u32 offset, u32 size);
	/** @write: of a register; may be called with spinlocks held. */
	void (*write)(struct nna_hw_fake *fake, u32 offset, u32 size, u64 value);
};

/**
 * struct nna_hw - The register file and what it says about the device.
 * @dev: for messages and DMA.
 * @regs: mapped registers; NULL once they are gone.
 * @reads: register reads done so far.
 * @abi_major: version of registers, rings and page tables.
 * @abi_minor: version of compatible additions.
 * @stream_version: version of command streams.
 * @layout_version: version of packed weight layouts.
 * @job_rings: rings that take jobs, 1 to NNA_JOB_RINGS.
 * @ring_size_limit: most entries of a ring.
 * @msix_count: interrupt vectors of the device.
 * @workers: threads that compute.
 * @job_limit: run time in ticks after which the device ends a job.
 * @tick_hz: ticks in a second.
 * @saved_counters: what the device's counters were when it was last reset.
 * @fake: unit tests: used instead of @regs when not NULL.
 */
struct nna_hw {
	struct device *dev;
	void __iomem *regs;
	atomic64_t reads;
	u16 abi_major;
	u16 abi_minor;
	u16 stream_version;
	u16 layout_version;
	u32 job_rings;
	u32 ring_size_limit;
	u32 msix_count;
	u32 workers;
	u64 job_limit;
	u64 tick_hz;
	struct drm_nna_counters saved_counters;
#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
	struct nna_hw_fake *fake;
#endif
};

/**
 * nna_hw_init() - Identify the device and read its properties.
 * @hw: filled in.
 * @dev: the device.
 * @regs: its mapped registers.
 *
 * Return: 0, -ENODEV (not an NNA, or of another major version), -EIO (nonsense in the registers).
 */
int nna_hw_init(struct nna_hw *hw, struct device *dev, void __iomem *regs);

/**
 * nna_hw_reset() - Reset the device; may sleep.
 * @hw: the registers.
 *
 * Afterwards no job runs, no ring is enabled and no translation is cached.
 *
 * Return: 0, -ENODEV (the device is gone), -ETIMEDOUT.
 */
int nna_hw_reset(struct nna_hw *hw);

/** nna_hw_is_alive() - Whether the device still answers. */
bool nna_hw_is_alive(struct nna_hw *hw);

/** nna_hw_start() - Let the command processor fetch. */
void nna_hw_start(struct nna_hw *hw);

/** nna_hw_stop() - Stop fetching and disable all rings. */
void nna_hw_stop(struct nna_hw *hw);

/**
 * nna_hw_ring_enable() - Hand a ring to the device.
 * @hw: the registers.
 * @ring: index.
 * @base: bus address of the entries.
 * @cq_base: bus address of the completion queue.
 * @size: entries.
 * @vector: interrupt vector.
 *
 * Return: 0, -EIO when the device refuses it.
 */
int nna_hw_ring_enable(struct nna_hw *hw, unsigned int ring, dma_addr_t base, dma_addr_t cq_base,
		       u32 size, u32 vector);

/**
 * nna_hw_doorbell() - Tell the device how far a ring is filled; any context.
 * @hw: the registers.
 * @ring: index.
 * @tail: free-running count of entries written.
 */
void nna_hw_doorbell(struct nna_hw *hw, unsigned int ring, u32 tail);

/** nna_hw_ring_head() - Entries that the device has fetched; final after nna_hw_stop(). */
u32 nna_hw_ring_head(struct nna_hw *hw, unsigned int ring);

/** nna_hw_ring_run_ms() - Milliseconds for which the ring's job has run so far; 0 without one. */
u64 nna_hw_ring_run_ms(struct nna_hw *hw, unsigned int ring);

/** nna_hw_ring_status() - NNA_RING_STATUS_* of a ring. */
u32 nna_hw_ring_status(struct nna_hw *hw, unsigned int ring);

/** nna_hw_status() - NNA_STATUS_* register of the device. */
u32 nna_hw_status(struct nna_hw *hw);

/** nna_hw_timestamp() - The device's clock in ticks. */
u64 nna_hw_timestamp(struct nna_hw *hw);

/** nna_hw_save_counters() - Save the counters of a device that answers before it is reset. */
void nna_hw_save_counters(struct nna_hw *hw);

/** nna_hw_read_counters() - Read the device's counters into @counters. */
void nna_hw_read_counters(struct nna_hw *hw, struct drm_nna_counters *counters);

/** struct nna_hw_ring_regs - A ring's registers, for dumps. */
struct nna_hw_ring_regs {
	/** @control: NNA_RING_CONTROL_*. */
	u32 control;
	/** @status: NNA_RING_STATUS_*. */
	u32 status;
	/** @head: entries fetched. */
	u32 head;
	/** @done: completions written. */
	u32 done;
	/** @doorbell: last value written to the doorbell. */
	u32 doorbell;
	/** @run_time: of the job under way. */
	u32 run_time;
};

/** nna_hw_ring_dump() - Read a ring's registers. */
void nna_hw_ring_dump(struct nna_hw *hw, unsigned int ring, struct nna_hw_ring_regs *regs);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register access. Only this file accesses registers, so a port to other hardware replaces it.
 *
 * A register read stalls the CPU until the device has answered, so submission and completion of a
 * job read no register: they call nna_hw_doorbell() alone, a posted write.
 *
 * Locking: no locks here. Callers are inside drm_dev_enter(), or are probe or remove, and hold a
 * runtime PM reference if they read a register. Resets are serialised by their callers: the reset
 * workqueue, power management and probe.
 */
#ifndef NNA_HW_H
#define NNA_HW_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <drm/nna_accel.h>

#include "nna_regs.h"

struct nna_bus;

/** struct nna_hw_fake - A register file in software, for unit tests. @size is 4 or 8 bytes. */
struct nna_hw_fake {
	/** @read: read a register; called with spinlocks held, too. */
	u64 (*read)(struct nna_hw_fake *fake, u32 offset, u32 size);
	/** @write: write a register; called with spinlocks held, too. */
	void (*write)(struct nna_hw_fake *fake, u32 offset, u32 size, u64 value);
	/** @sync: the caches have been cleaned (@to_device) or invalidated for a range. */
	void (*sync)(struct nna_hw_fake *fake, bool to_device, dma_addr_t address, size_t size);
};

/**
 * struct nna_hw - The register file and the properties that were read from it at probe.
 * @bus: where the mapped registers are, and whether they may be accessed.
 * @reads: register reads done so far.
 * @abi_major: version of registers, rings and page tables.
 * @abi_minor: version of their compatible additions.
 * @stream_version: version of the command streams that the device executes.
 * @layout_version: version of the packed weight layouts that it reads.
 * @job_rings: rings that take jobs; always NNA_JOB_RINGS, or probe fails.
 * @ring_size_limit: maximum entries of a ring, a power of two.
 * @msix_count: interrupt vectors of the device.
 * @workers: threads of the device that compute.
 * @job_limit: run time in ticks after which the device ends a job.
 * @tick_hz: frequency of the device's clock.
 * @work_rate: work that the device does at least in a second of run time; 0 if it is not stated.
 * @saved_counters: sums of the device's counters up to its last reset: a reset clears them.
 * @fake: unit tests: if not NULL, replaces the registers of @bus.
 */
struct nna_hw {
	const struct nna_bus *bus;
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
	u64 work_rate;
	struct drm_nna_counters saved_counters;
#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
	struct nna_hw_fake *fake;
#endif
};

/** nna_hw_has_profiles() - Whether the device takes jobs with a profile. */
static inline bool nna_hw_has_profiles(const struct nna_hw *hw)
{
	return hw->abi_minor >= NNA_PROFILE_ABI_MINOR;
}

/** nna_hw_has_yield() - Whether the device knows YIELD. */
static inline bool nna_hw_has_yield(const struct nna_hw *hw)
{
	return hw->abi_minor >= NNA_YIELD_ABI_MINOR;
}

/** nna_hw_has_slices() - Whether a job may yield when its budget is used up. */
static inline bool nna_hw_has_slices(const struct nna_hw *hw)
{
	return hw->abi_minor >= NNA_SLICE_ABI_MINOR;
}

/** nna_hw_has_progress() - Whether the device counts its progress in memory. */
static inline bool nna_hw_has_progress(const struct nna_hw *hw)
{
	return hw->abi_minor >= NNA_PROGRESS_ABI_MINOR;
}

/**
 * nna_hw_init() - Identify the device and read its properties.
 * @hw: filled in.
 * @bus: the bus with its registers; must be valid as long as registers are accessed.
 *
 * Return: 0, -ENODEV (not an NNA, or one of another major version), -EIO (a register has a value
 * that the hardware description does not allow).
 */
int nna_hw_init(struct nna_hw *hw, const struct nna_bus *bus);

/**
 * nna_hw_reset() - Reset the device and wait until it is ready; may sleep.
 * @hw: the registers.
 *
 * Afterwards no job runs, no ring is enabled, no translation is cached and the counters are 0.
 *
 * Return: 0, -ENODEV (it does not answer), -ETIMEDOUT (it is not ready after two seconds, and a
 * thousand reads that it has answered).
 */
int nna_hw_reset(struct nna_hw *hw);

/**
 * nna_hw_is_alive() - Whether the device answers: reads of one that is gone return all ones.
 * @hw: the registers.
 *
 * Waits for a device that stands still, such as a process that is stopped. So a time limit that
 * counts only between two calls does not run out meanwhile.
 *
 * Return: true if it answers.
 */
bool nna_hw_is_alive(struct nna_hw *hw);

/**
 * nna_hw_set_progress() - Have the device count its progress, until its next reset.
 * @hw: the registers; nna_hw_has_progress(), and no ring is enabled.
 * @progress: bus address of a &struct nna_progress.
 */
void nna_hw_set_progress(struct nna_hw *hw, dma_addr_t progress);

/**
 * nna_hw_sync() - Clean or invalidate the CPU's caches for memory that the device reads or writes.
 * @hw: the device, which does not see these caches.
 * @to_device: the CPU has written and the device will read; else the CPU will read what the device
 *	has written.
 * @address: bus address, of a mapping of the device's.
 * @size: bytes.
 */
void nna_hw_sync(struct nna_hw *hw, bool to_device, dma_addr_t address, size_t size);

/** nna_hw_start() - Let the command processor fetch entries of the enabled rings. */
void nna_hw_start(struct nna_hw *hw);

/** nna_hw_stop() - Stop the command processor from fetching entries, and disable all rings. */
void nna_hw_stop(struct nna_hw *hw);

/**
 * nna_hw_ring_enable() - Program a ring's registers and enable it, with no entry written.
 * @hw: the registers.
 * @ring: index of the ring.
 * @base: bus address of the entries.
 * @cq_base: bus address of the completion queue.
 * @size: number of entries, a power of two.
 * @vector: the interrupt vector that its completions raise.
 *
 * Return: 0, -EIO (the device refuses the ring).
 */
int nna_hw_ring_enable(struct nna_hw *hw, unsigned int ring, dma_addr_t base, dma_addr_t cq_base,
		       u32 size, u32 vector);

/**
 * nna_hw_doorbell() - Tell the device how many entries a ring has; any context.
 * @hw: the registers.
 * @ring: index of the ring.
 * @tail: entries written since the ring was enabled; a free-running count.
 */
void nna_hw_doorbell(struct nna_hw *hw, unsigned int ring, u32 tail);

/** nna_hw_ring_head() - Entries that the device has fetched; constant after nna_hw_stop(). */
u32 nna_hw_ring_head(struct nna_hw *hw, unsigned int ring);

/** nna_hw_ring_run_ms() - Run time of the ring's current job in ms so far; 0 if it has none. */
u64 nna_hw_ring_run_ms(struct nna_hw *hw, unsigned int ring);

/** nna_hw_status() - The device's status register, NNA_REG_STATUS_*. */
u32 nna_hw_status(struct nna_hw *hw);

/** nna_hw_timestamp() - The device's clock, in ticks. */
u64 nna_hw_timestamp(struct nna_hw *hw);

/** nna_hw_save_counters() - Save the counters before a reset, if the device answers. */
void nna_hw_save_counters(struct nna_hw *hw);

/** nna_hw_read_counters() - Fill in the device's counters since the driver was bound. */
void nna_hw_read_counters(struct nna_hw *hw, struct drm_nna_counters *counters);

/** struct nna_hw_ring_regs - A ring's registers, for dumps. */
struct nna_hw_ring_regs {
	/** @control: NNA_RING_REG_CONTROL_*. */
	u32 control;
	/** @status: NNA_RING_REG_STATUS_*. */
	u32 status;
	/** @head: entries that the device has fetched. */
	u32 head;
	/** @done: completions that it has written. */
	u32 done;
	/** @doorbell: last value written to the doorbell. */
	u32 doorbell;
	/** @run_time: run time of the current job, in units of 2^NNA_RUN_TIME_SHIFT ticks. */
	u32 run_time;
};

/** nna_hw_ring_dump() - Read a ring's registers into @regs. */
void nna_hw_ring_dump(struct nna_hw *hw, unsigned int ring, struct nna_hw_ring_regs *regs);

#endif

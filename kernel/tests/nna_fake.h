/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fake device for unit tests: a register file in software that behaves as the NNA's, under the
 * control of the test.
 *
 * The whole driver is probed on it, as on a device of a bus. Jobs stay on their rings until the
 * test completes them with nna_fake_complete(), or until they yield: on YIELD, or when the job has
 * ended that did not. A work item completes entries of the control ring, unless control_stopped is
 * set. The code that completes an entry also raises its interrupt,
 * through the kernel's interrupt core.
 *
 * Locking: nna_fake.lock protects the registers. The driver accesses them with its own locks held,
 * so no function of the driver is called with it held.
 */
#ifndef NNA_FAKE_H
#define NNA_FAKE_H

#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/dma-fence.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <drm/nna_accel.h>

#include "../nna_bus.h"
#include "../nna_core.h"
#include "../nna_device.h"
#include "../nna_hw.h"
#include "../nna_ring.h"

struct drm_file;
struct drm_syncobj;
struct nna_ctx;
struct nna_vm;

/** NNA_FAKE_WORK_RATE - WORK_RATE register. */
#define NNA_FAKE_WORK_RATE 123456789u

/** NNA_FAKE_LOG - Maximum number of control entries that are recorded. */
#define NNA_FAKE_LOG 64

/** NNA_FAKE_FENCES - Maximum number of fences that a test may create. */
#define NNA_FAKE_FENCES 16u
/** NNA_FAKE_USER - Size of user memory in bytes. */
#define NNA_FAKE_USER 0x20000u

/** NNA_FAKE_SYNCS - Maximum number of cache operations that are recorded. */
#define NNA_FAKE_SYNCS 8u

/** struct nna_fake_sync - Caches that were cleaned or invalidated. */
struct nna_fake_sync {
	/** @to_device: cleaned, for the device; else invalidated, for the CPU. */
	bool to_device;
	/** @address: bus address. */
	u64 address;
	/** @size: bytes. */
	size_t size;
};

/** struct nna_fake_ring - A ring's registers. */
struct nna_fake_ring {
	/** @base: bus address of the entries. */
	u64 base;
	/** @cq_base: bus address of the completion records. */
	u64 cq_base;
	/** @size: number of entries. */
	u32 size;
	/** @vector: interrupt vector. */
	u32 vector;
	/** @status: NNA_RING_REG_STATUS_*. */
	u32 status;
	/** @done: entries completed. */
	u32 done;
	/** @doorbell: entries written. */
	u32 doorbell;
	/** @begun: number of pending entries that have been begun; 1 when the ring is enabled. */
	u32 begun;
	/** @run_time: RUN_TIME register. */
	u32 run_time;
	/** @yields: a YIELD has come, for the entries up to @yield. */
	bool yields;
	/** @yield: sequence number. */
	u32 yield;
};

/** struct nna_fake - The device. @hw comes first, since test->priv points to it. */
struct nna_fake {
	/** @hw: the operations that replace the driver's register accesses. */
	struct nna_hw_fake hw;
	/** @test: the test. */
	struct kunit *test;
	/** @bus: its bus. */
	struct nna_bus bus;
	/** @syncs: cache operations on memory of the device. */
	struct nna_fake_sync syncs[NNA_FAKE_SYNCS];
	/** @sync_count: number of elements in @syncs. */
	unsigned int sync_count;
	/** @bus_ops: what the bus does; power_on and power_off are NULL, as those of PCI. */
	struct nna_bus_ops bus_ops;
	/** @dev: the KUnit device. */
	struct device *dev;
	/** @dma_parms: DMA parameters, which a bus would set. */
	struct device_dma_parameters dma_parms;
	/** @nna: the driver's device, while it is bound. */
	struct nna_device *nna;
	/** @lock: protects the registers. */
	spinlock_t lock;
	/** @id: ID register. */
	u32 id;
	/** @version: VERSION register. */
	u32 version;
	/** @job_rings: JOB_RING_COUNT register. */
	u32 job_rings;
	/** @ring_size_limit: RING_SIZE_LIMIT register. */
	u32 ring_size_limit;
	/** @msix_count: MSIX_COUNT register. */
	u32 msix_count;
	/** @job_limit: JOB_LIMIT register. */
	u64 job_limit;
	/** @tick_hz: TIMESTAMP_HZ register. */
	u64 tick_hz;
	/** @tick: TIMESTAMP is CLOCK_MONOTONIC in ticks plus this; if @frozen, this alone. */
	u64 tick;
	/** @frozen: the clock stands still. */
	bool frozen;
	/** @control: CONTROL register. */
	u32 control;
	/** @status: STATUS register. */
	u32 status;
	/** @rings: the rings' registers. */
	struct nna_fake_ring rings[NNA_RINGS];
	/** @gone: register reads return all ones, and writes have no effect. */
	bool gone;
	/** @refuse_reset: number of next resets that do not end. */
	unsigned int refuse_reset;
	/** @stall_ms: the next read of @stall_at takes this long, as if the device stood still. */
	unsigned int stall_ms;
	/** @stall_at: a register that is read where the driver may sleep. */
	u32 stall_at;
	/** @slow_reset: number of next reads of STATUS that find the device resetting. */
	unsigned int slow_reset;
	/** @progress: PROGRESS register. */
	u64 progress;
	/** @comes_forward: each read of a register finds that a job has come forward. */
	bool comes_forward;
	/** @refuse_ring: this ring cannot be enabled; NNA_RINGS for none. */
	unsigned int refuse_ring;
	/** @control_stopped: do not complete entries of the control ring. */
	bool control_stopped;
	/** @corrupt_control: number of next control entries to complete with a wrong seqno. */
	unsigned int corrupt_control;
	/** @ignore_aborts: complete an ABORT without ending the job. */
	bool ignore_aborts;
	/** @hold_jobs: jobs that have been begun do not yield. */
	bool hold_jobs;
	/** @rest: start, budget and loop_limit of a job that has been begun and yields. */
	struct nna_ring_entry rest;
	/** @rest_detail: detail of its completion. */
	u64 rest_detail;
	/** @drop_irqs: number of next interrupts to lose. */
	unsigned int drop_irqs;
	/** @resets: resets done. */
	unsigned int resets;
	/** @unpowered: the power is off; an access to a register fails the test. */
	bool unpowered;
	/** @power_error: what switching the power on fails with; 0: it does not fail. */
	int power_error;
	/** @power_ons: number of times that the power was switched on. */
	unsigned int power_ons;
	/** @bus_master_resets: value of @resets when bus mastering was enabled. */
	unsigned int bus_master_resets;
	/** @bus_master_disables: number of times that bus mastering was disabled. */
	unsigned int bus_master_disables;
	/** @log: entries of the control ring. */
	struct nna_ring_entry log[NNA_FAKE_LOG];
	/** @logged: number of entries in @log. */
	unsigned int logged;
	/** @control_work: completes the entries of the control ring. */
	struct work_struct control_work;
	/** @wq: the workqueue of @control_work. */
	struct workqueue_struct *wq;
	/** @filp: an open file of the device. */
	struct file *filp;
	/** @file: DRM's part of it. */
	struct drm_file *file;
	/** @fences: fences for the test to signal; its end signals the others. */
	struct dma_fence *fences[NNA_FAKE_FENCES];
	/** @fence_count: number of fences in @fences. */
	unsigned int fence_count;
	/** @user: NNA_FAKE_USER bytes of user memory, mapped at first use. */
	unsigned long user;
	/** @user_used: number of bytes of @user in use. */
	size_t user_used;
};

/** to_nna_fake() - The fake device of a test. */
static inline struct nna_fake *to_nna_fake(struct kunit *test)
{
	return test->priv;
}

/**
 * nna_fake_switch_power() - From now on the driver switches the power of the device, which is on.
 * @fake: the device, bound.
 */
void nna_fake_switch_power(struct nna_fake *fake);

/** nna_fake_seed() - Seed of random tests: nna.test_seed, or a random number. */
unsigned int nna_fake_seed(void);

/** nna_fake_slowness() - Factor for all time limits: nna.test_slowness, or 1. */
unsigned int nna_fake_slowness(void);

/** nna_fake_create() - Create the device in test->priv, without a driver bound to it. */
struct nna_fake *nna_fake_create(struct kunit *test);

/** nna_fake_bind() - Bind the driver to it. Return: the result of probe. */
int nna_fake_bind(struct nna_fake *fake);

/** nna_fake_open() - Open the device that is bound; 0 or a negative errno. */
int nna_fake_open(struct nna_fake *fake);

/** nna_fake_init() - kunit_suite.init: a bound device with one open file. */
int nna_fake_init(struct kunit *test);

/** nna_fake_init_at() - nna_fake_init() for a device whose clock has @tick_hz. */
int nna_fake_init_at(struct kunit *test, u64 tick_hz);

/** nna_fake_ticks() - A duration in ticks of the device's clock, rounded down. */
u64 nna_fake_ticks(const struct nna_fake *fake, u64 ns);

/** nna_fake_exit() - kunit_suite.exit: close, unbind, and check that nothing has leaked. */
void nna_fake_exit(struct kunit *test);

/** nna_fake_close() - Close the file now. */
void nna_fake_close(struct nna_fake *fake);

/** nna_fake_unbind() - Unbind the driver now; the file stays open. */
void nna_fake_unbind(struct nna_fake *fake);

/** nna_fake_pending() - Number of entries on a ring that have not completed. */
u32 nna_fake_pending(struct nna_fake *fake, unsigned int ring);

/** nna_fake_entry() - Copy the oldest entry of a ring; false when there is none. */
bool nna_fake_entry(struct nna_fake *fake, unsigned int ring, struct nna_ring_entry *entry);

/** nna_fake_write_completion() - Complete the oldest entry of a ring, without an interrupt. */
void nna_fake_write_completion(struct nna_fake *fake, unsigned int ring, u16 status, u64 detail);

/** nna_fake_complete() - Complete the oldest entry of a ring and raise its interrupt. */
void nna_fake_complete(struct nna_fake *fake, unsigned int ring, u16 status, u64 detail);

/** nna_fake_corrupt() - As nna_fake_complete(), with a wrong seqno. */
void nna_fake_corrupt(struct nna_fake *fake, unsigned int ring);

/** nna_fake_resume_control() - Clear control_stopped, and complete the waiting control entries. */
void nna_fake_resume_control(struct nna_fake *fake);

/** nna_fake_irq() - Raise a ring's interrupt. */
void nna_fake_irq(struct nna_fake *fake, unsigned int ring);

/** nna_fake_wait() - Sleep until a condition holds; the test fails if that takes more than 30 s. */
#define nna_fake_wait(test, condition) do { \
	unsigned int __tries = 30000 * nna_fake_slowness(); \
	while (!(condition) && --__tries) \
		msleep(1); \
	KUNIT_ASSERT_TRUE_MSG(test, __tries, "never: %s", #condition); \
} while (0)

/** nna_fake_settle() - Sleep until the driver has no work left without the device. */
void nna_fake_settle(struct nna_fake *fake);

/**
 * nna_fake_user() - Some user memory, aligned to 8 bytes.
 * @fake: the device.
 * @data: data to copy there, or NULL.
 * @size: bytes.
 *
 * The memory is reused after NNA_FAKE_USER more bytes have been requested.
 *
 * Return: its address.
 */
void __user *nna_fake_user(struct nna_fake *fake, const void *data, size_t size);

/** nna_fake_user_end() - End of the user memory; the page behind it cannot be accessed. */
void __user *nna_fake_user_end(struct nna_fake *fake);

/** nna_fake_ioctl() - Call an ioctl on the open file; @arg has the size that is part of @cmd. */
int nna_fake_ioctl(struct nna_fake *fake, unsigned int cmd, void *arg);

/** nna_fake_vm() - Create an address space, which lives until the file is closed, and its id. */
struct nna_vm *nna_fake_vm(struct nna_fake *fake, u32 *id);

/** nna_fake_ctx() - Create a context, which lives until the file is closed, and its id. */
struct nna_ctx *nna_fake_ctx(struct nna_fake *fake, u32 vm_id, u32 priority, u32 *id);

/** nna_fake_bo() - Create a buffer object. Return: its handle. */
u32 nna_fake_bo(struct nna_fake *fake, u64 size, u32 vm_id);

/** nna_fake_syncobj() - Create a syncobj, referenced until the test's end, and its handle. */
struct drm_syncobj *nna_fake_syncobj(struct nna_fake *fake, u32 *handle);

/** nna_fake_keep_fence() - Drop a reference on a fence at the test's end. */
void nna_fake_keep_fence(struct nna_fake *fake, struct dma_fence *fence);

/** nna_fake_submit_args() - The argument of a valid SUBMIT. */
struct drm_nna_submit nna_fake_submit_args(void);

/** nna_fake_push() - nna_job_reserve() and nna_job_submit(). */
int nna_fake_push(struct nna_fake *fake, struct nna_ctx *ctx, const struct drm_nna_submit *args,
		  const struct drm_nna_sync *syncs, u32 count);

/**
 * nna_fake_submit() - Submit a job.
 * @fake: the device.
 * @ctx: the context.
 * @in: a binary syncobj to wait for, or 0.
 * @args: the argument, or NULL for that of nna_fake_submit_args().
 * @fence: out: the job's fence, a reference until the test's end.
 *
 * Return: the driver's result.
 */
int nna_fake_submit(struct nna_fake *fake, struct nna_ctx *ctx, u32 in,
		    const struct drm_nna_submit *args, struct dma_fence **fence);

/**
 * nna_fake_start() - Submit a default job and wait until it is on its ring, if it gets there.
 * @fake: the device.
 * @ctx: the context.
 * @in: a binary syncobj to wait for, or 0.
 *
 * Return: the job's fence, a reference until the test's end.
 */
struct dma_fence *nna_fake_start(struct nna_fake *fake, struct nna_ctx *ctx, u32 in);

/**
 * nna_fake_succeed() - Complete the only job of a ring with success.
 * @fake: the device.
 * @ring: the ring.
 * @fence: the job's fence.
 */
void nna_fake_succeed(struct nna_fake *fake, unsigned int ring, struct dma_fence *fence);

/** nna_fake_fence_error() - Wait for a fence. Return: 0, its error, or 1 if the wait times out. */
int nna_fake_fence_error(struct dma_fence *fence);

/** struct nna_fake_fence - A fence for the test to signal. */
struct nna_fake_fence {
	/** @base: the fence. */
	struct dma_fence base;
	/** @lock: its lock. */
	spinlock_t lock;
};

/** nna_fake_fence() - Create a fence in a new syncobj, referenced until the test's end. */
struct dma_fence *nna_fake_fence(struct nna_fake *fake, u32 *handle);

/**
 * nna_fake_watch_memory() - Record all further kmalloc() calls of this task.
 * @test: the test, which may call this once.
 * @size: size in bytes of the allocations to record, or 0 for all.
 */
void nna_fake_watch_memory(struct kunit *test, size_t size);

/** nna_fake_kept_memory() - Number of recorded allocations that have not been freed. */
unsigned int nna_fake_kept_memory(struct kunit *test);

#endif

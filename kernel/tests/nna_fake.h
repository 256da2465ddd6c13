/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device for unit tests: a register file that answers as the NNA does, moved on by hand.
 *
 * The driver above it is the whole driver, probed on a KUnit device. Jobs stay on their rings until
 * the test ends them with nna_fake_complete(); the control ring answers by itself unless it is told
 * not to. Interrupts are real ones of the kernel's interrupt core, raised in the context of whoever
 * ends an entry.
 *
 * Locking: @lock protects the registers; the driver calls them with its ring locks held, so nothing
 * of the driver is called with it.
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

#include "../nna_device.h"
#include "../nna_hw.h"

struct drm_file;
struct drm_syncobj;
struct nna_ctx;
struct nna_vm;

/** NNA_FAKE_LOG - So many control entries are remembered. */
#define NNA_FAKE_LOG 64

/** NNA_FAKE_FENCES - So many fences of its own a test may have. */
#define NNA_FAKE_FENCES 16u
/** NNA_FAKE_USER - Bytes of user memory. */
#define NNA_FAKE_USER 0x20000u

/** struct nna_fake_ring - A ring's registers. */
struct nna_fake_ring {
	/** @base: of the entries. */
	u64 base;
	/** @cq_base: of the completions. */
	u64 cq_base;
	/** @size: entries. */
	u32 size;
	/** @vector: to raise. */
	u32 vector;
	/** @status: NNA_RING_STATUS_*. */
	u32 status;
	/** @done: entries completed. */
	u32 done;
	/** @doorbell: entries written. */
	u32 doorbell;
	/** @begun: how many of those not completed have been begun; 1 when the ring is enabled. */
	u32 begun;
	/** @run_time: RUN_TIME register. */
	u32 run_time;
};

/** struct nna_fake - The device. @hw comes first: it is what test->priv points to. */
struct nna_fake {
	/** @hw: the seam. */
	struct nna_hw_fake hw;
	/** @test: the test. */
	struct kunit *test;
	/** @bus: what the driver knows of the bus. */
	struct nna_bus_ops bus;
	/** @dev: the KUnit device. */
	struct device *dev;
	/** @dma_parms: what the bus's device would have. */
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
	/** @tick: TIMESTAMP is CLOCK_MONOTONIC plus this, unless @frozen. */
	u64 tick;
	/** @frozen: TIMESTAMP is @tick. */
	bool frozen;
	/** @control: CONTROL register. */
	u32 control;
	/** @status: STATUS register. */
	u32 status;
	/** @rings: the rings' registers. */
	struct nna_fake_ring rings[NNA_RINGS];
	/** @gone: registers read as all ones and take nothing. */
	bool gone;
	/** @refuse_reset: so many resets do not end. */
	unsigned int refuse_reset;
	/** @refuse_ring: this ring cannot be enabled; NNA_RINGS for none. */
	unsigned int refuse_ring;
	/** @control_stopped: the control ring does not answer. */
	bool control_stopped;
	/** @corrupt_control: so many answers of the control ring make no sense. */
	unsigned int corrupt_control;
	/** @ignore_aborts: ABORT is acknowledged but does nothing. */
	bool ignore_aborts;
	/** @drop_irqs: so many interrupts get lost. */
	unsigned int drop_irqs;
	/** @resets: resets done. */
	unsigned int resets;
	/** @bus_master_resets: resets done when the bus was told to let the device in. */
	unsigned int bus_master_resets;
	/** @bus_master_disables: times the bus was told to cut the device off. */
	unsigned int bus_master_disables;
	/** @log: what came on the control ring. */
	struct nna_ring_entry log[NNA_FAKE_LOG];
	/** @logged: how much. */
	unsigned int logged;
	/** @irqs: interrupt numbers of the vectors. */
	int irqs[NNA_RINGS];
	/** @control_work: answers on the control ring. */
	struct work_struct control_work;
	/** @wq: where it runs. */
	struct workqueue_struct *wq;
	/** @filp: an open file of the device. */
	struct file *filp;
	/** @file: the same to DRM. */
	struct drm_file *file;
	/** @fences: that the test signals; those that it did not are signalled at its end. */
	struct dma_fence *fences[NNA_FAKE_FENCES];
	/** @fence_count: how many. */
	unsigned int fence_count;
	/** @user: NNA_FAKE_USER bytes of user memory, once some are wanted. */
	unsigned long user;
	/** @user_used: how far it has been handed out. */
	size_t user_used;
};

/** to_nna_fake() - The fake of a test. */
static inline struct nna_fake *to_nna_fake(struct kunit *test)
{
	return test->priv;
}

/** nna_fake_seed() - What random tests begin with: nna.test_seed, or another number each time. */
unsigned int nna_fake_seed(void);

/** nna_fake_slowness() - What tests multiply times with: nna.test_slowness, or 1. */
unsigned int nna_fake_slowness(void);

/** nna_fake_create() - A register file alone, with nothing bound to it, in test->priv. */
struct nna_fake *nna_fake_create(struct kunit *test);

/** nna_fake_bind() - Bind the driver to it; the driver's result. */
int nna_fake_bind(struct nna_fake *fake);

/** nna_fake_open() - Open the device that is bound; 0 or a negative errno. */
int nna_fake_open(struct nna_fake *fake);

/** nna_fake_init() - kunit_suite.init: a bound device with one open file. */
int nna_fake_init(struct kunit *test);

/** nna_fake_exit() - kunit_suite.exit: close, unbind, and see that nothing was left behind. */
void nna_fake_exit(struct kunit *test);

/** nna_fake_close() - Close the file now. */
void nna_fake_close(struct nna_fake *fake);

/** nna_fake_unbind() - Unbind the driver now; open files live on. */
void nna_fake_unbind(struct nna_fake *fake);

/** nna_fake_pending() - Entries on a ring that have not been completed. */
u32 nna_fake_pending(struct nna_fake *fake, unsigned int ring);

/** nna_fake_entry() - Copy the oldest entry of a ring; false when there is none. */
bool nna_fake_entry(struct nna_fake *fake, unsigned int ring, struct nna_ring_entry *entry);

/** nna_fake_write_completion() - Complete the oldest entry of a ring, without an interrupt. */
void nna_fake_write_completion(struct nna_fake *fake, unsigned int ring, u16 status, u64 detail);

/** nna_fake_complete() - Complete the oldest entry of a ring and raise its interrupt. */
void nna_fake_complete(struct nna_fake *fake, unsigned int ring, u16 status, u64 detail);

/** nna_fake_corrupt() - As nna_fake_complete(), with a seqno that nobody submitted. */
void nna_fake_corrupt(struct nna_fake *fake, unsigned int ring);

/** nna_fake_resume_control() - Answer again on the control ring, and to what has come meanwhile. */
void nna_fake_resume_control(struct nna_fake *fake);

/** nna_fake_irq() - Raise a ring's interrupt. */
void nna_fake_irq(struct nna_fake *fake, unsigned int ring);

/** nna_fake_wait() - Sleep until a condition stopped_by; it must within 30 s, on a usual kernel. */
#define nna_fake_wait(test, condition) do { \
	unsigned int __tries = 30000 * nna_fake_slowness(); \
	while (!(condition) && --__tries) \
		msleep(1); \
	KUNIT_ASSERT_TRUE_MSG(test, __tries, "never: %s", #condition); \
} while (0)

/** nna_fake_settle() - Sleep until what the driver can do by itself has been done. */
void nna_fake_settle(struct nna_fake *fake);

/**
 * nna_fake_user() - Some user memory, aligned to 8 bytes, until about NNA_FAKE_USER more bytes have
 * been asked for.
 * @fake: the device.
 * @data: what to put there, or NULL.
 * @size: bytes.
 *
 * Return: where it is.
 */
void __user *nna_fake_user(struct nna_fake *fake, const void *data, size_t size);

/** nna_fake_user_end() - The end of the user memory, from where on there is none. */
void __user *nna_fake_user_end(struct nna_fake *fake);

/** nna_fake_ioctl() - Call an ioctl on the open file; @arg is of the size that @cmd says. */
int nna_fake_ioctl(struct nna_fake *fake, unsigned int cmd, void *arg);

/** nna_fake_vm() - Create an address space; a user of it, dropped at the test's end, and its id. */
struct nna_vm *nna_fake_vm(struct nna_fake *fake, u32 *id);

/** nna_fake_ctx() - Create a context; a reference, dropped at the test's end, and its id. */
struct nna_ctx *nna_fake_ctx(struct nna_fake *fake, u32 vm_id, u32 priority, u32 *id);

/** nna_fake_bo() - Create a buffer object; its handle. */
u32 nna_fake_bo(struct nna_fake *fake, u64 size, u32 vm_id);

/** nna_fake_syncobj() - Create a syncobj; a handle, and a reference until the test's end. */
struct drm_syncobj *nna_fake_syncobj(struct nna_fake *fake, u32 *handle);

/** nna_fake_keep_fence() - Drop a reference on a fence at the test's end. */
void nna_fake_keep_fence(struct nna_fake *fake, struct dma_fence *fence);

/** nna_fake_submit_args() - A submission that is well formed. */
struct drm_nna_submit nna_fake_submit_args(void);

/**
 * nna_fake_submit() - Submit a job that waits for nothing.
 * @fake: the device.
 * @ctx: the context.
 * @in: a binary syncobj to wait for, or 0.
 * @args: what to submit, or NULL for what nna_fake_submit_args() says.
 * @fence: the job's fence: a reference, dropped at the test's end.
 *
 * Return: the driver's result.
 */
int nna_fake_submit(struct nna_fake *fake, struct nna_ctx *ctx, u32 in,
		    const struct drm_nna_submit *args, struct dma_fence **fence);

/** nna_fake_fence_error() - How a fence ended, waited for: 0 or a negative errno; 1 if not. */
int nna_fake_fence_error(struct dma_fence *fence);

/** struct nna_fake_fence - A fence that the test signals by itself. */
struct nna_fake_fence {
	/** @base: the fence. */
	struct dma_fence base;
	/** @lock: its lock. */
	spinlock_t lock;
};

/** nna_fake_fence() - Make one in a new syncobj; it is dropped at the test's end. */
struct dma_fence *nna_fake_fence(struct nna_fake *fake, u32 *handle);

#endif

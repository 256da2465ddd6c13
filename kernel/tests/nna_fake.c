// SPDX-License-Identifier: GPL-2.0-only
/* A device for unit tests, and helpers to use the driver on it: see nna_fake.h. */

#include <linux/anon_inodes.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/file.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/math64.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <kunit/device.h>
#include <kunit/resource.h>
#include <kunit/test-bug.h>
#include <trace/events/kmem.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_syncobj.h>

#include "../nna_ctx.h"
#include "../nna_drv.h"
#include "../nna_file.h"
#include "../nna_gem.h"
#include "../nna_ioctl.h"
#include "../nna_job.h"
#include "../nna_suspend.h"
#include "../nna_vm.h"
#include "nna_fake.h"

#define NNA_FAKE_FIRST_IRQ 32

/* Maximum number of allocations that are recorded at a time. */
#define NNA_FAKE_ALLOCATIONS 64u

static uint nna_test_seed;
module_param_named(test_seed, nna_test_seed, uint, 0444);
MODULE_PARM_DESC(test_seed, "KUnit: seed of the random tests' last round, 0 for another one each time");

static uint nna_test_slowness = 1;
module_param_named(test_slowness, nna_test_slowness, uint, 0444);
MODULE_PARM_DESC(test_slowness, "KUnit: how many times slower than usual this kernel is");

unsigned int nna_fake_slowness(void)
{
	return max(nna_test_slowness, 1u);
}

unsigned int nna_fake_seed(void)
{
	return nna_test_seed ?: get_random_u32();
}

static struct nna_fake *from_hw(struct nna_hw_fake *hw)
{
	return container_of(hw, struct nna_fake, hw);
}

static u64 nna_fake_ring_read(struct nna_fake_ring *ring, u32 offset)
{
	switch (offset) {
	case NNA_RING_REG_BASE:
		return ring->base;
	case NNA_RING_REG_CQ_BASE:
		return ring->cq_base;
	case NNA_RING_REG_SIZE:
		return ring->size;
	case NNA_RING_REG_VECTOR:
		return ring->vector;
	case NNA_RING_REG_CONTROL:
		return ring->status & NNA_RING_REG_STATUS_RUNNING ? NNA_RING_REG_CONTROL_ENABLE : 0;
	case NNA_RING_REG_STATUS:
		return ring->status;
	case NNA_RING_REG_HEAD:
		return ring->done + min(ring->doorbell - ring->done, ring->begun);
	case NNA_RING_REG_RUN_TIME:
		return ring->run_time;
	case NNA_RING_REG_DOORBELL_SHADOW:
		return ring->doorbell;
	case NNA_RING_REG_DONE:
		return ring->done;
	}
	return 0;
}

u64 nna_fake_ticks(const struct nna_fake *fake, u64 ns)
{
	return mul_u64_u64_div_u64(ns, fake->tick_hz, NSEC_PER_SEC);
}

static u64 nna_fake_register(struct nna_fake *fake, u32 offset)
{
	switch (offset) {
	case NNA_REG_ID:
		return fake->id;
	case NNA_REG_VERSION:
		return fake->version;
	case NNA_REG_STREAM_VERSION:
		return NNA_LAYOUT_ABI << 16 | NNA_STREAM_ABI;
	case NNA_REG_JOB_RING_COUNT:
		return fake->job_rings;
	case NNA_REG_RING_SIZE_LIMIT:
		return fake->ring_size_limit;
	case NNA_REG_MSIX_COUNT:
		return fake->msix_count;
	case NNA_REG_JOB_LIMIT:
		return fake->job_limit;
	case NNA_REG_TIMESTAMP:
		return fake->tick + (fake->frozen ? 0 : nna_fake_ticks(fake, ktime_get_ns()));
	case NNA_REG_TIMESTAMP_HZ:
		return fake->tick_hz;
	case NNA_REG_CONTROL:
		return fake->control;
	case NNA_REG_STATUS:
		if (fake->slow_reset) {
			fake->slow_reset--;
			return NNA_REG_STATUS_RESETTING;
		}
		return fake->status;
	case NNA_REG_WORK_RATE:
		return NNA_FAKE_WORK_RATE;
	case NNA_REG_PROGRESS:
		return fake->progress;
	case NNA_REG_WORKERS:
		return 1;
	}
	if (offset >= NNA_RING_REGS && offset < NNA_RING_REGS + NNA_RINGS * NNA_RING_STRIDE) {
		u32 ring = (offset - NNA_RING_REGS) / NNA_RING_STRIDE;

		return nna_fake_ring_read(&fake->rings[ring], offset % NNA_RING_STRIDE);
	}
	return 0;
}

/* Counts progress of ring 0 in the driver's memory, if PROGRESS points there. */
static void nna_fake_progress(struct nna_fake *fake)
{
	struct nna_device *nna = dev_get_drvdata(fake->dev);
	struct nna_progress *progress;

	if (!nna || !nna->progress || fake->progress != nna->progress_dma)
		return;
	progress = (struct nna_progress *)nna->progress;
	WRITE_ONCE(progress->counts[0], cpu_to_le64(le64_to_cpu(progress->counts[0]) + 1));
}

static u64 nna_fake_read(struct nna_hw_fake *hw, u32 offset, u32 size)
{
	struct nna_fake *fake = from_hw(hw);
	unsigned long flags;
	u64 value;

	KUNIT_EXPECT_FALSE(fake->test, READ_ONCE(fake->unpowered));
	if (fake->stall_ms && offset == fake->stall_at) {
		msleep(fake->stall_ms);
		WRITE_ONCE(fake->stall_ms, 0);
	}
	spin_lock_irqsave(&fake->lock, flags);
	if (fake->comes_forward)
		nna_fake_progress(fake);
	value = fake->gone ? U64_MAX : nna_fake_register(fake, offset);
	spin_unlock_irqrestore(&fake->lock, flags);
	return size == 4 ? (u32)value : value;
}

static void nna_fake_reset(struct nna_fake *fake)
{
	fake->control = 0;
	fake->progress = 0;
	memset(fake->rings, 0, sizeof(fake->rings));
	fake->resets++;
	if (fake->refuse_reset) {
		fake->refuse_reset--;
		fake->status = NNA_REG_STATUS_RESETTING;
	} else {
		fake->status = NNA_REG_STATUS_READY;
	}
}

static void nna_fake_ring_write(struct nna_fake *fake, unsigned int index, u32 offset, u64 value)
{
	struct nna_fake_ring *ring = &fake->rings[index];

	switch (offset) {
	case NNA_RING_REG_BASE:
		ring->base = value;
		break;
	case NNA_RING_REG_CQ_BASE:
		ring->cq_base = value;
		break;
	case NNA_RING_REG_SIZE:
		ring->size = value;
		break;
	case NNA_RING_REG_VECTOR:
		ring->vector = value;
		break;
	case NNA_RING_REG_CONTROL:
		ring->status = 0;
		if (!(value & NNA_RING_REG_CONTROL_ENABLE))
			break;
		ring->done = 0;
		ring->doorbell = 0;
		ring->begun = 1;
		ring->status = fake->refuse_ring == index ? NNA_RING_REG_STATUS_ERROR :
							    NNA_RING_REG_STATUS_RUNNING;
		break;
	}
}

static void nna_fake_write(struct nna_hw_fake *hw, u32 offset, u32 size, u64 value)
{
	struct nna_fake *fake = from_hw(hw);
	unsigned long flags;

	KUNIT_EXPECT_FALSE(fake->test, READ_ONCE(fake->unpowered));
	spin_lock_irqsave(&fake->lock, flags);
	if (fake->gone) {
		/* The write has no effect. */
	} else if (offset == NNA_REG_RESET && value == NNA_RESET_MAGIC) {
		nna_fake_reset(fake);
	} else if (offset == NNA_REG_CONTROL) {
		fake->control = value;
	} else if (offset == NNA_REG_PROGRESS) {
		fake->progress = value;
	} else if (offset >= NNA_DOORBELLS && offset < NNA_DOORBELLS + 4 * NNA_RINGS) {
		unsigned int ring = (offset - NNA_DOORBELLS) / 4;

		fake->rings[ring].doorbell = value;
		if (ring == NNA_CONTROL_RING)
			queue_work(fake->wq, &fake->control_work);
	} else if (offset >= NNA_RING_REGS &&
		   offset < NNA_RING_REGS + NNA_RINGS * NNA_RING_STRIDE) {
		nna_fake_ring_write(fake, (offset - NNA_RING_REGS) / NNA_RING_STRIDE,
				    offset % NNA_RING_STRIDE, value);
	}
	spin_unlock_irqrestore(&fake->lock, flags);
}

static void nna_fake_sync(struct nna_hw_fake *hw, bool to_device, dma_addr_t address, size_t size)
{
	struct nna_fake *fake = from_hw(hw);

	KUNIT_ASSERT_LT(fake->test, fake->sync_count, NNA_FAKE_SYNCS);
	fake->syncs[fake->sync_count++] = (struct nna_fake_sync) { to_device, address, size };
}

static void nna_fake_enable_bus_master(struct nna_bus *bus)
{
	struct nna_fake *fake = container_of(bus, struct nna_fake, bus);

	fake->bus_master_resets = fake->resets;
}

static void nna_fake_disable_bus_master(struct nna_bus *bus)
{
	container_of(bus, struct nna_fake, bus)->bus_master_disables++;
}

static int nna_fake_power_on(struct nna_bus *bus)
{
	struct nna_fake *fake = container_of(bus, struct nna_fake, bus);

	KUNIT_EXPECT_TRUE(fake->test, fake->unpowered);
	if (fake->power_error)
		return fake->power_error;
	fake->unpowered = false;
	fake->power_ons++;
	WRITE_ONCE(bus->off, false);
	return 0;
}

static void nna_fake_power_off(struct nna_bus *bus)
{
	struct nna_fake *fake = container_of(bus, struct nna_fake, bus);

	WRITE_ONCE(bus->off, true);
	fake->unpowered = true;
}

void nna_fake_switch_power(struct nna_fake *fake)
{
	fake->bus_ops.power_on = nna_fake_power_on;
	fake->bus_ops.power_off = nna_fake_power_off;
}

u32 nna_fake_pending(struct nna_fake *fake, unsigned int ring)
{
	unsigned long flags;
	u32 n;

	spin_lock_irqsave(&fake->lock, flags);
	n = fake->rings[ring].doorbell - fake->rings[ring].done;
	spin_unlock_irqrestore(&fake->lock, flags);
	return n;
}

/* Returns the driver's ring, whose memory the fake accesses; the registers must point there. */
static struct nna_ring *nna_fake_memory(struct nna_fake *fake, unsigned int ring)
{
	struct nna_device *nna = dev_get_drvdata(fake->dev);
	struct nna_ring *r;

	if (!nna)
		return NULL;
	r = &nna->rings[ring];
	if (fake->rings[ring].base != r->entries_dma || fake->rings[ring].cq_base != r->cq_dma ||
	    fake->rings[ring].size != r->size)
		return NULL;
	return r;
}

bool nna_fake_entry(struct nna_fake *fake, unsigned int ring, struct nna_ring_entry *entry)
{
	struct nna_fake_ring *regs = &fake->rings[ring];
	struct nna_ring *r = nna_fake_memory(fake, ring);

	if (!r || !nna_fake_pending(fake, ring))
		return false;
	*entry = r->entries[regs->done & (regs->size - 1)];
	return true;
}

static void nna_fake_put_completion(struct nna_fake *fake, unsigned int ring, u32 seqno, u16 status,
				    u64 detail)
{
	struct nna_fake_ring *regs = &fake->rings[ring];
	struct nna_ring *r = nna_fake_memory(fake, ring);
	struct nna_completion *c;
	unsigned long flags;

	if (!r)
		return;
	spin_lock_irqsave(&fake->lock, flags);
	c = &r->cq[regs->done & (regs->size - 1)];
	c->seqno = cpu_to_le32(seqno);
	c->status = cpu_to_le16(status);
	c->detail = cpu_to_le64(detail);
	/* The phase bit last: the driver reads the rest of the record after it. */
	smp_wmb();
	WRITE_ONCE(c->flags, cpu_to_le16(regs->done & regs->size ? 0 : NNA_COMPLETION_PHASE));
	regs->done++;
	spin_unlock_irqrestore(&fake->lock, flags);
}

void nna_fake_write_completion(struct nna_fake *fake, unsigned int ring, u16 status, u64 detail)
{
	struct nna_ring_entry entry;

	KUNIT_ASSERT_TRUE(fake->test, nna_fake_entry(fake, ring, &entry));
	nna_fake_put_completion(fake, ring, le32_to_cpu(entry.seqno), status, detail);
}

void nna_fake_irq(struct nna_fake *fake, unsigned int ring)
{
	if (fake->drop_irqs)
		fake->drop_irqs--;
	else
		generic_handle_irq_safe(fake->bus.irqs[fake->rings[ring].vector]);
}

/*
 * Completes the entries of a ring that are to yield. @begun: the first of them may have been begun,
 * the others have not. Returns whether there were any.
 */
static bool nna_fake_yield(struct nna_fake *fake, unsigned int ring, bool begun)
{
	struct nna_fake_ring *regs = &fake->rings[ring];
	struct nna_ring *r = nna_fake_memory(fake, ring);
	struct nna_ring_entry entry, *slot;
	bool any = false;

	begun = begun && regs->begun;
	while (regs->yields && nna_fake_entry(fake, ring, &entry) &&
	       (s32)(le32_to_cpu(entry.seqno) - regs->yield) <= 0) {
		if (begun && fake->hold_jobs)
			break;
		slot = &r->entries[regs->done & (regs->size - 1)];
		if (begun) {
			slot->start = fake->rest.start;
			slot->budget = fake->rest.budget;
			slot->loop_limit = fake->rest.loop_limit;
		}
		nna_fake_put_completion(fake, ring, le32_to_cpu(entry.seqno), NNA_STATUS_YIELDED,
					begun ? fake->rest_detail : 0);
		begun = false;
		any = true;
	}
	return any;
}

void nna_fake_complete(struct nna_fake *fake, unsigned int ring, u16 status, u64 detail)
{
	nna_fake_write_completion(fake, ring, status, detail);
	nna_fake_yield(fake, ring, false);
	nna_fake_irq(fake, ring);
}

void nna_fake_corrupt(struct nna_fake *fake, unsigned int ring)
{
	nna_fake_put_completion(fake, ring, 0x5eed5eed, NNA_STATUS_OK, 0);
	nna_fake_irq(fake, ring);
}

/* ABORT: completes the first job of a ring as aborted, if its sequence number matches. */
static bool nna_fake_abort(struct nna_fake *fake, unsigned int ring, u32 seqno)
{
	struct nna_ring_entry entry;

	if (fake->ignore_aborts || !nna_fake_entry(fake, ring, &entry) ||
	    le32_to_cpu(entry.seqno) != seqno)
		return false;
	nna_fake_put_completion(fake, ring, seqno, NNA_STATUS_ABORTED, 0);
	nna_fake_yield(fake, ring, false);
	return true;
}

static void nna_fake_control(struct work_struct *work)
{
	struct nna_fake *fake = container_of(work, struct nna_fake, control_work);
	struct nna_ring_entry entry;

	while (!fake->control_stopped && nna_fake_entry(fake, NNA_CONTROL_RING, &entry)) {
		unsigned int target = le32_to_cpu(entry.target);
		bool ended = false;

		if (fake->logged < NNA_FAKE_LOG)
			fake->log[fake->logged++] = entry;
		if (le32_to_cpu(entry.type) == NNA_ENTRY_ABORT)
			ended = nna_fake_abort(fake, target, le64_to_cpu(entry.address));
		if (le32_to_cpu(entry.type) == NNA_ENTRY_YIELD) {
			fake->rings[target].yields = true;
			fake->rings[target].yield = le64_to_cpu(entry.address);
			ended = nna_fake_yield(fake, target, true);
		}
		if (fake->corrupt_control) {
			fake->corrupt_control--;
			entry.seqno = cpu_to_le32(0x5eed5eed);
		}
		nna_fake_put_completion(fake, NNA_CONTROL_RING, le32_to_cpu(entry.seqno), 0, 0);
		if (ended)
			nna_fake_irq(fake, target);
		nna_fake_irq(fake, NNA_CONTROL_RING);
	}
}

void nna_fake_resume_control(struct nna_fake *fake)
{
	fake->control_stopped = false;
	queue_work(fake->wq, &fake->control_work);
	flush_workqueue(fake->wq);
}

static void nna_fake_free_irqs(void *res)
{
	struct nna_fake *fake = res;

	irq_free_descs(fake->bus.irqs[0], NNA_RINGS);
}

static void nna_fake_free_wq(void *res)
{
	destroy_workqueue(res);
}

struct nna_fake *nna_fake_create(struct kunit *test)
{
	struct nna_fake *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);
	struct device_driver *driver;
	unsigned int i;
	int first;

	KUNIT_ASSERT_NOT_NULL(test, fake);
	fake->hw.read = nna_fake_read;
	fake->hw.write = nna_fake_write;
	fake->hw.sync = nna_fake_sync;
	fake->bus_ops.enable_bus_master = nna_fake_enable_bus_master;
	fake->bus_ops.disable_bus_master = nna_fake_disable_bus_master;
	fake->bus.ops = &fake->bus_ops;
	fake->bus.irq_count = NNA_RINGS;
	fake->test = test;
	fake->id = NNA_ID_MAGIC;
	fake->version = NNA_ABI_MAJOR << 16 | NNA_ABI_MINOR;
	fake->job_rings = NNA_JOB_RINGS;
	fake->ring_size_limit = NNA_RING_SIZE_MAX;
	fake->msix_count = NNA_RINGS;
	fake->job_limit = NNA_JOB_LIMIT_NS;
	fake->tick_hz = NNA_TICK_HZ;
	fake->status = NNA_REG_STATUS_READY;
	fake->refuse_ring = NNA_RINGS;
	spin_lock_init(&fake->lock);
	INIT_WORK(&fake->control_work, nna_fake_control);
	test->priv = fake;

	fake->wq = alloc_ordered_workqueue("nna-fake", 0);
	KUNIT_ASSERT_NOT_NULL(test, fake->wq);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, nna_fake_free_wq, fake->wq));

	first = irq_alloc_descs(-1, NNA_FAKE_FIRST_IRQ, NNA_RINGS, NUMA_NO_NODE);
	KUNIT_ASSERT_GT(test, first, 0);
	for (i = 0; i < NNA_RINGS; i++) {
		fake->bus.irqs[i] = first + i;
		irq_set_chip_and_handler(first + i, &dummy_irq_chip, handle_simple_irq);
		irq_clear_status_flags(first + i, IRQ_NOREQUEST);
	}
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, nna_fake_free_irqs, fake));

	driver = kunit_driver_create(test, "nna-fake");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, driver);
	driver->pm = pm_ptr(&nna_suspend_ops);
	fake->dev = kunit_device_register_with_driver(test, "nna-fake", driver);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fake->dev);
	KUNIT_ASSERT_EQ(test, 0, dma_coerce_mask_and_coherent(fake->dev, DMA_BIT_MASK(52)));
	fake->dev->dma_parms = &fake->dma_parms;
	fake->bus.dev = fake->dev;
	return fake;
}

static void nna_fake_release(struct nna_fake *fake)
{
	flush_workqueue(fake->wq);
	dev_set_drvdata(fake->dev, NULL);
	devres_release_group(fake->dev, fake);
	fake->nna = NULL;
}

static const struct file_operations nna_fake_closed_fops = {};

/*
 * Runs after all references of the test, also on fences, have been dropped. No other reference is
 * left once work items and threads have dropped theirs.
 */
static void nna_fake_drop_device(void *data)
{
	struct drm_device *drm = data;
	unsigned int references;

	flush_delayed_fput();
	read_poll_timeout(kref_read, references, references == 1, USEC_PER_MSEC,
			  10 * USEC_PER_SEC * nna_fake_slowness(), false, &drm->ref);
	KUNIT_EXPECT_EQ(kunit_get_current_test(), 1u, references);
	drm_dev_put(drm);
}

int nna_fake_bind(struct nna_fake *fake)
{
	int ret;

	/* The driver core does this around probe and remove. */
	KUNIT_ASSERT_NOT_NULL(fake->test, devres_open_group(fake->dev, fake, GFP_KERNEL));
	ret = nna_drv_probe(&fake->bus);
	if (ret) {
		nna_fake_release(fake);
		return ret;
	}
	fake->nna = dev_get_drvdata(fake->dev);
	/* Tests read the device after the driver has been unbound. */
	drm_dev_get(&fake->nna->drm);
	KUNIT_ASSERT_EQ(fake->test, 0, kunit_add_action_or_reset(fake->test, nna_fake_drop_device,
								 &fake->nna->drm));
	return 0;
}

/*
 * Opens the device as open() of its node does; only the number of the inode is used. The node is a
 * render node where the kernel has no accel nodes: compat/nna_compat_render.h.
 */
int nna_fake_open(struct nna_fake *fake)
{
	const struct drm_minor *node = fake->nna->drm.accel ?: fake->nna->drm.render;
	const struct file_operations *fops = fake->nna->drm.driver->fops;
	struct file *filp;
	int ret;

	filp = anon_inode_create_getfile("nna-fake", fops, NULL, O_RDWR, NULL);
	if (IS_ERR(filp))
		return PTR_ERR(filp);
	file_inode(filp)->i_rdev = node->kdev->devt;
	ret = fops->open(file_inode(filp), filp);
	if (ret) {
		/* The open failed, so there must be no release. */
		replace_fops(filp, &nna_fake_closed_fops);
		fput(filp);
		return ret;
	}
	fake->filp = filp;
	fake->file = filp->private_data;
	return 0;
}

int nna_fake_init(struct kunit *test)
{
	return nna_fake_init_at(test, NNA_TICK_HZ);
}

int nna_fake_init_at(struct kunit *test, u64 tick_hz)
{
	struct nna_fake *fake = nna_fake_create(test);

	fake->tick_hz = tick_hz;
	fake->job_limit = nna_fake_ticks(fake, NNA_JOB_LIMIT_NS);
	return nna_fake_bind(fake) ?: nna_fake_open(fake);
}

void nna_fake_close(struct nna_fake *fake)
{
	if (IS_ERR_OR_NULL(fake->filp))
		return;
	fput(fake->filp);
	/* In a kernel thread fput() drops the last reference in a work item. */
	flush_delayed_fput();
	fake->filp = NULL;
	fake->file = NULL;
}

void nna_fake_unbind(struct nna_fake *fake)
{
	if (!fake->nna)
		return;
	nna_device_remove(fake->dev);
	nna_fake_release(fake);
}

void nna_fake_exit(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_device *nna;
	unsigned int i;

	if (!fake)
		return;
	/* Unbind must not wait for anything that the test has left. */
	fake->gone = false;
	nna_fake_resume_control(fake);
	for (i = 0; i < fake->fence_count; i++)
		dma_fence_signal(fake->fences[i]);
	nna = fake->nna;
	nna_fake_close(fake);
	nna_fake_unbind(fake);
	flush_workqueue(fake->wq);
	if (nna) {
		KUNIT_EXPECT_EQ(test, 0, atomic_read(&nna->job_count));
		KUNIT_EXPECT_TRUE(test, xa_empty(nna_vm_asids(nna)));
	}
}

void nna_fake_settle(struct nna_fake *fake)
{
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS; i++)
		flush_workqueue(fake->nna->submit_wq);
	flush_workqueue(fake->wq);
	msleep(20);
	for (i = 0; i < NNA_JOB_RINGS; i++)
		flush_workqueue(fake->nna->submit_wq);
}

void __user *nna_fake_user(struct nna_fake *fake, const void *data, size_t size)
{
	struct kunit *test = fake->test;
	size_t bytes = size;
	void __user *p;

	if (!fake->user) {
		/* The last page cannot be accessed, so that accesses beyond the end fail. */
		fake->user = kunit_vm_mmap(test, NULL, 0, NNA_FAKE_USER + PAGE_SIZE,
					   PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, 0);
		KUNIT_ASSERT_NE(test, 0, fake->user);
		KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(fake->user));
		KUNIT_ASSERT_EQ(test, 0, vm_munmap(fake->user + NNA_FAKE_USER, PAGE_SIZE));
	}
	KUNIT_ASSERT_LE(test, size, NNA_FAKE_USER);
	size = ALIGN(size, 8);
	if (fake->user_used + size > NNA_FAKE_USER)
		fake->user_used = 0;
	p = (void __user *)(fake->user + fake->user_used);
	fake->user_used += size;
	if (data)
		KUNIT_ASSERT_EQ(test, 0, copy_to_user(p, data, bytes));
	return p;
}

void __user *nna_fake_user_end(struct nna_fake *fake)
{
	nna_fake_user(fake, NULL, 8);
	return (void __user *)(fake->user + NNA_FAKE_USER);
}

int nna_fake_ioctl(struct nna_fake *fake, unsigned int cmd, void *arg)
{
	void __user *p = nna_fake_user(fake, NULL, _IOC_SIZE(cmd));
	int ret;

	KUNIT_ASSERT_EQ(fake->test, 0, copy_to_user(p, arg, _IOC_SIZE(cmd)));
	ret = drm_ioctl(fake->filp, cmd, (unsigned long)p);
	KUNIT_ASSERT_EQ(fake->test, 0, copy_from_user(arg, p, _IOC_SIZE(cmd)));
	return ret;
}

static void nna_fake_drop_fence(void *fence)
{
	dma_fence_put(fence);
}

void nna_fake_keep_fence(struct nna_fake *fake, struct dma_fence *fence)
{
	KUNIT_ASSERT_EQ(fake->test, 0,
			kunit_add_action_or_reset(fake->test, nna_fake_drop_fence, fence));
}

static void nna_fake_drop_syncobj(void *syncobj)
{
	drm_syncobj_put(syncobj);
}

struct nna_vm *nna_fake_vm(struct nna_fake *fake, u32 *id)
{
	struct drm_nna_vm_create args = {};
	struct nna_vm *vm;

	KUNIT_ASSERT_EQ(fake->test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_VM_CREATE, &args));
	vm = nna_file_get_vm(fake->file->driver_priv, args.id);
	KUNIT_ASSERT_NOT_NULL(fake->test, vm);
	/* The id holds a reference until the file is closed. */
	nna_vm_put(vm);
	if (id)
		*id = args.id;
	return vm;
}

struct nna_ctx *nna_fake_ctx(struct nna_fake *fake, u32 vm_id, u32 priority, u32 *id)
{
	struct drm_nna_ctx_create args = { .vm_id = vm_id, .priority = priority };
	struct nna_ctx *ctx;

	KUNIT_ASSERT_EQ(fake->test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_CTX_CREATE, &args));
	ctx = nna_file_get_ctx(fake->file->driver_priv, args.id);
	KUNIT_ASSERT_NOT_NULL(fake->test, ctx);
	nna_ctx_put(ctx);
	/* Expect short jobs, so that several get on the ring. */
	ctx->usage->shares[priority].longest = 0;
	if (id)
		*id = args.id;
	return ctx;
}

u32 nna_fake_bo(struct nna_fake *fake, u64 size, u32 vm_id)
{
	struct drm_nna_bo_create args = { .size = size, .vm_id = vm_id };

	KUNIT_ASSERT_EQ(fake->test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_BO_CREATE, &args));
	return args.handle;
}

struct drm_syncobj *nna_fake_syncobj(struct nna_fake *fake, u32 *handle)
{
	struct drm_syncobj *syncobj;

	KUNIT_ASSERT_EQ(fake->test, 0, drm_syncobj_create(&syncobj, 0, NULL));
	KUNIT_ASSERT_EQ(fake->test, 0,
			kunit_add_action_or_reset(fake->test, nna_fake_drop_syncobj, syncobj));
	KUNIT_ASSERT_EQ(fake->test, 0, drm_syncobj_get_handle(fake->file, syncobj, handle));
	return syncobj;
}

struct drm_nna_submit nna_fake_submit_args(void)
{
	return (struct drm_nna_submit) {
		.stream_va = 0x100000,
		.stream_size = 0x1000,
		.base_table_va = 0x200000,
		.slot_count = 4,
		.report_va = 0x300000,
	};
}

int nna_fake_push(struct nna_fake *fake, struct nna_ctx *ctx, const struct drm_nna_submit *args,
		  const struct drm_nna_sync *syncs, u32 count)
{
	int ret = nna_job_reserve(ctx, args);

	return ret ?: nna_job_submit(fake->file, ctx, args, syncs, count);
}

int nna_fake_submit(struct nna_fake *fake, struct nna_ctx *ctx, u32 in,
		    const struct drm_nna_submit *args, struct dma_fence **fence)
{
	struct drm_nna_submit usual = nna_fake_submit_args();
	struct drm_nna_sync syncs[2] = { { .flags = DRM_NNA_SYNC_SIGNAL }, { .handle = in } };
	struct drm_syncobj *out;
	int ret;

	out = nna_fake_syncobj(fake, &syncs[0].handle);
	ret = nna_fake_push(fake, ctx, args ?: &usual, syncs, in ? 2 : 1);
	*fence = NULL;
	if (ret)
		return ret;
	*fence = drm_syncobj_fence_get(out);
	KUNIT_ASSERT_NOT_NULL(fake->test, *fence);
	nna_fake_keep_fence(fake, *fence);
	return 0;
}

struct dma_fence *nna_fake_start(struct nna_fake *fake, struct nna_ctx *ctx, u32 in)
{
	struct dma_fence *fence;

	KUNIT_ASSERT_EQ(fake->test, 0, nna_fake_submit(fake, ctx, in, NULL, &fence));
	nna_fake_settle(fake);
	return fence;
}

void nna_fake_succeed(struct nna_fake *fake, unsigned int ring, struct dma_fence *fence)
{
	KUNIT_ASSERT_EQ(fake->test, 1u, nna_fake_pending(fake, ring));
	nna_fake_complete(fake, ring, NNA_STATUS_OK, 0);
	KUNIT_EXPECT_EQ(fake->test, 0, nna_fake_fence_error(fence));
}

int nna_fake_fence_error(struct dma_fence *fence)
{
	if (dma_fence_wait_timeout(fence, false, msecs_to_jiffies(60000)) <= 0)
		return 1;
	return fence->error;
}

static const char *nna_fake_fence_name(struct dma_fence *fence)
{
	return "nna-fake";
}

static const struct dma_fence_ops nna_fake_fence_ops = {
	.get_driver_name = nna_fake_fence_name,
	.get_timeline_name = nna_fake_fence_name,
};

struct dma_fence *nna_fake_fence(struct nna_fake *fake, u32 *handle)
{
	struct drm_syncobj *syncobj = nna_fake_syncobj(fake, handle);
	struct nna_fake_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(fake->test, fence);
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &nna_fake_fence_ops, &fence->lock, dma_fence_context_alloc(1),
		       1);
	nna_fake_keep_fence(fake, &fence->base);
	drm_syncobj_replace_fence(syncobj, &fence->base);
	KUNIT_ASSERT_LT(fake->test, fake->fence_count, NNA_FAKE_FENCES);
	fake->fences[fake->fence_count++] = &fence->base;
	return &fence->base;
}

/* Allocations of the watched task that have not been freed. */
static struct nna_fake_allocations {
	spinlock_t lock;
	struct task_struct *task;
	size_t size;
	const void *kept[NNA_FAKE_ALLOCATIONS];
	unsigned int count;
	bool too_many;
} nna_fake_allocations = { .lock = __SPIN_LOCK_UNLOCKED(nna_fake_allocations.lock) };

static void nna_fake_kmalloc(void *data, unsigned long call_site, const void *ptr, size_t size,
			     size_t allocated, gfp_t gfp, int node)
{
	struct nna_fake_allocations *m = data;
	unsigned long flags;

	spin_lock_irqsave(&m->lock, flags);
	if (current == m->task && !in_interrupt() && !ZERO_OR_NULL_PTR(ptr) &&
	    (!m->size || size == m->size)) {
		if (m->count < NNA_FAKE_ALLOCATIONS)
			m->kept[m->count++] = ptr;
		else
			m->too_many = true;
	}
	spin_unlock_irqrestore(&m->lock, flags);
}

static void nna_fake_kfree(void *data, unsigned long call_site, const void *ptr)
{
	struct nna_fake_allocations *m = data;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&m->lock, flags);
	for (i = 0; i < m->count; i++) {
		if (m->kept[i] == ptr) {
			m->kept[i] = m->kept[--m->count];
			break;
		}
	}
	spin_unlock_irqrestore(&m->lock, flags);
}

static void nna_fake_unwatch_memory(void *data)
{
	unregister_trace_kmalloc(nna_fake_kmalloc, data);
	unregister_trace_kfree(nna_fake_kfree, data);
	tracepoint_synchronize_unregister();
}

void nna_fake_watch_memory(struct kunit *test, size_t size)
{
	struct nna_fake_allocations *m = &nna_fake_allocations;

	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		kunit_skip(test, "needs CONFIG_TRACEPOINTS to see allocations");
	m->task = NULL;
	m->size = size;
	m->count = 0;
	m->too_many = false;
	KUNIT_ASSERT_EQ(test, 0, register_trace_kfree(nna_fake_kfree, m));
	KUNIT_ASSERT_EQ(test, 0, register_trace_kmalloc(nna_fake_kmalloc, m));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, nna_fake_unwatch_memory, m));
	/* Last, so that KUnit's own allocations do not count. */
	m->task = current;
}

unsigned int nna_fake_kept_memory(struct kunit *test)
{
	KUNIT_ASSERT_FALSE(test, nna_fake_allocations.too_many);
	return nna_fake_allocations.count;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Core dumps: see nna_coredump.h. */

#include <linux/devcoredump.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_coredump.h"
#include "nna_fault.h"
#include "nna_hw.h"
#include "nna_pm.h"
#include "nna_ring.h"
#include "nna_vm.h"

/**
 * struct nna_coredump_data - The dump as user space reads it.
 * @head: header: the fault, and the offsets of the other parts.
 * @rings: state of each ring.
 * @entries: for each ring, its entries that had not completed.
 * @command: the command at which the job was.
 */
struct nna_coredump_data {
	struct drm_nna_coredump head;
	struct drm_nna_coredump_ring rings[NNA_RINGS];
	struct nna_ring_entry entries[NNA_RINGS][NNA_RING_SIZE];
	u8 command[NNA_MAX_COMMAND_SIZE];
};

static_assert(sizeof(DRM_NNA_COREDUMP_MAGIC) == sizeof_field(struct drm_nna_coredump, magic));
static_assert(sizeof(struct nna_ring_entry) == sizeof_field(struct drm_nna_coredump, entry));
static_assert(sizeof(struct nna_report) == sizeof_field(struct drm_nna_coredump, report));

static ssize_t nna_coredump_read(char *to, loff_t offset, size_t count, void *data, size_t size)
{
	struct nna_device *nna = data;

	return memory_read_from_buffer(to, count, &offset, nna->coredump, size);
}

static void nna_coredump_end(struct nna_device *nna)
{
	atomic_set_release(&nna->fault.busy, 0);
}

/* Called by devcoredump when it removes the dump; it still holds a reference on the module. */
static void nna_coredump_free(void *data)
{
	struct nna_device *nna = data;

	nna_coredump_end(nna);
	drm_dev_put(&nna->drm);
}

/* Returns the byte offset in the stream of the command at which the job was, or all ones. */
static u32 nna_coredump_command(const struct drm_nna_coredump *head)
{
	const struct nna_report *report = (const struct nna_report *)head->report;

	/*
	 * After a reset there is no report of this job; the memory may hold that of an earlier one.
	 */
	if (head->report_valid &&
	    le32_to_cpu(report->status) == (head->status ?: NNA_STATUS_ABORTED))
		return le32_to_cpu(report->command);
	switch (head->status) {
	case NNA_STATUS_BAD_STREAM:
	case NNA_STATUS_BAD_COMMAND:
	case NNA_STATUS_BAD_OPERAND:
	case NNA_STATUS_BAD_SHAPE:
	case NNA_STATUS_BUDGET:
		return head->detail;
	default:
		return U32_MAX;
	}
}

/* Reads the job's report and its current command from the client's memory. */
static void nna_coredump_read_memory(struct nna_coredump_data *data, struct nna_vm *vm)
{
	struct drm_nna_coredump *head = &data->head;
	const struct nna_ring_entry *entry = (const struct nna_ring_entry *)head->entry;
	u32 size = le32_to_cpu(entry->stream_size);

	if (entry->report)
		head->report_valid = nna_vm_read(vm, le64_to_cpu(entry->report), head->report,
						 sizeof(head->report)) == sizeof(head->report);
	head->command = nna_coredump_command(head);
	if (head->command < size)
		head->command_size = nna_vm_read(vm, le64_to_cpu(entry->stream) + head->command,
						 data->command,
						 min_t(u32, size - head->command,
						       sizeof(data->command)));
}

static void nna_coredump_ring(struct nna_device *nna, unsigned int index)
{
	struct nna_coredump_data *data = nna->coredump;
	struct drm_nna_coredump_ring *to = &data->rings[index];
	struct nna_ring *ring = &nna->rings[index];
	struct nna_hw_ring_regs regs;
	u32 i;

	nna_hw_ring_dump(&nna->hw, index, &regs);
	spin_lock_irq(&ring->lock);
	*to = (struct drm_nna_coredump_ring) {
		.reg_control = regs.control,
		.reg_status = regs.status,
		.reg_head = regs.head,
		.reg_done = regs.done,
		.reg_doorbell = regs.doorbell,
		.reg_run_time = regs.run_time,
		.size = ring->size,
		.running = ring->running,
		.tail = ring->tail,
		.done = ring->done,
		.seqno = ring->seqno,
		.entry_count = ring->tail - ring->done,
		.entries_offset = offsetof(struct nna_coredump_data, entries[index]),
		.completions = ring->completions,
	};
	for (i = 0; i < to->entry_count; i++)
		data->entries[index][i] = ring->entries[(ring->done + i) & (ring->size - 1)];
	spin_unlock_irq(&ring->lock);
}

/* Records registers and rings of a device that is not suspended; not in interrupts. */
static void nna_coredump_rings(struct nna_device *nna)
{
	struct drm_nna_coredump *head = &nna->fault.head;
	unsigned int i;

	head->device_status = nna_hw_status(&nna->hw);
	head->tick = nna_hw_timestamp(&nna->hw);
	for (i = 0; i < NNA_RINGS; i++)
		nna_coredump_ring(nna, i);
	nna->fault.rings = true;
}

static void nna_coredump_fill_head(struct nna_device *nna)
{
	struct drm_nna_coredump *head = &nna->coredump->head;

	*head = nna->fault.head;
	memcpy(head->magic, DRM_NNA_COREDUMP_MAGIC, sizeof(head->magic));
	head->version = DRM_NNA_COREDUMP_VERSION;
	head->size = sizeof(struct nna_coredump_data);
	head->abi = (u32)nna->hw.abi_major << 16 | nna->hw.abi_minor;
	head->command_offset = offsetof(struct nna_coredump_data, command);
	head->rings_offset = offsetof(struct nna_coredump_data, rings);
	head->ring_count = NNA_RINGS;
	head->ring_stride = sizeof(struct drm_nna_coredump_ring);
}

static void nna_coredump_drop_vm(struct nna_device *nna)
{
	nna_vm_put(nna->fault.vm);
	nna->fault.vm = NULL;
}

/*
 * Tells the administrator whose job failed. What resets the device says so itself, and so does an
 * abort. Clients can make jobs fail as often as they like.
 */
static void nna_coredump_tell(struct nna_device *nna)
{
	const struct drm_nna_coredump *head = &nna->coredump->head;

	if (head->reason == DRM_NNA_COREDUMP_FAULT && head->ring != DRM_NNA_COREDUMP_NO_JOB)
		dev_notice_ratelimited(nna->drm.dev,
				       "ring %u: a job of %s[%d] failed with status %u, detail %#llx; a core dump has been made\n",
				       head->ring, head->comm, head->pid, head->status,
				       head->detail);
}

static void nna_coredump_work(struct work_struct *work)
{
	struct nna_device *nna = container_of(work, struct nna_device, fault.work);
	int idx;

	if (!drm_dev_enter(&nna->drm, &idx)) {
		nna_coredump_drop_vm(nna);
		nna_coredump_end(nna);
		return;
	}
	if (!nna->fault.rings) {
		memset(nna->coredump, 0, sizeof(*nna->coredump));
		if (!nna_pm_get(nna)) {
			nna_coredump_rings(nna);
			nna_pm_put(nna);
		}
	}
	nna_coredump_fill_head(nna);
	if (nna->fault.vm)
		nna_coredump_read_memory(nna->coredump, nna->fault.vm);
	nna_coredump_drop_vm(nna);
	/*
	 * The dump holds references on the device and the module, since its timeout may free it
	 * after nna_coredump_drop() no longer finds it. Unbind removes the dump, so that the module
	 * can be unloaded.
	 */
	drm_dev_get(&nna->drm);
	nna_coredump_tell(nna);
	dev_coredumpm(nna->drm.dev, THIS_MODULE, nna, sizeof(*nna->coredump), GFP_KERNEL,
		      nna_coredump_read, nna_coredump_free);
	drm_dev_exit(idx);
}

static void nna_coredump_release(struct drm_device *drm, void *res)
{
	kvfree(to_nna_device(drm)->coredump);
}

int nna_coredump_init(struct nna_device *nna)
{
	INIT_WORK(&nna->fault.work, nna_coredump_work);
	nna->coredump = kvzalloc(sizeof(*nna->coredump), GFP_KERNEL);
	if (!nna->coredump)
		return -ENOMEM;
	return drmm_add_action_or_reset(&nna->drm, nna_coredump_release, NULL);
}

void nna_coredump_drop(struct nna_device *nna)
{
	cancel_work_sync(&nna->fault.work);
	nna_coredump_drop_vm(nna);
	dev_coredump_put(nna->drm.dev);
}

bool nna_coredump_begin(struct nna_device *nna, enum drm_nna_coredump_reason reason)
{
	if (!nna_fault_begin(nna, reason))
		return false;
	memset(nna->coredump, 0, sizeof(*nna->coredump));
	nna_coredump_rings(nna);
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The fault record: see nna_fault.h. */

#include <linux/ktime.h>
#include <linux/limits.h>

#include "nna_core.h"
#include "nna_fault.h"

bool nna_fault_begin(struct nna_device *nna, enum drm_nna_coredump_reason reason)
{
	struct nna_fault *fault = &nna->fault;

	if (atomic_cmpxchg_acquire(&fault->busy, 0, 1))
		return false;
	fault->rings = false;
	fault->head = (struct drm_nna_coredump) {
		.monotonic_ns = ktime_get_ns(),
		.reason = reason,
		.resets = atomic_read(&nna->resets),
		.ring = DRM_NNA_COREDUMP_NO_JOB,
		.command = U32_MAX,
	};
	return true;
}

void nna_fault_end(struct nna_device *nna)
{
	queue_work(nna->cleanup_wq, &nna->fault.work);
}

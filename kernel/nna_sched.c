// SPDX-License-Identifier: GPL-2.0-only
/* The schedulers: see nna_sched.h. */

#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <drm/drm_managed.h>
#include <drm/gpu_scheduler.h>
#include <drm/nna_accel.h>

#include "nna_core.h"
#include "nna_gate.h"
#include "nna_ring.h"
#include "nna_sched.h"

static const char * const nna_sched_names[NNA_JOB_RINGS] = {
	[DRM_NNA_CTX_PRIORITY_LOW] = "nna-low",
	[DRM_NNA_CTX_PRIORITY_MEDIUM] = "nna-medium",
	[DRM_NNA_CTX_PRIORITY_HIGH] = "nna-high",
	[DRM_NNA_CTX_PRIORITY_REALTIME] = "nna-realtime",
};

static void nna_sched_fini(struct drm_device *drm, void *res)
{
	struct nna_device *nna = to_nna_device(drm);

	while (nna->scheds_ready)
		drm_sched_fini(&nna->scheds[--nna->scheds_ready]);
}

int nna_sched_init(struct nna_device *nna, const struct drm_sched_backend_ops *ops)
{
	struct drm_sched_init_args args = {
		.ops = ops,
		.num_rqs = 1,
		/* The gates see to it that the ring has room; a doomed job needs none. */
		.credit_limit = nna->rings[0].size + 1,
		.timeout = msecs_to_jiffies(nna->timeout_ms),
		.submit_wq = nna->submit_wq,
		.timeout_wq = nna->reset_wq,
		.dev = nna->drm.dev,
	};
	int ret;

	ret = drmm_add_action_or_reset(&nna->drm, nna_sched_fini, NULL);
	if (ret)
		return ret;
	while (nna->scheds_ready < NNA_JOB_RINGS) {
		args.name = nna_sched_names[nna->scheds_ready];
		ret = drm_sched_init(&nna->scheds[nna->scheds_ready], &args);
		if (ret)
			return ret;
		nna->scheds_ready++;
	}
	return 0;
}

void nna_sched_stop(struct nna_device *nna, u32 by)
{
	unsigned int i;

	mutex_lock(&nna->sched_lock);
	nna->stopped_by |= by;
	for (i = 0; i < nna->scheds_ready; i++)
		drm_sched_wqueue_stop(&nna->scheds[i]);
	mutex_unlock(&nna->sched_lock);
}

void nna_sched_start(struct nna_device *nna, u32 by)
{
	unsigned int i;

	mutex_lock(&nna->sched_lock);
	nna->stopped_by &= ~by;
	for (i = 0; i < nna->scheds_ready && !nna->stopped_by; i++)
		drm_sched_wqueue_start(&nna->scheds[i]);
	mutex_unlock(&nna->sched_lock);
}

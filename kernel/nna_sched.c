// SPDX-License-Identifier: GPL-2.0-only
/* The schedulers: see nna_sched.h. */

#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
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

/**
 * struct nna_sched - The schedulers of a device.
 * @rings: one scheduler per job ring.
 * @ready: number of them that have been initialised; constant after probe.
 * @lock: protects @stopped_by and whether the schedulers are stopped. Fences depend on it, so its
 *	holders must not allocate.
 * @stopped_by: the reasons for which the schedulers are stopped, NNA_STOPPED_BY_*.
 */
struct nna_sched {
	struct drm_gpu_scheduler rings[NNA_JOB_RINGS];
	unsigned int ready;
	struct mutex lock;
	u32 stopped_by;
};

static void nna_sched_fini(struct drm_device *drm, void *res)
{
	struct nna_sched *sched = res;

	while (sched->ready)
		drm_sched_fini(&sched->rings[--sched->ready]);
}

int nna_sched_init(struct nna_device *nna, const struct drm_sched_backend_ops *ops)
{
	struct drm_sched_init_args args = {
		.ops = ops,
		.num_rqs = 1,
		/* The gates admit no more jobs. */
		.credit_limit = nna->rings[0].size,
		.timeout = msecs_to_jiffies(nna->timeout_ms),
		.submit_wq = nna->submit_wq,
		.timeout_wq = nna->reset_wq,
		.dev = nna->drm.dev,
	};
	struct nna_sched *sched;
	int ret;

	sched = drmm_kzalloc(&nna->drm, sizeof(*sched), GFP_KERNEL);
	if (!sched)
		return -ENOMEM;
	ret = drmm_mutex_init(&nna->drm, &sched->lock);
	if (ret)
		return ret;
	ret = drmm_add_action_or_reset(&nna->drm, nna_sched_fini, sched);
	if (ret)
		return ret;
	while (sched->ready < NNA_JOB_RINGS) {
		args.name = nna_sched_names[sched->ready];
		ret = drm_sched_init(&sched->rings[sched->ready], &args);
		if (ret)
			return ret;
		sched->ready++;
	}
	nna->sched = sched;
	return 0;
}

const char *nna_sched_name(unsigned int ring)
{
	return nna_sched_names[ring];
}

struct drm_gpu_scheduler *nna_sched_of_ring(struct nna_device *nna, unsigned int ring)
{
	return &nna->sched->rings[ring];
}

void nna_sched_stop(struct nna_device *nna, u32 by)
{
	struct nna_sched *sched = nna->sched;
	unsigned int i;

	mutex_lock(&sched->lock);
	sched->stopped_by |= by;
	for (i = 0; i < NNA_JOB_RINGS; i++)
		drm_sched_wqueue_stop(&sched->rings[i]);
	mutex_unlock(&sched->lock);
}

void nna_sched_start(struct nna_device *nna, u32 by)
{
	struct nna_sched *sched = nna->sched;
	unsigned int i;

	mutex_lock(&sched->lock);
	sched->stopped_by &= ~by;
	for (i = 0; i < NNA_JOB_RINGS && !sched->stopped_by; i++)
		drm_sched_wqueue_start(&sched->rings[i]);
	mutex_unlock(&sched->lock);
}

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
bool nna_sched_is_stopped(struct nna_device *nna)
{
	bool stopped;

	mutex_lock(&nna->sched->lock);
	stopped = nna->sched->stopped_by;
	mutex_unlock(&nna->sched->lock);
	return stopped;
}

struct mutex *nna_sched_lock(struct nna_device *nna)
{
	return &nna->sched->lock;
}
#endif

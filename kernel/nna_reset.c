// SPDX-License-Identifier: GPL-2.0-only

#include <drm/drm_drv.h>

#include "nna_device.h"
#include "nna_hw.h"
#include "nna_job.h"
#include "nna_reset.h"
#include "nna_ring.h"
#include "nna_trace.h"

static void nna_reset_fail_rings(struct nna_device *nna, int error)
{
	unsigned int i;
	bool cookie;

	cookie = dma_fence_begin_signalling();
	for (i = 0; i < NNA_RINGS; i++)
		nna_ring_disable(&nna->rings[i], error);
	dma_fence_end_signalling(cookie);
	wake_up_all(&nna->control_space);
}

void nna_reset_now(struct nna_device *nna, struct drm_sched_job *bad)
{
	unsigned int i;
	int idx, ret;

	if (!drm_dev_enter(&nna->drm, &idx)) {
		/* Being unbound: nna_reset_lose() ends all jobs. But nobody else gives bad back. */
		if (bad) {
			drm_sched_stop(bad->sched, bad);
			drm_sched_start(bad->sched, 0);
		}
		return;
	}

	for (i = 0; i < nna->scheds_ready; i++)
		drm_sched_wqueue_stop(&nna->scheds[i]);

	/* What has been completed keeps its result. */
	for (i = 0; i < NNA_RINGS; i++)
		nna_ring_process(&nna->rings[i]);

	ret = nna_device_is_lost(nna) ? -ENODEV : nna_hw_reset(&nna->hw);
	if (ret) {
		/* Nothing may be freed while the device could still reach memory. */
		nna->bus->cut_off(nna->drm.dev);
		WRITE_ONCE(nna->lost, true);
	}
	nna_reset_fail_rings(nna, ret ? -ENODEV : -ECANCELED);
	if (!ret)
		ret = nna_device_start(nna);
	if (ret && !nna_device_is_lost(nna)) {
		nna->bus->cut_off(nna->drm.dev);
		WRITE_ONCE(nna->lost, true);
		nna_reset_fail_rings(nna, -ENODEV);
	}
	trace_nna_reset(atomic_inc_return(&nna->resets), ret);
	if (ret)
		drm_err(&nna->drm, "reset failed (%d), the device is lost until it is bound again\n",
			ret);
	else
		drm_notice(&nna->drm, "device has been reset\n");

	/* All that was on a ring has signalled by now, so this frees those jobs; bad as well. */
	for (i = 0; i < nna->scheds_ready; i++) {
		drm_sched_stop(&nna->scheds[i], bad);
		drm_sched_start(&nna->scheds[i], 0);
	}
	drm_dev_exit(idx);
}

static void nna_reset_work(struct work_struct *work)
{
	nna_reset_now(container_of(work, struct nna_device, reset_work), NULL);
}

void nna_reset_init(struct nna_device *nna)
{
	INIT_WORK(&nna->reset_work, nna_reset_work);
}

void nna_reset_schedule(struct nna_device *nna)
{
	queue_work(nna->reset_wq, &nna->reset_work);
}

void nna_reset_and_wait(struct nna_device *nna)
{
	nna_reset_schedule(nna);
	flush_work(&nna->reset_work);
}

void nna_reset_lose(struct nna_device *nna)
{
	unsigned int i;

	WRITE_ONCE(nna->lost, true);
	for (i = 0; i < nna->scheds_ready; i++)
		drm_sched_wqueue_stop(&nna->scheds[i]);
	cancel_work_sync(&nna->reset_work);

	nna_hw_stop(&nna->hw);
	/* A reset ends running jobs at once; a device that is gone cannot be asked. */
	if (nna_hw_reset(&nna->hw))
		drm_dbg(&nna->drm, "no reset on the way out\n");
	nna->bus->cut_off(nna->drm.dev);
	nna_reset_fail_rings(nna, -ENODEV);

	for (i = 0; i < nna->scheds_ready; i++)
		drm_sched_wqueue_start(&nna->scheds[i]);
}

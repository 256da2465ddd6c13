// SPDX-License-Identifier: GPL-2.0-only

#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "nna_device.h"
#include "nna_hw.h"
#include "nna_job.h"
#include "nna_reset.h"
#include "nna_ring.h"
#include "nna_trace.h"

/* Whoever waits for a reset asks for it again when nobody has done it. */
#define NNA_RESET_RETRY		msecs_to_jiffies(1000)

static void nna_reset_disable_rings(struct nna_device *nna, int error)
{
	unsigned int i;
	bool cookie;

	cookie = dma_fence_begin_signalling();
	for (i = 0; i < NNA_RINGS; i++)
		nna_ring_disable(&nna->rings[i], error);
	dma_fence_end_signalling(cookie);
	wake_up_all(&nna->control_waitq);
}

/*
 * Nothing may be freed while the device could still reach memory, and nothing may be asked of it
 * any more.
 */
static void nna_reset_wedge(struct nna_device *nna)
{
	nna->bus->disable_bus_master(nna->drm.dev);
	WRITE_ONCE(nna->lost, true);
	nna_reset_disable_rings(nna, -ENODEV);
	queue_work(nna->cleanup_wq, &nna->wedged_work);
}

static void nna_reset_rings(struct nna_device *nna, const char *reason)
{
	u32 heads[NNA_RINGS];
	unsigned int i;
	int ret, resets;
	bool dump;

	dump = nna_coredump_begin(nna, DRM_NNA_COREDUMP_RESET);
	if (dump)
		nna_coredump_rings(nna);
	nna_hw_stop(&nna->hw);
	for (i = 0; i < NNA_RINGS; i++)
		heads[i] = nna_hw_ring_head(&nna->hw, i);
	nna_hw_save_counters(&nna->hw);
	ret = nna_hw_reset(&nna->hw);
	/* Whoever waits for a job that ends now sees it counted. */
	resets = atomic_inc_return(&nna->resets);

	/* What has been completed keeps its result. */
	for (i = 0; i < NNA_RINGS; i++) {
		nna_ring_process(&nna->rings[i]);
		if (!ret)
			nna_ring_rewind(&nna->rings[i], heads[i], -ECANCELED);
	}
	wake_up_all(&nna->control_waitq);

	if (!ret)
		ret = nna_device_start(nna);
	trace_nna_reset(resets, ret);
	if (ret) {
		nna_reset_wedge(nna);
		drm_err(&nna->drm,
			"%s, and reset failed (%d): the device is lost until it is bound again\n",
			reason, ret);
	} else {
		drm_err(&nna->drm, "%s: device has been reset\n", reason);
		queue_work(nna->cleanup_wq, &nna->wedged_work);
	}
	if (dump)
		nna_coredump_end(nna);
}

void nna_reset_now(struct nna_device *nna, const char *reason)
{
	bool cookie;
	int idx;

	/* Being unbound: nna_reset_unplug() ends all jobs. */
	if (!drm_dev_enter(&nna->drm, &idx))
		return;
	/* One that sleeps has been reset, one that is lost cannot be. */
	if (!READ_ONCE(nna->suspended) && !nna_device_is_lost(nna)) {
		/* What is waited for here signals fences itself. */
		nna_sched_stop(nna, NNA_STOPPED_BY_RESET);
		cookie = dma_fence_begin_signalling();
		nna_reset_rings(nna, reason);
		dma_fence_end_signalling(cookie);
		nna_sched_start(nna, NNA_STOPPED_BY_RESET);
	}
	drm_dev_exit(idx);
}

static void nna_reset_work(struct work_struct *work)
{
	struct nna_device *nna = container_of(work, struct nna_device, reset_work);

	nna_reset_now(nna, READ_ONCE(nna->reset_reason));
}

/*
 * In the format of drm_dev_wedged_event(), which reports on a device's primary node: accelerators
 * have none. A reset that worked is told as well, for statistics.
 */
static void nna_reset_wedged_work(struct work_struct *work)
{
	struct nna_device *nna = container_of(work, struct nna_device, wedged_work);
	char how[] = "WEDGED=rebind,bus-reset";
	char *env[] = { how, NULL };
	int idx;

	if (!drm_dev_enter(&nna->drm, &idx))
		return;
	if (!nna_device_is_lost(nna))
		strscpy(how, "WEDGED=none");
	kobject_uevent_env(&nna->drm.accel->kdev->kobj, KOBJ_CHANGE, env);
	drm_dev_exit(idx);
}

void nna_reset_init(struct nna_device *nna)
{
	INIT_WORK(&nna->wedged_work, nna_reset_wedged_work);
	INIT_WORK(&nna->reset_work, nna_reset_work);
}

void nna_reset_schedule(struct nna_device *nna, const char *reason)
{
	WRITE_ONCE(nna->reset_reason, reason);
	queue_work(nna->reset_wq, &nna->reset_work);
}

void nna_reset_and_wait(struct nna_device *nna, const char *reason)
{
	struct nna_ring *ring = &nna->rings[NNA_CONTROL_RING];
	u32 epoch = READ_ONCE(ring->epoch);

	/* One that is about to sleep is not reset by us but by whoever does that, in a moment. */
	do {
		nna_reset_schedule(nna, reason);
		flush_work(&nna->reset_work);
		/* One that is being unbound is reset only when those who use it have left. */
		if (drm_dev_is_unplugged(&nna->drm)) {
			nna->bus->disable_bus_master(nna->drm.dev);
			return;
		}
	} while (!wait_event_timeout(nna->control_waitq,
				     !READ_ONCE(ring->running) || READ_ONCE(ring->epoch) != epoch,
				     NNA_RESET_RETRY));
}

void nna_reset_suspend(struct nna_device *nna)
{
	int ret;

	WRITE_ONCE(nna->suspended, true);
	cancel_work_sync(&nna->reset_work);
	if (nna_device_is_lost(nna))
		return;
	nna_hw_save_counters(&nna->hw);
	nna_hw_stop(&nna->hw);
	ret = nna_hw_reset(&nna->hw);
	if (ret) {
		drm_err(&nna->drm, "no sleep (%d), the device is lost until it is bound again\n", ret);
		nna_reset_wedge(nna);
	} else {
		nna_reset_disable_rings(nna, -ECANCELED);
	}
}

void nna_reset_resume(struct nna_device *nna)
{
	int ret;

	nna_clock_invalidate(&nna->clock);
	if (!nna_device_is_lost(nna)) {
		ret = nna_device_start(nna);
		if (ret) {
			drm_err(&nna->drm, "no waking up (%d), the device is lost until it is bound again\n",
				ret);
			nna_reset_wedge(nna);
		}
	}
	WRITE_ONCE(nna->suspended, false);
}

void nna_reset_unplug(struct nna_device *nna)
{
	WRITE_ONCE(nna->lost, true);
	nna_sched_stop(nna, NNA_STOPPED_BY_RESET);
	cancel_work_sync(&nna->reset_work);

	nna_hw_stop(&nna->hw);
	/* A reset ends running jobs at once; a device that is gone cannot be asked. */
	if (nna_hw_reset(&nna->hw))
		drm_dbg(&nna->drm, "no reset on the way out\n");
	nna->bus->disable_bus_master(nna->drm.dev);
	nna_reset_disable_rings(nna, -ENODEV);

	/* Nobody wakes up any more. */
	nna_sched_start(nna, NNA_STOPPED_BY_RESET | NNA_STOPPED_BY_SUSPEND);
}

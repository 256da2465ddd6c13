// SPDX-License-Identifier: GPL-2.0-only
/* Power management: see nna_pm.h. */

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include "nna_device.h"
#include "nna_job.h"
#include "nna_pm.h"
#include "nna_reset.h"
#include "nna_ring.h"

/* Longer than the pauses between a client's inferences; power/autosuspend_delay_ms changes it. */
#define NNA_AUTOSUSPEND_MS	500
#define NNA_IDLE_POLL_MS	5

int nna_pm_get(struct nna_device *nna)
{
	struct device *dev = nna->drm.dev;
	int ret = pm_runtime_resume_and_get(dev);

	/* Runtime PM is disabled, so the device is always resumed. */
	if (ret == -EACCES) {
		pm_runtime_get_noresume(dev);
		ret = 0;
	}
	/* Why it does not resume makes no difference to the caller: there is no device. */
	return ret < 0 ? -ENODEV : 0;
}

void nna_pm_put(struct nna_device *nna)
{
	struct device *dev = nna->drm.dev;

	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev);
}

void nna_pm_init(struct nna_device *nna)
{
	struct device *dev = nna->drm.dev;

	pm_runtime_set_autosuspend_delay(dev, NNA_AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_allow(dev);
}

void nna_pm_fini(struct nna_device *nna)
{
	struct device *dev = nna->drm.dev;

	pm_runtime_forbid(dev);
	pm_runtime_dont_use_autosuspend(dev);
}

static int nna_pm_runtime_suspend(struct device *dev)
{
	nna_reset_suspend(dev_get_drvdata(dev));
	return 0;
}

static int nna_pm_runtime_resume(struct device *dev)
{
	nna_reset_resume(dev_get_drvdata(dev));
	return 0;
}

static bool nna_pm_rings_are_empty(struct nna_device *nna)
{
	bool empty = true;
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS && empty; i++) {
		struct nna_ring *ring = &nna->rings[i];

		/*
		 * Under the lock: a reset removes all entries before it writes some of them again.
		 */
		spin_lock_irq(&ring->lock);
		empty = ring->tail == ring->done;
		spin_unlock_irq(&ring->lock);
	}
	return empty;
}

/* Jobs on the rings run to their end; those in the schedulers stay there until the resume. */
static int nna_pm_suspend(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);
	unsigned long end = jiffies + msecs_to_jiffies(nna->timeout_ms);

	nna_sched_stop(nna, NNA_STOPPED_BY_SUSPEND);
	while (!nna_pm_rings_are_empty(nna)) {
		if (time_after(jiffies, end)) {
			drm_dbg_driver(&nna->drm, "too busy to be suspended\n");
			nna_sched_start(nna, NNA_STOPPED_BY_SUSPEND);
			return -EBUSY;
		}
		msleep(NNA_IDLE_POLL_MS);
	}
	/* Timeout handlers and the core dump's work read registers: let them finish. */
	flush_workqueue(nna->reset_wq);
	flush_work(&nna->coredump.work);
	if (!pm_runtime_suspended(dev))
		nna_reset_suspend(nna);
	return 0;
}

static int nna_pm_resume(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);

	if (!pm_runtime_suspended(dev)) {
		nna_reset_resume(nna);
		/* For the deadlines of jobs that have waited in the schedulers. */
		nna_clock_refresh(&nna->clock, &nna->hw);
	}
	nna_sched_start(nna, NNA_STOPPED_BY_SUSPEND);
	return 0;
}

const struct dev_pm_ops nna_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(nna_pm_suspend, nna_pm_resume)
	RUNTIME_PM_OPS(nna_pm_runtime_suspend, nna_pm_runtime_resume, NULL)
};

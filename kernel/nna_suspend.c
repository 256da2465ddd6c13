// SPDX-License-Identifier: GPL-2.0-only
/* Suspend and resume: see nna_suspend.h. */

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include "nna_core.h"
#include "nna_reset.h"
#include "nna_ring.h"
#include "nna_sched.h"
#include "nna_suspend.h"

#define NNA_IDLE_POLL_MS	5

static int nna_suspend_runtime(struct device *dev)
{
	nna_reset_suspend(dev_get_drvdata(dev));
	return 0;
}

static int nna_resume_runtime(struct device *dev)
{
	nna_reset_resume(dev_get_drvdata(dev));
	return 0;
}

static bool nna_suspend_rings_are_empty(struct nna_device *nna)
{
	bool empty = true;
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS && empty; i++)
		empty = nna_ring_is_empty(&nna->rings[i]);
	return empty;
}

/* Waits for the jobs on the rings; jobs in the schedulers stay there until the resume. */
static int nna_suspend_system(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);
	unsigned long end = jiffies + msecs_to_jiffies(nna->timeout_ms);

	nna_sched_stop(nna, NNA_STOPPED_BY_SUSPEND);
	while (!nna_suspend_rings_are_empty(nna)) {
		if (time_after(jiffies, end)) {
			drm_dbg_driver(&nna->drm, "suspend: jobs on the rings do not end within %u ms\n",
				       nna->timeout_ms);
			nna_sched_start(nna, NNA_STOPPED_BY_SUSPEND);
			return -EBUSY;
		}
		msleep(NNA_IDLE_POLL_MS);
	}
	/* Wait for timeout handlers and the core dump's work, which read registers. */
	flush_workqueue(nna->reset_wq);
	flush_work(&nna->fault.work);
	if (!pm_runtime_suspended(dev))
		nna_reset_suspend(nna);
	return 0;
}

static int nna_resume_system(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);

	if (!pm_runtime_suspended(dev)) {
		nna_reset_resume(nna);
		/* Deadlines of jobs that have waited in the schedulers need a new pair. */
		nna_clock_refresh(&nna->clock, &nna->hw);
	}
	nna_sched_start(nna, NNA_STOPPED_BY_SUSPEND);
	return 0;
}

const struct dev_pm_ops nna_suspend_ops = {
	SYSTEM_SLEEP_PM_OPS(nna_suspend_system, nna_resume_system)
	RUNTIME_PM_OPS(nna_suspend_runtime, nna_resume_runtime, NULL)
};

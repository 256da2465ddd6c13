// SPDX-License-Identifier: GPL-2.0-only
/* Suspend and resume: see nna_suspend.h. */

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include "nna_control.h"
#include "nna_core.h"
#include "nna_recovery.h"
#include "nna_reset.h"
#include "nna_ring.h"
#include "nna_sched.h"
#include "nna_suspend.h"

#define NNA_SUSPEND_POLL_MS	5

static int nna_suspend_runtime(struct device *dev)
{
	nna_reset_suspend(dev_get_drvdata(dev));
	return 0;
}

static int nna_resume_runtime(struct device *dev)
{
	return nna_reset_resume(dev_get_drvdata(dev));
}

static bool nna_suspend_rings_are_empty(struct nna_device *nna)
{
	bool empty = true;
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS && empty; i++)
		empty = nna_ring_is_empty(&nna->rings[i]);
	return empty;
}

/* Tells each ring that has jobs to yield, once. Returns 0 or an error of nna_control_yield(). */
static int nna_suspend_tell(struct nna_device *nna)
{
	unsigned int i;
	u32 seqno;
	int ret;

	for (i = 0; i < NNA_JOB_RINGS; i++) {
		if (!nna_ring_yield(&nna->rings[i], &seqno))
			continue;
		ret = nna_control_yield(nna, i, seqno);
		/* After a timeout the device may still do it. */
		if (ret && ret != -ETIMEDOUT)
			nna_ring_cancel_yield(&nna->rings[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Takes the jobs off the device, as far as it reacts. */
static void nna_suspend_yield(struct nna_device *nna)
{
	unsigned long since = jiffies, last;

	while (!nna_suspend_rings_are_empty(nna)) {
		/* Another error means that a reset is under way: then tell the rings again. */
		if (nna_suspend_tell(nna) == -ETIMEDOUT)
			return;
		last = READ_ONCE(nna->last_end_jiffies);
		if (time_after(last, since))
			since = last;
		if (time_after(jiffies, since + msecs_to_jiffies(NNA_YIELD_MS))) {
			if (!nna_recovery_abort_longest(nna, NNA_YIELD_MS))
				return;
			since = jiffies;
		}
		msleep(NNA_SUSPEND_POLL_MS);
	}
}

/* Waits until the jobs on the rings have ended; -EBUSY if they take too long. */
static int nna_suspend_wait(struct nna_device *nna)
{
	unsigned long end = jiffies + msecs_to_jiffies(nna->timeout_ms);

	while (!nna_suspend_rings_are_empty(nna)) {
		if (time_after(jiffies, end)) {
			drm_dbg_driver(&nna->drm, "suspend: jobs on the rings do not end within %u ms\n",
				       nna->timeout_ms);
			return -EBUSY;
		}
		msleep(NNA_SUSPEND_POLL_MS);
	}
	return 0;
}

static int nna_suspend_system(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);
	int ret;

	nna_sched_stop(nna, NNA_STOPPED_BY_SUSPEND);
	if (nna_hw_has_yield(&nna->hw) && !READ_ONCE(nna->suspended)) {
		nna_suspend_yield(nna);
	} else {
		ret = nna_suspend_wait(nna);
		if (ret) {
			nna_sched_start(nna, NNA_STOPPED_BY_SUSPEND);
			return ret;
		}
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
	int ret = 0;

	if (!pm_runtime_suspended(dev)) {
		ret = nna_reset_resume(nna);
		/* Deadlines of jobs that have waited outside of the rings need a new pair. */
		if (!ret)
			nna_clock_refresh(&nna->clock, &nna->hw);
	}
	nna_sched_start(nna, NNA_STOPPED_BY_SUSPEND);
	return ret;
}

const struct dev_pm_ops nna_suspend_ops = {
	SYSTEM_SLEEP_PM_OPS(nna_suspend_system, nna_resume_system)
	RUNTIME_PM_OPS(nna_suspend_runtime, nna_resume_runtime, NULL)
};

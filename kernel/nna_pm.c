// SPDX-License-Identifier: GPL-2.0-only

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include "nna_device.h"
#include "nna_pm.h"
#include "nna_reset.h"
#include "nna_ring.h"

/* Longer than the pauses of a stream of inferences; power/autosuspend_delay_ms changes it. */
#define NNA_AUTOSUSPEND_MS	500
#define NNA_IDLE_POLL_MS	5

int nna_pm_get(struct nna_device *nna)
{
	struct device *dev = nna->drm.dev;
	int ret = pm_runtime_resume_and_get(dev);

	/* Where there is no runtime power management the device is always awake. */
	if (ret == -EACCES) {
		pm_runtime_get_noresume(dev);
		ret = 0;
	}
	return ret < 0 ? ret : 0;
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
	nna_reset_sleep(dev_get_drvdata(dev));
	return 0;
}

static int nna_pm_runtime_resume(struct device *dev)
{
	nna_reset_wake(dev_get_drvdata(dev));
	return 0;
}

static bool nna_pm_rings_are_empty(struct nna_device *nna)
{
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS; i++)
		if (READ_ONCE(nna->rings[i].tail) != READ_ONCE(nna->rings[i].done))
			return false;
	return true;
}

static void nna_pm_scheds_start(struct nna_device *nna)
{
	unsigned int i;

	for (i = 0; i < nna->scheds_ready; i++)
		drm_sched_wqueue_start(&nna->scheds[i]);
}

/* What the device has been given is brought to its end; what waits in the schedulers waits on. */
static int nna_pm_suspend(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);
	unsigned long end = jiffies + msecs_to_jiffies(nna->timeout_ms);
	unsigned int i;

	for (i = 0; i < nna->scheds_ready; i++)
		drm_sched_wqueue_stop(&nna->scheds[i]);
	while (!nna_pm_rings_are_empty(nna)) {
		if (time_after(jiffies, end)) {
			drm_dbg_driver(&nna->drm, "too busy to be suspended\n");
			nna_pm_scheds_start(nna);
			return -EBUSY;
		}
		msleep(NNA_IDLE_POLL_MS);
	}
	if (!pm_runtime_suspended(dev))
		nna_reset_sleep(nna);
	return 0;
}

static int nna_pm_resume(struct device *dev)
{
	struct nna_device *nna = dev_get_drvdata(dev);

	if (!pm_runtime_suspended(dev))
		nna_reset_wake(nna);
	nna_pm_scheds_start(nna);
	return 0;
}

const struct dev_pm_ops nna_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(nna_pm_suspend, nna_pm_resume)
	RUNTIME_PM_OPS(nna_pm_runtime_suspend, nna_pm_runtime_resume, NULL)
};

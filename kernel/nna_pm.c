// SPDX-License-Identifier: GPL-2.0-only
/* Runtime PM references: see nna_pm.h. */

#include <linux/device.h>
#include <linux/pm_runtime.h>

#include "nna_core.h"
#include "nna_pm.h"

/* Exceeds the pauses between a client's inferences; power/autosuspend_delay_ms changes it. */
#define NNA_AUTOSUSPEND_MS	500

int nna_pm_get(struct nna_device *nna)
{
	struct device *dev = nna->drm.dev;
	int ret = pm_runtime_resume_and_get(dev);

	/* Runtime PM is disabled, so the device is never suspended. */
	if (ret == -EACCES) {
		pm_runtime_get_noresume(dev);
		ret = 0;
	}
	/* To the caller every failure means the same: there is no device. */
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

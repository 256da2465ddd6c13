// SPDX-License-Identifier: GPL-2.0-only
/* Reset, suspend and unplug: see nna_reset.h. */

#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/pm_runtime.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_coredump.h"
#include "nna_gate.h"
#include "nna_hw.h"
#include "nna_pm.h"
#include "nna_reset.h"
#include "nna_ring.h"
#include "nna_sched.h"
#include "nna_trace.h"

/* Time limit of a reset by the bus: longer than a device needs after a reset. */
#define NNA_BUS_TIMEOUT_MS	30000

/**
 * struct nna_reset - Resets by the bus, and reports of resets.
 * @nna: the device.
 * @bus: the bus is resetting the device, or recovers from an error. Written with the device lock of
 *	the bus device held, or by @bus_work, which the holder of that lock cancels first.
 * @bus_heads: entries of each ring that the device had fetched before.
 * @bus_work: loses the device if the bus exceeds the time limit; on nna_device.reset_wq.
 * @wedged_work: reports the last reset to user space; on nna_device.cleanup_wq.
 */
struct nna_reset {
	struct nna_device *nna;
	bool bus;
	u32 bus_heads[NNA_RINGS];
	struct delayed_work bus_work;
	struct work_struct wedged_work;
};

/* Entries that are written again need deadlines by the clock of the device as it is now. */
static void nna_reset_refresh_clock(struct nna_device *nna)
{
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS; i++) {
		if (!nna_ring_is_empty(&nna->rings[i])) {
			nna_clock_refresh(&nna->clock, &nna->hw);
			return;
		}
	}
}

int nna_reset_enable_rings(struct nna_device *nna)
{
	unsigned int i;
	int ret;

	nna_reset_refresh_clock(nna);
	if (nna->progress)
		nna_hw_set_progress(&nna->hw, nna->progress_dma);
	for (i = 0; i < NNA_RINGS; i++) {
		ret = nna_ring_enable(&nna->rings[i]);
		if (ret) {
			drm_dbg_driver(&nna->drm, "ring %u: the device does not enable it\n", i);
			return ret;
		}
	}
	nna_hw_start(&nna->hw);
	return 0;
}

/* Ends all jobs of a lost device, on the rings and in the schedulers. */
static void nna_reset_end_jobs(struct nna_device *nna)
{
	unsigned int i;
	bool cookie;

	cookie = dma_fence_begin_signalling();
	for (i = 0; i < NNA_RINGS; i++) {
		/* Entries that the device has completed end with their own result. */
		nna_ring_process(&nna->rings[i]);
		nna_ring_disable(&nna->rings[i], -ENODEV);
	}
	dma_fence_end_signalling(cookie);
	wake_up_all(&nna->control_waitq);
	nna_gates_doom(nna);
}

/*
 * Takes the jobs off the rings of a device that has been reset. Those that it had begun end.
 * @heads: from nna_reset_halt().
 */
static void nna_reset_rewind_rings(struct nna_device *nna, const u32 *heads, int error)
{
	unsigned int i;
	bool cookie;

	cookie = dma_fence_begin_signalling();
	for (i = 0; i < NNA_RINGS; i++) {
		/* Entries that the device has completed end with their own result. */
		nna_ring_process(&nna->rings[i]);
		nna_ring_rewind(&nna->rings[i], heads[i], error);
	}
	dma_fence_end_signalling(cookie);
	wake_up_all(&nna->control_waitq);
}

/*
 * Loses a device that cannot be reset. Bus mastering is disabled first, since the end of the jobs
 * frees memory to which the device might still write.
 */
static void nna_reset_wedge(struct nna_device *nna)
{
	nna_bus_disable_master(nna->bus);
	WRITE_ONCE(nna->lost, true);
	nna_reset_end_jobs(nna);
	queue_work(nna->cleanup_wq, &nna->reset->wedged_work);
}

/* Stops the device, reads how many entries of each ring it has fetched, and saves its counters. */
static void nna_reset_halt(struct nna_device *nna, u32 *heads)
{
	unsigned int i;

	nna_hw_stop(&nna->hw);
	for (i = 0; i < NNA_RINGS; i++)
		heads[i] = nna_hw_ring_head(&nna->hw, i);
	nna_hw_save_counters(&nna->hw);
}

/* Resets a device that nna_reset_halt() has stopped, and continues with the jobs. */
static void nna_reset_rings(struct nna_device *nna, const u32 *heads, const char *reason, int error)
{
	int ret, resets;

	ret = nna_hw_reset(&nna->hw);
	/* Count before the jobs end, so that a waiter for one of them reads the new number. */
	resets = atomic_inc_return(&nna->resets);
	if (!ret) {
		nna_reset_rewind_rings(nna, heads, error);
		ret = nna_reset_enable_rings(nna);
	}
	trace_nna_reset(resets, ret);
	if (ret) {
		nna_reset_wedge(nna);
		drm_err(&nna->drm,
			"%s, and the reset failed (%d): the device is lost, bind the driver again\n",
			reason, ret);
	} else {
		drm_err(&nna->drm, "%s: the device has been reset\n", reason);
		queue_work(nna->cleanup_wq, &nna->reset->wedged_work);
	}
}

void nna_reset_now(struct nna_device *nna, const char *reason, int error)
{
	u32 heads[NNA_RINGS];
	bool cookie, dump;
	int idx;

	/* Unbind has begun, and nna_reset_unplug() ends all jobs. */
	if (!drm_dev_enter(&nna->drm, &idx))
		return;
	/* A suspended device has just been reset, and a lost one cannot be reset. */
	if (!READ_ONCE(nna->suspended) && !nna_core_is_lost(nna)) {
		/* Outside the signalling section, since this waits for work that signals fences. */
		nna_sched_stop(nna, NNA_STOPPED_BY_RESET);
		cookie = dma_fence_begin_signalling();
		dump = nna_coredump_begin(nna, DRM_NNA_COREDUMP_RESET);
		nna_reset_halt(nna, heads);
		nna_reset_rings(nna, heads, reason, error);
		if (dump)
			nna_fault_end(nna);
		dma_fence_end_signalling(cookie);
		nna_sched_start(nna, NNA_STOPPED_BY_RESET);
	}
	drm_dev_exit(idx);
}

static void nna_reset_work(struct work_struct *work)
{
	struct nna_device *nna = container_of(work, struct nna_device, reset_work);

	/* -EIO: no job is guilty of a reset that comes from elsewhere than nna_recovery.c. */
	nna_reset_now(nna, READ_ONCE(nna->reset_reason), -EIO);
}

/*
 * Sends a uevent in the format of drm_dev_wedged_event(). That function cannot be used: it reports
 * on a device's primary node, which accel devices do not have. WEDGED=none reports a successful
 * reset. A device without an accel node has a render node: compat/nna_compat_render.h.
 */
static void nna_reset_wedged_work(struct work_struct *work)
{
	struct nna_device *nna = container_of(work, struct nna_reset, wedged_work)->nna;
	const struct drm_minor *node = nna->drm.accel ?: nna->drm.render;
	char how[] = "WEDGED=rebind,bus-reset";
	char *env[] = { how, NULL };
	int idx;

	if (!drm_dev_enter(&nna->drm, &idx))
		return;
	if (!nna_core_is_lost(nna))
		strscpy(how, "WEDGED=none");
	kobject_uevent_env(&node->kdev->kobj, KOBJ_CHANGE, env);
	drm_dev_exit(idx);
}

void nna_reset_bus_begin(struct nna_device *nna)
{
	struct nna_reset *reset = nna->reset;
	struct device *dev = nna->drm.dev;

	if (READ_ONCE(reset->bus))
		return;
	/*
	 * This PM reference keeps the device from being suspended. A resume that is under way
	 * leaves the rings to nna_reset_bus_end().
	 */
	pm_runtime_get_noresume(dev);
	WRITE_ONCE(reset->bus, true);
	pm_runtime_barrier(dev);
	nna_sched_stop(nna, NNA_STOPPED_BY_BUS);
	mod_delayed_work(nna->reset_wq, &reset->bus_work, msecs_to_jiffies(NNA_BUS_TIMEOUT_MS));
	if (READ_ONCE(nna->suspended) || nna_core_is_lost(nna))
		return;
	WRITE_ONCE(nna->suspended, true);
	/* Wait for timeout handlers and the core dump's work, which read registers. */
	cancel_work_sync(&nna->reset_work);
	flush_workqueue(nna->reset_wq);
	flush_work(&nna->fault.work);
	nna_reset_halt(nna, reset->bus_heads);
}

static void nna_reset_bus_left(struct nna_device *nna)
{
	WRITE_ONCE(nna->reset->bus, false);
	nna_sched_start(nna, NNA_STOPPED_BY_BUS);
	nna_pm_put(nna);
}

void nna_reset_bus_end(struct nna_device *nna)
{
	bool cookie;

	cancel_delayed_work_sync(&nna->reset->bus_work);
	if (!nna->reset->bus)
		return;
	WRITE_ONCE(nna->reset->bus, false);
	/* Wait for a resume that has left the rings to this function. */
	pm_runtime_barrier(nna->drm.dev);
	nna_clock_invalidate(&nna->clock);
	if (!pm_runtime_suspended(nna->drm.dev) && READ_ONCE(nna->suspended) &&
	    !nna_core_is_lost(nna)) {
		cookie = dma_fence_begin_signalling();
		nna_reset_rings(nna, nna->reset->bus_heads, "reset or error of the bus", -EIO);
		dma_fence_end_signalling(cookie);
		WRITE_ONCE(nna->suspended, false);
	}
	nna_reset_bus_left(nna);
}

static void nna_reset_bus_lost(struct nna_device *nna)
{
	if (!nna_core_is_lost(nna)) {
		nna_reset_wedge(nna);
		drm_err(&nna->drm, "the bus does not recover: the device is lost, bind the driver again\n");
	}
	nna_reset_bus_left(nna);
}

void nna_reset_bus_lose(struct nna_device *nna)
{
	nna_reset_bus_begin(nna);
	cancel_delayed_work_sync(&nna->reset->bus_work);
	if (nna->reset->bus)
		nna_reset_bus_lost(nna);
}

static void nna_reset_bus_work(struct work_struct *work)
{
	nna_reset_bus_lost(container_of(to_delayed_work(work), struct nna_reset, bus_work)->nna);
}

int nna_reset_init(struct nna_device *nna)
{
	struct nna_reset *reset = drmm_kzalloc(&nna->drm, sizeof(*reset), GFP_KERNEL);

	if (!reset)
		return -ENOMEM;
	reset->nna = nna;
	INIT_DELAYED_WORK(&reset->bus_work, nna_reset_bus_work);
	INIT_WORK(&reset->wedged_work, nna_reset_wedged_work);
	INIT_WORK(&nna->reset_work, nna_reset_work);
	nna->reset = reset;
	return 0;
}

static void nna_reset_stop(struct nna_device *nna)
{
	u32 heads[NNA_RINGS];
	int ret;

	nna_reset_halt(nna, heads);
	ret = nna_hw_reset(&nna->hw);
	if (ret) {
		drm_err(&nna->drm, "suspend: reset failed (%d): the device is lost, bind the driver again\n",
			ret);
		nna_reset_wedge(nna);
	} else {
		nna_reset_rewind_rings(nna, heads, -ECANCELED);
	}
}

void nna_reset_suspend(struct nna_device *nna)
{
	WRITE_ONCE(nna->suspended, true);
	cancel_work_sync(&nna->reset_work);
	if (!nna_core_is_lost(nna))
		nna_reset_stop(nna);
	nna_bus_power_off(nna->bus);
}

/* Gives the device its power back, and waits until it has come out of reset. */
static int nna_reset_power_on(struct nna_device *nna)
{
	int ret;

	if (!nna_bus_switches_power(nna->bus))
		return 0;
	/* It was lost with its power, or has been cut off since: it stays off. */
	if (nna_core_is_lost(nna))
		return -ENODEV;
	ret = nna_bus_power_on(nna->bus) ?: nna_hw_reset(&nna->hw);
	if (ret) {
		drm_err(&nna->drm, "resume: no power (%d): the device is lost, bind the driver again\n",
			ret);
		nna_reset_wedge(nna);
		nna_bus_power_off(nna->bus);
	}
	return ret;
}

int nna_reset_resume(struct nna_device *nna)
{
	int ret = nna_reset_power_on(nna);

	if (ret)
		return ret;
	nna_clock_invalidate(&nna->clock);
	/* The device may not answer now; nna_reset_bus_end() enables the rings. */
	if (READ_ONCE(nna->reset->bus))
		return 0;
	if (!nna_core_is_lost(nna)) {
		ret = nna_reset_enable_rings(nna);
		if (ret) {
			drm_err(&nna->drm, "resume: the rings do not start (%d): the device is lost, bind the driver again\n",
				ret);
			nna_reset_wedge(nna);
		}
	}
	WRITE_ONCE(nna->suspended, false);
	return 0;
}

void nna_reset_unplug(struct nna_device *nna)
{
	WRITE_ONCE(nna->lost, true);
	nna_sched_stop(nna, NNA_STOPPED_BY_RESET);
	cancel_work_sync(&nna->reset_work);
	cancel_delayed_work_sync(&nna->reset->bus_work);

	nna_hw_stop(&nna->hw);
	/*
	 * The reset ends running jobs at once. It fails if the device is gone, which is no error.
	 */
	if (nna_hw_reset(&nna->hw))
		drm_dbg(&nna->drm, "unplug: the device does not complete a reset\n");
	nna_bus_disable_master(nna->bus);
	nna_reset_end_jobs(nna);

	/* Undo a recovery of the bus or a system suspend that will not be completed. */
	if (nna->reset->bus)
		nna_reset_bus_left(nna);
	nna_sched_start(nna, NNA_STOPPED_BY_RESET | NNA_STOPPED_BY_SUSPEND);
}

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
bool nna_reset_bus_is_timed(struct nna_device *nna)
{
	return delayed_work_pending(&nna->reset->bus_work);
}
#endif

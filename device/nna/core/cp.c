/* SPDX-License-Identifier: MIT */
/*
 * The command processor: a single thread that takes entries from the rings and runs jobs.
 *
 * When the device's event is raised, it schedules again after the current tile: the control ring
 * first, then the highest job ring that has work. A preempted job keeps its state in the struct
 * nnadev_job of its ring. A job that yields leaves the device, and its ring's memory has what is
 * left of it.
 *
 * Aging: a ring that has waited for age_ns gets a slice of slice_ns at the next tile, also within a
 * job of a higher ring. So every job ends in bounded time, however long the jobs above it are. The
 * driver boosts a ring whose job has a deadline. A boosted ring waits an eighth of the time and
 * gets slices of an eighth of the length: its latency is shorter but its share of the device is the
 * same, so a client gains nothing by a deadline that it does not need.
 */
#include <fenv.h>
#include <string.h>

#include "device/nna/core/cp.h"

#define BOOST_PORTION 8 /* divides the times that a boosted ring waits and runs */

static void control_invalidate(struct nnadev *dev, const struct nnahw_ring_entry *e)
{
	nnadev_mmu_invalidate(&dev->exec.mmu, e->asid, e->address, e->length,
			      e->target == NNAHW_ENTRY_ALL);
}

static void control_abort(struct nnadev *dev, const struct nnahw_ring_entry *e)
{
	struct nnadev_job *job = &dev->jobs[e->target];

	if (nnadev_job_active(job) && job->entry.seqno == (uint32_t)e->address) {
		if (!job->stuck)
			nnadev_job_end(&dev->exec, job, NNAHW_STATUS_ABORTED);
		return;
	}
	nnadev_ring_abort(&dev->base, &dev->rings[e->target], (uint32_t)e->address);
}

static void control_boost(struct nnadev *dev, const struct nnahw_ring_entry *e)
{
	struct nnadev_ring *ring = &dev->rings[e->target];

	if (!ring->boosted || (int32_t)((uint32_t)e->address - ring->boost) > 0)
		ring->boost = (uint32_t)e->address;
	ring->boosted = true;
}

static bool names_job(const struct nnahw_ring_entry *e)
{
	return e->target < NNAHW_JOB_RINGS && e->address <= UINT32_MAX;
}

static uint32_t control(struct nnadev *dev, const struct nnahw_ring_entry *e)
{
	if (!nnadev_ring_entry_is_plain(e))
		return NNAHW_STATUS_BAD_ENTRY;
	switch (e->type) {
	case NNAHW_ENTRY_NOP:
		return NNAHW_STATUS_OK;
	case NNAHW_ENTRY_INVALIDATE:
		if (e->target > NNAHW_ENTRY_ALL)
			return NNAHW_STATUS_BAD_ENTRY;
		control_invalidate(dev, e);
		return NNAHW_STATUS_OK;
	case NNAHW_ENTRY_ABORT:
		if (!names_job(e))
			return NNAHW_STATUS_BAD_ENTRY;
		control_abort(dev, e);
		return NNAHW_STATUS_OK;
	case NNAHW_ENTRY_BOOST:
		if (!names_job(e))
			return NNAHW_STATUS_BAD_ENTRY;
		control_boost(dev, e);
		return NNAHW_STATUS_OK;
	case NNAHW_ENTRY_YIELD:
		if (!names_job(e))
			return NNAHW_STATUS_BAD_ENTRY;
		/* A job between two commands yields when its ring is picked next. */
		nnadev_ring_yield(&dev->rings[e->target], (uint32_t)e->address);
		return NNAHW_STATUS_OK;
	default:
		return NNAHW_STATUS_BAD_ENTRY;
	}
}

/*
 * Run the entries of the control ring, at most as many as the ring has, so that a flood of control
 * entries cannot starve jobs. Return: whether there were any.
 */
static bool run_control(struct nnadev *dev)
{
	struct nnadev_ring *ring = &dev->rings[NNAHW_CONTROL_RING];
	uint32_t done = 0;

	while (done < ring->work.size && nnadev_ring_pending(&dev->base, ring)) {
		struct nnahw_ring_entry entry;
		uint32_t status;
		bool aborted;

		if (!nnadev_ring_fetch(&dev->base, ring, &entry, &aborted))
			break;
		status = control(dev, &entry);
		nnadev_ring_complete(&dev->base, ring, &entry, status, 0);
		done++;
	}
	return done;
}

static void do_reset(struct nnadev *dev)
{
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		nnadev_job_drop(&dev->exec, &dev->jobs[i]);
	for (uint32_t i = 0; i < NNAHW_RINGS; i++) {
		nnadev_ring_sync(&dev->base, &dev->rings[i]);
		dev->rings[i].waiting = 0;
		dev->rings[i].boosted = false;
	}
	nnadev_mmu_reset(&dev->exec.mmu);
	nnadev_workers_forget(dev->exec.workers);
	dev->last = NULL;
	dev->slice = NNADEV_CP_NO_SLICE;
	atomic_store(&dev->base.bus->lost, false);
	memset(&dev->base.counters, 0, sizeof(dev->base.counters));
	atomic_store(&dev->exec.mmu.walks, 0);
	atomic_store(&dev->reset, false);
	if (!nnadev_base_injected(&dev->base, NNADEV_INJECT_REFUSE_RESET))
		atomic_store(&dev->status, NNAHW_REG_STATUS_READY);
	nnadev_event_raise(&dev->reset_done);
}

static bool has_work(struct nnadev *dev, uint32_t ring)
{
	return nnadev_job_active(&dev->jobs[ring]) ||
	       nnadev_ring_pending(&dev->base, &dev->rings[ring]);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Scale a scheduling time for a ring: shorter when it is boosted. */
static uint64_t portion(const struct nnadev_ring *ring, uint64_t ns)
{
	return ring->boosted ? ns / BOOST_PORTION : ns;
}

/*
 * The ring to run now, or NNAHW_JOB_RINGS when none has work. *@until is lowered to the time when
 * another ring is to run: the end of a slice, or the time when a lower ring has waited for long.
 */
static uint32_t pick(struct nnadev *dev, uint64_t *until)
{
	uint32_t top = NNAHW_JOB_RINGS, starving = NNAHW_JOB_RINGS, ring;
	uint64_t now = nnadev_clock_now();
	bool work[NNAHW_JOB_RINGS];

	for (ring = 0; ring < NNAHW_JOB_RINGS; ring++) {
		struct nnadev_ring *r = &dev->rings[ring];

		work[ring] = has_work(dev, ring);
		if (!work[ring]) {
			r->waiting = 0;
			r->boosted = false;
		} else if (!r->waiting) {
			r->waiting = now;
		}
		if (work[ring])
			top = ring;
	}
	if (top == NNAHW_JOB_RINGS)
		return top;
	if (dev->slice != NNADEV_CP_NO_SLICE && (now >= dev->slice_end || !work[dev->slice]))
		dev->slice = NNADEV_CP_NO_SLICE;
	if (dev->slice == NNADEV_CP_NO_SLICE) {
		uint64_t next = NNADEV_FOREVER;

		for (ring = 0; ring < top; ring++) {
			const struct nnadev_ring *r = &dev->rings[ring];

			if (!work[ring])
				continue;
			if (now - r->waiting < portion(r, dev->age_ns))
				next = min_u64(next, r->waiting + portion(r, dev->age_ns));
			else if (starving == NNAHW_JOB_RINGS ||
				 r->waiting < dev->rings[starving].waiting)
				starving = ring;
		}
		if (starving != NNAHW_JOB_RINGS) {
			dev->slice = starving;
			dev->slice_end = now + portion(&dev->rings[starving], dev->slice_ns);
		} else {
			*until = min_u64(*until, next);
		}
	}
	if (dev->slice != NNADEV_CP_NO_SLICE)
		*until = min_u64(*until, dev->slice_end);
	ring = dev->slice != NNADEV_CP_NO_SLICE ? dev->slice : top;
	dev->rings[ring].waiting = 0;
	return ring;
}

static void idle(struct nnadev *dev, uint64_t until)
{
	nnadev_bus_leave(dev->base.bus);
	nnadev_event_wait(&dev->exec.event, dev->exec.seen, until);
	nnadev_bus_enter(dev->base.bus);
}

/* Run the ring that is to run now, until @until. Return: whether there was work. */
static bool run_jobs(struct nnadev *dev, uint64_t until)
{
	struct nnadev_job *job = dev->last;
	uint32_t ring;
	uint64_t wake;

	if (!atomic_load(&dev->exec.enabled)) {
		/* The device is disabled: finish the current command, and start no other. */
		if (!job || !nnadev_job_in_command(job))
			return false;
		ring = job->ring->index;
	} else {
		/* Look again: entries may be left, or nnadev_run()'s caller waits for these. */
		if (run_control(dev))
			nnadev_event_raise(&dev->exec.event);
		ring = pick(dev, &until);
		if (ring == NNAHW_JOB_RINGS)
			return false;
		job = &dev->jobs[ring];
	}
	if (!nnadev_job_active(job)) {
		bool aborted;

		if (!nnadev_ring_fetch(&dev->base, &dev->rings[ring], &job->entry, &aborted))
			return true;
		nnadev_job_start(&dev->exec, job, aborted);
		if (!nnadev_job_active(job))
			return true;
	}
	if (dev->last && dev->last != job && nnadev_job_active(dev->last) &&
	    dev->last->ring->index < ring)
		nnadev_count(&dev->base.counters.preemptions, 1);
	dev->last = job;
	wake = nnadev_job_run(&dev->exec, job, until);
	if (wake) {
		idle(dev, wake);
		nnadev_job_pause(&dev->exec, job);
	}
	return true;
}

/* Take over the registers of rings that have changed. */
static void sync_rings(struct nnadev *dev)
{
	for (uint32_t i = 0; i < NNAHW_RINGS; i++)
		if (nnadev_ring_sync(&dev->base, &dev->rings[i]) && i < NNAHW_JOB_RINGS)
			nnadev_job_drop(&dev->exec, &dev->jobs[i]);
}

/* Let guests of the gate in, reset if requested, and run jobs. Return: as run_jobs(). */
static bool step(struct nnadev *dev, uint64_t until)
{
	if (nnadev_bus_is_wanted(dev->base.bus)) {
		nnadev_bus_leave(dev->base.bus);
		nnadev_bus_enter(dev->base.bus);
	}
	if (atomic_load(&dev->reset))
		do_reset(dev);
	sync_rings(dev);
	return run_jobs(dev, until);
}

/* Whether a ring has work, and the device is enabled. */
static bool is_busy(struct nnadev *dev)
{
	bool busy;

	sync_rings(dev);
	busy = nnadev_ring_pending(&dev->base, &dev->rings[NNAHW_CONTROL_RING]);
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		busy = busy || has_work(dev, i);
	return busy && atomic_load(&dev->exec.enabled);
}

void nnadev_cp_fini(struct nnadev *dev)
{
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		nnadev_job_drop(&dev->exec, &dev->jobs[i]);
}

void *nnadev_cp_main(void *arg)
{
	struct nnadev *dev = arg;

	nnadev_bus_enter_thread(dev->base.bus);
	fesetenv(FE_DFL_ENV);
	nnadev_bus_enter(dev->base.bus);
	for (;;) {
		dev->exec.seen = nnadev_event_read(&dev->exec.event);
		if (atomic_load(&dev->quit))
			break;
		if (!step(dev, NNADEV_FOREVER))
			idle(dev, NNADEV_FOREVER);
	}
	nnadev_bus_leave(dev->base.bus);
	return NULL;
}

bool nnadev_run(struct nnadev *dev, bool (*stop)(const void *context), const void *context,
		uint64_t until)
{
	bool left = true;
	fenv_t own;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	fegetenv(&own);
	fesetenv(FE_DFL_ENV);
	nnadev_bus_enter_thread(dev->base.bus);
	nnadev_bus_enter(dev->base.bus);
	while (left) {
		dev->exec.seen = nnadev_event_read(&dev->exec.event);
		if (stop(context) || (until != NNADEV_FOREVER && nnadev_clock_now() >= until)) {
			left = is_busy(dev);
			break;
		}
		left = step(dev, until);
	}
	nnadev_bus_leave(dev->base.bus);
	nnadev_bus_enter_thread(NULL);
	fesetenv(&own);
	pthread_setcancelstate(cancel, NULL);
	return left;
}

void nnadev_knock(struct nnadev *dev)
{
	nnadev_event_raise(&dev->exec.event);
}

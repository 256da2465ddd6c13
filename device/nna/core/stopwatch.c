// SPDX-License-Identifier: MIT
#include "device/nna/core/stopwatch.h"

/*
 * Writes what register RUN_TIME is computed from. A reader in between sees too short a time. One
 * whose device has lost its CPUs sees a time that is ahead by NNADEV_STOPWATCH_LONG at most.
 */
static void publish(const struct nnadev_stopwatch *watch, struct nnadev_ring *ring)
{
	const uint64_t ahead = watch->waits ? UINT64_MAX : NNADEV_STOPWATCH_LONG;

	atomic_store(&ring->resumed, 0);
	atomic_store(&ring->ran, watch->ran);
	/* It seldom changes, and a store costs as much as the rest. */
	if (atomic_load_explicit(&ring->ahead, memory_order_relaxed) != ahead)
		atomic_store(&ring->ahead, ahead);
	atomic_store(&ring->resumed, watch->resumed);
}

void nnadev_stopwatch_reset(struct nnadev_stopwatch *watch, struct nnadev_ring *ring)
{
	watch->ran = 0;
	watch->on = 0;
	watch->resumed = 0;
	watch->measured = false;
	watch->waits = false;
	publish(watch, ring);
}

void nnadev_stopwatch_resume(struct nnadev_stopwatch *watch, struct nnadev_ring *ring,
			     uint64_t now)
{
	watch->resumed = now;
	watch->since = now;
	watch->measured = false;
	publish(watch, ring);
}

/* Counts the time from @resumed to @now. */
static void count(struct nnadev_exec *exec, struct nnadev_stopwatch *watch, uint64_t now)
{
	uint64_t most = now > watch->resumed ? now - watch->resumed : 0, cpu;

	if (watch->measured && !watch->waits) {
		cpu = exec->cpu_since(exec->workers, &watch->cpu);
		most = cpu < most ? cpu : most;
	} else if (!watch->waits && most > NNADEV_STOPWATCH_SHORT) {
		/* A job is looked at more often than that, so what is beyond it had no CPU. */
		most = NNADEV_STOPWATCH_SHORT;
	}
	watch->ran += most;
}

void nnadev_stopwatch_settle(struct nnadev_exec *exec, struct nnadev_stopwatch *watch,
			     struct nnadev_ring *ring, uint64_t now)
{
	count(exec, watch, now);
	watch->resumed = now;
	if (!watch->measured)
		exec->cpu_since(exec->workers, &watch->cpu);
	watch->measured = true;
	publish(watch, ring);
}

void nnadev_stopwatch_wait(struct nnadev_stopwatch *watch, struct nnadev_ring *ring)
{
	watch->waits = true;
	publish(watch, ring);
}

uint64_t nnadev_stopwatch_pause(struct nnadev_exec *exec, struct nnadev_stopwatch *watch,
				struct nnadev_ring *ring)
{
	uint64_t now, busy;

	if (!watch->resumed)
		return 0;
	now = nnadev_clock_now();
	busy = now - watch->since;
	watch->on += busy;
	count(exec, watch, now);
	watch->resumed = 0;
	publish(watch, ring);
	return busy;
}

/* SPDX-License-Identifier: MIT */
/*
 * The run time of a job: the time in which the threads that compute it had a CPU.
 *
 * A large job and a busy machine are no errors, so time for which the machine gives its CPUs to
 * others does not count. Where several threads compute, that one counts which had a CPU for the
 * longest.
 *
 * To read a thread's CPU time is a system call. Most jobs are shorter than a millisecond, so this
 * one reads the clock of the machine, which is faster and never behind, until a job has run for
 * NNADEV_STOPWATCH_SHORT. Then it notes the CPU times, and from there on corrects what it has
 * counted by them every NNADEV_STOPWATCH_LONG: see nnadev_stopwatch_settle().
 */
#ifndef NNADEV_STOPWATCH_H
#define NNADEV_STOPWATCH_H

#include "device/nna/core/exec.h"
#include "device/nna/core/ring.h"

#define NNADEV_STOPWATCH_SHORT 1000000u
#define NNADEV_STOPWATCH_LONG 50000000u

/**
 * struct nnadev_stopwatch - the run time of a job
 * @ran: ns, without the time since @resumed
 * @resumed: nnadev_clock_now() time since which the job has been running, or 0 while it is not
 * @on: time for which it has been running by the machine's clock, without that since @since, in ns
 * @since: time since which it has been running without a pause
 * @measured: @cpu has the CPU times at @resumed
 * @waits: the job computes nothing, as an injected fault wants it: the machine's clock counts
 * @cpu: CPU times of the threads
 */
struct nnadev_stopwatch {
	uint64_t ran;
	uint64_t resumed;
	uint64_t on;
	uint64_t since;
	bool measured;
	bool waits;
	struct nnadev_cpu_times cpu;
};

/* The run time at @now, in ns. It may be ahead by what nnadev_stopwatch_settle() takes back. */
static inline uint64_t nnadev_stopwatch_read(const struct nnadev_stopwatch *watch, uint64_t now)
{
	return watch->ran + (watch->resumed && now > watch->resumed ? now - watch->resumed : 0);
}

/* The same by the machine's clock, which times of tiles are compared with. */
static inline uint64_t nnadev_stopwatch_on(const struct nnadev_stopwatch *watch, uint64_t now)
{
	return watch->on + (watch->resumed && now > watch->since ? now - watch->since : 0);
}

/* The time at which nnadev_stopwatch_settle() is due. */
static inline uint64_t nnadev_stopwatch_due(const struct nnadev_stopwatch *watch)
{
	return watch->waits ? NNADEV_FOREVER :
			      watch->resumed + (watch->measured ? NNADEV_STOPWATCH_LONG :
								  NNADEV_STOPWATCH_SHORT);
}

/* Begins at 0, for a job that does not run yet. Register RUN_TIME of @ring follows, as below. */
void nnadev_stopwatch_reset(struct nnadev_stopwatch *watch, struct nnadev_ring *ring);

/* The job goes on at @now. */
void nnadev_stopwatch_resume(struct nnadev_stopwatch *watch, struct nnadev_ring *ring,
			     uint64_t now);

/* Corrects the run time at @now by the CPU times, while the job runs. */
void nnadev_stopwatch_settle(struct nnadev_exec *exec, struct nnadev_stopwatch *watch,
			     struct nnadev_ring *ring, uint64_t now);

/* The job computes nothing from now on: the machine's clock counts until the stopwatch is reset. */
void nnadev_stopwatch_wait(struct nnadev_stopwatch *watch, struct nnadev_ring *ring);

/* The job is left. Return: how long it has been running, by the machine's clock; 0: it was not. */
uint64_t nnadev_stopwatch_pause(struct nnadev_exec *exec, struct nnadev_stopwatch *watch,
				struct nnadev_ring *ring);

#endif

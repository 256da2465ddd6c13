/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recovery from hangs: the schedulers' timeout, when a job has not ended in time.
 *
 * The device itself limits the run time of each job and gives each ring time slices, so there are
 * three cases. An interrupt was lost, and the completion is in memory. Or the job has only waited
 * for jobs of other rings. Or the device hangs: no job has ended for longer than the limits of run
 * time allow, and the counts of progress, which the device keeps in memory, stand still while it
 * answers. A device before ABI 1.3 has no such counts, and the first of both suffices. Where the
 * device hangs, one job is guilty: of the jobs
 * that the device has begun, the one with the longest run time. It is aborted; if it does not end,
 * the device is reset. Its context is banned when the job ends, by its completion or by the reset.
 */
#ifndef NNA_RECOVERY_H
#define NNA_RECOVERY_H

#include <linux/types.h>

struct nna_device;
struct nna_job;

/** nna_recovery_timeout() - &nna_job_ops.timeout: end what hangs; on the reset workqueue. */
void nna_recovery_timeout(struct nna_job *job);

/**
 * nna_recovery_abort_longest() - Abort the job that the device has run longest; for suspend.
 * @nna: the device; its schedulers are stopped.
 * @ms: for the log: how long the job has not yielded.
 *
 * The log names the job and its process. May sleep.
 *
 * Return: whether the job has ended. Else the device has begun no job, or does not take the ABORT.
 */
bool nna_recovery_abort_longest(struct nna_device *nna, unsigned int ms);

#endif

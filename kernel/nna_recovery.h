/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recovery from hangs: the schedulers' timeout, when a job has not ended in time.
 *
 * The device itself limits the run time of each job and gives each ring time slices, so there are
 * three cases. An interrupt was lost, and the completion is in memory. Or the job has only waited
 * for jobs of other rings. Or the device hangs. In the last case one job is guilty: of the jobs
 * that the device has begun, the one with the longest run time. It is aborted; if it does not end,
 * the device is reset. Its context is banned when the job ends, by its completion or by the reset.
 */
#ifndef NNA_RECOVERY_H
#define NNA_RECOVERY_H

struct nna_job;

/** nna_recovery_timeout() - &nna_job_ops.timeout: end what hangs; on the reset workqueue. */
void nna_recovery_timeout(struct nna_job *job);

#endif

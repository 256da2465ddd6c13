/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recovery from hangs: what happens when a job has not ended within the schedulers' timeout.
 *
 * The device itself limits the run time of each job and gives every ring its turns, so there are
 * three cases: an interrupt was lost, and the completion is in memory; the job has only waited for
 * jobs of other rings; or the device hangs. Then one job is to blame: the one that has run for the
 * longest of those that the device has begun. It is aborted, and if it does not end by that, the
 * device is reset. Its context is banned when it ends, by its completion or by the reset.
 */
#ifndef NNA_RECOVERY_H
#define NNA_RECOVERY_H

struct nna_job;

/** nna_recovery_timeout() - &nna_job_ops.timeout: end what hangs; on the reset workqueue. */
void nna_recovery_timeout(struct nna_job *job);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Profiles of jobs: a record of each command, in the memory that the ring entry names. Only the
 * command processor calls these, and they do nothing for a job without a profile.
 *
 *	open	the job begins: counts of what is there already
 *	begin	before a command is fetched
 *	enter	before a round of its tiles
 *	leave	after that
 *	end	the command has ended: its record
 *	close	the job ends: the counts
 */
#ifndef NNADEV_PROFILE_H
#define NNADEV_PROFILE_H

#include "device/nna/core/job.h"

/* Return: a status; memory that is not there faults. */
uint32_t nnadev_profile_open(struct nnadev_exec *exec, struct nnadev_job *job);
uint32_t nnadev_profile_end(struct nnadev_exec *exec, struct nnadev_job *job);

void nnadev_profile_begin(struct nnadev_job *job);
void nnadev_profile_enter(struct nnadev_exec *exec, struct nnadev_job *job);
void nnadev_profile_leave(struct nnadev_exec *exec, struct nnadev_job *job);
/* Counts that cannot be written are lost: the job has ended otherwise by then. */
void nnadev_profile_close(struct nnadev_exec *exec, struct nnadev_job *job);

#endif

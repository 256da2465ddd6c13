/* SPDX-License-Identifier: MIT */
/*
 * Profiles of jobs: a record for each command, in the memory that the ring entry names. Only the
 * command processor calls these functions. They do nothing for a job without a profile.
 *
 *	open	the job starts: reads the header with the counts so far
 *	begin	before a command is fetched
 *	enter	before a round of its tiles
 *	leave	after the round
 *	end	the command has ended: writes its record
 *	close	the job ends: writes the header
 */
#ifndef NNADEV_PROFILE_H
#define NNADEV_PROFILE_H

#include "device/nna/core/job.h"

/* Return: a status, which is a fault if the memory is not accessible. */
uint32_t nnadev_profile_open(struct nnadev_exec *exec, struct nnadev_job *job);
uint32_t nnadev_profile_end(struct nnadev_exec *exec, struct nnadev_job *job);

void nnadev_profile_begin(struct nnadev_job *job);
void nnadev_profile_enter(struct nnadev_exec *exec, struct nnadev_job *job);
void nnadev_profile_leave(struct nnadev_exec *exec, struct nnadev_job *job);
/* A header that cannot be written is lost: the status of the job is already decided. */
void nnadev_profile_close(struct nnadev_exec *exec, struct nnadev_job *job);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: a job: one run of a command stream.
 *
 * The stream is fetched in pieces, each word once, unless a BRANCH goes back. Between commands, and
 * between rounds of tiles, the job calls @pause of its machine.
 */
#ifndef ETHOSU_JOB_H
#define ETHOSU_JOB_H

#include <stdatomic.h>
#include <stdint.h>

#include "device/ethosu/machine.h"
#include "device/ethosu/strict.h"
#include "device/ethosu/stream.h"

/**
 * struct ethosu_job - a run of a stream
 * @machine: what it runs on
 * @address: bus address of the stream
 * @size: bytes of it
 * @regions: bus addresses of the regions
 * @interrupt: the stream asks for an interrupt, with a mask; may be NULL
 * @owner: handed to it
 * @strict: checks of the stream; NULL for none
 * @read: offset of the command that is being done, which any thread may read
 * @state: what the stream has set
 * @mask: of the STOP that has ended it
 */
struct ethosu_job {
	struct ethosu_machine *machine;
	uint64_t address;
	uint32_t size;
	uint64_t regions[ETHOSU_REGIONS];
	void (*interrupt)(void *owner, uint16_t mask);
	void *owner;
	struct ethosu_strict *strict;
	_Atomic uint32_t read;
	struct ethosu_state state;
	uint16_t mask;
};

/**
 * ethosu_job_run() - run the stream
 * @job: the job; what it does not set is zero. Its state begins as it stands.
 *
 * Return: 0 when it has reached STOP; ETHOSU_BUS(), ETHOSU_PARSE, ETHOSU_STOPPED or ETHOSU_MEMORY,
 * with @job->read at the command.
 */
uint32_t ethosu_job_run(struct ethosu_job *job);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One run of a stream, as the runtime asks for it. Only the winsys reads it, and gives it to the
 * driver or writes it to a ring; all other code passes the pointer on.
 */
#ifndef NNA_WINSYS_JOB_H
#define NNA_WINSYS_JOB_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct nna_job - one run of a stream
 * @stream_va: device address of the command stream
 * @stream_size: bytes of it
 * @start: byte offset in the stream at which to begin, from @resume of a report; 0: at the first
 *	command
 * @base_table_va: device address of the table of slots
 * @slot_count: its length
 * @report_va: device address of the report, which the device writes when the job has ended
 * @profile_va: device address of memory for a profile, to which the device appends; 0: none
 * @profile_size: its size in bytes
 * @budget_ns: how long it may run; 0: the device's job limit
 * @slice: when @budget_ns is used up the job yields before its next command, and is no error
 * @loop_limit_ns: how long its loops may run; 0: the device's job limit
 */
struct nna_job {
	uint64_t stream_va;
	uint32_t stream_size;
	uint32_t start;
	uint64_t base_table_va;
	uint32_t slot_count;
	uint64_t report_va;
	uint64_t profile_va;
	uint32_t profile_size;
	uint64_t budget_ns;
	uint64_t loop_limit_ns;
	bool slice;
};

#endif

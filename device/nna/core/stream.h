/* SPDX-License-Identifier: MIT */
/*
 * Command streams. Each byte is fetched once, from the job's address space into private memory, and
 * is checked there.
 */
#ifndef NNADEV_STREAM_H
#define NNADEV_STREAM_H

#include "device/nna/core/job.h"

/*
 * Fetch and check the header and the base table. Return: NNAHW_STATUS_OK, or the status with which
 * the job ends.
 */
uint32_t nnadev_stream_open(struct nnadev_exec *exec, struct nnadev_job *job);

/*
 * Fetch the command at @offset, which is less than the stream's end, into @at. Check its size, its
 * reserved fields and its operands against its description. Return: NNAHW_STATUS_OK, the status
 * with which the job ends, or NNADEV_STREAM_LONG when @at has no room for the command.
 */
#define NNADEV_STREAM_LONG UINT32_MAX
uint32_t nnadev_stream_fetch(struct nnadev_exec *exec, struct nnadev_job *job,
			     struct nnadev_instruction *at, uint32_t offset);

#endif

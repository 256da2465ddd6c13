/* SPDX-License-Identifier: MIT */
/*
 * Command streams: fetched from the job's address space into private memory, each byte once, and
 * checked there.
 */
#ifndef NNADEV_STREAM_H
#define NNADEV_STREAM_H

#include "device/nna/core/job.h"

/* Fetch and check the header and the base table. Return: NNAHW_STATUS_OK or how the job ends. */
uint32_t nnadev_stream_open(struct nnadev_exec *exec, struct nnadev_job *job);

/*
 * Fetch the command at @offset, which is below the stream's end, into @at, and check it by its
 * description: size, reserved fields, operands. Return: NNAHW_STATUS_OK or how the job ends; or
 * NNADEV_STREAM_LONG when @at has no room for it.
 */
#define NNADEV_STREAM_LONG UINT32_MAX
uint32_t nnadev_stream_fetch(struct nnadev_exec *exec, struct nnadev_job *job,
			     struct nnadev_instruction *at, uint32_t offset);

#endif

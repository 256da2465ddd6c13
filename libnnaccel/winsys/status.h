/* SPDX-License-Identifier: MIT */
/*
 * What a status of the hardware means to whoever submitted the job. nna.ko has the same table, so
 * an error is the same whether it comes with a fence or is read from a job's report.
 */
#ifndef NNA_WINSYS_STATUS_H
#define NNA_WINSYS_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* Return: 0 or a negative errno for an NNAHW_STATUS_*; -EIO for a value that is none of them. */
int nna_status_error(uint32_t status);
/* Return: whether the queue of a job that ended so takes no more jobs. */
bool nna_status_bans(uint32_t status);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the runtime keeps for a job beside its stream: a table of areas, which the winsys reads, and
 * a report, which the job's last command writes.
 */
#ifndef NNA_ETHOSU_TABLE_H
#define NNA_ETHOSU_TABLE_H

#include "libnnaccel/backend/ethosu/marker.h"

/**
 * struct nna_ethosu_table - the areas of a job
 * @areas: by slot; of size 0 for none
 */
struct nna_ethosu_table {
	struct {
		uint64_t address, size;
	} areas[NNA_ETHOSU_REGIONS];
};

/* Offsets in a report: what the job writes, and the constant that it writes. */
#define NNA_ETHOSU_REPORT_MARKER 0u
#define NNA_ETHOSU_REPORT_CONSTANT NNA_ETHOSU_MARKER_SIZE

#endif

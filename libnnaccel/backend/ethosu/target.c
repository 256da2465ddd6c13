// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/target.h"

#include <stddef.h>

/* Fields of CONFIG that make a difference to a compiler. */
#define MACS 0x0000000fu
#define SHRAM_SHIFT 8
#define SHRAM 0xffu

#define TABLE_BANKS 2u
#define BANK 1024u

/**
 * struct row - a configuration
 * @log2_macs: as in CONFIG
 */
struct row {
	enum nna_ethosu_generation generation;
	uint8_t log2_macs, streams;
	uint32_t input_memory, sum_memory;
};

static const struct row rows[] = {
	{ NNA_ETHOSU_U65, 8, 1, 0, 0 },
	{ NNA_ETHOSU_U65, 9, 2, 0, 0 },
	{ NNA_ETHOSU_U85, 7, 1, 8192, 8192 },
	{ NNA_ETHOSU_U85, 8, 1, 16384, 16384 },
	{ NNA_ETHOSU_U85, 9, 2, 16384, 32768 },
	{ NNA_ETHOSU_U85, 10, 4, 16384, 65536 },
	{ NNA_ETHOSU_U85, 11, 4, 32768, 131072 },
};

bool nna_ethosu_target_read(uint32_t config, struct nna_ethosu_target *target)
{
	const enum nna_ethosu_generation generation = nna_ethosu_generation(config);
	const uint32_t banks = config >> SHRAM_SHIFT & SHRAM;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		const bool shares = row->generation == NNA_ETHOSU_U65;

		if (row->generation != generation || row->log2_macs != (config & MACS))
			continue;
		/* CONFIG counts the banks of all cores; each has tables of its own. */
		if (shares && banks / row->streams <= TABLE_BANKS)
			return false;
		*target = (struct nna_ethosu_target){
			.generation = generation,
			.macs = 1u << row->log2_macs,
			.streams = row->streams,
			.input_memory = row->input_memory,
			.sum_memory = row->sum_memory,
			.tables = shares ? (banks / row->streams - TABLE_BANKS) * BANK : 0,
		};
		return true;
	}
	return false;
}

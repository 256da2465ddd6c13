// SPDX-License-Identifier: MIT
#include "device/ethosu/config.h"

#include <stddef.h>
#include <string.h>

#define U65(macs_, streams_, config_, shram_)                                                      \
	{                                                                                          \
		.name = "ethos-u65-" #macs_, .summary = "Arm Ethos-U65, " #macs_ " MACs",          \
		.generation = ETHOSU_U65, .macs = macs_, .streams = streams_, .id = 0x10066001,    \
		.config = config_, .internal = shram_, .lut = (shram_) - 2048, .counters = 4,      \
	}

#define U85(macs_, streams_, config_)                                                              \
	{                                                                                          \
		.name = "ethos-u85-" #macs_, .summary = "Arm Ethos-U85, " #macs_ " MACs",          \
		.generation = ETHOSU_U85, .macs = macs_, .streams = streams_, .id = 0x20007000,    \
		.config = config_, .internal = 2048, .lut = 0, .counters = 8,                      \
	}

const struct ethosu_config ethosu_configs[ETHOSU_CONFIGS] = {
	U65(256, 1, 0x10003008, 49152),
	/* Each of the two cores has 48 KiB of SHRAM, with the lookup tables at the same place. */
	U65(512, 2, 0x10006009, 49152),
	U85(128, 1, 0x20000117),
	U85(256, 1, 0x20000118),
	U85(512, 2, 0x20001119),
	U85(1024, 4, 0x2000251a),
	U85(2048, 4, 0x2000261b),
};

const struct ethosu_config *ethosu_config_find(const char *name)
{
	for (size_t i = 0; i < ETHOSU_CONFIGS; i++)
		if (strcmp(name, ethosu_configs[i].name) == 0)
			return &ethosu_configs[i];
	return NULL;
}

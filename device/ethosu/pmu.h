/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: performance counters.
 *
 * A cycle is a nanosecond. What the model can count is: cycles, those in which a job runs or none,
 * and those in which all multipliers work. Counters of other events stay 0. Counters are advanced
 * when a register is used and when a job begins or ends, and overflows are seen then.
 */
#ifndef ETHOSU_PMU_H
#define ETHOSU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "device/ethosu/config.h"

#define ETHOSU_PMU_COUNTERS 8u

enum ethosu_event {
	ETHOSU_EVENT_CYCLE = 0x11,
	ETHOSU_EVENT_IDLE = 0x20,
	ETHOSU_EVENT_ACTIVE = 0x23,
	ETHOSU_EVENT_MAC_ACTIVE = 0x30,
};

/**
 * struct ethosu_pmu - the counters; whoever uses them locks
 * @config: the configuration
 * @enabled: PMCR: counters count
 * @counting: bit for each counter; 31 for cycles
 * @overflow: bit for each counter
 * @interrupts: bit for each counter: its overflow raises an interrupt
 * @pending: an overflow has raised one, which nobody has taken yet
 * @cycles: counter of cycles, 48 bits
 * @cycle_config: PMCCNTR_CFG: kept
 * @counts: event counters
 * @events: what they count
 */
struct ethosu_pmu {
	const struct ethosu_config *config;
	uint32_t enabled;
	uint32_t counting;
	uint32_t overflow;
	uint32_t interrupts;
	bool pending;
	uint64_t cycles;
	uint32_t cycle_config;
	uint32_t counts[ETHOSU_PMU_COUNTERS];
	uint32_t events[ETHOSU_PMU_COUNTERS];
};

void ethosu_pmu_reset(struct ethosu_pmu *pmu, const struct ethosu_config *config);

/* Time has passed: @cycles, of which @active with a job, and @macs products. */
void ethosu_pmu_advance(struct ethosu_pmu *pmu, uint64_t cycles, uint64_t active, uint64_t macs);

/* Whether a counter has overflowed since the last call, whose interrupt is enabled. */
bool ethosu_pmu_take_interrupt(struct ethosu_pmu *pmu);

/* Registers, by offset from the first one of the PMU. */
uint32_t ethosu_pmu_read(const struct ethosu_pmu *pmu, uint32_t offset);
void ethosu_pmu_write(struct ethosu_pmu *pmu, uint32_t offset, uint32_t value);

#endif

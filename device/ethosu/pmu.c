// SPDX-License-Identifier: MIT
#include "device/ethosu/pmu.h"

#include <string.h>

#include "device/ethosu/registers.h"

#define CYCLES_MASK 0xffffffffffffull
#define CYCLES_BIT (1u << 31)

void ethosu_pmu_reset(struct ethosu_pmu *pmu, const struct ethosu_config *config)
{
	memset(pmu, 0, sizeof(*pmu));
	pmu->config = config;
}

static uint32_t counter_bits(const struct ethosu_pmu *pmu)
{
	return CYCLES_BIT | ((1u << pmu->config->counters) - 1);
}

static void overflow(struct ethosu_pmu *pmu, uint32_t bit)
{
	pmu->overflow |= bit;
	if (pmu->interrupts & bit)
		pmu->pending = true;
}

bool ethosu_pmu_take_interrupt(struct ethosu_pmu *pmu)
{
	bool pending = pmu->pending;

	pmu->pending = false;
	return pending;
}

void ethosu_pmu_advance(struct ethosu_pmu *pmu, uint64_t cycles, uint64_t active, uint64_t macs)
{
	if (!pmu->enabled)
		return;
	if (pmu->counting & CYCLES_BIT) {
		if (pmu->cycles + cycles > CYCLES_MASK)
			overflow(pmu, CYCLES_BIT);
		pmu->cycles = (pmu->cycles + cycles) & CYCLES_MASK;
	}
	for (uint32_t i = 0; i < pmu->config->counters; i++) {
		uint64_t count = 0;

		if (!(pmu->counting >> i & 1))
			continue;
		if (pmu->events[i] == ETHOSU_EVENT_CYCLE)
			count = cycles;
		else if (pmu->events[i] == ETHOSU_EVENT_IDLE)
			count = cycles - active;
		else if (pmu->events[i] == ETHOSU_EVENT_ACTIVE)
			count = active;
		else if (pmu->events[i] == ETHOSU_EVENT_MAC_ACTIVE)
			count = (macs + pmu->config->macs - 1) / pmu->config->macs;
		if (pmu->counts[i] + count > UINT32_MAX)
			overflow(pmu, 1u << i);
		pmu->counts[i] += (uint32_t)count;
	}
}

uint32_t ethosu_pmu_read(const struct ethosu_pmu *pmu, uint32_t offset)
{
	uint32_t last = 4 * pmu->config->counters;

	switch (offset) {
	case ETHOSU_PMU_PMCR:
		return pmu->enabled | pmu->config->counters << ETHOSU_PMCR_COUNTERS_SHIFT;
	case ETHOSU_PMU_CNTENSET:
	case ETHOSU_PMU_CNTENCLR:
		return pmu->counting;
	case ETHOSU_PMU_OVSSET:
	case ETHOSU_PMU_OVSCLR:
		return pmu->overflow;
	case ETHOSU_PMU_INTSET:
	case ETHOSU_PMU_INTCLR:
		return pmu->interrupts;
	case ETHOSU_PMU_CCNTR:
		return (uint32_t)pmu->cycles;
	case ETHOSU_PMU_CCNTR_HI:
		return (uint32_t)(pmu->cycles >> 32);
	case ETHOSU_PMU_CCNTR_CFG:
		return pmu->cycle_config;
	}
	if (offset >= ETHOSU_PMU_EVCNTR && offset < ETHOSU_PMU_EVCNTR + last)
		return pmu->counts[(offset - ETHOSU_PMU_EVCNTR) / 4];
	if (offset >= ETHOSU_PMU_EVTYPER && offset < ETHOSU_PMU_EVTYPER + last)
		return pmu->events[(offset - ETHOSU_PMU_EVTYPER) / 4];
	return 0;
}

void ethosu_pmu_write(struct ethosu_pmu *pmu, uint32_t offset, uint32_t value)
{
	uint32_t last = 4 * pmu->config->counters;

	switch (offset) {
	case ETHOSU_PMU_PMCR:
		pmu->enabled = value & ETHOSU_PMCR_ENABLE;
		if (value & ETHOSU_PMCR_EVENT_RESET)
			memset(pmu->counts, 0, sizeof(pmu->counts));
		if (value & ETHOSU_PMCR_CYCLE_RESET)
			pmu->cycles = 0;
		return;
	case ETHOSU_PMU_CNTENSET:
		pmu->counting |= value & counter_bits(pmu);
		return;
	case ETHOSU_PMU_CNTENCLR:
		pmu->counting &= ~value;
		return;
	case ETHOSU_PMU_OVSSET:
		pmu->overflow |= value & counter_bits(pmu);
		return;
	case ETHOSU_PMU_OVSCLR:
		pmu->overflow &= ~value;
		return;
	case ETHOSU_PMU_INTSET:
		pmu->interrupts |= value & counter_bits(pmu);
		return;
	case ETHOSU_PMU_INTCLR:
		pmu->interrupts &= ~value;
		return;
	case ETHOSU_PMU_CCNTR:
		pmu->cycles = (pmu->cycles & ~0xffffffffull) | value;
		return;
	case ETHOSU_PMU_CCNTR_HI:
		pmu->cycles = (pmu->cycles & 0xffffffffull) | (uint64_t)(value & 0xffff) << 32;
		return;
	case ETHOSU_PMU_CCNTR_CFG:
		pmu->cycle_config = value;
		return;
	}
	if (offset >= ETHOSU_PMU_EVCNTR && offset < ETHOSU_PMU_EVCNTR + last)
		pmu->counts[(offset - ETHOSU_PMU_EVCNTR) / 4] = value;
	else if (offset >= ETHOSU_PMU_EVTYPER && offset < ETHOSU_PMU_EVTYPER + last)
		pmu->events[(offset - ETHOSU_PMU_EVTYPER) / 4] = value & 0x3ff;
}

/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: DMA_START: copies between regions, and to and from internal memory.
 *
 * A copy is of @length bytes; of two dimensions it is repeated size 0 times, of three that size 1
 * times. On a U85 the settings are strides from one copy to the next. On a U65 they are named
 * skips; this model takes a skip for the gap between two copies. No compiler was seen to use skips.
 * With indices (U85) copy k of one side is at index[k] times stride 0.
 */
#ifndef ETHOSU_DMA_H
#define ETHOSU_DMA_H

#include "device/ethosu/machine.h"
#include "device/ethosu/stream.h"

/* Return: 0 or a status. */
uint32_t ethosu_dma_run(struct ethosu_machine *machine, const struct ethosu_state *state,
			const uint64_t regions[ETHOSU_REGIONS]);

#endif

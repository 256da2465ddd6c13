/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the internal memory that blocks of an operation take.
 *
 * The hardware computes the OFM in blocks. For each block it holds a part of the IFM and the
 * accumulators. It has room for two blocks, because it moves the data of one while it computes the
 * other.
 *
 * U65: SHRAM, in banks of 1 KiB. Banks 0 and 1 hold outputs, the last two the lookup tables. The
 * stream says where the IFM's part ends (IFM_IB_END), where that of IFM2 begins (IFM2_IB_START) and
 * where accumulators begin (AB_START). U85: a memory each for IFM and for accumulators, which have
 * both buffers in them; elementwise operations have no accumulators.
 *
 * The model needs none of it: strict.h asks whether blocks fit.
 */
#ifndef ETHOSU_BLOCK_H
#define ETHOSU_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "device/ethosu/config.h"
#include "device/ethosu/operation.h"

#define ETHOSU_BANK 1024u
#define ETHOSU_OUTPUT_BANKS 2u
#define ETHOSU_TABLE_BANKS 2u

/**
 * struct ethosu_block_needs - memory of a block
 * @ifm: bytes of its part of the IFM, or of the greater of two inputs
 * @sums: bytes of its accumulators; 0 where there are none
 */
struct ethosu_block_needs {
	uint64_t ifm;
	uint64_t sums;
};

/**
 * ethosu_block_needs() - memory that a block of an operation takes at least
 * @config: the configuration
 * @op: the operation
 * @sum_bits: of an accumulator
 */
struct ethosu_block_needs ethosu_block_needs(const struct ethosu_config *config,
					     const struct ethosu_operation *op, uint32_t sum_bits);

/* Channels of a block of the IFM, at least. */
uint32_t ethosu_block_ifm_depth(const struct ethosu_config *config,
				const struct ethosu_operation *op);

/* U65: banks that two blocks take, each of @bytes bytes. */
uint64_t ethosu_block_banks(uint64_t bytes);

/* U85: bytes of the memory of the IFM, and of that of accumulators. */
struct ethosu_block_needs ethosu_block_memory(const struct ethosu_config *config);

#endif

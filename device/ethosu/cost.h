/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: what an operation costs: bytes on each port, and an estimate of cycles.
 *
 * Nothing is measured on silicon. The estimate is made of what is public of the hardware, as Vela
 * makes its own:
 *
 *	The multipliers take cycles for each microblock of an OFM block and each step of the
 *	kernel; the output stage takes cycles for each element. Both work at the same time, on
 *	different blocks; a block is issued each quarter of the time that one takes at most.
 *	Before the first block its inputs are read, and after the last its result is written.
 *	A block reads the part of the IFM that it needs, for each block of channels again; the
 *	weights are read again for each block of rows and columns. Transfers are bursts: those
 *	that are shorter than a burst take the time of one.
 *	An operation takes as long as the slowest of these: the NPU, and each port.
 *
 * Which memory a region is in is the caller's to say: the NPU has a port for on-chip SRAM and one
 * for the memory outside. In the addresses of an operation the bits from
 * ETHOSU_COST_REGION_SHIFT on are the region.
 */
#ifndef ETHOSU_COST_H
#define ETHOSU_COST_H

#include <stdint.h>

#include "device/ethosu/config.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/stream.h"

#define ETHOSU_COST_REGION_SHIFT 48

enum ethosu_memory {
	ETHOSU_SRAM,
	ETHOSU_DRAM,
	ETHOSU_MEMORIES,
};

/**
 * struct ethosu_cost - what an operation costs
 * @macs: products
 * @bytes: that pass each port
 * @npu: cycles of the NPU, if memory were never late
 * @ports: cycles of each port
 */
struct ethosu_cost {
	uint64_t macs;
	uint64_t bytes[ETHOSU_MEMORIES];
	uint64_t npu;
	uint64_t ports[ETHOSU_MEMORIES];
};

/* Cycles of the whole operation, if nothing else runs. */
uint64_t ethosu_cost_cycles(const struct ethosu_cost *cost);

/**
 * ethosu_cost_kernel() - the cost of an operation on feature maps
 * @config: the configuration
 * @op: the operation
 * @memories: by region
 */
struct ethosu_cost ethosu_cost_kernel(const struct ethosu_config *config,
				      const struct ethosu_operation *op,
				      const enum ethosu_memory memories[ETHOSU_REGIONS]);

/**
 * ethosu_cost_dma() - the cost of the DMA that the state describes
 * @config: the configuration
 * @state: the state
 * @memories: by region
 */
struct ethosu_cost ethosu_cost_dma(const struct ethosu_config *config,
				   const struct ethosu_state *state,
				   const enum ethosu_memory memories[ETHOSU_REGIONS]);

/**
 * struct ethosu_clock - when the operations of a stream end; 0 before the first command
 * @issue: when the next command is looked at
 * @kernels: ends of the last two kernels, the older one first: no more are under way
 * @dmas: of the last four DMAs; a U65 has two under way
 *
 * Kernels run one after the other, and so do DMAs, beside the kernels. That both share ports is not
 * counted.
 */
struct ethosu_clock {
	uint64_t issue;
	uint64_t kernels[2];
	uint64_t dmas[4];
};

/* Adds an operation that takes @cycles: of the NPU's kernels, or of its DMA. */
void ethosu_clock_kernel(struct ethosu_clock *clock, uint64_t cycles);
void ethosu_clock_dma(struct ethosu_clock *clock, const struct ethosu_config *config,
		      uint64_t cycles);

/* KERNEL_WAIT, DMA_WAIT: wait until at most @left are under way. */
void ethosu_clock_wait_kernels(struct ethosu_clock *clock, uint32_t left);
void ethosu_clock_wait_dmas(struct ethosu_clock *clock, uint32_t left);

/* When all has ended. */
uint64_t ethosu_clock_end(const struct ethosu_clock *clock);

#endif

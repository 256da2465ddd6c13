/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: what a stream does that works here, where operations run one after the other, and may
 * not work where they overlap; and what no encoding means. For authors of compilers.
 *
 * The hardware has up to 2 kernels (operations on feature maps) under way and up to 2 DMAs (U85:
 * 4). Kernels start in order, and so do DMAs; both run at the same time. DMA_WAIT lets a kernel
 * wait for DMAs, and KERNEL_WAIT lets a DMA wait for kernels. BLOCKDEP is the number of blocks of
 * the kernel before that may be unfinished when the first blocks of a kernel begin. These are
 * reported, with the offset in the stream:
 *
 *	a kernel that touches bytes of a DMA which no DMA_WAIT has waited for, and the reverse
 *	BLOCKDEP higher than blocks of both operations allow
 *	addresses and lengths that are not multiples of 16 bytes where they have to be
 *	settings that an operation takes and that the stream has not made
 *	bits that no field has
 *	blocks that are too large, and blocks whose inputs or accumulators do not fit (block.h)
 *
 * No public source says in which order DMAs end, how large the chain and output buffers of a U85
 * are, and how blocks depend on each other if two maps share a buffer in other ways. Nothing is
 * reported of these.
 */
#ifndef ETHOSU_STRICT_H
#define ETHOSU_STRICT_H

#include <stdbool.h>
#include <stdint.h>

#include "device/ethosu/config.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/stream.h"

#define ETHOSU_STRICT_RANGES 20u
#define ETHOSU_STRICT_DMAS 4u
#define ETHOSU_STRICT_KERNELS 2u
#define ETHOSU_STRICT_REPORTS 32u /* of a job; the others are counted */

/**
 * struct ethosu_access - bytes that are read or written
 * @first: address of the first
 * @last: address of the last
 * @write: they are written
 * @internal: of internal memory; else of the bus
 */
struct ethosu_access {
	uint64_t first;
	uint64_t last;
	bool write;
	bool internal;
};

/**
 * struct ethosu_accesses - what an operation touches
 * @offset: of the operation, in the stream
 * @count: of @items
 * @items: ranges
 */
struct ethosu_accesses {
	uint32_t offset;
	uint32_t count;
	struct ethosu_access items[ETHOSU_STRICT_RANGES];
};

/**
 * struct ethosu_strict - the state of the checks
 * @config: the configuration
 * @report: takes a line for people
 * @owner: handed to it
 * @offset: of the command
 * @reports: of this job
 * @shorts: settings of one word that were made, by opcode - 0x100
 * @longs: settings of two words, by opcode
 * @dmas: under way, the oldest first
 * @dma_count: of them
 * @kernels: likewise
 * @kernel_count: of them
 * @last: the kernel before, if there is one
 * @has_last: there is
 */
struct ethosu_strict {
	const struct ethosu_config *config;
	void (*report)(void *owner, const char *line);
	void *owner;
	uint32_t offset;
	uint32_t reports;
	bool shorts[ETHOSU_SHORT_CODES];
	bool longs[ETHOSU_LONG_CODES];
	struct ethosu_accesses dmas[ETHOSU_STRICT_DMAS];
	uint32_t dma_count;
	struct ethosu_accesses kernels[ETHOSU_STRICT_KERNELS];
	uint32_t kernel_count;
	struct ethosu_operation last;
	bool has_last;
};

/* Before the first command of a job. @report and @owner stay. */
void ethosu_strict_begin(struct ethosu_strict *strict, const struct ethosu_config *config);

/* A command, before it is done. @state is as it stands. */
void ethosu_strict_command(struct ethosu_strict *strict, const struct ethosu_state *state,
			   const struct ethosu_command *command, uint32_t offset);

/* A kernel, before it is done. */
void ethosu_strict_kernel(struct ethosu_strict *strict, const struct ethosu_state *state,
			  const struct ethosu_operation *op);

/* A DMA, before it is done. */
void ethosu_strict_dma(struct ethosu_strict *strict, const struct ethosu_state *state,
		       const uint64_t regions[ETHOSU_REGIONS]);

#endif

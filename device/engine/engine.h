/* SPDX-License-Identifier: MIT */
/*
 * The engine: what the commands compute. Pure: no OS calls, no locks, no allocation, no global
 * state that changes.
 *
 * Data and ownership
 *
 * The command processor hands in a command that it has fetched into private memory and checked
 * generically (opcode, size, reserved bits, operand types, ranks and extents), with every present
 * operand resolved to a host pointer at which all its elements can be reached: element (i0, i1,
 * ...) is at data + element size * sum(i_k * strides[k]). Data of operands may change under the
 * engine at any time (a guest owns it): nothing read from it may be trusted twice, and indices read
 * from it are checked after one read.
 *
 * nnadev_engine_prepare() checks what is left (relations of shapes and parameters), picks a kernel and
 * cuts the work into tiles. Tiles are independent of each other: any thread may run any tile, in
 * any order, at most once each, and the command processor preempts between tiles; so a tile should
 * take from 20 us to 1 ms. A plan lives in the caller's memory and holds no resources. Scratch
 * memory is the caller's: one block per thread, of scratch_size bytes, 64-byte aligned,
 * uninitialised. Commands that need memory shared by their tiles ask for shared_size; a plan with
 * phases has several rounds of tiles with a barrier between them (phase p has phase_tiles[p]
 * tiles). Work of which each step needs the one before is cut by a phase that is run again and
 * again: the last but one, plan->repeats times.
 */
#ifndef NNADEV_ENGINE_H
#define NNADEV_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/gen/nnahw.h"

#define NNADEV_ENGINE_MAX_PHASES 4u
/* Bytes per thread, also of shared memory: more is NO_MEMORY. */
#define NNADEV_ENGINE_MAX_SCRATCH (64u << 20)

/**
 * struct nnadev_engine_operand - an operand resolved to host memory
 * @desc: the checked descriptor; absent operands have slot NNAHW_SLOT_NONE and type NONE
 * @data: host address of element (0, 0, ...); NULL when absent or without elements
 * @count: product of the dims, at most 2^31 - 1 (0 when a dim is 0; 1 for rank 0)
 * @contiguous: the strides are the row-major ones of the dims
 */
struct nnadev_engine_operand {
	struct nnahw_tensor desc;
	void *data;
	uint32_t count;
	bool contiguous;
};

/**
 * struct nnadev_engine_command - a command ready to be checked and run
 * @raw: the command as fetched, of its opcode's struct nnadev_cmd_*
 * @operands: in the order of the description
 * @operand_count: entries of @operands
 * @entropy: another number in each run
 */
struct nnadev_engine_command {
	const struct nnahw_command *raw;
	uint32_t operand_count;
	uint64_t entropy;
	struct nnadev_engine_operand operands[NNAHW_MAX_OPERANDS];
};

struct nnadev_engine_plan;

/**
 * typedef nnadev_engine_tile_fn - run one tile
 * @scratch: this thread's block, plan->scratch_size bytes
 * @shared: the command's block, plan->shared_size bytes, same for all tiles
 *
 * Return: an enum nnahw_status; the first tile that returns other than OK ends the command with it.
 */
typedef uint32_t (*nnadev_engine_tile_fn)(const struct nnadev_engine_command *cmd,
					  const struct nnadev_engine_plan *plan, uint32_t phase,
					  uint32_t tile, void *scratch, void *shared);

/**
 * struct nnadev_engine_plan - how a command is run
 * @run: runs a tile
 * @phases: 1 to NNADEV_ENGINE_MAX_PHASES; 0 when there is nothing to do
 * @phase_tiles: tiles per phase
 * @repeats: how often the phase before the last is run; 0 is once
 * @scratch_size: bytes per thread
 * @shared_size: bytes for all tiles together
 * @bad_operand: set when the status is BAD_OPERAND: index of the operand at fault
 * @priv: the kernel's own numbers (block sizes and the like)
 */
struct nnadev_engine_plan {
	nnadev_engine_tile_fn run;
	uint32_t phases;
	uint32_t phase_tiles[NNADEV_ENGINE_MAX_PHASES];
	uint32_t repeats;
	uint32_t scratch_size;
	uint32_t shared_size;
	uint32_t bad_operand;
	uint64_t priv[16];
};

/* Kernels by instruction set; each has those before it, too. */
enum nnadev_engine_isa { NNADEV_ENGINE_SCALAR, NNADEV_ENGINE_AVX2 };

/* Best instruction set of this machine. */
enum nnadev_engine_isa nnadev_engine_isa_detect(void);

/**
 * nnadev_engine_prepare() - check a command's shapes and parameters and plan its run
 * @isa: kernels allowed
 * @threads: threads that will run tiles; a hint for cutting
 * @cmd: the command
 * @plan: written
 *
 * Return: NNAHW_STATUS_OK, BAD_COMMAND (parameter value), BAD_OPERAND (absent or wrong type),
 * BAD_SHAPE or NO_MEMORY.
 */
uint32_t nnadev_engine_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			       const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan);

#endif

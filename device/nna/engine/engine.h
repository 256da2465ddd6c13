/* SPDX-License-Identifier: MIT */
/*
 * The engine computes commands. It makes no OS calls, takes no locks, allocates nothing and has no
 * global state that changes.
 *
 * Commands
 *
 * The command processor passes a command that it has fetched into private memory and checked
 * generically (opcode, size, reserved bits, operand types, ranks and extents). Every present
 * operand is resolved to a host pointer that reaches all its elements: element (i0, i1, ...) is at
 *
 *   data + element size * sum(i_k * strides[k])
 *
 * A guest owns the data of operands and may change it at any time. Two reads of an element may give
 * two values, so a kernel reads an index once, checks it and does not read it again.
 *
 * Plans and tiles
 *
 * nnadev_engine_prepare() checks the relations of shapes and parameters, picks a kernel from the
 * table (kernel.h) and lets it cut the work into tiles. Tiles are independent of each other: any
 * thread may run any tile, in any order, each at most once. The command processor preempts between
 * tiles, so a tile should take 20 us to 1 ms. A plan lives in the caller's memory and holds no
 * resources.
 *
 * A plan of several phases has a barrier between phases; phase p has phase_tiles[p] tiles. If each
 * step of the work needs the step before, the phase has several rounds. Each round runs all tiles
 * of the phase, with a barrier after each round. The caller that runs the tiles writes the number
 * of the round, from 0 on, to plan->round. The caller may stop after any tile, for good or to
 * continue later.
 *
 * Memory
 *
 *   scratch  one block per thread, of scratch_size bytes, 64-byte aligned, uninitialised
 *   shared   one block for all tiles of a command, of shared_size bytes, likewise
 *
 * The caller owns both.
 */
#ifndef NNADEV_ENGINE_H
#define NNADEV_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hw/gen/nnahw.h"

#define NNADEV_ENGINE_MAX_PHASES 4u
/*
 * Limit of the bytes of a block of scratch or shared memory. A command that needs more ends with
 * NO_MEMORY.
 */
#define NNADEV_ENGINE_MAX_SCRATCH (64u << 20)
/* Bytes of the state that a kernel may keep in a plan. */
#define NNADEV_ENGINE_STATE_SIZE 640u

/**
 * struct nnadev_engine_operand - an operand resolved to host memory
 * @desc: the checked descriptor; an absent operand has slot NNAHW_SLOT_NONE and type NONE
 * @data: host address of element (0, 0, ...); NULL if absent or without elements
 * @count: product of the dims, at most 2^31 - 1 (0 if a dim is 0; 1 for rank 0)
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
 * @raw: the command as fetched, of its opcode's struct nnahw_cmd_*
 * @operand_count: entries of @operands
 * @entropy: a number that differs from run to run
 * @operands: in the order of hw/nna.toml
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
 * @cmd: the command of nnadev_engine_prepare(), at the same address; operands' data may have moved
 * @plan: as prepared
 * @phase: of the plan
 * @tile: of the phase
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
 * @phases: 1 to NNADEV_ENGINE_MAX_PHASES; 0 if there is nothing to do
 * @phase_tiles: tiles of each phase
 * @rounds: rounds of each phase; 0 means 1
 * @counted: bit p: phase p runs rounds until counter p is 0. The counters are the first uint32_t of
 *	shared memory, one for each phase, and tiles count them down. @rounds of the phase is
 *	ignored.
 * @round: the current round
 * @scratch_size: bytes per thread
 * @shared_size: bytes for all tiles together
 * @bad_operand: set if the status is BAD_OPERAND: index of the operand at fault
 * @per_tile: pieces of work in a tile, if the kernel counts pieces
 * @pieces: number of pieces
 * @steps: rounds that a piece takes if it is more than a tile; else 0
 * @form: shared by kernels that decide together which of them runs a command: the decision of the
 *	first one asked; 0 if it is open
 * @state: the command as the kernel decoded it, so that tiles need not decode it again. The
 *	kernel's own struct, which may point into the command but not to the data of operands
 */
struct nnadev_engine_plan {
	nnadev_engine_tile_fn run;
	uint32_t phases;
	uint32_t phase_tiles[NNADEV_ENGINE_MAX_PHASES];
	uint64_t rounds[NNADEV_ENGINE_MAX_PHASES];
	uint64_t round;
	uint32_t counted;
	uint32_t scratch_size;
	uint32_t shared_size;
	uint32_t bad_operand;
	uint32_t per_tile;
	uint32_t pieces;
	uint32_t steps;
	uint32_t form;
	_Alignas(16) uint8_t state[NNADEV_ENGINE_STATE_SIZE];
};

/* True if the round that has just run is the last one of its phase. */
static inline bool nnadev_engine_round_is_last(const struct nnadev_engine_plan *plan,
					       uint32_t phase, const void *shared)
{
	if (plan->counted >> phase & 1)
		return !atomic_load((const _Atomic uint32_t *)shared + phase);
	return plan->round + 1 >= plan->rounds[phase];
}

/*
 * Instruction sets, better ones last. VECTOR is the vector kernels in plain C (simd/scalar.h), for
 * tests: every CPU has it, and it is used only if it is asked for. AVX2 includes FMA and F16C;
 * AVX-512 includes F, BW, DQ, VL and VNNI. AVX-VNNI has the dot products of VNNI on AVX2 registers:
 * a CPU may have AVX-VNNI without AVX-512, or AVX-512 without AVX-VNNI. Every 64-bit Arm has NEON.
 * DOTPROD is the dot products of Armv8.2, I8MM the products of 8-bit matrices of Armv8.6.
 */
enum nnadev_engine_isa {
	NNADEV_ENGINE_SCALAR,
	NNADEV_ENGINE_VECTOR,
#ifdef __aarch64__
	NNADEV_ENGINE_NEON,
	NNADEV_ENGINE_DOTPROD,
	NNADEV_ENGINE_I8MM,
#else
	NNADEV_ENGINE_AVX2,
	NNADEV_ENGINE_AVXVNNI,
	NNADEV_ENGINE_AVX512,
#endif
	NNADEV_ENGINE_ISAS, /* number of entries */
};

/* True if this machine can run the kernels of an instruction set. */
bool nnadev_engine_isa_has(enum nnadev_engine_isa isa);

/* Return: the best instruction set of this machine. */
enum nnadev_engine_isa nnadev_engine_isa_detect(void);

/*
 * Return: the best other instruction set that every machine with @isa has. Its kernels run commands
 * that no kernel of @isa accepts. SCALAR for SCALAR.
 */
enum nnadev_engine_isa nnadev_engine_isa_below(enum nnadev_engine_isa isa);

/* Return: name of an instruction set, such as "scalar" or "avx2"; a static string. */
const char *nnadev_engine_isa_name(enum nnadev_engine_isa isa);

/**
 * nnadev_engine_prepare() - check a command's shapes and parameters and plan its run
 * @isa: best instruction set allowed; kernels of the sets below it are allowed as well
 * @threads: threads that will run tiles; a hint for cutting
 * @cmd: the command
 * @plan: written
 *
 * Reads no element of an operand, because the command before may still run.
 *
 * Return: NNAHW_STATUS_OK, BAD_COMMAND (parameter value), BAD_OPERAND (absent or wrong type),
 * BAD_SHAPE or NO_MEMORY.
 */
uint32_t nnadev_engine_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			       const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan);

#endif

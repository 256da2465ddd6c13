/* SPDX-License-Identifier: MIT */
/*
 * The engine: what the commands compute. It makes no OS calls, takes no locks, allocates nothing
 * and has no global state that changes.
 *
 * Commands
 *
 * The command processor hands in a command that it has fetched into private memory and checked
 * generically (opcode, size, reserved bits, operand types, ranks and extents). Every present
 * operand is resolved to a host pointer at which all its elements can be reached: element
 * (i0, i1, ...) is at
 *
 *   data + element size * sum(i_k * strides[k])
 *
 * A guest owns the data of operands and may change it at any time: who reads an element twice may
 * read two values, and an index is checked after one read and not read again.
 *
 * Plans and tiles
 *
 * nnadev_engine_prepare() checks what is left (relations of shapes and parameters), picks a kernel
 * from the table (kernel.h) and has it cut the work into tiles. Tiles are independent of each
 * other: any thread may run any tile, in any order, each at most once. The command processor
 * preempts between tiles, so a tile should take from 20 us to 1 ms. A plan lives in the caller's
 * memory and holds no resources.
 *
 * A plan of several phases has a barrier between them: phase p has phase_tiles[p] tiles. Work of
 * which each step needs the one before is a phase of several rounds, each of which runs all of its
 * tiles, with a barrier after each. Who runs the tiles writes the number of the round, from 0 on,
 * to plan->round. It may stop after any tile, for ever or to go on later.
 *
 * Memory
 *
 *   scratch  one block per thread, of scratch_size bytes, 64-byte aligned, uninitialised
 *   shared   one block for all tiles of a command, of shared_size bytes, likewise
 *
 * Both belong to the caller.
 */
#ifndef NNADEV_ENGINE_H
#define NNADEV_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hw/gen/nnahw.h"

#define NNADEV_ENGINE_MAX_PHASES 4u
/* Bytes of each block of scratch and shared memory; what needs more ends with NO_MEMORY. */
#define NNADEV_ENGINE_MAX_SCRATCH (64u << 20)
/* Bytes of the state that a kernel may keep in a plan. */
#define NNADEV_ENGINE_STATE_SIZE 640u

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
 * @raw: the command as fetched, of its opcode's struct nnahw_cmd_*
 * @operand_count: entries of @operands
 * @entropy: a number that differs from run to run
 * @operands: in the order of the description
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
 * @cmd: that of nnadev_engine_prepare(), at the same address; operands' data may have moved
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
 * @phases: 1 to NNADEV_ENGINE_MAX_PHASES; 0 when there is nothing to do
 * @phase_tiles: tiles per phase
 * @rounds: of each phase; 0 is one
 * @counted: bit p: phase p has as many rounds as it takes until number p of those with which shared
 *	memory begins is 0; tiles count it down. @rounds means nothing for it.
 * @round: the one that runs
 * @scratch_size: bytes per thread
 * @shared_size: bytes for all tiles together
 * @bad_operand: set when the status is BAD_OPERAND: index of the operand at fault
 * @per_tile: pieces of work in a tile, where the kernel counts them in such
 * @pieces: how many there are
 * @steps: rounds that a piece of work takes, where it is more than a tile; else 0
 * @form: for kernels that share the decision which of them runs a command: what the first one has
 *	decided; 0 is not yet
 * @state: what the kernel has decoded from the command, so that no tile does it again: its own
 *	struct, which may point into the command but not to the data of operands
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

/* Whether the round that has been run was the last one of a phase. */
static inline bool nnadev_engine_round_is_last(const struct nnadev_engine_plan *plan,
					       uint32_t phase, const void *shared)
{
	if (plan->counted >> phase & 1)
		return !atomic_load((const _Atomic uint32_t *)shared + phase);
	return plan->round + 1 >= plan->rounds[phase];
}

/*
 * Kernels by instruction set, the better ones last. AVX2 is with FMA and F16C, and AVX-512 with F,
 * BW, DQ, VL and VNNI. AVX-VNNI has the dot products of VNNI on the registers of AVX2: a CPU may
 * have it and not AVX-512, or AVX-512 and not it. Every 64-bit Arm has NEON; DOTPROD are the dot
 * products of Armv8.2, I8MM the products of 8-bit matrices of Armv8.6.
 */
enum nnadev_engine_isa {
	NNADEV_ENGINE_SCALAR,
#ifdef __aarch64__
	NNADEV_ENGINE_NEON,
	NNADEV_ENGINE_DOTPROD,
	NNADEV_ENGINE_I8MM,
#else
	NNADEV_ENGINE_AVX2,
	NNADEV_ENGINE_AVXVNNI,
	NNADEV_ENGINE_AVX512,
#endif
	NNADEV_ENGINE_ISAS, /* how many there are */
};

/* Whether this machine can run the kernels of an instruction set. */
bool nnadev_engine_isa_has(enum nnadev_engine_isa isa);

/* Best instruction set of this machine. */
enum nnadev_engine_isa nnadev_engine_isa_detect(void);

/*
 * The best of the instruction sets that every machine with @isa has besides: its kernels run what
 * @isa has none for. Of SCALAR it is SCALAR.
 */
enum nnadev_engine_isa nnadev_engine_isa_below(enum nnadev_engine_isa isa);

/* The name of an instruction set, as "scalar" or "avx2"; it stays. */
const char *nnadev_engine_isa_name(enum nnadev_engine_isa isa);

/**
 * nnadev_engine_prepare() - check a command's shapes and parameters and plan its run
 * @isa: kernels allowed: its own, and those of the sets below it
 * @threads: threads that will run tiles; a hint for cutting
 * @cmd: the command
 * @plan: written
 *
 * It reads no element of an operand: the command before may still run.
 *
 * Return: NNAHW_STATUS_OK, BAD_COMMAND (parameter value), BAD_OPERAND (absent or wrong type),
 * BAD_SHAPE or NO_MEMORY.
 */
uint32_t nnadev_engine_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			       const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The engine's table of kernels, and functions that kernels share.
 *
 *   ref/      scalar kernels, which define the commands
 *   kernels/  vector kernels, written over simd/ and compiled once for each instruction set; their
 *             results are those of ref/
 *   simd/     the vector layer (simd.h): small functions over each instruction set
 *   shape/    geometry that kernels share, without vectors
 *   x86/      vector kernels for x86 alone
 *   arm/      vector kernels for 64-bit Arm alone
 *   vector/   common parts of vector kernels
 *
 * A kernel is an entry of the table next to its functions: NNADEV_KERNEL(name) = { ... }; at the
 * start of a line, or NNADEV_VECTOR_KERNEL(name) in kernels/. device/nna/module.mk finds such lines
 * and makes the table from them. A new kernel is therefore a new file, and other files need no
 * change.
 *
 * The scalar kernel of the opcode is asked first; if it refuses the command, the command ends with
 * its status. Kernels of the allowed instruction sets are asked next, best set first, in the order
 * of nnadev_engine_isa_below(). The first one that accepts the command plans and runs it; if there
 * is none, the scalar kernel does. Kernels of the same opcode and instruction set accept different
 * commands, so their order does not matter.
 */
#ifndef NNADEV_KERNEL_H
#define NNADEV_KERNEL_H

#include "device/nna/engine/element.h"

/**
 * struct nnadev_kernel - a way to run a command
 * @opcode: the command
 * @isa: instruction set that it needs; the scalar kernel of an opcode defines the command
 * @accepts: the scalar kernel checks the command. Other kernels see checked commands alone and
 *	decide whether they can run them. May write @bad_operand and @form of the plan, nothing
 *	else. Return: NNAHW_STATUS_OK, or else a status; that of the scalar kernel ends the command.
 * @plan: plans the run of an accepted command on @threads threads (a hint for cutting): sizes,
 *	phases and tiles, and the decoded command in @state of the plan. On entry the plan is zero
 *	but for @run, which is @tile, @form, and @state, which is uninitialised.
 * @tile: runs a tile; it need not repeat the checks of @accepts
 */
struct nnadev_kernel {
	uint32_t opcode;
	enum nnadev_engine_isa isa;
	uint32_t (*accepts)(const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan);
	void (*plan)(const struct nnadev_engine_command *cmd, uint32_t threads,
		     struct nnadev_engine_plan *plan);
	nnadev_engine_tile_fn tile;
};

/* The symbol of a kernel's entry. */
#define NNADEV_KERNEL(name) const struct nnadev_kernel nnadev_kernel_##name

/* Asserts that a kernel's state fits into a plan. */
#define NNADEV_STATE_FITS(type) \
	_Static_assert(sizeof(type) <= NNADEV_ENGINE_STATE_SIZE, "fits into the plan")

/* Return value of accepts() of a kernel that is not scalar. */
static inline uint32_t nnadev_accept(bool accepted)
{
	return accepted ? NNAHW_STATUS_OK : NNAHW_STATUS_INTERNAL;
}

/* The state in a plan: plan() writes it, tile() reads it. */
static inline void *nnadev_state_new(struct nnadev_engine_plan *plan)
{
	return plan->state;
}

static inline const void *nnadev_state(const struct nnadev_engine_plan *plan)
{
	return plan->state;
}

/* Names the operand at fault, for `return nnadev_bad_operand(plan, index)`. */
static inline uint32_t nnadev_bad_operand(struct nnadev_engine_plan *plan, uint32_t index)
{
	plan->bad_operand = index;
	return NNAHW_STATUS_BAD_OPERAND;
}

static inline bool nnadev_same_dims(const struct nnahw_tensor *a, const struct nnahw_tensor *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, sizeof(a->dims[0]) * a->rank);
}

static inline bool nnadev_has_dims(const struct nnahw_tensor *t, uint32_t rank,
				   const uint64_t *dims)
{
	if (t->rank != rank)
		return false;
	for (uint32_t k = 0; k < rank; k++)
		if (t->dims[k] != dims[k])
			return false;
	return true;
}

static inline bool nnadev_same_quantisation(const struct nnahw_tensor *a,
					    const struct nnahw_tensor *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point;
}

/* x / y, rounded up. */
static inline uint32_t nnadev_div_up(uint32_t x, uint32_t y)
{
	return x / y + (x % y != 0);
}

/*
 * Plans one phase: @count pieces of work in tiles of at most @per_tile. nnadev_engine_prepare()
 * then evens out the threads' shares.
 */
static inline void nnadev_cut(struct nnadev_engine_plan *plan, uint32_t count, uint32_t per_tile)
{
	per_tile = per_tile ? per_tile : 1;
	plan->phases = count != 0;
	plan->phase_tiles[0] = nnadev_div_up(count, per_tile);
	plan->per_tile = per_tile;
	plan->pieces = count;
}

/* Return: the pieces [*begin, *end) of a tile that nnadev_cut() made. */
static inline void nnadev_tile_range(const struct nnadev_engine_plan *plan, uint32_t tile,
				     uint32_t count, uint32_t *begin, uint32_t *end)
{
	uint64_t first = (uint64_t)tile * plan->per_tile, last = first + plan->per_tile;

	*begin = (uint32_t)(first < count ? first : count);
	*end = (uint32_t)(last < count ? last : count);
}

#define NNADEV_LANES 32u

/*
 * Plans work whose single piece is too much for a tile: one phase of lanes, each with one tile per
 * round. A lane computes a piece in @steps rounds and then starts its next piece; between rounds it
 * keeps @state_size bytes of shared memory.
 */
static inline void nnadev_cut_steps(struct nnadev_engine_plan *plan, uint32_t count, uint32_t steps,
				    size_t state_size)
{
	uint32_t lanes = count < NNADEV_LANES ? count : NNADEV_LANES;

	while (lanes > 1 && lanes * state_size > NNADEV_ENGINE_MAX_SCRATCH)
		lanes /= 2;
	plan->phases = count && steps;
	if (!plan->phases)
		return;
	plan->steps = steps;
	plan->phase_tiles[0] = lanes;
	plan->rounds[0] = (uint64_t)nnadev_div_up(count, lanes) * steps;
	plan->shared_size = lanes * (uint32_t)state_size;
}

/* Finds the piece and the step of a lane in this round. Return: false if the lane has no piece. */
static inline bool nnadev_step_get(const struct nnadev_engine_plan *plan, uint32_t lane,
				   uint32_t count, uint32_t *piece, uint32_t *step)
{
	const uint64_t at = plan->round / plan->steps * plan->phase_tiles[0] + lane;

	*piece = (uint32_t)at;
	*step = (uint32_t)(plan->round % plan->steps);
	return at < count;
}

/* True if the elements of the innermost dim are contiguous, or the operand is absent. */
static inline bool nnadev_innermost_dense(const struct nnadev_engine_operand *o)
{
	const struct nnahw_tensor *t = &o->desc;

	return !nnadev_present(o) || t->strides[t->rank - 1] == 1 || t->dims[t->rank - 1] == 1;
}

/*
 * Return: bytes from an operand's first element to behind the last one in memory. Elements with
 * negative strides lie before the first one and do not count.
 */
static inline int64_t nnadev_bytes_behind(const struct nnadev_engine_operand *o)
{
	int64_t last = 0;

	for (uint32_t k = 0; k < o->desc.rank; k++)
		if (o->desc.strides[k] > 0)
			last += ((int64_t)o->desc.dims[k] - 1) * o->desc.strides[k];
	return (last + 1) * nnahw_type_size(o->desc.type);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The engine's table of kernels, and what kernels have in common.
 *
 *   ref/     scalar kernels, which define the commands
 *   x86/     vector kernels, which give the same results faster
 *   arm/     the same for 64-bit Arm
 *   vector/  what vector kernels have in common
 *
 * A kernel is an entry of the table, next to its functions: NNADEV_KERNEL(name) = { ... }; at the
 * start of a line, by which device/nna/module.mk finds it and puts it into the table. So a new
 * kernel is a new file, and needs no change to another.
 *
 * Who is asked: first the scalar kernel of the opcode, whose refusal is how the command ends. Then
 * the kernels of the instruction sets that are allowed, the best set first, as
 * nnadev_engine_isa_below() says; the first one that accepts the command plans and runs it, and the
 * scalar one if there is none. Kernels of the same opcode and instruction set accept different
 * commands, so that their order does not matter.
 */
#ifndef NNADEV_KERNEL_H
#define NNADEV_KERNEL_H

#include "device/nna/engine/element.h"

/**
 * struct nnadev_kernel - a way to run a command
 * @opcode: the command
 * @isa: instruction set that it needs; the scalar kernel of an opcode defines it
 * @accepts: scalar: checks the command; a faster one is asked about checked commands alone, and
 *	says whether it can run this one. Writes @bad_operand and @form of the plan or nothing.
 *	Return: NNAHW_STATUS_OK, or else the status with which the command ends if that is the
 *	scalar kernel's.
 * @plan: plans the run of a command that it has accepted, on @threads threads (a hint for
 *	cutting): sizes, phases and tiles, and the decoded command in @state of the plan. The plan
 *	is zero but for @run, which is @tile, @form, and @state, which is uninitialised.
 * @tile: runs a tile; it need not check again what it takes from the command
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

/* The name of a kernel's entry. */
#define NNADEV_KERNEL(name) const struct nnadev_kernel nnadev_kernel_##name

/* That a kernel's state fits into a plan. */
#define NNADEV_STATE_FITS(type) \
	_Static_assert(sizeof(type) <= NNADEV_ENGINE_STATE_SIZE, "fits into the plan")

/* What a kernel that is not the scalar one returns from accepts(). */
static inline uint32_t nnadev_accept(bool accepted)
{
	return accepted ? NNAHW_STATUS_OK : NNAHW_STATUS_INTERNAL;
}

/* The state in a plan: for plan(), which writes it, and for tile(), which reads it. */
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
 * Plans one phase: `count` pieces of work in tiles of at most `per_tile`, of which threads get as
 * many each (nnadev_engine_prepare()).
 */
static inline void nnadev_cut(struct nnadev_engine_plan *plan, uint32_t count, uint32_t per_tile)
{
	per_tile = per_tile ? per_tile : 1;
	plan->phases = count != 0;
	plan->phase_tiles[0] = nnadev_div_up(count, per_tile);
	plan->per_tile = per_tile;
	plan->pieces = count;
}

/* The pieces of a tile that nnadev_cut() has made: [*begin, *end) of count. */
static inline void nnadev_tile_range(const struct nnadev_engine_plan *plan, uint32_t tile,
				     uint32_t count, uint32_t *begin, uint32_t *end)
{
	uint64_t first = (uint64_t)tile * plan->per_tile, last = first + plan->per_tile;

	*begin = (uint32_t)(first < count ? first : count);
	*end = (uint32_t)(last < count ? last : count);
}

#define NNADEV_LANES 32u

/*
 * Plans work of which a single piece is too much for a tile: one phase of lanes, of which each has
 * a tile in each round. A lane does a piece in `steps` rounds, and then its next one; between them
 * it keeps `state_size` bytes of shared memory.
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

/* The piece of count and the step that a lane does in this round. Return: whether there is one. */
static inline bool nnadev_step_get(const struct nnadev_engine_plan *plan, uint32_t lane,
				   uint32_t count, uint32_t *piece, uint32_t *step)
{
	const uint64_t at = plan->round / plan->steps * plan->phase_tiles[0] + lane;

	*piece = (uint32_t)at;
	*step = (uint32_t)(plan->round % plan->steps);
	return at < count;
}

/* Whether the elements of the innermost dimension lie next to each other. */
static inline bool nnadev_innermost_dense(const struct nnadev_engine_operand *o)
{
	const struct nnahw_tensor *t = &o->desc;

	return !nnadev_present(o) || t->strides[t->rank - 1] == 1 || t->dims[t->rank - 1] == 1;
}

/* Bytes of an operand from its first element to behind its last one; strides may lead below it. */
static inline int64_t nnadev_bytes_behind(const struct nnadev_engine_operand *o)
{
	int64_t last = 0;

	for (uint32_t k = 0; k < o->desc.rank; k++)
		if (o->desc.strides[k] > 0)
			last += ((int64_t)o->desc.dims[k] - 1) * o->desc.strides[k];
	return (last + 1) * nnahw_type_size(o->desc.type);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Operands of a command: checked against the job's base table, and resolved to host memory.
 */
#ifndef NNADEV_OPERAND_H
#define NNADEV_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "device/nna/engine/engine.h"
#include "device/nna/core/mmu.h"

/**
 * struct nnadev_range - the memory of an operand
 * @va: lowest address of any element
 * @size: bytes from @va to the end of the highest element; 0 when there are no elements
 * @lead: bytes from @va to element (0, 0, ...)
 * @write: it is an output
 * @gather: private copy of a range that cannot be made contiguous, else NULL
 * @done: bytes that have been gathered; while results are written back: bytes of elements written
 */
struct nnadev_range {
	uint64_t va;
	uint64_t size;
	uint64_t lead;
	bool write;
	uint8_t *gather;
	uint64_t done;
};

/* Limits of one step of gathering: bytes, and pieces. */
#define NNADEV_OPERAND_BYTES (256u << 10)
#define NNADEV_OPERAND_PIECES 2048u

/**
 * nnadev_operand_check() - check a descriptor
 * @tensor: private copy
 * @types: bit set of allowed types
 * @optional: the operand may be absent
 * @output: the command writes it
 * @slots: the base table
 * @slot_count: entries of @slots
 * @operand: written, all but @data
 * @range: written
 *
 * Return: NNAHW_STATUS_OK or BAD_OPERAND.
 */
uint32_t nnadev_operand_check(const struct nnahw_tensor *tensor, uint32_t types, bool optional,
			      bool output, const struct nnahw_base *slots, uint32_t slot_count,
			      struct nnadev_engine_operand *operand, struct nnadev_range *range);

/**
 * nnadev_operand_resolve() - find host memory for an operand
 * @room: bytes left for copies of operands; the size of this copy is subtracted
 *
 * To be called again when translations have changed, and when the fault's status is
 * NNADEV_MMU_AGAIN. An operand that is not contiguous gets memory for a copy, which
 * nnadev_operand_gather() fills. A second call does not change the copy.
 *
 * Return: true, or false with @fault written.
 */
bool nnadev_operand_resolve(struct nnadev_mmu *mmu, struct nnadev_space *space,
			    struct nnadev_engine_operand *operand, struct nnadev_range *range,
			    uint64_t *room, struct nnadev_fault *fault);

/*
 * Gather the next @bytes of an operand, and advance @range->done. Does nothing for an operand that
 * is contiguous. Return: true, or false with @fault written.
 */
bool nnadev_operand_gather(struct nnadev_mmu *mmu, struct nnadev_space *space,
			   struct nnadev_range *range, uint64_t bytes, struct nnadev_fault *fault);

static inline bool nnadev_operand_is_gathered(const struct nnadev_range *range)
{
	return !range->gather || range->done == range->size;
}

/*
 * Write elements of a gathered output back, at most @bytes in one call, without the gaps between
 * elements. @range->done is 0 before the first call, and UINT64_MAX after the last one. Return:
 * true, or false with @fault written.
 */
bool nnadev_operand_scatter(struct nnadev_mmu *mmu, struct nnadev_space *space,
			    const struct nnadev_engine_operand *operand,
			    struct nnadev_range *range, uint64_t bytes, struct nnadev_fault *fault);

/* Free the copy of a gathered operand. */
void nnadev_range_release(struct nnadev_range *range);

#endif

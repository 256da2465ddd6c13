/* SPDX-License-Identifier: MIT */
/*
 * Operands of a command: checked against the job's base table, then resolved to host memory.
 */
#ifndef NNADEV_OPERAND_H
#define NNADEV_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "device/engine/engine.h"
#include "device/core/mmu.h"

/**
 * struct nnadev_range - the memory of an operand
 * @va: lowest byte of any element
 * @size: bytes from there to behind the highest; 0 when there are no elements
 * @lead: bytes from @va to element (0, 0, ...)
 * @write: it is an output
 * @gather: private memory that stands for the range when it cannot be made contiguous, else NULL
 */
struct nnadev_range {
	uint64_t va;
	uint64_t size;
	uint64_t lead;
	bool write;
	uint8_t *gather;
};

/**
 * nnadev_operand_check() - check a descriptor
 * @tensor: private copy
 * @types: bit set of allowed types
 * @optional: it may be absent
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
 *
 * To be called again when translations have changed; what was gathered stays as it is.
 *
 * Return: true, or false with @fault written.
 */
bool nnadev_operand_resolve(struct nnadev_mmu *mmu, struct nnadev_space *space,
			    struct nnadev_engine_operand *operand, struct nnadev_range *range,
			    struct nnadev_fault *fault);

/*
 * Write the elements of a gathered output back, and no bytes between them. Return: true, or false
 * with @fault written.
 */
bool nnadev_operand_scatter(struct nnadev_mmu *mmu, struct nnadev_space *space,
			    const struct nnadev_engine_operand *operand,
			    const struct nnadev_range *range, struct nnadev_fault *fault);

/* Free the copy of a gathered operand. */
void nnadev_range_release(struct nnadev_range *range);

#endif

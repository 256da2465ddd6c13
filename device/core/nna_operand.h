/* SPDX-License-Identifier: MIT */
/*
 * Operands of a command: checked against the job's base table, then resolved to host memory.
 */
#ifndef NNA_OPERAND_H
#define NNA_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "device/engine/nna_engine.h"
#include "nna_mmu.h"

/**
 * struct nna_range - the memory of an operand
 * @va: lowest byte of any element
 * @size: bytes from there to behind the highest; 0 when there are no elements
 * @lead: bytes from @va to element (0, 0, ...)
 * @write: it is an output
 * @gather: private memory that stands for the range when it cannot be made contiguous, else NULL
 */
struct nna_range {
	uint64_t va;
	uint64_t size;
	uint64_t lead;
	bool write;
	uint8_t *gather;
};

/**
 * nna_operand_check() - check a descriptor
 * @tensor: private copy
 * @types: bit set of allowed types
 * @optional: may be absent
 * @output: is written
 * @slots: the base table
 * @slot_count: its entries
 * @operand: written but for data
 * @range: written
 *
 * Return: NNA_STATUS_OK or BAD_OPERAND.
 */
uint32_t nna_operand_check(const struct nna_tensor *tensor, uint32_t types, bool optional,
			   bool output, const struct nna_base *slots, uint32_t slot_count,
			   struct nna_engine_operand *operand, struct nna_range *range);

/**
 * nna_operand_resolve() - find host memory for an operand
 *
 * Called again when translations have changed: what was gathered stays so. Return: whether it was
 * done.
 */
bool nna_operand_resolve(struct nna_mmu *mmu, struct nna_space *space,
			 struct nna_engine_operand *operand, struct nna_range *range,
			 struct nna_fault *fault);

/* Write the elements of a gathered output back; no others. Return: whether it was done. */
bool nna_operand_scatter(struct nna_mmu *mmu, struct nna_space *space,
			 const struct nna_engine_operand *operand, const struct nna_range *range,
			 struct nna_fault *fault);

/* Free what was gathered. */
void nna_range_release(struct nna_range *range);

#endif

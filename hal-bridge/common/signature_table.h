/* SPDX-License-Identifier: MIT */
/* The table of signatures, for signature.c (data model: signature.h). */
#ifndef NNB_SIGNATURE_TABLE_H
#define NNB_SIGNATURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnaccel.h"

struct nnb_signature_call;

/* Operand types as bits of a set. */
#define NNB_BIT(type) (1u << (type))
#define NNB_FLOAT (NNB_BIT(NNA_OPERAND_TENSOR_FLOAT16) | NNB_BIT(NNA_OPERAND_TENSOR_FLOAT32))
#define NNB_QUANT8_ASYMM \
	(NNB_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM) | NNB_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED))
#define NNB_QUANT8_PER_CHANNEL NNB_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL)
#define NNB_QUANT8 \
	(NNB_QUANT8_ASYMM | NNB_QUANT8_PER_CHANNEL | NNB_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM))
#define NNB_QUANT16 \
	(NNB_BIT(NNA_OPERAND_TENSOR_QUANT16_ASYMM) | NNB_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM))
#define NNB_TENSORS \
	(NNB_FLOAT | NNB_QUANT8 | NNB_QUANT16 | NNB_BIT(NNA_OPERAND_TENSOR_INT32) | \
	 NNB_BIT(NNA_OPERAND_TENSOR_BOOL8))

/**
 * enum nnb_kind - how the type of a place follows from T
 * @NNB_KIND_FIXED: it does not: one of the place's own types
 * @NNB_KIND_T: it is T; the first such place decides what T is
 * @NNB_KIND_FLOAT: the scalar FLOAT16 with TENSOR_FLOAT16, else FLOAT32
 * @NNB_KIND_ELEMENT: the scalar FLOAT16 or FLOAT32 with a tensor of it, else INT32
 * @NNB_KIND_FILTER: T; or, where that is quantised, QUANT8_SYMM_PER_CHANNEL
 * @NNB_KIND_BIAS: T; where that is quantised, INT32
 * @NNB_KIND_BOX: T; where that is quantised, QUANT16_ASYMM
 * @NNB_KIND_ANCHOR: T; where that is quantised, QUANT16_SYMM
 * @NNB_KIND_DELTA: T; where that is quantised, QUANT8_ASYMM or QUANT8_ASYMM_SIGNED
 */
enum nnb_kind {
	NNB_KIND_FIXED,
	NNB_KIND_T,
	NNB_KIND_FLOAT,
	NNB_KIND_ELEMENT,
	NNB_KIND_FILTER,
	NNB_KIND_BIAS,
	NNB_KIND_BOX,
	NNB_KIND_ANCHOR,
	NNB_KIND_DELTA,
};

#define NNB_MANY 255 /* as a count: all operands that the places after it leave */
#define NNB_ANY_RANK 255 /* as the highest rank: no limit */

#define NNB_OPTIONAL 1u /* the operand may be without a value */
#define NNB_LAST 2u /* the operands may end before this place */

/**
 * struct nnb_place - operands of a form that are of the same kind
 * @count: their number, or NNB_MANY; 0 ends a list of places
 * @kind: enum nnb_kind
 * @min_rank: of tensors
 * @max_rank: of tensors; 0 for no limits of the rank
 * @flags: NNB_OPTIONAL, NNB_LAST
 * @none_will_do: of NNB_MANY: there may be none
 * @types: of NNB_KIND_FIXED: a set
 */
struct nnb_place {
	uint8_t count;
	uint8_t kind;
	uint8_t min_rank, max_rank;
	uint8_t flags;
	bool none_will_do;
	uint32_t types;
};

/**
 * struct nnb_form - a valid combination of inputs and outputs
 * @types: the set of types that T may be
 * @inputs: places; NULL ends a list of forms
 * @outputs: places
 */
struct nnb_form {
	uint32_t types;
	const struct nnb_place *inputs, *outputs;
};

/**
 * struct nnb_signature - the operands of an operation
 * @forms: tried in order
 * @rule: checks operands that fit a form for what forms cannot express; NULL for none. Returns
 *	false with a message in @text
 */
struct nnb_signature {
	const struct nnb_form *forms;
	bool (*rule)(const struct nnb_signature_call *call, char *text, size_t size);
};

/* Return: the signature of an operation of NNAPI; NULL for another number. */
const struct nnb_signature *nnb_signature_find(uint32_t operation);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Operand types: their properties, and sets of them. What nnaccel.h declares of them (name, size)
 * is defined here too.
 */
#ifndef NNA_OPERAND_TYPE_H
#define NNA_OPERAND_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "nnaccel.h"

/*
 * A set of operand types, a bit for each. The types from 63 on share a bit: TENSOR_INT64 is the
 * only one of them that operations take.
 */
typedef uint64_t nna_types;
#define NNA_BIT(type) (1ull << ((type) < 63 ? (type) : 63))
#define NNA_T_FLOAT (NNA_BIT(NNA_OPERAND_TENSOR_FLOAT32) | NNA_BIT(NNA_OPERAND_TENSOR_FLOAT16))
#define NNA_T_QUANT8                                                                               \
	(NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM) | NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED))
#define NNA_T_INT32 NNA_BIT(NNA_OPERAND_TENSOR_INT32)
#define NNA_T_INT64 NNA_BIT(NNA_OPERAND_TENSOR_INT64)
#define NNA_T_BOOL NNA_BIT(NNA_OPERAND_TENSOR_BOOL8)
#define NNA_T_ALL                                                                                  \
	(NNA_T_FLOAT | NNA_T_QUANT8 | NNA_T_INT32 | NNA_T_INT64 | NNA_T_BOOL |                     \
	 NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM) | NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_ASYMM) |    \
	 NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM))

bool nna_operand_type_is_tensor(enum nna_operand_type type);
bool nna_operand_type_is_quantised(enum nna_operand_type type);
/*
 * Gives the lowest and the highest number that a quantised or integer type stores; 0 and 0 for
 * floats.
 */
void nna_operand_type_range(enum nna_operand_type type, int64_t *low, int64_t *high);

#endif

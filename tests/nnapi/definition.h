/* SPDX-License-Identifier: MIT */
/*
 * The operations of NNAPI as NeuralNetworks.h defines them, for tests of what is accepted. This is
 * a table of its own, written from the text; it has nothing to do with the one that is tested.
 *
 * A row of the table is one form of an operation: the types that T may be, and its inputs and
 * outputs as words:
 *
 *	word	[COUNT]LETTER[RANKS[!]][?]	"3T2": three tensors of T with 2 dimensions
 *	COUNT	a number; N is one or more
 *	RANKS	"4", "1-4", or "2+": 2 or more
 *	!	addOperation() of Android's runtime refuses other ranks; it takes them of all other
 *		operands, and leaves it to the device to find no such operation
 *	?	may be without a value
 *	[ ]	the operands may end before a "["
 *
 *	tensors	T	of T
 *		F	weights: T, or quantised per channel where T is quantised
 *		B	bias: T, or INT32 where T is quantised
 *		X	boxes: T, or QUANT16_ASYMM where T is quantised
 *		A	anchors: T, or QUANT16_SYMM where T is quantised
 *		D	deltas of boxes: T, or either QUANT8_ASYMM where T is QUANT16_ASYMM
 *		R	FLOAT16 or FLOAT32
 *		Q	QUANT8_ASYMM or QUANT8_ASYMM_SIGNED
 *		C	FLOAT16, FLOAT32, INT32 or QUANT8_ASYMM
 *		P	T, with one dimension more than the first T
 *		I L	INT32, BOOL8
 *		q g s h	QUANT8_ASYMM, QUANT8_ASYMM_SIGNED, QUANT8_SYMM, QUANT16_SYMM
 *	scalars	f	FLOAT16 where T is TENSOR_FLOAT16, else FLOAT32
 *		e	FLOAT16, FLOAT32, or INT32 for all other T
 *		i b n	INT32, BOOL, FLOAT32
 *
 * A row is expanded into configurations: one for each T, each choice of the letters that leave one,
 * and each length of the lists. IF and WHILE have no rows: what they take are models.
 */
#ifndef TEST_NNAPI_DEFINITION_H
#define TEST_NNAPI_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_OPERANDS 72
#define ANY_RANK 255

/**
 * struct spot - an operand of a configuration
 * @type: OperandCode
 * @low: fewest dimensions; 0 for scalars
 * @high: most, or ANY_RANK
 * @checked: other ranks are refused
 * @optional: may be without a value
 * @more: has one dimension more than the first operand of type T
 */
struct spot {
	int32_t type;
	uint8_t low, high;
	bool checked, optional;
	bool more;
};

/**
 * struct configuration - operands that go together
 * @operation: OperationCode
 * @in: inputs
 * @out: outputs
 * @whole: neither list ended early, and what there may be many of is there twice
 * @many: how often that is there, up to 4 times; 0 where there is no such operand
 * @spots: inputs, then outputs
 */
struct configuration {
	int32_t operation;
	uint32_t in, out;
	bool whole;
	uint32_t many;
	struct spot spots[MAX_OPERANDS];
};

/* Calls @take for each configuration of an operation; all of them when it is -1. */
void definition_expand(int32_t operation,
		       void (*take)(void *user, const struct configuration *configuration),
		       void *user);

bool definition_is_tensor(int32_t type);
bool definition_is_quantised(int32_t type);
const char *definition_operation_name(int32_t operation);
const char *definition_type_name(int32_t type);

#endif

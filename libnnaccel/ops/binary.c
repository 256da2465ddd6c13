// SPDX-License-Identifier: MIT
/*
 * Functions of two elements without activation; the inputs are broadcast as in numpy.
 *
 *	in 0	a	see below [...]
 *	in 1	b	T0 [...]	the exponent of POW, alpha of PRELU
 *	out 0	output	T0 [...]	BOOL8 for comparisons and logical functions
 *
 * Types of a:
 *
 *	EQUAL, NOT_EQUAL, LESS, LESS_EQUAL,
 *	GREATER, GREATER_EQUAL			FLOAT, INT32, INT64, QUANT8, BOOL8
 *	LOGICAL_AND, LOGICAL_OR			BOOL8
 *	MAXIMUM, MINIMUM, SQUARED_DIFFERENCE	FLOAT, INT32, INT64, QUANT8
 *	POW					FLOAT
 *	PRELU					FLOAT, QUANT8
 *	FLOOR_DIV, FLOOR_MOD			FLOAT, INT32, INT64
 *	BITWISE_XOR, RIGHT_SHIFT		INT32, INT64
 *
 * RIGHT_SHIFT keeps the sign. A shift count below 0 is taken as 0, one above 63 as 63.
 *
 * Lowered to one element-wise operation of the ir.
 */
#include "libnnaccel/ops/op_util.h"

/**
 * struct function - an operation of this file
 * @operation: its type
 * @ewise: its function, enum nna_function
 */
struct function {
	enum nna_operation_type operation;
	uint8_t ewise;
};

static const struct function functions[] = {
	{ NNA_OPERATION_EQUAL, NNA_FN_EQUAL },
	{ NNA_OPERATION_NOT_EQUAL, NNA_FN_NOT_EQUAL },
	{ NNA_OPERATION_LESS, NNA_FN_LESS },
	{ NNA_OPERATION_LESS_EQUAL, NNA_FN_LESS_EQUAL },
	{ NNA_OPERATION_GREATER, NNA_FN_GREATER },
	{ NNA_OPERATION_GREATER_EQUAL, NNA_FN_GREATER_EQUAL },
	{ NNA_OPERATION_LOGICAL_AND, NNA_FN_LOGICAL_AND },
	{ NNA_OPERATION_LOGICAL_OR, NNA_FN_LOGICAL_OR },
	{ NNA_OPERATION_MAXIMUM, NNA_FN_MAXIMUM },
	{ NNA_OPERATION_MINIMUM, NNA_FN_MINIMUM },
	{ NNA_OPERATION_POW, NNA_FN_POW },
	{ NNA_OPERATION_PRELU, NNA_FN_PRELU },
	{ NNA_OPERATION_FLOOR_DIV, NNA_FN_FLOOR_DIV },
	{ NNA_OPERATION_FLOOR_MOD, NNA_FN_FLOOR_MOD },
	{ NNA_OPERATION_SQUARED_DIFFERENCE, NNA_FN_SQUARED_DIFFERENCE },
	{ NNA_OPERATION_BITWISE_XOR, NNA_FN_BITWISE_XOR },
	{ NNA_OPERATION_RIGHT_SHIFT, NNA_FN_SHIFT_RIGHT },
};

static const struct function *find(enum nna_operation_type type)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (functions[i].operation == type)
			return &functions[i];
	}
	return NULL;
}

static int lower(struct nna_op_context *op)
{
	NNA_VALUE(a, nna_lower_in(op, 0));
	NNA_VALUE(b, nna_lower_in(op, 1));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	return nna_emit_ewise(op->lower, find(op->operation->type)->ewise, out, a, b, NNA_NO_VALUE,
			      NNA_ACT_NONE, 0);
}

#define BINARY(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.infer = nna_infer_broadcast, .lower = lower, \
	}

BINARY(equal, NNA_OPERATION_EQUAL);
BINARY(not_equal, NNA_OPERATION_NOT_EQUAL);
BINARY(less, NNA_OPERATION_LESS);
BINARY(less_equal, NNA_OPERATION_LESS_EQUAL);
BINARY(greater, NNA_OPERATION_GREATER);
BINARY(greater_equal, NNA_OPERATION_GREATER_EQUAL);
BINARY(logical_and, NNA_OPERATION_LOGICAL_AND);
BINARY(logical_or, NNA_OPERATION_LOGICAL_OR);
BINARY(maximum, NNA_OPERATION_MAXIMUM);
BINARY(minimum, NNA_OPERATION_MINIMUM);
BINARY(pow, NNA_OPERATION_POW);
BINARY(prelu, NNA_OPERATION_PRELU);
BINARY(floor_div, NNA_OPERATION_FLOOR_DIV);
BINARY(floor_mod, NNA_OPERATION_FLOOR_MOD);
BINARY(squared_difference, NNA_OPERATION_SQUARED_DIFFERENCE);
BINARY(bitwise_xor, NNA_OPERATION_BITWISE_XOR);
BINARY(right_shift, NNA_OPERATION_RIGHT_SHIFT);

// SPDX-License-Identifier: MIT
/*
 * STABLEHLO_AND and STABLEHLO_SHIFT_LEFT of whole numbers. NNAPI has neither, nor has the NNA a
 * command for one: a + b is (a ^ b) + 2 * (a & b), and a shift is a product with a power of two.
 */
#include "frontend/tflite/rescale.h"

/* Shifts by less than 0 or by more bits than INT32 has, which C leaves undefined, give 0. */
#define BITS 32

/* An error unless both inputs and the output are of one type and have as many elements. */
static void need_alike(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	const struct tflite_tensor *other = tflite_input(t, 1);

	tflite_need(t, 2, 1);
	tflite_need_type(t, other, other->type == x->type, "the type of input 0");
	tflite_need_type(t, y, y->type == x->type, "the type of input 0");
	tflite_need_elements(t, other, x->elements, "the elements of input 0");
}

/* Bits that @a and @b share; their sum does not overflow. */
static struct tflite_value shared(struct tflite_translation *t, struct tflite_value a,
				  struct tflite_value b)
{
	struct tflite_value sum = tflite_binary(t, NNA_OPERATION_ADD, a, b), differ, one;

	differ = tflite_binary(t, NNA_OPERATION_BITWISE_XOR, a, b);
	one = a.o.desc.type == NNA_OPERAND_TENSOR_INT64 ? tflite_long(t, 1) : tflite_int(t, 1);
	sum = tflite_binary(t, NNA_OPERATION_SUB, sum, differ);
	return tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, sum, one);
}

/* INT64 by halves: the upper one keeps the sign. */
static struct tflite_value shared_long(struct tflite_translation *t)
{
	struct tflite_value high[2], low[2], shift = tflite_long(t, 32), half;

	half = tflite_long(t, (int64_t)1 << 32);
	for (uint32_t i = 0; i < 2; i++) {
		struct tflite_value x = tflite_value(t, i);

		high[i] = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, x, shift);
		low[i] = tflite_binary(t, NNA_OPERATION_SUB, x,
				       tflite_binary(t, NNA_OPERATION_MUL, high[i], half));
	}
	high[0] = tflite_binary(t, NNA_OPERATION_MUL, shared(t, high[0], high[1]), half);
	return tflite_binary(t, NNA_OPERATION_ADD, high[0], shared(t, low[0], low[1]));
}

void tflite_translate_hlo_and(struct tflite_translation *t, uint32_t type)
{
	const uint32_t kind = tflite_input(t, 0)->type;
	struct tflite_value y;
	uint32_t wide;

	need_alike(t);
	tflite_need_type(t, tflite_input(t, 0), kind == TFLITE_BOOL || kind == TFLITE_INT32 ||
						kind == TFLITE_INT64 || tflite_is_quantised(kind),
			 "BOOL, INT8, UINT8, INT16, INT32 and INT64");
	if (t->ret)
		return;
	if (kind == TFLITE_BOOL) {
		y = tflite_binary(t, NNA_OPERATION_LOGICAL_AND, tflite_value(t, 0),
				  tflite_value(t, 1));
		tflite_result(t, y, 0);
		return;
	}
	if (kind == TFLITE_INT64) {
		tflite_result(t, shared_long(t), 0);
		return;
	}
	wide = kind == TFLITE_INT32 ? NNA_OPERAND_TENSOR_INT64 : NNA_OPERAND_TENSOR_INT32;
	y = shared(t, tflite_cast(t, tflite_value(t, 0), wide),
		   tflite_cast(t, tflite_value(t, 1), wide));
	tflite_sums_result(t, tflite_cast(t, y, NNA_OPERAND_TENSOR_INT32));
}

void tflite_translate_shift_left(struct tflite_translation *t, uint32_t type)
{
	/* Of shifts by -1 to BITS. */
	static const int32_t powers[BITS + 2] = {
#define FOUR(n) 1 << (n), 1 << ((n) + 1), 1 << ((n) + 2), 1 << ((n) + 3)
		0, FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24),
		1 << 28, 1 << 29, 1 << 30, INT32_MIN, 0
#undef FOUR
	};
	const struct nna_operand_desc whole = { .type = NNA_OPERAND_TENSOR_INT32 };
	const uint32_t kind = tflite_input(t, 0)->type;
	struct tflite_value power;

	need_alike(t);
	tflite_need_type(t, tflite_input(t, 0), kind == TFLITE_INT8 || kind == TFLITE_INT16 ||
						kind == TFLITE_INT32,
			 "INT8, INT16 and INT32");
	if (t->ret)
		return;
	power = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_INT32);
	power = tflite_binary(t, NNA_OPERATION_MAXIMUM, power, tflite_int(t, -1));
	power = tflite_binary(t, NNA_OPERATION_MINIMUM, power, tflite_int(t, BITS));
	power = tflite_looked_up(t, power, &whole, -1, BITS + 2, powers, sizeof(powers));
	tflite_sums_result(t, tflite_binary(t, NNA_OPERATION_MUL,
					    tflite_cast(t, tflite_value(t, 0),
							NNA_OPERAND_TENSOR_INT32), power));
}

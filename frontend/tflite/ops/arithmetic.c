// SPDX-License-Identifier: MIT
/*
 * Arithmetic with a fused activation, and what NNAPI can only express as several arithmetic
 * operations with operands in between.
 */
#include "frontend/tflite/compose.h"

void tflite_translate_arithmetic(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	/* NNAPI divides no quantised numbers: the real ones are. */
	if (type == NNA_OPERATION_DIV && tflite_is_quant8(tflite_output(t, 0)->type)) {
		tflite_result(t, tflite_binary(t, type, tflite_real(t, 0), tflite_real(t, 1)), 0);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_input(t, 1);
	tflite_push_i32(t, tflite_fused(t));
	tflite_finish(t, type);
}

void tflite_translate_square(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 1, 1);
	tflite_push_input(t, 0);
	tflite_push_input(t, 0);
	tflite_push_i32(t, 0);
	tflite_emit_outputs(t, type);
}

/* A new operand with the type and shape of the output. */
static uint32_t inner(struct tflite_translation *t)
{
	struct tflite_operand_desc o;

	tflite_describe(t, tflite_output(t, 0), &o);
	return tflite_add_operand(t, &o);
}

/* Add an arithmetic operation without activation. */
static void combine(struct tflite_translation *t, uint32_t type, uint32_t a, uint32_t b,
		    uint32_t to)
{
	tflite_push(t, a);
	tflite_push(t, b);
	tflite_push_i32(t, 0);
	tflite_emit_to(t, type, to);
}

void tflite_translate_squared_difference(struct tflite_translation *t, uint32_t type)
{
	uint32_t difference;

	tflite_need(t, 2, 1);
	if (tflite_is_quant8(tflite_output(t, 0)->type)) {
		tflite_plain(t, NNA_OPERATION_SQUARED_DIFFERENCE, 2);
		return;
	}
	difference = inner(t);
	combine(t, NNA_OPERATION_SUB, tflite_input_operand(t, 0), tflite_input_operand(t, 1),
		difference);
	combine(t, type, difference, difference, tflite_output_operand(t, 0));
}

/* a - floor(a / b) * b */
void tflite_translate_floor_mod(struct tflite_translation *t, uint32_t type)
{
	uint32_t quotient, product;

	tflite_need(t, 2, 1);
	quotient = inner(t);
	product = inner(t);
	tflite_push_input(t, 0);
	tflite_push_input(t, 1);
	tflite_emit_to(t, type, quotient);
	combine(t, NNA_OPERATION_MUL, quotient, tflite_input_operand(t, 1), product);
	combine(t, NNA_OPERATION_SUB, tflite_input_operand(t, 0), product,
		tflite_output_operand(t, 0));
}

/* -floor(-a) */
void tflite_translate_ceiling(struct tflite_translation *t, uint32_t type)
{
	uint32_t negative, below;

	tflite_need(t, 1, 1);
	negative = inner(t);
	below = inner(t);
	tflite_push_input(t, 0);
	tflite_emit_to(t, NNA_OPERATION_NEG, negative);
	tflite_push(t, negative);
	tflite_emit_to(t, type, below);
	tflite_push(t, below);
	tflite_emit_to(t, NNA_OPERATION_NEG, tflite_output_operand(t, 0));
}

void tflite_translate_add_n(struct tflite_translation *t, uint32_t type)
{
	uint32_t sum, i, count = t->op->inputs.count;

	tflite_need(t, 2, 1);
	sum = tflite_input_operand(t, 0);
	for (i = 1; i < count && !t->ret; i++) {
		uint32_t next = i + 1 < count ? inner(t) : tflite_output_operand(t, 0);

		combine(t, type, sum, tflite_input_operand(t, i), next);
		sum = next;
	}
}

/*
 * BITWISE_XOR and RIGHT_SHIFT. Types of 8 and 16 bits are widened, which only shows where a UINT8
 * is shifted by more bits than it has: TFLite counts those as 7.
 */
void tflite_translate_bits(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	struct tflite_value a, b;

	tflite_need(t, 2, 1);
	if (!tflite_is_quantised(x->type)) {
		tflite_plain(t, type, 2);
		return;
	}
	a = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	b = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_INT32);
	if (type == NNA_OPERATION_RIGHT_SHIFT && x->type == TFLITE_UINT8)
		b = tflite_binary(t, NNA_OPERATION_MINIMUM, b, tflite_int(t, 7));
	tflite_push(t, tflite_binary(t, type, a, b).operand);
	tflite_emit_outputs(t, NNA_OPERATION_CAST);
}

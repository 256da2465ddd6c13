// SPDX-License-Identifier: MIT
/*
 * LSTM of kernel type 1, the basic one: input, last output, one matrix of all weights, one bias,
 * and the cell state, which are no variables. Results are the output, the cell state, and what the
 * kernel has in between: the columns of both data side by side, and the sums of all gates.
 *
 * On UINT8 data, with an INT16 cell state, it is computed in whole numbers as TFLite's kernel does.
 * NNAPI's QUANTIZED_16BIT_LSTM rounds the sums of a gate and the last TANH in another way. Gates
 * and the cell state have 15 bits behind the sign: gates 12 of them behind the point, the cell
 * state 11, results of functions all.
 */
#include "frontend/tflite/rescale.h"

#include <stdlib.h>

#include "libnnaccel/support/fixed_function.h"

/* Products of 8-bit numbers, less their zero points, of which FLOAT32 holds each sum exactly. */
#define EXACT_SUM 512u
/* The zero point of data. */
#define ZERO 128
#define GATE_BITS 3

enum { DATA, LAST, WEIGHTS, BIAS, CELL, INPUTS };
enum { OUTPUT, STATE, BESIDE, SUMS, OUTPUTS };

/* The rows of the weights: four blocks of units in this order. */
enum { INPUT_GATE, NEW_INPUT, FORGET_GATE, OUTPUT_GATE, GATES };

/* [rows of input, its columns and those of the last output]. */
static struct tflite_value beside(struct tflite_translation *t)
{
	struct tflite_value a = tflite_value(t, DATA), b = tflite_value(t, LAST), y = a;

	y.o.dims[1] += b.o.dims[1];
	y.operand = tflite_add_operand(t, &y.o);
	tflite_push(t, a.operand);
	tflite_push(t, b.operand);
	tflite_push_i32(t, 1);
	tflite_emit_to(t, NNA_OPERATION_CONCATENATION, y.operand);
	return y;
}

static void step(struct tflite_translation *t, uint32_t units)
{
	struct tflite_value data = beside(t), sums = data, gates[GATES], cell, kept;

	sums.o.dims[1] = GATES * units;
	sums.operand = tflite_add_operand(t, &sums.o);
	tflite_push(t, data.operand);
	tflite_push_input(t, WEIGHTS);
	tflite_push_input(t, BIAS);
	tflite_push_i32(t, 0);
	tflite_emit_to(t, NNA_OPERATION_FULLY_CONNECTED, sums.operand);
	for (uint32_t g = 0; g < GATES; g++)
		gates[g] = tflite_unary(t, g == NEW_INPUT ? NNA_OPERATION_TANH :
							    NNA_OPERATION_LOGISTIC,
					tflite_part(t, sums, 1, g * units, units));
	cell = tflite_binary(t, NNA_OPERATION_MUL, gates[INPUT_GATE], gates[NEW_INPUT]);
	kept = tflite_binary(t, NNA_OPERATION_MUL, gates[FORGET_GATE], tflite_value(t, CELL));
	cell = tflite_binary(t, NNA_OPERATION_ADD, cell, kept);
	tflite_result(t, cell, STATE);
	cell = tflite_unary(t, NNA_OPERATION_TANH, cell);
	tflite_result(t, tflite_binary(t, NNA_OPERATION_MUL, cell, gates[OUTPUT_GATE]), OUTPUT);
	tflite_result(t, data, BESIDE);
	tflite_result(t, sums, SUMS);
}

/* ------------------------------------------------------------------------------- whole numbers */

/* @x, INT32, not below @low and not above @high. */
static struct tflite_value clamped(struct tflite_translation *t, struct tflite_value x,
				   int32_t low, int32_t high)
{
	x = tflite_binary(t, NNA_OPERATION_MAXIMUM, x, tflite_int(t, low));
	return tflite_binary(t, NNA_OPERATION_MINIMUM, x, tflite_int(t, high));
}

/* @x / 2^@bits, rounded down after @add. */
static struct tflite_value shifted(struct tflite_translation *t, struct tflite_value x,
				   struct tflite_value add, int32_t bits)
{
	x = tflite_binary(t, NNA_OPERATION_ADD, x, add);
	return tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, x, tflite_int(t, bits));
}

/* The product of numbers of 15 bits behind the point, or one of them; halves are rounded up. */
static struct tflite_value times(struct tflite_translation *t, struct tflite_value a,
				 struct tflite_value b)
{
	return shifted(t, tflite_binary(t, NNA_OPERATION_MUL, a, b), tflite_int(t, 1 << 14), 15);
}

/* @x / 2^@bits, halves away from zero. */
static struct tflite_value halved(struct tflite_translation *t, struct tflite_value x, int32_t bits)
{
	struct tflite_value sign = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, x,
						 tflite_int(t, 31));

	return shifted(t, x, tflite_binary(t, NNA_OPERATION_ADD, sign,
					   tflite_int(t, 1 << (bits - 1))), bits);
}

/* The function of numbers of gates, INT32; *@table is NULL before the first use. */
static struct tflite_value active(struct tflite_translation *t, struct tflite_value x,
				  enum nna_fixed_function function, int32_t **table)
{
	const struct nna_operand_desc desc = { .type = NNA_OPERAND_TENSOR_INT32 };
	const size_t size = NNA_FIXED_ENTRIES * sizeof(**table);
	int16_t *numbers;

	if (!*table && !t->ret) {
		tflite_make_room(t, NNA_FIXED_ENTRIES);
		numbers = malloc(NNA_FIXED_ENTRIES * sizeof(*numbers));
		*table = numbers ? tflite_derive(t->model, size) : NULL;
		if (*table)
			nna_fixed_tabulate(function, GATE_BITS, numbers);
		else
			tflite_no_memory(t);
		for (uint32_t i = 0; i < NNA_FIXED_ENTRIES && *table; i++)
			(*table)[i] = numbers[i];
		free(numbers);
	}
	if (t->ret)
		return x;
	return tflite_looked_up(t, x, &desc, INT16_MIN, NNA_FIXED_ENTRIES, *table, size);
}

/* Columns [@from, @from + @count) of the weights, less their zero point. */
static struct tflite_value weights(struct tflite_translation *t, uint32_t from, uint32_t count)
{
	const struct tflite_tensor *w = tflite_input(t, WEIGHTS);
	const uint32_t dims[] = { w->dims[0], count };
	struct tflite_value v = { .operand = TFLITE_NO_OPERAND };
	const uint8_t *bytes = w->data;
	float *numbers;

	tflite_make_room(t, (uint64_t)dims[0] * count);
	numbers = t->ret ? NULL : malloc((size_t)dims[0] * count * sizeof(*numbers) + 1);
	if (!numbers) {
		tflite_no_memory(t);
		return v;
	}
	for (uint32_t row = 0; row < dims[0]; row++)
		for (uint32_t i = 0; i < count; i++)
			numbers[(size_t)row * count + i] =
				(float)(bytes[(size_t)row * w->dims[1] + from + i] -
					tflite_zero_point(w));
	v = tflite_float_tensor(t, 2, dims, numbers);
	free(numbers);
	return v;
}

/* The sums of all gates before they are scaled, INT64: of parts whose sums FLOAT32 holds. */
static struct tflite_value whole_sums(struct tflite_translation *t, struct tflite_value data)
{
	const struct tflite_tensor *w = tflite_input(t, WEIGHTS);
	struct tflite_value sum = tflite_cast(t, tflite_value(t, BIAS), NNA_OPERAND_TENSOR_INT64);
	const float *none = tflite_derive(t->model, ((size_t)w->dims[0] + 1) * sizeof(*none));

	if (!none) {
		tflite_no_memory(t);
		return sum;
	}
	data = tflite_cast(t, data, NNA_OPERAND_TENSOR_INT32);
	data = tflite_binary(t, NNA_OPERATION_SUB, data, tflite_int(t, ZERO));
	data = tflite_cast(t, data, NNA_OPERAND_TENSOR_FLOAT32);
	for (uint32_t from = 0; from < w->dims[1] && !t->ret; from += EXACT_SUM) {
		uint32_t rest = w->dims[1] - from, count = rest < EXACT_SUM ? rest : EXACT_SUM;
		struct tflite_value part = tflite_part(t, data, 1, from, count), product = part;

		product.o.dims[1] = w->dims[0];
		product.operand = tflite_add_operand(t, &product.o);
		tflite_push(t, part.operand);
		tflite_push(t, weights(t, from, count).operand);
		tflite_push(t, tflite_float_tensor(t, 1, w->dims, none).operand);
		tflite_push_i32(t, 0);
		tflite_emit_to(t, NNA_OPERATION_FULLY_CONNECTED, product.operand);
		product = tflite_cast(t, product, NNA_OPERAND_TENSOR_INT32);
		sum = tflite_binary(t, NNA_OPERATION_ADD,
				    tflite_cast(t, product, NNA_OPERAND_TENSOR_INT64), sum);
	}
	return sum;
}

/* Makes @x, INT32, the stored numbers of output @index. */
static void store(struct tflite_translation *t, struct tflite_value x, uint32_t index)
{
	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, tflite_output_operand(t, index));
}

static void whole_step(struct tflite_translation *t, uint32_t units)
{
	const struct tflite_factor factor =
		tflite_factor_of((1 << (15 - GATE_BITS)) *
				 (double)tflite_scale(tflite_input(t, BIAS)));
	struct tflite_value data = beside(t), sums, gates[GATES], cell, kept, out;
	int32_t *logistic = NULL, *tangent = NULL;

	sums = tflite_rescaled(t, whole_sums(t, data), &factor, 1, TFLITE_RULE_32_UP);
	sums = tflite_binary(t, NNA_OPERATION_MAXIMUM, sums, tflite_long(t, INT16_MIN));
	sums = tflite_binary(t, NNA_OPERATION_MINIMUM, sums, tflite_long(t, INT16_MAX));
	sums = tflite_cast(t, sums, NNA_OPERAND_TENSOR_INT32);
	for (uint32_t g = 0; g < GATES; g++)
		gates[g] = active(t, tflite_part(t, sums, 1, g * units, units),
				  g == NEW_INPUT ? NNA_FIXED_TANH : NNA_FIXED_LOGISTIC,
				  g == NEW_INPUT ? &tangent : &logistic);
	cell = halved(t, times(t, gates[INPUT_GATE], gates[NEW_INPUT]), 4);
	kept = times(t, gates[FORGET_GATE],
		     tflite_cast(t, tflite_value(t, CELL), NNA_OPERAND_TENSOR_INT32));
	cell = clamped(t, tflite_binary(t, NNA_OPERATION_ADD, cell, kept), INT16_MIN, INT16_MAX);
	store(t, cell, STATE);
	/* The TANH has one bit less in front of the point. */
	out = clamped(t, tflite_binary(t, NNA_OPERATION_ADD, cell, cell), INT16_MIN, INT16_MAX);
	out = times(t, gates[OUTPUT_GATE], active(t, out, NNA_FIXED_TANH, &tangent));
	out = clamped(t, halved(t, out, 8), -ZERO, ZERO - 1);
	store(t, tflite_binary(t, NNA_OPERATION_ADD, out, tflite_int(t, ZERO)), OUTPUT);
	tflite_result(t, data, BESIDE);
	store(t, sums, SUMS);
}

/* Errors of UINT8 data that TFLite's kernel does not take. */
static void need_whole(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, DATA), *w = tflite_input(t, WEIGHTS);
	const struct tflite_tensor *bias = tflite_input(t, BIAS), *cell = tflite_input(t, CELL);
	const struct tflite_tensor *beside = tflite_output(t, BESIDE);

	tflite_need_constant(t, w);
	tflite_need_type(t, bias, bias->type == TFLITE_INT32, "INT32");
	tflite_need_type(t, cell, cell->type == TFLITE_INT16, "INT16");
	tflite_need_type(t, tflite_output(t, OUTPUT), tflite_output(t, OUTPUT)->type == x->type,
			 "the type of input 0");
	tflite_need_type(t, tflite_output(t, STATE), tflite_output(t, STATE)->type == TFLITE_INT16,
			 "INT16");
	tflite_need_type(t, beside, beside->type == x->type, "the type of input 0");
	tflite_need_type(t, tflite_output(t, SUMS), tflite_output(t, SUMS)->type == TFLITE_INT16,
			 "INT16");
	tflite_need_scales(t, w, 1);
	tflite_need_scales(t, bias, 1);
	if (!t->ret && (tflite_zero_point(x) != ZERO ||
			!tflite_same_quantisation(x, tflite_input(t, LAST)) ||
			!tflite_same_quantisation(x, beside)))
		tflite_refuse(t, x, "its quantisation",
			      "zero point %d, and that of input 1 and of output 2", ZERO);
}

void tflite_translate_basic_lstm(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, DATA), *w = tflite_input(t, WEIGHTS);
	const struct tflite_tensor *last = tflite_input(t, LAST);
	const struct tflite_tensor *bias = tflite_input(t, BIAS), *cell = tflite_input(t, CELL);
	uint32_t units;

	tflite_need(t, INPUTS, OUTPUTS);
	tflite_need_rank(t, x, 2);
	tflite_need_rank(t, last, 2);
	tflite_need_rank(t, w, 2);
	tflite_need_type(t, x, x->type == TFLITE_FLOAT32 || x->type == TFLITE_UINT8,
			 "FLOAT32 and UINT8");
	tflite_need_type(t, w, w->type == x->type, "the type of input 0");
	tflite_need_type(t, last, last->type == x->type, "the type of input 0");
	if (x->type == TFLITE_UINT8) {
		need_whole(t);
	} else {
		tflite_need_type(t, bias, bias->type == x->type, "the type of input 0");
		tflite_need_type(t, cell, cell->type == x->type, "the type of input 0");
	}
	if (t->ret)
		return;
	units = last->dims[1];
	if (w->dims[0] % GATES || w->dims[0] / GATES != units ||
	    w->dims[1] < units || w->dims[1] - units != x->dims[1]) {
		tflite_refuse(t, w, "its shape", "4 times %u rows, of %u and %u elements", units,
			      x->dims[1], units);
		return;
	}
	tflite_need_rank(t, cell, 2);
	tflite_need_elements(t, bias, w->dims[0], "the rows of the weights");
	tflite_need_elements(t, cell, last->elements, "the last outputs");
	if (t->ret)
		return;
	if (x->type == TFLITE_UINT8)
		whole_step(t, units);
	else
		step(t, units);
}

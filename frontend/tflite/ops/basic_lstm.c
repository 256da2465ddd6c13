// SPDX-License-Identifier: MIT
/*
 * LSTM of kernel type 1, the basic one: input, last output, one matrix of all weights, one bias,
 * and the cell state, which are no variables. Results are the output, the cell state, and what the
 * kernel has in between: the columns of both data side by side, and the sums of all gates.
 */
#include "frontend/tflite/compose.h"

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
	/* NNAPI's QUANTIZED_16BIT_LSTM rounds the sums of a gate in another way than TFLite. */
	if (!t->ret && x->type != TFLITE_FLOAT32)
		tflite_unsupported(t, x, "the basic kernel on this type", "FLOAT32");
	tflite_need_type(t, w, w->type == x->type, "the type of input 0");
	tflite_need_type(t, last, last->type == x->type, "the type of input 0");
	tflite_need_type(t, bias, bias->type == x->type, "the type of input 0");
	tflite_need_type(t, cell, cell->type == x->type, "the type of input 0");
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
	if (!t->ret)
		step(t, units);
}

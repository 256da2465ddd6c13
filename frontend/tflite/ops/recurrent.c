// SPDX-License-Identifier: MIT
/*
 * Recurrent layers. Their state is a variable of the graph: the operation reads it as an input and
 * writes it as an output. A quantised sequence with a projection or layer norms becomes a chain of
 * NNAPI's quantised LSTMs, one for each step, with a slice of the input for each step and a PACK of
 * the outputs.
 */
#include "frontend/tflite/compose.h"

#include <stdlib.h>
#include <string.h>

/* Limit of steps of a layer that is unrolled. */
#define MAX_STEPS 1024

static void push_act(struct tflite_translation *t)
{
	int8_t a = t->op->options.activation;

	/* NNAPI's recurrent operations take TANH too, by TFLite's number. */
	if (a < 0 || a > TFLITE_ACT_TANH)
		tflite_unsupported(t, NULL, "activation %d", "0 (NONE) to 4 (TANH)", a);
	tflite_push_i32(t, a);
}

uint32_t tflite_next_state(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *x = tflite_input(t, index);
	struct tflite_operand_desc o;

	if (x->variable && x->disguised)
		tflite_unsupported(t, x, "its type as state", "FLOAT32 or FLOAT16");
	if (x->variable)
		return tflite_input_operand(t, index);
	tflite_describe(t, x, &o);
	return tflite_add_operand(t, &o);
}

void tflite_keep_state(struct tflite_translation *t, uint32_t index, struct tflite_value x)
{
	if (tflite_input(t, index)->variable)
		tflite_emit_reshape(t, x.operand, tflite_input_operand(t, index), &x.o);
}

void tflite_translate_rnn(struct tflite_translation *t, uint32_t type)
{
	uint32_t i, out[2];

	tflite_need(t, 5, 1);
	for (i = 0; i < 5; i++)
		tflite_push_input(t, i);
	push_act(t);
	if (t->ret)
		return;
	out[0] = tflite_next_state(t, 4);
	out[1] = tflite_output_operand(t, 0);
	tflite_emit(t, type, out, 2);
}

void tflite_translate_sequence_rnn(struct tflite_translation *t, uint32_t type)
{
	uint32_t i, out[2];

	tflite_need(t, 5, 1);
	for (i = 0; i < 5; i++)
		tflite_push_input(t, i);
	push_act(t);
	tflite_push_i32(t, t->op->options.time_major);
	if (t->ret)
		return;
	out[0] = tflite_output_operand(t, 0);
	out[1] = tflite_next_state(t, 4);
	tflite_emit(t, type, out, 2);
}

/* Inputs 0 to 19 are the same in TFLite and NNAPI; NNAPI has the four layer norms last. */
static void push_lstm(struct tflite_translation *t, bool sequence)
{
	const struct tflite_options *o = &t->op->options;
	uint32_t i;

	for (i = 0; i < 20; i++)
		tflite_push_input_or_omit(t, i, NNA_OPERAND_TENSOR_FLOAT32);
	push_act(t);
	tflite_push_f32(t, o->cell_clip);
	tflite_push_f32(t, o->proj_clip);
	if (sequence)
		tflite_push_bool(t, o->time_major);
	for (i = 20; i < 24; i++)
		tflite_push_input_or_omit(t, i, NNA_OPERAND_TENSOR_FLOAT32);
}

/*
 * Adds a constant input as an operand of type @type, which NNAPI's quantised LSTM requires for the
 * same bytes; an omitted input becomes an operand without a value.
 */
static uint32_t retyped(struct tflite_translation *t, uint32_t index, uint32_t type)
{
	struct tflite_operand_desc o = { .desc = { .type = type, .rank = 1, .scale = 1.0f },
					.dims = { 0 } };
	const struct tflite_tensor *x;
	uint32_t operand;

	if (type == NNA_OPERAND_TENSOR_INT32)
		o.desc.scale = 0;
	if (!tflite_has_input(t, index)) {
		operand = tflite_add_operand(t, &o);
		if (!t->ret)
			tflite_check(t, t->ops->set_no_value(t->sink, t->graph, operand),
				     "an omitted operand was");
		return operand;
	}
	x = tflite_input(t, index);
	tflite_need_constant(t, x);
	if (tflite_type_size(x->type) != nna_operand_type_size(type))
		tflite_unsupported(t, x, "elements of %u bytes", "%u bytes",
				   tflite_type_size(x->type),
				   (uint32_t)nna_operand_type_size(type));
	if (t->ret)
		return TFLITE_NO_OPERAND;
	tflite_describe(t, x, &o);
	o.desc.type = type;
	if (type != NNA_OPERAND_TENSOR_INT32)
		o.desc.scale = tflite_scale(x);
	if (o.desc.zero_point || x->scale_count > 1)
		tflite_unsupported(t, x, "zero point %d and %u scales", "zero point 0 and 1 scale",
				   o.desc.zero_point, x->scale_count);
	operand = tflite_add_operand(t, &o);
	tflite_set_constant(t, operand, x->data, x->size);
	return operand;
}

/* Adds the operands that all steps of a quantised LSTM share, by input of QUANTIZED_LSTM. */
static void quantized_cell(struct tflite_translation *t, uint32_t *shared)
{
	const struct tflite_tensor *inner;
	uint32_t i, first;

	for (i = 1; i < 9; i++)
		shared[i] = retyped(t, i, NNA_OPERAND_TENSOR_QUANT8_SYMM);
	for (i = 9; i < 12; i++)
		shared[i] = retyped(t, i, NNA_OPERAND_TENSOR_QUANT16_SYMM);
	for (i = 12; i < 16; i++)
		shared[i] = retyped(t, i, NNA_OPERAND_TENSOR_INT32);
	shared[16] = retyped(t, 16, NNA_OPERAND_TENSOR_QUANT8_SYMM);
	shared[17] = retyped(t, 17, NNA_OPERAND_TENSOR_INT32);
	for (i = 20; i < 24; i++)
		shared[i] = retyped(t, i, NNA_OPERAND_TENSOR_QUANT16_SYMM);
	first = t->in_count;
	tflite_push_f32(t, t->op->options.cell_clip);
	tflite_push_f32(t, t->op->options.proj_clip);
	for (i = 0; i < 4; i++) {
		/* A gate without a layer norm has no scale in the file: it has 12 fraction bits. */
		inner = &t->sub->tensors[t->op->intermediates.at[i]];
		tflite_push_f32(t, inner->scale_count ? inner->scales[0] : 0x1p-12f);
	}
	inner = &t->sub->tensors[t->op->intermediates.at[4]];
	tflite_push_i32(t, tflite_zero_point(inner));
	tflite_push_f32(t, tflite_scale(inner));
	if (t->ret)
		return;
	memcpy(&shared[24], &t->in[first], 8 * sizeof(*shared));
	t->in_count = 0;
	shared[18] = tflite_state(t, (uint32_t)t->op->inputs.at[18]);
	shared[19] = tflite_tensor_operand(t, (uint32_t)t->op->inputs.at[19]);
}

static bool same_quantisation(const struct tflite_tensor *a, const struct tflite_tensor *b)
{
	return tflite_scale(a) == tflite_scale(b) && tflite_zero_point(a) == tflite_zero_point(b);
}

/*
 * Whether NNAPI's UNIDIRECTIONAL_SEQUENCE_LSTM computes the layer: it has no projection and no
 * layer norm, and the hidden state has the quantisation of the output.
 */
static bool is_plain_sequence(struct tflite_translation *t)
{
	const struct tflite_tensor *y = tflite_output(t, 0), *state = tflite_input(t, 18);
	const struct tflite_tensor *hidden = &t->sub->tensors[t->op->intermediates.at[4]];

	for (uint32_t i = 16; i < 24; i++)
		if (i != 18 && i != 19 && tflite_has_input(t, i))
			return false;
	return y->type == TFLITE_INT8 && state->type == TFLITE_INT8 &&
	       same_quantisation(y, state) && same_quantisation(y, hidden);
}

static void plain_sequence(struct tflite_translation *t, const uint32_t *shared)
{
	uint32_t out[3];

	tflite_push_input(t, 0);
	for (uint32_t i = 1; i < 20; i++)
		tflite_push(t, shared[i]);
	tflite_push_i32(t, 4); /* TANH */
	tflite_push_f32(t, t->op->options.cell_clip);
	tflite_push_f32(t, t->op->options.proj_clip);
	tflite_push_bool(t, t->op->options.time_major);
	for (uint32_t i = 20; i < 24; i++)
		tflite_push(t, shared[i]);
	out[0] = tflite_output_operand(t, 0);
	out[1] = tflite_next_state(t, 18);
	out[2] = tflite_next_state(t, 19);
	tflite_emit(t, NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM, out, 3);
}

/* Step @s of the input, as an operand described by @desc. */
static uint32_t slice_step(struct tflite_translation *t, const struct tflite_operand_desc *desc,
			   uint32_t s)
{
	int32_t begin[3] = { 0 }, end[3], strides[3] = { 1, 1, 1 };
	int32_t axis = t->op->options.time_major ? 0 : 1;
	uint32_t step = tflite_add_operand(t, desc);

	for (uint32_t i = 0; i < 3; i++)
		end[i] = (int32_t)tflite_input(t, 0)->dims[i];
	begin[axis] = (int32_t)s;
	end[axis] = (int32_t)s + 1;
	tflite_push_input(t, 0);
	tflite_push_list(t, begin, 3);
	tflite_push_list(t, end, 3);
	tflite_push_list(t, strides, 3);
	tflite_push_i32(t, 0);
	tflite_push_i32(t, 0);
	tflite_push_i32(t, 1 << axis);
	tflite_emit_to(t, NNA_OPERATION_STRIDED_SLICE, step);
	return step;
}

/* An error unless input 0 has 1 to MAX_STEPS time steps. */
static void need_steps(struct tflite_translation *t, uint32_t steps)
{
	if (!steps || steps > MAX_STEPS)
		tflite_unsupported(t, tflite_input(t, 0), "%u time steps", "1 to %u", steps,
				   MAX_STEPS);
}

/* Describes a step of sequence @x. */
static void describe_step(struct tflite_translation *t, const struct tflite_tensor *x,
			  struct tflite_operand_desc *desc)
{
	tflite_describe(t, x, desc);
	desc->desc.rank = 2;
	desc->dims[0] = x->dims[t->op->options.time_major ? 1 : 0];
	desc->dims[1] = x->dims[2];
}

/* Emits a QUANTIZED_LSTM for each of @steps. */
static void unrolled_sequence(struct tflite_translation *t, uint32_t *shared, uint32_t steps)
{
	struct tflite_operand_desc state_desc, cell_desc, step_desc, y_desc;
	uint32_t *results = calloc(steps, sizeof(*results));
	uint32_t out[3];

	if (!results) {
		tflite_no_memory(t);
		return;
	}
	describe_step(t, tflite_input(t, 0), &step_desc);
	describe_step(t, tflite_output(t, 0), &y_desc);
	tflite_describe(t, tflite_input(t, 18), &state_desc);
	tflite_describe(t, tflite_input(t, 19), &cell_desc);
	for (uint32_t s = 0; s < steps && !t->ret; s++) {
		shared[0] = slice_step(t, &step_desc, s);
		for (uint32_t i = 0; i < 32; i++)
			tflite_push(t, shared[i]);
		/* The last step writes the variables; the first step of the next run reads them. */
		if (s + 1 == steps) {
			out[0] = tflite_next_state(t, 18);
			out[1] = tflite_next_state(t, 19);
		} else {
			out[0] = tflite_add_operand(t, &state_desc);
			out[1] = tflite_add_operand(t, &cell_desc);
		}
		results[s] = out[2] = tflite_add_operand(t, &y_desc);
		tflite_emit(t, NNA_OPERATION_QUANTIZED_LSTM, out, 3);
		shared[18] = out[0];
		shared[19] = out[1];
	}
	tflite_push_i32(t, t->op->options.time_major ? 0 : 1);
	for (uint32_t s = 0; s < steps; s++)
		tflite_push(t, results[s]);
	tflite_emit_to(t, NNA_OPERATION_PACK, tflite_output_operand(t, 0));
	free(results);
}

static void check_quantized_lstm(struct tflite_translation *t, uint32_t rank)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *cell = tflite_input(t, 19);

	tflite_need(t, 20, 1);
	tflite_need_rank(t, x, rank);
	tflite_need_rank(t, tflite_output(t, 0), rank);
	tflite_need_rank(t, tflite_input(t, 18), 2);
	tflite_need_rank(t, cell, 2);
	if (t->op->intermediates.count != 5)
		tflite_refuse(t, NULL, "%u intermediates", "5", t->op->intermediates.count);
	tflite_need_type(t, x, x->type == TFLITE_INT8, "INT8, FLOAT32 or FLOAT16");
	tflite_need_type(t, cell, cell->type == TFLITE_INT16, "INT16 beside an INT8 input");
}

/* A LSTM is one step of a sequence. */
static void quantized_lstm(struct tflite_translation *t)
{
	uint32_t shared[32], out[3];

	check_quantized_lstm(t, 2);
	if (t->ret)
		return;
	quantized_cell(t, shared);
	shared[0] = tflite_input_operand(t, 0);
	for (uint32_t i = 0; i < 32 && !t->ret; i++)
		tflite_push(t, shared[i]);
	if (t->ret)
		return;
	out[0] = tflite_next_state(t, 18);
	out[1] = tflite_next_state(t, 19);
	out[2] = tflite_output_operand(t, 0);
	tflite_emit(t, NNA_OPERATION_QUANTIZED_LSTM, out, 3);
}

static void quantized_sequence_lstm(struct tflite_translation *t)
{
	uint32_t shared[32], steps;

	check_quantized_lstm(t, 3);
	if (t->ret)
		return;
	steps = tflite_input(t, 0)->dims[t->op->options.time_major ? 0 : 1];
	need_steps(t, steps);
	if (t->ret)
		return;
	quantized_cell(t, shared);
	if (t->ret)
		return;
	if (is_plain_sequence(t))
		plain_sequence(t, shared);
	else
		unrolled_sequence(t, shared, steps);
}

/* ------------------------------------------------- float LSTM with 8-bit weights, step by step */

static void check_hybrid_lstm(struct tflite_translation *t)
{
	static const uint8_t absent[] = { 9, 10, 11, 16, 17, 20, 21, 22, 23 };
	uint32_t i;

	for (i = 0; i < sizeof(absent); i++)
		if (tflite_has_input(t, absent[i]))
			tflite_unsupported(t, tflite_input(t, absent[i]),
					   "a peephole, projection or norm beside INT8 weights",
					   "an LSTM without it");
	for (i = 1; i < 9 && !t->ret; i++) {
		const struct tflite_tensor *w = tflite_input(t, i);

		tflite_need_type(t, w, w->type == TFLITE_INT8, "INT8 as input 2");
		tflite_need_constant(t, w);
		tflite_need_rank(t, w, 2);
		if (w->scale_count != 1)
			tflite_unsupported(t, w, "%u scales", "1 beside a float input",
					   w->scale_count);
	}
	for (i = 12; i < 16; i++)
		tflite_input(t, i);
	if (t->op->options.activation != TFLITE_ACT_TANH)
		tflite_unsupported(t, NULL, "activation %d beside INT8 weights", "4 (TANH)",
				   t->op->options.activation);
}

/*
 * As in TFLite's kernel, the input is quantised by rows, and so is the output state in each step.
 * The products of the input are computed for all steps at once.
 */
static void hybrid_lstm(struct tflite_translation *t)
{
	bool asymmetric = t->op->options.asymmetric, single = t->op->code == TFLITE_LSTM;
	uint32_t axis = single || t->op->options.time_major ? 0 : 1, steps, batch, units, s, g;
	uint32_t *outputs;
	struct tflite_value q, scale = { 0 }, gates[4], recurrent[4], h, c, z[4], bias;
	const struct tflite_tensor *x = tflite_input(t, 0);
	float clip = t->op->options.cell_clip;

	tflite_need(t, 20, 1);
	tflite_need_rank(t, x, single ? 2 : 3);
	check_hybrid_lstm(t);
	steps = single ? 1 : x->dims[axis];
	batch = x->dims[single ? 0 : 1 - axis];
	need_steps(t, steps);
	if (!batch)
		tflite_unsupported(t, x, "an empty batch", "1 or more");
	outputs = t->ret ? NULL : calloc(steps, sizeof(*outputs));
	if (!outputs) {
		tflite_no_memory(t);
		return;
	}
	units = tflite_input(t, 5)->dims[0];
	q = tflite_hybrid_input(t, steps * batch, asymmetric, &scale, NULL);
	for (g = 0; g < 4; g++) {
		gates[g] = tflite_hybrid_weights(t, 1 + g);
		gates[g] = tflite_hybrid_product(t, q, scale, gates[g], 1 + g);
		bias = tflite_value(t, 12 + g);
		gates[g] = tflite_binary(t, NNA_OPERATION_ADD, gates[g], bias);
		gates[g] = tflite_reshaped(t, gates[g], 3,
					   (uint32_t[]){ axis ? batch : steps,
							 axis ? steps : batch, units });
		recurrent[g] = tflite_hybrid_weights(t, 5 + g);
	}
	h = tflite_value(t, 18);
	c = tflite_value(t, 19);
	for (s = 0; s < steps && !t->ret; s++) {
		struct tflite_value rows = tflite_hybrid_rows(t, h, asymmetric, &scale,
								    NULL), product;

		for (g = 0; g < 4; g++) {
			z[g] = tflite_part(t, gates[g], axis, s, 1);
			z[g] = tflite_reshaped(t, z[g], 2, (uint32_t[]){ batch, units });
			product = tflite_hybrid_product(t, rows, scale, recurrent[g], 5 + g);
			z[g] = tflite_binary(t, NNA_OPERATION_ADD, z[g], product);
			z[g] = tflite_unary(t, g == 2 ? NNA_OPERATION_TANH : NNA_OPERATION_LOGISTIC,
					    z[g]);
		}
		c = tflite_binary(t, NNA_OPERATION_MUL, z[1], c);
		c = tflite_binary(t, NNA_OPERATION_ADD, c,
				  tflite_binary(t, NNA_OPERATION_MUL, z[0], z[2]));
		if (clip > 0) {
			c = tflite_binary(t, NNA_OPERATION_MINIMUM, c, tflite_float(t, clip));
			c = tflite_binary(t, NNA_OPERATION_MAXIMUM, c, tflite_float(t, -clip));
		}
		h = tflite_binary(t, NNA_OPERATION_MUL, z[3],
				  tflite_unary(t, NNA_OPERATION_TANH, c));
		outputs[s] = h.operand;
	}
	if (!t->ret) {
		tflite_keep_state(t, 18, h);
		tflite_keep_state(t, 19, c);
		if (single) {
			tflite_result(t, h, 0);
		} else {
			tflite_push_i32(t, (int32_t)axis);
			for (s = 0; s < steps; s++)
				tflite_push(t, outputs[s]);
			tflite_emit_to(t, NNA_OPERATION_PACK, tflite_output_operand(t, 0));
		}
	}
	free(outputs);
}

void tflite_translate_lstm(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *cell;
	struct tflite_operand_desc o;
	uint32_t out[4];

	if (t->op->options.kernel_type == 1) {
		tflite_translate_basic_lstm(t);
		return;
	}
	tflite_need(t, 20, 1);
	if (t->op->options.kernel_type)
		tflite_unsupported(t, NULL, "kernel type %d", "0 and 1", t->op->options.kernel_type);
	if (!tflite_is_float(tflite_input(t, 0)->type)) {
		quantized_lstm(t);
		return;
	}
	if (tflite_has_input(t, 2) && tflite_input(t, 2)->type == TFLITE_INT8) {
		hybrid_lstm(t);
		return;
	}
	cell = tflite_input(t, 19);
	tflite_need_rank(t, cell, 2);
	push_lstm(t, false);
	if (t->ret)
		return;
	/* Output 0 is scratch memory for the gates: 4, or 3 without an input gate. */
	tflite_describe(t, cell, &o);
	if (__builtin_mul_overflow(o.dims[1], tflite_has_input(t, 1) ? 4 : 3, &o.dims[1]))
		tflite_unsupported(t, cell, "%u units", "%u or fewer", cell->dims[1],
				   UINT32_MAX / 4);
	out[0] = tflite_add_operand(t, &o);
	out[1] = tflite_next_state(t, 18);
	out[2] = tflite_next_state(t, 19);
	out[3] = tflite_output_operand(t, 0);
	tflite_emit(t, type, out, 4);
}

void tflite_translate_sequence_lstm(struct tflite_translation *t, uint32_t type)
{
	uint32_t out[3];

	tflite_need(t, 20, 1);
	if (!tflite_is_float(tflite_input(t, 0)->type)) {
		quantized_sequence_lstm(t);
		return;
	}
	if (tflite_has_input(t, 2) && tflite_input(t, 2)->type == TFLITE_INT8) {
		hybrid_lstm(t);
		return;
	}
	push_lstm(t, true);
	if (t->ret)
		return;
	out[0] = tflite_output_operand(t, 0);
	out[1] = tflite_next_state(t, 18);
	out[2] = tflite_next_state(t, 19);
	tflite_emit(t, type, out, 3);
}

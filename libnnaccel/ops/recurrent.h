/* SPDX-License-Identifier: MIT */
/*
 * Functions that lower recurrent layers. A layer is unrolled: one matrix product over all steps
 * computes everything that depends on the input alone; each step adds a few operations for the
 * rest. Functions return 0 or a negative errno; those that return int64_t, a value number or a
 * negative errno.
 */
#ifndef NNA_RECURRENT_H
#define NNA_RECURRENT_H

#include "libnnaccel/ops/op_util.h"

/* Gates of an LSTM, in the order of its operands. */
enum { NNA_GATE_INPUT, NNA_GATE_FORGET, NNA_GATE_CELL, NNA_GATE_OUTPUT, NNA_GATES };

/**
 * struct nna_lstm - an LSTM cell: numbers of values, NNA_NO_VALUE for those omitted
 * @input: weights of the input [units, inputs], for each gate
 * @aux: weights of the auxiliary input [units, aux inputs]
 * @recurrent: weights of the output state [units, outputs]
 * @peephole: weights of the cell state [units]; the cell gate has none
 * @bias: [units]
 * @norm: weights of the layer norm [units]
 * @projection: weights [outputs, units]
 * @projection_bias: [outputs]
 * @act: activation of the cell gate, and of the cell state on its way to the output
 * @cell_clip: clamps the cell state to [-@cell_clip, @cell_clip]; 0 for no clamp
 * @projection_clip: clamps the projection in the same way
 * @type: enum nna_type of all these values
 */
struct nna_lstm {
	uint32_t input[NNA_GATES], aux[NNA_GATES], recurrent[NNA_GATES];
	uint32_t peephole[NNA_GATES], bias[NNA_GATES], norm[NNA_GATES];
	uint32_t projection, projection_bias;
	enum nna_cell_act act;
	float cell_clip, projection_clip;
	uint8_t type;
};

/* Reads input @i, a number of enum nna_cell_act. Return: as nna_op_scalar_i32(). */
int nna_param_cell_act(const struct nna_op_context *op, uint32_t i, enum nna_cell_act *act);
/*
 * Refuses the number of outputs of a bidirectional layer, whose input @i, @merge, says whether both
 * directions share output 0. The last @states outputs may be absent.
 */
int nna_refuse_directions(const struct nna_op_context *op, uint32_t i, bool merge, uint32_t states);

/*
 * Emits out [rows, N] = in [rows, K] x transposed weights [N, K] + bias [N]; @bias may be
 * NNA_NO_VALUE.
 */
int nna_do_linear(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t weights, uint32_t bias);
/* Emits out = act(in). */
int nna_do_cell_act(struct nna_lower *l, enum nna_cell_act act, uint32_t out, uint32_t in);
/* Emits out = in clamped to [-limit, limit]; a limit of 0 or less is none. */
int nna_do_clip(struct nna_lower *l, uint32_t out, uint32_t in, float limit);
/* Adds scratch memory [rows, columns]. */
int64_t nna_do_matrix(struct nna_lower *l, uint8_t type, uint32_t rows, uint32_t columns);
/**
 * struct nna_sequence - a run of a cell over a sequence: numbers of values
 * @in: [time, batch, n], or [batch, time, n]
 * @aux: the auxiliary input in the same layout, or NNA_NO_VALUE
 * @out: the outputs in the same layout
 * @h: output state before the first step [batch, outputs]
 * @c: cell state before the first step [batch, units]; LSTM only
 * @h_last: receives the last output state, or NNA_NO_VALUE
 * @c_last: receives the last cell state, or NNA_NO_VALUE
 * @time_major: the first axis is time
 * @backward: from the last element to the first
 */
struct nna_sequence {
	uint32_t in, aux, out;
	uint32_t h, c, h_last, c_last;
	bool time_major, backward;
};

/* Views step @t of a sequence [time, batch, n], or [batch, time, n], as [batch, n]. */
int64_t nna_view_step(struct nna_lower *l, uint32_t sequence, bool time_major, uint32_t t);

int nna_lstm_run(struct nna_lower *l, const struct nna_lstm *cell, const struct nna_sequence *s);

/**
 * struct nna_rnn - an RNN cell, whose state is its output: numbers of values
 * @input: weights of the input [units, inputs]
 * @aux: weights of the auxiliary input, or NNA_NO_VALUE
 * @recurrent: weights of the state [units, units]
 * @bias: [units]
 * @act: activation
 */
struct nna_rnn {
	uint32_t input, aux, recurrent, bias;
	enum nna_cell_act act;
};

int nna_rnn_run(struct nna_lower *l, const struct nna_rnn *cell, const struct nna_sequence *s);

/* UNIDIRECTIONAL_SEQUENCE_LSTM of QUANT8_ASYMM_SIGNED (quantized_lstm.c); @s is complete. */
int nna_quantized_sequence_check(const struct nna_op_context *op);
int nna_quantized_sequence_lower(struct nna_op_context *op, const struct nna_sequence *s);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What recurrent layers are made of. A layer is unrolled: the part of a step that depends on the
 * input alone is one matrix product over all steps, the rest a few commands per step. All functions
 * return 0 or a negative errno.
 */
#ifndef NNA_RECURRENT_H
#define NNA_RECURRENT_H

#include "libnnaccel/ops/op_util.h"

/* Activation codes of recurrent layers. */
enum nna_cell_act {
	NNA_CELL_NONE = 0,
	NNA_CELL_RELU = 1,
	NNA_CELL_RELU1 = 2,
	NNA_CELL_RELU6 = 3,
	NNA_CELL_TANH = 4,
	NNA_CELL_SIGMOID = 6,
};

/* Gates of an LSTM, in the order of its operands. */
enum { NNA_GATE_INPUT, NNA_GATE_FORGET, NNA_GATE_CELL, NNA_GATE_OUTPUT, NNA_GATES };

/**
 * struct nna_lstm - an LSTM cell: values, NNA_NO_VALUE for those omitted
 * @input, @aux, @recurrent: weights [units, inputs], [units, aux inputs], [units, outputs]
 * @peephole: weights of the cell state [units] (none of NNA_GATE_CELL)
 * @bias, @norm: [units]
 * @projection, @projection_bias: [outputs, units], [outputs]
 * @act: activation of cell and output
 * @cell_clip, @projection_clip: 0 for none
 * @type: enum nnahw_type of all of these
 */
struct nna_lstm {
	uint32_t input[NNA_GATES], aux[NNA_GATES], recurrent[NNA_GATES];
	uint32_t peephole[NNA_GATES], bias[NNA_GATES], norm[NNA_GATES];
	uint32_t projection, projection_bias;
	enum nna_cell_act act;
	float cell_clip, projection_clip;
	uint8_t type;
};

/* A code of enum nna_cell_act. */
int nna_param_cell_act(const struct nna_op_context *op, uint32_t i, enum nna_cell_act *act);

/* out [rows, N] = in [rows, K] x weights [N, K] transposed + bias [N] or NNA_NO_VALUE. */
int nna_do_linear(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t weights, uint32_t bias);
int nna_do_cell_act(struct nna_lower *l, enum nna_cell_act act, uint32_t out, uint32_t in);
/* out = in within [-limit, limit]; a limit of 0 is none. */
int nna_do_clip(struct nna_lower *l, uint32_t out, uint32_t in, float limit);
/* ewise without activation and parameters. */
int nna_do_ewise(struct nna_lower *l, uint8_t kind, uint32_t out, uint32_t a, uint32_t b,
		 uint32_t c);
/* Scratch [rows, columns]. */
int64_t nna_do_matrix(struct nna_lower *l, uint8_t type, uint32_t rows, uint32_t columns);
/* Step @t of a sequence [time, batch, n] or [batch, time, n]: [batch, n]. */
int64_t nna_view_step(struct nna_lower *l, uint32_t sequence, bool time_major, uint32_t t);
/* Sum over all steps' inputs: a sequence [.., .., N] from one [.., .., K]. */
int64_t nna_do_sequence(struct nna_lower *l, uint32_t sequence, uint32_t weights, uint32_t bias);

/*
 * One step: gates [batch, units] hold what the input contributes (bias included unless there is a
 * norm), states are read and written as values.
 */
int nna_lstm_step(struct nna_lower *l, const struct nna_lstm *cell, const uint32_t *gates,
		  uint32_t h_in, uint32_t c_in, uint32_t h_out, uint32_t c_out);

/**
 * struct nna_sequence - a run of a cell over a sequence
 * @in, @aux: [time, batch, n] or [batch, time, n]; @aux may be NNA_NO_VALUE
 * @out: the same with the outputs
 * @h, @c: first states
 * @h_last, @c_last: where to leave the last ones, or NNA_NO_VALUE
 */
struct nna_sequence {
	uint32_t in, aux, out;
	uint32_t h, c, h_last, c_last;
	bool time_major, backward;
};

int nna_lstm_run(struct nna_lower *l, const struct nna_lstm *cell, const struct nna_sequence *s);

/* The same for an RNN cell, whose state is its output. */
struct nna_rnn {
	uint32_t input, aux, recurrent, bias;
	enum nna_cell_act act;
};

int nna_rnn_run(struct nna_lower *l, const struct nna_rnn *cell, const struct nna_sequence *s);

#endif

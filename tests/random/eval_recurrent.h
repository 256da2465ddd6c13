/* SPDX-License-Identifier: MIT */
/* What evaluators of recurrent layers share. */
#ifndef NNR_EVAL_RECURRENT_H
#define NNR_EVAL_RECURRENT_H

#include "tests/random/eval.h"

#define NNR_EVAL_MAX_UNITS 256
/* In the place of a number: the layer does not have this input, or this output. */
#define NNR_EVAL_NONE UINT32_MAX

/* A value and how far off the device's arithmetic may be. */
struct nnr_loose {
	double v, err;
};

/* Rounded as it is stored: layers of fp16 keep intermediate results in fp16, too. */
struct nnr_loose nnr_loose_round(const struct nnr_eval *e, struct nnr_loose x);
/* Recurrent layers know two more activations: 4 is TANH, 6 is LOGISTIC. */
struct nnr_loose nnr_loose_activate(const struct nnr_eval *e, int64_t activation,
				    struct nnr_loose x);
struct nnr_loose nnr_loose_times(const struct nnr_eval *e, struct nnr_loose a, struct nnr_loose b);
/* @sum += row @row of @weights times @x; @sum += @v. */
void nnr_loose_dot(const struct nnr_eval *e, struct nnr_loose *sum,
		   const struct nnr_eval_tensor *weights, size_t row, const struct nnr_loose *x);
void nnr_loose_add(const struct nnr_eval *e, struct nnr_loose *sum, double v);

static inline bool nnr_eval_is_matrix(const struct nnr_eval_tensor *t, size_t rows, size_t columns)
{
	return t->given && t->rank == 2 && t->dims[0] == rows && t->dims[1] == columns;
}

/**
 * struct nnr_eval_layer - one direction of a recurrent layer
 * @x, @aux: inputs [.., .., size], or [batch, size] of a single step; NULL for none
 * @major: time is the first dimension, else the second
 * @cell, @aux_weights, @norm: numbers of the inputs where its operands begin
 * @h, @c: numbers of the inputs that are its first states
 * @act: number of the input that is its activation
 * @units, @outputs: elements of c and of h
 * @out: output that @outputs columns of are written to, from @column on
 * @h_out, @c_out: outputs that its last states are written to
 * @step: from one row of @x and @aux and the states to the next states
 */
struct nnr_eval_layer {
	const struct nnr_eval_tensor *x, *aux;
	bool major, backward;
	uint32_t cell, aux_weights, norm, h, c, act;
	uint32_t units, outputs;
	uint32_t out, column, h_out, c_out;
	void (*step)(const struct nnr_eval *e, const struct nnr_eval_layer *layer,
		     const struct nnr_loose *x, const struct nnr_loose *aux, struct nnr_loose *h,
		     struct nnr_loose *c);
};

static inline uint32_t nnr_eval_batch(const struct nnr_eval_layer *layer)
{
	return layer->x->dims[layer->x->rank == 3 && layer->major ? 1 : 0];
}

/* States the dimensions of @out, with @columns. -EINVAL: @aux has another batch. */
int nnr_eval_layer_out(struct nnr_eval *e, const struct nnr_eval_layer *layer, uint32_t columns);
int nnr_eval_layer_run(struct nnr_eval *e, const struct nnr_eval_layer *layer);
/* Runs a layer in two directions, to two outputs or, with @merge, to one. */
int nnr_eval_both_run(struct nnr_eval *e, struct nnr_eval_layer *forward,
		      struct nnr_eval_layer *backward, bool merge);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The specification of NNAPI's operations, in double precision: what the HAL's text says, computed
 * plainly. It shares nothing with the device and the library.
 *
 * An evaluator function reads e->in[] (what the numbers mean: scales and zero points are applied
 * already), states the dimensions of each output with nnr_eval_out() and fills in values and error
 * bounds. An error bound is what the arithmetic of the output's type may add inside of the
 * operation (sums in fp32, functions within a few ulp), without the rounding of the result itself,
 * which the comparison knows (struct nnr_eval_tensor, @exact). An infinite bound says that the
 * specification leaves this element open.
 */
#ifndef NNR_EVAL_H
#define NNR_EVAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/random/random.h"

/* Half a step of fp32 at 1. */
#define NNR_EVAL_U 0x1p-24

/**
 * struct nnr_eval_tensor - an operand's meaning
 * @channel_scales: of QUANT8_SYMM_PER_CHANNEL, else NULL
 * @given: false for an operand that is omitted
 * @count: elements
 * @v: values
 * @err: error bounds, outputs only
 * @exact: elements are moved or chosen, not computed: they are not rounded
 * @steps: outputs of quantised types: how many steps a result may be off, rounding included
 */
struct nnr_eval_tensor {
	uint32_t type, rank, dims[NNACCEL_MAX_RANK];
	float scale;
	int32_t zero_point;
	const float *channel_scales;
	bool given;
	size_t count;
	double *v, *err;
	bool exact;
	double steps;
};

/**
 * struct nnr_eval - an operation with its operands
 * @graph, @operation: which one; for operations that read bytes or run subgraphs
 */
struct nnr_eval {
	const struct nnr_graph *graph;
	const struct nnr_operation *operation;
	uint32_t type;
	uint32_t input_count, output_count;
	struct nnr_eval_tensor in[NNR_MAX_IN], out[NNR_MAX_OUT];
};

/**
 * nnr_eval_operation() - evaluate one operation of @graph
 *
 * Inputs are read from the operands' bytes; of the outputs only types and quantisation are.
 * Return: 0, -EINVAL when the operands do not fit together, -E2BIG when the result would be larger
 * than a test needs, -EDOM when it depends on numbers too close to each other to tell them apart,
 * -ENOTSUP for an operation that the evaluator does not have.
 */
int nnr_eval_operation(const struct nnr_graph *graph, const struct nnr_operation *operation,
		       struct nnr_eval *e);
void nnr_eval_end(struct nnr_eval *e);

/* Puts an output into an operand: its dimensions, and its numbers as bytes. */
void nnr_eval_store_result(struct nnr_operand *operand, const struct nnr_eval_tensor *t);

/* States the dimensions of output @i and clears its arrays. Return: 0, -E2BIG or -ENOMEM. */
int nnr_eval_out(struct nnr_eval *e, uint32_t i, uint32_t rank, const uint32_t *dims);

static inline bool nnr_eval_has(const struct nnr_eval *e, uint32_t i)
{
	return i < e->input_count && e->in[i].given;
}

/* A scalar input, or @missing. */
static inline double nnr_eval_scalar(const struct nnr_eval *e, uint32_t i, double missing)
{
	return nnr_eval_has(e, i) && e->in[i].count ? e->in[i].v[0] : missing;
}

static inline int64_t nnr_eval_int(const struct nnr_eval *e, uint32_t i, int64_t missing)
{
	return (int64_t)nnr_eval_scalar(e, i, (double)missing);
}

/* An axis, negative ones from the end; -1 when there is none such. */
static inline int nnr_eval_axis(int64_t axis, uint32_t rank)
{
	axis += axis < 0 ? rank : 0;
	return axis >= 0 && axis < rank ? (int)axis : -1;
}

/* NONE, RELU, RELU1, RELU6 */
static inline double nnr_eval_activate(int64_t activation, double v)
{
	switch (activation) {
	case 1:
		return v < 0 ? 0 : v;
	case 2:
		return v < -1 ? -1 : v > 1 ? 1 : v;
	case 3:
		return v < 0 ? 0 : v > 6 ? 6 : v;
	default:
		return v;
	}
}

/* Stores an activated sum that is off by @err: where the activation is flat, by less. */
static inline void nnr_eval_store(struct nnr_eval_tensor *out, size_t i, int64_t activation,
				  double v, double err)
{
	double low = nnr_eval_activate(activation, v - err),
	       high = nnr_eval_activate(activation, v + err);

	out->v[i] = nnr_eval_activate(activation, v);
	out->err[i] = isfinite(err) ? fmax(high - out->v[i], out->v[i] - low) : err;
}

/* Element number to indexes, and back; innermost last. */
void nnr_eval_unravel(size_t flat, uint32_t rank, const uint32_t *dims, uint32_t *index);
size_t nnr_eval_ravel(uint32_t rank, const uint32_t *dims, const uint32_t *index);

/* The operations that each file evaluates. -ENOTSUP: it does not have this one. */
int nnr_eval_element(struct nnr_eval *e);
int nnr_eval_window(struct nnr_eval *e);
int nnr_eval_matrix(struct nnr_eval *e);
int nnr_eval_norm(struct nnr_eval *e);
int nnr_eval_move(struct nnr_eval *e);
int nnr_eval_reduce(struct nnr_eval *e);
int nnr_eval_recurrent(struct nnr_eval *e);
int nnr_eval_lstm(struct nnr_eval *e);
int nnr_eval_quantized_lstm(struct nnr_eval *e);
int nnr_eval_box(struct nnr_eval *e);
int nnr_eval_nms(struct nnr_eval *e);
int nnr_eval_hash(struct nnr_eval *e);
int nnr_eval_control(struct nnr_eval *e);

#endif

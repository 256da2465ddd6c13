/* SPDX-License-Identifier: MIT */
/* What evaluators of operations on boxes share. */
#ifndef NNR_EVAL_BOX_H
#define NNR_EVAL_BOX_H

#include "tests/random/eval.h"

/* A decision between numbers this close to each other is left open: fp32 may decide otherwise. */
#define NNR_EVAL_CLOSE 1e-4

/**
 * struct nnr_eval_box - two corners, low before high, in each of two directions
 * @err: how far off the device's arithmetic may be, in every corner
 */
struct nnr_eval_box {
	double low[2], high[2], err;
};

/* Whether no side of a box, or of the image that it is on, is less than 0. */
static inline bool nnr_eval_box_valid(const struct nnr_eval_box *box, const double *size)
{
	return box->low[0] <= box->high[0] && box->low[1] <= box->high[1] && size[0] >= 0 &&
	       size[1] >= 0;
}

/* The box at @at: its low corner, then its high one. */
struct nnr_eval_box nnr_eval_box_load(const double *at);
/*
 * A box whose centre is moved by @delta[0], [1] times its size, and whose size is multiplied by
 * e^@delta[2], [3]; its corners are then limited to 0 and @most.
 */
struct nnr_eval_box nnr_eval_box_move(struct nnr_eval_box box, const double *delta,
				      const double most[2]);
void nnr_eval_box_put(struct nnr_eval_tensor *out, size_t i, const struct nnr_eval_box *box);

static inline bool nnr_eval_too_close(double a, double b)
{
	return !(fabs(a - b) > NNR_EVAL_CLOSE * fmax(1, fmax(fabs(a), fabs(b))));
}

#endif

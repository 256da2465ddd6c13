/* SPDX-License-Identifier: MIT */
/*
 * Common parts of the kernels of REDUCE: the command, a running result, and its conversion to an
 * element of the output.
 */
#ifndef NNADEV_REDUCE_H
#define NNADEV_REDUCE_H

#include "device/nna/engine/epilogue.h"

/*
 * A running result: @f for floats and for a PROD of quantised types that is not scaled, @i
 * otherwise. Sums of floats need the precision of double; all other results are fp32 numbers in @f.
 */
union nnadev_reduction {
	int64_t i;
	double f;
};

/**
 * struct nnadev_reduce - a command
 * @output, @input: operands
 * @params: parameters
 * @in_float: running results are in @f of union nnadev_reduction
 * @rank: number of reduced axes
 * @axes: the reduced axes
 * @dims: of the reduced axes
 * @size: elements that are reduced to one
 * @blocks: blocks of NNAHW_REDUCE_BLOCK elements in @size
 */
struct nnadev_reduce {
	const struct nnadev_engine_operand *output, *input;
	const struct nnahw_cmd_reduce *params;
	bool in_float;
	uint32_t rank;
	uint32_t axes[NNAHW_MAX_RANK], dims[NNAHW_MAX_RANK];
	uint32_t size;
	uint32_t blocks;
};

/*
 * True if the command is a PROD that multiplies integers and scales after each factor, in the order
 * of the elements.
 */
static inline bool nnadev_reduce_is_scaled_product(const struct nnahw_cmd_reduce *p)
{
	return p->kind == NNAHW_REDUCTION_PROD && p->multiplier;
}

static inline void nnadev_reduce_get(struct nnadev_reduce *r,
				     const struct nnadev_engine_command *cmd)
{
	memset(r, 0, sizeof(*r));
	r->params = (const struct nnahw_cmd_reduce *)cmd->raw;
	r->output = &cmd->operands[NNAHW_REDUCE_OUTPUT];
	r->input = &cmd->operands[NNAHW_REDUCE_INPUT];
	r->in_float = nnadev_type_is_float(r->input->desc.type) ||
		      (nnadev_is_quantised(&r->input->desc) &&
		       r->params->kind == NNAHW_REDUCTION_PROD);
	for (uint32_t k = 0; k < r->input->desc.rank; k++) {
		if (r->params->axes >> k & 1) {
			r->axes[r->rank] = k;
			r->dims[r->rank++] = r->input->desc.dims[k];
		}
	}
	r->size = r->output->count ? r->input->count / r->output->count : 0;
	r->blocks = nnadev_div_up(r->size, NNAHW_REDUCE_BLOCK);
}

/* True if the reduced axes are the innermost ones, without gaps between their elements. */
static inline bool nnadev_reduce_is_run(const struct nnahw_tensor *in, uint32_t axes)
{
	uint64_t run = 1;
	bool ends = false;

	for (uint32_t k = in->rank; k-- > 0;) {
		if (in->dims[k] == 1)
			continue;
		if (!(axes >> k & 1)) {
			ends = true;
			continue;
		}
		if (ends || in->strides[k] < 0 || (uint64_t)in->strides[k] != run)
			return false;
		run *= in->dims[k];
	}
	return true;
}

/* Converts a result and stores it at offset @at of the output. */
static inline void nnadev_reduce_finish(const struct nnadev_reduce *r, int64_t at,
					union nnadev_reduction x)
{
	const struct nnahw_tensor *in = &r->input->desc;
	const uint32_t kind = r->params->kind;
	float f;

	if (r->params->multiplier) {
		x.i = nnadev_requantize((int32_t)nnadev_clamp_s64(x.i, INT32_MIN, INT32_MAX),
				       r->params->multiplier, r->params->shift);
		nnadev_store_centred(r->output, at, x.i, r->params->q_min, r->params->q_max);
		return;
	}
	if (r->in_float) {
		f = (float)(kind == NNAHW_REDUCTION_MEAN ? x.f / r->size : x.f);
	} else if (nnadev_is_quantised(in) && kind != NNAHW_REDUCTION_ALL &&
		   kind != NNAHW_REDUCTION_ANY) {
		f = kind == NNAHW_REDUCTION_SUM ? (float)x.i :
		    kind == NNAHW_REDUCTION_MEAN ? (float)x.i / (float)r->size :
		    (float)(int64_t)((uint64_t)x.i - (uint64_t)(int64_t)in->zero_point);
		f *= in->scale;
	} else {
		if (kind == NNAHW_REDUCTION_MEAN)
			x.i = r->size ? x.i / (int64_t)r->size : 0;
		if (!nnadev_type_is_float(r->output->desc.type) &&
		    !nnadev_is_quantised(&r->output->desc)) {
			nnadev_store_integer(r->output, at, x.i);
			return;
		}
		f = (float)x.i;
	}
	nnadev_store_value(r->output, at, f, r->params->q_min, r->params->q_max);
}

#endif

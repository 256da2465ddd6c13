// SPDX-License-Identifier: MIT
/*
 * REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_SUM, MEAN: one element from
 * all elements along some axes.
 *
 *	in 0	input		see below [...]
 *	in 1	axes		INT32 [...]	each in [-rank, rank); may repeat
 *	in 2	keep dims	BOOL		MEAN: INT32, true above 0
 *	out 0	output		T0 [...]	REDUCE_MAX and MIN: Q0. Reduced dims become 1 if
 *						kept, else they go; [1] where none is left
 *
 *	REDUCE_ALL, REDUCE_ANY			BOOL8
 *	REDUCE_MAX, REDUCE_MIN, REDUCE_SUM,
 *	REDUCE_PROD				FLOAT, QUANT8, INT32, INT64
 *	MEAN					FLOAT, QUANT8
 *
 * Lowered to one REDUCE.
 */
#include "libnnaccel/ops/op_util.h"

/**
 * struct kind - an operation of this file
 * @operation: its type
 * @kind: its function, enum nna_reduce
 * @same_quant: the output has the quantisation of the input
 */
struct kind {
	enum nna_operation_type operation;
	uint8_t kind;
	bool same_quant;
};

static const struct kind kinds[] = {
	{ NNA_OPERATION_REDUCE_ALL, NNA_REDUCE_ALL, false },
	{ NNA_OPERATION_REDUCE_ANY, NNA_REDUCE_ANY, false },
	{ NNA_OPERATION_REDUCE_MAX, NNA_REDUCE_MAX, true },
	{ NNA_OPERATION_REDUCE_MIN, NNA_REDUCE_MIN, true },
	{ NNA_OPERATION_REDUCE_PROD, NNA_REDUCE_PROD, false },
	{ NNA_OPERATION_REDUCE_SUM, NNA_REDUCE_SUM, false },
	{ NNA_OPERATION_MEAN, NNA_REDUCE_MEAN, false },
};

static const struct kind *find(enum nna_operation_type type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].operation == type)
			return &kinds[i];
	}
	return NULL;
}

static int read_keep(const struct nna_op_context *op, bool *keep)
{
	int32_t number;
	int ret;

	if (op->operation->type != NNA_OPERATION_MEAN)
		return nna_op_scalar_bool(op, 2, keep);
	ret = nna_op_scalar_i32(op, 2, &number);
	if (!ret)
		*keep = number > 0;
	return ret;
}

/* Reads the axes as a bit set. */
static int read_axes(const struct nna_op_context *op, uint32_t *mask)
{
	uint32_t count, axis;
	int32_t *axes;
	int ret;

	if (!op->in[0].rank_known)
		return -EAGAIN;
	ret = nna_op_tensor_i32(op, 1, &axes, &count);
	if (ret)
		return ret;
	*mask = 0;
	for (uint32_t i = 0; i < count && !ret; i++) {
		ret = nna_param_axis(op, 1, axes[i], op->in[0].rank, &axis);
		if (!ret)
			*mask |= 1u << axis;
	}
	free(axes);
	return ret;
}

static int check(struct nna_op_context *op)
{
	uint32_t mask;

	return (find(op->operation->type)->same_quant ? nna_check_out_quant(op, 0, 0) : 0) ?:
	       nna_later(read_axes(op, &mask));
}

static int infer(struct nna_op_context *op)
{
	const struct nna_shape *in = &op->in[0];
	uint32_t mask, rank = 0, dims[NNACCEL_MAX_RANK];
	bool keep;
	int ret = read_axes(op, &mask) ?: read_keep(op, &keep);

	if (ret)
		return ret;
	for (uint32_t k = 0; k < in->rank; k++) {
		if (!(mask >> k & 1))
			dims[rank++] = in->dims[k];
		else if (keep)
			dims[rank++] = 1;
	}
	/* No dim is left: the output has dims [1], because no tensor has rank 0. */
	if (!rank)
		dims[rank++] = 1;
	return nna_set_dims(op, 0, rank, dims);
}

static int lower(struct nna_op_context *op)
{
	const struct nna_shape *in_shape = &op->in[0];
	uint32_t dims[NNACCEL_MAX_RANK], mask;
	int ret = read_axes(op, &mask);

	if (ret)
		return ret;
	for (uint32_t k = 0; k < in_shape->rank; k++)
		dims[k] = mask >> k & 1 ? 1 : in_shape->dims[k];
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	NNA_VALUE(kept, nna_emit_reshape(op->lower, out, in_shape->rank, dims));
	return nna_emit_reduce(op->lower, find(op->operation->type)->kind, kept, in, mask);
}

#define REDUCE(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.check = check, .infer = infer, .lower = lower, \
	}

REDUCE(reduce_all, NNA_OPERATION_REDUCE_ALL);
REDUCE(reduce_any, NNA_OPERATION_REDUCE_ANY);
REDUCE(reduce_max, NNA_OPERATION_REDUCE_MAX);
REDUCE(reduce_min, NNA_OPERATION_REDUCE_MIN);
REDUCE(reduce_prod, NNA_OPERATION_REDUCE_PROD);
REDUCE(reduce_sum, NNA_OPERATION_REDUCE_SUM);
REDUCE(mean, NNA_OPERATION_MEAN);

// SPDX-License-Identifier: MIT
/*
 * GATHER: elements of an axis by their indices.
 *
 *	in 0	input	ANY [...]
 *	in 1	axis	INT32		in [-rank, rank)
 *	in 2	indices	INT32, INT64 [...]	QUANT8: the stored number less the least number of
 *						the type; for a table of a function
 *	out 0	output	Q0 [...]	the dims of the input, with the dims of the indices in place
 *					of the axis
 *
 * EMBEDDING_LOOKUP: rows of a table.
 *
 *	in 0	indices	INT32 [K]
 *	in 1	table	FLOAT, INT32, QUANT8 [rows, ...]
 *	out 0	output	Q1 [K, ...]
 *
 * GATHER_ND: slices by their first n coordinates.
 *
 *	in 0	input	ANY [...]
 *	in 1	indices	INT32 [..., n]
 *	out 0	output	Q0 [...]	the dims of the indices but the last, then those of the
 *					input from dimension n on
 *
 * Lowered to one GATHER of the ir, whose indices the device checks. GATHER_ND first converts
 * coordinates to row indices, on the device too. Where a tensor has more dimensions than an
 * operation of the ir, those before the axis, those of the indices and those behind it are merged.
 */
#include "libnnaccel/ops/op_util.h"

/* Makes the axis the middle one of three dimensions. The output has elements. */
static int merge(struct nna_lower *l, uint32_t *out, uint32_t *in, uint32_t *indices,
		 uint32_t *axis)
{
	const struct nna_value *whole = &l->values[*in];
	uint32_t dims[3] = { 1, whole->dims[*axis], 1 }, count;

	for (uint32_t k = 0; k < *axis; k++)
		dims[0] *= whole->dims[k];
	for (uint32_t k = *axis + 1; k < whole->rank; k++)
		dims[2] *= whole->dims[k];
	if (!nna_value_count(&l->values[*indices], &count))
		return -ENOTSUP;
	NNA_VALUE(merged_in, nna_emit_reshape(l, *in, 3, dims));
	dims[1] = count;
	NNA_VALUE(merged_out, nna_emit_reshape(l, *out, 3, dims));
	NNA_VALUE(list, nna_emit_reshape(l, *indices, 1, &count));
	*out = merged_out;
	*in = merged_in;
	*indices = list;
	*axis = 1;
	return 0;
}

static int emit(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t indices, uint32_t axis)
{
	struct nna_ir_op command = { .kind = NNA_IR_GATHER };
	uint32_t values[3];

	if (nna_value_is_empty(l, out))
		return 0;
	if (l->values[out].rank > NNA_IR_MAX_RANK || l->values[in].rank > NNA_IR_MAX_RANK ||
	    l->values[indices].rank > NNA_IR_MAX_RANK) {
		int ret = merge(l, &out, &in, &indices, &axis);

		if (ret)
			return ret;
	}
	command.gather.axis = axis;
	values[NNA_GATHER_OUTPUT] = out;
	values[NNA_GATHER_INPUT] = in;
	values[NNA_GATHER_INDICES] = indices;
	return nna_ir_add(l, &command, values);
}

static int set_gathered(struct nna_op_context *op, const struct nna_shape *in,
			const struct nna_shape *indices, uint32_t axis)
{
	uint32_t dims[3 * NNACCEL_MAX_RANK], rank = 0;

	for (uint32_t k = 0; k < axis; k++)
		dims[rank++] = in->dims[k];
	for (uint32_t k = 0; k < indices->rank; k++)
		dims[rank++] = indices->dims[k];
	for (uint32_t k = axis + 1; k < in->rank; k++)
		dims[rank++] = in->dims[k];
	return nna_set_dims(op, 0, rank, dims);
}

static int gather_check(struct nna_op_context *op)
{
	uint32_t axis;

	return nna_check_out_quant(op, 0, 0) ?: nna_later(nna_param_input_axis(op, 1, &axis));
}

static int gather_infer(struct nna_op_context *op)
{
	uint32_t axis;

	return nna_param_input_axis(op, 1, &axis) ?: set_gathered(op, &op->in[0], &op->in[2], axis);
}

static int gather_lower(struct nna_op_context *op)
{
	uint32_t axis;
	int ret = nna_param_input_axis(op, 1, &axis);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(indices, nna_lower_in(op, 2));
	NNA_VALUE(out, nna_lower_out(op, 0));
	return emit(op->lower, out, in, indices, axis);
}

static int embedding_check(struct nna_op_context *op)
{
	return nna_check_out_quant(op, 0, 1);
}

static int embedding_infer(struct nna_op_context *op)
{
	return set_gathered(op, &op->in[1], &op->in[0], 0);
}

static int embedding_lower(struct nna_op_context *op)
{
	NNA_VALUE(indices, nna_lower_in(op, 0));
	NNA_VALUE(in, nna_lower_in(op, 1));
	NNA_VALUE(out, nna_lower_out(op, 0));
	return emit(op->lower, out, in, indices, 0);
}

static int nd_check(struct nna_op_context *op)
{
	const struct nna_shape *indices = &op->in[1];
	int ret = nna_check_out_quant(op, 0, 0);
	uint32_t n;

	if (ret || !indices->rank_known || !op->in[0].rank_known)
		return ret;
	n = nna_known_dim(indices, indices->rank - 1);
	if (n > op->in[0].rank)
		return nna_op_refuse(op, NNA_IN(1), "%u coordinates",
				     "%u at most, the rank of input 0", n, op->in[0].rank);
	return 0;
}

static int nd_infer(struct nna_op_context *op)
{
	const struct nna_shape *in = &op->in[0], *indices = &op->in[1];
	uint32_t dims[2 * NNACCEL_MAX_RANK], rank = 0, n = indices->dims[indices->rank - 1];

	for (uint32_t k = 0; k + 1 < indices->rank; k++)
		dims[rank++] = indices->dims[k];
	for (uint32_t k = n; k < in->rank; k++)
		dims[rank++] = in->dims[k];
	if (!rank)
		dims[rank++] = 1;
	return nna_set_dims(op, 0, rank, dims);
}

/* The index of a row is the sum of coordinate times stride: one BINARY, one REDUCE. */
static int nd_lower(struct nna_op_context *op)
{
	const struct nna_shape *in_shape = &op->in[0], *index_shape = &op->in[1];
	uint32_t n = index_shape->dims[index_shape->rank - 1], rows = 1, count = 1, size = 1;
	int32_t strides[NNACCEL_MAX_RANK];
	struct nna_lower *l = op->lower;
	int ret;

	for (uint32_t k = n; k-- > 0; rows *= in_shape->dims[k])
		strides[k] = (int32_t)rows;
	for (uint32_t k = n; k < in_shape->rank; k++)
		size *= in_shape->dims[k];
	for (uint32_t k = 0; k + 1 < index_shape->rank; k++)
		count *= index_shape->dims[k];
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(indices, nna_lower_in(op, 1));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(l, out))
		return 0;
	NNA_VALUE(flat_in, nna_emit_reshape(l, in, 2, (uint32_t[]){ rows, size }));
	NNA_VALUE(flat_out, nna_emit_reshape(l, out, 2, (uint32_t[]){ count, size }));
	if (!n)
		return nna_op_unsupported(op, NNA_IN(1), "no coordinates", "1 or more");
	NNA_VALUE(coordinates, nna_emit_reshape(l, indices, 2, (uint32_t[]){ count, n }));
	NNA_VALUE(factors, nna_lower_constant(l, NNA_TYPE_S32, 1, &n, 0, 0, strides));
	NNA_VALUE(scaled, nna_lower_scratch(l, NNA_TYPE_S32, 2, (uint32_t[]){ count, n }, 0, 0));
	ret = nna_emit_ewise(l, NNA_FN_MUL, scaled, coordinates, factors, NNA_NO_VALUE,
			     NNA_ACT_NONE, 0);
	if (ret)
		return ret;
	NNA_VALUE(numbers, nna_lower_scratch(l, NNA_TYPE_S32, 2, (uint32_t[]){ count, 1 }, 0, 0));
	ret = nna_emit_reduce(l, NNA_REDUCE_SUM, numbers, scaled, 1u << 1);
	if (ret)
		return ret;
	NNA_VALUE(row_numbers, nna_emit_reshape(l, numbers, 1, &count));
	return emit(l, flat_out, flat_in, row_numbers, 0);
}

const struct nna_op nna_op_gather = {
	.type = NNA_OPERATION_GATHER, .any_rank = true,
	.check = gather_check, .infer = gather_infer, .lower = gather_lower,
};

const struct nna_op nna_op_embedding_lookup = {
	.type = NNA_OPERATION_EMBEDDING_LOOKUP, .any_rank = true,
	.check = embedding_check, .infer = embedding_infer, .lower = embedding_lower,
};

const struct nna_op nna_op_gather_nd = {
	.type = NNA_OPERATION_GATHER_ND, .any_rank = true,
	.check = nd_check, .infer = nd_infer, .lower = nd_lower,
};

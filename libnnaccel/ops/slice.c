// SPDX-License-Identifier: MIT
/*
 * SLICE: a box of elements.
 *
 *	in 0	input	ANY [...]
 *	in 1	begin	INT32 [rank]	0 or more
 *	in 2	size	INT32 [rank]	-1: to the end
 *	out 0	output	Q0 [...]
 *
 * STRIDED_SLICE: every n-th element of a box, forwards or backwards.
 *
 *	in 0	input		ANY [...]
 *	in 1	begin		INT32 [rank]	negative ones count from the end
 *	in 2	end		INT32 [rank]	exclusive; negative ones count from the end
 *	in 3	strides		INT32 [rank]	not 0
 *	in 4	begin mask	INT32		bit k: dimension k from its first element on
 *	in 5	end mask	INT32		bit k: dimension k to its end
 *	in 6	shrink mask	INT32		bit k: dimension k, of one element, is dropped
 *	out 0	output		Q0 [...]	[1] where no dim is left
 *
 * Lowered to one COPY of a view.
 */
#include "libnnaccel/ops/op_util.h"

/* The selected elements of one dimension: @count of them, at @start, @start + @step ... */
struct range {
	uint32_t start, count;
	int32_t step;
};

/* Reads input @i: one number for each dimension. */
static int read_numbers(const struct nna_op_context *op, uint32_t i, int32_t *numbers)
{
	return nna_param_numbers(op, i, op->in[0].rank, "the rank of input 0", numbers);
}

static int slice_ranges(const struct nna_op_context *op, struct range *ranges)
{
	int32_t begin[NNACCEL_MAX_RANK], size[NNACCEL_MAX_RANK];
	int ret = read_numbers(op, 1, begin) ?: read_numbers(op, 2, size);

	for (uint32_t k = 0; k < op->in[0].rank && !ret; k++) {
		int64_t dim = op->in[0].dims[k];
		int64_t count = size[k] == -1 ? dim - begin[k] : size[k];

		if (begin[k] < 0 || begin[k] > dim)
			ret = nna_op_refuse(op, NNA_IN(1), "element %u is %d",
					    "0 to %lld, the dimension of input 0", k, begin[k],
					    (long long)dim);
		else if (count < 0 || begin[k] + count > dim)
			ret = nna_op_refuse(op, NNA_IN(2), "element %u is %d",
					    "-1, or 0 to %lld, what lies behind the begin", k,
					    size[k], (long long)(dim - begin[k]));
		else
			ranges[k] = (struct range){ (uint32_t)begin[k], (uint32_t)count, 1 };
	}
	return ret;
}

static int check(struct nna_op_context *op)
{
	uint32_t lists = op->operation->type == NNA_OPERATION_STRIDED_SLICE ? 4 : 3;
	int ret = nna_check_out_quant(op, 0, 0);

	for (uint32_t i = 1; i < lists && !ret; i++)
		ret = nna_check_dim(op, i, 0, op->in[0].rank);
	return ret;
}

static int slice_infer(struct nna_op_context *op)
{
	struct range ranges[NNACCEL_MAX_RANK];
	uint32_t dims[NNACCEL_MAX_RANK];
	int ret = slice_ranges(op, ranges);

	for (uint32_t k = 0; k < op->in[0].rank && !ret; k++)
		dims[k] = ranges[k].count;
	return ret ?: nna_set_dims(op, 0, op->in[0].rank, dims);
}

/*
 * Return: a begin or end, clamped to [0, dim], or to [-1, dim - 1] for a slice that runs backwards.
 * A negative @index counts from the end.
 */
static int64_t clamp_index(int32_t index, int64_t dim, bool forward)
{
	int64_t i = index < 0 ? index + dim : index;
	int64_t low = forward ? 0 : -1, high = forward ? dim : dim - 1;

	return i < low ? low : i > high ? high : i;
}

static int strided_ranges(const struct nna_op_context *op, struct range *ranges, int32_t *shrink)
{
	int32_t begin[NNACCEL_MAX_RANK], end[NNACCEL_MAX_RANK], steps[NNACCEL_MAX_RANK];
	int32_t begin_mask, end_mask;
	int ret = read_numbers(op, 1, begin) ?: read_numbers(op, 2, end) ?:
		  read_numbers(op, 3, steps) ?: nna_op_scalar_i32(op, 4, &begin_mask) ?:
		  nna_op_scalar_i32(op, 5, &end_mask) ?: nna_op_scalar_i32(op, 6, shrink);

	for (uint32_t k = 0; k < op->in[0].rank && !ret; k++) {
		int64_t dim = op->in[0].dims[k], step = steps[k], from, to, count;
		bool forward = step > 0;

		if (!step)
			return nna_op_refuse(op, NNA_IN(3), "element %u is 0",
					     "a stride other than 0", k);
		from = begin_mask >> k & 1 ? (forward ? 0 : dim - 1) :
					     clamp_index(begin[k], dim, forward);
		to = end_mask >> k & 1 ? (forward ? dim : -1) : clamp_index(end[k], dim, forward);
		count = forward ? (to - from + step - 1) / step : (from - to - step - 1) / -step;
		if (count < 0)
			count = 0;
		if (*shrink >> k & 1 && (!forward || count != 1))
			return nna_op_refuse(op, NNA_IN(6),
					     "it drops dimension %u of %lld elements, stride %d",
					     "one element and a stride above 0", k,
					     (long long)count, steps[k]);
		ranges[k] = (struct range){ count ? (uint32_t)from : 0, (uint32_t)count, steps[k] };
	}
	return ret;
}

static int strided_infer(struct nna_op_context *op)
{
	struct range ranges[NNACCEL_MAX_RANK];
	uint32_t dims[NNACCEL_MAX_RANK], rank = 0;
	int32_t shrink;
	int ret = strided_ranges(op, ranges, &shrink);

	if (ret)
		return ret;
	for (uint32_t k = 0; k < op->in[0].rank; k++) {
		if (!(shrink >> k & 1))
			dims[rank++] = ranges[k].count;
	}
	if (!rank)
		dims[rank++] = 1;
	return nna_set_dims(op, 0, rank, dims);
}

static int lower(struct nna_op_context *op)
{
	uint32_t rank = op->in[0].rank, dims[NNACCEL_MAX_RANK];
	struct range ranges[NNACCEL_MAX_RANK];
	int32_t shrink = 0;
	int ret = op->operation->type == NNA_OPERATION_SLICE ? slice_ranges(op, ranges) :
							       strided_ranges(op, ranges, &shrink);

	if (ret)
		return ret;
	NNA_VALUE(part, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	for (uint32_t k = 0; k < rank; k++) {
		NNA_VALUE(next, nna_view_slice(op->lower, part, k, ranges[k].start,
					       ranges[k].count > 1 ? ranges[k].step : 1,
					       ranges[k].count));
		part = next;
		dims[k] = ranges[k].count;
	}
	/* Dropped dims have one element, so the output has the same elements and other dims. */
	NNA_VALUE(whole, nna_emit_reshape(op->lower, out, rank, dims));
	return nna_do_move(op->lower, whole, part);
}

const struct nna_op nna_op_slice = {
	.type = NNA_OPERATION_SLICE,
	.check = check, .infer = slice_infer, .lower = lower,
};

const struct nna_op nna_op_strided_slice = {
	.type = NNA_OPERATION_STRIDED_SLICE,
	.check = check, .infer = strided_infer, .lower = lower,
};

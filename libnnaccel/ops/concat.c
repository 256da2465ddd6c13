// SPDX-License-Identifier: MIT
/*
 * CONCATENATION: tensors one after the other along an axis.
 *
 *	in 0 ...	inputs	ANY, all of one type [...]	rank 1 to 4, the same dims but for
 *								the axis
 *	in last		axis	INT32				in [-rank, rank)
 *	out 0		output	T0 [...]
 *
 * PACK: tensors side by side along a new axis.
 *
 *	in 0		axis	INT32				in [-(rank + 1), rank]
 *	in 1 ...	inputs	ANY, all of one type [...]	all of the same dims
 *	out 0		output	type of the inputs [...]	rank + 1
 *
 * Lowered to a COPY for each input, or a RESCALE if the quantisations of input and output differ.
 * The compiler elides a COPY by letting the producer of its input write to the output
 * (compiler/elide.c).
 */
#include "libnnaccel/ops/op_util.h"

/* Reads input @i, an axis of a tensor whose rank is that of @shape plus @more. */
static int read_axis(const struct nna_op_context *op, uint32_t i, const struct nna_shape *shape,
		     uint32_t more, uint32_t *axis)
{
	int32_t number;
	int ret = nna_op_scalar_i32(op, i, &number);

	if (ret)
		return ret;
	return shape->rank_known ? nna_param_axis(op, i, number, shape->rank + more, axis) :
				   -EAGAIN;
}

/* Compares known ranks and dims, without dimension @axis; NNA_NONE: with all dimensions. */
static int check_same(const struct nna_op_context *op, uint32_t first, uint32_t end, uint32_t axis)
{
	const struct nna_shape *like = &op->in[first];

	for (uint32_t i = first + 1; i < end; i++) {
		int ret = like->rank_known ? nna_check_rank(op, i, like->rank) : 0;

		for (uint32_t k = 0; !ret && k < like->rank; k++) {
			if (k != axis)
				ret = nna_check_dim(op, i, k, nna_known_dim(like, k));
		}
		if (ret)
			return ret;
	}
	return 0;
}

static int concat_check(struct nna_op_context *op)
{
	uint32_t last = op->operation->input_count - 1, axis;
	int ret = read_axis(op, last, &op->in[0], 0, &axis);

	return ret ? nna_later(ret) : check_same(op, 0, last, axis);
}

static int concat_infer(struct nna_op_context *op)
{
	uint32_t last = op->operation->input_count - 1, dims[NNACCEL_MAX_RANK], axis;
	uint64_t sum = 0;
	int ret = read_axis(op, last, &op->in[0], 0, &axis);

	if (ret)
		return ret;
	memcpy(dims, op->in[0].dims, sizeof(dims));
	for (uint32_t i = 0; i < last; i++)
		sum += op->in[i].dims[axis];
	dims[axis] = (uint32_t)sum;
	return nna_require_size(op, 0, sum) ?: nna_set_dims(op, 0, op->in[0].rank, dims);
}

static int concat_lower(struct nna_op_context *op)
{
	uint32_t last = op->operation->input_count - 1, axis, start = 0;
	int ret = read_axis(op, last, &op->in[0], 0, &axis);

	if (ret)
		return ret;
	NNA_VALUE(out, nna_lower_out(op, 0));
	for (uint32_t i = 0; i < last; i++) {
		uint32_t count = op->in[i].dims[axis];

		if (!count)
			continue;
		NNA_VALUE(in, nna_lower_in(op, i));
		NNA_VALUE(part, nna_view_range(op->lower, out, axis, start, count));
		ret = nna_do_move(op->lower, part, in);
		if (ret)
			return ret;
		start += count;
	}
	return 0;
}

static int pack_check(struct nna_op_context *op)
{
	uint32_t end = op->operation->input_count, axis;

	return nna_later(read_axis(op, 0, &op->in[1], 1, &axis)) ?:
	       check_same(op, 1, end, NNA_NONE);
}

static int pack_infer(struct nna_op_context *op)
{
	const struct nna_shape *in = &op->in[1];
	uint32_t dims[NNACCEL_MAX_RANK + 1], axis;
	int ret = read_axis(op, 0, in, 1, &axis);

	if (ret)
		return ret;
	for (uint32_t k = 0; k <= in->rank; k++)
		dims[k] = k < axis ? in->dims[k] :
			  k == axis ? op->operation->input_count - 1 : in->dims[k - 1];
	return nna_set_dims(op, 0, in->rank + 1, dims);
}

static int pack_lower(struct nna_op_context *op)
{
	uint32_t axis;
	int ret = read_axis(op, 0, &op->in[1], 1, &axis);

	if (ret)
		return ret;
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	for (uint32_t i = 1; i < op->operation->input_count && !ret; i++) {
		NNA_VALUE(in, nna_lower_in(op, i));
		NNA_VALUE(part, nna_view_range(op->lower, out, axis, i - 1, 1));
		NNA_VALUE(slot, nna_view_drop(op->lower, part, axis));
		ret = nna_do_move(op->lower, slot, in);
	}
	return ret;
}

const struct nna_op nna_op_concatenation = {
	.type = NNA_OPERATION_CONCATENATION,
	.check = concat_check, .infer = concat_infer, .lower = concat_lower,
};

const struct nna_op nna_op_pack = {
	.type = NNA_OPERATION_PACK,
	.check = pack_check, .infer = pack_infer, .lower = pack_lower,
};

// SPDX-License-Identifier: MIT
/*
 * PAD: the input with a border of zeros.
 *
 *	in 0	input		ANY [...]
 *	in 1	paddings	INT32 [rank, 2]	elements before and after, for each dimension; 0 or
 *						more
 *	out 0	output		Q0 [...]
 *
 * PAD_V2: with a border of a given value.
 *
 *	in 0, 1		as for PAD
 *	in 2	value	a scalar	FLOAT32 or FLOAT16 as the input; INT32 for the others: the
 *					stored number
 *	out 0	output	Q0 [...]
 *
 * MIRROR_PAD: with a border that mirrors the input.
 *
 *	in 0, 1		as for PAD
 *	in 2	mode	INT32	0 REFLECT: without the edge; 1 SYMMETRIC: the edge twice
 *	out 0	output	Q0 [...]
 *
 * PAD and PAD_V2 are lowered to a FILL of the output and a COPY of the input to its interior.
 * MIRROR_PAD is lowered to the same COPY, and a reversed COPY for each side of each axis.
 */
#include "libnnaccel/ops/half.h"
#include "libnnaccel/ops/op_util.h"

/**
 * struct padding - the paddings of each dimension
 * @before: elements before the input
 * @after: elements behind it
 * @dims: of the output
 */
struct padding {
	uint32_t before[NNACCEL_MAX_RANK], after[NNACCEL_MAX_RANK];
	uint32_t dims[NNACCEL_MAX_RANK];
};

static int read_padding(const struct nna_op_context *op, struct padding *padding)
{
	const struct nna_shape *in = &op->in[0];
	int32_t numbers[2 * NNACCEL_MAX_RANK];
	int ret;

	if (!in->rank_known)
		return -EAGAIN;
	ret = nna_param_numbers(op, 1, 2 * in->rank, "two for each dimension", numbers);
	for (uint32_t k = 0; k < in->rank && !ret; k++) {
		uint64_t size = in->dims[k];

		if (numbers[2 * k] < 0 || numbers[2 * k + 1] < 0)
			return nna_op_refuse(op, NNA_IN(1), "dimension %u is padded by %d and %d",
					     "0 or more", k, numbers[2 * k], numbers[2 * k + 1]);
		padding->before[k] = (uint32_t)numbers[2 * k];
		padding->after[k] = (uint32_t)numbers[2 * k + 1];
		size += (uint64_t)padding->before[k] + padding->after[k];
		ret = nna_require_size(op, 0, size);
		padding->dims[k] = (uint32_t)size;
	}
	return ret;
}

/* Reads the mode of MIRROR_PAD. */
static int read_mode(const struct nna_op_context *op, bool *symmetric)
{
	uint32_t mode;
	int ret = nna_param_number(op, 2, "the mode REFLECT or SYMMETRIC", 0, 1, &mode);

	*symmetric = !ret && mode;
	return ret;
}

static int check(struct nna_op_context *op)
{
	struct padding padding;
	bool symmetric;
	int ret = nna_check_out_quant(op, 0, 0) ?: nna_check_dim(op, 1, 0, op->in[0].rank) ?:
		  nna_check_dim(op, 1, 1, 2);

	if (!ret && op->operation->type == NNA_OPERATION_MIRROR_PAD)
		ret = nna_later(read_mode(op, &symmetric));
	return ret ?: nna_later(read_padding(op, &padding));
}

static int infer(struct nna_op_context *op)
{
	struct padding padding;

	return read_padding(op, &padding) ?: nna_set_dims(op, 0, op->in[0].rank, padding.dims);
}

/* Views the part of the output that receives the input. */
static int64_t interior(struct nna_op_context *op, uint32_t out, const struct padding *padding)
{
	int64_t value = out;

	for (uint32_t k = 0; k < op->in[0].rank && value >= 0; k++)
		value = nna_view_range(op->lower, (uint32_t)value, k, padding->before[k],
				       op->in[0].dims[k]);
	return value;
}

/* Emits a FILL of the output with the value of the border. */
static int fill(struct nna_op_context *op, uint32_t out)
{
	float number;
	int32_t integer;
	uint32_t bits;
	int ret;

	if (op->operation->type == NNA_OPERATION_PAD)
		return nna_do_zero(op->lower, out);
	if (op->in[2].type == NNA_OPERAND_INT32) {
		ret = nna_op_scalar_i32(op, 2, &integer);
		return ret ?: nna_emit_fill(op->lower, out, (uint64_t)(int64_t)integer);
	}
	ret = nna_op_scalar_f32(op, 2, &number);
	if (ret)
		return ret;
	memcpy(&bits, &number, sizeof(bits));
	if (op->in[2].type == NNA_OPERAND_FLOAT16)
		bits = nna_half_from_float(number);
	return nna_emit_fill(op->lower, out, bits);
}

static int lower(struct nna_op_context *op)
{
	struct padding padding;
	int ret = read_padding(op, &padding);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	ret = fill(op, out);
	if (ret || nna_value_is_empty(op->lower, in))
		return ret;
	NNA_VALUE(inside, interior(op, out, &padding));
	return nna_emit_copy(op->lower, inside, in);
}

static int mirror_infer(struct nna_op_context *op)
{
	struct padding padding;
	bool symmetric;
	int ret = read_mode(op, &symmetric) ?: read_padding(op, &padding);

	if (ret)
		return ret;
	for (uint32_t k = 0; k < op->in[0].rank; k++) {
		uint32_t size = op->in[0].dims[k], most = size && !symmetric ? size - 1 : size;

		if (padding.before[k] > most || padding.after[k] > most)
			return nna_op_refuse(op, NNA_IN(1), "dimension %u is padded by %u and %u",
					     "%u at most, the elements to mirror", k,
					     padding.before[k], padding.after[k], most);
	}
	return nna_set_dims(op, 0, op->in[0].rank, padding.dims);
}

/*
 * Views the part of the output that is complete before @axis is mirrored. Axes are mirrored in
 * order: earlier axes are complete including their borders, later ones hold the input only.
 */
static int64_t slab(struct nna_op_context *op, uint32_t out, const struct padding *padding,
		    uint32_t axis)
{
	int64_t value = out;

	for (uint32_t k = axis + 1; k < op->in[0].rank && value >= 0; k++)
		value = nna_view_range(op->lower, (uint32_t)value, k, padding->before[k],
				       op->in[0].dims[k]);
	return value;
}

/* Emits a COPY of @count elements of @axis: from index @from downwards to index @to upwards. */
static int mirror(struct nna_lower *l, uint32_t part, uint32_t axis, uint32_t to, uint32_t from,
		  uint32_t count)
{
	if (!count)
		return 0;
	NNA_VALUE(source, nna_view_slice(l, part, axis, from, -1, count));
	NNA_VALUE(target, nna_view_range(l, part, axis, to, count));
	return nna_emit_copy(l, target, source);
}

static int mirror_lower(struct nna_op_context *op)
{
	struct padding padding;
	bool symmetric;
	int ret = read_mode(op, &symmetric) ?: read_padding(op, &padding);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	NNA_VALUE(inside, interior(op, out, &padding));
	ret = nna_emit_copy(op->lower, inside, in);
	for (uint32_t k = 0; k < op->in[0].rank && !ret; k++) {
		uint32_t before = padding.before[k], after = padding.after[k];
		uint32_t edge = symmetric ? 1 : 0, end = before + op->in[0].dims[k];

		if (!before && !after)
			continue;
		NNA_VALUE(part, slab(op, out, &padding, k));
		ret = mirror(op->lower, part, k, 0, 2 * before - edge, before) ?:
		      mirror(op->lower, part, k, end, end - 2 + edge, after);
	}
	return ret;
}

const struct nna_op nna_op_pad = {
	.type = NNA_OPERATION_PAD, .any_rank = true,
	.check = check, .infer = infer, .lower = lower,
};

const struct nna_op nna_op_pad_v2 = {
	.type = NNA_OPERATION_PAD_V2, .any_rank = true,
	.check = check, .infer = infer, .lower = lower,
};

const struct nna_op nna_op_mirror_pad = {
	.type = NNA_OPERATION_MIRROR_PAD, .any_rank = true,
	.check = check, .infer = mirror_infer, .lower = mirror_lower,
};

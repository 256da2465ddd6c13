// SPDX-License-Identifier: MIT
/*
 * TILE: the input repeated along each dimension.
 *
 *	in 0	input		ANY [...]
 *	in 1	multiples	INT32 [rank]	0 or more
 *	out 0	output		Q0 [...]
 *
 * FILL: a tensor of one value.
 *
 *	in 0	dims	INT32 [rank of the output]
 *	in 1	value	FLOAT, INT32	a scalar
 *	out 0	output	T1 [...]
 *
 * RANK: the rank of the input.
 *
 *	in 0	input	ANY or QUANT8_SYMM_PER_CHANNEL [...]
 *	out 0	rank	INT32
 *
 * TILE and FILL are lowered to one COPY of a broadcast view, RANK to a FILL.
 */
#include "libnnaccel/ops/op_util.h"

static int tile_check(struct nna_op_context *op)
{
	return nna_check_out_quant(op, 0, 0) ?: nna_check_dim(op, 1, 0, op->in[0].rank);
}

/* Reads input @i as dims; with @multiples, as factors of the dims of input 0. */
static int read_dims(const struct nna_op_context *op, uint32_t i, bool multiples, uint32_t *dims,
		     uint32_t *rank)
{
	int32_t *numbers;
	int ret = nna_op_tensor_i32(op, i, &numbers, rank);

	if (ret)
		return ret;
	if (*rank > NNACCEL_MAX_RANK)
		ret = nna_op_refuse(op, NNA_IN(i), "length %u", "%u at most, the highest rank",
				    *rank, NNACCEL_MAX_RANK);
	else if (multiples && *rank != op->in[0].rank)
		ret = nna_op_refuse(op, NNA_IN(i), "length %u", "%u, the rank of input 0", *rank,
				    op->in[0].rank);
	for (uint32_t k = 0; k < *rank && !ret; k++) {
		uint64_t size = (uint64_t)numbers[k] * (multiples ? op->in[0].dims[k] : 1);

		if (numbers[k] < 0 || size > INT32_MAX)
			ret = nna_op_refuse(op, NNA_IN(i), "element %u is %d",
					    "0 or more, and a dimension of %d at most", k,
					    numbers[k], INT32_MAX);
		dims[k] = (uint32_t)size;
	}
	free(numbers);
	return ret;
}

static int tile_infer(struct nna_op_context *op)
{
	uint32_t dims[NNACCEL_MAX_RANK], rank;

	return read_dims(op, 1, true, dims, &rank) ?: nna_set_dims(op, 0, rank, dims);
}

/*
 * Views the output as [m0, d0, m1, d1, ...] and the input as [1, d0, 1, d1, ...], which is
 * broadcast to it. m is left out for axes that do not repeat, and d for dims of 1, to keep the rank
 * small.
 */
static int tile_lower(struct nna_op_context *op)
{
	uint32_t split[2 * NNACCEL_MAX_RANK], units[2 * NNACCEL_MAX_RANK], rank = 0;
	const uint32_t *in_dims = op->in[0].dims, *out_dims = op->out[0].dims;

	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	for (uint32_t k = 0; k < op->in[0].rank; k++) {
		uint32_t times = out_dims[k] / in_dims[k];

		if (times > 1) {
			units[rank] = 1;
			split[rank++] = times;
		}
		if (in_dims[k] > 1 || (times == 1 && !rank)) {
			units[rank] = in_dims[k];
			split[rank++] = in_dims[k];
		}
	}
	if (rank > NNACCEL_MAX_RANK)
		return nna_op_unsupported(op, NNA_IN(0), "%u axes and repetitions", "up to %u",
					  rank, NNACCEL_MAX_RANK);
	NNA_VALUE(flat_in, nna_emit_reshape(op->lower, in, rank, units));
	NNA_VALUE(flat_out, nna_emit_reshape(op->lower, out, rank, split));
	NNA_VALUE(repeated, nna_view_broadcast(op->lower, flat_in, rank, split));
	return nna_do_move(op->lower, flat_out, repeated);
}

static int fill_infer(struct nna_op_context *op)
{
	uint32_t dims[NNACCEL_MAX_RANK], rank;

	return read_dims(op, 0, false, dims, &rank) ?: nna_set_dims(op, 0, rank, dims);
}

static int fill_lower(struct nna_op_context *op)
{
	NNA_VALUE(value, nna_lower_in(op, 1));
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(repeated, nna_view_broadcast(op->lower, value, op->out[0].rank, op->out[0].dims));
	return nna_do_move(op->lower, out, repeated);
}

static int rank_infer(struct nna_op_context *op)
{
	return nna_set_dims(op, 0, 0, NULL);
}

static int rank_lower(struct nna_op_context *op)
{
	NNA_VALUE(out, nna_lower_out(op, 0));
	return nna_emit_fill(op->lower, out, op->in[0].rank);
}

const struct nna_op nna_op_tile = {
	.type = NNA_OPERATION_TILE,
	.check = tile_check, .infer = tile_infer, .lower = tile_lower,
};

const struct nna_op nna_op_fill = {
	.type = NNA_OPERATION_FILL,
	.infer = fill_infer, .lower = fill_lower,
};

const struct nna_op nna_op_rank = {
	.type = NNA_OPERATION_RANK,
	.infer = rank_infer, .lower = rank_lower,
};

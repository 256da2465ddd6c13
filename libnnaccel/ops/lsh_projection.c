// SPDX-License-Identifier: MIT
/*
 * LSH_PROJECTION: a signature of bits for the input, by locality-sensitive hashing.
 *
 *	in 0	hash functions	FLOAT [hashes, bits]
 *	in 1	input		FLOAT, INT32, QUANT8_ASYMM	[n, ...]
 *	in 2	weights?	T0 [n]				1 by default
 *	in 3	type		INT32				1 SPARSE_DEPRECATED, 2 DENSE, 3
 *								SPARSE
 *	out 0	output		INT32				DENSE: [hashes * bits], else
 *								[hashes]
 *
 *	DENSE			an element for each bit
 *	SPARSE			the bits of a hash as one number, the first bit highest, plus
 *				(number of the hash) << bits
 *	SPARSE_DEPRECATED	as SPARSE, without (number of the hash) << bits
 *
 * Lowered to an LSH of the ir, which writes the bits; a BINARY and a REDUCE combine them to
 * numbers.
 */
#include "libnnaccel/ops/op_util.h"

enum { SPARSE_DEPRECATED = 1, DENSE = 2, SPARSE = 3 };

static int read_type(const struct nna_op_context *op, uint32_t *type)
{
	uint32_t hashes = nna_known_dim(&op->in[0], 0), bits = nna_known_dim(&op->in[0], 1);
	uint32_t room = bits;
	int ret = nna_param_number(op, 3, "the projection SPARSE_DEPRECATED, DENSE or SPARSE",
				   SPARSE_DEPRECATED, SPARSE, type);

	if (ret || *type == DENSE)
		return ret;
	for (uint32_t rest = hashes ? hashes - 1 : 0; rest; rest >>= 1)
		room++;
	return room <= 32 ? 0 :
			    nna_op_refuse(op, NNA_IN(0), "%u hashes of %u bits",
					  "32 bits at most for a hash and its number", hashes,
					  bits);
}

static int check(struct nna_op_context *op)
{
	uint32_t type;

	return nna_check_dim(op, 2, 0, nna_known_dim(&op->in[1], 0)) ?:
	       nna_later(read_type(op, &type));
}

static int infer(struct nna_op_context *op)
{
	uint64_t bits = (uint64_t)op->in[0].dims[0] * op->in[0].dims[1];
	uint32_t type;
	int ret = read_type(op, &type);

	if (ret)
		return ret;
	if (nna_op_has_input(op, 2))
		ret = nna_require_dim(op, 2, 0, op->in[1].dims[0], "dimension 0 of input 1");
	return ret ?: nna_require_size(op, 0, bits) ?:
	       nna_set_dims(op, 0, 1,
			    type == DENSE ? (uint32_t[]){ (uint32_t)bits } : op->in[0].dims);
}

/* Writes all bits to @out [hashes, bits]. */
static int project(struct nna_op_context *op, uint32_t out)
{
	struct nna_ir_op command = { .kind = NNA_IR_LSH };
	uint32_t items[2] = { op->in[1].dims[0], 1 }, values[4];

	for (uint32_t k = 1; k < op->in[1].rank; k++)
		items[1] *= op->in[1].dims[k];
	NNA_VALUE(seeds, nna_lower_in(op, 0));
	NNA_VALUE(input, nna_lower_in(op, 1));
	NNA_VALUE(flat, nna_emit_reshape(op->lower, input, 2, items));
	NNA_VALUE(weights, nna_op_has_input(op, 2) ? nna_lower_in(op, 2) : NNA_NO_VALUE);
	values[NNA_LSH_OUTPUT] = out;
	values[NNA_LSH_SEEDS] = seeds;
	values[NNA_LSH_ITEMS] = flat;
	values[NNA_LSH_WEIGHTS] = weights;
	return nna_ir_add(op->lower, &command, values);
}

/* Emits out[hash] = the bits of the hash as a number; with @offset, plus hash << number of bits. */
static int join(struct nna_op_context *op, uint32_t out, uint32_t bits, bool offset)
{
	uint32_t hashes = op->in[0].dims[0], count = op->in[0].dims[1];
	uint32_t column[2] = { hashes, 1 }, places[32] = { 0 };
	struct nna_lower *l = op->lower;
	uint32_t *offsets = calloc(hashes, sizeof(*offsets));
	int64_t added;
	int ret;

	if (!offsets)
		return -ENOMEM;
	for (uint32_t k = 0; k < count; k++)
		places[k] = 1u << (count - 1 - k);
	for (uint32_t k = 0; k < hashes && offset; k++)
		offsets[k] = (uint32_t)((uint64_t)k << count);
	added = nna_lower_constant(l, NNA_TYPE_S32, 2, column, 0, 0, offsets);
	free(offsets);
	if (added < 0)
		return (int)added;
	NNA_VALUE(factors, nna_lower_constant(l, NNA_TYPE_S32, 1, &count, 0, 0, places));
	NNA_VALUE(placed, nna_do_scratch_like(l, NNA_TYPE_S32, bits));
	NNA_VALUE(sums, nna_lower_scratch(l, NNA_TYPE_S32, 2, column, 0, 0));
	NNA_VALUE(result, nna_emit_reshape(l, out, 2, column));
	ret = nna_emit_ewise(l, NNA_FN_MUL, placed, bits, factors, NNA_NO_VALUE,
			     NNA_ACT_NONE, 0) ?:
	      nna_emit_reduce(l, NNA_REDUCE_SUM, sums, placed, 1u << 1);
	return ret ?: nna_emit_ewise(l, NNA_FN_ADD, result, sums, (uint32_t)added,
				     NNA_NO_VALUE, NNA_ACT_NONE, 0);
}

static int lower(struct nna_op_context *op)
{
	const uint32_t *dims = op->in[0].dims;
	uint32_t type;
	int ret = read_type(op, &type);

	if (ret)
		return ret;
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	if (type == DENSE) {
		NNA_VALUE(all, nna_emit_reshape(op->lower, out, 2, dims));
		return project(op, all);
	}
	if (!dims[1])
		return nna_emit_fill(op->lower, out, 0);
	NNA_VALUE(bits, nna_lower_scratch(op->lower, NNA_TYPE_S32, 2, dims, 0, 0));
	return project(op, bits) ?: join(op, out, bits, type == SPARSE);
}

const struct nna_op nna_op_lsh_projection = {
	.type = NNA_OPERATION_LSH_PROJECTION,
	.check = check, .infer = infer, .lower = lower,
};

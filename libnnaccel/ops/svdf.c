// SPDX-License-Identifier: MIT
/*
 * SVDF: a filter bank over time, whose weights are factored into features and time.
 *
 *	in 0	input		FLOAT [batch, K]
 *	in 1	feature weights	T0 [filters, K]
 *	in 2	time weights	T0 [filters, memory]
 *	in 3	bias?		T0 [units]
 *	in 4	state		T0 [batch, memory * filters]
 *	in 5	rank		INT32	a divisor of the filters; units = filters / rank
 *	in 6	activation	INT32	enum nna_cell_act
 *	out 0	state		T0 [batch, memory * filters]
 *	out 1	output		T0 [batch, units]
 *
 * The state holds the last features of each filter. A step writes the new features to the last
 * element. The output is the sum over memory and rank of state times time weights. Then the state
 * is shifted by one element, and its last element becomes 0.
 */
#include "libnnaccel/ops/recurrent.h"

static int read_rank(const struct nna_op_context *op, uint32_t *rank)
{
	uint32_t filters = nna_known_dim(&op->in[1], 0);
	int32_t value;
	int ret = nna_op_scalar_i32(op, 5, &value);

	if (!ret && (value < 1 || filters % (uint32_t)value))
		ret = nna_op_refuse(op, NNA_IN(5), "rank %d", "a divisor of %u, the filters",
				    value, filters);
	*rank = (uint32_t)value;
	return ret;
}

static int check(struct nna_op_context *op)
{
	uint32_t filters = nna_known_dim(&op->in[1], 0), rank;
	enum nna_cell_act act;

	return nna_check_dim(op, 1, 1, nna_known_dim(&op->in[0], 1)) ?:
	       nna_check_dim(op, 2, 0, filters) ?: nna_later(read_rank(op, &rank)) ?:
	       nna_later(nna_param_cell_act(op, 6, &act));
}

static int infer(struct nna_op_context *op)
{
	uint32_t filters = op->in[1].dims[0], memory = op->in[2].dims[1], rank, dims[2];
	int ret = read_rank(op, &rank);

	if (ret)
		return ret;
	ret = nna_require_elements(op, 1, 1u << 0) ?: nna_require_elements(op, 2, 1u << 1) ?:
	      nna_require_dim(op, 4, 1, (uint64_t)filters * memory, "filters times memory");
	if (!ret && nna_op_has_input(op, 3))
		ret = nna_require_dim(op, 3, 0, filters / rank, "filters over rank");
	if (ret)
		return ret;
	dims[0] = op->in[0].dims[0];
	dims[1] = filters / rank;
	return nna_set_dims(op, 0, 2, op->in[4].dims) ?: nna_set_dims(op, 1, 2, dims);
}

static int lower(struct nna_op_context *op)
{
	uint32_t batch = op->in[0].dims[0], filters = op->in[1].dims[0];
	uint32_t memory = op->in[2].dims[1], rank;
	uint32_t cube[3] = { batch, filters, memory };
	struct nna_lower *l = op->lower;
	enum nna_cell_act act;
	uint8_t type = nna_lower_type(op->in[0].type);
	int ret = read_rank(op, &rank) ?: nna_param_cell_act(op, 6, &act);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(features, nna_lower_in(op, 1));
	NNA_VALUE(times, nna_lower_in(op, 2));
	NNA_VALUE(bias, nna_op_has_input(op, 3) ? nna_lower_in(op, 3) : NNA_NO_VALUE);
	NNA_VALUE(old_state, nna_lower_in(op, 4));
	NNA_VALUE(new_state, nna_lower_out(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 1));
	if (!batch)
		return 0;
	NNA_VALUE(fresh, nna_do_matrix(l, type, batch, filters));
	NNA_VALUE(before, nna_emit_reshape(l, old_state, 3, cube));
	NNA_VALUE(after, nna_emit_reshape(l, new_state, 3, cube));
	NNA_VALUE(work, nna_lower_scratch(l, type, 3, cube, 0, 0));
	NNA_VALUE(newest, nna_view_range(l, work, 2, memory - 1, 1));
	NNA_VALUE(column, nna_view_drop(l, newest, 2));
	NNA_VALUE(vacant, nna_view_range(l, after, 2, memory - 1, 1));
	ret = nna_do_linear(l, fresh, in, features, NNA_NO_VALUE) ?: nna_do_move(l, work, before) ?:
	      nna_do_move(l, column, fresh) ?: nna_do_zero(l, vacant);
	if (!ret && memory > 1) {
		NNA_VALUE(from, nna_view_range(l, work, 2, 1, memory - 1));
		NNA_VALUE(to, nna_view_range(l, after, 2, 0, memory - 1));
		ret = nna_do_move(l, to, from);
	}
	if (ret)
		return ret;
	NNA_VALUE(products, nna_lower_scratch(l, NNA_TYPE_F32, 3, cube, 0, 0));
	NNA_VALUE(sums, nna_lower_scratch(l, NNA_TYPE_F32, 3,
					  (uint32_t[]){ batch, filters / rank, 1 }, 0, 0));
	NNA_VALUE(grouped, nna_emit_reshape(l, products, 3,
					    (uint32_t[]){ batch, filters / rank, rank * memory }));
	ret = nna_do_ewise(l, NNA_FN_MUL, products, work, times, NNA_NO_VALUE) ?:
	      nna_emit_reduce(l, NNA_REDUCE_SUM, sums, grouped, 1u << 2);
	if (ret)
		return ret;
	NNA_VALUE(result, nna_view_drop(l, sums, 2));
	if (bias != NNA_NO_VALUE) {
		NNA_VALUE(biased, nna_do_scratch_like(l, NNA_TYPE_F32, result));
		ret = nna_do_ewise(l, NNA_FN_ADD, biased, result, bias, NNA_NO_VALUE);
		result = biased;
	}
	return ret ?: nna_do_cell_act(l, act, out, result);
}

const struct nna_op nna_op_svdf = {
	.type = NNA_OPERATION_SVDF,
	.check = check, .infer = infer, .lower = lower,
};

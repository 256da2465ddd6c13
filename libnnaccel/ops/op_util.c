// SPDX-License-Identifier: MIT
/* Functions that operations share: see op_util.h. */
#include "libnnaccel/ops/op_util.h"

static int check_type(const struct nna_op_context *op, uint32_t operand,
		      enum nna_operand_type found, enum nna_operand_type expected)
{
	if (found == expected)
		return 0;
	return nna_op_refuse(op, operand, "type %s", "%s, the type of the subgraph's operand",
			     nna_operand_type_name(found), nna_operand_type_name(expected));
}

int nna_check_in_type(const struct nna_op_context *op, uint32_t i, enum nna_operand_type type)
{
	int ret = nna_check_given(op, i);

	return ret ?: check_type(op, NNA_IN(i), op->in[i].type, type);
}

int nna_check_out_type(const struct nna_op_context *op, uint32_t i, enum nna_operand_type type)
{
	return check_type(op, NNA_OUT(i), op->out[i].type, type);
}

static bool same_quant(const struct nna_shape *a, const struct nna_shape *b)
{
	return !nna_operand_type_is_quantised(a->type) ||
	       (a->scale == b->scale && a->zero_point == b->zero_point);
}

static int refuse_quant(const struct nna_op_context *op, uint32_t operand,
			const struct nna_shape *shape, uint32_t like)
{
	return nna_op_refuse(op, operand, "scale %g and zero point %d",
			     "scale %g and zero point %d, those of input %u",
			     (double)shape->scale, shape->zero_point, (double)op->in[like].scale,
			     op->in[like].zero_point, like);
}

int nna_check_quant(const struct nna_op_context *op, uint32_t operand, float scale,
		    int32_t zero_point)
{
	const struct nna_shape *shape = operand & NNA_OP_OUTPUT ?
						&op->out[operand & ~NNA_OP_OUTPUT] :
						&op->in[operand];

	if (shape->scale == scale && shape->zero_point == zero_point)
		return 0;
	return nna_op_refuse(op, operand, "scale %g and zero point %d",
			     "scale %g and zero point %d", (double)shape->scale,
			     shape->zero_point, (double)scale, zero_point);
}

int nna_check_out_quant(const struct nna_op_context *op, uint32_t i, uint32_t like)
{
	return same_quant(&op->out[i], &op->in[like]) ?
		       0 : refuse_quant(op, NNA_OUT(i), &op->out[i], like);
}

int nna_check_in_quant(const struct nna_op_context *op, uint32_t i, uint32_t like)
{
	return same_quant(&op->in[i], &op->in[like]) ?
		       0 : refuse_quant(op, NNA_IN(i), &op->in[i], like);
}

int nna_check_rank(const struct nna_op_context *op, uint32_t i, uint32_t rank)
{
	const struct nna_shape *shape = &op->in[i];

	if (!nna_op_has_input(op, i) || nna_op_may_omit_input(op, i) || !shape->rank_known ||
	    shape->rank == rank)
		return 0;
	return nna_op_refuse(op, NNA_IN(i), "rank %u", "%u: reshape it", shape->rank, rank);
}

int nna_check_dim(const struct nna_op_context *op, uint32_t i, uint32_t axis, uint32_t value)
{
	uint32_t dim = nna_op_has_input(op, i) ? nna_known_dim(&op->in[i], axis) : 0;

	if (!dim || !value || dim == value)
		return 0;
	return nna_op_refuse(op, NNA_IN(i), "dimension %u is %u", "%u", axis, dim, value);
}

int nna_require_dim(const struct nna_op_context *op, uint32_t i, uint32_t axis, uint64_t value,
		    const char *why)
{
	if (op->in[i].dims[axis] == value)
		return 0;
	return nna_op_refuse(op, NNA_IN(i), "dimension %u is %u", "%llu, %s", axis,
			     op->in[i].dims[axis], (unsigned long long)value, why);
}

int nna_require_elements(const struct nna_op_context *op, uint32_t i, uint32_t axes)
{
	for (uint32_t k = 0; k < op->in[i].rank; k++)
		if (axes >> k & 1 && !op->in[i].dims[k])
			return nna_op_refuse(op, NNA_IN(i), "dimension %u is 0", "1 or more", k);
	return 0;
}

int nna_require_count(const struct nna_op_context *op, uint32_t i, uint64_t *elements)
{
	if (nna_shape_elements(&op->in[i], elements))
		return 0;
	return nna_op_refuse(op, NNA_IN(i), "more than 2^64 elements", "fewer: split the tensor");
}

int nna_require_size(const struct nna_op_context *op, uint32_t i, uint64_t size)
{
	if (size <= INT32_MAX)
		return 0;
	return nna_op_refuse(op, NNA_OUT(i), "a dimension becomes %llu", "%d at most",
			     (unsigned long long)size, INT32_MAX);
}

int nna_check_omitted(const struct nna_op_context *op, uint32_t i, const char *why)
{
	if (!nna_op_has_input(op, i))
		return 0;
	return nna_op_refuse(op, NNA_IN(i), "a value", "none, %s", why);
}

int nna_check_goes_with(const struct nna_op_context *op, uint32_t i, uint32_t other)
{
	if (nna_op_has_input(op, i) || !nna_op_has_input(op, other))
		return 0;
	return nna_op_refuse(op, NNA_IN(i), "no value", "one, because input %u has one", other);
}

int nna_check_both(const struct nna_op_context *op, uint32_t a, uint32_t b)
{
	return nna_check_goes_with(op, a, b) ?: nna_check_goes_with(op, b, a);
}

int nna_param_i32(const struct nna_op_context *op, uint32_t i, int32_t missing, int32_t *value)
{
	*value = missing;
	return nna_op_has_input(op, i) ? nna_op_scalar_i32(op, i, value) : 0;
}

int nna_param_f32(const struct nna_op_context *op, uint32_t i, float missing, float *value)
{
	*value = missing;
	return nna_op_has_input(op, i) ? nna_op_scalar_f32(op, i, value) : 0;
}

int nna_param_bool(const struct nna_op_context *op, uint32_t i, bool missing, bool *value)
{
	*value = missing;
	return nna_op_has_input(op, i) ? nna_op_scalar_bool(op, i, value) : 0;
}

int nna_param_number(const struct nna_op_context *op, uint32_t i, const char *what, int32_t least,
		     int32_t most, uint32_t *value)
{
	int32_t number;
	int ret = nna_op_scalar_i32(op, i, &number);

	if (ret)
		return ret;
	if (number >= least && number <= most) {
		*value = (uint32_t)number;
		return 0;
	}
	if (most == INT32_MAX)
		return nna_op_refuse(op, NNA_IN(i), "the value is %d", "%s, %d or more", number,
				     what, least);
	return nna_op_refuse(op, NNA_IN(i), "the value is %d", "%s, %d to %d", number, what, least,
			     most);
}

int nna_param_positive(const struct nna_op_context *op, uint32_t i, const char *what, float *value)
{
	int ret = nna_op_scalar_f32(op, i, value);

	if (ret || *value > 0)
		return ret;
	return nna_op_refuse(op, NNA_IN(i), "the value is %g", "%s above 0", (double)*value, what);
}

int nna_param_numbers(const struct nna_op_context *op, uint32_t i, uint32_t count, const char *why,
		      int32_t *numbers)
{
	uint32_t given;
	int32_t *values;
	int ret = nna_op_tensor_i32(op, i, &values, &given);

	if (ret)
		return ret;
	if (given == count)
		memcpy(numbers, values, count * sizeof(*numbers));
	else
		ret = nna_op_refuse(op, NNA_IN(i), "length %u", "%u, %s", given, count, why);
	free(values);
	return ret;
}

int nna_param_activation(const struct nna_op_context *op, uint32_t i, enum nna_activation *act)
{
	uint32_t value = NNA_ACT_NONE;
	int ret = 0;

	if (nna_op_has_input(op, i))
		ret = nna_param_number(op, i, "the activation NONE, RELU, RELU1 or RELU6",
				       NNA_ACT_NONE, NNA_ACT_RELU6, &value);
	if (!ret)
		*act = (enum nna_activation)value;
	return ret;
}

int nna_param_axis(const struct nna_op_context *op, uint32_t i, int32_t axis, uint32_t rank,
		   uint32_t *out)
{
	int64_t a = axis < 0 ? (int64_t)axis + rank : axis;

	if (a < 0 || a >= rank)
		return nna_op_refuse(op, NNA_IN(i), "axis %d", "%d to %d for rank %u", axis,
				     -(int32_t)rank, (int32_t)rank - 1, rank);
	*out = (uint32_t)a;
	return 0;
}

int nna_param_input_axis(const struct nna_op_context *op, uint32_t i, uint32_t *axis)
{
	int32_t number;
	int ret = nna_param_i32(op, i, -1, &number);

	if (ret)
		return ret;
	return op->in[0].rank_known ? nna_param_axis(op, i, number, op->in[0].rank, axis) : -EAGAIN;
}

int nna_set_dims(struct nna_op_context *op, uint32_t i, uint32_t rank, const uint32_t *dims)
{
	struct nna_shape *shape = &op->out[i];

	if (rank > NNACCEL_MAX_RANK)
		return nna_op_refuse(op, NNA_OUT(i), "rank %u", "%u at most", rank,
				     NNACCEL_MAX_RANK);
	memset(shape->dims, 0, sizeof(shape->dims));
	if (rank)
		memcpy(shape->dims, dims, rank * sizeof(*dims));
	shape->rank = rank;
	shape->rank_known = true;
	return 0;
}

int nna_set_bound(struct nna_op_context *op, uint32_t i, uint32_t rank, const uint32_t *dims)
{
	int ret = nna_set_dims(op, i, rank, dims);

	op->out[i].bounded = !ret && dims[0];
	return ret;
}

int nna_set_like(struct nna_op_context *op, uint32_t i, uint32_t like)
{
	return nna_set_dims(op, i, op->in[like].rank, op->in[like].dims);
}

int nna_broadcast_dims(const struct nna_op_context *op, const struct nna_shape *a,
		       const struct nna_shape *b, uint32_t *rank, uint32_t *dims)
{
	uint32_t n = a->rank > b->rank ? a->rank : b->rank;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t da = k + a->rank < n ? 1 : a->dims[k + a->rank - n];
		uint32_t db = k + b->rank < n ? 1 : b->dims[k + b->rank - n];

		if (da != db && da != 1 && db != 1)
			return nna_op_refuse(op, NNA_IN(1), "dimension %u against %u of input 0",
					     "equal ones, or 1 in one input", db, da);
		dims[k] = da == 1 ? db : da;
	}
	*rank = n;
	return 0;
}

int nna_infer_like_first(struct nna_op_context *op)
{
	return nna_set_like(op, 0, 0);
}

int nna_infer_broadcast(struct nna_op_context *op)
{
	uint32_t rank, dims[NNACCEL_MAX_RANK];

	return nna_broadcast_dims(op, &op->in[0], &op->in[1], &rank, dims) ?:
	       nna_set_dims(op, 0, rank, dims);
}

int64_t nna_view_nhwc(struct nna_lower *l, uint32_t value, bool nchw)
{
	static const uint32_t axes[] = { 0, 2, 3, 1 };

	return nchw ? nna_view_permute(l, value, axes) : value;
}

int64_t nna_do_scratch_like(struct nna_lower *l, uint8_t type, uint32_t like)
{
	struct nna_value v = *nna_lower_value(l, like); /* nna_lower_scratch() may move it */
	bool same = v.type == type;

	return nna_lower_scratch(l, type, v.rank, v.dims, same ? v.scale : 0,
				 same ? v.zero_point : 0);
}

int64_t nna_do_constant_f32(struct nna_lower *l, float value)
{
	static const uint32_t one = 1;

	return nna_lower_constant(l, NNA_TYPE_F32, 1, &one, 0, 0, &value);
}

int64_t nna_view_range(struct nna_lower *l, uint32_t value, uint32_t axis, uint32_t start,
		       uint32_t count)
{
	return nna_view_slice(l, value, axis, start, 1, count);
}

int nna_do_reshape(struct nna_op_context *op)
{
	NNA_VALUE(in, nna_lower_in(op, 0));

	return nna_lower_alias(op, 0, in);
}

bool nna_value_is_empty(const struct nna_lower *l, uint32_t value)
{
	const struct nna_value *v = nna_lower_value(l, value);

	for (uint32_t k = 0; k < v->rank; k++) {
		if (!v->dims[k])
			return true;
	}
	return false;
}

int nna_do_ewise(struct nna_lower *l, uint8_t kind, uint32_t out, uint32_t a, uint32_t b,
		 uint32_t c)
{
	return nna_emit_ewise(l, kind, out, a, b, c, NNA_ACT_NONE, 0);
}

int nna_do_move(struct nna_lower *l, uint32_t out, uint32_t in)
{
	const struct nna_value *o = nna_lower_value(l, out), *i = nna_lower_value(l, in);

	if (nna_value_is_empty(l, out))
		return 0;
	if (o->type == i->type && o->scale == i->scale && o->zero_point == i->zero_point)
		return nna_emit_copy(l, out, in);
	return nna_emit_ewise(l, NNA_FN_IDENTITY, out, in, NNA_NO_VALUE, NNA_NO_VALUE,
			      NNA_ACT_NONE, 0);
}

int nna_do_zero(struct nna_lower *l, uint32_t out)
{
	const struct nna_value *v = nna_lower_value(l, out);

	if (nna_value_is_empty(l, out))
		return 0;
	return nna_emit_fill(l, out, v->scale != 0 ? (uint64_t)(int64_t)v->zero_point : 0);
}

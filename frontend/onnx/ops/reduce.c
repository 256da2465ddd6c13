// SPDX-License-Identifier: MIT
/* One element from all elements along some axes. */
#include "frontend/onnx/translation.h"

#include <math.h>

/**
 * struct reduction - what the attributes and input 1 say
 * @axes: bits of the operand's dimensions
 * @keep: reduced dimensions stay, as 1
 * @none: nothing is reduced
 */
struct reduction {
	struct onnx_operand x;
	enum onnx_order order;
	uint32_t axes;
	bool keep, none;
};

static void read_axes(struct onnx_translation *t, struct reduction *r, enum onnx_order order)
{
	const uint32_t rank = onnx_tensor(t, 0)->rank;
	int64_t list[ONNX_MAX_RANK];
	uint32_t count = onnx_list(t, 1, "axes", list, ONNX_MAX_RANK);

	r->keep = onnx_attribute_int(t, "keepdims", 1);
	/* Where the rank changes, so does what is last. */
	r->order = r->keep && rank >= 3 ? order : ONNX_PLAIN;
	r->axes = 0;
	if (count == ONNX_ABSENT || !count) {
		r->none = onnx_attribute_int(t, "noop_with_empty_axes", 0);
		r->axes = r->none ? 0 : (1u << rank) - 1;
		return;
	}
	for (uint32_t i = 0; i < count && !t->ret; i++)
		r->axes |= 1u << onnx_place(r->order, rank, onnx_axis(t, list[i], rank));
}

static void read(struct onnx_translation *t, struct reduction *r, bool integers)
{
	const uint32_t type = onnx_tensor(t, 0)->type;

	if (!integers || (type != ONNX_INT32 && type != ONNX_INT64))
		onnx_need_float(t, 0);
	read_axes(t, r, onnx_order_of(t, 0));
	r->x = onnx_in_order(t, 0, r->order);
}

static void reduce(struct onnx_translation *t, uint32_t type)
{
	struct reduction r = { .axes = 0 };

	read(t, &r, type != NNA_OPERATION_MEAN);
	if (!t->ret)
		onnx_set(t, 0, onnx_reduce(t, type, r.x, r.axes, r.keep), r.order);
}

void onnx_translate_reduce_mean(struct onnx_translation *t)
{
	reduce(t, NNA_OPERATION_MEAN);
}

void onnx_translate_reduce_sum(struct onnx_translation *t)
{
	reduce(t, NNA_OPERATION_REDUCE_SUM);
}

void onnx_translate_reduce_max(struct onnx_translation *t)
{
	reduce(t, NNA_OPERATION_REDUCE_MAX);
}

void onnx_translate_reduce_min(struct onnx_translation *t)
{
	reduce(t, NNA_OPERATION_REDUCE_MIN);
}

void onnx_translate_reduce_prod(struct onnx_translation *t)
{
	reduce(t, NNA_OPERATION_REDUCE_PROD);
}

void onnx_translate_reduce_l1(struct onnx_translation *t)
{
	struct reduction r = { .axes = 0 };

	read(t, &r, true);
	r.x = onnx_unary(t, NNA_OPERATION_ABS, r.x);
	onnx_set(t, 0, onnx_reduce(t, NNA_OPERATION_REDUCE_SUM, r.x, r.axes, r.keep), r.order);
}

static struct onnx_operand sum_of_squares(struct onnx_translation *t, struct reduction *r)
{
	return onnx_reduce(t, NNA_OPERATION_REDUCE_SUM,
			   onnx_binary(t, NNA_OPERATION_MUL, r->x, r->x), r->axes, r->keep);
}

void onnx_translate_reduce_sum_square(struct onnx_translation *t)
{
	struct reduction r = { .axes = 0 };

	read(t, &r, true);
	onnx_set(t, 0, sum_of_squares(t, &r), r.order);
}

void onnx_translate_reduce_l2(struct onnx_translation *t)
{
	struct reduction r = { .axes = 0 };

	read(t, &r, false);
	onnx_set(t, 0, onnx_unary(t, NNA_OPERATION_SQRT, sum_of_squares(t, &r)), r.order);
}

void onnx_translate_reduce_log_sum(struct onnx_translation *t)
{
	struct reduction r = { .axes = 0 };

	read(t, &r, false);
	r.x = onnx_reduce(t, NNA_OPERATION_REDUCE_SUM, r.x, r.axes, r.keep);
	onnx_set(t, 0, onnx_unary(t, NNA_OPERATION_LOG, r.x), r.order);
}

/* The largest element is taken out, so that no power is too large. */
void onnx_translate_reduce_log_sum_exp(struct onnx_translation *t)
{
	struct reduction r = { .axes = 0 };
	struct onnx_operand most, sum, finite;

	read(t, &r, false);
	most = onnx_reduce(t, NNA_OPERATION_REDUCE_MAX, r.x, r.axes, true);
	/* Infinity less infinity is no number. */
	finite = onnx_binary(t, NNA_OPERATION_LESS, onnx_unary(t, NNA_OPERATION_ABS, most),
			     onnx_number(t, &most, (double)INFINITY));
	most = onnx_select(t, finite, most, onnx_number(t, &most, 0));
	sum = onnx_unary(t, NNA_OPERATION_EXP, onnx_binary(t, NNA_OPERATION_SUB, r.x, most));
	sum = onnx_unary(t, NNA_OPERATION_LOG,
			 onnx_reduce(t, NNA_OPERATION_REDUCE_SUM, sum, r.axes, true));
	sum = onnx_binary(t, NNA_OPERATION_ADD, sum, most);
	if (!r.keep && !t->ret) {
		uint32_t dims[ONNX_MAX_RANK], rank = 0;

		for (uint32_t k = 0; k < sum.rank; k++)
			if (!(r.axes >> k & 1))
				dims[rank++] = sum.dims[k];
		sum = onnx_reshape(t, sum, rank, dims);
	}
	onnx_set(t, 0, sum, r.order);
}

/* The index of the first largest or smallest element. */
static void arg(struct onnx_translation *t, uint32_t type)
{
	struct onnx_operand x = onnx_plain(t, 0), out;
	const uint32_t axis = onnx_axis(t, onnx_attribute_int(t, "axis", 0), x.rank);
	uint32_t dims[ONNX_MAX_RANK], n = 0;

	if (x.type != NNA_OPERAND_TENSOR_INT32 && x.type != NNA_OPERAND_TENSOR_INT64)
		onnx_need_float(t, 0);
	if (onnx_attribute_int(t, "select_last_index", 0))
		onnx_unsupported(t, "select_last_index");
	if (t->ret)
		return;
	out = onnx_like(&x, NNA_OPERAND_TENSOR_INT32);
	for (uint32_t k = 0; k < x.rank; k++)
		if (k != axis)
			out.dims[n++] = x.dims[k];
	out.rank = n;
	onnx_push(t, x.number);
	onnx_push_i32(t, (int32_t)axis);
	out = onnx_cast(t, onnx_emit(t, type, out), NNA_OPERAND_TENSOR_INT64);
	if (onnx_attribute_int(t, "keepdims", 1)) {
		for (uint32_t k = 0; k < x.rank; k++)
			dims[k] = k == axis ? 1 : x.dims[k];
		out = onnx_reshape(t, out, x.rank, dims);
	}
	onnx_set(t, 0, out, ONNX_PLAIN);
}

void onnx_translate_arg_max(struct onnx_translation *t)
{
	arg(t, NNA_OPERATION_ARGMAX);
}

void onnx_translate_arg_min(struct onnx_translation *t)
{
	arg(t, NNA_OPERATION_ARGMIN);
}

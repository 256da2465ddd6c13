// SPDX-License-Identifier: MIT
/* Operands and operations of the graph, and small expressions of them. */
#include "frontend/onnx/translation.h"

#include <limits.h>
#include <string.h>

struct onnx_operand onnx_no_operand(void)
{
	return (struct onnx_operand){ .number = ONNX_ABSENT };
}

struct onnx_operand onnx_like(const struct onnx_operand *x, uint32_t type)
{
	struct onnx_operand out = *x;

	out.number = ONNX_ABSENT;
	if (type != x->type) {
		const bool quantised = type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ||
				       type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED ||
				       type == NNA_OPERAND_TENSOR_QUANT16_SYMM;

		out.scale = quantised ? 1 : 0;
		out.zero = 0;
	}
	out.type = type;
	return out;
}

uint32_t onnx_count(const struct onnx_operand *x)
{
	uint64_t n = 1;

	for (uint32_t i = 0; i < x->rank; i++)
		n = n > UINT32_MAX ? n : n * x->dims[i];
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

struct onnx_operand onnx_add(struct onnx_translation *t, struct onnx_operand x)
{
	static const uint32_t one = 1;
	struct nna_operand_desc desc = {
		.type = x.type,
		.rank = x.rank ? x.rank : 1,
		.dims = x.rank ? x.dims : &one,
		.scale = x.scale,
		.zero_point = x.zero,
	};
	uint64_t elements = 1;
	int ret;

	x.number = 0;
	for (uint32_t i = 0; i < x.rank && !t->ret; i++) {
		elements = elements > UINT32_MAX ? elements : elements * x.dims[i];
		if (!x.dims[i])
			onnx_unsupported(t, "a tensor without elements");
	}
	if (!t->ret && elements > UINT32_MAX)
		onnx_unsupported(t, "a tensor of more than 4294967295 elements");
	if (t->ret)
		return x;
	ret = nna_graph_add_operand(t->graph, 0, &desc);
	if (ret < 0)
		onnx_fail(t, ret, "an operand was refused: %s", strerror(-ret));
	else
		x.number = (uint32_t)ret;
	return x;
}

struct onnx_operand onnx_add_constant(struct onnx_translation *t, struct onnx_operand x,
				      const void *data, uint64_t size, bool lasting)
{
	int ret;

	x = onnx_add(t, x);
	if (t->ret)
		return x;
	/* What reads floats expects them aligned. */
	lasting = lasting && !((uintptr_t)data & 7);
	ret = nna_graph_set_constant(t->graph, 0, x.number, data, (size_t)size, lasting);
	if (ret)
		onnx_fail(t, ret, "a constant was refused: %s", strerror(-ret));
	return x;
}

uint32_t onnx_operand_type(struct onnx_translation *t, uint32_t type)
{
	switch (type) {
	case ONNX_FLOAT:
		return NNA_OPERAND_TENSOR_FLOAT32;
	case ONNX_FLOAT16:
		return NNA_OPERAND_TENSOR_FLOAT16;
	case ONNX_INT32:
		return NNA_OPERAND_TENSOR_INT32;
	case ONNX_INT64:
		return NNA_OPERAND_TENSOR_INT64;
	case ONNX_BOOL:
		return NNA_OPERAND_TENSOR_BOOL8;
	case ONNX_UINT8:
		return NNA_OPERAND_TENSOR_QUANT8_ASYMM;
	case ONNX_INT8:
		return NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	case ONNX_INT16:
		return NNA_OPERAND_TENSOR_QUANT16_SYMM;
	default:
		onnx_unsupported(t, "a tensor of type %s", onnx_type_name(type));
		return NNA_OPERAND_TENSOR_FLOAT32;
	}
}

void onnx_push(struct onnx_translation *t, uint32_t operand)
{
	if (t->ret || !onnx_grow(t, &t->in, t->in_count, &t->in_room))
		return;
	t->in[t->in_count++] = operand;
}

static void push_constant(struct onnx_translation *t, uint32_t type, uint32_t rank,
			  const uint32_t *dims, const void *data, size_t size)
{
	const struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };
	int ret, number;

	if (t->ret)
		return;
	number = nna_graph_add_operand(t->graph, 0, &desc);
	ret = number < 0 ? number : data ?
	      nna_graph_set_constant(t->graph, 0, (uint32_t)number, data, size, false) :
	      nna_graph_set_no_value(t->graph, 0, (uint32_t)number);
	if (ret)
		onnx_fail(t, ret, "a parameter was refused: %s", strerror(-ret));
	onnx_push(t, (uint32_t)number);
}

void onnx_push_omitted(struct onnx_translation *t, uint32_t type)
{
	push_constant(t, type, 0, NULL, NULL, 0);
}

void onnx_push_i32(struct onnx_translation *t, int32_t value)
{
	push_constant(t, NNA_OPERAND_INT32, 0, NULL, &value, sizeof(value));
}

void onnx_push_bool(struct onnx_translation *t, bool value)
{
	const uint8_t byte = value;

	push_constant(t, NNA_OPERAND_BOOL, 0, NULL, &byte, sizeof(byte));
}

void onnx_push_f32(struct onnx_translation *t, float value)
{
	push_constant(t, NNA_OPERAND_FLOAT32, 0, NULL, &value, sizeof(value));
}

void onnx_push_list(struct onnx_translation *t, const int32_t *values, uint32_t count)
{
	push_constant(t, NNA_OPERAND_TENSOR_INT32, 1, &count, values, count * sizeof(*values));
}

void onnx_push_table(struct onnx_translation *t, const int32_t *values, uint32_t rows,
		     uint32_t columns)
{
	const uint32_t dims[] = { rows, columns };

	push_constant(t, NNA_OPERAND_TENSOR_INT32, 2, dims, values,
		      (size_t)rows * columns * sizeof(*values));
}

void onnx_emit_all(struct onnx_translation *t, uint32_t type, const uint32_t *out, uint32_t count)
{
	int ret;

	if (t->ret || !onnx_grow(t, &t->origin.nodes, t->origin.count, &t->origin_room))
		return;
	ret = nna_graph_add_operation(t->graph, 0, type, t->in_count, t->in, count, out);
	t->in_count = 0;
	if (ret) {
		onnx_fail(t, ret, "%s was refused: %s", nna_operation_name(type), strerror(-ret));
		return;
	}
	t->origin.nodes[t->origin.count++] = t->number;
}

struct onnx_operand onnx_emit(struct onnx_translation *t, uint32_t type, struct onnx_operand out)
{
	out = onnx_add(t, out);
	onnx_emit_all(t, type, &out.number, 1);
	return out;
}

struct onnx_operand onnx_unary(struct onnx_translation *t, uint32_t type, struct onnx_operand x)
{
	onnx_push(t, x.number);
	return onnx_emit(t, type, onnx_like(&x, type == NNA_OPERATION_DEQUANTIZE ?
						NNA_OPERAND_TENSOR_FLOAT32 : x.type));
}

/* The dims of two tensors that are broadcast. */
static void broadcast(struct onnx_translation *t, const struct onnx_operand *a,
		      const struct onnx_operand *b, struct onnx_operand *out)
{
	const uint32_t rank = a->rank > b->rank ? a->rank : b->rank;

	out->rank = rank;
	for (uint32_t k = 0; k < rank && !t->ret; k++) {
		const uint32_t x = k + a->rank < rank ? 1 : a->dims[k + a->rank - rank];
		const uint32_t y = k + b->rank < rank ? 1 : b->dims[k + b->rank - rank];

		if (x != y && x != 1 && y != 1)
			onnx_wrong(t, "dimensions of %u and %u do not agree", x, y);
		out->dims[k] = x == 1 ? y : x;
	}
}

struct onnx_operand onnx_binary(struct onnx_translation *t, uint32_t type, struct onnx_operand a,
				struct onnx_operand b)
{
	struct onnx_operand out = onnx_like(&a, a.type);

	broadcast(t, &a, &b, &out);
	switch (type) {
	case NNA_OPERATION_EQUAL:
	case NNA_OPERATION_NOT_EQUAL:
	case NNA_OPERATION_LESS:
	case NNA_OPERATION_LESS_EQUAL:
	case NNA_OPERATION_GREATER:
	case NNA_OPERATION_GREATER_EQUAL:
		out.type = NNA_OPERAND_TENSOR_BOOL8;
		out.scale = 0;
		out.zero = 0;
	}
	onnx_push(t, a.number);
	onnx_push(t, b.number);
	if (type == NNA_OPERATION_ADD || type == NNA_OPERATION_SUB || type == NNA_OPERATION_MUL ||
	    type == NNA_OPERATION_DIV)
		onnx_push_i32(t, NNA_ACT_NONE);
	return onnx_emit(t, type, out);
}

struct onnx_operand onnx_select(struct onnx_translation *t, struct onnx_operand condition,
				struct onnx_operand a, struct onnx_operand b)
{
	struct onnx_operand out = onnx_like(&a, a.type), all = out;

	broadcast(t, &a, &b, &out);
	broadcast(t, &out, &condition, &all);
	onnx_push(t, condition.number);
	onnx_push(t, a.number);
	onnx_push(t, b.number);
	return onnx_emit(t, NNA_OPERATION_SELECT, all);
}

struct onnx_operand onnx_cast(struct onnx_translation *t, struct onnx_operand x, uint32_t type)
{
	if (x.type == type)
		return x;
	onnx_push(t, x.number);
	return onnx_emit(t, NNA_OPERATION_CAST, onnx_like(&x, type));
}

struct onnx_operand onnx_bitcast(struct onnx_translation *t, struct onnx_operand x, uint32_t type,
				 float scale, int32_t zero)
{
	struct onnx_operand out = x;

	/* The same float, not one that is close to it. */
	if (x.type == type && !memcmp(&x.scale, &scale, sizeof(scale)) && x.zero == zero)
		return x;
	out.type = type;
	out.scale = scale;
	out.zero = zero;
	onnx_push(t, x.number);
	return onnx_emit(t, NNA_OPERATION_BITCAST, out);
}

struct onnx_operand onnx_number(struct onnx_translation *t, const struct onnx_operand *like,
				double value)
{
	const struct onnx_operand out = { .number = ONNX_ABSENT, .type = like->type };
	const bool is_half = like->type == NNA_OPERAND_TENSOR_FLOAT16;
	const int32_t i32 = (int32_t)(value > INT32_MAX ? INT32_MAX :
				      value < INT32_MIN ? INT32_MIN : value);
	uint8_t bytes[8];
	const struct onnx_tensor number = { .type = is_half ? ONNX_FLOAT16 : ONNX_FLOAT,
					    .data = bytes };

	if (like->type == NNA_OPERAND_TENSOR_INT32)
		return onnx_add_constant(t, out, &i32, sizeof(i32), false);
	if (like->type == NNA_OPERAND_TENSOR_INT64)
		return onnx_add_constant(t, out, &(int64_t){ i32 }, sizeof(int64_t), false);
	onnx_put_real(&number, 0, value);
	return onnx_add_constant(t, out, bytes, is_half ? 2 : 4, false);
}

struct onnx_operand onnx_ints(struct onnx_translation *t, uint32_t count, const int32_t *values)
{
	const struct onnx_operand out = { .number = ONNX_ABSENT, .rank = 1, .dims = { count },
					  .type = NNA_OPERAND_TENSOR_INT32 };

	return onnx_add_constant(t, out, values, count * sizeof(*values), false);
}

struct onnx_operand onnx_reshape(struct onnx_translation *t, struct onnx_operand x, uint32_t rank,
				 const uint32_t *dims)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	int32_t list[ONNX_MAX_RANK] = { 1 };

	out.rank = rank;
	for (uint32_t k = 0; k < rank; k++) {
		out.dims[k] = dims[k];
		list[k] = (int32_t)dims[k];
	}
	if (!t->ret && onnx_count(&out) != onnx_count(&x))
		onnx_wrong(t, "%u elements become %u", onnx_count(&x), onnx_count(&out));
	if (rank == x.rank && !memcmp(dims, x.dims, rank * sizeof(*dims)))
		return x;
	onnx_push(t, x.number);
	onnx_push_list(t, list, rank ? rank : 1);
	return onnx_emit(t, NNA_OPERATION_RESHAPE, out);
}

struct onnx_operand onnx_transpose(struct onnx_translation *t, struct onnx_operand x,
				   const uint32_t *axes)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	uint32_t last = 0;
	int32_t list[ONNX_MAX_RANK];
	bool moves = false;

	for (uint32_t k = 0; k < x.rank; k++) {
		out.dims[k] = x.dims[axes[k]];
		list[k] = (int32_t)axes[k];
		/* Dimensions of 1 may go anywhere. */
		if (out.dims[k] == 1)
			continue;
		moves |= axes[k] < last;
		last = axes[k];
	}
	if (!moves)
		return onnx_reshape(t, x, x.rank, out.dims);
	onnx_push(t, x.number);
	onnx_push_list(t, list, x.rank);
	return onnx_emit(t, NNA_OPERATION_TRANSPOSE, out);
}

struct onnx_operand onnx_part(struct onnx_translation *t, struct onnx_operand x, uint32_t axis,
			      uint32_t begin, uint32_t size)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	int32_t from[ONNX_MAX_RANK] = { 0 }, count[ONNX_MAX_RANK];

	for (uint32_t k = 0; k < x.rank; k++)
		count[k] = (int32_t)x.dims[k];
	from[axis] = (int32_t)begin;
	count[axis] = (int32_t)size;
	out.dims[axis] = size;
	onnx_push(t, x.number);
	onnx_push_list(t, from, x.rank);
	onnx_push_list(t, count, x.rank);
	return onnx_emit(t, NNA_OPERATION_SLICE, out);
}

struct onnx_operand onnx_gather(struct onnx_translation *t, struct onnx_operand x, uint32_t axis,
				struct onnx_operand indices)
{
	const uint32_t inner = indices.rank ? indices.rank : 1;
	struct onnx_operand out = onnx_like(&x, x.type);
	uint32_t n = axis, dims[ONNX_MAX_RANK];

	if (x.rank + inner - 1 > ONNX_MAX_RANK) {
		onnx_unsupported(t, "a result of more than %u dimensions", ONNX_MAX_RANK);
		return out;
	}
	for (uint32_t k = 0; k < inner; k++)
		out.dims[n++] = indices.rank ? indices.dims[k] : 1;
	for (uint32_t k = axis + 1; k < x.rank; k++)
		out.dims[n++] = x.dims[k];
	out.rank = n;
	onnx_push(t, x.number);
	onnx_push_i32(t, (int32_t)axis);
	onnx_push(t, indices.number);
	out = onnx_emit(t, NNA_OPERATION_GATHER, out);
	if (indices.rank)
		return out;
	/* NNAPI's scalars are [1]: the dimension goes. */
	for (uint32_t k = 0; k + 1 < x.rank; k++)
		dims[k] = x.dims[k < axis ? k : k + 1];
	return onnx_reshape(t, out, x.rank - 1, dims);
}

struct onnx_operand onnx_pad(struct onnx_translation *t, struct onnx_operand x, const int32_t *pads)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	bool any = false;

	for (uint32_t k = 0; k < x.rank; k++) {
		out.dims[k] += (uint32_t)(pads[2 * k] + pads[2 * k + 1]);
		any |= pads[2 * k] || pads[2 * k + 1];
	}
	if (!any)
		return x;
	onnx_push(t, x.number);
	onnx_push_table(t, pads, x.rank, 2);
	return onnx_emit(t, NNA_OPERATION_PAD, out);
}

struct onnx_operand onnx_expand(struct onnx_translation *t, struct onnx_operand x, uint32_t rank,
				const uint32_t *dims)
{
	uint32_t wide[ONNX_MAX_RANK] = { 0 };
	struct onnx_operand out;
	int32_t times[ONNX_MAX_RANK];
	bool any = false;

	for (uint32_t k = 0; k < rank; k++)
		wide[k] = k + x.rank < rank ? 1 : x.dims[k + x.rank - rank];
	x = onnx_reshape(t, x, rank, wide);
	out = onnx_like(&x, x.type);
	for (uint32_t k = 0; k < rank; k++) {
		times[k] = wide[k] == dims[k] ? 1 : (int32_t)dims[k];
		out.dims[k] = dims[k];
		any |= times[k] != 1;
	}
	if (!any)
		return x;
	onnx_push(t, x.number);
	onnx_push_list(t, times, rank);
	return onnx_emit(t, NNA_OPERATION_TILE, out);
}

struct onnx_operand onnx_reduce(struct onnx_translation *t, uint32_t type, struct onnx_operand x,
				uint32_t axes, bool keep)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	int32_t list[ONNX_MAX_RANK];
	uint32_t n = 0, rank = 0;

	for (uint32_t k = 0; k < x.rank; k++) {
		if (axes >> k & 1)
			list[n++] = (int32_t)k;
		if (axes >> k & 1 && keep)
			out.dims[rank++] = 1;
		else if (!(axes >> k & 1))
			out.dims[rank++] = x.dims[k];
	}
	out.rank = rank;
	if (!n)
		return x;
	onnx_push(t, x.number);
	onnx_push_list(t, list, n);
	if (type == NNA_OPERATION_MEAN)
		onnx_push_i32(t, keep);
	else
		onnx_push_bool(t, keep);
	return onnx_emit(t, type, out);
}

/*
 * CONCATENATION has at most 4 dimensions: those before the axis are one, and so are those behind.
 */
struct onnx_operand onnx_joined(struct onnx_translation *t, uint32_t count,
				struct onnx_operand *parts, uint32_t axis)
{
	struct onnx_operand out = onnx_like(&parts[0], parts[0].type), whole;
	const bool folds = out.rank > 4;
	uint32_t folded[3] = { 1, 0, 1 };

	for (uint32_t k = 0; k < out.rank; k++)
		if (k != axis)
			folded[k > axis ? 2 : 0] *= out.dims[k];
	out.dims[axis] = 0;
	for (uint32_t i = 0; i < count && !t->ret; i++) {
		bool fits = parts[i].rank == out.rank;

		for (uint32_t k = 0; k < out.rank && fits; k++)
			fits = k == axis || parts[i].dims[k] == out.dims[k];
		if (!fits)
			onnx_wrong(t, "input %u has other dimensions", i);
		out.dims[axis] += parts[i].dims[axis];
	}
	for (uint32_t i = 0; i < count && folds && !t->ret; i++) {
		folded[1] = parts[i].dims[axis];
		parts[i] = onnx_reshape(t, parts[i], 3, folded);
	}
	for (uint32_t i = 0; i < count; i++)
		onnx_push(t, parts[i].number);
	onnx_push_i32(t, (int32_t)(folds ? 1 : axis));
	if (!folds)
		return onnx_emit(t, NNA_OPERATION_CONCATENATION, out);
	folded[1] = out.dims[axis];
	whole = onnx_like(&out, out.type);
	whole.rank = 3;
	memcpy(whole.dims, folded, sizeof(folded));
	return onnx_reshape(t, onnx_emit(t, NNA_OPERATION_CONCATENATION, whole), out.rank,
			    out.dims);
}

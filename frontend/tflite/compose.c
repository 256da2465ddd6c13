// SPDX-License-Identifier: MIT
/* Operators as small expressions; compose.h describes each function. */
#include "frontend/tflite/compose.h"

#include <string.h>

static bool is_quantised(uint32_t type)
{
	switch (type) {
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL:
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		return true;
	default:
		return false;
	}
}

static uint64_t elements(const struct tflite_value *x)
{
	uint64_t n = 1;

	for (uint32_t i = 0; i < x->o.desc.rank; i++)
		n *= x->o.dims[i];
	return n;
}

/* Adds an operand that is no constant. */
static struct tflite_value fresh(struct tflite_translation *t, const struct tflite_operand_desc *o)
{
	struct tflite_value v = { .o = *o };

	v.operand = tflite_add_operand(t, o);
	return v;
}

/* An error if a value of @rank dimensions has no room in a description. */
static bool check_rank(struct tflite_translation *t, uint32_t rank)
{
	if (rank > TFLITE_MAX_RANK + 1)
		tflite_unsupported(t, NULL, "a value of %u dimensions", "%u or fewer", rank,
				   TFLITE_MAX_RANK + 1);
	return rank <= TFLITE_MAX_RANK + 1;
}

static struct tflite_value plain(struct tflite_translation *t, uint32_t type, uint32_t rank,
				 const uint32_t *dims)
{
	struct tflite_operand_desc o = { .desc = { .type = type, .rank = rank } };

	if (!check_rank(t, rank)) {
		o.desc.rank = 0;
		return (struct tflite_value){ TFLITE_NO_OPERAND, o };
	}
	memcpy(o.dims, dims, rank * sizeof(*dims));
	return fresh(t, &o);
}

struct tflite_value tflite_like(struct tflite_translation *t, const struct tflite_value *x,
				uint32_t type)
{
	return plain(t, type, x->o.desc.rank, x->o.dims);
}

struct tflite_value tflite_value(struct tflite_translation *t, uint32_t index)
{
	struct tflite_value v = { 0 };

	tflite_describe(t, tflite_input(t, index), &v.o);
	v.operand = tflite_input_operand(t, index);
	return v;
}

struct tflite_value tflite_real(struct tflite_translation *t, uint32_t index)
{
	struct tflite_value x = tflite_value(t, index), real;

	if (!is_quantised(x.o.desc.type))
		return x;
	real = tflite_like(t, &x, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_DEQUANTIZE, real.operand);
	return real;
}

static struct tflite_value constant(struct tflite_translation *t, uint32_t type, uint32_t rank,
				    const uint32_t *dims, const void *values)
{
	struct tflite_value v = { .o.desc = { .type = type, .rank = rank } };

	memcpy(v.o.dims, dims, rank * sizeof(*dims));
	v.operand = tflite_add_constant(t, &v.o, values,
					elements(&v) * nna_operand_type_size(type));
	return v;
}

struct tflite_value tflite_float_tensor(struct tflite_translation *t, uint32_t rank,
					const uint32_t *dims, const float *values)
{
	return constant(t, NNA_OPERAND_TENSOR_FLOAT32, rank, dims, values);
}

struct tflite_value tflite_int_tensor(struct tflite_translation *t, uint32_t rank,
				      const uint32_t *dims, const int32_t *values)
{
	return constant(t, NNA_OPERAND_TENSOR_INT32, rank, dims, values);
}

struct tflite_value tflite_long_tensor(struct tflite_translation *t, uint32_t rank,
				       const uint32_t *dims, const int64_t *values)
{
	return constant(t, NNA_OPERAND_TENSOR_INT64, rank, dims, values);
}

struct tflite_value tflite_float(struct tflite_translation *t, float value)
{
	return tflite_float_tensor(t, 1, (uint32_t[]){ 1 }, &value);
}

struct tflite_value tflite_int(struct tflite_translation *t, int32_t value)
{
	return tflite_int_tensor(t, 1, (uint32_t[]){ 1 }, &value);
}

struct tflite_value tflite_unary(struct tflite_translation *t, uint32_t type,
				 struct tflite_value x)
{
	struct tflite_value y = fresh(t, &x.o);

	tflite_push(t, x.operand);
	tflite_emit_to(t, type, y.operand);
	return y;
}

/* The dims that two values broadcast to. */
static uint32_t join(const struct tflite_value *a, const struct tflite_value *b, uint32_t *dims)
{
	const struct tflite_operand_desc *wide = a->o.desc.rank >= b->o.desc.rank ? &a->o : &b->o;
	const struct tflite_operand_desc *other = wide == &a->o ? &b->o : &a->o;
	uint32_t shift = wide->desc.rank - other->desc.rank;

	memcpy(dims, wide->dims, sizeof(wide->dims));
	for (uint32_t i = 0; i < other->desc.rank; i++)
		if (dims[shift + i] == 1)
			dims[shift + i] = other->dims[i];
	return wide->desc.rank;
}

static bool compares(uint32_t type)
{
	switch (type) {
	case NNA_OPERATION_EQUAL:
	case NNA_OPERATION_NOT_EQUAL:
	case NNA_OPERATION_LESS:
	case NNA_OPERATION_LESS_EQUAL:
	case NNA_OPERATION_GREATER:
	case NNA_OPERATION_GREATER_EQUAL:
		return true;
	default:
		return false;
	}
}

static bool has_activation(uint32_t type)
{
	return type == NNA_OPERATION_ADD || type == NNA_OPERATION_SUB ||
	       type == NNA_OPERATION_MUL || type == NNA_OPERATION_DIV;
}

struct tflite_value tflite_binary(struct tflite_translation *t, uint32_t type,
				  struct tflite_value a, struct tflite_value b)
{
	uint32_t dims[TFLITE_MAX_RANK + 1], rank = join(&a, &b, dims);
	struct tflite_value y;

	y = plain(t, compares(type) ? NNA_OPERAND_TENSOR_BOOL8 : a.o.desc.type, rank, dims);
	tflite_push(t, a.operand);
	tflite_push(t, b.operand);
	if (has_activation(type))
		tflite_push_i32(t, 0);
	tflite_emit_to(t, type, y.operand);
	return y;
}

struct tflite_value tflite_broadcast(struct tflite_translation *t, struct tflite_value x,
				     uint32_t rank, const uint32_t *dims)
{
	uint32_t more = rank - x.o.desc.rank, from[TFLITE_MAX_RANK + 1], i;
	int32_t times[TFLITE_MAX_RANK + 1];
	struct tflite_value y = x;
	bool same = !more;

	if (rank < x.o.desc.rank || rank > TFLITE_MAX_RANK + 1) {
		tflite_refuse(t, NULL, "a value of %u dimensions", "%u or fewer to broadcast it",
			      x.o.desc.rank, rank);
		return x;
	}
	for (i = 0; i < rank; i++) {
		from[i] = i < more ? 1 : x.o.dims[i - more];
		times[i] = from[i] == dims[i] ? 1 : (int32_t)dims[i];
		if (from[i] != dims[i] && from[i] != 1)
			tflite_refuse(t, NULL, "a value with %u elements of dimension %u",
				      "1 or %u to broadcast it", from[i], i, dims[i]);
		same &= times[i] == 1;
	}
	if (same)
		return x;
	if (more)
		x = tflite_reshaped(t, x, rank, from);
	y.o.desc.rank = rank;
	memcpy(y.o.dims, dims, rank * sizeof(*dims));
	y = fresh(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push_list(t, times, rank);
	tflite_emit_to(t, NNA_OPERATION_TILE, y.operand);
	return y;
}

struct tflite_value tflite_select(struct tflite_translation *t, struct tflite_value condition,
				  struct tflite_value a, struct tflite_value b)
{
	struct tflite_value y = condition, both = condition;
	const struct tflite_operand_desc short_o = a.o;

	/* NNAPI's SELECT has no type of 16 bits. */
	if (a.o.desc.type == NNA_OPERAND_TENSOR_QUANT16_SYMM) {
		y = tflite_select(t, condition, tflite_cast(t, a, NNA_OPERAND_TENSOR_INT32),
				  tflite_cast(t, b, NNA_OPERAND_TENSOR_INT32));
		a = y;
		y.o.desc = short_o.desc;
		y.o.desc.rank = a.o.desc.rank;
		y = fresh(t, &y.o);
		tflite_push(t, a.operand);
		tflite_emit_to(t, NNA_OPERATION_CAST, y.operand);
		return y;
	}
	both.o.desc.rank = join(&condition, &a, both.o.dims);
	y.o.desc.rank = join(&both, &b, y.o.dims);
	/* NNAPI's SELECT does not broadcast. */
	if (!t->ops->requantizes) {
		condition = tflite_broadcast(t, condition, y.o.desc.rank, y.o.dims);
		a = tflite_broadcast(t, a, y.o.desc.rank, y.o.dims);
		b = tflite_broadcast(t, b, y.o.desc.rank, y.o.dims);
	}
	memcpy(a.o.dims, y.o.dims, sizeof(a.o.dims));
	a.o.desc.rank = y.o.desc.rank;
	y = fresh(t, &a.o);
	tflite_push(t, condition.operand);
	tflite_push(t, a.operand);
	tflite_push(t, b.operand);
	tflite_emit_to(t, NNA_OPERATION_SELECT, y.operand);
	return y;
}

struct tflite_value tflite_cast(struct tflite_translation *t, struct tflite_value x, uint32_t type)
{
	struct tflite_value y;

	if (x.o.desc.type == type)
		return x;
	y = tflite_like(t, &x, type);
	tflite_push(t, x.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, y.operand);
	return y;
}

struct tflite_value tflite_reshaped(struct tflite_translation *t, struct tflite_value x,
				    uint32_t rank, const uint32_t *dims)
{
	struct tflite_value y;
	uint32_t from = x.operand;

	if (!check_rank(t, rank))
		return x;
	x.o.desc.rank = rank;
	memcpy(x.o.dims, dims, rank * sizeof(*dims));
	y = fresh(t, &x.o);
	tflite_emit_reshape(t, from, y.operand, &y.o);
	return y;
}

struct tflite_value tflite_folded(struct tflite_translation *t, struct tflite_value x,
				  uint32_t axis)
{
	uint32_t dims[3] = { 1, 1, 1 };

	for (uint32_t i = 0; i < x.o.desc.rank; i++)
		dims[i < axis ? 0 : i == axis ? 1 : 2] *= x.o.dims[i];
	return tflite_reshaped(t, x, 3, dims);
}

struct tflite_value tflite_transposed(struct tflite_translation *t, struct tflite_value x,
				      const int32_t *axes)
{
	struct tflite_value y = x;

	for (uint32_t i = 0; i < x.o.desc.rank; i++)
		y.o.dims[i] = x.o.dims[axes[i]];
	y = fresh(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push_list(t, axes, x.o.desc.rank);
	tflite_emit_to(t, NNA_OPERATION_TRANSPOSE, y.operand);
	return y;
}

struct tflite_value tflite_part(struct tflite_translation *t, struct tflite_value x, uint32_t axis,
				uint32_t begin, uint32_t size)
{
	int32_t begins[TFLITE_MAX_RANK + 1] = { 0 }, sizes[TFLITE_MAX_RANK + 1];
	struct tflite_value y = x;

	for (uint32_t i = 0; i < x.o.desc.rank; i++)
		sizes[i] = (int32_t)x.o.dims[i];
	begins[axis] = (int32_t)begin;
	sizes[axis] = (int32_t)size;
	y.o.dims[axis] = size;
	y = fresh(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push_list(t, begins, x.o.desc.rank);
	tflite_push_list(t, sizes, x.o.desc.rank);
	tflite_emit_to(t, NNA_OPERATION_SLICE, y.operand);
	return y;
}

struct tflite_value tflite_padded(struct tflite_translation *t, struct tflite_value x,
				  const int32_t *pads)
{
	struct tflite_value y = x;
	bool same = true;

	for (uint32_t i = 0; i < x.o.desc.rank; i++) {
		y.o.dims[i] += (uint32_t)(pads[2 * i] + pads[2 * i + 1]);
		same &= y.o.dims[i] == x.o.dims[i];
	}
	if (same)
		return x;
	y = fresh(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push_pads(t, pads, x.o.desc.rank);
	tflite_emit_to(t, NNA_OPERATION_PAD, y.operand);
	return y;
}

struct tflite_value tflite_gathered(struct tflite_translation *t, struct tflite_value x,
				    uint32_t axis, struct tflite_value indices)
{
	uint32_t more = indices.o.desc.rank, i;
	struct tflite_value y = x;

	if (!check_rank(t, x.o.desc.rank + more - 1))
		return x;
	for (i = 0; i < more; i++)
		y.o.dims[axis + i] = indices.o.dims[i];
	for (i = axis + 1; i < x.o.desc.rank; i++)
		y.o.dims[i + more - 1] = x.o.dims[i];
	y.o.desc.rank = x.o.desc.rank + more - 1;
	y = fresh(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push_i32(t, (int32_t)axis);
	tflite_push(t, indices.operand);
	tflite_emit_to(t, NNA_OPERATION_GATHER, y.operand);
	return y;
}

struct tflite_value tflite_stacked(struct tflite_translation *t, struct tflite_value a,
				   struct tflite_value b)
{
	struct tflite_value y = a;

	y.o.dims[0] += b.o.dims[0];
	y = fresh(t, &y.o);
	tflite_push(t, a.operand);
	tflite_push(t, b.operand);
	tflite_push_i32(t, 0);
	tflite_emit_to(t, NNA_OPERATION_CONCATENATION, y.operand);
	return y;
}

struct tflite_value tflite_reduced(struct tflite_translation *t, uint32_t type,
				   struct tflite_value x, uint32_t axis)
{
	struct tflite_value y = x;

	y.o.dims[axis] = 1;
	y = fresh(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push_list(t, &(int32_t){ (int32_t)axis }, 1);
	if (type == NNA_OPERATION_MEAN)
		tflite_push_i32(t, 1);
	else
		tflite_push_bool(t, true);
	tflite_emit_to(t, type, y.operand);
	return y;
}

struct tflite_value tflite_positions(struct tflite_translation *t, uint32_t count)
{
	struct tflite_value none = { .operand = TFLITE_NO_OPERAND };
	int32_t *numbers;

	tflite_make_room(t, count);
	numbers = t->ret ? NULL : tflite_derive(t->model, (size_t)count * sizeof(*numbers));
	if (!numbers) {
		tflite_no_memory(t);
		return none;
	}
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = (int32_t)i;
	return tflite_int_tensor(t, 1, &count, numbers);
}

struct tflite_value tflite_along(struct tflite_translation *t, struct tflite_value v, uint32_t k,
				 uint32_t rank)
{
	uint32_t dims[TFLITE_MAX_RANK];

	for (uint32_t i = 0; i < rank; i++)
		dims[i] = i == k ? v.o.dims[0] : 1;
	return tflite_reshaped(t, v, rank, dims);
}

void tflite_result(struct tflite_translation *t, struct tflite_value x, uint32_t index)
{
	struct tflite_operand_desc o;

	tflite_describe(t, tflite_output(t, index), &o);
	if (is_quantised(o.desc.type) && !is_quantised(x.o.desc.type)) {
		if (memcmp(o.dims, x.o.dims, o.desc.rank * sizeof(*o.dims)) ||
		    o.desc.rank != x.o.desc.rank)
			x = tflite_reshaped(t, x, o.desc.rank, o.dims);
		tflite_push(t, x.operand);
		tflite_emit_to(t, NNA_OPERATION_QUANTIZE, tflite_output_operand(t, index));
		return;
	}
	tflite_emit_reshape(t, x.operand, tflite_output_operand(t, index), &o);
}

// SPDX-License-Identifier: MIT
/* Functions of two elements, which are broadcast as in numpy. */
#include "frontend/onnx/translation.h"

static bool is_float(const struct onnx_operand *x)
{
	return x->type == NNA_OPERAND_TENSOR_FLOAT32 || x->type == NNA_OPERAND_TENSOR_FLOAT16;
}

static bool is_number(const struct onnx_operand *x)
{
	return is_float(x) || x->type == NNA_OPERAND_TENSOR_INT32 ||
	       x->type == NNA_OPERAND_TENSOR_INT64;
}

/* Both inputs in one order; an error unless they are of one type. */
static enum onnx_order read_pair(struct onnx_translation *t, bool logical, struct onnx_operand *a,
				 struct onnx_operand *b)
{
	const enum onnx_order order = onnx_pair(t, 0, 1, a, b);

	if (t->ret)
		return order;
	if (logical ? a->type != NNA_OPERAND_TENSOR_BOOL8 : !is_number(a))
		onnx_unsupported(t, "tensors of %s", onnx_type_name(onnx_tensor(t, 0)->type));
	else if (a->type != b->type)
		onnx_wrong(t, "the inputs are of %s and %s",
			   onnx_type_name(onnx_tensor(t, 0)->type),
			   onnx_type_name(onnx_tensor(t, 1)->type));
	return order;
}

static void plain(struct onnx_translation *t, uint32_t type, bool logical)
{
	struct onnx_operand a, b;
	const enum onnx_order order = read_pair(t, logical, &a, &b);

	if (!t->ret)
		onnx_set(t, 0, onnx_binary(t, type, a, b), order);
}

/* Return: whether the node is one operation on quantised tensors, which has been added. */
static bool quantised(struct onnx_translation *t, uint32_t type)
{
	struct onnx_operand a, b, like;
	enum onnx_order order;
	struct onnx_unit unit;
	uint32_t rank;

	if (!onnx_is_unit(t, 2, true, &unit))
		return false;
	rank = onnx_tensor(t, 0)->rank;
	/* One order for both without widening: else floats are as good. */
	if (rank != onnx_tensor(t, 1)->rank)
		return false;
	order = onnx_stored_order(t, 0);
	a = onnx_stored(t, 0, order);
	b = onnx_stored(t, 1, order);
	if (t->ret)
		return true;
	like = a;
	for (uint32_t k = 0; k < rank; k++) {
		if (a.dims[k] != b.dims[k] && a.dims[k] != 1 && b.dims[k] != 1) {
			onnx_wrong(t, "dimensions of %u and %u do not agree", a.dims[k],
				   b.dims[k]);
			return true;
		}
		like.dims[k] = a.dims[k] == 1 ? b.dims[k] : a.dims[k];
	}
	onnx_push(t, a.number);
	onnx_push(t, b.number);
	onnx_push_i32(t, unit.activation);
	onnx_set_unit(t, &unit, onnx_emit(t, type, onnx_unit_like(&unit, &like)), order);
	return true;
}

void onnx_translate_add(struct onnx_translation *t)
{
	if (!quantised(t, NNA_OPERATION_ADD))
		plain(t, NNA_OPERATION_ADD, false);
}

void onnx_translate_sub(struct onnx_translation *t)
{
	if (!quantised(t, NNA_OPERATION_SUB))
		plain(t, NNA_OPERATION_SUB, false);
}

void onnx_translate_mul(struct onnx_translation *t)
{
	if (!quantised(t, NNA_OPERATION_MUL))
		plain(t, NNA_OPERATION_MUL, false);
}

void onnx_translate_div(struct onnx_translation *t)
{
	plain(t, NNA_OPERATION_DIV, false);
}

/* The exponent may be of another type. */
void onnx_translate_pow(struct onnx_translation *t)
{
	struct onnx_operand a, b;
	enum onnx_order order;
	double exponent;

	onnx_need_float(t, 0);
	order = onnx_pair(t, 0, 1, &a, &b);
	if (t->ret)
		return;
	if (onnx_tensor(t, 1)->data && onnx_elements(onnx_tensor(t, 1)) == 1 &&
	    onnx_tensor(t, 1)->rank <= onnx_tensor(t, 0)->rank) {
		exponent = onnx_real_at(onnx_tensor(t, 1), 0);
		if (exponent == 2)
			b = onnx_binary(t, NNA_OPERATION_MUL, a, a);
		else if (exponent == 0.5)
			b = onnx_unary(t, NNA_OPERATION_SQRT, a);
		else
			b = onnx_binary(t, NNA_OPERATION_POW, a, onnx_number(t, &a, exponent));
	} else {
		b = onnx_binary(t, NNA_OPERATION_POW, a, onnx_cast(t, b, a.type));
	}
	onnx_set(t, 0, b, order);
}

/* The rest has the sign of the divisor; with fmod that of the dividend. */
void onnx_translate_mod(struct onnx_translation *t)
{
	if (onnx_attribute_int(t, "fmod", 0))
		onnx_unsupported(t, "fmod");
	plain(t, NNA_OPERATION_FLOOR_MOD, false);
}

/* Of any number of inputs. */
static enum onnx_order several(struct onnx_translation *t, uint32_t type, struct onnx_operand *sum)
{
	const uint32_t count = t->node->input_count;
	struct onnx_operand *all = onnx_make(t, (uint64_t)count * sizeof(*all));
	enum onnx_order order;

	if (!all || !count) {
		onnx_wrong(t, "it has no inputs");
		return ONNX_PLAIN;
	}
	order = onnx_common_order(t, 0, count, all);
	if (!t->ret && !is_number(&all[0]))
		onnx_unsupported(t, "tensors of %s", onnx_type_name(onnx_tensor(t, 0)->type));
	*sum = all[0];
	for (uint32_t i = 1; i < count && !t->ret; i++) {
		if (all[i].type != all[0].type)
			onnx_wrong(t, "the inputs are of several types");
		*sum = onnx_binary(t, type, *sum, all[i]);
	}
	return order;
}

static void all_of(struct onnx_translation *t, uint32_t type)
{
	struct onnx_operand sum;
	const enum onnx_order order = several(t, type, &sum);

	if (!t->ret)
		onnx_set(t, 0, sum, order);
}

void onnx_translate_max(struct onnx_translation *t)
{
	all_of(t, NNA_OPERATION_MAXIMUM);
}

void onnx_translate_min(struct onnx_translation *t)
{
	all_of(t, NNA_OPERATION_MINIMUM);
}

void onnx_translate_sum(struct onnx_translation *t)
{
	all_of(t, NNA_OPERATION_ADD);
}

void onnx_translate_mean(struct onnx_translation *t)
{
	struct onnx_operand sum;
	enum onnx_order order;

	onnx_need_float(t, 0);
	order = several(t, NNA_OPERATION_ADD, &sum);
	if (t->ret)
		return;
	sum = onnx_binary(t, NNA_OPERATION_DIV, sum,
			  onnx_number(t, &sum, (double)t->node->input_count));
	onnx_set(t, 0, sum, order);
}

void onnx_translate_prelu(struct onnx_translation *t)
{
	onnx_need_float(t, 0);
	plain(t, NNA_OPERATION_PRELU, false);
}

/* Comparisons of booleans, too. */
static void compare(struct onnx_translation *t, uint32_t type)
{
	plain(t, type, onnx_tensor(t, 0)->type == ONNX_BOOL);
}

void onnx_translate_equal(struct onnx_translation *t)
{
	compare(t, NNA_OPERATION_EQUAL);
}

void onnx_translate_greater(struct onnx_translation *t)
{
	compare(t, NNA_OPERATION_GREATER);
}

void onnx_translate_greater_equal(struct onnx_translation *t)
{
	compare(t, NNA_OPERATION_GREATER_EQUAL);
}

void onnx_translate_less(struct onnx_translation *t)
{
	compare(t, NNA_OPERATION_LESS);
}

void onnx_translate_less_equal(struct onnx_translation *t)
{
	compare(t, NNA_OPERATION_LESS_EQUAL);
}

void onnx_translate_and(struct onnx_translation *t)
{
	plain(t, NNA_OPERATION_LOGICAL_AND, true);
}

void onnx_translate_or(struct onnx_translation *t)
{
	plain(t, NNA_OPERATION_LOGICAL_OR, true);
}

void onnx_translate_xor(struct onnx_translation *t)
{
	plain(t, NNA_OPERATION_NOT_EQUAL, true);
}

void onnx_translate_where(struct onnx_translation *t)
{
	struct onnx_operand all[3];
	enum onnx_order order = onnx_common_order(t, 0, 3, all);

	if (t->ret)
		return;
	if (all[0].type != NNA_OPERAND_TENSOR_BOOL8 || all[1].type != all[2].type)
		onnx_wrong(t, "it chooses between %s and %s by %s",
			   onnx_type_name(onnx_tensor(t, 1)->type),
			   onnx_type_name(onnx_tensor(t, 2)->type),
			   onnx_type_name(onnx_tensor(t, 0)->type));
	/* Stored numbers that a node reads as such stay as they are. */
	all[2] = onnx_bitcast(t, all[2], all[2].type, all[1].scale, all[1].zero);
	onnx_set(t, 0, onnx_select(t, all[0], all[1], all[2]), order);
}

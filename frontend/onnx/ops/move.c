// SPDX-License-Identifier: MIT
/* What moves and chooses elements. */
#include "frontend/onnx/translation.h"

#include <string.h>

/* Whether all inputs have stored numbers of one quantisation, which can be put together. */
static bool are_stored_alike(struct onnx_translation *t)
{
	const struct onnx_operand *first = NULL;

	for (uint32_t i = 0; i < t->node->input_count && !t->ret; i++) {
		const struct onnx_state *s = onnx_input(t, i);
		const struct onnx_operand *x = &s->stored[s->stored[0].number == ONNX_ABSENT];

		if (x->number == ONNX_ABSENT || (first && (x->type != first->type ||
							   x->scale != first->scale ||
							   x->zero != first->zero)))
			return false;
		first = x;
	}
	return first;
}

void onnx_translate_concat(struct onnx_translation *t)
{
	const uint32_t count = t->node->input_count, rank = onnx_tensor(t, 0)->rank;
	const uint32_t axis = onnx_axis(t, onnx_attribute_int(t, "axis", 0), rank);
	struct onnx_operand *parts = onnx_make(t, (uint64_t)count * sizeof(*parts)), y;
	enum onnx_order order = ONNX_PLAIN;

	if (t->ret || !parts)
		return;
	for (uint32_t i = 0; i < count && !t->ret; i++)
		if (onnx_tensor(t, i)->rank != rank)
			onnx_wrong(t, "input %u has %u dimensions, input 0 has %u", i,
				   onnx_tensor(t, i)->rank, rank);
	if (are_stored_alike(t)) {
		order = onnx_stored_order(t, 0);
		for (uint32_t i = 0; i < count; i++)
			parts[i] = onnx_stored(t, i, order);
		if (t->ret)
			return;
		y = onnx_joined(t, count, parts, onnx_place(order, rank, axis));
		onnx_set_moved(t, 0, y, order, 0);
		return;
	}
	order = onnx_common_order(t, 0, count, parts);
	if (!t->ret)
		for (uint32_t i = 1; i < count; i++)
			if (parts[i].type != parts[0].type)
				onnx_wrong(t, "input %u is of another type", i);
	/* Stored numbers that a node reads as such stay as they are. */
	for (uint32_t i = 1; i < count && !t->ret; i++)
		parts[i] = onnx_bitcast(t, parts[i], parts[i].type, parts[0].scale, parts[0].zero);
	if (!t->ret)
		onnx_set(t, 0, onnx_joined(t, count, parts, onnx_place(order, rank, axis)),
			 order);
}

void onnx_translate_split(struct onnx_translation *t)
{
	const enum onnx_order order = onnx_movable_order(t, 0);
	const struct onnx_operand x = onnx_movable(t, 0, order);
	const uint32_t axis = onnx_axis(t, onnx_attribute_int(t, "axis", 0), x.rank);
	const uint32_t place = onnx_place(x.rank < 3 ? ONNX_PLAIN : order, x.rank, axis);
	const uint32_t outputs = t->node->output_count;
	int64_t *sizes = onnx_make(t, (uint64_t)outputs * sizeof(*sizes)), size;
	uint32_t begin = 0;

	if (t->ret || !sizes || !outputs)
		return;
	if (onnx_has(t, 1)) {
		if (onnx_list(t, 1, NULL, sizes, outputs) != outputs)
			onnx_wrong(t, "it has not a size for each of %u outputs", outputs);
	} else {
		size = ((int64_t)x.dims[place] + outputs - 1) / outputs;
		for (uint32_t i = 0; i < outputs; i++)
			sizes[i] = i + 1 < outputs ? size :
				   (int64_t)x.dims[place] - size * (outputs - 1);
	}
	for (uint32_t i = 0; i < outputs && !t->ret; i++) {
		if (sizes[i] < 1 || sizes[i] > (int64_t)(x.dims[place] - begin)) {
			onnx_unsupported(t, "an output of %lld elements", (long long)sizes[i]);
			return;
		}
		if (onnx_output(t, i) != ONNX_ABSENT)
			onnx_set_moved(t, i, onnx_part(t, x, place, begin, (uint32_t)sizes[i]),
				       order, 0);
		begin += (uint32_t)sizes[i];
	}
}

/**
 * struct range - the elements of one dimension that a Slice takes
 * @begin: the first one
 * @count: how many
 */
struct range {
	int64_t begin, count, step;
};

static struct range range_of(int64_t begin, int64_t end, int64_t step, int64_t n)
{
	struct range r = { .step = step };
	const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;

	begin += begin < 0 ? n : 0;
	end += end < 0 ? n : 0;
	begin = begin < low ? low : begin > high ? high : begin;
	end = end < low ? low : end > high ? high : end;
	r.begin = begin;
	if (step > 0 && end > begin)
		r.count = (end - begin - 1) / step + 1;
	else if (step < 0 && end < begin)
		r.count = (begin - end - 1) / -step + 1;
	return r;
}

void onnx_translate_slice(struct onnx_translation *t)
{
	const enum onnx_order movable = onnx_movable_order(t, 0);
	const struct onnx_operand x = onnx_movable(t, 0, movable);
	const enum onnx_order order = x.rank < 3 ? ONNX_PLAIN : movable;
	int64_t begins[ONNX_MAX_RANK], ends[ONNX_MAX_RANK], axes[ONNX_MAX_RANK];
	int64_t steps[ONNX_MAX_RANK];
	int32_t from[ONNX_MAX_RANK], to[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
	int32_t count[ONNX_MAX_RANK], end_mask = 0;
	uint32_t n = onnx_list(t, 1, NULL, begins, ONNX_MAX_RANK);
	struct onnx_operand out = onnx_like(&x, x.type);
	bool strided = false, all = true;

	if (!t->ret && (n == ONNX_ABSENT || onnx_list(t, 2, NULL, ends, ONNX_MAX_RANK) != n))
		onnx_wrong(t, "starts and ends are not of one length");
	for (uint32_t i = 0; i < ONNX_MAX_RANK; i++) {
		axes[i] = i;
		steps[i] = 1;
	}
	if (!t->ret && ((onnx_has(t, 3) && onnx_list(t, 3, NULL, axes, ONNX_MAX_RANK) != n) ||
			(onnx_has(t, 4) && onnx_list(t, 4, NULL, steps, ONNX_MAX_RANK) != n)))
		onnx_wrong(t, "starts, axes and steps are not of one length");
	for (uint32_t k = 0; k < x.rank; k++) {
		from[k] = 0;
		step[k] = 1;
		to[k] = count[k] = (int32_t)x.dims[k];
	}
	for (uint32_t i = 0; i < n && !t->ret; i++) {
		const uint32_t k = onnx_place(order, x.rank, onnx_axis(t, axes[i], x.rank));
		struct range r;

		if (t->ret || !steps[i] || steps[i] < -INT32_MAX || steps[i] > INT32_MAX) {
			onnx_wrong(t, "a step of %lld", (long long)steps[i]);
			return;
		}
		r = range_of(begins[i] < -INT32_MAX ? -INT32_MAX : begins[i],
			     ends[i] < -INT32_MAX ? -INT32_MAX : ends[i], steps[i], x.dims[k]);
		if (r.count < 1) {
			onnx_unsupported(t, "a tensor without elements");
			return;
		}
		from[k] = (int32_t)r.begin;
		count[k] = (int32_t)r.count;
		step[k] = (int32_t)r.step;
		to[k] = (int32_t)(r.begin + (r.count - 1) * r.step + (r.step > 0 ? 1 : -1));
		/* An end before the first element has no number of its own. */
		if (to[k] < 0)
			end_mask |= 1 << k;
		strided |= r.step != 1;
	}
	for (uint32_t k = 0; k < x.rank; k++) {
		all &= out.dims[k] == (uint32_t)count[k] && step[k] == 1;
		out.dims[k] = (uint32_t)count[k];
	}
	if (all) {
		onnx_set_moved(t, 0, x, order, 0);
		return;
	}
	onnx_push(t, x.number);
	onnx_push_list(t, from, x.rank);
	if (!strided) {
		onnx_push_list(t, count, x.rank);
		onnx_set_moved(t, 0, onnx_emit(t, NNA_OPERATION_SLICE, out), order, 0);
		return;
	}
	onnx_push_list(t, to, x.rank);
	onnx_push_list(t, step, x.rank);
	onnx_push_i32(t, 0);
	onnx_push_i32(t, end_mask);
	onnx_push_i32(t, 0);
	onnx_set_moved(t, 0, onnx_emit(t, NNA_OPERATION_STRIDED_SLICE, out), order, 0);
}

/* The value that a border has. @zero: it is zero, as all borders of PAD are. */
static double border(struct onnx_translation *t, bool *zero)
{
	const struct onnx_tensor *value;

	*zero = true;
	if (!onnx_has(t, 2))
		return 0;
	value = onnx_constant(t, 2);
	if (t->ret || !onnx_elements(value))
		return 0;
	*zero = onnx_real_at(value, 0) == 0;
	return onnx_real_at(value, 0);
}

void onnx_translate_pad(struct onnx_translation *t)
{
	const char *mode = onnx_attribute_text(t, "mode", "constant");
	const bool mirrors = !strcmp(mode, "reflect");
	const uint32_t rank = onnx_tensor(t, 0)->rank;
	int64_t list[2 * ONNX_MAX_RANK], axes[ONNX_MAX_RANK];
	int32_t pads[2 * ONNX_MAX_RANK] = { 0 };
	struct onnx_operand x, out;
	enum onnx_order order;
	uint32_t count, n = rank;
	double value = 0;
	bool zero = true;

	if (strcmp(mode, "constant") && !mirrors)
		onnx_unsupported(t, "mode \"%.16s\"; supported: constant and reflect", mode);
	count = onnx_list(t, 1, NULL, list, 2 * ONNX_MAX_RANK);
	for (uint32_t k = 0; k < ONNX_MAX_RANK; k++)
		axes[k] = k;
	if (onnx_has(t, 3))
		n = onnx_list(t, 3, NULL, axes, ONNX_MAX_RANK);
	if (!t->ret && (n == ONNX_ABSENT || count != 2 * n))
		onnx_wrong(t, "pads has not two numbers for each axis");
	if (!mirrors)
		value = border(t, &zero);
	if (!onnx_type_is_float(onnx_tensor(t, 0)->type) &&
	    (value < INT32_MIN || value > INT32_MAX))
		onnx_unsupported(t, "a border of %.0f", value);
	if (t->ret)
		return;
	order = zero ? onnx_movable_order(t, 0) : onnx_order_of(t, 0);
	x = zero ? onnx_movable(t, 0, order) : onnx_in_order(t, 0, order);
	/* Stored numbers that a node reads as such have 0 as the border, not their zero point. */
	if (onnx_type_is_int8(onnx_tensor(t, 0)->type))
		x = onnx_bitcast(t, x, x.type, 1, 0);
	order = rank < 3 ? ONNX_PLAIN : order;
	out = onnx_like(&x, x.type);
	for (uint32_t i = 0; i < n && !t->ret; i++) {
		const uint32_t k = onnx_place(order, rank, onnx_axis(t, axes[i], rank));

		if (list[i] < 0 || list[i] > 1 << 24 || list[i + n] < 0 || list[i + n] > 1 << 24) {
			onnx_unsupported(t, "pads of %lld and %lld", (long long)list[i],
					 (long long)list[i + n]);
			return;
		}
		pads[2 * k] = (int32_t)list[i];
		pads[2 * k + 1] = (int32_t)list[i + n];
		out.dims[k] += (uint32_t)(list[i] + list[i + n]);
	}
	if (!mirrors && zero) {
		onnx_set_moved(t, 0, onnx_pad(t, x, pads), order, 0);
		return;
	}
	onnx_push(t, x.number);
	onnx_push_table(t, pads, rank, 2);
	if (mirrors)
		onnx_push_i32(t, 0);
	else if (onnx_type_is_float(onnx_tensor(t, 0)->type))
		onnx_push_f32(t, (float)value);
	else
		onnx_push_i32(t, (int32_t)value);
	x = onnx_emit(t, mirrors ? NNA_OPERATION_MIRROR_PAD : NNA_OPERATION_PAD_V2, out);
	if (mirrors)
		onnx_set_moved(t, 0, x, order, 0);
	else
		onnx_set(t, 0, x, order);
}

/* Indices of an axis of @size: negative ones count from its end. */
static struct onnx_operand indices(struct onnx_translation *t, uint32_t size)
{
	const struct onnx_tensor *index = onnx_tensor(t, 1);
	struct onnx_operand x = { .number = ONNX_ABSENT, .type = NNA_OPERAND_TENSOR_INT32,
				  .rank = index->rank }, negative;
	uint64_t count = onnx_elements(index);
	int32_t *numbers;

	if (!t->ret && index->type != ONNX_INT32 && index->type != ONNX_INT64)
		onnx_wrong(t, "indices of %s", onnx_type_name(index->type));
	if (t->ret)
		return x;
	if (!index->data) {
		x = onnx_plain(t, 1);
		negative = onnx_binary(t, NNA_OPERATION_LESS, x, onnx_number(t, &x, 0));
		return onnx_select(t, negative,
				   onnx_binary(t, NNA_OPERATION_ADD, x,
					       onnx_number(t, &x, (double)size)), x);
	}
	numbers = onnx_make(t, count * sizeof(*numbers));
	for (uint64_t i = 0; i < count && !t->ret; i++) {
		const int64_t at = onnx_int_at(index, i);

		if (at < -(int64_t)size || at >= (int64_t)size)
			onnx_wrong(t, "an index is beyond the %u elements of the axis", size);
		numbers[i] = (int32_t)(at < 0 ? at + size : at);
	}
	for (uint32_t k = 0; k < index->rank && !t->ret; k++)
		x.dims[k] = (uint32_t)index->dims[k];
	return onnx_add_constant(t, x, numbers, count * sizeof(*numbers), false);
}

void onnx_translate_gather(struct onnx_translation *t)
{
	const struct onnx_operand x = onnx_movable(t, 0, ONNX_PLAIN);
	const uint32_t axis = onnx_axis(t, onnx_attribute_int(t, "axis", 0), x.rank);

	if (!t->ret)
		onnx_set_moved(t, 0, onnx_gather(t, x, axis, indices(t, x.dims[axis])),
			       ONNX_PLAIN, 0);
}

/* Slices by their first coordinates. */
void onnx_translate_gather_nd(struct onnx_translation *t)
{
	const struct onnx_tensor *index = onnx_tensor(t, 1);
	struct onnx_operand x = onnx_movable(t, 0, ONNX_PLAIN), out = onnx_like(&x, x.type), at;
	uint32_t n, depth;

	if (onnx_attribute_int(t, "batch_dims", 0))
		onnx_unsupported(t, "batch_dims");
	if (t->ret || !index->rank) {
		onnx_wrong(t, "its indices are a scalar");
		return;
	}
	depth = (uint32_t)index->dims[index->rank - 1];
	n = index->rank - 1;
	if (depth < 1 || depth > x.rank || n + x.rank - depth > ONNX_MAX_RANK) {
		onnx_wrong(t, "%u coordinates of %u dimensions", depth, x.rank);
		return;
	}
	for (uint64_t i = 0; index->data && i < onnx_elements(index); i++)
		if (onnx_int_at(index, i) < 0)
			onnx_unsupported(t, "negative indices");
	at = onnx_cast(t, onnx_plain(t, 1), NNA_OPERAND_TENSOR_INT32);
	for (uint32_t k = 0; k < n; k++)
		out.dims[k] = at.dims[k];
	for (uint32_t k = depth; k < x.rank; k++)
		out.dims[n++] = x.dims[k];
	out.rank = n;
	onnx_push(t, x.number);
	onnx_push(t, at.number);
	onnx_set_moved(t, 0, onnx_emit(t, NNA_OPERATION_GATHER_ND, out), ONNX_PLAIN, 0);
}

/* Numbers in the reverse order. Of integers it is -1 - x: the least one has no negative. */
static struct onnx_operand reversed(struct onnx_translation *t, struct onnx_operand x)
{
	if (onnx_type_is_float(onnx_tensor(t, 0)->type))
		return onnx_unary(t, NNA_OPERATION_NEG, x);
	return onnx_binary(t, NNA_OPERATION_SUB, onnx_number(t, &x, -1), x);
}

/* TOPK_V2 chooses along the last axis the largest; the smallest are those of the reversed input. */
void onnx_translate_topk(struct onnx_translation *t)
{
	struct onnx_operand x = onnx_plain(t, 0), values, which;
	const uint32_t axis = onnx_axis(t, onnx_attribute_int(t, "axis", -1), x.rank);
	const bool largest = onnx_attribute_int(t, "largest", 1);
	const struct onnx_tensor *count = onnx_constant(t, 1);
	uint32_t axes[ONNX_MAX_RANK], out[2], last = x.rank - 1;
	int64_t k;

	if (t->ret || onnx_elements(count) != 1) {
		onnx_wrong(t, "K is not one number");
		return;
	}
	k = onnx_int_at(count, 0);
	if (k < 1 || k > (int64_t)x.dims[axis])
		onnx_unsupported(t, "%lld of %u elements", (long long)k, x.dims[axis]);
	if (x.type != NNA_OPERAND_TENSOR_INT32 && x.type != NNA_OPERAND_TENSOR_INT64)
		onnx_need_float(t, 0);
	for (uint32_t i = 0; i < x.rank; i++)
		axes[i] = i;
	axes[axis] = last;
	axes[last] = axis;
	if (axis != last)
		x = onnx_transpose(t, x, axes);
	if (!largest)
		x = reversed(t, x);
	values = onnx_like(&x, x.type);
	values.dims[last] = (uint32_t)k;
	which = onnx_add(t, onnx_like(&values, NNA_OPERAND_TENSOR_INT32));
	values = onnx_add(t, values);
	out[0] = values.number;
	out[1] = which.number;
	onnx_push(t, x.number);
	onnx_push_i32(t, (int32_t)k);
	onnx_emit_all(t, NNA_OPERATION_TOPK_V2, out, 2);
	if (!largest)
		values = reversed(t, values);
	if (axis != last) {
		values = onnx_transpose(t, values, axes);
		which = onnx_transpose(t, which, axes);
	}
	onnx_set(t, 0, values, ONNX_PLAIN);
	if (onnx_output(t, 1) != ONNX_ABSENT)
		onnx_set(t, 1, onnx_cast(t, which, NNA_OPERAND_TENSOR_INT64), ONNX_PLAIN);
}

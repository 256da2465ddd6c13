// SPDX-License-Identifier: MIT
/* Other dimensions for the same elements, and what is known of shapes. */
#include "frontend/onnx/translation.h"

#include <string.h>

/* Dimensions of a list, for an operand. Return: false after an error. */
static bool to_dims(struct onnx_translation *t, uint32_t rank, const int64_t *from, uint32_t *to)
{
	for (uint32_t k = 0; k < rank && !t->ret; k++) {
		if (from[k] < 1 || from[k] > INT32_MAX)
			onnx_unsupported(t, "a dimension of %lld", (long long)from[k]);
		to[k] = (uint32_t)from[k];
	}
	return !t->ret;
}

/* Reads input 1, the dimensions of the result. Return: their number, ONNX_ABSENT after an error. */
static uint32_t read_shape(struct onnx_translation *t, int64_t *to)
{
	if (!t->ret && !onnx_has(t, 1))
		onnx_wrong(t, "it has no input 1");
	return t->ret ? ONNX_ABSENT : onnx_list(t, 1, NULL, to, ONNX_MAX_RANK);
}

/* Makes output 0 input 0 with other dimensions; a constant stays one. */
static void set_reshaped(struct onnx_translation *t, uint32_t rank, const int64_t *dims)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	struct onnx_tensor constant = *x;
	uint32_t sizes[ONNX_MAX_RANK];
	uint64_t elements;

	if (t->ret)
		return;
	if (!onnx_count_elements(rank, dims, &elements) || elements != onnx_elements(x)) {
		onnx_wrong(t, "it has %llu elements, its result others",
			   (unsigned long long)onnx_elements(x));
		return;
	}
	if (x->data) {
		constant.rank = rank;
		memcpy(constant.dims, dims, rank * sizeof(*dims));
		onnx_set_constant(t, 0, &constant);
		return;
	}
	if (to_dims(t, rank, dims, sizes))
		onnx_set_moved(t, 0, onnx_reshape(t, onnx_movable(t, 0, ONNX_PLAIN), rank, sizes),
			       ONNX_PLAIN, 0);
}

void onnx_translate_reshape(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	const bool zeros = onnx_attribute_int(t, "allowzero", 0);
	int64_t dims[ONNX_MAX_RANK], known = 1;
	uint32_t rank = read_shape(t, dims), open = ONNX_MAX_RANK;

	if (t->ret)
		return;
	for (uint32_t k = 0; k < rank; k++) {
		if (!dims[k] && !zeros)
			dims[k] = k < x->rank ? x->dims[k] : 0;
		if (dims[k] == -1)
			open = k;
		else if (dims[k] < 0 || dims[k] > INT32_MAX)
			known = 0;
		else
			known = known > INT32_MAX ? known : known * dims[k];
	}
	if (open < rank && known > 0)
		dims[open] = (int64_t)onnx_elements(x) / known;
	set_reshaped(t, rank, dims);
}

void onnx_translate_flatten(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	int64_t axis = onnx_attribute_int(t, "axis", 1), dims[] = { 1, 1 };

	axis += axis < 0 ? x->rank : 0;
	if (!t->ret && (axis < 0 || axis > (int64_t)x->rank))
		onnx_wrong(t, "an axis is beyond the %u dimensions", x->rank);
	for (uint32_t k = 0; k < x->rank && !t->ret; k++)
		dims[k >= axis] *= x->dims[k];
	set_reshaped(t, 2, dims);
}

void onnx_translate_squeeze(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	int64_t axes[ONNX_MAX_RANK], dims[ONNX_MAX_RANK];
	const uint32_t count = onnx_list(t, 1, NULL, axes, ONNX_MAX_RANK);
	uint32_t rank = 0, gone = 0;

	for (uint32_t i = 0; i < count && count != ONNX_ABSENT && !t->ret; i++)
		gone |= 1u << onnx_axis(t, axes[i], x->rank);
	for (uint32_t k = 0; k < x->rank && !t->ret; k++) {
		if (count == ONNX_ABSENT ? x->dims[k] == 1 : gone >> k & 1)
			continue;
		dims[rank++] = x->dims[k];
	}
	set_reshaped(t, rank, dims);
}

void onnx_translate_unsqueeze(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	int64_t axes[ONNX_MAX_RANK], dims[ONNX_MAX_RANK];
	const uint32_t count = onnx_list(t, 1, NULL, axes, ONNX_MAX_RANK);
	uint32_t rank, added = 0, from = 0;

	if (!t->ret && (count == ONNX_ABSENT || x->rank + count > ONNX_MAX_RANK))
		onnx_unsupported(t, "a result of more than %u dimensions", ONNX_MAX_RANK);
	if (t->ret)
		return;
	rank = x->rank + count;
	for (uint32_t i = 0; i < count && !t->ret; i++) {
		const uint32_t axis = onnx_axis(t, axes[i], rank);

		if (added >> axis & 1)
			onnx_wrong(t, "an axis comes twice");
		added |= 1u << axis;
	}
	for (uint32_t k = 0; k < rank && !t->ret; k++)
		dims[k] = added >> k & 1 ? 1 : x->dims[from++];
	set_reshaped(t, rank, dims);
}

/* The same value. */
static void set_same(struct onnx_translation *t)
{
	const struct onnx_state *from = onnx_input(t, 0);
	const uint32_t value = onnx_output(t, 0);
	struct onnx_state *to;
	uint32_t reader;

	if (t->ret || value == ONNX_ABSENT)
		return;
	to = &t->states[value];
	reader = to->reader;
	*to = *from;
	to->reader = reader;
}

void onnx_translate_identity(struct onnx_translation *t)
{
	set_same(t);
}

/* Only while a model is trained does it do something. */
void onnx_translate_dropout(struct onnx_translation *t)
{
	if (onnx_has(t, 2) && onnx_elements(onnx_constant(t, 2)) == 1 &&
	    onnx_int_at(onnx_constant(t, 2), 0))
		onnx_unsupported(t, "training");
	if (!t->ret && onnx_output(t, 1) != ONNX_ABSENT)
		onnx_unsupported(t, "the output of the mask");
	set_same(t);
}

void onnx_translate_constant(struct onnx_translation *t)
{
	onnx_unsupported(t, "a constant of another kind than value, value_int(s), value_float(s)");
}

/* What has been folded unless an input is computed while the model runs. */
void onnx_translate_needs_constant(struct onnx_translation *t)
{
	for (uint32_t i = 0; i < t->node->input_count && !t->ret; i++)
		onnx_constant(t, i);
	onnx_unsupported(t, "a result of that size or type");
}

static void set_numbers(struct onnx_translation *t, uint32_t rank, uint32_t count,
			const int64_t *numbers)
{
	struct onnx_tensor out = { .type = ONNX_INT64, .rank = rank, .dims = { count } };

	if (!onnx_make_tensor(t, &out))
		return;
	for (uint32_t i = 0; i < count; i++)
		onnx_put_int(&out, i, numbers[i]);
	onnx_set_constant(t, 0, &out);
}

void onnx_translate_shape(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	const int64_t rank = x->rank;
	int64_t start = onnx_attribute_int(t, "start", 0);
	int64_t end = onnx_attribute_int(t, "end", rank);

	start = start < 0 ? start + rank : start;
	end = end < 0 ? end + rank : end;
	start = start < 0 ? 0 : start > rank ? rank : start;
	end = end < start ? start : end > rank ? rank : end;
	set_numbers(t, 1, (uint32_t)(end - start), x->dims + start);
}

void onnx_translate_size(struct onnx_translation *t)
{
	const int64_t elements = (int64_t)onnx_elements(onnx_tensor(t, 0));

	set_numbers(t, 0, 1, &elements);
}

void onnx_translate_expand(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	int64_t wanted[ONNX_MAX_RANK], dims[ONNX_MAX_RANK];
	uint32_t count = read_shape(t, wanted), sizes[ONNX_MAX_RANK], rank;

	if (t->ret)
		return;
	rank = count > x->rank ? count : x->rank;
	for (uint32_t k = 0; k < rank; k++) {
		const int64_t a = k + x->rank < rank ? 1 : x->dims[k + x->rank - rank];
		const int64_t b = k + count < rank ? 1 : wanted[k + count - rank];

		if (a != b && a != 1 && b != 1)
			onnx_wrong(t, "dimensions of %lld and %lld do not agree", (long long)a,
				   (long long)b);
		dims[k] = a == 1 ? b : a;
	}
	if (to_dims(t, rank, dims, sizes))
		onnx_set_moved(t, 0, onnx_expand(t, onnx_movable(t, 0, ONNX_PLAIN), rank, sizes),
			       ONNX_PLAIN, 0);
}

void onnx_translate_tile(struct onnx_translation *t)
{
	struct onnx_operand x = onnx_movable(t, 0, ONNX_PLAIN), out = onnx_like(&x, x.type);
	int64_t times[ONNX_MAX_RANK];
	int32_t list[ONNX_MAX_RANK];

	if (!t->ret && onnx_list(t, 1, NULL, times, ONNX_MAX_RANK) != x.rank)
		onnx_wrong(t, "it has not a number for each dimension");
	for (uint32_t k = 0; k < x.rank && !t->ret; k++) {
		if (times[k] < 1 || times[k] > INT32_MAX / x.dims[k])
			onnx_unsupported(t, "%lld times a dimension", (long long)times[k]);
		list[k] = (int32_t)times[k];
		out.dims[k] *= (uint32_t)times[k];
	}
	onnx_push(t, x.number);
	onnx_push_list(t, list, x.rank);
	onnx_set_moved(t, 0, onnx_emit(t, NNA_OPERATION_TILE, out), ONNX_PLAIN, 0);
}

/*
 * A transpose of an operand in one order to one in another order may be none: [N, H, W, C] that
 * becomes [N, C, H, W] is the same operand with its channels last.
 */
void onnx_translate_transpose(struct onnx_translation *t)
{
	const enum onnx_order from = onnx_movable_order(t, 0);
	struct onnx_operand x = onnx_movable(t, 0, from), y;
	const enum onnx_order in = x.rank < 3 ? ONNX_PLAIN : from;
	uint32_t axes[ONNX_MAX_RANK];
	int64_t perm[ONNX_MAX_RANK];

	onnx_attribute_ints(t, "perm", perm, x.rank, -1);
	for (uint32_t k = 0; k < x.rank && !t->ret; k++) {
		if (perm[k] == -1 && !onnx_node_attribute(t->node, "perm"))
			perm[k] = x.rank - 1 - k;
		if (perm[k] < 0 || perm[k] >= (int64_t)x.rank)
			onnx_wrong(t, "perm has %lld", (long long)perm[k]);
	}
	if (t->ret)
		return;
	for (enum onnx_order to = ONNX_PLAIN; to <= ONNX_LAST; to++) {
		bool same = to == ONNX_PLAIN || x.rank >= 3;

		for (uint32_t k = 0; k < x.rank; k++) {
			const uint32_t put = onnx_place(to, x.rank, k);

			axes[put] = onnx_place(in, x.rank, (uint32_t)perm[k]);
			same &= axes[put] == put;
		}
		if (same) {
			onnx_set_moved(t, 0, x, to, 0);
			return;
		}
	}
	for (uint32_t k = 0; k < x.rank; k++)
		axes[k] = onnx_place(in, x.rank, (uint32_t)perm[k]);
	y = onnx_transpose(t, x, axes);
	onnx_set_moved(t, 0, y, ONNX_PLAIN, 0);
}

static uint32_t block_size(struct onnx_translation *t)
{
	const int64_t block = onnx_attribute_int(t, "blocksize", 0);

	onnx_need_rank(t, 0, 4, 4);
	if (!t->ret && (block < 1 || block > 1024))
		onnx_wrong(t, "a blocksize of %lld", (long long)block);
	return t->ret ? 1 : (uint32_t)block;
}

void onnx_translate_space_to_depth(struct onnx_translation *t)
{
	const uint32_t block = block_size(t);
	struct onnx_operand x = onnx_movable(t, 0, ONNX_LAST), out = onnx_like(&x, x.type);

	if (strcmp(onnx_attribute_text(t, "mode", "DCR"), "DCR"))
		onnx_unsupported(t, "mode CRD");
	if (!t->ret && (x.dims[1] % block || x.dims[2] % block))
		onnx_wrong(t, "the image is no multiple of the blocksize");
	out.dims[1] /= block;
	out.dims[2] /= block;
	out.dims[3] *= block * block;
	onnx_push(t, x.number);
	onnx_push_i32(t, (int32_t)block);
	onnx_set_moved(t, 0, onnx_emit(t, NNA_OPERATION_SPACE_TO_DEPTH, out), ONNX_LAST, 0);
}

/* Mode CRD has the channels before the positions in the block, DCR behind them, as NNAPI. */
void onnx_translate_depth_to_space(struct onnx_translation *t)
{
	const uint32_t b = block_size(t);
	const bool crd = !strcmp(onnx_attribute_text(t, "mode", "DCR"), "CRD");
	struct onnx_operand x = onnx_movable(t, 0, crd ? ONNX_PLAIN : ONNX_LAST);
	struct onnx_operand out = onnx_like(&x, x.type);
	const uint32_t *d = x.dims;

	if (!t->ret && d[crd ? 1 : 3] % (b * b))
		onnx_wrong(t, "the channels are no multiple of %u", b * b);
	if (t->ret)
		return;
	if (crd) {
		const uint32_t c = d[1] / (b * b), h = d[2], w = d[3], n = d[0];

		x = onnx_reshape(t, x, 6, (uint32_t[]){ n, c, b, b, h, w });
		x = onnx_transpose(t, x, (uint32_t[]){ 0, 1, 4, 2, 5, 3 });
		x = onnx_reshape(t, x, 4, (uint32_t[]){ n, c, h * b, w * b });
		onnx_set_moved(t, 0, x, ONNX_PLAIN, 0);
		return;
	}
	out.dims[1] *= b;
	out.dims[2] *= b;
	out.dims[3] /= b * b;
	onnx_push(t, x.number);
	onnx_push_i32(t, (int32_t)b);
	onnx_set_moved(t, 0, onnx_emit(t, NNA_OPERATION_DEPTH_TO_SPACE, out), ONNX_LAST, 0);
}

// SPDX-License-Identifier: MIT
/*
 * What is computed from constants alone is a constant: shapes, mostly, of a few numbers. Each
 * function makes the outputs of a node whose inputs are all constants, and returns whether it has.
 * What is large is left to the device, which folds constants, too.
 */
#include "frontend/onnx/translation.h"

#include <math.h>
#include <string.h>

/* Elements of a result. */
#define MAX_RESULT (1u << 22)

bool onnx_fold_none(struct onnx_translation *t)
{
	return false;
}

static bool is_large(const struct onnx_tensor *x)
{
	uint64_t elements;

	return !onnx_count_elements(x->rank, x->dims, &elements) || elements > MAX_RESULT ||
	       !onnx_type_bits(x->type) || onnx_type_bits(x->type) < 8;
}

static bool is_real(uint32_t type)
{
	return type == ONNX_FLOAT || type == ONNX_FLOAT16 || type == ONNX_DOUBLE;
}

/* The dims of two tensors that are broadcast. Return: false if they do not agree. */
static bool broadcast(const struct onnx_tensor *a, struct onnx_tensor *out)
{
	const uint32_t rank = a->rank > out->rank ? a->rank : out->rank;
	int64_t dims[ONNX_MAX_RANK];

	for (uint32_t k = 0; k < rank; k++) {
		const int64_t x = k + a->rank < rank ? 1 : a->dims[k + a->rank - rank];
		const int64_t y = k + out->rank < rank ? 1 : out->dims[k + out->rank - rank];

		if (x != y && x != 1 && y != 1)
			return false;
		dims[k] = x == 1 ? y : x;
	}
	out->rank = rank;
	memcpy(out->dims, dims, sizeof(dims));
	return true;
}

/* The element of @x that is broadcast to element @i of @out. */
static uint64_t place_in(const struct onnx_tensor *x, const struct onnx_tensor *out, uint64_t i)
{
	uint64_t at = 0, step = 1;

	for (uint32_t k = out->rank; k-- > 0;) {
		const uint64_t position = i % (uint64_t)out->dims[k];

		i /= (uint64_t)out->dims[k];
		if (k + x->rank < out->rank)
			continue;
		if (x->dims[k + x->rank - out->rank] > 1)
			at += position * step;
		step *= (uint64_t)x->dims[k + x->rank - out->rank];
	}
	return at;
}

/* ----------------------------------------------------------------------------------- arithmetic */

static bool compute_real(const char *op, double a, double b, double *to)
{
	if (!strcmp(op, "Add") || !strcmp(op, "Sum"))
		*to = a + b;
	else if (!strcmp(op, "Sub"))
		*to = a - b;
	else if (!strcmp(op, "Mul"))
		*to = a * b;
	else if (!strcmp(op, "Div"))
		*to = a / b;
	else if (!strcmp(op, "Pow"))
		*to = pow(a, b);
	else if (!strcmp(op, "Max"))
		*to = a > b ? a : b;
	else if (!strcmp(op, "Min"))
		*to = a < b ? a : b;
	else if (!strcmp(op, "Equal"))
		*to = a == b;
	else if (!strcmp(op, "Greater"))
		*to = a > b;
	else if (!strcmp(op, "GreaterOrEqual"))
		*to = a >= b;
	else if (!strcmp(op, "Less"))
		*to = a < b;
	else if (!strcmp(op, "LessOrEqual"))
		*to = a <= b;
	else
		return false;
	return true;
}

/* Sums and products wrap around, as two's complement does. */
static bool compute_int(const char *op, int64_t a, int64_t b, int64_t *to)
{
	if (!strcmp(op, "Add") || !strcmp(op, "Sum"))
		*to = (int64_t)((uint64_t)a + (uint64_t)b);
	else if (!strcmp(op, "Sub"))
		*to = (int64_t)((uint64_t)a - (uint64_t)b);
	else if (!strcmp(op, "Mul"))
		*to = (int64_t)((uint64_t)a * (uint64_t)b);
	else if (!strcmp(op, "Div") && b && !(b == -1 && a == INT64_MIN))
		*to = a / b;
	else if (!strcmp(op, "Mod") && b && !(b == -1 && a == INT64_MIN))
		*to = a % b && (a % b < 0) != (b < 0) ? a % b + b : a % b;
	else if (!strcmp(op, "Max"))
		*to = a > b ? a : b;
	else if (!strcmp(op, "Min"))
		*to = a < b ? a : b;
	else if (!strcmp(op, "Equal"))
		*to = a == b;
	else if (!strcmp(op, "Greater"))
		*to = a > b;
	else if (!strcmp(op, "GreaterOrEqual"))
		*to = a >= b;
	else if (!strcmp(op, "Less"))
		*to = a < b;
	else if (!strcmp(op, "LessOrEqual"))
		*to = a <= b;
	else if (!strcmp(op, "And"))
		*to = a && b;
	else if (!strcmp(op, "Or"))
		*to = a || b;
	else if (!strcmp(op, "Xor"))
		*to = !a != !b;
	else
		return false;
	return true;
}

static bool is_comparison(const char *op)
{
	return !strncmp(op, "Greater", 7) || !strncmp(op, "Less", 4) || !strcmp(op, "Equal");
}

bool onnx_fold_arithmetic(struct onnx_translation *t)
{
	const char *op = t->node->op;
	struct onnx_tensor sum = *onnx_tensor(t, 0);

	if (onnx_attribute_int(t, "fmod", 0))
		return false;
	for (uint32_t i = 1; i < t->node->input_count && !t->ret; i++) {
		const struct onnx_tensor a = sum, *b = onnx_tensor(t, i);
		struct onnx_tensor out = { .type = is_comparison(op) ? ONNX_BOOL : a.type,
					   .rank = a.rank };
		uint64_t elements;

		memcpy(out.dims, a.dims, sizeof(a.dims));
		if ((a.type != b->type && strcmp(op, "Pow")) || !broadcast(b, &out) ||
		    is_large(&out) || !onnx_make_tensor(t, &out))
			return false;
		elements = onnx_elements(&out);
		for (uint64_t k = 0; k < elements; k++) {
			const uint64_t x = place_in(&a, &out, k), y = place_in(b, &out, k);
			int64_t number = 0;
			double real = 0;

			if (is_real(a.type)) {
				if (!compute_real(op, onnx_real_at(&a, x), onnx_real_at(b, y),
						  &real))
					return false;
				onnx_put_real(&out, k, real);
			} else {
				if (!compute_int(op, onnx_int_at(&a, x), onnx_int_at(b, y),
						 &number))
					return false;
				onnx_put_int(&out, k, number);
			}
		}
		sum = out;
	}
	onnx_set_constant(t, 0, &sum);
	return !t->ret;
}

bool onnx_fold_unary(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	const char *op = t->node->op;
	struct onnx_tensor out = *x;

	if (is_large(&out) || !onnx_make_tensor(t, &out))
		return false;
	for (uint64_t i = 0; i < onnx_elements(&out); i++) {
		const double v = onnx_real_at(x, i);

		if (!strcmp(op, "Not"))
			onnx_put_int(&out, i, !onnx_int_at(x, i));
		else if (!strcmp(op, "Sqrt"))
			onnx_put_real(&out, i, sqrt(v));
		else if (!strcmp(op, "Floor"))
			onnx_put_real(&out, i, floor(v));
		else if (!strcmp(op, "Ceil"))
			onnx_put_real(&out, i, ceil(v));
		else if (!strcmp(op, "Neg") && !is_real(x->type))
			onnx_put_int(&out, i, (int64_t)-(uint64_t)onnx_int_at(x, i));
		else if (!strcmp(op, "Neg"))
			onnx_put_real(&out, i, -v);
		else if (!strcmp(op, "Abs"))
			onnx_put_real(&out, i, fabs(v));
		else
			return false;
	}
	onnx_set_constant(t, 0, &out);
	return true;
}

bool onnx_fold_where(struct onnx_translation *t)
{
	const struct onnx_tensor *c = onnx_tensor(t, 0), *a = onnx_tensor(t, 1);
	const struct onnx_tensor *b = onnx_tensor(t, 2);
	struct onnx_tensor out = *a;
	uint32_t size;

	if (a->type != b->type || !broadcast(b, &out) || !broadcast(c, &out) || is_large(&out) ||
	    !onnx_make_tensor(t, &out))
		return false;
	size = onnx_type_bits(out.type) / 8;
	for (uint64_t i = 0; i < onnx_elements(&out); i++) {
		const struct onnx_tensor *x = onnx_int_at(c, place_in(c, &out, i)) ? a : b;

		memcpy((uint8_t *)out.data + i * size,
		       (const uint8_t *)x->data + place_in(x, &out, i) * size, size);
	}
	onnx_set_constant(t, 0, &out);
	return true;
}

/* Of all elements alone: the number of elements of a shape. */
bool onnx_fold_reduce_prod(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	struct onnx_tensor out = { .type = x->type };
	uint64_t product = 1;

	if (is_real(x->type) || x->rank > 1 || is_large(x))
		return false;
	if (x->rank && onnx_attribute_int(t, "keepdims", 1)) {
		out.rank = 1;
		out.dims[0] = 1;
	}
	if (!onnx_make_tensor(t, &out))
		return false;
	for (uint64_t i = 0; i < onnx_elements(x); i++)
		product *= (uint64_t)onnx_int_at(x, i);
	onnx_put_int(&out, 0, (int64_t)product);
	onnx_set_constant(t, 0, &out);
	return true;
}

/* --------------------------------------------------------------------------------------- making */

bool onnx_fold_constant(struct onnx_translation *t)
{
	const struct onnx_attribute *a = t->node->attribute_count == 1 ? t->node->attributes : NULL;
	struct onnx_tensor out = { .type = ONNX_FLOAT };

	if (!a)
		return false;
	switch (a->kind) {
	case ONNX_KIND_TENSOR:
		onnx_set_constant(t, 0, &a->tensor);
		return true;
	case ONNX_KIND_FLOAT:
		out.data = &a->f;
		out.size = sizeof(a->f);
		break;
	case ONNX_KIND_INT:
		out.type = ONNX_INT64;
		out.data = &a->i;
		out.size = sizeof(a->i);
		break;
	case ONNX_KIND_FLOATS:
	case ONNX_KIND_INTS:
		out.type = a->kind == ONNX_KIND_FLOATS ? ONNX_FLOAT : ONNX_INT64;
		out.rank = 1;
		out.dims[0] = a->count;
		out.data = a->kind == ONNX_KIND_FLOATS ? (const void *)a->floats : a->ints;
		out.size = (size_t)onnx_type_bytes(out.type, a->count);
		if (!out.data)
			out.data = "";
		break;
	default:
		return false;
	}
	onnx_set_constant(t, 0, &out);
	return true;
}

bool onnx_fold_constant_of_shape(struct onnx_translation *t)
{
	const struct onnx_attribute *a = onnx_node_attribute(t->node, "value");
	const struct onnx_tensor *shape = onnx_tensor(t, 0);
	struct onnx_tensor out = { .type = a ? a->tensor.type : ONNX_FLOAT };
	uint32_t size;

	if (onnx_elements(shape) > ONNX_MAX_RANK || (a && a->kind != ONNX_KIND_TENSOR) ||
	    (a && onnx_elements(&a->tensor) != 1))
		return false;
	out.rank = (uint32_t)onnx_elements(shape);
	for (uint32_t k = 0; k < out.rank; k++)
		out.dims[k] = onnx_int_at(shape, k);
	if (is_large(&out) || !onnx_make_tensor(t, &out))
		return false;
	size = onnx_type_bits(out.type) / 8;
	for (uint64_t i = 0; a && i < onnx_elements(&out); i++)
		memcpy((uint8_t *)out.data + i * size, a->tensor.data, size);
	onnx_set_constant(t, 0, &out);
	return true;
}

bool onnx_fold_range(struct onnx_translation *t)
{
	const struct onnx_tensor *first = onnx_tensor(t, 0);
	double from, step, count;
	struct onnx_tensor out = { .type = first->type, .rank = 1 };

	for (uint32_t i = 0; i < 3; i++)
		if (onnx_elements(onnx_tensor(t, i)) != 1)
			return false;
	from = onnx_real_at(first, 0);
	step = onnx_real_at(onnx_tensor(t, 2), 0);
	count = ceil((onnx_real_at(onnx_tensor(t, 1), 0) - from) / step);
	if (t->ret || !(count < MAX_RESULT) || !(fabs(from) < 0x1p52))
		return false;
	out.dims[0] = count > 0 ? (int64_t)count : 0;
	if (is_large(&out) || !onnx_make_tensor(t, &out))
		return false;
	for (uint64_t i = 0; i < (uint64_t)out.dims[0]; i++)
		onnx_put_real(&out, i, from + (double)i * step);
	onnx_set_constant(t, 0, &out);
	return true;
}

/* --------------------------------------------------------------------------------------- moving */

bool onnx_fold_same(struct onnx_translation *t)
{
	if (onnx_output(t, 1) != ONNX_ABSENT)
		return false;
	onnx_set_constant(t, 0, onnx_tensor(t, 0));
	return true;
}

/* Of weights of any size: FLOAT16 to FLOAT, for one. */
bool onnx_fold_cast(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	struct onnx_tensor out = *x;

	out.type = (uint32_t)onnx_attribute_int(t, "to", ONNX_FLOAT);
	if (onnx_type_bits(out.type) < 8 || onnx_type_bits(x->type) < 8 ||
	    out.type == ONNX_BFLOAT16 || !onnx_make_tensor(t, &out))
		return false;
	for (uint64_t i = 0; i < onnx_elements(&out); i++) {
		if (!is_real(x->type) && x->type != ONNX_BFLOAT16)
			onnx_put_int(&out, i, onnx_int_at(x, i));
		else
			onnx_put_real(&out, i, onnx_real_at(x, i));
	}
	onnx_set_constant(t, 0, &out);
	return true;
}

bool onnx_fold_expand(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0), *shape = onnx_tensor(t, 1);
	struct onnx_tensor out = { .type = x->type };
	uint32_t size;

	if (onnx_elements(shape) > ONNX_MAX_RANK)
		return false;
	out.rank = (uint32_t)onnx_elements(shape);
	for (uint32_t k = 0; k < out.rank; k++)
		out.dims[k] = onnx_int_at(shape, k);
	if (!broadcast(x, &out) || is_large(&out) || !onnx_make_tensor(t, &out))
		return false;
	size = onnx_type_bits(out.type) / 8;
	for (uint64_t i = 0; i < onnx_elements(&out); i++)
		memcpy((uint8_t *)out.data + i * size,
		       (const uint8_t *)x->data + place_in(x, &out, i) * size, size);
	onnx_set_constant(t, 0, &out);
	return true;
}

bool onnx_fold_transpose(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	uint64_t steps[ONNX_MAX_RANK], step = 1, elements;
	struct onnx_tensor out = *x;
	int64_t perm[ONNX_MAX_RANK];
	uint32_t size, seen = 0;

	onnx_attribute_ints(t, "perm", perm, x->rank, -1);
	for (uint32_t k = x->rank; k-- > 0;) {
		steps[k] = step;
		step *= (uint64_t)x->dims[k];
	}
	for (uint32_t k = 0; k < x->rank; k++) {
		if (perm[k] < 0)
			perm[k] = x->rank - 1 - k;
		if (perm[k] >= (int64_t)x->rank || seen >> perm[k] & 1)
			return false;
		seen |= 1u << perm[k];
		out.dims[k] = x->dims[perm[k]];
	}
	if (t->ret || is_large(&out) || onnx_elements(&out) != onnx_elements(x) ||
	    !onnx_make_tensor(t, &out))
		return false;
	size = onnx_type_bits(out.type) / 8;
	elements = onnx_elements(&out);
	for (uint64_t i = 0; i < elements; i++) {
		uint64_t left = i, at = 0;

		for (uint32_t k = out.rank; k-- > 0;) {
			at += left % (uint64_t)out.dims[k] * steps[perm[k]];
			left /= (uint64_t)out.dims[k];
		}
		memcpy((uint8_t *)out.data + i * size, (const uint8_t *)x->data + at * size, size);
	}
	onnx_set_constant(t, 0, &out);
	return true;
}

bool onnx_fold_concat(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	const uint32_t size = onnx_type_bits(x->type) / 8;
	struct onnx_tensor out = *x;
	uint64_t outer = 1, inner = size, at = 0;
	uint32_t axis;

	if (!x->rank)
		return false;
	axis = onnx_axis(t, onnx_attribute_int(t, "axis", 0), x->rank);
	out.dims[axis] = 0;
	for (uint32_t i = 0; i < t->node->input_count; i++) {
		const struct onnx_tensor *part = onnx_tensor(t, i);

		if (part->rank != x->rank || part->type != x->type)
			return false;
		for (uint32_t k = 0; k < x->rank; k++)
			if (k != axis && part->dims[k] != x->dims[k])
				return false;
		out.dims[axis] += part->dims[axis];
	}
	if (is_large(&out) || !onnx_make_tensor(t, &out))
		return false;
	for (uint32_t k = 0; k < axis; k++)
		outer *= (uint64_t)x->dims[k];
	for (uint32_t k = axis + 1; k < x->rank; k++)
		inner *= (uint64_t)x->dims[k];
	for (uint64_t n = 0; n < outer; n++)
		for (uint32_t i = 0; i < t->node->input_count; i++) {
			const struct onnx_tensor *part = onnx_tensor(t, i);
			const uint64_t bytes = (uint64_t)part->dims[axis] * inner;

			if (bytes)
				memcpy((uint8_t *)out.data + at,
				       (const uint8_t *)part->data + n * bytes, bytes);
			at += bytes;
		}
	onnx_set_constant(t, 0, &out);
	return true;
}

/* Of one dimension: parts of a shape. */
bool onnx_fold_slice(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	const uint32_t size = onnx_type_bits(x->type) / 8;
	struct onnx_tensor out = *x;
	int64_t begin, end, step, n;

	if (x->rank != 1 || onnx_elements(onnx_tensor(t, 1)) != 1 ||
	    onnx_elements(onnx_tensor(t, 2)) != 1 ||
	    (onnx_has(t, 4) && onnx_elements(onnx_tensor(t, 4)) != 1))
		return false;
	n = x->dims[0];
	begin = onnx_int_at(onnx_tensor(t, 1), 0);
	end = onnx_int_at(onnx_tensor(t, 2), 0);
	step = onnx_has(t, 4) ? onnx_int_at(onnx_tensor(t, 4), 0) : 1;
	if (!step || step == INT64_MIN)
		return false;
	begin = begin < 0 ? (begin < -n ? -(step < 0) : begin + n) : begin;
	end = end < 0 ? (end < -n ? -1 : end + n) : end;
	if (step > 0) {
		begin = begin > n ? n : begin;
		end = end > n ? n : end < 0 ? 0 : end;
		out.dims[0] = end > begin ? (end - begin - 1) / step + 1 : 0;
	} else {
		begin = begin > n - 1 ? n - 1 : begin;
		end = end > n - 1 ? n - 1 : end;
		out.dims[0] = end < begin ? (begin - end - 1) / -step + 1 : 0;
	}
	if (is_large(&out) || !onnx_make_tensor(t, &out))
		return false;
	for (int64_t i = 0; i < out.dims[0]; i++)
		memcpy((uint8_t *)out.data + i * size,
		       (const uint8_t *)x->data + (begin + i * step) * size, size);
	onnx_set_constant(t, 0, &out);
	return true;
}

bool onnx_fold_gather(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0), *index = onnx_tensor(t, 1);
	const uint32_t size = onnx_type_bits(x->type) / 8;
	uint64_t outer = 1, inner = size, count = onnx_elements(index), at = 0;
	struct onnx_tensor out = { .type = x->type };
	uint32_t axis, n = 0;

	if (!x->rank || x->rank + index->rank - 1 > ONNX_MAX_RANK)
		return false;
	axis = onnx_axis(t, onnx_attribute_int(t, "axis", 0), x->rank);
	for (uint32_t k = 0; k < axis; k++) {
		outer *= (uint64_t)x->dims[k];
		out.dims[n++] = x->dims[k];
	}
	for (uint32_t k = 0; k < index->rank; k++)
		out.dims[n++] = index->dims[k];
	for (uint32_t k = axis + 1; k < x->rank; k++) {
		inner *= (uint64_t)x->dims[k];
		out.dims[n++] = x->dims[k];
	}
	out.rank = n;
	if (is_large(&out) || !onnx_make_tensor(t, &out))
		return false;
	for (uint64_t o = 0; o < outer; o++)
		for (uint64_t i = 0; i < count; i++) {
			int64_t from = onnx_int_at(index, i);

			from += from < 0 ? x->dims[axis] : 0;
			if (from < 0 || from >= x->dims[axis]) {
				onnx_wrong(t, "an index is beyond the %lld elements of the axis",
					   (long long)x->dims[axis]);
				return false;
			}
			memcpy((uint8_t *)out.data + at, (const uint8_t *)x->data +
			       (o * (uint64_t)x->dims[axis] + (uint64_t)from) * inner, inner);
			at += inner;
		}
	onnx_set_constant(t, 0, &out);
	return true;
}

// SPDX-License-Identifier: MIT
/*
 * Inference of the shapes that a file leaves open. The caller states the shapes of inputs; the
 * others follow from them, operator by operator. Integers computed from shapes (SHAPE, and the
 * slices, joins and products of its result) are known then too: their tensors become constants, and
 * the operators that compute them are not translated.
 *
 * Tensors of the model are changed in place. A subgraph of IF or WHILE has one set of shapes: a
 * model that runs it with two different ones is refused, and so is a loop whose state changes its
 * shape. A known input of a branch is known inside the branch, and so is state that a loop never
 * changes, unless several operators run that subgraph.
 */
#include "frontend/tflite/shapes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/flexbuffer.h"
#include "frontend/tflite/label.h"

/* Limit of elements of a folded integer tensor; limit of the nesting of subgraphs. */
#define MAX_FOLDED 64
#define MAX_DEPTH 16
/* Limit of the distance between the operators of a list update. */
#define NEIGHBOURS 32
/* Limit of segment numbers of a SEGMENT_SUM whose shape is open. */
#define MAX_SEGMENT_NUMBERS 1024

/**
 * struct shapes - one inference
 * @model: whose tensors are changed
 * @done: for each subgraph, whether it has its shapes
 * @users: for each subgraph, how many operators run it
 * @sub: the current subgraph
 * @op: the operator in it
 * @index: its number
 * @depth: of @sub below the main one
 * @open: some shape may differ from the file's
 * @error: the caller's memory for a message
 * @ret: the first error, after which every function does nothing
 */
struct shapes {
	struct tflite_model *model;
	bool *done;
	uint32_t *users;
	struct tflite_subgraph *sub;
	const struct tflite_operator *op;
	uint32_t index, depth;
	bool open;
	char *error;
	int ret;
};

/* As tflite_refuse() and tflite_unsupported(): @x is NULL if the line is about the operator. */
#define refuse(s, x, wrong, ...) say(s, -EINVAL, x, wrong "; expected " __VA_ARGS__)
#define unsupported(s, x, wrong, ...) say(s, -ENOTSUP, x, wrong "; supported: " __VA_ARGS__)

static __attribute__((format(printf, 4, 5))) void say(struct shapes *s, int ret,
						      const struct tflite_tensor *x,
						      const char *format, ...)
{
	char label[TFLITE_LABEL_SIZE];
	size_t n;
	va_list ap;

	if (s->ret)
		return;
	s->ret = ret;
	n = (size_t)snprintf(s->error, TFLITE_ERROR_SIZE, "%s: ",
			     tflite_operator_label(s->op, label));
	if (x)
		n += (size_t)snprintf(s->error + n, TFLITE_ERROR_SIZE - n, "%s: ",
				      tflite_tensor_label(s->sub, s->op, x, label));
	va_start(ap, format);
	vsnprintf(s->error + n, TFLITE_ERROR_SIZE - n, format, ap);
	va_end(ap);
}

static struct tflite_tensor *input(struct shapes *s, uint32_t i)
{
	if (i >= s->op->inputs.count || s->op->inputs.at[i] < 0)
		return NULL;
	return &s->sub->tensors[s->op->inputs.at[i]];
}

static struct tflite_tensor *output(struct shapes *s, uint32_t i)
{
	return i < s->op->outputs.count ? &s->sub->tensors[s->op->outputs.at[i]] : NULL;
}

/* Sets the dims of output @i. */
static void set_dims(struct shapes *s, uint32_t i, uint32_t rank, const uint32_t *dims)
{
	struct tflite_tensor *y = output(s, i);
	uint64_t elements;

	if (!y || s->ret)
		return;
	if (rank > TFLITE_MAX_RANK) {
		unsupported(s, y, "an inferred shape of %u dimensions", "%u or fewer", rank,
			    TFLITE_MAX_RANK);
		return;
	}
	if (!tflite_count_elements(rank, dims, &elements)) {
		refuse(s, y, "an inferred shape of more than %u elements",
		       "fewer: set smaller input shapes", UINT32_MAX);
		return;
	}
	y->changed |= y->rank != rank || memcmp(y->dims, dims, rank * sizeof(*dims));
	s->open |= y->changed;
	y->rank = rank;
	memmove(y->dims, dims, rank * sizeof(*dims));
	y->elements = elements;
}

static void like_input(struct shapes *s, uint32_t i)
{
	const struct tflite_tensor *x = input(s, i);

	if (x)
		set_dims(s, 0, x->rank, x->dims);
}

/* The integers that a tensor holds in every run; NULL if they depend on the data. */
static const void *known_data(const struct tflite_tensor *x)
{
	if (x->type != TFLITE_INT32 && x->type != TFLITE_INT64)
		return NULL;
	return x->data ? x->data : x->invariant;
}

/* Whether inference found the integers of @x: they are not in the file. */
static bool is_found(const struct tflite_tensor *x)
{
	return x->folded || x->invariant;
}

/* Whether the integers of input @i are known and at most @room; then *@values gets them. */
static bool known(struct shapes *s, uint32_t i, int64_t *values, uint32_t room, uint32_t *count)
{
	const struct tflite_tensor *x = input(s, i);
	const void *data = x ? known_data(x) : NULL;

	/* An empty list, such as the shape of a scalar, has no data. */
	if (!x || (!data && x->elements) || x->elements > room)
		return false;
	*count = (uint32_t)x->elements;
	for (uint32_t k = 0; k < *count; k++)
		values[k] = x->type == TFLITE_INT64 ? ((const int64_t *)data)[k]
						    : ((const int32_t *)data)[k];
	return true;
}

/* The same; unknown integers are an error. Return: their number. */
static uint32_t need_known(struct shapes *s, uint32_t i, int64_t *values, uint32_t room)
{
	const struct tflite_tensor *x = input(s, i);
	uint32_t count = 0;

	if (!x)
		refuse(s, NULL, "no input %u", "integers that the output's shape depends on", i);
	else if (!known(s, i, values, room, &count) && known_data(x))
		refuse(s, x, "%llu integers", "%u or fewer", (unsigned long long)x->elements, room);
	else if (!known(s, i, values, room, &count))
		unsupported(s, x, "the output's shape depends on its values",
			    "a constant of INT32 or INT64, or values computed from shapes");
	return s->ret ? 0 : count;
}

static uint32_t axis_of(struct shapes *s, int64_t axis, uint32_t rank)
{
	if (axis < -(int64_t)rank || axis >= (int64_t)rank) {
		refuse(s, NULL, "axis %lld", "one of %u dimensions", (long long)axis, rank);
		return 0;
	}
	return (uint32_t)(axis < 0 ? axis + rank : axis);
}

/* Whether input @i exists and has @rank dimensions; an error if not. */
static bool has_rank(struct shapes *s, uint32_t i, uint32_t rank)
{
	const struct tflite_tensor *x = input(s, i);

	if (!x)
		refuse(s, NULL, "no input %u", "%u dimensions", i, rank);
	else if (x->rank != rank)
		refuse(s, x, "rank %u", "%u", x->rank, rank);
	return !s->ret;
}

/* Whether input @i exists and has @rank dimensions or more; an error if not. */
static bool has_least_rank(struct shapes *s, uint32_t i, uint32_t rank)
{
	const struct tflite_tensor *x = input(s, i);

	if (!x)
		refuse(s, NULL, "no input %u", "%u dimensions or more", i, rank);
	else if (x->rank < rank)
		refuse(s, x, "rank %u", "%u or more", x->rank, rank);
	return !s->ret;
}

/* ------------------------------------------------------------------------------- known integers */

static void fold(struct shapes *s, const int64_t *values, uint32_t count)
{
	struct tflite_tensor *y = output(s, 0);
	uint32_t size = tflite_type_size(y->type);
	uint8_t *data;

	if (s->ret || y->variable || y->elements != count ||
	    (y->type != TFLITE_INT32 && y->type != TFLITE_INT64))
		return;
	data = tflite_derive(s->model, (size_t)count * size);
	if (!data) {
		say(s, -ENOMEM, NULL, "out of memory");
		return;
	}
	for (uint32_t k = 0; k < count; k++) {
		if (size == 8)
			((int64_t *)(void *)data)[k] = values[k];
		else
			((int32_t *)(void *)data)[k] = (int32_t)values[k];
	}
	y->data = data;
	y->size = (size_t)count * size;
	y->folded = true;
}

static int64_t combine(uint32_t code, int64_t a, int64_t b)
{
	int64_t y = 0;

	switch (code) {
	case TFLITE_ADD:
		return __builtin_add_overflow(a, b, &y) ? 0 : y;
	case TFLITE_SUB:
		return __builtin_sub_overflow(a, b, &y) ? 0 : y;
	case TFLITE_MUL:
		return __builtin_mul_overflow(a, b, &y) ? 0 : y;
	case TFLITE_MAXIMUM:
		return a > b ? a : b;
	case TFLITE_MINIMUM:
		return a < b ? a : b;
	case TFLITE_DIV:
		return b && b != -1 ? a / b : -a;
	default: /* FLOOR_DIV */
		if (!b || b == -1)
			return -a;
		return a / b - (a % b && (a < 0) != (b < 0));
	}
}

/* Computes integers from integers of shapes; the output has its dims already. */
static void fold_integers(struct shapes *s)
{
	int64_t a[MAX_FOLDED], b[MAX_FOLDED], y[MAX_FOLDED];
	const struct tflite_tensor *to = output(s, 0);
	uint32_t n = 0, m = 0, count = 0, i;
	bool from_shape = false;

	if (!to || to->elements > MAX_FOLDED || s->op->outputs.count != 1)
		return;
	for (i = 0; i < s->op->inputs.count; i++) {
		const struct tflite_tensor *x = input(s, i);

		from_shape |= x && is_found(x);
	}
	if (!from_shape)
		return;
	switch (s->op->code) {
	case TFLITE_ADD:
	case TFLITE_SUB:
	case TFLITE_MUL:
	case TFLITE_DIV:
	case TFLITE_FLOOR_DIV:
	case TFLITE_MAXIMUM:
	case TFLITE_MINIMUM:
		if (!known(s, 0, a, MAX_FOLDED, &n) || !known(s, 1, b, MAX_FOLDED, &m) ||
		    (n != 1 && n != to->elements) || (m != 1 && m != to->elements))
			return;
		for (i = 0; i < to->elements; i++)
			y[i] = combine(s->op->code, a[n == 1 ? 0 : i], b[m == 1 ? 0 : i]);
		break;
	case TFLITE_CAST:
	case TFLITE_RESHAPE:
	case TFLITE_SQUEEZE:
	case TFLITE_EXPAND_DIMS:
		if (!known(s, 0, y, MAX_FOLDED, &n) || n != to->elements)
			return;
		break;
	case TFLITE_PACK:
	case TFLITE_CONCATENATION:
		for (i = 0; i < s->op->inputs.count; i++) {
			if (!input(s, i) || input(s, i)->rank > 1 ||
			    !known(s, i, a, MAX_FOLDED - count, &n))
				return;
			memcpy(y + count, a, n * sizeof(*y));
			count += n;
		}
		if (count != to->elements)
			return;
		break;
	case TFLITE_REDUCE_PROD:
		if (!known(s, 0, a, MAX_FOLDED, &n) || to->elements != 1)
			return;
		for (y[0] = 1, i = 0; i < n; i++)
			y[0] = combine(TFLITE_MUL, y[0], a[i]);
		break;
	case TFLITE_GATHER:
		if (!known(s, 0, a, MAX_FOLDED, &n) || !known(s, 1, b, MAX_FOLDED, &m) ||
		    input(s, 0)->rank != 1 || m != to->elements)
			return;
		for (i = 0; i < m; i++) {
			if (b[i] < 0 || b[i] >= (int64_t)n)
				return;
			y[i] = a[b[i]];
		}
		break;
	default:
		return;
	}
	fold(s, y, (uint32_t)to->elements);
}

/* --------------------------------------------------------------------------------------- slices */

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* The span of one dimension of @size elements; @bit is its bit in the masks. */
static const struct tflite_span_error *find_span(const struct tflite_options *o, int64_t size,
						 int64_t begin, int64_t end, int64_t step,
						 uint32_t bit, struct tflite_span *s)
{
	static const struct tflite_span_error no_step = { "stride 0", "another stride" };
	static const struct tflite_span_error outside = { "an index outside its dimension",
							  "an index of an element" };
	int64_t first = step > 0 ? 0 : -1, last = step > 0 ? size : size - 1;
	int64_t count;

	if (!step)
		return &no_step;
	begin += begin < 0 ? size : 0;
	if ((uint32_t)o->begin_mask >> bit & 1)
		begin = step > 0 ? 0 : size - 1;
	if ((uint32_t)o->shrink_axis_mask >> bit & 1) {
		if (begin < 0 || begin >= size)
			return &outside;
		*s = (struct tflite_span){ (int32_t)begin, 1, 1, true };
		return NULL;
	}
	begin = clamp(begin, first, last);
	/* If it is an offset, @end counts from the clamped begin. */
	if (o->end_is_offset)
		end += begin;
	else
		end += end < 0 ? size : 0;
	end = (uint32_t)o->end_mask >> bit & 1 ? (step > 0 ? size : -1) : clamp(end, first, last);
	count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
	*s = (struct tflite_span){ (int32_t)begin, (int32_t)step,
				   count > 0 ? (int32_t)count : 0, false };
	return NULL;
}

const struct tflite_span_error *tflite_find_spans(const struct tflite_options *o,
						  const struct tflite_tensor *x, uint32_t count,
						  const int32_t *begin, const int32_t *end,
						  const int32_t *step, struct tflite_span *spans)
{
	static const struct tflite_span_error too_many = { "more begins than dimensions",
							   "one begin for each dimension" };
	const struct tflite_span_error *wrong = NULL;
	uint32_t taken = 0, dim = 0, k;
	bool whole = false;

	for (k = 0; k < count; k++)
		taken += !((uint32_t)(o->new_axis_mask | o->ellipsis_mask) >> k & 1);
	if (taken > x->rank)
		return &too_many;
	for (k = 0; k < count && !wrong; k++) {
		if ((uint32_t)o->ellipsis_mask >> k & 1) {
			for (uint32_t n = x->rank - taken; n && !whole; n--, dim++)
				spans[dim] = (struct tflite_span){ 0, 1, (int32_t)x->dims[dim],
								   false };
			whole = true;
			continue;
		}
		if ((uint32_t)o->new_axis_mask >> k & 1)
			continue;
		wrong = find_span(o, x->dims[dim], begin[k], end[k], step[k], k, &spans[dim]);
		dim++;
	}
	for (; dim < x->rank && !wrong; dim++)
		spans[dim] = (struct tflite_span){ 0, 1, (int32_t)x->dims[dim], false };
	return wrong;
}

/* ------------------------------------------------------------------------------------- windows */

/* Element @at of a list; @missing if the list is empty. */
static int64_t listed(const struct tflite_longs *list, uint32_t at, int64_t missing)
{
	return list->count ? tflite_long_at(list, at) : missing;
}

const struct tflite_span_error *tflite_find_windows(const struct tflite_options *o,
						    const struct tflite_tensor *x,
						    struct tflite_window *windows)
{
	static const struct tflite_span_error counts = { "lists of other lengths than its rank",
							 "one number of each for a dimension" };
	static const struct tflite_span_error range = { "a number out of range",
							"sizes, strides and dilations of 1 to "
							"65535, paddings of 0 to 65535" };
	static const struct tflite_span_error base = { "elements that lie apart",
						       "base dilations of 1" };
	const struct tflite_longs *lists[] = { &o->window_strides, &o->base_dilations,
					       &o->window_dilations };

	for (int i = 0; i < 3; i++)
		if (lists[i]->count && lists[i]->count != x->rank)
			return &counts;
	if (o->window_dims.count != x->rank ||
	    (o->paddings.count && o->paddings.count != 2 * x->rank))
		return &counts;
	for (uint32_t k = 0; k < x->rank; k++) {
		int64_t size = listed(&o->window_dims, k, 1);
		int64_t stride = listed(&o->window_strides, k, 1);
		int64_t dilation = listed(&o->window_dilations, k, 1);
		int64_t before = listed(&o->paddings, 2 * k, 0);
		int64_t after = listed(&o->paddings, 2 * k + 1, 0), room;

		if (size < 1 || stride < 1 || dilation < 1 || before < 0 || after < 0 ||
		    size > UINT16_MAX || stride > UINT16_MAX || dilation > UINT16_MAX ||
		    before > UINT16_MAX || after > UINT16_MAX)
			return &range;
		if (listed(&o->base_dilations, k, 1) != 1)
			return &base;
		room = x->dims[k] + before + after - ((size - 1) * dilation + 1);
		windows[k] = (struct tflite_window){
			.size = (uint32_t)size, .stride = (uint32_t)stride,
			.dilation = (uint32_t)dilation, .before = (uint32_t)before,
			.after = (uint32_t)after,
			.count = room < 0 ? 0 : (uint32_t)(room / stride + 1),
		};
	}
	return NULL;
}

const struct tflite_span_error *tflite_find_plain_windows(const struct tflite_tensor *x,
							  const int64_t *sizes,
							  const int64_t *strides,
							  const int64_t *dilations,
							  struct tflite_window *windows)
{
	static const struct tflite_span_error range = { "a number out of range",
							"sizes, strides and dilations of 1 to "
							"65535" };
	static const struct tflite_span_error beyond = { "elements beyond the input",
							 "windows that end within it" };

	for (uint32_t k = 0; k < x->rank; k++) {
		int64_t room;

		if (sizes[k] < 1 || strides[k] < 1 || dilations[k] < 1 ||
		    sizes[k] > UINT16_MAX || strides[k] > UINT16_MAX || dilations[k] > UINT16_MAX)
			return &range;
		room = x->dims[k] - ((sizes[k] - 1) * dilations[k] + 1);
		/* TFLite rounds the number of windows up, and reads beyond the input. */
		if (room < 0 || room % strides[k])
			return &beyond;
		windows[k] = (struct tflite_window){
			.size = (uint32_t)sizes[k], .stride = (uint32_t)strides[k],
			.dilation = (uint32_t)dilations[k],
			.count = (uint32_t)(room / strides[k] + 1),
		};
	}
	return NULL;
}

/* --------------------------------------------------------------------------------- gaps, slices */

const struct tflite_span_error *tflite_find_gaps(const struct tflite_options *o,
						 const struct tflite_tensor *x,
						 const int32_t *factors, struct tflite_gap *gaps)
{
	static const struct tflite_span_error range = { "a number out of range",
							"1 to 2147483647 elements with them" };

	for (uint32_t k = 0; k < x->rank; k++) {
		/* What a list of the file lacks is 0, as in TFLite. */
		int64_t before = k < o->pads_before.count ? tflite_long_at(&o->pads_before, k) : 0;
		int64_t after = k < o->pads_after.count ? tflite_long_at(&o->pads_after, k) : 0;
		int64_t between = k < o->pads_between.count ?
				  tflite_long_at(&o->pads_between, k) : 0;
		int64_t count;

		if (factors)
			between = (int64_t)factors[k] - 1;
		if (between < 0 || between >= INT32_MAX || before < -INT32_MAX ||
		    before > INT32_MAX || after < -INT32_MAX || after > INT32_MAX)
			return &range;
		/* One element has no neighbours. */
		if (x->dims[k] == 1)
			between = 0;
		/* With what follows the last element: 2^63 is far. */
		count = x->dims[k] * (between + 1);
		if (count > INT32_MAX || count + before > INT32_MAX)
			return &range;
		count += before + after - between;
		if (count < 1 || count > INT32_MAX)
			return &range;
		gaps[k] = (struct tflite_gap){ (int32_t)before, (int32_t)after, (int32_t)between,
					       (uint32_t)count };
	}
	return NULL;
}

/* Marks the numbers of a list in @marks. Return: whether all are below @count, and none twice. */
static bool mark(const struct tflite_longs *list, bool *marks, uint32_t count)
{
	for (uint32_t i = 0; i < list->count; i++) {
		int64_t k = tflite_long_at(list, i);

		if (k < 0 || k >= count || marks[k])
			return false;
		marks[k] = true;
	}
	return true;
}

const struct tflite_span_error *tflite_find_slices(const struct tflite_options *o,
						   const struct tflite_tensor *x,
						   const struct tflite_tensor *from,
						   struct tflite_slices *s)
{
	static const struct tflite_span_error lists = {
		"lists that do not fit it", "numbers of dimensions, each once, and a size for each" };
	static const struct tflite_span_error sizes = {
		"a size out of range", "sizes from 1 to those of the dimensions, 1 where the "
		"output lacks one" };
	static const struct tflite_span_error ranks = { "too many dimensions of the output",
							"8 or fewer" };
	bool lacks[TFLITE_MAX_RANK] = { 0 }, starts[TFLITE_MAX_RANK] = { 0 };
	uint64_t rows = 1, inner = 1, count = 1;
	uint32_t k, i = 0, j = 0;

	*s = (struct tflite_slices){ 0 };
	if (o->slice_sizes.count != x->rank || o->vector_dim < 0 || o->vector_dim > from->rank ||
	    o->inserted_dims.count > x->rank || !mark(&o->inserted_dims, lacks, x->rank) ||
	    o->scatter_dims.count != (o->vector_dim < from->rank ? from->dims[o->vector_dim] : 1) ||
	    !mark(&o->scatter_dims, starts, x->rank) ||
	    o->window_dims.count != x->rank - o->inserted_dims.count)
		return &lists;
	s->vector = (uint32_t)o->vector_dim;
	s->rank = from->rank - (s->vector < from->rank) + o->window_dims.count;
	if (s->rank > TFLITE_MAX_RANK)
		return &ranks;
	if (!mark(&o->window_dims, s->of_slice, s->rank))
		return &lists;
	for (k = 0; k < x->rank; k++) {
		int64_t size = tflite_long_at(&o->slice_sizes, k);

		if (size < 1 || size > x->dims[k] || (lacks[k] && size != 1))
			return &sizes;
		s->size[k] = (uint32_t)size;
		s->start[k] = -1;
	}
	for (k = 0; k < o->scatter_dims.count; k++)
		s->start[tflite_long_at(&o->scatter_dims, k)] = (int32_t)k;
	for (s->kept = x->rank; s->kept; s->kept--) {
		if (s->size[s->kept - 1] != x->dims[s->kept - 1])
			break;
		inner *= x->dims[s->kept - 1];
	}
	for (k = 0; k < s->kept; k++)
		rows *= s->size[k];
	for (k = 0; k < from->rank; k++)
		count *= k == s->vector ? 1 : from->dims[k];
	if (x->elements > INT32_MAX || count > INT32_MAX)
		return &sizes;
	s->rows = (uint32_t)rows;
	s->inner = (uint32_t)inner;
	s->count = (uint32_t)count;
	for (k = 0; k < s->rank; k++) {
		if (s->of_slice[k]) {
			while (lacks[j])
				j++;
			s->dims[k] = s->size[j++];
		} else {
			i += i == s->vector;
			s->dims[k] = from->dims[i++];
		}
	}
	return NULL;
}

/* --------------------------------------------------------------------------------- list updates */

/* The SLICE within NEIGHBOURS operators before @index that writes @tensor, or NULL. */
static const struct tflite_operator *slice_before(const struct tflite_subgraph *sub,
						  uint32_t index, int32_t tensor)
{
	for (uint32_t i = index; i > 0 && index - i < NEIGHBOURS; i--) {
		const struct tflite_operator *op = &sub->operators[i - 1];

		if (op->outputs.count == 1 && op->outputs.at[0] == tensor)
			return op->code == TFLITE_SLICE && op->inputs.count == 3 &&
			       op->inputs.at[0] >= 0 && op->inputs.at[1] >= 0 &&
			       op->inputs.at[2] >= 0 ? op : NULL;
	}
	return NULL;
}

/* Whether @x is a constant whose elements are all @value. */
static bool all_are(const struct tflite_tensor *x, int32_t value)
{
	if (!x->data || x->type != TFLITE_INT32)
		return false;
	for (uint64_t i = 0; i < x->elements; i++)
		if (((const int32_t *)x->data)[i] != value)
			return false;
	return true;
}

bool tflite_find_list_update(const struct tflite_subgraph *sub, uint32_t index,
			     struct tflite_list_update *update)
{
	const struct tflite_operator *op = &sub->operators[index], *front, *back;
	const struct tflite_tensor *list, *row, *y;

	if (op->code != TFLITE_CONCATENATION || op->inputs.count != 3 || op->outputs.count != 1 ||
	    op->options.axis || op->options.activation || op->inputs.at[1] < 0)
		return false;
	front = slice_before(sub, index, op->inputs.at[0]);
	back = slice_before(sub, index, op->inputs.at[2]);
	if (!front || !back || front->inputs.at[0] != back->inputs.at[0])
		return false;
	list = &sub->tensors[front->inputs.at[0]];
	row = &sub->tensors[op->inputs.at[1]];
	y = &sub->tensors[op->outputs.at[0]];
	/* The list keeps its number of rows: the back begins one row after the end of the front. */
	if (y->dynamic || !y->rank || y->rank != list->rank || row->rank != list->rank ||
	    row->dims[0] != 1 || memcmp(y->dims, list->dims, y->rank * sizeof(*y->dims)) ||
	    memcmp(y->dims + 1, row->dims + 1, (y->rank - 1) * sizeof(*y->dims)))
		return false;
	if (!all_are(&sub->tensors[front->inputs.at[1]], 0) ||
	    !all_are(&sub->tensors[back->inputs.at[2]], -1) ||
	    sub->tensors[front->inputs.at[2]].data ||
	    sub->tensors[front->inputs.at[2]].type != TFLITE_INT32 ||
	    sub->tensors[front->inputs.at[2]].elements != y->rank)
		return false;
	*update = (struct tflite_list_update){ .list = front->inputs.at[0],
					       .sizes = front->inputs.at[2],
					       .row = op->inputs.at[1] };
	return true;
}

bool tflite_in_list_update(const struct tflite_subgraph *sub, uint32_t index)
{
	const struct tflite_operator *op = &sub->operators[index];
	struct tflite_list_update update;

	if (op->code != TFLITE_SLICE || op->outputs.count != 1)
		return false;
	for (uint32_t i = index + 1; i < sub->operator_count && i - index <= NEIGHBOURS; i++) {
		const struct tflite_operator *next = &sub->operators[i];

		for (uint32_t k = 0; k < next->inputs.count && next->inputs.count == 3; k += 2)
			if (next->inputs.at[k] == op->outputs.at[0])
				return tflite_find_list_update(sub, i, &update);
	}
	return false;
}

/* --------------------------------------------------------------------------------------- shapes */

static void broadcast(struct shapes *s, uint32_t inputs)
{
	uint32_t dims[TFLITE_MAX_RANK], rank = 0, i, k;

	for (i = 0; i < inputs; i++)
		if (input(s, i) && input(s, i)->rank > rank)
			rank = input(s, i)->rank;
	for (k = 0; k < rank; k++)
		dims[k] = 1;
	for (i = 0; i < inputs; i++) {
		const struct tflite_tensor *x = input(s, i);

		for (k = 0; x && k < x->rank; k++) {
			uint32_t *to = &dims[rank - x->rank + k];

			if (x->dims[k] != 1 && *to != 1 && *to != x->dims[k])
				refuse(s, x, "%u elements of dimension %u",
				       "1 or %u, to broadcast with the inputs before", x->dims[k],
				       k, *to);
			if (x->dims[k] != 1)
				*to = x->dims[k];
		}
	}
	set_dims(s, 0, rank, dims);
}

static uint32_t window(struct shapes *s, uint32_t size, int64_t filter, int64_t stride,
		       int64_t dilation)
{
	int64_t reach = (filter - 1) * dilation + 1, y;

	if (stride < 1 || filter < 1 || dilation < 1) {
		refuse(s, NULL, "stride %lld, filter %lld and dilation %lld", "1 or more for each",
		       (long long)stride, (long long)filter, (long long)dilation);
		return 0;
	}
	if (s->op->options.padding == TFLITE_SAME)
		y = (size + stride - 1) / stride;
	else
		y = size < reach ? 0 : (size - reach) / stride + 1;
	return (uint32_t)y;
}

static void image(struct shapes *s, bool pool)
{
	const struct tflite_tensor *x = input(s, 0), *w = pool ? NULL : input(s, 1);
	const struct tflite_options *o = &s->op->options;
	bool depthwise = s->op->code == TFLITE_DEPTHWISE_CONV_2D;
	uint32_t dims[4];

	if (!has_rank(s, 0, 4) || (!pool && !has_rank(s, 1, 4)))
		return;
	dims[0] = x->dims[0];
	dims[1] = window(s, x->dims[1], pool ? o->filter_h : (int64_t)w->dims[1], o->stride_h,
			 pool ? 1 : o->dilation_h);
	dims[2] = window(s, x->dims[2], pool ? o->filter_w : (int64_t)w->dims[2], o->stride_w,
			 pool ? 1 : o->dilation_w);
	dims[3] = pool ? x->dims[3] : w->dims[depthwise ? 3 : 0];
	set_dims(s, 0, 4, dims);
}

/* CONV_3D: filters are [depth, height, width, channels, units]. */
static void volume(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0), *w = input(s, 1);
	const struct tflite_options *o = &s->op->options;
	uint32_t dims[5];

	if (!has_rank(s, 0, 5) || !has_rank(s, 1, 5))
		return;
	dims[0] = x->dims[0];
	dims[1] = window(s, x->dims[1], w->dims[0], o->stride_d, o->dilation_d);
	dims[2] = window(s, x->dims[2], w->dims[1], o->stride_h, o->dilation_h);
	dims[3] = window(s, x->dims[3], w->dims[2], o->stride_w, o->dilation_w);
	dims[4] = w->dims[4];
	set_dims(s, 0, 5, dims);
}

static void fully_connected(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0), *w = input(s, 1);
	uint32_t dims[TFLITE_MAX_RANK];

	if (!has_least_rank(s, 0, 0) || !has_rank(s, 1, 2))
		return;
	if (!w->dims[1] || x->elements % w->dims[1]) {
		refuse(s, w, "%u elements of a row", "a divisor of input 0's %llu elements",
		       w->dims[1], (unsigned long long)x->elements);
		return;
	}
	memcpy(dims, x->dims, sizeof(dims));
	if (s->op->options.keep_num_dims && x->rank) {
		dims[x->rank - 1] = w->dims[0];
		set_dims(s, 0, x->rank, dims);
		return;
	}
	dims[0] = (uint32_t)(x->elements / w->dims[1]);
	dims[1] = w->dims[0];
	set_dims(s, 0, 2, dims);
}

/* Sets the dims to @values, of which one may be -1: the quotient of @elements and the others. */
static void stated(struct shapes *s, const int64_t *values, uint32_t count, uint64_t elements)
{
	uint32_t dims[TFLITE_MAX_RANK], i, open = TFLITE_MAX_RANK;
	uint64_t rest = 1;

	for (i = 0; i < count && !s->ret; i++) {
		if (values[i] == -1 && open == TFLITE_MAX_RANK) {
			open = i;
			continue;
		}
		if (values[i] < 0 || values[i] > UINT32_MAX ||
		    __builtin_mul_overflow(rest, (uint64_t)values[i], &rest))
			refuse(s, NULL, "a stated shape with dimension %u of %lld",
			       "0 or more, or one dimension of -1", i, (long long)values[i]);
		dims[i] = (uint32_t)values[i];
	}
	if (!s->ret && open < TFLITE_MAX_RANK) {
		if (!rest || elements % rest)
			refuse(s, input(s, 0), "%llu elements",
			       "a multiple of %llu, the dimensions that are stated",
			       (unsigned long long)elements, (unsigned long long)rest);
		else
			dims[open] = (uint32_t)(elements / rest);
	}
	set_dims(s, 0, count, dims);
}

static void reshape(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	int64_t values[TFLITE_MAX_RANK];
	uint32_t count = 0;

	if (!x)
		return;
	if (input(s, 1)) {
		count = need_known(s, 1, values, TFLITE_MAX_RANK);
	} else {
		if (s->op->options.ints.count > TFLITE_MAX_RANK)
			unsupported(s, NULL, "a stated shape of %u dimensions", "%u or fewer",
				    s->op->options.ints.count, TFLITE_MAX_RANK);
		for (; !s->ret && count < s->op->options.ints.count; count++)
			values[count] = s->op->options.ints.at[count];
	}
	stated(s, values, count, x->elements);
}

static void squeeze(struct shapes *s)
{
	const struct tflite_ints *axes = &s->op->options.ints;
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[TFLITE_MAX_RANK], rank = 0, drop = 0, k;

	if (!x)
		return;
	for (k = 0; k < axes->count && !s->ret; k++)
		drop |= 1u << axis_of(s, axes->at[k], x->rank);
	for (k = 0; k < x->rank; k++)
		if (axes->count ? !(drop >> k & 1) : x->dims[k] != 1)
			dims[rank++] = x->dims[k];
	set_dims(s, 0, rank, dims);
}

/* Inserts a dimension of @size before @axis: EXPAND_DIMS, PACK, ONE_HOT. */
static void insert(struct shapes *s, int64_t axis, uint32_t size)
{
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[TFLITE_MAX_RANK + 1], at, k;

	if (!x)
		return;
	at = axis_of(s, axis, x->rank + 1);
	for (k = 0; k <= x->rank; k++)
		dims[k] = k < at ? x->dims[k] : k == at ? size : x->dims[k - 1];
	set_dims(s, 0, x->rank + 1, dims);
}

/* The shape of a list after an update does not depend on that of its parts. */
static void concatenation(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[TFLITE_MAX_RANK], axis, i;
	struct tflite_list_update update;

	if (!x || !x->rank || tflite_find_list_update(s->sub, s->index, &update))
		return;
	memcpy(dims, x->dims, sizeof(dims));
	axis = axis_of(s, s->op->options.axis, x->rank);
	for (i = 1; i < s->op->inputs.count && !s->ret; i++) {
		if (has_rank(s, i, x->rank) &&
		    __builtin_add_overflow(dims[axis], input(s, i)->dims[axis], &dims[axis]))
			refuse(s, input(s, i), "%u elements of the axis",
			       "%u elements of all inputs or fewer", input(s, i)->dims[axis],
			       UINT32_MAX);
	}
	set_dims(s, 0, x->rank, dims);
}

static void transpose(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	int64_t axes[TFLITE_MAX_RANK];
	uint32_t dims[TFLITE_MAX_RANK], k;

	if (!x || need_known(s, 1, axes, TFLITE_MAX_RANK) != x->rank)
		return;
	for (k = 0; k < x->rank && !s->ret; k++)
		dims[k] = x->dims[axis_of(s, axes[k], x->rank)];
	set_dims(s, 0, x->rank, dims);
}

static void reduce(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	int64_t axes[2 * TFLITE_MAX_RANK];
	uint32_t dims[TFLITE_MAX_RANK], rank = 0, which = 0, count, k;
	bool arg = s->op->code == TFLITE_ARG_MAX || s->op->code == TFLITE_ARG_MIN;

	if (!x)
		return;
	count = need_known(s, 1, axes, 2 * TFLITE_MAX_RANK);
	for (k = 0; k < count && !s->ret; k++)
		which |= 1u << axis_of(s, axes[k], x->rank);
	for (k = 0; k < x->rank; k++) {
		if (!(which >> k & 1))
			dims[rank++] = x->dims[k];
		else if (s->op->options.keep_dims && !arg)
			dims[rank++] = 1;
	}
	set_dims(s, 0, rank, dims);
}

static void pad(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	int64_t pads[2 * TFLITE_MAX_RANK];
	uint32_t dims[TFLITE_MAX_RANK], k;

	if (!x || need_known(s, 1, pads, 2 * TFLITE_MAX_RANK) != 2 * x->rank)
		return;
	for (k = 0; k < x->rank; k++) {
		int64_t size = (int64_t)x->dims[k] + pads[2 * k] + pads[2 * k + 1];

		if (pads[2 * k] < 0 || pads[2 * k + 1] < 0 || size > UINT32_MAX)
			refuse(s, x, "paddings of %lld and %lld for dimension %u",
			       "0 or more, and 32 bits in all", (long long)pads[2 * k],
			       (long long)pads[2 * k + 1], k);
		dims[k] = (uint32_t)size;
	}
	set_dims(s, 0, x->rank, dims);
}

/* The parts of a list update have no shapes of their own. */
static void slice(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	int64_t begin[TFLITE_MAX_RANK], size[TFLITE_MAX_RANK];
	uint32_t dims[TFLITE_MAX_RANK], k, n = 0;
	bool placed;

	if (!x || tflite_in_list_update(s->sub, s->index) ||
	    need_known(s, 2, size, TFLITE_MAX_RANK) != x->rank)
		return;
	placed = known(s, 1, begin, TFLITE_MAX_RANK, &n) && n == x->rank;
	for (k = 0; k < x->rank; k++) {
		if (size[k] < 0 && !placed)
			unsupported(s, input(s, 1), "the slice ends at the end of dimension %u",
				    "a constant begin, or a size of 0 or more", k);
		dims[k] = size[k] < 0 ? x->dims[k] - (placed ? (uint32_t)begin[k] : 0) :
					(uint32_t)size[k];
	}
	set_dims(s, 0, x->rank, dims);
}

static void strided_slice(struct shapes *s)
{
	const struct tflite_options *o = &s->op->options;
	struct tflite_tensor *x = input(s, 0);
	int64_t begin[32], end[32], step[32], values[MAX_FOLDED];
	struct tflite_span spans[TFLITE_MAX_RANK];
	int32_t b[32] = { 0 }, e[32] = { 0 }, d[32] = { 0 };
	uint32_t dims[TFLITE_MAX_RANK + 32], rank = 0, count, k, dim = 0, n = 0;
	const struct tflite_span_error *wrong;

	if (!x)
		return;
	count = need_known(s, 1, begin, 32);
	if (need_known(s, 2, end, 32) != count || need_known(s, 3, step, 32) != count)
		refuse(s, NULL, "ends or strides that differ in number from begins", "%u of each",
		       count);
	if (s->ret)
		return;
	for (k = 0; k < count; k++) {
		b[k] = (int32_t)begin[k];
		e[k] = (int32_t)end[k];
		d[k] = (int32_t)step[k];
	}
	wrong = tflite_find_spans(o, x, count, b, e, d, spans);
	if (wrong) {
		refuse(s, x, "a slice with %s", "%s", wrong->wrong, wrong->expected);
		return;
	}
	for (k = 0; k < count; k++) {
		if ((uint32_t)o->ellipsis_mask >> k & 1) {
			uint32_t left = x->rank - dim, after = 0;

			for (uint32_t j = k + 1; j < count; j++)
				after += !((uint32_t)o->new_axis_mask >> j & 1);
			for (; left > after; left--, dim++)
				dims[rank++] = (uint32_t)spans[dim].count;
			continue;
		}
		if ((uint32_t)o->new_axis_mask >> k & 1) {
			dims[rank++] = 1;
			continue;
		}
		if (!spans[dim].shrink)
			dims[rank++] = (uint32_t)spans[dim].count;
		dim++;
	}
	for (; dim < x->rank; dim++)
		dims[rank++] = (uint32_t)spans[dim].count;
	set_dims(s, 0, rank, dims);
	if (s->ret || !is_found(x) || x->rank != 1 || !known(s, 0, values, MAX_FOLDED, &n))
		return;
	for (k = 0; k < (uint32_t)spans[0].count; k++)
		values[k] = values[spans[0].start + (int32_t)k * spans[0].step];
	if (spans[0].step > 0)
		fold(s, values, (uint32_t)spans[0].count);
}

static void gather(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0), *i = input(s, 1);
	uint32_t dims[2 * TFLITE_MAX_RANK], rank = 0, axis, k;
	int32_t batch = s->op->options.batch_dims;

	if (!x || !i)
		return;
	batch += batch < 0 ? (int32_t)i->rank : 0;
	axis = axis_of(s, s->op->options.axis, x->rank);
	for (k = 0; k < axis; k++)
		dims[rank++] = x->dims[k];
	for (k = (uint32_t)batch; k < i->rank; k++)
		dims[rank++] = i->dims[k];
	for (k = axis + 1; k < x->rank; k++)
		dims[rank++] = x->dims[k];
	set_dims(s, 0, rank, dims);
}

static void split(struct shapes *s, uint32_t input_index, uint32_t axis_index)
{
	const struct tflite_tensor *x = input(s, input_index);
	uint32_t dims[TFLITE_MAX_RANK], axis, i, count = s->op->outputs.count, n = 0;
	int64_t number, rest, sizes[MAX_FOLDED];

	if (!x || need_known(s, axis_index, &number, 1) != 1)
		return;
	axis = axis_of(s, number, x->rank);
	memcpy(dims, x->dims, sizeof(dims));
	if (s->op->code == TFLITE_SPLIT_V)
		n = need_known(s, 1, sizes, MAX_FOLDED);
	if (s->ret)
		return;
	/* What the parts of stated sizes leave is the part of size -1. */
	for (i = 0, rest = x->dims[axis]; i < n; i++)
		rest = sizes[i] < 0 ? rest : sizes[i] > rest ? 0 : rest - sizes[i];
	for (i = 0; i < count && !s->ret; i++) {
		if (i < n)
			dims[axis] = (uint32_t)(sizes[i] < 0 ? rest : sizes[i]);
		else
			dims[axis] = x->dims[axis] / (count ? count : 1);
		set_dims(s, i, x->rank, dims);
	}
}

static void unpack(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[TFLITE_MAX_RANK], axis, rank = 0, k;

	if (!x)
		return;
	axis = axis_of(s, s->op->options.axis, x->rank);
	for (k = 0; k < x->rank; k++)
		if (k != axis)
			dims[rank++] = x->dims[k];
	for (k = 0; k < s->op->outputs.count; k++)
		set_dims(s, k, rank, dims);
}

static void tile(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	int64_t times[TFLITE_MAX_RANK];
	uint32_t dims[TFLITE_MAX_RANK], k;

	if (!x || need_known(s, 1, times, TFLITE_MAX_RANK) != x->rank)
		return;
	for (k = 0; k < x->rank; k++)
		if (times[k] < 0 || __builtin_mul_overflow(x->dims[k], times[k], &dims[k]))
			refuse(s, x, "%lld copies along dimension %u",
			       "0 or more, and 32 bits of elements", (long long)times[k], k);
	set_dims(s, 0, x->rank, dims);
}

/* RFFT2D: the output is half of the transform; the other half mirrors it. */
static void fourier(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[TFLITE_MAX_RANK];
	int64_t size[2];

	if (!x || need_known(s, 1, size, 2) != 2)
		return;
	if (x->rank < 2 || size[0] < 1 || size[1] < 1 || size[0] > INT32_MAX ||
	    size[1] > INT32_MAX) {
		refuse(s, x, "a transform of %lld by %lld of %u dimensions",
		       "1 or more by 1 or more of 2 or more", (long long)size[0],
		       (long long)size[1], x->rank);
		return;
	}
	memcpy(dims, x->dims, sizeof(dims));
	dims[x->rank - 2] = (uint32_t)size[0];
	dims[x->rank - 1] = (uint32_t)size[1] / 2 + 1;
	set_dims(s, 0, x->rank, dims);
}

static void matmul(struct shapes *s)
{
	const struct tflite_tensor *a = input(s, 0), *b = input(s, 1);
	const struct tflite_options *o = &s->op->options;
	uint32_t dims[TFLITE_MAX_RANK], rank, k;

	if (!has_least_rank(s, 0, 2) || !has_least_rank(s, 1, 2))
		return;
	rank = a->rank > b->rank ? a->rank : b->rank;
	for (k = 0; k + 2 < rank; k++) {
		uint32_t x = k + a->rank < rank ? 1 : a->dims[k + a->rank - rank];
		uint32_t y = k + b->rank < rank ? 1 : b->dims[k + b->rank - rank];

		dims[k] = x > y ? x : y;
	}
	dims[rank - 2] = a->dims[a->rank - (o->adj_x ? 1 : 2)];
	dims[rank - 1] = b->dims[b->rank - (o->adj_y ? 2 : 1)];
	set_dims(s, 0, rank, dims);
}

static void resize(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[4];
	int64_t size[2];

	if (!x || x->rank != 4 || need_known(s, 1, size, 2) != 2)
		return;
	memcpy(dims, x->dims, sizeof(dims));
	dims[1] = (uint32_t)size[0];
	dims[2] = (uint32_t)size[1];
	set_dims(s, 0, 4, dims);
}

static void sequence(struct shapes *s, uint32_t units)
{
	const struct tflite_tensor *x = input(s, 0), *h = input(s, units);
	uint32_t dims[3];

	if (!x || !h || x->rank != 3 || !h->rank)
		return;
	memcpy(dims, x->dims, sizeof(dims));
	dims[2] = h->dims[h->rank - 1];
	set_dims(s, 0, 3, dims);
}

/* TOPK_V2: the values and their positions. */
static void topk(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[TFLITE_MAX_RANK];
	int64_t count;

	if (!x || need_known(s, 1, &count, 1) != 1)
		return;
	if (!has_least_rank(s, 0, 1))
		return;
	if (count < 0 || count > x->dims[x->rank - 1]) {
		refuse(s, x, "the largest %lld elements", "0 to %u, the last dimension",
		       (long long)count, x->dims[x->rank - 1]);
		return;
	}
	memcpy(dims, x->dims, sizeof(dims));
	dims[x->rank - 1] = (uint32_t)count;
	set_dims(s, 0, x->rank, dims);
	set_dims(s, 1, x->rank, dims);
}

static void range(struct shapes *s)
{
	int64_t v[3];
	uint32_t count;

	if (need_known(s, 0, v, 1) != 1 || need_known(s, 1, v + 1, 1) != 1 ||
	    need_known(s, 2, v + 2, 1) != 1)
		return;
	if (!v[2] || (v[1] - v[0]) / v[2] > INT32_MAX)
		refuse(s, NULL, "a range from %lld to %lld in steps of %lld",
		       "steps other than 0 and 31 bits of numbers", (long long)v[0],
		       (long long)v[1], (long long)v[2]);
	if (s->ret)
		return;
	count = (v[1] - v[0]) / v[2] < 0 ? 0 :
		(uint32_t)((v[1] - v[0]) / v[2] + ((v[1] - v[0]) % v[2] != 0));
	set_dims(s, 0, 1, &count);
}

static void shape(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	int64_t values[TFLITE_MAX_RANK];

	if (!x)
		return;
	for (uint32_t k = 0; k < x->rank; k++)
		values[k] = x->dims[k];
	set_dims(s, 0, 1, &x->rank);
	fold(s, values, x->rank);
}

/* GATHER_ND: the last dimension of the indices is how many dimensions of the input they replace. */
static void gather_nd(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0), *at = input(s, 1);
	uint32_t dims[2 * TFLITE_MAX_RANK], rank = 0, depth, k;

	if (!has_least_rank(s, 0, 1) || !has_least_rank(s, 1, 1))
		return;
	depth = at->dims[at->rank - 1];
	if (depth > x->rank) {
		refuse(s, at, "%u numbers for an index", "%u or fewer, the dimensions of input 0",
		       depth, x->rank);
		return;
	}
	for (k = 0; k + 1 < at->rank; k++)
		dims[rank++] = at->dims[k];
	for (k = depth; k < x->rank; k++)
		dims[rank++] = x->dims[k];
	set_dims(s, 0, rank, dims);
}

/* SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND: a block and two paddings or crops of each dimension. */
static void blocks(struct shapes *s)
{
	bool to_batch = s->op->code == TFLITE_SPACE_TO_BATCH_ND;
	const struct tflite_tensor *x = input(s, 0);
	int64_t sizes[TFLITE_MAX_RANK], edges[2 * TFLITE_MAX_RANK], size, batch;
	uint32_t dims[TFLITE_MAX_RANK], count, k;

	if (!has_least_rank(s, 0, 1))
		return;
	count = need_known(s, 1, sizes, TFLITE_MAX_RANK);
	if (s->ret || need_known(s, 2, edges, 2 * TFLITE_MAX_RANK) != 2 * count ||
	    count >= x->rank)
		return;
	memcpy(dims, x->dims, sizeof(dims));
	batch = x->dims[0];
	for (k = 0; k < count && !s->ret; k++) {
		int64_t first = edges[2 * k], last = edges[2 * k + 1], dim = x->dims[k + 1];
		bool fits = sizes[k] >= 1 && sizes[k] <= INT32_MAX && first >= 0 && last >= 0 &&
			    first <= INT32_MAX && last <= INT32_MAX;

		size = !fits ? -1 : to_batch ? dim + first + last : dim * sizes[k] - first - last;
		fits = size >= 0 && (to_batch ? !(size % sizes[k]) : !(batch % sizes[k]));
		if (!fits) {
			refuse(s, x, "blocks of %lld, edges %lld and %lld of dimension %u",
			       "whole blocks and numbers of 0 or more", (long long)sizes[k],
			       (long long)first, (long long)last, k + 1);
			return;
		}
		batch = to_batch ? batch * sizes[k] : batch / sizes[k];
		size = to_batch ? size / sizes[k] : size;
		if (batch > UINT32_MAX || size > UINT32_MAX) {
			refuse(s, x, "more than 32 bits of elements in blocks of %lld", "fewer",
			       (long long)sizes[k]);
			return;
		}
		dims[k + 1] = (uint32_t)size;
	}
	dims[0] = (uint32_t)batch;
	set_dims(s, 0, x->rank, dims);
}

/* SPACE_TO_DEPTH and DEPTH_TO_SPACE. */
static void depth(struct shapes *s)
{
	bool to_depth = s->op->code == TFLITE_SPACE_TO_DEPTH;
	const struct tflite_tensor *x = input(s, 0);
	uint32_t b = (uint32_t)s->op->options.block_size, dims[4];

	if (!has_rank(s, 0, 4))
		return;
	if (!b || b > UINT16_MAX || (to_depth ? x->dims[1] % b || x->dims[2] % b :
						x->dims[3] % (b * b))) {
		refuse(s, x, "blocks of %u", "a divisor of height and width, or of the channels",
		       b);
		return;
	}
	dims[0] = x->dims[0];
	dims[1] = to_depth ? x->dims[1] / b : x->dims[1] * b;
	dims[2] = to_depth ? x->dims[2] / b : x->dims[2] * b;
	dims[3] = to_depth ? x->dims[3] * b * b : x->dims[3] / (b * b);
	set_dims(s, 0, 4, dims);
}

/* The output has an element for each window, unless they are @wrong. */
static void set_windows(struct shapes *s, const struct tflite_span_error *wrong,
			const struct tflite_window *windows)
{
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[TFLITE_MAX_RANK];

	if (wrong) {
		refuse(s, x, "windows with %s", "%s", wrong->wrong, wrong->expected);
		return;
	}
	for (uint32_t k = 0; k < x->rank; k++)
		dims[k] = windows[k].count;
	set_dims(s, 0, x->rank, dims);
}

static void reduce_window(struct shapes *s)
{
	struct tflite_window windows[TFLITE_MAX_RANK];

	if (has_least_rank(s, 0, 0))
		set_windows(s, tflite_find_windows(&s->op->options, input(s, 0), windows), windows);
}

/* REDUCE_WINDOW: the lists are inputs. */
static void plain_window(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	int64_t lists[3][TFLITE_MAX_RANK];
	struct tflite_window windows[TFLITE_MAX_RANK];

	if (!has_least_rank(s, 0, 1))
		return;
	for (uint32_t i = 0; i < 3; i++)
		if (need_known(s, i + 2, lists[i], TFLITE_MAX_RANK) != x->rank)
			return;
	set_windows(s, tflite_find_plain_windows(x, lists[0], lists[1], lists[2], windows),
		    windows);
}

/* DILATE and STABLEHLO_PAD. */
static void gaps(struct shapes *s, const int32_t *factors)
{
	const struct tflite_tensor *x = input(s, 0);
	struct tflite_gap list[TFLITE_MAX_RANK];
	const struct tflite_span_error *wrong;
	uint32_t dims[TFLITE_MAX_RANK];

	wrong = tflite_find_gaps(&s->op->options, x, factors, list);
	if (wrong) {
		refuse(s, x, "paddings with %s", "%s", wrong->wrong, wrong->expected);
		return;
	}
	for (uint32_t k = 0; k < x->rank; k++)
		dims[k] = list[k].count;
	set_dims(s, 0, x->rank, dims);
}

static void dilate(struct shapes *s)
{
	int64_t values[TFLITE_MAX_RANK];
	int32_t factors[TFLITE_MAX_RANK];

	if (!has_least_rank(s, 0, 1) ||
	    need_known(s, 1, values, TFLITE_MAX_RANK) != input(s, 0)->rank)
		return;
	for (uint32_t k = 0; k < input(s, 0)->rank; k++)
		factors[k] = (int32_t)clamp(values[k], 0, INT32_MAX);
	gaps(s, factors);
}

static void hlo_pad(struct shapes *s)
{
	if (has_least_rank(s, 0, 1))
		gaps(s, NULL);
}

static void hlo_gather(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	const struct tflite_span_error *wrong;
	struct tflite_slices slices;

	if (!has_least_rank(s, 0, 1) || !has_least_rank(s, 1, 0))
		return;
	wrong = tflite_find_slices(&s->op->options, x, input(s, 1), &slices);
	if (wrong)
		refuse(s, x, "slices with %s", "%s", wrong->wrong, wrong->expected);
	else
		set_dims(s, 0, slices.rank, slices.dims);
}

/* EMBEDDING_LOOKUP: a row of the table for each index. */
static void embedding(struct shapes *s)
{
	const struct tflite_tensor *ids = input(s, 0), *w = input(s, 1);
	uint32_t dims[TFLITE_MAX_RANK];

	if (!has_rank(s, 0, 1) || !has_least_rank(s, 1, 1))
		return;
	memcpy(dims, w->dims, sizeof(dims));
	dims[0] = ids->dims[0];
	set_dims(s, 0, w->rank, dims);
}

/* A recurrent layer without a time axis: its state, input @state, has a row for each input. */
static void cell(struct shapes *s, uint32_t state)
{
	const struct tflite_tensor *x = input(s, 0), *h = input(s, state);
	uint32_t dims[2];

	if (!has_rank(s, 0, 2) || !has_rank(s, state, 2))
		return;
	dims[0] = x->dims[0];
	dims[1] = h->dims[1];
	set_dims(s, 0, 2, dims);
}

/* SVDF: as many units as the bias has, or filters divided by the rank. */
static void svdf(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0), *w = input(s, 1);
	int32_t rank = s->op->options.rank;
	uint32_t dims[2];

	if (!has_rank(s, 0, 2) || !has_rank(s, 1, 2))
		return;
	if (rank < 1 || w->dims[0] % (uint32_t)rank) {
		refuse(s, w, "%u filters of rank %d", "a multiple of the rank", w->dims[0], rank);
		return;
	}
	dims[0] = x->dims[0];
	dims[1] = w->dims[0] / (uint32_t)rank;
	set_dims(s, 0, 2, dims);
}

/* TFLite_Detection_PostProcess: boxes, classes, scores, and how many there are. */
static void detections(struct shapes *s)
{
	double most = 0, per_box = 1;
	uint32_t count;

	flexbuffer_number(s->op->custom_data, s->op->custom_size, "max_detections", &most);
	flexbuffer_number(s->op->custom_data, s->op->custom_size, "max_classes_per_detection",
			  &per_box);
	if (!(most >= 1 && most <= UINT16_MAX && per_box >= 1 && per_box <= UINT16_MAX)) {
		refuse(s, NULL, "max_detections of %g, max_classes_per_detection of %g",
		       "1 to %u for each", most, per_box, UINT16_MAX);
		return;
	}
	count = (uint32_t)most * (uint32_t)per_box;
	set_dims(s, 0, 3, (uint32_t[]){ 1, count, 4 });
	set_dims(s, 1, 2, (uint32_t[]){ 1, count });
	set_dims(s, 2, 2, (uint32_t[]){ 1, count });
	set_dims(s, 3, 1, (uint32_t[]){ 1 });
}

/* ------------------------------------------------------------------------------------ subgraphs */

static void infer_subgraph(struct shapes *s, uint32_t number);

/* The bytes that input @i of subgraph @which, fed by @from, has in every run; or NULL. */
static const void *invariant_of(const struct shapes *s, int32_t which, uint32_t i,
				const struct tflite_tensor *from)
{
	const struct tflite_subgraph *body = &s->model->subgraphs[s->op->options.subgraph_b];
	bool stays = s->op->code != TFLITE_WHILE ||
		     (i < body->inputs.count && i < body->outputs.count &&
		      body->inputs.at[i] == body->outputs.at[i]);

	return stays && s->users[which] == 1 && from->elements <= MAX_FOLDED ? known_data(from) :
									       NULL;
}

/* Infers subgraph @which with inputs of the shapes of the operator's inputs from @first on. */
static struct tflite_subgraph *enter(struct shapes *s, int32_t which, uint32_t first)
{
	struct tflite_subgraph *sub = &s->model->subgraphs[which];
	struct shapes inner = *s;

	if (s->depth == MAX_DEPTH)
		unsupported(s, NULL, "subgraph %d deeper than %u subgraphs", "%u nested subgraphs",
			    which, MAX_DEPTH, MAX_DEPTH);
	if (sub->inputs.count + first > s->op->inputs.count)
		refuse(s, NULL, "%u inputs for subgraph %d", "%u", s->op->inputs.count - first,
		       which, sub->inputs.count);
	if (s->ret)
		return NULL;
	for (uint32_t i = 0; i < sub->inputs.count; i++) {
		struct tflite_tensor *to = &sub->tensors[sub->inputs.at[i]];
		const struct tflite_tensor *from = input(s, first + i);

		if (!from)
			continue;
		if (s->done[which] && (to->rank != from->rank ||
				       memcmp(to->dims, from->dims, to->rank * 4))) {
			unsupported(s, from, "another shape for subgraph %d, input %u",
				    "one shape in all runs of a subgraph", which, i);
			return NULL;
		}
		to->changed |= from->changed || to->rank != from->rank ||
			       memcmp(to->dims, from->dims, to->rank * 4);
		to->rank = from->rank;
		memcpy(to->dims, from->dims, sizeof(to->dims));
		to->elements = from->elements;
		if (from->type == to->type && !to->data)
			to->invariant = invariant_of(s, which, i, from);
	}
	if (s->done[which])
		return sub;
	s->done[which] = true;
	inner.depth++;
	infer_subgraph(&inner, (uint32_t)which);
	s->ret = inner.ret;
	return s->ret ? NULL : sub;
}

static void control(struct shapes *s)
{
	bool loop = s->op->code == TFLITE_WHILE;
	struct tflite_subgraph *sub;

	if (loop)
		enter(s, tflite_called(s->op, 0), 0);
	sub = s->ret ? NULL : enter(s, tflite_called(s->op, loop), !loop);
	if (!sub)
		return;
	for (uint32_t i = 0; i < s->op->outputs.count && i < sub->outputs.count; i++) {
		const struct tflite_tensor *y = &sub->tensors[sub->outputs.at[i]];
		const struct tflite_tensor *x = loop ? input(s, i) : NULL;

		if (x && (x->rank != y->rank || memcmp(x->dims, y->dims, y->rank * 4)))
			unsupported(s, x, "its shape changes in the loop", "one shape");
		set_dims(s, i, y->rank, y->dims);
	}
	for (uint32_t i = 1; !loop && i < tflite_called_count(s->op) && !s->ret; i++)
		enter(s, tflite_called(s->op, i), 1);
}

/* Whether a shape of the operator may differ from the file's. */
static bool is_open(struct shapes *s)
{
	for (uint32_t i = 0; i < s->op->inputs.count; i++) {
		const struct tflite_tensor *x = input(s, i);

		if (x && (x->changed || is_found(x) || x->dynamic))
			return true;
	}
	for (uint32_t i = 0; i < s->op->outputs.count; i++)
		if (output(s, i)->dynamic)
			return true;
	return false;
}

/* The output has a row for each segment; SEGMENT_SUM has one more than its last, largest number. */
static void segments(struct shapes *s)
{
	const struct tflite_tensor *x = input(s, 0);
	uint32_t dims[TFLITE_MAX_RANK], count = 0;
	int64_t numbers[MAX_SEGMENT_NUMBERS], rows = 0;

	if (!has_least_rank(s, 0, 1))
		return;
	if (s->op->code == TFLITE_SEGMENT_SUM) {
		count = need_known(s, 1, numbers, MAX_SEGMENT_NUMBERS);
		rows = count ? numbers[count - 1] + 1 : 0;
	} else if (need_known(s, 2, numbers, 1) == 1) {
		rows = numbers[0];
	}
	if (!s->ret && (rows < 0 || rows > INT32_MAX))
		refuse(s, NULL, "%lld segments", "0 to %d", (long long)rows, INT32_MAX);
	memcpy(dims, x->dims, sizeof(dims));
	dims[0] = (uint32_t)rows;
	set_dims(s, 0, x->rank, dims);
}

/* ---------------------------------------------------------------------------------------- rules */

/* The rules of the operator table that are not functions above. */
static void broadcast_two(struct shapes *s)
{
	broadcast(s, 2);
}

static void broadcast_three(struct shapes *s)
{
	broadcast(s, 3);
}

static void like_first(struct shapes *s)
{
	like_input(s, 0);
}

/* A list of conditions selects whole rows, other conditions are broadcast. */
static void select_rows(struct shapes *s)
{
	if (input(s, 0) && input(s, 0)->rank == 1 && input(s, 1) && input(s, 1)->rank > 1)
		like_input(s, 1);
	else
		broadcast(s, 3);
}

static void convolution(struct shapes *s)
{
	image(s, false);
}

static void pool(struct shapes *s)
{
	image(s, true);
}

/* A new axis of size 1. */
static void expand_dims(struct shapes *s)
{
	int64_t axis = 0;

	if (need_known(s, 1, &axis, 1) == 1)
		insert(s, axis, 1);
}

static void pack(struct shapes *s)
{
	insert(s, s->op->options.axis, s->op->inputs.count);
}

static void one_hot(struct shapes *s)
{
	int64_t depth = 0;

	if (need_known(s, 1, &depth, 1) == 1)
		insert(s, s->op->options.axis, (uint32_t)depth);
}

static void split_equally(struct shapes *s)
{
	split(s, 1, 0);
}

static void split_by_sizes(struct shapes *s)
{
	split(s, 0, 2);
}

/* The output has the dims that input @i holds. */
static void by_input(struct shapes *s, uint32_t i)
{
	int64_t values[TFLITE_MAX_RANK];
	uint32_t count = need_known(s, i, values, TFLITE_MAX_RANK);

	stated(s, values, count, 0);
}

static void by_input_0(struct shapes *s)
{
	by_input(s, 0);
}

static void by_input_1(struct shapes *s)
{
	by_input(s, 1);
}

static void sequence_lstm(struct shapes *s)
{
	sequence(s, 18);
}

static void sequence_rnn(struct shapes *s)
{
	sequence(s, 4);
}

static void lstm(struct shapes *s)
{
	/* The basic kernel's outputs have the shapes of the file. */
	if (s->op->options.kernel_type != 1)
		cell(s, 18);
}

static void rnn(struct shapes *s)
{
	cell(s, 4);
}

/* The output has no dims, whatever the input. */
static void scalar(struct shapes *s)
{
}

/* The output's shape follows from data, or there is no rule. */
static void unknown(struct shapes *s)
{
	if (input(s, 0))
		unsupported(s, output(s, 0), "its shape cannot be inferred",
			    "inputs of the shapes that the file states");
}

static void custom(struct shapes *s)
{
	if (!strcmp(s->op->custom, "TFLite_Detection_PostProcess"))
		detections(s);
	else
		unknown(s);
}

/* The rule of each operator: the column "shape" of the operator table. */
static void (*const rules[])(struct shapes *s) = {
#define TFLITE_OP(code, name, translation, operation, shape) [code] = shape,
#define TFLITE_MADE(code, name, translation, operation, shape) [code] = shape,
#define TFLITE_NAME(code, name) [code] = unknown,
#include "frontend/tflite/operator_list.h"
};

static void infer_operator(struct shapes *s)
{
	uint32_t code = s->op->code;
	bool exists = code < sizeof(rules) / sizeof(rules[0]) && rules[code];

	if (code == TFLITE_CUSTOM)
		custom(s);
	else
		(exists ? rules[code] : unknown)(s);
	if (!s->ret)
		fold_integers(s);
}

/*
 * Whether the file gives a value no dimensions: it is a scalar, or the file says nothing of its
 * shape. Converters write both alike.
 */
static bool is_unstated(const struct tflite_tensor *x)
{
	return !x->rank && !x->data && !x->variable;
}

static bool writes_unstated(struct shapes *s)
{
	for (uint32_t i = 0; i < s->op->outputs.count; i++)
		if (is_unstated(output(s, i)))
			return true;
	return false;
}

/* Outputs without dimensions get those that the operator has; without a rule they are scalars. */
static void infer_unstated(struct shapes *s)
{
	infer_operator(s);
	if (s->ret == -ENOMEM)
		return;
	s->ret = 0;
	s->error[0] = 0;
}

static void infer_subgraph(struct shapes *s, uint32_t number)
{
	s->sub = &s->model->subgraphs[number];
	for (s->index = 0; s->index < s->sub->operator_count && !s->ret; s->index++) {
		bool control;

		s->op = &s->sub->operators[s->index];
		control = tflite_called_count(s->op) > 0;
		/* The file's shapes hold if none of the operator's is open. */
		if (is_open(s) || (control && s->open))
			infer_operator(s);
		else if (!control && writes_unstated(s))
			infer_unstated(s);
	}
}

/* Counts the uses of each subgraph by operators that run it. */
static void count_users(struct shapes *s)
{
	for (uint32_t i = 0; i < s->model->subgraph_count; i++) {
		const struct tflite_subgraph *sub = &s->model->subgraphs[i];

		for (uint32_t k = 0; k < sub->operator_count; k++) {
			const struct tflite_operator *op = &sub->operators[k];

			for (uint32_t n = 0; n < tflite_called_count(op); n++)
				s->users[tflite_called(op, n)]++;
		}
	}
}

/*
 * Undoes an earlier inference. *@open: whether any shape is open. Return: whether one is, or may be
 * unstated.
 */
static bool begin(struct tflite_model *model, bool *open)
{
	bool unstated = false;

	for (uint32_t i = 0; i < model->subgraph_count; i++) {
		struct tflite_subgraph *sub = &model->subgraphs[i];

		for (uint32_t k = 0; k < sub->tensor_count; k++) {
			struct tflite_tensor *x = &sub->tensors[k];

			if (x->folded) {
				x->data = NULL;
				x->size = 0;
				x->folded = false;
			}
			x->invariant = NULL;
			*open |= x->dynamic || x->changed;
			unstated |= is_unstated(x);
		}
	}
	return *open || unstated;
}

int tflite_infer_shapes(struct tflite_model *model, char *error)
{
	struct shapes s = { .model = model, .error = error };

	if (!begin(model, &s.open))
		return 0;
	s.done = calloc(model->subgraph_count, sizeof(*s.done));
	s.users = calloc(model->subgraph_count, sizeof(*s.users));
	if (s.done && s.users) {
		count_users(&s);
		infer_subgraph(&s, model->main);
	} else {
		snprintf(error, TFLITE_ERROR_SIZE, "out of memory");
		s.ret = -ENOMEM;
	}
	free(s.users);
	free(s.done);
	return s.ret;
}

int tflite_set_input_shape(struct tflite_model *model, uint32_t index, uint32_t rank,
			   const uint32_t *dims, char *error)
{
	struct tflite_subgraph *sub = tflite_main(model);
	char label[TFLITE_LABEL_SIZE];
	struct tflite_tensor *x;
	uint64_t elements;
	bool sound;

	if (index >= sub->inputs.count) {
		snprintf(error, TFLITE_ERROR_SIZE, "no input %u; expected less than %u, the inputs",
			 index, sub->inputs.count);
		return -EINVAL;
	}
	x = &sub->tensors[sub->inputs.at[index]];
	if (x->rank != rank) {
		snprintf(error, TFLITE_ERROR_SIZE, "input %u, %s: %u dimensions; expected %u",
			 index, tflite_tensor_label(sub, NULL, x, label), rank, x->rank);
		return -EINVAL;
	}
	sound = tflite_count_elements(rank, dims, &elements);
	if (!sound || !elements) {
		snprintf(error, TFLITE_ERROR_SIZE, "input %u, %s: %s; expected 1 to %u elements",
			 index, tflite_tensor_label(sub, NULL, x, label),
			 sound ? "a dimension of 0" : "too many elements", UINT32_MAX);
		return -EINVAL;
	}
	x->changed |= memcmp(x->dims, dims, rank * sizeof(*dims)) != 0;
	memcpy(x->dims, dims, rank * sizeof(*dims));
	x->elements = elements;
	return 0;
}

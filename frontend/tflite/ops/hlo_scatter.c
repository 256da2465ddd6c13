// SPDX-License-Identifier: MIT
/*
 * STABLEHLO_SCATTER: windows of updates are put into a copy of the operand, where indices say; the
 * subgraph says how an element and an update become one. An element of a window that lies beyond a
 * dimension is dropped, as in TFLite.
 *
 * The last dimensions of the operand, which each window fills, are one row; an update is a row of
 * them. Constant indices become tables for GATHER. Indices that are known at run time only, such as
 * the position in the cache of a decoder, are compared with the number of each row. Several updates
 * of one row follow each other in their order.
 */
#include "frontend/tflite/compose.h"

#include <stdlib.h>
#include <string.h>

/* Limit of rounds of updates; in each one a row gets one update at most. */
#define MAX_ROUNDS 256u
/* NNAPI has no operation that replaces an element. */
#define REPLACE NNA_OPERATION_SELECT

/**
 * struct scatter - one translation
 * @operation: of an element and an update; REPLACE for the update alone
 * @windows: for each dimension of the operand that of the updates, or -1 where windows lack it
 * @starts: the element of an index that states it, or -1
 * @batches, @batch_count: dimensions of the updates that are none of windows
 * @kept: dimensions of the operand in front of those that each window fills
 * @rest, @rest_count: dimensions of the updates but for the latter
 * @rows: of the operand
 * @count: of updates, which are rows
 * @inner: elements of a row
 */
struct scatter {
	uint32_t operation;
	int32_t windows[TFLITE_MAX_RANK], starts[TFLITE_MAX_RANK];
	uint32_t batches[TFLITE_MAX_RANK], batch_count, kept;
	uint32_t rest[TFLITE_MAX_RANK], rest_count;
	uint32_t rows, count, inner;
};

/* The operation of the subgraph, of which the kernel looks at the operator alone. */
static uint32_t find_operation(struct tflite_translation *t)
{
	const struct tflite_model *m = t->model;
	uint32_t which = (uint32_t)t->op->options.subgraph_a;
	const bool truth = tflite_input(t, 0)->type == TFLITE_BOOL;
	const struct tflite_subgraph *body = NULL;

	if (which < m->subgraph_count)
		body = &m->subgraphs[which];
	if (!body || body->operator_count > 1) {
		tflite_unsupported(t, NULL, "subgraph %u is none, or has several operators",
				   "one with 1 operator or none", which);
		return REPLACE;
	}
	if (!body->operator_count)
		return REPLACE;
	switch (body->operators[0].code) {
	case TFLITE_STABLEHLO_ADD:
		return truth ? NNA_OPERATION_LOGICAL_OR : NNA_OPERATION_ADD;
	case TFLITE_STABLEHLO_MULTIPLY:
		return truth ? NNA_OPERATION_LOGICAL_AND : NNA_OPERATION_MUL;
	case TFLITE_STABLEHLO_MAXIMUM:
		return truth ? NNA_OPERATION_LOGICAL_OR : NNA_OPERATION_MAXIMUM;
	case TFLITE_STABLEHLO_MINIMUM:
		return truth ? NNA_OPERATION_LOGICAL_AND : NNA_OPERATION_MINIMUM;
	default:
		tflite_unsupported(t, NULL, "subgraph %u has operator %u",
				   "none, or STABLEHLO_ADD, STABLEHLO_MULTIPLY, STABLEHLO_MAXIMUM or "
				   "STABLEHLO_MINIMUM", which, body->operators[0].code);
		return REPLACE;
	}
}

/* Marks the dimensions that @list names in @marks, which has @rank. An error if one is no such. */
static void mark_dims(struct tflite_translation *t, const struct tflite_longs *list, uint32_t rank,
		      bool *marks, const char *whose)
{
	for (uint32_t i = 0; i < list->count && !t->ret; i++) {
		int64_t k = tflite_long_at(list, i);

		if (k < 0 || k >= rank || marks[k])
			tflite_refuse(t, NULL, "dimension %lld of the %s",
				      "0 or more, less than %u, and each one once", (long long)k,
				      whose, rank);
		else
			marks[k] = true;
	}
}

/* Which dimension is which. */
static void read_dims(struct tflite_translation *t, struct scatter *s)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *index = tflite_input(t, 1),
				   *update = tflite_input(t, 2);
	const struct tflite_options *o = &t->op->options;
	bool inserted[TFLITE_MAX_RANK] = { 0 }, window[TFLITE_MAX_RANK] = { 0 };
	bool stated[TFLITE_MAX_RANK] = { 0 };
	uint32_t k, n = 0, size;

	mark_dims(t, &o->inserted_dims, x->rank, inserted, "operand");
	mark_dims(t, &o->window_dims, update->rank, window, "updates");
	mark_dims(t, &o->scatter_dims, x->rank, stated, "operand");
	if (!t->ret && o->window_dims.count + o->inserted_dims.count != x->rank)
		tflite_refuse(t, x, "%u dimensions of windows and %u that they lack",
			      "%u, its dimensions", o->window_dims.count, o->inserted_dims.count,
			      x->rank);
	if (!t->ret && (o->vector_dim < 0 || o->vector_dim > index->rank))
		tflite_refuse(t, index, "indices along dimension %lld", "0 to %u",
			      (long long)o->vector_dim, index->rank);
	if (t->ret)
		return;
	size = o->vector_dim < index->rank ? index->dims[o->vector_dim] : 1;
	if (size != o->scatter_dims.count)
		tflite_refuse(t, index, "indices of %u numbers", "%u, the dimensions that they state",
			      size, o->scatter_dims.count);
	for (k = 0; k < x->rank; k++) {
		s->windows[k] = inserted[k] ? -1 : (int32_t)tflite_long_at(&o->window_dims, n++);
		s->starts[k] = -1;
	}
	for (k = 0; k < o->scatter_dims.count; k++)
		s->starts[tflite_long_at(&o->scatter_dims, k)] = (int32_t)k;
	for (k = 0; k < update->rank; k++)
		if (!window[k])
			s->batches[s->batch_count++] = k;
	n = 0;
	for (k = 0; k < index->rank && !t->ret; k++) {
		if (k == o->vector_dim)
			continue;
		if (n >= s->batch_count || update->dims[s->batches[n]] != index->dims[k])
			tflite_refuse(t, update, "its shape",
				      "%u elements for dimension %u of the indices",
				      index->dims[k], k);
		n++;
	}
	if (n != s->batch_count)
		tflite_refuse(t, update, "%u dimensions that are none of windows",
			      "%u, as the indices have", s->batch_count, n);
}

/* What a row is. */
static void find_rows(struct tflite_translation *t, struct scatter *s)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *update = tflite_input(t, 2);
	bool full[TFLITE_MAX_RANK] = { 0 };
	uint64_t rows = 1, inner = 1;
	uint32_t k;

	for (s->kept = x->rank; s->kept; s->kept--) {
		k = s->kept - 1;
		if (s->starts[k] >= 0 || s->windows[k] < 0 ||
		    update->dims[s->windows[k]] != x->dims[k])
			break;
		full[s->windows[k]] = true;
		inner *= x->dims[k];
	}
	for (k = 0; k < s->kept; k++)
		rows *= x->dims[k];
	for (k = 0; k < update->rank; k++)
		if (!full[k])
			s->rest[s->rest_count++] = k;
	if (rows > TFLITE_MAX_TABLE || update->elements / inner > TFLITE_MAX_TABLE)
		tflite_unsupported(t, update, "%llu updates of %llu rows", "%u or fewer of each",
				   (unsigned long long)(update->elements / inner),
				   (unsigned long long)rows, TFLITE_MAX_TABLE);
	s->rows = (uint32_t)rows;
	s->inner = (uint32_t)inner;
	s->count = (uint32_t)(update->elements / inner);
}

/* ----------------------------------------------------------------------------- constant indices */

/* The row of update @number, or -1 if it lies beyond the operand. @index: all numbers. */
static int32_t find_row(struct tflite_translation *t, const struct scatter *s,
			const int32_t *index, uint32_t number)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *from = tflite_input(t, 1),
				   *update = tflite_input(t, 2);
	const int64_t vector = t->op->options.vector_dim;
	uint32_t at[TFLITE_MAX_RANK] = { 0 }, k, n = s->batch_count;
	uint64_t base = 0, step = 1, stride = 1;
	int64_t row = 0;

	for (k = s->rest_count; k--; number /= update->dims[s->rest[k]])
		at[s->rest[k]] = number % update->dims[s->rest[k]];
	for (k = from->rank; k--; stride *= from->dims[k]) {
		if (k == vector)
			step = stride;
		else
			base += at[s->batches[--n]] * stride;
	}
	for (k = 0; k < s->kept; k++) {
		int64_t i = s->starts[k] < 0 ? 0 : index[base + (uint32_t)s->starts[k] * step];

		i += s->windows[k] < 0 ? 0 : at[s->windows[k]];
		if (i < 0 || i >= x->dims[k])
			return -1;
		row = row * x->dims[k] + i;
	}
	return (int32_t)row;
}

/* The row of each update; freed by the caller. NULL after an error. */
static int32_t *find_all_rows(struct tflite_translation *t, const struct scatter *s)
{
	const struct tflite_tensor *from = tflite_input(t, 1);
	int32_t *index, *numbers;

	tflite_make_room(t, s->count);
	tflite_make_room(t, from->elements);
	if (t->ret)
		return NULL;
	index = calloc(from->elements + 1, sizeof(*index));
	numbers = calloc((size_t)s->count + 1, sizeof(*numbers));
	if (!index || !numbers)
		tflite_no_memory(t);
	else
		tflite_constant_ints(t, 1, index, (uint32_t)from->elements);
	for (uint32_t i = 0; i < s->count && !t->ret; i++)
		numbers[i] = find_row(t, s, index, i);
	free(index);
	if (t->ret) {
		free(numbers);
		return NULL;
	}
	return numbers;
}

/* @list of BOOL8, [@rows, 1]. */
static struct tflite_value flags(struct tflite_translation *t, const bool *list, uint32_t rows)
{
	struct tflite_value v = { .o = { .desc = { .type = NNA_OPERAND_TENSOR_BOOL8, .rank = 2 },
					 .dims = { rows, 1 } } };

	v.operand = tflite_add_constant(t, &v.o, list, rows);
	return v;
}

/* ----------------------------------------------------------------------------------- operations */

/*
 * @x where @here, made one with @update; where it is not, @x alone. Of maxima and minima as in C:
 * @x unless @update is greater, or less.
 */
static struct tflite_value combined(struct tflite_translation *t, uint32_t operation,
				    struct tflite_value here, struct tflite_value x,
				    struct tflite_value update)
{
	switch (operation) {
	case NNA_OPERATION_MAXIMUM:
	case NNA_OPERATION_MINIMUM:
		operation = operation == NNA_OPERATION_MAXIMUM ? NNA_OPERATION_GREATER :
								 NNA_OPERATION_LESS;
		here = tflite_binary(t, NNA_OPERATION_LOGICAL_AND, here,
				     tflite_binary(t, operation, update, x));
		break;
	case REPLACE:
		break;
	default:
		update = tflite_binary(t, operation, x, update);
	}
	return tflite_select(t, here, update, x);
}

/* The last of the updates that name a row, @numbers, replaces it. */
static struct tflite_value replaced(struct tflite_translation *t, const struct scatter *s,
				    struct tflite_value x, struct tflite_value updates,
				    const int32_t *numbers)
{
	int32_t *from = NULL;

	tflite_make_room(t, s->rows);
	if (!t->ret)
		from = malloc(((size_t)s->rows + 1) * sizeof(*from));
	if (!from) {
		tflite_no_memory(t);
		return x;
	}
	for (uint32_t i = 0; i < s->rows; i++)
		from[i] = (int32_t)(s->count + i);
	for (uint32_t i = 0; i < s->count; i++)
		if (numbers[i] >= 0)
			from[numbers[i]] = (int32_t)i;
	x = tflite_gathered(t, tflite_stacked(t, updates, x), 0,
			    tflite_int_tensor(t, 1, &s->rows, from));
	free(from);
	return x;
}

/* One round after the other: of each row the next update that @numbers has for it. */
static struct tflite_value in_rounds(struct tflite_translation *t, const struct scatter *s,
				     struct tflite_value x, struct tflite_value updates,
				     const int32_t *numbers)
{
	uint32_t *found = NULL, most = 0;
	int32_t *from = NULL;
	bool *here = NULL;

	tflite_make_room(t, s->rows);
	if (!t->ret) {
		found = calloc((size_t)s->rows + 1, sizeof(*found));
		from = calloc((size_t)s->rows + 1, sizeof(*from));
		here = calloc((size_t)s->rows + 1, sizeof(*here));
	}
	if (!found || !from || !here)
		tflite_no_memory(t);
	for (uint32_t i = 0; i < s->count && !t->ret; i++)
		if (numbers[i] >= 0 && ++found[numbers[i]] > most)
			most = found[numbers[i]];
	if (most > MAX_ROUNDS)
		tflite_unsupported(t, tflite_input(t, 2), "%u updates of one element", "%u or fewer",
				   most, MAX_ROUNDS);
	for (uint32_t round = 0; round < most && !t->ret; round++) {
		tflite_make_room(t, s->rows);
		if (t->ret)
			break;
		memset(found, 0, s->rows * sizeof(*found));
		memset(here, 0, s->rows * sizeof(*here));
		for (uint32_t i = 0; i < s->count; i++) {
			if (numbers[i] < 0 || found[numbers[i]]++ != round)
				continue;
			from[numbers[i]] = (int32_t)i;
			here[numbers[i]] = true;
		}
		x = combined(t, s->operation, flags(t, here, s->rows), x,
			     tflite_gathered(t, updates, 0,
					     tflite_int_tensor(t, 1, &s->rows, from)));
	}
	free(here);
	free(from);
	free(found);
	return x;
}

/* --------------------------------------------------------------------------- indices of a run */

/* All indices as INT32; a number that is beyond each dimension stays so. */
static struct tflite_value small_indices(struct tflite_translation *t)
{
	const bool wide = tflite_input(t, 1)->type == TFLITE_INT64;
	const int32_t limit = 1 << 30;
	struct tflite_value v = tflite_value(t, 1);

	v = tflite_binary(t, NNA_OPERATION_MAXIMUM, v,
			  wide ? tflite_long_tensor(t, 1, (uint32_t[]){ 1 },
						    (int64_t[]){ -limit }) :
				 tflite_int(t, -limit));
	v = tflite_binary(t, NNA_OPERATION_MINIMUM, v,
			  wide ? tflite_long_tensor(t, 1, (uint32_t[]){ 1 }, (int64_t[]){ limit }) :
				 tflite_int(t, limit));
	return tflite_cast(t, v, NNA_OPERAND_TENSOR_INT32);
}

/* Element @which of each of @indices, with the dimensions s->rest. */
static struct tflite_value start_of(struct tflite_translation *t, const struct scatter *s,
				    struct tflite_value indices, uint32_t which)
{
	const struct tflite_tensor *update = tflite_input(t, 2);
	const int64_t vector = t->op->options.vector_dim;
	uint32_t dims[TFLITE_MAX_RANK], k, n;

	if (vector < tflite_input(t, 1)->rank)
		indices = tflite_part(t, indices, (uint32_t)vector, which, 1);
	for (k = n = 0; k < s->rest_count; k++) {
		bool batch = n < s->batch_count && s->batches[n] == s->rest[k];

		dims[k] = batch ? update->dims[s->rest[k]] : 1;
		n += batch;
	}
	return tflite_reshaped(t, indices, s->rest_count, dims);
}

/* Positions along dimension @n of s->rest, a dimension of windows. */
static struct tflite_value offsets(struct tflite_translation *t, const struct scatter *s,
				   uint32_t n)
{
	uint32_t size = tflite_input(t, 2)->dims[s->rest[n]];

	return tflite_along(t, tflite_positions(t, size), n, s->rest_count);
}

/* The row of each update, or -1: [1, @count]. */
static struct tflite_value rows_of_run(struct tflite_translation *t, const struct scatter *s)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *update = tflite_input(t, 2);
	struct tflite_value indices = small_indices(t), row = tflite_int(t, 0);
	struct tflite_value inside = { .operand = TFLITE_NO_OPERAND };
	uint32_t dims[TFLITE_MAX_RANK], k, n;

	for (k = 0; k < s->kept && !t->ret; k++) {
		struct tflite_value i = tflite_int(t, 0), here;

		if (s->starts[k] >= 0)
			i = start_of(t, s, indices, (uint32_t)s->starts[k]);
		for (n = 0; n < s->rest_count && s->windows[k] >= 0; n++)
			if (s->rest[n] == (uint32_t)s->windows[k])
				i = tflite_binary(t, NNA_OPERATION_ADD, i, offsets(t, s, n));
		here = tflite_binary(t, NNA_OPERATION_LESS, i, tflite_int(t, (int32_t)x->dims[k]));
		here = tflite_binary(t, NNA_OPERATION_LOGICAL_AND, here,
				     tflite_binary(t, NNA_OPERATION_GREATER_EQUAL, i,
						   tflite_int(t, 0)));
		inside = inside.operand == TFLITE_NO_OPERAND ? here :
			 tflite_binary(t, NNA_OPERATION_LOGICAL_AND, inside, here);
		/* Where @i is too large the row wraps, but it does not count. */
		row = tflite_binary(t, NNA_OPERATION_MUL, row, tflite_int(t, (int32_t)x->dims[k]));
		row = tflite_binary(t, NNA_OPERATION_ADD, row, i);
	}
	if (inside.operand != TFLITE_NO_OPERAND)
		row = tflite_select(t, inside, row, tflite_int(t, -1));
	for (k = 0; k < s->rest_count; k++)
		dims[k] = update->dims[s->rest[k]];
	if (s->rest_count)
		row = tflite_broadcast(t, row, s->rest_count, dims);
	return tflite_reshaped(t, row, 2, (uint32_t[]){ 1, s->count });
}

/* Where updates name rows, [@rows, @count], the last one of each row replaces it. */
static struct tflite_value last_of_run(struct tflite_translation *t, const struct scatter *s,
				       struct tflite_value x, struct tflite_value updates,
				       struct tflite_value named)
{
	struct tflite_value last, rows;

	last = tflite_along(t, tflite_positions(t, s->count), 1, 2);
	last = tflite_select(t, named, last, tflite_int(t, -1));
	last = tflite_reduced(t, NNA_OPERATION_REDUCE_MAX, last, 1);
	rows = tflite_along(t, tflite_positions(t, s->rows), 0, 2);
	rows = tflite_binary(t, NNA_OPERATION_ADD, rows, tflite_int(t, (int32_t)s->count));
	last = tflite_select(t, tflite_binary(t, NNA_OPERATION_LESS, last, tflite_int(t, 0)), rows,
			     last);
	return tflite_gathered(t, tflite_stacked(t, updates, x), 0,
			       tflite_reshaped(t, last, 1, &s->rows));
}

static struct tflite_value scattered_in_run(struct tflite_translation *t, const struct scatter *s,
					    struct tflite_value x, struct tflite_value updates)
{
	struct tflite_value named, rows;

	if ((uint64_t)s->rows * s->count > TFLITE_MAX_TABLE)
		tflite_unsupported(t, tflite_input(t, 1),
				   "%u updates of %u rows by indices that a run computes",
				   "a product of %u or less", s->count, s->rows, TFLITE_MAX_TABLE);
	if (s->operation != REPLACE && s->count > MAX_ROUNDS)
		tflite_unsupported(t, tflite_input(t, 1),
				   "%u updates by indices that a run computes", "%u or fewer",
				   s->count, MAX_ROUNDS);
	rows = tflite_along(t, tflite_positions(t, s->rows), 0, 2);
	named = tflite_binary(t, NNA_OPERATION_EQUAL, rows, rows_of_run(t, s));
	if (s->operation == REPLACE && s->count > 1)
		return last_of_run(t, s, x, updates, named);
	for (uint32_t i = 0; i < s->count && !t->ret; i++)
		x = combined(t, s->operation, tflite_part(t, named, 1, i, 1), x,
			     tflite_part(t, updates, 0, i, 1));
	return x;
}

/* -------------------------------------------------------------------------------- the operator */

/* The updates as rows, [@count, @inner], in their order. */
static struct tflite_value update_rows(struct tflite_translation *t, const struct scatter *s)
{
	int32_t axes[TFLITE_MAX_RANK], n = 0;
	struct tflite_value v = tflite_value(t, 2);
	bool sorted = true;

	for (uint32_t k = 0; k < s->rest_count; k++)
		axes[n++] = (int32_t)s->rest[k];
	for (uint32_t k = s->kept; k < tflite_input(t, 0)->rank; k++)
		axes[n++] = s->windows[k];
	for (int32_t k = 0; k < n; k++)
		sorted &= axes[k] == k;
	if (!sorted)
		v = tflite_transposed(t, v, axes);
	return tflite_reshaped(t, v, 2, (uint32_t[]){ s->count, s->inner });
}

/* Stored numbers of 8 and 16 bits as INT32, in which they are added and multiplied. */
static struct tflite_value whole(struct tflite_translation *t, const struct scatter *s,
				 struct tflite_value x)
{
	return s->operation != REPLACE && tflite_is_quantised(tflite_input(t, 0)->type) ?
	       tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32) : x;
}

/* An operator with elements and updates. */
static void scatter(struct tflite_translation *t, struct scatter *s)
{
	const struct tflite_tensor *index = tflite_input(t, 1);
	struct tflite_value x, updates;
	int32_t *numbers = NULL;

	find_rows(t, s);
	x = tflite_reshaped(t, tflite_value(t, 0), 2, (uint32_t[]){ s->rows, s->inner });
	x = whole(t, s, x);
	updates = whole(t, s, update_rows(t, s));
	if (index->data) {
		numbers = find_all_rows(t, s);
		if (numbers)
			x = s->operation == REPLACE ? replaced(t, s, x, updates, numbers) :
						      in_rounds(t, s, x, updates, numbers);
		free(numbers);
	} else {
		x = scattered_in_run(t, s, x, updates);
	}
	tflite_sums_result(t, x);
}

void tflite_translate_hlo_scatter(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *index = tflite_input(t, 1),
				   *update = tflite_input(t, 2);
	struct scatter s = { 0 };

	tflite_need(t, 3, 1);
	tflite_need_options(t);
	s.operation = find_operation(t);
	tflite_need_type(t, index, index->type == TFLITE_INT32 || index->type == TFLITE_INT64,
			 "INT32 or INT64");
	tflite_need_type(t, update, update->type == x->type, "the type of input 0");
	tflite_need_least_rank(t, x, 1);
	read_dims(t, &s);
	tflite_need_elements(t, tflite_output(t, 0), x->elements, "the elements of input 0");
	if (t->ret)
		return;
	if (x->elements && update->elements)
		scatter(t, &s);
	else
		tflite_result(t, tflite_value(t, 0), 0);
}

// SPDX-License-Identifier: MIT
/*
 * Operators that write elements to the positions of indices. Constant indices become a table for a
 * GATHER, which names the element of each position; ONE_HOT takes any indices.
 */
#include "frontend/tflite/rescale.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* indices == 0, 1, ... depth - 1 along a new axis ? on : off */
void tflite_translate_one_hot(struct tflite_translation *t, uint32_t type)
{
	uint32_t dims[TFLITE_MAX_RANK + 1], rank, axis, i, k;
	struct tflite_value x, numbers, on, off;
	int32_t depth, *values;

	tflite_need(t, 4, 1);
	x = tflite_value(t, 0);
	depth = tflite_constant_int(t, 1);
	/* A scalar is a tensor [1] here; the new axis replaces that dimension. */
	rank = tflite_input(t, 0)->rank + 1;
	axis = (uint32_t)tflite_axis(t, t->op->options.axis, rank);
	if (depth < 1 || (uint32_t)depth > TFLITE_MAX_TABLE)
		tflite_unsupported(t, tflite_input(t, 1), "a depth of %d", "1 to %u", depth,
				   TFLITE_MAX_TABLE);
	if (rank > TFLITE_MAX_RANK)
		tflite_unsupported(t, tflite_input(t, 0), "indices of %u dimensions", "%u or fewer",
				   rank - 1, TFLITE_MAX_RANK - 1);
	values = t->ret ? NULL : tflite_derive(t->model, (size_t)depth * sizeof(*values));
	if (!values) {
		tflite_no_memory(t);
		return;
	}
	for (i = 0; i < (uint32_t)depth; i++)
		values[i] = (int32_t)i;
	for (i = 0; i < rank; i++)
		dims[i] = i == axis ? (uint32_t)depth : 1;
	numbers = tflite_int_tensor(t, rank, dims, values);
	for (i = k = 0; i < rank; i++)
		dims[i] = i == axis ? 1 : x.o.dims[k++];
	x = tflite_reshaped(t, tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32), rank, dims);
	on = tflite_value(t, 2);
	off = tflite_value(t, 3);
	tflite_result(t, tflite_select(t, tflite_binary(t, type, x, numbers), on, off), 0);
}

/* An error if @index, which tensor @x states, is not below @count. */
static void need_index(struct tflite_translation *t, const struct tflite_tensor *x, int32_t index,
		       uint32_t count)
{
	if (index < 0 || (uint32_t)index >= count)
		tflite_refuse(t, x, "index %d", "0 or more, and less than %u", index, count);
}

/* One 0 as it is stored in the type of @x, and @x's quantisation. */
static struct tflite_value zero_like(struct tflite_translation *t, struct tflite_value x)
{
	x.o.desc.rank = 1;
	x.o.dims[0] = 1;
	x.operand = tflite_add_constant(t, &x.o, NULL, nna_operand_type_size(x.o.desc.type));
	return x;
}

/* Updates of one row that are added one by one, at most; a REDUCE_SUM adds more of them. */
#define MAX_ROUNDS 16u

/*
 * For each row the numbers of its updates, in their order, then @count: [@most, rows]. @most, which
 * is 1 at least, is the largest number of updates of a row. The caller frees it.
 */
static int32_t *find_updates(struct tflite_translation *t, const int32_t *numbers, uint32_t count,
			     uint32_t rows, uint32_t *most)
{
	uint32_t *found = t->ret ? NULL : calloc((size_t)rows + 1, sizeof(*found)), i;
	int32_t *table = NULL;

	*most = 1;
	for (i = 0; i < count && found && !t->ret; i++) {
		if (numbers[i] >= 0)
			need_index(t, tflite_input(t, 1), numbers[i], rows);
		if (numbers[i] >= 0 && !t->ret && ++found[numbers[i]] > *most)
			*most = found[numbers[i]];
	}
	tflite_make_room(t, (uint64_t)*most * rows);
	if (found && !t->ret)
		table = malloc((size_t)*most * rows * sizeof(*table));
	if (!table) {
		tflite_no_memory(t);
		free(found);
		return NULL;
	}
	for (i = 0; i < *most * rows; i++)
		table[i] = (int32_t)count;
	memset(found, 0, rows * sizeof(*found));
	for (i = 0; i < count; i++)
		if (numbers[i] >= 0)
			table[found[numbers[i]]++ * rows + (uint32_t)numbers[i]] = (int32_t)i;
	free(found);
	return table;
}

/* The sum of the updates that each row of a table (find_updates()) names. */
static struct tflite_value sum_updates(struct tflite_translation *t, struct tflite_value padded,
				       const int32_t *table, uint32_t rows, uint32_t most)
{
	const uint32_t type = padded.o.desc.type;
	struct tflite_value sum, part;

	if (most > MAX_ROUNDS) {
		sum = tflite_int_tensor(t, 2, (uint32_t[]){ most, rows }, table);
		sum = tflite_reduced(t, NNA_OPERATION_REDUCE_SUM,
				     tflite_gathered(t, padded, 0, sum), 0);
		return tflite_reshaped(t, sum, 2, (uint32_t[]){ rows, padded.o.dims[1] });
	}
	sum = tflite_gathered(t, padded, 0, tflite_int_tensor(t, 1, &rows, table));
	/* A sum begins with 0, so that -0 becomes 0. */
	if (type == NNA_OPERAND_TENSOR_FLOAT32)
		sum = tflite_binary(t, NNA_OPERATION_ADD, sum, tflite_float(t, 0));
	for (uint32_t i = 1; i < most; i++) {
		part = tflite_gathered(t, padded, 0,
				       tflite_int_tensor(t, 1, &rows, table + (size_t)i * rows));
		sum = tflite_binary(t, type == NNA_OPERAND_TENSOR_BOOL8 ? NNA_OPERATION_LOGICAL_OR :
									  NNA_OPERATION_ADD,
				    sum, part);
	}
	return sum;
}

/*
 * rows[i] = sum of updates[k] over all k with numbers[k] == i, in the order of k. @updates is
 * [count, ...]; an update with a negative number is dropped.
 */
static struct tflite_value put_rows(struct tflite_translation *t, struct tflite_value updates,
				    const int32_t *numbers, uint32_t count, uint32_t rows)
{
	uint32_t inner = 1, most = 0, i;
	struct tflite_value zeros;
	int32_t *table;

	for (i = 1; i < updates.o.desc.rank; i++)
		inner *= updates.o.dims[i];
	if (!count || !rows || !inner)
		tflite_unsupported(t, NULL, "%u updates of %u rows of %u elements", "1 or more",
				   count, rows, inner);
	table = find_updates(t, numbers, count, rows, &most);
	if (table && most > MAX_ROUNDS && updates.o.desc.type != NNA_OPERAND_TENSOR_FLOAT32 &&
	    updates.o.desc.type != NNA_OPERAND_TENSOR_INT32)
		tflite_unsupported(t, tflite_output(t, 0), "a sum of %u updates",
				   "%u, of FLOAT32 and INT32 more", most, MAX_ROUNDS);
	if (!t->ret) {
		updates = tflite_reshaped(t, updates, 2, (uint32_t[]){ count, inner });
		zeros = tflite_broadcast(t, zero_like(t, updates), 2, (uint32_t[]){ 1, inner });
		updates = sum_updates(t, tflite_stacked(t, updates, zeros), table, rows, most);
	}
	free(table);
	return updates;
}

/* All values of input @index, a constant; freed by the caller. NULL after an error. */
static int32_t *constant_list(struct tflite_translation *t, uint32_t index, uint32_t *count)
{
	const struct tflite_tensor *x = tflite_input(t, index);
	int32_t *values;

	if (t->ret)
		return NULL;
	if (x->elements > TFLITE_MAX_TABLE) {
		tflite_unsupported(t, x, "%llu numbers", "%u or fewer",
				   (unsigned long long)x->elements, TFLITE_MAX_TABLE);
		return NULL;
	}
	values = calloc(x->elements + 1, sizeof(*values));
	if (!values)
		tflite_no_memory(t);
	else
		*count = tflite_constant_ints(t, index, values, (uint32_t)x->elements);
	if (t->ret) {
		free(values);
		return NULL;
	}
	return values;
}

/* A segment without rows is 0. */
void tflite_translate_segment_sum(struct tflite_translation *t, uint32_t type)
{
	uint32_t count = 0;
	int32_t *numbers;

	tflite_need(t, 2, 1);
	tflite_need_type(t, tflite_input(t, 0), !tflite_is_quantised(tflite_input(t, 0)->type),
			 "FLOAT32, INT32 or INT64");
	numbers = constant_list(t, 1, &count);
	tflite_need_elements(t, tflite_input(t, 1), tflite_input(t, 0)->dims[0],
			     "the rows of input 0");
	if (!t->ret)
		tflite_result(t, put_rows(t, tflite_value(t, 0), numbers, count,
					  tflite_output(t, 0)->dims[0]), 0);
	free(numbers);
}

#define MAX_SEGMENTS 1024u

/* A segment without rows: where the reduction @type begins, in FLOAT32 or INT32. */
static struct tflite_value empty_segment(struct tflite_translation *t, uint32_t type, bool whole)
{
	switch (type) {
	case NNA_OPERATION_REDUCE_MAX:
		return whole ? tflite_int(t, INT32_MIN) : tflite_float(t, -FLT_MAX);
	case NNA_OPERATION_REDUCE_MIN:
		return whole ? tflite_int(t, INT32_MAX) : tflite_float(t, FLT_MAX);
	default:
		return whole ? tflite_int(t, 1) : tflite_float(t, 1);
	}
}

/* Segment @number: the reduction @type of its rows. */
static struct tflite_value segment(struct tflite_translation *t, uint32_t type,
				   struct tflite_value x, const int32_t *numbers, uint32_t number)
{
	uint32_t count = x.o.dims[0], n = 0, dims[TFLITE_MAX_RANK];
	int32_t *rows = calloc((size_t)count + 1, sizeof(*rows));
	struct tflite_value y = x;

	if (!rows) {
		tflite_no_memory(t);
		return x;
	}
	for (uint32_t i = 0; i < count; i++)
		if (numbers[i] == (int32_t)number)
			rows[n++] = (int32_t)i;
	if (n) {
		y = tflite_gathered(t, x, 0, tflite_int_tensor(t, 1, &n, rows));
		y = tflite_reduced(t, type, y, 0);
	} else {
		memcpy(dims, x.o.dims, sizeof(dims));
		dims[0] = 1;
		y = empty_segment(t, type, x.o.desc.type == NNA_OPERAND_TENSOR_INT32);
		y = tflite_broadcast(t, y, x.o.desc.rank, dims);
	}
	free(rows);
	return y;
}

/* UNSORTED_SEGMENT_MAX, _MIN and _PROD: a row with a negative number is dropped. */
void tflite_translate_segments(struct tflite_translation *t, uint32_t type)
{
	struct tflite_value x, list[MAX_SEGMENTS];
	uint32_t count = 0, rows;
	int32_t *numbers;

	tflite_need(t, 3, 1);
	numbers = constant_list(t, 1, &count);
	if (t->ret)
		return;
	x = tflite_value(t, 0);
	rows = tflite_output(t, 0)->rank ? tflite_output(t, 0)->dims[0] : 0;
	tflite_need_type(t, tflite_input(t, 0), x.o.desc.type == NNA_OPERAND_TENSOR_FLOAT32 ||
			 x.o.desc.type == NNA_OPERAND_TENSOR_INT32, "FLOAT32 or INT32");
	if (tflite_input(t, 1)->rank > 1)
		tflite_unsupported(t, tflite_input(t, 1), "%u dimensions of segment numbers", "1",
				   tflite_input(t, 1)->rank);
	tflite_need_elements(t, tflite_input(t, 1), x.o.dims[0], "the rows of input 0");
	if (!rows || rows > MAX_SEGMENTS)
		tflite_unsupported(t, tflite_output(t, 0), "%u segments", "1 to %u", rows,
				   MAX_SEGMENTS);
	for (uint32_t i = 0; i < count && !t->ret; i++)
		if (numbers[i] >= 0)
			need_index(t, tflite_input(t, 1), numbers[i], rows);
	for (uint32_t i = 0; i < rows && !t->ret; i++)
		list[i] = segment(t, type, x, numbers, i);
	free(numbers);
	if (t->ret)
		return;
	for (uint32_t i = 0; i < rows; i++)
		tflite_push(t, list[i].operand);
	tflite_push_i32(t, 0);
	tflite_emit_outputs(t, NNA_OPERATION_CONCATENATION);
}

/*
 * How many tuples [*count, n] the indices are, and how many positions they choose from, the first n
 * dimensions of the output: *rows, at most TFLITE_MAX_TABLE + 1.
 */
static void count_indices(struct tflite_translation *t, uint32_t index, uint32_t *count,
			  uint32_t *rows)
{
	const struct tflite_tensor *x = tflite_input(t, index), *y = tflite_output(t, 0);
	uint32_t n = x->rank > 1 ? x->dims[x->rank - 1] : 1;
	uint64_t all = 1;

	if (t->ret)
		return;
	if (!n || n > y->rank) {
		tflite_refuse(t, x, "indices of %u numbers",
			      "1 to %u, the dimensions of the output", n, y->rank);
		return;
	}
	for (uint32_t k = 0; k < n; k++)
		all = all * y->dims[k] > TFLITE_MAX_TABLE ? TFLITE_MAX_TABLE + 1 :
							    all * y->dims[k];
	*count = (uint32_t)(x->elements / n);
	*rows = (uint32_t)all;
}

/* The positions of the constant tuples that count_indices() counts; freed by the caller. */
static int32_t *flat_indices(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *x = tflite_input(t, index), *y = tflite_output(t, 0);
	uint32_t n = x->rank > 1 ? x->dims[x->rank - 1] : 1, total = 0;
	int32_t *values = constant_list(t, index, &total);

	for (uint32_t i = 0; values && i < total / n; i++) {
		int64_t at = 0;

		for (uint32_t k = 0; k < n && !t->ret; k++) {
			need_index(t, x, values[i * n + k], y->dims[k]);
			at = at * y->dims[k] + values[i * n + k];
		}
		values[i] = (int32_t)(at > INT32_MAX ? INT32_MAX : at);
	}
	if (t->ret) {
		free(values);
		return NULL;
	}
	return values;
}

/* Limits of what is added by indices that a run has: updates, and these times rows. */
#define MAX_RUN_UPDATES 256u

/*
 * The rows that indices [@count, n] of a run name, [1, @count]. A GATHER from the positions of its
 * dimension ends a run with an index that is none, as TFLite does.
 */
static struct tflite_value rows_of_run(struct tflite_translation *t, uint32_t count)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	const uint32_t n = x->rank > 1 ? x->dims[x->rank - 1] : 1;
	struct tflite_value indices, row, part;

	indices = tflite_reshaped(t, tflite_value(t, 0), 2, (uint32_t[]){ count, n });
	row = tflite_int(t, 0);
	for (uint32_t k = 0; k < n && !t->ret; k++) {
		part = tflite_reshaped(t, tflite_part(t, indices, 1, k, 1), 1, &count);
		part = tflite_gathered(t, tflite_positions(t, y->dims[k]), 0, part);
		row = tflite_binary(t, NNA_OPERATION_MUL, row, tflite_int(t, (int32_t)y->dims[k]));
		row = tflite_binary(t, NNA_OPERATION_ADD, part, row);
	}
	return tflite_reshaped(t, row, 2, (uint32_t[]){ 1, count });
}

/* put_rows() of updates [@count, ...] where a run has the indices: one after the other. */
static struct tflite_value put_rows_of_run(struct tflite_translation *t,
					   struct tflite_value updates, uint32_t count,
					   uint32_t rows)
{
	const uint32_t add = updates.o.desc.type == NNA_OPERAND_TENSOR_BOOL8 ?
				     NNA_OPERATION_LOGICAL_OR : NNA_OPERATION_ADD;
	struct tflite_value sum, named, next;

	if (count > MAX_RUN_UPDATES || (uint64_t)count * rows > TFLITE_MAX_TABLE)
		tflite_unsupported(t, tflite_input(t, 0),
				   "%u updates of %u rows by indices that a run has",
				   "%u or fewer, with a product of %u or less", count, rows,
				   MAX_RUN_UPDATES, TFLITE_MAX_TABLE);
	named = tflite_along(t, tflite_positions(t, rows), 0, 2);
	named = tflite_binary(t, NNA_OPERATION_EQUAL, named, rows_of_run(t, count));
	sum = tflite_broadcast(t, zero_like(t, updates), 2,
			       (uint32_t[]){ rows, updates.o.dims[1] });
	for (uint32_t i = 0; i < count && !t->ret; i++) {
		next = tflite_binary(t, add, sum, tflite_part(t, updates, 0, i, 1));
		sum = tflite_select(t, tflite_part(t, named, 1, i, 1), next, sum);
	}
	return sum;
}

/* Inputs: indices, updates, shape. Updates of one position are summed. */
void tflite_translate_scatter_nd(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *update = tflite_input(t, 1);
	struct tflite_value updates;
	uint32_t count = 0, rows = 0;
	int32_t *numbers = NULL;

	tflite_need(t, 3, 1);
	tflite_need_type(t, x, x->type == TFLITE_INT32, "INT32");
	count_indices(t, 0, &count, &rows);
	if (!t->ret && (!count || !update->elements || update->elements % count))
		tflite_refuse(t, update, "%llu elements", "a multiple of %u, the indices",
			      (unsigned long long)update->elements, count);
	if (!t->ret && x->data)
		numbers = flat_indices(t, 0);
	if (t->ret)
		return;
	updates = tflite_reshaped(t, tflite_value(t, 1), 2,
				  (uint32_t[]){ count, (uint32_t)(update->elements / count) });
	if (tflite_is_quantised(update->type))
		updates = tflite_cast(t, updates, NNA_OPERAND_TENSOR_INT32);
	tflite_sums_result(t, numbers ? put_rows(t, updates, numbers, count, rows) :
					put_rows_of_run(t, updates, count, rows));
	free(numbers);
}

/* Indices, shape, values, default: of values of one position the last one remains. */
void tflite_translate_sparse_to_dense(struct tflite_translation *t, uint32_t type)
{
	uint32_t count = 0, rows = 0, i;
	struct tflite_value values;
	int32_t *numbers, *from;

	tflite_need(t, 4, 1);
	count_indices(t, 0, &count, &rows);
	numbers = flat_indices(t, 0);
	tflite_make_room(t, rows);
	from = t->ret ? NULL : malloc(((size_t)rows + 1) * sizeof(*from));
	if (!from) {
		tflite_no_memory(t);
		free(numbers);
		return;
	}
	for (i = 0; i < rows; i++)
		from[i] = (int32_t)count;
	for (i = 0; i < count; i++)
		from[numbers[i]] = (int32_t)i;
	values = tflite_broadcast(t, tflite_value(t, 2), 1, &count);
	if (!t->ret) {
		values = tflite_stacked(t, values, tflite_value(t, 3));
		tflite_result(t, tflite_gathered(t, values, 0,
						 tflite_int_tensor(t, 1, &rows, from)), 0);
	}
	free(from);
	free(numbers);
}

/* Limit of a diagonal; its matrix has TFLITE_MAX_TABLE elements then. */
#define MAX_DIAGONAL 4096u

/* [rows, columns] of BOOL8: true on the diagonal. */
static struct tflite_value diagonal(struct tflite_translation *t, uint32_t rows, uint32_t columns)
{
	struct tflite_operand_desc o = { .desc = { .type = NNA_OPERAND_TENSOR_BOOL8, .rank = 2 },
					 .dims = { rows, columns } };
	struct tflite_value v = { .o = o };
	const uint64_t size = (uint64_t)rows * columns;
	uint8_t *values;

	if (!size || size > TFLITE_MAX_TABLE)
		tflite_unsupported(t, NULL, "a matrix of %u by %u", "1 to %u elements", rows,
				   columns, TFLITE_MAX_TABLE);
	tflite_make_room(t, size);
	values = t->ret ? NULL : tflite_derive(t->model, size);
	if (!values) {
		tflite_no_memory(t);
		return v;
	}
	for (uint32_t i = 0; i < rows && i < columns; i++)
		values[(size_t)i * columns + i] = 1;
	v.operand = tflite_add_operand(t, &o);
	tflite_set_constant(t, v.operand, values, size);
	return v;
}

/* The last dimension of @x made @columns long by repeating its last element. */
static struct tflite_value widened(struct tflite_translation *t, struct tflite_value x,
				   uint32_t columns)
{
	const uint32_t last = x.o.desc.rank - 1, have = x.o.dims[last];
	int32_t *from = t->ret ? NULL : malloc((size_t)columns * sizeof(*from));

	if (!from) {
		tflite_no_memory(t);
		return x;
	}
	for (uint32_t i = 0; i < columns; i++)
		from[i] = (int32_t)(i < have ? i : have - 1);
	x = tflite_gathered(t, x, last, tflite_int_tensor(t, 1, &columns, from));
	free(from);
	return x;
}

/* [..., n] becomes the diagonals of [..., n, n]; the rest is 0, for MATRIX_SET_DIAG input 0. */
void tflite_translate_matrix_diag(struct tflite_translation *t, uint32_t type)
{
	bool set = t->op->code == TFLITE_MATRIX_SET_DIAG;
	const struct tflite_tensor *y = tflite_output(t, 0);
	struct tflite_value x, base, mask;
	uint32_t rows, columns, least;

	tflite_need(t, set ? 2 : 1, 1);
	x = tflite_value(t, set);
	columns = y->rank > 1 ? y->dims[y->rank - 1] : 0;
	rows = y->rank > 1 ? y->dims[y->rank - 2] : 0;
	least = rows < columns ? rows : columns;
	mask = diagonal(t, rows, columns);
	if (!t->ret && (x.o.desc.rank + 1 != y->rank || x.o.dims[y->rank - 2] != least))
		tflite_refuse(t, tflite_input(t, set), "its shape",
			      "a diagonal of %u for each matrix of %u by %u", least, rows, columns);
	if (t->ret)
		return;
	base = set ? tflite_value(t, 0) : zero_like(t, x);
	if (columns > least)
		x = widened(t, x, columns);
	/* Element j broadcasts to column j of all rows; the mask selects the diagonal. */
	x.o.dims[x.o.desc.rank] = columns;
	x.o.dims[x.o.desc.rank - 1] = 1;
	x = tflite_reshaped(t, x, y->rank, x.o.dims);
	tflite_result(t, tflite_select(t, mask, x, base), 0);
}

/* The lengths of @batches sequences of @steps, which the file states: each is 0 to @steps. */
static void check_lengths(struct tflite_translation *t, uint32_t steps)
{
	uint32_t count = 0;
	int32_t *lengths = constant_list(t, 1, &count);

	for (uint32_t i = 0; i < count && !t->ret; i++)
		if (lengths[i] < 0 || (uint32_t)lengths[i] > steps)
			tflite_refuse(t, tflite_input(t, 1), "a length of %d", "0 to %u, the steps",
				      lengths[i], steps);
	free(lengths);
}

/*
 * The row of [@batches * @steps] that comes to each row: within the length of its sequence the one
 * as far from the other end. Lengths of a run that are no such end where the steps do.
 */
static struct tflite_value sources(struct tflite_translation *t, uint32_t batches, uint32_t steps)
{
	struct tflite_value lengths, step, from, first;
	const uint32_t total = batches * steps;
	int32_t *starts = calloc((size_t)batches + 1, sizeof(*starts));

	if (!starts)
		tflite_no_memory(t);
	for (uint32_t i = 0; i < batches && starts; i++)
		starts[i] = (int32_t)(i * steps);
	lengths = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_INT32);
	lengths = tflite_along(t, lengths, 0, 2);
	lengths = tflite_binary(t, NNA_OPERATION_MINIMUM, lengths, tflite_int(t, (int32_t)steps));
	step = tflite_along(t, tflite_positions(t, steps), 1, 2);
	from = tflite_binary(t, NNA_OPERATION_SUB, lengths, tflite_int(t, 1));
	from = tflite_binary(t, NNA_OPERATION_SUB, from, step);
	from = tflite_select(t, tflite_binary(t, NNA_OPERATION_LESS, step, lengths), from, step);
	if (starts) {
		first = tflite_along(t, tflite_int_tensor(t, 1, &batches, starts), 0, 2);
		from = tflite_binary(t, NNA_OPERATION_ADD, from, first);
	}
	free(starts);
	return tflite_reshaped(t, from, 1, &total);
}

/* A GATHER of the steps of all sequences, for which these two dimensions come first. */
void tflite_translate_reverse_sequence(struct tflite_translation *t, uint32_t type)
{
	const int32_t seq = t->op->options.axis, batch = t->op->options.batch_dims;
	const struct tflite_tensor *x = tflite_input(t, 0);
	int32_t axes[TFLITE_MAX_RANK] = { batch, seq }, back[TFLITE_MAX_RANK] = { 0 };
	const bool sorted = batch == 0 && seq == 1;
	uint32_t dims[TFLITE_MAX_RANK], n = 2;
	struct tflite_value v;

	tflite_need(t, 2, 1);
	tflite_need_least_rank(t, x, 2);
	if (seq == batch || seq < 0 || batch < 0 || seq >= (int32_t)x->rank ||
	    batch >= (int32_t)x->rank)
		tflite_refuse(t, NULL, "sequences along dimension %d and batches along %d",
			      "two of the %u dimensions", seq, batch, x->rank);
	if (t->ret)
		return;
	tflite_need_elements(t, tflite_input(t, 1), x->dims[batch], "the sequences");
	tflite_make_room(t, (uint64_t)x->dims[batch] * x->dims[seq]);
	if (tflite_input(t, 1)->data)
		check_lengths(t, x->dims[seq]);
	if (t->ret)
		return;
	for (int32_t k = 0; k < (int32_t)x->rank; k++)
		if (k != seq && k != batch)
			axes[n++] = k;
	for (uint32_t k = 0; k < x->rank; k++)
		back[axes[k]] = (int32_t)k;
	v = tflite_value(t, 0);
	if (!sorted)
		v = tflite_transposed(t, v, axes);
	memcpy(dims, v.o.dims, sizeof(dims));
	v.o.dims[1] *= v.o.dims[0];
	v = tflite_reshaped(t, v, x->rank - 1, &v.o.dims[1]);
	v = tflite_gathered(t, v, 0, sources(t, dims[0], dims[1]));
	v = tflite_reshaped(t, v, x->rank, dims);
	if (!sorted)
		v = tflite_transposed(t, v, back);
	tflite_result(t, v, 0);
}

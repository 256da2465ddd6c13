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
	if (table && most > 1 && tflite_is_quantised(tflite_output(t, 0)->type))
		tflite_unsupported(t, tflite_output(t, 0), "a sum of %u updates",
				   "sums of FLOAT32, INT32, INT64 and BOOL", most);
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
 * Positions of index tuples [count, n] in the first n dimensions of the output; *rows gets the
 * number of positions, at most TFLITE_MAX_TABLE + 1.
 */
static int32_t *flat_indices(struct tflite_translation *t, uint32_t index, uint32_t *count,
			     uint32_t *rows)
{
	const struct tflite_tensor *x = tflite_input(t, index), *y = tflite_output(t, 0);
	uint32_t n = x->rank > 1 ? x->dims[x->rank - 1] : 1, total = 0, i, k;
	int32_t *values = constant_list(t, index, &total);
	uint64_t all = 1;

	if (!values)
		return NULL;
	if (!n || n > y->rank) {
		tflite_refuse(t, x, "indices of %u numbers",
			      "1 to %u, the dimensions of the output", n, y->rank);
		free(values);
		return NULL;
	}
	*count = total / n;
	for (k = 0; k < n; k++)
		all *= y->dims[k];
	*rows = all > TFLITE_MAX_TABLE ? TFLITE_MAX_TABLE + 1 : (uint32_t)all;
	for (i = 0; i < *count; i++) {
		int64_t at = 0;

		for (k = 0; k < n; k++) {
			int32_t v = values[i * n + k];

			need_index(t, x, v, y->dims[k]);
			at = at * y->dims[k] + v;
		}
		values[i] = (int32_t)(at > INT32_MAX ? INT32_MAX : at);
	}
	return values;
}

/* Inputs: indices, updates, shape. Updates of one position are summed. */
void tflite_translate_scatter_nd(struct tflite_translation *t, uint32_t type)
{
	uint32_t count = 0, rows = 0, dims[2];
	struct tflite_value updates;
	int32_t *numbers;

	tflite_need(t, 3, 1);
	numbers = flat_indices(t, 0, &count, &rows);
	updates = tflite_value(t, 1);
	if (!t->ret && (!count || tflite_input(t, 1)->elements % count))
		tflite_refuse(t, tflite_input(t, 1), "%llu elements",
			      "a multiple of %u, the indices",
			      (unsigned long long)tflite_input(t, 1)->elements, count);
	if (!t->ret) {
		dims[0] = count;
		dims[1] = (uint32_t)(tflite_input(t, 1)->elements / count);
		updates = tflite_reshaped(t, updates, 2, dims);
		tflite_result(t, put_rows(t, updates, numbers, count, rows), 0);
	}
	free(numbers);
}

/* Indices, shape, values, default: of values of one position the last one remains. */
void tflite_translate_sparse_to_dense(struct tflite_translation *t, uint32_t type)
{
	uint32_t count = 0, rows = 0, i;
	struct tflite_value values;
	int32_t *numbers, *from;

	tflite_need(t, 4, 1);
	numbers = flat_indices(t, 0, &count, &rows);
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

/* A GATHER by a table, which reverses the first elements of each sequence. */
void tflite_translate_reverse_sequence(struct tflite_translation *t, uint32_t type)
{
	int32_t seq = t->op->options.axis, batch = t->op->options.batch_dims;
	uint32_t count = 0, steps, b, s, n = 0, total, dims[TFLITE_MAX_RANK];
	const struct tflite_tensor *x = tflite_input(t, 0);
	int32_t *lengths, *numbers = NULL;
	struct tflite_value v;

	tflite_need(t, 2, 1);
	tflite_need_least_rank(t, x, 2);
	if (seq + batch != 1 || seq < 0 || batch < 0)
		tflite_unsupported(t, NULL, "sequences along dimension %d and batches along %d",
				   "0 and 1, or 1 and 0", seq, batch);
	lengths = constant_list(t, 1, &count);
	if (!t->ret)
		tflite_need_elements(t, tflite_input(t, 1), x->dims[batch], "the sequences");
	if (!t->ret)
		tflite_make_room(t, (uint64_t)x->dims[0] * x->dims[1]);
	if (!t->ret) {
		steps = x->dims[seq];
		total = x->dims[0] * x->dims[1];
		numbers = calloc((size_t)total + 1, sizeof(*numbers));
		if (!numbers)
			tflite_no_memory(t);
		for (b = 0; b < count && !t->ret; b++) {
			if (lengths[b] < 0 || (uint32_t)lengths[b] > steps)
				tflite_refuse(t, tflite_input(t, 1), "a length of %d",
					      "0 to %u, the steps", lengths[b], steps);
			for (s = 0; s < steps && !t->ret; s++, n++) {
				uint32_t from = s < (uint32_t)lengths[b] ?
							(uint32_t)lengths[b] - 1 - s : s;

				numbers[batch ? s * count + b : b * steps + s] =
					(int32_t)(batch ? from * count + b : b * steps + from);
			}
		}
		v = tflite_value(t, 0);
		dims[0] = total;
		for (b = 2; b < x->rank; b++)
			dims[b - 1] = x->dims[b];
		if (!t->ret) {
			v = tflite_reshaped(t, v, x->rank - 1, dims);
			tflite_result(t, tflite_gathered(t, v, 0, tflite_int_tensor(t, 1, &total,
										    numbers)), 0);
		}
	}
	free(numbers);
	free(lengths);
}

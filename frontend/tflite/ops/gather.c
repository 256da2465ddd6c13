// SPDX-License-Identifier: MIT
/* GATHER and GATHER_ND, which pick slices of a tensor by index. */
#include "frontend/tflite/rescale.h"

/*
 * Indices as INT32. Those of INT64 are clamped to INT32 first: an index beyond 32 bits stays out of
 * range.
 */
static struct tflite_value short_indices(struct tflite_translation *t, uint32_t index)
{
	struct tflite_value x = tflite_value(t, index);

	if (x.o.desc.type == NNA_OPERAND_TENSOR_INT64) {
		x = tflite_binary(t, NNA_OPERATION_MINIMUM, x, tflite_long(t, INT32_MAX));
		x = tflite_binary(t, NNA_OPERATION_MAXIMUM, x, tflite_long(t, INT32_MIN));
	}
	return tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32);
}

void tflite_translate_gather_nd(struct tflite_translation *t, uint32_t type)
{
	uint32_t indices;

	tflite_need(t, 2, 1);
	if (tflite_input(t, 1)->type == TFLITE_INT32) {
		tflite_plain(t, type, 2);
		return;
	}
	indices = short_indices(t, 1).operand;
	tflite_push_input(t, 0);
	tflite_push(t, indices);
	tflite_emit_outputs(t, type);
}

/*
 * A GATHER with batch dimensions: the rows of all batches form one list, and the number of the
 * batch's first row is added to each index.
 */
static void gather_in_batches(struct tflite_translation *t, uint32_t batch_dims, uint32_t axis)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *indices = tflite_input(t, 1);
	uint32_t batches = 1, rows, i, k = 0, dims[TFLITE_MAX_RANK];
	struct tflite_value v = tflite_value(t, 0), which;
	int32_t *first;

	if (axis != batch_dims)
		tflite_unsupported(t, NULL, "axis %u", "%u, the number of batch dimensions", axis,
				   batch_dims);
	tflite_need_least_rank(t, indices, batch_dims);
	if (t->ret)
		return;
	for (i = 0; i < batch_dims; i++)
		batches *= x->dims[i];
	rows = x->dims[axis];
	if (!batches || indices->elements % batches)
		tflite_refuse(t, indices, "%llu elements", "a multiple of %u, the batches",
			      (unsigned long long)indices->elements, batches);
	if ((uint64_t)batches * rows > INT32_MAX)
		tflite_unsupported(t, x, "%u rows in each of %u batches", "%d rows in all", rows,
				   batches, INT32_MAX);
	if (t->ret)
		return;
	first = tflite_derive(t->model, (size_t)batches * sizeof(*first));
	if (!first) {
		tflite_no_memory(t);
		return;
	}
	for (i = 0; i < batches; i++)
		first[i] = (int32_t)(i * rows);
	which = short_indices(t, 1);
	which = tflite_reshaped(t, which, 2,
				(uint32_t[]){ batches, (uint32_t)(indices->elements / batches) });
	which = tflite_binary(t, NNA_OPERATION_ADD, which,
			      tflite_int_tensor(t, 2, (uint32_t[]){ batches, 1 }, first));
	dims[k++] = batches * rows;
	for (i = axis + 1; i < x->rank; i++)
		dims[k++] = x->dims[i];
	tflite_result(t, tflite_gathered(t, tflite_reshaped(t, v, k, dims), 0, which), 0);
}

void tflite_translate_gather(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *indices;
	uint32_t which = TFLITE_NO_OPERAND;
	struct tflite_operand_desc o;
	int32_t axis;

	tflite_need(t, 2, 1);
	x = tflite_input(t, 0);
	indices = tflite_input(t, 1);
	axis = tflite_axis(t, t->op->options.axis, x->rank);
	if (t->op->options.batch_dims) {
		int32_t batch_dims = t->op->options.batch_dims;

		/* A negative number counts from the end of the dimensions of the indices. */
		batch_dims += batch_dims < 0 ? (int32_t)indices->rank : 0;
		if (batch_dims < 0 || batch_dims > (int32_t)x->rank)
			tflite_refuse(t, NULL, "%d batch dimensions",
				      "0 to %u, the dimensions of the input", batch_dims,
				      x->rank);
		if (!t->ret && batch_dims) {
			gather_in_batches(t, (uint32_t)batch_dims, (uint32_t)axis);
			return;
		}
	}
	if (indices->type == TFLITE_INT16)
		which = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_INT32).operand;
	tflite_push_input(t, 0);
	tflite_push_i32(t, axis);
	if (indices->type == TFLITE_INT16)
		tflite_push(t, which);
	else
		tflite_push_input(t, 1);
	if (indices->rank) {
		tflite_emit_outputs(t, type);
		return;
	}
	tflite_describe(t, x, &o);
	o.dims[axis] = 1;
	tflite_finish_reshaped(t, type, &o);
}

/* Whether rows of INT8 with a scale, or one for each row, become FLOAT32. */
static bool is_scaled_table(const struct tflite_tensor *ids, const struct tflite_tensor *w,
			    const struct tflite_tensor *y)
{
	for (uint32_t i = 0; i < w->zero_point_count; i++)
		if (tflite_zero_point_at(w, i))
			return false;
	return ids->rank == 1 && y->type == TFLITE_FLOAT32 && w->type == TFLITE_INT8 && w->data &&
	       w->rank >= 2 && (w->scale_count == 1 || (w->scale_count && !w->channel_dim));
}

/* NNAPI's EMBEDDING_LOOKUP keeps the type of the table: rows are looked up, then scaled. */
void tflite_translate_embedding_lookup(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *ids = tflite_input(t, 0), *w = tflite_input(t, 1);
	uint32_t dims[TFLITE_MAX_RANK] = { 0 };
	struct tflite_value table, rows, real, scale;

	tflite_need(t, 2, 1);
	if (t->ret || !is_scaled_table(ids, w, tflite_output(t, 0))) {
		tflite_plain(t, type, 2);
		return;
	}
	tflite_describe(t, w, &table.o);
	table.o.desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED,
						  .rank = w->rank,
						  .scale = 1 };
	table.operand = tflite_add_operand(t, &table.o);
	tflite_set_constant(t, table.operand, w->data, w->size);
	rows = tflite_gathered(t, table, 0, tflite_value(t, 0));
	real = tflite_like(t, &rows, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, rows.operand);
	tflite_emit_to(t, NNA_OPERATION_DEQUANTIZE, real.operand);
	if (w->scale_count == 1) {
		scale = tflite_float(t, w->scales[0]);
	} else {
		for (uint32_t i = 0; i < w->rank; i++)
			dims[i] = i ? 1 : ids->dims[0];
		scale = tflite_float_tensor(t, 1, &w->scale_count, w->scales);
		scale = tflite_gathered(t, scale, 0, tflite_value(t, 0));
		scale = tflite_reshaped(t, scale, w->rank, dims);
	}
	tflite_push(t, real.operand);
	tflite_push(t, scale.operand);
	tflite_push_i32(t, 0);
	tflite_emit_outputs(t, NNA_OPERATION_MUL);
}

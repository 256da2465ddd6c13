// SPDX-License-Identifier: MIT
/* Products of matrices: FULLY_CONNECTED and BATCH_MATMUL. */
#include "frontend/tflite/compose.h"

#include <errno.h>

/* The sums of products of whole numbers in FLOAT32, without bias: [rows, units]. */
static struct tflite_value integer_rows(struct tflite_translation *t, uint32_t type,
					struct tflite_value x, struct tflite_value weights)
{
	uint32_t units = weights.o.dims[0];
	struct tflite_operand_desc bias = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						      .rank = 1 },
					    .dims = { units } };
	struct tflite_value sum = x;

	sum.o.dims[1] = units;
	sum.operand = tflite_add_operand(t, &sum.o);
	tflite_push(t, x.operand);
	tflite_push(t, weights.operand);
	tflite_push(t, tflite_add_constant(t, &bias, NULL, (size_t)units * 4));
	tflite_push_i32(t, 0);
	tflite_emit_to(t, type, sum.operand);
	return sum;
}

static void hybrid_fully_connected(struct tflite_translation *t, uint32_t type, uint32_t rows)
{
	struct tflite_value q, scale = { 0 };

	q = tflite_hybrid_input(t, rows, t->op->options.asymmetric, &scale);
	q = integer_rows(t, type, q, tflite_hybrid_weights(t, 1));
	tflite_finish_hybrid(t, q, scale);
}

static void wide_fully_connected(struct tflite_translation *t, uint32_t type, uint32_t rows)
{
	const struct tflite_tensor *w = tflite_input(t, 1);
	struct tflite_value weights = tflite_hybrid_weights(t, 1), parts[2];

	for (int i = 0; i < 2; i++) {
		parts[i] = tflite_reshaped(t, tflite_wide_input(t, !i), 2,
					   (uint32_t[]){ rows, w->dims[1] });
		parts[i] = integer_rows(t, type, parts[i], weights);
	}
	tflite_finish_wide(t, parts[0], parts[1], w->dims[0]);
}

void tflite_translate_fully_connected(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *w, *y;
	struct tflite_operand_desc o;

	tflite_need(t, 2, 1);
	x = tflite_input(t, 0);
	w = tflite_input(t, 1);
	y = tflite_output(t, 0);
	tflite_need_rank(t, w, 2);
	if (t->op->options.weights_format)
		tflite_fail(t, -ENOTSUP, "shuffled weights are not supported");
	if (t->ret)
		return;
	if (tflite_is_hybrid(t) || tflite_is_wide(t)) {
		uint32_t rows = w->dims[1] ? (uint32_t)(x->elements / w->dims[1]) : 0;

		if (!rows || !w->dims[0] || (uint64_t)rows * w->dims[1] != x->elements)
			tflite_fail(t, -EINVAL, "the weights do not fit the input");
		else if (tflite_is_wide(t))
			wide_fully_connected(t, type, rows);
		else
			hybrid_fully_connected(t, type, rows);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_weights(t, 1, x);
	tflite_push_bias(t, 2, x, w, w->dims[0]);
	tflite_push_i32(t, tflite_fused(t));
	if (y->rank == 2) {
		tflite_finish(t, type);
		return;
	}
	if (t->op->options.activation != tflite_fused(t) || !w->dims[0]) {
		tflite_fail(t, -ENOTSUP, "fused activation %d is not supported",
			    t->op->options.activation);
		return;
	}
	tflite_describe(t, y, &o);
	o.desc.rank = 2;
	o.dims[0] = (uint32_t)(y->elements / w->dims[0]);
	o.dims[1] = w->dims[0];
	tflite_finish_reshaped(t, type, &o);
}

void tflite_translate_batch_matmul(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_push_input(t, 0);
	tflite_push_input(t, 1);
	tflite_push_bool(t, t->op->options.adj_x);
	tflite_push_bool(t, t->op->options.adj_y);
	tflite_emit_outputs(t, type);
}

// SPDX-License-Identifier: MIT
/*
 * Poolings. NNAPI's mean leaves the padding out; where ONNX counts it the input is padded with
 * zeros first.
 */
#include "frontend/onnx/ops/window.h"

static struct onnx_operand pool(struct onnx_translation *t, uint32_t type, struct onnx_operand x,
				const struct onnx_window *w)
{
	struct onnx_operand out = onnx_like(&x, x.type);

	for (uint32_t k = 0; k < 2 && !t->ret; k++)
		if (w->before[k] >= (int32_t)w->filter[k] || w->after[k] >= (int32_t)w->filter[k])
			onnx_unsupported(t, "a padding of the window's size");
	out.dims[1] = w->out[0];
	out.dims[2] = w->out[1];
	onnx_push(t, x.number);
	onnx_push_i32(t, w->before[1]);
	onnx_push_i32(t, w->after[1]);
	onnx_push_i32(t, w->before[0]);
	onnx_push_i32(t, w->after[0]);
	onnx_push_i32(t, (int32_t)w->stride[1]);
	onnx_push_i32(t, (int32_t)w->stride[0]);
	onnx_push_i32(t, (int32_t)w->filter[1]);
	onnx_push_i32(t, (int32_t)w->filter[0]);
	onnx_push_i32(t, NNA_ACT_NONE);
	onnx_push_bool(t, false);
	return onnx_emit(t, type, out);
}

static void read_window(struct onnx_translation *t, struct onnx_window *w)
{
	onnx_need_rank(t, 0, 3, 4);
	onnx_window_read(t, w, onnx_tensor(t, 0), NULL);
	if (!t->ret && (w->dilation[0] > 1 || w->dilation[1] > 1))
		onnx_unsupported(t, "dilations");
}

void onnx_translate_max_pool(struct onnx_translation *t)
{
	struct onnx_window w;
	struct onnx_operand x;
	bool moves;

	read_window(t, &w);
	if (!t->ret && onnx_output(t, 1) != ONNX_ABSENT)
		onnx_unsupported(t, "the output of indices");
	x = onnx_movable(t, 0, ONNX_LAST);
	/* There is no pooling of 16 bits. */
	moves = x.type != NNA_OPERAND_TENSOR_QUANT16_SYMM;
	x = onnx_window_image(t, moves ? x : onnx_last(t, 0));
	if (t->ret)
		return;
	x = onnx_window_result(t, pool(t, NNA_OPERATION_MAX_POOL_2D, x, &w));
	if (moves)
		onnx_set_moved(t, 0, x, ONNX_LAST, 0);
	else
		onnx_set(t, 0, x, ONNX_LAST);
}

void onnx_translate_average_pool(struct onnx_translation *t)
{
	const bool counts = onnx_attribute_int(t, "count_include_pad", 0);
	struct onnx_window w;
	struct onnx_operand x;

	onnx_need_float(t, 0);
	read_window(t, &w);
	x = onnx_window_image(t, onnx_last(t, 0));
	if (t->ret)
		return;
	if (counts) {
		/* What rounding up has added is not counted: the mean leaves it out. */
		const int32_t pads[] = { 0, 0, w.before[0], w.after[0] - w.ceil[0], w.before[1],
					 w.after[1] - w.ceil[1], 0, 0 };

		x = onnx_pad(t, x, pads);
		for (uint32_t k = 0; k < 2; k++) {
			w.before[k] = 0;
			w.after[k] = w.ceil[k];
		}
	}
	x = pool(t, NNA_OPERATION_AVERAGE_POOL_2D, x, &w);
	onnx_set(t, 0, onnx_window_result(t, x), ONNX_LAST);
}

static void global(struct onnx_translation *t, uint32_t type)
{
	enum onnx_order order = onnx_order_of(t, 0);
	struct onnx_operand x;
	uint32_t axes = 0;

	onnx_need_float(t, 0);
	onnx_need_rank(t, 0, 3, ONNX_MAX_RANK);
	x = onnx_in_order(t, 0, order);
	if (t->ret)
		return;
	for (uint32_t k = 2; k < x.rank; k++)
		axes |= 1u << onnx_place(order, x.rank, k);
	onnx_set(t, 0, onnx_reduce(t, type, x, axes, true), order);
}

void onnx_translate_global_average_pool(struct onnx_translation *t)
{
	global(t, NNA_OPERATION_MEAN);
}

void onnx_translate_global_max_pool(struct onnx_translation *t)
{
	global(t, NNA_OPERATION_REDUCE_MAX);
}

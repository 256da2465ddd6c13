// SPDX-License-Identifier: MIT
/*
 * DILATE and STABLEHLO_PAD put copies of one number between the elements of a tensor, and the
 * latter around them, too; less than no elements around it are taken away. NNAPI's PAD does not pad
 * between elements. Here one dimension follows the other: each element becomes a block of itself
 * and the numbers behind it.
 */
#include "frontend/tflite/compose.h"

#include "frontend/tflite/shapes.h"

/* @x, of three dimensions, with copies of the number @pad along dimension 1, on both sides. */
static struct tflite_value surrounded(struct tflite_translation *t, struct tflite_value x,
				      uint32_t before, uint32_t after, struct tflite_value pad)
{
	struct tflite_value y = x, blocks[2];
	const uint32_t sizes[2] = { before, after };

	if (!before && !after)
		return x;
	for (int i = 0; i < 2; i++) {
		uint32_t dims[3] = { x.o.dims[0], sizes[i], x.o.dims[2] };

		blocks[i] = sizes[i] ? tflite_broadcast(t, pad, 3, dims) : pad;
	}
	y.o.dims[1] += before + after;
	y.operand = tflite_add_operand(t, &y.o);
	if (before)
		tflite_push(t, blocks[0].operand);
	tflite_push(t, x.operand);
	if (after)
		tflite_push(t, blocks[1].operand);
	tflite_push_i32(t, 1);
	tflite_emit_to(t, NNA_OPERATION_CONCATENATION, y.operand);
	return y;
}

struct tflite_value tflite_spread(struct tflite_translation *t, struct tflite_value x,
				  uint32_t axis, const struct tflite_gap *gap,
				  struct tflite_value pad)
{
	const uint32_t between = (uint32_t)gap->between, count = gap->count;
	const uint32_t whole = x.o.dims[axis] * (between + 1);
	/* The numbers behind the last element count as one side. */
	const int64_t after = (int64_t)gap->after - between;
	const uint32_t first = gap->before < 0 ? (uint32_t)-gap->before : 0;
	const uint32_t last = after < 0 ? (uint32_t)-after : 0;
	struct tflite_value y = tflite_folded(t, x, axis);
	const uint32_t outer = y.o.dims[0], inner = y.o.dims[2];

	x.o.dims[axis] = count;
	if ((uint64_t)first + last >= whole) {
		y = tflite_broadcast(t, pad, 3, (uint32_t[]){ outer, count, inner });
		return tflite_reshaped(t, y, x.o.desc.rank, x.o.dims);
	}
	if (between) {
		y = tflite_reshaped(t, y, 3,
				    (uint32_t[]){ whole / (between + 1) * outer, 1, inner });
		y = surrounded(t, y, 0, between, pad);
		y = tflite_reshaped(t, y, 3, (uint32_t[]){ outer, whole, inner });
	}
	if (first || last)
		y = tflite_part(t, y, 1, first, whole - first - last);
	y = surrounded(t, y, gap->before > 0 ? (uint32_t)gap->before : 0,
		       after > 0 ? (uint32_t)after : 0, pad);
	return tflite_reshaped(t, y, x.o.desc.rank, x.o.dims);
}

static void spread_all(struct tflite_translation *t, const int32_t *factors, uint32_t pad_index)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *pad = tflite_input(t, pad_index);
	struct tflite_gap gaps[TFLITE_MAX_RANK];
	const struct tflite_span_error *wrong;
	struct tflite_value v, number;
	uint64_t elements = 1;

	tflite_need_least_rank(t, x, 1);
	tflite_need_elements(t, pad, 1, "a number to pad with");
	tflite_need_type(t, pad, pad->type == x->type, "the type of input 0");
	wrong = t->ret ? NULL : tflite_find_gaps(&t->op->options, x, factors, gaps);
	if (wrong)
		tflite_unsupported(t, x, "paddings with %s", "%s", wrong->wrong, wrong->expected);
	if (!t->ret && !x->elements)
		tflite_unsupported(t, x, "nothing to pad", "an element or more");
	for (uint32_t k = 0; k < x->rank && !t->ret; k++)
		elements *= gaps[k].count;
	tflite_need_elements(t, tflite_output(t, 0), elements, "the padded input");
	if (t->ret)
		return;
	v = tflite_value(t, 0);
	number = tflite_reshaped(t, tflite_value(t, pad_index), 3, (uint32_t[]){ 1, 1, 1 });
	for (uint32_t k = 0; k < x->rank && !t->ret; k++)
		if (gaps[k].before || gaps[k].after || gaps[k].between)
			v = tflite_spread(t, v, k, &gaps[k], number);
	tflite_result(t, v, 0);
}

void tflite_translate_dilate(struct tflite_translation *t, uint32_t type)
{
	int32_t factors[TFLITE_MAX_RANK] = { 0 };

	tflite_need(t, 3, 1);
	if (tflite_exact_ints(t, 1, factors, tflite_input(t, 0)->rank, "the dimensions of input 0"))
		spread_all(t, factors, 2);
}

void tflite_translate_hlo_pad(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	tflite_need_options(t);
	spread_all(t, NULL, 1);
}

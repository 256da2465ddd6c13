// SPDX-License-Identifier: MIT
/*
 * STABLEHLO_REDUCE_WINDOW, into which converters put poolings that dilate: the elements of a
 * window, and an initial value, become one by the operation of a subgraph. REDUCE_WINDOW names the
 * operation, and does not pad. NNAPI's poolings do not dilate. Here the windows of one dimension
 * after the other are reduced: element @i of all windows is a strided slice.
 */
#include "frontend/tflite/compose.h"

#include <math.h>

#include "frontend/tflite/shapes.h"

/* Limit of slices of one operator. */
#define MAX_SLICES 1024

/* The operation of the subgraph that reduces two elements. */
static uint32_t body_operation(struct tflite_translation *t)
{
	const struct tflite_model *m = t->model;
	uint32_t which = (uint32_t)t->op->options.subgraph_a;
	const struct tflite_subgraph *body = NULL;

	if (which < m->subgraph_count)
		body = &m->subgraphs[which];
	if (!body || body->operator_count != 1 || body->inputs.count != 2 ||
	    body->operators[0].inputs.count != 2) {
		tflite_unsupported(t, NULL, "subgraph %u does not have two inputs and one operator",
				   "a number of one that has", which);
		return NNA_OPERATION_MAXIMUM;
	}
	switch (body->operators[0].code) {
	case TFLITE_ADD:
		return NNA_OPERATION_ADD;
	case TFLITE_MUL:
		return NNA_OPERATION_MUL;
	case TFLITE_MAXIMUM:
		return NNA_OPERATION_MAXIMUM;
	case TFLITE_MINIMUM:
		return NNA_OPERATION_MINIMUM;
	case TFLITE_LOGICAL_AND:
		return NNA_OPERATION_LOGICAL_AND;
	case TFLITE_LOGICAL_OR:
		return NNA_OPERATION_LOGICAL_OR;
	default:
		tflite_unsupported(t, NULL, "subgraph %u has operator %u",
				   "ADD, MUL, MAXIMUM, MINIMUM, LOGICAL_AND and LOGICAL_OR",
				   which, body->operators[0].code);
		return NNA_OPERATION_MAXIMUM;
	}
}

/* Whether the initial value is the least or largest one, which changes no extreme value. */
static bool is_neutral(const struct tflite_tensor *first, uint32_t operation)
{
	float value = first->type == TFLITE_FLOAT32 && first->data ? *(const float *)first->data :
								      0;

	return (operation == NNA_OPERATION_MAXIMUM && value == -INFINITY) ||
	       (operation == NNA_OPERATION_MINIMUM && value == INFINITY);
}

/* Element @i of all windows along dimension @axis. */
static struct tflite_value element(struct tflite_translation *t, struct tflite_value x,
				   uint32_t axis, const struct tflite_window *w, uint32_t i)
{
	int32_t begin[TFLITE_MAX_RANK + 1] = { 0 }, end[TFLITE_MAX_RANK + 1];
	int32_t step[TFLITE_MAX_RANK + 1];
	struct tflite_value y = x;

	for (uint32_t k = 0; k < x.o.desc.rank; k++) {
		end[k] = (int32_t)x.o.dims[k];
		step[k] = 1;
	}
	begin[axis] = (int32_t)(i * w->dilation);
	end[axis] = begin[axis] + (int32_t)((w->count - 1) * w->stride + 1);
	step[axis] = (int32_t)w->stride;
	y.o.dims[axis] = w->count;
	y.operand = tflite_add_operand(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push_list(t, begin, x.o.desc.rank);
	tflite_push_list(t, end, x.o.desc.rank);
	tflite_push_list(t, step, x.o.desc.rank);
	tflite_push_i32(t, 0);
	tflite_push_i32(t, 0);
	tflite_push_i32(t, 0);
	tflite_emit_to(t, NNA_OPERATION_STRIDED_SLICE, y.operand);
	return y;
}

/* Stored numbers of 8 and 16 bits as INT32. */
static struct tflite_value comparable(struct tflite_translation *t, struct tflite_value x)
{
	return tflite_is_quantised(tflite_input(t, 0)->type) ?
	       tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32) : x;
}

/* Input 0 with a border of the initial value. */
static struct tflite_value bordered(struct tflite_translation *t,
				    const struct tflite_window *windows)
{
	struct tflite_value x = tflite_value(t, 0), y = x;
	int32_t pads[2 * TFLITE_MAX_RANK];
	bool any = false;

	for (uint32_t k = 0; k < tflite_input(t, 0)->rank; k++) {
		pads[2 * k] = (int32_t)windows[k].before;
		pads[2 * k + 1] = (int32_t)windows[k].after;
		any |= windows[k].before || windows[k].after;
		y.o.dims[k] += windows[k].before + windows[k].after;
	}
	if (!any)
		return x;
	y.operand = tflite_add_operand(t, &y.o);
	tflite_push(t, x.operand);
	tflite_push_pads(t, pads, y.o.desc.rank);
	tflite_push_value(t, 1);
	tflite_emit_to(t, NNA_OPERATION_PAD_V2, y.operand);
	return y;
}

/* An error if they are @wrong, have too many elements, or if the output has another size. */
static void check_windows(struct tflite_translation *t, const struct tflite_span_error *wrong,
			  const struct tflite_window *windows)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	uint64_t elements = 1, slices = 0;

	if (wrong)
		tflite_unsupported(t, x, "windows with %s", "%s", wrong->wrong, wrong->expected);

	for (uint32_t k = 0; k < x->rank && !t->ret; k++) {
		elements *= windows[k].count;
		slices += windows[k].size;
	}
	if (slices > MAX_SLICES)
		tflite_unsupported(t, x, "windows of %llu elements along all dimensions", "%u",
				   (unsigned long long)slices, MAX_SLICES);
	if (!t->ret && !elements)
		tflite_unsupported(t, x, "no window", "1 or more");
	tflite_need_elements(t, tflite_output(t, 0), elements, "the windows");
}

/* The windows of @v, each of which becomes one element by @operation. */
static struct tflite_value reduced(struct tflite_translation *t, struct tflite_value v,
				   const struct tflite_window *windows, uint32_t operation)
{
	const uint32_t rank = tflite_input(t, 0)->rank;
	struct tflite_value sum = { 0 };

	for (uint32_t k = 0; k < rank && !t->ret; k++) {
		if (windows[k].size == 1 && windows[k].stride == 1)
			continue;
		for (uint32_t i = 0; i < windows[k].size && !t->ret; i++) {
			struct tflite_value part = element(t, v, k, &windows[k], i);

			sum = i ? tflite_binary(t, operation, sum, part) : part;
		}
		v = sum;
	}
	return v;
}

void tflite_translate_reduce_window(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *first = tflite_input(t, 1);
	struct tflite_window windows[TFLITE_MAX_RANK];
	const struct tflite_span_error *wrong;
	struct tflite_value v;

	tflite_need(t, 2, 1);
	tflite_need_options(t);
	type = body_operation(t);
	tflite_need_constant(t, first);
	tflite_need_elements(t, first, 1, "an initial value");
	tflite_need_type(t, first, first->type == x->type, "the type of input 0");
	wrong = t->ret ? NULL : tflite_find_windows(&t->op->options, x, windows);
	check_windows(t, wrong, windows);
	if (t->ret)
		return;
	v = reduced(t, comparable(t, bordered(t, windows)), windows, type);
	if (!is_neutral(first, type))
		v = tflite_binary(t, type, v, comparable(t, tflite_value(t, 1)));
	tflite_sums_result(t, v);
}

/* ------------------------------------------------------------------------------- REDUCE_WINDOW */

static uint32_t named_operation(struct tflite_translation *t)
{
	switch (t->op->options.reduction) {
	case TFLITE_WINDOW_ADD:
		return NNA_OPERATION_ADD;
	case TFLITE_WINDOW_MUL:
		return NNA_OPERATION_MUL;
	case TFLITE_WINDOW_MINIMUM:
		return NNA_OPERATION_MINIMUM;
	case TFLITE_WINDOW_MAXIMUM:
		return NNA_OPERATION_MAXIMUM;
	case TFLITE_WINDOW_ALL:
		return NNA_OPERATION_LOGICAL_AND;
	case TFLITE_WINDOW_ANY:
		return NNA_OPERATION_LOGICAL_OR;
	default:
		tflite_unsupported(t, NULL, "function %d", "1 to 6", t->op->options.reduction);
		return NNA_OPERATION_MAXIMUM;
	}
}

/* Inputs 2 to 4 as windows. Return: what is wrong with them, or NULL. */
static const struct tflite_span_error *read_windows(struct tflite_translation *t,
						    struct tflite_window *windows)
{
	const struct tflite_tensor *x = tflite_input(t, 0);
	int32_t lists[3][TFLITE_MAX_RANK];
	int64_t longs[3][TFLITE_MAX_RANK] = { 0 };

	for (uint32_t i = 0; i < 3; i++) {
		if (!tflite_exact_ints(t, i + 2, lists[i], x->rank, "the dimensions of input 0"))
			return NULL;
		for (uint32_t k = 0; k < x->rank; k++)
			longs[i][k] = lists[i][k];
	}
	return tflite_find_plain_windows(x, longs[0], longs[1], longs[2], windows);
}

/* Input @index in the type in which @operation computes. */
static struct tflite_value operand_of(struct tflite_translation *t, uint32_t index,
				      uint32_t operation)
{
	struct tflite_value v = comparable(t, tflite_value(t, index)), zero;

	if (operation != NNA_OPERATION_LOGICAL_AND && operation != NNA_OPERATION_LOGICAL_OR)
		return v;
	/* As in C: what is not 0 is true. */
	zero = v.o.desc.type == NNA_OPERAND_TENSOR_FLOAT32 ? tflite_float(t, 0) :
	       v.o.desc.type == NNA_OPERAND_TENSOR_INT64 ?
	       tflite_long_tensor(t, 1, (uint32_t[]){ 1 }, (int64_t[]){ 0 }) : tflite_int(t, 0);
	return tflite_binary(t, NNA_OPERATION_NOT_EQUAL, v, zero);
}

void tflite_translate_plain_window(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *first = tflite_input(t, 1);
	const uint32_t kind = x->type;
	struct tflite_window windows[TFLITE_MAX_RANK] = { 0 };
	struct tflite_value v;

	tflite_need(t, 5, 1);
	tflite_need_options(t);
	type = named_operation(t);
	tflite_need_least_rank(t, x, 1);
	tflite_need_type(t, x, kind == TFLITE_FLOAT32 || kind == TFLITE_INT32 ||
			       kind == TFLITE_INT64 || tflite_is_quantised(kind),
			 "FLOAT32, INT8, UINT8, INT16, INT32 and INT64");
	tflite_need_elements(t, first, 1, "an initial value");
	tflite_need_type(t, first, first->type == x->type, "the type of input 0");
	check_windows(t, read_windows(t, windows), windows);
	if (t->ret)
		return;
	v = reduced(t, operand_of(t, 0, type), windows, type);
	if (!is_neutral(first, type))
		v = tflite_binary(t, type, v, operand_of(t, 1, type));
	if (v.o.desc.type == NNA_OPERAND_TENSOR_BOOL8)
		v = tflite_cast(t, v, kind == TFLITE_FLOAT32 ? NNA_OPERAND_TENSOR_FLOAT32 :
				      kind == TFLITE_INT64 ? NNA_OPERAND_TENSOR_INT64 :
							     NNA_OPERAND_TENSOR_INT32);
	tflite_sums_result(t, v);
}

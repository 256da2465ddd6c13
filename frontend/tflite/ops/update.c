// SPDX-License-Identifier: MIT
/*
 * DYNAMIC_UPDATE_SLICE: the update replaces a box of the input. The box is moved so that it lies
 * within the input, as in TFLite. The start may be known at run time only, such as the position in
 * the cache of a decoder: it is compared with the positions along each dimension, and a SELECT
 * broadcasts the update. So all steps of a decoder run one program.
 */
#include "frontend/tflite/rescale.h"

/* The start within 0 and the last one that leaves room for the update: INT32 [rank]. */
static struct tflite_value clamped_start(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *update = tflite_input(t, 1),
				   *start = tflite_input(t, 2);
	const bool wide = start->type == TFLITE_INT64;
	struct tflite_value v = tflite_value(t, 2), low, high;
	int32_t limits[TFLITE_MAX_RANK];
	int64_t wide_limits[TFLITE_MAX_RANK];

	for (uint32_t k = 0; k < x->rank; k++)
		wide_limits[k] = limits[k] = (int32_t)(x->dims[k] - update->dims[k]);
	low = wide ? tflite_long(t, 0) : tflite_int(t, 0);
	high = wide ? tflite_long_tensor(t, 1, &x->rank, wide_limits) :
		      tflite_int_tensor(t, 1, &x->rank, limits);
	v = tflite_binary(t, NNA_OPERATION_MAXIMUM, v, low);
	v = tflite_binary(t, NNA_OPERATION_MINIMUM, v, high);
	return tflite_cast(t, v, NNA_OPERAND_TENSOR_INT32);
}

/* An update with elements. */
static void update_box(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *update = tflite_input(t, 1);
	struct tflite_value start = clamped_start(t), base = tflite_value(t, 0),
			    patch = tflite_value(t, 1), mask = { .operand = TFLITE_NO_OPERAND };

	for (uint32_t k = 0; k < x->rank && !t->ret; k++) {
		struct tflite_value at, inside, here;

		if (update->dims[k] == x->dims[k])
			continue;
		at = tflite_positions(t, x->dims[k]);
		here = tflite_part(t, start, 0, k, 1);
		if (update->dims[k] == 1) {
			inside = tflite_binary(t, NNA_OPERATION_EQUAL, at, here);
		} else {
			/* The element of the update at each position, or the nearest one. */
			at = tflite_binary(t, NNA_OPERATION_SUB, at, here);
			here = tflite_binary(t, NNA_OPERATION_MAXIMUM, at, tflite_int(t, 0));
			here = tflite_binary(t, NNA_OPERATION_MINIMUM, here,
					     tflite_int(t, (int32_t)update->dims[k] - 1));
			patch = tflite_gathered(t, patch, k, here);
			inside = tflite_binary(t, NNA_OPERATION_EQUAL, at, here);
		}
		inside = tflite_along(t, inside, k, x->rank);
		mask = mask.operand == TFLITE_NO_OPERAND ? inside :
		       tflite_binary(t, NNA_OPERATION_LOGICAL_AND, mask, inside);
	}
	if (t->ret)
		return;
	tflite_result(t, mask.operand == TFLITE_NO_OPERAND ? patch :
		      tflite_select(t, mask, patch, base), 0);
}

void tflite_translate_dynamic_update_slice(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *update = tflite_input(t, 1),
				   *start = tflite_input(t, 2);

	tflite_need(t, 3, 1);
	tflite_need_rank(t, update, x->rank);
	tflite_need_least_rank(t, x, 1);
	for (uint32_t k = 0; k < x->rank && !t->ret; k++)
		if (update->dims[k] > x->dims[k])
			tflite_refuse(t, update, "%u elements of dimension %u",
				      "%u or fewer, those of input 0", update->dims[k], k,
				      x->dims[k]);
	if (t->ret)
		return;
	if (!update->elements) {
		tflite_result(t, tflite_value(t, 0), 0);
		return;
	}
	tflite_need_type(t, start, start->type == TFLITE_INT32 || start->type == TFLITE_INT64,
			 "INT32 or INT64");
	tflite_need_elements(t, start, x->rank, "the dimensions of input 0");
	if (!t->ret)
		update_box(t);
}

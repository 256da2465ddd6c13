// SPDX-License-Identifier: MIT
/*
 * SVDF: a filter bank over time. NNAPI's operation takes floats. Two other forms are built here:
 *
 *	hybrid	FLOAT32 with INT8 feature weights: the rows of the input are quantised
 *	INT8	with INT16 time weights and state, as TFLite's integer kernel computes it
 *
 * The state [batch, filters, memory] holds the last features of each filter. A step drops the
 * oldest ones, appends the new ones, and sums the state times the time weights over memory and
 * rank.
 */
#include "frontend/tflite/rescale.h"

#include <stdlib.h>

/**
 * struct bank - sizes of a layer
 * @units: filters / rank
 */
struct bank {
	uint32_t batch, inputs, filters, memory, units, rank;
};

static bool read_bank(struct tflite_translation *t, struct bank *b)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *features = tflite_input(t, 1);
	const struct tflite_tensor *times = tflite_input(t, 2), *state = tflite_input(t, 4);
	int32_t rank = t->op->options.rank;

	tflite_need_rank(t, x, 2);
	tflite_need_rank(t, features, 2);
	tflite_need_rank(t, times, 2);
	tflite_need_rank(t, state, 2);
	tflite_need_constant(t, features);
	tflite_need_constant(t, times);
	if (t->ret)
		return false;
	*b = (struct bank){ .batch = x->dims[0], .inputs = x->dims[1], .filters = features->dims[0],
			    .memory = times->dims[1] };
	if (rank < 1 || !b->filters || b->filters % (uint32_t)rank) {
		tflite_refuse(t, NULL, "rank %d", "a divisor of the %u filters", rank, b->filters);
		return false;
	}
	b->rank = (uint32_t)rank;
	b->units = b->filters / b->rank;
	tflite_need_elements(t, features, (uint64_t)b->filters * b->inputs, "filters times inputs");
	tflite_need_elements(t, times, (uint64_t)b->filters * b->memory, "filters times memory");
	tflite_need_elements(t, state, (uint64_t)b->batch * b->filters * b->memory,
			     "batch times filters times memory");
	tflite_need_elements(t, tflite_output(t, 0), (uint64_t)b->batch * b->units,
			     "batch times units");
	if (!b->batch || !b->memory || !b->inputs)
		tflite_unsupported(t, state, "no elements", "1 or more of batch, input and memory");
	return !t->ret;
}

/* The state without the oldest features and with @fresh ones, [batch, filters]. */
static struct tflite_value shifted(struct tflite_translation *t, const struct bank *b,
				   struct tflite_value state, struct tflite_value fresh)
{
	struct tflite_value y, rest;

	fresh = tflite_reshaped(t, fresh, 3, (uint32_t[]){ b->batch, b->filters, 1 });
	if (b->memory == 1)
		return fresh;
	y = tflite_reshaped(t, state, 3, (uint32_t[]){ b->batch, b->filters, b->memory });
	rest = tflite_part(t, y, 2, 1, b->memory - 1);
	y.operand = tflite_add_operand(t, &y.o);
	tflite_push(t, rest.operand);
	tflite_push(t, fresh.operand);
	tflite_push_i32(t, 2);
	tflite_emit_to(t, NNA_OPERATION_CONCATENATION, y.operand);
	return y;
}

/* Sums of the state times the time weights, [batch, units]. */
static struct tflite_value summed(struct tflite_translation *t, const struct bank *b,
				  struct tflite_value state, struct tflite_value times)
{
	struct tflite_value y = tflite_binary(t, NNA_OPERATION_MUL, state, times);

	y = tflite_reshaped(t, y, 3, (uint32_t[]){ b->batch, b->units, b->rank * b->memory });
	y = tflite_reduced(t, NNA_OPERATION_REDUCE_SUM, y, 2);
	return tflite_reshaped(t, y, 2, (uint32_t[]){ b->batch, b->units });
}

/*
 * Time weights of a hybrid layer. LiteRT reads them as INT8, whatever their type: floats, which
 * have no scale, count as 0.
 */
static struct tflite_value hybrid_times(struct tflite_translation *t)
{
	const struct tflite_tensor *times = tflite_input(t, 2);
	struct tflite_value v = { 0 };

	if (times->type == TFLITE_INT8)
		return tflite_real(t, 2);
	tflite_need_type(t, times, times->type == TFLITE_FLOAT32, "INT8 or FLOAT32");
	tflite_describe(t, times, &v.o);
	v.operand = tflite_add_constant(t, &v.o, NULL, times->size);
	return v;
}

static void hybrid(struct tflite_translation *t)
{
	struct tflite_value x, scale = { 0 }, state, bias;
	struct bank b;

	tflite_need_scales(t, tflite_input(t, 1), 1);
	if (!read_bank(t, &b))
		return;
	x = tflite_hybrid_input(t, b.batch, t->op->options.asymmetric, &scale, NULL);
	x = tflite_hybrid_product(t, x, scale, tflite_hybrid_weights(t, 1), 1);
	state = shifted(t, &b, tflite_value(t, 4), x);
	x = summed(t, &b, state, hybrid_times(t));
	state = tflite_reshaped(t, state, 2, (uint32_t[]){ b.batch, b.filters * b.memory });
	tflite_keep_state(t, 4, state);
	bias = tflite_has_input(t, 3) ? tflite_value(t, 3) : tflite_float(t, 0);
	tflite_push(t, x.operand);
	tflite_push(t, bias.operand);
	tflite_push_i32(t, tflite_fused(t));
	tflite_finish(t, NNA_OPERATION_ADD);
}

/* The whole numbers of a constant of INT8 or INT16 as INT32. */
static struct tflite_value whole_constant(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *w = tflite_input(t, index);
	struct tflite_value v = { 0 };
	int32_t *values;

	tflite_make_room(t, w->elements);
	values = t->ret ? NULL : malloc(w->elements * sizeof(*values));
	if (!values) {
		tflite_no_memory(t);
		return v;
	}
	for (uint64_t i = 0; i < w->elements; i++)
		values[i] = w->type == TFLITE_INT8 ? ((const int8_t *)w->data)[i]
						   : ((const int16_t *)w->data)[i];
	v = tflite_int_tensor(t, w->rank, w->dims, values);
	free(values);
	return v;
}

/* @x, INT32, times @factor by TFLite's rule of 32 bits, as INT64. */
static struct tflite_value scaled(struct tflite_translation *t, struct tflite_value x, float factor)
{
	const struct tflite_factor f = tflite_factor_of((double)factor);

	return tflite_rescaled(t, tflite_cast(t, x, NNA_OPERAND_TENSOR_INT64), &f, 1,
			       TFLITE_RULE_32);
}

static void need_integer_types(struct tflite_translation *t)
{
	const struct tflite_tensor *features = tflite_input(t, 1), *times = tflite_input(t, 2);
	const struct tflite_tensor *state = tflite_input(t, 4), *y = tflite_output(t, 0);

	tflite_need_type(t, features, features->type == TFLITE_INT8, "INT8 beside an INT8 input");
	tflite_need_type(t, times, times->type == TFLITE_INT16, "INT16 beside an INT8 input");
	tflite_need_type(t, state, state->type == TFLITE_INT16, "INT16 beside an INT8 input");
	tflite_need_type(t, y, y->type == TFLITE_INT8, "INT8 beside an INT8 input");
	for (uint32_t i = 0; i < 5 && !t->ret; i++)
		if (i != 3)
			tflite_need_scales(t, tflite_input(t, i), 1);
}

/* Sums in INT32 wrap. The activation is the least number of the output, whatever the file says. */
static void integers(struct tflite_translation *t)
{
	const struct tflite_operator *op = t->op;
	struct tflite_operator plain = *op;
	const struct tflite_tensor *x = tflite_input(t, 0), *y = tflite_output(t, 0);
	float in = tflite_scale(x), features = tflite_scale(tflite_input(t, 1)),
	      times = tflite_scale(tflite_input(t, 2)), held = tflite_scale(tflite_input(t, 4));
	struct tflite_value v, state, sum;
	struct bank b;

	need_integer_types(t);
	if (!read_bank(t, &b))
		return;
	v = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32);
	v = tflite_binary(t, NNA_OPERATION_SUB, v, tflite_int(t, tflite_zero_point(x)));
	state = v;
	state.o.dims[1] = b.filters;
	sum = whole_constant(t, 1);
	tflite_push(t, v.operand);
	tflite_push(t, sum.operand);
	tflite_push_bool(t, false);
	tflite_push_bool(t, true);
	sum = tflite_like(t, &state, NNA_OPERAND_TENSOR_INT32);
	tflite_emit_to(t, NNA_OPERATION_BATCH_MATMUL, sum.operand);
	v = scaled(t, sum, in * features / held);
	v = tflite_binary(t, NNA_OPERATION_MAXIMUM, v, tflite_long(t, INT16_MIN));
	v = tflite_binary(t, NNA_OPERATION_MINIMUM, v, tflite_long(t, INT16_MAX));
	v = tflite_cast(t, v, NNA_OPERAND_TENSOR_INT32);
	state = tflite_cast(t, tflite_value(t, 4), NNA_OPERAND_TENSOR_INT32);
	state = shifted(t, &b, state, v);
	sum = summed(t, &b, state, whole_constant(t, 2));
	if (tflite_input(t, 4)->variable) {
		state = tflite_reshaped(t, state, 2, (uint32_t[]){ b.batch, b.filters * b.memory });
		tflite_push(t, state.operand);
		tflite_emit_to(t, NNA_OPERATION_CAST, tflite_input_operand(t, 4));
	}
	if (tflite_has_input(t, 3))
		sum = tflite_binary(t, NNA_OPERATION_ADD, sum, tflite_value(t, 3));
	plain.options.activation = TFLITE_ACT_NONE;
	t->op = &plain;
	tflite_store(t, scaled(t, sum, held * times / tflite_scale(y)));
	t->op = op;
}

void tflite_translate_svdf(struct tflite_translation *t, uint32_t type)
{
	uint32_t out[2];

	tflite_need(t, 5, 1);
	tflite_need_options(t);
	if (t->ret)
		return;
	if (tflite_is_hybrid(t)) {
		hybrid(t);
		return;
	}
	if (tflite_input(t, 0)->type == TFLITE_INT8) {
		integers(t);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_input(t, 1);
	tflite_push_input(t, 2);
	tflite_push_input_or_omit(t, 3, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push_input(t, 4);
	tflite_push_i32(t, t->op->options.rank);
	tflite_push_i32(t, tflite_fused(t));
	if (t->ret)
		return;
	out[0] = tflite_next_state(t, 4);
	out[1] = tflite_output_operand(t, 0);
	tflite_emit(t, type, out, 2);
}

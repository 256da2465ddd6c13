// SPDX-License-Identifier: MIT
/* Softmax and normalisations. */
#include "frontend/onnx/translation.h"

#include <math.h>
#include <string.h>

#define ADD NNA_OPERATION_ADD
#define SUB NNA_OPERATION_SUB
#define MUL NNA_OPERATION_MUL

static void softmax(struct onnx_translation *t, uint32_t type)
{
	const enum onnx_order order = onnx_order_of(t, 0);
	const uint32_t rank = onnx_tensor(t, 0)->rank;
	struct onnx_operand x;
	uint32_t axis;

	onnx_need_float(t, 0);
	axis = onnx_axis(t, onnx_attribute_int(t, "axis", -1), rank);
	x = onnx_in_order(t, 0, order);
	onnx_push(t, x.number);
	onnx_push_f32(t, 1);
	onnx_push_i32(t, (int32_t)onnx_place(rank < 3 ? ONNX_PLAIN : order, rank, axis));
	onnx_set(t, 0, onnx_emit(t, type, onnx_like(&x, x.type)), order);
}

void onnx_translate_softmax(struct onnx_translation *t)
{
	softmax(t, NNA_OPERATION_SOFTMAX);
}

void onnx_translate_log_softmax(struct onnx_translation *t)
{
	softmax(t, NNA_OPERATION_LOG_SOFTMAX);
}

/* A constant that has an element for each channel of @x, in either order. */
static struct onnx_operand per_channel(struct onnx_translation *t, const struct onnx_operand *x,
				       enum onnx_order order, const float *values, uint32_t count)
{
	struct onnx_tensor numbers = { .type = x->type == NNA_OPERAND_TENSOR_FLOAT16 ?
					       ONNX_FLOAT16 : ONNX_FLOAT, .rank = 1,
				       .dims = { count } };
	struct onnx_operand out = { .number = ONNX_ABSENT, .type = x->type, .rank = x->rank };

	if (!onnx_make_tensor(t, &numbers))
		return out;
	for (uint32_t i = 0; i < count; i++)
		onnx_put_real(&numbers, i, (double)values[i]);
	for (uint32_t k = 0; k < x->rank; k++)
		out.dims[k] = k == onnx_place(order, x->rank, 1) ? count : 1;
	return onnx_add_constant(t, out, numbers.data, numbers.size, false);
}

/* Floats of a constant input with an element for each channel. */
static float *channels(struct onnx_translation *t, uint32_t input, uint32_t count)
{
	const struct onnx_tensor *x = onnx_constant(t, input);
	float *to = onnx_make(t, (uint64_t)count * sizeof(*to));

	if (!t->ret && onnx_elements(x) != count)
		onnx_wrong(t, "input %u has not %u elements", input, count);
	for (uint32_t i = 0; i < count && !t->ret; i++)
		to[i] = (float)onnx_real_at(x, i);
	return to;
}

/* With constants it is a product and a sum. */
void onnx_translate_batch_normalization(struct onnx_translation *t)
{
	const enum onnx_order from = onnx_order_of(t, 0);
	const uint32_t rank = onnx_tensor(t, 0)->rank;
	const enum onnx_order order = rank < 3 ? ONNX_PLAIN : from;
	const float epsilon = onnx_attribute_float(t, "epsilon", 1e-5f);
	float *scale, *bias, *mean, *variance;
	struct onnx_operand x;
	uint32_t n;

	onnx_need_float(t, 0);
	onnx_need_rank(t, 0, 2, ONNX_MAX_RANK);
	if (onnx_attribute_int(t, "training_mode", 0) || onnx_output(t, 1) != ONNX_ABSENT)
		onnx_unsupported(t, "training");
	x = onnx_in_order(t, 0, order);
	if (t->ret)
		return;
	n = x.dims[onnx_place(order, rank, 1)];
	scale = channels(t, 1, n);
	bias = channels(t, 2, n);
	mean = channels(t, 3, n);
	variance = channels(t, 4, n);
	for (uint32_t i = 0; i < n && !t->ret; i++) {
		scale[i] /= sqrtf(variance[i] + epsilon);
		bias[i] -= mean[i] * scale[i];
	}
	if (t->ret)
		return;
	x = onnx_binary(t, MUL, x, per_channel(t, &x, order, scale, n));
	onnx_set(t, 0, onnx_binary(t, ADD, x, per_channel(t, &x, order, bias, n)), order);
}

/* (x - mean) / sqrt(variance + epsilon), over the dimensions of @axes. */
static struct onnx_operand normalised(struct onnx_translation *t, struct onnx_operand x,
				      uint32_t axes, float epsilon)
{
	struct onnx_operand variance;

	x = onnx_binary(t, SUB, x, onnx_reduce(t, NNA_OPERATION_MEAN, x, axes, true));
	variance = onnx_reduce(t, NNA_OPERATION_MEAN, onnx_binary(t, MUL, x, x), axes, true);
	variance = onnx_binary(t, ADD, variance, onnx_number(t, &x, (double)epsilon));
	return onnx_binary(t, MUL, x, onnx_unary(t, NNA_OPERATION_RSQRT, variance));
}

void onnx_translate_instance_normalization(struct onnx_translation *t)
{
	const enum onnx_order order = onnx_order_of(t, 0);
	struct onnx_operand x;
	float *scale, *bias;
	uint32_t axes = 0, n;

	onnx_need_float(t, 0);
	onnx_need_rank(t, 0, 3, ONNX_MAX_RANK);
	x = onnx_in_order(t, 0, order);
	if (t->ret)
		return;
	for (uint32_t k = 2; k < x.rank; k++)
		axes |= 1u << onnx_place(order, x.rank, k);
	n = x.dims[onnx_place(order, x.rank, 1)];
	scale = channels(t, 1, n);
	bias = channels(t, 2, n);
	x = normalised(t, x, axes, onnx_attribute_float(t, "epsilon", 1e-5f));
	if (t->ret)
		return;
	x = onnx_binary(t, MUL, x, per_channel(t, &x, order, scale, n));
	onnx_set(t, 0, onnx_binary(t, ADD, x, per_channel(t, &x, order, bias, n)), order);
}

/* With a stash_type of FLOAT, numbers of FLOAT16 are computed as FLOAT until the scale. */
void onnx_translate_layer_normalization(struct onnx_translation *t)
{
	struct onnx_operand x = onnx_plain(t, 0);
	const uint32_t axis = onnx_axis(t, onnx_attribute_int(t, "axis", -1), x.rank);
	const uint32_t type = x.type;
	uint32_t axes = 0;

	onnx_need_float(t, 0);
	if (onnx_output(t, 1) != ONNX_ABSENT || onnx_output(t, 2) != ONNX_ABSENT)
		onnx_unsupported(t, "the outputs of mean and variance");
	for (uint32_t k = axis; k < x.rank; k++)
		axes |= 1u << k;
	if (onnx_attribute_int(t, "stash_type", 1) == 1)
		x = onnx_cast(t, x, NNA_OPERAND_TENSOR_FLOAT32);
	x = normalised(t, x, axes, onnx_attribute_float(t, "epsilon", 1e-5f));
	x = onnx_binary(t, MUL, onnx_cast(t, x, type), onnx_plain(t, 1));
	if (onnx_has(t, 2))
		x = onnx_binary(t, ADD, x, onnx_plain(t, 2));
	onnx_set(t, 0, x, ONNX_PLAIN);
}

/* ONNX divides alpha by the size. */
void onnx_translate_lrn(struct onnx_translation *t)
{
	const int64_t size = onnx_attribute_int(t, "size", 1);
	const enum onnx_order order = onnx_order_of(t, 0);
	struct onnx_operand x;

	onnx_need_float(t, 0);
	onnx_need_rank(t, 0, 4, 4);
	x = onnx_in_order(t, 0, order);
	if (!t->ret && (size < 1 || size > 1 << 20 || !(size & 1)))
		onnx_unsupported(t, "a size of %lld; supported: odd ones", (long long)size);
	onnx_push(t, x.number);
	onnx_push_i32(t, (int32_t)(size / 2));
	onnx_push_f32(t, onnx_attribute_float(t, "bias", 1));
	onnx_push_f32(t, onnx_attribute_float(t, "alpha", 0.0001f) / (float)size);
	onnx_push_f32(t, onnx_attribute_float(t, "beta", 0.75f));
	onnx_push_i32(t, (int32_t)onnx_place(order, 4, 1));
	onnx_set(t, 0, onnx_emit(t, NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION,
				 onnx_like(&x, x.type)), order);
}

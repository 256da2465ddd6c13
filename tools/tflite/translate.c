// SPDX-License-Identifier: MIT
#include "tools/tflite/translate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps that a quantised recurrent layer is unrolled into, at most. */
#define MAX_STEPS 1024
#define NO_OPERAND UINT32_MAX

/**
 * struct translation - one run of tflite_translate()
 * @operands: of the current subgraph, by tensor; NO_OPERAND until needed
 * @graphs: numbers of subgraphs in the sink, by subgraph of the model; NO_OPERAND when unused
 * @ret: the first error; everything after it does nothing
 * @in: inputs of the operation that is being built
 */
struct translation {
	struct tflite_model *model;
	const struct tflite_sink *ops;
	void *sink;
	struct tflite_origin *origin;
	uint32_t origin_room;
	char *error;
	int ret;

	uint32_t *graphs;
	const struct tflite_subgraph *sub;
	uint32_t graph;
	uint32_t *operands;

	const struct tflite_operator *op;
	uint32_t op_index;
	uint32_t *in;
	uint32_t in_count, in_room;
};

/* A shape and a type that can be changed before it becomes an operand. */
struct operand {
	struct nna_operand_desc desc;
	uint32_t dims[TFLITE_MAX_RANK + 1];
};

static __attribute__((format(printf, 3, 4))) void fail(struct translation *t, int ret,
							const char *format, ...)
{
	char text[TFLITE_ERROR_SIZE], custom[48];
	const char *name;
	va_list ap;

	if (t->ret)
		return;
	t->ret = ret;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (!t->op) {
		snprintf(t->error, TFLITE_ERROR_SIZE, "%s", text);
		return;
	}
	name = tflite_code_name(t->op->code);
	if (t->op->code == TFLITE_CUSTOM)
		name = tflite_printable(t->op->custom, custom, sizeof(custom));
	snprintf(t->error, TFLITE_ERROR_SIZE, "operator %u (%s): %.180s", t->op_index,
		 name ? name : "unknown", text);
}

static void check(struct translation *t, int ret, const char *what)
{
	if (ret < 0)
		fail(t, ret, "%s refused: %s", what, strerror(-ret));
}

/* ------------------------------------------------------------------------------------- operands */

static bool is_float(uint32_t type)
{
	return type == TFLITE_FLOAT32 || type == TFLITE_FLOAT16;
}

static bool is_quant8(uint32_t type)
{
	return type == TFLITE_UINT8 || type == TFLITE_INT8;
}

static float scale_of(const struct tflite_tensor *x)
{
	return x->scale_count ? x->scales[0] : 1.0f;
}

static int32_t zero_point_of(const struct tflite_tensor *x)
{
	return x->zero_point_count ? (int32_t)x->zero_points[0] : 0;
}

/* What a tensor is in NNAPI's terms; the name of its type decides most of it. */
static void describe(struct translation *t, const struct tflite_tensor *x, struct operand *o)
{
	uint32_t i;

	memset(o, 0, sizeof(*o));
	o->desc.dims = o->dims;
	o->desc.rank = x->rank ? x->rank : 1;
	o->dims[0] = 1;
	for (i = 0; i < x->rank; i++)
		o->dims[i] = x->dims[i];
	switch (x->type) {
	case TFLITE_FLOAT32:
		o->desc.type = NNA_OPERAND_TENSOR_FLOAT32;
		return;
	case TFLITE_FLOAT16:
		o->desc.type = NNA_OPERAND_TENSOR_FLOAT16;
		return;
	case TFLITE_INT32:
		o->desc.type = NNA_OPERAND_TENSOR_INT32;
		return;
	case TFLITE_INT64:
		o->desc.type = NNA_OPERAND_TENSOR_INT64;
		return;
	case TFLITE_BOOL:
		o->desc.type = NNA_OPERAND_TENSOR_BOOL8;
		return;
	case TFLITE_UINT8:
		o->desc.type = NNA_OPERAND_TENSOR_QUANT8_ASYMM;
		break;
	case TFLITE_INT16:
		o->desc.type = NNA_OPERAND_TENSOR_QUANT16_SYMM;
		break;
	case TFLITE_INT8:
		o->desc.type = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
		break;
	default:
		fail(t, -ENOTSUP, "tensors of type %s are not supported",
		     tflite_type_name(x->type));
		return;
	}
	if (x->scale_count > 1) {
		if (x->type != TFLITE_INT8) {
			fail(t, -ENOTSUP, "scales per channel are for INT8 only");
			return;
		}
		for (i = 0; i < x->zero_point_count; i++)
			if (x->zero_points[i])
				fail(t, -ENOTSUP, "zero points per channel are not supported");
		o->desc.type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL;
		o->desc.channel_dim = x->channel_dim;
		o->desc.channel_count = x->scale_count;
		o->desc.channel_scales = x->scales;
		return;
	}
	o->desc.scale = scale_of(x);
	o->desc.zero_point = zero_point_of(x);
	if (x->type == TFLITE_INT16 && o->desc.zero_point)
		fail(t, -ENOTSUP, "INT16 with a zero point is not supported");
}

static uint32_t add_operand(struct translation *t, const struct operand *o)
{
	struct nna_operand_desc desc = o->desc;
	int ret;

	if (t->ret)
		return NO_OPERAND;
	desc.dims = o->dims;
	ret = t->ops->add_operand(t->sink, t->graph, &desc);
	check(t, ret, "an operand was");
	return ret < 0 ? NO_OPERAND : (uint32_t)ret;
}

static void set_constant(struct translation *t, uint32_t operand, const void *data, size_t size)
{
	if (!t->ret)
		check(t, t->ops->set_constant(t->sink, t->graph, operand, data, size),
		      "a constant was");
}

/* The operand of a tensor, made when it is first needed. */
static uint32_t operand_of(struct translation *t, uint32_t tensor)
{
	const struct tflite_tensor *x = &t->sub->tensors[tensor];
	struct operand o;

	if (t->ret || t->operands[tensor] != NO_OPERAND)
		return t->operands[tensor];
	describe(t, x, &o);
	t->operands[tensor] = add_operand(t, &o);
	if (x->data)
		set_constant(t, t->operands[tensor], x->data, x->size);
	else if (x->variable && !t->ret)
		check(t, t->ops->set_variable(t->sink, t->graph, t->operands[tensor]),
		      "a variable was");
	return t->operands[tensor];
}

/* A constant that the translation makes: the bytes live with the model. */
static uint32_t add_constant(struct translation *t, const struct operand *o, const void *data,
			     size_t size)
{
	uint32_t operand = add_operand(t, o);
	void *copy;

	if (t->ret)
		return NO_OPERAND;
	copy = tflite_derive(t->model, size);
	if (!copy) {
		fail(t, -ENOMEM, "out of memory");
		return NO_OPERAND;
	}
	if (data)
		memcpy(copy, data, size);
	set_constant(t, operand, copy, size);
	return operand;
}

/* ----------------------------------------------------------------------- inputs of an operation */

static void push(struct translation *t, uint32_t operand)
{
	if (t->ret)
		return;
	if (t->in_count == t->in_room) {
		uint32_t room = t->in_room ? 2 * t->in_room : 32;
		uint32_t *in = realloc(t->in, room * sizeof(*in));

		if (!in) {
			fail(t, -ENOMEM, "out of memory");
			return;
		}
		t->in = in;
		t->in_room = room;
	}
	t->in[t->in_count++] = operand;
}

/* Input or output @index of the operator; a dummy after an error. */
static const struct tflite_tensor *input(struct translation *t, uint32_t index)
{
	static const struct tflite_tensor nothing = { .name = "" };

	if (index >= t->op->inputs.count || t->op->inputs.at[index] < 0) {
		fail(t, -EINVAL, "input %u is missing", index);
		return &nothing;
	}
	return &t->sub->tensors[t->op->inputs.at[index]];
}

static const struct tflite_tensor *output(struct translation *t, uint32_t index)
{
	static const struct tflite_tensor nothing = { .name = "" };

	if (index >= t->op->outputs.count) {
		fail(t, -EINVAL, "output %u is missing", index);
		return &nothing;
	}
	return &t->sub->tensors[t->op->outputs.at[index]];
}

static bool has_input(const struct translation *t, uint32_t index)
{
	return index < t->op->inputs.count && t->op->inputs.at[index] >= 0;
}

static void push_input(struct translation *t, uint32_t index)
{
	input(t, index);
	if (!t->ret)
		push(t, operand_of(t, (uint32_t)t->op->inputs.at[index]));
}

static void push_scalar(struct translation *t, uint32_t type, const void *value, size_t size)
{
	struct operand o = { .desc.type = type };

	push(t, add_constant(t, &o, value, size));
}

static void push_i32(struct translation *t, int32_t value)
{
	push_scalar(t, NNA_OPERAND_INT32, &value, sizeof(value));
}

static void push_bool(struct translation *t, bool value)
{
	uint8_t byte = value;

	push_scalar(t, NNA_OPERAND_BOOL, &byte, sizeof(byte));
}

/* A float parameter has the precision of the operation's tensors. */
static void push_f32(struct translation *t, float value)
{
	push_scalar(t, NNA_OPERAND_FLOAT32, &value, sizeof(value));
}

static void push_list(struct translation *t, const int32_t *values, uint32_t count)
{
	struct operand o = { .desc = { .type = NNA_OPERAND_TENSOR_INT32, .rank = 1 },
			     .dims = { count } };

	push(t, add_constant(t, &o, values, count * sizeof(*values)));
}

static void push_omitted(struct translation *t, uint32_t type)
{
	struct operand o = { .desc = { .type = type, .rank = 1 }, .dims = { 0 } };
	uint32_t operand;

	if (type == NNA_OPERAND_TENSOR_QUANT8_SYMM || type == NNA_OPERAND_TENSOR_QUANT16_SYMM)
		o.desc.scale = 1.0f;
	operand = add_operand(t, &o);
	if (!t->ret)
		check(t, t->ops->set_no_value(t->sink, t->graph, operand),
		      "an omitted operand was");
	push(t, operand);
}

static void push_input_or_omit(struct translation *t, uint32_t index, uint32_t type)
{
	if (has_input(t, index))
		push_input(t, index);
	else
		push_omitted(t, type);
}

/*
 * Values of a constant INT32 or INT64 tensor. Return: their number, at most @room; 0 after an
 * error.
 */
static uint32_t constant_ints(struct translation *t, uint32_t index, int32_t *to, uint32_t room)
{
	const struct tflite_tensor *x = input(t, index);
	uint32_t i, count = (uint32_t)x->elements;

	if (t->ret)
		return 0;
	if (!x->data || (x->type != TFLITE_INT32 && x->type != TFLITE_INT64)) {
		fail(t, -ENOTSUP, "input %u must be a constant of integers", index);
		return 0;
	}
	if (count > room) {
		fail(t, -EINVAL, "input %u has %u values, at most %u make sense", index, count,
		     room);
		return 0;
	}
	for (i = 0; i < count; i++) {
		int64_t v = x->type == TFLITE_INT64 ? ((const int64_t *)x->data)[i] :
						      ((const int32_t *)x->data)[i];

		if (v < INT32_MIN || v > INT32_MAX)
			v = v < 0 ? INT32_MIN : INT32_MAX;
		to[i] = (int32_t)v;
	}
	return count;
}

static int32_t constant_int(struct translation *t, uint32_t index)
{
	int32_t value = 0;

	if (constant_ints(t, index, &value, 1) != 1)
		fail(t, -EINVAL, "input %u must be one number", index);
	return value;
}

/* A tensor of integers that NNAPI wants as INT32. */
static void push_int_tensor(struct translation *t, uint32_t index)
{
	const struct tflite_tensor *x = input(t, index);
	int32_t values[2 * TFLITE_MAX_RANK];
	struct operand o;
	uint32_t count;

	if (x->type != TFLITE_INT64 || !x->data) {
		push_input(t, index);
		return;
	}
	count = constant_ints(t, index, values, 2 * TFLITE_MAX_RANK);
	describe(t, x, &o);
	o.desc.type = NNA_OPERAND_TENSOR_INT32;
	push(t, add_constant(t, &o, values, count * sizeof(*values)));
}

/* --------------------------------------------------------------------------------------- output */

static void note_origin(struct translation *t)
{
	struct tflite_origin *o = t->origin;

	if (!o || t->graph || t->ret)
		return;
	if (o->count == t->origin_room) {
		uint32_t room = t->origin_room ? 2 * t->origin_room : 128;
		uint32_t *operators = realloc(o->operators, room * sizeof(*operators));

		if (!operators) {
			fail(t, -ENOMEM, "out of memory");
			return;
		}
		o->operators = operators;
		t->origin_room = room;
	}
	o->operators[o->count++] = t->op_index;
}

/* Ends the operation whose inputs have been pushed. */
static void emit(struct translation *t, uint32_t type, const uint32_t *out, uint32_t out_count)
{
	if (!t->ret)
		check(t, t->ops->add_operation(t->sink, t->graph, type, t->in_count, t->in,
					       out_count, out), nna_operation_name(type));
	note_origin(t);
	t->in_count = 0;
}

static void emit_to(struct translation *t, uint32_t type, uint32_t operand)
{
	emit(t, type, &operand, 1);
}

static uint32_t output_operand(struct translation *t, uint32_t index)
{
	const struct tflite_tensor *x = output(t, index);

	if (t->ret)
		return NO_OPERAND;
	if (x->data) {
		fail(t, -EINVAL, "output %u is a constant", index);
		return NO_OPERAND;
	}
	return operand_of(t, (uint32_t)t->op->outputs.at[index]);
}

/* The whole operator is one operation with the operator's outputs. */
static void emit_outputs(struct translation *t, uint32_t type)
{
	uint32_t count = t->op->outputs.count, i;
	uint32_t *out;

	if (count == 1) {
		emit_to(t, type, output_operand(t, 0));
		return;
	}
	out = calloc(count ? count : 1, sizeof(*out));
	if (!out) {
		fail(t, -ENOMEM, "out of memory");
		return;
	}
	for (i = 0; i < count; i++)
		out[i] = output_operand(t, i);
	emit(t, type, out, count);
	free(out);
}

/* The fused activation as NNAPI's code; NONE for one that finish() makes an operation of. */
static int32_t fused(const struct translation *t)
{
	int8_t a = t->op->options.activation;

	return a >= TFLITE_ACT_NONE && a <= TFLITE_ACT_RELU6 ? a : 0;
}

/* Ends an operation with one output, and adds an activation that could not be fused. */
static void finish(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *y = output(t, 0);
	struct operand o;
	uint32_t before;

	if (t->op->options.activation == fused(t)) {
		emit_to(t, type, output_operand(t, 0));
		return;
	}
	if (t->op->options.activation != TFLITE_ACT_TANH || !is_float(y->type)) {
		fail(t, -ENOTSUP, "fused activation %d is not supported",
		     t->op->options.activation);
		return;
	}
	describe(t, y, &o);
	before = add_operand(t, &o);
	emit_to(t, type, before);
	push(t, before);
	emit_to(t, NNA_OPERATION_TANH, output_operand(t, 0));
}

/* An output whose shape differs from what the operation gives (@o): a RESHAPE behind it. */
static void finish_reshaped(struct translation *t, uint32_t type, const struct operand *o)
{
	const struct tflite_tensor *y = output(t, 0);
	int32_t dims[TFLITE_MAX_RANK];
	uint32_t i, before;

	before = add_operand(t, o);
	emit_to(t, type, before);
	push(t, before);
	for (i = 0; i < y->rank; i++)
		dims[i] = (int32_t)y->dims[i];
	dims[0] = y->rank ? dims[0] : 1;
	push_list(t, dims, y->rank ? y->rank : 1);
	emit_to(t, NNA_OPERATION_RESHAPE, output_operand(t, 0));
}

/* ------------------------------------------------------------------------------------ operators */

static void need(struct translation *t, uint32_t inputs, uint32_t outputs)
{
	if (t->op->inputs.count < inputs)
		fail(t, -EINVAL, "%u inputs, %u are needed", t->op->inputs.count, inputs);
	if (t->op->outputs.count != outputs)
		fail(t, -EINVAL, "%u outputs, %u are needed", t->op->outputs.count, outputs);
}

static void need_rank(struct translation *t, const struct tflite_tensor *x, uint32_t rank)
{
	if (x->rank != rank)
		fail(t, -EINVAL, "a tensor has %u dimensions, %u are needed", x->rank, rank);
}

static void need_options(struct translation *t)
{
	if (!t->op->options.type)
		fail(t, -EINVAL, "its options are missing");
}

/* Inputs as they are, no parameters. */
static void plain(struct translation *t, uint32_t type, uint32_t inputs)
{
	uint32_t i;

	need(t, inputs, 1);
	for (i = 0; i < inputs; i++)
		push_input(t, i);
	emit_outputs(t, type);
}

static void unary(struct translation *t, uint32_t type)
{
	plain(t, type, 1);
}

static void binary(struct translation *t, uint32_t type)
{
	plain(t, type, 2);
}

static void ternary(struct translation *t, uint32_t type)
{
	plain(t, type, 3);
}

static void arithmetic(struct translation *t, uint32_t type)
{
	need(t, 2, 1);
	push_input(t, 0);
	push_input(t, 1);
	push_i32(t, fused(t));
	finish(t, type);
}

/* Quantised weights of a float layer are widened first. */
static void push_weights(struct translation *t, uint32_t index, const struct tflite_tensor *x)
{
	const struct tflite_tensor *w = input(t, index);
	uint32_t *saved, count, wide;
	struct operand o;

	if (t->ret || !is_float(x->type) || !is_quant8(w->type)) {
		push_input(t, index);
		return;
	}
	describe(t, w, &o);
	o.desc = (struct nna_operand_desc){
		.type = x->type == TFLITE_FLOAT16 ? NNA_OPERAND_TENSOR_FLOAT16 :
						    NNA_OPERAND_TENSOR_FLOAT32,
		.rank = w->rank,
	};
	wide = add_operand(t, &o);
	/* The operation under construction waits. */
	saved = t->in;
	count = t->in_count;
	t->in = NULL;
	t->in_count = 0;
	t->in_room = 0;
	push_input(t, index);
	emit_to(t, NNA_OPERATION_DEQUANTIZE, wide);
	free(t->in);
	t->in = saved;
	t->in_count = count;
	t->in_room = count; /* what the list can hold is not less */
	push(t, wide);
}

/* NNAPI wants a bias, and on quantised layers with the scale of the accumulator. */
static void push_bias(struct translation *t, uint32_t index, const struct tflite_tensor *x,
		      const struct tflite_tensor *w, uint32_t units)
{
	const struct tflite_tensor *b = has_input(t, index) ? input(t, index) : NULL;
	struct operand o = { .desc.rank = 1, .dims = { units } };
	uint32_t size = 4;

	if (t->ret)
		return;
	if (is_float(x->type)) {
		if (b) {
			push_input(t, index);
			return;
		}
		o.desc.type = x->type == TFLITE_FLOAT16 ? NNA_OPERAND_TENSOR_FLOAT16
							: NNA_OPERAND_TENSOR_FLOAT32;
		size = tflite_type_size(x->type);
	} else {
		o.desc.type = NNA_OPERAND_TENSOR_INT32;
		o.desc.scale = w->scale_count > 1 ? 0 : scale_of(x) * scale_of(w);
		if (b && b->type != TFLITE_INT32)
			fail(t, -ENOTSUP, "a bias of type %s is not supported",
			     tflite_type_name(b->type));
		if (b && !b->data)
			fail(t, -ENOTSUP, "a bias that is not constant is not supported");
		if (b && b->elements != units)
			fail(t, -EINVAL, "the bias has %u values, %u are needed",
			     (uint32_t)b->elements, units);
	}
	if (t->ret)
		return;
	if (b) {
		uint32_t operand = add_operand(t, &o);

		set_constant(t, operand, b->data, b->size);
		push(t, operand);
		return;
	}
	if (units > UINT32_MAX / 4) {
		fail(t, -EINVAL, "%u output channels", units);
		return;
	}
	push(t, add_constant(t, &o, NULL, (size_t)units * size));
}

/* NNAPI numbers the padding schemes from 1. */
static void push_window(struct translation *t, const struct tflite_options *o)
{
	if (o->padding != TFLITE_SAME && o->padding != TFLITE_VALID)
		fail(t, -EINVAL, "padding scheme %d", o->padding);
	if (o->stride_w < 1 || o->stride_h < 1)
		fail(t, -EINVAL, "strides %d, %d", o->stride_w, o->stride_h);
	push_i32(t, o->padding + 1);
	push_i32(t, o->stride_w);
	push_i32(t, o->stride_h);
}

static void convolution(struct translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;
	const struct tflite_tensor *x, *w;
	bool depthwise = type == NNA_OPERATION_DEPTHWISE_CONV_2D;
	uint32_t units;

	need(t, 2, 1);
	need_options(t);
	x = input(t, 0);
	w = input(t, 1);
	need_rank(t, x, 4);
	need_rank(t, w, 4);
	if (t->ret)
		return;
	units = w->dims[depthwise ? 3 : 0];
	push_input(t, 0);
	push_weights(t, 1, x);
	push_bias(t, 2, x, w, units);
	push_window(t, o);
	if (depthwise) {
		if (!x->dims[3] || units % x->dims[3])
			fail(t, -EINVAL, "%u output channels of %u input channels", units,
			     x->dims[3]);
		else
			push_i32(t, (int32_t)(units / x->dims[3]));
	} else if (!w->dims[3] || x->dims[3] % w->dims[3]) {
		fail(t, -EINVAL, "a filter over %u of %u channels", w->dims[3], x->dims[3]);
	} else if (w->dims[3] != x->dims[3]) {
		/* Groups: GROUPED_CONV_2D counts them, and has no dilation. */
		if (o->dilation_w != 1 || o->dilation_h != 1)
			fail(t, -ENOTSUP, "groups with dilation are not supported");
		push_i32(t, (int32_t)(x->dims[3] / w->dims[3]));
		push_i32(t, fused(t));
		push_bool(t, false);
		finish(t, NNA_OPERATION_GROUPED_CONV_2D);
		return;
	}
	push_i32(t, fused(t));
	push_bool(t, false);
	push_i32(t, o->dilation_w);
	push_i32(t, o->dilation_h);
	finish(t, type);
}

static void transpose_convolution(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *w;
	int32_t shape[4];

	need(t, 3, 1);
	need_options(t);
	w = input(t, 1);
	x = input(t, 2);
	need_rank(t, x, 4);
	need_rank(t, w, 4);
	if (constant_ints(t, 0, shape, 4) != 4)
		fail(t, -EINVAL, "the output's shape must have 4 numbers");
	if (t->ret)
		return;
	push_input(t, 2);
	push_weights(t, 1, x);
	push_bias(t, 3, x, w, w->dims[0]);
	push_list(t, shape, 4);
	push_window(t, &t->op->options);
	push_i32(t, fused(t));
	push_bool(t, false);
	finish(t, type);
}

static void pool(struct translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;

	need(t, 1, 1);
	need_options(t);
	push_input(t, 0);
	push_window(t, o);
	push_i32(t, o->filter_w);
	push_i32(t, o->filter_h);
	push_i32(t, fused(t));
	finish(t, type);
}

static void fully_connected(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *w, *y;
	struct operand o;

	need(t, 2, 1);
	x = input(t, 0);
	w = input(t, 1);
	y = output(t, 0);
	need_rank(t, w, 2);
	if (t->op->options.weights_format)
		fail(t, -ENOTSUP, "shuffled weights are not supported");
	if (t->ret)
		return;
	push_input(t, 0);
	push_weights(t, 1, x);
	push_bias(t, 2, x, w, w->dims[0]);
	push_i32(t, fused(t));
	if (y->rank == 2) {
		finish(t, type);
		return;
	}
	if (t->op->options.activation != fused(t) || !w->dims[0]) {
		fail(t, -ENOTSUP, "fused activation %d is not supported",
		     t->op->options.activation);
		return;
	}
	describe(t, y, &o);
	o.desc.rank = 2;
	o.dims[0] = (uint32_t)(y->elements / w->dims[0]);
	o.dims[1] = w->dims[0];
	finish_reshaped(t, type, &o);
}

static int32_t axis_of(struct translation *t, int32_t axis, uint32_t rank)
{
	if (axis < -(int32_t)rank || axis >= (int32_t)rank) {
		fail(t, -EINVAL, "axis %d of %u dimensions", axis, rank);
		return 0;
	}
	return axis < 0 ? axis + (int32_t)rank : axis;
}

static void concatenation(struct translation *t, uint32_t type)
{
	uint32_t i;

	need(t, 1, 1);
	need_options(t);
	for (i = 0; i < t->op->inputs.count; i++)
		push_input(t, i);
	push_i32(t, axis_of(t, t->op->options.axis, output(t, 0)->rank));
	finish(t, type);
}

static void pack(struct translation *t, uint32_t type)
{
	bool scalars;
	uint32_t i;

	need(t, 1, 1);
	need_options(t);
	scalars = !input(t, 0)->rank;
	if (!scalars)
		push_i32(t, axis_of(t, t->op->options.axis, output(t, 0)->rank));
	for (i = 0; i < t->op->inputs.count; i++)
		push_input(t, i);
	/* Scalars are tensors of one element here: joining them is what packing them would be. */
	if (scalars)
		push_i32(t, 0);
	emit_outputs(t, scalars ? NNA_OPERATION_CONCATENATION : type);
}

static void unpack(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x = input(t, 0);

	need(t, 1, t->op->outputs.count);
	need_options(t);
	push_input(t, 0);
	push_i32(t, axis_of(t, t->op->options.axis, x->rank));
	emit_outputs(t, type);
}

static void split(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x;

	need(t, 2, t->op->outputs.count);
	x = input(t, 1);
	push_input(t, 1);
	push_i32(t, axis_of(t, constant_int(t, 0), x->rank));
	push_i32(t, (int32_t)t->op->outputs.count);
	emit_outputs(t, type);
}

/* Pieces of different sizes: one SLICE each. */
static void split_v(struct translation *t, uint32_t type)
{
	int32_t begin[TFLITE_MAX_RANK] = { 0 }, size[TFLITE_MAX_RANK];
	const struct tflite_tensor *x;
	uint32_t i, k;
	int32_t axis;

	need(t, 3, t->op->outputs.count);
	x = input(t, 0);
	axis = axis_of(t, constant_int(t, 2), x->rank);
	for (i = 0; i < t->op->outputs.count && !t->ret; i++) {
		const struct tflite_tensor *y = output(t, i);

		need_rank(t, y, x->rank);
		for (k = 0; k < x->rank; k++)
			size[k] = (int32_t)y->dims[k];
		push_input(t, 0);
		push_list(t, begin, x->rank);
		push_list(t, size, x->rank);
		emit_to(t, type, output_operand(t, i));
		if (__builtin_add_overflow(begin[axis], size[axis], &begin[axis]))
			fail(t, -EINVAL, "the pieces are too large");
	}
}

/* All that only changes the shape: the file states the result. */
static void reshape(struct translation *t, uint32_t type)
{
	int32_t dims[TFLITE_MAX_RANK] = { 1 };
	const struct tflite_tensor *x, *y;
	uint32_t i;

	need(t, 1, 1);
	x = input(t, 0);
	y = output(t, 0);
	if (t->ret)
		return;
	if (x->elements != y->elements)
		fail(t, -EINVAL, "the shapes have %llu and %llu elements",
		     (unsigned long long)x->elements, (unsigned long long)y->elements);
	for (i = 0; i < y->rank; i++)
		dims[i] = (int32_t)y->dims[i];
	push_input(t, 0);
	push_list(t, dims, y->rank ? y->rank : 1);
	emit_outputs(t, type);
}

static bool is_result(const struct translation *t, int32_t tensor)
{
	for (uint32_t i = 0; i < t->sub->outputs.count; i++)
		if (t->sub->outputs.at[i] == tensor)
			return true;
	return false;
}

/* A constant in place of an output. */
static void define(struct translation *t, uint32_t index, const void *data, size_t size)
{
	const struct tflite_tensor *y = output(t, index);
	int32_t dims[TFLITE_MAX_RANK];
	struct operand o;
	uint32_t value;

	if (t->ret)
		return;
	if (t->operands[t->op->outputs.at[index]] != NO_OPERAND || y->data) {
		fail(t, -EINVAL, "output %u is used before it is made", index);
		return;
	}
	describe(t, y, &o);
	value = add_constant(t, &o, data, size);
	if (!is_result(t, t->op->outputs.at[index])) {
		t->operands[t->op->outputs.at[index]] = value;
		return;
	}
	for (uint32_t i = 0; i < o.desc.rank; i++)
		dims[i] = (int32_t)o.dims[i];
	push(t, value);
	push_list(t, dims, o.desc.rank);
	emit_to(t, NNA_OPERATION_RESHAPE, output_operand(t, index));
}

static void shape(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *y;
	int32_t narrow[TFLITE_MAX_RANK];
	int64_t wide[TFLITE_MAX_RANK];
	uint32_t i;

	need(t, 1, 1);
	x = input(t, 0);
	y = output(t, 0);
	for (i = 0; i < x->rank; i++) {
		narrow[i] = (int32_t)x->dims[i];
		wide[i] = x->dims[i];
	}
	if (y->elements != x->rank || (y->type != TFLITE_INT32 && y->type != TFLITE_INT64))
		fail(t, -EINVAL, "the output does not fit a shape of %u dimensions", x->rank);
	if (y->type == TFLITE_INT64)
		define(t, 0, wide, x->rank * sizeof(*wide));
	else
		define(t, 0, narrow, x->rank * sizeof(*narrow));
}

static float half_to_float(uint16_t half)
{
	uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31,
		 fraction = half & 1023;
	uint32_t bits;
	float value;

	if (exponent == 31) {
		bits = sign | 0x7f800000 | fraction << 13;
	} else if (exponent) {
		bits = sign | (exponent + 112) << 23 | fraction << 13;
	} else {
		value = (float)fraction * 0x1p-24f;
		return sign ? -value : value;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void dequantize(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x = input(t, 0), *y = output(t, 0);
	struct operand o;
	const uint16_t *halves;
	float *wide;
	uint64_t i;

	need(t, 1, 1);
	if (t->ret)
		return;
	if (x->type != TFLITE_FLOAT16) {
		unary(t, type);
		return;
	}
	if (!x->data) {
		unary(t, NNA_OPERATION_CAST);
		return;
	}
	/* Weights that are stored small: NNAPI has no operation for it, and it is exact. */
	if (y->type != TFLITE_FLOAT32 || x->elements != y->elements || y->data ||
	    t->operands[t->op->outputs.at[0]] != NO_OPERAND) {
		fail(t, -EINVAL, "input and output do not fit each other");
		return;
	}
	wide = tflite_derive(t->model, x->elements * sizeof(*wide));
	if (!wide) {
		fail(t, -ENOMEM, "out of memory");
		return;
	}
	halves = x->data;
	for (i = 0; i < x->elements; i++)
		wide[i] = half_to_float(halves[i]);
	describe(t, y, &o);
	t->operands[t->op->outputs.at[0]] = add_operand(t, &o);
	set_constant(t, t->operands[t->op->outputs.at[0]], wide, x->elements * sizeof(*wide));
}

/* Where QUANTIZE takes floats only, a change of quantisation goes through them. */
static void quantize(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x = input(t, 0);
	struct operand o;
	uint32_t wide;

	need(t, 1, 1);
	if (t->ret || is_float(x->type) || (t->ops->requantizes && is_quant8(x->type))) {
		unary(t, type);
		return;
	}
	describe(t, x, &o);
	o.desc = (struct nna_operand_desc){ .type = NNA_OPERAND_TENSOR_FLOAT32,
					    .rank = o.desc.rank };
	wide = add_operand(t, &o);
	push_input(t, 0);
	emit_to(t, NNA_OPERATION_DEQUANTIZE, wide);
	push(t, wide);
	emit_to(t, type, output_operand(t, 0));
}

static void softmax(struct translation *t, uint32_t type)
{
	need(t, 1, 1);
	need_options(t);
	push_input(t, 0);
	push_f32(t, t->op->options.beta);
	emit_outputs(t, type);
}

static void log_softmax(struct translation *t, uint32_t type)
{
	need(t, 1, 1);
	push_input(t, 0);
	push_f32(t, 1.0f);
	push_i32(t, -1);
	emit_outputs(t, type);
}

static void l2_normalization(struct translation *t, uint32_t type)
{
	need(t, 1, 1);
	push_input(t, 0);
	push_i32(t, -1);
	finish(t, type);
}

static void local_response_normalization(struct translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;

	need(t, 1, 1);
	need_options(t);
	push_input(t, 0);
	push_i32(t, o->radius);
	push_f32(t, o->bias);
	push_f32(t, o->alpha);
	push_f32(t, o->beta);
	emit_outputs(t, type);
}

static void elu(struct translation *t, uint32_t type)
{
	need(t, 1, 1);
	push_input(t, 0);
	push_f32(t, 1.0f);
	emit_outputs(t, type);
}

static void leaky_relu(struct translation *t, uint32_t type)
{
	need(t, 1, 1);
	need_options(t);
	push_input(t, 0);
	push_f32(t, t->op->options.alpha);
	emit_outputs(t, type);
}

static void resize(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *y;

	need(t, 1, 1);
	y = output(t, 0);
	need_rank(t, y, 4);
	push_input(t, 0);
	push_i32(t, (int32_t)y->dims[2]);
	push_i32(t, (int32_t)y->dims[1]);
	push_bool(t, false);
	push_bool(t, t->op->options.align_corners);
	push_bool(t, t->op->options.half_pixel_centers);
	emit_outputs(t, type);
}

static void block(struct translation *t, uint32_t type)
{
	need(t, 1, 1);
	need_options(t);
	push_input(t, 0);
	push_i32(t, t->op->options.block_size);
	emit_outputs(t, type);
}

static void batch_to_space(struct translation *t, uint32_t type)
{
	int32_t blocks[2], crops[4], begin[4] = { 0 }, size[4];
	const struct tflite_tensor *x, *y;
	struct operand o;
	uint32_t i;

	need(t, 3, 1);
	x = input(t, 0);
	y = output(t, 0);
	need_rank(t, x, 4);
	need_rank(t, y, 4);
	if (constant_ints(t, 1, blocks, 2) != 2 || constant_ints(t, 2, crops, 4) != 4)
		fail(t, -EINVAL, "block sizes and crops must have 2 and 4 numbers");
	if (t->ret)
		return;
	push_input(t, 0);
	push_list(t, blocks, 2);
	if (!crops[0] && !crops[1] && !crops[2] && !crops[3]) {
		emit_outputs(t, type);
		return;
	}
	/* NNAPI does not crop. */
	describe(t, y, &o);
	for (i = 0; i < 4; i++) {
		size[i] = (int32_t)y->dims[i];
		if (i != 1 && i != 2)
			continue;
		begin[i] = crops[2 * (i - 1)];
		if (blocks[i - 1] < 1 || crops[2 * i - 2] < 0 || crops[2 * i - 1] < 0 ||
		    __builtin_mul_overflow(x->dims[i], (uint32_t)blocks[i - 1], &o.dims[i]))
			fail(t, -EINVAL, "block sizes or crops make no sense");
	}
	i = add_operand(t, &o);
	emit_to(t, type, i);
	push(t, i);
	push_list(t, begin, 4);
	push_list(t, size, 4);
	emit_to(t, NNA_OPERATION_SLICE, output_operand(t, 0));
}

static void space_to_batch(struct translation *t, uint32_t type)
{
	need(t, 3, 1);
	push_input(t, 0);
	push_int_tensor(t, 1);
	push_int_tensor(t, 2);
	emit_outputs(t, type);
}

/* One input, and tensors of integers behind it. */
static void with_ints(struct translation *t, uint32_t type, uint32_t lists)
{
	uint32_t i;

	need(t, 1 + lists, 1);
	push_input(t, 0);
	for (i = 0; i < lists; i++)
		push_int_tensor(t, 1 + i);
	emit_outputs(t, type);
}

static void with_list(struct translation *t, uint32_t type)
{
	with_ints(t, type, 1);
}

static void slice(struct translation *t, uint32_t type)
{
	with_ints(t, type, 2);
}

static void strided_slice(struct translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;

	need(t, 4, 1);
	if (o->ellipsis_mask || o->new_axis_mask || o->end_is_offset)
		fail(t, -ENOTSUP, "an ellipsis, new axes and relative ends are not supported");
	push_input(t, 0);
	push_int_tensor(t, 1);
	push_int_tensor(t, 2);
	push_int_tensor(t, 3);
	push_i32(t, o->begin_mask);
	push_i32(t, o->end_mask);
	push_i32(t, o->shrink_axis_mask);
	emit_outputs(t, type);
}

/* The one value of a constant tensor, as the scalar that belongs to its type. */
static void push_value(struct translation *t, uint32_t index)
{
	const struct tflite_tensor *x = input(t, index);

	if (t->ret)
		return;
	if (!x->data || x->elements != 1) {
		fail(t, -ENOTSUP, "input %u must be one constant value", index);
		return;
	}
	switch (x->type) {
	case TFLITE_FLOAT32:
		push_scalar(t, NNA_OPERAND_FLOAT32, x->data, 4);
		return;
	case TFLITE_FLOAT16:
		push_scalar(t, NNA_OPERAND_FLOAT16, x->data, 2);
		return;
	case TFLITE_INT32:
		push_scalar(t, NNA_OPERAND_INT32, x->data, 4);
		return;
	case TFLITE_UINT8:
		push_i32(t, *(const uint8_t *)x->data);
		return;
	case TFLITE_INT8:
		push_i32(t, *(const int8_t *)x->data);
		return;
	default:
		fail(t, -ENOTSUP, "a value of type %s is not supported",
		     tflite_type_name(x->type));
	}
}

static void pad_v2(struct translation *t, uint32_t type)
{
	need(t, 3, 1);
	push_input(t, 0);
	push_int_tensor(t, 1);
	push_value(t, 2);
	emit_outputs(t, type);
}

static void mirror_pad(struct translation *t, uint32_t type)
{
	need(t, 2, 1);
	push_input(t, 0);
	push_int_tensor(t, 1);
	push_i32(t, t->op->options.mirror_mode);
	emit_outputs(t, type);
}

static void fill(struct translation *t, uint32_t type)
{
	need(t, 2, 1);
	push_int_tensor(t, 0);
	push_value(t, 1);
	emit_outputs(t, type);
}

/* MEAN's keep_dims is a number, that of the other reductions a bool. */
static void reduce(struct translation *t, uint32_t type)
{
	need(t, 2, 1);
	push_input(t, 0);
	push_int_tensor(t, 1);
	if (type == NNA_OPERATION_MEAN)
		push_i32(t, t->op->options.keep_dims);
	else
		push_bool(t, t->op->options.keep_dims);
	emit_outputs(t, type);
}

static void arg(struct translation *t, uint32_t type)
{
	need(t, 2, 1);
	push_input(t, 0);
	push_i32(t, constant_int(t, 1));
	if (output(t, 0)->type == TFLITE_INT64) {
		if (type == NNA_OPERATION_ARGMIN)
			fail(t, -ENOTSUP, "an output of INT64 is not supported");
		type = NNA_OPERATION_ARGMAX_INT64;
	}
	emit_outputs(t, type);
}

static void gather(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *indices;
	struct operand o;
	int32_t axis;

	need(t, 2, 1);
	if (t->op->options.batch_dims)
		fail(t, -ENOTSUP, "batch dimensions are not supported");
	x = input(t, 0);
	indices = input(t, 1);
	axis = axis_of(t, t->op->options.axis, x->rank);
	push_input(t, 0);
	push_i32(t, axis);
	push_int_tensor(t, 1);
	if (indices->rank) {
		emit_outputs(t, type);
		return;
	}
	describe(t, x, &o);
	o.dims[axis] = 1;
	finish_reshaped(t, type, &o);
}

static void embedding_lookup(struct translation *t, uint32_t type)
{
	binary(t, type);
}

static void topk(struct translation *t, uint32_t type)
{
	need(t, 2, 2);
	push_input(t, 0);
	push_i32(t, constant_int(t, 1));
	emit_outputs(t, type);
}

static void batch_matmul(struct translation *t, uint32_t type)
{
	need(t, 2, 1);
	push_input(t, 0);
	push_input(t, 1);
	push_bool(t, t->op->options.adj_x);
	push_bool(t, t->op->options.adj_y);
	emit_outputs(t, type);
}

static void square(struct translation *t, uint32_t type)
{
	need(t, 1, 1);
	push_input(t, 0);
	push_input(t, 0);
	push_i32(t, 0);
	emit_outputs(t, type);
}

/* Another operand like the output. */
static uint32_t inner(struct translation *t)
{
	struct operand o;

	describe(t, output(t, 0), &o);
	return add_operand(t, &o);
}

/* An arithmetic operation of two operands into a third one. */
static void combine(struct translation *t, uint32_t type, uint32_t a, uint32_t b, uint32_t to)
{
	push(t, a);
	push(t, b);
	push_i32(t, 0);
	emit_to(t, type, to);
}

static uint32_t input_operand(struct translation *t, uint32_t index)
{
	input(t, index);
	return t->ret ? NO_OPERAND : operand_of(t, (uint32_t)t->op->inputs.at[index]);
}

static void squared_difference(struct translation *t, uint32_t type)
{
	uint32_t difference;

	need(t, 2, 1);
	if (is_quant8(output(t, 0)->type)) {
		plain(t, NNA_OPERATION_SQUARED_DIFFERENCE, 2);
		return;
	}
	difference = inner(t);
	combine(t, NNA_OPERATION_SUB, input_operand(t, 0), input_operand(t, 1), difference);
	combine(t, type, difference, difference, output_operand(t, 0));
}

/* a - floor(a / b) * b */
static void floor_mod(struct translation *t, uint32_t type)
{
	uint32_t quotient, product;

	need(t, 2, 1);
	quotient = inner(t);
	product = inner(t);
	push_input(t, 0);
	push_input(t, 1);
	emit_to(t, type, quotient);
	combine(t, NNA_OPERATION_MUL, quotient, input_operand(t, 1), product);
	combine(t, NNA_OPERATION_SUB, input_operand(t, 0), product, output_operand(t, 0));
}

/* -floor(-a) */
static void ceiling(struct translation *t, uint32_t type)
{
	uint32_t negative, below;

	need(t, 1, 1);
	negative = inner(t);
	below = inner(t);
	push_input(t, 0);
	emit_to(t, NNA_OPERATION_NEG, negative);
	push(t, negative);
	emit_to(t, type, below);
	push(t, below);
	emit_to(t, NNA_OPERATION_NEG, output_operand(t, 0));
}

static void add_n(struct translation *t, uint32_t type)
{
	uint32_t sum, i, count = t->op->inputs.count;

	need(t, 2, 1);
	sum = input_operand(t, 0);
	for (i = 1; i < count && !t->ret; i++) {
		uint32_t next = i + 1 < count ? inner(t) : output_operand(t, 0);

		combine(t, type, sum, input_operand(t, i), next);
		sum = next;
	}
}

static void zeros_like(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *y = output(t, 0);
	void *zeros;

	need(t, 1, 1);
	if (!tflite_type_size(y->type) || is_quant8(y->type))
		fail(t, -ENOTSUP, "type %s is not supported", tflite_type_name(y->type));
	if (t->ret)
		return;
	zeros = tflite_derive(t->model, y->elements * tflite_type_size(y->type));
	if (!zeros)
		fail(t, -ENOMEM, "out of memory");
	else
		define(t, 0, zeros, y->elements * tflite_type_size(y->type));
}

static void rank_of(struct translation *t, uint32_t type)
{
	int32_t rank;

	need(t, 1, 1);
	rank = (int32_t)input(t, 0)->rank;
	if (output(t, 0)->type != TFLITE_INT32 || output(t, 0)->elements != 1)
		fail(t, -EINVAL, "the output is not one INT32");
	define(t, 0, &rank, sizeof(rank));
}

/* Of constants only: else the size depends on data. */
static void range(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *y = output(t, 0);
	int32_t start, step, *values;

	need(t, 3, 1);
	start = constant_int(t, 0);
	step = constant_int(t, 2);
	if (y->type != TFLITE_INT32)
		fail(t, -ENOTSUP, "type %s is not supported", tflite_type_name(y->type));
	if (t->ret)
		return;
	values = tflite_derive(t->model, y->elements * sizeof(*values));
	if (!values) {
		fail(t, -ENOMEM, "out of memory");
		return;
	}
	for (uint64_t i = 0; i < y->elements; i++)
		values[i] = (int32_t)((uint32_t)start + (uint32_t)i * (uint32_t)step);
	define(t, 0, values, y->elements * sizeof(*values));
}

/* Dimensions in front, then as many copies as it takes. */
static void broadcast_to(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *x = input(t, 0), *y = output(t, 0);
	int32_t dims[TFLITE_MAX_RANK] = { 1 }, times[TFLITE_MAX_RANK] = { 1 };
	uint32_t more = y->rank - x->rank, i, wide;
	struct operand o;

	need(t, 2, 1);
	if (y->rank < x->rank || !y->rank)
		fail(t, -EINVAL, "%u dimensions do not become %u", x->rank, y->rank);
	for (i = 0; i < y->rank && !t->ret; i++) {
		dims[i] = i < more ? 1 : (int32_t)x->dims[i - more];
		times[i] = dims[i] ? (int32_t)y->dims[i] / dims[i] : 1;
		if ((uint32_t)(times[i] * dims[i]) != y->dims[i] || (times[i] != 1 && dims[i] != 1))
			fail(t, -EINVAL, "dimension %u does not broadcast", i);
	}
	if (t->ret)
		return;
	describe(t, x, &o);
	o.desc.rank = y->rank;
	for (i = 0; i < y->rank; i++)
		o.dims[i] = (uint32_t)dims[i];
	wide = add_operand(t, &o);
	push_input(t, 0);
	push_list(t, dims, y->rank);
	emit_to(t, NNA_OPERATION_RESHAPE, wide);
	push(t, wide);
	push_list(t, times, y->rank);
	emit_to(t, type, output_operand(t, 0));
}

/* ----------------------------------------------------------------------------------- recurrence */

static void push_act(struct translation *t)
{
	int8_t a = t->op->options.activation;

	/* Here NNAPI knows TANH (4) and SIGMOID (6) too. */
	if (a < 0 || a > TFLITE_ACT_TANH)
		fail(t, -ENOTSUP, "activation %d is not supported", a);
	push_i32(t, a);
}

static void rnn(struct translation *t, uint32_t type)
{
	uint32_t i, out[2];

	need(t, 5, 1);
	for (i = 0; i < 5; i++)
		push_input(t, i);
	push_act(t);
	if (t->ret)
		return;
	/* The state is written where it is read. */
	out[0] = t->in[4];
	out[1] = output_operand(t, 0);
	emit(t, type, out, 2);
}

static void sequence_rnn(struct translation *t, uint32_t type)
{
	uint32_t i, out[2];

	need(t, 5, 1);
	for (i = 0; i < 5; i++)
		push_input(t, i);
	push_act(t);
	push_i32(t, t->op->options.time_major);
	if (t->ret)
		return;
	out[0] = output_operand(t, 0);
	out[1] = t->in[4];
	emit(t, type, out, 2);
}

static void svdf(struct translation *t, uint32_t type)
{
	uint32_t out[2];

	need(t, 5, 1);
	need_options(t);
	push_input(t, 0);
	push_input(t, 1);
	push_input(t, 2);
	push_input_or_omit(t, 3, NNA_OPERAND_TENSOR_FLOAT32);
	push_input(t, 4);
	push_i32(t, t->op->options.rank);
	push_i32(t, fused(t));
	if (t->ret)
		return;
	out[0] = t->in[4];
	out[1] = output_operand(t, 0);
	emit(t, type, out, 2);
}

/* Inputs 0 to 19 are alike in both worlds; the four of the layer norm come last. */
static void push_lstm(struct translation *t, bool sequence)
{
	const struct tflite_options *o = &t->op->options;
	uint32_t i;

	for (i = 0; i < 20; i++)
		push_input_or_omit(t, i, NNA_OPERAND_TENSOR_FLOAT32);
	push_act(t);
	push_f32(t, o->cell_clip);
	push_f32(t, o->proj_clip);
	if (sequence)
		push_bool(t, o->time_major);
	for (i = 20; i < 24; i++)
		push_input_or_omit(t, i, NNA_OPERAND_TENSOR_FLOAT32);
}

static void lstm(struct translation *t, uint32_t type)
{
	const struct tflite_tensor *cell;
	struct operand o;
	uint32_t out[4];

	need(t, 20, 1);
	if (t->op->options.kernel_type)
		fail(t, -ENOTSUP, "the basic kernel is not supported");
	if (!is_float(input(t, 0)->type))
		fail(t, -ENOTSUP, "type %s is not supported",
		     tflite_type_name(input(t, 0)->type));
	cell = input(t, 19);
	need_rank(t, cell, 2);
	push_lstm(t, false);
	if (t->ret)
		return;
	/* Scratch for the gates: three without an input gate. */
	describe(t, cell, &o);
	if (__builtin_mul_overflow(o.dims[1], has_input(t, 1) ? 4 : 3, &o.dims[1]))
		fail(t, -EINVAL, "too many units");
	out[0] = add_operand(t, &o);
	out[1] = t->in[18];
	out[2] = t->in[19];
	out[3] = output_operand(t, 0);
	emit(t, type, out, 4);
}

/* A constant under another type (symmetric), or an omitted operand of it. */
static uint32_t retyped(struct translation *t, uint32_t index, uint32_t type)
{
	struct operand o = { .desc = { .type = type, .rank = 1, .scale = 1.0f }, .dims = { 0 } };
	const struct tflite_tensor *x;
	uint32_t operand;

	if (type == NNA_OPERAND_TENSOR_INT32)
		o.desc.scale = 0;
	if (!has_input(t, index)) {
		operand = add_operand(t, &o);
		if (!t->ret)
			check(t, t->ops->set_no_value(t->sink, t->graph, operand),
			      "an omitted operand was");
		return operand;
	}
	x = input(t, index);
	if (!x->data || tflite_type_size(x->type) != nna_operand_type_size(type)) {
		fail(t, -ENOTSUP, "input %u must be a constant of another type", index);
		return NO_OPERAND;
	}
	describe(t, x, &o);
	o.desc.type = type;
	if (type != NNA_OPERAND_TENSOR_INT32)
		o.desc.scale = scale_of(x);
	if (o.desc.zero_point || x->scale_count > 1)
		fail(t, -ENOTSUP, "input %u must be symmetric", index);
	operand = add_operand(t, &o);
	set_constant(t, operand, x->data, x->size);
	return operand;
}

/* NNAPI's quantised LSTM does one step: the sequence is unrolled. */
static void quantized_sequence_lstm(struct translation *t)
{
	const struct tflite_tensor *x, *y, *cell, *state, *inner;
	bool time_major = t->op->options.time_major;
	uint32_t shared[32], out[3], steps, batch, s, i, first;
	struct operand state_desc, cell_desc, step_desc, y_desc;
	uint32_t *results = NULL;

	need(t, 20, 1);
	x = input(t, 0);
	y = output(t, 0);
	state = input(t, 18);
	cell = input(t, 19);
	need_rank(t, x, 3);
	need_rank(t, y, 3);
	need_rank(t, state, 2);
	need_rank(t, cell, 2);
	if (t->op->intermediates.count != 5)
		fail(t, -EINVAL, "%u intermediates, 5 are needed", t->op->intermediates.count);
	if (x->type != TFLITE_INT8 || cell->type != TFLITE_INT16)
		fail(t, -ENOTSUP, "type %s is not supported", tflite_type_name(x->type));
	steps = x->dims[time_major ? 0 : 1];
	batch = x->dims[time_major ? 1 : 0];
	if (!steps || steps > MAX_STEPS)
		fail(t, -ENOTSUP, "%u time steps, 1 to %u are possible", steps, MAX_STEPS);
	if (t->ret)
		return;
	/* Everything but the input and the two states is the same in all steps. */
	for (i = 1; i < 9; i++)
		shared[i] = retyped(t, i, NNA_OPERAND_TENSOR_QUANT8_SYMM);
	for (i = 9; i < 12; i++)
		shared[i] = retyped(t, i, NNA_OPERAND_TENSOR_QUANT16_SYMM);
	for (i = 12; i < 16; i++)
		shared[i] = retyped(t, i, NNA_OPERAND_TENSOR_INT32);
	shared[16] = retyped(t, 16, NNA_OPERAND_TENSOR_QUANT8_SYMM);
	shared[17] = retyped(t, 17, NNA_OPERAND_TENSOR_INT32);
	for (i = 20; i < 24; i++)
		shared[i] = retyped(t, i, NNA_OPERAND_TENSOR_QUANT16_SYMM);
	first = t->in_count;
	push_f32(t, t->op->options.cell_clip);
	push_f32(t, t->op->options.proj_clip);
	for (i = 0; i < 4; i++) {
		/*
		 * Without a norm the gates have 12 bits of fraction, which the file does not say.
		 */
		inner = &t->sub->tensors[t->op->intermediates.at[i]];
		push_f32(t, inner->scale_count ? inner->scales[0] : 0x1p-12f);
	}
	inner = &t->sub->tensors[t->op->intermediates.at[4]];
	push_i32(t, zero_point_of(inner));
	push_f32(t, scale_of(inner));
	if (t->ret)
		return;
	memcpy(&shared[24], &t->in[first], 8 * sizeof(*shared));
	t->in_count = 0;

	results = calloc(steps, sizeof(*results));
	if (!results) {
		fail(t, -ENOMEM, "out of memory");
		return;
	}
	describe(t, x, &step_desc);
	step_desc.desc.rank = 2;
	step_desc.dims[0] = batch;
	step_desc.dims[1] = x->dims[2];
	describe(t, y, &y_desc);
	y_desc.desc.rank = 2;
	y_desc.dims[0] = batch;
	y_desc.dims[1] = y->dims[2];
	describe(t, state, &state_desc);
	describe(t, cell, &cell_desc);
	shared[18] = operand_of(t, (uint32_t)t->op->inputs.at[18]);
	shared[19] = operand_of(t, (uint32_t)t->op->inputs.at[19]);
	for (s = 0; s < steps && !t->ret; s++) {
		int32_t begin[3] = { 0 }, end[3], strides[3] = { 1, 1, 1 };
		int32_t axis = time_major ? 0 : 1;

		for (i = 0; i < 3; i++)
			end[i] = (int32_t)x->dims[i];
		begin[axis] = (int32_t)s;
		end[axis] = (int32_t)s + 1;
		shared[0] = add_operand(t, &step_desc);
		push_input(t, 0);
		push_list(t, begin, 3);
		push_list(t, end, 3);
		push_list(t, strides, 3);
		push_i32(t, 0);
		push_i32(t, 0);
		push_i32(t, 1 << axis);
		emit_to(t, NNA_OPERATION_STRIDED_SLICE, shared[0]);

		for (i = 0; i < 32; i++)
			push(t, shared[i]);
		/* The last step leaves the state where the first one of the next run finds it. */
		if (s + 1 == steps) {
			out[0] = operand_of(t, (uint32_t)t->op->inputs.at[18]);
			out[1] = operand_of(t, (uint32_t)t->op->inputs.at[19]);
		} else {
			out[0] = add_operand(t, &state_desc);
			out[1] = add_operand(t, &cell_desc);
		}
		results[s] = out[2] = add_operand(t, &y_desc);
		emit(t, NNA_OPERATION_QUANTIZED_LSTM, out, 3);
		shared[18] = out[0];
		shared[19] = out[1];
	}
	push_i32(t, time_major ? 0 : 1);
	for (s = 0; s < steps; s++)
		push(t, results[s]);
	emit_to(t, NNA_OPERATION_PACK, output_operand(t, 0));
	free(results);
}

static void sequence_lstm(struct translation *t, uint32_t type)
{
	uint32_t out[3];

	need(t, 20, 1);
	if (!is_float(input(t, 0)->type)) {
		quantized_sequence_lstm(t);
		return;
	}
	push_lstm(t, true);
	if (t->ret)
		return;
	out[0] = output_operand(t, 0);
	out[1] = t->in[18];
	out[2] = t->in[19];
	emit(t, type, out, 3);
}

/* --------------------------------------------------------------------------------- control flow */

static void push_subgraph(struct translation *t, int32_t which)
{
	struct operand o = { .desc.type = NNA_OPERAND_SUBGRAPH };
	uint32_t operand = add_operand(t, &o);

	if (!t->ret)
		check(t, t->ops->set_subgraph(t->sink, t->graph, operand, t->graphs[which]),
		      "a subgraph was");
	push(t, operand);
}

static void control(struct translation *t, uint32_t type)
{
	uint32_t i = 0;

	need(t, 1, t->op->outputs.count);
	need_options(t);
	if (type == NNA_OPERATION_IF)
		push_input(t, i++);
	push_subgraph(t, t->op->options.subgraph_a);
	push_subgraph(t, t->op->options.subgraph_b);
	for (; i < t->op->inputs.count; i++)
		push_input(t, i);
	emit_outputs(t, type);
}

/* ---------------------------------------------------------------------------------------- table */

static const struct {
	uint16_t code;
	uint16_t type;
	void (*translate)(struct translation *t, uint32_t type);
} OPERATORS[] = {
	{ TFLITE_ADD, NNA_OPERATION_ADD, arithmetic },
	{ TFLITE_AVERAGE_POOL_2D, NNA_OPERATION_AVERAGE_POOL_2D, pool },
	{ TFLITE_CONCATENATION, NNA_OPERATION_CONCATENATION, concatenation },
	{ TFLITE_CONV_2D, NNA_OPERATION_CONV_2D, convolution },
	{ TFLITE_DEPTHWISE_CONV_2D, NNA_OPERATION_DEPTHWISE_CONV_2D, convolution },
	{ TFLITE_DEPTH_TO_SPACE, NNA_OPERATION_DEPTH_TO_SPACE, block },
	{ TFLITE_DEQUANTIZE, NNA_OPERATION_DEQUANTIZE, dequantize },
	{ TFLITE_EMBEDDING_LOOKUP, NNA_OPERATION_EMBEDDING_LOOKUP, embedding_lookup },
	{ TFLITE_FLOOR, NNA_OPERATION_FLOOR, unary },
	{ TFLITE_FULLY_CONNECTED, NNA_OPERATION_FULLY_CONNECTED, fully_connected },
	{ TFLITE_L2_NORMALIZATION, NNA_OPERATION_L2_NORMALIZATION, l2_normalization },
	{ TFLITE_L2_POOL_2D, NNA_OPERATION_L2_POOL_2D, pool },
	{ TFLITE_LOCAL_RESPONSE_NORMALIZATION, NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION,
	  local_response_normalization },
	{ TFLITE_LOGISTIC, NNA_OPERATION_LOGISTIC, unary },
	{ TFLITE_LSTM, NNA_OPERATION_LSTM, lstm },
	{ TFLITE_MAX_POOL_2D, NNA_OPERATION_MAX_POOL_2D, pool },
	{ TFLITE_MUL, NNA_OPERATION_MUL, arithmetic },
	{ TFLITE_RELU, NNA_OPERATION_RELU, unary },
	{ TFLITE_RELU_N1_TO_1, NNA_OPERATION_RELU1, unary },
	{ TFLITE_RELU6, NNA_OPERATION_RELU6, unary },
	{ TFLITE_RESHAPE, NNA_OPERATION_RESHAPE, reshape },
	{ TFLITE_RESIZE_BILINEAR, NNA_OPERATION_RESIZE_BILINEAR, resize },
	{ TFLITE_RNN, NNA_OPERATION_RNN, rnn },
	{ TFLITE_SOFTMAX, NNA_OPERATION_SOFTMAX, softmax },
	{ TFLITE_SPACE_TO_DEPTH, NNA_OPERATION_SPACE_TO_DEPTH, block },
	{ TFLITE_SVDF, NNA_OPERATION_SVDF, svdf },
	{ TFLITE_TANH, NNA_OPERATION_TANH, unary },
	{ TFLITE_PAD, NNA_OPERATION_PAD, with_list },
	{ TFLITE_UNIDIRECTIONAL_SEQUENCE_RNN, NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN,
	  sequence_rnn },
	{ TFLITE_GATHER, NNA_OPERATION_GATHER, gather },
	{ TFLITE_BATCH_TO_SPACE_ND, NNA_OPERATION_BATCH_TO_SPACE_ND, batch_to_space },
	{ TFLITE_SPACE_TO_BATCH_ND, NNA_OPERATION_SPACE_TO_BATCH_ND, space_to_batch },
	{ TFLITE_TRANSPOSE, NNA_OPERATION_TRANSPOSE, with_list },
	{ TFLITE_MEAN, NNA_OPERATION_MEAN, reduce },
	{ TFLITE_SUB, NNA_OPERATION_SUB, arithmetic },
	{ TFLITE_DIV, NNA_OPERATION_DIV, arithmetic },
	{ TFLITE_SQUEEZE, NNA_OPERATION_RESHAPE, reshape },
	{ TFLITE_UNIDIRECTIONAL_SEQUENCE_LSTM, NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM,
	  sequence_lstm },
	{ TFLITE_STRIDED_SLICE, NNA_OPERATION_STRIDED_SLICE, strided_slice },
	{ TFLITE_EXP, NNA_OPERATION_EXP, unary },
	{ TFLITE_TOPK_V2, NNA_OPERATION_TOPK_V2, topk },
	{ TFLITE_SPLIT, NNA_OPERATION_SPLIT, split },
	{ TFLITE_LOG_SOFTMAX, NNA_OPERATION_LOG_SOFTMAX, log_softmax },
	{ TFLITE_CAST, NNA_OPERATION_CAST, unary },
	{ TFLITE_PRELU, NNA_OPERATION_PRELU, binary },
	{ TFLITE_MAXIMUM, NNA_OPERATION_MAXIMUM, binary },
	{ TFLITE_ARG_MAX, NNA_OPERATION_ARGMAX, arg },
	{ TFLITE_MINIMUM, NNA_OPERATION_MINIMUM, binary },
	{ TFLITE_LESS, NNA_OPERATION_LESS, binary },
	{ TFLITE_NEG, NNA_OPERATION_NEG, unary },
	{ TFLITE_PADV2, NNA_OPERATION_PAD_V2, pad_v2 },
	{ TFLITE_GREATER, NNA_OPERATION_GREATER, binary },
	{ TFLITE_GREATER_EQUAL, NNA_OPERATION_GREATER_EQUAL, binary },
	{ TFLITE_LESS_EQUAL, NNA_OPERATION_LESS_EQUAL, binary },
	{ TFLITE_SELECT, NNA_OPERATION_SELECT, ternary },
	{ TFLITE_SLICE, NNA_OPERATION_SLICE, slice },
	{ TFLITE_SIN, NNA_OPERATION_SIN, unary },
	{ TFLITE_TRANSPOSE_CONV, NNA_OPERATION_TRANSPOSE_CONV_2D, transpose_convolution },
	{ TFLITE_TILE, NNA_OPERATION_TILE, with_list },
	{ TFLITE_EXPAND_DIMS, NNA_OPERATION_RESHAPE, reshape },
	{ TFLITE_EQUAL, NNA_OPERATION_EQUAL, binary },
	{ TFLITE_NOT_EQUAL, NNA_OPERATION_NOT_EQUAL, binary },
	{ TFLITE_LOG, NNA_OPERATION_LOG, unary },
	{ TFLITE_SUM, NNA_OPERATION_REDUCE_SUM, reduce },
	{ TFLITE_SQRT, NNA_OPERATION_SQRT, unary },
	{ TFLITE_RSQRT, NNA_OPERATION_RSQRT, unary },
	{ TFLITE_SHAPE, 0, shape },
	{ TFLITE_POW, NNA_OPERATION_POW, binary },
	{ TFLITE_ARG_MIN, NNA_OPERATION_ARGMIN, arg },
	{ TFLITE_REDUCE_PROD, NNA_OPERATION_REDUCE_PROD, reduce },
	{ TFLITE_REDUCE_MAX, NNA_OPERATION_REDUCE_MAX, reduce },
	{ TFLITE_PACK, NNA_OPERATION_PACK, pack },
	{ TFLITE_LOGICAL_OR, NNA_OPERATION_LOGICAL_OR, binary },
	{ TFLITE_LOGICAL_AND, NNA_OPERATION_LOGICAL_AND, binary },
	{ TFLITE_LOGICAL_NOT, NNA_OPERATION_LOGICAL_NOT, unary },
	{ TFLITE_UNPACK, NNA_OPERATION_UNPACK, unpack },
	{ TFLITE_REDUCE_MIN, NNA_OPERATION_REDUCE_MIN, reduce },
	{ TFLITE_FLOOR_DIV, NNA_OPERATION_FLOOR_DIV, binary },
	{ TFLITE_REDUCE_ANY, NNA_OPERATION_REDUCE_ANY, reduce },
	{ TFLITE_SQUARE, NNA_OPERATION_MUL, square },
	{ TFLITE_ZEROS_LIKE, 0, zeros_like },
	{ TFLITE_FILL, NNA_OPERATION_FILL, fill },
	{ TFLITE_FLOOR_MOD, NNA_OPERATION_FLOOR_DIV, floor_mod },
	{ TFLITE_RANGE, 0, range },
	{ TFLITE_RESIZE_NEAREST_NEIGHBOR, NNA_OPERATION_RESIZE_NEAREST_NEIGHBOR, resize },
	{ TFLITE_LEAKY_RELU, NNA_OPERATION_LEAKY_RELU, leaky_relu },
	{ TFLITE_SQUARED_DIFFERENCE, NNA_OPERATION_MUL, squared_difference },
	{ TFLITE_MIRROR_PAD, NNA_OPERATION_MIRROR_PAD, mirror_pad },
	{ TFLITE_ABS, NNA_OPERATION_ABS, unary },
	{ TFLITE_SPLIT_V, NNA_OPERATION_SLICE, split_v },
	{ TFLITE_CEIL, NNA_OPERATION_FLOOR, ceiling },
	{ TFLITE_REVERSE_V2, NNA_OPERATION_REVERSE, with_list },
	{ TFLITE_ADD_N, NNA_OPERATION_ADD, add_n },
	{ TFLITE_GATHER_ND, NNA_OPERATION_GATHER_ND, binary },
	{ TFLITE_COS, NNA_OPERATION_COS, unary },
	{ TFLITE_RANK, 0, rank_of },
	{ TFLITE_ELU, NNA_OPERATION_ELU, elu },
	{ TFLITE_QUANTIZE, NNA_OPERATION_QUANTIZE, quantize },
	{ TFLITE_HARD_SWISH, NNA_OPERATION_HARD_SWISH, unary },
	{ TFLITE_IF, NNA_OPERATION_IF, control },
	{ TFLITE_WHILE, NNA_OPERATION_WHILE, control },
	{ TFLITE_SELECT_V2, NNA_OPERATION_SELECT, ternary },
	{ TFLITE_BATCH_MATMUL, NNA_OPERATION_BATCH_MATMUL, batch_matmul },
	{ TFLITE_BROADCAST_TO, NNA_OPERATION_TILE, broadcast_to },
	{ TFLITE_REDUCE_ALL, NNA_OPERATION_REDUCE_ALL, reduce },
};

static void translate_operator(struct translation *t, uint32_t index)
{
	size_t i;

	t->op = &t->sub->operators[index];
	t->op_index = index;
	t->in_count = 0;
	for (i = 0; i < sizeof(OPERATORS) / sizeof(OPERATORS[0]); i++) {
		if (OPERATORS[i].code == t->op->code) {
			OPERATORS[i].translate(t, OPERATORS[i].type);
			return;
		}
	}
	fail(t, -ENOTSUP,
	     t->op->code == TFLITE_CUSTOM ? "custom operators are not supported"
					  : "not supported: use a model without it");
}

static void set_io(struct translation *t)
{
	struct tflite_ints in = t->sub->inputs, out = t->sub->outputs;
	uint32_t *numbers, i;

	t->op = NULL;
	numbers = calloc((size_t)in.count + out.count + 1, sizeof(*numbers));
	if (!numbers) {
		fail(t, -ENOMEM, "out of memory");
		return;
	}
	for (i = 0; i < in.count; i++)
		numbers[i] = operand_of(t, (uint32_t)in.at[i]);
	for (i = 0; i < out.count; i++)
		numbers[in.count + i] = operand_of(t, (uint32_t)out.at[i]);
	if (!t->ret)
		check(t, t->ops->set_io(t->sink, t->graph, in.count, numbers, out.count,
					numbers + in.count), "inputs and outputs were");
	free(numbers);
}

static void translate_subgraph(struct translation *t, uint32_t index)
{
	uint32_t i;

	t->sub = &t->model->subgraphs[index];
	t->graph = t->graphs[index];
	t->op = NULL;
	t->operands = malloc(((size_t)t->sub->tensor_count + 1) * sizeof(*t->operands));
	if (!t->operands) {
		fail(t, -ENOMEM, "out of memory");
		return;
	}
	for (i = 0; i < t->sub->tensor_count; i++)
		t->operands[i] = NO_OPERAND;
	/* Inputs first: what comes from outside is known before any operation. */
	for (i = 0; i < t->sub->inputs.count; i++)
		operand_of(t, (uint32_t)t->sub->inputs.at[i]);
	for (i = 0; i < t->sub->operator_count && !t->ret; i++)
		translate_operator(t, i);
	if (!t->ret)
		set_io(t);
	free(t->operands);
	t->operands = NULL;
}

/*
 * Subgraphs that the main one can reach get numbers; the others (initialisers, say) are left out.
 */
static void number_subgraphs(struct translation *t)
{
	uint32_t *queue, done = 0, count = 1, i;

	queue = calloc(t->model->subgraph_count, sizeof(*queue));
	if (!queue) {
		fail(t, -ENOMEM, "out of memory");
		return;
	}
	t->graphs[0] = 0;
	for (; done < count && !t->ret; done++) {
		const struct tflite_subgraph *s = &t->model->subgraphs[queue[done]];

		for (i = 0; i < s->operator_count && !t->ret; i++) {
			const struct tflite_operator *op = &s->operators[i];
			int32_t refs[2] = { op->options.subgraph_a, op->options.subgraph_b };
			int k, ret;

			if (op->code != TFLITE_IF && op->code != TFLITE_WHILE)
				continue;
			for (k = 0; k < 2 && !t->ret; k++) {
				if (t->graphs[refs[k]] != NO_OPERAND)
					continue;
				ret = t->ops->add_subgraph(t->sink);
				check(t, ret, "a subgraph was");
				if (ret < 0)
					break;
				t->graphs[refs[k]] = (uint32_t)ret;
				queue[count++] = (uint32_t)refs[k];
			}
		}
	}
	free(queue);
}

int tflite_translate(struct tflite_model *model, const struct tflite_sink *ops,
		     void *sink, struct tflite_origin *origin, char *error)
{
	struct translation t = { .model = model, .ops = ops, .sink = sink, .origin = origin,
				 .error = error };
	uint32_t i;

	error[0] = 0;
	if (origin)
		*origin = (struct tflite_origin){ 0 };
	t.graphs = malloc(model->subgraph_count * sizeof(*t.graphs));
	if (!t.graphs)
		fail(&t, -ENOMEM, "out of memory");
	for (i = 0; i < model->subgraph_count && !t.ret; i++)
		t.graphs[i] = NO_OPERAND;
	if (!t.ret)
		number_subgraphs(&t);
	for (i = 0; i < model->subgraph_count && !t.ret; i++)
		if (t.graphs[i] != NO_OPERAND)
			translate_subgraph(&t, i);
	free(t.graphs);
	free(t.in);
	if (t.ret && origin)
		tflite_origin_free(origin);
	return t.ret;
}

void tflite_origin_free(struct tflite_origin *origin)
{
	free(origin->operators);
	*origin = (struct tflite_origin){ 0 };
}

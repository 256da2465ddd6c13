// SPDX-License-Identifier: MIT
/* The functions of translation.h, which describes each. */
#include "frontend/tflite/translation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/label.h"
#include "libnnaccel/support/array.h"

/* --------------------------------------------------------------------------------------- errors */

__attribute__((format(printf, 4, 5))) void tflite_say(struct tflite_translation *t, int ret,
						      const struct tflite_tensor *x,
						      const char *format, ...)
{
	char label[TFLITE_LABEL_SIZE];
	size_t n = 0;
	va_list ap;

	if (t->ret)
		return;
	t->ret = ret;
	t->error[0] = 0;
	if (t->op)
		n = (size_t)snprintf(t->error, TFLITE_ERROR_SIZE, "%s: ",
				     tflite_operator_label(t->op, label));
	if (x)
		n += (size_t)snprintf(t->error + n, TFLITE_ERROR_SIZE - n, "%s: ",
				      tflite_tensor_label(t->sub, t->op, x, label));
	va_start(ap, format);
	vsnprintf(t->error + n, TFLITE_ERROR_SIZE - n, format, ap);
	va_end(ap);
}

void tflite_no_memory(struct tflite_translation *t)
{
	tflite_say(t, -ENOMEM, NULL, "out of memory");
}

void tflite_check(struct tflite_translation *t, int ret, const char *what)
{
	if (ret < 0)
		tflite_say(t, ret, NULL, "%s refused: %s", what, strerror(-ret));
}

void tflite_need(struct tflite_translation *t, uint32_t inputs, uint32_t outputs)
{
	if (t->op->inputs.count < inputs)
		tflite_refuse(t, NULL, "%u inputs", "%u or more", t->op->inputs.count, inputs);
	if (t->op->outputs.count != outputs)
		tflite_refuse(t, NULL, "%u outputs", "%u", t->op->outputs.count, outputs);
}

void tflite_need_rank(struct tflite_translation *t, const struct tflite_tensor *x, uint32_t rank)
{
	if (x->rank != rank)
		tflite_refuse(t, x, "%u dimensions", "%u", x->rank, rank);
}

void tflite_need_least_rank(struct tflite_translation *t, const struct tflite_tensor *x,
			    uint32_t rank)
{
	if (x->rank < rank)
		tflite_refuse(t, x, "%u dimensions", "%u or more", x->rank, rank);
}

void tflite_need_elements(struct tflite_translation *t, const struct tflite_tensor *x,
			  uint64_t elements, const char *whose)
{
	if (x->elements != elements)
		tflite_refuse(t, x, "%llu elements", "%llu, %s", (unsigned long long)x->elements,
			      (unsigned long long)elements, whose);
}

void tflite_need_type(struct tflite_translation *t, const struct tflite_tensor *x, bool fits,
		      const char *types)
{
	if (!fits)
		tflite_unsupported(t, x, "its type", "%s", types);
}

void tflite_need_constant(struct tflite_translation *t, const struct tflite_tensor *x)
{
	if (!x->data)
		tflite_unsupported(t, x, "its values are computed at run time",
				   "a constant of the file");
}

void tflite_need_scales(struct tflite_translation *t, const struct tflite_tensor *x, uint32_t units)
{
	if (x->scale_count != 1 && x->scale_count != units)
		tflite_unsupported(t, x, "%u scales", "1, or %u, one for each output channel",
				   x->scale_count, units);
}

void tflite_need_options(struct tflite_translation *t)
{
	if (!t->op->options.type)
		tflite_refuse(t, NULL, "no options", "those of the operator's schema");
}

/* -------------------------------------------------------------------------------------- tensors */

bool tflite_is_float(uint32_t type)
{
	return type == TFLITE_FLOAT32 || type == TFLITE_FLOAT16;
}

bool tflite_is_quant8(uint32_t type)
{
	return type == TFLITE_UINT8 || type == TFLITE_INT8;
}

bool tflite_is_quantised(uint32_t type)
{
	return tflite_is_quant8(type) || type == TFLITE_INT16;
}

float tflite_scale(const struct tflite_tensor *x)
{
	return x->scale_count ? x->scales[0] : 1.0f;
}

int32_t tflite_zero_point(const struct tflite_tensor *x)
{
	return x->zero_point_count ? (int32_t)tflite_zero_point_at(x, 0) : 0;
}

bool tflite_is_symmetric16(const struct tflite_tensor *x)
{
	return x->type == TFLITE_INT16 && x->scale_count == 1 && tflite_scale(x) > 0 &&
	       !tflite_zero_point(x);
}

bool tflite_same_quantisation(const struct tflite_tensor *x, const struct tflite_tensor *y)
{
	return tflite_scale(x) == tflite_scale(y) && tflite_zero_point(x) == tflite_zero_point(y);
}

const struct tflite_tensor *tflite_input(struct tflite_translation *t, uint32_t index)
{
	static const struct tflite_tensor nothing = { .name = "" };

	if (index >= t->op->inputs.count || t->op->inputs.at[index] < 0) {
		tflite_refuse(t, NULL, "no input %u", "a tensor", index);
		return &nothing;
	}
	return &t->sub->tensors[t->op->inputs.at[index]];
}

const struct tflite_tensor *tflite_output(struct tflite_translation *t, uint32_t index)
{
	static const struct tflite_tensor nothing = { .name = "" };

	if (index >= t->op->outputs.count) {
		tflite_refuse(t, NULL, "no output %u", "a tensor", index);
		return &nothing;
	}
	return &t->sub->tensors[t->op->outputs.at[index]];
}

bool tflite_has_input(const struct tflite_translation *t, uint32_t index)
{
	return index < t->op->inputs.count && t->op->inputs.at[index] >= 0;
}

uint32_t tflite_constant_ints(struct tflite_translation *t, uint32_t index, int32_t *to,
			      uint32_t room)
{
	const struct tflite_tensor *x = tflite_input(t, index);
	const void *data = x->data ? x->data : x->invariant;
	uint32_t i, count = (uint32_t)x->elements;

	if (t->ret)
		return 0;
	tflite_need_type(t, x, x->type == TFLITE_INT32 || x->type == TFLITE_INT64,
			 "INT32 or INT64");
	if (!data)
		tflite_need_constant(t, x);
	if (count > room)
		tflite_refuse(t, x, "%u values", "%u or fewer", count, room);
	if (t->ret)
		return 0;
	for (i = 0; i < count; i++) {
		int64_t v = x->type == TFLITE_INT64 ? ((const int64_t *)data)[i]
						    : ((const int32_t *)data)[i];

		if (v < INT32_MIN || v > INT32_MAX)
			v = v < 0 ? INT32_MIN : INT32_MAX;
		to[i] = (int32_t)v;
	}
	return count;
}

int32_t tflite_constant_int(struct tflite_translation *t, uint32_t index)
{
	int32_t value = 0;

	tflite_exact_ints(t, index, &value, 1, "a parameter");
	return value;
}

bool tflite_exact_ints(struct tflite_translation *t, uint32_t index, int32_t *to, uint32_t count,
		       const char *whose)
{
	tflite_need_elements(t, tflite_input(t, index), count, whose);
	tflite_constant_ints(t, index, to, count);
	return !t->ret;
}

int32_t tflite_axis(struct tflite_translation *t, int32_t axis, uint32_t rank)
{
	if (axis < -(int32_t)rank || axis >= (int32_t)rank) {
		tflite_refuse(t, NULL, "axis %d", "one of %u dimensions", axis, rank);
		return 0;
	}
	return axis < 0 ? axis + (int32_t)rank : axis;
}

/* ------------------------------------------------------------------------------------- operands */

/* translate.h lists NNAPI's name of each type. */
void tflite_describe(struct tflite_translation *t, const struct tflite_tensor *x,
		     struct tflite_operand_desc *o)
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
	case TFLITE_COMPLEX64:
		o->desc.type = NNA_OPERAND_TENSOR_FLOAT32;
		o->dims[o->desc.rank++] = 2;
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
		tflite_need_type(t, x, false,
				 "FLOAT32, FLOAT16, INT8, UINT8, INT16, INT32, INT64, BOOL and "
				 "COMPLEX64");
		return;
	}
	if (x->block_size)
		tflite_unsupported(t, x, "scales for blocks of %u",
				   "one scale, or one for each channel; weights of a hybrid "
				   "FULLY_CONNECTED", x->block_size);
	if (x->scale_count > 1) {
		if (x->type != TFLITE_INT8) {
			tflite_unsupported(t, x, "%u scales", "one; INT8 may have more",
					   x->scale_count);
			return;
		}
		for (i = 0; i < x->zero_point_count; i++)
			if (tflite_zero_point_at(x, i))
				tflite_unsupported(t, x, "zero point %lld of channel %u", "0",
						   (long long)tflite_zero_point_at(x, i), i);
		o->desc.type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL;
		o->desc.channel_dim = x->channel_dim;
		o->desc.channel_count = x->scale_count;
		o->desc.channel_scales = x->scales;
		return;
	}
	o->desc.scale = tflite_scale(x);
	o->desc.zero_point = tflite_zero_point(x);
	if (x->type == TFLITE_INT16 && o->desc.zero_point)
		tflite_unsupported(t, x, "zero point %d", "0 for INT16", o->desc.zero_point);
}

/* Adds an operand; an error of the sink names the tensor @x, or NULL. */
static uint32_t add_tensor(struct tflite_translation *t, const struct tflite_operand_desc *o,
			   const struct tflite_tensor *x)
{
	struct nna_operand_desc desc = o->desc;
	int ret;

	if (t->ret)
		return TFLITE_NO_OPERAND;
	desc.dims = o->dims;
	ret = t->ops->add_operand(t->sink, t->graph, &desc);
	if (ret < 0)
		tflite_say(t, ret, x, "refused as an operand, see the library's log: %s",
			   strerror(-ret));
	return ret < 0 ? TFLITE_NO_OPERAND : (uint32_t)ret;
}

uint32_t tflite_add_operand(struct tflite_translation *t, const struct tflite_operand_desc *o)
{
	return add_tensor(t, o, NULL);
}

uint32_t tflite_add_as_input(struct tflite_translation *t, struct tflite_operand_desc *o)
{
	const struct tflite_tensor *x = tflite_input(t, 0);

	tflite_describe(t, tflite_output(t, 0), o);
	o->desc.scale = tflite_scale(x);
	o->desc.zero_point = tflite_zero_point(x);
	return tflite_add_operand(t, o);
}

void tflite_set_constant(struct tflite_translation *t, uint32_t operand, const void *data,
			 size_t size)
{
	if (!t->ret)
		tflite_check(t, t->ops->set_constant(t->sink, t->graph, operand, data, size),
			     "a constant was");
}

uint32_t tflite_add_constant(struct tflite_translation *t, const struct tflite_operand_desc *o,
			     const void *data, size_t size)
{
	uint32_t operand = tflite_add_operand(t, o);
	void *copy;

	if (t->ret)
		return TFLITE_NO_OPERAND;
	copy = tflite_derive(t->model, size);
	if (!copy) {
		tflite_no_memory(t);
		return TFLITE_NO_OPERAND;
	}
	if (data)
		memcpy(copy, data, size);
	tflite_set_constant(t, operand, copy, size);
	return operand;
}

/*
 * A constant without elements: a slice of one with some, since dimensions of 0 are open ones in a
 * constant of a graph. The caller may be pushing the inputs of another operation.
 */
static uint32_t add_empty_constant(struct tflite_translation *t,
				   const struct tflite_operand_desc *o)
{
	uint32_t *const in = t->in, in_count = t->in_count, in_room = t->in_room;
	int32_t begins[TFLITE_MAX_RANK + 1] = { 0 }, sizes[TFLITE_MAX_RANK + 1];
	struct tflite_operand_desc some = *o;
	uint32_t operand, from;

	for (uint32_t k = 0; k < o->desc.rank; k++) {
		sizes[k] = o->dims[k] ? 1 : 0;
		some.dims[k] = 1;
	}
	t->in = NULL;
	t->in_count = 0;
	t->in_room = 0;
	from = tflite_add_constant(t, &some, NULL, nna_operand_type_size(o->desc.type));
	for (uint32_t k = 0; k < o->desc.rank; k++)
		some.dims[k] = (uint32_t)sizes[k];
	operand = tflite_add_operand(t, &some);
	tflite_push(t, from);
	tflite_push_list(t, begins, o->desc.rank);
	tflite_push_list(t, sizes, o->desc.rank);
	tflite_emit_to(t, NNA_OPERATION_SLICE, operand);
	from = operand;
	operand = tflite_add_operand(t, o);
	tflite_emit_reshape(t, from, operand, o);
	free(t->in);
	t->in = in;
	t->in_count = in_count;
	t->in_room = in_room;
	return operand;
}

uint32_t tflite_tensor_operand(struct tflite_translation *t, uint32_t tensor)
{
	const struct tflite_tensor *x = &t->sub->tensors[tensor];
	struct tflite_operand_desc o;

	if (t->ret || t->operands[tensor] != TFLITE_NO_OPERAND)
		return t->operands[tensor];
	tflite_describe(t, x, &o);
	if (x->data && !x->elements) {
		t->operands[tensor] = add_empty_constant(t, &o);
		return t->operands[tensor];
	}
	t->operands[tensor] = add_tensor(t, &o, x);
	if (x->data)
		tflite_set_constant(t, t->operands[tensor], x->data, x->size);
	else if (x->variable && !t->ret)
		tflite_check(t, t->ops->set_variable(t->sink, t->graph, t->operands[tensor]),
			     "a variable was");
	return t->operands[tensor];
}

uint32_t tflite_input_operand(struct tflite_translation *t, uint32_t index)
{
	tflite_input(t, index);
	return t->ret ? TFLITE_NO_OPERAND
		      : tflite_tensor_operand(t, (uint32_t)t->op->inputs.at[index]);
}

uint32_t tflite_output_operand(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *x = tflite_output(t, index);

	if (t->ret)
		return TFLITE_NO_OPERAND;
	if (x->data) {
		tflite_refuse(t, x, "it is a constant", "a tensor without data");
		return TFLITE_NO_OPERAND;
	}
	return tflite_tensor_operand(t, (uint32_t)t->op->outputs.at[index]);
}

void tflite_make_room(struct tflite_translation *t, uint64_t elements)
{
	t->made += elements <= TFLITE_MAX_TABLE ? elements : 0;
	if (elements > TFLITE_MAX_TABLE || t->made > 4ull * TFLITE_MAX_TABLE)
		tflite_unsupported(t, NULL, "a table of %llu elements",
				   "%u for one table, %u for all tables of the model",
				   (unsigned long long)elements, TFLITE_MAX_TABLE,
				   4 * TFLITE_MAX_TABLE);
}

void tflite_need_unused(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *y = tflite_output(t, index);

	if (!t->ret && (t->operands[t->op->outputs.at[index]] != TFLITE_NO_OPERAND || y->data))
		tflite_refuse(t, y, "it has a value before the operator",
			      "a tensor that only later operators read");
}

void tflite_define(struct tflite_translation *t, uint32_t index, const void *data, size_t size)
{
	const struct tflite_tensor *y = tflite_output(t, index);
	struct tflite_operand_desc o;
	uint32_t tensor;

	tflite_need_unused(t, index);
	if (t->ret)
		return;
	tensor = (uint32_t)t->op->outputs.at[index];
	tflite_describe(t, y, &o);
	t->operands[tensor] = tflite_add_operand(t, &o);
	t->known[tensor] = true;
	tflite_set_constant(t, t->operands[tensor], data, size);
}

/* --------------------------------------------------------------------------------------- inputs */

void tflite_push(struct tflite_translation *t, uint32_t operand)
{
	uint32_t *in;

	if (t->ret)
		return;
	in = nna_array_reserve(t->in, (uint64_t)t->in_count + 1, &t->in_room, sizeof(*in));
	if (!in) {
		tflite_no_memory(t);
		return;
	}
	t->in = in;
	in[t->in_count++] = operand;
}

void tflite_push_input(struct tflite_translation *t, uint32_t index)
{
	tflite_input(t, index);
	if (!t->ret)
		tflite_push(t, tflite_tensor_operand(t, (uint32_t)t->op->inputs.at[index]));
}

void tflite_push_omitted(struct tflite_translation *t, uint32_t type)
{
	struct tflite_operand_desc o = { .desc = { .type = type, .rank = 1 }, .dims = { 0 } };
	uint32_t operand;

	if (type == NNA_OPERAND_TENSOR_QUANT8_SYMM || type == NNA_OPERAND_TENSOR_QUANT16_SYMM)
		o.desc.scale = 1.0f;
	operand = tflite_add_operand(t, &o);
	if (!t->ret)
		tflite_check(t, t->ops->set_no_value(t->sink, t->graph, operand),
			     "an omitted operand was");
	tflite_push(t, operand);
}

void tflite_push_input_or_omit(struct tflite_translation *t, uint32_t index, uint32_t type)
{
	if (tflite_has_input(t, index))
		tflite_push_input(t, index);
	else
		tflite_push_omitted(t, type);
}

void tflite_push_scalar(struct tflite_translation *t, uint32_t type, const void *value, size_t size)
{
	struct tflite_operand_desc o = { .desc.type = type };

	tflite_push(t, tflite_add_constant(t, &o, value, size));
}

void tflite_push_i32(struct tflite_translation *t, int32_t value)
{
	tflite_push_scalar(t, NNA_OPERAND_INT32, &value, sizeof(value));
}

void tflite_push_bool(struct tflite_translation *t, bool value)
{
	uint8_t byte = value;

	tflite_push_scalar(t, NNA_OPERAND_BOOL, &byte, sizeof(byte));
}

void tflite_push_f32(struct tflite_translation *t, float value)
{
	tflite_push_scalar(t, NNA_OPERAND_FLOAT32, &value, sizeof(value));
}

void tflite_push_list(struct tflite_translation *t, const int32_t *values, uint32_t count)
{
	struct tflite_operand_desc o = { .desc = { .type = NNA_OPERAND_TENSOR_INT32, .rank = 1 },
					.dims = { count } };

	tflite_push(t, tflite_add_constant(t, &o, values, count * sizeof(*values)));
}

void tflite_push_pads(struct tflite_translation *t, const int32_t *pads, uint32_t rank)
{
	struct tflite_operand_desc o = { .desc = { .type = NNA_OPERAND_TENSOR_INT32, .rank = 2 },
					.dims = { rank, 2 } };

	tflite_push(t, tflite_add_constant(t, &o, pads, 2 * (size_t)rank * sizeof(*pads)));
}

void tflite_push_ints(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *x = tflite_input(t, index);
	int32_t values[2 * TFLITE_MAX_RANK];
	struct tflite_operand_desc o;
	uint32_t count;

	if (x->type != TFLITE_INT64 || !x->data) {
		tflite_push_input(t, index);
		return;
	}
	count = tflite_constant_ints(t, index, values, 2 * TFLITE_MAX_RANK);
	tflite_describe(t, x, &o);
	o.desc.type = NNA_OPERAND_TENSOR_INT32;
	tflite_push(t, tflite_add_constant(t, &o, values, count * sizeof(*values)));
}

void tflite_push_value(struct tflite_translation *t, uint32_t index)
{
	const struct tflite_tensor *x = tflite_input(t, index);
	int64_t wide;

	if (t->ret)
		return;
	tflite_need_elements(t, x, 1, "a parameter");
	tflite_need_constant(t, x);
	if (t->ret)
		return;
	switch (x->type) {
	case TFLITE_FLOAT32:
		tflite_push_scalar(t, NNA_OPERAND_FLOAT32, x->data, 4);
		return;
	case TFLITE_FLOAT16:
		tflite_push_scalar(t, NNA_OPERAND_FLOAT16, x->data, 2);
		return;
	case TFLITE_INT32:
		tflite_push_scalar(t, NNA_OPERAND_INT32, x->data, 4);
		return;
	case TFLITE_UINT8:
		tflite_push_i32(t, *(const uint8_t *)x->data);
		return;
	case TFLITE_INT8:
		tflite_push_i32(t, *(const int8_t *)x->data);
		return;
	case TFLITE_INT16:
		tflite_push_i32(t, *(const int16_t *)x->data);
		return;
	case TFLITE_BOOL:
		tflite_push_i32(t, *(const uint8_t *)x->data != 0);
		return;
	case TFLITE_INT64:
		memcpy(&wide, x->data, sizeof(wide));
		if (wide != (int32_t)wide)
			tflite_unsupported(t, x, "the value %lld", "32 bits", (long long)wide);
		tflite_push_i32(t, (int32_t)wide);
		return;
	default:
		tflite_need_type(t, x, false, "a number or a truth value");
	}
}

/* ----------------------------------------------------------------------------------- operations */

/* Adds the current operator to the origin: one element for each operation of the main subgraph. */
static void note_origin(struct tflite_translation *t)
{
	struct tflite_origin *o = t->origin;
	uint32_t *operators;

	if (!o || t->graph || t->ret)
		return;
	operators = nna_array_reserve(o->operators, (uint64_t)o->count + 1, &t->origin_room,
				      sizeof(*operators));
	if (!operators) {
		tflite_no_memory(t);
		return;
	}
	o->operators = operators;
	operators[o->count++] = t->op_index;
}

void tflite_emit(struct tflite_translation *t, uint32_t type, const uint32_t *out,
		 uint32_t out_count)
{
	if (!t->ret)
		tflite_check(t, t->ops->add_operation(t->sink, t->graph, type, t->in_count, t->in,
						      out_count, out), nna_operation_name(type));
	note_origin(t);
	t->in_count = 0;
}

void tflite_emit_to(struct tflite_translation *t, uint32_t type, uint32_t operand)
{
	tflite_emit(t, type, &operand, 1);
}

void tflite_emit_outputs(struct tflite_translation *t, uint32_t type)
{
	uint32_t count = t->op->outputs.count, i;
	uint32_t *out;

	if (count == 1) {
		tflite_emit_to(t, type, tflite_output_operand(t, 0));
		return;
	}
	out = calloc(count ? count : 1, sizeof(*out));
	if (!out) {
		tflite_no_memory(t);
		return;
	}
	for (i = 0; i < count; i++)
		out[i] = tflite_output_operand(t, i);
	tflite_emit(t, type, out, count);
	free(out);
}

int32_t tflite_fused(const struct tflite_translation *t)
{
	int8_t a = t->op->options.activation;

	return a >= TFLITE_ACT_NONE && a <= TFLITE_ACT_RELU6 ? a : 0;
}

void tflite_finish(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *y = tflite_output(t, 0);
	struct tflite_operand_desc o;
	uint32_t before;

	if (t->op->options.activation == tflite_fused(t)) {
		tflite_emit_to(t, type, tflite_output_operand(t, 0));
		return;
	}
	if (t->op->options.activation != TFLITE_ACT_TANH || !tflite_is_float(y->type)) {
		tflite_unsupported(t, NULL, "fused activation %d",
				   "0 (NONE) to 3 (RELU6), and 4 (TANH) of a float output",
				   t->op->options.activation);
		return;
	}
	tflite_describe(t, y, &o);
	before = tflite_add_operand(t, &o);
	tflite_emit_to(t, type, before);
	tflite_push(t, before);
	tflite_emit_to(t, NNA_OPERATION_TANH, tflite_output_operand(t, 0));
}

void tflite_emit_reshape(struct tflite_translation *t, uint32_t from, uint32_t to,
			 const struct tflite_operand_desc *o)
{
	int32_t dims[TFLITE_MAX_RANK + 1];

	for (uint32_t i = 0; i < o->desc.rank; i++)
		dims[i] = (int32_t)o->dims[i];
	tflite_push(t, from);
	tflite_push_list(t, dims, o->desc.rank);
	tflite_emit_to(t, NNA_OPERATION_RESHAPE, to);
}

void tflite_finish_reshaped(struct tflite_translation *t, uint32_t type,
			    const struct tflite_operand_desc *o)
{
	struct tflite_operand_desc result;
	uint32_t before;

	before = tflite_add_operand(t, o);
	tflite_emit_to(t, type, before);
	tflite_describe(t, tflite_output(t, 0), &result);
	tflite_emit_reshape(t, before, tflite_output_operand(t, 0), &result);
}

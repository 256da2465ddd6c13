// SPDX-License-Identifier: MIT
/* Errors, values in both orders, and operations of a translation. */
#include "frontend/onnx/translation.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- errors */

__attribute__((format(printf, 3, 0))) static void say(struct onnx_translation *t, int ret,
						      const char *format, va_list args)
{
	char label[ONNX_LABEL_SIZE];
	int n = 0;

	if (t->ret)
		return;
	t->ret = ret;
	if (t->node)
		n = snprintf(t->error, ONNX_ERROR_SIZE, "%s: ",
			     onnx_node_label(t->model, t->number, label));
	vsnprintf(t->error + n, ONNX_ERROR_SIZE - (size_t)n, format, args);
}

void onnx_unsupported(struct onnx_translation *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(t, -ENOTSUP, format, args);
	va_end(args);
}

void onnx_wrong(struct onnx_translation *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(t, -EINVAL, format, args);
	va_end(args);
}

__attribute__((format(printf, 3, 4))) static void fail(struct onnx_translation *t, int ret,
						       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(t, ret, format, args);
	va_end(args);
}

void onnx_no_memory(struct onnx_translation *t)
{
	fail(t, -ENOMEM, "no memory");
}

void *onnx_make(struct onnx_translation *t, uint64_t size)
{
	void *to;

	if (t->ret)
		return NULL;
	t->folded += size;
	if (t->folded > (uint64_t)ONNX_MAX_FOLDED * 16) {
		onnx_unsupported(t, "the model computes more than %u MiB of constants",
				 ONNX_MAX_FOLDED >> 16);
		return NULL;
	}
	to = onnx_model_allocate(t->made, (size_t)size + 1);
	if (!to)
		onnx_no_memory(t);
	return to;
}

/* ------------------------------------------------------------------------ values and parameters */

/* What functions return after an error. */
static struct onnx_state *nothing(struct onnx_translation *t)
{
	/* Behind those of the model there is one that nobody reads. */
	struct onnx_state *state = &t->states[t->model->value_count];

	*state = (struct onnx_state){ .tensor = { .type = ONNX_FLOAT, .rank = 1, .dims = { 1 } },
				      .dequantizer = ONNX_ABSENT, .reader = ONNX_ABSENT };
	for (int i = 0; i < 2; i++)
		state->real[i] = state->stored[i] = onnx_no_operand();
	return state;
}

bool onnx_has(const struct onnx_translation *t, uint32_t input)
{
	return input < t->node->input_count && t->node->inputs[input] != ONNX_ABSENT;
}

struct onnx_state *onnx_input(struct onnx_translation *t, uint32_t input)
{
	struct onnx_state *state;
	char name[64];

	if (!onnx_has(t, input)) {
		onnx_wrong(t, "it has no input %u", input);
		return nothing(t);
	}
	state = &t->states[t->node->inputs[input]];
	if (!state->known) {
		onnx_unsupported(t, "the shape of input %u (\"%s\") is not known", input,
				 onnx_printable(t->model->values[t->node->inputs[input]].name, name,
						sizeof(name)));
		return nothing(t);
	}
	return t->ret ? nothing(t) : state;
}

const struct onnx_tensor *onnx_tensor(struct onnx_translation *t, uint32_t input)
{
	return &onnx_input(t, input)->tensor;
}

/* Computes the floats of a constant that DequantizeLinear gives, which are mostly not needed. */
static void materialise(struct onnx_translation *t, struct onnx_state *s)
{
	struct onnx_quantisation q;
	struct onnx_tensor numbers;

	if (t->ret || s->tensor.data || s->dequantizer == ONNX_ABSENT)
		return;
	if (onnx_dequantized(t, s->dequantizer, &q, &numbers))
		onnx_dequantize(t, &numbers, &q, &s->tensor);
}

const struct onnx_tensor *onnx_constant(struct onnx_translation *t, uint32_t input)
{
	struct onnx_state *s = onnx_input(t, input);
	const struct onnx_tensor *x = &s->tensor;
	static const uint64_t zero;

	materialise(t, s);
	if (x->data)
		return x;
	onnx_unsupported(t, "input %u is computed while the model runs; supported: a constant",
			 input);
	x = &nothing(t)->tensor;
	((struct onnx_tensor *)x)->data = &zero;
	return x;
}

void onnx_need_float(struct onnx_translation *t, uint32_t input)
{
	const struct onnx_tensor *x = onnx_tensor(t, input);

	if (!t->ret && !onnx_type_is_float(x->type))
		onnx_unsupported(t, "input %u is %s; supported: FLOAT and FLOAT16", input,
				 onnx_type_name(x->type));
}

void onnx_need_rank(struct onnx_translation *t, uint32_t input, uint32_t least, uint32_t most)
{
	const struct onnx_tensor *x = onnx_tensor(t, input);

	if (!t->ret && (x->rank < least || x->rank > most))
		onnx_unsupported(t, "input %u has %u dimensions; supported: %u to %u", input,
				 x->rank, least, most);
}

static float half_to_float(uint16_t half)
{
	const uint32_t sign = (uint32_t)(half & 0x8000) << 16, fraction = half & 0x3ff;
	int32_t exponent = half >> 10 & 0x1f;
	uint32_t bits;
	float f;

	if (exponent == 31) {
		bits = sign | 0x7f800000 | fraction << 13;
	} else if (exponent) {
		bits = sign | (uint32_t)(exponent + 112) << 23 | fraction << 13;
	} else {
		f = (float)fraction * 0x1p-24f;
		return sign ? -f : f;
	}
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint16_t float_to_half(float f)
{
	uint32_t bits, sign, shift;
	int32_t exponent;
	uint64_t fraction;

	memcpy(&bits, &f, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	exponent = (int32_t)(bits >> 23 & 0xff) - 127;
	fraction = (bits & 0x7fffff) | 0x800000;
	if (exponent == 128)
		return (uint16_t)(sign | 0x7c00 | (bits & 0x7fffff ? 0x200 : 0));
	if (exponent > 15)
		return (uint16_t)(sign | 0x7c00);
	if (exponent < -25)
		return (uint16_t)sign;
	/* Round to the nearest, halves to even; a carry goes on into the exponent. */
	shift = exponent < -14 ? (uint32_t)(-1 - exponent) : 13;
	fraction = (fraction >> shift) + ((fraction >> (shift - 1) & 1) &&
		   ((fraction & ((1ull << (shift - 1)) - 1)) || (fraction >> shift & 1)));
	if (exponent >= -14)
		fraction += (uint64_t)(exponent + 14) << 10;
	return (uint16_t)(sign | (uint32_t)fraction);
}

void onnx_put_int(const struct onnx_tensor *x, uint64_t i, int64_t value)
{
	const uint32_t size = onnx_type_bits(x->type) / 8;

	if (x->type == ONNX_FLOAT || x->type == ONNX_FLOAT16 || x->type == ONNX_DOUBLE) {
		onnx_put_real(x, i, (double)value);
		return;
	}
	if (x->type == ONNX_BOOL)
		value = value != 0;
	memcpy((uint8_t *)x->data + size * i, &value, size);
}

void onnx_put_real(const struct onnx_tensor *x, uint64_t i, double value)
{
	uint8_t *at = (uint8_t *)x->data;
	const float f = (float)value;
	uint16_t half;

	switch (x->type) {
	case ONNX_FLOAT:
		memcpy(at + 4 * i, &f, sizeof(f));
		break;
	case ONNX_FLOAT16:
		half = float_to_half(f);
		memcpy(at + 2 * i, &half, sizeof(half));
		break;
	case ONNX_DOUBLE:
		memcpy(at + 8 * i, &value, sizeof(value));
		break;
	case ONNX_BOOL:
		at[i] = value != 0;
		break;
	default:
		onnx_put_int(x, i, value > -0x1p62 && value < 0x1p62 ? (int64_t)value : 0);
	}
}

bool onnx_make_tensor(struct onnx_translation *t, struct onnx_tensor *to)
{
	uint64_t elements;

	if (!onnx_count_elements(to->rank, to->dims, &elements) || elements > ONNX_MAX_FOLDED) {
		onnx_unsupported(t, "a constant of more than %u elements", ONNX_MAX_FOLDED);
		return false;
	}
	to->size = (size_t)onnx_type_bytes(to->type, elements);
	to->data = onnx_make(t, to->size);
	return to->data;
}

double onnx_real_at(const struct onnx_tensor *x, uint64_t i)
{
	const uint8_t *at = x->data;
	uint16_t half;
	uint32_t bits;
	double d;
	float f;

	switch (x->type) {
	case ONNX_FLOAT:
		memcpy(&f, at + 4 * i, sizeof(f));
		return (double)f;
	case ONNX_FLOAT16:
		memcpy(&half, at + 2 * i, sizeof(half));
		return (double)half_to_float(half);
	case ONNX_BFLOAT16:
		memcpy(&half, at + 2 * i, sizeof(half));
		bits = (uint32_t)half << 16;
		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	case ONNX_DOUBLE:
		memcpy(&d, at + 8 * i, sizeof(d));
		return d;
	default:
		return (double)onnx_int_at(x, i);
	}
}

int64_t onnx_int_at(const struct onnx_tensor *x, uint64_t i)
{
	const uint8_t *at = x->data;
	uint32_t bits = onnx_type_bits(x->type), size = bits / 8;
	uint64_t value = 0;
	bool is_signed;
	double d;

	switch (x->type) {
	case ONNX_FLOAT:
	case ONNX_FLOAT16:
	case ONNX_BFLOAT16:
	case ONNX_DOUBLE:
		d = onnx_real_at(x, i);
		return d > -0x1p62 && d < 0x1p62 ? (int64_t)d : 0;
	case ONNX_BOOL:
		return at[i] != 0;
	case ONNX_INT4:
	case ONNX_UINT4:
		value = at[i / 2] >> (i % 2 * 4) & 0xf;
		return x->type == ONNX_INT4 && value > 7 ? (int64_t)value - 16 : (int64_t)value;
	}
	if (!size)
		return 0;
	memcpy(&value, at + size * i, size);
	is_signed = x->type == ONNX_INT8 || x->type == ONNX_INT16 || x->type == ONNX_INT32;
	if (is_signed && value >> (bits - 1))
		value |= ~0ull << bits;
	return (int64_t)value;
}

uint64_t onnx_elements(const struct onnx_tensor *x)
{
	uint64_t elements = 0;

	return onnx_count_elements(x->rank, x->dims, &elements) ? elements : 0;
}

static const struct onnx_attribute *attribute(struct onnx_translation *t, const char *name,
					      enum onnx_kind kind)
{
	const struct onnx_attribute *a = onnx_node_attribute(t->node, name);

	if (!a || a->kind == kind)
		return a;
	onnx_wrong(t, "the attribute %s is of another kind", name);
	return NULL;
}

int64_t onnx_attribute_int(struct onnx_translation *t, const char *name, int64_t fallback)
{
	const struct onnx_attribute *a = attribute(t, name, ONNX_KIND_INT);

	return a ? a->i : fallback;
}

float onnx_attribute_float(struct onnx_translation *t, const char *name, float fallback)
{
	const struct onnx_attribute *a = attribute(t, name, ONNX_KIND_FLOAT);

	return a ? a->f : fallback;
}

const char *onnx_attribute_text(struct onnx_translation *t, const char *name, const char *fallback)
{
	const struct onnx_attribute *a = attribute(t, name, ONNX_KIND_STRING);

	return a ? a->s : fallback;
}

void onnx_attribute_ints(struct onnx_translation *t, const char *name, int64_t *to, uint32_t count,
			 int64_t fallback)
{
	const struct onnx_attribute *a = attribute(t, name, ONNX_KIND_INTS);

	for (uint32_t i = 0; i < count; i++)
		to[i] = fallback;
	if (!a || !a->count)
		return;
	if (a->count != count) {
		onnx_wrong(t, "the attribute %s has %u numbers; expected %u", name, a->count,
			   count);
		return;
	}
	memcpy(to, a->ints, count * sizeof(*to));
}

uint32_t onnx_list(struct onnx_translation *t, uint32_t input, const char *name, int64_t *to,
		   uint32_t room)
{
	const struct onnx_attribute *a = name ? attribute(t, name, ONNX_KIND_INTS) : NULL;
	const struct onnx_tensor *x = NULL;
	uint64_t count;

	if (input != ONNX_ABSENT && onnx_has(t, input))
		x = onnx_constant(t, input);
	if (t->ret || (!x && !a))
		return ONNX_ABSENT;
	count = x ? onnx_elements(x) : a->count;
	if (count > room) {
		onnx_unsupported(t, "a list of %llu numbers; supported: %u",
				 (unsigned long long)count, room);
		return ONNX_ABSENT;
	}
	for (uint32_t i = 0; i < count; i++)
		to[i] = x ? onnx_int_at(x, i) : a->ints[i];
	return (uint32_t)count;
}

uint32_t onnx_axis(struct onnx_translation *t, int64_t axis, uint32_t rank)
{
	if (axis < 0)
		axis += rank;
	if (axis >= 0 && axis < (int64_t)rank)
		return (uint32_t)axis;
	onnx_wrong(t, "an axis is beyond the %u dimensions", rank);
	return 0;
}

/* ------------------------------------------------------------------------------------- operands */

struct onnx_operand onnx_no_operand(void)
{
	return (struct onnx_operand){ .number = ONNX_ABSENT };
}

struct onnx_operand onnx_like(const struct onnx_operand *x, uint32_t type)
{
	struct onnx_operand out = *x;

	out.number = ONNX_ABSENT;
	if (type != x->type) {
		const bool quantised = type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ||
				       type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED ||
				       type == NNA_OPERAND_TENSOR_QUANT16_SYMM;

		out.scale = quantised ? 1 : 0;
		out.zero = 0;
	}
	out.type = type;
	return out;
}

uint32_t onnx_count(const struct onnx_operand *x)
{
	uint64_t n = 1;

	for (uint32_t i = 0; i < x->rank; i++)
		n = n > UINT32_MAX ? n : n * x->dims[i];
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

struct onnx_operand onnx_add(struct onnx_translation *t, struct onnx_operand x)
{
	static const uint32_t one = 1;
	struct nna_operand_desc desc = {
		.type = x.type,
		.rank = x.rank ? x.rank : 1,
		.dims = x.rank ? x.dims : &one,
		.scale = x.scale,
		.zero_point = x.zero,
	};
	uint64_t elements = 1;
	int ret;

	x.number = 0;
	for (uint32_t i = 0; i < x.rank && !t->ret; i++) {
		elements = elements > UINT32_MAX ? elements : elements * x.dims[i];
		if (!x.dims[i])
			onnx_unsupported(t, "a tensor without elements");
	}
	if (!t->ret && elements > UINT32_MAX)
		onnx_unsupported(t, "a tensor of more than 4294967295 elements");
	if (t->ret)
		return x;
	ret = nna_graph_add_operand(t->graph, 0, &desc);
	if (ret < 0)
		fail(t, ret, "an operand was refused: %s", strerror(-ret));
	else
		x.number = (uint32_t)ret;
	return x;
}

struct onnx_operand onnx_add_constant(struct onnx_translation *t, struct onnx_operand x,
				      const void *data, uint64_t size, bool lasting)
{
	int ret;

	x = onnx_add(t, x);
	if (t->ret)
		return x;
	/* What reads floats expects them aligned. */
	lasting = lasting && !((uintptr_t)data & 7);
	ret = nna_graph_set_constant(t->graph, 0, x.number, data, (size_t)size, lasting);
	if (ret)
		fail(t, ret, "a constant was refused: %s", strerror(-ret));
	return x;
}

uint32_t onnx_operand_type(struct onnx_translation *t, uint32_t type)
{
	switch (type) {
	case ONNX_FLOAT:
		return NNA_OPERAND_TENSOR_FLOAT32;
	case ONNX_FLOAT16:
		return NNA_OPERAND_TENSOR_FLOAT16;
	case ONNX_INT32:
		return NNA_OPERAND_TENSOR_INT32;
	case ONNX_INT64:
		return NNA_OPERAND_TENSOR_INT64;
	case ONNX_BOOL:
		return NNA_OPERAND_TENSOR_BOOL8;
	case ONNX_UINT8:
		return NNA_OPERAND_TENSOR_QUANT8_ASYMM;
	case ONNX_INT8:
		return NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	case ONNX_INT16:
		return NNA_OPERAND_TENSOR_QUANT16_SYMM;
	default:
		onnx_unsupported(t, "a tensor of type %s", onnx_type_name(type));
		return NNA_OPERAND_TENSOR_FLOAT32;
	}
}

/* A description of a tensor, in ONNX' order. */
static struct onnx_operand describe(struct onnx_translation *t, const struct onnx_tensor *x)
{
	struct onnx_operand out = { .number = ONNX_ABSENT, .rank = x->rank,
				    .type = onnx_operand_type(t, x->type) };

	for (uint32_t i = 0; i < x->rank && !t->ret; i++) {
		if (x->dims[i] < 1 || x->dims[i] > INT32_MAX)
			onnx_unsupported(t, "a dimension of %lld", (long long)x->dims[i]);
		out.dims[i] = (uint32_t)x->dims[i];
	}
	if (x->type == ONNX_INT8 || x->type == ONNX_UINT8 || x->type == ONNX_INT16)
		out.scale = 1;
	return out;
}

uint32_t onnx_place(enum onnx_order order, uint32_t rank, uint32_t axis)
{
	if (order == ONNX_PLAIN || !axis)
		return axis;
	return axis == 1 ? rank - 1 : axis - 1;
}

/* The axes of an operand for a TRANSPOSE to the order @to from the other one. */
static void axes_to(enum onnx_order to, uint32_t rank, uint32_t *axes)
{
	for (uint32_t k = 0; k < rank; k++)
		if (to == ONNX_LAST)
			axes[onnx_place(ONNX_LAST, rank, k)] = k;
		else
			axes[k] = onnx_place(ONNX_LAST, rank, k);
}

static struct onnx_operand reordered(struct onnx_translation *t, struct onnx_operand x,
				     enum onnx_order to)
{
	uint32_t axes[ONNX_MAX_RANK];

	axes_to(to, x.rank, axes);
	return onnx_transpose(t, x, axes);
}

/* Whether the bytes of a constant are the model's, and so live as long as the graph. */
static bool is_lasting(const struct onnx_translation *t, const void *data)
{
	for (uint32_t i = 0; i < t->model->value_count; i++)
		if (t->model->values[i].tensor.data == data)
			return true;
	return false;
}

/* The operand of a constant, in ONNX' order. */
static struct onnx_operand constant_of(struct onnx_translation *t, const struct onnx_tensor *x)
{
	const struct onnx_operand out = describe(t, x);

	return onnx_add_constant(t, out, x->data, x->size, is_lasting(t, x->data));
}

/* A constant with its channels last, which is computed here. */
static struct onnx_operand last_constant(struct onnx_translation *t, const struct onnx_tensor *x)
{
	const uint32_t size = onnx_type_bits(x->type) / 8;
	const struct onnx_operand plain = describe(t, x);
	struct onnx_operand out = plain;
	uint64_t inner = 1, outer;
	uint8_t *to;

	if (t->ret || !size)
		return onnx_no_operand();
	to = onnx_make(t, x->size);
	if (!to)
		return onnx_no_operand();
	for (uint32_t k = 0; k < x->rank; k++)
		out.dims[onnx_place(ONNX_LAST, x->rank, k)] = plain.dims[k];
	for (uint32_t k = 2; k < x->rank; k++)
		inner *= plain.dims[k];
	outer = plain.dims[0];
	for (uint64_t n = 0; n < outer; n++)
		for (uint64_t c = 0; c < plain.dims[1]; c++)
			for (uint64_t i = 0; i < inner; i++)
				memcpy(to + ((n * inner + i) * plain.dims[1] + c) * size,
				       (const uint8_t *)x->data +
					       ((n * plain.dims[1] + c) * inner + i) * size, size);
	return onnx_add_constant(t, out, to, x->size, false);
}

/* Operands of the dequantised numbers, of those that are stored. */
static void dequantise(struct onnx_translation *t, struct onnx_state *s)
{
	const enum onnx_order order = s->stored[ONNX_PLAIN].number != ONNX_ABSENT ? ONNX_PLAIN :
										   ONNX_LAST;
	const struct onnx_operand x = s->stored[order];

	s->real[order] = onnx_unary(t, NNA_OPERATION_DEQUANTIZE, x);
	if (t->ret)
		return;
	if (s->tensor.type == ONNX_FLOAT16)
		s->real[order] = onnx_cast(t, s->real[order], NNA_OPERAND_TENSOR_FLOAT16);
}

static struct onnx_operand in_order(struct onnx_translation *t, struct onnx_state *s, bool stored,
				    enum onnx_order order)
{
	struct onnx_operand *at = stored ? s->stored : s->real;

	if (t->ret)
		return onnx_no_operand();
	if (order == ONNX_LAST && s->tensor.rank < 3)
		order = ONNX_PLAIN;
	if (at[order].number != ONNX_ABSENT)
		return at[order];
	if (!stored)
		materialise(t, s);
	if (!stored && s->tensor.data)
		return at[order] = order == ONNX_PLAIN ? constant_of(t, &s->tensor) :
							 last_constant(t, &s->tensor);
	if (!stored && at[!order].number == ONNX_ABSENT) {
		if (s->stored[0].number == ONNX_ABSENT && s->stored[1].number == ONNX_ABSENT) {
			onnx_unsupported(t, "an input has no value");
			return onnx_no_operand();
		}
		dequantise(t, s);
		if (t->ret || at[order].number != ONNX_ABSENT)
			return at[order];
	}
	return at[order] = reordered(t, at[!order], order);
}

struct onnx_operand onnx_in_order(struct onnx_translation *t, uint32_t input, enum onnx_order order)
{
	return in_order(t, onnx_input(t, input), false, order);
}

struct onnx_operand onnx_plain(struct onnx_translation *t, uint32_t input)
{
	return onnx_in_order(t, input, ONNX_PLAIN);
}

struct onnx_operand onnx_last(struct onnx_translation *t, uint32_t input)
{
	return onnx_in_order(t, input, ONNX_LAST);
}

static enum onnx_order order_of(const struct onnx_operand *at)
{
	return at[ONNX_PLAIN].number == ONNX_ABSENT && at[ONNX_LAST].number != ONNX_ABSENT ?
		       ONNX_LAST : ONNX_PLAIN;
}

static bool is_stored(const struct onnx_state *s)
{
	return s->stored[0].number != ONNX_ABSENT || s->stored[1].number != ONNX_ABSENT;
}

enum onnx_order onnx_order_of(struct onnx_translation *t, uint32_t input)
{
	const struct onnx_state *s = onnx_input(t, input);

	return s->real[0].number == ONNX_ABSENT && s->real[1].number == ONNX_ABSENT ?
		       order_of(s->stored) : order_of(s->real);
}

struct onnx_operand onnx_movable(struct onnx_translation *t, uint32_t input, enum onnx_order order)
{
	struct onnx_state *s = onnx_input(t, input);

	return in_order(t, s, is_stored(s), order);
}

enum onnx_order onnx_movable_order(struct onnx_translation *t, uint32_t input)
{
	const struct onnx_state *s = onnx_input(t, input);

	return order_of(is_stored(s) ? s->stored : s->real);
}

struct onnx_operand onnx_stored(struct onnx_translation *t, uint32_t input, enum onnx_order order)
{
	return in_order(t, onnx_input(t, input), true, order);
}

enum onnx_order onnx_stored_order(struct onnx_translation *t, uint32_t input)
{
	return order_of(onnx_input(t, input)->stored);
}

uint32_t onnx_output(const struct onnx_translation *t, uint32_t output)
{
	return output < t->node->output_count ? t->node->outputs[output] : ONNX_ABSENT;
}

/* ONNX' type of an operand's. */
static uint32_t type_of(uint32_t type)
{
	switch (type) {
	case NNA_OPERAND_TENSOR_FLOAT16:
		return ONNX_FLOAT16;
	case NNA_OPERAND_TENSOR_INT32:
		return ONNX_INT32;
	case NNA_OPERAND_TENSOR_INT64:
		return ONNX_INT64;
	case NNA_OPERAND_TENSOR_BOOL8:
		return ONNX_BOOL;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		return ONNX_UINT8;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
		return ONNX_INT8;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		return ONNX_INT16;
	default:
		return ONNX_FLOAT;
	}
}

static void set_shape(struct onnx_state *s, const struct onnx_operand *x, enum onnx_order order,
		      uint32_t type)
{
	s->known = true;
	s->tensor = (struct onnx_tensor){ .type = type, .rank = x->rank };
	for (uint32_t k = 0; k < x->rank; k++)
		s->tensor.dims[k] = x->dims[onnx_place(order, x->rank, k)];
}

void onnx_set(struct onnx_translation *t, uint32_t output, struct onnx_operand x,
	      enum onnx_order order)
{
	const uint32_t value = onnx_output(t, output);

	if (t->ret || value == ONNX_ABSENT)
		return;
	if (x.rank < 3)
		order = ONNX_PLAIN;
	set_shape(&t->states[value], &x, order, type_of(x.type));
	t->states[value].real[order] = x;
}

void onnx_set_moved(struct onnx_translation *t, uint32_t output, struct onnx_operand x,
		    enum onnx_order order, uint32_t input)
{
	const struct onnx_state *from = onnx_input(t, input);
	const uint32_t value = onnx_output(t, output);

	if (t->ret || value == ONNX_ABSENT)
		return;
	if (x.rank < 3)
		order = ONNX_PLAIN;
	set_shape(&t->states[value], &x, order, from->tensor.type);
	if (is_stored(from))
		t->states[value].stored[order] = x;
	else
		t->states[value].real[order] = x;
}

void onnx_set_constant(struct onnx_translation *t, uint32_t output, const struct onnx_tensor *x)
{
	const uint32_t value = onnx_output(t, output);

	if (t->ret || value == ONNX_ABSENT)
		return;
	t->states[value].known = true;
	t->states[value].tensor = *x;
}

/* ----------------------------------------------------------------------------------- operations */

void onnx_push(struct onnx_translation *t, uint32_t operand)
{
	if (t->ret)
		return;
	if (t->in_count == t->in_room) {
		const uint32_t room = t->in_room ? t->in_room * 2 : 32;
		uint32_t *grown = realloc(t->in, room * sizeof(*grown));

		if (!grown) {
			onnx_no_memory(t);
			return;
		}
		t->in = grown;
		t->in_room = room;
	}
	t->in[t->in_count++] = operand;
}

static void push_constant(struct onnx_translation *t, uint32_t type, uint32_t rank,
			  const uint32_t *dims, const void *data, size_t size)
{
	const struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };
	int ret, number;

	if (t->ret)
		return;
	number = nna_graph_add_operand(t->graph, 0, &desc);
	ret = number < 0 ? number : data ?
	      nna_graph_set_constant(t->graph, 0, (uint32_t)number, data, size, false) :
	      nna_graph_set_no_value(t->graph, 0, (uint32_t)number);
	if (ret)
		fail(t, ret, "a parameter was refused: %s", strerror(-ret));
	onnx_push(t, (uint32_t)number);
}

void onnx_push_omitted(struct onnx_translation *t, uint32_t type)
{
	push_constant(t, type, 0, NULL, NULL, 0);
}

void onnx_push_i32(struct onnx_translation *t, int32_t value)
{
	push_constant(t, NNA_OPERAND_INT32, 0, NULL, &value, sizeof(value));
}

void onnx_push_bool(struct onnx_translation *t, bool value)
{
	const uint8_t byte = value;

	push_constant(t, NNA_OPERAND_BOOL, 0, NULL, &byte, sizeof(byte));
}

void onnx_push_f32(struct onnx_translation *t, float value)
{
	push_constant(t, NNA_OPERAND_FLOAT32, 0, NULL, &value, sizeof(value));
}

void onnx_push_list(struct onnx_translation *t, const int32_t *values, uint32_t count)
{
	push_constant(t, NNA_OPERAND_TENSOR_INT32, 1, &count, values, count * sizeof(*values));
}

void onnx_push_table(struct onnx_translation *t, const int32_t *values, uint32_t rows,
		     uint32_t columns)
{
	const uint32_t dims[] = { rows, columns };

	push_constant(t, NNA_OPERAND_TENSOR_INT32, 2, dims, values,
		      (size_t)rows * columns * sizeof(*values));
}

void onnx_emit_all(struct onnx_translation *t, uint32_t type, const uint32_t *out, uint32_t count)
{
	int ret;

	if (t->ret)
		return;
	if (t->origin.count == t->origin_room) {
		const uint32_t room = t->origin_room ? t->origin_room * 2 : 64;
		uint32_t *grown = realloc(t->origin.nodes, room * sizeof(*grown));

		if (!grown) {
			onnx_no_memory(t);
			return;
		}
		t->origin.nodes = grown;
		t->origin_room = room;
	}
	ret = nna_graph_add_operation(t->graph, 0, type, t->in_count, t->in, count, out);
	t->in_count = 0;
	if (ret) {
		fail(t, ret, "%s was refused: %s", nna_operation_name(type), strerror(-ret));
		return;
	}
	t->origin.nodes[t->origin.count++] = t->number;
}

struct onnx_operand onnx_emit(struct onnx_translation *t, uint32_t type, struct onnx_operand out)
{
	out = onnx_add(t, out);
	onnx_emit_all(t, type, &out.number, 1);
	return out;
}

struct onnx_operand onnx_unary(struct onnx_translation *t, uint32_t type, struct onnx_operand x)
{
	onnx_push(t, x.number);
	return onnx_emit(t, type, onnx_like(&x, type == NNA_OPERATION_DEQUANTIZE ?
						NNA_OPERAND_TENSOR_FLOAT32 : x.type));
}

/* The dims of two tensors that are broadcast. */
static void broadcast(struct onnx_translation *t, const struct onnx_operand *a,
		      const struct onnx_operand *b, struct onnx_operand *out)
{
	const uint32_t rank = a->rank > b->rank ? a->rank : b->rank;

	out->rank = rank;
	for (uint32_t k = 0; k < rank && !t->ret; k++) {
		const uint32_t x = k + a->rank < rank ? 1 : a->dims[k + a->rank - rank];
		const uint32_t y = k + b->rank < rank ? 1 : b->dims[k + b->rank - rank];

		if (x != y && x != 1 && y != 1)
			onnx_wrong(t, "dimensions of %u and %u do not agree", x, y);
		out->dims[k] = x == 1 ? y : x;
	}
}

struct onnx_operand onnx_binary(struct onnx_translation *t, uint32_t type, struct onnx_operand a,
				struct onnx_operand b)
{
	struct onnx_operand out = onnx_like(&a, a.type);

	broadcast(t, &a, &b, &out);
	switch (type) {
	case NNA_OPERATION_EQUAL:
	case NNA_OPERATION_NOT_EQUAL:
	case NNA_OPERATION_LESS:
	case NNA_OPERATION_LESS_EQUAL:
	case NNA_OPERATION_GREATER:
	case NNA_OPERATION_GREATER_EQUAL:
		out.type = NNA_OPERAND_TENSOR_BOOL8;
		out.scale = 0;
		out.zero = 0;
	}
	onnx_push(t, a.number);
	onnx_push(t, b.number);
	if (type == NNA_OPERATION_ADD || type == NNA_OPERATION_SUB || type == NNA_OPERATION_MUL ||
	    type == NNA_OPERATION_DIV)
		onnx_push_i32(t, NNA_ACT_NONE);
	return onnx_emit(t, type, out);
}

struct onnx_operand onnx_select(struct onnx_translation *t, struct onnx_operand condition,
				struct onnx_operand a, struct onnx_operand b)
{
	struct onnx_operand out = onnx_like(&a, a.type), all = out;

	broadcast(t, &a, &b, &out);
	broadcast(t, &out, &condition, &all);
	onnx_push(t, condition.number);
	onnx_push(t, a.number);
	onnx_push(t, b.number);
	return onnx_emit(t, NNA_OPERATION_SELECT, all);
}

struct onnx_operand onnx_cast(struct onnx_translation *t, struct onnx_operand x, uint32_t type)
{
	if (x.type == type)
		return x;
	onnx_push(t, x.number);
	return onnx_emit(t, NNA_OPERATION_CAST, onnx_like(&x, type));
}

struct onnx_operand onnx_bitcast(struct onnx_translation *t, struct onnx_operand x, uint32_t type,
				 float scale, int32_t zero)
{
	struct onnx_operand out = x;

	/* The same float, not one that is close to it. */
	if (x.type == type && !memcmp(&x.scale, &scale, sizeof(scale)) && x.zero == zero)
		return x;
	out.type = type;
	out.scale = scale;
	out.zero = zero;
	onnx_push(t, x.number);
	return onnx_emit(t, NNA_OPERATION_BITCAST, out);
}

struct onnx_operand onnx_number(struct onnx_translation *t, const struct onnx_operand *like,
				double value)
{
	struct onnx_operand out = { .number = ONNX_ABSENT, .type = like->type };
	const int32_t i32 = (int32_t)(value > INT32_MAX ? INT32_MAX :
				      value < INT32_MIN ? INT32_MIN : value);
	const int64_t i64 = i32;
	const float f = (float)value;
	const uint16_t half = float_to_half(f);

	switch (like->type) {
	case NNA_OPERAND_TENSOR_FLOAT16:
		return onnx_add_constant(t, out, &half, sizeof(half), false);
	case NNA_OPERAND_TENSOR_INT32:
		return onnx_add_constant(t, out, &i32, sizeof(i32), false);
	case NNA_OPERAND_TENSOR_INT64:
		return onnx_add_constant(t, out, &i64, sizeof(i64), false);
	default:
		return onnx_add_constant(t, out, &f, sizeof(f), false);
	}
}

struct onnx_operand onnx_ints(struct onnx_translation *t, uint32_t count, const int32_t *values)
{
	const struct onnx_operand out = { .number = ONNX_ABSENT, .rank = 1, .dims = { count },
					  .type = NNA_OPERAND_TENSOR_INT32 };

	return onnx_add_constant(t, out, values, count * sizeof(*values), false);
}

struct onnx_operand onnx_reshape(struct onnx_translation *t, struct onnx_operand x, uint32_t rank,
				 const uint32_t *dims)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	int32_t list[ONNX_MAX_RANK] = { 1 };

	out.rank = rank;
	for (uint32_t k = 0; k < rank; k++) {
		out.dims[k] = dims[k];
		list[k] = (int32_t)dims[k];
	}
	if (!t->ret && onnx_count(&out) != onnx_count(&x))
		onnx_wrong(t, "%u elements become %u", onnx_count(&x), onnx_count(&out));
	if (rank == x.rank && !memcmp(dims, x.dims, rank * sizeof(*dims)))
		return x;
	onnx_push(t, x.number);
	onnx_push_list(t, list, rank ? rank : 1);
	return onnx_emit(t, NNA_OPERATION_RESHAPE, out);
}

struct onnx_operand onnx_transpose(struct onnx_translation *t, struct onnx_operand x,
				   const uint32_t *axes)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	uint32_t last = 0;
	int32_t list[ONNX_MAX_RANK];
	bool moves = false;

	for (uint32_t k = 0; k < x.rank; k++) {
		out.dims[k] = x.dims[axes[k]];
		list[k] = (int32_t)axes[k];
		/* Dimensions of 1 may go anywhere. */
		if (out.dims[k] == 1)
			continue;
		moves |= axes[k] < last;
		last = axes[k];
	}
	if (!moves)
		return onnx_reshape(t, x, x.rank, out.dims);
	onnx_push(t, x.number);
	onnx_push_list(t, list, x.rank);
	return onnx_emit(t, NNA_OPERATION_TRANSPOSE, out);
}

struct onnx_operand onnx_part(struct onnx_translation *t, struct onnx_operand x, uint32_t axis,
			      uint32_t begin, uint32_t size)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	int32_t from[ONNX_MAX_RANK] = { 0 }, count[ONNX_MAX_RANK];

	for (uint32_t k = 0; k < x.rank; k++)
		count[k] = (int32_t)x.dims[k];
	from[axis] = (int32_t)begin;
	count[axis] = (int32_t)size;
	out.dims[axis] = size;
	onnx_push(t, x.number);
	onnx_push_list(t, from, x.rank);
	onnx_push_list(t, count, x.rank);
	return onnx_emit(t, NNA_OPERATION_SLICE, out);
}

struct onnx_operand onnx_gather(struct onnx_translation *t, struct onnx_operand x, uint32_t axis,
				struct onnx_operand indices)
{
	const uint32_t inner = indices.rank ? indices.rank : 1;
	struct onnx_operand out = onnx_like(&x, x.type);
	uint32_t n = axis, dims[ONNX_MAX_RANK];

	if (x.rank + inner - 1 > ONNX_MAX_RANK) {
		onnx_unsupported(t, "a result of more than %u dimensions", ONNX_MAX_RANK);
		return out;
	}
	for (uint32_t k = 0; k < inner; k++)
		out.dims[n++] = indices.rank ? indices.dims[k] : 1;
	for (uint32_t k = axis + 1; k < x.rank; k++)
		out.dims[n++] = x.dims[k];
	out.rank = n;
	onnx_push(t, x.number);
	onnx_push_i32(t, (int32_t)axis);
	onnx_push(t, indices.number);
	out = onnx_emit(t, NNA_OPERATION_GATHER, out);
	if (indices.rank)
		return out;
	/* NNAPI's scalars are [1]: the dimension goes. */
	for (uint32_t k = 0; k + 1 < x.rank; k++)
		dims[k] = x.dims[k < axis ? k : k + 1];
	return onnx_reshape(t, out, x.rank - 1, dims);
}

struct onnx_operand onnx_pad(struct onnx_translation *t, struct onnx_operand x, const int32_t *pads)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	bool any = false;

	for (uint32_t k = 0; k < x.rank; k++) {
		out.dims[k] += (uint32_t)(pads[2 * k] + pads[2 * k + 1]);
		any |= pads[2 * k] || pads[2 * k + 1];
	}
	if (!any)
		return x;
	onnx_push(t, x.number);
	onnx_push_table(t, pads, x.rank, 2);
	return onnx_emit(t, NNA_OPERATION_PAD, out);
}

struct onnx_operand onnx_expand(struct onnx_translation *t, struct onnx_operand x, uint32_t rank,
				const uint32_t *dims)
{
	uint32_t wide[ONNX_MAX_RANK] = { 0 };
	struct onnx_operand out;
	int32_t times[ONNX_MAX_RANK];
	bool any = false;

	for (uint32_t k = 0; k < rank; k++)
		wide[k] = k + x.rank < rank ? 1 : x.dims[k + x.rank - rank];
	x = onnx_reshape(t, x, rank, wide);
	out = onnx_like(&x, x.type);
	for (uint32_t k = 0; k < rank; k++) {
		times[k] = wide[k] == dims[k] ? 1 : (int32_t)dims[k];
		out.dims[k] = dims[k];
		any |= times[k] != 1;
	}
	if (!any)
		return x;
	onnx_push(t, x.number);
	onnx_push_list(t, times, rank);
	return onnx_emit(t, NNA_OPERATION_TILE, out);
}

struct onnx_operand onnx_reduce(struct onnx_translation *t, uint32_t type, struct onnx_operand x,
				uint32_t axes, bool keep)
{
	struct onnx_operand out = onnx_like(&x, x.type);
	int32_t list[ONNX_MAX_RANK];
	uint32_t n = 0, rank = 0;

	for (uint32_t k = 0; k < x.rank; k++) {
		if (axes >> k & 1)
			list[n++] = (int32_t)k;
		if (axes >> k & 1 && keep)
			out.dims[rank++] = 1;
		else if (!(axes >> k & 1))
			out.dims[rank++] = x.dims[k];
	}
	out.rank = rank;
	if (!n)
		return x;
	onnx_push(t, x.number);
	onnx_push_list(t, list, n);
	if (type == NNA_OPERATION_MEAN)
		onnx_push_i32(t, keep);
	else
		onnx_push_bool(t, keep);
	return onnx_emit(t, type, out);
}

/*
 * CONCATENATION has at most 4 dimensions: those before the axis are one, and so are those behind.
 */
struct onnx_operand onnx_joined(struct onnx_translation *t, uint32_t count,
				struct onnx_operand *parts, uint32_t axis)
{
	struct onnx_operand out = onnx_like(&parts[0], parts[0].type), whole;
	const bool folds = out.rank > 4;
	uint32_t folded[3] = { 1, 0, 1 };

	for (uint32_t k = 0; k < out.rank; k++)
		if (k != axis)
			folded[k > axis ? 2 : 0] *= out.dims[k];
	out.dims[axis] = 0;
	for (uint32_t i = 0; i < count && !t->ret; i++) {
		bool fits = parts[i].rank == out.rank;

		for (uint32_t k = 0; k < out.rank && fits; k++)
			fits = k == axis || parts[i].dims[k] == out.dims[k];
		if (!fits)
			onnx_wrong(t, "input %u has other dimensions", i);
		out.dims[axis] += parts[i].dims[axis];
	}
	for (uint32_t i = 0; i < count && folds && !t->ret; i++) {
		folded[1] = parts[i].dims[axis];
		parts[i] = onnx_reshape(t, parts[i], 3, folded);
	}
	for (uint32_t i = 0; i < count; i++)
		onnx_push(t, parts[i].number);
	onnx_push_i32(t, (int32_t)(folds ? 1 : axis));
	if (!folds)
		return onnx_emit(t, NNA_OPERATION_CONCATENATION, out);
	folded[1] = out.dims[axis];
	whole = onnx_like(&out, out.type);
	whole.rank = 3;
	memcpy(whole.dims, folded, sizeof(folded));
	return onnx_reshape(t, onnx_emit(t, NNA_OPERATION_CONCATENATION, whole), out.rank,
			    out.dims);
}

/* ------------------------------------------------------------------------------- several inputs */

/* An input of an operator that broadcasts, with @rank dimensions where its order is not ONNX'. */
static struct onnx_operand widened(struct onnx_translation *t, uint32_t input, uint32_t rank,
				   enum onnx_order order)
{
	const struct onnx_state *s = onnx_input(t, input);
	struct onnx_state wide;
	struct onnx_operand x;
	uint32_t dims[ONNX_MAX_RANK];

	if (order == ONNX_PLAIN || s->tensor.rank == rank || t->ret)
		return onnx_in_order(t, input, order);
	if (s->tensor.data && onnx_elements(&s->tensor) == 1)
		return onnx_plain(t, input);
	if (s->tensor.data) {
		wide = *s;
		wide.tensor.rank = rank;
		for (uint32_t k = 0; k < rank; k++)
			wide.tensor.dims[k] = k + s->tensor.rank < rank ? 1 :
					      s->tensor.dims[k + s->tensor.rank - rank];
		return last_constant(t, &wide.tensor);
	}
	x = onnx_plain(t, input);
	for (uint32_t k = 0; k < rank; k++)
		dims[k] = k + x.rank < rank ? 1 : x.dims[k + x.rank - rank];
	return reordered(t, onnx_reshape(t, x, rank, dims), ONNX_LAST);
}

/*
 * The order of the largest input that is there in one order alone: what is small is transposed more
 * cheaply.
 */
enum onnx_order onnx_common_order(struct onnx_translation *t, uint32_t first, uint32_t count,
				  struct onnx_operand *to)
{
	enum onnx_order order = ONNX_PLAIN;
	uint64_t most = 0;
	uint32_t rank = 0;

	for (uint32_t i = first; i < first + count; i++) {
		const struct onnx_tensor *x = onnx_tensor(t, i);

		rank = x->rank > rank ? x->rank : rank;
	}
	for (uint32_t i = first; i < first + count && !t->ret && rank >= 3; i++) {
		const struct onnx_state *s = onnx_input(t, i);
		const uint64_t elements = onnx_elements(&s->tensor);

		if (s->tensor.data || s->tensor.rank < rank || elements <= most)
			continue;
		most = elements;
		order = onnx_order_of(t, i);
	}
	for (uint32_t i = 0; i < count; i++)
		to[i] = widened(t, first + i, rank, order);
	return order;
}

enum onnx_order onnx_pair(struct onnx_translation *t, uint32_t a, uint32_t b,
			  struct onnx_operand *x, struct onnx_operand *y)
{
	struct onnx_operand both[2];
	enum onnx_order order;

	if (b != a + 1) {
		*x = onnx_plain(t, a);
		*y = onnx_plain(t, b);
		return ONNX_PLAIN;
	}
	order = onnx_common_order(t, a, 2, both);
	*x = both[0];
	*y = both[1];
	return order;
}

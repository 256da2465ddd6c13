// SPDX-License-Identifier: MIT
/* Values of the model: their operands in both orders, and what nodes say of themselves. */
#include "frontend/onnx/translation.h"

#include <limits.h>
#include <string.h>

/* What functions return after an error. */
static struct onnx_state *nothing(struct onnx_translation *t)
{
	/* Behind those of the model there is one that nobody reads: a zero. */
	struct onnx_state *state = &t->states[t->model->value_count];
	static const uint64_t zero;

	*state = (struct onnx_state){ .tensor = { .type = ONNX_FLOAT, .rank = 1, .dims = { 1 },
						  .data = &zero, .size = 4 },
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

	materialise(t, s);
	if (x->data)
		return x;
	onnx_unsupported(t, "input %u is computed while the model runs; supported: a constant",
			 input);
	return &nothing(t)->tensor;
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

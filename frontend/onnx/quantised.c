// SPDX-License-Identifier: MIT
/*
 * QuantizeLinear, DequantizeLinear, and nodes between them.
 *
 * A DequantizeLinear adds no operation at first: its result has the stored numbers as operands, and
 * floats are made where a node needs them. One of a constant keeps the numbers of the model. A
 * QuantizeLinear of a value whose stored numbers have its parameters is those numbers.
 */
#include "frontend/onnx/translation.h"

#include <string.h>

bool onnx_weights(struct onnx_translation *t, uint32_t input, struct onnx_quantisation *q,
		  struct onnx_tensor *numbers)
{
	const struct onnx_state *s = onnx_input(t, input);

	return s->dequantizer != ONNX_ABSENT && onnx_dequantized(t, s->dequantizer, q, numbers);
}

/* ------------------------------------------------------------------------------------ operators */

/* Numbers of a type that has no DEQUANTIZE: cast, less the zero point, times the scale. */
static void dequantise_by_hand(struct onnx_translation *t, const struct onnx_quantisation *q)
{
	struct onnx_operand x = onnx_plain(t, 0), parameter = { .number = ONNX_ABSENT, .rank = 1 };
	float *zeros;

	if (q->block) {
		onnx_unsupported(t, "blocks of a value that is computed while the model runs");
		return;
	}
	zeros = onnx_make(t, q->count * sizeof(*zeros));
	if (t->ret)
		return;
	for (uint32_t i = 0; i < q->count; i++)
		zeros[i] = (float)q->zeros[i];
	x = onnx_cast(t, x, NNA_OPERAND_TENSOR_FLOAT32);
	parameter.type = NNA_OPERAND_TENSOR_FLOAT32;
	parameter.rank = x.rank > q->axis && q->count > 1 ? x.rank - q->axis : 1;
	for (uint32_t k = 0; k < parameter.rank; k++)
		parameter.dims[k] = k ? 1 : q->count;
	x = onnx_binary(t, NNA_OPERATION_SUB, x,
			onnx_add_constant(t, parameter, zeros, q->count * sizeof(*zeros), false));
	x = onnx_binary(t, NNA_OPERATION_MUL, x,
			onnx_add_constant(t, parameter, q->scales, q->count * sizeof(*q->scales),
					  false));
	onnx_set(t, 0, onnx_cast(t, x, onnx_operand_type(t, q->real)), ONNX_PLAIN);
}

void onnx_translate_dequantize(struct onnx_translation *t)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	const uint32_t value = onnx_output(t, 0);
	struct onnx_quantisation q;
	struct onnx_state *s;
	struct onnx_operand stored;
	enum onnx_order order;
	uint32_t type;

	if (t->ret || value == ONNX_ABSENT)
		return;
	if (!onnx_quantisation_of(t, t->number, &q)) {
		onnx_unsupported(t, "a scale or zero point that is no constant, or not positive");
		return;
	}
	type = (uint32_t)onnx_attribute_int(t, "output_dtype", 0);
	if (type && type != q.real)
		onnx_unsupported(t, "an output_dtype of %s with scales of %s",
				 onnx_type_name(type), onnx_type_name(q.real));
	if (t->ret)
		return;
	s = &t->states[value];
	if (x->data) {
		s->known = true;
		s->tensor = *x;
		s->tensor.type = q.real;
		s->tensor.data = NULL;
		s->dequantizer = t->number;
		return;
	}
	if (q.count > 1 || q.block ||
	    (!onnx_type_is_int8(x->type) && (x->type != ONNX_INT16 || q.zeros[0]))) {
		dequantise_by_hand(t, &q);
		return;
	}
	order = onnx_order_of(t, 0);
	stored = onnx_in_order(t, 0, order);
	stored = onnx_bitcast(t, stored, stored.type, q.scales[0], q.zeros[0]);
	if (t->ret)
		return;
	s->known = true;
	s->tensor = *x;
	s->tensor.type = q.real;
	s->stored[stored.rank < 3 ? ONNX_PLAIN : order] = stored;
}

static bool has_parameters(const struct onnx_operand *x, const struct onnx_quantisation *q,
			   uint32_t type)
{
	return x->number != ONNX_ABSENT && x->type == type && x->scale == q->scales[0] &&
	       x->zero == q->zeros[0];
}

/*
 * @x / @scale as whole numbers, halves to even, as ONNX rounds; QUANTIZE rounds them away from
 * zero. A sum with 1.5 * 2^23 has no bits behind the point. Numbers that are too large for this
 * saturate.
 */
static struct onnx_operand rounded(struct onnx_translation *t, struct onnx_operand x, float scale)
{
	const struct onnx_operand large = onnx_number(t, &x, 0x1.8p23);

	x = onnx_binary(t, NNA_OPERATION_DIV, x, onnx_number(t, &x, (double)scale));
	x = onnx_binary(t, NNA_OPERATION_ADD, x, large);
	return onnx_binary(t, NNA_OPERATION_SUB, x, large);
}

void onnx_translate_quantize(struct onnx_translation *t)
{
	const uint32_t value = onnx_output(t, 0);
	struct onnx_quantisation q;
	struct onnx_operand x, out;
	struct onnx_state *s, *to;
	enum onnx_order order;
	uint32_t type;

	onnx_need_float(t, 0);
	if (t->ret || value == ONNX_ABSENT)
		return;
	if (!onnx_quantisation_of(t, t->number, &q)) {
		onnx_unsupported(t, "a scale or zero point that is no constant, or not positive");
		return;
	}
	if (q.count > 1 || q.block ||
	    (!onnx_type_is_int8(q.type) && (q.type != ONNX_INT16 || q.zeros[0]))) {
		onnx_unsupported(t, "a result of %s with %u scales; supported: one, for INT8, "
				 "UINT8, and INT16 with zero point 0", onnx_type_name(q.type), q.count);
		return;
	}
	type = onnx_operand_type(t, q.type);
	s = onnx_input(t, 0);
	to = &t->states[value];
	if (has_parameters(&s->stored[0], &q, type) || has_parameters(&s->stored[1], &q, type)) {
		to->known = true;
		to->tensor = s->tensor;
		to->tensor.type = q.type;
		memcpy(to->real, s->stored, sizeof(to->real));
		return;
	}
	order = onnx_order_of(t, 0);
	x = onnx_cast(t, onnx_in_order(t, 0, order), NNA_OPERAND_TENSOR_FLOAT32);
	x = rounded(t, x, q.scales[0]);
	out = onnx_like(&x, type);
	out.zero = q.zeros[0];
	onnx_push(t, x.number);
	x = onnx_emit(t, NNA_OPERATION_QUANTIZE, out);
	onnx_set(t, 0, onnx_bitcast(t, x, type, q.scales[0], q.zeros[0]), order);
}

/* ---------------------------------------------------------------------------------------- units */

/* The only node that reads the output of node @number, and nothing else has it. */
static uint32_t reader_of(const struct onnx_translation *t, uint32_t number)
{
	const struct onnx_node *node = &t->model->nodes[number];

	if (node->output_count != 1 || node->outputs[0] == ONNX_ABSENT ||
	    t->model->values[node->outputs[0]].output)
		return ONNX_ABSENT;
	return t->states[node->outputs[0]].reader;
}

/* NNAPI's activation that a node is. */
static int32_t activation_of(const struct onnx_translation *t, const struct onnx_node *node)
{
	const struct onnx_tensor *low, *high;

	if (onnx_node_is(node, "Relu"))
		return NNA_ACT_RELU;
	if (!onnx_node_is(node, "Clip"))
		return NNA_ACT_NONE;
	low = onnx_constant_of(t, node, 1);
	high = onnx_constant_of(t, node, 2);
	if (!low || !high || !onnx_elements(low) || !onnx_elements(high))
		return NNA_ACT_NONE;
	if (onnx_real_at(low, 0) == 0 && onnx_real_at(high, 0) == 6)
		return NNA_ACT_RELU6;
	return onnx_real_at(low, 0) == -1 && onnx_real_at(high, 0) == 1 ? NNA_ACT_RELU1 :
									  NNA_ACT_NONE;
}

bool onnx_is_unit(struct onnx_translation *t, uint32_t inputs, bool fuse, struct onnx_unit *unit)
{
	const uint32_t next = reader_of(t, t->number);
	uint32_t type = 0, reader = next;

	*unit = (struct onnx_unit){ .activation = NNA_ACT_NONE, .between = ONNX_ABSENT };
	for (uint32_t i = 0; i < inputs && !t->ret; i++) {
		const struct onnx_state *s = onnx_input(t, i);
		const struct onnx_operand *x = &s->stored[s->stored[0].number == ONNX_ABSENT];

		if (x->number == ONNX_ABSENT || x->type == NNA_OPERAND_TENSOR_QUANT16_SYMM ||
		    (i && x->type != type))
			return false;
		type = x->type;
	}
	if (t->ret || next == ONNX_ABSENT)
		return false;
	if (fuse) {
		unit->activation = activation_of(t, &t->model->nodes[next]);
		if (unit->activation != NNA_ACT_NONE) {
			unit->between = next;
			reader = reader_of(t, next);
		}
	}
	if (reader == ONNX_ABSENT || !onnx_node_is(&t->model->nodes[reader], "QuantizeLinear") ||
	    !onnx_quantisation_of(t, reader, &unit->out) || unit->out.count != 1 ||
	    unit->out.block || !onnx_type_is_int8(unit->out.type) ||
	    onnx_operand_type(t, unit->out.type) != type)
		return false;
	unit->quantizer = reader;
	return true;
}

struct onnx_operand onnx_unit_like(const struct onnx_unit *unit, const struct onnx_operand *x)
{
	struct onnx_operand out = *x;

	out.number = ONNX_ABSENT;
	out.type = unit->out.type == ONNX_UINT8 ? NNA_OPERAND_TENSOR_QUANT8_ASYMM :
						  NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	out.scale = unit->out.scales[0];
	out.zero = unit->out.zeros[0];
	return out;
}

void onnx_set_unit(struct onnx_translation *t, const struct onnx_unit *unit, struct onnx_operand x,
		   enum onnx_order order)
{
	const uint32_t value = t->model->nodes[unit->quantizer].output_count ?
			       t->model->nodes[unit->quantizer].outputs[0] : ONNX_ABSENT;
	struct onnx_state *s;

	if (t->ret || value == ONNX_ABSENT)
		return;
	/* The shape of the node's own result is known, too; nothing but the unit reads it. */
	onnx_set(t, 0, x, order);
	s = &t->states[value];
	*s = (struct onnx_state){ .dequantizer = ONNX_ABSENT, .reader = s->reader, .known = true,
				  .tensor = t->states[onnx_output(t, 0)].tensor };
	for (int k = 0; k < 2; k++)
		s->real[k] = s->stored[k] = onnx_no_operand();
	s->real[x.rank < 3 ? ONNX_PLAIN : order] = x;
	s->tensor.type = unit->out.type;
	t->done[unit->quantizer] = true;
	t->origin.units[unit->quantizer] = t->number;
	if (unit->between != ONNX_ABSENT) {
		t->done[unit->between] = true;
		t->origin.units[unit->between] = t->number;
	}
	for (uint32_t i = 0; i < t->node->input_count; i++) {
		const uint32_t writer = t->node->inputs[i] == ONNX_ABSENT ? ONNX_ABSENT :
					t->model->values[t->node->inputs[i]].writer;

		if (writer != ONNX_ABSENT &&
		    onnx_node_is(&t->model->nodes[writer], "DequantizeLinear"))
			t->origin.units[writer] = t->number;
	}
}

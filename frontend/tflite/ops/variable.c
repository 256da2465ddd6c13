// SPDX-License-Identifier: MIT
/*
 * Resource variables: state that operators read and assign by a handle. A variable of the graph is
 * zero at first, and one operation of the graph writes it. So the translation keeps the current
 * value of each resource variable:
 *
 *	VAR_HANDLE	names the variable that its output is a handle of
 *	CALL_ONCE	has a subgraph that assigns constants, the initial values
 *	READ_VARIABLE	makes its output another name of the current value
 *	ASSIGN_VARIABLE	replaces the current value
 *	the end		copies the last value to the variable of the graph
 *
 * If an initial value is not zero, the end also sets a second variable, a BOOL8, and the value at
 * the start of a run is: written ? variable : initial value. All this happens in the main subgraph;
 * a variable in a branch or loop is refused.
 */
#include "frontend/tflite/compose.h"
#include "libnnaccel/support/array.h"

#include <stdlib.h>
#include <string.h>

/**
 * struct tflite_resource - a variable
 * @container, @name: its name in the file
 * @first: the initial value, a constant of the initialiser; NULL for zeros
 * @value: the operand of the current value; TFLITE_NO_OPERAND until an operator uses the variable
 * @variable: the variable of the graph; TFLITE_NO_OPERAND until an operator uses it
 * @written: BOOL8 variable, true once a run has written @variable; TFLITE_NO_OPERAND until needed
 * @assigned: an operator has assigned it
 */
struct tflite_resource {
	const char *container, *name;
	const struct tflite_tensor *first;
	struct tflite_value value;
	uint32_t variable, written;
	bool assigned;
};

/* A BOOL8 that an earlier run sets. */
static const struct tflite_operand_desc flag_desc = {
	.desc = { .type = NNA_OPERAND_TENSOR_BOOL8, .rank = 1 },
	.dims = { 1 },
};

/* The number of the variable that the VAR_HANDLE @op names; adds a new variable. */
static uint32_t find(struct tflite_translation *t, const struct tflite_operator *op)
{
	const char *name = op->options.shared_name ? op->options.shared_name : "";
	const char *container = op->options.container ? op->options.container : "";
	struct tflite_resource *grown;
	uint32_t i;

	for (i = 0; i < t->resource_count; i++)
		if (!strcmp(t->resources[i].name, name) &&
		    !strcmp(t->resources[i].container, container))
			return i;
	grown = nna_array_reserve(t->resources, (uint64_t)i + 1, &t->resource_room,
				  sizeof(*grown));
	if (!grown) {
		tflite_no_memory(t);
		return 0;
	}
	t->resources = grown;
	grown[i] = (struct tflite_resource){ .container = container,
					     .name = name,
					     .value.operand = TFLITE_NO_OPERAND,
					     .variable = TFLITE_NO_OPERAND,
					     .written = TFLITE_NO_OPERAND };
	t->resource_count++;
	return i;
}

/* The VAR_HANDLE of @s that writes @tensor, or NULL. */
static const struct tflite_operator *handle_of(const struct tflite_subgraph *s, int32_t tensor)
{
	for (uint32_t i = 0; i < s->operator_count; i++)
		if (s->operators[i].code == TFLITE_VAR_HANDLE &&
		    s->operators[i].outputs.count == 1 && s->operators[i].outputs.at[0] == tensor)
			return &s->operators[i];
	return NULL;
}

/* The variable whose handle input 0 is; NULL after an error. */
static struct tflite_resource *resource_of(struct tflite_translation *t)
{
	const struct tflite_operator *handle;
	uint32_t which;

	tflite_input(t, 0);
	if (t->ret)
		return NULL;
	handle = handle_of(t->sub, t->op->inputs.at[0]);
	if (!handle || t->graph) {
		tflite_unsupported(t, tflite_input(t, 0), "a variable of a branch or loop",
				   "a VAR_HANDLE of the main subgraph");
		return NULL;
	}
	which = find(t, handle);
	return t->ret ? NULL : &t->resources[which];
}

void tflite_translate_var_handle(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 0, 1);
	find(t, t->op);
}

/* Reads the constants that the subgraph assigns; the subgraph is not translated. */
void tflite_translate_call_once(struct tflite_translation *t, uint32_t type)
{
	uint32_t which = (uint32_t)t->op->options.subgraph_a, i, number;
	const struct tflite_subgraph *s;

	if (which >= t->model->subgraph_count) {
		tflite_refuse(t, NULL, "subgraph %u", "one of the model's %u", which,
			      t->model->subgraph_count);
		return;
	}
	s = &t->model->subgraphs[which];
	for (i = 0; i < s->operator_count && !t->ret; i++) {
		const struct tflite_operator *op = &s->operators[i], *handle = NULL;
		const char *name = tflite_code_name(op->code);

		if (op->code == TFLITE_VAR_HANDLE)
			continue;
		if (op->code == TFLITE_ASSIGN_VARIABLE && op->inputs.count == 2 &&
		    op->inputs.at[0] >= 0 && op->inputs.at[1] >= 0 &&
		    s->tensors[op->inputs.at[1]].data)
			handle = handle_of(s, op->inputs.at[0]);
		if (!handle) {
			tflite_unsupported(t, NULL, "operator %u (%s) of its subgraph",
					   "assignments of constants to variables", i,
					   name ? name : "unknown");
			return;
		}
		number = find(t, handle);
		if (!t->ret)
			t->resources[number].first = &s->tensors[op->inputs.at[1]];
	}
}

static uint32_t add_variable(struct tflite_translation *t, const struct tflite_operand_desc *o)
{
	uint32_t operand = tflite_add_operand(t, o);

	if (!t->ret)
		tflite_check(t, t->ops->set_variable(t->sink, t->graph, operand),
			     "a variable was");
	return operand;
}

static bool is_zero(const struct tflite_tensor *x)
{
	const uint8_t *bytes = x->data;

	for (size_t i = 0; i < x->size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Sets the value of a variable at the start of a run; @x is a tensor of its type and shape. */
static void begin(struct tflite_translation *t, struct tflite_resource *r,
		  const struct tflite_tensor *x)
{
	struct tflite_operand_desc o;
	struct tflite_value old, first, written;

	tflite_describe(t, r->first ? r->first : x, &o);
	r->variable = add_variable(t, &o);
	old = (struct tflite_value){ r->variable, o };
	r->value = old;
	if (!r->first || is_zero(r->first))
		return;
	first = (struct tflite_value){ tflite_add_operand(t, &o), o };
	tflite_set_constant(t, first.operand, r->first->data, r->first->size);
	r->written = add_variable(t, &flag_desc);
	written = (struct tflite_value){ r->written, flag_desc };
	r->value = tflite_select(t, written, old, first);
}

void tflite_translate_read_variable(struct tflite_translation *t, uint32_t type)
{
	struct tflite_resource *r;
	uint32_t tensor;

	tflite_need(t, 1, 1);
	r = resource_of(t);
	if (!r)
		return;
	if (r->value.operand == TFLITE_NO_OPERAND)
		begin(t, r, tflite_output(t, 0));
	tflite_need_unused(t, 0);
	if (t->ret)
		return;
	tensor = (uint32_t)t->op->outputs.at[0];
	t->operands[tensor] = r->value.operand;
	/* If the output is a result of the subgraph, set_io() copies it. */
	t->known[tensor] = true;
}

void tflite_translate_assign_variable(struct tflite_translation *t, uint32_t type)
{
	struct tflite_resource *r;

	tflite_need(t, 2, 0);
	r = resource_of(t);
	if (!r)
		return;
	if (r->variable == TFLITE_NO_OPERAND)
		begin(t, r, tflite_input(t, 1));
	r->value = tflite_value(t, 1);
	r->assigned = true;
}

static void set_flag(struct tflite_translation *t, uint32_t variable)
{
	static const uint8_t yes = 1;

	tflite_emit_reshape(t, tflite_add_constant(t, &flag_desc, &yes, 1), variable, &flag_desc);
}

uint32_t tflite_state(struct tflite_translation *t, uint32_t tensor)
{
	const struct tflite_tensor *x = &t->sub->tensors[tensor];
	struct tflite_value old, first, ran;
	void *zeros;

	old.operand = tflite_tensor_operand(t, tensor);
	if (t->ret || !x->variable || !tflite_is_quant8(x->type) || !tflite_zero_point(x))
		return old.operand;
	tflite_describe(t, x, &old.o);
	if (t->ran == TFLITE_NO_OPERAND)
		t->ran = add_variable(t, &flag_desc);
	zeros = tflite_derive(t->model, x->elements);
	if (!zeros) {
		tflite_no_memory(t);
		return TFLITE_NO_OPERAND;
	}
	memset(zeros, tflite_zero_point(x), x->elements);
	first = old;
	first.operand = tflite_add_operand(t, &first.o);
	tflite_set_constant(t, first.operand, zeros, x->elements);
	ran = (struct tflite_value){ t->ran, flag_desc };
	return tflite_select(t, ran, old, first).operand;
}

void tflite_end_variables(struct tflite_translation *t)
{
	if (t->ran != TFLITE_NO_OPERAND)
		set_flag(t, t->ran);

	for (uint32_t i = 0; i < t->resource_count && !t->ret; i++) {
		struct tflite_resource *r = &t->resources[i];

		if (!r->assigned)
			continue;
		tflite_emit_reshape(t, r->value.operand, r->variable, &r->value.o);
		if (r->written != TFLITE_NO_OPERAND)
			set_flag(t, r->written);
	}
}

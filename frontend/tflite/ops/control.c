// SPDX-License-Identifier: MIT
/*
 * IF, WHILE and STABLEHLO_CASE; their branches, condition and body are subgraphs. NNAPI has no
 * choice between more than two subgraphs: a STABLEHLO_CASE is an IF between the lower and the upper
 * half of the branches, and so on within each half, in subgraphs that hold nothing but such an IF.
 */
#include "frontend/tflite/compose.h"

#include <stdlib.h>

static void push_graph(struct tflite_translation *t, uint32_t graph)
{
	struct tflite_operand_desc o = { .desc.type = NNA_OPERAND_SUBGRAPH };
	uint32_t operand = tflite_add_operand(t, &o);

	if (!t->ret)
		tflite_check(t, t->ops->set_subgraph(t->sink, t->graph, operand, graph),
			     "a subgraph was");
	tflite_push(t, operand);
}

void tflite_translate_control(struct tflite_translation *t, uint32_t type)
{
	uint32_t i = 0;

	tflite_need(t, 1, t->op->outputs.count);
	tflite_need_options(t);
	if (type == NNA_OPERATION_IF)
		tflite_push_input(t, i++);
	push_graph(t, t->graphs[tflite_called(t->op, 0)]);
	push_graph(t, t->graphs[tflite_called(t->op, 1)]);
	for (; i < t->op->inputs.count; i++)
		tflite_push_input(t, i);
	tflite_emit_outputs(t, type);
}

/**
 * struct choice - an IF between branches, in the current graph
 * @first: the first of @count branches; what the operator lacks of these is its last one
 * @count: a power of two, 2 or more
 * @in: operands of the number of the branch that runs, and of the inputs of the branches
 * @out: operands of their outputs
 */
struct choice {
	uint32_t first, count;
	const uint32_t *in, *out;
};

static void choose(struct tflite_translation *t, const struct choice *c);

static const struct tflite_operand_desc NUMBER = {
	.desc = { .type = NNA_OPERAND_TENSOR_INT32, .rank = 1 }, .dims = { 1 }
};

/* Operands in the current graph for the tensors of @list from @from on. */
static void add_operands(struct tflite_translation *t, const struct tflite_ints *list,
			 uint32_t from, uint32_t *operands)
{
	struct tflite_operand_desc o;

	for (uint32_t i = from; i < list->count && !t->ret; i++) {
		tflite_describe(t, &t->sub->tensors[list->at[i]], &o);
		operands[i - from] = tflite_add_operand(t, &o);
	}
}

/* The number of a subgraph with nothing but the choice between @count branches; a branch if 1. */
static uint32_t branches(struct tflite_translation *t, uint32_t first, uint32_t count)
{
	const uint32_t before = t->graph, ins = t->op->inputs.count, outs = t->op->outputs.count;
	const uint32_t last = tflite_called_count(t->op) - 1;
	struct choice c = { .first = first, .count = count };
	struct tflite_operand_desc number = NUMBER;
	uint32_t *list, graph;

	if (count == 1)
		return t->graphs[tflite_called(t->op, first < last ? first : last)];
	graph = t->spare++;
	list = calloc((size_t)ins + outs, sizeof(*list));
	if (!list) {
		tflite_no_memory(t);
		return graph;
	}
	t->graph = graph;
	list[0] = tflite_add_operand(t, &number);
	add_operands(t, &t->op->inputs, 1, list + 1);
	add_operands(t, &t->op->outputs, 0, list + ins);
	c.in = list;
	c.out = list + ins;
	choose(t, &c);
	if (!t->ret)
		tflite_check(t, t->ops->set_io(t->sink, graph, ins, list, outs, list + ins),
			     "inputs and outputs were");
	t->graph = before;
	free(list);
	return graph;
}

static void choose(struct tflite_translation *t, const struct choice *c)
{
	const uint32_t half = c->count / 2;
	const uint32_t low = branches(t, c->first, half);
	const uint32_t high = branches(t, c->first + half, half);
	struct tflite_value v = { c->in[0], NUMBER };

	v = tflite_binary(t, NNA_OPERATION_LESS, v, tflite_int(t, (int32_t)(c->first + half)));
	tflite_push(t, v.operand);
	push_graph(t, low);
	push_graph(t, high);
	/* A branch takes no number. */
	for (uint32_t i = half == 1; i < t->op->inputs.count; i++)
		tflite_push(t, c->in[i]);
	tflite_emit(t, NNA_OPERATION_IF, c->out, t->op->outputs.count);
}

void tflite_translate_hlo_case(struct tflite_translation *t, uint32_t type)
{
	const uint32_t ins = t->op->inputs.count, outs = t->op->outputs.count;
	struct choice c = { .count = tflite_case_room(tflite_called_count(t->op)) };
	const struct tflite_tensor *index = tflite_input(t, 0);
	struct tflite_value v;
	uint32_t *list;

	tflite_need(t, 1, outs);
	tflite_need_options(t);
	tflite_need_type(t, index, index->type == TFLITE_INT32, "INT32");
	tflite_need_elements(t, index, 1, "the number of a branch");
	if (t->ret)
		return;
	list = calloc((size_t)ins + outs, sizeof(*list));
	if (!list) {
		tflite_no_memory(t);
		return;
	}
	/* A number of no branch stands for the last one. */
	v = tflite_reshaped(t, tflite_value(t, 0), 1, NUMBER.dims);
	v = tflite_select(t, tflite_binary(t, NNA_OPERATION_LESS, v, tflite_int(t, 0)),
			  tflite_int(t, INT32_MAX), v);
	list[0] = v.operand;
	for (uint32_t i = 1; i < ins; i++)
		list[i] = tflite_input_operand(t, i);
	for (uint32_t i = 0; i < outs; i++)
		list[ins + i] = tflite_output_operand(t, i);
	c.in = list;
	c.out = list + ins;
	if (!t->ret)
		choose(t, &c);
	free(list);
}

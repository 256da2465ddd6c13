// SPDX-License-Identifier: MIT
/* IF and WHILE; their branches, condition and body are subgraphs. */
#include "frontend/tflite/translation.h"

static void push_subgraph(struct tflite_translation *t, int32_t which)
{
	struct tflite_operand_desc o = { .desc.type = NNA_OPERAND_SUBGRAPH };
	uint32_t operand = tflite_add_operand(t, &o);

	if (!t->ret)
		tflite_check(t, t->ops->set_subgraph(t->sink, t->graph, operand, t->graphs[which]),
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
	push_subgraph(t, t->op->options.subgraph_a);
	push_subgraph(t, t->op->options.subgraph_b);
	for (; i < t->op->inputs.count; i++)
		tflite_push_input(t, i);
	tflite_emit_outputs(t, type);
}

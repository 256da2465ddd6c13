// SPDX-License-Identifier: MIT
/* nnactl dump --dot: the operators of a model as a graph for Graphviz. */
#include "tools/nnactl/dot.h"

#include <string.h>

/* What Graphviz would read as its own is quoted. */
static void put_text(FILE *to, const char *text)
{
	char clean[128];

	for (const char *at = tflite_printable(text, clean, sizeof(clean)); *at; at++) {
		if (strchr("\"\\{}<>|", *at))
			fputc('\\', to);
		fputc(*at, to);
	}
}

static void put_tensor_label(FILE *to, const struct tflite_tensor *tensor)
{
	put_text(to, tensor->name);
	fprintf(to, "\\n%s [", tflite_type_name(tensor->type));
	for (uint32_t i = 0; i < tensor->rank; i++)
		fprintf(to, "%s%u", i ? "," : "", tensor->dims[i]);
	fputc(']', to);
}

static bool has(const struct tflite_ints *list, int32_t number)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->at[i] == number)
			return true;
	return false;
}

static void put_edges(FILE *to, const struct tflite_subgraph *sub, uint32_t which, uint32_t op)
{
	const struct tflite_operator *from = &sub->operators[op];

	for (uint32_t k = 0; k < from->inputs.count; k++)
		if (from->inputs.at[k] >= 0 && has(&sub->inputs, from->inputs.at[k]))
			fprintf(to, "  g%ut%d -> g%uo%u;\n", which, from->inputs.at[k], which, op);
	for (uint32_t k = 0; k < from->outputs.count; k++) {
		int32_t tensor = from->outputs.at[k];

		if (tensor < 0)
			continue;
		if (has(&sub->outputs, tensor))
			fprintf(to, "  g%uo%u -> g%ut%d;\n", which, op, which, tensor);
		for (uint32_t i = 0; i < sub->operator_count; i++) {
			if (!has(&sub->operators[i].inputs, tensor))
				continue;
			fprintf(to, "  g%uo%u -> g%uo%u [label=\"", which, op, which, i);
			put_tensor_label(to, &sub->tensors[tensor]);
			fprintf(to, "\"];\n");
		}
	}
}

void nnactl_dot_print(const struct tflite_model *model, FILE *to)
{
	fprintf(to, "digraph model {\n  node [shape=box];\n");
	for (uint32_t s = 0; s < model->subgraph_count; s++) {
		const struct tflite_subgraph *sub = &model->subgraphs[s];

		fprintf(to, "  subgraph cluster_%u {\n  label=\"", s);
		put_text(to, sub->name);
		fprintf(to, "\";\n");
		for (uint32_t i = 0; i < sub->tensor_count; i++) {
			if (!has(&sub->inputs, (int32_t)i) && !has(&sub->outputs, (int32_t)i))
				continue;
			fprintf(to, "  g%ut%u [shape=ellipse, label=\"", s, i);
			put_tensor_label(to, &sub->tensors[i]);
			fprintf(to, "\"];\n");
		}
		for (uint32_t i = 0; i < sub->operator_count; i++) {
			const struct tflite_operator *op = &sub->operators[i];
			const char *name = tflite_code_name(op->code);

			fprintf(to, "  g%uo%u [label=\"", s, i);
			put_text(to, op->code == TFLITE_CUSTOM ? op->custom : name ? name : "?");
			fprintf(to, "\"];\n");
		}
		for (uint32_t i = 0; i < sub->operator_count; i++)
			put_edges(to, sub, s, i);
		fprintf(to, "  }\n");
	}
	fprintf(to, "}\n");
}

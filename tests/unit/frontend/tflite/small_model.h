/* SPDX-License-Identifier: MIT */
/* Models of several operators and subgraphs, run on the loopback. */
#ifndef TFLITE_SMALL_MODEL_H
#define TFLITE_SMALL_MODEL_H

#include "tests/unit/frontend/tflite/one_operator.h"

#define MAX_OPERATORS 8

/**
 * struct small_operator - one operator
 * @code: enum tflite_code
 * @custom: name of a CUSTOM operator
 * @inputs: tensors, ended by -1
 * @outputs: tensors, ended by -1
 * @options: a number of the schema's union; 0 for none
 * @fields: of the options, 4 bytes each
 * @text: a string in field @text_field of the options
 * @custom_options: @custom_size bytes
 */
struct small_operator {
	int32_t code;
	const char *custom;
	int32_t inputs[6], outputs[6];
	uint8_t options;
	int32_t fields[6];
	uint32_t field_count;
	const char *text;
	int text_field;
	const uint8_t *custom_options;
	uint32_t custom_size;
};

/** struct small_graph - a subgraph; @inputs and @outputs end by -1 */
struct small_graph {
	struct tensor_spec tensors[12];
	uint32_t tensor_count;
	int32_t inputs[6], outputs[6];
	struct small_operator operators[MAX_OPERATORS];
	uint32_t operator_count;
};

static inline void write_operator(struct writer *w, size_t at, uint32_t code,
				  const struct small_operator *o)
{
	size_t options;

	scalar(w, at, 0, code, 4);
	vector(w, at, 1, length(o->inputs), 4, o->inputs);
	vector(w, at, 2, length(o->outputs), 4, o->outputs);
	if (o->custom_size)
		vector(w, at, 5, o->custom_size, 1, o->custom_options);
	if (!o->options)
		return;
	scalar(w, at, 3, o->options, 1);
	options = table(w, 8);
	refer(w, field(w, at, 4), options);
	for (uint32_t i = 0; i < o->field_count; i++)
		scalar(w, options, (int)i, o->fields[i], 4);
	if (o->text) {
		/* The NUL follows, but does not count. */
		vector(w, options, o->text_field, (uint32_t)strlen(o->text), 1, o->text);
		put_bytes(w, "", 1);
	}
}

static inline struct writer *write_graphs(const struct small_graph *graphs, uint32_t count)
{
	struct writer *w = calloc(1, sizeof(*w));
	uint32_t codes = 0, tensors = 0, code = 0, g, i;
	size_t root, list, at;

	assert_non_null(w);
	root = model_begin(w);
	for (g = 0; g < count; g++)
		codes += graphs[g].operator_count;
	list = vector(w, root, 1, codes, 4, NULL);
	for (g = 0; g < count; g++)
		for (i = 0; i < graphs[g].operator_count; i++) {
			const struct small_operator *o = &graphs[g].operators[i];

			at = table(w, 4);
			refer(w, list, at);
			list += 4;
			scalar(w, at, 3, o->code, 4);
			scalar(w, at, 2, 1, 4);
			if (o->custom) {
				vector(w, at, 1, (uint32_t)strlen(o->custom), 1, o->custom);
				put_bytes(w, "", 1);
			}
		}
	list = vector(w, root, 2, count, 4, NULL);
	for (g = 0; g < count; g++) {
		const struct small_graph *graph = &graphs[g];
		size_t sub = table(w, 5), operators;

		refer(w, list + 4 * g, sub);
		w->buffers = tensors;
		write_tensors(w, sub, graph->tensors, graph->tensor_count);
		tensors += graph->tensor_count;
		vector(w, sub, 1, length(graph->inputs), 4, graph->inputs);
		vector(w, sub, 2, length(graph->outputs), 4, graph->outputs);
		operators = vector(w, sub, 3, graph->operator_count, 4, NULL);
		for (i = 0; i < graph->operator_count; i++) {
			at = table(w, 9);
			refer(w, operators + 4 * i, at);
			write_operator(w, at, code++, &graph->operators[i]);
		}
	}
	list = vector(w, root, 4, tensors + 1, 4, NULL);
	at = table(w, 3);
	refer(w, list, at);
	for (g = 0, list += 4; g < count; g++)
		for (i = 0; i < graphs[g].tensor_count; i++, list += 4) {
			const struct tensor_spec *t = &graphs[g].tensors[i];

			at = table(w, 3);
			refer(w, list, at);
			if (t->data)
				vector(w, at, 0, t->size, 1, t->data);
		}
	return w;
}

/* Write it and run it @runs times on the same inputs. */
static inline void run_graphs(const struct small_graph *graphs, uint32_t count,
			      const void *const *in, void *const *out, int runs)
{
	struct writer *w = write_graphs(graphs, count);

	run_written(w, 0, in, out, runs);
	free(w);
}

#endif

// SPDX-License-Identifier: MIT
/*
 * The walk over a model: it numbers the subgraphs that the main one can reach, and calls the
 * translation of each operator in them (operator_list.h, ops/; translation.h says how they are
 * written).
 */
#include "frontend/tflite/bfloat.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/shapes.h"

/* By code; translate is NULL if there is no translation. */
static const struct {
	void (*translate)(struct tflite_translation *t, uint32_t type);
	uint32_t type;
} TRANSLATIONS[] = {
#define TFLITE_OP(code, name, translation, operation, shape) \
	[code] = { tflite_translate_##translation, NNA_OPERATION_##operation },
#define TFLITE_MADE(code, name, translation, operation, shape) \
	[code] = { tflite_translate_##translation, NNA_OPERATION_##operation },
#define TFLITE_NAME(code, name) [code] = { NULL, 0 },
#include "frontend/tflite/operator_list.h"
};

/*
 * COMPLEX64 is described as FLOAT32 with one more dimension. Only the operators below know that
 * dimension; any other would compute a wrong result.
 */
static void check_complex(struct tflite_translation *t)
{
	const struct tflite_ints *lists[] = { &t->op->inputs, &t->op->outputs };

	switch (t->op->code) {
	case TFLITE_RFFT2D:
	case TFLITE_REAL:
	case TFLITE_IMAG:
	case TFLITE_COMPLEX_ABS:
	case TFLITE_RESHAPE:
	case TFLITE_SQUEEZE:
	case TFLITE_EXPAND_DIMS:
		return;
	default:
		break;
	}
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < lists[k]->count; i++)
			if (lists[k]->at[i] >= 0 &&
			    t->sub->tensors[lists[k]->at[i]].type == TFLITE_COMPLEX64)
				tflite_need_type(t, &t->sub->tensors[lists[k]->at[i]], false,
						 "COMPLEX64 for RFFT2D, REAL, IMAG, COMPLEX_ABS, "
						 "RESHAPE, SQUEEZE and EXPAND_DIMS alone");
}

/* Translates the current operator; its types decide which translation that is. */
static void translate_by_type(struct tflite_translation *t)
{
	uint32_t code = t->op->code;

	if (tflite_has_table(t))
		tflite_translate_table(t);
	else if (tflite_is_softmax16(t))
		tflite_translate_softmax16(t);
	else if (code < sizeof(TRANSLATIONS) / sizeof(TRANSLATIONS[0]) && tflite_has_lookup(t))
		tflite_translate_lookup(t, TRANSLATIONS[code].type);
	else if (code < sizeof(TRANSLATIONS) / sizeof(TRANSLATIONS[0]) &&
		 TRANSLATIONS[code].translate && tflite_needs_reals(t))
		tflite_translate_on_reals(t, TRANSLATIONS[code].translate,
					  TRANSLATIONS[code].type);
	else if (code < sizeof(TRANSLATIONS) / sizeof(TRANSLATIONS[0]) &&
		 TRANSLATIONS[code].translate)
		TRANSLATIONS[code].translate(t, TRANSLATIONS[code].type);
	else if (code == TFLITE_CUSTOM && !strcmp(t->op->custom, "TFLite_Detection_PostProcess"))
		tflite_translate_detection(t, NNA_OPERATION_DETECTION_POSTPROCESSING);
	else if (code == TFLITE_CUSTOM)
		tflite_unsupported(t, NULL, "a custom operator",
				   "TFLite_Detection_PostProcess; convert without others");
	else
		tflite_unsupported(t, NULL, "an operator without a translation",
				   "those of docs/tflite.md; convert without it");
}

static void translate_operator(struct tflite_translation *t, uint32_t index)
{
	t->op = &t->sub->operators[index];
	t->op_index = index;
	t->in_count = 0;
	check_complex(t);
	/* Shape inference knows the result, or a CONCATENATION does the work of this SLICE. */
	if ((t->op->outputs.count == 1 && t->sub->tensors[t->op->outputs.at[0]].folded) ||
	    tflite_in_list_update(t->sub, index))
		return;
	if (tflite_is_stored(t))
		tflite_translate_stored(t, translate_by_type);
	else if (tflite_has_bfloat(t))
		tflite_translate_bfloat(t, translate_by_type);
	else
		translate_by_type(t);
}

/*
 * The operand of a result of the subgraph. In TFLite a result may be an input, a constant, state,
 * or another result; in a graph an operation must write it, so a RESHAPE copies it.
 */
static uint32_t result_operand(struct tflite_translation *t, uint32_t index)
{
	uint32_t tensor = (uint32_t)t->sub->outputs.at[index], from, to, i;
	const struct tflite_tensor *x = &t->sub->tensors[tensor];
	struct tflite_operand_desc o;
	bool copy = x->data || x->variable || t->known[tensor] ||
		    t->writers[tensor] == TFLITE_CALLER;

	from = tflite_tensor_operand(t, tensor);
	for (i = 0; i < index && !copy; i++)
		copy = t->sub->outputs.at[i] == (int32_t)tensor;
	if (!copy)
		return from;
	tflite_describe(t, x, &o);
	to = tflite_add_operand(t, &o);
	tflite_emit_reshape(t, from, to, &o);
	return to;
}

/* Finds the writer of each tensor. An error if an operator writes a tensor that has a writer. */
static void find_writers(struct tflite_translation *t)
{
	for (uint32_t i = 0; i < t->sub->tensor_count; i++)
		t->writers[i] = TFLITE_NO_OPERAND;
	for (uint32_t i = 0; i < t->sub->inputs.count; i++)
		t->writers[t->sub->inputs.at[i]] = TFLITE_CALLER;
	for (uint32_t i = 0; i < t->sub->operator_count && !t->ret; i++) {
		t->op = &t->sub->operators[i];
		t->op_index = i;
		for (uint32_t k = 0; k < t->op->outputs.count; k++) {
			uint32_t tensor = (uint32_t)t->op->outputs.at[k];

			const struct tflite_tensor *y = &t->sub->tensors[tensor];

			if (t->writers[tensor] == TFLITE_CALLER)
				tflite_refuse(t, y, "it is an input of the subgraph",
					      "a tensor that the caller does not write");
			else if (t->writers[tensor] != TFLITE_NO_OPERAND)
				tflite_refuse(t, y, "operator %u writes it too",
					      "one operator that writes it", t->writers[tensor]);
			t->writers[tensor] = i;
		}
	}
	t->op = NULL;
}

/* An error if something reads a tensor that has no value. */
static void check_values(struct tflite_translation *t)
{
	for (uint32_t i = 0; i < t->sub->tensor_count; i++) {
		const struct tflite_tensor *x = &t->sub->tensors[i];

		if (t->operands[i] != TFLITE_NO_OPERAND && t->writers[i] == TFLITE_NO_OPERAND &&
		    !t->known[i] && !x->data && !x->variable)
			tflite_refuse(t, x, "no value", "data, or an operator that writes it");
	}
}

static void set_io(struct tflite_translation *t)
{
	struct tflite_ints in = t->sub->inputs, out = t->sub->outputs;
	uint32_t *numbers, i;

	t->op = NULL;
	numbers = calloc((size_t)in.count + out.count + 1, sizeof(*numbers));
	if (!numbers) {
		tflite_no_memory(t);
		return;
	}
	for (i = 0; i < in.count; i++) {
		const struct tflite_tensor *x = &t->sub->tensors[in.at[i]];

		/* In a graph a dimension of 0 is one that the caller states later. */
		if (!t->graph && !x->elements)
			tflite_unsupported(t, x, "an input without elements", "1 or more");
		numbers[i] = t->callers[i];
	}
	for (i = 0; i < out.count && !t->ret; i++)
		numbers[in.count + i] = result_operand(t, i);
	check_values(t);
	if (!t->ret)
		tflite_check(t, t->ops->set_io(t->sink, t->graph, in.count, numbers, out.count,
					       numbers + in.count), "inputs and outputs were");
	free(numbers);
}

/* A model's inputs of BFLOAT16, which come as FLOAT32. */
static void round_inputs(struct tflite_translation *t)
{
	const struct tflite_ints *in = &t->sub->inputs;
	struct tflite_value x;

	for (uint32_t i = 0; i < in->count && !t->graph; i++) {
		const struct tflite_tensor *tensor = &t->sub->tensors[in->at[i]];

		if (!tensor->bfloat || t->operands[in->at[i]] != t->callers[i])
			continue;
		tflite_describe(t, tensor, &x.o);
		x.operand = t->callers[i];
		x = tflite_rounded_bfloat(t, x);
		t->operands[in->at[i]] = x.operand;
	}
}

static void translate_subgraph(struct tflite_translation *t, uint32_t index)
{
	uint32_t i;

	t->sub = &t->model->subgraphs[index];
	t->graph = t->graphs[index];
	t->op = NULL;
	t->operands = malloc(((size_t)t->sub->tensor_count + 1) * sizeof(*t->operands));
	t->writers = malloc(((size_t)t->sub->tensor_count + 1) * sizeof(*t->writers));
	t->callers = malloc(((size_t)t->sub->inputs.count + 1) * sizeof(*t->callers));
	t->known = calloc((size_t)t->sub->tensor_count + 1, sizeof(*t->known));
	if (!t->operands || !t->writers || !t->callers || !t->known) {
		tflite_no_memory(t);
		goto done;
	}
	for (i = 0; i < t->sub->tensor_count; i++)
		t->operands[i] = TFLITE_NO_OPERAND;
	find_writers(t);
	/* Inputs first: a sink knows them before any operation. */
	for (i = 0; i < t->sub->inputs.count; i++)
		t->callers[i] = tflite_tensor_operand(t, (uint32_t)t->sub->inputs.at[i]);
	round_inputs(t);
	for (i = 0; i < t->sub->operator_count && !t->ret; i++)
		translate_operator(t, i);
	t->op = NULL;
	if (!t->ret && !t->graph)
		tflite_end_variables(t);
	if (!t->ret)
		set_io(t);
done:
	free(t->known);
	free(t->callers);
	free(t->writers);
	free(t->operands);
	t->known = NULL;
	t->callers = NULL;
	t->writers = NULL;
	t->operands = NULL;
}

/* Return: the number of a new subgraph of the sink. */
static uint32_t add_subgraph(struct tflite_translation *t)
{
	int ret = t->ops->add_subgraph(t->sink);

	tflite_check(t, ret, "a subgraph was");
	return ret < 0 ? 0 : (uint32_t)ret;
}

/* Subgraphs that the main one cannot reach, such as initialisers, get no number. */
static void number_subgraphs(struct tflite_translation *t)
{
	uint32_t *queue, done = 0, count = 1, spare = 0, i;

	queue = calloc(t->model->subgraph_count, sizeof(*queue));
	if (!queue) {
		tflite_no_memory(t);
		return;
	}
	queue[0] = t->model->main;
	t->graphs[queue[0]] = 0;
	for (; done < count && !t->ret; done++) {
		const struct tflite_subgraph *s = &t->model->subgraphs[queue[done]];

		for (i = 0; i < s->operator_count && !t->ret; i++) {
			const struct tflite_operator *op = &s->operators[i];
			const uint32_t called = tflite_called_count(op);

			if (op->code == TFLITE_STABLEHLO_CASE)
				spare += tflite_case_room(called) - 2;
			for (uint32_t k = 0; k < called && !t->ret; k++) {
				int32_t which = tflite_called(op, k);

				if (t->graphs[which] != TFLITE_NO_OPERAND)
					continue;
				t->graphs[which] = add_subgraph(t);
				queue[count++] = (uint32_t)which;
			}
		}
	}
	free(queue);
	/* They follow each other. */
	for (i = 0; i < spare && !t->ret; i++) {
		uint32_t number = add_subgraph(t);

		if (!i)
			t->spare = number;
	}
}

int tflite_translate(struct tflite_model *model, const struct tflite_sink *ops, void *sink,
		     struct tflite_origin *origin, char *error)
{
	struct tflite_translation t = { .model = model, .ops = ops, .sink = sink,
					.origin = origin, .error = error,
					.ran = TFLITE_NO_OPERAND };
	uint32_t i;

	error[0] = 0;
	if (origin)
		*origin = (struct tflite_origin){ 0 };
	t.ret = tflite_infer_shapes(model, error);
	if (t.ret)
		return t.ret;
	t.graphs = malloc(model->subgraph_count * sizeof(*t.graphs));
	if (!t.graphs)
		tflite_no_memory(&t);
	for (i = 0; i < model->subgraph_count && !t.ret; i++)
		t.graphs[i] = TFLITE_NO_OPERAND;
	if (!t.ret)
		number_subgraphs(&t);
	for (i = 0; i < model->subgraph_count && !t.ret; i++)
		if (t.graphs[i] != TFLITE_NO_OPERAND)
			translate_subgraph(&t, i);
	free(t.graphs);
	free(t.in);
	free(t.resources);
	if (t.ret && origin)
		tflite_origin_free(origin);
	return t.ret;
}

void tflite_origin_free(struct tflite_origin *origin)
{
	free(origin->operators);
	*origin = (struct tflite_origin){ 0 };
}

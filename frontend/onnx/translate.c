// SPDX-License-Identifier: MIT
/* The walk over a model's nodes, and the graph that it builds. */
#include "frontend/onnx/translation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct onnx_operator OPERATORS[] = {
#define ONNX_OP(name, oldest, newest, attributes, translate, fold, test) \
	{ "", #name, oldest, newest, attributes, onnx_translate_##translate, onnx_fold_##fold },
#define ONNX_MICROSOFT(name, oldest, newest, attributes, translate, fold, test) \
	{ "com.microsoft", #name, oldest, newest, attributes, onnx_translate_##translate, \
	  onnx_fold_##fold },
#include "frontend/onnx/operator_list.h"
};

const struct onnx_operator *onnx_operator_find(const char *domain, const char *op)
{
	for (size_t i = 0; i < sizeof(OPERATORS) / sizeof(*OPERATORS); i++)
		if (!strcmp(OPERATORS[i].name, op) && !strcmp(OPERATORS[i].domain, domain))
			return &OPERATORS[i];
	return NULL;
}

bool onnx_is_operator(const char *domain, const char *op)
{
	return onnx_operator_find(domain, op);
}

void onnx_origin_free(struct onnx_origin *origin)
{
	for (uint32_t i = 0; i < origin->node_count && origin->why; i++)
		free(origin->why[i]);
	free(origin->why);
	free(origin->nodes);
	free(origin->units);
	*origin = (struct onnx_origin){ 0 };
}

/* --------------------------------------------------------------------------------------- inputs */

/* Adds an operand that the caller sets. Return: false after an error. */
static bool add_input(struct onnx_translation *t, uint32_t value)
{
	struct onnx_state *s = &t->states[value];
	struct onnx_quantisation q = { 0 };
	struct onnx_operand x = { .number = ONNX_ABSENT, .rank = s->tensor.rank };

	x.type = onnx_operand_type(t, s->tensor.type);
	for (uint32_t k = 0; k < x.rank; k++)
		x.dims[k] = (uint32_t)s->tensor.dims[k];
	if (onnx_type_is_int8(s->tensor.type) || s->tensor.type == ONNX_INT16) {
		x.scale = 1;
		/* What a caller sees of the program has the parameters of its reader. */
		if (s->reader != ONNX_ABSENT &&
		    onnx_node_is(&t->model->nodes[s->reader], "DequantizeLinear") &&
		    onnx_quantisation_of(t, s->reader, &q) && q.count == 1 &&
		    (s->tensor.type != ONNX_INT16 || !q.zeros[0])) {
			x.scale = q.scales[0];
			x.zero = q.zeros[0];
		}
	}
	if (!onnx_grow(t, &t->inputs, t->input_count, &t->input_room))
		return false;
	x = onnx_add(t, x);
	if (t->ret)
		return false;
	s->real[ONNX_PLAIN] = x;
	t->inputs[t->input_count++] = x.number;
	return true;
}

/* The type and shape of an input of the model. */
static void set_input(struct onnx_translation *t, uint32_t index, const struct onnx_shape *shape)
{
	const uint32_t number = t->model->inputs[index];
	const struct onnx_value *value = &t->model->values[number];
	struct onnx_state *s = &t->states[number];
	char name[64];

	onnx_printable(value->name, name, sizeof(name));
	s->tensor = value->tensor;
	if (shape && shape->stated) {
		if (value->shaped && value->tensor.rank != shape->rank) {
			onnx_wrong(t, "the input \"%s\" has %u dimensions, %u are stated", name,
				   value->tensor.rank, shape->rank);
			return;
		}
		s->tensor.rank = shape->rank;
		for (uint32_t k = 0; k < shape->rank; k++) {
			const int64_t dim = value->shaped ? value->tensor.dims[k] : ONNX_OPEN;

			if (dim != ONNX_OPEN && dim != (int64_t)shape->dims[k]) {
				onnx_wrong(t, "dimension %u of the input \"%s\" is %lld, %u is "
					   "stated", k, name, (long long)dim, shape->dims[k]);
				return;
			}
			s->tensor.dims[k] = shape->dims[k];
		}
	} else if (!value->shaped) {
		onnx_unsupported(t, "the input \"%s\" states no shape", name);
		return;
	}
	for (uint32_t k = 0; k < s->tensor.rank; k++)
		if (s->tensor.dims[k] == ONNX_OPEN)
			s->tensor.dims[k] = 1;
	s->known = true;
	add_input(t, number);
}

/* What a node that has no translation writes comes from outside, if the model states its shape. */
static void set_foreign(struct onnx_translation *t, uint32_t value)
{
	const struct onnx_tensor *stated = &t->model->values[value].tensor;
	struct onnx_state *s = &t->states[value];

	if (s->known || !t->model->values[value].shaped || stated->type == ONNX_NONE)
		return;
	s->tensor = *stated;
	for (uint32_t k = 0; k < stated->rank; k++)
		if (stated->dims[k] < 1)
			return;
	s->known = true;
	if (!add_input(t, value))
		s->known = false;
}

/* ---------------------------------------------------------------------------------------- nodes */

static void check_attributes(struct onnx_translation *t, const struct onnx_operator *op)
{
	char name[64], wanted[80];

	for (uint32_t i = 0; i < t->node->attribute_count && !t->ret; i++) {
		onnx_printable(t->node->attributes[i].name, name, sizeof(name));
		snprintf(wanted, sizeof(wanted), " %s ", name);
		if (!strstr(op->attributes, wanted))
			onnx_unsupported(t, "the attribute %s", name);
	}
}

static bool are_constants(const struct onnx_translation *t)
{
	for (uint32_t i = 0; i < t->node->input_count; i++)
		if (t->node->inputs[i] != ONNX_ABSENT &&
		    (!t->states[t->node->inputs[i]].known ||
		     !t->states[t->node->inputs[i]].tensor.data))
			return false;
	return true;
}

static void translate_node(struct onnx_translation *t)
{
	const struct onnx_operator *op = onnx_operator_find(t->node->domain, t->node->op);
	char domain[64];

	if (!op) {
		onnx_unsupported(t, "there is no translation of this operator%s%s",
				 *t->node->domain ? " of " : "",
				 onnx_printable(t->node->domain, domain, sizeof(domain)));
		return;
	}
	/* A file has the version of the whole set, ONNX Runtime that of the operator. */
	if (t->model->opset ? t->node->version < 1 && !*t->node->domain :
	    t->node->version < op->oldest || t->node->version > op->newest) {
		onnx_unsupported(t, "version %lld of the operator; supported: %lld to %lld",
				 (long long)t->node->version, (long long)op->oldest,
				 (long long)op->newest);
		return;
	}
	if (t->model->opset && t->node->version < op->oldest && !*t->node->domain) {
		onnx_wrong(t, "the operator is of version %lld, the model's operator set of %lld",
			   (long long)op->oldest, (long long)t->node->version);
		return;
	}
	check_attributes(t, op);
	if (t->ret || (are_constants(t) && op->fold(t)) || t->ret)
		return;
	op->translate(t);
}

/* After a node without a translation: why, and what it writes. */
static void forgive(struct onnx_translation *t)
{
	char **why = &t->origin.why[t->number];

	if (t->ret == -ENOMEM)
		return;
	free(*why);
	*why = strdup(t->error);
	t->in_count = 0;
	t->ret = 0;
	t->error[0] = 0;
	for (uint32_t i = 0; i < t->node->output_count && !t->ret; i++) {
		if (t->node->outputs[i] != ONNX_ABSENT)
			set_foreign(t, t->node->outputs[i]);
		if (t->ret && t->ret != -ENOMEM) {
			t->ret = 0;
			t->error[0] = 0;
		}
	}
	if (!*why)
		onnx_no_memory(t);
}

static void visit(struct onnx_translation *t, uint32_t number)
{
	if (t->done[number])
		return;
	t->done[number] = true;
	t->node = &t->model->nodes[number];
	t->number = number;
	translate_node(t);
	if (t->ret && t->partial)
		forgive(t);
}

static void walk(struct onnx_translation *t, const struct onnx_shape *shapes)
{
	for (uint32_t i = 0; i < t->model->value_count; i++)
		if (t->model->values[i].tensor.data) {
			t->states[i].known = true;
			t->states[i].tensor = t->model->values[i].tensor;
		}
	for (uint32_t i = 0; i < t->model->input_count && !t->ret; i++) {
		set_input(t, i, shapes ? &shapes[i] : NULL);
		/* It need not be one that is read. */
		if (t->ret == -ENOTSUP && t->partial)
			t->ret = 0;
	}
	/* Constants may stand behind the node that looks for what its reader says of them. */
	for (uint32_t i = 0; i < t->model->node_count && !t->ret; i++)
		if (onnx_node_is(&t->model->nodes[i], "Constant"))
			visit(t, i);
	for (uint32_t i = 0; i < t->model->node_count && !t->ret; i++)
		visit(t, i);
	t->node = NULL;
}

/* -------------------------------------------------------------------------------------- outputs */

/* An output needs an operation that writes it, and no other output may have it. */
static uint32_t output_operand(struct onnx_translation *t, uint32_t index, const uint32_t *before)
{
	const uint32_t value = t->model->outputs[index];
	struct onnx_state *s = &t->states[value];
	/* onnx_plain() wants a node that reads it. */
	const struct onnx_node reader = { .name = "", .op = "an output of the model", .domain = "",
					  .input_count = 1, .inputs = (uint32_t[]){ value } };
	struct onnx_operand x;
	bool own;

	if (!s->known && t->partial)
		return ONNX_ABSENT;
	t->node = &reader;
	t->number = t->model->values[value].writer == ONNX_ABSENT ? 0 :
		    t->model->values[value].writer;
	x = onnx_plain(t, 0);
	own = !s->tensor.data;
	for (uint32_t i = 0; i < t->input_count; i++)
		own &= t->inputs[i] != x.number;
	for (uint32_t i = 0; i < index; i++)
		own &= before[i] != x.number;
	if (!own && !t->ret) {
		int32_t dims[ONNX_MAX_RANK] = { 1 };

		for (uint32_t k = 0; k < x.rank; k++)
			dims[k] = (int32_t)x.dims[k];
		onnx_push(t, x.number);
		onnx_push_list(t, dims, x.rank ? x.rank : 1);
		x = onnx_emit(t, NNA_OPERATION_RESHAPE, onnx_like(&x, x.type));
	}
	t->node = NULL;
	return x.number;
}

static void set_outputs(struct onnx_translation *t)
{
	uint32_t *outputs = calloc((size_t)t->model->output_count + 1, sizeof(*outputs));
	uint32_t count = 0;
	int ret;

	if (!outputs) {
		onnx_no_memory(t);
		return;
	}
	for (uint32_t i = 0; i < t->model->output_count && !t->ret; i++) {
		outputs[count] = output_operand(t, i, outputs);
		count += outputs[count] != ONNX_ABSENT;
		if (t->ret && t->partial && t->ret != -ENOMEM)
			t->ret = 0;
	}
	if (!t->ret) {
		ret = nna_graph_set_io(t->graph, 0, t->input_count, t->inputs, count, outputs);
		if (ret)
			onnx_wrong(t, "inputs or outputs were refused: %s", strerror(-ret));
	}
	free(outputs);
}

/* ---------------------------------------------------------------------------------------- whole */

static void begin(struct onnx_translation *t)
{
	const struct onnx_model *m = t->model;

	t->states = calloc((size_t)m->value_count + 1, sizeof(*t->states));
	t->done = calloc((size_t)m->node_count + 1, sizeof(*t->done));
	t->made = onnx_model_create();
	t->origin.node_count = m->node_count;
	t->origin.units = calloc((size_t)m->node_count + 1, sizeof(*t->origin.units));
	t->origin.why = calloc((size_t)m->node_count + 1, sizeof(*t->origin.why));
	if (!t->states || !t->done || !t->made || !t->origin.units || !t->origin.why) {
		onnx_no_memory(t);
		return;
	}
	for (uint32_t i = 0; i <= m->value_count; i++) {
		t->states[i].dequantizer = t->states[i].reader = ONNX_ABSENT;
		for (int k = 0; k < 2; k++)
			t->states[i].real[k] = t->states[i].stored[k] = onnx_no_operand();
	}
	/* ONNX_ABSENT - 1 stands for several readers until all are counted. */
	for (uint32_t i = 0; i < m->node_count; i++) {
		t->origin.units[i] = i;
		for (uint32_t k = 0; k < m->nodes[i].input_count; k++) {
			struct onnx_state *s;

			if (m->nodes[i].inputs[k] == ONNX_ABSENT)
				continue;
			s = &t->states[m->nodes[i].inputs[k]];
			s->reader = s->reader == ONNX_ABSENT ? i : ONNX_ABSENT - 1;
		}
	}
	for (uint32_t i = 0; i < m->value_count; i++)
		if (t->states[i].reader == ONNX_ABSENT - 1)
			t->states[i].reader = ONNX_ABSENT;
}

static int to_graph(const struct onnx_model *model, const struct onnx_shape *shapes, bool partial,
		    const struct nna_log *log, struct nna_graph **out, struct onnx_origin *origin,
		    char *error)
{
	struct onnx_translation t = { .model = model, .error = error, .partial = partial };
	int ret;

	error[0] = 0;
	ret = nna_graph_create(log, &t.graph);
	if (ret) {
		snprintf(error, ONNX_ERROR_SIZE, "no graph: %s", strerror(-ret));
		return ret;
	}
	/* Where the two differ, ONNX Runtime is closer to TFLite's rules. */
	nna_graph_set_rounding(t.graph, NNA_ROUNDING_ONNX);
	begin(&t);
	if (!t.ret)
		walk(&t, shapes);
	if (!t.ret)
		set_outputs(&t);
	ret = t.ret;
	if (!ret) {
		ret = partial ? nna_graph_finish_leniently(t.graph) : nna_graph_finish(t.graph);
		if (ret)
			snprintf(error, ONNX_ERROR_SIZE,
				 "libnnaccel refused the graph, see its log: %s", strerror(-ret));
	}
	onnx_model_free(t.made);
	free(t.states);
	free(t.done);
	free(t.in);
	free(t.inputs);
	if (ret || !origin)
		onnx_origin_free(&t.origin);
	else
		*origin = t.origin;
	if (ret)
		nna_graph_unref(t.graph);
	else
		*out = t.graph;
	return ret;
}

int onnx_to_graph(const struct onnx_model *model, const struct onnx_shape *shapes,
		  const struct nna_log *log, struct nna_graph **graph, struct onnx_origin *origin,
		  char *error)
{
	return to_graph(model, shapes, false, log, graph, origin, error);
}

int onnx_to_partial_graph(const struct onnx_model *model, const struct onnx_shape *shapes,
			  const struct nna_log *log, struct nna_graph **graph,
			  struct onnx_origin *origin, char *error)
{
	return to_graph(model, shapes, true, log, graph, origin, error);
}

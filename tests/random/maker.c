// SPDX-License-Identifier: MIT
/*
 * What all makers use: operands with random types, dimensions, quantisation and bytes; the end of
 * an operation, which is evaluated; and graphs, which are chains of operations that came out.
 */
#include "tests/random/maker.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

uint32_t nnr_random_type(struct nnr_maker *m, nnr_types types)
{
	uint32_t n = nnr_below(&m->r, (uint32_t)__builtin_popcount(types));

	while (n--)
		types &= types - 1;
	return (uint32_t)__builtin_ctz(types);
}

uint32_t nnr_random_dim(struct nnr_maker *m)
{
	uint32_t n = nnr_below(&m->r, 16);

	return n < 4	? 1
	       : n < 11 ? 2 + nnr_below(&m->r, 4)
	       : n < 15 ? 6 + nnr_below(&m->r, 6)
			: 12 + nnr_below(&m->r, 24);
}

void nnr_random_quantisation(struct nnr_maker *m, struct nnr_operand *operand)
{
	int64_t low, high;

	operand->scale = 0;
	operand->zero_point = 0;
	if (!nnr_is_quantised(operand->type))
		return;
	nnr_type_range(operand->type, &low, &high);
	operand->scale = nnr_once_in(&m->r, 3) ? ldexpf(1, nnr_range(&m->r, -7, 0))
					       : (float)exp2(nnr_uniform(&m->r, -9, 0));
	switch (nnr_below(&m->r, 4)) {
	case 0:
		operand->zero_point = (int32_t)((low + high + 1) / 2);
		break;
	case 1:
		operand->zero_point = nnr_once_in(&m->r, 2) ? (int32_t)low : (int32_t)high;
		break;
	default:
		operand->zero_point = nnr_range(&m->r, (int32_t)low, (int32_t)high);
		break;
	}
}

static double random_float(struct nnr_maker *m, uint32_t style, bool fp16)
{
	static const double edges[] = { 0,  -0.0, 1,   -1,   0.5, -0.5, 6,   3,
					-3, 1e-3, 2.5, -1.5, 100, -100, 1e4, -1e4 };

	switch (style) {
	case 0:
		return nnr_range(&m->r, -8, 8);
	case 1:
		if (nnr_once_in(&m->r, 3))
			return edges[nnr_below(&m->r, sizeof(edges) / sizeof(edges[0]))];
		break;
	case 2: /* any order of magnitude */
		return ldexp(nnr_uniform(&m->r, -2, 2),
			     nnr_range(&m->r, fp16 ? -20 : -40, fp16 ? 12 : 30));
	}
	return nnr_uniform(&m->r, -2, 2);
}

static double random_integer(struct nnr_maker *m, uint32_t style)
{
	if (style == 2 && nnr_once_in(&m->r, 2))
		return (int32_t)nnr_next(&m->r);
	return style == 1 ? nnr_range(&m->r, -1000, 1000) : nnr_range(&m->r, -9, 9);
}

void nnr_random_data(struct nnr_maker *m, struct nnr_operand *operand)
{
	size_t count = nnr_elements(operand), size = count * nna_operand_type_size(operand->type);
	uint32_t style = nnr_below(&m->r, 8);
	uint8_t *bytes = calloc(1, size ? size : 1);
	int64_t low, high;

	if (!bytes)
		abort();
	nnr_type_range(operand->type, &low, &high);
	for (size_t i = 0; i < count; i++) {
		double v;

		if (nnr_is_float(operand->type))
			v = random_float(m, style, nna_operand_type_size(operand->type) == 2);
		else if (operand->type == NNA_OPERAND_TENSOR_INT32 ||
			 operand->type == NNA_OPERAND_INT32)
			v = random_integer(m, style);
		else if (nnr_once_in(&m->r, 12))
			v = (double)(nnr_once_in(&m->r, 2) ? low : high);
		else
			v = nnr_range(&m->r, (int32_t)low, (int32_t)high);
		nnr_store(operand->type, bytes, i, v);
	}
	free(operand->data);
	operand->data = bytes;
	operand->size = size;
}

int nnr_new_tensor(struct nnr_maker *m, uint32_t type, uint32_t rank, const uint32_t *dims)
{
	int number = nnr_add_operand(m->graph, nnr_once_in(&m->r, 3) ? NNR_CONSTANT : NNR_INPUT,
				     type, rank, dims);

	/* A model cannot state a tensor without elements: a dimension of 0 is an unknown one. */
	if (number < 0 || !nnr_elements(m->graph->operands[number]) ||
	    nnr_elements(m->graph->operands[number]) > NNR_MAX_ELEMENTS)
		return -1;
	nnr_random_quantisation(m, m->graph->operands[number]);
	nnr_random_data(m, m->graph->operands[number]);
	return number;
}

int nnr_new_like(struct nnr_maker *m, int like, uint32_t rank, const uint32_t *dims)
{
	const struct nnr_operand *model = nnr_at(m, like);
	int number = nnr_new_tensor(m, model->type, rank, dims);

	nnr_at(m, number)->scale = model->scale;
	nnr_at(m, number)->zero_point = model->zero_point;
	return number;
}

int nnr_new_scaled(struct nnr_maker *m, uint32_t type, uint32_t rank, const uint32_t *dims,
		   float scale, int32_t zero_point)
{
	int number = nnr_new_tensor(m, type, rank, dims);

	if (number >= 0) {
		nnr_at(m, number)->scale = scale;
		nnr_at(m, number)->zero_point = zero_point;
	}
	return number;
}

void nnr_put(struct nnr_maker *m, int number, size_t i, double value)
{
	struct nnr_operand *operand = nnr_at(m, number);

	if (number < 0)
		return;
	if (operand->scale != 0)
		value = round(value / (double)operand->scale) + operand->zero_point;
	nnr_store(operand->type, operand->data, i, value);
}

static bool suits(const struct nnr_operand *operand, const struct nnr_wanted *wanted)
{
	uint64_t count = nnr_elements(operand);

	return operand->data && operand->kind != NNR_NO_VALUE && nnr_is_tensor(operand->type) &&
	       operand->type < 32 && wanted->types & NNR_BIT(operand->type) &&
	       operand->rank >= wanted->least && operand->rank <= wanted->most &&
	       (count || wanted->empty) && count <= NNR_MAX_ELEMENTS &&
	       (operand->type != NNA_OPERAND_TENSOR_INT32 || operand->scale == 0);
}

int nnr_pick(struct nnr_maker *m, const struct nnr_wanted *wanted)
{
	uint32_t dims[NNACCEL_MAX_RANK], rank;

	/* Prefers results of the last operations, so that chains come about. */
	for (uint32_t tries = 0; tries < 12 && m->graph->operand_count; tries++) {
		uint32_t back = nnr_below(&m->r, 1 + nnr_below(&m->r, m->graph->operand_count));
		uint32_t i = m->graph->operand_count - 1 - back;
		const struct nnr_operand *operand = m->graph->operands[i];

		if (suits(operand, wanted) &&
		    (operand->kind == NNR_TEMPORARY || nnr_once_in(&m->r, 4)))
			return (int)i;
	}
	rank = (uint32_t)nnr_range(&m->r, (int32_t)wanted->least, (int32_t)wanted->most);
	for (uint32_t k = 0; k < rank; k++)
		dims[k] = nnr_random_dim(m);
	return nnr_new_tensor(m, nnr_random_type(m, wanted->types), rank, dims);
}

void nnr_input(struct nnr_maker *m, int number)
{
	m->operation.in[m->operation.input_count++] = (uint32_t)number;
}

static void input_scalar(struct nnr_maker *m, uint32_t type, double value)
{
	int number = nnr_add_operand(m->graph, NNR_CONSTANT, type, 0, NULL);
	uint8_t bytes[8] = { 0 };

	if (number >= 0) {
		nnr_store(type, bytes, 0, value);
		nnr_set_data(m->graph->operands[number], bytes, nna_operand_type_size(type));
	}
	nnr_input(m, number);
}

void nnr_input_i32(struct nnr_maker *m, int32_t value)
{
	input_scalar(m, NNA_OPERAND_INT32, value);
}

void nnr_input_bool(struct nnr_maker *m, bool value)
{
	input_scalar(m, NNA_OPERAND_BOOL, value);
}

void nnr_input_float(struct nnr_maker *m, int like, double value)
{
	input_scalar(m,
		     nnr_at(m, like)->type == NNA_OPERAND_TENSOR_FLOAT16 ? NNA_OPERAND_FLOAT16 :
									   NNA_OPERAND_FLOAT32,
		     value);
}

int nnr_new_list(struct nnr_maker *m, uint32_t count, const int32_t *values)
{
	int number = nnr_add_operand(m->graph, NNR_CONSTANT, NNA_OPERAND_TENSOR_INT32, 1, &count);

	if (number >= 0)
		nnr_set_data(m->graph->operands[number], values, count * sizeof(*values));
	return number;
}

void nnr_input_list(struct nnr_maker *m, uint32_t count, const int32_t *values)
{
	nnr_input(m, nnr_new_list(m, count, values));
}

void nnr_input_none(struct nnr_maker *m, uint32_t type)
{
	int number = nnr_add_operand(m->graph, NNR_NO_VALUE, type, 0, NULL);

	if (number >= 0 && nnr_is_quantised(type))
		nnr_at(m, number)->scale = 1;
	nnr_input(m, number);
}

static struct nnr_operand *add_output(struct nnr_maker *m, uint32_t type)
{
	int number = nnr_add_operand(m->graph, NNR_TEMPORARY, type, 0, NULL);

	m->operation.out[m->operation.output_count++] = (uint32_t)number;
	return nnr_at(m, number);
}

void nnr_output(struct nnr_maker *m, uint32_t type)
{
	if (nnr_is_quantised(type))
		m->automatic |= 1u << m->operation.output_count;
	add_output(m, type);
}

void nnr_output_fixed(struct nnr_maker *m, uint32_t type, float scale, int32_t zero_point)
{
	struct nnr_operand *operand = add_output(m, type);

	operand->scale = scale;
	operand->zero_point = zero_point;
}

void nnr_output_like(struct nnr_maker *m, int like)
{
	nnr_output_fixed(m, nnr_at(m, like)->type, nnr_at(m, like)->scale,
			 nnr_at(m, like)->zero_point);
}

/* A scale and zero point for what was computed, mostly one that wastes little. */
static void suit_quantisation(struct nnr_maker *m, struct nnr_operand *operand,
			      const struct nnr_eval_tensor *t)
{
	double least = INFINITY, most = -INFINITY, scale;
	int64_t low, high;
	double zero;

	nnr_random_quantisation(m, operand);
	for (size_t i = 0; i < t->count; i++) {
		if (isfinite(t->v[i]) && isfinite(t->err[i])) {
			least = fmin(least, t->v[i]);
			most = fmax(most, t->v[i]);
		}
	}
	if (nnr_once_in(&m->r, 5) || !(most >= least))
		return;
	nnr_type_range(operand->type, &low, &high);
	scale = fmax(most - least, fmax(fabs(most), fabs(least)) / 4) / 255 *
		nnr_uniform(&m->r, 0.7, 2);
	if (scale > 1e-6 && scale < 1e4)
		operand->scale = (float)scale;
	zero = round((double)low - least / (double)operand->scale);
	operand->zero_point = (int32_t)fmin(fmax(zero, (double)low), (double)high);
}

bool nnr_finish_operation(struct nnr_maker *m)
{
	struct nnr_operation *o = &m->operation;
	struct nnr_eval e;
	bool done;

	for (uint32_t i = 0; i < o->input_count; i++) {
		if (o->in[i] >= m->graph->operand_count)
			return false;
	}
	for (uint32_t i = 0; i < o->output_count; i++) {
		if (o->out[i] >= m->graph->operand_count)
			return false;
	}
	done = !nnr_eval_operation(m->graph, o, &e);
	for (uint32_t i = 0; done && i < o->output_count; i++) {
		struct nnr_operand *operand = m->graph->operands[o->out[i]];

		if (m->automatic >> i & 1)
			suit_quantisation(m, operand, &e.out[i]);
		nnr_eval_store_result(operand, &e.out[i]);
	}
	nnr_eval_end(&e);
	if (done)
		m->graph->operations[m->graph->operation_count++] = *o;
	return done;
}

bool nnr_add_operation(struct nnr_maker *m, uint32_t type)
{
	uint32_t before = m->graph->operand_count;

	memset(&m->operation, 0, sizeof(m->operation));
	m->operation.type = type;
	m->automatic = 0;
	if (nnr_make_operation(m, type) && nnr_finish_operation(m))
		return true;
	nnr_drop_operands(m->graph, before);
	return false;
}

/*
 * Makes outputs of what nothing reads and of some other results, hides some dimensions from the
 * library, which has to find them, and turns some parameters into inputs.
 */
static void finish_graph(struct nnr_maker *m)
{
	bool read[NNR_MAX_OPERANDS] = { false }, hides = nnr_once_in(&m->r, 4),
	     late = nnr_once_in(&m->r, 8);
	struct nnr_graph *graph = m->graph;

	for (uint32_t k = 0; k < graph->operation_count; k++) {
		for (uint32_t i = 0; i < graph->operations[k].input_count; i++)
			read[graph->operations[k].in[i]] = true;
	}
	for (uint32_t i = 0; i < graph->operand_count; i++) {
		struct nnr_operand *operand = graph->operands[i];

		/* A parameter that decides about shapes may be known only at the run. */
		if (late && operand->kind == NNR_CONSTANT && nnr_once_in(&m->r, 3) &&
		    (!nnr_is_tensor(operand->type) || operand->type == NNA_OPERAND_TENSOR_INT32))
			operand->kind = NNR_INPUT;
		if (operand->kind != NNR_TEMPORARY)
			continue;
		operand->output = !read[i] || nnr_once_in(&m->r, 8);
		operand->hidden |= hides && nnr_is_tensor(operand->type) && nnr_once_in(&m->r, 2);
	}
	graph->relaxed = nnr_once_in(&m->r, 8);
}

static void set_rounding(struct nnr_graph *graph, bool as_tflite)
{
	graph->as_tflite = as_tflite;
	for (uint32_t i = 0; i < graph->subgraph_count; i++)
		set_rounding(graph->subgraphs[i], as_tflite);
}

struct nnr_graph *nnr_make(uint64_t seed, const struct nnr_options *options)
{
	struct nnr_maker m = { .r = { .state = seed * 0x2545f4914f6cdd1dull + 1 },
			       .graph = nnr_graph_new() };
	uint32_t wanted;

	if (!m.graph)
		return NULL;
	m.graph->seed = seed;
	wanted = 1 + nnr_below(&m.r, nnr_once_in(&m.r, 2) ? 4 : 12);
	for (uint32_t tries = 0; tries < 20 * wanted && m.graph->operation_count < wanted; tries++)
		nnr_add_operation(
			&m, options->allowed_count
				    ? options->allowed[nnr_below(&m.r, options->allowed_count)]
				    : nnr_maker_type(nnr_below(&m.r, nnr_maker_count)));
	finish_graph(&m);
	/* By the seed, so that a failure comes back. */
	set_rounding(m.graph, seed % 4 == 3);
	nnr_compact(m.graph);
	return m.graph;
}

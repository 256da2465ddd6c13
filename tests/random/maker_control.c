// SPDX-License-Identifier: MIT
/* Makers of IF and WHILE, with their subgraphs. */
#include <string.h>

#include "tests/random/maker.h"

#define MOST_DEPTH 2
#define MOST_VALUES 4

/* Operations that move elements and so have exact results. */
static const uint32_t movers[] = {
	NNA_OPERATION_RESHAPE,	   NNA_OPERATION_TRANSPOSE, NNA_OPERATION_REVERSE,
	NNA_OPERATION_SLICE,	   NNA_OPERATION_TILE,	    NNA_OPERATION_SPLIT,
	NNA_OPERATION_GATHER,	   NNA_OPERATION_MAXIMUM,   NNA_OPERATION_SELECT,
	NNA_OPERATION_EXPAND_DIMS,
};

#define MOVERS (sizeof(movers) / sizeof(movers[0]))

/* A subgraph whose inputs are like operands @values of @m's graph. */
static struct nnr_maker begin_subgraph(struct nnr_maker *m, uint32_t count, const int *values)
{
	struct nnr_maker sub = { .r = { nnr_next(&m->r) },
				 .graph = nnr_graph_new(),
				 .depth = m->depth + 1 };

	for (uint32_t i = 0; sub.graph && i < count; i++) {
		const struct nnr_operand *from = nnr_at(m, values[i]);
		int number =
			nnr_add_operand(sub.graph, NNR_INPUT, from->type, from->rank, from->dims);

		if (number < 0)
			break;
		nnr_at(&sub, number)->scale = from->scale;
		nnr_at(&sub, number)->zero_point = from->zero_point;
		nnr_set_data(nnr_at(&sub, number), from->data, from->size);
	}
	return sub;
}

/* Makes constants of inputs that operations added: a subgraph has those it began with. */
static void end_subgraph(struct nnr_maker *sub, uint32_t inputs)
{
	for (uint32_t i = inputs; i < sub->graph->operand_count; i++) {
		struct nnr_operand *operand = sub->graph->operands[i];

		if (operand->kind == NNR_INPUT)
			operand->kind = NNR_CONSTANT;
	}
}

/* ---- IF */

/*
 * A chain of operations, or NULL when none came out. @automatic: the last one chooses its
 * quantisation.
 */
static struct nnr_graph *make_branch(struct nnr_maker *m, uint32_t count, const int *values,
				     bool *automatic)
{
	struct nnr_maker sub = begin_subgraph(m, count, values);
	uint32_t wanted = 1 + nnr_below(&m->r, 3);

	if (!sub.graph)
		return NULL;
	for (uint32_t tries = 0; tries < 16 && sub.graph->operation_count < wanted; tries++) {
		bool last = sub.graph->operation_count + 1 == wanted;
		uint32_t type = last ? nnr_maker_type(nnr_below(&sub.r, nnr_maker_count))
				     : movers[nnr_below(&sub.r, MOVERS)];

		if (nnr_add_operation(&sub, type))
			*automatic = sub.automatic & 1;
	}
	end_subgraph(&sub, count);
	if (sub.graph->operation_count) {
		const struct nnr_operation *last =
			&sub.graph->operations[sub.graph->operation_count - 1];

		sub.graph->operands[last->out[0]]->output = true;
		return sub.graph;
	}
	nnr_graph_free(sub.graph);
	return NULL;
}

static struct nnr_operand *result_of(const struct nnr_graph *branch)
{
	return branch->operands[branch->operations[branch->operation_count - 1].out[0]];
}

/* A branch whose result has the type and the dimensions of @other's, or NULL. */
static struct nnr_graph *make_match(struct nnr_maker *m, uint32_t count, const int *values,
				    const struct nnr_operand *other, bool any_dims)
{
	for (uint32_t tries = 0; tries < 12; tries++) {
		bool automatic = false;
		struct nnr_graph *branch = make_branch(m, count, values, &automatic);
		struct nnr_operand *result = branch ? result_of(branch) : NULL;

		if (result && result->type == other->type && result->rank == other->rank &&
		    (any_dims || !memcmp(result->dims, other->dims, sizeof(other->dims))) &&
		    (automatic ||
		     (result->scale == other->scale && result->zero_point == other->zero_point))) {
			result->scale = other->scale;
			result->zero_point = other->zero_point;
			return branch;
		}
		nnr_graph_free(branch);
	}
	return NULL;
}

/* The same operations on other constants, if the result keeps its dimensions with them. */
static struct nnr_graph *make_twin(struct nnr_maker *m, const struct nnr_graph *branch)
{
	struct nnr_graph *twin = nnr_graph_copy(branch);
	const struct nnr_operand *result = result_of(branch);

	for (uint32_t i = 0; twin && i < twin->operand_count; i++) {
		struct nnr_operand *operand = twin->operands[i];

		/* Not of INT32: such lists may be sizes. */
		if (operand->kind == NNR_CONSTANT && nnr_is_tensor(operand->type) &&
		    operand->type != NNA_OPERAND_TENSOR_INT32 &&
		    operand->type != NNA_OPERAND_SUBGRAPH)
			nnr_random_data(m, operand);
	}
	if (twin && (!nnr_reinfer(twin) ||
		     memcmp(result_of(twin)->dims, result->dims, sizeof(result->dims)))) {
		nnr_graph_free(twin);
		return nnr_graph_copy(branch);
	}
	return twin;
}

bool nnr_make_if(struct nnr_maker *m, uint32_t type)
{
	const uint32_t one = 1;
	int values[MOST_VALUES], condition;
	uint32_t count = 1 + nnr_below(&m->r, 3);
	bool automatic, any_dims = nnr_once_in(&m->r, 4);
	struct nnr_graph *a, *b;
	struct nnr_operand result;

	if (m->depth >= MOST_DEPTH)
		return false;
	condition = nnr_new_tensor(m, NNA_OPERAND_TENSOR_BOOL8, 1, &one);
	for (uint32_t i = 0; i < count; i++) {
		values[i] =
			nnr_pick(m, &(struct nnr_wanted){ NNR_NUMBERS | NNR_BOOL, 1, 4, false });
		if (values[i] < 0)
			return false;
	}
	a = make_branch(m, count, values, &automatic);
	if (!a)
		return false;
	result = *result_of(a);
	b = make_match(m, count, values, &result, any_dims);
	if (!b)
		b = make_twin(m, a);
	/* Where branches differ in their dimensions the model cannot state them. */
	any_dims &= b && memcmp(result_of(b)->dims, result.dims, sizeof(result.dims));
	result_of(a)->hidden = any_dims;
	if (b)
		result_of(b)->hidden = any_dims;
	nnr_input(m, condition);
	nnr_input(m, nnr_add_subgraph(m->graph, a));
	nnr_input(m, nnr_add_subgraph(m->graph, b));
	for (uint32_t i = 0; i < count; i++)
		nnr_input(m, values[i]);
	nnr_output_fixed(m, result.type, result.scale, result.zero_point);
	nnr_at(m, (int)m->operation.out[0])->hidden = any_dims;
	return true;
}

/* ---- WHILE: state 0 counts the rounds */

/* One operation on @in whose result has its type and dimensions. Return: whether it came out. */
static bool make_step(struct nnr_maker *sub, int in)
{
	static const uint32_t of_numbers[] = { NNA_OPERATION_ADD,     NNA_OPERATION_MAXIMUM,
					       NNA_OPERATION_MINIMUM, NNA_OPERATION_SUB,
					       NNA_OPERATION_ABS,     NNA_OPERATION_NEG,
					       NNA_OPERATION_REVERSE };
	static const uint32_t of_bools[] = { NNA_OPERATION_LOGICAL_NOT, NNA_OPERATION_LOGICAL_AND,
					     NNA_OPERATION_LOGICAL_OR };
	const struct nnr_operand *x = nnr_at(sub, in);
	uint32_t type = NNA_OPERATION_REVERSE;
	int32_t axis;

	if (x->type == NNA_OPERAND_TENSOR_BOOL8)
		type = of_bools[nnr_below(&sub->r, 3)];
	else if (!nnr_is_quantised(x->type))
		type = of_numbers[nnr_below(&sub->r, 7)];
	memset(&sub->operation, 0, sizeof(sub->operation));
	sub->operation.type = type;
	sub->automatic = 0;
	axis = nnr_range(&sub->r, 0, (int32_t)x->rank - 1);
	nnr_input(sub, in);
	if (type == NNA_OPERATION_REVERSE)
		nnr_input_list(sub, 1, &axis);
	else if (type != NNA_OPERATION_ABS && type != NNA_OPERATION_NEG &&
		 type != NNA_OPERATION_LOGICAL_NOT)
		nnr_input(sub, nnr_new_like(sub, in, x->rank, x->dims));
	if (type == NNA_OPERATION_ADD || type == NNA_OPERATION_SUB)
		nnr_input_i32(sub, 0);
	nnr_output_like(sub, in);
	return nnr_finish_operation(sub);
}

/* One element more in the first dimension. */
static bool make_growth(struct nnr_maker *sub, int in)
{
	const struct nnr_operand *x = nnr_at(sub, in);
	uint32_t dims[NNACCEL_MAX_RANK];

	memcpy(dims, x->dims, sizeof(dims));
	dims[0] = 1;
	memset(&sub->operation, 0, sizeof(sub->operation));
	sub->operation.type = NNA_OPERATION_CONCATENATION;
	sub->automatic = 0;
	nnr_input(sub, in);
	nnr_input(sub, nnr_new_like(sub, in, x->rank, dims));
	nnr_input_i32(sub, 0);
	nnr_output_like(sub, in);
	return nnr_finish_operation(sub);
}

/* The counter's next value. */
static bool make_count(struct nnr_maker *sub)
{
	const int32_t one = 1;

	memset(&sub->operation, 0, sizeof(sub->operation));
	sub->operation.type = NNA_OPERATION_ADD;
	sub->automatic = 0;
	nnr_input(sub, 0);
	nnr_input_list(sub, 1, &one);
	nnr_input_i32(sub, 0);
	nnr_output(sub, NNA_OPERAND_TENSOR_INT32);
	return nnr_finish_operation(sub);
}

/**
 * struct loop - a WHILE under construction
 * @states, @count: of @values, those that the body writes and all; the last may be the limit
 * @grows: the last state has other dimensions in each round
 */
struct loop {
	int values[MOST_VALUES];
	uint32_t states, count;
	bool grows;
};

static void hide_growth(const struct loop *loop, struct nnr_maker *sub)
{
	nnr_at(sub, (int)loop->states - 1)->hidden |= loop->grows;
}

static struct nnr_graph *make_condition(struct nnr_maker *m, const struct loop *loop, int32_t limit)
{
	struct nnr_maker sub = begin_subgraph(m, loop->count, loop->values);

	if (!sub.graph)
		return NULL;
	sub.operation.type = NNA_OPERATION_LESS;
	nnr_input(&sub, 0);
	if (loop->count > loop->states)
		nnr_input(&sub, (int)loop->count - 1);
	else
		nnr_input_list(&sub, 1, &limit);
	nnr_output(&sub, NNA_OPERAND_TENSOR_BOOL8);
	hide_growth(loop, &sub);
	if (!nnr_finish_operation(&sub)) {
		nnr_graph_free(sub.graph);
		return NULL;
	}
	nnr_at(&sub, (int)sub.graph->operations[0].out[0])->output = true;
	end_subgraph(&sub, loop->count);
	return sub.graph;
}

static struct nnr_graph *make_body(struct nnr_maker *m, const struct loop *loop)
{
	struct nnr_maker sub = begin_subgraph(m, loop->count, loop->values);
	bool made = sub.graph;

	for (uint32_t i = 0; i < loop->states && made; i++) {
		bool grows = loop->grows && i == loop->states - 1;
		struct nnr_operand *next;

		made = !i      ? make_count(&sub)
		       : grows ? make_growth(&sub, (int)i)
			       : make_step(&sub, (int)i);
		if (!made)
			break;
		next = nnr_at(&sub, (int)sub.operation.out[0]);
		next->output = true;
		next->hidden = grows;
	}
	if (!made) {
		nnr_graph_free(sub.graph);
		return NULL;
	}
	hide_growth(loop, &sub);
	end_subgraph(&sub, loop->count);
	return sub.graph;
}

bool nnr_make_while(struct nnr_maker *m, uint32_t type)
{
	int32_t limit = nnr_range(&m->r, 0, 6), first = nnr_range(&m->r, 0, 2);
	struct loop loop = { .states = 1 + nnr_below(&m->r, 3) };
	uint32_t told = 1 + nnr_below(&m->r, loop.states);
	struct nnr_graph *condition, *body;

	if (m->depth >= MOST_DEPTH)
		return false;
	loop.values[0] = nnr_new_list(m, 1, &first);
	for (uint32_t i = 1; i < loop.states; i++)
		loop.values[i] =
			nnr_pick(m, &(struct nnr_wanted){ NNR_NUMBERS | NNR_BOOL, 1, 4, false });
	loop.count = loop.states;
	if (nnr_once_in(&m->r, 2))
		loop.values[loop.count++] = nnr_new_list(m, 1, &limit);
	for (uint32_t i = 0; i < loop.count; i++) {
		if (loop.values[i] < 0)
			return false;
	}
	loop.grows = loop.states > 1 && nnr_once_in(&m->r, 4) &&
		     nnr_at(m, loop.values[loop.states - 1])->type != NNA_OPERAND_TENSOR_BOOL8;
	condition = make_condition(m, &loop, limit);
	body = make_body(m, &loop);
	nnr_input(m, nnr_add_subgraph(m->graph, condition));
	nnr_input(m, nnr_add_subgraph(m->graph, body));
	if (!condition || !body)
		return false;
	for (uint32_t i = 0; i < loop.count; i++)
		nnr_input(m, loop.values[i]);
	for (uint32_t i = 0; i < told; i++) {
		nnr_output_like(m, loop.values[i]);
		nnr_at(m, (int)m->operation.out[i])->hidden = loop.grows && i == loop.states - 1;
	}
	return true;
}

// SPDX-License-Identifier: MIT
/*
 * The pass that joins operations on rows: a chain of element-wise operations, reductions of the
 * last axis and softmaxes, each of which reads a result of the ones before, becomes one ROWS. So a
 * layer norm, a GELU or a softmax with its mask goes through memory once, however the model spells
 * it, and what the operations have given each other needs no memory.
 *
 * A chain has a shape, rows and their length. It begins with an operation and takes those that
 * follow and fit: their operands are views of that shape, or of one element a row, and they read
 * what the chain has written, exactly, or what it reads. It takes the place of its last operation,
 * so nothing in between may use what the chain writes, or write what it reads. The first operation
 * that would fixes the place of the chain before it; then the chain takes further operations that
 * can move up to there. Results that others read are outputs.
 *
 * A chain may have more outputs, inputs or steps than ROWS, or more than the backend accepts. Then
 * the longest beginning of it that fits is joined, and the rest begins a chain of its own.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/passes.h"

#define MOST_MEMBERS NNA_IR_ROWS_STEPS
/* Operations that are looked at behind the first one of a chain. */
#define MOST_DISTANCE 64u
#define MOST_OPERANDS 4u
#define NUMBER NNA_ROWS_ARGUMENT_NUMBER

/**
 * struct member - an operation of a chain
 * @op: its number
 * @out: its result as a view of the chain's shape
 * @step: the step that computes it
 * @steps, @inputs: of the chain up to here
 * @read_count: number of entries of @reads
 * @reads: the storages that it reads
 */
struct member {
	uint32_t op;
	struct nna_value out;
	uint8_t step, steps, inputs;
	uint32_t read_count;
	uint32_t reads[MOST_OPERANDS];
};

/**
 * struct chain - operations that may become one
 * @l: the lowering
 * @rank: number of dims of @dims
 * @dims: those along which rows are counted
 * @rows: their product
 * @program: the steps and the length of a row
 * @members: @count of them, in execution order
 * @inputs: @input_count views that the steps read
 * @first: the first operation
 * @place: the operation whose place the chain takes if it has any behind that; NNA_NONE while it is
 *	the last one
 * @is_linked: the operation that is being added reads a result or an input of the chain
 */
struct chain {
	struct nna_lower *l;
	uint32_t rank;
	uint32_t dims[NNA_IR_MAX_RANK];
	uint32_t rows;
	struct nna_ir_rows program;
	struct member members[MOST_MEMBERS];
	uint32_t count;
	struct nna_value inputs[NNA_IR_ROWS_INPUTS];
	uint32_t input_count;
	uint32_t first, place;
	bool is_linked;
};

/* True for what a step computes as the operation does. */
static bool is_known(uint8_t function)
{
	switch (function) {
	case NNA_FN_ABS:
	case NNA_FN_NEG:
	case NNA_FN_EXP:
	case NNA_FN_SQRT:
	case NNA_FN_RSQRT:
	case NNA_FN_FLOOR:
	case NNA_FN_TANH:
	case NNA_FN_LOGISTIC:
	case NNA_FN_ELU:
	case NNA_FN_ERF:
	case NNA_FN_HARD_SWISH:
	case NNA_FN_LEAKY_RELU:
	case NNA_FN_LOGICAL_NOT:
	case NNA_FN_ADD:
	case NNA_FN_SUB:
	case NNA_FN_MUL:
	case NNA_FN_DIV:
	case NNA_FN_MAXIMUM:
	case NNA_FN_MINIMUM:
	case NNA_FN_EQUAL:
	case NNA_FN_NOT_EQUAL:
	case NNA_FN_LESS:
	case NNA_FN_LESS_EQUAL:
	case NNA_FN_GREATER:
	case NNA_FN_GREATER_EQUAL:
	case NNA_FN_LOGICAL_AND:
	case NNA_FN_LOGICAL_OR:
	case NNA_FN_PRELU:
	case NNA_FN_FLOOR_DIV:
	case NNA_FN_SQUARED_DIFFERENCE:
		return true;
	default:
		return false;
	}
}

/* True for stored integers that are the values: a step has them as F32. */
static bool is_whole(const struct nna_value *v)
{
	return (v->type == NNA_TYPE_S8 || v->type == NNA_TYPE_S16) && v->scale == 1 &&
	       !v->zero_point;
}

/* True for those that an output may have. */
static bool is_byte(const struct nna_value *v)
{
	return is_whole(v) && v->type == NNA_TYPE_S8;
}

static bool is_number(const struct nna_value *v)
{
	return v->type == NNA_TYPE_F32 || v->type == NNA_TYPE_BOOL8;
}

/* True if all inputs of an operation are F32, or with @bools BOOL8, and its result is either. */
static bool takes_numbers(const struct nna_lower *l, const struct nna_ir_op *op, bool bools)
{
	for (uint32_t k = 0; k < op->operand_count; k++) {
		uint8_t type;

		if (op->values[k] == NNA_NO_VALUE)
			return false;
		type = l->values[op->values[k]].type;
		if (k && type != (bools ? NNA_TYPE_BOOL8 : NNA_TYPE_F32))
			return false;
		if (!k && type != NNA_TYPE_F32 && type != NNA_TYPE_BOOL8)
			return false;
	}
	return true;
}

static bool is_eligible_unary(const struct nna_lower *l, const struct nna_ir_op *op)
{
	const struct nna_value *out = &l->values[op->values[0]], *in = &l->values[op->values[1]];
	const uint8_t function = op->elementwise.function;

	if (function == NNA_FN_IDENTITY || function == NNA_FN_CAST) {
		if (out->type == NNA_TYPE_F32)
			return is_number(in) || is_whole(in);
		return function == NNA_FN_IDENTITY && is_whole(out) && in->type == NNA_TYPE_F32;
	}
	return is_known(function) && takes_numbers(l, op, function == NNA_FN_LOGICAL_NOT);
}

/* True if an operation reduces the last axis and no other one of several elements. */
static bool reduces_rows(const struct nna_ir_op *op, const struct nna_value *in)
{
	if (!in->rank || !(op->reduce.axes >> (in->rank - 1) & 1))
		return false;
	for (uint32_t k = 0; k + 1 < in->rank; k++)
		if (op->reduce.axes >> k & 1 && in->dims[k] != 1)
			return false;
	return true;
}

/* True if a chain can compute the operation, whatever its shape. */
static bool is_eligible(const struct nna_lower *l, const struct nna_ir_op *op)
{
	const struct nna_value *in = op->operand_count > 1 && op->values[1] != NNA_NO_VALUE ?
					     &l->values[op->values[1]] :
					     NULL;

	if (op->dead || !in)
		return false;
	switch (op->kind) {
	case NNA_IR_UNARY:
		return is_eligible_unary(l, op);
	case NNA_IR_BINARY:
		return is_known(op->elementwise.function) &&
		       takes_numbers(l, op,
				     op->elementwise.function == NNA_FN_LOGICAL_AND ||
					     op->elementwise.function == NNA_FN_LOGICAL_OR);
	case NNA_IR_MUL_ADD:
	case NNA_IR_CLAMP:
		return takes_numbers(l, op, false) &&
		       l->values[op->values[0]].type == NNA_TYPE_F32;
	case NNA_IR_SELECT:
		return in->type == NNA_TYPE_BOOL8 &&
		       l->values[op->values[NNA_ELEMENTWISE_B]].type == NNA_TYPE_F32 &&
		       l->values[op->values[NNA_ELEMENTWISE_C]].type == NNA_TYPE_F32 &&
		       l->values[op->values[0]].type == NNA_TYPE_F32;
	case NNA_IR_REDUCE:
		return takes_numbers(l, op, false) && reduces_rows(op, in) &&
		       (op->reduce.function <= NNA_REDUCE_MEAN ||
			op->reduce.function == NNA_REDUCE_MAX ||
			op->reduce.function == NNA_REDUCE_MIN);
	case NNA_IR_SOFTMAX:
		return takes_numbers(l, op, false) && !op->softmax.log &&
		       op->softmax.axis == in->rank - 1u;
	default:
		return false;
	}
}

/* Gives a value as a view of the chain's shape; false if it has another one. */
static bool fit(const struct chain *c, const struct nna_value *v, struct nna_value *to)
{
	uint32_t dims[NNA_IR_MAX_RANK], elements = nna_value_elements(v);

	if (v->channel_scales)
		return false;
	memcpy(dims, c->dims, sizeof(dims));
	dims[c->rank] = elements == c->rows ? 1 : c->program.length;
	if ((uint64_t)c->rows * dims[c->rank] != elements ||
	    !nna_value_reshape(v, c->rank + 1, dims, to))
		return false;
	/* Broadcast along the row: one element a row. */
	if (to->dims[c->rank] > 1 && !to->strides[c->rank])
		to->dims[c->rank] = 1;
	for (uint32_t k = 0; k <= c->rank; k++)
		if (to->dims[k] == 1)
			to->strides[k] = 1;
	return true;
}

/* Return: the member that writes a storage, of which there is one at most; NULL if none does. */
static const struct member *find_writer(const struct chain *c, uint32_t storage)
{
	for (uint32_t m = 0; m < c->count; m++)
		if (c->members[m].out.storage == storage)
			return &c->members[m];
	return NULL;
}

static bool reads(const struct chain *c, uint32_t storage)
{
	for (uint32_t m = 0; m < c->count; m++)
		for (uint32_t k = 0; k < c->members[m].read_count; k++)
			if (c->members[m].reads[k] == storage)
				return true;
	return false;
}

/* Appends a step. Return: its number; -1 if there are too many. */
static int add_step(struct chain *c, uint8_t function, int x, int y, int z, float number)
{
	struct nna_ir_rows *p = &c->program;

	if (x < 0 || y < 0 || z < 0 || p->count == NNA_IR_ROWS_STEPS)
		return -1;
	p->steps[p->count] = (struct nna_ir_rows_step){
		.function = function,
		.from = { (uint8_t)x, (uint8_t)y, (uint8_t)z },
		.number = number,
	};
	return p->count++;
}

/**
 * struct argument - an operand of an operation that is being added
 * @from: as a step names it; NNA_ROWS_ARGUMENT_NUMBER for @number
 */
struct argument {
	int from;
	float number;
};

/* Finds out how the steps name operand @k of an operation. Return: false if they cannot. */
static bool find_argument(struct chain *c, const struct nna_ir_op *op, uint32_t k,
			  struct argument *to)
{
	const struct nna_value *v = &c->l->values[op->values[k]];
	const struct member *writer;
	struct nna_value view;

	if (!fit(c, v, &view))
		return false;
	writer = find_writer(c, view.storage);
	if (writer) {
		to->from = writer->step;
		c->is_linked = true;
		return nna_value_same_view(&writer->out, &view);
	}
	to->from = NUMBER;
	if (nna_value_number(c->l, &view, &to->number))
		return true;
	if (!is_number(&view))
		return false;
	for (uint32_t i = 0; i < c->input_count; i++) {
		to->from = (int)(NNA_ROWS_ARGUMENT_INPUT + i);
		if (nna_value_same_view(&c->inputs[i], &view)) {
			c->is_linked = true;
			return true;
		}
	}
	if (c->input_count == NNA_IR_ROWS_INPUTS)
		return false;
	to->from = (int)(NNA_ROWS_ARGUMENT_INPUT + c->input_count);
	c->inputs[c->input_count++] = view;
	return true;
}

/* Appends a step of up to three arguments, of which one number may be part of the step. */
static int add_function(struct chain *c, uint8_t function, const struct argument *a, uint32_t count,
			float alpha)
{
	int from[3] = { 0 };
	float number = alpha;
	bool has_number = count == 1;

	for (uint32_t k = 0; k < count; k++) {
		from[k] = a[k].from;
		if (from[k] != NUMBER)
			continue;
		if (has_number)
			from[k] = add_step(c, NNA_FN_IDENTITY, NUMBER, 0, 0, a[k].number);
		else
			number = a[k].number;
		has_number = true;
	}
	return add_step(c, function, from[0], from[1], from[2], number);
}

static int add_softmax(struct chain *c, const struct nna_ir_op *op, int x)
{
	int most = add_step(c, NNA_ROW_MAX, x, 0, 0, 0), y, sum;

	y = add_step(c, NNA_FN_SUB, x, most, 0, 0);
	if (op->softmax.beta != 1)
		y = add_step(c, NNA_FN_MUL, y, NUMBER, 0, op->softmax.beta);
	y = add_step(c, NNA_FN_EXP, y, 0, 0, 0);
	sum = add_step(c, NNA_ROW_SUM, y, 0, 0, 0);
	return add_step(c, NNA_FN_DIV, y, sum, 0, 0);
}

/* As the clamp of the operation: a NaN stays, and so does the sign of a zero. */
static int add_bounds(struct chain *c, int x, float low, float high)
{
	if (low > -INFINITY)
		x = add_step(c, NNA_FN_MAXIMUM, NUMBER, x, 0, low);
	if (high < INFINITY)
		x = add_step(c, NNA_FN_MINIMUM, NUMBER, x, 0, high);
	return x;
}

static int add_unary(struct chain *c, const struct nna_ir_op *op, const struct argument *a)
{
	const uint8_t function = op->kind == NNA_IR_CLAMP ? NNA_FN_IDENTITY :
							    op->elementwise.function;
	int x;

	if (is_whole(&c->l->values[op->values[0]])) {
		x = add_function(c, NNA_ROW_ROUND, a, 1, 0);
		return add_bounds(c, x, (float)op->bounds.q_min, (float)op->bounds.q_max);
	}
	if (function != NNA_FN_IDENTITY && function != NNA_FN_CAST)
		return add_function(c, function, a, 1, op->elementwise.alpha);
	/* Without a change of the number the earlier step serves. */
	if (a->from < (int)NNA_ROWS_ARGUMENT_INPUT)
		return a->from;
	return add_function(c, NNA_FN_IDENTITY, a, 1, 0);
}

static int add_reduce(struct chain *c, const struct nna_ir_op *op, int x)
{
	switch (op->reduce.function) {
	case NNA_REDUCE_SUM:
		return add_step(c, NNA_ROW_SUM, x, 0, 0, 0);
	case NNA_REDUCE_MEAN:
		return add_step(c, NNA_ROW_MEAN, x, 0, 0, 0);
	case NNA_REDUCE_MAX:
		return add_step(c, NNA_ROW_MAX, x, 0, 0, 0);
	default:
		return add_step(c, NNA_ROW_MIN, x, 0, 0, 0);
	}
}

/* True if an argument has an element for each of the row. */
static bool is_wide(const struct chain *c, const struct nna_value *v)
{
	struct nna_value view;

	return fit(c, v, &view) && view.dims[c->rank] == c->program.length;
}

/* Appends the steps of an operation. Return: the one that computes it, or -1. */
static int add_steps(struct chain *c, const struct nna_ir_op *op)
{
	struct argument a[MOST_OPERANDS] = { { 0 } };
	const struct nna_value *in = &c->l->values[op->values[1]];
	const uint32_t inputs = op->operand_count - 1;
	int step;

	for (uint32_t k = 0; k < inputs; k++)
		if (!find_argument(c, op, k + 1, &a[k]))
			return -1;
	switch (op->kind) {
	case NNA_IR_REDUCE:
	case NNA_IR_SOFTMAX:
		/* The rows of the operation are those of the chain. */
		if (in->dims[in->rank - 1] != c->program.length || !is_wide(c, in) ||
		    a[0].from == NUMBER)
			return -1;
		return op->kind == NNA_IR_SOFTMAX ? add_softmax(c, op, a[0].from) :
						    add_reduce(c, op, a[0].from);
	case NNA_IR_UNARY:
	case NNA_IR_CLAMP:
		step = add_unary(c, op, a);
		break;
	default:
		step = add_function(c,
				    op->kind == NNA_IR_SELECT  ? NNA_FN_SELECT :
				    op->kind == NNA_IR_MUL_ADD ? NNA_FN_MUL_ADD :
								 op->elementwise.function,
				    a, inputs, 0);
		break;
	}
	if (c->l->values[op->values[0]].type == NNA_TYPE_F32)
		step = add_bounds(c, step, op->bounds.min, op->bounds.max);
	return step;
}

/* True if an operation behind the place of the chain can move up to it. */
static bool can_move_up(const struct chain *c, uint32_t i)
{
	const struct nna_lower *l = c->l;
	const struct nna_ir_op *op = &l->ops[i];

	if (c->place == NNA_NONE)
		return true;
	for (uint32_t k = 1; k < op->operand_count; k++) {
		const struct nna_value *in = &l->values[op->values[k]];
		const struct member *writer = find_writer(c, in->storage);

		/* An operation behind a member may write its storage again. */
		if (nna_ir_touched(l, (writer ? writer->op : c->place) + 1, i, NNA_NONE, in, true))
			return false;
	}
	return !nna_ir_touched(l, c->first, i, NNA_NONE, &l->values[op->values[0]], false);
}

/* Adds an operation to the chain. Return: false, with the chain as it was, if it does not fit. */
static bool add_member(struct chain *c, uint32_t i)
{
	const struct nna_ir_op *op = &c->l->ops[i];
	const uint32_t input_count = c->input_count;
	const uint8_t step_count = c->program.count;
	struct member *m = &c->members[c->count];
	int step = -1;

	if (c->count == MOST_MEMBERS || !is_eligible(c->l, op) || !can_move_up(c, i))
		return false;
	c->is_linked = !c->count;
	m->read_count = 0;
	for (uint32_t k = 1; k < op->operand_count; k++)
		m->reads[m->read_count++] = c->l->values[op->values[k]].storage;
	/* All reading comes before all writing. */
	if (fit(c, &c->l->values[op->values[0]], &m->out) && !find_writer(c, m->out.storage) &&
	    !reads(c, m->out.storage))
		step = add_steps(c, op);
	for (uint32_t k = 0; k < m->read_count; k++)
		if (m->reads[k] == m->out.storage)
			step = -1;
	if (step < 0 || !c->is_linked) {
		c->input_count = input_count;
		c->program.count = step_count;
		return false;
	}
	m->op = i;
	m->step = (uint8_t)step;
	m->steps = c->program.count;
	m->inputs = (uint8_t)c->input_count;
	c->count++;
	return true;
}

/* True if an operation cannot stay before the chain, which moves down behind it. */
static bool is_in_the_way(const struct chain *c, uint32_t i)
{
	const struct nna_ir_op *op = &c->l->ops[i];

	for (uint32_t k = 0; k < op->operand_count; k++) {
		uint32_t storage;

		if (op->values[k] == NNA_NO_VALUE)
			continue;
		storage = c->l->values[op->values[k]].storage;
		if (find_writer(c, storage) || (nna_ir_is_output(op, k) && reads(c, storage)))
			return true;
	}
	return false;
}

/* Collects the operations that operation @first begins a chain of. */
static void collect(struct chain *c, uint32_t first)
{
	const struct nna_lower *l = c->l;
	const struct nna_ir_op *op = &l->ops[first];
	const struct nna_value *shape = &l->values[op->values[0]];
	uint32_t behind = 0;

	c->rank = c->count = c->input_count = 0;
	c->first = first;
	c->place = NNA_NONE;
	c->rows = 1;
	memset(&c->program, 0, sizeof(c->program));
	if (!is_eligible(l, op))
		return;
	if (op->kind == NNA_IR_REDUCE)
		shape = &l->values[op->values[1]];
	if (!shape->rank || shape->dims[shape->rank - 1] < 2 || !nna_value_elements(shape))
		return;
	for (uint32_t k = 0; k + 1 < shape->rank; k++) {
		if (shape->dims[k] == 1)
			continue;
		if (c->rank == NNA_IR_MAX_RANK - 1)
			return;
		c->dims[c->rank++] = shape->dims[k];
		c->rows *= shape->dims[k];
	}
	c->program.length = shape->dims[shape->rank - 1];
	if (!add_member(c, first))
		return;
	for (uint32_t i = first + 1; i < l->op_count && behind < MOST_DISTANCE; i++) {
		if (nna_ir_has_flow(l, first, i))
			return;
		if (l->ops[i].dead)
			continue;
		behind++;
		if (!add_member(c, i) && c->place == NNA_NONE && is_in_the_way(c, i))
			c->place = c->members[c->count - 1].op;
	}
}

/* True if the result of member @m is used by others than the first @count members. */
static bool is_output(const struct chain *c, const struct nna_ir_use *uses, uint32_t m,
		      uint32_t count)
{
	const uint32_t storage = c->members[m].out.storage;
	uint32_t own = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < c->members[i].read_count; k++)
			own += c->members[i].reads[k] == storage;
	return c->l->storages[storage].kind != NNA_STORAGE_SCRATCH ||
	       uses[storage].reads != own || uses[storage].writes != 1;
}

/*
 * Makes the operation that does the first @count members, but for the numbers of its values.
 * @values: the values. Return: false if there is none.
 */
static bool make(const struct chain *c, const struct nna_ir_use *uses, uint32_t count,
		 struct nna_ir_op *op, struct nna_value *values)
{
	const struct member *last = &c->members[count - 1];
	uint32_t outputs = 0;

	*op = (struct nna_ir_op){
		.kind = NNA_IR_ROWS,
		.label = NNA_NONE,
		.origin = c->l->ops[last->op].origin,
		.rows = c->program,
	};
	op->operand_count = nna_ir_kind_operands(op->kind, &op->outputs);
	op->rows.count = last->steps;
	for (uint32_t k = 0; k < NNA_IR_MAX_OPERANDS; k++)
		op->values[k] = NNA_NO_VALUE;
	for (uint32_t m = 0; m < count; m++) {
		if (!is_output(c, uses, m, count))
			continue;
		if (outputs == NNA_IR_ROWS_OUTPUTS ||
		    (!is_number(&c->members[m].out) && !is_byte(&c->members[m].out)))
			return false;
		op->rows.result[outputs] = c->members[m].step;
		op->values[outputs] = 0;
		values[outputs] = c->members[m].out;
		if (is_byte(&values[outputs])) {
			/* Stored numbers are the values. */
			values[outputs].scale = 0;
			op->rows.has_bytes = true;
		}
		outputs++;
	}
	for (uint32_t k = 0; k < last->inputs; k++) {
		op->values[NNA_ROWS_IN + k] = 0;
		values[NNA_ROWS_IN + k] = c->inputs[k];
	}
	return outputs && last->inputs;
}

/* Replaces the first @count members by one operation. Return: 1, 0 if there is none, or -ENOMEM. */
static int join(struct chain *c, const struct nna_backend *backend, struct nna_ir_use *uses,
		uint32_t count)
{
	struct nna_lower *l = c->l;
	struct nna_value values[NNA_IR_MAX_OPERANDS];
	const uint32_t last = c->members[count - 1].op, place = last < c->place ? last : c->place;
	struct nna_ir_op op;
	char reason[128];

	if (!make(c, uses, count, &op, values) ||
	    backend->accepts(l, &op, reason, sizeof(reason)))
		return 0;
	for (uint32_t k = 0; k < op.operand_count; k++) {
		int64_t value = op.values[k];

		if (value != NNA_NO_VALUE)
			value = nna_value_add(l, &values[k]);
		if (value < 0)
			return (int)value;
		op.values[k] = (uint32_t)value;
	}
	for (uint32_t m = 0; m < count; m++) {
		nna_ir_uses_remove(l, uses, c->members[m].op);
		l->ops[c->members[m].op].dead = true;
	}
	l->ops[place] = op;
	nna_ir_uses_add(l, uses, place);
	if (l->debug & NNA_DEBUG_JOIN)
		nna_debug_print(l, "join: %u operations to %u are %u steps on %u rows of %u", count,
				place, op.rows.count, c->rows, op.rows.length);
	return 1;
}

/* True for operations that ROWS does faster also without others: several steps, or in fp32. */
static bool is_alone(const struct nna_ir_op *op)
{
	return op->kind == NNA_IR_SOFTMAX ||
	       (op->kind == NNA_IR_UNARY && op->elementwise.function == NNA_FN_ERF);
}

int nna_pass_join(struct nna_lower *l, const struct nna_backend *backend)
{
	struct nna_ir_use *uses = nna_ir_uses_get(l);
	struct chain *c = malloc(sizeof(*c));
	int ret = uses && c ? 0 : -ENOMEM;
	uint32_t least; /* members */

	for (uint32_t i = 0; ret >= 0 && i < l->op_count; i++) {
		c->l = l;
		collect(c, i);
		ret = 0;
		least = is_alone(&l->ops[i]) ? 1 : 2;
		for (uint32_t count = c->count; !ret && count >= least; count--)
			ret = join(c, backend, uses, count);
	}
	free(c);
	free(uses);
	return ret < 0 ? ret : 0;
}

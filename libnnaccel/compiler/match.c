// SPDX-License-Identifier: MIT
/*
 * The pass that finds functions which a model, or a front end, spells out: operations that together
 * are a function of the ir become that one, if the backend has it.
 *
 *	error function	21 operations: a rational function of |x| times e^(-x^2)
 *	MUL_ADD		an ADD of a product of F32, which both round as before
 *
 * What the operations give each other must be whole scratch storages that nobody else reads. The
 * last operation becomes the function, and the others are marked dead.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "libnnaccel/compiler/passes.h"

#define MOST_PARTS 24u
/* What an argument of a part is beside the number of an earlier part. */
#define X 64u
#define NUMBER 65u

/**
 * struct part - an operation that a function is spelled with
 * @function: enum nna_function
 * @count: number of arguments
 * @from: the part that gives each of them; X for the function's argument, NUMBER for @number
 */
struct part {
	uint8_t function, count;
	uint8_t from[3];
	float number;
};

/* As frontend/tflite/ops/composed.c spells it; the last part gives the result. */
static const struct part error_function[] = {
	{ NNA_FN_ABS, 1, { X }, 0 },
	{ NNA_FN_MUL, 2, { 0, NUMBER }, 0.3275911f },
	{ NNA_FN_ADD, 2, { 1, NUMBER }, 1 },
	{ NNA_FN_DIV, 2, { NUMBER, 2 }, 1 },
	{ NNA_FN_MUL, 2, { 3, NUMBER }, 1.061405429f },
	{ NNA_FN_ADD, 2, { 4, NUMBER }, -1.453152027f },
	{ NNA_FN_MUL, 2, { 5, 3 }, 0 },
	{ NNA_FN_ADD, 2, { 6, NUMBER }, 1.421413741f },
	{ NNA_FN_MUL, 2, { 7, 3 }, 0 },
	{ NNA_FN_ADD, 2, { 8, NUMBER }, -0.284496736f },
	{ NNA_FN_MUL, 2, { 9, 3 }, 0 },
	{ NNA_FN_ADD, 2, { 10, NUMBER }, 0.254829592f },
	{ NNA_FN_MUL, 2, { 11, 3 }, 0 },
	{ NNA_FN_MUL, 2, { X, X }, 0 },
	{ NNA_FN_NEG, 1, { 13 }, 0 },
	{ NNA_FN_EXP, 1, { 14 }, 0 },
	{ NNA_FN_MUL, 2, { 12, 15 }, 0 },
	{ NNA_FN_SUB, 2, { NUMBER, 16 }, 1 },
	{ NNA_FN_NEG, 1, { 17 }, 0 },
	{ NNA_FN_LESS, 2, { X, NUMBER }, 0 },
	{ NNA_FN_SELECT, 3, { 19, 18, 17 }, 0 },
};

#define PARTS ((uint32_t)(sizeof(error_function) / sizeof(error_function[0])))
_Static_assert(PARTS <= MOST_PARTS, "a function has room");

/**
 * struct match - the pass on one lowering
 * @l: the lowering
 * @uses: current uses of all storages
 * @ops: the operation of each part; NNA_NONE if it is not found yet
 * @x: number of the argument's value; NNA_NO_VALUE if it is not found yet
 * @first: the first of @ops
 */
struct match {
	struct nna_lower *l;
	struct nna_ir_use *uses;
	uint32_t ops[MOST_PARTS];
	uint32_t x, first;
};

static uint8_t function_of(const struct nna_ir_op *op)
{
	switch (op->kind) {
	case NNA_IR_UNARY:
	case NNA_IR_BINARY:
		return op->elementwise.function;
	case NNA_IR_SELECT:
		return NNA_FN_SELECT;
	default:
		return NNA_FN_COUNT;
	}
}

static bool has_bounds(const struct nna_ir_op *op)
{
	return op->bounds.min > -INFINITY || op->bounds.max < INFINITY;
}

/*
 * Return: the operation that makes a value which @reads operands read, all of it and nothing else;
 * NNA_NONE if there is none.
 */
static uint32_t find_producer(const struct match *m, uint32_t value, uint32_t reads)
{
	const struct nna_lower *l = m->l;
	const struct nna_value *v = &l->values[value];
	uint32_t p;

	if (l->storages[v->storage].kind != NNA_STORAGE_SCRATCH || !nna_value_whole(l, v) ||
	    m->uses[v->storage].reads != reads)
		return NNA_NONE;
	p = nna_ir_only_writer(l, m->uses, v->storage);
	if (p == NNA_NONE || !nna_value_same_view(v, &l->values[l->ops[p].values[0]]))
		return NNA_NONE;
	return p;
}

/* Return: how many arguments of all parts are the result of part @p. */
static uint32_t count_reads(uint32_t p)
{
	uint32_t reads = 0;

	for (uint32_t i = 0; i < PARTS; i++)
		for (uint32_t k = 0; k < error_function[i].count; k++)
			reads += error_function[i].from[k] == p;
	return reads;
}

static bool match_part(struct match *m, uint32_t p, uint32_t op);

static bool match_argument(struct match *m, uint32_t p, uint32_t k, uint32_t reader)
{
	const struct part *part = &error_function[p];
	const uint32_t value = m->l->ops[reader].values[k + 1], from = part->from[k];
	const struct nna_value *v = &m->l->values[value];
	uint32_t producer;
	float number;

	if (from == NUMBER)
		return nna_value_number(m->l, v, &number) && number == part->number;
	if (from == X) {
		if (m->x == NNA_NO_VALUE)
			m->x = value;
		return v->type == NNA_TYPE_F32 && nna_value_same_view(v, &m->l->values[m->x]);
	}
	producer = find_producer(m, value, count_reads(from));
	if (producer == NNA_NONE || producer >= reader)
		return false;
	if (m->ops[from] != NNA_NONE)
		return m->ops[from] == producer;
	return match_part(m, from, producer);
}

/* Finds the operations of part @p, which is @op, and of all parts that it needs. */
static bool match_part(struct match *m, uint32_t p, uint32_t op)
{
	const struct part *part = &error_function[p];

	if (function_of(&m->l->ops[op]) != part->function ||
	    m->l->ops[op].operand_count != part->count + 1u ||
	    (p + 1 < PARTS && has_bounds(&m->l->ops[op])))
		return false;
	m->ops[p] = op;
	m->first = op < m->first ? op : m->first;
	for (uint32_t k = 0; k < part->count; k++)
		if (!match_argument(m, p, k, op))
			return false;
	return true;
}

/* Puts another operation in the place of @at; @dead is not needed any more. */
static void replace(struct match *m, uint32_t at, const struct nna_ir_op *with,
		    const uint32_t *dead, uint32_t dead_count)
{
	for (uint32_t i = 0; i < dead_count; i++) {
		nna_ir_uses_remove(m->l, m->uses, dead[i]);
		m->l->ops[dead[i]].dead = true;
	}
	nna_ir_uses_remove(m->l, m->uses, at);
	m->l->ops[at] = *with;
	nna_ir_uses_add(m->l, m->uses, at);
}

static void match_error_function(struct match *m, const struct nna_backend *backend, uint32_t j)
{
	struct nna_lower *l = m->l;
	struct nna_ir_op op = l->ops[j];
	char reason[128];

	for (uint32_t i = 0; i < PARTS; i++)
		m->ops[i] = NNA_NONE;
	m->x = NNA_NO_VALUE;
	m->first = j;
	if (!match_part(m, PARTS - 1, j) || nna_ir_has_flow(l, m->first, j) ||
	    nna_ir_touched(l, m->first, j, NNA_NONE, &l->values[m->x], true))
		return;
	op.kind = NNA_IR_UNARY;
	op.elementwise = (struct nna_ir_elementwise){ .function = NNA_FN_ERF };
	op.operand_count = nna_ir_kind_operands(op.kind, &op.outputs);
	for (uint32_t k = 1; k < NNA_IR_MAX_OPERANDS; k++)
		op.values[k] = k == 1 ? m->x : NNA_NO_VALUE;
	if (backend->accepts(l, &op, reason, sizeof(reason)))
		return;
	replace(m, j, &op, m->ops, PARTS - 1);
	if (l->debug & NNA_DEBUG_MATCH)
		nna_debug_print(l, "match: operations %u to %u are an error function", m->first, j);
}

static bool is_float(const struct nna_lower *l, const struct nna_ir_op *op)
{
	for (uint32_t k = 0; k < op->operand_count; k++)
		if (l->values[op->values[k]].type != NNA_TYPE_F32)
			return false;
	return true;
}

/* Makes a product part of the sum @j if operand @arm of that is one. Return: true if it is. */
static bool match_product(struct match *m, const struct nna_backend *backend, uint32_t j,
			  uint32_t arm)
{
	struct nna_lower *l = m->l;
	const uint32_t p = find_producer(m, l->ops[j].values[arm], 1);
	struct nna_ir_op op = l->ops[j];
	char reason[128];

	if (p == NNA_NONE || p >= j || l->ops[p].kind != NNA_IR_BINARY ||
	    l->ops[p].elementwise.function != NNA_FN_MUL || has_bounds(&l->ops[p]) ||
	    !is_float(l, &l->ops[p]) || nna_ir_has_flow(l, p, j))
		return false;
	for (uint32_t k = NNA_ELEMENTWISE_A; k <= NNA_ELEMENTWISE_B; k++)
		if (nna_ir_touched(l, p, j, NNA_NONE, &l->values[l->ops[p].values[k]], true))
			return false;
	op.kind = NNA_IR_MUL_ADD;
	op.elementwise.function = NNA_FN_MUL_ADD;
	op.operand_count = nna_ir_kind_operands(op.kind, &op.outputs);
	op.values[NNA_ELEMENTWISE_C] = op.values[arm == NNA_ELEMENTWISE_A ? NNA_ELEMENTWISE_B :
									    NNA_ELEMENTWISE_A];
	op.values[NNA_ELEMENTWISE_A] = l->ops[p].values[NNA_ELEMENTWISE_A];
	op.values[NNA_ELEMENTWISE_B] = l->ops[p].values[NNA_ELEMENTWISE_B];
	if (backend->accepts(l, &op, reason, sizeof(reason)))
		return false;
	replace(m, j, &op, &p, 1);
	if (l->debug & NNA_DEBUG_MATCH)
		nna_debug_print(l, "match: product %u is part of the sum %u", p, j);
	return true;
}

int nna_pass_match(struct nna_lower *l, const struct nna_backend *backend)
{
	struct match m = { .l = l, .uses = nna_ir_uses_get(l) };

	if (!m.uses)
		return -ENOMEM;
	for (uint32_t j = 0; j < l->op_count; j++)
		if (!l->ops[j].dead && l->ops[j].kind == NNA_IR_SELECT)
			match_error_function(&m, backend, j);
	for (uint32_t j = 0; j < l->op_count; j++) {
		const struct nna_ir_op *op = &l->ops[j];

		if (op->dead || op->kind != NNA_IR_BINARY ||
		    op->elementwise.function != NNA_FN_ADD || !is_float(l, op))
			continue;
		if (!match_product(&m, backend, j, NNA_ELEMENTWISE_A))
			match_product(&m, backend, j, NNA_ELEMENTWISE_B);
	}
	free(m.uses);
	return 0;
}

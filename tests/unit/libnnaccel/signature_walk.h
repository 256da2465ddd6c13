/* SPDX-License-Identifier: MIT */
/*
 * Calls made from the table of signatures: of each form one that fits, and from it every call in
 * which one thing is wrong: a type, a rank, a missing value or a number of operands. A test gives
 * each to who reads the table. The calls know the rows and not the code that checks against them.
 */
#ifndef SIGNATURE_WALK_H
#define SIGNATURE_WALK_H

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "libnnaccel/support/signature.h"

#define WALK_OPERANDS 80
/* Tensors of more dimensions are refused for another reason. */
#define WALK_RANKS 8u

enum walk_fault { WALK_FITS, WALK_TYPE, WALK_RANK, WALK_NO_VALUE, WALK_COUNT };

struct walk_operand {
	uint32_t type, rank;
	bool omitted;
};

/**
 * struct walk_call - a call, and what must be said about it
 * @signature: its operation
 * @form: the form that it fits but for @fault
 * @column: the column that it was made for
 * @operands: inputs, then outputs
 * @fault: what is wrong
 * @output: an output is wrong, or the number of outputs is
 * @index: which operand
 */
struct walk_call {
	const struct nna_signature *signature;
	const struct nna_form *form;
	enum nna_column column;
	struct walk_operand operands[WALK_OPERANDS];
	uint32_t inputs, outputs;
	enum walk_fault fault;
	bool output;
	uint32_t index;
};

typedef void (*walk_visit)(const struct walk_call *call, void *context);

/* The formal operand of operand @index; NNA_MANY stands for two operands. NULL: there is none. */
static inline const struct nna_formal *walk_formal(const struct nna_formal *formals, uint32_t index)
{
	for (; formals->count; formals++) {
		uint32_t n = formals->count == NNA_MANY ? 2 : formals->count;

		if (index < n)
			return formals;
		index -= n;
	}
	return NULL;
}

static inline uint32_t walk_count(const struct nna_formal *formals)
{
	uint32_t n = 0;

	while (walk_formal(formals, n))
		n++;
	return n;
}

static inline uint32_t walk_first_type(nna_types types)
{
	for (uint32_t type = 0; type < NNA_OPERAND_OPAQUE; type++) {
		if (nna_operand_type_name(type) && types & nna_type_set(type))
			return type;
	}
	assert(0);
	return 0;
}

/* Whether operand @index, an output or an input, is the one that decides what T is. */
static inline bool walk_decides(const struct nna_form *form, bool output, uint32_t index)
{
	const struct nna_formal *lists[2] = { form->inputs, form->outputs };

	for (uint32_t k = 0; k < 2; k++) {
		for (uint32_t i = 0; walk_formal(lists[k], i); i++) {
			if (walk_formal(lists[k], i)->kind == NNA_KIND_T)
				return output == k && index == i;
		}
	}
	return false;
}

/* The types that operand @index may have in any form that takes as many operands. */
static inline nna_types walk_types(const struct walk_call *call, bool output, uint32_t index,
				   uint32_t t)
{
	nna_types types = 0;

	for (const struct nna_form *f = call->signature->forms; f->inputs; f++) {
		const struct nna_formal *formal =
			walk_formal(output ? f->outputs : f->inputs, index);

		if (!f->in[call->column] || !formal)
			continue;
		types |= walk_decides(f, output, index) ? f->t[call->column] :
				nna_formal_types(formal, call->column, t);
	}
	return types;
}

/* Whether a form takes @count inputs or outputs. Those with NNA_MANY take any number from 2 on. */
static inline bool walk_takes(const struct walk_call *call, bool output, uint32_t count)
{
	for (const struct nna_form *f = call->signature->forms; f->inputs; f++) {
		const struct nna_formal *formals = output ? f->outputs : f->inputs;
		uint32_t n = 0, all = walk_count(formals);

		if (!f->in[call->column])
			continue;
		if (count == all)
			return true;
		for (; formals->count; n += formals->count, formals++) {
			if (formals->count == NNA_MANY)
				return count > all || count + 1 == all ||
				       (count + 2 == all &&
					formals->flags[call->column] & NNA_NONE_WILL_DO);
			if (n == count && formals->flags[call->column] & NNA_LAST)
				return true;
		}
	}
	return false;
}

static inline void walk_wrong_operand(struct walk_call *call, const struct nna_form *form,
				      uint32_t t, bool output, uint32_t index, walk_visit visit,
				      void *context)
{
	const struct nna_formal *formal = walk_formal(output ? form->outputs : form->inputs, index);
	struct walk_operand *operand = &call->operands[index + (output ? call->inputs : 0)];
	const struct walk_operand right = *operand;
	nna_types types = walk_types(call, output, index, t);
	struct nna_ranks rank = formal->rank[call->column];

	call->output = output;
	call->index = index;
	call->fault = WALK_TYPE;
	for (uint32_t type = 0; type < NNA_OPERAND_OPAQUE; type++) {
		/* Who refers to no subgraph is refused as such. */
		if (!nna_operand_type_name(type) || types & nna_type_set(type) ||
		    type == NNA_OPERAND_SUBGRAPH)
			continue;
		operand->type = type;
		operand->rank = !nna_operand_type_is_tensor(type) ? 0 : right.rank ? right.rank : 2;
		visit(call, context);
	}
	*operand = right;
	call->fault = WALK_RANK;
	for (uint32_t r = 1; r <= WALK_RANKS && right.rank && rank.most; r++) {
		if (r >= rank.least && r <= rank.most)
			continue;
		if (output && call->column == NNA_SUPPORT)
			break;
		operand->rank = r;
		visit(call, context);
	}
	*operand = right;
	operand->omitted = true;
	call->fault = WALK_NO_VALUE;
	if (!(formal->flags[call->column] & NNA_OPTIONAL))
		visit(call, context);
	*operand = right;
}

/* The call with every number of operands that no form takes. */
static inline void walk_wrong_counts(struct walk_call *call, walk_visit visit, void *context)
{
	struct walk_call other = *call;

	other.fault = WALK_COUNT;
	for (uint32_t n = 0; n <= call->inputs + 1; n++) {
		other.output = false;
		if (walk_takes(call, false, n))
			continue;
		other.inputs = n;
		for (uint32_t i = 0; i < n; i++)
			other.operands[i] = call->operands[i < call->inputs ? i : 0];
		memcpy(other.operands + n, call->operands + call->inputs,
		       call->outputs * sizeof(*other.operands));
		visit(&other, context);
	}
	other.inputs = call->inputs;
	memcpy(other.operands, call->operands, sizeof(other.operands));
	for (uint32_t n = 0; n <= call->outputs + 1; n++) {
		other.output = true;
		if (walk_takes(call, true, n))
			continue;
		other.outputs = n;
		other.operands[call->inputs + call->outputs] = call->operands[call->inputs];
		visit(&other, context);
	}
}

/* All calls of a form whose T is @t. */
static inline void walk_form(const struct nna_signature *signature, const struct nna_form *form,
			     enum nna_column column, uint32_t t, walk_visit visit, void *context)
{
	struct walk_call call = {
		.signature = signature,
		.form = form,
		.column = column,
		.inputs = walk_count(form->inputs),
		.outputs = walk_count(form->outputs),
	};

	assert(call.inputs + call.outputs < WALK_OPERANDS);
	for (uint32_t i = 0; i < call.inputs + call.outputs; i++) {
		bool output = i >= call.inputs;
		const struct nna_formal *formal = walk_formal(
			output ? form->outputs : form->inputs, output ? i - call.inputs : i);
		/* Where Android takes any rank, the other column's is one that can be computed. */
		struct nna_ranks rank = formal->rank[formal->rank[NNA_ANDROID].most &&
							     (output || column == NNA_ANDROID) ?
						     NNA_ANDROID : NNA_SUPPORT];

		call.operands[i].type = walk_first_type(nna_formal_types(formal, column, t));
		if (nna_operand_type_is_tensor(call.operands[i].type))
			call.operands[i].rank = rank.most && (rank.least > 2 || rank.most < 2) ?
							rank.least : 2;
	}
	visit(&call, context);
	walk_wrong_counts(&call, visit, context);
	for (uint32_t i = 0; i < call.inputs; i++)
		walk_wrong_operand(&call, form, t, false, i, visit, context);
	for (uint32_t i = 0; i < call.outputs; i++)
		walk_wrong_operand(&call, form, t, true, i, visit, context);
}

/* All calls of a column. */
static inline void walk_column(enum nna_column column, walk_visit visit, void *context)
{
	const struct nna_signature *signature;

	for (uint32_t i = 0; (signature = nna_signature_at(i)); i++) {
		for (const struct nna_form *form = signature->forms; form->inputs; form++) {
			if (!form->in[column])
				continue;
			if (!form->t[column])
				walk_form(signature, form, column, 0, visit, context);
			for (uint32_t t = 0; t < NNA_OPERAND_OPAQUE; t++) {
				if (nna_operand_type_name(t) && form->t[column] & nna_type_set(t))
					walk_form(signature, form, column, t, visit, context);
			}
		}
	}
}

/* Whether @text, which an operation's refusal says, names what is wrong and what is right. */
static inline bool walk_is_said(const struct walk_call *call, const char *text)
{
	const char *what = call->output ? "output" : "input";
	const struct walk_operand *operand =
		&call->operands[call->index + (call->output ? call->inputs : 0)];
	char found[80];

	if (call->fault == WALK_COUNT)
		snprintf(found, sizeof(found), "%u %s", call->output ? call->outputs : call->inputs,
			 what);
	else
		snprintf(found, sizeof(found), "%s %u (", what, call->index);
	if (!strstr(text, call->signature->name) || !strstr(text, found) ||
	    !strstr(text, call->column == NNA_ANDROID ? ": see NeuralNetworks.h" + 2 :
							": see nnaccel-operations(7)" + 2))
		return false;
	switch (call->fault) {
	case WALK_TYPE:
		snprintf(found, sizeof(found), ") is %s, expected ",
			 nna_operand_type_name(operand->type));
		return strstr(text, found);
	case WALK_RANK:
		snprintf(found, sizeof(found), ") has rank %u, expected rank ", operand->rank);
		return strstr(text, found);
	case WALK_NO_VALUE:
		return strstr(text, ") has no value, but it is not optional");
	default:
		return strstr(text, ", expected ");
	}
}

#endif

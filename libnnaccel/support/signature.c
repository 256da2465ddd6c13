// SPDX-License-Identifier: MIT
/*
 * Checks a call against the forms of its operation (signature.h), and says why it is refused. First
 * the numbers of operands choose among the forms, then the types and ranks of the operands.
 */
#include "libnnaccel/support/signature.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/**
 * enum reason - why an operand does not fit
 * @NONE: every operand fits
 * @NO_VALUE: it has no value, but is not optional
 * @BAD_TYPE: its type is none of the expected ones
 * @BAD_RANK: its rank is none of the expected ones
 */
enum reason { NONE, NO_VALUE, BAD_TYPE, BAD_RANK };

/**
 * struct position - which operand of a call
 * @output: an output, else an input
 * @index: its number
 * @formal: what the form says of it
 * @nth: its number among the operands of @formal
 */
struct position {
	bool output;
	uint32_t index;
	const struct nna_formal *formal;
	uint32_t nth;
};

/**
 * struct refusal - the reason why a call does not fit
 * @reason: enum reason
 * @depth: 0 for the type of the operand that decides T, which comes first; then 1 and the number of
 *	operands before it, which fit
 * @at: the operand
 * @actual: the operand as the caller describes it
 * @expected: types, of BAD_TYPE; of several forms that refuse the same operand, those of all
 * @rank: of BAD_RANK
 * @follows: the type follows from that of @t_at
 * @t_at: the operand whose type is T
 * @t: T
 */
struct refusal {
	enum reason reason;
	uint32_t depth;
	struct position at;
	struct nna_actual actual;
	nna_types expected;
	struct nna_ranks rank;
	bool follows;
	struct position t_at;
	uint32_t t;
};

/* A call that is checked against one form after the other; @refusal is the best reason so far. */
struct check {
	const struct nna_call *call;
	enum nna_column column;
	struct refusal refusal;
};

nna_types nna_type_set(uint32_t type)
{
	return type < 63 || type == NNA_OPERAND_TENSOR_INT64 ? NNA_BIT(type) : 0;
}

nna_types nna_formal_types(const struct nna_formal *formal, enum nna_column column, uint32_t t)
{
	bool quantised = nna_operand_type_is_quantised(t);

	switch (formal->kind) {
	case NNA_KIND_FLOAT:
		if (column == NNA_SUPPORT)
			return NNA_BIT(NNA_OPERAND_FLOAT32) | NNA_BIT(NNA_OPERAND_FLOAT16);
		return NNA_BIT(t == NNA_OPERAND_TENSOR_FLOAT16 ? NNA_OPERAND_FLOAT16 :
								 NNA_OPERAND_FLOAT32);
	case NNA_KIND_ELEMENT:
		if (t == NNA_OPERAND_TENSOR_FLOAT16)
			return NNA_BIT(NNA_OPERAND_FLOAT16);
		return NNA_BIT(t == NNA_OPERAND_TENSOR_FLOAT32 ? NNA_OPERAND_FLOAT32 :
								 NNA_OPERAND_INT32);
	case NNA_KIND_FILTER:
		return nna_type_set(t) |
		       (quantised ? NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL) : 0);
	case NNA_KIND_BIAS:
		return quantised ? NNA_T_INT32 : nna_type_set(t);
	case NNA_KIND_BOX:
		return quantised ? NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_ASYMM) : nna_type_set(t);
	case NNA_KIND_ANCHOR:
		return quantised ? NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM) : nna_type_set(t);
	case NNA_KIND_DELTA:
		return quantised ? NNA_T_QUANT8 : nna_type_set(t);
	case NNA_KIND_T:
		return nna_type_set(t);
	default:
		return formal->types[column];
	}
}

/* --------------------------------------------------------------------------------------- counts */

/* Return: the least number of operands for the formal operands behind @formal. */
static uint32_t count_behind(const struct nna_formal *formal, enum nna_column column)
{
	uint32_t sum = 0;

	while ((++formal)->count && !(formal->flags[column] & NNA_LAST))
		sum += formal->count;
	return sum;
}

/* Return: how many operands @formal stands for, of which @left are left; UINT32_MAX: too few. */
static uint32_t count_of(const struct nna_formal *formal, enum nna_column column, uint32_t left)
{
	uint32_t behind;

	if (formal->count != NNA_MANY)
		return formal->count <= left ? formal->count : UINT32_MAX;
	behind = count_behind(formal, column);
	if (left < behind ||
	    (left == behind && !(formal->flags[column] & NNA_NONE_WILL_DO)))
		return UINT32_MAX;
	return left - behind;
}

static bool takes_count(const struct nna_formal *formals, enum nna_column column, uint32_t count)
{
	uint32_t left = count, n;

	for (const struct nna_formal *formal = formals; formal->count; formal++) {
		if (!left && formal->flags[column] & NNA_LAST)
			return true;
		n = count_of(formal, column, left);
		if (n == UINT32_MAX)
			return false;
		left -= n;
	}
	return !left;
}

/* ------------------------------------------------------------------------------------- operands */

/* Keeps a reason if no other operand further on is known. Return: false. */
static bool refuse(struct check *check, const struct refusal *refusal)
{
	struct refusal *best = &check->refusal;
	nna_types others = 0;

	if (best->reason != NONE && refusal->depth < best->depth)
		return false;
	if (best->reason == BAD_TYPE && refusal->reason == BAD_TYPE &&
	    best->depth == refusal->depth)
		others = best->expected;
	*best = *refusal;
	best->expected |= others;
	return false;
}

/* Return: true if the operand at @at fits. @t_at has the type T, if there is one. */
static bool takes_operand(struct check *check, const struct position *at,
			  const struct position *t_at, uint32_t t)
{
	const struct nna_call *call = check->call;
	struct nna_actual actual = call->operand(call->context, at->output, at->index);
	uint8_t flags = at->formal->flags[check->column];
	struct refusal refusal = {
		.depth = 1 + at->index + (at->output ? call->input_count : 0),
		.at = *at,
		.actual = actual,
		.expected = nna_formal_types(at->formal, check->column, t),
		.rank = at->formal->rank[check->column],
		.follows = at->formal->kind != NNA_KIND_FIXED,
		.t_at = *t_at,
		.t = t,
	};

	/* Android looks at the types of omitted operands too. */
	if (actual.omitted && check->column == NNA_SUPPORT && flags & NNA_OPTIONAL)
		return true;
	if (actual.omitted && !(flags & NNA_OPTIONAL))
		refusal.reason = NO_VALUE;
	else if (!(refusal.expected & nna_type_set(actual.type)))
		refusal.reason = BAD_TYPE;
	else if (!actual.omitted && nna_operand_type_is_tensor(actual.type) && refusal.rank.most &&
		 actual.rank != NNA_RANK_UNKNOWN &&
		 !(actual.may_be_omitted && flags & NNA_OPTIONAL) &&
		 (actual.rank < refusal.rank.least || actual.rank > refusal.rank.most))
		refusal.reason = BAD_RANK;
	return refusal.reason == NONE || refuse(check, &refusal);
}

static bool takes_operands(struct check *check, const struct nna_formal *formals, bool output,
			   const struct position *t_at, uint32_t t)
{
	uint32_t count = output ? check->call->output_count : check->call->input_count;
	struct position at = { .output = output };

	for (at.formal = formals; at.formal->count && at.index < count; at.formal++) {
		uint32_t n = count_of(at.formal, check->column, count - at.index);

		for (at.nth = 0; at.nth < n; at.nth++, at.index++) {
			if (!takes_operand(check, &at, t_at, t))
				return false;
		}
	}
	return true;
}

/* Finds the operand whose type is T. Return: false if the form has none. */
static bool find_t(const struct nna_form *form, struct position *at)
{
	const struct nna_formal *lists[2] = { form->inputs, form->outputs };

	for (uint32_t k = 0; k < 2; k++) {
		*at = (struct position){ .output = k };
		for (at->formal = lists[k]; at->formal->count; at->formal++) {
			if (at->formal->kind == NNA_KIND_T)
				return true;
			at->index += at->formal->count;
		}
	}
	return false;
}

static bool form_fits(struct check *check, const struct nna_form *form)
{
	const struct nna_call *call = check->call;
	struct position at;
	uint32_t t = 0;

	if (find_t(form, &at)) {
		struct nna_actual actual = call->operand(call->context, at.output, at.index);
		struct refusal refusal = {
			.at = at, .actual = actual, .expected = form->t[check->column],
		};

		t = actual.type;
		if (actual.omitted)
			refusal.reason = NO_VALUE;
		else if (!(refusal.expected & nna_type_set(t)))
			refusal.reason = BAD_TYPE;
		if (refusal.reason != NONE)
			return refuse(check, &refusal);
	}
	return takes_operands(check, form->inputs, false, &at, t) &&
	       takes_operands(check, form->outputs, true, &at, t);
}

/* ------------------------------------------------------------------------------------- the line */

/**
 * struct line - the line about a refusal while it is written
 * @text: NNA_REFUSAL_SIZE bytes
 * @used: characters so far
 */
struct line {
	char *text;
	size_t used;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
	size_t room = NNA_REFUSAL_SIZE - line->used;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line->text + line->used, room, format, args);
	va_end(args);
	if (length > 0)
		line->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* "a", "a or b", "a, b or c": what stands before entry @i of @count. */
static void add_separator(struct line *line, uint32_t i, uint32_t count)
{
	if (i)
		add(line, "%s", i + 1 == count ? " or " : ", ");
}

static void add_type(struct line *line, uint32_t type)
{
	const char *name = nna_operand_type_name(type);

	if (name)
		add(line, "%s", name);
	else
		add(line, "of the unknown type %u", type);
}

/* Return: the name of operand @nth of @formal, which has @length characters. */
static const char *operand_name(const struct nna_formal *formal, uint32_t nth, int *length)
{
	const char *name = formal->names, *end;

	for (uint32_t i = 0; i < nth && strstr(name, ", "); i++)
		name = strstr(name, ", ") + 2;
	end = strstr(name, ", ");
	*length = (int)(end ? (size_t)(end - name) : strlen(name));
	return name;
}

/* "input 1 (weights)" */
static void add_position(struct line *line, const struct position *at)
{
	int length;
	const char *name = operand_name(at->formal, at->nth, &length);

	add(line, "%s %u (%.*s)", at->output ? "output" : "input", at->index, length, name);
}

static void add_types(struct line *line, nna_types types)
{
	uint32_t count = 0, i = 0;

	for (uint32_t type = 0; type <= NNA_OPERAND_TENSOR_INT64; type++)
		count += nna_operand_type_name(type) && types & nna_type_set(type);
	for (uint32_t type = 0; type <= NNA_OPERAND_TENSOR_INT64; type++) {
		if (!nna_operand_type_name(type) || !(types & nna_type_set(type)))
			continue;
		add_separator(line, i++, count);
		add(line, "%s", nna_operand_type_name(type));
	}
}

static void add_ranks(struct line *line, const struct nna_ranks *rank)
{
	if (rank->least == rank->most)
		add(line, "%u", rank->least);
	else if (rank->most == NNA_ANY_RANK)
		add(line, "%u or more", rank->least);
	else
		add(line, "%u to %u", rank->least, rank->most);
}

static const char *manual(enum nna_column column)
{
	return column == NNA_ANDROID ? "see NeuralNetworks.h" : "see nnaccel-operations(7)";
}

static void write_refusal(const struct check *check, struct line *line)
{
	const struct refusal *r = &check->refusal;

	add_position(line, &r->at);
	if (r->reason == NO_VALUE) {
		add(line, " has no value, but it is not optional: give it one, ");
	} else if (r->reason == BAD_RANK) {
		add(line, " has rank %d, expected rank ", r->actual.rank);
		add_ranks(line, &r->rank);
		add(line, ": reshape it, ");
	} else {
		add(line, " is ");
		add_type(line, r->actual.type);
		add(line, ", expected ");
		add_types(line, r->expected);
		if (r->follows) {
			add(line, " because ");
			add_position(line, &r->t_at);
			add(line, " is ");
			add_type(line, r->t);
		}
		add(line, ": change its type, ");
	}
	add(line, "%s", manual(check->column));
}

/* Return: true if a form of the column takes so many inputs, or outputs. */
static bool column_takes_count(const struct nna_form *forms, enum nna_column column, bool output,
			       uint32_t count)
{
	for (const struct nna_form *form = forms; form->inputs; form++) {
		if (form->in[column] &&
		    takes_count(output ? form->outputs : form->inputs, column, count))
			return true;
	}
	return false;
}

/* More operands than any form without NNA_MANY has. */
#define COUNT_LIMIT 128

/* "3 inputs, expected 7, 8 or 10" */
static void write_count(struct line *line, const struct nna_form *forms, enum nna_column column,
			bool output, uint32_t count)
{
	uint32_t total = 0, i = 0;
	bool unlimited = column_takes_count(forms, column, output, COUNT_LIMIT);

	for (uint32_t n = 0; n < COUNT_LIMIT; n++)
		total += column_takes_count(forms, column, output, n);
	add(line, "%u %s%s, expected ", count, output ? "output" : "input", count == 1 ? "" : "s");
	for (uint32_t n = 0; n < COUNT_LIMIT && !(unlimited && i); n++) {
		if (!column_takes_count(forms, column, output, n))
			continue;
		add_separator(line, i++, unlimited ? UINT32_MAX : total);
		add(line, unlimited ? "%u or more" : "%u", n);
	}
	add(line, ": %s", manual(column));
}

int nna_signature_check(const struct nna_call *call, enum nna_column column, char *text)
{
	const struct nna_signature *signature = nna_signature_find(call->operation, column);
	struct check check = { .call = call, .column = column };
	struct line line = { .text = text };
	bool possible = false;

	if (!signature) {
		add(&line, "there is no such operation: %s", manual(column));
		return -ENOENT;
	}
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t count = k ? call->output_count : call->input_count;

		if (column_takes_count(signature->forms, column, k, count))
			continue;
		write_count(&line, signature->forms, column, k, count);
		return -EINVAL;
	}
	for (const struct nna_form *form = signature->forms; form->inputs; form++) {
		if (!form->in[column] || !takes_count(form->inputs, column, call->input_count) ||
		    !takes_count(form->outputs, column, call->output_count))
			continue;
		possible = true;
		if (form_fits(&check, form))
			return 0;
	}
	if (possible)
		write_refusal(&check, &line);
	else
		add(&line, "%u inputs and %u outputs do not go together: %s", call->input_count,
		    call->output_count, manual(column));
	return -EINVAL;
}

const char *nna_signature_operand(const struct nna_call *call, enum nna_column column, bool output,
				  uint32_t index, int *length)
{
	const struct nna_signature *signature = nna_signature_find(call->operation, column);
	uint32_t left = output ? call->output_count : call->input_count, n;
	struct check check = { .call = call, .column = column };
	const struct nna_form *form, *best = NULL;
	const struct nna_formal *formal;

	for (form = signature ? signature->forms : NULL; form && form->inputs; form++) {
		if (!form->in[column] || !takes_count(form->inputs, column, call->input_count) ||
		    !takes_count(form->outputs, column, call->output_count))
			continue;
		if (!best)
			best = form;
		if (form_fits(&check, form)) {
			best = form;
			break;
		}
	}
	if (!best || index >= left)
		return NULL;
	for (formal = output ? best->outputs : best->inputs; formal->count; formal++) {
		n = count_of(formal, column, left);
		if (index < n)
			return operand_name(formal, index, length);
		index -= n;
		left -= n;
	}
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Graphs of one operation, each written in a line: its name, its inputs, and behind the arrow its
 * results. An operand is its kind and its dimensions or value:
 *
 *   f[2,3]   FLOAT32
 *   h[..]    FLOAT16
 *   u[..]    QUANT8_ASYMM in steps of 0.5 around 128
 *   v[..]    QUANT8_ASYMM in steps of 1/256 from 0 on
 *   s[..]    QUANT8_ASYMM_SIGNED in steps of 0.5
 *   w[..]    QUANT16_ASYMM in steps of 0.125
 *   x[..]    QUANT16_ASYMM in steps of 0.5
 *   n[..]    INT32
 *   m[..]    INT32 with scale 0.25
 *   l[..]    INT64
 *   q[..]    QUANT16_SYMM in steps of 1/2048
 *   y[..]    QUANT16_SYMM in steps of 0.3
 *   z[..]    QUANT8_SYMM in steps of 0.5
 *   p[..]    QUANT8_SYMM_PER_CHANNEL along dimension 0
 *   t[..]    BOOL8
 *   f?       FLOAT32 of unknown rank
 *   n{1,2}   constant INT32, or INT64 for l
 *   n{1,2/2} the same as rows of 2
 *   i5       INT32
 *   r0.5     FLOAT32
 *   b1       BOOL
 *   g1       a reference to subgraph 1
 *   o?       OPAQUE
 *   -        an input that is omitted
 *   3*f[2]   three operands f[2]
 *
 * Subgraphs 1, 2 ... follow in the same line, each behind a ";".
 */
#ifndef TEST_GRAPH_TEXT_H
#define TEST_GRAPH_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nnaccel.h"

/* Inputs, and results, of an operation. */
#define MAX_OPERANDS 64u
/* Elements of a constant. */
#define MAX_ELEMENTS 32u

/* The operation of a name, or of the number behind "#". */
static inline uint32_t graph_text_type(const char *name)
{
	if (*name == '#')
		return (uint32_t)atoi(name + 1);
	for (uint32_t type = 0; type < NNA_OPERATION_EXTENSION + 64; type++) {
		const char *known = nna_operation_name(type);

		if (known && !strcmp(known, name))
			return type;
	}
	fail_msg("there is no operation %s", name);
	return 0;
}

/* Numbers between brackets. Return: how many. */
static inline uint32_t graph_text_numbers(const char *text, uint32_t most, uint32_t *to)
{
	uint32_t count = 0;
	char *end;

	while (*text && !strchr("]}/", *text)) {
		assert_true(count < most);
		to[count++] = (uint32_t)strtol(text, &end, 10);
		text = *end == ',' ? end + 1 : end;
	}
	return count;
}

/* Adds constant @word, "n{1,2}" or "l{1,2}". Return: its number. */
static inline uint32_t graph_text_constant(struct nna_graph *g, uint32_t s, const char *word)
{
	bool wide = word[0] == 'l';
	const char *columns = strchr(word, '/');
	uint32_t values[MAX_ELEMENTS], count, dims[2];
	int64_t wides[MAX_ELEMENTS];
	int operand;

	count = graph_text_numbers(word + 2, MAX_ELEMENTS, values);
	for (uint32_t k = 0; k < count; k++)
		wides[k] = (int32_t)values[k];
	dims[1] = columns ? (uint32_t)atoi(columns + 1) : 1;
	dims[0] = count / dims[1];
	operand = nna_graph_add_operand(g, s, &(struct nna_operand_desc){
		.type = wide ? NNA_OPERAND_TENSOR_INT64 : NNA_OPERAND_TENSOR_INT32,
		.rank = columns ? 2 : 1, .dims = dims });
	assert_true(operand >= 0);
	assert_int_equal(nna_graph_set_constant(g, s, operand, wide ? (void *)wides : values,
						count * (wide ? 8 : 4), false), 0);
	return operand;
}

/*
 * Adds the operand that @word says to subgraph @s. @input: whether it is one of the subgraph's,
 * given at each run.
 */
static inline uint32_t graph_text_operand(struct nna_graph *g, uint32_t s, const char *word,
					  bool *input)
{
	static const struct {
		char kind;
		uint32_t type;
		float scale;
		int32_t zero_point;
	} kinds[] = {
		{ 'f', NNA_OPERAND_TENSOR_FLOAT32, 0, 0 },
		{ 'h', NNA_OPERAND_TENSOR_FLOAT16, 0, 0 },
		{ 'u', NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.5f, 128 },
		{ 'v', NNA_OPERAND_TENSOR_QUANT8_ASYMM, 1.0f / 256, 0 },
		{ 'w', NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.125f, 0 },
		{ 'x', NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.5f, 0 },
		{ 's', NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 0 },
		{ 'n', NNA_OPERAND_TENSOR_INT32, 0, 0 },
		{ 'm', NNA_OPERAND_TENSOR_INT32, 0.25f, 0 },
		{ 't', NNA_OPERAND_TENSOR_BOOL8, 0, 0 },
		{ 'l', NNA_OPERAND_TENSOR_INT64, 0, 0 },
		{ 'q', NNA_OPERAND_TENSOR_QUANT16_SYMM, 0x1p-11f, 0 },
		{ 'y', NNA_OPERAND_TENSOR_QUANT16_SYMM, 0.3f, 0 },
		{ 'z', NNA_OPERAND_TENSOR_QUANT8_SYMM, 0.5f, 0 },
		{ 'p', NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL, 0, 0 },
		{ 'o', NNA_OPERAND_OPAQUE, 0, 0 },
		{ 'g', NNA_OPERAND_SUBGRAPH, 0, 0 },
		{ 'i', NNA_OPERAND_INT32, 0, 0 },
		{ 'r', NNA_OPERAND_FLOAT32, 0, 0 },
		{ 'b', NNA_OPERAND_BOOL, 0, 0 },
		{ '-', NNA_OPERAND_TENSOR_FLOAT32, 0, 0 },
	};
	static const float scales[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	uint32_t dims[NNACCEL_MAX_RANK] = { 0 };
	struct nna_operand_desc desc = { .dims = dims };
	int32_t whole = atoi(word + 1);
	float real = strtof(word + 1, NULL);
	int operand, ret = 0;
	size_t k = 0;

	*input = word[1] == '[' || word[1] == '?';
	if (word[1] == '{')
		return graph_text_constant(g, s, word);
	while (kinds[k].kind != word[0])
		assert_true(++k < sizeof(kinds) / sizeof(kinds[0]));
	desc.type = kinds[k].type;
	desc.scale = kinds[k].scale;
	desc.zero_point = kinds[k].zero_point;
	if (word[1] == '[')
		desc.rank = graph_text_numbers(word + 2, NNACCEL_MAX_RANK, dims);
	if (word[0] == 'p') {
		assert_in_range(dims[0], 1, sizeof(scales) / sizeof(scales[0]));
		desc.channel_count = dims[0];
		desc.channel_scales = scales;
	}
	operand = nna_graph_add_operand(g, s, &desc);
	assert_true(operand >= 0);
	if (!word[1] || *input)
		; /* a tensor, or a scalar that is a result */
	else if (word[0] == 'i')
		ret = nna_graph_set_constant(g, s, operand, &whole, sizeof(whole), false);
	else if (word[0] == 'r')
		ret = nna_graph_set_constant(g, s, operand, &real, sizeof(real), false);
	else if (word[0] == 'b')
		ret = nna_graph_set_constant(g, s, operand, &(uint8_t){ whole != 0 }, 1, false);
	else if (word[0] == 'g')
		ret = nna_graph_set_subgraph(g, s, operand, whole);
	if (word[0] == '-')
		ret = nna_graph_set_no_value(g, s, operand);
	assert_int_equal(ret, 0);
	return operand;
}

/* Builds subgraph @s from @text, "ADD f[2] f[2] i0 -> f[2]". Return: 0 or an error. */
static inline int graph_text_subgraph(struct nna_graph *g, uint32_t s, char *text)
{
	uint32_t in[MAX_OPERANDS], out[MAX_OPERANDS], given[MAX_OPERANDS];
	uint32_t ins = 0, outs = 0, givens = 0, type = NNA_OPERATION_EXTENSION;
	bool results = false, named = false, input;
	char *word, *rest = NULL, *end;
	int ret;

	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		unsigned long times = strtoul(word, &end, 10);

		if (!named) {
			type = graph_text_type(word);
			named = true;
			continue;
		}
		if (!strcmp(word, "->")) {
			results = true;
			continue;
		}
		if (end > word)
			word = end + 1;
		else
			times = 1;
		for (; times; times--) {
			uint32_t operand = graph_text_operand(g, s, word, &input);

			assert_true(ins < MAX_OPERANDS && outs < MAX_OPERANDS);
			if (results)
				out[outs++] = operand;
			else
				in[ins++] = operand;
			if (!results && input)
				given[givens++] = operand;
		}
	}
	ret = nna_graph_add_operation(g, s, type, ins, in, outs, out);
	return ret ? ret : nna_graph_set_io(g, s, givens, given, outs, out);
}

/*
 * Builds the graph of @line, with messages to @log. *built is the caller's, whatever is returned:
 * 0, or an error of the functions that build a graph and finish it.
 */
static inline int graph_text_build(const char *line, const struct nna_log *log,
				   struct nna_graph **built)
{
	char text[512], *part = text;
	int ret = 0;

	assert_int_equal(nna_graph_create(log, built), 0);
	assert_in_range(snprintf(text, sizeof(text), "%s", line), 1, sizeof(text) - 1);
	for (char *at = text; (at = strchr(at, ';')); at++)
		assert_true(nna_graph_add_subgraph(*built) > 0);
	for (uint32_t s = 0; part && !ret; s++) {
		char *next = strchr(part, ';');

		if (next)
			*next++ = 0;
		ret = graph_text_subgraph(*built, s, part);
		part = next;
	}
	return ret ? ret : nna_graph_finish(*built);
}

#endif

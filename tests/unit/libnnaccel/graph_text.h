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
 *   t[..]    BOOL8
 *   f?       FLOAT32 of unknown rank
 *   n{1,2}   constant INT32
 *   i5       INT32
 *   r0.5     FLOAT32
 *   b1       BOOL
 *   -        an input that is omitted
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
#define MAX_OPERANDS 16u

/* The operation of a name. */
static inline uint32_t graph_text_type(const char *name)
{
	for (uint32_t type = 0; type < NNA_OPERATION_EXTENSION + 64; type++) {
		const char *known = nna_operation_name(type);

		if (known && !strcmp(known, name))
			return type;
	}
	fail_msg("there is no operation %s", name);
	return 0;
}

/* Numbers between brackets. Return: how many. */
static inline uint32_t graph_text_numbers(const char *text, uint32_t *to)
{
	uint32_t count = 0;
	char *end;

	while (*text && *text != ']' && *text != '}') {
		assert_true(count < NNACCEL_MAX_RANK);
		to[count++] = (uint32_t)strtol(text, &end, 10);
		text = *end == ',' ? end + 1 : end;
	}
	return count;
}

/* The operand that @word says. @input: whether it is one of the graph's, given at each run. */
static inline uint32_t graph_text_operand(struct nna_graph *g, const char *word, bool *input)
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
		{ 'i', NNA_OPERAND_INT32, 0, 0 },
		{ 'r', NNA_OPERAND_FLOAT32, 0, 0 },
		{ 'b', NNA_OPERAND_BOOL, 0, 0 },
		{ '-', NNA_OPERAND_TENSOR_FLOAT32, 0, 0 },
	};
	uint32_t dims[NNACCEL_MAX_RANK] = { 0 }, count;
	struct nna_operand_desc desc = { .dims = dims };
	int32_t whole = atoi(word + 1);
	float real = strtof(word + 1, NULL);
	int operand, ret = 0;
	size_t k = 0;

	while (kinds[k].kind != word[0])
		assert_true(++k < sizeof(kinds) / sizeof(kinds[0]));
	desc.type = kinds[k].type;
	desc.scale = kinds[k].scale;
	desc.zero_point = kinds[k].zero_point;
	if (word[1] == '[')
		desc.rank = graph_text_numbers(word + 2, dims);
	*input = word[1] == '[' || word[1] == '?';
	if (word[1] == '{') {
		desc.rank = 1;
		count = graph_text_numbers(word + 2, dims);
		operand = nna_graph_add_operand(g, 0, &(struct nna_operand_desc){
			.type = desc.type, .rank = 1, .dims = &count });
		assert_true(operand >= 0);
		ret = nna_graph_set_constant(g, 0, operand, dims, count * sizeof(*dims), false);
	} else {
		operand = nna_graph_add_operand(g, 0, &desc);
		assert_true(operand >= 0);
		if (!word[1] || word[1] == '[' || word[1] == '?')
			; /* a tensor, or a scalar that is a result */
		else if (word[0] == 'i')
			ret = nna_graph_set_constant(g, 0, operand, &whole, sizeof(whole), false);
		else if (word[0] == 'r')
			ret = nna_graph_set_constant(g, 0, operand, &real, sizeof(real), false);
		else if (word[0] == 'b')
			ret = nna_graph_set_constant(g, 0, operand, &(uint8_t){ whole != 0 }, 1,
						     false);
		if (word[0] == '-')
			ret = nna_graph_set_no_value(g, 0, operand);
	}
	assert_int_equal(ret, 0);
	return operand;
}

/*
 * The graph of @line, with messages to @log. *built is the caller's, whatever is returned: 0, or an
 * error of the functions that build a graph and finish it.
 */
static inline int graph_text_build(const char *line, const struct nna_log *log,
				   struct nna_graph **built)
{
	uint32_t in[MAX_OPERANDS], out[MAX_OPERANDS], given[MAX_OPERANDS];
	uint32_t ins = 0, outs = 0, givens = 0, type = 0;
	char text[256], *word, *rest = NULL;
	bool results = false, input;
	struct nna_graph *g;
	int ret;

	assert_int_equal(nna_graph_create(log, &g), 0);
	snprintf(text, sizeof(text), "%s", line);
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		uint32_t operand;

		if (word == text) {
			type = graph_text_type(word);
			continue;
		}
		if (!strcmp(word, "->")) {
			results = true;
			continue;
		}
		operand = graph_text_operand(g, word, &input);
		assert_true(ins < MAX_OPERANDS && outs < MAX_OPERANDS);
		if (results)
			out[outs++] = operand;
		else
			in[ins++] = operand;
		if (!results && input)
			given[givens++] = operand;
	}
	ret = nna_graph_add_operation(g, 0, type, ins, in, outs, out);
	if (!ret)
		ret = nna_graph_set_io(g, 0, givens, given, outs, out);
	*built = g;
	return ret ? ret : nna_graph_finish(g);
}

#endif

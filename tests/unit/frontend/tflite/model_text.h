/* SPDX-License-Identifier: MIT */
/*
 * TFLite models out of one line of text, for tests that need many small models.
 *
 *	FULLY_CONNECTED@8:1 f[2,3] f[4,3]={} -> f[2,4]
 *
 * A model is a list of subgraphs with '|' between them, a subgraph a list of operators with ';'. An
 * operator is its name or code; with options '@', the number of their table in the schema's union,
 * and after ':' the fields; its inputs; "->"; its outputs; and after "//" its intermediates. Fields
 * have ',' between them: an integer, a float with a point, (1 2) for a list of integers, which have
 * 64 bits in the second union, [1 2] for one of 32 bits, or nothing. A CUSTOM operator has
 * '{key=1 ...}' in place of '@': the name TFLite_Detection_PostProcess and a flexbuffer with
 * integers.
 *
 * A tensor is a letter for its type (B: BFLOAT16), its dims, and any of these:
 *
 *	={1,2}	data; {} is zeros of its shape
 *	*0.5	a scale		+3 -3	a zero point	^	a scale for each channel
 *	#2:5	a scale for each block of 2, in tensor 5
 *	!	a variable	~	dimension 0 is open
 *	?	nothing writes it, and it is no input	<	an input of the subgraph
 *
 * %2 is tensor 2 of the subgraph again, and - an omitted tensor. Inputs of a subgraph are its
 * tensors without data that are no outputs of operators; its outputs are those of its last
 * operator, or of "RETURN %0 %2" behind it.
 */
#ifndef TFLITE_MODEL_TEXT_H
#define TFLITE_MODEL_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "frontend/tflite/tflite.h"
#include "tests/unit/frontend/tflite/writer.h"

#define TEXT_TENSORS 64
#define TEXT_OPERATORS 40
#define TEXT_NUMBERS 72

/** struct text_operator - an operator; @list: inputs, outputs and intermediates */
struct text_operator {
	int32_t code;
	char options[128];
	int32_t list[3][TEXT_NUMBERS];
	uint32_t count[3];
};

/**
 * struct text_graph - a subgraph
 * @input, @fed: what '<' and '?' say of each tensor
 * @results: what RETURN says
 */
struct text_graph {
	struct tensor_spec tensors[TEXT_TENSORS];
	bool input[TEXT_TENSORS], fed[TEXT_TENSORS];
	uint32_t tensor_count, operator_count, result_count;
	int32_t results[TEXT_NUMBERS];
	struct text_operator operators[TEXT_OPERATORS];
};

static inline uint8_t text_type(char letter)
{
	static const char letters[] = "fhiulsbwcad????q";
	const char *at = strchr(letters, letter);

	if (letter == 'B')
		return TFLITE_BFLOAT16;
	if (letter == 'x')
		return 19; /* without a name */
	assert_true(letter != '?' && at);
	return (uint8_t)(at - letters);
}

/* Appends @value as an element of @type to the data of a tensor. */
static inline void text_element(struct tensor_spec *x, uint8_t *data, double value)
{
	uint32_t size = tflite_type_size(x->type);
	int64_t whole = (int64_t)value;
	float real = (float)value;

	memcpy(data + x->size, x->type == TFLITE_FLOAT32 ? (void *)&real : (void *)&whole, size);
	x->size += size;
}

/* Reads "={1,2}" at @at, behind the dims. Return: the end. */
static inline char *text_data(struct tensor_spec *x, char *at)
{
	uint64_t elements = 1;
	uint8_t *data;

	for (uint32_t i = 0; i < x->rank; i++)
		elements *= (uint64_t)x->dims[i];
	data = calloc(elements ? elements : 1, 8);
	assert_non_null(data);
	x->data = data;
	assert_true(at[0] == '=' && at[1] == '{');
	for (at += 2; *at != '}'; at += *at == ',')
		text_element(x, data, strtod(at, &at));
	if (!x->size)
		x->size = (uint32_t)elements * tflite_type_size(x->type);
	return at + 1;
}

/* Reads a tensor. Return: its number, or -1 for an omitted one. */
static inline int32_t text_tensor(struct text_graph *g, char *at)
{
	uint32_t number = g->tensor_count;
	struct tensor_spec *x = &g->tensors[number];

	if (*at == '-')
		return -1;
	if (*at == '%')
		return atoi(at + 1);
	assert_true(number < TEXT_TENSORS);
	g->tensor_count++;
	x->type = text_type(*at++);
	if (*at == '[') {
		for (at++; *at != ']'; at += *at == ',') {
			assert_true(x->rank < 9);
			x->dims[x->rank++] = (int32_t)strtoll(at, &at, 10);
		}
		at++;
	}
	while (*at) {
		static float scales[64];

		switch (*at) {
		case '=':
			at = text_data(x, at);
			continue;
		case '*':
			x->scale = strtof(at + 1, &at);
			continue;
		case '+':
		case '-':
			x->zero_point = strtoll(at, &at, 10);
			continue;
		case '#':
			x->block_size = (int32_t)strtol(at + 1, &at, 10);
			assert_true(*at == ':');
			x->block_scales = (int32_t)strtol(at + 1, &at, 10);
			continue;
		case '^':
			for (int i = 0; i < 64; i++)
				scales[i] = 0.5f;
			x->channel_count = (uint32_t)x->dims[0];
			x->channel_scales = scales;
			break;
		case '!':
			x->variable = true;
			break;
		case '~':
			x->open = true;
			break;
		case '<':
			g->input[number] = true;
			break;
		case '?':
			g->fed[number] = true;
			break;
		default:
			fail_msg("\"%s\" in a tensor", at);
		}
		at++;
	}
	return (int32_t)number;
}

static inline int32_t text_code(const char *name)
{
	for (uint32_t i = 0; tflite_code_name(i); i++)
		if (!strcmp(tflite_code_name(i), name))
			return (int32_t)i;
	return atoi(name);
}

/* Reads an operator. */
static inline void text_operator(struct text_graph *g, char *text)
{
	struct text_operator *op = &g->operators[g->operator_count++];
	uint32_t list = 0;
	char *brace = strchr(text, '{'), *word, *save, *at;

	assert_true(g->operator_count <= TEXT_OPERATORS);
	text += strspn(text, " ");
	if (!strncmp(text, "RETURN ", 7)) {
		g->operator_count--;
		for (word = strtok_r(text + 7, " ", &save); word; word = strtok_r(NULL, " ", &save))
			g->results[g->result_count++] = text_tensor(g, word);
		return;
	}
	/* The blanks of a CUSTOM operator's options and of a list of integers are no separators. */
	if (!strncmp(text, "CUSTOM{", 7)) {
		snprintf(op->options, sizeof(op->options), "%.*s", (int)strcspn(brace, "}"), brace);
		op->code = TFLITE_CUSTOM;
		text = brace + strcspn(brace, "}") + 1;
	} else {
		size_t n = 0;

		for (bool open = false; text[n] && (open || text[n] != ' '); n++)
			open = text[n] == '(' || text[n] == '[' ||
			       (open && text[n] != ')' && text[n] != ']');
		word = text;
		text += n + (text[n] == ' ');
		word[n] = 0;
		at = strchr(word, '@');
		if (at) {
			*at = 0;
			snprintf(op->options, sizeof(op->options), "%s", at + 1);
		}
		op->code = text_code(word);
	}
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!strcmp(word, "->") || !strcmp(word, "//")) {
			list++;
			continue;
		}
		assert_true(list < 3 && op->count[list] < TEXT_NUMBERS);
		op->list[list][op->count[list]++] = text_tensor(g, word);
	}
}

/* Writes a flexbuffer, a map of numbers below 128, out of "{key=1 key=2". Return: its size. */
static inline uint32_t text_flexbuffer(const char *text, uint8_t *to)
{
	uint32_t keys[8], size = 0, count = 0, list, i;
	uint8_t values[8];

	for (text++; *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, "=");

		assert_true(count < 8);
		keys[count] = size;
		memcpy(to + size, text, length);
		size += (uint32_t)length;
		to[size++] = 0;
		values[count++] = (uint8_t)strtol(text + length + 1, (char **)(void *)&text, 10);
	}
	to[size++] = (uint8_t)count;
	list = size;
	for (i = 0; i < count; i++, size++)
		to[size] = (uint8_t)(size - keys[i]);
	to[size] = (uint8_t)(size - list);
	to[size + 1] = 1;
	to[size + 2] = (uint8_t)count;
	size += 3;
	list = size;
	memcpy(to + size, values, count);
	size += count;
	for (i = 0; i < count; i++)
		to[size++] = 1 << 2;
	to[size] = (uint8_t)(size - list);
	to[size + 1] = 9 << 2;
	to[size + 2] = 1;
	return size + 3;
}

/* Writes the options "8:1,0.5,(1 2)". */
static inline void text_options(struct writer *w, size_t op, const char *options)
{
	uint8_t flexbuffer[256] = { 0 };
	bool second;
	char *at;
	long type;
	size_t to;

	if (*options == '{') {
		uint32_t size = text_flexbuffer(options, flexbuffer);

		vector(w, op, 5, size, 1, flexbuffer);
		return;
	}
	type = strtol(options, &at, 10);
	second = type >= TFLITE_OPTIONS_2;
	scalar(w, op, second ? 11 : 3, second ? type - TFLITE_OPTIONS_2 : type, 1);
	to = table(w, 10);
	refer(w, field(w, op, second ? 12 : 4), to);
	for (int i = 0; *at == ':' || *at == ','; i++) {
		int32_t list[16], count = 0;
		int64_t longs[16];
		float real;
		char *end;

		at++;
		if (*at == '(' || *at == '[') {
			bool wide = *at == '(' && second;

			for (at++; *at != ')' && *at != ']'; at += *at == ' ') {
				longs[count] = strtol(at, &at, 10);
				list[count] = (int32_t)longs[count];
				count++;
			}
			vector(w, to, i, (uint32_t)count, wide ? 8 : 4,
			       wide ? (const void *)longs : list);
			at++;
			continue;
		}
		if (!*at || *at == ',')
			continue;
		list[0] = (int32_t)strtol(at, &end, 10);
		if (*end == '.') {
			real = strtof(at, &end);
			memcpy(list, &real, 4);
		}
		scalar(w, to, i, list[0], 4);
		at = end;
	}
}

static inline void text_write_graph(struct writer *w, size_t sub, const struct text_graph *g,
				    uint32_t code)
{
	const struct text_operator *last =
		g->operator_count ? &g->operators[g->operator_count - 1] : NULL;
	bool written[TEXT_TENSORS] = { false };
	int32_t in[TEXT_TENSORS];
	uint32_t count = 0;
	size_t list;

	for (uint32_t i = 0; i < g->operator_count; i++)
		for (uint32_t k = 0; k < g->operators[i].count[1]; k++)
			written[g->operators[i].list[1][k]] = true;
	for (uint32_t i = 0; i < g->operator_count; i++)
		for (uint32_t k = 0; k < g->operators[i].count[2]; k++)
			written[g->operators[i].list[2][k]] = true;
	write_tensors(w, sub, g->tensors, g->tensor_count);
	for (uint32_t i = 0; i < g->tensor_count; i++)
		if (g->input[i] || (!written[i] && !g->fed[i] && !g->tensors[i].data &&
				    !g->tensors[i].variable))
			in[count++] = (int32_t)i;
	vector(w, sub, 1, count, 4, in);
	if (g->result_count || !last)
		vector(w, sub, 2, g->result_count, 4, g->results);
	else
		vector(w, sub, 2, last->count[1], 4, last->list[1]);
	list = vector(w, sub, 3, g->operator_count, 4, NULL);
	for (uint32_t i = 0; i < g->operator_count; i++) {
		const struct text_operator *op = &g->operators[i];
		size_t at = table(w, 13);

		refer(w, list + 4 * i, at);
		scalar(w, at, 0, code + i, 4);
		vector(w, at, 1, op->count[0], 4, op->list[0]);
		vector(w, at, 2, op->count[1], 4, op->list[1]);
		vector(w, at, 8, op->count[2], 4, op->list[2]);
		if (*op->options)
			text_options(w, at, op->options);
	}
}

/* Writes the codes of all operators. */
static inline void text_write_codes(struct writer *w, size_t root, const struct text_graph *graphs,
				    uint32_t count)
{
	uint32_t codes = 0;
	size_t list, at;

	for (uint32_t i = 0; i < count; i++)
		codes += graphs[i].operator_count;
	list = vector(w, root, 1, codes, 4, NULL);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < graphs[i].operator_count; k++, list += 4) {
			at = table(w, 4);
			refer(w, list, at);
			scalar(w, at, 3, graphs[i].operators[k].code, 4);
			if (graphs[i].operators[k].code != TFLITE_CUSTOM ||
			    !*graphs[i].operators[k].options)
				continue;
			vector(w, at, 1, 28, 1, "TFLite_Detection_PostProcess");
			put_bytes(w, "", 1);
		}
}

/* Writes the model that @text describes. */
static inline void write_text(struct writer *w, const char *text)
{
	struct text_graph *graphs = calloc(24, sizeof(*graphs));
	uint32_t count = 0, tensors = 0, code = 0;
	char *copy = strdup(text), *graph, *op, *rest, *save;
	size_t root, list, at;

	assert_true(graphs && copy);
	for (graph = strtok_r(copy, "|", &rest); graph; graph = strtok_r(NULL, "|", &rest)) {
		assert_true(count < 24);
		for (op = strtok_r(graph, ";", &save); op; op = strtok_r(NULL, ";", &save))
			text_operator(&graphs[count], op);
		count++;
	}
	root = model_begin(w);
	text_write_codes(w, root, graphs, count);
	list = vector(w, root, 2, count, 4, NULL);
	for (uint32_t i = 0; i < count; i++) {
		at = table(w, 5);
		refer(w, list + 4 * i, at);
		w->buffers = tensors;
		text_write_graph(w, at, &graphs[i], code);
		tensors += graphs[i].tensor_count;
		code += graphs[i].operator_count;
	}
	list = vector(w, root, 4, tensors + 1, 4, NULL);
	refer(w, list, table(w, 3));
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < graphs[i].tensor_count; k++) {
			list += 4;
			at = table(w, 3);
			refer(w, list, at);
			if (graphs[i].tensors[k].data)
				vector(w, at, 0, graphs[i].tensors[k].size, 1,
				       graphs[i].tensors[k].data);
			free((void *)(uintptr_t)graphs[i].tensors[k].data);
		}
	free(copy);
	free(graphs);
}

#endif

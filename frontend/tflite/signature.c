// SPDX-License-Identifier: MIT
#include "frontend/tflite/signature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that a name takes in the file at the least: the offset of its table. */
#define NAME_BYTES 4

#define refuse(error, wrong, ...) \
	(snprintf(error, TFLITE_ERROR_SIZE, wrong "; expected " __VA_ARGS__), -EINVAL)

static int damaged(char *error)
{
	return refuse(error, "a truncated or damaged file (signatures)",
		      "a whole one: download or convert it again");
}

/* What a signature is in the file; @names: of inputs, of outputs. */
struct entry {
	struct flatbuffer_table table;
	struct flatbuffer_vector names[2];
};

static bool read_entry(const struct flatbuffer *fb, const struct flatbuffer_vector *list,
		       uint32_t index, struct entry *e)
{
	return flatbuffer_element(fb, list, index, &e->table) &&
	       flatbuffer_vector(fb, &e->table, 0, 4, &e->names[0]) &&
	       flatbuffer_vector(fb, &e->table, 1, 4, &e->names[1]);
}

/*
 * Counts the names of all signatures. Signatures may share vectors, so that a small file could ask
 * for gigabytes of names. Return: false for a damaged file.
 */
static bool count_names(const struct flatbuffer *fb, const struct flatbuffer_vector *list,
			uint64_t *total)
{
	*total = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		struct entry e;

		if (!read_entry(fb, list, i, &e))
			return false;
		*total += (uint64_t)e.names[0].count + e.names[1].count;
	}
	return *total <= fb->size / NAME_BYTES;
}

/* Reads inputs, or @output, of signature @index to @to. */
static int parse_names(const struct tflite_model *model, const struct flatbuffer *fb,
		       const struct flatbuffer_vector *list, uint32_t index, bool output,
		       struct tflite_named *to, char *error)
{
	const uint32_t subgraph = model->signatures[index].subgraph,
		       tensors = model->subgraphs[subgraph].tensor_count;

	for (uint32_t i = 0; i < list->count; i++) {
		struct flatbuffer_table entry;

		if (!flatbuffer_element(fb, list, i, &entry) ||
		    !flatbuffer_string(fb, &entry, 0, &to[i].name) ||
		    !flatbuffer_scalar(fb, &entry, 1, 4, &to[i].tensor))
			return damaged(error);
		if (to[i].tensor >= tensors)
			return refuse(error, "signature %u: %s %u is tensor %u",
				      "less than %u, the tensors of subgraph %u", index,
				      output ? "output" : "input", i, to[i].tensor, tensors,
				      subgraph);
	}
	return 0;
}

int tflite_parse_signatures(struct tflite_model *model, const struct flatbuffer *fb,
			    const struct flatbuffer_table *root, char *error)
{
	struct flatbuffer_vector list;
	struct tflite_named *names;
	uint64_t total;
	int ret = 0;

	if (!flatbuffer_vector(fb, root, 7, 4, &list))
		return damaged(error);
	if (list.count > TFLITE_MAX_SIGNATURES)
		return refuse(error, "%u signatures", "%u or fewer", list.count,
			      TFLITE_MAX_SIGNATURES);
	if (!count_names(fb, &list, &total))
		return damaged(error);
	if (!list.count)
		return 0;
	model->signatures = calloc(list.count, sizeof(*model->signatures));
	model->names = calloc(total + 1, sizeof(*model->names));
	if (!model->signatures || !model->names)
		return -ENOMEM;
	names = model->names;
	for (uint32_t i = 0; i < list.count && !ret; i++) {
		struct tflite_signature *s = &model->signatures[i];
		struct entry e;

		if (!read_entry(fb, &list, i, &e) ||
		    !flatbuffer_string(fb, &e.table, 2, &s->key) ||
		    !flatbuffer_scalar(fb, &e.table, 4, 4, &s->subgraph))
			return damaged(error);
		if (s->subgraph >= model->subgraph_count)
			return refuse(error, "signature %u runs subgraph %u", "less than %u", i,
				      s->subgraph, model->subgraph_count);
		s->inputs = names;
		s->input_count = e.names[0].count;
		ret = parse_names(model, fb, &e.names[0], i, false, names, error);
		names += s->input_count;
		s->outputs = names;
		s->output_count = e.names[1].count;
		if (!ret)
			ret = parse_names(model, fb, &e.names[1], i, true, names, error);
		names += s->output_count;
	}
	if (!ret)
		model->signature_count = list.count;
	return ret;
}

const struct tflite_signature *tflite_find_signature(const struct tflite_model *model,
						     const char *key)
{
	for (uint32_t i = 0; i < model->signature_count; i++)
		if (!strcmp(model->signatures[i].key, key))
			return &model->signatures[i];
	return NULL;
}

const struct tflite_signature *tflite_signature_of(const struct tflite_model *model,
						   uint32_t subgraph)
{
	for (uint32_t i = 0; i < model->signature_count; i++)
		if (model->signatures[i].subgraph == subgraph)
			return &model->signatures[i];
	return NULL;
}

void tflite_choose_signature(struct tflite_model *model, const struct tflite_signature *signature)
{
	model->main = signature->subgraph;
}

const char *tflite_signature_name(const struct tflite_signature *signature, bool input,
				  uint32_t tensor)
{
	const struct tflite_named *names = input ? signature->inputs : signature->outputs;
	const uint32_t count = input ? signature->input_count : signature->output_count;

	for (uint32_t i = 0; i < count; i++)
		if (names[i].tensor == tensor)
			return names[i].name;
	return NULL;
}

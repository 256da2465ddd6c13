// SPDX-License-Identifier: MIT
/* Making a model, one value and one node after the other. */
#include "frontend/onnx/onnx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/support/array.h"

#define ALIGNMENT 64u
#define BLOCK ((size_t)64 << 10)
/* No real model has more of anything; the limits keep 32-bit numbers in range. */
#define MAX_COUNT (1u << 24)
#define MAX_ELEMENTS (1ull << 40)

/**
 * struct onnx_memory - a block of the model's memory; small pieces share one
 * @used: bytes
 * @size: bytes
 */
struct onnx_memory {
	struct onnx_memory *next;
	size_t used, size;
	_Alignas(ALIGNMENT) unsigned char bytes[];
};

struct onnx_model *onnx_model_create(void)
{
	struct onnx_model *model = calloc(1, sizeof(*model));

	if (model)
		model->producer = "";
	return model;
}

void onnx_model_free(struct onnx_model *model)
{
	struct onnx_memory *block;

	if (!model)
		return;
	while (model->memory) {
		block = model->memory;
		model->memory = block->next;
		free(block);
	}
	free(model->values);
	free(model->nodes);
	free(model->inputs);
	free(model->outputs);
	free(model->names);
	free(model);
}

static struct onnx_memory *new_block(struct onnx_model *model, size_t size)
{
	const size_t whole = (sizeof(struct onnx_memory) + size + ALIGNMENT - 1) &
			     ~(size_t)(ALIGNMENT - 1);
	struct onnx_memory *block;

	if (whole < size)
		return NULL;
	block = aligned_alloc(ALIGNMENT, whole);
	if (!block)
		return NULL;
	memset(block, 0, sizeof(*block));
	block->size = size;
	block->next = model->memory;
	model->memory = block;
	return block;
}

void *onnx_model_allocate(struct onnx_model *model, size_t size)
{
	struct onnx_memory *block = model->memory;
	size_t from = block ? (block->used + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1) : 0;

	if (!block || from > block->size || block->size - from < size) {
		block = new_block(model, size > BLOCK ? size : BLOCK);
		from = 0;
	}
	if (!block)
		return NULL;
	block->used = from + size;
	return memset(block->bytes + from, 0, size);
}

/* Texts lie one behind the other. */
const char *onnx_model_text(struct onnx_model *model, const void *text, size_t size)
{
	struct onnx_memory *block = model->memory;
	char *to;

	if (size > MAX_COUNT)
		return NULL;
	if (!block || block->size - block->used < size + 1)
		block = new_block(model, size + 1 > BLOCK ? size + 1 : BLOCK);
	if (!block)
		return NULL;
	to = (char *)block->bytes + block->used;
	if (size)
		memcpy(to, text, size);
	to[size] = 0;
	block->used += size + 1;
	return to;
}

/* Room for one element more in a list. Return: false without memory. */
static bool grow(void *list, uint32_t count, uint32_t *room, size_t size)
{
	void **at = list, *grown;

	if (count >= MAX_COUNT)
		return false;
	grown = nna_array_reserve(*at, (uint64_t)count + 1, room, size);
	if (!grown)
		return false;
	*at = grown;
	return true;
}

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

/* The slot of the table that has the name, or where it belongs. */
static uint32_t slot_of(const struct onnx_model *model, const char *name)
{
	uint32_t i = hash(name) & (model->name_room - 1);

	while (model->names[i] && strcmp(model->values[model->names[i] - 1].name, name))
		i = (i + 1) & (model->name_room - 1);
	return i;
}

static bool grow_names(struct onnx_model *model)
{
	const uint32_t room = model->name_room ? model->name_room * 2 : 64;
	uint32_t *names;

	if (model->value_count * 2 < model->name_room)
		return true;
	names = calloc(room, sizeof(*names));
	if (!names)
		return false;
	free(model->names);
	model->names = names;
	model->name_room = room;
	for (uint32_t i = 0; i < model->value_count; i++)
		names[slot_of(model, model->values[i].name)] = i + 1;
	return true;
}

uint32_t onnx_model_find(const struct onnx_model *model, const char *name)
{
	uint32_t at;

	if (!*name || !model->name_room)
		return ONNX_ABSENT;
	at = model->names[slot_of(model, name)];
	return at ? at - 1 : ONNX_ABSENT;
}

uint32_t onnx_model_value(struct onnx_model *model, const char *name)
{
	uint32_t at = onnx_model_find(model, name);
	const char *copy;

	if (at != ONNX_ABSENT || !*name)
		return at;
	copy = onnx_model_text(model, name, strlen(name));
	if (!copy || !grow_names(model) ||
	    !grow(&model->values, model->value_count, &model->value_room, sizeof(*model->values)))
		return ONNX_ABSENT;
	model->values[model->value_count] = (struct onnx_value){ .name = copy,
								 .writer = ONNX_ABSENT };
	model->names[slot_of(model, copy)] = ++model->value_count;
	return model->value_count - 1;
}

bool onnx_model_add_input(struct onnx_model *model, uint32_t value)
{
	if (!grow(&model->inputs, model->input_count, &model->input_room, sizeof(*model->inputs)))
		return false;
	model->inputs[model->input_count++] = value;
	return true;
}

bool onnx_model_add_output(struct onnx_model *model, uint32_t value)
{
	if (!grow(&model->outputs, model->output_count, &model->output_room,
		  sizeof(*model->outputs)))
		return false;
	model->outputs[model->output_count++] = value;
	return true;
}

struct onnx_node *onnx_model_add_node(struct onnx_model *model, uint32_t inputs, uint32_t outputs,
				      uint32_t attributes)
{
	struct onnx_node *node;

	if (!grow(&model->nodes, model->node_count, &model->node_room, sizeof(*model->nodes)))
		return NULL;
	node = &model->nodes[model->node_count];
	*node = (struct onnx_node){ .name = "", .op = "", .domain = "" };
	node->inputs = onnx_model_allocate(model, inputs * sizeof(*node->inputs));
	node->outputs = onnx_model_allocate(model, outputs * sizeof(*node->outputs));
	node->attributes = onnx_model_allocate(model, attributes * sizeof(*node->attributes));
	if (!node->inputs || !node->outputs || !node->attributes)
		return NULL;
	model->node_count++;
	return node;
}

bool onnx_count_elements(uint32_t rank, const int64_t *dims, uint64_t *elements)
{
	*elements = 1;
	for (uint32_t i = 0; i < rank; i++) {
		if (dims[i] < 0 || (uint64_t)dims[i] > MAX_ELEMENTS)
			return false;
		if (dims[i] && *elements > MAX_ELEMENTS / (uint64_t)dims[i])
			return false;
		*elements *= (uint64_t)dims[i];
	}
	return true;
}

/* What a value of a node is wrong with, in the order of the nodes. */
static int check_node(struct onnx_model *model, uint32_t number, bool *ready, char *error)
{
	const struct onnx_node *node = &model->nodes[number];
	char label[ONNX_LABEL_SIZE], name[64];

	for (uint32_t i = 0; i < node->input_count; i++) {
		const uint32_t at = node->inputs[i];

		if (at == ONNX_ABSENT || ready[at])
			continue;
		snprintf(error, ONNX_ERROR_SIZE, "%s reads \"%s\", which nothing before it writes",
			 onnx_node_label(model, number, label),
			 onnx_printable(model->values[at].name, name, sizeof(name)));
		return -EINVAL;
	}
	for (uint32_t i = 0; i < node->output_count; i++) {
		const uint32_t at = node->outputs[i];

		if (at == ONNX_ABSENT)
			continue;
		if (ready[at]) {
			snprintf(error, ONNX_ERROR_SIZE, "%s writes \"%s\", which has a value",
				 onnx_node_label(model, number, label),
				 onnx_printable(model->values[at].name, name, sizeof(name)));
			return -EINVAL;
		}
		ready[at] = true;
		model->values[at].writer = number;
	}
	return 0;
}

int onnx_model_complete(struct onnx_model *model, char *error)
{
	bool *ready = calloc((size_t)model->value_count + 1, sizeof(*ready));
	uint32_t inputs = 0;
	char name[64];
	int ret = 0;

	if (!ready) {
		snprintf(error, ONNX_ERROR_SIZE, "no memory");
		return -ENOMEM;
	}
	/* Older files list constants among the inputs, too. */
	for (uint32_t i = 0; i < model->input_count; i++) {
		struct onnx_value *value = &model->values[model->inputs[i]];

		if (value->tensor.data)
			continue;
		if (value->input) {
			snprintf(error, ONNX_ERROR_SIZE, "the input \"%s\" comes twice",
				 onnx_printable(value->name, name, sizeof(name)));
			ret = -EINVAL;
		}
		value->input = true;
		model->inputs[inputs++] = model->inputs[i];
	}
	model->input_count = inputs;
	for (uint32_t i = 0; i < model->value_count; i++)
		ready[i] = model->values[i].input || model->values[i].tensor.data;
	for (uint32_t i = 0; i < model->node_count && !ret; i++)
		ret = check_node(model, i, ready, error);
	for (uint32_t i = 0; i < model->output_count && !ret; i++) {
		struct onnx_value *value = &model->values[model->outputs[i]];

		value->output = true;
		if (ready[model->outputs[i]])
			continue;
		snprintf(error, ONNX_ERROR_SIZE, "nothing writes the output \"%s\"",
			 onnx_printable(value->name, name, sizeof(name)));
		ret = -EINVAL;
	}
	free(ready);
	return ret;
}

bool onnx_node_is(const struct onnx_node *node, const char *op)
{
	return !*node->domain && !strcmp(node->op, op);
}

const struct onnx_attribute *onnx_node_attribute(const struct onnx_node *node, const char *name)
{
	for (uint32_t i = 0; i < node->attribute_count; i++)
		if (!strcmp(node->attributes[i].name, name))
			return &node->attributes[i];
	return NULL;
}

const char *onnx_printable(const char *text, char *to, size_t size)
{
	size_t n = 0;

	for (; text[n] && n + 1 < size; n++)
		to[n] = (unsigned char)text[n] < ' ' || text[n] == 127 ? '?' : text[n];
	to[n] = 0;
	return to;
}

const char *onnx_node_label(const struct onnx_model *model, uint32_t node, char *to)
{
	const struct onnx_node *n = &model->nodes[node];
	char op[48], name[64];

	onnx_printable(n->op, op, sizeof(op));
	if (*n->name)
		snprintf(to, ONNX_LABEL_SIZE, "node %u (%s \"%s\")", node, op,
			 onnx_printable(n->name, name, sizeof(name)));
	else
		snprintf(to, ONNX_LABEL_SIZE, "node %u (%s)", node, op);
	return to;
}

// SPDX-License-Identifier: MIT
/* Operators of a subgraph as a model of their own (slice.h). */
#include "frontend/tflite/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct cut - a slice under construction
 * @made: for each tensor of the slice: an operator gives it
 * @used: for each tensor of the slice how often its operators use it
 * @origins: for each tensor of the slice its number in the subgraph
 */
struct cut {
	struct tflite_slicer *slicer;
	struct tflite_model *model;
	struct tflite_subgraph *to;
	bool *made;
	uint32_t *used, *origins;
};

const char *tflite_slice_refusal(uint32_t code)
{
	switch (code) {
	case TFLITE_DELEGATE:
		return "another delegate has it";
	case TFLITE_IF:
	case TFLITE_WHILE:
	case TFLITE_CALL_ONCE:
	case TFLITE_STABLEHLO_CASE:
	case TFLITE_STABLEHLO_COMPOSITE:
	case TFLITE_STABLEHLO_REDUCE_WINDOW:
	case TFLITE_STABLEHLO_SCATTER:
		return "it runs another subgraph, which its runtime does not show";
	case TFLITE_VAR_HANDLE:
	case TFLITE_READ_VARIABLE:
	case TFLITE_ASSIGN_VARIABLE:
		return "resource variables belong to the interpreter";
	default:
		return NULL;
	}
}

static void count_uses(struct tflite_slicer *slicer, const struct tflite_ints *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->at[i] >= 0)
			slicer->uses[list->at[i]]++;
}

int tflite_slicer_init(struct tflite_slicer *slicer, const struct tflite_subgraph *sub)
{
	size_t room = (size_t)sub->tensor_count + 1;

	*slicer = (struct tflite_slicer){
		.sub = sub,
		.uses = calloc(room, sizeof(*slicer->uses)),
		.numbers = malloc(room * sizeof(*slicer->numbers)),
	};
	if (!slicer->uses || !slicer->numbers) {
		tflite_slicer_destroy(slicer);
		return -ENOMEM;
	}
	memset(slicer->numbers, 0xff, room * sizeof(*slicer->numbers));
	for (uint32_t i = 0; i < sub->operator_count; i++)
		count_uses(slicer, &sub->operators[i].inputs);
	count_uses(slicer, &sub->outputs);
	return 0;
}

void tflite_slicer_destroy(struct tflite_slicer *slicer)
{
	free(slicer->uses);
	free(slicer->numbers);
	*slicer = (struct tflite_slicer){ 0 };
}

/* Return: the number of a tensor in the slice, which gets it with its first use. */
static int32_t add_tensor(struct cut *cut, int32_t number)
{
	struct tflite_subgraph *to = cut->to;
	uint32_t at = to->tensor_count;
	struct tflite_tensor *tensor;

	if (number < 0)
		return -1;
	if (cut->slicer->numbers[number] >= 0)
		return cut->slicer->numbers[number];
	tensor = &to->tensors[at];
	*tensor = cut->slicer->sub->tensors[number];
	cut->slicer->numbers[number] = (int32_t)at;
	cut->origins[at] = (uint32_t)number;
	to->tensor_count++;
	if (tensor->block_size)
		tensor->block_scales =
			(uint32_t)add_tensor(cut, (int32_t)tensor->block_scales);
	return (int32_t)at;
}

static int add_list(struct cut *cut, const struct tflite_ints *from, struct tflite_ints *to)
{
	int32_t *list;

	*to = (struct tflite_ints){ 0 };
	if (!from->count)
		return 0;
	list = tflite_derive(cut->model, (size_t)from->count * sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->count; i++)
		list[i] = add_tensor(cut, from->at[i]);
	*to = (struct tflite_ints){ list, from->count };
	return 0;
}

static int add_operator(struct cut *cut, uint32_t number)
{
	const struct tflite_operator *from = &cut->slicer->sub->operators[number];
	struct tflite_operator *to = &cut->to->operators[cut->to->operator_count];
	int ret;

	*to = *from;
	to->number = cut->to->operator_count++;
	to->subgraph = 0;
	ret = add_list(cut, &from->inputs, &to->inputs) ?:
	      add_list(cut, &from->outputs, &to->outputs) ?:
	      add_list(cut, &from->intermediates, &to->intermediates);
	for (uint32_t i = 0; i < to->inputs.count && !ret; i++)
		if (to->inputs.at[i] >= 0)
			cut->used[to->inputs.at[i]]++;
	for (uint32_t i = 0; i < to->outputs.count && !ret; i++)
		if (to->outputs.at[i] >= 0)
			cut->made[to->outputs.at[i]] = true;
	return ret;
}

static bool is_input(const struct cut *cut, uint32_t at)
{
	const struct tflite_tensor *tensor = &cut->to->tensors[at];

	return cut->used[at] && !cut->made[at] && !tensor->data && !tensor->variable;
}

static bool is_output(const struct cut *cut, uint32_t at)
{
	return cut->made[at] &&
	       (!cut->used[at] || cut->used[at] < cut->slicer->uses[cut->origins[at]]);
}

static int choose(struct cut *cut, bool (*wanted)(const struct cut *cut, uint32_t at),
		  struct tflite_ints *to)
{
	int32_t *list = tflite_derive(cut->model, ((size_t)cut->to->tensor_count + 1) *
				      sizeof(*list));
	uint32_t count = 0;

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < cut->to->tensor_count; i++)
		if (wanted(cut, i))
			list[count++] = (int32_t)i;
	*to = (struct tflite_ints){ list, count };
	return 0;
}

/* The most tensors that operators use; scales of blocks have none of their own. */
static uint64_t tensors_of(const struct tflite_subgraph *sub, const uint32_t *operators,
			   uint32_t count)
{
	uint64_t room = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct tflite_operator *op = &sub->operators[operators[i]];

		room += (uint64_t)op->inputs.count + op->outputs.count + op->intermediates.count;
	}
	room *= 2;
	return room < sub->tensor_count ? room : sub->tensor_count;
}

int tflite_slice(struct tflite_slicer *slicer, const uint32_t *operators, uint32_t count,
		 struct tflite_model **out)
{
	size_t room = tensors_of(slicer->sub, operators, count) + 1;
	struct cut cut = {
		.slicer = slicer,
		.model = calloc(1, sizeof(*cut.model)),
		.to = calloc(1, sizeof(*cut.to)),
		.made = calloc(room, sizeof(*cut.made)),
		.used = calloc(room, sizeof(*cut.used)),
		.origins = calloc(room, sizeof(*cut.origins)),
	};
	int ret = -ENOMEM;

	if (!cut.model || !cut.to || !cut.made || !cut.used || !cut.origins)
		goto out;
	cut.model->description = "";
	cut.model->subgraphs = cut.to;
	cut.model->subgraph_count = 1;
	cut.to->name = "";
	cut.to->tensors = calloc(room, sizeof(*cut.to->tensors));
	cut.to->operators = calloc((size_t)count + 1, sizeof(*cut.to->operators));
	ret = cut.to->tensors && cut.to->operators ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = add_operator(&cut, operators[i]);
	if (!ret)
		ret = choose(&cut, is_input, &cut.to->inputs) ?:
		      choose(&cut, is_output, &cut.to->outputs);
	for (uint32_t i = 0; i < cut.to->tensor_count; i++)
		slicer->numbers[cut.origins[i]] = -1;
out:
	free(cut.made);
	free(cut.used);
	free(cut.origins);
	if (!ret) {
		*out = cut.model;
		return 0;
	}
	if (!cut.model || !cut.model->subgraphs)
		free(cut.to);
	tflite_free(cut.model);
	return ret;
}

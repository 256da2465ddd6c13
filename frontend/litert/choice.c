// SPDX-License-Identifier: MIT
/* Which operators of a subgraph the NNA takes (choice.h). */
#include "frontend/litert/choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/slice.h"
#include "frontend/tflite/supported.h"

/*
 * LiteRT makes buffers by the shapes in the file. A value whose shape the file does not tell, or
 * tells wrongly, cannot leave a partition.
 */
static int check_shapes(const struct tflite_model *slice, char *error)
{
	const struct tflite_subgraph *sub = &slice->subgraphs[0];
	char name[64];

	for (uint32_t i = 0; i < sub->outputs.count; i++) {
		const struct tflite_tensor *tensor = &sub->tensors[sub->outputs.at[i]];

		if (!tensor->changed)
			continue;
		snprintf(error, TFLITE_ERROR_SIZE,
			 "output \"%s\" has another shape than the file tells LiteRT",
			 tflite_printable(tensor->name, name, sizeof(name)));
		return -ENOTSUP;
	}
	return 0;
}

/* Return: 0 if the device runs these operators together; -ENOMEM; or an error with a reason. */
static int try(const struct nna_device *device, struct tflite_slicer *slicer,
	       const uint32_t *operators, uint32_t count, char *error)
{
	struct tflite_model *slice;
	struct nna_graph *graph;
	int ret;

	ret = tflite_slice(slicer, operators, count, &slice);
	if (ret)
		return ret;
	ret = tflite_to_supported_graph(slice, device, NULL, &graph, error);
	if (!ret) {
		nna_graph_unref(graph);
		ret = check_shapes(slice, error);
	}
	tflite_free(slice);
	return ret;
}

static int try_whole(const struct nna_device *device, struct tflite_slicer *slicer,
		     const uint32_t *operators, char *const *refusals, struct litert_choice *out)
{
	char error[TFLITE_ERROR_SIZE];
	int ret;

	for (uint32_t i = 0; i < out->count && refusals; i++)
		if (refusals[i])
			return -ENOTSUP;
	ret = try(device, slicer, operators, out->count, error);
	if (!ret) {
		memset(out->partitions, 0, out->count * sizeof(*out->partitions));
		out->taken = out->count;
	}
	return ret;
}

static int try_alone(const struct nna_device *device, struct tflite_slicer *slicer,
		     const uint32_t *operators, char *const *refusals, struct litert_choice *out)
{
	char error[TFLITE_ERROR_SIZE];
	int ret;

	for (uint32_t i = 0; i < out->count; i++) {
		const char *reason = refusals ? refusals[i] : NULL;

		if (!reason) {
			ret = try(device, slicer, &operators[i], 1, error);
			if (ret == -ENOMEM)
				return ret;
			if (ret)
				reason = error;
		}
		if (!reason) {
			out->taken++;
			continue;
		}
		out->partitions[i] = LITERT_LEFT;
		out->reasons[i] = strdup(reason);
		if (!out->reasons[i])
			return -ENOMEM;
	}
	return 0;
}

/* Gives a number to each run of operators, or to each operator of a run that cannot be one. */
static int number_runs(const struct nna_device *device, struct tflite_slicer *slicer,
		       const uint32_t *operators, struct litert_choice *out)
{
	char error[TFLITE_ERROR_SIZE];
	uint32_t first, end, next = 0;
	int ret;

	for (first = 0; first < out->count; first = end) {
		bool together = false;

		end = first + 1;
		if (out->partitions[first] == LITERT_LEFT)
			continue;
		while (end < out->count && out->partitions[end] != LITERT_LEFT)
			end++;
		if (end - first > 1 && end - first < out->count) {
			ret = try(device, slicer, &operators[first], end - first, error);
			if (ret == -ENOMEM)
				return ret;
			together = !ret;
		}
		for (uint32_t i = first; i < end; i++)
			out->partitions[i] = together ? next : next++;
		if (together)
			next++;
	}
	return 0;
}

int litert_choose(const struct nna_device *device, const struct tflite_subgraph *sub,
		  char *const *refusals, struct litert_choice *out)
{
	size_t room = (size_t)sub->operator_count + 1;
	struct tflite_slicer slicer = { 0 };
	uint32_t *operators;
	int ret;

	*out = (struct litert_choice){
		.count = sub->operator_count,
		.partitions = calloc(room, sizeof(*out->partitions)),
		.reasons = calloc(room, sizeof(*out->reasons)),
	};
	operators = calloc(room, sizeof(*operators));
	ret = out->partitions && out->reasons && operators ? tflite_slicer_init(&slicer, sub) :
	      -ENOMEM;
	for (uint32_t i = 0; i < out->count && !ret; i++)
		operators[i] = i;
	if (!ret && out->count) {
		ret = try_whole(device, &slicer, operators, refusals, out);
		if (ret && ret != -ENOMEM)
			ret = try_alone(device, &slicer, operators, refusals, out) ?:
			      number_runs(device, &slicer, operators, out);
	}
	tflite_slicer_destroy(&slicer);
	free(operators);
	if (ret)
		litert_choice_free(out);
	return ret;
}

void litert_choice_free(struct litert_choice *choice)
{
	for (uint32_t i = 0; choice->reasons && i < choice->count; i++)
		free(choice->reasons[i]);
	free(choice->reasons);
	free(choice->partitions);
	*choice = (struct litert_choice){ 0 };
}

const char *litert_choice_describe(const struct litert_choice *choice,
				   const struct tflite_subgraph *sub, uint32_t index, char *to)
{
	const struct tflite_operator *op = &sub->operators[index];
	const char *name = tflite_code_name(op->code);
	char printable[64];

	if (op->code == TFLITE_CUSTOM)
		name = op->custom;
	snprintf(to, TFLITE_ERROR_SIZE, "operator %u (%s) is left to LiteRT: %s", index,
		 tflite_printable(name ? name : "?", printable, sizeof(printable)),
		 choice->reasons[index]);
	return to;
}

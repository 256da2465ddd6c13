// SPDX-License-Identifier: MIT
/*
 * Which operators of a model the NNA takes (nnaccel_litert.h): the plug-in's choice, for the file
 * as it is. LiteRT puts operators of a decomposition in the place of those that have one.
 */
#include "frontend/litert/nnaccel_litert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/litert/choice.h"
#include "frontend/litert/device.h"
#include "frontend/tflite/slice.h"

typedef void (*tell_fn)(void *user, uint32_t subgraph, uint32_t operator, const char *name,
			const char *reason);

/* Others are what operators run. */
static bool is_compiled(const struct tflite_model *model, uint32_t subgraph)
{
	bool is_called = !subgraph;

	for (uint32_t i = 0; i < model->signature_count && !is_called; i++)
		is_called = model->signatures[i].subgraph == subgraph;
	return is_called;
}

static bool is_open(const struct tflite_subgraph *sub, const struct tflite_ints *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->at[i] >= 0 && sub->tensors[list->at[i]].dynamic)
			return true;
	return false;
}

/* Operators that LiteRT shows only in part, as the plug-in refuses them (source.c). */
static int list_refusals(const struct tflite_subgraph *sub, char ***out)
{
	*out = calloc((size_t)sub->operator_count + 1, sizeof(char *));
	if (!*out)
		return -ENOMEM;
	for (uint32_t i = 0; i < sub->operator_count; i++) {
		const struct tflite_operator *op = &sub->operators[i];

		(*out)[i] = (char *)tflite_slice_refusal(op->code);
		if (!(*out)[i] && (is_open(sub, &op->inputs) || is_open(sub, &op->outputs)))
			(*out)[i] = (char *)"a tensor has open dimensions";
	}
	return 0;
}

static int report_subgraph(const struct nna_device *device, const struct tflite_model *model,
			   uint32_t index, tell_fn tell, void *user)
{
	const struct tflite_subgraph *sub = &model->subgraphs[index];
	struct litert_choice choice;
	char **refusals, name[64];
	int ret;

	ret = list_refusals(sub, &refusals);
	if (ret)
		return ret;
	ret = litert_choose(device, sub, refusals, &choice);
	free(refusals);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < choice.count; i++) {
		const struct tflite_operator *op = &sub->operators[i];
		const char *known = op->code == TFLITE_CUSTOM ? op->custom :
				    tflite_code_name(op->code);

		tell(user, index, i, tflite_printable(known ?: "?", name, sizeof(name)),
		     choice.reasons[i]);
	}
	litert_choice_free(&choice);
	return 0;
}

__attribute__((visibility("default")))
int nnaccel_litert_report(const char *path, tell_fn tell, void *user, char *error, size_t size)
{
	char line[TFLITE_ERROR_SIZE] = "";
	struct tflite_model *model = NULL;
	struct nna_device *device = NULL;
	int ret;

	ret = tflite_load(path, &model, line);
	if (!ret)
		ret = litert_device_open(&device);
	for (uint32_t i = 0; !ret && i < model->subgraph_count; i++)
		if (is_compiled(model, i))
			ret = report_subgraph(device, model, i, tell, user);
	if (ret)
		snprintf(error, size, "%.400s: %s", path, line[0] ? line : strerror(-ret));
	nna_device_close(device);
	tflite_free(model);
	return ret;
}

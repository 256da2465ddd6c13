// SPDX-License-Identifier: MIT
#include "frontend/split/part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/label.h"

static int refuse(const struct tflite_operator *op, int ret, char *error, const char *reason)
{
	char label[TFLITE_LABEL_SIZE];

	snprintf(error, TFLITE_ERROR_SIZE, "%s: %s", tflite_operator_label(op, label), reason);
	return ret;
}

/* The first operator of a part. */
static const struct tflite_operator *first_of(const struct split_part *part)
{
	return tflite_main(part->model)->operators;
}

uint32_t *split_last_reads(const struct tflite_subgraph *sub)
{
	uint32_t *last = calloc((size_t)sub->tensor_count + 1, sizeof(*last));

	if (!last)
		return NULL;
	for (uint32_t i = 0; i < sub->operator_count; i++)
		for (uint32_t k = 0; k < sub->operators[i].inputs.count; k++)
			if (sub->operators[i].inputs.at[k] >= 0)
				last[sub->operators[i].inputs.at[k]] = i;
	for (uint32_t i = 0; i < sub->outputs.count; i++)
		last[sub->outputs.at[i]] = UINT32_MAX;
	return last;
}

/* What is known of a tensor while the lists of a part are made. */
enum { WRITTEN = 1, LISTED_IN = 2, LISTED_OUT = 4 };

static void add_once(int32_t *list, uint32_t *count, uint8_t *known, uint8_t listed, int32_t tensor)
{
	if (known[tensor] & listed)
		return;
	known[tensor] |= listed;
	list[(*count)++] = tensor;
}

/*
 * What the part takes from outside of it, and what is read of it outside: from operator @end on.
 */
static int find_io(struct tflite_model *model, const uint32_t *last, uint32_t end, bool infer,
		   struct tflite_subgraph *sub)
{
	uint32_t ins = 0, outs = 0;
	uint8_t *known = calloc((size_t)sub->tensor_count + 1, 1);
	int32_t *in = tflite_derive(model, ((size_t)sub->tensor_count + 1) * sizeof(*in));
	int32_t *out = tflite_derive(model, ((size_t)sub->tensor_count + 1) * sizeof(*out));

	if (!known || !in || !out) {
		free(known);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < sub->operator_count; i++) {
		const struct tflite_operator *op = &sub->operators[i];

		for (uint32_t k = 0; k < op->inputs.count; k++) {
			const int32_t at = op->inputs.at[k];

			if (at >= 0 && !sub->tensors[at].data && !sub->tensors[at].variable &&
			    !(known[at] & WRITTEN))
				add_once(in, &ins, known, LISTED_IN, at);
		}
		for (uint32_t k = 0; k < op->outputs.count; k++) {
			known[op->outputs.at[k]] |= WRITTEN;
			if (last[op->outputs.at[k]] >= end)
				add_once(out, &outs, known, LISTED_OUT, op->outputs.at[k]);
		}
	}
	free(known);
	sub->inputs = (struct tflite_ints){ in, ins };
	sub->outputs = (struct tflite_ints){ out, outs };
	for (uint32_t i = 0; i < ins && infer; i++)
		sub->tensors[in[i]].changed = true;
	return 0;
}

static void *copy_of(const void *from, size_t count, size_t size)
{
	void *to = calloc(count + 1, size);

	if (to && count)
		memcpy(to, from, count * size);
	return to;
}

/*
 * A model of the part. Its subgraphs are copies, since a translation changes shapes. @infer: inner
 * shapes follow from those of the inputs, and not from the file.
 */
static struct tflite_model *model_of(const struct tflite_model *whole, const uint32_t *last,
				     uint32_t first, uint32_t count, bool infer)
{
	struct tflite_model *model = calloc(1, sizeof(*model));
	struct tflite_subgraph *sub;

	if (!model)
		return NULL;
	model->description = "";
	model->main = whole->main;
	model->subgraphs = calloc(whole->subgraph_count, sizeof(*model->subgraphs));
	if (!model->subgraphs)
		goto fail;
	model->subgraph_count = whole->subgraph_count;
	for (uint32_t i = 0; i < whole->subgraph_count; i++) {
		const struct tflite_subgraph *from = &whole->subgraphs[i];
		const bool main = i == whole->main;

		sub = &model->subgraphs[i];
		*sub = *from;
		sub->tensors = copy_of(from->tensors, from->tensor_count, sizeof(*from->tensors));
		sub->operators = copy_of(from->operators + (main ? first : 0),
					 main ? count : from->operator_count,
					 sizeof(*from->operators));
		if (!sub->tensors || !sub->operators) {
			model->subgraph_count = i + 1;
			goto fail;
		}
	}
	sub = tflite_main(model);
	sub->operator_count = count;
	if (!find_io(model, last, first + count, infer, sub))
		return model;
fail:
	tflite_free(model);
	return NULL;
}

/* Who has left it to another device, for messages. */
static const char *left_by(const struct split_program_options *options)
{
	return options->first ? "" : "Vela left it to the CPU, and ";
}

/* Whether the device does all of it. Return: 0, or -ENOTSUP with the operator at @refused. */
static int check_support(const struct split_part *part, const struct split_program_options *options,
			 struct nna_device *device, uint32_t *refused, char *error)
{
	const struct tflite_operator *first = first_of(part);
	const uint32_t count = nna_graph_operation_count(part->graph, 0);
	bool *supported = calloc((size_t)count + 1, sizeof(*supported));
	struct nna_device_info info;
	char reason[160];
	uint32_t i;
	int ret;

	if (!supported)
		return refuse(first, -ENOMEM, error, "out of memory");
	ret = nna_graph_get_supported(part->graph, device, supported);
	for (i = 0; !ret && i < count && supported[i]; i++)
		;
	free(supported);
	if (ret)
		return refuse(first, ret, error, strerror(-ret));
	if (i == count)
		return 0;
	nna_device_get_info(device, &info);
	snprintf(reason, sizeof(reason), "%s%s cannot run it", left_by(options), info.name);
	i = i < part->origin.count ? part->origin.operators[i] : 0;
	*refused = part->first + i;
	return refuse(first + i, -ENOTSUP, error, reason);
}

/*
 * Vela leaves RESHAPEs between its operators and others out, so shapes in its files contradict each
 * other; their elements are as many. Where they do, inner ones are inferred.
 */
static int translate(const struct tflite_model *model, const uint32_t *last,
		     const struct split_program_options *options, struct split_part *part,
		     char *error)
{
	int ret = -EINVAL;

	for (int infer = 0; infer < 2 && ret == -EINVAL; infer++) {
		tflite_free(part->model);
		part->model = model_of(model, last, part->first, part->count, infer);
		if (!part->model)
			return refuse(&tflite_main(model)->operators[part->first], -ENOMEM,
				      error, "out of memory");
		ret = tflite_to_rounded_graph(part->model, options->rounding,
					      infer ? &options->log : NULL, &part->graph,
					      &part->origin, error);
	}
	return ret;
}

int split_part_create(const struct tflite_model *model, const uint32_t *last, uint32_t first,
		      uint32_t count, const struct split_program_options *options,
		      struct nna_device *device, struct split_part *part, uint32_t *refused,
		      char *error)
{
	const struct nna_program_options program = { .priority = NNA_PRIORITY_MEDIUM };
	char reason[256];
	int ret;

	*part = (struct split_part){ .first = first, .count = count };
	*refused = UINT32_MAX;
	if (!device) {
		snprintf(reason, sizeof(reason), "%sthere is no NNA that runs it (%s)",
			 left_by(options), options->rest_name);
		return refuse(&tflite_main(model)->operators[first], -ENODEV, error, reason);
	}
	ret = translate(model, last, options, part, error) ?:
	      check_support(part, options, device, refused, error);
	if (ret)
		return ret;
	ret = nna_program_create(device, part->graph, &program, &part->program) ?:
	      nna_execution_create(part->program, &part->execution);
	if (!ret)
		return 0;
	snprintf(reason, sizeof(reason), "cannot be compiled: %s", strerror(-ret));
	return refuse(first_of(part), ret, error, reason);
}

void split_part_destroy(struct split_part *part)
{
	nna_execution_destroy(part->execution);
	nna_program_destroy(part->program);
	nna_graph_unref(part->graph);
	tflite_origin_free(&part->origin);
	tflite_free(part->model);
	*part = (struct split_part){ 0 };
}

/* Whether memory of the whole model's tensor is what the part takes or writes. */
static int check_size(const struct tflite_subgraph *whole, int32_t tensor,
		      const struct nna_io_info *info)
{
	const struct tflite_tensor *x = &whole->tensors[tensor];

	return info->size == x->elements * tflite_type_size(x->type) ? 0 : -ENOTSUP;
}

int split_part_bind(struct split_part *part, const struct tflite_subgraph *whole,
		    uint8_t *const *values, char *error)
{
	const struct tflite_subgraph *sub = tflite_main(part->model);
	struct nna_io_info info;
	int ret = 0;

	for (uint32_t i = 0; i < sub->inputs.count && !ret; i++) {
		ret = nna_program_get_input(part->program, i, &info) ?:
		      check_size(whole, sub->inputs.at[i], &info) ?:
		      nna_execution_set_input(part->execution, i, 0, NULL,
					      values[sub->inputs.at[i]], info.size);
	}
	for (uint32_t i = 0; i < sub->outputs.count && !ret; i++) {
		ret = nna_program_get_output(part->program, i, &info) ?:
		      check_size(whole, sub->outputs.at[i], &info) ?:
		      nna_execution_set_output(part->execution, i, 0, NULL,
					       values[sub->outputs.at[i]], info.size);
	}
	return ret ? refuse(first_of(part), ret, error, ret == -ENOTSUP ?
			    "the shape of a result is another one than the file states, or known "
			    "at run time only" : strerror(-ret)) : 0;
}

int split_part_run(struct split_part *part, char *error)
{
	const int ret = nna_execution_compute(part->execution);

	return ret ? refuse(first_of(part), ret, error, strerror(-ret)) : 0;
}

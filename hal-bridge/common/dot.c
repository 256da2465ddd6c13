// SPDX-License-Identifier: MIT
/* Drawings of models (dot.h). Node m3o7 is operation 7 of model 3, m3t2 is operand 2 of model 3. */
#include "hal-bridge/common/dot.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/common/extension.h"
#include "hal-bridge/common/model.h"
#include "libnnaccel/support/environment.h"
#include "libnnaccel/support/message.h"

#define NO_WRITER UINT32_MAX

static pthread_once_t nnb_dot_once = PTHREAD_ONCE_INIT;
static const char *nnb_dot_folder;

static void nnb_dot_read(void)
{
	nnb_dot_folder = nna_environment_get("NNACCEL_DOT");
}

bool nnb_dot_is_wanted(void)
{
	pthread_once(&nnb_dot_once, nnb_dot_read);
	return nnb_dot_folder;
}

/* Writes the name of a type or an operation, or its number if it has no name. */
static void put_name(FILE *to, const char *name, uint32_t number)
{
	if (name)
		fputs(name, to);
	else
		fprintf(to, "%#x", number);
}

static void put_type(FILE *to, const struct nnb_operand *operand)
{
	const struct nnb_extension_operand *extension = nnb_extension_operand(operand->type);

	put_name(to, nna_operand_type_name(extension ? extension->type : operand->type),
		 operand->type);
	if (operand->rank) {
		fputs(" [", to);
		for (uint32_t i = 0; i < operand->rank; i++)
			fprintf(to, operand->dims[i] ? "%s%u" : "%s?", i ? "," : "",
				operand->dims[i]);
		fputc(']', to);
	}
	if (operand->scale_count)
		fprintf(to, " %u scales", operand->scale_count);
	else if (operand->scale != 0)
		fprintf(to, " scale %g zero %d", (double)operand->scale, operand->zero_point);
}

/* Writes a constant: the value of a scalar, the size of a tensor. */
static void put_value(FILE *to, const struct nnb_operand *operand)
{
	float real;
	int32_t whole;

	if (operand->value == NNB_VALUE_OMITTED) {
		fputs(": none", to);
	} else if (operand->type == NNA_OPERAND_INT32) {
		memcpy(&whole, operand->data, sizeof(whole));
		fprintf(to, ": %d", whole);
	} else if (operand->type == NNA_OPERAND_FLOAT32) {
		memcpy(&real, operand->data, sizeof(real));
		fprintf(to, ": %g", (double)real);
	} else if (operand->type == NNA_OPERAND_BOOL) {
		fprintf(to, ": %s", *(const uint8_t *)operand->data ? "true" : "false");
	} else {
		fprintf(to, ": %zu bytes", operand->size);
	}
}

/* Writes an operation: a box with its name and a line for each constant input. */
static void put_operation(FILE *to, const struct nnb_model *model, uint32_t number, uint32_t index)
{
	const struct nnb_operation *operation = &model->operations[index];
	const struct nnb_extension_operation *extension = nnb_extension_operation(operation->type);

	fprintf(to, "  m%uo%u [label=\"%u ", number, index, index);
	put_name(to, nna_operation_name(extension ? extension->type : operation->type),
		 operation->type);
	for (uint32_t k = 0; k < operation->input_count; k++) {
		const struct nnb_operand *operand = &model->operands[operation->inputs[k]];

		if (operand->value == NNB_VALUE_NONE)
			continue;
		fprintf(to, "\\nin %u ", k);
		if (operand->value == NNB_VALUE_MODEL) {
			fprintf(to, "model %u", operand->model->number);
		} else {
			put_type(to, operand);
			put_value(to, operand);
		}
	}
	fputs("\"];\n", to);
}

static void put_argument(FILE *to, const struct nnb_model *model, uint32_t number, bool output,
			 uint32_t place)
{
	uint32_t index = output ? model->outputs[place] : model->inputs[place];

	fprintf(to, "  m%ut%u [shape=ellipse, label=\"%s %u\\n", number, index,
		output ? "output" : "input", place);
	put_type(to, &model->operands[index]);
	fputs("\"];\n", to);
}

/* Writes arrows to the inputs of an operation, from the operations that write them. */
static void put_inputs(FILE *to, const struct nnb_model *model, uint32_t number, uint32_t index,
		       const uint32_t *writers)
{
	const struct nnb_operation *operation = &model->operations[index];

	for (uint32_t k = 0; k < operation->input_count; k++) {
		uint32_t operand = operation->inputs[k];

		if (model->operands[operand].value != NNB_VALUE_NONE)
			continue;
		if (writers[operand] == NO_WRITER) {
			fprintf(to, "  m%ut%u -> m%uo%u", number, operand, number, index);
		} else {
			fprintf(to, "  m%uo%u -> m%uo%u [label=\"", number, writers[operand],
				number, index);
			put_type(to, &model->operands[operand]);
			fputs("\"]", to);
		}
		fputs(";\n", to);
	}
}

/* Sets writers[i] to the operation that writes operand i. */
static void find_writers(const struct nnb_model *model, uint32_t *writers)
{
	memset(writers, 0xff, model->operand_count * sizeof(*writers));
	for (uint32_t i = 0; i < model->operation_count; i++) {
		const struct nnb_operation *operation = &model->operations[i];

		for (uint32_t k = 0; k < operation->output_count; k++)
			writers[operation->outputs[k]] = i;
	}
}

static void put_model(FILE *to, const struct nnb_model *model, uint32_t number,
		      const uint32_t *writers)
{
	for (uint32_t i = 0; i < model->operand_count; i++) {
		const struct nnb_model *other = model->operands[i].model;

		if (other && other->drawing)
			fprintf(to, "  subgraph cluster_m%u {\n  label=\"model %u\";\n%s  }\n",
				other->number, other->number, other->drawing);
	}
	for (uint32_t i = 0; i < model->input_count; i++)
		put_argument(to, model, number, false, i);
	for (uint32_t i = 0; i < model->output_count; i++)
		put_argument(to, model, number, true, i);
	for (uint32_t i = 0; i < model->operation_count; i++) {
		put_operation(to, model, number, i);
		put_inputs(to, model, number, i, writers);
	}
	for (uint32_t i = 0; i < model->output_count; i++) {
		if (writers[model->outputs[i]] != NO_WRITER)
			fprintf(to, "  m%uo%u -> m%ut%u;\n", number, writers[model->outputs[i]],
				number, model->outputs[i]);
	}
}

void nnb_dot_draw(struct nnb_model *model)
{
	static atomic_uint next;
	uint32_t *writers = malloc(((size_t)model->operand_count + 1) * sizeof(*writers));
	char *text = NULL;
	size_t size;
	FILE *to = writers ? open_memstream(&text, &size) : NULL;

	if (to) {
		model->number = atomic_fetch_add(&next, 1);
		find_writers(model, writers);
		put_model(to, model, model->number, writers);
		if (fclose(to)) {
			free(text);
			text = NULL;
		}
	}
	free(writers);
	free(model->drawing);
	model->drawing = text;
}

/* A colour for each device, light enough for black text. */
static const char *const nnb_dot_colours[] = { "lightblue", "lightsalmon", "lightgreen", "khaki" };
#define COLOURS (sizeof(nnb_dot_colours) / sizeof(nnb_dot_colours[0]))

/* Colours the operations by device, and writes a legend. */
static void put_devices(FILE *to, uint32_t number, const char *const *devices, uint32_t count)
{
	const char *seen[COLOURS] = { NULL };

	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = 0;

		while (k < COLOURS - 1 && seen[k] && strcmp(seen[k], devices[i]))
			k++;
		seen[k] = devices[i];
		fprintf(to, "  m%uo%u [style=filled, fillcolor=%s, tooltip=\"%s\"];\n", number, i,
			nnb_dot_colours[k], devices[i]);
	}
	for (uint32_t k = 0; k < COLOURS && seen[k]; k++)
		fprintf(to, "  device%u [shape=plain, style=filled, fillcolor=%s, label=\"%s\"];\n",
			k, nnb_dot_colours[k], seen[k]);
}

void nnb_dot_write(const struct nnb_model *model, const char *const *devices, uint32_t count)
{
	static atomic_uint next;
	char *path;
	FILE *to;

	if (!model->drawing || !nnb_dot_is_wanted() ||
	    asprintf(&path, "%s/nnapi-%d-%u.dot", nnb_dot_folder, (int)getpid(),
		     atomic_fetch_add(&next, 1)) < 0)
		return;
	/* Never overwrite a file or follow a link. */
	to = fopen(path, "wxe");
	if (to) {
		fprintf(to, "digraph model {\n  node [shape=box];\n%s", model->drawing);
		put_devices(to, model->number, devices, count);
		fputs("}\n", to);
	}
	if (!to || fclose(to))
		nna_message(COMPILATION, "%s: %s", path, strerror(errno));
	free(path);
}
